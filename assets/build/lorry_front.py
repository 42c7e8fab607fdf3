"""Front of a lorry: grille, bumper, lamps, wipers, visor with its lamps, horns.

Lengths are in metres, in the axes of `chassis.py`, `f` the y of the cab's bumper.
"""

import numpy as np

from driving_sandbox.assets.build.lettering import lettering
from driving_sandbox.assets.build.mesh import Mesh, with_mirror_image
from driving_sandbox.assets.build.parts import box, cushion, hull, lathe, prism, tube
from driving_sandbox.assets.build.trim import PROUD, plate, round_lens

BADGE = "TITAN"
CAB_LEAN = 0.095  # rad, rearward lean of the cab's face below its screen
BUMPER_LEAN = 0.155  # rad, rearward lean of the bumper's upper part
FACE = ((0.95, -0.02), (1.30, 0.0), (1.72, -0.04))  # (z, y from the bumper) of the cab's face below its screen
SCREEN_FOOT, SCREEN_LEAN = (
    (1.80, -0.070),  # (z, y from the bumper) of the windscreen's lower edge, m
    -0.30,  # change of the windscreen's y per metre of height
)
SLATS = (1.105, 1.215, 1.325, 1.435)  # z of the grille's slats


def cab_front(f: float, text: str) -> list[Mesh]:
    """The whole front, with `text` on the number plate."""
    return [*grille(f), *bumper(f, text), *wipers(f), *roof(f), *corners(f)]


def _face(z):
    """y of the front panel at height z, m."""
    return float(np.interp(z, *zip(*FACE, strict=True)))


def grille(f: float) -> list[Mesh]:
    """A dark panel in a bright frame, slats with bright edges, the maker's name above."""
    rows = ((1.03, 0.74), (1.30, 0.86), (1.52, 0.90))
    panel = [(s * x, f + _face(z) + d, z) for z, x in rows for s in (-1, 1) for d in (-0.02, 0.008)]
    parts = [hull(panel, "gloss_black")]
    edge = [(s * x, f + _face(z) + 0.008, z) for s, step in ((-1, 1), (1, -1)) for z, x in rows[::step]]
    parts.append(tube(edge, 0.014, "chrome", 6, closed=True))
    for z in SLATS:
        half = float(np.interp(z, *zip(*rows, strict=True))) - 0.06
        parts.append(box((0, f + _face(z) + 0.016, z), (2 * half, 0.05, 0.052), 0.012, "plastic_black"))
        parts.append(box((0, f + _face(z) + 0.040, z + 0.016), (2 * half, 0.012, 0.010), 0.003, "chrome"))
    badge = lettering(BADGE, (0.80, 0.16), "chrome").turned(2, np.pi).turned(0, CAB_LEAN)
    return [*parts, badge.moved(0, f - 0.033 + 2 * PROUD, 1.625)]


def bumper(f: float, text: str) -> list[Mesh]:
    """The bumper, painted above and dark plastic below, with headlamps, intake bars, fog lamps, towing-eye covers."""
    high = [(f + 0.06, 0.40), (f + 0.08, 0.62), (f + 0.02, 1.00), (f - 0.62, 1.00), (f - 0.66, 0.50), (f - 0.60, 0.36)]
    low = [(f + 0.060, 0.335), (f + 0.092, 0.40), (f + 0.098, 0.56), (f + 0.088, 0.60), (f - 0.60, 0.60),
           (f - 0.665, 0.50), (f - 0.605, 0.335)]  # fmt: skip
    parts = [
        prism(high, 1.235, 0.06),
        prism(low, 1.242, 0.03, "plastic_black"),
        box((0, f + 0.062, 0.765), (1.10, 0.04, 0.24), 0.015, "gloss_black"),
        plate((0, f + 0.106, 0.48), (0.52, 0.11), text),
    ]
    for z in (0.70, 0.765, 0.83):
        parts.append(box((0, f + 0.080 - 0.15 * (z - 0.70), z), (1.06, 0.018, 0.022), 0.006, "frame"))
    for s in (-1, 1):
        parts += [part.turned(0, BUMPER_LEAN).moved(s * 0.90, f + 0.055, 0.79) for part in head_lamp(s)]
        parts.append(box((s * 0.90, f + 0.101, 0.475), (0.36, 0.014, 0.125), 0.006, "gloss_black"))
        parts.append(box((s * 0.98, f + 0.106, 0.475), (0.17, 0.018, 0.08), 0.01, "lamp_front"))
        parts.append(box((s * 0.44, f + 0.101, 0.47), (0.11, 0.012, 0.11), 0.02, "frame"))
    step = box((0, f + 0.045, 1.004), (1.50, 0.09, 0.016), 0.005, "plastic_black")
    return [
        *parts,
        step,
        with_mirror_image(tube([(1.12, f + 0.05, 0.98), (1.20, f + 0.06, 1.25)], [0.006, 0.004], "chrome", 6)),
    ]


