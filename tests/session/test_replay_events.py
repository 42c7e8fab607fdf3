"""Events on the timeline of a replay, and playing it in a loop."""

from types import SimpleNamespace

import numpy as np
import pytest
from flat_drive import ahead, flat_world, run

from driving_sandbox.game.recordings.notes import TimedNote
from driving_sandbox.game.recordings.source import ReplaySource
from driving_sandbox.game.replay.events import IMPACT, Timeline, impacts, stored_events
from driving_sandbox.game.replay.player import Player
from driving_sandbox.game.session.session import Session
from driving_sandbox.game.windows.overlays import ReplayAction
from driving_sandbox.lab.laps import laps_of
from driving_sandbox.lab.timing import Stopwatch
from driving_sandbox.physics.recording import Recording
from driving_sandbox.physics.tick.context import EXTERNAL
from driving_sandbox.physics.world.timing import Gate, Track

GATES = (Gate((-9.0, 5.0), (9.0, 5.0), "start"), Gate((-9.0, 20.0), (9.0, 20.0), "end"))
STRAIGHT = Track("straight", GATES, closed=False)


def pushed_from_the_side(world):
    """An impulse from the side after four seconds."""
    external = np.zeros(1, EXTERNAL)
    external["impulse"][0, 0] = 3000.0
    return external if world.tick == 960 else None


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    """A recording with a change of the mass, a mark, an impulse from the side and a recovery."""
    path = tmp_path_factory.mktemp("events") / "events.drive"
    with Session(flat_world(), record=path) as session:
        run(session, 2.0, ahead)
        session.tuning.set_parameter("body.mass", 1111.0)
        session.mark("look here")
        session.external_impulses = pushed_from_the_side  # called in every tick
        run(session, 4.0, ahead)
        session.changes.recover()
        run(session, 0.5, ahead)
    return Recording.open(path)


def test_everything_that_happened_is_on_the_timeline(recording):
    timeline = Timeline(recording, [STRAIGHT])
    timeline.wait()
    assert timeline.done
    by_kind = {}
    for entry in timeline.entries:
        by_kind.setdefault(entry.kind, []).append(entry)
    (setup,), (mark,), (impact,) = by_kind["setup"], by_kind["mark"], by_kind["impact"]
    assert setup.time == pytest.approx(2.0) and setup.text == "body.mass = 1111.0"
    assert mark.text == "mark look here" and impact.time == pytest.approx(4.0, abs=0.05)
    assert [jump.text for jump in by_kind["jump"]] == ["recover"] and by_kind["jump"][0].time == pytest.approx(6.0)
    (lap,) = by_kind["lap"]
    assert lap.text.startswith("straight: 0:0") and 2.0 < lap.time < 6.0
    assert "gear 2" in [gear.text for gear in by_kind["gear"]]
    times = [each.time for each in timeline.entries]
    assert times == sorted(times)


@pytest.mark.parametrize(("neutral", "names"), [(1, ["R", "N", "1", "2"]), (2, ["R2", "R1", "N", "1"])])
def test_reverse_gears_are_numbered_where_there_are_several(neutral, names):
    shifts = [{"kind": "gear", "tick": tick, "vehicle": 0, "gear": tick} for tick in range(4)]
    header = {"vehicles": [{"config": f"gearbox: {{neutral_gear: {neutral}}}"}]}
    entries = stored_events(SimpleNamespace(events=shifts, header=header, tick_seconds=1 / 240))
    assert [entry.text for entry in entries] == [f"gear {name}" for name in names]


@pytest.mark.parametrize(("neutral", "reverse"), [(1, False), (5, True)])
def test_reversing_lamps_of_a_vehicle_that_cannot_be_rebuilt(recording, neutral, reverse):
    """They are on in gears below neutral; the vehicle is in a gear between 1 and 5."""
    drive = Recording.open(recording.path)
    drive.header["vehicles"][0]["config"] = f"gearbox: {{neutral_gear: {neutral}}}"
    (frame,) = ReplaySource(drive).show(3.0, 720)
    assert frame.reverse == reverse


