"""Brush-like tire with combined slip: stiffnesses at small slip, mu times load at large slip (PX-TIRE-06..16).

    C_y = lateral stiffness, falling off at low load: Y g(3 x / X) with x = load / rest load (X = 0: Y)
    T   = tan(alpha - camber C_gamma / C_y)
    K   = sqrt((C_y T)^2 + (C_x kappa)^2) / (mu N)
    g(K) = min(1, K - K^2/3 + K^3/27),     nu = (1 + c - (1 - c) cos(K/2)) / 2 with c = C_y / C_x (1 beyond K = 2 pi)
    F   = g mu N (kappa, -nu T) / |(kappa, nu T)|

the smooth-limit tire of the CarSimEd family. mu = road friction times a graph over |kappa|; N = rest load times a
filter over the suspension force. Signs as in physics/tire/slip.py; camber to the right pushes to the right.
"""

import math

from physics import quat, vec3
from physics.component import Component
from physics.jit import kernel
from physics.road.layout import TIRE_TYPES
from physics.schema import Choice, Curve, PerWheel, Vec3, field
from physics.tire.slip import camber_angle, lateral_slip, longitudinal_slip, tire_directions
from physics.wheel.wheel import hub_axes, in_suspension, wheel_centre

THIRD = 0.33333  # of K^2 in g(K); the rounded literals of the reference are kept so that its numbers are met
TWENTY_SEVENTH = 0.037037  # of K^3 in g(K)
SMALLEST_SLIP = 1e-5  # slips below it count as none
ROLLING_SPEED = 0.1  # m/s of the rim over which rolling resistance builds up, so that it never turns a wheel back


class TireParams(PerWheel):
    """Stiffness, friction and load sensitivity of one tire."""

    tire_type: Choice(TIRE_TYPES) = field(default="street", doc="Column of the surfaces' friction table.")
    lateral_stiffness: float = field(
        unit="N/rad", gt=0, suggest=(20e3, 250e3), doc="Side force per slip angle at full load.", source="PX-TIRE-10"
    )
    lateral_stiffness_load: float = field(
        unit="1", ge=0, default=2.0, suggest=(0, 5), source="PX-TIRE-09",
        doc="Load, as a multiple of the rest load, from which the lateral stiffness is full; 0: always full.",
    )
    longitudinal_stiffness: float = field(
        unit="N", gt=0, suggest=(20e3, 300e3), doc="Force per longitudinal slip.", source="PX-TIRE-08"
    )
    camber_stiffness: float = field(
        unit="N/rad", ge=0, default=0.0, suggest=(0, 20e3), doc="Side force per camber angle.", source="PX-TIRE-13"
    )
    friction_versus_slip: Curve(3, "1", "|longitudinal slip|") = field(
        unit="1", ge=0, le=5, default=[[0.0, 1.0], [0.1, 1.0], [1.0, 1.0]], suggest=(0, 1.5), source="PX-TIRE-14",
        doc="Factor on the road's friction: at rest, at the peak and when sliding. Three points.",
    )
    load_filter: Curve(2, "1", "load / rest load") = field(
        unit="1", ge=0, le=10, default=[[0.0, 0.0], [3.0, 3.0]], suggest=(0, 3), source="PX-TIRE-15",
        doc="Tire load over suspension force, both as multiples of the rest load. Two points.",
    )
    rest_load: float = field(
        unit="N", ge=0, default=0.0, suggest=(0, 10e3), source="PX-TIRE-11",
        doc="Load that the numbers above refer to; 0 takes the weight of the mass this wheel carries.",
    )
    rolling_resistance: float = field(
        unit="1", ge=0, default=0.012, suggest=(0, 0.05), doc="Rolling resistance per load, added to the surface's."
    )
    nominal_load: float = field(unit="N", derived=True, doc="Rest load that is used.")


