"""Sound inside a closed cabin: what passes the walls, mostly low frequencies, and the boom of the enclosed air.

    inside = WALLS low-pass(x, 330 Hz) + BOOM band-pass(x, 72 Hz) + LEAK x

All is linear, so it is computed once, for the sum of all vehicles at each ear, instead of for every bus.

A camera that changes between cabin and outside also jumps to another place, which is heard after a fade of 20 ms
(sound/space/ears.py). The walls fade in faster, and fade out only after it: else what is near the seat would be heard
without walls for a moment.
"""

from typing import Any

import numpy as np

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.sound.base.block import BLOCK, BLOCK_SECONDS
from driving_sandbox.sound.base.filters import state_variable, tuning_of
from driving_sandbox.sound.base.gain import smoothstep, towards

WALLS = 0.8  # gain below WALLS_CORNER
WALLS_CORNER = 330.0  # Hz
WALLS_DAMPING = 1.414  # no resonance
BOOM = 0.35  # gain at BOOM_TONE
BOOM_TONE = 72.0  # Hz, first longitudinal mode of 2.4 m of air
BOOM_DAMPING = 0.3  # seats and lining absorb
LEAK = 0.04  # gain of what comes through gaps, -28 dB
ENTER = 0.01  # s, of the walls' fade; shorter ones click
LEAVE = 0.05  # s
HOLD = 36  # blocks, 30 ms, for which the walls stay when the listener has left
WHOLE = (0.0, 1.0)  # limits of the share: its fade has no kinks there

CABIN = np.dtype(
    [
        ("share", np.float64),  # 0 outside .. 1 inside, follows the listener's `inside`
        ("hold", np.int64),  # blocks until the share may fall
        ("walls", np.float64, (2, 2)),  # filter per ear
        ("boom", np.float64, (2, 2)),
    ],
    align=True,
)


@kernel
def add_cabin(ears: Any, inside: float, cabin: Any) -> None:
    """Change float64 [BLOCK, 2] `ears` to what is heard in the cabin, by the share `inside`, 0..1."""
    before = cabin.share
    _follow(cabin, min(max(inside, 0.0), 1.0))
    if before == 0.0 and cabin.share == 0.0:
        cabin.walls[:] = 0.0
        cabin.boom[:] = 0.0
        return  # the filters start again while their share is still small
    share = smoothstep(before, WHOLE)
    step = (smoothstep(cabin.share, WHOLE) - share) / BLOCK
    walls, boom = tuning_of(WALLS_CORNER), tuning_of(BOOM_TONE)
    for ear in range(2):
        for i in range(BLOCK):
            x = ears[i, ear]
            low, _, _ = state_variable(cabin.walls[ear], x, walls, WALLS_DAMPING)
            _, band, _ = state_variable(cabin.boom[ear], x, boom, BOOM_DAMPING)
            heard = WALLS * low + BOOM * BOOM_DAMPING * band + LEAK * x
            ears[i, ear] = x + (share + (i + 1) * step) * (heard - x)


@kernel
def _follow(cabin: Any, inside: float) -> None:
    """Move the share by a block towards `inside`."""
    if inside >= cabin.share:
        cabin.share, cabin.hold = towards(cabin.share, inside, BLOCK_SECONDS / ENTER), HOLD
    elif cabin.hold > 0:
        cabin.hold -= 1
    else:
        cabin.share = towards(cabin.share, inside, BLOCK_SECONDS / LEAVE)
