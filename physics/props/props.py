"""The props of a world: their poses, their tick, their state in snapshots.

    props = Props(placed, ground, vehicles)
    external = props.act(tick, external, context, dt)    # a tick of the props, before that of the vehicles

A *deck* is a box or wedge of a prop that wheels can roll on (kinds.py); a prop with decks is the *carrier* of these
(carriers.py). `act` does the following:

1. If a check is due, find the *near* props, which a vehicle or a moving prop may touch until the next check, the near
   vehicles, which may touch a prop until then (proximity.py), and for each of these the decks that its wheels may reach
   (wheel_support.py). While nothing is near, the tick ends here.
2. Apply to each prop the opposite of the impulses that wheels got from its decks in the vehicles' last tick. What the
   prop cannot take is returned to the vehicle: it is added to the external actions on the vehicles in this tick.
3. Pass the decks that wheels can reach in this tick to their vehicles, as moving bodies in the external actions.
4. Write the motion of the near vehicles into slots of the solver (records.py), and step the props (solving.py).
5. Write the motion of the decks during that step into the external actions.
6. Add the impulses of props on the vehicles that they touch.

The world then steps the vehicles with these external actions.

Checks are made twenty times a second. Near are all props within MARGIN plus twice the distance that the fastest body
covers until the next check. While none is near, checks are less frequent, but at least one per second. Between checks
the props cost nothing as long as none moves and none is close. The result does not depend on how frequent the checks
are.
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
from driving_sandbox.physics.props.vehicles import VehicleBody
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
REACH_FACTOR = 1.5  # on the distance that a wheel covers until the next check at its present speed, as it may speed up


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
        start_poses: poses as they were placed, see `poses`.
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
        radii = self._arrays.hulls[self._arrays.kind_of]["radius"] if len(placed) else np.zeros(0)
        self._radii = np.ascontiguousarray(radii)  # of each prop, m
        # arguments of `find_near`: row of each vehicle with bodywork, whether it is near, work space
        self._vehicle_rows = np.zeros((len(vehicles), VEHICLE_ROW))
        self._vehicle_is_near = np.zeros(len(vehicles), np.int64)
        self._moving_indices = np.zeros(len(placed), np.int64)
        self._deck_counts = np.array([kind.deck_count for kind in self.kinds], np.int64)
        self._carriers = Carriers(self._arrays, self.kinds, ground.surfaces)
        self._support_records = np.zeros(len(vehicles), SUPPORT)
        for row, material in zip(
            self._arrays.pair_scratch["materials"][0], ground.surfaces.materials_in_order(), strict=False
        ):
            row[:] = material.friction, material.restitution
        self.use(vehicles)
        self.start_poses = self.poses()

    def prepare(self) -> None:
        """Compile or load the kernels; otherwise that happens when a vehicle first comes near a prop."""
        find_near(self.state[:0], self._radii[:0], self._vehicle_rows[:0], CHECK_SECONDS, MARGIN, self._moving_indices,
                  self._arrays.near, self._vehicle_is_near)  # fmt: skip
        step_props(self._arrays, self._ground.arrays, 0, 0, np.zeros(3), CHECK_SECONDS)

    def _arrays_of(self, placed: Sequence[PlacedProp], vehicle_count: int) -> PropArrays:
        """The arrays of these props, all at rest where they are placed."""
        count, unique = len(placed), {kind.key: kind for kind in self.kinds}
        poses = [placed_pose(p, k, self._ground) for p, k in zip(placed, self.kinds, strict=True)]
        props = records(count, PROP)
        for prop, (position, orientation, _) in zip(props, poses, strict=True):
            prop["position"], prop["orientation"], prop["rests"] = position, orientation, 1
        kinds, hulls = records(len(unique), KIND), records(len(unique) + 2 * vehicle_count, HULL)
        for k, kind in enumerate(unique.values()):
            kinds[k], hulls[k] = kind_record(kind)[0], hull_record(kind)[0]
        bodies = records(SLOT_CAPACITY, BODY)
        bodies["orientation"][:, 3] = 1.0
        bodies["mass"][0], bodies["inertia"][0] = HEAVY, HEAVY  # slot 0: the ground
        index_of = {key: k for k, key in enumerate(unique)}
        kind_of = [index_of[kind.key] for kind in self.kinds]
        hull_of, prop_of, posed, rank, queue = (np.full(SLOT_CAPACITY, NONE, np.int64) for _ in range(5))
        return PropArrays(
            props=props, start=props.copy(), kind_of=np.array(kind_of, np.int64), kinds=kinds,
            zero=np.array([zero for *_, zero in poses], float).reshape(-1, 4), hulls=hulls,
            wheel_of=np.full((vehicle_count, PART_CAPACITY), NONE, np.int64),
            wheel_centre=np.zeros((vehicle_count, PART_CAPACITY, 3)),
            wheel_position=np.zeros((vehicle_count, WHEEL_CAPACITY, 3)),
            near=np.zeros(count, np.int64), slot_of=np.full(count, NONE, np.int64), bodies=bodies,
            shapes=records(SLOT_CAPACITY, SHAPE), hull_of=hull_of, prop_of=prop_of, posed=posed, rank=rank,
            queue=queue, contacts=records(PAIR_CAPACITY + GROUND_CAPACITY, CONTACT),
            pair_scratch=records(1, PAIR_SCRATCH), ground_state=records(1, CONTACT_STATE),
            ground_scratch=records(1, SCRATCH),
        )  # fmt: skip

    def use(self, vehicles: "Sequence[Vehicle]") -> None:
        """Set the vehicles of the world; call it after one of them has been swapped."""
        self._vehicles = []  # VehicleBody of each vehicle with bodywork
        for i, vehicle in enumerate(vehicles):
            by_slot = vehicle.sequence.by_slot
            if "contact" in by_slot:
                record = self._support_records[i : i + 1]
                support = WheelSupport(vehicle, self._carriers, record) if "wheel_reactions" in by_slot else None
                self._vehicles.append(VehicleBody(vehicle, self._arrays, i, support))
        self._no_actions = np.zeros(len(vehicles), EXTERNAL)
        self.check_again()

    def check_again(self) -> None:
        """Check in the next tick what is near; call it after a vehicle was placed or the state was restored."""
        self._next_check, self.quiet_until = 0, 0  # ticks
        self._checks_due = 2  # before the next two ticks: wheel positions are up to date only after the first of them
        self._near_count = 0  # number of near props
        self._near_vehicles: list[VehicleBody] = []  # in the slots from 1 on
        self._deck_vehicles: list[VehicleBody] = []  # those whose wheels may reach a deck until the next check
        self._stepped = -1  # ticks done after the last step
        self._contact_count = 0  # contacts in that step
        self.moving = int(self.state["awake"].sum())

    # ---- the tick

    def act(self, tick: int, external: np.ndarray | None, context: np.ndarray, dt: float) -> np.ndarray | None:
        """Step the props through a tick; the module's docstring lists the steps.

        Args:
            tick: number of ticks done.
            external: EXTERNAL array, other actions on the vehicles in this tick, or None.
            context: the world's CONTEXT record.
            dt: length of the tick, s.

        Returns:
            EXTERNAL array: `external` plus what the props add to it in steps 2, 3, 5 and 6; or None for no actions.
        """
        if tick >= self._next_check or external is not None:
            self._check(tick, dt)
        if tick < self.quiet_until:
            return external
        actions = self._with_wheel_actions(external, dt)  # steps 2 and 3
        for vehicle in self._near_vehicles:  # step 4
            vehicle.write_motion()
        self.moving, self._contact_count = step_props(
            self._arrays, self._ground.arrays, self._near_count, len(self._near_vehicles), context["gravity"][0], dt
        )
        self._stepped = tick + 1
        if actions is not None and actions is not external:  # step 5
            for vehicle in self._deck_vehicles:
                vehicle.support.write_deck_motion(actions[vehicle.index], dt)
        return self._with_contact_impulses(actions)

    def _check(self, tick: int, dt: float) -> None:
        """Step 1: find the near props and vehicles and the decks within reach, and plan the next check."""
        rows = self._vehicle_rows[: len(self._vehicles)]
        for row, vehicle in zip(rows, self._vehicles, strict=True):
            vehicle.write_proximity_row(row)
        self._near_count, nearest, fastest = find_near(
            self.state,
            self._radii,
            rows,
            CHECK_SECONDS,
            MARGIN,
            self._moving_indices,
            self._arrays.near,
            self._vehicle_is_near,
        )
        flags = self._vehicle_is_near[: len(self._vehicles)].tolist()
        self._near_vehicles = [
            vehicle for vehicle, near in zip(self._vehicles, flags, strict=True) if near and self._near_count
        ]
        for slot, vehicle in enumerate(self._near_vehicles, 1):  # slot 0 is the ground
            vehicle.take_slot(slot)
        self._select_decks(MARGIN + 2.0 * CHECK_SECONDS * fastest)
        self._plan_next_check(tick, dt, nearest, fastest)

    def _select_decks(self, reach: float) -> None:
        """Select the decks that wheels may reach until the next check.

        reach: largest gap between the bounding spheres of vehicle and prop at which they may touch until then, m.
        """
        if not self._near_count and not self._deck_vehicles:
            return
        near = self._arrays.near[: self._near_count]
        drivable, self._deck_vehicles = near[self._deck_counts[near] > 0], []
        for vehicle, row in zip(self._vehicles, self._vehicle_rows, strict=False):
            support = vehicle.support
            if support is None:
                continue
            indices: list[int] = []
            if vehicle in self._near_vehicles:
                distances = np.sqrt(np.square(self.state["position"][drivable] - row[:3]).sum(axis=1))
                indices = drivable[distances < row[RADIUS] + self._radii[drivable] + reach].tolist()
            for index in indices:
                self._carriers[index].update_pose()
            support.select_decks(indices, motion_of(support.vehicle), REACH_FACTOR * CHECK_SECONDS)
            if support.carrier_keys:
                self._deck_vehicles.append(vehicle)
            else:
                support.forget_decks()

    def _plan_next_check(self, tick: int, dt: float, nearest: float, fastest: float) -> None:
        """Set the tick of the next check, and `quiet_until`.

        Args:
            nearest: distance from any vehicle to the nearest prop, m.
            fastest: speed of the fastest body, m/s.
        """
        self._checks_due = max(0, self._checks_due - 1)
        if self._checks_due:
            self._next_check = tick + 1
            self.quiet_until = tick if self._near_count else tick + 1
            return
        closing_speed = 2.0 * max(fastest, MIN_SPEED)  # m/s, upper bound
        seconds = CHECK_SECONDS
        if not self._near_count:
            seconds = max(seconds, min(MAX_CHECK_SECONDS, (nearest - FAR_MARGIN) / closing_speed))
        self._next_check = tick + max(1, int(seconds / dt))
        self.quiet_until = tick if self._near_count else self._next_check
        if self._near_count and not self.moving and not self._deck_vehicles:
            quiet_ticks = max(0.0, nearest - QUIET_MARGIN) / (closing_speed * dt)
            self.quiet_until = min(tick + int(quiet_ticks), self._next_check)

    def _with_wheel_actions(self, external: np.ndarray | None, dt: float) -> np.ndarray | None:
        """Steps 2 and 3: apply the wheels' reactions to the props, and pass the decks within reach to the vehicles.

        Returns `external` plus, for each vehicle, the part of the reactions that its props could not take, and the
        decks as moving bodies, still without their motion.
        """
        if not self._deck_vehicles:
            return external
        actions = self._no_actions.copy() if external is None else external.copy()
        for index in dict.fromkeys(key for vehicle in self._deck_vehicles for key in vehicle.support.carrier_keys):
            self._carriers[index].update_pose()
        for vehicle in self._deck_vehicles:
            support = vehicle.support
            support.apply_reactions(vehicle.index, actions)
            support.pass_decks(actions[vehicle.index], motion_of(support.vehicle), dt)
        any_action = any(actions[name].any() for name in ("moving_count", "impulse", "angular_impulse"))
        return actions if any_action else external

    def _with_contact_impulses(self, actions: np.ndarray | None) -> np.ndarray | None:
        """Step 6: `actions` plus the impulses of the props on the vehicles that they touched."""
        bodies = self._arrays.bodies
        slot_count = len(self._near_vehicles) + 1  # the ground and the near vehicles
        touched = [slot for slot in bodies["in_contact"][:slot_count].nonzero()[0].tolist() if slot > 0]
        if not touched:
            return actions
        actions = self._no_actions.copy() if actions is None else actions.copy()
        for slot in touched:
            index = self._near_vehicles[slot - 1].index
            actions["impulse"][index] += bodies["force_impulse"][slot]
            actions["angular_impulse"][index] += bodies["force_angular_impulse"][slot]
        return actions

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

    def poses(self, indices: Sequence[int] | None = None) -> np.ndarray:
        """Poses float64[n, 7] of the props with these indices (default: all): centre of mass, quaternion x, y, z, w."""
        props = np.arange(len(self.state)) if indices is None else np.asarray(indices, np.int64)
        state = self.state[props]
        poses = np.concatenate([state["position"], state["orientation"]], axis=1)
        centres = self._arrays.kinds["centre"][self._arrays.kind_of[props]]
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
        self._support_records.view(np.uint8)[:] = 0
        self.check_again()

    def vehicles_placed(self, train: range) -> None:
        """Forget what the wheels of a train stood on; call it after placing the train. train: its vehicles' indices."""
        for index in train:
            self._support_records[index : index + 1].view(np.uint8)[:] = 0
        self.check_again()

    def snapshot(self) -> bytes:
        """Bytes of the props that have changed since they were placed, and of those under wheels; may be empty."""
        state_bytes, start_bytes = (
            np.frombuffer(props.tobytes(), np.uint8).reshape(-1, PROP.itemsize)
            for props in (self.state, self._arrays.start)
        )
        moved = np.flatnonzero((state_bytes != start_bytes).any(axis=1))
        on_props = np.flatnonzero(self._support_records["count"])
        rows = np.zeros(len(moved), MOVED_PROP)
        rows["index"], rows["prop"] = moved, self.state[moved]
        wheels = np.zeros(len(on_props), SAVED_SUPPORT)
        wheels["vehicle"], wheels["support"] = on_props, self._support_records[on_props]
        if not len(rows) and not len(wheels):
            return b""
        return len(rows).to_bytes(8, "little") + rows.tobytes() + wheels.tobytes()

    def restore(self, data: bytes) -> None:
        """Restore a `snapshot`. Raises ValueError, and changes nothing, if it is not one of these props."""
        state, supports = restored(data, self._arrays.start, self._support_records, self._deck_counts)
        self.state[:] = state
        self._support_records[:] = supports
        self.check_again()


def records(count: int, kind: np.dtype) -> np.ndarray:
    """Zeroed array of records; kernels that run uncompiled need a recarray for access by attribute."""
    return np.zeros(count, kind) if JIT else np.zeros(count, kind).view(np.recarray)
