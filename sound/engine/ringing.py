"""Engine block: resonances struck by combustion and valves, and excited by the noise of the moving parts.

Each resonance has its own noise: a common one would cancel between neighbours, whose phases are opposite there.
"""

from typing import Any

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.sound.base.noise import white
from driving_sandbox.sound.base.resonator import resonated
from driving_sandbox.sound.engine.parameters import MODE_COUNT

NOISE = 1.8e-5  # s/rad, noise of the moving parts / engine speed


@kernel
def ring(parameters: Any, state: Any, blow: float) -> float:
    """Sound of the block for a sample with a blow on it."""
    noise = NOISE * state.speed
    sound = 0.0
    for k in range(MODE_COUNT):
        sound += resonated(parameters.derived.modes, state.modes, k, blow + noise * white(state))
    return sound
