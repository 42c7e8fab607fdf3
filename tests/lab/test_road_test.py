"""The road test: its arithmetic on motions that are known, and its figures on vehicles whose answer can be computed."""

import json
import math

import numpy as np
import pytest

from driving_sandbox.cli import program
from driving_sandbox.lab.road_test import FIGURES
from driving_sandbox.lab.road_test.circle import skid_pad, steering_step
from driving_sandbox.lab.road_test.courses import lane_change, lane_course, slalom, slalom_course
from driving_sandbox.lab.road_test.ride import ride_frequencies
from driving_sandbox.lab.road_test.road_test import RoadTest
from driving_sandbox.lab.road_test.straight import (
    QUARTER_MILE,
    START,
    acceleration_figures,
    braking,
    coast_down,
    stopping_distances,
)
from driving_sandbox.lab.road_test.targets import deviation, read_targets
from driving_sandbox.lab.road_test.track import TestTrack, Trace, crossing
from driving_sandbox.lab.road_test.units import FOOT, KMH, MPH
from driving_sandbox.physics.schema.yaml_file import ConfigError
from driving_sandbox.physics.vehicle.vehicle_file import VEHICLE_FOLDER, load_vehicle, load_vehicle_text
from driving_sandbox.physics.world.world_file import load_world

TICK = 1.0 / 240.0


def straight_trace(speed):
    """Along +y with these speeds, a row for every tick."""
    n = len(speed)
    zeros, way = np.zeros(n), np.concatenate([[0.0], np.cumsum(0.5 * (speed[1:] + speed[:-1]) * TICK)])
    return Trace(
        (np.arange(n) + 1.0) * TICK,
        np.stack([zeros, way, zeros], axis=1),
        np.stack([zeros, speed, zeros], axis=1),
        np.tile([0.0, 0.0, 0.0, 1.0], (n, 1)),
        np.zeros((n, 3)),
        zeros,
        zeros,
        (),
    )


@pytest.fixture(scope="module")
def track():
    return TestTrack(load_vehicle("roadster"), load_world("plane"))


@pytest.mark.parametrize("a", [3.0, 7.5])
def test_acceleration_figures_of_a_constant_acceleration(a):
    times = np.arange(round(40.0 / TICK)) * TICK
    figures = acceleration_figures(straight_trace(a * np.maximum(times - START, 0.0)))
    assert figures["zero_to_60_mph"] == pytest.approx(60.0 * MPH / a, abs=0.02)
    assert figures["zero_to_160_kmh"] == pytest.approx(160.0 * KMH / a, abs=0.02)
    foot = math.sqrt(2.0 * FOOT / a)
    assert figures["rollout_100_kmh"] == pytest.approx(100.0 * KMH / a - foot, abs=0.02)
    finish = math.sqrt(2.0 * QUARTER_MILE / a)
    assert figures["quarter_mile"] == pytest.approx(finish, abs=0.02)
    assert figures["quarter_mile_rollout"] == pytest.approx(finish - foot, abs=0.02)
    start = math.sqrt(2.0 * (QUARTER_MILE - 66.0 * FOOT) / a)
    assert figures["trap_speed"] == pytest.approx(66.0 * FOOT / (finish - start) / KMH, rel=1e-3)


@pytest.mark.parametrize("a", [6.0, 9.5])
def test_stopping_distances_of_a_constant_deceleration(a):
    speed = np.concatenate([np.full(240, 30.0), np.maximum(30.0 - a * np.arange(0.0, 6.0, TICK), 0.0)])
    found = stopping_distances(straight_trace(speed), 1.0)
    assert found["braking_100_kmh"] == pytest.approx((100.0 * KMH) ** 2 / (2.0 * a), rel=2e-3)
    assert found["braking_60_mph"] == pytest.approx((60.0 * MPH) ** 2 / (2.0 * a), rel=2e-3)


def test_a_level_that_is_never_passed_has_no_time():
    times, values = np.arange(10.0), np.arange(10.0)
    assert crossing(values, 4.25, times) == pytest.approx(4.25)
    assert math.isnan(crossing(values, 20.0, times))
    assert math.isnan(crossing(values, 2.5, times, after=5))


