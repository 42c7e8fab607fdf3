"""Static checks of kernels before compilation: unknown names and return values.

A component may be combined with other components than those it was written for. If it reads a field that another
component does not declare, or a name that its file does not define, the compiler's error only says the name.
`unknown_name` follows the records through a kernel, its local names and the kernels it calls, as far as their source
allows.
"""

import ast
import builtins
import inspect
import textwrap
from ast import Assign, Attribute, Call, For, FunctionDef
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np

from driving_sandbox.physics.base.record import field_of
from driving_sandbox.physics.schema.yaml_file import key_hint
from driving_sandbox.physics.tick.binding import argument_names
from driving_sandbox.physics.tick.component import phases_of

_BUILTINS = frozenset(dir(builtins))


@dataclass(frozen=True)
class UnknownReference:
    """An undefined name in a kernel.

    Attributes:
        name: as written.
        known: names that would be valid there.
        argument: argument of the kernel whose record lacks the field; None for a plain name or an attribute of a
          module.
        kernel, file, line: location of the name.
    """

    name: str
    known: tuple
    argument: str | None
    kernel: str
    file: str
    line: int

    @property
    def hint(self) -> str:
        """Text with the nearest known name and the location of the undefined one."""
        return f"{key_hint(self.name, self.known)}: kernel {self.kernel}, {self.file}:{self.line}"


@cache
def misfits(sequence: Any, slots: frozenset[str]) -> tuple[tuple[str, str], ...]:
    """((slot.component, what is wrong), ...) for the components of a sequence in `slots`, and those that read them."""
    problems = []
    for phase in phases_of(sequence.entries):
        component = phase.component
        bound = dict(zip(argument_names(phase.kernel), sequence.bindings(phase), strict=True))
        records = {name: binding.layout(sequence.dtypes)[0] for name, binding in bound.items()
                   if binding.slot is not None and not slots.isdisjoint((binding.slot, component.slot))}  # fmt: skip
        unknown = unknown_name(phase.kernel, records) if records or component.slot in slots else None
        if unknown is None:
            continue
        text = f"unknown name {unknown.name!r}{unknown.hint}"
        if unknown.argument is not None:
            binding = bound[unknown.argument]
            field = f"{binding.slot}.{unknown.name}" + (" in the state" if binding.record == "state" else "")
            filler = f"{binding.slot}: {sequence.by_slot[binding.slot].name}"
            text = f"needs {field}, which {filler} does not have{unknown.hint}"
            if binding.slot != component.slot:
                text += f"; choose another component for slot {binding.slot} or {component.slot}"
        problems.append((f"{component.slot}.{component.name}", text))
    return tuple(dict.fromkeys(problems))


def unknown_name(function: Callable[..., Any], records: dict[str, Any]) -> UnknownReference | None:
    """An UnknownReference in a kernel and those it calls, the first one of the first argument with any, or None.

    Args:
        function: the kernel.
        records: {name of an argument: numpy dtype of its record, or of its array of records}.
    """
    for argument, record in records.items():
        unknown_reference = _Reader(set(), argument).unknown(function, {argument: record})
        if unknown_reference is not None:
            return unknown_reference
    return None if records else _Reader(set(), None).unknown(function, {})


