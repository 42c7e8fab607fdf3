"""Wheels standing and rolling on the bodywork of other vehicles: each convex part of a hull, except its wheels, is a
deck, a box or wedge.

The vehicle whose bodywork is below a wheel is the carrier. In the tick of the vehicle above, the decks that its wheels
can reach are moving bodies (physics/road/bodies.py), on which its suspension and tires act as on the ground. In the
next tick the carrier gets the opposite of what these wheels got from it, as a constant force and torque: were it an
impulse at the start of the tick, a loaded carrier would move up and down within each tick, and what stands on it would
creep. The method is otherwise that of physics/props/wheel_support.py.

The torque is that about the mean position of the carrier's centre of mass in the substeps. A force of substep k acts on
the velocity before the k-th motion, so of n substeps in a tick dt this is at the time dt (n - 1) / (2 n).

Which decks are within reach is found anew in every tick, so that a restored world continues with equal results.

Limits: the box is that around the part, a wedge if the part is shorter (in y) at its top than below. While the
carrier is within 8 degrees of upright, a deck whose top is higher than a wheel's centre plus its suspension travel does
not support that wheel. The reaction is one tick late.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from driving_sandbox.physics.props.carriers import BodyMotion, Carrier, Wrench, motion_of, surface_of
from driving_sandbox.physics.props.kinds import Deck
from driving_sandbox.physics.props.saved import check_supports
from driving_sandbox.physics.props.vectors import (
    Vector,
    add,
    cross,
    dot,
    into_body,
    into_world,
    length,
    scale,
    sub,
)
from driving_sandbox.physics.props.wheel_support import SUPPORT, WheelSupport
from driving_sandbox.physics.shape.hull import ANY_NORMAL, BODY_PARTS
from driving_sandbox.physics.tick.context import EXTERNAL

if TYPE_CHECKING:
    from driving_sandbox.physics.ground.surfaces import SurfaceTable
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

MIN_JUMP = 0.05  # m; a vehicle that moved farther in a tick than twice speed times tick, plus this, was placed
SURFACE = "metal"  # surface of bodywork under wheels
TOP_SHARE = 0.1  # share of a part's height below its highest point that counts as its top
NEEDED_SLOTS = {"contact", "wheel_reactions"}  # of a vehicle whose wheels stand on others, and that carries others


class BodyworkCarrier(Carrier):
    """A vehicle whose bodywork supports wheels.

    Args:
        vehicle: a vehicle with bodywork.
        index: its index in the world.
        surfaces: of the world's ground.
    """

    def __init__(self, vehicle: "Vehicle", index: int, surfaces: "SurfaceTable") -> None:
        super().__init__([], surface_of(SURFACE, surfaces))
        self.vehicle, self.index = vehicle, index
        self._derivations = -1  # `Vehicle.derivations` when the parameters were read

    def update(self, dt: float, substeps: int) -> None:
        """Read pose, velocity and changed parameters before a tick of dt s."""
        if self._derivations != self.vehicle.derivations:
            self._derivations, hull = self.vehicle.derivations, self.vehicle.params["contact"][0]["hull"]
            self.decks, self._radius = decks_of(hull), float(hull["radius"])
            self._mass = float(self.vehicle.params["body"]["mass"][0])
            self._inertia = self.vehicle.params["body"]["inertia"][0].tolist()
        self._now, self._dt = motion_of(self.vehicle), dt
        self._mean_position = add(self._now.position, scale(self._now.velocity, 0.5 * dt * (substeps - 1) / substeps))
        self.set_pose(self._now.position, self._now.orientation)

    def motion(self, k: int, dt: float) -> tuple[Vector, Vector]:
        """(velocity in m/s, angular velocity in rad/s) of deck `k` in this tick."""
        return self._now.at(self.middles[k]), self._now.spin

    def closing_speed(self, motion: BodyMotion) -> float:
        """Upper limit of the closing speed of this bodywork and the centre of a vehicle with this motion, m/s."""
        return length(sub(motion.velocity, self._now.velocity)) + length(self._now.spin) * self._radius

    def flies(self) -> bool:
        """Whether the bodywork is too fast to support wheels: never."""
        return False

    def velocity(self, point: Vector) -> Vector:
        """Velocity of the bodywork at a point of the world, m/s."""
        return self._now.at(point)

    def inverse_mass(self, point: Vector, normal: Vector) -> float:
        """Inverse effective mass at a point along a normal, 1/kg."""
        arm = sub(point, self._now.position)
        return 1.0 / self._mass + dot(normal, cross(self._spin_change(cross(arm, normal)), arm))

    def _spin_change(self, moment: Vector) -> Vector:
        """Change of the angular velocity by an angular impulse (N m s), rad/s, both in world axes."""
        x, y, z = (a / b for a, b in zip(into_body(self.axes, moment), self._inertia, strict=True))
        return into_world(self.axes, (x, y, z))

    def rests(self) -> bool:
        """Whether what is below the carrier takes the excess of a wheel's reaction, as below a prop at rest: never."""
        return False  # the ground does not hold a vehicle, which can roll; the excess returns to the wheel

    def apply_wrench(self, wrench: Wrench, external: np.ndarray) -> None:
        """Add a wrench, as force and torque throughout the tick, to `external`, the EXTERNAL array of all vehicles."""
        moment = wrench.moment_about(self._mean_position)
        external["force"][self.index] += scale(wrench.impulse, 1.0 / self._dt)
        external["torque"][self.index] += scale(moment, 1.0 / self._dt)


