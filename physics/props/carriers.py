"""Bodies that support wheels: props and the bodywork of other vehicles (physics/world/bodywork.py).

Each has a few decks: boxes or wedges in its own frame (kinds.py) that wheels roll on. Limit: an upright cylinder
supports wheels like a box with a square top of equal area.
"""

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from driving_sandbox.physics.ground.surfaces import SurfaceTable
from driving_sandbox.physics.props.kinds import Deck, Kind
from driving_sandbox.physics.props.records import PropArrays
from driving_sandbox.physics.props.shape import frame_of
from driving_sandbox.physics.props.vectors import (
    Vector,
    add,
    axes_of,
    cross,
    dot,
    into_body,
    into_world,
    length,
    scale,
    sub,
)

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

UPRIGHT = 0.99  # cosine of 8 degrees: the top of a deck that is tilted by less counts as level
FLYING = 3.0  # m/s; a faster prop has been kicked up or is being pushed along, and supports no wheel


class BodyMotion(NamedTuple):
    """Pose and motion of a vehicle's body in plain floats, world axes."""

    position: Vector  # m
    orientation: tuple  # quaternion x, y, z, w
    velocity: Vector  # m/s
    spin: Vector  # rad/s

    def at(self, point: Vector) -> Vector:
        """Velocity of the body at a point of the world, m/s."""
        return add(self.velocity, cross(self.spin, sub(point, self.position)))


def motion_of(vehicle: "Vehicle") -> BodyMotion:
    """Present BodyMotion of a vehicle."""
    body = vehicle.state["body"][0]
    return BodyMotion(body["position"].tolist(), body["orientation"].tolist(), body["velocity"].tolist(),
                  body["angular_velocity"].tolist())  # fmt: skip


class Wrench(NamedTuple):
    """Sum of impulses and of their moments about a point of the world."""

    impulse: Vector  # N s
    moment: Vector  # N m s
    about: Vector  # m

    def moment_about(self, position: Vector) -> Vector:
        """Moment about another point, N m s."""
        return add(self.moment, cross(sub(self.about, position), self.impulse))

    def share(self, fraction: float) -> "Wrench":
        """The wrench times a fraction."""
        return Wrench(scale(self.impulse, fraction), scale(self.moment, fraction), self.about)

    def less(self, other: "Wrench") -> "Wrench":
        """The wrench minus another one about the same point."""
        return Wrench(sub(self.impulse, other.impulse), sub(self.moment, other.moment), self.about)

    def point(self) -> Vector:
        """The point nearest to `about` on the impulse's line of action, m."""
        x, y, z = cross(self.impulse, self.moment)
        square = dot(self.impulse, self.impulse)
        return add(self.about, (x / square, y / square, z / square))


class Carrier:
    """The decks of a body and their poses.

    Attributes:
        decks: list of Deck.
        surface: index of their surface in the world's table.
        orientation, axes: orientation of the body in the world, as quaternion and as columns of the rotation matrix.
        middles: centre of each deck in the world, m.
        tops: height of each deck's top, m; minus infinity unless the body is upright.
    """

    def __init__(self, decks: list[Deck], surface: int) -> None:
        self.decks, self.surface = decks, surface

    def set_pose(self, position: Vector, orientation: tuple) -> None:
        """Place the decks with the body's frame at this pose."""
        self.orientation, self.axes = orientation, axes_of(orientation)
        up = self.axes[2][2]
        self.middles = [add(position, into_world(self.axes, deck.middle)) for deck in self.decks]
        self.tops = [middle[2] + up * deck.half[2] if up > UPRIGHT else -math.inf
                     for middle, deck in zip(self.middles, self.decks, strict=True)]  # fmt: skip


