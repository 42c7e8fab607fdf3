"""How much two pictures differ to the eye, by measures that hardly depend on the processor or graphics driver.

Both are converted to Oklab (Ottosson 2020: lightness and two opponent colours, in which distances are about as large
as they look), times 100, so that 1 is just visible, and blurred by `BLUR`: this removes edges that are half a pixel
off and different rounding of noise, and keeps differences of colour, brightness or position. Measured are

    mean     mean distance of colours of all pixels: another light, haze or paint
    high     99th percentile of that distance: a missing part, a lamp that is out
    tile     largest mean distance in a tile: such a change in one corner of the picture
    pattern  smallest similarity of lightness in a tile, 2 cov(a, b) / (var(a) + var(b)), 1 for equal tiles: an object
             that moved. `SMOOTH` is added to numerator and denominator, so that plain tiles count as similar.
    grain    contrast of the details that the blur removes, as standard deviations per tile; the 90th percentile of the
             tiles' log ratio: a texture that is missing. Blades of grass at other positions leave it equal.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

FLARE = 0.01  # light that a screen reflects, as a fraction of its white: steps between two blacks are invisible
BLUR = 2.0  # px, standard deviation
FINE = 0.7  # px, standard deviation of the grain's own blur: finer details are rounding
TILES = (9, 16)  # rows and columns of tiles
SMOOTH = 9.0  # variance of the lightness (0..100) by noise in a plain tile
MIN_GRAIN = 0.5  # lightness, deviation by noise in a plain tile; added to both deviations
# At least twice the change in llvmpipe with vectors of another width or without fused multiplication.
LIMITS = {"mean": 0.55, "high": 3.5, "tile": 2.6, "pattern": 0.75, "grain": 0.2}
_TO_CONES = np.array([[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
                      [0.0883024619, 0.2817188376, 0.6299787005]])  # fmt: skip
_TO_LAB = np.array([[0.2104542553, 0.7936177850, -0.0040720468], [1.9779984951, -2.4285922050, 0.4505937099],
                    [0.0259040371, 0.7827717662, -0.8086757660]])  # fmt: skip
_LINEAR = np.where(np.arange(256) <= 10, np.arange(256) / 255.0 / 12.92,
                   ((np.arange(256) / 255.0 + 0.055) / 1.055) ** 2.4)  # fmt: skip


@dataclass(frozen=True)
class Difference:
    """The five measures, and `distance` (rows, columns), the colour distance of every pixel."""

    mean: float
    high: float
    tile: float
    pattern: float
    grain: float
    distance: np.ndarray

    @property
    def excess(self) -> list[str]:
        """A text for each measure that exceeds its limit."""
        reasons = [f"{name} {value:.2f} > {LIMITS[name]:g}" for name in ("mean", "high", "tile", "grain")
                 if (value := getattr(self, name)) > LIMITS[name]]  # fmt: skip
        if self.pattern < LIMITS["pattern"]:
            reasons.append(f"pattern {self.pattern:.2f} < {LIMITS['pattern']:g}")
        return reasons


def perceived(picture: np.ndarray) -> np.ndarray:
    """Oklab of a picture of sRGB bytes, times 100."""
    return 100.0 * np.cbrt(_LINEAR[picture] @ _TO_CONES.T + FLARE) @ _TO_LAB.T


def blurred(values: Any, deviation: float = BLUR) -> np.ndarray:
    """Values blurred by a Gaussian of this standard deviation, px, along rows and columns; edge pixels are repeated."""
    reach = round(3.0 * deviation)
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / deviation) ** 2)
    weights /= weights.sum()
    for axis in (0, 1):
        width = [(reach, reach) if k == axis else (0, 0) for k in range(values.ndim)]
        padded, size = np.pad(values, width, mode="edge"), values.shape[axis]
        values = sum(w * padded.take(range(k, k + size), axis) for k, w in enumerate(weights))
    return values


def tiles(values: np.ndarray) -> np.ndarray:
    """A plane cut into TILES: (number of tiles, pixels of a tile)."""
    rows, columns = TILES
    high, wide = values.shape[0] // rows, values.shape[1] // columns
    cut = values[: rows * high, : columns * wide].reshape(rows, high, columns, wide)
    return cut.transpose(0, 2, 1, 3).reshape(rows * columns, high * wide)


def difference(picture: np.ndarray, reference: np.ndarray) -> Difference:
    """Difference of two pictures of bytes, (rows, columns, 3). Raises ValueError where their sizes differ."""
    if picture.shape != reference.shape:
        raise ValueError(f"a picture of {picture.shape[1]} x {picture.shape[0]} px, "
                         f"its reference has {reference.shape[1]} x {reference.shape[0]}")  # fmt: skip
    sharp = [perceived(picture), perceived(reference)]
    a, b = (blurred(image) for image in sharp)
    distance = np.sqrt(((a - b) ** 2).sum(axis=2))
    first, second = tiles(a[..., 0]), tiles(b[..., 0])
    shared = ((first - first.mean(axis=1, keepdims=True)) * (second - second.mean(axis=1, keepdims=True))).mean(axis=1)
    similarity = (2.0 * shared + SMOOTH) / (first.var(axis=1) + second.var(axis=1) + SMOOTH)
    grains = [tiles(blurred(image[..., 0], FINE) - soft[..., 0]).std(axis=1)
              for image, soft in zip(sharp, (a, b), strict=True)]  # fmt: skip
    ratio = np.log((grains[0] + MIN_GRAIN) / (grains[1] + MIN_GRAIN))
    return Difference(
        mean=float(distance.mean()), high=float(np.percentile(distance, 99.0)),
        tile=float(tiles(distance).mean(axis=1).max()), pattern=float(similarity.min()),
        grain=float(np.percentile(np.abs(ratio), 90.0)), distance=distance,
    )  # fmt: skip
