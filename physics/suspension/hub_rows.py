"""The rows of hubs in the system of body and hubs (hub_system.py): from a hub's state, and back to it.

Vectors are in body axes unless stated otherwise. `motion` is the velocity (m/s) and angular velocity (rad/s) of the
body before the step, `rotation` the matrix that turns vectors of the body as it was in the last step into its present
axes, `m` that of the body's orientation, `dt` the step, s.
"""

from typing import Any

from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.physics.maths import vec3
from driving_sandbox.physics.suspension.hub_springs import damping_rate, damping_weight, limited_rate
from driving_sandbox.physics.suspension.hub_system import linearise_spring, linearise_tire, set_six
from driving_sandbox.physics.suspension.roll_centre import patch_shift
from driving_sandbox.physics.suspension.suspension import AT_CONTACT, IN_AIR, contact_point
from driving_sandbox.physics.wheel.wheel import suspension_to_body

RIGHT, NOTHING = (1.0, 0.0, 0.0), (0.0, 0.0, 0.0)


@inline_kernel
def hub_position(p: Any, s: Any) -> Any:
    """Position of a hub from the centre of mass, m."""
    return vec3.add_scaled(vec3.load(p.arm), vec3.load(p.direction), p.travel - s.jounce)


@inline_kernel
def hub_speed(p: Any, s: Any, motion: Any) -> Any:
    """Velocity of the body at a hub, m/s."""
    return vec3.add(motion[0], vec3.cross(motion[1], hub_position(p, s)))


@inline_kernel
def set_geometry(
    p: Any, s: Any, row: Any, wheel_p: Any, steer: float, compliance_s: Any, road_s: Any, tire_s: Any, m: Any
) -> None:
    """Write the directions and moments of a hub's row, and the road's application point (body axes) as `force_arm`."""
    point = vec3.add(vec3.load(p.arm), suspension_to_body(p, vec3.load(compliance_s.suspension_force_point)))
    hub = hub_position(p, s)
    u = (p.lateral_ratio - p.direction[0], -p.direction[1], -p.direction[2])
    set_six(row.travel, u, vec3.cross(hub, u))
    set_six(row.lateral, RIGHT, vec3.cross(hub, RIGHT))
    row.square, row.skew = vec3.dot(u, u), u[0]
    normal = vec3.transform_back(m, vec3.load(road_s.normal))
    if s.on_ground != 0:
        if p.force_application == AT_CONTACT:
            point = contact_point(p, wheel_p, steer, s.jounce, normal)
        point = vec3.add(point, (patch_shift(p, p.attachment[0], tire_s.lateral_force), 0.0, 0.0))
    if s.road_jounce <= -IN_AIR:
        normal = NOTHING
    set_six(row.contact, normal, vec3.cross(point, normal))
    row.along, row.across = vec3.dot(normal, u), normal[0]
    vec3.store(s.force_arm, point)


@inline_kernel
def set_springs(p: Any, s: Any, row: Any, dt: float) -> None:
    """Write the impulses of spring, damper, bump stop and tire to a hub's row, linear about its present motion."""
    mass, z, w, d = p.hub_mass, s.jounce, s.jounce_speed, s.tire_deflection
    row.mass, row.speed, row.held, row.released, row.speed_change = mass, w, 0, 0, 0.0
    row.stop_impulse, row.joint_speed_change = 0.0, 0.0
    row.spring_from = z - 0.5 * dt * w
    linearise_spring(p, row, z + 0.5 * dt * w, dt)
    damping = damping_rate(p, w)
    row.damping_rate = dt * damping * damping_weight(dt * damping / mass)
    row.rate, row.load_from = s.deflection_speed, d - 0.5 * dt * s.deflection_speed
    row.tire_damping = limited_rate(p.tire_damping, row.rate)
    row.tire_weight = damping_weight(dt * row.tire_damping / mass)
    linearise_tire(p, row, d + 0.5 * dt * row.rate, dt)
    if s.hub_initialized == 0:
        row.held = 1