class Bodywork:
    """Bodywork of all vehicles of a world, and the wheels that stand on it.

    Args:
        vehicles: all vehicles of the world.
        surfaces: of its ground.
    Attributes:
        supports: SUPPORT array, a record per vehicle: what its wheels could reach in the last tick.
        loaded: False if no wheel could reach anything in the last tick.
    """

    def __init__(self, vehicles: "list[Vehicle]", surfaces: "SurfaceTable") -> None:
        self._vehicles = vehicles
        self.supports, self.loaded = np.zeros(len(vehicles), SUPPORT), False
        eligible = [i for i, v in enumerate(vehicles) if set(v.sequence.by_slot) >= NEEDED_SLOTS]
        self._carriers = {i: BodyworkCarrier(vehicles[i], i, surfaces) for i in eligible}
        self._wheels = {
            i: WheelSupport(rider.vehicle, self._carriers, self.supports[i : i + 1], rider)
            for i, rider in self._carriers.items()
        }

    def act(self, pairs: list[list[int]], external: np.ndarray | None, dt: float, substeps: int) -> np.ndarray | None:
        """Pass reactions of the last tick to the carriers, and decks to the vehicles whose wheels may reach them.

        Args:
            pairs: indices of every two vehicles that are so near that a wheel may reach the other's bodywork.
            external: EXTERNAL array of the tick, or None.
            dt: length of the tick, s.
            substeps: number of its substeps.
        Returns:
            A copy of `external` with these additions, or None without any.
        """
        near: dict[int, list[int]] = {}
        for i, j in pairs:
            if i in self._carriers and j in self._carriers:
                near.setdefault(i, []).append(j)
                near.setdefault(j, []).append(i)
        loaded = np.flatnonzero(self.supports["count"]).tolist()
        actions = np.zeros(len(self._vehicles), EXTERNAL) if external is None else external.copy()
        for key in {*near, *loaded, *self._loaded_carriers(loaded)}:
            self._carriers[key].update(dt, substeps)
        acted = False
        for i in loaded:
            if self._was_placed(i, dt):
                self._wheels[i].forget_decks()
            else:
                self._wheels[i].apply_reactions(i, actions)
                acted = True
        for i in sorted({*near, *loaded}):
            self._wheels[i].take_decks(near.get(i, []))
            if self._wheels[i].pass_decks(actions[i], motion_of(self._vehicles[i]), dt):
                self._wheels[i].write_deck_motion(actions[i], dt)
                acted = True
        self.loaded = bool(self.supports["count"].any())
        return actions if acted else None

    def _loaded_carriers(self, loaded: list[int]) -> set[int]:
        """Indices of the carriers below the wheels of some vehicles in the last tick."""
        return {int(key) for i in loaded for key in self.supports["carrier"][i, : self.supports["count"][i]]}

    def _was_placed(self, index: int, dt: float) -> bool:
        """Whether a vehicle is farther from its position before the last tick than it can have moved in that tick."""
        now, before = motion_of(self._vehicles[index]), self.supports[index]
        speed = max(length(now.velocity), length(before["velocity"].tolist()))
        return length(sub(now.position, before["position"].tolist())) > MIN_JUMP + 2.0 * dt * speed

    def forget(self, train: range) -> None:
        """Forget what the wheels of a train stood on, and the wheels on it; call it after placing the train."""
        for i in np.flatnonzero(self.supports["count"]).tolist():
            if i in train or not self._loaded_carriers([i]).isdisjoint(train):
                self._wheels[i].forget_decks()

    def restore(self, saved: bytes) -> None:
        """Restore the bytes of `supports` in a snapshot, which `check` has accepted."""
        self.supports[:] = np.frombuffer(saved, SUPPORT)
        self.loaded = True

    def check(self, saved: bytes) -> None:
        """Raise ValueError if the bytes of `supports` in a snapshot are invalid."""
        deck_counts = np.array([BODY_PARTS if i in self._carriers else 0 for i in range(len(self._vehicles))])
        rows = np.frombuffer(saved, SUPPORT)
        if rows["count"][deck_counts == 0].any():
            raise ValueError("wheels of a vehicle without bodywork stand on a vehicle")
        check_supports(rows[rows["count"] != 0], deck_counts)


def decks_of(hull: Any) -> list[Deck]:
    """[Deck] of the parts of a hull that are not wheels, in the body frame."""
    decks = []
    for part in range(int(hull["part_count"])):
        if hull["part_up"][part] < ANY_NORMAL:
            continue  # a wheel
        points = hull["vertices"][hull["vertex_start"][part] : hull["vertex_start"][part + 1]]
        low, high = points.min(axis=0), points.max(axis=0)
        middle, half = (low + high) / 2.0, (high - low) / 2.0
        upper = points[points[:, 2] >= high[2] - TOP_SHARE * (high[2] - low[2]), 1] - middle[1]
        decks.append(Deck(tuple(middle.tolist()), tuple(half.tolist()), (float(upper.min()), float(upper.max()))))
    return decks
