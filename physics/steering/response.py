"""Steer angle of each wheel from the steering response (PX-STEER-01, 02).

    angle_i = -max_angle_i * steer response

Angles are positive to the left (counter-clockwise from above) and the steering response positive to the right, hence
the sign. Rear wheels that steer opposite to the front ones have a negative `max_angle`. Ackermann correction is a
separate component, later in the tick (ackermann.py).
"""

import math
from typing import Any

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Float, PerWheel, field
from driving_sandbox.physics.tick.component import Component

ADVISED_ANGLES = (math.pi / 6.0, math.pi / 2.0)  # rad, full lock advised by the Tuning Guide of the PhysX vehicle


class SteeringParams(PerWheel):
    """Largest steer angle of one wheel."""

    max_angle: Float = field(
        unit="rad",
        gt=-math.pi / 2,
        lt=math.pi / 2,
        suggest=(-0.2, 0.9),
        advised=ADVISED_ANGLES,
        default=0.0,
        mechanic=True,
        doc="Steer angle at full steering response; a negative one steers opposite to the steering wheel.",
        source="PX-STEER-01",
    )


class SteeringState(PerWheel):
    """Steer angle of one wheel."""

    angle: Float = field(unit="rad", telemetry="steer_angle", doc="Steer angle, positive to the left.")


@kernel
def steer_angle(p: Any, steer: float) -> float:
    """Steer angle of one wheel, rad, for a steering response (+1 = right)."""
    return -steer * p.max_angle


@kernel
def update(params: Any, state: Any, response: Any, wheel_count: int) -> None:
    """Set the steer angle of every wheel."""
    for i in range(wheel_count):
        state[i].angle = steer_angle(params[i], response.steer)


STEERING = Component(
    slot="steering",
    name="angle_per_wheel",
    params=SteeringParams,
    state=SteeringState,
    phases={"update": update},
    doc="Steers each wheel in proportion to the steering response.",
)
