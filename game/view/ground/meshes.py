"""Drawing of world meshes (walls, ramps, kerbs); their appearance is chosen by the material's name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from panda3d.core import Geom, GeomNode, NodePath

from driving_sandbox.game.view.gl.geometry import Mesh, joined, matrix_array, read_shape, still_mesh
from driving_sandbox.game.view.gl.quality import Quality
from driving_sandbox.game.view.gl.surfaces import mesh_look
from driving_sandbox.game.view.vehicle.model import material_name, read_scene
from driving_sandbox.physics.ground.obj_file import obj_triangles

SQUARE = 128.0  # m, side of an area whose meshes are one draw call and culled together, for software OpenGL
WIDE_SQUARE = 2048.0  # m, the same for graphics cards, where draw calls cost more than vertices
MAX_WIDE_TRIANGLES = 50_000  # in a file drawn with WIDE_SQUARE; a frame has some thirty times as many


class Solids:
    """The meshes of a world, drawn for the quality level of the last `show`."""

    def __init__(self, paths: list[Path]) -> None:
        self._paths, self.root = paths, NodePath("no meshes yet")
        self._wide: bool | None = None  # whether the meshes shown were built with WIDE_SQUARE, None before `show`

    def show(self, level: Quality, parent: NodePath) -> None:
        """Build the meshes for a quality level below `parent`, in place of the former ones."""
        if level.full is self._wide:
            return
        self._wide = level.full
        self.root.removeNode()
        self.root = parent.attachNewNode("solids")
        for path in self._paths:
            load_mesh(Path(path), self._wide).reparentTo(self.root)


def load_mesh(path: Path, wide: bool = False) -> NodePath:
    """Node with the triangles of a mesh file in world coordinates, one mesh for each square with centres of parts.

    Args:
        wide: whether to use WIDE_SQUARE, if the file has few triangles.
    """
    parts = list(_flat_parts(path) if path.suffix.lower() == ".obj" else _gltf_parts(path))
    root, squares = NodePath(path.stem), defaultdict[tuple[int, int], list[Mesh]](list)
    square = WIDE_SQUARE if wide and sum(indices.size for _, indices in parts) <= 3 * MAX_WIDE_TRIANGLES else SQUARE
    for rows, indices in parts:
        east, north = np.round(rows[:, :2].mean(axis=0) / square).astype(int).tolist()
        squares[east, north].append((rows, indices))
    for (east, north), pieces in sorted(squares.items()):
        node = GeomNode(f"meshes {east} {north}")
        node.addGeom(still_mesh(*joined(pieces), "vertex", "normal", "look"))
        root.attachNewNode(node)
    return root


def _flat_parts(path: Path) -> Iterator[Mesh]:
    """Yield (rows, indices) of each part of an .obj file, with flat shading.

    rows: [vertices, 10] position, normal and look (see `mesh_look`).
    indices: [triangles, 3] of rows.
    """
    for material, corners in obj_triangles(path):
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        rows = np.zeros((3 * len(corners), 10), np.float32)
        rows[:, :3] = corners.reshape(-1, 3)
        rows[:, 3:6] = np.repeat(normals / np.linalg.norm(normals, axis=1, keepdims=True), 3, axis=0)
        rows[:, 6:] = mesh_look(material)
        yield rows, np.arange(len(rows)).reshape(-1, 3)


def _gltf_parts(path: Path) -> Iterator[Mesh]:
    """Yield (rows, indices) of each part of a .glb or .gltf file, as `_flat_parts`."""
    scene = read_scene(path)
    for child in scene.findAllMatches("**/+GeomNode"):
        transform = matrix_array(child.getMat(scene)).astype(np.float32)
        for index in range(child.node().getNumGeoms()):
            geom = child.node().getGeom(index)
            material = material_name(child.node().getGeomState(index)) or child.getName()
            yield _world_rows(geom, transform, material)


def _world_rows(geom: Geom, transform: np.ndarray, material: str) -> Mesh:
    """(rows, indices) of a Geom, transformed to world coordinates by a matrix [4, 4] that acts on row vectors."""
    positions, normals, indices, _ = read_shape(geom)
    rows = np.zeros((len(positions), 10), np.float32)
    rows[:, :3] = positions @ transform[:3, :3] + transform[3, :3]
    rows[:, 3:6] = normals @ transform[:3, :3]
    rows[:, 6:] = mesh_look(material)
    return rows, indices
