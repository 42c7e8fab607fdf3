"""A closed driving line: evenly resampled, with the curvature and target speed of each point.

Curvature kappa = (x' y'' - y' x'') / (x'^2 + y'^2)^1.5, positive to the left, by central differences over the line
smoothed with a short triangular window, as drawn points are never smooth. Target speed: v = sqrt(a_lateral / |kappa|),
at most the top speed, then limited by braking for slower points ahead: v_i^2 <= v_(i+1)^2 + 2 a_brake ds, computed
backwards twice around the closed line.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from driving_sandbox.physics.base.user_error import WrongValue

STEP = 1.0  # m between resampled points, below a car length, so that the look-ahead point does not jump
BACK, AHEAD = 10, 40  # points before and after the last nearest one that are searched for the next
SMOOTHING = 5  # points on each side of the triangular window: 10 m, about two car lengths


class DrivingLine:
    """A closed line: its last point is followed by the first.

    Args:
        points: (n, 2) coordinates, m, at least 3, in driving order.
        lateral_limit: planned lateral acceleration, m/s².
        braking: planned deceleration, m/s².
        top_speed: largest planned speed, m/s.
        speeds: (n,) speeds at the points, m/s; None plans them from the three limits.
    Attributes:
        points: (k, 2) coordinates, m, resampled and smoothed.
        step: distance between two of them along the line, m, before the smoothing.
        curvature: (k,) curvature, 1/m, positive to the left.
        speed: (k,) target speeds, m/s.
        length: length of the line, m.
    Raises:
        WrongValue: fewer than 3 different points, or points that are not finite.
    """

    def __init__(
        self,
        points: Sequence | np.ndarray,
        lateral_limit: float = 4.5,
        braking: float = 4.0,
        top_speed: float = 30.0,
        speeds: Sequence[float] | np.ndarray | None = None,
    ) -> None:
        points, speeds = _checked(points, speeds)
        closed = np.vstack([points, points[:1]])
        stations = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(closed, axis=0).T))])
        self.length = float(stations[-1])
        count = max(16, round(self.length / STEP))
        targets = np.arange(count) * (self.length / count)
        raw = np.column_stack([np.interp(targets, stations, closed[:, k]) for k in (0, 1)])
        self.points = _smooth(raw, min(SMOOTHING, count // 8))  # a window of more than a quarter would shrink the line
        self.step = self.length / count
        # Continued past its end, so that the points to search are one slice; x and y in rows, which numpy reads faster.
        self._extended = self.points[np.arange(count + BACK + AHEAD) % count].T.copy()
        self._pairs = self.points.tolist()  # for reading single points, where plain floats are faster than arrays
        self.curvature = curvature(self.points)
        if speeds is None:
            self.speed = self._speed_profile(lateral_limit, braking, top_speed)
        else:
            self.speed = np.interp(targets, stations, np.append(speeds, speeds[0]))

    def _speed_profile(self, lateral_limit: float, braking: float, top_speed: float) -> np.ndarray:
        """Speeds at the points, m/s: limited by curvature and top speed, then by braking for the points ahead."""
        speed = np.minimum(top_speed, np.sqrt(lateral_limit / np.maximum(np.abs(self.curvature), 1e-9)))
        count = len(speed)
        for i in range(2 * count - 1, -1, -1):
            ahead = speed[(i + 1) % count]
            speed[i % count] = min(speed[i % count], math.sqrt(ahead * ahead + 2.0 * braking * self.step))
        return speed

    def nearest(self, position: Sequence[float], around: int | None = None) -> int:
        """Index of the point nearest to a position.

        Args:
            position: x, y, ..., m.
            around: index near which to search, so that the branch is kept where the line crosses itself; None searches
                everywhere.
        """
        first, last = 0, len(self.points)
        if around is not None:
            first = (around - BACK) % len(self.points)
            last = first + BACK + AHEAD
        x, y = self._extended[0, first:last] - position[0], self._extended[1, first:last] - position[1]
        x *= x
        y *= y
        x += y
        return (first + int(x.argmin())) % len(self.points)

    def heading(self, index: int) -> float:
        """Direction of the line at a point, as a yaw from +y, positive to the left, rad."""
        (ax, ay), (bx, by) = self._pairs[index - 1], self._pairs[(index + 1) % len(self._pairs)]
        return math.atan2(ax - bx, by - ay)

    def ahead(self, index: int, distance: float) -> tuple[float, float]:
        """The point (x, y) `distance` m further along the line, interpolated."""
        position = index + distance / self.step
        low = math.floor(position)
        (ax, ay), (bx, by) = self._pairs[low % len(self._pairs)], self._pairs[(low + 1) % len(self._pairs)]
        fraction = position - low
        return ax + fraction * (bx - ax), ay + fraction * (by - ay)

    def distance_from(self, position: Sequence[float], index: int) -> float:
        """Distance of a position from a point of the line, m."""
        x, y = self._pairs[index]
        return math.hypot(x - position[0], y - position[1])


def _checked(points: Any, speeds: Any) -> tuple[np.ndarray, np.ndarray | None]:
    """(points, speeds) as arrays without repeated points. Raises WrongValue."""
    points = np.asarray(points, dtype=np.float64)
    if points.ndim != 2 or points.shape[1] < 2 or len(points) < 3:
        raise WrongValue(f"a driving line needs at least 3 points of x, y; got an array of shape {points.shape}")
    points = points[:, :2]
    wrong = np.flatnonzero(~np.isfinite(points).all(axis=1))
    if len(wrong):
        raise WrongValue(f"a driving line needs finite points; point {wrong[0]} is not")
    distinct = np.any(points != np.roll(points, 1, axis=0), axis=1)
    if distinct.sum() < 3:
        raise WrongValue("a driving line needs at least 3 different points")
    return points[distinct], None if speeds is None else np.asarray(speeds, dtype=np.float64)[distinct]


def _smooth(points: np.ndarray, reach: int) -> np.ndarray:
    """Moving average around the closed line, by a triangular window of `reach` points to each side."""
    if reach < 1:
        return points
    weights = (reach + 1 - np.abs(np.arange(-reach, reach + 1))) / (reach + 1) ** 2
    return sum(w * np.roll(points, k, axis=0) for w, k in zip(weights, range(-reach, reach + 1), strict=True))


def curvature(points: np.ndarray, closed: bool = True) -> np.ndarray:
    """(n,) curvature at evenly spaced points (n, 2), 1/m, positive to the left; 0 at the ends of an open path."""
    first = (np.roll(points, -1, axis=0) - np.roll(points, 1, axis=0)) / 2.0
    second = np.roll(points, -1, axis=0) - 2.0 * points + np.roll(points, 1, axis=0)
    cross = first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0]
    kappa = cross / np.maximum(np.hypot(first[:, 0], first[:, 1]) ** 3, 1e-9)
    if not closed:
        kappa[[0, -1]] = 0.0
    return kappa
