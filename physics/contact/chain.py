"""One step for hitched vehicles: a towing vehicle and its trailers, their substeps interleaved.

Vehicles k and k + 1 of a chain are hitched (`hitch.py`). A substep

1. runs every vehicle's component list up to its contact solver;
2. applies the last impulses of the hitches (warm start), without which tires at rest would first take the load of the
   hitch and slide: a train of 49 tonnes across a slope of 15 degrees crept at 0.05 mm/s;
3. solves each vehicle's rows, then iterates over hitches and rows;
4. integrates all poses;
5. relaxes the rows, then the hitches: in the reverse order, sticky tires and hitch oscillated at substeps of 12 ms.

The step of a chain is a generated file that calls the components' kernels in order, like the step of a single vehicle;
the component lists themselves do not mention hitches. A list is suitable if it has exactly one group of substeps, whose
number is the world's (neither `count` nor `below_speed`), and that group contains `body.pose`, after the contact solver
if there is one. The list is cut into PARTS, each a function compiled once for all vehicles with that list.

All vehicles follow the command of the front one. If only that one has an engine, its intent to accelerate must be
passed on to the others, or their sticky tires hold the train (PX-JOINT-03). `ORDERS` are the three methods of the
PhysX manual. "Release" ends the sticky state of the trailers' tires if the towing vehicle is about to accelerate:

    serial      towing vehicle, release, trailers: release in the tick of the first drive torque (PX-JOINT-05)
    latency     release by the intent of the last tick, towing vehicle, trailers (PX-JOINT-04)
    parallel    as latency, but the vehicles may step in any order, here from last to first (PX-JOINT-06)
"""

from collections.abc import Callable
from functools import cache, cached_property, partial
from itertools import pairwise
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from driving_sandbox.physics.contact.hitch import HITCH_PASSES
from driving_sandbox.physics.kernel.generated import load_generated, with_attributes
from driving_sandbox.physics.kernel.jit import JIT
from driving_sandbox.physics.tick.binding import OWN_RECORDS, RECORDS, SequenceError
from driving_sandbox.physics.tick.component import Substeps, as_phase, phases_of
from driving_sandbox.physics.tick.context import CONTEXT
from driving_sandbox.physics.tick.machine_code import TICK_TYPES, address_of
from driving_sandbox.physics.tick.sequence import GROUND_NAMES, addresses, unpack_addresses

if TYPE_CHECKING:
    from driving_sandbox.physics.ground.arrays import GroundArrays
    from driving_sandbox.physics.tick.component import Phase
    from driving_sandbox.physics.tick.sequence import Sequence

SERIAL, LATENCY, PARALLEL = ORDERS = ("serial", "latency", "parallel")
FAULT_STRIDE = 1000  # a chain's fault code: index of the vehicle * FAULT_STRIDE + that vehicle's code
PARTS = (
    "before",  # entries before the substeps
    "approach",  # in a substep: up to the contact solver
    "solve",  # from the contact solver to the pose
    "move",  # the pose
    "settle",  # the remainder of the substep
    "after",  # entries after the substeps
)
_SOLVE, _POSE = ("contact", "solve"), ("body", "pose")  # phases at which a list is cut
_PARTS_HEADER = '''"""Parts of a vehicle's component list for the step of a chain, from physics/contact/chain.py."""

from driving_sandbox.physics.kernel.jit import kernel
'''
_HEADER = '''"""The step of hitched vehicles, written by physics/contact/chain.py: a tick from top to bottom."""

import numpy as np
from numba import carray

from driving_sandbox.physics.contact.hitch import release_sticky
from driving_sandbox.physics.contact.hitch import solve as hitch_solve
from driving_sandbox.physics.contact.hitch import warm_start as hitch_warm_start
from driving_sandbox.physics.contact.solver import solve_again
from driving_sandbox.physics.tick.guard import first_fault
from driving_sandbox.physics.kernel.jit import entry, kernel, pointer
from driving_sandbox.physics.ground.arrays import GroundArrays
'''


def _name(phase: "Phase") -> tuple[str, str]:
    """(slot, name) of a phase."""
    return phase.component.slot, phase.phase


