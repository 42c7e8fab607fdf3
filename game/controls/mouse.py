"""Steering by the mouse: the pointer's distance from the window's middle steers, its buttons are throttle and brake.

Off until the user switches it on. A pointer over the interface steers nothing, so that panels can be used; the car then
rolls on with the wheels straight.
"""

from typing import Any

from driving_sandbox.game.controls.bindings import AxisBinding
from driving_sandbox.game.controls.inputs import AnalogInput

FULL = 0.6  # share of half the window's width at which the steering is full
DEAD_ZONE = 0.02  # share of that around the middle without effect
CURVE = 1.5  # exponent: fine near the middle
ON = "Steering by the mouse: left button throttle, right button brake"
OFF = "Steering by the mouse is off"


class MouseSteering:
    """Turns the pointer into steering while it is on.

    Attributes:
        on: whether the mouse steers.
    """

    def __init__(self) -> None:
        self.on = False
        self._binding = AxisBinding(0, -FULL, FULL, dead_zone=DEAD_ZONE, curve=CURVE)

    def toggle(self) -> str:
        """Switch it on or off; returns what to tell the driver."""
        self.on = not self.on
        return ON if self.on else OFF

    def read(self, x: float | None, throttle: bool, brake: bool) -> AnalogInput:
        """The input of this frame.

        Args:
            x: position of the pointer from -1 at the window's left edge to 1; None outside or over the interface.
            throttle, brake: whether the left and the right button are down.
        """
        if not self.on or x is None:
            return AnalogInput()
        return AnalogInput(steer=self._binding.two_sided(x), throttle=float(throttle), brake=float(brake))


def pointer(watcher: Any, wanted: bool) -> tuple[float | None, bool, bool]:
    """Arguments of `MouseSteering.read` from Panda3D's MouseWatcher. wanted: whether the interface uses the mouse."""
    has_mouse = watcher is not None and not wanted and watcher.has_mouse()
    if not has_mouse:
        return None, False, False
    x = watcher.get_mouse_x()
    return x, watcher.is_button_down("mouse1"), watcher.is_button_down("mouse3")
