"""What a closed line asks of a car beside it: a speed from which it can still brake for the bends, and a curvature.

    v^2 = A min over the points ahead (BEND_SHARE / |kappa_i| + 2 BRAKING_SHARE s_i)

with A the lateral acceleration that grip or tipping allows at present, kappa_i the line's curvature at a point and s_i
the distance to it along the line. The curvature is that of pure pursuit, as in lab/drivers/line_follower.py.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from driving_sandbox.lab.drivers.driving_line import DrivingLine

BEND_SHARE = 0.72  # of A in bends: a driver by keys leaves the line and turns more tightly to come back
BRAKING_SHARE = 0.6  # of A while braking: the tires also steer, and brakes need time to act
FAR = 8.0  # m from the line beyond which it asks nothing: the car is not on the line's road
MISALIGNED = 1.0  # rad from the line's direction beyond which it asks nothing, as for a car that goes the other way
PREVIEW = 250  # points ahead: the braking distance from 50 m/s at 5 m/s^2
AIM_DISTANCE, AIM_TIME = 5.0, 0.6  # m, s: the car aims at the point as far ahead as this and the way in this time
STRAIGHT = 1e-6  # 1/m, smallest curvature counted


class Guidance(NamedTuple):
    """Largest speed at present, m/s, and curvature towards the line, 1/m, positive to the left."""

    speed: float
    curvature: float


class LineGuide:
    """Gives the Guidance of a closed line.

    Args:
        points: (n, 2) of the line, m, in driving order.
    """

    def __init__(self, points: Sequence | np.ndarray) -> None:
        self._line = DrivingLine(points)
        ahead = np.arange(len(self._line.points) + PREVIEW) % len(self._line.points)
        self._radius = 1.0 / np.maximum(np.abs(self._line.curvature), STRAIGHT)[ahead]
        self._distance = np.arange(PREVIEW) * self._line.step
        self._index: int | None = None

    def reset(self) -> None:
        """Search the whole line next, after a jump."""
        self._index = None

    def read(self, position: Sequence[float], heading: float, speed: float, limit: float) -> Guidance | None:
        """The present Guidance, or None far from the line or across it.

        Args:
            position: x, y, ..., m.
            heading: yaw from +y, positive to the left, rad.
            speed: forward speed, m/s.
            limit: A of the module's docstring, m/s^2.
        """
        line = self._line
        self._index = index = line.nearest(position, self._index)
        if line.distance_from(position, index) > FAR:
            self._index = index = line.nearest(position)
        if (line.distance_from(position, index) > FAR
                or abs(math.remainder(line.heading(index) - heading, math.tau)) > MISALIGNED):  # fmt: skip
            return None
        squared = BEND_SHARE * self._radius[index : index + PREVIEW] + 2.0 * BRAKING_SHARE * self._distance
        aim = line.ahead(index, AIM_DISTANCE + AIM_TIME * speed)
        dx, dy = aim[0] - position[0], aim[1] - position[1]
        left = -math.cos(heading) * dx - math.sin(heading) * dy
        return Guidance(math.sqrt(limit * float(squared.min())), 2.0 * left / (dx * dx + dy * dy))
