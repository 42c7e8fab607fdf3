"""Drawing of ghosts: translucent vehicles of other drives, and lines on the ground along their paths."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from panda3d.core import (
    ColorBlendAttrib,
    ColorWriteAttrib,
    DepthTestAttrib,
    GeomNode,
    LVecBase4f,
    NodePath,
    PTA_LVecBase4f,
    RenderAttrib,
    TransparencyAttrib,
)

from driving_sandbox.game.session.frame import VehicleFrame
from driving_sandbox.game.view.gl.geometry import mesh
from driving_sandbox.game.view.gl.shading import program
from driving_sandbox.game.view.light.shadow import STATIC_MASK, VEHICLE_MASK
from driving_sandbox.game.view.vehicle.belt import SWITCH
from driving_sandbox.game.view.vehicle.rotations import rotate, rotate_back
from driving_sandbox.game.view.vehicle.vehicle import VehicleView

GHOST_STRENGTH = 0.5  # opacity
INVISIBLE = 0.3  # a ghost is not drawn while its `separation` from a vehicle is smaller than this
FULL = 1.0  # a ghost is drawn at full strength while its `separation` from all vehicles is larger than this
LINE_WIDTH = 0.24  # m
LINE_HEIGHT = 0.03  # m above the path, which is on the road
MIN_STEP = 0.05  # m between two points of a line
# colours of the first, second, ... ghost, display RGB
COLOURS = ((0.25, 0.72, 1.0), (1.0, 0.62, 0.15), (0.55, 0.95, 0.45), (0.95, 0.45, 0.85), (0.95, 0.95, 0.5))
_DEPTH_ORDER, _COLOUR_ORDER = 10, 20  # draw order of a ghost's depth and colour in the bin "fixed": after smoke (5)
_TOP = 1  # priority over the render states of a vehicle's nodes


def separation(a: VehicleView, b: VehicleView) -> float:
    """Distance of two vehicles relative to their size: 0 at the same position, 1 where their bounding boxes touch.

    The bounding box of `b` is taken in the orientation of `a`.
    """
    assert a.frame is not None and b.frame is not None  # both are drawn
    from_a, from_b = (np.add(rotate(frame.body_orientation, (view.low + view.high) / 2.0), frame.body_position)
                      for view, frame in ((a, a.frame), (b, b.frame)))  # fmt: skip
    between = rotate_back(a.frame.body_orientation, from_b - from_a)
    return float((np.abs(between) / ((a.high - a.low + b.high - b.low) / 2.0)).max())


class GhostView(VehicleView):
    """A translucent vehicle without a shadow; call `update` in each frame, `close` at the end.

    It is drawn twice, first its depth only, so that only its nearest surface is visible. It fades while it overlaps one
    of the scene's vehicles, because coinciding surfaces would z-fight.

    Args:
        colour: display RGB.
        strength: opacity while nothing is near.
    """

    def __init__(self, scene: Any, model_path: Path, colour: Sequence[float], strength: float = GHOST_STRENGTH) -> None:
        super().__init__(scene, model_path)
        # vehicles near which it fades; whether `show` wants it drawn; share of its opacity
        self._solid, self._shown, self._share = scene.vehicles, True, 1.0
        self.root.hide(VEHICLE_MASK | STATIC_MASK)
        self._depth = scene.root.attachNewNode("depth of a ghost")
        self._depth.hide(VEHICLE_MASK | STATIC_MASK)
        shader = program("vehicle", "ghost", scene.quality.upper())
        self.root.setShader(shader, _TOP)
        for belt in self.belts:
            belt.path.setShader(program("vehicle", "ghost", scene.quality.upper(), SWITCH), _TOP + 1)
        self._full_colour, self._colour = (*colour, strength), PTA_LVecBase4f([LVecBase4f(*colour, strength)])
        self.root.setShaderInput("ghost_colour", self._colour)
        self._drawn = scene.root.attachNewNode("ghost")
        for path, order in ((self._depth, _DEPTH_ORDER), (self._drawn, _COLOUR_ORDER)):
            self.root.instanceTo(path)
            path.setBin("fixed", order, _TOP)
            path.setDepthWrite(order == _DEPTH_ORDER, _TOP)
        self.root.detachNode()
        self._depth.setAttrib(ColorWriteAttrib.make(ColorWriteAttrib.COff), _TOP)
        self._drawn.setAttrib(_blend(), _TOP)
        self._drawn.setAttrib(DepthTestAttrib.make(RenderAttrib.MLessEqual), _TOP)

    def show(self, shown: bool = True) -> None:
        """Show or hide the ghost."""
        self._shown = shown
        for path in (self._depth, self._drawn):
            path.show() if shown and self._share > 0.0 else path.hide()

    def update(self, frame: VehicleFrame) -> None:
        """Pose all nodes; to be called after the `update` of the scene's vehicles."""
        super().update(frame)
        smallest = min((separation(view, self) for view in self._solid if view.frame is not None), default=FULL)
        self._share = min(1.0, max(0.0, (smallest - INVISIBLE) / (FULL - INVISIBLE)))
        *colour, strength = self._full_colour
        self._colour.setElement(0, LVecBase4f(*colour, strength * self._share))
        self.show(self._shown)

    def close(self) -> None:
        """Remove the ghost's nodes."""
        self._depth.removeNode()
        self._drawn.removeNode()


