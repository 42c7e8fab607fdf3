"""Marker posts along painted roads: white, with a black band and reflectors, every `SPACING` metres on both sides.

They are scenery without physics: posts that the focus vehicle drives over are drawn bent flat (mesh.vert, POSTS). Posts
stand on bare ground along the road: not on asphalt, concrete or ice, not within another road, and only where the ground
is within MAX_STEP of the height of the road's edge, so not at a tunnel's walls. Each block of land has one mesh. On a
graphics card, distant posts rise out of the ground as the camera approaches, so that no block appears suddenly.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from panda3d.core import GeomNode, LODNode, NodePath

from driving_sandbox.game.session.frame import WorldView
from driving_sandbox.game.view.gl.geometry import quad_triangles, still_mesh
from driving_sandbox.game.view.gl.quality import Quality
from driving_sandbox.game.view.gl.shading import program
from driving_sandbox.game.view.gl.surfaces import ground_look
from driving_sandbox.game.view.ground.road_lines import RoadLine

SPACING = 25.0  # m along the road
ROADSIDE = 1.1  # m from the edge of the asphalt
MAX_STEP = 0.8  # m, maximum height difference between the ground at a post and the road's edge
BLOCK = 256.0  # m, side of a block for software OpenGL
WIDE_BLOCK = 2048.0  # m, the same for graphics cards, where draw calls cost more than vertices
VISIBLE = 420.0  # m, draw distance: to a block's middle, or to each post if posts rise (see `posts`)
RISEN = 330.0  # m; nearer posts have full height; at this distance a post is 0.6 pixels wide in a frame of 1920
WHITE, BLACK, AMBER = (0.62, 0.62, 0.59), (0.016, 0.016, 0.017), (0.75, 0.20, 0.015)  # albedo
HALF_WIDTH, HALF_DEPTH, HEIGHT = 0.055, 0.028, 0.95  # m
ROOT = 0.3  # m below the ground
BAND = (0.66, 0.86)  # m above the ground, ends of the black band
NO_POST_LAYERS = (3, 4, 7)  # layers of SurfaceLook on which no post stands: asphalt, concrete, ice
PLAIN_PAINT = -1.0  # layer of surfaces that have a colour only, see mesh.vert


def _post() -> tuple[np.ndarray, np.ndarray]:
    """(rows, triangles) of a post. Its x axis points across the road; -y faces a driver who follows the road's points.

    Rows: position (3), normal (3), colour (3), layer (1).
    """
    quads = []

    def face(corners: Any, normal: Sequence[float] | np.ndarray, colour: tuple[float, ...]) -> None:
        a, b, c = np.asarray(corners[:3])
        corners = corners if np.dot(np.cross(b - a, c - a), normal) > 0.0 else corners[::-1]  # counter-clockwise
        quads.append([(*corner, *normal, *colour, PLAIN_PAINT) for corner in corners])

    # four side faces for each of three bands of colour; `axis` (0: x, 1: y) is the horizontal edge of a face
    for low, high, colour in ((-ROOT, BAND[0], WHITE), (*BAND, BLACK), (BAND[1], HEIGHT, WHITE)):
        for axis, half, depth in ((0, HALF_WIDTH, HALF_DEPTH), (1, HALF_DEPTH, HALF_WIDTH)):
            for side in (-1.0, 1.0):
                corners = np.zeros((4, 3))
                corners[:, axis] = half * side * np.array([1, -1, -1, 1])
                corners[:, 1 - axis] = depth * side * (-1.0 if axis == 0 else 1.0)
                corners[:, 2] = low, low, high, high
                normal = np.zeros(3)
                normal[1 - axis] = side * (-1.0 if axis == 0 else 1.0)
                face(corners, normal, colour)
    top = [(-HALF_WIDTH, -HALF_DEPTH), (HALF_WIDTH, -HALF_DEPTH), (HALF_WIDTH, HALF_DEPTH), (-HALF_WIDTH, HALF_DEPTH)]
    face([(x, y, HEIGHT) for x, y in top], (0.0, 0.0, 1.0), WHITE)
    # reflectors, 56 mm wide and 140 mm high: amber for drivers who follow the road's points, white for the others
    for side, colour in ((-1.0, AMBER), (1.0, WHITE)):
        y = side * (HALF_DEPTH + 0.002)
        face([(-0.028, y, 0.69), (0.028, y, 0.69), (0.028, y, 0.83), (-0.028, y, 0.83)], (0.0, side, 0.0), colour)
    rows = np.array(quads, np.float32).reshape(-1, 10)
    return rows, quad_triangles(len(quads))


def post_positions(
    roads: list[RoadLine],
    heights: Callable[..., np.ndarray],
    inside: Callable[..., np.ndarray],
    excluded: Callable[..., np.ndarray],
) -> np.ndarray:
    """[n, 4] x, y, z (m) and heading (rad) of the posts along roads.

    Args:
        heights: function(x, y) of arrays -> heights of the ground, m.
        inside: function(x, y) of arrays -> distance inside a road's edge, m, negative outside.
        excluded: function(x, y) of arrays -> whether the surface is one of NO_POST_LAYERS.
    """
    rows = [np.empty((0, 4))]
    for road in roads:
        if road.mark:  # paint without a road
            continue
        step = np.linalg.norm(np.diff(road.points, axis=0), axis=1)
        distance = np.concatenate([[0.0], np.cumsum(step)])
        stations = np.arange(SPACING / 2, distance[-1], SPACING)  # m along the road
        x, y = np.interp(stations, distance, road.points[:, 0]), np.interp(stations, distance, road.points[:, 1])
        tangent = [
            np.interp(stations + 1.0, distance, c) - np.interp(stations - 1.0, distance, c) for c in road.points.T
        ]
        heading = np.arctan2(-tangent[0], tangent[1])
        for side in (-1.0, 1.0):
            right = np.cos(heading), np.sin(heading)
            # positions of the posts, and the points of the road's edge next to them
            px, py = (c + side * (road.half_width + ROADSIDE) * r for c, r in zip((x, y), right, strict=True))
            ex, ey = (c + side * road.half_width * r for c, r in zip((x, y), right, strict=True))
            z = heights(px, py)
            # a post's distance to any road's edge is at least 80 % of ROADSIDE
            suitable = (np.abs(z - heights(ex, ey)) < MAX_STEP) & (inside(px, py) < -0.8 * ROADSIDE) & ~excluded(px, py)
            rows.append(np.stack([px, py, z, heading], axis=1)[suitable])
    return np.concatenate(rows)


def posts_of(world: WorldView, lines: list[RoadLine], inside_map: np.ndarray, texel: float) -> Posts:
    """The posts along a world's roads.

    Args:
        inside_map: [rows, columns] distance inside a road's edge, m, one value every `texel` metres.
    """
    cells = world.cell_surface
    is_excluded = np.array([ground_look(name).layer in NO_POST_LAYERS for name in world.surface_names] or [False])

    def at(table: np.ndarray, step: float, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Values of a table [rows, columns], whose cells are `step` metres wide, at positions x, y, m."""
        position = ((np.asarray(v) - o) / step for v, o in zip((y, x), world.origin[::-1], strict=True))
        return table[tuple(np.clip(v, 0, n - 1).astype(int) for v, n in zip(position, table.shape, strict=True))]

    def excluded(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        if cells is None:
            return np.zeros(np.shape(x), bool)
        return is_excluded[np.minimum(at(cells, world.cell, x, y), len(is_excluded) - 1)]

    return Posts(
        post_positions(lines, world.ground_heights, lambda x, y: at(inside_map, texel, x, y).astype(float), excluded)
    )


class Posts:
    """Posts at given positions, drawn for the quality level of the last `show`."""

    def __init__(self, positions: np.ndarray) -> None:
        self._positions, self.root = positions, NodePath("no posts yet")

    def show(self, level: Quality, switches: tuple[str, ...], parent: NodePath) -> None:
        """Build the posts for a quality level below `parent`, in place of the former ones."""
        self.root.removeNode()
        self.root = posts(self._positions, rising=level.full)
        rising = (f"RISING vec3({VISIBLE:.1f}, {RISEN:.1f}, {HEIGHT + ROOT:.2f})",) if level.full else ()
        self.root.setShader(program("mesh", "mesh", level.name.upper(), *switches, "POSTS", *rising))
        self.root.reparentTo(parent)


def posts(positions: np.ndarray, rising: bool = False) -> NodePath:
    """Node with posts at these positions ([n, 4], see `post_positions`).

    Args:
        rising: whether the shader lets posts rise (on a graphics card). A block is then drawn from so far away that
            none of its posts within VISIBLE is missing.
    """
    root, (rows, triangles), block_side = NodePath("posts"), _post(), WIDE_BLOCK if rising else BLOCK
    blocks: dict[tuple[int, int], list] = {}
    for position in positions.tolist():
        blocks.setdefault((round(position[0] / block_side), round(position[1] / block_side)), []).append(position)
    for key, group in sorted(blocks.items()):
        poses = np.array(group)
        cosine, sine = np.cos(poses[:, 3])[:, None], np.sin(poses[:, 3])[:, None]
        placed = np.repeat(rows[None], len(poses), axis=0)
        for first in (0, 3):  # columns of the position, of the normal
            x, y = rows[None, :, first], rows[None, :, first + 1]
            placed[:, :, first], placed[:, :, first + 1] = cosine * x - sine * y, sine * x + cosine * y
        placed[:, :, :3] += poses[:, None, :3]
        indices = np.arange(len(poses))[:, None, None] * len(rows) + triangles[None]
        lod, node = LODNode(f"posts {key[0]} {key[1]}"), GeomNode("posts")
        middle = poses[:, :3].mean(axis=0)
        lod.setCenter(tuple(float(v) for v in middle))
        radius = float(np.linalg.norm(poses[:, :3] - middle, axis=1).max()) if rising else 0.0
        lod.addSwitch(VISIBLE + radius, 0.0)
        node.addGeom(still_mesh(placed.reshape(-1, 10), indices.reshape(-1, 3), "vertex", "normal", "look"))
        root.attachNewNode(lod).attachNewNode(node)
    return root
