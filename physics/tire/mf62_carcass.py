"""Carcass relaxation of a Magic Formula 6.2 tire, branch-free: for one tire and for vector lanes.

The equations are those of mf62_tire.py.
"""

import math

from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.kernel.bits import pick
from driving_sandbox.physics.kernel.inline import inline_kernel

SMALL_STEP = 1e-9  # of a relaxation length; below it (1 - e^-z) / z has no digits
SLOWEST = 1e-6  # m/s, of the speed that slips are shares of
DAMPED_BELOW = 1.0  # m/s
STIFFEST_DAMPER = 0.5  # of the damping that would stop the wheel's spin within a step
PEAKS_COVERED = 3.0  # slips of the peak that a deflection stays within


@inline_kernel
def followed(deflection: float, speed: float, distance: float, length: float, dt: float, most: float) -> float:
    """Deflection after a step at a constant speed of it, over a distance of road; most: slip it stays within."""
    z = distance / length
    left = elementary.exp(-z)
    share = pick(z > SMALL_STEP, (1.0 - left) / (z + 1e-300), 1.0 - 0.5 * z)  # 1e-300: z may be 0
    after, limit = deflection * left + speed * dt * share, most * length
    return pick(after > limit, limit, pick(after < -limit, -limit, after))


@inline_kernel
def damped(speed: float) -> float:
    """Share of the carcass's damper that acts at a speed >= 0, m/s."""
    return pick(speed < DAMPED_BELOW, 0.5 + 0.5 * elementary.full_cos(math.pi * speed), 0.0)


@inline_kernel
def softer(damping: float, spin_mass: float, dt: float) -> float:
    """A longitudinal damping, N s/m, limited by the stability of the wheel's spin in a step."""
    stiffest = STIFFEST_DAMPER * spin_mass / dt
    return pick(damping > stiffest, stiffest, damping)
