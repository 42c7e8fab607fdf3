"""Fiala-type brush tire with combined slip: stiffnesses at small slip, mu times load at large slip (PX-TIRE-06..16).

    C_y  = Y g(3 x / X), x = load / rest load; Y at any load if X = 0; Y, X: lateral_stiffness, lateral_stiffness_load
    T    = tan(alpha - camber C_gamma / C_y), alpha: slip angle, C_gamma: camber_stiffness
    K    = sqrt((C_y T)^2 + (C_x kappa)^2) / (mu N), kappa: slip ratio, C_x: longitudinal_stiffness
    g(K) = min(1, K - K^2/3 + K^3/27)
    nu   = (1 + c - (1 - c) cos(K/2)) / 2 for K <= 2 pi, else 1; c = C_y / C_x
    F    = g mu N (kappa, -nu T) / |(kappa, nu T)|

g is Fiala's curve, as in PhysX and CarSimEd. mu = road friction times friction_versus_slip(|kappa|); N = rest load
times load_filter(suspension force / rest load). Signs as in physics/tire/slip.py; camber to the right pushes to the
right.

Kernels loop over the wheels several times, doing one part of the work for all wheels in each loop, so that the
processor can overlap the slow divisions and square roots of different wheels.
"""

import math
from typing import Any

import numpy as np

from driving_sandbox.physics.ground.arrays import TIRE_TYPES
from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import quat, vec3
from driving_sandbox.physics.schema.schema import WHEEL_CAPACITY, Choice, Curve, Float, Int, PerWheel, Vec3, field
from driving_sandbox.physics.tick.component import Component
from driving_sandbox.physics.tire.slip import camber_sine, lateral_slip, longitudinal_slip, tire_directions
from driving_sandbox.physics.wheel.wheel import cos_sin, inline_hub_axes, suspension_to_body, total_steer, wheel_centre

THIRD = 0.33333  # factor of K^2 in g(K), rounded as in the reference, whose results are reproduced
TWENTY_SEVENTH = 0.037037  # factor of K^3 in g(K), rounded as in the reference
LARGEST_ANGLE = 0.5 * elementary.LARGEST_ANGLE  # rad, limit of the equivalent slip angle: half the sine's domain
DEAD_BAND = 1e-5  # rad of slip angle and camber, and slip ratio: smaller magnitudes count as 0
MIN_REST_LOAD = 1e-3  # N, rest load without gravity: so small that the load filter leaves the tire without grip
FADE_SPEED = 0.1  # m/s, rim speed at which rolling resistance has half its value; it fades out towards rest

SCRATCH = np.dtype(
    [
        ("limit", np.float64, (WHEEL_CAPACITY,)),  # mu N
        ("stiffness", np.float64, (WHEEL_CAPACITY,)),  # C_y
        ("tangent", np.float64, (WHEEL_CAPACITY,)),  # T
        ("demand", np.float64, (WHEEL_CAPACITY,)),  # K
        ("across", np.float64, (WHEEL_CAPACITY,)),  # nu T
    ],
    align=True,
)


