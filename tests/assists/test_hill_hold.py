"""Hill hold: starts on slopes, forwards and in reverse."""

import math

import pytest
from assist_rig import equipped, state_of
from drive_rig import Drive, slope_ground

from driving_sandbox.physics.tick.commands import AUTOMATIC, NEUTRAL, REVERSE

ROLL_DISTANCE = 0.2  # m; without brakes a car rolls further in 1 s on a slope of 10 %
MAX_CREEP = 0.005  # m


def standing(grade, component="until_drive_suffices", name="coupe", heading=0.0, gear=AUTOMATIC, **values):
    """A car braked at rest on a slope; grade: rise per distance along +y, heading: 0 uphill, rad."""
    vehicle = equipped(name, hill_hold=component)
    vehicle.set_many({f"hill_hold.{key}": value for key, value in values.items()})
    return Drive(vehicle, slope_ground(math.degrees(math.atan(grade))), heading=heading).run(3.0, brake=1.0, gear=gear)


def rolled_down(drive, start):
    """Distance rolled downhill from a position, m along the slope; negative uphill."""
    return start[1] - drive.position[1]


def held_for(drive, gear=AUTOMATIC):
    """Seconds from the release of the pedal to the end of the hold, at most 10."""
    seconds = 0.0
    drive.run(drive.dt, gear=gear)
    while state_of(drive, "hill_hold")["active"] and seconds < 10.0:
        drive.run(drive.dt, gear=gear)
        seconds += drive.dt
    return seconds


@pytest.mark.parametrize("grade", [0.1, 0.2])
@pytest.mark.parametrize("name", ["coupe", "clubsport"])
def test_a_car_stays_for_a_second_after_the_pedal_is_released(name, grade):
    for component, holds in (("until_drive_suffices", True), ("none", False)):
        drive = standing(grade, component, name)
        start = drive.position
        rolled = rolled_down(drive.run(1.0, gear=AUTOMATIC), start)
        assert rolled < MAX_CREEP if holds else rolled > ROLL_DISTANCE


@pytest.mark.parametrize("grade", [0.1, 0.2])
@pytest.mark.parametrize("name", ["coupe", "clubsport"])
def test_a_start_uphill_does_not_roll_back(name, grade):
    """The brakes are released when the drive torque suffices; within 1.5 s the car is over 1 m up the slope."""
    drive = standing(grade, name=name)
    start, lowest = drive.position, 0.0
    for _ in range(360):  # ticks: 1.5 s
        drive.run(drive.dt, gear=AUTOMATIC, throttle=1.0)
        lowest = max(lowest, rolled_down(drive, start))
    assert lowest < MAX_CREEP
    assert rolled_down(drive, start) < -1.0 and state_of(drive, "hill_hold")["active"] == 0


@pytest.mark.parametrize("seconds", [1.0, 2.0])
def test_hill_hold_lets_go_after_its_time(seconds):
    drive = standing(0.1, hold_time=seconds)
    start = drive.position
    assert held_for(drive) == pytest.approx(seconds, abs=2.0 * drive.dt)
    assert rolled_down(drive, start) < MAX_CREEP
    assert rolled_down(drive.run(1.0, gear=AUTOMATIC), start) > ROLL_DISTANCE


@pytest.mark.parametrize("drive_share", [0.8, 1.6])
def test_hill_hold_lets_go_at_its_share_of_the_force_along_the_slope(drive_share):
    drive = standing(0.1, drive_share=drive_share)
    vehicle, force = drive.vehicle, 0.0
    while state_of(drive, "hill_hold")["held"] > 0.0:
        torques = vehicle.state["actuation"]["drive_torque"][0, :4]
        previous, force = force, float((torques / vehicle.params["wheel"]["radius"][0, :4]).sum())
        drive.run(drive.dt, gear=AUTOMATIC, throttle=0.6)
    # with the measured grade, to which the body's pitch contributes
    slope_force = float(drive.wheels("tire", "load").sum() * state_of(drive, "hill_hold")["grade"])
    # `force`: in the last tick with the hold; `previous`: a tick earlier
    assert 0.99 * previous < drive_share * slope_force < 1.01 * force


@pytest.mark.parametrize("min_grade, holds", [(0.08, True), (0.12, False)])
def test_hill_hold_does_not_hold_on_flatter_ground_than_its_grade(min_grade, holds):
    drive = standing(0.1, min_grade=min_grade)
    assert state_of(drive, "hill_hold")["grade"] == pytest.approx(0.1, abs=0.01)
    assert (held_for(drive) > 1.0) == holds


@pytest.mark.parametrize(
    "heading, gear, holds", [(0.0, REVERSE, False), (math.pi, REVERSE, True), (math.pi, AUTOMATIC, False),
                             (0.0, NEUTRAL, True)],
)  # fmt: skip
def test_hill_hold_holds_for_starts_uphill_and_in_neutral(heading, gear, holds):
    assert (held_for(standing(0.2, heading=heading, gear=gear), gear) > 1.5) == holds


def test_hill_hold_does_not_act_when_disabled_nor_with_the_handbrake_nor_while_moving():
    assert held_for(standing(0.1, enable=False)) == 0.0
    drive = standing(0.1)
    drive.run(0.5, gear=AUTOMATIC, handbrake=1.0)
    assert state_of(drive, "hill_hold")["held"] == 0.0
    drive.run(1.0, gear=AUTOMATIC)  # rolls back
    assert state_of(drive, "hill_hold")["active"] == 0
    drive.run(0.05, gear=AUTOMATIC, brake=0.2)
    assert abs(drive.speed) > 0.3 and state_of(drive, "hill_hold")["held"] == 0.0


@pytest.mark.parametrize("pedal", [0.6, 1.0])
def test_hill_hold_keeps_the_largest_pedal_since_the_car_came_to_rest(pedal):
    drive = standing(0.1).run(0.5, gear=AUTOMATIC, handbrake=1.0)
    drive.run(0.5, gear=AUTOMATIC, brake=pedal).run(0.2, gear=AUTOMATIC, brake=0.5 * pedal)
    state = state_of(drive, "hill_hold")
    assert state["held"] == pytest.approx(pedal) and state["active"] == 1 and state["time"] == 0.0
    limit = drive.vehicle.params["brakes"]["max_torque"][0, :4]
    assert drive.wheels("brakes", "torque") == pytest.approx(pedal * limit)
