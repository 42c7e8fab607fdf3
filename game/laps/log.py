"""Samples of the lap being driven, for plots and the gap to the best lap."""

from typing import Any

import numpy as np

from driving_sandbox.lab.laps import Ruler

LOG_INTERVAL = 1.0 / 60.0  # s between two samples
FROM_START = 0.2  # s; a log whose first sample is this soon after the lap's start counts as complete
FIRST_CAPACITY = 1024  # samples; the capacity is doubled when the log is full


class LapLog:
    """The lap being driven, sample after sample.

    Args:
        track: name of the track.
        begin: the session's time at the start of the lap, s.
        ruler: lab.laps.Ruler along which distances are measured; None for the lap's own path.
        gate: index of the next gate, as the log may begin within a lap.
    Attributes (and track, begin, ruler, as above):
        seconds: time since the start of the lap at the last call of `sample`, s.
        count: number of samples.
    """

    def __init__(self, track: str, begin: float, ruler: Ruler | None, gate: int) -> None:
        self.track, self.begin, self.seconds, self.count = track, begin, 0.0, 0
        self._times, self._distances, self._positions = (
            np.zeros(FIRST_CAPACITY),
            np.zeros(FIRST_CAPACITY),
            np.zeros((FIRST_CAPACITY, 2)),
        )
        self._series: dict[str, np.ndarray] = {}  # {channel: samples}
        self._gate = gate
        self.measure(ruler)

    def measure(self, ruler: Ruler | None) -> None:
        """Measure distances along another ruler (None: the lap's own path), also those of the samples so far."""
        self.ruler = ruler
        self._walk: Any = None  # lab.laps.RulerWalk of the samples so far
        for k in range(self.count):
            self._distances[k] = self._distance(k)

    def _distance(self, k: int) -> float:
        """Distance of sample k from the first gate along the ruler, or from the first sample along the own path, m."""
        x, y = self._positions[k].tolist()
        if self.ruler is None:
            step = self._positions[k] - self._positions[k - 1]
            return 0.0 if not k else self._distances[k - 1] + float(np.hypot(*step))
        if not k:
            self._walk = self.ruler.walk(None if self._times[0] < FROM_START else self._gate)
        return self._walk.step(x, y)

    def sample(self, time: float, position: Any, values: dict[str, float]) -> None:
        """Update `seconds`, and take one sample if LOG_INTERVAL has passed since the last one.

        Args:
            time: the session's time, s.
            position: (x, y, ...), m.
            values: {channel: value}.
        """
        self.seconds, k = time - self.begin, self.count
        if k and self.seconds - self._times[k - 1] < LOG_INTERVAL - 1e-6:  # 1e-6 s: rounding of times
            return
        if k == len(self._times):
            self._times, self._distances, self._positions = (
                np.concatenate([a, np.zeros_like(a)]) for a in (self._times, self._distances, self._positions)
            )
            self._series = {n: np.concatenate([a, np.full(k, np.nan)]) for n, a in self._series.items()}
        for name, value in values.items():
            if name not in self._series:
                self._series[name] = np.full(len(self._times), np.nan)
            self._series[name][k] = value
        self._times[k], self._positions[k] = self.seconds, position[:2]
        self._distances[k] = self._distance(k)
        self.count = k + 1

    @property
    def times(self) -> np.ndarray:
        """Time of each sample from the start of the lap, [count], s."""
        return self._times[: self.count]

    @property
    def distances(self) -> np.ndarray:
        """Distance of each sample from the first gate or, without a ruler, from the first sample, [count], m."""
        return self._distances[: self.count]

    @property
    def positions(self) -> np.ndarray:
        """Position of each sample, [count, 2], m."""
        return self._positions[: self.count]

    def values(self, name: str) -> np.ndarray | None:
        """The samples of a channel, [count], or None if there are none."""
        return self._series[name][: self.count] if name in self._series else None
