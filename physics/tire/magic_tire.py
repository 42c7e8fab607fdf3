"""Common part of all Magic Formula tires: mounting side and sign conventions, grip factor, relaxation, state.

Sets of coefficients have their own sign convention. Ours is that of slip.py: alpha > 0 moves right, camber > 0 leans
right, forces to the right. In the set's frame a positive angle causes a force to the right, so

    angle = -m alpha        camber = m c camber        F_y = m f(angle, camber)

with c = -1 for sets that count a lean to the left as positive (`camber_convention`), and m = -1 on the wheels that
carry the mirror image of the measured tire (`measured_on`): its force without slip (conicity, ply steer) then acts in
the opposite direction and a car drives straight. Moments are positive when they turn the wheel into its direction of
motion.

Slips: published curves use plain ratios of speeds. Near rest these need a regularised denominator (slip.py), which
would reduce the slip by a twentieth at 20 m/s; here it fades out with speed:

    kappa = (omega R - v_lon) / w,    alpha = atan(v_lat / w),    w = sqrt(v_lon^2 + m^2)

or, with `slip_speed: least`, it applies only below the threshold: w = max(|v_lon|, m).

`roll_scrub` is the share of body roll and pitch that moves the tread laterally or steers it: a wheel fixed to a body
with roll g and pitch p is steered by about g p. 1 is a wheel fixed to the body except for its travel, as elsewhere in
this program; 0 is ideal kinematics without scrub: slips, slip angles and force directions follow from the velocity of
the centre of mass, the yaw rate and the steer angle in the road plane, and camber is that of the unsteered wheel, as in
handling models. An axle located laterally at its hubs also moves its treads when it rolls on its tires, at the body's
roll rate p less that of the travel (jounces z at x right of the centre line); `axle_scrub` is the share of that:

    v_lat = ... - axle_scrub R (p - (z_1' - z_2') / (x_1 - x_2))

Relaxation: the carcass deflects before force builds up, so that slips enter the formula with a lag over a length L of
road,

    d slip' / dt = w (slip - slip') / L        L = 0: at once

Grip factor (RC-TIRE-01) multiplies forces along and across, never the load. Loads beyond the one at which a set's peak
force is largest count as that load.
"""

import math
from dataclasses import replace

import numpy as np

from driving_sandbox.physics.body.heading import yaw_rate
from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import quat, vec3
from driving_sandbox.physics.schema.schema import Choice, Curve, Float, Int, PerWheel, field
from driving_sandbox.physics.suspension.links import opposite_of
from driving_sandbox.physics.tire.combined_slip import ROLLING_SPEED, TireParams, TireState
from driving_sandbox.physics.tire.combined_slip import derive as derive_standard
from driving_sandbox.physics.tire.slip import camber_angle
from driving_sandbox.physics.wheel.wheel import hub_axes, total_steer, turn

KILONEWTON = 1e-3  # of N
LEAN_RIGHT = 0  # index of the options of `camber_convention`
LEFT, RIGHT = 1, 2  # of `measured_on`
LEAST = 1  # of `slip_speed`
_standard = TireParams.fields


class MagicTireParams(PerWheel):
    """All parameters of such a tire except its coefficients."""

    tire_type: Choice = _standard["tire_type"]
    grip_factor: Float = field(
        unit="1",
        ge=0,
        le=10,
        default=1.0,
        suggest=(0.5, 2),
        source="RC-TIRE-01",
        doc="Factor on longitudinal and lateral force; neither on the load nor on the aligning moment.",
    )
    camber_convention: Choice = field(
        options=("lean_right", "lean_left"),
        default="lean_right",
        doc="Which lean the coefficients count as positive camber.",
    )
    measured_on: Choice = field(
        options=("both", "left", "right"),
        default="both",
        doc="Side of the vehicle the coefficients are for: the other gets the tire's mirror image; both: all alike.",
    )
    roll_scrub: Float = field(
        unit="1",
        ge=0,
        le=1,
        default=1.0,
        suggest=(0, 1),
        doc="Share of the body's roll and pitch that moves the tread laterally or steers it.",
    )
    axle_scrub: Float = field(
        unit="1",
        ge=0,
        le=1,
        default=0.0,
        suggest=(0, 1),
        doc="Share of the hub's own roll, body and travel, that moves the tread sideways by the wheel's radius.",
    )
    slip_speed: Choice = field(
        options=("blended", "least"),
        default="blended",
        doc="Speed that slips are shares of: blended with the least one near rest, or the wheel's own down to that.",
    )
    relaxation_longitudinal: Float = field(
        unit="m", ge=0, default=0.0, suggest=(0, 0.5), doc="Road over which longitudinal slip builds up force."
    )
    relaxation_lateral: Float = field(
        unit="m", ge=0, default=0.0, suggest=(0, 1.5), doc="Road over which the slip angle builds up force."
    )
    friction_versus_slip: Curve = replace(
        _standard["friction_versus_slip"],
        source="",
        doc="Factor on the road's friction over |longitudinal slip|; the formula has its own peak, so usually 1.",
    )
    load_filter: Curve = _standard["load_filter"]
    rest_load: Float = _standard["rest_load"]
    rolling_resistance: Float = _standard["rolling_resistance"]
    nominal_load: Float = _standard["nominal_load"]
    opposite: Int = field(unit="1", derived=True, doc="Number of the wheel across the axle; its own: none.")
    mirror: Float = field(unit="1", derived=True, doc="-1 on wheels with the mirror image of the measured tire.")
    largest_load: Float = field(unit="N", derived=True, doc="Load of the set's largest force; more counts as this.")


