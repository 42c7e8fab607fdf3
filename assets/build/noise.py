"""Noise for building textures: value noise in the plane, tileable spectrum noise, tileable cells."""

from __future__ import annotations

import numpy as np


def value_noise(x: np.ndarray, y: np.ndarray, seed: int) -> np.ndarray:
    """Smooth value noise on the unit lattice, 0..1, repeating after 256."""
    table = np.random.default_rng(seed).uniform(0.0, 1.0, (256, 256))
    i, j = np.floor(x).astype(int), np.floor(y).astype(int)
    u, v = x - i, y - j
    u, v = u * u * u * (u * (6 * u - 15) + 10), v * v * v * (v * (6 * v - 15) + 10)
    i, j = i % 256, j % 256
    next_i, next_j = (i + 1) % 256, (j + 1) % 256
    bottom = table[j, i] * (1 - u) + table[j, next_i] * u
    top = table[next_j, i] * (1 - u) + table[next_j, next_i] * u
    return bottom * (1 - v) + top * v


def value_fbm(x: np.ndarray, y: np.ndarray, octaves: int, seed: int) -> np.ndarray:
    """Sum of octaves of value noise, 0..1, mean 0.5; each is rotated, at twice the frequency and half the amplitude."""
    total, weight, amplitude = np.zeros(np.broadcast(x, y).shape), 0.0, 1.0
    for octave in range(octaves):
        total += amplitude * value_noise(x + 17.3 * octave, y - 9.1 * octave, seed + octave)
        weight += amplitude
        amplitude *= 0.5
        x, y = 1.63 * x - 1.17 * y, 1.17 * x + 1.63 * y
    return total / weight


def spectrum_noise(size: int, slope: float, seed: int, low: float = 1.0, high: float | None = None) -> np.ndarray:
    """Tileable noise, 0..1 with mean 0.5 and standard deviation 0.18.

    Its amplitude falls as frequency^-slope between `low` and `high`, in cycles per tile; `high` None: half of `size`.
    """
    random = np.random.default_rng(seed)
    frequency = np.hypot(np.fft.fftfreq(size)[:, None], np.fft.rfftfreq(size)[None, :]) * size
    high = high or size / 2
    gain = np.where((frequency >= low) & (frequency <= high), np.maximum(frequency, 1.0) ** -slope, 0.0)
    image = np.fft.irfft2(np.fft.rfft2(random.normal(size=(size, size))) * gain, s=(size, size))
    return np.clip(0.5 + 0.18 * image / image.std(), 0.0, 1.0)


def cells(size: int, count: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Tileable Worley noise with one point per cell of a `count` x `count` grid.

    Returns the distances to the nearest and the second nearest point, in cell widths, and a random number, 0..1, that
    belongs to the nearest point.
    """
    random = np.random.default_rng(seed)
    point = random.uniform(0.12, 0.88, (count, count, 2))
    tint = random.uniform(0.0, 1.0, (count, count))
    line = (np.arange(size) + 0.5) / size * count
    x, y = np.meshgrid(line, line)
    i, j = np.floor(x).astype(int), np.floor(y).astype(int)
    first, second, nearest_tint = np.full(x.shape, 9.0), np.full(x.shape, 9.0), np.zeros(x.shape)
    for dj in (-1, 0, 1):
        for di in (-1, 0, 1):
            ci, cj = (i + di) % count, (j + dj) % count
            distance = np.hypot(i + di + point[cj, ci, 0] - x, j + dj + point[cj, ci, 1] - y)
            nearer = distance < first
            second = np.where(nearer, first, np.minimum(second, distance))
            nearest_tint = np.where(nearer, tint[cj, ci], nearest_tint)
            first = np.where(nearer, distance, first)
    return first, second, nearest_tint
