"""Gears that are forced in, and tracks, in a FRAME."""

import numpy as np
import pytest
from gather_rig import Drive

from driving_sandbox.physics.tick.commands import AUTOMATIC, FIRST, NEUTRAL, REVERSE
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle_text, own_text
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world
from driving_sandbox.sound.gather import Gatherer
from driving_sandbox.sound.state.dogs import REPORTED, SYNCHRONISER, forced_speed

TICK = 1.0 / 240.0  # s


def rolling(drive, speed, **inputs):
    """Let a vehicle roll in neutral at a speed, m/s, wheels included."""
    drive.run(0.5, gear=NEUTRAL, **inputs)
    drive.vehicle.state["body"]["velocity"] = (0.0, speed, 0.0)
    radius = drive.vehicle.params["wheel"]["radius"]
    drive.vehicle.state["wheel"]["omega"] = np.where(radius > 0.0, speed / np.maximum(radius, 0.1), 0.0)
    return drive


def with_pedal_clutch(name="roadster_simple"):
    """A drive of a vehicle whose clutch is opened by the pedal alone."""
    drive = Drive(name)
    text = own_text(drive.vehicle, "mine").replace("clutch: automatic", "clutch: torsion_damper")
    assert "torsion_damper" in text
    clutch = next(line for line in text.splitlines() if line.startswith("clutch:"))
    text = text.replace(clutch, "clutch: {strength: 16}")
    drive.world = World(load_world("plane"), [load_vehicle_text(text, drive.vehicle.info["path"])])
    drive.world.spawn()
    drive.vehicle = drive.world.vehicles[0]
    drive.gatherer = Gatherer(drive.vehicle, drive.world)
    return drive


def test_teeth_match_where_engine_and_wheels_turn_alike():
    """Arguments: output shaft, rad/s; ratio; engine, rad/s; whether the clutch is closed."""
    assert forced_speed(100.0, 3.0, 300.0, True) == 0.0
    assert forced_speed(100.0, 2.0, 300.0, True) == pytest.approx(50.0)
    assert forced_speed(100.0, -3.0, 90.0, True) == pytest.approx(130.0)  # the gear's wheel turns backwards
    assert forced_speed(100.0, 2.0, 300.0, False) == 0.0  # synchronised
    assert forced_speed(100.0, -3.0, 90.0, False) == 100.0
    assert forced_speed(-100.0, -3.0, 90.0, False) == forced_speed(100.0, 0.0, 90.0, True) == 0.0


@pytest.mark.parametrize("name", ["roadster", "clubsport", "planar_roadster"])
def test_reverse_grinds_while_the_car_rolls_forwards_and_no_upshift_does(name):
    drive = Drive(name)
    frames = drive.run(7.0, throttle=1.0, gear=AUTOMATIC)
    assert frames["gear"].max() > FIRST and not frames["dog_speed"].any()
    drive = rolling(Drive(name), 3.0, throttle=0.0)
    frames = drive.run(1.0, gear=REVERSE)
    forced = np.flatnonzero(frames["dog_speed"])
    assert frames["dog_speed"][forced[0]] == pytest.approx(frames["shaft_speed"][forced[0]], rel=1e-6)
    assert frames["dog_speed"].max() > 20.0
    engaged = np.flatnonzero(frames["gear"] == REVERSE)[0]
    assert forced[-1] == pytest.approx(engaged + REPORTED / TICK, abs=2)  # until it is engaged
    assert not drive.run(0.5, gear=REVERSE)["dog_speed"].any()


