"""Two-pole resonator: a mode of a body that rings after a blow.

    y[i] = 2 r cos w y[i-1] - r^2 y[i-2] + sin w x[i],    w = 2 pi f / f_s,  r = exp(-decay / f_s)

A single sample of x = 1 makes it ring as exp(-decay t) sin(2 pi f t), with a height of about 1 whatever f is.

A set of K modes has coefficients float64 [3, K], the factors of y[i-1], y[i-2] and x[i], and a memory float64 [2, K],
y[i-1] and y[i-2]: with the modes side by side, the compiler can vectorise a loop over them.
"""

from typing import Any

from driving_sandbox.physics.kernel.elementary import exp, sincos
from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.sound.base.block import SAMPLE_RATE
from driving_sandbox.sound.base.filters import ANTI_DENORMAL, HIGHEST
from driving_sandbox.sound.base.oscillator import RADIANS_PER_HERTZ


@kernel
def tune_mode(coefficients: Any, k: int, frequency: float, decay: float, level: float) -> None:
    """Set the coefficients of mode k; frequency: Hz, silent from HIGHEST on; decay: 1/s; level: factor on x."""
    radius = exp(-decay / SAMPLE_RATE)
    sine, cosine = sincos(RADIANS_PER_HERTZ * min(frequency, HIGHEST))
    coefficients[0, k] = 2.0 * radius * cosine
    coefficients[1, k] = -radius * radius
    coefficients[2, k] = sine * level if frequency < HIGHEST else 0.0


@inline_kernel
def resonated(coefficients: Any, memory: Any, k: int, force: float) -> float:
    """Output of mode k for a sample of force; its memory is changed."""
    y = coefficients[0, k] * memory[0, k] + coefficients[1, k] * memory[1, k]
    y += coefficients[2, k] * force + ANTI_DENORMAL
    memory[1, k] = memory[0, k]
    memory[0, k] = y
    return y


@kernel
def held(memory: Any) -> float:
    """Sum of the magnitudes of the last two outputs of all modes: near 0 once none rings."""
    total = 0.0
    for k in range(memory.shape[1]):
        total += abs(memory[0, k]) + abs(memory[1, k])
    return total
