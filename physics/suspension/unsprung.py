"""Suspension with unsprung mass: each hub moves between the suspension spring and the tire spring.

z is the jounce of the hub, J the jounce at which the tire would just touch the road; the tire is deflected by J - z:

    N = k_t (J - z) + c_t (J' - z')                           load along the road normal, never below 0
    m (u . a + u.u z'' - u . g) = N + P - F                   along the suspension line
    force on the body: N - m z'' u

with m = `unsprung_mass`, k_t and c_t = `tire_stiffness` and `tire_damping`, F the force of spring, damper and bump
stop, a the acceleration of the body at the wheel, g gravity, and P the tire forces that links transmit (links.py, also
for `joint_compliance`). This models wheel hop at sqrt((k + k_t) / m) rad/s, delayed tracking of rough roads, and loss
of contact over crests; vertical road inputs reach the body through the springs only. body.mass and its inertia are
those of the whole vehicle, including hubs.

u is the displacement of the hub per jounce: up, and with `links: solid_axle` also lateral, (h - radius) / x, for an
axle that rolls about the roll centre of height h, with its wheels at x. The axle then moves laterally as it rolls, and
its inertia loads the tires directly.

hub.py integrates the hub exactly over the elapsed step, with the motion that the body actually had in it. For the force
on the body in the coming step, the acceleration a is not known yet: it is extrapolated from the last two substeps, and
its error is corrected in the next one, so that momentum is conserved over time. This is stable if the hubs have at most
MAX_HUB_SHARE of the body's inertia in any direction.

Ends of the travel: the hub stops and transfers its momentum to the body. At full compression it is rigidly connected to
the body, which then rests on its tires; at `tire_depth` the rim touches the road, and the contact solver takes over.
Anti-roll bars act on hubs, so that a tire's load is that of its own spring; with `loads_tires: false` (antiroll.py)
they also act on hubs whose tires are in the air.

The undeflected tire has `free_radius`; it rolls and is drawn with `wheel.radius`, that of the loaded tire at rest. At
larger deflections the drawn wheel sinks into the road.
"""

from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import quat, vec3
from driving_sandbox.physics.maths.products import norm
from driving_sandbox.physics.schema.schema import Bool, Choice, Float, Int, Vec3, field
from driving_sandbox.physics.suspension.hub import advance
from driving_sandbox.physics.suspension.hub_mass import (
    SOLID_AXLE,
    derive_tire,
    hub_mass_of,
    largest_hub_share,
    lateral_ratio_of,
)
from driving_sandbox.physics.suspension.links import (
    apply_antiroll_bars,
    link_force,
    min_damping,
    move_joint,
    opposite_of,
    reset_joint,
    update_jounce_force,
)
from driving_sandbox.physics.suspension.roll_centre import (
    ROLL_CENTRE,
    RollCentreParams,
    bump_stop_force,
    patch_shift,
    spring_force,
)
from driving_sandbox.physics.suspension.suspension import (
    AT_CONTACT,
    IN_AIR,
    MAX_DAMPER_SPEED,
    RAY,
    SHALLOWEST,
    SuspensionState,
    contact_point,
    ray_depth,
    sweep_depth,
)
from driving_sandbox.physics.tick.component import Component
from driving_sandbox.physics.wheel.wheel import hub_axes, suspension_to_body, wheel_centre

MAX_HUB_SHARE = 0.5  # largest share of the body's inertia; from 1 on, the force's delay of a substep is unstable