class MagicTireState(TireState):
    """The standard tire's state, and relaxed slips."""

    aligning_moment: Float = field(
        unit="N*m", doc="About the road normal, > 0 turns the wheel to the right; a channel only."
    )
    road_friction: Float = field(unit="1", doc="Friction of road and tire type: a factor on the formula's peak.")
    built_slip: Float = field(unit="1", doc="Longitudinal slip after relaxation.")
    built_angle: Float = field(unit="rad", doc="Slip angle after relaxation.")


@inline_kernel
def follow(built, slip, speed, length, dt):
    """A slip with a first-order lag over a length of road; exact step of the linear equation at constant speed."""
    if length <= 0.0:
        return slip
    return slip + (built - slip) * elementary.exp(-speed * dt / length)


@inline_kernel
def denominator(p, speed, least):
    """w of the module."""
    if p.slip_speed == LEAST:
        return max(abs(speed), least)
    return math.sqrt(speed * speed + least * least)


@inline_kernel
def longitudinal_denominator(p, t, actuation_s, context):
    active = actuation_s.brake_applied + actuation_s.drive_applied
    least = context.min_active_slip_speed if active != 0 else context.min_passive_slip_speed
    return denominator(p, t.longitudinal_speed, least)


@inline_kernel
def turned_by_body(t, ahead, normal, steered):
    """Additional steer angle of a wheel by roll and pitch of the body, positive to the left, rad."""
    forward = vec3.normalize(vec3.sub(ahead, vec3.scale(normal, vec3.dot(ahead, normal))))
    heading = vec3.load(t.longitudinal)
    left = vec3.dot(vec3.cross(normal, forward), heading)
    return elementary.atan2(left, vec3.dot(forward, heading)) - steered


@inline_kernel
def turn_back(t, angle):
    """Directions of a tire, and its speeds along them, turned to the right by an angle."""
    c, s = turn(angle)
    ahead, right = vec3.load(t.longitudinal), vec3.load(t.lateral)
    vec3.store(t.longitudinal, vec3.add_scaled(vec3.scale(ahead, c), right, s))
    vec3.store(t.lateral, vec3.add_scaled(vec3.scale(right, c), ahead, -s))
    t.longitudinal_speed, t.lateral_speed = (c * t.longitudinal_speed + s * t.lateral_speed,
                                             c * t.lateral_speed - s * t.longitudinal_speed)  # fmt: skip


@inline_kernel
def moved_by_body(t, suspension_p, body, ahead, normal):
    """Velocity of a tread relative to its position on a body without roll and pitch, m/s."""
    spin, right = vec3.load(body.angular_velocity), vec3.normalize(vec3.cross(ahead, normal))
    turning = yaw_rate(spin, ahead, vec3.cross(normal, right), normal)
    place = vec3.scale(right, suspension_p.arm[0])
    place = vec3.add_scaled(place, vec3.cross(normal, right), suspension_p.arm[1])
    upright = vec3.cross(vec3.scale(normal, turning), place)
    return vec3.sub(vec3.cross(spin, vec3.load(t.arm)), upright)


@kernel
def unsteered_camber(suspension_p, wheel_p, compliance_s, body, normal):
    """Camber of the unsteered wheel, rad."""
    axle, forward = hub_axes(suspension_p, wheel_p, compliance_s.camber, 0.0)
    q = quat.load(body.orientation)
    return camber_angle(vec3.dot(normal, quat.rotate(q, axle)), vec3.dot(normal, quat.rotate(q, forward)))


@inline_kernel
def axle_travel(suspension, suspension_params, i, other):
    """Rate at which an axle rolls against its body by its travel, rad/s; none for a wheel alone."""
    width = suspension_params[i].attachment[0] - suspension_params[other].attachment[0]
    return (suspension[i].jounce_speed - suspension[other].jounce_speed) / width if width != 0.0 else 0.0


