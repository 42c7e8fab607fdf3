"""Magic Formula 6.2 without turn slip: forces and moments of one tire from load, slips, camber, pressure and friction.

Axes: x forward, y right, z down. kappa: slip ratio. a = -tan(slip angle): a > 0 causes Fy > 0. g = sin(camber), > 0
with the top to the right. Mz > 0 turns the wheel to the right, Mx > 0 tilts its top to the right.

d = Fz / F0 - 1, e = p / p0 - 1. m: the road's friction divided by that of the measurement. [N] stands for N1 + N2 d
(+ N3 d^2). W(z, E) = atan(z - E (z - atan z)), with every E limited to 1:

    Kx = Fz [PKX] exp(PKX3 d) (1 + PPX1 e + PPX2 e^2)                                 x = kappa + [PHX]
    Ky = PKY1 F0 (1 + PPY1 e) (1 - PKY3 |g|) sin(PKY4 atan(Fz / F0 / ((PKY2 + PKY5 g^2)(1 + PPY2 e))))
    mu_x = m [PDX] (1 + PPX3 e + PPX4 e^2)(1 - PDX3 camber^2)      mu_y the same with PDY, PPY3, PPY4 and g
    Fx0 = mu_x Fz sin(PCX1 W(Bx x, Ex)) + m Fz [PVX]               Bx = Kx / (PCX1 mu_x Fz)
    Fy0 = mu_y Fz sin(PCY1 W(By y, Ey)) + V                        By = Ky / (PCY1 mu_y Fz)
    V = m Fz ([PVY] + [PVY3, PVY4] g)                              y = a + H
    H = [PHY] + (Fz [PKY6, PKY7] (1 + PPY5 e) - m Fz [PVY3, PVY4]) g / Ky
    G(z, h, B, C, E) = cos(C W(B (z + h), E)) / cos(C W(B h, E)), at least 0
    Fx = Fx0 G(a, ...)       Fy = G(kappa, ...) Fy0 + force of longitudinal slip
    Mz = -t G Fy0(upright) + residual moment + arm Fx        Mx: function of load, camber and Fy

The remaining terms are in the kernels below, with the book's symbols; sets of version 5.2 have H = [PHY] + PHY3 g and
formulas of their own for relaxation lengths. Kx, Ky and H do not depend on m, except for the term with PVY3. (Pacejka,
Tire and Vehicle Dynamics, ch. 4.3; Besselink, Schmeitz, Pacejka 2010, doi 10.1080/00423111003748088.)

Many tires, or many slips of one, are evaluated in parallel:

1. For every tire, `stiffness` and `fill` write the arguments of all curves into arrays.
2. `evaluate_curves` computes all sines and cosines in two branch-free loops, which the compiler vectorises.
3. For every tire, `finish` combines them into forces and moments.

Parameters of the kernels, besides the symbols above:

    c, w     records of COEFFICIENTS and of type `lanes`
    i        index of the tire
    load     Fz, N
"""

import math
from typing import Any

import numpy as np

from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.kernel.bits import pick
from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.kernel.quick_atan import quick_atan

TINY = 1e-6  # N or N/rad, added to denominators
FITTYP_6 = 60.0  # FITTYP from which on a set is of version 6.0 to 6.2, below of 5.2
TWO_OVER_PI = 2.0 / math.pi

FX, FY, UPRIGHT = range(3)  # curves that are a sine: Fx0, Fy0, and Fy0 without camber
GX, GY, TRAIL = range(3)  # curves that are a cosine: G of Fx, G of Fy, trail
CURVES = 3  # number of sine curves, and of cosine curves

_OF_TIRE = (
    "load", "kappa", "a", "g", "camber", "e", "m",  # inputs: Fz in N; symbols as above; camber in rad
    "kx", "ky", "upright", "sigma_x", "sigma_y",  # Kx, Ky, Ky without camber; relaxation lengths, m
    "mu_x", "mu_y", "by", "shift_x", "shift_y", "shift_upright",  # shifts: V of Fx, of Fy, and without camber, N
    "weight_x", "weight_y",  # 1 / cos(C W(B h, E)), the inverse of the denominator of G
    "fx", "fy", "mz", "mx", "trail",  # results, N, N m, m
)  # fmt: skip


