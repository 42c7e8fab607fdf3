"""A two-seat dune buggy: open tube frame with roll cage, glass-fibre tub, engine behind the seats, long springs in the
open air.

Lengths are in metres, in the axes of `chassis.py`.
"""

import numpy as np

from driving_sandbox.assets.build.chassis import Chassis, tree
from driving_sandbox.assets.build.cockpit import instruments
from driving_sandbox.assets.build.dials import CLUSTERS
from driving_sandbox.assets.build.figure import CLOTHES, driver, seat
from driving_sandbox.assets.build.fittings import EYES
from driving_sandbox.assets.build.glb import Node
from driving_sandbox.assets.build.loft import Line, Loft, pchip
from driving_sandbox.assets.build.mesh import Mesh, join, with_mirror_image
from driving_sandbox.assets.build.parts import box, cushion, hull, lathe, outward, pad, smooth_path, tube
from driving_sandbox.assets.build.signals import repeater
from driving_sandbox.assets.build.skin import (
    Skin,
    above,
    ahead,
    below,
    end_view,
    intersection,
    merged,
    mirrored,
    plan_view,
)
from driving_sandbox.assets.build.trim import mirrors, plate, round_lens
from driving_sandbox.assets.build.wheel import WheelShape

PLATE = "BG 0230"
FRONT_WHEEL = WheelShape(
    radius=0.36, half_width=0.12, rim_radius=0.190, spokes="five", tread="knobs", sides=36, disc_radius=0.115
)
REAR_WHEEL = WheelShape(
    radius=0.36, half_width=0.15, rim_radius=0.190, spokes="five", tread="knobs", sides=36, disc_radius=0.115
)
CHASSIS = Chassis(
    wheelbase=2.30,
    track_front=1.50,
    track_rear=1.55,
    front=FRONT_WHEEL,
    rear=REAR_WHEEL,
    suspension_length=0.45,
    spring_top=(-0.16, 0.40),
    spring_radius=0.05,
    spring_material="caliper",
)
FRONT, REAR = CHASSIS.wheelbase / 2, -CHASSIS.wheelbase / 2  # y of the axles
SEAT = (-0.235, -0.34, 0.30)  # x, y, z of the driver's seat, as in figure.seat
COLUMN = ((-0.235, 0.14, 0.73), 0.45)  # position and tilt, rad, of the steering wheel
BAR = 0.024  # m; radius of the main tubes (1.9 inch outside diameter)


def tub_loft() -> Loft:
    """Shape of the glass-fibre tub, from the floor to its edge."""
    return Loft(
        lines=[  # z, half width, y of nose and tail, superellipse exponents there, share of `profile` added to z
            Line(0.255, 0.40, 1.22, -0.78, 2.0, 5.0),
            Line(0.262, 0.46, 1.36, -0.84, 2.0, 5.0),
            Line(0.310, 0.515, 1.47, -0.88, 2.0, 5.0),
            Line(0.420, 0.550, 1.56, -0.90, 2.0, 5.0, 0.3),
            Line(0.530, 0.570, 1.57, -0.90, 2.0, 5.0, 0.7),
            Line(0.620, 0.570, 1.52, -0.88, 2.0, 5.0, 1.0),
            Line(0.660, 0.545, 1.44, -0.85, 2.0, 4.8, 1.0),
            Line(0.675, 0.500, 1.34, -0.80, 2.0, 4.5, 1.0),
        ],
        profile=pchip([(-0.9, 0.03), (-0.3, 0.0), (0.3, 0.02), (0.7, 0.0), (1.1, -0.060), (1.57, -0.150)]),
        dome=pchip([(-0.8, 0.0), (-0.6, 0.02), (0.3, 0.10), (0.6, 0.115), (1.0, 0.075), (1.35, 0.0)]),
        dome_power=2.0,
        columns=40,
        steps=2,
        middle=-0.25,
        floor=(0.0, 0.5, 0.93),
    )


