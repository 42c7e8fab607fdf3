"""Looking back: while the key is held, the camera's view is rotated by half a turn about the vehicle."""

from collections.abc import Callable

import numpy as np

from driving_sandbox.game.view.cameras.view import View
from driving_sandbox.sound.follower import LOOKING_BACK

CLEARANCE = 0.5  # m, minimum height above the ground, which may rise in front of the vehicle
_HALF_TURN = np.array([-1.0, -1.0, 1.0])  # factors of a rotation by half a turn about the vertical axis


def looking_back(view: View, centre: np.ndarray, height_at: Callable[[float, float], float]) -> View:
    """A View rotated by half a turn about the vertical axis through `centre`, kept above the ground."""
    position = centre + (view.position - centre) * _HALF_TURN
    target = centre + (view.target - centre) * _HALF_TURN
    up = None if view.up is None else view.up * _HALF_TURN
    position[2] = max(position[2], height_at(position[0], position[1]) + CLEARANCE)
    # no camera of a soundtrack looks back from the chase camera's place in front of the vehicle: heard from `position`
    return View(position, target, view.fov, up=up, listener=LOOKING_BACK.get(view.listener, ""))
