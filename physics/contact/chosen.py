"""Which candidates of a tick became contacts (reduction.py): for sound, which must know what ground is touched.

The contacts of a hull are written in the order of their candidates, so contact k belongs to the k-th chosen one.
"""

from typing import Any

from driving_sandbox.physics.contact.reduction import CHOSEN
from driving_sandbox.physics.kernel.jit import kernel


@kernel
def next_chosen(candidates: Any, start: int) -> int:
    """Index of the first chosen CANDIDATE from `start` on; their number if there is none."""
    k = start
    while k < len(candidates) and candidates[k].spread != CHOSEN:
        k += 1
    return k
