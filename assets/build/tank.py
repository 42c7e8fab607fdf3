"""A light tank: 4.7 m long, sloped glacis, sponsons over the tracks, a two-man turret with a short gun.

Lengths are in metres, in the axes of `chassis.py`, the origin midway between the four pairs of road wheels. The radius
of the physics' wheel includes the track: the drawn road wheel is smaller by the thickness of a link.
"""

import numpy as np

from driving_sandbox.assets.build.dials import CLUSTERS, face
from driving_sandbox.assets.build.figure import commander
from driving_sandbox.assets.build.glb import Node
from driving_sandbox.assets.build.lorry import pane, prism
from driving_sandbox.assets.build.mesh import Mesh, join, with_mirror_image
from driving_sandbox.assets.build.parts import box, cushion, hull, lathe, tube
from driving_sandbox.assets.build.running import (
    Station,
    belts,
    end_wheel,
    faceted,
    road_wheel,
    round_end,
    sag,
    swing_arms,
    track_link,
    tree,
)
from driving_sandbox.assets.build.trim import plate, round_lens

ROWS = (1.26, 0.42, -0.42, -1.26)  # y of the road wheels
TRACK_X = 1.03  # |x| of a track's middle line
WIDTH = 0.36  # width of a track
PITCH = 0.12  # length of a track link
RADIUS = 0.35  # from a road wheel's axis to the ground, track included
DRAWN = 0.305  # radius of a drawn road wheel
FRONT, BACK = (1.95, 0.66, 0.26), (-1.92, 0.60, 0.24)  # y and z of the centre, radius, of sprocket and idler
TOP = 0.885  # z of the track's upper run


def stations() -> list[Station]:
    """The pairs of road wheels."""
    wheel = road_wheel(DRAWN, 0.17)
    hub = tube([(-0.19, 0, 0), (-0.10, 0, 0)], 0.07, "frame", 12)
    links = swing_arms(inner=0.19, pivot=(0.30, 0.16), top=(0.12, 0.42))
    return [Station(y, TRACK_X, RADIUS, wheel, hub, size=(RADIUS, 0.19), links=links) for y in ROWS]


def track() -> tuple[list[Mesh], list[Node]]:
    """(fixed parts of both tracks, nodes of their moving parts).

    The path leads round the sprocket, back along the return rollers and round the idler.
    """
    (fy, fz, fr), (by, bz, br) = FRONT, BACK
    path = [*round_end(fy, fz, fr, start=-0.95, end=1.65, steps=12)]
    rollers = (0.85, 0.0, -0.85)  # y of the return rollers
    marks = [(fy - 0.05, TOP), *[(y, TOP - 0.02) for y in rollers], (by + 0.05, bz + br)]
    for a, b in zip(marks[:-1], marks[1:], strict=True):
        path += [a, *sag(a, b, depth=0.018)]
    path += [*round_end(by, bz, br, start=np.pi / 2, end=np.pi + 1.0, steps=12)]
    ends = [(end_wheel(fr - 0.015, 0.18, teeth=13), FRONT), (end_wheel(br, 0.17), BACK)]
    parts = []
    for y in rollers:
        parts.append(
            lathe(
                [(0.13, 0.0), (0.13, 0.06), (0.12, 0.075), (-0.12, 0.075), (-0.13, 0.06), (-0.13, 0.0)], 16, "rubber"
            ).moved(0, y, TOP - 0.10)
        )
        parts.append(tube([(-0.30, y, TOP - 0.10), (0.14, y, TOP - 0.10)], 0.03, "frame", 8))
    return [with_mirror_image(part.moved(TRACK_X)) for part in parts], belts(
        TRACK_X, WIDTH, PITCH, path, wheels=(2, 4, 6, 8), radius=RADIUS, ends=ends
    )


