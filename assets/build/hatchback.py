"""A compact five-door hatchback: 4.27 m long, short bonnet, upright tailgate, wide rear pillar.

Lengths are in metres, in the axes of `chassis.py`. The body ends at the belt line; the cabin is a second skin that
grows out of it.
"""

from collections.abc import Sequence

import numpy as np

from driving_sandbox.assets.build.chassis import Chassis, tree
from driving_sandbox.assets.build.cockpit import dashboard, door_cards, gear_lever
from driving_sandbox.assets.build.dials import CLUSTERS
from driving_sandbox.assets.build.figure import driver, seat
from driving_sandbox.assets.build.fittings import EYES
from driving_sandbox.assets.build.glb import Node
from driving_sandbox.assets.build.loft import Bulge, Crest, Line, Loft, pchip
from driving_sandbox.assets.build.mesh import Mesh, with_mirror_image
from driving_sandbox.assets.build.parts import box, outward, pad, skin_over, tube
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
from driving_sandbox.assets.build.trim import inner_mirror, lamp, mirrors, plate, tailpipe
from driving_sandbox.assets.build.wheel import WheelShape

PLATE = "HB 2631"
WHEEL = WheelShape(
    radius=0.318,
    half_width=0.1125,
    rim_radius=0.220,
    spokes="split",
    sides=40,
    disc_radius=0.140,
    caliper_material="disc",
)
CHASSIS = Chassis(wheelbase=2.631, track_front=1.538, track_rear=1.516, front=WHEEL, rear=WHEEL, suspension_length=0.34)
FRONT, REAR = CHASSIS.wheelbase / 2, -CHASSIS.wheelbase / 2  # y of the axles
SEAT = (-0.37, -0.30, 0.34)  # x, y, z of the driver's seat, as in figure.seat
COLUMN = ((-0.37, 0.22, 0.87), 0.42)  # position and tilt, rad, of the steering wheel


def body_loft() -> Loft:
    """Shape of the body, from the floor to the belt line."""
    return Loft(
        lines=[  # z, half width, y of nose and tail, superellipse exponents there, share of `profile` added to z
            Line(0.175, 0.72, 1.88, -1.92, 4.6, 5.2),
            Line(0.182, 0.80, 2.01, -2.01, 4.6, 5.2),
            Line(0.230, 0.843, 2.085, -2.065, 4.8, 5.4),
            Line(0.330, 0.862, 2.135, -2.105, 4.9, 5.4),
            Line(0.450, 0.868, 2.152, -2.115, 4.9, 5.4),
            Line(0.570, 0.874, 2.148, -2.115, 4.9, 5.4, 0.15),
            Line(0.690, 0.880, 2.125, -2.105, 4.8, 5.4, 0.45),
            Line(0.788, 0.880, 2.100, -2.095, 4.7, 5.4, 0.75),
            Line(0.815, 0.872, 2.085, -2.090, 4.7, 5.4, 0.80),
            Line(0.880, 0.852, 2.030, -2.070, 4.6, 5.2, 0.95),
            Line(0.925, 0.810, 1.940, -2.035, 4.5, 5.0, 1.0),
        ],
        profile=pchip(
            [(-2.12, 0.035), (-1.3, 0.030), (0.0, 0.005), (0.7, -0.005), (1.2, -0.030), (1.7, -0.078), (2.15, -0.155)]
        ),
        dome=pchip(
            [
                (-2.03, 0.0),
                (-1.9, 0.02),
                (-1.0, 0.03),
                (0.6, 0.070),
                (1.0, 0.076),
                (1.5, 0.060),
                (1.8, 0.028),
                (1.92, 0.0),
            ]
        ),
        dome_power=2.6,
        bulges=(Bulge(FRONT + 0.08, 0.42, 0.052), Bulge(REAR, 0.40, 0.038)),
        crests=(Crest(0.66, 0.12, 1.25, 0.5, 0.012), Crest(0.52, 0.07, 1.2, 0.6, 0.008)),
        columns=46,
        steps=2,
        floor=(0.0, 0.5, 0.93),
    )


