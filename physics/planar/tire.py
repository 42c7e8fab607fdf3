"""Side forces of the planar vehicle's tires, by axle (CN-SLIP, CN-TIRE).

Slip angle of an axle, positive when it slides to its right (steps 6 and 7 of the article, see physics/planar/body.py):

    alpha = atan((vLat - w x) / |vLong|) - sgn(vLong) delta       sgn(0) = 0

with x the distance of the axle ahead of the centre of mass, w the yaw rate to the left and delta the steer angle to the
right. The side force opposes it, fy = -fn(alpha) N, with fn of one of the laws in physics/planar/tire_laws.py.

A force that would reverse the sliding of its axle within a step is limited to what stops the sliding: without the limit
the article's explicit steps oscillate at walking pace. The effective mass at an axle is 1 / (1 / m + x^2 / I); a wheel
has the share load / weight of it. A wheel locked by the handbrake has sliding friction mu N against its axle's motion
instead of the law's side force.

Limits: traction and side force are independent (no friction circle), so there is no power oversteer and no instability
under braking. No camber, no aligning moment, no relaxation.
"""

import math
from typing import Any

from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.planar.wheel import FRONT, REAR
from driving_sandbox.physics.schema.schema import Float, PerWheel, field

MEASURED_PEAK = math.radians(5.0)  # rad, knee of the article's measured curve


class PlanarTireParams(PerWheel):
    """Parameters common to all laws."""

    side_friction: Float = field(
        unit="1", ge=0, default=1.0, suggest=(0, 2), doc="fn_max: largest side force per load.", source="CN-TIRE-04"
    )
    stiffness: Float = field(
        unit="1/rad",
        ge=0,
        default=1.0 / MEASURED_PEAK,
        suggest=(1, 40),
        source="CN-TIRE-04",
        doc="C: side force per load and slip angle, where that is small.",
    )
    nominal_load: Float = field(unit="N", derived=True, doc="Load at rest on level ground.")


class PlanarTireState(PerWheel):
    """Slip, load and forces; an axle's forces are shared evenly by its wheels."""

    load: Float = field(unit="N", telemetry="load", doc="Load of this wheel.")
    law: Float = field(unit="1", doc="Side force per load by the tire's law, with the sign of the slip.")
    lateral_slip: Float = field(unit="rad", telemetry="lateral_slip", doc="Slip angle, positive sliding to the right.")
    lateral_speed: Float = field(unit="m/s", doc="Speed of the axle to the wheel's right.")
    longitudinal_speed: Float = field(unit="m/s", doc="Speed of the axle along the wheel.")
    longitudinal_slip: Float = field(
        unit="1",
        telemetry="longitudinal_slip",
        doc="1 if the axle is at its traction limit, down to -1 if the handbrake locks it, else 0.",
    )
    friction: Float = field(unit="1", doc="Largest side force per load.")
    longitudinal_force: Float = field(unit="N", telemetry="longitudinal_force", doc="Traction along the wheel.")
    lateral_force: Float = field(unit="N", telemetry="lateral_force", doc="Force to the wheel's right.")


@kernel
def sign(x: float) -> float:
    """-1, 0 or 1."""
    if x == 0.0:
        return 0.0
    return math.copysign(1.0, x)


@kernel
def slip_angle(v_long: float, v_axle: float, delta: float) -> float:
    """Slip angle, rad.

    v_long: forward speed, m/s.
    v_axle: speed of the axle to the right, m/s.
    delta: steer angle to the right, rad.
    """
    return elementary.atan2(v_axle, abs(v_long)) - sign(v_long) * delta


@kernel
def axle_of(body: Any, body_params: Any, axle: Any) -> tuple[Any, Any]:
    """(distance ahead of the centre of mass, m; load, N) of an axle."""
    if axle == FRONT:
        return body_params.front_axle, body.front_load
    return -body_params.rear_axle, body.rear_load


