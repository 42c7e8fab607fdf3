"""A vehicle in Bullet: its hull with the whole mass, and each wheel with the wheel's mass.

Before Bullet's step the bodies get the pose and velocity that the core has. Nothing but contact changes their velocity
(no gravity, no damping, no ground), so the change is the impulse of what they touch:
    impulse = sum m dv,   angular impulse = sum (I dw + r x m dv), r the wheels' positions
about the centre of mass. It goes to the core as an impulse at the start of the very tick Bullet stepped through, and
since Bullet's contacts are equal and opposite, momentum is conserved. Hulls of vehicles pass through each other here,
for the core has them meet (physics/world/vehicle_contact.py); not so in a drive that continues an older recording.

Friction and bounce are those of the vehicle's `contact.material`, and not of single parts: a body in Bullet has one
value of each, and a pair's values are multiplied.

Limits: a wheel meets props as a body of its own mass without its suspension, and its spin is not changed by them: what
would change it turns the vehicle's body, as the forces of its tires do. Bullet turns free bodies by their gyroscopic
torque, as the core does; that part is taken out.
"""

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from panda3d.bullet import BulletCylinderShape, BulletRigidBodyNode, BulletSphericalConstraint, XUp
from panda3d.core import Point3, Quat, TransformState, Vec3

from driving_sandbox.game.props.bodies import HULLS, WHEELS, hull_shape
from driving_sandbox.game.props.vectors import (
    add,
    axes_of,
    cross,
    dot,
    into_body,
    into_world,
    length,
    reach_along,
    scale,
    solved,
    sub,
)

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

FRICTION = 0.45  # of steel bodywork, multiplied with the material's and the vehicle's factors and the prop's own
TIRE_FRICTION = 1.0  # of tires, multiplied with the prop's own
RESTITUTION = 0.2  # of all bodywork that bounces no more by itself
LIGHTEST_WHEEL = 5.0  # kg
CLEARANCE = 0.004  # m a wheel's body is smaller than the wheel: cones next to it are not touched all the time
MIN_JUMP = 0.05  # m beyond its speed times the tick
STILL = 1e-6  # m/s; less is rounding
NODE_NAMES = ("hull", "wheel")
_UNIT = Vec3(1.0)


class Motion(NamedTuple):
    """Where a vehicle's body is and how it moves, in plain numbers."""

    position: tuple
    orientation: tuple
    velocity: tuple
    spin: tuple

    def at(self, point):
        """Velocity of a point of the world that moves with the body."""
        return add(self.velocity, cross(self.spin, sub(point, self.position)))


def motion_of(vehicle):
    """Present Motion of a vehicle."""
    body = vehicle.state["body"][0]
    return Motion(body["position"].tolist(), body["orientation"].tolist(), body["velocity"].tolist(),
                  body["angular_velocity"].tolist())  # fmt: skip


class NoBody:
    """Stands for a vehicle without bodywork (a planar one): it comes near nothing, and everything passes through it."""

    radius = -math.inf  # so that nothing is ever within reach
    attached = False
    train = passed = ()

    def __init__(self, vehicle: "Vehicle") -> None:
        self.stand_for(vehicle)

    def stand_for(self, vehicle: "Vehicle") -> None:
        self.vehicle = vehicle

    def refresh(self):
        return False

    attach = detach = refresh


def body_of(bullet, vehicle, surfaces):
    """Bodies of a vehicle in Bullet."""
    return VehicleBody(bullet, vehicle, surfaces) if "contact" in vehicle.sequence.by_slot else NoBody(vehicle)


