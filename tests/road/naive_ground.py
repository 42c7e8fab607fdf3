"""Naive reference of the ground kernels: all triangles in one list, without grid or tree."""

from collections import namedtuple

import numpy as np

from driving_sandbox.physics.ground.arrays import EDGE_FLAGS, EDGE_NORMALS, HOLE, NORMAL
from driving_sandbox.physics.ground.world_mesh import Mesh

EDGE_BAND = 1e-7  # barycentric coordinate; closer to an edge than this, rounding decides
# loose triangles: corners (n, 3, 3), surface index (n,), of the heightfield or not (n,), feature id (n,)
Soup = namedtuple("Soup", "corners surfaces terrain feature")


def field_soup(field):
    """Soup of the triangles (a, b, d) and (a, d, c) of every cell except holes; a, b: its corners at the lower y."""
    corners, surfaces, feature = [], [], []
    rows, columns = field.cell_surface.shape
    for j in range(rows):
        for i in range(columns):
            if field.cell_surface[j, i] == HOLE:
                continue
            a, b, c, d = (
                (field.origin[0] + ii * field.cell, field.origin[1] + jj * field.cell, float(field.heights[jj, ii]))
                for ii, jj in ((i, j), (i + 1, j), (i, j + 1), (i + 1, j + 1))
            )
            corners += [(a, b, d), (a, d, c)]
            surfaces += [field.cell_surface[j, i]] * 2
            feature += [2 * (j * columns + i), 2 * (j * columns + i) + 1]
    n = len(corners)
    return Soup(np.array(corners).reshape(-1, 3, 3), np.array(surfaces, int), np.ones(n, bool), np.array(feature, int))


def mesh_soup(meshes):
    """Soup of the triangles of all meshes."""
    corners = np.concatenate([m.vertices[m.triangles] for m in meshes])
    surfaces = np.concatenate([m.triangle_surfaces for m in meshes])
    return Soup(corners, surfaces, np.zeros(len(corners), bool), np.full(len(corners), -1))


def join(*soups):
    """One Soup of several."""
    return Soup(*(np.concatenate(parts) for parts in zip(*soups, strict=True)))


def hits(soup, origin, direction, length):
    """(distance along a ray to the plane of each triangle, inf for none; smallest barycentric coordinate there).

    The barycentric coordinate is negative outside the triangle. Terrain is hit from above only.
    """
    a, b, c = (soup.corners[:, k] for k in range(3))
    normal = np.cross(b - a, c - a)
    facing = normal @ direction
    with np.errstate(all="ignore"):
        t = np.einsum("ij,ij->i", a - origin, normal) / facing
        p = origin + t[:, None] * direction
        square = np.einsum("ij,ij->i", normal, normal)
        bary = [np.einsum("ij,ij->i", np.cross(v - u, p - u), normal) / square for u, v in ((a, b), (b, c), (c, a))]
    margin = np.minimum.reduce(bary)
    usable = np.isfinite(t) & (facing != 0.0) & (~soup.terrain | (facing < 0.0))
    return np.where(usable, t, np.inf), np.where(usable, margin, -np.inf)


def touching_box(soup, low, high):
    """Mask of triangles whose bounding boxes touch a box."""
    return ((soup.corners.min(axis=1) <= high) & (soup.corners.max(axis=1) >= low)).all(axis=1)


def random_field(rng, size=8, cell=1.0, origin=(0.0, 0.0), holes=True):
    """A rough heightfield of size x size cells with random surfaces; `holes`: about an eighth of them are holes."""
    from driving_sandbox.physics.ground.ground import Heightfield

    heights = rng.normal(0.0, 0.7, (size + 1, size + 1)).astype(np.float32)
    cells = rng.integers(0, 5, (size, size)).astype(np.uint8)
    if holes:
        cells[rng.random((size, size)) < 0.12] = HOLE
    return Heightfield(heights, cells, origin, cell)


def box_mesh(name, low, high, surface=0):
    """A closed box, faces outward."""
    (x0, y0, z0), (x1, y1, z1) = low, high
    v = np.array([(x, y, z) for z in (z0, z1) for y in (y0, y1) for x in (x0, x1)], float)
    t = np.array(
        [
            (0, 2, 1),
            (1, 2, 3),
            (4, 5, 6),
            (5, 7, 6),
            (0, 1, 4),
            (1, 5, 4),
            (2, 6, 3),
            (3, 6, 7),
            (0, 4, 2),
            (2, 4, 6),
            (1, 3, 5),
            (3, 7, 5),
        ]
    )
    return Mesh(name, v, t, np.full(len(t), surface, np.int32))


def random_mesh(rng, count=40, spread=8.0, surface=1):
    """A mesh of `count` unconnected triangles within about `spread` metres."""
    middle = rng.uniform(0.0, spread, (count, 1, 3)) * [1.0, 1.0, 0.4]
    corners = middle + rng.normal(0.0, 0.8, (count, 3, 3))
    triangles = np.arange(3 * count).reshape(-1, 3)
    return Mesh("soup", corners.reshape(-1, 3), triangles, np.full(count, surface, np.int32))


def edge_fields(row):
    """Fields of a triangle row: (edge flags, normals of the neighbours at the edges, normal of the triangle)."""
    return row[EDGE_FLAGS:EDGE_NORMALS], row[EDGE_NORMALS:].reshape(3, 3), row[NORMAL:EDGE_FLAGS]