@kernel
def share_load(state: Any, body: Any, wheel_params: Any, wheel_count: int) -> None:
    """Divide the load of each axle among its wheels."""
    for i in range(wheel_count):
        count = 0
        for k in range(wheel_count):
            count += wheel_params[k].axle == wheel_params[i].axle
        state[i].load = (body.front_load if wheel_params[i].axle == FRONT else body.rear_load) / count


@kernel
def slip(
    state: Any, body: Any, body_params: Any, wheel_params: Any, steering: Any, wheel_count: int, axle: Any
) -> None:
    """Set slip angle and speeds of the wheels of one axle."""
    ahead, _ = axle_of(body, body_params, axle)
    v_axle = body.v_lat - body.angular_velocity[2] * ahead
    for i in range(wheel_count):
        if wheel_params[i].axle == axle:
            delta = -steering[i].angle
            s, c = elementary.sincos(delta)
            state[i].lateral_slip = slip_angle(body.v_long, v_axle, delta)
            state[i].longitudinal_speed = body.v_long * c + v_axle * s
            state[i].lateral_speed = v_axle * c - body.v_long * s


@kernel
def front_slip(state: Any, body: Any, body_params: Any, wheel_params: Any, steering: Any, wheel_count: int) -> None:
    """Step 6, eq. 9: slip of the front wheels."""
    slip(state, body, body_params, wheel_params, steering, wheel_count, FRONT)


@kernel
def rear_slip(state: Any, body: Any, body_params: Any, wheel_params: Any, steering: Any, wheel_count: int) -> None:
    """Step 7, eq. 8: slip of the rear wheels."""
    slip(state, body, body_params, wheel_params, steering, wheel_count, REAR)


@kernel
def stopping_force(t: Any, body_params: Any, ahead: float, weight: float, dt: float) -> float:
    """Limit of a wheel's side force, N: its share, by load / weight, of what stops its axle's sliding within a step.

    t: state of the wheel.
    ahead: distance of the axle ahead of the centre of mass, m.
    weight: of the vehicle, N.
    """
    effective_mass = 1.0 / (1.0 / body_params.mass + ahead * ahead / body_params.yaw_inertia)
    return effective_mass * abs(t.lateral_speed) / dt * (t.load / weight if weight > 0.0 else 0.0)


@kernel
def force(
    state: Any, body: Any, body_params: Any, wheel_params: Any, brakes: Any, brakes_params: Any, differential: Any,
    wheel_count: int, dt: float, axle: Any,
) -> None:  # fmt: skip
    """Set the forces and the longitudinal slip of the wheels of one axle from law, handbrake and drive."""
    ahead, _ = axle_of(body, body_params, axle)
    hold = brakes.hold if axle == REAR else 0.0
    for i in range(wheel_count):
        if wheel_params[i].axle != axle:
            continue
        t = state[i]
        speed = elementary.hypot(t.longitudinal_speed, t.lateral_speed)
        sliding = brakes_params.handbrake_friction * t.lateral_speed / speed if speed > 0.0 else 0.0
        limit = stopping_force(t, body_params, ahead, body.front_load + body.rear_load, dt)
        t.lateral_force = min(max(-((1.0 - hold) * t.law + hold * sliding) * t.load, -limit), limit)
        t.longitudinal_force = differential[i].traction
        t.longitudinal_slip = -hold if hold > 0.0 else float(differential[i].spinning)


@kernel
def front_force(
    state: Any, body: Any, body_params: Any, wheel_params: Any, brakes: Any, brakes_params: Any, differential: Any,
    wheel_count: int, dt: float,
) -> None:  # fmt: skip
    """Step 6, eq. 1: forces of the front wheels."""
    force(state, body, body_params, wheel_params, brakes, brakes_params, differential, wheel_count, dt, FRONT)


@kernel
def rear_force(
    state: Any, body: Any, body_params: Any, wheel_params: Any, brakes: Any, brakes_params: Any, differential: Any,
    wheel_count: int, dt: float,
) -> None:  # fmt: skip
    """Step 7, eq. 1: forces of the rear wheels."""
    force(state, body, body_params, wheel_params, brakes, brakes_params, differential, wheel_count, dt, REAR)
