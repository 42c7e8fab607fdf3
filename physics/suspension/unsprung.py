"""Suspension with unsprung mass: each hub moves between the suspension spring and the tire spring.

z is the jounce of the hub, w = z', J the jounce at which the tire would just touch the road; the tire is deflected by
d = (J - z) n.u, with the road normal n:

    N = k_t d + c_t d'                                    load along n, never below 0
    F = spring, damper and bump stop at z and w           between hub and body

with m = `unsprung_mass`, k_t and c_t = `tire_stiffness` and `tire_damping`. This models wheel hop at
sqrt((k + k_t) / m) rad/s, delayed tracking of rough roads, and loss of contact over crests; vertical road inputs reach
the body through the springs only. body.mass M and its inertia I are those of the whole vehicle, including hubs.

u is the displacement of the hub per jounce: up, and with `links: solid_axle` also lateral, (h - radius) / x, for an
axle that rolls about the roll centre of height h, with its wheels at x. The axle then moves laterally as it rolls, and
its inertia loads the tires directly.

Equations. v, o: velocity and angular velocity of the body; r: from its centre of mass to a hub. The vehicle has the
momentum M v + sum m w u and the angular momentum I o + sum m w r x u, which only gravity g, tires, air and contacts
change, and the kinetic energy (M v.v + o.I o) / 2 + sum (m w u.(v + o x r) + m w w u.u / 2). So, with P the tire forces
that links transmit (links.py), f other forces and T their torques,

    (M v + sum m w u)' = M g + sum N n + f          (I o + sum m w r x u)' = sum r x N n + T
    m (u.(v + o x r)' + u.u w') = N n.u + P - F + m g.u

In its joint (`joint_compliance`) a hub also moves to the right, with a third equation of the same form (links.py). The
hub's inertia is that of a hub at its place at rest: how the inertia of the body changes with z is neglected.

A step of length h changes v, o and all w together (hub_system.py), as a leapfrog with mean forces: speeds belong to the
middle of a step, as body/rigid_body.py moves the pose by h v, and z by h w. The mean force of a spring between the
middles of two steps is the difference of its energies there per path, a discrete gradient; for a linear spring that is
its force at z + h dw / 4. So a vehicle without dampers keeps its energy, taken in the middles of steps: in bounce and
hop within 1e-5, with 0.05 rad of pitch within 0.2 % of the kinetic energy, given `force_application: contact`; loads at
the attachment do other work as the body tilts, and a tire on its edge jumps to the other as the body rolls through
level. A hop of angular frequency p is slow by (h p)^2 / 12. No stiffness of springs and tires is unstable; anti-roll
bars act with their force at the start of the step. Dampers take the mean speed of a step, for fast decays the speed
after it.

The body gets n N - m w' u as the force of its suspension. The rest, by the rotation of the hubs' momentum with the body
and by the arms of the forces, is small; the body gets it as a change of its velocity and angular velocity. So what a
hub gains, the body loses, and momentum is conserved to rounding. Other forces of the step are not known yet: those of
tires, and impulses of the contact solver. A hub meets a change of the body's motion that it did not expect in the next
step, again with an equal and opposite impulse on the body. This is stable if the hubs have at most MAX_HUB_SHARE of the
body's inertia in any direction.

Ends of the travel: a hub that would pass one ends the step there; its momentum goes to the body. At full compression it
is rigidly connected to the body, which then rests on its tires. At `tire_depth` the rim touches the road, a spring of
RIM_STIFFNESS tires; at full compression the contact solver also acts there. The body gets the rim's force, but the tire
grips as if with the load at `tire_depth`. Anti-roll bars act on hubs, so that a tire's load is that of its own spring;
with `loads_tires: false` (antiroll.py) they also act on hubs whose tires are in the air.

The undeflected tire has `free_radius`; it rolls and is drawn with `wheel.radius`, that of the loaded tire at rest. At
larger deflections the drawn wheel sinks into the road.

Sources: Gonzalez, Time integration and discrete Hamiltonian systems, J. Nonlinear Science 6 (1996), for the mean
forces; Newmark, A method of computation for structural dynamics, ASCE J. Eng. Mech. 85 (1959): on linear springs a
step is his with beta = 1/4, gamma = 1/2.
"""

from typing import Any

import numpy as np

