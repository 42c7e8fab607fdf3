"""Supports wheels on the bodywork of other vehicles: each convex part of a hull, except its wheels, is a deck.

    bodywork = Bodywork(world)
    session.external_impulses = bodywork.external_impulses  # called before every tick

The vehicle whose bodywork is below a wheel is the carrier. The tick of the vehicle above gets the decks as moving
bodies, so that its wheels are supported; before the next tick the carrier gets the impulses of these wheels. The
method is that of physics/props/wheel_support.py.

Limits: a deck is the bounding box of the part, a wedge if the part is shorter (in y) at its top than below. While the
carrier is within 8 degrees of upright, a deck whose top is higher than a wheel's centre plus its suspension travel does
not support that wheel.
"""

import math
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from driving_sandbox.physics.props.carriers import BodyMotion, Carrier, Wrench, give, motion_of, surface_of
from driving_sandbox.physics.props.kinds import Deck
from driving_sandbox.physics.props.vectors import Vector, axes_of, cross, dot, into_body, into_world, length, sub
from driving_sandbox.physics.props.wheel_support import SUPPORT, WheelSupport
from driving_sandbox.physics.tick.context import EXTERNAL

if TYPE_CHECKING:
    from driving_sandbox.physics.ground.surfaces import SurfaceTable
    from driving_sandbox.physics.vehicle.vehicle import Vehicle
    from driving_sandbox.physics.world.world import World

CHECK_SECONDS = 0.05  # s between two searches for vehicles that are near each other
SPEED_MARGIN = 1.5  # factor on the time until the next check, because vehicles may speed up before it
CLEARANCE = 1.0  # m between two hulls' bounding spheres up to which vehicles of equal velocity count as near
MIN_JUMP = 0.05  # m; a vehicle that moved farther in a tick than twice speed times tick, plus this, was placed
SURFACE = "metal"  # surface of bodywork under wheels
TOP_SHARE = 0.1  # share of a part's height below its highest point that counts as its top


class BodyworkCarrier(Carrier):
    """A vehicle whose bodywork supports wheels.

    Attributes:
        index: index among the world's vehicles.
        mass: kg.
        radius: of the hull about the centre of mass, m.
    """

    def __init__(self, vehicle: "Vehicle", index: int, surfaces: "SurfaceTable") -> None:
        super().__init__(decks_of(vehicle.params["contact"][0]["hull"]), surface_of(SURFACE, surfaces))
        self.vehicle, self.index = vehicle, index
        self.mass = float(vehicle.params["body"]["mass"][0])
        self._inertia = vehicle.params["body"]["inertia"][0].tolist()
        self.radius = float(vehicle.params["contact"][0]["hull"]["radius"])

    def update_pose(self) -> None:
        """Read the vehicle's pose and velocity."""
        self._now = motion_of(self.vehicle)
        self.set_pose(self._now.position, self._now.orientation)

    def motion(self, k: int, dt: float) -> tuple[Vector, Vector]:
        """(velocity in m/s, angular velocity in rad/s) of deck `k` in this tick."""
        return self._now.at(self.middles[k]), self._now.spin

    def approach(self, motion: BodyMotion) -> float:
        """Upper limit of the closing speed of this bodywork and a vehicle with this `motion`, m/s, without the spin of
        that vehicle."""
        return length(sub(motion.velocity, self._now.velocity)) + length(self._now.spin) * self.radius

    def flies(self) -> bool:
        """Whether the bodywork is too fast to support wheels: never."""
        return False

    def velocity(self, point: Vector) -> Vector:
        """Velocity of the bodywork at a point of the world, m/s."""
        return motion_of(self.vehicle).at(point)

    def inverse_mass(self, point: Vector, normal: Vector) -> float:
        """Inverse effective mass at a point along a normal, 1/kg."""
        now = motion_of(self.vehicle)
        axes, arm = axes_of(now.orientation), sub(point, now.position)
        x, y, z = (a / b for a, b in zip(into_body(axes, cross(arm, normal)), self._inertia, strict=True))
        return 1.0 / self.mass + dot(normal, cross(into_world(axes, (x, y, z)), arm))

    def rests(self) -> bool:
        """Whether what is below the carrier takes the excess of a wheel's reaction, as below a prop at rest: never."""
        return False  # the ground does not hold a vehicle, which can roll; the excess returns to the wheel

    def apply_wrench(self, wrench: Wrench, external: np.ndarray) -> None:
        """Add a wrench on this vehicle to `external`, the EXTERNAL array of the next tick."""
        give(external, self.index, self.vehicle, wrench)