def tub() -> Skin:
    """The painted tub with a stripe, a badge and the cockpit opening."""
    skin = Skin(tub_loft().skin())
    skin.region(below(0.335), "plastic_black")
    stripe = intersection(plan_view(mirrored([(0.0, 2.0), (0.13, 2.0), (0.17, 0.3), (0.0, 0.3)])), above(0.50))
    skin.region(stripe, "plastic_black")
    badge = intersection(end_view(mirrored([(0.0, 0.36), (0.15, 0.36), (0.18, 0.42), (0.0, 0.42)]), 0.01), ahead(1.2))
    skin.recess(badge, shift=(0, -0.03, 0))
    skin.tub(
        plan_view(
            mirrored([(0.0, 0.46), (0.34, 0.42), (0.46, 0.28), (0.475, -0.62), (0.40, -0.74), (0.0, -0.76)]), 0.06
        ),
        floor=0.29,
    )
    return skin


def bars(paths: list, radius: float = BAR) -> list[Mesh]:
    """Tubes along paths on the right side, and their mirror images."""
    return [with_mirror_image(tube(np.array(p), radius, "frame", 8)) for p in paths]


def cage() -> list[Mesh]:
    """Tube frame and roll cage."""
    main = [  # tubes of the right side
        smooth_path(
            [
                (0.30, 1.10, 0.60),
                (0.47, 0.58, 0.80),
                (0.50, 0.46, 0.92),
                (0.46, 0.16, 1.34),
                (0.455, 0.06, 1.42),
                (0.46, -0.40, 1.47),
                (0.46, -0.52, 1.45),
                (0.43, -0.80, 1.18),
                (0.40, -1.30, 0.74),
            ],
            3,
        ),
        smooth_path(
            [(0.43, -0.56, 1.45), (0.55, -0.60, 1.05), (0.61, -0.62, 0.75), (0.60, -0.60, 0.34)], 3
        ),  # main hoop's leg
        [(0.50, 0.46, 0.92), (0.59, 0.20, 0.76), (0.61, -0.62, 0.75), (0.40, -1.30, 0.74)],  # waist rail
        [(0.36, 0.98, 0.36), (0.585, 0.34, 0.32), (0.60, -0.60, 0.32), (0.36, -1.42, 0.42)],  # floor rail
        [(0.585, 0.34, 0.32), (0.59, 0.20, 0.76)],  # from here on: braces between these
        [(0.59, 0.20, 0.76), (0.60, -0.60, 0.34)],
        [(0.40, -1.30, 0.74), (0.36, -1.42, 0.42)],
        [(0.61, -0.62, 0.75), (0.36, -1.42, 0.42)],
        [(0.30, 1.10, 0.60), (0.36, 0.98, 0.36)],
    ]
    across = [
        [(x, y, z) for x in (-w, w)]
        for w, y, z in (
            (0.455, 0.06, 1.42),
            (0.455, -0.54, 1.45),
            (0.50, 0.46, 0.92),
            (0.61, -0.62, 0.75),
            (0.40, -1.30, 0.74),
            (0.36, -1.42, 0.42),
            (0.36, 0.98, 0.36),
            (0.60, -0.60, 0.32),
        )
    ]
    parts = bars(main)
    parts += [tube(p, BAR, "frame", 8) for p in across]
    parts += [  # diagonal of the main hoop, and the cross in the roof
        tube([(-0.455, -0.54, 1.45), (0.58, -0.61, 0.80)], 0.020, "frame", 8),
        tube([(-0.455, 0.06, 1.42), (0.455, -0.52, 1.455)], 0.018, "frame", 8),
        tube([(0.455, 0.06, 1.42), (-0.455, -0.52, 1.455)], 0.018, "frame", 8),
    ]
    return parts


