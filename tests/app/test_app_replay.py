"""Replays of recordings: complete, damaged, or of a world or vehicle that changed since."""

import json
import struct
from pathlib import Path

import numpy as np
import pytest
import yaml
from app_rig import NO_TIME, SCREENSHOT_SIZE, assert_shows_a_drive, pixels, program

from driving_sandbox.cli.arguments import build_parser
from driving_sandbox.game.platform.window import WindowSettings, open_window
from driving_sandbox.game.program.settings import Settings
from driving_sandbox.game.recordings.notes import Notes
from driving_sandbox.game.recordings.source import ReplaySource
from driving_sandbox.game.replay.player import Player
from driving_sandbox.game.replay.viewer import ReplayViewer
from driving_sandbox.game.toolkit.backend import ImGuiBackend
from driving_sandbox.game.windows.overlays import ReplayAction
from driving_sandbox.physics.recording import Recording, build_world, state_at
from driving_sandbox.physics.recording import format as fmt

pytestmark = pytest.mark.drawn
POSE_ERROR = 0.02  # m between interpolated stored poses and the repeated simulation in a calm drive


def rewritten(source, target, change):
    """A copy of a recording with a header edited by `change(header)`; checksums and chunk numbers are recomputed."""
    data, offset, number, parts = Path(source).read_bytes(), fmt.PREFIX.size, 0, []
    while offset < len(data):
        kind, _, length, _, _ = fmt.CHUNK.unpack_from(data, offset)
        payload = data[offset + fmt.CHUNK.size : offset + fmt.CHUNK.size + length]
        if kind == fmt.HEADER:
            header = json.loads(payload)
            change(header)
            payload = fmt.to_json(header)
        parts.append(fmt.chunk(kind, number, payload))
        offset, number = offset + fmt.CHUNK.size + length, number + 1
    Path(target).write_bytes(struct.pack("<8sII", fmt.MAGIC, fmt.FORMAT_VERSION, 0) + b"".join(parts))
    return target


def notes_of(source):
    """The notes of a source on differences from the recording."""
    return "; ".join(f"{text}: {why}" for text, why in source.notes)


# ---- the timeline


def test_the_player_plays_pauses_seeks_steps_and_changes_speed():
    player = Player(ticks=480, tick_seconds=1 / 240)
    assert player.advance(0.5) == pytest.approx(0.5) and player.tick == 120
    player.act(ReplayAction("speed", 4.0))
    player.advance(0.25)
    assert player.time == pytest.approx(1.5)
    player.act(ReplayAction("pause"))
    assert player.advance(1.0) == 0.0 and player.time == pytest.approx(1.5)
    player.act(ReplayAction("step", 1))
    assert player.tick == 361
    player.act(ReplayAction("step", -1))
    player.act(ReplayAction("step", -1))
    assert player.tick == 359 and not player.take_jump()
    player.act(ReplayAction("seek", 0.1))
    assert player.time == pytest.approx(0.1) and player.take_jump() and not player.take_jump()
    player.seek(99.0)
    assert player.at_end and player.tick == 480
    player.toggle()
    assert player.time == 0.0 and player.playing  # playing at the end starts over


def test_the_player_stops_at_the_end_and_its_speed_is_limited():
    player = Player(ticks=240, tick_seconds=1 / 240)
    assert player.advance(5.0) == pytest.approx(1.0) and not player.playing
    for _ in range(20):
        player.change_speed(1)
    assert player.speed == 16.0
    for _ in range(20):
        player.change_speed(-1)
    assert player.speed == 0.05
    for requested, speed in ((100.0, 16.0), (0.0, 0.05), (3.0, 3.0)):
        player.set_speed(requested)
        assert player.speed == speed


# ---- values and poses of a replay


