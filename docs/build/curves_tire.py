"""Curves of tires."""

import math
from functools import partial
from pathlib import Path

import numpy as np

from driving_sandbox.docs.build.curve import (
    DEGREES,
    EXAMPLES,
    KN,
    Figure,
    Line,
    call,
    curve,
    line,
    parameters,
    span,
    vehicle,
)
from driving_sandbox.physics.ground.surfaces import default_surfaces
from driving_sandbox.physics.tire.combined_slip import filtered_load, friction_factor, lateral_stiffness
from driving_sandbox.physics.tire.legacy import legacy_longitudinal_slip
from driving_sandbox.physics.tire.slip import longitudinal_slip

FRICTIONS = {  # {label: points [slip, factor]}, three each
    "simple roadster": [[0, 1.0], [0.10, 1.05], [0.6, 0.85]],
    "sport": [[0, 1.0], [0.10, 1.04], [0.6, 0.84]],
    "off-road": [[0, 1.0], [0.2, 1.05], [1.0, 0.92]],
}
LOADS = (0.5, 1.0, 1.5)  # multiples of the rest load
MAGIC_FORMULA = EXAMPLES / "magic_formula_roadster.yaml"


@curve(
    "driving_sandbox.physics.tire.combined_slip",
    "Load filter: the roadster's, which only limits the load to three rest loads, and a flatter one, from (0, 0.2) to "
    "(2, 1.6) in multiples of the rest load, that reduces fluctuations of the tire load.",
)
def load_filter() -> Figure:
    """Tire load versus the suspension's force, for two load filters."""
    p = parameters("roadster_simple", "tire", 0)
    flat = p.copy()
    flat["load_filter"]["x"][:2], flat["load_filter"]["y"][:2] = (0.0, 2.0), (0.2, 1.6)
    force = span(0.0, 4.0 * p["nominal_load"])
    lines = [
        line("roadster_simple", force, lambda f: filtered_load(p, f), KN, KN),
        line("flattened", force, lambda f: filtered_load(flat, f), KN, KN),
    ]
    return Figure("suspension force [kN]", "tire load [kN]", lines)


@curve(
    "driving_sandbox.physics.tire.combined_slip",
    "Factor on the road's friction versus longitudinal slip, with points for no slip, peak and sliding: of the simple "
    "roadster, and typical of sport and off-road tires.",
)
def friction_over_slip() -> Figure:
    """Factor on the road's friction versus the longitudinal slip, for three tires."""
    lines = []
    for label, points in FRICTIONS.items():
        p = parameters("roadster_simple", "tire", 0).copy()
        p["friction_versus_slip"]["x"][:3], p["friction_versus_slip"]["y"][:3] = zip(*points, strict=True)
        lines.append(line(label, span(0.0, 1.2), partial(friction_factor, p)))
    return Figure("|longitudinal slip| [1]", "factor [1]", lines)


@curve(
    "driving_sandbox.physics.tire.combined_slip",
    "Lateral stiffness of the roadster's tires versus load: constant above `lateral_stiffness_load` times the rest "
    "load.",
)
def lateral_stiffness_over_load() -> Figure:
    """Lateral stiffness of the roadster's tires versus load."""
    lines = []
    for label, i in (("front", 0), ("rear", 2)):
        p = parameters("roadster_simple", "tire", i)
        load = span(0.0, 3.0 * p["nominal_load"])
        lines.append(line(label, load, lambda n, p=p: lateral_stiffness(p, n), KN, KN))
    return Figure("load [kN]", "stiffness [kN/rad]", lines)


def forces(name: str | Path, **values: float) -> tuple[float, float]:
    """(longitudinal, lateral) force of a vehicle's left front tire on dry asphalt, by its own tire component."""
    car = vehicle(name)
    state, p = car.state["tire"][0].copy(), car.params["tire"][0][0]
    tire, surfaces = state[0], default_surfaces()
    dry = surfaces[surfaces.index("asphalt")].friction[car.get(f"tire.{car.wheel_names[0]}.tire_type")]
    for key, value in values.items():
        tire[key] = value
    tire["friction"] = dry * friction_factor(p, tire["longitudinal_slip"])
    call(car, "tire", "force", state)
    return float(tire["longitudinal_force"]), float(tire["lateral_force"])


def over_loads(name: str | Path, x: np.ndarray, key: str, axis: int, in_x: float) -> list[Line]:
    """Lines of a force versus a slip or an angle, one for each of LOADS.

    Args:
        axis: index of the force in `forces`.
        in_x: factor from SI to the unit of the x axis.
    """
    rest = parameters(name, "tire", 0)["nominal_load"]  # the rest load in use
    return [
        line(f"load {share * rest * KN:.1f} kN", x,
             lambda v, n=share * rest: forces(name, load=n, **{key: v})[axis], in_x, KN)
        for share in LOADS
    ]  # fmt: skip


