"""Laps of a recording, their channels, and the alignment of laps driven on different lines.

Two laps are compared at the same position, not at the same distance driven, as a wider line is longer. One lap is the
*ruler*: a position is projected to the nearest point of its path, whose distance from the first gate is the position's
distance. The search continues from the last result and stays between the last and the next gate, so that the other leg
of a hairpin, a crossing or a spin cannot mislead it. At a gate, all laps have the gate's distance.

The time difference at a distance s is t(s) of the one lap less t(s) of the other, each from its own first gate:
positive means that the first lap is slower.
"""

import contextlib
import json
import math
import zipfile
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from driving_sandbox.lab.timing import Stopwatch, TrackTimes
from driving_sandbox.physics.base.json_text import parse_json
from driving_sandbox.physics.base.user_error import WrongValue
from driving_sandbox.physics.schema.array_file import open_arrays

if TYPE_CHECKING:
    from driving_sandbox.lab.timing import Lap
    from driving_sandbox.physics.recording.reader import Recording
    from driving_sandbox.physics.world.timing import Track

STRETCH = 60.0  # s of poses decoded at a time
SPACING = 1.0  # m between the points of a ruler: well below a car's length, and the line between them is straight
AHEAD, BACK = 6, 3  # points searched forwards and backwards, plus twice the distance between two samples
REACH = 25.0  # m off the ruler: beyond it all points up to the next gate are searched, and none may be found
_TEXTS = ("name", "track", "vehicle", "world", "seconds", "exact")


class LapError(WrongValue):
    """A file contains no readable lap; `str()` names it."""


