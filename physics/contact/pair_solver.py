"""Impulses of contact between vehicles, computed before and after a tick.

u is the speed of the bodies along a contact's normal, positive when they part.

1. `begin_contacts`, before the tick, computes impulses that act at its start, without restitution. At the velocities
   after them, every gap may close to SKIN, but no further:

       u >= -(gap - SKIN) / dt                                    gap above SKIN
       u >= 0                                                     gap of SKIN / 2 to SKIN
       u >= min(PUSH_RATE (SKIN / 2 - gap), PUSH_SPEED)           smaller gap: the bodies are pushed apart

2. The tick is stepped with these impulses, and with the forces that the same contacts had in the last tick.
3. Weight, tires, hitches and the ground have now changed the velocities. `end_contacts` computes from the result by how
   much the contact forces must change, so that u >= 0. Where the gap is still above SKIN, u may be negative: the gap
   may close to SKIN within one more tick. There is no push-out speed here. Contacts that approached faster than
   BOUNCE_SPEED get their restitution. The sum of the impulses at the start and throughout the tick only pushes.
4. If the forces change, the tick is repeated with the new ones. A body at rest on another thus has no velocity in any
   substep, and does not creep on a slope; as forces are remembered, later ticks need no repetition.

Both functions use projected Gauss-Seidel, up to PASSES over all contacts in alternating order, with friction as a
vector limited to mu times the normal impulse. Let v be the velocities after these impulses, and dv what the whole
restitution would add to them. Only the largest share s of it is applied, 0 to 1, that keeps the kinetic energy T
within that at the start of the tick plus the energy that the bodies gained during the tick, if any:

    T(v + s dv) <= T_start + max(0, T_end_of_tick - T_after_start_impulses)

All impulses are equal and opposite at one point. As forces act while the bodies move on, their arms are those to the
mean positions of the substeps, so that angular momentum is conserved, too.

Arguments of the kernels are records of pair_records.py: c: CONTACT; contacts: array of these, the first `count` used;
bodies: array of BODY; memory: array of MEMORY.
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

PASSES = 20  # largest number of passes; a car between two others converges within ten
BOUNCE_PASSES = 4  # passes for restitution
BOUNCE_SPEED = 1.0  # m/s; slower approaches do not bounce
PUSH_RATE = 20.0  # 1/s, push-out speed per distance that the gap is below half of SKIN
PUSH_SPEED = 1.0  # m/s, largest push-out speed
CONVERGED = 1e-9  # m/s; passes end when one changes no speed by more than this
UNCHANGED = 1e-6  # m/s; a smaller change of speeds needs no repetition of the tick
SAME_CONTACT = 1e-4  # m^2, squared distance within which a contact continues one of the last tick


@kernel
def apply_impulse(body: Any, m: Any, arm: Vector, impulse: Vector) -> None:
    """Apply an impulse, N s, to a body at an arm, m, from its centre of mass. m: matrix of its orientation."""
    store(body.velocity, add_scaled(load(body.velocity), impulse, 1.0 / body.mass))
    spin_change = inverse_inertia(m, body.inertia, cross(arm, impulse))
    store(body.angular_velocity, add(load(body.angular_velocity), spin_change))


@kernel
def prepare(c: Any, bodies: np.ndarray) -> None:
    """Write arms and effective masses of a contact, with both bodies moved by their `drift`."""
    a, b = bodies[c.a], bodies[c.b]
    ma, mb = quat.to_matrix(quat.load(a.orientation)), quat.to_matrix(quat.load(b.orientation))
    point = add(load(c.point), scale(add(load(a.drift), load(b.drift)), 0.5))
    arm_a, arm_b = sub(point, add(load(a.position), load(a.drift))), sub(point, add(load(b.position), load(b.drift)))
    store(c.arm_a, arm_a)
    store(c.arm_b, arm_b)
    for k in range(3):
        d = load(c.directions[k])
        ra, rb = cross(arm_a, d), cross(arm_b, d)
        rotational = dot(ra, inverse_inertia(ma, a.inertia, ra)) + dot(rb, inverse_inertia(mb, b.inertia, rb))
        c.mass[k] = 1.0 / (1.0 / a.mass + 1.0 / b.mass + rotational)


@kernel
def speed_along(c: Any, bodies: np.ndarray, k: int) -> float:
    """Speed of b relative to a at a contact along its direction k, m/s; for the normal positive when they part."""
    a, b = bodies[c.a], bodies[c.b]
    va = add(load(a.velocity), cross(load(a.angular_velocity), load(c.arm_a)))
    vb = add(load(b.velocity), cross(load(b.angular_velocity), load(c.arm_b)))
    return dot(load(c.directions[k]), sub(vb, va))


@kernel
def apply_pair(c: Any, bodies: np.ndarray, impulse: Vector) -> None:
    """Apply an impulse to body b of a contact, and its opposite to body a."""
    a, b = bodies[c.a], bodies[c.b]
    apply_impulse(b, quat.to_matrix(quat.load(b.orientation)), load(c.arm_b), impulse)
    apply_impulse(a, quat.to_matrix(quat.load(a.orientation)), load(c.arm_a), scale(impulse, -1.0))


@kernel
def push_apart(c: Any, bodies: np.ndarray, min_speed: float) -> float:
    """Adjust the normal impulse of a contact so that it parts at min_speed or more, m/s, but only pushes.

    Returns the magnitude of the change of speed, m/s.
    """
    old = c.impulse[0]
    c.impulse[0] = max(0.0, old - c.mass[0] * (speed_along(c, bodies, 0) - min_speed))
    if c.impulse[0] != old:
        apply_pair(c, bodies, scale(load(c.directions[0]), c.impulse[0] - old))
    return abs(c.impulse[0] - old) / c.mass[0]


@kernel
def apply_friction(c: Any, bodies: np.ndarray) -> float:
    """One step of both tangents, limited as a vector; returns the larger change of speed, m/s."""
    old_1, old_2, limit = c.impulse[1], c.impulse[2], c.friction * c.impulse[0]
    p1 = old_1 - c.mass[1] * speed_along(c, bodies, 1)
    p2 = old_2 - c.mass[2] * speed_along(c, bodies, 2)
    magnitude = math.sqrt(p1 * p1 + p2 * p2)
    if magnitude > limit:
        p1, p2 = p1 * limit / magnitude, p2 * limit / magnitude
    if p1 != old_1 or p2 != old_2:
        c.impulse[1], c.impulse[2] = p1, p2
        change = scale(load(c.directions[1]), p1 - old_1)
        apply_pair(c, bodies, add_scaled(change, load(c.directions[2]), p2 - old_2))
    return max(abs(p1 - old_1) / c.mass[1], abs(p2 - old_2) / c.mass[2])


@kernel
def solve_contacts(contacts: np.ndarray, count: int, bodies: np.ndarray, passes: int, converged: float) -> None:
    """Bring all contacts to their target speeds, with friction, in at most `passes` passes in alternating order.

    converged: m/s; passes end when one changes no speed by more than this.
    """
    for i in range(passes):
        change = 0.0
        for k in range(count):
            c = contacts[k if i % 2 == 0 else count - 1 - k]
            change = max(change, push_apart(c, bodies, c.target))
            change = max(change, apply_friction(c, bodies))
        if change < converged:
            break


@kernel
def add_to_sums(c: Any, bodies: np.ndarray, impulse: Vector) -> None:
    """Add an impulse to the force impulses of body b of a contact, and its opposite to those of body a."""
    a, b = bodies[c.a], bodies[c.b]
    store(b.force_impulse, add(load(b.force_impulse), impulse))
    store(a.force_impulse, sub(load(a.force_impulse), impulse))
    store(b.force_angular_impulse, add(load(b.force_angular_impulse), cross(load(c.arm_b), impulse)))
    store(a.force_angular_impulse, sub(load(a.force_angular_impulse), cross(load(c.arm_a), impulse)))


@kernel
def sum_up(contacts: np.ndarray, count: int, bodies: np.ndarray) -> None:
    """Write `force_impulse` and `force_angular_impulse` of each body: sums of the contacts' impulse - start_impulse."""
    for i in range(len(bodies)):
        store(bodies[i].force_impulse, (0.0, 0.0, 0.0))
        store(bodies[i].force_angular_impulse, (0.0, 0.0, 0.0))
    for k in range(count):
        c, impulse = contacts[k], (0.0, 0.0, 0.0)
        for i in range(3):
            impulse = add_scaled(impulse, load(c.directions[i]), c.impulse[i] - c.start_impulse[i])
        add_to_sums(c, bodies, impulse)


