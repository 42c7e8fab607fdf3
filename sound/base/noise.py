"""Random numbers of a voice: xorshift64, whose state is the field `noise` (uint64, never 0) of the voice's record."""

from typing import Any

import numpy as np

from driving_sandbox.physics.kernel.jit import kernel

SEED = np.uint64(0x9E3779B97F4A7C15)  # fractional part of the golden ratio times 2^64, made odd
_SCALE = 2.0**-52  # 53 random bits as -1..1


def seed(number: int) -> np.uint64:
    """Start of a generator's state, different for every `number`."""
    return np.uint64((int(SEED) * (2 * number + 1)) % 2**64)


@kernel
def white(voice: Any) -> float:
    """Uniformly distributed in -1..1; white noise if called for every sample."""
    x = voice.noise
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    voice.noise = x
    return np.float64(x >> np.uint64(11)) * _SCALE - 1.0


@kernel
def bell(voice: Any) -> float:
    """Sum of three uniform numbers, -3..3: nearly normal, with standard deviation 1."""
    return white(voice) + white(voice) + white(voice)
