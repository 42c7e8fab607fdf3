"""Draws one frame at a spawn point before the drive starts there."""

from __future__ import annotations

import math
from typing import Any

BACK, UP = 7.0, 2.5  # m, camera behind and above the position


def preload_spawn_view(base: Any, scene: Any, placement: Any) -> None:
    """Draw one frame at a placement (position, height or None, heading), with all vehicles' models moved there for it.

    This uploads textures and shaders to the graphics driver while other threads run.
    """
    x, y = (float(v) for v in placement.position)
    ground = float(scene.ground_heights(x, y) if placement.height is None else placement.height)
    eye = (x + BACK * math.sin(placement.heading), y - BACK * math.cos(placement.heading), ground + UP)
    for view in scene.vehicles:
        view.root.setPos(x, y, ground)
    base.camera.setPos(*eye)
    base.camera.setHpr(math.degrees(placement.heading), 0.0, 0.0)
    scene.update(eye)
    base.graphicsEngine.renderFrame()
    for view in scene.vehicles:
        view.root.clearTransform()
    scene.redraw_shadows()
