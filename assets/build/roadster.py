"""An open two-seater with the engine in front: 3.95 m long, soft oval nose, cockpit, folded top, roll hoops, a driver.

Lengths are in metres, in the axes of `chassis.py`.
"""

from collections.abc import Sequence

import numpy as np

from driving_sandbox.assets.build.chassis import Chassis, tree
from driving_sandbox.assets.build.cockpit import dashboard, door_cards, gear_lever
from driving_sandbox.assets.build.dials import CLUSTERS
from driving_sandbox.assets.build.figure import CLOTHES, driver, seat
from driving_sandbox.assets.build.fittings import EYES
from driving_sandbox.assets.build.glb import Node
from driving_sandbox.assets.build.loft import Bulge, Crest, Line, Loft, pchip
from driving_sandbox.assets.build.mesh import Mesh, with_mirror_image
from driving_sandbox.assets.build.parts import box, cushion, smooth_path, tube
from driving_sandbox.assets.build.skin import (
    Skin,
    above,
    ahead,
    behind,
    below,
    end_view,
    intersection,
    merged,
    mirrored,
    outside,
    plan_view,
    side_view,
)
from driving_sandbox.assets.build.trim import inner_mirror, lamp, mirrors, plate, screen, tailpipe
from driving_sandbox.assets.build.wheel import WheelShape

PLATE = "RS 1989"
WHEEL = WheelShape(radius=0.289, half_width=0.0925, rim_radius=0.203, spokes="ten", sides=40, disc_radius=0.128)
CHASSIS = Chassis(wheelbase=2.265, track_front=1.41, track_rear=1.43, front=WHEEL, rear=WHEEL, suspension_length=0.30)
FRONT, REAR = CHASSIS.wheelbase / 2, -CHASSIS.wheelbase / 2  # y of the axles
SEAT = (-0.34, -0.42, 0.30)  # x, y, z of the driver's seat, as in figure.seat
COLUMN = ((-0.34, 0.10, 0.735), 0.42)  # position and tilt, rad, of the steering wheel


def body_loft() -> Loft:
    """Shape of the body, from the floor to the shoulder."""
    return Loft(
        lines=[  # z, half width, y of nose and tail, superellipse exponents there, share of `profile` added to z
            Line(0.165, 0.68, 1.70, -1.78, 3.8, 4.6),
            Line(0.170, 0.745, 1.80, -1.87, 3.9, 4.6),
            Line(0.205, 0.778, 1.870, -1.935, 4.0, 4.6),
            Line(0.285, 0.795, 1.910, -1.985, 4.1, 4.6),
            Line(0.355, 0.800, 1.928, -2.000, 4.2, 4.6),
            Line(0.440, 0.810, 1.933, -2.010, 4.2, 4.6, 0.1),
            Line(0.540, 0.818, 1.926, -2.018, 4.1, 4.6, 0.35),
            Line(0.640, 0.812, 1.900, -2.015, 4.0, 4.5, 0.7),
            Line(0.715, 0.790, 1.850, -1.990, 3.8, 4.4, 0.95),
            Line(0.765, 0.745, 1.760, -1.940, 3.6, 4.2, 1.0),
        ],
        profile=pchip(
            [
                (-2.02, -0.050),
                (-1.6, 0.022),
                (-1.13, 0.045),
                (-0.5, 0.010),
                (0.1, 0.0),
                (0.6, 0.0),
                (1.13, -0.022),
                (1.55, -0.100),
                (1.93, -0.185),
            ]
        ),
        dome=pchip(
            [
                (-2.0, 0.0),
                (-1.85, 0.030),
                (-1.4, 0.050),
                (-0.9, 0.045),
                (0.2, 0.060),
                (0.6, 0.065),
                (1.2, 0.050),
                (1.6, 0.028),
                (1.80, 0.0),
            ]
        ),
        bulges=(Bulge(FRONT + 0.05, 0.42, 0.058), Bulge(REAR, 0.42, 0.034)),
        crests=(
            Crest(0.60, 0.13, 1.10, 0.42, 0.030),
            Crest(0.62, 0.14, -1.15, 0.40, 0.020),
            Crest(0.0, 0.26, 1.0, 0.42, 0.016),
        ),
        columns=54,
        steps=2,
        floor=(0.0, 0.5, 0.93),
    )


