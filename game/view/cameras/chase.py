"""Chase, orbit and free camera, and the boom. The chase camera hangs on critically damped springs, solved in closed
form so that its path does not depend on the frame rate.

Per axis, x follows a target p that moves with constant speed u during the frame:
    x'' = -w^2 (x - p) - 2 w (x' - f u).
With e = x - p + 2 (1 - f) u / w the solution after t is
    e(t) = (e0 + (e0' + w e0) t) exp(-w t),   e'(t) = (e0' - w (e0' + w e0) t) exp(-w t),   e' = x' - u.
With f = 1, x follows a steadily moving target without lag; with f < 1 the target runs ahead a little. Yaw uses the same
spring.

`Boom` keeps the line of sight from the eye to the vehicle free: it casts rays from the vehicle to the eye and pulls the
eye in front of obstacles at once; if the boom gets too short by that, it is tipped up over the obstacle. When the line
of sight is free again, the eye moves back smoothly.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from driving_sandbox.game.session.frame import VehicleFrame
from driving_sandbox.game.view.cameras.view import View

MIN_TIP = 1e-6  # rad; below this angle the boom counts as not tipped up
MAX_ELEVATION = math.radians(80.0)  # a boom's largest elevation; looking straight down, "up" would be undefined
MAX_SPEED = 120.0  # m/s; a vehicle that moves farther in a frame than at this speed, plus `teleport`, was teleported


class Spring:
    """Critically damped follower of a number, see the module's docstring.

    Args:
        rate: w, 1/s.
        lead: f, share of the target's speed that is fed forward.
    """

    def __init__(self, rate: float, lead: float = 1.0) -> None:
        self.rate, self.lead = rate, lead
        self.value: float | None = None  # of the last step; None before the first
        self.speed = self._target = 0.0

    def snap(self, target: float) -> None:
        """Put the value on the target, at rest."""
        self.value = self._target = target
        self.speed = 0.0 * target

    def step(self, target: float, dt: float) -> float:
        """Advance by dt, s, with the target at `target` at the end; returns the value."""
        if self.value is None:
            self.snap(target)
            return target
        if dt <= 0.0:
            return self.value
        w, target_speed = self.rate, (target - self._target) / dt
        steady_offset = -2.0 * (1.0 - self.lead) * target_speed / w  # from the target, if this moves steadily
        error, error_rate = self.value - self._target - steady_offset, self.speed - target_speed
        slope, decay = error_rate + w * error, math.exp(-w * dt)
        self.value = target + steady_offset + (error + slope * dt) * decay
        self.speed = target_speed + (error_rate - w * slope * dt) * decay
        self._target = target
        return self.value


@dataclass
class ChaseSettings:
    """Settings of the chase camera: lengths in m, angles in rad, rates of springs (`w`) in 1/s."""

    distance: float = 6.4
    height: float = 2.05
    look_ahead: float = 3.2  # m in front of the model origin
    look_height: float = 0.75
    climb_share: float = 0.75  # share of the vehicle's slope by which the camera tilts, to look up the road on a hill
    climb_rate: float = 2.5  # slow enough not to follow pitch under braking and on bumps
    max_climb: float = 0.5  # slope beyond which the camera tilts no further: a vehicle on its tail is not on a hill
    position_rate: float = 7.0
    yaw_rate: float = 4.5
    lead: float = 0.90  # of the springs of the position
    clearance: float = 0.6  # minimum height above the ground
    fov: float = math.radians(56.0)
    fov_gain: float = math.radians(11.0)  # added to `fov`, in full at `fov_speed`
    fov_speed: float = 60.0  # m/s
    teleport: float = 12.0  # m in a frame, in addition to MAX_SPEED times its duration; beyond, the camera restarts


def forward_of(q: Sequence[float] | np.ndarray) -> tuple[float, float, float]:
    """Forward (y) axis of a vehicle in the world, from its orientation q (x, y, z, w)."""
    x, y, z, w = q
    return 2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)


class ChaseCamera:
    """Camera behind and above the vehicle, which turns with its heading and stays above the ground."""

    external = True  # outside the vehicle

    def __init__(self, height_at: Callable[[float, float], float], settings: ChaseSettings | None = None) -> None:
        self.settings = settings or ChaseSettings()
        self._height_at = height_at
        s = self.settings
        self._position, self._yaw = [Spring(s.position_rate, s.lead) for _ in range(3)], Spring(s.yaw_rate)
        self._speed, self._climb = Spring(rate=2.0), Spring(s.climb_rate)
        self._last: list | None = None  # position of the vehicle in the last frame, None to restart
        self._heading = 0.0  # of the vehicle, rad, without jumps of a full turn

    def snap(self) -> None:
        """Start at rest behind the vehicle in the next frame."""
        self._last = None

    def _unwrapped_heading(self, forward: Sequence[float]) -> float:
        """Heading of the forward axis, rad, without jumps of a full turn."""
        if math.hypot(forward[0], forward[1]) < 0.2:  # the vehicle points up or down: keep the last heading
            return self._heading
        raw = math.atan2(-forward[0], forward[1])
        return self._heading + math.remainder(raw - self._heading, 2 * math.pi)

    def _climb_of(self, forward: Sequence[float]) -> float:
        """Slope by which the camera tilts, m up per m forward."""
        s = self.settings
        climb = forward[2] / max(math.hypot(forward[0], forward[1]), abs(forward[2]) / s.max_climb, 1e-9)
        return s.climb_share * climb

    def update(self, frame: VehicleFrame, dt: float) -> View:
        """The view of this frame; after a teleport the camera starts at rest behind the vehicle."""
        s, at = self.settings, frame.body_position.tolist()
        forward = forward_of(frame.body_orientation.tolist())
        distance = 0.0 if self._last is None else math.dist(at, self._last)
        if self._last is None or distance > s.teleport + MAX_SPEED * dt:
            self._heading = self._unwrapped_heading(forward)
            for spring, coordinate in zip(self._position, at, strict=True):
                spring.snap(coordinate)
            self._yaw.snap(self._heading)
            self._speed.snap(0.0)
            self._climb.snap(self._climb_of(forward))
            distance = 0.0
        self._heading = self._unwrapped_heading(forward)
        self._last = at
        x, y, z = (spring.step(coordinate, dt) for spring, coordinate in zip(self._position, at, strict=True))
        yaw = self._yaw.step(self._heading, dt)
        speed = self._speed.step(distance / dt if dt > 0.0 else 0.0, dt)  # a step of 0 s ignores the target
        ax, ay, az = -math.sin(yaw), math.cos(yaw), self._climb.step(self._climb_of(forward), dt)
        px, py, pz = x - ax * s.distance, y - ay * s.distance, z - az * s.distance + s.height
        position = np.array([px, py, max(pz, self._height_at(px, py) + s.clearance)])
        target = np.array([x + ax * s.look_ahead, y + ay * s.look_ahead, z + az * s.look_ahead + s.look_height])
        # The field of view grows with speed along a parabola that is level at fov_speed.
        fraction = min(1.0, max(0.0, speed / s.fov_speed))
        return View(position, target, s.fov + s.fov_gain * fraction * (2.0 - fraction))


class OrbitCamera:
    """Camera on a sphere around the vehicle, which it looks at; the mouse moves it by `turn` and `zoom`."""

    external = True

    def __init__(self, height_at: Callable[[float, float], float]) -> None:
        self._height_at = height_at
        self.yaw, self.pitch, self.distance = math.radians(215.0), math.radians(12.0), 6.5  # rad, rad, m

    def snap(self) -> None:
        """Do nothing: this camera has no state."""

    def turn(self, yaw: float, pitch: float) -> None:
        """Rotate by angles, rad; the pitch, positive for a camera above the vehicle, stays within -0.3..1.5."""
        self.yaw += yaw
        self.pitch = min(1.5, max(-0.3, self.pitch + pitch))

    def zoom(self, factor: float) -> None:
        """Scale the distance, which stays within 2..80 m."""
        self.distance = min(80.0, max(2.0, self.distance * factor))

    def update(self, frame: VehicleFrame, dt: float) -> View:
        """The view of this frame: towards 0.6 m above the vehicle's origin, from at least 0.25 m above the ground."""
        target = np.asarray(frame.body_position) + np.array([0.0, 0.0, 0.6])
        flat = math.cos(self.pitch) * self.distance
        offset = np.array([-math.sin(self.yaw) * flat, math.cos(self.yaw) * flat, math.sin(self.pitch) * self.distance])
        position = target - offset * np.array(
            [1.0, 1.0, -1.0]
        )  # behind the target in the direction of `yaw`, and above
        position[2] = max(position[2], self._height_at(position[0], position[1]) + 0.25)
        return View(position, target, math.radians(45.0))