def _blend() -> RenderAttrib:
    return ColorBlendAttrib.make(ColorBlendAttrib.MAdd, ColorBlendAttrib.OIncomingAlpha,
                                 ColorBlendAttrib.OOneMinusIncomingAlpha)  # fmt: skip


class GroundLine:
    """A coloured line on the ground along a path, drawn by `show`.

    Args:
        scene: Scene.
        colour: display RGB.
        strength: opacity.
        width: width of the line, m.
    """

    def __init__(self, scene: Any, colour: Sequence[float], strength: float = 0.85, width: float = LINE_WIDTH) -> None:
        self._width = width
        self.node = GeomNode("path")
        self.path = NodePath(self.node)
        self.path.reparentTo(scene.root)
        self.path.hide(VEHICLE_MASK | STATIC_MASK)
        self.path.setShader(program("line", "line"), _TOP)
        self.path.setShaderInput("line_colour", LVecBase4f(*colour, strength))
        self.path.setAttrib(_blend(), _TOP)
        self.path.setTransparency(TransparencyAttrib.MNone, _TOP)
        self.path.setBin("fixed", 0)
        self.path.setDepthWrite(False)
        self.path.setTwoSided(True)
        self._points: np.ndarray | None = None  # the array that is shown

    def show(self, points: np.ndarray | None) -> None:
        """Draw the line along points [n, 3], m; None hides it. The same array again has no effect."""
        if points is self._points:
            return
        self._points = points
        self.node.removeAllGeoms()
        if points is None:
            return
        rows, indices = ribbon(np.asarray(points, float), self._width)
        if len(indices):
            self.node.addGeom(mesh(rows, indices, "vertex", "look"))

    def close(self) -> None:
        """Remove the line from the scene."""
        self.path.removeNode()


def ribbon(points: np.ndarray, width: float) -> tuple[np.ndarray, np.ndarray]:
    """(rows of vertex and look, triangles) of a flat band along points [n, 3], m.

    `look` is the side (1 left, -1 right), the share of the points up to here, 0 and 0. Both arrays are empty if the
    path is shorter than MIN_STEP.
    """
    if len(points) > 1:
        distance = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
        steps = np.floor(distance / MIN_STEP)
        points = points[np.concatenate([[True], np.diff(steps) > 0])]
    if len(points) < 2:
        return np.zeros((0, 7), np.float32), np.zeros((0, 3), np.int64)
    tangent = np.gradient(points[:, :2], axis=0)
    tangent /= np.maximum(np.linalg.norm(tangent, axis=1, keepdims=True), 1e-9)
    left = np.column_stack([-tangent[:, 1], tangent[:, 0], np.zeros(len(points))]) * (width / 2.0)
    rows = np.zeros((2 * len(points), 7), np.float32)
    rows[0::2, :3], rows[1::2, :3] = points + left, points - left
    rows[:, 2] += LINE_HEIGHT
    rows[0::2, 3], rows[1::2, 3] = 1.0, -1.0
    rows[:, 4] = np.repeat(np.linspace(0.0, 1.0, len(points)), 2)
    first = np.arange(0, 2 * (len(points) - 1), 2)[:, None]
    return rows, np.concatenate([first + (0, 1, 2), first + (2, 1, 3)])
