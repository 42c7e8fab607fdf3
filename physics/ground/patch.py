"""Triangles of the heightfield near a box, with their edges classified from the neighbouring cells.

Corners a to d are those of `arrays.py`; below is the cell at j - 1, left the one at i - 1. Triangle 0 = (a, b, d) of a
cell has edges a-b (beyond it: triangle 1 of the cell below), b-d (triangle 1 of the cell to the right), d-a (triangle 1
of the same cell). Triangle 1 = (a, d, c) has a-d (triangle 0 of the same cell), d-c (triangle 0 of the cell above), c-a
(triangle 0 of the cell to the left). Edges at the border and at holes are open. Of two triangles the one with the lower
number owns a convex edge, as in `NEIGHBOURS`.
"""

import math
from typing import Any

import numpy as np

from driving_sandbox.physics.ground.arrays import (
    CELL,
    EDGE_CONCAVE,
    EDGE_CONVEX,
    EDGE_CONVEX_OTHER,
    EDGE_FLAGS,
    EDGE_FLAT,
    EDGE_NORMALS,
    EDGE_OPEN,
    FLAT_EDGE_ANGLE,
    HOLE,
    INVERSE_CELL,
    NORMAL,
    ORIGIN_X,
    ORIGIN_Y,
    OUT_FEATURE,
    OUT_SURFACE,
)
from driving_sandbox.physics.ground.terrain import cell_slopes, corner_heights, slope_normal, store_triangle
from driving_sandbox.physics.kernel.inline import inline_kernel


@inline_kernel
def triangle_normal(ground: Any, i: int, j: int, first: Any) -> tuple[float, float, float]:
    """Unit normal of triangle 0 (`first`) or 1 of cell (i, j)."""
    ha, hb, hc, hd = corner_heights(ground.heights, i, j)
    gx, gy = cell_slopes(ha, hb, hc, hd, first)
    inverse = ground.terrain[INVERSE_CELL]
    return slope_normal(gx * inverse, gy * inverse)


@inline_kernel
def store_edge(row: Any, edge: Any, flag: Any, normal: Any) -> None:
    """Write flag and neighbour's normal of an edge to a triangle row."""
    row[EDGE_FLAGS + edge] = flag
    for k in range(3):
        row[EDGE_NORMALS + 3 * edge + k] = normal[k]


@inline_kernel
def field_edge(ground: Any, row: Any, edge: Any, i: int, j: int, first: Any, apex: Any, owner: Any) -> None:
    """Classify one edge of a terrain triangle; beyond it lies triangle (i, j, first), whose far corner is apex.

    apex: (i, j) of a vertex.
    owner: whether this triangle owns the edge.
    The edge is convex if the apex lies below this triangle's plane: n . (apex - v0) < 0. The sine of the angle between
    the faces is that distance divided by the apex's distance from the edge, which is at least 0.7 cells; for the limit
    of flat edges one cell stands for it.
    """
    rows, columns = ground.cell_surface.shape
    if i < 0 or j < 0 or i >= columns or j >= rows or ground.cell_surface[j, i] == HOLE:
        k, m = 3 * edge, 3 * ((edge + 1) % 3)
        ex, ey, ez = row[m] - row[k], row[m + 1] - row[k + 1], row[m + 2] - row[k + 2]
        nx, ny, nz = row[NORMAL], row[NORMAL + 1], row[NORMAL + 2]
        inverse_length = 1.0 / math.sqrt(ex * ex + ey * ey + ez * ez)
        outwards = (
            (ey * nz - ez * ny) * inverse_length,
            (ez * nx - ex * nz) * inverse_length,
            (ex * ny - ey * nx) * inverse_length,
        )
        store_edge(row, edge, EDGE_OPEN, outwards)
        return
    terrain = ground.terrain
    x, y = terrain[ORIGIN_X] + apex[0] * terrain[CELL], terrain[ORIGIN_Y] + apex[1] * terrain[CELL]
    z = np.float64(ground.heights[apex[1], apex[0]])
    above = row[NORMAL] * (x - row[0]) + row[NORMAL + 1] * (y - row[1]) + row[NORMAL + 2] * (z - row[2])
    if above < -FLAT_EDGE_ANGLE * terrain[CELL]:
        flag = EDGE_CONVEX if owner else EDGE_CONVEX_OTHER
    else:
        flag = EDGE_CONCAVE if above > FLAT_EDGE_ANGLE * terrain[CELL] else EDGE_FLAT
    store_edge(row, edge, flag, triangle_normal(ground, i, j, first))


