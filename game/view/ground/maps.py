"""Maps of the whole ground, computed once from the world's arrays: looks, sunlight over the hills, road paint.

Sunlight: a sample is in shadow if the terrain towards the sun rises above the ray to the sun. The ray is marched over a
grid of at most `LIGHT_SIZE` samples a side; the penumbra widens with the distance of the blocker.
Road paint: for every texel the signed distance to the nearest centre line (positive to its right), the distance inside
the road's edge, and cosine and sine of the phase of the dashes. Unlike the phase itself, these have no discontinuity
for texture filtering.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from driving_sandbox.game.view.gl.surfaces import ground_look
from driving_sandbox.game.view.ground.road_lines import RoadLine

LIGHT_SIZE = 512  # samples a side; hills are smooth, so this is enough for 1 to 2 km
LOOK_ORDER = (2, 1, 0, 3, 6, 5, 4, 7)  # position of each look's weight in two BGRA texels
MARCH_STEPS = 40  # steps of a ray towards the sun
MARCH_REACH = 420.0  # m towards the sun; with the sun at 21 degrees, a blocker there is 160 m high
ROAD_TEXEL = 0.5  # m, width of a texel
ROAD_TEXELS = 2048  # maximum along a side (34 MB as half floats); distances are smooth, so texels of 1 m suffice
ROAD_MARGIN = 3.0  # m beyond the road's edge in which texels are written
DASH_PERIOD = 9.0  # m from one dash to the next
MARK_EDGE = -1.0  # m inside the road's edge, the value written for marks, which are outside of any road
MARK_REACH = 1.4  # m from a mark's line in which texels are written
OUTSIDE = -20.0  # m inside the road's edge, the value far from any road


def look_weights(cell_surface: np.ndarray | None, names: list[str], shape: tuple[int, int]) -> np.ndarray:
    """[rows, columns, 2, 4] uint8 weights of the eight looks per cell, smoothed by a 1-2-1 filter in both directions.

    Looks 0 to 3 and 4 to 7 are two texels, each in the order of Panda3D's BGRA textures.

    Args:
        cell_surface: [rows, columns] uint8 surface id of each cell; None gives every cell the look 0, grass.
        names: names of the surfaces, in the order of their ids; larger ids look like the last.
        shape: (rows, columns), used without `cell_surface`.
    """
    if cell_surface is None or not names:
        weights = np.zeros((*shape, 2, 4), np.uint8)
        weights[..., 0, LOOK_ORDER[0]] = 255
        return weights
    layer_of = np.zeros(256, np.uint8)
    layer_of[:] = LOOK_ORDER[ground_look(names[-1]).layer]
    layer_of[: len(names)] = [LOOK_ORDER[ground_look(name).layer] for name in names]
    layers = np.pad(layer_of[cell_surface], 1, mode="edge")
    full_weight = (np.eye(8, dtype=np.uint8) * 255).view(np.uint64)[:, 0]  # by look: its eight weights as one number
    middle = layers[1:-1, 1:-1]
    packed = full_weight[middle]
    mixed = np.zeros(middle.shape, bool)  # cells with a neighbour of another look: only these few are filtered
    for shift in ((0, 1), (2, 1), (1, 0), (1, 2), (0, 0), (0, 2), (2, 0), (2, 2)):
        mixed |= layers[shift[0] : shift[0] + middle.shape[0], shift[1] : shift[1] + middle.shape[1]] != middle
    rows, columns = np.nonzero(mixed)
    sums = np.zeros((len(rows), 8), np.uint16)
    indices = np.arange(len(rows))
    for down in range(3):
        for right in range(3):
            sums[indices, layers[rows + down, columns + right]] += (2 - abs(down - 1)) * (2 - abs(right - 1)) * 255
    weights = packed.view(np.uint8).reshape(*middle.shape, 8)
    weights[rows, columns] = sums // 16
    return weights.reshape(*middle.shape, 2, 4)


def looks(cell_surface: np.ndarray | None, names: list[str], shape: tuple[int, int]) -> np.ndarray:
    """[rows, columns] uint8 index of the look per cell; arguments as in `look_weights`."""
    if cell_surface is None or not names:
        return np.zeros(shape, np.uint8)
    look_of = np.full(256, ground_look(names[-1]).layer, np.uint8)
    look_of[: len(names)] = [ground_look(name).layer for name in names]
    return look_of[cell_surface]


def grass(cell_surface: np.ndarray | None, names: list[str], shape: tuple[int, ...] | np.ndarray) -> np.ndarray:
    """[rows, columns] bool: whether a cell looks like grass; arguments as in `look_weights`."""
    if cell_surface is None or not names:
        return np.ones(shape, bool)
    return np.array([ground_look(name).layer == 0 for name in names])[np.minimum(cell_surface, len(names) - 1)]


def wetness(cell_surface: np.ndarray | None, names: list[str], shape: tuple[int, int]) -> np.ndarray:
    """[rows, columns] wetness per cell, 0..1; arguments as in `look_weights`, but 0 without `cell_surface`."""
    if cell_surface is None or not names:
        return np.zeros(shape, np.float32)
    return np.array([ground_look(name).wet for name in names], np.float32)[np.minimum(cell_surface, len(names) - 1)]


def _coarse(array: np.ndarray, size: int) -> np.ndarray:
    """[size, size] values of an array, evenly spaced over its rows and columns."""
    rows = np.linspace(0, array.shape[0] - 1, size).round().astype(int)
    columns = np.linspace(0, array.shape[1] - 1, size).round().astype(int)
    return array[np.ix_(rows, columns)]


def sunlight(heights: np.ndarray, cell: float, sun: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(sun visibility, openness to the sky), each [n, n] 0..1 on a square grid over the field.

    Args:
        heights: [rows, columns], m.
        cell: spacing of the heights, m.
        sun: vector towards the sun.
    """
    size = min(LIGHT_SIZE, *heights.shape)
    grid = _coarse(heights, size).astype(np.float32)
    spacing_x = cell * (heights.shape[1] - 1) / (size - 1)
    spacing_y = cell * (heights.shape[0] - 1) / (size - 1)
    horizontal = np.hypot(sun[0], sun[1])
    # horizontal direction to the sun, and how much the ray to it rises per metre
    direction, slope = (sun[0] / horizontal, sun[1] / horizontal), sun[2] / horizontal
    visibility = np.ones_like(grid)
    for t in np.geomspace(max(spacing_x, spacing_y) * 1.5, MARCH_REACH, MARCH_STEPS):  # m, horizontal distance
        shift_x, shift_y = int(round(direction[0] * t / spacing_x)), int(round(direction[1] * t / spacing_y))
        blocker = _shifted(grid, shift_x, shift_y)
        penumbra = 0.02 * t + 0.25  # m of the ray's height from full shadow to full light
        margin = (grid + slope * t - blocker) / penumbra
        np.minimum(visibility, np.clip(0.5 + margin, 0, 1), out=visibility)
    mean = _shifted_mean(grid, max(1, int(round(24.0 / spacing_x))))  # mean height 24 m away, to the four sides
    openness = np.clip(1.0 + (grid - mean) / 40.0, 0.72, 1.0)  # a hollow is darker: by 28 % if it is 11 m deep
    return visibility, openness


