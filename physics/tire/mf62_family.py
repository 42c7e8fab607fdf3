"""Tires by size, class and load index: coefficients of Magic Formula 6.2 by scaling.

Everything is a function of load divided by the rated load FR = 45 kg g 10^(LI / 80), with the load index LI, so that F0
is only a reference point on the curves. With F1 = 0.65 FR, the aspect ratio AR, and numbers of the class (TireClass):
peak friction mu1 at F1, s, c, k, AR1, Fpk, and kappa1 and alpha1, the slips of the peaks at F1:

    mu  peak friction mu1 (1 - s (Fz - F1) / FR)
    Ky  Kmax sin(2 atan(Fz / Fpk)), with Kmax such that Ky(F1) = c (AR1 / AR)^0.45 F1
    Kx  k Fz exp(0.05 (Fz - F1) / FR)
    C   2 - (2 / pi) asin(force at infinite slip / peak force)
    E   such that the peaks lie at kappa1 and alpha1 at F1, and at kappa1 and 1.15 tan(alpha1) at 1.1 FR
    Cz  0.93 g (0.28e-3 p sqrt((1.03 - 0.4 AR) W D) + 3.45) N/mm, pressure p in kPa, width W and diameter D in mm
        (T. Rhyne)
    pneumatic trail at F1 at small slip: 0.48 h, with h = R0 (0.6 sqrt(n) + 0.82 n) half the contact patch's length and
        n = F1 / (Cz R0); it is 0 at 1.05 tan(alpha1)

Rolling resistance is that of the class's tire label at 80 km/h and 0.8 FR. Forces of combined slip agree with the
similarity method within 0.03 mu Fz. Least certain are longitudinal relaxation, and the peaks of truck tires, slicks and
off-road tires. Friction is that on dry asphalt; on other ground m (mf62.py) scales friction, not stiffness.
"""

import math
from dataclasses import dataclass

from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.tire.mf62 import power
from driving_sandbox.physics.tire.tire_size import STANDARD_GRAVITY, TireSize


@dataclass(frozen=True)
class TireClass:
    """Properties common to all tires of a class, at the load F1 unless stated otherwise."""

    mu_x: float  # peak friction, longitudinal
    mu_y: float  # peak friction, lateral
    load_sensitivity_x: float  # s, relative fall of mu_x when the load grows by FR
    load_sensitivity_y: float  # s, relative fall of mu_y when the load grows by FR
    cornering_stiffness: float  # c, 1/rad: Ky / load at the aspect ratio `reference_aspect`
    slip_stiffness: float  # k: Kx / load
    peak_angle: float  # alpha1, degrees: slip angle of the lateral peak
    peak_slip: float  # kappa1: slip ratio of the longitudinal peak
    sliding_y: float  # lateral force at infinite slip / peak force
    sliding_x: float  # longitudinal force at infinite slip / peak force
    camber_stiffness: float  # 1/rad: lateral force per camber angle and load
    rolling_resistance: float  # kg/t, coefficient on the tire label
    pressure: float  # bar, nominal inflation pressure
    stiffest_load: float = 1.45  # Fpk / FR, load of the largest Ky
    nominal_load: float = 0.65  # F0 / FR
    carcass_factor: float = 1.0  # factor on the lateral stiffness of the carcass
    trail_exponent: float = 0.9  # pneumatic trail grows with this power of load
    reference_aspect: float = 0.6  # AR1, aspect ratio that `cornering_stiffness` is for


