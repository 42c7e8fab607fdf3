"""`check` and `list`: the shipped files are valid, mistakes are named, code that a vehicle names is not run."""

import json
import re

import pytest
from command_line import ROOT

from driving_sandbox.cli import program
from driving_sandbox.cli.headless import vehicle_of_options
from driving_sandbox.lab.maneuvers import MANEUVERS
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle, setup_text

VEHICLES = sorted((ROOT / "configs" / "vehicles").glob("*.yaml"))
WORLDS = sorted((ROOT / "configs" / "worlds").glob("*.yaml"))


def check(*files):
    """Exit code of the command `check` for these files."""
    return program.main(["check", *map(str, files)])


def test_the_shipped_files_are_valid(home, capsys):
    files = [*VEHICLES, *WORLDS, *(ROOT / "configs" / "surfaces").glob("*.yaml"),
             *(ROOT / "configs" / "controls").glob("*.yaml"), *(ROOT / "assets" / "models").glob("*.glb")]  # fmt: skip
    assert check(*files) == 0
    lines = capsys.readouterr().out.splitlines()
    warnings = [line for line in lines if ": warning: " in line]
    assert all(re.match(r".+\.yaml:\d+: warning: .+: usually ", line) for line in warnings), warnings
    reports = [line for line in lines if not line.startswith("  ") and line not in warnings]  # indented: details
    assert len(reports) == len(files)
    kinds = ("vehicle ", "world ", "surfaces:", "controls,", "vehicle model,")
    assert all(any(f": {kind}" in line for kind in kinds) for line in reports), reports


def test_vehicles_and_worlds_are_found_by_name(home, capsys):
    assert check("coupe", "plane") == 0
    out = capsys.readouterr().out
    assert 'coupe: vehicle "Coupe"' in out and "plane: world " in out and "warning" not in out
    assert check("cupe", "plane") == 2
    assert 'cupe: no such file, vehicle or world (did you mean "coupe"?)' in capsys.readouterr().out


def edited(tmp_path, old, new):
    """Path of a copy of the roadster's file with the first `old` replaced by `new`, and the model's path absolute."""
    text = VEHICLES[0].parent.joinpath("roadster.yaml").read_text(encoding="utf8")
    assert old in text
    path = tmp_path / "car.yaml"
    path.write_text(text.replace(old, new, 1).replace("models/", f"{ROOT}/assets/models/"), encoding="utf8")
    return path


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("mass: 1125", "mass: 0", "car.yaml:15: body.mass: 0: must be greater than 0"),
        ("mass: 1125", "mas: 1125", 'body.mas: unknown key (did you mean "mass"?)'),
        ("mass: 1125", "mass: .nan", "body.mass: .nan is not a usable number"),
        ("type: engine_drive", "type: engine_driv", 'is not a vehicle type (did you mean "engine_drive"?)'),
        ("engine:\n", "engin:\n", "unknown key"),
        ("roadster.glb", "nothing.glb", "nothing.glb"),
        ("aero: {frontal_area:", "aero: {frontal_area: 1.6, frontal_area:", "given twice"),
        ("rear: [rl, rr]", "rear: [rl, fl]", "the name 'fl' is used twice"),
    ],
)
def test_mistakes_in_a_vehicle_are_named(old, new, message, tmp_path, home, capsys):
    assert check(edited(tmp_path, old, new)) == 2
    text = capsys.readouterr().out
    assert message in text
    assert "1 of 1 files have errors" in text


def test_code_that_a_vehicle_names_is_not_run(tmp_path, home, capsys):
    evidence = tmp_path / "evidence"
    (tmp_path / "own.py").write_text(f"open({str(evidence)!r}, 'w').close()\n", encoding="utf8")
    path = edited(tmp_path, "tire: mf_62,", "tire: {file: own.py, name: MY_TIRE},")
    assert check(path) == 0
    assert "component file, which was not run" in capsys.readouterr().out
    assert not evidence.exists()


