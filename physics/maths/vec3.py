"""Vector algebra on tuples (x, y, z): no allocation inside kernels, usable from plain Python too."""

import math

from driving_sandbox.physics.kernel.jit import kernel


@kernel
def load(array):
    """Tuple of the three elements of an array field."""
    return (array[0], array[1], array[2])


@kernel
def store(array, v):
    """Write a tuple into an array field of length three."""
    array[0] = v[0]
    array[1] = v[1]
    array[2] = v[2]


@kernel
def add(a, b):
    """a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@kernel
def sub(a, b):
    """a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@kernel
def scale(a, k):
    """k a."""
    return (a[0] * k, a[1] * k, a[2] * k)


@kernel
def add_scaled(a, b, k):
    """a + k b."""
    return (a[0] + b[0] * k, a[1] + b[1] * k, a[2] + b[2] * k)


@kernel
def negate(a):
    """-a."""
    return (-a[0], -a[1], -a[2])


@kernel
def dot(a, b):
    """Scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def cross(a, b):
    """Vector product a x b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@kernel
def length(a):
    """Length of a vector."""
    return math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


@kernel
def normalize(a):
    """Unit vector along a; a zero vector stays zero."""
    n = math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])
    if n == 0.0:
        return (0.0, 0.0, 0.0)
    k = 1.0 / n
    return (a[0] * k, a[1] * k, a[2] * k)


@kernel
def transform(m, v):
    """Matrix m (a tuple of three rows) times vector v."""
    return (
        m[0][0] * v[0] + m[0][1] * v[1] + m[0][2] * v[2],
        m[1][0] * v[0] + m[1][1] * v[1] + m[1][2] * v[2],
        m[2][0] * v[0] + m[2][1] * v[1] + m[2][2] * v[2],
    )


@kernel
def transform_back(m, v):
    """Transposed matrix times vector: for a rotation matrix, the inverse of `transform`."""
    return (
        m[0][0] * v[0] + m[1][0] * v[1] + m[2][0] * v[2],
        m[0][1] * v[0] + m[1][1] * v[1] + m[2][1] * v[2],
        m[0][2] * v[0] + m[1][2] * v[1] + m[2][2] * v[2],
    )
