"""Laps of a recording, their channels, and the alignment of laps driven on different lines.

Two laps are compared at the same position, not at the same travelled distance, as a wider line is longer. One lap is
the *ruler*: a position is projected to the nearest point of its path, and has that point's distance along the path from
the first gate. The search continues from the last result and stays between the last and the next gate, so that it
cannot jump to the other leg of a hairpin or at a crossing. At a gate, all laps have the gate's distance.

The time difference of a lap to another one at a distance s is the lap's t(s) less the other's, each from its own first
gate: positive where the lap is slower.
"""

import contextlib
import json
import math
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from driving_sandbox.lab.timing import Stopwatch, TrackTimes
from driving_sandbox.physics.base.json_text import parse_json
from driving_sandbox.physics.base.user_error import WrongValue
from driving_sandbox.physics.schema.array_file import open_arrays

if TYPE_CHECKING:
    from driving_sandbox.lab.timing import Lap
    from driving_sandbox.physics.recording.reader import Recording
    from driving_sandbox.physics.world.timing import Track

SEGMENT = 60.0  # s of poses decoded at a time
SPACING = 1.0  # m between the points of a ruler; between them, the path is taken as straight
AHEAD = 6  # points searched forwards, in addition to twice as many as lie between two samples
BACK = 3  # points searched backwards
# m from the ruler; farther away all points between the two gates are searched, and the result is NaN if none is nearer
MAX_DISTANCE = 25.0
_HEADER = ("name", "track", "vehicle", "world", "seconds", "exact")  # attributes stored as JSON


class LapError(WrongValue):
    """A file contains no readable lap; `str()` names it."""


@dataclass(frozen=True)
class LapTrace:
    """A lap, or a part of a drive, sampled evenly.

    Attributes:
        name: name of the lap.
        track: name of the track, or None.
        vehicle, world: their names.
        seconds: duration, s.
        exact: True if it was simulated again, False if it was read from stored poses.
        times: [n], s from its start.
        positions: [n, 2] of the model's origin, m.
        channels: {name: [n]}.
    """

    name: str
    track: str | None
    vehicle: str
    world: str
    seconds: float
    exact: bool
    times: np.ndarray
    positions: np.ndarray
    channels: dict

    def save(self, file: IO[bytes]) -> None:
        """Write the lap to an open binary file as `.npz`."""
        header = {key: getattr(self, key) for key in _HEADER}
        values = np.array(list(self.channels.values()), np.float32).reshape(len(self.channels), len(self.times))
        # the file's keys for header and positions are `told` and `places`
        np.savez_compressed(file, told=np.array(json.dumps(header)), times=self.times, places=self.positions,
                            names=np.array(list(self.channels), dtype=np.str_), values=values)  # fmt: skip

    @staticmethod
    def seconds_of(path: Path | str) -> float:
        """Duration of the lap in a file, s. Raises LapError."""
        with _opened(path) as file:
            return float(parse_json(str(file["told"]))["seconds"])

    @classmethod
    def load(cls, path: Path | str) -> "LapTrace":
        """The LapTrace in a file. Raises LapError."""
        with _opened(path) as file:
            header = parse_json(str(file["told"]))
            header = {key: header[key] for key in _HEADER}
            times, positions, values = file["times"], file["places"], file["values"]
            names = file["names"].tolist()
        if positions.shape != (len(times), 2) or values.shape != (len(names), len(times)) or len(times) < 2:
            raise LapError(f"{path}: is no lap")
        return cls(**header, times=times, positions=positions, channels=dict(zip(names, values, strict=True)))


@contextlib.contextmanager
def _opened(path: Path | str) -> Iterator[Any]:
    """Context with the arrays of a file. Raises LapError if it or its content cannot be read."""
    try:
        with open_arrays(path) as file:
            yield file
    except OSError as error:
        raise LapError(f"{path}: {error.strerror or error}") from None
    except (EOFError, KeyError, TypeError, ValueError, zipfile.BadZipFile, zlib.error) as error:
        raise LapError(f"{path}: is no lap: {error}") from None


def laps_of(recording: "Recording", tracks: "list[Track]", index: int = 0) -> "list[Lap]":
    """Every complete Lap of a vehicle in a Recording, timed at the model's origin, s from the recording's start."""
    stopwatch, start, jump_ticks = Stopwatch(tracks), 0.0, recording.jump_ticks(index)
    while start < recording.seconds and tracks:
        end = start + SEGMENT
        times, jumps, vehicles = recording.poses(start, end)
        for time, jump, position in zip(times.tolist(), jumps.tolist(), vehicles[index]["model_position"].tolist(),
                                     strict=True):  # fmt: skip
            if jump and round(time / recording.tick_seconds) in jump_ticks:
                stopwatch.jumped()
            stopwatch.step(position, time)
        start = end
    return stopwatch.laps


