"""The same commands through two vehicles or setups."""

import csv
import json

import numpy as np
import pytest
from command_line import run

from driving_sandbox.cli.program import main
from driving_sandbox.lab.compare import compare
from driving_sandbox.lab.drive import drive, driver_of
from driving_sandbox.physics.recording import Recording, verify
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world_file import load_world

TICKS = 960  # 4 s


launch = driver_of("launch")


def spawn(world):
    world.spawn()


@pytest.fixture(scope="module")
def world_file():
    return load_world("plane")


def test_each_has_a_driver_of_its_own_unless_the_commands_of_one_are_asked_for(world_file):
    """With the roadster's pedals the hatchback did the slalom at 94 km/h: what was compared was the speed."""
    pair, slalom = ("roadster", "hatchback"), driver_of("slalom")

    def speeds(commands_of):
        one, other, found = compare(*map(load_vehicle, pair), world_file, 3840, slalom, spawn, commands_of=commands_of)
        return next(q.values for q in found if q.name == "speed"), one.commands.tobytes() == other.commands.tobytes()

    (a, b), same = speeds(None)
    assert not same and a == pytest.approx(60.0 / 3.6, abs=0.3) and b == pytest.approx(60.0 / 3.6, abs=0.3)
    (a, b), same = speeds("A")
    assert same and a == pytest.approx(60.0 / 3.6, abs=0.3) and b > 22.0
    (a, b), same = speeds("B")
    assert same and b == pytest.approx(60.0 / 3.6, abs=0.3) and a < 14.0


def test_equal_vehicles_do_the_same_and_commands_act_on_another_mass(world_file):
    one, other, found = compare(load_vehicle("roadster"), load_vehicle("roadster"), world_file, TICKS, launch, spawn)
    assert np.array_equal(one.rows, other.rows) and found[-1].values == (0.0, 0.0)
    heavy = load_vehicle("roadster")
    heavy.set("body.mass", 2000.0)
    one, other, found = compare(load_vehicle("roadster"), heavy, world_file, TICKS, launch, spawn, commands_of="A")
    assert one.commands.tobytes() == other.commands.tobytes() and len(one.commands) == TICKS
    by_name = {q.name: q.values for q in found}
    assert by_name["speed"][1] < by_name["speed"][0] - 1.0 and by_name["apart"][1] > 1.0


def test_the_last_command_holds_on_and_a_runaway_ends_the_drive(world_file):
    vehicle = load_vehicle("roadster")
    given = drive(vehicle, world_file, TICKS, launch, spawn).commands
    short = drive(load_vehicle("roadster"), world_file, TICKS, given[:400], spawn)
    assert np.array_equal(short.commands[400:]["throttle"], np.ones(TICKS - 400))
    vehicle = load_vehicle("roadster")
    vehicle.params["suspension"]["stiffness"][0, :4] = 1e14
    gone = drive(vehicle, world_file, TICKS, given, lambda world: world.place(0, (0.0, 0.0, 0.2), 0.0))
    assert gone.fault is not None and len(gone.rows) < 240


def test_the_command_compares_a_setup_writes_and_records(tmp_path):
    setup = tmp_path / "heavy.yaml"
    setup.write_text("vehicle: Roadster\nbody:\n  mass: 2000\n")
    out = tmp_path / "both.csv"
    done = run("compare", "--vehicle", "roadster", "--setup", setup, "--maneuver", "launch", "--seconds", 4, "--json",
               "--out", out, "--record", tmp_path)  # fmt: skip
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    assert figures["driven"] == "launch, a driver each" and figures["outcomes"] == [{}, {}]
    assert [m["name"] for m in figures["measures"]] == ["time_to_100", "top_speed"]  # the distance is listed elsewhere
    values = {q["name"]: q["values"] for q in figures["differences"]}
    assert values["speed"][1] < values["speed"][0] - 1.0
    with out.open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 240 and float(rows[-1]["A speed [m/s]"]) == values["speed"][0]
    assert float(rows[-1]["A y [m]"]) > float(rows[-1]["B y [m]"]) + 1.0
    for letter in "AB":
        assert verify(tmp_path / f"{letter}.drive").ok
    again = run("compare", "--vehicle", "roadster", "--vehicle", "roadster", "--commands-of", tmp_path / "B.drive",
                "--json", cwd=tmp_path)  # fmt: skip
    assert again.returncode == 0, again.stderr
    figures = json.loads(again.stdout)
    repeated = {q["name"]: q["values"] for q in figures["differences"]}
    assert repeated["apart"] == [0.0, 0.0] and figures["seconds"] == Recording.open(tmp_path / "B.drive").seconds
    assert repeated["speed"][0] == pytest.approx(values["speed"][0], rel=1e-3)  # the same commands through a bare car


def test_mistakes_are_named(capfd):
    both = ("--vehicle", "roadster", "--vehicle", "buggy")
    for words, said in (
        (("--vehicle", "roadster", "--maneuver", "launch"), "two vehicles"),
        ((*both, "--maneuver", "launsh"), "launch"),
        ((*both, "--maneuver", "lap", "--world", "yard"), "no driving line"),
        ((*both, "--commands-of", "nothing.drive"), "no such recording"),
        ((*both, "--commands-of", "A"), "./A"),
        ((*both, "--maneuver", "launch", "--commands-of", "C"), "A or B"),
        ((*both, "--commands", "inputs.csv", "--commands-of", "A"), "--maneuver"),
        (both, "what is driven"),
    ):
        assert main(["compare", *words]) == 2
        errors = capfd.readouterr().err
        assert said in errors and "Traceback" not in errors, errors
