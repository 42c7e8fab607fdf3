"""Solver of a tick: velocities of all props that move, and impulses on the vehicles they touch.

In each tick of length h, with u the speed along a contact's normal:

1. v <- v + h g; contacts are found (meeting.py, grounding.py) between bodies as they are at the start of the tick.
2. Projected Gauss-Seidel over all contacts: u >= -gap / h while there is a gap, else u >= the push-out speed of an
   overlap; friction limited as a vector to mu times the normal impulse (physics/contact/pair_solver.py).
3. x <- x + h v, q <- exp(h w) q.
4. Where there was an overlap the contacts are solved again without push-out, so that its speed adds no energy.
5. Restitution, scaled down so far that there is no more kinetic energy than before step 2.

A vehicle takes part with its mass, its inertia and its velocity before the tick, without its own forces. It gets the
opposite impulses at the start of its tick, so that momentum is conserved.
"""

from typing import Any

import numpy as np

from driving_sandbox.physics.contact.pair_contacts import SKIN
from driving_sandbox.physics.contact.pair_solver import (
    BOUNCE_PASSES,
    PUSH_RATE,
    PUSH_SPEED,
    bounces,
    dissipative_share,
    kinetic_energy,
    prepare,
    push_apart,
    solve_contacts,
    speed_along,
    sum_up,
)
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import quat
from driving_sandbox.physics.maths.vec3 import add_scaled, dot, load, scale, store, sub
from driving_sandbox.physics.props.grounding import ground_contacts
from driving_sandbox.physics.props.meeting import SLOW_SPEED, ZERO, gather, meet, surface_speed
from driving_sandbox.physics.props.records import NONE

PASSES = 30  # largest number of passes of the solver
CONVERGED = 1e-4  # m/s; the pass that changes no speed by more is the last
SLEEP_SECONDS = 0.5  # s below SLOW_SPEED after which a prop falls asleep
LOWEST = -1e4  # m; a prop that falls deeper has left the world and is put back


@kernel
def step_props(
    a: Any, ground: Any, near: int, vehicles: int, gravity: np.ndarray, dt: float
) -> tuple[int, int]:  # fmt: skip
    """Step all props through a tick; returns the numbers of (props that move, contacts in a.contacts).

    Writes the impulse on each vehicle into `force_impulse` of its body, N s, and its moment about the vehicle's centre
    of mass into `force_angular_impulse`, N m s.

    Args:
        a: PropArrays; the bodies of the vehicles are in slots 1 to `vehicles`.
        ground: GroundArrays.
        near: number of entries of a.near.
        vehicles: number of vehicles that take part.
        gravity: float64[3], m/s^2.
        dt: length of the tick, s.
    """
    g = load(gravity)
    count, queued = gather(a, near, vehicles, g, dt)
    count, queued, contact_count = meet(a, near, vehicles, count, queued, g, dt)
    contact_count = ground_contacts(a, ground, queued, contact_count, dt)
    bodies, contacts = a.bodies[:count], a.contacts
    overlap = begin(contacts, contact_count, bodies, dt)
    energy_before = kinetic_energy(bodies)
    solve_contacts(contacts, contact_count, bodies, PASSES, CONVERGED)
    integrate(a, queued, vehicles, dt)
    if overlap:
        for k in range(contact_count):
            contacts[k].target = min(0.0, contacts[k].target)
        solve_contacts(contacts, contact_count, bodies, PASSES, CONVERGED)
    restitute(contacts, contact_count, bodies, energy_before)
    sum_up(contacts, contact_count, bodies)
    note_supports(a, contact_count, queued, vehicles)
    return finish(a, queued, vehicles, dt), contact_count


@kernel
def begin(contacts: np.ndarray, found: int, bodies: np.ndarray, dt: float) -> bool:
    """Prepare the contacts and mark their bodies; returns whether there is an overlap: a gap below half of SKIN."""
    for i in range(len(bodies)):
        bodies[i].in_contact = 0
    overlap = False
    for k in range(found):
        c = contacts[k]
        prepare(c, bodies)
        c.approach = speed_along(c, bodies, 0)
        store(c.impulse, ZERO)
        store(c.start_impulse, ZERO)
        pushed = min(PUSH_RATE * max(0.0, 0.5 * SKIN - c.gap), PUSH_SPEED)
        c.target = (SKIN - c.gap) / dt if c.gap > SKIN else pushed
        overlap = overlap or pushed > 0.0
        bodies[c.a].in_contact, bodies[c.b].in_contact = 1, 1
    return overlap


