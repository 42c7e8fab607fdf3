"""Tracks: rate of their links, growth with speed and load, ring and rumble; which vehicles have them."""

import math

import numpy as np
import pytest
from driveline_blocks import Scene, peak_near, rms, spectrum, steady, third_difference

from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.sound.base.block import BLOCK, REAR_TIRES
from driving_sandbox.sound.driveline import tracks
from driving_sandbox.sound.vehicle_sound import sound_of

VOICE = tracks.TrackSound, tracks.STATE, tracks.begin, tracks.render_tracks
LOAD = 6e4  # N


def rolled(speed, seconds=2.0, load=LOAD, scene=None, **values):
    """Samples of both tracks at a speed, m/s."""
    scene = scene or Scene(VOICE, **{"level": 1.0, **values})
    return scene.run(seconds, steady(track_speed=[speed] * 2, track_load=[load] * 2))[REAR_TIRES]


def share(y, low, high):
    """Share of the power between two frequencies."""
    f, a = spectrum(y)
    return np.square(a[(f > low) & (f < high)]).sum() / np.square(a).sum()


@pytest.mark.parametrize(("speed", "length"), [(2.0, 0.15), (3.0, 0.15), (2.0, 0.1)])
def test_links_pass_at_speed_by_length(speed, length):
    """In the loudness of one side, as the links of the two sides are not in step."""
    scene = Scene(VOICE, level=1.0, link_length=length, rumble=0.0)
    y = scene.run(30.0, steady(track_speed=[speed, 0.0], track_load=[LOAD, LOAD]))[REAR_TIRES]
    power = np.square(y).reshape(-1, 240).mean(axis=1)
    swell = np.abs(np.fft.rfft((power - power.mean()) * np.hanning(len(power))))
    f = np.fft.rfftfreq(len(power), 240 / 48000)
    inside = (f > 3.0) & (f < 1.5 * speed / length)
    assert f[inside][np.argmax(swell[inside])] == pytest.approx(speed / length, rel=0.03)


def test_the_rumble_has_the_rate_of_the_links():
    y = rolled(10.0, 4.0, ring=0.0)[9600:]
    f, strength = peak_near(y, 10.0 / 0.15, 0.2)
    assert f == pytest.approx(10.0 / 0.15, rel=0.03)
    assert share(y, 20.0, 300.0) > 0.8


def test_the_ring_is_metallic():
    y = rolled(8.0, rumble=0.0)[9600:]
    assert share(y, 800.0, 4700.0) > 0.9
    assert share(y, 800.0, 1500.0) > 0.1 and share(y, 2500.0, 4700.0) > 0.05
    higher = rolled(8.0, rumble=0.0, pitch=1.5)[9600:]
    assert share(higher, 800.0, 1200.0) < 0.3 * share(y, 800.0, 1200.0)


def test_tracks_grow_louder_by_30_db_per_decade_of_speed_and_with_load():
    levels = [20.0 * math.log10(rms(rolled(speed, 4.0)[9600:])) for speed in (2.0, 20.0)]
    assert levels[1] - levels[0] == pytest.approx(30.0, abs=3.0)
    assert 20.0 * math.log10(rms(rolled(10.0)[9600:]) / 0.1) == pytest.approx(-12.0, abs=2.0)
    hanging, light, heavy = (rms(rolled(5.0, load=load)[9600:]) for load in (0.0, LOAD, 4.0 * LOAD))
    assert 0.2 * light < hanging < 0.6 * light < 0.5 * heavy


def test_links_fade_when_the_tracks_stand():
    scene = Scene(VOICE, level=1.0)
    y = rolled(6.0, scene=scene)[9600:]
    z = rolled(0.0, 2.0, scene=scene)
    assert rms(z[9600:12000]) < 1e-3 * rms(y)  # 0.2 s later
    assert not z[-BLOCK:].any()


def test_speed_that_changes_makes_no_click():
    scene = Scene(VOICE, level=1.0, ring=0.0)
    y = scene.run(2.0, lambda t: {"track_speed": [8.0 * (t < 1.0) + 2.0] * 2, "track_load": [LOAD] * 2})[REAR_TIRES]
    assert third_difference(y)[47900:48100].max() <= third_difference(y)[:47000].max()


@pytest.mark.parametrize(("speed", "level"), [(0.0, 1.0), (0.04, 1.0), (8.0, 0.0)])
def test_standing_tracks_and_level_0_are_silent(speed, level):
    assert not rolled(speed, 0.3, level=level).any()


@pytest.mark.parametrize("speed", [5.0, 200.0, 1e4])
def test_output_is_finite_and_bounded(speed):
    y = rolled(speed, 0.3, load=1e7)
    assert np.isfinite(y).all() and np.abs(y).max() < 5.0


def test_only_vehicles_on_tracks_have_the_voice():
    present = {name: sound_of(load_vehicle(name)).parameters for name in ("tank", "half_track", "roadster", "truck")}
    assert {name for name, p in present.items() if p["present"]["tracks"]} == {"tank", "half_track"}
    for name, weight in (("tank", 12000.0 * 9.81), ("half_track", 0.7 * 8500.0 * 9.81)):
        assert present[name]["tracks"]["nominal_load"] == pytest.approx(0.5 * weight, rel=0.1)
        assert present[name]["tires"]["lugs"] == 0.0  # the tracks' own voice has the links
        assert present[name]["body"]["glass"] == 0.0
    assert present["roadster"]["body"]["glass"] == 1.0
    assert present["truck"]["body"]["glass_impulse"] > 4.0 * present["roadster"]["body"]["glass_impulse"]


def test_planetary_gears_do_not_grind_and_trailers_and_buggies_have_no_windows():
    grinds = {n: sound_of(load_vehicle(n)).parameters["gears"]["grind"] for n in ("offroader", "roadster")}
    assert grinds == {"offroader": 0.0, "roadster": 1.0}  # a torque converter, and a clutch
    truck = load_vehicle("truck_trailer")
    assert sound_of(truck.trailers[0]).parameters["body"]["glass"] == 0.0
    assert sound_of(load_vehicle("buggy")).parameters["body"]["glass"] == 0.0
