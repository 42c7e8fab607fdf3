"""Hitch between two vehicles: a ball joint with limits of articulation and roll, as constraint rows on both bodies.

Ball: the hitch point of the front vehicle (a) and the coupling of the rear one (b) coincide,
C = x_b + r_b - x_a - r_a = 0. Its three rows are solved as a block with the effective mass K^-1,

    K = (1/m_a + 1/m_b) 1 - [r_a] I_a^-1 [r_a] - [r_b] I_b^-1 [r_b],     P <- P - K^-1 s (C' + rate C) - i P,

with x the centre of mass, r the arm from it to the hitch and [r] its cross-product matrix, m mass, I inertia; soft with
HITCH_FREQUENCY and HITCH_DAMPING (s, rate, i: `solver.py`). P acts on b, -P on a.

Articulation: the angle theta between the forward axes f_a and f_b, about f_a x f_b, stays below the hitch's limit. This
is a one-sided row.

Roll: the angle theta by which the rear vehicle's upward axis u_b tilts towards the front one's right axis e_a,
sin(theta) = u_b . e_a, about u_b x e_a, stays below its limit to either side. This is another one-sided row. It models
a fifth wheel: its plate pitches about the front vehicle's lateral axis and yaws about the king pin, but rolls only
within its play. With a ball joint alone semi-trailers would roll over: a loaded one is supported by its king pin and by
wheels on both sides, a triangle that is only half as wide as the track at its centre of mass.

In a substep the hitches' last impulses are applied before the vehicles' own rows are solved (warm start). Then follow
HITCH_PASSES passes over all hitches and all vehicles' rows; after the poses are integrated and the rows relaxed, one
more pass without bias. Impulses are stored in the rear vehicle's contact state.

Arguments of the kernels: a, a_params, a_contact: state and parameters of the front vehicle's body, and its contact
parameters; b ...: those of the rear one, b_state: its contact state; ma, mb: orientation matrices; ra, rb: arms.
"""

import math
from typing import Any

from driving_sandbox.physics.body.gyroscopic import solve_3x3
from driving_sandbox.physics.contact.rows import inverse_inertia
from driving_sandbox.physics.contact.steps import one_sided_impulse, soft_constants
from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import quat
from driving_sandbox.physics.maths.vec3 import add, add_scaled, cross, dot, length, load, scale, store, sub

HITCH_FREQUENCY = 240.0  # Hz; a jack-knifed 1.2 t trailer opens the hitch by 0.2 mm, at 120 Hz by 0.9 mm
HITCH_DAMPING = 5.0  # damping ratio
HITCH_PASSES = 2  # over all hitches and rows, per substep
STRAIGHT = 1e-6  # sine of the angle below which a limit has no axis and is inactive


@kernel
def point_velocity(body: Any, r: Any) -> tuple[float, float, float]:
    """Velocity of a body's point at r from its centre of mass, m/s, world axes."""
    return add(load(body.velocity), cross(load(body.angular_velocity), r))


@kernel
def push_body(body: Any, body_params: Any, m: Any, r: Any, impulse: Any) -> None:
    """Apply an impulse, N s, at r from the centre of mass, world axes. m: matrix of the body's orientation."""
    store(body.velocity, add_scaled(load(body.velocity), impulse, 1.0 / body_params.mass))
    turn_body(body, body_params, m, cross(r, impulse))


@kernel
def turn_body(body: Any, body_params: Any, m: Any, angular_impulse: Any) -> None:
    """Apply an angular impulse, N m s."""
    spin_change = inverse_inertia(m, body_params.inertia, angular_impulse)
    store(body.angular_velocity, add(load(body.angular_velocity), spin_change))


@kernel
def block_column(axis: Any, body_params: Any, m: Any, r: Any) -> tuple[float, float, float]:
    """Change of a body's velocity at r by a unit impulse along `axis` at r: the body's part of a column of K."""
    spin_change = inverse_inertia(m, body_params.inertia, cross(r, axis))
    return add_scaled(cross(spin_change, r), axis, 1.0 / body_params.mass)


@kernel
def arms(
    a: Any, a_params: Any, a_contact: Any, b: Any, b_params: Any, b_contact: Any
) -> tuple[tuple, tuple, tuple, tuple]:
    """(orientation matrix of a, arm of a, matrix of b, arm of b); arms: centre of mass to hitch, m, world axes."""
    qa, qb = quat.load(a.orientation), quat.load(b.orientation)
    ra = quat.rotate(qa, sub(load(a_contact.hitch_rear), load(a_params.centre_of_mass)))
    rb = quat.rotate(qb, sub(load(b_contact.hitch_front), load(b_params.centre_of_mass)))
    return quat.to_matrix(qa), ra, quat.to_matrix(qb), rb


@kernel
def solve_ball(
    hitch: Any, a: Any, a_params: Any, ma: Any, ra: Any, b: Any, b_params: Any, mb: Any, rb: Any, soft: Any
) -> None:
    """One step of the ball joint's block.

    hitch: HITCH_STATE.
    soft: (rate, s, i) of `steps.soft_constants`.
    """
    gap = sub(add(load(b.position), rb), add(load(a.position), ra))
    error = add_scaled(sub(point_velocity(b, rb), point_velocity(a, ra)), gap, soft[0])
    x, y, z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    c0 = add(block_column(x, a_params, ma, ra), block_column(x, b_params, mb, rb))
    c1 = add(block_column(y, a_params, ma, ra), block_column(y, b_params, mb, rb))
    c2 = add(block_column(z, a_params, ma, ra), block_column(z, b_params, mb, rb))
    old_impulse = load(hitch.ball_impulse)
    change = add_scaled(scale(solve_3x3(c0, c1, c2, error), -soft[1]), old_impulse, -soft[2])
    store(hitch.ball_impulse, add(old_impulse, change))
    push_body(b, b_params, mb, rb, change)
    push_body(a, a_params, ma, ra, scale(change, -1.0))


