"""The steering wheel: position, lock angle and steering ratio (RC-STEER-01..03).

    angle = -lock * steer response            rad, positive to the left, like the wheels' steer angles
    ratio = lock / |largest steer angle of the first wheel|

Position, tilt and lock are for rendering and for wheel controllers; they do not affect the vehicle's motion. With a
position of zeros the drawn steering wheel keeps the model's position and tilt.
"""

import math
from typing import Any

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Float, Schema, Vec3, field
from driving_sandbox.physics.tick.component import Component

LOCK_LIMIT = 3.0 * math.tau  # rad, largest lock to either side; even lorries have less


class SteeringWheelParams(Schema):
    """Position and lock of the steering wheel."""

    position: Vec3 = field(
        unit="m",
        default=[0, 0, 0],
        suggest=(-2, 2),
        visual=True,
        source="RC-STEER-01",
        doc="Centre of the steering wheel relative to the model's origin; zeros keep the model's position and tilt.",
    )
    tilt: Float = field(
        unit="rad",
        ge=-1.6,
        le=1.6,
        suggest=(0, 0.8),
        default=0.4,
        visual=True,
        source="RC-STEER-01",
        doc="Angle by which the top of the steering wheel leans away from the driver; 0 is upright.",
    )
    lock: Float = field(
        unit="rad",
        gt=0,
        le=LOCK_LIMIT,
        suggest=(2, 10),
        default=8.0,
        visual=True,
        source="RC-STEER-02",
        mechanic=True,
        doc="Angle of the steering wheel at full steering response, to either side.",
    )
    ratio: Float = field(
        unit="1",
        derived=True,
        source="RC-STEER-03",
        mechanic=True,
        doc="Steering ratio: angle of the steering wheel divided by the steer angle of the first wheel.",
    )


class SteeringWheelState(Schema):
    """Angle of the steering wheel."""

    angle: Float = field(unit="rad", doc="Angle of the steering wheel, positive to the left.")


@kernel
def update(params: Any, state: Any, response: Any) -> None:
    """Set the angle of the steering wheel."""
    state.angle = -params.lock * response.steer


def derive(params: Any, steering_params: Any) -> None:
    """Set the steering ratio; 0 if the first wheel does not steer."""
    first_angle = abs(float(steering_params["max_angle"][0]))
    params["ratio"] = params["lock"] / first_angle if first_angle > 0.0 else 0.0


STEERING_WHEEL = Component(
    slot="steering_wheel",
    name="column",
    params=SteeringWheelParams,
    state=SteeringWheelState,
    phases={"update": update},
    derive=derive,
    doc="Turns the steering wheel in proportion to the steering response.",
)


def steering_wheel(vehicle: Any) -> tuple[float, tuple[float, ...], float] | None:
    """(lock in rad, position in m, tilt in rad) of a vehicle's steering wheel; None without either."""
    if vehicle is None or "steering_wheel" not in vehicle.params.dtype.names:
        return None
    p = vehicle.params["steering_wheel"][0]
    return float(p["lock"]), tuple(p["position"].tolist()), float(p["tilt"])
