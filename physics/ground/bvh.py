"""A bounding volume hierarchy over triangles, stored depth first.

Nodes are split by the surface area heuristic (MacDonald and Booth 1990), which isolates distant objects early.

Equal triangles give a bit-identical tree, as sorting is stable. The boxes are larger than their triangles by
BOX_MARGIN, so that despite rounding the ray's slab test never misses a triangle that lies in a face of its box.
"""

from typing import Any

import numpy as np

from driving_sandbox.physics.ground.arrays import NODE_COUNT, NODE_FIRST, NODE_SKIP

SWEEP_SIZE = 64  # triangles; smaller nodes are not split by cost but halved along their longest side: faster, as good
LEAF_SIZE = 4  # triangles; 2 to 8 are equally fast for rays of a metre
BOX_MARGIN = 1e-6  # m; far above the rounding of coordinates up to 100 km, far below any feature


def sweep_cost(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """[n]: half the surface area of the box around the first k triangles, times k, for k = 1 .. n.

    low, high: [n, 3], corners of each triangle's box, m.
    """
    size = np.maximum.accumulate(high) - np.minimum.accumulate(low)
    area = size[:, 0] * size[:, 1] + size[:, 1] * size[:, 2] + size[:, 2] * size[:, 0]
    return area * np.arange(1, len(area) + 1)


def split(part: np.ndarray, low: np.ndarray, high: np.ndarray, middle: np.ndarray) -> tuple[np.ndarray, int]:
    """(triangles of a node in a new order, number of them in the first child): the cheapest split of all three axes.

    part: indices of the node's triangles.
    low, high, middle: [n, 3], corners and centre of every triangle's box, m.
    """
    # (cost, the node's triangles sorted along the best axis, number in the first child)
    cheapest: tuple[Any, np.ndarray, int] | None = None
    for axis in range(3):
        sorted_part = part[np.argsort(middle[part, axis], kind="stable")]
        lows, highs = low[sorted_part], high[sorted_part]
        cost = sweep_cost(lows, highs)[:-1] + sweep_cost(lows[::-1], highs[::-1])[::-1][1:]
        cheapest_index = int(np.argmin(cost))
        if cheapest is None or cost[cheapest_index] < cheapest[0]:
            cheapest = (cost[cheapest_index], sorted_part, cheapest_index + 1)
    assert cheapest is not None
    return cheapest[1], cheapest[2]


def subtree_sizes() -> np.ndarray:
    """int64[SWEEP_SIZE]: number of nodes of a subtree of n triangles; nodes this small are always halved."""
    count = np.ones(SWEEP_SIZE, dtype=np.int64)
    for n in range(LEAF_SIZE + 1, SWEEP_SIZE):
        count[n] = 1 + count[n // 2] + count[n - n // 2]
    return count


def children(
    row: np.ndarray, first: np.ndarray, count: np.ndarray, sizes: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(row, first, count) of the two halves of each node; arguments as for `halve`. sizes: of `subtree_sizes`."""
    half = count // 2
    rows = np.concatenate([row + 1, row + 1 + sizes[half]])
    return rows, np.concatenate([first, first + half]), np.concatenate([half, count - half])


def halve(
    row: np.ndarray, first: np.ndarray, count: np.ndarray, order: np.ndarray, low: np.ndarray, high: np.ndarray,
    middle: np.ndarray, boxes: np.ndarray, links: np.ndarray,
) -> None:  # fmt: skip
    """Write the subtrees of all small nodes, level by level for all at once; sorts their parts of `order`.

    Args:
        row: row of each node in `boxes` and `links`.
        first: index in `order` of each node's first triangle.
        count: number of each node's triangles.
        order: triangles, leaf by leaf; rearranged here.
        low, high, middle: corners of each triangle's box, and its centre, m.
        boxes, links: [n, 6] and [n, 3], the tree's node_box and node_link, of which the nodes' rows are written.
    """
    sizes = subtree_sizes()
    while len(row):
        starts = np.cumsum(count) - count
        node = np.repeat(np.arange(len(row)), count)
        indices = np.arange(len(node)) + (first - starts)[node]
        part = order[indices]
        boxes[row, :3] = np.minimum.reduceat(low[part], starts)
        boxes[row, 3:] = np.maximum.reduceat(high[part], starts)
        links[row, NODE_SKIP], links[row, NODE_FIRST] = row + sizes[count], first
        leaf = count <= LEAF_SIZE
        links[row[leaf], NODE_COUNT] = count[leaf]
        centres = middle[part]
        spread = np.maximum.reduceat(centres, starts) - np.minimum.reduceat(centres, starts)
        coordinate = centres[np.arange(len(node)), np.argmax(spread, axis=1)[node]]  # along the longest side
        open_node = ~leaf[node]
        rearranged = part[np.lexsort((coordinate, node))]
        order[indices[open_node]] = rearranged[open_node]
        row, first, count = children(row[~leaf], first[~leaf], count[~leaf], sizes)


def build_bvh(corners: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(order, node_box float64[n, 6], node_link int32[n, 3]) of triangles given as corners[triangle, vertex, xyz].

    `order` lists the triangles leaf by leaf: NODE_FIRST and NODE_COUNT are indices into it.
    """
    if not len(corners):
        return np.zeros(0, dtype=np.int64), np.zeros((0, 6)), np.zeros((0, 3), dtype=np.int32)
    low, high = corners.min(axis=1) - BOX_MARGIN, corners.max(axis=1) + BOX_MARGIN
    middle = 0.5 * (low + high)
    # small: (row, first triangle, number of triangles) of the subtrees left to `halve`
    # large: [row, skip, first triangle, box] of the larger nodes
    sizes, small, parts = subtree_sizes(), [], []  # parts: triangles of the small subtrees
    large: list[list[Any]] = []
    placed = rows = 0  # triangles and rows assigned so far
    waiting = [np.arange(len(corners))]  # the left child is taken next, so rows come out depth first
    open_inner: list[tuple[int, int]] = []  # (index in large, nodes still waiting when its subtree is done)
    while waiting:
        while open_inner and len(waiting) == open_inner[-1][1]:
            large[open_inner.pop()[0]][1] = rows
        part = waiting.pop()
        if len(part) < SWEEP_SIZE:
            small.append((rows, placed, len(part)))
            parts.append(part)
            placed, rows = placed + len(part), rows + int(sizes[len(part)])
            continue
        open_inner.append((len(large), len(waiting)))
        box = np.concatenate([low[part].min(axis=0), high[part].max(axis=0)])
        large.append([rows, 0, placed, box])
        rows += 1
        part, half = split(part, low, high, middle)
        waiting.extend((part[half:], part[:half]))
    for index, _ in open_inner:
        large[index][1] = rows
    order, boxes, links = np.concatenate(parts), np.zeros((rows, 6)), np.zeros((rows, 3), dtype=np.int32)
    for row, skip, first, box in large:
        boxes[row], links[row] = box, (skip, first, 0)
    nodes, firsts, counts = np.array(small).T
    halve(nodes, firsts, counts, order, low, high, middle, boxes, links)
    return order, boxes, links
