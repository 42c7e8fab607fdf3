"""Bodies that support wheels: props of Bullet's and the bodywork of other vehicles, and wrenches on both.

Each is a few treads, boxes or wedges in its own frame (kinds.py); `follow` reads where they are, once a tick for all
wheels. Limits: a round prop has the square of its area; the bodywork of a vehicle the box of each of its parts, as
long on top as the part is.
"""

import math
from typing import NamedTuple

from panda3d.core import Vec3

from driving_sandbox.game.props.bodies import read_pose
from driving_sandbox.game.props.kinds import Tread
from driving_sandbox.game.props.vectors import add, axes_of, cross, dot, into_body, into_world, length, scale, sub
from driving_sandbox.game.props.vehicle_body import NODE_NAMES as VEHICLE_NODES
from driving_sandbox.game.props.vehicle_body import motion_of

PRESS_SPEED = 0.5  # m/s a wheel's push may give a resting prop, per tick
UPRIGHT = 0.99  # cosine of 8 degrees: the top of such a prop is nearly level
FLYING = 3.0  # m/s; a prop that fast is kicked up or pushed along, and supports no wheel
BODYWORK = "metal"  # surface of other vehicles under wheels
NEARLY_TOP = 0.1  # share of a part's height below its top that counts as its top


class Wrench(NamedTuple):
    """Impulses added up, N s, and their moments about a point of the world, N m s."""

    impulse: tuple
    moment: tuple
    about: tuple

    def moment_about(self, position):
        return add(self.moment, cross(sub(self.about, position), self.impulse))

    def share(self, of_it):
        return Wrench(scale(self.impulse, of_it), scale(self.moment, of_it), self.about)

    def less(self, other):
        """Without another one about the same point."""
        return Wrench(sub(self.impulse, other.impulse), sub(self.moment, other.moment), self.about)

    def point(self):
        """The point of the impulse's line that is nearest to where the moments are taken about."""
        x, y, z = cross(self.impulse, self.moment)
        square = dot(self.impulse, self.impulse)
        return add(self.about, (x / square, y / square, z / square))


class _Carrier:
    """Treads and their poses.

    Attributes: treads: list of Tread. surface: their number in the world's table. orientation, axes: of all, in the
    world. middles: of each. tops: height of each that is upright, minus infinity of the others.
    """

    def __init__(self, treads, surface):
        self.treads, self.surface = treads, surface

    def _set_pose(self, position, orientation):
        self.orientation, self.axes = orientation, axes_of(orientation)
        up = self.axes[2][2]
        self.middles = [add(position, into_world(self.axes, tread.middle)) for tread in self.treads]
        self.tops = [middle[2] + up * tread.half[2] if up > UPRIGHT else -math.inf
                     for middle, tread in zip(self.middles, self.treads, strict=True)]  # fmt: skip


