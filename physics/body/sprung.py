"""The body over solid axles that move for themselves (suspension/axle_bodies.py).

Springs and joints of the axles move the body up, sideways, in roll and in pitch; lengthwise and in yaw body and axles
are one, and the tires act on both. With m the mass of all, m_s without axles, and in axes of which one lies along the
road ahead, the others across it, to the body's right and up:

    m a_ahead = sum F_x       m_s a_right = sum J       m_s a_up = sum S       and gravity on all
    I_pitch q' = sum (y S + H F_x)     I_roll p' = -sum (x S + h J)      I_yaw r' = sum (x F_x - y F_y)

S, J: spring and joint of a wheel; F_x, F_y: its tire's force ahead and to the right in the road; x, y: of the wheel,
right and ahead of the centre of mass; H: height of that over the road, h over the roll centre. `mass` is that of all,
`principal_inertia` has pitch and roll of the body alone and yaw of all, `centre_of_mass` is the body's. Air and what
comes from outside act on all. This is how handling models share forces out (R. W. Allen et al., NHTSA 1992): a tire
turns the car where its axle stands, however far the body leans out over it, and axles do not pitch.

Its rates are those of heading, pitch and roll (heading.py), each accelerated by its own moment alone: while a wheel
stands on the road, leaning, pitching and turning make no gyroscopic moments on each other, and a body that leans while
its nose dives does not turn the car. Bars act as springs do. In the air it is a rigid body.

Contact of the hull, and tires that hold fast on the spot, take the whole as one body. All else is as in rigid_body.py.
"""

from dataclasses import replace

import numpy as np

from driving_sandbox.physics.body.gyration import gyration_problems
from driving_sandbox.physics.body.gyroscopic import gyroscopic_spin
from driving_sandbox.physics.body.heading import roll_rate, yaw_rate
from driving_sandbox.physics.body.rigid_body import BODY, moments_of
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import quat, vec3
from driving_sandbox.physics.suspension.axle_bodies import along_road
from driving_sandbox.physics.suspension.links import grip
from driving_sandbox.physics.wheel.wheel import turn

AXLES = "axle_bodies"  # component of the slot suspension whose forces it feels
LEAST_LEVEL = 0.5  # cosine of 60 degrees: a body that leans further lies on its side, and its joint nowhere
STEEPEST = 0.9  # sine of 64 degrees: a body that stands up further has no direction along the road


@kernel
def road_normal(state_m, road, suspension, wheel_count):
    """Of the road under all wheels that touch it; without any, up in the body."""
    normal = (0.0, 0.0, 0.0)
    for i in range(wheel_count):
        if suspension[i].on_ground != 0:
            normal = vec3.add(normal, vec3.load(road[i].normal))
    ahead = vec3.transform(state_m, (0.0, 1.0, 0.0))
    size = vec3.length(normal)
    if size == 0.0 or abs(vec3.dot(normal, ahead)) > STEEPEST * size:
        return False, vec3.transform(state_m, (0.0, 0.0, 1.0))
    return True, vec3.scale(normal, 1.0 / size)


@kernel
def spin_on_road(spin, nose, right, ahead, normal, torque, moment, dt):
    """Angular velocity after a step in which heading, pitch and roll are accelerated each by its own moment."""
    pitch = vec3.dot(spin, right) + vec3.dot(torque, right) / moment[0] * dt
    roll = roll_rate(spin, nose, ahead) + vec3.dot(torque, ahead) / moment[1] * dt
    yaw = yaw_rate(spin, nose, ahead, normal) + vec3.dot(torque, normal) / moment[2] * dt
    c, s = turn(yaw * dt)
    level, rise = turn(pitch * dt)
    level, rise = (vec3.dot(nose, ahead) * level - vec3.dot(nose, normal) * rise,
                   vec3.dot(nose, normal) * level + vec3.dot(nose, ahead) * rise)  # fmt: skip
    spin = vec3.add_scaled(vec3.scale(normal, yaw + rise * roll), right, c * pitch - s * level * roll)
    return vec3.add_scaled(spin, ahead, c * level * roll + s * pitch)


