"""Coefficients of a Magic Formula 6.2 tire on a vehicle: from size and class or a file, times the tire's factors."""

import math
from collections.abc import Set as AbstractSet
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from driving_sandbox.physics.estimate import Estimate
from driving_sandbox.physics.estimate import tire as usual
from driving_sandbox.physics.ground.arrays import TIRE_TYPES
from driving_sandbox.physics.ground.surfaces import default_surfaces
from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.schema.yaml_file import YamlMap
from driving_sandbox.physics.tire import mf62, mf62_plain
from driving_sandbox.physics.tire.mf62_coefficients import NAMES, complete_set
from driving_sandbox.physics.tire.mf62_evaluate import record_of
from driving_sandbox.physics.tire.mf62_family import CLASSES, family, rated_load
from driving_sandbox.physics.tire.pacejka import peak
from driving_sandbox.physics.tire.tir_file import read_tir
from driving_sandbox.physics.tire.tire_size import TireSize, read_size

MAX_LOAD_SHARE = 8.0  # largest load / F0, for sets whose peak force grows with load without end
DAMPING = 0.2  # damping of the carcass / sqrt(mass times stiffness): a tenth of critical damping, usual for rubber
LARGEST_SLIP = 1.0  # slip ratio that counts as the peak of longitudinal curves that never fall
LARGEST_ANGLE = math.radians(30.0)  # rad, slip angle that counts as the peak of lateral curves that never fall
REFERENCE_SURFACE = "asphalt"  # of the standard surfaces, dry: sets of coefficients count as measured on it
MIN_PRESSURE_FACTOR = 0.1  # smallest factor of pressure on a stiffness; sets are valid within about a third of p0
SIZE_TOLERANCE = 0.1  # relative, of the radius; tires of one size differ between makes by a few per cent
RESISTANCE_POINTS = 33  # number of points of the table `resisting_loads` of MF62Params (mf62_tire.py)
RESISTANCE_POINTS_PER_F0 = 8.0  # the table has a point for every F0 / 8 of load
CLASS_NAMES = tuple(CLASSES)
FACTORS = {  # {parameter: coefficients that it multiplies, or divides where "/" precedes}
    "longitudinal_grip": "pdx1 pdx2 pvx1 pvx2", "lateral_grip": "pdy1 pdy2 pvy1 pvy2 pvy3 pvy4",
    "slip_stiffness_factor": "pkx1 pkx2", "cornering_stiffness_factor": "pky1", "camber_factor": "pky6 pky7 pvy3 pvy4",
    "trail_factor": "qdz1 qdz2", "relaxation_factor": "/longitudinal_stiffness /lateral_stiffness ptx1 ptx2 pty1",
    "rolling_factor": "qsy1 qsy2 qsy3 qsy4 qsy5 qsy6",
}  # fmt: skip
# Coefficients that must be greater than 0
POSITIVE = ("fnomin", "unloaded_radius", "longvl", "pcx1", "pdx1", "pkx1", "pcy1", "pdy1", "pky1", "pky2")


def from_size(section: YamlMap, key: str) -> dict:
    """{parameter: value} that the preset `size: 205/55 R16 91V` stands for. Raises ConfigError."""
    try:
        size = read_size(str(section[key]))
    except ValueError as error:
        raise section.error(key, str(error)) from None
    return {"section_width": size.section_width, "aspect_ratio": size.aspect_ratio, "rim_radius": size.rim_radius,
            "load_index": size.load_index, "coefficients": {}}  # fmt: skip


def from_file(section: YamlMap, key: str) -> dict:
    """{parameter: value} that the preset `file: name.tir` stands for; the path is relative to the vehicle's file.

    Raises ConfigError.
    """
    if not isinstance(section[key], str):
        raise section.error(key, "must be the path of a tire property file (.tir)")
    path = Path(section.path).resolve().parent / section[key]
    if not path.is_file():
        raise section.error(key, f"no such file: {path}")
    tir = read_tir(path)
    return {"coefficients": tir.coefficients, "pressure": tir.pressure, "measured_on": tir.side}


def size_of(p: np.void, wheel: np.void) -> TireSize:
    """The TireSize of a tire; values that are 0 are estimated from the wheel (WheelParams)."""
    width, aspect, rim = (float(p[name]) for name in ("section_width", "aspect_ratio", "rim_radius"))
    size = usual.dimensions(width, aspect, rim, float(wheel["radius"]), 2.0 * float(wheel["half_width"]))
    return TireSize(*size, float(p["load_index"]))


def rated_load_of(p: np.void) -> float:
    """Rated load of a tire, N: by its load index, or estimated from the load at rest."""
    if p["load_index"] > 0.0:
        return rated_load(float(p["load_index"]))
    return usual.rated_load(float(p["nominal_load"]))


