"""Tire of the Magic Formula 5.2, with the coefficients of tire property files (RC-TIRE-02).

With dfz = (Fz - Fz0) / Fz0, angles in rad, slip as a ratio, all scaling factors 1 but that of friction, mu:

    F_x0 = D sin(C atan(B x - E (B x - atan(B x)))) + V                     x = k + H
           D = mu Fz (PDX1 + PDX2 dfz)(1 - PDX3 g^2)      B C D = Fz (PKX1 + PKX2 dfz) exp(PKX3 dfz)
    F_y0 = the same formula                                                 x = a + H
           D = mu Fz (PDY1 + PDY2 dfz)(1 - PDY3 g^2)
           B C D = PKY1 Fz0 sin(2 atan(Fz / (PKY2 Fz0)))(1 - PKY3 |g|)
    combined  F_x = G_x(a, k) F_x0,  F_y = G_y(k, a) F_y0 + S_vyk           G: cosines, 1 where the other slip is 0
    M_z  = -t F_y' + M_zr + s F_x                                           t, M_zr: trail and residual moment

with k the slip ratio, a the slip angle and g the camber (H. B. Pacejka, Tire and Vehicle Dynamics, ch. 4.3; the
remaining terms are in the kernels below, with the book's symbols; B C D of F_x0 is equation 4.E15). t and M_zr are
functions of equivalent slip angles, which include longitudinal slip. Every E is at most 1. Turn slip is left out. Loads
above the one at which a peak force is largest count as that load. Both signs of PKY1 are supported: negative (positive
slip angles push to the left) and positive (to the right). Signs, mirrored tires, relaxation and grip factor are in
`magic_tire.py`.
"""

import math
from typing import Any

from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Bool, Choice, Float, field
from driving_sandbox.physics.tick.component import Component
from driving_sandbox.physics.tire.combined_slip import check as check_standard
from driving_sandbox.physics.tire.combined_slip import slip as standard_slip
from driving_sandbox.physics.tire.magic_tire import (
    MagicTireParams,
    MagicTireState,
    build_up,
    camber_of_set,
    derive_shared,
    store_forces,
    true_slips,
    use_friction,
    with_coefficients,
)
from driving_sandbox.physics.tire.mf52_coefficients import MF52_SET
from driving_sandbox.physics.tire.pacejka_curves import magic, sign_or_one, sine_of_twice_atan

MAX_LOAD_SHARE = 6.0  # largest load / load at rest, for sets whose peak force grows with load without end
SMALLEST = 1e-9  # N or N/rad, smallest peak or stiffness in a denominator

LEAN = 1  # index of `lean` among the options of `shift_side`
SINE = 1  # index of `sine` among the options of `longitudinal_shift`
SHIFT_CAMBER = 0.001  # rad, camber at which shifts reach full size; with a step at 0 a car would not run straight


class ShiftedTireParams(MagicTireParams):
    """Options for the formula's shifts and combined slip."""

    shift_side: Choice = field(options=("wheel", "lean"),
        default="wheel",
        doc="Sign of the shifts PHY1, PHY2, PVY1 and PVY2. wheel: constant (conicity, ply steer); lean: that of the "
            "camber, as in models that make a set symmetric.",
    )  # fmt: skip
    shift_lean: Float = field(
        unit="rad", ge=1e-6, default=SHIFT_CAMBER, suggest=(1e-4, 1e-2),
        doc="Camber at which shifts with `shift_side: lean` reach full size, from 0 without camber. If it is small, a "
            "car driving straight is pushed to the side to which it happens to lean.",
    )  # fmt: skip
    combined_reversal: Bool = field(
        default=False,
        doc="Whether a combined force may point in the direction of its slip, where the weighting cosine is below 0, "
            "at larger slips than are ever measured. Not physical; for comparison with models that allow it.",
    )  # fmt: skip
    longitudinal_shift: Choice = field(options=("force", "sine"),
        default="force",
        doc="Where V of F_x0 is added. force: to F_x0, in N; sine: to the argument of its sine, as if in rad, for "
            "comparison with models that do so.",
    )  # fmt: skip


MF52Params = with_coefficients("MF52Params", ShiftedTireParams, "Coefficients of MF 5.2.", MF52_SET)


@kernel
def longitudinal_stiffness(p: Any, load: float, dfz: float) -> float:
    """Slip stiffness K_x, N."""
    return load * (p.pkx1 + p.pkx2 * dfz) * elementary.exp(p.pkx3 * dfz)


