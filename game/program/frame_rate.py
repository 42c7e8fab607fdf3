"""Finds the quality level and the resolution that a computer can draw at its display's rate, from frame times.

A level is chosen with vertical sync off, by the time that frames take. A resolution is chosen with vertical sync as the
user set it. With it on, a frame lasts one period of the display or misses it, so that only a trial shows whether a
higher resolution fits.
"""

from __future__ import annotations

from collections import deque

LEVELS = ("low", "medium", "high", "ultra")
FIRST_LEVEL = "medium"  # level measured first
MEASURING_TIME = 2.0  # s of frames for each level
SETTLING_TIME = 0.5  # s after a change of level that are not measured: shaders compile, maps are redrawn
QUANTILE = 0.9  # quantile of the frame times that decides; frames that use something for the first time take longer
RESERVE = 0.55  # share of the display's period; below it the next level is tried, which may be 1.7 times as slow
TOO_LONG = 0.95  # share of the display's period; longer frames will miss it
SCALES = (1.0, 0.9, 0.8, 0.7, 0.6)  # factors on the level's own resolution, in width and height
WINDOW = 30  # latest frames that are judged together
LATE = 1.3  # display periods; a longer frame was shown late
MAX_LATE = 6  # late frames among the latest WINDOW; with more, the resolution is lowered
MIN_WAIT = 4.0  # s without late frames until a higher resolution is tried; doubled whenever it does not hold
MAX_WAIT = 64.0  # s, upper limit of the doubled wait


class QualityChoice:
    """Finds the highest level whose frames fit a display's period, one step at a time.

    Args:
        period: period of the display, s.
        level: level to begin with.
    Attributes:
        level: level to be drawn now.
        done: whether the level is final.
    """

    def __init__(self, period: float, level: str = FIRST_LEVEL) -> None:
        self._period, self.level, self.done = period, level, False
        self._too_slow: str | None = None  # level that did not fit
        self._fits: str | None = None  # level that did fit, from which a higher one was tried
        self._begin()

    def _begin(self) -> None:
        self._settling = SETTLING_TIME  # s still to wait
        self._frames: list[float] = []  # measured frame times, s

    def add(self, seconds: float) -> None:
        """Count a frame that took `seconds` without vertical sync."""
        if self.done:
            return
        if self._settling > 0.0:
            self._settling -= seconds
            return
        self._frames.append(seconds)
        if sum(self._frames) >= MEASURING_TIME:
            self._judge(sorted(self._frames)[int(QUANTILE * len(self._frames))] / self._period)

    def _judge(self, share: float) -> None:
        """Take a level below or above, or end the choice.

        Args:
            share: QUANTILE of the frame times, divided by the display's period.
        """
        index = LEVELS.index(self.level)
        if share > TOO_LONG and index > 0:
            self._too_slow = self.level
            self.level = LEVELS[index - 1]
            self.done = self.level == self._fits
        elif share < RESERVE and index + 1 < len(LEVELS) and LEVELS[index + 1] != self._too_slow:
            self._fits = self.level
            self.level = LEVELS[index + 1]
        else:
            self.done = True
        self._begin()


class DynamicResolution:
    """Finds the resolution that holds a display's rate.

    Args:
        period: period of the display, s.
    """

    def __init__(self, period: float) -> None:
        # index in SCALES; s without late frames until a higher resolution is tried
        self._period, self._index, self._wait = period, 0, MIN_WAIT
        self._late: deque[bool] = deque(maxlen=WINDOW)  # whether each of the latest frames was late
        self._on_time = 0.0  # s since the last late frame
        self._trying = False  # whether the last step was to a higher resolution that may not hold

    @property
    def scale(self) -> float:
        """The resolution to be drawn now, one of SCALES."""
        return SCALES[self._index]

    def add(self, seconds: float, processor: float) -> None:
        """Count a frame of `seconds`, of which Python and the graphics driver took `processor` seconds.

        Frames that the processor made late are left out: fewer pixels would not make them shorter.
        """
        late = seconds > LATE * self._period
        if late and processor > self._period:
            return
        self._late.append(late)
        self._on_time = 0.0 if late else self._on_time + seconds
        if sum(self._late) > MAX_LATE:
            self._step(1)
        elif self._on_time >= self._wait and self._index > 0:
            self._step(-1)
        elif self._trying and self._on_time >= MIN_WAIT:  # the higher resolution holds
            self._trying, self._wait = False, MIN_WAIT

    def _step(self, steps: int) -> None:
        """Move by `steps` in SCALES: +1 lowers the resolution, -1 raises it."""
        if steps > 0 and self._trying:
            self._wait = min(MAX_WAIT, 2.0 * self._wait)
        self._trying = steps < 0
        self._index = min(len(SCALES) - 1, self._index + steps)
        self._late.clear()
        self._on_time = 0.0
