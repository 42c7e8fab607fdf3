"""Aids for keys: presets, laps of the handling course, each aid by itself, their lamps, and the recorded keys."""

from datetime import datetime

import numpy as np
import pytest
from course_driver import CourseDriver, reversals
from drift_driver import DriftDriver
from key_drives import KMH, drive_at_speed

from driving_sandbox.game.controls.line_guide import BEND_SHARE, BRAKING_SHARE, FAR, LineGuide
from driving_sandbox.game.controls.presets import BEGINNER, NORMAL, PRESETS, SIMULATION, DrivingAids, preset_of
from driving_sandbox.game.program.instruments import key_lamps
from driving_sandbox.game.program.settings import Settings, load_settings
from driving_sandbox.game.session.driver_switch import DriverSwitch
from driving_sandbox.game.session.drivers import IdleDriver, PlayerDriver
from driving_sandbox.game.session.session import Session
from driving_sandbox.physics.recording.reader import Recording
from driving_sandbox.physics.recording.verification import as_commands, verify
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

CAR = "roadster"
# share of the lock by speed, m/s: the roadster's from 25 m/s on, but whole up to 15 m/s
WHOLE_LOCK = [[0, [[0, 0]]], [1, [[0, 1], [15, 1], [25, 0.32], [40, 0.18], [60, 0.12]]]]
RADIUS = 40.0  # m, of the circle line


def ring(radius=RADIUS, middle=(0.0, 0.0)):
    """(120, 2) circle driven anticlockwise, m."""
    angle = np.linspace(0.0, 2.0 * np.pi, 120, endpoint=False)
    return np.column_stack([middle[0] + radius * np.cos(angle), middle[1] + radius * np.sin(angle)])


def straight(position):
    """A long loop of which one side leads straight on from a position, along +y."""
    x, y = position
    return np.array([(x, y - 200.0), (x, y + 1500.0), (x - 900.0, y + 1500.0), (x - 900.0, y - 200.0)])


@pytest.mark.parametrize("preset", ["Beginner", "Normal"])
def test_a_lap_by_keys_stays_on_the_road(preset):
    result = CourseDriver(CAR, preset).run(1)
    assert len(result.laps) == 1 and result.off_road == 0.0
    assert ("braking" in result.acting) == ("line" in result.acting) == (preset == "Beginner")


def test_a_beginner_who_never_lifts_stays_on_the_road():
    """The braking aid does what the driver does not: without it, the first bend is missed."""
    result = CourseDriver(CAR, "Beginner", held_throttle=True).run(1)
    assert len(result.laps) == 1 and result.off_road == 0.0 and result.acting["braking"] > 20.0
    assert CourseDriver(CAR, "Normal", held_throttle=True).run(1, longest=20.0).off_road > 1.0


@pytest.mark.nightly
@pytest.mark.parametrize("preset", ["Beginner", "Normal"])
@pytest.mark.parametrize("seed", [1, 2])
def test_ten_laps_by_keys_stay_on_the_road(preset, seed):
    result = CourseDriver(CAR, preset, seed).run(10)
    assert len(result.laps) == 10 and result.off_road == 0.0


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_keys_hold_a_drift_around_the_circle_where_the_lock_does_not_fall_with_speed(seed):
    """8 s at 25 to 45 degrees. The roadster's own table leaves 20 degrees of lock at 15 m/s, too little for that."""
    driver = DriftDriver(CAR, "Normal", seed, {"response.steer_table": WHOLE_LOCK})
    driver.run(12.0)
    assert driver.longest() >= 8.0
    if seed == 1:
        unaided = DriftDriver(CAR, "Simulation", seed, {"response.steer_table": WHOLE_LOCK})
        unaided.run(5.0)
        assert unaided.longest() < 2.0


def test_reversals_count_turns_beyond_the_gap():
    assert reversals([0.0, 0.5, -0.5, 0.5, 0.48, 0.5, 0.6]) == 2
    assert reversals([0.0, 0.5, 0.46, 0.5, 0.46]) == 0


@pytest.mark.parametrize(("limit", "distance"), [(5.0, 0.0), (8.0, 0.0), (8.0, 60.0)])
def test_the_guides_speed_is_that_of_the_bend_and_of_braking_before_it(limit, distance):
    """On the circle v^2 = BEND_SHARE A R; before a bend of that radius, 2 BRAKING_SHARE A s more."""
    if not distance:
        guide, expected = LineGuide(ring()), BEND_SHARE * limit * RADIUS
        guidance = guide.read((RADIUS, 0.0), 0.0, 10.0, limit)
    else:
        bend = ring()[:60]
        lead = np.column_stack([np.full(100, RADIUS), np.linspace(-300.0, -3.0, 100)])
        guide = LineGuide(np.vstack([lead, bend, np.column_stack([np.full(100, -RADIUS), np.linspace(-3, -300, 100)])]))
        guidance = guide.read((RADIUS, -distance), 0.0, 10.0, limit)
        expected = BEND_SHARE * limit * RADIUS + 2.0 * BRAKING_SHARE * limit * distance
    assert guidance.speed**2 == pytest.approx(expected, rel=0.1)