def roadster_body() -> Skin:
    """The painted body with its openings: lamps, air intake, cockpit, wheel arches."""
    skin = Skin(body_loft().skin())
    skin.region(below(0.212), "plastic_black")
    skin.region(
        intersection(end_view([(0.0, 0.1), (0.52, 0.1), (0.46, 0.30), (0.0, 0.30)], 0.02), behind(-1.5)),
        "plastic_black",
    )
    gaps(skin)
    lamp_regions(skin)
    mouth = end_view(mirrored([(0.0, 0.275), (0.26, 0.275), (0.37, 0.325), (0.31, 0.395), (0.0, 0.405)]), 0.035)
    skin.recess(intersection(mouth, ahead(1.4)), shift=(0, -0.07, 0), wall="paint", back="plastic_black")
    skin.tub(
        plan_view(
            mirrored([(0.0, 0.52), (0.40, 0.47), (0.60, 0.30), (0.615, -0.60), (0.50, -0.83), (0.0, -0.88)]), 0.05
        ),
        floor=0.27,
    )
    for y in (FRONT, REAR):
        skin.arch(y, z=WHEEL.radius + 0.018, radius=0.350, inner=0.42, grow=0.035)
    return skin


def gaps(skin: Skin) -> None:
    """Shut lines of doors, bonnet, boot and bumpers."""
    door = side_view(
        [
            (0.50, 0.90),
            (0.52, 0.62),
            (0.46, 0.285),
            (0.38, 0.255),
            (-0.36, 0.265),
            (-0.50, 0.36),
            (-0.62, 0.62),
            (-0.64, 0.90),
        ],
        0.03,
    )
    skin.gap(door, within=intersection(outside(0.60), above(0.2)))
    bonnet = plan_view(
        mirrored([(0.0, 1.69), (0.30, 1.66), (0.50, 1.52), (0.60, 1.2), (0.655, 0.66), (0.60, 0.55), (0.0, 0.55)]), 0.05
    )
    skin.gap(bonnet, within=above(0.5))
    boot = plan_view(mirrored([(0.0, -1.12), (0.50, -1.12), (0.55, -1.5), (0.50, -1.78), (0.0, -1.82)]), 0.08)
    skin.gap(boot, within=above(0.6))
    # bumper shut lines, at y at height 0.45 m, inclined by 0.25 m per m
    for y, view in ((1.52, ahead), (-1.60, behind)):
        line = view(y)
        skin.gap(
            lambda v, a, line=line: line(v, a) + 0.25 * (0.45 - v[:, 2]),
            within=intersection(outside(0.62), below(0.60)),
        )


def lamp_regions(skin: Skin) -> None:
    """Head and tail lamps."""
    head = intersection(
        end_view(
            [(0.335, 0.515), (0.40, 0.470), (0.58, 0.480), (0.705, 0.545), (0.72, 0.600), (0.60, 0.600), (0.44, 0.565)],
            0.03,
        ),
        ahead(1.1),
        above(0.4),
    )
    lamp(skin, head, "lamp_front", strip=0.009, lenses=[(0.455, 0.522, 0.036), (0.565, 0.540, 0.036)])
    tail = intersection(
        end_view([(0.43, 0.545), (0.76, 0.555), (0.80, 0.60), (0.775, 0.655), (0.70, 0.672), (0.46, 0.660)], 0.045),
        behind(-1.5),
    )
    lamp(skin, tail, "lamp_rear", strip=0.012, lenses=[(0.535, 0.606, 0.038), (0.665, 0.610, 0.038)])


