"""A high-riding off-road estate: 4.7 m long, upright and square, roof rack, bull bar, snorkel, spare wheel on the back.

Lengths are in metres, in the axes of `chassis.py`. The body ends at the belt line; the cabin is a second skin that
grows out of it.
"""

import numpy as np

from driving_sandbox.assets.build.chassis import Chassis, tree
from driving_sandbox.assets.build.cockpit import dashboard, door_cards, gear_lever
from driving_sandbox.assets.build.dials import CLUSTERS
from driving_sandbox.assets.build.figure import driver, seat
from driving_sandbox.assets.build.fittings import EYES
from driving_sandbox.assets.build.glb import Node
from driving_sandbox.assets.build.lettering import lettering
from driving_sandbox.assets.build.loft import Crest, Line, Loft, pchip
from driving_sandbox.assets.build.mesh import Mesh, with_mirror_image
from driving_sandbox.assets.build.parts import box, cushion, hull, lathe, pad, sector, smooth_path, tube
from driving_sandbox.assets.build.skin import (
    Skin,
    Window,
    above,
    ahead,
    behind,
    below,
    end_view,
    glaze,
    grown,
    intersection,
    merged,
    mirrored,
    outside,
    plan_view,
    side_view,
    u_between,
)
from driving_sandbox.assets.build.trim import PROUD, inner_mirror, mirrors, plate, round_lens
from driving_sandbox.assets.build.wheel import WheelShape

MAKER = "RIDGE"
PLATE = "MT 4088"
WHEEL = WheelShape(
    radius=0.40,
    half_width=0.13,
    rim_radius=0.222,
    spokes="dish",
    tread="knobs",
    sides=36,
    disc_radius=0.150,
    caliper_material="disc",
)
CHASSIS = Chassis(
    wheelbase=2.95,
    track_front=1.64,
    track_rear=1.64,
    front=WHEEL,
    rear=WHEEL,
    suspension_length=0.42,
    spring_top=(-0.10, 0.36),
    spring_radius=0.055,
)
FRONT, REAR = CHASSIS.wheelbase / 2, -CHASSIS.wheelbase / 2  # y of the axles
SEAT = (-0.42, 0.0, 0.60)  # x, y, z of the driver's seat, as in figure.seat
COLUMN = ((-0.42, 0.42, 1.03), 0.40)  # position and tilt, rad, of the steering wheel


def body_loft() -> Loft:
    """Shape of the body, from the floor to the belt line."""
    return Loft(
        lines=[  # z, half width, y of nose and tail, superellipse exponents there, share of `profile` added to z
            Line(0.400, 0.76, 2.00, -2.12, 6.0, 9.0),
            Line(0.405, 0.84, 2.08, -2.20, 6.0, 9.0),
            Line(0.440, 0.875, 2.13, -2.235, 6.5, 9.5),
            Line(0.560, 0.885, 2.155, -2.245, 7.0, 10.0),
            Line(0.700, 0.890, 2.165, -2.250, 7.0, 10.0),
            Line(0.850, 0.890, 2.165, -2.250, 7.0, 10.0, 0.3),
            Line(0.990, 0.888, 2.155, -2.245, 6.8, 10.0, 0.8),
            Line(1.060, 0.882, 2.130, -2.235, 6.5, 9.5, 1.0),
            Line(1.085, 0.868, 2.095, -2.215, 6.3, 9.0, 1.0),
            Line(1.095, 0.840, 2.055, -2.180, 6.0, 8.5, 1.0),
        ],
        profile=pchip([(-2.25, 0.0), (0.7, 0.0), (1.1, -0.010), (1.7, -0.030), (2.17, -0.060)]),
        dome=pchip([(-2.17, 0.0), (-2.0, 0.01), (0.6, 0.02), (1.0, 0.030), (1.8, 0.026), (2.05, 0.0)]),
        dome_power=5.0,
        crests=(Crest(0.0, 0.42, 1.5, 0.60, 0.030),),
        columns=50,
        steps=2,
        floor=(0.0, 0.5, 0.93),
    )


