"""Simplified meshes with far fewer triangles, for distant vehicles.

Vertices are clustered in cubes of CELL, separately for each octant of their normals, so that thin sheets keep two
sides. A cluster is placed at the mean of its positions; it gets one vertex per material, with the mean of that
material's normals and shades. Triangles with two corners in one cluster are dropped, and duplicates as well. Seams of
the body, a few millimetres wide, would break into dots, so they become paint. Limit: a vertex moves by up to CELL along
each axis.
"""

from __future__ import annotations

import numpy as np
from panda3d.core import Geom

from driving_sandbox.game.view.gl.geometry import column_of, read_triangles, still_mesh
from driving_sandbox.game.view.vehicle.model import MATERIALS

PAINT, SEAM = MATERIALS.index("paint"), MATERIALS.index("seam")
TOLERANCE = 1e-4  # m; vertices nearer than this coincide
CELL = 0.09  # m; up to four pixels of a frame of 1080 lines at the distance where coarse forms begin


def simplified_geom(geom: Geom, cell: float = CELL, whole_materials: tuple[int, ...] = ()) -> Geom:
    """The simplified form of a part's Geom with the columns vertex, normal and look.

    Args:
        cell: side of the cubes, m.
        whole_materials: materials whose triangles stay as modelled. If there are any, strokes of letters stay as well,
            and vertices of other materials that coincide with theirs are not merged, because cracks would show the
            dark inside.
    """
    rows = np.column_stack([column_of(geom, name) for name in ("vertex", "normal", "look")])
    triangles = read_triangles(geom)
    if whole_materials:
        is_whole = np.isin(rows[triangles[:, 0], 6].astype(int), whole_materials)
        stays = is_whole | is_stroke(triangles, len(rows))
        others, other_triangles = subset(rows, triangles[~stays])
        fine, fine_triangles = subset(rows, triangles[stays])
        unmerged = coinciding(others, rows[np.unique(triangles[is_whole])])
        coarse, coarse_triangles = clustered(others, other_triangles, cell, unmerged)
        rows = np.concatenate([coarse, fine])
        triangles = np.concatenate([coarse_triangles, fine_triangles + len(coarse)])
    else:
        rows, triangles = clustered(rows, triangles, cell)
    return still_mesh(rows, triangles, "vertex", "normal", "look")


def is_stroke(triangles: np.ndarray, vertex_count: int) -> np.ndarray:
    """[n] whether a triangle belongs to a rectangle, or to bars that meet at their ends, like the strokes of letters.

    Clustering cannot simplify these. Larger surfaces have more triangles that share a triangle's vertices.
    """
    # number of triangles at each vertex of a triangle
    shared = np.bincount(triangles.reshape(-1), minlength=vertex_count)[triangles]
    return (shared.max(axis=1) <= 4) & (shared.sum(axis=1) <= 8)


def subset(rows: np.ndarray, triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(rows that these triangles refer to, renumbered triangles)."""
    row_numbers, numbers = np.unique(triangles, return_inverse=True)
    return rows[row_numbers].astype(np.float32), numbers.reshape(triangles.shape)


def coinciding(rows: np.ndarray, others: np.ndarray) -> np.ndarray:
    """[n] whether the vertex of a row coincides with that of one of the others."""
    keys = np.round(np.concatenate([rows, others])[:, :3] / TOLERANCE).astype(np.int64)
    _, position_index = np.unique(keys, axis=0, return_inverse=True)
    position_index = position_index.reshape(-1)
    return np.isin(position_index[: len(rows)], position_index[len(rows) :])


def clustered(
    rows: np.ndarray, triangles: np.ndarray, cell: float, unmerged: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """(rows, triangles) with fewer vertices, see the module's docstring.

    Args:
        rows: position (3), normal (3), material, shade, ...
        cell: side of the cubes, m.
        unmerged: [n] whether a row is left out of the clusters, or None for none.
    """
    rows = rows.copy()
    rows[rows[:, 6] == SEAM, 6] = PAINT
    cells = np.floor(rows[:, :3] / cell).astype(np.int64)
    cells -= cells.min(axis=0)
    size = cells.max(axis=0) + 1
    cell_index = (cells[:, 0] * size[1] + cells[:, 1]) * size[2] + cells[:, 2]
    octant = (rows[:, 3:6] > 0.0) @ np.array([1, 2, 4])
    cluster_key = cell_index * 8 + octant
    if unmerged is not None:
        cluster_key[unmerged] = cluster_key.max(initial=0) + 1 + np.arange(np.count_nonzero(unmerged))
    vertex_key = cluster_key * 32 + rows[:, 6].astype(np.int64)  # there are fewer than 32 materials
    _, vertex, count = np.unique(vertex_key, return_inverse=True, return_counts=True)  # vertex: new index of each row
    vertices = np.column_stack([np.bincount(vertex, column, len(count)) for column in rows.T]) / count[:, None]
    _, cluster, cluster_size = np.unique(cluster_key, return_inverse=True, return_counts=True)
    for axis in range(3):  # all materials of a cluster share one position, so that there are no cracks between them
        vertices[vertex, axis] = (np.bincount(cluster, rows[:, axis]) / cluster_size)[cluster]
    vertices[:, 3:6] /= np.maximum(np.linalg.norm(vertices[:, 3:6], axis=1, keepdims=True), 1e-9)
    a, b, c = cluster[triangles].T
    corners = vertex[triangles[(a != b) & (b != c) & (c != a)]]
    first = np.argmin(corners, axis=1)[:, None]
    rotated = np.take_along_axis(corners, (first + (0, 1, 2)) % 3, axis=1)  # smallest index first
    total = len(count)
    # each triangle as one number, because numbers sort faster than rows
    keys = np.unique((rotated[:, 0] * total + rotated[:, 1]) * total + rotated[:, 2])
    return vertices.astype(np.float32), np.column_stack([keys // (total * total), keys // total % total, keys % total])
