"""Grains of loose ground and drops of water: a Poisson process of small impacts.

In a sample a grain is hit with the probability rate / sample rate. Amplitudes are cubes of uniform numbers: many small
ones, a few large. Each grain excites three resonances: stones against each other, against the sill, in the wheel arch.
"""

from typing import Any

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.sound.base.block import BLOCK, SAMPLE_RATE
from driving_sandbox.sound.base.filters import scale_of, tuning_of, two_pole
from driving_sandbox.sound.base.gain import advance
from driving_sandbox.sound.base.noise import white

STONES, SILL, ARCH = 2200.0, 3600.0, 420.0  # Hz
DAMPING = 0.25  # 1 / Q
SILL_LEVEL, ARCH_LEVEL = 0.7, 1.4  # relative to the stones


@kernel
def grain(wheel: Any, rate: float) -> float:
    """Blow of this sample: the amplitude of a grain, -1 .. 1, or 0 without; `rate`: mean number of grains a second."""
    if 0.5 * (white(wheel) + 1.0) * SAMPLE_RATE >= rate:
        return 0.0
    size = white(wheel)
    return size * size * size


@kernel
def render_grains(bus: Any, wheel: Any, rate: float, pitch: float, row: int, target: float) -> None:
    """Add grains at a mean `rate`, 1/s.

    pitch: factor on the frequencies.
    row, target: row of the wheel's `gains`, and the gain to which it moves.
    """
    gain, slope = advance(wheel.gains, row, target)
    if gain == 0.0 and slope == 0.0:
        wheel.grains[:] = 0.0
        return
    g0, g1, g2 = tuning_of(STONES * pitch), tuning_of(SILL * pitch), tuning_of(ARCH * pitch)
    scale0, scale1, scale2 = scale_of(g0, DAMPING), scale_of(g1, DAMPING), scale_of(g2, DAMPING)
    memory = wheel.grains
    a, a2, b, b2, c, c2 = memory[0], memory[1], memory[2], memory[3], memory[4], memory[5]
    for k in range(BLOCK):
        blow = grain(wheel, rate)
        _, stones, a, a2 = two_pole(a, a2, blow, g0, scale0)
        _, sill, b, b2 = two_pole(b, b2, blow, g1, scale1)
        _, arch, c, c2 = two_pole(c, c2, blow, g2, scale2)
        gain += slope
        bus[k] += gain * (stones + SILL_LEVEL * sill + ARCH_LEVEL * arch)
    memory[0], memory[1], memory[2], memory[3], memory[4], memory[5] = a, a2, b, b2, c, c2
