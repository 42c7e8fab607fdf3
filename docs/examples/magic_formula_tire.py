"""A Magic Formula tire of the 1994 kind: pure slip curves from two sets of coefficients, joined for combined slip.

With slip k in percent, slip angle a and camber g in degrees and the load Fz in kilonewtons, forces in newtons,

    F = D sin(C atan(x - E (x - atan x))) + V,    x = B (slip + H)

    longitudinal  C = b0                          D = Fz (b1 Fz + b2)
                  B C D = (b3 Fz^2 + b4 Fz) exp(-b5 Fz)
                  E = (b6 Fz^2 + b7 Fz + b8)(1 - b13 sgn x)         H = b9 Fz + b10       V = b11 Fz + b12
    lateral       C = a0                          D = Fz (a1 Fz + a2)(1 - a15 g^2)
                  B C D = a3 sin(2 atan(Fz / a4)) (1 - a5 |g|)
                  E = (a6 Fz + a7)(1 - (a16 g + a17) sgn x)
                  H = a8 Fz + a9 + a10 g          V = a11 Fz + a12 + (a13 Fz + a14) g Fz

(Pacejka, Tire and Vehicle Dynamics, ch. 4, in the form of 1994.) The coefficients carry these units; slip, angles and
load of this program are SI and are converted in `combined_force`, nowhere else. The road's friction scales D and V but
not B C D, so ice makes the peak lower and earlier, not the tire softer.

Combined slip: both x are normalised slips, about 1 where the curve begins to bend; r, the root of the sum of their
squares, is the normalised slip of the contact patch in any direction. Each curve is evaluated at r, and its force acts
along its part of the slip,

    Fx = x_lon / r F_lon(r),    Fy = x_lat / r F_lat(r),

which is exact for pure slip and for small slips, and opposes the slip when sliding.

Signs as everywhere here: kappa > 0 drives, alpha > 0 moves right and pushes left, camber > 0 leans right and pushes
right. Before the factors for friction and camber, the peak D is at least a fifth of b2 Fz or a2 Fz, however large the
load.
"""

import math
from dataclasses import replace
from typing import Any

from driving_sandbox import Choice, Component, Curve, Float, Floats, PerWheel, field, kernel
from driving_sandbox.physics.tire.combined_slip import FADE_SPEED, TireParams, TireState
from driving_sandbox.physics.tire.combined_slip import slip as standard_slip

DEGREES = 180.0 / math.pi  # per rad
PERCENT = 100.0  # per 1
KILONEWTON = 1e-3  # per N
MIN_FRICTION = 0.2  # lower limit of friction, times a2 or b2; without it friction would reach zero at some load
LONGITUDINAL = [1.6, -30.0, 1220.0, 0.0, 260.0, 0.06, 0.0, 0.0, 0.3, 0.0, 0.0, 0.0, 0.0, 0.0]
LATERAL = [1.4, -40.0, 1250.0, 1500.0, 6.0, 0.01, -0.3, 0.2, 0.0, 0.0, 0.05, 0.0, 0.0, 0.0, 0.0, 0.0005, 0.0, 0.0]

_standard = TireParams.fields


class MagicFormulaParams(PerWheel):
    """Two sets of coefficients, and the parameters that the rest of the vehicle needs, as in combined_slip.py."""

    longitudinal: Floats = field(
        capacity=14,
        unit="1",
        default=LONGITUDINAL,
        suggest=(-100, 2000),
        doc="b0 to b13, for slip in percent and load in kN.",
    )
    lateral: Floats = field(
        capacity=18,
        unit="1",
        default=LATERAL,
        suggest=(-100, 2000),
        doc="a0 to a17, for angles in degrees and load in kN.",
    )
    trail: Float = field(
        unit="m", ge=0, default=0.04, suggest=(0, 0.1), doc="Pneumatic trail at small slip; gone when sliding."
    )
    tire_type: Choice = _standard["tire_type"]
    friction_versus_slip: Curve = replace(
        _standard["friction_versus_slip"],
        source="",
        doc="Factor on the road's friction as a function of |slip ratio|; the formula has a peak, so usually 1.",
    )
    load_filter: Curve = _standard["load_filter"]
    rest_load: Float = _standard["rest_load"]
    rolling_resistance: Float = _standard["rolling_resistance"]
    nominal_load: Float = _standard["nominal_load"]


@kernel
def curve(x: float, peak: float, shape: float, curvature: float) -> float:
    """The Magic Formula without its shifts; `peak`, `shape` and `curvature` are D, C and E."""
    return peak * math.sin(shape * math.atan(x - curvature * (x - math.atan(x))))


@kernel
def side(x: float) -> float:
    """Sign of x, 1 for 0."""
    return 1.0 if x >= 0.0 else -1.0


@kernel
def longitudinal_parts(b: Any, slip: float, load: float, friction: float) -> tuple[float, ...]:
    """(x, C, D, E, V) of the longitudinal curve at a slip, percent, and a load, kN."""
    peak = friction * load * max(b[1] * load + b[2], MIN_FRICTION * b[2])
    stiffness = (b[3] * load * load + b[4] * load) * math.exp(-b[5] * load)
    x = stiffness / (b[0] * peak) * (slip + b[9] * load + b[10])
    curvature = (b[6] * load * load + b[7] * load + b[8]) * (1.0 - b[13] * side(x))
    return x, b[0], peak, curvature, friction * (b[11] * load + b[12])


