"""Input smoothing, command responses, brakes, steering and Ackermann geometry on a bench."""

import math

import numpy as np
import pytest
from drivetrain_rig import Rig, element

from driving_sandbox.physics.brakes.response import BRAKES
from driving_sandbox.physics.command.response import RESPONSE
from driving_sandbox.physics.command.smoothing import SMOOTHING, SmoothingParams
from driving_sandbox.physics.drivetrain.wheel_speed import free_wheel_speed
from driving_sandbox.physics.schema.schema import SchemaError
from driving_sandbox.physics.steering.ackermann import ACKERMANN, ACKERMANN_SECOND
from driving_sandbox.physics.steering.ackermann import check as check_ackermann
from driving_sandbox.physics.steering.response import STEERING
from driving_sandbox.physics.tick.commands import AUTOMATIC

CHAIN = (SMOOTHING, RESPONSE, BRAKES, STEERING)


def time_to(name, command, reached, dt=0.001, start=0.0, **params):
    """Seconds until a smoothed input satisfies `reached(value)`, for a command by keys.

    start: initial value of the input.
    params: parameters of the smoothing.
    """
    rig = Rig([SMOOTHING], {"input": params})
    rig["input"][name] = start
    rig["command"][name], rig["command"]["digital"] = command, 1
    for k in range(10000):
        if reached(rig["input"][name]):
            return k * dt
        rig.run([SMOOTHING], dt)
    raise AssertionError(f"{name} never got there")


@pytest.mark.covers("ST-INPUT-01", "ST-INPUT-02")
def test_throttle_rises_and_falls_at_constant_rates():
    assert time_to("throttle", 1.0, lambda v: v >= 1.0) == pytest.approx(1 / 6, abs=0.002)
    assert time_to("throttle", 0.0, lambda v: v <= 0.0, start=1.0) == pytest.approx(0.1, abs=0.002)
    assert time_to("throttle", 1.0, lambda v: v >= 1.0, throttle_rise=2.0) == pytest.approx(0.5, abs=0.002)
    with pytest.raises(SchemaError):
        SmoothingParams.fields["throttle_rise"].parse(0.0)


@pytest.mark.covers("ST-INPUT-03", "ST-INPUT-04")
def test_brakes_rise_and_fall_at_their_own_rates():
    assert time_to("brake", 1.0, lambda v: v >= 1.0) == pytest.approx(0.167, abs=0.002)
    assert time_to("brake", 0.0, lambda v: v <= 0.0, start=1.0) == pytest.approx(0.1, abs=0.002)
    assert time_to("handbrake", 1.0, lambda v: v >= 1.0) == pytest.approx(0.083, abs=0.002)
    assert time_to("handbrake", 0.0, lambda v: v <= 0.0, start=1.0) == pytest.approx(0.083, abs=0.002)


@pytest.mark.parametrize("digital", [0, 1])
@pytest.mark.parametrize("name", ["throttle", "brake", "handbrake", "clutch", "steer"])
def test_a_command_that_is_not_a_number_counts_as_zero(name, digital):
    """Infinity counts as the full command."""
    inputs = {}
    for value in (0.0, math.nan, 1.0, math.inf):
        rig = Rig([SMOOTHING], {"input": {}})
        rig["command"][name], rig["command"]["digital"] = value, digital
        rig.run([SMOOTHING], 0.01)
        inputs[value] = float(rig["input"][name])
    assert inputs[math.nan] == inputs[0.0] == 0.0 < inputs[1.0] == inputs[math.inf]


