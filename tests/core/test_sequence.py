"""Lists of components: order of execution, substeps, errors, swaps."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest

from driving_sandbox.physics.differential.multi_wheel import MULTI_WHEEL, OPEN
from driving_sandbox.physics.drivetrain.clutch import CLUTCH
from driving_sandbox.physics.ground.ground import plane_ground
from driving_sandbox.physics.kernel.cache_folder import cache_folder
from driving_sandbox.physics.kernel.jit import JIT, kernel
from driving_sandbox.physics.schema.schema import Float, Int, PerWheel, Quat, Schema, Vec3, field
from driving_sandbox.physics.suspension.suspension import SUSPENSION
from driving_sandbox.physics.tick.binding import Binding, SequenceError, binding
from driving_sandbox.physics.tick.commands import COMMAND
from driving_sandbox.physics.tick.component import Component, ComponentError, Substeps, as_phase, phases_of, swapped
from driving_sandbox.physics.tick.context import EXTERNAL, new_context
from driving_sandbox.physics.tick.parts import bind_parts
from driving_sandbox.physics.tick.sequence import Sequence
from driving_sandbox.physics.tire.combined_slip import COMBINED_SLIP
from driving_sandbox.physics.vehicle.types import VEHICLE_TYPES


class BodyState(Schema):
    mini: Float = field()  # another layout than a vehicle's, so that their kernels are separate
    position: Vec3 = field()
    orientation: Quat = field(default=[0, 0, 0, 1])
    velocity: Vec3 = field()
    angular_velocity: Vec3 = field()


class WheelState(PerWheel):
    omega: Float = field()


class CountState(Schema):
    outer: Float = field()
    inner: Float = field()
    innermost: Float = field()
    time: Float = field()
    order: Float = field()


class GateParams(Schema):
    limit: Float = field(default=0.0)


class GateState(Schema):
    calls: Float = field()


class GainParams(Schema):
    gain: Float = field(default=2.0)


@kernel
def rest(state):
    state.velocity[0] = 0.0


@kernel
def spin(state):
    state[0].omega = 0.0


@kernel
def outer(state, command, gain_params):
    state.outer += gain_params.gain * command.throttle
    state.order = 1.0


@kernel
def inner(state, dt):
    state.inner += 1.0
    state.order = state.order * 10.0 + 2.0


@kernel
def innermost(state, dt):
    state.innermost += 1.0
    state.time += dt


@kernel
def add_hundred(state, dt):
    state.inner += 100.0


@kernel
def idle(params):
    pass


@kernel
def remembering(scratch):
    pass


@kernel
def gate(params, state):
    state.calls += 1.0
    return state.calls <= params.limit


MINI_BODY = Component("body", "mini", state=BodyState, phases={"update": rest})
MINI_WHEEL = Component("wheel", "mini", state=WheelState, phases={"update": spin})
GAIN = Component("gain", "plain", params=GainParams, phases={"update": idle})
COUNT = Component("count", "count", state=CountState,
                  phases={"update": outer, "inner": inner, "innermost": innermost})  # fmt: skip
HUNDREDS = Component("count", "hundreds", state=CountState,
                     phases={"update": outer, "inner": add_hundred, "innermost": innermost})  # fmt: skip
GATE = Component("gate", "gate", params=GateParams, state=GateState, phases={"update": gate}, ends_tick=("update",))
MINI = (
    MINI_BODY, MINI_WHEEL, GAIN, COUNT,
    Substeps(COUNT.phase("inner"), Substeps(COUNT.phase("innermost"), count=5)),
)  # fmt: skip


def ticks(sequence, count, substeps=3, speed=0.0, gate=0.0):
    """State after `count` ticks of 0.3 s with full throttle.

    If kernels are compiled, a step called part by part must give the same.
    substeps: of the world.
    speed: of the body, downward, m/s.
    gate: number of calls for which GATE lets the tick go on.
    """
    params, state = np.zeros(1, sequence.dtypes["params"]), np.zeros(1, sequence.dtypes["state"])
    scratch, context = np.zeros(1, sequence.dtypes["scratch"]), new_context(substep_count=substeps)
    params["wheel_count"], params["gain"]["gain"] = 1, 2.0
    state["body"]["orientation"] = (0.0, 0.0, 0.0, 1.0)
    state["body"]["velocity"] = (0.0, 0.0, -speed)
    if "gate" in params.dtype.names:
        params["gate"]["limit"] = gate
    commands = np.zeros(count, COMMAND)
    commands["throttle"] = 1.0
    records = [params, state, scratch, context, np.zeros(count, EXTERNAL), commands]
    copies = [record.copy() for record in records[:4]]
    ground = plane_ground()
    assert tuple(sequence.run(*records, 0.3, *ground.arrays)) == (count, 0)
    if JIT:
        step = bind_parts(sequence, *copies, ground.arrays)
        assert [step(records[4][:1], commands[:1], 0.3) for _ in range(count)] == [0] * count
        assert [record.tobytes() for record in copies] == [record.tobytes() for record in records[:4]]
    return state[0]


def test_a_tick_runs_the_list_from_top_to_bottom_with_nested_substeps():
    state = ticks(Sequence(MINI), 7)
    count = state["count"]
    # in each of 7 ticks: the gain 2 once, 3 substeps, 5 times 3 nested ones
    assert (count["outer"], count["inner"], count["innermost"]) == (14.0, 21.0, 105.0)
    assert count["time"] == pytest.approx(7 * 0.3)
    assert count["order"] == 1222.0  # outer once, then inner three times
    assert state["tick"] == 7


@pytest.mark.covers("PX-ARCH-08", "PX-ARCH-09", "PX-ARCH-10")
def test_counts_of_nested_groups_multiply_and_steps_add_up():
    """A group of 3 runs its phases three times, a group of 2 in it six times, with steps of dt / 6; others run once."""
    group = Substeps(COUNT.phase("inner"), Substeps(COUNT.phase("innermost"), count=2), count=3)
    count = ticks(Sequence((MINI_BODY, MINI_WHEEL, GAIN, COUNT, group)), 1)["count"]
    assert (count["outer"], count["inner"], count["innermost"]) == (2.0, 3.0, 6.0)
    assert count["time"] / count["innermost"] == pytest.approx(0.3 / 6)
    assert count["order"] == 1222.0
    two = (Substeps(COUNT.phase("inner"), count=2), Substeps(COUNT.phase("innermost"), count=7))
    count = ticks(Sequence((MINI_BODY, MINI_WHEEL, GAIN, COUNT, *two)), 1)["count"]
    assert (count["inner"], count["innermost"]) == (2.0, 7.0)
    assert count["time"] == pytest.approx(0.3)


@pytest.mark.parametrize(("count", "above", "slow", "fast"), [(5, 1, 5, 1), (None, 2, 3, 2)])
def test_a_group_may_run_more_often_while_the_body_is_slow(count, above, slow, fast):
    group = Substeps(COUNT.phase("innermost"), count=count, below_speed=2.0, above=above)
    sequence = Sequence((MINI_BODY, MINI_WHEEL, GAIN, COUNT, group))
    for speed, expected in ((0.0, slow), (1.99, slow), (2.01, fast), (60.0, fast)):
        state = ticks(sequence, 1, speed=speed)
        assert state["count"]["innermost"] == expected, speed
        assert state["count"]["time"] == pytest.approx(0.3)


@pytest.mark.covers("PX-ARCH-07")
def test_a_component_that_returns_false_ends_the_tick():
    """No later component runs, in its group or after it, nor any further substep; the tick is counted."""
    early = (MINI_BODY, MINI_WHEEL, GAIN, GATE, COUNT)
    inside = (MINI_BODY, MINI_WHEEL, GAIN, COUNT, Substeps(COUNT.phase("inner"), GATE, COUNT.phase("innermost")))
    for limit, inner, innermost in ((0.0, 1, 0), (2.0, 3, 2), (100.0, 15, 15)):  # the gate allows `limit` calls
        state = ticks(Sequence(early), 5, gate=limit)
        assert (state["count"]["outer"], state["tick"]) == (min(limit, 5.0) * 2.0, 5), limit
        state = ticks(Sequence(inside), 1, substeps=15, gate=limit)
        assert (state["count"]["inner"], state["count"]["innermost"]) == (inner, innermost), limit
        assert (state["count"]["outer"], state["tick"]) == (2.0, 1)


def test_phases_that_end_a_tick_are_declared_and_return_a_value():
    assert "goes_on" not in Sequence(MINI).source and "if not goes_on" in Sequence((*MINI, GATE)).source
    undeclared = Component("gate", "gate", params=GateParams, state=GateState, phases={"update": gate})
    with pytest.raises(
        SequenceError, match="gate gate.update: its kernel returns a value, which only a phase in ends_"
    ):
        Sequence((*MINI, undeclared))
    silent = Component("count", "count", state=CountState, phases={"update": outer}, ends_tick=("update",))
    with pytest.raises(SequenceError, match="count count.update: its kernel is in ends_tick, but returns nothing"):
        Sequence((MINI_BODY, MINI_WHEEL, GAIN, silent))
    with pytest.raises(ComponentError, match="count count: ends_tick: no phase 'updat'; it has: update"):
        Component("count", "count", state=CountState, phases={"update": outer}, ends_tick=("updat",))


class StepsState(Schema):
    number: Int = field(default=3)
    weight: Float = field()


@kernel
def count_steps(state):
    state.number = 4


def test_a_component_can_declare_the_number_of_substeps():
    steps = Component("steps", "four", state=StepsState, phases={"update": count_steps}, step_counts=("number",))
    group = Substeps(COUNT.phase("innermost"), count=steps.steps("number"))
    state = ticks(Sequence((MINI_BODY, MINI_WHEEL, GAIN, steps, COUNT, group)), 1)
    assert state["count"]["innermost"] == 4.0 and state["count"]["time"] == pytest.approx(0.3)
    with pytest.raises(SequenceError, match="count: no component of the list fills slot steps"):
        Sequence((MINI_BODY, MINI_WHEEL, GAIN, COUNT, group))
    other = Component("steps", "none", state=StepsState, phases={"update": count_steps})
    with pytest.raises(SequenceError, match="count: steps none does not count steps as 'number'"):
        Sequence((MINI_BODY, MINI_WHEEL, GAIN, other, COUNT, group))
    for wrong in ("weight", "missing"):
        with pytest.raises(ComponentError, match=f"steps none: step_counts: '{wrong}' is not an integer of its state"):
            Component("steps", "none", state=StepsState, phases={"update": count_steps}, step_counts=(wrong,))


def test_a_swap_changes_the_phases_of_the_component_only():
    assert ticks(Sequence(swapped(MINI, HUNDREDS)), 2)["count"]["inner"] == 600.0
    for name, expected in (("engine_drive", [(as_phase(OPEN), as_phase(MULTI_WHEEL))]), ("direct_drive", [])):
        entries = VEHICLE_TYPES[name]
        before, after = list(phases_of(entries)), list(phases_of(swapped(entries, MULTI_WHEEL)))
        assert [(a, b) for a, b in zip(before, after, strict=True) if a != b] == expected
    assert Sequence(swapped(VEHICLE_TYPES["engine_drive"], CLUTCH)).by_slot["clutch"] is CLUTCH


@pytest.mark.parametrize("kind", VEHICLE_TYPES)
def test_the_printed_step_matches_the_compiled_one(kind):
    sequence = Sequence(VEHICLE_TYPES[kind])
    path = Path(sys.modules[(getattr(sequence.step, "py_func", sequence.step)).__module__].__file__)
    assert cache_folder() in path.parents
    assert path.read_text(encoding="utf8") == sequence.source
    step = sequence.source[: sequence.source.index("def bound(")]
    called = re.findall(r"^\s+(\w+)\(.*\)$", step[step.index("command[0]") :], re.MULTILINE)
    assert called == [f"{p.component.slot}_{p.phase}" for p in phases_of(sequence.entries)]
    phases, checked = {f"{p.component.slot}_{p.phase}": p for p in phases_of(sequence.entries)}, set()
    for line in sequence.source.splitlines():
        imported = re.match(r"from (driving_sandbox\.\S+) import (\w+) as (\w+)", line)
        owner = imported and phases.get(imported[3])
        if owner:
            meant = owner.component.phases[owner.phase]
            assert imported.groups()[:2] == (getattr(meant, "py_func", meant).__module__, meant.__name__), line
            checked.add(imported[3])
    assert checked == set(phases)


def test_a_missing_slot_is_named():
    with pytest.raises(SequenceError, match=r"suspension standard.update: nothing in this vehicle provides '\w+'"):
        Sequence((SUSPENSION,))
    with pytest.raises(SequenceError, match="slot count: both count and hundreds are in the list"):
        Sequence((*MINI, HUNDREDS))
    with pytest.raises(SequenceError, match="tire combined_slip has no phase 'update'"):
        Sequence((*VEHICLE_TYPES["tank"], COMBINED_SLIP))
    without = tuple(e for e in VEHICLE_TYPES["direct_drive"] if slot_or_none(e) != "aero")
    with pytest.raises(SequenceError, match="body rigid.velocity: nothing in this vehicle provides 'aero'"):
        Sequence(without)


def test_the_name_of_an_argument_is_bound_by_one_rule():
    expected = {"params": "p.gain", "state": "s.gain", "scratch": "w.gain", "gate": "s.gate", "gate_params": "p.gate",
            "wheel_count": "p.wheel_count", "dt": "dt", "ground": "ground", "context": "c", "external": "e",
            "command": "u"}  # fmt: skip
    assert {name: binding(name, GAIN).expression for name in expected} == expected
    dtypes = Sequence((*MINI, GATE)).dtypes
    kind, start = Binding("state", "count", "time").layout(dtypes)
    assert kind == np.float64
    assert start == dtypes["state"].fields["count"][1] + CountState.dtype.fields["time"][1]


def test_an_undeclared_record_is_named():
    for kernel_of_none, missing in ((idle, "params"), (outer, "state"), (remembering, "scratch")):
        bare = Component("bare", "none", phases={"update": kernel_of_none})
        with pytest.raises(SequenceError, match=f"bare none.update: nothing in this vehicle provides '{missing}'"):
            Sequence((*MINI, bare))


def slot_or_none(entry):
    """Slot of an entry of a sequence, None for a group of substeps."""
    return None if isinstance(entry, Substeps) else as_phase(entry).component.slot


def test_a_word_of_the_state_is_traced_to_its_field():
    sequence = Sequence(VEHICLE_TYPES["engine_drive"])
    state = np.zeros(1, sequence.dtypes["state"])
    words = state.view(np.uint8).view(np.float64)
    for slot, wheel, key in (("tire", 2, "load"), ("body", None, "velocity"), ("wheel", 0, "omega")):
        words[:] = 0.0
        block = state[slot][0] if wheel is None else state[slot][0][wheel]
        block[key] = 1.5
        assert sequence.locate(int(np.flatnonzero(words == 1.5)[0])) == (slot, wheel, key)
