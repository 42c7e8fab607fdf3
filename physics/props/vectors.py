"""Vector operations on tuples of plain floats, for the few vectors that a tick handles outside of kernels.

For a single vector numpy takes ten times as long, and so does calling a kernel from Python.
"""

import math

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]  # x, y, z, w
Axes = tuple[Vector, Vector, Vector]


def add(a: Vector, b: Vector) -> Vector:
    """The sum a + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def sub(a: Vector, b: Vector) -> Vector:
    """The difference a - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def scale(a: Vector, k: float) -> Vector:
    """The vector a times the number k."""
    return a[0] * k, a[1] * k, a[2] * k


def dot(a: Vector, b: Vector) -> float:
    """The scalar product of two vectors."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Vector, b: Vector) -> Vector:
    """The vector product a x b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def length(a: Vector) -> float:
    """Length of a vector."""
    return math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


def axes_of(q: Quaternion) -> Axes:
    """A body's axes in the world, the columns of its rotation matrix, from its orientation x, y, z, w."""
    x, y, z, w = q
    xy, xz, yz, xw, yw, zw = x * y, x * z, y * z, x * w, y * w, z * w
    return (
        (1.0 - 2.0 * (y * y + z * z), 2.0 * (xy + zw), 2.0 * (xz - yw)),
        (2.0 * (xy - zw), 1.0 - 2.0 * (x * x + z * z), 2.0 * (yz + xw)),
        (2.0 * (xz + yw), 2.0 * (yz - xw), 1.0 - 2.0 * (x * x + y * y)),
    )


def into_world(axes: Axes, v: Vector) -> Vector:
    """World components of a vector given in a body's axes."""
    a, b, c = axes
    x, y, z = v
    return a[0] * x + b[0] * y + c[0] * z, a[1] * x + b[1] * y + c[1] * z, a[2] * x + b[2] * y + c[2] * z


def into_body(axes: Axes, v: Vector) -> Vector:
    """Components in a body's axes of a vector given in world axes."""
    return dot(axes[0], v), dot(axes[1], v), dot(axes[2], v)


def reach_along(axis: Vector, axes: Axes, half: Vector) -> float:
    """Half the extent of a box along `axis`, m.

    Args:
        axis: unit vector in world axes.
        axes: the box's axes in the world.
        half: half its edge lengths, m.
    """
    x, y, z = axis
    a, b, c = axes
    return (
        abs(a[0] * x + a[1] * y + a[2] * z) * half[0]
        + abs(b[0] * x + b[1] * y + b[2] * z) * half[1]
        + abs(c[0] * x + c[1] * y + c[2] * z) * half[2]
    )
