"""Magic Formula 6.2 for all tires of a vehicle at once, if their sets of coefficients are plain.

A plain set is symmetric and lacks the terms that only some measured sets have: only its coefficients in PLAIN and
ELSEWHERE differ from neutral. It is of version 6.0 to 6.2, and has both carcass stiffnesses. Sets by size and class
(mf62_family.py) are plain.

The equations are those of mf62.py and mf62_tire.py, written without branches, so that the compiler vectorises the loops
over tires; the effects of pressure, and reciprocals, are computed beforehand. The compiler vectorises a loop only if
all its data is in one record, and if the number of repetitions is not a constant.

Parameters of kernels: w, a record of type `lanes`; i, index of the tire; count, number of lanes in use.
"""

import math
from typing import Any

import numpy as np

from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.kernel.bits import pick
from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.physics.kernel.quick_atan import quick_atan
from driving_sandbox.physics.tire.mf62 import FITTYP_6, TINY, bent, cosine_of_atan, sign_or_one
from driving_sandbox.physics.tire.mf62_carcass import (
    damper_share,
    limited_damping,
    present_slip,
    relaxed_deflection,
    rolling_share,
    slip_limit,
    tread_slip,
)
from driving_sandbox.physics.tire.mf62_coefficients import NEUTRAL

LANES = 4  # number of float64 in a vector register of the processor

PLAIN = (  # coefficients that the kernels below use
    "fnomin", "unloaded_radius", "pcx1", "pdx1", "pdx2", "pdx3", "pex1", "pex2", "pkx1", "pkx2", "pkx3", "rbx1", "rbx2",
    "rcx1", "pcy1", "pdy1", "pdy2", "pdy3", "pey1", "pey2", "pky1", "pky2", "pky3", "pky6", "pvy3", "rby1", "rby2",
    "rcy1", "qbz1", "qbz2", "qcz1", "qdz1", "qdz2", "qez1", "qbz9", "qdz8", "ssz2", "qsx2", "qsx3",
    "longitudinal_stiffness", "lateral_stiffness",
)  # fmt: skip
ELSEWHERE = (  # coefficients of rolling resistance and of radii, and those of pressure, which change the others
    "fittyp", "nompres", "longvl", "vertical_stiffness", "q_fz2", "q_fcx", "q_fcy", "pfz1", "q_v1", "q_v2", "q_re0",
    "breff", "dreff", "freff", "qsy1", "qsy2", "qsy3", "qsy4", "qsy5", "qsy6", "qsy7", "qsy8", "ppx1", "ppx2", "ppx3",
    "ppx4", "ppy1", "ppy2", "ppy3", "ppy4", "ppy5", "ppz1", "ppz2", "ppmx1", "pcfx3", "pcfy3", "pty2",
)  # fmt: skip
INVERTED = ("pky2", "longitudinal_stiffness", "lateral_stiffness")  # coefficients whose reciprocals are stored
LANE_INPUTS = (  # constants of a tire: coefficients, reciprocals, slips of the largest forces, carcass damping
    *(name for name in PLAIN if name not in INVERTED), "per_fnomin", "per_pky2", "per_cx", "per_cy", "peak_x", "peak_y",
    "damping_x", "damping_y",
)  # fmt: skip
LANE_RECORD = np.dtype([(name, np.float64) for name in LANE_INPUTS], align=True)
_OF_TIRE = (
    "load", "m", "g", "camber",  # inputs: N; friction, sine of camber (mf62.py); rad
    "speed", "slip_speed_x", "slip_speed_y",  # |v_lon|; longitudinal and lateral sliding speed of the tread, m/s
    "u", "v", "transient",  # updated: deflections of the carcass, m; transient camber, as g
    "spin_mass",  # inertia of the wheel's spin / R^2, kg
    "d", "kx", "ky", "k_upright", "sigma_x", "sigma_y", "a", "kappa",  # as in mf62.py; k_upright: Ky without camber
    "per_ky",  # 1 / ky
    "shift",  # part of H caused by camber
    "mu_x", "mu_y", "mu_upright", "camber_force",  # friction, and without camber; part of V caused by camber, N
    "trail_size", "residual",  # trail without the factor of its curve, m; residual moment, N m
    "z_fx", "e_fx", "z_fy", "z_upright", "e_fy", "z_gx", "z_gy", "z_trail",  # arguments of the curves
    "fx", "fy", "mz", "mx", "trail",  # results, N, N m, m
)  # fmt: skip


