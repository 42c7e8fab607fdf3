"""Single steps of the solver, each for one row or for rows with a common limit; equations are in `solver.py`.

Each step takes the body's velocities (v, w), updates the accumulated impulses of the rows (ROW of records.py) and
returns the new velocities. h: substep, s; inverse_mass: of the body, 1/kg.
"""

import math
from typing import Any

from driving_sandbox.physics.contact.frame import to_body, to_world
from driving_sandbox.physics.contact.records import BRAKE_SLIPS, FREE, HELD, TIRE_SLIDES
from driving_sandbox.physics.contact.rows import inverse_inertia, push, row_speed
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths.vec3 import add, length, load, scale, store, sub

ROLLING_LENGTH = 0.005  # m, lever arm of rolling resistance: how far deformed sheet metal shifts the point of support
PUSH_OUT_SPEED = 3.0  # m/s, largest bias; without the limit a deep initial penetration would catapult the hull


@kernel
def soft_constants(frequency: float, damping: float, h: float) -> tuple[float, float, float]:
    """(rate in 1/s, s, i) of a soft row, see `solver.py`.

    frequency: Hz; 1 / (4 h) if that is lower.
    damping: damping ratio.
    h: substep, s.
    """
    omega = 2.0 * math.pi * min(frequency, 0.25 / h)
    a1 = 2.0 * damping + h * omega
    a2 = h * omega * a1
    return omega / a1, a2 / (1.0 + a2), 1.0 / (1.0 + a2)


@kernel
def one_sided_impulse(old: float, mass: float, speed: float, gap: float, soft: Any, use_bias: bool, h: float) -> float:
    """New accumulated impulse (`old` before) of a row that only pushes.

    gap: C of `solver.py`; m, or rad for a limit of angle.
    soft: (rate, s, i) of `soft_constants`; without `use_bias` closed rows are hard and have no bias.
    """
    bias, mass_scale, impulse_scale = 0.0, 1.0, 0.0
    if gap > 0.0:
        bias = gap / h
    elif use_bias:
        bias, mass_scale, impulse_scale = max(soft[0] * gap, -PUSH_OUT_SPEED), soft[1], soft[2]
    return max(0.0, old - mass * mass_scale * (speed + bias) - impulse_scale * old)


@kernel
def one_sided(
    row: Any, soft: Any, use_bias: bool, h: float, inverse_mass: float, v: Any, w: Any
) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """One step of a row that only pushes (contact normal, suspension limit)."""
    old = row.impulse
    row.impulse = one_sided_impulse(old, row.mass, row_speed(row, v, w), row.gap, soft, use_bias, h)
    return push(row, row.impulse - old, inverse_mass, v, w)


@kernel
def hull_friction(
    first: Any, second: Any, limit: float, inverse_mass: float, v: Any, w: Any
) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """One step of the two tangents of a contact; as a vector their impulse is limited to `limit`, N s."""
    p1 = first.impulse - first.mass * row_speed(first, v, w)
    p2 = second.impulse - second.mass * row_speed(second, v, w)
    magnitude = math.sqrt(p1 * p1 + p2 * p2)
    if magnitude > limit:
        p1, p2 = p1 * limit / magnitude, p2 * limit / magnitude
    d1, d2 = p1 - first.impulse, p2 - second.impulse
    first.impulse, second.impulse = p1, p2
    v, w = push(first, d1, inverse_mass, v, w)
    return push(second, d2, inverse_mass, v, w)


@kernel
def rolling_resistance(state: Any, load_impulse: float, m: Any, inertia: Any, w: Any) -> tuple[float, float, float]:
    """One step of rolling resistance of the hull; returns the new w. It brings a hull that rocks on crests to rest.

    Its angular impulse is limited as a vector to ROLLING_LENGTH times load_impulse, the sum of the normal impulses, so
    that it only dissipates.
    """
    local_rate = to_body(m, w)
    old = load(state.rolling_impulse)
    new = sub(old, to_world(m, (local_rate[0] * inertia[0], local_rate[1] * inertia[1], local_rate[2] * inertia[2])))
    magnitude, limit = length(new), ROLLING_LENGTH * load_impulse
    if magnitude > limit:
        new = scale(new, limit / magnitude)
    store(state.rolling_impulse, new)
    return add(w, inverse_inertia(m, inertia, sub(new, old)))


