"""Sweeps of a parameter: by the class `Sweep`, in a worker process and on the command line."""

import json

import numpy as np
import pytest
from command_line import run

from driving_sandbox.cli.program import main
from driving_sandbox.lab.maneuvers import MANEUVERS
from driving_sandbox.lab.measures import MEASURES, SPEED_100_KMH, STOPPED, overshoot
from driving_sandbox.lab.road_test.figures import FIGURES
from driving_sandbox.lab.sweep import (
    Point,
    Request,
    Sweep,
    SweepWorker,
    best_point,
    parameter_value,
    points_of,
    range_of,
)
from driving_sandbox.physics.batch.trajectory import SLIPS
from driving_sandbox.physics.schema.schema import SchemaError
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle, vehicle_text


@pytest.fixture(scope="module")
def roadster():
    return load_vehicle("roadster")


def make_request(vehicle, names, maneuver="launch", seconds=6.0, **options):
    """Request for a sweep over parameters; options: range and number of values."""
    points = points_of(vehicle, names, **options)
    return Request(vehicle_text(vehicle), str(vehicle.info["path"]), "plane", maneuver, seconds, points)


def rows_at(speeds, interval=1.0 / 60.0):
    """Rows of a vehicle that goes straight ahead along +y at these speeds, a row every `interval` s.

    Columns: 0 to 2 position, 3 to 6 orientation (x, y, z, w), 7 to 9 velocity, 10 to 12 angular velocity.
    """
    rows = np.zeros((len(speeds), SLIPS))
    rows[:, 6] = 1.0
    rows[:, 8] = speeds
    rows[:, 1] = np.cumsum(speeds) * interval
    return rows


def measured(name, rows, interval=1.0 / 60.0):
    return MEASURES[name].of(rows, {"front": [0, 1], "rear": [2, 3]}, interval)


def test_measures_equal_those_computed_by_hand():
    faster = rows_at(np.linspace(0.0, 40.0, 601))  # 4 m/s^2 for 10 s
    assert measured("time_to_100", faster) == pytest.approx(SPEED_100_KMH / 4.0, abs=0.1)
    assert measured("top_speed", faster) == 40.0 and measured("distance", faster) == pytest.approx(200.0, rel=0.01)
    assert np.isnan(measured("time_to_100", rows_at(np.full(60, 10.0))))
    stopping = rows_at(np.maximum(0.0, 30.0 - 10.0 * np.arange(300) / 60.0))  # 10 m/s^2
    assert measured("braking_distance", stopping) == pytest.approx(SPEED_100_KMH**2 / 20.0, rel=0.02)
    assert np.isnan(measured("braking_distance", faster))
    turning = rows_at(np.full(300, 20.0))
    turning[:, 12] = 0.5
    turning[60:90, 12] = 0.75
    path = np.cumsum(turning[:, 12]) / 60.0
    turning[:, 7], turning[:, 8] = -20.0 * np.sin(path), 20.0 * np.cos(path)
    assert measured("centripetal_acceleration", turning) == pytest.approx(15.0 / 9.80665, rel=1e-3)
    assert measured("yaw_rate", turning) == 0.75 and measured("yaw_overshoot", turning) == pytest.approx(50.0)
    assert np.isnan(measured("yaw_overshoot", rows_at(np.full(300, 20.0))))
    assert np.isnan(measured("balance", turning))  # these rows have no tires
    wheels = np.concatenate([turning, np.full((300, 8), 0.02)], axis=1)
    wheels[:, SLIPS : SLIPS + 2] = 0.05
    assert measured("balance", wheels) == pytest.approx(0.03)
    rolled = rows_at(np.full(60, 20.0))
    rolled[:, 3:7] = (0.0, np.sin(0.05), 0.0, np.cos(0.05))
    assert measured("lean", rolled) == pytest.approx(0.1)