def lanes(count: int) -> np.dtype:
    """Record type for the evaluation of `count` tires: an array for each value of a tire."""
    return np.dtype([(name, np.float64, (count,)) for name in (*LANE_INPUTS, *_OF_TIRE)], align=True)


def is_plain(c: dict) -> bool:
    """Whether a complete set of coefficients is plain."""
    if c["fittyp"] < FITTYP_6 or c["longitudinal_stiffness"] <= 0.0 or c["lateral_stiffness"] <= 0.0:
        return False
    others = set(NEUTRAL) - set(PLAIN) - set(ELSEWHERE)
    return all(c[name] == NEUTRAL[name] for name in others)


def lane_inputs(c: dict, e: float, peaks: tuple[float, float], dampings: tuple[float, float]) -> dict[str, float]:
    """{name: value} of LANE_INPUTS.

    Args:
        c: complete set.
        e: relative change of pressure.
        peaks: slip ratio, and tangent of the slip angle, of the largest forces; they limit the deflections.
        dampings: longitudinal and lateral damping of the carcass, N s/m.
    """
    n = {name: c[name] for name in PLAIN}
    stiffness = 1.0 + (c["ppx1"] + c["ppx2"] * e) * e
    mu_x, mu_y = 1.0 + (c["ppx3"] + c["ppx4"] * e) * e, 1.0 + (c["ppy3"] + c["ppy4"] * e) * e
    for names, factor in (
        ("pkx1 pkx2", stiffness), ("pdx1 pdx2", mu_x), ("pdy1 pdy2", mu_y), ("pky1", 1.0 + c["ppy1"] * e),
        ("pky2", 1.0 + c["ppy2"] * e), ("pky6", 1.0 + c["ppy5"] * e), ("qdz1 qdz2", 1.0 - c["ppz1"] * e),
        ("qdz8", 1.0 + c["ppz2"] * e), ("qsx2", 1.0 + c["ppmx1"] * e),
        ("longitudinal_stiffness", 1.0 + c["pcfx3"] * e), ("lateral_stiffness", 1.0 + c["pcfy3"] * e),
    ):  # fmt: skip
        for name in names.split():
            n[name] *= factor
    per_pky2, per_cx, per_cy = (1.0 / n.pop(name) for name in INVERTED)
    return n | {
        "per_fnomin": 1.0 / n["fnomin"], "per_pky2": per_pky2, "per_cx": per_cx, "per_cy": per_cy,
        "peak_x": peaks[0], "peak_y": peaks[1], "damping_x": dampings[0], "damping_y": dampings[1],
    }  # fmt: skip


@inline_kernel
def copy_inputs(n: Any, w: Any, i: int) -> None:
    """Copy the constants of tire i, a LANE_RECORD, into the lanes."""
    w.fnomin[i], w.unloaded_radius[i], w.pcx1[i], w.pdx1[i], w.pdx2[i] = (
        n.fnomin,
        n.unloaded_radius,
        n.pcx1,
        n.pdx1,
        n.pdx2,
    )
    w.pdx3[i], w.pex1[i], w.pex2[i], w.pkx1[i], w.pkx2[i] = n.pdx3, n.pex1, n.pex2, n.pkx1, n.pkx2
    w.pkx3[i], w.rbx1[i], w.rbx2[i], w.rcx1[i], w.pcy1[i] = n.pkx3, n.rbx1, n.rbx2, n.rcx1, n.pcy1
    w.pdy1[i], w.pdy2[i], w.pdy3[i], w.pey1[i], w.pey2[i] = n.pdy1, n.pdy2, n.pdy3, n.pey1, n.pey2
    w.pky1[i], w.pky3[i], w.pky6[i], w.pvy3[i], w.rby1[i] = n.pky1, n.pky3, n.pky6, n.pvy3, n.rby1
    w.rby2[i], w.rcy1[i], w.qbz1[i], w.qbz2[i], w.qcz1[i] = n.rby2, n.rcy1, n.qbz1, n.qbz2, n.qcz1
    w.qdz1[i], w.qdz2[i], w.qez1[i], w.qbz9[i], w.qdz8[i] = n.qdz1, n.qdz2, n.qez1, n.qbz9, n.qdz8
    w.ssz2[i], w.qsx2[i], w.qsx3[i], w.per_fnomin[i], w.per_pky2[i] = n.ssz2, n.qsx2, n.qsx3, n.per_fnomin, n.per_pky2
    w.per_cx[i], w.per_cy[i], w.peak_x[i], w.peak_y[i], w.damping_x[i] = (
        n.per_cx,
        n.per_cy,
        n.peak_x,
        n.peak_y,
        n.damping_x,
    )
    w.damping_y[i] = n.damping_y