def with_grip(share):
    """A track whose asphalt has that share of its friction, for every kind of tire."""
    track = TestTrack(load_vehicle("roadster"), load_world("plane"))
    parameters = track.world.parameters
    names = [f"surface.asphalt.friction_{tire}" for tire in ("street", "sport", "offroad")]
    parameters.set_many({name: share * parameters.get(name) for name in names})
    return track


def test_braking_distance_follows_grip():
    dry, slippery = (braking(with_grip(share), 50.0) for share in (1.0, 0.7))
    assert 33.0 < dry["braking_100_kmh"] < 60.0
    assert slippery["braking_100_kmh"] > 1.25 * dry["braking_100_kmh"]
    assert dry["braking_60_mph"] == pytest.approx(dry["braking_100_kmh"] * (96.56 / 100.0) ** 2, rel=0.03)


def test_ride_frequencies_follow_the_springs():
    found = {}
    for factor in (1.0, 1.5):
        vehicle = load_vehicle("roadster")
        rate = factor * vehicle.get("suspension.fl.stiffness")
        vehicle.set("suspension.fl.stiffness", rate)
        vehicle.set("suspension.fr.stiffness", rate)
        track = TestTrack(vehicle, load_world("plane"))
        found[factor] = ride_frequencies(track)
        track.to_rest()
        mass = float(vehicle.state["tire"]["load"][0, :2].sum()) / track.gravity
        mass -= float(vehicle.params["wheel"]["mass"][0, :2].sum())
        on_springs = math.sqrt(2.0 * rate / mass) / (2.0 * math.pi)
        assert (
            0.85 * on_springs < found[factor]["ride_frequency_front"] < 1.03 * on_springs
        )  # less where tires give way
    assert found[1.5]["ride_frequency_front"] > 1.1 * found[1.0]["ride_frequency_front"]
    assert found[1.5]["ride_frequency_rear"] == pytest.approx(found[1.0]["ride_frequency_rear"], rel=0.03)


def test_skid_pad_gradients_and_response(track):
    found = skid_pad(track)
    assert found["skidpad_left"] == pytest.approx(found["skidpad_right"], rel=0.03)
    assert 0.6 < found["skidpad_left"] < 1.2
    assert 1.0 < found["roll_gradient"] < 8.0
    response = steering_step(track, found["understeer_gradient"], 50.0)
    assert 0.05 < response["yaw_response_time"] < 0.6
    assert 0.0 <= response["yaw_overshoot"] < 60.0


def test_roll_gradient_falls_with_stiffer_bars():
    gradients = []
    for stiffness in ([4000.0, 2000.0], [40000.0, 20000.0]):
        vehicle = load_vehicle("roadster")
        vehicle.set("antiroll.stiffness", stiffness)
        gradients.append(skid_pad(TestTrack(vehicle, load_world("plane")))["roll_gradient"])
    assert gradients[1] < 0.8 * gradients[0]


def box(x, y, half=0.8, length=4.0):
    """Corners of a vehicle that stands straight: front left, front right, rear left, rear right."""
    front, rear = y + length / 2.0, y - length / 2.0
    return [[x - half, front], [x + half, front], [x - half, rear], [x + half, rear]]


@pytest.mark.parametrize("clearance, passes", [(0.3, True), (0.05, False)])
def test_a_slalom_is_clear_when_no_cone_is_touched(clearance, passes):
    course = slalom_course(4, 0.8, 0.3)
    side = 0.8 + clearance
    rows = []
    for y in np.arange(-10.0, course.length + 10.0, 0.25):
        k = round(min(max(y, 0.0), course.length) / (100.0 * FOOT))
        rows.append(box(side if k % 2 == 0 else -side, y))
    assert course.clear(np.array(rows)) is passes


