"""Sinusoids whose frequency moves evenly through a block: tones of turning parts.

A phase is counted in turns (0..1) and kept from block to block in the voice's state. With the frequency f0 at the end
of the last block and f1 at the end of this one, sample i of N has the frequency f0 + (f1 - f0) (i + 1) / N, and the
phase is a quadratic function of i. The point (cosine, sine) therefore turns by an angle that itself grows by a
constant: two complex products per sample, whose factors need three sines and cosines at the start of the block.
"""

import math

from driving_sandbox.physics.kernel.elementary import sincos
from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.sound.base.block import BLOCK, SAMPLE_RATE

RADIANS_PER_HERTZ = 2.0 * math.pi / SAMPLE_RATE  # rad per sample
FADE_START, FADE_END = 0.4 * SAMPLE_RATE, 0.45 * SAMPLE_RATE  # Hz; partials are faded out, they would fold back
Tone = tuple[float, float, float, float, float, float]  # as `tone` returns it


@kernel
def tone(turns: float, before: float, after: float) -> Tone:
    """A sinusoid in the moment before a block: (cosine, sine, step's cosine, sine, growth's cosine, sine).

    Args:
        turns: phase at the end of the last block.
        before, after: frequencies at the end of the last and of this block, Hz.
    """
    growth = (after - before) / BLOCK
    y, x = sincos(2.0 * math.pi * turns)
    step_y, step_x = sincos(RADIANS_PER_HERTZ * (before + growth))
    growth_y, growth_x = sincos(RADIANS_PER_HERTZ * growth)
    return x, y, step_x, step_y, growth_x, growth_y


@inline_kernel
def stepped(t: Tone) -> Tone:
    """The sinusoid one sample later."""
    x, y, step_x, step_y, growth_x, growth_y = t
    return (
        x * step_x - y * step_y,
        x * step_y + y * step_x,
        step_x * growth_x - step_y * growth_y,
        step_x * growth_y + step_y * growth_x,
        growth_x,
        growth_y,
    )


@kernel
def turns_after(turns: float, before: float, after: float) -> float:
    """Phase at the end of the block whose tone begins at `turns`."""
    later = turns + (BLOCK * before + 0.5 * (BLOCK + 1) * (after - before)) / SAMPLE_RATE
    return later - math.floor(later)


@inline_kernel
def audible(frequency: float) -> float:
    """Gain of a partial: 1, and 0 where its frequency (Hz) is too high for the sample rate."""
    return min(1.0, max(0.0, (FADE_END - frequency) / (FADE_END - FADE_START)))
