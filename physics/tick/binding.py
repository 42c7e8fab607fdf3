"""Meaning of a kernel's argument names.

    params, state          the component's own records (per-wheel ones are arrays of WHEEL_CAPACITY)
    <slot>                 the state of another slot, read-only unless the component lists it in `writes`
    <slot>_params          the parameters of another slot, read-only
    scratch                the component's own working memory, written before it is read in every tick
    command, external      driver command and external actions of this tick
    context                shared by all vehicles: gravity, thresholds, substeps
    ground                 the arrays of the world's ground
    wheel_count, dt        number of wheels; time step, s, of the group that the kernel runs in

A Binding gives an argument's expression in generated source (step of a list, chain) and its location in memory (parts).
"""

import inspect
from dataclasses import dataclass
from typing import Any

import numpy as np

from driving_sandbox.physics.base.record import field_of
from driving_sandbox.physics.base.user_error import WrongValue
from driving_sandbox.physics.schema.yaml_file import key_hint

# The records of a tick in the order of a step's arguments, and their names in its source.
RECORDS = {"params": "p", "state": "s", "scratch": "w", "context": "c", "external": "e", "command": "u"}
OWN_RECORDS = ("params", "state", "scratch")  # records with a part for every slot


@dataclass(frozen=True)
class Binding:
    """A location in the data of a tick.

    Attributes:
        record: one of RECORDS, or "ground" or "dt".
        slot: slot whose part of the record is meant, or None.
        field: field of that part or, without a slot, of the record; None for all of it.
    """

    record: str
    slot: str | None = None
    field: str | None = None

    @property
    def path(self) -> tuple[str, ...]:
        """Field names that lead from the record to the location."""
        return tuple(name for name in (self.slot, self.field) if name is not None)

    @property
    def expression(self) -> str:
        """The location in the source of a step, as in p.tire, s.body, c.substep_count, ground or dt."""
        return ".".join((RECORDS.get(self.record, self.record), *self.path))

    def layout(self, dtypes: dict[str, np.dtype]) -> tuple[np.dtype, int]:
        """(numpy type, offset in bytes from the start of the record). dtypes: {record: numpy type}."""
        dtype, start = dtypes[self.record], 0
        for name in self.path:
            dtype, offset = field_of(dtype, name)
            start += offset
        return dtype, start

    def provided(self, by_slot: dict[str, Any]) -> bool:
        """Whether vehicles with the components {slot: component} have this location."""
        return self.slot is None or getattr(by_slot.get(self.slot), self.record, None) is not None


GROUND, DT = Binding("ground"), Binding("dt")
WHEEL_COUNT = Binding("params", field="wheel_count")
TICK = Binding("state", field="tick")  # ticks done
SUBSTEP_COUNT = Binding("context", field="substep_count")
_SHARED = {
    "command": Binding("command"), "external": Binding("external"), "context": Binding("context"), "ground": GROUND,
    "wheel_count": WHEEL_COUNT, "dt": DT,
}  # fmt: skip


def argument_names(function: Any) -> tuple[str, ...]:
    """Names of a kernel's arguments, whether compiled or plain."""
    return tuple(inspect.signature(getattr(function, "py_func", function)).parameters)


def binding(name: str, component: Any) -> "Binding":
    """The Binding of an argument of this name in a kernel of a component."""
    if name in _SHARED:
        return _SHARED[name]
    if name in OWN_RECORDS:
        return Binding(name, component.slot)
    slot = name.removesuffix("_params")
    return Binding("state" if slot == name else "params", slot)


class SequenceError(WrongValue):
    """Components of a list do not fit together; `str()` says how. `phase`: the Phase at fault, or None."""

    def __init__(self, text: str, phase: Any = None) -> None:
        super().__init__(text)
        self.phase = phase


def bindings(phase: Any, by_slot: dict[str, Any]) -> "tuple[Binding, ...]":
    """The Binding of every argument of a phase's kernel, in order.

    by_slot: {slot: component} of the whole list. Raises SequenceError for an argument that nothing in it provides.
    """
    component, found = phase.component, []
    for name in argument_names(phase.kernel):
        found.append(binding(name, component))
        if not found[-1].provided(by_slot):
            code = phase.function.__code__
            known = [*_SHARED, *OWN_RECORDS, *by_slot, *(f"{slot}_params" for slot in by_slot)]
            raise SequenceError(
                f"{component.slot} {component.name}.{phase.phase}: nothing in this vehicle provides {name!r}"
                f"{key_hint(name, known)}: kernel {code.co_name}, {code.co_filename}:{code.co_firstlineno}; "
                f"slots: {', '.join(by_slot)}",
                phase,
            )
    return tuple(found)