# Columns: mu_x, mu_y, load_sensitivity_x and _y, cornering_stiffness, slip_stiffness, peak_angle, peak_slip, sliding_y
# and _x, camber_stiffness, rolling_resistance, pressure; then what differs from the defaults.
CLASSES = {
    "eco": TireClass(1.02, 0.95, 0.16, 0.22, 12.5, 21.0, 9.5, 0.12, 0.84, 0.66, 0.85, 6.5, 2.5, stiffest_load=1.5),
    "touring": TireClass(1.1, 1.02, 0.16, 0.22, 13.5, 22.0, 9.0, 0.115, 0.83, 0.64, 0.9, 8.5, 2.3),
    "sport": TireClass(1.22, 1.14, 0.15, 0.2, 16.0, 26.0, 7.5, 0.1, 0.8, 0.62, 1.0, 9.5, 2.4, carcass_factor=1.1),
    "semi_slick": TireClass(1.38, 1.31, 0.16, 0.21, 18.0, 30.0, 6.5, 0.09, 0.78, 0.6, 1.1, 12.0, 2.1,
                            stiffest_load=1.4, carcass_factor=1.25),
    "slick": TireClass(1.6, 1.55, 0.18, 0.24, 20.5, 33.0, 6.0, 0.09, 0.76, 0.6, 1.2, 14.0, 1.8,
                       stiffest_load=1.35, carcass_factor=1.5),
    "all_terrain": TireClass(0.98, 0.89, 0.14, 0.2, 11.0, 17.0, 11.0, 0.15, 0.86, 0.7, 0.8, 11.0, 2.4,
                             nominal_load=0.6),
    "off_road": TireClass(0.86, 0.78, 0.12, 0.18, 9.0, 13.0, 13.0, 0.18, 0.88, 0.74, 0.75, 18.0, 1.8,
                          nominal_load=0.6),
    "winter": TireClass(0.98, 0.91, 0.15, 0.21, 10.5, 17.0, 10.5, 0.145, 0.86, 0.7, 0.8, 9.5, 2.4),
    "van": TireClass(1.0, 0.93, 0.15, 0.21, 10.5, 18.0, 10.5, 0.13, 0.84, 0.66, 0.75, 7.8, 3.8,
                     stiffest_load=1.6, nominal_load=0.7),
    "truck": TireClass(0.8, 0.75, 0.13, 0.13, 7.4, 13.5, 16.0, 0.14, 0.8, 0.66, 0.55, 5.5, 8.0,
                       stiffest_load=2.4, nominal_load=0.8, trail_exponent=0.65, reference_aspect=0.8),
    "tractor_trailer": TireClass(0.78, 0.73, 0.13, 0.13, 7.0, 13.0, 16.5, 0.14, 0.8, 0.66, 0.5, 4.7, 8.5,
                                 stiffest_load=2.5, nominal_load=0.8, trail_exponent=0.65, reference_aspect=0.8),
}  # fmt: skip
BAR = 1e5  # Pa
LN_10 = 2.302585092994046  # ln 10
FIRST_LOAD = 0.65  # F1 / FR, first load at which the curves are fitted
SECOND_LOAD = 1.1  # second load / FR
PEAK_SHIFT = 1.15  # tan(alpha) of the peak at the second load / that at the first
ASPECT_EXPONENT = 0.45  # of AR1 / AR in the cornering stiffness: low sections are laterally stiff
SLIP_STIFFNESS_GROWTH = 0.05  # factor of Fz / FR in the exponent of Kx / Fz
CAMBER_SHARE = 0.5  # PVY3 / camber stiffness: the share of camber force that is a shift V, which scales with friction
# Vertical stiffness of T. Rhyne
STIFFNESS_PER_PRESSURE = 0.00028  # kg/mm per kPa and mm
SECTION_SHAPE = 1.03  # factor for the section's shape, at the aspect ratio 0
SECTION_SHAPE_PER_ASPECT = 0.4  # fall of SECTION_SHAPE with the aspect ratio
CASING_STIFFNESS = 3.45  # kg/mm, stiffness of the casing without air
STIFFNESS_CORRECTION = 0.93  # factor on Rhyne's stiffness; six published sets lie within 6 % of the result
PROGRESSION = 0.06  # B of Fz = A rho + B rho^2 (rho: vertical deflection), in Cz^2 / F1
# Fall of the effective rolling radius with load
RADIUS_FALL = 0.24  # factor of an arctangent of load, as a share of the deflection F1 / Cz
RADIUS_FALL_RATE = 8.0  # factor of Fz / F1 in the arctangent
RADIUS_FALL_SLOPE = 0.05  # part proportional to load, as a share of Fz / Cz
# Stiffness of a touring tire's carcass, divided by Cz
LATERAL_CARCASS = 0.7  # at the aspect ratio 0
LATERAL_PER_ASPECT = 0.25  # fall of LATERAL_CARCASS with the aspect ratio
LONGITUDINAL_CARCASS = 1.35  # at any aspect ratio
# Lever arms of forces at the contact patch, as shares of the carcass's lateral deflection
LONGITUDINAL_ARM = 0.25  # of the longitudinal force, about z
LOAD_ARM = 0.5  # of the load, about x
# Half the contact patch's length / R0, as a function of n = deflection / R0
PATCH_PER_ROOT = 0.6  # part proportional to sqrt(n)
PATCH_PER_DEFLECTION = 0.82  # part proportional to n
TRAIL_PER_PATCH = 0.48  # pneumatic trail / half the contact patch's length
TRAIL_SHAPE = 1.13  # C of the trail's curve
TRAIL_CURVATURE = -3.0  # E of the trail's curve
TRAIL_ZERO = 1.05  # tan(alpha) at which the trail is 0 / that of the lateral peak
# Stiffness factors of the weighting functions of combined slip, times the slip of the peak; fitted to the similarity
# method
RBX1, RBX2, RBY1, RBY2 = 1.75, 1.58, 1.8, 1.66
LABEL_SPEED = 80.0 / 3.6  # m/s, of the tire label's test
LABEL_LOAD = 0.8  # load in that test / FR
# Shares of the label's rolling resistance
CONSTANT_SHARE = 0.92  # independent of speed
LINEAR_SHARE = 0.056  # proportional to speed
QUARTIC_SHARE = 0.024  # proportional to the fourth power of speed
REFERENCE_SPEED = 16.7  # m/s, V0
# Coefficients that are the same for all tires: usual values of published sets
COMMON = {
    "q_v1": 0.0006, "q_v2": 0.03, "pky3": 0.4, "pdx3": 1.0, "pdy3": 2.0, "rcx1": 1.07, "rcy1": 1.06, "qbz9": 15.0,
    "qdz8": 0.15, "qsx2": 0.1, "qsy7": 0.85, "qsy8": -0.4, "pcfx3": 0.2, "pcfy3": 0.5, "ppx1": -0.3, "ppx4": -0.3,
    "ppy1": 0.3, "ppy2": 1.0, "ppy4": -0.25, "ppz1": 0.5, "qcz1": TRAIL_SHAPE, "qez1": TRAIL_CURVATURE,
    "longvl": REFERENCE_SPEED,
}  # fmt: skip