def test_the_guide_asks_nothing_far_from_the_line_or_across_it():
    guide = LineGuide(ring())
    assert guide.read((RADIUS, 0.0), 0.0, 10.0, 7.0).curvature == pytest.approx(1.0 / RADIUS, rel=0.2)
    assert guide.read((RADIUS + FAR + 1.0, 0.0), 0.0, 10.0, 7.0) is None
    assert guide.read((RADIUS, 0.0), 2.0, 10.0, 7.0) is None
    assert guide.read((RADIUS + 2.0, 0.0), 0.0, 10.0, 7.0).curvature > 1.0 / RADIUS


def aided(aids, points=None, speed=90.0 * KMH):
    """A KeyDrive at a speed, m/s, with these aids, beside a line (by default one that goes straight on)."""
    drive, _ = drive_at_speed(CAR, speed)
    m = drive.now
    drive.driver.aids = aids
    drive.driver.use_line(straight((m.x, m.y)) if points is None else points(m))
    return drive


def test_the_braking_aid_slows_before_a_bend_and_can_be_switched_off():
    speeds = {}
    for on in (False, True):
        drive = aided(DrivingAids(steering=True, braking=on), lambda m: ring(25.0, (m.x - 25.0, m.y + 20.0)))
        drive.run(1.0, ["throttle"])
        speeds[on] = drive.now.speed
        assert ("braking" in drive.driver.acting_aids) == on
    assert speeds[True] < speeds[False] - 3.0


def test_the_line_aid_leads_back_to_the_line_in_proportion_to_its_share():
    turns = {}
    for share in (0.0, 0.4, 0.8):
        drive = aided(DrivingAids(steering=True, line=share), lambda m: straight((m.x + 3.0, m.y)))
        drive.run(0.6, ["throttle"])
        turns[share] = -drive.now.heading
        assert ("line" in drive.driver.acting_aids) == bool(share)
    assert abs(turns[0.0]) < 0.01 and turns[0.4] > 0.01 and turns[0.8] > 1.4 * turns[0.4]


def test_the_throttle_aid_keeps_the_wheels_from_spinning_in_a_bend_at_low_speed():
    throttles = {}
    for on in (False, True):
        drive = aided(DrivingAids(steering=True, throttle=on), speed=30.0 * KMH)
        drive.run(1.0, ["throttle", "steer_left"])
        throttles[on] = float(drive.command["throttle"])
    assert throttles[False] == 1.0 and throttles[True] < 0.8


@pytest.mark.parametrize("aids", [BEGINNER, SIMULATION])
def test_the_handbrake_makes_pedals_and_line_rest(aids):
    drive = aided(aids, lambda m: ring(15.0, (m.x - 15.0, m.y + 20.0)))
    drive.run(0.2, ["throttle", "handbrake"])
    assert drive.command["throttle"] == 1.0 and drive.command["brake"] == 0.0
    assert not drive.driver.acting_aids & {"braking", "line", "throttle"}


def test_lamps_show_the_aids_that_are_on_and_those_that_act():
    drive = aided(BEGINNER, lambda m: ring(25.0, (m.x - 25.0, m.y + 20.0)))
    drive.run(0.5, ["throttle"])
    lamps = dict(key_lamps(drive.driver))
    assert set(lamps) == {"STEER", "BEND", "LINE", "THROTTLE"} and lamps["BEND"] == "lit"
    drive.driver.aids = NORMAL
    assert set(dict(key_lamps(drive.driver))) == {"STEER"}
    assert key_lamps(IdleDriver()) == []


def test_settings_keep_the_aids(home):
    assert load_settings()[0].aids == NORMAL
    for name, preset in PRESETS.items():
        settings = Settings()
        settings.aids = preset
        settings.save()
        assert load_settings()[0].aids == preset and preset_of(preset) == name


def test_a_recording_has_the_held_keys_beside_the_command(tmp_path):
    world = World(load_world("plane"), [load_vehicle(CAR)])
    world.spawn()
    with Session(world, record=tmp_path / "a.drive", now=lambda: datetime(2026, 1, 1)) as session:
        player = PlayerDriver(world.vehicles[0])
        switch = DriverSwitch(session, player)
        for held in (("throttle",), ("steer_left", "throttle", "look_back"), ()):
            player.human_driver.held_actions = frozenset(held)
            for _ in range(60):
                session.step(1.0 / 60.0, switch.driver)
    assert verify(tmp_path / "a.drive").ok
    recording = Recording.open(tmp_path / "a.drive")
    events = [(e["tick"], e["held"]) for e in recording.events if e["kind"] == "keys"]
    assert events == [(0, ["throttle"]), (240, ["steer_left", "throttle"]), (480, [])]
    steers = as_commands(recording.commands()[:, 0])["steer"]
    assert -1.0 < steers[400:470].min() < 0.0 and np.all(steers[:240] == 0.0)  # of a key that is full lock by itself
