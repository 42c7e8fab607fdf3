"""Parts that stretch between hull and wheel (springs, arms): both ends stay attached.

A part has a hull end h and a wheel end w. At rest h0, w0 in the model frame. In motion h = h0 (it rides with the
body) and w comes from the hub's pose. In the body frame the part's matrix is
    x -> h + R (S (x - h0)),   S = 1 + (|w - h| / |w0 - h0| - 1) d0 d0^T,   R = least rotation d0 -> d
with d0, d the unit directions from hull end to wheel end at rest and now.
"""

from __future__ import annotations

import numpy as np


def least_rotation(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """3x3 matrix of the smallest rotation from unit vector a to unit vector b."""
    axis, cosine = np.cross(a, b), float(a @ b)
    if cosine < -0.999999:  # half a turn about any axis across a
        across = np.cross(a, (1.0, 0.0, 0.0) if abs(a[0]) < 0.9 else (0.0, 1.0, 0.0))
        across /= np.linalg.norm(across)
        return 2.0 * np.outer(across, across) - np.eye(3)
    skew = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.eye(3) + skew + skew @ skew / (1.0 + cosine)


class Link:
    """One stretching part; all points in the body frame, columns as vectors."""

    def __init__(self, hull_rest: np.ndarray, wheel_rest: np.ndarray):
        span = wheel_rest - hull_rest
        self.hull_rest, self.wheel_rest = hull_rest, wheel_rest
        self.length = max(float(np.linalg.norm(span)), 1e-6)
        self.direction = span / self.length
        self._outer = np.outer(self.direction, self.direction)

    def matrix(self, wheel_end: np.ndarray) -> np.ndarray:
        """4x4 matrix from rest geometry (body frame) to stretched geometry (body frame)."""
        span = wheel_end - self.hull_rest
        length = max(float(np.linalg.norm(span)), 1e-6)
        linear = least_rotation(self.direction, span / length)
        linear = linear @ (np.eye(3) + (length / self.length - 1.0) * self._outer)
        out = np.eye(4)
        out[:3, :3] = linear
        out[:3, 3] = self.hull_rest - linear @ self.hull_rest
        return out
