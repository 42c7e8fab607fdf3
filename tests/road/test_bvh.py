"""The bounding volume hierarchy is equal to one built by plain recursion: order, boxes and links."""

import numpy as np
import pytest

from driving_sandbox.physics.ground.bvh import BOX_MARGIN, LEAF_SIZE, SWEEP_SIZE, build_bvh, split


def build_recursively(part, low, high, middle, first, boxes, links):
    """Triangles of a part in leaf order; appends the boxes and links of its subtree, one node at a time.

    part: indices of triangles. low, high, middle: [triangles, 3] of the boxes of all. first: place of the part's first
    triangle in leaf order. Nodes of SWEEP_SIZE or more triangles are split by the program's `split`.
    """
    row = len(boxes)
    boxes.append((*low[part].min(axis=0), *high[part].max(axis=0)))
    links.append(None)
    if len(part) <= LEAF_SIZE:
        links[row] = (row + 1, first, len(part))
        return list(part)
    if len(part) < SWEEP_SIZE:
        axis = int(np.argmax(middle[part].max(axis=0) - middle[part].min(axis=0)))
        part, half = part[np.argsort(middle[part, axis], kind="stable")], len(part) // 2
    else:
        part, half = split(part, low, high, middle)
    order = build_recursively(part[:half], low, high, middle, first, boxes, links)
    order += build_recursively(part[half:], low, high, middle, first + half, boxes, links)
    links[row] = (len(boxes), first, 0)
    return order


@pytest.mark.parametrize("count", [1, 4, 5, 9, SWEEP_SIZE - 1, SWEEP_SIZE, 200, 1500])
@pytest.mark.parametrize("kind", ["spread", "rounded", "doubled"])
def test_the_tree_equals_the_plain_recursion(count, kind):
    rng = np.random.default_rng(count)
    corners = 10.0 * rng.normal(size=(count, 1, 3)) + 0.3 * rng.normal(size=(count, 3, 3))
    if kind == "rounded":  # many ties
        corners = np.round(corners)
    elif kind == "doubled":
        corners = np.repeat(corners[: count // 3 + 1], 3, axis=0)[:count]
    order, boxes, links = build_bvh(corners)
    low, high = corners.min(axis=1) - BOX_MARGIN, corners.max(axis=1) + BOX_MARGIN
    plain_boxes, plain_links = [], []
    expected = build_recursively(np.arange(count), low, high, 0.5 * (low + high), 0, plain_boxes, plain_links)
    assert order.tolist() == expected and sorted(expected) == list(range(count))
    assert np.array_equal(boxes, plain_boxes) and np.array_equal(links, plain_links)


def test_no_triangles_give_no_tree():
    order, boxes, links = build_bvh(np.zeros((0, 3, 3)))
    assert len(order) == len(boxes) == len(links) == 0
