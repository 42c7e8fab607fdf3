"""Sweep of a wheel as a cylinder onto plane, heightfield, meshes and moving bodies; finds the highest contact.

Arguments of the kernels:

frame: (centre, f, u, a): the wheel's centre at full compression, and its unit vectors forward, up and along the axle.
size: as in `sweep_triangle.py`.
limits: (lift, low, high, skew). A contact higher than lift is a wall or a ceiling and ignored with its whole triangle.
  low and high are world corners of the swept bounding box; skew is the smallest and largest x - y in it, which tell on
  which side of a cell's diagonal it lies.
highest: the highest contact so far, (Y, x, s, h, rise, on_face, surface), see `sweep_triangle.py`; surface is a hit
  code, see `arrays.BODY_STEP`.

A heightfield triangle is first evaluated by its slopes alone: that bounds its Y, and on smooth ground it also gives the
contact. Its corners are only needed when the wheel rests on one of its edges. The cell under the axle is tested first:
most others are then rejected, as they lie below the plane of its face. The terrain is seen from above only, meshes from
both sides.
"""

from typing import Any

import numpy as np

from driving_sandbox.physics.ground.arrays import (
    CELL,
    HEIGHTFIELD,
    HIGHEST,
    HOLE,
    INVERSE_CELL,
    LOWEST,
    NODE_COUNT,
    NODE_FIRST,
    NODE_SKIP,
    ORIGIN_X,
    ORIGIN_Y,
    PLANE,
    PLANE_HEIGHT,
    PLANE_SURFACE,
    RAYCAST_HIDDEN,
    SURFACE_MASK,
    TERRAIN_KIND,
    TRIANGLE_SURFACE,
)
from driving_sandbox.physics.ground.mesh import boxes_touch, triangle_touches
from driving_sandbox.physics.ground.sweep_triangle import NOTHING, edge_reach, face_optimum, triangle_reach
from driving_sandbox.physics.ground.terrain import cell_slopes, corner_heights
from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.physics.kernel.jit import kernel

# Smallest component of a terrain face's (-dz/dx, -dz/dy, 1) against the wheel's travel at which the face can support
# the wheel; with less it is seen edge-on
EDGE_ON = 0.02
MIN_GAIN = 1e-12  # m by which a contact must be higher than the highest so far; skips coplanar neighbours


@inline_kernel
def hidden(surfaces: Any, surface: int, wheel_filter: int) -> bool:
    """Whether a wheel with this filter ignores a surface; every wheel ignores barriers."""
    return (np.int64(surfaces[surface, RAYCAST_HIDDEN]) >> wheel_filter) & 1 == 1


@inline_kernel
def better(highest: Any, candidate: Any, surface: Any, lift: float) -> Any:
    """The higher of `highest` and a contact of `sweep_triangle.py`; a contact above the lift is ignored."""
    if highest[0] < candidate[0] <= lift:
        return (candidate[0], candidate[1], candidate[2], candidate[3], candidate[4], candidate[5], surface)
    return highest


@inline_kernel
def in_frame(frame: Any, x: float, y: float, z: float, kappa: float) -> tuple[float, float, float]:
    """(x, s, y) of a world point in the wheel's frame, s sheared."""
    c, f, u, a = frame
    x, y, z = x - c[0], y - c[1], z - c[2]
    up = u[0] * x + u[1] * y + u[2] * z
    return f[0] * x + f[1] * y + f[2] * z, a[0] * x + a[1] * y + a[2] * z + kappa * up, up


@inline_kernel
def face_in_frame(
    frame: Any, gx: float, gy: float, x: float, y: float, z: float, kappa: float
) -> tuple[float, float, float, float, float]:
    """(gap, ahead, along, up, facing) of the plane through (x, y, z) with slopes gx, gy, see `face_optimum`.

    facing: component of the plane's normal opposite to the direction of travel; <= 0: the plane is seen from below.
    """
    c, f, u, a = frame
    ahead = f[2] - gx * f[0] - gy * f[1]
    up = u[2] - gx * u[0] - gy * u[1]
    along = a[2] - gx * a[0] - gy * a[1]
    gap = (c[2] - z) - gx * (c[0] - x) - gy * (c[1] - y)
    return gap, ahead, along, up, up - kappa * along


