"""Bodies that support wheels: props, and for the program with the window the bodywork of other vehicles.

Each is a few treads, boxes or wedges in its own frame (kinds.py). Limits: a round prop has the square of its area.
"""

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from driving_sandbox.physics.ground.surfaces import SurfaceTable
from driving_sandbox.physics.props.kinds import Kind, Tread
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

UPRIGHT = 0.99  # cosine of 8 degrees: the top of such a prop is nearly level
FLYING = 3.0  # m/s; a prop that fast is kicked up or pushed along, and supports no wheel


class Motion(NamedTuple):
    """Where a vehicle's body is and how it moves, in plain numbers."""

    position: Vector
    orientation: tuple
    velocity: Vector
    spin: Vector

    def at(self, point: Vector) -> Vector:
        """Velocity of a point of the world that moves with the body."""
        return add(self.velocity, cross(self.spin, sub(point, self.position)))


def motion_of(vehicle: "Vehicle") -> Motion:
    """Present Motion of a vehicle."""
    body = vehicle.state["body"][0]
    return Motion(body["position"].tolist(), body["orientation"].tolist(), body["velocity"].tolist(),
                  body["angular_velocity"].tolist())  # fmt: skip


class Wrench(NamedTuple):
    """Impulses added up, N s, and their moments about a point of the world, N m s."""

    impulse: Vector
    moment: Vector
    about: Vector

    def moment_about(self, position: Vector) -> Vector:
        return add(self.moment, cross(sub(self.about, position), self.impulse))

    def share(self, of_it: float) -> "Wrench":
        return Wrench(scale(self.impulse, of_it), scale(self.moment, of_it), self.about)

    def less(self, other: "Wrench") -> "Wrench":
        """Without another one about the same point."""
        return Wrench(sub(self.impulse, other.impulse), sub(self.moment, other.moment), self.about)

    def point(self) -> Vector:
        """The point of the impulse's line that is nearest to where the moments are taken about."""
        x, y, z = cross(self.impulse, self.moment)
        square = dot(self.impulse, self.impulse)
        return add(self.about, (x / square, y / square, z / square))


class Carrier:
    """Treads and their poses.

    Attributes: treads: list of Tread. surface: their number in the world's table. orientation, axes: of all, in the
    world. middles: of each. tops: height of each that is upright, minus infinity of the others.
    """

    def __init__(self, treads: list[Tread], surface: int) -> None:
        self.treads, self.surface = treads, surface

    def set_pose(self, position: Vector, orientation: tuple) -> None:
        self.orientation, self.axes = orientation, axes_of(orientation)
        up = self.axes[2][2]
        self.middles = [add(position, into_world(self.axes, tread.middle)) for tread in self.treads]
        self.tops = [middle[2] + up * tread.half[2] if up > UPRIGHT else -math.inf
                     for middle, tread in zip(self.middles, self.treads, strict=True)]  # fmt: skip


class PropCarrier(Carrier):
    """A prop that supports wheels. `mass`: kg against impulses."""

    def __init__(self, arrays: PropArrays, number: int, kind: Kind, surfaces: SurfaceTable) -> None:
        super().__init__(kind.treads(frame_of(kind)), surface_of(kind.surface, surfaces))
        self.number, self._prop = number, arrays.props[number : number + 1]
        record = arrays.kinds[arrays.kind_of[number]]
        self.mass, self._inertia = float(record["solver_mass"]), record["inertia"].tolist()
        self._radius = kind.radius
        self.follow()

    def follow(self) -> None:
        """Read its pose."""
        self.set_pose(self._vector("position"), tuple(self._prop["orientation"][0].tolist()))

    look = follow

    def _vector(self, field: str) -> Vector:
        x, y, z = self._prop[field][0].tolist()
        return x, y, z

    def motion(self, k: int, dt: float) -> tuple[Vector, Vector]:
        """(velocity, spin) with which the last step has moved a tread from where it was when last followed."""
        axes = axes_of(tuple(self._prop["orientation"][0].tolist()))
        moved = sub(add(self._vector("position"), into_world(axes, self.treads[k].middle)), self.middles[k])
        return (moved[0] / dt, moved[1] / dt, moved[2] / dt), self._vector("angular_velocity")

    def approach(self, motion: Motion) -> float:
        """Largest closing speed of a vehicle and the prop while it supports a wheel, m/s."""
        return length(motion.velocity) + FLYING + length(self._vector("angular_velocity")) * self._radius

    def flies(self) -> bool:
        velocity = self._vector("velocity")
        return dot(velocity, velocity) > FLYING * FLYING

    def velocity(self, point: Vector) -> Vector:
        arm = sub(point, self._vector("position"))
        return add(self._vector("velocity"), cross(self._vector("angular_velocity"), arm))

    def inverse_mass(self, point: Vector, normal: Vector) -> float:
        """Inverse effective mass at a point along a normal, 1/kg."""
        arm = sub(point, self._vector("position"))
        return 1.0 / self.mass + dot(normal, cross(self._turn(cross(arm, normal)), arm))

    def _turn(self, moment: Vector) -> Vector:
        """Change of the angular velocity by an angular impulse."""
        axes = axes_of(tuple(self._prop["orientation"][0].tolist()))
        x, y, z = into_body(axes, moment)
        ix, iy, iz = self._inertia
        return into_world(axes, (x / ix, y / iy, z / iz))

    def rests(self) -> bool:
        """Whether it rests on something other than vehicles."""
        return bool(self._prop["rests"][0])

    def press(self, wrench: Wrench, outside: np.ndarray) -> None:
        """Apply a wrench."""
        prop, moment = self._prop, wrench.moment_about(self._vector("position"))
        prop["awake"], prop["rest_time"] = 1, 0.0
        prop["velocity"][0] += scale(wrench.impulse, 1.0 / self.mass)
        prop["angular_velocity"][0] += self._turn(moment)


class Carriers(dict[int, PropCarrier]):
    """{number: PropCarrier} of the drivable props of a world, made as they are needed."""

    def __init__(self, arrays: PropArrays, kinds: list[Kind], surfaces: SurfaceTable) -> None:
        super().__init__()
        self._arrays, self._kinds, self._surfaces = arrays, kinds, surfaces

    def __missing__(self, number: int) -> PropCarrier:
        self[number] = PropCarrier(self._arrays, number, self._kinds[number], self._surfaces)
        return self[number]


def give(outside: np.ndarray, index: int, vehicle: "Vehicle", wrench: Wrench) -> None:
    """Add a wrench to the external actions on a vehicle in the next tick."""
    outside["impulse"][index] += wrench.impulse
    outside["angular_impulse"][index] += wrench.moment_about(motion_of(vehicle).position)


def surface_of(name: str, surfaces: Any) -> int:
    """Number of a surface in a world's table; one that it does not have is its first."""
    return surfaces.index(name) if name in surfaces.names else 0