def test_lap_times_of_a_replay_are_those_of_the_drive(tmp_path):
    path = tmp_path / "lap.drive"
    with Session(flat_world(), record=path) as session:
        session.changes.stopwatch = Stopwatch([STRAIGHT])
        run(session, 7.0, ahead)
        (driven,) = session.stopwatch.laps
    timeline = Timeline(Recording.open(path), [STRAIGHT])
    timeline.wait()
    (lap,) = timeline.laps
    # poses are stored 60 times a second, rounded to 0.1 mm; above 4 m/s and below 2 m/s^2 times err by less than 0.5 ms
    assert lap.begin == pytest.approx(driven.begin, abs=5e-4) and lap.time == pytest.approx(driven.time, abs=5e-4)


@pytest.mark.parametrize(("moved", "counts"), [(1, True), (0, False)])
def test_only_the_vehicle_that_was_put_elsewhere_loses_its_lap(tmp_path, moved, counts):
    """Live, on the timeline, among the laps of the recording and in its replay.

    moved: index of the recovered vehicle. counts: whether the lap, which vehicle 0 drives, counts.
    """
    path = tmp_path / "two.drive"
    with Session(flat_world(("roadster", "buggy")), record=path) as session:
        session.changes.stopwatch = Stopwatch([STRAIGHT])
        while session.stopwatch.tracks[0].begin is None:
            run(session, 0.1, ahead)
        session.changes.recover(moved)
        recovery_tick = session.world.tick
        while session.vehicle.model_position()[1] < 21.0:
            run(session, 0.1, ahead)
        driven = len(session.stopwatch.laps)
    recording = Recording.open(path)
    timeline, source = Timeline(recording, [STRAIGHT]), ReplaySource(recording)
    timeline.wait()
    assert [driven, len(timeline.laps), len(laps_of(recording, [STRAIGHT]))] == [int(counts)] * 3
    assert source.jumped_between(recovery_tick - 1, recovery_tick)
    assert source.jumped_between(recovery_tick - 1, recovery_tick, first=True) != counts


def test_a_jump_without_a_list_of_moved_vehicles_counts_for_all(recording):
    (jump,) = (event for event in recording.events if event.get("reason") == "recover")
    assert jump["moved"] == [0] and jump["tick"] in recording.jump_ticks(0)
    assert jump["tick"] not in recording.jump_ticks(1)
    del jump["moved"]
    assert jump["tick"] in recording.jump_ticks(1)
    jump["moved"] = [0]  # for the next tests


def test_stepping_through_events_skips_gear_shifts(recording):
    timeline = Timeline(recording)
    timeline.wait()
    time, kinds = 0.0, []
    while (entry := timeline.after(time)) is not None:
        time = entry.time
        kinds.append(entry.kind)
    assert kinds == ["setup", "impact", "jump"]  # the mark is in the tick of the setup change
    assert timeline.before(time).kind == "impact" and timeline.before(0.5) is None


def test_impacts_are_changes_of_velocity_beyond_those_by_tires():
    times = np.arange(120) / 60.0
    velocities = np.zeros((120, 3))
    velocities[:, 1] = 10.0 * times  # just above 1 g
    jumps = np.zeros(120, bool)
    assert impacts(times, jumps, velocities) == []
    velocities[60:, 1] -= 2.0
    velocities[66:, 0] += 1.5  # a tenth of a second later: part of the same impact
    (impact,) = impacts(times, jumps, velocities)
    assert impact.time == pytest.approx(1.0) and "11 g" in impact.text
    jumps[60] = jumps[66] = True
    assert impacts(times, jumps, velocities) == []
    assert IMPACT < 2.0 * 60.0  # m/s^2: 2 m/s within a frame