@inline_kernel
def set_joint(p: Any, s: Any, row: Any, lateral_force: float, dt: float) -> None:
    """Write the joint to a hub's row. lateral_force: on the hub to the right, with its inertial force, N."""
    row.has_joint = 1 if p.joint_compliance > 0.0 and s.hub_initialized != 0 else 0
    if row.has_joint == 0:
        return
    stiffness, damping = 1.0 / p.joint_compliance, p.used_joint_damping
    weight = damping_weight(dt * damping / p.hub_mass)
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
def change_by(rotation: Any, vector: Any) -> Any:
    """Change of a vector fixed in the body, by its rotation since the last step, body axes."""
    return vec3.sub(vector, vec3.transform(rotation, vector))


@inline_kernel
def set_turned(s: Any, row: Any, rotation: Any) -> None:
    """Write the change of a hub's momentum by its rotation with the body since the last step to its row."""
    w, y = row.mass * s.jounce_speed, row.mass * s.joint_speed
    linear, moment = add_six(NOTHING, NOTHING, row.travel, w)
    if row.has_joint != 0:
        linear, moment = add_six(linear, moment, row.lateral, y)
    set_six(row.turned, change_by(rotation, linear), change_by(rotation, moment))


@inline_kernel
def set_given(
    p: Any, s: Any, row: Any, motion: Any, m: Any, rotation: Any, gravity: Any, link: float, side: float, dt: float
) -> None:
    """Write the impulses on a hub that do not depend on the motion in the step.

    motion: velocity and angular velocity of the body, body axes.
    gravity: m/s^2, body axes.
    link: force of links and anti-roll bars along the travel, N.
    side: lateral tire force, N, to the right.
    """
    s.external_force = link
    unexpected = NOTHING  # change of the body's velocity at the hub
    if s.hub_initialized != 0:
        unexpected = vec3.sub(hub_speed(p, s, motion), vec3.transform_back(m, vec3.load(s.hub_velocity)))
        turned = change_by(rotation, hub_position(p, s))
        unexpected = vec3.sub(unexpected, vec3.cross(motion[1], turned))  # no centrifugal force: r is taken as constant
    u = vec3.load(row.travel)
    row.given = dt * (link + row.mass * vec3.dot(u, gravity)) - row.mass * vec3.dot(u, unexpected)
    set_joint(p, s, row, side + row.mass * (gravity[0] - unexpected[0] / dt), dt)


@inline_kernel
def give(p: Any, s: Any, row: Any, motion: Any, change: Any, m: Any, gravity: Any, dt: float) -> Any:
    """Give a hub its new speeds, and the body its force. Returns the moment that this force lacks, body axes, N m s.

    motion: as in `set_given`, before the step. change: of it in the step.
    """
    load = row.push + row.push_rate * row.rate_change
    w, y = -row.mass * row.speed_change, -row.mass * row.joint_speed_change
    impulse, moment = add_six(NOTHING, NOTHING, row.turned, -1.0)
    impulse, moment = add_six(impulse, moment, row.contact, load)
    impulse, moment = add_six(impulse, moment, row.travel, w)
    if row.has_joint != 0:
        impulse, moment = add_six(impulse, moment, row.lateral, y)
    point = vec3.load(s.force_arm)
    lacking = vec3.sub(moment, vec3.cross(point, impulse))
    # the row has the bars' forces already: these cancel those of antiroll.py, which has no torque at full droop
    bar = vec3.scale(vec3.load(p.direction), dt * s.bar_force)
    impulse = vec3.add(impulse, bar)
    if s.jounce == 0.0:
        lacking = vec3.sub(lacking, vec3.cross(point, bar))
    vec3.store(s.force_vector, vec3.scale(vec3.transform(m, impulse), 1.0 / dt))
    vec3.store(s.force_arm, vec3.transform(m, point))
    before = vec3.transform_back(m, vec3.load(s.hub_velocity))
    after = hub_speed(p, s, (vec3.add(motion[0], change[0]), vec3.add(motion[1], change[1])))
    u = vec3.load(row.travel)
    s.specific_force = vec3.dot(u, gravity)
    if s.hub_initialized != 0:
        s.specific_force -= vec3.dot(u, vec3.sub(after, before)) / dt
    vec3.store(s.hub_velocity, vec3.transform(m, after))
    s.jounce_speed, s.joint_speed = s.jounce_speed + row.speed_change, s.joint_speed + row.joint_speed_change
    s.stop_impulse = row.stop_impulse
    return lacking