@pytest.mark.parametrize("interval", [0.02, 0.1])  # s, of worlds with 100 and 10 ticks a second
def test_measures_follow_the_interval_of_the_rows(interval):
    faster = rows_at(4.0 * np.arange(0.0, 10.0, interval), interval)  # 4 m/s^2
    assert measured("time_to_100", faster, interval) == pytest.approx((SPEED_100_KMH - STOPPED) / 4.0, abs=interval)
    turning = rows_at(np.full(round(4.0 / interval), 20.0), interval)
    angle = 0.5 * interval * np.arange(len(turning))  # rad, of a path at 0.5 rad/s
    turning[:, 7], turning[:, 8] = -20.0 * np.sin(angle), 20.0 * np.cos(angle)
    assert measured("centripetal_acceleration", turning, interval) == pytest.approx(10.0 / 9.80665, rel=1e-3)


def test_yaw_of_a_car_that_spins_on_a_straight_path_is_not_cornering():
    """Speed times yaw rate would be 6 g for such a drive, but its centre of mass goes straight on."""
    spinning = rows_at(np.full(300, 20.0))
    spinning[:, 12] = 3.0
    yaw = np.cumsum(spinning[:, 12]) / 60.0
    spinning[:, 5], spinning[:, 6] = np.sin(yaw / 2.0), np.cos(yaw / 2.0)
    assert measured("centripetal_acceleration", spinning) == pytest.approx(0.0, abs=1e-9)
    crawling = rows_at(np.full(300, 1.0))
    crawling[:, 7] = np.sin(np.arange(300) / 5.0) * 0.5
    assert np.isnan(measured("centripetal_acceleration", crawling))  # below walking speed a path has no direction
    wheels = np.concatenate([crawling, np.full((300, 8), 0.02)], axis=1)
    assert np.isnan(measured("balance", wheels)) and np.isnan(measured("centripetal_acceleration", crawling[:5]))


@pytest.mark.parametrize(
    ("top_speed", "metres"), [(25.0, None), (30.0, SPEED_100_KMH**2 / 20.0), (40.0, SPEED_100_KMH**2 / 20.0)]
)
def test_the_braking_distance_is_from_100_km_h_for_every_car(top_speed, metres):
    """A car too slow for 100 km/h has none: a short stop from its top speed is not the best of a sweep."""
    distance = measured("braking_distance", rows_at(np.maximum(0.0, top_speed - 10.0 * np.arange(300) / 60.0)))
    assert np.isnan(distance) if metres is None else distance == pytest.approx(metres, rel=0.02)


