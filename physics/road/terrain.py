"""Kernels on the terrain: rays, height, triangles near a box; for the endless plane and for the heightfield.

A ray walks the cells below it in order. In each cell it is split where it crosses the diagonal, and on each piece the
height above the triangle's plane is linear along the ray, so its signs at the two ends say whether it went through.
The sign is carried from piece to piece and never recomputed at a seam: a ray through an edge or a vertex hits, whatever
the rounding. Only hits from above count; a ray that starts below the surface meets it after having come out of it.
"""

import math

import numpy as np

from physics.jit import kernel
from physics.road.layout import (
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

UP = (0.0, 0.0, 1.0)
# m; corners of the two triangles that stand for the plane lie on this grid, so that they seldom move
PLANE_GRID = 256.0


@kernel
def clip(start, slope, low, high, t0, t1):
    """The part of [t0, t1] in which low <= start + slope t <= high; empty is returned as t0 > t1."""
    if slope == 0.0:
        return (t0, t1) if low <= start <= high else (1.0, 0.0)
    k = 1.0 / slope
    ta, tb = (low - start) * k, (high - start) * k
    return max(t0, min(ta, tb)), min(t1, max(ta, tb))


@kernel
def corner_heights(heights, i, j):
    """Heights of the corners a, b, c, d of a cell. (float() of a float32 would stay one in compiled code.)"""
    return (
        np.float64(heights[j, i]),
        np.float64(heights[j, i + 1]),
        np.float64(heights[j + 1, i]),
        np.float64(heights[j + 1, i + 1]),
    )


@kernel
def cell_slopes(ha, hb, hc, hd, first):
    """Rise per cell in x and y of triangle 0 (a, b, d) or 1 (a, d, c)."""
    if first:
        return hb - ha, hd - hb
    return hd - hc, hc - ha


@kernel
def slope_normal(gx, gy):
    """Unit normal of a surface that rises gx per metre in x and gy per metre in y."""
    k = 1.0 / math.sqrt(gx * gx + gy * gy + 1.0)
    return (-gx * k, -gy * k, k)


@kernel
def cast_plane(ground, origin, direction, length):
    """(distance, normal, surface) of a ray on the endless plane; surface < 0: nothing hit within length."""
    above = origin[2] - ground.frame[PLANE_HEIGHT]
    if direction[2] < 0.0 and above >= 0.0 and above <= -direction[2] * length:
        return -above / direction[2], UP, np.int64(ground.frame[PLANE_SURFACE])
    return length, UP, np.int64(NO_SURFACE)


@kernel
def cast_heightfield(ground, origin, direction, length):
    """(distance, normal, surface) of a ray on the heightfield; surface < 0: nothing hit within length."""
    heights, cells, frame = ground.heights, ground.cell_surface, ground.frame
    rows, columns = cells.shape
    inverse = frame[INVERSE_CELL]
    u0, v0, z0 = (origin[0] - frame[ORIGIN_X]) * inverse, (origin[1] - frame[ORIGIN_Y]) * inverse, origin[2]
    du, dv, dz = direction[0] * inverse, direction[1] * inverse, direction[2]
    t, t1 = clip(u0, du, 0.0, float(columns), 0.0, length)
    t, t1 = clip(v0, dv, 0.0, float(rows), t, t1)
    t, t1 = clip(z0, dz, frame[LOWEST], frame[HIGHEST], t, t1)
    if not t <= t1:
        return length, UP, np.int64(NO_SURFACE)
    i, j = min(max(int(u0 + du * t), 0), columns - 1), min(max(int(v0 + dv * t), 0), rows - 1)
    step_i, step_j = (1 if du > 0.0 else 0), (1 if dv > 0.0 else 0)
    inv_du, inv_dv = (1.0 / du if du != 0.0 else 0.0), (1.0 / dv if dv != 0.0 else 0.0)
    above, known = False, False
    while t <= t1:
        tx = (i + step_i - u0) * inv_du if du != 0.0 else math.inf
        ty = (j + step_j - v0) * inv_dv if dv != 0.0 else math.inf
        t_end = max(t, min(t1, min(tx, ty)))
        if cells[j, i] == HOLE:
            known = False
        else:
            ha, hb, hc, hd = corner_heights(heights, i, j)
            za, zb = z0 + dz * t, z0 + dz * t_end
            if min(za, zb) > max(max(ha, hb), max(hc, hd)):
                above, known = True, True
            elif max(za, zb) < min(min(ha, hb), min(hc, hd)):
                above, known = False, True
            else:
                u, v = u0 - i, v0 - j
                diagonal, d_diagonal = u - v, du - dv
                middle = -diagonal / d_diagonal if d_diagonal != 0.0 else t
                pieces = 2 if t < middle < t_end else 1
                for piece in range(pieces):
                    s = t if piece == 0 else middle
                    e = middle if piece + 1 < pieces else t_end
                    first = diagonal + d_diagonal * 0.5 * (s + e) >= 0.0
                    gx, gy = cell_slopes(ha, hb, hc, hd, first)
                    gap, d_gap = z0 - ha - gx * u - gy * v, dz - gx * du - gy * dv
                    if not known:
                        above, known = gap + d_gap * s >= 0.0, True
                    end_gap = gap + d_gap * e
                    if above and (end_gap < 0.0 or (end_gap == 0.0 and d_gap < 0.0)):
                        hit = -gap / d_gap if d_gap < 0.0 else s
                        normal = slope_normal(gx * inverse, gy * inverse)
                        return min(max(hit, s), e), normal, np.int64(cells[j, i])
                    above = end_gap > 0.0 or (above and end_gap == 0.0)
        t = t_end
        if t_end >= t1:
            break
        if tx <= ty:
            i += 2 * step_i - 1
        else:
            j += 2 * step_j - 1
        if i < 0 or j < 0 or i >= columns or j >= rows:
            break
    return length, UP, np.int64(NO_SURFACE)


@kernel
def heightfield_height(ground, x, y):
    """(height, normal, surface) of the heightfield; outside of it and over holes the surface is NO_SURFACE."""
    frame, heights = ground.frame, ground.heights
    rows, columns = ground.cell_surface.shape
    inverse = frame[INVERSE_CELL]
    u, v = (x - frame[ORIGIN_X]) * inverse, (y - frame[ORIGIN_Y]) * inverse
    if not (0.0 <= u <= columns and 0.0 <= v <= rows):
        return -math.inf, UP, np.int64(NO_SURFACE)
    i, j = min(int(u), columns - 1), min(int(v), rows - 1)
    if ground.cell_surface[j, i] == HOLE:
        return -math.inf, UP, np.int64(NO_SURFACE)
    u, v = u - i, v - j
    ha, hb, hc, hd = corner_heights(heights, i, j)
    gx, gy = cell_slopes(ha, hb, hc, hd, v <= u)
    return ha + gx * u + gy * v, slope_normal(gx * inverse, gy * inverse), np.int64(ground.cell_surface[j, i])


@kernel
def terrain_height(ground, x, y):
    """(height, normal, surface) of the terrain, meshes left out; no ground there: (-inf, up, NO_SURFACE)."""
    kind = ground.frame[TERRAIN_KIND]
    if kind == PLANE:
        return ground.frame[PLANE_HEIGHT], UP, np.int64(ground.frame[PLANE_SURFACE])
    if kind > PLANE:
        return heightfield_height(ground, x, y)
    return -math.inf, UP, np.int64(NO_SURFACE)


@kernel
def store_triangle(row, a, b, c, normal):
    """Write vertices and normal of a triangle row; its edges become flat with the same normal beyond."""
    for k in range(3):
        row[VERTICES + k] = a[k]
        row[VERTICES + 3 + k] = b[k]
        row[VERTICES + 6 + k] = c[k]
        row[NORMAL + k] = normal[k]
        row[EDGE_FLAGS + k] = EDGE_FLAT
        for edge in range(3):
            row[EDGE_NORMALS + 3 * edge + k] = normal[k]


@kernel
def nearby_plane(ground, low, high, out, out_ids, count, capacity):
    """Append the two triangles of a large flat square around the box, if the plane lies within its heights."""
    z = ground.frame[PLANE_HEIGHT]
    if z < low[2] or z > high[2] or count + 2 > capacity:
        return count
    x0, y0 = PLANE_GRID * (math.floor(low[0] / PLANE_GRID) - 1.0), PLANE_GRID * (math.floor(low[1] / PLANE_GRID) - 1.0)
    x1, y1 = PLANE_GRID * (math.ceil(high[0] / PLANE_GRID) + 1.0), PLANE_GRID * (math.ceil(high[1] / PLANE_GRID) + 1.0)
    store_triangle(out[count], (x0, y0, z), (x1, y0, z), (x1, y1, z), UP)
    store_triangle(out[count + 1], (x0, y0, z), (x1, y1, z), (x0, y1, z), UP)
    for k in range(2):
        out_ids[count + k, OUT_FEATURE] = k
        out_ids[count + k, OUT_SURFACE] = np.int64(ground.frame[PLANE_SURFACE])
    return count + 2
