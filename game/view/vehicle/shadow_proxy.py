"""The shadow proxy of a vehicle: one mesh of bodywork, glass, driver and wheels, in coarse forms if there are any.

All vehicles but the focus vehicle cast it into the static shadow map. That map is redrawn in every frame in which such
a vehicle moves, and separate parts would be seven draw calls per car. Limits: wheels cast in their rest pose; steering
and wheel travel amount to one or two texels of the map.
"""

from __future__ import annotations

import numpy as np
from panda3d.core import BitMask32, Geom, GeomNode, NodePath

from driving_sandbox.game.view.gl.geometry import joined, mesh, read_rows, sphere_around
from driving_sandbox.game.view.light.mirrors import FLANK_MASK, MIRROR_MASK
from driving_sandbox.game.view.light.shadow import STATIC_MASK, VEHICLE_MASK
from driving_sandbox.game.view.vehicle.model import Part

COLUMNS = ("vertex", "normal")
CAMERA_MASK = BitMask32.bit(0)


class ShadowProxy:
    """The shadow proxy of one vehicle.

    Args:
        root: node of the vehicle.
        parts: [(node, Part)]; these nodes no longer cast into the static map themselves.
        coarse: {node: coarse form}.
    Attributes:
        path: node of the mesh, a sibling of the vehicle's body; it must be given the body's pose.
    """

    def __init__(self, root: NodePath, parts: list[tuple[NodePath, Part]], coarse: dict[NodePath, Geom]) -> None:
        self.path = root.attachNewNode(GeomNode("shadow"))
        self.path.hide(CAMERA_MASK | VEHICLE_MASK | MIRROR_MASK | FLANK_MASK)
        self._meshes = [(path, _meshes(part, coarse.get(path))) for path, part in parts]
        for path, _ in parts:
            path.hide(STATIC_MASK)
        self.gather()

    def gather(self) -> None:
        """Build the mesh of the visible parts."""
        visible = [part for path, meshes in self._meshes if not path.node().isOverallHidden() for part in meshes]
        node = self.path.node()
        node.removeAllGeoms()
        if visible:
            rows, triangles = joined(visible)
            node.addGeom(mesh(rows, triangles, *COLUMNS))
            node.setBounds(sphere_around(rows[:, :3]))


def _meshes(part: Part, coarse: Geom | None) -> list[tuple[np.ndarray, np.ndarray]]:
    """[(rows, triangles)] of a part's solid and glass meshes in the model frame."""
    solid = coarse or (part.opaque and part.opaque.getGeom(0))
    geoms = solid, part.glass and part.glass.getGeom(0)
    return [read_rows(geom, *COLUMNS, transform=part.rest) for geom in geoms if geom]