def split(sequence: "Sequence") -> "tuple[tuple[Phase | Substeps, ...], ...]":
    """Entries of a component list for each of PARTS. Raises SequenceError for a list that is not suitable."""
    ending_phases = [p for p in phases_of(sequence.entries) if p.ends_tick]
    if ending_phases:
        raise SequenceError(
            f"{ending_phases[0].component.slot} {ending_phases[0].component.name} may end the tick, so the vehicle "
            "cannot be hitched"
        )
    groups = [(k, entry) for k, entry in enumerate(sequence.entries) if isinstance(entry, Substeps)]
    if len(groups) == 1 and groups[0][1].count is None and groups[0][1].below_speed is None:
        group, inner = groups[0][0], groups[0][1].entries
        names = [None if isinstance(entry, Substeps) else _name(as_phase(entry)) for entry in inner]
        if _POSE in names:
            pose = names.index(_POSE)
            solver = names.index(_SOLVE) if _SOLVE in names[:pose] else pose
            if [_name(phase) for phase in phases_of(sequence.entries)].count(_SOLVE) > names[:pose].count(_SOLVE):
                raise SequenceError("a hitched vehicle needs contact.solve before body.pose, in the same group")
            cuts = (0, solver, pose, pose + 1, len(inner))
            parts = [inner[a:b] for a, b in pairwise(cuts)]
            return sequence.entries[:group], *parts, sequence.entries[group + 1 :]
    raise SequenceError(
        "a hitched vehicle needs exactly one group of substeps, with body.pose in it, without count and below_speed"
    )


@cache
def parts_module(sequence: "Sequence") -> ModuleType:
    """The generated module with a function for each of the PARTS of a list."""
    lines = [_PARTS_HEADER + "\n".join(sequence.imports())]
    for name, entries in zip(PARTS, split(sequence), strict=True):
        records = ", ".join(RECORDS.values())
        lines += ["\n", "@kernel", f"def {name}({records}, ground, dt):", *(sequence.calls(entries) or ["    pass"])]
    return sequence.load("chain_parts", "\n".join([*lines, ""]))


