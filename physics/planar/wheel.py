"""Wheels of the planar vehicle: their axle, radius, and where they are drawn.

The model knows axles only: the wheels of one axle share its load evenly and act at its middle (CN-YAW-01). They roll at
the speed of the body, omega = vLong / R, less the share of it that the handbrake holds; wheel spin is a flag
(physics/planar/drive.py), not a speed. `side` is where a wheel is drawn and changes nothing else.
"""

import math
from typing import Any

from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import quat, vec3
from driving_sandbox.physics.schema.schema import Choice, Float, PerWheel, field
from driving_sandbox.physics.tick.component import Component
from driving_sandbox.physics.wheel.wheel import TWO_PI, WheelState

AXLES = ("front", "rear")
FRONT, REAR = 0, 1
LOADS = ("lever_rule", "equal")  # weight distribution between the axles
EQUAL = LOADS.index("equal")


class PlanarWheelParams(PerWheel):
    """A wheel of the bicycle model."""

    axle: Choice = field(options=AXLES, doc="Axle the wheel belongs to: front or rear.", source="CN-YAW-01")
    radius: Float = field(unit="m", gt=0, suggest=(0.2, 0.6), doc="Rolling radius r.", source="CN-TRAC-01")
    half_width: Float = field(
        unit="m", gt=0, default=0.1, suggest=(0.05, 0.3), visual=True, doc="Half the tire's width."
    )
    side: Float = field(
        unit="m",
        default=0.7,
        suggest=(-1.2, 1.2),
        mirror="sign",
        visual=True,
        doc="Where the wheel is drawn: distance to the right of the middle.",
    )


@kernel
def pose(
    params: Any, state: Any, body: Any, body_params: Any, steering: Any, brakes: Any, wheel_count: int, dt: float
) -> None:
    """Speed, spin angle and pose of every wheel, for the view."""
    q = quat.load(body.orientation)
    origin = vec3.load(body.position)
    for i in range(wheel_count):
        w, p = state[i], params[i]
        locked = brakes.hold if p.axle == REAR else 0.0
        w.omega = body.v_long / p.radius * (1.0 - locked)
        w.corrected_omega = w.omega
        angle = w.rotation_angle + w.omega * dt
        w.rotation_angle = angle - math.trunc(angle / TWO_PI) * TWO_PI
        ahead = body_params.front_axle if p.axle == FRONT else -body_params.rear_axle
        centre = quat.rotate(q, (p.side, ahead, p.radius - body_params.cg_height))
        vec3.store(w.position, vec3.add(origin, centre))
        half = 0.5 * steering[i].angle
        s, c = elementary.sincos(half)
        hub = quat.multiply(q, (0.0, 0.0, s, c))
        quat.store(w.hub_orientation, hub)
        s, c = elementary.sincos(-0.5 * w.rotation_angle)  # about the axle, x
        quat.store(w.orientation, quat.multiply(hub, (s, 0.0, 0.0, c)))


def static_loads(body_params: Any, wheel_params: Any, context: Any, wheel_count: int) -> list[float]:
    """Load of every wheel at rest, N."""
    weight = -float(body_params["mass"]) * float(context["gravity"][2])
    ahead, behind = float(body_params["front_axle"]), float(body_params["rear_axle"])
    front_share = 0.5 if body_params["loads"] == EQUAL else behind / (ahead + behind)
    axles = wheel_params["axle"][:wheel_count]
    counts = {axle: max(1, int((axles == axle).sum())) for axle in (FRONT, REAR)}
    return [weight * (front_share if axle == FRONT else 1.0 - front_share) / counts[int(axle)] for axle in axles]


PLANAR_WHEEL = Component(
    slot="wheel",
    name="planar",
    params=PlanarWheelParams,
    state=WheelState,
    phases={"pose": pose},
    doc="Radius and axle of the wheels, and their pose.",
)
