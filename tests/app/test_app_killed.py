"""After a program was killed in a drive, its recording plays as far as it was written, and its tuning is restored."""

import signal
import subprocess
import sys
import time

import pytest
from app_rig import Rig, program, without_display

from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.recording import Recording, RecordingError

pytestmark = pytest.mark.serial
SECONDS = 1.2  # of the drive that must be on the disk when the program is killed


def test_the_recording_of_a_killed_drive_verifies(tmp_path, home):
    path = tmp_path / "killed.drive"
    words = ["drive", "--offscreen", "--world", "plane", "--driver", "none", "--size", "160x90", "--record", str(path)]
    process = subprocess.Popen(
        [sys.executable, str(ROOT / "main.py"), *words], cwd="/", env=without_display(SANDBOX_HOME=str(home)),
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        limit = time.monotonic() + 200.0
        while not (path.exists() and _seconds(path) >= SECONDS):
            assert process.poll() is None and time.monotonic() < limit, "the drive never started"
            time.sleep(0.1)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    recording = Recording.open(path)
    assert not recording.complete and recording.truncated and recording.seconds >= SECONDS
    result = program("replay", path, "--verify")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "verified" in result.stdout and "stopped while recording" in result.stdout


# script that changes a parameter in a drive and then kills its own process
KILLED = """
import os, signal, sys
sys.path[:0] = [{tests!r}, {root!r}]
from app_rig import Rig
rig = Rig("--driver", "none")
rig.session.tuning.set_parameter("engine.inertia", 0.2)
rig.step(2)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_the_tuning_of_a_killed_drive_is_restored_at_the_next_start(home, tmp_path):
    script = KILLED.format(tests=str(ROOT / "tests" / "app"), root=str(ROOT))
    result = subprocess.run(
        [sys.executable, "-c", script], cwd="/", env=without_display(SANDBOX_HOME=str(home)), capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert result.returncode == -signal.SIGKILL, result.stderr
    rig = Rig("--driver", "none")
    try:
        assert rig.session.vehicle.changed_values() == {"engine.inertia": 0.2}
        assert any("crashed" in message.text for message in rig.session.messages)
    finally:
        rig.close()
    again = Rig("--driver", "none")  # the drive before it, `rig`, was closed properly
    try:
        assert again.session.vehicle.changed_values() == {}
    finally:
        again.close()


def _seconds(path):
    """Length of a recording so far, s."""
    try:
        return Recording.open(path).seconds
    except RecordingError:  # the header is not on the disk yet
        return 0.0
