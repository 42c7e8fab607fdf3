"""Every command and channel of a run as columns with units, and the files they are written to.

CSV: the first row names each column `name [unit]`; numbers are written with enough digits to be read back unchanged.
NPZ: a float64 array per column under its name, `units` (JSON text {name: unit}) and `info` (JSON text about the run).
"""

import csv
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from driving_sandbox.physics.tick.commands import COMMAND
from driving_sandbox.physics.vehicle.trailers import member_prefix
from driving_sandbox.physics.vehicle.vehicle import Vehicle

BLOCK = 256  # rows of raw states buffered before their channels are extracted at once: 4 MB
COMMAND_NAMES = COMMAND.names or ()
COMMAND_UNITS = dict.fromkeys(COMMAND_NAMES, "1")


class Telemetry:
    """Collects rows of one vehicle and its trailers.

    Args:
        vehicle: its channels, and those of its trailers with the prefixes `trailer1.`, `trailer2.` ..., are columns.
        row_count: number of rows that will be added.
    Attributes:
        names, units: of the columns, which are the time, the commands, then the channels.
    """

    def __init__(self, vehicle: Vehicle, row_count: int) -> None:
        self.members = (vehicle, *vehicle.trailers)
        self.names = ["time", *(f"command.{n}" for n in COMMAND_NAMES)]
        self.units = ["s", *COMMAND_UNITS.values()]
        for k, member in enumerate(self.members):
            prefix = member_prefix(k)
            self.names += [prefix + c.name for c in member.channels()]
            self.units += [c.unit for c in member.channels()]
        self._data = np.zeros((len(self.names), row_count))
        self._states = [np.zeros(BLOCK, member.state.dtype) for member in self.members]
        self._state_bytes = [states.view(np.uint8).reshape(BLOCK, -1) for states in self._states]
        self._first_channel = 1 + len(COMMAND_NAMES)
        self._done = self._waiting = 0  # rows extracted, rows buffered

    def add(self, time: float, command: np.ndarray) -> None:
        """Add a row at a time (s): the present state of the vehicles and the command that led to it."""
        row = self._done + self._waiting
        self._data[0, row] = time
        for k, name in enumerate(COMMAND_NAMES):
            self._data[1 + k, row] = command[name][0]
        for buffer, member in zip(self._state_bytes, self.members, strict=True):
            buffer[self._waiting] = member.state_bytes
        self._waiting += 1
        if self._waiting == BLOCK:
            self._take()

    def _take(self) -> None:
        """Extract the channels of the buffered rows."""
        end, k = self._done + self._waiting, self._first_channel
        for member, states in zip(self.members, self._states, strict=True):
            for channel in member.channels():
                self._data[k, self._done : end] = member.channel_view(channel.name, states)[: self._waiting]
                k += 1
        self._done, self._waiting = end, 0

    @property
    def columns(self) -> dict[str, np.ndarray]:
        """{name: float64 array} of the rows so far."""
        self._take()
        return {name: self._data[k, : self._done] for k, name in enumerate(self.names)}

    def write(self, path: Path, info: Mapping[str, Any]) -> None:
        """Write the columns as `.npz` with `info` (plain for JSON), or for any other suffix as CSV without it."""
        path = Path(path)
        if path.suffix == ".npz":
            self._write_npz(path, info)
        else:
            self._write_csv(path)

    def _write_npz(self, path: Path, info: Mapping[str, Any]) -> None:
        """Write an array per column, and units and `info` as JSON."""
        texts = {"units": json.dumps(dict(zip(self.names, self.units, strict=True))), "info": json.dumps(info)}
        with path.open("wb") as file:
            arrays: dict[str, Any] = {**self.columns, **{key: np.array(text) for key, text in texts.items()}}
            np.savez_compressed(file, **arrays)

    def _write_csv(self, path: Path) -> None:
        """Write a header with names and units, then a line per row."""
        columns = self.columns
        with path.open("w", newline="", encoding="utf8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow([f"{name} [{unit}]" for name, unit in zip(self.names, self.units, strict=True)])
            for row in np.column_stack(list(columns.values())):
                writer.writerow([repr(value) for value in row.tolist()])
