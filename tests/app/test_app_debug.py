"""Debug drawing, switched by keys and in its window; a replay draws values of the repeated simulation."""

import numpy as np
import pytest
from app_rig import NO_TIME

from driving_sandbox.game.debug.layers import LAYERS, Reading
from driving_sandbox.game.platform.window import WindowSettings, open_window
from driving_sandbox.game.program.settings import Settings
from driving_sandbox.game.recordings.source import ReplaySource
from driving_sandbox.game.replay.viewer import ReplayViewer
from driving_sandbox.game.toolkit.backend import ImGuiBackend
from driving_sandbox.physics.recording import Recording

pytestmark = pytest.mark.drawn


def test_keys_show_and_hide_lines_that_follow_the_car(open_rig):
    rig = open_rig()
    drawing = rig.app.drawing
    rig.run(0.5)
    assert not drawing._lines
    rig.press("f6")
    lines = drawing._lines[0]
    assert lines.count > 100 and not lines.path.isHidden()
    rig.hold("w")
    rig.run(1.0)
    middle = np.array(lines.ends).mean(axis=(0, 1)) + tuple(lines.path.getPos())
    assert np.linalg.norm(middle - rig.app.views[0].frame.body_position) < 1.5
    rig.press("f6")
    assert lines.count == 0 and lines.path.isHidden()


def test_the_window_switches_layers_and_the_scale_lengthens_forces(open_rig):
    rig = open_rig("--size", "960x540")
    drawing = rig.app.drawing
    rig.run(0.5)
    rig.press("f7")
    rig.step(4)
    assert drawing.on and all(drawing.layers.values())
    rig.click("debug:none", fraction=0.1)
    assert drawing._lines[0].count == 0
    rig.click("debug:suspension_forces", fraction=0.1)
    assert [name for name, on in drawing.layers.items() if on] == ["suspension_forces"]
    assert drawing._lines[0].count == 12  # an arrow of three lines at each of the four wheels
    length = np.linalg.norm(np.diff(drawing._lines[0].ends[0], axis=0))
    drawing.scales.force *= 2.0
    rig.step()
    assert np.linalg.norm(np.diff(drawing._lines[0].ends[0], axis=0)) == pytest.approx(2.0 * length, rel=1e-4)
    rig.click("debug:on", fraction=0.1)
    assert not drawing.on and drawing._lines[0].path.isHidden()


def test_a_replay_draws_the_repeated_simulation(drive, home):
    class Options:  # what the viewer reads of the command line's options
        offscreen, seconds, screenshot, ghost = True, None, None, ()

    base = open_window(WindowSettings(offscreen=True, size=(240, 136)))
    source = ReplaySource(Recording.open(drive.recording))
    source.repeat()
    viewer = ReplayViewer(base, ImGuiBackend(base), source, Options(), Settings())
    try:
        viewer.player.seek(1.5)
        viewer.player.pause()
        base.clock.dt = NO_TIME
        viewer.keyboard.key_down("f6")
        base.taskMgr.step()
        viewer.keyboard.key_up("f6")
        base.taskMgr.step()
        drawing, vehicle = viewer.drawing, source.vehicles[0]
        ends = np.array(LAYERS["suspension_forces"].lines(Reading(vehicle, drawing.scales)), np.float32)
        assert len(ends) == 12
        drawn = drawing._lines[0].ends
        assert all((drawn == line).all(axis=(1, 2)).any() for line in ends)
    finally:
        viewer.shut_down()
