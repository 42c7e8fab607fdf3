"""The first picture of a place, drawn before a drive begins there."""

from __future__ import annotations

import math

BACK, UP = 7.0, 2.5  # m behind and above the place


def draw_ahead(base, scene, place) -> None:
    """Draw a place (position, height or None, heading) before anything stands there.

    Textures and shaders reach the driver, which lets other threads run meanwhile.
    """
    x, y = (float(v) for v in place.position)
    ground = float(scene.ground_heights(x, y) if place.height is None else place.height)
    eye = (x + BACK * math.sin(place.heading), y - BACK * math.cos(place.heading), ground + UP)
    for view in scene.vehicles:
        view.root.setPos(x, y, ground)
    base.camera.setPos(*eye)
    base.camera.setHpr(math.degrees(place.heading), 0.0, 0.0)
    scene.update(eye)
    base.graphicsEngine.renderFrame()
    for view in scene.vehicles:
        view.root.clearTransform()
    scene.redraw_shadows()