@kernel
def kinetic(body: Any, v: Vector, w: Vector) -> float:
    """Kinetic energy of a body with a velocity and angular velocity, J."""
    r = to_body(quat.to_matrix(quat.load(body.orientation)), w)
    spin = body.inertia[0] * r[0] * r[0] + body.inertia[1] * r[1] * r[1] + body.inertia[2] * r[2] * r[2]
    return 0.5 * (body.mass * dot(v, v) + spin)


@kernel
def kinetic_energy(bodies: np.ndarray) -> float:
    """Kinetic energy of all bodies with contacts, J."""
    total = 0.0
    for i in range(len(bodies)):
        body = bodies[i]
        if body.in_contact == 1:
            total += kinetic(body, load(body.velocity), load(body.angular_velocity))
    return total


@kernel
def note_start(contacts: np.ndarray, count: int, bodies: np.ndarray) -> None:
    """Store the poses at the start of the tick, clear the drift, and mark the bodies with contacts."""
    for i in range(len(bodies)):
        body = bodies[i]
        body.in_contact = 0
        store(body.drift, (0.0, 0.0, 0.0))
        store(body.start_position, load(body.position))
        quat.store(body.start_orientation, quat.load(body.orientation))
    for k in range(count):
        bodies[contacts[k].a].in_contact = 1
        bodies[contacts[k].b].in_contact = 1


