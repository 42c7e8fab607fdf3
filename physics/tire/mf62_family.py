"""Tires by size, class and load index: scaling of Magic Formula 6.2 coefficients.

Everything is a function of load per rated load FR = 45 kg g 10^(LI / 80), so that F0 is only a reference point on the
curves. With F1 = 0.65 FR, AR the aspect ratio and a class's numbers at F1:

    mu = mu1 (1 - s (Fz - F1) / FR)         Ky = Kmax sin(2 atan(Fz / Fpk)),  Ky(F1) = c (AR1 / AR)^0.45 F1
    Kx = k Fz exp(0.05 (Fz - F1) / FR)      C = 2 - (2 / pi) asin(force at endless slip per peak)
    E such that the peaks lie at the class's slips at F1, and at 1.1 FR at the same kappa and 1.15 tan(alpha)
    Cz = 0.93 g (0.28e-3 p sqrt((1.03 - 0.4 AR) W OD) + 3.45) N/mm, p in kPa, W and OD in mm     (T. Rhyne)
    trail 0.48 h at F1, h = R0 (0.6 sqrt(n) + 0.82 n) the half patch, n = F1 / (Cz R0)
    none at 1.05 tan(alpha) of the peak

Rolling resistance is that of the class's label at 80 km/h and 0.8 FR. Combined slip follows the similarity of slip
vectors within 0.03 mu Fz. Least certain are longitudinal relaxation, the peaks of truck tires, slicks and off-road
tires. Dry asphalt counts as friction 1; on other ground m scales friction, and stiffness stays.
"""

import math
from dataclasses import dataclass

from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.tire.mf62 import power
from driving_sandbox.physics.tire.tire_size import STANDARD_GRAVITY, TireSize


@dataclass(frozen=True)
class TireClass:
    """Properties common to tires of one class, at F1.

    Attributes:
        mu_x, mu_y: peak friction. fall_x, fall_y: its relative fall per FR of load. cornering: Ky per load, 1/rad, of
        the aspect ratio `aspect`, AR1. slip_stiffness: Kx per load. peak_angle: deg. peak_slip: 1. late_x, late_y:
        force at endless slip per peak. camber: camber stiffness per load, 1/rad. resistance: of the label, kg/t.
        pressure: bar. stiffest: load of the largest Ky per FR. own_load: F0 per FR. carcass: its lateral stiffness
        against that of a touring tire. trail_growth: exponent of the trail over load.
    """

    mu_x: float
    mu_y: float
    fall_x: float
    fall_y: float
    cornering: float
    slip_stiffness: float
    peak_angle: float
    peak_slip: float
    late_y: float
    late_x: float
    camber: float
    resistance: float
    pressure: float
    stiffest: float = 1.45
    own_load: float = 0.65
    carcass: float = 1.0
    trail_growth: float = 0.9
    aspect: float = 0.6


