"""Lines that make an arrow, a cross, a square or a circle. Points and vectors are numpy [3], m; a line: (from, to)."""

from __future__ import annotations

import math

import numpy as np

HEAD = 0.16  # length of an arrow's head over that of the arrow, up to MAX_HEAD
MAX_HEAD = 0.12  # m
UPRIGHT = 0.9  # cosine of the angle to z above which the perpendicular is taken from x
MIN_LENGTH = 0.01  # m; shorter arrows are not drawn
CORNERS = 24  # of a circle
_ANGLES = np.arange(CORNERS + 1) * (2.0 * np.pi / CORNERS)
_CIRCLE = np.column_stack([np.cos(_ANGLES), np.sin(_ANGLES)])


def cross_product(a, b):
    """a x b; numpy's own takes ten times as long for one pair."""
    ax, ay, az = a.tolist()
    bx, by, bz = b.tolist()
    return np.array((ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx))


def perpendicular(direction):
    """A unit vector perpendicular to a direction."""
    x, y, z = direction.tolist()
    if abs(z) < UPRIGHT * math.hypot(x, y, z):
        length = math.hypot(x, y)
        return np.array((y / length, -x / length, 0.0))
    length = math.hypot(y, z)
    return np.array((0.0, z / length, -y / length))


def arrow(start, vector):
    """From `start` along `vector`; the first line is the shaft, from start to tip."""
    length = math.hypot(*vector.tolist())
    if not length >= MIN_LENGTH:
        return []
    end = start + vector
    head = min(HEAD * length, MAX_HEAD)
    back, aside = end - vector * (head / length), perpendicular(vector) * (0.5 * head)
    return [(start, end), (end, back + aside), (end, back - aside)]


def cross(point, axes, size):
    """Three lines through a point, from -size to size along the rows of `axes`."""
    return [(point - size * axis, point + size * axis) for axis in axes]


def square(centre, normal, size):
    """The outline of a square with this normal."""
    a = perpendicular(normal) * (0.5 * size)
    b = cross_product(normal, a)
    corners = [centre + a + b, centre + a - b, centre - a - b, centre - a + b]
    return [(corners[k], corners[(k + 1) % 4]) for k in range(4)]


def circle(centre, a, b):
    """[CORNERS, 2, 3] lines of an ellipse with two perpendicular half axes."""
    ring = centre + _CIRCLE[:, :1] * a + _CIRCLE[:, 1:] * b
    return np.stack([ring[:-1], ring[1:]], axis=1)
