"""Kernels on the terrain: rays and heights on plane and heightfield, triangles of the plane near a box.

A ray walks the cells below it in order. In each cell it is split where it crosses the diagonal, and on each piece the
height above the triangle's plane is linear along the ray, so its signs at the two ends say whether it went through.
The sign is carried from piece to piece and never recomputed at a seam: a ray through an edge or a vertex hits despite
rounding. Only hits from above count; a ray that starts below the surface can hit it only after leaving it. For the
heightfield's triangles near a box see patch.py.
"""

import math
from typing import Any

import numpy as np

from driving_sandbox.physics.ground.arrays import (
    EDGE_FLAGS,
    EDGE_FLAT,
    EDGE_NORMALS,
    HIGHEST,
    HOLE,
    INVERSE_CELL,
    LOWEST,
    NO_SURFACE,
    NORMAL,
    ORIGIN_X,
    ORIGIN_Y,
    OUT_FEATURE,
    OUT_SURFACE,
    PLANE,
    PLANE_HEIGHT,
    PLANE_SURFACE,
    TERRAIN_KIND,
    VERTICES,
)
from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.physics.kernel.jit import kernel

UP = (0.0, 0.0, 1.0)  # normal of the plane
PLANE_GRID = 256.0  # m; the triangles that represent the plane have their corners on this grid, so they seldom move


@inline_kernel
def clip(start: float, slope: float, low: float, high: float, t0: float, t1: float) -> tuple[float, float]:
    """(t0, t1) of the part of [t0, t1] in which low <= start + slope t <= high; t0 > t1 if there is none."""
    if abs(slope) < 1e-300:  # its inverse would be infinite
        return (t0, t1) if low <= start <= high else (1.0, 0.0)
    k = 1.0 / slope
    ta, tb = (low - start) * k, (high - start) * k
    return max(t0, min(ta, tb)), min(t1, max(ta, tb))


@inline_kernel
def corner_heights(heights: Any, i: int, j: int) -> tuple[Any, Any, Any, Any]:
    """Heights of the corners a, b, c, d of a cell, m, as float64.

    np.float64 rather than float(), as float() of a float32 stays a float32 in compiled code. Unsigned indices, as
    numba's test for negative ones costs more than reading the four heights.
    """
    low_i, low_j, high_i, high_j = np.uint64(i), np.uint64(j), np.uint64(i + 1), np.uint64(j + 1)
    return (
        np.float64(heights[low_j, low_i]),
        np.float64(heights[low_j, high_i]),
        np.float64(heights[high_j, low_i]),
        np.float64(heights[high_j, high_i]),
    )


@inline_kernel
def cell_slopes(ha: float, hb: float, hc: float, hd: float, first: Any) -> tuple[float, float]:
    """Rise per cell in x and y of triangle 0 (a, b, d) or 1 (a, d, c)."""
    if first:
        return hb - ha, hd - hb
    return hd - hc, hc - ha


@inline_kernel
def slope_normal(gx: float, gy: float) -> tuple[float, float, float]:
    """Unit normal of a surface that rises gx per metre in x and gy per metre in y."""
    k = 1.0 / math.sqrt(gx * gx + gy * gy + 1.0)
    return (-gx * k, -gy * k, k)


@inline_kernel
def cast_plane(ground: Any, origin: Any, direction: Any, length: float) -> tuple[float, Any, Any]:
    """(distance, normal, surface) of a ray on the endless plane; surface < 0: nothing hit within length."""
    above = origin[2] - ground.terrain[PLANE_HEIGHT]
    if direction[2] < 0.0 and above >= 0.0 and above <= -direction[2] * length:
        return -above / direction[2], UP, np.int64(ground.terrain[PLANE_SURFACE])
    return length, UP, np.int64(NO_SURFACE)


