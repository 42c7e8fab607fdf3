"""Forces that an emulated wheel receives: SDL's drivers for joysticks and haptic devices read a Linux event device.

What is emulated is the kernel's node; everything above it is the real path. A real wheel was not tried.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
SYSTEM_PYTHON = "/usr/bin/python3"
FULL = 32767  # largest level
CONSTANT_FORCE = 0.5 * FULL  # of 4 N m by a wheel of 8 N m


def can_emulate():
    """Whether umockdev and its bindings for the system's Python are there."""
    check = "import gi; gi.require_version('UMockdev', '1.0'); from gi.repository import UMockdev"
    return shutil.which("umockdev-wrapper") and Path(SYSTEM_PYTHON).exists() and not subprocess.run(
        [SYSTEM_PYTHON, "-c", check], capture_output=True, check=False
    ).returncode  # fmt: skip


pytestmark = [
    pytest.mark.serial,
    pytest.mark.skipif(not can_emulate(), reason="no umockdev with Python bindings here: no wheel can be emulated"),
]


class Drive:
    """What a program did with an emulated wheel.

    Attributes:
        reports: [(step, updates so far, wheels, time)] that the program printed.
        levels: [(time, level)] of the constant force.
        log: all lines of the wheel, split.
    """

    def __init__(self, folder, script):
        os.mkfifo(folder / "reports")
        command = [
            "umockdev-wrapper", SYSTEM_PYTHON, str(FOLDER / "evdev_wheel_server.py"), str(folder),
            sys.executable, "-W", "ignore", str(FOLDER / "wheel_program.py"), json.dumps(script),
        ]  # fmt: skip
        environment = {
            **os.environ, "SDL_JOYSTICK_DEVICE": "/dev/input/event7", "SANDBOX_HOME": str(folder / "home"),
            "REPORTS": str(folder / "reports"),
            "PYTHONPATH": str(FOLDER.parents[1]),
        }  # fmt: skip
        result = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
        lines = [line for line in result.stdout.splitlines() if line.startswith("[")]
        assert lines, result.stdout + result.stderr
        self.reports = [tuple(json.loads(line)) for line in lines]
        self.log = [line.split() for line in (folder / "forces").read_text().splitlines()]
        self.levels = [(float(line[0]), int(line[4])) for line in self.log if line[1] == "constant"]
        assert self.reports[0][2] == 1, "the wheel was not found"

    def time_of(self, step):
        return next(time for name, _, _, time in self.reports if name == step)

    def during(self, step, before):
        """Levels between the ends of two steps."""
        start, end = self.time_of(before), self.time_of(step)
        return [level for time, level in self.levels if start <= time <= end]


@pytest.fixture
def drive(tmp_path):
    return lambda script: Drive(tmp_path, script)


def test_a_wheel_gets_the_torque_and_is_left_as_it_was(drive):
    driven = drive([["torque", 4.0, 2.0]])
    assert driven.levels[0][1] == 0
    assert max(level for _, level in driven.levels) == pytest.approx(CONSTANT_FORCE, abs=2)
    assert min(level for _, level in driven.levels) == 0  # never to the other side
    rising = driven.during("torque", before="start")
    assert max(b - a for a, b in zip(rising, rising[1:], strict=False)) < 0.15 * FULL  # it rises slowly
    assert driven.levels[-1][1] == 0
    directions = {line[3] for line in driven.log if line[1] == "constant"}
    assert len(directions) == 1  # the sign of the level counts
    centring = [int(line[2]) for line in driven.log if line[1] == "autocenter"]
    assert centring == [0, 65535]  # off for the drive, and on again
    assert any(line[1] == "remove" for line in driven.log)


def test_torques_to_the_right_have_the_other_sign(drive):
    driven = drive([["torque", -2.0, 1.5]])
    assert min(level for _, level in driven.levels) == pytest.approx(-0.25 * FULL, abs=2)


def test_a_hitch_of_the_program_does_not_stop_the_updates(drive):
    """200 ms in which Python's lock is held: no frame and no thread of Python runs."""
    driven = drive([["torque", 4.0, 1.5], ["hitch", 0.2], ["torque", 4.0, 0.3]])
    updates = {step: count for step, count, _, _ in driven.reports}
    held = updates["hitch"]
    before = next(count for step, count, _, _ in driven.reports if step == "torque")
    assert held - before > 0.2 * 250 * 0.8
    after = [level for time, level in driven.levels if time > driven.time_of("hitch") - 0.2]
    assert min(after[:-1], default=CONSTANT_FORCE) > 0.9 * CONSTANT_FORCE or min(after) == 0


@pytest.mark.parametrize("end", [["pause", 0.4], ["raise"]])
def test_the_force_is_zero_when_paused_and_after_a_fault(drive, end):
    driven = drive([["torque", 4.0, 1.5], end])
    assert driven.levels[-1][1] == 0
    if end[0] == "pause":
        assert driven.during("pause", before="torque")[-1] == 0


def test_a_wheel_that_is_pulled_out_under_force_is_let_go(drive):
    driven = drive([["torque", 4.0, 1.5], ["unplug", 0.5], ["torque", 4.0, 0.5]])
    assert [wheels for _, _, wheels, _ in driven.reports] == [1, 1, 0, 0]


def test_a_killed_program_leaves_no_update(drive):
    """The kernel then ends the effects of the closed node, which the emulation lacks."""
    driven = drive([["torque", 4.0, 1.5], ["kill"]])
    ended = next(float(line[0]) for line in driven.log if line[1] == "ended")
    assert max(time for time, _ in driven.levels) <= ended


def test_a_program_that_hangs_lets_go(drive):
    driven = drive([["torque", 4.0, 1.5], ["hitch", 1.0]])
    assert driven.during("hitch", before="torque")[-1] == 0


def test_a_vibration_arrives(drive):
    driven = drive([["torque", 0.0, 1.0], ["swing", 4.0, 20.0, 1.5]])
    levels = driven.during("swing", before="torque")
    assert max(levels) > 0.8 * CONSTANT_FORCE
    assert min(levels) < -0.8 * CONSTANT_FORCE
    crossings = sum(a * b < 0 for a, b in zip(levels, levels[1:], strict=False))
    assert crossings == pytest.approx(2 * 20.0 * 1.5, rel=0.15)
