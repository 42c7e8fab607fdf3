"""A full disk during a drive: reported in the terminal, the recording so far is readable, exit code 1."""

import os
import re
import shlex
import shutil
import subprocess
import sys

import pytest
from app_rig import without_display

from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.recording import Recording

pytestmark = pytest.mark.drawn
CANNOT_MOUNT = 77  # exit code of the script where no file system can be mounted
DISK_SIZE = 64  # kB: enough for some eight of the 20 seconds of the drive


def test_a_full_disk_leaves_the_recording_so_far_and_exit_code_1(tmp_path, home):
    disk, copy = tmp_path / "disk", tmp_path / "copy.drive"
    disk.mkdir()
    drive = [sys.executable, str(ROOT / "main.py"), "drive", "--offscreen", "--world", "plane", "--driver", "none",
             "--size", "160x90", "--seconds", "20", "--record", str(disk / "a.drive")]  # fmt: skip
    # a small file system, visible to this command only
    script = f"""
mount -t tmpfs -o size={DISK_SIZE}k tmpfs {shlex.quote(str(disk))} || exit {CANNOT_MOUNT}
{shlex.join(drive)}
code=$?
cp {shlex.quote(str(disk / "a.drive"))} {shlex.quote(str(copy))}
exit $code
"""
    if not sys.platform.startswith("linux") or not shutil.which("unshare"):
        pytest.skip("mounts a file system of Linux")
    own_mounts = "unshare --map-root-user --mount"
    words = ["sh", "-c", f"{own_mounts} true || exit {CANNOT_MOUNT}; exec {own_mounts} sh -c {shlex.quote(script)}"]
    environment = without_display(SANDBOX_HOME=str(home))
    result = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    if result.returncode == CANNOT_MOUNT:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(f"no file system can be mounted here: {result.stderr}")
    assert result.returncode == 1 and "Traceback" not in result.stderr, result.stderr
    (message,) = [line for line in result.stderr.splitlines() if "No space left on device" in line]
    seconds_kept = float(
        re.search(r"a\.drive: recording stopped: .*; the first ([\d.]+) s are saved", message).group(1)
    )
    recording = Recording.open(copy)
    assert recording.cut and 0.5 < seconds_kept < 20.0
    assert recording.seconds == pytest.approx(seconds_kept, abs=0.5)  # the last block may not be flushed