def test_values_come_from_the_repeated_simulation_at_any_time(drive):
    recording = Recording.open(drive.recording)
    source = ReplaySource(recording)
    source.repeat()
    assert source.exact and source.notes == []
    world = build_world(recording)
    for tick in (100, 101, 300, 40, recording.ticks):  # forward, one tick, a jump, backward, the end
        frames = source.show(tick * recording.tick_seconds, tick)
        state_at(recording, world, tick)
        assert bytes(source.vehicles[0].state_bytes) == bytes(world.vehicles[0].state_bytes)
        assert np.linalg.norm(frames[0].body_position - world.vehicles[0].model_position()) < POSE_ERROR
    assert source.exact


def test_poses_between_stored_ones_are_interpolated(drive):
    recording = Recording.open(drive.recording)
    source = ReplaySource(recording)
    start = recording.seconds * 0.75
    times = start + np.arange(30) / 600
    positions = [source.show(time, int(time * 240))[0].body_position.copy() for time in times.tolist()]
    steps = np.linalg.norm(np.diff(positions, axis=0), axis=1)
    assert steps.min() > 0.0 and steps.max() < 1.6 * steps.min()


def test_a_world_changed_since_is_replayed_from_poses(drive, tmp_path):
    def another_world(header):
        header["world"]["text"] = header["world"]["text"].replace("air_density: 1.204", "air_density: 0.9")

    recording = Recording.open(rewritten(drive.recording, tmp_path / "old.drive", another_world))
    source = ReplaySource(recording)
    source.repeat()
    assert not source.exact and "changed since" in notes_of(source)
    frame = source.show(1.5, tick=360)[0]
    values = recording.pose_at(1.5).vehicles[0]
    vehicle = source.vehicles[0]
    assert np.allclose(frame.body_position, values["model_position"])
    assert vehicle.read("tire.fl.load") == pytest.approx(values["load"][0])
    assert vehicle.read("engine.omega") == pytest.approx(values["engine_omega"])
    assert np.allclose(vehicle.model_position(), values["model_position"])


def test_a_missing_world_is_replaced_by_a_plane(drive, tmp_path):
    def no_world(header):
        header["world"]["path"] = "configs/worlds/nowhere.yaml"

    source = ReplaySource(Recording.open(rewritten(drive.recording, tmp_path / "gone.drive", no_world)))
    source.repeat()
    assert source.world_file is None and "empty plane" in notes_of(source)
    assert np.isfinite(source.show(1.0, tick=240)[0].body_position).all()


def test_a_vehicle_with_code_is_shown_without_running_it(drive, tmp_path):
    evidence, code = tmp_path / "ran", tmp_path / "tire.py"
    code.write_text(f"open({str(evidence)!r}, 'w')\n")

    def with_code(header):
        config = yaml.safe_load(header["vehicles"][0]["config"])
        config["components"] = {"tire": {"file": str(code), "name": "TIRE"}}
        header["vehicles"][0]["config"] = yaml.safe_dump(config)

    source = ReplaySource(Recording.open(rewritten(drive.recording, tmp_path / "code.drive", with_code)))
    source.repeat()
    assert source.vehicles == [None] and not evidence.exists()
    assert "not allowed" in notes_of(source)
    frame = source.show(1.0, tick=240)[0]
    assert frame.wheel_count == 4 and source.looks[0][0].name == "roadster.glb"


def test_different_results_are_detected(drive, tmp_path):
    def heavier(header):
        config = yaml.safe_load(header["vehicles"][0]["config"])
        config["body"]["mass"] = 4000.0
        header["vehicles"][0]["config"] = yaml.safe_dump(config)

    recording = Recording.open(rewritten(drive.recording, tmp_path / "heavy.drive", heavier))
    source = ReplaySource(recording)
    source.repeat()
    assert source.exact
    for tick in range(0, recording.ticks + 1, 4):
        frame = source.show(tick * recording.tick_seconds, tick)[0]
        values = recording.pose_at(tick * recording.tick_seconds).vehicles[0]
        assert np.allclose(frame.body_position, values["model_position"])
    assert not source.exact and "simulates it differently" in notes_of(source)


