"""Impulses of contact between vehicles, in two halves of a tick.

`begin_contacts`, before the tick: for the velocities at its start, every gap may close but no more,

    u >= -(gap - SKIN) / dt,     penetration is pushed out at PUSH_RATE, at most PUSH_SPEED,

without restitution. These impulses act at the start of the tick. The tick is made with them, and with the forces that
the same contacts had in the last tick.

What else acted in it (weight, tires, a hitch, the ground) has changed the velocities, and `end_contacts` finds what the
contacts must add or take away: u >= 0, or what is left of the gap, without the push-out's velocity, and with the
restitution of those that approached faster than BOUNCE_SPEED. The sum of both impulses only pushes. If there is such a
change, the tick is repeated with the new forces. One body at rest upon another then has no velocity in any substep, and
does not creep on a slope; and as the forces are remembered, it needs no repetition.

Both are projected Gauss-Seidel, PASSES over all contacts in alternating order; a normal row minimizes the kinetic
energy along itself, friction is a vector limited to mu times the normal impulse. Restitution is blended out as far as
it would add energy (`energy.py`): with s the share and T the kinetic energy, T(v + s dv) <= T at the start plus the
work of the other forces.

All impulses are equal and opposite at one point. A force acts while the bodies move on: its arms are those to the mean
positions of the substeps, so that angular momentum is conserved, too.
"""

import math
from typing import Any

import numpy as np

from driving_sandbox.physics.contact.frame import to_body
from driving_sandbox.physics.contact.pair_contacts import SKIN
from driving_sandbox.physics.contact.pair_records import Vector
from driving_sandbox.physics.contact.rows import inverse_inertia
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import quat
from driving_sandbox.physics.maths.vec3 import add, add_scaled, cross, dot, load, scale, store, sub

PASSES = 20  # a car between two others against a wall settles within ten
BOUNCE_PASSES = 4
BOUNCE_SPEED = 1.0  # m/s; slower approaches do not bounce
PUSH_RATE = 20.0  # 1/s, of the penetration beyond half of SKIN
PUSH_SPEED = 1.0  # m/s, most
SOLVED = 1e-9  # m/s; passes end that change no speed by more
STILL = 1e-6  # m/s; a smaller change needs no repetition
SAME_PLACE = 1e-4  # m^2; a contact this near to one of the last tick is the same


@kernel
def kick(body: Any, m: Any, arm: Vector, impulse: Vector) -> None:
    """An impulse on a body at an arm from its centre of mass."""
    store(body.velocity, add_scaled(load(body.velocity), impulse, 1.0 / body.mass))
    turn = inverse_inertia(m, body.inertia, cross(arm, impulse))
    store(body.angular_velocity, add(load(body.angular_velocity), turn))


@kernel
def prepare(c: Any, bodies: np.ndarray) -> None:
    """Arms and effective masses of a contact, from the mean positions of both bodies."""
    a, b = bodies[c.a], bodies[c.b]
    ma, mb = quat.to_matrix(quat.load(a.orientation)), quat.to_matrix(quat.load(b.orientation))
    point = add(load(c.point), scale(add(load(a.drift), load(b.drift)), 0.5))
    arm_a, arm_b = sub(point, add(load(a.position), load(a.drift))), sub(point, add(load(b.position), load(b.drift)))
    store(c.arm_a, arm_a)
    store(c.arm_b, arm_b)
    for k in range(3):
        d = load(c.directions[k])
        ra, rb = cross(arm_a, d), cross(arm_b, d)
        turning = dot(ra, inverse_inertia(ma, a.inertia, ra)) + dot(rb, inverse_inertia(mb, b.inertia, rb))
        c.mass[k] = 1.0 / (1.0 / a.mass + 1.0 / b.mass + turning)


@kernel
def speed_along(c: Any, bodies: np.ndarray, k: int) -> float:
    """Speed at which the bodies part along a direction of a contact."""
    a, b = bodies[c.a], bodies[c.b]
    va = add(load(a.velocity), cross(load(a.angular_velocity), load(c.arm_a)))
    vb = add(load(b.velocity), cross(load(b.angular_velocity), load(c.arm_b)))
    return dot(load(c.directions[k]), sub(vb, va))


