"""Lap and split times of one vehicle, from its positions at the ticks.

Between two ticks the vehicle is assumed to move uniformly in a straight line: from p at t0 to q at t1. Its position is
that of the model's origin, which recordings store and which does not change with components or masses. With the gate
from a (driver's left) to b, its forward normal n = (a_y - b_y, b_x - a_x) and s(p) = n . (p - a), the gate is passed
forwards when s(p) < 0 <= s(q); the fraction f = s(p) / (s(p) - s(q)) gives the position p + f (q - p), which must lie
between a and b, the time t0 + f (t1 - t0), and the speed |q - p| / (t1 - t0).

A lap or run begins at the first gate and counts only if every gate is passed in order; several may be passed in one
tick. Passing the first gate again restarts the lap. On a closed track, rolling back over it before the next gate
cancels the lap, so that a track with one gate cannot be lapped by driving to and fro. A teleport cancels the lap.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from driving_sandbox.lab.units import KMH, MPH

if TYPE_CHECKING:
    from driving_sandbox.physics.world.timing import Track


@dataclass(frozen=True)
class Split:
    """A gate passed.

    Attributes:
        label: label of the gate.
        time: time since the first gate, s.
        speed: speed at the gate, m/s.
    """

    label: str
    time: float
    speed: float


@dataclass(frozen=True)
class Lap:
    """A complete lap of a closed track or run of an open one.

    Attributes:
        track: name of the track.
        begin: time at which it began, s.
        time: duration, s.
        splits: Split of every gate after the first.
    """

    track: str
    begin: float
    time: float
    splits: tuple

    def figures(self) -> dict[str, Any]:
        """{name: value}, plain for JSON."""
        splits = [{"gate": s.label, "seconds": round(s.time, 6), "speed_m_s": round(s.speed, 4)} for s in self.splits]
        return {"track": self.track, "begin_s": round(self.begin, 6), "seconds": round(self.time, 6), "splits": splits}


@dataclass
class TrackTimes:
    """Times of one track.

    Attributes:
        track: physics.world.timing.Track.
        begin: time at which the current lap began, s, or None.
        splits: list of Split of the current lap.
        last, best: the last and the quickest Lap, or None.
        count: number of complete laps.
    """

    track: "Track"
    begin: float | None = None
    splits: list = field(default_factory=list)
    last: Lap | None = None
    best: Lap | None = None
    count: int = 0

    def __post_init__(self) -> None:
        gates = self.track.gates
        self._lines = []  # left x, y, forward normal x, y, squared length of each gate; the first again to end a lap
        for gate in (*gates, gates[0]) if self.track.closed else gates:
            (ax, ay), (bx, by) = gate.left, gate.right
            self._lines.append((ax, ay, ay - by, bx - ax, (bx - ax) ** 2 + (by - ay) ** 2))

    def passed(self, index: int, before: tuple[float, float], after: tuple[float, float]) -> float | None:
        """Fraction of the segment from before to after, (x, y) each, at which a gate is passed forwards, or None."""
        ax, ay, nx, ny, square = self._lines[index]
        s0 = nx * (before[0] - ax) + ny * (before[1] - ay)
        if s0 >= 0.0:
            return None
        s1 = nx * (after[0] - ax) + ny * (after[1] - ay)
        if s1 < 0.0:
            return None
        fraction = s0 / (s0 - s1)
        x = before[0] + fraction * (after[0] - before[0]) - ax
        y = before[1] + fraction * (after[1] - before[1]) - ay
        across = x * ny - y * nx  # along the gate, whose direction from left to right is (ny, -nx)
        return fraction if 0.0 <= across <= square else None

    def step(
        self, before: tuple[float, float], after: tuple[float, float], time: float, dt: float, speed: float
    ) -> Lap | None:
        """Update with the positions before and after a tick that began at `time`; returns the Lap it ended, or None."""
        start = self.passed(0, before, after)
        ended = self._pass_gates(before, after, 0.0, 1.0 if start is None else start, time, dt, speed)
        if start is not None:
            self.begin, self.splits = time + start * dt, []
            ended = self._pass_gates(before, after, start, 1.0, time, dt, speed) or ended
        elif self.track.closed and not self.splits and self.passed(0, after, before) is not None:
            self.begin = None
        return ended

    def _pass_gates(
        self,
        before: tuple[float, float],
        after: tuple[float, float],
        low: float,
        high: float,
        time: float,
        dt: float,
        speed: float,
    ) -> "Lap | None":
        """Pass gates in order between two fractions of the segment; returns the Lap that ended, or None."""
        while self.begin is not None:
            index = len(self.splits) + 1
            fraction = self.passed(index, before, after)
            if fraction is None or not low < fraction <= high:
                break
            low, ended = fraction, self._split(index, time + fraction * dt, speed)
            if ended is not None:
                return ended
        return None

    def _split(self, index: int, time: float, speed: float) -> "Lap | None":
        """Add the split of a gate; returns the Lap if it was the last gate, or None."""
        labels = [gate.label for gate in self.track.gates]
        label = labels[index] if index < len(labels) else "lap"
        begin = self.begin
        assert begin is not None  # `_pass_gates` calls it within a lap
        self.splits.append(Split(label, time - begin, speed))
        if index < len(self._lines) - 1:
            return None
        lap = Lap(self.track.name, begin, time - begin, tuple(self.splits))
        self.last, self.count, self.begin, self.splits = lap, self.count + 1, None, []
        if self.best is None or lap.time < self.best.time:
            self.best = lap
        return lap


class Stopwatch:
    """Times of one vehicle on all tracks of a world.

    Attributes:
        tracks: list of TrackTimes, one for each track.
        laps: every Lap, oldest first.
        shown: TrackTimes of the track on which a step last began, timed, ended or cancelled a lap, or None.
        time: of the latest step, s.
    """

    def __init__(self, tracks: "list[Track]") -> None:
        self.tracks = [TrackTimes(track) for track in tracks]
        self.laps: list[Lap] = []
        self.shown: TrackTimes | None = None
        self._before: tuple[float, float] | None = None
        self.time = 0.0

    def step(self, position: tuple[float, float, float], time: float) -> None:
        """Update with the position (x, y, ...) and time, once per tick."""
        after = (position[0], position[1])
        before, dt = self._before, time - self.time
        self._before, self.time = after, time
        if before is None or dt <= 0.0:
            return
        speed = None
        for times in self.tracks:
            if speed is None:
                speed = ((after[0] - before[0]) ** 2 + (after[1] - before[1]) ** 2) ** 0.5 / dt
            begin, count = times.begin, len(times.splits)
            lap = times.step(before, after, time - dt, dt, speed)
            if lap is not None:
                self.laps.append(lap)
            if lap is not None or times.begin != begin or len(times.splits) != count:
                self.shown = times

    def jumped(self) -> None:
        """Cancel laps in progress, after the vehicle was teleported."""
        self._before = None
        for times in self.tracks:
            times.begin, times.splits = None, []


def clock_text(seconds: float) -> str:
    """Seconds as a text like 1:23.456."""
    minutes, milliseconds = divmod(round(seconds * 1000.0), 60000)
    return f"{minutes}:{milliseconds // 1000:02d}.{milliseconds % 1000:03d}"


def board(times: TrackTimes | None, now: float, miles: bool = False) -> list[tuple[str, str]]:
    """[(text, value)] of a TrackTimes for display at the time `now` (s), speeds in km/h or mph; [] for None."""
    if times is None:
        return []
    what = "lap" if times.track.closed else "run"
    running = [] if times.begin is None else [(what, clock_text(now - times.begin))]
    lines = [(times.track.name, f"{what} {times.count + len(running)}"), *running]
    splits = times.splits or (times.last.splits if times.last else ())
    for split in splits[-4:]:
        value = clock_text(split.time)
        reference = _split_of(times.best, split.label)
        if times.begin is not None and reference is not None:
            value += f"  {split.time - reference:+.3f}"
        if not times.track.closed:
            value += f"  {split.speed / MPH:.1f} mph" if miles else f"  {split.speed / KMH:.1f} km/h"
        lines.append((split.label, value))
    if times.last is not None and times.best is not None:
        lines.append(("last", clock_text(times.last.time)))
        lines.append(("best", clock_text(times.best.time)))
    return lines


def _split_of(lap: Lap | None, label: str) -> float | None:
    """Time of a lap's split with a label, s, or None."""
    return next((split.time for split in lap.splits if split.label == label), None) if lap else None