# ---- the program


@pytest.fixture(scope="module")
def viewer(drive):
    """A replay opened in this process and stepped by hand, which the tests of this file share."""
    base = open_window(WindowSettings(offscreen=True, size=(640, 360)))
    options = build_parser().parse_args(["replay", str(drive.recording), "--offscreen"])
    source = ReplaySource(Recording.open(drive.recording))
    source.repeat()
    viewer = ReplayViewer(base, ImGuiBackend(base), source, options, Settings())
    viewer.ui.items.enabled = viewer.bar_visible = True
    show(viewer)
    yield viewer
    viewer.shut_down()


def press(viewer, key, frame=1 / 60):
    """Press a key for one frame of a replay."""
    viewer.base.clock.dt = frame
    viewer.keyboard.key_down(key)
    viewer.base.taskMgr.step()
    viewer.keyboard.key_up(key)


def click(viewer, name, fraction=0.5):
    """Click on a control of the viewer at a fraction of its width."""
    viewer.base.clock.dt = NO_TIME
    viewer.ui.feed.move(*viewer.ui.items.point(name, fraction))
    for down in (None, True, False):  # None: only let the pointer arrive
        if down is not None:
            viewer.ui.feed.button(down, "mouse1")
        for _ in range(3):
            viewer.base.taskMgr.step()


def show(viewer):
    """Draw until the bar is laid out."""
    viewer.base.clock.dt = NO_TIME
    for _ in range(4):
        viewer.base.taskMgr.step()


def test_keys_control_the_replay(viewer):
    player = viewer.player
    player.seek(0.0)
    player.pause()
    press(viewer, "space")
    assert player.playing and player.time > 0.0
    press(viewer, "space")
    paused_at = player.time
    press(viewer, "h")
    assert player.time == paused_at and not viewer.hud.visible
    press(viewer, "h")
    press(viewer, ".")
    assert player.tick == int(paused_at * 240 + 1e-6) + 1
    press(viewer, "end")
    assert player.at_end
    press(viewer, "arrow_left")
    assert player.time == 0.0  # the key goes back 5 s; the recording has 2 s
    press(viewer, "arrow_up")
    assert player.speed == 2.0
    press(viewer, "arrow_down")
    modes = set()
    for _ in range(10):
        press(viewer, "c")
        modes.add(viewer.camera.mode)
    assert modes == set(viewer.camera.modes) and {"chase", "eye", "orbit", "trackside", "free"} < modes
    press(viewer, "f1")
    assert viewer.windows["keys"].open
    press(viewer, "f1")


def test_the_bar_scrubs_and_plays_and_the_instruments_follow(viewer):
    player = viewer.player
    player.pause()
    click(viewer, "replay:timeline", 0.5)
    assert player.time == pytest.approx(player.duration / 2, rel=0.1)
    speed = viewer.situation.forward_speed
    assert viewer.instruments.read(viewer, 0.0).speed == speed
    click(viewer, "replay:timeline", 0.98)
    assert viewer.situation.forward_speed > speed
    click(viewer, "replay:start")
    assert player.time == 0.0
    click(viewer, "replay:play")
    assert player.playing
    click(viewer, "replay:play")
    assert not player.playing


def test_plots_follow_the_replay(viewer):
    viewer.player.seek(0.0)
    viewer.player.play()
    press(viewer, "tab")
    viewer.base.clock.dt = 1 / 60
    for _ in range(30):
        viewer.base.taskMgr.step()
    loads = viewer.plots.history.values("tire.rl.load")
    assert len(loads) >= 25 and loads[-1] == viewer.source.vehicles[0].read("tire.rl.load")
    press(viewer, "tab")


