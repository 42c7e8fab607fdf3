"""Panda3D's Bullet as the outer engine of a vehicle (physics/vehicle/outer_body.py): make, set up and remove its body.

    body = create(bullet, vehicle)                # or, for a node with shapes of your own:
    body = configure(bullet, node, vehicle)
    outer = OuterBodies(world, {0: body})
    ...
    destroy(bullet, body)

The origin of the body is the vehicle's centre of mass, with the vehicle's axes. The body gets no gravity, damping or
sleep from Bullet. Both Bullet and the vehicle's physics apply the gyroscopic torque of a free body; so Bullet's
implicit gyroscopic step is computed here as well and taken out of its result. Limit: Bullet's single precision.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from panda3d.bullet import BulletConvexHullShape, BulletRigidBodyNode
from panda3d.core import Point3, Quat, TransformState, Vec3

from driving_sandbox.physics.maths.quat import rotate, rotate_inverse
from driving_sandbox.physics.vehicle.outer_body import EngineBody

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

MARGIN = 0.008  # m, collision margin: Bullet rounds the hulls by it
FRICTION = 0.45  # friction coefficient of bodywork


class BulletBody(EngineBody):
    """A BulletRigidBodyNode as a vehicle's body."""

    def __init__(self, node: BulletRigidBodyNode, inertia: Sequence[float] | np.ndarray, step_seconds: float) -> None:
        # inertia: principal moments [3], kg m^2; step_seconds: length of Bullet's step, s
        self.node, self._inertia, self._dt = node, np.array(inertia, float), step_seconds
        # (angular velocity set last, what Bullet's next gyroscopic step makes of it), world axes, rad/s; or None
        self._set_spin: tuple[np.ndarray, np.ndarray] | None = None

    def pose(self) -> tuple[tuple[float, float, float], tuple[float, float, float, float]]:
        """(position of the centre of mass in m, orientation x, y, z, w)."""
        state = self.node.getTransform()
        p, q = state.getPos(), state.getQuat()
        return (p[0], p[1], p[2]), (q[1], q[2], q[3], q[0])

    def velocity(self) -> tuple[np.ndarray, np.ndarray]:
        """(velocity [3] in m/s, angular velocity [3] in rad/s), world axes, without Bullet's gyroscopic step."""
        v, w = (np.array(tuple(read())) for read in (self.node.getLinearVelocity, self.node.getAngularVelocity))
        if self._set_spin is not None:
            before, after = self._set_spin
            if np.any(w != before):  # Bullet has taken a step since
                w = w - (after - before)
        return v, w

    def set_velocity(
        self, velocity: Sequence[float] | np.ndarray, angular_velocity: Sequence[float] | np.ndarray
    ) -> None:
        """Set velocity, m/s, and angular velocity, rad/s, in world axes."""
        self.node.setLinearVelocity(Vec3(*map(float, velocity)))
        self.node.setAngularVelocity(Vec3(*map(float, angular_velocity)))
        self._predict_gyroscopic_step()

    def set_acceleration(
        self, acceleration: Sequence[float] | np.ndarray, angular_acceleration: Sequence[float] | np.ndarray
    ) -> None:
        """Apply these accelerations, m/s^2 and rad/s^2 in world axes, during Bullet's next step only."""
        self.set_velocity(*self.velocity())  # Bullet starts without its own gyroscopic part
        self.node.applyCentralForce(Vec3(*(self.node.getMass() * np.asarray(acceleration)).tolist()))
        q = self.pose()[1]  # orientation
        torque = np.array(rotate_inverse(q, tuple(map(float, angular_acceleration)))) * self._inertia  # body axes, N m
        self.node.applyTorque(Vec3(*rotate(q, tuple(torque.tolist()))))

    def own_gravity(self) -> float:
        """Magnitude of the gravity that Bullet applies to the body, m/s^2."""
        return self.node.getGravity().length()

    def asleep(self) -> bool:
        """Whether Bullet does not move the body."""
        return not self.node.isActive()

    def sleep(self) -> None:
        """Put the body to sleep until something touches it or `wake` is called."""
        self.node.setDeactivationEnabled(True)
        self.node.setActive(False, True)
        self._set_spin = None

    def wake(self) -> None:
        """Wake the body, and keep it awake."""
        self.node.setDeactivationEnabled(False)
        self.node.setActive(True, True)

    def _predict_gyroscopic_step(self) -> None:
        """Note the angular velocity w that was set and what Bullet's next step makes of it without torque, world axes.

        The step is one Newton iteration of I (w' - w) + dt w' x I w' = 0 in body axes.
        """
        w = np.array(tuple(self.node.getAngularVelocity()))
        q = self.pose()[1]  # orientation
        local, inertia = np.array(rotate_inverse(q, tuple(w.tolist()))), self._inertia
        momentum = inertia * local
        jacobian = np.diag(inertia) + self._dt * (_skew(local) * inertia - _skew(momentum))
        after = local - np.linalg.solve(jacobian, self._dt * np.cross(local, momentum))
        self._set_spin = w, np.array(rotate(q, tuple(after.tolist())))


def create(bullet: Any, vehicle: "Vehicle", step_seconds: float = 1.0 / 240.0, name: str = "vehicle") -> BulletBody:
    """A new BulletBody with the vehicle's convex hulls and pose, in the BulletWorld `bullet`.

    Args:
        step_seconds: length of Bullet's step, s; by default that of a tick.
        name: name of the node.
    """
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


def configure(
    bullet: Any, node: BulletRigidBodyNode, vehicle: "Vehicle", step_seconds: float = 1.0 / 240.0
) -> BulletBody:
    """A BulletBody from the BulletRigidBodyNode `node`, with the mass, inertia, pose and velocity of a vehicle.

    Bullet's gravity, damping and sleep are switched off for it. The node is attached to the world `bullet`; one that
    is attached already is attached anew, because Bullet sorts bodies by their mass when they are attached.
    """
    body, state = vehicle.params["body"][0], vehicle.state["body"][0]
    if any(node == other for other in bullet.getRigidBodies()):
        bullet.remove(node)
    node.setMass(float(body["mass"]))
    node.setInertia(Vec3(*body["inertia"].tolist()))
    bullet.attach(node)
    node.setGravity(Vec3(0.0))  # after attaching, which sets the world's gravity
    node.setLinearDamping(0.0)
    node.setAngularDamping(0.0)
    node.setDeactivationEnabled(False)
    x, y, z, w = state["orientation"].tolist()
    position = Point3(*state["position"].tolist())
    node.setTransform(TransformState.makePosQuatScale(position, Quat(w, x, y, z), Vec3(1.0)))
    bullet_body = BulletBody(node, body["inertia"], step_seconds)
    bullet_body.set_velocity(state["velocity"], state["angular_velocity"])
    return bullet_body


def destroy(bullet: Any, body: BulletBody) -> None:
    """Remove a body from the BulletWorld `bullet`, with its constraints and its shapes."""
    node = body.node
    for link in [c for c in bullet.getConstraints() if node in (c.getRigidBodyA(), c.getRigidBodyB())]:
        bullet.removeConstraint(link)
    bullet.remove(node)
    for shape in list(node.getShapes()):
        node.removeShape(shape)


def _skew(v: np.ndarray) -> np.ndarray:
    """The matrix S with S x = v cross x."""
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])
