"""The vehicles of a world that are heard, and their FRAMEs.

Those of the first train are always heard. Of the others, a vehicle that moves, runs or is hit occupies a slot of the
scene, and releases it when it has done none of these for STILL_SECONDS. A parked one costs a comparison of its speed,
and no sound of it is computed. There are up to MOST_OTHERS slots; if more vehicles move, those nearest to the first
one are heard.

The engine of another vehicle is off until it is given throttle for the first time. One without bodywork passes through
the others and is drawn as a ghost; it runs from the start and is heard GHOST_GAIN as loud.

Props have slots of their own (heard_props.py).

Slots depend on ticks of the world alone, so a drive and its recording have the same.
"""

from typing import Any

import numpy as np

from driving_sandbox.physics.base.user_error import UserError
from driving_sandbox.physics.vehicle.vehicle import Vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.sound.axles import wheels_ahead
from driving_sandbox.sound.base.frame import ABSENT, FRAME
from driving_sandbox.sound.base.gain import nearer
from driving_sandbox.sound.estimate import estimated_sections
from driving_sandbox.sound.gather import (
    GATHERER,
    Gatherer,
    Shared,
    fill_many,
    note_moving,
    records,
    rub_vehicles,
    start_engines,
)
from driving_sandbox.sound.glide import EVERY_SLOT, NO_SLOT
from driving_sandbox.sound.heard_props import HeardProps
from driving_sandbox.sound.scene import Scene
from driving_sandbox.sound.space.emitters import EMITTERS
from driving_sandbox.sound.vehicle_sound import SECTION, VehicleSound, sound_of
from driving_sandbox.sound.voices import SEEDS, VoiceParameters

MOST_OTHERS = 8  # beside the first train; together they cost a sixth of a core
# m/s; below it tires and wind are silent; impacts that are heard change the speed by more (state/contact.py)
STILL_SPEED = 0.02
STILL_SECONDS = 1.5  # s after which a vehicle that stands is silent: longer than anything rings or travels
FADE_SECONDS = 0.05  # s, of a vehicle that releases its slot or changes its loudness; a shorter one clicks
REUSE_SECONDS = 1.0  # s until a released slot may be occupied: longer than frames wait for the device
NEARER = 0.7  # share of the farthest vehicle's distance within which another one gets its slot
LONG_AGO = -(10**9)  # a tick before all others
GHOST_GAIN = 0.251188643150958  # -12 dB, of a ghost: clearly behind the driven vehicle


def is_ghost(vehicle: Vehicle) -> bool:
    """Whether a vehicle passes through others."""
    return "contact" not in vehicle.sequence.by_slot


class _Slot:
    """A slot of the scene.

    Attributes:
        number: its index.
        vehicle: index of the vehicle that occupies it, or did last; -1 for none.
        attenuation: of that vehicle's FRAME.
        released: whether the vehicle's sound is fading or over.
        released_at: tick in which it was released.
    """

    def __init__(self, number: int) -> None:
        self.number, self.vehicle = number, -1
        self.attenuation, self.released, self.released_at = ABSENT, True, LONG_AGO


