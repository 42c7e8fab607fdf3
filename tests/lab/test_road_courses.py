"""Courses of the road test, slalom and lane change: their lines, their cones, and what the driver learns."""

import math

import numpy as np
import pytest
from grip_rig import with_grip

from driving_sandbox.lab.road_test.course_driver import RUN_UP
from driving_sandbox.lab.road_test.courses import (
    CONE,
    MARGIN,
    SPACING,
    LaneChange,
    Slalom,
    lane_change,
    slalom,
    without_stability_control,
)
from driving_sandbox.lab.road_test.practice import GAIN, LEAD_TIME, LearntLine
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle


def box(x, y, half_width=0.8, length=4.0):
    """Corners of a vehicle that stands straight: front left, front right, rear left, rear right."""
    front, rear = y + length / 2.0, y - length / 2.0
    return [[x - half_width, front], [x + half_width, front], [x - half_width, rear], [x + half_width, rear]]


def slalom_run(course, distances):
    """Corners of a vehicle that passes the cones straight, at these distances of its middle from them."""
    rows = []
    for y in np.arange(-10.0, course.length + 10.0, 0.25):
        k = round(min(max(y, 0.0), course.length) / SPACING)
        rows.append(box(course.row + course.sides[k] * distances[k], y))
    return np.array(rows)


@pytest.mark.parametrize("distance, passes", [(0.8 + CONE + 0.01, True), (0.8 + CONE - 0.01, False)])
def test_a_slalom_is_clear_when_no_cone_is_touched(distance, passes):
    course = Slalom(cones=4, half_width=0.8)
    corners = slalom_run(course, [1.3, 1.3, distance, 1.3])
    assert (course.overlap(corners) == 0.0) is passes
    assert course.clearances(corners) == pytest.approx([1.3 - 0.8 - CONE] * 2 + [distance - 0.8 - CONE, 0.5 - CONE])


@pytest.mark.parametrize("half_width", [0.8, 0.95])
def test_the_line_of_a_slalom_has_less_lateral_acceleration_than_a_sine_wave(half_width):
    """The line passes each cone with the margin, and its second derivative is nearly constant from cone to cone.

    Its largest value is above 32 A / T^2, that of parabolas, and below 85 % of A (2 pi / T)^2, that of a sine wave.
    """
    course = Slalom(5, half_width)
    amplitude = half_width + CONE + MARGIN
    assert course.sides * (course.line(course.cones) - course.row) == pytest.approx([amplitude] * 5)
    y = np.linspace(0.0, course.length, 4801)
    curvature = np.abs(np.diff(course.line(y), 2)) / (y[1] - y[0]) ** 2
    period = 2.0 * SPACING
    assert 32.0 * amplitude / period**2 < curvature.max() < 0.85 * amplitude * (2.0 * math.pi / period) ** 2
    assert np.mean(curvature > 0.99 * curvature.max()) > 0.65


@pytest.mark.parametrize("yaw", [0.05, 0.1])
def test_a_slalom_leaves_room_for_a_vehicle_that_passes_at_an_angle(yaw):
    """A flank of 4 m at an angle comes nearer to the cone; the deviation includes that: the next line is wider."""
    course = Slalom(cones=3, half_width=0.8)
    y = np.arange(-10.0, course.length + 10.0, 0.25)
    path = np.stack([course.line(y), y], axis=1)
    along, across = np.array([2.0, 2.0, -2.0, -2.0]), np.array([-0.8, 0.8, -0.8, 0.8])
    corners = path[:, None] + np.stack(
        [across * math.cos(yaw) - along * math.sin(yaw), along * math.cos(yaw) + across * math.sin(yaw)], axis=1
    )
    deviations = course.sides * course.deviation(course.cones, path, corners)
    assert deviations == pytest.approx(MARGIN - course.clearances(corners), abs=1e-6)
    assert (deviations > 1.5 * yaw).all()


@pytest.mark.parametrize("shift, passes", [(0.0, True), (0.4, False)])
def test_a_lane_change_is_clear_when_the_car_stays_within_the_lanes(shift, passes):
    course = LaneChange(width=1.6, front=2.0)
    centres = dict(zip((6.0, 31.0, 55.0), course.line(np.array([6.0, 31.0, 55.0])), strict=True))
    # lanes of 2.01 and 2.6 m, 1 m apart
    assert centres[31.0] == pytest.approx(centres[6.0] - (0.5 * 2.01 + 1.0 + 0.5 * 2.6))
    path = np.array([(centres[min(centres, key=lambda m: abs(m - y))] + shift, y) for y in np.arange(0, 61, 0.5)])
    corners = np.array([box(x, y, length=0.2) for x, y in path])
    assert (course.overlap(corners) == 0.0) is passes
    assert course.deviation(np.array([3.0, 9.0]), path, corners) == pytest.approx([-shift] * 2)  # back to the middle


@pytest.mark.parametrize("speed", [15.0, 30.0])
def test_a_learnt_correction_is_ahead_by_the_delay_of_the_response(speed):
    course, y = Slalom(cones=3, half_width=0.8), np.arange(-RUN_UP, 91.0, 0.25)
    path = np.stack([course.line(y) - 0.1 * np.exp(-(((y - 30.0) / 4.0) ** 2)), y], axis=1)  # 0.1 m too far left there
    first = LearntLine.first(course)
    learnt = first.learn(course, path, slalom_run(course, [1.3] * 3), speed)
    near = np.abs(learnt.y - 30.0) < 12.0
    change = (learnt.x - first.x)[near] - (learnt.x - first.x)[near].min()
    assert change.max() == pytest.approx(0.1 * GAIN, rel=0.15)
    assert learnt.y[near][change.argmax()] == pytest.approx(30.0 - LEAD_TIME * speed, abs=0.5)


@pytest.mark.parametrize("before", [True, False])
def test_a_slalom_is_driven_without_stability_control(before):
    vehicle = load_vehicle("coupe")
    vehicle.set("stability_control.enable", before)
    with without_stability_control(vehicle):
        assert vehicle.get("stability_control.enable") is False
    assert vehicle.get("stability_control.enable") is before
    with without_stability_control(load_vehicle("roadster")):
        pass  # it has none


def test_courses_are_driven_faster_with_more_grip():
    driver = {"understeer": 1.0, "top_speed": 50.0}
    slower, faster = (
        (slalom(track, cones=5, **driver), lane_change(track, **driver)) for track in map(with_grip, (0.6, 1.0))
    )
    assert 45.0 < slower[0] < faster[0] < 140.0
    assert 35.0 < slower[1] < faster[1] < 120.0
