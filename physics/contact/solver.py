"""Velocity-level constraint solver of one vehicle: projected Gauss-Seidel with soft constraints and a relax pass.

In a substep of length h, after gravity, gyroscopic term, springs and tires have changed the velocity:

    solve_velocities   build rows, warm start, ITERATIONS passes with bias
    (the vehicle integrates its pose with this velocity, by the exact rotation of w h)
    relax              one pass without bias, restitution; impulses are stored for the next warm start. On impact this
                       begins with IMPACT_PASSES over suspension limits and contact normals alone, and one more pass
                       over all rows

**Rows.** A row with velocity u (rows.py), gap C, effective mass M and impulse P is soft with frequency f and damping
ratio zeta: omega = 2 pi f, a1 = 2 zeta + h omega, a2 = h omega a1; rate = omega / a1, s = a2 / (1 + a2),
i = 1 / (1 + a2);

    P <- P - M s (u + rate C) - i P, clamped

Open rows (C > 0) are hard with bias C / h: the gap may close, but no further. Softness only sets how fast an error is
corrected, and adds no energy: the relax pass removes the bias velocity again. There are two iterations, because hard
landings gain energy with one.

**Sticky tires** have a pair of rows, springs to an anchor in the road plane: C += h u with the velocity that moves the
pose. The longitudinal impulse is limited to the range h (T_drive -+ T_brake) / R + J (V - u), J = I / R^2. The last
term brings the tread, of speed V, to the speed u of the contact point. As the brake acts through this range only, its
release needs no detection. A freely rolling wheel has just this impulse, with its rolling resistance as a T_brake
opposed to T_drive. The vector of both impulses is limited to h mu N, with N the tire's load plus the impulse of the
suspension limit divided by h. A direction at its limit drags its anchor along, at the displacement
C = -P / (M h omega^2) that gives the limit at rest: if the anchor were dropped, wheels at their limit would be released
in turn, and the car would creep at 0.5 mm/s at 98 % of its friction.

**Hull contacts** have rolling resistance: sheet metal deforms, and its point of support moves by ROLLING_LENGTH.
Without it a hull on two crests of rough ground rocks for a minute.

**Restitution** applies to rows that approached faster than BOUNCE_SPEED before warm starting, and needs several passes.
Neither restitution nor push-out of penetration may add energy (`energy.py`).

Rows are solved in the order suspension limits, sticky tires, hull contacts: the last are satisfied best, and hull
penetration is the worst error. Hitched vehicles are solved one after another, in alternation with their hitches
(`hitch.py`, `chain.py`). Equations: soft constraints and relaxing after Catto, "Solver2D" (2024).

Arguments of the kernels: wheels: array of WHEEL_ROW; state: CONTACT_STATE, scratch: SCRATCH (records.py); m: matrix of
the body's orientation; v, w: its velocity, m/s, and angular velocity, rad/s.
"""

import math
from typing import Any

from driving_sandbox.physics.contact.energy import (
    dissipative_share,
    energy_limit,
    impulse_of_rows,
    note_forces,
    scaled_to_limit,
)
from driving_sandbox.physics.contact.records import CONTACT_START, FREE, HELD, LIMIT_START, STICKY_START, TIRE_SLIDES
from driving_sandbox.physics.contact.rows import (
    build_contact_rows,
    build_limit_rows,
    build_sticky_rows,
    inverse_inertia,
    push,
    row_speed,
)
from driving_sandbox.physics.contact.steps import (
    hull_friction,
    one_sided,
    rolling_resistance,
    soft_constants,
    sticky_pair,
)
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import quat
from driving_sandbox.physics.maths.vec3 import add, add_scaled, dot, load, store, sub

ITERATIONS = 2  # passes with bias, which also correct the gaps of rows
BOUNCE_PASSES = 4  # with restitution 0.3 a drop of 2 m rebounds to 0.179 m (ideal: 0.18 m); with two passes to 0.163 m
BOUNCE_SPEED = 1.0  # m/s; slower approaches do not bounce, or resting contacts would never settle
IMPACT_SPEED = 0.5  # m/s, approach speed above which rows have an impact; static loads cause less
IMPACT_PASSES = 8  # over suspension limits and contact normals alone, on impact
CONTACT_FREQUENCY = 120.0  # Hz, of hull contacts and suspension limits; at most 1 / (4 h)
CONTACT_DAMPING = 10.0  # damping ratio
STICKY_FREQUENCY = 30.0  # Hz, of sticky tires; at most 1 / (4 h)
STICKY_DAMPING = 1.0  # damping ratio