@pytest.mark.covers("ST-INPUT-05", "ST-INPUT-06")
@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_steering_has_rates_of_its_own_per_side(side):
    def arrived(v):
        return v * side >= 1.0

    assert time_to("steer", side, arrived) == pytest.approx(0.4, abs=0.002)
    assert time_to("steer", 0.0, lambda v: v == 0.0, start=side) == pytest.approx(0.25, abs=0.002)
    # across the middle: release of the old side first, then the rise of the new one
    assert time_to("steer", side, arrived, start=-side) == pytest.approx(0.65, abs=0.003)
    name = "steer_left_rise" if side < 0 else "steer_right_rise"
    assert time_to("steer", side, arrived, **{name: 5.0}) == pytest.approx(0.2, abs=0.002)
    other = "steer_right_rise" if side < 0 else "steer_left_rise"
    assert time_to("steer", side, arrived, **{other: 5.0}) == pytest.approx(0.4, abs=0.002)
    falls = ("steer_right_fall", "steer_left_fall") if side < 0 else ("steer_left_fall", "steer_right_fall")
    for fall, seconds in zip(falls, (0.525, 0.65), strict=True):  # of the old side, then of the new one
        assert time_to("steer", side, arrived, start=-side, **{fall: 8.0}) == pytest.approx(seconds, abs=0.003)


def test_smoothing_does_not_depend_on_the_tick():
    ends = []
    for ticks in (7, 60, 500):
        rig = Rig([SMOOTHING], {})
        rig["input"]["steer"], rig["input"]["throttle"] = -0.8, 0.9
        rig["command"]["steer"], rig["command"]["throttle"], rig["command"]["digital"] = 1.0, 0.2, 1
        for _ in range(ticks):
            rig.run([SMOOTHING], 0.31 / ticks)
        ends.append((rig["input"]["steer"], rig["input"]["throttle"]))
    assert ends[1] == pytest.approx(ends[0], abs=1e-12)
    assert ends[2] == pytest.approx(ends[0], abs=1e-12)
    steer, _ = ends[0]
    assert steer == pytest.approx((0.31 - 0.8 / 4.0) * 2.5)  # falls at 4 1/s, then rises at 2.5 1/s


def test_analog_commands_pass_at_once_unless_limited():
    rig = Rig([SMOOTHING], {"input": {"analog_brake_rise": 2.0}})
    for name, value in {"throttle": 0.7, "brake": 0.9, "clutch": 1.0, "handbrake": 0.4, "steer": -0.6}.items():
        rig["command"][name] = value
    rig["command"]["gear"] = AUTOMATIC
    rig.run([SMOOTHING], 0.01)
    state = {name: rig["input"][name] for name in rig["input"].dtype.names}
    assert state == {
        "throttle": 0.7, "brake": 0.02, "clutch": 1.0, "handbrake": 0.4, "steer": -0.6, "gear": AUTOMATIC
    }  # fmt: skip
    rig["command"]["steer"], rig["command"]["throttle"] = 5.0, -3.0
    rig.run([SMOOTHING], 0.01)
    assert (rig["input"]["steer"], rig["input"]["throttle"]) == (1.0, 0.0)


def driven(car, speed=0.0, **commands):
    """A rig after one tick of smoothing, responses, brakes and steering with analog commands."""
    rig = Rig([*CHAIN, ACKERMANN, ACKERMANN_SECOND], car)
    rig["body"]["velocity"][1] = speed
    for name, value in commands.items():
        rig["command"][name] = value
    rig.run(CHAIN, 0.01)
    return rig


@pytest.mark.covers("PX-BRAKE-02")
@pytest.mark.parametrize("pedal", [0.1, 0.5, 1.0])
def test_brake_torque_splits_60_40_at_any_pedal(pedal):
    rig = driven({"brakes": [{"max_torque": 0.6 * 2000}] * 2 + [{"max_torque": 0.4 * 2000}] * 2}, brake=pedal)
    assert rig["brakes"]["torque"][:4].tolist() == pytest.approx([1200 * pedal] * 2 + [800 * pedal] * 2)
    off = driven({"brakes": [{"max_torque": 0.0}] * 2 + [{"max_torque": 800.0}] * 2}, brake=pedal)
    assert off["brakes"]["torque"][:2].tolist() == [0.0, 0.0]


