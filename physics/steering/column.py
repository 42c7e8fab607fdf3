"""Steering gear: torque of the steered wheels at the steering wheel's rim, and motion of the rim when it is let go.

Moment of the road about the steering axis (kingpin) of a wheel, positive to the left, and torque at the rim:

    M_i = k . (c x (F + N n) + M_tire)           c = side scrub_radius right - trail forward
    T_road = sum M_i g_i                         g_i = d(wheel angle) / d(rim angle) = max_angle_i / (ratio max_angle)

k is the unit vector along the steering axis, whose top leans rearward by `caster` and towards the middle by `kingpin`;
the axis meets the road `trail` ahead of the contact patch and `scrub_radius` inboard of it; c leads from there to the
patch (side: 1 on the right, -1 on the left). F is the tire's force in the road plane, N the load, n the normal of the
road, M_tire the tire's own moment, by which for example mf_62 adds its pneumatic trail. max_angle without index is the
largest of all wheels. So side forces, loads on inclined axes, and driving or braking on one side all reach the driver.

While the rim is held, it follows the command, and the driver feels

    torque = T_road / (1 + a(v)) - damping theta' - friction sat(theta' / FRICTION_RATE)

with theta the angle of the rim and a the assist, which falls from `assist` at rest to 0 at `assist_speed`. sat limits
to -1..1. With a `stiffness` above 0 the gear twists by T_road / stiffness, an angle of the rim by which the wheels turn
in the direction of T_road. When the rim is let go (`held` false), it moves freely:

    inertia theta'' = T_road - damping theta' - friction sgn theta',    |theta| <= lock

The assist multiplies the driver's torque, so without a driver's hands there is none. Forces are those of the tick
before. The component runs after `response`, whose steering it changes.

Sources: Pfeffer and Harrer, Steering Handbook (2017), chapters 4 and 6; Gillespie, Fundamentals of Vehicle Dynamics,
chapter 8.
"""

from typing import Any

from driving_sandbox.physics.assists.absent import absent
from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import quat, vec3
from driving_sandbox.physics.schema.schema import Bool, Float, Int, Schema, field
from driving_sandbox.physics.tick.component import Component

FRICTION_RATE = 0.05  # rad/s, rate of the rim from which dry friction is full; below, it falls linearly to 0


class SteeringColumnParams(Schema):
    """Steering axes, gear, assist, and resistances of the rim."""

    held: Bool = field(default=True, doc="Whether the driver holds the rim; otherwise it turns freely.")
    ratio: Float = field(
        unit="1",
        gt=0,
        le=200,
        default=15.0,
        suggest=(10, 25),
        mechanic=True,
        doc="Angle of the rim divided by the largest steer angle of a wheel.",
    )
    caster: Float = field(
        unit="rad",
        ge=-0.5,
        le=0.5,
        default=0.09,
        suggest=(0.0, 0.2),
        mechanic=True,
        doc="How far the top of the steering axis leans rearward.",
    )
    kingpin: Float = field(
        unit="rad",
        ge=-0.5,
        le=0.5,
        default=0.21,
        suggest=(0.0, 0.3),
        doc="How far the top of the steering axis leans towards the middle.",
    )
    trail: Float = field(
        unit="m",
        ge=-0.2,
        le=0.5,
        default=0.02,
        suggest=(0.0, 0.05),
        mechanic=True,
        doc="Mechanical trail: distance by which the axis meets the road ahead of the contact patch.",
    )
    scrub_radius: Float = field(
        unit="m",
        ge=-0.3,
        le=0.3,
        default=0.01,
        suggest=(-0.03, 0.06),
        doc="Distance by which the axis meets the road inboard of the contact patch.",
    )
    assist: Float = field(
        unit="1",
        ge=0,
        le=20,
        default=3.0,
        suggest=(0, 6),
        doc="Torque of the power assist divided by that of the driver, at rest.",
    )
    assist_speed: Float = field(
        unit="m/s", gt=0, le=1000, default=50.0, suggest=(20, 80), doc="Speed from which the assist is 0."
    )
    inertia: Float = field(
        unit="kg*m^2",
        ge=1e-3,
        le=10,
        default=0.05,
        suggest=(0.02, 0.1),
        doc="Moment of inertia at the rim, including that of the steered wheels about their axes.",
    )
    damping: Float = field(
        unit="N*m*s/rad", ge=0, le=1000, default=2.0, suggest=(0.5, 4), doc="Viscous resistance at the rim."
    )
    friction: Float = field(unit="N*m", ge=0, le=100, default=0.8, suggest=(0, 3), doc="Dry friction at the rim.")
    stiffness: Float = field(
        unit="N*m/rad",
        ge=0,
        le=1e6,
        default=0.0,
        suggest=(0, 1000),
        mechanic=True,
        doc="Torque at the rim per twist of the gear, with the wheels held; 0: rigid.",
    )