class TireParams(PerWheel):
    """Stiffness, friction and load sensitivity of one tire."""

    tire_type: Choice = field(
        options=TIRE_TYPES, default="street", mechanic=True, doc="Column of the surfaces' friction table."
    )
    lateral_stiffness: Float = field(
        unit="N/rad",
        gt=0,
        ge=0.1,
        suggest=(20e3, 250e3),
        doc="Cornering stiffness above the load at which it saturates.",
        source="PX-TIRE-10",
    )
    lateral_stiffness_load: Float = field(
        unit="1",
        ge=0,
        default=2.0,
        suggest=(0, 5),
        source="PX-TIRE-09",
        doc="Load, as a multiple of the rest load, above which cornering stiffness is constant; 0: at any load.",
    )
    longitudinal_stiffness: Float = field(
        unit="N", ge=0.1, suggest=(20e3, 300e3), doc="Longitudinal force per slip ratio.", source="PX-TIRE-08"
    )
    camber_stiffness: Float = field(
        unit="N/rad", ge=0, default=0.0, suggest=(0, 20e3), doc="Camber thrust per camber angle.", source="PX-TIRE-13"
    )
    friction_versus_slip: Curve = field(
        capacity=3,
        x_unit="1",
        x_label="|longitudinal slip|",
        unit="1",
        ge=0,
        le=5,
        default=[[0.0, 1.0], [0.1, 1.0], [1.0, 1.0]],
        suggest=(0, 1.5),
        source="PX-TIRE-14",
        doc="Factor on the road's friction as a function of |slip ratio|. Three points: zero slip, peak, full sliding.",
    )
    load_filter: Curve = field(
        capacity=2,
        x_unit="1",
        x_label="suspension force / rest load",
        unit="1",
        ge=0,
        le=10,
        default=[[0.0, 0.0], [3.0, 3.0]],
        suggest=(0, 3),
        source="PX-TIRE-15",
        doc="Tire load as a function of suspension force, both as multiples of the rest load. Two points.",
    )
    rest_load: Float = field(
        unit="N",
        ge=0,
        default=0.0,
        suggest=(0, 10e3),
        source="PX-TIRE-11",
        doc="Load that stiffness and load filter refer to; 0: the weight of the mass this wheel carries.",
    )
    rolling_resistance: Float = field(
        unit="1",
        ge=0,
        le=1,
        default=0.012,
        suggest=(0, 0.05),
        doc="Rolling resistance coefficient (resistance force / load); the surface's is added.",
    )
    nominal_load: Float = field(unit="N", derived=True, doc="Rest load in use: `rest_load`, or from the carried mass.")


class TireState(PerWheel):
    """Motion, load and forces of one contact patch."""

    longitudinal: Vec3 = field(unit="1", doc="Forward direction in the road plane.")
    lateral: Vec3 = field(unit="1", doc="Right direction in the road plane.")
    longitudinal_speed: Float = field(unit="m/s", doc="Speed of the contact point over the road, forward.")
    lateral_speed: Float = field(unit="m/s", doc="Speed of the contact point over the road, to the right.")
    longitudinal_slip: Float = field(unit="1", telemetry="longitudinal_slip", doc="Slip ratio, > 0 when driving.")
    lateral_slip: Float = field(
        unit="rad", telemetry="lateral_slip", doc="Slip angle, > 0 when the contact point moves right."
    )
    camber: Float = field(unit="rad", doc="Inclination angle to the road normal, > 0 when the top leans right.")
    load: Float = field(unit="N", telemetry="load", doc="Load after the load filter.")
    friction: Float = field(unit="1", doc="Friction coefficient in use.")
    longitudinal_force: Float = field(unit="N", telemetry="longitudinal_force", doc="Force on the body, forward.")
    lateral_force: Float = field(unit="N", telemetry="lateral_force", doc="Force on the body, to the right.")
    moment: Vec3 = field(unit="N*m", doc="Additional moment on the body, world axes; 0 for tires without moments.")
    aligning_moment: Float = field(
        unit="N*m", doc="Aligning moment for a trail of 1 m, > 0 turns the wheel to the right; not applied."
    )
    wheel_torque: Float = field(unit="N*m", doc="Torque of the road on the wheel, > 0 accelerates forward rotation.")
    sticky_longitudinal: Int = field(unit="1", doc="1 while a contact constraint replaces the longitudinal force.")
    sticky_lateral: Int = field(unit="1", doc="1 while a contact constraint replaces the force of lateral slip.")
    arm: Vec3 = field(unit="m", doc="Point where the forces act, relative to the centre of mass, world axes.")


@inline_kernel
def filtered_load(p: Any, suspension_force: float) -> float:
    """Tire load by the load filter, N. suspension_force: N."""
    f = p.load_filter
    x = suspension_force / p.nominal_load
    if x <= f.x[0]:
        y = f.y[0]
    elif x >= f.x[1]:
        y = f.y[1]
    else:
        y = f.y[0] + (x - f.x[0]) * (f.y[1] - f.y[0]) / (f.x[1] - f.x[0])
    return p.nominal_load * y