@inline_kernel
def stiffness(w: Any, count: int) -> None:
    """Write slip stiffnesses and relaxation lengths."""
    for i in range(count):
        load = w.load[i]
        load_ratio = load * w.per_fnomin[i]
        d = load_ratio - 1.0
        kx = load * (w.pkx1[i] + w.pkx2[i] * d) * elementary.exp(w.pkx3[i] * d)
        x = load_ratio * w.per_pky2[i]
        upright = w.pky1[i] * w.fnomin[i] * (2.0 * x) / (1.0 + x * x)
        ky = upright * (1.0 - w.pky3[i] * abs(w.g[i])) + TINY
        w.d[i], w.kx[i], w.ky[i], w.per_ky[i], w.k_upright[i] = d, kx, ky, 1.0 / ky, upright
        w.sigma_x[i], w.sigma_y[i] = kx * w.per_cx[i], ky * w.per_cy[i]


@inline_kernel
def deflect(w: Any, count: int, dt: float) -> None:
    """Advance the carcasses' deflections and transient camber by a step, and write the slips kappa and a."""
    for i in range(count):
        speed, vx, vy = w.speed[i], w.slip_speed_x[i], w.slip_speed_y[i]
        present_x, present_y, rolling = present_slip(vx, speed), present_slip(vy, speed), rolling_share(speed)
        max_x = slip_limit(w.peak_x[i], w.m[i], present_x, rolling)
        max_y = slip_limit(w.peak_y[i], w.m[i], present_y, rolling)
        per_x, per_y = 1.0 / w.sigma_x[i], 1.0 / w.sigma_y[i]
        z_x, z_y = speed * dt * per_x, speed * dt * per_y
        decay_x, decay_y = elementary.exp(-z_x), elementary.exp(-z_y)
        w.u[i] = relaxed_deflection(w.u[i], vx, z_x, decay_x, w.sigma_x[i], dt, max_x)
        w.v[i] = relaxed_deflection(w.v[i], vy, z_y, decay_y, w.sigma_y[i], dt, max_y)
        w.transient[i] = w.g[i] + (w.transient[i] - w.g[i]) * decay_y
        damping_share, damping = damper_share(speed), limited_damping(w.damping_x[i], w.spin_mass[i], dt)
        w.kappa[i] = tread_slip(w.u[i] * per_x, max_x, vx, present_x, rolling)
        w.kappa[i] += damping_share * damping * vx / w.kx[i]
        w.a[i] = tread_slip(w.v[i] * per_y, max_y, vy, present_y, rolling)
        w.a[i] += damping_share * w.damping_y[i] * vy * w.per_ky[i]


@inline_kernel
def fill(w: Any, count: int) -> None:
    """Write friction, shifts and arguments of the curves of forces."""
    for i in range(count):
        load, m, g, d, camber = w.load[i], w.m[i], w.transient[i], w.d[i], w.camber[i]
        mu = (w.pdx1[i] + w.pdx2[i] * d) * (1.0 - w.pdx3[i] * camber * camber)
        w.mu_x[i] = m * pick(mu > 0.0, mu, 0.0)
        mu = w.pdy1[i] + w.pdy2[i] * d
        w.mu_upright[i] = m * pick(mu > 0.0, mu, 0.0)
        mu *= 1.0 - w.pdy3[i] * g * g
        w.mu_y[i] = m * pick(mu > 0.0, mu, 0.0)
        w.camber_force[i] = m * load * w.pvy3[i] * g
        w.shift[i] = (load * w.pky6[i] * g - w.camber_force[i]) * w.per_ky[i]
        w.z_fx[i] = w.kx[i] / (w.pcx1[i] * w.mu_x[i] * load + TINY) * w.kappa[i]
        e = w.pex1[i] + w.pex2[i] * d
        w.e_fx[i] = pick(e > 1.0, 1.0, e)
        w.z_fy[i] = w.ky[i] / (w.pcy1[i] * w.mu_y[i] * load + TINY) * (w.a[i] + w.shift[i])
        w.z_upright[i] = w.k_upright[i] / (w.pcy1[i] * w.mu_upright[i] * load + TINY) * w.a[i]
        e = w.pey1[i] + w.pey2[i] * d
        w.e_fy[i] = pick(e > 1.0, 1.0, e)
        w.z_gx[i] = w.rbx1[i] * cosine_of_atan(w.rbx2[i] * w.kappa[i]) * w.a[i]
        w.z_gy[i] = w.rby1[i] * cosine_of_atan(w.rby2[i] * w.a[i]) * w.kappa[i]