ANGLES = span(math.radians(-20.0), math.radians(20.0))


@curve(
    "driving_sandbox.physics.tire.combined_slip",
    "Lateral force of the roadster's left front tire versus the slip angle at half, one and one and a half times its "
    "rest load, rolling freely on dry asphalt.",
)
def lateral_force() -> Figure:
    """Lateral force of the roadster's left front tire versus the slip angle at three loads."""
    return Figure("slip angle [deg], + moves right", "lateral force [kN], + right",
                  over_loads("roadster_simple", ANGLES, "lateral_slip", axis=1, in_x=DEGREES))  # fmt: skip


@curve("driving_sandbox.physics.tire.combined_slip", "The same tire's longitudinal force versus the longitudinal slip.")
def longitudinal_force() -> Figure:
    """Longitudinal force of the same tire versus the longitudinal slip at three loads."""
    return Figure("longitudinal slip [1], + drives", "longitudinal force [kN]",
                  over_loads("roadster_simple", span(-0.6, 0.6), "longitudinal_slip", axis=0, in_x=1.0))  # fmt: skip


@curve(
    "driving_sandbox.physics.tire.combined_slip",
    "Combined slip: both forces of the same tire at its rest load, each line one slip angle while the longitudinal "
    "slip goes from -1 to 1. The kinks in the lines are those of the piecewise linear "
    "curve `friction_versus_slip`.",
)
def combined_slip() -> Figure:
    """Both forces of the same tire while the longitudinal slip goes from -1 to 1."""
    rest = parameters("roadster_simple", "tire", 0)["nominal_load"]
    kappa = np.sign(s := span(-1.0, 1.0, 601)) * s * s  # dense around 0, where the forces change fastest
    lines = []
    for angle in (1.0, 3.0, 6.0, 12.0):
        both = [
            forces("roadster_simple", load=rest, longitudinal_slip=k, lateral_slip=-math.radians(angle)) for k in kappa
        ]
        along, across = np.array(both).T * KN
        lines.append(Line(f"slip angle {angle:g} deg", along, across))
    return Figure("longitudinal force [kN]", "lateral force [kN]", lines)


@curve(
    "driving_sandbox.physics.tire.combined_slip",
    "Camber thrust of the same tire, rolling straight ahead: it acts to the side that the wheel's top leans to.",
)
def camber_thrust() -> Figure:
    """Lateral force of the same tire versus its camber at three loads."""
    return Figure("camber [deg], + top leans right", "lateral force [kN], + right",
                  over_loads("roadster_simple", span(-0.26, 0.26), "camber", axis=1, in_x=DEGREES))  # fmt: skip


@curve(
    "driving_sandbox.physics.tire.legacy",
    "Longitudinal slip of a driven wheel versus the speed of its rim, by the standard and the legacy definition, at "
    "two speeds. The lateral slip, and the forces as functions of slip, are those of combined_slip.",
)
def legacy_slip() -> Figure:
    """Longitudinal slip by both definitions versus the speed of the rim."""
    context = vehicle("roadster_simple").context[0]
    radius = float(parameters("roadster_simple", "wheel", 0)["radius"])
    min_speed = float(context["min_active_slip_speed"])
    lines = []
    for speed in (4.0, 10.0):
        rim = span(0.0, 3.0 * speed)
        legacy = lambda r, v=speed: legacy_longitudinal_slip(v, r, 1, context)  # noqa: E731
        standard = lambda r, v=speed: longitudinal_slip(v, r / radius, radius, min_speed)  # noqa: E731
        lines.append(line(f"legacy, {speed:g} m/s", rim, legacy))
        lines.append(line(f"standard, {speed:g} m/s", rim, standard))
    return Figure("speed of the rim [m/s]", "longitudinal slip [1]", lines)


@curve(
    "driving_sandbox.docs.examples.magic_formula_tire",
    "The worked example's tire on the same car: lateral force versus the slip angle at three loads. It has a peak, and "
    "it grows less than in proportion to load.",
)
def magic_formula_lateral() -> Figure:
    """Lateral force of the worked example's tire versus the slip angle at three loads."""
    return Figure("slip angle [deg], + moves right", "lateral force [kN], + right",
                  over_loads(MAGIC_FORMULA, ANGLES, "lateral_slip", axis=1, in_x=DEGREES))  # fmt: skip


@curve(
    "driving_sandbox.docs.examples.magic_formula_tire",
    "Longitudinal force of the worked example's tire versus the longitudinal slip.",
)
def magic_formula_longitudinal() -> Figure:
    """Longitudinal force of the worked example's tire versus the longitudinal slip."""
    return Figure("longitudinal slip [1], + drives", "longitudinal force [kN]",
                  over_loads(MAGIC_FORMULA, span(-0.6, 0.6), "longitudinal_slip", axis=0, in_x=1.0))  # fmt: skip