def test_setups_are_described_and_wrong_ones_refused(tmp_path, home, capsys):
    vehicle = load_vehicle("roadster")
    vehicle.set("engine.peak_torque", 160.0)
    good = tmp_path / "good.yaml"
    good.write_text(setup_text(vehicle), encoding="utf8")
    bad = tmp_path / "bad.yaml"
    bad.write_text("vehicle: Roadster\nengine: {peak_torque: -5}\n", encoding="utf8")
    other = tmp_path / "other.yaml"
    other.write_text("vehicle: Rodster\n", encoding="utf8")
    assert check(good) == 0
    assert 'setup for "Roadster", 1 value differs' in capsys.readouterr().out
    assert check(bad, other) == 2
    text = capsys.readouterr().out
    assert "bad.yaml:2: engine.peak_torque: -5" in text
    assert 'did you mean "Roadster"?' in text


def test_unusual_values_are_reported_with_their_line_and_impossible_ones_refused(tmp_path, home, capsys):
    setup = tmp_path / "setup.yaml"
    setup.write_text("vehicle: Roadster\nbody: {mass: 40000}\nengine:\n  peak_torque: 2000\n", encoding="utf8")
    assert check(setup) == 0
    output = capsys.readouterr().out
    assert f"{setup}:2: warning: body.mass: 40000.0: usually 300 to 20000 kg" in output
    assert f"{setup}:4: warning: engine.peak_torque: 2000.0: usually 50 to 1000 N*m" in output
    vehicle_of_options("roadster", setup, [])
    assert f"{setup}:4: warning: engine.peak_torque: 2000.0: usually" in capsys.readouterr().err
    setup.write_text("vehicle: Roadster\nbody: {mass: 400000}\n", encoding="utf8")
    assert check(setup) == 2
    assert f"{setup}:2: body.mass: 400000: must be less than or equal to 200000" in capsys.readouterr().out
    car = edited(tmp_path, "mass: 1125", "mass: 40000")
    line = 1 + next(k for k, text in enumerate(car.read_text(encoding="utf8").splitlines()) if "mass: 40000" in text)
    assert check(car) == 0 and f"{car}:{line}: warning: body.mass: 40000.0: usually" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.yaml", b"nothing: here\n", "unknown file type"),
        ("a.yaml", b"- 1\n", "must be a mapping"),
        ("a.yaml", b"a: [1\n", "not valid YAML"),
        ("a.yaml", b"\xff\xfe", "cannot be read"),
        ("a.txt", b"hello", "unknown file type '.txt'"),
        ("a.glb", b"glTFnot really", "a.glb"),
        ("a.drive", b"not a recording at all", "a.drive"),
        ("a.csv", b"time,throtle\n0,1\n", 'unknown column (did you mean "throttle"?)'),
        ("a.yaml", b"name: W\nterrain: {plane: 0, surface: asphlt}\nspawn_points: {a: {position: [0, 0]}}\n",
         'no surface \'asphlt\' (did you mean "asphalt"?)'),
    ],
)  # fmt: skip
def test_wrong_files_are_refused_with_a_reason(name, content, message, tmp_path, home, capsys):
    path = tmp_path / name
    path.write_bytes(content)
    assert check(path) == 2
    captured = capsys.readouterr()
    assert message in captured.out
    assert "unexpected" not in captured.err  # as in "unexpected ValueError": a crash, not a message


def test_a_missing_file_does_not_hide_the_others(tmp_path, home, capsys):
    assert check(tmp_path / "none.yaml", VEHICLES[0]) == 2
    text = capsys.readouterr().out
    assert "none.yaml: no such file" in text
    assert "vehicle " in text and "1 of 2 files have errors" in text


def test_list_names_vehicles_worlds_manoeuvres_recordings_and_components(home, capsys):
    assert program.main(["list", "--json"]) == 0
    groups = json.loads(capsys.readouterr().out)
    assert [row[0] for row in groups["vehicles"]] == [p.stem for p in VEHICLES]
    assert {p.stem for p in WORLDS} == {row[0] for row in groups["worlds"]}
    assert {row[0] for row in groups["maneuvers"]} == set(MANEUVERS)
    assert groups["recordings"] == []  # `list` created the user folder, including recordings/
    (home / "recordings" / "yesterday.drive").write_bytes(b"")
    assert program.main(["list"]) == 0
    text = capsys.readouterr().out
    assert "yesterday" in text and "components:" in text and "tire: combined_slip" in text