class PropCarrier(Carrier):
    """A prop that supports wheels.

    Attributes:
        index: index of the prop.
        mass: its mass for impulses, kg; HEAVY for a hinged prop.
    """

    def __init__(self, arrays: PropArrays, index: int, kind: Kind, surfaces: SurfaceTable) -> None:
        decks = [deck for deck in kind.decks(frame_of(kind)) if deck is not None]  # all, as `load_kind` checks
        super().__init__(decks, surface_of(kind.surface, surfaces))
        self.index, self._prop = index, arrays.props[index : index + 1]
        record = arrays.kinds[arrays.kind_of[index]]
        self.mass, self._inertia = float(record["solver_mass"]), record["inertia"].tolist()
        self._radius = kind.radius
        self.update_pose()

    def update_pose(self) -> None:
        """Place the decks at the prop's present pose."""
        self.set_pose(self._vector("position"), tuple(self._prop["orientation"][0].tolist()))

    def _vector(self, field: str) -> Vector:
        x, y, z = self._prop[field][0].tolist()
        return x, y, z

    def closing_speed(self, motion: BodyMotion) -> float:
        """Speed at which the wheels of a vehicle with this motion may near a deck within a tick, m/s.

        Props that support wheels are slow.
        """
        return length(motion.velocity)

    def motion(self, k: int, dt: float) -> tuple[Vector, Vector]:
        """(velocity, spin) of deck k, m/s and rad/s, over the step of dt seconds since the last `update_pose`."""
        axes = axes_of(tuple(self._prop["orientation"][0].tolist()))
        displacement = sub(add(self._vector("position"), into_world(axes, self.decks[k].middle)), self.middles[k])
        return (displacement[0] / dt, displacement[1] / dt, displacement[2] / dt), self._vector("angular_velocity")

    def approach(self, motion: BodyMotion) -> float:
        """Upper bound of the closing speed of a vehicle and the prop while the prop supports wheels, m/s."""
        return length(motion.velocity) + FLYING + length(self._vector("angular_velocity")) * self._radius

    def flies(self) -> bool:
        """Whether the prop is too fast to support wheels."""
        velocity = self._vector("velocity")
        return dot(velocity, velocity) > FLYING * FLYING

    def velocity(self, point: Vector) -> Vector:
        """Velocity of the prop at a point of the world, m/s."""
        arm = sub(point, self._vector("position"))
        return add(self._vector("velocity"), cross(self._vector("angular_velocity"), arm))

    def inverse_mass(self, point: Vector, normal: Vector) -> float:
        """Inverse of the prop's effective mass at a point along a normal, 1/kg."""
        arm = sub(point, self._vector("position"))
        return 1.0 / self.mass + dot(normal, cross(self._spin_change(cross(arm, normal)), arm))

    def _spin_change(self, moment: Vector) -> Vector:
        """Change of the angular velocity by an angular impulse (N m s), rad/s, both in world axes."""
        axes = axes_of(tuple(self._prop["orientation"][0].tolist()))
        x, y, z = into_body(axes, moment)
        ix, iy, iz = self._inertia
        return into_world(axes, (x / ix, y / iy, z / iz))

    def rests(self) -> bool:
        """Whether something other than a vehicle carried the prop in its last tick."""
        return bool(self._prop["rests"][0])

    def apply_wrench(self, wrench: Wrench, external: np.ndarray) -> None:
        """Wake the prop and apply a wrench. external: unused here; bodywork adds the wrench to it."""
        prop, moment = self._prop, wrench.moment_about(self._vector("position"))
        prop["awake"], prop["rest_time"] = 1, 0.0
        prop["velocity"][0] += scale(wrench.impulse, 1.0 / self.mass)
        prop["angular_velocity"][0] += self._spin_change(moment)


class Carriers(dict[int, PropCarrier]):
    """{index of a prop: PropCarrier} of a world's drivable props, created on first access."""

    def __init__(self, arrays: PropArrays, kinds: list[Kind], surfaces: SurfaceTable) -> None:
        super().__init__()
        self._arrays, self._kinds, self._surfaces = arrays, kinds, surfaces

    def __missing__(self, index: int) -> PropCarrier:
        self[index] = PropCarrier(self._arrays, index, self._kinds[index], self._surfaces)
        return self[index]


def give(external: np.ndarray, index: int, vehicle: "Vehicle", wrench: Wrench) -> None:
    """Add a wrench on the vehicle at `index` to `external`, the external actions in the next tick."""
    external["impulse"][index] += wrench.impulse
    external["angular_impulse"][index] += wrench.moment_about(motion_of(vehicle).position)


def surface_of(name: str, surfaces: Any) -> int:
    """Index of a surface in a world's table; 0, the first one, if the table lacks it."""
    return surfaces.index(name) if name in surfaces.names else 0
