"""Common part of all Magic Formula tires: mounting side and sign conventions, grip factor, relaxation, state.

A set of coefficients has its own sign convention. The program's is that of slip.py: alpha > 0 moves right, camber > 0
leans right, forces to the right. In the set's frame a positive angle causes a force to the right, so

    angle = -m alpha        camber = m c camber        F_y = m f(angle, camber)

with `camber` on the right the program's camber, c = -1 for sets that count a lean to the left as positive
(`camber_convention`), and m = -1 on the wheels that carry the mirror image of the measured tire (`measured_on`): its
force without slip (conicity, ply steer) then acts in the opposite direction and a car drives straight. Moments are
positive if they turn the wheel to the right.

Slips: published curves use plain ratios of speeds. Near rest these need a regularised denominator. That of slip.py
would still reduce the slip angle by a twentieth at 20 m/s; here the regularisation fades out with speed:

    kappa = (omega R - v_lon) / w,    alpha = atan(v_lat / w),    w = sqrt(v_lon^2 + v_min^2)

or, with `slip_speed: least`, it acts only below v_min: w = max(|v_lon|, v_min). v_min is a minimum speed of the world's
context: one for slip angles, one each for the slip ratios of active (driven or braked) and of passive wheels.

`roll_scrub` is the share of body roll and pitch that moves the tread laterally or steers it: a wheel fixed to a body
that has rolled by phi and pitched by theta is steered by about phi theta. 1: the wheel is fixed to the body except for
its travel, as elsewhere in this program. 0: ideal kinematics without scrub, as in handling models: slips, slip angles
and force directions follow from the velocity of the centre of mass, the yaw rate and the steer angle in the road plane,
and camber is that of the unsteered wheel.

A solid axle that rolls on its tires moves their treads sideways. Its roll rate is that of the body, phi', less that of
the suspension travel (jounces z of wheels at x right of the centre line); `axle_scrub` is the share that takes effect:

    v_lat = ... - axle_scrub R (phi' - (z_1' - z_2') / (x_1 - x_2))

Relaxation: the carcass deflects before force builds up, so that slips enter the formula with a lag over a length L of
road,

    d slip' / dt = w (slip - slip') / L        L = 0: at once

The grip factor (RC-TIRE-01) multiplies longitudinal and lateral forces, never the load. Loads beyond the one at which a
set's peak force is largest count as that load.
"""

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from driving_sandbox.physics.body.heading import yaw_rate
from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import quat, vec3
from driving_sandbox.physics.schema.schema import Choice, Curve, Float, Int, PerWheel, field
from driving_sandbox.physics.suspension.links import opposite_of
from driving_sandbox.physics.tire.combined_slip import FADE_SPEED, TireParams, TireState
from driving_sandbox.physics.tire.combined_slip import derive as derive_standard
from driving_sandbox.physics.tire.slip import camber_angle
from driving_sandbox.physics.wheel.wheel import cos_sin, hub_axes, total_steer

KN_PER_N = 1e-3  # kN per N
LEAN_RIGHT = 0  # index of `lean_right` among the options of `camber_convention`
LEFT, RIGHT = 1, 2  # indices of `left` and `right` among the options of `measured_on`
LEAST = 1  # index of `least` among the options of `slip_speed`
_standard = TireParams.fields


class MagicTireParams(PerWheel):
    """Parameters of a Magic Formula tire except its coefficients."""

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
        doc="Side of the vehicle that the coefficients are for: the other side gets the mirror image; both: "
        "no mirroring.",
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
        doc="Share of a solid axle's roll on its tires (body roll minus roll by suspension travel) that moves the "
        "tread sideways.",
    )
    slip_speed: Choice = field(
        options=("blended", "least"),
        default="blended",
        doc="Denominator of slips: blended with the minimum speed near rest, or the wheel's speed down to "
        "that minimum.",
    )
    relaxation_longitudinal: Float = field(
        unit="m", ge=0, default=0.0, suggest=(0, 0.5), doc="Relaxation length of the longitudinal force; 0: none."
    )
    relaxation_lateral: Float = field(
        unit="m", ge=0, default=0.0, suggest=(0, 1.5), doc="Relaxation length of the lateral force; 0: none."
    )
    friction_versus_slip: Curve = replace(
        _standard["friction_versus_slip"],
        source="",
        doc="Factor on the road's friction as a function of |slip ratio|; usually 1, as the formula has its own peak.",
    )
    load_filter: Curve = _standard["load_filter"]
    rest_load: Float = _standard["rest_load"]
    rolling_resistance: Float = _standard["rolling_resistance"]
    nominal_load: Float = _standard["nominal_load"]
    opposite: Int = field(
        unit="1", derived=True, doc="Index of the wheel at the other end of the axle; its own without one."
    )
    mirror: Float = field(unit="1", derived=True, doc="-1 on wheels with the mirror image of the measured tire.")
    largest_load: Float = field(
        unit="N", derived=True, doc="Load of the set's largest force; larger loads count as this."
    )