@inline_kernel
def friction_factor(p: Any, slip: float) -> float:
    """Factor on the road's friction at a slip ratio. Below the first point the first segment is extended."""
    c = p.friction_versus_slip
    s = abs(slip)
    if s < c.x[1]:
        return c.y[0] + (c.y[1] - c.y[0]) * (s - c.x[0]) / (c.x[1] - c.x[0])
    if s < c.x[2]:
        return c.y[1] + (c.y[2] - c.y[1]) * (s - c.x[1]) / (c.x[2] - c.x[1])
    return c.y[2]


@inline_kernel
def smooth_cubic(k: float) -> float:
    """Fiala's cubic K - K^2/3 + K^3/27, without the limit."""
    return k - k * k * (THIRD - TWENTY_SEVENTH * k)


@inline_kernel
def smooth_limit(k: float) -> float:
    """Fiala's curve g(K): slope 1 at zero, 1 from K = 3 on."""
    return min(1.0, smooth_cubic(k))


@inline_kernel
def lateral_stiffness(p: Any, load: float) -> float:
    """Cornering stiffness C_y at a load, N/rad. load: N."""
    if p.lateral_stiffness_load == 0.0:
        return p.lateral_stiffness
    return p.lateral_stiffness * smooth_limit(3.0 * load / (p.nominal_load * p.lateral_stiffness_load))


@inline_kernel
def outside_dead_band(value: float) -> float:
    """The slip or camber, or 0 in the dead band."""
    return 0.0 if abs(value) < DEAD_BAND else value


@inline_kernel
def side_slip_tangent(p: Any, cy: float, alpha: float, camber: float) -> float:
    """T: tangent of the slip angle that is equivalent to slip angle and camber together. cy: C_y.

    At very low load the stiffness is so small that the slip angle equivalent to the camber is thousands of turns, so it
    is clamped to half the domain of the sine. Beyond a quarter turn the tangent, and with it the sign of the force, has
    no meaning; this does no harm, as the force vanishes with the load. PhysX does the same.
    """
    angle = outside_dead_band(alpha) - outside_dead_band(camber) * p.camber_stiffness / cy
    c, s = cos_sin(max(-LARGEST_ANGLE, min(LARGEST_ANGLE, angle)))
    return s / c


@inline_kernel
def demand(p: Any, cy: float, kappa: float, tangent: float, limit: float) -> tuple[float, float]:
    """(K, nu) as defined at the top. cy: C_y. tangent: T. limit: mu N."""
    cx = p.longitudinal_stiffness
    k = math.sqrt(cy * tangent * cy * tangent + cx * kappa * cx * kappa) * (1.0 / limit)
    if k > 2.0 * math.pi:
        return k, 1.0
    _, s = cos_sin(0.25 * k)  # (1 - cos(K/2)) / 2 = sin(K/4)^2
    ratio = cy / cx
    return k, ratio + (1.0 - ratio) * s * s


@inline_kernel
def combined_force(kappa: float, across: float, k: float, limit: float) -> tuple[float, float, float]:
    """(longitudinal force, lateral force, aligning moment for a trail of 1 m). across: nu T. k: K. limit: mu N."""
    squared_length = kappa * kappa + across * across
    if squared_length == 0.0:
        return 0.0, 0.0, 0.0
    scale = limit / math.sqrt(squared_length)
    g = smooth_limit(k)
    return kappa * g * scale, -across * g * scale, across * k * (1.0 - smooth_cubic(k)) * scale  # reversed if K > 3


@inline_kernel
def clear_sticky(t: Any) -> None:
    """Start of a substep: reset the sticky flags, and the moment, which a swapped-out component may have left."""
    t.sticky_longitudinal = 0
    t.sticky_lateral = 0
    vec3.store(t.moment, (0.0, 0.0, 0.0))