@kernel
def velocity(
    params,
    state,
    suspension,
    suspension_params,
    wheel_params,
    tire,
    road,
    antiroll,
    aero,
    external,
    context,
    wheel_count,
    dt,
):
    """Velocity after a substep of every force but the constraints'."""
    m = quat.to_matrix(quat.load(state.orientation))
    stands, normal = road_normal(m, road, suspension, wheel_count)
    nose = vec3.transform(m, (0.0, 1.0, 0.0))
    ahead = along_road(nose, normal)
    beam = vec3.cross(ahead, normal)  # to the right in the road
    right = along_road(vec3.transform(m, (1.0, 0.0, 0.0)), ahead)
    up, level = vec3.cross(right, ahead), max(vec3.dot(beam, right), LEAST_LEVEL)
    lengthwise, sideways, upwards, sprung = 0.0, 0.0, 0.0, params.mass
    pitch, roll, yaw = 0.0, 0.0, 0.0
    torque = vec3.add(vec3.load(external.torque), vec3.load(aero.torque))
    for i in range(wheel_count):
        p, s, radius = suspension_params[i], suspension[i], wheel_params[i].radius
        x, y = p.arm[0], p.arm[1]
        hub = vec3.add_scaled(vec3.load(p.arm), vec3.load(p.direction), p.travel - s.jounce)
        hub = vec3.transform(m, hub)
        below, height = -vec3.dot(up, hub), radius - s.tire_deflection - vec3.dot(normal, hub)
        force = grip(tire[i])
        along = vec3.dot(force, ahead)
        sprung -= p.hub_mass
        lengthwise += along
        sideways += s.joint_force
        upwards += s.body_force
        pitch += y * s.body_force + height * along
        roll -= x * s.body_force + (below + (radius - p.roll_centre_height) / level) * s.joint_force
        yaw += x * along - y * vec3.dot(force, beam)
        torque = vec3.add(torque, vec3.load(tire[i].moment))
    force = vec3.add(vec3.load(external.force), vec3.load(aero.force))
    v = vec3.add_scaled(vec3.load(state.velocity), vec3.add_scaled(force, ahead, lengthwise), dt / params.mass)
    v = vec3.add_scaled(vec3.add_scaled(v, right, sideways * dt / sprung), up, upwards * dt / sprung)
    vec3.store(state.velocity, vec3.add_scaled(v, vec3.load(context.gravity), dt))
    bars = vec3.transform_back(m, vec3.load(antiroll.torque))  # upright in the body as springs are
    torque = vec3.add_scaled(vec3.add_scaled(torque, beam, pitch + bars[0]), ahead, roll + bars[1])
    torque = vec3.add_scaled(torque, normal, yaw + bars[2])
    spin, moment = vec3.load(state.angular_velocity), vec3.load(params.inertia)
    if stands:
        vec3.store(state.angular_velocity, spin_on_road(spin, nose, beam, ahead, normal, torque, moment, dt))
        return
    spin, torque = vec3.transform_back(m, spin), vec3.transform_back(m, torque)
    change = (torque[0] / moment[0], torque[1] / moment[1], torque[2] / moment[2])
    spin = gyroscopic_spin(vec3.add_scaled(spin, change, dt), moment, dt)
    vec3.store(state.angular_velocity, vec3.transform(m, spin))


def check(params, names):
    given, problems = params["principal_inertia"], []
    if np.any(given > 0.0) and not np.all(given > 0.0):  # yaw, of more, may be larger than both
        problems.append(("principal_inertia", "give all three, or zeros to have them computed from box_size"))
    else:
        problems += gyration_problems("principal_inertia", float(params["mass"]), moments_of(params))
    if names.get("suspension") != AXLES:
        problems.append(("mass", f"a body over axles needs `components: {{suspension: {AXLES}}}`"))
    return problems


SPRUNG_BODY = replace(
    BODY, name="sprung", phases={**BODY.phases, "velocity": velocity}, check=check,
    doc="The body over solid axles that move for themselves.",
)  # fmt: skip
