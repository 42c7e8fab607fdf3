"""Unit quaternions as tuples (x, y, z, w), rotating body vectors into the world (Hamilton product)."""

import math
from typing import Any

from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths.vec3 import Matrix, Vector

Quaternion = tuple[float, float, float, float]


@kernel
def load(array: Any) -> Quaternion:
    """Tuple of the four elements of an array field."""
    return (array[0], array[1], array[2], array[3])


@kernel
def store(array: Any, q: Quaternion) -> None:
    """Write a tuple into an array field of length four."""
    array[0] = q[0]
    array[1] = q[1]
    array[2] = q[2]
    array[3] = q[3]


@kernel
def multiply(a: Quaternion, b: Quaternion) -> Quaternion:
    """Product a b: rotation by b first, then by a."""
    return (
        a[3] * b[0] + b[3] * a[0] + a[1] * b[2] - b[1] * a[2],
        a[3] * b[1] + b[3] * a[1] + a[2] * b[0] - b[2] * a[0],
        a[3] * b[2] + b[3] * a[2] + a[0] * b[1] - b[0] * a[1],
        a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
    )


@kernel
def rotate(q: Quaternion, v: Vector) -> Vector:
    """Body vector v in world axes."""
    tx = 2.0 * (q[1] * v[2] - q[2] * v[1])
    ty = 2.0 * (q[2] * v[0] - q[0] * v[2])
    tz = 2.0 * (q[0] * v[1] - q[1] * v[0])
    return (
        v[0] + q[3] * tx + q[1] * tz - q[2] * ty,
        v[1] + q[3] * ty + q[2] * tx - q[0] * tz,
        v[2] + q[3] * tz + q[0] * ty - q[1] * tx,
    )


@kernel
def rotate_inverse(q: Quaternion, v: Vector) -> Vector:
    """World vector v in body axes."""
    return rotate((-q[0], -q[1], -q[2], q[3]), v)


@kernel
def from_axis_angle(axis: Vector, angle: float) -> Quaternion:
    """Rotation by `angle` radians about a unit axis, right-handed."""
    s, c = elementary.sincos(angle * 0.5)
    return (axis[0] * s, axis[1] * s, axis[2] * s, c)


@kernel
def normalize(q: Quaternion) -> Quaternion:
    """The quaternion scaled to length 1."""
    k = 1.0 / math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return (q[0] * k, q[1] * k, q[2] * k, q[3] * k)


@kernel
def from_rotation_vector(v: Vector) -> Quaternion:
    """Rotation by |v| radians about v, exact for any length of v."""
    angle = math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    if angle < 1e-12:  # below this the first term of the sine's series is exact in float64
        return normalize((0.5 * v[0], 0.5 * v[1], 0.5 * v[2], 1.0))
    return from_axis_angle((v[0] / angle, v[1] / angle, v[2] / angle), angle)


@kernel
def to_matrix(q: Quaternion) -> Matrix:
    """Rows of the rotation matrix, body to world: ((xx, xy, xz), (yx, yy, yz), (zx, zy, zz))."""
    x2 = q[0] + q[0]
    y2 = q[1] + q[1]
    z2 = q[2] + q[2]
    xx = q[0] * x2
    yy = q[1] * y2
    zz = q[2] * z2
    xy = q[0] * y2
    xz = q[0] * z2
    yz = q[1] * z2
    wx = q[3] * x2
    wy = q[3] * y2
    wz = q[3] * z2
    return (
        (1.0 - yy - zz, xy - wz, xz + wy),
        (xy + wz, 1.0 - xx - zz, yz - wx),
        (xz - wy, yz + wx, 1.0 - xx - yy),
    )
