"""The vehicles of a world that are heard, and their FRAMEs.

Those of the first train are always heard. Of the others, a vehicle that moves, runs or is hit takes a place of the
scene, and leaves it when it has done none of these for STILL_SECONDS. A parked one costs a comparison of its speed, and
no sound of it is computed. There are up to MOST_OTHERS places; if more vehicles move, those nearest to the first one
are heard.

The engine of another vehicle is off until it is given throttle for the first time. One without bodywork passes through
the others and is drawn as a ghost; it runs from the start and is heard GHOST_GAIN as loud.

Places depend on ticks of the world alone, so a drive and its recording have the same.
"""

from typing import Any

import numpy as np

from driving_sandbox.physics.tick.commands import NEUTRAL
from driving_sandbox.physics.vehicle.vehicle import Vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.sound.base.frame import ABSENT, FRAME
from driving_sandbox.sound.base.gain import nearer
from driving_sandbox.sound.gather import Gatherer
from driving_sandbox.sound.scene import Scene
from driving_sandbox.sound.space.places import PLACES
from driving_sandbox.sound.state.drive import SHUT
from driving_sandbox.sound.state.words import MISSING, layout_of, words
from driving_sandbox.sound.vehicle_sound import VehicleSound, sound_of
from driving_sandbox.sound.voices import SEEDS, VoiceParameters

MOST_OTHERS = 8  # beside the first train; together they cost a sixth of a core
STILL_SPEED = (
    0.02  # m/s; slower, tires and wind are silent; impacts that are heard change it by more (state/contact.py)
)
STILL_SECONDS = 1.5  # s after which a vehicle that stands is silent: longer than anything rings or travels
FADE_SECONDS = 0.05  # s, of a vehicle that leaves its place or changes its loudness; a shorter one clicks
REUSE_SECONDS = 1.0  # s until a place that was left is taken: longer than frames wait for the device
NEARER = 0.7  # share of the farthest vehicle's distance within which another one takes its place from it
LONG_AGO = -(10**9)  # a tick before all others
GHOST_GAIN = 10.0 ** (-12.0 / 20.0)  # of a ghost: clearly behind the driven vehicle
# Fields of a FRAME that are 0 while the engine is off.
_DRIVE = ("engine_speed", "throttle", "load", "boost", "gear_speed", "shaft_speed", "gear_torque", "clutch_slip",
          "dog_speed", "brake", "burning", "starter", "gear_step")  # fmt: skip


def is_ghost(vehicle: Vehicle) -> bool:
    """Whether a vehicle passes through others."""
    return "contact" not in vehicle.sequence.by_slot


class _Place:
    """A place of the scene. number: its index; vehicle: index of the vehicle that has it, or had it last."""

    def __init__(self, number: int) -> None:
        self.number, self.vehicle = number, -1
        self.attenuation, self.leaving = ABSENT, True
        self.left_at = LONG_AGO  # tick in which it was left


