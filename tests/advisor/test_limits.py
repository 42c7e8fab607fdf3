"""Limits of symptoms from both sides: a state just beyond all limits is reported, just short of one it is not."""

import math

import pytest
from watched import fresh

from driving_sandbox.lab.advisor.sample_history import MAX_WINDOW, SampleHistory
from driving_sandbox.lab.advisor.symptoms_driving import brake_engaged, neutral_gear, no_steer_angle
from driving_sandbox.lab.advisor.symptoms_tires import (
    low_friction,
    no_lateral_slip,
    no_limited_slip,
    no_longitudinal_force,
)
from driving_sandbox.physics.tick.commands import FIRST, NEUTRAL

TICK = 1.0 / 240.0  # s
DEGREE = math.radians(1.0)
NORMAL = {
    "suspension.on_ground": 1,
    "gearbox.current_gear": FIRST,
    "gearbox.target_gear": FIRST,
    "road.friction": 1.0,
}
SPINNING = {"tire.longitudinal_slip": (0.0, 0.0, 0.51, 0.51), "wheel.omega": 30.0, "input.throttle": 0.51}
TURNING = {"body.velocity": (0.0, 8.0, 0.0), "body.angular_velocity": (0.0, 0.0, -0.5), "input.throttle": 0.6}


def history_of(seconds=MAX_WINDOW, **channels):
    """Samples of a roadster in first gear on its wheels, whose channels keep these values for `seconds`."""
    vehicle = fresh()
    vehicle.put((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))
    for path, value in {**NORMAL, **channels}.items():
        slot, name = path.split(".")
        block = vehicle.state[slot][name][0]
        if vehicle.state[slot].ndim == 2:
            block[: vehicle.wheel_count] = value
        else:
            vehicle.state[slot][name][0] = value
    history = SampleHistory(vehicle, TICK)
    for _ in range(round(seconds / TICK)):
        history.sample()
    return history


@pytest.mark.covers(
    "PX-HELP-11", "PX-HELP-13", "PX-HELP-19", "PX-HELP-21", "PX-HELP-26", "PX-HELP-27", "PX-HELP-38"
)  # fmt: skip
@pytest.mark.parametrize(
    ("detector", "beyond", "short"),
    [
        (
            neutral_gear, {"input.throttle": 0.51, "gearbox.current_gear": NEUTRAL, "gearbox.target_gear": NEUTRAL},
            ({"input.throttle": 0.49}, {"gearbox.target_gear": FIRST}, {"seconds": 0.9}),
        ),
        (
            brake_engaged, {"input.throttle": 0.51, "input.brake": 0.06},
            ({"input.throttle": 0.49}, {"input.brake": 0.04}, {"seconds": 0.9}),
        ),
        (
            brake_engaged, {"input.throttle": 0.51, "input.handbrake": 0.06}, ({"input.handbrake": 0.04},),
        ),
        (
            low_friction, {**SPINNING, "tire.friction": 0.19, "tire.load": 3000.0},
            ({"tire.friction": 0.21}, {"tire.longitudinal_slip": 0.49}, {"suspension.on_ground": 0}),
        ),
        (
            no_longitudinal_force,
            {**SPINNING, "tire.friction": 0.9, "tire.load": 3000.0, "tire.longitudinal_force": 0.049 * 0.9 * 3000.0},
            ({"tire.longitudinal_force": 0.051 * 0.9 * 3000.0}, {"tire.longitudinal_slip": 0.49}),
        ),
        (
            no_steer_angle, {"input.steer": 0.31, "steering.angle": 0.99 * DEGREE},
            ({"input.steer": 0.29}, {"steering.angle": 1.01 * DEGREE}),
        ),
        (
            no_lateral_slip,
            {"steering.angle": (5.1 * DEGREE, 5.1 * DEGREE, 0.0, 0.0), "body.velocity": (0.0, 5.1, 0.0),
             "tire.lateral_slip": 0.09 * DEGREE},
            ({"steering.angle": (4.9 * DEGREE, 4.9 * DEGREE, 0.0, 0.0)}, {"body.velocity": (0.0, 4.9, 0.0)},
             {"tire.lateral_slip": 0.11 * DEGREE}),
        ),
        (  # a bend to the right: the inner wheel is the right one
            no_limited_slip, {**TURNING, "tire.longitudinal_slip": (0.0, 0.0, 0.09, 0.51)},
            ({"tire.longitudinal_slip": (0.0, 0.0, 0.11, 0.51)}, {"tire.longitudinal_slip": (0.0, 0.0, 0.09, 0.49)},
             {"tire.longitudinal_slip": (0.0, 0.0, 0.51, 0.09)}, {"body.angular_velocity": 0.0}),
        ),
    ],
)  # fmt: skip
def test_reported_just_beyond_its_limits_and_silent_just_short_of_each(detector, beyond, short):
    """`beyond`: channels just beyond every limit; each entry of `short` makes one condition fail.

    `seconds` shortens the history instead of setting a channel.
    """
    assert detector(history_of(**beyond)) is not None
    for change in short:
        assert detector(history_of(**{**beyond, **change})) is None, change
