"""Vehicles of a world that touch each other: what contact gives to each in a tick.

    begin     contacts of this tick, and what they give (None: nothing touches, as nearly always)
    (the world makes the tick with them)
    end       what must act throughout it, where that was not right: the world repeats it for the trains that touch

The models are in physics/contact/pair_contacts.py and pair_solver.py. Every unit of a train is a body of its own, and
does not touch the others of its train. A vehicle without bodywork (a planar one) touches nothing.

Cost: while spheres or boxes about all vehicles are apart, one compiled call that compares them.
"""

# numba gives an intrinsic its typing context itself.
# mypy: disable-error-code="call-arg"

from typing import TYPE_CHECKING

import numpy as np
from numba import carray

from driving_sandbox.physics.contact.pair_contacts import near_pairs, pair_contacts, pose_shape
from driving_sandbox.physics.contact.pair_records import (
    BODY,
    CONTACT,
    CONTACT_CAPACITY,
    MEMORY,
    MEMORY_CAPACITY,
    PAIR_SCRATCH,
    SHAPE,
)
from driving_sandbox.physics.contact.pair_solver import begin_contacts, clear_memory, end_contacts
from driving_sandbox.physics.kernel.jit import JIT, entry, pointer
from driving_sandbox.physics.tick.context import EXTERNAL

if TYPE_CHECKING:
    from driving_sandbox.physics.ground.hull_materials import HullMaterial
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

PAIRS_PER_BODY = 8  # most pairs near each other, for each vehicle; further ones are left out
# What is read of a vehicle every tick: (record, slot, field) and how many numbers
_READ = (
    ("state", "body", "position", 3), ("state", "body", "orientation", 4), ("state", "body", "velocity", 3),
    ("state", "body", "angular_velocity", 3), ("params", "body", "mass", 1), ("params", "body", "inertia", 3),
)  # fmt: skip
MOTION = 4  # of them those that a tick changes
_HULL = ("low", "high", "radius")  # and of its hull


