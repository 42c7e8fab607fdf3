"""Electronic stability control: brakes single wheels and closes the throttle, so that the car turns as it is steered.

    r_ref = v delta / (L (1 + (v / v_ch)^2))        steady turn of the linear bicycle model
    |r_ref| <= friction_share mu g / v              limit by the road's grip; then a first-order lag, like the car's
    e = r - r_ref - k excess(beta)                  error of the yaw rate r; k: sideslip_gain
    M = -yaw_gain (|e| - dead_band) sgn e           requested yaw moment, 0 within the dead band

delta is the mean steer angle of the front wheels minus that of the rear ones, L the distance between the mean positions
of front and rear wheels, v_ch the characteristic speed, at which a car needs twice the steer angle of a neutral one:
v_ch^2 = L / K for an understeer gradient K in rad s^2/m, which `check --figures` estimates. mu is the tires' mean
friction, weighted by load. excess(beta) is the part of the sideslip angle of the centre of mass beyond sideslip_limit;
without it a slide at a constant angle would not be detected, as its yaw rate is right.

    M opposes the yaw rate            oversteer: brakes the outer front wheel, which also reduces its side force
    M has the yaw rate's direction    understeer: brakes the inner rear wheel
    torque = |M| R / |lever|, lever = x cos delta_i + y sin delta_i, at most max_torque, rising at build_rate

(x, y) is the braked wheel's position relative to the centre of mass, delta_i its steer angle, R its radius. While M is
not 0 the share of the throttle falls at cut_rate, else it returns at return_rate. Anti-lock brakes, which run later,
limit the torque of each wheel; without them the wheel may lock. The control is off below min_velocity and in reverse,
and does not brake while the handbrake is applied, as then the driver wants a slide.

All angles, rates and moments are positive to the left. Phase `update` runs after `response`, whose throttle it changes,
with the steer angles of the tick before; phase `brake` runs after `brakes`. Real cars estimate friction and sideslip;
here they are the tires' and the body's. Source: van Zanten, Erhardt and Pfaff, VDC, The Vehicle Dynamics Control System
of Bosch, SAE 950759; Rajamani, Vehicle Dynamics and Control, ch. 8 (reference yaw rate and its limit, 8.2; which wheel
to brake, 8.3); Bosch Automotive Handbook, Electronic stability program.
"""

from typing import Any

import numpy as np

from driving_sandbox.physics.assists.abs import check_brakes
from driving_sandbox.physics.assists.absent import absent
from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths.quat import load as load_quat
from driving_sandbox.physics.maths.quat import rotate_inverse
from driving_sandbox.physics.maths.vec3 import length, load
from driving_sandbox.physics.schema.schema import WHEEL_CAPACITY, Block, Bool, Float, Int, Schema, field
from driving_sandbox.physics.tick.component import Component

MIN_LEVER = 0.1  # m; wheels nearer to the centre line are not braked; also the smallest wheelbase in r_ref
ADDED_TORQUE = np.dtype([("torque", np.float64, (WHEEL_CAPACITY,))])  # N*m, brake torque added to each wheel


