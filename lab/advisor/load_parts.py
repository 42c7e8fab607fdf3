"""Checks at load time of components modelled after Racer: centre of mass, inertia, clutch, handbrake, final drive.

The first two apply to a body assembled from parts, the others to any vehicle with the component. Each check takes a
vehicle and the substep (s) of its world, and yields Advice.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from driving_sandbox.lab.advisor.advice import Advice, advise
from driving_sandbox.lab.advisor.figures import curve, has, springs, value, wheel_values

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

HEIGHTS = (0.2, 0.8)  # m, usual range of the centre of mass above the ground
YAW_OVER_PITCH = (0.7, 1.3)  # usual range of the yaw inertia divided by the pitch inertia
ROLL_OVER_PITCH = (0.3, 0.8)  # usual range of the roll inertia divided by the pitch inertia
HANDBRAKE_SHARE = 0.1  # realistic handbrake torque as a fraction of the service brake's
OUTSIDE_TOLERANCE = 1e-6  # m; a point so little outside of the convex hull counts as inside


def ground_height(vehicle: "Vehicle") -> float:
    """Height of the ground in the model's frame with the vehicle at rest on its springs, m."""
    full_droop = wheel_values(vehicle, "suspension", "attachment")[:, 2] - wheel_values(vehicle, "suspension", "travel")
    return float(np.mean(full_droop + springs(vehicle)["rest"] - wheel_values(vehicle, "wheel", "radius")))


def _assembled(vehicle: "Vehicle") -> bool:
    """Whether the body is assembled from parts."""
    return has(vehicle, "body", "cg")


def centre_of_mass(vehicle: "Vehicle", step: float) -> Iterator[Advice]:
    """The centre of mass is at an unusual height, at or below the ground, or outside the convex hull."""
    if not _assembled(vehicle):
        return
    centre = vehicle.params["body"][0]["centre_of_mass"]
    height = float(centre[2]) - ground_height(vehicle)
    if height <= 0.0:
        yield advise("cg_outside", f"{height:.3f} m above the ground", "body.cg")
    elif not HEIGHTS[0] <= height <= HEIGHTS[1]:
        yield advise("cg_height", f"{height:.2f} m above the ground", "body.cg",
                     action=f"{'lower' if height > HEIGHTS[1] else 'raise'} the third number of")  # fmt: skip
    if vehicle.geometry is not None and height > 0.0 and not _in_hull(vehicle.geometry.parts, centre):
        text = ", ".join(f"{c:.2f}" for c in centre)
        yield advise("cg_outside", f"[{text}] m is outside the hull", "body.cg")


def _in_hull(parts: dict[str, np.ndarray], point: np.ndarray) -> bool:
    """True if a point is in the convex hull of all parts."""
    from driving_sandbox.physics.shape.hull import convex_part

    planes = convex_part(np.concatenate(list(parts.values()))).planes
    return bool((planes[:, :3] @ point - planes[:, 3] <= OUTSIDE_TOLERANCE).all())


def inertia_ratios(vehicle: "Vehicle", step: float) -> Iterator[Advice]:
    """The moments of inertia have unusual ratios."""
    if not _assembled(vehicle):
        return
    pitch, roll, yaw = vehicle.params["body"][0]["inertia"].tolist()
    off = not YAW_OVER_PITCH[0] <= yaw / pitch <= YAW_OVER_PITCH[1]
    if off or not ROLL_OVER_PITCH[0] <= roll / pitch <= ROLL_OVER_PITCH[1]:
        text = (
            f"yaw {yaw / pitch:.2f} and roll {roll / pitch:.2f} of pitch {pitch:.0f} kg*m^2; the rule of thumb gives "
            "yaw 0.9 and roll 0.6 of pitch, the axle formula yaw 1.2 of pitch and roll at least half of yaw"
        )
        yield advise("inertia_ratios", text, "body.principal_inertia")


def clutch_capacity(vehicle: "Vehicle", step: float) -> Iterator[Advice]:
    """The clutch transmits less than the engine's largest torque."""
    if not (has(vehicle, "clutch", "max_torque") and has(vehicle, "engine", "torque_curve")):
        return
    peak = value(vehicle, "engine", "peak_torque") * float(curve(vehicle, "engine", "torque_curve")[1].max())
    capacity = value(vehicle, "clutch", "max_torque")
    if capacity < peak:
        yield advise("clutch_capacity", f"holds {capacity:.0f} N*m of the engine's {peak:.0f} N*m", "clutch.max_torque",
                     {"clutch.max_torque": round(1.5 * peak)})  # fmt: skip


def handbrake(vehicle: "Vehicle", step: float) -> Iterator[Advice]:
    """A handbrake without a torque of its own is as strong as the service brake."""
    if not has(vehicle, "brakes", "handbrake_limit"):
        return
    no_torque = wheel_values(vehicle, "brakes", "handbrake_torque") == 0.0
    missing = (wheel_values(vehicle, "brakes", "handbrake") != 0) & no_torque
    if missing.any():
        torque = wheel_values(vehicle, "brakes", "max_torque")
        names = [vehicle.wheel_names[i] for i in np.flatnonzero(missing)]
        tenths = (HANDBRAKE_SHARE * torque[missing]).round(1).tolist()
        changes = {f"brakes.{name}.handbrake_torque": tenth for name, tenth in zip(names, tenths, strict=True)}
        yield advise("handbrake_as_brake", f"{', '.join(names)}: {float(torque[missing].max()):.0f} N*m",
                     f"brakes.{names[0]}.handbrake_torque", changes)  # fmt: skip


def end_ratio(vehicle: "Vehicle", step: float) -> Iterator[Advice]:
    """The gearbox has an end ratio, which has no effect with a differential that has ratios of its own."""
    if not (has(vehicle, "gearbox", "end_ratio") and has(vehicle, "differential", "rear_ratio")):
        return
    end_ratio = value(vehicle, "gearbox", "end_ratio")
    if end_ratio != 1.0:
        yield advise("end_ratio_unused", f"{end_ratio:g}", "gearbox.end_ratio", {"gearbox.end_ratio": 1.0})


PART_CHECKS = (centre_of_mass, inertia_ratios, clutch_capacity, handbrake, end_ratio)