class UnsprungParams(RollCentreParams):
    """Parameters of the roll centre suspension (roll_centre.py), unsprung mass and tire spring."""

    unsprung_mass: Float = field(
        unit="kg", ge=0, default=0.0, suggest=(10, 80),
        doc="Mass of wheel, hub, brake and half of the links, part of body.mass; 0: the wheel's mass.",
    )  # fmt: skip
    tire_stiffness: Float = field(
        unit="N/m", ge=0, default=0.0, suggest=(100e3, 500e3),
        doc="Vertical stiffness of the tire; 0: such that its static deflection is 20 mm.",
    )  # fmt: skip
    free_radius: Float = field(
        unit="m", ge=0, default=0.0, suggest=(0.25, 0.55),
        doc="Radius of the undeflected tire; 0: such that the loaded tire has the wheel's radius at rest.",
    )  # fmt: skip
    tire_damping: Float = field(
        unit="N*s/m", ge=0, default=200.0, suggest=(0, 1000), doc="Vertical force per speed of deflection."
    )
    tire_depth: Float = field(
        unit="m", gt=0, default=0.08, suggest=(0.04, 0.2), doc="Deflection at which the rim touches the road."
    )
    preload: Float = field(
        unit="N", ge=-50e3, default=0.0, suggest=(-3000, 3000), mechanic=True,
        doc="Force of the spring at full droop; if negative the spring pulls there, so it is fixed at both ends.",
    )  # fmt: skip
    tire_pulls: Bool = field(
        default=False,
        doc="Whether the tire's spring also pulls, up to a gap of `tire_depth`; to compare with linear models.",
    )
    links: Choice = field(
        options=("independent", "solid_axle"),
        default="independent",
        doc="solid_axle: both hubs of an axle roll about its roll centre, and move laterally under the body.",
    )
    joint_compliance: Float = field(
        unit="m/N", ge=0, le=1e-4, default=0.0, suggest=(0, 2e-5),
        doc="Lateral displacement of the hub relative to the body per force, by bushes and rods; 0: rigid.",
    )  # fmt: skip
    joint_damping: Float = field(
        unit="N*s/m", ge=0, default=1000.0, suggest=(0, 10e3),
        doc="Lateral force per speed of the hub in its joint; raised to a tenth of critical damping if below.",
    )  # fmt: skip
    limit_expansion: Bool = field(default=False, derived=True, doc="Not used: the hub's mass limits extension.")
    hub_mass: Float = field(unit="kg", derived=True, doc="Unsprung mass in use.")
    tire_rate: Float = field(unit="N/m", derived=True, doc="Vertical stiffness of the tire in use.")
    used_free_radius: Float = field(unit="m", derived=True, doc="Radius of the undeflected tire in use.")
    used_joint_damping: Float = field(unit="N*s/m", derived=True, doc="Damping of the joint in use.")
    opposite_wheel: Int = field(unit="1", derived=True, doc="Number of the wheel on the same solid axle, or its own.")
    lateral_ratio: Float = field(unit="1", derived=True, doc="Displacement of the hub to the right per jounce.")
    used_rest_distance: Float = field(
        unit="m", derived=True, doc="Distance from full compression to `wheel.radius` above the road, at rest."
    )


class HubState(SuspensionState):
    """State of the standard suspension with the jounce of the hub, and of hub and tire spring."""

    hub_initialized: Int = field(unit="1", doc="0 until the hub has been put in equilibrium between its springs.")
    road_jounce: Float = field(unit="m", doc="Jounce at which the tire would just touch the road.")
    tire_deflection: Float = field(unit="m", doc="Deflection along the road normal; negative: gap under the tire.")
    deflection_speed: Float = field(unit="m/s", doc="Speed of deflection; positive in compression.")
    hub_velocity: Vec3 = field(unit="m/s", doc="Velocity of the body at the wheel, world axes.")
    specific_force: Float = field(
        unit="m/s^2", doc="Gravity minus the body's acceleration along the hub's travel, last substep."
    )
    external_force: Float = field(unit="N", doc="Force of joint, links and anti-roll bars on the hub, up.")
    stop_impulse: Float = field(unit="N*s", doc="Impulse of a hub on the body at an end of its travel, up.")
    bar_force: Float = field(unit="N", doc="Force of anti-roll bars on the hub, down.")
    bar_load: Float = field(unit="N", doc="Change of the tire's load by anti-roll bars.")
    tire_load: Float = field(unit="N", doc="Load of the tire's own spring and damper.")


class UnsprungState(HubState):
    """State of a hub and of its joint."""

    predicted_specific_force: Float = field(unit="m/s^2", doc="Specific force predicted for the next substep.")
    joint_travel: Float = field(unit="m", doc="Displacement of the hub to the right in its joint.")
    joint_speed: Float = field(unit="m/s", doc="Rate of `joint_travel`.")
    joint_speed_change: Float = field(unit="m/s", doc="Change of `joint_speed` in the last substep.")
    predicted_joint_speed_change: Float = field(unit="m/s", doc="That change predicted for the next substep.")
    applied_joint_speed_change: Float = field(
        unit="m/s", doc="Predicted change of `joint_speed`, corrected by the last prediction's error."
    )
    jounce_force: Float = field(unit="N", doc="Sum of the forces along the jounce, last substep.")
    predicted_jounce_force: Float = field(unit="N", doc="`jounce_force` predicted for the next substep.")