@inline_kernel
def contact_motion(
    state: Any, suspension: Any, suspension_params: Any, compliance: Any, road: Any, wheel_params: Any, steering: Any,
    body: Any, wheel_count: int,
) -> None:  # fmt: skip
    """Set the application point of every tire, and directions, speeds along them and the sine of camber on the road.

    Two loops, between which `lateral` holds the wheel's axle, `longitudinal` the velocity of the contact point over
    the road, and `camber` the component of the road normal along the wheel's forward axis.
    """
    m = quat.to_matrix(quat.load(body.orientation))
    v = vec3.load(body.velocity)
    angular_velocity = vec3.load(body.angular_velocity)
    for i in range(wheel_count):
        t, s = state[i], suspension_params[i]
        clear_sticky(t)
        point = vec3.add(vec3.load(s.arm), suspension_to_body(s, vec3.load(compliance[i].tire_force_point)))
        vec3.store(t.arm, vec3.transform(m, point))
        if suspension[i].on_ground != 0:
            yaw = total_steer(steering[i], compliance[i])
            axle, forward = inline_hub_axes(s, wheel_params[i], compliance[i].camber, yaw)
            vec3.store(t.lateral, vec3.transform(m, axle))
            t.camber = vec3.dot(vec3.load(road[i].normal), vec3.transform(m, forward))
            # the contact point counts as one radius below the wheel centre, along the suspension
            length = s.travel - suspension[i].jounce + wheel_params[i].radius
            contact_arm = wheel_centre(s, wheel_params[i], length, 0.0, steering[i].angle)  # camber 0
            velocity = vec3.add(v, vec3.cross(angular_velocity, vec3.transform(m, contact_arm)))
            vec3.store(t.longitudinal, vec3.sub(velocity, vec3.load(road[i].velocity)))
    for i in range(wheel_count):
        if suspension[i].on_ground != 0:
            project_onto_road(state[i], vec3.load(road[i].normal))


@kernel
def slip(
    params: Any, state: Any, suspension: Any, suspension_params: Any, compliance: Any, road: Any, wheel: Any,
    wheel_params: Any, steering: Any, actuation: Any, body: Any, context: Any, wheel_count: int,
) -> None:  # fmt: skip
    """Set directions, speeds, slips, load and friction of every tire."""
    contact_motion(state, suspension, suspension_params, compliance, road, wheel_params, steering, body, wheel_count)
    for i in range(wheel_count):
        t, radius = state[i], wheel_params[i].radius
        if suspension[i].on_ground == 0:
            clear_contact(t, wheel[i].omega * radius, actuation[i], context)
            continue
        active = actuation[i].brake_applied + actuation[i].drive_applied
        min_speed = context.min_active_slip_speed if active != 0 else context.min_passive_slip_speed
        t.camber = elementary.asin(t.camber)
        t.longitudinal_slip = longitudinal_slip(t.longitudinal_speed, wheel[i].omega, radius, min_speed)
        t.lateral_slip = lateral_slip(t.longitudinal_speed, t.lateral_speed, context.min_lateral_slip_speed)
        t.load = filtered_load(params[i], suspension[i].force)
        t.friction = road[i].friction * friction_factor(params[i], t.longitudinal_slip)


@inline_kernel
def project_onto_road(t: Any, normal: Any) -> None:
    """Set directions, speeds along them and the sine of the camber of one tire: second loop of `contact_motion`."""
    axle, velocity = vec3.load(t.lateral), vec3.load(t.longitudinal)
    longitudinal, lateral = tire_directions(axle, normal)
    t.longitudinal_speed = vec3.dot(velocity, longitudinal)
    t.lateral_speed = vec3.dot(velocity, lateral)
    t.camber = camber_sine(vec3.dot(normal, axle), t.camber)
    vec3.store(t.longitudinal, longitudinal)
    vec3.store(t.lateral, lateral)


