"""Comparisons of two vehicles or setups, with a driver each or with the same commands."""

import csv
import json
from argparse import Namespace

import numpy as np
import pytest
from command_line import run

from driving_sandbox.cli.compare import _of_recording as of_recording
from driving_sandbox.cli.compare import _text as figures_text
from driving_sandbox.cli.program import main
from driving_sandbox.lab.compare import compare
from driving_sandbox.lab.drive import drive, driver_factory
from driving_sandbox.physics.ground.ground import plane_ground
from driving_sandbox.physics.recording import Recorder, Recording, verify
from driving_sandbox.physics.tick.commands import neutral_command
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

TICKS = 960  # 4 s
launch = driver_factory("launch")


def spawn(world):
    world.spawn()


@pytest.fixture(scope="module")
def world_file():
    return load_world("plane")


def test_each_vehicle_has_its_own_driver_unless_the_commands_of_one_are_chosen(world_file):
    """With a driver each, both do the slalom at 60 km/h.

    With the roadster's commands the hatchback is faster, over 22 m/s; with the hatchback's the roadster is slower.
    """
    pair, slalom = ("roadster", "hatchback"), driver_factory("slalom")

    def speeds(commands_of):
        first, second, quantities = compare(
            *map(load_vehicle, pair), world_file, ticks=3840, commands=slalom, start=spawn, commands_of=commands_of
        )
        speed = next(q.values for q in quantities if q.name == "speed")
        return speed, first.commands.tobytes() == second.commands.tobytes()

    (a, b), same = speeds(None)
    assert not same and a == pytest.approx(60.0 / 3.6, abs=0.3) and b == pytest.approx(60.0 / 3.6, abs=0.3)
    (a, b), same = speeds("A")
    assert same and a == pytest.approx(60.0 / 3.6, abs=0.3) and b > 22.0
    (a, b), same = speeds("B")
    assert same and b == pytest.approx(60.0 / 3.6, abs=0.3) and a < 14.0


def test_equal_vehicles_do_the_same_and_commands_act_on_another_mass(world_file):
    first, second, quantities = compare(
        load_vehicle("roadster"), load_vehicle("roadster"), world_file, TICKS, launch, spawn
    )
    assert np.array_equal(first.rows, second.rows) and quantities[-1].values == (0.0, 0.0)
    heavy = load_vehicle("roadster")
    heavy.set("body.mass", 2000.0)
    first, second, quantities = compare(
        load_vehicle("roadster"), heavy, world_file, TICKS, launch, spawn, commands_of="A"
    )
    assert first.commands.tobytes() == second.commands.tobytes() and len(first.commands) == TICKS
    by_name = {q.name: q.values for q in quantities}
    assert by_name["speed"][1] < by_name["speed"][0] - 1.0 and by_name["apart"][1] > 1.0


def test_the_last_command_is_held_and_a_fault_ends_the_drive(world_file):
    vehicle = load_vehicle("roadster")
    commands = drive(vehicle, world_file, TICKS, launch, spawn).commands
    continued = drive(load_vehicle("roadster"), world_file, TICKS, commands[:400], spawn)
    assert np.array_equal(continued.commands[400:]["throttle"], np.ones(TICKS - 400))
    vehicle = load_vehicle("roadster_simple")  # suspension without unsprung mass, whose forces have no limit
    vehicle.params["suspension"]["stiffness"][0, :4] = 1e14
    runaway = drive(vehicle, world_file, TICKS, commands, lambda world: world.place(0, (0.0, 0.0, 0.2), 0.0))
    assert runaway.fault is not None and len(runaway.rows) < 240


def test_the_command_compares_a_setup_writes_and_records(tmp_path):
    setup = tmp_path / "heavy.yaml"
    setup.write_text("vehicle: Roadster\nbody:\n  mass: 2000\n")
    out = tmp_path / "both.csv"
    result = run("compare", "--vehicle", "roadster", "--setup", setup, "--maneuver", "launch", "--seconds", 4, "--json",
               "--out", out, "--record", tmp_path)  # fmt: skip
    assert result.returncode == 0, result.stderr
    figures = json.loads(result.stdout)
    assert figures["driven"] == "launch, one driver each" and figures["outcomes"] == [{}, {}]
    assert [m["name"] for m in figures["measures"]] == ["time_to_100", "top_speed"]  # the distance is listed elsewhere
    values = {q["name"]: q["values"] for q in figures["differences"]}
    assert values["speed"][1] < values["speed"][0] - 1.0
    with out.open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 240 and float(rows[-1]["A speed [m/s]"]) == values["speed"][0]  # 60 rows per second
    assert float(rows[-1]["A y [m]"]) > float(rows[-1]["B y [m]"]) + 1.0
    for letter in "AB":
        assert verify(tmp_path / f"{letter}.drive").ok
    again = run("compare", "--vehicle", "roadster", "--vehicle", "roadster", "--commands-of", tmp_path / "B.drive",
                "--json", cwd=tmp_path)  # fmt: skip
    assert again.returncode == 0, again.stderr
    figures = json.loads(again.stdout)
    repeated = {q["name"]: q["values"] for q in figures["differences"]}
    assert repeated["apart"] == [0.0, 0.0] and figures["seconds"] == Recording.open(tmp_path / "B.drive").seconds
    assert repeated["speed"][0] == pytest.approx(values["speed"][0], rel=1e-3)  # without B's setup, as fast as A


