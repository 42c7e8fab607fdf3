"""World meshes (walls, ramps, kerbs) drawn as they are; the look follows the material's name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from panda3d.core import GeomNode, NodePath

from game.view.geometry import mesh, read_column, read_triangles
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
            rows = _world_rows(geom, transform, material_name(found.node().getGeomState(index)) or found.getName())
            node.addGeom(mesh(rows, read_triangles(geom), "vertex", "normal", "look"))
        out.attachNewNode(node)
    return out


def _world_rows(geom, transform: np.ndarray, material: str) -> np.ndarray:
    positions = read_column(geom.getVertexData(), "vertex")[:, :3]
    normals = read_column(geom.getVertexData(), "normal")
    rows = np.zeros((len(positions), 10), np.float32)
    rows[:, :3] = positions @ transform[:3, :3] + transform[3, :3]
    if normals is None:
        normals = _vertex_normals(positions, read_triangles(geom))
    rows[:, 3:6] = normals @ transform[:3, :3]
    rows[:, 6:] = mesh_look(material)
    return rows


def _vertex_normals(positions: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """Area-weighted; for files without normals."""
    a, b, c = (positions[indices[:, k]] for k in range(3))
    face = np.cross(b - a, c - a)
    out = np.zeros_like(positions)
    for k in range(3):
        np.add.at(out, indices[:, k], face)
    return out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-12)
