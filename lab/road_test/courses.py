"""Cone courses: slaloms with cones 100 ft apart and the severe lane change of ISO 3888-2.

Finds the highest speed at which the vehicle passes without touching a cone. Each speed is tried by several drivers with
different preview times and line widths; one success counts. The slalom is driven at constant speed, the lane change
with the throttle closed, in the gear of the entry.

A course runs along +y from the start of the run; x is positive to the right.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from driving_sandbox.lab.drivers.proportions import reach, wheelbase
from driving_sandbox.lab.drivers.steering_response import SteeringResponse
from driving_sandbox.lab.kinematics import heading as heading_of
from driving_sandbox.lab.maneuvers import Maneuver
from driving_sandbox.lab.outcome import HIT
from driving_sandbox.lab.road_test.track import TestTrack, Trace
from driving_sandbox.lab.units import FOOT, KMH

if TYPE_CHECKING:
    from driving_sandbox.lab.drivers.motion import Motion

SPACING = 100.0 * FOOT  # m between the cones of a slalom
CONE = 0.14  # m, half the width of a cone's foot
AFTER = 5.0  # m of run-out after a course, until the tail has left it
RUN_UP = 25.0  # m at constant speed before a course, for the driver to settle on the line
SLOWEST, CLOSE = 30.0 * KMH, 0.5 * KMH  # m/s: first speed tried, resolution of the result
STEP_UP = 1.25  # factor between the speeds tried, until one is too fast
HELD_SHARE = 0.97  # of the top speed, the highest that can be held
LONGEST = 240.0  # s, time limit of an attempt
PREVIEWS = (0.3, 0.45, 0.65)  # s, preview times of the drivers
WIDTHS = (0.2, 0.45, 0.8)  # m, lateral clearance of the lines from a slalom's cones
DELAYS = (-3.0, 0.0, 3.0)  # m after the end of a lane at which drivers begin to change to the next
REACHED = 0.3  # m/s below the entry speed at which it counts as reached
NEAREST_LOOK = 2.0  # m, least preview distance: with less, the driver oscillates at low speed
SLOWEST_TURN = 3.0  # m/s, least speed at which curvature is computed from the yaw rate
ACROSS = 1e-6  # m along the course; a flank with less extent is perpendicular to it
LOST = 1.5  # m off the line at which an attempt is aborted


@dataclass(frozen=True)
class Course:
    """One course for one vehicle.

    Attributes:
        length: m. line: target x (m) at a y (m from the start of the course). clear: whether a Trace, given as
        corners [n, 4, 2] in course coordinates, touches nothing. coasting: the throttle is closed from the entry on.
    """

    length: float
    line: Callable
    clear: Callable
    coasting: bool = False


class CourseDriver(Maneuver):
    """Drives a course: to the entry speed on the run-up, then along the line.

    Steering is by preview: the curvature that would bring the vehicle onto the line a preview time ahead (MacAdam 1981,
    one point), as a steer angle kappa (l + understeer v^2).
    """

    def __init__(self, vehicle, world, dt, course, speed, preview, understeer):
        super().__init__(vehicle, world, dt)
        self.vehicle, self.course = vehicle, course
        self.speed, self.preview, self.understeer = speed, preview, understeer
        self.response, self.length = SteeringResponse(vehicle), wheelbase(vehicle)
        self.origin = self.gate = None

    def _hold_gear(self) -> None:
        """Hold the gear on the course."""
        if "gearbox" in self.vehicle.sequence.by_slot:
            self.forward_gear = int(self.vehicle.state["gearbox"]["target_gear"][0])

    def go_on_from(self, other):
        """Take over start, gate, gear and throttle of another driver of the same vehicle."""
        self.origin, self.gate, self.forward_gear = other.origin, other.gate, other.forward_gear
        self._integral = other._integral

    def along(self, position):
        """(x, y) of a world position in the start's frame."""
        x0, y0, heading = self.origin
        dx, dy = position[0] - x0, position[1] - y0
        return dx * math.cos(heading) + dy * math.sin(heading), dy * math.cos(heading) - dx * math.sin(heading)

    def command(self, motion: "Motion", c: np.void) -> None:
        if self.origin is None:
            self.origin = (motion.position[0], motion.position[1], motion.heading)
        x, y = self.along(motion.position)
        if self.gate is None and motion.speed >= self.speed - REACHED:
            self.gate = y + RUN_UP
            self._hold_gear()
        inside = self.gate is not None and y >= self.gate
        if not (inside and self.course.coasting):
            self.hold_speed(motion, c, self.speed)
        self.response.look(motion.speed)
        c["steer"] = self.response.command(self._angle(motion, x, y))

    def _angle(self, motion, x, y):
        look = max(self.preview * motion.speed, NEAREST_LOOK)
        heading = motion.heading - self.origin[2]
        # constant turn rate over the preview: half its yaw adds to the heading
        predicted = x - look * math.sin(heading + 0.5 * motion.yaw_rate * self.preview)
        wanted = self.course.line(y + look - self.gate) if self.gate is not None else 0.0
        curvature = motion.yaw_rate / max(motion.speed, SLOWEST_TURN) + 2.0 * (predicted - wanted) / (look * look)
        return curvature * (self.length + self.understeer * motion.speed**2)

    def done(self, motion):
        """Whether the course is over, or lost."""
        if self.gate is None:
            return False
        x, y = self.along(motion.position)
        y -= self.gate
        return y > self.course.length + AFTER or (y > 0.0 and abs(x - self.course.line(y)) > LOST)


