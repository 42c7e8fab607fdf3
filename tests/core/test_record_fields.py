"""Fields that a kernel reads or writes but its record lacks are found in its source; rebound names are skipped."""

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
def missing_on_argument(state, others):
    state.pace = 1.0


@kernel
def missing_in_subrecord(state, others):
    state.speed = state.curve.size


@kernel
def missing_in_array_element(state, others):
    state.speed = others[0].pace


@kernel
def missing_on_alias(state, others):
    one, factor = others[0], 2.0
    state.speed = factor * one.pace


@kernel
def called(one, factor):
    return factor * one.pace


@kernel
def missing_in_called_kernel(state, others):
    state.speed = called(others[1], 1.0)


@kernel
def missing_in_kernel_called_with_mapping(state, others):
    state.speed = called(state, **state.curve)


@kernel
def names_that_are_rebound(state, others):
    one = others[0]
    one = state.position
    for others in range(3):
        state.speed = others.real
    state.speed = one.size


@pytest.mark.parametrize(
    ("function", "expected"),
    [(correct, None), (names_that_are_rebound, None), (missing_on_argument, ("state", "pace")),
     (missing_in_subrecord, ("state", "size")),
     (missing_in_array_element, ("others", "pace")), (missing_on_alias, ("others", "pace")),
     (missing_in_called_kernel, ("others", "pace")), (missing_in_kernel_called_with_mapping, ("state", "pace"))],
)  # fmt: skip
def test_the_first_missing_field_is_found(function, expected):
    unknown = unknown_name(function, {"state": RECORD, "others": RECORDS})
    assert (unknown and (unknown.argument, unknown.name)) == expected


def test_arguments_without_a_record_type_and_functions_without_source_are_skipped():
    assert unknown_name(missing_on_argument, {"others": RECORDS}) is None
    assert unknown_name(len, {"state": RECORD}) is None


@pytest.mark.parametrize("name", VEHICLE_TYPES)
def test_component_lists_of_all_vehicle_types_have_no_missing_fields(name):
    sequence = sequence_of(VEHICLE_TYPES[name])
    assert misfits(sequence, frozenset(sequence.by_slot)) == ()


def test_a_component_list_compiled_before_is_not_checked_again(monkeypatch):
    sequence, checked = sequence_of(VEHICLE_TYPES["engine_drive"]), []
    monkeypatch.setattr(parts, "parts_ready", lambda _: False)
    monkeypatch.setattr(parts, "misfits", lambda *arguments: checked.append(arguments) or (("tire", "does not fit"),))
    for compiled, expected in ((True, ()), (False, (("tire", "does not fit"),))):
        monkeypatch.setattr(parts, "was_compiled", lambda _, compiled=compiled: compiled)
        parts.untried_misfits.cache_clear()
        assert parts.untried_misfits(sequence, frozenset({"tire"})) == expected
        assert parts.untried_misfits(sequence, frozenset()) == ()
    assert checked == [(sequence, frozenset({"tire"}))]
    parts.untried_misfits.cache_clear()
