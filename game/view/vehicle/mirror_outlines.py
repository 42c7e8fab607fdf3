"""Screen rectangles of a vehicle's mirrors, which the HUD keeps clear of.

The mirrors' glass is one mesh or several; its points belong to the inside, left or right mirror by their lateral
position. Housings are not recognised in the model, but added as a fixed share of the glass's size.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from panda3d.core import LMatrix4f, NodePath

from driving_sandbox.game.view.gl.geometry import column_of, matrix_array
from driving_sandbox.game.view.vehicle.vehicle import INNER_MIRROR, VehicleView

HOUSING = 0.12  # thickness of the housing around the glass, as a fraction of the glass's width or height
MIN_DEPTH = 0.05  # m ahead of the eye; nearer points cannot be projected


class MirrorOutlines:
    """Screen rectangles of the mirrors of one VehicleView at a time, whose glass is measured once."""

    def __init__(self) -> None:
        self._view: VehicleView | None = None
        self._boxes: list[tuple[NodePath, np.ndarray]] = []  # `_glass_boxes` of `_view`

    def rectangles(self, base: Any, view: VehicleView | None) -> list[tuple[float, float, float, float]]:
        """[(left, top, right, bottom)] of the mirrors in the frame of the camera of `base`, a ShowBase.

        In fractions of the frame's width and height, from its top left corner; empty unless the eye is inside the
        vehicle.
        """
        if view is None or not view.mirrors or not view.holds(base.camera.getPos(view.body)):
            return []
        if view is not self._view:
            self._view, self._boxes = view, _glass_boxes(view)
        projection = LMatrix4f(base.camLens.getProjectionMat())
        outlines = [_outline(corners @ matrix_array(LMatrix4f(node.getMat(base.cam)) * projection))
                    for node, corners in self._boxes]  # fmt: skip
        return [outline for outline in outlines if outline is not None]


def _glass_boxes(view: VehicleView) -> list[tuple[NodePath, np.ndarray]]:
    """[(node, corners [8, 4] of a bounding box in the node's frame, homogeneous)] of each mirror."""
    boxes = []
    for node in view.mirrors:
        points = column_of(node.node().getGeom(0), "vertex").astype(float)
        lateral = (points @ matrix_array(node.getMat(view.body))[:3, :3])[:, 0] + node.getPos(view.body)[0]
        for mask in (np.abs(lateral) <= INNER_MIRROR, lateral < -INNER_MIRROR, lateral > INNER_MIRROR):
            if mask.any():
                low, high = points[mask].min(axis=0), points[mask].max(axis=0)
                boxes.append((node, np.array([(x, y, z, 1.0) for x in (low[0], high[0]) for y in (low[1], high[1])
                                            for z in (low[2], high[2])])))  # fmt: skip
    return boxes


def _outline(clip: np.ndarray) -> tuple[float, float, float, float] | None:
    """(left, top, right, bottom) around corners [8, 4] in clip coordinates, with the housing, as in `rectangles`.

    None if the mirror is outside the frame or extends behind the eye.
    """
    if (clip[:, 3] < MIN_DEPTH).any():
        return None
    x, y = 0.5 + 0.5 * clip[:, 0] / clip[:, 3], 0.5 - 0.5 * clip[:, 1] / clip[:, 3]
    margin_x, margin_y = HOUSING * np.ptp(x), HOUSING * np.ptp(y)
    left, top, right, bottom = x.min() - margin_x, y.min() - margin_y, x.max() + margin_x, y.max() + margin_y
    if right <= 0.0 or bottom <= 0.0 or left >= 1.0 or top >= 1.0:
        return None
    return float(left), float(top), float(right), float(bottom)
