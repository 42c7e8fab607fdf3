"""Elementary functions (sine, arctangent, exponential ...) from basic operations, bit-identical on every machine.

The C library's functions differ between versions and processors: with and without fused multiply-add, sin differs in
0.08 % of all arguments, and one such bit makes drives diverge within seconds. Those below consist of + - * / and sqrt,
which IEEE 754 rounds exactly, of comparisons and of bit operations. The order of operations is part of the result:
(a + b) + c is not a + (b + c).

The functions `full_...` have no branches, so that loops over them are vectorised. `sin`, `cos`, `sincos`, `atan` and
`asin` are for single values: for small arguments they skip the steps that do not change their results.

Errors relative to results of 200 bits: sin, cos 0.77 ulp; tan 1.04; atan, atan2 0.79; asin 0.69; acos 0.66; exp 0.87;
hypot 1.17. Special values as in C, except that angles beyond 2^30 rad give NaN (their error grows beyond 1e5 rad) and
that `hypot` squares its arguments: they must lie between 1e-150 and 1e150 or be 0.

Coefficients: minimax polynomials of the relative error by Remez' algorithm, rounded one at a time with the others
fitted again. Numbers with a second, `_LOW` part are sums of two float64. Constants are literals, as `math.sin(0.5)`
would be computed by the C library.
"""

import math

from driving_sandbox.physics.kernel.bits import bits, from_bits, pick
from driving_sandbox.physics.kernel.inline import inline_kernel

# Version of the functions below and of quick_atan.py, to be raised when any bit of a result changes; recordings have it
ARITHMETIC = 2
NAN = math.nan
WHOLE = 1.5 * 2.0**52  # x + WHOLE has x rounded to an integer in its lowest bits
HALF_OF_BITS = -(1 << 27)  # keeps 26 of the 53 bits of a float64: products of two such are exact
ONE_BITS = 0x3FF0000000000000  # bits of 1.0

PI, PI_LOW = 3.141592653589793, 1.2246467991473532e-16
HALF_PI, HALF_PI_LOW = 1.5707963267948966, 6.123233995736766e-17
QUARTER_PI, QUARTER_PI_LOW = 0.7853981633974483, 3.061616997868383e-17
ATAN_HALF, ATAN_HALF_LOW = 0.4636476090008061, 2.2698777452961687e-17

QUARTERS_PER_RADIAN = 0.6366197723675814  # quarter turns per rad
# A quarter turn as the sum of three parts. The first two have 37 bits, so that up to 65536 times them is exact.
QUARTER_1 = float.fromhex("0x1.921fb54440000p+0")
QUARTER_2 = float.fromhex("0x1.68c234c4c0000p-39")
QUARTER_3 = float.fromhex("0x1.98a2e03707345p-77")
LARGEST_ANGLE = 2.0**30  # rad; the result beyond is NaN
UNREDUCED = 0.78  # rad, less than an eighth of a turn: angles up to it need no reduction by quarter turns
TINY_TANGENT = 2.0**-500  # rad; below it the tangent is the angle itself, and powers of the angle underflow

# Coefficients of the series below, of rising powers
SIN = (
    -0.1666666666666663, 0.00833333333332184, -0.00019841269829358528, 2.7557313538513688e-06,
    -2.5050734389018633e-08, 1.5895433265578796e-10,
)  # fmt: skip
COS = (
    0.041666666666666595, -0.0013888888888873342, 2.480158728900208e-05, -2.7557314217038707e-07,
    2.087570539599327e-09, -1.1358749261390272e-11,
)  # fmt: skip
ATAN = (
    -0.3333333333333254, 0.19999999999585574, -0.14285714211855127, 0.11111104734629142, -0.0909060370206407,
    0.07683742834007014, -0.06525946663244007, 0.04608399285980093,
)  # fmt: skip
ASIN = (
    0.1666666666666676, 0.07499999999970865, 0.044642857174565884, 0.030381942709458813, 0.022372214949804264,
    0.01735161262036548, 0.013980813192750605, 0.011398978556077398, 0.010779832439858349, 0.003708158664319783,
    0.02170305235839514, -0.020993328352936595, 0.032625964627687416,
)  # fmt: skip
EXP = (
    0.5000000000000011, 0.16666666666666452, 0.041666666666527255, 0.00833333333347177, 0.0013888888944233256,
    0.00019841269551835355, 2.4801492580396795e-05, 2.7557548507238043e-06, 2.763040670780626e-07,
    2.501142169611817e-08,
)  # fmt: skip

