"""Understeer gradient of a vehicle: from its file, or else estimated from its parameters."""

import math
from typing import TYPE_CHECKING

import numpy as np

from driving_sandbox.physics.estimate import Estimate
from driving_sandbox.physics.estimate.cornering_stiffness import cornering_stiffness, pneumatic_trail
from driving_sandbox.physics.estimate.understeer import (
    Wheels,
    characteristic_speed,
    roll_gradient,
    understeer_gradient,
)
from driving_sandbox.physics.maths.products import dot
from driving_sandbox.physics.tire.tire_size import STANDARD_GRAVITY

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

NAME = "understeer_gradient"
CHARACTERISTIC_SPEED = "stability_control.characteristic_speed"  # path of the parameter
NEEDED = ("suspension", "tire", "steering", "compliance")  # slots; other vehicles get no estimate
SLOPE_INTERVAL = 0.1  # fraction of travel, centred at the position at rest, over which the toe curve's slope is taken


def estimated_understeer(vehicle: "Vehicle") -> Estimate | None:
    """Estimate of the gradient from a vehicle's present parameters, rad s^2/m; None if it cannot be computed.

    There is none for a vehicle with trailers, as the weight on its wheels is not its own alone.
    """
    wheels = _wheels(vehicle)
    value = None if wheels is None else understeer_gradient(wheels, _gravity(vehicle))
    if value is None:
        return None
    text = f"{value:.2g} rad*s^2/m ({degrees_per_g(value):.1f} degrees per g)"
    return Estimate(NAME, value, "weight on the axles, cornering stiffness, compliance and roll steer", text)


def understeer(vehicle: "Vehicle") -> float | None:
    """The gradient in a vehicle's file, or else the estimate, rad s^2/m; None if there is neither."""
    in_file = vehicle.info.get("keyboard", {}).get(NAME)
    estimate = estimated_understeer(vehicle) if in_file is None else None
    return estimate.value if estimate else in_file


def estimated_characteristic_speed(vehicle: "Vehicle") -> Estimate | None:
    """Estimate of the characteristic speed, m/s; None if the understeer gradient is unknown or not above 0."""
    gradient, attachment = understeer(vehicle), vehicle.params["suspension"][0]["attachment"]
    if gradient is None or not gradient > 0.0:
        return None
    value = characteristic_speed(float(np.ptp(attachment[: vehicle.wheel_count, 1])), gradient)
    reason = f"wheelbase and an understeer gradient of {degrees_per_g(gradient):.1f} degrees per g"
    return Estimate("characteristic_speed", value, reason, f"{value:.3g} m/s")


def degrees_per_g(gradient: float) -> float:
    """A gradient in rad s^2/m converted to degrees per g."""
    return math.degrees(gradient) * STANDARD_GRAVITY


def _gravity(vehicle: "Vehicle") -> float:
    """Magnitude of gravity, m/s^2."""
    return float(np.sqrt(dot(vehicle.context["gravity"][0], vehicle.context["gravity"][0])))


def _wheels(vehicle: "Vehicle") -> Wheels | None:
    """The wheels' data for the estimate; None if the vehicle lacks some of them."""
    if not all(slot in vehicle.sequence.by_slot for slot in NEEDED) or vehicle.trailers or _gravity(vehicle) == 0.0:
        return None
    count, params = vehicle.wheel_count, vehicle.params
    name, tires = vehicle.sequence.by_slot["tire"].name, params["tire"][0][:count]
    stiffness = [cornering_stiffness(name, tire) for tire in tires]
    load = tires["nominal_load"].astype(float)
    if None in stiffness or load.min() <= 0.0:
        return None
    ahead = params["suspension"][0]["attachment"][:count, 1] - params["body"][0]["centre_of_mass"][1]
    return Wheels(
        ahead=ahead,
        load=load,
        stiffness=np.array(stiffness, float),
        trail=np.array([pneumatic_trail(name, tire) for tire in tires]),
        steered=_steered(vehicle, ahead),
        force_steer=_compliance(vehicle, "lateral_force_steer"),
        moment_steer=_compliance(vehicle, "aligning_moment_steer"),
        roll_steer=_roll_steer(vehicle, load),
    )


def _steered(vehicle: "Vehicle", ahead: np.ndarray) -> np.ndarray:
    """Largest steer angle of each wheel divided by the largest of all. ahead: distances from the centre of mass, m."""
    angles = vehicle.params["steering"][0]["max_angle"][: vehicle.wheel_count].astype(float)
    if vehicle.sequence.by_slot["steering"].name == "ahead_of_mass":
        angles = np.where(ahead > 0.0, angles, 0.0)
    return angles / max(float(np.abs(angles).max()), 1e-9)  # 1e-9: all 0 without steered wheels


def _compliance(vehicle: "Vehicle", name: str) -> np.ndarray:
    """A parameter of each wheel's compliance component, by name; 0 for a component without it."""
    params = vehicle.params["compliance"][0]
    return (
        params[name][: vehicle.wheel_count].astype(float)
        if name in params.dtype.names
        else np.zeros(vehicle.wheel_count)
    )


def _roll_steer(vehicle: "Vehicle", load: np.ndarray) -> np.ndarray:
    """Roll steer of every wheel, rad per m/s^2: slope of toe versus jounce at rest, times jounce per acceleration.

    load: of each wheel at rest, N.
    """
    suspension, count = vehicle.params["suspension"][0], vehicle.wheel_count
    across, travel = suspension["attachment"][:count, 0], suspension["travel"][:count]
    rest_position = _rest_jounce(suspension[:count], load) / travel
    slopes = np.zeros(count)
    for i, wheel in enumerate(vehicle.wheel_names):
        points = vehicle.get(f"compliance.{wheel}.toe")
        if points:
            low, high = np.interp(rest_position[i] + np.array([-0.5, 0.5]) * SLOPE_INTERVAL, *np.transpose(points))
            slopes[i] = (high - low) / (SLOPE_INTERVAL * travel[i])
    return slopes * across * _roll_gradient(vehicle, load, across)


def _rest_jounce(suspension: np.ndarray, load: np.ndarray) -> np.ndarray:
    """Jounce of every wheel at rest, m: as the component derived it, or spring force without preload over stiffness.

    suspension: [n] parameters. load: [n] of each wheel at rest, N.
    """
    names = suspension.dtype.names or ()
    if "rest_jounce" in names:
        return suspension["rest_jounce"].astype(float)
    preload = suspension["preload"] if "preload" in names else 0.0
    return (load - preload) / suspension["stiffness"]


def _roll_gradient(vehicle: "Vehicle", load: np.ndarray, across: np.ndarray) -> float:
    """Roll angle per lateral acceleration, rad s^2/m. across: positions of the wheels to the right, m."""
    suspension, count = vehicle.params["suspension"][0], vehicle.wheel_count
    stiffness = dot(suspension["stiffness"][:count], across * across)
    arm = float(vehicle.params["body"][0]["centre_of_mass"][2])
    if "roll_centre_height" in suspension.dtype.names:
        arm -= float(suspension["roll_centre_height"][:count].mean())
    if "antiroll" in vehicle.sequence.by_slot:
        a, b = (np.array(vehicle.get(f"antiroll.{name}"), int) for name in ("wheel_a", "wheel_b"))
        stiffness += dot(vehicle.get("antiroll.stiffness"), (across[a] - across[b]) ** 2)
    return roll_gradient(load.sum(), arm, float(stiffness), _gravity(vehicle))