@kernel
def lateral_parts(a: Any, angle: float, camber: float, load: float, friction: float) -> tuple[float, ...]:
    """(x, C, D, E, V) of the lateral curve at an angle and a camber, degrees, and a load, kN."""
    peak = friction * load * max(a[1] * load + a[2], MIN_FRICTION * a[2]) * (1.0 - a[15] * camber * camber)
    stiffness = a[3] * math.sin(2.0 * math.atan(load / a[4])) * (1.0 - a[5] * abs(camber))
    x = stiffness / (a[0] * peak) * (angle + a[8] * load + a[9] + a[10] * camber)
    curvature = (a[6] * load + a[7]) * (1.0 - (a[16] * camber + a[17]) * side(x))
    return x, a[0], peak, curvature, friction * (a[11] * load + a[12] + (a[13] * load + a[14]) * camber * load)


@kernel
def combined_force(
    p: Any, kappa: float, alpha: float, camber: float, friction: float, load: float
) -> tuple[float, float, float]:
    """(longitudinal force, lateral force, aligning moment) in N and N m from SI slips and load."""
    if load * friction <= 0.0:
        return 0.0, 0.0, 0.0
    kilo = load * KILONEWTON
    x, cx, dx, ex, vx = longitudinal_parts(p.longitudinal.values, kappa * PERCENT, kilo, friction)
    # The formula's lateral force has the sign of its slip angle; this program's has the opposite sign.
    y, cy, dy, ey, vy = lateral_parts(p.lateral.values, -alpha * DEGREES, camber * DEGREES, kilo, friction)
    r = math.sqrt(x * x + y * y)
    if r == 0.0:
        return vx, vy, 0.0
    fx = x / r * curve(r, dx, cx, ex) + vx
    fy = y / r * curve(r, dy, cy, ey) + vy
    return fx, fy, -fy * p.trail * max(0.0, 1.0 - r / 3.0)  # the trail is gone at a normalised slip of 3


@kernel
def force(params: Any, state: Any, road: Any, wheel: Any, wheel_params: Any, wheel_count: int) -> None:
    """Forces of every tire; there is no slip in a direction that the contact solver holds."""
    for i in range(wheel_count):
        p = params[i]
        t = state[i]
        radius = wheel_params[i].radius
        if t.sticky_longitudinal != 0:
            t.longitudinal_slip = 0.0
        if t.sticky_lateral != 0:
            t.lateral_slip = 0.0
        fx, fy, mz = combined_force(p, t.longitudinal_slip, t.lateral_slip, t.camber, t.friction, t.load)
        t.longitudinal_force = fx
        t.lateral_force = fy
        t.aligning_moment = mz
        rim_speed = wheel[i].omega * radius
        drag = (p.rolling_resistance + road[i].rolling_drag) * t.load * radius
        t.wheel_torque = -fx * radius - drag * rim_speed / (abs(rim_speed) + FADE_SPEED)


def derive(params: Any, suspension_params: Any, wheel_count: int, context: Any) -> None:
    """Compute the nominal load: the given rest load, or by default the weight on the wheel."""
    gravity = sum(float(g) ** 2 for g in context["gravity"]) ** 0.5
    for p, s in zip(params[:wheel_count], suspension_params[:wheel_count], strict=True):
        weight = s["supported_mass"] * gravity
        p["nominal_load"] = p["rest_load"] if p["rest_load"] > 0.0 else weight


def check(params: Any, wheel_count: int) -> list[tuple[str, str]]:
    """Problems of the parameters, as (name, text)."""
    problems = []
    for p in params[:wheel_count]:
        b, a = p["longitudinal"], p["lateral"]
        if b["count"] != 14:
            problems.append(("longitudinal", f"needs the 14 numbers b0 to b13, not {b['count']}"))
        elif b["values"][0] <= 0 or b["values"][2] <= 0:
            problems.append(("longitudinal", "b0 (shape) and b2 (friction at small load) must be more than 0"))
        if a["count"] != 18:
            problems.append(("lateral", f"needs the 18 numbers a0 to a17, not {a['count']}"))
        elif a["values"][0] <= 0 or a["values"][2] <= 0 or a["values"][4] <= 0:
            problems.append(("lateral", "a0 (shape), a2 (friction at small load) and a4 (load) must be more than 0"))
        if p["friction_versus_slip"]["count"] != 3 or p["load_filter"]["count"] != 2:
            problems.append(("load_filter", "needs exactly two points, and friction_versus_slip three"))
    return problems[:2]


MAGIC_FORMULA = Component(
    slot="tire", name="magic_formula", params=MagicFormulaParams, state=TireState,
    phases={"slip": standard_slip, "force": force}, derive=derive, check=check,
    doc="Magic Formula of 1994 with combined slip.",
)  # fmt: skip
