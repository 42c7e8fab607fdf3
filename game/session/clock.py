"""The fixed-step clock: turns the lengths of frames into whole ticks of the physics.

The clock adds up frame time and returns the full ticks in it, which are due. The remainder, as a `fraction` of a tick,
interpolates a frame between the last two states. A frame that took too long (a dragged window, a breakpoint) counts as
`max_frame`: the world then runs slower than the wall clock instead of freezing ever longer to catch up.

The ticks do not depend on the division into frames: 30, 60 or 144 frames/s lead to the same states.
"""

import math

MAX_FRAME = 0.1  # s; 24 ticks at 240 Hz and speed 1, a few ms: a slow frame cannot make the next one slow
_ROUNDING = 1e-6  # share of a tick; 1/60 s is four ticks of 1/240 s, not 3.9999999


class FixedClock:
    """Counts the ticks that are due.

    Args:
        tick_seconds: length of a tick, s.
        max_frame: a longer frame counts as this long, s.
    Attributes:
        dropped: real time cut off from long frames so far, s.
        long_frames: number of long frames since the last shorter one.
    Raises:
        ValueError: `tick_seconds` is not above 0 or not finite.
    """

    def __init__(self, tick_seconds: float, max_frame: float = MAX_FRAME) -> None:
        if not (math.isfinite(tick_seconds) and tick_seconds > 0.0):
            raise ValueError(f"a tick must last longer than 0 s, not {tick_seconds!r}")
        self.tick_seconds = tick_seconds
        self.max_frame = max_frame
        self.dropped = 0.0
        self.long_frames = 0
        self._speed = 1.0
        self._collected = 0.0  # ticks, in 0 .. 1 up to rounding

    @property
    def speed(self) -> float:
        """Simulated seconds per real second, above 0 and at most 16; setting another value raises ValueError."""
        return self._speed

    @speed.setter
    def speed(self, value: float) -> None:
        if not (math.isfinite(value) and 0.0 < value <= 16.0):
            raise ValueError(f"the speed of time must be above 0 and at most 16, not {value!r}")
        self._speed = float(value)

    def advance(self, frame_dt: float) -> int:
        """Number of ticks due after a frame of `frame_dt` real seconds. Raises ValueError if negative or not finite."""
        if not (math.isfinite(frame_dt) and frame_dt >= 0.0):
            raise ValueError(f"a frame lasts 0 s or longer, not {frame_dt!r}")
        self.long_frames = self.long_frames + 1 if frame_dt > self.max_frame else 0
        if self.long_frames:
            self.dropped += frame_dt - self.max_frame
            frame_dt = self.max_frame
        self._collected += frame_dt * self._speed / self.tick_seconds
        due = math.floor(self._collected + _ROUNDING)
        self._collected -= due
        return due

    def restart(self) -> None:
        """Forget the part of a tick collected so far (after a jump of the world)."""
        self._collected = 0.0

    @property
    def fraction(self) -> float:
        """Interpolation factor of a frame between the previous (0) and the current state (1)."""
        return min(1.0, max(0.0, self._collected))