class Bodywork:
    """Bodywork of all vehicles of a world, and the wheels that stand on it."""

    def __init__(self, world: "World") -> None:
        self.world = world
        self._check_ticks = max(1, round(CHECK_SECONDS / world.tick_seconds))
        self._support_records = np.zeros(len(world.vehicles), SUPPORT)
        self.vehicles_changed()

    def vehicles_changed(self) -> None:
        """To be called after vehicles of the world were replaced, or their parameters changed."""
        world = self.world
        self._support_records.view(np.uint8)[:] = 0
        eligible = [i for i, v in enumerate(world.vehicles)
                    if {"contact", "wheel_reactions"} <= set(v.sequence.by_slot)]  # fmt: skip
        surfaces = world.ground.surfaces
        self._carriers = {i: BodyworkCarrier(world.vehicles[i], i, surfaces) for i in eligible}
        self._supports = {
            i: WheelSupport(world.vehicles[i], self._carriers, self._support_records[i : i + 1]) for i in eligible
        }
        self._pairs = [(i, j) for i, j in combinations(eligible, 2) if j not in world.train_of(i)]
        self._last_position: dict[int, Vector] = {}  # {index: position at the last call of `_placed`, m}
        self.jumped()

    def jumped(self) -> None:
        """To be called after the world was rewound or a vehicle placed; a session's `changes.on_jump` has it called."""
        self._next_check, self._last_tick = 0, -1
        for support in self._supports.values():
            support.forget_decks()

    def external_impulses(self, world: "World") -> np.ndarray | None:
        """EXTERNAL array of the next tick, one record per vehicle, or None if all are empty.

        It has the decks that wheels may reach, as moving bodies of the vehicles above, and the impulses of the last
        tick's wheel reactions.
        """
        if not self._pairs:
            return None
        if world.tick >= self._next_check or world.tick < self._last_tick:
            self._find_near_vehicles()
            self._next_check = world.tick + self._check_ticks
        self._last_tick = world.tick
        supports = [(i, support) for i, support in self._supports.items() if support.carrier_keys]
        if not supports:
            return None
        return self._act(supports, world.tick_seconds)

    def _act(self, supports: list[tuple[int, WheelSupport]], dt: float) -> np.ndarray | None:
        """Decks and impulses of these wheel supports ([(vehicle index, WheelSupport)]): EXTERNAL array or None."""
        external, has_decks = np.zeros(len(self.world.vehicles), EXTERNAL), False
        for carrier in dict.fromkeys(carrier for _, support in supports for carrier in support.carrier_keys):
            self._carriers[carrier].update_pose()
        for index, support in supports:
            if self._placed(index, dt):
                support.forget_decks()
            support.apply_reactions(index, external)
        for index, support in supports:
            has_decks |= support.pass_decks(external[index], motion_of(support.vehicle), dt)
            support.write_deck_motion(external[index], dt)
        return external if has_decks or external["impulse"].any() or external["angular_impulse"].any() else None

    def _placed(self, index: int, dt: float) -> bool:
        """Whether a vehicle is farther from its last position than it can have moved in a tick, so that it was placed.

        For programs without a session, which may place a vehicle without calling `jumped`. Stores the present position
        for the next call.
        """
        now, before = motion_of(self.world.vehicles[index]), self._last_position.get(index)
        self._last_position[index] = now.position
        return before is not None and length(sub(now.position, before)) > MIN_JUMP + 2.0 * dt * length(now.velocity)

    def _find_near_vehicles(self) -> None:
        """Find the vehicles that may touch each other before the next check, and select the decks their wheels may
        reach."""
        horizon = SPEED_MARGIN * self._check_ticks * self.world.tick_seconds  # s
        motions = {i: motion_of(carrier.vehicle) for i, carrier in self._carriers.items()}
        near: dict[int, list[int]] = {i: [] for i in self._carriers}
        for i, j in self._pairs:
            a, b = motions[i], motions[j]
            reach = self._carriers[i].radius + self._carriers[j].radius + CLEARANCE
            if math.dist(a.position, b.position) < reach + horizon * length(sub(a.velocity, b.velocity)):
                near[i].append(j)
                near[j].append(i)
        for carrier in {carrier for carriers in near.values() for carrier in carriers}:
            self._carriers[carrier].update_pose()
        for i, support in self._supports.items():
            support.select_decks(near[i], motions[i], horizon)


def decks_of(hull: Any) -> list[Deck]:
    """[Deck] of the parts of a hull that are not wheels, in the body frame."""
    decks = []
    for part in range(int(hull["part_count"])):
        if hull["part_up"][part] < 1.0:
            continue  # a wheel: only its `part_up` is below 1
        points = hull["vertices"][hull["vertex_start"][part] : hull["vertex_start"][part + 1]]
        low, high = points.min(axis=0), points.max(axis=0)
        middle, half = (low + high) / 2.0, (high - low) / 2.0
        upper = points[points[:, 2] >= high[2] - TOP_SHARE * (high[2] - low[2]), 1] - middle[1]
        decks.append(Deck(tuple(middle.tolist()), tuple(half.tolist()), (float(upper.min()), float(upper.max()))))
    return decks
