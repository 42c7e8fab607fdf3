"""Which candidates of a tick became contacts (reduction.py): sound and props need the surface that is touched.

The contacts of a hull are written in the order of their candidates, so contact k belongs to the k-th chosen one. The
array has a fixed length, and entries behind this tick's candidates may still be marked: call at most `contact_count`
times.
"""

from typing import Any

from driving_sandbox.physics.contact.reduction import CHOSEN
from driving_sandbox.physics.kernel.jit import kernel


@kernel
def next_chosen(candidates: Any, start: int) -> int:
    """Index of the first chosen CANDIDATE from `start` on; len(candidates) if there is none."""
    k = start
    while k < len(candidates) and candidates[k].spread != CHOSEN:
        k += 1
    return k
