"""Ghosts drive as recorded, start with the lap, and give the gap at the player's position."""

from dataclasses import replace
from time import sleep
from types import SimpleNamespace

import numpy as np
import pytest
from flat_drive import ahead, flat_world, run

from driving_sandbox.game.experiments.ghosts import MAX_GHOSTS, Ghost, GhostDrive, Ghosts, best_lap, ghost_drive
from driving_sandbox.game.session.session import Session
from driving_sandbox.lab.timing import Stopwatch
from driving_sandbox.physics.recording import Recording, RecordingError
from driving_sandbox.physics.world.timing import Gate, Track

LOOK = ("model.glb", (0.3, 0.3, 0.3))  # model and paint of a ghost
STRAIGHT = Track(
    "straight", (Gate((-5.0, 5.0), (5.0, 5.0), "start"), Gate((-5.0, 30.0), (5.0, 30.0), "end")), closed=False
)


def straight_drive(speed, seconds=10.0, track=None):
    """A ghost's drive straight along +y; speed: m/s."""
    times = np.arange(0.0, seconds + 1e-9, 1.0 / 60.0)
    position = np.zeros((len(times), 3))
    position[:, 1] = speed * times
    orientation = np.tile((0.0, 0.0, 0.0, 1.0), (len(times), 1))
    poses = {"model_position": position, "model_orientation": orientation}
    return GhostDrive("even", times, poses, distance=position[:, 1], look=LOOK, track=track)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """(path, (position, wheel positions)) of a recorded launch of six seconds, and of its car after three seconds."""
    path = tmp_path_factory.mktemp("ghosts") / "launch.drive"
    with Session(flat_world(), record=path) as session:
        run(session, 3.0, ahead)
        middle = session.vehicle.model_position(), np.array(session.vehicle.state["wheel"]["position"][0, :4])
        run(session, 3.0, ahead)
    return path, middle


def until(ghosts, condition):
    """Step the ghosts until a condition holds, for at most ten seconds."""
    for _ in range(200):
        ghosts.step()
        if condition():
            return
        sleep(0.05)
    raise AssertionError("not within ten seconds")


def test_gaps_are_taken_at_the_players_position():
    ghost = Ghost(straight_drive(20.0))
    ghost.measure(np.array([3.0, 50.0, 0.0]), 7.0)
    assert ghost.gap is None  # it has not started
    ghost.set_off(4.0)
    ghost.measure(np.array([3.0, 50.0, 0.0]), 7.0)  # the ghost was here after 2.5 s, and has driven for 3 s
    assert ghost.gap == pytest.approx(0.5) and ghost.ahead == pytest.approx(10.0)
    ghost.measure(np.array([0.0, 80.0, 0.0]), 7.0)
    assert ghost.gap == pytest.approx(-1.0) and ghost.ahead == pytest.approx(-20.0)
    ghost.measure(np.array([40.0, 80.0, 0.0]), 7.0)
    assert ghost.gap is None  # too far from its path
    assert ghost.shown(13.9) and not ghost.shown(14.1) and not ghost.shown(3.9)


def test_a_path_that_crosses_itself_is_measured_at_the_part_being_driven():
    drive = straight_drive(20.0, seconds=16.0)
    phase = 2.0 * np.pi * drive.times / 16.0
    drive.poses["model_position"][:, 0] = 40.0 * np.sin(2.0 * phase)  # a figure of eight, crossed after 8 s
    drive.poses["model_position"][:, 1] = 40.0 * np.sin(phase)
    ghost = Ghost(drive)
    ghost.set_off(0.0)
    for time in np.arange(0.1, 15.9, 0.1):
        ghost.measure(drive.frame(time).body_position, time)
        assert ghost.gap == pytest.approx(0.0, abs=0.02)


def test_a_ghost_has_the_poses_of_its_recording(recorded):
    path, (position, wheels) = recorded
    drive = ghost_drive(Recording.open(path), LOOK)
    assert drive.seconds == pytest.approx(6.0, abs=0.02) and drive.name == "launch"
    frame = drive.frame(3.0)
    assert np.allclose(frame.body_position, position, atol=1e-3)
    assert np.allclose(frame.wheel_position, wheels, atol=1e-3) and frame.wheel_count == 4
    between = drive.frame(3.0 + 1 / 120)
    assert position[1] < between.body_position[1] < drive.frame(3.0 + 1 / 60).body_position[1]
    later = ghost_drive(Recording.open(path), LOOK, start=2.0, end=4.0)
    assert np.allclose(later.frame(1.0).body_position, position, atol=1e-3)
    with pytest.raises(RecordingError):
        ghost_drive(Recording.open(path), LOOK, start=50.0, end=60.0)