def lanes(count: int) -> np.dtype:
    """Record type for the evaluation of `count` tires: an array for each value of a tire or of its curves."""
    curves = [(f"{name}_{kind}", np.float64, (CURVES * count,)) for kind in ("sine", "cosine")
              for name in ("z", "shape", "curvature", "value")]  # fmt: skip
    return np.dtype([(name, np.float64, (count,)) for name in _OF_TIRE] + curves, align=True)


@inline_kernel
def sign_or_one(x: float) -> float:
    """Sign of x, 1 at 0."""
    return pick(x < 0.0, -1.0, 1.0)


@inline_kernel
def cosine_of_atan(x: float) -> float:
    """cos(atan x), computed without trigonometric functions."""
    return 1.0 / math.sqrt(1.0 + x * x)


@inline_kernel
def bent(z: float, curvature: float) -> float:
    """z - E (z - atan z), the argument of the arctangent in W."""
    return z - curvature * (z - quick_atan(z))


@inline_kernel
def curve_angle(z: float, shape: float, curvature: float) -> float:
    """C W(z, E), the angle whose sine or cosine a curve is, rad."""
    return shape * quick_atan(bent(z, curvature))


@inline_kernel
def sine_over_load(c: Any, x: float) -> Any:
    """sin(PKY4 atan x): dependence of Ky on load. x: load divided by that of the largest Ky."""
    if c.pky4 == 2.0:
        return 2.0 * x / (1.0 + x * x)
    return elementary.sin(c.pky4 * elementary.atan(x))


@inline_kernel
def cornering_stiffness(c: Any, load: float, g: float, e: float) -> float:
    """Ky, N/rad. load: N."""
    x = load / c.fnomin / ((c.pky2 + c.pky5 * g * g) * (1.0 + c.ppy2 * e))
    return c.pky1 * c.fnomin * (1.0 + c.ppy1 * e) * (1.0 - c.pky3 * abs(g)) * sine_over_load(c, x)


@inline_kernel
def slip_stiffness(c: Any, load: float, e: float) -> float:
    """Kx, N. load: N."""
    d = load / c.fnomin - 1.0
    return load * (c.pkx1 + c.pkx2 * d) * elementary.exp(c.pkx3 * d) * (1.0 + (c.ppx1 + c.ppx2 * e) * e)


@inline_kernel
def carcass_stiffness(stiffness: float, first: float, second: float, pressure: float, d: float, e: float) -> float:
    """Stiffness of the carcass in one direction, N/m.

    stiffness: at F0 and p0, N/m. first, second, pressure: coefficients of d, d^2 and e.
    """
    return stiffness * (1.0 + (first + second * d) * d) * (1.0 + pressure * e)


@inline_kernel
def relaxation_x(c: Any, load: float, kx: float, e: float) -> float:
    """Longitudinal relaxation length, m; 0: none."""
    d = load / c.fnomin - 1.0
    if c.longitudinal_stiffness > 0.0:
        return kx / carcass_stiffness(c.longitudinal_stiffness, c.pcfx1, c.pcfx2, c.pcfx3, d, e)
    return load * (c.ptx1 + c.ptx2 * d) * elementary.exp(c.ptx3 * d) * c.unloaded_radius / c.fnomin


@inline_kernel
def relaxation_y(c: Any, load: float, ky: float, g: float, e: float) -> float:
    """Lateral relaxation length, m; 0: none."""
    if c.lateral_stiffness > 0.0:
        return abs(ky) / carcass_stiffness(c.lateral_stiffness, c.pcfy1, c.pcfy2, c.pcfy3, load / c.fnomin - 1.0, e)
    if c.pty1 == 0.0:
        return 0.0
    x = load / (c.pty2 * c.fnomin)
    return c.pty1 * 2.0 * x / (1.0 + x * x) * (1.0 - c.pky3 * abs(g)) * c.unloaded_radius


