"""Drives and exports ended by a signal or a lost display; wrong and trusted files on the command line."""

import os
import signal
import subprocess
import sys
import time

import pytest
from app_rig import program, without_display
from window_user import WindowUser

from driving_sandbox.cli import program as command_line
from driving_sandbox.game.platform.shutdown import END_REQUEST, EndRequest, EndRequested
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.recording import Recording, RecordingError
from driving_sandbox.physics.vehicle.swap import component_files
from driving_sandbox.physics.vehicle.trust import pinned

LIMIT = 200.0  # s until a drive or an export must have started
OFFSCREEN = ("drive", "--offscreen", "--world", "plane", "--driver", "none", "--size", "160x90")
EXAMPLE = ROOT / "docs" / "examples"


def seconds_of(path):
    """Length of a recording so far, s; 0 while it cannot be read."""
    try:
        return Recording.open(path).seconds
    except (RecordingError, FileNotFoundError):
        return 0.0


@pytest.mark.serial
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_signal_to_an_offscreen_drive_leaves_a_complete_recording(tmp_path, home, name):
    path, number = tmp_path / "ended.drive", getattr(signal, name)
    process = subprocess.Popen(
        [sys.executable, str(ROOT / "main.py"), *OFFSCREEN, "--record", str(path)], cwd="/",
        env=without_display(SANDBOX_HOME=str(home)), stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        limit = time.monotonic() + LIMIT
        while seconds_of(path) < 0.5:
            assert process.poll() is None and time.monotonic() < limit, "the drive never started"
            time.sleep(0.1)
        process.send_signal(number)
        errors = process.communicate(timeout=60)[1]
    finally:
        process.kill()
    assert process.returncode == 128 + number and "Traceback" not in errors, errors
    recording = Recording.open(path)
    assert recording.complete and recording.seconds >= 0.5
    result = program("replay", path, "--verify")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "stopped while recording" not in result.stdout


@pytest.mark.serial
def test_a_signal_to_a_drive_in_a_window_leaves_a_complete_recording(open_window, home):
    user = open_window("--size", "320x180")
    user.until("app.world.time > 0.6")
    user.ask("__import__('os').kill(__import__('os').getpid(), 15)")
    code, errors = user.wait()
    assert code == 128 + signal.SIGTERM and "Traceback" not in errors, errors
    (path,) = (home / "recordings").glob("auto-*.drive")
    assert Recording.open(path).complete


@pytest.mark.serial
@pytest.mark.parametrize("arguments", [(), ("--record", "named.drive")])
def test_a_drive_whose_display_vanishes_leaves_a_complete_recording(display_to_kill, home, tmp_path, arguments):
    arguments = [str(tmp_path / word) if word.endswith(".drive") else word for word in arguments]
    name, server = display_to_kill
    user = WindowUser(name, "--size", "320x180", *arguments)
    try:
        user.until("app.world.time > 0.6")
        server.kill()
        code, errors = user.wait()
    finally:
        user.end()
    assert code == 1 and "the display is gone" in errors and "Traceback" not in errors, errors
    (path,) = tmp_path.glob("*.drive") if arguments else (home / "recordings").glob("auto-*.drive")
    recording = Recording.open(path)
    assert recording.complete and recording.seconds > 0.5


@pytest.mark.serial
def test_an_interrupted_export_keeps_its_frames_so_far(tmp_path, home):
    drive = tmp_path / "lap.drive"
    assert program(*OFFSCREEN, "--seconds", 4, "--record", drive, SANDBOX_HOME=str(home)).returncode == 0
    folder = tmp_path / "frames"
    process = subprocess.Popen(
        [sys.executable, str(ROOT / "main.py"), "replay", str(drive), "--export", str(folder), "--size", "160x90"],
        cwd="/", env=without_display(SANDBOX_HOME=str(home)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        limit = time.monotonic() + LIMIT
        while not any(folder.glob("*.png")):
            assert process.poll() is None and time.monotonic() < limit, "the export never started"
            time.sleep(0.02)
        process.terminate()
        output, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 128 + signal.SIGTERM and "Traceback" not in errors, errors
    assert 1 <= len(list(folder.glob("*.png"))) < 240 and "cancelled" in output  # 4 s have 240 frames


def test_the_first_signal_within_noted_is_only_noted_and_any_other_raises():
    request, before = EndRequest(), signal.getsignal(signal.SIGTERM)
    with request.listening():
        with pytest.raises(EndRequested):
            os.kill(os.getpid(), signal.SIGTERM)
        request.number = None
        with request.noted():
            os.kill(os.getpid(), signal.SIGTERM)
            assert request.number == signal.SIGTERM and request.exit_code == 143
            with pytest.raises(EndRequested):  # a second signal raises at once
                os.kill(os.getpid(), signal.SIGTERM)
    assert signal.getsignal(signal.SIGTERM) is before


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="this system has no SIGHUP")
def test_a_signal_that_is_ignored_stays_ignored():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with EndRequest().listening():
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_command_ended_by_a_signal_exits_with_the_code_of_the_signal(home, monkeypatch):
    monkeypatch.setattr("driving_sandbox.cli.listing.show", lambda options: os.kill(os.getpid(), signal.SIGTERM))
    assert command_line.main(["list"]) == 143  # 128 + SIGTERM

    def end_while_noted(options):
        with END_REQUEST.noted():
            os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr("driving_sandbox.cli.listing.show", end_while_noted)
    assert command_line.main(["list"]) == 143


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--world", "proving_ground", "--spawn", "tunel"], 'no spawn point "tunel" (did you mean "tunnel"?)'),
        (["--spawn", "moon"], 'no spawn point "moon"'),
        (["--world", "plan"], "no such world"),
        (["--vehicle", "roadstr"], "no such vehicle"),
        (["--setup", "none.yaml"], "none.yaml"),
        (["--driver", "ia"], "no such driver"),
        (["--line", "none.csv"], "none.csv"),
        (["--ghost", "none"], "no such recording"),
        (["--twin", "hatchback"], "must be of type planar"),
        (["--record", "no/lap.drive"], "--record: no such folder"),
        (["--record", "there.drive"], "--record: exists already"),
        (["--vehicle", str(EXAMPLE / "progressive_buggy.yaml")], "wants to run"),
    ],
)
def test_wrong_arguments_are_reported_before_a_window_opens(home, tmp_path, monkeypatch, capsys, arguments, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there.drive").write_bytes(b"")
    opened = []
    monkeypatch.setattr(
        "driving_sandbox.game.program.start.open_window",
        lambda settings: opened.append(settings) or pytest.fail("opened"),
    )
    assert command_line.main(["drive", "--world", "plane", *arguments]) == 2
    captured = capsys.readouterr().err
    assert message in captured and "Traceback" not in captured and not opened, captured
    assert len(captured.strip().splitlines()) == 2  # the sentence and the path of the log


def test_a_trusted_component_file_runs_without_confirmation(open_rig):
    vehicle, code = EXAMPLE / "progressive_buggy.yaml", EXAMPLE / "progressive_suspension.py"
    rig = open_rig("--vehicle", str(vehicle), "--trust", str(code), "--driver", "none")
    assert component_files(rig.app.session.vehicle) == [pinned(code)]
