"""Filters of one sample, whose memory the caller keeps."""

import math

from driving_sandbox.physics.kernel.elementary import tan
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.sound.block import SAMPLE_RATE

HIGHEST = 0.45 * SAMPLE_RATE  # Hz, highest corner frequency; the tangent below has its pole at half the rate
QUIET = 1e-18  # offset against denormal numbers, which are slow, in loops whose input has ended


@kernel
def pole(memory, x, share):
    """One-pole low-pass: the new memory, which is the output; `share` (0..1) of the way from the old one to `x`."""
    return memory + share * (x - memory) + QUIET


@kernel
def share_of(frequency):
    """Share of `pole` for a corner `frequency`, Hz."""
    g = tuning_of(frequency)
    return 2.0 * g / (1.0 + 2.0 * g)


@kernel
def tuning_of(frequency):
    """Coefficient g of `state_variable` for a `frequency`, Hz."""
    return tan(math.pi / SAMPLE_RATE * min(frequency, HIGHEST))


@kernel
def state_variable(memory, x, g, damping):
    """Two-pole filter by trapezoidal integration: (low-pass, band-pass, high-pass) of `x`.

    Args:
        memory: array of 2, changed.
        g: `tuning_of` the corner or centre frequency.
        damping: 1 / Q; the band-pass has the gain 1 / damping at its centre.
    """
    high = (x - (g + damping) * memory[0] - memory[1]) / (1.0 + g * (g + damping))
    band = g * high + memory[0]
    low = g * band + memory[1]
    memory[0] = g * high + band + QUIET
    memory[1] = g * band + low
    return low, band, high
