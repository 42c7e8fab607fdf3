"""A half-track carrier: armoured bonnet with a roller in front, windscreen plate, open body, two short tracks.

Lengths are in metres, in the axes of `chassis.py`, the origin midway between the front axle and the middle of the
tracks. The radius of the physics' road wheel includes the track. Front wheels sit on a beam like a lorry's.
"""

import numpy as np

from driving_sandbox.assets.build.chassis import link
from driving_sandbox.assets.build.cockpit import instruments
from driving_sandbox.assets.build.dials import CLUSTERS
from driving_sandbox.assets.build.figure import CLOTHES, driver, seat
from driving_sandbox.assets.build.fittings import EYES
from driving_sandbox.assets.build.glb import Node
from driving_sandbox.assets.build.lettering import lettering
from driving_sandbox.assets.build.lorry import pane, prism
from driving_sandbox.assets.build.mesh import Mesh, join, seen_from, with_mirror_image
from driving_sandbox.assets.build.parts import box, coil, cushion, hull, lathe, sector, tube
from driving_sandbox.assets.build.running import (
    Station,
    belts,
    end_wheel,
    faceted,
    road_wheel,
    round_end,
    sag,
    swing_arms,
    tree,
)
from driving_sandbox.assets.build.stowage import axe, cable, can, flap, rivets, roll, spade
from driving_sandbox.assets.build.trim import DOWN, OUTWARD, aim, mirror_glass, plate, round_lens
from driving_sandbox.assets.build.wheel import WheelShape, brake, wheel

FRONT_WHEEL = WheelShape(
    radius=0.47,
    half_width=0.115,
    rim_radius=0.255,
    spokes="dish",
    tread="knobs",
    sides=36,
    knobs=22,
    disc_radius=0.17,
    caliper_material="frame",
)
FRONT = 1.72  # y of the front axle
ROWS = (-1.12, -1.72, -2.32)  # y of the road wheels
TRACK_X = 0.83  # |x| of a track's middle line
WIDTH = 0.28  # width of a track
PITCH = 0.11  # length of a track link
RADIUS = 0.30  # from a road wheel's axis to the ground, track included
DRAWN = 0.262  # radius of a drawn road wheel
SPROCKET, IDLER = (-0.44, 0.62, 0.24), (-2.92, 0.50, 0.24)  # y and z of the centre, radius
WINDOW = ((0.06, 1.60), (0.92, 1.60), (0.92, 2.14), (0.06, 2.14))  # x, z of the right windscreen
SEAT = (-0.42, -0.22, 0.94)  # x, y, z of the driver's seat, as in figure.seat
COLUMN = ((-0.42, 0.16, 1.42), 0.55)  # position and tilt, rad, of the steering wheel


def axle_links(n: int, centre: np.ndarray, side: int) -> list[Node]:
    """A coil spring with a damper, and half of the beam between the front wheels."""
    middle, end = np.array([side * 0.02, FRONT, 0.44]), centre - [side * 0.10, 0.0, 0.02]
    beam = tube([middle, (middle + end) / 2, end], [0.09, 0.06, 0.075], "frame", 10)
    top = np.array([side * 0.46, FRONT - 0.02, 0.86])
    foot = np.array([side * 0.50, FRONT - 0.02, 0.50])
    spring = join(
        [
            coil(0.30, 0.06, 0.010, 5, "frame").turned(0, np.pi).moved(*(top - [0, 0, 0.02])),
            tube([top, foot], 0.03, "plastic_black", 8),
        ]
    )
    return [link(n, "susp", n - 1, top, foot, spring), link(n, "arm", n - 1, middle, end, beam)]


def stations() -> list[Station]:
    """The front axle and the pairs of road wheels."""
    turning = wheel(FRONT_WHEEL)
    wheel_stations = [
        Station(
            FRONT,
            TRACK_X,
            FRONT_WHEEL.radius,
            turning,
            brake(FRONT_WHEEL, forward=-1),
            size=(FRONT_WHEEL.radius, FRONT_WHEEL.half_width),
            links=axle_links,
        )
    ]
    small = road_wheel(DRAWN, 0.12, "paint", holes=5)
    hub = tube([(-0.14, 0, 0), (-0.08, 0, 0)], 0.06, "frame", 12)
    links = swing_arms(inner=0.14, pivot=(0.22, 0.14), top=(0.06, 0.34), bar=0.04)
    return wheel_stations + [Station(y, TRACK_X, RADIUS, small, hub, size=(RADIUS, 0.15), links=links) for y in ROWS]


