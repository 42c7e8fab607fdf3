"""The keys of the lamps, and turn signals and horn in recordings and replays."""

from argparse import Namespace

import pytest
from app_rig import NO_TIME

from driving_sandbox.cli.arguments import build_parser
from driving_sandbox.game.platform.window import WindowSettings, open_window
from driving_sandbox.game.program.settings import Settings
from driving_sandbox.game.recordings.source import ReplaySource
from driving_sandbox.game.replay.branch import open_branch
from driving_sandbox.game.replay.viewer import ReplayViewer
from driving_sandbox.game.session.session import Session
from driving_sandbox.game.toolkit.backend import ImGuiBackend
from driving_sandbox.game.view.vehicle.lamps import LEFT, RIGHT
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.recording import Recording
from driving_sandbox.physics.tick.commands import neutral_command
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

BRANCH = {"driver": "keyboard", "record": None, "ghost": [], "seconds": None, "stream": None, "size": (64, 36)}
pytestmark = pytest.mark.drawn


@pytest.fixture
def rig(open_rig):
    return open_rig()


def lit(rig):
    """Names of the lit lamps among headlamps and turn signals."""
    rig.run(0.05)
    lamps = rig.app.views[0].lamps.on
    return {name for name in ("head", "left", "right") if lamps[name]}


def test_keys_switch_headlamps_and_signals(rig):
    assert lit(rig) == set()
    for key, expected in (("f", {"head"}), ("[", {"head", "left"}), ("[", {"head"}), ("]", {"head", "right"}),
                         ("[", {"head", "left", "right"}), ("f", {"left", "right"}), ("]", {"left"})):  # fmt: skip
        rig.press(key)
        assert lit(rig) == expected, key


def test_keys_of_a_driven_vehicle_without_a_model_leave_parked_vehicles_dark(open_rig, tmp_path):
    text = (ROOT / "configs" / "vehicles" / "roadster_simple.yaml").read_text()
    (tmp_path / "bare.yaml").write_text("".join(line for line in text.splitlines(True) if "model:" not in line))
    rig = open_rig("--vehicle", tmp_path / "bare.yaml", "--world", "yard")
    assert len(rig.app.views) == 1 and rig.app.train_views == []
    for key in "f[":
        rig.press(key)
    assert lit(rig) == set() and rig.app.session.signals.turn == 0


def test_braking_lights_the_brake_lamps_and_reversing_the_reversing_lamps(rig):
    rig.hold("w")
    rig.run(1.5)
    assert not rig.app.views[0].lamps.on["brake"]
    rig.hold("s")
    rig.run(0.2)
    assert rig.app.views[0].lamps.on["brake"] and not rig.app.views[0].lamps.on["reverse"]
    rig.until(lambda: rig.speed < -1.0, 8.0)
    assert rig.app.views[0].lamps.on["reverse"]


def test_horn_and_turn_signals_are_recorded(rig):
    path = rig.app.session.recorder.path
    rig.run(0.2)
    rig.press("[")
    rig.hold("v")
    rig.run(0.3)
    rig.app.keyboard.key_up("v")
    rig.press("[")
    rig.run(0.2)
    assert not rig.app.session.signals.horn
    rig.close()
    changes = [(e["horn"], e["turn"]) for e in Recording.open(path).events if e["kind"] == "signals"]
    assert changes[-1] == (False, 0) and (True, LEFT) in changes


@pytest.fixture
def turning(tmp_path):
    """Path of a recording of 1 s with the right turn signal on from 0.5 s; its world had run for 50 ticks before."""
    world = World(load_world("plane"), [load_vehicle("roadster"), load_vehicle("roadster")])
    for index in range(2):
        world.place(index, (5.0 * index, 0.0), 0.0)
    for _ in range(50):
        world.step(neutral_command(2))
    with Session(world, record=tmp_path / "a.drive") as session:
        for turn in (0, RIGHT):
            session.signals.turn = turn
            for _ in range(30):
                session.step(1.0 / 60.0, lambda situation: neutral_command())
    return tmp_path / "a.drive"


def test_a_replay_lights_the_turn_signals_of_the_driven_vehicle(turning, home, monkeypatch):
    source = ReplaySource(Recording.open(turning))
    source.repeat()
    base = open_window(WindowSettings(offscreen=True, size=(64, 36)))
    options = build_parser().parse_args(["replay", str(turning), "--offscreen"])
    viewer = ReplayViewer(base, ImGuiBackend(base), source, options, Settings())
    update_times = []
    update = viewer.scene.update
    monkeypatch.setattr(viewer.scene, "update", lambda eye, time: update_times.append(time) or update(eye, time))
    try:
        for time, turn in ((0.4, 0), (0.6, RIGHT), (0.2, 0)):
            viewer.player.seek(time)
            base.clock.dt = NO_TIME
            base.taskMgr.step()
            assert [view.lamps.turn for view in viewer.views] == [turn, 0]
            expected = pytest.approx(source.world.time, abs=source.world.tick_seconds)
            assert update_times[-1] == expected, "the lamps flash by the time of the world"
    finally:
        viewer.shut_down()


def test_driving_on_from_a_replay_keeps_the_turn_signals(turning, home):
    options = build_parser().parse_args(["replay", str(turning), "--offscreen"])
    recording = Recording.open(turning)
    for tick, turn in ((60, 0), (200, RIGHT)):
        app = open_branch(recording, tick, Namespace(**{**vars(options), **BRANCH}))
        try:
            app.base.taskMgr.step()
            assert [view.lamps.turn for view in app.views] == [turn, 0]
            assert app.session.signals.turn == turn
        finally:
            app.shut_down()
