"""Energy limit of hull contacts and suspension limits: they may not add energy.

Sequential row solving does not conserve energy exactly: a bounce is early or late by the motion of a substep, one
contact bounces and its neighbour does not, push-out of penetration lifts the body. Each may add a little energy, and
with restitution 1 does so at every bounce.

Over a substep of length h the other forces F change the velocity by dv = h F / m. The rows of suspension limits and
hull contacts apply the impulse p before the pose moves, and P in total; v is the velocity after them, v_o = v - P / m
the one without. K is the kinetic energy. Forces work along the path moved, which p changes, so these rows add the
energy

    K(v) - K(v_o) - dv . p - m dv^2 / 2

which must not exceed 0:  K(v) <= K(v_o) + dv . p + m dv^2 / 2

For a bounce the limit is met by a smaller share of the restitution: a blend of the velocities with and without it
conserves momentum, violates no contact and keeps friction within its cone. Any other excess is removed by scaling the
whole velocity. The work of torques along the rotation added by the rows is neglected; it is small compared to that of
the impact.

Arguments of the kernels: m: matrix of the body's orientation; free: FREE_MOTION, state: CONTACT_STATE, scratch: SCRATCH
(records.py); v, w: velocity, m/s, and angular velocity, rad/s.
"""

import math
from typing import Any

from driving_sandbox.physics.contact.frame import to_body
from driving_sandbox.physics.contact.records import CONTACT_START, LIMIT_START
from driving_sandbox.physics.contact.rows import inverse_inertia
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths.vec3 import add_scaled, dot, load, scale, store, sub


@kernel
def kinetic(body_params: Any, m: Any, v: Any, w: Any, v2: Any, w2: Any) -> float:
    """Half the inner product of two motions (v, w), (v2, w2) by mass and inertia, J; of equal motions, kinetic energy.

    m: matrix of the body's orientation.
    """
    a, b, inertia = to_body(m, w), to_body(m, w2), body_params.inertia
    spin = inertia[0] * a[0] * b[0] + inertia[1] * a[1] * b[1] + inertia[2] * a[2] * b[2]
    return 0.5 * (body_params.mass * dot(v, v2) + spin)


@kernel
def note_velocity(body: Any, free: Any) -> None:
    """Store the velocity at the start of a substep."""
    store(free.velocity_before, load(body.velocity))


@kernel
def note_forces(body_params: Any, m: Any, free: Any, v: Any, w: Any) -> None:
    """Store velocity and energy after the forces of a substep, before its rows."""
    store(free.velocity, v)
    store(free.angular_velocity, w)
    free.energy = kinetic(body_params, m, v, w, v, w)


@kernel
def impulse_of_rows(
    body_params: Any, m: Any, state: Any, scratch: Any
) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """(impulse, N s; change of angular velocity, rad/s) of suspension limits, hull contacts and rolling resistance."""
    impulse, spin_change = (0.0, 0.0, 0.0), inverse_inertia(m, body_params.inertia, load(state.rolling_impulse))
    for k in range(scratch.limit_count + 3 * state.contact_count):
        limits = scratch.limit_count
        row = scratch.rows[LIMIT_START + k if k < limits else CONTACT_START + k - limits]
        impulse = add_scaled(impulse, load(row.linear), row.impulse)
        spin_change = add_scaled(spin_change, load(row.turn), row.impulse)
    return impulse, spin_change


@kernel
def energy_limit(body_params: Any, m: Any, state: Any, scratch: Any, before_move: Any, v: Any, w: Any) -> float:
    """Largest kinetic energy allowed, J.

    before_move: p of the module's docstring, N s.
    v, w: velocity after the relax pass.
    Sticky tires and hitches count as other forces: v_o of the module's docstring includes their impulses.
    """
    free = scratch.free
    impulse, spin_change = impulse_of_rows(body_params, m, state, scratch)
    v, w = add_scaled(v, impulse, -1.0 / body_params.mass), sub(w, spin_change)
    v_free, w_free = load(free.velocity), load(free.angular_velocity)
    others_energy = kinetic(body_params, m, v, w, v, w) - kinetic(body_params, m, v_free, w_free, v_free, w_free)
    dv = sub(v_free, load(free.velocity_before))
    return free.energy + others_energy + dot(dv, before_move) + 0.5 * body_params.mass * dot(dv, dv)


@kernel
def dissipative_share(body_params: Any, m: Any, limit: float, v: Any, w: Any, dv: Any, dw: Any) -> float:
    """Share s, 0 to 1, of a change (dv, dw) of velocity that keeps the kinetic energy within `limit`, J.

    1 if (v + dv, w + dw) is within it; else 0 if (v, w) is not below it; else the s that reaches it.
    """
    square, slope = kinetic(body_params, m, dv, dw, dv, dw), kinetic(body_params, m, v, w, dv, dw)
    excess = kinetic(body_params, m, v, w, v, w) - limit
    if square + 2.0 * slope + excess <= 0.0:
        return 1.0
    if excess >= 0.0:
        return 0.0
    return (math.sqrt(slope * slope - square * excess) - slope) / square


@kernel
def scaled_to_limit(body_params: Any, m: Any, limit: float, v: Any, w: Any) -> tuple[Any, Any]:
    """The velocity (v, w), scaled down if its kinetic energy exceeds `limit`, J."""
    energy = kinetic(body_params, m, v, w, v, w)
    if energy <= limit:
        return v, w
    factor = math.sqrt(max(0.0, limit) / energy)
    return scale(v, factor), scale(w, factor)