def rated_load(index: float) -> float:
    """FR, N, of a load index: within 2 % of the standard table of load indices."""
    return 45.0 * STANDARD_GRAVITY * elementary.exp(index / 80.0 * LN_10)


def family(size: TireSize, tire_class: str, rated: float) -> dict[str, float]:
    """{coefficient: value} of a tire. rated: FR, N. Raises KeyError if the class is not in CLASSES."""
    kind = CLASSES[tire_class]
    first_load, nominal = FIRST_LOAD * rated, kind.nominal_load * rated
    tangent = elementary.tan(math.radians(kind.peak_angle))
    c = {"unloaded_radius": size.radius, "fnomin": nominal, "nompres": kind.pressure * BAR, **COMMON}
    c |= _friction_and_stiffness(kind, size, rated, nominal)
    c |= _curvatures(c, kind, tangent, rated)
    rate = _vertical_rate(size, kind.pressure)
    c |= _vertical(size, rate, first_load, nominal)
    c |= _carcass(size, kind, rate, nominal)
    c |= _trail(size, kind, rate, tangent, rated)
    return c | {
        "rbx1": RBX1 / tangent, "rbx2": RBX2 / kind.peak_slip, "rby1": RBY1 / kind.peak_slip, "rby2": RBY2 / tangent,
        "pky6": kind.camber_stiffness, "pvy3": CAMBER_SHARE * kind.camber_stiffness,
        **_rolling_resistance(kind, rated, nominal),
    }  # fmt: skip


