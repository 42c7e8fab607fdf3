"""A lowrider: an American hardtop of the mid-sixties, 5.3 m long, slab-sided, chrome bumpers, three round lamps a side
at the back, whitewall tires well inside the arches.

Lengths are in metres, in the axes of `chassis.py`. The body ends at the belt line; the roof is a second skin that grows
out of it.
"""

import numpy as np

from driving_sandbox.assets.build.chassis import Chassis, tree
from driving_sandbox.assets.build.cockpit import dashboard, door_cards
from driving_sandbox.assets.build.dials import CLUSTERS
from driving_sandbox.assets.build.figure import driver
from driving_sandbox.assets.build.fittings import EYES
from driving_sandbox.assets.build.glb import Node
from driving_sandbox.assets.build.loft import Crest, Line, Loft, pchip
from driving_sandbox.assets.build.mesh import Mesh, join, with_mirror_image
from driving_sandbox.assets.build.parts import box, cushion, lathe, pad, smooth_path, tube
from driving_sandbox.assets.build.signals import repeater
from driving_sandbox.assets.build.skin import (
    Skin,
    Window,
    above,
    ahead,
    behind,
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
from driving_sandbox.assets.build.trim import inner_mirror, mirrors, plate, round_lens, tailpipe
from driving_sandbox.assets.build.wheel import WheelShape

PLATE = "LR 6400"
WHEEL = WheelShape(
    radius=0.295,
    half_width=0.08,
    rim_radius=0.176,
    spokes="ten",
    sides=40,
    disc_radius=0.11,
    caliper_material="frame",
    whitewall=True,
)
CHASSIS = Chassis(
    wheelbase=3.023,
    track_front=1.53,
    track_rear=1.51,
    front=WHEEL,
    rear=WHEEL,
    suspension_length=0.40,
    spring_radius=0.06,
    spring_material="chrome",
)
FRONT, REAR = CHASSIS.wheelbase / 2, -CHASSIS.wheelbase / 2  # y of the axles
NOSE, TAIL = 2.40, -2.93  # y of the body's ends
SEAT = (-0.38, -0.38, 0.34)  # x, y, z of the driver's seat, as in figure.seat
COLUMN = ((-0.38, 0.12, 0.80), 0.40)  # position and tilt, rad, of the steering wheel


def body_loft() -> Loft:
    """Shape of the body, from the floor to the belt line."""
    return Loft(
        lines=[  # z, half width, y of nose and tail, superellipse exponents there, share of `profile` added to z
            Line(0.190, 0.86, 2.24, -2.74, 7.0, 8.0),
            Line(0.198, 0.92, 2.32, -2.83, 7.0, 8.0),
            Line(0.260, 0.960, 2.370, -2.885, 7.5, 8.5),
            Line(0.400, 0.984, 2.392, -2.920, 8.0, 9.0),
            Line(0.560, 0.992, 2.400, -2.930, 8.0, 9.0),
            Line(0.690, 0.990, 2.398, -2.930, 8.0, 9.0, 0.2),
            Line(0.780, 0.982, 2.392, -2.922, 8.0, 9.0, 0.6),
            Line(0.840, 0.972, 2.378, -2.912, 8.0, 9.0, 0.9),
            Line(0.872, 0.950, 2.352, -2.890, 7.5, 8.5, 1.0),
            Line(0.884, 0.910, 2.310, -2.855, 7.0, 8.0, 1.0),
        ],
        profile=pchip([(-2.93, -0.045), (-1.9, 0.0), (-0.6, 0.012), (0.6, 0.004), (1.4, -0.010), (2.4, -0.055)]),
        dome=pchip(
            [(-2.85, 0.0), (-2.6, 0.016), (-1.2, 0.020), (0.8, 0.026), (1.6, 0.030), (2.15, 0.016), (2.31, 0.0)]
        ),
        dome_power=4.5,
        crests=(
            Crest(0.0, 0.20, 1.5, 0.70, 0.020),
            Crest(0.86, 0.07, 1.4, 0.9, 0.010),
            Crest(0.86, 0.07, -2.0, 0.8, 0.012),
        ),
        columns=56,
        steps=2,
        floor=(0.0, 0.5, 0.93),
    )


def cabin_loft(columns: int = 48, steps: int = 2) -> Loft:
    """Shape of the cabin, from the belt line to the roof; `columns` and `steps` set its mesh's resolution."""
    roof = pchip([(-1.7, -0.05), (-1.0, -0.015), (-0.4, 0.0), (0.3, -0.012)])
    return Loft(
        lines=[  # z, half width, y of nose and tail, superellipse exponents there, share of `profile` added to z
            Line(0.860, 0.870, 0.90, -1.74, 6.5, 6.5),
            Line(0.920, 0.852, 0.81, -1.66, 6.5, 6.5),
            Line(1.030, 0.815, 0.65, -1.50, 6.5, 6.5),
            Line(1.150, 0.770, 0.485, -1.32, 6.5, 6.2, 0.4),
            Line(1.255, 0.728, 0.345, -1.16, 6.2, 6.0, 0.9),
            Line(1.308, 0.690, 0.255, -1.06, 6.0, 5.8, 1.0),
            Line(1.332, 0.625, 0.145, -0.95, 5.8, 5.6, 1.0),
        ],
        profile=roof,
        dome=pchip([(-1.06, 0.0), (-0.85, 0.016), (-0.4, 0.026), (0.05, 0.020), (0.2, 0.0)]),
        caps=(0.9, 0.65, 0.32, 0.0),
        columns=columns,
        steps=steps,
        middle=-0.4,
    )


def body() -> Skin:
    """The painted body with its openings: chrome front and rear panels, grille, the inside, wheel arches."""
    skin = Skin(body_loft().skin())
    gaps(skin)
    face = intersection(
        end_view(mirrored([(0.0, 0.545), (1.10, 0.545), (1.10, 0.785), (0.0, 0.785)]), 0.02),
        ahead(2.24),
    )
    skin.region(face, "chrome")
    grille = intersection(
        end_view(mirrored([(0.0, 0.565), (0.50, 0.565), (0.50, 0.765), (0.0, 0.765)]), 0.012), ahead(2.1)
    )
    skin.recess(grille, shift=(0, -0.05, 0), wall="chrome", back="gloss_black")
    panel = intersection(
        end_view(mirrored([(0.0, 0.565), (1.10, 0.565), (1.10, 0.745), (0.0, 0.745)]), 0.02), behind(-2.78)
    )
    skin.region(panel, "chrome")
    under_cabin = plan_view(
        mirrored([(0.0, 0.80), (0.60, 0.77), (0.80, 0.62), (0.83, 0.3), (0.83, -1.3), (0.78, -1.58), (0.0, -1.66)])
    )
    skin.region(intersection(under_cabin, above(0.80)), "plastic_black")
    skin.tub(
        plan_view(
            mirrored([(0.0, 0.70), (0.60, 0.67), (0.77, 0.52), (0.80, 0.3), (0.80, -1.2), (0.74, -1.44), (0.0, -1.52)]),
            0.06,
        ),
        floor=0.30,
    )
    for y in (FRONT, REAR):
        skin.arch(y, z=WHEEL.radius + 0.03, radius=0.370 if y > 0 else 0.345, inner=0.40, grow=0.04)
    return skin


def gaps(skin: Skin) -> None:
    """Shut lines of doors, bonnet and boot."""
    door = side_view(
        [
            (0.70, 1.1),
            (0.71, 0.66),
            (0.70, 0.30),
            (0.64, 0.24),
            (-0.66, 0.24),
            (-0.72, 0.30),
            (-0.74, 0.70),
            (-0.74, 1.1),
        ],
        0.03,
    )
    skin.gap(door, within=intersection(outside(0.75), above(0.22)))
    bonnet = plan_view(mirrored([(0.0, 2.33), (0.70, 2.30), (0.82, 2.15), (0.82, 0.78), (0.0, 0.78)]), 0.04)
    skin.gap(bonnet, within=above(0.78))
    boot = plan_view(mirrored([(0.0, -1.74), (0.76, -1.74), (0.78, -1.90), (0.76, -2.80), (0.0, -2.84)]), 0.05)
    skin.gap(boot, within=above(0.78))


def windows() -> list[Window]:
    """(border, panes) of each window: outline of the dark border, outlines of the glass within."""
    side = u_between(0.74, 2.50)  # u: 0 at the nose, pi at the tail
    border = intersection(
        side_view(
            [(0.62, 0.925), (0.23, 1.282), (-0.30, 1.298), (-0.88, 1.275), (-1.16, 0.960), (-1.10, 0.925)], 0.015
        ),
        side,
    )
    panes = (
        [(0.52, 0.938), (0.20, 1.272), (-0.42, 1.288), (-0.42, 0.938)],
        [(-0.435, 0.938), (-0.435, 1.288), (-0.85, 1.266), (-1.12, 0.968), (-1.08, 0.938)],
    )
    # The upper edges of windscreen and rear window follow the loft's control rows, which are about 0.06 m apart: that
    # turns the row number into metres.
    front = intersection(u_between(-1.0, 0.640), above(0.925), lambda v, a: 0.06 * (a["row"] - 5.15))
    back = intersection(u_between(2.56, 4.0), above(0.935), lambda v, a: 0.06 * (a["row"] - 5.0))
    return [
        (border, [intersection(side_view(p, 0.012), side) for p in panes]),
        (front, [grown(front, -0.022)]),
        (back, [grown(back, -0.022)]),
    ]


def cabin() -> Skin:
    """The roof with its windows and lining."""
    skin = Skin(cabin_loft().skin())
    return glaze(skin, Skin(cabin_loft(columns=30, steps=2).skin()), windows())


def round_lamp(x: float, y: float, z: float, radius: float, material: str, edge: str | None = None) -> Mesh:
    """A lamp in a chrome ring at (x, y, z); it faces forward if y > 0, else back.

    `edge`: material of the outer part of its lens; None for that of the middle, `material`.
    """
    ring = lathe(
        [(0.03, radius), (0.035, radius + 0.012), (-0.03, radius + 0.016), (-0.03, 0.0), (0.0, 0.0), (0.01, radius)],
        24,
        "chrome",
    )
    if material == "lamp_front":
        lens = round_lens(0.030, 0.012, radius)
    else:
        lens = lathe([(0.030, 0.0), (0.024, 0.6 * radius), (0.012, radius), (0.0, 0.0)], 24, edge or material)
    parts = [ring, lens]
    if edge:
        parts.append(lathe([(0.033, 0.0), (0.029, 0.55 * radius), (0.020, 0.58 * radius), (0.0, 0.0)], 24, material))
    return join(parts).turned(2, np.sign(y) * np.pi / 2).moved(x, y, z)


def bumper(y: float, reach: float, depth: float) -> list[Mesh]:
    """A chrome blade with overriders round the end of the body at `y`.

    `reach`: how far its tips extend along the sides, `depth`: how far its middle stands out beyond `y`, m.
    """
    s = np.sign(y)
    path = smooth_path(
        [
            (-0.985, y - s * reach, 0.42),
            (-0.97, y - s * 0.08, 0.42),
            (-0.80, y + s * depth * 0.6, 0.42),
            (0, y + s * depth, 0.42),
            (0.80, y + s * depth * 0.6, 0.42),
            (0.97, y - s * 0.08, 0.42),
            (0.985, y - s * reach, 0.42),
        ],
        6,
    )
    bars = [tube(path + [0, 0, dz], r, "chrome", 10) for dz, r in ((0.0, 0.062), (0.055, 0.040), (-0.05, 0.040))]
    guards = [
        with_mirror_image(cushion([(0.42, y + s * depth, 0.40, 0.05), (0.42, y + s * depth, 0.52, 0.035)], "chrome"))
    ]
    return bars + guards


def trim() -> list[Mesh]:
    """Side strips, door handles, mirrors, grille bars, lamps, plates, tailpipes, aerial."""
    parts = [
        *mirrors((0.945, 0.50, 0.99), arm=0.02, eye=EYES["lowrider"], drop=0.125),
        with_mirror_image(tailpipe((0.55, -2.86, 0.24), radius=0.028)),
    ]
    parts += [*bumper(NOSE, 0.45, 0.06), *bumper(TAIL, 0.40, 0.05)]
    for y0, y1 in ((2.30, 1.92), (1.12, -1.14), (-1.90, -2.84)):
        parts.append(with_mirror_image(box((0.992, (y0 + y1) / 2, 0.640), (0.022, y0 - y1, 0.040), 0.008, "chrome")))
    parts.append(with_mirror_image(box((0.975, -0.05, 0.235), (0.03, 2.0, 0.05), 0.01, "chrome")))
    parts.append(with_mirror_image(box((0.985, -0.52, 0.775), (0.028, 0.18, 0.026), 0.008, "chrome")))
    for z in (0.60, 0.635, 0.67, 0.705, 0.74):
        parts.append(box((0, 2.372, z), (0.98, 0.025, 0.010), 0.003, "chrome"))
    for x in np.linspace(-0.45, 0.45, 9):
        parts.append(box((x, 2.366, 0.665), (0.010, 0.02, 0.19), 0.003, "chrome"))
    for x in (0.60, 0.79):
        parts += [round_lamp(s * x, 2.388, 0.665, 0.076, "lamp_front") for s in (-1, 1)]
    # (material, edge) of the lamps, from the middle outward
    tail = ("lamp_reverse", "lamp_rear"), ("lamp_rear", None), ("lamp_rear", "lamp_turn")
    for x, (lens, edge) in zip((0.40, 0.59, 0.78), tail, strict=True):
        parts += [round_lamp(s * x, -2.918, 0.655, 0.068, lens, edge) for s in (-1, 1)]
    parts += [plate((0, -2.938, 0.64), (0.36, 0.15), PLATE), plate((0, 2.445, 0.55), (0.36, 0.11), PLATE)]
    parts += repeater((0.975, 2.02, 0.52), (0.02, 0.10, 0.035))
    parts.append(tube([(-0.86, 1.55, 0.90), (-0.88, 1.50, 1.75)], [0.007, 0.003], "chrome", 6))
    return parts


def inside() -> list[Mesh]:
    """Benches, dashboard, parcel shelf with pumps and batteries, door trim."""
    parts = [
        pad((0, -0.30, 0.46), (1.36, 0.50, 0.17), 0.06, "leather"),
        pad((0, -0.58, 0.74), (1.36, 0.15, 0.50), 0.06, "leather", turn_x=0.26),
        pad((0, -1.12, 0.46), (1.32, 0.46, 0.16), 0.06, "leather"),
        pad((0, -1.38, 0.72), (1.32, 0.14, 0.44), 0.06, "leather", turn_x=0.30),
    ]
    edges = (0.52, 0.84, 0.05), (0.34, 0.84, 0.05), (0.34, 0.68, 0.05)  # back, front and low, see `dashboard`
    parts += dashboard(0.70, *edges, CLUSTERS["lowrider"], material="paint", stack=False)
    parts += [
        box((0, 0.285, 0.78), (1.30, 0.012, 0.10), 0.004, "chrome"),
        tube([(-0.38, 0.30, 0.74), (-0.38, 0.12, 0.80)], 0.02, "chrome", 8),
        *inner_mirror(y=0.14, z=1.24, eye=EYES["lowrider"]),
    ]
    for x in (-0.45, 0.0, 0.45):  # pumps and batteries on the parcel shelf
        parts.append(box((x, -1.52, 0.90), (0.30, 0.20, 0.04), 0.01, "seat"))
    return parts + door_cards(0.765, front=0.40, back=-0.66, top=0.900, low=0.40, insert="leather")


def build() -> Node:
    """The model."""
    lower, upper = body(), cabin()
    glass = upper.take_glass()
    proxy_points = [
        (0.86, 2.26, 0.18),
        (0.96, 1.9, 0.18),
        (0.96, -2.5, 0.18),
        (0.86, -2.80, 0.20),
        (0.95, 2.42, 0.36),
        (0.95, 2.40, 0.80),
        (0.98, 1.6, 0.86),
        (0.98, -2.6, 0.86),
        (0.94, -2.95, 0.36),
        (0.93, -2.93, 0.82),
        (0.66, 0.22, 1.33),
        (0.62, -1.02, 1.33),
    ]
    return tree(
        "lowrider",
        CHASSIS,
        [*lower.meshes(), *upper.meshes(), merged([*trim(), *inside()]), glass],
        proxy_points,
        COLUMN,
        driver=driver(SEAT, COLUMN[0]),
    )
