"""Relay of the turn signals: a click when the lamps light up, a duller one when they go out.

The armature's blow makes the relay and the dashboard around it ring. Four modes share one blow, a full sine of 1 ms
whose mean is 0; frequencies and damping are the program's own, in the range of small parts of plastic and sheet metal.
The lower modes are the ones that a closed cabin passes.
"""

import math
from typing import Any

import numpy as np

from driving_sandbox.physics.kernel.elementary import sin
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Float, Schema, field
from driving_sandbox.sound.base.block import BLOCK, BODY
from driving_sandbox.sound.base.filters import scale_of, tuning_of, two_pole
from driving_sandbox.sound.base.noise import begin as begin

FREQUENCIES = (460.0, 980.0, 2300.0, 3900.0)  # Hz
DAMPINGS = (0.2, 0.14, 0.1, 0.12)  # 1 / Q
GAINS = (1.0, 0.8, 0.7, 0.5)
MODE_COUNT = len(FREQUENCIES)
BLOW = 48  # samples of the blow, 1 ms
CLICK = 0.05  # amplitude of the blow's force
RELEASED = 0.6  # strength of the click when the lamps go out: a spring moves the armature, not the coil
RELEASED_PITCH = 0.86  # factor on the frequencies of that click
FADED = 1e-8  # sum of the modes' memory below which a click has ended


class IndicatorSound(Schema):
    """Click of the turn signals' relay."""

    level: Float = field(unit="1", ge=0, suggest=(0, 3), default=1.0, doc="Gain; 0 is none.")
    pitch: Float = field(
        unit="1", gt=0, suggest=(0.6, 1.6), default=1.0, doc="Factor on the frequencies of relay and dashboard."
    )


STATE = np.dtype(
    [
        ("lit", np.int64),  # 1: the lamps were lit in the last block
        ("left", np.int64),  # samples left of the blow
        ("strength", np.float64),  # of the last click
        ("pitch", np.float64),  # factor on its frequencies
        ("modes", np.float64, (MODE_COUNT, 2)),
        ("active", np.int64),
    ],
    align=True,
)


@kernel
def _force(s: Any) -> float:
    """Force of the blow in this sample."""
    if s.left == 0:
        return 0.0
    s.left -= 1
    return CLICK * s.strength * sin(2.0 * math.pi * s.left / BLOW)


@kernel
def render_indicator(buses: Any, parameters: Any, state: Any, before: Any, after: Any) -> None:
    """Add a block of the relay to the body's bus."""
    p, s, bus = parameters, state, buses[BODY]
    if after.indicator != s.lit:
        s.lit = after.indicator
        s.strength = p.level * (1.0 if s.lit == 1 else RELEASED)
        s.pitch = p.pitch * (1.0 if s.lit == 1 else RELEASED_PITCH)
        if s.strength > 0.0:
            s.left, s.active = BLOW, 1
    if s.active == 0:
        return
    start, memory_sum = s.left, 0.0  # every mode gets the same samples of the blow
    for k in range(MODE_COUNT):
        g, memory = tuning_of(FREQUENCIES[k] * s.pitch), s.modes[k]
        scale, first, second = scale_of(g, DAMPINGS[k]), memory[0], memory[1]
        s.left = start
        for i in range(BLOCK):
            _, band, first, second = two_pole(first, second, _force(s), g, scale)
            bus[i] += GAINS[k] * DAMPINGS[k] * band
        memory[0], memory[1] = first, second
        memory_sum += abs(first) + abs(second)
    if s.left == 0 and memory_sum < FADED:
        s.active = 0
        s.modes[:] = 0.0
