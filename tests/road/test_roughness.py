"""Unevenness: its spectrum, its place in the world, and what a wheel feels of it."""

import numpy as np
import pytest
from test_query_sweep import run, wheels, world

from driving_sandbox.benchmarks.sweep import with_query
from driving_sandbox.physics.ground.arrays import ROUGHNESS_AMPLITUDE, ROUGHNESS_WAVELENGTH
from driving_sandbox.physics.ground.ground import Ground, Heightfield, plane_ground
from driving_sandbox.physics.ground.roughness import wave_height
from driving_sandbox.physics.ground.surfaces import default_surfaces
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.road.query import BOUNDARY_SLOPE
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World


@kernel
def heights(amplitude, wavelength, places, length, out):
    for k in range(len(places)):
        out[k] = wave_height(amplitude, wavelength, places[k, 0], places[k, 1], length)


def sampled(places, amplitude=0.01, wavelength=2.0, length=0.0):
    out = np.zeros(len(places))
    heights(amplitude, wavelength, np.asarray(places, float), length, out)
    return out


def test_amplitude_means_what_the_file_says():
    """Root mean square amplitude / sqrt(2), no mean, never beyond the sum of the waves."""
    places = np.random.default_rng(1).uniform(-500.0, 500.0, (100000, 2))
    h = sampled(places)
    assert h.std() == pytest.approx(0.01 / np.sqrt(2.0), rel=0.01)
    assert abs(h.mean()) < 1e-4
    assert np.abs(h).max() < 0.025


def test_the_spectrum_falls_with_the_square_of_the_wave_number():
    """Along any line: as much variance in an octave as wavelengths say, nothing above the shortest wave."""
    for angle in (0.1, 1.0, 2.2):
        along = np.arange(2**15) * 0.02
        places = np.column_stack([np.cos(angle) * along, np.sin(angle) * along])
        power = np.abs(np.fft.rfft(sampled(places))) ** 2
        number = np.fft.rfftfreq(len(along), 0.02)
        assert power[number > 1.05 * 2.0**2.5 / 2.0].sum() < 1e-3 * power.sum()
        assert power[number <= 0.5 * 1.05].sum() > power[number > 1.0 * 1.05].sum()


def test_the_mean_over_the_contact_takes_short_waves_first():
    places = np.random.default_rng(2).uniform(-100.0, 100.0, (20000, 2))
    felt = [sampled(places, length=length).std() for length in (0.0, 0.2, 1.0, 5.0)]
    assert np.all(np.diff(felt) < 0.0) and felt[1] > 0.9 * felt[0] and felt[3] < 0.1 * felt[0]


def load_noise(surface, speed, factor=1.0):
    """(standard deviation of the front left load, its mean), and the loads, of a car rolling freely."""
    w = world(plane_ground(surface=surface), {f"road.{wheel}.roughness": factor for wheel in ("fl", "fr", "rl", "rr")},
              smooth=False)  # fmt: skip
    w.place(0, (3.0, 2.0), 0.0)
    run(w, 1.0, brake=1.0)
    w.vehicles[0].state["body"]["velocity"][0, 1] = speed
    w.vehicles[0].state["wheel"]["omega"][0, :4] = speed / 0.289
    run(w, 0.5)
    loads = []
    for _ in range(480):
        run(w, w.tick_seconds)
        loads.append(wheels(w, "suspension", "force")[0])
    return np.std(loads), np.mean(loads), np.array(loads)


def test_rough_ground_is_felt_by_surface_and_speed_and_smooth_ground_not():
    noise = {name: load_noise(name, 15.0)[0] for name in ("ice", "asphalt", "gravel", "grass")}
    print("\nload noise at 15 m/s, N:", {name: round(float(n), 1) for name, n in noise.items()})
    assert noise["ice"] < 1.0 < noise["asphalt"] < noise["gravel"]
    assert load_noise("gravel", 15.0, factor=0.0)[0] < 5.0  # it slows down, for its drag
    deviation, mean, _ = load_noise("asphalt", 25.0)
    assert deviation < 0.12 * mean  # a good road moves wheel loads by a few hundredths


def test_the_same_way_feels_the_same():
    first, second = load_noise("gravel", 10.0)[2], load_noise("gravel", 10.0)[2]
    np.testing.assert_array_equal(first, second)


def two_surfaces(first, second):
    """A level field, half of the one and beyond y = 0 of the other surface."""
    table = default_surfaces()
    cells = np.full((80, 80), table.index(first), np.uint8)
    cells[40:] = table.index(second)
    return Ground(Heightfield(np.zeros((81, 81), np.float32), cells, (-160.0, -160.0), 4.0))


@pytest.mark.parametrize("query", ["ray", "sweep"])
@pytest.mark.parametrize(("first", "second"), [("asphalt", "mud"), ("mud", "asphalt"), ("gravel", "sand")])
def test_a_border_of_surfaces_is_no_step(first, second, query):
    """Their unevenness differs by up to some centimetres there; the wheel goes on from what it felt, and soon is rid
    of it. Friction changes at once."""
    speed = 5.0
    w = World(
        two_surfaces(first, second), [with_query(load_vehicle("roadster_simple"), query)], tick_seconds=1.0 / 240.0
    )
    w.place(0, (0.4, -6.0), 0.0)
    v = w.vehicles[0]
    run(w, 0.5)
    v.state["body"]["velocity"][0, 1] = speed
    v.state["wheel"]["omega"][0, :4] = speed / v.params["wheel"]["radius"][0, :4]
    heights, places, frictions = [], [], []
    for _ in range(720):
        run(w, w.tick_seconds)
        heights.append(wheels(w, "road", "unevenness"))
        places.append(wheels(w, "road", "point")[:, 1])
        frictions.append(wheels(w, "road", "friction"))
    heights, places, frictions = np.array(heights), np.array(places), np.array(frictions)
    assert places[0].max() < -1.0 and places[-1].min() > 1.5
    steps = np.abs(np.diff(heights, axis=0))
    crossing = np.diff(np.sign(places), axis=0) != 0
    assert np.all(crossing.sum(axis=0) == 1)
    within = steps[np.abs(places[1:]) > 1.0].max() + BOUNDARY_SLOPE * speed * w.tick_seconds
    assert steps[crossing].max() < 1e-9 + within and steps.max() < 1.1 * within
    assert not wheels(w, "road", "boundary_height").any()
    assert np.array_equal(np.diff(frictions, axis=0) != 0.0, crossing)


def test_the_table_has_the_files_numbers():
    ground = plane_ground()
    for row, surface in zip(ground.arrays.surfaces, ground.surfaces.surfaces, strict=True):
        assert row[ROUGHNESS_AMPLITUDE] == surface.roughness_amplitude
        assert row[ROUGHNESS_WAVELENGTH] == surface.roughness_wavelength
