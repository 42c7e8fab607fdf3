"""Integrated loudness of samples by ITU-R BS.1770-4, in LUFS.

z_i    mean square of a channel after K-weighting, in pieces of 0.4 s that overlap by 75 %
L      -0.691 + 10 log10(z_left + z_right)
gates  pieces below -70 LUFS, then those more than 10 LU below the mean of the others, do not count
"""

import numpy as np

RATE = 48000  # 1/s, for which the filters below hold
# (numerator, denominator) of both filters, coefficients of 1, z^-1 and z^-2
SHELF = ((1.53512485958697, -2.69169618940638, 1.19839281085285), (1.0, -1.69065929318241, 0.73248077421585))
HIGH_PASS = ((1.0, -2.0, 1.0), (1.0, -1.99004745483398, 0.99007225036621))
PIECE, STEP = RATE * 2 // 5, RATE // 10  # samples
OFFSET = -0.691  # dB, so that a tone of 997 Hz at full scale in one channel has -3.01
SILENT, BELOW = -70.0, 10.0  # LUFS, LU
EDGE = RATE // 2  # samples of silence around the samples, as the filters act on their spectrum


def loudness(samples: np.ndarray) -> float:
    """LUFS of samples [n, 2], -1..1, at 48 kHz, at least 0.4 s long; -inf for silence."""
    squares = np.cumsum(np.vstack([np.zeros((1, 2)), k_weighted(samples) ** 2]), axis=0)
    starts = np.arange(0, len(samples) - PIECE + 1, STEP)
    power = (squares[starts + PIECE] - squares[starts]).sum(axis=1) / PIECE
    power = power[power > _power(SILENT)]
    if not len(power):
        return -np.inf
    counted = power[power > _power(_level(power.mean()) - BELOW)]
    return _level(counted.mean())


def k_weighted(samples: np.ndarray) -> np.ndarray:
    """Samples [n, channels] through the weighting filters of the head and of low frequencies."""
    padded = np.pad(samples, ((EDGE, EDGE), (0, 0)))
    z = np.exp(-2j * np.pi * np.arange(len(padded) // 2 + 1) / len(padded))
    response = np.ones_like(z)
    for numerator, denominator in (SHELF, HIGH_PASS):
        response *= np.polyval(numerator[::-1], z) / np.polyval(denominator[::-1], z)
    weighted = np.fft.irfft(response[:, None] * np.fft.rfft(padded, axis=0), len(padded), axis=0)
    return weighted[EDGE:-EDGE]


def _level(power: float) -> float:
    """Loudness, LUFS, of a mean square after K-weighting."""
    return OFFSET + 10.0 * float(np.log10(power))


def _power(level: float) -> float:
    """The mean square that has a loudness, LUFS."""
    return 10.0 ** ((level - OFFSET) / 10.0)
