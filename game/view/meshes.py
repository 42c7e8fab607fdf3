"""World meshes (walls, ramps, kerbs) drawn as they are; the look follows the material's name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from panda3d.core import GeomNode, NodePath

from game.view.geometry import joined, mesh, read_shape
from game.view.model import material_name, read_scene
from game.view.surfaces import mesh_look

SQUARE = 128.0  # m; what stands in one is one draw call, and is left out of a picture together


def load_mesh(path: Path) -> NodePath:
    """All triangles of a .glb in world coordinates."""
    scene = read_scene(path)
    out, squares = NodePath(path.stem), {}
    for found in scene.findAllMatches("**/+GeomNode"):
        matrix = found.getMat(scene)
        transform = np.array([[matrix.getCell(i, j) for j in range(4)] for i in range(4)], np.float32)
        for index in range(found.node().getNumGeoms()):
            geom = found.node().getGeom(index)
            material = material_name(found.node().getGeomState(index)) or found.getName()
            rows, indices = _world_rows(geom, transform, material)
            east, north = (rows[:, :2].mean(axis=0) // SQUARE).astype(int).tolist()
            squares.setdefault((east, north), []).append((rows, indices))
    for (east, north), parts in sorted(squares.items()):
        node = GeomNode(f"meshes {east} {north}")
        node.addGeom(mesh(*joined(parts), "vertex", "normal", "look"))
        out.attachNewNode(node)
    return out


def _world_rows(geom, transform: np.ndarray, material: str) -> tuple[np.ndarray, np.ndarray]:
    positions, normals, indices, _ = read_shape(geom)
    rows = np.zeros((len(positions), 10), np.float32)
    rows[:, :3] = positions @ transform[:3, :3] + transform[3, :3]
    rows[:, 3:6] = normals @ transform[:3, :3]
    rows[:, 6:] = mesh_look(material)
    return rows, indices
