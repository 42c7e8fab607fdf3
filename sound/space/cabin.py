"""What a vehicle does to the sound around its listener: inside a closed cabin, and on the bonnet.

    cabin    WALLS low-pass(x, 330 Hz) + BOOM band-pass(x, 72 Hz) + LEAK x
    bonnet   LID low-pass(x, 900 Hz) + DRUM band-pass(x, 180 Hz) + GAP x

Walls pass mostly low frequencies, and the enclosed air booms. The lid over the engine is thinner: it passes more, and
its sheet resonates. An open car has a share of the cabin's walls, `body.cabin` of its sound.
All is linear, so it is computed once, for the sum of all vehicles at each ear, instead of for every bus.

A camera that changes between cabin and outside also jumps to another position, which is heard after a fade of 20 ms
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
WALLS_DAMPING = 1.414  # 1 / Q: no resonance
BOOM = 0.35  # gain at BOOM_TONE
BOOM_TONE = 72.0  # Hz, first longitudinal mode of 2.4 m of air
BOOM_DAMPING = 0.3  # 1 / Q: seats and lining absorb
LEAK = 0.04  # gain of what comes through gaps, -28 dB
LID = 0.55  # gain below LID_CORNER
LID_CORNER = 900.0  # Hz
DRUM = 0.3  # gain at DRUM_TONE
DRUM_TONE = 180.0  # Hz, of a sheet of steel of about 1 m^2
GAP = 0.3  # gain of what comes past the lid
ENTER = 0.01  # s, in which the walls fade in; shorter ones click
LEAVE = 0.05  # s, in which they fade out
HOLD = 36  # blocks, 30 ms, for which the walls stay when the listener has left
WHOLE = (0.0, 1.0)  # limits of the share, at which its fade has no kinks

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
    _enclose(ears, inside, cabin, WALLS, WALLS_CORNER, BOOM, BOOM_TONE, LEAK)


@kernel
def add_bonnet(ears: Any, on_it: float, lid: Any) -> None:
    """Change float64 [BLOCK, 2] `ears` to what is heard on the bonnet, by the share `on_it`, 0..1; lid: CABIN."""
    _enclose(ears, on_it, lid, LID, LID_CORNER, DRUM, DRUM_TONE, GAP)


@kernel
def _enclose(
    ears: Any, inside: float, cabin: Any, pass_gain: float, corner: float, ring_gain: float, tone: float, leak: float
) -> None:
    """Replace a share of `ears` by pass_gain low-pass + ring_gain band-pass + leak; corner, tone: their Hz."""
    before = cabin.share
    _follow(cabin, min(max(inside, 0.0), 1.0))
    if before == 0.0 and cabin.share == 0.0:
        cabin.walls[:] = 0.0
        cabin.boom[:] = 0.0
        return  # the filters start again while their share is still small
    share = smoothstep(before, WHOLE)
    step = (smoothstep(cabin.share, WHOLE) - share) / BLOCK
    walls, boom = tuning_of(corner), tuning_of(tone)
    for ear in range(2):
        for i in range(BLOCK):
            x = ears[i, ear]
            low, _, _ = state_variable(cabin.walls[ear], x, walls, WALLS_DAMPING)
            _, band, _ = state_variable(cabin.boom[ear], x, boom, BOOM_DAMPING)
            heard = pass_gain * low + ring_gain * BOOM_DAMPING * band + leak * x
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
