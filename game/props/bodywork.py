"""Wheels on the bodywork of other vehicles: a wedge within each convex part of a hull, its wheels left out.

    bodywork = Bodywork(world)
    session.outside = bodywork.outside         # before every tick: what wheels may stand on, and their wrenches

Limits: the box of each part, as long on top as the part is; a part that leans more than 8 degrees supports no wheel.
"""

import math
from itertools import combinations

import numpy as np

from driving_sandbox.physics.props.carriers import Carrier, give, motion_of, surface_of
from driving_sandbox.physics.props.kinds import Tread
from driving_sandbox.physics.props.vectors import axes_of, cross, dot, into_body, into_world, length, sub
from driving_sandbox.physics.props.wheel_support import SUPPORT, WheelSupport
from driving_sandbox.physics.tick.context import EXTERNAL

CHECK_SECONDS = 0.05  # s between two checks of which vehicles are near each other
HASTE = 1.5  # a vehicle may get this many times as far until the next check as at its present speed
NEAR = 1.0  # m of clearance that counts as near
MIN_JUMP = 0.05  # m in a tick, beyond twice its speed times the tick, by which a vehicle was placed
SURFACE = "metal"  # of bodywork under wheels
NEARLY_TOP = 0.1  # share of a part's height below its top that counts as its top


class BodyworkCarrier(Carrier):
    """A vehicle whose bodywork supports wheels. `index`: its position among the vehicles. `mass`: kg."""

    def __init__(self, vehicle, index, surfaces):
        super().__init__(wedges(vehicle.params["contact"][0]["hull"]), surface_of(SURFACE, surfaces))
        self.vehicle, self.index = vehicle, index
        self.mass = float(vehicle.params["body"]["mass"][0])
        self._inertia = vehicle.params["body"]["inertia"][0].tolist()
        self.radius = float(vehicle.params["contact"][0]["hull"]["radius"])

    def follow(self) -> None:
        """Read its pose."""
        self._now = motion_of(self.vehicle)
        self.set_pose(self._now.position, self._now.orientation)

    def motion(self, k, dt):
        """(velocity, spin) of a tread in this tick."""
        return self._now.at(self.middles[k]), self._now.spin

    def approach(self, motion):
        """m/s by which a vehicle and the bodywork get nearer to each other at most."""
        return length(sub(motion.velocity, self._now.velocity)) + length(self._now.spin) * self.radius

    def flies(self):
        return False

    def velocity(self, point):
        return motion_of(self.vehicle).at(point)

    def inverse_mass(self, point, normal):
        """Inverse effective mass at a point along a normal, 1/kg."""
        now = motion_of(self.vehicle)
        axes, arm = axes_of(now.orientation), sub(point, now.position)
        turned = [a / b for a, b in zip(into_body(axes, cross(arm, normal)), self._inertia, strict=True)]
        return 1.0 / self.mass + dot(normal, cross(into_world(axes, turned), arm))

    def rests(self):
        return False  # it gives in on its own wheels

    def press(self, wrench, outside):
        give(outside, self.index, self.vehicle, wrench)


class Bodywork:
    """Bodywork of all vehicles of a world, and the wheels that stand on it."""

    def __init__(self, world):
        self.world = world
        self._look_every = max(1, round(CHECK_SECONDS / world.tick_seconds))
        self._given = np.zeros(len(world.vehicles), SUPPORT)
        self.vehicles_changed()

    def vehicles_changed(self) -> None:
        """Vehicles of the world became other objects, or their parameters were changed."""
        world = self.world
        self._given.view(np.uint8)[:] = 0
        touching = [i for i, v in enumerate(world.vehicles)
                    if {"contact", "wheel_reactions"} <= set(v.sequence.by_slot)]  # fmt: skip
        surfaces = world.ground.surfaces
        self._carriers = {i: BodyworkCarrier(world.vehicles[i], i, surfaces) for i in touching}
        self._supports = {i: WheelSupport(world.vehicles[i], self._carriers, self._given[i : i + 1]) for i in touching}
        self._pairs = [(i, j) for i, j in combinations(touching, 2) if j not in world.train_of(i)]
        self._seen = {}
        self.jumped()

    def jumped(self) -> None:
        """Call after the world was rewound or a vehicle placed."""
        self._next_look, self._last_tick = 0, -1
        for support in self._supports.values():
            support.leave()

    def outside(self, world):
        """External actions on the vehicles in the next tick: EXTERNAL array, or None without any."""
        if not self._pairs:
            return None
        if world.tick >= self._next_look or world.tick < self._last_tick:
            self._look()
            self._next_look = world.tick + self._look_every
        self._last_tick = world.tick
        supports = [(i, support) for i, support in self._supports.items() if support.followed]
        if not supports:
            return None
        return self._act(supports, world.tick_seconds)

    def _act(self, supports, dt):
        external, acted = np.zeros(len(self.world.vehicles), EXTERNAL), False
        for number in dict.fromkeys(number for _, support in supports for number in support.followed):
            self._carriers[number].follow()
        for index, support in supports:
            if self._placed(index, dt):
                support.leave()
            support.press(index, external)
        for index, support in supports:
            acted |= support.find(external[index], motion_of(support.vehicle), dt)
            support.carry(external[index], dt)
        return external if acted or external["impulse"].any() or external["angular_impulse"].any() else None

    def _placed(self, index, dt):
        """Whether a vehicle is elsewhere than its motion took it in the last tick."""
        now, before = motion_of(self.world.vehicles[index]), self._seen.get(index)
        self._seen[index] = now.position
        return before is not None and length(sub(now.position, before)) > MIN_JUMP + 2.0 * dt * length(now.velocity)

    def _look(self) -> None:
        """Find the vehicles that may touch each other before the next check."""
        ahead = HASTE * self._look_every * self.world.tick_seconds
        motions = {i: motion_of(carrier.vehicle) for i, carrier in self._carriers.items()}
        met = {i: [] for i in self._carriers}
        for i, j in self._pairs:
            one, two = motions[i], motions[j]
            reach = self._carriers[i].radius + self._carriers[j].radius + NEAR
            if math.dist(one.position, two.position) < reach + ahead * length(sub(one.velocity, two.velocity)):
                met[i].append(j)
                met[j].append(i)
        for number in {number for near in met.values() for number in near}:
            self._carriers[number].follow()
        for i, support in self._supports.items():
            support.look(met[i], motions[i], ahead)


def wedges(hull):
    """Tread of each part of a hull that is no wheel."""
    treads = []
    for part in range(int(hull["part_count"])):
        if hull["part_up"][part] < 1.0:
            continue  # a wheel
        points = hull["vertices"][hull["vertex_start"][part] : hull["vertex_start"][part + 1]]
        low, high = points.min(axis=0), points.max(axis=0)
        middle, half = (low + high) / 2.0, (high - low) / 2.0
        upper = points[points[:, 2] >= high[2] - NEARLY_TOP * (high[2] - low[2]), 1] - middle[1]
        treads.append(Tread(tuple(middle.tolist()), tuple(half.tolist()), (float(upper.min()), float(upper.max()))))
    return treads
