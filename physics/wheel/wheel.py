"""Wheels: size, inertia, spin angle and pose.

The drivetrain integrates the spin rate `omega`, positive when rolling forward. The drawn angle follows it once per
tick. A wheel on the ground that is neither driven nor braked, and slower than `context.wheel_angle_speed`, is drawn
closer to pure rolling, as otherwise it would seem to slide at low speed (PX-WHEEL-01):

    drawn rate = share omega + (1 - share) v / R,    share = |v| / wheel_angle_speed

with v the longitudinal speed of the contact point over the road. Nothing in the simulation reads the drawn angle.

The pose of a wheel is that of the body, followed by

1. attachment: moved to attachment + direction (travel - jounce), turned by the attachment's rotation
2. steer and toe: yaw, positive to the left
3. camber: inclination angle, positive when the top leans right, on both sides of the vehicle
4. the wheel's offset and its rotation
5. spin: rolling forward is a negative rotation about the axle, which points right
"""

import math
from typing import Any

import numpy as np

from driving_sandbox.physics.estimate.inertia import solid_disc
from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import quat, vec3
from driving_sandbox.physics.maths.products import norm
from driving_sandbox.physics.schema.schema import Float, Int, PerWheel, Quat, Vec3, field
from driving_sandbox.physics.tick.component import Component

TWO_PI = 2.0 * math.pi
EIGHTH_TURN = 0.25 * math.pi  # rad, largest angle for which the series in `cos_sinc` is used
# 1 / n!: magnitudes of the coefficients in the power series of cosine (C) and sine (S)
C4, C6, C8, C10, C12, C14, C16 = (1.0 / math.factorial(n) for n in (4, 6, 8, 10, 12, 14, 16))
S3, S5, S7, S9, S11, S13, S15 = (1.0 / math.factorial(n) for n in (3, 5, 7, 9, 11, 13, 15))


class WheelParams(PerWheel):
    """Geometry and mass of a wheel with its tire."""

    radius: Float = field(unit="m", gt=0, le=100, suggest=(0.2, 0.6), doc="Radius of the tire.", source="PX-WHEEL-02")
    half_width: Float = field(unit="m", gt=0, suggest=(0.05, 0.3), doc="Half the tire's width.", source="PX-WHEEL-03")
    mass: Float = field(
        unit="kg", gt=0, suggest=(5, 60), advised=(20.0, 80.0), doc="Mass of wheel and tire.", source="PX-WHEEL-04"
    )
    spin_inertia: Float = field(
        unit="kg*m^2",
        ge=0,
        default=0.0,
        suggest=(0, 10),
        source="PX-WHEEL-05",
        doc="Moment of inertia about the axle; 0: that of a solid disc, half of mass times radius squared.",
    )
    damping: Float = field(
        unit="N*m*s",
        ge=0,
        default=0.25,
        suggest=(0, 2),
        advised=(0.25, 2.0),
        at_zero="without bearing friction a free wheel never stops",
        doc="Bearing torque per spin rate.",
        source="PX-WHEEL-06",
    )
    offset: Vec3 = field(
        unit="m",
        ge=-5,
        le=5,
        default=[0, 0, 0],
        mirror="x",
        doc="Wheel centre relative to the end of the suspension line, in the axes of the steered and cambered hub.",
    )
    offset_rotation: Quat = field(unit="1", default=[0, 0, 0, 1], doc="Rotation of the wheel relative to the hub.")
    inertia: Float = field(unit="kg*m^2", derived=True, doc="Moment of inertia about the axle in use.")
    has_offset: Int = field(unit="1", derived=True, doc="1 where the offset is not zero.")
    has_offset_rotation: Int = field(unit="1", derived=True, doc="1 where there is an offset rotation.")


class WheelState(PerWheel):
    """Motion and pose of a wheel."""

    omega: Float = field(unit="rad/s", telemetry="angular_speed", doc="Spin rate, forward rolling positive.")
    corrected_omega: Float = field(unit="rad/s", doc="Spin rate of the drawn wheel, which sets `rotation_angle`.")
    rotation_angle: Float = field(unit="rad", doc="Drawn spin angle, within one turn.")
    position: Vec3 = field(unit="m", doc="Wheel centre in the world.")
    orientation: Quat = field(unit="1", doc="Wheel in the world, spinning.")
    hub_orientation: Quat = field(unit="1", doc="Hub in the world: steered and cambered, not spinning.")