@pytest.mark.covers("PX-BRAKE-03")
def test_pedal_and_handbrake_add_up_on_a_rear_wheel():
    wheels = [{"max_torque": 1000.0}] * 2 + [{"max_torque": 700.0, "handbrake_torque": 2500.0}] * 2
    both = driven({"brakes": wheels}, brake=0.5, handbrake=0.8)["brakes"]["torque"]
    pedal = driven({"brakes": wheels}, brake=0.5)["brakes"]["torque"]
    lever = driven({"brakes": wheels}, handbrake=0.8)["brakes"]["torque"]
    assert both[:4].tolist() == pytest.approx((pedal + lever)[:4].tolist())
    assert both[2] == pytest.approx(0.5 * 700 + 0.8 * 2500)
    assert lever[0] == 0.0


@pytest.mark.covers("PX-BRAKE-01")
def test_lifted_wheel_locks_in_inertia_times_speed_over_torque():
    rig = driven({"brakes": [{"max_torque": 800.0}] * 4}, brake=1.0)
    rig["wheel_params"]["inertia"][0] = 1.6
    omega, dt, steps = 50.0, 0.0005, 0
    while omega != 0.0:
        omega = free_wheel_speed(
            element(np.asarray(rig["wheel_params"])[:1]), omega, 0.0, 0.0, rig["brakes"]["torque"][0], 1, dt
        )
        steps += 1
    assert steps * dt == pytest.approx(1.6 * 50.0 / 800.0, abs=dt)


def test_responses_follow_their_tables_over_speed():
    # [command, [[speed, m/s; response], ...]]: half the response at 40 m/s
    table = [[0.0, [[0.0, 0.0]]], [1.0, [[0.0, 1.0], [20.0, 1.0], [40.0, 0.5]]]]
    car = {"response": {"brake_table": table, "steer_table": table}, "steering": [{"max_angle": 0.6}] * 2 + [{}] * 2}
    fast = driven(car, speed=30.0, brake=0.5, throttle=0.5, steer=-1.0)
    assert fast["response"]["brake"] == pytest.approx(0.375)
    assert fast["response"]["throttle"] == 0.5  # its own table is empty, hence linear
    assert fast["steering"]["angle"][:3].tolist() == pytest.approx([0.45, 0.45, 0.0])
    assert driven(car, speed=5.0, brake=0.5)["response"]["brake"] == pytest.approx(0.5)


def test_speed_is_measured_along_the_vehicle():
    rig = Rig(CHAIN, {})
    half = math.sqrt(0.5)
    rig["body"]["orientation"][:] = (0.0, 0.0, half, half)  # rotated left by 90 degrees: forward is -x
    rig["body"]["velocity"][:] = (-7.0, 3.0, 1.0)
    rig.run(CHAIN, 0.01)
    assert rig["response"]["speed"] == pytest.approx(7.0)


@pytest.mark.covers("PX-STEER-02")
def test_steering_right_turns_wheels_clockwise_and_rear_wheels_against():
    rig = driven({"steering": [{"max_angle": 0.5}] * 2 + [{"max_angle": -0.1}] * 2}, steer=1.0)
    assert rig["steering"]["angle"][:4].tolist() == pytest.approx([-0.5, -0.5, 0.1, 0.1])
    unsteered = driven({"steering": [{"max_angle": 0.5}] * 2 + [{}] * 2}, steer=1.0)
    assert unsteered["steering"]["angle"][2:4].tolist() == pytest.approx([0.0, 0.0])


AXLE = {"wheelbase": 2.6, "track": 1.5, "strength": 1.0}


def steered(steer, axle, car=None, **commands):
    """Steering angles of four wheels after one tick, rad; axle: Ackermann parameters."""
    rig = driven(
        {"steering": [{"max_angle": 0.6}] * 2 + [{}] * 2, "ackermann": axle, **(car or {})}, steer=steer, **commands
    )
    rig.run([ACKERMANN], 0.01)
    return rig["steering"]["angle"][:4].tolist()


def axis_meeting(angle, x, y):
    """x where the axis of a wheel at (x, y) crosses the line y = 0 of the unsteered axle."""
    return x - y / math.tan(angle)


