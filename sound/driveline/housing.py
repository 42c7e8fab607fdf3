"""Housing of a gearbox or motor: what the forces inside make its walls radiate.

Each mode is a two-pole band-pass, whose gain at its frequency is GAINS. A whine that passes a mode as the speed rises
swells and fades; a blow makes all modes ring. The first mode is that of the unit in its mounts, the others bend the
walls. Frequencies and damping are the program's own; those of the walls are in the range reported for cast aluminium
(from a few hundred Hz, damping ratios of 2 to 6 %).

    g = tan(pi f / f_s),  D = 1 + d g + g^2                       bilinear transform, d: 1 / Q
    y[i] = d g / D (x[i] - x[i-2]) - 2 (g^2 - 1) / D y[i-1] - (1 - d g + g^2) / D y[i-2]
"""

from typing import Any

from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.sound.base.filters import ANTI_DENORMAL, tuning_of

FREQUENCIES = (190.0, 430.0, 910.0, 1730.0, 3050.0)  # Hz
DAMPINGS = (0.22, 0.11, 0.09, 0.08, 0.1)  # 1 / Q
GAINS = (0.5, 0.9, 1.0, 0.9, 0.6)  # at the mode's frequency
MODE_COUNT = len(FREQUENCIES)


@kernel
def _mode(frequency: float, damping: float) -> tuple[float, float, float]:
    """(factor of the input, of the last output, of the one before) of a mode."""
    g = tuning_of(frequency)
    scale = 1.0 / (1.0 + g * (g + damping))
    return damping * g * scale, -2.0 * (g * g - 1.0) * scale, -(1.0 + g * (g - damping)) * scale


@kernel
def modes() -> Any:
    """Coefficients of all modes for `ringing`; cheap enough to be computed for every block."""
    f, d = FREQUENCIES, DAMPINGS
    return _mode(f[0], d[0]), _mode(f[1], d[1]), _mode(f[2], d[2]), _mode(f[3], d[3]), _mode(f[4], d[4])


@inline_kernel
def pulse(left: int, length: int) -> float:
    """Force of a blow with `left` of its `length` samples left: a full sine that begins and ends without a corner.

    Its largest value is about 1.
    """
    u = 2.0 * left / length - 1.0  # 1 .. -1
    v = 1.0 - u * u
    return 3.5 * u * v * v


@inline_kernel
def ringing(memory: Any, force: float, coefficients: Any) -> float:
    """Sum of the modes' responses to one sample of force.

    Args:
        memory: [MODE_COUNT, 2], changed.
        coefficients: result of `modes`.
    """
    total = 0.0
    for k in range(MODE_COUNT):
        b, last, earlier = coefficients[k]
        x = b * force
        y = x + memory[k, 0]
        memory[k, 0] = memory[k, 1] + last * y + ANTI_DENORMAL
        memory[k, 1] = earlier * y - x
        total += GAINS[k] * y
    return total