def track() -> tuple[list[Mesh], list[Node]]:
    """(fixed parts of both tracks, nodes of their moving parts)."""
    (fy, fz, fr), (by, bz, br) = SPROCKET, IDLER
    path = [*round_end(fy, fz, fr, start=-0.85, end=np.pi / 2, steps=12)]
    roller = (-1.72, 0.80)  # y, z of the path over the return roller
    marks = [(fy, fz + fr), roller, (by, bz + br)]
    for a, b in zip(marks[:-1], marks[1:], strict=True):
        path += [a, *sag(a, b, depth=0.02)]
    path += [*round_end(by, bz, br, start=np.pi / 2, end=np.pi + 1.05, steps=12)]
    ends = [(end_wheel(fr - 0.015, 0.14, teeth=13), SPROCKET), (end_wheel(br, 0.13), IDLER)]
    parts = []
    parts.append(lathe([(0.10, 0.0), (0.10, 0.07), (-0.10, 0.07), (-0.10, 0.0)], 16, "rubber").moved(0, -1.72, 0.72))
    parts.append(
        hull(
            [
                (x, y, z)
                for x in (-0.22, -0.17)
                for y, z in ((-0.40, 0.62), (-1.72, 0.78), (-2.90, 0.52), (-2.40, 0.42), (-1.05, 0.44))
            ],
            "frame",
        )
    )
    parts.append(tube([(-0.30, by, bz), (0.08, by, bz)], 0.05, "frame", 10))
    return [with_mirror_image(part.moved(TRACK_X)) for part in parts], belts(
        TRACK_X, WIDTH, PITCH, path, wheels=(4, 6, 8), radius=RADIUS, ends=ends
    )


def bonnet() -> list[Mesh]:
    """Nose, louvres, side plates, front mudguards, lamps, roller."""
    nose = [
        (s * x, y, z)
        for s in (-1, 1)
        for x, y, z in (
            (0.42, 2.38, 0.72),
            (0.42, 2.44, 0.95),
            (0.38, 2.30, 1.38),
            (0.50, 0.95, 1.52),
            (0.56, 0.95, 0.80),
        )
    ]
    parts = [faceted(hull(nose, "paint"))]
    for k in range(7):
        z = 0.84 + 0.075 * k
        parts.append(box((0, 2.415 - 0.012 * max(0, k - 1), z), (0.66 - 0.012 * k, 0.05, 0.035), 0.008, "frame"))
    for k in range(6):  # louvres of the bonnet's sides
        parts.append(with_mirror_image(box((0.515, 1.30 + 0.13 * k, 1.10), (0.05, 0.05, 0.30), 0.01, "frame")))
    band = [(-0.17, 0.56), (0.17, 0.56), (0.17, 0.585), (-0.17, 0.585)]
    guard = sector(band, -1.15, 1.25, 16, "paint").turned(0, np.pi / 2)
    parts.append(with_mirror_image(guard.moved(0.80, FRONT, 0.47)))
    parts.append(
        with_mirror_image(
            hull(
                [
                    (x, y, z)
                    for x in (0.46, 0.66)
                    for y, z in ((2.20, 0.74), (1.05, 0.74), (1.05, 0.78), (2.20, 0.78), (1.72, 1.04))
                ],
                "paint",
            )
        )
    )
    parts.append(
        with_mirror_image(
            hull(
                [(x, y, z) for x in (0.62, 0.97) for y, z in ((1.12, 0.62), (0.40, 0.50), (0.40, 0.53), (1.12, 0.66))],
                "paint",
            )
        )
    )
    lamp = join(
        [
            lathe([(0.03, 0.0), (0.03, 0.085), (-0.02, 0.095), (-0.10, 0.05), (-0.10, 0.0)], 20, "paint"),
            round_lens(0.044, 0.030, 0.08),
        ]
    ).turned(2, np.pi / 2)
    for s in (-1, 1):
        parts.append(lamp.moved(s * 0.66, 2.16, 1.16))
        parts.append(tube([(s * 0.66, 2.12, 1.08), (s * 0.68, 2.06, 0.92)], 0.02, "frame", 6))
        parts.append(
            tube(
                [(s * 0.56, 2.32, 0.98), (s * 0.58, 2.36, 1.30), (s * 0.74, 2.36, 1.30), (s * 0.76, 2.10, 1.0)],
                0.012,
                "frame",
                6,
            )
        )
        parts.append(box((s * 0.44, 2.50, 0.62), (0.06, 0.42, 0.12), 0.01, "frame"))
    roller = lathe([(0.50, 0.0), (0.50, 0.13), (0.48, 0.145), (-0.48, 0.145), (-0.50, 0.13), (-0.50, 0.0)], 24, "disc")
    return [*parts, roller.moved(0, 2.72, 0.62)]