class Ruler:
    """A path along which positions are measured.

    Args:
        positions: [n, 2] of a lap from its first gate on, m. Raises ValueError if all are equal.
        track: physics.world.timing.Track, or None.
    Attributes:
        x, y: coordinates of its points, m.
        at: distance of each point from the first along the path, m.
        length: length of the path, m.
        gates: for each gate after the first, the index of the point before it.
    """

    def __init__(self, positions: np.ndarray, track: "Track | None" = None) -> None:
        line = [positions[0].tolist()]
        for x, y in positions[1:].tolist():
            if math.hypot(x - line[-1][0], y - line[-1][1]) >= SPACING:
                line.append([x, y])
        if positions[-1].tolist() != line[-1]:
            line.append(positions[-1].tolist())
        if len(line) < 2:
            raise ValueError("the path has no length")
        self.x, self.y = [x for x, _ in line], [y for _, y in line]
        steps = np.linalg.norm(np.diff(np.array(line), axis=0), axis=1)
        self.at = [0.0, *np.cumsum(steps).tolist()]
        self.length, self.track = self.at[-1], track
        self.gates: list[int] = []
        if track is not None:
            times = TrackTimes(track)
            for k, (before, after) in enumerate(zip(line, line[1:], strict=False)):
                gate = len(self.gates) + 1
                if gate < len(track.gates) and times.passed(gate, before, after) is not None:
                    self.gates.append(k)

    def walk(self, gate: int | None = None) -> "RulerWalk":
        """A RulerWalk from the first gate on or, given the index of the next gate, from anywhere before that gate."""
        return RulerWalk(self, gate=1, current=0) if gate is None else RulerWalk(self, gate)

    def distances(self, positions: np.ndarray) -> np.ndarray:
        """[n] distances of a whole lap's positions [n, 2], m.

        They never decrease: they stay constant while the vehicle goes backwards or is far from the ruler.
        """
        walk = self.walk()
        distances = np.array([walk.step(x, y) for x, y in positions.tolist()])
        return np.fmax.accumulate(np.nan_to_num(distances, nan=-1.0)).clip(0.0)


class RulerWalk:
    """Follows one vehicle along a Ruler; call `step` with its positions in order.

    Args:
        ruler: the Ruler.
        gate: index of the gate that comes next.
        current: index of the ruler's segment to begin at, None if unknown.
    """

    def __init__(self, ruler: Ruler, gate: int, current: int | None = None) -> None:
        self._ruler, self._gate = ruler, gate
        self._times = TrackTimes(ruler.track) if ruler.track is not None else None
        self._current = current  # index of the last segment, or None
        self._before: tuple[float, float] | None = None  # previous position

    def step(self, x: float, y: float) -> float:
        """Distance of the next position, m; NaN far from the ruler."""
        ruler, position = self._ruler, (x, y)
        gates, before, self._before = ruler.gates, self._before, position
        passed = self._gate - 1  # number of gates passed, without the first
        times = self._times if before is not None and passed < len(gates) else None
        if times is not None and before is not None and times.passed(self._gate, before, position) is not None:
            self._current, self._gate, passed = gates[passed], self._gate + 1, passed + 1
        first = gates[passed - 1] if 0 < passed <= len(gates) else 0
        last = gates[passed] if passed < len(gates) else len(ruler.x) - 2
        ahead = AHEAD if before is None else AHEAD + int(2.0 * math.hypot(x - before[0], y - before[1]) / SPACING)
        if self._current is not None:
            square, k, fraction = self._nearest(
                x, y, max(first, self._current - BACK), min(last, self._current + ahead)
            )
        if self._current is None or square > MAX_DISTANCE**2:
            square, k, fraction = self._nearest(x, y, first, last)
        if square > MAX_DISTANCE**2:
            return math.nan
        self._current = k
        return ruler.at[k] + fraction * (ruler.at[k + 1] - ruler.at[k])

    def _nearest(self, x: float, y: float, first: int, last: int) -> tuple[float, int, float]:
        """(square of the distance, segment index, fraction along it) of the nearest point on segments first .. last."""
        xs, ys = self._ruler.x, self._ruler.y
        nearest = (math.inf, first, 0.0)
        for k in range(first, last + 1):
            ax, ay = xs[k], ys[k]
            dx, dy = xs[k + 1] - ax, ys[k + 1] - ay
            fraction = min(1.0, max(0.0, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy)))
            square = (ax + fraction * dx - x) ** 2 + (ay + fraction * dy - y) ** 2
            if square < nearest[0]:
                nearest = (square, k, fraction)
        return nearest


def time_difference(
    distances: np.ndarray, times: np.ndarray, other_distances: np.ndarray, other_times: np.ndarray
) -> np.ndarray:
    """[n] time lost to another lap at each distance of a lap, s; negative if gained.

    NaN from SPACING beyond the other's end on.

    Args:
        distances, times: [n] of the lap.
        other_distances, other_times: [m] of the other.
    """
    others = np.interp(distances, other_distances, other_times)
    return np.where(distances > other_distances[-1] + SPACING, math.nan, times - others)
