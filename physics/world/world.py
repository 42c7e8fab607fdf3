"""A world: ground and vehicles, stepped together in fixed ticks.

`step` is the whole physics of a tick. Equal states and equal commands give bit-identical results. A vehicle whose state
becomes invalid (NaN, infinity, a speed or position above the limit) is reset to its state before the tick; the fault
names component and wheel.

A vehicle and its trailers, if it has any, are a *train*: the trailers follow the towing vehicle in the list of
vehicles, are stepped with it (physics/contact/chain.py), follow its commands, and are placed and reset with it.
"""

import hashlib
import math
from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise

import numpy as np

from driving_sandbox.physics.base.user_error import WrongValue
from driving_sandbox.physics.contact.chain import FAULT_STRIDE, chain_of
from driving_sandbox.physics.ground.ground import Ground
from driving_sandbox.physics.props.placing import PlacedProp
from driving_sandbox.physics.props.props import Props
from driving_sandbox.physics.tick.commands import COMMAND
from driving_sandbox.physics.tick.context import EXTERNAL
from driving_sandbox.physics.tick.guard import BODY_FAULT, WHEEL_FAULT
from driving_sandbox.physics.tick.parts import bind_soonest, note_merged
from driving_sandbox.physics.tick.used_state import UsedStates
from driving_sandbox.physics.vehicle.vehicle import Vehicle
from driving_sandbox.physics.world.fault import Fault, FaultError
from driving_sandbox.physics.world.parameters import WorldParameters
from driving_sandbox.physics.world.placing import heading_of, stand
from driving_sandbox.physics.world.vehicle_contact import VehicleContact
from driving_sandbox.physics.world.world_file import WorldFile, context_of

LAST_TICK = 2**62  # largest tick number accepted in a snapshot; no simulation reaches it
# Ticks of one `run` from which merged steps are compiled first: seconds of compiling, for a tenth less time
WORTH_MERGING = 1_000_000


