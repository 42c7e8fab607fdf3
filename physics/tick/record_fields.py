"""What a kernel asks of the records it is handed and what it returns, found in its source before it is compiled.

A component may be put beside others than it was written beside. Where it asks a record for a field that the other
component does not declare, the compiler would stop with the bare name of the field. `unknown_field` follows the records
through a kernel, its local names and the kernels it calls, as far as it is plain what a name stands for; of what is
not plain it says nothing.
"""

import ast
import inspect
import textwrap
from functools import cache

import numpy as np

from driving_sandbox.physics.tick.binding import argument_names
from driving_sandbox.physics.tick.component import phases_of


@cache
def misfits(sequence, slots):
    """((slot.component, what is wrong), ...) of the components in some slots of a list and of what reads those."""
    found = []
    for listed in phases_of(sequence.entries):
        component = listed.component
        places = dict(zip(argument_names(listed.kernel), sequence.bindings(listed), strict=True))
        records = {name: place.layout(sequence.dtypes)[0] for name, place in places.items()
                   if place.slot is not None and not slots.isdisjoint((place.slot, component.slot))}  # fmt: skip
        missing = unknown_field(listed.kernel, records)
        if missing is not None:
            place = places[missing[0]]
            what = f"{place.slot}.{missing[1]}" + (" in the state" if place.record == "state" else "")
            filler = f"{place.slot}: {sequence.by_slot[place.slot].name}"
            text = f"needs {what}, which {filler} does not have; choose another of the two"
            found.append((f"{component.slot}.{component.name}", text))
    return tuple(dict.fromkeys(found))


def unknown_field(function, records):
    """(argument, field) of the first field that a kernel asks a record for in vain, or None.

    Args:
        records: {name of an argument: numpy dtype of the record, or of the array of records}.
    """
    for argument, record in records.items():
        field = _Reader(set()).field_missing(function, {argument: record})
        if field is not None:
            return argument, field
    return None


@cache
def _definition(function):
    """(ast of a Python function, what its free names stand for); None without a source."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    except (OSError, TypeError, SyntaxError):
        return None
    if not isinstance(tree, ast.FunctionDef):
        return None
    closed = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    return tree, {**function.__globals__, **{name: cell.cell_contents for name, cell in closed.items()}}


def returns_value(function):
    """Whether a kernel returns something else than None on some way out; None when its source cannot be read."""
    found = _definition(getattr(function, "py_func", function))
    return None if found is None else any(_values_returned(found[0].body))


def _values_returned(statements):
    """For every return statement, inner functions left out: whether it returns a value."""
    for node in statements:
        if isinstance(node, ast.Return):
            yield node.value is not None and not (isinstance(node.value, ast.Constant) and node.value.value is None)
        elif not isinstance(node, ast.FunctionDef | ast.Lambda):
            yield from _values_returned(ast.iter_child_nodes(node))


def _one(record):
    """The record of an array of records."""
    return record.subdtype[0] if record.subdtype is not None else record


class _Reader(ast.NodeVisitor):
    """Walks one function, statement by statement, with the records its names stand for."""

    def __init__(self, seen):
        self.seen, self.missing = seen, None

    def field_missing(self, function, records):
        """The first field asked for in vain below a function, or None."""
        function = getattr(function, "py_func", function)
        key = (function, *((name, str(record)) for name, record in sorted(records.items())))
        found = _definition(function) if inspect.isfunction(function) and key not in self.seen else None
        if found is None:
            return None
        self.seen.add(key)
        tree, self.known = found
        self.records, self.doubtful = dict(records), set()
        for statement in tree.body:
            self.visit(statement)
        return self.missing

    def visit_Assign(self, node):
        self.visit(node.value)
        for target in node.targets:
            self.visit(target)
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                for name, value in zip(target.elts, node.value.elts, strict=True):
                    self._name(name, self._record(value))
            else:
                self._name(target, self._record(node.value))

    def visit_For(self, node):
        self._name(node.target, None)
        self.generic_visit(node)

    def visit_Attribute(self, node):
        self._record(node)
        self.generic_visit(node)

    def visit_Call(self, node):
        self.generic_visit(node)
        called = self.known.get(node.func.id) if isinstance(node.func, ast.Name) else None
        if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
            called = getattr(self.known.get(node.func.value.id), node.func.attr, None)
        called = getattr(called, "py_func", called)
        if not inspect.isfunction(called) or any(isinstance(a, ast.Starred) for a in node.args):
            return
        names = list(inspect.signature(called).parameters)
        given = [*zip(names, node.args, strict=False), *((k.arg, k.value) for k in node.keywords)]
        records = {name: self._record(value) for name, value in given}
        records = {name: record for name, record in records.items() if record is not None}
        if records and self.missing is None:
            self.missing = _Reader(self.seen).field_missing(called, records)

    def _name(self, target, record):
        """A local name stands for a record from here on, or for something else."""
        for inner in ast.walk(target):
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                before = self.records.get(inner.id)
                if record is None or inner.id in self.doubtful or (before is not None and before != record):
                    self.doubtful.add(inner.id)
                    self.records.pop(inner.id, None)
                else:
                    self.records[inner.id] = record

    def _record(self, node):
        """dtype of an expression that is plainly a record or an array of them, else None."""
        if isinstance(node, ast.Name):
            return self.records.get(node.id)
        if isinstance(node, ast.Subscript):
            whole = self._record(node.value)
            return None if whole is None else _one(whole)
        if isinstance(node, ast.Attribute):
            whole = self._record(node.value)
            names = None if whole is None else _one(whole).names
            if names is None:
                return None
            if node.attr not in names:
                self.missing = self.missing or node.attr
                return None
            inner = np.dtype(_one(whole).fields[node.attr][0])
            return inner if _one(inner).names is not None else None
        return None
