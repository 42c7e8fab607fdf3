"""The effect of a parameter: by the function, in a helper process, on the command line."""

import json

import numpy as np
import pytest
from command_line import run

from cli.program import main
from lab.measures import HUNDRED, MEASURES
from lab.sweep import Request, Sweep, SweepHelper, parameter_value, points_of, range_of
from physics.schema import SchemaError
from physics.trail import SLIPS
from physics.vehicle_file import load_vehicle, vehicle_text


@pytest.fixture(scope="module")
def roadster():
    return load_vehicle("roadster")


def request(vehicle, names, maneuver="launch", seconds=6.0, **options):
    points = points_of(vehicle, names, **options)
    return Request(vehicle_text(vehicle), str(vehicle.info["path"]), "plane", maneuver, seconds, points)


def rows_at(speeds):
    """Rows of a vehicle that goes straight ahead along +y at these speeds, 60 a second."""
    rows = np.zeros((len(speeds), SLIPS))
    rows[:, 6] = 1.0
    rows[:, 8] = speeds
    rows[:, 1] = np.cumsum(speeds) / 60.0
    return rows


def measured(name, rows):
    return MEASURES[name].of(rows, {"front": [0, 1], "rear": [2, 3]})


def test_measures_of_a_drive_one_can_reckon():
    faster = rows_at(np.linspace(0.0, 40.0, 601))  # 4 m/s^2 for 10 s
    assert measured("time_to_100", faster) == pytest.approx(HUNDRED / 4.0, abs=0.1)
    assert measured("top_speed", faster) == 40.0 and measured("distance", faster) == pytest.approx(200.0, rel=0.01)
    assert np.isnan(measured("time_to_100", rows_at(np.full(60, 10.0))))
    stopping = rows_at(np.maximum(0.0, 30.0 - 10.0 * np.arange(300) / 60.0))  # 10 m/s^2
    assert measured("braking_distance", stopping) == pytest.approx(HUNDRED**2 / 20.0, rel=0.02)
    assert np.isnan(measured("braking_distance", faster))
    turning = rows_at(np.full(300, 20.0))
    turning[:, 12] = 0.5
    turning[60:90, 12] = 0.75
    assert measured("lateral_acceleration", turning) == pytest.approx(15.0 / 9.80665)
    assert measured("yaw_rate", turning) == 0.75 and measured("yaw_overshoot", turning) == pytest.approx(0.5)
    assert np.isnan(measured("yaw_overshoot", rows_at(np.full(300, 20.0))))
    assert np.isnan(measured("balance", turning))  # these rows tell of no tires
    wheels = np.concatenate([turning, np.full((300, 8), 0.02)], axis=1)
    wheels[:, SLIPS : SLIPS + 2] = 0.05
    assert measured("balance", wheels) == pytest.approx(0.03)
    leaning = rows_at(np.full(60, 20.0))
    leaning[:, 3:7] = (0.0, np.sin(0.05), 0.0, np.cos(0.05))
    assert measured("lean", leaning) == pytest.approx(0.1)


def test_one_number_of_a_list_and_what_is_none(roadster):
    path, index, value = parameter_value(roadster, "body.centre_of_mass[1]")
    assert (path, index) == ("body.centre_of_mass", 1) and value == roadster.get(path)[1]
    with pytest.raises(SchemaError, match=r"\[0\] to \[2\]"):
        parameter_value(roadster, "body.centre_of_mass")
    with pytest.raises(KeyError, match="body.mass"):
        parameter_value(roadster, "body.mas")
    low, high = range_of(roadster.parameter("body.mass").field, roadster.get("body.mass"))
    mass = roadster.get("body.mass")
    assert (low, high) == (mass / 3.0, mass * 3.0)
    stiffness = roadster.get("antiroll.stiffness")[0]
    assert range_of(roadster.parameter("antiroll.stiffness").field, stiffness) == (0.0, 3.0 * stiffness)


def test_points_span_the_range_and_set_all_alike(roadster):
    names = ["suspension.fl.stiffness", "suspension.fr.stiffness"]
    points = points_of(roadster, names, 1e4, 5e4, 5)
    assert [value for value, _ in points] == [1e4, 2e4, 3e4, 4e4, 5e4]
    assert points[2][1] == dict.fromkeys(names, 3e4)
    place = roadster.get("body.centre_of_mass")
    values = points_of(roadster, ["body.centre_of_mass[2]"], 0.2, 0.6, 2)
    assert values[1][1] == {"body.centre_of_mass": [place[0], place[1], 0.6]}
    with pytest.raises(SchemaError, match="less to more"):
        points_of(roadster, ["body.mass"], 5.0, 1.0)


def test_a_heavier_car_is_slower_and_a_wrong_value_is_told(roadster):
    points = list(Sweep(request(roadster, ["body.mass"], low=800.0, high=1600.0, count=3)))
    speeds = [point.figures["top_speed"] for point in points]
    assert speeds[0] > speeds[1] > speeds[2]
    assert points[0].figures["time_to_100"] is None  # not within six seconds
    bad = request(roadster, ["body.mass"], seconds=0.1, low=800.0, high=1600.0, count=2)
    bad.points[0] = (-5.0, {"body.mass": -5.0})
    first, second = Sweep(bad)
    assert "body.mass" in first.error and second.error is None


def test_a_helper_gives_the_same_numbers_and_can_be_cancelled(roadster):
    wanted = request(roadster, ["body.mass"], seconds=1.0, low=800.0, high=1600.0, count=3)
    here = list(Sweep(wanted))
    helper = SweepHelper(wanted)
    helper.wait()
    assert helper.error is None and helper.share == 1.0
    assert helper.points == here
    long = SweepHelper(request(roadster, ["body.mass"], seconds=5000.0))
    assert long.poll()
    long.cancel()
    assert long.done and long.error is None and long.share < 1.0
    broken = request(roadster, ["body.mass"], seconds=1.0)
    broken.maneuver = "no_such"
    helper = SweepHelper(broken)
    helper.wait()
    assert "no_such" in helper.error


def test_the_command_prints_writes_and_names_mistakes(tmp_path, capfd):
    out = tmp_path / "mass.csv"
    words = ["sweep", "--vehicle", "roadster", "--maneuver", "launch", "--seconds", "3", "--count", "3"]
    done = run(*words, "--parameter", "body.mass", "--out", out, "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert [p["error"] for p in told["points"]] == [None] * 3
    lines = out.read_text().splitlines()
    assert lines[0].startswith("body.mass,time_to_100 [s],top_speed [m/s]") and len(lines) == 4
    assert float(lines[1].split(",")[2]) == told["points"][0]["figures"]["top_speed"]
    for path, said in (("body.mas", "body.mass"), ("body.centre_of_mass", "[0]")):
        assert main([*words, "--parameter", path]) == 2
        told = capfd.readouterr().err
        assert said in told and "Traceback" not in told


def test_a_drive_too_short_to_measure_is_told(roadster, tmp_path):
    (point, *_) = Sweep(request(roadster, ["body.mass"], seconds=0.001, count=2))
    assert point.figures == {} and "too short" in point.error
    both = run("compare", "--vehicle", "roadster", "--vehicle", "coupe", "--maneuver", "rest", "--seconds", "0.001",
               "--out", tmp_path / "both.csv")  # fmt: skip
    assert both.returncode == 0 and (tmp_path / "both.csv").read_text().startswith("time [s]"), both.stderr
