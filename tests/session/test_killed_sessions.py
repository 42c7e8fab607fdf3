"""kill -9 at random moments: at most a second of the drive is lost, and of the tuning only the last changes."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from flat_drive import flat_world

from driving_sandbox.game.session.autosave import Autosave
from driving_sandbox.game.session.session import Session
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.recording import Recording, verify

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs kill -9")
HERE = Path(__file__).resolve().parent
MOMENTS = random.Random(9).sample(range(300, 4000), 50)  # ms after the first tick
TUNING_INTERVAL = 0.1  # s between two changes of a parameter
MAX_WRITE_DELAY = 1.0  # s after which a change must be on the disk, the write itself included

DRIVE = """
import sys, time
sys.path[:0] = sys.argv[2:4]
from flat_drive import flat_world, weave
from driving_sandbox.game.session.autosave import Autosave
from driving_sandbox.game.session.session import Session
session = Session(flat_world(), recordings=sys.argv[1], setups=sys.argv[1] + "/setups")
saver = Autosave(session, sys.argv[1] + "/autosave")
began = last = tuned = time.monotonic()
while True:
    time.sleep(1 / 60)
    now = time.monotonic()
    session.step(now - last, weave)
    if now - tuned > float(sys.argv[4]):
        tuned = now
        session.tuning.set_parameter("engine.inertia", round(0.1 + 0.01 * (now - began), 6))
    saver.poll()
    last = now
    print(session.world.tick, session.vehicle.get("engine.inertia"), flush=True)
"""


def killed_after(milliseconds, folder):
    """[(tick, tuned value)] of every frame of a drive that was killed, as it printed them."""
    (folder / "autosave").mkdir()
    command = [sys.executable, "-c", DRIVE, str(folder), str(HERE), str(ROOT), str(TUNING_INTERVAL)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    lines, start = [], None
    for line in process.stdout:
        lines.append(line)
        start = start or time.monotonic()
        if time.monotonic() - start > milliseconds / 1e3:
            break
    os.kill(process.pid, signal.SIGKILL)
    lines += process.stdout.readlines()
    process.stdout.close()
    process.wait()
    rows = [line.split() for line in lines]
    return [(int(tick), float(value)) for tick, value in (row for row in rows if len(row) == 2)]


def lost_time(milliseconds, folder):
    """Duration, s, that the recording of a killed drive lacks.

    The rest must verify, and the restored tuning must be at most MAX_WRITE_DELAY + TUNING_INTERVAL older than the kill.
    """
    printed = killed_after(milliseconds, folder)
    (path,) = folder.glob("auto-*.drive")
    recording = Recording.open(path)
    assert recording.truncated
    assert verify(path).ok
    with Session(flat_world(), setups=folder / "setups") as session:
        Autosave(session, folder / "autosave").restore()
        inertia = session.vehicle.get("engine.inertia")
    ticks_with_value = [tick for tick, value in printed if value == pytest.approx(inertia, abs=1e-9)]
    earliest_tick = printed[-1][0] - 240.0 * (MAX_WRITE_DELAY + TUNING_INTERVAL)
    assert not ticks_with_value or max(ticks_with_value) >= earliest_tick
    if not ticks_with_value:  # it was set after the last printed frame
        assert inertia > printed[-1][1]
    return (printed[-1][0] - recording.ticks) / 240.0


@pytest.mark.parametrize("milliseconds", MOMENTS[:5])
def test_a_killed_drive_loses_at_most_a_second(milliseconds, tmp_path):
    assert lost_time(milliseconds, tmp_path) <= 1.0


@pytest.mark.nightly
def test_drives_killed_at_45_moments_lose_at_most_a_second(tmp_path, report_row):
    losses = []
    for milliseconds in MOMENTS[5:]:
        folder = tmp_path / str(milliseconds)
        folder.mkdir()
        losses.append(lost_time(milliseconds, folder))
    report_row("drives killed with SIGKILL", f"{len(losses)} kills", f"lost {max(0.0, *losses):.2f} s at most")
    assert max(losses) <= 1.0
