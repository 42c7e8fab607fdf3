"""`main.py tire`: a property file and vehicles' tires as table, CSV and HTML."""

import csv
import math

import pytest
from command_line import run

from driving_sandbox.cli.check import describe
from driving_sandbox.lab.tire_curves import LOAD_SHARES, figures, of_wheel
from driving_sandbox.physics.base.json_text import parse_json
from driving_sandbox.physics.schema.yaml_file import ConfigError
from driving_sandbox.physics.vehicle.swap import plan_swap, swapped_vehicle
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle, own_text

PROPERTY_FILE = """[UNITS]
LENGTH = 'meter'
FORCE = 'newton'
ANGLE = 'radians'
[MODEL]
FITTYP = 62
[DIMENSION]
UNLOADED_RADIUS = 0.3
[VERTICAL]
FNOMIN = 4000
VERTICAL_STIFFNESS = 200000
BREFF = 8
DREFF = 0.24
FREFF = 0.05
[LONGITUDINAL_COEFFICIENTS]
PCX1 = 1.6
PDX1 = 1.1
PKX1 = 22
[LATERAL_COEFFICIENTS]
PCY1 = 1.4
PDY1 = 1.0
PKY1 = 18
PKY2 = 1.8
"""


@pytest.fixture
def measured(tmp_path):
    path = tmp_path / "measured.tir"
    path.write_text(PROPERTY_FILE, encoding="utf8")
    return path


def table(*arguments):
    """Rows of the command's table."""
    result = run("tire", *map(str, arguments), "--json")
    assert result.returncode == 0, result.stderr
    return parse_json(result.stdout)["rows"]  # which refuses NaN


def test_figures_of_a_property_file_at_four_loads_follow_its_coefficients(measured):
    rows = table(measured)
    assert [row["load"] for row in rows] == [2000.0, 4000.0, 6000.0, 8000.0]
    assert [round(row["mu_x"], 3) for row in rows] == [1.1] * 4 and rows[1]["slip_stiffness"] == pytest.approx(
        22.0, rel=0.01
    )
    # m by which the rolling radius falls at these ratios of load to nominal load, by FREFF, DREFF and BREFF;
    # 0.02 m is the deflection at the nominal load
    reductions = [0.02 * (0.05 * ratio + 0.24 * math.atan(8.0 * ratio)) for ratio in (0.5, 1.0, 1.5, 2.0)]
    assert [0.3 - row["rolling_radius"] for row in rows] == pytest.approx(reductions, rel=1e-6)
    x = 1.0 / 1.8  # nominal load divided by the load of largest cornering stiffness; sin(2 atan(x)) = 2 x / (1 + x^2)
    assert rows[1]["cornering_stiffness"] == pytest.approx(18.0 * 2.0 * x / (1.0 + x * x), rel=1e-3)


def test_sweeps_are_written_as_csv_and_html(measured, tmp_path):
    values, page = tmp_path / "curves.csv", tmp_path / "curves.html"
    result = run("tire", str(measured), "--csv", str(values), "--html", str(page))
    assert result.returncode == 0 and "mu x" in result.stdout
    with open(values, encoding="utf8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["sweep"] for row in rows} == {"slip", "angle", "camber", "combined", "load"}
    forces = {float(row["angle [deg]"]): float(row["fy [N]"]) for row in rows
              if row["sweep"] == "angle" and float(row["load [N]"]) == 4000.0}  # fmt: skip
    assert len(forces) == 201 and max(forces.values()) == pytest.approx(4000.0, rel=1e-3)
    assert forces[-5.0] == -forces[5.0] > 3000.0
    text = page.read_text(encoding="utf8")
    assert text.count("<svg") == 8 and "Combined slip" in text and "nan" not in text


def test_sweeping_a_tire_leaves_its_vehicle_as_it_is():
    vehicle = load_vehicle("hatchback")
    before = vehicle.params.tobytes(), vehicle.state_bytes.tobytes()
    assert 0.6 < figures(of_wheel(vehicle, "rl"))[LOAD_SHARES.index(1.0)]["mu_y"] < 1.6
    assert (vehicle.params.tobytes(), vehicle.state_bytes.tobytes()) == before


@pytest.fixture
def on_mf_62(tmp_path):
    """A vehicle file with tires of Magic Formula 6.2."""
    path, vehicle = tmp_path / "roadster_62.yaml", load_vehicle("roadster_simple")
    swapped = swapped_vehicle(vehicle, plan_swap(vehicle, "tire", "mf_62"))
    path.write_text(own_text(swapped, "Roadster 62"), encoding="utf8")
    return path


@pytest.mark.parametrize(("vehicle", "wheel"), [("track_roadster", "rl"), ("roadster_simple", "fl"), (None, "fr")])
def test_figures_of_a_vehicles_tires_are_plausible(vehicle, wheel, on_mf_62):
    rows = table(vehicle or on_mf_62, "--wheel", wheel)
    assert all(0.6 < row["mu_y"] < 1.6 and 0.6 < row["mu_x"] < 1.6 and row["cornering_stiffness"] > 5.0 for row in rows)
    assert rows[0]["load"] < rows[3]["load"] and all(math.isfinite(row["peak_angle"]) for row in rows)
    assert all((row["rolling_radius"] is None) == (vehicle is not None) for row in rows)  # known of mf_62 only


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["missing.tir"], "missing.tir: no such tire property file"),
        (["hatchback", "--wheel", "fx"], "--wheel: no wheel 'fx'"),
        (["patrol"], "coulomb has no curves over slip"),
        (["hatchback", "--csv", "a.txt"], "--csv: must end in .csv"),
        (["nothing"], "nothing: no such vehicle"),
    ],
)
def test_mistakes_are_reported(arguments, words):
    result = run("tire", *arguments)
    assert result.returncode == 2 and words in result.stderr and "Traceback" not in result.stderr


@pytest.mark.parametrize("friction", [0.9, 1.2])
@pytest.mark.parametrize("side", ["left", "both"])
def test_check_reports_on_a_property_file(tmp_path, friction, side):
    path = tmp_path / "measured.TIR"
    text = PROPERTY_FILE.replace("PDY1 = 1.0", f"PDY1 = {friction}")
    path.write_text(text.replace("[DIMENSION]", f"TYRESIDE = '{side}'\n[DIMENSION]"), encoding="utf8")
    report = describe(path)
    assert report.startswith("tire of Magic Formula 6.2, 14 coefficients for ") and "at 4000 N" in report
    assert f"1.10 along and {friction:.2f} across" in report and ("the left side" in report) == (side == "left")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [("PKY2", "PKYY2", "PKYY2: is not a coefficient"), ("PKX1 = 22", "PKX1 = -22", "PKX1: -22 must be greater")],
)
def test_check_refuses_a_wrong_property_file(tmp_path, old, new, words):
    path = tmp_path / "wrong.tir"
    path.write_text(PROPERTY_FILE.replace(old, new), encoding="utf8")
    with pytest.raises(ConfigError, match=words):
        describe(path)