@cache
def _definition(function: Callable[..., Any]) -> tuple[FunctionDef, dict[str, Any]] | None:
    """(ast of a Python function, {name: value} of its free names); None without a source."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    except (OSError, TypeError, SyntaxError):
        return None
    if not isinstance(tree, ast.FunctionDef):
        return None
    closed = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    return tree, {**function.__globals__, **{name: cell.cell_contents for name, cell in closed.items()}}


def returns_value(function: Callable[..., Any]) -> bool | None:
    """Whether a kernel returns a value on some path; None if its source cannot be read."""
    definition = _definition(getattr(function, "py_func", function))
    return None if definition is None else any(_values_returned(definition[0].body))


def _values_returned(statements: Iterable[ast.AST]) -> Iterator[bool]:
    """For every return statement outside of inner functions: whether it returns a value."""
    for node in statements:
        if isinstance(node, ast.Return):
            yield node.value is not None and not (isinstance(node.value, ast.Constant) and node.value.value is None)
        elif not isinstance(node, ast.FunctionDef | ast.Lambda):
            yield from _values_returned(ast.iter_child_nodes(node))


def _element(record: np.dtype) -> np.dtype:
    """The record type itself, or that of the elements of an array of records."""
    return record.subdtype[0] if record.subdtype is not None else record


class _Reader(ast.NodeVisitor):
    """Visitor of a function that tracks which records its names refer to.

    Args:
        seen: functions already visited, with their records.
        argument: name of the argument whose record is followed, for UnknownReference.
    """

    def __init__(self, seen: set[Any], argument: str | None) -> None:
        self.seen, self.argument = seen, argument
        self.missing: UnknownReference | None = None

    def unknown(self, function: Callable[..., Any], records: dict[str, np.dtype]) -> UnknownReference | None:
        """The first UnknownReference in a function and those it calls, or None."""
        self.function = function = getattr(function, "py_func", function)
        key = (function, *((name, str(record)) for name, record in sorted(records.items())))
        definition = _definition(function) if inspect.isfunction(function) and key not in self.seen else None
        if definition is None:
            return None
        self.seen.add(key)
        tree, self.known = definition  # known: {name: value} of the free names
        inner = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
        self.local = {node.id for node in inner} | set(argument_names(function))
        self.local |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
        self.local |= {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        self.defined = self.local | set(self.known)
        self.records = dict(records)  # {name: record type}
        self.doubtful: set[str] = set()  # names that are not followed
        for statement in tree.body:
            self.visit(statement)
        return self.missing

    def _miss(self, node: ast.expr, name: str, known: Iterable[str], argument: str | None) -> None:
        """Note an UnknownReference, unless there is one already."""
        code = self.function.__code__
        line = code.co_firstlineno + node.lineno - 1
        self.missing = self.missing or UnknownReference(
            name, tuple(known), argument, self.function.__name__, code.co_filename, line
        )

    def visit_Name(self, node: ast.Name) -> None:
        """Note a name that is not defined anywhere."""
        if isinstance(node.ctx, ast.Load) and node.id not in self.defined and node.id not in _BUILTINS:
            self._miss(node, node.id, sorted(self.defined), None)

    def visit_Assign(self, node: Assign) -> None:
        """Visit an assignment, and note which records the assigned names refer to."""
        self.visit(node.value)
        for target in node.targets:
            self.visit(target)
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                for name, value in zip(target.elts, node.value.elts, strict=True):
                    self._name(name, self._record(value))
            else:
                self._name(target, self._record(node.value))

    def visit_For(self, node: For) -> None:
        """Visit a loop; what its variable refers to is not followed."""
        self._name(node.target, None)
        self.generic_visit(node)

    def visit_Attribute(self, node: Attribute) -> None:
        """Visit an access to a field of a record or to a name in a module."""
        self._record(node)  # notes a field that the record lacks
        name = node.value.id if isinstance(node.value, ast.Name) else None
        module = None if name is None or name in self.local else self.known.get(name)
        if isinstance(module, ModuleType) and not hasattr(module, node.attr):
            self._miss(node, node.attr, [name for name in dir(module) if not name.startswith("_")], None)
        self.generic_visit(node)

    def visit_Call(self, node: Call) -> None:
        """Visit a call, and the called function with the records it is given."""
        self.generic_visit(node)
        called = self.known.get(node.func.id) if isinstance(node.func, ast.Name) else None
        if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
            called = getattr(self.known.get(node.func.value.id), node.func.attr, None)
        called = getattr(called, "py_func", called)
        if not inspect.isfunction(called) or any(isinstance(a, ast.Starred) for a in node.args):
            return
        names = list(inspect.signature(called).parameters)
        argument_nodes = [*zip(names, node.args, strict=False), *((k.arg, k.value) for k in node.keywords)]
        arguments = [(name, self._record(value)) for name, value in argument_nodes]  # name: None for **mapping
        records = {name: record for name, record in arguments if name is not None and record is not None}
        # without records only helpers of the same module: a missing name elsewhere is not the component's mistake
        if self.missing is None and (records or called.__module__ == self.function.__module__):
            self.missing = _Reader(self.seen, self.argument).unknown(called, records)

    def _name(self, target: ast.expr, record: np.dtype | None) -> None:
        """Note that a local name refers to a record; a name that ever refers to anything else is not followed."""
        for inner in ast.walk(target):
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                bound_record = self.records.get(inner.id)
                if record is None or inner.id in self.doubtful or (bound_record is not None and bound_record != record):
                    self.doubtful.add(inner.id)
                    self.records.pop(inner.id, None)
                else:
                    self.records[inner.id] = record

    def _record(self, node: Any) -> np.dtype | None:
        """dtype of an expression known to be a record or an array of records, else None. Notes a missing field."""
        if isinstance(node, ast.Name):
            return self.records.get(node.id)
        if isinstance(node, ast.Subscript):
            whole = self._record(node.value)
            return None if whole is None else _element(whole)
        if isinstance(node, ast.Attribute):
            whole = self._record(node.value)
            if whole is None or (names := _element(whole).names) is None:
                return None
            if node.attr not in names:
                self._miss(node, node.attr, names, self.argument)
                return None
            inner = field_of(_element(whole), node.attr)[0]
            return inner if _element(inner).names is not None else None
        return None
