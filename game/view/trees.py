"""Trees as scenery: scattered over grass away from roads, in groups, merged into a few large meshes.

Scenery only: they stand where nobody is meant to drive and physics does not know them, so they keep
`CLEARANCE` from everything paved. A broad-leaved tree is a cloud of leaf quads with normals pointing away from the
crown's middle, a conifer a stack of ragged cones; both plain triangles, no alpha. Placement is a fixed function of
the world's arrays.
"""

from __future__ import annotations

import numpy as np
from panda3d.core import GeomNode, LODNode, NodePath

from game.view.geometry import mesh

CLEARANCE = 14.0  # m from paved or loose road surfaces
STEEPEST = 0.45  # slope that still carries trees
BLOCK = 256.0  # m; one mesh per block
LEAVES = {"high": 190, "low": 96}  # of a broad-leaved tree; fewer are larger
LEAF_LAYER = -3.0  # as in mesh.frag
SHARE_CONIFER = 0.35
VISIBLE = 900.0  # m from a block's middle


def _quads(centres: np.ndarray, sizes: np.ndarray, random) -> np.ndarray:
    """(n, 4, 3) randomly turned quads."""
    axes = random.normal(size=(len(centres), 2, 3))
    u = axes[:, 0] / np.linalg.norm(axes[:, 0], axis=1, keepdims=True)
    v = np.cross(u, axes[:, 1])
    v /= np.linalg.norm(v, axis=1, keepdims=True)
    u, v = u * sizes[:, None], v * sizes[:, None] * 0.75
    return np.stack([centres - u, centres - v, centres + u, centres + v], axis=1)


def _rows(points: np.ndarray, normals: np.ndarray, colours: np.ndarray) -> np.ndarray:
    rows = np.full((len(points), 10), LEAF_LAYER, np.float32)
    rows[:, :3], rows[:, 3:6], rows[:, 6:9] = points, normals, colours
    return rows


def _trunk(height: float, radius: float) -> tuple[np.ndarray, np.ndarray]:
    angle = np.arange(5) * 2 * np.pi / 5
    ring = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=-1)
    points = np.concatenate([ring * radius, ring * radius * 0.6 + (0, 0, height)])
    k = np.arange(5)
    quads = np.stack([k, (k + 1) % 5, (k + 1) % 5 + 5, k, (k + 1) % 5 + 5, k + 5], axis=-1)
    colours = np.tile([0.06, 0.045, 0.032], (10, 1))
    return _rows(points, np.concatenate([ring, ring]), colours), quads.reshape(-1, 3)


def broadleaf(random, count: int) -> tuple[np.ndarray, np.ndarray]:
    """A tree 1 m high: trunk and three overlapping balls of leaves, darker inside and below."""
    trunk, trunk_triangles = _trunk(0.45, 0.028)
    balls = np.array([[0, 0, 0.66, 0.30], [0.15, 0.08, 0.52, 0.22], [-0.14, -0.06, 0.55, 0.23]])
    pick = random.integers(0, 3, count)
    direction = random.normal(size=(count, 3))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    reach = random.uniform(0.45, 1.0, count) ** 0.5
    centres = balls[pick, :3] + direction * (balls[pick, 3] * reach)[:, None]
    points = _quads(centres, random.uniform(0.065, 0.115, count) * np.sqrt(190 / count), random)
    shade = (0.35 + 0.65 * reach) * np.clip(0.55 + 0.9 * (centres[:, 2] - 0.3), 0.4, 1.1)
    colours = np.array([0.058, 0.080, 0.020]) * shade[:, None] * random.uniform(0.8, 1.25, (count, 1))
    outward = centres - [0, 0, 0.55]
    outward = outward / np.linalg.norm(outward, axis=1, keepdims=True)
    leaves = _rows(points.reshape(-1, 3), np.repeat(outward, 4, axis=0), np.repeat(colours, 4, axis=0))
    first = len(trunk) + np.arange(count) * 4
    quads = np.stack([first, first + 1, first + 2, first, first + 2, first + 3], axis=-1).reshape(-1, 3)
    return np.concatenate([trunk, leaves]), np.concatenate([trunk_triangles, quads])


def conifer(random) -> tuple[np.ndarray, np.ndarray]:
    """A tree 1 m high: a trunk and seven ragged skirts."""
    trunk, trunk_triangles = _trunk(0.2, 0.018)
    parts, indices, start = [trunk], [trunk_triangles], len(trunk)
    around = 11
    for level in np.linspace(0.0, 1.0, 7):
        low, radius = 0.10 + 0.74 * level, 0.21 * (1 - level) + 0.035
        angle = (np.arange(around) + random.uniform()) * 2 * np.pi / around
        rim = radius * random.uniform(0.68, 1.12, around)
        ring = np.stack([rim * np.cos(angle), rim * np.sin(angle), low - 0.03 * random.uniform(0, 1, around)], axis=-1)
        points = np.concatenate([ring, [[0, 0, low + 0.24 * (1 - 0.45 * level)]]])
        outward = np.concatenate([np.stack([np.cos(angle), np.sin(angle), 0.5 + 0 * angle], axis=-1), [[0, 0, 1.0]]])
        outward /= np.linalg.norm(outward, axis=1, keepdims=True)
        shade = np.append(random.uniform(0.7, 1.15, around), 0.5)
        parts.append(_rows(points, outward, np.array([0.026, 0.046, 0.020]) * shade[:, None]))
        k = np.arange(around)
        indices.append(np.stack([k, (k + 1) % around, np.full(around, around)], axis=-1) + start)
        start += around + 1
    return np.concatenate(parts), np.concatenate(indices)


