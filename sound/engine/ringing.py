"""Engine block: resonances struck by combustion and valves, and excited by lines and noise of the moving parts.

Lines: tones of oil pump, timing chain and alternator, at their teeth or poles per turn of the crankshaft.
Each resonance has its own noise: a common one would cancel at frequencies between two resonances, whose phases are
opposite there.
"""

import math
from typing import Any

import numpy as np

from driving_sandbox.physics.kernel.elementary import sin
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.sound.base.noise import white
from driving_sandbox.sound.base.resonator import resonated
from driving_sandbox.sound.engine.parameters import MODE_COUNT

NOISE = 1.8e-5  # s/rad, amplitude of the moving parts' noise / engine speed
LINE = 4e-6  # s/rad, amplitude of a line at a level of 1 / engine speed


@kernel
def lines(parameters: Any, state: Any) -> float:
    """Sum of the lines for a sample, each of amplitude 1; advances their phases."""
    total = 0.0
    for k in range(parameters.derived.order_count):
        turned = state.turned[k] + parameters.derived.orders[k] * state.speed
        state.turned[k] = turned - np.floor(turned)
        total += sin(2.0 * math.pi * state.turned[k])
    return total


@kernel
def ring(parameters: Any, state: Any, blow: float) -> float:
    """Sound of the block for a sample with a blow on it."""
    noise = NOISE * state.speed
    blow += LINE * state.speed * parameters.mechanical_level * lines(parameters, state)
    sound = 0.0
    for k in range(MODE_COUNT):
        sound += resonated(parameters.derived.modes, state.modes, k, blow + noise * white(state))
    return sound