class HeardVehicles:
    """Fills the FRAMEs of a world's vehicles in their slots of a Scene.

    Args:
        world: World; vehicles may be swapped.
        spare: further slots, which others fill.
    Attributes:
        count: slots of vehicles, without those of props, and without the spare ones.
        gatherers: Gatherer of each vehicle of the world.
        ghost_level: gain of vehicles that are ghosts, in addition to GHOST_GAIN, 0..1.
        scene: Scene with a slot for each, and spare ones; those not occupied are absent.
        sounds: VehicleSound of each vehicle of the world.
    Raises:
        ConfigError: a vehicle's section `sound` is wrong.
    """

    def __init__(self, world: World, spare: int = 0) -> None:
        self._world, self._first = world, len(world.trains[0])
        self.ghost_level = 1.0
        others = range(self._first, len(world.vehicles))
        self.count = self._first + min(MOST_OTHERS, len(others))
        self._read()
        self._props = HeardProps(world, self.count)
        self._props.set_materials(self.sounds)
        total = self.count + self._props.count + spare
        parameters, emitters = np.zeros(total, VoiceParameters), np.zeros(total, EMITTERS)
        for k, sound in enumerate(self.sounds[: self._first]):
            parameters[k], emitters[k] = sound.parameters, sound.emitters
        self.scene = Scene(parameters, emitters)
        self._slots = [_Slot(number) for number in range(self._first, self.count)]
        self._shared = Shared(world, self._props.touches)
        self._memory = records(np.zeros(len(world.vehicles), GATHERER))
        self._gather_from_all()
        if world.between is not None:  # compile or load the kernel; otherwise that happens at the first touch
            contacts, _, vehicle_of = world.between.contacts
            rub_vehicles(contacts, 0, vehicle_of, self._memory, self._props.touches, LONG_AGO)
        for k in others:
            self._memory["running"][k] = is_ghost(world.vehicles[k])
        # vehicle of each slot whose FRAME is to be filled, -1 for none; the driven train always
        self._filled = np.arange(self.count)
        self._filled[self._first :] = -1
        self._moved = np.full(len(others), LONG_AGO)  # tick in which each of the others last moved
        self._tick, self._scratch = 0, records(np.zeros(len(others), FRAME))  # `_tick`: ticks gathered

    def _gather_from_all(self) -> None:
        """Make gatherers of the world's present vehicle objects; engines that run and crank angles go on."""
        vehicles, running = self._world.vehicles, self._memory["running"].copy()
        crank_angles = self._memory["memory"]["crank_angle"].copy()
        self._memory[:] = np.zeros(1, GATHERER)
        self._memory["memory"]["crank_angle"] = crank_angles
        self.gatherers = [
            Gatherer(vehicle, self._world, sound.assumed_boost, sound.usual_torque, self._memory[k : k + 1])
            for k, (vehicle, sound) in enumerate(zip(vehicles, self.sounds, strict=True))
        ]
        self._memory["running"][self._first :] = running[self._first :]
        self._heard = list(vehicles)
        self._known = False  # whether the others' gatherers have a tick with which they can compare the next one

    def _note(self) -> None:
        """Note the sections `sound` that are read, and the number of calls of `derive`, which every change calls."""
        self._sections = [vehicle.info.get(SECTION) for vehicle in self._world.vehicles]
        self._derivations = [vehicle.derivations for vehicle in self._world.vehicles]

    def _read(self) -> None:
        """Read the sounds of all vehicles. Raises ConfigError."""
        self._note()
        self.sounds: list[VehicleSound] = [sound_of(vehicle) for vehicle in self._world.vehicles]
        self._bases = [_Basis(vehicle) for vehicle in self._world.vehicles]

    def has_swapped(self) -> bool:
        """Whether the world has other vehicle objects than those gathered from."""
        return self._heard != self._world.vehicles

    def has_changed(self) -> bool:
        """Whether a vehicle was swapped, its section `sound` was replaced, or a parameter was set, since `follow`."""
        vehicles = self._world.vehicles
        return (
            self._heard != vehicles
            or [vehicle.derivations for vehicle in vehicles] != self._derivations
            or [vehicle.info.get(SECTION) for vehicle in vehicles] != self._sections
        )

    def apply_changes(self) -> None:
        """Apply what `has_changed`: the voices glide to the vehicles' present sounds.

        Raises ConfigError; the vehicle of which it speaks keeps its former sound then.
        """
        swapped, sections, error, changed = self.has_swapped(), self._sections, None, False
        self._note()
        for k, vehicle in enumerate(self._world.vehicles):
            basis = _Basis(vehicle, self._bases[k])
            if basis == self._bases[k] and self._sections[k] == sections[k]:
                self._bases[k] = basis
                continue
            self._bases[k] = basis
            try:
                self.sounds[k], changed = sound_of(vehicle), True
            except UserError as problem:
                error = problem
            self.gatherers[k].update_parameters(self.sounds[k].assumed_boost, self.sounds[k].usual_torque)
        if swapped:
            self._gather_from_all()
        if changed:
            self._props.set_materials(self.sounds)
            glides = self._tick > 0  # else nothing has been heard yet
            self.scene.tune(self.parameters(), NO_SLOT if glides else EVERY_SLOT)
        if error is not None:
            raise error

    def parameters(self) -> Any:
        """VoiceParameters [slots] of the present sounds; slots that nobody has had keep theirs."""
        result = self.scene.tuned.copy()
        for k, sound in enumerate(self.sounds[: self._first]):
            result[k] = sound.parameters
        for slot in self._slots:
            if slot.vehicle >= 0:
                result[slot.number] = self.sounds[slot.vehicle].parameters
        return result

    def forget(self) -> None:
        """Call after a jump of the world: what rises in the next tick is no impact."""
        for gatherer in self.gatherers:
            gatherer.forget()
        self._props.forget()
        self._known = False

    def note_throttles(self) -> None:
        """Call after a tick that is not gathered: an engine that is given throttle runs from then on."""
        if self._slots and not self.has_swapped():
            start_engines(self._memory)

    def gather(self, frames: Any, complete: bool = True, row_ticks: int = 1) -> None:
        """Fill the FRAMEs of a row after a tick; call it after every tick.

        Args:
            frames: FRAME [slots of the scene]; spare ones are left as they are.
            complete: as in Gatherer.gather.
            row_ticks: ticks that share a row.
        """
        self._tick += 1
        self._props.note(self.scene)
        self._note_rubs()
        arguments = self._shared.arguments(complete)
        if self._slots:
            self._update_slots(arguments)
            self._attenuate(row_ticks * self._world.tick_seconds / FADE_SECONDS if complete else 0.0)
        fill_many(frames, self._filled, self._memory, *arguments)
        if self._slots:
            frames["attenuation"][self._first : self.count] = [slot.attenuation for slot in self._slots]
        self._props.fill(frames, complete)

    def _note_rubs(self) -> None:
        """Take the contacts between vehicles of the last tick; before the vehicles' gathering."""
        between = self._world.between
        if between is not None and between.contacts[1] > 0:
            rub_vehicles(*between.contacts, self._memory, self._props.touches, self._world.tick)

    # ---- slots

    def _update_slots(self, arguments: tuple[Any, ...]) -> None:
        """Assign slots to vehicles that move, and release those of vehicles that have been still for long.

        arguments: of the tick, from Shared.
        """
        if not self._known:  # gather from all once, so that a rise can be seen
            self._known = True
            fill_many(self._scratch, np.arange(self._first, len(self._heard)), self._memory, *arguments)
        moving = note_moving(self._memory, self._first, STILL_SPEED, self._tick, self._moved)
        occupied = [slot for slot in self._slots if not slot.released]
        if not moving and not occupied:
            return  # as usual beside parked vehicles
        still = self._tick - STILL_SECONDS / self._world.tick_seconds
        for slot in occupied:
            moved = self._moved[slot.vehicle - self._first]
            moving -= moved == self._tick
            if moved < still:
                self._release(slot)
        if moving:
            self._assign({slot.vehicle for slot in occupied})

    def _assign(self, heard: set[int]) -> None:
        """Assign slots to vehicles that move and are not `heard` (indices)."""
        waiting = [k for k in self._first + np.flatnonzero(self._moved == self._tick) if k not in heard]
        distances = self._distances()
        for vehicle in sorted(waiting, key=lambda k: distances[k]):
            slot = self._slot_for(int(vehicle))
            if slot is None:  # farther ones wait, too
                self._release_farthest(distances, distances[vehicle])
                return
            self._occupy(slot, int(vehicle))

    def _distances(self) -> Any:
        """Distance of each vehicle from the first one, m."""
        positions = np.array([vehicle.state["body"]["position"][0] for vehicle in self._world.vehicles])
        return np.linalg.norm(positions - positions[0], axis=1)

    def _slot_for(self, vehicle: int) -> "_Slot | None":
        """The slot that a vehicle had last, or a free one in which nothing is heard any more; None without any."""
        rested = self._tick - REUSE_SECONDS / self._world.tick_seconds
        free = [slot for slot in self._slots if slot.released]
        own = [slot for slot in free if slot.vehicle == vehicle]
        ready = [slot for slot in free if slot.attenuation == ABSENT and slot.released_at < rested]
        return next(iter(own or sorted(ready, key=lambda slot: slot.vehicle)), None)

    def _occupy(self, slot: "_Slot", vehicle: int) -> None:
        """Let a vehicle occupy a slot: it is heard from this tick on."""
        if slot.vehicle != vehicle:
            slot.vehicle = vehicle
            sound = self.sounds[vehicle]
            self.scene.settle(slot.number, sound.parameters, sound.emitters, vehicle % SEEDS)
        slot.released = False
        if not is_ghost(self._world.vehicles[vehicle]):
            slot.attenuation = min(slot.attenuation, 0.0)

    def _release(self, slot: "_Slot") -> None:
        """Release a slot: its vehicle fades."""
        slot.released, slot.released_at = True, self._tick

    def _release_farthest(self, distances: Any, distance: float) -> None:
        """Release the slot of the farthest vehicle if one at a distance, m, is much nearer."""
        if any(slot.released for slot in self._slots):
            return  # a slot will be free soon
        farthest = max(self._slots, key=lambda slot: distances[slot.vehicle])
        if distance < NEARER * distances[farthest.vehicle]:
            self._release(farthest)

    # ---- frames

    def _attenuate(self, change: float) -> None:
        """Choose the vehicles whose FRAMEs are filled, and their attenuation, which changes by at most `change`."""
        for slot in self._slots:
            if slot.released and slot.attenuation == ABSENT:
                self._filled[slot.number] = -1
                continue
            wanted = ABSENT
            if not slot.released:
                ghost = is_ghost(self._world.vehicles[slot.vehicle])
                wanted = 1.0 - GHOST_GAIN * self.ghost_level if ghost else 0.0
            before, slot.attenuation = slot.attenuation, nearer(slot.attenuation, wanted, change)
            present = before != ABSENT or wanted != ABSENT  # also in the row in which its fade ends
            self._filled[slot.number] = slot.vehicle if present else -1


class _Basis:
    """What a vehicle's sound is estimated from. former: an earlier _Basis, used again if no parameter has changed."""

    def __init__(self, vehicle: Vehicle, former: "_Basis | None" = None) -> None:
        self._vehicle, self._bytes = vehicle, vehicle.params.tobytes()
        same = former is not None and former._vehicle is vehicle and former._bytes == self._bytes
        self._values: Any = former._values if same and former is not None else self._read()

    def _read(self) -> Any:
        """Comparable values."""
        return estimated_sections(self._vehicle)[0], wheels_ahead(self._vehicle).tolist()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Basis) and self._vehicle is other._vehicle and self._values == other._values

    __hash__ = None  # type: ignore[assignment]
