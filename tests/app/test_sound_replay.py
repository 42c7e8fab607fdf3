"""Sound of a replay on the screen: the listener stays at the camera through rewinds, and seeking is silent."""

import numpy as np
import pytest

from driving_sandbox.cli.arguments import build_parser
from driving_sandbox.game.audio.listening import Listening
from driving_sandbox.game.audio.silence import Silence
from driving_sandbox.game.platform.window import WindowSettings, open_window
from driving_sandbox.game.program.settings import Settings
from driving_sandbox.game.recordings.source import ReplaySource
from driving_sandbox.game.replay import viewer as viewer_module
from driving_sandbox.game.replay.viewer import SEEK_SILENCE, ReplayViewer
from driving_sandbox.game.session.session import Session
from driving_sandbox.game.toolkit.backend import ImGuiBackend
from driving_sandbox.physics.recording import Recording
from driving_sandbox.physics.tick.commands import AUTOMATIC, neutral_command
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world
from driving_sandbox.sound.space.listener import LISTENER

pytestmark = pytest.mark.drawn
FRAME = 1.0 / 60.0  # s
NEAR = 1.0  # m from a tick's listener to the camera, which moves 0.5 m in a frame


class Ears(Silence):
    """Stands in for Hearing: keeps each frame's speed, tick count, and distances of listeners from the camera, m."""

    def __init__(self, world):
        self._world, self._listening, self._ticks = world, Listening(world.tick_seconds), []
        self.speeds, self.distances, self.ticks = [], [], []

    def tick(self):
        self._ticks.append(self._world.tick)

    def jumped(self):
        self._listening.restart()

    def frame(self, view, moment, speed):
        if self._ticks:
            listeners = np.zeros(len(self._ticks), LISTENER)
            self._listening.fill(listeners, np.array(self._ticks, dtype=float), view, moment)
            self.distances += np.linalg.norm(listeners["position"] - view.position, axis=1).tolist()
        self.speeds.append(speed)
        self.ticks.append(len(self._ticks))
        self._ticks.clear()


def ahead(situation):
    """The command of full throttle with the automatic gearbox."""
    command = neutral_command()
    command["throttle"], command["gear"] = 1.0, AUTOMATIC
    return command


def drive(session, seconds):
    """Step a session at full throttle for some seconds."""
    for _ in range(round(seconds / FRAME)):
        session.step(FRAME, ahead)


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    """A recording of 6 s, begun after 1 s of its world, with a rewind by 2 s after 4 s, at 20 m/s."""
    path = tmp_path_factory.mktemp("replay") / "rewound.drive"
    world = World(load_world("plane"), [load_vehicle("roadster")])
    world.spawn()
    with Session(world) as session:
        drive(session, 1.0)
    with Session(world, record=path) as session:
        drive(session, 4.0)
        session.changes.rewind(2.0)
        drive(session, 2.0)
    return path


@pytest.fixture(scope="module")
def viewer(recording):
    """A replay that is stepped by hand and heard by Ears."""
    base = open_window(WindowSettings(offscreen=True, size=(320, 180)))
    options = build_parser().parse_args(["replay", str(recording), "--offscreen"])
    source = ReplaySource(Recording.open(recording))
    source.repeat()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(viewer_module, "hear", lambda options, world, *others: Ears(world))
        viewer = ReplayViewer(base, ImGuiBackend(base), source, options, Settings())
    yield viewer
    viewer.shut_down()


def show(viewer, seconds):
    """Draw frames for some seconds; returns the Ears with the values of these frames alone."""
    ears, viewer.base.clock.dt = viewer.hearing, FRAME
    for values in (ears.speeds, ears.distances, ears.ticks):
        values.clear()
    for _ in range(round(seconds / FRAME)):
        viewer.base.taskMgr.step()
    return ears


def test_the_listener_stays_near_the_camera_through_a_rewind(viewer):
    viewer.player.seek(0.0)
    viewer.player.play()
    ears = show(viewer, 5.5)
    assert viewer.source.exact and len(ears.distances) > 1200
    assert max(ears.distances) < NEAR


def test_seeking_is_silent_and_passes_no_ticks_on(viewer):
    viewer.player.seek(0.5)
    viewer.player.play()
    assert show(viewer, 0.3).speeds[-1] == 1.0
    viewer.player.seek(viewer.player.time + 1.0)
    assert show(viewer, FRAME).ticks == [0] and viewer.hearing.speeds == [0.0]
    speeds = show(viewer, 2.0 * SEEK_SILENCE).speeds
    assert speeds[: round(SEEK_SILENCE / FRAME) - 1] == [0.0] * (round(SEEK_SILENCE / FRAME) - 1)
    assert speeds[-1] == 1.0