DOUBLINGS_PER_ONE = 1.4426950408889634  # 1 / ln 2, binary exponent of e
LN_2, LN_2_LOW = float.fromhex("0x1.62e42fefa2000p-1"), float.fromhex("0x1.9ef35793c7673p-41")
LARGEST_EXPONENT = 1000.0  # larger arguments of exp are clipped to this: the result is infinity, or 0 if negative
EXPONENT_BIAS = 1023  # a float64 stores this plus its exponent
EXPONENT_SHIFT = 52  # bits of a float64 below the exponent's
SAFE_DIVISOR = 2.0**-300  # added to a root that may be 0; changes no other root


@inline_kernel
def _upper(x: float) -> float:
    """The number with the lower 27 bits of its significand set to 0."""
    return from_bits(bits(x) & HALF_OF_BITS)


@inline_kernel
def _remainder(n: float, q: float, d: float) -> float:
    """n - q d, with the product computed exactly."""
    q_up, d_up = _upper(q), _upper(d)
    q_low, d_low = q - q_up, d - d_up
    return ((n - q_up * d_up) - q_up * d_low - q_low * d_up) - q_low * d_low


@inline_kernel
def _reduced(x: float) -> tuple[float, float, float]:
    """(t, r, low) with r + low = x - n quarter turns, at most an eighth of a turn; the lowest bits of t are n."""
    t = x * QUARTERS_PER_RADIAN + WHOLE
    n = t - WHOLE
    a = x - n * QUARTER_1
    b = n * QUARTER_2
    c = a - b
    w = n * QUARTER_3 - ((a - c) - b)
    r = c - w
    return t, r, (c - r) - w


@inline_kernel
def _sine_series(z: float) -> float:
    """(sin r - r) / r^3 for z = r^2."""
    zz = z * z
    return (SIN[0] + z * SIN[1]) + zz * ((SIN[2] + z * SIN[3]) + zz * (SIN[4] + z * SIN[5]))


@inline_kernel
def _cosine_series(z: float) -> float:
    """(cos r - 1 + r^2 / 2) / r^4 for z = r^2."""
    zz = z * z
    return (COS[0] + z * COS[1]) + zz * ((COS[2] + z * COS[3]) + zz * (COS[4] + z * COS[5]))


@inline_kernel
def _sine_rest(r: float, low: float) -> float:
    """sin(r + low) - r."""
    z = r * r
    return (r * z) * _sine_series(z) + low * (1.0 - 0.5 * z)


@inline_kernel
def _cosine_parts(r: float, low: float) -> tuple[float, float]:
    """(v, rest): cos(r + low) = v + rest."""
    z = r * r
    h = 0.5 * z
    v = 1.0 - h
    return v, ((1.0 - v) - h) + ((z * z) * _cosine_series(z) - r * low)


@inline_kernel
def _odd(t: float) -> bool:
    """Whether n is odd; t: see `_reduced`. The lowest bit of t becomes the sign of 1.0."""
    return from_bits((bits(t) << 63) | ONE_BITS) < 0.0


@inline_kernel
def _half_turn_sign(t: float) -> float:
    """1.0, or -1.0 for n = 2 or 3 modulo 4; t: see `_reduced`. The second lowest bit of t becomes the sign of 1.0."""
    return from_bits(((bits(t) & 2) << 62) | ONE_BITS)


@inline_kernel
def full_sincos(x: float) -> tuple[float, float]:
    """(sine, cosine) of an angle, rad."""
    t, r, low = _reduced(x)
    sine = math.copysign(r + _sine_rest(r, low), r)
    v, rest = _cosine_parts(r, low)
    cosine = v + rest
    odd, ok = _odd(t), abs(x) < LARGEST_ANGLE
    s = pick(odd, cosine, sine) * _half_turn_sign(t)
    c = pick(odd, sine, cosine) * _half_turn_sign(t + 1.0)
    return pick(ok, s, NAN), pick(ok, c, NAN)


@inline_kernel
def full_sin(x: float) -> float:
    """Sine of an angle, rad."""
    return full_sincos(x)[0]


@inline_kernel
def full_cos(x: float) -> float:
    """Cosine of an angle, rad."""
    return full_sincos(x)[1]


@inline_kernel
def _short_sin(x: float) -> float:
    """Sine of an angle up to UNREDUCED, rad."""
    return math.copysign(x + _sine_rest(x, 0.0), x)