@inline_kernel
def friction_x(c: Any, d: float, camber: float, e: float) -> float:
    """mu_x on a road of friction 1."""
    mu = (c.pdx1 + c.pdx2 * d) * (1.0 + (c.ppx3 + c.ppx4 * e) * e) * (1.0 - c.pdx3 * camber * camber)
    return max(0.0, mu)


@inline_kernel
def friction_y(c: Any, d: float, g: float, e: float) -> float:
    """mu_y on a road of friction 1."""
    return max(0.0, (c.pdy1 + c.pdy2 * d) * (1.0 + (c.ppy3 + c.ppy4 * e) * e) * (1.0 - c.pdy3 * g * g))


@inline_kernel
def stiffness(c: Any, w: Any, i: int) -> None:
    """Write slip stiffnesses and relaxation lengths of tire i from its load, camber and pressure."""
    load, g, e = w.load[i], w.g[i], w.e[i]
    w.kx[i] = slip_stiffness(c, load, e)
    w.ky[i] = cornering_stiffness(c, load, g, e)
    w.upright[i] = w.ky[i] if g == 0.0 else cornering_stiffness(c, load, 0.0, e)
    w.sigma_x[i] = relaxation_x(c, load, w.kx[i], e)
    w.sigma_y[i] = relaxation_y(c, load, w.ky[i], g, e)


@inline_kernel
def put_sine(w: Any, k: int, z: float, shape: float, curvature: float) -> None:
    """Write the arguments of the sine curve k; curvature is limited to 1."""
    w.z_sine[k], w.shape_sine[k], w.curvature_sine[k] = z, shape, min(curvature, 1.0)


@inline_kernel
def put_cosine(w: Any, k: int, z: float, shape: float, curvature: float) -> None:
    """Write the arguments of the cosine curve k; curvature is limited to 1."""
    w.z_cosine[k], w.shape_cosine[k], w.curvature_cosine[k] = z, shape, min(curvature, 1.0)


@inline_kernel
def nonzero(ky: float) -> float:
    """Ky, moved away from 0, for denominators."""
    return ky + TINY * sign_or_one(ky)


@inline_kernel
def fill_longitudinal(c: Any, w: Any, i: int, count: int) -> None:
    """Write the curves of Fx0 and of its weighting by lateral slip."""
    load, kappa, a, g, m = w.load[i], w.kappa[i], w.a[i], w.g[i], w.m[i]
    d = load / c.fnomin - 1.0
    x = kappa + c.phx1 + c.phx2 * d
    w.mu_x[i] = m * friction_x(c, d, w.camber[i], w.e[i])
    w.shift_x[i] = m * load * (c.pvx1 + c.pvx2 * d)
    curvature = (c.pex1 + (c.pex2 + c.pex3 * d) * d) * (1.0 - c.pex4 * sign_or_one(x))
    put_sine(w, FX * count + i, w.kx[i] / (c.pcx1 * w.mu_x[i] * load + TINY) * x, c.pcx1, curvature)
    b = (c.rbx1 + c.rbx3 * g * g) * cosine_of_atan(c.rbx2 * kappa)
    curvature = min(c.rex1 + c.rex2 * d, 1.0)
    put_cosine(w, GX * count + i, b * (a + c.rhx1), c.rcx1, curvature)
    w.weight_x[i] = 1.0 if c.rhx1 == 0.0 else 1.0 / elementary.cos(curve_angle(b * c.rhx1, c.rcx1, curvature))