@inline_kernel
def limited_rate(rate, speed):
    """A damper's rate, N s/m, reduced above MAX_DAMPER_SPEED so that its force no longer grows. speed: m/s."""
    return rate * MAX_DAMPER_SPEED / abs(speed) if abs(speed) > MAX_DAMPER_SPEED else rate


@kernel
def linear_spring(p, jounce, speed):
    """(force at zero jounce, stiffness, damping) of the suspension, linearised about a jounce and its speed."""
    rate = p.bump_damping if speed > 0.0 else p.rebound_damping
    rate = limited_rate(rate if rate > 0.0 else p.damping, speed)
    stiffness = p.stiffness
    depth = jounce - p.travel + p.bump_stop_length
    if depth > 0.0 and p.bump_stop_length > 0.0:
        stiffness += p.bump_stop_stiffness * depth / p.bump_stop_length
    static = p.preload + p.stiffness * jounce + bump_stop_force(p, jounce)
    return static - stiffness * jounce, stiffness, rate


@inline_kernel
def hub_direction(p, direction, right):
    """Displacement u of the hub per jounce, world axes. direction, right: unit vectors of droop and to the right."""
    return vec3.add_scaled(vec3.scale(direction, -1.0), right, p.lateral_ratio)


@kernel
def required_jounce(p, wheel_p, steer, road, origin, m, direction):
    """(whether the road can carry the wheel, J in m, cosine of the angle between road normal and suspension line)."""
    normal = vec3.load(road.normal)
    along = -vec3.dot(normal, direction)
    if road.hit == 0 or along < SHALLOWEST:
        return False, -IN_AIR, 1.0
    centre = vec3.add(origin, vec3.transform(m, wheel_centre(p, wheel_p, p.travel, 0.0, steer)))
    if p.jounce_query == RAY:
        depth = ray_depth(normal, road.offset, centre, direction, p.used_free_radius)
    else:
        axle, _ = hub_axes(p, wheel_p, 0.0, steer)
        axle = vec3.transform(m, axle)
        depth = sweep_depth(normal, road.offset, centre, axle, p.used_free_radius, wheel_p.half_width)
    return True, -depth / along, along


@kernel
def balance(p, required, along, load):
    """Jounce of a hub at rest between its springs, m. required, along: of `required_jounce`. load: on the hub, N."""
    tire = p.tire_rate * along * along if required > 0.0 else 0.0
    static, stiffness, _ = linear_spring(p, 0.0, 0.0)
    jounce = (tire * required + load - static) / (tire + stiffness)
    return min(max(jounce, 0.0), min(p.travel, max(required, 0.0)))


@inline_kernel
def stays_attached(p, deflection):
    """Whether a tire with `tire_pulls` still pulls on the road. deflection: m, negative for a gap."""
    return p.tire_pulls != 0 and deflection > -p.tire_depth


@kernel
def move_hub(p, s, required, rate, along, dt):
    """Advance a hub by a step, within the ends of the travel and up to contact of the rim with the road.

    required: J at the end of the step, m. rate: J', m/s. along: result of `required_jounce`.
    """
    if s.stop_impulse != 0.0:  # in this step the body took the hub's momentum, and the hub moved with it
        s.stop_impulse = 0.0
        return
    inertia = p.hub_mass * (1.0 + p.lateral_ratio * p.lateral_ratio)
    jounce_before, speed = s.jounce, s.jounce_speed
    static, stiffness, damping = linear_spring(p, jounce_before, speed)
    spring = (p.hub_mass * s.specific_force + s.external_force - static, stiffness, damping)
    along_squared = along * along
    tire = (p.tire_rate * along_squared, limited_rate(p.tire_damping, rate - speed) * along_squared)
    pulls = stays_attached(p, (required - jounce_before) * along)
    z, w = advance(jounce_before, speed, dt, (required - rate * dt, rate), tire, spring, inertia, pulls)
    depth = p.tire_depth / along
    if required - z > depth:  # the rim is on the road
        z, w = required - depth, max(w, rate)
    if z >= p.travel:
        # a hub that was at the stop before has no further impact
        s.stop_impulse = p.hub_mass * max(0.0, w) if jounce_before < p.travel else 0.0
        z, w = p.travel, min(w, 0.0)
    elif z <= 0.0:
        s.stop_impulse = p.hub_mass * min(0.0, w) if jounce_before > 0.0 else 0.0
        z, w = 0.0, max(w, 0.0)
    s.jounce, s.jounce_speed = z, w


