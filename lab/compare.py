"""The same commands through two vehicles, or through one vehicle without and with a setup.

Each drives alone, from the same place in the same world, so nothing but the vehicles differs. A manoeuvre is driven by
the first; the second is given the very commands that this led to, not a driver of its own that would make up for the
difference. Optionally both drives are recorded, to be watched together.
"""

from contextlib import nullcontext
from dataclasses import dataclass

import numpy as np

from lab.difference import differences
from lab.maneuvers import motion_of
from physics.command.commands import COMMAND, neutral_command
from physics.recording import Recorder
from physics.trail import Trail
from physics.world import World

CREATED = ""  # comparisons are the same whenever they are made


@dataclass
class Drive:
    """One vehicle's part: rows of its way (physics/trail.py), the commands it was given, its Fault or None."""

    vehicle: object
    rows: np.ndarray
    commands: np.ndarray
    fault: object = None


def drive(vehicle, place, ticks, commands, start, record=None):
    """Drive a vehicle alone.

    Args:
        place: WorldFile. commands: COMMAND array, one per tick (the last holds on), or function(vehicle, world) ->
        driver of a Motion. start: function(world) that stands the vehicle. record: path of a recording, or None.
    """
    world = World(place, [vehicle])
    start(world)
    driver = commands(vehicle, world) if callable(commands) else None
    given = np.zeros(ticks, COMMAND)
    trail = Trail(vehicle, ticks, world.tick_seconds)
    fault, done = None, 0
    one = np.concatenate([neutral_command() for _ in world.vehicles])
    with Recorder(record, world, CREATED) if record else nullcontext() as recorder:
        for tick in range(ticks):
            if driver is not None:
                given[tick] = driver(motion_of(vehicle, tick * world.tick_seconds))[0]
            else:
                given[tick] = commands[min(tick, len(commands) - 1)]
            one[:] = given[tick]
            fault = world.step(one)
            if recorder:
                recorder.record(one, None, fault is not None)
            if fault is not None:
                break
            done = tick + 1
            trail.record(done)
    return Drive(vehicle, trail.rows(0, done), given[:done], fault)


def compare(first, second, place, ticks, commands, start, records=(None, None)):
    """(Drive of the first, Drive of the second, list of lab.difference.Quantity)."""
    one = drive(first, place, ticks, commands, start, records[0])
    other = drive(second, place, ticks, one.commands, start, records[1])
    axles = first.axles if first.axles == second.axles else {}
    found = differences(one.rows, other.rows, axles) if len(one.rows) and len(other.rows) else []
    return one, other, found
