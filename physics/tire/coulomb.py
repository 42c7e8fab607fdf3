"""Coulomb friction between tire and ground: a tire sticks up to its friction limit (CE-TIRE-01..08, CE-BRAKE-05).

A rolling tire is free along its rolling direction and sticks laterally; drive and brake act longitudinally through the
wheel's spin. In each direction the force that would stop the tread's speed s over the ground within the step h is

    F_i = -s_i / a_i

    across   s = v                     a = h n J
    along    s = v - omega' R          a = h (n J + R^2 / I_wheel)     omega': spin after this step's other torques
             s = v                     a = h n J                       for a wheel that its brake holds

with v the body's speed over the ground in that direction at the contact, J = 1/m + |r x d|^2 / I the inverse mass
there, and n = m / (mass that the tire carries), as all tires act at the same time. While the wheel turns, both
directions share the limit mu N: beyond it the tire slides, and its force opposes the motion that remains at the end of
the step,

    F_i = -s_i / (u + a_i)             u > 0 such that |F| = mu N

(the implicit form of Coulomb's law). A wheel locked by the handbrake has no rolling direction; its two directions are
limited by mu N independently, together up to sqrt(2) mu N, hence the friction factor of 0.85. Under a constant force F
a sticking tire creeps at the speed n J h F, up to some centimetres a second.

    mu = friction of the ground under this wheel (road/query.py: from the table or as a mean, then clamped)
       * dynamic_ratio       if it slips: the tread moves over the ground faster than slip_threshold
       * handbrake_factor    if the handbrake locks it; mu is then at most max_braking_friction

All speeds are relative to the ground, which may move. Near standstill the contact solver holds the tire, as it does
with other tire models. Limitations: below the friction limit a tire does not slip, so it has no slip angle that grows
with the lateral force; there is no aligning moment. Signs as in slip.py.
Source: the CryEngine vehicle document, "Both handbrake and footbrake are supported" and the wheel record.
"""

import math
from typing import Any

from driving_sandbox.physics.brakes.locking import LOCK_TORQUE
from driving_sandbox.physics.drivetrain.wheel_speed import sign_or_zero
from driving_sandbox.physics.ground.arrays import TIRE_TYPES
from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import quat, vec3
from driving_sandbox.physics.schema.schema import Choice, Float, Int, PerWheel, field
from driving_sandbox.physics.tick.component import Component
from driving_sandbox.physics.tire.combined_slip import (
    FADE_SPEED,
    TireState,
    clear_contact,
    clear_sticky,
    project_onto_road,
)
from driving_sandbox.physics.tire.slip import lateral_slip, longitudinal_slip
from driving_sandbox.physics.wheel.wheel import hub_axes, suspension_to_body, total_steer, wheel_centre

SLIDING_STEPS = 4  # iterations of Newton's method; the direction's error is mostly below 1e-6 rad, at worst 0.01 rad


class CoulombTireParams(PerWheel):
    """Friction of one tire when it slips or is locked, and rolling resistance."""

    tire_type: Choice = field(
        options=TIRE_TYPES, default="street", mechanic=True, doc="Column of the surfaces' friction table."
    )
    slip_threshold: Float = field(
        unit="m/s",
        ge=0,
        le=100,
        default=0.05,
        suggest=(0.01, 0.5),
        source="CE-TIRE-07",
        doc="Speed of the tread over the ground above which the wheel counts as slipping.",
    )
    dynamic_ratio: Float = field(
        unit="1",
        ge=0,
        le=5,
        default=1.0,
        suggest=(0.3, 1.5),
        source="CE-TIRE-08",
        doc="Factor on the friction of a slipping wheel.",
    )
    handbrake_factor: Float = field(
        unit="1",
        ge=0,
        le=1,
        default=0.85,
        suggest=(0.5, 1),
        source="CE-TIRE-03",
        doc="Factor on the friction of a wheel locked by the handbrake, which has this limit in each direction.",
    )
    max_braking_friction: Float = field(
        unit="1",
        ge=0,
        le=10,
        default=10.0,
        suggest=(0.2, 2),
        source="CE-BRAKE-05",
        doc="Largest friction of a wheel locked by the handbrake.",
    )
    rolling_resistance: Float = field(
        unit="1", ge=0, default=0.0, suggest=(0, 0.05), doc="Rolling resistance coefficient, added to the surface's."
    )
    nominal_load: Float = field(unit="N", derived=True, doc="Weight the wheel carries at rest.")

    aliases = {"dyn_friction_ratio": ("dynamic_ratio", 1.0)}


class CoulombTireState(TireState):
    """State of any tire, and whether the tire slips."""

    slipping: Int = field(unit="1", doc="1 while the tread moves over the ground faster than slip_threshold.")


