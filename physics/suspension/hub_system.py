"""The motion of a body and its hubs over a step, as one linear system; unsprung.py has its equations.

A hub is a HUB_ROW, with vectors of six: a force and its moment about the centre of mass, or a velocity and an angular
velocity, in body axes. Each row is eliminated, so that six equations for the body remain:

    (M + sum k r r^T - sum b b^T / D) dV = F + sum a r - sum b q / D

    r          contact: road normal n and its moment
    a, k       impulse of the tire at the present rate of its deflection, and its change per change of that rate
    j, D, q    travel: u and its moment; inertia of the hub's equation, its right-hand side
    b          m j + c r, c = k (n.u)

k r r^T - b b^T / D is added as r (k r - c b / D)^T - j (m b / D)^T. The six equations are solved in two halves of
three. A hub in a joint has a second equation, eliminated first, which changes j, c, D and q. A hub that is held has a
known dw in place of q / D, and its 1 / D counts as 0. Rows with kinks (a tire meets the road, the rim does, a bump stop
is touched) are linearised again at the solution, until the solution has none or PASSES is reached. The last solution is
taken as it is: a tire linearised again for it may pull with its damper in that step, and a hub may pass an end of its
travel, where unsprung.py then stops it.
"""

from typing import Any

import numpy as np

from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import vec3
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
from driving_sandbox.physics.tick.component import MAX_COUNT

PASSES = 4  # largest number of solutions of a step; those after a kink differ less and less
SAME_DEFLECTION = 1e-6  # m, difference of deflection at which a linearisation is good enough: 0.2 N of a tire's load
NOTHING = (0.0, 0.0, 0.0)

_VECTOR = (np.float64, 6)
HUB_ROW = np.dtype(
    [
        ("travel", *_VECTOR),
        ("contact", *_VECTOR),
        ("offset", np.float64, 3),  # m, from the application point of the force on the body to the hub
        ("mass", np.float64),  # kg
        ("square", np.float64),  # u.u
        ("along", np.float64),  # n.u
        ("load_from", np.float64),  # m, deflection half a step ago
        ("load_to", np.float64),  # m, deflection half a step ahead, about which the tire is linear
        ("plain", np.int64),  # whether the tire is on the road, and its rim is not, at both of these deflections
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
        ("inertia", np.float64),  # D
        ("inverse", np.float64),  # 1 / D, or 0 if held
        ("value", np.float64),  # q
        ("free_change", np.float64),  # m/s, dw if the body kept its velocity
        ("tire_coupling", np.float64),  # c, kg
        ("held", np.int64),  # whether `speed_change` is given
        ("released", np.int64),  # whether the damper would pull the tire down: it has no force
        ("speed", np.float64),  # m/s, jounce speed before the step
        ("speed_change", np.float64),  # dw, m/s
        ("rate_change", np.float64),  # m/s, change of the rate of deflection
        ("has_joint", np.int64),  # the rest is written only with a joint
        ("lateral", *_VECTOR),  # as `travel`, of the joint
        ("swing", *_VECTOR),  # j after elimination of the joint
        ("lateral_coupling", *_VECTOR),  # b of the joint
        ("skew", np.float64),  # u and the joint's direction: product
        ("across", np.float64),  # n and the joint's direction: product
        ("joint_given", np.float64),  # N s, impulses on the hub in its joint
        ("joint_rate", np.float64),  # kg, change of the joint's impulse per change of its speed
        ("joint_inertia", np.float64),  # D of the joint
        ("joint_skew", np.float64),  # kg, inertia that couples travel and joint
        ("joint_value", np.float64),  # q of the joint
        ("joint_speed_change", np.float64),  # m/s
    ],
    align=True,
)
STOPS = (
    MAX_COUNT  # substeps of a tick, for the ring of stop impulses: no phase here begins a tick and could clear a sum
)
HUB_SYSTEM = np.dtype(
    [
        ("rows", HUB_ROW, WHEEL_CAPACITY),
        ("impulse", *_VECTOR),  # F, N s and N m s, without the tires
        ("change", *_VECTOR),  # dV, m/s and rad/s
        # for sound: of each of the last substeps, N s, sum of the hubs' impulses on the body at ends of travel
        ("stop_impulses", np.float64, (STOPS,)),
        ("stop_newest", np.int64),  # index of the last substep's
        ("stop_seconds", np.float64),  # s, its length
    ],
    align=True,
)


@inline_kernel
def set_six(vector: Any, linear: Any, moment: Any) -> None:
    """Write a vector of six."""
    for k in range(3):
        vector[k], vector[3 + k] = linear[k], moment[k]


