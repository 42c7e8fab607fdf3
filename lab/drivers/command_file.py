"""Commands from a CSV file: a table of pedals, steering and gear over simulated time.

The first row names the columns: `time` and any of throttle, brake, handbrake, clutch, steer, gear and, for tracked
vehicles, thrust_left, thrust_right, brake_left, brake_right. A row holds until the time of the next one (no
interpolation), the last row to the end of the drive; before the first row the command is neutral. `gear` is an index
into the ratio list (0 reverse, 1 neutral, 2.. forward) or `auto`. Empty lines and lines starting with # are skipped.
Anything else is an error with file and line.
"""

import bisect
import csv
import io
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from driving_sandbox.physics.base.input_file import MEGABYTE, read_text
from driving_sandbox.physics.schema.yaml_file import ConfigError, key_hint
from driving_sandbox.physics.tick.commands import AUTOMATIC, COMMAND, LEVER_BRAKES, NEUTRAL, PEDALS, THRUSTS

COLUMNS = ("time", *PEDALS, "steer", "gear", *THRUSTS, *LEVER_BRAKES)
MAX_BYTES = 64 * MEGABYTE  # one hour with a row per tick takes 50 MB
SIGNED = ("steer", *THRUSTS)  # columns of -1..1; the others are 0..1


class CommandFile:
    """A command table, read and checked at once.

    Args:
        path: the CSV file.
        gear_count: number of the vehicle's ratios, to refuse gears that it lacks; None accepts all.
        default_gear: the gear of files without a gear column.
    Attributes:
        times: list of the rows' times, s, increasing.
        commands: COMMAND array, one per row.
    Raises:
        ConfigError: with file, line and column.
    """

    def __init__(self, path: Path | str, gear_count: int | None = None, default_gear: int = AUTOMATIC) -> None:
        self.path = Path(path)
        self._gear_count = gear_count
        rows = self._rows()
        header_row = next(rows, None)
        if header_row is None:
            raise ConfigError(self.path, None, "", "the file is empty; the first row must name the columns")
        header_line, header = header_row
        self._check_header(header_line, header)
        table = [(line, self._parse(line, header, cells)) for line, cells in rows]
        if not table:
            raise ConfigError(self.path, header_line, "", "has no rows of commands below the names of the columns")
        self.commands = np.zeros(len(table), COMMAND)
        self.commands["gear"] = default_gear
        self.times: list[float] = []
        for i, (line, values) in enumerate(table):
            time = values.pop("time")
            if self.times and time <= self.times[-1]:
                raise ConfigError(self.path, line, "time", f"{time:g} must be > {self.times[-1]:g} of the row before")
            self.times.append(time)
            for name, value in values.items():
                self.commands[name][i] = value
        self._before = np.zeros(1, COMMAND)  # the command before the first row
        self._before["gear"] = NEUTRAL

    @property
    def duration(self) -> float:
        """Time of the last row, s."""
        return self.times[-1]

    def command(self, time: float) -> np.ndarray:
        """The command at a time (s): a length-1 COMMAND array, which must not be written to."""
        i = bisect.bisect_right(self.times, time) - 1
        return self._before if i < 0 else self.commands[i : i + 1]

    def _rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield (line number, cells) of every row with content."""
        try:
            reader = csv.reader(io.StringIO(read_text(self.path, MAX_BYTES, "utf-8-sig")), strict=True)
            for cells in reader:
                if cells and not cells[0].startswith("#") and any(cell.strip() for cell in cells):
                    yield reader.line_num, [cell.strip() for cell in cells]
        except FileNotFoundError:
            raise ConfigError(self.path, None, "", "no such file") from None
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(self.path, None, "", f"cannot be read: {error}") from None
        except csv.Error as error:
            raise ConfigError(self.path, reader.line_num, "", f"not valid CSV: {error}") from None

    def _check_header(self, line: int, header: list[str]) -> None:
        """Raise ConfigError for an unknown, repeated or missing column."""
        for name in header:
            if name not in COLUMNS:
                known = ", ".join(COLUMNS)
                raise ConfigError(self.path, line, name, f"unknown column{key_hint(name, COLUMNS)}; known: {known}")
            if header.count(name) > 1:
                raise ConfigError(self.path, line, name, "column given twice")
        if "time" not in header:
            raise ConfigError(self.path, line, "time", "column is missing")

    def _parse(self, line: int, header: list[str], cells: list[str]) -> dict[str, float]:
        """{column: value} of a row. Raises ConfigError."""
        if len(cells) != len(header):
            raise ConfigError(self.path, line, "", f"has {len(cells)} values for {len(header)} columns")
        return {name: self._value(line, name, cell) for name, cell in zip(header, cells, strict=True)}

    def _value(self, line: int, name: str, cell: str) -> float:
        """The value of a cell within the limits of its column. Raises ConfigError."""
        if name == "gear":
            return self._gear(line, cell)
        try:
            value = float(cell)
        except ValueError:
            value = math.nan
        low, high = (0.0, math.inf) if name == "time" else (-1.0 if name in SIGNED else 0.0, 1.0)
        if not math.isfinite(value):
            raise ConfigError(self.path, line, name, f'"{cell}" is not a usable number')
        if not low <= value <= high:
            rule = f"must be >= {low:g}" if math.isinf(high) else f"must lie within {low:g}..{high:g}"
            raise ConfigError(self.path, line, name, f"{cell} {rule}")
        return value

    def _gear(self, line: int, cell: str) -> int:
        """Number of the gear in a cell. Raises ConfigError."""
        if cell.lower() in ("auto", "automatic", str(AUTOMATIC)):
            return AUTOMATIC
        limit = AUTOMATIC if self._gear_count is None else self._gear_count
        if not (cell.isascii() and cell.isdigit()) or int(cell) >= limit:
            kinds = "0 reverse, 1 neutral, 2.. forward, or auto"
            top = "" if self._gear_count is None else f"; this vehicle has 0..{limit - 1}"
            raise ConfigError(self.path, line, "gear", f'"{cell}" must be a gear: {kinds}{top}')
        return int(cell)