from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import quat, vec3
from driving_sandbox.physics.maths.products import norm
from driving_sandbox.physics.suspension.antiroll import into_road
from driving_sandbox.physics.suspension.hub_mass import (
    SOLID_AXLE,
    derive_tire,
    hub_mass_of,
    largest_hub_share,
    lateral_ratio_of,
)
from driving_sandbox.physics.suspension.hub_records import UnsprungParams, UnsprungState
from driving_sandbox.physics.suspension.hub_rows import (
    add_momentum,
    bar_moment,
    give,
    hub_position,
    set_geometry,
    set_given,
    set_springs,
)
from driving_sandbox.physics.suspension.hub_springs import (
    balance,
    required_jounce,
    tire_spring_force,
    update_deflection,
)
from driving_sandbox.physics.suspension.hub_system import (
    HUB_SYSTEM,
    NOTHING,
    dot_six,
    halves,
    note_stops,
    set_six,
    solve,
    stop_impulse,
)
from driving_sandbox.physics.suspension.links import (
    apply_antiroll_bars,
    grip,
    link_force,
    min_damping,
    opposite_of,
)
from driving_sandbox.physics.suspension.roll_centre import ROLL_CENTRE
from driving_sandbox.physics.suspension.roll_centre import check as check_roll_centre
from driving_sandbox.physics.suspension.suspension import IN_AIR
from driving_sandbox.physics.suspension.suspension import derive as derive_standard
from driving_sandbox.physics.tick.component import Component

NO_ORIENTATION = (0.0, 0.0, 0.0, 0.0)  # of a state that no step has changed yet
MIN_COMPLIANCE = 1e-9  # m/N, of a joint; a stiffer one is rigid; 1 / c and its square are still finite
MAX_HUB_SHARE = 0.5  # largest share of the body's inertia; from 1 on, the delay of unexpected forces is unstable


@kernel
def move_hub(p: Any, s: Any, dt: float) -> None:
    """Advance hub and joint over the last step, at the speeds that it has given them."""
    s.jounce = min(max(s.jounce + dt * s.jounce_speed, 0.0), p.travel)
    s.joint_travel += dt * s.joint_speed


@kernel
def velocity_at_hub(p: Any, s: Any, body: Any, m: Any) -> Any:
    """Velocity of the body at a hub, world axes, m/s. m: matrix of the body's orientation."""
    hub = vec3.transform(m, hub_position(p, s))
    return vec3.add(vec3.load(body.velocity), vec3.cross(vec3.load(body.angular_velocity), hub))


@inline_kernel
def expect(first: Any, body: Any, velocity: Any, spin: Any) -> None:
    """Store the body's orientation and its expected motion after the step (m/s, rad/s, world axes) at the first hub."""
    quat.store(first.orientation_before, quat.load(body.orientation))
    vec3.store(first.expected_velocity, velocity)
    vec3.store(first.expected_angular_velocity, spin)


@kernel
def update(
    params: Any, state: Any, wheel_params: Any, steering: Any, road: Any, antiroll_params: Any, body: Any,
    context: Any, wheel_count: int, dt: float,
) -> None:  # fmt: skip
    """Advance every hub over the last step, in which the body has already moved."""
    m, origin = quat.to_matrix(quat.load(body.orientation)), vec3.load(body.position)
    if quat.load(state[0].orientation_before) == NO_ORIENTATION:  # the first step: else it would start with a jerk
        expect(state[0], body, vec3.load(body.velocity), vec3.load(body.angular_velocity))
    for i in range(wheel_count):
        p, s = params[i], state[i]
        direction = vec3.transform(m, vec3.load(p.direction))
        vec3.store(s.direction, direction)
        supported, required, along = required_jounce(
            p, wheel_params[i], steering[i].angle, road[i], origin, m, direction
        )
        rate = (required - s.road_jounce) / dt
        if s.hub_initialized == 0:
            weight = -p.hub_mass * vec3.dot(direction, vec3.load(context.gravity))
            s.jounce, s.jounce_speed, rate = balance(p, required, along, weight), 0.0, 0.0
            s.joint_travel, s.joint_speed = 0.0, 0.0
            s.hub_initialized = 1 if supported else 0
        else:
            move_hub(p, s, dt)
            if not supported:
                rate = 0.0
            elif s.road_jounce <= -IN_AIR:  # first contact: at the body's approach speed
                closing = vec3.sub(vec3.load(road[i].velocity), velocity_at_hub(p, s, body, m))
                rate = vec3.dot(vec3.load(road[i].normal), closing) / along
        update_deflection(p, s, required, rate, along)
    apply_antiroll_bars(antiroll_params, state, wheel_count)