class VehicleBody:
    """Bodies of one vehicle; `put`, step Bullet, `change`.

    Attributes:
        radius: of the sphere about the centre of mass that holds hull and wheels, m. train: bodies of the vehicles
        this one is hitched to, itself among them. passed: those whose hulls do not collide with this one's, by default
        the train, whose hulls overlap.
    """

    def __init__(self, bullet, vehicle, surfaces):
        self._bullet = bullet
        self._materials = surfaces.materials_in_order()
        self.attached = False
        self._hull, self._wheels = None, []
        self.train, self.passed, self._links = (), (), []
        self._made_of = self._seen = None
        self.stand_for(vehicle)
        self.refresh()

    def stand_for(self, vehicle: "Vehicle") -> None:
        """Be the bodies of this vehicle from now on; `refresh` makes them."""
        self.vehicle = vehicle
        body, contact = vehicle.params["body"], vehicle.params["contact"]
        self._shaping = (body["mass"], body["inertia"], body["centre_of_mass"], contact["hull"], contact["material"],
                         vehicle.params["wheel"][:, : vehicle.wheel_count])  # fmt: skip

    def refresh(self):
        """Rebuild the bodies when mass, centre of mass, hull or wheels were changed; True when they were."""
        made_of = [values.tobytes() for values in self._shaping]
        if made_of == self._made_of:
            return False
        params = self.vehicle.params
        body, wheels = params["body"][0], params["wheel"][0][: self.vehicle.wheel_count]
        was_attached = self.attached
        self.detach()
        self._made_of = made_of
        self._hull = self._make_hull()
        masses = [max(LIGHTEST_WHEEL, mass) for mass in wheels["mass"].tolist()]
        self._wheels = [self._make_wheel(w, mass) for w, mass in zip(wheels, masses, strict=True)]
        self._bodies = (*self._wheels, self._hull)
        self._masses = (*masses, float(body["mass"]))
        self._inertias = (*(tuple(node.getInertia()) for node in self._wheels), body["inertia"].tolist())
        self.radius, self._middle, self._half = self._extent()
        if was_attached:
            self.attach()
        return True

    def _extent(self):
        """Radius about the centre of mass, middle and half edges of the box, of hull and wheels wherever they go."""
        params, n = self.vehicle.params, self.vehicle.wheel_count
        hull, wheels, suspension = params["contact"][0]["hull"], params["wheel"][0][:n], params["suspension"][0][:n]
        arms, droop = suspension["arm"], suspension["travel"][:, None] * suspension["direction"]
        ends = np.concatenate([arms, arms + droop])
        sizes = np.tile(wheels["radius"], 2)[:, None]
        vertices = hull["vertices"][: hull["vertex_start"][int(hull["part_count"])]]
        corners = np.concatenate([vertices, ends - sizes, ends + sizes])
        reach = np.linalg.norm(arms, axis=1) + wheels["radius"]
        low, high = corners.min(axis=0), corners.max(axis=0)
        middle, half = (low + high) / 2.0, (high - low) / 2.0
        return max(float(hull["radius"]), float(reach.max())), middle.tolist(), half.tolist()

    def gap_to(self, other, own, its, seconds):
        """Air between two vehicles' boxes that is left when each has moved and turned for some seconds, m; below 0
        they may overlap by then. own, its: their Motions.

        The widest along any of the axes of both: no more than there is, and less only edge to edge. Only what they
        move along an axis closes the gap there: cars that pass each other keep theirs.
        """
        axes, others = axes_of(own.orientation), axes_of(its.orientation)
        middle = add(own.position, into_world(axes, self._middle))
        apart = sub(add(its.position, into_world(others, other._middle)), middle)
        closing, widest = sub(its.velocity, own.velocity), -math.inf
        for axis in (*axes, *others):
            thick = reach_along(axis, axes, self._half) + reach_along(axis, others, other._half)
            widest = max(abs(dot(axis, apart)) - thick - abs(dot(axis, closing)) * seconds, widest)
        return widest - seconds * (length(own.spin) * self.radius + length(its.spin) * other.radius)

    def _make_hull(self):
        node = BulletRigidBodyNode(NODE_NAMES[0])
        body, contact = self.vehicle.params["body"][0], self.vehicle.params["contact"][0]
        hull, material = contact["hull"], self._materials[int(contact["material"])]
        starts = hull["vertex_start"]
        for part in range(int(hull["part_count"])):
            node.addShape(hull_shape(hull["vertices"][starts[part] : starts[part + 1]]))
        node.setMass(float(body["mass"]))
        node.setInertia(Vec3(*body["inertia"].tolist()))
        node.setFriction(FRICTION * material.friction * float(hull["friction"]))
        node.setRestitution(max(RESTITUTION, material.restitution))
        node.setIntoCollideMask(HULLS)
        return _free(node)

    def _make_wheel(self, wheel, mass):
        node = BulletRigidBodyNode(NODE_NAMES[1])
        node.addShape(BulletCylinderShape(float(wheel["radius"]) - CLEARANCE, 2.0 * float(wheel["half_width"]), XUp))
        node.setMass(mass)
        node.setFriction(TIRE_FRICTION)
        node.setIntoCollideMask(WHEELS)
        return _free(node)

    @property
    def nodes(self):
        return [self._hull, *self._wheels]

    def attach(self) -> None:
        if not self.attached:
            for node in self.nodes:
                self._bullet.attach(node)
                node.setGravity(Vec3(0.0))  # the core's business
            self.attached = True
            for other in self.passed:
                if other is not self and other.attached:
                    self._leave_alone(other)

    def _leave_alone(self, other):
        """Let two hulls pass through each other: Bullet has no other word for it than a joint, which does nothing."""
        link = BulletSphericalConstraint(self._hull, other._hull, Point3(0.0), Point3(0.0))
        link.setEnabled(False)
        self._bullet.attachConstraint(link, True)
        self._links.append((link, other))
        other._links.append((link, self))

    def detach(self) -> None:
        if self.attached:
            for link, other in self._links:
                self._bullet.removeConstraint(link)
                other._links = [kept for kept in other._links if kept[0] is not link]
            self._links = []
            for node in self.nodes:
                self._bullet.remove(node)
            self.attached = False

    def moved_on(self, dt):
        """Whether the vehicle is where its motion took it since this was last asked, a tick ago."""
        body = self.vehicle.state["body"][0]
        before, self._seen = self._seen, body["position"].tolist()
        limit = MIN_JUMP + 2.0 * dt * length(body["velocity"].tolist())
        return before is not None and length(sub(self._seen, before)) < limit

    def put(self, motion: Any) -> None:
        """Give the bodies the vehicle's present pose and velocity."""
        position, turn, velocity, spin = motion
        wheels = self.vehicle.state["wheel"][0, : len(self._wheels)]
        moving = [
            (p, q, add(velocity, cross(spin, sub(p, position))), sub(spin, scale(axes_of(q)[0], omega)))
            for p, q, omega in zip(wheels["position"].tolist(), wheels["hub_orientation"].tolist(),
                                   wheels["omega"].tolist(), strict=True)
        ]  # fmt: skip
        self._centre = position
        self._put = [(p, q, *_set_motion(node, p, q, v, w))
                     for node, (p, q, v, w) in zip(self._bodies, (*moving, motion), strict=True)]  # fmt: skip

    def change(self, dt):
        """(impulse, angular impulse) about the centre of mass that Bullet's step gave, or None for nothing."""
        impulse = angular = (0.0, 0.0, 0.0)
        acted = False
        for node, mass, inertia, (position, turn, velocity, rate) in zip(self._bodies, self._masses, self._inertias,
                                                                      self._put, strict=True):  # fmt: skip
            dv = node.getLinearVelocity() - velocity
            if dv.lengthSquared() > STILL * STILL:
                given = scale(dv, mass)
                impulse, angular = add(impulse, given), add(angular, cross(sub(position, self._centre), given))
                angular = add(angular, _angular_change(node, turn, inertia, rate, dt))
                acted = True
        return (impulse, angular) if acted else None


