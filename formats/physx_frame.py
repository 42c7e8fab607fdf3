"""Converts PhysX Vehicle2 data to our axes and to metres.

A PhysX frame names three signed coordinate axes (longitudinal l, lateral a, vertical u), right-handed in this order, by
the codes 0 = +x, 1 = -x, 2 = +y, 3 = -y, 4 = +z, 5 = -z. Its lateral axis therefore points to the left. Ours: x right,
y forward, z up. A vector v becomes (-a.v, l.v, u.v), as does the vector part of a quaternion; moments of inertia are
permuted. Angles about forward and up (roll, camber; yaw, steer, toe) keep their sign. Lateral components change their
sign, and so does the steering command: positive is to the left in PhysX, to the right here.

`scale` is the number of length units per metre.
"""

from collections.abc import Sequence

import numpy as np

SAMPLE_FRAME = (4, 0, 2)  # forward +z, lateral +x, up +y


class PhysxFrame:
    """Maps data of one frame and scale into SI units in our axes.

    Args:
        codes: axis codes of (longitudinal, lateral, vertical).
        scale: number of length units per metre.
    Raises:
        ValueError: the axes do not form a right-handed frame.
    """

    def __init__(self, codes: Sequence[int] = SAMPLE_FRAME, scale: float = 1.0) -> None:
        forward, left, up = (_axis(c) for c in codes)
        self.matrix = np.array([-left, forward, up])
        if not np.isclose(np.linalg.det(self.matrix), 1.0):
            raise ValueError(f"{list(codes)} is not a right-handed frame of longitudinal, lateral and vertical")
        self.scale = float(scale)

    def direction(self, v: np.ndarray | Sequence[float]) -> np.ndarray:
        """A direction, or any vector without a length dimension (angular velocity)."""
        return np.asarray(v, float) @ self.matrix.T

    def vector(self, v: np.ndarray | Sequence[float]) -> np.ndarray:
        """A position, velocity or force: length dimension 1."""
        return self.direction(v) / self.scale

    def torque(self, v: np.ndarray | Sequence[float]) -> np.ndarray:
        """A torque: length dimension 2."""
        return self.direction(v) / self.scale**2

    def quaternion(self, q: np.ndarray | Sequence[float]) -> np.ndarray:
        """A rotation (x, y, z, w), normalised because the files have single precision."""
        q = np.asarray(q, float)
        mapped = np.concatenate([q[..., :3] @ self.matrix.T, q[..., 3:]], axis=-1)
        return mapped / np.linalg.norm(mapped, axis=-1, keepdims=True)

    def inertia(self, moments: np.ndarray | Sequence[float]) -> np.ndarray:
        """Principal moments of inertia about our axes: pitch, roll, yaw; length dimension 2."""
        return np.abs(self.matrix) @ np.asarray(moments, float) / self.scale**2


def _axis(code: int) -> np.ndarray:
    """Unit vector of an axis code."""
    if code not in range(6):
        raise ValueError(f"{code!r} is no axis code: 0 = +x, 1 = -x, 2 = +y, 3 = -y, 4 = +z, 5 = -z")
    v = np.zeros(3)
    v[int(code) // 2] = -1.0 if int(code) % 2 else 1.0
    return v
