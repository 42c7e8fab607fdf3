"""Sprung body on solid axles with degrees of freedom of their own (suspension/axle_bodies.py).

Springs and joints of the axles act on the body vertically, laterally, in roll and in pitch; longitudinally and in yaw
body and axles are one rigid body, on which the tires act. With m the total mass, m_s the sprung mass, and axes ahead
along the road, to the body's right, and up:

    m a_ahead = sum F_x       m_s a_right = sum J       m_s a_up = sum S       plus gravity
    I_pitch q' = sum (y S + H F_x)     I_roll p' = -sum (x S + h J)      I_yaw r' = sum (x F_x - y F_y)

S, J: spring and joint of a wheel; F_x, F_y: its tire's force ahead and to the right in the road; x, y: of the wheel,
right and ahead of the centre of mass; H: height of that over the road, h over the roll centre. `mass` is the total,
`principal_inertia` has pitch and roll of the sprung body and yaw of the total, `centre_of_mass` is that of the sprung
body. Aerodynamic and external forces act on the total. This is the split of forces in handling models (R. W. Allen et
al., NHTSA 1992): a tire's yaw moment is that at its axle, for any roll of the body above it, and axles do not pitch.

Its rates are those of heading, pitch and roll (heading.py), each accelerated by its own moment alone: while a wheel is
on the road, roll, pitch and yaw are not coupled by gyroscopic moments, and combined roll and dive do not yaw the car.
Anti-roll bars act like springs. In the air it is a rigid body.

Hull contacts and sticky tires act on body and axles as one. All else is as in rigid_body.py.
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
from driving_sandbox.physics.wheel.wheel import cos_sin

AXLES = "axle_bodies"  # the suspension that this body needs
MIN_ROLL_COSINE = 0.5  # beyond 60 degrees of roll the body lies on its side and the roll centre is undefined
MAX_PITCH_SINE = 0.9  # beyond 64 degrees of pitch the direction ahead along the road is undefined


@kernel
def road_normal(state_m, road, suspension, wheel_count):
    """(whether the body stands on a road, normal of that road; else the body's up axis), world axes.

    state_m: rotation matrix of the body. The normal is the mean of the wheels on the ground.
    """
    normal = (0.0, 0.0, 0.0)
    for i in range(wheel_count):
        if suspension[i].on_ground != 0:
            normal = vec3.add(normal, vec3.load(road[i].normal))
    ahead = vec3.transform(state_m, (0.0, 1.0, 0.0))
    size = vec3.length(normal)
    if size == 0.0 or abs(vec3.dot(normal, ahead)) > MAX_PITCH_SINE * size:
        return False, vec3.transform(state_m, (0.0, 0.0, 1.0))
    return True, vec3.scale(normal, 1.0 / size)


@kernel
def spin_on_road(spin, nose, right, ahead, normal, torque, moment, dt):
    """Angular velocity after a step in which yaw, pitch and roll are each accelerated by their own moment, world axes.

    nose: longitudinal axis of the body. right, ahead, normal: axes of the road under the body. moment: pitch, roll, yaw
    inertia.
    """
    pitch = vec3.dot(spin, right) + vec3.dot(torque, right) / moment[0] * dt
    roll = roll_rate(spin, nose, ahead) + vec3.dot(torque, ahead) / moment[1] * dt
    yaw = yaw_rate(spin, nose, ahead, normal) + vec3.dot(torque, normal) / moment[2] * dt
    c, s = cos_sin(yaw * dt)
    level, rise = cos_sin(pitch * dt)
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
    """Velocity after a substep of all forces except constraint forces."""
    m = quat.to_matrix(quat.load(state.orientation))
    stands, normal = road_normal(m, road, suspension, wheel_count)
    nose = vec3.transform(m, (0.0, 1.0, 0.0))
    ahead = along_road(nose, normal)
    beam = vec3.cross(ahead, normal)  # to the right in the road
    right = along_road(vec3.transform(m, (1.0, 0.0, 0.0)), ahead)
    up, level = vec3.cross(right, ahead), max(vec3.dot(beam, right), MIN_ROLL_COSINE)
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
    bars = vec3.transform_back(m, vec3.load(antiroll.torque))  # vertical in the body, like springs
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
    if np.any(given > 0.0) and not np.all(
        given > 0.0
    ):  # yaw inertia includes the axles and may exceed the sum of the others
        problems.append(("principal_inertia", "give all three, or zeros to have them computed from box_size"))
    else:
        problems += gyration_problems("principal_inertia", float(params["mass"]), moments_of(params))
    if names.get("suspension") != AXLES:
        problems.append(("mass", f"a body over axles needs `components: {{suspension: {AXLES}}}`"))
    return problems


SPRUNG_BODY = replace(
    BODY, name="sprung", phases={**BODY.phases, "velocity": velocity}, check=check,
    doc="The sprung body over solid axles with their own degrees of freedom.",
)  # fmt: skip
