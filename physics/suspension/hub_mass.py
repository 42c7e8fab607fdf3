"""Mass of hubs, their travel per jounce, and their share of the body's inertia, for the derivation of parameters."""

import numpy as np

from driving_sandbox.physics.shape.hull import box_inertia

SOLID_AXLE = 1  # index of the options of `links`
SIDEWAYS = np.array([1.0, 0.0, 0.0])


def inertia_of(body_params):
    """(mass three times, moments about the body's axes) as authored: derived ones come after the check."""
    mass, given = float(body_params["mass"]), body_params["inertia"]
    if "principal_inertia" in body_params.dtype.names:
        given = body_params["principal_inertia"]
        given = given if np.all(given > 0.0) else box_inertia(mass, body_params["box_size"])
    return np.concatenate([np.full(3, mass), given])


def added_share(params, body_params, wheel_params, wheel_count):
    """Largest share that hubs have in the body's inertia, in any direction of its motion; 0 before that is known."""
    inertia, total = inertia_of(body_params), np.zeros((6, 6))
    if not np.all(inertia > 0.0):
        return 0.0
    for p, wheel in zip(params[:wheel_count], wheel_params[:wheel_count], strict=True):
        droop = p["direction"] / np.linalg.norm(p["direction"])
        arm = p["attachment"] - body_params["centre_of_mass"] + droop * p["travel"]
        way = np.array([lateral_ratio_of(p, float(wheel["radius"])), 0.0, 0.0]) - droop
        for free in (way, SIDEWAYS) if p["joint_compliance"] > 0.0 else (way,):
            row = np.concatenate([free, np.cross(arm, free)]) / np.sqrt(inertia)
            total += hub_mass_of(p, wheel) * np.outer(row, row)
    return float(np.linalg.eigvalsh(total)[-1])


def hub_mass_of(p, wheel):
    return float(p["unsprung_mass"] if p["unsprung_mass"] > 0.0 else wheel["mass"])


def lateral_ratio_of(p, radius):
    """Way of the hub to the right per jounce."""
    if p["links"] != SOLID_AXLE or p["attachment"][0] == 0.0:
        return 0.0
    return (float(p["roll_centre_height"]) - radius) / float(p["attachment"][0])