@kernel
def set_loads(params: Any, state: Any, antiroll_params: Any, road: Any, wheel_count: int) -> None:
    """Set the load of every tire such that after the transfer by antiroll.py it is that of the tire's own spring."""
    transfers = antiroll_params.loads_tires != 0
    for i in range(wheel_count):
        p, s = params[i], state[i]
        push = tire_spring_force(p, s)
        s.bar_load = into_road(s, road[i], s.bar_force) if transfers and s.on_ground != 0 else 0.0
        s.tire_load = push - s.bar_load  # negative if the bar carries more than the tire does
        s.force = s.tire_load


@inline_kernel
def turn_since(m: Any, orientation: Any) -> Any:
    """Matrix of the change, in the body's present axes, of a vector fixed in the body since an `orientation` of it."""
    before = quat.to_matrix(orientation)
    a, b, c = (m[0][0], m[1][0], m[2][0]), (m[0][1], m[1][1], m[2][1]), (m[0][2], m[1][2], m[2][2])
    x, y, z = vec3.transform_back(before, a), vec3.transform_back(before, b), vec3.transform_back(before, c)
    return (1.0 - x[0], -x[1], -x[2]), (-y[0], 1.0 - y[1], -y[2]), (-z[0], -z[1], 1.0 - z[2])


@inline_kernel
def jolt_of(body: Any, first: Any, gravity: Any, m: Any, dt: float) -> Any:
    """`jolt` of hub_rows.set_given. first: state of the first hub, with the motion that the last step expected."""
    change = vec3.sub(vec3.load(body.velocity), vec3.load(first.expected_velocity))
    fall = vec3.transform_back(m, vec3.sub(vec3.scale(gravity, dt), change))
    spin = vec3.sub(vec3.load(first.expected_angular_velocity), vec3.load(body.angular_velocity))
    spin = vec3.transform_back(m, spin)
    return fall, spin


@inline_kernel
def known_action(body_params: Any, aero: Any, external: Any, gravity: Any) -> Any:
    """(force in N, torque in N m) on the vehicle of all but tires and contacts, world axes."""
    force = vec3.add_scaled(vec3.load(external.force), gravity, body_params.mass)
    torque = vec3.add(vec3.load(external.torque), vec3.load(aero.torque))
    return vec3.add(force, vec3.load(aero.force)), torque


@inline_kernel
def finish(body: Any, body_params: Any, first: Any, change: Any, lacking: Any, m: Any) -> None:
    """Store the motion that the step expects, and change the body's by what the forces of its suspension lack.

    change: of the body's motion in the step. lacking: impulse, N s, and angular impulse, N m s. In halves, body axes.
    """
    velocity, spin = vec3.load(body.velocity), vec3.load(body.angular_velocity)
    expected_spin = vec3.add(spin, vec3.transform(m, change[1]))
    expect(first, body, vec3.add(velocity, vec3.transform(m, change[0])), expected_spin)
    vec3.store(body.velocity, vec3.add_scaled(velocity, vec3.transform(m, lacking[0]), 1.0 / body_params.mass))
    inertia, moment = body_params.inertia, lacking[1]
    spin_change = (moment[0] / inertia[0], moment[1] / inertia[1], moment[2] / inertia[2])
    vec3.store(body.angular_velocity, vec3.add(spin, vec3.transform(m, spin_change)))