@inline_kernel
def fill_lateral(c: Any, w: Any, i: int, count: int) -> None:
    """Write the curves of Fy0, with and without camber, and of its weighting by longitudinal slip."""
    load, kappa, a, g, m, e = w.load[i], w.kappa[i], w.a[i], w.g[i], w.m[i], w.e[i]
    d = load / c.fnomin - 1.0
    upright_shift = c.phy1 + c.phy2 * d  # H without camber
    by_camber = m * load * (c.pvy3 + c.pvy4 * d) * g
    w.shift_upright[i] = m * load * (c.pvy1 + c.pvy2 * d)
    w.shift_y[i] = w.shift_upright[i] + by_camber
    w.mu_y[i] = m * friction_y(c, d, g, e)
    w.by[i] = w.ky[i] / (c.pcy1 * w.mu_y[i] * load + TINY)
    y = a + upright_shift + camber_shift(c, load, g, e, by_camber, w.ky[i])
    curvature = (c.pey1 + c.pey2 * d) * (1.0 + c.pey5 * g * g - (c.pey3 + c.pey4 * g) * sign_or_one(y))
    put_sine(w, FY * count + i, w.by[i] * y, c.pcy1, curvature)
    y = a + upright_shift
    b = w.upright[i] / (c.pcy1 * m * friction_y(c, d, 0.0, e) * load + TINY)
    put_sine(w, UPRIGHT * count + i, b * y, c.pcy1, (c.pey1 + c.pey2 * d) * (1.0 - c.pey3 * sign_or_one(y)))
    b = (c.rby1 + c.rby4 * g * g) * cosine_of_atan(c.rby2 * (a - c.rby3))
    curvature, shift = min(c.rey1 + c.rey2 * d, 1.0), c.rhy1 + c.rhy2 * d
    put_cosine(w, GY * count + i, b * (kappa + shift), c.rcy1, curvature)
    w.weight_y[i] = 1.0 if shift == 0.0 else 1.0 / elementary.cos(curve_angle(b * shift, c.rcy1, curvature))


@inline_kernel
def camber_shift(c: Any, load: float, g: float, e: float, by_camber: float, ky: float) -> float:
    """Part of H caused by camber. by_camber: part of V caused by camber, N. ky: N/rad."""
    if c.fittyp < FITTYP_6:
        return c.phy3 * g
    stiffness = load * (c.pky6 + c.pky7 * (load / c.fnomin - 1.0)) * (1.0 + c.ppy5 * e)
    return (stiffness * g - by_camber) / nonzero(ky)


@inline_kernel
def equivalent(w: Any, i: int, slip: float) -> float:
    """Lateral slip equivalent to lateral and longitudinal slip together, for the moments. slip: tan of a slip angle."""
    longitudinal = w.kx[i] * w.kappa[i] / nonzero(w.ky[i])
    return sign_or_one(slip) * math.sqrt(slip * slip + longitudinal * longitudinal)


@inline_kernel
def fill_trail(c: Any, w: Any, i: int, count: int) -> None:
    """Write the curve of the pneumatic trail."""
    a, g = w.a[i], w.g[i]
    d = w.load[i] / c.fnomin - 1.0
    slip = a + c.qhz1 + c.qhz2 * d + (c.qhz3 + c.qhz4 * d) * g
    b = (c.qbz1 + (c.qbz2 + c.qbz3 * d) * d) * (1.0 + c.qbz4 * g + c.qbz5 * abs(g)) / w.m[i]
    curvature, asymmetry = c.qez1 + (c.qez2 + c.qez3 * d) * d, c.qez4 + c.qez5 * g
    if asymmetry != 0.0:
        curvature *= 1.0 + asymmetry * TWO_OVER_PI * elementary.atan(b * c.qcz1 * slip)
    put_cosine(w, TRAIL * count + i, b * equivalent(w, i, slip), c.qcz1, curvature)


@inline_kernel
def fill(c: Any, w: Any, i: int, count: int) -> None:
    """Write all curves of tire i of `count`; without load or friction, where forces are 0, write placeholders."""
    if w.load[i] > 0.0 and w.m[i] > 0.0:
        fill_longitudinal(c, w, i, count)
        fill_lateral(c, w, i, count)
        fill_trail(c, w, i, count)
        return
    for curve in range(CURVES):
        put_sine(w, curve * count + i, 0.0, 1.0, 0.0)
        put_cosine(w, curve * count + i, 0.0, 1.0, 0.0)


@inline_kernel
def evaluate_curves(w: Any, count: int) -> None:
    """Compute the curves of `count` tires."""
    for k in range(CURVES * count):
        w.value_sine[k] = elementary.full_sin(curve_angle(w.z_sine[k], w.shape_sine[k], w.curvature_sine[k]))
    for k in range(CURVES * count):
        w.value_cosine[k] = elementary.full_cos(curve_angle(w.z_cosine[k], w.shape_cosine[k], w.curvature_cosine[k]))


