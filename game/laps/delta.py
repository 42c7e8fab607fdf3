"""Time by which the lap being driven is behind the best one at the vehicle's position.

The best lap of a track is the fastest among the one stored for this world and car (game/laps/reference.py) and those
of this drive. Both laps are measured along the best one's path (lab.laps), so that a wider line does not count as
farther. The difference at a distance s is t(s) of the lap being driven minus t(s) of the best one: below zero it is
ahead.
"""

import logging
import math
import threading
from dataclasses import dataclass

import numpy as np

from driving_sandbox.game.laps.log import FROM_START, LapLog
from driving_sandbox.lab.laps import LapTrace, Ruler
from driving_sandbox.lab.timing import clock_text
from driving_sandbox.physics.base.user_error import UserError

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Best:
    """The best lap of a track. seconds: its time. ruler: Ruler along its path. distances, times: [n], m and s from the
    first gate."""

    seconds: float
    ruler: Ruler
    distances: np.ndarray
    times: np.ndarray

    @property
    def name(self):
        return f"best {clock_text(self.seconds)}"

    def time_at(self, distance):
        """Time, s, at a distance, m, both from the first gate."""
        return float(np.interp(distance, self.distances, self.times))


def best_of(seconds, times, positions, track):
    """The Best of a lap's samples: times [n], s from its first gate, positions [n, 2], m. Raises ValueError for a path
    without length."""
    ruler = Ruler(positions, track)
    return Best(seconds, ruler, ruler.distances(positions), np.asarray(times, float))


class LapDelta:
    """Call `step` once a frame.

    Args:
        stopwatch: lab.timing.Stopwatch. path_of_best: function(track name) -> path of the stored best lap.
    Attributes:
        value: s, or None without a best lap, outside of laps and far from the best one's path.
    """

    def __init__(self, stopwatch, path_of_best):
        self._stopwatch, self._path_of_best = stopwatch, path_of_best
        self._tracks = {times.track.name: times.track for times in stopwatch.tracks}
        self._bests, self._log, self.value, self._working = {}, None, None, []

    def best(self, track):
        """The Best of a track (its name), or None."""
        return self._bests.get(track)

    def step(self, position, time):
        """Take the vehicle's position (x, y, ...), m, at a time, s."""
        times, self.value = self._stopwatch.shown, None
        if times is None:
            return
        track = times.track
        if track.name not in self._bests:
            self._bests[track.name] = None
            self._work(self._load, track)
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

    def _ended(self, log):
        """Make a lap that ended the best if it is complete and faster."""
        laps = reversed(self._stopwatch.laps)
        lap = next((one for one in laps if (one.track, one.begin) == (log.track, log.begin)), None)
        best_lap = self.best(log.track)
        if lap is not None and log.times[0] < FROM_START and (best_lap is None or lap.time < best_lap.seconds):
            self._work(self._take, self._tracks[log.track], lap.time, log.times.copy(), log.positions.copy())

    def _work(self, function, *arguments):
        """Call a function in a thread: measuring a lap of minutes takes a tenth of a second."""
        thread = threading.Thread(target=function, args=arguments, name="measuring a lap", daemon=True)
        self._working = [one for one in self._working if one.is_alive()] + [thread]
        thread.start()

    def wait(self) -> None:
        """Block until all laps are measured."""
        for thread in self._working:
            thread.join()

    def _load(self, track):
        path = self._path_of_best(track.name)
        if not path.is_file():
            return
        try:
            trace = LapTrace.load(path)
            self._keep(track, best_of(trace.seconds, trace.times, trace.positions, track))
        except UserError as error:
            _log.warning("%s", error)

    def _take(self, track, seconds, times, positions):
        try:
            self._keep(track, best_of(seconds, times, positions, track))
        except UserError as error:
            _log.warning("%s", error)

    def _keep(self, track, trace):
        best_lap = self._bests.get(track.name)
        if best_lap is None or trace.seconds < best_lap.seconds:
            self._bests[track.name] = trace