@kernel
def give(c: Any, bodies: np.ndarray, impulse: Vector) -> None:
    """An impulse on both bodies of a contact."""
    a, b = bodies[c.a], bodies[c.b]
    kick(b, quat.to_matrix(quat.load(b.orientation)), load(c.arm_b), impulse)
    kick(a, quat.to_matrix(quat.load(a.orientation)), load(c.arm_a), scale(impulse, -1.0))


@kernel
def push_apart(c: Any, bodies: np.ndarray, least: float) -> float:
    """One step of the normal row to a least speed; returns the change of speed, m/s."""
    old = c.impulse[0]
    c.impulse[0] = max(0.0, old - c.mass[0] * (speed_along(c, bodies, 0) - least))
    if c.impulse[0] != old:
        give(c, bodies, scale(load(c.directions[0]), c.impulse[0] - old))
    return abs(c.impulse[0] - old) / c.mass[0]


@kernel
def rub(c: Any, bodies: np.ndarray) -> float:
    """One step of both tangents, limited as a vector; returns the change of speed, m/s."""
    old_1, old_2, limit = c.impulse[1], c.impulse[2], c.friction * c.impulse[0]
    p1 = old_1 - c.mass[1] * speed_along(c, bodies, 1)
    p2 = old_2 - c.mass[2] * speed_along(c, bodies, 2)
    size = math.sqrt(p1 * p1 + p2 * p2)
    if size > limit:
        p1, p2 = p1 * limit / size, p2 * limit / size
    if p1 != old_1 or p2 != old_2:
        c.impulse[1], c.impulse[2] = p1, p2
        change = scale(load(c.directions[1]), p1 - old_1)
        give(c, bodies, add_scaled(change, load(c.directions[2]), p2 - old_2))
    return max(abs(p1 - old_1) / c.mass[1], abs(p2 - old_2) / c.mass[2])


@kernel
def solve_contacts(contacts: np.ndarray, count: int, bodies: np.ndarray) -> None:
    """Passes over all contacts to their targets, until nothing changes."""
    for i in range(PASSES):
        change = 0.0
        for k in range(count):
            c = contacts[k if i % 2 == 0 else count - 1 - k]
            change = max(change, push_apart(c, bodies, c.target))
            change = max(change, rub(c, bodies))
        if change < SOLVED:
            break


@kernel
def add_wrench(c: Any, bodies: np.ndarray, total: Vector) -> None:
    """Add an impulse of a contact to what acts throughout the tick."""
    a, b = bodies[c.a], bodies[c.b]
    store(b.push, add(load(b.push), total))
    store(a.push, sub(load(a.push), total))
    store(b.turn, add(load(b.turn), cross(load(c.arm_b), total)))
    store(a.turn, sub(load(a.turn), cross(load(c.arm_a), total)))


@kernel
def sum_up(contacts: np.ndarray, count: int, bodies: np.ndarray) -> None:
    """Write what the contacts give each body throughout the tick, into `push` and `turn`."""
    for i in range(len(bodies)):
        store(bodies[i].push, (0.0, 0.0, 0.0))
        store(bodies[i].turn, (0.0, 0.0, 0.0))
    for k in range(count):
        c, total = contacts[k], (0.0, 0.0, 0.0)
        for i in range(3):
            total = add_scaled(total, load(c.directions[i]), c.impulse[i] - c.begun[i])
        add_wrench(c, bodies, total)


@kernel
def kinetic(body: Any, v: Vector, w: Vector) -> float:
    """Kinetic energy of a body at a velocity and rate, J."""
    r = to_body(quat.to_matrix(quat.load(body.orientation)), w)
    spin = body.inertia[0] * r[0] * r[0] + body.inertia[1] * r[1] * r[1] + body.inertia[2] * r[2] * r[2]
    return 0.5 * (body.mass * dot(v, v) + spin)


