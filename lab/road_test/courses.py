"""Cone courses: slaloms with cones 100 ft apart and the lane change for obstacle avoidance of ISO 3888-2.

Finds the highest speed at which the vehicle passes without touching a cone. Each speed is tried by several drivers with
different preview times and lines; one success counts. The slalom is driven at constant speed, the lane change with the
throttle closed, in the gear of the entry.

A course runs along +y from its first gate; x is positive to the right.
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
RUN_OUT = 5.0  # m after a course, until the tail has left it
RUN_UP = 25.0  # m at constant speed before a course, for the driver to settle on the line
MIN_SPEED = 30.0 * KMH  # m/s, first speed tried
RESOLUTION = 0.5 * KMH  # m/s, of the highest speed
STEP_UP = 1.25  # factor between the speeds tried, until one is too fast
MAX_SHARE = 0.97  # of the top speed, the highest speed that can be held
TIME_LIMIT = 240.0  # s, of an attempt
PREVIEW_TIMES = (0.3, 0.45, 0.65)  # s, of the drivers
CLEARANCES = (0.05, 0.25, 0.6)  # m between the bodywork and a slalom's cones on the lines that are tried
LEADS = (1.0, 3.5)  # m by which a slalom's lines are driven ahead, as the vehicle follows them late
THIRD_HARMONIC = 0.02  # share of the amplitude by which the largest lateral acceleration of a line falls most, 12 %
DELAYS = (-3.0, 0.0, 3.0)  # m after the end of a lane at which the lines that are tried leave it
SPEED_TOLERANCE = 0.3  # m/s below the entry speed at which it counts as reached
MIN_PREVIEW_DISTANCE = 2.0  # m; with less, the driver oscillates at low speed
MIN_TURN_SPEED = 3.0  # m/s, lower limit of the speed in the curvature yaw rate / speed
PERPENDICULAR = 1e-6  # m along the course; a flank with less extent is perpendicular to it
LOST_DISTANCE = 1.5  # m from the line at which an attempt is aborted


@dataclass(frozen=True)
class Course:
    """One course for one vehicle.

    Attributes:
        length: m.
        line: function from y to the target x, m.
        clear: function from the corners of the vehicle over time, [n, 4, 2] in course coordinates, to whether they
            touch no cone.
        coasting: the throttle is closed from the entry on.
    """

    length: float
    line: Callable
    clear: Callable
    coasting: bool = False


class CourseDriver(Maneuver):
    """Drives a course: straight to the entry speed, then the run-up and the line.

    Steering is by preview: the curvature that would bring the vehicle onto the line a preview time ahead (MacAdam 1981,
    one point), as a steer angle kappa (wheelbase + understeer v^2).

    Args:
        course: the Course.
        speed: of the entry, m/s.
        preview: preview time, s.
        understeer: gradient that the driver assumes, s^2/m.
    Attributes:
        origin: x, y (m) and heading (rad) at the start of the run.
        gate: m from there to the course, None before the entry speed is reached.
    """

    def __init__(self, vehicle, world, dt, course, speed, preview, understeer):
        super().__init__(vehicle, world, dt)
        self.vehicle, self.course = vehicle, course
        self.speed, self.preview, self.understeer = speed, preview, understeer
        self.response, self.length = SteeringResponse(vehicle), wheelbase(vehicle)
        self.origin = self.gate = None

    def _hold_gear(self) -> None:
        """Keep the present gear from now on."""
        if "gearbox" in self.vehicle.sequence.by_slot:
            self.forward_gear = int(self.vehicle.state["gearbox"]["target_gear"][0])

    def continue_from(self, other):
        """Take over start, gate, gear and throttle of another driver of the same vehicle."""
        self.origin, self.gate, self.forward_gear = other.origin, other.gate, other.forward_gear
        self._integral = other._integral

    def relative(self, position):
        """(x, y) of a world position relative to the start of the run, y along its heading, m."""
        x0, y0, heading = self.origin
        dx, dy = position[0] - x0, position[1] - y0
        return dx * math.cos(heading) + dy * math.sin(heading), dy * math.cos(heading) - dx * math.sin(heading)

    def command(self, motion: "Motion", c: np.void) -> None:
        if self.origin is None:
            self.origin = (motion.position[0], motion.position[1], motion.heading)
        x, y = self.relative(motion.position)
        if self.gate is None and motion.speed >= self.speed - SPEED_TOLERANCE:
            self.gate = y + RUN_UP
            self._hold_gear()
        inside = self.gate is not None and y >= self.gate
        if not (inside and self.course.coasting):
            self.hold_speed(motion, c, self.speed)
        self.response.update(motion.speed)
        c["steer"] = self.response.command(self._angle(motion, x, y))

    def _angle(self, motion, x, y):
        """Steer angle of the wheels, rad, at (x, y) relative to the start of the run."""
        distance = max(self.preview * motion.speed, MIN_PREVIEW_DISTANCE)
        heading = motion.heading - self.origin[2]
        # At a constant turn rate, half the yaw over the preview adds to the heading.
        predicted = x - distance * math.sin(heading + 0.5 * motion.yaw_rate * self.preview)
        target = self.course.line(y + distance - self.gate) if self.gate is not None else 0.0
        curvature = motion.yaw_rate / max(motion.speed, MIN_TURN_SPEED) + 2.0 * (predicted - target) / distance**2
        return curvature * (self.length + self.understeer * motion.speed**2)

    def done(self, motion):
        """Whether the vehicle has left the end of the course or the line."""
        if self.gate is None:
            return False
        x, y = self.relative(motion.position)
        y -= self.gate
        lost = y > 0.0 and abs(x - self.course.line(y)) > LOST_DISTANCE
        return lost or y > self.course.length + RUN_OUT


def slalom(track: TestTrack, cones: int, understeer: float, top_speed: float) -> float:
    """Highest mean speed through a slalom, km/h; nan if even the lowest speed fails.

    Args:
        cones: their number.
        understeer: gradient that the drivers assume, deg/g.
        top_speed: of the vehicle, m/s.
    """
    half_width = reach(track.vehicle)[2]
    courses = [slalom_course(cones, half_width, *tried) for tried in product(CLEARANCES, LEADS)]
    return _fastest(track, courses, understeer, top_speed)


def slalom_course(cones: int, half_width: float, clearance: float, lead: float = 0.0) -> Course:
    """The Course of a slalom: a cosine with some of its third harmonic that begins to the right of the first cone.

    Args:
        cones: their number.
        half_width: of the vehicle, m.
        clearance: between bodywork and cones on the line, m.
        lead: m by which the line is shifted towards the vehicle.
    """
    amplitude = half_width + CONE + clearance
    length = (cones - 1) * SPACING

    def line(y):
        phase = math.pi * min(max(y + lead, -SPACING), length + SPACING) / SPACING
        return amplitude * ((1.0 + THIRD_HARMONIC) * math.cos(phase) - THIRD_HARMONIC * math.cos(3.0 * phase))

    def clear(corners):
        return all(_passes(corners, k * SPACING, 1.0 if k % 2 == 0 else -1.0) for k in range(cones))

    return Course(length, line, clear)


def _passes(corners, y, side):
    """Whether the vehicle passes a cone at (0, y) without contact. side: 1 to its right, -1 to its left."""
    near = (corners[:, :, 1].max(axis=1) > y - CONE) & (corners[:, :, 1].min(axis=1) < y + CONE)
    if not near.any():
        return False
    rows = corners[near]
    left, right = rows[:, (0, 2)], rows[:, (1, 3)]  # front and rear corners of each flank
    flank = left if side > 0.0 else right
    (x0, y0), (x1, y1) = (flank[:, 0, 0], flank[:, 0, 1]), (flank[:, 1, 0], flank[:, 1, 1])
    share = np.clip((y - y1) / np.where(np.abs(y0 - y1) < PERPENDICULAR, PERPENDICULAR, y0 - y1), 0.0, 1.0)
    return bool((side * (x1 + share * (x0 - x1)) > CONE).all())


def lane_change(track: TestTrack, understeer: float, top_speed: float) -> float:
    """Highest entry speed of the ISO 3888-2 course, km/h; nan if even the lowest speed fails.

    Args:
        understeer: gradient that the drivers assume, deg/g.
        top_speed: of the vehicle, m/s.
    """
    front, _, half = reach(track.vehicle)
    courses = [lane_course(2.0 * half, front, delay) for delay in DELAYS]
    return _fastest(track, courses, understeer, top_speed)


def lane_course(width, front, delay):
    """The Course of ISO 3888-2:2011: lanes of 12, 11 and 12 m with 13.5 and 12.5 m between.

    The second lane is 1 m to the left of the first, the left edges of the first and third are in line.

    Args:
        width: of the vehicle, m.
        front: from its centre to its front, m.
        delay: m after the end of a lane at which the line leaves it.
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
    """Result of the fastest attempt, km/h; nan if MIN_SPEED fails. Speeds rise until one fails, then are bisected."""
    low, high_speed = MIN_SPEED, _attempt(track, courses, MIN_SPEED, understeer)
    if high_speed is None:
        return math.nan
    high, fastest = low, MAX_SHARE * top_speed
    while high < fastest:
        high = min(STEP_UP * low, fastest)
        attempt = _attempt(track, courses, high, understeer)
        if attempt is None:
            break
        low, high_speed = high, attempt
    while high - low > RESOLUTION:
        middle = 0.5 * (low + high)
        attempt = _attempt(track, courses, middle, understeer)
        if attempt is None:
            high = middle
        else:
            low, high_speed = middle, attempt
    return high_speed / KMH