class VehicleContact:
    """Contact between the vehicles of one world.

    Args:
        vehicles: of the world. trains: ranges of their indices. materials: of hulls, by their numbers.
    Attributes:
        touching: numbers of the trains that touch another in this tick. memory: MEMORY array, what the next tick needs
        of the last one.
    """

    def __init__(self, vehicles: "list[Vehicle]", trains: list[range], materials: "list[HullMaterial]") -> None:
        self._count, self._trains = len(vehicles), trains
        self._indices = [i for i, v in enumerate(vehicles) if "contact" in v.sequence.by_slot]
        chosen = [vehicles[i] for i in self._indices]
        train_of = [next(k for k, train in enumerate(trains) if i in train) for i in self._indices]
        self._bodies = _records(len(chosen), BODY)
        self._bodies["train"] = train_of
        self._hulls = [v.params["contact"]["hull"] for v in chosen]
        if not JIT:
            self._hulls = [hull.view(np.recarray) for hull in self._hulls]
        self._shapes = _records(len(chosen), SHAPE)
        self._pairs = np.zeros((PAIRS_PER_BODY * len(chosen), 2), np.int64)
        self._contacts, self._scratch = _records(CONTACT_CAPACITY, CONTACT), _records(1, PAIR_SCRATCH)
        for row, material in zip(self._scratch["materials"][0], materials, strict=False):
            row[:] = material.friction, material.restitution
        self._views = [[getattr(v, record)[slot][field] for record, slot, field, _ in _READ] for v in chosen]
        self._views = [
            [*views, *(hull[name] for name in _HULL)] for views, hull in zip(self._views, self._hulls, strict=True)
        ]
        self._table = np.array([[view.ctypes.data for view in views] for views in self._views], np.int64)
        self.memory, self._remembers = _records(MEMORY_CAPACITY, MEMORY), False
        self._found, self._energies, self._dt = 0, (0.0, 0.0), 0.0
        self._given = np.zeros(self._count, EXTERNAL)
        self.touching: list[int] = []

    @property
    def gaps(self) -> np.ndarray:
        """Gap of each contact of the last tick at its start, m; negative: inside each other."""
        return self._contacts["gap"][: self._found]

    def restore(self, memory: bytes) -> None:
        """Put the memory back as it was. Raises ValueError for numbers that no contact has."""
        kept = np.frombuffer(memory, MEMORY)
        if not (np.isfinite(kept["anchor"]).all() and np.isfinite(kept["impulse"]).all()):
            raise ValueError("the contact between vehicles is not a number")
        self.memory[:] = kept
        self._remembers = True

    def _read(self) -> None:
        """Read the bodies without compiling."""
        names = (*(field for *_, field, _ in _READ), *_HULL)
        for body, views in zip(self._bodies, self._views, strict=True):
            for name, view in zip(names, views, strict=True):
                body[name] = view[0]

    def begin(self, external: np.ndarray | None, dt: float, substeps: int) -> np.ndarray | None:
        """External actions with what contact probably gives; None if no vehicles touch."""
        self.touching, self._dt = [], dt
        if JIT:
            near = look(self._table, self._bodies, dt, self._pairs)
        else:
            self._read()
            near = near_pairs(self._bodies, dt, self._pairs)
        self._found = 0 if near == 0 else self._find(self._pairs[:near].tolist(), dt)
        if self._found == 0:
            if self._remembers:
                clear_memory(self.memory)
                self._remembers = False
            return None
        self._given = np.zeros(self._count, EXTERNAL) if external is None else external
        self._energies = begin_contacts(self._contacts, self._found, self._bodies, self.memory, dt, substeps)
        self._remembers, touching = True, self._bodies["touches"] == 1
        self.touching = np.unique(self._bodies["train"][touching]).tolist()
        return self._acting()

    def _find(self, pairs: list[list[int]], dt: float) -> int:
        """Number of contacts found of the near pairs."""
        for i in np.flatnonzero(self._bodies["near"]).tolist():
            pose_shape(self._hulls[i], self._bodies, self._shapes, i)
        count = 0
        for i, j in pairs:
            count = pair_contacts(self._bodies, self._shapes, i, j, self._hulls[i], self._hulls[j], dt,
                                  self._contacts, count, self._scratch)  # fmt: skip
        return count

    def end(self) -> np.ndarray | None:
        """External actions to repeat the tick with, after one with what `begin` returned; None if it is right."""
        if JIT:
            read_motion(self._table, self._bodies)
        else:
            self._read()
        if not end_contacts(self._contacts, self._found, self._bodies, self.memory, *self._energies, self._dt):
            return None
        return self._acting()

    def _acting(self) -> np.ndarray:
        """External actions with those of contact."""
        acting, bodies = self._given.copy(), self._bodies
        for name, given in (("impulse", bodies["impulse"]), ("angular_impulse", bodies["angular_impulse"]),
                            ("force", bodies["push"] / self._dt), ("torque", bodies["turn"] / self._dt)):  # fmt: skip
            acting[name][self._indices] += given
        return acting


def _records(count: int, kind: np.dtype) -> np.ndarray:
    """Zeroed records, as kernels take them that are not compiled, too."""
    return np.zeros(count, kind) if JIT else np.zeros(count, kind).view(np.recarray)


@entry
def look(table: np.ndarray, bodies: np.ndarray, dt: float, pairs: np.ndarray) -> int:
    """Read all bodies at their addresses, and find the near pairs."""
    read_motion(table, bodies)
    for i in range(len(bodies)):
        bodies[i].mass = carray(pointer(table[i, MOTION]), 1, np.float64)[0]
        copy_numbers(table[i, MOTION + 1], bodies[i].inertia)
        copy_numbers(table[i, MOTION + 2], bodies[i].low)
        copy_numbers(table[i, MOTION + 3], bodies[i].high)
        bodies[i].radius = carray(pointer(table[i, MOTION + 4]), 1, np.float64)[0]
    return near_pairs(bodies, dt, pairs)


@entry
def read_motion(table: np.ndarray, bodies: np.ndarray) -> None:
    """Read where the bodies are and how they move."""
    for i in range(len(bodies)):
        copy_numbers(table[i, 0], bodies[i].position)
        copy_numbers(table[i, 1], bodies[i].orientation)
        copy_numbers(table[i, 2], bodies[i].velocity)
        copy_numbers(table[i, 3], bodies[i].angular_velocity)


@entry
def copy_numbers(address: int, numbers: np.ndarray) -> None:
    found = carray(pointer(address), len(numbers), np.float64)
    for k in range(len(numbers)):
        numbers[k] = found[k]
