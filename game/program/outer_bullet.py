"""Panda3D's Bullet as the outer engine of a vehicle (physics/vehicle/outer_body.py): make, set up and remove its body.

    node = BulletRigidBodyNode("my car")          # or one of your own with your shapes
    body = create(bullet, vehicle)                # or configure(bullet, node, vehicle)
    outer = OuterBodies(world, {0: body})
    ...
    destroy(bullet, body)

The body's frame is the centre of mass with the vehicle's axes. Bullet adds no gravity, no damping and no sleep of its
own to it. Limits: Bullet counts in single precision; it turns free bodies by their gyroscopic torque, as the core does,
so that part of its step is taken out again (implicit gyroscopic step, the same formula as in game/props/vehicle_body).
"""

import numpy as np
from panda3d.bullet import BulletConvexHullShape, BulletRigidBodyNode
from panda3d.core import Point3, Quat, TransformState, Vec3

from driving_sandbox.physics.maths.quat import rotate, rotate_inverse
from driving_sandbox.physics.vehicle.outer_body import EngineBody

MARGIN = 0.008  # m, by which Bullet rounds the hulls
FRICTION = 0.45  # of bodywork


class BulletBody(EngineBody):
    """A BulletRigidBodyNode as a vehicle's body."""

    def __init__(self, node, inertia, step_seconds):
        self.node, self._inertia, self._dt = node, np.array(inertia, float), step_seconds
        self._given = None  # angular velocity given to Bullet, and what its step makes of it by itself

    def pose(self):
        state = self.node.getTransform()
        p, q = state.getPos(), state.getQuat()
        return (p[0], p[1], p[2]), (q[1], q[2], q[3], q[0])

    def velocity(self):
        v, w = (np.array(tuple(read())) for read in (self.node.getLinearVelocity, self.node.getAngularVelocity))
        if self._given is not None:
            given, free = self._given
            if np.any(w != given):  # Bullet has taken a step since
                w = w - (free - given)
        return v, w

    def set_velocity(self, velocity, angular_velocity):
        self.node.setLinearVelocity(Vec3(*map(float, velocity)))
        self.node.setAngularVelocity(Vec3(*map(float, angular_velocity)))
        self._note_turning()

    def set_acceleration(self, acceleration, angular_acceleration):
        self.set_velocity(*self.velocity())  # Bullet starts without its own gyroscopic part
        self.node.applyCentralForce(Vec3(*(self.node.getMass() * np.asarray(acceleration)).tolist()))
        q = self.pose()[1]
        local = np.array(rotate_inverse(q, tuple(map(float, angular_acceleration)))) * self._inertia
        self.node.applyTorque(Vec3(*rotate(q, tuple(local.tolist()))))

    def own_gravity(self):
        return self.node.getGravity().length()

    def asleep(self):
        return not self.node.isActive()

    def sleep(self) -> None:
        self.node.setDeactivationEnabled(True)
        self.node.setActive(False, True)
        self._given = None

    def wake(self) -> None:
        self.node.setDeactivationEnabled(False)
        self.node.setActive(True, True)

    def _note_turning(self) -> None:
        """(w, w after an implicit gyroscopic step) of the present angular velocity, world axes."""
        w = np.array(tuple(self.node.getAngularVelocity()))
        q = self.pose()[1]
        local, moment = np.array(rotate_inverse(q, tuple(w.tolist()))), self._inertia
        spin = moment * local
        jacobian = np.diag(moment) + self._dt * (_skew(local) * moment - _skew(spin))
        free = local - np.linalg.solve(jacobian, self._dt * np.cross(local, spin))
        self._given = w, np.array(rotate(q, tuple(free.tolist())))


def create(bullet, vehicle, step_seconds=1.0 / 240.0, name="vehicle"):
    """A BulletBody with the vehicle's hull, where the vehicle is now, in a BulletWorld."""
    node = BulletRigidBodyNode(name)
    hull = vehicle.params["contact"][0]["hull"]
    starts = hull["vertex_start"]
    for part in range(int(hull["part_count"])):
        shape = BulletConvexHullShape()
        for point in hull["vertices"][starts[part] : starts[part + 1]].tolist():
            shape.addPoint(Point3(*point))
        shape.setMargin(MARGIN)
        node.addShape(shape)
    node.setFriction(FRICTION)
    return configure(bullet, node, vehicle, step_seconds)


def configure(bullet, node, vehicle, step_seconds=1.0 / 240.0):
    """Make a ready body that of a vehicle: its mass and inertia, its position and motion, nothing of Bullet's own.

    The node is attached to the world, again if it is already: Bullet sorts bodies by their mass when they are attached.
    """
    body, state = vehicle.params["body"][0], vehicle.state["body"][0]
    if any(node == other for other in bullet.getRigidBodies()):
        bullet.remove(node)
    node.setMass(float(body["mass"]))
    node.setInertia(Vec3(*body["inertia"].tolist()))
    bullet.attach(node)
    node.setGravity(Vec3(0.0))  # after attaching, which sets the world's
    node.setLinearDamping(0.0)
    node.setAngularDamping(0.0)
    node.setDeactivationEnabled(False)
    x, y, z, w = state["orientation"].tolist()
    position = Point3(*state["position"].tolist())
    node.setTransform(TransformState.makePosQuatScale(position, Quat(w, x, y, z), Vec3(1.0)))
    bullet_body = BulletBody(node, body["inertia"], step_seconds)
    bullet_body.set_velocity(state["velocity"], state["angular_velocity"])
    return bullet_body


def destroy(bullet, body):
    """Take a body out of its world, with every constraint at it and every shape of it."""
    node = body.node
    for link in [c for c in bullet.getConstraints() if node in (c.getRigidBodyA(), c.getRigidBodyB())]:
        bullet.removeConstraint(link)
    bullet.remove(node)
    for shape in list(node.getShapes()):
        node.removeShape(shape)


def _skew(v):
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])