@kernel
def force(
    params: Any, state: Any, scratch: Any, tire: Any, wheel_params: Any, steering: Any, compliance: Any,
    antiroll_params: Any, road: Any, body: Any, body_params: Any, aero: Any, external: Any, context: Any,
    wheel_count: int, dt: float,
) -> None:  # fmt: skip
    """Change the speeds of all hubs by a step; set the load of every tire, and the forces on the body."""
    m, gravity = quat.to_matrix(quat.load(body.orientation)), vec3.load(context.gravity)
    turn = turn_since(m, quat.load(state[0].orientation_before))
    jolt = jolt_of(body, state[0], gravity, m, dt)
    set_loads(params, state, antiroll_params, road, wheel_count)
    total, torque = known_action(body_params, aero, external, gravity)
    momentum, spin, bar = NOTHING, NOTHING, NOTHING
    for i in range(wheel_count):
        p, s, row, grip_force = params[i], state[i], scratch.rows[i], grip(tire[i])
        link = link_force(params, state, tire, compliance, i, vec3.negate(vec3.load(s.direction))) - s.bar_force
        set_geometry(p, s, row, wheel_params[i], steering[i].angle, compliance[i], road[i], tire[i], m)
        set_springs(p, s, row, dt)
        set_given(p, s, row, jolt, link, vec3.transform_back(m, grip_force)[0], dt)
        total, torque = vec3.add(total, grip_force), vec3.add(torque, vec3.load(tire[i].moment))
        torque = vec3.add(torque, vec3.cross(vec3.load(tire[i].arm), grip_force))
        momentum, spin = add_momentum(momentum, spin, row, s.jounce_speed, s.joint_speed)
        bar = vec3.add(bar, bar_moment(p, s, row, dt))
    lost, lost_moment = vec3.transform(turn, momentum), vec3.transform(turn, spin)  # by rotation of the hubs' momentum
    linear = vec3.sub(vec3.scale(vec3.transform_back(m, total), dt), lost)
    set_six(scratch.impulse, linear, vec3.sub(vec3.scale(vec3.transform_back(m, torque), dt), lost_moment))
    solve(params, state, scratch, body_params, wheel_count, dt)
    change, lacking = halves(scratch.change), vec3.negate(vec3.add(lost_moment, bar))
    specific_impulse = (vec3.sub(jolt[0], change[0]), vec3.sub(jolt[1], change[1]))
    for i in range(wheel_count):
        s, row = state[i], scratch.rows[i]
        s.stop_impulse, s.specific_force = stop_impulse(row, change), dot_six(halves(row.travel), specific_impulse) / dt
        lacking = vec3.add(lacking, give(params[i], s, row, vec3.load(road[i].normal), m, dt))
    note_stops(scratch, state, wheel_count, dt)
    finish(body, body_params, state[0], change, (vec3.negate(lost), lacking), m)


def derive(params: Any, body_params: Any, wheel_params: Any, wheel_count: int, context: Any) -> None:
    """Derive all parameters that are not given. Raises ValueError for hubs too heavy for the body."""
    derive_standard(params, body_params, wheel_count)
    gravity = float(norm(context["gravity"]))
    positions = params["attachment"][:wheel_count, :2]
    for i, (p, wheel) in enumerate(zip(params[:wheel_count], wheel_params[:wheel_count], strict=True)):
        p["opposite_wheel"] = opposite_of(positions, i) if p["links"] == SOLID_AXLE else i
        weight = float(p["supported_mass"]) * gravity
        p["lateral_ratio"] = lateral_ratio_of(p, float(wheel["radius"]))
        p["hub_mass"] = mass = hub_mass_of(p, wheel)
        p["used_joint_damping"] = max(float(p["joint_damping"]), min_damping(float(p["joint_compliance"]), mass))
        derive_tire(p, wheel, weight, gravity)
    inertia = np.concatenate([np.full(3, body_params["mass"]), body_params["inertia"]])
    text = heavy_hubs(largest_hub_share(params, body_params, wheel_params, wheel_count, inertia))
    if text:  # `check` finds this first, except in a body whose inertia is only known here (body/assembled.py)
        raise ValueError(f"unsprung_mass: {text}")


def heavy_hubs(hub_share: float) -> str:
    """What is wrong with hubs that have this share of the body's inertia, or an empty text."""
    if hub_share <= MAX_HUB_SHARE:
        return ""
    text = f"the hubs have {hub_share:.0%} of the whole vehicle's inertia in one direction of motion; the limit"
    return f"{text} is {MAX_HUB_SHARE:.0%}"


def check(params: Any, body_params: Any, wheel_params: Any, wheel_count: int) -> list[tuple[str, str]]:
    """Problems of the roll centre, of a joint's compliance, and of hubs that are too heavy for the body."""
    problems = check_roll_centre(params, body_params, wheel_count)
    compliances = params["joint_compliance"][:wheel_count]
    if np.any((compliances > 0.0) & (compliances < MIN_COMPLIANCE)):
        problems.append(("joint_compliance", f"must be 0 for a rigid joint, or at least {MIN_COMPLIANCE:g} m/N"))
    if not problems:
        text = heavy_hubs(largest_hub_share(params, body_params, wheel_params, wheel_count))
        problems += [("unsprung_mass", text)] if text else []
    return problems


UNSPRUNG = Component(
    slot="suspension", name="unsprung", params=UnsprungParams, state=UnsprungState,
    phases={**ROLL_CENTRE.phases, "update": update, "force": force}, writes=("body",), derive=derive, check=check,
    scratch=HUB_SYSTEM,
    doc="Unsprung masses between suspension and tire springs: wheel hop and loss of contact.",
)  # fmt: skip