@kernel
def integrate(a: Any, queued: int, vehicles: int, dt: float) -> None:
    """Move the props by their velocities; the rotation about the present axis is exact."""
    for rank in range(vehicles, queued):  # the queue begins with the vehicles
        body = a.bodies[a.queue[rank]]
        kind = a.kinds[a.kind_of[a.prop_of[a.queue[rank]]]]
        if kind.hinged == 1:
            axis = quat.rotate(quat.load(body.orientation), load(kind.axis))
            store(body.velocity, ZERO)
            store(body.angular_velocity, scale(axis, dot(axis, load(body.angular_velocity))))
        store(body.position, add_scaled(load(body.position), load(body.velocity), dt))
        rotation = quat.from_rotation_vector(scale(load(body.angular_velocity), dt))
        quat.store(body.orientation, quat.normalize(quat.multiply(rotation, quat.load(body.orientation))))


@kernel
def restitute(contacts: np.ndarray, found: int, bodies: np.ndarray, limit: float) -> None:
    """Add restitution to the impulses and velocities as far as the kinetic energy stays within `limit`, J."""
    any_bounces = False
    for k in range(found):
        contacts[k].inelastic_impulse = contacts[k].impulse[0]
        any_bounces = any_bounces or bounces(contacts[k])
    if not any_bounces:
        return
    inelastic_energy = kinetic_energy(bodies)
    for i in range(len(bodies)):
        store(bodies[i].inelastic_velocity, load(bodies[i].velocity))
        store(bodies[i].inelastic_rate, load(bodies[i].angular_velocity))
    for i in range(BOUNCE_PASSES):
        for k in range(found):
            c = contacts[k if i % 2 == 0 else found - 1 - k]
            push_apart(c, bodies, -c.restitution * c.approach if bounces(c) else c.target)
    bounce_share = dissipative_share(bodies, inelastic_energy, limit)
    for k in range(found):
        c = contacts[k]
        c.impulse[0] = c.inelastic_impulse + bounce_share * (c.impulse[0] - c.inelastic_impulse)
    for i in range(len(bodies)):
        b = bodies[i]
        v, w = load(b.inelastic_velocity), load(b.inelastic_rate)
        store(b.velocity, add_scaled(v, sub(load(b.velocity), v), bounce_share))
        store(b.angular_velocity, add_scaled(w, sub(load(b.angular_velocity), w), bounce_share))


@kernel
def note_supports(a: Any, found: int, queued: int, vehicles: int) -> None:
    """Note which props rest on the ground or another prop, and keep props awake that touch a vehicle.

    A sleeping prop would not load the vehicle with its weight.
    """
    for rank in range(vehicles, queued):
        a.props[a.prop_of[a.queue[rank]]].rests = 0
    for k in range(found):
        c = a.contacts[k]
        if c.impulse[0] <= 0.0:
            continue
        of_vehicle = 1 <= c.a <= vehicles  # a vehicle is never body b: `meet` tests bodies against props
        for slot in (c.a, c.b):
            if slot > vehicles and a.rank[slot] != NONE:
                prop = a.props[a.prop_of[slot]]
                if of_vehicle:
                    prop.rest_time = 0.0
                else:
                    prop.rests = 1


@kernel
def finish(a: Any, queued: int, vehicles: int, dt: float) -> int:
    """Store the motion of the props, put back those that have left the world, let those that stayed slow fall asleep.

    Returns how many move.
    """
    moving = 0
    for rank in range(vehicles, queued):
        slot = a.queue[rank]
        body, number = a.bodies[slot], a.prop_of[slot]
        prop = a.props[number]
        store(prop.position, load(body.position))
        quat.store(prop.orientation, quat.load(body.orientation))
        store(prop.velocity, load(body.velocity))
        store(prop.angular_velocity, load(body.angular_velocity))
        prop.rest_time = prop.rest_time + dt if surface_speed(body) < SLOW_SPEED else 0.0
        x = load(prop.position)
        if not dot(x, x) < np.inf or x[2] < LOWEST:
            put_back(prop, a.start[number])
        if prop.rest_time >= SLEEP_SECONDS:
            prop.awake, prop.rest_time = 0, 0.0
            store(prop.velocity, ZERO)
            store(prop.angular_velocity, ZERO)
        moving += prop.awake
    return moving


@kernel
def put_back(prop: Any, start: Any) -> None:
    """Put a prop back where it was placed."""
    store(prop.position, load(start.position))
    quat.store(prop.orientation, quat.load(start.orientation))
    store(prop.velocity, ZERO)
    store(prop.angular_velocity, ZERO)
    prop.awake, prop.rest_time, prop.rests = 0, 0.0, 1
