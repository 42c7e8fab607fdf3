"""Painted roads and marks of a world's roads.npz (physics/ground/road_file.py), for the paint on the asphalt.

The arrays `paint_texel`, `paint_size`, `paint_place` and `paint_tiles` of the file hold the finished map of
`maps.road_map`, so that it need not be computed at every start.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from driving_sandbox.physics.ground.road_file import Road, open_road_file, read_roads

TILE = 64  # texels along a side of a tile
EMPTY = (0.0, -20.0, 1.0, 0.0)  # a texel without paint, as in the result of maps.road_map


@dataclass(frozen=True)
class RoadLine:
    """The centre line of a road, or a mark.

    Attributes:
        points: [n, 2] polyline seen from above, m; in a closed line the first point is repeated at the end.
        half_width: half width of the road, m.
        mark: whether it is paint without a road.
    """

    points: np.ndarray
    half_width: float
    closed: bool
    mark: bool = False


def read_road_lines(path: Path) -> list[RoadLine]:
    """[RoadLine] of all painted roads and marks of a file."""
    return [_line(road) for road in read_roads(path) if road.kind in ("painted", "mark")]


def read_centre_lines(path: Path) -> list[RoadLine]:
    """[RoadLine] of all roads of a file, painted or not, without marks."""
    return [_line(road) for road in read_roads(path) if road.kind != "mark"]


def _line(road: Road) -> RoadLine:
    """The RoadLine of a road of the file."""
    points = road.points[:, :2]
    points = np.concatenate([points, points[:1]]) if road.closed else points
    return RoadLine(points, road.half_width, road.closed, road.kind == "mark")


def paint_arrays(pixels: np.ndarray, texel: float) -> dict[str, np.ndarray]:
    """{array name of roads.npz: values} of a map, which is cut into tiles; empty tiles are left out."""
    rows, columns = -(-pixels.shape[0] // TILE), -(-pixels.shape[1] // TILE)
    cells, tiles = [], []
    for row in range(rows):
        for column in range(columns):
            tile = np.empty((TILE, TILE, 4), np.float16)
            tile[:] = EMPTY
            part = pixels[row * TILE : (row + 1) * TILE, column * TILE : (column + 1) * TILE]
            tile[: part.shape[0], : part.shape[1]] = part
            if (tile != np.array(EMPTY, np.float16)).any():
                cells.append((row, column))
                tiles.append(tile)
    return {"paint_texel": np.array(texel, np.float64), "paint_size": np.array(pixels.shape[:2]),
            "paint_place": np.array(cells, np.int32).reshape(-1, 2),
            "paint_tiles": np.array(tiles, np.float16).reshape(-1, TILE, TILE, 4)}  # fmt: skip


class StoredPaint(NamedTuple):
    """The finished map of a world's paint, in tiles."""

    shape: tuple[int, int]  # rows, columns
    texel: float  # m, width
    cells: np.ndarray  # int32[n, 2]: row and column of every stored tile, counted in tiles
    tiles: np.ndarray  # float16[n, TILE, TILE, 4], channels in the order of `road_map`

    def write(self, pixels: np.ndarray, order: Sequence[int]) -> None:
        """Write the map into `pixels`, float16[rows, columns, 4], with its channels in this order."""
        pixels.view(np.uint64)[:] = np.array(EMPTY, np.float16)[order].view(np.uint64)  # a texel is one 64-bit number
        for (row, column), tile in zip(TILE * self.cells, self.tiles[..., order], strict=True):
            target = pixels[row : row + TILE, column : column + TILE]
            target[:] = tile[: target.shape[0], : target.shape[1]]


def read_paint(path: Path) -> StoredPaint | None:
    """The StoredPaint of a file, or None if the file has none."""
    with open_road_file(path) as data:
        if "paint_tiles" not in data:
            return None
        rows, columns = data["paint_size"].tolist()
        return StoredPaint((rows, columns), float(data["paint_texel"]), data["paint_place"], data["paint_tiles"])
