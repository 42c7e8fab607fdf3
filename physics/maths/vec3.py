"""Vector algebra on tuples (x, y, z): no allocation inside kernels, usable from plain Python too."""

import math
from typing import Any

from driving_sandbox.physics.kernel.jit import kernel

Vector = tuple[float, float, float]
Matrix = tuple[Vector, Vector, Vector]  # rows


@kernel
def load(array: Any) -> Vector:
    """Tuple of the three elements of an array field."""
    return (array[0], array[1], array[2])


@kernel
def store(array: Any, v: Vector) -> None:
    """Write a tuple into an array field of length three."""
    array[0] = v[0]
    array[1] = v[1]
    array[2] = v[2]


@kernel
def add(a: Vector, b: Vector) -> Vector:
    """a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@kernel
def sub(a: Vector, b: Vector) -> Vector:
    """a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@kernel
def scale(a: Vector, k: float) -> Vector:
    """k a."""
    return (a[0] * k, a[1] * k, a[2] * k)


@kernel
def add_scaled(a: Vector, b: Vector, k: float) -> Vector:
    """a + k b."""
    return (a[0] + b[0] * k, a[1] + b[1] * k, a[2] + b[2] * k)


@kernel
def negate(a: Vector) -> Vector:
    """-a."""
    return (-a[0], -a[1], -a[2])


@kernel
def dot(a: Vector, b: Vector) -> float:
    """Scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def cross(a: Vector, b: Vector) -> Vector:
    """Vector product a x b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@kernel
def length(a: Vector) -> float:
    """Length of a vector."""
    return math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


@kernel
def normalize(a: Vector) -> Vector:
    """Unit vector along a; a zero vector stays zero."""
    n = math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])
    if n == 0.0:
        return (0.0, 0.0, 0.0)
    k = 1.0 / n
    return (a[0] * k, a[1] * k, a[2] * k)


@kernel
def transform(m: Matrix, v: Vector) -> Vector:
    """Matrix m (a tuple of three rows) times vector v."""
    return (
        m[0][0] * v[0] + m[0][1] * v[1] + m[0][2] * v[2],
        m[1][0] * v[0] + m[1][1] * v[1] + m[1][2] * v[2],
        m[2][0] * v[0] + m[2][1] * v[1] + m[2][2] * v[2],
    )


@kernel
def transform_back(m: Matrix, v: Vector) -> Vector:
    """Transposed matrix times vector: for a rotation matrix, the inverse of `transform`."""
    return (
        m[0][0] * v[0] + m[1][0] * v[1] + m[2][0] * v[2],
        m[0][1] * v[0] + m[1][1] * v[1] + m[2][1] * v[2],
        m[0][2] * v[0] + m[1][2] * v[1] + m[2][2] * v[2],
    )