@inline_kernel
def force_of_slip(c: Any, w: Any, i: int, d: float) -> float:
    """Lateral force caused by longitudinal slip, N."""
    amplitude = c.rvy1 + c.rvy2 * d + c.rvy3 * w.g[i]
    if amplitude == 0.0:
        return 0.0
    amplitude *= w.mu_y[i] * w.load[i] * cosine_of_atan(c.rvy4 * w.a[i])
    return amplitude * elementary.sin(c.rvy5 * elementary.atan(c.rvy6 * w.kappa[i]))


@inline_kernel
def residual_moment(c: Any, w: Any, i: int, d: float) -> float:
    """Residual moment of tire i when it rolls forward, N m."""
    a, g, m = w.a[i], w.g[i], w.m[i]
    shift = c.phy1 + c.phy2 * d + camber_shift(c, w.load[i], g, w.e[i], w.shift_y[i] - w.shift_upright[i], w.ky[i])
    slip = a + shift + w.shift_y[i] / nonzero(w.ky[i])
    amplitude = c.qdz6 + c.qdz7 * d + (c.qdz8 + c.qdz9 * d) * (1.0 + c.ppz2 * w.e[i]) * g
    amplitude += (c.qdz10 + c.qdz11 * d) * g * abs(g)
    amplitude *= m * w.load[i] * c.unloaded_radius * cosine_of_atan(a)
    return amplitude * cosine_of_atan((c.qbz9 / m + c.qbz10 * w.by[i] * c.pcy1) * equivalent(w, i, slip))


@inline_kernel
def overturning_moment(c: Any, load: float, camber: float, e: float, fy: float) -> float:
    """Mx, N m. load, fy: N. camber: rad."""
    load_ratio, lateral = load / c.fnomin, fy / c.fnomin
    # terms proportional to load, divided by R0 Fz
    relative = c.qsx1 - c.qsx2 * camber * (1.0 + c.ppmx1 * e) + c.qsx3 * lateral - c.qsx12 * camber * abs(camber)
    if c.qsx4 != 0.0:
        x = c.qsx6 * load_ratio
        sine = elementary.sin(c.qsx7 * camber + c.qsx8 * elementary.atan(c.qsx9 * lateral))
        relative += c.qsx4 * elementary.cos(c.qsx5 * elementary.atan(x * x)) * sine
    if c.qsx10 != 0.0:
        relative += c.qsx10 * elementary.atan(c.qsx11 * load_ratio) * camber
    return c.unloaded_radius * (load * relative + fy * (c.qsx13 + c.qsx14 * abs(camber)))


@inline_kernel
def finish(c: Any, w: Any, i: int, count: int) -> None:
    """Write forces, moments and trail of tire i, as when it rolls forward."""
    load, m, g = w.load[i], w.m[i], w.g[i]
    if not (load > 0.0 and m > 0.0):
        w.fx[i], w.fy[i], w.mz[i], w.mx[i], w.trail[i] = 0.0, 0.0, 0.0, 0.0, 0.0
        return
    d = load / c.fnomin - 1.0
    weighting = max(0.0, w.value_cosine[GX * count + i] * w.weight_x[i])  # G of Fx
    w.fx[i] = weighting * (w.mu_x[i] * load * w.value_sine[FX * count + i] + w.shift_x[i])
    weighting = max(0.0, w.value_cosine[GY * count + i] * w.weight_y[i])  # G of Fy
    fy = weighting * (w.mu_y[i] * load * w.value_sine[FY * count + i] + w.shift_y[i]) + force_of_slip(c, w, i, d)
    upright = m * friction_y(c, d, 0.0, w.e[i]) * load * w.value_sine[UPRIGHT * count + i] + w.shift_upright[i]
    amplitude = load * c.unloaded_radius / c.fnomin * (c.qdz1 + c.qdz2 * d) * (1.0 - c.ppz1 * w.e[i])
    amplitude *= (1.0 + c.qdz3 * abs(g) + c.qdz4 * g * g) * cosine_of_atan(w.a[i])
    w.trail[i] = amplitude * w.value_cosine[TRAIL * count + i]
    arm = c.ssz1 + c.ssz2 * fy / c.fnomin + (c.ssz3 + c.ssz4 * d) * g
    w.mz[i] = -w.trail[i] * weighting * upright + residual_moment(c, w, i, d) + c.unloaded_radius * arm * w.fx[i]
    w.mx[i] = overturning_moment(c, load, w.camber[i], w.e[i], fy)
    w.fy[i] = fy