@kernel
def clear_contact(t: Any, rim_speed: float, actuation_s: Any, context: Any) -> None:
    """Set the contact state of a tire in the air: 0, except the slip ratio, which follows from its spin.

    rim_speed: m/s.
    """
    vec3.store(t.longitudinal, (0.0, 0.0, 0.0))
    vec3.store(t.lateral, (0.0, 0.0, 0.0))
    t.longitudinal_speed = 0.0
    t.lateral_speed = 0.0
    t.lateral_slip = 0.0
    t.camber = 0.0
    t.load = 0.0
    t.friction = 0.0
    active = actuation_s.brake_applied + actuation_s.drive_applied
    min_speed = context.min_active_slip_speed if active != 0 else context.min_passive_slip_speed
    t.longitudinal_slip = rim_speed / min_speed


@kernel
def force(params: Any, state: Any, scratch: Any, road: Any, wheel: Any, wheel_params: Any, wheel_count: int) -> None:
    """Set forces, aligning moment and wheel torque of every tire.

    In directions held by the contact solver slip counts as 0: there is no longitudinal force, and no lateral one but
    camber thrust.
    """
    w = scratch
    for i in range(wheel_count):
        t = state[i]
        if t.sticky_longitudinal != 0:
            t.longitudinal_slip = 0.0
        if t.sticky_lateral != 0:
            t.lateral_slip = 0.0
        w.limit[i] = t.friction * t.load
        if w.limit[i] != 0.0:
            w.stiffness[i] = lateral_stiffness(params[i], t.load)
            w.tangent[i] = side_slip_tangent(params[i], w.stiffness[i], t.lateral_slip, t.camber)
    for i in range(wheel_count):
        if w.limit[i] != 0.0:
            kappa = outside_dead_band(state[i].longitudinal_slip)
            w.demand[i], nu = demand(params[i], w.stiffness[i], kappa, w.tangent[i], w.limit[i])
            w.across[i] = nu * w.tangent[i]
    for i in range(wheel_count):
        p, t, radius = params[i], state[i], wheel_params[i].radius
        fx, fy, mz = 0.0, 0.0, 0.0
        if w.limit[i] != 0.0:
            fx, fy, mz = combined_force(outside_dead_band(t.longitudinal_slip), w.across[i], w.demand[i], w.limit[i])
        t.longitudinal_force = fx
        t.lateral_force = fy
        t.aligning_moment = mz
        rim_speed = wheel[i].omega * radius
        rolling_torque = (p.rolling_resistance + road[i].rolling_drag) * t.load * radius
        t.wheel_torque = -fx * radius - rolling_torque * rim_speed / (abs(rim_speed) + FADE_SPEED)


def derive(params: np.ndarray, suspension_params: np.ndarray, wheel_count: int, context: np.void) -> None:
    """Set the load at rest of every tire: the given one, else from the mass that the wheel carries."""
    gravity = math.sqrt(sum(float(g) ** 2 for g in context["gravity"]))
    for p, s in zip(params[:wheel_count], suspension_params[:wheel_count], strict=True):
        p["nominal_load"] = p["rest_load"] if p["rest_load"] > 0 else max(s["supported_mass"] * gravity, MIN_REST_LOAD)


def check(params: np.ndarray, wheel_count: int) -> list[tuple[str, str]]:
    """Problems of curves with a wrong number of points."""
    problems = []
    if any(params[i]["friction_versus_slip"]["count"] != 3 for i in range(wheel_count)):
        problems.append(("friction_versus_slip", "needs exactly three points"))
    if any(params[i]["load_filter"]["count"] != 2 for i in range(wheel_count)):
        problems.append(("load_filter", "needs exactly two points"))
    return problems


COMBINED_SLIP = Component(
    slot="tire",
    name="combined_slip",
    params=TireParams,
    state=TireState,
    phases={"slip": slip, "force": force},
    scratch=SCRATCH,
    derive=derive,
    check=check,
    doc="Fiala-type: stiffness at small slip, friction times load at large slip, both directions combined.",
)