def cab() -> list[Mesh]:
    """Scuttle, floor, doors, windscreen under its folded-up armour plate, mirrors, seats, instruments."""
    parts = [
        faceted(  # the scuttle, from the bonnet out to the doors
            hull(
                [
                    (s * x, y, z)
                    for s in (-1, 1)
                    for x, y, z in (
                        (0.62, 1.02, 0.62),
                        (0.98, 0.52, 0.62),
                        (0.98, 0.40, 0.62),
                        (0.98, 0.40, 1.55),
                        (0.60, 0.98, 1.52),
                    )
                ],
                "paint",
            )
        ),
        box((0, -0.04, 0.665), (1.94, 0.90, 0.05), 0.01, "frame"),  # floor
    ]
    parts.append(with_mirror_image(box((0.99, 0.00, 1.08), (0.035, 0.86, 0.90), 0.01, "paint")))
    parts.append(with_mirror_image(box((1.012, 0.00, 1.08), (0.012, 0.74, 0.76), 0.004, "paint")))
    parts.append(with_mirror_image(box((1.022, -0.26, 1.28), (0.03, 0.14, 0.03), 0.008, "frame")))
    for x in (-0.98, 0.0, 0.98):
        parts.append(box((x, 0.44, 1.86), (0.06 if x else 0.05, 0.05, 0.66), 0.01, "paint"))
    parts += [
        box((0, 0.44, 2.18), (2.02, 0.06, 0.06), 0.01, "paint"),
        box((0, 0.44, 1.55), (2.02, 0.07, 0.07), 0.01, "paint"),
    ]
    armour = pane([(-0.98, 0.48, 2.20), (0.98, 0.48, 2.20), (0.98, 0.92, 2.30), (-0.98, 0.92, 2.30)], 0.010, "paint")
    parts += [
        armour,
        *(seen_from(pane([(s * x, 0.455, z) for x, z in WINDOW], 0.004, "glass"), 1) for s in (-1, 1)),
    ]
    for s in (-1, 1):
        parts += [
            tube([(s * 0.98, 0.44, 1.80), (s * 1.16, 0.52, 1.84)], 0.010, "frame", 6),
            *mirror(s),
        ]
    parts += [seat((x, *SEAT[1:]), "canvas") for x in (SEAT[0], -SEAT[0])]
    parts += [box((0, 0.34, 1.42), (1.70, 0.12, 0.26), 0.03)]
    return [*parts, *instruments(CLUSTERS["half_track"])]


def mirror(side: int) -> list[Mesh]:
    """A convex mirror in its frame, aimed at the driver's eyes; `side` is -1 (left) or 1 (right)."""
    position = (side * 1.20, 0.53, 1.84)
    pitch, yaw = aim(position, EYES["half_track"], OUTWARD, DOWN)
    parts = [box((0, 0, 0), (0.17, 0.03, 0.13), 0.01, "frame"), mirror_glass((0, -0.020, 0), (0.15, 0.11))]
    return [part.turned(0, pitch).turned(2, yaw).moved(*position) for part in parts]


def troop_body() -> list[Mesh]:
    """Sides that overhang the tracks, floor, benches, rails, rear plate with door and lamps, tarpaulin, aerial."""
    top, low = 1.78, 0.98
    parts = [box((0, -1.58, 0.94), (1.90, 3.06, 0.10), 0.02, "paint")]
    parts.append(prism([(0.95, 0.56), (0.95, 0.86), (-3.0, 0.86), (-3.0, 0.60)], 0.36, 0.02, "frame"))
    for s in (-1, 1):
        side = [
            (s * x, y, z)
            for x, y, z in (
                (1.06, -0.55, low + 0.06),
                (1.06, -3.08, low + 0.06),
                (1.06, -0.55, top),
                (1.06, -3.08, top),
                (1.03, -0.55, top),
                (1.03, -3.08, top),
            )
        ]
        parts.append(faceted(hull(side, "paint")))
        parts.append(
            faceted(
                hull(
                    [
                        (s * x, y, z)
                        for x, y, z in (
                            (1.06, -0.55, low),
                            (1.06, -3.08, low),
                            (0.80, -3.08, low - 0.04),
                            (0.80, -0.55, low - 0.04),
                            (1.06, -0.55, low + 0.08),
                            (1.06, -3.08, low + 0.08),
                        )
                    ],
                    "paint",
                )
            )
        )
        parts.append(
            faceted(
                hull(
                    [
                        (s * x, y, z)
                        for y, inner in ((-0.40, 0.985), (-0.57, 1.045))
                        for z, lean in ((0.66, 0.0), (top, 0.025))
                        for x in (inner + lean, inner + lean + 0.025)
                    ],
                    "paint",
                )
            )
        )
        parts.append(box((s * 0.80, -1.75, 1.22), (0.36, 2.2, 0.06), 0.02, "seat"))
        parts.append(box((s * 0.98, -1.75, 1.50), (0.05, 2.2, 0.30), 0.02, "seat"))
        parts.append(box((s * 0.90, -3.13, 1.06), (0.14, 0.03, 0.09), 0.01, "lamp_rear"))
        parts.append(tube([(s * 0.98, -3.0, 1.80), (s * 0.98, -0.5, 1.80)], 0.018, "frame", 8))
    parts.append(box((0, -3.09, 1.38), (2.08, 0.04, 0.86), 0.01, "paint"))
    parts.append(box((0, -3.115, 1.36), (0.86, 0.03, 0.78), 0.008, "paint"))
    parts += [with_mirror_image(box((0.40, -3.13, z), (0.10, 0.03, 0.04), 0.008, "frame")) for z in (1.15, 1.60)]
    parts.append(box((0, -3.10, 0.78), (1.5, 0.08, 0.14), 0.01, "frame"))
    parts.append(plate((0.62, -3.15, 0.80), (0.42, 0.11), "HT 1943"))
    parts.append(tube([(0, -3.12, 0.78), (0, -3.26, 0.77), (0.05, -3.28, 0.84)], 0.03, "frame", 8))
    parts.append(cushion([(x, -2.86, 1.30, 0.14) for x in (-0.6, 0.6)], "canvas", 12))  # rolled tarpaulin
    parts.append(
        tube([(0.88, -0.62, 1.80), (0.89, -0.66, 2.1), (0.92, -0.85, 3.1)], [0.02, 0.007, 0.004], "plastic_black", 6)
    )
    return parts