class MagicTireState(TireState):
    """State of any tire, and relaxed slips."""

    aligning_moment: Float = field(
        unit="N*m", doc="Moment about the road normal, > 0 turns the wheel to the right; for telemetry only."
    )
    road_friction: Float = field(unit="1", doc="Friction of road and tire type, which scales the formula's peak.")
    built_slip: Float = field(unit="1", doc="Longitudinal slip after relaxation.")
    built_angle: Float = field(unit="rad", doc="Slip angle after relaxation.")


@inline_kernel
def relaxed(built: float, slip: float, speed: float, length: float, dt: float) -> float:
    """Relaxed slip after dt, from the slip `built` before: exact step of the first-order lag at constant speed.

    length: relaxation length, m.
    """
    if length <= 0.0:
        return slip
    return slip + (built - slip) * elementary.exp(-speed * dt / length)


@inline_kernel
def denominator(p: Any, speed: float, min_speed: float) -> float:
    """w, the denominator of a slip, m/s. speed: v_lon, m/s. min_speed: v_min, m/s."""
    if p.slip_speed == LEAST:
        return max(abs(speed), min_speed)
    return math.sqrt(speed * speed + min_speed * min_speed)


@inline_kernel
def longitudinal_denominator(p: Any, t: Any, actuation_s: Any, context: Any) -> float:
    """w of the slip ratio, m/s."""
    active = actuation_s.brake_applied + actuation_s.drive_applied
    min_speed = context.min_active_slip_speed if active != 0 else context.min_passive_slip_speed
    return denominator(p, t.longitudinal_speed, min_speed)


@inline_kernel
def body_steer(t: Any, ahead: Any, normal: Any, steered: float) -> float:
    """Steer angle of a wheel caused by roll and pitch of the body, positive to the left, rad.

    Args:
        ahead: longitudinal axis of the body.
        normal: unit normal of the road.
        steered: sum of steer angle and toe, rad.
    """
    forward = vec3.normalize(vec3.sub(ahead, vec3.scale(normal, vec3.dot(ahead, normal))))
    heading = vec3.load(t.longitudinal)
    sine = vec3.dot(vec3.cross(normal, forward), heading)
    return elementary.atan2(sine, vec3.dot(forward, heading)) - steered


@inline_kernel
def turn_right(t: Any, angle: float) -> None:
    """Turn the directions of a tire to the right by an angle, rad, and update its speeds along them."""
    c, s = cos_sin(angle)
    forward, right = vec3.load(t.longitudinal), vec3.load(t.lateral)
    vec3.store(t.longitudinal, vec3.add_scaled(vec3.scale(forward, c), right, s))
    vec3.store(t.lateral, vec3.add_scaled(vec3.scale(right, c), forward, -s))
    t.longitudinal_speed, t.lateral_speed = (c * t.longitudinal_speed + s * t.lateral_speed,
                                             c * t.lateral_speed - s * t.longitudinal_speed)  # fmt: skip


@inline_kernel
def scrub_velocity(t: Any, suspension_p: Any, body: Any, ahead: Any, normal: Any) -> tuple[float, float, float]:
    """Velocity of a tread minus the one it would have on a body without roll and pitch, m/s, world axes."""
    angular_velocity, right = vec3.load(body.angular_velocity), vec3.normalize(vec3.cross(ahead, normal))
    yaw = yaw_rate(angular_velocity, ahead, vec3.cross(normal, right), normal)
    arm = vec3.scale(right, suspension_p.arm[0])
    arm = vec3.add_scaled(arm, vec3.cross(normal, right), suspension_p.arm[1])
    level_velocity = vec3.cross(vec3.scale(normal, yaw), arm)
    return vec3.sub(vec3.cross(angular_velocity, vec3.load(t.arm)), level_velocity)