def bumpers() -> list[Mesh]:
    """Tube bumpers in front and behind, and the skid plate."""
    front = smooth_path(
        [
            (-0.30, 1.10, 0.60),
            (-0.34, 1.45, 0.56),
            (-0.28, 1.66, 0.50),
            (0, 1.70, 0.49),
            (0.28, 1.66, 0.50),
            (0.34, 1.45, 0.56),
            (0.30, 1.10, 0.60),
        ],
        4,
    )
    low = smooth_path(
        [
            (-0.36, 0.98, 0.36),
            (-0.34, 1.40, 0.37),
            (-0.26, 1.64, 0.39),
            (0, 1.68, 0.39),
            (0.26, 1.64, 0.39),
            (0.34, 1.40, 0.37),
            (0.36, 0.98, 0.36),
        ],
        4,
    )
    rear = smooth_path(
        [
            (-0.40, -1.30, 0.74),
            (-0.46, -1.62, 0.70),
            (-0.36, -1.74, 0.68),
            (0, -1.76, 0.68),
            (0.36, -1.74, 0.68),
            (0.46, -1.62, 0.70),
            (0.40, -1.30, 0.74),
        ],
        4,
    )
    parts = [tube(p, 0.020, "frame", 8) for p in (front, low, rear)]
    parts += [
        with_mirror_image(tube([(0.24, 1.67, 0.50), (0.24, 1.64, 0.39)], 0.018, "frame", 8)),
        with_mirror_image(tube([(0.36, -1.74, 0.68), (0.34, -1.42, 0.42)], 0.018, "frame", 8)),
        hull(
            [  # skid plate
                (sx * x, y, z)
                for sx in (-1, 1)
                for x, y, z in ((0.22, 1.66, 0.37), (0.28, 1.10, 0.262), (0.28, 1.10, 0.272), (0.22, 1.66, 0.38))
            ],
            "disc",
        ),
    ]
    return parts


def engine() -> list[Mesh]:
    """A flat four with fan shroud, carburettors, and a pair of upswept exhausts."""
    parts = [  # crankcase, clutch housing, transaxle
        pad((0, -1.22, 0.47), (0.30, 0.46, 0.26), 0.05, "disc"),
        box((0, -0.92, 0.46), (0.24, 0.30, 0.24), 0.05, "disc"),
        cushion([(0, REAR, 0.40, 0.13), (0, REAR + 0.16, 0.42, 0.11)], "disc"),
    ]
    for sgn in (-1, 1):
        for y in (-1.13, -1.30):
            for k in range(5):  # cooling fins
                parts.append(box((sgn * (0.175 + 0.024 * k), y, 0.48), (0.010, 0.15, 0.17), 0.004, "disc"))
            parts.append(box((sgn * 0.30, y, 0.48), (0.05, 0.14, 0.15), 0.015, "plastic_black"))  # rocker cover
        parts.append(cushion([(sgn * 0.20, -1.16, 0.70, 0.055), (sgn * 0.20, -1.28, 0.70, 0.055)], "chrome"))
        parts.append(tube([(sgn * 0.20, -1.22, 0.55), (sgn * 0.20, -1.22, 0.70)], 0.03, "plastic_black", 8))
        path = smooth_path(  # exhaust, with its silencer below
            [
                (sgn * 0.30, -1.30, 0.42),
                (sgn * 0.30, -1.48, 0.40),
                (sgn * 0.17, -1.58, 0.46),
                (sgn * 0.13, -1.60, 0.66),
                (sgn * 0.13, -1.63, 0.90),
                (sgn * 0.13, -1.70, 0.98),
            ],
            4,
        )
        parts.append(tube(path, 0.030, "chrome", 10))
        parts.append(
            lathe(
                [(0.15, 0.030), (0.14, 0.052), (-0.14, 0.052), (-0.15, 0.030), (-0.15, 0.024), (0.15, 0.024)],
                14,
                "chrome",
            )
            .turned(1, -np.pi / 2)
            .moved(sgn * 0.13, -1.615, 0.78)
        )
    parts += [  # fan shroud, two pulleys, fuel tank across the car with its straps and rails
        lathe(
            [(0.09, 0.0), (0.09, 0.16), (0.06, 0.175), (-0.06, 0.175), (-0.09, 0.16), (-0.09, 0.0)], 24, "plastic_black"
        )
        .turned(2, np.pi / 2)
        .moved(0, -1.10, 0.70),
        lathe([(0.02, 0.0), (0.02, 0.05), (-0.02, 0.05), (-0.02, 0.0)], 16, "chrome")
        .turned(2, np.pi / 2)
        .moved(0, -1.45, 0.52),
        lathe([(0.02, 0.0), (0.02, 0.04), (-0.02, 0.04), (-0.02, 0.0)], 16, "chrome")
        .turned(2, np.pi / 2)
        .moved(0, -1.45, 0.66),
        lathe(
            [(0.24, 0.0), (0.24, 0.08), (0.22, 0.10), (-0.22, 0.10), (-0.24, 0.08), (-0.24, 0.0)], 20, "chrome"
        ).moved(0, -0.84, 0.865),
        with_mirror_image(
            lathe([(0.015, 0.0), (0.015, 0.105), (-0.015, 0.105), (-0.015, 0.0)], 20, "plastic_black").moved(
                0.13, -0.84, 0.865
            )
        ),
        with_mirror_image(tube([(0.14, -0.62, 0.75), (0.14, -1.30, 0.74)], 0.016, "frame", 6)),
    ]
    return parts