def lower_hull() -> list[Mesh]:
    """Tub between the tracks, with final drives and towing eyes."""
    side = [
        (1.98, 0.42),
        (2.26, 0.72),
        (2.20, 0.86),
        (1.60, 1.00),
        (-2.10, 1.00),
        (-2.24, 0.80),
        (-2.12, 0.46),
        (-1.95, 0.38),
        (1.80, 0.38),
    ]
    parts = [faceted(prism(side, 0.80, 0.02))]
    for y in (FRONT[0], BACK[0]):  # final drives
        z = FRONT[1] if y > 0 else BACK[1]
        parts.append(
            with_mirror_image(
                lathe([(0.10, 0.0), (0.10, 0.12), (0.04, 0.19), (-0.10, 0.21), (-0.10, 0.0)], 20, "paint").moved(
                    0.80, y, z
                )
            )
        )
    for x in (0.45,):  # tow eyes front and back
        parts += [
            with_mirror_image(
                tube([(x, 2.20, 0.62), (x, 2.33, 0.60), (x, 2.31, 0.70), (x, 2.20, 0.72)], 0.022, "frame", 8)
            ),
            with_mirror_image(
                tube([(x, -2.18, 0.60), (x, -2.32, 0.58), (x, -2.30, 0.68), (x, -2.18, 0.70)], 0.022, "frame", 8)
            ),
        ]
    return parts


def upper_hull() -> list[Mesh]:
    """Superstructure above the tracks with mudguards, skirts, lockers, glacis, driver's station and engine deck."""
    low, mid, top = 0.96, 1.10, 1.34
    block = [(s * 1.20, y, low) for s in (-1, 1) for y in (1.62, -2.18)]
    block += [(s * 1.20, y, mid) for s in (-1, 1) for y in (1.42, -2.26)]
    block += [(s * 0.98, y, top) for s in (-1, 1) for y in (0.92, -2.12)]
    block += [(s * 0.82, 2.18, 0.88) for s in (-1, 1)]
    parts = [faceted(hull(block, "paint"))]
    for s in (-1, 1):  # mudguards: thin plates over the tracks with turned-down ends
        for points in (((1.50, 0.965), (2.22, 0.945)), ((2.22, 0.945), (2.36, 0.83)), ((-2.10, 0.965), (-2.28, 0.90))):
            (y0, z0), (y1, z1) = points
            parts.append(
                hull(
                    [(s * x, y, z + d) for x in (0.80, 1.23) for y, z in ((y0, z0), (y1, z1)) for d in (0.0, 0.014)],
                    "paint",
                )
            )
    skirt = box((1.215, -0.28, 0.925), (0.012, 3.9, 0.10), 0.003, "paint")
    parts.append(with_mirror_image(skirt))
    for y in (1.1, 0.3, -0.5, -1.3):  # lockers on the sponsons
        parts.append(with_mirror_image(box((1.205, y - 0.05, 1.035), (0.05, 0.60, 0.11), 0.012, "paint")))
    return parts + glacis() + drivers_station() + deck()


def glacis() -> list[Mesh]:
    """Driver's hatch with periscopes, lamps with guards, spare links, wave board."""
    slope = float(np.arctan2(1.34 - 0.88, 0.92 - 2.18))
    parts = [cushion([(-0.42 + x, 0.78 + y, 1.355, 0.03) for x in (-0.22, 0.22) for y in (-0.20, 0.16)], "paint")]
    for x, turn in ((-0.62, 0.5), (-0.42, 0.0), (-0.22, -0.5)):
        parts.append(box((0, 0, 0), (0.17, 0.08, 0.10), 0.012, "paint").turned(2, turn).moved(x, 1.00, 1.34))
        parts.append(
            box((0, 0.042, 0.01), (0.14, 0.01, 0.055), 0.004, "gloss_black").turned(2, turn).moved(x, 1.00, 1.34)
        )
    for k in range(4):
        shoe = track_link(WIDTH, PITCH).turned(0, np.pi + slope)
        parts.append(shoe.moved(0.42, 1.34 + 0.115 * k, 1.225 - 0.042 * k))
    lamp = join(
        [
            lathe([(0.03, 0.0), (0.03, 0.075), (-0.02, 0.085), (-0.09, 0.05), (-0.09, 0.0)], 20, "frame"),
            round_lens(0.042, 0.028, 0.07),
        ]
    )
    lamp = lamp.turned(2, np.pi / 2)
    for s in (-1, 1):
        parts.append(lamp.moved(s * 0.70, 2.06, 1.03))
        for dx in (-0.10, 0.10):
            parts.append(
                tube(
                    [
                        (s * 0.70 + dx, 2.16, 0.90),
                        (s * 0.70 + dx, 2.18, 1.10),
                        (s * 0.70 + dx, 1.94, 1.12),
                        (s * 0.70 + dx, 1.86, 1.02),
                    ],
                    0.010,
                    "frame",
                    6,
                )
            )
    parts.append(
        pane([(-0.78, 1.98, 0.965), (0.78, 1.98, 0.965), (0.78, 1.90, 0.995), (-0.78, 1.90, 0.995)], 0.012, "frame")
    )
    return parts