@inline_kernel
def sweep_plane(ground: Any, frame: Any, size: Any, limits: Any, highest: Any, wheel_filter: int) -> Any:
    """The highest contact, now including the endless plane."""
    surface = np.int64(ground.terrain[PLANE_SURFACE])
    face = face_in_frame(frame, 0.0, 0.0, 0.0, 0.0, ground.terrain[PLANE_HEIGHT], size[4])
    if face[4] < EDGE_ON or hidden(ground.surfaces, surface, wheel_filter):
        return highest
    y, x, s, h, rise = face_optimum(face, size)
    return better(highest, (y + h, x, s, abs(h), rise, 1), surface, limits[0])


@kernel
def cell_edges(frame: Any, size: Any, corners: Any, square: Any, first: Any, sides: Any, floor: float) -> Any:
    """Contact with the edges of a cell's triangle.

    sides: whether the wheel would meet the triangle's plane beyond its lower or left edge, its right or upper edge, and
      the diagonal.
    Other arguments: as for `cell_triangle`.

    Not inlined into the loop over cells, which would then transform all corners of every cell.
    """
    nothing = (NOTHING, 0.0, 0.0, 0.0, 0.0, 0)
    ha, hb, hc, hd = corners
    x0, y0, cell, _ = square
    kappa = size[4]
    p = in_frame(frame, x0, y0, ha, kappa)
    r = in_frame(frame, x0 + cell, y0 + cell, hd, kappa)
    q = in_frame(frame, x0 + cell, y0, hb, kappa) if first else in_frame(frame, x0, y0 + cell, hc, kappa)
    if kappa != 0.0:
        return triangle_reach(p, q, r, size, floor)
    low_side, high_side, diagonal = sides
    reach = nothing
    if low_side:
        reach = edge_reach(p, q, size)
    if high_side:
        other = edge_reach(q, r, size)
        reach = other if other[0] > reach[0] else reach
    if diagonal:
        other = edge_reach(p, r, size)
        reach = other if other[0] > reach[0] else reach
    return reach


@inline_kernel
def cell_triangle(frame: Any, size: Any, corners: Any, square: Any, first: Any, floor: float) -> Any:
    """Contact with one of a cell's triangles; none unless it is above `floor`.

    corners: heights of a, b, c, d, m.
    square: x and y of a, side of the cell, m, and its inverse, 1/m.
    first: whether the triangle is (a, b, d), not (a, d, c).
    """
    nothing = (NOTHING, 0.0, 0.0, 0.0, 0.0, 0)
    ha, hb, hc, hd = corners
    x0, y0, cell, inverse = square
    gx, gy = cell_slopes(ha, hb, hc, hd, first)
    gx, gy = gx * inverse, gy * inverse
    face = face_in_frame(frame, gx, gy, x0, y0, ha, size[4])
    if face[4] < EDGE_ON:
        return nothing
    y, x, s, h, rise = face_optimum(face, size)
    if y + h <= floor:
        return nothing
    c, f, u, a = frame
    s_true = s - size[4] * y
    px = (c[0] + x * f[0] + y * u[0] + s_true * a[0] - x0) * inverse
    py = (c[1] + x * f[1] + y * u[1] + s_true * a[1] - y0) * inverse
    sides = (py < 0.0, px > 1.0, py > px) if first else (px < 0.0, py > 1.0, px > py)
    if sides[0] or sides[1] or sides[2]:
        return cell_edges(frame, size, corners, square, first, sides, floor)
    return y + h, x, s, abs(h), rise, 1