def cabin_loft(columns: int = 44, steps: int = 2) -> Loft:
    """Shape of the cabin, from the belt line to the roof; `columns` and `steps` set its mesh's resolution."""
    roof = pchip([(-1.9, -0.045), (-1.3, -0.020), (-0.6, 0.0), (-0.1, 0.004), (0.3, -0.010)])
    return Loft(
        lines=[  # z, half width, y of nose and tail, superellipse exponents there, share of `profile` added to z
            Line(0.890, 0.800, 1.16, -2.015, 5.6, 7.5),
            Line(0.965, 0.788, 1.045, -2.010, 5.6, 7.5),
            Line(1.080, 0.755, 0.830, -1.960, 5.5, 7.2),
            Line(1.220, 0.708, 0.555, -1.865, 5.4, 7.0, 0.4),
            Line(1.330, 0.662, 0.335, -1.760, 5.2, 6.8, 0.9),
            Line(1.385, 0.620, 0.205, -1.700, 5.0, 6.5, 1.0),
            Line(1.412, 0.560, 0.070, -1.630, 4.8, 6.2, 1.0),
        ],
        profile=roof,
        dome=pchip([(-1.66, 0.0), (-1.4, 0.022), (-0.5, 0.036), (-0.1, 0.030), (0.08, 0.0)]),
        caps=(0.9, 0.65, 0.32, 0.0),
        columns=columns,
        steps=steps,
        middle=-0.5,
    )


def body() -> Skin:
    """The painted body with its openings: lamps, air intake, the inside below the windows, wheel arches."""
    skin = Skin(body_loft().skin())
    skin.region(below(0.238), "plastic_black")
    skin.region(
        intersection(end_view(mirrored([(0.0, 0.1), (0.70, 0.1), (0.62, 0.34), (0.0, 0.34)]), 0.03), behind(-1.7)),
        "plastic_black",
    )
    gaps(skin)
    head = intersection(
        end_view(
            [(0.40, 0.640), (0.50, 0.615), (0.76, 0.628), (0.872, 0.700), (0.845, 0.750), (0.66, 0.740), (0.42, 0.702)],
            0.02,
        ),
        ahead(1.45),
    )
    lamp(skin, head, "lamp_front", strip=0.010, lenses=[(0.545, 0.672, 0.037), (0.665, 0.682, 0.037)])
    bar = intersection(
        end_view(mirrored([(0.0, 0.636), (0.385, 0.642), (0.40, 0.694), (0.0, 0.700)]), 0.008), ahead(1.7)
    )
    skin.region(bar, "gloss_black")
    skin.region(intersection(grown(bar, -0.006), below(0.652)), "chrome", of="gloss_black")
    tail = intersection(
        end_view([(0.50, 0.775), (0.87, 0.770), (0.895, 0.83), (0.865, 0.885), (0.53, 0.885)], 0.03), behind(-1.83)
    )
    skin.refine(tail)
    skin.region(tail, "gloss_black")
    skin.region(grown(tail, -0.009), "lamp_rear", of="gloss_black")
    intake = end_view(mirrored([(0.0, 0.255), (0.44, 0.255), (0.53, 0.33), (0.47, 0.415), (0.0, 0.425)]), 0.03)
    skin.recess(intersection(intake, ahead(1.7)), shift=(0, -0.05, 0), wall="plastic_black")
    fog = end_view([(0.60, 0.275), (0.76, 0.300), (0.77, 0.385), (0.61, 0.405)], 0.02)
    skin.region(intersection(fog, ahead(1.7)), "gloss_black")
    under_cabin = plan_view(
        mirrored(
            [
                (0.0, 1.03),
                (0.40, 1.00),
                (0.62, 0.90),
                (0.74, 0.72),
                (0.76, 0.3),
                (0.76, -1.6),
                (0.68, -1.9),
                (0.0, -1.98),
            ]
        )
    )
    skin.region(intersection(under_cabin, above(0.80)), "plastic_black")
    skin.tub(
        plan_view(
            mirrored([(0.0, 0.92), (0.50, 0.88), (0.70, 0.70), (0.745, -1.5), (0.66, -1.88), (0.0, -1.93)]), 0.06
        ),
        floor=0.30,
    )
    for y in (FRONT, REAR):
        skin.arch(y, z=WHEEL.radius + 0.018, radius=0.374, inner=0.42, grow=0.05)
    return skin


