"""All cameras of a drive and the one in use.

One key cycles through ten cameras, in the order of configs/cameras. A change between two cameras is a smooth
transition; if both are outside the vehicle, the path leads around it. A change to or from a camera that does not ride
along is a cut, because walls and hills may be in between. The rig keeps chase, orbit, free and follow cameras above the
ground; the boom (game/view/cameras/chase.py) keeps chase, orbit and follow cameras out of walls. The trackside camera
searches for unobstructed posts itself, and the driver's eye is left where it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from panda3d.core import Point3, Vec3

from driving_sandbox.game.session.frame import VehicleFrame
from driving_sandbox.game.view.cameras.chase import Boom, ChaseCamera, FreeCamera, OrbitCamera, Spring
from driving_sandbox.game.view.cameras.eye import EyeCamera
from driving_sandbox.game.view.cameras.file import load_cameras
from driving_sandbox.game.view.cameras.follow import FollowCamera, FollowSettings, TracksideCamera
from driving_sandbox.game.view.cameras.view import View, blended, swung

PIVOT = np.array([0.0, 0.0, 0.9])  # m from the vehicle's origin to the boom's pivot, world axes
TRANSITION = 0.45  # s, length of a transition
MIN_HEIGHT = 0.15  # m, minimum height above the ground of chase, orbit, free and follow cameras
FOV_GAIN = math.radians(9.0)  # rad, added to the field of view of the eye and follow cameras, in full at FOV_SPEED
FOV_SPEED = 60.0  # m/s, speed from which FOV_GAIN is added in full
CAR_LENGTH = 4.0  # m, length of the vehicle for which scaled offsets are given
EYE_FROM_WHEEL = (0.0, -0.50, 0.34)  # m from the steering wheel's middle to the driver's eye
INSIDE_DISTANCE = 2.0  # m from the vehicle's origin; a follow camera nearer to it counts as inside the vehicle
DETACHED = ("trackside", "free")  # kinds of cameras that do not ride along
# {mode: camera of sound/follower.py at the same place}
LISTENERS = {"chase": "chase", "eye": "cabin", "bonnet": "bonnet"}


class CameraRig:
    """All cameras; writes the view of the one in use to ShowBase's camera.

    Args:
        height_at: function(x, y) -> height of the ground, m.
        cast: the ray cast of Boom; without it no camera is kept out of walls.
        vehicle: name of the vehicle's file without suffix.
    Attributes:
        mode: key of the camera in use (`CameraEntry.key`).
        modes: {key: name} of all cameras, in the order in which they are cycled through.
        on_choose: function(name of the camera), called when the key has chosen one, or None.
    """

    def __init__(
        self,
        base: Any,
        height_at: Callable[[float, float], float],
        cast: Callable[..., float | None] | None = None,
        vehicle: str = "default",
    ) -> None:
        self._base, self._height_at = base, height_at
        self._boom = Boom(cast) if cast else None
        self.chase, self.orbit, self.free = ChaseCamera(height_at), OrbitCamera(height_at), FreeCamera()
        self.trackside, self.eye = TracksideCamera(height_at, cast), EyeCamera()
        self._eye_position, settings, self.entries = load_cameras(vehicle)
        self.eye.settings = replace(self.eye.settings, **settings)
        self.follow: dict[str, FollowCamera] = {}
        self.modes: dict[str, str] = {}
        for entry in self.entries:
            self.modes[entry.key] = entry.name
            if entry.kind == "follow":
                self.follow[entry.key] = FollowCamera(
                    entry.follow, external=entry.at is None and not _inside(entry.follow)
                )
            elif entry.kind == "eye" and entry.fov:
                self.eye.fov = entry.fov
        self.mode = next(iter(self.modes))
        self.on_choose: Callable[[str], object] | None = None
        self.view: View | None = None
        self._former_view: View | None = None  # of the camera before, moved along with the vehicle
        # s since the last change of camera; whether its transition leads around the vehicle
        self._since_change, self._swings = TRANSITION, False
        self._speed = Spring(rate=2.0)  # smoothed speed of the vehicle, m/s
        self._last: np.ndarray | None = None  # last position of the vehicle, m

    def fit(self, position_of: Callable, length: float) -> None:
        """Mount the cameras on a vehicle.

        Args:
            position_of: function(node name) -> position of the node in the vehicle's model, m, or None.
            length: length of the vehicle, m.
        Raises ConfigError if the vehicle's own camera file names a node that the model lacks.
        """
        self.trackside.length = max(CAR_LENGTH, length)
        eye, wheel = self._eye_position or position_of("eye_pos"), position_of("steering_wheel")
        if eye is None and wheel is not None:
            eye = np.asarray(wheel) + EYE_FROM_WHEEL
        if eye is not None:
            self.eye.settings = replace(self.eye.settings, position=tuple(float(v) for v in eye))
        for entry in self.entries:
            if entry.kind != "follow":
                continue
            offset = np.array(entry.follow.offset) * (length / CAR_LENGTH if entry.scaled else 1.0)
            if (node := entry.node_position(position_of)) is not None:
                offset = offset + node
            camera = self.follow[entry.key]
            camera.settings = replace(camera.settings, offset=tuple(float(v) for v in offset))

    def camera(self, mode: str) -> Any:
        """The camera of a key of `modes`."""
        return self.follow[mode] if mode in self.follow else getattr(self, mode)

    def select(self, mode: str) -> None:
        """Switch to a camera, with a transition if it and the former one ride along with the vehicle.

        Raises ValueError for an unknown mode.
        """
        if mode not in self.modes:
            raise ValueError(f"camera mode {mode!r}: must be one of {', '.join(self.modes)}")
        if mode == "free" and self.view is not None:
            self.free.look_from(self.view)
        glides = self.view is not None and mode not in DETACHED and self.mode not in DETACHED
        self._former_view, self._since_change = self.view, 0.0 if glides else TRANSITION
        self._swings = all(getattr(self.camera(key), "external", False) for key in (self.mode, mode))
        self.camera(mode).snap()
        if self._boom:
            self._boom.snap()
        self.mode = mode

    def next_mode(self) -> str:
        """Switch to the next camera and tell `on_choose` its name; returns its key."""
        modes = list(self.modes)
        self.select(modes[(modes.index(self.mode) + 1) % len(modes)])
        if self.on_choose:
            self.on_choose(self.modes[self.mode])
        return self.mode

    def snap(self) -> None:
        """Restart the camera and the boom after a jump of the vehicle, and end a transition."""
        self._since_change, self._last = TRANSITION, None
        self.camera(self.mode).snap()
        if self._boom:
            self._boom.snap()

    def update(self, frame: VehicleFrame, dt: float) -> View:
        """The View of this frame, which is applied to Panda3D's camera.

        It is the camera's own view, widened with speed, blended during a transition, moved out of walls and kept above
        the ground.
        """
        at = np.asarray(frame.body_position, dtype=float)
        camera = self.camera(self.mode)
        view = camera.update(frame, dt)
        if self.mode in self.follow or self.mode == "eye":
            view.fov += self._widening(at, dt)
        external = getattr(camera, "external", False)
        view = self._between(view, at, dt)
        if self._boom and (external or self.mode in self.follow):  # a follow camera at a wheel may be in a wall
            view = self._boom.shorten(view, at + PIVOT, dt)
        if external or self.mode == "free" or self.mode in self.follow:  # a follow camera may ride on a car on its roof
            floor = self._height_at(view.position[0], view.position[1]) + MIN_HEIGHT
            if view.position[2] < floor:
                view.position = np.array([view.position[0], view.position[1], floor])
        view.listener = LISTENERS.get(self.mode, "")
        self._last, self.view = at.copy(), view
        apply_view(self._base, view)
        return view

    def _widening(self, at: np.ndarray, dt: float) -> float:
        """The addition to the field of view at the vehicle's speed, rad, for its position `at`, m."""
        if dt > 0.0 and self._last is not None:
            self._speed.step(float(np.linalg.norm(at - self._last)) / dt, dt)
        speed = 0.0 if self._speed.value is None else float(self._speed.value)
        fraction = min(1.0, max(0.0, speed / FOV_SPEED))
        return FOV_GAIN * fraction * (2.0 - fraction)

    def _between(self, view: View, at: np.ndarray, dt: float) -> View:
        """During a transition, a view between that of the former camera, moved along with the vehicle, and `view`."""
        if self._since_change >= TRANSITION or self._former_view is None:
            return view
        if self._last is not None:
            shift = at - self._last
            self._former_view = replace(
                self._former_view, position=self._former_view.position + shift, target=self._former_view.target + shift
            )
        self._since_change += dt
        share = min(1.0, self._since_change / TRANSITION)
        share *= share * (3.0 - 2.0 * share)  # smoothstep: starts and ends slowly
        return swung(self._former_view, view, at, share) if self._swings else blended(self._former_view, view, share)


def _inside(settings: FollowSettings) -> bool:
    """Whether a follow camera is so near to the vehicle's origin that it counts as inside the vehicle."""
    return math.hypot(*settings.offset) < INSIDE_DISTANCE


def apply_view(base: Any, view: View) -> None:
    """Apply a View to ShowBase's camera."""
    camera = base.camera
    camera.setPos(*view.position.tolist())
    up = Vec3(0, 0, 1) if view.up is None else Vec3(*view.up.tolist())
    camera.lookAt(Point3(*view.target.tolist()), up)
    lens = base.camLens
    fov = math.degrees(view.fov)
    if abs(lens.getHfov() - fov) > 0.01:
        aspect = lens.getAspectRatio()
        lens.setFov(fov)
        lens.setAspectRatio(aspect)
