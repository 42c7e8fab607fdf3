"""Limiter with look-ahead: no sample, and no curve through the samples, exceeds CEILING.

    needed(n)  = max(0, 1 - TARGET / peak(n))      peak of both ears, and of 4-fold interpolation between samples
    held(n)    = max of needed(n - WINDOW .. n)
    released   = held where that is larger, else one pole of RELEASE seconds towards it, at last 0
    gain(n)    = 1 - mean of released(n - WINDOW + 1 .. n)
    output(n)  = gain(n) input(n - DELAY)

Each peak is in `held` during all of the WINDOW samples whose mean is its gain, so the ceiling is exact; the mean turns
steps of `held` into ramps. The sum of the mean is of integers: it does not drift. Both ears have one gain, so that
loud sounds do not move to the side.
"""

import math
from typing import Any

import numpy as np

from driving_sandbox.physics.kernel.bits import pick
from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.sound.base.block import BLOCK, SAMPLE_RATE

CEILING = 0.891  # -1 dB of full scale, of the curve through the samples: converters overshoot between samples
TARGET = 0.86  # largest measured peak; CEILING leaves room for the error of its interpolation by few coefficients
WINDOW = 64  # samples, 1.3 ms: shorter ramps of the gain are heard as distortion
RELEASE = 0.08  # s; shorter ones let the gain follow the single periods of an engine

PHASES = (0.25, 0.5, 0.75)  # between two samples, where the peak is looked for
COEFFICIENTS = 12
HALF = COEFFICIENTS // 2
DELAY = WINDOW + HALF - 1  # samples from input to output
_QUIETER = 2.5  # samples below TARGET / this make no peak above it: the coefficients' magnitudes add up to 2
_RING = 128  # values in the queue; a power of two, more than WINDOW
_MASK = _RING - 1
_WHOLE = 2.0**40  # integer of the gain 1
_NOTHING = 1e-12  # reduction that is none: _WHOLE does not resolve it, and it would become a denormal number
_RELEASED = 1.0 / (RELEASE * SAMPLE_RATE)


def _interpolation(phase: float) -> tuple[float, ...]:
    """Coefficients of the value between the samples HALF - 1 and HALF of COEFFICIENTS samples: sinc, Kaiser window."""
    distance = phase - np.arange(1 - HALF, HALF + 1)
    window = np.i0(4.0 * np.sqrt(1.0 - (distance / HALF) ** 2)) / np.i0(4.0)
    raw = np.sinc(distance) * window
    return tuple(float(value) for value in np.round(raw / raw.sum(), 12))  # rounded: the same on every machine


BETWEEN = tuple(_interpolation(phase) for phase in PHASES)

LIMITER = np.dtype(
    [  # zero at the start
        ("count", np.int64),  # samples so far
        ("input", np.float64, (2, DELAY + BLOCK)),  # the last samples, and those of the block
        ("peak", np.float64, (BLOCK,)),  # at each sample of the block
        ("released", np.float64),
        ("mean", np.int64, (WINDOW,)),  # the last values of `released`, in 1 / _WHOLE
        ("sum", np.int64),
        # queue of falling values, whose first one is the largest of the window
        ("value", np.float64, (_RING,)),
        ("time", np.int64, (_RING,)),
        ("first", np.int64),
        ("end", np.int64),
    ],
    align=True,
)


@kernel
def limit(out: Any, ears: Any, limiter: Any) -> None:
    """Write the limited float64 [BLOCK, 2] `ears`, DELAY samples later, to `out` of the same shape."""
    _take(limiter, ears)
    x, loud = limiter.input, _measure(limiter)
    if not loud and limiter.released == 0.0 and limiter.sum == 0:
        limiter.first = limiter.end = 0  # only zeros are in the queue
        for i in range(BLOCK):
            out[i, 0], out[i, 1] = x[0, i], x[1, i]
        limiter.count += BLOCK
        return
    for i in range(BLOCK):
        peak = limiter.peak[i]
        _hold(limiter, limiter.count, 1.0 - TARGET / peak if peak > TARGET else 0.0)
        gain = _gain(limiter, limiter.count, limiter.value[limiter.first & _MASK])
        out[i, 0], out[i, 1] = gain * x[0, i], gain * x[1, i]
        limiter.count += 1


@kernel
def _take(limiter: Any, ears: Any) -> None:
    """Append a block of both ears to the input, whose oldest block is dropped."""
    for ear in range(2):
        x = limiter.input[ear]
        for i in range(DELAY):
            x[i] = x[i + BLOCK]
        for i in range(BLOCK):
            x[DELAY + i] = ears[i, ear]


@kernel
def _measure(limiter: Any) -> bool:
    """Set `peak`: largest magnitude HALF - 1 samples ago and between there and the sample before, of both ears.

    Returns whether there may be one above TARGET; if not, all are 0.
    """
    first = DELAY - COEFFICIENTS + 1  # oldest sample that the first peak needs
    loud = False
    for ear in range(2):
        for i in range(first, DELAY + BLOCK):
            loud |= abs(limiter.input[ear, i]) * _QUIETER > TARGET
    limiter.peak[:] = 0.0
    if not loud:
        return False
    for ear in range(2):
        x = limiter.input[ear, first:]
        for i in range(BLOCK):
            limiter.peak[i] = _larger(limiter.peak[i], abs(x[i + HALF]))
        for coefficients in BETWEEN:
            _raise(limiter.peak, x, coefficients)
    return True


@kernel
def _raise(peak: Any, x: Any, coefficients: Any) -> None:
    """Raise peaks to the magnitudes of the values between the samples `x`, for all samples of a block side by side."""
    for i in range(BLOCK):
        value = 0.0
        for k in range(COEFFICIENTS):
            value += coefficients[k] * x[i + k]
        peak[i] = _larger(peak[i], abs(value))


@inline_kernel
def _larger(a: float, b: float) -> float:
    """The larger one, without a branch."""
    return pick(b > a, b, a)


@kernel
def _hold(limiter: Any, n: int, needed: float) -> None:
    """Add a reduction to the queue, and drop what is smaller, or older than the window."""
    while limiter.end > limiter.first and limiter.value[(limiter.end - 1) & _MASK] <= needed:
        limiter.end -= 1
    limiter.value[limiter.end & _MASK] = needed
    limiter.time[limiter.end & _MASK] = n
    limiter.end += 1
    if limiter.time[limiter.first & _MASK] < n - WINDOW:
        limiter.first += 1


@kernel
def _gain(limiter: Any, n: int, held: float) -> float:
    """Gain of the sample that goes out, from the reduction held now."""
    released = max(held, limiter.released + _RELEASED * (held - limiter.released))
    limiter.released = released if released > _NOTHING else 0.0
    value = math.ceil(limiter.released * _WHOLE)
    limiter.sum += value - limiter.mean[n % WINDOW]
    limiter.mean[n % WINDOW] = value
    return 1.0 - limiter.sum / (WINDOW * _WHOLE)
