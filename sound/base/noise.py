"""Random numbers of a voice: xorshift64, whose state is the field `noise` (uint64, never 0) of the voice's record.

`fill_white` makes many at once: hashes of a counter, none of which depends on the one before, so that the loop can be
vectorised (splitmix64: Steele, Lea, Flood, Fast Splittable Pseudorandom Number Generators, 2014).
"""

from typing import Any

import numpy as np

from driving_sandbox.physics.kernel.bits import from_bits
from driving_sandbox.physics.kernel.elementary import ONE_BITS
from driving_sandbox.physics.kernel.jit import kernel

SEED = np.uint64(0x9E3779B97F4A7C15)  # fractional part of the golden ratio times 2^64, made odd
_SCALE = 2.0**-52  # 53 random bits as -1..1
_MIX = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)  # factors of splitmix64
_UPPER = np.uint64(0xFFFFFFFF00000000)


def seed(number: int) -> np.uint64:
    """Start of a generator's state, different for every `number`."""
    return np.uint64((int(SEED) * (2 * number + 1)) % 2**64)


def begin(state: Any, number: int) -> None:
    """Seed the `noise`, if any, of a STATE that is otherwise zero at the start; `number` differs for every voice."""
    if "noise" in state.dtype.names:
        state["noise"] = seed(number)


@kernel
def white(voice: Any) -> float:
    """Random number, uniform in -1..1; white noise if called for every sample."""
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


@kernel
def hashed(x: np.uint64) -> np.uint64:
    """64 random bits of a counter that grows by SEED."""
    x = (x ^ (x >> np.uint64(30))) * _MIX[0]
    x = (x ^ (x >> np.uint64(27))) * _MIX[1]
    return x ^ (x >> np.uint64(31))


@kernel
def fill_white(counter: np.uint64, samples: Any) -> np.uint64:
    """Fill float64 `samples` [even number] with white noise in -1..1 from a counter on; returns the next counter.

    A hash gives two numbers of 32 bits. Counters that begin at hashes of different seeds practically never meet.
    """
    half = len(samples) // 2
    for k in range(half):
        x = hashed(counter + np.uint64(k) * SEED)
        samples[k] = _between(x & _UPPER)
        samples[half + k] = _between(x << np.uint64(32))
    return counter + np.uint64(half) * SEED


@kernel
def _between(x: np.uint64) -> float:
    """The upper 52 bits as -1..1, without the conversion from integers, which few processors can vectorise."""
    return 2.0 * from_bits(int(np.int64(x >> np.uint64(12)) | ONE_BITS)) - 3.0
