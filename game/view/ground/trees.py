"""Trees as scenery: scattered in groups over grass away from roads, merged into a few large meshes.

The physics has no trees, so they keep `CLEARANCE` from everything that is not grass. The foliage of a broad-leaved tree
is a cloud of leaf cards (textured quads) in balls at the ends of its branches, with normals that point away from the
ball's centre and from the middle of the crown. A conifer's foliage is drooping boughs along a spiral around the trunk.
The alpha of leaves.png (assets/build/foliage.py) cuts the leaves out of the cards. The same world at the same quality
level always gets the same trees. Shapes and colours are chosen by eye.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from panda3d.core import GeomNode, LODNode, NodePath

from driving_sandbox.game.view.gl.geometry import joined, still_mesh

Tree = tuple[np.ndarray, np.ndarray, int]  # rows, triangles, index of the first row of foliage
CLEARANCE = 14.0  # m from any ground that is not grass
MAX_SLOPE = 0.45  # slope of the ground, m per m, up to which trees grow
BLOCK = 256.0  # m, side of the area whose trees are one mesh
# As in mesh.vert: the layer value of leaves, which falls by CORNER_STEP per corner number.
LEAF_LAYER, CORNER_STEP = -3.0, 0.1
LEAF_CORNERS, BOUGH_CORNERS = np.arange(1, 5), np.arange(5, 9)  # corner numbers in leaf.glsl, which sets their uv
BARK = (0.060, 0.047, 0.036)  # albedo
SHARE_CONIFER, SHARE_BUSH = 0.32, 0.22  # shares of all trees; the others are broad-leaved
AUTUMN = 0.16  # share of broad-leaved trees and bushes with autumn colours
HEIGHTS = (5.0, 11.0), (6.0, 14.0), (0.9, 2.4)  # m, ranges of broad-leaved trees, conifers, bushes
VISIBLE = 900.0  # m, draw distance: to the block's middle, or to each tree if trees rise (see `plant`)
RISEN = 760.0  # m; where trees rise, nearer ones have full height and farther ones sink, entirely at VISIBLE
GOLDEN_ANGLE = 2.39996  # rad between successive branches, as leaves grow around a stem


def _cards(centres: np.ndarray, sizes: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """[n, 4, 3] corners of randomly oriented squares, from their centres [n, 3] and half widths [n], m."""
    axes = random.normal(size=(len(centres), 2, 3))
    u = axes[:, 0] / np.linalg.norm(axes[:, 0], axis=1, keepdims=True)
    v = np.cross(u, axes[:, 1])
    v /= np.linalg.norm(v, axis=1, keepdims=True)
    u, v = u * sizes[:, None], v * sizes[:, None]
    return np.stack([centres - u - v, centres + u - v, centres + u + v, centres - u + v], axis=1)


def _rows(points: np.ndarray, normals: np.ndarray, colours: np.ndarray, corner: np.ndarray | int = 0) -> np.ndarray:
    """Rows of the vertex format: position, normal, colour, layer.

    Args:
        corner: number of the vertex in a leaf card (1 to 4) or in a bough (5 to 8); 0 in bark.
    """
    rows = np.empty((len(points), 10), np.float32)
    rows[:, :3], rows[:, 3:6], rows[:, 6:9] = points, normals, colours
    rows[:, 9] = LEAF_LAYER - CORNER_STEP * np.resize(corner, len(points))
    return rows


def _branch(
    low: tuple[float, ...], high: tuple[float, ...], radius: float, taper: float, sides: int = 5
) -> tuple[np.ndarray, np.ndarray]:
    """(rows, triangles) of a truncated cone of bark from `low` to `high`.

    Args:
        radius: radius at the lower end, m.
        taper: radius at the upper end divided by that at the lower end.
        sides: number of side faces.
    """
    angle = np.arange(sides) * 2 * np.pi / sides
    ring = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=-1)
    points = np.concatenate([ring * radius + low, ring * radius * taper + high])
    k = np.arange(sides)
    after = (k + 1) % sides
    quads = np.stack([k, after, after + sides, k, after + sides, k + sides], axis=-1)
    return _rows(points, np.concatenate([ring, ring]), np.tile(BARK, (2 * sides, 1))), quads.reshape(-1, 3)


def _quads(count: int) -> np.ndarray:
    """[2 count, 3] triangles of quads of four consecutive vertices each."""
    first = np.arange(count) * 4
    return np.stack([first, first + 1, first + 2, first, first + 2, first + 3], axis=-1).reshape(-1, 3)


def _crown(
    balls: np.ndarray, random: np.random.Generator, count: int, size: float, middle: float
) -> tuple[np.ndarray, np.ndarray]:
    """(rows, triangles) of `count` leaf cards in balls (x, y, z, radius), darker inside the balls and lower down.

    Args:
        size: mean half width of a card, m, when `count` is 190; scales with 1 / sqrt(count).
        middle: height of a point on the tree's axis, m; normals point away from it and from the centre of the ball.
    """
    share = balls[:, 3] ** 2 / (balls[:, 3] ** 2).sum()  # of the cards in each ball, in proportion to its surface
    pick = random.choice(len(balls), count, p=share)  # the ball of each card
    direction = random.normal(size=(count, 3))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    reach = random.uniform(0.30, 1.0, count) ** 0.5  # distance from the ball's centre, in radii
    centres = balls[pick, :3] + direction * (balls[pick, 3] * reach)[:, None]
    sizes = random.uniform(0.75, 1.25, count) * size * np.sqrt(190 / count)
    low, high = balls[:, 2].min() - 0.2, balls[:, 2].max() + 0.2
    shade = (0.45 + 0.55 * reach) * np.clip(0.55 + 0.6 * (centres[:, 2] - low) / (high - low), 0.5, 1.1)
    # linear albedo of leaves, varied from card to card
    colours = np.array([0.064, 0.084, 0.019]) * shade[:, None] * random.uniform(0.75, 1.3, (count, 1))
    points = _cards(centres, sizes, random)  # normals vary across a card, so that it doesn't look flat
    outward = 1.2 * (points - balls[pick, None, :3]) / balls[pick, 3, None, None] + (points - [0, 0, middle]) / 0.4
    outward = (outward + random.normal(size=(count, 1, 3)) * 0.25).reshape(-1, 3)
    outward /= np.linalg.norm(outward, axis=1, keepdims=True)
    return _rows(points.reshape(-1, 3), outward, np.repeat(colours, 4, axis=0), LEAF_CORNERS), _quads(count)


def broadleaf(random: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """(rows, triangles) of a broad-leaved tree about 1 m high: a trunk, six branches, and `count` leaf cards in balls
    at the ends of trunk and branches."""
    slender = random.uniform(0.7, 1.15)
    balls, parts = [(0.0, 0.0, 0.78, 0.19)], [_branch((0, 0, 0), (0, 0, 0.62), radius=0.026, taper=0.45)]
    first_angle = random.uniform(0, 2 * np.pi)
    for k in range(6):  # branches from the lowest to the highest, longest near the height 0.55
        around, height = first_angle + k * GOLDEN_ANGLE, 0.46 + 0.055 * k + random.uniform(-0.04, 0.04)
        reach = slender * random.uniform(0.15, 0.24) * (1.15 - 0.5 * abs(height - 0.55) / 0.25)
        end = (reach * np.cos(around), reach * np.sin(around), height)
        balls.append((*end, random.uniform(0.125, 0.18)))
        parts.append(_branch((0, 0, 0.28 + 0.04 * k), end, radius=0.012, taper=0.4, sides=3))
    return joined([*parts, _crown(np.array(balls), random, count, size=0.060, middle=0.50)])


def bush(random: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """(rows, triangles) of a bush about 1 m high and 1.7 m wide: count / 3 leaf cards, at least 24, in five balls."""
    balls = [(0.45 * np.cos(a), 0.45 * np.sin(a), random.uniform(0.30, 0.48), random.uniform(0.30, 0.42))
             for a in random.uniform(0, 2 * np.pi) + np.arange(4) * 1.6]  # fmt: skip
    return _crown(
        np.array([(0.0, 0.0, 0.52, 0.42), *balls]),
        random,
        max(24, count // 3),
        size=0.17 / np.sqrt(3.0),
        middle=0.1,
    )


def conifer(random: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """(rows, triangles) of a conifer about 1 m high: a trunk and `count` drooping boughs, each a kite-shaped quad."""
    share = (np.arange(count) + 0.5) / count  # from the lowest bough to the tip
    height = 0.07 + 0.88 * share**0.85
    reach = (0.26 * (1 - share) ** 0.85 + 0.024) * random.uniform(0.55, 1.2, count)  # horizontal length of each bough
    angle = np.arange(count) * GOLDEN_ANGLE + random.uniform(-0.3, 0.3, count)
    radial = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=-1)
    tangent = np.stack([-np.sin(angle), np.cos(angle), 0 * angle], axis=-1)
    up = np.array([0.0, 0.0, 1.0])
    width, droop = (0.36 * reach + 0.014)[:, None], (reach * random.uniform(0.18, 0.48, count))[:, None]
    tangent = tangent + up * random.uniform(-0.45, 0.45, (count, 1))  # tilts the bough about its own axis
    # corners of the kite: root and tip, and in between two that hang down at both sides of the bend
    root = height[:, None] * up + radial * 0.006 + 0.045 * (1.15 - share)[:, None] * up
    bend = root + radial * (0.58 * reach)[:, None] - up * (0.35 * droop)
    tip = root + radial * reach[:, None] - up * (droop + 0.02)
    hang = bend - up * droop * 0.5
    points = np.stack([root, hang - tangent * width, tip, hang + tangent * width], axis=1)
    outward = radial[:, None] * np.array([0.3, 0.8, 1.0, 0.8])[None, :, None] + up * 0.55
    outward = outward + tangent[:, None] * np.array([0, -0.6, 0, 0.6])[None, :, None]
    outward /= np.linalg.norm(outward, axis=-1, keepdims=True)
    light = random.uniform(0.6, 1.4, count) * (0.75 + 0.35 * share)
    shade = light[:, None] * np.array([0.35, 0.90, 1.25, 0.90])  # dark at the root, light at the tip
    colours = np.array([0.040, 0.058, 0.022]) * shade[..., None]  # linear albedo
    boughs = _rows(points.reshape(-1, 3), outward.reshape(-1, 3), colours.reshape(-1, 3), BOUGH_CORNERS)
    return joined([_branch((0, 0, 0), (0, 0, 0.93), radius=0.018, taper=0.15), (boughs, _quads(count))])


def tree_positions(
    heights: np.ndarray, origin: tuple[float, float], cell: float, is_grass: np.ndarray, count: int, seed: int = 11
) -> np.ndarray:
    """Positions of at most `count` trees, [n, 3], m, 15 cm below the ground's surface.

    The trees stand in groups, on grass that is not steep, at least CLEARANCE from anything else.

    Args:
        heights: [rows, columns] heights of the ground's samples, m.
        origin: (x, y) of the first sample, m.
        cell: spacing of the samples, m.
        is_grass: [rows, columns] whether each cell of the ground is grass.
    """
    random = np.random.default_rng(seed)
    rows, columns = is_grass.shape
    merged = max(1, min(rows, columns) // 512)  # in a large field, so many cells per side count as one
    whole = is_grass[: rows // merged * merged, : columns // merged * merged]
    all_grass = np.all(whole.reshape(rows // merged, merged, columns // merged, merged), axis=(1, 3))
    clear = _eroded(all_grass, max(1, int(np.ceil(CLEARANCE / (cell * merged)))))
    rows, columns = clear.shape[0] * merged, clear.shape[1] * merged
    # about seven trees for each group, scattered by 22 m (standard deviation); three candidates for each tree
    groups = random.uniform((0, 0), (columns, rows), (max(1, count // 7), 2))
    spots = groups[random.integers(0, len(groups), count * 3)] + random.normal(size=(count * 3, 2)) * 22.0 / cell
    i, j = spots[:, 0].astype(int), spots[:, 1].astype(int)
    within = (i >= 1) & (j >= 1) & (i < columns - 1) & (j < rows - 1)
    spots, i, j = spots[within], i[within], j[within]
    slope = np.hypot(heights[j, i + 1] - heights[j, i - 1], heights[j + 1, i] - heights[j - 1, i]) / (2 * cell)
    suitable = clear[j // merged, i // merged] & (slope < MAX_SLOPE)
    spots, i, j = spots[suitable][:count], i[suitable][:count], j[suitable][:count]
    foot = np.stack([origin[0] + spots[:, 0] * cell, origin[1] + spots[:, 1] * cell, heights[j, i] - 0.15], axis=-1)
    return foot.astype(float)


def _eroded(mask: np.ndarray, reach: int) -> np.ndarray:
    """Whether all cells within `reach` cells of each cell are true, [rows, columns], by a summed-area table."""
    padded = np.pad(mask.astype(np.int32), reach)
    table = np.pad(padded.cumsum(0).cumsum(1), ((1, 0), (1, 0)))
    side = 2 * reach + 1
    total = table[side:, side:] - table[:-side, side:] - table[side:, :-side] + table[:-side, :-side]
    return total == side * side


def plant(foot: np.ndarray, leaves: int, rising: bool = False, seed: int = 12) -> NodePath:
    """Node with trees at the points `foot` ([n, 3], m), one mesh per block.

    Args:
        leaves: cards per broad-leaved tree, and boughs per conifer; the fewer the cards, the larger each.
        rising: whether the shader lets trees rise out of the ground as the camera comes nearer. A block is then drawn
            from so far away that none of its trees within VISIBLE is missing.
    """
    random = np.random.default_rng(seed)
    species = ((broadleaf, 5), (conifer, 3), (bush, 3))  # (function, number of different trees)
    kinds = [[_with_bark_count(*make(random, leaves)) for _ in range(count)] for make, count in species]
    root = NodePath("trees")
    blocks: dict[tuple[int, int], list] = {}
    for point in foot:
        blocks.setdefault((int(point[0] // BLOCK), int(point[1] // BLOCK)), []).append(point)
    for key in sorted(blocks):
        points = blocks[key]
        lod = LODNode(f"trees {key[0]} {key[1]}")
        middle = np.mean(points, axis=0)
        lod.setCenter(tuple(float(v) for v in middle))
        extra = np.linalg.norm(points - middle, axis=1).max() if rising else 0.0
        lod.addSwitch(VISIBLE + float(extra), 0.0)
        root.attachNewNode(lod).attachNewNode(_block(points, kinds, random))
    return root


def _with_bark_count(rows: np.ndarray, triangles: np.ndarray) -> Tree:
    """(rows, triangles, number of rows that are bark; the rows of leaves follow them)."""
    return rows, triangles, int(np.count_nonzero(rows[:, 9] > LEAF_LAYER - 0.5 * CORNER_STEP))


def _size_and_tint(kind: int, random: np.random.Generator) -> tuple[float, np.ndarray]:
    """Height in m and tint of a tree of this kind (0 broad-leaved, 1 conifer, 2 bush)."""
    height = random.uniform(*HEIGHTS[kind])
    tone = random.uniform(0.8, 1.25)  # brightness
    if kind != 1 and random.uniform() < AUTUMN:
        return height, tone * np.array(((3.4, 1.25, 0.6), (2.7, 1.7, 0.7))[int(random.integers(2))])
    return height, tone * (1.0 + np.array([0.35, 0.12, 0.0]) * random.uniform(-0.6, 1.0))


def _block(points: Sequence[np.ndarray], kinds: Sequence[Sequence[Tree]], random: np.random.Generator) -> GeomNode:
    """Node with one mesh of all trees of a block, each of a random kind, size, tint and rotation.

    Args:
        kinds: for each kind a list of (rows, triangles, first row of the foliage).
    """
    rows, indices, start = [], [], 0
    for point in points:
        chance = random.uniform()
        kind = 1 if chance < SHARE_CONIFER else 2 if chance < SHARE_CONIFER + SHARE_BUSH else 0
        tree, triangles, first_leaf = kinds[kind][int(random.integers(len(kinds[kind])))]
        (height, tint), azimuth = _size_and_tint(kind, random), random.uniform(0, 2 * np.pi)
        cosine, sine = np.cos(azimuth), np.sin(azimuth)
        rotation = np.array([[cosine, -sine, 0], [sine, cosine, 0], [0, 0, 1]], np.float32)
        placed = tree.copy()
        placed[:, :3] = tree[:, :3] @ rotation.T * height + point
        placed[:, 3:6] = tree[:, 3:6] @ rotation.T
        placed[first_leaf:, 6:9] *= tint
        rows.append(placed)
        indices.append(triangles + start)
        start += len(placed)
    node = GeomNode("trees")
    node.addGeom(still_mesh(np.concatenate(rows), np.concatenate(indices), "vertex", "normal", "look"))
    return node