class TireState(PerWheel):
    """Motion, load and forces of one contact patch."""

    longitudinal: Vec3() = field(unit="1", doc="Forward direction in the road plane.")
    lateral: Vec3() = field(unit="1", doc="Right direction in the road plane.")
    longitudinal_speed: float = field(unit="m/s", doc="Of the contact point over the road, forward.")
    lateral_speed: float = field(unit="m/s", doc="Of the contact point over the road, to the right.")
    longitudinal_slip: float = field(unit="1", doc="> 0 when driving.")
    lateral_slip: float = field(unit="rad", doc="Slip angle, > 0 when the contact point moves right.")
    camber: float = field(unit="rad", doc="Against the road, > 0 when the top leans right.")
    load: float = field(unit="N", doc="Filtered load the tire works with.")
    friction: float = field(unit="1", doc="Coefficient in use.")
    longitudinal_force: float = field(unit="N", doc="On the body, forward.")
    lateral_force: float = field(unit="N", doc="On the body, to the right.")
    aligning_moment: float = field(unit="N*m", doc="About the road normal, for a trail of 1 m; a channel only.")
    wheel_torque: float = field(unit="N*m", doc="Of the road on the wheel, forward positive.")
    sticky_longitudinal: int = field(unit="1", doc="1 while the contact solver holds this direction.")
    sticky_lateral: int = field(unit="1", doc="1 while the contact solver holds this direction.")
    arm: Vec3() = field(unit="m", doc="From the centre of mass to where the forces act, world axes.")


@kernel
def filtered_load(p, suspension_force):
    """Tire load from suspension force by the load filter."""
    f = p.load_filter
    x = suspension_force / p.nominal_load
    if x <= f.x[0]:
        y = f.y[0]
    elif x >= f.x[1]:
        y = f.y[1]
    else:
        y = f.y[0] + (x - f.x[0]) * (f.y[1] - f.y[0]) / (f.x[1] - f.x[0])
    return p.nominal_load * y


@kernel
def friction_factor(p, slip):
    """Factor on the road's friction at a longitudinal slip."""
    c = p.friction_versus_slip
    s = abs(slip)
    if s < c.x[1]:
        return c.y[0] + (c.y[1] - c.y[0]) * (s - c.x[0]) / (c.x[1] - c.x[0])
    if s < c.x[2]:
        return c.y[1] + (c.y[2] - c.y[1]) * (s - c.x[1]) / (c.x[2] - c.x[1])
    return c.y[2]


@kernel
def smooth_limit(k):
    """g(K): slope 1 at zero, 1 from K = 3 on."""
    return min(1.0, k - THIRD * k * k + TWENTY_SEVENTH * k * k * k)


@kernel
def combined_force(p, kappa, alpha, camber, friction, load):
    """(longitudinal force, lateral force, aligning moment) of one tire."""
    limit = friction * load
    kappa = 0.0 if abs(kappa) < SMALLEST_SLIP else kappa
    alpha = 0.0 if abs(alpha) < SMALLEST_SLIP else alpha
    camber = 0.0 if abs(camber) < SMALLEST_SLIP else camber
    if limit == 0.0:
        return 0.0, 0.0, 0.0
    cy = p.lateral_stiffness
    if p.lateral_stiffness_load != 0.0:
        cy *= smooth_limit(load / p.nominal_load * 3.0 / p.lateral_stiffness_load)
    cx = p.longitudinal_stiffness
    if alpha * cy == 0.0 and kappa * cx == 0.0 and camber * p.camber_stiffness == 0.0:
        return 0.0, 0.0, 0.0
    t = math.tan(alpha - camber * p.camber_stiffness / cy)
    k = math.sqrt(cy * t * cy * t + cx * kappa * cx * kappa) / limit
    g = smooth_limit(k)
    trail = k - k * k + THIRD * k * k * k - TWENTY_SEVENTH * k * k * k * k
    ratio = cy / cx
    nu = 0.5 * (1.0 + ratio - (1.0 - ratio) * math.cos(k * 0.5)) if k <= 2.0 * math.pi else 1.0
    share = limit / math.sqrt(kappa * kappa + nu * t * nu * t)
    return kappa * g * share, -nu * t * g * share, nu * t * trail * share


