"""A driver's forearms with hands on the steering wheel, for the cockpit and close views; game/view/vehicle/hands.py
animates them.

The origin of the nodes `forearm_left` and `forearm_right` is where the hand holds the rim; y leads from the elbow to
the hand, z along the rim to the thumb. The helper `forearm_left_elbow` is the position of the elbow. `driver_forearms`
is a static version of both for distant views.
"""

import numpy as np

from driving_sandbox.assets.build.chassis import RIM
from driving_sandbox.assets.build.figure import CLOTHES, Clothes, elbow_of
from driving_sandbox.assets.build.glb import Node
from driving_sandbox.assets.build.mesh import Mesh, join, primitives, turn
from driving_sandbox.assets.build.parts import cushion, lathe, outward, skin_over, tube

GRIP = 0.42  # rad above the wheel's middle, a little below "ten to two"
SKY = 0.5  # share of ambient light that reaches hands below a windscreen
FINGERS = ((0.030, 0.98), (0.0105, 1.04), (-0.009, 1.0), (-0.027, 0.88))  # m along the rim, factor on the thickness
# A finger round the rim: (x, y, radius), m, from inside the palm over knuckle and joints to the tip.
FINGER = ((-0.031, -0.012, 0.0105), (-0.0325, 0.006, 0.0122), (-0.026, 0.0215, 0.0108), (-0.014, 0.0305, 0.0103),
          (-0.002, 0.0335, 0.0110), (0.010, 0.0305, 0.0100), (0.0195, 0.0205, 0.0098), (0.0225, 0.008, 0.0090),
          (0.0215, -0.001, 0.0068), (0.0205, -0.005, 0.0025))  # fmt: skip
# The thumb: (x, y, z, radius), m, from the wrist along the rim.
THUMB = ((-0.020, -0.082, 0.010, 0.0150), (-0.017, -0.062, 0.022, 0.0185), (-0.011, -0.044, 0.036, 0.0160),
         (-0.003, -0.034, 0.048, 0.0128), (0.005, -0.026, 0.058, 0.0122), (0.012, -0.0185, 0.068, 0.0106),
         (0.017, -0.0125, 0.076, 0.0085), (0.0195, -0.0095, 0.0805, 0.0035))  # fmt: skip
# Sections of the palm: y, middle (x, z), half size (x, z), m.
PALM = ((-0.118, -0.017, 0.000, 0.0215, 0.0260), (-0.092, -0.017, 0.000, 0.0210, 0.0285),
        (-0.074, -0.020, 0.000, 0.0220, 0.0335), (-0.052, -0.025, 0.001, 0.0225, 0.0395),
        (-0.028, -0.0285, 0.001, 0.0195, 0.0430), (-0.006, -0.0310, 0.001, 0.0160, 0.0430),
        (0.008, -0.0310, 0.001, 0.0120, 0.0405), (0.015, -0.0290, 0.001, 0.0050, 0.0360))  # fmt: skip
PALM_SIDES = 16  # corners of a section of the palm
OUTLINE_EXPONENT = 0.78  # exponent of the section's outline; 1 gives an ellipse, less a fuller shape
SLEEVE_END = -0.096  # m: y where the sleeve ends
SLEEVE = ((0.0, 0.032), (0.02, 0.0375), (0.10, 0.036), (0.19, 0.041), (0.30, 0.039), (0.42, 0.045), (0.72, 0.047),
          (1.0, 0.056))  # share of the length from wrist to elbow, and radius in m; it varies in folds  # fmt: skip
FAR_SKY = 0.35  # share of ambient light that reaches the static forearms, which the doors shade


def _palm(material):
    """Closed palm from wrist to knuckles, through the sections of PALM."""
    a = np.arange(PALM_SIDES) * 2 * np.pi / PALM_SIDES
    c, s = (np.sign(w) * np.abs(w) ** OUTLINE_EXPONENT for w in (np.cos(a), np.sin(a)))
    rings = [np.stack([x + w * c, np.full(PALM_SIDES, y), z + h * s], 1) for y, x, z, w, h in PALM]
    return outward(skin_over(rings, material))


def _glove():
    """Details of a driving glove: seams over its back, a strap with its button."""
    parts = []
    for z in (-0.022, 0.0, 0.022):
        back = [
            (x - w * (1 - (abs(z) / h) ** 2) ** 0.5 - 0.0004, y, z * (0.8 + 0.2 * h / 0.043))
            for y, x, _, w, h in PALM[3:6]
        ]
        parts.append(tube(back, 0.0011, "stitch", 4))
    strap = [(y, x, z, w + 0.0022, h + 0.0022) for y, x, z, w, h in PALM[1:3]]
    (y0, x0, z0, w0, h0), (y1, x1, z1, w1, h1) = strap
    a = np.arange(PALM_SIDES) * 2 * np.pi / PALM_SIDES
    c, s = (np.sign(v) * np.abs(v) ** OUTLINE_EXPONENT for v in (np.cos(a), np.sin(a)))
    # (share of the way between the two sections, 1 on the strap and 0 below the glove's surface)
    rows = [(0.15, 0.0), (0.2, 1.0), (0.8, 1.0), (0.85, 0.0)]
    rings = [
        np.stack(
            [
                x0 + (x1 - x0) * t + (w0 + (w1 - w0) * t - 0.004 * (1 - up)) * c,
                np.full(PALM_SIDES, y0 + (y1 - y0) * t),
                z0 + (z1 - z0) * t + (h0 + (h1 - h0) * t - 0.004 * (1 - up)) * s,
            ],
            1,
        )
        for t, up in rows
    ]
    parts.append(skin_over(rings, "gloss_black", cap=False))
    button = lathe([(0.0, 0.0), (0.0, 0.0062), (0.0022, 0.0050), (0.0030, 0.0)], 10, "chrome").turned(2, np.pi)
    return [*parts, button.moved(-0.0405, -0.083, 0.004)]


