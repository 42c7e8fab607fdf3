"""One step for vehicles that hang on each other: a tractor and its trailers, their substeps interleaved.

Vehicles k and k + 1 of a chain are hitched (`hitch.py`). A substep runs every vehicle's list up to and with its contact
solver, then hitches and contact rows in turns, then moves all poses, then relaxes. Like a vehicle's own step it is a
generated file that calls the components' kernels in order; the lists themselves know nothing of hitches. A list fits if
it has one group of substeps in which the body's pose follows the contact solver, as all lists here do.
"""

import re
from functools import cached_property

import numpy as np

from physics.component import Substeps, as_phase, phases_of
from physics.contact.hitch import HITCH_PASSES
from physics.quat import rotate
from physics.road.layout import GroundArrays
from physics.sequence import SequenceError

FAULT_STRIDE = 1000  # a chain's fault code: vehicle * FAULT_STRIDE + the vehicle's own code
_GROUND = ", ".join(GroundArrays._fields)
_OWN = re.compile(r"(?<=[(, ])([pswue])(?=[.,)])")  # params, state, scratch, command, external of one vehicle
_HEADER = '''"""The step of hitched vehicles, written by physics/contact/chain.py: a tick from top to bottom."""

from physics.contact.hitch import solve as hitch_solve
from physics.contact.hitch import warm_start as hitch_warm_start
from physics.contact.solver import solve_again
from physics.guard import first_fault
from physics.jit import kernel
from physics.road.layout import GroundArrays
'''


def split(sequence):
    """(before, to the pose, from the pose, after) of a list. SequenceError if it has no such shape."""
    groups = [k for k, entry in enumerate(sequence.entries) if isinstance(entry, Substeps)]
    if len(groups) == 1 and sequence.entries[groups[0]].count is None:
        at = groups[0]
        inner = sequence.entries[at].entries
        for k, entry in enumerate(inner):
            if isinstance(entry, Substeps):
                continue
            phase = as_phase(entry)
            if (phase.component.slot, phase.phase) == ("body", "pose"):
                return sequence.entries[:at], inner[:k], inner[k:], sequence.entries[at + 1 :]
    raise SequenceError("a vehicle of a chain needs one group of substeps with the pose of slot body in it")


