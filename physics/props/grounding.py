"""Contacts of props with the ground and with the stops of their hinges; both are contacts with slot 0, the ground."""

from typing import Any

from driving_sandbox.physics.contact.chosen import next_chosen
from driving_sandbox.physics.contact.frame import tangents
from driving_sandbox.physics.contact.generation import generate_hull_contacts
from driving_sandbox.physics.contact.pair_contacts import SKIN
from driving_sandbox.physics.contact.pair_records import Vector
from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import quat
from driving_sandbox.physics.maths.vec3 import add, cross, dot, length, load, scale, store
from driving_sandbox.physics.props.records import NONE

ASPHALT_RESTITUTION = 0.1  # restitution of dry asphalt in the standard surfaces, which a kind's restitution refers to
HALF_TURN = 3.141592653589793  # rad
STOP_MARGIN = 0.01  # rad; a stop this near is a contact, however slowly the hinge turns


@kernel
def ground_contacts(a: Any, ground: Any, queued: int, found: int, dt: float) -> int:
    """Add the contacts of all queued props with the ground or with the stops of their hinges.

    found: number of contacts so far; returns the new number.
    """
    for rank in range(queued):
        slot = a.queue[rank]
        number = a.prop_of[slot]
        if number == NONE:
            continue
        if a.kinds[a.kind_of[number]].hinged == 1:
            found = stop_contacts(a, number, slot, found, dt)
        else:
            found = touch_ground(a, ground, slot, found, dt)
    return found


@kernel
def touch_ground(a: Any, ground: Any, slot: int, found: int, dt: float) -> int:
    """Add the contacts of one prop with the ground; returns the new number of contacts."""
    state, body, kind = a.ground_state[0], a.bodies[slot], a.kinds[a.hull_of[slot]]  # hulls of kinds come first
    state.contact_count = 0
    generate_hull_contacts(a.hulls[a.hull_of[slot]], body, ground, state, a.ground_scratch[0], dt)
    orientation, position = quat.load(body.orientation), load(body.position)
    candidates, chosen = a.ground_scratch[0].candidates, -1
    for k in range(state.contact_count):
        if found == len(a.contacts):
            break
        touched, chosen = state.contacts[k], next_chosen(candidates, chosen + 1)
        point = add(position, quat.rotate(orientation, load(touched.anchor)))
        gap = dot(load(touched.normal), point) + touched.offset - touched.allowed
        write_contact(a.contacts[found], slot, point, load(touched.normal), gap)
        a.contacts[found].surface = candidates[chosen].surface
        a.contacts[found].friction = touched.friction
        # `touched` has the restitution of the surface alone
        restitution = kind.restitution * touched.restitution / ASPHALT_RESTITUTION
        a.contacts[found].restitution = min(1.0, restitution)
        found += 1
    return found


@kernel
def write_contact(c: Any, slot: int, point: Vector, normal: Vector, gap: float) -> None:
    """Write a contact of the ground with a slot; friction and restitution are 0, the surface is NONE."""
    c.a, c.b, c.surface = 0, slot, NONE
    store(c.point, point)
    c.gap = gap + SKIN  # other hulls keep a distance of SKIN, the ground none
    t1, t2 = tangents(normal)
    store(c.directions[0], normal)
    store(c.directions[1], t1)
    store(c.directions[2], t2)
    c.friction, c.restitution = 0.0, 0.0


@kernel
def stop_contacts(a: Any, number: int, slot: int, found: int, dt: float) -> int:
    """Add the stops that a hinged prop may reach in this tick; returns the new number of contacts.

    A stop is a contact at a lever arm of 1 m, so that its gap in m equals the remaining angle in rad.
    """
    body, kind = a.bodies[slot], a.kinds[a.kind_of[number]]
    orientation = quat.load(body.orientation)
    zero = a.zero[number]
    # rotation from the hinge's zero to the present orientation, in axes of the prop
    x, y, z, w = quat.multiply((-zero[0], -zero[1], -zero[2], zero[3]), orientation)
    angle = 2.0 * elementary.atan2(dot((x, y, z), load(kind.axis)), w)
    if angle > HALF_TURN:
        angle -= 2.0 * HALF_TURN
    elif angle < -HALF_TURN:
        angle += 2.0 * HALF_TURN
    axis = quat.rotate(orientation, load(kind.axis))
    arm = tangents(axis)[0]
    reach = STOP_MARGIN + dt * length(load(body.angular_velocity))
    point, opening = add(load(body.position), arm), cross(axis, arm)  # direction in which the angle grows
    if angle - kind.limits[0] < reach and found < len(a.contacts):
        write_contact(a.contacts[found], slot, point, opening, angle - kind.limits[0])
        found += 1
    if kind.limits[1] - angle < reach and found < len(a.contacts):
        write_contact(a.contacts[found], slot, point, scale(opening, -1.0), kind.limits[1] - angle)
        found += 1
    return found
