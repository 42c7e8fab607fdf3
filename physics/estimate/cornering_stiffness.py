"""Cornering stiffness and pneumatic trail of an upright tire at its static load on dry road, by each tire formula.

    combined_slip, legacy      C (1 - (1 - 1 / X)^3), C for X < 1     C: lateral_stiffness, X: lateral_stiffness_load
    pacejka_89, pacejka_94     a3 sin(2 atan(Fz / a4)), N per degree, Fz in kN
    mf_52                      |PKY1| Fz0 sin(2 atan(Fz / (PKY2 Fz0)))
    mf_62                      PKY1 Fz0 (1 + PPY1 e) sin(PKY4 atan(Fz / (PKY2 (1 + PPY2 e) Fz0)))
                               trail R0 Fz / Fz0 (QDZ1 + QDZ2 (Fz / Fz0 - 1)) (1 - PPZ1 e)

Fz is the static load (`nominal_load`), Fz0 the nominal load of the tire's data, e the relative deviation of the
inflation pressure from the nominal one. The trail of other tires counts as 0.
"""

import math
from collections.abc import Callable

import numpy as np

from driving_sandbox.physics.kernel.elementary import atan, sin

KILO = 1000.0  # N per kN, the unit of load in the sets of 1989 and 1994
DEGREES = 180.0 / math.pi  # per rad


def _combined_slip(p: np.void) -> float:
    full_load = max(float(p["lateral_stiffness_load"]), 1.0)
    return float(p["lateral_stiffness"]) * (1.0 - (1.0 - 1.0 / full_load) ** 3)


def _pacejka(p: np.void) -> float:
    return float(p["a3"]) * DEGREES * sin(2.0 * atan(float(p["nominal_load"]) / KILO / float(p["a4"])))


def _mf_52(p: np.void) -> float:
    nominal = float(p["fz0"])
    return abs(float(p["pky1"])) * nominal * sin(2.0 * atan(float(p["nominal_load"]) / (float(p["pky2"]) * nominal)))


def _mf_62(p: np.void) -> float:
    c, e = p["c"], float(p["pressure_change"])
    x = float(p["nominal_load"]) / (float(c["fnomin"]) * float(c["pky2"]) * (1.0 + float(c["ppy2"]) * e))
    return float(c["pky1"]) * float(c["fnomin"]) * (1.0 + float(c["ppy1"]) * e) * sin(float(c["pky4"]) * atan(x))


FORMULAS: dict[str, Callable[[np.void], float]] = {
    "combined_slip": _combined_slip, "legacy": _combined_slip, "pacejka_89": _pacejka, "pacejka_94": _pacejka,
    "mf_52": _mf_52, "mf_62": _mf_62,
}  # fmt: skip


def cornering_stiffness(name: str, p: np.void) -> float | None:
    """Cornering stiffness of a tire, N/rad; None for a component without a formula here, or if it is not positive.

    Args:
        name: name of the tire component.
        p: parameters of one tire.
    """
    stiffness = FORMULAS[name](p) if name in FORMULAS else 0.0
    return stiffness if stiffness > 0.0 else None


def pneumatic_trail(name: str, p: np.void) -> float:
    """Pneumatic trail behind the wheel's centre, m; arguments as in `cornering_stiffness`."""
    if name != "mf_62":
        return 0.0
    c = p["c"]
    ratio = float(p["nominal_load"]) / float(c["fnomin"])
    pressure_factor = 1.0 - float(c["ppz1"]) * float(p["pressure_change"])
    return float(c["unloaded_radius"]) * ratio * (float(c["qdz1"]) + float(c["qdz2"]) * (ratio - 1.0)) * pressure_factor
