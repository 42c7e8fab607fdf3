"""Kernels on the mesh triangles: ray casts, and triangles near a box, by a bounding volume hierarchy without a stack.

Nodes are stored depth first; each has a skip link for a missed box. The triangle test shears the vertices so that the
ray becomes the third axis, and the ray hits if the three edge functions have the same sign (Woop, Benthin and Wald
2013). A vertex is rounded equally in all triangles that share it, and an edge traversed in reverse has exactly the
opposite sign: the test is watertight at shared edges and vertices. Meshes are two-sided: the hit normal faces the ray.
"""

from typing import Any

import numpy as np

from driving_sandbox.physics.ground.arrays import (
    NODE_COUNT,
    NODE_FIRST,
    NODE_SKIP,
    NORMAL,
    OUT_FEATURE,
    OUT_SURFACE,
    TERRAIN_TRIANGLES,
    TRIANGLE_SIZE,
    TRIANGLE_SURFACE,
)
from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.physics.kernel.jit import kernel


@inline_kernel
def ray_meets_box(box: Any, origin: Any, inverse: Any, length: float) -> bool:
    """Whether the ray meets the box within length. inverse: 1 / direction, huge where that is zero."""
    ta, tb = (box[0] - origin[0]) * inverse[0], (box[3] - origin[0]) * inverse[0]
    near, far = min(ta, tb), max(ta, tb)
    ta, tb = (box[1] - origin[1]) * inverse[1], (box[4] - origin[1]) * inverse[1]
    near, far = max(near, min(ta, tb)), min(far, max(ta, tb))
    ta, tb = (box[2] - origin[2]) * inverse[2], (box[5] - origin[2]) * inverse[2]
    near, far = max(near, min(ta, tb)), min(far, max(ta, tb))
    return near <= far and far >= 0.0 and near <= length


@inline_kernel
def sheared(row: Any, k: int, origin: Any, frame: Any) -> tuple[float, float]:
    """(x, y) of vertex k of a triangle row in coordinates in which the ray is the third axis. frame: `ray_frame`."""
    x_axis, y_axis, z_axis, shear_x, shear_y = frame
    z = row[3 * k + z_axis] - origin[z_axis]
    return (
        row[3 * k + x_axis] - origin[x_axis] - shear_x * z,
        row[3 * k + y_axis] - origin[y_axis] - shear_y * z,
    )


@inline_kernel
def ray_frame(direction: Any) -> tuple[int, int, int, float, float]:
    """(x axis, y axis, z axis, shear x, shear y): the longest component of the direction becomes the third axis."""
    ax, ay, az = abs(direction[0]), abs(direction[1]), abs(direction[2])
    z_axis = 2
    if ax > ay and ax > az:
        z_axis = 0
    elif ay > az:
        z_axis = 1
    x_axis, y_axis = (z_axis + 1) % 3, (z_axis + 2) % 3
    return x_axis, y_axis, z_axis, direction[x_axis] / direction[z_axis], direction[y_axis] / direction[z_axis]


@inline_kernel
def cast_triangle(row: Any, origin: Any, direction: Any, frame: Any, length: float) -> float:
    """Distance along the ray to one triangle, within length; -1 for a miss."""
    facing = row[NORMAL] * direction[0] + row[NORMAL + 1] * direction[1] + row[NORMAL + 2] * direction[2]
    if facing == 0.0:
        return -1.0
    gap = (
        row[NORMAL] * (row[0] - origin[0])
        + row[NORMAL + 1] * (row[1] - origin[1])
        + row[NORMAL + 2] * (row[2] - origin[2])
    )
    t = gap / facing
    if not 0.0 <= t <= length:
        return -1.0
    ax, ay = sheared(row, 0, origin, frame)
    bx, by = sheared(row, 1, origin, frame)
    cx, cy = sheared(row, 2, origin, frame)
    e0, e1, e2 = ax * by - ay * bx, bx * cy - by * cx, cx * ay - cy * ax
    if (e0 >= 0.0 and e1 >= 0.0 and e2 >= 0.0) or (e0 <= 0.0 and e1 <= 0.0 and e2 <= 0.0):
        return t
    return -1.0


