"""Arrows, crosses, squares and circles made of lines. Points and vectors are numpy [3], m; a line is (start, end)."""

from __future__ import annotations

import math

import numpy as np

HEAD = 0.16  # length of an arrow's head relative to the arrow
MAX_HEAD = 0.12  # m, maximum length of the head
UPRIGHT = 0.9  # cosine of the angle to z; above it, the perpendicular is chosen normal to x, otherwise normal to z
MIN_LENGTH = 0.01  # m; shorter arrows are not drawn
CORNERS = 24  # corners of the polygon that is drawn as a circle
_ANGLES = np.arange(CORNERS + 1) * (2.0 * np.pi / CORNERS)
_CIRCLE = np.column_stack([np.cos(_ANGLES), np.sin(_ANGLES)])  # [CORNERS + 1, 2]; the last point is the first again


def cross_product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Cross product a x b; numpy.cross takes ten times as long for a single pair."""
    ax, ay, az = a.tolist()
    bx, by, bz = b.tolist()
    return np.array((ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx))


def perpendicular(direction: np.ndarray) -> np.ndarray:
    """A unit vector perpendicular to a direction."""
    x, y, z = direction.tolist()
    if abs(z) < UPRIGHT * math.hypot(x, y, z):
        length = math.hypot(x, y)
        return np.array((y / length, -x / length, 0.0))
    length = math.hypot(y, z)
    return np.array((0.0, z / length, -y / length))


def arrow(start: np.ndarray, vector: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """[line] of an arrow from `start` along `vector`, the shaft first; empty if shorter than MIN_LENGTH."""
    length = math.hypot(*vector.tolist())
    if not length >= MIN_LENGTH:  # True for NaN as well
        return []
    end = start + vector
    head = min(HEAD * length, MAX_HEAD)
    head_base, aside = end - vector * (head / length), perpendicular(vector) * (0.5 * head)
    return [(start, end), (end, head_base + aside), (end, head_base - aside)]


def cross(point: np.ndarray, axes: np.ndarray, size: float) -> list[tuple[np.ndarray, np.ndarray]]:
    """[line]: three lines through a point, each from -size to size, m, along a row of `axes`, unit vectors."""
    return [(point - size * axis, point + size * axis) for axis in axes]


def square(centre: np.ndarray, normal: np.ndarray, size: float) -> list[tuple[np.ndarray, np.ndarray]]:
    """[line]: the outline of a square with this unit normal and side length `size`, m."""
    a = perpendicular(normal) * (0.5 * size)
    b = cross_product(normal, a)
    corners = [centre + a + b, centre + a - b, centre - a - b, centre - a + b]
    return [(corners[k], corners[(k + 1) % 4]) for k in range(4)]


def circle(centre: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """[CORNERS, 2, 3] lines of an ellipse with the perpendicular semi-axes a and b, of a circle if they are equal."""
    ring = centre + _CIRCLE[:, :1] * a + _CIRCLE[:, 1:] * b
    return np.stack([ring[:-1], ring[1:]], axis=1)
