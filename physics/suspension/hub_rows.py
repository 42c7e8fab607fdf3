"""The rows of hubs in the system of body and hubs (hub_system.py): from a hub's state, and back to it.

Vectors are in body axes unless stated otherwise. `m` is the matrix of the body's orientation, `dt` the step, s.
"""

from typing import Any

from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.physics.maths import vec3
from driving_sandbox.physics.suspension.hub_springs import damping_rate, damping_weight, limited_rate
from driving_sandbox.physics.suspension.hub_system import NOTHING, dot_six, halves, set_six, set_spring, set_tire
from driving_sandbox.physics.suspension.roll_centre import patch_shift
from driving_sandbox.physics.suspension.suspension import AT_CONTACT, IN_AIR, contact_point
from driving_sandbox.physics.wheel.wheel import suspension_to_body

RIGHT = (1.0, 0.0, 0.0)


@inline_kernel
def hub_position(p: Any, s: Any) -> Any:
    """Position of a hub from the centre of mass, m."""
    return vec3.add_scaled(vec3.load(p.arm), vec3.load(p.direction), p.travel - s.jounce)


@inline_kernel
def set_geometry(
    p: Any, s: Any, row: Any, wheel_p: Any, steer: float, compliance_s: Any, road_s: Any, tire_s: Any, m: Any
) -> None:
    """Write the directions and moments of a hub's row, and the application point of its force on the body."""
    point = vec3.add(vec3.load(p.arm), suspension_to_body(p, vec3.load(compliance_s.suspension_force_point)))
    hub = hub_position(p, s)
    u = (p.lateral_ratio - p.direction[0], -p.direction[1], -p.direction[2])
    set_six(row.travel, u, vec3.cross(hub, u))
    row.square, row.has_joint = vec3.dot(u, u), 1 if p.joint_compliance > 0.0 and s.hub_initialized != 0 else 0
    normal = vec3.transform_back(m, vec3.load(road_s.normal))
    if s.on_ground != 0:
        if p.force_application == AT_CONTACT:
            point = contact_point(p, wheel_p, steer, s.jounce, normal)
        point = vec3.add(point, (patch_shift(p, p.attachment[0], tire_s.lateral_force), 0.0, 0.0))
    if s.road_jounce <= -IN_AIR:
        normal = NOTHING
    set_six(row.contact, normal, vec3.cross(point, normal))
    row.along = vec3.dot(normal, u)
    vec3.store(row.offset, vec3.sub(hub, point))
    vec3.store(s.force_arm, vec3.transform(m, point))
    if row.has_joint != 0:
        set_six(row.lateral, RIGHT, vec3.cross(hub, RIGHT))
        row.skew, row.across = u[0], normal[0]


@inline_kernel
def set_springs(p: Any, s: Any, row: Any, dt: float) -> None:
    """Write the impulses of spring, damper, bump stop and tire to a hub's row, linear about its present motion."""
    mass, z, w = p.hub_mass, s.jounce, s.jounce_speed
    row.mass, row.speed, row.released, row.speed_change = mass, w, 0, 0.0
    row.held = 1 if s.hub_initialized == 0 else 0
    row.spring_from = z - 0.5 * dt * w
    rate = damping_rate(p, w)
    set_spring(p, row, z, rate, dt)
    damping = dt * rate
    row.damping_rate = damping * damping_weight(damping, mass)
    row.rate, row.load_from = s.deflection_speed, s.tire_deflection - 0.5 * dt * s.deflection_speed
    row.tire_damping = limited_rate(p.tire_damping, row.rate)
    row.tire_weight = damping_weight(dt * row.tire_damping, mass)
    set_tire(p, row, s.tire_deflection, dt)


@inline_kernel
def set_joint(p: Any, s: Any, row: Any, lateral_force: float, dt: float) -> None:
    """Write the joint to a hub's row. lateral_force: on the hub to the right, with its inertial force, N."""
    stiffness, damping = 1.0 / p.joint_compliance, p.used_joint_damping
    weight = damping_weight(dt * damping, p.hub_mass)
    turn = dt * dt * stiffness / p.hub_mass  # squared phase of a step
    late = turn * turn / (16.0 + turn * turn)  # a joint too stiff for the step is taken at its end, or it would ring
    row.joint_rate = dt * ((0.25 + 0.75 * late) * dt * stiffness + damping * weight)
    travel = s.joint_travel + late * dt * s.joint_speed
    row.joint_given = dt * (lateral_force - stiffness * travel - damping * s.joint_speed)


@inline_kernel
def add_six(linear: Any, moment: Any, vector: Any, factor: float) -> Any:
    """(linear, moment) plus factor times a vector of six."""
    moment = vec3.add_scaled(moment, (vector[3], vector[4], vector[5]), factor)
    return vec3.add_scaled(linear, vec3.load(vector), factor), moment


@inline_kernel
def add_momentum(linear: Any, moment: Any, row: Any, speed: float, joint_speed: float) -> Any:
    """(linear, moment) plus the momentum (N s, N m s) of a hub with these speeds (m/s) in the body."""
    linear, moment = add_six(linear, moment, row.travel, row.mass * speed)
    if row.has_joint != 0:
        linear, moment = add_six(linear, moment, row.lateral, row.mass * joint_speed)
    return linear, moment


@inline_kernel
def set_given(p: Any, s: Any, row: Any, jolt: Any, link: float, side: float, dt: float) -> None:
    """Write the impulses on a hub that do not depend on the motion in the step.

    jolt: velocity (m/s) and angular velocity (rad/s) that a body in free fall would gain in the step relative to this
        one, as far as its motion is known.
    link: force of links and anti-roll bars along the travel, N.
    side: lateral tire force, N, to the right.
    """
    s.external_force = link
    row.given = dt * link + row.mass * dot_six(halves(row.travel), jolt)
    if row.has_joint != 0:
        set_joint(p, s, row, side + row.mass * dot_six(halves(row.lateral), jolt) / dt, dt)


@inline_kernel
def bar_moment(p: Any, s: Any, row: Any, dt: float) -> Any:
    """Angular impulse (N m s) of the force that cancels that of the bars in antiroll.py: it has none at full droop."""
    if s.jounce != 0.0:
        return NOTHING
    point = vec3.sub(hub_position(p, s), vec3.load(row.offset))
    return vec3.cross(point, vec3.scale(vec3.load(p.direction), dt * s.bar_force))


@inline_kernel
def give(p: Any, s: Any, row: Any, normal: Any, m: Any, dt: float) -> Any:
    """Give a hub its new speeds, and the body its force. Returns the angular impulse that this force lacks, N m s.

    normal: of the road, world axes.
    """
    per_step, joint_change = 1.0 / dt, row.joint_speed_change if row.has_joint != 0 else 0.0
    gain, side_gain = row.mass * row.speed_change, row.mass * joint_change
    sideways = p.lateral_ratio * gain + side_gain
    # bars act on the hub, so that they are cancelled here on the body, on which they act in antiroll.py
    force = vec3.scale(vec3.load(s.direction), s.bar_force + gain * per_step)
    force = vec3.add_scaled(force, normal, (row.push + row.push_rate * row.rate_change) * per_step)
    vec3.store(s.force_vector, vec3.add_scaled(force, (m[0][0], m[1][0], m[2][0]), -sideways * per_step))
    s.jounce_speed, s.joint_speed = s.jounce_speed + row.speed_change, s.joint_speed + joint_change
    momentum = vec3.add_scaled(vec3.scale(vec3.load(row.travel), gain), RIGHT, side_gain)
    return vec3.cross(momentum, vec3.load(row.offset))
