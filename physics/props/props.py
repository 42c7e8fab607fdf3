"""The props of a world: their poses, their tick, their state in snapshots.

    props = Props(placed, ground, vehicles)
    external = props.act(tick, external, context, dt)    # a tick of the props, before that of the vehicles

Twenty times a second a check finds the props that a vehicle or a moving prop may touch until the next check: all within
MARGIN plus twice the distance that the fastest body covers until then. While none is near, checks are less frequent,
but at least one per second. Between checks the props cost nothing as long as none moves and none is close. The result
does not depend on how frequent the checks are.
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
from driving_sandbox.physics.props.placing import PlacedProp, placed_pose
from driving_sandbox.physics.props.proximity import RADIUS, VEHICLE_ROW, find_near
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
from driving_sandbox.physics.props.saved import MOVED_PROP, SAVED_SUPPORT, restored
from driving_sandbox.physics.props.shape import hull_record, kind_record
from driving_sandbox.physics.props.solving import step_props
from driving_sandbox.physics.props.vehicles import NearVehicle
from driving_sandbox.physics.props.wheel_support import SUPPORT, WheelSupport
from driving_sandbox.physics.shape.hull import HULL, PART_CAPACITY
from driving_sandbox.physics.tick.context import EXTERNAL

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

CHECK_SECONDS = 0.05  # s, interval between checks of which props are near
MAX_CHECK_SECONDS = 1.0  # s, longest interval between checks, while none is near
MARGIN = 2.0  # m, added to twice the distance covered until the next check
FAR_MARGIN = 12.0  # m, in place of MARGIN while no prop is near: free fall or a hard collision adds less distance
QUIET_MARGIN = 0.5  # m, gap to the nearest prop below which `act` does its work in every tick
MIN_SPEED = 1.0  # m/s; the fastest body counts as at least this fast when the next check is planned
HASTE = 1.5  # safety factor on the distance that a wheel covers until the next check at its present speed


class Props:
    """Props of one world, stepped with its vehicles.

    Args:
        placed: PlacedProp list.
        ground: of the world.
        vehicles: all Vehicles of the world.
    Attributes:
        kinds: Kind of each prop.
        groups: index of each prop's entry in the world file.
        state: PROP array [n].
        moving: number of props that move.
        start: poses as they were placed, see `poses`.
        quiet_until: before this tick `act` has nothing to do, except in a tick with other external actions.
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
        radii = self._arrays.hulls[self._arrays.kind_of]["radius"] if len(placed) else np.zeros(0)
        self._radii = np.ascontiguousarray(radii)  # of each prop, m
        # arguments of `find_near`: rows of vehicles with bodywork, which of them are close, work space
        self._motions = np.zeros((len(vehicles), VEHICLE_ROW))
        self._close = np.zeros(len(vehicles), np.int64)
        self._moving_numbers = np.zeros(len(placed), np.int64)
        self._tread_counts = np.array([kind.tread_count for kind in self.kinds], np.int64)
        self._carriers = Carriers(self._arrays, self.kinds, ground.surfaces)
        self._supports = np.zeros(len(vehicles), SUPPORT)
        for row, material in zip(
            self._arrays.pair_scratch["materials"][0], ground.surfaces.materials_in_order(), strict=False
        ):
            row[:] = material.friction, material.restitution
        self.use(vehicles)
        self.start = self.poses()

    def prepare(self) -> None:
        """Compile or load the kernels; otherwise that happens when a vehicle first comes near a prop."""
        find_near(self.state[:0], self._radii[:0], self._motions[:0], CHECK_SECONDS, MARGIN, self._moving_numbers,
                  self._arrays.near, self._close)  # fmt: skip
        step_props(self._arrays, self._ground.arrays, 0, 0, np.zeros(3), CHECK_SECONDS)

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
        index_of = {key: k for k, key in enumerate(unique)}
        kind_of = [index_of[kind.key] for kind in self.kinds]
        slots = [np.full(SLOT_CAPACITY, NONE, np.int64) for _ in range(5)]
        return PropArrays(
            props=props, start=props.copy(), kind_of=np.array(kind_of, np.int64), kinds=kinds,
            zero=np.array([zero for *_, zero in poses], float).reshape(-1, 4), hulls=hulls,
            wheel_of=np.full((vehicles, PART_CAPACITY), NONE, np.int64),
            wheel_centre=np.zeros((vehicles, PART_CAPACITY, 3)),
            wheel_position=np.zeros((vehicles, WHEEL_CAPACITY, 3)),
            near=np.zeros(count, np.int64), slot_of=np.full(count, NONE, np.int64), bodies=bodies,
            shapes=records(SLOT_CAPACITY, SHAPE), hull_of=slots[0], prop_of=slots[1], posed=slots[2], rank=slots[3],
            queue=slots[4], contacts=records(PAIR_CAPACITY + GROUND_CAPACITY, CONTACT),
            pair_scratch=records(1, PAIR_SCRATCH), ground_state=records(1, CONTACT_STATE),
            ground_scratch=records(1, SCRATCH),
        )  # fmt: skip

    def use(self, vehicles: "Sequence[Vehicle]") -> None:
        """Set the vehicles of the world; call it after one of them has been swapped."""
        self._all = []  # NearVehicle of each vehicle with bodywork
        for i, vehicle in enumerate(vehicles):
            slots = vehicle.sequence.by_slot
            if "contact" in slots:
                support_record = self._supports[i : i + 1]
                support = WheelSupport(vehicle, self._carriers, support_record) if "wheel_reactions" in slots else None
                self._all.append(NearVehicle(vehicle, self._arrays, i, support))
        self._no_actions = np.zeros(len(vehicles), EXTERNAL)
        self.check_again()

    def check_again(self) -> None:
        """Check in the next tick what is near; call it after a vehicle was placed or the state was restored."""
        # tick of the next check; number of near props; NearVehicles close to one, and those whose wheels may be on one
        self._next_check, self.quiet_until, self._near = 0, 0, 0
        self._near_vehicles: list[NearVehicle] = []
        self._supported_vehicles: list[NearVehicle] = []
        self._stepped, self._contact_count = -1, 0  # ticks done after the last step; contacts in it
        self._checks_due = 2  # before the next two ticks: wheel positions are up to date only after the first of them
        self.moving = int(self.state["awake"].sum())

    # ---- the tick

    def act(self, tick: int, external: np.ndarray | None, context: np.ndarray, dt: float) -> np.ndarray | None:
        """Step the props through a tick.

        Args:
            tick: number of ticks done.
            external: EXTERNAL array, other actions on the vehicles in this tick, or None.
            context: the world's CONTEXT record.
            dt: length of the tick, s.

        Returns:
            EXTERNAL array, `external` with the props' impulses on the vehicles added, or None for no actions.
        """
        if tick >= self._next_check or external is not None:
            self._check(tick, dt)
        if tick < self.quiet_until:
            return external
        actions = self._wheel_actions(external, dt)
        for vehicle in self._near_vehicles:
            vehicle.write()
        self.moving, self._contact_count = step_props(
            self._arrays, self._ground.arrays, self._near, len(self._near_vehicles), context["gravity"][0], dt
        )
        self._stepped = tick + 1
        if actions is not None and actions is not external:
            for vehicle in self._supported_vehicles:
                vehicle.support.carry(actions[vehicle.index], dt)
        return self._with_contact_impulses(actions)

    def _with_contact_impulses(self, actions: np.ndarray | None) -> np.ndarray | None:
        """Actions on the vehicles, with the impulses of the props that touched them added."""
        bodies = self._arrays.bodies
        touched = bodies["in_contact"][1 : len(self._near_vehicles) + 1].nonzero()[0].tolist()
        if not touched:
            return actions
        actions = self._no_actions.copy() if actions is None else actions.copy()
        for k in touched:
            actions["impulse"][self._near_vehicles[k].index] += bodies["force_impulse"][k + 1]
            actions["angular_impulse"][self._near_vehicles[k].index] += bodies["force_angular_impulse"][k + 1]
        return actions

    def _wheel_actions(self, external: np.ndarray | None, dt: float) -> np.ndarray | None:
        """Apply the wheels' reactions to the props they stood on, and collect the treads they may now stand on.

        Returns `external` with the excess impulses on the vehicles and the treads, as moving bodies, added.
        """
        if not self._supported_vehicles:
            return external
        actions = self._no_actions.copy() if external is None else external.copy()
        for number in dict.fromkeys(
            number for vehicle in self._supported_vehicles for number in vehicle.support.followed
        ):
            self._carriers[number].follow()
        for vehicle in self._supported_vehicles:
            support = vehicle.support
            support.press(vehicle.index, actions)
            support.find(actions[vehicle.index], motion_of(support.vehicle), dt)
        any_action = any(actions[name].any() for name in ("moving_count", "impulse", "angular_impulse"))
        return actions if any_action else external

    def _check(self, tick: int, dt: float) -> None:
        """Find the props that may be touched until the next check, and the vehicles that may touch them."""
        motions = self._motions[: len(self._all)]
        for row, vehicle in zip(motions, self._all, strict=True):
            vehicle.write_row(row)
        self._near, nearest, fastest = find_near(
            self.state,
            self._radii,
            motions,
            CHECK_SECONDS,
            MARGIN,
            self._moving_numbers,
            self._arrays.near,
            self._close,
        )
        flags = self._close[: len(self._all)].tolist()
        self._near_vehicles = [vehicle for vehicle, close in zip(self._all, flags, strict=True) if close and self._near]
        for slot, vehicle in enumerate(self._near_vehicles, 1):
            vehicle.take(slot)
        self._check_under_wheels(MARGIN + 2.0 * CHECK_SECONDS * fastest)
        self._checks_due = max(0, self._checks_due - 1)
        if self._checks_due:
            # without near props this tick is quiet
            self._next_check, self.quiet_until = tick + 1, tick + (not self._near)
            return
        seconds = CHECK_SECONDS
        if not self._near:
            seconds = max(seconds, min(MAX_CHECK_SECONDS, (nearest - FAR_MARGIN) / (2.0 * max(fastest, MIN_SPEED))))
        self._next_check = tick + max(1, int(seconds / dt))
        self.quiet_until = tick if self._near else self._next_check
        if self._near and not self.moving and not self._supported_vehicles:
            quiet_ticks = max(0.0, nearest - QUIET_MARGIN) / (2.0 * dt * max(fastest, MIN_SPEED))
            self.quiet_until = min(tick + int(quiet_ticks), self._next_check)

    def _check_under_wheels(self, reach: float) -> None:
        """Find the drivable props that wheels may reach. reach: largest distance from a vehicle, m."""
        if not self._near and not self._supported_vehicles:
            return
        near = self._arrays.near[: self._near]
        drivable, self._supported_vehicles = near[self._tread_counts[near] > 0], []
        for vehicle, row in zip(self._all, self._motions, strict=False):
            support = vehicle.support
            if support is None:
                continue
            distances = np.sqrt(np.square(self.state["position"][drivable] - row[:3]).sum(axis=1))
            reachable = (
                drivable[distances < row[RADIUS] + self._radii[drivable] + reach]
                if vehicle in self._near_vehicles
                else drivable[:0]
            )
            for number in reachable.tolist():
                self._carriers[number].follow()
            support.select(reachable.tolist(), motion_of(support.vehicle), HASTE * CHECK_SECONDS)
            if support.followed:
                self._supported_vehicles.append(vehicle)
            else:
                support.leave()

    def contacts(self, tick: int) -> tuple[PropArrays, int, list[int]]:
        """What props touched in the last tick.

        Args:
            tick: number of ticks done.

        Returns:
            (arrays; number of entries of `contacts` in them, 0 if no prop moved or was near; indices of the vehicles
            in the slots from 1 on).
        """
        if self._stepped != tick:
            return self._arrays, 0, []
        return self._arrays, self._contact_count, [vehicle.index for vehicle in self._near_vehicles]

    # ---- state

    def poses(self, numbers: Sequence[int] | None = None) -> np.ndarray:
        """Poses float64[n, 7] of the props with these indices (default: all): centre of mass, quaternion x, y, z, w."""
        indices = np.arange(len(self.state)) if numbers is None else np.asarray(numbers, np.int64)
        state = self.state[indices]
        poses = np.concatenate([state["position"], state["orientation"]], axis=1)
        centres = self._arrays.kinds["centre"][self._arrays.kind_of[indices]]
        vector_part, scalar_part = poses[:, 3:6], poses[:, 6:]
        double_cross = 2.0 * np.cross(vector_part, centres)
        poses[:, :3] += centres + scalar_part * double_cross + np.cross(vector_part, double_cross)
        return poses

    def put(self, poses: np.ndarray) -> None:
        """Place all props at poses in the form of `poses`, at rest."""
        self.reset()
        self.state["orientation"] = poses[:, 3:]
        self.state["position"] += poses[:, :3] - self.poses()[:, :3]

    def reset(self) -> None:
        """Put all props back where they were placed."""
        self.state[:] = self._arrays.start
        self._supports.view(np.uint8)[:] = 0
        self.check_again()

    def vehicles_placed(self, train: range) -> None:
        """Forget what the wheels of a train stood on; call it after placing the train. train: its vehicles' indices."""
        for index in train:
            self._supports[index : index + 1].view(np.uint8)[:] = 0
        self.check_again()

    def snapshot(self) -> bytes:
        """Bytes of the props that have changed since they were placed, and of those under wheels; may be empty."""
        size = PROP.itemsize
        state_bytes = np.frombuffer(self.state.tobytes(), np.uint8).reshape(-1, size)
        moved = np.flatnonzero((state_bytes != np.frombuffer(self._start, np.uint8).reshape(-1, size)).any(axis=1))
        rows, on_props = np.zeros(len(moved), MOVED_PROP), np.flatnonzero(self._supports["count"])
        rows["number"], rows["prop"] = moved, self.state[moved]
        wheels = np.zeros(len(on_props), SAVED_SUPPORT)
        wheels["vehicle"], wheels["support"] = on_props, self._supports[on_props]
        if not len(rows) and not len(wheels):
            return b""
        return len(rows).to_bytes(8, "little") + rows.tobytes() + wheels.tobytes()

    def restore(self, data: bytes) -> None:
        """Restore a `snapshot`. Raises ValueError, and changes nothing, if it is not one of these props."""
        state, supports = restored(data, self._arrays.start, self._supports, self._tread_counts)
        self.state[:] = state
        self._supports[:] = supports
        self.check_again()


def records(count: int, kind: np.dtype) -> np.ndarray:
    """Zeroed array of records; kernels that run uncompiled need a recarray for access by attribute."""
    return np.zeros(count, kind) if JIT else np.zeros(count, kind).view(np.recarray)
