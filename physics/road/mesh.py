"""Kernels on the mesh triangles: rays and triangles near a box, by a bounding volume hierarchy without a stack.

The nodes lie depth first; a node whose box is missed names the node to go on with. A ray passes a triangle when the
three edge determinants d . (p x q), p and q being the ends of the edge seen from the ray's origin, have no two signs.
p x q changes exactly its sign when the edge is walked the other way, so two triangles with a common edge leave no gap.
Meshes are two-sided: the normal of a hit is turned against the ray.
"""

import numpy as np

from physics.road.inline import bare_kernel, inline_kernel
from physics.road.layout import (
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


@inline_kernel
def box_reach(box, origin, inverse, length):
    """True if the ray meets the box within length; inverse holds 1/direction, huge where that is zero."""
    ta, tb = (box[0] - origin[0]) * inverse[0], (box[3] - origin[0]) * inverse[0]
    near, far = min(ta, tb), max(ta, tb)
    ta, tb = (box[1] - origin[1]) * inverse[1], (box[4] - origin[1]) * inverse[1]
    near, far = max(near, min(ta, tb)), min(far, max(ta, tb))
    ta, tb = (box[2] - origin[2]) * inverse[2], (box[5] - origin[2]) * inverse[2]
    near, far = max(near, min(ta, tb)), min(far, max(ta, tb))
    return near <= far and far >= 0.0 and near <= length


@inline_kernel
def edge_determinant(row, k, m, origin, direction):
    """d . (p x q) for the edge from vertex k to vertex m."""
    px, py, pz = row[3 * k] - origin[0], row[3 * k + 1] - origin[1], row[3 * k + 2] - origin[2]
    qx, qy, qz = row[3 * m] - origin[0], row[3 * m + 1] - origin[1], row[3 * m + 2] - origin[2]
    return (
        direction[0] * (py * qz - pz * qy) + direction[1] * (pz * qx - px * qz) + direction[2] * (px * qy - py * qx)
    )


@inline_kernel
def cast_triangle(row, origin, direction, length):
    """Distance along the ray to one triangle, or -1."""
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
    e0 = edge_determinant(row, 0, 1, origin, direction)
    e1 = edge_determinant(row, 1, 2, origin, direction)
    e2 = edge_determinant(row, 2, 0, origin, direction)
    if (e0 >= 0.0 and e1 >= 0.0 and e2 >= 0.0) or (e0 <= 0.0 and e1 <= 0.0 and e2 <= 0.0):
        return t
    return -1.0


@inline_kernel
def inverse_component(d):
    """1/d, and a huge number for 0 so that 0 times it stays 0 (an infinity would give NaN on a box's face)."""
    return 1.0 / d if abs(d) > 1e-300 else 1e300


@bare_kernel
def cast_meshes(ground, origin, direction, length):
    """(distance, triangle) of the nearest mesh triangle within length; triangle < 0: none."""
    boxes, links, triangles = ground.node_box, ground.node_link, ground.triangles
    inverse = (inverse_component(direction[0]), inverse_component(direction[1]), inverse_component(direction[2]))
    best, found = length, -1
    node, node_count = 0, len(links)
    while node < node_count:
        if not box_reach(boxes[node], origin, inverse, best):
            node = links[node, NODE_SKIP]
            continue
        first = links[node, NODE_FIRST]
        for k in range(first, first + links[node, NODE_COUNT]):
            t = cast_triangle(triangles[k], origin, direction, best)
            if t >= 0.0 and (t < best or found < 0):
                best, found = t, k
        node += 1
    return best, found


@inline_kernel
def boxes_touch(box, low, high):
    return (
        box[0] <= high[0]
        and box[3] >= low[0]
        and box[1] <= high[1]
        and box[4] >= low[1]
        and box[2] <= high[2]
        and box[5] >= low[2]
    )


@inline_kernel
def triangle_touches(row, low, high):
    """True if the triangle's bounding box touches the box."""
    for k in range(3):
        if max(row[k], max(row[3 + k], row[6 + k])) < low[k] or min(row[k], min(row[3 + k], row[6 + k])) > high[k]:
            return False
    return True


@inline_kernel
def nearby_meshes(ground, low, high, out, out_ids, count, capacity):
    """Append the mesh triangles whose bounding boxes touch the box; returns the new count."""
    boxes, links, triangles = ground.node_box, ground.node_link, ground.triangles
    offset = np.int64(ground.frame[TERRAIN_TRIANGLES])
    node, node_count = 0, len(links)
    while node < node_count:
        if not boxes_touch(boxes[node], low, high):
            node = links[node, NODE_SKIP]
            continue
        first = links[node, NODE_FIRST]
        for k in range(first, first + links[node, NODE_COUNT]):
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