@kernel
def slip(params, state, suspension, suspension_params, compliance, road, wheel, wheel_params, steering, actuation, body,
         context, wheel_count):
    """Directions, speeds, slips, load and friction of every tire."""
    m = quat.to_matrix(quat.load(body.orientation))
    v = vec3.load(body.velocity)
    spin = vec3.load(body.angular_velocity)
    for i in range(wheel_count):
        p = params[i]
        t = state[i]
        t.sticky_longitudinal = 0
        t.sticky_lateral = 0
        s = suspension_params[i]
        point = vec3.add(vec3.load(s.arm), in_suspension(s, vec3.load(compliance[i].tire_force_point)))
        vec3.store(t.arm, vec3.transform(m, point))
        if suspension[i].on_ground == 0:
            clear_contact(t, wheel[i].omega * wheel_params[i].radius, actuation[i], context)
            continue
        normal = vec3.load(road[i].normal)
        radius = wheel_params[i].radius
        axle, forward = hub_axes(s, wheel_params[i], compliance[i].camber, steering[i].angle + compliance[i].toe)
        pitch = vec3.dot(vec3.transform_back(m, normal), forward)
        axle = vec3.transform(m, axle)
        longitudinal, lateral = tire_directions(axle, normal)
        vec3.store(t.longitudinal, longitudinal)
        vec3.store(t.lateral, lateral)
        # the contact point lies one radius below the wheel centre along the suspension
        reach = wheel_centre(s, wheel_params[i], s.travel - suspension[i].jounce + radius, 0.0, steering[i].angle)
        velocity = vec3.add(v, vec3.cross(spin, vec3.transform(m, reach)))
        velocity = vec3.sub(velocity, vec3.load(road[i].velocity))
        t.longitudinal_speed = vec3.dot(velocity, longitudinal)
        t.lateral_speed = vec3.dot(velocity, lateral)
        t.camber = camber_angle(vec3.dot(normal, axle), pitch)
        active = actuation[i].brake_applied + actuation[i].drive_applied
        min_speed = context.min_active_slip_speed if active != 0 else context.min_passive_slip_speed
        t.longitudinal_slip = longitudinal_slip(t.longitudinal_speed, wheel[i].omega, radius, min_speed)
        t.lateral_slip = lateral_slip(t.longitudinal_speed, t.lateral_speed, context.min_lateral_slip_speed)
        t.load = filtered_load(p, suspension[i].force)
        t.friction = road[i].friction * friction_factor(p, t.longitudinal_slip)


@kernel
def clear_contact(t, rim_speed, actuation_s, context):
    """State of a tire in the air: nothing but the slip of its own spin."""
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
def force(params, state, road, wheel, wheel_params, wheel_count):
    """Forces of every tire; a direction held by the contact solver slips no more."""
    for i in range(wheel_count):
        p = params[i]
        t = state[i]
        radius = wheel_params[i].radius
        if t.sticky_longitudinal != 0:
            t.longitudinal_slip = 0.0
        if t.sticky_lateral != 0:
            t.lateral_slip = 0.0
        fx, fy, mz = combined_force(p, t.longitudinal_slip, t.lateral_slip, t.camber, t.friction, t.load)
        t.longitudinal_force = fx
        t.lateral_force = fy
        t.aligning_moment = mz
        rim_speed = wheel[i].omega * radius
        drag = (p.rolling_resistance + road[i].rolling_drag) * t.load * radius
        t.wheel_torque = -fx * radius - drag * rim_speed / (abs(rim_speed) + ROLLING_SPEED)


def derive(params, suspension_params, wheel_count, context):
    gravity = sum(float(g) ** 2 for g in context["gravity"]) ** 0.5
    for i in range(wheel_count):
        p = params[i]
        weight = suspension_params[i]["supported_mass"] * gravity
        p["nominal_load"] = p["rest_load"] if p["rest_load"] > 0.0 else weight


def check(params, wheel_count):
    problems = []
    if any(params[i]["friction_versus_slip"]["count"] != 3 for i in range(wheel_count)):
        problems.append(("friction_versus_slip", "needs exactly three points"))
    if any(params[i]["load_filter"]["count"] != 2 for i in range(wheel_count)):
        problems.append(("load_filter", "needs exactly two points"))
    return problems


COMBINED_SLIP = Component(
    slot="tire", name="combined_slip", params=TireParams, state=TireState, phases={"slip": slip, "force": force},
    derive=derive, check=check, doc="Stiffness at small slip, friction times load at large, both directions combined.",
)