@inline_kernel
def halves(a: Any) -> Any:
    """(first three, last three) elements of a vector of six."""
    return vec3.load(a), (a[3], a[4], a[5])


@inline_kernel
def dot_six(a: Any, b: Any) -> Any:
    """Product of vectors of six in halves."""
    return vec3.dot(a[0], b[0]) + vec3.dot(a[1], b[1])


@inline_kernel
def add_lower(total: Any, a: Any, x: Any, b: Any, y: Any) -> Any:
    """The lower triangle `total` of a symmetric matrix, row by row, plus that of a x^T + b y^T."""
    return (
        total[0] + (a[0] * x[0] + b[0] * y[0]),
        total[1] + (a[1] * x[0] + b[1] * y[0]), total[2] + (a[1] * x[1] + b[1] * y[1]),
        total[3] + (a[2] * x[0] + b[2] * y[0]), total[4] + (a[2] * x[1] + b[2] * y[1]),
        total[5] + (a[2] * x[2] + b[2] * y[2]),
    )  # fmt: skip


@inline_kernel
def add_whole(total: Any, a: Any, x: Any, b: Any, y: Any) -> Any:
    """The rows `total` of a matrix plus a x^T + b y^T."""
    return (
        vec3.add(total[0], vec3.add_scaled(vec3.scale(x, a[0]), y, b[0])),
        vec3.add(total[1], vec3.add_scaled(vec3.scale(x, a[1]), y, b[1])),
        vec3.add(total[2], vec3.add_scaled(vec3.scale(x, a[2]), y, b[2])),
    )


@inline_kernel
def add_products(matrix: Any, a: Any, x: Any, b: Any, y: Any) -> Any:
    """Matrix of the body's equations plus a x^T + b y^T, which is symmetric. Vectors of six, in halves.

    matrix: lower triangle of the linear motion, rows of the angular motion's part in it, its own lower triangle.
    """
    linear, mixed, angular = matrix
    linear, angular = add_lower(linear, a[0], x[0], b[0], y[0]), add_lower(angular, a[1], x[1], b[1], y[1])
    return linear, add_whole(mixed, a[1], x[0], b[1], y[0]), angular


@inline_kernel
def combined(a: Any, factor: float, b: Any, b_factor: float) -> Any:
    """factor a + b_factor b, vectors of six in halves."""
    return (
        vec3.add_scaled(vec3.scale(a[0], factor), b[0], b_factor),
        vec3.add_scaled(vec3.scale(a[1], factor), b[1], b_factor),
    )


@inline_kernel
def scaled(a: Any, factor: float) -> Any:
    """Factor times a vector of six in halves."""
    return vec3.scale(a[0], factor), vec3.scale(a[1], factor)


@inline_kernel
def add_row(matrix: Any, right: Any, row: Any) -> Any:
    """(matrix, right-hand side) of the body's equations with a hub."""
    k, mass, travel, contact = row.push_rate, row.mass, halves(row.travel), halves(row.contact)
    c = k * row.along
    inertia = mass * row.square + row.spring_rate + row.damping_rate + c * row.along
    value = row.given - row.spring_impulse + row.along * row.push
    if row.has_joint != 0:
        matrix, right = add_joint(matrix, right, row)
        share = row.joint_skew / row.joint_inertia
        travel, c = halves(row.swing), c - share * k * row.across
        inertia, value = inertia - share * row.joint_skew, value - share * row.joint_value
    inverse, free_change = 0.0, row.speed_change
    if row.held == 0:
        inverse = 1.0 / inertia
        free_change = value * inverse
    row.inertia, row.value, row.inverse, row.free_change, row.tire_coupling = inertia, value, inverse, free_change, c
    coupling = combined(travel, mass, contact, c)
    gain = combined(contact, row.push, coupling, -free_change)
    right = vec3.add(right[0], gain[0]), vec3.add(right[1], gain[1])
    rise = combined(contact, k, coupling, -c * inverse)
    return add_products(matrix, contact, rise, travel, scaled(coupling, -mass * inverse)), right


@inline_kernel
def add_joint(matrix: Any, right: Any, row: Any) -> Any:
    """Eliminate the motion of a hub in its joint from the equations of body and hub; (matrix, right-hand side)."""
    k, lateral, travel = row.push_rate, halves(row.lateral), halves(row.travel)
    coupling = combined(lateral, row.mass, halves(row.contact), k * row.across)
    row.joint_inertia = row.mass + row.joint_rate + k * row.across * row.across
    row.joint_skew = row.mass * row.skew + k * row.along * row.across
    row.joint_value = row.joint_given + row.across * row.push
    swing = combined(travel, 1.0, lateral, -row.joint_skew / row.joint_inertia)
    set_six(row.swing, swing[0], swing[1])
    set_six(row.lateral_coupling, coupling[0], coupling[1])
    none, loss = (NOTHING, NOTHING), scaled(coupling, -row.joint_value / row.joint_inertia)
    right = vec3.add(right[0], loss[0]), vec3.add(right[1], loss[1])
    return add_products(matrix, coupling, scaled(coupling, -1.0 / row.joint_inertia), none, none), right


