"""Changes of voices' parameters while they sound: numbers glide to the new values, so that nothing clicks.

Python writes the wanted VoiceParameters into the next entry of a queue, with the row of frames (sound/device/ring.py)
from which on they are wanted, and counts the entry by an atomic store. The kernel, in the audio thread, takes an entry
at the first block that reaches its row, and moves the parameters in use within GLIDE_BLOCKS: numbers evenly, counts and
choices at once. So every change begins in the same block of a drive and of its soundtrack, however many rows wait. No
entry is written while it is read, and neither side waits. The engine's voice itself follows the lengths of its pipes
(sound/engine/lengths.py).

Without a change a block costs one comparison.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from driving_sandbox.physics.kernel.atomic import load_acquire, store_release
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.sound.voices import VoiceParameters

GLIDE_BLOCKS = 24  # 20 ms: longer than a frame of the program, so that a dragged slider gives one slope
PARAMETER_WORDS = VoiceParameters.itemsize // 8
AT_ONCE, EVENLY = 0, 1  # how a word moves
# Changes that may wait: more than come in the 0.2 s of rows that may wait (ring.EXACT_SLACK), at 144 frames per second.
ENTRIES = 32
NO_SLOT, EVERY_SLOT = -1, -2  # values in `slots` of GLIDE, beside the number of a slot

GLIDE = np.dtype(
    [
        ("posted", np.int64),  # address of an int64: entries posted so far; only the writer changes it
        ("taken", np.int64),  # address of an int64: entries taken so far; only the reader changes it
        ("rows", np.int64, (ENTRIES,)),  # of entry k: the row from which its parameters are wanted
        ("slots", np.int64, (ENTRIES,)),  # of entry k: the slot of the scene that gets its parameters at once
        ("left", np.int64),  # blocks until the parameters reach those of the entry taken last; 0: they have
    ],
    align=True,
)


def motions() -> np.ndarray:
    """How each 8-byte word of a VoiceParameters record moves; int8 [PARAMETER_WORDS]."""
    result = np.full(PARAMETER_WORDS, AT_ONCE, np.int8)
    for number, start, count in _leaves(VoiceParameters, 0):
        if number == np.float64:
            result[start : start + count] = EVENLY
    return result


def _leaves(dtype: Any, offset: int) -> Iterator[tuple[Any, int, int]]:
    """(dtype, first word, words) of every number or array of numbers in a dtype."""
    if dtype.names:
        for inner, start, *_ in dtype.fields.values():
            yield from _leaves(inner, offset + start)
    else:
        yield dtype.base, offset // 8, dtype.itemsize // 8


@kernel
def post(state: Any) -> None:
    """Let the reader see the next entry, whose contents must be complete; `state`: GLIDE."""
    store_release(state.posted, load_acquire(state.posted) + 1)


@kernel
def glide(state: Any, row: int, kinds: Any, used: Any, used_counts: Any, wanted: Any, wanted_counts: Any) -> None:
    """Move the parameters of all vehicles by a block towards the wanted ones.

    Args:
        state: GLIDE, changed.
        row: in which the block ends; changes of later rows wait.
        kinds: int8 [PARAMETER_WORDS], from `motions`.
        used: VoiceParameters as float64 [vehicles, PARAMETER_WORDS], changed.
        wanted: the entries, VoiceParameters as float64 [ENTRIES, vehicles, PARAMETER_WORDS].
        used_counts, wanted_counts: the same memory as int64.
    """
    posted, taken = load_acquire(state.posted), load_acquire(state.taken)
    while taken < posted and state.rows[taken % ENTRIES] <= row:
        entry = taken % ENTRIES
        for vehicle in range(used.shape[0]):
            if state.slots[entry] in (vehicle, EVERY_SLOT):
                for k in range(used.shape[1]):
                    used_counts[vehicle, k] = wanted_counts[entry, vehicle, k]
        taken += 1
        state.left = GLIDE_BLOCKS
        store_release(state.taken, taken)
    if state.left == 0:
        return
    entry = (taken - 1) % ENTRIES
    for vehicle in range(used.shape[0]):
        for k in range(used.shape[1]):
            if kinds[k] == EVENLY and state.left > 1:
                used[vehicle, k] += (wanted[entry, vehicle, k] - used[vehicle, k]) / state.left
            else:
                used_counts[vehicle, k] = wanted_counts[entry, vehicle, k]
    state.left -= 1
