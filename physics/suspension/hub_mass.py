"""Derived quantities of hubs: their mass, lateral travel per jounce, share of the body's inertia, and tire rate."""

import numpy as np

from driving_sandbox.physics.base.record import field_names
from driving_sandbox.physics.estimate.tire import vertical_stiffness
from driving_sandbox.physics.shape.hull import box_inertia

SOLID_AXLE = 1  # index of the options of `links`
RIGHT = np.array([1.0, 0.0, 0.0])


def inertia_of(body_params: np.void) -> np.ndarray:
    """Inertia of a body's six degrees of freedom: its mass (kg) three times, then its three moments (kg m^2).

    The moments are those of the vehicle file, as derived ones are not known yet when parameters are checked.
    """
    mass, moments = float(body_params["mass"]), body_params["inertia"]
    if "principal_inertia" in field_names(body_params.dtype):
        moments = body_params["principal_inertia"]
        moments = moments if np.all(moments > 0.0) else box_inertia(mass, body_params["box_size"])
    return np.concatenate([np.full(3, mass), moments])


def largest_hub_share(
    params: np.ndarray, body_params: np.void, wheel_params: np.ndarray, wheel_count: int,
    inertia: np.ndarray | None = None,
) -> float:  # fmt: skip
    """Largest ratio of the hubs' inertia to that of the whole body over all directions of motion of the body.

    Each hub contributes its mass along the directions in which it can move relative to the body. 0 if the body's
    inertia is not known.

    inertia: of the body, as from `inertia_of`, which is the default.
    """
    inertia, total = inertia_of(body_params) if inertia is None else inertia, np.zeros((6, 6))
    if not np.all(inertia > 0.0):
        return 0.0
    for p, wheel in zip(params[:wheel_count], wheel_params[:wheel_count], strict=True):
        droop = p["direction"] / np.linalg.norm(p["direction"])
        arm = p["attachment"] - body_params["centre_of_mass"] + droop * p["travel"]
        travel = np.array([lateral_ratio_of(p, float(wheel["radius"])), 0.0, 0.0]) - droop
        for freedom in (travel, RIGHT) if p["joint_compliance"] > 0.0 else (travel,):
            row = np.concatenate([freedom, np.cross(arm, freedom)]) / np.sqrt(inertia)
            total += hub_mass_of(p, wheel) * np.outer(row, row)
    return float(np.linalg.eigvalsh(total)[-1])


def hub_mass_of(p: np.void, wheel: np.void) -> float:
    """Unsprung mass at one wheel, kg: `unsprung_mass`, or if 0 the wheel's mass."""
    return float(p["unsprung_mass"] if p["unsprung_mass"] > 0.0 else wheel["mass"])


def lateral_ratio_of(p: np.void, radius: float) -> float:
    """Displacement of a hub to the right per jounce, if its solid axle rolls about a roll centre; else 0. radius: m."""
    if p["links"] != SOLID_AXLE or p["attachment"][0] == 0.0:
        return 0.0
    return (float(p["roll_centre_height"]) - radius) / float(p["attachment"][0])


def derive_tire(p: np.void, wheel: np.void, weight: float, gravity: float) -> None:
    """Derive the tire's stiffness, free radius, jounce and distance at rest, and write them to UnsprungParams.

    Args:
        p: UnsprungParams, with the hub mass derived.
        wheel: WheelParams.
        weight: load of the tire at rest, N.
        gravity: m/s^2.
    """
    p["tire_rate"] = p["tire_stiffness"] if p["tire_stiffness"] > 0.0 else vertical_stiffness(weight)
    jounce = (weight - p["hub_mass"] * gravity - p["preload"]) / p["stiffness"]
    p["rest_jounce"] = min(max(jounce, 0.0), p["travel"])
    deflection = min(weight / p["tire_rate"], p["tire_depth"])
    p["used_free_radius"] = p["free_radius"] if p["free_radius"] > 0.0 else wheel["radius"] + deflection
    # m that the wheel centre at rest is lower than wheel.radius above the road
    sunk = deflection - (p["used_free_radius"] - wheel["radius"])
    p["used_rest_distance"] = p["travel"] - p["rest_jounce"] - sunk
