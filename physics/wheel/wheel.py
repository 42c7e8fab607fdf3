"""Wheels: size, inertia, spin angle and pose.

The spin rate `omega` is integrated by the drivetrain (forward rolling is positive). Once per tick the drawn angle
follows it; a free wheel slower than `context.wheel_angle_speed` is blended towards pure rolling so that it does not
look wrong at walking pace (PX-WHEEL-01):

    drawn = share omega + (1 - share) v / R,    share = |v| / wheel_angle_speed,    v the ground's speed along the wheel

The blend is visual only, without feedback.

Pose: body pose o (attachment rotation, attachment + direction (travel - jounce)) o yaw(steer + toe) o roll(camber)
o offset o pitch(angle), camber > 0 leaning right, steer and toe > 0 to the left. Rolling forward is a negative rotation
about the axle, which points right.
"""

import math
from typing import Any

import numpy as np

from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import quat, vec3
from driving_sandbox.physics.maths.products import norm
from driving_sandbox.physics.schema.schema import Float, Int, PerWheel, Quat, Vec3, field
from driving_sandbox.physics.tick.component import Component

TWO_PI = 2.0 * math.pi
QUARTER = 0.25 * math.pi
C4, C6, C8, C10, C12, C14, C16 = (1.0 / math.factorial(n) for n in (4, 6, 8, 10, 12, 14, 16))  # of the cosine's series
S3, S5, S7, S9, S11, S13, S15 = (1.0 / math.factorial(n) for n in (3, 5, 7, 9, 11, 13, 15))  # of the sine's


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
        doc="About the axle; 0 takes that of a solid disc, half of mass times radius squared.",
    )
    damping: Float = field(
        unit="N*m*s",
        ge=0,
        default=0.25,
        suggest=(0, 2),
        advised=(0.25, 2.0),
        at_zero="without any a free wheel never stops",
        doc="Bearing torque per spin rate.",
        source="PX-WHEEL-06",
    )
    offset: Vec3 = field(
        unit="m",
        ge=-5,
        le=5,
        default=[0, 0, 0],
        mirror="x",
        doc="Wheel centre against the suspension's end, in its axes.",
    )
    offset_rotation: Quat = field(unit="1", default=[0, 0, 0, 1], doc="Wheel axes against the suspension's end.")
    inertia: Float = field(unit="kg*m^2", derived=True, doc="Inertia about the axle that is used.")
    shifted: Int = field(unit="1", derived=True, doc="1 where the offset is not zero.")
    turned: Int = field(unit="1", derived=True, doc="1 where the offset rotation is not none.")


class WheelState(PerWheel):
    """Motion and pose of a wheel."""

    omega: Float = field(unit="rad/s", telemetry="rate", doc="Spin rate, forward rolling positive.")
    corrected_omega: Float = field(unit="rad/s", doc="Spin rate of the drawn wheel.")
    rotation_angle: Float = field(unit="rad", doc="Drawn spin angle, within one turn.")
    position: Vec3 = field(unit="m", doc="Wheel centre in the world.")
    orientation: Quat = field(unit="1", doc="Wheel in the world, spinning.")
    hub_orientation: Quat = field(unit="1", doc="Hub in the world: steered and cambered, not spinning.")


@inline_kernel
def series(z):
    """(cos x, sin x / x) for z = x^2 up to (45 degrees)^2, cut where float64 no longer sees the next term."""
    zz = z * z
    c = (0.5 - z * C4) + zz * ((C6 - z * C8) + zz * ((C10 - z * C12) + zz * (C14 - z * C16)))
    s = (S3 - z * S5) + zz * ((S7 - z * S9) + zz * ((S11 - z * S13) + zz * S15))
    return 1.0 - z * c, 1.0 - z * s


@inline_kernel
def turn(angle):
    """(cosine, sine). Steering, toe and camber are small, where the series alone will do."""
    if not abs(angle) <= QUARTER:
        s, c = elementary.full_sincos(angle)
        return c, s
    c, s = series(angle * angle)
    return c, angle * s


@inline_kernel
def half_turn(angle):
    """(cosine, sine) of an angle up to 180 degrees, by doubling a quarter of it twice."""
    c, s = turn(0.25 * angle)
    c, s = c * c - s * s, 2.0 * c * s
    return c * c - s * s, 2.0 * c * s


@inline_kernel
def in_suspension(suspension_p, v):
    """A vector of the suspension's axes in body axes."""
    if suspension_p.turned == 0:
        return v
    return quat.rotate(quat.load(suspension_p.attachment_rotation), v)


@inline_kernel
def total_steer(steering_s: Any, compliance_s: Any) -> Any:
    """Steer angle of a wheel against the body, positive to the left: of the steering, and toe of links and bushes."""
    return steering_s.angle + compliance_s.toe


