"""Letters and digits on number plates and bodies, as flat strokes.

Each character is drawn on a grid 2 wide and 4 high; its strokes are bands along grid points with round bends.
Characters stand upright and face along -y: seen from there, text runs along +x.
"""

import numpy as np

from driving_sandbox.assets.build.mesh import Mesh

GLYPHS = {  # strokes as runs of grid points (x, z)
    "A": ((0, 0, 0, 3, 1, 4, 2, 3, 2, 0), (0, 2, 2, 2)),
    "B": ((0, 0, 0, 4), (0, 4, 2, 4, 2, 2, 0, 2), (0, 2, 2, 2, 2, 0, 0, 0)),
    "C": ((2, 4, 0, 4, 0, 0, 2, 0),), "D": ((0, 0, 0, 4), (0, 4, 2, 4, 2, 0, 0, 0)),
    "E": ((0, 0, 0, 4), (0, 4, 2, 4), (0, 2, 1.8, 2), (0, 0, 2, 0)), "F": ((0, 0, 0, 4), (0, 4, 2, 4), (0, 2, 1.8, 2)),
    "G": ((2, 4, 0, 4, 0, 0, 2, 0, 2, 2, 1, 2),), "H": ((0, 0, 0, 4), (2, 0, 2, 4), (0, 2, 2, 2)),
    "I": ((1, 0, 1, 4),), "K": ((0, 0, 0, 4), (2, 4, 0, 2, 2, 0)), "L": ((0, 4, 0, 0), (0, 0, 2, 0)),
    "M": ((0, 0, 0, 4, 1, 2, 2, 4, 2, 0),),
    "N": ((0, 0, 0, 4, 2, 0, 2, 4),), "O": ((0, 0, 0, 4, 2, 4, 2, 0, 0, 0),),
    "P": ((0, 0, 0, 4), (0, 4, 2, 4, 2, 2, 0, 2)),
    "R": ((0, 0, 0, 4), (0, 4, 2, 4, 2, 2, 0, 2), (1, 2, 2, 0)), "S": ((2, 4, 0, 4, 0, 2, 2, 2, 2, 0, 0, 0),),
    "T": ((0, 4, 2, 4), (1, 4, 1, 0)), "X": ((0, 4, 2, 0), (0, 0, 2, 4)), "/": ((0.2, 0, 1.8, 4),),
    "V": ((0, 4, 1, 0, 2, 4),), "W": ((0, 4, 0, 0, 1, 2, 2, 0, 2, 4),),
    "0": ((0, 0, 0, 4, 2, 4, 2, 0, 0, 0),), "1": ((1, 0, 1, 4), (0.95, 3.75, 0.1, 2.9)),
    "2": ((0, 4, 2, 4, 2, 2, 0, 2, 0, 0, 2, 0),),
    "3": ((0, 4, 2, 4, 2, 0, 0, 0), (0.4, 2, 2, 2)), "4": ((0, 4, 0, 2, 2, 2), (2, 4, 2, 0)),
    "5": ((2, 4, 0, 4, 0, 2, 2, 2, 2, 0, 0, 0),), "6": ((2, 4, 0, 4, 0, 0, 2, 0, 2, 2, 0, 2),),
    "7": ((0, 4, 2, 4, 1, 0),), "8": ((0, 0, 0, 4, 2, 4, 2, 0, 0, 0), (0, 2, 2, 2)),
    "9": ((2, 2, 0, 2, 0, 4, 2, 4, 2, 0, 0, 0),), " ": (),
}  # fmt: skip
ADVANCE = 3.1  # grid units from one character to the next
HALF_STROKE = 0.30  # grid units
ROUND = 0.62  # grid units, length of a bend's fillet
STEPS = 4  # segments of a bend
SHARPEST = -0.1  # cosine of the largest turn within a stroke; at a sharper turn a new stroke begins
OVERLAP = 0.01  # grid units; faces then share no vertex, so game/view/vehicle/simplified_mesh.py keeps them as drawn
TALL = 0.74  # height of letters as a fraction of a plate's: 80 mm on 110 mm


