"""The loading screen: its progress bar runs from 0 to 1, and its line names the present stage."""

import os
import subprocess
import sys
import time

import numpy as np
import pytest
from screen import grab, window_area
from window_user import find_window, xdotool

from driving_sandbox.game.platform.stages import COMPILING, COMPILING_SOUND, DRIVE_STAGES, REPLAY_STAGES, Progress
from driving_sandbox.game.program import start
from driving_sandbox.game.program.loading import COMPILED, LoadingScreen
from driving_sandbox.game.program.program import WindowClosed
from driving_sandbox.physics.kernel.jit import ROOT

ORANGE = np.array([231, 110, 36])  # of the bar, bytes
TIME_LIMIT = 90.0  # s in which a start without compiled kernels must have moved its bar


@pytest.mark.parametrize("stages", [DRIVE_STAGES, REPLAY_STAGES])
@pytest.mark.parametrize("left_out", [(), (COMPILING,), (COMPILING_SOUND,), (COMPILING, COMPILING_SOUND)])
def test_progress_goes_from_0_to_1_through_the_stages(stages, left_out):
    progress, shares = Progress(stages, left_out), []
    for stage in stages:
        shares += [progress.at(stage, share) for share in (-0.1, 0.0, 0.3, 1.0, 1.2)]
    assert shares[0] == 0.0
    assert shares[-1] == 1.0
    assert np.all(np.diff(shares) >= 0.0)
    assert len(set(shares)) > len(stages)


def test_progress_never_decreases():
    progress = Progress({"first": 1.0, "second": 3.0})
    assert progress.at("second", 0.5) == 0.625
    assert progress.at("second", 0.2) == 0.625
    assert progress.at("first", 1.0) == 0.625
    with pytest.raises(KeyError):
        progress.at("third")


@pytest.mark.drawn
def test_every_stage_of_a_start_is_drawn(open_rig, monkeypatch):
    drawn = []
    draw = LoadingScreen._draw

    def logged(self):
        draw(self)
        drawn.append((self.text, self.share))

    monkeypatch.setattr(LoadingScreen, "_draw", logged)
    rig = open_rig()
    texts, shares = [text for text, _ in drawn], [share for _, share in drawn]
    # the fixture `compiled` has compiled the kernels
    assert texts == [stage for stage in DRIVE_STAGES if stage not in COMPILED]
    assert shares[0] == 0.0
    assert shares[-1] == 1.0
    assert np.all(np.diff(shares) >= 0.0)
    assert not rig.app.base.render.isHidden()


def test_closing_the_window_while_loading_is_no_error(monkeypatch):
    def close(options):
        raise WindowClosed

    monkeypatch.setattr(start, "open_program", close)
    assert start.drive(None, 0.0) == 0


def bar_length(image):
    """Number of pixels of the bar's colour in the row that has most of them."""
    return int((np.abs(image.astype(int) - ORANGE).max(axis=2) < 8).sum(axis=1).max())


@pytest.mark.serial
def test_the_bar_on_the_screen_grows_while_the_physics_is_compiled(display, home, tmp_path):
    environment = {**os.environ, "DISPLAY": display, "SANDBOX_CACHE": str(tmp_path / "cache")}
    command = [sys.executable, str(ROOT / "main.py"), "drive", "--world", "plane", "--size", "640x360", "--no-sound"]
    program = subprocess.Popen(command, env=environment, cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)  # fmt: skip
    try:
        window = find_window(display, "Driving sandbox", program)
        try:
            area, lengths, end = window_area(display, window), [], time.monotonic() + TIME_LIMIT
            while len(set(lengths)) < 4 and time.monotonic() < end:
                lengths.append(bar_length(grab(display, area)))
                time.sleep(0.3)
        finally:
            xdotool(display, "windowclose", window)
        assert len(set(lengths)) >= 4, lengths
        drawn = [length for length in lengths if length]  # a screenshot may fall between clearing and drawing
        assert drawn == sorted(drawn)
        assert lengths[-1] < 0.9 * 420  # the whole bar has 420 px at interface scale 1: still compiling
    finally:
        program.terminate()
        program.communicate(timeout=30)
