"""Contact between the vehicles of a world: impulses and forces on each of them in a tick.

    begin     finds this tick's contacts and returns external actions that include their estimated impulses and forces;
              None if nothing touches, the usual case
    (the world steps all trains with these)
    end       returns None if the estimate was right, else corrected actions, with which the world repeats the tick for
              the trains in contact

The models are in physics/contact/pair_contacts.py and pair_solver.py, that of wheels on bodywork in bodywork.py. Every
unit of a train is a body of its own, and does not touch the others of its train. A vehicle without bodywork (a planar
one) touches nothing.

Cost while the bounding spheres or boxes of all vehicles are apart: one compiled call that compares them.
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
from driving_sandbox.physics.kernel.jit import JIT, entry, kernel, pointer
from driving_sandbox.physics.props.proximity import TRAVEL
from driving_sandbox.physics.tick.context import EXTERNAL
from driving_sandbox.physics.world.bodywork import Bodywork

if TYPE_CHECKING:
    from driving_sandbox.physics.ground.surfaces import SurfaceTable
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

PAIRS_PER_BODY = 8  # room for this many pairs of near vehicles per vehicle, on average; further pairs are ignored
# Fields of a vehicle that are copied into its BODY record in every tick: (record, slot, field)
_BODY_FIELDS = (
    ("state", "body", "position"), ("state", "body", "orientation"), ("state", "body", "velocity"),
    ("state", "body", "angular_velocity"), ("params", "body", "mass"), ("params", "body", "inertia"),
)  # fmt: skip
FIRST_PARAMETER = 4  # index of `mass` above; only the fields before it change within a tick
# m by which hulls are larger for wheels: they are steered, and may stick out of a hull without them
WHEEL_MARGIN = 0.3
_HULL_FIELDS = ("low", "high", "radius")  # fields of a vehicle's hull, also copied in every tick


class VehicleContact:
    """Contact between the vehicles of one world.

    Args:
        vehicles: all vehicles of the world.
        trains: range of indices into `vehicles` for each train.
        surfaces: of the world's ground.
        wheels_on_vehicles: whether wheels stand on other vehicles with their suspension.
    Attributes:
        touching: indices of the trains that touch another one in this tick.
        memory: MEMORY array, the impulses of this tick's contacts, from which the next tick's estimate starts.
        bodywork: Bodywork, or None if no wheel stands on a vehicle.
    """

    def __init__(
        self,
        vehicles: "list[Vehicle]",
        trains: list[range],
        surfaces: "SurfaceTable",
        wheels_on_vehicles: bool = True,
    ) -> None:
        self._count, self._trains = len(vehicles), trains
        self._indices = [i for i, v in enumerate(vehicles) if "contact" in v.sequence.by_slot]
        self._body_vehicles = np.array(self._indices, np.int64)
        with_bodywork = [vehicles[i] for i in self._indices]
        train_of = [next(k for k, train in enumerate(trains) if i in train) for i in self._indices]
        self._bodies = _records(len(with_bodywork), BODY)
        self._bodies["train"] = train_of
        self._hulls = [v.params["contact"]["hull"] for v in with_bodywork]
        if not JIT:
            self._hulls = [hull.view(np.recarray) for hull in self._hulls]
        self._shapes = _records(len(with_bodywork), SHAPE)
        self._pairs = np.zeros((PAIRS_PER_BODY * len(with_bodywork), 2), np.int64)
        self.bodywork = Bodywork(vehicles, surfaces) if wheels_on_vehicles else None
        self._wheel_pairs = self._pairs[: None if wheels_on_vehicles else 0].copy()  # those for wheels on bodywork
        self._contacts, self._scratch = _records(CONTACT_CAPACITY, CONTACT), _records(1, PAIR_SCRATCH)
        materials = surfaces.materials_in_order()  # in the order of the indices by which hulls refer to them
        for row, material in zip(self._scratch["materials"][0], materials, strict=False):
            row[:] = material.friction, material.restitution
        self._views = [[getattr(v, record)[slot][field] for record, slot, field in _BODY_FIELDS] for v in with_bodywork]
        for views, hull in zip(self._views, self._hulls, strict=True):
            views += [hull[name] for name in _HULL_FIELDS]
        self._table = np.array([[view.ctypes.data for view in views] for views in self._views], np.int64)  # addresses
        self.memory, self._memory_used = _records(MEMORY_CAPACITY, MEMORY), False
        # of this tick: number of contacts; kinetic energy before and after the impulses at its start, J; length, s
        self._contact_count, self._energies, self._dt = 0, (0.0, 0.0), 0.0
        self._external = np.zeros(self._count, EXTERNAL)  # this tick's external actions, without those of contact
        self.touching: list[int] = []

    @property
    def gaps(self) -> np.ndarray:
        """Gap of each contact of the last tick, at the start of that tick, m; negative: overlapping."""
        return self._contacts["gap"][: self._contact_count]

    @property
    def contacts(self) -> tuple[np.ndarray, int, np.ndarray]:
        """Of the last tick: (CONTACT array, number of contacts in it, int64 index of the vehicle of each body)."""
        return self._contacts, self._contact_count, self._body_vehicles

    @property
    def saved_size(self) -> int:
        """Number of bytes of a `snapshot`."""
        return self.memory.nbytes + (0 if self.bodywork is None else self.bodywork.supports.nbytes)

    def snapshot(self) -> bytes:
        """Bytes of the memory, and of what wheels stand on."""
        return self.memory.tobytes() + (b"" if self.bodywork is None else self.bodywork.supports.tobytes())

    def check(self, saved: bytes) -> None:
        """Raise ValueError if a `snapshot` contains NaN or infinity, or vehicles that do not exist."""
        memory = np.frombuffer(saved[: self.memory.nbytes], MEMORY)
        if not (np.isfinite(memory["anchor"]).all() and np.isfinite(memory["impulse"]).all()):
            raise ValueError("the contacts between vehicles contain NaN or infinity")
        if self.bodywork is not None:
            self.bodywork.check(saved[self.memory.nbytes :])

    def restore(self, saved: bytes) -> None:
        """Restore a `snapshot`, which `check` has accepted."""
        self.memory[:] = np.frombuffer(saved[: self.memory.nbytes], MEMORY)
        self._memory_used = True
        if self.bodywork is not None:
            self.bodywork.restore(saved[self.memory.nbytes :])

    def prepare(self) -> None:
        """Compile or load the kernels, which would otherwise delay the first tick or the first contact."""
        if not JIT or not self._indices:
            return
        # results of these calls are not used
        find_near_pairs(self._table, self._bodies, 0.0, self._pairs, self._wheel_pairs)
        pose_shape(self._hulls[0], self._bodies, self._shapes, 0)
        pair_contacts(self._bodies, self._shapes, 0, 0, self._hulls[0], self._hulls[0], 0.0,
                      self._contacts, CONTACT_CAPACITY, self._scratch)  # fmt: skip
        memory = self.memory.copy()
        energies = begin_contacts(self._contacts, 0, self._bodies, memory, 1.0, 1)
        read_motion(self._table, self._bodies)
        end_contacts(self._contacts, 0, self._bodies, memory, *energies, 1.0)
        clear_memory(memory)

    def _read_bodies(self) -> None:
        """Copy all fields into the BODY records, in place of `find_near_pairs` and `read_motion` when JIT is off."""
        names = (*(field for *_, field in _BODY_FIELDS), *_HULL_FIELDS)
        for body, views in zip(self._bodies, self._views, strict=True):
            for name, view in zip(names, views, strict=True):
                body[name] = view[0]

    def begin(self, external: np.ndarray | None, dt: float, substeps: int) -> np.ndarray | None:
        """External actions plus the estimated ones of contact, and bodywork under wheels, EXTERNAL array.

        None if no vehicles touch.

        Args:
            external: EXTERNAL array, one record per vehicle, or None.
            dt: length of the tick, s.
            substeps: number of substeps of the tick.
        """
        self.touching, self._dt = [], dt
        if JIT:
            pair_count, wheel_pair_count = find_near_pairs(
                self._table, self._bodies, dt, self._pairs, self._wheel_pairs
            )
        else:
            self._read_bodies()
            pair_count, wheel_pair_count = both_near_pairs(self._bodies, dt, self._pairs, self._wheel_pairs)
        supported = None
        if self.bodywork is not None and (wheel_pair_count or self.bodywork.loaded):
            near = self._body_vehicles[self._wheel_pairs[:wheel_pair_count]].tolist()
            supported = self.bodywork.act(near, external, dt, substeps)
            external = external if supported is None else supported
        self._contact_count = 0 if pair_count == 0 else self._generate(self._pairs[:pair_count].tolist(), dt)
        if self._contact_count == 0:
            if self._memory_used:
                clear_memory(self.memory)
                self._memory_used = False
            return supported
        self._external = np.zeros(self._count, EXTERNAL) if external is None else external
        self._energies = begin_contacts(self._contacts, self._contact_count, self._bodies, self.memory, dt, substeps)
        self._memory_used, touching = True, self._bodies["in_contact"] == 1
        self.touching = np.unique(self._bodies["train"][touching]).tolist()
        return self._actions()

    def _generate(self, pairs: list[list[int]], dt: float) -> int:
        """Write the contacts of pairs (indices of two bodies each); returns the number of contacts."""
        for i in np.flatnonzero(self._bodies["near"]).tolist():
            pose_shape(self._hulls[i], self._bodies, self._shapes, i)
        count = 0
        for i, j in pairs:
            count = pair_contacts(self._bodies, self._shapes, i, j, self._hulls[i], self._hulls[j], dt,
                                  self._contacts, count, self._scratch)  # fmt: skip
        return count

    def end(self) -> np.ndarray | None:
        """Corrected external actions if the tick must be repeated, None if those of `begin` were right.

        Called after the tick has been stepped with the actions of `begin`.
        """
        if self._contact_count == 0:
            return None
        if JIT:
            read_motion(self._table, self._bodies)
        else:
            self._read_bodies()
        if not end_contacts(self._contacts, self._contact_count, self._bodies, self.memory, *self._energies, self._dt):
            return None
        return self._actions()

    def _actions(self) -> np.ndarray:
        """Sum of the external actions and those of contact, EXTERNAL array."""
        actions, bodies = self._external.copy(), self._bodies
        actions["impulse"][self._indices] += bodies["impulse"]
        actions["angular_impulse"][self._indices] += bodies["angular_impulse"]
        actions["force"][self._indices] += bodies["force_impulse"] / self._dt
        actions["torque"][self._indices] += bodies["force_angular_impulse"] / self._dt
        return actions


def _records(count: int, dtype: np.dtype) -> np.ndarray:
    """Array of zeroed records; with JIT off, kernels need record arrays for access by attribute."""
    return np.zeros(count, dtype) if JIT else np.zeros(count, dtype).view(np.recarray)


@entry
def find_near_pairs(
    table: np.ndarray, bodies: np.ndarray, dt: float, pairs: np.ndarray, wheel_pairs: np.ndarray
) -> tuple[int, int]:
    """Read all bodies and write the pairs that may touch within the tick; returns what `both_near_pairs` does.

    Args:
        table: int64[bodies, 9], addresses of _BODY_FIELDS, then of _HULL_FIELDS.
        bodies: BODY array, written.
        dt: length of the tick, s.
        pairs, wheel_pairs: as in `both_near_pairs`.
    """
    read_motion(table, bodies)
    for i in range(len(bodies)):  # columns from FIRST_PARAMETER on: mass, inertia, low, high, radius
        bodies[i].mass = carray(pointer(table[i, FIRST_PARAMETER]), 1, np.float64)[0]
        copy_numbers(table[i, FIRST_PARAMETER + 1], bodies[i].inertia)
        copy_numbers(table[i, FIRST_PARAMETER + 2], bodies[i].low)
        copy_numbers(table[i, FIRST_PARAMETER + 3], bodies[i].high)
        bodies[i].radius = carray(pointer(table[i, FIRST_PARAMETER + 4]), 1, np.float64)[0]
    return both_near_pairs(bodies, dt, pairs, wheel_pairs)


@kernel
def both_near_pairs(bodies: np.ndarray, dt: float, pairs: np.ndarray, wheel_pairs: np.ndarray) -> tuple[int, int]:
    """Write the pairs whose hulls may touch within the tick, and those of which wheels may; returns both numbers.

    pairs, wheel_pairs: int64[capacity, 2], written: indices of the two bodies of each pair.
    """
    wheel_pair_count = near_pairs(bodies, dt, WHEEL_MARGIN, TRAVEL, wheel_pairs)
    return near_pairs(bodies, dt, 0.0, 0.0, pairs), wheel_pair_count  # last: it marks the bodies whose hulls are near


@entry
def read_motion(table: np.ndarray, bodies: np.ndarray) -> None:
    """Read the poses and velocities of all bodies."""
    for i in range(len(bodies)):
        copy_numbers(table[i, 0], bodies[i].position)
        copy_numbers(table[i, 1], bodies[i].orientation)
        copy_numbers(table[i, 2], bodies[i].velocity)
        copy_numbers(table[i, 3], bodies[i].angular_velocity)


@entry
def copy_numbers(address: int, numbers: np.ndarray) -> None:
    """Fill an array of float64 with the numbers at an address."""
    source = carray(pointer(address), len(numbers), np.float64)
    for k in range(len(numbers)):
        numbers[k] = source[k]
