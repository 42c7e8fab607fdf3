"""The driver's switches for the driving aids of the vehicle; each changes the parameter `enable` of an aid.

Like a change on the panel, the change is recorded and replayed, and can be undone.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from driving_sandbox.game.session.tuning import Tuning

AIDS = {  # {slot: (label of the lamp, name)}
    "abs": ("ABS", "anti-lock brakes"),
    "traction_control": ("TC", "traction control"),
    "stability_control": ("ESC", "stability control"),
    "hill_hold": ("HILL", "hill hold"),
}


class AidSwitch:
    """Switches the aids of the player's vehicle.

    Args:
        tuning: Tuning of the session.
        say: function(text), called with the new state of an aid.
    """

    def __init__(self, tuning: Tuning, say: Callable[[str], None]) -> None:
        self._tuning, self._say = tuning, say

    def toggle(self, slot: str) -> None:
        """Switch an aid of the player's vehicle, not of its trailers, off or on; or say that it does not have it."""
        name, path = AIDS[slot][1], f"{slot}.enable"
        with self._tuning.member(0) as tuning:
            vehicle = tuning.vehicle
            if vehicle is None or path not in {parameter.path for parameter in vehicle.parameters()}:
                self._say(f"this vehicle has no {name}")
                return
            on = not vehicle.get(path)
            tuning.set_parameter(path, on)
        self._say(f"{name} {'on' if on else 'off'}")

    def actions(self) -> dict[str, Callable[[], None]]:
        """{action: function} of the switches."""
        return {f"toggle_{slot}": partial(self.toggle, slot) for slot in AIDS}
