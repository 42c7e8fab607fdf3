"""How much two pictures differ to the eye, by measures that another processor or driver hardly moves.

Both are taken to Oklab (Ottosson 2020; lightness and two opponent colours, distances near the eye's; here times 100, so
that 1 is about the least that is seen) and blurred by `BLUR`: edges drawn half a pixel elsewhere and other roundings of
noise vanish, what has another colour, brightness or place stays. Measured are

    mean     of the distance of all pixels: another light, haze or paint
    high     its 99th percentile: a missing part, a lamp that is out
    tile     the worst mean of a tile: the same in one corner of the picture
    pattern  the worst tile's likeness of lightness, 2 cov(a, b) / (var(a) + var(b)), 1 for equal ones: a texture that
             is gone, a thing that moved. `SMOOTH` added to both sides of the fraction lets plain tiles be alike.
"""

from dataclasses import dataclass

import numpy as np

FLARE = 0.01  # light that a screen mirrors, of white: steps between two blacks are not seen
BLUR = 1.0  # px, standard deviation
TILES = (9, 16)  # rows, columns
SMOOTH = 4.0  # squared lightness (0..100): variance of a plain tile's noise
LIMITS = {"mean": 0.8, "high": 4.0, "tile": 2.5, "pattern": 0.85}  # more than twice what another rasterizer moves
_TO_CONES = np.array([[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
                      [0.0883024619, 0.2817188376, 0.6299787005]])  # fmt: skip
_TO_LAB = np.array([[0.2104542553, 0.7936177850, -0.0040720468], [1.9779984951, -2.4285922050, 0.4505937099],
                    [0.0259040371, 0.7827717662, -0.8086757660]])  # fmt: skip
_LINEAR = np.where(np.arange(256) <= 10, np.arange(256) / 255.0 / 12.92,
                   ((np.arange(256) / 255.0 + 0.055) / 1.055) ** 2.4)  # fmt: skip


@dataclass(frozen=True)
class Difference:
    """The four measures, and `distance`: that of every pixel."""

    mean: float
    high: float
    tile: float
    pattern: float
    distance: np.ndarray

    @property
    def excess(self):
        """[measure beyond its limit, as words]"""
        found = [f"{name} {value:.2f} > {LIMITS[name]:g}" for name in ("mean", "high", "tile")
                 if (value := getattr(self, name)) > LIMITS[name]]  # fmt: skip
        if self.pattern < LIMITS["pattern"]:
            found.append(f"pattern {self.pattern:.2f} < {LIMITS['pattern']:g}")
        return found


def perceived(picture):
    """Oklab of a picture of sRGB bytes, times 100, blurred."""
    cones = np.cbrt(_LINEAR[picture] @ _TO_CONES.T + FLARE)
    return blurred(100.0 * cones @ _TO_LAB.T)


def blurred(values):
    """By a Gaussian of BLUR px along both sides; borders are repeated."""
    reach = round(3.0 * BLUR)
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / BLUR) ** 2)
    weights /= weights.sum()
    for axis in (0, 1):
        width = [(reach, reach) if k == axis else (0, 0) for k in range(values.ndim)]
        padded, size = np.pad(values, width, mode="edge"), values.shape[axis]
        values = sum(w * padded.take(range(k, k + size), axis) for k, w in enumerate(weights))
    return values


def tiles(values):
    """(tiles, pixels of each) of a plane."""
    rows, columns = TILES
    high, wide = values.shape[0] // rows, values.shape[1] // columns
    cut = values[:rows * high, :columns * wide].reshape(rows, high, columns, wide)
    return cut.transpose(0, 2, 1, 3).reshape(rows * columns, high * wide)


def difference(picture, reference):
    """Difference of two pictures of bytes, (rows, columns, 3). Raises ValueError where their sizes differ."""
    if picture.shape != reference.shape:
        raise ValueError(f"a picture of {picture.shape[1]} x {picture.shape[0]} px, "
                         f"its reference has {reference.shape[1]} x {reference.shape[0]}")  # fmt: skip
    a, b = perceived(picture), perceived(reference)
    distance = np.sqrt(((a - b) ** 2).sum(axis=2))
    first, second = tiles(a[..., 0]), tiles(b[..., 0])
    shared = ((first - first.mean(axis=1, keepdims=True)) * (second - second.mean(axis=1, keepdims=True))).mean(axis=1)
    likeness = (2.0 * shared + SMOOTH) / (first.var(axis=1) + second.var(axis=1) + SMOOTH)
    return Difference(float(distance.mean()), float(np.percentile(distance, 99.0)),
                      float(tiles(distance).mean(axis=1).max()), float(likeness.min()), distance)  # fmt: skip
