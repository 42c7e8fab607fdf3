"""Steer angle of each wheel with a factor for the inside wheel (RC-STEER-04).

    angle_i = -max_angle_i * steer response                        outside the turn
            = -max_angle_i * steer response * inner_factor_i       inside it

A factor of 2 turns the inner wheel twice as far, 1 turns both alike, below 1 the inner one turns less. The wheel inside
a turn to the right is the right one, whichever way its axle steers; wheels on the centre line are never inside. Unlike
exact geometry (ackermann.py) the factor is the same at every angle. Angles are positive to the left, the steering
response positive to the right.
"""

import math

import numpy as np

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Float, field
from driving_sandbox.physics.steering.response import SteeringParams, SteeringState, steer_angle
from driving_sandbox.physics.tick.component import Component


class InnerFactorParams(SteeringParams):
    """Steer angle of one wheel, and its factor on the inside of the turn."""

    inner_factor: Float = field(
        unit="1",
        gt=0,
        le=5,
        suggest=(0.8, 2.0),
        default=1.0,
        source="RC-STEER-04",
        doc="Factor on the steer angle of the inside wheel; 1: as the outside wheel.",
    )
    side: Float = field(unit="1", derived=True, doc="1 right of the middle, -1 left, 0 on it.")


@kernel
def inner_angle(p, steer):
    """Angle of one wheel for a normalised response, +1 = right."""
    angle = steer_angle(p, steer)
    return angle * p.inner_factor if steer * p.side > 0.0 else angle


@kernel
def update(params, state, response, wheel_count):
    for i in range(wheel_count):
        state[i].angle = inner_angle(params[i], response.steer)


def derive(params, suspension_params, wheel_count):
    params["side"][:wheel_count] = np.sign(suspension_params["attachment"][:wheel_count, 0])


def check(params, suspension_params, wheel_count):
    if suspension_params is None:
        return [("inner_factor", "needs suspensions: they tell which wheels are on the inside of a bend")]
    for i in range(wheel_count):
        most = abs(float(params["max_angle"][i])) * max(1.0, float(params["inner_factor"][i]))
        if most >= math.pi / 2.0:
            return [("inner_factor", f"turns wheel {i} by {math.degrees(most):.0f} degrees; it must stay below 90")]
    return []


INNER_FACTOR = Component(
    slot="steering",
    name="inner_factor",
    params=InnerFactorParams,
    state=SteeringState,
    phases={"update": update},
    derive=derive,
    check=check,
    doc="Steers each wheel by its share of the steering response, with a factor for the inside wheel.",
)
