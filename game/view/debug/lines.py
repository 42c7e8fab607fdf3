"""Many coloured straight lines as one Geom, rewritten in every frame while they are shown.

Lines have the same width everywhere in the frame and are drawn on top of everything, so that a force inside a wheel is
visible. `set_pose` moves and rotates all lines together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from panda3d.core import (
    ColorBlendAttrib,
    Geom,
    GeomNode,
    LQuaternionf,
    LVecBase4f,
    NodePath,
    OmniBoundingVolume,
    Point3,
    TransparencyAttrib,
)

from driving_sandbox.game.view.gl.geometry import triangles, vertex_data
from driving_sandbox.game.view.gl.shading import program
from driving_sandbox.game.view.light.shadow import STATIC_MASK, VEHICLE_MASK

CAPACITY = 4096  # lines; eight hull parts of 32 vertices have at most 720 edges
LINE_WIDTH = 4.0 / 720.0  # share of the frame's height, soft edges included
ROW = 11  # floats of a vertex: position (3), the line's other end (3), side (1), colour (4)
_ORDER = 40  # draw order in Panda3D's bin "fixed": after ghosts and smoke
_NO_LINES = np.zeros((0, 2, 3), np.float32)


class Lines:
    """Lines below `scene.root`.

    Args:
        size: (width, height) of the frame, pixels.
    Attributes:
        ends: [n, 2, 3] ends of the lines of the last `show`, m; empty after `hide`.
        count: number of lines shown.
    """

    def __init__(self, scene: Any, size: Sequence[float]) -> None:
        self._rows = np.zeros((CAPACITY, 4, ROW), np.float32)  # [line, vertex, float]; four vertices are a quad
        self._rows[:, :, 6] = (1.0, -1.0, 2.0, -2.0)  # side of the line, +-1 at its start, +-2 at its end
        corner = np.array([[0, 1, 3], [0, 3, 2]]) + 4 * np.arange(CAPACITY)[:, None, None]
        self._indices = np.ascontiguousarray(corner.reshape(-1), np.uint16)
        # the column `velocity` has the other end and the side, `look` the colour
        geom = Geom(vertex_data(self._rows.reshape(-1, ROW), "vertex", "velocity", "look"))
        geom.addPrimitive(triangles(corner, 4 * CAPACITY))
        self._node = GeomNode("debug lines")
        self._node.addGeom(geom)  # must stay the only reference, or Panda3D would copy the vertices in every frame
        self._node.setBounds(OmniBoundingVolume())
        self._node.setFinal(True)
        self.path = NodePath(self._node)
        self.path.reparentTo(scene.root)
        self.path.hide(VEHICLE_MASK | STATIC_MASK)
        self.path.setShader(program("debug", "debug"), 1)
        self.path.setAttrib(ColorBlendAttrib.make(ColorBlendAttrib.MAdd, ColorBlendAttrib.OIncomingAlpha,
                                                  ColorBlendAttrib.OOneMinusIncomingAlpha), 1)  # fmt: skip
        self.path.setTransparency(TransparencyAttrib.MNone, 1)
        self.path.setBin("fixed", _ORDER)
        self.path.setDepthTest(False)
        self.path.setDepthWrite(False)
        self.path.setTwoSided(True)
        self.path.hide()
        self._size: Sequence[float] | None = None  # of the frame that the line width is adapted to, see `resize`
        self.resize(size)
        self.ends, self.count = _NO_LINES, 0

    def resize(self, size: Sequence[float]) -> None:
        """Adapt the line width to a frame of `size` (width, height), pixels."""
        if size != self._size:
            self._size = size
            half_width = max(1.0, 0.5 * LINE_WIDTH * size[1])  # pixels
            self.path.setShaderInput("debug_size", LVecBase4f(size[0], size[1], half_width, 0.0))

    def show(self, ends: np.ndarray, colours: np.ndarray) -> None:
        """Show lines, at most CAPACITY.

        Args:
            ends: [n, 2, 3] start and end of each line, m.
            colours: [n, 4] display colour (not linear) and opacity of each line.
        """
        count = min(len(ends), CAPACITY)
        self.ends, self.count = ends, count
        rows = self._rows[:count]
        rows[:, 0:2, 0:3] = ends[:count, 0, None]
        rows[:, 2:4, 0:3] = ends[:count, 1, None]
        rows[:, 0:2, 3:6] = ends[:count, 1, None]
        rows[:, 2:4, 3:6] = ends[:count, 0, None]
        rows[:, :, 7:11] = colours[:count, None]
        geom = self._node.modifyGeom(0)
        array = geom.modifyVertexData().modifyArray(0)
        array.uncleanSetNumRows(4 * count)
        memoryview(array).cast("B")[:] = np.ascontiguousarray(rows).reshape(-1).data.cast("B")
        index = geom.modifyPrimitive(0).modifyVertices()
        index.uncleanSetNumRows(6 * count)
        memoryview(index).cast("B")[:] = self._indices[: 6 * count].data.cast("B")
        self.path.show()

    def set_pose(self, position: Sequence[float] | np.ndarray, orientation: Sequence[float] | np.ndarray) -> None:
        """Place all lines by a translation, m, and a rotation, quaternion (x, y, z, w)."""
        x, y, z, w = (float(v) for v in orientation)
        self.path.setPosQuat(Point3(*(float(v) for v in position)), LQuaternionf(w, x, y, z))

    def hide(self) -> None:
        """Show no lines."""
        if self.count:
            self.ends, self.count = _NO_LINES, 0
        self.path.hide()

    def close(self) -> None:
        """Remove the lines from the scene."""
        self.path.removeNode()
