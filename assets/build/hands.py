"""A driver's forearms with hands on the steering wheel, as he sees them; game/view/hands.py turns them with it.

The origin of the nodes `forearm_left` and `forearm_right` is where the hand holds the rim; y leads from the elbow to
the hand, z along the rim to the thumb. The helper `forearm_left_elbow` says where that elbow is.
"""

import numpy as np

from assets.build.chassis import RIM
from assets.build.figure import CLOTHES
from assets.build.glb import Node
from assets.build.mesh import join, primitives, turn
from assets.build.parts import cushion, tube

GRIP = 0.42  # rad above the wheel's middle, a little below "ten to two"
ELBOW = (0.27, 0.14, -0.08)  # m: aside of and before the eyes, above the wheel's middle
SKY = 0.5  # of the sky that hands below a windscreen see
FINGERS = (0.031, 0.011, -0.009, -0.028)  # m along the rim
SLEEVE = ((-0.086, 0.033), (-0.096, 0.037), (-0.125, 0.036), (-0.150, 0.041), (-0.180, 0.039), (-0.215, 0.045),
          (-0.300, 0.047), (-0.380, 0.056))  # m: y and radius; it widens in folds  # fmt: skip


def left_arm(worn):
    """A closed hand about the origin, its back to -x, and the sleeve behind it."""
    glove, sleeve = worn.hands, worn.coat
    palm = cushion([(-0.031, -0.032, s * 0.024, 0.017) for s in (-1, 1)]
                   + [(-0.029, 0.008, s * 0.029, 0.014) for s in (-1, 1)]
                   + [(-0.021, -0.072, s * 0.010, 0.021) for s in (-1, 1)], glove)  # fmt: skip
    parts = [palm, tube([(-0.020, -0.06, 0), (-0.016, -0.10, 0)], 0.027, glove, 10)]
    for z in FINGERS:
        path = [(-0.031, 0.004, z), (-0.021, 0.028, z), (0.004, 0.036, z), (0.023, 0.022, z), (0.022, 0.002, z)]
        parts.append(tube(path, (0.0115, 0.0115, 0.0105, 0.0095, 0.006), glove, 7))
    thumb = [(-0.024, -0.040, 0.018), (-0.006, -0.036, 0.042), (0.010, -0.026, 0.056), (0.020, -0.012, 0.062)]
    parts.append(tube(thumb, (0.016, 0.0135, 0.0115, 0.007), glove, 8))
    cuff = [(-0.016 + 0.05 * (y + 0.086), y, 0.0) for y, _ in SLEEVE]
    return join([*parts, tube(cuff, [r for _, r in SLEEVE], sleeve, 12)])


def forearms(name, eye, wheel):
    """Both nodes of a vehicle, for eyes at `eye` and the node `wheel` of its steering wheel."""
    radius = max(float(np.abs(p.vertices[:, 0]).max()) for p in wheel.primitives)
    tilt = 2.0 * np.arctan2(wheel.rotation[0], wheel.rotation[3])
    middle, left = np.array(wheel.translation), left_arm(CLOTHES.get(name, CLOTHES[None]))
    out = []
    for side, word in ((-1, "left"), (1, "right")):
        aside = np.array([side * np.cos(GRIP), 0.0, np.sin(GRIP)])
        thumb = np.array([-side * np.sin(GRIP), 0.0, np.cos(GRIP)])
        aside, thumb = turn(np.array([aside, thumb]), 0, tilt)
        grip = middle + (radius - RIM) * aside
        elbow = np.array([eye[0] + side * ELBOW[0], eye[1] + ELBOW[1], middle[2] + ELBOW[2]])
        axes = _axes(grip - elbow, thumb)
        arm = left if side < 0 else left.mirrored()
        helper = Node(f"forearm_{word}_elbow", tuple(float(np.sum(axis * (elbow - grip))) for axis in axes))
        meshes = primitives(arm, lambda v, n: np.full(len(v), SKY))
        out.append(Node(f"forearm_{word}", tuple(grip), _quaternion(axes), primitives=meshes, children=[helper]))
    return out


def _axes(ahead, up):
    """Right-handed unit axes: y along `ahead`, z as near `up` as may be."""
    y = ahead / np.sqrt(np.sum(ahead * ahead))
    z = up - y * np.sum(up * y)
    z = z / np.sqrt(np.sum(z * z))
    return np.array([y[1] * z[2] - y[2] * z[1], y[2] * z[0] - y[0] * z[2], y[0] * z[1] - y[1] * z[0]]), y, z


def _quaternion(axes):
    """(x, y, z, w) of the rotation that makes these axes of x, y and z; it turns by less than half a turn."""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = axes
    w = 0.5 * np.sqrt(1.0 + xx + yy + zz)
    return tuple(float(v) for v in ((yz - zy) / (4 * w), (zx - xz) / (4 * w), (xy - yx) / (4 * w), w))
