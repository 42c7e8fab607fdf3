"""Continuing a drive from a tick of a replay; the new drive is recorded and can be verified."""

from argparse import Namespace

import numpy as np
import pytest
from app_rig import SCREENSHOT_SIZE, assert_shows_a_drive, pixels, program

from driving_sandbox.game.replay.branch import AS_RECORDED, open_branch, world_at
from driving_sandbox.physics.recording import Recording, build_world, state_at, verify

pytestmark = pytest.mark.drawn
TICK = 300  # the tick, of 1/240 s, from which the drive continues


def options(record):
    """Options for a branch that is recorded at the path `record`."""
    return Namespace(driver="keyboard", record=record, ghost=[], seconds=None, offscreen=True, size=(240, 136),
                     screenshot=None, stream=None)  # fmt: skip


def test_a_branch_continues_from_the_recorded_state_and_can_be_verified(drive, tmp_path, home):
    recording, path = Recording.open(drive.recording), tmp_path / "branch.drive"
    world = build_world(recording)
    state_at(recording, world, TICK)
    app = open_branch(recording, TICK, options(path))
    try:
        session = app.session
        assert bytes(session.vehicle.state_bytes) == bytes(world.vehicles[0].state_bytes)
        (ghost,) = app.experiments.ghosts.running
        assert ghost.drive.name == AS_RECORDED and ghost.set_off_at == session.world.time
        app.keyboard.key_down("s")  # the recorded drive keeps accelerating
        app.base.clock.dt = 0.1
        for _ in range(6):
            app.base.taskMgr.step()
        recorded = recording.pose_at(TICK / 240 + 0.6).vehicles[0]["model_position"]
        assert np.allclose(ghost.frame(session.world.time).body_position, recorded, atol=1e-3)
        app.experiments.ghosts.step()
        assert ghost.ahead > 0.0
    finally:
        app.shut_down()
    report = verify(path)
    assert report.ok and report.ticks == 144, report.text
    assert "driven on from lap.drive" in [e for e in Recording.open(path).events if e["kind"] == "mark"][0]["text"]


def test_the_ghost_of_the_recorded_drive_does_not_flicker_through_the_car(drive, tmp_path, home):
    """At the tick of the takeover, ghost and car have the same pose: the frame is the same without the ghost."""
    app, screenshots = open_branch(Recording.open(drive.recording), TICK, options(tmp_path / "branch.drive")), []
    try:
        app.session.paused, app.hud.visible, app.experiments.ghost_window.open = True, False, False
        for app.experiments.ghosts.visible in (True, False):
            for _ in range(4):  # shadow maps are updated in turns
                app.base.taskMgr.step()
            screenshots.append(np.frombuffer(bytes(app.base.win.getScreenshot().getRamImage()), np.uint8))
        assert len(app.experiments.ghosts.running) == 1
    finally:
        app.shut_down()
    assert np.array_equal(*screenshots)


def test_the_world_at_a_tick_has_the_recorded_state(drive):
    recording = Recording.open(drive.recording)
    for tick in (0, 241, recording.ticks):
        world, other = build_world(recording), world_at(recording, tick)
        state_at(recording, world, tick)
        assert other.state_hash() == world.state_hash()


def test_the_command_continues_a_recording(drive, tmp_path, home):
    screenshot = tmp_path / "on.png"
    result = program("replay", drive.recording, "--drive-from", 1.0, "--offscreen", "--seconds", 0.5,
                     "--size", SCREENSHOT_SIZE, "--screenshot", screenshot)  # fmt: skip
    assert result.returncode == 0 and "Traceback" not in result.stderr, result.stderr
    assert_shows_a_drive(pixels(screenshot))
