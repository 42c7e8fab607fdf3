"""Where a picture is taken from, and the turns of a vehicle that cameras share."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

USUAL_LENS = math.tan(math.radians(28.0))  # half the picture's width, 1 m away, of the chase camera


@dataclass
class View:
    """Where the picture is taken from; `up` None means world up; `fov` horizontal in rad."""

    position: np.ndarray
    target: np.ndarray
    fov: float
    up: np.ndarray | None = None


def axes_of(q) -> np.ndarray:
    """Rows: the right, forward and up axis of orientation q (x, y, z, w) in the world."""
    x, y, z, w = (float(v) for v in q)
    right = (1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y))
    ahead = (2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x))
    up = (2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y))
    return np.array([right, ahead, up])


def turned(pitch: float, yaw: float, roll: float) -> np.ndarray:
    """Rows: right, forward and up after a yaw to the left, a pitch upwards and a roll to the right, in this order."""
    cp, sp, cy, sy, cr, sr = (f(a) for a in (pitch, yaw, roll) for f in (math.cos, math.sin))
    right, ahead = np.array([cy, sy, 0.0]), np.array([-sy * cp, cy * cp, sp])
    up = np.cross(right, ahead)
    return np.array([right * cr - up * sr, ahead, up * cr + right * sr])


def angles_of(axes: np.ndarray) -> tuple[float, float, float]:
    """(pitch, yaw, roll) of which `turned` makes these axes. Straight up or down, yaw is that of the right axis."""
    right, ahead, up = axes
    pitch = math.asin(min(1.0, max(-1.0, float(ahead[2]))))
    if math.hypot(ahead[0], ahead[1]) < 1e-6:
        return pitch, math.atan2(right[1], right[0]), 0.0
    return pitch, math.atan2(-ahead[0], ahead[1]), math.atan2(-right[2], up[2])


def blended(a: View, b: View, share: float) -> View:
    """From a (0) to b (1)."""
    up_a, up_b = (np.array([0.0, 0.0, 1.0]) if v.up is None else v.up for v in (a, b))
    up = up_a + (up_b - up_a) * share
    ray_a, ray_b = a.target - a.position, b.target - b.position
    ray = ray_a / np.linalg.norm(ray_a) * (1 - share) + ray_b / np.linalg.norm(ray_b) * share
    if np.linalg.norm(ray) < 0.05:  # opposite directions: turn aside, not through the middle
        ray = ray + np.cross(up_b, ray_b / np.linalg.norm(ray_b))
    position = a.position + (b.position - a.position) * share
    return View(position, position + ray * 10.0, a.fov + (b.fov - a.fov) * share, up)


def swung(a: View, b: View, about, share: float) -> View:
    """From a (0) to b (1) around the vertical through a point, the shorter way round, so not through the vehicle."""
    azimuths = [math.atan2(v.position[1] - about[1], v.position[0] - about[0]) for v in (a, b)]
    turn = math.remainder(azimuths[1] - azimuths[0], 2.0 * math.pi)
    return blended(_turned_about(a, about, turn * share), _turned_about(b, about, turn * (share - 1.0)), share)


def _turned_about(view: View, about, angle: float) -> View:
    """The view turned about the vertical through a point, to the left."""
    c, s = math.cos(angle), math.sin(angle)
    turn, about = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]), np.asarray(about)
    position, target = (about + turn @ (point - about) for point in (view.position, view.target))
    return View(position, target, view.fov, None if view.up is None else turn @ view.up)
