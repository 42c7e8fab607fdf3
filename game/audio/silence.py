"""Silence: has the methods of `Hearing` but plays nothing, for drives and replays without sound."""

from collections.abc import Callable
from typing import Any

import numpy as np

from driving_sandbox.sound.interface.kinds import Kind


class Silence:
    """Does nothing. The docstrings of its methods say what those of its subclass `Hearing` do.

    Attributes:
        problem: what prevents sound, as a missing device or an option of the command line; "" for nothing.
        focused: whether the program's window has the keyboard.
        compiling: whether a worker process is compiling the kernels of the sound.
        audible: whether the user hears the drive now.
        pace: factor on real time (close to 1) at which the program must run to stay in step with the device's clock.
    """

    problem = ""
    focused = True
    compiling = False
    audible = False

    @property
    def pace(self) -> float:
        """As in the class's docstring."""
        return 1.0

    def tick(self) -> None:
        """Take over the state of the world after a tick."""

    def frame(self, view: Any, moment: float, speed: float) -> None:
        """Send the ticks since the last frame to the audio thread, and note whether kernels are compiled and the device
        is there.

        Args:
            view: View of the camera.
            moment: time that the view belongs to, in ticks of the world.
            speed: simulated seconds per real second, 0 while time stands still.
        """

    def jumped(self) -> None:
        """The world has jumped: interpolate nothing between the states before and after, and sound no impact for it."""

    def recent(self) -> "Heard | None":
        """(the last 0.1 s of samples, mean of both channels; engine speed at their end, rad/s), or None."""
        return None

    def set_levels(self) -> None:
        """Apply the volumes of the settings."""

    def toggle(self) -> None:
        """Switch the sound off or on."""

    def choose_device(self, name: str) -> None:
        """Play on another device."""

    def devices(self) -> list[str]:
        """Names of the devices that can be chosen."""
        return []

    def play_interface_sound(self, kind: Kind) -> None:
        """Play a sound of the interface now, also while the drive is not heard."""

    def hush(self) -> None:
        """Fade out until the next frame, as something is loaded."""

    def close(self) -> None:
        """Stop. Safe to call twice."""


class SwitchedOff(Silence):
    """Nothing is heard, by the option `--no-sound`."""

    problem = "no sound: it is switched off by the option --no-sound"

    def __init__(self, say: "Say") -> None:
        self._say = say

    def toggle(self) -> None:
        """Tell the user why nothing is heard."""
        self._say(self.problem)


Heard = tuple[np.ndarray, float]  # as `Silence.recent` returns it
Say = Callable[..., None]  # function(text, level="info")
