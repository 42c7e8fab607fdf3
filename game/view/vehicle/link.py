"""Parts that are stretched between hull and wheel (springs, arms), so that both ends stay attached.

A part has a hull end, at rest at h in the model frame, and a wheel end, at rest at w0. While the vehicle moves, h stays
fixed to the body, and the wheel end w follows the hub's pose. In the body frame, a point x of the part moves to

    x -> h + (R + (k - 1) d d0^T) (x - h),   k = |w - h| / |w0 - h|,   R = smallest rotation from d0 to d

where d0 and d are the unit vectors from hull end to wheel end at rest and at present: the part stretches along its axis
only. R = c 1 + [a]x + a a^T / (1 + c) with a = d0 x d and c = d0 . d. Plain floats are used because numpy takes ten
times as long here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

MIN_LENGTH = 1e-6  # m; keeps directions finite if a part is compressed to zero length


def _direction(start: Sequence[float], end: Sequence[float]) -> tuple[tuple[float, float, float], float]:
    """(unit vector from start to end, distance in m); downwards for coinciding points."""
    x, y, z = end[0] - start[0], end[1] - start[1], end[2] - start[2]
    length = math.sqrt(x * x + y * y + z * z)
    if length < MIN_LENGTH:
        return (0.0, 0.0, -1.0), MIN_LENGTH
    return (x / length, y / length, z / length), length


def smallest_rotation(a: Sequence[float], b: Sequence[float]) -> tuple[tuple[float, float, float], ...]:
    """Rows of the smallest rotation from unit vector a to unit vector b."""
    cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    if cosine < -0.999999:  # half a turn about any axis n perpendicular to a: 2 n n^T - 1
        nx, ny, nz = (0.0, a[2], -a[1]) if abs(a[0]) < 0.9 else (-a[2], 0.0, a[0])
        scale = 2.0 / (nx * nx + ny * ny + nz * nz)
        return (
            (nx * nx * scale - 1.0, nx * ny * scale, nx * nz * scale),
            (ny * nx * scale, ny * ny * scale - 1.0, ny * nz * scale),
            (nz * nx * scale, nz * ny * scale, nz * nz * scale - 1.0),
        )
    x, y, z = a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
    f = 1.0 / (1.0 + cosine)
    return (
        (cosine + x * x * f, x * y * f - z, x * z * f + y),
        (x * y * f + z, cosine + y * y * f, y * z * f - x),
        (x * z * f - y, y * z * f + x, cosine + z * z * f),
    )


class Link:
    """One stretching part.

    Args:
        hull_rest, wheel_rest: rest positions (x, y, z) of its ends in the body frame, m.
    """

    def __init__(self, hull_rest: Sequence[float] | np.ndarray, wheel_rest: Sequence[float] | np.ndarray) -> None:
        self.hull_rest = tuple(float(v) for v in hull_rest)
        self.wheel_rest = tuple(float(v) for v in wheel_rest)
        self.direction, self.length = _direction(self.hull_rest, self.wheel_rest)

    def rows(
        self, wheel_end: Sequence[float], hull_end: Sequence[float] | None = None
    ) -> tuple[tuple[float, float, float, float], ...]:
        """Three rows (linear part, translation) of the transform from the rest geometry to the stretched one.

        Args:
            wheel_end: present position of the wheel end, m.
            hull_end: present position of the hull end, m; None if it is fixed to the body.
        """
        h, d0 = self.hull_rest, self.direction
        start = h if hull_end is None else hull_end
        d, length = _direction(start, wheel_end)
        stretch = length / self.length - 1.0
        transform = []
        for row, component, offset in zip(smallest_rotation(d0, d), d, start, strict=True):
            s = stretch * component
            x, y, z = row[0] + s * d0[0], row[1] + s * d0[1], row[2] + s * d0[2]
            transform.append((x, y, z, offset - (x * h[0] + y * h[1] + z * h[2])))
        return tuple(transform)
