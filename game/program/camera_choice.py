"""Choice of a vehicle's camera file, and of the distance and height of the chase camera behind it."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

# "tail": distance from the model's origin back to the last wheel of a vehicle and its trailers, m
LONG_TAIL = 2.5  # m; for a longer tail the camera stays farther back
DISTANCE_BEHIND_TAIL = 9.0  # m from the last wheel back to the camera, chosen by eye
HEIGHT = 3.6  # m, height of the camera above the vehicle's origin without a tail, chosen by eye
HEIGHT_PER_TAIL = 0.12  # m of additional height per metre of tail, to see over it; chosen by eye


def camera_file_name(vehicle: "Vehicle") -> str:
    """Name of a vehicle's camera file: the name of the vehicle file without suffix."""
    return Path(vehicle.info.get("path") or "default").stem


def chase_settings(train: "Sequence[Vehicle]", standard: Any) -> Any:
    """Chase camera settings for a train (vehicle and trailers): `standard`, or farther back behind a long tail."""
    if "suspension" not in train[0].sequence.by_slot:
        return standard
    origin_y, tail = 0.0, 0.0  # m; origin_y: y of a vehicle's origin in the frame of the first vehicle
    for k, v in enumerate(train):
        if k:  # a trailer: both hitches are at one point
            origin_y += train[k - 1].get("contact.hitch_rear")[1] - v.get("contact.hitch_front")[1]
        tail = max(tail, -origin_y - float(v.params["suspension"]["attachment"][0, : v.wheel_count, 1].min()))
    if tail < LONG_TAIL:
        return standard
    return replace(standard, distance=tail + DISTANCE_BEHIND_TAIL, height=HEIGHT + HEIGHT_PER_TAIL * tail)