@inline_kernel
def cast_cell(
    corners: Any, start: Any, slope: Any, t0: float, t1: float, above: int
) -> tuple[float, float, float, int]:
    """(t of the hit or -1, rise per cell in x and in y there, above at t1) of a ray in one cell, for t0 <= t <= t1.

    Args:
        corners: heights of a, b, c, d, m.
        start: of the ray, from corner a, in (cells, cells, metres).
        slope: change of that position per t.
        t0, t1: ends of the part of the ray in the cell, m.
        above: whether the ray is above the surface at t0: 1 yes, 0 no, -1 not known.
    """
    ha, hb, hc, hd = corners
    u, v, z = start
    du, dv, dz = slope
    z0, z1 = z + dz * t0, z + dz * t1
    if min(z0, z1) > max(max(ha, hb), max(hc, hd)):
        return -1.0, 0.0, 0.0, 1
    if max(z0, z1) < min(min(ha, hb), min(hc, hd)):
        return -1.0, 0.0, 0.0, 0
    side, d_side = u - v, du - dv  # > 0: in triangle 0
    side0, side1 = side + d_side * t0, side + d_side * t1
    split = (side0 < 0.0 < side1) or (side1 < 0.0 < side0)
    end = -side / d_side if split else t1
    begin, first = t0, side0 + side1 >= 0.0 if not split else side0 > 0.0
    for _ in range(2):
        gx, gy = cell_slopes(ha, hb, hc, hd, first)
        gap, d_gap = z - ha - gx * u - gy * v, dz - gx * du - gy * dv
        if above < 0:
            above = 1 if gap + d_gap * begin >= 0.0 else 0
        end_gap = gap + d_gap * end
        if above == 1 and (end_gap < 0.0 or (end_gap == 0.0 and d_gap < 0.0)):
            hit = -gap / d_gap if d_gap < 0.0 else begin
            return min(max(hit, begin), end), gx, gy, 0
        if end_gap > 0.0:
            above = 1
        if not split:
            break
        begin, end, first, split = end, t1, not first, False
    return -1.0, 0.0, 0.0, above


@kernel
def walk_heightfield(ground: Any, start: Any, slope: Any, length: float) -> tuple[float, float, float, Any]:
    """(t of the hit or -1, rise per cell in x and y, surface) of a ray followed through all its cells.

    start, slope: position at t = 0 from vertex (0, 0), and its change per t, in (cells, cells, metres).
    """
    u, v, z = start
    du, dv, dz = slope
    rows, columns = ground.cell_surface.shape
    if not math.isfinite(u + v + z + du + dv + dz):
        return -1.0, 0.0, 0.0, np.int64(NO_SURFACE)
    t, t1 = clip(u, du, 0.0, float(columns), 0.0, length)
    t, t1 = clip(v, dv, 0.0, float(rows), t, t1)
    t, t1 = clip(z, dz, ground.terrain[LOWEST], ground.terrain[HIGHEST], t, t1)
    if not t <= t1:
        return -1.0, 0.0, 0.0, np.int64(NO_SURFACE)
    i, j = min(max(int(u + du * t), 0), columns - 1), min(max(int(v + dv * t), 0), rows - 1)
    step_i, step_j = (1 if du > 0.0 else -1), (1 if dv > 0.0 else -1)
    above = -1
    while True:
        tx = (i + (step_i > 0) - u) / du if du != 0.0 else math.inf
        ty = (j + (step_j > 0) - v) / dv if dv != 0.0 else math.inf
        t_end = max(t, min(t1, min(tx, ty)))
        if ground.cell_surface[j, i] == HOLE:
            above = -1
        else:
            corners = corner_heights(ground.heights, i, j)
            hit, gx, gy, above = cast_cell(corners, (u - i, v - j, z), slope, t, t_end, above)
            if hit >= 0.0:
                return hit, gx, gy, np.int64(ground.cell_surface[j, i])
        if t_end >= t1:
            return -1.0, 0.0, 0.0, np.int64(NO_SURFACE)
        t = t_end
        if tx <= ty:
            i += step_i
        else:
            j += step_j
        if i < 0 or j < 0 or i >= columns or j >= rows:
            return -1.0, 0.0, 0.0, np.int64(NO_SURFACE)


@inline_kernel
def cast_heightfield(ground: Any, origin: Any, direction: Any, length: float) -> tuple[float, Any, Any]:
    """(distance, normal, surface) of a ray on the heightfield; surface < 0: nothing hit within length."""
    terrain = ground.terrain
    k = terrain[INVERSE_CELL]
    u, v = (origin[0] - terrain[ORIGIN_X]) * k, (origin[1] - terrain[ORIGIN_Y]) * k
    du, dv = direction[0] * k, direction[1] * k
    rows, columns = ground.cell_surface.shape
    i, j = -1, -1
    if 0.0 <= u < columns and 0.0 <= v < rows:
        i, j = int(u), int(v)
    u_end, v_end = u + du * length, v + dv * length
    if i >= 0 and i <= u_end < i + 1 and j <= v_end < j + 1:  # it stays in one cell, as most wheel rays do
        surface = np.int64(ground.cell_surface[j, i])
        if surface == HOLE:
            return length, UP, np.int64(NO_SURFACE)
        corners = corner_heights(ground.heights, i, j)
        start, slope = (u - i, v - j, origin[2]), (du, dv, direction[2])
        hit, gx, gy, _ = cast_cell(corners, start, slope, 0.0, length, -1)
    else:
        hit, gx, gy, surface = walk_heightfield(ground, (u, v, origin[2]), (du, dv, direction[2]), length)
    if hit < 0.0:
        return length, UP, np.int64(NO_SURFACE)
    return hit, slope_normal(gx * k, gy * k), surface