def panel(points: list[tuple[float, float, float]], thick: float = 0.012, material: str = "paint") -> Mesh:
    """A thin flat-sided panel: the convex hull of its corners, extended by `thick` m along +x."""
    p = np.asarray(points, dtype=np.float64)
    return hull(np.concatenate([p, p + [thick, 0, 0]]), material)


def lights() -> list[Mesh]:
    """Headlamps, a light bar on the roof, turn signals, tail lamps."""
    parts = []
    for x in (-0.235, 0.235):
        bowl = lathe(
            [(0.02, 0.082), (0.02, 0.088), (-0.02, 0.088), (-0.085, 0.05), (-0.10, 0.0), (0.015, 0.0), (0.015, 0.080)],
            24,
            "chrome",
        )
        lens = round_lens(0.028, 0.010, 0.082)
        parts += [
            join([Mesh(p.v, p.t, p.m) for p in (bowl, lens)]).turned(2, np.pi / 2).moved(x * 1.15, 1.43, 0.665),
            tube([(x * 1.15, 1.40, 0.66), (x * 1.15, 1.40, 0.55)], 0.012, "frame", 6),
        ]
    parts.append(box((0, 0.085, 1.475), (0.80, 0.05, 0.062), 0.012, "plastic_black"))
    for x in np.linspace(-0.32, 0.32, 5):
        parts.append(box((x, 0.113, 1.475), (0.115, 0.012, 0.044), 0.004, "lamp_front"))
    parts += repeater((0.30, 1.55, 0.585), (0.02, 0.03, 0.045))
    for x in (-0.34, 0.34):
        parts.append(
            lathe([(0.012, 0.0), (0.012, 0.04), (-0.02, 0.046), (-0.02, 0.0)], 18, "lamp_rear")
            .turned(2, -np.pi / 2)
            .moved(x, -1.365, 0.80)
        )
    return parts


