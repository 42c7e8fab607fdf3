"""Tires of Pacejka's formula of 1989 and of 1994 (RC-TIRE-01, 02; CN-TIRE-05).

The pure curves are those of `pacejka_curves.py`; the formula of 1989 in its own names is

    F_x  C = b0, D = (b1 Fz + b2) Fz, B C D = (b3 Fz^2 + b4 Fz) exp(-b5 Fz), E = b6 Fz^2 + b7 Fz + b8, H = b9 Fz + b10
    F_y  C = a0, D = (a1 Fz + a2) Fz, B C D = a3 sin(2 atan(Fz / a4))(1 - a5 |g|), E = a6 Fz + a7,
         H = a8 g + a9 Fz + a10, V = (a111 Fz + a112) g Fz + a12 Fz + a13
    M_z  C = c0, D = c1 Fz^2 + c2 Fz, B C D = (c3 Fz^2 + c4 Fz)(1 - c6 |g|) exp(-c5 Fz),
         E = (c7 Fz^2 + c8 Fz + c9)(1 - c10 |g|), H = c11 g + c12 Fz + c13, V = (c14 Fz^2 + c15 Fz) g + c16 Fz + c17

with the load Fz in kN, slip in percent, and slip angle and camber g in degrees: coefficients keep their published
units, and loads, slips and camber are converted from SI where the curves are evaluated.

Combined slip is that of Racer. k and a are the slip ratio and slip angle, k* and a* their values at the two peaks, at
the present load and friction:

    u = k / k*,  w = tan a / tan a*,  rho = sqrt(u^2 + w^2)
    F_x = |u| / rho F_x(rho k*) + o_x        F_y = |w| / rho F_y(atan(rho tan a*)) + o_y        M_z in the form of F_y

with each curve evaluated at the sign of its own slip. This is exact for pure slip, and a sliding tire's force opposes
its slip. o is the force of a curve at zero slip (due to shifts and camber), reduced as the other slip grows:
o_x = (1 - |u| / rho) / (1 + w^2) F_x(0), o_y = (1 - |w| / rho) / (1 + u^2) F_y(0). Signs, mirrored tires, relaxation
and grip factor are in `magic_tire.py`.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Floats, Int, Schema, field
from driving_sandbox.physics.tick.component import Component
from driving_sandbox.physics.tire.combined_slip import check as check_standard
from driving_sandbox.physics.tire.combined_slip import slip as standard_slip
from driving_sandbox.physics.tire.magic_tire import (
    KN_PER_N,
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
from driving_sandbox.physics.tire.pacejka_coefficients import RENAMED, SET_1989, SET_1994, as_1994
from driving_sandbox.physics.tire.pacejka_curves import (
    ALIGNING,
    LATERAL,
    LONGITUDINAL,
    aligning_moment,
    lateral_force,
    longitudinal_force,
    sign_or_one,
)

DEGREES = 180.0 / math.pi  # degrees per rad
PERCENT = 100.0  # percent per unit of slip ratio
PEAK_LOADS = 16  # number of loads at which the peaks are tabulated, with linear interpolation in between
LARGEST_SLIP = 100.0  # percent, slip that counts as the peak of a longitudinal curve that never falls
LARGEST_ANGLE = 30.0  # degrees, slip angle that counts as the peak of a lateral curve that never falls
MAX_LOAD_SHARE = 6.0  # largest load / load at rest, for sets whose peak force grows with load without end
# (flag, curve, first and last coefficient that shifts the curve): curves without shifts are not evaluated at zero slip
SHIFTS = (
    ("shifted_along", "longitudinal", 9, 12), ("shifted_across", "lateral", 8, 14),
    ("shifted_moment", "aligning", 11, 17),
)  # fmt: skip
HALVINGS = 40  # steps of the bisection, which reduce its interval to 1e-12 of the initial one

_DERIVED = {
    "longitudinal": (
        Floats,
        field(capacity=LONGITUDINAL, unit="1", derived=True, doc="Coefficients b0 to b13 in the order of 1994."),
    ),
    "lateral": (
        Floats,
        field(capacity=LATERAL, unit="1", derived=True, doc="Coefficients a0 to a17 in the order of 1994."),
    ),
    "aligning": (
        Floats,
        field(capacity=ALIGNING, unit="1", derived=True, doc="Coefficients c0 to c20 in the order of 1994."),
    ),
    "camber_divides": (
        Int,
        field(unit="1", derived=True, doc="1: E is divided by 1 - c10 |camber|, as in 1994; 0: multiplied."),
    ),
    "shifted_along": (Int, field(unit="1", derived=True, doc="1 where there is longitudinal force without slip.")),
    "shifted_across": (Int, field(unit="1", derived=True, doc="1 where there is lateral force without slip.")),
    "shifted_moment": (Int, field(unit="1", derived=True, doc="1 where there is a moment without slip.")),
    "peak_slip": (
        Floats,
        field(capacity=PEAK_LOADS, unit="%", derived=True, doc="Slip of the longitudinal peak, tabulated over load."),
    ),
    "peak_tangent": (
        Floats,
        field(
            capacity=PEAK_LOADS,
            unit="1",
            derived=True,
            doc="Tangent of the lateral peak's slip angle, tabulated over load.",
        ),
    ),
}
Pacejka89Params = with_coefficients(
    "Pacejka89Params", MagicTireParams, "Coefficients of 1989.", SET_1989, (), **_DERIVED
)
Pacejka94Params = with_coefficients(
    "Pacejka94Params", MagicTireParams, "Coefficients of 1994.", SET_1994, RENAMED, **_DERIVED
)


@kernel
def at_load(table: Any, load: float, largest: float) -> Any:
    """Value at a load of a table whose PEAK_LOADS entries are for equal steps of load up to `largest`. Loads in kN."""
    position = load / largest * PEAK_LOADS - 1.0
    if position <= 0.0:
        return table.values[0]
    k = min(int(position), PEAK_LOADS - 2)
    return table.values[k] + (position - k) * (table.values[k + 1] - table.values[k])


@kernel
def combined(
    p: Any, slip: float, tangent: float, camber: float, load: float, friction: float
) -> tuple[float, float, float]:
    """(longitudinal force, lateral force, aligning moment) in the set's frame, N and N m.

    slip: percent.
    tangent: tangent of the slip angle.
    camber: degrees.
    load: kN.
    friction: friction of the road.
    """
    b, a, c = p.longitudinal.values, p.lateral.values, p.aligning.values
    largest = p.largest_load * KN_PER_N
    slip_peak = friction * at_load(p.peak_slip, load, largest)
    tangent_peak = friction * at_load(p.peak_tangent, load, largest)
    u, w = slip / slip_peak, tangent / tangent_peak
    rho = math.sqrt(u * u + w * w)
    weight_x = abs(u) / rho if rho > 0.0 else 1.0
    weight_y = abs(w) / rho if rho > 0.0 else 1.0
    angle = elementary.atan(rho * tangent_peak) * sign_or_one(w) * DEGREES
    fx = weight_x * longitudinal_force(b, rho * slip_peak * sign_or_one(u), load, friction)
    fy = weight_y * lateral_force(a, angle, camber, load, friction)
    mz = weight_y * aligning_moment(c, angle, camber, load, friction, p.camber_divides)
    if weight_x < 1.0 and p.shifted_along != 0:
        fx += (1.0 - weight_x) / (1.0 + w * w) * longitudinal_force(b, 0.0, load, friction)
    if weight_y < 1.0:
        reduction = (1.0 - weight_y) / (1.0 + u * u)
        if p.shifted_across != 0:
            fy += reduction * lateral_force(a, 0.0, camber, load, friction)
        if p.shifted_moment != 0:
            mz += reduction * aligning_moment(c, 0.0, camber, load, friction, p.camber_divides)
    return fx, fy, mz


@kernel
def peak_friction(p: Any, load: float) -> float:
    """Smaller of the two peak forces divided by load, without camber. load: N."""
    load *= KN_PER_N
    b, a = p.longitudinal.values, p.lateral.values
    return KN_PER_N * min(b[1] * load + b[2], a[1] * load + a[2])


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
        if t.load > 0.0 and t.road_friction > 0.0:
            load = min(t.load, p.largest_load) * KN_PER_N
            camber, tangent = camber_of_set(p, t) * DEGREES, -p.mirror * elementary.tan(t.built_angle)
            fx, fy, mz = combined(p, t.built_slip * PERCENT, tangent, camber, load, t.road_friction)
        store_forces(p, t, fx, fy, mz, road[i], wheel[i].omega, wheel_params[i].radius)


@kernel
def peak_argument(shape: float, curvature: float, largest: float) -> float:
    """B x at which C atan(B x - E (B x - atan(B x))) is pi / 2, at most `largest`."""
    # the condition with C divided out and the tangent taken: B x (1 - E) + E atan(B x) = tan(pi / (2 C))
    target = elementary.tan(math.pi / (2.0 * shape)) if shape > 1.0 else math.inf
    low, high = 0.0, largest
    if curvature > 1.0:
        high = min(largest, 1.0 / math.sqrt(max(curvature - 1.0, 1e-12)))  # where the sine's argument begins to fall
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if middle * (1.0 - curvature) + curvature * elementary.atan(middle) < target:
            low = middle
        else:
            high = middle
    return high


@kernel
def peak(stiffness: float, shape: float, height: float, curvature: float, largest: float) -> float:
    """Slip of a curve's peak, at most `largest`, in the set's unit. Other arguments: B C D, C, D and E."""
    b = max(stiffness / (shape * height), 1e-9)  # 1e-9: finite quotients where the stiffness is not positive
    return min(peak_argument(shape, curvature, b * largest) / b, largest)


def _largest_load(b: list[float], a: list[float], rest_load: float) -> float:
    """Load, N, above which one of the two peak forces falls; at most MAX_LOAD_SHARE times the load at rest (N).

    b, a: coefficients of the longitudinal and of the lateral curve.
    """
    limits = [MAX_LOAD_SHARE * rest_load]
    limits += [-0.5 * k[2] / k[1] / KN_PER_N for k in (b, a) if k[1] < 0.0]
    return min(limits)


def _derive_peaks(p: np.void) -> None:
    """Derive the largest load, and the tables of the slips of both curves' peaks over load."""
    b, a = p["longitudinal"]["values"].tolist(), p["lateral"]["values"].tolist()
    p["largest_load"] = _largest_load(b, a, float(p["nominal_load"]))
    p["peak_slip"]["count"] = p["peak_tangent"]["count"] = PEAK_LOADS
    for k in range(PEAK_LOADS):
        load = (k + 1) / PEAK_LOADS * float(p["largest_load"]) * KN_PER_N
        stiffness = (b[3] * load + b[4]) * load * elementary.exp(-b[5] * load)
        curvature = (b[6] * load + b[7]) * load + b[8]
        p["peak_slip"]["values"][k] = peak(stiffness, b[0], load * (b[1] * load + b[2]), curvature, LARGEST_SLIP)
        stiffness = a[3] * elementary.sin(2.0 * elementary.atan(load / a[4]))
        angle = peak(stiffness, a[0], load * (a[1] * load + a[2]), a[6] * load + a[7], LARGEST_ANGLE)
        p["peak_tangent"]["values"][k] = elementary.tan(angle / DEGREES)


