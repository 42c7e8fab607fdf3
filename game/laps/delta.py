"""The time by which the lap being driven is behind the best lap at the vehicle's position.

The best lap of a track is the fastest among the lap stored for this track and car (game/laps/reference.py) and the
laps of this drive. Both laps are measured along the best lap's path (lab.laps), so that a wider line does not count as
a longer distance. The difference at a distance s is t(s) of the lap being driven minus t(s) of the best lap; it is
negative while the lap is ahead.
"""

import logging
import math
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from driving_sandbox.game.laps.log import FROM_START, LapLog
from driving_sandbox.lab.laps import LapTrace, Ruler
from driving_sandbox.lab.timing import Stopwatch, clock_text
from driving_sandbox.physics.base.user_error import UserError
from driving_sandbox.physics.world.timing import Track

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Best:
    """The best lap of a track.

    Attributes:
        seconds: lap time, s.
        ruler: Ruler along its path.
        distances: distance of each sample from the first gate, [n], m.
        times: time of each sample from the first gate, [n], s.
    """

    seconds: float
    ruler: Ruler
    distances: np.ndarray
    times: np.ndarray

    @property
    def name(self) -> str:
        """Name shown for the gap, with the lap time."""
        return f"best {clock_text(self.seconds)}"

    def time_at(self, distance: float) -> float:
        """The lap's time in s at a distance in m, both from the first gate."""
        return float(np.interp(distance, self.distances, self.times))


def best_of(seconds: float, times: np.ndarray, positions: np.ndarray, track: Track) -> Best:
    """The Best for the samples of a lap.

    Args:
        seconds: lap time, s.
        times: time of each sample from the first gate, [n], s.
        positions: position of each sample, [n, 2], m.
        track: physics.world.timing.Track.
    Raises:
        ValueError: the path has no length.
    """
    ruler = Ruler(positions, track)
    return Best(seconds, ruler, ruler.distances(positions), np.asarray(times, float))


class LapDelta:
    """The gap of the lap being driven to the best lap. Call `step` once a frame.

    Args:
        stopwatch: lab.timing.Stopwatch.
        path_of_best: function(track name) -> path of the stored best lap.
    Attributes:
        value: s by which the lap is behind; None without a best lap, outside of laps and far from the best lap's path.
    """

    def __init__(self, stopwatch: Stopwatch, path_of_best: Callable[[str], Path]) -> None:
        self._stopwatch, self._path_of_best = stopwatch, path_of_best
        self._tracks = {times.track.name: times.track for times in stopwatch.tracks}
        self.value: float | None = None
        self._bests: dict[str, Best | None] = {}
        self._log: LapLog | None = None  # of the lap being driven
        self._threads: list[threading.Thread] = []  # those that may still measure a lap

    def best(self, track: str) -> Best | None:
        """The Best of the track with this name, or None."""
        return self._bests.get(track)

    def step(self, position: Any, time: float) -> None:
        """Update `value` for the vehicle's position (x, y, ...) in m at a time in s."""
        times, self.value = self._stopwatch.shown, None
        if times is None:
            return
        track = times.track
        if track.name not in self._bests:
            self._bests[track.name] = None
            self._start_thread(self._load_stored, track)
        log, best_lap = self._log, self.best(track.name)
        if log is not None and (log.track, log.begin) != (track.name, times.begin):
            self._ended(log)
            log = self._log = None
        if times.begin is None:
            return
        ruler = best_lap.ruler if best_lap is not None else None
        if log is None:
            log = self._log = LapLog(track.name, times.begin, ruler, len(times.splits) + 1)
        elif log.ruler is not ruler:
            log.measure(ruler)
        log.sample(time, position, {})
        if best_lap is not None and not math.isnan(log.distances[-1]):
            self.value = float(log.times[-1]) - best_lap.time_at(log.distances[-1])

    def _ended(self, log: LapLog) -> None:
        """Begin to make the lap that has just ended the best lap, if its log is complete and its time shorter."""
        laps = reversed(self._stopwatch.laps)
        lap = next((lap for lap in laps if (lap.track, lap.begin) == (log.track, log.begin)), None)
        best_lap = self.best(log.track)
        if lap is not None and log.times[0] < FROM_START and (best_lap is None or lap.time < best_lap.seconds):
            self._start_thread(
                self._measure_driven, self._tracks[log.track], lap.time, log.times.copy(), log.positions.copy()
            )

    def _start_thread(self, function: Callable[..., None], *arguments: Any) -> None:
        """Call a function in a thread, as measuring a lap of some minutes takes a tenth of a second."""
        new_thread = threading.Thread(target=function, args=arguments, name="measuring a lap", daemon=True)
        self._threads = [thread for thread in self._threads if thread.is_alive()] + [new_thread]
        new_thread.start()

    def wait(self) -> None:
        """Block until all laps are measured."""
        for thread in self._threads:
            thread.join()

    def _load_stored(self, track: Track) -> None:
        """Read the stored best lap of a Track, if there is one; runs in a thread."""
        path = self._path_of_best(track.name)
        if not path.is_file():
            return
        try:
            trace = LapTrace.load(path)
            self._set_if_faster(track, best_of(trace.seconds, trace.times, trace.positions, track))
        except (UserError, ValueError) as error:  # ValueError: a path without length
            _log.warning("%s", error)

    def _measure_driven(self, track: Track, seconds: float, times: np.ndarray, positions: np.ndarray) -> None:
        """Make a Best of a driven lap's samples, in a thread, and store it if it is the fastest."""
        try:
            self._set_if_faster(track, best_of(seconds, times, positions, track))
        except (UserError, ValueError) as error:  # ValueError: a path without length
            _log.warning("%s", error)

    def _set_if_faster(self, track: Track, best: Best) -> None:
        """Make a Best that of its Track, unless the present one is faster."""
        previous = self._bests.get(track.name)
        if previous is None or best.seconds < previous.seconds:
            self._bests[track.name] = best