@pytest.mark.covers("PX-STEER-04")
@pytest.mark.parametrize("steer", [-1.0, -0.3, 0.4, 1.0])
def test_exact_ackermann_lets_all_axes_meet_in_one_point(steer):
    left, right = steered(steer, AXLE)[:2]
    centre = axis_meeting(left, x=-0.75, y=2.6)
    assert axis_meeting(right, x=0.75, y=2.6) == pytest.approx(centre, rel=1e-9)
    assert centre * steer > 0  # steering right: the centre lies to the right
    inner, outer = (right, left) if steer > 0 else (left, right)
    assert abs(inner) == pytest.approx(0.6 * abs(steer)) and abs(outer) < abs(inner)
    assert steered(steer, {**AXLE, "strength": 0.0})[:2] == pytest.approx([-0.6 * steer] * 2)


@pytest.mark.parametrize("steer", [-1.0, 1.0])
@pytest.mark.parametrize("angles", [(0.6, 0.4), (0.4, 0.6)])
def test_an_axle_of_unequal_wheels_turns_by_their_mean(steer, angles):
    car = {"steering": [{"max_angle": a} for a in angles] + [{}, {}]}
    assert steered(steer, AXLE, car)[:2] == pytest.approx(steered(steer * 0.5 / 0.6, AXLE)[:2])


@pytest.mark.parametrize("steer", [-0.5, 0.5])
def test_axle_behind_the_turning_axle_has_a_negative_wheelbase(steer):
    axle = {"left": 2, "right": 3, "wheelbase": -2.6, "track": 1.5, "strength": 1.0}
    car = {"steering": [{}, {}] + [{"max_angle": -0.4}] * 2}
    left, right = steered(steer, axle, car)[2:]
    centre = axis_meeting(left, x=-0.75, y=-2.6)
    assert axis_meeting(right, x=0.75, y=-2.6) == pytest.approx(centre, rel=1e-9)
    assert centre * steer > 0


@pytest.mark.covers("PX-STEER-06", "PX-STEER-07")
def test_difference_of_the_wheels_follows_track_over_wheelbase():
    def cot_difference(**changes):
        left, right = steered(1.0, {**AXLE, **changes})[:2]
        return 1 / math.tan(-left) - 1 / math.tan(-right)

    assert cot_difference() == pytest.approx(1.5 / 2.6)
    assert cot_difference(track=3.0) == pytest.approx(2 * 1.5 / 2.6)
    assert cot_difference(wheelbase=1.3) == pytest.approx(1.5 / 1.3)


def test_ackermann_keeps_the_speed_table():
    table = {"response": {"steer_table": [[0.0, [[0.0, 0.0]]], [1.0, [[0.0, 1.0], [30.0, 0.2]]]]}}
    slow, fast = steered(1.0, AXLE, table), steered(1.0, AXLE, table, speed=30.0)
    assert slow[1] == pytest.approx(-0.6) and fast[1] == pytest.approx(-0.12)


@pytest.mark.covers("PX-STEER-05")
def test_two_steered_axles_are_both_corrected():
    car = {
        "steering": [{"max_angle": 0.6}] * 2 + [{"max_angle": 0.3}] * 2,
        "ackermann": AXLE,
        "ackermann_second": {"left": 2, "right": 3, "wheelbase": 1.3, "track": 1.5, "strength": 1.0},
    }
    rig = driven(car, steer=-1.0)
    rig.run([ACKERMANN, ACKERMANN_SECOND], 0.01)
    angles = rig["steering"]["angle"][:4].tolist()
    assert angles[0] == pytest.approx(0.6) and angles[1] < 0.59
    assert angles[2] == pytest.approx(0.3) and angles[3] < 0.295


def test_impossible_axles_are_refused():
    params = {"left": 1, "right": 1, "strength": 1.0, "wheelbase": 0.0, "track": 1.0}
    assert [name for name, _ in check_ackermann(params)] == ["right", "wheelbase"]
    assert check_ackermann({**params, "right": 2, "wheelbase": 2.0}) == []
