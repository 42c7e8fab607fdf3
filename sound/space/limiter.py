"""Limiter with look-ahead: no sample, and no curve through the samples, exceeds CEILING.

    needed(n)  = max(0, 1 - target / peak(n))      peak of both ears, and of 4-fold interpolation between samples
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

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.sound.base.block import BLOCK, SAMPLE_RATE

CEILING = 0.891  # -1 dB of full scale, of the curve through the samples: converters overshoot between samples
TARGET = 0.86  # of the measured peak; the rest is the error of its interpolation by few coefficients
WINDOW = 64  # samples, 1.3 ms: shorter ramps of the gain are heard as distortion
RELEASE = 0.08  # s; shorter ones let the gain follow the single periods of an engine

PHASES = (0.25, 0.5, 0.75)  # between two samples, where the peak is looked for
COEFFICIENTS = 12
HALF = COEFFICIENTS // 2
DELAY = WINDOW + HALF - 1  # samples from input to output
_QUIETER = 2.5  # samples smaller by this make no peak between them: the coefficients' magnitudes add up to 2
_RING = 128  # samples kept; a power of two, more than WINDOW + COEFFICIENTS
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
        ("input", np.float64, (2, _RING)),
        ("loud", np.int64),  # samples for which a peak between samples is possible
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
    for i in range(BLOCK):
        n = limiter.count
        for ear in range(2):
            limiter.input[ear, n & _MASK] = ears[i, ear]
        peak = _peak(limiter, n)
        _hold(limiter, n, 1.0 - TARGET / peak if peak > TARGET else 0.0)
        gain = _gain(limiter, n, limiter.value[limiter.first & _MASK])
        for ear in range(2):
            out[i, ear] = gain * limiter.input[ear, (n - DELAY) & _MASK]
        limiter.count = n + 1


@kernel
def _peak(limiter: Any, n: int) -> float:
    """Largest magnitude at the sample n - HALF + 1 and between it and the one before, of both ears."""
    peak = 0.0
    for ear in range(2):
        if abs(limiter.input[ear, n & _MASK]) * _QUIETER > TARGET:
            limiter.loud = COEFFICIENTS
    if limiter.loud > 0:
        limiter.loud -= 1
        for ear in range(2):
            x = limiter.input[ear]
            peak = max(peak, abs(x[(n - HALF + 1) & _MASK]))
            for coefficients in BETWEEN:
                value = 0.0
                for k in range(COEFFICIENTS):
                    value += coefficients[k] * x[(n - COEFFICIENTS + 1 + k) & _MASK]
                peak = max(peak, abs(value))
    return peak


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