def cabin_loft(columns: int = 48, steps: int = 2) -> Loft:
    """Shape of the cabin, from the belt line to the roof; `columns` and `steps` set its mesh's resolution."""
    roof = pchip([(-2.2, -0.02), (-1.5, 0.0), (0.0, 0.0), (0.5, -0.015)])
    return Loft(
        lines=[  # z, half width, y of nose and tail, superellipse exponents there, share of `profile` added to z
            Line(1.060, 0.852, 0.985, -2.195, 8.0, 11.0),
            Line(1.120, 0.848, 0.940, -2.195, 8.0, 11.0),
            Line(1.280, 0.822, 0.820, -2.175, 8.0, 11.0),
            Line(1.480, 0.785, 0.665, -2.145, 8.0, 11.0),
            Line(1.650, 0.752, 0.530, -2.115, 8.0, 11.0, 0.5),
            Line(1.740, 0.735, 0.440, -2.090, 8.0, 10.0, 1.0),
            Line(1.780, 0.712, 0.370, -2.060, 7.5, 9.5, 1.0),
            Line(1.792, 0.672, 0.310, -2.020, 7.0, 9.0, 1.0),
        ],
        profile=roof,
        dome=pchip([(-2.05, 0.0), (-1.8, 0.014), (-0.5, 0.020), (0.1, 0.014), (0.31, 0.0)]),
        dome_power=4.0,
        caps=(0.92, 0.7, 0.35, 0.0),
        columns=columns,
        steps=steps,
        middle=-0.6,
    )


def body() -> Skin:
    """The painted body with its openings: front panel, grille, tail lamps, the inside, wheel arches."""
    skin = Skin(body_loft().skin())
    skin.region(below(0.50), "plastic_black")
    gaps(skin)
    face = intersection(
        end_view(mirrored([(0.0, 0.745), (0.79, 0.745), (0.80, 0.965), (0.0, 0.965)]), 0.035), ahead(1.9)
    )
    skin.region(face, "plastic_black")
    grille = intersection(
        end_view(mirrored([(0.0, 0.765), (0.45, 0.765), (0.45, 0.945), (0.0, 0.945)]), 0.02), ahead(1.9)
    )
    skin.recess(grille, shift=(0, -0.05, 0))
    tail = intersection(end_view([(0.715, 0.66), (0.845, 0.66), (0.845, 1.00), (0.715, 1.00)], 0.02), behind(-2.0))
    skin.refine(tail, size=0.07)
    skin.region(tail, "gloss_black")
    for z0, z1 in ((0.675, 0.79), (0.87, 0.985)):
        part = intersection(grown(tail, -0.012), above(z0), below(z1))
        skin.region(part, "lamp_rear", of="gloss_black")
    under_cabin = plan_view(
        mirrored([(0.0, 0.93), (0.60, 0.90), (0.79, 0.74), (0.83, 0.55), (0.835, -2.0), (0.76, -2.15), (0.0, -2.17)])
    )
    skin.region(intersection(under_cabin, above(0.95)), "plastic_black")
    skin.tub(
        plan_view(
            mirrored([(0.0, 0.86), (0.74, 0.82), (0.79, 0.70), (0.795, -2.0), (0.70, -2.10), (0.0, -2.12)]), 0.05
        ),
        floor=0.52,
    )
    for y in (FRONT, REAR):
        skin.arch(y, z=WHEEL.radius + 0.02, radius=0.485, inner=0.42, grow=0.06, lip=0.02, lip_material="plastic_black")
    return skin


def gaps(skin: Skin) -> None:
    """Shut lines of doors, bonnet and tailgate."""
    doors = side_view(
        [(0.86, 1.3), (0.88, 0.60), (0.80, 0.53), (-0.80, 0.53), (-0.98, 0.80), (-1.10, 0.95), (-1.14, 1.3)], 0.02
    )
    flank = intersection(outside(0.66), above(0.5))
    skin.gap(doors, within=flank)
    skin.gap(lambda v, a: v[:, 1] + 0.228, within=intersection(flank, doors))  # between the doors
    bonnet = plan_view(mirrored([(0.0, 2.02), (0.60, 2.01), (0.70, 1.90), (0.735, 0.98), (0.0, 0.96)]), 0.04)
    skin.gap(bonnet, within=above(0.98))
    gate = end_view(mirrored([(0.0, 0.58), (0.66, 0.58), (0.69, 0.62), (0.69, 1.3), (0.0, 1.3)]), 0.03)
    skin.gap(gate, within=behind(-2.0))