@inline_kernel
def sweep_heightfield(ground: Any, frame: Any, size: Any, limits: Any, highest: Any, wheel_filter: int) -> Any:
    """The highest contact, now including the cells under the wheel."""
    lift, low, high, skew = limits
    terrain = ground.terrain
    rows, columns = ground.cell_surface.shape
    k = terrain[INVERSE_CELL]
    u0, u1 = (low[0] - terrain[ORIGIN_X]) * k, (high[0] - terrain[ORIGIN_X]) * k
    v0, v1 = (low[1] - terrain[ORIGIN_Y]) * k, (high[1] - terrain[ORIGIN_Y]) * k
    # `not (...)` also returns for NaN, so that no index is made of it
    if not (
        u1 >= 0.0
        and v1 >= 0.0
        and u0 < columns
        and v0 < rows
        and low[2] <= terrain[HIGHEST]
        and high[2] >= terrain[LOWEST]
    ):
        return highest
    i0, i1 = int(max(u0, 0.0)), int(min(u1, columns - 1.0))
    j0, j1 = int(max(v0, 0.0)), int(min(v1, rows - 1.0))
    u, v = (frame[0][0] - terrain[ORIGIN_X]) * k, (frame[0][1] - terrain[ORIGIN_Y]) * k  # wheel centre, in cells
    under_i, under_j = int(min(max(u, 0.0), columns - 1.0)), int(min(max(v, 0.0), rows - 1.0))
    face = (0, 0, 0.0, 0.0, 0.0)  # cell, height of its corner a and rise per cell of the face the wheel rests on
    on_known_face = False
    next_i, next_j = i0, j0
    for visit in range((i1 - i0 + 1) * (j1 - j0 + 1) + 1):  # the cell under the axle, then all others
        i, j = under_i, under_j
        if visit > 0:
            i, j = next_i, next_j
            next_i, next_j = (i + 1, j) if i < i1 else (i0, j + 1)
            if i == under_i and j == under_j:
                continue
        surface = np.int64(ground.cell_surface[j, i])
        if surface == HOLE or hidden(ground.surfaces, surface, wheel_filter):
            continue
        corners = corner_heights(ground.heights, i, j)
        if max(max(corners[0], corners[1]), max(corners[2], corners[3])) < low[2]:
            continue
        square = (terrain[ORIGIN_X] + i * terrain[CELL], terrain[ORIGIN_Y] + j * terrain[CELL], terrain[CELL], k)
        diagonal_skew = square[0] - square[1]
        other_first = visit == 0 and u - under_i < v - under_j  # the axle is above triangle 1: test that first
        for half in range(2):
            first = (half == 0) != other_first
            if skew[1] < diagonal_skew if first else skew[0] > diagonal_skew:
                continue  # the wheel is wholly beyond the diagonal
            if on_known_face and below(face, corners, i, j, first):
                continue
            candidate = cell_triangle(frame, size, corners, square, first, highest[0] + MIN_GAIN)
            if highest[0] < candidate[0] <= lift:
                highest = (candidate[0], candidate[1], candidate[2], candidate[3], candidate[4], candidate[5], surface)
                on_known_face = candidate[5] == 1
                gx, gy = cell_slopes(corners[0], corners[1], corners[2], corners[3], first)
                face = (i, j, corners[0], gx, gy)
    return highest


@inline_kernel
def below(face: Any, corners: Any, i: int, j: int, first: Any) -> bool:
    """Whether no corner of a cell's triangle lies above the plane of a face.

    A wheel on a face is as high as the whole plane could lift it, so geometry below the plane cannot lift it further.
    """
    i0, j0, height, gx, gy = face
    ha, hb, hc, hd = corners
    z = height + gx * (i - i0) + gy * (j - j0) + MIN_GAIN
    side = hb - gx if first else hc - gy
    return max(ha, max(side, hd - gx - gy)) <= z


