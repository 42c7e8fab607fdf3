"""A mesh of a world, and checks of all meshes of a file at once, which is faster: a world has hundreds of small ones.

Triangles without area, duplicates and triangles folded onto a neighbour are errors: wheel queries would return invalid
normals, and a hull would be thrown into the air. So are edges shared by more than two triangles (non-manifold) and
inconsistent winding within one mesh, as the ground side would be ambiguous. Separate meshes may touch in any way.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from driving_sandbox.physics.ground.edges import EdgePairs, edge_pairs, unit
from driving_sandbox.physics.schema.yaml_file import ConfigError

MIN_TRIANGLE_HEIGHT = 1e-5  # m, above the longest side; below this the computed area is rounding error
MAX_COORDINATE = 1e5  # m; vertices farther out suggest wrong units; float32, as in glTF, has steps of 8 mm there
FOLD_ANGLE = 0.01  # rad; two triangles with a smaller angle at their edge are folded onto each other


@dataclass(frozen=True)
class Mesh:
    """Triangles of one node, in world coordinates."""

    name: str
    vertices: np.ndarray  # float64[n, 3], m
    triangles: np.ndarray  # int64[m, 3], counter-clockwise seen from the front
    triangle_surfaces: np.ndarray  # int32[m], surface ids


def check_vertices(mesh: Mesh, path: Path) -> None:
    """Raise ConfigError, naming file and mesh, for the first error of the vertices.

    Errors are: no triangles, vertices that are not finite or more than MAX_COORDINATE away, and indices out of range.

    Args:
        mesh: as read from the file, unchecked.
        path: its file.
    """
    if not len(mesh.triangles):
        raise _error(mesh, path, "has no triangles")
    invalid = np.flatnonzero(~np.isfinite(mesh.vertices).all(axis=1))
    if len(invalid):
        raise _error(mesh, path, f"vertex {invalid[0]} is not finite")
    distant = np.flatnonzero(np.abs(mesh.vertices).max(axis=1) > MAX_COORDINATE)
    if len(distant):
        at = ", ".join(f"{v:.6g}" for v in mesh.vertices[distant[0]])
        limit = f"more than {MAX_COORDINATE / 1000:g} km away; are the units metres?"
        raise _error(mesh, path, f"vertex {distant[0]} at ({at}) is {limit}")
    if mesh.triangles.min() < 0 or mesh.triangles.max() >= len(mesh.vertices):
        raise _error(mesh, path, f"a triangle names a vertex outside 0..{len(mesh.vertices) - 1}")


def check_faces(meshes: list[Mesh], path: Path) -> None:
    """Raise ConfigError, naming file and mesh, for the first of the errors listed at the top of this module.

    Args:
        meshes: with valid, welded vertices.
        path: their file.
    """
    faces = _Faces.of(meshes, path)
    corners = faces.corners
    doubled_area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    longest = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1)
    thin = np.flatnonzero(doubled_area <= MIN_TRIANGLE_HEIGHT * longest)
    if len(thin):
        count = np.count_nonzero(faces.mesh[thin] == faces.mesh[thin[0]])
        at = _point(corners[thin[0]].mean(axis=0))
        raise faces.error(thin[0], f"triangle {faces.number(thin[0])} at {at} has no area ({count} in all); remove it")
    pairs = edge_pairs(corners, faces.mesh)
    _check_folds(faces, pairs)
    _check_edges(faces, pairs)


class _Faces(NamedTuple):
    """The triangles of all meshes of a file."""

    corners: np.ndarray  # float64[triangle, vertex, xyz], m
    mesh: np.ndarray  # int64[triangle], index of its mesh
    first: np.ndarray  # int64[mesh], its first triangle
    meshes: list[Mesh]
    path: Path

    @classmethod
    def of(cls, meshes: list[Mesh], path: Path) -> "_Faces":
        """The triangles of meshes with valid vertices."""
        counts = [len(mesh.triangles) for mesh in meshes]
        corners = np.concatenate([mesh.vertices[mesh.triangles] for mesh in meshes])
        return cls(corners, np.repeat(np.arange(len(meshes)), counts), np.cumsum([0, *counts[:-1]]), meshes, path)

    def number(self, triangle: int) -> int:
        """Number of a triangle within its mesh, from 0."""
        return triangle - self.first[self.mesh[triangle]]

    def error(self, triangle: int, text: str) -> ConfigError:
        """A ConfigError that names the triangle's mesh."""
        return _error(self.meshes[self.mesh[triangle]], self.path, text)


def _check_edges(faces: _Faces, pairs: EdgePairs) -> None:
    """Raise for non-manifold edges and inconsistent winding."""
    edge_index = 3 * pairs.triangle + pairs.edge
    neighbour_counts = np.bincount(edge_index, minlength=3 * len(faces.corners))
    crowded, inconsistent = np.flatnonzero(neighbour_counts > 1), np.flatnonzero(pairs.same_way)
    if len(crowded):
        triangle, edge = divmod(int(crowded[0]), 3)
        others = ", ".join(str(faces.number(k)) for k in pairs.other[edge_index == crowded[0]])
        at = _middle(faces.corners, triangle, edge)
        text = f"triangle {faces.number(triangle)} shares an edge at {at} with triangles {others}"
        raise faces.error(triangle, f"{text}: at most two may meet in one mesh; make separate meshes of the parts")
    if len(inconsistent):
        k = inconsistent[0]
        at = _middle(faces.corners, pairs.triangle[k], pairs.edge[k])
        two_triangles = f"triangles {faces.number(pairs.triangle[k])} and {faces.number(pairs.other[k])}"
        raise faces.error(
            pairs.triangle[k], f"{two_triangles} face opposite ways at their edge at {at}: flip one of them"
        )


def _check_folds(faces: _Faces, pairs: EdgePairs) -> None:
    """Raise if two triangles with a common edge are folded onto each other; the angle of duplicates is 0."""
    corners = faces.corners
    start, end = corners[pairs.triangle, pairs.edge], corners[pairs.triangle, (pairs.edge + 1) % 3]
    tangent = unit(end - start)

    def inward(triangle: np.ndarray, edge: np.ndarray) -> np.ndarray:
        """Unit vectors from the common edges into the triangles, perpendicular to the edges."""
        reach = corners[triangle, (edge + 2) % 3] - start
        return unit(reach - tangent * np.einsum("ij,ij->i", reach, tangent)[:, None])

    first, second = inward(pairs.triangle, pairs.edge), inward(pairs.other, pairs.other_edge)
    # from the tangent of half the angle, which is precise for small angles, unlike the cosine
    angle = 2.0 * np.arctan2(np.linalg.norm(first - second, axis=1), np.linalg.norm(first + second, axis=1))
    folded = np.flatnonzero(angle < FOLD_ANGLE)
    if len(folded):
        k = folded[0]
        two_triangles = f"triangles {faces.number(pairs.triangle[k])} and {faces.number(pairs.other[k])}"
        at = _middle(corners, pairs.triangle[k], pairs.edge[k])
        raise faces.error(pairs.triangle[k], f"{two_triangles} are folded onto each other at their edge at {at}")


def _middle(corners: np.ndarray, triangle: int, edge: int) -> str:
    """Midpoint of an edge, as text."""
    return _point(0.5 * (corners[triangle, edge] + corners[triangle, (edge + 1) % 3]))


def _point(position: np.ndarray) -> str:
    return f"({', '.join(f'{v:.3f}' for v in position)})"


def _error(mesh: Mesh, path: Path, text: str) -> ConfigError:
    return ConfigError(path, None, f'mesh "{mesh.name}"', text)