@pytest.mark.parametrize(
    ("name", "down", "grinds"), [("clubsport", 1, False), ("clubsport", 2, True), ("roadster", 2, False)]
)
def test_a_downshift_that_is_too_quick_for_the_synchroniser_grinds(name, down, grinds):
    """At the limiter, the clubsport's lever goes through in 60 ms, the roadster's in 220 ms."""
    drive = Drive(name)
    gear = int(drive.run(8.0, throttle=1.0, gear=AUTOMATIC)["gear"][-1])
    frames = drive.run(0.6, throttle=0.0, gear=gear - down)
    ratios, shaft = drive.vehicle.get("gearbox.ratios"), frames["shaft_speed"][0]
    lag = shaft * (ratios[gear - down] - ratios[gear]) - SYNCHRONISER * (frames["gear"] == NEUTRAL).sum() * TICK
    assert (lag > 0.0) == grinds
    assert frames["dog_speed"].max() == pytest.approx(max(0.0, lag) / ratios[gear - down], rel=0.15)
    assert frames["dog_speed"][-1] == 0.0


def test_reverse_at_rest_and_rolling_backwards_does_not_grind():
    for speed in (0.0, -3.0):
        assert rolling(Drive("roadster"), speed).run(0.6, gear=REVERSE)["dog_speed"].max() < 0.01


def test_a_gear_that_is_given_up_ends_the_grinding():
    drive = rolling(Drive("roadster"), 3.0)
    assert drive.run(0.1, gear=REVERSE)["dog_speed"][-1] > 20.0
    frames = drive.run(1.0, gear=NEUTRAL)
    assert (frames["dog_speed"] > 0.0).sum() < 0.3 / TICK and frames["dog_speed"][-1] == 0.0


def test_gears_grind_if_a_pedal_clutch_stays_closed():
    drive = rolling(with_pedal_clutch(), 8.0, throttle=0.0)
    frames = drive.run(0.3, gear=FIRST)
    pushed = np.flatnonzero(frames["dog_speed"])[0]
    expected = abs(frames["shaft_speed"] - frames["engine_speed"] / drive.vehicle.get("gearbox.ratios")[FIRST])[pushed]
    assert frames["dog_speed"][pushed] == pytest.approx(expected, rel=1e-6)
    assert expected > 20.0
    drive = rolling(with_pedal_clutch(), 8.0, throttle=0.0, clutch=1.0)
    assert not drive.run(0.3, gear=FIRST)["dog_speed"].any()


def test_frames_of_several_ticks_report_a_gear_engaged_at_once():
    drive = rolling(Drive("planar_roadster"), 6.0)
    drive.command["gear"], frame = REVERSE, np.zeros(1, drive.run(TICK).dtype)
    reported = []
    for tick in range(12):
        drive.world.step(drive.command)
        drive.gatherer.gather(frame[0], complete=tick % 4 == 3)
        if tick % 4 == 3:
            reported.append(float(frame["dog_speed"][0]))
    assert reported[0] > 20.0 and reported[2] == 0.0


@pytest.mark.parametrize("name", ["tank", "half_track"])
def test_tracks_have_the_speed_and_load_of_their_wheels(name):
    drive = Drive(name)
    frame = drive.run(2.5, throttle=1.0, gear=AUTOMATIC)[-1]
    on_track = drive.vehicle.params["differential"]["track"][0, : drive.vehicle.wheel_count] > 0
    first = int(np.flatnonzero(on_track)[0])
    rim = drive.vehicle.state["wheel"]["omega"][0, first] * drive.vehicle.params["wheel"]["radius"][0, first]
    assert frame["track_speed"] == pytest.approx([rim, rim], rel=0.01)
    assert rim > 2.0
    assert frame["track_load"].sum() == pytest.approx(frame["wheel_load"][: len(on_track)][on_track].sum())
    frame = drive.run(1.5, throttle=0.6, steer=1.0)[-1]
    assert frame["track_speed"][0] > 1.2 * frame["track_speed"][1]  # to the right, the left track runs faster
    assert frame["track_load"][0] > frame["track_load"][1]


def test_a_vehicle_on_wheels_has_no_tracks():
    frames = Drive("roadster").run(1.0, throttle=1.0, gear=FIRST)
    assert not frames["track_speed"].any() and not frames["track_load"].any()
