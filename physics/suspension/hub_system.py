"""The motion of a body and its hubs over a step, as one linear system; unsprung.py has its equations.

A hub is a HUB_ROW, with vectors of six: a force and its moment about the centre of mass, or a velocity and an angular
velocity, in body axes. Each row is eliminated, so that six equations for the body remain:

    (M + sum k r r^T - sum b b^T / D) dV = F + sum a r - sum b q / D

    r          contact: road normal n and its moment
    a, k       impulse of the tire at the present rate of its deflection, and its change per change of that rate
    j, D, q    travel: u and its moment; inertia of the hub's equation, its right-hand side
    b          m j + k (n.u) r

A hub in a joint has a second equation, eliminated first. A hub that is held has a known dw, and is not eliminated.
Rows with kinks (a tire meets the road, the rim does, a bump stop is touched) are linearised again at the solution,
until the solution has none or PASSES is reached. The last solution is taken as it is: a tire linearised again for it
may pull with its damper in that step, and a hub may pass an end of its travel, where unsprung.py then stops it.
"""

from typing import Any

import numpy as np

from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import WHEEL_CAPACITY
from driving_sandbox.physics.suspension.hub_springs import (
    RIM,
    bump_stop_depth,
    carrier,
    damping_rate,
    mean_spring_force,
    mean_tire_force,
    stays_attached,
    touching_share,
)
from driving_sandbox.physics.suspension.suspension import IN_AIR

PASSES = 4  # largest number of solutions of a step; those after a kink differ less and less
SAME_DEFLECTION = 1e-6  # m, difference of deflection at which a linearisation is good enough: 0.2 N of a tire's load

_VECTOR = (np.float64, 6)
HUB_ROW = np.dtype(
    [
        ("travel", *_VECTOR),
        ("lateral", *_VECTOR),  # as `travel`, of the joint
        ("contact", *_VECTOR),
        ("coupling", *_VECTOR),  # b, after elimination of the joint
        ("lateral_coupling", *_VECTOR),  # b of the joint
        ("turned", *_VECTOR),  # change of the hub's momentum by rotation of the body
        ("mass", np.float64),  # kg
        ("square", np.float64),  # u.u
        ("skew", np.float64),  # u and the joint's direction: product
        ("along", np.float64),  # n.u
        ("across", np.float64),  # n and the joint's direction: product
        ("load_from", np.float64),  # m, deflection half a step ago
        ("load_to", np.float64),  # m, deflection half a step ahead, about which the tire is linear
        ("rate", np.float64),  # m/s, rate of deflection before the step
        ("tire_damping", np.float64),  # N s/m
        ("tire_weight", np.float64),  # of the speed after the step in the mean speed
        ("push", np.float64),  # a, N s
        ("push_rate", np.float64),  # k, kg
        ("spring_from", np.float64),  # m, jounce half a step ago
        ("spring_to", np.float64),  # m, jounce half a step ahead, about which the spring is linear
        ("spring_impulse", np.float64),  # N s, of spring and damper at the present speed
        ("spring_rate", np.float64),  # kg, change of the spring's impulse per change of that speed
        ("damping_rate", np.float64),  # kg, the same of the damper
        ("given", np.float64),  # N s, other impulses along the travel
        ("has_joint", np.int64),
        ("joint_given", np.float64),  # N s, impulses on the hub in its joint
        ("joint_rate", np.float64),  # kg, change of the joint's impulse per change of its speed
        ("joint_inertia", np.float64),  # D of the joint
        ("joint_skew", np.float64),  # kg, inertia that couples travel and joint
        ("joint_value", np.float64),  # q of the joint
        ("inertia", np.float64),  # D
        ("value", np.float64),  # q
        ("held", np.int64),  # whether `speed_change` is given
        ("released", np.int64),  # whether the damper would pull the tire down: it has no force
        ("speed", np.float64),  # m/s, jounce speed before the step
        ("speed_change", np.float64),  # dw, m/s
        ("joint_speed_change", np.float64),  # m/s
        ("rate_change", np.float64),  # m/s, change of the rate of deflection
        ("stop_impulse", np.float64),  # N s, up on the body, of the end of the travel
    ],
    align=True,
)
HUB_SYSTEM = np.dtype(
    [
        ("rows", HUB_ROW, WHEEL_CAPACITY),
        ("matrix", np.float64, 36),
        ("impulse", *_VECTOR),  # F, N s and N m s, without the tires
        ("change", *_VECTOR),  # dV, m/s and rad/s
    ],
    align=True,
)


@inline_kernel
def set_six(vector: Any, linear: Any, moment: Any) -> None:
    """Write a vector of six."""
    for k in range(3):
        vector[k], vector[3 + k] = linear[k], moment[k]


