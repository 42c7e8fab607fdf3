"""The driver's eye on a three-dimensional spring (CE-CAM-01 to CE-CAM-06).

The eye is tied to a pivot fixed in the vehicle. With o its offset from the pivot and v its velocity relative to it, in
the vehicle's axes (right, forward, up), and a the pivot's acceleration,
    o'' = -a - k(o) o - d v,
per axis with its own stiffness k for positive and negative offsets; a stiffness of 0 is a rigid axis: no offset at all.
The damping d acts on the whole velocity, not only along the spring. Offsets end at limits, for each axis and sign.
Within `snap_distance` of the pivot and slower than `snap_speed` the eye is put on it. Semi-implicit Euler in steps of
at most `max_timestep`: longer frames are divided, so stiff springs stay stable at any frame rate. The pivot's
acceleration is that of its path from frame to frame. Limits: the vehicle's turning acts through the pivot's path alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from driving_sandbox.game.session.frame import VehicleFrame
from driving_sandbox.game.view.cameras.view import View, axes_of

DOWN = 0.1  # slope by which the eye looks down: instruments and hands below, the horizon above the frame's middle
TELEPORT = 12.0  # m in a frame, beyond what speed explains, after which it restarts


@dataclass
class EyeSettings:
    """Parameters as in configs/cameras; `place`: position of the pivot in the model frame, m."""

    place: tuple = (0.0, 0.0, 1.2)
    stiffness_positive: tuple = (400.0, 400.0, 100.0)
    stiffness_negative: tuple = (400.0, 400.0, 100.0)
    limits_positive: tuple = (0.12, 0.20, 0.05)
    limits_negative: tuple = (0.12, 0.15, 0.06)
    damping: float = 22.0
    max_timestep: float = 0.01
    snap_distance: float = 0.001
    snap_speed: float = 0.01


class EyeCamera:
    """Looks ahead from the driver's eye point. offset, speed: of the eye relative to its pivot, vehicle axes."""

    external = False

    def __init__(self, settings: EyeSettings | None = None, fov: float = math.radians(72.0)) -> None:
        self.settings, self.fov = settings or EyeSettings(), fov
        self.offset, self.speed = [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]
        self._pivot = self._pivot_speed = None

    def snap(self) -> None:
        """Forget the past: the eye is at its pivot and at rest relative to it."""
        self.offset, self.speed = [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]
        self._pivot = self._pivot_speed = None

    def update(self, frame: VehicleFrame, dt: float) -> View:
        """The view of this frame: the eye moves with the vehicle and swings by the acceleration of its pivot."""
        axes = axes_of(frame.body_orientation)  # rows: right, ahead, up
        pivot = frame.body_position + np.asarray(self.settings.place) @ axes
        if self._pivot is not None and np.linalg.norm(pivot - self._pivot) > TELEPORT + 120.0 * dt:
            self.snap()
        if dt > 0.0:
            speed = None if self._pivot is None else (pivot - self._pivot) / dt
            if speed is not None and self._pivot_speed is not None:
                self.swing((axes @ (speed - self._pivot_speed) / dt).tolist(), dt)
            self._pivot_speed, self._pivot = speed, pivot
        position = pivot + np.asarray(self.offset) @ axes
        return View(position, position + 10.0 * (axes[1] - DOWN * axes[2]), self.fov, axes[2])

    def swing(self, acceleration, dt: float) -> None:
        """Let `dt`, s, pass with an acceleration of the pivot, m/s^2, vehicle axes."""
        s = self.settings
        count = max(1, math.ceil(dt / s.max_timestep - 1e-9))
        h = dt / count
        for _ in range(count):
            for axis in range(3):
                self._move(axis, acceleration[axis], h)
        if math.hypot(*self.offset) <= s.snap_distance and math.hypot(*self.speed) <= s.snap_speed:
            self.offset, self.speed = [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]

    def _move(self, axis: int, acceleration: float, h: float) -> None:
        """Advance the offset of one axis by h, s: a spring between two stops. acceleration: of the pivot, m/s^2."""
        s, o = self.settings, self.offset[axis]
        k = (s.stiffness_positive if o > 0.0 or (o == 0.0 and acceleration < 0.0) else s.stiffness_negative)[axis]
        if k == 0.0:
            self.offset[axis] = self.speed[axis] = 0.0
            return
        v = (self.speed[axis] - h * (acceleration + k * o)) / (1.0 + h * s.damping)  # damping implicit: never unstable
        o += h * v
        low, high = -s.limits_negative[axis], s.limits_positive[axis]
        if o < low or o > high:
            o, v = (low, 0.0) if o < low else (high, 0.0)
        self.offset[axis], self.speed[axis] = o, v