def sides() -> list[Mesh]:
    """Equipment on doors, scuttle, bonnet and body, and the rivets of their plates."""
    door, body, scuttle = 1.012, 1.06, 0.985
    right = [*flap(door, 0.10, 1.36), *rivets(0.985, (0.47, 0.68), (0.47, 1.50)), *roll(body, -2.55, 1.60, 0.78)]
    right += [*rivets(body, (-0.62, 1.75), (-3.04, 1.75)), *rivets(body, (-0.62, 1.07), (-3.04, 1.07))]
    for y in (-0.62, -1.42, -2.23, -3.04):
        right += rivets(body, (y, 1.16), (y, 1.66))
    for y in (-1.42, -2.23):
        right.append(box((body + 0.004, y + 0.05, 1.41), (0.016, 0.05, 0.66), 0.004, "paint"))
    right += [part for y in (-0.82, -1.20) for part in can(body, y, 1.22)]
    right += [*flap(body, -1.83, 1.62), *spade(body, -1.50, 1.24, 1.25), *axe(door, 0.36, 0.86, 0.72)]
    right += [*cable(body, [(-2.34, 1.42), (-2.50, 1.34), (-2.75, 1.31), (-2.90, 1.36), (-2.90, 1.44), (-2.70, 1.47),
                            (-2.45, 1.46), (-2.36, 1.38)])]  # fmt: skip
    right += [box((scuttle - 0.02, y, 1.20), (0.05, 0.04, 0.10), 0.01, "frame") for y in (0.36, -0.36)]  # hinges
    step = [box((0.80, 0.50 + 0.11 * k, 0.545 + 0.019 * k), (0.30, 0.025, 0.035), 0.006, "frame") for k in range(6)]
    bonnet = [*rivets(0.552, (1.02, 0.88), (1.02, 1.46)), box((0.50, 1.90, 1.30), (0.05, 0.10, 0.04), 0.01, "frame")]
    numbers = [lettering("HT 19", (0.62, 0.20), "plate").turned(2, s * np.pi / 2).moved(s * (door + 0.010), -0.02, 1.10)
               for s in (-1, 1)]  # fmt: skip
    return [*(with_mirror_image(part) for part in (*right, *step, *bonnet)), *numbers]


def build() -> Node:
    """The model."""
    still, running = track()
    parts = [*bonnet(), *cab(), *troop_body(), *sides(), *still]
    proxy_points = [
        (0.50, 2.86, 0.56),
        (0.50, 2.86, 0.74),
        (0.45, 2.44, 1.0),
        (0.42, 2.30, 1.42),
        (0.98, 0.45, 0.60),
        (1.03, 0.45, 2.22),
        (1.06, -3.10, 0.95),
        (1.06, -3.10, 1.80),
        (0.97, -3.15, 0.45),
        (0.97, -0.22, 0.55),
        (0.60, 1.0, 0.55),
    ]
    figure = driver(SEAT, COLUMN[0], CLOTHES["half_track"])
    return tree("half_track", stations(), parts, proxy_points, COLUMN, radius=0.21, driver=figure, belts=running)
