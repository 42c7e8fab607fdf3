"""How long an input takes to the command of a tick, to the picture and to the force, as means of the last SECONDS.

A report waits for the next poll, on average half the time between two polls; the rest is measured:

    command   from the poll to the driver's command of the first tick after it
    picture   from the poll to the end of the frame that shows it, the wait for the display included where it is on
    force     from the end of that tick to the update that plays its torque, half an update's interval included

What the device takes to send a report and the display to light up is not known here.
"""

import time
from collections import deque
from typing import TYPE_CHECKING

from driving_sandbox.game.force_feedback.stream import INTERVAL

if TYPE_CHECKING:
    from driving_sandbox.game.force_feedback.wheel import ForceWheel

FRAMES = 120  # frames of the means: two seconds at 60 frames/s


class Latency:
    """Collects the times of frames; the calls come in the order of the methods."""

    def __init__(self) -> None:
        self._intervals, self._commands, self._pictures, self._forces = (
            deque[float](maxlen=FRAMES) for _ in range(4)
        )  # s
        self._polled = self._before = 0.0  # times of the latest two polls, s
        self._commanded = True  # whether a tick has run since the latest poll

    def polled(self, now: float | None = None) -> None:
        """Note that the devices were polled; now: s, of a monotonic clock."""
        self._before, self._polled = self._polled, time.perf_counter() if now is None else now
        if self._before:
            self._intervals.append(self._polled - self._before)
        self._commanded = False

    def ticked(self, now: float | None = None) -> None:
        """Note a tick; the first one after a poll has used its input."""
        if not self._commanded and self._polled:
            self._commands.append((time.perf_counter() if now is None else now) - self._polled)
            self._commanded = True

    def forced(self, wheel: "ForceWheel") -> None:
        """Note how far a wheel's force is behind the ticks."""
        record = wheel.stream.record
        behind = max(0.0, float(record["written"]) - 1.0 - float(record["cursor"])) * float(record["tick_seconds"])
        self._forces.append(behind + 0.5e-3 * INTERVAL)

    def drawn(self, now: float | None = None) -> None:
        """Note the end of a frame."""
        if self._polled:
            self._pictures.append((time.perf_counter() if now is None else now) - self._polled)

    def milliseconds(self) -> dict[str, float]:
        """Mean ms from a report to `command`, `picture` and `force`, as far as they have been measured."""
        if not self._intervals or not self._commands:
            return {}
        wait = 0.5 * _mean(self._intervals)
        command = wait + _mean(self._commands)
        times = {"command": command}
        if self._pictures:
            times["picture"] = wait + _mean(self._pictures)
        if self._forces:
            times["force"] = command + _mean(self._forces)
        return {name: 1e3 * seconds for name, seconds in times.items()}


def _mean(values: deque[float]) -> float:
    return sum(values) / len(values)
