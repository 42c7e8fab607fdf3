"""The planar twin in a session: equal commands, recording, verification, joining the car, replay."""

from argparse import Namespace

import numpy as np
import pytest

from driving_sandbox.cli.arguments import build_parser
from driving_sandbox.game.experiments.twin import Twin, load_twin, twin_among
from driving_sandbox.game.platform.window import WindowSettings, open_window
from driving_sandbox.game.program.settings import Settings
from driving_sandbox.game.recordings.source import ReplaySource
from driving_sandbox.game.replay.branch import open_branch
from driving_sandbox.game.replay.viewer import ReplayViewer
from driving_sandbox.game.session.session import Session
from driving_sandbox.game.toolkit.backend import ImGuiBackend
from driving_sandbox.game.view.vehicle.ghost import GhostView
from driving_sandbox.physics.recording import Recording
from driving_sandbox.physics.recording.verification import verify
from driving_sandbox.physics.schema.yaml_file import ConfigError
from driving_sandbox.physics.tick.commands import AUTOMATIC, neutral_command
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

INPUTS = "throttle", "brake", "handbrake", "steer", "gear"  # channels input.NAME of car and twin


def drive(situation):
    """Full throttle, then a turn, then braking."""
    command = neutral_command()
    command["gear"] = AUTOMATIC
    time = situation.time
    command["throttle"] = 1.0 if time < 3.0 else 0.3
    command["steer"] = 0.12 if 3.0 < time < 6.0 else 0.0
    command["brake"] = 0.5 if time > 8.0 else 0.0
    return command


@pytest.fixture
def session_and_twin(tmp_path):
    """(recorded session of the roadster on the plane, its planar twin)."""
    world = World(load_world("plane"), [load_vehicle("roadster_simple"), load_twin("planar_roadster")])
    for index in range(2):
        world.spawn(index=index)
    with Session(world, record=tmp_path / "twin.drive", setups=tmp_path) as session:
        yield session, Twin(session, 1)


def run(session, seconds):
    """Drive for some seconds in steps of 50 ms with the commands of `drive`."""
    for _ in range(round(seconds / 0.05)):
        session.step(0.05, drive)


def test_twin_gets_the_same_inputs_and_moves_similarly(session_and_twin, tmp_path):
    session, twin = session_and_twin
    for _ in range(100):
        session.step(0.05, drive)
        twin.sample(session.world.time)
        for name in INPUTS:
            assert session.vehicle.read(f"input.{name}") == twin.vehicle.read(f"input.{name}")
    car_speeds, twin_speeds = twin.car_history.values("car.speed"), twin.twin_history.values("car.speed")
    assert len(car_speeds) == len(twin_speeds) > 90 and car_speeds[-1] > 10.0
    assert 0.5 < (twin_speeds - car_speeds).max() < 5.0, "without flywheel and clutch the twin starts faster"
    rates = [h.values("body.angular_velocity.z") for h in (twin.car_history, twin.twin_history)]
    assert rates[0][-1] < -0.1 and rates[1][-1] == pytest.approx(rates[0][-1], rel=0.15)
    assert np.hypot(*twin.offset) > 0.5


def test_twin_joins_the_car_again(session_and_twin):
    session, twin = session_and_twin
    run(session, 5.0)
    twin.join()
    assert np.hypot(*twin.offset) < 1e-9
    for axis in "xy":
        assert twin.vehicle.read(f"body.velocity.{axis}") == session.vehicle.read(f"body.velocity.{axis}")
    assert twin.vehicle.read("gearbox.current_gear") == session.vehicle.read("gearbox.target_gear")
    speed = session.situation.forward_speed
    run(session, 0.5)
    assert abs(twin.vehicle.read("body.v_long") - session.situation.forward_speed) < 1.0
    assert speed > 9.0 and np.hypot(*twin.offset) < 1.0


def test_a_drive_with_a_twin_is_recorded_and_verifies(session_and_twin, tmp_path):
    session, twin = session_and_twin
    run(session, 4.0)
    twin.join()
    run(session, 3.0)
    session.changes.rewind(1.0)
    run(session, 2.0)
    session.close()
    report = verify(tmp_path / "twin.drive")
    assert report.ok, report


def test_a_branch_of_a_drive_with_a_twin_has_the_twin(session_and_twin, tmp_path, home):
    session, _ = session_and_twin
    run(session, 2.0)
    session.close()
    options = Namespace(driver="none", record=None, ghost=[], seconds=None, offscreen=True, size=(64, 36),
                        screenshot=None, stream=None)  # fmt: skip
    app = open_branch(Recording.open(tmp_path / "twin.drive"), tick=240, options=options)
    try:
        assert len(app.views) == 1  # the twin is a ghost, not a second car
        twin, car = app.twin.twin, app.session.vehicle  # app.twin is the TwinDisplay
        app.base.clock.dt = 0.05
        app.keyboard.key_down("w")
        for _ in range(4):
            app.base.taskMgr.step()
        for name in INPUTS:
            assert twin.vehicle.read(f"input.{name}") == car.read(f"input.{name}")
    finally:
        app.shut_down()


def test_a_replay_shows_the_twin_as_a_ghost(session_and_twin, tmp_path, home):
    session, _ = session_and_twin
    run(session, 1.0)
    session.close()
    source = ReplaySource(Recording.open(tmp_path / "twin.drive"))
    base = open_window(WindowSettings(offscreen=True, size=(64, 36)))
    options = build_parser().parse_args(["replay", str(tmp_path / "twin.drive"), "--offscreen"])
    viewer = ReplayViewer(base, ImGuiBackend(base), source, options, Settings())
    try:
        base.taskMgr.step()
        assert [isinstance(view, GhostView) for view in viewer.views] == [False, True]
    finally:
        viewer.shut_down()
    source.vehicles[1] = None  # as for a recorded vehicle that cannot be rebuilt
    assert twin_among(source.vehicles) is None


def test_a_full_vehicle_is_refused_as_twin():
    with pytest.raises(ConfigError, match="must be of type planar"):
        load_twin("roadster_simple")