def head_lamp(side: int) -> list[Mesh]:
    """A headlamp facing +y, centred at the origin.

    On a dark base: two round lenses in chrome rings, an amber one outboard of them, a strip of light below.
    """
    parts = [
        box((0, 0, -0.008), (0.52, 0.05, 0.225), 0.012, "gloss_black"),
        box((side * 0.208, 0.022, 0), (0.07, 0.016, 0.15), 0.006, "lamp_turn"),
        box((side * -0.045, 0.024, -0.102), (0.40, 0.014, 0.016), 0.004, "lamp_front"),
    ]
    for x in (-0.155, 0.045):
        ring = lathe([(0.0, 0.074), (0.016, 0.074), (0.012, 0.084), (-0.01, 0.088), (-0.01, 0.074)], 24, "chrome")
        lens = round_lens(0.014, 0.004, 0.074)
        parts += [part.turned(2, np.pi / 2).moved(side * x, 0.026, 0) for part in (ring, lens)]
    return parts


def wipers(f: float) -> list[Mesh]:
    """Three wipers parked side by side along the foot of the windscreen: pivot, arm and blade."""

    def at(x, z, before):
        """The point at x and z that is `before` m ahead of the windscreen."""
        return (x, f + SCREEN_FOOT[1] + SCREEN_LEAN * (z - SCREEN_FOOT[0]) + before, z)

    parts = [box((0, f - 0.040, 1.755), (2.04, 0.035, 0.05), 0.012, "plastic_black")]
    for x in (-0.30, 0.35, 0.98):
        parts += [
            tube(
                [at(x, 1.775, 0.035), at(x - 0.12, 1.815, 0.050), at(x - 0.31, 1.845, 0.036)],
                [0.014, 0.010, 0.007],
                "plastic_black",
                6,
            ),
            tube([at(x - 0.60, 1.832, 0.024), at(x - 0.02, 1.862, 0.024)], 0.009, "rubber", 6),
        ]
    return parts


def roof(f: float) -> list[Mesh]:
    """A visor over the screen with marker lamps, two horns above it."""
    parts = [
        prism([(f - 0.16, 2.70), (f - 0.06, 2.60), (f - 0.40, 2.80), (f - 0.46, 2.78)], 1.13, 0.01, "plastic_black")
    ]
    for x in (-0.90, -0.45, 0.0, 0.45, 0.90):
        parts.append(cushion([(x + dx, f - 0.195, 2.702, 0.022) for dx in (-0.045, 0.045)], "lamp_front"))
    horn = lathe([(0.0, 0.0), (0.006, 0.030), (0.0, 0.062), (-0.025, 0.046), (-0.09, 0.024), (-0.25, 0.016),
                  (-0.25, 0.0)], 16, "chrome").turned(2, np.pi / 2)  # fmt: skip
    foot = box((0, -0.17, -0.035), (0.04, 0.05, 0.07), 0.008, "frame")
    return parts + [with_mirror_image(part.moved(0.70, f - 0.50, 2.965)) for part in (horn, foot)]


def corners(f: float) -> list[Mesh]:
    """Air deflectors at the cab's edges, and the kerb mirror."""
    fin = [(x, f - y, z) for z, y0 in ((1.04, 0.10), (1.30, 0.07), (1.70, 0.11)) for x, y in (
        (1.222, y0), (1.255, y0 + 0.03), (1.250, y0 + 0.15), (1.222, y0 + 0.16))]  # fmt: skip
    kerb = [
        cushion([(0.95 + dx, f + 0.13, 2.50, 0.055) for dx in (-0.06, 0.06)], "plastic_black", 10),
        tube([(0.99, f - 0.12, 2.66), (1.0, f + 0.08, 2.62), (0.96, f + 0.12, 2.52)], 0.013, "plastic_black", 8),
    ]
    return [with_mirror_image(hull(fin, "gloss_black")), *kerb]