@inline_kernel
def cos_sinc(z: float) -> tuple[float, float]:
    """(cos x, sin x / x) of z = x^2, up to EIGHTH_TURN^2; the next term of the series is below float64's rounding."""
    zz = z * z
    c = (0.5 - z * C4) + zz * ((C6 - z * C8) + zz * ((C10 - z * C12) + zz * (C14 - z * C16)))
    s = (S3 - z * S5) + zz * ((S7 - z * S9) + zz * ((S11 - z * S13) + zz * S15))
    return 1.0 - z * c, 1.0 - z * s


@inline_kernel
def cos_sin(angle: float) -> tuple[float, float]:
    """(cosine, sine) of an angle, rad; up to EIGHTH_TURN, as usual for steer and camber, by a faster series."""
    if not abs(angle) <= EIGHTH_TURN:
        s, c = elementary.full_sincos(angle)
        return c, s
    c, s = cos_sinc(angle * angle)
    return c, angle * s


@inline_kernel
def cos_sin_half_turn(angle: float) -> tuple[float, float]:
    """(cosine, sine) of an angle up to half a turn, rad: those of a quarter of the angle, which is doubled twice."""
    c, s = cos_sin(0.25 * angle)
    c, s = c * c - s * s, 2.0 * c * s
    return c * c - s * s, 2.0 * c * s


@inline_kernel
def suspension_to_body(suspension_p: Any, v: Any) -> Any:
    """Turn a vector from suspension axes into body axes."""
    if suspension_p.turned == 0:
        return v
    return quat.rotate(quat.load(suspension_p.attachment_rotation), v)


@inline_kernel
def total_steer(steering_s: Any, compliance_s: Any) -> Any:
    """Steer angle of a wheel relative to the body, rad, positive to the left: steering plus toe of links and bushes."""
    return steering_s.angle + compliance_s.toe


@inline_kernel
def steered_axes(camber: float, yaw: float) -> Any:
    """(right, forward, up) of a hub in suspension axes. yaw: steer angle, to the left; camber: to the right; rad."""
    cy, sy = cos_sin(yaw)
    cg, sg = cos_sin(camber)
    return (cg * cy, cg * sy, -sg), (-sy, cy, 0.0), (sg * cy, sg * sy, cg)


@inline_kernel
def inline_hub_axes(suspension_p: Any, wheel_p: Any, camber: float, yaw: float) -> Any:
    """(axle pointing right, forward) unit vectors of a wheel in body axes. camber, yaw: as in `steered_axes`."""
    x, y, z = steered_axes(camber, yaw)
    if wheel_p.has_offset_rotation != 0:
        q = quat.load(wheel_p.offset_rotation)
        axle = quat.rotate(q, (1.0, 0.0, 0.0))
        forward = quat.rotate(q, (0.0, 1.0, 0.0))
        x, y = combine(x, y, z, axle), combine(x, y, z, forward)
    return suspension_to_body(suspension_p, x), suspension_to_body(suspension_p, y)


@kernel
def hub_axes(suspension_p: Any, wheel_p: Any, camber: float, yaw: float) -> Any:
    """`inline_hub_axes` as a function call, for callers that would only become longer by inlining."""
    return inline_hub_axes(suspension_p, wheel_p, camber, yaw)


@inline_kernel
def combine(x: Any, y: Any, z: Any, v: Any) -> Any:
    """v[0] x + v[1] y + v[2] z: the vector with the components v along the axes x, y, z."""
    return vec3.add_scaled(vec3.add_scaled(vec3.scale(x, v[0]), y, v[1]), z, v[2])


@inline_kernel
def wheel_centre(suspension_p: Any, wheel_p: Any, length: float, camber: float, yaw: float) -> Any:
    """Wheel centre relative to the centre of mass, body axes, m.

    length: distance of the end of the suspension line from the attachment, m. camber, yaw: as in `steered_axes`.
    """
    centre = vec3.add_scaled(vec3.load(suspension_p.arm), vec3.load(suspension_p.direction), length)
    if wheel_p.has_offset == 0:
        return centre
    x, y, z = steered_axes(camber, yaw)
    offset = combine(x, y, z, vec3.load(wheel_p.offset))
    return vec3.add(centre, suspension_to_body(suspension_p, offset))


