"""An open path back to a line: evenly resampled, with the target speed of each point.

Target speeds are planned as in lab/drivers/driving_line.py, but with less lateral acceleration and braking, and limited
by the ground of each segment.
"""

import math
from collections.abc import Sequence

import numpy as np

from driving_sandbox.lab.drivers.driving_line import AHEAD, BACK, STEP, curvature

LATERAL_LIMIT = 2.5  # m/s² in bends, low enough for loose ground and lorries
BRAKING = 2.5  # m/s², for the same reason
SMOOTHING = 8.0  # m on each side of the triangular window, which rounds corners to a drivable radius


class RecoveryPath:
    """A path from the vehicle's position to a point on a line.

    Args:
        points: (n, 2) coordinates, m, at least 2.
        limits: (n - 1,) speed limit of each segment, m/s.
        end: index of the line's point at which the path ends.
        end_speed: target speed there, m/s.
    Attributes:
        points: (k, 2) coordinates, m, resampled and smoothed.
        step: distance between two of them along the path, m, before the smoothing.
        speed: (k,) target speeds, m/s.
        length: length of the path, m.
    """

    def __init__(
        self, points: Sequence | np.ndarray, limits: Sequence[float] | np.ndarray, end: int, end_speed: float
    ) -> None:
        points = np.asarray(points, float)[:, :2]
        stations = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])
        self.end, self.length = end, float(stations[-1])
        count = max(2, round(self.length / STEP) + 1)
        targets = np.linspace(0.0, self.length, count)
        self.step = max(self.length / (count - 1), 1e-3)
        self.points = _smooth(np.column_stack([np.interp(targets, stations, points[:, k]) for k in (0, 1)]))
        segments = np.clip(np.searchsorted(stations, targets, side="right") - 1, 0, len(limits) - 1)
        self.speed = self._speeds(np.asarray(limits, float)[segments], end_speed)

    def _speeds(self, limits: np.ndarray, end_speed: float) -> np.ndarray:
        """Target speeds of the points, m/s, by their limits, curvature and braking."""
        bends = np.sqrt(LATERAL_LIMIT / np.maximum(np.abs(curvature(self.points, closed=False)), 1e-9))
        speed = np.minimum(limits, bends)
        speed[-1] = max(min(speed[-1], end_speed), 1.0)  # m/s; at zero the driver would stop for ever
        for i in range(len(speed) - 2, -1, -1):
            speed[i] = min(speed[i], math.sqrt(speed[i + 1] ** 2 + 2.0 * BRAKING * self.step))
        return speed

    def nearest(self, position: Sequence[float], around: int = 0) -> int:
        """Index of the nearest point near the index `around`."""
        first = max(0, around - BACK)
        away = self.points[first : around + AHEAD] - (position[0], position[1])
        return first + int(np.einsum("ij,ij->i", away, away).argmin())

    def distance_from(self, position: Sequence[float], index: int) -> float:
        """Distance of a position from a point of the path, m."""
        return math.dist(self.points[index], (position[0], position[1]))

    def ahead(self, index: int, distance: float) -> tuple[float, ...]:
        """The point (x, y) `distance` m further along the path, extrapolated straight beyond its end."""
        position = index + distance / self.step
        last = len(self.points) - 1
        low = min(int(position), last - 1)
        a, b = self.points[low], self.points[low + 1]
        return tuple((a + (position - low) * (b - a)).tolist())

    def remaining(self, index: int) -> float:
        """Distance along the path from a point to the end, m."""
        return (len(self.points) - 1 - index) * self.step


def _smooth(points: np.ndarray) -> np.ndarray:
    """Round the corners; both ends are fixed."""
    reach = min(round(SMOOTHING / STEP), (len(points) - 1) // 2)
    if reach < 1:
        return points
    weights = (reach + 1 - np.abs(np.arange(-reach, reach + 1))) / (reach + 1) ** 2
    before = 2.0 * points[0] - points[reach:0:-1]  # mirrored in the ends, so that these do not move
    after = 2.0 * points[-1] - points[-2 : -reach - 2 : -1]
    longer = np.vstack([before, points, after])
    return np.column_stack([np.convolve(longer[:, k], weights, "valid") for k in (0, 1)])
