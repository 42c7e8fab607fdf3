"""Record layouts and one compiled step from a vehicle's list of components.

`Sequence` lays out the records (one sub-record per slot, per-wheel slots as arrays), and writes the step as a plain
Python file that calls the kernels in order. It is a real file because numba only caches functions from files; it also
shows exactly what a tick does. Its name in the cache folder has a hash of its text and of everything it imports.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import cache, cached_property, partial
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from driving_sandbox.physics.base.record import field_names, field_of
from driving_sandbox.physics.ground.arrays import ARRAY_TYPES, GroundArrays
from driving_sandbox.physics.kernel.generated import load_generated, with_attributes
from driving_sandbox.physics.kernel.jit import JIT, entry
from driving_sandbox.physics.schema.schema import WHEEL_CAPACITY
from driving_sandbox.physics.tick.binding import DT, RECORDS, TICK, WHEEL_COUNT, Binding, SequenceError, bindings
from driving_sandbox.physics.tick.commands import COMMAND
from driving_sandbox.physics.tick.component import Substeps, as_phase, components_of, groups_of, phases_of
from driving_sandbox.physics.tick.context import CONTEXT, EXTERNAL
from driving_sandbox.physics.tick.machine_code import TICK_TYPES, address_of, call_tick
from driving_sandbox.physics.tick.record_fields import returns_value

if TYPE_CHECKING:
    from driving_sandbox.physics.tick.component import Phase

_HEADER = '''"""The step of one vehicle list, written by physics/tick/sequence.py: a tick from top to bottom."""

import numpy as np
from numba import carray

from driving_sandbox.physics.tick.guard import first_fault
from driving_sandbox.physics.kernel.jit import entry, kernel, pointer
from driving_sandbox.physics.ground.arrays import GroundArrays
'''

_TRACE_HEADER = '''"""One tick that stops at the first component that leaves NaN or infinity."""

from driving_sandbox.physics.tick.guard import first_bad_word
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.ground.arrays import GroundArrays
'''

_PHYSICS = __name__.removesuffix("tick.sequence")  # prefix of the package's modules
_BOUND = ("params", "state", "scratch", "context")  # records that `bound` gets by address, as it does the ground
# The ground is passed as single arrays: numba takes 3 us to unpack a tuple of eight from Python, but 0.1 us per array.
GROUND_NAMES = ", ".join(GroundArrays._fields)
_UNPACK = (f"    ground = GroundArrays({GROUND_NAMES})", *(f"    {p} = {name}[0]" for name, p in RECORDS.items()))
END_OF_TICK = (TICK, Binding("state", "body"), Binding("state", "wheel"), WHEEL_COUNT)  # arguments of the end of a tick
_END_LINES = [
    line.format(*(binding.expression for binding in END_OF_TICK))
    for line in ("{0} += 1", "return first_fault({1}, {2}, {3})")
]


class Sequence:
    """A checked list of components with its record layouts and its step.

    Args:
        entries: tuple of components, phases and Substeps groups, in the order of a tick.
    Attributes:
        components: each component once.
        by_slot: {slot: component}.
        dtypes: {record: numpy type} of the RECORDS of a tick.
    Raises:
        SequenceError: the components do not fit together.
    """

    def __init__(self, entries: tuple[Any, ...]) -> None:
        self.entries = tuple(entries)
        self.components = components_of(self.entries)
        self.by_slot: dict[str, Any] = {}
        for component in self.components:
            other = self.by_slot.setdefault(component.slot, component)
            if other != component:
                raise SequenceError(f"slot {component.slot}: both {other.name} and {component.name} are in the list")
        scratch = [(c.slot, c.scratch) for c in self.components if c.scratch is not None]
        self.dtypes = {
            "params": self._layout("params", [(WHEEL_COUNT.field, np.int64)]),
            "state": self._layout("state", [(TICK.field, np.int64)]),
            "scratch": one_of(np.dtype(scratch or [("unused", np.dtype(np.int64))], align=True)),
            "context": CONTEXT, "external": EXTERNAL, "command": COMMAND,
        }  # fmt: skip
        for phase in phases_of(self.entries):
            self.bindings(phase)
            if not phase.function.__module__.startswith(_PHYSICS):  # tests check the phases of the program itself
                _check_end(phase)
        for group in groups_of(self.entries):
            self._check_count(group.steps)
        for binding in END_OF_TICK:
            if not binding.provided(self.by_slot):
                known = ", ".join(self.by_slot)
                raise SequenceError(f"a vehicle needs a component for slot {binding.slot}; slots: {known}")

    def _layout(self, kind: str, first: list[tuple[Any, Any]]) -> np.dtype:
        """Type of the record "params" or "state": the fields `first`, then one per slot."""
        fields = list(first)
        for component in self.components:
            schema = getattr(component, kind)
            if schema is not None:
                record = schema.dtype
                fields.append((component.slot, np.dtype((record, (WHEEL_CAPACITY,))) if schema.per_wheel else record))
        return one_of(np.dtype(fields, align=True))

    def bindings(self, phase: "Phase") -> tuple[Binding, ...]:
        """The Binding of every argument of a phase's kernel, in order."""
        if phase.phase not in phase.component.phases:
            raise SequenceError(f"{phase.component.slot} {phase.component.name} has no phase {phase.phase!r}", phase)
        return bindings(phase, self.by_slot)

    def _check_count(self, count: int | Binding) -> None:
        """Raise SequenceError for a count of substeps that no component of the list declares."""
        if isinstance(count, int) or count.slot is None:
            return
        if count.slot not in self.by_slot:
            raise SequenceError(f"count: no component of the list fills slot {count.slot}")
        component = self.by_slot[count.slot]
        if count.field not in component.step_counts:
            raise SequenceError(f"count: {count.slot} {component.name} does not count steps as {count.field!r}")

    @cached_property
    def source(self) -> str:
        """Text of the generated module: every import, then `step` and `bound`.

        `bound` repeats the lines of `step` instead of calling it, so that only the one in use is compiled, which takes
        six seconds.
        """
        calls = self.calls(self.entries)
        end = [f"    {line}" for line in _END_LINES]
        return "\n".join(
            [
                _HEADER + "\n".join(self.imports()),
                "\n",
                "@kernel",
                f"def step({', '.join(RECORDS)}, dt, {GROUND_NAMES}):",
                *_UNPACK,
                *calls,
                *end,
                "\n",
                "@entry",
                "def bound(at, external, command, dt):",
                *unpack_addresses(),
                *_UNPACK,
                *calls,
                *end,
                "",
            ]
        )

    @cached_property
    def trace_source(self) -> str:
        """Text of the module with `trace`: a tick that checks the floats of the state after every phase."""
        return "\n".join(
            [
                _TRACE_HEADER + "\n".join(self.imports()),
                "\n",
                "@kernel",
                f"def trace(words, indices, {', '.join(RECORDS)}, dt, {GROUND_NAMES}):",
                *_UNPACK,
                *self.calls(self.entries, traced=True),
                "    return -1, -1",
                "",
            ]
        )

    def imports(self) -> list[str]:
        """Source lines that import what `calls` calls."""
        lines = [f"from {p.function.__module__} import {p.function.__name__} as {_call_name(p)}"
                 for p in phases_of(self.entries)]  # fmt: skip
        if any(group.below_speed is not None for group in groups_of(self.entries)):
            lines.append("from driving_sandbox.physics.tick.speed import slower_than")
        return list(dict.fromkeys(lines))

    def calls(
        self, entries: "tuple[Phase | Substeps, ...]", indent: int = 1, dt: str = "dt", traced: bool = False
    ) -> list[str]:
        """Source lines that run entries of the list, with RECORDS under their short names."""
        pad, lines = "    " * indent, []
        for listed in entries:
            if not isinstance(listed, Substeps):
                lines += [pad + line for line in self._call(as_phase(listed), dt, traced)]
                continue
            count = getattr(listed.steps, "expression", listed.steps)
            inner = f"{dt}_{indent}"
            if listed.below_speed is not None:
                slow = f"slower_than(s.body, {float(listed.below_speed)!r})"
                lines.append(f"{pad}count_{indent} = {count} if {slow} else {listed.above}")
                count = f"count_{indent}"
            lines.append(f"{pad}{inner} = {dt} / {count}")
            lines.append(f"{pad}for _{indent} in range({count}):")
            lines += self.calls(listed.entries, indent + 1, inner, traced)
        return lines

    def _call(self, phase: "Phase", dt: str, traced: bool) -> Iterator[str]:
        """Source lines that run a phase and may end the tick by its result; with `traced` they also check the state."""
        call = f"{_call_name(phase)}({', '.join(dt if b == DT else b.expression for b in self.bindings(phase))})"
        yield f"goes_on = {call}" if phase.ends_tick else call
        if traced:
            yield "bad = first_bad_word(words, indices)"
            yield "if bad >= 0:"
            yield f"    return {list(self.by_slot).index(phase.component.slot)}, bad"
        if phase.ends_tick:
            yield "if not goes_on:"
            yield from (f"    {line}" for line in (("return -1, -1",) if traced else _END_LINES))

    def load(self, kind: str, source: str) -> ModuleType:
        """A module generated for this list, see `load_generated`."""
        modules = {phase.function.__module__ for phase in phases_of(self.entries)}
        return load_generated(kind, source, modules, {name.upper(): self.dtypes[name] for name in _BOUND})

    @cached_property
    def _module(self) -> ModuleType:
        return self.load("vehicle_step", self.source)

    def _function(self, module: ModuleType, name: str) -> Any:
        """A function of a generated module; without JIT with records whose fields are attributes."""
        function = getattr(module, name)
        return function if JIT else with_attributes(function)

    @cached_property
    def step(self) -> Any:
        """step(params, state, scratch, context, external, command, dt, *ground) -> fault code, 0 for none."""
        return self._function(self._module, "step")

    def bind(
        self, params: np.ndarray, state: np.ndarray, scratch: np.ndarray, context: np.ndarray, ground: GroundArrays
    ) -> partial:
        """The step as a function (external, command, dt) -> fault code, bound to these arrays.

        Python gives numba four arguments instead of fifteen, which saves a microsecond. The function keeps the arrays
        alive; they must not be replaced.
        """
        records = (params, state, scratch, context)
        if not JIT:
            return partial(self._plain_step, records, ground)
        address_of(self._module.bound, TICK_TYPES)
        bound: Any = partial(self._module.bound, addresses(records, ground))
        bound.keeps = (records, ground)
        return bound

    def _plain_step(self, records: Any, ground: Any, external: np.ndarray, command: np.ndarray, dt: float) -> int:
        return self.step(*records, external, command, dt, *ground)

    @property
    def code(self) -> int:
        """Address of the machine code of `bound`, for `machine_code.call_tick`."""
        return address_of(self._module.bound, TICK_TYPES)

    def run(
        self,
        params: np.ndarray,
        state: np.ndarray,
        scratch: np.ndarray,
        context: np.ndarray,
        external: np.ndarray,
        commands: np.ndarray,
        dt: float,
        *ground: Any,
    ) -> tuple[int, int]:
        """Run a tick for each pair of `commands` and `external` in one call, up to the first fault.

        Returns (ticks done, fault code).
        """
        records = (params, state, scratch, context)
        if not JIT:
            return _run_plain(self.step, records, external, commands, dt, ground)
        inputs = (np.ascontiguousarray(external), np.ascontiguousarray(commands))
        return run_ticks(self.code, addresses(records, ground), *inputs, dt)

    @cached_property
    def trace(self) -> Any:
        """trace(words, indices, params, state, ...) -> (index of the phase's slot, index of the first bad word).

        words: the state as float64. indices: `float_words`. The result is (-1, -1) if all numbers are finite.
        """
        return self._function(self.load("vehicle_trace", self.trace_source), "trace")

    @cached_property
    def float_words(self) -> np.ndarray:
        """Indices of the state's words that are float64."""
        return np.array(sorted(offset // 8 for offset in _float_offsets(self.dtypes["state"])), np.int64)

    def locate(self, word: int) -> tuple[str, int | None, str]:
        """(slot, wheel index or None, field) that a word of the state belongs to; ("tick", None, "tick") for others."""
        offset = word * 8  # bytes
        for slot in field_names(self.dtypes["state"]):
            dtype, start = field_of(self.dtypes["state"], slot)
            if not start <= offset < start + dtype.itemsize or slot not in self.by_slot:
                continue
            inside = offset - start
            wheel = None
            if dtype.subdtype is not None:
                dtype = dtype.subdtype[0]
                wheel, inside = divmod(inside, dtype.itemsize)
            starts = {name: field_of(dtype, name)[1] for name in field_names(dtype)}
            return slot, wheel, max((n for n in starts if starts[n] <= inside), key=starts.__getitem__)
        return "tick", None, "tick"


@entry
def run_ticks(code: Any, at: Any, external: Any, commands: Any, dt: float) -> tuple[Any, Any]:
    """Run a tick of the step at an address for every command, up to the first fault; returns (ticks done, its code)."""
    for i in range(commands.shape[0]):
        fault = call_tick(code, at, external[i : i + 1], commands[i : i + 1], dt)
        if fault != 0:
            return i, fault
    return commands.shape[0], 0


def _run_plain(
    step: Callable[..., int], records: tuple[np.ndarray, ...], external: np.ndarray, commands: np.ndarray, dt: float,
    ground: tuple[Any, ...],
) -> tuple[int, int]:  # fmt: skip
    """`run_ticks` without compiled code."""
    for i in range(len(commands)):
        fault = step(*records, external[i : i + 1], commands[i : i + 1], dt, *ground)
        if fault:
            return i, fault
    return len(commands), 0


_dtypes: dict[np.dtype, np.dtype] = {}  # {record type: the one object for it}


def one_of(dtype: np.dtype) -> np.dtype:
    """The one object for equal record types: numba takes 20 us per call for an equal type that is another object."""
    return _dtypes.setdefault(dtype, dtype)


def sequence_of(entries: tuple[Any, ...]) -> "Sequence":
    """The Sequence of a list, the same object for equal lists, so that vehicles share its functions."""
    return _sequence_of(_as_phases(entries))


@cache
def _sequence_of(entries: "tuple[Phase | Substeps, ...]") -> "Sequence":
    return Sequence(entries)


def _as_phases(entries: tuple[Any, ...]) -> "tuple[Phase | Substeps, ...]":
    """The list with bare components replaced by their Phase "update"."""
    return tuple(e.around(_as_phases(e.entries)) if isinstance(e, Substeps) else as_phase(e) for e in entries)


def _float_offsets(dtype: np.dtype, start: int = 0) -> Iterator[int]:
    """Byte offsets of every float64 in a record type."""
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        for k in range(int(np.prod(shape))):
            yield from _float_offsets(base, start + k * base.itemsize)
    elif dtype.names is not None:
        for name in dtype.names:
            inner, offset = field_of(dtype, name)
            yield from _float_offsets(inner, start + offset)
    elif dtype == np.float64:
        yield start


def unpack_addresses(records: tuple[str, ...] = _BOUND) -> list[str]:
    """Source lines that create records and the ground's arrays from the addresses and shapes in `at`."""
    lines, at = [], 0
    for name in records:
        lines.append(f"    {name} = carray(pointer(at[{at}]), 1, {name.upper()})")
        at += 1
    for name, (kind, dimensions) in zip(GroundArrays._fields, ARRAY_TYPES, strict=True):
        shape = ", ".join(f"at[{at + 1 + k}]" for k in range(dimensions))
        lines.append(f"    {name} = carray(pointer(at[{at}]), ({shape},), np.{kind})")
        at += 1 + dimensions
    return lines


def addresses(records: Iterable[np.ndarray], ground: Iterable[np.ndarray]) -> np.ndarray:
    """The argument `at` of `bound`: addresses of the records, then address and shape of each of the ground's arrays."""
    numbers = [record.ctypes.data for record in records]
    for array in ground:
        numbers += [array.ctypes.data, *array.shape]
    return np.array(numbers, np.int64)


@cache
def _check_end(phase: "Phase") -> None:
    """Raise SequenceError if a kernel returns a value although its phase is not in `ends_tick`, or vice versa."""
    returns = returns_value(phase.function)
    if returns in (None, phase.ends_tick):  # None: its source cannot be read
        return
    text = (
        "returns a value, which only a phase in ends_tick does" if returns else "is in ends_tick, but returns nothing"
    )
    raise SequenceError(f"{phase.component.slot} {phase.component.name}.{phase.phase}: its kernel {text}", phase)


def _call_name(phase: "Phase") -> str:
    return f"{phase.component.slot}_{phase.phase}"
