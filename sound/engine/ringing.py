"""Engine block: resonances struck by combustion and valves, and excited by lines and noise of the moving parts.

Lines: tones of oil pump, timing chain and alternator, at their teeth or poles per turn of the crankshaft.
Each resonance has its own noise: a common one would cancel at frequencies between two resonances, whose phases are
opposite there.
"""

import math
from typing import Any

import numpy as np

from driving_sandbox.physics.kernel.elementary import full_sin
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.sound.base.block import BLOCK
from driving_sandbox.sound.base.noise import white
from driving_sandbox.sound.base.resonator import resonated
from driving_sandbox.sound.engine.cycle import speed_at
from driving_sandbox.sound.engine.parameters import MODE_COUNT

NOISE = 1.8e-5  # s/rad, amplitude of the moving parts' noise / engine speed
LINE = 4e-6  # s/rad, amplitude of a line at a level of 1 / engine speed


@kernel
def make_lines(parameters: Any, state: Any, before: Any, after: Any) -> None:
    """Fill `lines` with the block's sum of the lines, each of amplitude 1; advances their phases.

    before, after: FRAMEs at the block's ends. A block at once, as the loop over the sines is then vectorised.
    """
    state.lines[:] = 0.0
    for order in range(parameters.derived.order_count):
        turned = state.turned[order]
        for k in range(BLOCK):
            turned += parameters.derived.orders[order] * speed_at(before, after, (k + 1.0) / BLOCK)
            turned -= np.floor(turned)
            state.phases[k] = turned
        state.turned[order] = turned
        for k in range(BLOCK):
            state.lines[k] += full_sin(2.0 * math.pi * state.phases[k])


@kernel
def ring(parameters: Any, state: Any, k: int, blow: float) -> float:
    """Sound of the engine block for the k-th sample, with a blow on it."""
    noise = NOISE * state.speed
    blow += LINE * state.speed * parameters.mechanical_level * state.lines[k]
    sound = 0.0
    for mode in range(MODE_COUNT):
        sound += resonated(parameters.derived.modes, state.modes, mode, blow + noise * white(state))
    return sound