def drivers_station() -> list[Mesh]:
    """Interior of the driver's compartment: walls, roof, floor, a vision slot that posts divide into three, dials."""
    left, right, front, back, low, high = -0.82, -0.02, 1.00, -0.20, 0.60, 1.305
    sill, lintel = 1.05, 1.285  # z of the slot's edges: from the bow plate to just above the horizon
    wall = ((left - 0.02, left), (back, front), (low, high)), ((right, right + 0.02), (back, front), (low, high))
    ends = ((left, right), (back - 0.02, back), (low, high)), ((left, right), (back, front), (low - 0.02, low))
    ahead = ((left, right), (front, front + 0.02), (low, sill)), ((left, right), (front, front + 0.02), (lintel, high))
    posts = [((x - 0.02, x + 0.02), (front, front + 0.02), (sill, lintel)) for x in (-0.79, -0.52, -0.32, -0.05)]
    parts = []
    for sides in (*wall, *ends, *ahead, *posts, ((left, right), (back, front), (high, high + 0.01))):
        low_end, high_end = np.array(sides).T
        parts.append(box((low_end + high_end) / 2, high_end - low_end, 0.002, "lining"))
    cluster = CLUSTERS["tank"]
    return parts + [face(cluster.radius).moved(*cluster.at).moved(x=side * cluster.apart) for side in (-1, 1)]


def deck() -> list[Mesh]:
    """Engine grilles, exhaust, tools, tow cable, tail lamps."""
    parts = []
    for x in (-0.45, 0.45):
        parts.append(box((x, -1.55, 1.345), (0.62, 0.85, 0.03), 0.01, "paint"))
        for k in range(9):
            slat = box((0, 0, 0), (0.54, 0.05, 0.012), 0.004, "frame").turned(0, 0.5)
            parts.append(slat.moved(x, -1.90 + 0.088 * k, 1.372))
    parts.append(
        lathe([(0.30, 0.0), (0.30, 0.09), (0.27, 0.105), (-0.27, 0.105), (-0.30, 0.09), (-0.30, 0.0)], 20, "disc")
        .turned(2, np.pi / 2)
        .moved(1.07, -1.55, 1.20)
    )
    parts.append(tube([(1.07, -1.84, 1.20), (1.07, -2.02, 1.22), (1.07, -2.14, 1.32)], 0.045, "disc", 12))
    cable = [(-1.08, 1.05, 1.17), (-1.10, 0.4, 1.16), (-1.08, -0.5, 1.17), (-1.10, -1.4, 1.16), (-1.02, -1.9, 1.18)]
    parts += [
        tube(cable, 0.018, "frame", 8),
        tube([(1.06, 1.00, 1.19), (1.06, -0.10, 1.19)], 0.018, "seat", 8),
        box((1.06, -0.28, 1.185), (0.16, 0.30, 0.02), 0.006, "frame"),
    ]
    parts.append(with_mirror_image(box((1.02, -2.26, 1.02), (0.16, 0.03, 0.08), 0.01, "lamp_rear")))
    parts.append(plate((0, -2.24, 0.72), (0.50, 0.11), "PT 5501"))
    for s in (-1, 1):
        parts.append(
            cushion([(s * 0.55 + dx, -2.20, 1.10 + dz, 0.06) for dx in (-0.22, 0.22) for dz in (-0.05, 0.06)], "seat")
        )
    return parts