class StabilityControlParams(Schema):
    """Reference, thresholds and strength of the intervention."""

    enable: Bool = field(default=True, doc="Whether it is enabled.")
    characteristic_speed: Float = field(
        unit="m/s",
        gt=1,
        le=1000,
        default=28.0,
        suggest=(15, 60),
        doc="Characteristic speed of the reference, at which its yaw rate is half that of a neutral car. If not given, "
        "it is estimated from wheelbase and understeer gradient.",
    )
    friction_share: Float = field(
        unit="1",
        gt=0,
        le=2,
        default=0.9,
        suggest=(0.7, 1.1),
        doc="Largest lateral acceleration of the reference, as a share of friction times gravity.",
    )
    lag: Float = field(
        unit="s",
        ge=0,
        le=2,
        default=0.1,
        suggest=(0.03, 0.3),
        doc="Time constant with which the reference follows r_ref.",
    )
    dead_band: Float = field(
        unit="rad/s",
        ge=0,
        le=2,
        default=0.07,
        suggest=(0.03, 0.2),
        doc="Yaw rate error up to which it does not intervene.",
    )
    sideslip_limit: Float = field(
        unit="rad",
        ge=0,
        le=1.5,
        default=0.09,
        suggest=(0.05, 0.3),
        doc="Sideslip angle up to which it does not count as an error.",
    )
    sideslip_gain: Float = field(
        unit="1/s",
        ge=0,
        le=50,
        default=4.0,
        suggest=(0, 10),
        doc="Yaw rate error that counts for each radian of sideslip beyond the limit.",
    )
    yaw_gain: Float = field(
        unit="N*m*s/rad",
        gt=0,
        le=1e7,
        default=60e3,
        suggest=(10e3, 200e3),
        doc="Yaw moment per yaw rate error beyond the dead band.",
    )
    max_torque: Float = field(
        unit="N*m", ge=0, default=2000.0, suggest=(500, 4000), doc="Largest brake torque that it adds to a wheel."
    )
    build_rate: Float = field(
        unit="N*m/s",
        gt=0,
        default=15e3,
        suggest=(5e3, 40e3),
        doc="Rate at which that torque rises, limited by the pump.",
    )
    cut_rate: Float = field(
        unit="1/s", gt=0, le=1000, default=6.0, suggest=(2, 20), doc="Rate of throttle reduction while it intervenes."
    )
    return_rate: Float = field(
        unit="1/s", gt=0, le=1000, default=2.0, suggest=(0.5, 10), doc="Rate of throttle restoration afterwards."
    )
    min_velocity: Float = field(
        unit="m/s", gt=0.1, le=100, default=5.0, suggest=(3, 10), doc="Forward speed below which it is off."
    )


class StabilityControlState(Schema):
    """Measured motion, reference, and intervention."""

    active: Int = field(unit="1", doc="1 while it intervenes.")
    yaw_rate: Float = field(unit="rad/s", doc="Yaw rate about the vehicle's vertical axis, positive to the left.")
    reference: Float = field(unit="rad/s", doc="Yaw rate that the driver's steering asks for, positive to the left.")
    sideslip: Float = field(
        unit="rad", doc="Sideslip angle of the centre of mass, positive where it moves to the left."
    )
    moment: Float = field(unit="N*m", doc="Requested yaw moment, positive to the left.")
    braked_wheel: Int = field(
        unit="1", ge=-1, le=WHEEL_CAPACITY - 1, default=-1, doc="Number of the wheel that it brakes; -1: none."
    )
    brake_torque: Float = field(unit="N*m", doc="Brake torque added to that wheel, before anti-lock brakes.")
    share: Float = field(unit="1", default=1.0, doc="Factor on the driver's throttle.")
    wheels: Block = field(layout=ADDED_TORQUE, doc="Brake torque added to each wheel.")


@kernel
def axles(suspension_params: Any, steering: Any, wheel_count: int) -> tuple[float, float]:
    """(wheelbase L, m; steer angle delta, rad): front minus rear mean. Front wheels are ahead of the centre of mass."""
    front_y, rear_y, front_angle, rear_angle = 0.0, 0.0, 0.0, 0.0
    front_count, rear_count = 0, 0
    for i in range(wheel_count):
        if suspension_params[i].arm[1] > 0.0:
            front_y += suspension_params[i].arm[1]
            front_angle += steering[i].angle
            front_count += 1
        else:
            rear_y += suspension_params[i].arm[1]
            rear_angle += steering[i].angle
            rear_count += 1
    fronts, rears = max(front_count, 1), max(rear_count, 1)
    return max(front_y / fronts - rear_y / rears, MIN_LEVER), front_angle / fronts - rear_angle / rears


@kernel
def mean_friction(tire: Any, wheel_count: int) -> float:
    """Mean friction of the tires, weighted by load; 0 with all wheels in the air."""
    load_sum, friction_force = 0.0, 0.0
    for i in range(wheel_count):
        load_sum += tire[i].load
        friction_force += tire[i].friction * tire[i].load
    return friction_force / load_sum if load_sum > 0.0 else 0.0


@kernel
def reference_rate(p: Any, speed: float, wheelbase: float, steer: float, grip: float) -> float:
    """r_ref, the yaw rate of a steady turn limited by grip, rad/s.

    speed: above 0, m/s.
    wheelbase: m.
    steer: rad.
    grip: friction times gravity, m/s^2.
    """
    ratio = speed / p.characteristic_speed
    limit = p.friction_share * grip / speed
    return min(limit, max(-limit, speed * steer / (wheelbase * (1.0 + ratio * ratio))))


@kernel
def excess(value: float, band: float) -> float:
    """The part of a value outside of -band..band, with its sign; 0 within."""
    return max(0.0, value - band) + min(0.0, value + band)


