"""A vehicle's step put together from machine code that is there already, without compiling.

The step of a list (`physics/sequence.py`) is one function into which all kernels are merged: fast to run, but it is
optimized as a whole, for six seconds, whenever one entry of the list is another. A *part* is one kernel as machine code
of its own, compiled once for all lists it occurs in. It takes its arguments as a table of addresses:

    code(address of its table, dt) -> 0 when the tick ends here, else 1

A *programme* is a list of components as rows of numbers, and `play` a small compiled loop that follows them. So a new
list over parts that are compiled can be driven as soon as they are loaded; a tick takes somewhat longer than merged
until that is compiled too. Both run the same kernels on the same records in the same order, and nothing lets the
compiler change a result (no fastmath, no contraction): the bytes are equal.

    row          what it does                                                                   columns: a, b, x, y
    CALL         code a with table b; where x is 1 and it returns 0, on to the last row
    REPEAT       the rows up to the next TURN x times, dt divided by as many; x = -1: the number at address y, which is
                 the context's, or that of the state's field that the group's count names
    CHOOSE       the same x times if code a with table b returns 1, else y times; x = -1: the number in the context
    TURN         back to row x until the repetitions are done
"""

from functools import cache, partial

import numpy as np
from numba import carray

from physics.command.commands import COMMAND
from physics.component import Substeps, as_phase, may_end_tick
from physics.context import CONTEXT, EXTERNAL
from physics.generated import load_generated
from physics.jit import JIT, cache_folder, entry, pointer
from physics.machine_code import PART, address_of, call_part
from physics.sequence import GROUND_NAMES, addresses, unpack_addresses

CALL, REPEAT, CHOOSE, TURN = range(4)
DEPTH = 8  # nested substep groups
MARKER_FOLDER = "compiled"
_WHOLE = {"c": ("CONTEXT", CONTEXT), "e": ("EXTERNAL", EXTERNAL), "u": ("COMMAND", COMMAND)}
_HEADER = '''"""One kernel as machine code of its own, written by physics/parts.py."""

import numpy as np
from numba import carray

from physics.jit import entry, pointer, record_at
from physics.road.layout import GroundArrays
'''


@entry
def play(programme, places, steps, left, external, command, dt):
    """Follow the rows of a programme; returns what its last call returns.

    places: [n, 2] addresses where that of `external` (0) or `command` (1) is to stand. steps, left: room for the dt and
    the repetitions left of every group.
    """
    for k in range(len(places)):
        place = carray(pointer(places[k, 0]), 1, np.int64)
        place[0] = external.ctypes.data if places[k, 1] == 0 else command.ctypes.data
    depth, i, last, result = 0, 0, len(programme) - 1, 0
    steps[0] = dt
    while i <= last:
        kind, a, b, x, y = programme[i, 0], programme[i, 1], programme[i, 2], programme[i, 3], programme[i, 4]
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
                count = carray(pointer(programme[i - 1, 5]), 1, np.int64)[0]
            steps[depth + 1] = steps[depth] / count
            depth += 1
            left[depth] = count
    return result


class Part:
    """One kernel with the kinds of records a list hands it.

    Args:
        sequence: the Sequence. arguments: expressions like those of its step ("p.tire", "s.body", "c" ...).
        imports, last: source lines before and after the records are unpacked; `{}` in `last` are their names.
    """

    def __init__(self, sequence, arguments, imports, last, module):
        self.arguments = [a for a in arguments if a != "dt"]
        layouts, lines = {}, []
        for k, expression in enumerate(self.arguments):
            lines += self._unpack(sequence, k, expression, layouts)
        names = [a if a in ("dt", "ground") else f"a{self.arguments.index(a)}" for a in arguments]
        head = [_HEADER + imports, "\n", "@entry", "def part(table, dt):"]
        head.append(f"    place = carray(pointer(table), {max(1, len(self.arguments))}, np.int64)")
        source = "\n".join([*head, *lines, *(line.format(*names, all=", ".join(names)) for line in last), ""])
        self.module = load_generated("part", source, {module}, layouts)

    @staticmethod
    def _unpack(sequence, k, expression, layouts):
        """Source lines that make an argument of the k-th address."""
        if expression == "ground":
            return [f"    at = carray(pointer(place[{k}]), 64, np.int64)", *unpack_addresses(()),
                    f"    ground = GroundArrays({GROUND_NAMES})"]  # fmt: skip
        if expression in _WHOLE:
            name, kind = _WHOLE[expression]
            layouts[name] = kind
            return [f"    a{k} = record_at(place[{k}], {name})"]
        if expression in ("p.wheel_count", "s.tick"):
            return [f"    a{k} = carray(pointer(place[{k}]), 1, np.int64)"]
        layouts[f"KIND_{k}"] = np.dtype([("field", _field(sequence, expression)[0])], align=True)
        return [f"    a{k} = record_at(place[{k}], KIND_{k}).field"]

    @property
    def _marker(self):
        return cache_folder() / MARKER_FOLDER / self.module.__name__

    @property
    def ready(self):
        """True when its machine code lies in the cache."""
        return self._marker.is_file()

    def code(self):
        """Address of its machine code, compiled if need be."""
        address = address_of(self.module.part, PART)
        if not self.ready:
            self._marker.parent.mkdir(parents=True, exist_ok=True)
            self._marker.touch()
        return address


def _field(sequence, expression):
    """(type, offset) of a sub-record named like in a step: p.tire, s.body, w.road."""
    kind, name = expression.split(".")
    return {"p": sequence.params_dtype, "s": sequence.state_dtype, "w": sequence.scratch_dtype}[kind].fields[name][:2]


