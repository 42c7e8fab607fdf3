"""The mouse turns the orbit and the free camera while its left button is held; the mouse wheel zooms the orbit camera.

A click, where the button goes down and up at one point, picks the part of the vehicle on the ray through that point.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from panda3d.core import Point3

if TYPE_CHECKING:
    from driving_sandbox.game.toolkit.backend import ImGuiBackend

MOUSE_TURN = 2.5  # rad that the camera turns while the mouse crosses half the window
ZOOM_STEP = 0.9  # factor on the camera's distance by one step of the mouse wheel
EVENTS = ("mouse1", "mouse1-up", "wheel_up", "wheel_down")  # Panda3D's names of the events that are listened to
CLICK_DISTANCE = 0.01  # share of half the window; a button released farther from where it was pressed is no click


def view_ray(base: Any, x: float, y: float) -> tuple[np.ndarray, np.ndarray]:
    """(origin, direction) in world axes of the ray through a point of the frame; the direction is not normalised.

    Args:
        x, y: position in the frame, -1..1, positive to the right and up.
    """
    near, far = Point3(), Point3()
    base.camLens.extrude((x, y), near, far)
    start, end = (np.array(base.render.getRelativePoint(base.cam, p)) for p in (near, far))
    return start, end - start


class MouseLook:
    """Moves a CameraRig by a window's mouse, unless the mouse is over the interface; call `update()` once a frame.

    `on_pick(origin, direction)` is called with the ray of a click.
    """

    def __init__(
        self,
        base: Any,
        ui: "ImGuiBackend",
        camera: Any,
        on_pick: Callable[[np.ndarray, np.ndarray], object] | None = None,
    ) -> None:
        self._base, self._ui, self._camera, self._on_pick = base, ui, camera, on_pick
        self._last: tuple[float, float] | None = None  # position of the mouse in the last frame
        self._pressed: tuple[float, float] | None = None  # where the button was pressed
        base.accept("mouse1", self._begin)
        base.accept("mouse1-up", self._end)
        base.accept("wheel_up", self._zoom, [ZOOM_STEP])
        base.accept("wheel_down", self._zoom, [1.0 / ZOOM_STEP])

    def close(self) -> None:
        """Stop listening."""
        for event in EVENTS:
            self._base.ignore(event)

    def _begin(self) -> None:
        if not self._ui.wants_mouse and self._base.mouseWatcherNode.hasMouse():
            x, y = self._base.mouseWatcherNode.getMouse()
            self._last = self._pressed = (x, y)

    def _end(self) -> None:
        """Stop turning; a press and release at one point was a click."""
        pressed, self._last, self._pressed = self._pressed, None, None
        if pressed is None or self._on_pick is None or not self._base.mouseWatcherNode.hasMouse():
            return
        x, y = self._base.mouseWatcherNode.getMouse()
        if max(abs(x - pressed[0]), abs(y - pressed[1])) < CLICK_DISTANCE:
            self._on_pick(*view_ray(self._base, x, y))

    def update(self) -> None:
        """Turn the camera by the motion of the mouse since the last frame."""
        if self._last is None or not self._base.mouseWatcherNode.hasMouse():
            return
        x, y = self._base.mouseWatcherNode.getMouse()
        yaw, pitch = (self._last[0] - x) * MOUSE_TURN, (self._last[1] - y) * MOUSE_TURN
        self._last = (x, y)
        if self._camera.mode == "orbit":
            self._camera.orbit.turn(yaw, pitch)
        elif self._camera.mode == "free":
            self._camera.free.turn(yaw, -pitch)  # a drag upwards looks up; it moves the orbit camera down

    def _zoom(self, factor: float) -> None:
        if not self._ui.wants_mouse and self._camera.mode == "orbit":
            self._camera.orbit.zoom(factor)
