"""`replay --verify` and `--export`: their output for good and damaged recordings, once each in a fresh process."""

import csv
import json

import pytest
import yaml
from command_line import ROOT, run

from driving_sandbox.benchmarks.scenes import command, drive
from driving_sandbox.cli.program import main
from driving_sandbox.physics.recording import Recorder, Recording
from driving_sandbox.physics.vehicle.trust import Allowed
from driving_sandbox.physics.vehicle.vehicle_file import VEHICLE_FOLDER, load_vehicle, load_vehicle_text
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    """Two seconds of a launch with a bend in it."""
    path = tmp_path_factory.mktemp("recordings") / "launch.drive"
    world = World(load_world("plane"), [load_vehicle("roadster")])
    world.spawn()
    held_command = command(world.vehicles[0], throttle=0.8, steer=-0.3)
    with Recorder(path, world, "2026-01-01 12:00:00") as recorder:
        for _ in range(480):
            world.step(held_command)
            recorder.record(held_command)
    return path


def test_verify_ends_with_0_and_says_how_much_was_equal(recording, home, capfd):
    result = run("replay", recording, "--verify")
    assert result.returncode == 0, result.stderr
    assert "verified: 480 ticks" in result.stdout
    assert main(["replay", str(recording), "--verify", "--json"]) == 0
    figures = json.loads(capfd.readouterr().out)
    assert figures["ok"] and figures["ticks"] == 480


SPRING = ROOT / "docs" / "examples" / "progressive_suspension.py"


@pytest.fixture
def with_own_component(tmp_path):
    """Half a second of the roadster with a suspension from a Python file."""
    choice = {"suspension": {"file": str(SPRING), "name": "PROGRESSIVE"}}
    tree = yaml.safe_load((VEHICLE_FOLDER / "roadster_simple.yaml").read_text(encoding="utf8"))
    tree["components"] = {**tree.get("components", {}), **choice}
    text = yaml.safe_dump(tree, sort_keys=False)
    world = World(load_world("plane"), [load_vehicle_text(text, tmp_path / "own.yaml", trust=Allowed([SPRING]))])
    world.spawn()
    held_command = command(world.vehicles[0], throttle=0.8)
    path = tmp_path / "own.drive"
    with Recorder(path, world, "2026-01-01 12:00:00") as recorder:
        for _ in range(120):
            world.step(held_command)
            recorder.record(held_command)
    return path


def test_a_drive_with_a_component_of_ones_own_verifies_once_its_file_is_trusted(with_own_component, home):
    result = run("replay", with_own_component, "--verify")
    assert result.returncode != 0
    assert "progressive_suspension.py, which was not allowed" in result.stderr and "Traceback" not in result.stderr
    result = run("replay", with_own_component, "--verify", "--trust", SPRING)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "verified: 120 ticks" in result.stdout


def test_a_flipped_bit_ends_with_1_and_names_the_tick(recording, home, tmp_path):
    """The bit belongs to the checksum of tick 300."""
    data, row = bytearray(recording.read_bytes()), Recording.open(recording).rows(300, 301)[0, 0]
    checksum = b"".join(int(row[name]).to_bytes(2, "little") for name in ("state_check", "row_check"))
    assert data.count(checksum) == 1
    data[data.index(checksum)] ^= 1
    damaged = tmp_path / "damaged.drive"
    damaged.write_bytes(data)
    result = run("replay", damaged, "--verify")
    assert result.returncode == 1
    assert "DIFFERS: tick 300" in result.stdout
    assert "Traceback" not in result.stderr
    assert main(["check", str(damaged)]) == 2


def test_a_truncated_recording_is_read_to_its_end(recording, home, tmp_path, capfd):
    cut = tmp_path / "cut.drive"
    cut.write_bytes(recording.read_bytes()[: -len(recording.read_bytes()) // 4])
    result = run("replay", cut, "--verify")
    assert result.returncode == 0, result.stdout + result.stderr  # the rest verifies, and the loss is reported
    assert "verified" in result.stdout
    assert main(["check", str(cut)]) == 2 and "cut.drive" in capfd.readouterr().out


def test_export_has_a_row_for_every_state_and_ends_as_a_simulation(recording, home, tmp_path):
    out = tmp_path / "launch.csv"
    result = run("replay", recording, "--export", out)
    assert result.returncode == 0, result.stderr
    with out.open(encoding="utf8") as file:
        rows = list(csv.reader(file))
    assert len(rows) == 481
    assert "command.throttle [1]" in rows[0] and "tire.rl.load [N]" in rows[0]
    world = World(load_world("plane"), [load_vehicle("roadster")])
    world.spawn()
    assert drive(world, 480, throttle=0.8, steer=-0.3) is None
    speed = rows[0].index("body.velocity.y [m/s]")
    assert float(rows[-1][speed]) == world.vehicles[0].read("body.velocity.y")


def test_a_part_is_exported_as_mcap_and_an_unknown_channel_refused(recording, home, tmp_path, capfd):
    out = tmp_path / "launch.mcap"
    words = ("--from", "0.5", "--to", "1", "--channels", "tire.rl.load,engine.omega")
    result = run("replay", recording, "--export", out, *words)
    assert result.returncode == 0, result.stderr
    assert out.read_bytes().startswith(b"\x89MCAP") and "messages" in result.stdout
    assert main(["replay", str(recording), "--export", str(out), "--channels", "tire.load"]) == 2
    assert "no channel tire.load" in capfd.readouterr().err


def test_recordings_are_found_by_name_in_the_user_folder(recording, home):
    (home / "recordings").mkdir(parents=True)
    (home / "recordings" / "mine.drive").write_bytes(recording.read_bytes())
    assert main(["replay", "mine", "--verify"]) == 0


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["nothing.drive", "--verify"], 2, "no such recording"),
        ([str(ROOT / "README.md"), "--verify"], 2, "README.md"),
        ([str(ROOT / "README.md"), "--export", "o.csv"], 2, "README.md"),
    ],
)
def test_what_is_no_recording_is_refused(arguments, code, message, home, capfd):
    assert main(["replay", *arguments]) == code
    errors = capfd.readouterr().err
    assert message in errors and "Traceback" not in errors
