"""Hand-over of the interface's sounds from the program to the audio thread, without locks: one writer, one reader.

The writer stores the number of a sound and then counts it by an atomic store; the reader begins the sounds that it has
not begun yet. A sound that finds the queue full is left out: that happens only while the reader stands still.
"""

from typing import Any

import numpy as np

from driving_sandbox.physics.kernel.atomic import load_acquire, store_release
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.sound.interface.kinds import Kind
from driving_sandbox.sound.interface.rendering import QUEUED, VOICE, VOICES


@kernel
def count_up(counter: int) -> None:
    """Let the reader see the next sound; `counter` is an address."""
    store_release(counter, load_acquire(counter) + 1)


class InterfaceQueue:
    """The queue's writer.

    Args:
        record: INTERFACE record, zeroed; it is shared with the reader.
    """

    def __init__(self, record: Any) -> None:
        self._record, self._counter = record, np.zeros(1, np.int64)
        record["counter"] = self._counter.ctypes.data

    def post(self, kind: Kind) -> None:
        """Let a sound begin with the next samples that the device takes."""
        posted = int(self._counter[0])
        if posted - int(self._record["read"]) < QUEUED:
            self._record["kinds"][posted % QUEUED] = kind
            count_up(self._record["counter"])

    def clear(self) -> None:
        """End all sounds at once; nobody may be reading."""
        self._record["read"] = self._counter[0]
        self._record["voices"] = np.zeros(VOICES, VOICE)