def details() -> tuple[list[Mesh], Mesh]:
    """(solids, wind deflector of glass): everything on and in the tub but the instruments and the driver."""
    parts = [*cage(), *bumpers(), *engine(), *lights()]
    parts += mirrors((0.56, 0.42, 0.99), arm=0.075, eye=EYES["buggy"], drop=0.03, material="plastic_black")
    parts += [plate((0, 1.728, 0.44), (0.36, 0.11), PLATE), plate((0, -1.792, 0.67), (0.36, 0.11), PLATE)]
    for x in (SEAT[0], -SEAT[0]):
        parts.append(seat((x, *SEAT[1:]), "caliper"))
    parts.append(
        with_mirror_image(  # side panels between the rails
            panel(
                [
                    (0.590, 0.26, 0.36),
                    (0.595, -0.52, 0.36),
                    (0.605, -0.56, 0.70),
                    (0.590, 0.16, 0.71),
                    (0.588, 0.26, 0.45),
                ]
            )
        )
    )
    parts.append(
        hull(
            [  # roof panel
                (sx * 0.44, y, z)
                for sx in (-1, 1)
                for y, z in ((0.04, 1.447), (-0.50, 1.492), (0.04, 1.457), (-0.50, 1.502))
            ],
            "paint",
        )
    )
    deflector = np.array([(0.488, 0.450, 0.935), (0.482, 0.395, 1.012), (0.475, 0.335, 1.095)])  # between the pillars
    small = [np.array([[sx * p[0], p[1], p[2]] for sx in (-1, 1)]) for p in deflector]
    v = np.concatenate(small)
    t = np.concatenate(
        [[[2 * k + 1, 2 * k, 2 * k + 2], [2 * k + 1, 2 * k + 2, 2 * k + 3]] for k in range(len(small) - 1)]
    )
    glass = Mesh(v, t, "glass")
    parts.append(tube([*v[0::2], *v[1::2][::-1]], 0.010, "frame", 6, closed=True))
    for sgn in (-1, 1):  # front shock towers and rear fender blades
        parts.append(
            tube([(sgn * 0.29, 1.12, 0.60), (sgn * 0.47, FRONT, 0.76), (sgn * 0.36, 0.98, 0.40)], 0.020, "frame", 8)
        )
        parts.append(tube([(sgn * 0.40, -1.22, 0.78), (sgn * 0.465, REAR, 0.76)], 0.020, "frame", 8))
        path = [(0.78 * sgn, REAR + 0.43 * np.cos(a), 0.36 + 0.43 * np.sin(a)) for a in np.linspace(0.55, 2.75, 12)]
        rows = np.array([[[x + d, y, z] for d in (-0.15, -0.12, 0.12, 0.15)] for x, y, z in path])  # of the blade
        rows[:, [0, 3], 2] -= 0.02
        parts.append(sheet(rows, 0.010, "paint"))
        parts.append(tube([(sgn * 0.40, -1.30, 0.74), (sgn * 0.78, REAR - 0.05, 0.775)], 0.012, "frame", 6))
        parts.append(tube([(sgn * 0.61, -0.62, 0.75), (sgn * 0.78, REAR + 0.22, 0.715)], 0.012, "frame", 6))
    dash = [(sx * 0.40, y, z, 0.04) for sx in (-1, 1) for y, z in ((0.40, 0.70), (0.30, 0.72), (0.32, 0.62))]
    parts += [  # dashboard, steering column, gear lever and its knob
        cushion(dash, "plastic_black"),
        tube([(-0.235, 0.30, 0.68), (-0.235, 0.14, 0.73)], 0.016, "plastic_black", 8),
        tube([(0, -0.02, 0.32), (0, -0.06, 0.62)], 0.012, "chrome", 8),
        cushion([(0, -0.06, 0.64, 0.025)], "gloss_black"),
    ]
    return parts, glass


def sheet(rows: np.ndarray, thick: float, material: str) -> Mesh:
    """A bent sheet of points (n, k, 3), with its other face `thick` below and closed edges."""
    n, k = rows.shape[:2]
    top, low = rows.reshape(-1, 3), rows.reshape(-1, 3) - [0, 0, thick]
    i, j = np.meshgrid(np.arange(n - 1), np.arange(k - 1), indexing="ij")
    a = (i * k + j).ravel()
    t = np.concatenate([np.stack([a, a + 1, a + k + 1], 1), np.stack([a, a + k + 1, a + k], 1)])
    ring = np.concatenate(
        [np.arange(k), np.arange(1, n) * k + k - 1, (n - 1) * k + np.arange(k - 1)[::-1], np.arange(1, n - 1)[::-1] * k]
    )
    following, m = np.roll(ring, -1), n * k
    edge = np.concatenate([np.stack([ring, following + m, following], 1), np.stack([ring, ring + m, following + m], 1)])
    return outward(Mesh(np.concatenate([top, low]), np.concatenate([t, t[:, ::-1] + m, edge]), material))


def build() -> Node:
    """The model."""
    skin = tub()
    solids, glass = details()
    solids = merged([*solids, *instruments(CLUSTERS["buggy"])])
    proxy_points = [
        (0.30, 1.68, 0.38),
        (0.34, 1.50, 0.58),
        (0.40, 1.30, 0.27),
        (0.60, 0.35, 0.27),
        (0.62, -0.65, 0.27),
        (0.60, 0.30, 0.78),
        (0.63, -0.65, 0.78),
        (0.46, 0.10, 1.48),
        (0.46, -0.54, 1.50),
        (0.40, -1.74, 0.68),
        (0.36, -1.45, 0.36),
        (0.16, -1.72, 0.98),
    ]
    return tree(
        "buggy",
        CHASSIS,
        [*skin.meshes(), solids, glass],
        proxy_points,
        COLUMN,
        driver=driver(SEAT, COLUMN[0], worn=CLOTHES["buggy"]),
    )
