"""Thrust and brake levers of a tank as a command, for scripts and tests.

The throttle follows the lever with the larger deflection (tank/levers.py); the gear is commanded as in a car.
"""

import numpy as np

from driving_sandbox.physics.tank.levers import STANDARD
from driving_sandbox.physics.tick.commands import FIRST, neutral_command
from driving_sandbox.physics.vehicle.vehicle import Vehicle


def lever_command(
    vehicle: Vehicle, left: float, right: float, brake_left: float = 0.0, brake_right: float = 0.0, gear: int = FIRST
) -> np.ndarray:
    """COMMAND array, length 1, with two thrust levers and two brake levers.

    Args:
        vehicle: the vehicle that the command is for.
        left, right: thrusts, -1..1, or 0..1 with the drive model `standard`.
        brake_left, brake_right: brake levers, 0..1.
        gear: as in COMMAND.
    Raises:
        ValueError: the vehicle has no levers, or a lever is outside its range.
    """
    if "levers" not in vehicle.sequence.by_slot:
        raise ValueError(f"{vehicle.name} has no thrust levers: {transmission_commands(vehicle)}")
    low = 0.0 if vehicle.params["levers"]["drive_model"][0] == STANDARD else -1.0
    if not (low <= left <= 1.0 and low <= right <= 1.0):
        raise ValueError(f"thrusts of {vehicle.name} must be {low:g} to 1, not {left:g} and {right:g}")
    if not (0.0 <= brake_left <= 1.0 and 0.0 <= brake_right <= 1.0):
        raise ValueError(f"brake levers must be 0 to 1, not {brake_left:g} and {brake_right:g}")
    command = neutral_command()
    command["gear"] = gear
    command["thrust_left"], command["thrust_right"] = left, right
    command["brake_left"], command["brake_right"] = brake_left, brake_right
    return command


def transmission_commands(vehicle: Vehicle) -> str:
    """A sentence that says which commands a vehicle's transmission accepts."""
    slots = vehicle.sequence.by_slot
    if "levers" in slots:
        return "its transmission takes a gear or automatic, the clutch and two thrust levers"
    if "gearbox" in slots:
        return "its transmission takes a gear or automatic, and the clutch"
    if "direct_drive" in slots:
        return "its transmission takes forward, neutral or reverse only"
    return "it has no transmission"
