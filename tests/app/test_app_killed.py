"""A program killed while it drives loses less than the last second."""

import signal
import subprocess
import sys
import time

import pytest
from app_rig import program, without_display

from physics.jit import ROOT
from physics.recording import Recording, RecordingError

pytestmark = pytest.mark.serial
SECONDS = 1.2  # of the drive that must be on the disk when the program is killed


def test_what_is_left_of_a_killed_drive_verifies(tmp_path, home):
    path = tmp_path / "killed.drive"
    words = ["drive", "--offscreen", "--world", "plane", "--driver", "none", "--size", "160x90", "--record", str(path)]
    process = subprocess.Popen(
        [sys.executable, str(ROOT / "main.py"), *words], cwd="/", env=without_display(SANDBOX_HOME=str(home)),
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        limit = time.monotonic() + 200.0
        while not (path.exists() and _seconds(path) >= SECONDS):
            assert process.poll() is None and time.monotonic() < limit, "the drive never got going"
            time.sleep(0.1)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    recording = Recording.open(path)
    assert not recording.complete and recording.cut and recording.seconds >= SECONDS
    done = program("replay", path, "--verify")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "verified" in done.stdout and "stopped while recording" in done.stdout


def _seconds(path):
    try:
        return Recording.open(path).seconds
    except RecordingError:  # the header is not on the disk yet
        return 0.0
