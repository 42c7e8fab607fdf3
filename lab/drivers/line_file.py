"""Driving line file: points with speeds, recorded from a driven lap (RC-AI-03).

    # vehicle: Roadster
    x,y,speed
    10.2,-4.1,12.5

Lines that start with # are comments; `# vehicle:` names the car that drove the lap. x and y are world coordinates in m,
the speed is in m/s. The line is closed: its last point is followed by the first.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from driving_sandbox.physics.base.input_file import MEGABYTE, read_text
from driving_sandbox.physics.schema.yaml_file import ConfigError

HEADER = "x,y,speed"
MAX_BYTES = 16 * MEGABYTE  # half a million points
OWNER = "# vehicle:"
SPACING = 1.0  # m between stored points
MIN_LENGTH = 60.0  # m of a lap; less is turning on the spot
GATE = 12.0  # m; a lap closes where it crosses the start line within this distance of its first point
MIN_SPEED = 1.0  # m/s, lower limit at each point: at zero the follower would stop for ever


@dataclass(frozen=True)
class DrivenLine:
    """A recorded line.

    Attributes:
        points: (n, 2) coordinates, m.
        speeds: (n,) speeds at the points, m/s.
        vehicle: name of the car that drove it, "" if unknown.
    """

    points: np.ndarray
    speeds: np.ndarray
    vehicle: str = ""


def read_line(path: Path | str) -> DrivenLine:
    """A DrivenLine from a file. Raises ConfigError with file, line and column."""
    path = Path(path)
    try:
        lines = read_text(path, MAX_BYTES, "utf-8-sig").splitlines()
    except FileNotFoundError:
        raise ConfigError(path, None, "", "no such file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(path, None, "", f"cannot be read: {error}") from None
    owner, rows, header = "", [], None
    for number, text in enumerate(lines, 1):
        if text.startswith(OWNER):
            owner = text.removeprefix(OWNER).strip()
        if not text.strip() or text.startswith("#"):
            continue
        if header is None:
            header = text.replace(" ", "")
            if header != HEADER:
                raise ConfigError(path, number, "", f"must start with the row {HEADER}, not {text!r}")
            continue
        rows.append(_row(path, number, text))
    if len(rows) < 3:
        raise ConfigError(path, len(lines) or None, "", f"needs at least 3 points, has {len(rows)}")
    table = np.array(rows)
    return DrivenLine(table[:, :2], table[:, 2], owner)


def is_line(path: Path) -> bool:
    """Whether a file looks like a line file, valid or not."""
    try:
        lines = read_text(path, MAX_BYTES, "utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError):
        return False
    first = next((text for text in lines if text.strip() and not text.startswith("#")), "")
    return first.replace(" ", "") == HEADER


def _row(path: Path, number: int, text: str) -> list[float]:
    """The numbers x, y, speed of a row. Raises ConfigError."""
    cells = text.split(",")
    if len(cells) != 3:
        raise ConfigError(path, number, "", f"has {len(cells)} values for the columns {HEADER}")
    row = []
    for name, cell in zip(HEADER.split(","), cells, strict=True):
        try:
            value = float(cell)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise ConfigError(path, number, name, f"{cell.strip()!r} is not a usable number")
        row.append(value)
    if row[2] <= 0.0:
        raise ConfigError(path, number, "speed", f"{row[2]:g} must be > 0")
    return row


def line_text(line: DrivenLine) -> str:
    """The text of a DrivenLine's file, as `read_line` reads it."""
    rows = (f"{x:.3f},{y:.3f},{v:.3f}" for (x, y), v in zip(line.points.tolist(), line.speeds.tolist(), strict=True))
    return "\n".join([f"{OWNER} {line.vehicle}", HEADER, *rows]) + "\n"


class LapRecorder:
    """Records a lap while it is driven: it begins with the first `add` and closes at the start line.

    Attributes:
        line: the DrivenLine once the lap is closed, else None.
        seconds: duration of the lap, so far or in all.
    """

    def __init__(self, vehicle: str = "") -> None:
        self._vehicle = vehicle
        self._positions: list[np.ndarray] = []
        self._speeds: list[float] = []
        self._begin: float | None = None  # time of the start
        self._last: Any = None  # position
        self._direction: Any = None  # at the start, [2]
        self._travelled = 0.0  # m
        self.line: DrivenLine | None = None
        self.seconds = 0.0

    def add(self, position: Sequence[float] | np.ndarray, speed: float, time: float) -> bool:
        """Add a position (x, y, m), the speed there (m/s) and the time (s); returns True when this closes the lap."""
        position = np.array(position[:2], float)
        if self._begin is None:
            self._begin, self._last = time, position
            self._keep(position, speed)
            return False
        if self.line is not None:
            return False
        before, self._last = self._last, position
        self._travelled += float(np.hypot(*(position - before)))
        if self._direction is None and self._travelled > SPACING:
            self._direction = (position - self._positions[0]) / float(np.hypot(*(position - self._positions[0])))
        fraction = self._crossing(before, position) if self._travelled > MIN_LENGTH else None
        if fraction is not None:
            self.seconds += fraction * (time - self._begin - self.seconds)
            self.line = DrivenLine(np.array(self._positions), np.maximum(self._speeds, MIN_SPEED), self._vehicle)
            return True
        self.seconds = time - self._begin
        if float(np.hypot(*(position - self._positions[-1]))) >= SPACING:
            self._keep(position, speed)
        return False

    def _keep(self, position: np.ndarray, speed: float) -> None:
        self._positions.append(position)
        self._speeds.append(float(speed))

    def _crossing(self, before: np.ndarray, position: np.ndarray) -> float | None:
        """Fraction of the step between two positions at which it crosses the start line forwards, or None."""
        a, b = (float((point - self._positions[0]) @ self._direction) for point in (before, position))
        aside = abs(float((position - self._positions[0]) @ np.array([-self._direction[1], self._direction[0]])))
        return -a / (b - a) if a < 0.0 <= b and aside < GATE else None