@kernel
def kinetic_energy(bodies: np.ndarray) -> float:
    """Of all bodies of contacts, J."""
    total = 0.0
    for i in range(len(bodies)):
        body = bodies[i]
        if body.touches == 1:
            total += kinetic(body, load(body.velocity), load(body.angular_velocity))
    return total


@kernel
def note_start(contacts: np.ndarray, count: int, bodies: np.ndarray) -> None:
    """Note the poses, and which bodies have contacts."""
    for i in range(len(bodies)):
        body = bodies[i]
        body.touches = 0
        store(body.drift, (0.0, 0.0, 0.0))
        store(body.start_position, load(body.position))
        quat.store(body.start_orientation, quat.load(body.orientation))
    for k in range(count):
        bodies[contacts[k].a].touches = 1
        bodies[contacts[k].b].touches = 1


@kernel
def begin_contacts(
    contacts: np.ndarray, count: int, bodies: np.ndarray, memory: np.ndarray, dt: float, substeps: int
) -> tuple[float, float]:
    """What acts at the start of the tick, in `impulse` and `angular_impulse` of the bodies, and what probably acts
    throughout, in `push` and `turn`. Returns (kinetic energy before, after those at the start, J)."""
    note_start(contacts, count, bodies)
    for k in range(count):
        c = contacts[k]
        prepare(c, bodies)
        c.approach = speed_along(c, bodies, 0)
        store(c.impulse, (0.0, 0.0, 0.0))
        store(c.begun, (0.0, 0.0, 0.0))
        pushed = min(PUSH_RATE * max(0.0, 0.5 * SKIN - c.gap), PUSH_SPEED)
        c.target = (SKIN - c.gap) / dt if c.gap > SKIN else pushed
    before = kinetic_energy(bodies)
    solve_contacts(contacts, count, bodies)
    sum_up(contacts, count, bodies)
    for i in range(len(bodies)):
        body = bodies[i]
        store(body.impulse, load(body.push))
        store(body.angular_impulse, load(body.turn))  # forces act before a substep moves the body:
        store(body.drift, scale(load(body.velocity), 0.5 * dt * (substeps - 1) / substeps))
    for k in range(count):
        c = contacts[k]
        prepare(c, bodies)
        store(c.begun, load(c.impulse))
        recall(c, bodies, memory)
    sum_up(contacts, count, bodies)
    return before, kinetic_energy(bodies)


@kernel
def anchor_of(c: Any, bodies: np.ndarray) -> Vector:
    """Where a contact is in body axes of its first body, at the start of the tick."""
    a = bodies[c.a]
    return quat.rotate_inverse(quat.load(a.start_orientation), sub(load(c.point), load(a.start_position)))


@kernel
def recall(c: Any, bodies: np.ndarray, memory: np.ndarray) -> None:
    """Add what the same contact gave throughout the last tick to its impulse."""
    anchor, found, nearest = anchor_of(c, bodies), -1, SAME_PLACE
    for k in range(len(memory)):
        if memory[k].a == c.a and memory[k].b == c.b:
            apart = sub(load(memory[k].anchor), anchor)
            if dot(apart, apart) < nearest:
                found, nearest = k, dot(apart, apart)
    if found >= 0:
        store(c.impulse, add(load(c.begun), load(memory[found].impulse)))


@kernel
def remember(contacts: np.ndarray, count: int, bodies: np.ndarray, memory: np.ndarray) -> None:
    """Keep what the contacts gave throughout the tick."""
    clear_memory(memory)
    kept = 0
    for k in range(count):
        c = contacts[k]
        if kept < len(memory) and c.impulse[0] > c.begun[0]:
            row = memory[kept]
            row.a, row.b = c.a, c.b
            store(row.anchor, anchor_of(c, bodies))
            store(row.impulse, sub(load(c.impulse), load(c.begun)))
            kept += 1


