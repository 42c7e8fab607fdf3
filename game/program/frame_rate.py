"""Which quality level a computer can draw at its display's rate, and at which resolution, from the lengths of frames.

A level is chosen with vertical sync off, by the time that frames take. A resolution is chosen with vertical sync on:
then a frame either lasts one period of the display or misses it, so that only trying shows whether a higher one fits.
"""

from __future__ import annotations

from collections import deque

LEVELS = ("low", "medium", "high", "ultra")
FIRST = "medium"  # level to begin with
MEASURING_TIME = 2.0  # s of frames for each level
SETTLING = 0.5  # s after a change that do not count: shaders compile, maps are redrawn
QUANTILE = 0.9  # of the frame times that decides: the longest tenth are first uses
RESERVE = 0.55  # of the display's period: shorter frames have time for the next level, which takes twice as long
TOO_LONG = 0.95  # of the display's period: longer frames will miss it
SCALES = (1.0, 0.9, 0.8, 0.7, 0.6)  # of the level's own resolution, along a side
WINDOW = 30  # frames that are judged together
LATE = 1.3  # periods; a longer frame was shown late
MAX_LATE = 6  # late frames in a window; with more the resolution is lowered
MIN_WAIT = 4.0  # s without late frames until a higher resolution is tried; doubled each time it did not hold
MAX_WAIT = 64.0  # s


class QualityChoice:
    """Finds the best level whose frames fit a display's period, one step at a time.

    Args:
        period: of the display, s.
    Attributes:
        level: to be drawn now. done: whether the level is final.
    """

    def __init__(self, period: float, level: str = FIRST) -> None:
        self._period, self.level, self.done = period, level, False
        self._too_slow: str | None = None
        self._fits: str | None = None
        self._begin()

    def _begin(self) -> None:
        self._settling, self._frames = SETTLING, []

    def add(self, seconds: float) -> None:
        """Take the length of a frame drawn without vertical sync, s."""
        if self.done:
            return
        if self._settling > 0.0:
            self._settling -= seconds
            return
        self._frames.append(seconds)
        if sum(self._frames) >= MEASURING_TIME:
            self._judge(sorted(self._frames)[int(QUANTILE * len(self._frames))] / self._period)

    def _judge(self, share: float) -> None:
        """Choose by the QUANTILE of the frame times as a share of the display's period."""
        number = LEVELS.index(self.level)
        if share > TOO_LONG and number > 0:
            self._too_slow = self.level
            self.level = LEVELS[number - 1]
            self.done = self.level == self._fits
        elif share < RESERVE and number + 1 < len(LEVELS) and LEVELS[number + 1] != self._too_slow:
            self._fits = self.level
            self.level = LEVELS[number + 1]
        else:
            self.done = True
        self._begin()


class DynamicResolution:
    """The resolution that holds a display's rate.

    Args:
        period: of the display, s.
    Attributes:
        scale: one of SCALES.
    """

    def __init__(self, period: float) -> None:
        self._period, self._number, self._wait = period, 0, MIN_WAIT
        self._late: deque = deque(maxlen=WINDOW)
        self._on_time = 0.0  # s since the last late frame
        self._trying = False  # whether the last step was to a higher resolution that may not hold

    @property
    def scale(self) -> float:
        return SCALES[self._number]

    def add(self, seconds: float, processor: float) -> None:
        """Take the length of a frame, s, of which Python and the driver took `processor` seconds.

        Frames that the processor made late do not count: fewer pixels would not make them shorter.
        """
        late = seconds > LATE * self._period
        if late and processor > self._period:
            return
        self._late.append(late)
        self._on_time = 0.0 if late else self._on_time + seconds
        if sum(self._late) > MAX_LATE:
            self._step(1)
        elif self._on_time >= self._wait and self._number > 0:
            self._step(-1)
        elif self._trying and self._on_time >= MIN_WAIT:  # the higher resolution holds
            self._trying, self._wait = False, MIN_WAIT

    def _step(self, steps: int) -> None:
        if steps > 0 and self._trying:
            self._wait = min(MAX_WAIT, 2.0 * self._wait)
        self._trying = steps < 0
        self._number = min(len(SCALES) - 1, self._number + steps)
        self._late.clear()
        self._on_time = 0.0