class FreeCamera:
    """Camera that the user moves: `move` in m, `turn` in rad."""

    def __init__(
        self, position: Sequence[float] | np.ndarray = (0.0, -10.0, 3.0), yaw: float = 0.0, pitch: float = 0.0
    ) -> None:
        self.position, self.yaw, self.pitch = np.array(position, dtype=float), yaw, pitch

    def snap(self) -> None:
        """Do nothing: this camera stays where it is."""

    def look_from(self, view: View) -> None:
        """Continue from another camera's pose."""
        ray = view.target - view.position
        self.position = view.position.copy()
        self.yaw = math.atan2(-ray[0], ray[1])
        self.pitch = math.atan2(ray[2], math.hypot(ray[0], ray[1]))

    def _forward(self) -> np.ndarray:
        horizontal = math.cos(self.pitch)
        return np.array([-math.sin(self.yaw) * horizontal, math.cos(self.yaw) * horizontal, math.sin(self.pitch)])

    def turn(self, yaw: float, pitch: float) -> None:
        """Rotate by angles, rad, to the left and upwards."""
        self.yaw += yaw
        self.pitch = min(1.5, max(-1.5, self.pitch + pitch))

    def move(self, right: float, ahead: float, up: float) -> None:
        """Move by distances to the right, along the viewing direction, and up, m."""
        rightward = np.array([math.cos(self.yaw), math.sin(self.yaw), 0.0])
        self.position = self.position + rightward * right + self._forward() * ahead + np.array([0.0, 0.0, up])

    def update(self, frame: VehicleFrame, dt: float) -> View:
        """The view straight ahead from the position; the vehicle has no effect on it."""
        return View(self.position, self.position + self._forward(), math.radians(60.0))


