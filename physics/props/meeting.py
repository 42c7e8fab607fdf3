"""Which props take part in a tick, and what touches what.

Vehicles and moving props wait in a queue; each in turn is tested for contact with every near prop. A sleeping prop is
as fixed as the ground until a body fast enough to wake it may touch it in this tick: then it wakes and joins the queue.
"""

from typing import Any

from driving_sandbox.physics.body.gyroscopic import gyroscopic_spin
from driving_sandbox.physics.contact.frame import to_body, to_world
from driving_sandbox.physics.contact.pair_contacts import pair_contacts, pose_shape
from driving_sandbox.physics.contact.pair_records import Vector
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import quat
from driving_sandbox.physics.maths.vec3 import add, add_scaled, cross, dot, length, load, scale, store, sub
from driving_sandbox.physics.props.proximity import TRAVEL
from driving_sandbox.physics.props.records import AWAKE_CAPACITY, HEAVY, NONE, PAIR_CAPACITY, SLOT_CAPACITY

SLOW_SPEED = 0.05  # m/s; a body whose surface is slower wakes no prop, and a prop that stays slower falls asleep
MIN_REACH = 0.02  # m; smaller gaps are tested however slow the bodies are; it exceeds SKIN, SLACK and a tick's fall
RESTING_DAMPING = 0.5  # 1/s, damping of a resting prop's spin: point contacts resist neither spinning nor rolling
ZERO = (0.0, 0.0, 0.0)


@kernel
def surface_speed(body: Any) -> float:
    """Upper bound of the speed of any point of a body, m/s."""
    return length(load(body.velocity)) + length(load(body.angular_velocity)) * body.radius


@kernel
def enter(a: Any, number: int, slot: int) -> None:
    """Give a prop the slot as a body that no impulse moves; `wake` gives it its mass."""
    prop, body, hull = a.props[number], a.bodies[slot], a.hulls[a.kind_of[number]]
    store(body.position, load(prop.position))
    quat.store(body.orientation, quat.load(prop.orientation))
    store(body.velocity, load(prop.velocity))
    store(body.angular_velocity, load(prop.angular_velocity))
    body.mass = HEAVY
    store(body.inertia, (HEAVY, HEAVY, HEAVY))
    body.radius = hull.radius
    store(body.drift, ZERO)
    a.hull_of[slot], a.prop_of[slot] = a.kind_of[number], number
    a.posed[slot], a.rank[slot] = 0, NONE
    a.slot_of[number] = slot


@kernel
def line_up(a: Any, slot: int, queued: int) -> int:
    """Append a slot to the queue; returns the new length."""
    a.queue[queued], a.rank[slot] = slot, queued
    return queued + 1


@kernel
def wake(a: Any, slot: int, gravity: Vector, dt: float) -> None:
    """Let the prop in a slot move: give it its mass, and apply gravity, gyroscopic torque and damping of one tick."""
    number, body = a.prop_of[slot], a.bodies[slot]
    prop, kind = a.props[number], a.kinds[a.kind_of[number]]
    if prop.awake == 0:
        prop.awake, prop.rest_time = 1, 0.0
    body.mass = kind.solver_mass
    store(body.inertia, load(kind.inertia))
    m = quat.to_matrix(quat.load(body.orientation))
    w = to_body(m, load(body.angular_velocity))
    if kind.hinged == 1:
        torque = cross(load(kind.centre), to_body(m, scale(gravity, kind.mass)))
        decay = max(0.0, 1.0 - kind.damping * dt)
        w = (w[0] * decay + dt * torque[0] / kind.inertia[0], w[1] * decay + dt * torque[1] / kind.inertia[1],
             w[2] * decay + dt * torque[2] / kind.inertia[2])  # fmt: skip
    else:
        store(body.velocity, add_scaled(load(body.velocity), gravity, dt))
        decay = 1.0 - RESTING_DAMPING * dt if prop.rests == 1 else 1.0
        w = scale(gyroscopic_spin(w, kind.inertia, dt), max(0.0, decay))
    store(body.angular_velocity, to_world(m, w))


@kernel
def gather(a: Any, near: int, vehicles: int, gravity: Vector, dt: float) -> tuple[int, int]:
    """Give slots to the awake props, after those of the vehicles; returns (number of slots, length of the queue)."""
    store(a.bodies[0].velocity, ZERO)  # the impulses of the last tick gave the ground a speed, about 1e-26 m/s
    store(a.bodies[0].angular_velocity, ZERO)
    count, queued = 1, 0
    for _ in range(vehicles):
        a.posed[count] = 0
        a.prop_of[count] = NONE
        store(a.bodies[count].drift, ZERO)
        queued = line_up(a, count, queued)
        count += 1
    for k in range(near):
        a.slot_of[a.near[k]] = NONE
    for k in range(near):
        number = a.near[k]
        if a.props[number].awake == 1 and count < SLOT_CAPACITY:
            enter(a, number, count)
            wake(a, count, gravity, dt)
            queued = line_up(a, count, queued)
            count += 1
    return count, queued


