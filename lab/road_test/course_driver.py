"""A driver who follows a line through a cone course by preview."""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from driving_sandbox.lab.drivers.proportions import wheelbase
from driving_sandbox.lab.drivers.steering_response import SteeringResponse
from driving_sandbox.lab.maneuvers import Maneuver

if TYPE_CHECKING:
    from driving_sandbox.lab.drivers.motion import Motion
    from driving_sandbox.physics.vehicle.vehicle import Vehicle
    from driving_sandbox.physics.world.world import World

RUN_UP = 25.0  # m at constant speed before a course, for the driver to settle on the line
RUN_OUT = 5.0  # m after a course, until the tail has left it
PREVIEW_TIME = 0.45  # s
SPEED_TOLERANCE = 0.3  # m/s below the entry speed at which it counts as reached
MIN_PREVIEW_DISTANCE = 2.0  # m; with less, the driver oscillates at low speed
MIN_TURN_SPEED = 3.0  # m/s, lower limit of the speed in the curvature yaw rate / speed
LOST_DISTANCE = 2.5  # m from the line at which a run is aborted


class Course(Protocol):
    """A cone course for one vehicle (courses.py).

    Its coordinates, m: y along the course from its first gate, x to the right of the line of the run-up. A run is given
    by its path, [n, 2] centre of mass, and corners, [n, 4, 2] of the bodywork: front left, front right, rear left, rear
    right.

    Attributes:
        length: m.
        coasting: whether the throttle is closed from the entry on.
    """

    length: float
    coasting: bool

    def line(self, y: np.ndarray) -> np.ndarray:
        """[n] x at [n] y, m, of the line of the first run; CourseDriver.line is the one learnt since (practice.py)."""
        ...

    def overlap(self, corners: np.ndarray) -> float:
        """By how much a run hit cones or left lanes, m; 0 if it did neither."""
        ...

    def deviation(self, y: np.ndarray, path: np.ndarray, corners: np.ndarray) -> np.ndarray:
        """[k] by how much the vehicle should have been further to the right at [k] y, m."""
        ...


class CourseDriver(Maneuver):
    """Drives a course: straight to the entry speed, then the run-up and the line.

    Steering is by preview: the curvature that would bring the vehicle onto the line a preview time ahead (MacAdam 1981,
    one point), as a steer angle kappa (wheelbase + understeer v^2).

    Args:
        course: to be driven.
        line: function from y to x, m, in the course's coordinates; the LearntLine aimed at.
        speed: of the entry, m/s.
        understeer: gradient that the driver assumes, s^2/m.
    Attributes:
        origin: x, y (m) and heading (rad) where the approach began.
        gate: distance of the course's first gate from there, m, along that heading; None before the entry speed is
            reached.
    """

    def __init__(
        self,
        vehicle: "Vehicle",
        world: "World",
        dt: float,
        course: Course,
        line: Callable[[float], float],
        speed: float,
        understeer: float,
    ) -> None:
        super().__init__(vehicle, world, dt)
        self.vehicle, self.course, self.line = vehicle, course, line
        self.speed, self.understeer = speed, understeer
        self.response, self.wheelbase = SteeringResponse(vehicle), wheelbase(vehicle)
        self.origin: tuple[float, float, float] | None = None
        self.gate: float | None = None

    def _hold_gear(self) -> None:
        """Keep the present gear from now on."""
        if "gearbox" in self.vehicle.sequence.by_slot:
            self.forward_gear = int(self.vehicle.state["gearbox"]["target_gear"][0])

    def continue_from(self, other: "CourseDriver") -> None:
        """Take over origin, gate, gear and the speed controller's integral of another driver of the same vehicle."""
        self.origin, self.gate, self.forward_gear = other.origin, other.gate, other.forward_gear
        self._integral = other._integral

    def relative(self, x: Any, y: Any) -> tuple[Any, Any]:
        """(x to the right, y ahead), m, of a world position relative to the origin; numbers or arrays."""
        assert self.origin is not None  # set by the first command
        x0, y0, heading = self.origin
        dx, dy = x - x0, y - y0
        return dx * math.cos(heading) + dy * math.sin(heading), dy * math.cos(heading) - dx * math.sin(heading)

    def command(self, motion: "Motion", c: np.void) -> None:
        """Hold the speed and steer along the line; in a course to be coasted, no throttle."""
        if self.origin is None:
            self.origin = (motion.position[0], motion.position[1], motion.heading)
        x, y = self.relative(*motion.position[:2])
        if self.gate is None and motion.speed >= self.speed - SPEED_TOLERANCE:
            self.gate = y + RUN_UP
            self._hold_gear()
        inside = self.gate is not None and y >= self.gate
        if not (inside and self.course.coasting):
            self.hold_speed(motion, c, self.speed)
        self.response.update(motion.speed)
        c["steer"] = self.response.command(self._angle(motion, x, y))

    def _angle(self, motion: "Motion", x: float, y: float) -> float:
        """Steer angle of the wheels, rad, positive to the left, at (x, y) relative to the origin."""
        distance = max(PREVIEW_TIME * motion.speed, MIN_PREVIEW_DISTANCE)
        assert self.origin is not None
        heading = motion.heading - self.origin[2]
        # At a constant turn rate, half the yaw over the preview adds to the heading.
        predicted = x - distance * math.sin(heading + 0.5 * motion.yaw_rate * PREVIEW_TIME)
        target = self.line(y + distance - self.gate) if self.gate is not None else 0.0
        curvature = motion.yaw_rate / max(motion.speed, MIN_TURN_SPEED) + 2.0 * (predicted - target) / distance**2
        return curvature * (self.wheelbase + self.understeer * motion.speed**2)

    def done(self, motion: "Motion") -> bool:
        """Whether the vehicle is past the end of the course, or inside the course too far from the line."""
        if self.gate is None:
            return False
        x, y = self.relative(*motion.position[:2])
        y -= self.gate
        lost = y > 0.0 and abs(x - self.line(y)) > LOST_DISTANCE
        return lost or y > self.course.length + RUN_OUT
