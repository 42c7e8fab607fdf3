"""A drive of one vehicle (with its trailers) without a window: its trajectory, commands and outcome."""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from driving_sandbox.lab.drivers.motion import motion_of
from driving_sandbox.lab.maneuvers import MANEUVERS
from driving_sandbox.lab.measures import MEASURES
from driving_sandbox.lab.outcome import OutcomeMonitor
from driving_sandbox.physics.batch.trajectory import Trajectory
from driving_sandbox.physics.recording import Recorder
from driving_sandbox.physics.tick.commands import COMMAND
from driving_sandbox.physics.world.fault import Fault
from driving_sandbox.physics.world.world import World

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle
    from driving_sandbox.physics.world.world_file import WorldFile

CREATED = ""  # a fixed creation time, so that equal drives give equal files


@dataclass
class Drive:
    """A finished drive.

    Attributes:
        vehicle: the Vehicle that drove; in a train, the towing vehicle.
        rows: samples of its motion (physics/batch/trajectory.py).
        interval: time from one row to the next, s; the first row is one interval after the start.
        commands: COMMAND array, one per tick, including the tick in which a fault ended the drive.
        fault: the Fault that ended the drive, or None.
        events: list of lab.outcome.Event.
        seconds: simulated time up to a fault or the end.
    """

    vehicle: "Vehicle"
    rows: np.ndarray
    interval: float
    commands: np.ndarray
    fault: Fault | None = None
    events: list = field(default_factory=list)
    seconds: float = 0.0

    def measures(self, maneuver: str) -> dict[str, float]:
        """{name: value, nan where undefined} of the measures that apply to a manoeuvre; {} without rows."""
        names = MANEUVERS[maneuver].measures if len(self.rows) else ()
        return {name: MEASURES[name].of(self.rows, self.vehicle.axles, self.interval) for name in names}


def driver_factory(maneuver: str) -> Callable[..., Any]:
    """Function (vehicle, world) that makes a driver for a manoeuvre; to be passed to `drive` as `commands`."""
    return lambda vehicle, world: MANEUVERS[maneuver](vehicle, world, world.tick_seconds)


def drive(vehicle: "Vehicle", world_file: "WorldFile", ticks: int, commands: Any, start: Callable[[World], Any],
          record: Path | str | None = None) -> Drive:  # fmt: skip
    """Drive a vehicle (with its trailers) alone in a world, up to a fault; returns the Drive.

    Args:
        commands: COMMAND array, one per tick (the last one is repeated), or a function (vehicle, world) that
            makes a driver.
        start: function (world) that places the vehicle.
        record: path of a recording, or None.
    """
    world = World(world_file, [vehicle])
    start(world)
    driver = commands(vehicle, world) if callable(commands) else None
    sent = np.zeros(ticks, COMMAND)
    trajectory = Trajectory(vehicle, ticks, world.tick_seconds)
    monitor = OutcomeMonitor([world.vehicles[i] for i in world.trains[0]])
    fault, count = None, 0
    train_command = np.zeros(len(world.vehicles), COMMAND)  # the same for all units of the train
    with Recorder(record, world, CREATED) if record else nullcontext() as recorder:
        for tick in range(ticks):
            if driver is not None:
                sent[tick] = driver(motion_of(vehicle, tick * world.tick_seconds))[0]
            else:
                sent[tick] = commands[min(tick, len(commands) - 1)]
            train_command[:] = sent[tick]
            fault = world.step(train_command)
            if recorder:
                recorder.record(train_command, fault=fault is not None)
            if fault is not None:
                break
            count = tick + 1
            monitor.step(count * world.tick_seconds)
            trajectory.record(count)
    rows, interval = trajectory.rows(0, count), trajectory.every * world.tick_seconds
    return Drive(vehicle, rows, interval, sent[: count + 1], fault, monitor.events, count * world.tick_seconds)
