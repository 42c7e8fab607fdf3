"""World meshes (walls, ramps, kerbs) drawn as they are; the look follows the material's name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from panda3d.core import GeomNode, NodePath

from game.view.geometry import mesh, read_shape
from game.view.model import material_name, read_scene
from game.view.surfaces import mesh_look


def load_mesh(path: Path) -> NodePath:
    """All triangles of a .glb in world coordinates, one node per mesh so that they cull apart."""
    scene = read_scene(path)
    out = NodePath(path.stem)
    for found in scene.findAllMatches("**/+GeomNode"):
        matrix = found.getMat(scene)
        transform = np.array([[matrix.getCell(i, j) for j in range(4)] for i in range(4)], np.float32)
        node = GeomNode(found.getName())
        for index in range(found.node().getNumGeoms()):
            geom = found.node().getGeom(index)
            material = material_name(found.node().getGeomState(index)) or found.getName()
            node.addGeom(mesh(*_world_rows(geom, transform, material), "vertex", "normal", "look"))
        out.attachNewNode(node)
    return out


def _world_rows(geom, transform: np.ndarray, material: str) -> tuple[np.ndarray, np.ndarray]:
    positions, normals, indices, _ = read_shape(geom)
    rows = np.zeros((len(positions), 10), np.float32)
    rows[:, :3] = positions @ transform[:3, :3] + transform[3, :3]
    rows[:, 3:6] = normals @ transform[:3, :3]
    rows[:, 6:] = mesh_look(material)
    return rows, indices