def _angular_change(node, orientation, inertia, before, dt):
    """I dw of a body since `before`, without the gyroscopic step, which the core makes itself. World axes.

    That step is one of Newton's: w1 = w - J^-1 dt w x I w, J = I + dt ([w]x I - [I w]x), in the body's own axes.
    """
    axes = axes_of(orientation)
    w = into_body(axes, before)
    (ix, iy, iz), (wx, wy, wz) = inertia, w
    sx, sy, sz = spin = (ix * wx, iy * wy, iz * wz)
    columns = (
        (ix, dt * (wz * ix - sz), dt * (sy - wy * ix)),
        (dt * (sz - wz * iy), iy, dt * (wx * iy - sx)),
        (dt * (wy * iz - sy), dt * (sx - wx * iz), iz),
    )
    free = sub(w, solved(columns, scale(cross(w, spin), dt)))
    more = sub(into_body(axes, node.getAngularVelocity()), free)
    return into_world(axes, (ix * more[0], iy * more[1], iz * more[2]))


def _free(node):
    """A body that nothing but contact moves."""
    node.setLinearDamping(0.0)
    node.setAngularDamping(0.0)
    node.setDeactivationEnabled(False)
    return node


def _set_motion(node, p, q, v, w):
    """Put a body somewhere in motion. Returns its velocity and rate in single precision, as it has them itself: so
    rounding does not count as a change."""
    node.setTransform(TransformState.makePosQuatScale(Point3(*p), Quat(q[3], q[0], q[1], q[2]), _UNIT))
    velocity, rate = Vec3(*v), Vec3(*w)
    node.setLinearVelocity(velocity)
    node.setAngularVelocity(rate)
    return velocity, rate
