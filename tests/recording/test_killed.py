"""A program killed in the middle of a drive leaves a recording that lacks at most its last second."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from fake_world import rebuild

from driving_sandbox.physics.recording import Recording, verify

HERE = Path(__file__).resolve().parent
PROGRAM = f"""
import sys, time
sys.path[:0] = [{str(HERE)!r}, {str(HERE.parent.parent)!r}]
from drives import commands_of
from fake_world import fake_world
from driving_sandbox.physics.recording import Recorder
world = fake_world()
recorder = Recorder(sys.argv[1], world, "now")
start = time.monotonic()
tick = 0
while True:
    while tick < (time.monotonic() - start) * 240:
        world.step(commands_of(tick))
        recorder.record(commands_of(tick))
        tick += 1
    print(tick, flush=True)
    time.sleep(0.005)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs kill -9")
def test_a_killed_program_loses_at_most_a_second(tmp_path):
    path = tmp_path / "killed.drive"
    process = subprocess.Popen([sys.executable, "-c", PROGRAM, str(path)], stdout=subprocess.PIPE, text=True)
    ticks, start = 0, None
    for line in process.stdout:
        ticks, start = int(line), start or time.monotonic()
        if time.monotonic() - start > 2.7:
            break
    os.kill(process.pid, signal.SIGKILL)
    remaining = process.stdout.read().split()
    process.stdout.close()
    process.wait()
    ticks = int(remaining[-1]) if remaining else ticks
    recording = Recording.open(path)
    assert recording.truncated and "the program was stopped while recording" in recording.damage
    assert ticks > 500 and ticks - 240 <= recording.ticks <= ticks + 240  # some may follow the last printed number
    report = verify(path, rebuild=rebuild)
    assert report.ok and report.ticks == recording.ticks and report.snapshots >= 1, report.text
    assert recording.pose_at(recording.seconds / 2) is not None
