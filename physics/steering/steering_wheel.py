"""The steering wheel: position, lock angle and steering ratio (RC-STEER-01..03).

    angle = -lock * steer response            positive to the left, like the wheels' angles
    ratio = lock / |largest angle of the first wheel|

So the first wheel's angle is the steering wheel angle over the ratio. Position, tilt and lock are for display (and for
hardware wheels with that lock), without an effect on the vehicle. A position of zeros takes that of the model.
"""

import math

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Float, Schema, Vec3, field
from driving_sandbox.physics.tick.component import Component

LOCK_LIMIT = 3.0 * math.tau  # rad to either side; the slowest lorry has less


class SteeringWheelParams(Schema):
    """Position and lock of the steering wheel."""

    position: Vec3 = field(
        unit="m",
        default=[0, 0, 0],
        suggest=(-2, 2),
        visual=True,
        source="RC-STEER-01",
        doc="Its middle against the model's origin; zeros take the model's own place and tilt.",
    )
    tilt: Float = field(
        unit="rad",
        ge=-1.6,
        le=1.6,
        suggest=(0, 0.8),
        default=0.4,
        visual=True,
        source="RC-STEER-01",
        doc="How far its face leans up at the driver, its top away; 0 stands upright.",
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
        doc="Angle at full steering response, to either side.",
    )
    ratio: Float = field(
        unit="1", derived=True, source="RC-STEER-03", mechanic=True, doc="Its angle per angle of the first wheel."
    )


class SteeringWheelState(Schema):
    angle: Float = field(unit="rad", doc="Angle of the steering wheel, positive to the left.")


@kernel
def update(params, state, response):
    state.angle = -params.lock * response.steer


def derive(params, steering_params):
    first = abs(float(steering_params["max_angle"][0]))
    params["ratio"] = params["lock"] / first if first > 0.0 else 0.0


STEERING_WHEEL = Component(
    slot="steering_wheel",
    name="column",
    params=SteeringWheelParams,
    state=SteeringWheelState,
    phases={"update": update},
    derive=derive,
    doc="Turns the steering wheel by its share of its lock.",
)


def steering_wheel(vehicle):
    """(lock, position, tilt) of a vehicle's steering wheel for the picture, None where it has no such component."""
    if vehicle is None or "steering_wheel" not in vehicle.params.dtype.names:
        return None
    p = vehicle.params["steering_wheel"][0]
    return float(p["lock"]), tuple(p["position"].tolist()), float(p["tilt"])
