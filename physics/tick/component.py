"""A component: one part of a vehicle, as parameters, state and small kernels.

A component fills a *slot* ("suspension", "tire", "engine" ...). Several components may exist for one slot; a vehicle
uses one of them, and naming another in its YAML swaps it. The names of a kernel's arguments select its data, see
physics/tick/binding.py.

A phase declared in `ends_tick` may end the tick: its kernel returns True or False on every path, and after False
nothing below it in the list runs, whatever group it is in. All other kernels return nothing.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from driving_sandbox.physics.base.user_error import WrongValue
from driving_sandbox.physics.kernel.jit import merge
from driving_sandbox.physics.schema.schema import Int, Schema
from driving_sandbox.physics.tick.binding import SUBSTEP_COUNT, Binding

MAX_COUNT = 1000  # runs of a phase per tick; more counts as a typing error, and would stall the program


class ComponentError(WrongValue):
    """Inconsistent declaration of a component."""


@dataclass(frozen=True)
class Component:
    """One part of a vehicle.

    Attributes:
        slot: role in the vehicle.
        name: variant.
        params: declarations of its parameters, or None.
        state: declarations of its state, or None; the defaults of the fields are their values at the start.
        phases: kernels by name; most components have only "update". A component named in a vehicle's list stands for
          its "update"; `phase()` names another.
        optional: phases that a list may leave out.
        writes: slots whose state it changes besides its own.
        ends_tick: phases that may end the tick.
        step_counts: integers of its state that may be the count of a group of substeps, see `steps`.
        derive: Python function that computes derived parameters from authored ones; its arguments are selected by name:
          parameters as for a kernel, `wheel_count`, `wheel_names`, `geometry`, `context`.
        check: Python function returning [(field name, what is wrong), ...] for invalid combinations of values and of
          components; arguments as for `derive`, and `names`: {slot: name} of the whole list.
        estimate: Python function returning a list of Estimate for parameters missing in a vehicle file; arguments as
          for `derive`, and `given`: names of the parameters in the file, (wheel index, name) for a component per wheel.
        scratch: numpy dtype of working memory that is not part of the state, or None.
        doc: one sentence for the documentation.
    """

    slot: str
    name: str
    params: type[Schema] | None = None
    state: type[Schema] | None = None
    phases: dict[str, Callable[..., Any]] = field(default_factory=dict)
    optional: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    ends_tick: tuple[str, ...] = ()
    step_counts: tuple[str, ...] = ()
    derive: Callable[..., Any] | None = None
    check: Callable[..., Any] | None = None
    estimate: Callable[..., Any] | None = None
    scratch: np.dtype[Any] | None = None
    doc: str = ""

    def __post_init__(self) -> None:
        """Check the declaration, and mark the kernels for inlining into the step.

        Passing a record array copies seven machine words, and a substep has fifty such arguments; inlining makes a tick
        an eighth shorter.
        """
        for key in ("optional", "ends_tick"):
            for name in getattr(self, key):
                if name not in self.phases:
                    known = ", ".join(self.phases)
                    raise ComponentError(f"{self.slot} {self.name}: {key}: no phase {name!r}; it has: {known}")
        for name in self.step_counts:
            if self.state is None or self.state.per_wheel or not self._is_integer(name):
                text = "is not an integer of its state, or the state is per wheel"
                raise ComponentError(f"{self.slot} {self.name}: step_counts: {name!r} {text}")
        for function in self.phases.values():
            if hasattr(function, "merged"):  # compiled, not a plain function
                merge(function)

    def phase(self, name: str) -> "Phase":
        """The entry of a vehicle's list that runs one phase of this component."""
        return Phase(self, name)

    def _is_integer(self, name: str) -> bool:
        """Whether a field of the state is an integer."""
        return self.state is not None and isinstance(getattr(self.state.fields.get(name), "kind", None), Int)

    def steps(self, name: str) -> Binding:
        """The Binding of a count of substeps that the component declares in `step_counts`, for `Substeps`."""
        if name not in self.step_counts:
            raise ComponentError(f"{self.slot} {self.name} does not declare {name!r} in step_counts")
        return Binding("state", self.slot, name)

    def __hash__(self) -> int:  # that of a dataclass would fail at the dict `phases`
        return hash((self.slot, self.name))