@lru_cache(maxsize=256)
def _family(size: TireSize, tire_class: str, load: float) -> dict[str, float]:
    """`family`, with cached results."""
    return family(size, tire_class, load)


def is_complete(p: np.void) -> bool:
    """Whether a tire's own coefficients include FNOMIN and UNLOADED_RADIUS; then size and class do not add to them."""
    return not any(math.isnan(p["coefficients"][name]) for name in ("fnomin", "unloaded_radius"))


def set_of(p: np.void, wheel: np.void) -> dict:
    """{name: value} of all coefficients of a tire, with its factors. p: its MF62Params. wheel: its WheelParams."""
    own_values = {name: float(p["coefficients"][name]) for name in NAMES if not math.isnan(p["coefficients"][name])}
    values = complete_set(own_values)
    if not is_complete(p):
        by_size = _family(size_of(p, wheel), CLASS_NAMES[int(p["tire_class"])], rated_load_of(p))
        values = complete_set({**by_size, **own_values})
    for factor, names in FACTORS.items():
        for name in names.split():
            scale = float(p[factor])
            values[name.lstrip("/")] *= 1.0 / scale if name[0] == "/" else scale
    return values


def largest_load(c: dict[str, float]) -> float:
    """Load above which one of the two peak forces falls, N; at most MAX_LOAD_SHARE times F0."""
    loads = [MAX_LOAD_SHARE * c["fnomin"]]
    # (A + B d) Fz with d = Fz / F0 - 1 is largest at F0 (B - A) / (2 B), if B < 0
    for at_f0, change in ((c["pdx1"], c["pdx2"]), (c["pdy1"], c["pdy2"])):
        if change < 0.0:
            loads.append(c["fnomin"] * (change - at_f0) / (2.0 * change))
    return min(loads)


def dry_friction(tire_type: str) -> float:
    """Friction of a tire type on REFERENCE_SURFACE."""
    table = default_surfaces()
    return table.surfaces[table.index(REFERENCE_SURFACE)].friction[tire_type]


def derived_numbers(p: np.void, c: dict[str, float], mass: float, wheel: np.void) -> dict:
    """{derived parameter: value} of a tire with the coefficients c.

    mass: mass that the wheel carries, kg.
    wheel: its WheelParams.
    """
    pressure, radius = float(p["pressure"]), float(wheel["radius"])
    change = pressure / c["nompres"] - 1.0 if pressure > 0.0 and c["nompres"] > 0.0 else 0.0  # e of mf62.py
    record = record_of(c)
    steps = [k / RESISTANCE_POINTS_PER_F0 for k in range(RESISTANCE_POINTS)]
    # load to which rolling resistance is proportional: F0 (Fz / F0)^QSY7 (p / p0)^QSY8
    by_pressure = mf62.power(1.0 + change, c["qsy8"])
    resisting_loads = [mf62.power(x, c["qsy7"]) * c["fnomin"] * by_pressure if x else 0.0 for x in steps]
    load = max(float(p["nominal_load"]), usual.MIN_LOAD)
    stiffness = [c[f"{name}_stiffness"] for name in ("longitudinal", "lateral")]
    dry = float(p["dry_friction"]) or dry_friction(TIRE_TYPES[int(p["tire_type"])])
    return {
        "pressure_change": change, "largest_load": largest_load(c), "resisting_loads": resisting_loads,
        "per_dry_friction": 1.0 / dry, "per_fnomin": 1.0 / c["fnomin"],
        # without a given inertia that of a solid disc
        "spin_mass": float(wheel["spin_inertia"]) / radius**2 or 0.5 * float(wheel["mass"]),
        "rated_load": rated_load_of(p),
        # without longitudinal force and camber, at speed 0
        "rolling_resistance": mf62.rolling_moment(record, load, 0.0, 0.0, change, 0.0) / (load * radius),
        "peak_slip": peak(c["pkx1"], c["pcx1"], c["pdx1"], min(c["pex1"], 1.0), LARGEST_SLIP),
        "peak_tangent": peak(
            mf62.cornering_stiffness(record, c["fnomin"], 0.0, 0.0) / c["fnomin"], c["pcy1"], c["pdy1"],
            min(c["pey1"], 1.0), elementary.tan(LARGEST_ANGLE),
        ),
        "damping_x": DAMPING * math.sqrt(mass * stiffness[0]), "damping_y": DAMPING * math.sqrt(mass * stiffness[1]),
    }  # fmt: skip


def plain_numbers(p: np.void, c: dict[str, float]) -> dict[str, float]:
    """{name: value} of mf62_plain.LANE_INPUTS, the inputs of the kernels for plain sets (see mf62_plain.py).

    p: MF62Params with its other derived parameters.
    c: coefficients of a plain set.
    """
    peaks = (float(p["peak_slip"]), float(p["peak_tangent"]))
    dampings = (float(p["damping_x"]), float(p["damping_y"]))
    return mf62_plain.lane_inputs(c, float(p["pressure_change"]), peaks, dampings)