@kernel
def lateral_stiffness(p: Any, load: float, camber: float) -> float:
    """Cornering stiffness K_y, N/rad."""
    return p.pky1 * p.fz0 * sine_of_twice_atan(load / (p.pky2 * p.fz0)) * (1.0 - p.pky3 * abs(camber))


@inline_kernel
def shifted_sine(x: float, stiffness: float, shape: float, peak: float, curvature: float, shift: float) -> float:
    """D sin(C atan(B x - E (B x - atan(B x))) + V): the formula with V inside the sine."""
    if abs(peak) < SMALLEST:
        return 0.0
    bx = stiffness / (shape * peak) * x
    return peak * elementary.sin(shape * elementary.atan(bx - curvature * (bx - elementary.atan(bx))) + shift)


@kernel
def pure_longitudinal(p: Any, slip: float, camber: float, load: float, friction: float) -> float:
    """F_x0 in N. slip: ratio. camber: rad. load: N."""
    dfz = (load - p.fz0) / p.fz0
    x = slip + p.phx1 + p.phx2 * dfz
    peak = friction * load * (p.pdx1 + p.pdx2 * dfz) * (1.0 - p.pdx3 * camber * camber)
    curvature = min((p.pex1 + (p.pex2 + p.pex3 * dfz) * dfz) * (1.0 - p.pex4 * sign_or_one(x)), 1.0)
    stiffness, shift = longitudinal_stiffness(p, load, dfz), friction * load * (p.pvx1 + p.pvx2 * dfz)
    if p.longitudinal_shift == SINE:
        return shifted_sine(x, stiffness, p.pcx1, peak, curvature, shift)
    return magic(x, stiffness, p.pcx1, peak, curvature) + shift


@kernel
def lateral_peak(p: Any, camber: float, load: float, friction: float) -> float:
    """Peak D_y of F_y0, N."""
    dfz = (load - p.fz0) / p.fz0
    return friction * load * (p.pdy1 + p.pdy2 * dfz) * (1.0 - p.pdy3 * camber * camber)


@inline_kernel
def shift_sign(p: Any, camber: float) -> float:
    """Sign of the constant shifts: 1, or with `shift_side: lean` that of the camber."""
    return 1.0 if p.shift_side != LEAN else min(max(camber / p.shift_lean, -1.0), 1.0)


@kernel
def lateral_shifts(p: Any, camber: float, load: float, friction: float) -> tuple[float, float]:
    """(S_hy, S_vy): shifts H and V of F_y0, rad and N."""
    dfz, sign = (load - p.fz0) / p.fz0, shift_sign(p, camber)
    vertical_shift = sign * (p.pvy1 + p.pvy2 * dfz) + (p.pvy3 + p.pvy4 * dfz) * camber
    return sign * (p.phy1 + p.phy2 * dfz) + p.phy3 * camber, friction * load * vertical_shift


@kernel
def pure_lateral(p: Any, angle: float, camber: float, load: float, friction: float) -> float:
    """F_y0 in N. angle, camber: rad. load: N."""
    dfz = (load - p.fz0) / p.fz0
    shift, offset = lateral_shifts(p, camber, load, friction)
    x = angle + shift
    peak = lateral_peak(p, camber, load, friction)
    curvature = min((p.pey1 + p.pey2 * dfz) * (1.0 - (p.pey3 + p.pey4 * camber) * sign_or_one(x)), 1.0)
    return magic(x, lateral_stiffness(p, load, camber), p.pcy1, peak, curvature) + offset


@kernel
def cosine_of_atan(x: float) -> float:
    """cos(atan x), computed without trigonometric functions."""
    return 1.0 / math.sqrt(1.0 + x * x)


@kernel
def cosine(x: float, stiffness: float, shape: float, curvature: float) -> float:
    """cos(C atan(B x - E (B x - atan(B x)))). stiffness: B. shape: C. curvature: E."""
    bx = stiffness * x
    return elementary.cos(shape * elementary.atan(bx - curvature * (bx - elementary.atan(bx))))


@kernel
def weight(p: Any, x: float, shift: float, stiffness: float, shape: float, curvature: float) -> float:
    """Weighting function G of combined slip: `cosine` at x + shift divided by `cosine` at shift.

    At least 0, unless `combined_reversal` allows negative values.
    """
    curvature = min(curvature, 1.0)
    ratio = cosine(x + shift, stiffness, shape, curvature) / cosine(shift, stiffness, shape, curvature)
    return ratio if p.combined_reversal != 0 else max(0.0, ratio)


