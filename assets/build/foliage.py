"""Makes assets/textures/leaves.png, the foliage cards of trees: on the left a spray of broad leaves, on the right a
bough with needles.

The image is 512 x 256 with two channels: shade, 0..1, and alpha. Alpha is 0.5 on a leaf's outline and changes evenly
across it, so that an alpha test stays sharp close up. Either half has coordinates x and y from -1 to 1; the bough runs
from its root at x = -1 to its tip at x = 1.

Run: python -m driving_sandbox.assets.build.foliage
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

FOLDER = Path(__file__).resolve().parents[1] / "textures"
SIZE = 256  # texels along each side of a half
LEAVES = 96  # leaves in a spray
LEAF = (0.155, 0.075)  # half length and half width of a leaf, as fractions of half the card
SPREAD = 0.80  # radius of the disc in which the leaves' centres lie, as a fraction of half the card
TWIGS = 9.0  # pairs of twigs along the bough
TWIG_RAKE = 0.75  # forward sweep of the twigs: distance towards the tip per distance from the stem
NEEDLES = 15.0  # rows of needles from the stem to the edge of the card; they fray the edges of the twigs
EDGE = 1.6  # steepness of alpha across an outline
GOLDEN_ANGLE = 2.39996  # rad; leaves at its multiples around the centre are spread evenly
TWIG_CAPACITY = 32  # random lengths and tones, more than there are twigs in a row
OPPOSITE_SHIFT = 0.23  # share of a spacing by which the upper twigs are nearer to the root than the lower ones


def _plane():
    """x and y of the texels of one half, -1 to 1; y points up."""
    line = (np.arange(SIZE) + 0.5) / SIZE * 2.0 - 1.0
    return np.meshgrid(line, -line)  # the first row is the top


def spray(seed: int = 91) -> tuple[np.ndarray, np.ndarray]:
    """Shade and alpha, 0..1, of pointed leaves; each texel shows the leaf that it is deepest inside."""
    x, y = _plane()
    random = np.random.default_rng(seed)
    radius = np.sqrt(random.uniform(0.0, 1.0, LEAVES)) * SPREAD
    order = np.argsort(-radius)
    cover, shade = np.full(x.shape, -1.0), np.full(x.shape, 0.6)
    for k, distance in enumerate(radius[order]):
        bearing = k * GOLDEN_ANGLE + random.uniform(-0.4, 0.4)
        yaw = bearing + random.uniform(-1.2, 1.2)
        dx, dy = x - distance * np.cos(bearing), y - distance * np.sin(bearing)
        along, across = dx * np.cos(yaw) + dy * np.sin(yaw), dy * np.cos(yaw) - dx * np.sin(yaw)
        length, width = LEAF[0] * random.uniform(0.75, 1.1), LEAF[1] * random.uniform(0.8, 1.15)
        inside = 1.0 - (along / length) ** 2 - np.abs(across) / width
        rib = 0.10 * (np.abs(across) < 0.12 * width)
        tone = random.uniform(0.25, 1.0) * (0.86 + 0.14 * np.sign(across)) + rib
        shade = np.where(inside > np.maximum(cover, 0.0), tone, shade)
        cover = np.maximum(cover, inside)
    return np.clip(shade, 0.0, 1.0), np.clip(0.5 + EDGE * cover * 0.5, 0.0, 1.0)


def bough(seed: int = 92) -> tuple[np.ndarray, np.ndarray]:
    """Shade and alpha, 0..1, of a stem with twigs swept towards its tip; their lengths vary."""
    x, y = _plane()
    random = np.random.default_rng(seed)
    side = np.abs(y)
    phase = (x - TWIG_RAKE * side) * TWIGS * 0.5 + OPPOSITE_SHIFT * (y > 0)
    number = np.floor(phase).astype(int) % TWIG_CAPACITY
    ragged = random.uniform(0.78, 1.05, TWIG_CAPACITY)[number]
    needles = 0.5 + 0.5 * np.cos(2.0 * np.pi * NEEDLES * (side + 0.35 * np.abs(phase - np.floor(phase) - 0.5)))
    twig = 1.0 - np.abs(phase - np.floor(phase) - 0.5) * 3.0 + 0.35 * (1.0 - side) - 0.40 * needles
    stem = 1.0 - side / 0.05
    reach = (1.02 - np.abs(x)) * ragged - side * 0.85
    inside = np.minimum(np.maximum(twig, stem), reach * 3.0)
    variation = 0.10 * random.uniform(-1, 1, TWIG_CAPACITY)[number]
    tone = 0.35 + 0.60 * np.clip(twig, 0, 1) - 0.15 * np.clip(stem, 0, 1) + variation
    return np.clip(tone, 0.0, 1.0), np.clip(0.5 + EDGE * inside * 0.5, 0.0, 1.0)


def pixels() -> np.ndarray:
    """Shade and alpha of the texture, uint8[SIZE, 2 SIZE, 2]."""
    shade, cover = (np.concatenate(halves, axis=1) for halves in zip(spray(), bough(), strict=True))
    return (np.stack([shade, cover], axis=-1) * 255 + 0.5).astype(np.uint8)


def build(folder: Path = FOLDER) -> None:
    """Write leaves.png."""
    from PIL import Image

    Image.fromarray(pixels(), "LA").save(folder / "leaves.png", optimize=True)


if __name__ == "__main__":
    build()
