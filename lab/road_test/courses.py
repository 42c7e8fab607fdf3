"""Cone courses: slaloms with cones 100 ft apart and the lane change for obstacle avoidance of ISO 3888-2.

Cones may not be touched. The slalom is driven at constant speed, the lane change with the throttle closed, in the gear
of the entry. A course runs along +y from its first gate; x is positive to the right, 0 is the line of the run-up.
Slaloms as in magazines: cones with a 9 inch square foot; the driver may practise and use any technique, and switches
stability control off.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from driving_sandbox.lab.drivers.proportions import reach
from driving_sandbox.lab.road_test.course_driver import RUN_UP
from driving_sandbox.lab.road_test.practice import fastest
from driving_sandbox.lab.road_test.track import TestTrack
from driving_sandbox.lab.units import FOOT

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

SPACING = 100.0 * FOOT  # m between the cones of a slalom
CONE = 0.114  # m, half the width of a cone's foot
MARGIN = 0.03  # m between bodywork and cones that the driver aims at
MAX_SWEEP = 0.3  # m that yaw and sideslip may add to the half width swept at a cone
REVERSAL = 0.3  # share of the way between two cones over which a slalom's lateral acceleration changes its sign
NOT_PASSED = 1.0  # m, counted for a cone or lane that was not reached
STABILITY_CONTROL = "stability_control.enable"  # parameter that switches it on and off
PERPENDICULAR = 1e-6  # m along the course; a flank with less extent is perpendicular to it


def slalom(track: TestTrack, cones: int, understeer: float, top_speed: float) -> float:
    """Highest mean speed through a slalom, km/h; nan if even the lowest speed fails.

    Args:
        cones: their number.
        understeer: gradient that the driver assumes, deg/g.
        top_speed: of the vehicle, m/s.
    """
    with without_stability_control(track.vehicle):
        return fastest(track, Slalom(cones, reach(track.vehicle)[2]), understeer, top_speed)


@contextmanager
def without_stability_control(vehicle: "Vehicle") -> Iterator[None]:
    """Switch the stability control of a vehicle off, if it has one, and afterwards back to what it was."""
    if STABILITY_CONTROL not in {parameter.path for parameter in vehicle.parameters()}:
        yield
        return
    enable = vehicle.get(STABILITY_CONTROL)
    vehicle.set(STABILITY_CONTROL, False)
    try:
        yield
    finally:
        vehicle.set(STABILITY_CONTROL, enable)


def lane_change(track: TestTrack, understeer: float, top_speed: float) -> float:
    """Highest entry speed of the ISO 3888-2 course, km/h; nan if even the lowest speed fails.

    Args:
        understeer: gradient that the driver assumes, deg/g.
        top_speed: of the vehicle, m/s.
    """
    front, _, half = reach(track.vehicle)
    return fastest(track, LaneChange(2.0 * half, front), understeer, top_speed)


class Slalom:
    """A slalom that begins to the right of the first cone.

    Its lateral acceleration is constant around each cone and changes its sign along a ramp halfway to the next, which
    keeps the peak low. The run-up is straight and passes the first cone at the same distance.

    Args:
        cones: their number.
        half_width: of the vehicle, m.
    """

    coasting = False

    def __init__(self, cones: int, half_width: float) -> None:
        self.length, self.cones, self.half_width = (cones - 1) * SPACING, np.arange(cones) * SPACING, half_width
        self.sides = np.where(np.arange(cones) % 2 == 0, 1.0, -1.0)  # on which the vehicle passes, 1: right of the cone
        self._narrowest = np.full(cones, half_width + CONE + MARGIN)
        self.row = -self._narrowest[0]  # x of all cones

    def line(self, y: np.ndarray) -> np.ndarray:
        """[n] x at [n] y of a vehicle that takes up no more than its width."""
        return self._through(self._narrowest, y)

    def _through(self, distances: np.ndarray, y: np.ndarray) -> np.ndarray:
        """[n] x at [n] y of the line that passes the cones at [cones] distances, m."""
        apex = self.row + self.sides * distances
        k = np.clip((y // SPACING).astype(int), 0, len(apex) - 2)
        share = _half_wave(np.clip(y / SPACING - k, 0.0, 1.0))
        return apex[k] + share * (apex[k + 1] - apex[k])

    def clearances(self, corners: np.ndarray) -> np.ndarray:
        """[cones] smallest distance of the bodywork from each cone, m, negative where it touches; nan: not passed."""
        return np.array([_clearance(corners, y, side, self.row)
                         for y, side in zip(self.cones, self.sides, strict=True)])  # fmt: skip

    def overlap(self, corners: np.ndarray) -> float:
        """Sum over the cones of how far each was inside the bodywork during a run, m; 0 if none was touched.

        NOT_PASSED is added for each cone that the run did not pass.

        Args:
            corners: [n, 4, 2] of the bodywork.
        """
        return float(np.maximum(np.nan_to_num(-self.clearances(corners), nan=NOT_PASSED), 0.0).sum())

    def deviation(self, y: np.ndarray, path: np.ndarray, corners: np.ndarray) -> np.ndarray:
        """[k] by how much the vehicle should have been further to the right at [k] y, m.

        Args:
            path: [n, 2] centre of mass.
            corners: [n, 4, 2] of the bodywork.
        """
        apart = self.sides * (np.interp(self.cones, path[:, 1], path[:, 0]) - self.row)
        swept = apart - CONE - self.clearances(corners)  # half width that the vehicle takes up
        swept = np.clip(np.nan_to_num(swept), self.half_width, self.half_width + MAX_SWEEP)
        return self._through(swept + CONE + MARGIN, y) - np.interp(y, path[:, 1], path[:, 0])


def _half_wave(share: np.ndarray) -> np.ndarray:
    """Fraction of the lateral offset between two apexes reached at a fraction `share` of the way, both 0..1.

    The second integral of a lateral acceleration that is constant around each apex and changes linearly to its opposite
    over REVERSAL in the middle.
    """
    ramp = 0.5 * REVERSAL
    u = np.minimum(share, 1.0 - share)  # symmetric about the middle
    late = np.maximum(u - (0.5 - ramp), 0.0)
    offset = 0.5 * u * u - late**3 / (6.0 * ramp)
    total = 2.0 * (0.125 - ramp**2 / 6.0)
    return np.where(share > 0.5, 1.0 - offset / total, offset / total)


def _clearance(corners: np.ndarray, y: float, side: float, x: float) -> float:
    """Smallest distance of a run from a cone at (x, y), m; nan if the run did not pass it.

    Args:
        corners: [n, 4, 2] of the bodywork.
        side: 1 to pass to the right of the cone, -1 to its left.
    """
    alongside = (corners[:, :, 1].max(axis=1) > y - CONE) & (corners[:, :, 1].min(axis=1) < y + CONE)
    if not alongside.any():
        return np.nan
    rows = corners[alongside]
    left, right = rows[:, (0, 2)], rows[:, (1, 3)]  # front and rear corners of each flank
    flank = left if side > 0.0 else right
    (x0, y0), (x1, y1) = (flank[:, 0, 0], flank[:, 0, 1]), (flank[:, 1, 0], flank[:, 1, 1])
    share = np.clip((y - y1) / np.where(np.abs(y0 - y1) < PERPENDICULAR, PERPENDICULAR, y0 - y1), 0.0, 1.0)
    return float((side * (x1 + share * (x0 - x1) - x)).min() - CONE)


class LaneChange:
    """ISO 3888-2:2011: lanes of 12, 11 and 12 m with 13.5 and 12.5 m between.

    The second lane is 1 m to the left of the first, the left edges of the first and third are in line.

    Args:
        width: of the vehicle, m.
        front: from its origin to its front, m.
    """

    coasting, length = True, 61.0

    def __init__(self, width: float, front: float) -> None:
        first, second, third = 1.1 * width + 0.25, width + 1.0, max(1.3 * width + 0.25, 3.0)  # m, widths of the lanes
        left = -0.5 * first  # x of the first lane's left edge
        self.lanes = (  # (y of its begin, y of its end, x of the left edge, x of the right edge), m
            (0.0, 12.0, left, left + first),
            (25.5, 36.5, left - 1.0 - second, left - 1.0),
            (49.0, 61.0, left, left + third),
        )
        # y and x of the ends of the line's straight pieces; it reaches a lane's middle as the front enters the lane
        self._knots = np.array((-RUN_UP, 12.0, 25.5 - front, 36.5, 49.0 - front, 61.0 + RUN_UP))
        self._values = np.repeat([0.5 * (low + high) for _, _, low, high in self.lanes], 2)

    def line(self, y: np.ndarray) -> np.ndarray:
        """[n] x at [n] y of the line through the middles of the lanes."""
        k = np.clip(np.searchsorted(self._knots, y, side="right") - 1, 0, len(self._knots) - 2)
        share = np.clip((y - self._knots[k]) / (self._knots[k + 1] - self._knots[k]), 0.0, 1.0)
        smooth = share * share * (3.0 - 2.0 * share)
        return self._values[k] + smooth * (self._values[k + 1] - self._values[k])

    def overlap(self, corners: np.ndarray) -> float:
        """Sum over the lanes of how far a run left them to either side, m; 0 if it stayed within all.

        NOT_PASSED is added for each lane that the run did not reach.

        Args:
            corners: [n, 4, 2] of the bodywork.
        """
        total = 0.0
        for begin, end, low, high in self.lanes:
            left, right = _room(corners, begin, end, low, high)
            total += max(0.0, -left) + max(0.0, -right)
        return float(total)

    def deviation(self, y: np.ndarray, path: np.ndarray, corners: np.ndarray) -> np.ndarray:
        """[k] by how much the vehicle should have been further to the right at [k] y for equal room on both sides, m.

        0 except in each half of a lane where the bodywork came nearer than MARGIN to an edge.

        Args:
            path: [n, 2] centre of mass; not used.
            corners: [n, 4, 2] of the bodywork.
        """
        deviation = np.zeros(len(y))
        for begin, end, low, high in self.lanes:
            middle = 0.5 * (begin + end)
            for first, last in ((begin, middle), (middle, end)):
                left, right = _room(corners, first, last, low, high)
                if min(left, right) < MARGIN:
                    deviation[(y > first) & (y < last)] = 0.5 * (right - left)
        return deviation


def _room(corners: np.ndarray, begin: float, end: float, low: float, high: float) -> tuple[float, float]:
    """Room to the left and right of the bodywork in a lane, m: from y begin to end and from x low to high."""
    x = corners[(corners[:, :, 1] > begin) & (corners[:, :, 1] < end)][:, 0]
    return (x.min() - low, high - x.max()) if len(x) else (-0.5 * NOT_PASSED, -0.5 * NOT_PASSED)