@inline_kernel
def heightfield_height(ground: Any, x: float, y: float) -> tuple[Any, Any, Any]:
    """(height, normal, surface) of the heightfield; outside of it and over holes the surface is NO_SURFACE."""
    terrain, heights = ground.terrain, ground.heights
    rows, columns = ground.cell_surface.shape
    inverse = terrain[INVERSE_CELL]
    u, v = (x - terrain[ORIGIN_X]) * inverse, (y - terrain[ORIGIN_Y]) * inverse
    if not (0.0 <= u <= columns and 0.0 <= v <= rows):
        return -math.inf, UP, np.int64(NO_SURFACE)
    i, j = min(int(u), columns - 1), min(int(v), rows - 1)
    if ground.cell_surface[j, i] == HOLE:
        return -math.inf, UP, np.int64(NO_SURFACE)
    u, v = u - i, v - j
    ha, hb, hc, hd = corner_heights(heights, i, j)
    gx, gy = cell_slopes(ha, hb, hc, hd, v <= u)
    return ha + gx * u + gy * v, slope_normal(gx * inverse, gy * inverse), np.int64(ground.cell_surface[j, i])


@inline_kernel
def terrain_height(ground: Any, x: float, y: float) -> tuple[Any, Any, Any]:
    """(height, normal, surface) of the terrain, meshes left out; no ground there: (-inf, up, NO_SURFACE)."""
    kind = ground.terrain[TERRAIN_KIND]
    if kind == PLANE:
        return ground.terrain[PLANE_HEIGHT], UP, np.int64(ground.terrain[PLANE_SURFACE])
    if kind > PLANE:
        return heightfield_height(ground, x, y)
    return -math.inf, UP, np.int64(NO_SURFACE)


@inline_kernel
def store_triangle(row: Any, a: Any, b: Any, c: Any, normal: Any) -> None:
    """Write vertices and normal of a triangle row; its edges become flat with the same normal beyond."""
    for k in range(3):
        row[VERTICES + k] = a[k]
        row[VERTICES + 3 + k] = b[k]
        row[VERTICES + 6 + k] = c[k]
        row[NORMAL + k] = normal[k]
        row[EDGE_FLAGS + k] = EDGE_FLAT
        for edge in range(3):
            row[EDGE_NORMALS + 3 * edge + k] = normal[k]


@inline_kernel
def nearby_plane(
    ground: Any, low: Any, high: Any, out: Any, out_ids: Any, count: int, capacity: int, first_feature: int
) -> int:
    """Append two triangles of a large square around the box if the plane lies within its heights.

    Returns the new count. first_feature: the triangles are features 0 and 1; above 0 neither is appended.
    """
    z = ground.terrain[PLANE_HEIGHT]
    if first_feature > 0 or z < low[2] or z > high[2] or count + 2 > capacity:
        return count
    x0, y0 = PLANE_GRID * (math.floor(low[0] / PLANE_GRID) - 1.0), PLANE_GRID * (math.floor(low[1] / PLANE_GRID) - 1.0)
    x1, y1 = PLANE_GRID * (math.ceil(high[0] / PLANE_GRID) + 1.0), PLANE_GRID * (math.ceil(high[1] / PLANE_GRID) + 1.0)
    store_triangle(out[count], (x0, y0, z), (x1, y0, z), (x1, y1, z), UP)
    store_triangle(out[count + 1], (x0, y0, z), (x1, y1, z), (x0, y1, z), UP)
    for k in range(2):
        out_ids[count + k, OUT_FEATURE] = k
        out_ids[count + k, OUT_SURFACE] = np.int64(ground.terrain[PLANE_SURFACE])
    return count + 2