@inline_kernel
def adjugate(a: Any) -> Any:
    """(rows of the adjugate, 1 / determinant) of a symmetric matrix of three, given by its lower triangle, row by row.

    Their product is the inverse; as a pair they let the division run beside products with the adjugate.
    """
    xx, yx, yy, zx, zy, zz = a
    x, y, z, across = yy * zz - zy * zy, zx * zy - yx * zz, yx * zy - zx * yy, yx * zx - xx * zy
    rows = (x, y, z), (y, xx * zz - zx * zx, across), (z, across, xx * yy - yx * yx)
    return rows, 1.0 / (xx * x + yx * y + zx * z)


@inline_kernel
def solve_six(matrix: Any, right: Any) -> Any:
    """Solution of the positive definite equations of the body, in halves."""
    linear, (a, b, c), (xx, yx, yy, zx, zy, zz) = matrix
    adjoint, factor = adjugate(linear)
    p, q, r = vec3.transform(adjoint, a), vec3.transform(adjoint, b), vec3.transform(adjoint, c)
    xx, yx, zx = xx - factor * vec3.dot(a, p), yx - factor * vec3.dot(a, q), zx - factor * vec3.dot(a, r)
    yy, zy, zz = yy - factor * vec3.dot(b, q), zy - factor * vec3.dot(b, r), zz - factor * vec3.dot(c, r)
    moment = vec3.add_scaled(right[1], vec3.transform((p, q, r), right[0]), -factor)
    other, other_factor = adjugate((xx, yx, yy, zx, zy, zz))
    angular = vec3.scale(vec3.transform(other, moment), other_factor)
    rest = vec3.sub(right[0], vec3.transform_back((a, b, c), angular))
    return vec3.scale(vec3.transform(adjoint, rest), factor), angular


@inline_kernel
def recover(row: Any, change: Any) -> None:
    """Write the motion of an eliminated hub. change: of the body's motion, in halves."""
    rise = dot_six(halves(row.contact), change)
    swing = dot_six(halves(row.swing if row.has_joint != 0 else row.travel), change)
    row.speed_change = row.free_change - row.inverse * (row.mass * swing + row.tire_coupling * rise)
    row.rate_change = -rise - row.along * row.speed_change
    if row.has_joint != 0:
        left = row.joint_value - dot_six(halves(row.lateral_coupling), change) - row.joint_skew * row.speed_change
        row.joint_speed_change = left / row.joint_inertia
        row.rate_change -= row.across * row.joint_speed_change


@inline_kernel
def stop_impulse(row: Any, change: Any) -> Any:
    """Impulse on the body, N s, up, of a hub that is held at an end of its travel; 0 for others."""
    if row.held == 0:
        return 0.0
    swing = dot_six(halves(row.swing if row.has_joint != 0 else row.travel), change)
    coupling = row.mass * swing + row.tire_coupling * dot_six(halves(row.contact), change)
    return row.value - coupling - row.inertia * row.speed_change


@inline_kernel
def note_stops(system: Any, state: Any, wheel_count: int, dt: float) -> None:
    """Write the impulses of all hubs at the ends of their travel in a substep into the ring of HUB_SYSTEM."""
    total = 0.0
    for i in range(wheel_count):
        total += abs(state[i].stop_impulse)
    system.stop_newest = (system.stop_newest + 1) % STOPS
    system.stop_impulses[system.stop_newest], system.stop_seconds = total, dt


@kernel
def linearise_tire(p: Any, row: Any, end: float, dt: float) -> None:
    """Write `push` and `push_rate` of a tire whose deflection is `end` (m) half a step ahead."""
    pulls = stays_attached(p, row.load_from)
    mean, slope = mean_tire_force(p, row.load_from, end, pulls)
    damping = row.tire_damping if pulls else row.tire_damping * touching_share(row.load_from, end)
    row.push_rate = 0.5 * dt * dt * slope + dt * damping * row.tire_weight
    change = 2.0 * (end - row.load_from) / dt - 2.0 * row.rate  # of the rate of deflection, m/s
    row.push = dt * (mean - 0.5 * dt * slope * change + damping * row.rate)
    row.load_to, row.plain = end, 0