@kernel
def begin_contacts(
    contacts: np.ndarray, count: int, bodies: np.ndarray, memory: np.ndarray, dt: float, substeps: int
) -> tuple[float, float]:
    """Write the impulses at the start of the tick, and those expected throughout it, into the bodies.

    The former are in `impulse` and `angular_impulse`, the latter in `force_impulse` and `force_angular_impulse`.
    substeps: number per tick. Returns the kinetic energy before and after the impulses at the start, J.
    """
    note_start(contacts, count, bodies)
    for k in range(count):
        c = contacts[k]
        prepare(c, bodies)
        c.approach = speed_along(c, bodies, 0)
        store(c.impulse, (0.0, 0.0, 0.0))
        store(c.start_impulse, (0.0, 0.0, 0.0))
        push_out_speed = min(PUSH_RATE * max(0.0, 0.5 * SKIN - c.gap), PUSH_SPEED)
        c.target = (SKIN - c.gap) / dt if c.gap > SKIN else push_out_speed
    before = kinetic_energy(bodies)
    solve_contacts(contacts, count, bodies, PASSES, CONVERGED)
    # start_impulse is still 0, so `sum_up` writes the whole impulses to force_impulse; they are moved from there to
    # `impulse` before the second `sum_up` overwrites it
    sum_up(contacts, count, bodies)
    for i in range(len(bodies)):
        body = bodies[i]
        store(body.impulse, load(body.force_impulse))
        store(body.angular_impulse, load(body.force_angular_impulse))
        # forces act at the start of each substep: on average after (substeps - 1) / 2 of them
        store(body.drift, scale(load(body.velocity), 0.5 * dt * (substeps - 1) / substeps))
    for k in range(count):
        c = contacts[k]
        prepare(c, bodies)
        store(c.start_impulse, load(c.impulse))
        recall(c, bodies, memory)
    sum_up(contacts, count, bodies)
    return before, kinetic_energy(bodies)


@kernel
def anchor_of(c: Any, bodies: np.ndarray) -> Vector:
    """Position of a contact in the axes of body a at the start of the tick, m."""
    a = bodies[c.a]
    return quat.rotate_inverse(quat.load(a.start_orientation), sub(load(c.point), load(a.start_position)))


@kernel
def recall(c: Any, bodies: np.ndarray, memory: np.ndarray) -> None:
    """Add the impulse of the same contact throughout the last tick, if there was one."""
    anchor, remembered, nearest = anchor_of(c, bodies), -1, SAME_CONTACT
    for k in range(len(memory)):
        if memory[k].a == c.a and memory[k].b == c.b:
            offset = sub(load(memory[k].anchor), anchor)
            if dot(offset, offset) < nearest:
                remembered, nearest = k, dot(offset, offset)
    if remembered >= 0:
        store(c.impulse, add(load(c.start_impulse), load(memory[remembered].impulse)))


@kernel
def remember(contacts: np.ndarray, count: int, bodies: np.ndarray, memory: np.ndarray) -> None:
    """Store the contacts' impulses throughout the tick for the next one."""
    clear_memory(memory)
    row_count = 0
    for k in range(count):
        c = contacts[k]
        if row_count < len(memory) and c.impulse[0] > c.start_impulse[0]:
            row = memory[row_count]
            row.a, row.b = c.a, c.b
            store(row.anchor, anchor_of(c, bodies))
            store(row.impulse, sub(load(c.impulse), load(c.start_impulse)))
            row_count += 1


@kernel
def clear_memory(memory: np.ndarray) -> None:
    """Set all rows to 0."""
    for k in range(len(memory)):
        memory[k].a, memory[k].b = 0, 0
        store(memory[k].anchor, (0.0, 0.0, 0.0))
        store(memory[k].impulse, (0.0, 0.0, 0.0))


