"""Export of a recording as a table: commands and all channels of the re-simulated states, one row per tick."""

import csv
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from driving_sandbox.physics.recording.format import RecordingError
from driving_sandbox.physics.recording.reader import Recording
from driving_sandbox.physics.recording.verification import Difference, Resimulation
from driving_sandbox.physics.recording.world import build_world
from driving_sandbox.physics.vehicle.swap import carry_state
from driving_sandbox.physics.vehicle.vehicle import Vehicle
from driving_sandbox.physics.world.world import World


@dataclass(frozen=True)
class RecordingTable:
    """A recording as a table.

    Attributes:
        names: names of the columns, `time` first; with several vehicles all others begin with `0:`, `1:` and so on.
        units: units of the columns.
        data: float64 [rows, columns].
        created: time of the recording, ISO 8601.
    """

    names: list[str]
    units: list[str]
    data: np.ndarray
    created: str

    @property
    def columns(self) -> dict[str, np.ndarray]:
        """{name: float64 [rows]}, a form that `pandas.DataFrame` accepts."""
        return dict(zip(self.names, self.data.T, strict=True))

    def unit(self, name: str) -> str:
        """Unit of a column."""
        return self.units[self.names.index(name)]


def export(
    recording: Recording | str | Path,
    path: str | Path,
    channels: Sequence[str] | None = None,
    span: tuple[float, float] = (0.0, math.inf),
    trust: Callable[[Path], bool] | None = None,
    rebuild: Callable[..., World] | None = None,
) -> int:
    """Write commands and re-simulated channels, one row per tick, as `.csv` or `.npz`; returns the number of rows.

    The first line of a `.csv` names each column with its unit, as in `tire.fl.load [N]`. An `.npz` has the arrays
    `data` [rows, columns], `names` and `units`. See `table` for the other arguments and errors; RecordingError also for
    another suffix.
    """
    path = str(path)
    if not path.endswith((".csv", ".npz")):
        raise RecordingError(f"{path}: a recording is exported as .csv or .npz")
    rows = table(recording, channels, span, trust, rebuild)
    if path.endswith(".npz"):
        np.savez_compressed(path, data=rows.data, names=np.array(rows.names), units=np.array(rows.units))
    else:
        with open(path, "w", newline="", encoding="utf8") as file:
            writer = csv.writer(file)
            writer.writerow([f"{name} [{unit}]" for name, unit in zip(rows.names, rows.units, strict=True)])
            writer.writerows([[repr(v) for v in row] for row in rows.data.tolist()])
    return len(rows.data)


def table(
    recording: Recording | str | Path,
    channels: Sequence[str] | None = None,
    span: tuple[float, float] = (0.0, math.inf),
    trust: Callable[[Path], bool] | None = None,
    rebuild: Callable[..., World] | None = None,
) -> RecordingTable:
    """The RecordingTable of a recording.

    Args:
        recording: the Recording or its path.
        channels: names of channels, by default all. A name stands for the channel of every vehicle that has it; with a
          vehicle's number before it, as in `0:engine.omega`, only for that vehicle's.
        span: first and last time, s.
        trust, rebuild: as for `verify`.
    Raises:
        RecordingError: the recording cannot be repeated here, has no such channel, or has nothing in the span.
    """
    recording = recording if isinstance(recording, Recording) else Recording.open(recording)
    # 1e-6: a time on a tick stays there despite rounding
    first = max(0, math.ceil(span[0] / recording.tick_seconds - 1e-6) - 1)
    last = min(recording.ticks, math.floor(min(span[1] / recording.tick_seconds, recording.ticks) + 1e-6))
    if first >= last and recording.ticks:
        raise RecordingError(f"{recording.path}: {describe_empty(recording, span)}")
    world = (rebuild or build_world)(recording, trust)
    vehicles = list(world.vehicles)  # at the start: a component swapped in later may have other channels
    states = [np.zeros(max(0, last - first), v.state.dtype) for v in vehicles]
    try:
        _repeat(recording, world, trust, states, first, last)
    except Difference as error:
        raise RecordingError(f"{recording.path}: tick {error.tick}: {error}") from None
    names, units, columns = _columns(recording, vehicles, states, channels, first, last)
    return RecordingTable(names, units, np.column_stack(columns), recording.header["created"])


def describe_empty(recording: Recording, span: tuple[float, float]) -> str:
    """Why nothing of a recording can be exported from a span (start, end), s."""
    start, end = span
    interval = f"after {start:g} s" if math.isinf(end) else f"from {start:g} to {end:g} s"
    return f"there is nothing {interval}; it ends at {recording.seconds:g} s"


def _repeat(
    recording: Recording,
    world: World,
    trust: Callable[[Path], bool] | None,
    states: list[np.ndarray],
    first: int,
    last: int,
) -> None:
    """Simulate again and keep each vehicle's state after the ticks from `first` up to, not including, `last`."""
    resimulation = Resimulation(recording, world, trust)
    resimulation.apply_events(0)
    for k, rows in enumerate(recording.rows()):
        if k == last:
            return
        resimulation.step(rows)
        for vehicle, history in zip(world.vehicles, states, strict=True) if k >= first else ():
            row = history[k - first : k - first + 1]
            if vehicle.state.dtype == history.dtype:
                row.view(np.uint8)[:] = vehicle.state_bytes
            else:
                carry_state(vehicle.state, row)
        resimulation.apply_events(resimulation.tick)


def _columns(
    recording: Recording,
    vehicles: list[Vehicle],
    states: list[np.ndarray],
    wanted: Sequence[str] | None,
    first: int,
    last: int,
) -> tuple[list[str], list[str], list[np.ndarray]]:
    """(names, units, columns) of time, commands and channels of the ticks from `first` up to, not including, `last`."""
    names, units, columns = ["time"], ["s"], [(np.arange(first, last) + 1) * recording.tick_seconds]
    commands, written = recording.commands(first, last), set()
    for i, vehicle in enumerate(vehicles):
        prefix = f"{i}:" if len(vehicles) > 1 else ""
        for name in commands.dtype.names or ():
            names.append(f"{prefix}command.{name}")
            units.append("1")
            columns.append(commands[name][:, i].astype(float))
        known = {c.name: c for c in vehicle.channels()}
        for requested in known if wanted is None else wanted:
            name = requested.removeprefix(prefix)
            if name not in known:
                continue
            written.add(requested)
            names.append(prefix + name)
            units.append(known[name].unit)
            columns.append(vehicle.channel_view(name, states[i]).astype(float))
    missing = [name for name in wanted or () if name not in written]
    if missing:
        raise RecordingError(f"{' and '.join(v.name for v in vehicles)}: no channel {', '.join(missing)}")
    return names, units, columns