@inline_kernel
def _short_cos(x: float) -> float:
    """Cosine of an angle up to UNREDUCED, rad."""
    v, rest = _cosine_parts(x, 0.0)
    return v + rest


@inline_kernel
def sin(x: float) -> float:
    """Sine of an angle, rad."""
    if abs(x) <= UNREDUCED:
        return _short_sin(x)
    return full_sin(x)


@inline_kernel
def cos(x: float) -> float:
    """Cosine of an angle, rad."""
    if abs(x) <= UNREDUCED:
        return _short_cos(x)
    return full_cos(x)


@inline_kernel
def sincos(x: float) -> tuple[float, float]:
    """(sine, cosine) of an angle, rad."""
    if abs(x) <= UNREDUCED:
        return _short_sin(x), _short_cos(x)
    return full_sincos(x)


@inline_kernel
def tan(x: float) -> float:
    """Tangent of an angle, rad."""
    t, r, low = _reduced(x)
    rest = _sine_rest(r, low)
    sine = r + rest
    sine_low = (r - sine) + rest
    v, rest = _cosine_parts(r, low)
    cosine = v + rest
    cosine_low = (v - cosine) + rest
    odd = _odd(t)
    numerator, numerator_low = pick(odd, -cosine, sine), pick(odd, -cosine_low, sine_low)
    denominator, denominator_low = pick(odd, sine, cosine), pick(odd, sine_low, cosine_low)
    q = numerator * (1.0 / denominator)
    tangent = q + (_remainder(numerator, q, denominator) + (numerator_low - q * denominator_low)) / denominator
    return pick(abs(x) < TINY_TANGENT, x, pick(abs(x) < LARGEST_ANGLE, tangent, NAN))


@inline_kernel
def series_of_eight(c: tuple[float, ...], z: float) -> float:
    """Series of eight coefficients c of rising powers of z."""
    zz = z * z
    return ((c[0] + z * c[1]) + zz * (c[2] + z * c[3])) + (zz * zz) * ((c[4] + z * c[5]) + zz * (c[6] + z * c[7]))


@inline_kernel
def _atan_series(z: float) -> float:
    """(atan u - u) / u^3 for z = u^2, |u| <= 1/4."""
    return series_of_eight(ATAN, z)


@inline_kernel
def _angle_from(base: float, base_low: float, side: float, m: float, b: float) -> float:
    """base + base_low + side atan(m / b), for 0 <= m <= b and side 1 or -1.

    Computed as the known arctangent of the nearest of 0, 1/2 and 1, plus that of the difference.
    """
    k = pick(4.0 * m < b, 0.0, pick(m > 0.75 * b, 1.0, 0.5))
    known = pick(k == 0.0, 0.0, pick(k == 1.0, QUARTER_PI, ATAN_HALF))
    known_low = pick(k == 0.0, 0.0, pick(k == 1.0, QUARTER_PI_LOW, ATAN_HALF_LOW))
    e = m - k * b
    d = b + k * m
    u = e * (1.0 / d)
    u_low = (_remainder(e, u, d) - u * ((b - d) + k * m)) / d
    known *= side
    high = base + known
    low = ((base - high) + known) + (base_low + side * known_low)
    return high + (side * u + (side * ((u * (u * u)) * _atan_series(u * u) + u_low) + low))


@inline_kernel
def full_atan2(y: float, x: float) -> float:
    """Angle of the point (x, y), rad, from -pi to pi."""
    ax, ay = abs(x), abs(y)
    steep, left = ay > ax, math.copysign(1.0, x) < 0.0
    m, b = pick(steep, ax, ay), pick(steep, ay, ax)  # the smaller and the larger coordinate
    infinite = b == math.inf
    m, b = pick(infinite, pick(m == math.inf, 1.0, 0.0), m), pick(infinite, 1.0, pick(b == 0.0, 1.0, b))
    scale = pick(b > 2.0**1000, 2.0**-60, pick(b < 2.0**400, 2.0**600, 1.0))  # squares neither overflow nor underflow
    base = pick(steep, HALF_PI, pick(left, PI, 0.0))
    base_low = pick(steep, HALF_PI_LOW, pick(left, PI_LOW, 0.0))
    side = pick(steep == left, 1.0, -1.0)
    angle = math.copysign(_angle_from(base, base_low, side, m * scale, b * scale), y)
    return pick((x == x) & (y == y), angle, NAN)


@inline_kernel
def full_atan(x: float) -> float:
    """Arctangent, rad, from -pi/2 to pi/2."""
    return full_atan2(x, 1.0)


