"""Log of a vehicle's states over the last minute, for plots of any channel.

Sixty times a second the states of a vehicle and its trailers, without unused wheels, are copied, which takes
microseconds; any channel can be read from them later. Parameters are not logged: what is computed from state and
parameters uses the current parameters.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from driving_sandbox.physics.batch.batch import copy_vehicle
from driving_sandbox.physics.batch.trajectory import sample_interval
from driving_sandbox.physics.tick.used_state import UsedStates

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

SECONDS = 60.0  # longest time span of a plot; a car takes 5 kB per state, 19 MB in all, allocated as it fills


class StateLog:
    """Log of the latest states of a vehicle and its trailers; call `record` after every tick.

    Args:
        vehicle: the vehicle, which is logged with its trailers.
        tick_seconds: length of a tick, s.
        seconds: time span of the log, s.
    """

    def __init__(self, vehicle: "Vehicle", tick_seconds: float, seconds: float = SECONDS) -> None:
        self.vehicle, self._every = vehicle, sample_interval(tick_seconds)  # `_every`: ticks between samples
        self._used = UsedStates([vehicle, *vehicle.trailers])
        length = round(seconds / (tick_seconds * self._every)) + 1
        # ring buffers of samples: used words of each vehicle [length, words]; time, s; whether a teleport precedes it
        self._rows = [np.empty((length, len(used.packed_words)), np.uint64) for used in self._used]
        self._times, self._jumps, self._jumped = np.zeros(length), np.zeros(length, bool), False
        self._total = self._count = 0  # samples stored so far, and those still in the ring buffers

    def jumped(self) -> None:
        """Mark the next sample as discontinuous; call it after teleporting the vehicle."""
        self._jumped = True

    def record(self, tick: int, time: float) -> None:
        """Store the state after `tick` ticks, at `time`, s, if a sample is due; after a rewind, discard later ones."""
        if tick % self._every:
            return
        length = len(self._times)
        while self._count and self._times[(self._total - 1) % length] >= time:
            self._total, self._count = self._total - 1, self._count - 1
        slot = self._total % length
        self._used.keep()
        for rows, used in zip(self._rows, self._used, strict=True):
            rows[slot] = used.packed_words
        self._times[slot], self._jumps[slot], self._jumped = time, self._jumped, False
        self._total, self._count = self._total + 1, min(length, self._count + 1)

    def between(self, begin: float, end: float) -> "Iterator[tuple[float, Vehicle, bool]]":
        """Yield (time, vehicle, jumped) for each state with begin <= time < end, in order.

        vehicle: always the same Vehicle, in the logged state.
        jumped: whether it was teleported since the previous state.
        """
        replica = copy_vehicle(self.vehicle)
        for member, original in zip((replica, *replica.trailers), (self.vehicle, *self.vehicle.trailers), strict=True):
            member.context = original.context
        replica_states = UsedStates([replica, *replica.trailers])
        for sample in range(self._total - self._count, self._total):
            slot = sample % len(self._times)
            if begin <= self._times[slot] < end:
                for rows, used in zip(self._rows, replica_states, strict=True):
                    used.packed_words[:] = rows[slot]
                    used.put_back()
                yield float(self._times[slot]), replica, bool(self._jumps[slot])