def test_mistakes_are_named(capfd):
    both = ("--vehicle", "roadster", "--vehicle", "buggy")
    for words, message in (
        (("--vehicle", "roadster", "--maneuver", "launch"), "two vehicles"),
        ((*both, "--maneuver", "launsh"), "launch"),
        ((*both, "--maneuver", "lap", "--world", "yard"), "no driving line"),
        ((*both, "--commands-of", "nothing.drive"), "no such recording"),
        ((*both, "--commands-of", "A"), "./A"),
        ((*both, "--maneuver", "launch", "--commands-of", "C"), "must be A or B"),
        ((*both, "--commands", "inputs.csv", "--commands-of", "A"), "--maneuver"),
        ((*both, "--commands-of", "lap.drive", "--spawn", "start"), "--spawn: cannot be used with a recording"),
        (both, "give one of them"),
    ):
        assert main(["compare", *words]) == 2
        errors = capfd.readouterr().err
        assert message in errors and "Traceback" not in errors, errors


@pytest.mark.parametrize("gear", [7, 9])
def test_a_gear_that_a_vehicle_lacks_is_refused(tmp_path, capfd, gear):
    """The roadster has gears of index 0 to 6, the coupe 0 to 7."""
    path = tmp_path / "inputs.csv"
    path.write_text(f"time,throttle,gear\n0,1,2\n0.1,1,{gear}\n")
    for names in (("roadster", "coupe"), ("coupe", "roadster")):
        words = [word for name in names for word in ("--vehicle", name)]
        assert main(["compare", *words, "--commands", str(path)]) == 2
        assert f'inputs.csv:3: gear: "{gear}" must be a gear' in capfd.readouterr().err


def test_rows_have_the_time_at_which_they_were_taken(tmp_path):
    """At 100 ticks a second, which 60 rows do not divide, a row is every second tick."""
    (tmp_path / "slow.yaml").write_text("name: Slow\ntick_rate: 100\nterrain: {plane: 0, surface: asphalt}\n"
                                        "spawn_points: {start: {position: [0, 0]}}\n")  # fmt: skip
    path = tmp_path / "both.csv"
    words = ["--vehicle", "roadster", "--vehicle", "roadster", "--maneuver", "launch", "--seconds", "0.2"]
    assert main(["compare", *words, "--world", str(tmp_path / "slow.yaml"), "--out", str(path)]) == 0
    times = np.loadtxt(path, delimiter=",", skiprows=1)[:, 0]
    assert times == pytest.approx(np.arange(1.0, 11.0) / 50.0)


def test_a_recording_is_compared_in_its_own_world(tmp_path, capfd):
    path = tmp_path / "own.yaml"
    for height in (0, 3):
        record = tmp_path / f"own{height}.drive"
        path.write_text(f"name: Own {height}\nterrain: {{plane: {height}, surface: asphalt}}\n"
                        "spawn_points: {start: {position: [0, 0]}}\n")  # fmt: skip
        drive(load_vehicle("roadster"), load_world(path), 24, launch, spawn, record)
        options = Namespace(commands_of=str(record), world=None, seconds=None)
        assert of_recording(options)[0].name == f"Own {height}"
    path.write_text(path.read_text().replace("plane: 3", "plane: 4"))
    assert main(["compare", "--vehicle", "roadster", "--vehicle", "roadster", "--commands-of", str(record)]) == 2
    assert "own.yaml was changed since; choose a world with --world" in capfd.readouterr().err
    assert of_recording(Namespace(commands_of=str(record), world="plane", seconds=None))[0].name == "Flat plane"


def test_a_recording_without_a_world_file_needs_one(tmp_path, capfd):
    world = World(plane_ground(), [load_vehicle("roadster")])
    with Recorder(tmp_path / "bare.drive", world, "") as recorder:
        for _ in range(24):
            recorder.record(neutral_command(), None, world.step(neutral_command()) is not None)
    words = ["compare", "--vehicle", "roadster", "--vehicle", "roadster", "--commands-of", str(tmp_path / "bare.drive")]
    assert main(words) == 2
    assert "in a world without a file; choose a world with --world" in capfd.readouterr().err


@pytest.mark.parametrize(("faults", "text"), [([None, "gone"], "B ended after 2.5 s; fault: gone"), ([None, None], "")])
def test_a_drive_that_ended_early_says_when(faults, text):
    figures = {"vehicles": ["Roadster"] * 2, "setups": [None, "soft.yaml"], "seconds": 10.0, "driven": "launch",
               "driven_seconds": [10.0, 2.5], "faults": faults, "outcomes": [{}, {}], "differences": [],
               "measures": []}  # fmt: skip
    report = figures_text(figures)
    assert report.startswith("A Roadster, B Roadster with soft.yaml: 10 s, launch")
    assert text in report and ("ended after" in report) == bool(text)
