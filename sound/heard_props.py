"""The props of a world that are heard, and their FRAMEs.

A prop that is hit, falls, slides or rolls occupies one of MOST_PROPS slots of the scene, the loudest and nearest first,
and releases it STILL_SECONDS after it last sounded. While all slots are occupied, the sound of further ones is part of
that of the vehicle that hits them. Nothing is computed for props at rest.

Slots depend on ticks of the world alone, so a drive and its recording have the same.
"""

from typing import Any

import numpy as np

from driving_sandbox.physics.props.kinds import Kind
from driving_sandbox.physics.props.props import Props
from driving_sandbox.physics.props.records import PropArrays
from driving_sandbox.physics.world.world import World
from driving_sandbox.sound.base.frame import ABSENT, FRAME
from driving_sandbox.sound.body.materials import PANEL, PROP_MATERIALS
from driving_sandbox.sound.gather import records
from driving_sandbox.sound.scene import Scene
from driving_sandbox.sound.space.emitters import EMITTERS
from driving_sandbox.sound.state.touch import LONG_AGO, fill_props, note_sounding, touch, untouched
from driving_sandbox.sound.surroundings import struck_materials
from driving_sandbox.sound.voices import SEEDS, default_record, voice_parameters

MOST_PROPS = 4  # heard at the same time
STILL_SECONDS = 1.5  # s from a prop's last sounding until it loses its slot: longer than a barrel rings
REUSE_SECONDS = 1.0  # s until a released slot may be occupied: longer than frames wait for the device
FARTHEST = 120.0  # m from the first vehicle, beyond which no prop is heard
NEAREST = 5.0  # m, within which distance does not count
SIZE = 0.65  # m, radius of a prop whose modes have the frequencies listed for its material
LOWEST_PITCH, HIGHEST_PITCH = 0.6, 1.6  # limits of the factor on these frequencies for props of other radii


class _Slot:
    """A slot of the scene.

    Attributes:
        index: of the slot among those of props.
        prop: number of the prop that occupies it, or did last; -1 for none.
        released: whether it is free.
        released_at: tick in which it was released.
    """

    def __init__(self, index: int) -> None:
        self.index, self.prop, self.released, self.released_at = index, -1, True, LONG_AGO


def prop_parameters(kind: Kind) -> Any:
    """VoiceParameters record of a kind of prop: larger ones are deeper."""
    body = default_record("body")
    body["material"] = PROP_MATERIALS[kind.sound]
    body["pitch"] = float(np.clip(np.sqrt(SIZE / kind.radius), LOWEST_PITCH, HIGHEST_PITCH))
    body["least_impulse"] = 0.0  # what counts as an impact depends on its mass (sound/state/touch.py)
    return voice_parameters({"body": body})