@kernel
def power(base: float, exponent: float) -> float:
    """base^exponent of a positive base, by exponential and logarithm."""
    return elementary.exp(exponent * logarithm(base))


@kernel
def logarithm(x: float) -> float:
    """ln x of a positive number, by Newton's method on the exponential."""
    mantissa, exponent = math.frexp(x)  # start: log2 x, linear between powers of two
    y = (exponent + 2.0 * (mantissa - 1.0)) * elementary.LN_2
    for _ in range(5):  # each about squares the error
        y += x * elementary.exp(-y) - 1.0
    return y


@inline_kernel
def resistance(c: Any, load: float, fx: float, camber: float, speed: float) -> float:
    """Rolling resistance moment divided by R0 F0, without the powers of load and pressure.

    load, fx: load and longitudinal force, divided by F0. camber: rad. speed: m/s.
    """
    v = abs(speed) / c.longvl
    upright = c.qsy1 + c.qsy2 * fx + c.qsy3 * v + c.qsy4 * v * v * v * v
    return upright + (c.qsy5 + c.qsy6 * load) * camber * camber


@kernel
def rolling_moment(c: Any, load: float, fx: float, camber: float, e: float, speed: float) -> float:
    """Magnitude of the rolling resistance moment My, N m. load, fx: N. camber: rad. e: p / p0 - 1. speed: m/s."""
    if not load > 0.0:
        return 0.0
    load_ratio = load / c.fnomin
    base_moment = c.unloaded_radius * c.fnomin * resistance(c, load_ratio, fx / c.fnomin, camber, speed)
    return base_moment * power(load_ratio, c.qsy7) * power(1.0 + e, c.qsy8)


@kernel
def free_radius(c: Any, omega: float) -> float:
    """Radius of the tire without load at a spin rate (rad/s), m."""
    v = omega * c.unloaded_radius / c.longvl
    return c.unloaded_radius * (c.q_re0 + c.q_v1 * v * v)


@kernel
def deflection(c: Any, load: float, fx: float, fy: float, e: float, omega: float) -> float:
    """Vertical deflection of the tire, m. load, fx, fy: N. omega: spin rate, rad/s."""
    x, y = c.q_fcx * fx / c.fnomin, c.q_fcy * fy / c.fnomin
    stiffening = 1.0 + c.q_v2 * c.unloaded_radius * abs(omega) / c.longvl - x * x - y * y
    relative_load = max(load, 0.0) / (c.fnomin * stiffening * (1.0 + c.pfz1 * e))
    rate = c.vertical_stiffness * c.unloaded_radius / c.fnomin
    # solve relative_load = linear x + q_fz2 x^2 for x = deflection / R0, where the slope at F0 is `rate`
    linear = math.sqrt(rate * rate - 4.0 * c.q_fz2)
    root = math.sqrt(linear * linear + 4.0 * c.q_fz2 * relative_load)
    return 2.0 * relative_load * c.unloaded_radius / (linear + root)


@kernel
def effective_radius(c: Any, load: float, e: float, omega: float) -> float:
    """Effective rolling radius, m: speed divided by spin rate of a freely rolling tire. load: N. omega: rad/s."""
    load_ratio = max(load, 0.0) / c.fnomin
    fall = c.freff * load_ratio + c.dreff * elementary.atan(c.breff * load_ratio)
    return free_radius(c, omega) - c.fnomin / (c.vertical_stiffness * (1.0 + c.pfz1 * e)) * fall