@pytest.mark.parametrize(("interval", "peak"), [(1.0 / 60.0, 0.6), (1.0 / 240.0, 0.8)])
def test_both_yaw_overshoots_are_the_same_figure(interval, peak):
    """Sweep and road test say how far the peak to the side of the turn exceeds the final rate, in per cent of it."""
    assert MEASURES["yaw_overshoot"].unit == FIGURES["yaw_overshoot"].unit == "%"
    rates = np.full(round(3.0 / interval), 0.4)
    rates[: round(0.2 / interval)] = peak
    rates[-round(1.5 / interval) : -round(1.4 / interval)] = -2.0 * peak
    assert overshoot(rates, interval) == pytest.approx(100.0 * (peak / 0.4 - 1.0))
    assert overshoot(-rates, interval) == overshoot(rates, interval)
    turning = rows_at(np.full(180, 20.0))
    turning[:, 12] = rates[:: len(rates) // 180]
    assert measured("yaw_overshoot", turning) == pytest.approx(100.0 * (peak / 0.4 - 1.0))


def test_every_manoeuvre_declares_known_measures_and_a_point_has_figures_for_them(roadster):
    for kind in MANEUVERS.values():
        assert kind.seconds > 0.0 and kind.measures and set(kind.measures) <= set(MEASURES)
    assert "braking_distance" not in MANEUVERS["slalom"].measures
    (point, *_) = Sweep(make_request(roadster, ["body.mass"], "rest", seconds=0.1, count=2))
    assert list(point.figures) == list(MANEUVERS["rest"].measures)


def test_a_drive_that_spins_is_marked_and_never_the_best():
    """A roadster without an anti-roll bar in front spins in the step steer; until then it corners faster."""
    roadster = load_vehicle("roadster_simple")
    stiffness = roadster.get("antiroll.stiffness")[0]
    sweep_request = make_request(
        roadster, ["antiroll.stiffness[0]"], "step_steer", 16.0, low=0.0, high=stiffness, count=2
    )
    spun, gripping = Sweep(sweep_request)
    assert list(spun.events) == ["spin"] and not spun.valid and "spun at" in spun.problem
    assert spun.events["spin"] == pytest.approx(15.4, abs=0.2)
    assert (
        gripping.valid and gripping.figures["centripetal_acceleration"] < spun.figures["centripetal_acceleration"] < 1.0
    )
    assert best_point([spun, gripping], "centripetal_acceleration") is gripping
    assert best_point([spun], "centripetal_acceleration") is None
    assert best_point([gripping], "balance") is None  # neither more nor less of it is better


def test_the_spin_of_a_handbrake_turn_is_not_a_failure(roadster):
    (point, *_) = Sweep(make_request(roadster, ["body.mass"], "handbrake_turn", 9.0, low=900.0, high=1000.0, count=2))
    assert point.figures["sideslip"] > 1.2 and point.events == {} and point.valid


def test_the_best_is_the_smallest_where_less_is_better():
    points = [Point(1.0, {"braking_distance": 41.0}), Point(2.0, {"braking_distance": 39.0}),
              Point(3.0, {"braking_distance": 30.0}, events={"impact": 1.0}), Point(4.0, {"braking_distance": None}),
              Point(5.0, error="no")]  # fmt: skip
    assert best_point(points, "braking_distance") is points[1]


def test_the_table_says_what_was_left_out(monkeypatch, capfd):
    figures = dict.fromkeys(MANEUVERS["step_steer"].measures, 0.5)
    spun = Point(1.0, {**figures, "centripetal_acceleration": 1.87}, events={"spin": 15.4})
    words = ["sweep", "--vehicle", "roadster", "--parameter", "body.mass", "--maneuver", "step_steer"]
    for points, message in (
        ([spun, Point(2.0, figures)], ("best centripetal_acceleration: 0.5 g at 2", "left out of the best: 1 of 2")),
        ([spun, spun], ("every drive failed",)),
    ):
        monkeypatch.setattr("driving_sandbox.cli.sweep.Sweep", lambda request, points=points: iter(points))
        assert main(words) == 0
        output = capfd.readouterr().out
        assert "spun at 15.4 s" in output and all(text in output for text in message), output
    assert main([*words, "--json"]) == 0
    result = json.loads(capfd.readouterr().out)
    assert result["left_out"] == 2 and result["best"] == {} and result["points"][0]["events"] == {"spin": 15.4}


def test_a_measure_that_means_nothing_for_the_manoeuvre_is_refused(capfd):
    words = ["sweep", "--vehicle", "roadster", "--parameter", "body.mass", "--maneuver", "slalom", "--measure"]
    for measure, message in (("braking_distance", "does not apply to slalom"), ("sidslip", 'did you mean "sideslip"')):
        assert main([*words, measure]) == 2
        errors = capfd.readouterr().err
        assert message in errors and "sideslip, centripetal_acceleration" in errors and "Traceback" not in errors


def test_one_number_of_a_list_is_named_by_its_index(roadster):
    path, index, value = parameter_value(roadster, "body.centre_of_mass[1]")
    assert (path, index) == ("body.centre_of_mass", 1) and value == roadster.get(path)[1]
    with pytest.raises(SchemaError, match=r"\[0\] to \[2\]"):
        parameter_value(roadster, "body.centre_of_mass")
    truck = load_vehicle("truck")
    ratios = truck.get("gearbox.ratios")
    for index in (9, 11):
        name = f"gearbox.ratios[{index}]"
        assert parameter_value(truck, name) == ("gearbox.ratios", index, ratios[index])
    with pytest.raises(SchemaError, match=rf"\[0\] to \[{len(ratios) - 1}\]"):
        parameter_value(truck, f"gearbox.ratios[{len(ratios)}]")
    with pytest.raises(KeyError, match="body.mass"):
        parameter_value(roadster, "body.mas")
    low, high = range_of(roadster.parameter("body.mass").field, roadster.get("body.mass"))
    mass = roadster.get("body.mass")
    assert (low, high) == (mass / 3.0, mass * 3.0)
    stiffness = roadster.get("antiroll.stiffness")[0]
    assert range_of(roadster.parameter("antiroll.stiffness").field, stiffness) == (0.0, 3.0 * stiffness)


def test_points_span_the_range_and_set_all_alike(roadster):
    names = ["suspension.fl.stiffness", "suspension.fr.stiffness"]
    points = points_of(roadster, names, low=1e4, high=5e4, count=5)
    assert [value for value, _ in points] == [1e4, 2e4, 3e4, 4e4, 5e4]
    _, changed = points[2]
    assert changed == dict.fromkeys(names, 3e4)
    centre = roadster.get("body.centre_of_mass")
    _, (_, changed) = points_of(roadster, ["body.centre_of_mass[2]"], low=0.2, high=0.6, count=2)
    assert changed == {"body.centre_of_mass": [centre[0], centre[1], 0.6]}
    with pytest.raises(SchemaError, match="low must be below high; given 5 to 1"):
        points_of(roadster, ["body.mass"], low=5.0, high=1.0)


def test_a_heavier_car_is_slower_and_a_wrong_value_is_reported(roadster):
    points = list(Sweep(make_request(roadster, ["body.mass"], low=800.0, high=1600.0, count=3)))
    speeds = [point.figures["top_speed"] for point in points]
    assert speeds[0] > speeds[1] > speeds[2]
    assert points[0].figures["time_to_100"] is None  # not within six seconds
    bad = make_request(roadster, ["body.mass"], seconds=0.1, low=800.0, high=1600.0, count=2)
    bad.points[0] = (-5.0, {"body.mass": -5.0})
    first, second = Sweep(bad)
    assert "body.mass" in first.error and second.error is None


def test_a_worker_gives_the_same_numbers_and_can_be_cancelled(roadster):
    sweep_request = make_request(roadster, ["body.mass"], seconds=1.0, low=800.0, high=1600.0, count=3)
    points = list(Sweep(sweep_request))
    worker = SweepWorker(sweep_request)
    worker.wait()
    assert worker.error is None and worker.progress == 1.0
    assert worker.points == points
    long = SweepWorker(make_request(roadster, ["body.mass"], seconds=5000.0))
    assert long.poll()
    long.cancel()
    assert long.done and long.error is None and long.progress < 1.0
    broken = make_request(roadster, ["body.mass"], seconds=1.0)
    broken.maneuver = "no_such"
    worker = SweepWorker(broken)
    worker.wait()
    assert "no_such" in worker.error


def test_the_command_prints_writes_and_names_mistakes(tmp_path, capfd):
    out = tmp_path / "mass.csv"
    words = ["sweep", "--vehicle", "roadster", "--maneuver", "launch", "--seconds", "3", "--count", "3"]
    process = run(*words, "--parameter", "body.mass", "--out", out, "--json")
    assert process.returncode == 0, process.stderr
    result = json.loads(process.stdout)
    assert [p["error"] for p in result["points"]] == [None] * 3
    lines = out.read_text().splitlines()
    assert lines[0] == "body.mass,time_to_100 [s],top_speed [m/s],distance [m],outcome,error" and len(lines) == 4
    assert list(result["units"]) == list(MANEUVERS["launch"].measures) == list(result["points"][0]["figures"])
    assert float(lines[1].split(",")[2]) == result["points"][0]["figures"]["top_speed"]
    for path, message in (("body.mas", "body.mass"), ("body.centre_of_mass", "[0]")):
        assert main([*words, "--parameter", path]) == 2
        errors = capfd.readouterr().err
        assert message in errors and "Traceback" not in errors


def test_a_drive_too_short_to_measure_is_reported(roadster):
    (point, *_) = Sweep(make_request(roadster, ["body.mass"], seconds=0.001, count=2))
    assert point.figures == {} and "too short" in point.error


def test_a_comparison_of_drives_without_samples_is_written(tmp_path):
    result = run("compare", "--vehicle", "roadster", "--vehicle", "coupe", "--maneuver", "rest", "--seconds", "0.001",
               "--out", tmp_path / "both.csv")  # fmt: skip
    assert result.returncode == 0 and (tmp_path / "both.csv").read_text().startswith("time [s]"), result.stderr