@inline_kernel
def hub_rotation(suspension_p: Any, wheel_p: Any, camber: float, yaw: float) -> Any:
    """Quaternion from hub to body axes: attachment rotation, steer, camber, offset rotation, in this order."""
    cy, sy = cos_sin(0.5 * yaw)
    cg, sg = cos_sin(0.5 * camber)
    q = (-sy * sg, cy * sg, sy * cg, cy * cg)  # yaw about z after camber about y
    if suspension_p.turned != 0:
        q = quat.multiply(quat.load(suspension_p.attachment_rotation), q)
    if wheel_p.has_offset_rotation != 0:
        q = quat.multiply(q, quat.load(wheel_p.offset_rotation))
    return q


@kernel
def advance_angle(
    w: Any, radius: float, jounce: float, driven_or_braked: int, road_speed: float, threshold: float, dt: float
) -> None:
    """Advance the drawn angle of one wheel by a tick, as described at the top.

    road_speed: v, m/s. threshold: wheel_angle_speed, m/s. A jounce above 0 counts as ground contact.
    """
    rate = w.omega
    if jounce > 0.0 and driven_or_braked == 0 and abs(road_speed) < threshold:
        share = abs(road_speed) / threshold
        rate = road_speed / radius * (1.0 - share) + w.omega * share
    w.corrected_omega = rate
    angle = w.rotation_angle + rate * dt
    w.rotation_angle = angle - math.trunc(angle / TWO_PI) * TWO_PI


@kernel
def update(
    params: Any, state: Any, suspension: Any, suspension_params: Any, compliance: Any, steering: Any, actuation: Any,
    tire: Any, body: Any, context: Any, wheel_count: int, dt: float,
) -> None:  # fmt: skip
    """Set the pose of every wheel, and advance its drawn angle by a tick."""
    q = quat.load(body.orientation)
    m = quat.to_matrix(q)
    origin = vec3.load(body.position)
    for i in range(wheel_count):
        w = state[i]
        jounce, road_speed = suspension[i].jounce, tire[i].longitudinal_speed
        active = actuation[i].brake_applied + actuation[i].drive_applied
        advance_angle(w, params[i].radius, jounce, active, road_speed, context.wheel_angle_speed, dt)
        length = suspension_params[i].travel - jounce
        yaw = total_steer(steering[i], compliance[i])
        position = wheel_centre(suspension_params[i], params[i], length, compliance[i].camber, yaw)
        hub = quat.multiply(q, hub_rotation(suspension_params[i], params[i], compliance[i].camber, yaw))
        vec3.store(w.position, vec3.add(origin, vec3.transform(m, position)))
        quat.store(w.hub_orientation, hub)
        c, s = cos_sin_half_turn(-0.5 * w.rotation_angle)
        x, y, z, v = hub  # times the rotation about the axle (s, 0, 0, c), written out: its zeros cost nothing
        quat.store(w.orientation, (x * c + v * s, y * c + z * s, z * c - y * s, v * c - x * s))


def axle_inertia(p: np.void) -> float:
    """Moment of inertia of a wheel about its axle, kg m^2: the given one, else that of a solid disc."""
    return float(p["spin_inertia"] or solid_disc(p["mass"], p["radius"]))


def derive(params: Any, wheel_count: int) -> None:
    """Set inertias, unit offset rotations, and whether there are offsets."""
    for i in range(wheel_count):
        p = params[i]
        p["inertia"] = axle_inertia(p)
        p["offset_rotation"] /= norm(p["offset_rotation"])
        p["has_offset"] = np.any(p["offset"] != 0.0)
        p["has_offset_rotation"] = np.any(p["offset_rotation"][:3] != 0.0)


WHEEL = Component(
    slot="wheel",
    name="wheel",
    params=WheelParams,
    state=WheelState,
    phases={"update": update},
    derive=derive,
    doc="Size, inertia and pose of the wheels.",
)