class SteeringColumnState(Schema):
    """Motion of the rim, and its torques."""

    angle: Float = field(unit="rad", doc="Angle of the rim, positive to the left.")
    rate: Float = field(unit="rad/s", doc="Rate of the rim's angle.")
    road_torque: Float = field(unit="N*m", doc="Torque of the road at the rim without assist, positive to the left.")
    torque: Float = field(
        unit="N*m",
        telemetry="steering_torque",
        doc="Torque that pulls at the driver's hands, positive to the left; 0 when let go.",
    )
    moving: Int = field(unit="1", doc="1 after the first tick, from which the rim has a rate.")


@kernel
def steering_axis(p: Any, q: Any, side: float) -> Any:
    """Direction of a wheel's steering axis, world axes. side: 1 on the right, -1 on the left."""
    direction = (-side * elementary.tan(p.kingpin), -elementary.tan(p.caster), 1.0)
    return quat.rotate(q, vec3.scale(direction, 1.0 / vec3.length(direction)))


@kernel
def kingpin_moment(p: Any, axis: Any, side: float, tire: Any, normal: Any) -> float:
    """Moment M_i of the road about the steering axis, N m, positive to the left. axis, normal: k and n."""
    ahead = vec3.load(tire.longitudinal)
    right = vec3.cross(ahead, normal)
    arm = vec3.add_scaled(vec3.scale(ahead, -p.trail), right, side * p.scrub_radius)
    force = vec3.add_scaled(vec3.scale(ahead, tire.longitudinal_force), vec3.load(tire.lateral), tire.lateral_force)
    force = vec3.add_scaled(force, normal, tire.load)
    return vec3.dot(axis, vec3.add(vec3.cross(arm, force), vec3.load(tire.moment)))


@kernel
def largest_angle(steering_params: Any, wheel_count: int) -> float:
    """Largest steer angle of a wheel at full response, rad."""
    largest = 0.0
    for i in range(wheel_count):
        largest = max(largest, abs(steering_params[i].max_angle))
    return largest


@kernel
def road_torque(
    p: Any, body: Any, suspension_params: Any, steering_params: Any, tire: Any, road: Any, wheel_count: int
) -> float:
    """Torque of the road at the rim, T_road of the module's docstring, N m."""
    q, largest = quat.load(body.orientation), largest_angle(steering_params, wheel_count)
    torque = 0.0
    for i in range(wheel_count):
        gear_ratio = steering_params[i].max_angle / (p.ratio * largest) if largest > 0.0 else 0.0
        if gear_ratio != 0.0 and tire[i].load > 0.0:
            side = 1.0 if suspension_params[i].arm[0] > 0.0 else -1.0
            axis = steering_axis(p, q, side)
            torque += gear_ratio * kingpin_moment(p, axis, side, tire[i], vec3.load(road[i].normal))
    return torque


@kernel
def assist_of(p: Any, speed: float) -> float:
    """Torque of the assist divided by that of the driver, at a speed in m/s."""
    return p.assist * max(0.0, 1.0 - abs(speed) / p.assist_speed)


@kernel
def hold(p: Any, s: Any, response: Any, lock: float, dt: float) -> None:
    """Let the rim follow the command, set the torque that the driver feels, and steer by the twist of the gear.

    lock: angle of the rim at full command, rad.
    """
    angle = -lock * response.steer
    s.rate = (angle - s.angle) / dt if s.moving != 0 else 0.0
    s.angle = angle
    friction_share = min(1.0, max(-1.0, s.rate / FRICTION_RATE))
    s.torque = s.road_torque / (1.0 + assist_of(p, response.speed)) - p.damping * s.rate - p.friction * friction_share
    if p.stiffness > 0.0:
        response.steer -= s.road_torque / (p.stiffness * lock)


@kernel
def turn_freely(p: Any, s: Any, response: Any, lock: float, dt: float) -> None:
    """Let the rim turn freely and steer the wheels. lock: as in `hold`."""
    rate = (s.rate + s.road_torque / p.inertia * dt) / (1.0 + p.damping / p.inertia * dt)
    magnitude = max(0.0, abs(rate) - p.friction / p.inertia * dt)
    s.rate = magnitude if rate > 0.0 else -magnitude
    s.angle += s.rate * dt
    if abs(s.angle) > lock:
        s.angle, s.rate = min(lock, max(-lock, s.angle)), 0.0
    s.torque = 0.0
    response.steer = -s.angle / lock


@kernel
def update(
    params: Any, state: Any, response: Any, body: Any, suspension_params: Any, steering_params: Any, tire: Any,
    road: Any, wheel_count: int, dt: float,
) -> None:  # fmt: skip
    """Compute the torque of the road, and move the rim."""
    p, s = params, state
    s.road_torque = road_torque(p, body, suspension_params, steering_params, tire, road, wheel_count)
    lock = p.ratio * largest_angle(steering_params, wheel_count)
    if lock == 0.0:
        return
    if p.held != 0:
        hold(p, s, response, lock, dt)
    else:
        turn_freely(p, s, response, lock, dt)
    s.moving = 1


STEERING_COLUMN = Component(
    slot="steering_column",
    name="kingpin_torque",
    params=SteeringColumnParams,
    state=SteeringColumnState,
    phases={"update": update},
    writes=("response",),
    doc="Torque of the steered wheels at the rim, power assist, and a rim that turns back by itself when let go.",
)
NO_STEERING_COLUMN = absent("steering_column", "update")
