"""Peak friction and slip of the longitudinal peak of a tire, on dry asphalt, by each tire formula.

    combined_slip, legacy      mu = f_road max(friction_versus_slip), of both directions; slip: where g(K) mu(slip) of
                               combined_slip.py is first PLATEAU of its largest value
    pacejka_89, pacejka_94     mu = b1 Fz + b2 and a1 Fz + a2, in N per kN; slip: its derived table over load
    mf_52                      mu = PDX1 + PDX2 d and PDY1 + PDY2 d, d = Fz / Fz0 - 1; slip: the formula's peak at Fz0
    mf_62                      the same times 1 + PPX3 e + PPX4 e^2 and 1 + PPY3 e + PPY4 e^2, e: relative deviation of
                               the pressure; slip: its derived peak at the nominal load

f_road is the friction of the tire's type on dry asphalt in the table of surfaces. Formulas are multiplied by it (mf_62:
relative to that of their measurement), by `grip_factor` and by the largest friction_versus_slip. Camber is 0. A tire of
dry friction (coulomb) has no slip of a peak, and mu = f_road.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from driving_sandbox.lab.advisor.figures import has, rest_loads
from driving_sandbox.physics.base.record import field_names
from driving_sandbox.physics.ground.arrays import TIRE_TYPES
from driving_sandbox.physics.tire.mf62_set import LARGEST_SLIP, dry_friction
from driving_sandbox.physics.tire.pacejka import KN_PER_N, PEAK_LOADS, PERCENT, peak

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

PLATEAU = 0.999  # share of the largest force that counts as the peak of curves with a plateau
SLIPS = np.linspace(0.001, LARGEST_SLIP, 1000)  # slip ratios at which curves are searched for their peak


def peak_frictions(vehicle: "Vehicle", loads: np.ndarray | None = None) -> np.ndarray:
    """[n, 2] peak longitudinal and lateral friction of every tire on dry asphalt; NaN without tires or tire types.

    loads: [n] wheel loads, N; None: at rest.
    """
    if not has(vehicle, "tire", "tire_type"):
        return np.full((vehicle.wheel_count, 2), np.nan)
    loads = rest_loads(vehicle) if loads is None else loads
    tires = vehicle.params["tire"][0][: vehicle.wheel_count]
    return np.array([_frictions(p, float(load)) for p, load in zip(tires, loads, strict=True)])


def peak_slips(vehicle: "Vehicle") -> np.ndarray:
    """[n] longitudinal slip ratio of every tire's peak near its load at rest; NaN for tires without one."""
    tires = vehicle.params["tire"][0][: vehicle.wheel_count]
    return np.array([_peak_slip(p, float(load)) for p, load in zip(tires, rest_loads(vehicle), strict=True)])


def _frictions(p: Any, load: float) -> list[float]:
    """[longitudinal, lateral] peak friction of a tire at a load, N."""
    names = field_names(p.dtype)
    road = dry_friction(TIRE_TYPES[int(p["tire_type"])])
    if "friction_versus_slip" in names:
        road *= float(_curve(p)[1].max())
    road *= float(p["grip_factor"]) if "grip_factor" in names else 1.0
    load = min(load, float(p["largest_load"])) if "largest_load" in names else load
    if "longitudinal" in names:
        b, a = p["longitudinal"]["values"], p["lateral"]["values"]
        return [road * KN_PER_N * float(k[1] * load * KN_PER_N + k[2]) for k in (b, a)]
    if "fz0" in names:
        change = load / float(p["fz0"]) - 1.0
        return [road * float(p[f"pd{axis}1"] + p[f"pd{axis}2"] * change) for axis in "xy"]
    if "per_dry_friction" in names:
        c, e = p["c"], float(p["pressure_change"])
        change = load * float(p["per_fnomin"]) - 1.0
        pressure = {axis: 1.0 + (c[f"pp{axis}3"] + c[f"pp{axis}4"] * e) * e for axis in "xy"}
        road *= float(p["per_dry_friction"])
        return [road * float((c[f"pd{axis}1"] + c[f"pd{axis}2"] * change) * pressure[axis]) for axis in "xy"]
    return [road, road]


def _peak_slip(p: Any, load: float) -> float:
    """Slip ratio of the longitudinal peak of a tire at a load, N; NaN if it has none."""
    names = field_names(p.dtype)
    if "longitudinal" in names:
        steps = np.arange(1, PEAK_LOADS + 1) / PEAK_LOADS * float(p["largest_load"])
        return float(np.interp(load, steps, p["peak_slip"]["values"][:PEAK_LOADS])) / PERCENT
    if "peak_slip" in names:
        return float(p["peak_slip"])
    if "fz0" in names:
        curvature = min(float(p["pex1"]), 1.0)
        return float(peak(float(p["pkx1"]), float(p["pcx1"]), float(p["pdx1"]), curvature, LARGEST_SLIP))
    if {"tire_type", "friction_versus_slip", "longitudinal_stiffness"} <= set(names) and load > 0.0:
        mu = dry_friction(TIRE_TYPES[int(p["tire_type"])]) * np.interp(SLIPS, *_curve(p))
        demand = np.minimum(
            float(p["longitudinal_stiffness"]) * SLIPS / (np.maximum(mu, 1e-9) * load), 3.0
        )  # 1e-9: no 0
        force = mu * (demand - demand**2 / 3.0 + demand**3 / 27.0)
        return float(SLIPS[np.argmax(force >= PLATEAU * force.max())])
    return np.nan


def _curve(p: Any) -> tuple[np.ndarray, np.ndarray]:
    """(slip ratios, factors) of a tire's friction_versus_slip."""
    block = p["friction_versus_slip"]
    return block["x"][: int(block["count"])], block["y"][: int(block["count"])]
