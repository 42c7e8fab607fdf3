"""The mouse turns the orbit and the free camera while a button is held, the wheel moves the orbit camera."""

MOUSE_TURN = 2.5  # rad turned over half the window
ZOOM_STEP = 0.9  # distance left after one step of the wheel


class MouseLook:
    """Listens to a window's mouse for a CameraRig; call `update()` once a frame. The panel's mouse is left alone."""

    def __init__(self, base, ui, camera):
        self._base, self._ui, self._camera = base, ui, camera
        self._from = None
        base.accept("mouse1", self._begin)
        base.accept("mouse1-up", self._end)
        base.accept("wheel_up", self._zoom, [ZOOM_STEP])
        base.accept("wheel_down", self._zoom, [1.0 / ZOOM_STEP])

    def _begin(self):
        if not self._ui.wants_mouse and self._base.mouseWatcherNode.hasMouse():
            self._from = tuple(self._base.mouseWatcherNode.getMouse())

    def _end(self):
        self._from = None

    def update(self):
        """Turn by how far the mouse went since the last frame."""
        if self._from is None or not self._base.mouseWatcherNode.hasMouse():
            return
        x, y = self._base.mouseWatcherNode.getMouse()
        yaw, pitch = (self._from[0] - x) * MOUSE_TURN, (self._from[1] - y) * MOUSE_TURN
        self._from = (x, y)
        if self._camera.mode == "orbit":
            self._camera.orbit.turn(yaw, pitch)
        elif self._camera.mode == "free":
            self._camera.free.turn(yaw, -pitch)

    def _zoom(self, factor):
        if not self._ui.wants_mouse and self._camera.mode == "orbit":
            self._camera.orbit.zoom(factor)