@dataclass(frozen=True)
class LapTrace:
    """A lap, or a part of a drive, sampled evenly.

    Attributes:
        name. track: its name, or None. vehicle, world: names. seconds: its length. times: [n], s from its begin.
        positions: [n, 2], m. channels: {name: [n]}. exact: simulated again, not read from stored poses.
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

    def save(self, file):
        """Write it to an open binary file."""
        header = {key: getattr(self, key) for key in _TEXTS}
        values = np.array(list(self.channels.values()), np.float32).reshape(len(self.channels), len(self.times))
        np.savez_compressed(file, told=np.array(json.dumps(header)), times=self.times, places=self.positions,
                            names=np.array(list(self.channels), dtype=np.str_), values=values)  # fmt: skip

    @staticmethod
    def seconds_of(path):
        """How long the lap of a file took. Raises LapError."""
        with _opened(path) as file:
            return float(parse_json(str(file["told"]))["seconds"])

    @classmethod
    def load(cls, path):
        """Read one back. Raises LapError."""
        with _opened(path) as file:
            header = parse_json(str(file["told"]))
            header = {key: header[key] for key in _TEXTS}
            times, positions, values = file["times"], file["places"], file["values"]
            names = file["names"].tolist()
        if positions.shape != (len(times), 2) or values.shape != (len(names), len(times)) or len(times) < 2:
            raise LapError(f"{path}: is no lap")
        return cls(**header, times=times, positions=positions, channels=dict(zip(names, values, strict=True)))


@contextlib.contextmanager
def _opened(path):
    """The arrays of a file. One that is not there, or any damage, also of its header, is a LapError."""
    try:
        with open_arrays(path) as file:
            yield file
    except OSError as error:
        raise LapError(f"{path}: {error.strerror or error}") from None
    except (EOFError, KeyError, TypeError, ValueError, zipfile.BadZipFile, zlib.error) as error:
        raise LapError(f"{path}: is no lap: {error}") from None


def laps_of(recording: "Recording", tracks: "list[Track]", index: int = 0) -> "list[Lap]":
    """Every whole Lap of a vehicle in a Recording, by the model's origin; `begin` is s from the recording's start."""
    watch, begin, put = Stopwatch(tracks), 0.0, recording.jump_ticks(index)
    while begin < recording.seconds and tracks:
        end = begin + STRETCH
        times, jumps, vehicles = recording.poses(begin, end)
        for time, jump, position in zip(times.tolist(), jumps.tolist(), vehicles[index]["model_position"].tolist(),
                                     strict=True):  # fmt: skip
            if jump and round(time / recording.tick_seconds) in put:
                watch.jumped()
            watch.step(position, time)
        begin = end
    return watch.laps


class Ruler:
    """A path along which positions are measured.

    Args:
        positions: [n, 2] of a lap from its first gate on. track: physics.world.timing.Track, or None.
    Attributes:
        length: m. gates: number of the point behind each gate after the first that it passes.
    """

    def __init__(self, positions, track=None):
        kept = [positions[0].tolist()]
        for x, y in positions[1:].tolist():
            if math.hypot(x - kept[-1][0], y - kept[-1][1]) >= SPACING:
                kept.append([x, y])
        if positions[-1].tolist() != kept[-1]:
            kept.append(positions[-1].tolist())
        if len(kept) < 2:
            raise ValueError("the path has no length")
        self.x, self.y = [x for x, _ in kept], [y for _, y in kept]
        steps = np.linalg.norm(np.diff(np.array(kept), axis=0), axis=1)
        self.at = [0.0, *np.cumsum(steps).tolist()]
        self.length, self.track, self.gates = self.at[-1], track, []
        if track is not None:
            times = TrackTimes(track)
            for k, (before, after) in enumerate(zip(kept, kept[1:], strict=False)):
                gate = len(self.gates) + 1
                if gate < len(track.gates) and times.passed(gate, before, after) is not None:
                    self.gates.append(k)

    def walk(self, gate=None):
        """A RulerWalk from the first gate; with `gate` from any position before that gate, which comes next."""
        return RulerWalk(self, 1, 0) if gate is None else RulerWalk(self, gate)

    def distances(self, positions):
        """Distances of a whole lap's positions [n, 2], monotonic: held while the vehicle goes backwards or has no
        projection.
        """
        walk = self.walk()
        along = np.array([walk.step(x, y) for x, y in positions.tolist()])
        return np.fmax.accumulate(np.nan_to_num(along, nan=-1.0)).clip(0.0)


class RulerWalk:
    """Follows one vehicle along a Ruler; `step` with every position in turn."""

    def __init__(self, ruler, gate, near=None):
        self._ruler, self._gate = ruler, gate
        self._times = TrackTimes(ruler.track) if ruler.track is not None else None
        self._near, self._before = near, None  # number of the segment it was at, the previous position

    def step(self, x, y):
        """Distance of the next position, m; NaN far from the ruler."""
        ruler, here = self._ruler, (x, y)
        gates, before, self._before = ruler.gates, self._before, here
        passed = self._gate - 1  # gates behind it, without the first
        if before is not None and passed < len(gates) and self._times.passed(self._gate, before, here) is not None:
            self._near, self._gate, passed = gates[passed], self._gate + 1, passed + 1
        first = gates[passed - 1] if 0 < passed <= len(gates) else 0
        last = gates[passed] if passed < len(gates) else len(ruler.x) - 2
        ahead = AHEAD if before is None else AHEAD + int(2.0 * math.hypot(x - before[0], y - before[1]) / SPACING)
        if self._near is not None:
            off, k, share = self._nearest(x, y, max(first, self._near - BACK), min(last, self._near + ahead))
        if self._near is None or off > REACH * REACH:
            off, k, share = self._nearest(x, y, first, last)
        if off > REACH * REACH:
            return math.nan
        self._near = k
        return ruler.at[k] + share * (ruler.at[k + 1] - ruler.at[k])

    def _nearest(self, x, y, first, last):
        """(distance squared, number of the piece, share of it) of the nearest point of the pieces first .. last."""
        xs, ys = self._ruler.x, self._ruler.y
        best = (math.inf, first, 0.0)
        for k in range(first, last + 1):
            ax, ay = xs[k], ys[k]
            dx, dy = xs[k + 1] - ax, ys[k + 1] - ay
            share = min(1.0, max(0.0, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy)))
            off = (ax + share * dx - x) ** 2 + (ay + share * dy - y) ** 2
            if off < best[0]:
                best = (off, k, share)
        return best


def time_difference(distances, times, other_distances, other_times):
    """s by which a lap is later than another one at each of its distances; NaN beyond the other's end."""
    there = np.interp(distances, other_distances, other_times)
    return np.where(distances > other_distances[-1] + SPACING, math.nan, times - there)