@kernel
def combined_longitudinal(p: Any, slip: float, angle: float, camber: float, load: float, friction: float) -> float:
    """F_x of combined slip, N."""
    dfz = (load - p.fz0) / p.fz0
    stiffness = p.rbx1 * cosine_of_atan(p.rbx2 * slip)
    weighting = weight(p, angle, p.rhx1, stiffness, p.rcx1, p.rex1 + p.rex2 * dfz)
    return weighting * pure_longitudinal(p, slip, camber, load, friction)


@kernel
def combined_lateral(
    p: Any, slip: float, angle: float, camber: float, load: float, friction: float
) -> tuple[float, float]:
    """(F_y, S_vyk) of combined slip, N: the lateral force, and its part induced by longitudinal slip."""
    dfz = (load - p.fz0) / p.fz0
    stiffness = p.rby1 * cosine_of_atan(p.rby2 * (angle - p.rby3))
    weighting = weight(p, slip, p.rhy1 + p.rhy2 * dfz, stiffness, p.rcy1, p.rey1 + p.rey2 * dfz)
    amplitude = p.rvy1 + p.rvy2 * dfz + p.rvy3 * camber
    amplitude *= lateral_peak(p, camber, load, friction) * cosine_of_atan(p.rvy4 * angle)
    induced = amplitude * elementary.sin(p.rvy5 * elementary.atan(p.rvy6 * slip))
    return weighting * pure_lateral(p, angle, camber, load, friction) + induced, induced


@kernel
def trail(p: Any, angle: float, cos_alpha: float, camber: float, load: float) -> float:
    """Pneumatic trail t, m. angle: equivalent slip angle of the trail, rad. cos_alpha: cosine of the slip angle."""
    dfz = (load - p.fz0) / p.fz0
    b = (p.qbz1 + (p.qbz2 + p.qbz3 * dfz) * dfz) * (1.0 + p.qbz4 * camber + p.qbz5 * abs(camber))
    d = load * (p.qdz1 + p.qdz2 * dfz) * (1.0 + (p.qdz3 + p.qdz4 * camber) * camber) * p.r0 / p.fz0
    asymmetry = 1.0 + (p.qez4 + p.qez5 * camber) * 2.0 / math.pi * elementary.atan(b * p.qcz1 * angle)
    e = min((p.qez1 + (p.qez2 + p.qez3 * dfz) * dfz) * asymmetry, 1.0)
    return d * cosine(angle, b, p.qcz1, e) * cos_alpha


@kernel
def equivalent(angle: float, slip: float, ratio: float) -> float:
    """Slip angle equivalent to a slip angle (rad) and a slip ratio together, rad. ratio: K_x / K_y."""
    tangent = elementary.tan(angle)
    return elementary.atan(math.sqrt(tangent * tangent + ratio * slip * ratio * slip)) * sign_or_one(angle)


@kernel
def moment(
    p: Any, slip: float, angle: float, camber: float, load: float, friction: float, fx: float, fy: float, induced: float
) -> float:
    """M_z, N m. fx, fy: combined forces, N. induced: S_vyk, N."""
    dfz = (load - p.fz0) / p.fz0
    stiffness = lateral_stiffness(p, load, camber)
    stiffness = stiffness if abs(stiffness) > SMALLEST else SMALLEST
    peak = lateral_peak(p, camber, load, friction)
    b_y = stiffness / (p.pcy1 * peak) if abs(peak) > SMALLEST else 0.0
    shift, offset = lateral_shifts(p, camber, load, friction)
    ratio = longitudinal_stiffness(p, load, dfz) / stiffness
    trail_angle = angle + p.qhz1 + p.qhz2 * dfz + (p.qhz3 + p.qhz4 * dfz) * camber
    residual_angle = angle + shift + offset / stiffness
    lever = trail(p, equivalent(trail_angle, slip, ratio), elementary.cos(angle), camber, load)
    residual = load * (p.qdz6 + p.qdz7 * dfz + (p.qdz8 + p.qdz9 * dfz) * camber) * p.r0 * friction
    b = p.qbz9 + p.qbz10 * b_y * p.pcy1
    residual *= cosine_of_atan(b * equivalent(residual_angle, slip, ratio)) * elementary.cos(angle)
    arm = p.r0 * (p.ssz1 + p.ssz2 * fy / p.fz0 + (p.ssz3 + p.ssz4 * dfz) * camber)
    return -lever * (fy - induced) + residual + arm * fx