def turret() -> list[Mesh]:
    """Faceted shell; gun with bore evacuator, cupola, hatches, smoke launchers, rack with a bedroll, aerial."""
    low = [(0.62, 0.36), (0.80, -0.10), (0.74, -0.95), (0.50, -1.18)]
    shell = [(s * x, y + 0.12, 1.37) for x, y in low for s in (-1, 1)]
    shell += [(s * x * 1.06, y + 0.10, 1.52) for x, y in low for s in (-1, 1)]
    shell += [(s * x * 0.74, y * 0.86 + 0.02, 1.86) for x, y in low for s in (-1, 1)]
    shell += [(s * 0.34, 0.62, 1.50) for s in (-1, 1)]
    parts = [
        faceted(hull(shell, "paint")),
        lathe([(0.03, 0.0), (0.03, 0.66), (-0.04, 0.70), (-0.04, 0.0)], 36, "frame")
        .turned(1, -np.pi / 2)
        .moved(0, -0.20, 1.365),
    ]
    parts.append(
        hull(
            [
                (s * x, y, z)
                for s in (-1, 1)
                for x, y, z in ((0.26, 0.62, 1.46), (0.26, 0.50, 1.76), (0.18, 0.86, 1.50), (0.18, 0.84, 1.70))
            ],
            "paint",
        )
    )
    gun = lathe(
        [
            (-0.30, 0.0),
            (-0.30, 0.080),
            (0.35, 0.074),
            (0.36, 0.052),
            (0.72, 0.050),
            (0.74, 0.078),
            (1.02, 0.078),
            (1.04, 0.047),
            (1.55, 0.043),
            (1.56, 0.062),
            (1.74, 0.062),
            (1.75, 0.034),
            (1.66, 0.030),
            (1.66, 0.0),
        ],
        24,
        "paint",
    ).turned(2, np.pi / 2)
    parts.append(gun.moved(0, 0.85, 1.60))
    parts.append(tube([(0.15, 0.80, 1.62), (0.15, 1.08, 1.62)], 0.018, "frame", 8))
    cupola = lathe([(0.16, 0.0), (0.15, 0.20), (0.10, 0.27), (-0.05, 0.30), (-0.05, 0.0)], 24, "paint").turned(
        1, -np.pi / 2
    )
    parts.append(cupola.moved(0.28, -0.42, 1.88))
    lid = lathe([(0.02, 0.0), (0.02, 0.21), (-0.02, 0.23), (-0.02, 0.0)], 24, "paint").turned(2, np.pi / 2)
    parts.append(lid.turned(0, -0.25).moved(0.28, -0.70, 2.18))
    for k in range(8):
        a = 2 * np.pi * k / 8
        parts.append(
            box((0, 0.255, 0), (0.11, 0.05, 0.045), 0.01, "gloss_black").turned(2, a).moved(0.28, -0.42, 1.935)
        )
    parts.append(
        lathe([(0.035, 0.0), (0.03, 0.22), (-0.02, 0.24), (-0.02, 0.0)], 20, "paint")
        .turned(1, -np.pi / 2)
        .moved(-0.28, -0.40, 1.875)
    )
    for s in (-1, 1):
        for k in range(3):
            parts.append(
                tube([(s * 0.62, 0.30 - 0.11 * k, 1.62), (s * 0.82, 0.40 - 0.11 * k, 1.74)], 0.042, "frame", 10)
            )
        parts.append(box((s * 0.74, -0.62, 1.60), (0.10, 0.55, 0.22), 0.02, "paint"))
    rack = [(-0.52, -1.10, 1.74), (-0.52, -1.36, 1.72), (0.52, -1.36, 1.72), (0.52, -1.10, 1.74)]
    parts += [tube(rack, 0.014, "frame", 6), tube([(x, y, z - 0.22) for x, y, z in rack], 0.014, "frame", 6)]
    parts += [tube([(x, -1.36, 1.50), (x, -1.36, 1.72)], 0.012, "frame", 6) for x in (-0.52, 0.0, 0.52)]
    parts.append(cushion([(x, -1.22, 1.60, 0.09) for x in (-0.36, 0.36)], "seat", 12))
    parts.append(
        tube(
            [(-0.52, -0.92, 1.84), (-0.53, -0.95, 2.05), (-0.56, -1.10, 2.95)],
            [0.022, 0.008, 0.004],
            "plastic_black",
            6,
        )
    )
    return parts


def build() -> Node:
    """The model."""
    still, running = track()
    parts = [*lower_hull(), *upper_hull(), *turret(), *still]
    proxy_points = [
        (1.20, 1.60, 0.96),
        (1.20, -2.18, 0.96),
        (1.20, -2.26, 1.10),
        (0.80, 1.80, 0.40),
        (0.80, -1.95, 0.40),
        (0.80, 2.26, 0.74),
        (1.22, 2.15, 0.62),
        (1.22, 2.15, 0.95),
        (1.22, -2.15, 0.60),
        (0.85, 0.42, 1.55),
        (0.60, -1.30, 1.72),
        (0.55, 0.30, 1.88),
        (0.52, -0.90, 2.02),
        (0.06, 2.50, 1.60),
    ]
    figure = commander((0.28, -0.42, 2.03))
    column = ((-0.42, 0.95, 1.0), 0.5)  # position and tilt, rad, of the steering wheel
    return tree("tank", stations(), parts, proxy_points, column, driver=figure, belts=running)