def set_problems(c: dict[str, float]) -> list[tuple[str, str]]:
    """[(parameter, problem)] of a complete set of coefficients."""
    for name in POSITIVE:
        if not c[name] > 0.0:
            return [("coefficients", f"{name.upper()}: {c[name]:g} must be greater than 0")]
    rate = c["vertical_stiffness"] * c["unloaded_radius"] / c["fnomin"]
    if rate * rate < 4.0 * c["q_fz2"]:  # mf62.deflection takes the root of the difference
        return [("coefficients", "VERTICAL_STIFFNESS: must be at least 2 sqrt(Q_FZ2) FNOMIN / UNLOADED_RADIUS")]
    return []


def pressure_problems(p: np.void, c: dict[str, float]) -> list[tuple[str, str]]:
    """[(parameter, problem)] of a pressure at which a stiffness of the set would be too small or negative."""
    pressure, nominal = float(p["pressure"]), c["nompres"]
    if not (pressure > 0.0 and nominal > 0.0):
        return []
    change = pressure / nominal - 1.0
    factors = [1.0 + (c["ppx1"] + c["ppx2"] * change) * change]
    factors += [1.0 + c[name] * change for name in ("ppy1", "ppy2", "pcfx3", "pcfy3", "pfz1")]
    if min(factors) >= MIN_PRESSURE_FACTOR:
        return []
    text = f"{pressure:g} Pa is too far from the nominal {nominal:g} Pa: a stiffness of the tire would be below"
    return [("pressure", f"{text} {MIN_PRESSURE_FACTOR:g} times its nominal value")]


def size_problems(p: np.void, wheel: np.void, c: dict[str, float]) -> list[tuple[str, str]]:
    """[(parameter, problem)] of a size that does not fit the wheel, whose radius is that of the loaded tire."""
    if is_complete(p):
        return []
    record = record_of(c)
    unloaded = mf62.free_radius(record, 0.0)
    # without horizontal forces, at the nominal pressure and without spin
    loaded = unloaded - mf62.deflection(record, c["fnomin"], 0.0, 0.0, 0.0, 0.0)
    smallest, largest = (1.0 - SIZE_TOLERANCE) * loaded, (1.0 + SIZE_TOLERANCE) * unloaded
    if smallest <= float(wheel["radius"]) <= largest:
        return []
    text = f"a tire of this size fits wheels with a radius of {smallest:.3f} to {largest:.3f} m"
    return [("section_width", f"{text}, but wheel.radius is {float(wheel['radius']):.3f} m")]


def estimate(params: Any, wheel_params: Any, wheel_count: int, given: AbstractSet[Any]) -> list[Estimate]:
    """List of Estimate for class, size and load index that are missing in the vehicle file.

    None of them matters to a tire with a complete set of coefficients. The parameters keep their defaults, as size and
    load index are computed anew when the wheel or the load changes; the estimates only name the present results.

    Args:
        params: MF62Params of all wheels.
        wheel_params: WheelParams of all wheels.
        given: set of (wheel index, name) of the parameters in the file.
    """
    values: dict[tuple[str, str, str], list[Any]] = {}  # {(parameter, reason, shown): value of each wheel, or None}
    for i in range(wheel_count):
        if is_complete(params[i]):
            continue
        missing = _missing(params[i], wheel_params[i])
        if (i, "tire_class") not in given:
            shown = CLASS_NAMES[int(params[i]["tire_class"])]
            missing["tire_class"] = ("the usual class of passenger cars", shown)
        for name, (reason, shown) in missing.items():
            value = shown if name == "tire_class" else 0.0
            values.setdefault((name, reason, shown), [None] * wheel_count)[i] = value
    return [Estimate(name, of_wheels, reason, shown) for (name, reason, shown), of_wheels in values.items()]


def _missing(p: np.void, wheel: np.void) -> dict[str, tuple[str, str]]:
    """{parameter: (what its value follows from, the value as text)} of size and load index, as far as they are 0.

    p: MF62Params of a tire. wheel: its WheelParams.
    """
    size, missing = size_of(p, wheel), {}
    if not p["section_width"]:
        missing["section_width"] = ("the wheel's width", f"{size.section_width:.3g} m")
    if not p["rim_radius"]:
        reason = f"the wheel's radius, with a section of {size.aspect_ratio:.3g} of the width"
        missing["rim_radius"] = (reason, f"{size.rim_radius:.3g} m")
    if not p["load_index"]:
        missing["load_index"] = (f"the load at rest, {usual.USUAL_LOAD_SHARE:.0%} of the rated load", "")
    return missing