@inline_kernel
def atan(x: float) -> float:
    """Arctangent, rad, from -pi/2 to pi/2."""
    if abs(x) < 0.25:
        z = x * x
        return math.copysign(x + (x * z) * _atan_series(z), x)
    return full_atan(x)


@inline_kernel
def atan2(y: float, x: float) -> float:
    """Angle of the point (x, y), rad, from -pi to pi."""
    return full_atan2(y, x)


@inline_kernel
def _asin_series(z: float) -> float:
    """(asin v - v) / v^3 for z = v^2."""
    zz = z * z
    z4 = zz * zz
    return series_of_eight(ASIN, z) + (z4 * z4) * (
        ((ASIN[8] + z * ASIN[9]) + zz * (ASIN[10] + z * ASIN[11])) + z4 * ASIN[12]
    )


@inline_kernel
def _asin_parts(a: float) -> tuple[float, float]:
    """(v, rest): asin a = v + rest for a up to 1/2, and pi/2 - 2 (v + rest) beyond."""
    near = a <= 0.5
    z = pick(near, a * a, abs(0.5 - 0.5 * a))
    root = math.sqrt(z)
    root_low = _remainder(z, root, root) * (0.5 / (root + SAFE_DIVISOR))
    v, v_low = pick(near, a, root), pick(near, 0.0, root_low)
    return v, v_low + (v * z) * _asin_series(z)


@inline_kernel
def _sum_of(base: float, base_low: float, factor: float, v: float, rest: float) -> float:
    """base + base_low + factor (v + rest)."""
    part = factor * v
    high = base + part
    return high + (((base - high) + part) + (base_low + factor * rest))


@inline_kernel
def full_asin(x: float) -> float:
    """Arcsine, rad, from -pi/2 to pi/2; NaN beyond 1."""
    a = abs(x)
    v, rest = _asin_parts(a)
    far = _sum_of(HALF_PI, HALF_PI_LOW, -2.0, v, rest)
    return pick(a <= 1.0, math.copysign(pick(a <= 0.5, v + rest, far), x), NAN)


@inline_kernel
def asin(x: float) -> float:
    """Arcsine, rad, from -pi/2 to pi/2; NaN beyond 1."""
    if abs(x) <= 0.5:
        z = x * x
        return math.copysign(x + (x * z) * _asin_series(z), x)
    return full_asin(x)


@inline_kernel
def acos(x: float) -> float:
    """Arccosine, rad, from 0 to pi; NaN beyond 1."""
    a = abs(x)
    v, rest = _asin_parts(a)
    near, left = a <= 0.5, math.copysign(1.0, x) < 0.0
    base = pick(near, HALF_PI, pick(left, PI, 0.0))
    base_low = pick(near, HALF_PI_LOW, pick(left, PI_LOW, 0.0))
    factor = pick(near, pick(left, 1.0, -1.0), pick(left, -2.0, 2.0))
    return pick(a <= 1.0, _sum_of(base, base_low, factor, v, rest), NAN)


@inline_kernel
def _power_of_two(whole: float) -> float:
    """2^n of a whole float64 n, -1022 <= n <= 1023."""
    return from_bits((bits(whole + WHOLE) + EXPONENT_BIAS) << EXPONENT_SHIFT)


@inline_kernel
def exp(x: float) -> float:
    """e to the power of x."""
    inside = pick(x > LARGEST_EXPONENT, LARGEST_EXPONENT, pick(x < -LARGEST_EXPONENT, -LARGEST_EXPONENT, x))
    n = (inside * DOUBLINGS_PER_ONE + WHOLE) - WHOLE
    a = inside - n * LN_2
    b = n * LN_2_LOW
    r = a - b
    low = (a - r) - b
    z = r * r
    zz = z * z
    series = ((EXP[0] + r * EXP[1]) + z * (EXP[2] + r * EXP[3])) + zz * (
        ((EXP[4] + r * EXP[5]) + z * (EXP[6] + r * EXP[7])) + zz * (EXP[8] + r * EXP[9])
    )
    half = (0.5 * n + WHOLE) - WHOLE  # in two steps: 2^n itself would overflow before the result does
    result = (1.0 + (r + (z * series + low))) * _power_of_two(half) * _power_of_two(n - half)
    return pick(x == x, result, NAN)


@inline_kernel
def hypot(x: float, y: float) -> float:
    """Length of the vector (x, y)."""
    return math.sqrt(x * x + y * y)