def test_the_bar_marks_events_and_loops(viewer):
    player = viewer.player
    player.pause()
    player.seek(0.5)
    viewer.timeline.wait()
    show(viewer)
    gears = [h for h in viewer.timeline.entries if h.kind == "gear"]
    assert gears and not [h for h in viewer.timeline.entries if h.kind == "impact"]
    click(viewer, "replay:loop")
    player.seek(1.5)
    click(viewer, "replay:loop")
    assert player.loop == (0.5, 1.5) and viewer.bar.loop == player.loop and player.time == 0.5
    press(viewer, "space")
    for _ in range(4):
        press(viewer, "b", frame=0.4)  # any key that does not act on the player
        assert 0.5 <= player.time <= 1.5
    press(viewer, "space")
    press(viewer, "l")
    assert player.loop is None
    viewer._seek_event(gears[-1])
    press(viewer, ",")
    assert player.time < gears[-1].time and viewer.messages[-1].text == gears[-1].text


def test_taking_over_leaves_the_replay_at_the_tick_shown(viewer):
    viewer.player.seek(1.0)
    show(viewer)
    click(viewer, "replay:drive")
    assert viewer.drive_from == 240 and not viewer.running
    viewer.drive_from, viewer.running = None, True  # for the next tests


def test_escape_leaves_the_replay(viewer):
    press(viewer, "escape")
    assert not viewer.running


def test_an_offscreen_replay_draws_the_drive(drive, tmp_path, home):
    screenshot = tmp_path / "at.png"
    result = program("replay", drive.recording, "--offscreen", "--seconds", 0.8, "--size", SCREENSHOT_SIZE,
                   "--screenshot", screenshot)  # fmt: skip
    assert result.returncode == 0 and "Traceback" not in result.stderr, result.stderr
    assert_shows_a_drive(pixels(screenshot))


def test_a_damaged_recording_is_shown_up_to_the_damage_which_is_reported(drive, tmp_path, home):
    data = Path(drive.recording).read_bytes()
    cut = tmp_path / "cut.drive"
    cut.write_bytes(data[: len(data) * 2 // 3])
    readable_seconds = Recording.open(cut).seconds
    assert 0.0 < readable_seconds < Recording.open(drive.recording).seconds
    screenshot = tmp_path / "cut.png"
    result = program("replay", cut, "--offscreen", "--seconds", 60, "--size", "320x180", "--screenshot", screenshot)
    assert result.returncode == 0 and "Traceback" not in result.stderr, result.stderr
    assert "cut.drive is incomplete" in result.stderr and f"read up to {readable_seconds:.3f} s" in result.stderr
    assert_shows_a_drive(pixels(screenshot))


@pytest.mark.parametrize(
    ("content", "words"), [(b"", "holds nothing"), (b"not a recording at all, only text", "not a recording")]
)
def test_a_file_that_is_no_recording_is_refused(tmp_path, home, content, words):
    path = tmp_path / "bad.drive"
    path.write_bytes(content)
    result = program("replay", path, "--offscreen")
    assert result.returncode == 2 and "bad.drive" in result.stderr and words in result.stderr
    assert "Traceback" not in result.stderr


def test_n_writes_a_note_to_a_file_and_marks_the_timeline(viewer):
    viewer.player.seek(0.75)
    press(viewer, "n")
    show(viewer)
    for letter in "lifts here":
        viewer.ui.feed.text(letter)
        viewer.base.taskMgr.step()
        viewer.base.taskMgr.step()
    assert viewer.windows["note"].open and not viewer.player.playing
    for down in (True, False):
        viewer.ui.feed.button(down, "enter")
        viewer.base.taskMgr.step()
    path = viewer.source.recording.path
    (moment,) = Notes(path).moments
    assert moment.text == "lifts here" and moment.time == pytest.approx(0.75, abs=0.02)
    viewer.timeline.wait()
    assert ("lifts here", moment.time) in [(h.text, h.time) for h in viewer.timeline.entries]
    Notes(path).remove(moment)