@kernel
def linearise_spring(p: Any, row: Any, end: float, dt: float) -> None:
    """Write `spring_impulse`, with the damper, and `spring_rate` for a jounce of `end` (m) half a step ahead."""
    mean, slope = mean_spring_force(p, row.spring_from, end)
    change = 2.0 * (end - row.spring_from) / dt - 2.0 * row.speed
    row.spring_rate = 0.5 * dt * dt * slope
    row.spring_impulse = dt * (mean - 0.5 * dt * slope * change + damping_rate(p, row.speed) * row.speed)
    row.spring_to = end


@inline_kernel
def set_tire(p: Any, row: Any, deflection: float, dt: float) -> None:
    """Linearise a tire of a deflection (m) about its present motion."""
    end = deflection + 0.5 * dt * row.rate
    row.plain = 1 if min(row.load_from, end) > 0.0 and max(row.load_from, end) <= p.tire_depth else 0
    if row.plain != 0:
        row.push_rate = dt * (0.25 * dt * p.tire_rate + row.tire_damping * row.tire_weight)
        row.push = dt * (p.tire_rate * deflection + row.tire_damping * row.rate)
        row.load_to = end
    else:
        linearise_tire(p, row, end, dt)


@inline_kernel
def set_spring(p: Any, row: Any, jounce: float, damping: float, dt: float) -> None:
    """Linearise spring, damper and bump stop of a hub about its present motion. jounce: m; damping: N s/m."""
    end = jounce + 0.5 * dt * row.speed
    if p.bump_stop_length <= 0.0:
        row.spring_rate = 0.25 * dt * dt * p.stiffness
        row.spring_impulse = dt * (p.preload + p.stiffness * jounce + damping * row.speed)
        row.spring_to = end
    else:
        linearise_spring(p, row, end, dt)


@inline_kernel
def linearise_again(p: Any, row: Any, jounce: float, can_touch: Any, dt: float) -> Any:
    """Correct a row for the kinks that the solution has passed; whether it has changed."""
    changed = False
    if row.held == 0:
        end = jounce + dt * (row.speed + row.speed_change)
        bound = min(max(end, 0.0), p.travel)
        if end != bound:
            row.held, row.speed_change, changed = 1, (bound - jounce) / dt - row.speed, True
    if can_touch:
        end = row.load_from + dt * (row.rate + 0.5 * row.rate_change)
        plain = row.plain != 0 and 0.0 < end <= p.tire_depth
        if not plain or row.push + row.push_rate * row.rate_change < 0.0:
            changed = tire_kink(p, row, end, dt) or changed
    if p.bump_stop_length > 0.0:
        changed = stop_kink(p, row, dt) or changed
    return changed


@kernel
def stop_kink(p: Any, row: Any, dt: float) -> Any:
    """Linearise a spring again if the bump stop is touched; whether it has changed."""
    end = row.spring_from + dt * (row.speed + 0.5 * row.speed_change)
    touched = bump_stop_depth(p, end) > 0.0 or bump_stop_depth(p, row.spring_to) > 0.0
    if touched and abs(end - row.spring_to) > SAME_DEFLECTION:
        linearise_spring(p, row, end, dt)
        return True
    return False


@kernel
def tire_kink(p: Any, row: Any, end: float, dt: float) -> Any:
    """Linearise a tire again if it has met or left the road, or its rim has; whether it has changed.

    end: deflection half a step ahead, m.
    """
    if row.released != 0:
        return False
    pulls = stays_attached(p, row.load_from)
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
        change = solve_once(system, body_params, wheel_count)
        set_six(system.change, change[0], change[1])
        changed = False
        for i in range(wheel_count):
            recover(system.rows[i], change)
            if solution < PASSES - 1:
                can_touch = state[i].road_jounce > -IN_AIR
                changed = linearise_again(params[i], system.rows[i], state[i].jounce, can_touch, dt) or changed
        if not changed:
            return


@inline_kernel
def solve_once(system: Any, body_params: Any, wheel_count: int) -> Any:
    """Change of the body's motion over a step, in halves, for the present linearisation of the rows."""
    mass, inertia = body_params.mass, body_params.inertia
    linear, angular = (mass, 0.0, mass, 0.0, 0.0, mass), (inertia[0], 0.0, inertia[1], 0.0, 0.0, inertia[2])
    matrix, right = (linear, (NOTHING, NOTHING, NOTHING), angular), halves(system.impulse)
    for i in range(wheel_count):
        matrix, right = add_row(matrix, right, system.rows[i])
    return solve_six(matrix, right)