@kernel
def iterate(
    wheels: Any, state: Any, scratch: Any, use_bias: bool, h: float, inverse_mass: float, m: Any, inertia: Any, v: Any,
    w: Any,
) -> tuple[Any, Any]:  # fmt: skip
    """One Gauss-Seidel pass over all rows; returns the new velocities (v, w) of the body.

    use_bias: whether rows also correct their gaps.
    h: substep, s.
    m, inertia: matrix of the body's orientation, and principal moments of inertia, kg m^2.
    """
    rows = scratch.rows
    contact_soft = soft_constants(CONTACT_FREQUENCY, CONTACT_DAMPING, h)
    for k in range(scratch.limit_count):
        v, w = one_sided(rows[LIMIT_START + k], contact_soft, use_bias, h, inverse_mass, v, w)
        state.wheels[scratch.limit_wheel[k]].limit_impulse = rows[LIMIT_START + k].impulse
    if scratch.sticky_count > 0:
        sticky_soft = soft_constants(STICKY_FREQUENCY, STICKY_DAMPING, h)
        for k in range(scratch.sticky_count):
            i = scratch.sticky_wheel[k]
            wheel, wheel_state = wheels[i], state.wheels[i]
            limit = wheel.friction * max(0.0, h * wheel.normal_force + wheel_state.limit_impulse)
            row = STICKY_START + 2 * k
            v, w = sticky_pair(
                wheel, wheel_state, rows[row], rows[row + 1], limit, sticky_soft, use_bias, h, inverse_mass, v, w
            )
    for k in range(state.contact_count):
        row = CONTACT_START + 3 * k
        v, w = one_sided(rows[row], contact_soft, use_bias, h, inverse_mass, v, w)
    normal_impulse = 0.0
    for k in range(state.contact_count):
        row = CONTACT_START + 3 * k
        normal_impulse += rows[row].impulse
        limit = state.contacts[k].friction * rows[row].impulse
        v, w = hull_friction(rows[row + 1], rows[row + 2], limit, inverse_mass, v, w)
    if state.contact_count > 0:
        w = rolling_resistance(state, normal_impulse, m, inertia, w)
    return v, w


@kernel
def warm_start(
    start: int, count: int, scratch: Any, inverse_mass: float, v0: Any, w0: Any, v: Any, w: Any
) -> tuple[Any, Any]:
    """Store the approach speeds of `count` rows at velocity (v0, w0), and apply their old impulses to (v, w)."""
    for k in range(start, start + count):
        row = scratch.rows[k]
        row.approach = row_speed(row, v0, w0)
        v, w = push(row, row.impulse, inverse_mass, v, w)
    return v, w


@kernel
def solve_velocities(
    body: Any, body_params: Any, wheels: Any, wheel_count: int, state: Any, scratch: Any, dt: float
) -> None:
    """Build rows, warm start, passes with bias; changes body.velocity and body.angular_velocity."""
    scratch.bounce = 0
    scratch.limit_count = 0
    scratch.sticky_count = 0
    any_rows = state.contact_count > 0
    for i in range(wheel_count):
        wheel = wheels[i]
        any_rows = any_rows or wheel.limit_active == 1 or wheel.sticky_longitudinal == 1 or wheel.sticky_lateral == 1
        state.wheels[i].hold = FREE
    if not any_rows:
        clear_impulses(wheel_count, state)
        return
    position = load(body.position)
    m = quat.to_matrix(quat.load(body.orientation))
    build_limit_rows(wheels, wheel_count, position, m, body_params, state, scratch)
    build_sticky_rows(wheels, wheel_count, position, m, body_params, state, scratch)
    build_contact_rows(position, m, body_params, state, scratch)
    inverse_mass = 1.0 / body_params.mass
    v0, w0 = load(body.velocity), load(body.angular_velocity)
    note_forces(body_params, m, scratch.free, v0, w0)
    v, w = warm_start(LIMIT_START, scratch.limit_count, scratch, inverse_mass, v0, w0, v0, w0)
    v, w = warm_start(STICKY_START, 2 * scratch.sticky_count, scratch, inverse_mass, v0, w0, v, w)
    v, w = warm_start(CONTACT_START, 3 * state.contact_count, scratch, inverse_mass, v0, w0, v, w)
    if state.contact_count > 0:
        w = add(w, inverse_inertia(m, body_params.inertia, load(state.rolling_impulse)))
    else:
        store(state.rolling_impulse, (0.0, 0.0, 0.0))
    for _ in range(ITERATIONS):
        v, w = iterate(wheels, state, scratch, True, dt, inverse_mass, m, body_params.inertia, v, w)
    store(body.velocity, v)
    store(body.angular_velocity, w)