def test_the_best_lap_of_a_recording_is_found(recorded):
    recording = Recording.open(recorded[0])
    track, start, end = best_lap(recording, [STRAIGHT])
    assert track == "straight"
    drive = ghost_drive(recording, LOOK, start, end, track=track)
    assert drive.frame(0.0).body_position[1] == pytest.approx(5.0, abs=0.3)
    assert drive.frame(drive.seconds).body_position[1] == pytest.approx(30.0, abs=0.5)
    assert best_lap(recording, []) is None


def test_a_ghost_loaded_while_driving_starts_at_once_and_their_number_is_limited(recorded):
    with Session(flat_world()) as session:
        ghosts = Ghosts(session, LOOK)
        run(session, 1.0, ahead)
        ghosts.load(recorded[0])
        until(ghosts, lambda: ghosts.running)
        (ghost,) = ghosts.running
        assert ghost.set_off_at == session.world.time and ghost.drive.look[0].name == "roadster.glb"
        run(session, 2.0, ahead)
        ghosts.step()
        assert 0.5 < -ghost.gap < 2.5 and ghost.ahead < 0.0  # it began a second later
        for _ in range(MAX_GHOSTS - 1):
            ghosts.add(straight_drive(10.0))
        with pytest.raises(ValueError, match="at most"):
            ghosts.add(straight_drive(10.0))
        ghosts.restart()
        assert all(each.set_off_at == session.world.time for each in ghosts.running)
        ghosts.remove(ghost)
        bad = recorded[0].with_name("bad.drive")
        bad.write_bytes(b"no recording")
        ghosts.load(bad)
        until(ghosts, lambda: not ghosts.loading)
        assert "not a recording" in session.messages[-1].text


def test_an_unexpected_error_ends_the_reading_of_a_ghost(monkeypatch):
    said = []
    session = SimpleNamespace(
        world=SimpleNamespace(time=0.0), stopwatch=SimpleNamespace(tracks=(), laps=()),
        vehicle=SimpleNamespace(model_position=lambda: (0.0, 0.0, 0.0)), say=lambda text, level: said.append(text),
    )  # fmt: skip
    ghosts = Ghosts(session, LOOK)
    monkeypatch.setattr(ghosts, "_drive_from_file", lambda path: 1 // 0)
    ghosts.load("a.drive")
    until(ghosts, lambda: not ghosts.loading)
    assert "unexpected ZeroDivisionError" in said[0]


def drive_lap(session, ghosts, count):
    """Drive ahead until `count` laps have ended."""
    while len(session.stopwatch.laps) < count:
        run(session, 0.1, ahead)
        ghosts.step()


def test_a_new_best_lap_replaces_the_one_before_but_no_other_ghost_of_such_a_name(tmp_path):
    with Session(flat_world(), record=tmp_path / "laps.drive") as session:
        session.changes.stopwatch = Stopwatch([STRAIGHT])
        ghosts = Ghosts(session, LOOK)
        own = ghosts.add(replace(straight_drive(10.0, track="straight"), name="my best lap, lap 2.500 s"))
        drive_lap(session, ghosts, 1)
        until(ghosts, lambda: not ghosts.loading)
        _, first = ghosts.running
        assert ghosts.running[0] is own
        session.stopwatch.laps[0] = replace(session.stopwatch.laps[0], time=1e3)  # any other lap is faster
        session.world.place(0, (0.0, 0.0), 0.0)
        session.changes.record_jump("again")
        drive_lap(session, ghosts, 2)
        until(ghosts, lambda: not ghosts.loading)
        kept, second = ghosts.running
        assert kept is own and second is not first and second.drive.track == "straight"


def test_the_best_lap_of_a_drive_becomes_a_ghost_that_starts_with_the_next(tmp_path):
    with Session(flat_world(), record=tmp_path / "laps.drive") as session:
        session.changes.stopwatch = Stopwatch([STRAIGHT])
        ghosts = Ghosts(session, LOOK)
        drive_lap(session, ghosts, 1)
        first = session.stopwatch.laps[0]
        until(ghosts, lambda: ghosts.running)
        (ghost,) = ghosts.running
        assert ghost.drive.track == "straight" and ghost.set_off_at is None
        assert ghost.drive.seconds == pytest.approx(first.time, abs=0.03)
        session.world.place(0, (0.0, 0.0), 0.0)
        session.changes.record_jump("again")  # records the jump and tells the stopwatch of it
        run(session, 2.5, ahead)
        ghosts.step()
        assert ghost.set_off_at == session.stopwatch.tracks[0].begin
        assert ghost.gap == pytest.approx(0.0, abs=0.1)  # the same launch again
