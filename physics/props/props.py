"""The props of a world: where they stand, their tick, their state in snapshots.

    props = Props(placed, ground, vehicles)
    acting = props.act(tick, external, context, dt)    # their tick, before that of the vehicles; impulses on these

Which props a vehicle or another prop may come to touch is looked at 20 times a second, or once where none is near. In
between, and while no prop moves and none is close, they cost nothing. `act` gives the same result however often that is
looked at: a look includes all that is within twice the distance covered until the next one, and MARGIN.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from driving_sandbox.physics.contact.pair_records import BODY, CONTACT, PAIR_SCRATCH, SHAPE
from driving_sandbox.physics.contact.records import CONTACT_STATE, SCRATCH, WHEEL_CAPACITY
from driving_sandbox.physics.ground.ground import Ground
from driving_sandbox.physics.kernel.jit import JIT
from driving_sandbox.physics.props.carriers import Carriers, motion_of
from driving_sandbox.physics.props.kinds import load_kind
from driving_sandbox.physics.props.looking import RADIUS, VEHICLE_ROW, find_near
from driving_sandbox.physics.props.placing import PlacedProp, placed_pose
from driving_sandbox.physics.props.records import (
    GROUND_CAPACITY,
    HEAVY,
    KIND,
    NONE,
    PAIR_CAPACITY,
    PROP,
    SLOT_CAPACITY,
    PropArrays,
)
from driving_sandbox.physics.props.saved import GIVEN, MOVED_PROP, restored
from driving_sandbox.physics.props.shape import hull_record, kind_record
from driving_sandbox.physics.props.solving import step_props
from driving_sandbox.physics.props.vehicles import NearVehicle
from driving_sandbox.physics.props.wheel_support import SUPPORT, WheelSupport
from driving_sandbox.physics.shape.hull import HULL, PART_CAPACITY
from driving_sandbox.physics.tick.context import EXTERNAL

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

LOOK_SECONDS = 0.05  # between two looks at what is near
FAR_SECONDS = 1.0  # at most, while nothing is
MARGIN = 2.0  # m beyond twice the distance covered until the next look
FAR_MARGIN = 12.0  # m likewise, while nothing is near: free fall from rest and a hard collision stay below
QUIET_MARGIN = 0.5  # m beyond twice the way to a prop: until then nothing is looked at
SLOWEST = 1.0  # m/s that a vehicle is taken to have at least
HASTE = 1.5  # times as far as at the present speed a wheel may get until the next look


class Props:
    """Props of one world, stepped with its vehicles.

    Args:
        placed: PlacedProp list. ground: of the world. vehicles: all Vehicles of the world.
    Attributes:
        placed: as given. kinds: Kind of each prop. groups: number of each prop's entry in the world file.
        state: PROP array [n]. moving: number of props that move. start: poses as they were placed, see `poses`.
        quiet_until: tick before which `act` has nothing to do in ticks without other actions.
    Raises:
        ConfigError: the file of a kind is wrong.
    """

    def __init__(self, placed: Sequence[PlacedProp], ground: Ground, vehicles: "Sequence[Vehicle]") -> None:
        self.placed = placed
        self.kinds = [load_kind(prop.kind) for prop in placed]
        self.groups = [prop.group for prop in placed]
        self._ground = ground
        self._arrays = self._arrays_of(placed, len(vehicles))
        self.state = self._arrays.props
        self._start = self.state.tobytes()
        hulls = self._arrays.hulls[self._arrays.kind_of]["radius"] if len(placed) else np.zeros(0)
        self._radii = np.ascontiguousarray(hulls)
        self._motions = np.zeros((len(vehicles), VEHICLE_ROW))
        self._close = np.zeros(len(vehicles), np.int64)
        self._moving_numbers = np.zeros(len(placed), np.int64)
        self._drivable = np.array([kind.drivable for kind in self.kinds], bool)
        self._carriers = Carriers(self._arrays, self.kinds, ground.surfaces)
        self._supports = np.zeros(len(vehicles), SUPPORT)
        for row, material in zip(
            self._arrays.pair_scratch["materials"][0], ground.surfaces.materials_in_order(), strict=False
        ):
            row[:] = material.friction, material.restitution
        self.use(vehicles)
        self.start = self.poses()

    def prepare(self) -> None:
        """Compile or load the kernels, which else happens when a vehicle first comes near a prop."""
        find_near(self.state[:0], self._radii[:0], self._motions[:0], LOOK_SECONDS, MARGIN, self._moving_numbers,
                  self._arrays.near, self._close)  # fmt: skip
        step_props(self._arrays, self._ground.arrays, 0, 0, np.zeros(3), LOOK_SECONDS)

    def _arrays_of(self, placed: Sequence[PlacedProp], vehicles: int) -> PropArrays:
        """The arrays of these props, all at rest where they are placed."""
        count, unique = len(placed), {kind.key: kind for kind in self.kinds}
        poses = [placed_pose(p, k, self._ground) for p, k in zip(placed, self.kinds, strict=True)]
        props = records(count, PROP)
        for prop, (position, orientation, _) in zip(props, poses, strict=True):
            prop["position"], prop["orientation"], prop["rests"] = position, orientation, 1
        kinds, hulls = records(len(unique), KIND), records(len(unique) + 2 * vehicles, HULL)
        for k, kind in enumerate(unique.values()):
            kinds[k], hulls[k] = kind_record(kind)[0], hull_record(kind)[0]
        bodies = records(SLOT_CAPACITY, BODY)
        bodies["orientation"][:, 3] = 1.0
        bodies["mass"][0], bodies["inertia"][0] = HEAVY, HEAVY
        order = {key: k for k, key in enumerate(unique)}
        numbers = [order[kind.key] for kind in self.kinds]
        slots = [np.full(SLOT_CAPACITY, NONE, np.int64) for _ in range(5)]
        return PropArrays(
            props, props.copy(), np.array(numbers, np.int64), kinds,
            np.array([zero for *_, zero in poses], float).reshape(-1, 4), hulls,
            np.full((vehicles, PART_CAPACITY), NONE, np.int64), np.zeros((vehicles, PART_CAPACITY, 3)),
            np.zeros((vehicles, WHEEL_CAPACITY, 3)), np.zeros(count, np.int64), np.full(count, NONE, np.int64),
            bodies, records(SLOT_CAPACITY, SHAPE), *slots, records(PAIR_CAPACITY + GROUND_CAPACITY, CONTACT),
            records(1, PAIR_SCRATCH), records(1, CONTACT_STATE), records(1, SCRATCH),
        )  # fmt: skip

    def use(self, vehicles: "Sequence[Vehicle]") -> None:
        """Meet these vehicles from now on: one of them was swapped."""
        self._all = []
        for i, vehicle in enumerate(vehicles):
            slots = vehicle.sequence.by_slot
            if "contact" in slots:
                given = self._supports[i : i + 1]
                support = WheelSupport(vehicle, self._carriers, given) if "wheel_reactions" in slots else None
                self._all.append(NearVehicle(vehicle, self._arrays, i, support))
        self._no_actions = np.zeros(len(vehicles), EXTERNAL)
        self.look_again()

    def look_again(self) -> None:
        """A vehicle was placed or the state was restored: what was near need not be any more."""
        self._next_look, self.quiet_until, self._near, self._here, self._rolling = 0, 0, 0, [], []
        self._looks = 2  # also after the next tick, which writes the positions of wheels
        self.moving = int(self.state["awake"].sum())

    # ---- the tick

    def act(self, tick: int, external: np.ndarray | None, context: np.ndarray, dt: float) -> np.ndarray | None:
        """Step the props through a tick of dt seconds; returns `external` with their impulses on the vehicles.

        tick: number of ticks done. external: EXTERNAL array, other actions on the vehicles in this tick, or None.
        context: the world's. Returns None for no actions at all.
        """
        if tick >= self._next_look or external is not None:
            self._look(tick, dt)
        if tick < self.quiet_until:
            return external
        acting = self._wheels_before(external, dt)
        for vehicle in self._here:
            vehicle.write()
        self.moving = step_props(
            self._arrays, self._ground.arrays, self._near, len(self._here), context["gravity"][0], dt
        )
        if acting is not external:
            for vehicle in self._rolling:
                vehicle.support.carry(acting[vehicle.index], dt)
        return self._with_blows(acting)

    def _with_blows(self, acting: np.ndarray | None) -> np.ndarray | None:
        """Actions on the vehicles with the impulses of what touched them."""
        bodies = self._arrays.bodies
        touched = bodies["in_contact"][1 : len(self._here) + 1].nonzero()[0].tolist()
        if touched:
            acting = self._no_actions.copy() if acting is None else acting.copy()
        for k in touched:
            acting["impulse"][self._here[k].index] += bodies["force_impulse"][k + 1]
            acting["angular_impulse"][self._here[k].index] += bodies["force_angular_impulse"][k + 1]
        return acting

    def _wheels_before(self, external: np.ndarray | None, dt: float) -> np.ndarray | None:
        """Press the wheels on what they stood on, and give them what they may stand on; returns the actions so far."""
        if not self._rolling:
            return external
        acting = self._no_actions.copy() if external is None else external.copy()
        for number in dict.fromkeys(number for vehicle in self._rolling for number in vehicle.support.followed):
            self._carriers[number].follow()
        for vehicle in self._rolling:
            support = vehicle.support
            support.press(vehicle.index, acting)
            support.find(acting[vehicle.index], motion_of(support.vehicle), dt)
        acts = any(acting[name].any() for name in ("moving_count", "impulse", "angular_impulse"))
        return acting if acts else external

    def _look(self, tick: int, dt: float) -> None:
        """Find the props that may be touched until the next look, and the vehicles that may touch them."""
        motions = self._motions[: len(self._all)]
        for row, vehicle in zip(motions, self._all, strict=True):
            vehicle.motion(row)
        self._near, nearest, fastest = find_near(
            self.state, self._radii, motions, LOOK_SECONDS, MARGIN, self._moving_numbers, self._arrays.near, self._close
        )
        close = self._close[: len(self._all)].tolist()
        self._here = [vehicle for vehicle, mark in zip(self._all, close, strict=True) if mark and self._near]
        for slot, vehicle in enumerate(self._here, 1):
            vehicle.take(slot)
        self._look_under_wheels(MARGIN + 2.0 * LOOK_SECONDS * fastest)
        self._looks = max(0, self._looks - 1)
        if self._looks:
            self._next_look, self.quiet_until = tick + 1, tick + (not self._near)
            return
        seconds = LOOK_SECONDS
        if not self._near:
            seconds = max(seconds, min(FAR_SECONDS, (nearest - FAR_MARGIN) / (2.0 * max(fastest, SLOWEST))))
        self._next_look = tick + max(1, int(seconds / dt))
        self.quiet_until = tick if self._near else self._next_look
        if self._near and not self.moving and not self._rolling:
            quiet = max(0.0, nearest - QUIET_MARGIN) / (2.0 * dt * max(fastest, SLOWEST))
            self.quiet_until = min(tick + int(quiet), self._next_look)

    def _look_under_wheels(self, reach: float) -> None:
        """Find the props that wheels may come to. reach: m from a vehicle."""
        if not self._near and not self._rolling:
            return
        near = self._arrays.near[: self._near]
        drivable, self._rolling = near[self._drivable[near]], []
        for vehicle, row in zip(self._all, self._motions, strict=False):
            support = vehicle.support
            if support is None:
                continue
            away = np.sqrt(np.square(self.state["position"][drivable] - row[:3]).sum(axis=1))
            found = (
                drivable[away < row[RADIUS] + self._radii[drivable] + reach] if vehicle in self._here else drivable[:0]
            )
            for number in found.tolist():
                self._carriers[number].follow()
            support.look(found.tolist(), motion_of(support.vehicle), HASTE * LOOK_SECONDS)
            if support.followed:
                self._rolling.append(vehicle)
            else:
                support.leave()

    # ---- state

    def poses(self, numbers: Sequence[int] | None = None) -> np.ndarray:
        """Poses float64[n, 7] of some props, of all by default: centre of mass, orientation x, y, z, w."""
        numbers = np.arange(len(self.state)) if numbers is None else np.asarray(numbers, np.int64)
        chosen = self.state[numbers]
        found = np.concatenate([chosen["position"], chosen["orientation"]], axis=1)
        arms = self._arrays.kinds["centre"][self._arrays.kind_of[numbers]]
        q, w = found[:, 3:6], found[:, 6:]
        across = 2.0 * np.cross(q, arms)
        found[:, :3] += arms + w * across + np.cross(q, across)
        return found

    def put(self, poses: np.ndarray) -> None:
        """Put all props to poses as `poses` gives them, at rest."""
        self.reset()
        self.state["orientation"] = poses[:, 3:]
        self.state["position"] += poses[:, :3] - self.poses()[:, :3]

    def reset(self) -> None:
        """Put all props back where they were placed."""
        self.state[:] = self._arrays.start
        self._supports.view(np.uint8)[:] = 0
        self.look_again()

    def vehicles_placed(self, train: range) -> None:
        """Vehicles of the world were placed."""
        for index in train:
            self._supports[index : index + 1].view(np.uint8)[:] = 0
        self.look_again()

    def snapshot(self) -> bytes:
        """Bytes of each prop that is not as it was placed, and of what wheels stand on; empty for none."""
        size = PROP.itemsize
        now = np.frombuffer(self.state.tobytes(), np.uint8).reshape(-1, size)
        moved = np.flatnonzero((now != np.frombuffer(self._start, np.uint8).reshape(-1, size)).any(axis=1))
        rows, stood = np.zeros(len(moved), MOVED_PROP), np.flatnonzero(self._supports["count"])
        rows["number"], rows["prop"] = moved, self.state[moved]
        wheels = np.zeros(len(stood), GIVEN)
        wheels["vehicle"], wheels["support"] = stood, self._supports[stood]
        if not len(rows) and not len(wheels):
            return b""
        return len(rows).to_bytes(8, "little") + rows.tobytes() + wheels.tobytes()

    def restore(self, data: bytes) -> None:
        """Restore a `snapshot`. Raises ValueError, and changes nothing, if it is not one of these props."""
        state, supports = restored(data, self._arrays.start, self._supports, self._drivable)
        self.state[:] = state
        self._supports[:] = supports
        self.look_again()


def records(count: int, kind: np.dtype) -> np.ndarray:
    """Array of zeroed records; without compiling, kernels need record arrays for access by attribute."""
    return np.zeros(count, kind) if JIT else np.zeros(count, kind).view(np.recarray)
