"""Changes of voices' parameters while they sound: numbers glide to the new values, so that nothing clicks.

Python writes the wanted VoiceParameters and counts `version` up; the kernel, in the audio thread, sees the new count
and moves the parameters in use within GLIDE_BLOCKS: numbers evenly, counts and choices at once. The engine's voice
itself follows the lengths of its pipes (sound/engine/lengths.py).

Without a change a block costs one comparison. A block that reads half-written values does no harm: any count or index
is valid by itself, and the following blocks read the rest.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.sound.voices import VoiceParameters

GLIDE_BLOCKS = 24  # 20 ms: longer than a frame of the program, so that a dragged slider gives one slope
PARAMETER_WORDS = VoiceParameters.itemsize // 8
AT_ONCE, EVENLY = 0, 1  # how a word moves

GLIDE = np.dtype(
    [
        ("version", np.int64),  # changes so far; only the writer changes it
        ("seen", np.int64),  # the one that the parameters move to, or have reached
        ("left", np.int64),  # blocks until they reach it; 0: they have
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
def glide(state: Any, kinds: Any, used: Any, used_counts: Any, wanted: Any, wanted_counts: Any) -> None:
    """Move the parameters of all vehicles by a block towards the wanted ones.

    Args:
        state: GLIDE, changed.
        kinds: int8 [PARAMETER_WORDS], from `motions`.
        used, wanted: VoiceParameters as float64 [vehicles, PARAMETER_WORDS]; `used` is changed.
        used_counts, wanted_counts: the same memory as int64.
    """
    if state.version != state.seen:
        state.seen, state.left = state.version, GLIDE_BLOCKS
    if state.left == 0:
        return
    for vehicle in range(used.shape[0]):
        for k in range(used.shape[1]):
            if kinds[k] == EVENLY and state.left > 1:
                used[vehicle, k] += (wanted[vehicle, k] - used[vehicle, k]) / state.left
            else:
                used_counts[vehicle, k] = wanted_counts[vehicle, k]
    state.left -= 1
