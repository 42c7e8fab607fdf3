"""Building the rows of the constraint solver and applying impulses to one body.

A row constrains the scalar velocity u = l.v + a.w of the body at r from its centre of mass along l, with a = r x l. An
impulse P along it changes the velocity v by P l / m and the angular velocity w by P turn, turn = I^-1 a. Its effective
mass is 1 / (1/m + a.turn).
"""

from typing import Any

from driving_sandbox.physics.contact.frame import tangents, to_body, to_world
from driving_sandbox.physics.contact.records import CONTACT_START, LIMIT_START, STICKY_START
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths.vec3 import add, add_scaled, cross, dot, load, store, sub


@kernel
def inverse_inertia(m: Any, inertia: Any, a: Any) -> tuple[float, float, float]:
    """Inverse inertia times a vector a, both in world axes.

    m: matrix of the orientation.
    inertia: principal moments, kg m^2, about the body axes.
    """
    b = to_body(m, a)
    return to_world(m, (b[0] / inertia[0], b[1] / inertia[1], b[2] / inertia[2]))


@kernel
def build_row(row: Any, direction: Any, r: Any, m: Any, body_params: Any) -> None:
    """Write a row along `direction` at r from the centre of mass (world axes), with gap, target and impulse 0."""
    a = cross(r, direction)
    turn = inverse_inertia(m, body_params.inertia, a)
    store(row.linear, direction)
    store(row.angular, a)
    store(row.turn, turn)
    row.mass = 1.0 / (1.0 / body_params.mass + dot(a, turn))
    row.gap = 0.0
    row.target = 0.0
    row.impulse = 0.0


@kernel
def row_speed(row: Any, v: Any, w: Any) -> float:
    """u of a row for the velocities (v, w) of the body, m/s."""
    return dot(load(row.linear), v) + dot(load(row.angular), w)


@kernel
def push(
    row: Any, impulse: float, inverse_mass: float, v: Any, w: Any
) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """(v, w) after an impulse along a row."""
    return add_scaled(v, load(row.linear), impulse * inverse_mass), add_scaled(w, load(row.turn), impulse)


@kernel
def build_limit_rows(
    wheels: Any, wheel_count: int, position: Any, m: Any, body_params: Any, state: Any, scratch: Any
) -> None:
    """Build one row per active suspension limit; the impulses of all others are cleared."""
    count = 0
    for i in range(wheel_count):
        wheel = wheels[i]
        if wheel.limit_active == 0:
            state.wheels[i].limit_impulse = 0.0
            continue
        row = scratch.rows[LIMIT_START + count]
        build_row(row, load(wheel.limit_direction), sub(load(wheel.limit_point), position), m, body_params)
        row.gap = wheel.limit_separation
        row.impulse = state.wheels[i].limit_impulse
        scratch.limit_wheel[count] = i
        if wheel.limit_restitution > 0.0:
            scratch.bounce = 1
        count += 1
    scratch.limit_count = count


@kernel
def build_sticky_rows(
    wheels: Any, wheel_count: int, position: Any, m: Any, body_params: Any, state: Any, scratch: Any
) -> None:
    """Build two rows per wheel that sticks in at least one direction; other directions lose impulse and anchor."""
    count = 0
    for i in range(wheel_count):
        wheel, wheel_state = wheels[i], state.wheels[i]
        if wheel.sticky_longitudinal == 0:
            wheel_state.longitudinal_offset = 0.0
            wheel_state.longitudinal_impulse = 0.0
        if wheel.sticky_lateral == 0:
            wheel_state.lateral_offset = 0.0
            wheel_state.lateral_impulse = 0.0
        if wheel.sticky_longitudinal == 0 and wheel.sticky_lateral == 0:
            continue
        r = sub(load(wheel.contact_point), position)
        ground_velocity = load(wheel.ground_velocity)
        longitudinal = scratch.rows[STICKY_START + 2 * count]
        build_row(longitudinal, load(wheel.longitudinal), r, m, body_params)
        longitudinal.target = dot(load(wheel.longitudinal), ground_velocity)
        longitudinal.gap = wheel_state.longitudinal_offset
        longitudinal.impulse = wheel_state.longitudinal_impulse
        lateral = scratch.rows[STICKY_START + 2 * count + 1]
        build_row(lateral, load(wheel.lateral), r, m, body_params)
        lateral.target = dot(load(wheel.lateral), ground_velocity)
        lateral.gap = wheel_state.lateral_offset
        lateral.impulse = wheel_state.lateral_impulse
        scratch.sticky_wheel[count] = i
        count += 1
    scratch.sticky_count = count


@kernel
def build_contact_rows(position: Any, m: Any, body_params: Any, state: Any, scratch: Any) -> None:
    """Build three rows per hull contact: normal and two tangents."""
    for i in range(state.contact_count):
        contact = state.contacts[i]
        n = load(contact.normal)
        r = to_world(m, load(contact.anchor))
        t1, t2 = tangents(n)
        normal = scratch.rows[CONTACT_START + 3 * i]
        build_row(normal, n, r, m, body_params)
        normal.gap = dot(n, add(position, r)) + contact.offset
        normal.impulse = contact.normal_impulse
        row = scratch.rows[CONTACT_START + 3 * i + 1]
        build_row(row, t1, r, m, body_params)
        row.impulse = contact.tangent_impulse[0]
        row = scratch.rows[CONTACT_START + 3 * i + 2]
        build_row(row, t2, r, m, body_params)
        row.impulse = contact.tangent_impulse[1]
        if contact.restitution > 0.0:
            scratch.bounce = 1
