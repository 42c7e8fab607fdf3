"""Which level of quality a computer can draw at its display's rate, and at which resolution: pure numbers.

A level is chosen by the time that frames take while nothing waits for the display. A resolution is chosen while it
waits: then a frame either lasts one period of the display or misses it, so that headroom shows only by trying.
"""

from __future__ import annotations

from collections import deque

LEVELS = ("low", "medium", "high", "ultra")
FIRST = "medium"
MEASURED = 2.0  # s of frames for each level
SETTLING = 0.5  # s after a change that do not count: shaders compile, maps are redrawn
RARE = 0.9  # share of the frames that decides: the longest tenth are first uses
RESERVE = 0.55  # of the display's period: frames as short as that have time for the next level, twice as expensive
TOO_LONG = 0.95  # of the display's period: frames longer than that will miss it

SCALES = (1.0, 0.9, 0.8, 0.7, 0.6)  # of the level's own resolution, along a side
WINDOW = 30  # frames that are judged together
MISSED = 1.3  # periods; a longer frame was shown late
MISSES = 6  # of a window's frames: more than that and the resolution goes down
FIRST_WAIT, LONGEST_WAIT = 4.0, 64.0  # s without misses until more is tried; twice as long after it did not hold


class QualityChoice:
    """Finds the best level whose frames fit a display's period, one step at a time.

    Args:
        period: of the display, s.
    Attributes:
        level: to be drawn now. done: whether it is final.
    """

    def __init__(self, period: float, level: str = FIRST) -> None:
        self._period, self.level, self.done = period, level, False
        self._too_slow: str | None = None
        self._fits: str | None = None
        self._begin()

    def _begin(self) -> None:
        self._settling, self._frames = SETTLING, []

    def add(self, seconds: float) -> None:
        """The length of a frame that waited for nothing, s."""
        if self.done:
            return
        if self._settling > 0.0:
            self._settling -= seconds
            return
        self._frames.append(seconds)
        if sum(self._frames) >= MEASURED:
            self._judge(sorted(self._frames)[int(RARE * len(self._frames))] / self._period)

    def _judge(self, share: float) -> None:
        """`share`: of the display's period that nearly all frames keep."""
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
        self._period, self._number, self._wait = period, 0, FIRST_WAIT
        self._late: deque = deque(maxlen=WINDOW)
        self._calm, self._tried = 0.0, False

    @property
    def scale(self) -> float:
        return SCALES[self._number]

    def add(self, seconds: float, processor: float) -> None:
        """A frame was shown `seconds` after the one before; Python and the driver took `processor` seconds of it.

        Frames that the processor made late do not count: fewer pixels would not make them shorter.
        """
        late = seconds > MISSED * self._period
        if late and processor > self._period:
            return
        self._late.append(late)
        self._calm = 0.0 if late else self._calm + seconds
        if sum(self._late) > MISSES:
            self._step(1)
        elif self._calm >= self._wait and self._number > 0:
            self._step(-1)
        elif self._tried and self._calm >= FIRST_WAIT:  # what was tried holds
            self._tried, self._wait = False, FIRST_WAIT

    def _step(self, steps: int) -> None:
        if steps > 0 and self._tried:
            self._wait = min(LONGEST_WAIT, 2.0 * self._wait)
        self._tried = steps < 0
        self._number = min(len(SCALES) - 1, self._number + steps)
        self._late.clear()
        self._calm = 0.0
