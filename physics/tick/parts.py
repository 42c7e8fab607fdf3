"""Step of a vehicle by an interpreter that calls separately compiled kernels.

The step of a list of components (`physics/tick/sequence.py`) is one function with all kernels inlined: fast to run, but
optimized as a whole, which takes six seconds whenever an entry of the list changes. A *part* is one separately compiled
kernel, shared by all lists that contain it: a new list compiles only its new parts. It takes its arguments as a table
of addresses:

    code(address of the table, dt) -> 0 if the tick ends here, else 1

A *program* is a list of components as rows of numbers, which a small compiled loop, `interpret`, follows. A tick takes
a tenth longer than with the merged step, which is used as soon as it is in the cache (`bind_soonest`). Both run the
same kernels on the same records in the same order, without compiler options that change results (no fastmath, no
contraction), so results are bit-identical.

    row          effect                                                                columns: a, b, x, y, address
    CALL         call code a with table b; if x is 1 and it returns 0, go to the last row
    REPEAT       repeat the rows up to the matching TURN x times, with dt / x; x = -1: the count is at the address
    CHOOSE       like REPEAT, x times if code a with table b returns 1, else y times
    TURN         go back to row x until the repetitions are done
"""

from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import carray

from driving_sandbox.physics.kernel.cache_folder import cached
from driving_sandbox.physics.kernel.generated import load_generated
from driving_sandbox.physics.kernel.jit import JIT, entry, pointer
from driving_sandbox.physics.tick.binding import DT, GROUND, OWN_RECORDS, Binding
from driving_sandbox.physics.tick.component import Substeps, as_phase
from driving_sandbox.physics.tick.machine_code import PART_TYPES, address_of, call_part
from driving_sandbox.physics.tick.record_fields import misfits
from driving_sandbox.physics.tick.sequence import END_OF_TICK, GROUND_NAMES, addresses, unpack_addresses

if TYPE_CHECKING:
    from driving_sandbox.physics.ground.arrays import GroundArrays
    from driving_sandbox.physics.tick.component import Phase
    from driving_sandbox.physics.tick.sequence import Sequence

CALL, REPEAT, CHOOSE, TURN = range(4)
MAX_DEPTH = 8  # levels of nested substep groups
MARKER_FOLDER = "compiled"  # folder of the cache with an empty file for every compiled part and step
_OF_TICK = ("external", "command")  # records whose addresses may differ in every tick
_HEADER = '''"""One kernel as machine code of its own, written by physics/tick/parts.py."""

import numpy as np
from numba import carray

from driving_sandbox.physics.kernel.jit import entry, pointer, record_at
from driving_sandbox.physics.ground.arrays import GroundArrays
'''


@entry
def interpret(program: Any, targets: Any, steps: Any, left: Any, external: Any, command: Any, dt: float) -> Any:
    """Run a program; returns the result of its last call, the fault code of the tick.

    Args:
        program: int64 [rows, 6], the row's kind, then a, b, x, y and address.
        targets: int64 [n, 2], an address, and whether the address of `external` (0) or `command` (1) is written to it.
        steps, left: work space for dt and the remaining repetitions of every open group.
    """
    for k in range(len(targets)):
        target = carray(pointer(targets[k, 0]), 1, np.int64)
        target[0] = external.ctypes.data if targets[k, 1] == 0 else command.ctypes.data
    depth, i, last, result = 0, 0, len(program) - 1, 0
    steps[0] = dt
    while i <= last:
        kind, a, b, x, y = program[i, 0], program[i, 1], program[i, 2], program[i, 3], program[i, 4]
        i += 1
        if kind == CALL:
            result = call_part(a, b, steps[depth])
            if x != 0 and result == 0:
                i = last
        elif kind == TURN:
            left[depth] -= 1
            if left[depth] > 0:
                i = x
            else:
                depth -= 1
        else:
            count = x
            if kind == CHOOSE and call_part(a, b, steps[depth]) == 0:
                count = y
            elif count < 0:
                count = carray(pointer(program[i - 1, 5]), 1, np.int64)[0]
            steps[depth + 1] = steps[depth] / count
            depth += 1
            left[depth] = count
    return result


