"""Cameras. The chase camera hangs on a critically damped spring solved in closed form, so the path does not
depend on the frame rate.

Per axis, towards a target p that moves with constant speed u during the frame: x'' = -w^2 (x - p) - 2 w (x' - f u).
With e = x - p + 2 (1 - f) u / w the solution over dt is
    e(t) = (e0 + (e0' + w e0) t) exp(-w t),   e'(t) = (e0' - w (e0' + w e0) t) exp(-w t),   e' = x' - u.
f = 1 follows a steadily moving target without lag, f < 1 lets it run ahead a little. Yaw uses the same spring.

Between the vehicle and the eye there must be nothing: `Boom` casts rays from the one to the other and draws the eye
in front of what they meet, at once; when the way is free again it glides back.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from game.view.frame import VehicleFrame


class Spring:
    """Critically damped follower of a scalar or vector; `rate` w in 1/s, `lead` f."""

    def __init__(self, rate: float, lead: float = 1.0):
        self.rate, self.lead = rate, lead
        self.value = self.speed = self._target = None

    def snap(self, target) -> None:
        self.value, self._target = np.array(target, dtype=float), np.array(target, dtype=float)
        self.speed = np.zeros_like(self.value)

    def step(self, target, dt: float):
        target = np.asarray(target, dtype=float)
        if self.value is None:
            self.snap(target)
        if dt <= 0.0:
            return self.value
        w, drift = self.rate, (target - self._target) / dt
        lag = -2.0 * (1.0 - self.lead) * drift / w
        error, rate = self.value - self._target - lag, self.speed - drift
        slope, decay = rate + w * error, math.exp(-w * dt)
        self.value = target + lag + (error + slope * dt) * decay
        self.speed = drift + (rate - w * slope * dt) * decay
        self._target = target.copy()
        return self.value


@dataclass
class ChaseSettings:
    """Metres, radians and 1/s of the chase camera."""

    distance: float = 6.4
    height: float = 2.05
    look_ahead: float = 3.2  # m in front of the model origin
    look_height: float = 0.75
    position_rate: float = 7.0
    yaw_rate: float = 4.5
    lead: float = 0.90
    clearance: float = 0.6  # above the ground
    fov: float = math.radians(56.0)
    fov_gain: float = math.radians(11.0)  # added at `fov_speed`
    fov_speed: float = 60.0  # m/s
    teleport: float = 12.0  # m in one frame beyond what speed explains: snap


def forward_of(q) -> np.ndarray:
    """The y axis of orientation q (x, y, z, w) in the world."""
    x, y, z, w = q
    return np.array([2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)])


@dataclass
class View:
    """Where the picture is taken from; `up` None means world up; `fov` horizontal in rad."""

    position: np.ndarray
    target: np.ndarray
    fov: float
    up: np.ndarray | None = None


class ChaseCamera:
    """Behind and above the vehicle, turning with its heading and never under the ground."""

    def __init__(self, height_at: Callable[[float, float], float], settings: ChaseSettings | None = None):
        self.settings = settings or ChaseSettings()
        self._height_at = height_at
        s = self.settings
        self._position, self._yaw = Spring(s.position_rate, s.lead), Spring(s.yaw_rate)
        self._speed = Spring(2.0)
        self._last: np.ndarray | None = None
        self._heading = 0.0

    def snap(self) -> None:
        """Forget the past: the next frame starts at rest behind the vehicle."""
        self._last = None

    def _unwrapped_heading(self, frame: VehicleFrame) -> float:
        ahead = forward_of(frame.body_orientation)
        if math.hypot(ahead[0], ahead[1]) < 0.2:  # nose up or down: keep the heading
            return self._heading
        raw = math.atan2(-ahead[0], ahead[1])
        return self._heading + math.remainder(raw - self._heading, 2 * math.pi)

    def update(self, frame: VehicleFrame, dt: float) -> View:
        s, at = self.settings, np.asarray(frame.body_position, dtype=float)
        moved = 0.0 if self._last is None else float(np.linalg.norm(at - self._last))
        if self._last is None or moved > s.teleport + 120.0 * dt:
            self._heading = self._unwrapped_heading(frame)
            self._position.snap(at)
            self._yaw.snap(self._heading)
            self._speed.snap(0.0)
            moved = 0.0
        self._heading = self._unwrapped_heading(frame)
        self._last = at.copy()
        anchor = self._position.step(at, dt)
        yaw = float(self._yaw.step(self._heading, dt))
        speed = float(self._speed.step(moved / dt if dt > 0.0 else float(self._speed.value), dt))
        ahead = np.array([-math.sin(yaw), math.cos(yaw), 0.0])
        position = anchor - ahead * s.distance + np.array([0.0, 0.0, s.height])
        floor = self._height_at(position[0], position[1]) + s.clearance
        position[2] = max(position[2], floor)
        target = anchor + ahead * s.look_ahead + np.array([0.0, 0.0, s.look_height])
        fraction = min(1.0, max(0.0, speed / s.fov_speed))
        return View(position, target, s.fov + s.fov_gain * fraction * (2.0 - fraction))


class OrbitCamera:
    """Circles the vehicle; `turn` and `zoom` come from the mouse."""

    def __init__(self, height_at: Callable[[float, float], float]):
        self._height_at = height_at
        self.yaw, self.pitch, self.distance = math.radians(215.0), math.radians(12.0), 6.5

    def turn(self, yaw: float, pitch: float) -> None:
        self.yaw += yaw
        self.pitch = min(1.5, max(-0.3, self.pitch + pitch))

    def zoom(self, factor: float) -> None:
        self.distance = min(80.0, max(2.0, self.distance * factor))

    def update(self, frame: VehicleFrame, dt: float) -> View:
        target = np.asarray(frame.body_position) + np.array([0.0, 0.0, 0.6])
        flat = math.cos(self.pitch) * self.distance
        offset = np.array([-math.sin(self.yaw) * flat, math.cos(self.yaw) * flat, math.sin(self.pitch) * self.distance])
        position = target - offset * np.array([1.0, 1.0, -1.0])
        position[2] = max(position[2], self._height_at(position[0], position[1]) + 0.25)
        return View(position, target, math.radians(45.0))


class HoodCamera:
    """Fixed on the body, looking forward; `place` in the model frame."""

    def __init__(self, place=(0.0, 0.55, 1.15), fov_deg: float = 68.0):
        self.place, self.fov = np.array(place, dtype=float), math.radians(fov_deg)

    def update(self, frame: VehicleFrame, dt: float) -> View:
        x, y, z, w = (float(v) for v in frame.body_orientation)
        right = np.array([1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)])
        ahead = forward_of(frame.body_orientation)
        up = np.cross(right, ahead)
        position = frame.body_position + right * self.place[0] + ahead * self.place[1] + up * self.place[2]
        return View(position, position + ahead * 10.0 - up * 0.5, self.fov, up)


class FreeCamera:
    """Flown by hand: `move` metres along its own axes, `turn` in rad."""

    def __init__(self, position=(0.0, -10.0, 3.0), yaw: float = 0.0, pitch: float = 0.0):
        self.position, self.yaw, self.pitch = np.array(position, dtype=float), yaw, pitch

    def look_from(self, view: View) -> None:
        """Continue from where another camera stands."""
        ray = view.target - view.position
        self.position = view.position.copy()
        self.yaw = math.atan2(-ray[0], ray[1])
        self.pitch = math.atan2(ray[2], math.hypot(ray[0], ray[1]))

    def _ahead(self) -> np.ndarray:
        flat = math.cos(self.pitch)
        return np.array([-math.sin(self.yaw) * flat, math.cos(self.yaw) * flat, math.sin(self.pitch)])

    def turn(self, yaw: float, pitch: float) -> None:
        self.yaw += yaw
        self.pitch = min(1.5, max(-1.5, self.pitch + pitch))

    def move(self, right: float, ahead: float, up: float) -> None:
        side = np.array([math.cos(self.yaw), math.sin(self.yaw), 0.0])
        self.position = self.position + side * right + self._ahead() * ahead + np.array([0.0, 0.0, up])

    def update(self, frame: VehicleFrame, dt: float) -> View:
        return View(self.position, self.position + self._ahead(), math.radians(60.0))


class Boom:
    """Keeps the eye out of walls, terrain and meshes.

    Args:
        cast: function (origin, direction, length) -> distance of the nearest thing in m, or None.
    """

    margin = 0.3  # m from the eye to what is hit, and from the middle ray to the others
    shortest = 0.7  # m; nearer the eye would be in the vehicle
    rate = 2.5  # 1/s at which it glides back out

    def __init__(self, cast):
        self._cast, self._share, self._last = cast, 1.0, None

    def snap(self) -> None:
        """The next picture is taken from as far as the way is free."""
        self._last = None

    def free_share(self, pivot, eye) -> float:
        """How much of the way from the vehicle to the eye is free, 0 to 1."""
        way = eye - pivot
        length = float(np.linalg.norm(way))
        if length <= self.shortest:
            return 1.0
        way = way / length
        side = np.cross(way, (0.0, 0.0, 1.0))
        side = side / max(float(np.linalg.norm(side)), 1e-9) * self.margin
        free = length
        for start in (pivot, pivot + side, pivot - side):
            found = self._cast(start, way, length + self.margin)
            if found is not None:
                free = min(free, found - self.margin)
        return max(free, self.shortest) / length

    def shorten(self, view: View, pivot, dt: float) -> View:
        """The view from a place that can see the pivot."""
        free = self.free_share(pivot, view.position)
        if self._last is None or free < self._share:
            self._share = free
        else:
            self._share = free + (self._share - free) * math.exp(-self.rate * dt)
        self._last = free
        if self._share >= 1.0 - 1e-6:
            return view
        return View(pivot + (view.position - pivot) * self._share, view.target, view.fov, view.up)


PIVOT = np.array([0.0, 0.0, 0.9])  # m above the model's origin, where the boom hangs
MODES = ("chase", "orbit", "hood", "free")


class CameraRig:
    """All cameras and the one in use; writes it to a Panda3D camera node. `cast`: see Boom; without it none is used."""

    def __init__(self, base, height_at: Callable[[float, float], float], cast=None):
        self._base = base
        self._boom = Boom(cast) if cast else None
        self.chase, self.orbit = ChaseCamera(height_at), OrbitCamera(height_at)
        self.hood, self.free = HoodCamera(), FreeCamera()
        self.mode = "chase"
        self.view: View | None = None

    def select(self, mode: str) -> None:
        if mode not in MODES:
            raise ValueError(f"camera mode {mode!r}: must be one of {', '.join(MODES)}")
        if mode == "free" and self.view is not None:
            self.free.look_from(self.view)
        if mode == "chase":
            self.chase.snap()
        if self._boom:
            self._boom.snap()
        self.mode = mode

    def next_mode(self) -> str:
        self.select(MODES[(MODES.index(self.mode) + 1) % len(MODES)])
        return self.mode

    def snap(self) -> None:
        """After a teleport: no swing."""
        self.chase.snap()
        if self._boom:
            self._boom.snap()

    def update(self, frame: VehicleFrame, dt: float) -> View:
        self.view = getattr(self, self.mode).update(frame, dt)
        if self._boom and self.mode in ("chase", "orbit"):
            self.view = self._boom.shorten(self.view, np.asarray(frame.body_position, float) + PIVOT, dt)
        apply_view(self._base, self.view)
        return self.view


def apply_view(base, view: View) -> None:
    """Put ShowBase's camera there."""
    from panda3d.core import Point3, Vec3

    camera = base.camera
    camera.setPos(*(float(v) for v in view.position))
    up = Vec3(0, 0, 1) if view.up is None else Vec3(*(float(v) for v in view.up))
    camera.lookAt(Point3(*(float(v) for v in view.target)), up)
    lens = base.camLens
    fov = math.degrees(view.fov)
    if abs(lens.getHfov() - fov) > 0.01:
        aspect = lens.getAspectRatio()
        lens.setFov(fov)
        lens.setAspectRatio(aspect)