@kernel
def unsteered_camber(suspension_p: Any, wheel_p: Any, compliance_s: Any, body: Any, normal: Any) -> float:
    """Camber of the unsteered wheel, rad."""
    axle, forward = hub_axes(suspension_p, wheel_p, compliance_s.camber, 0.0)  # steer angle 0
    q = quat.load(body.orientation)
    return camber_angle(vec3.dot(normal, quat.rotate(q, axle)), vec3.dot(normal, quat.rotate(q, forward)))


@inline_kernel
def travel_roll_rate(suspension: Any, suspension_params: Any, i: int, other: int) -> float:
    """Roll rate of an axle relative to the body, from the jounce speeds of its wheels, rad/s; 0 for a single wheel."""
    track = suspension_params[i].attachment[0] - suspension_params[other].attachment[0]
    return (suspension[i].jounce_speed - suspension[other].jounce_speed) / track if track != 0.0 else 0.0


@kernel
def true_slips(
    params: Any, state: Any, suspension: Any, suspension_params: Any, compliance: Any, road: Any, wheel: Any,
    wheel_params: Any, steering: Any, actuation: Any, body: Any, context: Any, wheel_count: int,
) -> None:  # fmt: skip
    """Replace the slips of combined_slip.py by those defined at the top, for wheels on the ground.

    `roll_scrub` and `axle_scrub` also change speeds, directions and camber.
    """
    ahead = quat.rotate(quat.load(body.orientation), (0.0, 1.0, 0.0))
    for i in range(wheel_count):
        t = state[i]
        if suspension[i].on_ground != 0:
            if params[i].roll_scrub < 1.0:
                ideal_share, normal = 1.0 - params[i].roll_scrub, vec3.load(road[i].normal)
                scrub = scrub_velocity(t, suspension_params[i], body, ahead, normal)
                steered = total_steer(steering[i], compliance[i])
                t.longitudinal_speed -= ideal_share * vec3.dot(scrub, vec3.load(t.longitudinal))
                t.lateral_speed -= ideal_share * vec3.dot(scrub, vec3.load(t.lateral))
                turn_right(t, ideal_share * body_steer(t, ahead, normal, steered))
                unsteered = unsteered_camber(suspension_params[i], wheel_params[i], compliance[i], body, normal)
                t.camber += ideal_share * (unsteered - t.camber)
            if params[i].axle_scrub > 0.0:
                normal = vec3.load(road[i].normal)
                axis = vec3.normalize(vec3.add_scaled(ahead, normal, -vec3.dot(ahead, normal)))
                roll = vec3.dot(axis, vec3.load(body.angular_velocity)) - travel_roll_rate(
                    suspension, suspension_params, i, params[i].opposite
                )
                t.lateral_speed -= params[i].axle_scrub * wheel_params[i].radius * roll
            w = longitudinal_denominator(params[i], t, actuation[i], context)
            t.longitudinal_slip = (wheel[i].omega * wheel_params[i].radius - t.longitudinal_speed) / w
            w = denominator(params[i], t.longitudinal_speed, context.min_lateral_slip_speed)
            t.lateral_slip = elementary.atan(t.lateral_speed / w)


@kernel
def build_up(p: Any, t: Any, actuation_s: Any, context: Any, dt: float) -> None:
    """Update both relaxed slips; they are 0 in directions held by the contact solver."""
    if t.sticky_longitudinal != 0:
        t.longitudinal_slip, t.built_slip = 0.0, 0.0
    else:
        w = longitudinal_denominator(p, t, actuation_s, context)
        t.built_slip = relaxed(t.built_slip, t.longitudinal_slip, w, p.relaxation_longitudinal, dt)
    if t.sticky_lateral != 0:
        t.lateral_slip, t.built_angle = 0.0, 0.0
    else:
        w = denominator(p, t.longitudinal_speed, context.min_lateral_slip_speed)
        t.built_angle = relaxed(t.built_angle, t.lateral_slip, w, p.relaxation_lateral, dt)