def left_arm(worn: Clothes, reach: float) -> Mesh:
    """A closed left hand at the origin, its back to -x, with its sleeve; `reach`: distance to the elbow, m."""
    skin, sleeve = worn.hands, worn.coat
    parts = [_palm(skin)]
    for z, size in FINGERS:
        parts.append(tube([(x, y, z) for x, y, _ in FINGER], [size * r for *_, r in FINGER], skin, 8))
    parts.append(tube([p[:3] for p in THUMB], [p[3] for p in THUMB], skin, 8))
    if skin == "leather":
        parts += _glove()
    cuff = [(-0.016 * (1.0 - share), SLEEVE_END - share * (reach + SLEEVE_END), 0.0) for share, _ in SLEEVE]
    return join([*parts, tube(cuff, [r for _, r in SLEEVE], sleeve, 12)])


def plain_arm(worn: Clothes, reach: float) -> Mesh:
    """`left_arm` with few triangles, for distant views."""
    hand = [(-0.024, -0.055, 0.0, 0.030), (-0.020, 0.0, 0.018, 0.027), (-0.020, 0.0, -0.018, 0.026),
            (0.014, 0.008, 0.014, 0.018), (0.014, 0.008, -0.018, 0.018)]  # fmt: skip
    sleeve = tube([(0.0, -reach, 0.0), (-0.016, SLEEVE_END, 0.0)], [0.055, 0.037], worn.coat, 8)
    return join([cushion(hand, worn.hands), sleeve])


def forearms(name: str, eye: tuple[float, float, float], wheel: Node) -> list[Node]:
    """Forearm nodes of a vehicle, for a driver with eyes at `eye` who holds the steering wheel of the node `wheel`."""
    radius = max(float(np.abs(p.vertices[:, 0]).max()) for p in wheel.primitives)
    tilt = 2.0 * np.arctan2(wheel.rotation[0], wheel.rotation[3])
    middle, worn = np.array(wheel.translation), CLOTHES.get(name, CLOTHES[None])
    out, static_arms = [], []
    for side, word in ((-1, "left"), (1, "right")):
        aside = np.array([side * np.cos(GRIP), 0.0, np.sin(GRIP)])
        thumb = np.array([-side * np.sin(GRIP), 0.0, np.cos(GRIP)])
        aside, thumb = turn(np.array([aside, thumb]), 0, tilt)
        grip = middle + (radius - RIM) * aside
        elbow = elbow_of(eye, middle, side)
        axes = _axes(grip - elbow, thumb)
        reach = float(np.sqrt(np.sum((grip - elbow) ** 2)))
        arm, plain = (make(worn, reach) if side < 0 else make(worn, reach).mirrored() for make in (left_arm, plain_arm))
        plain.v = grip + sum(plain.v[:, k : k + 1] * axes[k] for k in range(3))
        static_arms.append(plain)
        helper = Node(f"forearm_{word}_elbow", tuple(float(np.sum(axis * (elbow - grip))) for axis in axes))
        meshes = primitives(arm, lambda v, n: np.full(len(v), SKY))
        out.append(Node(f"forearm_{word}", tuple(grip), _quaternion(axes), primitives=meshes, children=[helper]))
    if name != "tank":  # its figure stands in the turret
        out.append(
            Node("driver_forearms", primitives=primitives(join(static_arms), lambda v, n: np.full(len(v), FAR_SKY)))
        )
    return out


def _axes(ahead, up):
    """Right-handed unit axes: y along `ahead`, z as near `up` as possible."""
    y = ahead / np.sqrt(np.sum(ahead * ahead))
    z = up - y * np.sum(up * y)
    z = z / np.sqrt(np.sum(z * z))
    return np.array([y[1] * z[2] - y[2] * z[1], y[2] * z[0] - y[0] * z[2], y[0] * z[1] - y[1] * z[0]]), y, z


def _quaternion(axes):
    """(x, y, z, w) of the rotation from the x, y and z axes to these; its angle is below half a turn."""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = axes
    w = 0.5 * np.sqrt(1.0 + xx + yy + zz)
    return tuple(float(v) for v in ((yz - zy) / (4 * w), (zx - xz) / (4 * w), (xy - yx) / (4 * w), w))