def windows() -> list[Window]:
    """(border, panes) of each window: outline of the dark border, outlines of the glass within."""
    outlines = []
    for pane in (  # front door, rear door, behind it
        [(0.745, 1.145), (0.55, 1.375), (0.345, 1.675), (-0.185, 1.69), (-0.185, 1.145)],
        [(-0.285, 1.145), (-0.285, 1.69), (-1.03, 1.69), (-1.03, 1.145)],
        [(-1.19, 1.165), (-1.19, 1.67), (-1.97, 1.66), (-2.00, 1.175)],
    ):
        outlines.append((intersection(side_view(pane, 0.045), u_between(0.79, 2.45)), 0.018))  # u: 0 nose, pi tail
    outlines.append(
        (
            intersection(  # windscreen
                end_view(
                    mirrored([(0.0, 1.125), (0.73, 1.135), (0.745, 1.17), (0.655, 1.690), (0.63, 1.715), (0.0, 1.720)]),
                    0.03,
                ),
                ahead(0.2),
            ),
            0.022,
        )
    )
    outlines.append(
        (
            intersection(  # rear window
                end_view(mirrored([(0.0, 1.165), (0.665, 1.165), (0.62, 1.66), (0.0, 1.67)]), 0.05), behind(-1.9)
            ),
            0.022,
        )
    )
    return [(outline, [grown(outline, -width)]) for outline, width in outlines]


def cabin() -> Skin:
    """The roof with its windows, upper halves of the doors, and lining."""
    skin = Skin(cabin_loft().skin())
    doors = side_view([(0.86, 1.0), (0.78, 1.14), (0.36, 1.735), (-1.14, 1.735), (-1.14, 1.0)], 0.02)
    skin.gap(doors, within=outside(0.6))
    skin.gap(lambda v, a: v[:, 1] + 0.228, within=intersection(outside(0.6), doors))  # between the doors
    return glaze(skin, Skin(cabin_loft(columns=24, steps=2).skin()), windows())


def flares() -> list[Mesh]:
    """Black wheel-arch extensions: a ring round each opening, from the skin outward."""
    parts = []
    for y in (FRONT, REAR):
        section = [(0.875, 0.483), (0.945, 0.483), (0.955, 0.498), (0.945, 0.530), (0.905, 0.552), (0.875, 0.552)]
        ring = sector(section, -1.83, 1.83, 18, "plastic_black")  # angle 0: forward (+y), and up after the turn
        parts.append(with_mirror_image(ring.turned(0, np.pi / 2).moved(0, y, WHEEL.radius + 0.02)))
    return parts


def front_end() -> list[Mesh]:
    """Bumper, skid plate, bull bar with its lamps, grille bars, headlamps, turn signals."""
    parts = [  # bumper with its ends, skid plate
        box((0, 2.235, 0.60), (1.80, 0.16, 0.17), 0.03),
        with_mirror_image(box((0.86, 2.10, 0.60), (0.16, 0.26, 0.17), 0.04)),
        hull(
            [
                (sx * x, y, z)
                for sx in (-1, 1)
                for x, y, z in (
                    (0.40, 2.28, 0.515),
                    (0.40, 2.24, 0.43),
                    (0.46, 2.10, 0.40),
                    (0.46, 2.10, 0.52),
                    (0.46, 2.25, 0.52),
                )
            ],
            "disc",
        ),
    ]
    bar = smooth_path(
        [
            (-0.42, 2.30, 0.55),
            (-0.42, 2.33, 0.80),
            (-0.36, 2.32, 0.93),
            (0, 2.32, 0.955),
            (0.36, 2.32, 0.93),
            (0.42, 2.33, 0.80),
            (0.42, 2.30, 0.55),
        ],
        4,
    )
    parts += [tube(bar, 0.028, "frame", 8), tube([(-0.42, 2.325, 0.76), (0.42, 2.325, 0.76)], 0.022, "frame", 8)]
    for x in (-0.24, 0.24):  # lamps on the bull bar
        housing = lathe([(0.055, 0.0), (0.05, 0.078), (0.02, 0.088), (-0.05, 0.06), (-0.06, 0.0)], 20, "plastic_black")
        lens = round_lens(0.064, 0.052, 0.074, 18)
        for part in (housing, lens):
            parts.append(part.turned(2, np.pi / 2).moved(x, 2.325, 0.86))
    for x in (-0.36, -0.24, -0.12, 0.0, 0.12, 0.24, 0.36):  # grille bars
        parts.append(box((x, 2.125, 0.855), (0.035, 0.03, 0.17), 0.008, "frame"))
    for sgn in (-1, 1):  # round headlamps in square bezels
        ring = lathe([(0.02, 0.078), (0.026, 0.090), (-0.03, 0.092), (-0.03, 0.07)], 28, "chrome")
        lens = round_lens(0.026, 0.008, 0.080)
        for part in (ring, lens):
            parts.append(part.turned(2, np.pi / 2).moved(sgn * 0.615, 2.150, 0.855))
        parts.append(box((sgn * 0.80, 2.19, 0.72), (0.10, 0.05, 0.05), 0.012, "lamp_turn").moved(0, -0.06, 0))
    return parts