class Prop(_Carrier):
    """A body of Bullet's that supports wheels.

    Attributes: press_limit: N s per tick and wheel while it rests on another body; infinite for a hinged prop.
    """

    def __init__(self, bullet, node, kind, surfaces):
        super().__init__(kind.treads, surface_of(kind.surface, surfaces))
        self.bullet, self.node = bullet, node
        self.restitution, self._radius = kind.restitution, kind.radius
        self.press_limit = PRESS_SPEED * kind.mass if kind.hinge is None else math.inf
        self._moved = True  # since its pose was read

    def look(self) -> None:
        """Read its pose after it may have been moved."""
        self._moved = True
        self.follow()

    def follow(self) -> None:
        """Read its pose if it moves."""
        moves = self.node.isActive()
        if moves or self._moved:
            pose = read_pose(self.node)
            self._set_pose(pose[:3], pose[3:])
        self._moved = moves

    def motion(self, k, dt):
        """(velocity, spin) with which Bullet's step has moved a tread from where it was when last followed."""
        displacement = (0.0, 0.0, 0.0)
        if self.node.isActive():
            pose = read_pose(self.node)
            displacement = sub(add(pose[:3], into_world(axes_of(pose[3:]), self.treads[k].middle)), self.middles[k])
        return (displacement[0] / dt, displacement[1] / dt, displacement[2] / dt), tuple(self.node.getAngularVelocity())

    def approach(self, motion):
        """Largest closing speed of a vehicle and the prop while it supports a wheel, m/s."""
        return length(motion.velocity) + FLYING + self.node.getAngularVelocity().length() * self._radius

    def flies(self):
        return self.node.getLinearVelocity().lengthSquared() > FLYING * FLYING

    def velocity(self, point):
        arm = Vec3(*point) - self.node.getTransform().getPos()
        return tuple(self.node.getLinearVelocity() + self.node.getAngularVelocity().cross(arm))

    def inverse_mass(self, point, normal):
        """Inverse effective mass at a point along a normal, 1/kg."""
        n = Vec3(*normal)
        arm = Vec3(*point) - self.node.getTransform().getPos()
        return self.node.getInvMass() + n.dot(self.node.getInvInertiaTensorWorld().xform(arm.cross(n)).cross(arm))

    def rests(self):
        """Whether it rests on something other than vehicles."""
        if math.isinf(self.press_limit):
            return True
        return any(c.getNode0().getName() not in VEHICLE_NODES and c.getNode1().getName() not in VEHICLE_NODES
                   for c in self.bullet.contactTest(self.node, True).getContacts())  # fmt: skip

    def press(self, wrench, outside):
        self.node.setActive(True)
        self.node.setRestitution(0.0)  # or it would bounce off the ground it is pressed on
        position = tuple(self.node.getTransform().getPos())
        self.node.applyCentralImpulse(Vec3(*wrench.impulse))
        self.node.applyTorqueImpulse(Vec3(*wrench.moment_about(position)))
        return False  # no vehicle

    def release(self) -> None:
        """Bullet has stepped through the tick it was pressed in."""
        self.node.setRestitution(self.restitution)


class Bodywork(_Carrier):
    """Another vehicle, whose bodywork supports wheels: a wedge within each convex part of its hull, the wheels'
    parts left out. `index`: its position among the vehicles.
    """

    press_limit = math.inf

    def __init__(self, vehicle, index, surfaces):
        super().__init__(_wedges(vehicle.params["contact"][0]["hull"]), surface_of(BODYWORK, surfaces))
        self.vehicle, self.index = vehicle, index
        self._mass = float(vehicle.params["body"]["mass"][0])
        self._inertia = vehicle.params["body"]["inertia"][0].tolist()
        self._radius = float(vehicle.params["contact"][0]["hull"]["radius"])

    def follow(self) -> None:
        """Read its pose if it moves."""
        self._now = motion_of(self.vehicle)
        self._set_pose(self._now.position, self._now.orientation)

    look = follow

    def motion(self, k, dt):
        """(velocity, spin) of a tread in this tick."""
        return self._now.at(self.middles[k]), self._now.spin

    def approach(self, motion):
        """m/s by which a vehicle and the bodywork get nearer to each other at most."""
        return length(sub(motion.velocity, self._now.velocity)) + length(self._now.spin) * self._radius

    def flies(self):
        return False

    def velocity(self, point):
        return motion_of(self.vehicle).at(point)

    def inverse_mass(self, point, normal):
        """Inverse effective mass at a point along a normal, 1/kg."""
        now = motion_of(self.vehicle)
        axes, arm = axes_of(now.orientation), sub(point, now.position)
        turned = [a / b for a, b in zip(into_body(axes, cross(arm, normal)), self._inertia, strict=True)]
        return 1.0 / self._mass + dot(normal, cross(into_world(axes, turned), arm))

    def rests(self):
        return False  # it gives in on its own wheels

    def press(self, wrench, outside):
        return give(outside, self.index, self.vehicle, wrench)

    def release(self) -> None:
        pass


def give(outside, index, vehicle, wrench):
    """Add a wrench to the external wrench on a vehicle in the next tick; returns True."""
    outside["impulse"][index] += wrench.impulse
    outside["angular_impulse"][index] += wrench.moment_about(motion_of(vehicle).position)
    return True


def surface_of(name, surfaces):
    """Number of a surface in a world's table; one that it does not have is its first."""
    return surfaces.index(name) if name in surfaces.names else 0


def _wedges(hull):
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
