"""The driver's eye on a three-dimensional spring (CE-CAM-01 to CE-CAM-06 in docs/coverage.md).

The eye is tied to a pivot fixed in the vehicle. With the eye's offset o from the pivot, its velocity v = o' relative to
the pivot, and the pivot's acceleration a, all in the vehicle's axes (right, forward, up),
    o'' = -a - k(o) o - d v.
Each axis has its own stiffness k for positive and for negative offsets; a stiffness of 0 means a rigid axis, without
offset. The damping d acts on the whole velocity, not only along the spring. Offsets are limited for each axis and sign.
Up to `snap_distance` from the pivot and up to `snap_speed`, the eye is put on the pivot. The integration is
semi-implicit Euler in steps of at most `max_timestep`; longer frames are divided, so that stiff springs stay stable at
any frame rate. The pivot's acceleration follows from its positions in successive frames. Limit: rotations of the
vehicle act only through the path of the pivot.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from driving_sandbox.game.session.frame import VehicleFrame
from driving_sandbox.game.view.cameras.view import View, axes_of

DOWN = 0.1  # downward slope of the view: the horizon is above the frame's middle, instruments and hands below
TELEPORT = 12.0  # m in a frame, in addition to MAX_SPEED times its duration; beyond, the eye restarts
MAX_SPEED = 120.0  # m/s


@dataclass
class EyeSettings:
    """Parameters of the eye, in SI units, as configs/cameras/default.yaml documents them; triples: right, forward, up.

    Attributes:
        position: of the pivot in the model frame, m.
        aliases: former spellings of keys, see physics/schema/aliases.py.
    """

    position: tuple = (0.0, 0.0, 1.2)
    stiffness_positive: tuple = (400.0, 400.0, 100.0)
    stiffness_negative: tuple = (400.0, 400.0, 100.0)
    limits_positive: tuple = (0.12, 0.20, 0.05)
    limits_negative: tuple = (0.12, 0.15, 0.06)
    damping: float = 22.0
    max_timestep: float = 0.01
    snap_distance: float = 0.001
    snap_speed: float = 0.01
    aliases: ClassVar[dict[str, tuple[str, float]]] = {"place": ("position", 1.0)}


class EyeCamera:
    """Camera that looks ahead from the driver's eye point.

    Attributes:
        offset, speed: position (m) and velocity (m/s) of the eye relative to its pivot, vehicle axes.
    """

    external = False

    def __init__(self, settings: EyeSettings | None = None, fov: float = math.radians(72.0)) -> None:
        self.settings, self.fov = settings or EyeSettings(), fov  # fov: horizontal field of view, rad
        self.offset, self.speed = [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]
        # position, m, and velocity, m/s, of the pivot in the world in the last frame
        self._pivot = self._pivot_speed = None

    def snap(self) -> None:
        """Put the eye on its pivot, at rest."""
        self.offset, self.speed = [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]
        self._pivot = self._pivot_speed = None

    def update(self, frame: VehicleFrame, dt: float) -> View:
        """The view of this frame: the eye moves with the vehicle and swings by the acceleration of its pivot."""
        axes = axes_of(frame.body_orientation)  # rows: right, forward, up
        pivot = frame.body_position + np.asarray(self.settings.position) @ axes
        if self._pivot is not None and np.linalg.norm(pivot - self._pivot) > TELEPORT + MAX_SPEED * dt:
            self.snap()
        if dt > 0.0:
            speed = None if self._pivot is None else (pivot - self._pivot) / dt
            if speed is not None and self._pivot_speed is not None:
                self.swing((axes @ (speed - self._pivot_speed) / dt).tolist(), dt)
            self._pivot_speed, self._pivot = speed, pivot
        position = pivot + np.asarray(self.offset) @ axes
        return View(position, position + 10.0 * (axes[1] - DOWN * axes[2]), self.fov, axes[2])

    def swing(self, acceleration: Sequence[float], dt: float) -> None:
        """Advance the eye by `dt`, s, while the pivot has this acceleration, m/s^2, vehicle axes."""
        settings = self.settings
        count = max(1, math.ceil(dt / settings.max_timestep - 1e-9))
        h = dt / count
        for _ in range(count):
            for axis in range(3):
                self._move(axis, acceleration[axis], h)
        if math.hypot(*self.offset) <= settings.snap_distance and math.hypot(*self.speed) <= settings.snap_speed:
            self.offset, self.speed = [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]

    def _move(self, axis: int, acceleration: float, h: float) -> None:
        """Advance the offset of one axis, a spring between two stops, by h seconds at a pivot acceleration in m/s^2."""
        settings, offset = self.settings, self.offset[axis]
        k = (  # an eye on the pivot moves against the acceleration
            settings.stiffness_positive
            if offset > 0.0 or (offset == 0.0 and acceleration < 0.0)
            else settings.stiffness_negative
        )[axis]
        if k == 0.0:
            self.offset[axis] = self.speed[axis] = 0.0
            return
        # implicit damping is always stable
        v = (self.speed[axis] - h * (acceleration + k * offset)) / (1.0 + h * settings.damping)
        offset += h * v
        low, high = -settings.limits_negative[axis], settings.limits_positive[axis]
        if offset < low or offset > high:
            offset, v = (low, 0.0) if offset < low else (high, 0.0)
        self.offset[axis], self.speed[axis] = offset, v
