"""Steer angle of each wheel with a factor for the inside wheel (RC-STEER-04).

    angle_i = -max_angle_i * steer response                        outside the turn
            = -max_angle_i * steer response * inner_factor_i       inside it

With a factor of 2 the inner wheel has twice the steer angle of the outer one, if their max_angle is equal. In a turn to
the right the inner wheel is the right one, even if its axle steers the other way; wheels on the centre line are never
inner ones. Unlike Ackermann geometry (ackermann.py) the factor is the same at every angle. Angles are positive to the
left, the steering response to the right.
"""

import math
from typing import Any

import numpy as np

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Float, field
from driving_sandbox.physics.steering.response import SteeringParams, SteeringState, steer_angle
from driving_sandbox.physics.tick.component import Component


class InnerFactorParams(SteeringParams):
    """Largest steer angle of one wheel, and its factor on the inside of the turn."""

    inner_factor: Float = field(
        unit="1",
        gt=0,
        le=5,
        suggest=(0.8, 2.0),
        default=1.0,
        source="RC-STEER-04",
        doc="Factor on the wheel's steer angle while it is the inner one; 1: none.",
    )
    side: Float = field(unit="1", derived=True, doc="1 right of the vehicle's centre line, -1 left of it, 0 on it.")


@kernel
def inner_angle(p: Any, steer: float) -> float:
    """Steer angle of one wheel, rad, for a steering response (+1 = right)."""
    angle = steer_angle(p, steer)
    return angle * p.inner_factor if steer * p.side > 0.0 else angle


@kernel
def update(params: Any, state: Any, response: Any, wheel_count: int) -> None:
    """Set the steer angle of every wheel."""
    for i in range(wheel_count):
        state[i].angle = inner_angle(params[i], response.steer)


def derive(params: Any, suspension_params: Any, wheel_count: int) -> None:
    """Set the side of every wheel."""
    params["side"][:wheel_count] = np.sign(suspension_params["attachment"][:wheel_count, 0])


def check(params: Any, suspension_params: Any, wheel_names: tuple[str, ...]) -> list[tuple[str, str]]:
    """The problem of a missing suspension, or of the first wheel that would turn by 90 degrees or more."""
    if suspension_params is None:
        return [("inner_factor", "needs a suspension, whose attachments give the side of each wheel")]
    for i, wheel in enumerate(wheel_names):
        largest = abs(float(params["max_angle"][i])) * max(1.0, float(params["inner_factor"][i]))
        if largest >= math.pi / 2.0:
            return [
                ("inner_factor", f"turns wheel {wheel} by {math.degrees(largest):.0f} degrees; it must stay below 90")
            ]
    return []


INNER_FACTOR = Component(
    slot="steering",
    name="inner_factor",
    params=InnerFactorParams,
    state=SteeringState,
    phases={"update": update},
    derive=derive,
    check=check,
    doc="Steers each wheel in proportion to the steering response, with a factor for the inner wheel.",
)
