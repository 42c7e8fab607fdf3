"""The program's clock follows the audio device's.

Both count the same seconds by their own quartz, or in SDL's disk driver by a timer, and differ. Where they do, rows of
frames would pile up before the reader or run out, and its pace would have to change (sound/device/ring.py): the sound
of a drive would no longer be its soundtrack. So the program's time runs faster or slower by

    pace = 1 - (GAIN e + RETURN integral of e dt),   e: s by which more rows wait than shall

within LIMIT. At a real device that is some millionths; after the start, some hundredths for a second or two. Once a
stutter has ended the equality, the program's time is the system's again.
"""

GAIN = 1.5  # 1/s
RETURN = 0.15  # 1/s^2; with GAIN a damping of 1.9, so that after the start hardly less waits than shall
LIMIT = 0.15  # more than the disk driver's timer is off on a busy machine
LONGEST = 0.1  # s between two frames that count


class DeviceClock:
    """Says how fast the program's time shall run.

    Attributes:
        pace: seconds of the program per second of the system's clock.
    """

    def __init__(self) -> None:
        self.pace, self._sum = 1.0, 0.0

    def follow(self, excess: float, seconds: float) -> None:
        """Call once a frame while the device plays in real time.

        Args:
            excess: s of frames that wait in the mean beyond those that shall.
            seconds: since the last call.
        """
        self._sum = _limited(self._sum + RETURN * excess * min(seconds, LONGEST))
        self.pace = 1.0 - _limited(GAIN * excess + self._sum)

    def rest(self) -> None:
        """The device does not play, or not in real time, or not the samples of a soundtrack."""
        self.pace = 1.0


def _limited(change: float) -> float:
    return min(max(change, -LIMIT), LIMIT)