@kernel
def effective_friction(p: Any, ground_friction: Any, slipping: Any, locked: bool) -> float:
    """mu as defined at the top. slipping, locked: whether the factors for these apply."""
    mu = ground_friction
    if slipping:
        mu *= p.dynamic_ratio
    if locked:
        mu = min(mu * p.handbrake_factor, p.max_braking_friction)
    return mu


@kernel
def contact_frame(
    t: Any, suspension_s: Any, suspension_p: Any, wheel_p: Any, compliance_s: Any, steering_s: Any, road_s: Any,
    body: Any, m: Any,
) -> None:  # fmt: skip
    """Set directions, speeds over the ground and camber of a tire on the ground. m: rotation matrix of the body."""
    axle, forward = hub_axes(suspension_p, wheel_p, compliance_s.camber, total_steer(steering_s, compliance_s))
    normal = vec3.load(road_s.normal)
    # until `project_onto_road`, the fields have the meanings given in `combined_slip.contact_motion`
    vec3.store(t.lateral, vec3.transform(m, axle))
    t.camber = vec3.dot(normal, vec3.transform(m, forward))
    length = suspension_p.travel - suspension_s.jounce + wheel_p.radius
    contact_arm = wheel_centre(suspension_p, wheel_p, length, 0.0, steering_s.angle)  # camber 0
    from_rotation = vec3.cross(vec3.load(body.angular_velocity), vec3.transform(m, contact_arm))
    velocity = vec3.sub(vec3.add(vec3.load(body.velocity), from_rotation), vec3.load(road_s.velocity))
    vec3.store(t.longitudinal, velocity)
    project_onto_road(t, normal)
    t.camber = elementary.asin(t.camber)


@kernel
def slip(
    params: Any, state: Any, suspension: Any, suspension_params: Any, compliance: Any, road: Any, wheel: Any,
    wheel_params: Any, steering: Any, actuation: Any, brakes: Any, body: Any, context: Any, wheel_count: int,
) -> None:  # fmt: skip
    """Set directions, speeds, slips, load and friction of every tire."""
    m = quat.to_matrix(quat.load(body.orientation))
    for i in range(wheel_count):
        t, s, w = state[i], suspension_params[i], wheel_params[i]
        clear_sticky(t)
        point = vec3.add(vec3.load(s.arm), suspension_to_body(s, vec3.load(compliance[i].tire_force_point)))
        vec3.store(t.arm, vec3.transform(m, point))
        rim_speed = wheel[i].omega * w.radius
        if suspension[i].on_ground == 0:
            clear_contact(t, rim_speed, actuation[i], context)
            t.slipping = 0
            continue
        contact_frame(t, suspension[i], s, w, compliance[i], steering[i], road[i], body, m)
        active = actuation[i].brake_applied + actuation[i].drive_applied
        min_speed = context.min_active_slip_speed if active != 0 else context.min_passive_slip_speed
        t.longitudinal_slip = longitudinal_slip(t.longitudinal_speed, wheel[i].omega, w.radius, min_speed)
        t.lateral_slip = lateral_slip(t.longitudinal_speed, t.lateral_speed, context.min_lateral_slip_speed)
        t.slipping = 1 if tread_speed(t, rim_speed) > params[i].slip_threshold else 0
        t.load = suspension[i].force
        locked = brakes[i].torque >= LOCK_TORQUE
        t.friction = effective_friction(params[i], road[i].friction, t.slipping != 0, locked)


@kernel
def tread_speed(t: Any, rim_speed: float) -> float:
    """Speed of the tread over the ground at the contact, m/s."""
    return elementary.hypot(t.longitudinal_speed - rim_speed, t.lateral_speed)


@kernel
def inverse_mass(arm: Any, direction: Any, m: Any, body_p: Any) -> float:
    """J: change of speed along a direction per impulse along it, 1/kg, at a point `arm` from the centre of mass."""
    lever = vec3.transform_back(m, vec3.cross(arm, direction))
    i = body_p.inertia
    return 1.0 / body_p.mass + lever[0] * lever[0] / i[0] + lever[1] * lever[1] / i[1] + lever[2] * lever[2] / i[2]


@kernel
def rolling_drag(p: Any, road_s: Any, load: float, radius: float, rim_speed: float) -> float:
    """Torque of rolling resistance on a wheel, N m, opposite to its rotation."""
    return -(p.rolling_resistance + road_s.rolling_drag) * load * radius * rim_speed / (abs(rim_speed) + FADE_SPEED)


