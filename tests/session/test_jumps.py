"""Recoveries cause no acceleration in channels, and frames at and after them show every wheel at its corner."""

import numpy as np
import pytest
from flat_drive import ahead, flat_world, run

from driving_sandbox.game.laps.traces import Request, trace_of
from driving_sandbox.game.plots.history import ChannelHistory
from driving_sandbox.game.program.instruments import Instruments
from driving_sandbox.game.recordings.source import ReplaySource
from driving_sandbox.game.session.session import Session
from driving_sandbox.physics.recording import Recording, RecordingError

RECOVERY_TICK = 960  # tick of the recovery
REACH = 1.5  # m, upper limit of the distance of a wheel from the roadster's origin; the lower one is 1 m


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    """A recorded drive that recovers after 4 s."""
    path = tmp_path_factory.mktemp("jumps") / "recovered.drive"
    with Session(flat_world(), record=path) as session:
        run(session, 4.0, ahead)
        session.changes.recover()
        run(session, 1.0, ahead)
    return Recording.open(path)


def assert_wheels_in_place(frame):
    """Assert that every wheel is at its corner of the car, and every orientation is a unit quaternion."""
    distances = np.linalg.norm(frame.wheel_position - frame.body_position, axis=1)
    assert np.all((distances > 1.0) & (distances < REACH)), distances
    for orientations in (frame.wheel_orientation, frame.hub_orientation):
        assert np.linalg.norm(orientations, axis=1) == pytest.approx(np.ones(4), abs=1e-3)


def test_poses_lost_to_damage_found_after_opening_are_reported(recording, monkeypatch):
    source = ReplaySource(recording)
    request = Request(str(recording.path), start=1.0, end=2.0, name="lap", track=None, out="")
    monkeypatch.setattr(Recording, "pose_at", lambda recording, time: None)
    with pytest.raises(RecordingError, match="no poses"):
        source.show(1.0, 240, sought=True)
    with pytest.raises(RecordingError, match="no poses"):
        trace_of(recording, request)


@pytest.mark.parametrize("simulated", [False, True])
def test_a_replay_shows_a_whole_car_on_its_springs_at_a_recovery(recording, simulated):
    """Without stored wheels at the jump they would be drawn at the world's origin, 26 m away, with a load of 0."""
    source = ReplaySource(recording)
    if simulated:
        source.repeat()
    assert source.exact == simulated
    step = recording.tick_seconds
    for tick in (RECOVERY_TICK, RECOVERY_TICK + 1, RECOVERY_TICK + 3, RECOVERY_TICK - 1, RECOVERY_TICK, 0, 2):
        (frame,) = source.show(tick * step, tick)
        assert_wheels_in_place(frame)
        loads = source.vehicles[0].state["tire"]["load"][0, :4]
        assert (loads > 1500.0).all(), (tick, loads)
    assert not source.notes
    before, after = (source.show(tick * step, tick)[0].body_position[1] for tick in (RECOVERY_TICK - 1, RECOVERY_TICK))
    assert 0.0 < after - before < 0.1 and source.vehicles[0].state["body"]["velocity"][0, 1] < 0.1


def test_stored_poses_of_a_jump_have_wheels_with_loads(recording):
    _, jumps, (values,) = recording.poses()
    assert jumps.sum() == 2  # start and recovery
    distances = np.linalg.norm(values["wheel_position"] - values["model_position"][:, None], axis=2)
    assert distances.max() < REACH and (values["load"][jumps] > 1500.0).all()


def test_a_car_put_back_while_the_drive_is_paused_keeps_its_wheels():
    session = Session(flat_world())
    run(session, 2.0, ahead)
    session.changes.recover()
    assert_wheels_in_place(session.interpolated())
    session.tuning.set_parameter("body.mass", 1111.0)  # reads the poses again without a tick
    assert_wheels_in_place(session.interpolated())


def test_a_recovery_is_no_acceleration():
    """The stop within a frame from over 8 m/s, 49 g, appears neither in channels nor in the g-g diagram."""
    session, history = Session(flat_world()), ChannelHistory(span=10.0)
    instruments = Instruments(session.vehicle)
    history.follow(session.vehicle, ["car.longitudinal_g", "car.lateral_g"])
    session.changes.on_jump += [history.jumped, instruments.jumped]
    readings = []
    for frame in range(180):
        if frame == 150:
            assert session.vehicle.read("body.velocity.y") > 8.0
            session.changes.recover()
        session.step(1.0 / 60.0, ahead)
        history.sample(session.world.time)
        readings.append(instruments.read(session, 1.0 / 60.0).acceleration[1] / 9.80665)
    for values in (history.values("car.longitudinal_g"), np.array(readings)):
        assert values.min() > -0.3 and 0.2 < values.max() < 1.0, (values.min(), values.max())


def test_a_recovery_is_no_acceleration_in_the_trace_of_a_lap(recording, monkeypatch):
    """Neither in a trace that is simulated again nor in one that is read from stored poses."""
    lap_request = Request(str(recording.path), start=3.5, end=4.5, name="lap", track=None, out="")
    exact = trace_of(recording, lap_request)
    monkeypatch.setattr("driving_sandbox.game.laps.traces._resimulated", refuse_simulation)
    for trace in (exact, trace_of(recording, lap_request)):
        values = trace.channels["car.longitudinal_g"]
        assert np.nanmin(values) > -0.3, np.nanmin(values)
    assert exact.exact and not trace.exact


def refuse_simulation(recording, ticks, request):
    from driving_sandbox.physics.recording import RecordingError

    raise RecordingError("it drives elsewhere")
