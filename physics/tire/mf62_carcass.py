"""Carcass relaxation of a Magic Formula 6.2 tire, branch-free, so that it also serves vector lanes.

The equations are those of mf62_tire.py.
"""

import math

from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.kernel.bits import pick
from driving_sandbox.physics.kernel.inline import inline_kernel

SMALL_STEP = 1e-9  # relaxation lengths, distance below which (1 - e^-z) / z would be rounding alone
MIN_SPEED = 1e-6  # m/s, in the denominator of slips
DAMPED_BELOW = 1.0  # m/s, speed below which the carcass's damper acts
MAX_DAMPING = 0.5  # of the damping that would stop the wheel's spin within a step
MAX_SLIP_PER_PEAK = 3.0  # largest slip by the carcass's deflection, over that of the force's peak


@inline_kernel
def relaxed_deflection(
    deflection: float, slip_speed: float, distance: float, length: float, dt: float, max_slip: float
) -> float:
    """Deflection of the carcass after a step, m.

    slip_speed: of the tread, m/s. distance: rolled in the step, m. length: relaxation length, m. max_slip: limit of
    deflection / length.
    """
    z = distance / length
    decay = elementary.exp(-z)
    share = pick(z > SMALL_STEP, (1.0 - decay) / (z + 1e-300), 1.0 - 0.5 * z)  # 1e-300: z may be 0
    after, limit = deflection * decay + slip_speed * dt * share, max_slip * length
    return pick(after > limit, limit, pick(after < -limit, -limit, after))


@inline_kernel
def damper_share(speed: float) -> float:
    """Share of the carcass's damping that acts at a speed >= 0, m/s."""
    return pick(speed < DAMPED_BELOW, 0.5 + 0.5 * elementary.full_cos(math.pi * speed), 0.0)


@inline_kernel
def limited_damping(damping: float, spin_mass: float, dt: float) -> float:
    """A longitudinal damping, N s/m, limited to what keeps the wheel's spin stable; spin_mass: I / R^2, kg."""
    limit = MAX_DAMPING * spin_mass / dt
    return pick(damping > limit, limit, damping)
