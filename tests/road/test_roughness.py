"""Road roughness: spectrum, mean over the contact patch, wheel loads, borders of surfaces."""

import numpy as np
import pytest
from test_query_sweep import run, set_rolling, wheels, world

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
def heights(amplitude, wavelength, points, length, out):
    for k in range(len(points)):
        out[k] = wave_height(amplitude, wavelength, points[k, 0], points[k, 1], length)


def sampled(points, amplitude=0.01, wavelength=2.0, length=0.0):
    """Roughness heights at points, m, averaged over a length, m."""
    out = np.zeros(len(points))
    heights(amplitude, wavelength, np.asarray(points, float), length, out)
    return out


def test_the_amplitude_defines_the_rms():
    """Heights have an RMS of amplitude / sqrt(2), zero mean, and are at most 2.5 amplitudes."""
    points = np.random.default_rng(1).uniform(-500.0, 500.0, (100000, 2))
    h = sampled(points)
    assert h.std() == pytest.approx(0.01 / np.sqrt(2.0), rel=0.01)
    assert abs(h.mean()) < 1e-4
    assert np.abs(h).max() < 0.025


def test_long_waves_dominate_the_spectrum_which_ends_at_the_shortest_wave():
    """Along lines in three directions, wavelengths above 2 m have more power than those below 1 m, and nearly none is
    below the length of the shortest wave, 2 m / 2^2.5. Limits of wave number are 5 % higher, for the width of lines."""
    for angle in (0.1, 1.0, 2.2):
        distance = np.arange(2**15) * 0.02
        points = np.column_stack([np.cos(angle) * distance, np.sin(angle) * distance])
        power = np.abs(np.fft.rfft(sampled(points))) ** 2
        wave_number = np.fft.rfftfreq(len(distance), 0.02)  # 1/m
        assert power[wave_number > 1.05 * 2.0**2.5 / 2.0].sum() < 1e-3 * power.sum()
        assert power[wave_number <= 0.5 * 1.05].sum() > power[wave_number > 1.0 * 1.05].sum()


def test_a_longer_contact_patch_averages_out_more_of_the_roughness():
    """Of waves of 0.35 to 2 m, a mean over 0.2 m keeps over 90 % of the standard deviation, one over 5 m below 10 %."""
    points = np.random.default_rng(2).uniform(-100.0, 100.0, (20000, 2))
    deviations = [sampled(points, length=length).std() for length in (0.0, 0.2, 1.0, 5.0)]
    assert np.all(np.diff(deviations) < 0.0)
    assert deviations[1] > 0.9 * deviations[0] and deviations[3] < 0.1 * deviations[0]


def rolling_loads(surface, speed, factor=1.0):
    """Values of the front left suspension force of a freely rolling car in two seconds, N.

    speed: m/s.
    factor: parameter `roughness` of the wheels.
    """
    w = world(plane_ground(surface=surface), {f"road.{wheel}.roughness": factor for wheel in ("fl", "fr", "rl", "rr")},
              smooth=False)  # fmt: skip
    w.place(0, (3.0, 2.0), 0.0)
    run(w, 1.0, brake=1.0)
    set_rolling(w.vehicles[0], speed)
    run(w, 0.5)
    loads = []
    for _ in range(480):
        run(w, w.tick_seconds)
        loads.append(wheels(w, "suspension", "force")[0])
    return np.array(loads)


def test_load_variation_follows_the_roughness_of_the_surface():
    noise = {name: np.std(rolling_loads(name, 15.0)) for name in ("ice", "asphalt", "gravel", "grass")}
    print("\nload noise at 15 m/s, N:", {name: round(float(n), 1) for name, n in noise.items()})
    assert noise["ice"] < 1.0 < noise["asphalt"] < noise["gravel"]
    assert np.std(rolling_loads("gravel", 15.0, factor=0.0)) < 5.0  # load transfer by rolling resistance
    loads = rolling_loads("asphalt", 25.0)
    assert np.std(loads) < 0.12 * np.mean(loads)  # even at 90 km/h


def test_the_same_path_has_the_same_roughness():
    np.testing.assert_array_equal(rolling_loads("gravel", 10.0), rolling_loads("gravel", 10.0))


def two_surfaces(first, second):
    """A level field of one surface, and of another beyond y = 0."""
    table = default_surfaces()
    cells = np.full((80, 80), table.index(first), np.uint8)
    cells[40:] = table.index(second)
    return Ground(Heightfield(np.zeros((81, 81), np.float32), cells, (-160.0, -160.0), 4.0))


@pytest.mark.parametrize("query", ["ray", "sweep"])
@pytest.mark.parametrize(("first", "second"), [("asphalt", "mud"), ("mud", "asphalt"), ("gravel", "sand")])
def test_a_border_of_surfaces_has_no_step(first, second, query):
    """The roughness heights of two surfaces differ by up to some centimetres at their border. A wheel keeps its height
    there, and the difference decays while it rolls on. Friction changes at once."""
    speed = 5.0
    w = World(
        two_surfaces(first, second), [with_query(load_vehicle("roadster_simple"), query)], tick_seconds=1.0 / 240.0
    )
    w.place(0, (0.4, -6.0), 0.0)
    v = w.vehicles[0]
    run(w, 0.5)
    set_rolling(v, speed)
    heights, positions, frictions = [], [], []
    for _ in range(720):
        run(w, w.tick_seconds)
        heights.append(wheels(w, "road", "unevenness"))
        positions.append(wheels(w, "road", "point")[:, 1])
        frictions.append(wheels(w, "road", "friction"))
    heights, positions, frictions = np.array(heights), np.array(positions), np.array(frictions)
    assert positions[0].max() < -1.0 and positions[-1].min() > 1.5
    steps = np.abs(np.diff(heights, axis=0))
    crossing = np.diff(np.sign(positions), axis=0) != 0
    assert np.all(crossing.sum(axis=0) == 1)
    # m a tick: steps of the roughness alone, taken more than 1 m from the border, plus the decay of the difference
    largest_step = steps[np.abs(positions[1:]) > 1.0].max() + BOUNDARY_SLOPE * speed * w.tick_seconds
    assert steps[crossing].max() < 1e-9 + largest_step and steps.max() < 1.1 * largest_step
    assert not wheels(w, "road", "boundary_height").any()
    assert np.array_equal(np.diff(frictions, axis=0) != 0.0, crossing)


def test_kernels_read_the_roughness_of_the_surface_file():
    ground = plane_ground()
    for row, surface in zip(ground.arrays.surfaces, ground.surfaces.surfaces, strict=True):
        assert row[ROUGHNESS_AMPLITUDE] == surface.roughness_amplitude
        assert row[ROUGHNESS_WAVELENGTH] == surface.roughness_wavelength