def _shifted(grid: np.ndarray, x: int, y: int) -> np.ndarray:
    """The grid shifted so that element [j, i] is grid[j + y, i + x]; the border is repeated."""
    rows = np.clip(np.arange(grid.shape[0]) + y, 0, grid.shape[0] - 1)
    columns = np.clip(np.arange(grid.shape[1]) + x, 0, grid.shape[1] - 1)
    return grid[rows][:, columns]


def _shifted_mean(grid: np.ndarray, reach: int) -> np.ndarray:
    """Mean of the four elements at a distance of `reach` elements along rows and columns."""
    east, west = _shifted(grid, reach, 0), _shifted(grid, -reach, 0)
    north, south = _shifted(grid, 0, reach), _shifted(grid, 0, -reach)
    return (east + west + north + south) / 4


def light_map(
    heights: np.ndarray, cell: float, cell_surface: np.ndarray | None, names: list[str], sun: np.ndarray
) -> np.ndarray:
    """[n, n, 4] uint8 over the field: sun visibility, wetness, openness, unused.

    The arguments are those of `sunlight` and `look_weights`.
    """
    visibility, openness = sunlight(heights, cell, sun)
    cells = None if cell_surface is None else _coarse(cell_surface, visibility.shape[0])
    wet = wetness(cells, names, visibility.shape)
    channels = np.stack([visibility, wet, openness, np.zeros_like(visibility)], axis=-1)
    return (channels * 255 + 0.5).astype(np.uint8)


