"""Curves of a road car's air forces, computed from coefficients."""

import math

import numpy as np

from driving_sandbox.docs.build.concept import with_component
from driving_sandbox.docs.build.curve import DEGREES, Figure, Line, curve, line, span
from driving_sandbox.physics.aero.road_car import MAX_RAKE, axle_lifts, plane_forces

MODULE = "driving_sandbox.physics.aero.road_car"
CAR = "hatchback"


def coefficients(beta: float) -> np.ndarray:
    """(drag, side force, yaw moment) coefficients at a yaw angle, by the component's own forces at 1 m/s."""
    p = with_component(CAR, "aero", "road_car").params["aero"][0]
    right, forward, moment = plane_forces(p, (-math.sin(beta), math.cos(beta), 0.0), 1.0)
    return np.array([-forward, right, -moment / p["wheelbase"]]) / p["area"]


@curve(
    MODULE,
    "Coefficients of the hatchback versus the aerodynamic yaw angle, with the component's defaults: forces along and "
    "across the body, and the yaw moment about the ground point midway between the axles, referred to the wheelbase. A "
    "positive moment turns the nose downwind.",
)
def road_car_over_yaw() -> Figure:
    """Coefficients of drag, side force and yaw moment versus small yaw angles."""
    angles = span(math.radians(-30.0), math.radians(30.0))
    values = np.array([coefficients(beta) for beta in angles])
    names = ("drag", "side force, downwind", "yaw moment, downwind")
    lines = [Line(name, angles * DEGREES, values[:, k]) for k, name in enumerate(names)]
    return Figure("aerodynamic yaw angle [deg], + air from the left", "coefficient [1]", lines)


@curve(MODULE, "The same for air from all directions: equal from behind and from ahead, and no drag in pure side wind.")
def road_car_all_round() -> Figure:
    """The same coefficients for air from all directions."""
    angles = span(-math.pi, math.pi)
    values = np.array([coefficients(beta) for beta in angles])
    names = ("along the body, rearward", "across the body, downwind", "yaw moment, downwind")
    lines = [Line(name, angles * DEGREES, values[:, k]) for k, name in enumerate(names)]
    return Figure("aerodynamic yaw angle [deg], + air from the left", "coefficient [1]", lines)


@curve(MODULE, "Lift coefficients of its axles versus the rake: as the nose dips, the front axle loses lift.")
def road_car_over_rake() -> Figure:
    """Lift coefficients of both axles and of the whole car versus the rake."""
    p = with_component(CAR, "aero", "road_car").params["aero"][0]
    rakes = span(-MAX_RAKE, MAX_RAKE)

    def lift(rake: float, axle: int) -> float:
        return axle_lifts(p, (0.0, 1.0, 0.0), rake, 1.0)[axle] / p["area"]

    lines = [
        line(f"{axle} axle", rakes, lambda r, k=k: lift(r, k), DEGREES) for k, axle in enumerate(("front", "rear"))
    ]
    lines.append(line("both", rakes, lambda r: lift(r, 0) + lift(r, 1), DEGREES, faint=True))
    return Figure("rake [deg], + nose down", "lift coefficient [1]", lines)