@kernel
def update_deflection(p, s, required, rate, along):
    """Update a tire's deflection between its hub's new position and the road's `required` jounce."""
    s.road_jounce = required
    s.tire_deflection = (required - s.jounce) * along
    s.deflection_speed = (rate - s.jounce_speed) * along
    s.on_ground = 1 if s.tire_deflection > 0.0 or stays_attached(p, s.tire_deflection) else 0
    s.separation = 0.0
    if s.on_ground == 0:
        s.separation = -s.tire_deflection
    elif s.jounce >= p.travel:
        s.separation = min(0.0, p.tire_depth - s.tire_deflection)
    s.limit_gap = s.separation if s.separation < 0.0 else p.travel  # the hub's own stop takes precedence
    s.jounce_known = 1


@kernel
def update(
    params, state, wheel_params, steering, compliance, road, tire, antiroll_params, body, context, wheel_count, dt
):
    """Advance every hub over the last step, in which the body has already moved."""
    gravity, m = vec3.load(context.gravity), quat.to_matrix(quat.load(body.orientation))
    origin, v, spin = vec3.load(body.position), vec3.load(body.velocity), vec3.load(body.angular_velocity)
    right = vec3.transform(m, (1.0, 0.0, 0.0))
    for i in range(wheel_count):
        p, s = params[i], state[i]
        direction = vec3.transform(m, vec3.load(p.direction))
        vec3.store(s.direction, direction)
        u = hub_direction(p, direction, right)
        supported, required, along = required_jounce(
            p, wheel_params[i], steering[i].angle, road[i], origin, m, direction
        )
        hub = vec3.transform(m, vec3.add_scaled(vec3.load(p.arm), vec3.load(p.direction), p.travel - s.jounce))
        velocity = vec3.add(v, vec3.cross(spin, hub))
        specific_force = gravity
        if s.hub_initialized != 0:
            specific_force = vec3.add_scaled(gravity, vec3.sub(velocity, vec3.load(s.hub_velocity)), -1.0 / dt)
        vec3.store(s.hub_velocity, velocity)
        s.bar_load = s.force - s.tire_load if s.on_ground != 0 else 0.0
        if antiroll_params.loads_tires != 0:
            s.bar_force = s.bar_load
        external_force = link_force(params, state, tire, compliance, i, vec3.scale(direction, -1.0)) - s.bar_force
        s.external_force, speed = external_force, s.jounce_speed
        previous_specific_force = s.specific_force if s.hub_initialized != 0 else vec3.dot(u, specific_force)
        if s.stop_impulse == 0.0:
            s.specific_force = vec3.dot(u, specific_force)
        s.predicted_specific_force = 2.0 * s.specific_force - previous_specific_force
        rate = (required - s.road_jounce) / dt
        if s.hub_initialized == 0:
            s.jounce, s.jounce_speed, rate = balance(p, required, along, p.hub_mass * s.specific_force), 0.0, 0.0
            s.hub_initialized = 1 if supported else 0
            reset_joint(s)
        else:
            if not supported:
                rate = 0.0
            elif s.road_jounce <= -IN_AIR:  # first contact: at the body's approach speed
                closing = vec3.sub(vec3.load(road[i].velocity), velocity)
                rate = vec3.dot(vec3.load(road[i].normal), closing) / along
            if p.joint_compliance > 0.0:
                move_joint(p, s, right, specific_force, tire[i], dt)
                s.external_force = external_force - p.hub_mass * p.lateral_ratio * s.joint_speed_change / dt
            move_hub(p, s, required, rate, along, dt)
            if p.joint_compliance > 0.0:
                update_jounce_force(p, s, s.jounce_speed - speed, dt)
                s.external_force = external_force - p.hub_mass * p.lateral_ratio * s.applied_joint_speed_change / dt
        update_deflection(p, s, required, rate, along)
    if antiroll_params.loads_tires == 0:
        apply_antiroll_bars(antiroll_params, state, wheel_count)


