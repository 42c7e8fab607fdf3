"""Variants side by side: tires, all with the same load and speed on ground of friction 1."""

import math

import numpy as np

from driving_sandbox.docs.build.concept import concept, joined, with_component
from driving_sandbox.docs.build.curve import DEGREES, KN, Figure, Line, call, span, vehicle
from driving_sandbox.docs.build.curves_magic import on
from driving_sandbox.physics.base.record import field_names
from driving_sandbox.physics.planar.drive import limited_traction
from driving_sandbox.physics.planar.tire_laws import linear_clamp, magic_formula
from driving_sandbox.physics.tire.combined_slip import friction_factor
from driving_sandbox.physics.tire.legacy import legacy_longitudinal_slip
from driving_sandbox.physics.tire.slip import longitudinal_slip
from driving_sandbox.physics.vehicle.vehicle import Vehicle

LOAD = 3000.0  # N, about what a light car's wheel carries at rest
SPEED = 10.0  # m/s of the contact point along the wheel
SLIP_ANGLE = math.radians(6.0)
PLANAR = {"linear_clamp": linear_clamp, "magic_formula": magic_formula}
ROLLING = ("combined_slip", "legacy", "pacejka_89", "pacejka_94", "mf_52", "mf_62", "coulomb")
ANGLES = span(math.radians(-15.0), math.radians(15.0))


def car_with(tire: str) -> Vehicle:
    """The vehicle on which a tire component is evaluated."""
    if tire == "coulomb":
        return vehicle("patrol")
    if tire == "legacy":
        return with_component("roadster_simple", "tire", "legacy")
    if tire in PLANAR:
        car = vehicle("planar_roadster")
        return car if car.sequence.by_slot["tire"].name == tire else with_component("planar_roadster", "tire", tire)
    return on(tire)


def slip_of(tire: str, car: Vehicle, rim: float, radius: float) -> float:
    """Longitudinal slip by the component's own definition, at a circumferential speed of the tread `rim`, m/s."""
    if tire == "legacy":
        return legacy_longitudinal_slip(SPEED, rim, 1, car.context[0])
    return longitudinal_slip(SPEED, rim / radius, radius, float(car.context["min_active_slip_speed"][0]))


def forces(tire: str, car: Vehicle, angle: float, faster: float) -> tuple[float, float]:
    """(longitudinal, lateral) force of a left front tire, N; `faster`: (rim speed - road speed) / road speed."""
    state, wheel = car.state["tire"][0].copy(), car.state["wheel"][0].copy()
    t, radius = state[0], float(car.params["wheel"][0]["radius"][0])
    rim = SPEED * (1.0 + faster)
    wheel["omega"] = rim / radius
    t["load"], t["friction"] = LOAD, 1.0
    t["longitudinal"], t["lateral"] = (0.0, 1.0, 0.0), (1.0, 0.0, 0.0)
    t["arm"] = car.params["suspension"][0]["arm"][0]
    t["longitudinal_speed"], t["lateral_speed"] = SPEED, SPEED * math.tan(angle)
    t["lateral_slip"], t["longitudinal_slip"] = angle, slip_of(tire, car, rim, radius)
    if "road_friction" in field_names(state.dtype):
        t["road_friction"] = 1.0
    if "friction_versus_slip" in field_names(car.params["tire"].dtype):
        t["friction"] = friction_factor(car.params["tire"][0][0], t["longitudinal_slip"])
    call(car, "tire", "force", state, wheel=wheel)
    return float(t["longitudinal_force"]), float(t["lateral_force"])


def planar_side(tire: str, car: Vehicle, angle: float) -> float:
    """Lateral force by one of the planar vehicle's laws, N."""
    return -PLANAR[tire](car.params["tire"][0][0], angle) * LOAD


@concept(
    "Tires: lateral force",
    "Lateral force at 3 kN over the slip angle, rolling freely at 10 m/s on ground of friction 1. Dry friction holds "
    "without any slip angle. The older vehicles' tire differs from combined_slip only in its longitudinal slip, and "
    "the default sets of 1989 and 1994 describe one tire.",
    tire=(*ROLLING, *PLANAR),
)  # fmt: skip
def variants_tires_lateral() -> Figure:
    """Lateral force of each tire versus the slip angle."""
    lines = []
    for tire in (*ROLLING, *PLANAR):
        car = car_with(tire)
        side = [planar_side(tire, car, a) if tire in PLANAR else forces(tire, car, a, 0.0)[1] for a in ANGLES]
        lines.append(Line(tire, ANGLES * DEGREES, np.array(side) * KN))
    return Figure("slip angle [deg], + moves right", "lateral force [kN], + right", joined(lines))


@concept(
    "Tires: longitudinal force",
    "Longitudinal force of the same tires versus the relative excess of the rim speed over the road speed, each by its "
    "own definition of slip. The planar vehicle's tires have no longitudinal slip.",
    tire=ROLLING,
)  # fmt: skip
def variants_tires_longitudinal() -> Figure:
    """Longitudinal force of each tire versus the excess of its rim speed."""
    faster, lines = span(-0.5, 0.5), []
    for tire in ROLLING:
        car = car_with(tire)
        along = [forces(tire, car, 0.0, k)[0] for k in faster]
        lines.append(Line(tire, faster, np.array(along) * KN))
    return Figure("rim speed / road speed - 1 [1]", "longitudinal force [kN]", joined(lines))


@concept(
    "Tires: combined slip",
    "Both forces of the same tires at a slip angle of 6 degrees while the wheel goes from locked to twice the road's "
    "speed. Those of the planar vehicle have no common limit: the side force is constant up to the largest traction.",
    tire=(*ROLLING, *PLANAR),
)  # fmt: skip
def variants_tires_combined() -> Figure:
    """Both forces of each tire at one slip angle, from locked to spinning."""
    faster, lines = np.sign(s := span(-1.0, 1.0, 401)) * s * s, []  # dense around 0, where the forces change fastest
    for tire in ROLLING:
        car = car_with(tire)
        both = np.array([forces(tire, car, -SLIP_ANGLE, k) for k in faster]) * KN
        lines.append(Line(tire, *both.T))
    for tire in PLANAR:
        car = car_with(tire)
        max_force = limited_traction(2.0 * LOAD, float(car.get("differential.friction")), LOAD)[0] * KN
        side = planar_side(tire, car, -SLIP_ANGLE) * KN
        lines.append(Line(tire, span(-max_force, max_force), np.full(len(span(-max_force, max_force)), side)))
    return Figure("longitudinal force [kN]", "lateral force [kN]", joined(lines))
