"""Earthworks: cutting level areas and roads into a height field, and the surfaces of its cells.

Every area and road has a margin that blends smoothly into the terrain. Heights are multiples of 2^-13 m (0.12 mm),
exact as float32: differences in the last bits between maths libraries vanish.
"""

from collections.abc import Sequence

import numpy as np
from world_roads import LOOSE, MARK, PAINTED, PLAIN, SHOULDER, Road, distance_and_height

HEIGHT_STEP = 2.0**-13  # m
FADE = 28.0  # m in which a road's level fades into the hills
SURFACES = ("grass", "asphalt", "asphalt_wet", "concrete", "gravel", "mud", "sand", "snow", "ice")


def smoothstep(x: np.ndarray, low: float, high: float) -> np.ndarray:
    """0 below low, 1 above high; slope and curvature are 0 at both ends."""
    t = np.clip((x - low) / (high - low), 0.0, 1.0)
    return t * t * t * (t * (6.0 * t - 15.0) + 10.0)


def distance_to_box(x: np.ndarray, y: np.ndarray, box: tuple[float, float, float, float]) -> np.ndarray:
    """Distance of points from a box (x low, high, y low, high), m; 0 inside."""
    dx = np.maximum(np.maximum(box[0] - x, x - box[1]), 0.0)
    dy = np.maximum(np.maximum(box[2] - y, y - box[3]), 0.0)
    return np.hypot(dx, dy)


def waves(x: np.ndarray, y: np.ndarray, table: Sequence[tuple[float, float, float, float]]) -> np.ndarray:
    """Height, m, of a sum of plane waves; rows of `table`: (amplitude m, wavelength m, direction rad, phase rad)."""
    land = np.zeros(np.broadcast(x, y).shape)
    for amplitude, length, direction, phase in table:
        k = 2.0 * np.pi / length
        land = land + amplitude * np.sin(k * (x * np.cos(direction) + y * np.sin(direction)) + phase)
    return land


def level(
    land: np.ndarray,
    x: np.ndarray,
    y: np.ndarray,
    box: tuple[float, float, float, float],
    height: float = 0.0,
    shoulder: float = SHOULDER,
    fade: float = FADE,
) -> None:
    """Set the land in a box to `height`; beyond a shoulder it fades into the terrain within `fade`, m."""
    i0, i1 = np.searchsorted(x[0], (box[0] - shoulder - fade, box[1] + shoulder + fade))
    j0, j1 = np.searchsorted(y[:, 0], (box[2] - shoulder - fade, box[3] + shoulder + fade))
    part = land[j0:j1, i0:i1]
    blend = smoothstep(distance_to_box(x[:, i0:i1], y[j0:j1], box), shoulder, shoulder + fade)
    part += (height - part) * (1.0 - blend)


def lay_road(land: np.ndarray, axis: np.ndarray, road: Road, fade: float = FADE) -> None:
    """Fit the land to a road's height and bank; beyond the shoulder it fades into the terrain within `fade`, m."""
    wide = road.half_width + SHOULDER
    rows, columns = window(axis, road, wide + fade)
    distance, height = distance_and_height(road, axis[columns], axis[rows], wide + fade)
    part = land[rows, columns]
    part += (height - part) * (1.0 - smoothstep(distance, wide, wide + fade))


def window(axis: np.ndarray, road: Road, reach: float) -> tuple[slice, slice]:
    """(rows, columns): slices of a square grid with this axis, within `reach`, m, of a road's bounding box."""
    low, high = road.points[:, :2].min(axis=0) - reach, road.points[:, :2].max(axis=0) + reach
    columns, rows = (slice(*np.searchsorted(axis, (low[k], high[k]))) for k in (0, 1))
    return rows, columns


def rounded_heights(land: np.ndarray) -> np.ndarray:
    """Heights rounded to HEIGHT_STEP."""
    return np.round(land / HEIGHT_STEP) * HEIGHT_STEP


def natural_cells(land: np.ndarray, snow_line: float, scree: float) -> np.ndarray:
    """uint8 surfaces of cells 1 m wide: grass, gravel where the slope is above `scree`, snow above `snow_line`, m."""
    rise = np.hypot(land[:-1, 1:] - land[:-1, :-1], land[1:, :-1] - land[:-1, :-1])
    cells = np.zeros((land.shape[0] - 1, land.shape[1] - 1), dtype=np.uint8)
    cells[land[:-1, :-1] > snow_line] = SURFACES.index("snow")
    cells[(rise > scree) & (land[:-1, :-1] <= snow_line)] = SURFACES.index("gravel")
    return cells


def pave(cells: np.ndarray, middle: np.ndarray, roads: Sequence[Road]) -> None:
    """Give the cells of roads and their shoulders their surfaces.

    Where roads overlap, a paved one takes precedence over gravel, and among paved ones the first in the list.

    `cells`: indices of SURFACES, changed in place; `middle`: coordinates of the cells' centres, m, along x as along y.
    """
    laid = []
    for road in roads:
        if road.kind != MARK:
            region = window(middle, road, road.half_width + SHOULDER + 1.0)
            distance = distance_and_height(
                road, middle[region[1]], middle[region[0]], road.half_width + SHOULDER + 1.0
            )[0]
            laid.append((road, cells[region], distance))
    for road, part, distance in laid:
        if road.kind != PLAIN:
            part[distance <= road.half_width + (SHOULDER if road.kind == PAINTED else 0.0)] = SURFACES.index("gravel")
    for road, part, distance in reversed(laid):
        if road.kind != LOOSE:  # half a cell wider than the road, so that its painted edges lie on asphalt
            part[distance <= road.half_width + 0.5] = SURFACES.index(road.surface)


def fill(cells: np.ndarray, middle: np.ndarray, kind: str, box: tuple[float, float, float, float]) -> None:
    """Give the cells of a box the surface `kind`, a name of SURFACES; `middle`: as in `pave`."""
    columns, rows = slice(*np.searchsorted(middle, box[:2])), slice(*np.searchsorted(middle, box[2:]))
    cells[rows, columns] = SURFACES.index(kind)