def roof() -> list[Mesh]:
    """Rack on feet, with slats and a light bar."""
    parts = []
    z = 1.865
    loop = [(0.60, 0.05, z), (0.60, -1.78, z), (-0.60, -1.78, z), (-0.60, 0.05, z)]
    parts.append(tube(loop, 0.018, "frame", 8, closed=True))
    for y in np.linspace(-0.15, -1.60, 8):
        parts.append(box((0, y, z - 0.006), (1.20, 0.06, 0.014), 0.004, "frame"))
    for y in (-0.05, -0.85, -1.65):
        parts.append(with_mirror_image(tube([(0.60, y, z), (0.66, y, 1.775)], 0.014, "frame", 6)))
    parts.append(box((0, 0.10, z + 0.012), (1.00, 0.05, 0.065), 0.012, "plastic_black"))
    for x in np.linspace(-0.42, 0.42, 6):
        parts.append(box((x, 0.128, z + 0.012), (0.12, 0.012, 0.045), 0.004, "lamp_front"))
    return parts


def spare() -> list[Mesh]:
    """The spare wheel's cover, centred at the origin: the maker's name on a painted face in a black vinyl surround."""
    face_radius, face_x = 0.27, 0.125
    cover = lathe([(-0.11, 0.0), (-0.12, 0.30), (-0.105, 0.362), (-0.075, 0.38), (0.075, 0.38), (0.105, 0.362),
                   (0.118, 0.31), (0.110, 0.285), (0.118, face_radius), (face_x, 0.14), (face_x, 0.0)],
                  32, "gloss_black")  # fmt: skip
    middle = cover.v[cover.t].mean(axis=1)
    cover.m[(middle[:, 0] > 0.1) & (np.sqrt(middle[:, 1] ** 2 + middle[:, 2] ** 2) < face_radius)] = "paint"
    return [cover.turned(2, -np.pi / 2), lettering(MAKER, (0.34, 0.10), "chrome").moved(y=-face_x - PROUD)]


