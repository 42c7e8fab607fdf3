"""Differences of two states are reported by component, wheel and field."""

from types import SimpleNamespace

import numpy as np
import pytest
from drives import drive
from fake_world import STATE, rebuild

from driving_sandbox.physics.recording import verify
from driving_sandbox.physics.recording.difference import FieldDifference, differing_fields

WHEELS = ("fl", "fr", "rl", "rr")


def test_differing_numbers_are_named_by_component_wheel_and_index():
    a = np.zeros(1, STATE)
    b = a.copy()
    assert differing_fields(STATE, a.tobytes(), b.tobytes(), WHEELS) == []
    b["body"]["velocity"][0, 1] = 2.0
    b["wheel"]["omega"][0, 2] = -3.0
    b["wheel"]["position"][0, 7, 1] = 1.0  # a wheel the vehicle does not have
    b["memory"] = 5
    differences = differing_fields(STATE, a.tobytes(), b.tobytes(), WHEELS)
    assert [(d.component, d.field, d.stored, d.repeated) for d in differences] == [
        ("body", "velocity.1", 0.0, 2.0), ("wheel", "rl.omega", 0.0, -3.0),
        ("wheel", "7.position.1", 0.0, 1.0), ("memory", "memory", 0.0, 5.0)]  # fmt: skip


def test_sizes_of_differences_are_relative_and_infinite_for_one_nan():
    assert FieldDifference("a", "b", 100.0, 101.0).size == pytest.approx(1.0 / 101.0)
    assert FieldDifference("a", "b", 1.0, -1.0).size == 2.0
    assert FieldDifference("a", "b", 1.0, np.nan).size == np.inf
    state = np.zeros(1, STATE)
    state["body"]["velocity"] = np.nan
    assert differing_fields(STATE, state.tobytes(), state.tobytes()) == []


def test_the_text_of_a_small_difference_has_two_values():
    small = str(FieldDifference("tire", "rl.load", -0.00931899547, np.nextafter(-0.00931899547, 0.0)))
    assert small == "tire.rl.load is -0.00931899547 in the recording and -0.009318995469999999 here"


def test_a_difference_is_located_in_the_next_stored_state(tmp_path):
    path = tmp_path / "a.drive"
    drive(path)

    def rebuild_other(recording, trust):
        world = rebuild(recording)
        step = world.step

        def step_with_error(commands, external=None):
            fault = step(commands, external)
            if world.tick == 301:
                world.vehicles[0].state["body"]["position"][0, 1] += 1e-3
            return fault

        world.step = step_with_error
        return world

    report = verify(path, rebuild=rebuild_other)
    assert not report.ok and report.tick == 300 and report.kind == "state"
    assert report.located is not None and report.located > 300
    assert report.component in STATE.names and report.field
    assert f"{report.component}.{report.field}" in report.text and "numbers differ" in report.text


def test_a_changed_hash_of_a_snapshot_is_reported_without_a_field(tmp_path):
    path = tmp_path / "a.drive"
    drive(path, ticks=260)

    def rebuild_other(recording, trust):
        snapshot = next(s for s in recording.snapshots if not s.jump and s.tick > 0)
        changed = SimpleNamespace(tick=snapshot.tick, state_hash=snapshot.state_hash + 1, jump=False,
                                  sequence=snapshot.sequence, state=snapshot.state)  # fmt: skip
        recording.snapshots[recording.snapshots.index(snapshot)] = changed
        return rebuild(recording)

    report = verify(path, rebuild=rebuild_other)
    assert report.kind == "snapshot" and report.component is None  # only the hash was changed: no number differs
