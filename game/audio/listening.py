"""The listener's path over the ticks of a frame.

Cameras move once per frame, vehicles in every tick. A listener that stood still during the ticks of a frame and then
jumped would hear every vehicle shifted in pitch, up and down, sixty times a second. So the camera's position is
interpolated to the ticks between two frames.
"""

from typing import Any

import numpy as np

from driving_sandbox.sound.follower import IN_CABIN, ON_BONNET

CUT = 200.0  # m/s; a camera that moves faster was switched or set back, and is not interpolated


class Listening:
    """Fills the LISTENERs of ticks from the cameras of frames.

    Args:
        tick_seconds: length of a tick, s.
    """

    def __init__(self, tick_seconds: float) -> None:
        self._tick_seconds = tick_seconds
        self._last: tuple[float, np.ndarray] | None = None  # time in ticks, and the words of the listener then

    def restart(self) -> None:
        """Forget the last frame: the camera was switched, or the world has jumped."""
        self._last = None

    def fill(self, listeners: np.ndarray, ticks: np.ndarray, view: Any, moment: float) -> None:
        """Fill the listeners of the ticks since the last frame.

        Args:
            listeners: LISTENER [ticks]; its surroundings (sound/space/room.py) is left as it is.
            ticks: numbers of the ticks.
            view: View of the frame, at the time `moment` in ticks; usually between the last two ticks.
        """
        listener = _words(view)
        words = listeners.view(np.float64).reshape(len(listeners), -1)
        words[:, : len(listener)] = listener
        if self._last is not None and moment > self._last[0]:
            before, start = self._last[1], self._last[0]
            distance = np.linalg.norm(listener[:3] - before[:3])
            if distance < CUT * self._tick_seconds * (moment - start):
                share = (ticks - start) / (moment - start)
                words[:, :6] = before[:6] + share[:, None] * (listener[:6] - before[:6])  # position and right
        self._last = moment, listener


def _words(view: Any) -> np.ndarray:
    """position, right, inside and bonnet of a View, as a LISTENER has them."""
    forward = np.asarray(view.target, dtype=np.float64) - view.position
    right = np.cross(forward, (0.0, 0.0, 1.0) if view.up is None else view.up)
    length = np.linalg.norm(right)
    right = right / length if length > 0.0 else np.array([1.0, 0.0, 0.0])
    return np.array([*view.position, *right, view.listener in IN_CABIN, view.listener in ON_BONNET])