def _attempt(track, courses, speed, understeer):
    """Result of the first successful driver, m/s, or None if all fail.

    All start from the state in which the entry speed is reached.
    """
    factor = math.radians(understeer) / track.gravity  # s^2/m, from deg/g
    approach = track.maneuver(CourseDriver, courses[0], speed, PREVIEW_TIMES[0], factor)
    track.run(approach, TIME_LIMIT, lambda motion: approach.gate is not None)
    if approach.gate is None:
        return None
    start = track.world.snapshot()
    for course, preview in product(courses, PREVIEW_TIMES):
        driver = track.maneuver(CourseDriver, course, speed, preview, factor)
        driver.continue_from(approach)
        trace = track.run(driver, TIME_LIMIT, driver.done, start=start)
        result = _result(track, driver, trace, course)
        if result is not None:
            return result
    return None


def _result(track, driver, trace, course):
    """Entry speed on a coasting course, mean speed on the others, m/s; None if the attempt failed."""
    if driver.gate is None or (set(trace.events) - {HIT}):
        return None
    corners = _corners(track, driver, trace)
    if corners[-1, :, 1].min() < course.length or not course.clear(corners):
        return None
    y = corners.mean(axis=1)[:, 1]
    entry = float(np.interp(0.0, y, trace.time))
    if course.coasting:
        return float(np.interp(entry, trace.time, trace.speed()))
    return course.length / (float(np.interp(course.length, y, trace.time)) - entry)


def _corners(track: TestTrack, driver: CourseDriver, trace: Trace) -> np.ndarray:
    """[n, 4, 2] front left, front right, rear left, rear right corner of the bodywork in course coordinates, m."""
    front, rear, side = reach(track.vehicle)
    x0, y0, heading = driver.origin
    yaw = heading_of(trace.rows) - heading
    centre = float(track.vehicle.params["body"]["centre_of_mass"][0, 1]) if "centre_of_mass" in (
        track.vehicle.params["body"].dtype.names) else 0.0  # fmt: skip
    dx, dy = trace.rows[:, 0] - x0, trace.rows[:, 1] - y0
    x = dx * math.cos(heading) + dy * math.sin(heading)
    y = dy * math.cos(heading) - dx * math.sin(heading) - driver.gate
    corners = []
    for ahead, across in ((front, -side), (front, side), (-rear, -side), (-rear, side)):
        forward = ahead - centre
        corners.append(np.stack([x + across * np.cos(yaw) - forward * np.sin(yaw),
                                 y + across * np.sin(yaw) + forward * np.cos(yaw)], axis=1))  # fmt: skip
    return np.stack(corners, axis=1)