@kernel
def clear_memory(memory: np.ndarray) -> None:
    for k in range(len(memory)):
        memory[k].a, memory[k].b = 0, 0
        store(memory[k].anchor, (0.0, 0.0, 0.0))
        store(memory[k].impulse, (0.0, 0.0, 0.0))


@kernel
def displacement(body: Any, point: Vector) -> Vector:
    """Of a point that moves with a body, since the start of the tick."""
    arm = quat.rotate_inverse(quat.load(body.start_orientation), sub(point, load(body.start_position)))
    return sub(add(load(body.position), quat.rotate(quat.load(body.orientation), arm)), point)


@kernel
def end_contacts(
    contacts: np.ndarray, count: int, bodies: np.ndarray, memory: np.ndarray, before: float, begun: float, dt: float
) -> bool:
    """What is to act throughout the tick, in `push` and `turn` of the bodies; True if the tick must be repeated.

    bodies: as after the tick made with what `begin_contacts` found. before, begun: what it returned.
    """
    for k in range(count):
        c = contacts[k]
        n, point = load(c.directions[0]), load(c.point)
        gap = c.gap + dot(n, sub(displacement(bodies[c.b], point), displacement(bodies[c.a], point)))
        c.target = min(0.0, (SKIN - gap) / dt)
        store(c.assumed, load(c.impulse))
    most = before + max(0.0, kinetic_energy(bodies) - begun)
    put_at_start(bodies)
    solve_contacts(contacts, count, bodies)
    if bounce(contacts, count, bodies, most):
        clear_memory(memory)
    else:
        remember(contacts, count, bodies, memory)
    sum_up(contacts, count, bodies)
    changed = False
    for k in range(count):
        c = contacts[k]
        for i in range(3):
            changed = changed or abs(c.impulse[i] - c.assumed[i]) > STILL * c.mass[i]
    return changed


@kernel
def put_at_start(bodies: np.ndarray) -> None:
    """Put the bodies back to their poses at the start of the tick."""
    for i in range(len(bodies)):
        store(bodies[i].position, load(bodies[i].start_position))
        quat.store(bodies[i].orientation, quat.load(bodies[i].start_orientation))


@kernel
def bounces(c: Any) -> bool:
    return c.restitution > 0.0 and c.approach < -BOUNCE_SPEED and c.impulse[0] > 0.0


@kernel
def bounce(contacts: np.ndarray, count: int, bodies: np.ndarray, most: float) -> bool:
    """Restitution, as far as kinetic energy stays below `most`; velocities are not blended. True if there is any."""
    fast = False
    for k in range(count):
        contacts[k].settled = contacts[k].impulse[0]
        fast = fast or bounces(contacts[k])
    if not fast:
        return False
    settled = kinetic_energy(bodies)
    for i in range(len(bodies)):
        store(bodies[i].settled_velocity, load(bodies[i].velocity))
        store(bodies[i].settled_rate, load(bodies[i].angular_velocity))
    for i in range(BOUNCE_PASSES):
        for k in range(count):
            c = contacts[k if i % 2 == 0 else count - 1 - k]
            push_apart(c, bodies, -c.restitution * c.approach if bounces(c) else c.target)
    share = dissipative(bodies, settled, most)
    for k in range(count):
        c = contacts[k]
        c.impulse[0] = c.settled + share * (c.impulse[0] - c.settled)
    return True


@kernel
def dissipative(bodies: np.ndarray, settled: float, most: float) -> float:
    """Largest share of the change since the bodies settled, with the energy `settled`, that keeps within `most`."""
    bounced, square = kinetic_energy(bodies), 0.0
    if bounced <= most:
        return 1.0
    if settled >= most:
        return 0.0
    for i in range(len(bodies)):
        b = bodies[i]
        if b.touches == 1:
            dv = sub(load(b.velocity), load(b.settled_velocity))
            square += kinetic(b, dv, sub(load(b.angular_velocity), load(b.settled_rate)))
    slope = 0.5 * (bounced - settled - square)
    return (math.sqrt(slope * slope + square * (most - settled)) - slope) / square
