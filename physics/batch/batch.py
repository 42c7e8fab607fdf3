"""Many vehicles with the same list of components, stepped in one call: for machine learning and sweeps.

Vehicles of a batch do not collide with each other, and there are no props (a warning says so if the world has some).
They share ground, context and list of components; each has its own state, and its own or shared parameters. A step
divides them into contiguous slices, one per thread, and every slice is one compiled call without the GIL: vehicle by
vehicle, each through all ticks while its records are in the processor's cache. Results do not depend on the number of
threads: they are bit-identical to those of `World.step`.

    world = load_world("skid_pad")
    with Batch(load_vehicle("roadster"), world, 1000) as batch:
        commands = batch.neutral_commands()
        commands["gear"], commands["throttle"] = AUTOMATIC, rng.uniform(0.0, 1.0, batch.count)
        faults = batch.step(commands)                       # one tick; [] if all states are valid
        speed = batch.read("body.velocity.y")               # [1000], m/s
        batch.reset(batch.read("body.position.z") < -1.0)   # back to the start where the mask is true

A vehicle with trailers counts as one: they follow its commands and are placed and reset with it. Their parameters and
channels have the prefix `trailer1.`, `trailer2.` and so on: `batch.read("trailer1.tire.rl.load")`.

A vehicle whose state becomes invalid (NaN, infinity, a speed above the limit) is put back to its state before that
tick, paused for the rest of the call, and reported; the others continue.
"""

import hashlib
import logging
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Any, Self

import numpy as np

from driving_sandbox.physics.base.record import field_of
from driving_sandbox.physics.batch.members import Members
from driving_sandbox.physics.batch.memory import DifferingWords, step_slice, used_lines
from driving_sandbox.physics.ground.ground import Ground
from driving_sandbox.physics.kernel.jit import JIT
from driving_sandbox.physics.tick.commands import COMMAND, neutral_command
from driving_sandbox.physics.tick.context import EXTERNAL
from driving_sandbox.physics.tick.parts import merge
from driving_sandbox.physics.tick.sequence import addresses
from driving_sandbox.physics.tick.used_state import WORD
from driving_sandbox.physics.vehicle.vehicle import Vehicle
from driving_sandbox.physics.world.fault import Fault
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import WorldFile

_log = logging.getLogger(__name__)
Rows = Sequence[Any] | np.ndarray  # one entry for each vehicle


def copy_vehicle(vehicle: Vehicle) -> Vehicle:
    """A copy of a vehicle and its trailers with parameters and state of its own."""
    other = Vehicle(vehicle.sequence, vehicle.wheel_names, vehicle.axles, vehicle.geometry, vehicle.info)
    other.params.view(np.uint8)[:] = vehicle.params.view(np.uint8)
    other.base_params.view(np.uint8)[:] = vehicle.base_params.view(np.uint8)
    other.state_bytes[:] = vehicle.state_bytes
    other.trailers = tuple(copy_vehicle(trailer) for trailer in vehicle.trailers)
    return other