def gaps(skin: Skin) -> None:
    """Shut lines of doors, bonnet, tailgate and bumpers."""
    doors = side_view(
        [
            (0.80, 1.1),
            (0.83, 0.70),
            (0.80, 0.34),
            (0.70, 0.275),
            (-0.78, 0.275),
            (-0.92, 0.40),
            (-1.24, 0.74),
            (-1.32, 1.1),
        ],
        0.03,
    )
    flank = intersection(outside(0.66), above(0.25))
    corner = intersection(flank, below(0.42), lambda v, a: np.abs(doors(v, a)) - 0.02)
    skin.refine(corner, size=0.04)
    skin.gap(doors, within=flank)
    skin.gap(lambda v, a: v[:, 1] + 0.443, within=intersection(flank, doors))  # between the doors
    bonnet = plan_view(
        mirrored([(0.0, 1.97), (0.40, 1.935), (0.62, 1.80), (0.725, 1.50), (0.755, 0.90), (0.68, 0.75), (0.0, 0.75)]),
        0.05,
    )
    skin.gap(bonnet, within=above(0.66))
    gate = end_view(mirrored([(0.0, 0.50), (0.50, 0.50), (0.60, 0.58), (0.68, 0.80), (0.70, 1.1), (0.0, 1.1)]), 0.05)
    skin.gap(gate, within=behind(-1.72))
    # bumper shut lines, at y at height 0.45 m, inclined by 0.35 m per m
    for y, view in ((1.78, ahead), (-1.72, behind)):
        line = view(y)
        skin.gap(
            lambda v, a, line=line: line(v, a) + 0.35 * (0.45 - v[:, 2]),
            within=intersection(outside(0.66), below(0.62)),
        )


def windows() -> list[Window]:
    """(border, panes) of each window: outline of the dark border, outlines of the glass within."""
    side = u_between(0.80, 2.75)  # u: 0 at the nose, pi at the tail
    border = intersection(
        side_view(
            [
                (0.80, 0.978),
                (0.105, 1.368),
                (-0.55, 1.382),
                (-1.13, 1.352),
                (-1.48, 1.065),
                (-1.43, 1.010),
                (-1.2, 0.992),
            ],
            0.02,
        ),
        side,
    )
    panes = (  # front door, rear door, behind it
        [(0.62, 0.998), (0.12, 1.350), (-0.41, 1.366), (-0.43, 1.003)],
        [(-0.50, 1.003), (-0.48, 1.366), (-1.11, 1.335), (-1.30, 1.175), (-1.30, 1.014)],
        [(-1.325, 1.022), (-1.325, 1.155), (-1.445, 1.06), (-1.42, 1.028)],
    )
    radii = (0.025, 0.025, 0.008)  # m, of the panes' corners; the last pane is small
    # The windscreen's upper edge follows the loft's control rows, which are about 0.06 m apart: that turns the row
    # number into metres.
    front = intersection(u_between(-1.0, 0.600), above(0.955), lambda v, a: 0.06 * (a["row"] - 5.10))
    back = intersection(
        end_view(mirrored([(0.0, 1.020), (0.60, 1.020), (0.615, 1.06), (0.545, 1.315), (0.0, 1.335)]), 0.04),
        behind(-1.3),
    )
    return [
        (
            border,
            [intersection(side_view(pane, radius), side) for pane, radius in zip(panes, radii, strict=True)],
        ),
        (front, [grown(front, -0.022)]),
        (back, [grown(back, -0.022)]),
    ]


def cabin() -> Skin:
    """The roof with its windows and lining."""
    skin = Skin(cabin_loft().skin())
    return glaze(skin, Skin(cabin_loft(columns=30, steps=2).skin()), windows())