class Chain:
    """Vehicles hitched one behind the other, first the one that pulls.

    Args:
        vehicles: two or more of physics.vehicle.Vehicle; their parameters `contact.hitch_rear` and
        `contact.hitch_front` say where they hold each other.
    """

    def __init__(self, vehicles):
        self.vehicles = tuple(vehicles)
        if len(self.vehicles) < 2:
            raise ValueError(f"a chain has at least 2 vehicles, not {len(self.vehicles)}")
        self.sequences = tuple(v.sequence for v in self.vehicles)

    def couple(self, k):
        """Put vehicle k behind the one in front, straight, its coupling on the hitch, at the same velocity."""
        front, rear = self.vehicles[k - 1], self.vehicles[k]
        q = front.model_orientation()
        apart = front.params["contact"]["hitch_rear"][0] - rear.params["contact"]["hitch_front"][0]
        position = np.add(front.model_position(), rotate(q, tuple(apart.tolist())))
        rear.put(tuple(position.tolist()), q, front.state["body"]["velocity"][0])

    def gap(self, k):
        """Distance between coupling and hitch of vehicle k and the one in front, m."""
        places = []
        for vehicle, name in ((self.vehicles[k - 1], "hitch_rear"), (self.vehicles[k], "hitch_front")):
            arm = tuple(vehicle.params["contact"][name][0].tolist())
            places.append(np.add(vehicle.model_position(), rotate(vehicle.model_orientation(), arm)))
        return float(np.linalg.norm(places[0] - places[1]))

    @cached_property
    def source(self):
        """Text of the generated module."""
        parts = [split(sequence) for sequence in self.sequences]
        count = len(parts)
        lines = []
        self._each(lines, [before for before, _, _, _ in parts], 1, "dt")
        lines += ["    h = dt / c.substep_count", "    for _ in range(c.substep_count):"]
        self._each(lines, [head for _, head, _, _ in parts], 2, "h")
        hitches = [_bodies(k) for k in range(count - 1)]
        lines += [f"        hitch_warm_start({bodies})" for bodies in hitches]
        lines.append(f"        for _ in range({HITCH_PASSES}):")
        lines += [f"            hitch_solve({bodies}, True, h)" for bodies in hitches]
        lines += [f"            solve_again({_rows(k)}, h)" for k in range(count)]
        self._each(lines, [tail[:1] for _, _, tail, _ in parts], 2, "h")
        lines += [f"        hitch_solve({bodies}, False, h)" for bodies in hitches]
        self._each(lines, [tail[1:] for _, _, tail, _ in parts], 2, "h")
        self._each(lines, [after for _, _, _, after in parts], 1, "dt")
        for k in range(count):
            lines.append(f"    s{k}.tick += 1")
        for k in range(count):
            lines.append(f"    fault = first_fault(s{k}.body, s{k}.wheel, p{k}.wheel_count)")
            lines += ["    if fault != 0:", f"        return {k * FAULT_STRIDE} + fault"]
        head = [_HEADER + "\n".join(self._imports()), "\n", "@kernel", self._head()]
        return "\n".join([*head, *lines, "    return 0", ""])

    def _head(self):
        names = ("params", "state", "scratch", "external", "command")
        arguments = ", ".join(f"{name}_{k}" for k in range(len(self.sequences)) for name in names)
        unpack = "".join(
            f"    {short}{k} = {name}_{k}[0]\n"
            for k in range(len(self.sequences)) for short, name in zip("psweu", names, strict=True)
        )
        return (f"def step({arguments}, context, dt, {_GROUND}):\n    ground = GroundArrays({_GROUND})\n"
                f"    c = context[0]\n{unpack.rstrip()}")

    def _each(self, lines, groups, indent, dt):
        """Calls of one group of entries of every vehicle, vehicle after vehicle."""
        for k, entries in enumerate(groups):
            calls = []
            self.sequences[k]._write_calls(entries, calls, indent, dt)
            for call in calls:
                function, bracket, rest = call.partition("(")
                name = function if function.lstrip().startswith("for ") else f"{function}_{k}"
                lines.append(name + _OWN.sub(rf"\g<1>{k}", bracket + rest) if bracket else call)

    def _imports(self):
        lines = []
        for k, sequence in enumerate(self.sequences):
            for phase in phases_of(sequence.entries):
                function = phase.component.phases[phase.phase]
                function = getattr(function, "py_func", function)
                name = f"{phase.component.slot}_{phase.phase}_{k}"
                lines.append(f"from {function.__module__} import {function.__name__} as {name}")
        return list(dict.fromkeys(lines))

    @cached_property
    def _step(self):
        return self.sequences[0]._load("chain", self.source).step

    def step(self, commands, external, context, dt, ground):
        """One tick of all vehicles.

        Args:
            commands, external: length-1 COMMAND and EXTERNAL arrays, one per vehicle. context, ground: of the world.
        Returns:
            None, or (vehicle, its fault code).
        """
        arguments = []
        for vehicle, command, outside in zip(self.vehicles, commands, external, strict=True):
            arguments += [vehicle.params, vehicle.state, vehicle.scratch, outside, command]
        code = self._step(*arguments, context, dt, *ground)
        return divmod(code, FAULT_STRIDE) if code else None


def _bodies(k):
    """Arguments of the hitch between vehicles k and k + 1."""
    a, b = k, k + 1
    return f"s{a}.body, p{a}.body, p{a}.contact, s{b}.body, p{b}.body, p{b}.contact, s{b}.contact"


def _rows(k):
    """Arguments of a vehicle's own rows."""
    return f"s{k}.body, p{k}.body, w{k}.contact.wheels, s{k}.contact.solver, w{k}.contact.solver"