@kernel
def unit_axis(axis: Any, sine: float) -> tuple[float, float, float]:
    """Unit vector along `axis`, whose length is `sine`; zeros if that is below STRAIGHT."""
    if sine < STRAIGHT:
        return (0.0, 0.0, 0.0)
    return scale(axis, 1.0 / sine)


@kernel
def articulation(ma: Any, mb: Any) -> tuple[Any, tuple[float, float, float]]:
    """(angle in rad, axis) between the forward axes of two bodies; the axis is zero if they are parallel."""
    fa, fb = (ma[0][1], ma[1][1], ma[2][1]), (mb[0][1], mb[1][1], mb[2][1])
    axis = cross(fa, fb)
    sine = length(axis)
    return elementary.atan2(sine, dot(fa, fb)), unit_axis(axis, sine)


@kernel
def relative_roll(ma: Any, mb: Any) -> tuple[Any, tuple[float, float, float]]:
    """(angle, axis) of the roll of b relative to a, see the module. angle: rad, >= 0; axis: zero if undefined."""
    right, up = (ma[0][0], ma[1][0], ma[2][0]), (mb[0][2], mb[1][2], mb[2][2])
    sine, axis = dot(up, right), cross(up, right)
    axis = unit_axis(axis, length(axis))
    return elementary.asin(min(abs(sine), 1.0)), scale(axis, math.copysign(1.0, sine))


@kernel
def solve_limit(
    old: float, limit: float, angle: float, axis: Any, a: Any, a_params: Any, ma: Any, b: Any, b_params: Any, mb: Any,
    soft: Any, use_bias: bool, h: float,
) -> float:  # fmt: skip
    """New impulse of a limit's row after one step, N m s; it pushes the angle about `axis` back below the limit.

    old: its impulse before, N m s.
    limit: rad; from pi on there is no limit.
    angle: rad.
    """
    if limit >= math.pi or dot(axis, axis) == 0.0:
        return 0.0
    turn_a = inverse_inertia(ma, a_params.inertia, axis)
    turn_b = inverse_inertia(mb, b_params.inertia, axis)
    mass = 1.0 / (dot(axis, turn_a) + dot(axis, turn_b))
    speed = dot(axis, sub(load(a.angular_velocity), load(b.angular_velocity)))
    new = one_sided_impulse(old, mass, speed, limit - angle, soft, use_bias, h)
    store(a.angular_velocity, add_scaled(load(a.angular_velocity), turn_a, new - old))
    store(b.angular_velocity, add_scaled(load(b.angular_velocity), turn_b, old - new))
    return new


@kernel
def warm_start(a: Any, a_params: Any, a_contact: Any, b: Any, b_params: Any, b_contact: Any, b_state: Any) -> None:
    """Apply the impulses of the last substep."""
    hitch = b_state.solver.hitch
    ma, ra, mb, rb = arms(a, a_params, a_contact, b, b_params, b_contact)
    ball_impulse = load(hitch.ball_impulse)
    push_body(b, b_params, mb, rb, ball_impulse)
    push_body(a, a_params, ma, ra, scale(ball_impulse, -1.0))
    angular_impulse = add(
        scale(articulation(ma, mb)[1], hitch.limit_impulse), scale(relative_roll(ma, mb)[1], hitch.roll_impulse)
    )
    turn_body(a, a_params, ma, angular_impulse)
    turn_body(b, b_params, mb, scale(angular_impulse, -1.0))


@kernel
def solve(
    a: Any, a_params: Any, a_contact: Any, b: Any, b_params: Any, b_contact: Any, b_state: Any, use_bias: bool,
    dt: float,
) -> None:  # fmt: skip
    """One pass over the rows of one hitch; a is the front vehicle."""
    hitch = b_state.solver.hitch
    ma, ra, mb, rb = arms(a, a_params, a_contact, b, b_params, b_contact)
    soft = soft_constants(HITCH_FREQUENCY, HITCH_DAMPING, dt)
    angle, axis = articulation(ma, mb)
    hitch.limit_impulse = solve_limit(
        hitch.limit_impulse, b_contact.hitch_limit, angle, axis, a, a_params, ma, b, b_params, mb, soft, use_bias, dt
    )
    angle, axis = relative_roll(ma, mb)
    hitch.roll_impulse = solve_limit(
        hitch.roll_impulse, b_contact.hitch_roll, angle, axis, a, a_params, ma, b, b_params, mb, soft, use_bias, dt
    )
    ball = soft if use_bias else (0.0, 1.0, 0.0)
    solve_ball(hitch, a, a_params, ma, ra, b, b_params, mb, rb, ball)


@kernel
def release_sticky(intent: Any, contact: Any, wheel_count: int) -> None:
    """Release a trailer's sticky tires, by resetting their timers, if the towing vehicle is about to accelerate."""
    if intent.accelerating == 0:
        return
    for i in range(wheel_count):
        contact.solver.wheels[i].longitudinal_time = 0.0
        contact.solver.wheels[i].lateral_time = 0.0