@inline_kernel
def camber_of_set(p: Any, t: Any) -> float:
    """Camber in the set's frame, rad."""
    return p.mirror * t.camber * (1.0 if p.camber_convention == LEAN_RIGHT else -1.0)


@inline_kernel
def use_friction(p: Any, t: Any, peak: float) -> None:
    """Move the road's friction to `road_friction`, and set `friction` to that of tire and road together.

    peak: peak force / load of the formula on a road of friction 1.
    """
    t.road_friction = t.friction
    t.friction = t.friction * p.grip_factor * peak


@kernel
def store_forces(p: Any, t: Any, fx: float, fy: float, mz: float, road_s: Any, omega: float, radius: float) -> None:
    """Store the forces of one tire. fx: forward, N. fy (N), mz (N m): in the set's axes. omega: of the wheel, rad/s."""
    t.longitudinal_force = 0.0 if t.sticky_longitudinal != 0 else p.grip_factor * fx
    t.lateral_force = 0.0 if t.sticky_lateral != 0 else p.mirror * p.grip_factor * fy
    t.aligning_moment = 0.0 if t.sticky_lateral != 0 else p.mirror * mz
    rim_speed = omega * radius
    rolling_torque = (p.rolling_resistance + road_s.rolling_drag) * t.load * radius
    t.wheel_torque = -t.longitudinal_force * radius - rolling_torque * rim_speed / (abs(rim_speed) + FADE_SPEED)


def mirror_of(p: np.void, suspension_p: np.void) -> float:
    """-1 for a wheel on the side opposite to the measured tire, else 1."""
    measured, x = int(p["measured_on"]), float(suspension_p["attachment"][0])
    return -1.0 if (measured == LEFT and x > 0.0) or (measured == RIGHT and x < 0.0) else 1.0


def derive_shared(params: Any, suspension_params: Any, wheel_count: int, context: Any) -> None:
    """Derive nominal loads, opposite wheels and mirror images."""
    derive_standard(params, suspension_params, wheel_count, context)
    positions = suspension_params["attachment"][:wheel_count, :2]
    for i, (p, s) in enumerate(zip(params[:wheel_count], suspension_params[:wheel_count], strict=True)):
        p["opposite"] = opposite_of(positions, i)
        p["mirror"] = mirror_of(p, s)


MAX_COEFFICIENT = 1e5  # largest magnitude of a coefficient, in its unit; wide, as imported sets have no usual ranges


def coefficients(table: Iterable[tuple[str, str, float, str]]) -> dict[str, Any]:
    """{name: Field} of a table of (name, unit, default, doc), for the body of a Schema."""
    return {name: field(unit=unit, default=default, doc=doc, suggest=_usual(default), ge=-MAX_COEFFICIENT,
                        le=MAX_COEFFICIENT)
            for name, unit, default, doc in table}  # fmt: skip


def _usual(value: float) -> tuple[float, float]:
    """(lower, upper) end of the slider of a coefficient whose default is `value`."""
    half_range = abs(value) or 1.0
    return (value - half_range, value + half_range)


class OwnNumber(Float):
    """A coefficient whose name has another meaning in other sets, so that a swap of tires does not keep its value."""


def with_coefficients(
    name: str,
    base: type,
    doc: str,
    table: Iterable[tuple[str, str, float, str]],
    own: Iterable[str] = (),
    **derived: tuple[Any, Any],
) -> Any:
    """A Schema made of `base`, the coefficients of a table, and derived fields.

    Args:
        table: rows (name, unit, default, doc).
        own: names of the coefficients to declare as OwnNumber.
        derived: {name: (kind, Field)} of the derived fields.
    """
    fields = coefficients(table)
    kinds = dict.fromkeys(fields, Float) | dict.fromkeys(own, OwnNumber)
    kinds |= {key: kind for key, (kind, _) in derived.items()}
    declared = fields | {key: value for key, (_, value) in derived.items()}
    return type(name, (base,), {"__doc__": doc, "__annotations__": kinds, **declared})