class Chain:
    """Vehicles hitched one behind the other, the towing vehicle first.

    Args:
        vehicles: two or more of physics.vehicle.vehicle.Vehicle; their parameters `contact.hitch_rear` and
            `contact.hitch_front` are the hitch points.
        order: one of ORDERS.
    """

    def __init__(self, vehicles: tuple[Any, ...], order: str = SERIAL) -> None:
        self.vehicles = tuple(vehicles)
        if len(self.vehicles) < 2:
            raise ValueError(f"a chain has at least 2 vehicles, not {len(self.vehicles)}")
        if order not in ORDERS:
            raise ValueError(f"the order of a chain is one of {', '.join(ORDERS)}, not {order!r}")
        self.order = order
        self.sequences = tuple(v.sequence for v in self.vehicles)
        for sequence in self.sequences:
            split(sequence)

    @cached_property
    def source(self) -> str:
        """Text of the generated module: `step` takes arrays of records, `bound` their addresses."""
        numbers = range(len(self.vehicles))
        records = [f"{name}_{k}" for k in numbers for name in OWN_RECORDS]
        lines = self._tick()
        head = [_HEADER + "\n".join(self._imports()), "\n", "@kernel"]
        head.append(f"def step({', '.join(records)}, context, external, command, dt, {GROUND_NAMES}):")
        bound = ["\n", "@entry", "def bound(at, external, command, dt):", *unpack_addresses((*records, "context"))]
        return "\n".join([*head, *lines, *bound, *lines, ""])

    def _tick(self) -> list[str]:
        """Lines of a tick.

        In them p, s, w and e with a vehicle's number are its parameters, state, scratch and external actions; c is the
        context, u the command.
        """
        count = len(self.vehicles)
        lines = [f"    ground = GroundArrays({GROUND_NAMES})", "    c = context[0]", "    u = command[0]"]
        for k in range(count):
            lines.append(f"    p{k}, s{k}, w{k}, e{k} = params_{k}[0], state_{k}[0], scratch_{k}[0], external[{k}]")
        release = [f"    release_sticky(s0.intent, s{k}.contact, p{k}.wheel_count)" for k in range(1, count)]
        before = self._all("before", 1, "dt")
        lines += [*before[:1], *release, *before[1:]] if self.order == SERIAL else [*release, *before]
        lines += ["    h = dt / c.substep_count", "    for _ in range(c.substep_count):"]
        hitches = [_bodies(k) for k in range(count - 1)]
        lines += self._all("approach", 2, "h")
        lines += [f"        hitch_warm_start({bodies})" for bodies in hitches]
        lines += self._all("solve", 2, "h")
        lines.append(f"        for _ in range({HITCH_PASSES}):")
        lines += [f"            hitch_solve({bodies}, True, h)" for bodies in hitches]
        lines += [f"            solve_again({_rows(k)}, h)" for k in range(count)]
        lines += self._all("move", 2, "h")
        lines += self._all("settle", 2, "h")
        lines += [f"        hitch_solve({bodies}, False, h)" for bodies in hitches]
        lines += self._all("after", 1, "dt")
        lines += [f"    s{k}.tick += 1" for k in range(count)]
        for k in range(count):
            lines.append(f"    fault = first_fault(s{k}.body, s{k}.wheel, p{k}.wheel_count)")
            lines += ["    if fault != 0:", f"        return {k * FAULT_STRIDE} + fault"]
        return [*lines, "    return 0"]

    def _all(self, part: str, indent: int, dt: str) -> list[str]:
        """Lines that call one part for every vehicle."""
        numbers = range(len(self.vehicles))
        indentation = "    " * indent
        shared = ("context", "command")
        return [f"{indentation}{part}_{self._part_suffix(k)}("
                + ", ".join(prefix if name in shared else f"{prefix}{k}" for name, prefix in RECORDS.items())
                + f", ground, {dt})" for k in (reversed(numbers) if self.order == PARALLEL else numbers)]  # fmt: skip

    def _part_suffix(self, k: int) -> int:
        """Index of the first vehicle with the same component list: the suffix of its parts' functions."""
        return self.sequences.index(self.sequences[k])

    def _imports(self) -> list[str]:
        """Import lines for the parts' functions."""
        lines = []
        for k in range(len(self.vehicles)):
            name = parts_module(self.sequences[k]).__name__
            lines += [f"from {name} import {part} as {part}_{self._part_suffix(k)}" for part in PARTS]
        return list(dict.fromkeys(lines))

    @cached_property
    def _module(self) -> ModuleType:
        """The generated module with the step, loaded."""
        layouts = {}
        for k, sequence in enumerate(self.sequences):
            layouts.update({f"{name.upper()}_{k}": sequence.dtypes[name] for name in OWN_RECORDS})
        modules = {
            "driving_sandbox.physics.contact.hitch",
            "driving_sandbox.physics.contact.solver",
            "driving_sandbox.physics.tick.guard",
        }
        return load_generated("chain_step", self.source, modules, {**layouts, "CONTEXT": CONTEXT})

    @cached_property
    def step(self) -> Callable[..., Any]:
        """Function (params, state, scratch of each vehicle, context, external, command, dt, *ground) -> fault code."""
        return self._module.step if JIT else with_attributes(self._module.step)

    @property
    def code(self) -> int:
        """Address of the machine code of `bound`, for `machine_code.call_tick`."""
        return address_of(self._module.bound, TICK_TYPES)

    def bind(self, context: np.ndarray, ground: "GroundArrays") -> partial:
        """A tick of all vehicles as a function (external, command, dt) -> fault code, 0 without a fault.

        external: EXTERNAL array, one row per vehicle.
        command: length-1 COMMAND array, for all of them.

        A fault code is index of the vehicle * FAULT_STRIDE + that vehicle's code. The function holds references to the
        vehicles' arrays, which must not be replaced.
        """
        records = [array for v in self.vehicles for array in (v.params, v.state, v.scratch)]
        records.append(context)
        if not JIT:
            return partial(self._plain_step, records, ground)
        bound: Any = partial(self._module.bound, addresses(records, ground))
        bound.keeps = (records, ground)
        return bound

    def _plain_step(self, records: Any, ground: Any, external: np.ndarray, command: np.ndarray, dt: float) -> int:
        return self.step(*records, external, command, dt, *ground)


def chain_of(vehicle: Any) -> "Chain":
    """The Chain of a vehicle and its trailers, stepped in the order (one of ORDERS) that its file names."""
    return Chain((vehicle, *vehicle.trailers), vehicle.info.get("trailer_order", SERIAL))


def _bodies(k: int) -> str:
    """Arguments of the hitch between vehicles k and k + 1."""
    a, b = k, k + 1
    return f"s{a}.body, p{a}.body, p{a}.contact, s{b}.body, p{b}.body, p{b}.contact, s{b}.contact"


def _rows(k: int) -> str:
    """Arguments of `solve_again` for vehicle k."""
    return f"s{k}.body, p{k}.body, w{k}.contact.wheels, s{k}.contact.solver, w{k}.contact.solver"