@kernel
def peak_friction(p: Any, load: float) -> float:
    """Smaller of the two peak forces divided by load, without camber. load: N."""
    dfz = (load - p.fz0) / p.fz0
    return min(p.pdx1 + p.pdx2 * dfz, p.pdy1 + p.pdy2 * dfz)


@kernel
def slip(
    params: Any, state: Any, suspension: Any, suspension_params: Any, compliance: Any, road: Any, wheel: Any,
    wheel_params: Any, steering: Any, actuation: Any, body: Any, context: Any, wheel_count: int,
) -> None:  # fmt: skip
    """Set directions as combined_slip.py, slips as magic_tire.py, and the friction of the formula's peak."""
    standard_slip(params, state, suspension, suspension_params, compliance, road, wheel, wheel_params, steering,
                  actuation, body, context, wheel_count)  # fmt: skip
    true_slips(params, state, suspension, suspension_params, compliance, road, wheel, wheel_params, steering, actuation,
               body, context, wheel_count)  # fmt: skip
    for i in range(wheel_count):
        if suspension[i].force < 0.0:  # the vertical spring pulls (`tire_pulls`), and slip forces change sign
            state[i].load = suspension[i].force
        use_friction(params[i], state[i], peak_friction(params[i], min(state[i].load, params[i].largest_load)))


@kernel
def force(
    params: Any, state: Any, road: Any, wheel: Any, wheel_params: Any, actuation: Any, context: Any, wheel_count: int,
    dt: float,
) -> None:  # fmt: skip
    """Set the forces of every tire."""
    for i in range(wheel_count):
        p, t = params[i], state[i]
        build_up(p, t, actuation[i], context, dt)
        fx, fy, mz = 0.0, 0.0, 0.0
        if t.load != 0.0 and t.road_friction > 0.0:
            to_right = 1.0 if p.pky1 > 0.0 else -1.0  # -1 if the set's lateral axis points to the left
            load, friction = min(t.load, p.largest_load), t.road_friction
            camber, angle = camber_of_set(p, t), -p.mirror * t.built_angle
            fx = combined_longitudinal(p, t.built_slip, angle, camber, load, friction)
            fy, induced = combined_lateral(p, t.built_slip, angle, camber, load, friction)
            mz = to_right * moment(p, t.built_slip, angle, camber, load, friction, fx, fy, induced)
            fy *= to_right
        store_forces(p, t, fx, fy, mz, road[i], wheel[i].omega, wheel_params[i].radius)


def derive(params: Any, suspension_params: Any, wheel_count: int, context: Any) -> None:
    """Set what all Magic Formula tires derive, and the load of the largest force."""
    derive_shared(params, suspension_params, wheel_count, context)
    for p in params[:wheel_count]:
        limits = [MAX_LOAD_SHARE * p["nominal_load"]]
        # (A + B dfz) Fz with dfz = Fz / Fz0 - 1 is largest at Fz0 (B - A) / (2 B), where B is below zero
        for at_fz0, change in ((p["pdx1"], p["pdx2"]), (p["pdy1"], p["pdy2"])):
            if change < 0.0:
                limits.append(p["fz0"] * (change - at_fz0) / (2.0 * change))
        p["largest_load"] = min(limits)


def check(params: Any, wheel_count: int) -> list[tuple[str, str]]:
    """[(parameter, problem)], at most three: those of combined_slip.py, and coefficients of wrong sign or 0."""
    problems = check_standard(params, wheel_count)
    for p in params[:wheel_count]:
        for name in ("fz0", "r0", "pcx1", "pdx1", "pkx1", "pcy1", "pdy1", "pky2"):
            if not p[name] > 0.0:
                problems.append((name, f"{p[name]:g}: must be greater than 0"))
        if p["pky1"] == 0.0:
            problems.append(("pky1", "must not be 0: a tire has a cornering stiffness"))
    return problems[:3]


MF_52 = Component(
    slot="tire", name="mf_52", params=MF52Params, state=MagicTireState, phases={"slip": slip, "force": force},
    derive=derive, check=check, doc="Magic Formula 5.2, with the dimensionless coefficients of tire property files.",
)  # fmt: skip
