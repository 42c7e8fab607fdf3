"""Shipped vehicles with an automatic gearbox: its gears at a start, at a stop, uphill and in bends."""

import math
from itertools import pairwise

import pytest
from drivetrain_rig import engine_rig, in_gear

from driving_sandbox.benchmarks import scenes
from driving_sandbox.physics.tick.commands import AUTOMATIC, FIRST, NEUTRAL
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

VEHICLES = tuple(name for name in scenes.VEHICLES if "autobox" in load_vehicle(name).sequence.by_slot)
GRAVITY = 9.81  # m/s^2
LAUNCH_SECONDS = 20.0  # s, a launch into the upper gears
SHORT_SECONDS = 8.0  # s, a launch into the middle gears
HILL_SECONDS, TURN_SECONDS = 40.0, 25.0  # s; a gearbox that hunts changes several times
STOP_SECONDS = 12.0  # s, limit of a stop
STANDING = 0.1  # m/s; a slower vehicle stands
START_SECONDS = 2.0  # s, within which a standing vehicle has engaged first gear
PEDAL_SECONDS = 3.0  # s, of full throttle after a stop
MOVING = 0.5  # m/s, minimum speed after PEDAL_SECONDS
HILL_GRADE = 0.12  # of a steep public road


def gears(world, seconds, until=None, **values):
    """Gear after each tick of a drive with a constant command. It ends early once `until(vehicle)` is true."""
    vehicle, engaged_gears = world.vehicles[0], []
    commands = scenes.command(vehicle, **values)
    for _ in range(round(seconds / world.tick_seconds)):
        assert world.step(commands) is None
        engaged_gears.append(int(vehicle.state["gearbox"]["current_gear"][0]))
        if until is not None and until(vehicle):
            break
    return engaged_gears


def stands(vehicle):
    """Whether a vehicle stands."""
    return abs(vehicle.read("response.speed")) < STANDING


def changes(gears_of_ticks):
    """Number of gears of each change, positive for up and negative for down; neutral between gears is left out."""
    engaged = [gear for gear in gears_of_ticks if gear != NEUTRAL]
    return [after - before for before, after in pairwise(engaged) if after != before]


def tilt(world, grade):
    """Turn gravity so that the plane rises ahead."""
    angle = math.atan(grade)
    world.context["gravity"][0] = (0.0, -GRAVITY * math.sin(angle), -GRAVITY * math.cos(angle))


@pytest.mark.parametrize("name", VEHICLES)
def test_after_a_stop_a_vehicle_starts_in_first_gear(name):
    """The stops are from an upper and then from a middle gear; at the next start first gear is engaged within 2 s."""
    world = scenes.flat_world(name)
    vehicle = world.vehicles[0]
    for seconds in (LAUNCH_SECONDS, SHORT_SECONDS):
        launch = gears(world, seconds, throttle=1.0)
        assert max(launch) > FIRST
        gears(world, STOP_SECONDS, until=stands, brake=1.0)
        assert stands(vehicle)
    start = gears(world, PEDAL_SECONDS, throttle=1.0)
    assert FIRST in start[: round(START_SECONDS / world.tick_seconds)]
    assert vehicle.read("response.speed") > MOVING


@pytest.mark.parametrize("name", VEHICLES)
def test_full_throttle_changes_up_on_the_flat_and_does_not_hunt_on_a_hill(name):
    """On the flat every change is one gear up. On the hill none is up after the first change down."""
    world = scenes.flat_world(name)
    assert set(changes(gears(world, LAUNCH_SECONDS, throttle=1.0))) == {1}
    tilt(world, HILL_GRADE)
    steps = changes(gears(world, HILL_SECONDS, throttle=1.0))
    first_downshift = steps.index(-1) if -1 in steps else len(steps)
    assert 1 not in steps[first_downshift:], steps


TURNS = (
    ("tank", {"thrust_left": 1.0, "thrust_right": 1.0}),
    ("tank", {"thrust_left": 1.0, "thrust_right": -1.0}),
    ("tank", {"thrust_left": 1.0, "thrust_right": 0.5}),
    ("tank", {"thrust_left": 1.0, "brake_right": 1.0}),
    ("tank", {"throttle": 1.0, "steer": 0.1}),
    ("tank", {"throttle": 1.0, "steer": 1.0}),
    ("half_track", {"thrust_left": 1.0, "thrust_right": 1.0}),
    ("half_track", {"thrust_left": 1.0, "thrust_right": 0.2}),
    ("half_track", {"throttle": 1.0, "steer": 0.6}),
)


@pytest.mark.parametrize(("name", "command"), TURNS)
def test_tracked_vehicles_in_a_steady_turn_only_change_up(name, command):
    """Each change, if there is any, is by one gear up."""
    assert set(changes(gears(scenes.flat_world(name), TURN_SECONDS, **command))) <= {1}


@pytest.mark.parametrize("speed, gear, first", [(0.4, 6, True), (0.6, 6, False), (0.0, 3, True), (-0.4, 4, True)])
def test_a_change_down_at_a_standstill_leads_to_first_gear(speed, gear, first):
    rig = in_gear(engine_rig(autobox={"standstill_speed": 0.5}), gear)
    rig["command"]["gear"], rig["body"]["velocity"] = AUTOMATIC, (0.0, speed, 0.0)
    rig.tick()
    assert rig["gearbox"]["target_gear"] == (FIRST if first else gear - 1)


def test_a_gear_chosen_by_the_driver_stays_at_a_standstill():
    rig = in_gear(engine_rig(autobox={"standstill_speed": 0.5}), 6)
    rig["command"]["gear"] = 4
    rig.tick()
    assert rig["gearbox"]["target_gear"] == 4
