"""Thrust levers as a command: what a tank's driver does with two levers, said in the one command all vehicles share.

A thrust of -1..1 for each side becomes throttle and steering such that the lever component (levers.py) moves its levers
back to these thrusts: the outer side, the one with more, sets the throttle t, and with r = inner / outer

    |steer| = (1 - r) / reach,   moved beyond `from_steer` where the levers begin

Both thrusts backwards take the reverse gear. What one steering command cannot say is refused: opposite thrusts of
unequal size say their mean share through the outer side, and a standard tank's tracks never turn against each other.
"""

import math

from physics.command.commands import FIRST, REVERSE, neutral_command
from physics.tank.levers import REACH, SPECIAL


def lever_command(vehicle, left, right, brake=0.0, gear=FIRST):
    """Length-1 COMMAND record of two thrust levers, -1..1 each.

    ValueError: the vehicle has no levers, or they cannot stand like this.
    """
    if "levers" not in vehicle.sequence.by_slot:
        raise ValueError(f"{vehicle.name} has no thrust levers: {transmission_commands(vehicle)}")
    if not (-1.0 <= left <= 1.0 and -1.0 <= right <= 1.0):
        raise ValueError(f"thrusts are -1 to 1, not {left:g} and {right:g}")
    levers = vehicle.params["levers"][0]
    model = int(levers["drive_model"])
    command = neutral_command()
    command["brake"] = brake
    if left == 0.0 and right == 0.0:
        return command
    backwards = left <= 0.0 and right <= 0.0
    a, b = (-left, -right) if backwards else (left, right)
    outer, inner = max(a, b), min(a, b)
    share = (1.0 - inner / outer) / REACH[model]
    if share > 1.0 or (inner < 0.0 and model != SPECIAL):
        raise ValueError(f"{vehicle.name}: levers cannot stand at {left:g} and {right:g}; the outer side leads")
    start = float(levers["from_steer"])
    steer = start + (1.0 - start) * share if share > 0.0 else 0.0
    side = 1.0 if a > b else -1.0  # more thrust on the left turns to the right
    command["throttle"], command["steer"] = outer, math.copysign(steer, side)
    command["gear"] = REVERSE if backwards else gear
    return command


def transmission_commands(vehicle):
    """What a vehicle's transmission takes, in words."""
    slots = vehicle.sequence.by_slot
    if "levers" in slots:
        return "its transmission takes a gear or automatic, the clutch and two thrust levers"
    if "gearbox" in slots:
        return "its transmission takes a gear or automatic, and the clutch"
    if "direct_drive" in slots:
        return "its transmission takes forward, neutral or reverse only"
    return "it has no transmission"