@inline_kernel
def inline_hub_axes(suspension_p, wheel_p, camber, yaw):
    """(axle pointing right, forward) of a wheel in body axes, steered by yaw and leaning right by camber."""
    cy, sy = turn(yaw)
    cg, sg = turn(camber)
    x = (cg * cy, cg * sy, -sg)
    y = (-sy, cy, 0.0)
    if wheel_p.turned != 0:
        z = (sg * cy, sg * sy, cg)
        q = quat.load(wheel_p.offset_rotation)
        a = quat.rotate(q, (1.0, 0.0, 0.0))
        b = quat.rotate(q, (0.0, 1.0, 0.0))
        x, y = combine(x, y, z, a), combine(x, y, z, b)
    return in_suspension(suspension_p, x), in_suspension(suspension_p, y)


@kernel
def hub_axes(suspension_p, wheel_p, camber, yaw):
    """`inline_hub_axes` for callers that the inlined code would only make longer."""
    return inline_hub_axes(suspension_p, wheel_p, camber, yaw)


@inline_kernel
def combine(x, y, z, v):
    """v[0] x + v[1] y + v[2] z"""
    return vec3.add_scaled(vec3.add_scaled(vec3.scale(x, v[0]), y, v[1]), z, v[2])


@inline_kernel
def wheel_centre(suspension_p, wheel_p, length, camber, yaw):
    """Wheel centre in body axes from the centre of mass, `length` below the attachment."""
    centre = vec3.add_scaled(vec3.load(suspension_p.arm), vec3.load(suspension_p.direction), length)
    if wheel_p.shifted == 0:
        return centre
    cy, sy = turn(yaw)
    cg, sg = turn(camber)
    offset = combine((cg * cy, cg * sy, -sg), (-sy, cy, 0.0), (sg * cy, sg * sy, cg), vec3.load(wheel_p.offset))
    return vec3.add(centre, in_suspension(suspension_p, offset))


@inline_kernel
def hub_rotation(suspension_p, wheel_p, camber, yaw):
    """Rotation of the hub in the body: attachment, then steer, then camber, then the wheel's own."""
    cy, sy = turn(0.5 * yaw)
    cg, sg = turn(0.5 * camber)
    q = (-sy * sg, cy * sg, sy * cg, cy * cg)  # yaw about z after camber about y
    if suspension_p.turned != 0:
        q = quat.multiply(quat.load(suspension_p.attachment_rotation), q)
    if wheel_p.turned != 0:
        q = quat.multiply(q, quat.load(wheel_p.offset_rotation))
    return q


@kernel
def advance_angle(w, radius, jounce, driven_or_braked, ground_speed, threshold, dt):
    """Advance the drawn angle of one wheel by a tick."""
    speed = w.omega
    if jounce > 0.0 and driven_or_braked == 0 and abs(ground_speed) < threshold:
        share = abs(ground_speed) / threshold
        speed = ground_speed / radius * (1.0 - share) + w.omega * share
    w.corrected_omega = speed
    angle = w.rotation_angle + speed * dt
    w.rotation_angle = angle - math.trunc(angle / TWO_PI) * TWO_PI


@kernel
def update(
    params, state, suspension, suspension_params, compliance, steering, actuation, tire, body, context, wheel_count, dt
):
    q = quat.load(body.orientation)
    m = quat.to_matrix(q)
    origin = vec3.load(body.position)
    for i in range(wheel_count):
        w = state[i]
        s = suspension[i]
        active = actuation[i].brake_applied + actuation[i].drive_applied
        advance_angle(w, params[i].radius, s.jounce, active, tire[i].longitudinal_speed, context.wheel_angle_speed, dt)
        length = suspension_params[i].travel - s.jounce
        yaw = total_steer(steering[i], compliance[i])
        position = wheel_centre(suspension_params[i], params[i], length, compliance[i].camber, yaw)
        hub = quat.multiply(q, hub_rotation(suspension_params[i], params[i], compliance[i].camber, yaw))
        vec3.store(w.position, vec3.add(origin, vec3.transform(m, position)))
        quat.store(w.hub_orientation, hub)
        cs, ss = half_turn(-0.5 * w.rotation_angle)  # about the axle, x
        x, y, z, v = hub
        quat.store(w.orientation, (x * cs + v * ss, y * cs + z * ss, z * cs - y * ss, v * cs - x * ss))


def derive(params, wheel_count):
    for i in range(wheel_count):
        p = params[i]
        solid_disc = 0.5 * p["mass"] * p["radius"] ** 2
        p["inertia"] = p["spin_inertia"] if p["spin_inertia"] > 0.0 else solid_disc
        p["offset_rotation"] /= norm(p["offset_rotation"])
        p["shifted"] = np.any(p["offset"] != 0.0)
        p["turned"] = np.any(p["offset_rotation"][:3] != 0.0)


WHEEL = Component(
    slot="wheel",
    name="wheel",
    params=WheelParams,
    state=WheelState,
    phases={"update": update},
    derive=derive,
    doc="Size, inertia and pose of the wheels.",
)