@inline_kernel
def fill_moments(w: Any, count: int) -> None:
    """Write the argument of the trail's curve, the trail's size, and the residual moment."""
    for i in range(count):
        load, m, a, d = w.load[i], w.m[i], w.a[i], w.d[i]
        per_m, longitudinal = 1.0 / m, w.kx[i] * w.kappa[i] * w.per_ky[i]
        w.z_trail[i] = (
            (w.qbz1[i] + w.qbz2[i] * d) * per_m * sign_or_one(a) * math.sqrt(a * a + longitudinal * longitudinal)
        )
        slip = a + w.shift[i] + w.camber_force[i] * w.per_ky[i]  # of the residual moment
        weighting, cosine = (
            cosine_of_atan(w.qbz9[i] * per_m * math.sqrt(slip * slip + longitudinal * longitudinal)),
            cosine_of_atan(a),
        )
        w.trail_size[i] = load * w.per_fnomin[i] * w.unloaded_radius[i] * (w.qdz1[i] + w.qdz2[i] * d) * cosine
        w.residual[i] = m * load * w.unloaded_radius[i] * w.qdz8[i] * w.transient[i] * cosine * weighting


@inline_kernel
def prepare(w: Any, count: int, dt: float) -> None:
    """Advance deflections by a step, and write all arguments of the curves. Load and friction must be above 0."""
    stiffness(w, count)
    deflect(w, count, dt)
    fill(w, count)
    fill_moments(w, count)


@inline_kernel
def finish(w: Any, count: int) -> None:
    """Compute the curves, and write forces, moments and trail, as when rolling forward.

    A loop computes one step of all curves instead of all steps of one: these do not wait for each other, so the
    processor overlaps them. Up to the last loop, a curve's angle is in the place of its argument.
    """
    for i in range(count):
        w.z_fx[i], w.z_fy[i] = bent(w.z_fx[i], w.e_fx[i]), bent(w.z_fy[i], w.e_fy[i])
        w.z_upright[i], w.z_trail[i] = bent(w.z_upright[i], w.e_fy[i]), bent(w.z_trail[i], w.qez1[i])
        w.z_gx[i], w.z_gy[i] = w.rcx1[i] * quick_atan(w.z_gx[i]), w.rcy1[i] * quick_atan(w.z_gy[i])
    for i in range(count):
        w.z_fx[i], w.z_fy[i] = w.pcx1[i] * quick_atan(w.z_fx[i]), w.pcy1[i] * quick_atan(w.z_fy[i])
        w.z_upright[i], w.z_trail[i] = w.pcy1[i] * quick_atan(w.z_upright[i]), w.qcz1[i] * quick_atan(w.z_trail[i])
    for i in range(count):
        load, radius = w.load[i], w.unloaded_radius[i]
        sine_x, sine_y = elementary.full_sin(w.z_fx[i]), elementary.full_sin(w.z_fy[i])
        sine_upright, cosine_trail = elementary.full_sin(w.z_upright[i]), elementary.full_cos(w.z_trail[i])
        weighting_x, weighting_y = elementary.full_cos(w.z_gx[i]), elementary.full_cos(w.z_gy[i])
        fx = w.mu_x[i] * load * sine_x * pick(weighting_x > 0.0, weighting_x, 0.0)
        weighting_y = pick(weighting_y > 0.0, weighting_y, 0.0)
        fy = weighting_y * (w.mu_y[i] * load * sine_y + w.camber_force[i])
        lateral_ratio, trail = fy * w.per_fnomin[i], w.trail_size[i] * cosine_trail
        trail_moment = trail * weighting_y * w.mu_upright[i] * load * sine_upright
        w.mz[i] = w.residual[i] - trail_moment + radius * w.ssz2[i] * lateral_ratio * fx
        w.mx[i] = radius * load * (w.qsx3[i] * lateral_ratio - w.qsx2[i] * w.camber[i])
        w.fx[i], w.fy[i], w.trail[i] = fx, fy, trail