class Part:
    """One kernel, compiled for the record types of a list.

    Args:
        sequence: the Sequence.
        arguments: Bindings of the kernel's arguments.
        imports: source lines before the function.
        last: last source lines of the function; {0}, {1} ... in them stand for the arguments, {all} for all of them.
        module: name of the kernel's module.
    Attributes:
        arguments: Bindings whose addresses are in the part's table.
    """

    def __init__(
        self,
        sequence: "Sequence",
        arguments: tuple[Binding, ...] | list[Binding],
        imports: str,
        last: tuple[str, ...],
        module: str,
    ) -> None:
        self.arguments = [a for a in arguments if a != DT]
        layouts, lines, names = {}, [], {DT: "dt", GROUND: "ground"}
        for k, argument in enumerate(self.arguments):
            if argument == GROUND:  # 64: more numbers than `addresses` gives for the ground
                lines += [f"    at = carray(pointer(address[{k}]), 64, np.int64)", *unpack_addresses(()),
                          f"    ground = GroundArrays({GROUND_NAMES})"]  # fmt: skip
                continue
            layouts[f"KIND_{k}"] = np.dtype([("field", argument.layout(sequence.dtypes)[0])], align=True)
            lines.append(f"    a{k} = record_at(address[{k}], KIND_{k})")
            names[argument] = f"a{k}.field"
        called = [names[a] for a in arguments]
        head = [_HEADER + imports, "\n", "@entry", "def part(table, dt):"]
        head.append(f"    address = carray(pointer(table), {max(1, len(self.arguments))}, np.int64)")
        source = "\n".join([*head, *lines, *(line.format(*called, all=", ".join(called)) for line in last), ""])
        self.module = load_generated("part", source, {module}, layouts)

    @property
    def _marker(self) -> Path:
        return cached(MARKER_FOLDER, self.module.__name__)

    @property
    def ready(self) -> bool:
        """Whether the machine code is in the cache."""
        return self._marker.is_file()

    def code(self) -> int:
        """Address of the machine code, which is loaded or compiled if necessary; from then on the part is `ready`."""
        address = address_of(self.module.part, PART_TYPES)
        if not self.ready:
            _touch(self._marker)
        return address


@cache
def parts_of(sequence: "Sequence") -> "dict[Phase | float | None, Part]":
    """{key: Part} of a list. key: a phase, `below_speed` of a group, or None for the end of a tick."""
    parts: dict[Phase | float | None, Part] = {}
    _collect(sequence, sequence.entries, parts)
    last = ("    {0} += 1", "    return first_fault({1}, {2}, {3})")
    imports = "from driving_sandbox.physics.tick.guard import first_fault"
    parts[None] = Part(sequence, END_OF_TICK, imports, last, module="driving_sandbox.physics.tick.guard")
    return parts


def _collect(
    sequence: "Sequence", entries: "tuple[Phase | Substeps, ...]", parts: "dict[Phase | float | None, Part]"
) -> None:
    """Add the parts of entries of a list, groups included, to `parts`."""
    for listed in entries:
        if isinstance(listed, Substeps):
            speed = listed.below_speed
            if speed is not None and speed not in parts:
                last: tuple[str, ...] = (f"    return 1 if slower_than({{0}}, {float(speed)!r}) else 0",)
                imports = "from driving_sandbox.physics.tick.speed import slower_than"
                parts[speed] = Part(
                    sequence, [Binding("state", "body")], imports, last, "driving_sandbox.physics.tick.speed"
                )
            _collect(sequence, listed.entries, parts)
            continue
        phase = as_phase(listed)
        if phase not in parts:
            ends, module = phase.ends_tick, phase.function.__module__
            last = ("    return 1 if work({all}) else 0",) if ends else ("    work({all})", "    return 1")
            imports = f"from {module} import {phase.function.__name__} as work"
            parts[phase] = Part(sequence, sequence.bindings(phase), imports, last, module)


def parts_ready(sequence: "Sequence") -> bool:
    """Whether the machine code of all parts of a list is in the cache."""
    return JIT and all(part.ready for part in parts_of(sequence).values())


def bind_soonest(
    sequence: "Sequence",
    params: np.ndarray,
    state: np.ndarray,
    scratch: np.ndarray,
    context: np.ndarray,
    ground: "GroundArrays",
) -> tuple[partial, bool]:
    """(step, whether it is merged): from `Sequence.bind` if the merged step is in the cache, else from `bind_parts`.

    Parts that are not in the cache are compiled. Raises KernelError.
    """
    merged = is_merged(sequence)
    return (sequence.bind if merged else partial(bind_parts, sequence))(params, state, scratch, context, ground), merged


def _merged_marker(sequence: "Sequence") -> Path:
    return cached(MARKER_FOLDER, sequence._module.__name__)


def was_compiled(sequence: "Sequence") -> bool:
    """Whether the merged step of a list was compiled before, from the present sources."""
    return _merged_marker(sequence).is_file()