def _linear(at_first: float, at_second: float, rated: float, nominal: float) -> tuple[float, float]:
    """(value at F0, change with d) of a linear function of load, from its values at F1 and SECOND_LOAD. Loads in N."""
    slope = (at_second - at_first) / ((SECOND_LOAD - FIRST_LOAD) * rated)
    return at_first + slope * (nominal - FIRST_LOAD * rated), slope * nominal


def _friction_and_stiffness(kind: TireClass, size: TireSize, rated: float, nominal: float) -> dict[str, float]:
    """Coefficients of peak friction, cornering and slip stiffness, and shape."""
    first_load, stiffest = FIRST_LOAD * rated, kind.stiffest_load * rated
    at_first = kind.cornering_stiffness * power(kind.reference_aspect / size.aspect_ratio, ASPECT_EXPONENT) * first_load
    x, load_change = first_load / stiffest, (nominal - first_load) / rated
    sensitivity_x, sensitivity_y = kind.load_sensitivity_x, kind.load_sensitivity_y
    return {
        "pdx1": kind.mu_x * (1.0 - sensitivity_x * load_change), "pdx2": -kind.mu_x * sensitivity_x * nominal / rated,
        "pdy1": kind.mu_y * (1.0 - sensitivity_y * load_change), "pdy2": -kind.mu_y * sensitivity_y * nominal / rated,
        "pky1": at_first * (1.0 + x * x) / (2.0 * x) / nominal, "pky2": stiffest / nominal, "pky4": 2.0,
        "pkx1": kind.slip_stiffness * elementary.exp(SLIP_STIFFNESS_GROWTH * load_change),
        "pkx3": SLIP_STIFFNESS_GROWTH * nominal / rated,
        "pcx1": _shape(kind.sliding_x), "pcy1": _shape(kind.sliding_y),
    }  # fmt: skip


def _shape(sliding: float) -> float:
    """Shape factor C of a curve. sliding: force at infinite slip / peak force."""
    return 2.0 - elementary.asin(sliding) / (0.5 * math.pi)


def _curvature(shape: float, z: float) -> float:
    """Curvature factor E of a curve whose peak lies at B x = z. shape: C."""
    return (elementary.tan(0.5 * math.pi / shape) - z) / (elementary.atan(z) - z)


def _curvatures(c: dict[str, float], kind: TireClass, tangent: float, rated: float) -> dict[str, float]:
    """Coefficients of E. c: coefficients so far. tangent: tan(alpha1)."""
    at_loads: dict[str, list[float]] = {"x": [], "y": []}  # E at F1 and at SECOND_LOAD
    for relative_load, shift in ((FIRST_LOAD, 1.0), (SECOND_LOAD, PEAK_SHIFT)):
        d = relative_load * rated / c["fnomin"] - 1.0
        kx = c["pkx1"] * elementary.exp(c["pkx3"] * d)
        x = relative_load * rated / (c["pky2"] * c["fnomin"])
        ky = c["pky1"] * c["fnomin"] * 2.0 * x / (1.0 + x * x) / (relative_load * rated)
        z = kx / (c["pcx1"] * (c["pdx1"] + c["pdx2"] * d)) * kind.peak_slip
        at_loads["x"].append(_curvature(c["pcx1"], z))
        z = ky / (c["pcy1"] * (c["pdy1"] + c["pdy2"] * d)) * tangent * shift
        at_loads["y"].append(_curvature(c["pcy1"], z))
    curvatures = {}
    for axis, (at_first, at_second) in at_loads.items():
        curvatures[f"pe{axis}1"], curvatures[f"pe{axis}2"] = _linear(at_first, at_second, rated, c["fnomin"])
    return curvatures


def _vertical_rate(size: TireSize, bar: float) -> tuple[float, float]:
    """(Cz at F1 in N/m, share of it that is proportional to pressure). bar: inflation pressure, bar."""
    width, diameter = size.section_width * 1000.0, 2000.0 * size.radius  # mm
    shape = SECTION_SHAPE - SECTION_SHAPE_PER_ASPECT * size.aspect_ratio
    by_pressure = STIFFNESS_PER_PRESSURE * bar * 100.0 * math.sqrt(shape * width * diameter)  # 100 kPa per bar
    newtons = STIFFNESS_CORRECTION * STANDARD_GRAVITY * 1000.0  # N/m per kg/mm
    return newtons * (by_pressure + CASING_STIFFNESS), by_pressure / (by_pressure + CASING_STIFFNESS)