@dataclass(frozen=True)
class Phase:
    """One entry of a vehicle's list: a component, and the name of its kernel that runs there."""

    component: Component
    phase: str = "update"

    @property
    def kernel(self) -> Any:
        """The function that the phase runs."""
        return self.component.phases[self.phase]

    @property
    def function(self) -> Any:
        """The kernel as the plain Python function it was compiled from."""
        return getattr(self.kernel, "py_func", self.kernel)

    @property
    def ends_tick(self) -> bool:
        """Whether its kernel may end the tick."""
        return self.phase in self.component.ends_tick


@dataclass(frozen=True)
class Substeps:
    """A group of entries that run `count` times a tick with the time step dt / count. Groups may nest.

    The count is a number, or the Binding of one that a component declares (`Component.steps`), or None for the world's.

    With `below_speed` (m/s) this holds only while the body is slower; otherwise the entries run `above` times. Tires
    are stiffest at low speed: small steps only there do not slow down ticks at high speed.
    """

    entries: tuple[Any, ...]  # of Phase, and of what may stand for one
    count: int | Binding | None = None
    below_speed: float | None = None
    above: int = 1

    def __init__(self, *entries: Any, count: Any = None, below_speed: float | None = None, above: int = 1) -> None:
        object.__setattr__(self, "entries", tuple(entries))
        object.__setattr__(self, "count", count)
        object.__setattr__(self, "below_speed", below_speed)
        object.__setattr__(self, "above", above)

    @property
    def steps(self) -> Any:
        """The count as a number, or the Binding that it is read from."""
        return SUBSTEP_COUNT if self.count is None else self.count

    def around(self, entries: Any) -> "Substeps":
        """A group with these entries and the counts of this one."""
        return Substeps(*entries, count=self.count, below_speed=self.below_speed, above=self.above)


def as_phase(entry: Any) -> Any:
    """An entry of a list as a Phase (a bare component means its "update")."""
    return Phase(entry) if isinstance(entry, Component) else entry


def phases_of(entries: Any) -> "Iterator[Phase]":
    """All phases of a list in order, substep groups flattened."""
    for entry in entries:
        if isinstance(entry, Substeps):
            yield from phases_of(entry.entries)
        else:
            yield as_phase(entry)


def groups_of(entries: Any) -> "Iterator[Substeps]":
    """Every group of substeps of a list, nested ones included."""
    for entry in entries:
        if isinstance(entry, Substeps):
            yield entry
            yield from groups_of(entry.entries)


def components_of(entries: Any) -> tuple[Component, ...]:
    """The components of a list, each once, in the order of first use."""
    return tuple(dict.fromkeys(phase.component for phase in phases_of(entries)))


def added(entries: Any, phase: Phase, after: str) -> Any:
    """The list with a phase of a new slot inserted after the last entry of slot `after`; None without such an entry."""
    for index in range(len(entries) - 1, -1, -1):
        entry = entries[index]
        if isinstance(entry, Substeps):
            inner = added(entry.entries, phase, after)
            if inner is not None:
                return (*entries[:index], entry.around(inner), *entries[index + 1 :])
        elif as_phase(entry).component.slot == after:
            return (*entries[: index + 1], phase, *entries[index + 1 :])
    return None


def swapped(entries: Any, component: Component) -> Any:
    """The list with every entry of `component.slot` replaced by the same phase of `component`."""
    result: list[Any] = []
    for entry in entries:
        if isinstance(entry, Substeps):
            result.append(entry.around(swapped(entry.entries, component)))
            continue
        phase = as_phase(entry)
        result.append(Phase(component, phase.phase) if phase.component.slot == component.slot else entry)
    return tuple(result)


def left_out(entries: Any, component: Component) -> list[str]:
    """Names of the phases of a component that a list does not run."""
    run = {listed.phase for listed in phases_of(entries) if listed.component == component}
    return [phase for phase in component.phases if phase not in run]
