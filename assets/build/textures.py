"""Makes the ground textures in assets/textures: one tile per material, asphalt wear, and a noise for large-scale
variation.

The images are RGBA, 384 x 384, and tile seamlessly: rgb = square root of the linear albedo, alpha = height, 0..1.
Colours are albedos of real materials. The sky is made by sky.py.

    python -m driving_sandbox.assets.build.textures
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from driving_sandbox.assets.build.noise import cells, spectrum_noise
from driving_sandbox.assets.build.sky import srgb

FOLDER = Path(__file__).resolve().parents[1] / "textures"
SIZE = 384  # pixels along each side of a tile


def _mix(a, b, t) -> np.ndarray:
    """Colours between a (t = 0) and b (t = 1); t is limited to 0..1."""
    t = np.clip(t, 0.0, 1.0)[..., None]
    return a * (1 - t) + b * t


def grass() -> tuple[np.ndarray, np.ndarray]:
    """Blades seen from above, short strokes over a mottled ground: (colour, height)."""
    # Numbers of spectrum_noise, here and below: slope, seed, lowest and highest frequency; of cells: count, seed.
    clumps = spectrum_noise(SIZE, 1.3, 1, 2, 24)
    strokes = np.zeros((SIZE, SIZE))
    random = np.random.default_rng(2)
    for _ in range(7000):
        x, y, angle = random.uniform(0, SIZE), random.uniform(0, SIZE), random.uniform(0, np.pi)
        t = np.arange(0, random.uniform(5, 14), 0.5)
        column, row = (x + t * np.cos(angle)).astype(int) % SIZE, (y + t * np.sin(angle)).astype(int) % SIZE
        strokes[row, column] = np.maximum(strokes[row, column], random.uniform(0.35, 1.0) * np.linspace(0.5, 1, len(t)))
    dry = spectrum_noise(SIZE, 1.0, 3, 3)
    colour = _mix(srgb("#3A4420"), srgb("#5C6A34"), strokes)
    colour = _mix(colour, srgb("#8A7F4C"), (dry - 0.5) * 1.6 * (0.4 + strokes))
    colour = colour * (0.72 + 0.56 * clumps)[..., None]
    return colour, 0.25 * clumps + 0.75 * strokes


def soil() -> tuple[np.ndarray, np.ndarray]:
    """Lumpy earth with pebbles: (colour, height)."""
    lumps = spectrum_noise(SIZE, 1.1, 11, 2)
    fine = spectrum_noise(SIZE, 0.4, 12, 20)
    nearest, _, tint = cells(SIZE, 30, 13)
    pebble = np.clip((0.26 - nearest) / 0.1, 0, 1) * (tint > 0.72)
    colour = _mix(srgb("#4D3F31"), srgb("#75644F"), lumps * 0.7 + fine * 0.4)
    return _mix(colour, srgb("#8B7F70"), pebble), np.clip(0.55 * lumps + 0.25 * fine + 0.3 * pebble, 0, 1)


def gravel() -> tuple[np.ndarray, np.ndarray]:
    """Rounded stones of two sizes over dust: (colour, height)."""
    height = np.zeros((SIZE, SIZE))
    colour = np.broadcast_to(srgb("#6F675A"), (SIZE, SIZE, 3)) * 1.0
    for count, seed, share in ((64, 21, 0.75), (26, 22, 0.55)):
        nearest, second, tint = cells(SIZE, count, seed)
        stone = np.clip((second - nearest) * 2.2, 0, 1) * (tint < share)
        dome = np.sqrt(np.clip(stone, 0, 1)) * (0.5 + 0.5 * np.sin(tint * 91.0))
        shade = _mix(srgb("#84796B"), srgb("#B9B1A6"), np.modf(tint * 37.0)[0])
        colour = _mix(colour, shade * (0.55 + 0.45 * np.sqrt(stone))[..., None], (stone > 0.12) * 1.0)
        height = np.maximum(height, dome * (1.0 if count < 40 else 0.6))
    return colour * (0.86 + 0.28 * spectrum_noise(SIZE, 0.8, 23, 2))[..., None], height


def asphalt() -> tuple[np.ndarray, np.ndarray]:
    """Stones in bitumen: (colour, height)."""
    nearest, second, tint = cells(SIZE, 96, 31)
    stone = np.clip((second - nearest) * 2.0, 0, 1)
    mottled = spectrum_noise(SIZE, 1.2, 32, 2)
    colour = _mix(srgb("#3E3D3E"), srgb("#5B5A59"), stone * (0.35 + 0.65 * tint))
    colour = _mix(colour, srgb("#7E7C79"), (tint > 0.95) * stone * 0.45)
    return colour * (0.88 + 0.24 * mottled)[..., None], 0.35 + 0.5 * stone * tint


def concrete() -> tuple[np.ndarray, np.ndarray]:
    """Stained concrete with pores: (colour, height)."""
    stains, fine = spectrum_noise(SIZE, 1.4, 41, 1), spectrum_noise(SIZE, 0.3, 42, 24)
    nearest, _, tint = cells(SIZE, 62, 43)
    pore = np.clip((0.16 - nearest) / 0.12, 0, 1) * (tint > 0.84) * (0.3 + 0.7 * fine)
    worn = spectrum_noise(SIZE, 0.9, 44, 3)
    colour = _mix(srgb("#87837A"), srgb("#B2ADA3"), 0.5 * stains + 0.3 * fine + 0.25 * worn)
    return _mix(colour, srgb("#6B6862"), pore), np.clip(0.5 + 0.2 * (fine - 0.5) - 0.4 * pore, 0, 1)


def sand() -> tuple[np.ndarray, np.ndarray]:
    """Wind-rippled sand: (colour, height)."""
    line = np.arange(SIZE) / SIZE * 2 * np.pi
    bend = spectrum_noise(SIZE, 1.8, 51, 1, 12)
    ripple = 0.5 + 0.5 * np.sin(22 * line[:, None] + 9 * (bend - 0.5) * 4)
    grain = spectrum_noise(SIZE, 0.1, 52, 40)
    colour = _mix(srgb("#A38C66"), srgb("#C9B389"), 0.45 * ripple + 0.5 * grain)
    return colour, np.clip(0.6 * ripple + 0.3 * grain, 0, 1)


def snow() -> tuple[np.ndarray, np.ndarray]:
    """Drifted snow: (colour, height)."""
    drift, grain = spectrum_noise(SIZE, 1.6, 61, 1, 40), spectrum_noise(SIZE, 0.1, 62, 40)
    return _mix(srgb("#D3DCE6"), srgb("#F4F6F8"), 0.7 * drift + 0.3 * grain), 0.7 * drift + 0.2 * grain


def ice() -> tuple[np.ndarray, np.ndarray]:
    """Cracked, cloudy ice: (colour, height)."""
    nearest, second, _ = cells(SIZE, 7, 71)
    bend = spectrum_noise(SIZE, 1.4, 72, 1)
    crack = np.clip(1 - (second - nearest + 0.12 * (bend - 0.5)) / 0.025, 0, 1)
    cloud = spectrum_noise(SIZE, 1.5, 73, 1)
    colour = _mix(srgb("#7C98A8"), srgb("#B4C8D2"), cloud)
    return _mix(colour, srgb("#DCE6EA"), crack * 0.7), np.clip(0.5 + 0.1 * cloud - 0.2 * crack, 0, 1)


WEAR_TILE = (68.0, 50.4)  # m, size of the wear tile along and across the paver's lanes
LANE = 4.2  # m, width of a lane laid by a paver


def wear() -> np.ndarray:
    """Large-scale ageing of asphalt, uint8[SIZE, SIZE, 4].

    Channels r and g are half the factor on the asphalt's lightness; 0.5 leaves it as it is.
        r: paved areas, with paver lanes, their seams, patches and stains.
        g: roads, with stains, and cracks sealed with tar.
        b: unused, 0.5.
        a: noise, unrelated to asphalt, that places woods on distant hills.
    """
    random = np.random.default_rng(91)
    metres_x, metres_y = (size / SIZE for size in WEAR_TILE)
    field = np.ones((SIZE, SIZE))
    lanes, texels = round(WEAR_TILE[1] / LANE), LANE / metres_y
    for lane in range(lanes):
        rows = slice(round(lane * texels), round((lane + 1) * texels))
        ends = np.sort(random.integers(0, SIZE, 2))
        field[rows] *= 1.0 + random.uniform(-0.06, 0.06)
        field[rows, ends[0] : ends[1]] *= 1.0 + random.uniform(-0.08, 0.08)
        field[rows, ends] *= 0.80
        field[rows.start] *= 0.74
    for _ in range(9):
        size = (random.uniform(2.0, 11.0) / metres_x, random.uniform(1.2, 5.0) / metres_y)
        columns, rows = (np.arange(start, start + extent).astype(int) % SIZE
                         for start, extent in zip(random.uniform(0, SIZE, 2), size, strict=True))  # fmt: skip
        shade = random.choice((0.76, 0.82, 1.09))
        field[np.ix_(rows, columns)] = shade
        field[np.ix_(rows[[0, -1]], columns)] = field[np.ix_(rows, columns[[0, -1]])] = 0.68  # the seal round a patch
    blots = np.clip((spectrum_noise(SIZE, 1.9, 92, 4) - 0.54) / 0.30, 0.0, 1.0)
    dusty = np.clip((spectrum_noise(SIZE, 1.2, 93, 2) - 0.52) / 0.20, 0.0, 1.0)
    aged = (1.0 - 0.26 * blots) * (1.0 + 0.10 * dusty)
    tar = np.clip(1.0 - np.abs(spectrum_noise(SIZE, 2.0, 94, 3, 60) - 0.5) / 0.010, 0.0, 1.0)
    tar *= np.clip((spectrum_noise(SIZE, 1.6, 95, 1) - 0.50) / 0.05, 0.0, 1.0)
    woods = spectrum_noise(256, 1.5, 81, 2)
    source_index = np.arange(SIZE) * 256 // SIZE
    road, free = aged * (1.0 - 0.40 * tar), np.ones((SIZE, SIZE))
    channels = 0.5 * field * aged, 0.5 * road, 0.5 * free, woods[np.ix_(source_index, source_index)]
    return (np.clip(np.stack(channels, axis=-1), 0.0, 1.0) * 255 + 0.5).astype(np.uint8)


TILES = (grass, soil, gravel, asphalt, concrete, sand, snow, ice)


def build(folder: Path = FOLDER) -> None:
    """Write all textures."""
    from PIL import Image

    folder.mkdir(parents=True, exist_ok=True)
    for tile in TILES:
        colour, height = tile()
        rgba = np.concatenate([np.sqrt(np.clip(colour, 0, 1)), np.clip(height, 0, 1)[..., None]], axis=-1)
        image = Image.fromarray((rgba * 255 + 0.5).astype(np.uint8), "RGBA")
        image.save(folder / f"ground_{tile.__name__}.png", optimize=True)
    Image.fromarray(wear(), "RGBA").save(folder / "asphalt_wear.png", optimize=True)
    noise = np.stack([spectrum_noise(256, slope, 80 + i, 2) for i, slope in enumerate((1.1, 1.5, 0.8, 1.3))], axis=-1)
    Image.fromarray((noise * 255 + 0.5).astype(np.uint8), "RGBA").save(folder / "noise.png", optimize=True)


if __name__ == "__main__":
    build()