@inline_kernel
def dot_six(a: Any, b: Any) -> Any:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5]


@inline_kernel
def add_square(system: Any, a: Any, factor: float) -> None:
    """Add factor a a^T to the lower triangle of the matrix, which is stored row by row."""
    m = system.matrix
    a0, a1, a2, a3, a4, a5 = a[0], a[1], a[2], a[3], a[4], a[5]
    f0, f1, f2, f3, f4, f5 = factor * a0, factor * a1, factor * a2, factor * a3, factor * a4, factor * a5
    m[0] += f0 * a0
    m[6], m[7] = m[6] + f1 * a0, m[7] + f1 * a1
    m[12], m[13], m[14] = m[12] + f2 * a0, m[13] + f2 * a1, m[14] + f2 * a2
    m[18], m[19], m[20], m[21] = m[18] + f3 * a0, m[19] + f3 * a1, m[20] + f3 * a2, m[21] + f3 * a3
    m[24], m[25], m[26] = m[24] + f4 * a0, m[25] + f4 * a1, m[26] + f4 * a2
    m[27], m[28] = m[27] + f4 * a3, m[28] + f4 * a4
    m[30], m[31], m[32] = m[30] + f5 * a0, m[31] + f5 * a1, m[32] + f5 * a2
    m[33], m[34], m[35] = m[33] + f5 * a3, m[34] + f5 * a4, m[35] + f5 * a5


@inline_kernel
def add_right(system: Any, a: Any, factor: float) -> None:
    """Add factor a to the right-hand side."""
    x = system.change
    x[0], x[1], x[2] = x[0] + factor * a[0], x[1] + factor * a[1], x[2] + factor * a[2]
    x[3], x[4], x[5] = x[3] + factor * a[3], x[4] + factor * a[4], x[5] + factor * a[5]


@inline_kernel
def add_row(system: Any, row: Any) -> None:
    """Add a hub to the equations of the body."""
    k = row.push_rate
    for e in range(6):
        row.coupling[e] = row.mass * row.travel[e] + k * row.along * row.contact[e]
    row.inertia = row.mass * row.square + row.spring_rate + row.damping_rate + k * row.along * row.along
    row.value = row.given - row.spring_impulse + row.along * row.push
    if row.push != 0.0 or k != 0.0:
        add_right(system, row.contact, row.push)
        add_square(system, row.contact, k)
    if row.has_joint != 0:
        eliminate_joint(system, row)
    if row.held != 0:
        add_right(system, row.coupling, -row.speed_change)
        return
    add_right(system, row.coupling, -row.value / row.inertia)
    add_square(system, row.coupling, -1.0 / row.inertia)


@inline_kernel
def eliminate_joint(system: Any, row: Any) -> None:
    """Eliminate the motion of a hub in its joint from the equations of body and hub."""
    k = row.push_rate
    for e in range(6):
        row.lateral_coupling[e] = row.mass * row.lateral[e] + k * row.across * row.contact[e]
    row.joint_inertia = row.mass + row.joint_rate + k * row.across * row.across
    row.joint_skew = row.mass * row.skew + k * row.along * row.across
    row.joint_value = row.joint_given + row.across * row.push
    share = row.joint_skew / row.joint_inertia
    for e in range(6):
        row.coupling[e] -= share * row.lateral_coupling[e]
    row.inertia -= share * row.joint_skew
    row.value -= share * row.joint_value
    add_right(system, row.lateral_coupling, -row.joint_value / row.joint_inertia)
    add_square(system, row.lateral_coupling, -1.0 / row.joint_inertia)


@inline_kernel
def solve_six(system: Any) -> None:
    """Solve the positive definite equations of the body by L D L^T; the solution replaces the right-hand side."""
    a, x = system.matrix, system.change
    for c in range(6):
        total = a[7 * c]
        for k in range(c):
            total -= a[6 * c + k] * a[6 * c + k] * a[7 * k]
        a[7 * c], inverse = total, 1.0 / total
        for r in range(c + 1, 6):
            total = a[6 * r + c]
            for k in range(c):
                total -= a[6 * r + k] * a[6 * c + k] * a[7 * k]
            a[6 * r + c] = total * inverse
    for r in range(6):
        for k in range(r):
            x[r] -= a[6 * r + k] * x[k]
    for r in range(6):
        x[r] /= a[7 * r]
    for i in range(6):
        r = 5 - i
        for k in range(r + 1, 6):
            x[r] -= a[6 * k + r] * x[k]