class StoredPoses:
    """In place of a Recording: two minutes of poses, 30 a second, the first at `offset`, s.

    hits: times at which the velocity changes by 5 m/s, s.
    """

    path, seconds, tick_seconds, events = None, 120.0, 1 / 240, ()
    header = {"vehicles": [{"config": "name: car"}]}

    def __init__(self, hits, offset):
        self.times = np.arange(0.0, self.seconds, 1 / 30) + offset
        self.velocities = np.zeros((len(self.times), 3))
        for hit in hits:
            self.velocities[self.times > hit, 0] += 5.0

    def jump_ticks(self, vehicle):
        return set()

    def poses(self, start, end):
        inside = (self.times >= start) & (self.times <= end)
        values = {"velocity": self.velocities[inside], "model_position": np.zeros((inside.sum(), 3))}
        return self.times[inside], np.zeros(inside.sum(), bool), [values]


@pytest.mark.parametrize("offset", [0.0, 0.01])  # s; with 0.01, no pose is at 60 s, where two SECTIONs meet
@pytest.mark.parametrize(
    ("hits", "count"),
    [
        ((59.7, 60.05), 1),  # s
        ((59.7, 60.05, 60.25), 2),  # more than IMPACT_GAP after the first
        ((59.999,), 1),
        ((30.0, 59.0, 60.001, 61.0), 4),
    ],
)
def test_an_impact_where_two_sections_meet_is_listed_once(monkeypatch, hits, count, offset):
    recording = StoredPoses(hits, offset)
    monkeypatch.setattr(Recording, "open", lambda path: recording)
    timeline = Timeline(recording)
    timeline.wait()
    found = [(entry.time, entry.text) for entry in timeline.entries]
    whole = impacts(recording.times, np.zeros(len(recording.times), bool), recording.velocities)
    assert found == [(entry.time, entry.text) for entry in whole] and len(found) == count


def test_a_loop_is_marked_played_and_left():
    player = Player(ticks=2400, tick_seconds=1 / 240)
    player.seek(2.0)
    player.act(ReplayAction("loop"))
    assert player.loop == (2.0, None)
    player.advance(1.0)
    player.act(ReplayAction("loop"))
    assert player.loop == (2.0, 3.0) and player.time == 2.0
    player.take_jump()
    for _ in range(59):
        player.advance(1 / 60)
    assert player.time == pytest.approx(2.0 + 59 / 60) and not player.take_jump()
    player.advance(1 / 30)
    assert player.time == pytest.approx(2.0 + 1 / 60) and player.take_jump()
    player.seek(5.0)
    player.advance(1.0)
    assert player.time == pytest.approx(6.0)  # outside of the loop, playing goes on
    player.act(ReplayAction("loop"))
    assert player.loop is None


def test_notes_are_events_on_the_timeline(recording):
    timeline = Timeline(recording)
    timeline.note([TimedNote(3.5, "too late"), TimedNote(0.5, "clutch")])
    timeline.wait()
    marks = [(each.time, each.text) for each in timeline.entries if each.kind == "mark"]
    assert marks == [(0.5, "clutch"), (pytest.approx(2.0), "mark look here"), (3.5, "too late")]
    timeline.note([TimedNote(3.5, "too late")])
    assert [each.text for each in timeline.entries if each.kind == "mark"] == ["mark look here", "too late"]


def test_a_note_is_recorded_at_the_moment_it_was_begun(tmp_path):
    with Session(flat_world(), record=tmp_path / "a.drive") as session:
        run(session, 1.0, ahead)
        moment = session.moment()
        run(session, 2.0, ahead)
        session.mark("begun after a second", moment)
        assert session.marks[-1] == (pytest.approx(1.0), "begun after a second")
        session.recorder.sync()
        copy = tmp_path / "killed.drive"
        copy.write_bytes((tmp_path / "a.drive").read_bytes())
    timeline = Timeline(Recording.open(copy))  # as after a crash
    timeline.wait()
    assert [each.time for each in timeline.entries if "begun" in each.text] == [pytest.approx(1.0)]
    times = [each.time for each in timeline.entries]
    assert times == sorted(times)
