"""Edges of a collision hull's convex parts, found as pairs of vertices that two faces share."""

from __future__ import annotations

from typing import Any

import numpy as np

ON_FACE = 1e-4  # m, largest distance of a face's vertices from its plane; merged faces are about as flat as this

# {address of a HULL record: (its bytes of vertices and faces, edges)}
_latest: dict[int, tuple[bytes, np.ndarray]] = {}


def hull_edges(hull: Any) -> np.ndarray:
    """Ends of all edges of a HULL record, [n, 2, 3] in m, body axes from the centre of mass; cached by content."""
    count = int(hull["part_count"])
    last, faces = int(hull["vertex_start"][count]), int(hull["plane_start"][count])
    vertices, planes = hull["vertices"][:last], hull["planes"][:faces]
    address, content = vertices.__array_interface__["data"][0], vertices.tobytes() + planes.tobytes()
    cached = _latest.get(address)
    if cached is None or cached[0] != content:
        cached = _latest[address] = (content, _edges(hull, count, vertices, planes))
    return cached[1]


def _edges(hull: Any, count: int, vertices: np.ndarray, planes: np.ndarray) -> np.ndarray:
    """Ends of the edges of `count` parts, [n, 2, 3]: pairs of a part's vertices that lie on two common faces."""
    edges = [np.zeros((0, 2, 3))]
    for part in range(count):
        corners = vertices[hull["vertex_start"][part] : hull["vertex_start"][part + 1]]
        faces = planes[hull["plane_start"][part] : hull["plane_start"][part + 1]]
        touching = (np.abs(corners @ faces[:, :3].T - faces[:, 3]) < ON_FACE).astype(int)
        first, second = np.nonzero(np.triu(touching @ touching.T, 1) >= 2)
        edges.append(np.stack([corners[first], corners[second]], axis=1))
    return np.concatenate(edges)
