"""A disk that is full during a drive: told in the terminal, what is there is kept and plays, exit code 1."""

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
CANNOT_MOUNT = 77  # exit code by which the script says that this computer allows no file system of its own
SIZE = 64  # kB: room for some eight seconds of a drive, which lasts 20


def test_a_recording_on_a_full_disk_is_kept_up_to_there_and_the_drive_ends_with_one(tmp_path, home):
    disk, copy = tmp_path / "disk", tmp_path / "copy.drive"
    disk.mkdir()
    drive = [sys.executable, str(ROOT / "main.py"), "drive", "--offscreen", "--world", "plane", "--driver", "none",
             "--size", "160x90", "--seconds", "20", "--record", str(disk / "a.drive")]  # fmt: skip
    # a file system of a few kB that only this command sees
    script = f"""
mount -t tmpfs -o size={SIZE}k tmpfs {shlex.quote(str(disk))} || exit {CANNOT_MOUNT}
{shlex.join(drive)}
code=$?
cp {shlex.quote(str(disk / "a.drive"))} {shlex.quote(str(copy))}
exit $code
"""
    if not sys.platform.startswith("linux") or not shutil.which("unshare"):
        pytest.skip("mounts a file system of Linux")
    alone = "unshare --map-root-user --mount"
    words = ["sh", "-c", f"{alone} true || exit {CANNOT_MOUNT}; exec {alone} sh -c {shlex.quote(script)}"]
    environment = without_display(SANDBOX_HOME=str(home))
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    if done.returncode == CANNOT_MOUNT:
        pytest.skip(f"no file system can be mounted here: {done.stderr}")
    assert done.returncode == 1 and "Traceback" not in done.stderr, done.stderr
    (said,) = [line for line in done.stderr.splitlines() if "No space left on device" in line]
    kept = float(re.search(r"a\.drive: recording stopped: .*; the first ([\d.]+) s are saved", said).group(1))
    recording = Recording.open(copy)
    assert recording.cut and 0.5 < kept < 20.0
    assert recording.seconds == pytest.approx(kept, abs=0.5)  # the last block may be whole but not forced to the disk