@kernel
def solve_again(body: Any, body_params: Any, wheels: Any, state: Any, scratch: Any, dt: float) -> None:
    """One more pass with bias over the rows of this substep, after a hitch has changed the velocity."""
    if scratch.limit_count + scratch.sticky_count + state.contact_count == 0:
        return
    m = quat.to_matrix(quat.load(body.orientation))
    v, w = load(body.velocity), load(body.angular_velocity)
    v, w = iterate(wheels, state, scratch, True, dt, 1.0 / body_params.mass, m, body_params.inertia, v, w)
    store(body.velocity, v)
    store(body.angular_velocity, w)


@kernel
def clear_impulses(wheel_count: int, state: Any) -> None:
    """Clear all impulses and sticky anchors, as there are no rows."""
    store(state.rolling_impulse, (0.0, 0.0, 0.0))
    for i in range(wheel_count):
        wheel_state = state.wheels[i]
        wheel_state.longitudinal_offset = 0.0
        wheel_state.lateral_offset = 0.0
        wheel_state.longitudinal_impulse = 0.0
        wheel_state.lateral_impulse = 0.0
        wheel_state.limit_impulse = 0.0


@kernel
def moved_anchor(row: Any, sliding: Any, stiffness: float, v: Any, w: Any, dt: float) -> float:
    """New displacement of a sticky row from its anchor, m; a row at its limit drags its anchor along.

    stiffness: h omega^2 of the module, 1/s.
    """
    if sliding:
        return -row.impulse / (row.mass * stiffness)
    return row.gap + dt * (row_speed(row, v, w) - row.target)


@kernel
def move_gaps(body: Any, wheels: Any, state: Any, scratch: Any, v: Any, w: Any, dt: float) -> None:
    """Update the gaps of all rows to the pose reached with the velocity (v, w).

    Suspension limits that pushed in this substep count as reached, all at once; those still open are not relaxed.
    Otherwise limits would act on one wheel after another and tilt the body.
    """
    rows = scratch.rows
    for k in range(scratch.limit_count):
        row = rows[LIMIT_START + k]
        row.gap += dt * row_speed(row, v, w)
        if row.gap > 0.0:
            row.gap = 0.0 if row.impulse > 0.0 else math.inf
    stiffness = dt * (2.0 * math.pi * min(STICKY_FREQUENCY, 0.25 / dt)) ** 2
    for k in range(scratch.sticky_count):
        i = scratch.sticky_wheel[k]
        wheel_state = state.wheels[i]
        if wheels[i].sticky_longitudinal == 1:
            row = rows[STICKY_START + 2 * k]
            wheel_state.longitudinal_offset = moved_anchor(row, wheel_state.hold != HELD, stiffness, v, w, dt)
        if wheels[i].sticky_lateral == 1:
            row = rows[STICKY_START + 2 * k + 1]
            wheel_state.lateral_offset = moved_anchor(row, wheel_state.hold == TIRE_SLIDES, stiffness, v, w, dt)
    position = load(body.position)
    q = quat.load(body.orientation)
    for k in range(state.contact_count):
        contact = state.contacts[k]
        x = add(position, quat.rotate(q, load(contact.anchor)))
        rows[CONTACT_START + 3 * k].gap = dot(load(contact.normal), x) + contact.offset


@kernel
def push_row_index(k: int, scratch: Any) -> int:
    """Index of the row of the k-th one-sided constraint: suspension limits, then contact normals."""
    limits = scratch.limit_count
    return LIMIT_START + k if k < limits else CONTACT_START + 3 * (k - limits)


@kernel
def bounce(
    body_params: Any, m: Any, limit: float, wheels: Any, state: Any, scratch: Any, inverse_mass: float, v: Any, w: Any
) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """Let rows that approached fast and pushed leave with their restitution times the approach speed.

    The change is reduced as far as needed for a kinetic energy of at most `limit`, J. Returns the new (v, w).
    """
    rows, v0, w0 = scratch.rows, v, w
    count = scratch.limit_count + state.contact_count
    for k in range(count):
        row = rows[push_row_index(k, scratch)]
        row.settled = row.impulse
    for _ in range(BOUNCE_PASSES):
        for k in range(scratch.limit_count):
            row = rows[LIMIT_START + k]
            v, w = bounce_row(row, wheels[scratch.limit_wheel[k]].limit_restitution, inverse_mass, v, w)
        for k in range(state.contact_count):
            row = rows[CONTACT_START + 3 * k]
            v, w = bounce_row(row, state.contacts[k].restitution, inverse_mass, v, w)
    dv, dw = sub(v, v0), sub(w, w0)
    share = dissipative_share(body_params, m, limit, v0, w0, dv, dw)
    for k in range(count):
        row = rows[push_row_index(k, scratch)]
        row.impulse = row.settled + share * (row.impulse - row.settled)
    return add_scaled(v0, dv, share), add_scaled(w0, dw, share)


