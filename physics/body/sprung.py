"""Sprung body on solid axles with degrees of freedom of their own (suspension/axle_bodies.py).

Springs and joints of the axles act on the body vertically, laterally, in roll and in pitch; longitudinally and in yaw
body and axles are one rigid body, on which the tires act. With m the total mass, m_s the sprung mass, and axes ahead
along the road, to the body's right, and up:

    m a_ahead = sum F_a       m_s a_right = sum J       m_s a_up = sum S       plus gravity
    I_pitch q' = sum (y S + H F_a)     I_roll p' = -sum (x S + h J)      I_yaw r' = sum (x F_a - y F_r)

    S, J        forces of a wheel's spring (up) and joint (to the right) on the body
    F_a, F_r    its tire's force ahead and to the right, in the road plane
    x, y        position of the wheel, right and ahead of the centre of mass
    H, h        height of the centre of mass above the road and above the roll centre

`mass` is the total, `principal_inertia` has pitch and roll of the sprung body and yaw of the total, `centre_of_mass` is
that of the sprung body. Aerodynamic and external forces act on the total. This is the split of forces in handling
models (R. W. Allen et al., NHTSA 1992): a tire's yaw moment is that at its axle, for any roll of the body above it, and
axles do not pitch.

The body turns by heading, pitch and roll (heading.py), each accelerated by its own moment alone: while a wheel is
on the road, roll, pitch and yaw are not coupled by gyroscopic moments, and combined roll and dive do not yaw the car.
Anti-roll bars act like springs. In the air it turns like a rigid body.

Hull contacts and sticky tires act on body and axles as one. All else is as in rigid_body.py.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from driving_sandbox.physics.body.gyration import gyration_problems
from driving_sandbox.physics.body.heading import roll_rate, yaw_rate
from driving_sandbox.physics.body.rigid_body import BODY, moments_of, turn
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import quat, vec3
from driving_sandbox.physics.suspension.axle_bodies import along_road
from driving_sandbox.physics.suspension.links import grip
from driving_sandbox.physics.wheel.wheel import cos_sin

AXLES = "axle_bodies"  # the suspension that this body needs
MIN_ROLL_COSINE = 0.5  # beyond 60 degrees of roll the body lies on its side and the roll centre is undefined
MAX_PITCH_SINE = 0.9  # beyond 64 degrees of pitch the direction ahead along the road is undefined


@kernel
def road_normal(m: Any, road: Any, suspension: Any, wheel_count: int) -> Any:
    """(whether the body stands on a road, normal of that road or, if it does not, the body's up axis), world axes.

    The normal is the mean of those under the wheels on the ground. A body that is pitched beyond MAX_PITCH_SINE does
    not stand on a road.

    m: rotation matrix of the body.
    """
    normal = (0.0, 0.0, 0.0)
    for i in range(wheel_count):
        if suspension[i].on_ground != 0:
            normal = vec3.add(normal, vec3.load(road[i].normal))
    ahead = vec3.transform(m, (0.0, 1.0, 0.0))
    length = vec3.length(normal)
    if length == 0.0 or abs(vec3.dot(normal, ahead)) > MAX_PITCH_SINE * length:
        return False, vec3.transform(m, (0.0, 0.0, 1.0))
    return True, vec3.scale(normal, 1.0 / length)


@kernel
def spin_on_road(spin: Any, nose: Any, right: Any, ahead: Any, normal: Any, torque: Any, moment: Any, dt: float) -> Any:
    """Angular velocity after a step in which yaw, pitch and roll are each accelerated by their own moment, world axes.

    nose: longitudinal axis of the body.
    right, ahead, normal: axes of the road under the body.
    torque: N m, world axes.
    moment: pitch, roll and yaw inertia, kg m^2.
    """
    pitch = vec3.dot(spin, right) + vec3.dot(torque, right) / moment[0] * dt
    roll = roll_rate(spin, nose, ahead) + vec3.dot(torque, ahead) / moment[1] * dt
    yaw = yaw_rate(spin, nose, ahead, normal) + vec3.dot(torque, normal) / moment[2] * dt
    # The rates apply to the axes after the step: yaw turns `right` and `ahead`, pitch raises the nose.
    cos_yaw, sin_yaw = cos_sin(yaw * dt)
    cos_step, sin_step = cos_sin(pitch * dt)
    cos_pitch, sin_pitch = (vec3.dot(nose, ahead) * cos_step - vec3.dot(nose, normal) * sin_step,
                            vec3.dot(nose, normal) * cos_step + vec3.dot(nose, ahead) * sin_step)  # fmt: skip
    spin = vec3.add_scaled(
        vec3.scale(normal, yaw + sin_pitch * roll), right, cos_yaw * pitch - sin_yaw * cos_pitch * roll
    )
    return vec3.add_scaled(spin, ahead, cos_yaw * cos_pitch * roll + sin_yaw * pitch)


@kernel
def velocity(
    params: Any, state: Any, suspension: Any, suspension_params: Any, wheel_params: Any, tire: Any, road: Any,
    antiroll: Any, aero: Any, external: Any, context: Any, wheel_count: int, dt: float,
) -> None:  # fmt: skip
    """Change velocity and angular velocity by all forces except constraint forces over a substep."""
    m = quat.to_matrix(quat.load(state.orientation))
    on_road, normal = road_normal(m, road, suspension, wheel_count)
    nose = vec3.transform(m, (0.0, 1.0, 0.0))
    ahead = along_road(nose, normal)
    road_right = vec3.cross(ahead, normal)  # to the right in the road plane
    right = along_road(vec3.transform(m, (1.0, 0.0, 0.0)), ahead)
    up, cos_roll = vec3.cross(right, ahead), max(vec3.dot(road_right, right), MIN_ROLL_COSINE)
    force_ahead, force_right, force_up, sprung_mass = 0.0, 0.0, 0.0, params.mass
    pitch, roll, yaw = 0.0, 0.0, 0.0
    torque = vec3.add(vec3.load(external.torque), vec3.load(aero.torque))
    for i in range(wheel_count):
        p, s, radius = suspension_params[i], suspension[i], wheel_params[i].radius
        x, y = p.arm[0], p.arm[1]
        hub = vec3.add_scaled(vec3.load(p.arm), vec3.load(p.direction), p.travel - s.jounce)
        hub = vec3.transform(m, hub)
        hub_depth, height = -vec3.dot(up, hub), radius - s.tire_deflection - vec3.dot(normal, hub)
        force = grip(tire[i])
        tire_force_ahead = vec3.dot(force, ahead)
        sprung_mass -= p.hub_mass
        force_ahead += tire_force_ahead
        force_right += s.joint_force
        force_up += s.body_force
        pitch += y * s.body_force + height * tire_force_ahead
        roll -= x * s.body_force + (hub_depth + (radius - p.roll_centre_height) / cos_roll) * s.joint_force
        yaw += x * tire_force_ahead - y * vec3.dot(force, road_right)
        torque = vec3.add(torque, vec3.load(tire[i].moment))
    force = vec3.add(vec3.load(external.force), vec3.load(aero.force))
    v = vec3.add_scaled(vec3.load(state.velocity), vec3.add_scaled(force, ahead, force_ahead), dt / params.mass)
    v = vec3.add_scaled(vec3.add_scaled(v, right, force_right * dt / sprung_mass), up, force_up * dt / sprung_mass)
    vec3.store(state.velocity, vec3.add_scaled(v, vec3.load(context.gravity), dt))
    bar_torque = vec3.transform_back(m, vec3.load(antiroll.torque))  # its forces are vertical in the body, like springs
    torque = vec3.add_scaled(vec3.add_scaled(torque, road_right, pitch + bar_torque[0]), ahead, roll + bar_torque[1])
    torque = vec3.add_scaled(torque, normal, yaw + bar_torque[2])
    if on_road:
        spin = vec3.load(state.angular_velocity)
        spin = spin_on_road(spin, nose, road_right, ahead, normal, torque, vec3.load(params.inertia), dt)
        vec3.store(state.angular_velocity, spin)
    else:
        turn(params, state, m, torque, dt)


def check(params: Any, names: dict[str, str]) -> list[tuple[str, str]]:
    """Problems: moments of inertia that are incomplete or too small, a suspension other than `axle_bodies`."""
    moments, problems = params["principal_inertia"], []
    # Unlike for a solid, one moment may exceed the sum of the others: the yaw inertia includes the axles.
    if np.any(moments > 0.0) and not np.all(moments > 0.0):
        problems.append(("principal_inertia", "give all three, or zeros to have them computed from box_size"))
    else:
        problems += gyration_problems("principal_inertia", float(params["mass"]), moments_of(params))
    if names.get("suspension") != AXLES:
        problems.append(("mass", f"a body on axles needs `components: {{suspension: {AXLES}}}`"))
    return problems


SPRUNG_BODY = replace(
    BODY, name="sprung", phases={**BODY.phases, "velocity": velocity}, check=check,
    doc="The sprung body on solid axles with their own degrees of freedom.",
)  # fmt: skip