@cache
def untried_misfits(sequence: "Sequence", slots: frozenset[str]) -> tuple[tuple[str, str], ...]:
    """`misfits` of a list; () if it was compiled before, to save the 0.3 s of reading the sources."""
    return () if not slots or was_compiled(sequence) or parts_ready(sequence) else misfits(sequence, slots)


def is_merged(sequence: "Sequence") -> bool:
    """Whether the merged step of a list needs no compiling: it was compiled before, or there is no JIT."""
    return not JIT or was_compiled(sequence)


def merge(sequence: "Sequence") -> None:
    """Compile or load the merged step of a list, so that worlds built afterwards use it. Raises KernelError."""
    if JIT:
        _ = sequence.code
        note_merged(sequence)


def note_merged(sequence: "Sequence") -> None:
    """Mark the merged step of a list as compiled."""
    if JIT and not was_compiled(sequence):
        _touch(_merged_marker(sequence))


def _touch(marker: Path) -> None:
    """Create a marker file; without it, as on a full disk, the code is only loaded again."""
    with suppress(OSError):
        marker.parent.mkdir(parents=True, exist_ok=True)
        marker.touch()


def bind_parts(
    sequence: "Sequence",
    params: np.ndarray,
    state: np.ndarray,
    scratch: np.ndarray,
    context: np.ndarray,
    ground: "GroundArrays",
) -> partial:
    """A step as from `Sequence.bind`, but made of the parts of a list."""
    writer = _Writer(sequence, params, state, scratch, context, ground)
    writer.write(sequence.entries)
    writer.call(None)
    program = np.array(writer.rows, np.int64)
    targets = np.array(writer.targets, np.int64).reshape(-1, 2)
    work_space = (np.zeros(MAX_DEPTH), np.zeros(MAX_DEPTH, np.int64))
    bound: Any = partial(interpret, program, targets, *work_space)
    bound.keeps = (params, state, scratch, context, ground, writer.tables, writer.ground)
    return bound


class _Writer:
    """Writes the rows of a program for one vehicle."""

    def __init__(
        self, sequence: "Sequence", params: np.ndarray, state: np.ndarray, scratch: np.ndarray, context: np.ndarray,
        ground: "GroundArrays",
    ) -> None:  # fmt: skip
        self.sequence, self.parts = sequence, parts_of(sequence)
        records = zip((*OWN_RECORDS, "context"), (params, state, scratch, context), strict=True)
        self.starts = {name: record.ctypes.data for name, record in records}  # addresses
        self.ground = addresses((), ground)
        self.rows: list[tuple[int, ...]] = []  # as for `interpret`, like the targets
        self.targets: list[tuple[int, int]] = []
        self.tables: dict[Phase | float | None, np.ndarray] = {}  # {key of a part: table of its arguments}

    def _table(self, key: "Phase | float | None") -> int:
        """Address of the table of a part's arguments, created on first use."""
        if key not in self.tables:
            part = self.parts[key]
            table = self.tables[key] = np.zeros(max(1, len(part.arguments)), np.int64)
            for k, argument in enumerate(part.arguments):
                if argument.record in _OF_TICK:
                    self.targets.append((table.ctypes.data + 8 * k, _OF_TICK.index(argument.record)))  # 8 bytes each
                else:
                    table[k] = self.ground.ctypes.data if argument == GROUND else self._address(argument)
        return self.tables[key].ctypes.data

    def _address(self, binding: Binding) -> int:
        """Address of the location of a Binding."""
        return self.starts[binding.record] + binding.layout(self.sequence.dtypes)[1]

    def call(self, key: "Phase | float | None", ends: int = 0) -> None:
        """Append a row that calls a part. ends: 1 if it may end the tick."""
        self.rows.append((CALL, self.parts[key].code(), self._table(key), ends, 0, 0))

    def write(self, entries: "tuple[Phase | Substeps, ...]") -> None:
        """Append the rows of the entries of a list."""
        for listed in entries:
            if isinstance(listed, Substeps):
                self._write_group(listed)
            else:
                phase = as_phase(listed)
                self.call(phase, int(phase.ends_tick))

    def _write_group(self, group: Substeps) -> None:
        """Append the rows of a group of substeps."""
        count, count_address = (group.steps, 0) if isinstance(group.steps, int) else (-1, self._address(group.steps))
        if group.below_speed is None:
            self.rows.append((REPEAT, 0, 0, count, 0, count_address))
        else:
            code, table = self.parts[group.below_speed].code(), self._table(group.below_speed)
            self.rows.append((CHOOSE, code, table, count, group.above, count_address))
        first = len(self.rows)
        self.write(group.entries)
        self.rows.append((TURN, 0, 0, first, 0, 0))