@kernel
def motion_along(
    v: float, omega: float, torque: float, brake: float, limit: float, radius: float, inertia: float,
    body_inverse_mass: float, dt: float,
) -> tuple[float, float]:  # fmt: skip
    """(s, a) along the rolling direction, m/s and m/s per N.

    v: speed of the body over the ground at the contact, m/s.
    omega: spin rate, rad/s.
    torque: drive torque and rolling resistance on the wheel, N m.
    brake: magnitude of the dry brake torque, N m.
    limit: mu N, N.
    inertia: I_wheel, kg m^2.
    body_inverse_mass: n J, 1/kg.
    """
    if brake >= LOCK_TORQUE:
        return v, dt * body_inverse_mass
    brake_torque = -sign_or_zero(omega) * brake
    if omega == 0.0 and brake > 0.0:
        wheel_torque = torque + min(max(v / (dt * body_inverse_mass), -limit), limit) * radius
        if abs(wheel_torque) <= brake:  # the brake holds the wheel against the tire's force
            return v, dt * body_inverse_mass
        brake_torque = -sign_or_zero(wheel_torque) * brake
    omega_after = omega + dt * (torque + brake_torque) / inertia
    if omega * omega_after < 0.0 and abs(omega * inertia / dt + torque) <= brake:
        omega_after = 0.0  # the brake stops the wheel within the step and does not reverse it
    return v - omega_after * radius, dt * (body_inverse_mass + radius * radius / inertia)


@kernel
def sliding_force(
    s_along: float, a_along: float, s_across: float, a_across: float, limit: float
) -> tuple[float, float]:
    """(F along, F across) of magnitude `limit`, opposite to the motion that remains. Arguments: as for `tire_force`.

    Newton's method on 1 / |F| over u, which is nearly linear; the result is scaled to the exact magnitude.
    """
    u, x, y, magnitude = 0.0, 0.0, 0.0, 1.0  # x, y: minus the force
    for _ in range(SLIDING_STEPS):
        x, y = s_along / (u + a_along), s_across / (u + a_across)
        magnitude = elementary.hypot(x, y)
        u += (magnitude - limit) / limit * magnitude * magnitude / (x * x / (u + a_along) + y * y / (u + a_across))
    x, y = s_along / (u + a_along), s_across / (u + a_across)
    magnitude = elementary.hypot(x, y)
    return -x * limit / magnitude, -y * limit / magnitude


@kernel
def tire_force(
    s_along: float, a_along: float, s_across: float, a_across: float, limit: float, locked: bool
) -> tuple[float, float]:
    """(F along, F across), N.

    s_along, a_along, s_across, a_across: s (m/s) and a (m/s per N) of the module in both directions.
    limit: mu N, N.
    locked: whether the handbrake locks the wheel.
    """
    along, across = -s_along / a_along, -s_across / a_across
    if locked:
        return min(max(along, -limit), limit), min(max(across, -limit), limit)
    if along * along + across * across <= limit * limit:
        return along, across
    return sliding_force(s_along, a_along, s_across, a_across, limit)


@kernel
def force(
    params: Any, state: Any, road: Any, brakes: Any, actuation: Any, suspension_params: Any, wheel: Any,
    wheel_params: Any, body: Any, body_params: Any, wheel_count: int, dt: float,
) -> None:  # fmt: skip
    """Set the forces of every tire; in a direction held by the contact solver they are 0."""
    m = quat.to_matrix(quat.load(body.orientation))
    for i in range(wheel_count):
        t, w = state[i], wheel_params[i]
        t.aligning_moment = 0.0
        along, across, rolling_torque, limit = 0.0, 0.0, 0.0, t.friction * t.load
        if limit > 0.0:
            mass_ratio = body_params.mass / max(suspension_params[i].supported_mass, 1.0)  # 1 kg: keeps it finite
            arm, brake = vec3.load(t.arm), brakes[i].torque
            rolling_torque = rolling_drag(params[i], road[i], t.load, w.radius, wheel[i].omega * w.radius)
            body_inverse_mass = mass_ratio * inverse_mass(arm, vec3.load(t.longitudinal), m, body_params)
            a_across = dt * mass_ratio * inverse_mass(arm, vec3.load(t.lateral), m, body_params)
            s_along, a_along = motion_along(
                t.longitudinal_speed, wheel[i].omega, actuation[i].drive_torque + rolling_torque, brake, limit,
                w.radius, w.inertia, body_inverse_mass, dt,
            )  # fmt: skip
            s_along = s_along if t.sticky_longitudinal == 0 else 0.0
            s_across = t.lateral_speed if t.sticky_lateral == 0 else 0.0
            along, across = tire_force(s_along, a_along, s_across, a_across, limit, brake >= LOCK_TORQUE)
        t.longitudinal_force = along
        t.lateral_force = across
        t.wheel_torque = rolling_torque - along * w.radius


def derive(params: Any, suspension_params: Any, wheel_count: int, context: Any) -> None:
    """Set the loads at rest."""
    gravity = math.sqrt(sum(float(g) ** 2 for g in context["gravity"]))
    params["nominal_load"][:wheel_count] = suspension_params["supported_mass"][:wheel_count] * gravity


COULOMB = Component(
    slot="tire",
    name="coulomb",
    params=CoulombTireParams,
    state=CoulombTireState,
    phases={"slip": slip, "force": force},
    derive=derive,
    doc="Coulomb friction: sticks up to its friction limit, then slides.",
)