def slalom(track: TestTrack, cones: int, understeer: float, top_speed: float) -> float:
    """Highest mean speed through a slalom, km/h; nan if even the lowest fails."""
    half = reach(track.vehicle)[2]
    courses = [slalom_course(cones, half, width) for width in WIDTHS]
    return _fastest(track, courses, understeer, top_speed)


def slalom_course(cones, half, width):
    amplitude = half + CONE + width
    length = (cones - 1) * SPACING

    def line(y):
        return amplitude * math.cos(math.pi * min(max(y, -SPACING), length + SPACING) / SPACING)

    def clear(corners):
        return all(_passes(corners, k * SPACING, 1.0 if k % 2 == 0 else -1.0) for k in range(cones))

    return Course(length, line, clear)


def _passes(corners, y, side):
    """Whether the vehicle passes a cone at (0, y) without contact, on the given side (1: right of it)."""
    near = (corners[:, :, 1].max(axis=1) > y - CONE) & (corners[:, :, 1].min(axis=1) < y + CONE)
    if not near.any():
        return False
    rows = corners[near]
    left, right = rows[:, (0, 2)], rows[:, (1, 3)]  # front and rear corners of each flank
    flank = left if side > 0.0 else right
    (x0, y0), (x1, y1) = (flank[:, 0, 0], flank[:, 0, 1]), (flank[:, 1, 0], flank[:, 1, 1])
    share = np.clip((y - y1) / np.where(np.abs(y0 - y1) < ACROSS, ACROSS, y0 - y1), 0.0, 1.0)
    return bool((side * (x1 + share * (x0 - x1)) > CONE).all())


def lane_change(track: TestTrack, understeer: float, top_speed: float) -> float:
    """Highest entry speed of the ISO 3888-2 course, km/h; nan if even the lowest fails."""
    front, _, half = reach(track.vehicle)
    courses = [lane_course(2.0 * half, front, delay) for delay in DELAYS]
    return _fastest(track, courses, understeer, top_speed)