@cache
def parts_of(sequence):
    """{phase, speed of a group or None: Part} of everything in a list; None is the end of a tick."""
    found = {}
    _collect(sequence, sequence.entries, found)
    arguments = ["s.tick", "s.body", "s.wheel", "p.wheel_count"]
    last = ("    {0}[0] += 1", "    return first_fault({1}, {2}, {3}[0])")
    imports = "from physics.guard import first_fault"
    found[None] = Part(sequence, arguments, imports, last, "physics.guard")
    return found


def _collect(sequence, entries, found):
    for listed in entries:
        if isinstance(listed, Substeps):
            speed = listed.below_speed
            if speed is not None and speed not in found:
                last = (f"    return 1 if slower_than({{0}}, {float(speed)!r}) else 0",)
                imports = "from physics.speed import slower_than"
                found[speed] = Part(sequence, ["s.body"], imports, last, "physics.speed")
            _collect(sequence, listed.entries, found)
            continue
        phase = as_phase(listed)
        if phase not in found:
            kernel = phase.component.phases[phase.phase]
            function = getattr(kernel, "py_func", kernel)
            call = "work({all})".replace("{all}", _call_arguments(sequence._arguments(phase)))
            last = (f"    return 1 if {call} else 0",) if may_end_tick(kernel) else (f"    {call}", "    return 1")
            imports = f"from {function.__module__} import {function.__name__} as work"
            found[phase] = Part(sequence, sequence._arguments(phase), imports, last, function.__module__)


def _call_arguments(arguments):
    """Placeholders for the names of arguments; a number is read from the array of one that it comes as."""
    return ", ".join(f"{{{k}}}[0]" if a == "p.wheel_count" else f"{{{k}}}" for k, a in enumerate(arguments))


def parts_ready(sequence):
    """True when all machine code of a list's parts lies in the cache."""
    return JIT and all(part.ready for part in parts_of(sequence).values())


def bind_soonest(sequence, params, state, scratch, context, ground):
    """(like `Sequence.bind`, whether it is the merged step): of parts where only these are compiled."""
    merged = is_merged(sequence) or not parts_ready(sequence)
    return (sequence.bind if merged else partial(bind_parts, sequence))(params, state, scratch, context, ground), merged


def _merged_marker(sequence):
    return cache_folder() / MARKER_FOLDER / sequence._module.__name__


def is_merged(sequence):
    """True when a helper has compiled the merged step of a list (always without JIT)."""
    return not JIT or _merged_marker(sequence).is_file()


def note_merged(sequence):
    """The merged step of a list is in the cache."""
    marker = _merged_marker(sequence)
    marker.parent.mkdir(parents=True, exist_ok=True)
    marker.touch()


def bind_parts(sequence, params, state, scratch, context, ground):
    """Like `Sequence.bind`, of the parts of a list."""
    writer = _Writer(sequence, params, state, scratch, context, ground)
    writer.write(sequence.entries)
    writer.call(None)
    programme = np.array(writer.rows, np.int64)
    places = np.array(writer.places, np.int64).reshape(-1, 2)
    room = (np.zeros(DEPTH), np.zeros(DEPTH, np.int64))
    bound = partial(play, programme, places, *room)
    bound.keeps = (params, state, scratch, context, ground, writer.tables, writer.ground)
    return bound


class _Writer:
    """Writes the rows of a programme for one vehicle."""

    def __init__(self, sequence, params, state, scratch, context, ground):
        self.sequence, self.parts = sequence, parts_of(sequence)
        self.records = {"p": params, "s": state, "w": scratch}
        self.context = context.ctypes.data
        self.ground = addresses((), ground)
        self.rows, self.places, self.tables = [], [], {}

    def _table(self, key):
        """Address of the table of a part's arguments."""
        if key not in self.tables:
            part = self.parts[key]
            table = self.tables[key] = np.zeros(max(1, len(part.arguments)), np.int64)
            for k, expression in enumerate(part.arguments):
                if expression in ("e", "u"):
                    self.places.append((table.ctypes.data + 8 * k, "eu".index(expression)))
                elif expression == "c":
                    table[k] = self.context
                elif expression == "ground":
                    table[k] = self.ground.ctypes.data
                else:
                    record = self.records[expression[0]]
                    table[k] = record.ctypes.data + _field(self.sequence, expression)[1]
        return self.tables[key].ctypes.data

    def call(self, key, ends=0):
        self.rows.append((CALL, self.parts[key].code(), self._table(key), ends, 0, 0))

    def write(self, entries):
        """Rows of the entries of a list."""
        for listed in entries:
            if isinstance(listed, Substeps):
                self._write_group(listed)
            else:
                phase = as_phase(listed)
                self.call(phase, int(may_end_tick(phase.component.phases[phase.phase])))

    def _write_group(self, group):
        count, shared = group.count, self.context + CONTEXT.fields["substep_count"][1]
        if isinstance(count, str):
            _, slot, name = count.split(".")
            dtype, start = _field(self.sequence, f"s.{slot}")
            shared = self.records["s"].ctypes.data + start + dtype.fields[name][1]
        count = count if isinstance(count, int) else -1
        if group.below_speed is None:
            self.rows.append((REPEAT, 0, 0, count, 0, shared))
        else:
            code, table = self.parts[group.below_speed].code(), self._table(group.below_speed)
            self.rows.append((CHOOSE, code, table, count, group.above, shared))
        first = len(self.rows)
        self.write(group.entries)
        self.rows.append((TURN, 0, 0, first, 0, 0))