@kernel
def bounce_row(row: Any, restitution: float, inverse_mass: float, v: Any, w: Any) -> tuple[Any, Any]:
    """One step of a row to its speed after the bounce; returns the new (v, w)."""
    if restitution == 0.0 or row.approach > -BOUNCE_SPEED or row.impulse == 0.0:
        return v, w
    old = row.impulse
    row.impulse = max(0.0, old - row.mass * (row_speed(row, v, w) + restitution * row.approach))
    return push(row, row.impulse - old, inverse_mass, v, w)


@kernel
def impact(state: Any, scratch: Any) -> bool:
    """True if a hull contact or a suspension limit approached faster than IMPACT_SPEED in this substep."""
    fastest_approach = 0.0
    for k in range(scratch.limit_count + state.contact_count):
        fastest_approach = min(fastest_approach, scratch.rows[push_row_index(k, scratch)].approach)
    return fastest_approach < -IMPACT_SPEED


@kernel
def spread_impact(state: Any, scratch: Any, h: float, inverse_mass: float, v: Any, w: Any) -> tuple[Any, Any]:
    """Passes over suspension limits and contact normals alone; returns the new (v, w).

    Every other pass runs backwards, so that several corners share an impact evenly. The rows are hard; only open ones
    have a bias.
    """
    count = scratch.limit_count + state.contact_count
    for i in range(IMPACT_PASSES):
        for k in range(count):
            row = push_row_index(k if i % 2 == 0 else count - 1 - k, scratch)
            v, w = one_sided(scratch.rows[row], (0.0, 1.0, 0.0), False, h, inverse_mass, v, w)
    return v, w


@kernel
def relax(body: Any, body_params: Any, wheels: Any, wheel_count: int, state: Any, scratch: Any, dt: float) -> None:
    """After the pose has moved: update gaps and anchors, passes without bias, restitution, energy limit.

    Stores the impulses in the state.
    """
    if scratch.limit_count + scratch.sticky_count + state.contact_count == 0:
        return
    v, w = load(body.velocity), load(body.angular_velocity)
    inverse_mass = 1.0 / body_params.mass
    m = quat.to_matrix(quat.load(body.orientation))
    limits_energy = state.contact_count > 0 or scratch.bounce == 1
    before_move = impulse_of_rows(body_params, m, state, scratch)[0] if limits_energy else (0.0, 0.0, 0.0)
    move_gaps(body, wheels, state, scratch, v, w, dt)
    if impact(state, scratch):
        v, w = spread_impact(state, scratch, dt, inverse_mass, v, w)
        v, w = iterate(wheels, state, scratch, False, dt, inverse_mass, m, body_params.inertia, v, w)
    v, w = iterate(wheels, state, scratch, False, dt, inverse_mass, m, body_params.inertia, v, w)
    if limits_energy:
        limit = energy_limit(body_params, m, state, scratch, before_move, v, w)
        if scratch.bounce == 1:
            v, w = bounce(body_params, m, limit, wheels, state, scratch, inverse_mass, v, w)
        v, w = scaled_to_limit(body_params, m, limit, v, w)
    store(body.velocity, v)
    store(body.angular_velocity, w)
    rows = scratch.rows
    for k in range(scratch.limit_count):
        impulse = rows[LIMIT_START + k].impulse
        state.wheels[scratch.limit_wheel[k]].limit_impulse = impulse
        scratch.tick_limit_impulse += abs(impulse)
    for k in range(scratch.sticky_count):
        wheel_state = state.wheels[scratch.sticky_wheel[k]]
        wheel_state.longitudinal_impulse = rows[STICKY_START + 2 * k].impulse
        wheel_state.lateral_impulse = rows[STICKY_START + 2 * k + 1].impulse
    for k in range(state.contact_count):
        contact = state.contacts[k]
        contact.normal_impulse = rows[CONTACT_START + 3 * k].impulse
        contact.tick_impulse += contact.normal_impulse
        contact.tangent_impulse[0] = rows[CONTACT_START + 3 * k + 1].impulse
        contact.tangent_impulse[1] = rows[CONTACT_START + 3 * k + 2].impulse
