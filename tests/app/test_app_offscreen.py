"""Offscreen drives, started from the command line or in this process."""

import subprocess
import sys

import pytest
from app_rig import SCREENSHOT_SIZE, assert_shows_a_drive, pixels, program, without_display

from driving_sandbox.cli import PROGRAM
from driving_sandbox.cli.arguments import build_parser
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.recording import Recording
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

pytestmark = pytest.mark.drawn


def test_an_offscreen_drive_succeeds_and_reports_its_start_time(drive):
    assert drive.returncode == 0, drive.stderr
    assert "first drivable frame after" in drive.stderr and "Traceback" not in drive.stderr


def test_the_screenshot_has_sky_ground_and_car(drive):
    assert_shows_a_drive(pixels(drive.screenshot))


def test_the_recording_is_complete_and_the_car_has_moved(drive):
    recording = Recording.open(drive.recording)
    assert recording.complete and recording.seconds >= 2.0
    start, end = (recording.pose_at(t).vehicles[0]["model_position"] for t in (0.0, recording.seconds))
    assert ((end - start) ** 2).sum() ** 0.5 > 2.0


def test_nothing_is_written_inside_the_programs_folder(home):
    """Checks files with the suffixes of recordings, logs, settings, images and caches outside the ignored folders."""

    def files():
        # out/: scripts of the documentation, which other tests may run at the same time, write there
        ignored = {".git", "__pycache__", ".pytest_cache", ".ruff_cache", ".venv", "tests", "out"}
        return {p for p in ROOT.rglob("*") if p.is_file() and not ignored & set(p.relative_to(ROOT).parts)}

    before = files()
    result = program("drive", "--offscreen", "--world", "plane", "--driver", "none", "--seconds", 0.2,
                   "--size", "160x90", SANDBOX_HOME=str(home))  # fmt: skip
    assert result.returncode == 0, result.stderr
    written = {p for p in files() - before if p.suffix in (".drive", ".log", ".yaml", ".png", ".nbi", ".nbc", ".json")}
    assert written == set()
    assert list((home / "recordings").glob("auto-*.drive")) and (home / "logs" / "drive.log").is_file()


def test_a_user_folder_inside_the_program_is_refused():
    result = program("drive", "--offscreen", "--seconds", 0.1, SANDBOX_HOME=str(ROOT / "my-things"))
    assert result.returncode != 0 and "must not be inside the program's folder" in result.stderr
    assert "Traceback" not in result.stderr
    assert not (ROOT / "my-things").exists()


@pytest.mark.parametrize("display", [None, ":173"])  # no display named, and one that no X server has
def test_without_a_display_the_error_names_the_offscreen_option(display, home):
    environment = without_display(SANDBOX_HOME=str(home), **({"DISPLAY": display} if display else {}))
    result = subprocess.run(
        [sys.executable, str(ROOT / "main.py")], env=environment, cwd="/", capture_output=True, text=True, timeout=120,
        check=False,
    )  # fmt: skip
    assert result.returncode == 1
    first, *rest = result.stderr.strip().splitlines()
    assert "--offscreen" in first and f"{PROGRAM} drive --offscreen" in first
    assert "Traceback" not in result.stderr and all(line.startswith("log:") for line in rest), result.stderr


def test_the_program_and_a_plain_world_give_equal_states(tmp_path, home):
    """The recorded snapshots have the hashes of a World stepped with the same commands."""
    path, table = tmp_path / "drive.drive", tmp_path / "commands.csv"
    table.write_text("time,throttle,steer,gear\n0,1,0,2\n0.4,0.7,0.6,2\n0.8,0,-0.4,2\n")
    result = program("drive", "--offscreen", "--world", "plane", "--driver", table, "--seconds", 1, "--size", "160x90",
                   "--record", path)  # fmt: skip
    assert result.returncode == 0, result.stderr
    recording = Recording.open(path)
    world = World(load_world("plane"), [load_vehicle("roadster")])
    world.spawn()
    hashes = {s.tick: s.state_hash for s in recording.snapshots if not s.jump}
    compared = 0
    for tick, command in enumerate(recording.commands(), start=1):
        assert world.step(command) is None
        if tick in hashes:
            assert world.state_hash() & (2**64 - 1) == hashes[tick]  # recordings hold it unsigned
            compared += 1
    assert compared >= 1 and recording.commands()["steer"].min() < 0.0 < recording.commands()["steer"].max()


def test_screenshots_have_the_requested_size(drive):
    width, height = map(int, SCREENSHOT_SIZE.split("x"))
    assert pixels(drive.screenshot).shape == (height, width, 3)
    assert build_parser().parse_args(["drive", "--size", SCREENSHOT_SIZE]).size == (width, height)


def test_unusual_values_are_reported_for_the_setup_only(open_rig, tmp_path):
    """Values set by the driver file are not reported."""
    driver, setup = tmp_path / "heavy.py", tmp_path / "strong.yaml"
    driver.write_text(
        "from driving_sandbox import neutral_command\n\n\ndef driver(vehicle, world):\n"
        "    vehicle.set('body.mass', 40000.0)\n    return lambda motion: neutral_command()\n", encoding="utf8",
    )  # fmt: skip
    setup.write_text("vehicle: Roadster\nengine:\n  peak_torque: 2000\n", encoding="utf8")
    rig = open_rig("--vehicle", "roadster", "--driver", driver)
    assert not [message.text for message in rig.session.messages if "usual" in message.text]
    rig.close()
    rig = open_rig("--vehicle", "roadster", "--driver", driver, "--setup", setup)
    messages = [message.text for message in rig.session.messages if "usual" in message.text]
    assert messages == ["strong.yaml: engine.peak_torque: 2000.0: usually 50 to 1000 N*m"]
