"""Filters that process one sample per call; the caller stores their memory."""

import math
from typing import Any

from driving_sandbox.physics.kernel.elementary import tan
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.sound.base.block import SAMPLE_RATE

HIGHEST = 0.45 * SAMPLE_RATE  # Hz, highest corner frequency; the tangent below has its pole at half the rate
ANTI_DENORMAL = 1e-18  # offset against denormal numbers, which are slow, in loops whose input has ended


@kernel
def pole(memory: Any, x: float, share: float) -> float:
    """One-pole low-pass: the new memory, which is also the output, is `share` (0..1) of the way from the old to `x`."""
    return (memory + ANTI_DENORMAL) + share * (x - memory)  # grouped so that a sample waits for 3 operations


@kernel
def share_of(frequency: float) -> float:
    """Share of `pole` for a corner `frequency`, Hz; accurate only well below the sample rate."""
    g = tuning_of(frequency)
    return 2.0 * g / (1.0 + 2.0 * g)


@kernel
def tuning_of(frequency: float) -> float:
    """Coefficient g of `state_variable` for a `frequency`, Hz."""
    return tan(math.pi / SAMPLE_RATE * min(frequency, HIGHEST))


@kernel
def scale_of(g: float, damping: float) -> float:
    """Coefficient of `two_pole` for g = `tuning_of` the corner or centre frequency, and damping = 1 / Q."""
    return 1.0 / (1.0 + g * (g + damping))


@kernel
def two_pole(first: float, second: float, x: float, g: float, scale: float) -> Any:
    """Two-pole filter by trapezoidal integration: (low-pass, band-pass, new `first`, new `second`).

    The memory is passed by value, so that a loop keeps it in registers. The high-pass is x - damping * band - low; the
    band-pass has the gain 1 / damping at its centre.

    Args:
        g, scale: `tuning_of` and `scale_of`.
    """
    past = x - second
    product = scale * g
    band = scale * first + product * past
    low = second + g * band
    # 2 band - first and 2 low - second, written in terms of the old memory, so that a sample waits for few operations
    new_first = (2.0 * scale - 1.0) * first + (2.0 * product * past + ANTI_DENORMAL)
    new_second = (second + 2.0 * g * product * past) + 2.0 * product * first
    return low, band, new_first, new_second


@kernel
def state_variable(memory: Any, x: float, g: float, damping: float) -> Any:
    """`two_pole` with its memory in an array of 2, changed: (low-pass, band-pass, high-pass) of `x`."""
    low, band, memory[0], memory[1] = two_pole(memory[0], memory[1], x, g, scale_of(g, damping))
    return low, band, x - damping * band - low
