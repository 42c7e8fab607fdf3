"""Scenery: buildings, masts, fences and boards of a world's scenery.npz, with a finish for every face.

Its arrays are documented in assets/build/scenery.py. The mesh of fences is translucent and drawn after all else.
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
SQUARE = 750.0  # m, side of an area whose objects are one draw call: a site's buildings are few and seen together
FLAT = 0.05  # horizontal or vertical part of a normal, below which a face is level or upright


def read_scenery(path: Path) -> np.ndarray:
    """Rows of the vertex format, float32[triangles, 3, 12]: position, normal, albedo, finish, m along and up the
    face."""
    with open_arrays(path) as data:
        names, corners = data["finishes"].tolist(), data["triangles"].astype(np.int64)
        positions, floors, looks = data["places"][corners], data["floors"][corners], data["looks"][corners]
    unknown = sorted(set(names) - set(FINISHES))
    if unknown:
        raise WrongValue(f"{path}: no finish {unknown[0]!r}; known: {', '.join(FINISHES)}")
    normals = np.cross(positions[:, 1] - positions[:, 0], positions[:, 2] - positions[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    level = np.hypot(normals[:, 0], normals[:, 1])[:, None]
    across = np.stack([-normals[:, 1], normals[:, 0], 0.0 * normals[:, 0]], axis=1) / np.maximum(level, FLAT)
    across = np.where(level > FLAT, across, np.array((1.0, 0.0, 0.0)))
    upright = np.abs(normals[:, 2:]) < FLAT
    rows = np.empty((len(corners), 3, 12), np.float32)
    rows[..., :3], rows[..., 3:6] = positions, normals[:, None]
    rows[..., 6:9] = looks[..., :3] / 255.0
    rows[..., 9] = np.array([FINISHES.index(name) for name in names], np.float32)[looks[..., 3]]
    rows[..., 10] = np.einsum("ijk,ik->ij", positions, across)
    upwards = np.einsum("ijk,ik->ij", positions, np.cross(normals, across))
    rows[..., 11] = np.where(upright, positions[..., 2] - floors, upwards)
    return rows


def load_scenery(path: Path) -> NodePath:
    """The scenery of a file: for each SQUARE one mesh, and one for its fences."""
    rows, out = read_scenery(path), NodePath(Path(path).stem)
    east, north = np.round(rows[..., :2].mean(axis=1) / SQUARE).astype(int).T
    kinds = np.stack([rows[:, 0, 9] == TRANSLUCENT, east, north], axis=1)
    for kind in np.unique(kinds, axis=0):
        chosen = rows[(kinds == kind).all(axis=1)].reshape(-1, rows.shape[2])
        node = GeomNode(f"{'fence' if kind[0] else 'scenery'} {kind[1]} {kind[2]}")
        node.addGeom(still_mesh(chosen, np.arange(len(chosen)), "vertex", "normal", "look", "texcoord"))
        placed = out.attachNewNode(node)
        if kind[0]:
            placed.setTransparency(TransparencyAttrib.MAlpha)
            placed.setDepthWrite(False)
            placed.hide(STATIC_MASK)
    return out


def add_scenery(meshes: NodePath, far_casters: NodePath, world: WorldView, *defines: str) -> None:
    """Attach rails to `meshes` and buildings to the far shadow casters; defines: switches of the shaders."""
    add_rails(meshes, world.rails_path, *defines)
    for path in world.scenery_paths:
        made = load_scenery(Path(path))
        made.setShader(program("scenery", "scenery", *defines))
        made.reparentTo(far_casters)
