"""Bullet's bodies of props, made from their kinds, and which of them collide.

Two bodies touch when their masks share a bit. Props touch the ground, each other, hulls and wheels; what
supports wheels (`drivable`) is left to the wheel's own sweep instead; a hinged body does not touch the ground, its
limits stop it. A body's frame is its centre of mass with the model's axes.
"""

import math

import numpy as np
from panda3d.bullet import (
    BulletBoxShape,
    BulletConeShape,
    BulletConvexHullShape,
    BulletCylinderShape,
    BulletHingeConstraint,
    BulletRigidBodyNode,
    XUp,
    YUp,
    ZUp,
)
from panda3d.core import BitMask32, Point3, Quat, TransformState, Vec3

from driving_sandbox.physics.maths.quat import from_axis_angle, multiply, rotate

GROUND, PROPS, HULLS, WHEELS, DRIVABLE = (BitMask32.bit(k) for k in range(5))
MARGIN = 0.008  # m, by which Bullet rounds hulls; its own 40 mm would hold cars visibly apart
SLEEP_SPEED, SLEEP_RATE = 0.12, 0.25  # m/s, rad/s; slower than this for two seconds a body falls asleep
ROLLING_DAMPING = 0.08  # 1/s; a barrel on level ground rolls to a stop within half a minute
_UP = {"x": XUp, "y": YUp, "z": ZUp}


def transform(pose):
    """Bullet's transform of a pose (position, orientation x, y, z, w)."""
    x, y, z, qx, qy, qz, qw = (float(v) for v in pose)
    return TransformState.makePosQuatScale(Point3(x, y, z), Quat(qw, qx, qy, qz), Vec3(1.0))


def read_pose(node):
    """Pose of a body as a tuple of seven numbers."""
    state = node.getTransform()
    x, y, z = state.getPos()
    qw, qx, qy, qz = state.getQuat()
    return x, y, z, qx, qy, qz, qw


def hull_shape(points):
    """Convex hull of points, rounded by MARGIN."""
    shape = BulletConvexHullShape()
    for point in points:
        shape.addPoint(Point3(*(float(v) for v in point)))
    shape.setMargin(MARGIN)
    return shape


def _bullet_shape(shape, centre):
    """(Bullet shape, its transform in the body) of a Shape."""
    v = shape.values
    if shape.kind == "hull":
        return hull_shape(np.array(v["points"]) - centre), TransformState.makeIdentity()
    if shape.kind == "box":
        made = BulletBoxShape(Vec3(*(0.5 * size for size in v["size"])))
    elif shape.kind == "cylinder":
        made = BulletCylinderShape(v["radius"], v["height"], _UP[v["axis"]])
    else:
        made = BulletConeShape(v["radius"], v["height"], ZUp)
    return made, TransformState.makePos(Point3(*(a - c for a, c in zip(v["at"], centre, strict=True))))


def make_body(kind, name):
    """A body of a kind, not yet in a world."""
    node = BulletRigidBodyNode(name)
    for shape in kind.shapes:
        node.addShape(*_bullet_shape(shape, kind.centre))
    node.setMass(kind.mass)
    node.setFriction(kind.friction)
    node.setRestitution(kind.restitution)
    node.setLinearSleepThreshold(SLEEP_SPEED)
    node.setAngularSleepThreshold(SLEEP_RATE)
    node.setAngularDamping(ROLLING_DAMPING if kind.hinge is None else min(0.95, kind.hinge.damping))
    mask = PROPS | HULLS | (DRIVABLE if kind.drivable else WHEELS)
    node.setIntoCollideMask(mask if kind.hinge is not None else mask | GROUND)
    return node


def foot_pose(foot, turn, kind):
    """Pose of the body whose model's origin is at `foot` with orientation `turn`."""
    return (*np.add(foot, rotate(turn, kind.centre)).tolist(), *turn)


def hinge_of(kind, node, pose):
    """The hinge of a body that is at the hinge's zero pose now."""
    hinge = kind.hinge
    pivot = Point3(*(a - c for a, c in zip(hinge.at, kind.centre, strict=True)))
    node.setTransform(transform(pose))
    joint = BulletHingeConstraint(node, pivot, Vec3(*hinge.axis), True)
    # Bullet counts the angle from where the least turn of the axis out of the world would have put the body
    low, high = (math.degrees(v) + joint.getHingeAngle() for v in hinge.limits)
    joint.setLimit(low, high, 0.9, 0.3, 0.0)
    return joint


def start_pose(kind, pose):
    """Initial pose of a prop: turned about its hinge by the start angle."""
    if kind.hinge is None or kind.hinge.start == 0.0:
        return pose
    turn = tuple(pose[3:])
    foot = np.subtract(pose[:3], rotate(turn, kind.centre))
    pivot = foot + rotate(turn, kind.hinge.at)
    turned = multiply(turn, from_axis_angle(kind.hinge.axis, kind.hinge.start))
    return (*(pivot + rotate(turned, tuple(np.subtract(kind.centre, kind.hinge.at)))).tolist(), *turned)