@pytest.mark.parametrize("shift, passes", [(0.0, True), (0.4, False)])
def test_a_lane_change_is_clear_when_the_car_stays_within_the_lanes(shift, passes):
    course = lane_course(1.6, 2.0, 0.0)
    middles = {6.0: course.line(6.0), 31.0: course.line(31.0), 55.0: course.line(55.0)}
    assert middles[31.0] == pytest.approx(middles[6.0] - (0.5 * 2.01 + 1.0 + 0.5 * 2.6))
    rows = [box(middles[min(middles, key=lambda m: abs(m - y))] + shift, y, length=0.2) for y in np.arange(0, 61, 0.5)]
    assert course.clear(np.array(rows)) is passes


def test_courses_are_driven_faster_with_more_grip():
    slower, faster = (
        (slalom(track, 5, 1.0, 50.0), lane_change(track, 1.0, 50.0)) for track in map(with_grip, (0.6, 1.0))
    )
    assert 45.0 < slower[0] < faster[0] < 140.0
    assert 35.0 < slower[1] < faster[1] < 120.0


def test_equal_tests_give_equal_figures(track):
    again = TestTrack(load_vehicle("roadster"), load_world("plane"))
    assert coast_down(track, 50.0) == coast_down(again, 50.0)


def test_a_vehicle_without_gearbox_or_steered_wheels_leaves_figures_out():
    for name in ("buggy", "tank"):
        test = RoadTest(load_vehicle(name), load_world("plane"), only=("ride_frequency_front",))
        for _ in test:
            pass
        assert "engine_speed_70_mph" not in test.figures
        assert test.figures["zero_to_30_mph"] > 1.0
        assert set(test.figures) <= set(FIGURES)


def with_targets(text):
    return load_vehicle_text(
        (VEHICLE_FOLDER / "roadster.yaml").read_text().replace("name: Roadster", f"name: Roadster\ntargets: {text}"),
        str(VEHICLE_FOLDER / "targeted.yaml"),
    )


def test_targets_are_numbers_and_ranges_of_known_figures():
    assert read_targets(load_vehicle("buggy")) == {}
    vehicle = with_targets("{zero_to_60_mph: 8.8, top_speed: [187, 195]}")
    assert read_targets(vehicle) == {"zero_to_60_mph": (8.8, 8.8), "top_speed": (187.0, 195.0)}
    assert deviation(190.0, (187.0, 195.0)) == 0.0
    assert deviation(9.68, (8.8, 8.8)) == pytest.approx(0.1)
    assert deviation(93.5, (187.0, 195.0)) == pytest.approx(-0.5)


@pytest.mark.parametrize("text, message", [
    ("{zero_to_60: 8.8}", r"targeted.yaml:\d+: targets.zero_to_60: is no figure of a road test.*zero_to_60_mph"),
    ("{top_speed: fast}", r"top_speed: 'fast' must be a number above 0 or a range"),
    ("{top_speed: [1, 2, 3]}", "must be a number above 0 or a range"),
])  # fmt: skip
def test_targets_with_mistakes_name_their_line(text, message):
    with pytest.raises(ConfigError, match=message):
        read_targets(with_targets(text))


def test_the_command_prints_targets_and_fails_beyond_the_tolerance(tmp_path, capsys):
    car, page = tmp_path / "car.yaml", tmp_path / "car.html"
    text = (VEHICLE_FOLDER / "roadster.yaml").read_text()
    for seconds, code in ((9.2, 0), (5.0, 1)):
        car.write_text(text.replace("name: Roadster", f"name: Roadster\ntargets: {{zero_to_60_mph: {seconds}}}"))
        asked = [
            "test",
            str(car),
            "--only",
            "zero_to_60_mph,skidpad_left",
            "--within",
            "15",
            "--json",
            "--html",
            str(page),
        ]
        assert program.main(asked) == code
        found = json.loads(capsys.readouterr().out)
        assert set(found["figures"]) == {"zero_to_60_mph", "skidpad_left"}
        assert found["targets"]["zero_to_60_mph"] == [seconds, seconds]
        assert "zero_to_60_mph" in page.read_text() and "<polyline" in page.read_text()
    assert program.main(["test", "roadster", "--only", "zero_to_60"]) == 2
    assert "zero_to_60_mph" in capsys.readouterr().err
