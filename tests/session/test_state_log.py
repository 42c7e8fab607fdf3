"""Plots read what was driven before they were opened from the session's log of states."""

import numpy as np
import pytest
from flat_drive import ahead, flat_world, run

from driving_sandbox.game.plots.history import ChannelHistory
from driving_sandbox.game.session.session import Session
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

CHANNELS = ["car.speed", "car.longitudinal_g", "car.balance", "tire.fl.load", "engine.omega", "suspension.rl.jounce"]
FRAME = 1 / 60  # s


@pytest.fixture
def session():
    with Session(flat_world()) as session:
        yield session


def follow(session, names=CHANNELS, span=5.0, logged=True):
    """A history of channels over `span` seconds; logged: whether it reads the session's log."""
    history = ChannelHistory(span)
    if logged:
        history.log = lambda: session.changes.log
    assert history.follow(session.vehicle, names) == names
    return history


def drive_and_sample(session, histories, seconds):
    """Drive for some seconds; every history is sampled in every frame."""
    for _ in range(round(seconds / FRAME)):
        run(session, FRAME)
        for history in histories:
            history.sample(session.world.time)


def test_a_history_opened_late_has_the_values_of_one_that_sampled_all_the_time(session):
    live = follow(session, logged=False)
    drive_and_sample(session, [live], 4.0)
    before = session.world.state_hash()
    late = follow(session)
    late.sample(session.world.time)
    assert session.world.state_hash() == before
    for history in (live, late):
        assert history.now == session.world.time
    times = live.times()[-200:]
    assert np.allclose(late.times()[-200:], times, atol=1e-9) and len(late.times()) >= 239
    for name in CHANNELS:
        expected, replayed = live.values(name)[-200:], late.values(name)[-200:]
        assert np.allclose(replayed, expected, rtol=1e-6, atol=1e-6, equal_nan=True), name
        assert np.nanstd(expected) > 0.0, name
    drive_and_sample(session, [live, late], 1.0)
    for name in CHANNELS:  # the late history goes on as if it had been open from the start
        assert np.allclose(late.values(name)[-60:], live.values(name)[-60:], rtol=1e-6, atol=1e-6), name


def test_a_channel_chosen_later_and_a_longer_span_have_their_past(session):
    history = follow(session, ["car.speed"], span=1.0)
    drive_and_sample(session, [history], 3.0)
    history.follow(session.vehicle, ["car.speed", "wheel.rr.omega"])
    drive_and_sample(session, [history], FRAME)
    values = history.values("wheel.rr.omega")
    assert len(values) > 50 and np.isfinite(values).all()
    history.set_span(10.0)
    drive_and_sample(session, [history], FRAME)
    assert history.times()[0] < 0.1 and history.now == session.world.time


def test_after_a_rewind_the_history_ends_at_the_new_time(session):
    history = follow(session)
    drive_and_sample(session, [history], 2.0)
    speeds = dict(zip(history.times().round(4).tolist(), history.values("car.speed").tolist(), strict=True))
    session.changes.rewind(1.0)
    drive_and_sample(session, [history], FRAME)
    again = dict(zip(history.times().round(4).tolist(), history.values("car.speed").tolist(), strict=True))
    assert max(again) < 1.1 and len(again) > 50
    shared = [time for time in again if time < 1.0 and time in speeds]
    assert len(shared) > 50 and all(again[t] == pytest.approx(speeds[t], abs=1e-9) for t in shared)
    drive_and_sample(session, [history], 0.5)
    assert (np.diff(history.times()) > 0.0).all()


def test_the_log_holds_the_last_minute_only(session):
    log = session.changes.log
    ticks = 240 * 61  # 61 s; the log records every fourth tick
    for tick in range(4, ticks + 1, 4):
        log.record(tick, tick / 240)
    times = [time for time, *_ in log.between(0.0, 1e9)]
    assert times[-1] == ticks / 240 and times[0] == pytest.approx(times[-1] - 60.0) and len(times) == 3601


def test_a_log_of_another_vehicle_is_not_read(session):
    """A swap of a component begins another log."""
    run(session, 0.5)
    log, other = session.changes.log, load_vehicle("roadster")
    history = ChannelHistory()
    history.log = lambda: log
    history.follow(other, ["car.speed"])
    history.sample(session.world.time)
    assert len(history.times()) == 1


def test_a_recovery_is_no_acceleration_in_the_log(session):
    run(session, 3.0, ahead)
    assert session.situation.forward_speed > 5.0
    session.changes.recover()
    run(session, 1.0)
    history = follow(session, ["car.longitudinal_g", "car.speed"])
    history.sample(session.world.time)
    assert np.ptp(history.values("car.speed")) > 5.0
    assert np.abs(history.values("car.longitudinal_g")).max() < 1.5
