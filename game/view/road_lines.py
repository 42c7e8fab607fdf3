"""Reads a world's roads.npz: centre lines and half widths, for the paint on the asphalt.

Arrays: `names`, then for each road NAME_points (n, 2 or 3), NAME_half_width, NAME_closed and, if it is there,
NAME_kind: "painted" is a road with lanes, "mark" a painted line alone; others get no paint. Without a kind, slabs wider
than `WIDEST_PAINTED` are test slopes and pads without lanes. `paint_texel`, `paint_size`, `paint_place` and
`paint_tiles` hold the finished map of `ground_maps.road_map`, so that it need not be made at every start.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

WIDEST_PAINTED = 8.0  # m half width: two lanes each way
TILE = 64  # texels a side
EMPTY = (0.0, -20.0, 1.0, 0.0)  # a texel without paint, see ground_maps.road_map


@dataclass(frozen=True)
class RoadLine:
    """A polyline in plan, closed lines with their first point repeated; half width in metres."""

    points: np.ndarray
    half_width: float
    closed: bool
    mark: bool = False


def read_road_lines(path: Path) -> list[RoadLine]:
    """All painted roads and marks of a file."""
    with _opened(path) as data:
        return [line for name in data["names"].tolist() if (line := _line(data, name)) is not None]


def _opened(path: Path):
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"{path}: no such road file")
    return np.load(path, allow_pickle=False)


def _line(data, name: str) -> RoadLine | None:
    half_width, closed = float(data[f"{name}_half_width"]), bool(data[f"{name}_closed"])
    kind = str(data[f"{name}_kind"]) if f"{name}_kind" in data else "painted" * (half_width <= WIDEST_PAINTED)
    if kind not in ("painted", "mark"):
        return None
    points = np.asarray(data[f"{name}_points"], dtype=float)[:, :2]
    return RoadLine(np.concatenate([points, points[:1]]) if closed else points, half_width, closed, kind == "mark")


def paint_arrays(pixels: np.ndarray, texel: float) -> dict[str, np.ndarray]:
    """A map cut into tiles, without the empty ones: {array of roads.npz: values}."""
    rows, columns = -(-pixels.shape[0] // TILE), -(-pixels.shape[1] // TILE)
    place, tiles = [], []
    for row in range(rows):
        for column in range(columns):
            tile = np.empty((TILE, TILE, 4), np.float16)
            tile[:] = EMPTY
            part = pixels[row * TILE:(row + 1) * TILE, column * TILE:(column + 1) * TILE]
            tile[:part.shape[0], :part.shape[1]] = part
            if (tile != np.array(EMPTY, np.float16)).any():
                place.append((row, column))
                tiles.append(tile)
    return {"paint_texel": np.float64(texel), "paint_size": np.array(pixels.shape[:2]),
            "paint_place": np.array(place, np.int32).reshape(-1, 2),
            "paint_tiles": np.array(tiles, np.float16).reshape(-1, TILE, TILE, 4)}  # fmt: skip


def read_paint(path: Path, order=(0, 1, 2, 3)) -> tuple[np.ndarray, float] | None:
    """The map that a file holds, its channels in another order, and its texel width in metres; None if it has none."""
    with _opened(path) as data:
        if "paint_tiles" not in data:
            return None
        size, place, tiles = data["paint_size"], data["paint_place"], data["paint_tiles"]
        texel = float(data["paint_texel"])
    tiles = tiles[..., list(order)]
    rows, columns = (-(-int(n) // TILE) for n in size)
    pixels = np.empty((rows * TILE, columns * TILE, 4), np.float16)
    pixels.view(np.uint64)[:] = np.array(EMPTY, np.float16)[list(order)].view(np.uint64)
    for (row, column), tile in zip(place.tolist(), tiles, strict=True):
        pixels[row * TILE:(row + 1) * TILE, column * TILE:(column + 1) * TILE] = tile
    return np.ascontiguousarray(pixels[:size[0], :size[1]]), texel