class World:
    """Ground, vehicles and shared constants.

    A vehicle touches the ground and the world's meshes, is hitched to its trailers, and collides with other vehicles by
    its bodywork (physics/world/vehicle_contact.py), on which wheels of others can stand; vehicles placed into each
    other do not collide until they have parted. Props are bodies of the world as well (physics/props).

    Args:
        environment: a WorldFile or a Ground.
        vehicles: list of Vehicle, without their trailers, which are added.
        tick_seconds, substeps: override the world file's, which are 1/240 s and 4 for a Ground.
        vehicle_contact: whether vehicles collide with each other.
        wheels_on_vehicles: whether they also stand on each other with their suspension.
        props: PlacedProp list, by default those of the world file; () for none.
    Attributes:
        file, ground: the WorldFile, or None without one; the Ground.
        tick_seconds: length of a tick, s.
        vehicles: all vehicles, each followed by its trailers.
        loaded: the vehicles at construction, before any was swapped.
        trains: range of indices into `vehicles` for each train, the towing vehicle first.
        context: CONTEXT array, length 1: gravity, air, substeps, minimum speeds of slip.
        parameters: WorldParameters, the values of context and ground that can be changed between ticks.
        tick: number of ticks done.
        between: VehicleContact, or None if vehicles do not collide.
        props: Props, or None without any.
        acted: EXTERNAL array of the last tick, the sum of `step`'s `external` and of the contacts with other vehicles
            and props; None without any.
    Raises:
        WrongValue: a tick or a number of substeps outside their limits.
    """

    def __init__(
        self,
        environment: WorldFile | Ground,
        vehicles: Sequence[Vehicle],
        tick_seconds: float | None = None,
        substeps: int | None = None,
        vehicle_contact: bool = True,
        props: Sequence[PlacedProp] | None = None,
        wheels_on_vehicles: bool = True,
    ) -> None:
        self.file = environment if isinstance(environment, WorldFile) else None
        self.ground = environment if isinstance(environment, Ground) else environment.ground()
        self.vehicles: list[Vehicle] = []
        self.trains: list[range] = []
        for vehicle in vehicles:
            first = len(self.vehicles)
            self.vehicles += [vehicle, *vehicle.trailers]
            self.trains.append(range(first, len(self.vehicles)))
        self.loaded = tuple(self.vehicles)
        rate = self.file.tick_rate if self.file else 240.0
        self.tick_seconds = 1.0 / rate if tick_seconds is None else float(tick_seconds)
        if not (math.isfinite(self.tick_seconds) and self.tick_seconds > 0.0):
            raise WrongValue(f"a tick must last longer than 0 s, not {self.tick_seconds}")
        self.context = context_of(self.file, substeps)
        self.parameters = WorldParameters(self.context, self.ground, lambda: self.vehicles)
        self.tick = 0
        self._no_actions = [np.zeros(len(train), EXTERNAL) for train in self.trains]  # for ticks without `external`
        self._last_good = UsedStates(self.vehicles)
        for vehicle in self.vehicles:
            vehicle.context = self.context
            vehicle.derive()
        self._merged = [True] * len(vehicles)  # whether the step of a train is compiled as a whole
        self._steps = [self._bind(k, vehicle) for k, vehicle in enumerate(vehicles)]
        self.vehicle_contact, self.wheels_on_vehicles = vehicle_contact, vehicle_contact and wheels_on_vehicles
        self.acted: np.ndarray | None = None
        self.between = self._contact_between()
        placed = (self.file.props if self.file else ()) if props is None else props
        self.props = Props(placed, self.ground, self.vehicles) if placed else None

    def _bind(self, k: int, v: Vehicle) -> Callable[..., int]:
        """The tick of train k, a vehicle v and its trailers: a function (external, command, dt) -> fault code or 0."""
        if v.trailers:
            return chain_of(v).bind(self.context, self.ground.arrays)
        step, self._merged[k] = bind_soonest(v.sequence, v.params, v.state, v.scratch, self.context, self.ground.arrays)
        return step

    def _contact_between(self) -> VehicleContact | None:
        """Contact between the vehicles; None for a single train, or if vehicles do not collide."""
        collide = self.vehicle_contact and len(self.trains) > 1
        if not collide:
            return None
        return VehicleContact(self.vehicles, self.trains, self.ground.surfaces, self.wheels_on_vehicles)

    def in_parts(self) -> list[int]:
        """Indices of the vehicles still stepped kernel by kernel, as their merged step is not compiled yet."""
        return [train.start for train, merged in zip(self.trains, self._merged, strict=True) if not merged]

    def merge(self, index: int) -> None:
        """Step a vehicle by its merged step from now on: equal results, faster. Compiles or loads it if necessary."""
        k = next(k for k, train in enumerate(self.trains) if index in train)
        v = self.vehicles[index]
        self._steps[k] = v.sequence.bind(v.params, v.state, v.scratch, self.context, self.ground.arrays)
        note_merged(v.sequence)
        self._merged[k] = True

    def swap(self, index: int, vehicle: Vehicle) -> None:
        """Replace a vehicle by another one between two ticks; the new one keeps its own state and takes the trailers.

        Raises ValueError for a trailer.
        """
        k = next(k for k, train in enumerate(self.trains) if index in train)
        train = self.trains[k]
        if index != train.start:
            raise ValueError(f"{self.vehicles[index].name} is a trailer and cannot be swapped")
        vehicle.trailers = tuple(self.vehicles[train.start + 1 : train.stop])
        vehicle.context = self.context
        self._steps[k] = self._bind(k, vehicle)  # first: it fails if a kernel cannot be compiled
        self.vehicles[index] = vehicle
        self._last_good = UsedStates(self.vehicles)
        self.between = self._contact_between()
        if self.props is not None:
            self.props.use(self.vehicles)

    @property
    def time(self) -> float:
        """Simulated seconds since the start."""
        return self.tick * self.tick_seconds

    def step(self, commands: np.ndarray, external: np.ndarray | None = None) -> Fault | None:
        """One tick.

        Args:
            commands: COMMAND array, one per train; or one per vehicle, of which those of trailers are ignored.
            external: EXTERNAL array, impulses and forces from outside, one record per vehicle; or None.
        Returns:
            None, or the Fault of the first faulty train of this tick; every faulty train has been reset.
        Raises:
            ValueError: another number of commands, or not COMMAND records.
        """
        count = len(commands)
        if (commands.dtype is not COMMAND and commands.dtype != COMMAND) or (
            count != len(self.vehicles) and count != len(self.trains)
        ):
            raise ValueError(
                f"step takes {len(self.trains)} or {len(self.vehicles)} COMMAND records, "
                f"not {commands.shape} of {commands.dtype}"
            )
        self._last_good.keep()
        if self.props is not None and (self.tick >= self.props.quiet_until or external is not None):
            external = self.props.act(self.tick, external, self.context, self.tick_seconds)
        if self.between is None:
            self.acted = external
            faults = self._step_trains(range(len(self.trains)), commands, external)
        else:
            faults = self._step_with_contact(self.between, commands, external)
        for k in faults:
            self._forget_supports(self.trains[k])
        self.tick += 1
        return faults[min(faults)] if faults else None

    def _step_with_contact(
        self, between: VehicleContact, commands: np.ndarray, external: np.ndarray | None
    ) -> dict[int, Fault]:
        """A tick in which vehicles may touch; returns {index of train: Fault}."""
        actions = between.begin(external, self.tick_seconds, int(self.context["substep_count"][0]))
        self.acted = external if actions is None else actions
        faults = self._step_trains(range(len(self.trains)), commands, self.acted)
        actions = None if actions is None else between.end()
        if actions is not None:
            self.acted = actions
            for k in between.touching:
                faults.pop(k, None)
                for i in self.trains[k]:
                    self._last_good[i].put_back()
            faults |= self._step_trains(between.touching, commands, actions)
        return faults

    def _step_trains(
        self, indices: Sequence[int], commands: np.ndarray, external: np.ndarray | None
    ) -> dict[int, Fault]:
        """A tick of the trains with the given indices; returns {index of train: Fault}."""
        one_per_train, faults = len(commands) != len(self.vehicles), {}
        for k in indices:
            train = self.trains[k]
            row = k if one_per_train else train.start
            train_external = self._no_actions[k] if external is None else external[train.start : train.stop]
            command = commands[row : row + 1]
            code = self._steps[k](train_external, command, self.tick_seconds)
            if code:
                faults[k] = self._fault(train, code, train_external, command)
        return faults

    def run(
        self, commands: np.ndarray, channels: Sequence[str] = (), index: int = 0, external: np.ndarray | None = None
    ) -> dict[str, np.ndarray]:
        """Step once for each command, and log channels of one vehicle.

        Args:
            commands: COMMAND array [ticks], the same for every vehicle, or [ticks, n] with rows as `step` takes them.
            channels: names of the channels to log, of those in `Vehicle.channels`.
            index: index of the logged vehicle.
            external: as for `step`, the same in every tick.
        Returns:
            {channel: float64 [ticks]}, values after each tick, in the channel's unit.
        Raises:
            UnknownName: no such channel.
            FaultError: a vehicle's state became invalid; its train is in the state before that tick.
        """
        for unmerged in self.in_parts() if len(commands) >= WORTH_MERGING else ():
            self.merge(unmerged)
        views = [self.vehicles[index].channel_view(name) for name in channels]
        log = np.zeros((len(views), len(commands)))
        rows = np.repeat(commands[:, None], len(self.trains), axis=1) if commands.ndim == 1 else commands
        for tick, row in enumerate(rows):
            fault = self.step(row, external)
            if fault is not None:
                raise FaultError(fault)
            for values, view in zip(log, views, strict=True):
                values[tick] = view[0]
        return dict(zip(channels, log, strict=True))

    def _fault(self, train: range, code: int, external: np.ndarray, command: np.ndarray) -> Fault:
        """Reset a train, and find the faulty component by repeating the tick with a check after every kernel.

        Every unit is repeated by itself: by the end of a tick, NaN has spread to all of them through the hitches.
        """
        member, code = divmod(code, FAULT_STRIDE)
        first = None
        for k, index in enumerate(train):
            traced = self._trace(index, external[k : k + 1], command)
            if traced and first is None:
                member, first = k, traced
        index = train[member]
        vehicle = self.vehicles[index]
        if first:
            component, wheel, problem = first
        elif code == BODY_FAULT:
            component, wheel, problem = "body", None, "the body's speed or position is above the limit"
        else:
            component, wheel = "wheel", vehicle.wheel_names[code - WHEEL_FAULT]
            problem = f"wheel {wheel} spins above the limit"
        text = f"{vehicle.name}: {problem} at {self.time:.3f} s; reset to the tick before"
        return Fault(index, component, wheel, self.tick, text)

    def _trace(self, index: int, external: np.ndarray, command: np.ndarray) -> tuple[str, str | None, str] | None:
        """(component, wheel name or None, description) of the first NaN or infinity in a tick of one vehicle, or None.

        Afterwards the vehicle is in its state before the tick.
        """
        vehicle, good_state = self.vehicles[index], self._last_good[index]
        good_state.put_back()
        slot, word = vehicle.sequence.trace(
            vehicle.state_bytes.view(np.float64), vehicle.sequence.float_words, vehicle.params, vehicle.state,
            vehicle.scratch, self.context, external, command, self.tick_seconds, *self.ground.arrays,
        )  # fmt: skip
        good_state.put_back()
        if slot < 0:
            return None
        wheel = None
        component, wheel_index, key = vehicle.sequence.locate(int(word))
        # a word that belongs to no slot (`locate` says "tick") is reported for the component that ran when it was found
        component = list(vehicle.sequence.by_slot)[slot] if component == "tick" else component
        if wheel_index is not None and wheel_index < vehicle.wheel_count:
            wheel = vehicle.wheel_names[wheel_index]
        return component, wheel, f"{component}{'.' + wheel if wheel else ''}.{key} is infinite or not a number"

    # ---- state

    def snapshot(self) -> bytes:
        """Bytes of the tick number, all vehicles, the contact between them, and the props that have moved."""
        states = (vehicle.state_bytes.data for vehicle in self.vehicles)
        return b"".join([self.tick.to_bytes(8, "little"), *states, *self._others()])

    def _others(self) -> tuple[bytes, bytes]:
        """State besides the vehicles': contact between them, and props; each may be empty."""
        return (
            b"" if self.between is None else self.between.snapshot(),
            b"" if self.props is None else self.props.snapshot(),
        )

    def restore(self, data: bytes) -> None:
        """Restore a `snapshot` of a world with the same vehicles. ValueError, and no change, if it is not one."""
        states, tick = self.states_of(data), int.from_bytes(data[:8], "little")
        if tick > LAST_TICK:
            raise ValueError(f"tick {tick} is beyond {LAST_TICK}")
        for vehicle, state in zip(self.vehicles, states, strict=True):
            vehicle.check_state(state, len(self.ground.arrays.surfaces))
        remainder = data[8 + sum(map(len, states)) :]
        contact = 0 if self.between is None else self.between.saved_size
        if self.between is not None:
            self.between.check(remainder[:contact])
        if self.props is not None:
            self.props.restore(remainder[contact:])
        if self.between is not None:
            self.between.restore(remainder[:contact])
        self.tick = tick
        for vehicle, state in zip(self.vehicles, states, strict=True):
            vehicle.state_bytes[:] = np.frombuffer(state, np.uint8)

    def states_of(self, data: bytes) -> list[bytes]:
        """The bytes of each vehicle's state in a `snapshot`. Raises ValueError if its length is another world's."""
        sizes = [len(v.state_bytes) for v in self.vehicles]
        expected = 8 + sum(sizes) + (0 if self.between is None else self.between.saved_size)
        if len(data) != expected and (self.props is None or len(data) < expected):
            or_more = "" if self.props is None else " or more"
            raise ValueError(f"a snapshot of this world has {expected} bytes{or_more}, this one {len(data)}")
        ends = list(accumulate(sizes, initial=8))
        return [data[start:end] for start, end in pairwise(ends)]

    def state_hash(self) -> int:
        """64-bit hash of a `snapshot`'s content."""
        digest = hashlib.blake2b(self.tick.to_bytes(8, "little"), digest_size=8)
        for vehicle in self.vehicles:
            digest.update(vehicle.state_bytes.data)
        for part in self._others():
            digest.update(part)
        return int.from_bytes(digest.digest(), "little")

    # ---- placing

    def spawn(self, name: str | None = None, index: int = 0) -> None:
        """Place a vehicle on a spawn point, the first one by default; in a world without any, at the origin.

        Raises ConfigError for an unknown name.
        """
        if self.file is None or not self.file.spawn_points:
            return self.place(index, (0.0, 0.0), 0.0)
        point = self.file.spawn(name)
        return self.place(index, point.coordinates, point.heading)

    def place(self, index: int, position: Sequence[float], heading: float) -> None:
        """Place a vehicle on the ground at rest, its springs near static load, its whole train straight behind it.

        Args:
            index: index of any unit of the train.
            position: (x, y) or (x, y, z) of the towing vehicle's model origin, m; with z, the origin is placed at that
                height, wherever the ground is, and all units are level.
            heading: rad, 0 along +y, positive to the left.
        Raises:
            ValueError: there is no ground at (x, y).
        """
        gravity = -float(self.context["gravity"][0, 2])
        train = [self.vehicles[i] for i in self.train_of(index)]
        stand(train, self.ground, gravity, tuple(position), heading)
        self._forget_supports(self.train_of(index))

    def _forget_supports(self, train: range) -> None:
        """Forget what the wheels of a train stood on before it was placed or reset, and what stood on it."""
        if self.props is not None:
            self.props.vehicles_placed(train)
        if self.between is not None and self.between.bodywork is not None:
            self.between.bodywork.forget(train)

    def train_of(self, index: int) -> range:
        """Range of the indices of the train that a vehicle belongs to, the towing vehicle first."""
        return next(train for train in self.trains if index in train)

    def recover(self, index: int = 0) -> None:
        """Put a train back on its wheels, at rest, where it is; without ground there, on the first spawn point."""
        vehicle = self.vehicles[self.train_of(index).start]
        x, y, _ = vehicle.model_position()
        try:
            self.place(index, (x, y), heading_of(vehicle))
        except ValueError:
            self.spawn(index=index)