def details() -> list[Mesh]:
    """Everything on and in the body and cabin: mirrors, exhausts, plates, spoiler, wipers, interior."""
    parts = [
        *mirrors((0.865, 0.52, 1.00), arm=0.10, eye=EYES["hatchback"]),
        with_mirror_image(tailpipe((0.46, -2.075, 0.265), radius=0.030)),
    ]
    parts += [plate((0, -2.118, 0.66), (0.50, 0.11), PLATE), plate((0, 2.163, 0.475), (0.50, 0.105), PLATE)]
    for z, y in ((0.30, 2.06), (0.345, 2.075), (0.39, 2.085)):  # bars of the air intake
        parts.append(box((0, y, z), (0.90, 0.012, 0.014), 0.004, "gloss_black"))
    for x, y in ((0.876, -0.28), (0.892, -1.02)):  # door handles
        parts.append(with_mirror_image(box((x, y, 0.835), (0.024, 0.17, 0.024), 0.008, "paint")))
    parts += [spoiler(), box((0, -1.800, 1.377), (0.24, 0.012, 0.009), 0.003, "lamp_rear")]  # with a third brake lamp
    parts.append(tube([(0, -1.46, 1.40), (0, -1.57, 1.48)], [0.008, 0.003], "plastic_black", 6))  # aerial
    for x0, x1 in ((-0.62, -0.05), (0.02, 0.60)):  # wipers
        parts.append(tube([(x0, 0.985, 0.975), (x1, 0.965, 1.012)], 0.008, "plastic_black", 6))
    parts.append(box((0, 0.95, 0.965), (1.20, 0.12, 0.012), 0.004, "plastic_black"))  # cowl
    return parts + inside()


def spoiler() -> Mesh:
    """Roof spoiler over the rear window: a section along y swept across the car, following the roof's crown."""
    crown = pchip([(0.0, 1.404), (0.30, 1.400), (0.45, 1.393), (0.54, 1.380)])
    rings = []
    for x in np.linspace(-0.53, 0.53, 15):
        z, short = float(crown(abs(x))), 0.10 * max(0.0, (abs(x) - 0.40) / 0.13) ** 2
        section = (
            (-1.46, -0.004),
            (-1.62, -0.006),
            (-1.795 + short, -0.022),
            (-1.797 + short, -0.035),
            (-1.68, -0.060),
            (-1.50, -0.050),
        )
        rings.append(np.array([[x, y, z + dz] for y, dz in section]))
    return outward(skin_over(rings, "paint"))


def inside() -> list[Mesh]:
    """Seats, dashboard, console, door trim."""
    parts = [seat((x, *SEAT[1:])) for x in (SEAT[0], -SEAT[0])]
    parts += [  # rear bench
        pad((0, -1.02, 0.50), (1.22, 0.50, 0.16), 0.06, "cloth"),
        pad((0, -1.32, 0.80), (1.22, 0.15, 0.60), 0.06, "cloth", turn_x=0.30),
    ]
    for x in (-0.42, 0.0, 0.42):  # head restraints
        parts.append(pad((x, -1.43, 1.13), (0.26, 0.08, 0.13), 0.035))
    parts += dashboard(
        0.66, back=(0.72, 0.90, 0.05), front=(0.46, 0.89, 0.07), low=(0.46, 0.72, 0.06), cluster=CLUSTERS["hatchback"]
    )
    parts += [  # console, gear lever, parcel shelf, mirror
        box((0, 0.05, 0.45), (0.22, 0.95, 0.25), 0.03),
        *gear_lever((0, 0.12, 0.575)),
        box((0, -1.70, 0.90), (1.24, 0.40, 0.03), 0.01),
        *inner_mirror(y=0.30, z=1.31, eye=EYES["hatchback"]),
    ]
    parts += door_cards(0.685, front=0.46, back=-0.38, top=0.955, low=0.46) + door_cards(
        0.685, front=-0.48, back=-1.20, top=0.955, low=0.46
    )
    return parts


def build(name: str = "hatchback", more: Sequence[Mesh] = (), chassis: Chassis = CHASSIS) -> Node:
    """The root node of the model; `more` are further solids, `chassis` replaces the hatchback's wheels and axles."""
    lower, upper = body(), cabin()
    glass = upper.take_glass()
    solids = merged([*details(), *more])
    proxy_points = [
        (0.80, 1.75, 0.18),
        (0.45, 2.13, 0.22),
        (0.87, 1.25, 0.17),
        (0.87, -1.70, 0.17),
        (0.76, -2.10, 0.25),
        (0.88, 0.9, 0.82),
        (0.85, 1.80, 0.70),
        (0.45, 2.13, 0.62),
        (0.45, 1.98, 0.84),
        (0.86, -1.90, 0.90),
        (0.60, 0.10, 1.41),
        (0.58, -1.66, 1.40),
        (0.70, -2.05, 0.95),
    ]
    return tree(
        name,
        chassis,
        [*lower.meshes(), *upper.meshes(), solids, glass],
        proxy_points,
        COLUMN,
        driver=driver(SEAT, COLUMN[0]),
    )
