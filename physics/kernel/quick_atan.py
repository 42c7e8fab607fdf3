"""Arctangent without branches for loops over curves of tires: faster than `elementary.full_atan`, less exact.

With m / b = |x| or its inverse, whichever is at most 1,

    atan |x| = K + atan u      atan |x| = pi/2 - (K + atan u)  if |x| > 1
    u = (m - k b) / (b + k m)

with K the known arctangent of k = 0, MIDDLE or 1. The rounding errors of u are not corrected, so u must be exact or
small beside the result: m / b below NEAR is not reduced, and from there on u is at most 1/8 until the result passes
1/2, where its ulp doubles.

The error is at most 1.00 ulp, relative to results of 200 bits for 7e5 arguments and of 64 bits for 4e7, dense where the
reduction changes.
"""

import math

from driving_sandbox.physics.kernel.bits import pick
from driving_sandbox.physics.kernel.elementary import (
    HALF_PI,
    HALF_PI_LOW,
    QUARTER_PI,
    QUARTER_PI_LOW,
    series_of_eight,
)
from driving_sandbox.physics.kernel.inline import inline_kernel

NEAR, FAR = 0.258, 0.64  # limits of m / b between 0, MIDDLE and 1 as the k in use
# The arctangent of MIDDLE has few bits: it is exact within 3e-20, and so is pi/2 less it.
MIDDLE, ATAN_MIDDLE = 0.3949488982602051, 0.3761444091796875
SERIES = (  # minimax polynomial for |u| <= NEAR, as those of elementary.py
    -0.3333333333333204, 0.19999999999366366, -0.14285714179641418, 0.11111102508290117, -0.09090521964884105,
    0.07682103024430843, -0.06508979128237855, 0.045375802525988905,
)  # fmt: skip


@inline_kernel
def quick_atan(x: float) -> float:
    """Arctangent, rad, from -pi/2 to pi/2."""
    a = abs(x)
    steep = a > 1.0
    m, b = pick(steep, 1.0, a), pick(steep, a, 1.0)
    near, far = m < NEAR * b, m > FAR * b
    k = pick(near, 0.0, pick(far, 1.0, MIDDLE))
    u = pick(near, m, m - k * b) / (b + k * m)  # b may be infinite, and 0 b NaN
    z = u * u
    u = pick(steep, -u, u)
    known = pick(near, 0.0, pick(far, QUARTER_PI, ATAN_MIDDLE))
    low = pick(far, QUARTER_PI_LOW, pick(steep, HALF_PI_LOW, 0.0))
    high = pick(steep, HALF_PI - known, known)
    return math.copysign(high + (u + ((u * z) * series_of_eight(SERIES, z) + low)), x)
