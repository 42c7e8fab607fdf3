"""Transformation from the axes of the reference, PhysX, to ours.

A row names its frame by three axis codes (longitudinal, lateral, vertical; 0 = +x, 1 = -x ... 5 = -z); its lateral axis
points to the left. Our axes are x right, y forward, z up. Angles about forward and up have the same sign in both;
quantities along the lateral axis (direction, speed, slip, force) change it. A row without axes uses the axes of the
reference's library, which is correct for functions of pure vector algebra.
"""

import numpy as np

LIBRARY_FRAME = (0, 2, 4)  # forward +x, left +y, up +z


def axis(code):
    """Unit vector of an axis code."""
    v = np.zeros(3)
    v[int(code) // 2] = -1.0 if int(code) % 2 else 1.0
    return v


class Frame:
    """Transforms vectors, quaternions and poses of a row to our axes."""

    def __init__(self, codes=LIBRARY_FRAME):
        forward, left, up = (axis(c) for c in codes)
        self.matrix = np.array([-left, forward, up])
        assert np.isclose(np.linalg.det(self.matrix), 1.0)

    def vector(self, v):
        """The first three numbers as a vector in our axes."""
        return self.matrix @ np.asarray(v, float)[:3]

    def rotation(self, q):
        """A quaternion (x, y, z, w) in our axes, normalised in double precision."""
        q = np.asarray(q, float)
        q = np.array([*(self.matrix @ q[:3]), q[3]])
        return q / np.linalg.norm(q)

    def pose(self, pose):
        """(position, quaternion) of seven numbers."""
        return self.vector(pose[:3]), self.rotation(pose[3:7])


def frame_of(row):
    """The frame that a row names, by default that of the reference's library."""
    return Frame(row["frame"]) if "frame" in row else Frame()