def _vertical(size: TireSize, rate: tuple[float, float], first: float, nominal: float) -> dict[str, float]:
    """Coefficients of vertical deflection and effective rolling radius. rate: result of `_vertical_rate`."""
    cz_first, pressure_share = rate
    growth = 4.0 * PROGRESSION  # the squared slope of Fz as a function of deflection is A^2 + 4 B Fz; it is Cz^2 at F1
    cz = cz_first * math.sqrt(1.0 - growth + growth * nominal / first)
    q_fz2 = PROGRESSION * cz_first * cz_first / first * size.radius * size.radius / nominal
    return {
        "vertical_stiffness": cz, "q_fz2": q_fz2, "pfz1": pressure_share,
        "dreff": RADIUS_FALL * first / cz_first * cz / nominal,
        "breff": RADIUS_FALL_RATE * nominal / first, "freff": RADIUS_FALL_SLOPE * cz / cz_first,
    }  # fmt: skip


def _carcass(size: TireSize, kind: TireClass, rate: tuple[float, float], nominal: float) -> dict[str, float]:
    """Stiffnesses of the carcass, and lever arms due to its lateral deflection. rate: result of `_vertical_rate`."""
    cy = (LATERAL_CARCASS - LATERAL_PER_ASPECT * size.aspect_ratio) * rate[0] * kind.carcass_factor
    return {
        "lateral_stiffness": cy, "longitudinal_stiffness": LONGITUDINAL_CARCASS * rate[0],
        "ssz2": -LONGITUDINAL_ARM * nominal / (cy * size.radius), "qsx3": -LOAD_ARM * nominal / (cy * size.radius),
    }  # fmt: skip


def _trail(
    size: TireSize, kind: TireClass, rate: tuple[float, float], tangent: float, rated: float
) -> dict[str, float]:
    """Coefficients of the trail. rate: result of `_vertical_rate`. tangent: tan(alpha1)."""
    first_load, nominal = FIRST_LOAD * rated, kind.nominal_load * rated
    n = first_load / (rate[0] * size.radius)
    trail = TRAIL_PER_PATCH * size.radius * (PATCH_PER_ROOT * math.sqrt(n) + PATCH_PER_DEFLECTION * n)
    at_first = trail * nominal / (first_load * size.radius)
    qdz1, qdz2 = _linear(
        at_first, at_first * power(SECOND_LOAD / FIRST_LOAD, kind.trail_exponent - 1.0), rated, nominal
    )
    b = _trail_zero() / (TRAIL_ZERO * tangent)
    qbz1, qbz2 = _linear(b, b / PEAK_SHIFT, rated, nominal)
    return {"qdz1": qdz1, "qdz2": qdz2, "qbz1": qbz1, "qbz2": qbz2}


def _trail_zero() -> float:
    """z = B x at which the trail is 0: (1 - E) z + E atan z = tan(pi / (2 C)), by Newton's method."""
    target, z = elementary.tan(0.5 * math.pi / TRAIL_SHAPE), 2.0  # start of the iteration
    for _ in range(20):
        value = (1.0 - TRAIL_CURVATURE) * z + TRAIL_CURVATURE * elementary.atan(z) - target
        z -= value / (1.0 - TRAIL_CURVATURE + TRAIL_CURVATURE / (1.0 + z * z))
    return z


def _rolling_resistance(kind: TireClass, rated: float, nominal: float) -> dict[str, float]:
    """Coefficients of rolling resistance."""
    at_label = LABEL_LOAD * rated / nominal
    total = kind.rolling_resistance / 1000.0 * power(at_label, 1.0 - COMMON["qsy7"])  # 1000 kg per t
    v = LABEL_SPEED / REFERENCE_SPEED
    return {
        "qsy1": CONSTANT_SHARE * total, "qsy3": LINEAR_SHARE * total / v,
        "qsy4": QUARTIC_SHARE * total / (v * v * v * v),
    }  # fmt: skip