class HeardVehicles:
    """Fills the FRAMEs of a world's vehicles at their places of a Scene.

    Args:
        world: World; vehicles may be swapped.
        spare: further places, which others fill.
    Attributes:
        count: places of vehicles, without the spare ones.
        gatherers: Gatherer of each vehicle of the world.
        ghost_level: gain of vehicles that are ghosts, in addition to GHOST_GAIN, 0..1.
        scene: Scene with a place for each, and spare ones; those not taken are absent.
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
        parameters, places = np.zeros(self.count + spare, VoiceParameters), np.zeros(self.count + spare, PLACES)
        for k, sound in enumerate(self.sounds[: self._first]):
            parameters[k], places[k] = sound.parameters, sound.places
        self.scene = Scene(parameters, places)
        self._places = [_Place(number) for number in range(self._first, self.count)]
        # of each vehicle of the world: whether its engine runs
        self._running = [k < self._first or is_ghost(vehicle) for k, vehicle in enumerate(world.vehicles)]
        self._moved = np.full(len(others), LONG_AGO)  # tick in which each of the others last moved
        self._tick, self._scratch = 0, np.zeros(1, FRAME)[0]
        self._gather_from_all()

    def _gather_from_all(self) -> None:
        """Make gatherers of the world's present vehicle objects."""
        vehicles = self._world.vehicles
        self.gatherers = [Gatherer(v, self._world, s.charge) for v, s in zip(vehicles, self.sounds, strict=True)]
        others = vehicles[self._first :]
        self._velocities = [vehicle.state["body"]["velocity"][0] for vehicle in others]
        self._throttles = [_throttle_of(vehicle) for vehicle in others]
        self._known = False  # whether the others' gatherers have a tick with which they can compare the next one

    def _read(self) -> None:
        """Read the sounds of all vehicles. Raises ConfigError; the former ones stay then."""
        self._sections = [vehicle.info.get("sound") for vehicle in self._world.vehicles]
        self.sounds: list[VehicleSound] = [sound_of(vehicle) for vehicle in self._world.vehicles]

    def has_swapped(self) -> bool:
        """Whether the world has other vehicle objects than those gathered from."""
        return any(
            gatherer.vehicle is not vehicle
            for gatherer, vehicle in zip(self.gatherers, self._world.vehicles, strict=True)
        )

    def has_retuned(self) -> bool:
        """Whether a vehicle's section `sound` was replaced, as tuning does it (sound/parameters.py)."""
        pairs = zip(self._world.vehicles, self._sections, strict=True)
        return any(vehicle.info.get("sound") is not section for vehicle, section in pairs)

    def follow(self) -> None:
        """Follow swapped vehicles and replaced sections; then `parameters` are those to be heard.

        Raises ConfigError; the former sounds stay then.
        """
        swapped, charges = self.has_swapped(), [sound.charge for sound in self.sounds]
        if swapped:
            self._gather_from_all()
        self._read()
        if swapped or charges != [sound.charge for sound in self.sounds]:
            self._gather_from_all()

    def parameters(self) -> Any:
        """VoiceParameters [places] of the present sounds; places that nobody has had keep theirs."""
        result = self.scene.tuned.copy()
        for k, sound in enumerate(self.sounds[: self._first]):
            result[k] = sound.parameters
        for place in self._places:
            if place.vehicle >= 0:
                result[place.number] = self.sounds[place.vehicle].parameters
        return result

    def forget(self) -> None:
        """Call after a jump of the world: what rises in the next tick is no impact."""
        for gatherer in self.gatherers:
            gatherer.forget()
        self._known = False

    def note_throttles(self) -> None:
        """Call after a tick that is not gathered: an engine that is given throttle runs from then on."""
        if self._places and not self.has_swapped():
            for k, throttle in enumerate(self._throttles, self._first):
                self._running[k] |= bool(throttle[0] > SHUT)

    def gather(self, frames: Any, complete: bool = True, row_ticks: int = 1) -> None:
        """Fill the FRAMEs of a row after a tick; call it after every tick.

        Args:
            frames: FRAME [at least `count`]; spare ones are left as they are.
            complete: as in Gatherer.gather.
            row_ticks: ticks that share a row.
        """
        for k in range(self._first):
            self.gatherers[k].gather(frames[k], complete)
        self._tick += 1
        if self._places:
            self._assign()
            change = row_ticks * self._world.tick_seconds / FADE_SECONDS if complete else 0.0
            frames["attenuation"][self._first : self.count] = ABSENT
            for place in self._places:
                if not place.leaving or place.attenuation != ABSENT:
                    self._fill(place, frames[place.number], complete, change)

    # ---- places

    def _assign(self) -> None:
        """Give places to vehicles that move, and take them from those that have been still for long."""
        if not self._note_moving() and all(place.leaving for place in self._places):
            return
        seconds = self._world.tick_seconds
        still = self._tick - STILL_SECONDS / seconds
        taken = {place.vehicle: place for place in self._places if not place.leaving}
        for vehicle, place in taken.items():
            if self._moved[vehicle - self._first] < still:
                self._leave(place)
        waiting = [k for k in self._first + np.flatnonzero(self._moved == self._tick) if k not in taken]
        if not waiting:
            return
        distances = self._distances()
        for vehicle in sorted(waiting, key=lambda k: distances[k]):
            place = self._place_for(int(vehicle))
            if place is None:  # farther ones wait, too
                self._push_out(distances, distances[vehicle])
                return
            self._take(place, int(vehicle))

    def _note_moving(self) -> bool:
        """Note which vehicles move or run, and gather from all once, so that a rise can be seen; whether any does."""
        if not self._known:
            self._known = True
            for gatherer in self.gatherers[self._first :]:
                gatherer.gather(self._scratch)
        velocities, throttles = np.concatenate(self._velocities), np.concatenate(self._throttles)
        running, limit = self._running[self._first :], STILL_SPEED * STILL_SPEED
        if velocities.dot(velocities) <= limit and throttles.max() <= SHUT and not any(running):
            return False  # as usual beside parked vehicles
        squares = np.square(velocities).reshape(-1, 3).sum(axis=1)
        self._moved[(squares > limit) | (throttles > SHUT) | running] = self._tick
        return True

    def _distances(self) -> Any:
        """Distance of each vehicle from the first one, m."""
        positions = np.array([vehicle.state["body"]["position"][0] for vehicle in self._world.vehicles])
        return np.linalg.norm(positions - positions[0], axis=1)

    def _place_for(self, vehicle: int) -> "_Place | None":
        """The place that a vehicle had last, or a free one that nobody is heard of any more."""
        rested = self._tick - REUSE_SECONDS / self._world.tick_seconds
        free = [place for place in self._places if place.leaving]
        own = [place for place in free if place.vehicle == vehicle]
        ready = [place for place in free if place.attenuation == ABSENT and place.left_at < rested]
        return next(iter(own or sorted(ready, key=lambda place: place.vehicle)), None)

    def _take(self, place: "_Place", vehicle: int) -> None:
        """Let a vehicle be heard at a place, from this tick on."""
        if place.vehicle != vehicle:
            place.vehicle = vehicle
            sound = self.sounds[vehicle]
            self.scene.settle(place.number, sound.parameters, sound.places, vehicle % SEEDS)
        place.leaving = False
        if not is_ghost(self._world.vehicles[vehicle]):
            place.attenuation = min(place.attenuation, 0.0)

    def _leave(self, place: "_Place") -> None:
        """Let the vehicle at a place fade."""
        place.leaving, place.left_at = True, self._tick

    def _push_out(self, distances: Any, distance: float) -> None:
        """Let the farthest vehicle leave its place if one at a distance, m, is much nearer."""
        if any(place.leaving for place in self._places):
            return  # a place will be free soon
        farthest = max(self._places, key=lambda place: distances[place.vehicle])
        if distance < NEARER * distances[farthest.vehicle]:
            self._leave(farthest)

    # ---- frames

    def _fill(self, place: "_Place", frame: Any, complete: bool, change: float) -> None:
        """Fill the FRAME at a place. change: of its attenuation until this row."""
        wanted = ABSENT
        if not place.leaving:
            wanted = 1.0 - GHOST_GAIN * self.ghost_level if is_ghost(self._world.vehicles[place.vehicle]) else 0.0
        before, place.attenuation = place.attenuation, nearer(place.attenuation, wanted, change)
        if place.vehicle >= 0 and (before != ABSENT or wanted != ABSENT):  # also the row in which its fade ends
            self._gather_other(place.vehicle, frame, complete)
        frame["attenuation"] = place.attenuation

    def _gather_other(self, vehicle: int, frame: Any, complete: bool) -> None:
        """Fill the FRAME of a vehicle whose engine may be off."""
        self.gatherers[vehicle].gather(frame, complete)
        if not self._running[vehicle]:
            self._running[vehicle] = bool(frame["throttle"] > SHUT)
            if not self._running[vehicle]:
                for name in _DRIVE:
                    frame[name] = 0
                frame["gear"] = NEUTRAL


def _throttle_of(vehicle: Vehicle) -> np.ndarray:
    """The word of a vehicle's throttle, float64 [1]; zeros if it has none."""
    word = int(layout_of(vehicle)[0]["throttle"])
    return np.zeros(1) if word == MISSING else words(vehicle.state, np.float64)[word : word + 1]
