"""Dimensions and wheel quantities of a vehicle that drivers use, for any set of components."""

from typing import TYPE_CHECKING

import numpy as np

from driving_sandbox.physics.base.record import field_names

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

OVERHANG = 0.7  # m beyond the axles, assumed for a vehicle without bodywork
HALF_WIDTH = 0.9  # m, assumed for a vehicle without bodywork
TRACKED_STEER = 0.6  # rad, equivalent steer angle at full command where no wheel steers (tracks)
DIRECT_DRIVE_GEARS = 3  # reverse, neutral, forward


def gear_count(vehicle: "Vehicle") -> int:
    """Number of gears a command may select, also for a vehicle without a gearbox."""
    if "gearbox" not in vehicle.sequence.by_slot:
        return DIRECT_DRIVE_GEARS
    return len(vehicle.get("gearbox.ratios"))


def wheelbase(vehicle: "Vehicle") -> float:
    """Distance between the foremost and the rearmost axle, m."""
    if "suspension" not in vehicle.sequence.by_slot:
        body = vehicle.params["body"][0]
        return float(body["front_axle"] + body["rear_axle"])
    along = attachments(vehicle)[:, 1]
    return float(along.max() - along.min())


def front_axle(vehicle: "Vehicle") -> float:
    """Distance of the foremost axle ahead of the centre of mass, m."""
    body = vehicle.params["body"][0]
    if "suspension" not in vehicle.sequence.by_slot:
        return float(body["front_axle"])
    return float(attachments(vehicle)[:, 1].max() - body["centre_of_mass"][1])


def attachments(vehicle: "Vehicle") -> np.ndarray:
    """[n, 3] suspension attachments of the wheels, m."""
    return vehicle.params["suspension"]["attachment"][0, : vehicle.wheel_count]


def steers(vehicle: "Vehicle") -> bool:
    """Whether any wheel is steered."""
    return _steered_angle(vehicle) > 0.0


def reach(vehicle: "Vehicle") -> tuple[float, float, float]:
    """Extent of the bodywork from the model's origin to the front, to the rear and to the side, m."""
    parts = list(vehicle.geometry.parts.values()) if vehicle.geometry is not None else []
    if not parts:
        half = 0.5 * wheelbase(vehicle) + OVERHANG
        return half, half, HALF_WIDTH
    points = np.concatenate(parts)
    return float(points[:, 1].max()), float(-points[:, 1].min()), float(np.abs(points[:, 0]).max())


def largest_steer(vehicle: "Vehicle") -> float:
    """Largest steer angle of any wheel at full command, rad; TRACKED_STEER where none steers."""
    return _steered_angle(vehicle) or TRACKED_STEER


def _steered_angle(vehicle: "Vehicle") -> float:
    """Largest steer angle of any wheel at full command, rad; 0 without steering."""
    params = vehicle.params
    if "steering" not in field_names(params.dtype) or "max_angle" not in field_names(params["steering"].dtype):
        return 0.0
    return float(np.abs(np.atleast_1d(vehicle.params["steering"]["max_angle"][0])[: vehicle.wheel_count]).max())


def end_slips(vehicle: "Vehicle") -> tuple[float, ...]:
    """(front, rear): mean slip angle of the first and of the last axle's tires, rad, positive when sliding right."""
    slip = vehicle.state["tire"]["lateral_slip"][0]
    axles = list(vehicle.axles.values())
    return tuple(sum(float(slip[i]) for i in axle) / len(axle) for axle in (axles[0], axles[-1]))


def wheel_spin(vehicle: "Vehicle", speed: float) -> float:
    """Wheel spin, m/s: rim speed of the fastest wheel less the vehicle's `speed` (m/s), both as magnitudes."""
    n = vehicle.wheel_count
    rims = np.abs(vehicle.state["wheel"]["omega"][0, :n]) * vehicle.params["wheel"]["radius"][0, :n]
    return float(rims.max()) - abs(speed)