def details() -> list[Mesh]:
    """Everything on and in the body but the windscreen: mirrors, plates, grille, splitter, roll hoops, interior."""
    parts = mirrors((0.80, 0.40, 0.83), arm=0.10, eye=EYES["roadster"])
    parts += [with_mirror_image(tailpipe((0.42, -1.945, 0.235), radius=0.032))]
    parts += [plate((0, -2.022, 0.47), (0.44, 0.11), PLATE), plate((0, 1.945, 0.235), (0.40, 0.085), PLATE)]
    for z in (0.312, 0.345, 0.375):
        parts.append(
            tube(
                [(-0.33, 1.80, z), (-0.15, 1.862, z), (0, 1.872, z), (0.15, 1.862, z), (0.33, 1.80, z)],
                0.006,
                "chrome",
                6,
            )
        )
    splitter = smooth_path(
        [
            (-0.72, 1.46, 0.155),
            (-0.58, 1.70, 0.150),
            (-0.30, 1.865, 0.147),
            (0, 1.90, 0.147),
            (0.30, 1.865, 0.147),
            (0.58, 1.70, 0.150),
            (0.72, 1.46, 0.155),
        ],
        5,
    )
    parts.append(tube(splitter, 0.018, "plastic_black", 6))
    for sgn in (-1, 1):  # roll hoops behind the seats
        x = 0.34 * sgn
        path = smooth_path(
            [
                (x - 0.17, -0.86, 0.70),
                (x - 0.165, -0.84, 0.98),
                (x - 0.10, -0.83, 1.085),
                (x, -0.83, 1.105),
                (x + 0.10, -0.83, 1.085),
                (x + 0.165, -0.84, 0.98),
                (x + 0.17, -0.86, 0.70),
            ],
            4,
        )
        parts.append(tube(path, 0.022, "gloss_black", 8))
        parts.append(seat((x, *SEAT[1:]), "leather"))
    top = [(sx * 0.50, y, z, r) for sx in (-1, 1) for y, z, r in ((-0.93, 0.82, 0.055), (-1.06, 0.83, 0.045))]
    parts.append(cushion(top, "seat"))
    parts += dashboard(
        0.53, back=(0.42, 0.76, 0.05), front=(0.30, 0.74, 0.06), low=(0.30, 0.62, 0.05), cluster=CLUSTERS["roadster"]
    )
    parts += [
        box((0, -0.15, 0.38), (0.20, 0.95, 0.20), 0.03),
        *gear_lever((0, -0.02, 0.48)),
        *door_cards(0.59, front=0.26, back=-0.52, top=0.70, low=0.34, material="seat", insert="leather"),
    ]
    door_handle = box((0.815, -0.44, 0.655), (0.022, 0.15, 0.022), 0.008, "chrome")
    return [*parts, with_mirror_image(door_handle)]


def windscreen() -> list[Mesh]:
    """The glass, then its frame and seal, sun visors and the inner mirror."""
    base = [(0.0, 0.585, 0.820), (0.25, 0.565, 0.817), (0.48, 0.50, 0.805), (0.655, 0.36, 0.775)]
    head = [(0.0, 0.070, 1.195), (0.22, 0.058, 1.190), (0.42, 0.020, 1.172), (0.555, -0.060, 1.135)]
    return [
        *screen(base, head, 0.017),
        *visors(),
        *inner_mirror(y=0.060, z=1.128, eye=EYES["roadster"]),
        tube([(0, 0.070, 1.150), (0, 0.062, 1.185)], 0.006, "plastic_black", 8),
    ]


def visors() -> list[Mesh]:
    """Sun visors folded up below the head of the windscreen, in hinges at its middle, with a seam round their edge."""
    parts = []
    for s in (-1, 1):
        corners = [
            (s * 0.135, 0.046, 1.180),
            (s * 0.130, 0.050, 1.158),
            (s * 0.430, -0.002, 1.162),
            (s * 0.415, 0.004, 1.142),
        ]
        parts.append(cushion([(x, y - 0.014, z, 0.0085) for x, y, z in corners], "seat", 10))
        path = [(x, y - 0.0235, z) for x, y, z in (corners[0], corners[1], corners[3], corners[2])]
        middle = np.mean(path, axis=0)
        parts.append(tube([middle + 0.93 * (np.array(p) - middle) for p in path], 0.0012, "stitch", 4, closed=True))
        parts.append(tube([(s * 0.105, 0.040, 1.181), (s * 0.150, 0.030, 1.174)], 0.007, "chrome", 8))
    return parts


def build(
    name: str = "roadster",
    more: Sequence[Mesh] = (),
    body: Skin | None = None,
    own: list[Mesh] | None = None,
    chassis: Chassis = CHASSIS,
    clothes: str | None = "roadster",
) -> Node:
    """The model.

    Args:
        more: further solids.
        body: a Skin that replaces the roadster's.
        own: solids that replace the roadster's `details`.
        chassis: wheels and axles.
        clothes: the driver's, a key of CLOTHES.
    """
    skin = body or roadster_body()
    solids = merged([*(own or details()), *windscreen()[1:], *more])
    figure = driver(SEAT, COLUMN[0], worn=CLOTHES[clothes])
    glass = windscreen()[0]
    proxy_points = [
        (0.72, 1.55, 0.16),
        (0.30, 1.93, 0.18),
        (0.80, 0.9, 0.17),
        (0.80, -1.2, 0.17),
        (0.70, -1.98, 0.22),
        (0.80, 1.1, 0.70),
        (0.45, 1.90, 0.52),
        (0.80, -1.3, 0.78),
        (0.66, -2.00, 0.66),
        (0.56, 0.0, 1.20),
        (0.52, -0.86, 1.12),
    ]
    return tree(name, chassis, [*skin.meshes(), solids, glass], proxy_points, COLUMN, driver=figure)