CLASSES = {
    "eco": TireClass(1.02, 0.95, 0.16, 0.22, 12.5, 21.0, 9.5, 0.12, 0.84, 0.66, 0.85, 6.5, 2.5, stiffest=1.5),
    "touring": TireClass(1.1, 1.02, 0.16, 0.22, 13.5, 22.0, 9.0, 0.115, 0.83, 0.64, 0.9, 8.5, 2.3),
    "sport": TireClass(1.22, 1.14, 0.15, 0.2, 16.0, 26.0, 7.5, 0.1, 0.8, 0.62, 1.0, 9.5, 2.4, carcass=1.1),
    "semi_slick": TireClass(
        1.38, 1.31, 0.16, 0.21, 18.0, 30.0, 6.5, 0.09, 0.78, 0.6, 1.1, 12.0, 2.1, stiffest=1.4, carcass=1.25
    ),
    "slick": TireClass(
        1.6, 1.55, 0.18, 0.24, 20.5, 33.0, 6.0, 0.09, 0.76, 0.6, 1.2, 14.0, 1.8, stiffest=1.35, carcass=1.5
    ),
    "all_terrain": TireClass(
        0.98, 0.89, 0.14, 0.2, 11.0, 17.0, 11.0, 0.15, 0.86, 0.7, 0.8, 11.0, 2.4, own_load=0.6
    ),
    "off_road": TireClass(0.86, 0.78, 0.12, 0.18, 9.0, 13.0, 13.0, 0.18, 0.88, 0.74, 0.75, 18.0, 1.8, own_load=0.6),
    "winter": TireClass(0.98, 0.91, 0.15, 0.21, 10.5, 17.0, 10.5, 0.145, 0.86, 0.7, 0.8, 9.5, 2.4),
    "van": TireClass(
        1.0, 0.93, 0.15, 0.21, 10.5, 18.0, 10.5, 0.13, 0.84, 0.66, 0.75, 7.8, 3.8, stiffest=1.6, own_load=0.7
    ),
    "truck": TireClass(
        0.8, 0.75, 0.13, 0.13, 7.4, 13.5, 16.0, 0.14, 0.8, 0.66, 0.55, 5.5, 8.0, stiffest=2.4, own_load=0.8,
        trail_growth=0.65, aspect=0.8,
    ),
    "tractor_trailer": TireClass(
        0.78, 0.73, 0.13, 0.13, 7.0, 13.0, 16.5, 0.14, 0.8, 0.66, 0.5, 4.7, 8.5, stiffest=2.5, own_load=0.8,
        trail_growth=0.65, aspect=0.8,
    ),
}  # fmt: skip
BAR = 1e5  # Pa
LN_10 = 2.302585092994046
FIRST, SECOND = 0.65, 1.1  # loads per FR at which the curves are fitted
LATER_PEAK = 1.15  # tan(alpha) of the peak at the second load against the first
ASPECT_EXPONENT = 0.45  # of the cornering stiffness: low sections are stiff across
SLIP_STIFFNESS_GROWTH = 0.05  # exponent of Kx per load, over Fz / FR
CAMBER_SHARE = 0.5  # of the camber stiffness that the shift of the force makes and friction limits
# Vertical stiffness of T. Rhyne, kg/mm: per kPa and mm, of the section's shape, of the casing without air
PER_PRESSURE, SHAPE, SHAPE_PER_ASPECT, CASING = 0.00028, 1.03, 0.4, 3.45
MEASURED_STIFFNESS = 0.93  # of that, of six published sets, within 6 %
PROGRESSION = 0.06  # B of Fz = A rho + B rho^2, in Cz^2 / F1
# Sinking of the rolling radius: its asymptote (deflections at F1), how early that is reached (1 / F1), slope (1 / Cz)
SINKING, SINKING_LOAD, SINKING_SLOPE = 0.24, 8.0, 0.05
# Stiffness of a touring tire's carcass per Cz: across, less of it with a high section; along
ACROSS, ACROSS_PER_ASPECT, ALONG = 0.7, 0.25, 1.35
# Shares of the carcass's lateral deflection that are the arms of longitudinal force (about z) and of load (about x)
LONGITUDINAL_ARM, LOAD_ARM = 0.25, 0.5
# Half patch per R0 of the deflection per R0, n: of its root and of itself
PATCH_OF_ROOT, PATCH_OF_SINKING = 0.6, 0.82
TRAIL_PER_PATCH = 0.48  # of the half patch
TRAIL_SHAPE, TRAIL_CURVATURE, TRAIL_ZERO = 1.13, -3.0, 1.05
# Slopes of the weights of combined slip, over the slip of the peak, fitted to the similarity of slip vectors
RBX1, RBX2, RBY1, RBY2 = 1.75, 1.58, 1.8, 1.66
LABEL_SPEED, LABEL_LOAD = 80.0 / 3.6, 0.8  # m/s, per FR
STEADY, GROWING, LATE = 0.92, 0.056, 0.024  # shares of a label's resistance: at rest, with speed, with its 4th power
SPEED = 16.7  # m/s, V0
CONSTANT = {
    "q_v1": 0.0006, "q_v2": 0.03, "pky3": 0.4, "pdx3": 1.0, "pdy3": 2.0, "rcx1": 1.07, "rcy1": 1.06, "qbz9": 15.0,
    "qdz8": 0.15, "qsx2": 0.1, "qsy7": 0.85, "qsy8": -0.4, "pcfx3": 0.2, "pcfy3": 0.5, "ppx1": -0.3, "ppx4": -0.3,
    "ppy1": 0.3, "ppy2": 1.0, "ppy4": -0.25, "ppz1": 0.5, "qcz1": TRAIL_SHAPE, "qez1": TRAIL_CURVATURE,
    "longvl": SPEED,
}  # fmt: skip