def lettering(text: str, size: tuple[float, float], material: str = "sign", steps: int = STEPS) -> Mesh:
    """Mesh of the text, centred in a field and as large as fits within 90 % of its width and TALL of its height.

    Args:
        text: characters of GLYPHS.
        size: (width, height) of the field, m.
        material: of the strokes.
        steps: segments of a bend; small text needs fewer.
    """
    width = ADVANCE * len(text) - (ADVANCE - 2.0)
    unit = min(0.90 * size[0] / width, TALL * size[1] / 4.0)
    corners, triangles = [], []
    for k, character in enumerate(text):
        for run in GLYPHS[character]:
            for stroke in _strokes(np.array(run, dtype=np.float64).reshape(-1, 2), steps):
                for face in _faces(stroke):
                    first = sum(len(each) for each in corners)
                    triangles += [(first, first + n, first + n + 1) for n in range(1, len(face) - 1)]
                    corners.append((face + [k * ADVANCE - width / 2, -2.0]) * unit)
    corners = np.concatenate(corners)
    return Mesh(np.stack([corners[:, 0], 0 * corners[:, 0], corners[:, 1]], axis=1), triangles, material)


def _unit(vector):
    """The vector at length 1."""
    return vector / np.sqrt(np.sum(vector * vector))


def _strokes(points, steps):
    """Lines (n, 2) with rounded bends, split at sharp corners; a closed stroke ends in the middle of its first line."""
    if (points[0] == points[-1]).all():
        middle = (points[0] + points[1]) / 2
        points = np.concatenate([[middle], points[1:], [middle]])
    line, out = [points[0]], []
    for before, at, after in zip(points[:-2], points[1:-1], points[2:], strict=True):
        a, b = _unit(at - before), _unit(after - at)
        if np.sum(a * b) < SHARPEST:
            out.append(np.array([*line, at]))
            line = [at]
            continue
        start, end = at - a * ROUND, at + b * ROUND
        line += [start * (1 - t) ** 2 + 2 * at * t * (1 - t) + end * t * t for t in np.arange(steps + 1) / steps]
    return [*out, np.array([*line, points[-1]])]


def _faces(line):
    """Convex faces of the band along a line, counter-clockwise for the reader, clipped to the character's grid."""
    ahead = np.array([_unit(b - a) for a, b in zip(line[:-1], line[1:], strict=True)])
    line = line.copy()
    line[0] -= ahead[0] * _reach(line[0], ahead[0])
    line[-1] += ahead[-1] * _reach(line[-1], ahead[-1])
    along = np.array([ahead[0], *(_unit(a + b) for a, b in zip(ahead[:-1], ahead[1:], strict=True)), ahead[-1]])
    left = np.stack([-along[:, 1], along[:, 0]], axis=1) * HALF_STROKE
    for k in range(len(line) - 1):
        a, b = line[k] - OVERLAP * ahead[k], line[k + 1] + OVERLAP * ahead[k]
        face = np.array([a - left[k], b - left[k + 1], b + left[k + 1], a + left[k]])
        for axis, side, limit in ((0, -1, 0), (0, 1, 2), (1, -1, 0), (1, 1, 4)):
            face = _within(face, axis, side, side * limit + HALF_STROKE)
        if len(face) > 2:
            yield face


def _reach(end, ahead):
    """Length, in grid units, by which a stroke is extended at an end.

    An upright or level stroke is extended by half its width. A slanted one is extended only if it ends at the top or
    bottom of the grid: far beyond, to be clipped there later.
    """
    slanting = np.abs(ahead).min() > 0.1
    return 4 * HALF_STROKE if slanting and end[1] in (0.0, 4.0) else HALF_STROKE if not slanting else 0.0


def _within(face, axis, side, limit):
    """A convex face clipped to the half-plane `side` * coordinate <= `limit`; `side` is 1 or -1, `axis` 0 or 1."""
    out = []
    for a, b in zip(face, np.roll(face, -1, axis=0), strict=True):
        over_a, over_b = side * a[axis] - limit, side * b[axis] - limit
        if over_a <= 0:
            out.append(a)
        if over_a * over_b < 0:
            out.append(a + (b - a) * (over_a / (over_a - over_b)))
    return np.array(out)
