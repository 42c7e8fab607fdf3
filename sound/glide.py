"""Changes of voices' parameters while they sound: numbers glide to the new values, so that nothing clicks.

Python writes the wanted VoiceParameters into a slot of its own and swaps it for the one in the mailbox. The kernel, in
the audio thread, swaps a slot that is new there for its own, and moves the parameters in use within GLIDE_BLOCKS:
numbers evenly, counts and choices at once. Each of the three slots has one owner at any time (writer, mailbox or
reader), so no value is read while it is written, neither side waits, and of several changes in a row the last one is
read. The engine's voice itself follows the lengths of its pipes (sound/engine/lengths.py).

Without a change a block costs one comparison.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from driving_sandbox.physics.kernel.atomic import exchange, load_acquire
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.sound.voices import VoiceParameters

GLIDE_BLOCKS = 24  # 20 ms: longer than a frame of the program, so that a dragged slider gives one slope
PARAMETER_WORDS = VoiceParameters.itemsize // 8
AT_ONCE, EVENLY = 0, 1  # how a word moves
SLOTS = 3  # of wanted parameters
READER_SLOT, MAILBOX_SLOT, WRITER_SLOT = range(SLOTS)  # owners at the start
FRESH = 4  # added to the number of a slot in the mailbox that was not read yet

GLIDE = np.dtype(
    [
        ("mailbox", np.int64),  # address of an int64: the slot between writer and reader, FRESH added by the writer
        ("slot", np.int64),  # the reader's, with the values that the parameters move to or have reached
        ("left", np.int64),  # blocks until they reach them; 0: they have
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
def post(mailbox: int, slot: int) -> int:
    """Put a slot that was written into the mailbox at an address; returns the slot that the writer has now."""
    return exchange(mailbox, slot + FRESH) & (FRESH - 1)


@kernel
def glide(state: Any, kinds: Any, used: Any, used_counts: Any, wanted: Any, wanted_counts: Any) -> None:
    """Move the parameters of all vehicles by a block towards the wanted ones.

    Args:
        state: GLIDE, changed.
        kinds: int8 [PARAMETER_WORDS], from `motions`.
        used: VoiceParameters as float64 [vehicles, PARAMETER_WORDS], changed.
        wanted: the slots, VoiceParameters as float64 [SLOTS, vehicles, PARAMETER_WORDS].
        used_counts, wanted_counts: the same memory as int64.
    """
    if load_acquire(state.mailbox) >= FRESH:
        state.slot, state.left = exchange(state.mailbox, state.slot) & (FRESH - 1), GLIDE_BLOCKS
    if state.left == 0:
        return
    slot = state.slot
    for vehicle in range(used.shape[0]):
        for k in range(used.shape[1]):
            if kinds[k] == EVENLY and state.left > 1:
                used[vehicle, k] += (wanted[slot, vehicle, k] - used[vehicle, k]) / state.left
            else:
                used_counts[vehicle, k] = wanted_counts[slot, vehicle, k]
    state.left -= 1