def road_map(
    lines: list[RoadLine], origin: Sequence[float] | np.ndarray, size: Sequence[float]
) -> tuple[np.ndarray, float]:
    """(map, texel width in m) of the road paint, float16[rows, columns, 4], channels as in the module's docstring.

    Args:
        origin, size: lower left corner and (width, height) of the map, m.
    """
    texel = max(ROAD_TEXEL, max(size) / ROAD_TEXELS)
    columns, rows = int(np.ceil(size[0] / texel)), int(np.ceil(size[1] / texel))
    paint = np.zeros((rows, columns, 4), np.float16)
    paint[..., 1], paint[..., 2] = OUTSIDE, 1.0
    nearest = np.full((rows, columns), 1e9, np.float32)  # m from a texel to the nearest road's edge or mark written
    for line in lines:
        points = _thinned(line.points)
        steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
        phase = np.concatenate([[0.0], np.cumsum(steps)]) * (2 * np.pi / DASH_PERIOD)
        if line.closed:  # a whole number of dashes, so that the last meets the first
            phase *= 2 * np.pi * round(phase[-1] / (2 * np.pi)) / phase[-1]
        for index in np.flatnonzero(steps > 1e-6):
            _stamp(paint, nearest, points[index : index + 2], phase[index : index + 2], line, origin, texel)
    return paint, texel


def _thinned(points: np.ndarray) -> np.ndarray:
    """Every third point of a long polyline, so that it is processed three times as fast.

    Unchanged are polylines of fewer than 30 points, and those whose ends are farther apart than 1.5 m times the number
    of points. If the points are 0.6 m apart, the deviation at a radius of 50 m is less than 1 cm.
    """
    if len(points) < 30 or np.linalg.norm(points[-1] - points[0]) > 1.5 * len(points):
        return points
    return np.concatenate([points[:-1:3], points[-1:]])


def _stamp(paint: np.ndarray, nearest: np.ndarray, ends: np.ndarray, phase: np.ndarray, line: RoadLine,
           origin: Sequence[float] | np.ndarray, texel: float) -> None:  # fmt: skip
    """Write one segment into those texels around it that are nearer to it than to any segment written before.

    Texels of a mark get MARK_EDGE and phase zero, which is within a dash.

    Args:
        paint, nearest: the map; distance from each texel to the edge of the segment written there, m, updated.
        ends: [2, 2] ends of the segment, m.
        phase: phases of the dashes at the ends, rad.
        line: RoadLine of the segment.
        origin, texel: lower left corner of the map and width of a texel, m.
    """
    start, end = ends
    half_width = 0.0 if line.mark else line.half_width
    reach = MARK_REACH if line.mark else half_width + ROAD_MARGIN
    low = np.floor((np.minimum(start, end) - reach - origin) / texel).astype(int)
    high = np.ceil((np.maximum(start, end) + reach - origin) / texel).astype(int)
    low, high = np.maximum(low, 0), np.minimum(high, (paint.shape[1], paint.shape[0]))
    if np.any(high <= low):
        return
    window = (slice(low[1], high[1]), slice(low[0], high[0]))
    x = origin[0] + (np.arange(low[0], high[0]) + 0.5)[None, :] * texel - start[0]
    y = origin[1] + (np.arange(low[1], high[1]) + 0.5)[:, None] * texel - start[1]
    length = float(np.hypot(*(end - start)))
    along_x, along_y = (end - start) / length
    along = np.clip(x * along_x + y * along_y, 0.0, length)
    distance = np.hypot(x - along * along_x, y - along * along_y)
    nearer = distance - half_width < nearest[window]
    if line.mark:
        nearer &= distance < MARK_REACH
    nearest[window] = np.where(nearer, distance - half_width, nearest[window])
    side = np.where(x * along_y - y * along_x > 0, 1.0, -1.0)  # positive to the right of travel
    dash = phase[0] + (phase[1] - phase[0]) * along / length
    edge = np.maximum(half_width - distance, OUTSIDE)
    if line.mark:
        dash, edge = np.zeros_like(dash), np.full_like(edge, MARK_EDGE)
    values = np.stack([side * distance, edge, np.cos(dash), np.sin(dash)], axis=-1)
    view = paint[window]
    view[nearer] = values[nearer]
