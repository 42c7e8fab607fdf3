"""Horn and turn signals in recordings: an event at each change, their state at the start of each file, replays."""

import json

import pytest
from flat_drive import flat_world, run

from driving_sandbox.game.recordings.source import ReplaySource, train_length
from driving_sandbox.game.replay.events import stored_events
from driving_sandbox.game.session.session import Session
from driving_sandbox.game.view.vehicle.lamps import LEFT, RIGHT
from driving_sandbox.physics.recording import Recording, verify
from driving_sandbox.physics.recording.signals import MAX_TURN, RecordedSignals

# (frames, horn, turn signals) of the sections of a drive
SECTIONS = ((30, False, 0), (25, True, 0), (40, True, RIGHT), (20, False, LEFT | RIGHT), (15, False, 0))
TICKS_PER_FRAME = 4  # at 60 frames/s


def drive_with_signals(session):
    """Drive through SECTIONS; returns [(horn, turn)] of every tick."""
    expected = []
    for frames, horn, turn in SECTIONS:
        session.signals.horn, session.signals.turn = horn, turn
        run(session, frames / 60.0)
        expected += [(horn, turn)] * (frames * TICKS_PER_FRAME)
    return expected


@pytest.fixture(scope="module")
def drive(tmp_path_factory):
    """(path of a recording, [(horn, turn)] of every tick)."""
    path = tmp_path_factory.mktemp("signals") / "a.drive"
    with Session(flat_world(), record=path) as session:
        expected = drive_with_signals(session)
    return path, expected


def events_of(recording):
    """[(tick, horn, turn)] of the recorded changes."""
    return [(e["tick"], e["horn"], e["turn"]) for e in recording.events if e["kind"] == "signals"]


@pytest.mark.parametrize("check", [True, False])  # events are read from all chunks; from the index
def test_signals_are_read_as_they_were_driven(drive, check):
    path, expected = drive
    recording = Recording.open(path, check=check)
    assert recording.ticks == len(expected)
    signals = RecordedSignals(recording.events)
    assert [signals.at(tick) for tick in range(recording.ticks)] == expected
    assert events_of(recording) == [(120, True, 0), (220, True, 2), (380, False, 3), (460, False, 0)]  # changes only


def test_signals_affect_neither_the_simulation_nor_the_timeline(drive):
    assert verify(drive[0]).ok
    assert {entry.kind for entry in stored_events(Recording.open(drive[0]))} == {"gear"}


def test_turn_signals_have_the_numbers_of_the_lamps():
    assert (LEFT, RIGHT, LEFT | RIGHT) == (1, 2, MAX_TURN)


def test_a_rewind_keeps_the_signals_of_the_driver(tmp_path):
    with Session(flat_world(), record=tmp_path / "a.drive") as session:
        run(session, 0.5)
        session.signals.horn = True
        run(session, 0.5)
        session.changes.rewind(0.7)
        run(session, 0.5)
    assert verify(tmp_path / "a.drive").ok
    assert events_of(Recording.open(tmp_path / "a.drive")) == [(120, True, 0)]


def test_a_further_file_begins_with_the_signals_that_are_on(tmp_path):
    with Session(flat_world(), recordings=tmp_path) as session:
        control = session.recording_control
        control._piece = 0.5  # s, after which another file begins
        session.signals.turn = LEFT
        run(session, 0.5)
        first, second = control._last, control.recorder.path
        assert first is not None
        run(session, 0.25)
    for path in (first, second):
        assert events_of(Recording.open(path)) == [(0, False, LEFT)]


def test_a_replay_shows_the_signals_of_every_tick_and_after_seeking(drive):
    path, expected = drive
    source = ReplaySource(Recording.open(path))
    source.repeat()
    dt, shown = source.recording.tick_seconds, []
    source.on_tick.append(lambda: shown.append((source.signals.horn, source.signals.turn)))
    for tick in range(0, len(expected) + 1, TICKS_PER_FRAME):
        source.show(tick * dt, tick)
    assert source.exact and shown == expected
    for tick in (200, 400, 1):
        source.show(tick * dt, tick)
        assert (source.signals.horn, source.signals.turn) == expected[tick - 1]


def test_a_replay_from_stored_poses_shows_the_signals(drive):
    path, expected = drive
    source = ReplaySource(Recording.open(path))
    assert not source.exact
    for tick in (240, 100):
        source.show(tick * source.recording.tick_seconds, tick)
        assert (source.signals.horn, source.signals.turn) == expected[tick - 1]


@pytest.mark.parametrize(
    ("towed", "length"), [((False,), 1), ((False, True, True), 3), ((False, True, False, True), 2), ((None, None), 1)]
)
def test_the_first_train_has_its_trailers(towed, length):
    vehicles = [{"name": "a"} if t is None else {"name": "a", "towed": t} for t in towed]
    assert train_length(vehicles) == length


# ---- other files


def test_in_a_recording_without_signals_they_are_off(tmp_path):
    with Session(flat_world(), record=tmp_path / "a.drive") as session:
        run(session, 0.25)
    recording = Recording.open(tmp_path / "a.drive")
    assert events_of(recording) == []
    assert {RecordedSignals(recording.events).at(tick) for tick in range(recording.ticks + 1)} == {(False, 0)}


def test_events_of_unknown_kinds_are_ignored(tmp_path):
    path = tmp_path / "a.drive"
    with Session(flat_world(), record=path) as session:
        session.signals.horn = True
        run(session, 0.25)
        session.recorder.event("wipers", speed=2, horn=False)
        run(session, 0.25)
    recording = Recording.open(path)
    assert [e["kind"] for e in recording.events] == ["jump", "signals", "gear", "wipers"]
    assert {RecordedSignals(recording.events).at(tick) for tick in range(recording.ticks)} == {(True, 0)}
    assert verify(path).ok
    assert {entry.kind for entry in stored_events(recording)} == {"gear"}


@pytest.mark.parametrize("text", ['"on"', "1", "null", "[]", "4", "-1", "1.5", "1e300", "{}"])
def test_values_that_no_signal_can_have_are_switched_off(text):
    value = json.loads(text)
    signals = RecordedSignals(
        [
            {"kind": "signals", "tick": 5, "order": 2, "horn": value, "turn": value},
            {"kind": "signals", "tick": 3, "order": 1, "horn": True, "turn": 2},
            {"kind": "signals", "tick": 8, "order": 3},
        ]
    )
    assert signals.at(4) == (True, 2)
    assert signals.at(5) == (False, 1 if value == 1 else 0)
    assert signals.at(8) == (False, 0)
