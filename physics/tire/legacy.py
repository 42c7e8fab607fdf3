"""Directions and slips of the older vehicles of the PhysX SDK, as an alternative to the standard ones (PX-LEG-08).

Forces, load and friction are those of combined_slip.py. What differs:

    directions   of the wheel's axle without steer, toe and camber, turned by the steer angle about the road normal
    slip         (omega R - v) / (max(|v|, |omega R|) + m_active)    driven or braked
                 (omega R - v) / max(m_passive, |v|, |omega R|)      free

The standard slip of a wheel that spins under a standing vehicle is omega R / m; here it is at most 1. The lateral slip
is the standard one.
"""

from typing import Any

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import quat, vec3
from driving_sandbox.physics.tick.component import Component
from driving_sandbox.physics.tire.combined_slip import (
    COMBINED_SLIP,
    clear_contact,
    clear_sticky,
    filtered_load,
    friction_factor,
)
from driving_sandbox.physics.tire.slip import camber_angle, lateral_slip, tire_directions
from driving_sandbox.physics.wheel.wheel import cos_sin, hub_axes, suspension_to_body, total_steer, wheel_centre


@kernel
def legacy_directions(
    axle: Any, normal: Any, steer: float
) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """(longitudinal, lateral) unit vectors in the road plane.

    axle: axis of the unsteered wheel, pointing right.
    steer: steer angle, rad, positive to the left.
    """
    longitudinal, lateral = tire_directions(axle, normal)
    c, s = cos_sin(steer)
    ahead = vec3.add_scaled(vec3.scale(longitudinal, c), lateral, -s)
    return ahead, vec3.add_scaled(vec3.scale(lateral, c), longitudinal, s)


@kernel
def legacy_longitudinal_slip(longitudinal_speed: float, rim_speed: float, active: Any, context: Any) -> float:
    """Slip ratio. rim_speed: omega R. Speeds in m/s. active: not 0 for a driven or braked wheel."""
    if longitudinal_speed == 0.0 and rim_speed == 0.0:
        return 0.0
    fastest = max(abs(longitudinal_speed), abs(rim_speed))
    if active != 0:
        return (rim_speed - longitudinal_speed) / (fastest + context.min_active_slip_speed)
    return (rim_speed - longitudinal_speed) / max(context.min_passive_slip_speed, fastest)


@kernel
def contact_speed(
    t: Any, suspension_p: Any, wheel_p: Any, jounce: float, steer: float, road_s: Any, body: Any, m: Any
) -> None:
    """Set the speeds of the contact point over the road along the tire's directions.

    jounce: m. steer: rad. m: rotation matrix of the body.
    """
    contact_arm = wheel_centre(suspension_p, wheel_p, suspension_p.travel - jounce + wheel_p.radius, 0.0, steer)
    velocity = vec3.cross(vec3.load(body.angular_velocity), vec3.transform(m, contact_arm))
    velocity = vec3.sub(vec3.add(velocity, vec3.load(body.velocity)), vec3.load(road_s.velocity))
    t.longitudinal_speed = vec3.dot(velocity, vec3.load(t.longitudinal))
    t.lateral_speed = vec3.dot(velocity, vec3.load(t.lateral))


@kernel
def slip(
    params: Any, state: Any, suspension: Any, suspension_params: Any, compliance: Any, road: Any, wheel: Any,
    wheel_params: Any, steering: Any, actuation: Any, body: Any, context: Any, wheel_count: int,
) -> None:  # fmt: skip
    """Set directions, speeds, slips, load and friction of every tire."""
    m = quat.to_matrix(quat.load(body.orientation))
    for i in range(wheel_count):
        t = state[i]
        s, w = suspension_params[i], wheel_params[i]
        clear_sticky(t)
        point = vec3.add(vec3.load(s.arm), suspension_to_body(s, vec3.load(compliance[i].tire_force_point)))
        vec3.store(t.arm, vec3.transform(m, point))
        rim_speed = wheel[i].omega * w.radius
        clear_contact(t, rim_speed, actuation[i], context)
        if road[i].hit != 0:  # directions are set wherever there is a road, even below a wheel in the air
            normal = vec3.load(road[i].normal)
            axle, _ = hub_axes(s, w, 0.0, 0.0)  # camber and steer angle 0
            longitudinal, lateral = legacy_directions(vec3.transform(m, axle), normal, steering[i].angle)
            vec3.store(t.longitudinal, longitudinal)
            vec3.store(t.lateral, lateral)
            contact_speed(t, s, w, suspension[i].jounce, steering[i].angle, road[i], body, m)
            t.lateral_slip = lateral_slip(t.longitudinal_speed, t.lateral_speed, context.min_lateral_slip_speed)
        active = actuation[i].brake_applied + actuation[i].drive_applied
        t.longitudinal_slip = legacy_longitudinal_slip(t.longitudinal_speed, rim_speed, active, context)
        if suspension[i].on_ground != 0:
            normal = vec3.load(road[i].normal)
            axle, forward = hub_axes(s, w, compliance[i].camber, total_steer(steering[i], compliance[i]))
            pitch = vec3.dot(vec3.transform_back(m, normal), forward)
            t.camber = camber_angle(vec3.dot(normal, vec3.transform(m, axle)), pitch)
            t.load = filtered_load(params[i], suspension[i].force)
            t.friction = road[i].friction * friction_factor(params[i], t.longitudinal_slip)


LEGACY_TIRE = Component(
    slot="tire",
    name="legacy",
    params=COMBINED_SLIP.params,
    state=COMBINED_SLIP.state,
    phases={"slip": slip, "force": COMBINED_SLIP.phases["force"]},
    scratch=COMBINED_SLIP.scratch,
    derive=COMBINED_SLIP.derive,
    check=COMBINED_SLIP.check,
    doc="Slip relative to the faster of rim and ground, like older vehicles of the PhysX SDK.",
)