@kernel
def true_slips(
    params,
    state,
    suspension,
    suspension_params,
    compliance,
    road,
    wheel,
    wheel_params,
    steering,
    actuation,
    body,
    context,
    wheel_count,
):
    """Slips of the module in place of the standard tire's, for wheels on the ground."""
    ahead = quat.rotate(quat.load(body.orientation), (0.0, 1.0, 0.0))
    spin = vec3.load(body.angular_velocity)
    for i in range(wheel_count):
        t = state[i]
        if suspension[i].on_ground != 0:
            if params[i].roll_scrub < 1.0:
                share, normal = 1.0 - params[i].roll_scrub, vec3.load(road[i].normal)
                moved = moved_by_body(t, suspension_params[i], body, ahead, normal)
                steered = total_steer(steering[i], compliance[i])
                t.longitudinal_speed -= share * vec3.dot(moved, vec3.load(t.longitudinal))
                t.lateral_speed -= share * vec3.dot(moved, vec3.load(t.lateral))
                turn_back(t, share * turned_by_body(t, ahead, normal, steered))
                straight = unsteered_camber(suspension_params[i], wheel_params[i], compliance[i], body, normal)
                t.camber += share * (straight - t.camber)
            if params[i].axle_scrub > 0.0:
                normal = vec3.load(road[i].normal)
                along = vec3.normalize(vec3.add_scaled(ahead, normal, -vec3.dot(ahead, normal)))
                rolling = vec3.dot(along, spin) - axle_travel(suspension, suspension_params, i, params[i].opposite)
                t.lateral_speed -= params[i].axle_scrub * wheel_params[i].radius * rolling
            w = longitudinal_denominator(params[i], t, actuation[i], context)
            t.longitudinal_slip = (wheel[i].omega * wheel_params[i].radius - t.longitudinal_speed) / w
            w = denominator(params[i], t.longitudinal_speed, context.min_lateral_slip_speed)
            t.lateral_slip = elementary.atan(t.lateral_speed / w)


@kernel
def build_up(p, t, actuation_s, context, dt):
    """Update both relaxed slips; 0 in directions held by the contact solver."""
    if t.sticky_longitudinal != 0:
        t.longitudinal_slip, t.built_slip = 0.0, 0.0
    else:
        w = longitudinal_denominator(p, t, actuation_s, context)
        t.built_slip = follow(t.built_slip, t.longitudinal_slip, w, p.relaxation_longitudinal, dt)
    if t.sticky_lateral != 0:
        t.lateral_slip, t.built_angle = 0.0, 0.0
    else:
        w = denominator(p, t.longitudinal_speed, context.min_lateral_slip_speed)
        t.built_angle = follow(t.built_angle, t.lateral_slip, w, p.relaxation_lateral, dt)


@inline_kernel
def camber_of_set(p, t):
    """Camber in the set's frame, rad."""
    return p.mirror * t.camber * (1.0 if p.camber_convention == LEAN_RIGHT else -1.0)


@inline_kernel
def use_friction(p, t, peak):
    """Store the road's friction, and replace it by the tire's on it; peak: of the formula, force / load."""
    t.road_friction = t.friction
    t.friction = t.friction * p.grip_factor * peak


@kernel
def store_forces(p, t, fx, fy, mz, road_s, omega, radius):
    """Store the forces of one tire in its own frame (fy, mz: in the set's) for the vehicle."""
    t.longitudinal_force = 0.0 if t.sticky_longitudinal != 0 else p.grip_factor * fx
    t.lateral_force = 0.0 if t.sticky_lateral != 0 else p.mirror * p.grip_factor * fy
    t.aligning_moment = 0.0 if t.sticky_lateral != 0 else p.mirror * mz
    rim_speed = omega * radius
    drag = (p.rolling_resistance + road_s.rolling_drag) * t.load * radius
    t.wheel_torque = -t.longitudinal_force * radius - drag * rim_speed / (abs(rim_speed) + ROLLING_SPEED)


def mirror_of(p: np.void, suspension_p: np.void) -> float:
    """-1 for a wheel on the other side than the set was measured on, else 1."""
    measured, x = int(p["measured_on"]), float(suspension_p["attachment"][0])
    return -1.0 if (measured == LEFT and x > 0.0) or (measured == RIGHT and x < 0.0) else 1.0


def derive_shared(params, suspension_params, wheel_count, context):
    """Nominal loads and mirror images."""
    derive_standard(params, suspension_params, wheel_count, context)
    places = suspension_params["attachment"][:wheel_count, :2]
    for i, (p, s) in enumerate(zip(params[:wheel_count], suspension_params[:wheel_count], strict=True)):
        p["opposite"] = opposite_of(places, i)
        p["mirror"] = mirror_of(p, s)


FARTHEST = 1e5  # largest coefficient in its unit: imported sets have no ranges


def coefficients(table):
    """{name: Field} of a table of (name, unit, default, doc), for the body of a Schema."""
    return {name: field(unit=unit, default=default, doc=doc, suggest=_usual(default), ge=-FARTHEST, le=FARTHEST)
            for name, unit, default, doc in table}  # fmt: skip


def _usual(value):
    """Slider range around a coefficient."""
    reach = abs(value) or 1.0
    return (value - reach, value + reach)


class OwnNumber(Float):
    """A coefficient with a different meaning in other sets: not carried over by a swap of tires."""


def with_coefficients(name, base, doc, table, own=(), **derived):
    """A Schema of `base`, the coefficients of a table (those in `own` as OwnNumber), and derived name=(kind, Field)."""
    fields = coefficients(table)
    kinds = dict.fromkeys(fields, Float) | dict.fromkeys(own, OwnNumber)
    kinds |= {key: kind for key, (kind, _) in derived.items()}
    declared = fields | {key: value for key, (_, value) in derived.items()}
    return type(name, (base,), {"__doc__": doc, "__annotations__": kinds, **declared})