def lane_course(width, front, delay):
    """ISO 3888-2:2011: lanes of 12, 11 and 12 m with 13.5 and 12.5 m between; the second is offset 1 m to the left of
    the first, the third begins at the left edge of the first.

    Args:
        width: of the vehicle, m. front: from its centre to its front, m. delay: m after the end of a lane at which the
            line leaves it.
    """
    first, second, third = 1.1 * width + 0.25, width + 1.0, max(1.3 * width + 0.25, 3.0)
    left = -0.5 * first  # x of the first lane's left edge
    lanes = (
        (0.0, 12.0, left, left + first),
        (25.5, 36.5, left - 1.0 - second, left - 1.0),
        (49.0, 61.0, left, left + third),
    )
    middles = [0.5 * (lane[2] + lane[3]) for lane in lanes]
    knots = (-RUN_UP, 12.0 + delay, 25.5 - front, 36.5 + delay, 49.0 - front, 61.0 + RUN_UP)
    values = (middles[0], middles[0], middles[1], middles[1], middles[2], middles[2])

    def line(y):
        k = min(max(sum(knot <= y for knot in knots) - 1, 0), len(knots) - 2)
        share = min(max((y - knots[k]) / (knots[k + 1] - knots[k]), 0.0), 1.0)
        smooth = share * share * (3.0 - 2.0 * share)
        return values[k] + smooth * (values[k + 1] - values[k])

    def clear(corners):
        for begin, end, low, high in lanes:
            inside = corners[(corners[:, :, 1] > begin) & (corners[:, :, 1] < end)]
            if not len(inside) or inside[:, 0].min() < low or inside[:, 0].max() > high:
                return False
        return True

    return Course(61.0, line, clear, coasting=True)


def _fastest(track, courses, understeer, top_speed):
    """km/h: mean speed through a slalom, entry speed of a lane change."""
    low, best = SLOWEST, _attempt(track, courses, SLOWEST, understeer)
    if best is None:
        return math.nan
    high = low
    fastest = HELD_SHARE * top_speed
    while high < fastest:
        high = min(STEP_UP * low, fastest)
        found = _attempt(track, courses, high, understeer)
        if found is None:
            break
        low, best = high, found
    while high - low > CLOSE:
        middle = 0.5 * (low + high)
        found = _attempt(track, courses, middle, understeer)
        if found is None:
            high = middle
        else:
            low, best = middle, found
    return best / KMH


def _attempt(track, courses, speed, understeer):
    """m/s of the first successful driver, None if all fail. All start from the state in which the first reached its
    speed.
    """
    factor = math.radians(understeer) / track.gravity  # s^2/m rad: steer angle per lateral acceleration
    approach = track.maneuver(CourseDriver, courses[0], speed, PREVIEWS[0], factor)
    track.run(approach, LONGEST, lambda motion: approach.gate is not None)
    if approach.gate is None:
        return None
    start = track.world.snapshot()
    for course, preview in product(courses, PREVIEWS):
        driver = track.maneuver(CourseDriver, course, speed, preview, factor)
        driver.go_on_from(approach)
        trace = track.run(driver, LONGEST, driver.done, start=start)
        passed = _passed(track, driver, trace, course)
        if passed is not None:
            return passed
    return None


def _passed(track, driver, trace, course):
    if driver.gate is None or (set(trace.events) - {HIT}):
        return None
    corners = _corners(track, driver, trace)
    if corners[-1, :, 1].min() < course.length or not course.clear(corners):
        return None
    along = corners.mean(axis=1)[:, 1]
    enter = float(np.interp(0.0, along, trace.time))
    if course.coasting:
        return float(np.interp(enter, trace.time, trace.speed()))
    return course.length / (float(np.interp(course.length, along, trace.time)) - enter)


def _corners(track: TestTrack, driver: CourseDriver, trace: Trace) -> np.ndarray:
    """[n, 4, 2] front left, front right, rear left, rear right of the bodywork in course coordinates."""
    front, rear, side = reach(track.vehicle)
    x0, y0, heading = driver.origin
    turned = heading_of(trace.rows) - heading
    centre = float(track.vehicle.params["body"]["centre_of_mass"][0, 1]) if "centre_of_mass" in (
        track.vehicle.params["body"].dtype.names) else 0.0  # fmt: skip
    dx, dy = trace.rows[:, 0] - x0, trace.rows[:, 1] - y0
    x = dx * math.cos(heading) + dy * math.sin(heading)
    y = dy * math.cos(heading) - dx * math.sin(heading) - driver.gate
    corners = []
    for ahead, across in ((front, -side), (front, side), (-rear, -side), (-rear, side)):
        forward = ahead - centre
        corners.append(np.stack([x + across * np.cos(turned) - forward * np.sin(turned),
                                 y + across * np.sin(turned) + forward * np.cos(turned)], axis=1))  # fmt: skip
    return np.stack(corners, axis=1)
