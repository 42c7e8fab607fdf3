"""A recording as a table: commands and every channel of the re-simulated states, one row per tick."""

import csv

import numpy as np

from physics.recording_format import RecordingError
from physics.recording_reader import Recording
from physics.recording_verify import Difference, Repeat, build_world
from physics.swap import carry_state


def export(recording, path, channels=None, trust=None, rebuild=None):
    """Write commands and re-simulated channels, one row per tick, as `.csv` or `.npz`; returns the number of rows.

    Args:
        channels: names of channels, by default all that can be plotted.
    The header names each column with its unit: `throttle [1]`, `tire.fl.load [N]`; more than one vehicle puts
    `0:`, `1:` ... before the name. An `.npz` has one array `data`, and `names` and `units` beside it.
    """
    recording = recording if isinstance(recording, Recording) else Recording.open(recording)
    path = str(path)
    if not path.endswith((".csv", ".npz")):
        raise RecordingError(f"{path}: a recording is exported as .csv or .npz")
    world = (rebuild or build_world)(recording, trust)
    repeat = Repeat(recording, world, trust)
    vehicles = list(world.vehicles)  # as they were at first: a component swapped in later may have other channels
    states = [np.zeros(recording.ticks, v.state.dtype) for v in vehicles]
    try:
        repeat.happen(0)
        for k, rows in enumerate(recording.rows()):
            repeat.step(rows)
            for vehicle, history in zip(world.vehicles, states, strict=True):
                if vehicle.state.dtype == history.dtype:
                    history[k : k + 1].view(np.uint8)[:] = vehicle.state_bytes
                else:
                    carry_state(vehicle.state, history[k : k + 1])
            repeat.happen(repeat.tick)
    except Difference as error:
        raise RecordingError(f"{recording.path}: tick {error.tick}: {error}") from None
    names, units, columns = _columns(recording, vehicles, states, channels)
    data = np.column_stack(columns) if recording.ticks else np.zeros((0, len(names)))
    if path.endswith(".npz"):
        np.savez_compressed(path, data=data, names=np.array(names), units=np.array(units))
    else:
        with open(path, "w", newline="", encoding="utf8") as file:
            writer = csv.writer(file)
            writer.writerow([f"{name} [{unit}]" for name, unit in zip(names, units, strict=True)])
            writer.writerows([[repr(v) for v in row] for row in data.tolist()])
    return recording.ticks


def _columns(recording, vehicles, states, wanted):
    """(names, units, columns) of time, commands and channels."""
    names, units, columns = ["time"], ["s"], [(np.arange(recording.ticks) + 1) * recording.tick_seconds]
    commands = recording.commands()
    for i, vehicle in enumerate(vehicles):
        prefix = f"{i}:" if len(vehicles) > 1 else ""
        for name in commands.dtype.names:
            names.append(f"{prefix}command.{name}")
            units.append("1")
            columns.append(commands[name][:, i].astype(float))
        known = {c.name: c for c in vehicle.channels()}
        for name in known if wanted is None else wanted:
            if name not in known:
                raise RecordingError(f"{vehicle.name} has no channel {name}")
            names.append(prefix + name)
            units.append(known[name].unit)
            columns.append(vehicle.channel_view(name, states[i]).astype(float))
    return names, units, columns
