"""A driver who learns a cone course, and the highest speed at which the vehicle passes it.

A vehicle follows a line late and cuts its bends. From run to run the driver therefore moves the line that he aims at by
the deviation of the last one, ahead by the delay of the vehicle's response (iterative learning control; Arimoto,
Kawamura and Miyazaki 1984; Bristow, Tharayil and Alleyne, A survey of iterative learning control, 2006). At each speed
he has some runs, until one succeeds or they no longer improve; a faster one begins with what was learnt at the slower.
"""

import math

import numpy as np

from driving_sandbox.lab.drivers.proportions import reach
from driving_sandbox.lab.kinematics import heading as heading_of
from driving_sandbox.lab.outcome import HIT
from driving_sandbox.lab.road_test.course_driver import RUN_OUT, RUN_UP, Course, CourseDriver
from driving_sandbox.lab.road_test.track import TestTrack, Trace
from driving_sandbox.lab.units import KMH
from driving_sandbox.physics.base.record import field_names

MIN_SPEED = 30.0 * KMH  # m/s, first speed tried
RESOLUTION = 0.5 * KMH  # m/s, of the highest speed
STEP_UP = 1.25  # factor between the speeds tried, until one is too fast
MAX_SHARE = 0.97  # largest speed tried, as a fraction of the top speed, which cannot be held
TIME_LIMIT = 240.0  # s, of a run
RUNS = 10  # largest number of runs at one speed
PATIENCE = 2  # runs without an improvement, after which the speed counts as too fast
INTERVAL = 0.5  # m between the points of a learnt line
GAIN = 0.6  # share of a deviation by which the line is moved; more than 1 may not converge
MAX_MOVE = 0.3  # m, largest move of the line after one run
LEAD_TIME = 0.17  # s, the delay of the response of cars from steering to path, less what the preview makes up for
SMOOTHING = 2.0  # m, half the length of the window over which a deviation is averaged


class LearntLine:
    """The line that the driver aims at.

    Args:
        y, x: [n] points in the course's coordinates, m.
    """

    def __init__(self, y: np.ndarray, x: np.ndarray) -> None:
        self.y, self.x = y, x

    @classmethod
    def first(cls, course: Course) -> "LearntLine":
        """The line before the first run."""
        y = np.arange(-RUN_UP, course.length + RUN_OUT + RUN_UP, INTERVAL)
        return cls(y, course.line(y))

    def __call__(self, y: float) -> float:
        """x at y, m, in the course's coordinates."""
        return float(np.interp(y, self.y, self.x))

    def learn(self, course: Course, path: np.ndarray, corners: np.ndarray, speed: float) -> "LearntLine":
        """The next LearntLine after a run.

        Args:
            path: [n, 2] centre of mass.
            corners: [n, 4, 2] of the bodywork.
            speed: m/s.
        """
        deviation = course.deviation(self.y, path, corners)
        deviation[(self.y < path[0, 1]) | (self.y > path[-1, 1])] = 0.0
        half = round(SMOOTHING / INTERVAL)
        window = np.hanning(2 * half + 3)
        smooth = np.convolve(deviation, window / window.sum(), "same")
        ahead = np.interp(self.y + LEAD_TIME * speed, self.y, smooth)
        return LearntLine(self.y, self.x + GAIN * np.clip(ahead, -MAX_MOVE, MAX_MOVE))


def fastest(track: TestTrack, course: Course, understeer: float, top_speed: float) -> float:
    """Result of the fastest success, km/h; nan if even MIN_SPEED fails. Speeds rise until one fails, then bisection.

    Args:
        course: to be driven.
        understeer: gradient that the driver assumes, deg/g.
        top_speed: of the vehicle, m/s.
    """
    gradient = math.radians(understeer) / track.gravity  # s^2/m, from deg/g
    low, high, limit = MIN_SPEED, math.inf, MAX_SHARE * top_speed
    best, line = _practise(track, course, LearntLine.first(course), low, gradient)
    if best is None:
        return math.nan
    while low < limit and high - low > RESOLUTION:
        speed = min(STEP_UP * low, limit, 0.5 * (low + high))
        result, learnt = _practise(track, course, line, speed, gradient)
        if result is None:
            high = speed
        else:
            low, best, line = speed, result, learnt
    return best / KMH


def _practise(
    track: TestTrack, course: Course, line: LearntLine, speed: float, gradient: float
) -> tuple[float | None, LearntLine]:
    """(result of the first success, m/s, or None; the line driven then, or the last one learnt).

    All runs start from the state in which the entry speed is reached. gradient: understeer gradient that the driver
    assumes, s^2/m.
    """
    approach = track.maneuver(CourseDriver, course, line, speed, gradient)
    track.run(approach, TIME_LIMIT, lambda motion: approach.gate is not None)
    if approach.gate is None:
        return None, line
    start, smallest, unimproved_runs = track.world.snapshot(), math.inf, 0
    for _ in range(RUNS):
        driver = track.maneuver(CourseDriver, course, line, speed, gradient)
        driver.continue_from(approach)
        trace = track.run(driver, TIME_LIMIT, driver.done, start=start)
        path, corners = _path(driver, trace), _corners(track, driver, trace)
        overlap = course.overlap(corners)
        if overlap == 0.0 and not set(trace.events) - {HIT} and corners[-1, :, 1].min() > course.length:
            return _result(course, trace, corners), line
        smallest, unimproved_runs = (overlap, 0) if overlap < smallest else (smallest, unimproved_runs + 1)
        if unimproved_runs == PATIENCE:
            break
        line = line.learn(course, path, corners, speed)
    return None, line


def _result(course: Course, trace: Trace, corners: np.ndarray) -> float:
    """Entry speed of a coasting course, mean speed of another, m/s."""
    y = corners.mean(axis=1)[:, 1]
    entry = float(np.interp(0.0, y, trace.time))
    if course.coasting:
        return float(np.interp(entry, trace.time, trace.speed()))
    return course.length / (float(np.interp(course.length, y, trace.time)) - entry)


def _path(driver: CourseDriver, trace: Trace) -> np.ndarray:
    """[n, 2] centre of mass in course coordinates, m."""
    x, y = driver.relative(trace.rows[:, 0], trace.rows[:, 1])
    assert driver.gate is not None
    return np.stack([x, y - driver.gate], axis=1)


def _corners(track: TestTrack, driver: CourseDriver, trace: Trace) -> np.ndarray:
    """[n, 4, 2] front left, front right, rear left, rear right corner of the bodywork in course coordinates, m."""
    front, rear, side = reach(track.vehicle)
    x, y = _path(driver, trace).T
    assert driver.origin is not None
    yaw = heading_of(trace.rows) - driver.origin[2]
    body = track.vehicle.params["body"]
    centre = float(body["centre_of_mass"][0, 1]) if "centre_of_mass" in field_names(body.dtype) else 0.0
    corners = []
    for ahead, across in ((front, -side), (front, side), (-rear, -side), (-rear, side)):
        forward = ahead - centre
        corners.append(np.stack([x + across * np.cos(yaw) - forward * np.sin(yaw),
                                 y + across * np.sin(yaw) + forward * np.cos(yaw)], axis=1))  # fmt: skip
    return np.stack(corners, axis=1)
