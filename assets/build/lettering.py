"""Letters and digits of number plates and on bodies, as flat strokes.

A sign stands on a grid 2 wide and 4 high; its strokes are bars between grid points. Signs face along -y, upright, read
from there with x to the right.
"""

import numpy as np

from assets.build.mesh import Mesh

GLYPHS = {  # strokes as runs of grid points (x, z)
    "A": ((0, 0, 0, 3, 1, 4, 2, 3, 2, 0), (0, 2, 2, 2)), "B": ((0, 0, 0, 4, 2, 4, 2, 0, 0, 0), (0, 2, 2, 2)),
    "C": ((2, 4, 0, 4, 0, 0, 2, 0),), "D": ((0, 0, 0, 4, 1, 4, 2, 3, 2, 1, 1, 0, 0, 0),),
    "E": ((2, 4, 0, 4, 0, 0, 2, 0), (0, 2, 2, 2)), "F": ((2, 4, 0, 4, 0, 0), (0, 2, 2, 2)),
    "G": ((2, 4, 0, 4, 0, 0, 2, 0, 2, 2, 1, 2),), "H": ((0, 0, 0, 4), (2, 0, 2, 4), (0, 2, 2, 2)),
    "I": ((1, 0, 1, 4),), "K": ((0, 0, 0, 4), (2, 4, 0, 2, 2, 0)), "L": ((0, 4, 0, 0, 2, 0),),
    "M": ((0, 0, 0, 4, 1, 2, 2, 4, 2, 0),),
    "N": ((0, 0, 0, 4, 2, 0, 2, 4),), "O": ((0, 1, 0, 3, 1, 4, 2, 3, 2, 1, 1, 0, 0, 1),),
    "P": ((0, 0, 0, 4, 2, 4, 2, 2, 0, 2),),
    "R": ((0, 0, 0, 4, 2, 4, 2, 2, 0, 2), (1, 2, 2, 0)), "S": ((2, 4, 0, 4, 0, 2, 2, 2, 2, 0, 0, 0),),
    "T": ((0, 4, 2, 4), (1, 4, 1, 0)), "V": ((0, 4, 1, 0, 2, 4),), "W": ((0, 4, 0, 0, 1, 2, 2, 0, 2, 4),),
    "0": ((0, 0, 0, 4, 2, 4, 2, 0, 0, 0),), "1": ((0, 3, 1, 4, 1, 0),), "2": ((0, 4, 2, 4, 2, 2, 0, 2, 0, 0, 2, 0),),
    "3": ((0, 4, 2, 4, 2, 0, 0, 0), (0, 2, 2, 2)), "4": ((0, 4, 0, 2, 2, 2), (2, 4, 2, 0)),
    "5": ((2, 4, 0, 4, 0, 2, 2, 2, 2, 0, 0, 0),), "6": ((2, 4, 0, 4, 0, 0, 2, 0, 2, 2, 0, 2),),
    "7": ((0, 4, 2, 4, 1, 0),), "8": ((0, 0, 0, 4, 2, 4, 2, 0, 0, 0), (0, 2, 2, 2)),
    "9": ((2, 2, 0, 2, 0, 4, 2, 4, 2, 0, 0, 0),), " ": (),
}  # fmt: skip
ADVANCE = 3.1  # grid units from one sign to the next
HALF_STROKE = 0.27  # grid units
TALL = 0.74  # of a plate 110 mm high are letters about 80 mm high


def lettering(text, size, material="sign"):
    """The text in the middle of a field of `size` (width, height), filling 90 % of its width or TALL of its height."""
    width = ADVANCE * len(text) - (ADVANCE - 2.0)
    unit = min(0.90 * size[0] / width, TALL * size[1] / 4.0)
    bars = []
    for k, sign in enumerate(text):
        for run in GLYPHS[sign]:
            points = np.array(run, dtype=np.float64).reshape(-1, 2) + [k * ADVANCE - width / 2, -2.0]
            bars += [_bar(a, b) for a, b in zip(points[:-1], points[1:], strict=True)]
    corners = np.concatenate(bars) * unit
    first = np.arange(len(bars))[:, None] * 4
    triangles = np.concatenate([first + [0, 1, 2], first + [0, 2, 3]])
    return Mesh(np.stack([corners[:, 0], 0 * corners[:, 0], corners[:, 1]], axis=1), triangles, material)


def _bar(a, b):
    """Corners of a bar round the line from a to b, counter-clockwise as read."""
    ahead = (b - a) / np.sqrt(np.sum((b - a) ** 2)) * HALF_STROKE
    left = np.array([-ahead[1], ahead[0]])
    a, b = a - ahead, b + ahead
    return np.array([a - left, b - left, b + left, a + left])