def places(heights, origin, cell, is_grass: np.ndarray, count: int, seed: int = 11) -> np.ndarray:
    """(n, 3) foot points: clustered, on gentle grass, `CLEARANCE` from anything else."""
    random = np.random.default_rng(seed)
    rows, columns = is_grass.shape
    merged = max(1, min(rows, columns) // 512)  # cells a side taken as one: a large field needs no finer answer
    whole = is_grass[:rows // merged * merged, :columns // merged * merged]
    whole = whole.reshape(rows // merged, merged, columns // merged, merged).all(axis=(1, 3))
    free = _eroded(whole, max(1, int(np.ceil(CLEARANCE / (cell * merged)))))
    rows, columns = free.shape[0] * merged, free.shape[1] * merged
    groups = random.uniform((0, 0), (columns, rows), (max(1, count // 7), 2))
    spots = groups[random.integers(0, len(groups), count * 3)] + random.normal(size=(count * 3, 2)) * 22.0 / cell
    i, j = spots[:, 0].astype(int), spots[:, 1].astype(int)
    fits = (i >= 1) & (j >= 1) & (i < columns - 1) & (j < rows - 1)
    spots, i, j = spots[fits], i[fits], j[fits]
    slope = np.hypot(heights[j, i + 1] - heights[j, i - 1], heights[j + 1, i] - heights[j - 1, i]) / (2 * cell)
    good = free[j // merged, i // merged] & (slope < STEEPEST)
    spots, i, j = spots[good][:count], i[good][:count], j[good][:count]
    foot = np.stack([origin[0] + spots[:, 0] * cell, origin[1] + spots[:, 1] * cell, heights[j, i] - 0.15], axis=-1)
    return foot.astype(float)


def _eroded(mask: np.ndarray, reach: int) -> np.ndarray:
    """True where the square of `reach` cells around is all true, by a summed-area table."""
    padded = np.pad(mask.astype(np.int32), reach)
    table = np.pad(padded.cumsum(0).cumsum(1), ((1, 0), (1, 0)))
    side = 2 * reach + 1
    total = table[side:, side:] - table[:-side, side:] - table[side:, :-side] + table[:-side, :-side]
    return total == side * side


def plant(foot: np.ndarray, quality: str = "high", seed: int = 12) -> NodePath:
    """Trees at these points, one mesh per block."""
    random = np.random.default_rng(seed)
    broad, cone = [broadleaf(random, LEAVES[quality]) for _ in range(4)], [conifer(random) for _ in range(3)]
    root = NodePath("trees")
    blocks: dict[tuple[int, int], list] = {}
    for point in foot:
        blocks.setdefault((int(point[0] // BLOCK), int(point[1] // BLOCK)), []).append(point)
    for key in sorted(blocks):
        points = blocks[key]
        lod = LODNode(f"trees {key[0]} {key[1]}")
        middle = np.mean(points, axis=0)
        lod.setCenter(tuple(float(v) for v in middle))
        lod.addSwitch(VISIBLE, 0.0)
        root.attachNewNode(lod).attachNewNode(_block(points, broad, cone, random))
    return root


def _block(points, broad, cone, random) -> GeomNode:
    rows, indices, start = [], [], 0
    for point in points:
        kind = cone if random.uniform() < SHARE_CONIFER else broad
        tree, triangles = kind[random.integers(len(kind))]
        height, turn = random.uniform(5.0, 11.0) * (1.25 if kind is cone else 1.0), random.uniform(0, 2 * np.pi)
        cosine, sine = np.cos(turn), np.sin(turn)
        spin = np.array([[cosine, -sine, 0], [sine, cosine, 0], [0, 0, 1]], np.float32)
        placed = tree.copy()
        placed[:, :3] = tree[:, :3] @ spin.T * height + point
        placed[:, 3:6] = tree[:, 3:6] @ spin.T
        autumn = random.uniform() < 0.14 and kind is broad
        placed[:, 6:9] *= np.array([3.2, 1.2, 0.6]) if autumn else random.uniform(0.8, 1.25)
        rows.append(placed)
        indices.append(triangles + start)
        start += len(placed)
    node = GeomNode("trees")
    node.addGeom(mesh(np.concatenate(rows), np.concatenate(indices), "vertex", "normal", "look"))
    return node
