"""Scenery: buildings, masts, fences and boards of a world's scenery.npz, with a surface finish for every face.

The arrays of the file are documented in assets/build/scenery.py. Wire mesh of fences is translucent and drawn last.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from panda3d.core import GeomNode, NodePath, TransparencyAttrib

from driving_sandbox.game.session.frame import WorldView
from driving_sandbox.game.view.gl.geometry import still_mesh
from driving_sandbox.game.view.gl.shading import program
from driving_sandbox.game.view.ground.rails import add_rails
from driving_sandbox.game.view.light.shadow import STATIC_MASK
from driving_sandbox.physics.base.user_error import WrongValue
from driving_sandbox.physics.schema.array_file import open_arrays

FINISHES = ("sheet", "render", "glass", "steel", "felt", "board", "mesh", "rubber", "lamp")  # as in scenery.frag
TRANSLUCENT = FINISHES.index("mesh")
SQUARE = 750.0  # m, side of an area whose objects are one draw call: the few buildings of a site are seen together
FLAT = 0.05  # a face is level if the horizontal part of its normal is smaller, upright if the vertical part is


def read_scenery(path: Path) -> np.ndarray:
    """Rows of the vertex format, float32[triangles, 3, 12].

    A row is position (3), normal (3), albedo (3), index of the finish (1), distances along and up the face, m (2).
    Raises WrongValue for an unknown finish.
    """
    with open_arrays(path) as data:
        names, corners = data["finishes"].tolist(), data["triangles"].astype(np.int64)
        positions, floors, looks = data["places"][corners], data["floors"][corners], data["looks"][corners]
    unknown = sorted(set(names) - set(FINISHES))
    if unknown:
        raise WrongValue(f"{path}: no finish {unknown[0]!r}; known: {', '.join(FINISHES)}")
    normals = np.cross(positions[:, 1] - positions[:, 0], positions[:, 2] - positions[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    horizontal = np.hypot(normals[:, 0], normals[:, 1])[:, None]
    across = np.stack([-normals[:, 1], normals[:, 0], 0.0 * normals[:, 0]], axis=1) / np.maximum(horizontal, FLAT)
    across = np.where(horizontal > FLAT, across, np.array((1.0, 0.0, 0.0)))
    upright = np.abs(normals[:, 2:]) < FLAT
    rows = np.empty((len(corners), 3, 12), np.float32)
    rows[..., :3], rows[..., 3:6] = positions, normals[:, None]
    rows[..., 6:9] = looks[..., :3] / 255.0
    rows[..., 9] = np.array([FINISHES.index(name) for name in names], np.float32)[looks[..., 3]]
    rows[..., 10] = np.einsum("ijk,ik->ij", positions, across)
    upwards = np.einsum("ijk,ik->ij", positions, np.cross(normals, across))
    rows[..., 11] = np.where(upright, positions[..., 2] - floors, upwards)
    return rows


def load_scenery(file: Path) -> NodePath:
    """Node with the scenery of a file: for each square one mesh of solid objects and one of fences."""
    rows, root = read_scenery(file), NodePath(Path(file).stem)
    east, north = np.round(rows[..., :2].mean(axis=1) / SQUARE).astype(int).T
    keys = np.stack([rows[:, 0, 9] == TRANSLUCENT, east, north], axis=1)
    for key in np.unique(keys, axis=0):
        vertices = rows[(keys == key).all(axis=1)].reshape(-1, rows.shape[2])
        node = GeomNode(f"{'fence' if key[0] else 'scenery'} {key[1]} {key[2]}")
        node.addGeom(still_mesh(vertices, np.arange(len(vertices)), "vertex", "normal", "look", "texcoord"))
        path = root.attachNewNode(node)
        if key[0]:
            path.setTransparency(TransparencyAttrib.MAlpha)
            path.setDepthWrite(False)
            path.hide(STATIC_MASK)
    return root


def add_scenery(meshes: NodePath, far_casters: NodePath, world: WorldView, *defines: str) -> None:
    """Attach a world's rails to `meshes` and its scenery to `far_casters`, which cast shadows in the far shadow map.

    defines: switches of the shaders.
    """
    add_rails(meshes, world.rails_path, *defines)
    for path in world.scenery_paths:
        scenery = load_scenery(Path(path))
        scenery.setShader(program("scenery", "scenery", *defines))
        scenery.reparentTo(far_casters)