@kernel
def pose(a: Any, slot: int, kinds: int) -> None:
    """Write the SHAPE of a slot unless it is already written."""
    if a.posed[slot] == 1:
        return
    a.posed[slot] = 1
    hull = a.hull_of[slot]
    pose_shape(a.hulls[hull : hull + 1], a.bodies, a.shapes, slot)
    if hull >= kinds:  # the hulls of vehicles follow those of kinds
        lower_wheels(a, hull, hull - kinds, slot)


@kernel
def lower_wheels(a: Any, number: int, vehicle: int, slot: int) -> None:
    """Move the wheels in a vehicle's SHAPE from full compression to where the suspension has them.

    Args:
        number: index of the vehicle's hull.
        vehicle: index of the vehicle.
    """
    hull, shape, body = a.hulls[number], a.shapes[slot], a.bodies[slot]
    orientation, position = quat.load(body.orientation), load(body.position)
    for part in range(hull.part_count):
        wheel = a.wheel_of[vehicle, part]
        if wheel == NONE:
            continue
        compressed = add(position, quat.rotate(orientation, load(a.wheel_centre[vehicle, part])))
        shift = sub(load(a.wheel_position[vehicle, wheel]), compressed)
        for i in range(hull.vertex_start[part], hull.vertex_start[part + 1]):
            store(shape.vertices[i], add(load(shape.vertices[i]), shift))
        for i in range(hull.plane_start[part], hull.plane_start[part + 1]):
            shape.planes[i, 3] += dot(load(shape.planes[i]), shift)
        store(shape.low[part], add(load(shape.low[part]), shift))
        store(shape.high[part], add(load(shape.high[part]), shift))


@kernel
def meet(a: Any, near: int, vehicles: int, count: int, queued: int, gravity: Vector, dt: float) -> tuple[int, int, int]:
    """Write the contacts of all queued bodies with props; returns the numbers of (slots, queued bodies, contacts)."""
    contact_count, turn = 0, 0
    while turn < queued:
        i = a.queue[turn]
        fast = is_fast(a, i)
        for k in range(near):
            number = a.near[k]
            if apart(a, i, number, dt):
                continue
            if a.slot_of[number] == NONE:
                if count == SLOT_CAPACITY:
                    continue
                enter(a, number, count)
                count += 1
            j = a.slot_of[number]
            if j == i or NONE < a.rank[j] < turn:  # the pair was tested in the turn of j
                continue
            first, contact_count = contact_count, contacts_of(a, i, j, dt, contact_count)
            if contact_count > first and a.rank[j] == NONE and fast and queued - vehicles < AWAKE_CAPACITY:
                wake(a, j, gravity, dt)
                queued = line_up(a, j, queued)
        turn += 1
    return count, queued, contact_count


@kernel
def is_fast(a: Any, slot: int) -> bool:
    """Whether a body was fast enough before the tick to wake what it touches."""
    if a.prop_of[slot] == NONE:
        return surface_speed(a.bodies[slot]) > SLOW_SPEED
    prop = a.props[a.prop_of[slot]]
    spin_speed = length(load(prop.angular_velocity)) * a.bodies[slot].radius
    return length(load(prop.velocity)) + spin_speed > SLOW_SPEED


@kernel
def apart(a: Any, slot: int, number: int, dt: float) -> bool:
    """Whether the bounding spheres of the body in a slot and of prop `number` certainly stay apart in this tick."""
    body, prop, radius = a.bodies[slot], a.props[number], a.hulls[a.kind_of[number]].radius
    speed = surface_speed(body) + length(load(prop.velocity)) + length(load(prop.angular_velocity)) * radius
    limit = body.radius + radius + dt * speed + (MIN_REACH if a.prop_of[slot] != NONE else MIN_REACH + TRAVEL)
    away = sub(load(prop.position), load(body.position))
    return dot(away, away) > limit * limit


@kernel
def contacts_of(a: Any, i: int, j: int, dt: float, found: int) -> int:
    """Add the contacts between two slots; found: number of contacts so far; returns the new number."""
    kinds = len(a.kinds)
    pose(a, i, kinds)
    pose(a, j, kinds)
    hull_i, hull_j = a.hull_of[i], a.hull_of[j]
    if hull_i >= kinds and a.kinds[a.kind_of[a.prop_of[j]]].drivable == 1:
        hull_i += len(a.wheel_of)  # the hull without wheels, as wheels roll on a drivable prop
    first = found
    found = pair_contacts(a.bodies, a.shapes, i, j, a.hulls[hull_i : hull_i + 1], a.hulls[hull_j : hull_j + 1], dt,
                          a.contacts[:PAIR_CAPACITY], found, a.pair_scratch)  # fmt: skip
    restitution = a.kinds[hull_j].restitution
    if hull_i < kinds:
        restitution = max(restitution, a.kinds[hull_i].restitution)
    for k in range(first, found):
        a.contacts[k].restitution = max(a.contacts[k].restitution, restitution)
    return found
