"""Record fields used by a kernel are found in its source, as far as names are unambiguous."""

import numpy as np
import pytest

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.tick import parts
from driving_sandbox.physics.tick.record_fields import misfits, unknown_name
from driving_sandbox.physics.tick.sequence import sequence_of
from driving_sandbox.physics.vehicle.types import VEHICLE_TYPES

INNER = np.dtype([("count", np.int64), ("x", np.float64, (4,))])
RECORD = np.dtype([("speed", np.float64), ("position", np.float64, (3,)), ("curve", INNER)])
RECORDS = np.dtype((RECORD, (20,)))


@kernel
def correct(state, others, wheel_count):
    state.speed = state.position[0] + state.curve.x[state.curve.count]
    for i in range(wheel_count):
        one, factor = others[i], 2.0
        one.speed = factor * others[i].curve.count


@kernel
def directly(state, others):
    state.pace = 1.0


@kernel
def inside(state, others):
    state.speed = state.curve.size


@kernel
def in_an_array(state, others):
    state.speed = others[0].pace


@kernel
def by_another_name(state, others):
    one, factor = others[0], 2.0
    state.speed = factor * one.pace


@kernel
def called(one, factor):
    return factor * one.pace


@kernel
def in_what_it_calls(state, others):
    state.speed = called(others[1], 1.0)


@kernel
def of_doubtful_names(state, others):
    one = others[0]
    one = state.position
    for others in range(3):
        state.speed = others.real
    state.speed = one.size


@pytest.mark.parametrize(
    ("function", "expected"),
    [(correct, None), (of_doubtful_names, None), (directly, ("state", "pace")), (inside, ("state", "size")),
     (in_an_array, ("others", "pace")), (by_another_name, ("others", "pace")), (in_what_it_calls, ("others", "pace"))],
)  # fmt: skip
def test_the_first_missing_field(function, expected):
    unknown = unknown_name(function, {"state": RECORD, "others": RECORDS})
    assert (unknown and (unknown.argument, unknown.name)) == expected


def test_a_missing_record_is_not_reported():
    assert unknown_name(directly, {"others": RECORDS}) is None
    assert unknown_name(len, {"state": RECORD}) is None


@pytest.mark.parametrize("name", VEHICLE_TYPES)
def test_all_shipped_lists_have_no_missing_fields(name):
    sequence = sequence_of(VEHICLE_TYPES[name])
    assert misfits(sequence, frozenset(sequence.by_slot)) == ()


def test_the_source_of_a_compiled_list_is_not_read_again(monkeypatch):
    sequence, read = sequence_of(VEHICLE_TYPES["engine_drive"]), []
    monkeypatch.setattr(parts, "misfits", lambda *given: read.append(given) or (("tire", "does not fit"),))
    for compiled, expected in ((True, ()), (False, (("tire", "does not fit"),))):
        monkeypatch.setattr(parts, "was_compiled", lambda _, compiled=compiled: compiled)
        parts.untried_misfits.cache_clear()
        assert parts.untried_misfits(sequence, frozenset({"tire"})) == expected
        assert parts.untried_misfits(sequence, frozenset()) == ()
    assert read == [(sequence, frozenset({"tire"}))]
    parts.untried_misfits.cache_clear()