def details() -> list[Mesh]:
    """Everything on and in the body and cabin: arches, front end, roof rack, spare wheel, snorkel, axles, interior."""
    parts = [
        *flares(),
        *front_end(),
        *roof(),
        *mirrors((0.875, 0.70, 1.25), arm=0.06, eye=EYES["offroader"], drop=0.12),
    ]
    parts += [part.moved(-0.10, -2.41, 1.00) for part in spare()]
    parts += [  # rear bumper with its ends, number plate
        box((0, -2.30, 0.58), (1.80, 0.14, 0.15), 0.03),
        with_mirror_image(box((0.86, -2.19, 0.58), (0.14, 0.22, 0.15), 0.03)),
        plate((0.52, -2.268, 0.80), (0.30, 0.18), PLATE),
    ]
    for y in (-0.08, -1.00):  # door handles
        parts.append(with_mirror_image(box((0.893, y, 0.985), (0.026, 0.15, 0.030), 0.008, "plastic_black")))
    for sgn in (-1, 1):  # side steps on brackets
        parts.append(
            tube(
                [
                    (sgn * 0.90, 0.93, 0.40),
                    (sgn * 0.93, 0.80, 0.385),
                    (sgn * 0.93, -0.78, 0.385),
                    (sgn * 0.90, -0.92, 0.40),
                ],
                0.035,
                "frame",
                8,
            )
        )
        for y in (0.6, -0.6):
            parts.append(tube([(sgn * 0.93, y, 0.385), (sgn * 0.80, y, 0.42)], 0.02, "frame", 6))
    snorkel = smooth_path(
        [(0.905, 1.02, 1.00), (0.915, 0.96, 1.10), (0.885, 0.84, 1.30), (0.815, 0.60, 1.66), (0.795, 0.54, 1.80)], 4
    )
    parts.append(tube(snorkel, 0.033, "plastic_black", 8))
    parts.append(
        cushion([(0.793, 0.57, 1.86, 0.045), (0.793, 0.50, 1.84, 0.05), (0.793, 0.55, 1.80, 0.04)], "plastic_black")
    )
    for x0, x1 in ((-0.60, -0.05), (0.02, 0.58)):  # wipers
        parts.append(tube([(x0, 0.945, 1.115), (x1, 0.905, 1.165)], 0.009, "plastic_black", 6))
    parts += [  # cowl; underbody, frame rails; front axle; rear axle and its differential
        box((0, 0.94, 1.105), (1.45, 0.10, 0.012), 0.004),
        box((0, -0.1, 0.42), (0.5, 3.6, 0.10), 0.03),
        with_mirror_image(box((0.38, 0, 0.41), (0.10, 4.2, 0.12), 0.02)),
        with_mirror_image(tube([(0.30, FRONT, 0.38), (0.75, FRONT, 0.38)], 0.045, "plastic_black", 8)),
        with_mirror_image(tube([(0.0, REAR, 0.38), (0.75, REAR, 0.38)], 0.05, "plastic_black", 8)),
        cushion([(0.0, REAR, 0.38, 0.13), (0.0, REAR + 0.06, 0.38, 0.11)], "plastic_black"),
    ]
    return [
        *parts,
        *inside(),
        *door_cards(0.765, front=0.64, back=-1.06, top=1.105, low=0.60, insert="canvas"),
        *inner_mirror(y=0.44, z=1.64, eye=EYES["offroader"]),
    ]


def inside() -> list[Mesh]:
    """Seats, dashboard, console with levers of gearbox and transfer case."""
    parts = [seat((x, *SEAT[1:]), "canvas") for x in (SEAT[0], -SEAT[0])]
    parts += [  # rear bench
        pad((0, -0.78, 0.78), (1.36, 0.50, 0.16), 0.06, "canvas"),
        pad((0, -1.08, 1.10), (1.36, 0.15, 0.60), 0.06, "seat", turn_x=0.22),
    ]
    parts += dashboard(
        0.72, back=(0.80, 1.08, 0.05), front=(0.62, 1.07, 0.07), low=(0.62, 0.88, 0.06), cluster=CLUSTERS["offroader"]
    )
    return [
        *parts,
        box((0, 0.25, 0.68), (0.24, 0.9, 0.25), 0.03),
        *gear_lever((0, 0.30, 0.805), height=0.20),
        *gear_lever((0.06, 0.12, 0.805), height=0.10),
    ]


def build() -> Node:
    """The model."""
    lower, upper = body(), cabin()
    glass = upper.take_glass()
    solids = merged(details())
    proxy_points = [
        (0.88, 2.20, 0.52),
        (0.88, -2.30, 0.52),
        (0.60, 2.16, 0.40),
        (0.70, -2.16, 0.40),
        (0.86, -1.0, 0.40),
        (0.86, 1.0, 0.40),
        (0.88, 2.05, 1.02),
        (0.88, -2.24, 1.05),
        (0.87, 0.95, 1.11),
        (0.72, 0.34, 1.80),
        (0.72, -2.05, 1.80),
        (0.42, 2.33, 0.85),
        (0.36, -2.50, 0.75),
        (0.36, -2.50, 1.25),
        (0.60, 0.1, 1.90),
        (0.60, -1.78, 1.90),
    ]
    return tree(
        "offroader",
        CHASSIS,
        [*lower.meshes(), *upper.meshes(), solids, glass],
        proxy_points,
        COLUMN,
        driver=driver(SEAT, COLUMN[0]),
    )