@kernel
def sticky_impulse(row: Any, soft: Any, use_bias: bool, v: Any, w: Any) -> float:
    """New impulse of a sticky row, before its limits."""
    speed = row_speed(row, v, w) - row.target
    if use_bias:
        return row.impulse - row.mass * soft[1] * (speed + soft[0] * row.gap) - soft[2] * row.impulse
    return row.impulse - row.mass * speed


@kernel
def rolling_impulse(wheel: Any, row: Any, torque: float, h: float, v: Any, w: Any) -> float:
    """New impulse P = h T / R + J (omega R - u) of a wheel that rolls without slip under a torque T, J = I / R^2.

    With it the tread moves at the row's speed u, which P changes as well. A dry brake may have any torque up to T_brake
    in either direction; the impulses at both ends are the limits of the row.

    torque: T, of drive and brake, N m.
    """
    tread_mass = wheel.inertia / (wheel.radius * wheel.radius)
    slip_speed = wheel.rate * wheel.radius - (row_speed(row, v, w) - row.target)
    excess = h * torque / wheel.radius + tread_mass * slip_speed - row.impulse
    return row.impulse + excess / (1.0 + tread_mass / row.mass)


@kernel
def sticky_pair(
    wheel: Any, wheel_state: Any, longitudinal: Any, lateral: Any, limit: float, soft: Any, use_bias: bool, h: float,
    inverse_mass: float, v: Any, w: Any,
) -> tuple[tuple[float, float, float], tuple[float, float, float]]:  # fmt: skip
    """One step of a wheel's sticky rows, longitudinal first.

    wheel: WHEEL_ROW.
    wheel_state: CONTACT_WHEEL, whose `hold` is written.
    limit: h mu N of `solver.py`, N s.
    """
    wheel_state.hold = FREE
    old_1, old_2 = longitudinal.impulse, lateral.impulse
    p1, p2 = 0.0, 0.0
    if wheel.sticky_longitudinal == 1:
        if wheel.rolls == 1:
            torque = wheel.drive_torque - math.copysign(wheel.brake_torque, wheel.drive_torque)
            p1 = rolling_impulse(wheel, longitudinal, torque, h, v, w)
            wheel_state.hold = BRAKE_SLIPS
        else:
            p1 = sticky_impulse(longitudinal, soft, use_bias, v, w)
            low = rolling_impulse(wheel, longitudinal, wheel.drive_torque - wheel.brake_torque, h, v, w)
            high = rolling_impulse(wheel, longitudinal, wheel.drive_torque + wheel.brake_torque, h, v, w)
            wheel_state.hold = BRAKE_SLIPS if p1 < low or p1 > high else HELD
            p1 = min(max(p1, low), high)
        if abs(p1) > limit:
            p1 = math.copysign(limit, p1)
            wheel_state.hold = TIRE_SLIDES
        v, w = push(longitudinal, p1 - old_1, inverse_mass, v, w)
    if wheel.sticky_lateral == 1:
        p2 = sticky_impulse(lateral, soft, use_bias, v, w)
    magnitude = math.sqrt(p1 * p1 + p2 * p2)
    if magnitude > limit:
        factor = limit / magnitude
        v, w = push(longitudinal, p1 * factor - p1, inverse_mass, v, w)
        p1, p2 = p1 * factor, p2 * factor
        wheel_state.hold = TIRE_SLIDES
    longitudinal.impulse, lateral.impulse = p1, p2
    return push(lateral, p2 - old_2, inverse_mass, v, w)