class Batch:
    """Copies of one vehicle, stepped together.

    Args:
        vehicle: the Vehicle to copy, with its present parameters and state; all start at its pose, `place` moves them.
        environment: World, WorldFile or Ground that all vehicles are in.
        count: number of vehicles.
        parameters: None if all share those of `vehicle`; or for each vehicle a mapping {path: value} of those that
            differ (may be empty), checked as by `Vehicle.set_many`.
        tick_seconds: length of a tick, s, as for World; by default that of a World given as `environment`.
        substeps: substeps per tick, as for World; by default those of a World given as `environment`.
        threads: number of threads that share a step, at most `count`; by default one per processor core.
    Attributes:
        count: number of vehicles.
        threads: number of threads that share a step.
        vehicle: copy of the vehicle, into which single vehicles of the batch are loaded.
        tick_seconds: length of a tick, s.
        tick: number of ticks done.
        world: a World of that vehicle alone, with the ground and the context of all.
        states: structured array [count] of state records.
        params: [count] of parameter records, or [1] when shared; `set_parameters` changes them.
    """

    def __init__(
        self,
        vehicle: Vehicle,
        environment: World | WorldFile | Ground,
        count: int,
        parameters: Sequence[Mapping[str, Any]] | None = None,
        tick_seconds: float | None = None,
        substeps: int | None = None,
        threads: int | None = None,
    ) -> None:
        if count < 1:
            raise ValueError(f"a batch has at least 1 vehicle, not {count}")
        self.count = int(count)
        self.threads = max(1, min(int(threads or os.cpu_count() or 1), self.count))
        self.vehicle = copy_vehicle(vehicle)
        self.world = _world_of(self.vehicle, environment, tick_seconds, substeps)
        self.tick_seconds = self.world.tick_seconds
        self.tick = 0
        members = self._members = Members(self.vehicle)
        self.states = np.zeros(self.count, members.dtypes["state"])
        self._words = self.states.view(np.uint64).reshape(self.count, -1)  # the same memory as 8-byte words
        self._words[:] = members.words("state")
        self.params = np.zeros(self.count if parameters is not None else 1, members.dtypes["params"])
        self._param_words = self.params.view(np.uint64).reshape(len(self.params), -1)
        self._param_words[:] = members.words("params")
        self._start = self._words.copy()
        # words in which the vehicles' parameters differ; None: to be found before the next step
        self._differing: DifferingWords | None = None
        # of each thread: (its parameter records, kept because the call has their address; its call of `step_slice`)
        self._work: list[tuple[np.ndarray, Any]] = []
        self._cache_lines = used_lines(members.used)  # of a state, to be prefetched
        self._scratch = [np.zeros(1, members.dtypes["scratch"]) for _ in range(self.threads)]
        # state of a vehicle before a tick, to return to if it fails; one buffer per thread
        self._before = [np.zeros((1, self._words.shape[1]), np.uint64) for _ in range(self.threads)]
        self._faults = np.zeros((self.count, 2), np.int64)  # fault code, and tick of the call in which it occurred
        self._no_external = np.zeros((1, members.count), EXTERNAL)
        self._pool = ThreadPoolExecutor(self.threads - 1, "batch") if self.threads > 1 and JIT else None
        if parameters is not None:
            self._set_all(parameters)

    # ---- parameters and start

    def _set_all(self, parameters: Sequence[Mapping[str, Any]]) -> None:
        """Set the parameters of every vehicle, [{path: value}], and make the result the start of `reset`."""
        parameters = list(parameters)
        if len(parameters) != self.count:
            raise ValueError(f"parameters of {self.count} vehicles are needed, not of {len(parameters)}")
        for i, values in enumerate(parameters):
            if values:
                self.set_parameters(i, values)
        self._start[:] = self._words

    def _load(self, i: int) -> None:
        """Load the i-th vehicle of the batch into the vehicle of `world`."""
        self._members.put("params", self._param_words[min(i, len(self.params) - 1)])
        self._members.put("state", self._words[i])

    def set_parameters(self, i: int | None, values: Mapping[str, Any]) -> None:
        """Set parameters {path: value} of vehicle i, or with i = None the shared ones of all. All are set or none.

        Raises SchemaError like `Vehicle.set_many`. A change of the centre of mass leaves the bodywork where it is.
        """
        shared = len(self.params) < self.count
        if shared != (i is None):
            raise ValueError("i must be None if the vehicles share their parameters, else the number of a vehicle")
        words = self._words.copy()
        for vehicle in range(self.count) if i is None else [i]:
            self._load(vehicle)
            self._members.set_many(values)
            words[vehicle] = self._members.words("state")
        self._param_words[0 if shared else i] = self._members.words("params")
        self._differing = None
        self._words[:] = words

    def place(self, positions: Rows, headings: Rows, indices: Rows | None = None) -> None:
        """Place vehicles on the ground at rest; `reset` returns them there.

        Args:
            positions: [n, 2] or [n, 3], position of the model's origin, m, as for World.place.
            headings: [n], rad, 0 faces +y.
            indices: [n], indices of the vehicles; None: all.
        """
        indices = range(self.count) if indices is None else indices
        for i, position, heading in zip(indices, positions, headings, strict=True):
            self._load(i)
            self.world.place(0, tuple(float(c) for c in position), float(heading))
            self._words[i] = self._start[i] = self._members.words("state")

    # ---- steps

    def neutral_commands(self, ticks: int | None = None) -> np.ndarray:
        """COMMAND array [count], or [ticks, count], of neutral commands."""
        shape = self.count if ticks is None else (ticks, self.count)
        return np.full(shape, neutral_command()[0], COMMAND)

    def step(self, commands: np.ndarray, external: np.ndarray | None = None) -> list[Fault]:
        """One tick, or several in one call.

        Args:
            commands: COMMAND array [count] for one tick, or [ticks, count].
            external: external actions in every tick of this call: EXTERNAL array [count], with trailers
                [count, members]; or None.
        Returns:
            list of Fault, one for every faulty vehicle; it is put back to its last valid state and paused there.
        """
        commands = self._checked(commands)
        external = self._no_external if external is None else self._checked_external(external)
        self._faults[:, 0] = 0
        if self._differing is None:
            self._prepare_calls()
        bounds = [self.count * k // self.threads for k in range(self.threads + 1)]
        slices = [(k, commands, external, bounds[k], bounds[k + 1]) for k in range(self.threads)]
        if self._pool is None:
            for arguments in slices:
                self._slice(*arguments)
        else:
            futures = [self._pool.submit(self._slice, *arguments) for arguments in slices[1:]]
            self._slice(*slices[0])
            for future in futures:
                future.result()
        faults = [self._named_fault(int(i), commands, external) for i in np.flatnonzero(self._faults[:, 0])]
        self.tick += len(commands)
        return faults

    def _checked(self, commands: np.ndarray) -> np.ndarray:
        """The commands as a contiguous COMMAND array [ticks, count]. Raises ValueError for another shape or type."""
        if commands.dtype is not COMMAND and commands.dtype == COMMAND:
            commands = commands.view(COMMAND)  # equal dtypes may differ in alignment flags, and so in numba's type
        if commands.dtype != COMMAND or commands.shape[-1:] != (self.count,) or commands.ndim > 2:
            text = f"{self.count} COMMAND records, or [ticks, {self.count}], not {commands.shape} {commands.dtype}"
            raise ValueError(f"step takes {text}")
        return np.ascontiguousarray(commands.reshape(-1, self.count))

    def _checked_external(self, external: np.ndarray) -> np.ndarray:
        """The external actions as a contiguous array [count, members]. Raises ValueError for another shape."""
        members = self._members.count
        if external.shape != ((self.count,) if members == 1 else (self.count, members)):
            each = f" x {members}" if members > 1 else ""
            raise ValueError(f"external takes {self.count}{each} EXTERNAL records, not {external.shape}")
        return np.ascontiguousarray(external).reshape(self.count, members)

    def _prepare_calls(self) -> None:
        """Find the 8-byte words in which parameters differ (see memory.py); prepare each thread's call of `step_slice`.

        There are none without compiled code.
        """
        differing = self._differing = DifferingWords(self._param_words)
        members, world = self._members, self.world
        ground = world.ground.arrays
        body_type, body_start = field_of(self.vehicle.state.dtype, "body")
        position_word = (body_start + field_of(body_type, "position")[1]) // WORD
        self._work = []
        for thread in range(self.threads if JIT else 0):
            params = self.params if differing.whole else self.params[:1].copy()
            arguments = addresses((*members.tables(params, self.states, self._scratch[thread]), world.context), ground)
            # in the order of STATES ... POSITION_WORD in memory.py
            layout = np.array([self.states.ctypes.data, self.states.itemsize, ground.heights.ctypes.data,
                               ground.cell_surface.ctypes.data, params.ctypes.data, params.itemsize,
                               position_word])  # fmt: skip
            rows = params.view(np.uint64).reshape(len(params), -1)
            self._work.append((params, partial(step_slice, members.code, arguments, layout, self._cache_lines,
                                               members.offsets, rows, differing.packed, differing.ranges, self._words,
                                               self._words.view(np.float64), self._before[thread],
                                               members.used)))  # fmt: skip

    def _slice(self, k: int, commands: np.ndarray, external: np.ndarray, first: int, last: int) -> None:
        """Step the vehicles from `first` to `last` - 1 by all commands, as the k-th thread."""
        if not JIT:
            self._plain_slice(commands, external, first, last)
            return
        ground, (_, call) = self.world.ground.arrays, self._work[k]
        call(external, commands, self._faults, first, last, self.tick_seconds, ground.heights,
                         ground.cell_surface, ground.terrain)  # fmt: skip

    def _plain_slice(self, commands: np.ndarray, external: np.ndarray, first: int, last: int) -> None:
        """`_slice` without compiled code."""
        for i in range(first, last):
            params_row, external_row = min(i, len(self.params) - 1), min(i, len(external) - 1)
            for tick in range(len(commands)):
                self._before[0][0] = self._words[i]
                code = self._members.plain_step(
                    self.params[params_row : params_row + 1], self.states[i : i + 1], self._scratch[0],
                    self.world.context, external[external_row], commands[tick, i : i + 1], self.tick_seconds,
                    *self.world.ground.arrays,
                )  # fmt: skip
                if code:
                    self._words[i] = self._before[0][0]
                    self._faults[i] = code, tick
                    break

    def _named_fault(self, i: int, commands: np.ndarray, external: np.ndarray) -> Fault:
        """The Fault of a vehicle that has been put back, diagnosed by repeating the faulty tick."""
        tick = int(self._faults[i, 1])
        self._load(i)
        self.world.tick = self.tick + tick
        external_row = min(i, len(external) - 1)
        fault = self.world.step(commands[tick, i : i + 1], external[external_row])
        assert fault is not None  # the tick fails as it did before
        return replace(fault, vehicle=i)

    # ---- states

    def read(self, name: str) -> np.ndarray:
        """[count] values of a channel (see `Vehicle.channels`), in its unit; a copy."""
        return self._members.channel_view(name, self.states).copy()

    def observe(self, names: Sequence[str]) -> np.ndarray:
        """[count, len(names)] float64 of several channels, one row per vehicle."""
        return np.column_stack([self._members.channel_view(name, self.states) for name in names]).astype(np.float64)

    def reset(self, mask: Rows | None = None) -> None:
        """Reset vehicles to their start: those where `mask` [count] is true, or all."""
        rows = slice(None) if mask is None else np.asarray(mask, bool)
        self._words[rows] = self._start[rows]

    def snapshot(self) -> bytes:
        """Tick and all states as bytes."""
        return self.tick.to_bytes(WORD, "little") + self._words.tobytes()

    def restore(self, data: bytes) -> None:
        """Restore a `snapshot`. Raises ValueError for an incompatible one."""
        if len(data) != WORD + self._words.nbytes:
            raise ValueError(f"a snapshot of this batch has {WORD + self._words.nbytes} bytes, this one {len(data)}")
        wrong = self._members.first_beyond(
            np.frombuffer(data, self.states.dtype, offset=WORD), len(self.world.ground.arrays.surfaces)
        )
        if wrong:
            raise ValueError(f"not valid states of this batch: {wrong}")
        self.tick = int.from_bytes(data[:WORD], "little")
        self._words[:] = np.frombuffer(data, np.uint64, offset=WORD).reshape(self._words.shape)

    def state_hash(self) -> int:
        """64-bit hash of tick and all states."""
        digest = hashlib.blake2b(self.tick.to_bytes(WORD, "little"), digest_size=WORD)
        digest.update(self._words.tobytes())
        return int.from_bytes(digest.digest(), "little")

    def close(self) -> None:
        """Stop the threads."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()


def _world_of(
    vehicle: Vehicle, environment: World | WorldFile | Ground, tick_seconds: float | None, substeps: int | None
) -> World:
    """A World for one vehicle, with ground and constants of a given World, or built from another `environment`."""
    if not vehicle.trailers:
        merge(vehicle.sequence)  # a batch steps by the merged step only
    props = environment.props if isinstance(environment, WorldFile | World) else None
    if props:
        file: Any = environment.file if isinstance(environment, World) else environment
        _log.warning("a batch has no props: those of %s are left out", getattr(file, "name", "this world"))
    if not isinstance(environment, World):
        return World(environment, [vehicle], tick_seconds=tick_seconds, substeps=substeps, props=())
    world = World(environment.ground, [vehicle], tick_seconds or environment.tick_seconds, substeps)
    world.context[:] = environment.context
    if substeps is not None:
        world.context["substep_count"] = substeps
    world.file = environment.file
    vehicle.derive()
    return world
