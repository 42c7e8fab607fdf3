"""Rotations in plain floats, because numpy would take ten times as long, and conversions to Panda3D's types."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from panda3d.core import LMatrix4f, LQuaternionf


def quaternion(q: Sequence[float] | np.ndarray) -> LQuaternionf:
    """Panda3D's quaternion (w, x, y, z) from (x, y, z, w)."""
    return LQuaternionf(q[3], q[0], q[1], q[2])


def rotate(q: Sequence[float] | np.ndarray, v: Sequence[float] | np.ndarray) -> tuple[float, float, float]:
    """Vector v rotated by the unit quaternion q = (a, w): v + 2 w (a x v) + 2 a x (a x v), with a = (x, y, z)."""
    x, y, z, w = q
    px, py, pz = v
    tx, ty, tz = 2.0 * (y * pz - z * py), 2.0 * (z * px - x * pz), 2.0 * (x * py - y * px)
    return (px + w * tx + y * tz - z * ty, py + w * ty + z * tx - x * tz, pz + w * tz + x * ty - y * tx)


def rotate_back(q: Sequence[float] | np.ndarray, v: Sequence[float] | np.ndarray) -> tuple[float, float, float]:
    """Vector v rotated by the inverse of the unit quaternion q (x, y, z, w)."""
    return rotate((-q[0], -q[1], -q[2], q[3]), v)


def panda_matrix(rows: Sequence[Sequence[float]]) -> LMatrix4f:
    """Panda3D's matrix, which acts on row vectors, from three rows (linear part, translation)."""
    a, b, c = rows
    return LMatrix4f(a[0], b[0], c[0], 0, a[1], b[1], c[1], 0, a[2], b[2], c[2], 0, a[3], b[3], c[3], 1)