def tipped(pivot: np.ndarray, eye: np.ndarray, angle: float) -> np.ndarray:
    """The eye rotated upwards around the pivot by `angle`, rad, at most to MAX_ELEVATION."""
    offset = eye - pivot
    horizontal = math.hypot(offset[0], offset[1])
    if angle <= 0.0 or horizontal < 1e-6:
        return eye
    length = float(np.linalg.norm(offset))
    elevation = min(math.atan2(offset[2], horizontal) + angle, MAX_ELEVATION)
    scale = length * math.cos(elevation) / horizontal
    return pivot + np.array([offset[0] * scale, offset[1] * scale, length * math.sin(elevation)])


class Boom:
    """The line from a pivot on the vehicle to the eye; keeps the eye out of walls, terrain and meshes.

    Args:
        cast: function(origin, direction, length) -> distance of the nearest obstacle, m, or None.
    """

    margin = 0.3  # m from the eye to the obstacle, and from the middle ray to the two outer ones
    min_length = 0.7  # m; with a shorter boom the eye would be in the vehicle
    rate = 2.5  # 1/s, rate at which the boom lengthens again
    near = 2.8  # m; a boom shorter than this would put the eye into the vehicle's rear, so it is tipped up instead
    tips = tuple(math.radians(angle) for angle in (20.0, 40.0, 60.0))  # angles by which the boom may be tipped up
    tip_rate = 5.0  # 1/s, rate at which the boom tips up, and back
    looks_down = math.radians(40.0)  # from this tip on, the camera looks at the pivot; before, it turns towards it

    def __init__(self, cast: Callable[..., float | None]) -> None:
        # _share: length of the boom / its full length; _tip: angle by which the boom is tipped up, rad
        self._cast, self._share, self._tip = cast, 1.0, 0.0
        self._last: float | None = None  # unobstructed share in the last frame, None to restart

    def snap(self) -> None:
        """Take the unobstructed length at once in the next frame."""
        self._last = None

    def free_share(self, pivot: np.ndarray, eye: np.ndarray) -> float:
        """Unobstructed share of the distance from the pivot to the eye, 0..1, at least that of `min_length`."""
        px, py, pz = pivot.tolist()
        ex, ey, ez = eye.tolist()
        x, y, z = ex - px, ey - py, ez - pz
        length = math.sqrt(x * x + y * y + z * z)
        if length <= self.min_length:
            return 1.0
        aside = self.margin / max(math.hypot(x, y), 1e-9)  # the outer rays are offset horizontally, normal to the ray
        direction, free_length = (x / length, y / length, z / length), length
        for k in (0.0, aside, -aside):
            hit_distance = self._cast((px + k * y, py - k * x, pz), direction, length + self.margin)
            if hit_distance is not None:
                free_length = min(free_length, hit_distance - self.margin)
        return max(free_length, self.min_length) / length

    def _wanted_tip(self, pivot: np.ndarray, eye: np.ndarray, share: float) -> float:
        """Smallest of the `tips` (or 0) at which the boom is longer than `near`, e.g. over a wall close behind, rad.

        If no tip is enough, e.g. below a roof, it is the tip with the longest boom.

        Args:
            share: unobstructed share of the boom without a tip.
        """
        length = math.dist(eye, pivot)
        best_tip, longest = 0.0, share * length
        for tip in self.tips if length > self.near else ():
            if longest >= self.near:
                break
            free_length = self.free_share(pivot, tipped(pivot, eye, tip)) * length
            if free_length > longest:
                best_tip, longest = tip, free_length
        return best_tip

    def shorten(self, view: View, pivot: np.ndarray, dt: float) -> View:
        """The view with its eye moved so that the line of sight to the pivot is free."""
        free_share, restarted = self.free_share(pivot, view.position), self._last is None
        target_tip = self._wanted_tip(pivot, view.position, free_share)
        self._tip = target_tip if restarted else target_tip + (self._tip - target_tip) * math.exp(-self.tip_rate * dt)
        eye = view.position
        if self._tip >= MIN_TIP:
            eye = tipped(pivot, view.position, self._tip)
            free_share = self.free_share(pivot, eye)
        if restarted or free_share < self._share:
            self._share = free_share
        else:
            self._share = free_share + (self._share - free_share) * math.exp(-self.rate * dt)
        self._last = free_share
        if self._share >= 1.0 - 1e-6 and self._tip < MIN_TIP:
            return view
        target = view.target + (pivot - view.target) * min(1.0, self._tip / self.looks_down)
        return View(pivot + (eye - pivot) * self._share, target, view.fov, view.up)
