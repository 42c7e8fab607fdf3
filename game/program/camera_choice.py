"""Which cameras a vehicle has, and how far behind it the chase camera stays."""

from dataclasses import replace
from pathlib import Path

LONG_TAIL = 2.5  # m from the model's origin to the last wheel; what is longer is watched from farther back
BEHIND_TAIL = 9.0  # m from there back to the camera, by eye
HIGH, HIGHER = 3.6, 0.12  # m above the ground, and m more per metre of tail, to look over it; by eye


def cameras_of(vehicle):
    """Name under which a vehicle's cameras are looked for: that of its file."""
    return Path(vehicle.info.get("path") or "default").stem


def chase_settings(train, usual):
    """Settings of the chase camera behind the last wheel of a long vehicle or train; `usual` for a car."""
    if "suspension" not in train[0].sequence.by_slot:
        return usual
    hitch, tail = 0.0, 0.0
    for k, v in enumerate(train):
        if k:
            hitch += train[k - 1].get("contact.hitch_rear")[1] - v.get("contact.hitch_front")[1]
        tail = max(tail, -hitch - float(v.params["suspension"]["attachment"][0, : v.wheel_count, 1].min()))
    if tail < LONG_TAIL:
        return usual
    return replace(usual, distance=tail + BEHIND_TAIL, height=HIGH + HIGHER * tail)
