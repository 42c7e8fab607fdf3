"""Which file of cameras a vehicle has, and how far behind it the chase camera stays."""

from dataclasses import replace
from pathlib import Path

LONG_TAIL = 2.5  # m from the model's origin back to the last wheel; longer vehicles are watched from farther back
BEHIND_TAIL = 9.0  # m from the last wheel back to the camera, chosen by eye
HEIGHT = 3.6  # m of the camera above the ground, chosen by eye
HEIGHT_PER_TAIL = 0.12  # m more per metre of tail, to see over it; chosen by eye


def cameras_of(vehicle):
    """Name of a vehicle's camera file: that of its own file, without suffix."""
    return Path(vehicle.info.get("path") or "default").stem


def chase_settings(train, usual):
    """Settings of the chase camera for a train (list of vehicles): `usual` for a car, for longer ones farther back."""
    if "suspension" not in train[0].sequence.by_slot:
        return usual
    hitch, tail = 0.0, 0.0
    for k, v in enumerate(train):
        if k:
            hitch += train[k - 1].get("contact.hitch_rear")[1] - v.get("contact.hitch_front")[1]
        tail = max(tail, -hitch - float(v.params["suspension"]["attachment"][0, : v.wheel_count, 1].min()))
    if tail < LONG_TAIL:
        return usual
    return replace(usual, distance=tail + BEHIND_TAIL, height=HEIGHT + HEIGHT_PER_TAIL * tail)
