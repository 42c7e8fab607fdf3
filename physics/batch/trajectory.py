"""Trajectories, and re-simulation of a segment of a drive in one compiled call.

`Trajectory` records the main quantities of a vehicle's state during the drive, SAMPLE_RATE times a second or as nearly
as whole ticks allow (`sample_interval`). `Rerun` repeats recorded ticks on copies of a train (a vehicle with its
trailers), from a snapshot, with the recorded commands and external actions but the current parameters, and writes rows
of the same form: together they show the effect of a change. Many ticks are one call without the GIL, so that a thread
can run it in parallel with rendering.

With unchanged parameters a rerun reproduces the drive bit for bit. Impulses of collisions are repeated as they were in
the drive, wherever the vehicle now is. A change of the centre of mass does not move the bodywork.

Columns of a row: position of the model's origin x, y, z (m), orientation x, y, z, w, velocity of the centre of mass
(m/s, world), angular velocity (rad/s, world), then the slip angle (rad) of each wheel and the slip ratio of each.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from driving_sandbox.physics.base.record import field_names, field_of
from driving_sandbox.physics.batch.batch import copy_vehicle
from driving_sandbox.physics.contact.chain import FAULT_STRIDE, chain_of
from driving_sandbox.physics.kernel.jit import JIT, kernel
from driving_sandbox.physics.maths.quat import rotate
from driving_sandbox.physics.tick.commands import COMMAND
from driving_sandbox.physics.tick.context import EXTERNAL
from driving_sandbox.physics.tick.machine_code import call_tick

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle
    from driving_sandbox.physics.world.world import World

SAMPLE_RATE = 60.0  # target rows per second, enough for a line on the ground
# Columns of a row
POSITION, ORIENTATION, VELOCITY, SPIN = slice(0, 3), slice(3, 7), slice(7, 10), slice(10, 13)
SLIPS = 13  # column of the first wheel's slip angle
# Fields of the body's state in a row, with the number of columns
_BODY = (("position", 3), ("orientation", 4), ("velocity", 3), ("angular_velocity", 3))
_WORD = 8  # bytes of a float64


def sample_interval(tick_seconds: float) -> int:
    """Number of ticks between two rows."""
    return max(1, round(1.0 / (SAMPLE_RATE * tick_seconds)))


def columns_of(vehicle: "Vehicle") -> np.ndarray:
    """[columns], index of each column of a row in the state viewed as float64; without slips if the tires have none."""
    state, offsets = vehicle.state.dtype, list[int]()
    body, start = field_of(state, "body")
    for name, count in _BODY:
        first = (start + field_of(body, name)[1]) // _WORD
        offsets += range(first, first + count)
    tires, start = field_of(state, "tire") if "tire" in field_names(state) else (np.dtype(float), 0)
    tire = tires.base
    if {"lateral_slip", "longitudinal_slip"} <= set(field_names(tire)):
        for name in ("lateral_slip", "longitudinal_slip"):
            first = (start + field_of(tire, name)[1]) // _WORD
            offsets += (first + i * tire.itemsize // _WORD for i in range(vehicle.wheel_count))
    return np.array(offsets, np.int64)


def at_origin(rows: np.ndarray, centre_of_mass: np.ndarray) -> np.ndarray:
    """Move the positions in rows, in place, from the centre of mass to the model's origin, and return the rows.

    centre_of_mass: [3] or [n, 3] relative to the model's origin, m.
    """
    q, offset = rows[:, ORIENTATION], np.broadcast_to(-np.asarray(centre_of_mass), (len(rows), 3))
    axis = q[:, :3]  # v + w t + axis x t with t = 2 axis x v rotates v by the quaternion (axis, w)
    rotational = 2.0 * np.cross(axis, offset)
    rows[:, POSITION] += offset + q[:, 3:] * rotational + np.cross(axis, rotational)
    return rows


class Trajectory:
    """The driven trajectory of a vehicle over the last ticks.

    Args:
        vehicle: the Vehicle.
        ticks: length of the stored history, in ticks.
        tick_seconds: length of a tick, s.
    """

    def __init__(self, vehicle: "Vehicle", ticks: int, tick_seconds: float) -> None:
        self.every = sample_interval(tick_seconds)
        self._vehicle, self._offsets = vehicle, columns_of(vehicle)
        self._words = vehicle.state_bytes.view(np.float64)  # a live view of the vehicle, like `_centre`
        self._centre = vehicle.params["body"]["centre_of_mass"][0]
        self._rows = np.zeros((ticks // self.every + 1, len(self._offsets)))
        self._centres = np.zeros((len(self._rows), 3))

    def record(self, tick: int) -> None:
        """Store the state after `tick` ticks, if a row is due."""
        row_number, remainder = divmod(tick, self.every)
        if not remainder:
            slot = row_number % len(self._rows)
            self._rows[slot] = self._words[self._offsets]
            self._centres[slot] = self._centre

    def rows(self, start: int, stop: int) -> np.ndarray:
        """Rows of the ticks start < tick <= stop, as far as they are still stored."""
        row_numbers = np.arange(start // self.every + 1, stop // self.every + 1)
        slots = row_numbers[-len(self._rows) :] % len(self._rows)
        return at_origin(self._rows[slots], self._centres[slots])


@kernel
def _trajectory(
    code: int, addresses: Any, members: int, words: Any, offsets: Any, rows: Any, first: int, every: int,
    external_row: Any, external: Any, commands: Any, dt: float,
) -> tuple[int, int]:  # fmt: skip
    """Run a train's ticks, one for each command, and write a row after every `every`-th.

    Args:
        code, addresses: address of the compiled tick, and those of its records.
        members: number of vehicles in the train.
        words: the state of the towing vehicle as float64.
        offsets: [columns], index in `words` of each column of a row.
        rows: [n, columns], written; row k is due (k + 1) * every ticks after the tick that `first` counts from.
        first: number of ticks from the last multiple of `every` at or before the segment's start to the first command.
        every: number of ticks between two rows.
        external_row: [ticks], first row of `external` for each command.
        external: EXTERNAL array, `members` rows for each set of actions.
        commands: COMMAND array of the towing vehicle, one per tick.
        dt: length of a tick, s.
    Returns:
        (ticks done, fault code or 0)
    """
    for i in range(commands.shape[0]):
        k = external_row[i]
        fault = call_tick(code, addresses, external[k : k + members], commands[i : i + 1], dt)
        if fault != 0:
            return i, fault
        tick = first + i + 1
        if tick % every == 0:
            row = tick // every - 1
            for j in range(offsets.shape[0]):
                rows[row, j] = words[offsets[j]]
    return commands.shape[0], 0


class Rerun:
    """Copies of a train that repeat segments of its drive.

    Args:
        vehicle: the towing vehicle of the train to copy.
        world: World that gives the ground, the context and the length of a tick.
    Attributes:
        segment: the Segment that is repeated; None before `begin`.
        done: number of its ticks done.
        rows: rows of the segment, of which the first `count` are written.
        every: number of ticks between two rows.
        fault: text for the user if the simulation had to stop, or None.
    """

    def __init__(self, vehicle: "Vehicle", world: "World") -> None:
        self._originals = (vehicle, *vehicle.trailers)
        towing = copy_vehicle(vehicle)
        self._members = (towing, *towing.trailers)
        self._world_context, self._dt = world.context, world.tick_seconds
        self._context = self._world_context.copy()
        chain = chain_of(towing) if towing.trailers else None
        if chain:
            self._step = chain.bind(self._context, world.ground.arrays)
        else:
            self._step = towing.sequence.bind(towing.params, towing.state, towing.scratch, self._context,
                                              world.ground.arrays)  # fmt: skip
        self._call = self._compiled(chain) if JIT else self._plain
        self._offsets, self._words = columns_of(towing), towing.state_bytes.view(np.float64)
        self.every = sample_interval(self._dt)
        self.segment: Segment | None = None
        self.fault: str | None = None
        self.done, self.rows = 0, np.zeros((0, len(self._offsets)))

    def _compiled(self, chain: Any) -> Callable[..., tuple[int, int]]:
        """`_trajectory` with the addresses of the copies."""
        return partial(_trajectory, (chain or self._members[0].sequence).code, self._step.args[0], len(self._members))

    def _plain(
        self, words: np.ndarray, offsets: np.ndarray, rows: np.ndarray, first: int, every: int,
        external_row: np.ndarray, external: np.ndarray, commands: np.ndarray, dt: float,
    ) -> tuple[int, int]:  # fmt: skip
        """`_trajectory` without compiled code."""
        for i in range(len(commands)):
            k = external_row[i]
            fault = self._step(external[k : k + len(self._members)], commands[i : i + 1], dt)
            if fault:
                return i, fault
            row, remainder = divmod(first + i + 1, every)
            if not remainder:
                rows[row - 1] = words[offsets]
        return len(commands), 0

    def parameters(self) -> list[np.ndarray]:
        """Copies of the current parameters of each vehicle of the train, then of the world's context, for `begin`."""
        return [*(original.params.copy() for original in self._originals), self._world_context.copy()]

    def begin(self, segment: "Segment", parameters: list[np.ndarray]) -> None:
        """Go to the start of a Segment, with parameters as returned by `parameters`."""
        self.segment, self.done, self.fault = segment, 0, None
        *parameters, self._context[:] = parameters  # the last is that of the context
        for member, params, state, old_centre in zip(
            self._members, parameters, segment.states, segment.centres, strict=True
        ):
            member.params[:] = params
            member.state_bytes[:] = np.frombuffer(state, np.uint8)  # a snapshot of this process needs no validation
            body, centre = member.state["body"][0], member.params["body"]["centre_of_mass"][0]
            shift = tuple((centre - old_centre).tolist())
            if any(shift):
                body["position"] += rotate(tuple(body["orientation"].tolist()), shift)
        self._first = segment.tick % self.every  # ticks from the last row due by the segment's start to that start
        self.rows = np.zeros(((self._first + segment.ticks) // self.every, len(self._offsets)))

    def advance(self, ticks: int) -> bool:
        """Repeat up to `ticks` more ticks; True while some are left."""
        segment = self.segment
        assert segment is not None, "call `begin` first"
        stop = min(self.done + ticks, segment.ticks)
        part = slice(self.done, stop)
        ticks_done, fault = self._call(
            self._words, self._offsets, self.rows, self._first + self.done, self.every, segment.external_row[part],
            segment.external, segment.commands[part], self._dt,
        )  # fmt: skip
        self.done += ticks_done
        if fault:
            name = self._members[fault // FAULT_STRIDE].name
            self.fault = f"{name} could not be simulated beyond {self.done * self._dt:.2f} s"
        return fault == 0 and self.done < segment.ticks

    @property
    def count(self) -> int:
        """Number of rows written so far."""
        return (self._first + self.done) // self.every

    def trajectory(self) -> np.ndarray:
        """A copy of the rows written so far."""
        centre = self._members[0].params["body"]["centre_of_mass"][0]
        return at_origin(self.rows[: self.count].copy(), centre)


class Segment:
    """Recorded ticks of one train, ready to be repeated.

    Args:
        tick: number of ticks before the segment.
        states: bytes of the state of each member at the segment's start.
        centres: [3] for each member, its centre of mass at the start, relative to the model's origin, m.
        commands: COMMAND array of the towing vehicle, one per tick.
        external: {absolute tick number: EXTERNAL array, one row per member}; ticks are counted as in `tick`.
    Attributes:
        external: EXTERNAL array of all actions, one row per member for each; the first are those of ticks without any.
        external_row: [ticks], first row of `external` of each tick.
    """

    def __init__(
        self,
        tick: int,
        states: Sequence[bytes],
        centres: Sequence[np.ndarray],
        commands: np.ndarray,
        external: Mapping[int, np.ndarray],
    ) -> None:
        self.tick, self.states, self.centres = tick, states, centres
        self.commands = np.ascontiguousarray(commands, COMMAND)
        self.external_row = np.zeros(len(commands), np.int64)
        actions = [np.zeros(len(states), EXTERNAL)]
        for k, (t, action) in enumerate(external.items(), 1):
            self.external_row[t - tick] = k * len(states)
            actions.append(action)
        self.external = np.concatenate(actions)

    @classmethod
    def ahead(cls, world: "World", commands: np.ndarray, index: int = 0) -> "Segment":
        """A Segment from the present state of a vehicle's train, with these commands and without external actions."""
        train = world.train_of(index)
        members = world.vehicles[train.start : train.stop]
        centres = [v.params["body"]["centre_of_mass"][0].copy() for v in members]
        return cls(world.tick, [v.snapshot() for v in members], centres, commands, {})

    @property
    def ticks(self) -> int:
        """Number of ticks."""
        return len(self.commands)