@kernel
def tire_spring_force(p, s):
    """Force of the tire's spring and damper along the road normal, N."""
    if s.on_ground == 0:
        return 0.0
    damping = limited_rate(p.tire_damping, s.deflection_speed)
    push = p.tire_rate * min(s.tire_deflection, p.tire_depth) + damping * s.deflection_speed
    return push if p.tire_pulls != 0 else max(0.0, push)


@kernel
def hub_acceleration(p, s, push):
    """z'' of the hub, m/s^2, under a tire force `push` (N) along the suspension line; 0 at rest at an end of travel."""
    force = (
        push + p.hub_mass * s.predicted_specific_force + s.external_force - spring_force(p, s.jounce, s.jounce_speed)
    )
    if (s.jounce >= p.travel and force > 0.0) or (s.jounce <= 0.0 and force < 0.0):
        return 0.0
    return force / (p.hub_mass * (1.0 + p.lateral_ratio * p.lateral_ratio))


@kernel
def force(params, state, tire, wheel_params, steering, compliance, road, body, wheel_count, dt):
    """Set the load of every tire, and the force of suspension and hub on the body with its application point."""
    m = quat.to_matrix(quat.load(body.orientation))
    right = vec3.transform(m, (1.0, 0.0, 0.0))
    for i in range(wheel_count):
        p, s = params[i], state[i]
        point = vec3.add(vec3.load(p.arm), suspension_to_body(p, vec3.load(compliance[i].suspension_force_point)))
        normal, direction = vec3.load(road[i].normal), vec3.load(s.direction)
        push = tire_spring_force(p, s)
        along = -vec3.dot(normal, direction) if s.on_ground != 0 else 0.0
        inertia_force = s.stop_impulse / dt - p.hub_mass * hub_acceleration(p, s, push * along)
        total = vec3.scale(hub_direction(p, direction, right), inertia_force)
        if p.joint_compliance > 0.0:
            total = vec3.add_scaled(total, right, -p.hub_mass * s.applied_joint_speed_change / dt)
        if s.jounce != 0.0:  # bar forces are internal to body and hub together: this cancels those of antiroll.py
            total = vec3.add_scaled(total, direction, s.bar_force)
        if s.on_ground != 0:
            total = vec3.add_scaled(total, normal, push)
            if p.force_application == AT_CONTACT:
                point = contact_point(p, wheel_params[i], steering[i].angle, s.jounce, vec3.transform_back(m, normal))
            point = vec3.add(point, (patch_shift(p, p.attachment[0], tire[i].lateral_force), 0.0, 0.0))
        s.tire_load = push - s.bar_load if p.tire_pulls != 0 else max(0.0, push - s.bar_load)
        s.force = s.tire_load
        vec3.store(s.force_vector, total)
        vec3.store(s.force_arm, vec3.transform(m, point))


def derive(params, body_params, wheel_params, wheel_count, context):
    ROLL_CENTRE.derive(params, body_params, wheel_count)
    gravity = float(norm(context["gravity"]))
    positions = params["attachment"][:wheel_count, :2]
    for i, (p, wheel) in enumerate(zip(params[:wheel_count], wheel_params[:wheel_count], strict=True)):
        p["opposite_wheel"] = opposite_of(positions, i) if p["links"] == SOLID_AXLE else i
        weight = float(p["supported_mass"]) * gravity
        p["lateral_ratio"] = lateral_ratio_of(p, float(wheel["radius"]))
        p["hub_mass"] = mass = hub_mass_of(p, wheel)
        p["used_joint_damping"] = max(float(p["joint_damping"]), min_damping(float(p["joint_compliance"]), mass))
        derive_tire(p, wheel, weight, gravity)


def check(params, body_params, wheel_params, wheel_count):
    problems = ROLL_CENTRE.check(params, body_params, wheel_count)
    if not problems:
        hub_share = largest_hub_share(params, body_params, wheel_params, wheel_count)
        if hub_share > MAX_HUB_SHARE:
            text = f"the hubs have {hub_share:.0%} of the whole vehicle's inertia in one direction of motion; the limit"
            problems.append(("unsprung_mass", f"{text} is {MAX_HUB_SHARE:.0%}"))
    return problems


UNSPRUNG = Component(
    slot="suspension", name="unsprung", params=UnsprungParams, state=UnsprungState,
    phases={**ROLL_CENTRE.phases, "update": update, "force": force}, derive=derive, check=check,
    doc="Unsprung masses between suspension and tire springs: wheel hop and loss of contact.",
)  # fmt: skip
