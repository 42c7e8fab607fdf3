"""A bounding volume hierarchy over triangles, stored depth first.

A node is split where the boxes of both sides, by area times number of triangles, are smallest (surface area heuristic,
MacDonald and Booth 1990): single things far apart then get boxes of their own early.

Equal input gives equal bytes: the sort is stable, ties keep their order. The boxes are larger than their triangles by
BOX_MARGIN, so that rounding in the ray's slab test never misses a triangle that lies in a face of its box.
"""

import numpy as np

from physics.road.layout import NODE_COUNT, NODE_FIRST, NODE_SKIP

SWEEP_SIZE = 64  # triangles; smaller nodes are halved along their longest side, which is as good and quicker
LEAF_SIZE = 4  # triangles; 2 to 8 are equally fast for rays of a metre
BOX_MARGIN = 1e-6  # m; far above the rounding of coordinates up to 100 km, far below any feature


def sweep_cost(low, high):
    """Area of the box around the first k triangles times k, for k = 1 .. n."""
    size = np.maximum.accumulate(high) - np.minimum.accumulate(low)
    area = size[:, 0] * size[:, 1] + size[:, 1] * size[:, 2] + size[:, 2] * size[:, 0]
    return area * np.arange(1, len(area) + 1)


def split(part, low, high, middle):
    """(triangles in a new order, how many go to the first child)."""
    if len(part) < SWEEP_SIZE:
        spread = middle[part].max(axis=0) - middle[part].min(axis=0)
        return part[np.argsort(middle[part, int(np.argmax(spread))], kind="stable")], len(part) // 2
    best = None
    for axis in range(3):
        sorted_part = part[np.argsort(middle[part, axis], kind="stable")]
        a, b = low[sorted_part], high[sorted_part]
        cost = sweep_cost(a, b)[:-1] + sweep_cost(a[::-1], b[::-1])[::-1][1:]
        at = int(np.argmin(cost))
        if best is None or cost[at] < best[0]:
            best = (cost[at], sorted_part, at + 1)
    return best[1], best[2]


def build_bvh(corners):
    """(order, node_box float64[n, 6], node_link int32[n, 3]) over corners[triangle, vertex, xyz].

    `order` lists the triangles leaf by leaf: NODE_FIRST and NODE_COUNT are places in it.
    """
    if not len(corners):
        return np.zeros(0, dtype=np.int64), np.zeros((0, 6)), np.zeros((0, 3), dtype=np.int32)
    low, high = corners.min(axis=1) - BOX_MARGIN, corners.max(axis=1) + BOX_MARGIN
    middle = 0.5 * (low + high)
    boxes, links, order, placed = [], [], [], 0
    waiting = [np.arange(len(corners))]  # the left child is taken next, so rows come out depth first
    open_inner = []  # (row, nodes still waiting when its subtree is done)
    while waiting:
        while open_inner and len(waiting) == open_inner[-1][1]:
            links[open_inner.pop()[0]][NODE_SKIP] = len(boxes)
        part = waiting.pop()
        row = len(boxes)
        boxes.append(np.concatenate([low[part].min(axis=0), high[part].max(axis=0)]))
        link = [row + 1, placed, 0]
        links.append(link)
        if len(part) <= LEAF_SIZE:
            link[NODE_FIRST], link[NODE_COUNT] = placed, len(part)
            order.append(part)
            placed += len(part)
            continue
        open_inner.append((row, len(waiting)))
        part, half = split(part, low, high, middle)
        waiting.extend((part[half:], part[:half]))
    for row, _ in open_inner:
        links[row][NODE_SKIP] = len(boxes)
    return np.concatenate(order), np.array(boxes), np.array(links, dtype=np.int32)