@inline_kernel
def recover(system: Any, row: Any) -> None:
    """Write the motion of an eliminated hub, or the impulse that holds it."""
    change = system.change
    if row.held == 0:
        row.speed_change = (row.value - dot_six(row.coupling, change)) / row.inertia
    else:
        row.stop_impulse = row.value - dot_six(row.coupling, change) - row.inertia * row.speed_change
    row.rate_change = -dot_six(row.contact, change) - row.along * row.speed_change
    if row.has_joint != 0:
        left = row.joint_value - dot_six(row.lateral_coupling, change) - row.joint_skew * row.speed_change
        row.joint_speed_change = left / row.joint_inertia
        row.rate_change -= row.across * row.joint_speed_change


@kernel
def linearise_tire(p: Any, row: Any, end: float, dt: float) -> None:
    """Write `push` and `push_rate` of a tire whose deflection is `end` (m) half a step ahead."""
    pulls = stays_attached(p, row.load_from)
    mean, slope = mean_tire_force(p, row.load_from, end, pulls)
    damping = row.tire_damping if pulls else row.tire_damping * touching_share(row.load_from, end)
    row.push_rate = 0.5 * dt * dt * slope + dt * damping * row.tire_weight
    change = 2.0 * (end - row.load_from) / dt - 2.0 * row.rate  # of the rate of deflection, m/s
    row.push = dt * (mean - 0.5 * dt * slope * change + damping * row.rate)
    row.load_to = end


@kernel
def linearise_spring(p: Any, row: Any, end: float, dt: float) -> None:
    """Write `spring_impulse`, with the damper, and `spring_rate` for a jounce of `end` (m) half a step ahead."""
    mean, slope = mean_spring_force(p, row.spring_from, end)
    change = 2.0 * (end - row.spring_from) / dt - 2.0 * row.speed
    row.spring_rate = 0.5 * dt * dt * slope
    row.spring_impulse = dt * (mean - 0.5 * dt * slope * change + damping_rate(p, row.speed) * row.speed)
    row.spring_to = end


@kernel
def linearise_again(p: Any, row: Any, jounce: float, can_touch: Any, dt: float) -> Any:
    """Correct a row for the kinks that the solution has passed; whether it has changed."""
    changed = False
    if row.held == 0:
        end = jounce + dt * (row.speed + row.speed_change)
        bound = min(max(end, 0.0), p.travel)
        if end != bound:
            row.held, row.speed_change, changed = 1, (bound - jounce) / dt - row.speed, True
    if can_touch:
        changed = tire_kink(p, row, dt) or changed
    if p.bump_stop_length > 0.0:
        end = row.spring_from + dt * (row.speed + 0.5 * row.speed_change)
        touched = bump_stop_depth(p, end) > 0.0 or bump_stop_depth(p, row.spring_to) > 0.0
        if touched and abs(end - row.spring_to) > SAME_DEFLECTION:
            linearise_spring(p, row, end, dt)
            changed = True
    return changed


@kernel
def tire_kink(p: Any, row: Any, dt: float) -> Any:
    """Linearise a tire again if it has met or left the road, or its rim has; whether it has changed."""
    if row.released != 0:
        return False
    pulls = stays_attached(p, row.load_from)
    end = row.load_from + dt * (row.rate + 0.5 * row.rate_change)
    before, after, start = carrier(p, row.load_to, pulls), carrier(p, end, pulls), carrier(p, row.load_from, pulls)
    linear = before == after == start and after != RIM
    if not linear and abs(end - row.load_to) > SAME_DEFLECTION:
        linearise_tire(p, row, end, dt)
        return True
    if not pulls and row.push + row.push_rate * row.rate_change < 0.0:
        row.push, row.push_rate, row.released = 0.0, 0.0, 1
        return True
    return False


@kernel
def solve(params: Any, state: Any, system: Any, body_params: Any, wheel_count: int, dt: float) -> None:
    """Write the velocity change of body and hubs over a step, from rows that are linear about the present motion."""
    for solution in range(PASSES):
        solve_once(system, body_params, wheel_count)
        changed = False
        for i in range(wheel_count):
            recover(system, system.rows[i])
        if solution == PASSES - 1:
            return
        for i in range(wheel_count):
            can_touch = state[i].road_jounce > -IN_AIR
            changed = linearise_again(params[i], system.rows[i], state[i].jounce, can_touch, dt) or changed
        if not changed:
            return


@inline_kernel
def solve_once(system: Any, body_params: Any, wheel_count: int) -> None:
    """Assemble and solve the equations of the body."""
    for k in range(36):
        system.matrix[k] = 0.0
    for k in range(3):
        system.matrix[7 * k], system.matrix[21 + 7 * k] = body_params.mass, body_params.inertia[k]
    for k in range(6):
        system.change[k] = system.impulse[k]
    for i in range(wheel_count):
        add_row(system, system.rows[i])
    solve_six(system)