@kernel
def release(state: Any, wheel_count: int) -> None:
    """End the intervention; the reference restarts from the present yaw rate."""
    state.active, state.moment, state.share = 0, 0.0, 1.0
    state.reference = state.yaw_rate
    for i in range(wheel_count):
        state.wheels.torque[i] = 0.0


@kernel
def update(
    params: Any, state: Any, response: Any, body: Any, suspension_params: Any, steering: Any, tire: Any, context: Any,
    wheel_count: int, dt: float,
) -> None:  # fmt: skip
    """Compute the reference and the requested yaw moment, and reduce the throttle."""
    p, s, q = params, state, load_quat(body.orientation)
    velocity = rotate_inverse(q, load(body.velocity))
    s.yaw_rate = rotate_inverse(q, load(body.angular_velocity))[2]
    s.sideslip = elementary.atan2(-velocity[0], velocity[1]) if velocity[1] > 0.0 else 0.0
    if p.enable == 0 or response.speed < p.min_velocity:
        release(s, wheel_count)
        return
    wheelbase, steer = axles(suspension_params, steering, wheel_count)
    grip = mean_friction(tire, wheel_count) * length(load(context.gravity))
    target_rate = reference_rate(p, response.speed, wheelbase, steer, grip)
    s.reference += (target_rate - s.reference) * dt / (p.lag + dt)
    error = s.yaw_rate - s.reference - p.sideslip_gain * excess(s.sideslip, p.sideslip_limit)
    s.moment = -p.yaw_gain * excess(error, p.dead_band) if grip > 0.0 else 0.0
    s.active = 1 if s.moment != 0.0 else 0
    change = -p.cut_rate if s.active != 0 else p.return_rate
    s.share = min(1.0, max(0.0, s.share + change * dt))
    response.throttle *= s.share


@kernel
def wheel_at(suspension_params: Any, side: float, end: float, wheel_count: int) -> int:
    """Index of the foremost (end 1) or rearmost (end -1) wheel on the left (side -1) or right (1); -1: none."""
    wheel_index = -1
    for i in range(wheel_count):
        arm = suspension_params[i].arm
        if side * arm[0] > MIN_LEVER and (
            wheel_index < 0 or end * arm[1] > end * suspension_params[wheel_index].arm[1]
        ):
            wheel_index = i
    return wheel_index


@kernel
def lever_of(arm: Any, angle: float) -> float:
    """Lever arm of a braked wheel's force about the centre of mass, m. arm: (x, y) of the wheel, m. angle: delta_i."""
    return abs(arm[0] * elementary.cos(angle) + arm[1] * elementary.sin(angle))


@kernel
def brake(
    params: Any, state: Any, response: Any, brakes: Any, suspension_params: Any, steering: Any, wheel_params: Any,
    wheel_count: int, dt: float,
) -> None:  # fmt: skip
    """Add the brake torque for the requested yaw moment to one wheel."""
    p, s, torque = params, state, 0.0
    s.braked_wheel, s.brake_torque = -1, 0.0
    if s.moment != 0.0 and response.handbrake == 0.0:
        side = -1.0 if s.moment > 0.0 else 1.0
        end = 1.0 if s.moment * s.yaw_rate < 0.0 else -1.0
        s.braked_wheel = wheel_at(suspension_params, side, end, wheel_count)
    if s.braked_wheel >= 0:
        k = s.braked_wheel
        lever = max(lever_of(suspension_params[k].arm, steering[k].angle), MIN_LEVER)
        torque = min(p.max_torque, abs(s.moment) * wheel_params[k].radius / lever)
    for i in range(wheel_count):
        target = torque if i == s.braked_wheel else 0.0
        s.wheels.torque[i] = min(target, s.wheels.torque[i] + p.build_rate * dt)
        brakes[i].torque += s.wheels.torque[i]
    if s.braked_wheel >= 0:
        s.brake_torque = s.wheels.torque[s.braked_wheel]


STABILITY_CONTROL = Component(
    slot="stability_control",
    name="yaw_rate_reference",
    params=StabilityControlParams,
    state=StabilityControlState,
    phases={"update": update, "brake": brake},
    check=check_brakes,
    writes=("response", "brakes"),
    doc="Brakes single wheels and closes the throttle to keep the yaw rate that the steer angle asks for.",
)
NO_STABILITY_CONTROL = absent("stability_control", "update", "brake")
