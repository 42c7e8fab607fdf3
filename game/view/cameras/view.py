"""The View of a camera, and functions for rotations and for blending views."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

AHEAD = 10.0  # m, of a blended view's target; only its direction matters
OPPOSITE = 0.05  # length of the mean of two unit vectors below which they count as opposite
USUAL_LENS = math.tan(math.radians(28.0))  # tangent of half the chase camera's horizontal field of view


@dataclass
class View:
    """Position, viewing direction and field of view of a camera.

    Attributes:
        position: position of the camera, m.
        target: a point in the middle of the frame, m.
        fov: horizontal field of view, rad.
        up: axis that points up in the frame, None for the world's z axis.
        listener: camera of the soundtrack (sound/follower.py) that hears what is seen; "": heard from `position`.
    """

    position: np.ndarray
    target: np.ndarray
    fov: float
    up: np.ndarray | None = None
    listener: str = ""


def axes_of(q: Sequence[float] | np.ndarray) -> np.ndarray:
    """Rows: the right, forward and up axis of orientation q (x, y, z, w) in the world."""
    x, y, z, w = (float(v) for v in q)
    right = (1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y))
    forward = (2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x))
    up = (2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y))
    return np.array([right, forward, up])


def rotated_axes(pitch: float, yaw: float, roll: float) -> np.ndarray:
    """Rows: right, forward and up axis after a yaw to the left, a pitch upwards and a roll to the right, in this order.

    Angles in rad, positive in these directions. A roll to the right lowers the right axis.
    """
    cp, sp, cy, sy, cr, sr = (f(a) for a in (pitch, yaw, roll) for f in (math.cos, math.sin))
    right, forward = np.array([cy, sy, 0.0]), np.array([-sy * cp, cy * cp, sp])
    up = np.cross(right, forward)
    return np.array([right * cr - up * sr, forward, up * cr + right * sr])


def angles_of(axes: np.ndarray) -> tuple[float, float, float]:
    """(pitch, yaw, roll), rad, from which `rotated_axes` makes these axes.

    If the forward axis points straight up or down, yaw is that of the right axis, and roll is 0.
    """
    right, forward, up = axes
    pitch = math.asin(min(1.0, max(-1.0, float(forward[2]))))
    if math.hypot(forward[0], forward[1]) < 1e-6:
        return pitch, math.atan2(right[1], right[0]), 0.0
    return pitch, math.atan2(-forward[0], forward[1]), math.atan2(-right[2], up[2])


def blended(a: View, b: View, share: float) -> View:
    """The view at `share` of the way from a (0) to b (1), along a straight line."""
    up_a, up_b = (np.array([0.0, 0.0, 1.0]) if v.up is None else v.up for v in (a, b))
    up = up_a + (up_b - up_a) * share
    ray_a, ray_b = a.target - a.position, b.target - b.position
    ray = ray_a / np.linalg.norm(ray_a) * (1 - share) + ray_b / np.linalg.norm(ray_b) * share
    if np.linalg.norm(ray) < OPPOSITE:  # opposite directions have no mean: turn sideways
        ray = ray + np.cross(up_b, ray_b / np.linalg.norm(ray_b))
    position = a.position + (b.position - a.position) * share
    return View(position, position + ray * AHEAD, a.fov + (b.fov - a.fov) * share, up)


def swung(a: View, b: View, about: Sequence[float] | np.ndarray, share: float) -> View:
    """The view at `share` of the way from a (0) to b (1), around the vertical axis through the point `about`.

    Of the two ways around, it takes the shorter one. So it does not pass through a vehicle at `about`.
    """
    azimuths = [math.atan2(v.position[1] - about[1], v.position[0] - about[0]) for v in (a, b)]
    turn = math.remainder(azimuths[1] - azimuths[0], 2.0 * math.pi)
    return blended(_rotated_about(a, about, turn * share), _rotated_about(b, about, turn * (share - 1.0)), share)


def _rotated_about(view: View, about: Sequence[float] | np.ndarray, angle: float) -> View:
    """The view rotated to the left by `angle`, rad, about the vertical axis through the point `about`."""
    c, s = math.cos(angle), math.sin(angle)
    rotation, centre = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]), np.asarray(about)
    position, target = (centre + rotation @ (point - centre) for point in (view.position, view.target))
    return View(position, target, view.fov, None if view.up is None else rotation @ view.up)
