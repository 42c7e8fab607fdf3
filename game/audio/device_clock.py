"""The program's clock follows the audio device's.

Each has its own quartz, SDL's disk driver a timer, so their seconds differ slightly in length. In the ring between
simulation and audio thread, rows would pile up or run out, and the audio thread would have to change its pace
(sound/device/ring.py): the sound of a drive would no longer be its soundtrack. So the program's time runs at

    pace = 1 - (GAIN e + RETURN integral of e dt),   e: mean of the waiting rows less their target, in s of rows

limited to 1 +- LIMIT. With a real device, pace - 1 is some millionths, but up to the limit in the first second or two.
Once a stutter has made the samples differ from the soundtrack's, the program's time is the system's again. A device
that is off by more than the limit, or takes nothing, is not followed: the drive does not slow down for it.
"""

GAIN = 1.5  # 1/s
RETURN = 0.15  # 1/s^2; with GAIN a damping ratio of 1.9: after the start, the rows hardly fall below the target
LIMIT = 0.02  # limit with a real device: nobody notices 2 %, and no quartz is off by as much
DISK_LIMIT = 0.15  # limit with SDL's disk driver, whose timer is off by some percent, and by more on a busy machine
LONGEST = 0.1  # s, longest frame in the integral; a longer one counts as this


class DeviceClock:
    """Computes the pace of the program's time.

    Args:
        limit: largest change of the pace.
    Attributes:
        pace: seconds of the program per second of the system's clock.
    """

    def __init__(self, limit: float = LIMIT) -> None:
        self.pace, self._sum, self._limit = 1.0, 0.0, limit  # `_sum`: RETURN times the integral, limited

    def follow(self, excess: float, seconds: float) -> None:
        """Call once a frame while the device plays in real time.

        Args:
            excess: mean of the waiting rows less their target, in s of rows.
            seconds: time since the last call.
        """
        self._sum = self._limited(self._sum + RETURN * excess * min(seconds, LONGEST))
        self.pace = 1.0 - self._limited(GAIN * excess + self._sum)

    def rest(self) -> None:
        """Call instead of `follow` while the device does not play, or not the samples of a soundtrack in real time.

        The pace becomes 1; the integral stays.
        """
        self.pace = 1.0

    def _limited(self, change: float) -> float:
        return min(max(change, -self._limit), self._limit)
