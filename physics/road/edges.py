"""Classifies the edges of mesh triangles: flat, convex, concave or open, with the normal of the face beyond.

Edges are matched by the exact positions of their ends (meshes are welded on loading), also across meshes. The face
beyond an edge is, of all faces at that edge, the one met first when turning about the edge from the front of this
triangle: where a wall stands on a floor, floor triangles are concave towards the wall. A face wound the other way is
turned first. Of two triangles the one earlier in the list answers for a convex edge.
"""

import math
from collections import defaultdict

import numpy as np

from physics.road.layout import (
    EDGE_CONCAVE,
    EDGE_CONVEX,
    EDGE_CONVEX_OTHER,
    EDGE_FLAT,
    EDGE_OPEN,
    FLAT_EDGE_ANGLE,
)


def classify_edges(rows):
    """(flags[n, 3], normals[n, 9]) for triangles given as rows of nine coordinates."""
    corners = np.asarray(rows, dtype=np.float64).reshape(-1, 3, 3)
    _, vertex = np.unique(corners.reshape(-1, 3), axis=0, return_inverse=True)
    vertex = vertex.reshape(-1, 3)
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    sides = defaultdict(list)
    for triangle, (a, b, c) in enumerate(vertex.tolist()):
        for edge, (p, q) in enumerate(((a, b), (b, c), (c, a))):
            sides[min(p, q), max(p, q)].append((triangle, edge, p < q))
    flags, beyond = np.zeros((len(corners), 3)), np.zeros((len(corners), 3, 3))
    for users in sides.values():
        for triangle, edge, rising in users:
            others = [user for user in users if user[0] != triangle]
            flags[triangle, edge], beyond[triangle, edge] = _edge(corners, normals, triangle, edge, rising, others)
    return flags, beyond.reshape(-1, 9)


def _edge(corners, normals, triangle, edge, rising, others):
    """Flag and far normal of one edge."""
    start, end = corners[triangle, edge], corners[triangle, (edge + 1) % 3]
    along = (end - start) / np.linalg.norm(end - start)
    front = normals[triangle]
    outwards = np.cross(along, front)
    best = (math.inf, outwards, triangle)
    for other, other_edge, other_rising in others:
        far_normal = normals[other] if other_rising != rising else -normals[other]
        reach = corners[other, (other_edge + 2) % 3] - start
        # angle from this triangle's own plane, over its front, to the other: pi is flat, less is a valley
        angle = math.atan2(float(reach @ front), float(reach @ outwards))
        angle = math.pi - angle
        if angle < best[0]:
            best = (angle, far_normal, other)
    angle, normal, other = best
    if other == triangle:
        return EDGE_OPEN, normal
    bend = angle - math.pi
    if abs(bend) <= FLAT_EDGE_ANGLE:
        return EDGE_FLAT, normal
    if bend < 0.0:
        return EDGE_CONCAVE, normal
    return (EDGE_CONVEX if triangle < other else EDGE_CONVEX_OTHER), normal