def _write_curves(p: np.void, year: int) -> None:
    """Write the curves' coefficients in the order of 1994, and the flags derived from them."""
    for name, values in as_1994(p, year).items():
        p[name]["count"], p[name]["values"] = len(values), values
    p["camber_divides"] = year == 1994
    for name, curve, first, last in SHIFTS:
        p[name] = np.any(p[curve]["values"][first : last + 1] != 0.0)


def _derive_as(year: int) -> Callable[..., None]:
    """The function `derive` of the component for a year's formula."""

    def derive(params: Any, suspension_params: Any, wheel_count: int, context: Any) -> None:
        derive_shared(params, suspension_params, wheel_count, context)
        for p in params[:wheel_count]:
            _write_curves(p, year)
            _derive_peaks(p)

    return derive


def check(params: Any, wheel_count: int) -> list[tuple[str, str]]:
    """[(parameter, problem)], at most three: shapes, peaks and stiffnesses of the curves must be positive."""
    problems = check_standard(params, wheel_count)
    for p in params[:wheel_count]:
        for name in ("a0", "b0", "a2", "b2", "a4"):
            if not p[name] > 0.0:
                problems.append((name, f"{p[name]:g}: must be greater than 0 (a0, b0 shape; a2, b2 grip; a4 load)"))
        if not p["a3"] > 0.0:
            problems.append(("a3", f"{p['a3']:g}: must be greater than 0 (cornering stiffness)"))
        if not (p["b4"] > 0.0 or p["b3"] > 0.0):
            problems.append(("b4", f"{p['b4']:g}: b3 or b4 must be greater than 0 (longitudinal stiffness)"))
    return problems[:3]


def _component(year: int, params: type[Schema]) -> Component:
    return Component(
        slot="tire", name=f"pacejka_{year % 100}", params=params, state=MagicTireState,
        phases={"slip": slip, "force": force}, derive=_derive_as(year), check=check,
        doc=f"Pacejka's formula of {year}: curves of slip and load from published coefficients, combined slip.",
    )  # fmt: skip


PACEJKA_89 = _component(1989, Pacejka89Params)
PACEJKA_94 = _component(1994, Pacejka94Params)