# The neighbours beyond edges 0..2 of triangle 0 of a cell, then of triangle 1: cell (di, dj) of the neighbour and its
# far corner (fi, fj), both relative to this cell, and 1 if this triangle owns the edge. The neighbour of a triangle 0
# is always a triangle 1 and vice versa.
NEIGHBOURS = (
    (0, -1, 0, -1, 0),
    (1, 0, 2, 1, 1),
    (0, 0, 0, 1, 1),
    (0, 0, 1, 0, 0),
    (0, 1, 1, 2, 1),
    (-1, 0, -1, 0, 0),
)


@inline_kernel
def field_triangle(ground: Any, i: int, j: int, first: Any, row: Any) -> None:
    """Fill the triangle row of triangle 0 (`first`) or 1 of cell (i, j)."""
    terrain, h = ground.terrain, ground.heights
    x0, y0 = terrain[ORIGIN_X] + i * terrain[CELL], terrain[ORIGIN_Y] + j * terrain[CELL]
    x1, y1 = terrain[ORIGIN_X] + (i + 1) * terrain[CELL], terrain[ORIGIN_Y] + (j + 1) * terrain[CELL]
    a, d = (x0, y0, np.float64(h[j, i])), (x1, y1, np.float64(h[j + 1, i + 1]))
    normal = triangle_normal(ground, i, j, first)
    if first:
        store_triangle(row, a, (x1, y0, np.float64(h[j, i + 1])), d, normal)
    else:
        store_triangle(row, a, d, (x0, y1, np.float64(h[j + 1, i])), normal)
    for edge in range(3):  # a single call site: inlined, each further one costs seconds of compiling
        di, dj, fi, fj, owner = NEIGHBOURS[edge + (0 if first else 3)]
        field_edge(ground, row, edge, i + di, j + dj, not first, (i + fi, j + fj), owner == 1)


@inline_kernel
def nearby_heightfield(
    ground: Any, low: Any, high: Any, out: Any, out_ids: Any, count: int, capacity: int, first_feature: int
) -> int:
    """Append the terrain triangles whose bounding boxes touch the box, from a feature on; returns the new count."""
    terrain, h, cells = ground.terrain, ground.heights, ground.cell_surface
    rows, columns = cells.shape
    # A box that only touches a cell's border takes that cell too: hence ceil - 1 below and floor above.
    u0, u1 = (low[0] - terrain[ORIGIN_X]) * terrain[INVERSE_CELL], (high[0] - terrain[ORIGIN_X]) * terrain[INVERSE_CELL]
    v0, v1 = (low[1] - terrain[ORIGIN_Y]) * terrain[INVERSE_CELL], (high[1] - terrain[ORIGIN_Y]) * terrain[INVERSE_CELL]
    if not (u1 >= 0.0 and v1 >= 0.0 and u0 <= columns and v0 <= rows):
        return count
    i0, i1 = max(math.ceil(max(u0, 0.0)) - 1, 0), min(math.floor(min(u1, float(columns))), columns - 1)
    j0 = max(math.ceil(max(v0, 0.0)) - 1, first_feature // (2 * columns))
    j1 = min(math.floor(min(v1, float(rows))), rows - 1)
    for j in range(j0, j1 + 1):
        for i in range(i0, i1 + 1):
            if cells[j, i] == HOLE:
                continue
            ha, hb, hc, hd = corner_heights(h, i, j)
            for k in range(2):
                feature = 2 * (j * columns + i) + k
                other = hb if k == 0 else hc
                if feature < first_feature or max(ha, max(other, hd)) < low[2] or min(ha, min(other, hd)) > high[2]:
                    continue
                if count >= capacity:
                    return count
                field_triangle(ground, i, j, k == 0, out[count])
                out_ids[count, OUT_FEATURE] = feature
                out_ids[count, OUT_SURFACE] = np.int64(cells[j, i])
                count += 1
    return count
