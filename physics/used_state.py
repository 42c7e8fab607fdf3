"""The part of a vehicle's state that it uses: without the wheels it has not.

Every per-wheel array has room for WHEEL_CAPACITY wheels, so of an ordinary car's state three quarters never change.
Whoever keeps, checks or stores states in every tick does so with the used words only: that spares the processor's
caches, which everything else in a frame needs.
"""

import numpy as np

from physics.schema import WHEEL_CAPACITY

WORD = 8  # bytes; all numbers of a state are of this size or aligned to it


class UsedState:
    """Packs the used words of one vehicle's state, and puts them back.

    Attributes:
        kept: uint64[n], the words as `keep` last found them.
    """

    def __init__(self, vehicle):
        self._dtype, self._words = vehicle.state.dtype, vehicle.state_bytes.view(np.uint64)
        ranges = used_ranges(self._dtype, vehicle.wheel_count)
        self._places = np.unique(np.concatenate([np.arange(first, last) for first, last in ranges]))
        self.kept = np.zeros(len(self._places), np.uint64)

    def keep(self):
        """Pack the present state; returns `kept`, which the next call overwrites."""
        return self._words.take(self._places, out=self.kept, mode="clip")  # other modes go through a buffer

    def put_back(self):
        """Make what was kept the present state."""
        self._words[self._places] = self.kept

    def whole(self, rows):
        """States [m] of packed rows [m, n]."""
        found = np.zeros((len(rows), len(self._words)), np.uint64)
        found[:, self._places] = rows
        return found.view(self._dtype)[:, 0]


def used_ranges(dtype, wheel_count, start=0):
    """(first word, last + 1) of the used parts of a state, or of a field that begins at byte `start` of one."""
    if dtype.subdtype is not None and dtype.subdtype[1] == (WHEEL_CAPACITY,):
        yield start // WORD, -(-(start + dtype.itemsize // WHEEL_CAPACITY * wheel_count) // WORD)
    elif dtype.names is not None:
        for name in dtype.names:
            inner, offset = dtype.fields[name][:2]
            yield from used_ranges(inner, wheel_count, start + offset)
    else:
        yield start // WORD, -(-(start + dtype.itemsize) // WORD)
