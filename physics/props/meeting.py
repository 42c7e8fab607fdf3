"""Which props take part in a tick, and what touches what.

Props that move are looked at one after another with all that is near. A prop asleep is as fixed as the ground until
something that moves comes within reach of this tick: then it wakes, and is looked at in turn.
"""

from typing import Any

from driving_sandbox.physics.body.gyroscopic import gyroscopic_spin
from driving_sandbox.physics.contact.frame import to_body, to_world
from driving_sandbox.physics.contact.pair_contacts import pair_contacts, pose_shape
from driving_sandbox.physics.contact.pair_records import Vector
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import quat
from driving_sandbox.physics.maths.vec3 import add, add_scaled, cross, dot, length, load, scale, store, sub
from driving_sandbox.physics.props.looking import TRAVEL
from driving_sandbox.physics.props.records import AWAKE_CAPACITY, HEAVY, NONE, PAIR_CAPACITY, SLOT_CAPACITY

SLOW_SPEED = 0.05  # m/s; what is slower at its surface wakes nothing, and falls asleep
ALWAYS = 0.02  # m of gap within reach however slow bodies are: more than SKIN, SLACK and a tick of gravity
RESTING_DAMPING = 0.5  # 1/s of the spin of what rests on something: contacts at points resist neither spin nor roll
NOTHING = (0.0, 0.0, 0.0)


@kernel
def surface_speed(body: Any) -> float:
    """Largest speed of any point of a body, m/s, no less than it is."""
    return length(load(body.velocity)) + length(load(body.angular_velocity)) * body.radius


@kernel
def enter(a: Any, number: int, slot: int) -> None:
    """Give a prop a slot, at rest and fixed."""
    prop, body, hull = a.props[number], a.bodies[slot], a.hulls[a.kind_of[number]]
    store(body.position, load(prop.position))
    quat.store(body.orientation, quat.load(prop.orientation))
    store(body.velocity, load(prop.velocity))
    store(body.angular_velocity, load(prop.angular_velocity))
    body.mass = HEAVY
    store(body.inertia, (HEAVY, HEAVY, HEAVY))
    body.radius = hull.radius
    store(body.drift, NOTHING)
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
    """Let a prop in a slot move: its mass, and gravity for the tick."""
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
        turning = max(0.0, 1.0 - kind.damping * dt)
        w = (w[0] * turning + dt * torque[0] / kind.inertia[0], w[1] * turning + dt * torque[1] / kind.inertia[1],
             w[2] * turning + dt * torque[2] / kind.inertia[2])  # fmt: skip
    else:
        store(body.velocity, add_scaled(load(body.velocity), gravity, dt))
        turning = 1.0 - RESTING_DAMPING * dt if prop.rests == 1 else 1.0
        w = scale(gyroscopic_spin(w, kind.inertia, dt), max(0.0, turning))
    store(body.angular_velocity, to_world(m, w))


@kernel
def gather(a: Any, near: int, vehicles: int, gravity: Vector, dt: float) -> tuple[int, int]:
    """Give slots to the props that are awake, after those of vehicles; returns (slots, length of the queue)."""
    store(a.bodies[0].velocity, NOTHING)  # the ground gets no speed by impulses, not even one of 1e-26 m/s
    store(a.bodies[0].angular_velocity, NOTHING)
    count, queued = 1, 0
    for _ in range(vehicles):
        a.posed[count] = 0
        a.prop_of[count] = NONE
        store(a.bodies[count].drift, NOTHING)
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
    """Write the SHAPE of a slot, if it is not yet."""
    if a.posed[slot] == 1:
        return
    a.posed[slot] = 1
    hull = a.hull_of[slot]
    pose_shape(a.hulls[hull : hull + 1], a.bodies, a.shapes, slot)
    if hull >= kinds:
        lower_wheels(a, hull, hull - kinds, slot)


@kernel
def lower_wheels(a: Any, number: int, vehicle: int, slot: int) -> None:
    """Move the wheels of a vehicle's SHAPE from full compression to where its suspension has them.

    number: of its hull.
    """
    hull, shape, body = a.hulls[number], a.shapes[slot], a.bodies[slot]
    turn, position = quat.load(body.orientation), load(body.position)
    for part in range(hull.part_count):
        wheel = a.wheel_of[vehicle, part]
        if wheel == NONE:
            continue
        inside = add(position, quat.rotate(turn, load(a.wheel_centre[vehicle, part])))
        shift = sub(load(a.wheel_position[vehicle, wheel]), inside)
        for i in range(hull.vertex_start[part], hull.vertex_start[part + 1]):
            store(shape.vertices[i], add(load(shape.vertices[i]), shift))
        for i in range(hull.plane_start[part], hull.plane_start[part + 1]):
            shape.planes[i, 3] += dot(load(shape.planes[i]), shift)
        store(shape.low[part], add(load(shape.low[part]), shift))
        store(shape.high[part], add(load(shape.high[part]), shift))


@kernel
def meet(a: Any, near: int, vehicles: int, count: int, queued: int, gravity: Vector, dt: float) -> tuple[int, int, int]:
    """Write the contacts of all that moves with vehicles and props; returns (slots, length of the queue, contacts)."""
    found, at = 0, 0
    while at < queued:
        i = a.queue[at]
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
            if j == i or NONE < a.rank[j] < at:  # that one has looked already
                continue
            first, found = found, contacts_of(a, i, j, dt, found)
            if found > first and a.rank[j] == NONE and fast and queued - vehicles < AWAKE_CAPACITY:
                wake(a, j, gravity, dt)
                queued = line_up(a, j, queued)
        at += 1
    return count, queued, found


@kernel
def is_fast(a: Any, slot: int) -> bool:
    """Whether a body wakes what it comes to touch, by its motion before the tick."""
    if a.prop_of[slot] == NONE:
        return surface_speed(a.bodies[slot]) > SLOW_SPEED
    prop = a.props[a.prop_of[slot]]
    turning = length(load(prop.angular_velocity)) * a.bodies[slot].radius
    return length(load(prop.velocity)) + turning > SLOW_SPEED


@kernel
def apart(a: Any, slot: int, number: int, dt: float) -> bool:
    """Whether the spheres of a body and a prop stay apart in this tick."""
    body, prop, radius = a.bodies[slot], a.props[number], a.hulls[a.kind_of[number]].radius
    speed = surface_speed(body) + length(load(prop.velocity)) + length(load(prop.angular_velocity)) * radius
    limit = body.radius + radius + dt * speed + (ALWAYS if a.prop_of[slot] != NONE else ALWAYS + TRAVEL)
    away = sub(load(prop.position), load(body.position))
    return dot(away, away) > limit * limit


@kernel
def contacts_of(a: Any, i: int, j: int, dt: float, found: int) -> int:
    """Add the contacts of two slots; returns the new number."""
    kinds = len(a.kinds)
    pose(a, i, kinds)
    pose(a, j, kinds)
    one, other = a.hull_of[i], a.hull_of[j]
    if one >= kinds and a.kinds[a.kind_of[a.prop_of[j]]].drivable == 1:
        one += len(a.wheel_of)  # its hull without wheels, which roll on this one
    first = found
    found = pair_contacts(a.bodies, a.shapes, i, j, a.hulls[one : one + 1], a.hulls[other : other + 1], dt,
                          a.contacts[:PAIR_CAPACITY], found, a.pair_scratch)  # fmt: skip
    restitution = a.kinds[other].restitution
    if one < kinds:
        restitution = max(restitution, a.kinds[one].restitution)
    for k in range(first, found):
        a.contacts[k].restitution = max(a.contacts[k].restitution, restitution)
    return found
