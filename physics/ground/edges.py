"""Classifies the edges of mesh triangles: flat, convex, concave or open, with the normal of the face beyond.

Edges are matched by the exact positions of their ends (meshes are welded on loading), also across meshes. The face
beyond an edge is the first one found when rotating about the edge from the front of this triangle: where a wall stands
on a floor, floor triangles are concave towards the wall. A face of opposite winding is flipped first. Of two triangles
the one earlier in the list owns a convex edge.
"""

from typing import Any, NamedTuple

import numpy as np

from driving_sandbox.physics.ground.arrays import (
    EDGE_CONCAVE,
    EDGE_CONVEX,
    EDGE_CONVEX_OTHER,
    EDGE_FLAT,
    EDGE_OPEN,
    FLAT_EDGE_ANGLE,
)
from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths.products import dot


class EdgePairs(NamedTuple):
    """Every ordered pair of triangles that share an edge; all arrays of one length."""

    triangle: np.ndarray  # int64, index of one triangle
    edge: np.ndarray  # int64, 0, 1 or 2: its edge
    other: np.ndarray  # int64, index of the other triangle
    other_edge: np.ndarray  # int64, its edge
    same_way: np.ndarray  # bool; True: both traverse the edge in the same direction, so their winding is inconsistent


def edge_pairs(corners: np.ndarray, mesh: np.ndarray | None = None) -> EdgePairs:
    """EdgePairs of triangles given as corners[triangle, vertex, xyz].

    mesh: int[triangle], index of each triangle's mesh, if only triangles of the same mesh are to be paired.
    """
    vertices = _vertex_numbers(corners, mesh).reshape(-1, 3)
    # vertices of each side; side 3 t + e is edge e of triangle t
    start, end = vertices.ravel(), np.roll(vertices, -1, axis=1).ravel()
    # sort the sides by a key that is equal for both directions of an edge; sides of equal keys share an edge
    key = np.minimum(start, end) * (start.max() + 1) + np.maximum(start, end)
    order = np.argsort(key, kind="stable")
    firsts = np.flatnonzero(np.concatenate([[True], np.diff(key[order]) > 0]))
    sizes = np.diff(np.concatenate([firsts, [len(order)]]))
    sides, others = [], []
    for size in np.unique(sizes[sizes > 1]):
        group = order[firsts[sizes == size][:, None] + np.arange(size)]
        for a in range(size):
            for b in range(size):
                if a != b:
                    sides.append(group[:, a])
                    others.append(group[:, b])
    empty = [np.zeros(0, dtype=np.int64)]
    side, other = np.concatenate(sides or empty), np.concatenate(others or empty)
    return EdgePairs(side // 3, side % 3, other // 3, other % 3, start[side] == start[other])


def _vertex_numbers(corners: np.ndarray, mesh: np.ndarray | None) -> np.ndarray:
    """int64[3 n], for n triangles: index of each corner's position among all different ones (of its mesh, if given)."""
    columns = list(corners.reshape(-1, 3).T[::-1])
    if mesh is not None:
        columns.append(np.repeat(mesh, 3))
    order = np.lexsort(columns)
    new = np.zeros(len(order), bool)
    for column in columns:
        new[1:] |= np.diff(column[order]) != 0
    numbers = np.empty(len(order), np.int64)
    numbers[order] = np.cumsum(new)
    return numbers


def unit(vectors: np.ndarray) -> np.ndarray:
    """Vectors [..., 3] scaled to length 1."""
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


@kernel
def write_angles(y: Any, x: Any, out: Any) -> None:
    """Write the polar angle of each point (x, y), rad.

    It must be equal on every machine, as it decides which neighbour an edge gets.
    """
    for i in range(len(out)):
        out[i] = elementary.full_atan2(y[i], x[i])


def classify_edges(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(edge flags, [n, 3]; normals of the faces beyond the edges, [n, 9]) of n triangles, rows of nine coordinates."""
    corners = np.asarray(rows, dtype=np.float64).reshape(-1, 3, 3)
    normals = unit(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]))
    tangents = unit(np.roll(corners, -1, axis=1) - corners)
    outwards = np.cross(tangents, normals[:, None, :])
    flags = np.full((len(corners), 3), EDGE_OPEN)
    neighbour_normals = outwards.copy()
    pairs = edge_pairs(corners)
    triangle, edge, other = pairs.triangle, pairs.edge, pairs.other
    # angle about the edge from this triangle, through the space in front of it, to the other: pi if the edge is flat,
    # less if it is concave
    reach = corners[other, (pairs.other_edge + 2) % 3] - corners[triangle, edge]
    angle = np.empty(len(reach))
    write_angles(dot(reach, normals[triangle]), dot(reach, outwards[triangle, edge]), angle)
    angle = np.pi - angle
    bend = angle - np.pi
    flag = np.where(triangle < other, EDGE_CONVEX, EDGE_CONVEX_OTHER)
    flag = np.where(bend < 0.0, EDGE_CONCAVE, flag)
    flag = np.where(np.abs(bend) <= FLAT_EDGE_ANGLE, EDGE_FLAT, flag)
    other_normals = np.where(pairs.same_way[:, None], -normals[other], normals[other])
    # written from the widest angle to the smallest, so that the face met first overwrites the others
    order = np.lexsort((-other, -angle))
    flags[triangle[order], edge[order]] = flag[order]
    neighbour_normals[triangle[order], edge[order]] = other_normals[order]
    return flags, neighbour_normals.reshape(-1, 9)