@inline_kernel
def inverse_component(d: float) -> float:
    """1 / d; a huge number for 0, as an infinity would give NaN on a face of a box."""
    return 1.0 / d if abs(d) > 1e-300 else 1e300


@inline_kernel
def boxes_touch(box: Any, low: Any, high: Any) -> bool:
    """Whether a box (low x, y, z, high x, y, z) touches the box from low to high."""
    return (
        box[0] <= high[0]
        and box[3] >= low[0]
        and box[1] <= high[1]
        and box[4] >= low[1]
        and box[2] <= high[2]
        and box[5] >= low[2]
    )


@kernel
def cast_triangles(
    boxes: Any, links: Any, triangles: Any, origin: Any, direction: Any, length: float
) -> tuple[float, int]:
    """(distance, index) of the nearest triangle of the tree within length; index < 0: none.

    boxes, links, triangles: node_box, node_link and triangles of GroundArrays, or the same arrays of moving bodies.
    Boxes are first tested against the ray's bounding box, which is nearly as tight as the slab test for a ray of a
    metre.
    """
    inverse = (inverse_component(direction[0]), inverse_component(direction[1]), inverse_component(direction[2]))
    end = (origin[0] + direction[0] * length, origin[1] + direction[1] * length, origin[2] + direction[2] * length)
    low = (min(origin[0], end[0]), min(origin[1], end[1]), min(origin[2], end[2]))
    high = (max(origin[0], end[0]), max(origin[1], end[1]), max(origin[2], end[2]))
    frame = ray_frame(direction)
    distance, nearest = length, -1
    node, node_count = 0, len(links)
    while node < node_count:
        box = boxes[node]
        if not boxes_touch(box, low, high) or not ray_meets_box(box, origin, inverse, distance):
            node = links[node, NODE_SKIP]
            continue
        first = links[node, NODE_FIRST]
        for k in range(first, first + links[node, NODE_COUNT]):
            t = cast_triangle(triangles[k], origin, direction, frame, distance)
            if t >= 0.0 and (t < distance or nearest < 0):
                distance, nearest = t, k
        node += 1
    return distance, nearest


@inline_kernel
def triangle_touches(row: Any, low: Any, high: Any) -> bool:
    """Whether the bounding box of a triangle row touches the box from low to high."""
    for k in range(3):
        if max(row[k], max(row[3 + k], row[6 + k])) < low[k] or min(row[k], min(row[3 + k], row[6 + k])) > high[k]:
            return False
    return True


@inline_kernel
def nearby_meshes(
    ground: Any, low: Any, high: Any, out: Any, out_ids: Any, count: int, capacity: int, first: int
) -> int:
    """Append the mesh triangles from feature `first` on whose bounding boxes touch the box; returns the new count."""
    boxes, links, triangles = ground.node_box, ground.node_link, ground.triangles
    offset = np.int64(ground.terrain[TERRAIN_TRIANGLES])
    node, node_count = 0, len(links)
    while node < node_count:
        if not boxes_touch(boxes[node], low, high):
            node = links[node, NODE_SKIP]
            continue
        start = links[node, NODE_FIRST]
        for k in range(max(start, first - offset), start + links[node, NODE_COUNT]):
            if triangle_touches(triangles[k], low, high):
                if count >= capacity:
                    return count
                for m in range(TRIANGLE_SIZE):
                    out[count, m] = triangles[k, m]
                out_ids[count, OUT_FEATURE] = offset + k
                out_ids[count, OUT_SURFACE] = ground.triangle_ids[k, TRIANGLE_SURFACE]
                count += 1
        node += 1
    return count