def rated_load(index: float) -> float:
    """FR, N, of a load index; within 1.5 % of the table of load indices."""
    return 45.0 * STANDARD_GRAVITY * elementary.exp(index / 80.0 * LN_10)


def family(size: TireSize, tire_class: str, rated: float) -> dict[str, float]:
    """{coefficient: value} of a tire. rated: FR, N. KeyError for a class that is none of CLASSES."""
    kind = CLASSES[tire_class]
    first, own = FIRST * rated, kind.own_load * rated
    tangent = elementary.tan(math.radians(kind.peak_angle))
    found = {"unloaded_radius": size.radius, "fnomin": own, "nompres": kind.pressure * BAR, **CONSTANT}
    found |= _friction_and_stiffness(kind, size, rated, own)
    found |= _curvatures(found, kind, tangent, rated)
    cz = _vertical_rate(size, kind.pressure)
    found |= _vertical(size, kind, cz, first, own)
    found |= _carcass(size, kind, cz, own)
    found |= _trail(size, kind, cz, tangent, rated)
    return found | {
        "rbx1": RBX1 / tangent, "rbx2": RBX2 / kind.peak_slip, "rby1": RBY1 / kind.peak_slip, "rby2": RBY2 / tangent,
        "pky6": kind.camber, "pvy3": CAMBER_SHARE * kind.camber, **_resistance(kind, rated, own),
    }  # fmt: skip


def _linear(at_first, at_second, rated, own):
    """(value at F0, change with d) of the straight line through the values at both loads."""
    slope = (at_second - at_first) / ((SECOND - FIRST) * rated)
    return at_first + slope * (own - FIRST * rated), slope * own


def _friction_and_stiffness(kind, size, rated, own):
    first, largest = FIRST * rated, kind.stiffest * rated
    at_first = kind.cornering * power(kind.aspect / size.aspect_ratio, ASPECT_EXPONENT) * first
    x, beyond = first / largest, (own - first) / rated
    return {
        "pdx1": kind.mu_x * (1.0 - kind.fall_x * beyond), "pdx2": -kind.mu_x * kind.fall_x * own / rated,
        "pdy1": kind.mu_y * (1.0 - kind.fall_y * beyond), "pdy2": -kind.mu_y * kind.fall_y * own / rated,
        "pky1": at_first * (1.0 + x * x) / (2.0 * x) / own, "pky2": largest / own, "pky4": 2.0,
        "pkx1": kind.slip_stiffness * elementary.exp(SLIP_STIFFNESS_GROWTH * beyond),
        "pkx3": SLIP_STIFFNESS_GROWTH * own / rated,
        "pcx1": _shape(kind.late_x), "pcy1": _shape(kind.late_y),
    }  # fmt: skip


def _shape(late: float) -> float:
    return 2.0 - elementary.asin(late) / (0.5 * math.pi)


def _curvature(shape: float, z: float) -> float:
    """E of a curve whose peak lies at B x = z."""
    return (elementary.tan(0.5 * math.pi / shape) - z) / (elementary.atan(z) - z)