class HeardProps:
    """Fills the FRAMEs of a world's props in their slots of a Scene.

    Args:
        world: World.
        first: number of the first slot.
    Attributes:
        count: slots.
        touches: TOUCH [vehicles], what touched each vehicle; valid in the tick that it names.
    """

    def __init__(self, world: World, first: int) -> None:
        self._world, self._first = world, first
        self._present_props = world.props
        kinds = [] if world.props is None else world.props.kinds
        self.count = MOST_PROPS if kinds else 0
        self._slots = [_Slot(k) for k in range(self.count)]
        self._filled = np.full(self.count, -1)  # number of the prop whose FRAME is filled in each slot, or -1
        self._releasing = np.zeros(self.count, np.int64)  # 1 while the FRAME of a released slot is still filled
        self._touches = records(untouched(len(kinds) + len(world.vehicles)))  # of props, then vehicles
        self.touches = self._touches[len(kinds) :]  # of vehicles
        self._columns = [self.touches[name] for name in ("tick", "other_prop", "rings")]
        self._touched = np.zeros(len(self._touches), np.int64)  # indices in `_touches` of the bodies touched in a tick
        self._heard_at, self._loudness = np.full(len(kinds), LONG_AGO), np.zeros(len(kinds))
        self._slot_of = np.full(len(kinds), -1)  # index in `_slots` of each prop's slot, or -1
        unique = list({kind.key: kind for kind in kinds}.values())  # in the order of the props' arrays
        self._parameters = {kind.key: prop_parameters(kind) for kind in unique}
        self._materials = np.array([PROP_MATERIALS[kind.sound] for kind in unique], np.int64)
        self._rolls = np.array([kind.rolls for kind in unique], np.int64)
        self._struck = struck_materials(world.ground.surfaces)
        self._vehicle_materials = np.full(len(world.vehicles), PANEL)
        self._known = False  # whether the tick before is known
        if self.count:
            self._prepare()

    @property
    def _props(self) -> Props:
        """The world's props, where there must be some."""
        assert self._present_props is not None
        return self._present_props

    def _prepare(self) -> None:
        """Compile or load the kernels; otherwise that happens when a prop is first touched."""
        arrays, contacts, near = self._props.contacts(LONG_AGO)
        self._take_contacts(arrays, contacts, near, LONG_AGO)
        self._fill(records(np.zeros(self._first + self.count, FRAME)), True)

    def set_materials(self, sounds: Any) -> None:
        """Take the materials of the vehicles' bodywork. sounds: VehicleSound of each vehicle."""
        for k, sound in enumerate(sounds):
            self._vehicle_materials[k] = sound.parameters["body"]["material"]

    def forget(self) -> None:
        """Call after a jump of the world: what rises in the next tick is no impact."""
        self._known = False

    # ---- slots

    def note(self, scene: Scene) -> None:
        """Take the contacts of the last tick, and assign slots to props that sound; before the vehicles' gathering."""
        if not self.count:
            return
        tick, dt = self._world.tick, self._world.tick_seconds
        arrays, contacts, near = self._props.contacts(tick)
        waiting_count = self._take_contacts(arrays, contacts, near, tick) if contacts else 0
        self._known = True
        self._release(tick - STILL_SECONDS / dt)
        if waiting_count:
            self._assign(scene, tick, tick - REUSE_SECONDS / dt)
        if contacts:
            self._note_ringing(near, tick)

    def _take_contacts(self, arrays: PropArrays, contacts: int, near: list[int], tick: int) -> int:
        """Write what touched what in a tick; returns how many props sound in it and have no slot.

        Arguments as from `Props.contacts`.
        """
        found = touch(
            arrays.contacts, contacts, arrays.bodies, arrays.prop_of, arrays.kind_of, np.array(near, np.int64),
            self._touches, self._touched, self._materials, self._rolls, self._vehicle_materials, self._struck, tick,
            self._known,
        )  # fmt: skip
        return note_sounding(
            self._touches, self._touched, found, arrays.kind_of, arrays.kinds, tick, self._world.tick_seconds,
            self._slot_of, self._heard_at, self._loudness,
        )  # fmt: skip

    def _note_ringing(self, near: list[int], tick: int) -> None:
        """Mark vehicles that a prop without a slot touches hardest: its sound is then part of theirs."""
        ticks, props, rings = self._columns
        for vehicle in near:
            if ticks[vehicle] == tick and props[vehicle] >= 0:
                rings[vehicle] = self._slot_of[props[vehicle]] < 0

    def _release(self, before: float) -> None:
        """Release the slots of props that last sounded before the tick `before`."""
        for slot in self._slots:
            if not slot.released and self._heard_at[slot.prop] < before:
                slot.released, slot.released_at = True, self._world.tick
                self._slot_of[slot.prop], self._releasing[slot.index] = -1, 1

    def _assign(self, scene: Scene, tick: int, rested: float) -> None:
        """Assign free slots to waiting props, the loudest and nearest first.

        rested: tick. A slot released before it may go to any prop, one released later only to the prop that had it.
        """
        if not any(slot.released for slot in self._slots):
            return
        waiting = np.flatnonzero((self._heard_at == tick) & (self._slot_of < 0))
        away = self._props.state["position"][waiting] - self._world.vehicles[0].state["body"]["position"][0]
        distances = np.sqrt(np.square(away).sum(axis=1))
        loudness = self._loudness[waiting] / np.square(np.maximum(distances, NEAREST))
        for k in np.argsort(-loudness, kind="stable"):
            free = [slot for slot in self._slots if slot.released]
            own = [slot for slot in free if slot.prop == waiting[k]]
            ready = own or [slot for slot in free if slot.released_at < rested]
            if not ready:
                return
            if distances[k] < FARTHEST:
                self._occupy(ready[0], int(waiting[k]), scene)

    def _occupy(self, slot: _Slot, prop: int, scene: Scene) -> None:
        """Let a prop occupy a slot: it is heard from this tick on."""
        if slot.prop != prop:
            parameters = self._parameters[self._props.kinds[prop].key]
            seed = SEEDS // 2 + prop % (SEEDS // 4)  # beyond the numbers of vehicles
            scene.settle(self._first + slot.index, parameters, np.zeros(1, EMITTERS)[0], seed)
        slot.prop, slot.released = prop, False
        self._touches["kept_impact"][prop] = 0.0
        self._slot_of[prop] = slot.index
        self._filled[slot.index], self._releasing[slot.index] = prop, 0

    # ---- frames

    def fill(self, frames: Any, complete: bool) -> None:
        """Fill the FRAMEs of a row after a tick; arguments as in `HeardVehicles.gather`."""
        if not self.count:
            return
        if self._filled.max() < 0:
            frames["attenuation"][self._first : self._first + self.count] = ABSENT
            return
        self._fill(frames, complete)
        if complete:
            self._filled[self._releasing == 1] = -1
            self._releasing[:] = 0

    def _fill(self, frames: Any, complete: bool) -> None:
        """Fill the FRAMEs of the slots: those without a prop are ABSENT."""
        arrays = self._props.contacts(self._world.tick)[0]
        fill_props(
            frames, self._first, self._filled, self._releasing, arrays.props, arrays.kind_of, arrays.kinds,
            self._touches, self._world.tick, self._world.tick_seconds, int(complete),
        )  # fmt: skip