@kernel
def displacement(body: Any, point: Vector) -> Vector:
    """Displacement since the start of the tick, m, of the body-fixed point that was at `point` (world axes) then."""
    arm = quat.rotate_inverse(quat.load(body.start_orientation), sub(point, load(body.start_position)))
    return sub(add(load(body.position), quat.rotate(quat.load(body.orientation), arm)), point)


@kernel
def end_contacts(
    contacts: np.ndarray, count: int, bodies: np.ndarray, memory: np.ndarray, before: float, after_start: float,
    dt: float,
) -> bool:  # fmt: skip
    """Write the corrected impulses of contact forces to the bodies; True if the tick must be repeated.

    bodies: after a tick stepped with the impulses of `begin_contacts`.
    before, after_start: the kinetic energies that `begin_contacts` returned, J.
    dt: length of a tick, s.
    """
    for k in range(count):
        c = contacts[k]
        n, point = load(c.directions[0]), load(c.point)
        gap = c.gap + dot(n, sub(displacement(bodies[c.b], point), displacement(bodies[c.a], point)))
        c.target = min(0.0, (SKIN - gap) / dt)
        store(c.assumed_impulse, load(c.impulse))
    limit = before + max(0.0, kinetic_energy(bodies) - after_start)
    restore_start_poses(bodies)
    solve_contacts(contacts, count, bodies, PASSES, CONVERGED)
    if bounce(contacts, count, bodies, limit):
        clear_memory(memory)  # an impact is over after its tick: remembered as a force, it would act once more
    else:
        remember(contacts, count, bodies, memory)
    sum_up(contacts, count, bodies)
    changed = False
    for k in range(count):
        c = contacts[k]
        for i in range(3):
            changed = changed or abs(c.impulse[i] - c.assumed_impulse[i]) > UNCHANGED * c.mass[i]
    return changed


@kernel
def restore_start_poses(bodies: np.ndarray) -> None:
    """Restore the bodies' poses at the start of the tick; velocities stay."""
    for i in range(len(bodies)):
        store(bodies[i].position, load(bodies[i].start_position))
        quat.store(bodies[i].orientation, quat.load(bodies[i].start_orientation))


@kernel
def bounces(c: Any) -> bool:
    """True for a contact with restitution that approached fast and pushes."""
    return c.restitution > 0.0 and c.approach < -BOUNCE_SPEED and c.impulse[0] > 0.0


@kernel
def bounce(contacts: np.ndarray, count: int, bodies: np.ndarray, limit: float) -> bool:
    """Add restitution to the impulses, with a kinetic energy of at most `limit`, J; True if any contact bounces.

    The bodies' velocities are left with the whole restitution: they are not used any more.
    """
    any_bounces = False
    for k in range(count):
        contacts[k].inelastic_impulse = contacts[k].impulse[0]
        any_bounces = any_bounces or bounces(contacts[k])
    if not any_bounces:
        return False
    inelastic_energy = kinetic_energy(bodies)
    for i in range(len(bodies)):
        store(bodies[i].inelastic_velocity, load(bodies[i].velocity))
        store(bodies[i].inelastic_rate, load(bodies[i].angular_velocity))
    for i in range(BOUNCE_PASSES):
        for k in range(count):
            c = contacts[k if i % 2 == 0 else count - 1 - k]
            push_apart(c, bodies, -c.restitution * c.approach if bounces(c) else c.target)
    share = dissipative_share(bodies, inelastic_energy, limit)
    for k in range(count):
        c = contacts[k]
        c.impulse[0] = c.inelastic_impulse + share * (c.impulse[0] - c.inelastic_impulse)
    return True


@kernel
def dissipative_share(bodies: np.ndarray, inelastic_energy: float, limit: float) -> float:
    """Largest share of the change of velocity by restitution with a kinetic energy of at most `limit`, J.

    bodies: with the whole restitution.
    inelastic_energy: energy without restitution, J.
    """
    bounced_energy, square = kinetic_energy(bodies), 0.0
    if bounced_energy <= limit:
        return 1.0
    if inelastic_energy >= limit:
        return 0.0
    for i in range(len(bodies)):
        b = bodies[i]
        if b.in_contact == 1:
            dv = sub(load(b.velocity), load(b.inelastic_velocity))
            square += kinetic(b, dv, sub(load(b.angular_velocity), load(b.inelastic_rate)))
    slope = 0.5 * (bounced_energy - inelastic_energy - square)  # T(s) = inelastic_energy + 2 slope s + square s^2
    return (math.sqrt(slope * slope + square * (limit - inelastic_energy)) - slope) / square