@inline_kernel
def box_height(box: Any, frame: Any) -> float:
    """Upper bound of a box's height above the wheel's centre, along its up axis, m."""
    c, u = frame[0], frame[2]
    return (
        u[0] * ((box[3] if u[0] > 0.0 else box[0]) - c[0])
        + u[1] * ((box[4] if u[1] > 0.0 else box[1]) - c[1])
        + u[2] * ((box[5] if u[2] > 0.0 else box[2]) - c[2])
    )


@kernel
def sweep_meshes(
    boxes: Any, links: Any, triangles: Any, ids: Any, surfaces: Any, frame: Any, size: Any, limits: Any, highest: Any,
    wheel_filter: int,
) -> Any:  # fmt: skip
    """The highest contact, now including all triangles of a tree."""
    lift, low, high, _ = limits
    radius, kappa = size[0], size[4]
    node, node_count = 0, len(links)
    while node < node_count:
        box = boxes[node]
        if not boxes_touch(box, low, high) or box_height(box, frame) + radius <= highest[0]:
            node = links[node, NODE_SKIP]
            continue
        first = links[node, NODE_FIRST]
        for k in range(first, first + links[node, NODE_COUNT]):
            row = triangles[k]
            if not triangle_touches(row, low, high):
                continue
            surface = np.int64(ids[k, TRIANGLE_SURFACE])
            if hidden(surfaces, surface & SURFACE_MASK, wheel_filter):
                continue
            p = in_frame(frame, row[0], row[1], row[2], kappa)
            q = in_frame(frame, row[3], row[4], row[5], kappa)
            r = in_frame(frame, row[6], row[7], row[8], kappa)
            highest = better(highest, triangle_reach(p, q, r, size, highest[0] + MIN_GAIN), surface, lift)
        node += 1
    return highest


@inline_kernel
def highest_contact(
    ground: Any, moving: Any, frame: Any, size: Any, limits: Any, highest: Any, wheel_filter: int
) -> Any:
    """The highest contact, now including ground and moving bodies. moving: None where there cannot be any."""
    kind = ground.terrain[TERRAIN_KIND]
    if kind == HEIGHTFIELD:
        highest = sweep_heightfield(ground, frame, size, limits, highest, wheel_filter)
    elif kind == PLANE:
        highest = sweep_plane(ground, frame, size, limits, highest, wheel_filter)
    if len(ground.node_link) > 0:
        highest = sweep_meshes(
            ground.node_box, ground.node_link, ground.triangles, ground.triangle_ids, ground.surfaces, frame, size,
            limits, highest, wheel_filter,
        )  # fmt: skip
    if moving is not None and moving.count > 0:
        highest = sweep_meshes(
            moving.boxes, moving.links, moving.triangles, moving.ids, ground.surfaces, frame, size, limits, highest,
            wheel_filter,
        )  # fmt: skip
    return highest


@inline_kernel
def swept_box(
    frame: Any, radius: Any, half_width: float, arc: float, top: float, bottom: float, slide: float
) -> tuple[tuple[float, float, float], tuple[float, float, float], tuple[float, float]]:
    """(low, high, skew) of a wheel's swept volume: world corners of its bounding box, smallest and largest x - y.

    All lengths in m:
    arc: half the volume's length along f.
    top, bottom: its ends along u.
    slide: distance along a that the wheel moves sideways.
    """
    c, f, u, a = frame
    middle, half = 0.5 * (top + bottom), 0.5 * (top - bottom)
    across = half_width + slide
    x, y, z = c[0] + u[0] * middle, c[1] + u[1] * middle, c[2] + u[2] * middle
    rx = abs(f[0]) * arc + abs(u[0]) * half + abs(a[0]) * across
    ry = abs(f[1]) * arc + abs(u[1]) * half + abs(a[1]) * across
    rz = abs(f[2]) * arc + abs(u[2]) * half + abs(a[2]) * across
    rd = abs(f[0] - f[1]) * arc + abs(u[0] - u[1]) * half + abs(a[0] - a[1]) * across
    return (x - rx, y - ry, z - rz), (x + rx, y + ry, z + rz), (x - y - rd, x - y + rd)
