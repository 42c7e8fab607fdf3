"""Cameras attached to a vehicle (RC-CAM-01 to RC-CAM-04 in docs/coverage.md), and a trackside camera near its path.

A follow camera has an offset from the vehicle's origin and a viewing direction. Both are in axes that rotate with the
vehicle only in those of pitch, yaw and roll that the camera follows. The trackside camera stands at a post (a position
beside the vehicle's path) and pans and zooms to keep the vehicle in frame. When the vehicle is more than POST_REACH
away, or out of sight for more than MAX_UNSEEN, the camera moves to a new post: ahead, or behind if all are obstructed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from driving_sandbox.game.session.frame import VehicleFrame
from driving_sandbox.game.view.cameras.view import View, angles_of, axes_of, rotated_axes

POST_REACH = 75.0  # m from a post to the vehicle; beyond, another post is taken
POST_AHEAD = (48.0, 30.0, 15.0)  # m ahead of the vehicle, where posts are tried
POST_ASIDE = (9.0, -9.0, 14.0, -14.0)  # m to the right of the vehicle's path; negative: to the left
POST_HEIGHT = (1.7, 4.0, 9.0)  # m above the ground
MAX_UNSEEN = 0.5  # s out of sight until another post is taken
WIDTH_SEEN = 2.25  # width of the frame at the vehicle, in vehicle lengths
SHORTFALL = 1.0  # m at the vehicle's end of the line of sight, not tested because the vehicle itself is there
AIM_HEIGHT = 0.6  # m from the vehicle's origin up to the point that the camera aims at
FALLBACK_BACK, FALLBACK_UP = 8.0, 3.0  # m behind and above the vehicle: the post if all others are obstructed
MIN_HEIGHT = 1.0  # m, minimum height of that post above the ground
MIN_FOV, MAX_FOV = math.radians(5.0), math.radians(58.0)  # horizontal, of the trackside camera


@dataclass
class FollowSettings:
    """Settings of a follow camera, see configs/cameras/default.yaml.

    Attributes:
        pitch, yaw, roll: whether the camera follows these rotations of the vehicle.
        angle: viewing direction (down, to the left, tilt to the right), rad.
        offset: from the vehicle's origin (right, forward, up), m.
        fov: horizontal field of view, rad.
    """

    pitch: bool = True
    yaw: bool = True
    roll: bool = True
    angle: tuple = (0.0, 0.0, 0.0)
    offset: tuple = (0.0, 0.0, 0.0)
    fov: float = math.radians(56.0)


class FollowCamera:
    """A camera attached to the vehicle, see the module's docstring.

    Attributes:
        external: whether the camera is outside the vehicle; changes between two such cameras swing around the vehicle.
    """

    def __init__(self, settings: FollowSettings, external: bool = True) -> None:
        self.settings, self.external = settings, external

    def snap(self) -> None:
        """Do nothing: this camera has no state."""

    def update(self, frame: VehicleFrame, dt: float) -> View:
        """The view of this frame."""
        settings = self.settings
        pitch, yaw, roll = angles_of(axes_of(frame.body_orientation))
        followed = rotated_axes(pitch * settings.pitch, yaw * settings.yaw, roll * settings.roll)
        position = frame.body_position + np.asarray(settings.offset) @ followed
        down, left, tilt = settings.angle
        right, ahead, up = rotated_axes(-down, left, tilt) @ followed
        return View(position, position + ahead * 10.0, settings.fov, up)


class TracksideCamera:
    """A camera beside the road, see the module's docstring.

    Args:
        height_at: function(x, y) -> height of the ground, m.
        cast: as in Boom, or None.
    """

    external = False  # neither shortened by the boom nor swung: it searches for unobstructed positions itself

    def __init__(
        self, height_at: Callable[[float, float], float], cast: Callable[..., float | None] | None = None
    ) -> None:
        self._height_at, self._cast = height_at, cast
        self.length = 4.0  # m, length of the vehicle
        self.post: np.ndarray | None = None  # position of the camera, m
        self._last: np.ndarray | None = None  # position of the vehicle in the last frame, m
        # s for which the vehicle has been out of sight; its horizontal direction of travel
        self._unseen, self._direction = 0.0, np.array([0.0, 1.0, 0.0])

    def snap(self) -> None:
        """Take a new post in the next frame."""
        self.post = self._last = None

    def _free(self, eye: np.ndarray, target: np.ndarray) -> bool:
        """Whether the line of sight from `eye` to `target` is free."""
        offset = target - eye
        length = float(np.linalg.norm(offset))
        return self._cast is None or self._cast(eye, offset / length, length - SHORTFALL) is None

    def _candidates(self, at: np.ndarray) -> Iterator[np.ndarray]:
        """Positions for a post near `at`, in order of preference, at several heights above the ground."""
        rightward = np.array([self._direction[1], -self._direction[0], 0.0])
        for height in POST_HEIGHT:
            for ahead in POST_AHEAD:
                for aside in POST_ASIDE:
                    eye = at + self._direction * ahead + rightward * aside
                    ground = self._height_at(eye[0], eye[1])
                    if math.isfinite(ground):
                        eye[2] = ground + height
                        yield eye

    def update(self, frame: VehicleFrame, dt: float) -> View:
        """The view of this frame, from the present post or a new one.

        Within its limits, the field of view keeps the vehicle's size in the frame constant.
        """
        at = np.asarray(frame.body_position, dtype=float) + (0.0, 0.0, AIM_HEIGHT)
        if self._last is None:
            self._direction = axes_of(frame.body_orientation)[1] * (1.0, 1.0, 0.0)  # the forward axis
        elif np.linalg.norm(at - self._last) > 0.02:  # m; a shorter step has no clear direction
            self._direction = (at - self._last) * (1.0, 1.0, 0.0)
        self._direction = self._direction / max(float(np.linalg.norm(self._direction)), 1e-9)
        self._last = at
        post = self.post
        visible = post is not None and self._free(post, at)
        self._unseen = 0.0 if visible else self._unseen + dt
        if post is None or np.linalg.norm(post - at) > POST_REACH or self._unseen > MAX_UNSEEN:
            post = next((eye for eye in self._candidates(at) if self._free(eye, at)), None)
            if post is None:
                post = at - self._direction * FALLBACK_BACK + (0.0, 0.0, FALLBACK_UP)
                post[2] = max(post[2], self._height_at(post[0], post[1]) + MIN_HEIGHT)
            self.post, self._unseen = post, 0.0
        distance = float(np.linalg.norm(at - post))
        fov = 2.0 * math.atan(0.5 * WIDTH_SEEN * self.length / max(distance, 0.1))
        return View(post, at, min(MAX_FOV, max(MIN_FOV, fov)))