def _curvatures(c, kind, tangent, rated):
    at = {"x": [], "y": []}
    for share, later in ((FIRST, 1.0), (SECOND, LATER_PEAK)):
        d = share * rated / c["fnomin"] - 1.0
        kx = c["pkx1"] * elementary.exp(c["pkx3"] * d)
        x = share * rated / (c["pky2"] * c["fnomin"])
        ky = c["pky1"] * c["fnomin"] * 2.0 * x / (1.0 + x * x) / (share * rated)
        z = kx / (c["pcx1"] * (c["pdx1"] + c["pdx2"] * d)) * kind.peak_slip
        at["x"].append(_curvature(c["pcx1"], z))
        z = ky / (c["pcy1"] * (c["pdy1"] + c["pdy2"] * d)) * tangent * later
        at["y"].append(_curvature(c["pcy1"], z))
    found = {}
    for axis, values in at.items():
        found[f"pe{axis}1"], found[f"pe{axis}2"] = _linear(*values, rated, c["fnomin"])
    return found


def _vertical_rate(size: TireSize, bar: float) -> tuple[float, float]:
    """(Cz at F1, N/m, and the share of it that pressure makes)."""
    width, diameter = size.section_width * 1000.0, 2000.0 * size.radius  # mm
    shape = SHAPE - SHAPE_PER_ASPECT * size.aspect_ratio
    by_pressure = PER_PRESSURE * bar * 100.0 * math.sqrt(shape * width * diameter)  # 100 kPa per bar
    newtons = MEASURED_STIFFNESS * STANDARD_GRAVITY * 1000.0  # N/m per kg/mm
    return newtons * (by_pressure + CASING), by_pressure / (by_pressure + CASING)


def _vertical(size, kind, rate, first, own):
    at_first, share = rate
    grown = 4.0 * PROGRESSION  # slope^2 at Fz: A^2 + 4 B Fz, Cz^2 at F1
    cz = at_first * math.sqrt(1.0 - grown + grown * own / first)
    return {
        "vertical_stiffness": cz, "q_fz2": PROGRESSION * at_first * at_first / first * size.radius * size.radius / own,
        "pfz1": share, "dreff": SINKING * first / at_first * cz / own, "breff": SINKING_LOAD * own / first,
        "freff": SINKING_SLOPE * cz / at_first,
    }  # fmt: skip


def _carcass(size, kind, rate, own):
    cy = (ACROSS - ACROSS_PER_ASPECT * size.aspect_ratio) * rate[0] * kind.carcass
    return {
        "lateral_stiffness": cy, "longitudinal_stiffness": ALONG * rate[0],
        "ssz2": -LONGITUDINAL_ARM * own / (cy * size.radius), "qsx3": -LOAD_ARM * own / (cy * size.radius),
    }  # fmt: skip


def _trail(size, kind, rate, tangent, rated):
    first, own = FIRST * rated, kind.own_load * rated
    n = first / (rate[0] * size.radius)
    trail = TRAIL_PER_PATCH * size.radius * (PATCH_OF_ROOT * math.sqrt(n) + PATCH_OF_SINKING * n)
    at_first = trail * own / (first * size.radius)
    qdz1, qdz2 = _linear(at_first, at_first * power(SECOND / FIRST, kind.trail_growth - 1.0), rated, own)
    b = _trail_ends() / (TRAIL_ZERO * tangent)
    qbz1, qbz2 = _linear(b, b / LATER_PEAK, rated, own)
    return {"qdz1": qdz1, "qdz2": qdz2, "qbz1": qbz1, "qbz2": qbz2}


def _trail_ends() -> float:
    """B x at which the trail is 0: (1 - E) z + E atan z = tan(pi / (2 C)), by Newton's rule."""
    wanted, z = elementary.tan(0.5 * math.pi / TRAIL_SHAPE), 2.0
    for _ in range(20):
        value = (1.0 - TRAIL_CURVATURE) * z + TRAIL_CURVATURE * elementary.atan(z) - wanted
        z -= value / (1.0 - TRAIL_CURVATURE + TRAIL_CURVATURE / (1.0 + z * z))
    return z


def _resistance(kind, rated, own):
    at_label = LABEL_LOAD * rated / own
    size = kind.resistance / 1000.0 * power(at_label, 1.0 - CONSTANT["qsy7"])
    v = LABEL_SPEED / SPEED
    return {"qsy1": STEADY * size, "qsy3": GROWING * size / v, "qsy4": LATE * size / (v * v * v * v)}
