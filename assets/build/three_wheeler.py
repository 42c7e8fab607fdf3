"""A three-wheeled saloon of glass fibre: 3.3 m long, one wheel under a wedge-shaped nose, upright glass hatch behind.

Lengths are in metres, in the axes of `chassis.py`, the origin midway between the front wheel and the rear axle. The
body ends at the belt line; the cabin is a second skin that grows out of it.
"""

import numpy as np

from driving_sandbox.assets.build.chassis import control_arm, link, spring
from driving_sandbox.assets.build.cockpit import dashboard, door_cards, gear_lever
from driving_sandbox.assets.build.dials import CLUSTERS
from driving_sandbox.assets.build.figure import driver, seat
from driving_sandbox.assets.build.fittings import EYES
from driving_sandbox.assets.build.glb import Node
from driving_sandbox.assets.build.loft import Bulge, Line, Loft, pchip
from driving_sandbox.assets.build.mesh import Mesh, with_mirror_image
from driving_sandbox.assets.build.parts import box, pad, tube
from driving_sandbox.assets.build.running import Station, tree
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
from driving_sandbox.assets.build.trim import lamp, mirrors, plate, tailpipe
from driving_sandbox.assets.build.wheel import WheelShape, brake, wheel

PLATE = "TR 0003"
WHEEL = WheelShape(
    radius=0.27,
    half_width=0.0725,
    rim_radius=0.150,
    spokes="dish",
    sides=36,
    disc_radius=0.088,
    caliper_material="frame",
)
FRONT, REAR = 1.08, -1.08  # y of the front wheel and the rear axle
HALF_TRACK = 0.61  # half the track of the rear axle
SEAT = (-0.29, -0.26, 0.27)  # x, y, z of the driver's seat, as in figure.seat
COLUMN = ((-0.29, 0.20, 0.74), 0.45)  # position and tilt, rad, of the steering wheel


def front_links(n: int, centre: np.ndarray, side: int) -> list[Node]:
    """A leading arm beside the wheel and a strut above it."""
    top, foot = centre + [-0.10, -0.16, 0.30], centre + [-0.10, 0.0, 0.0]
    pivot = centre + [-0.12, -0.42, 0.04]
    return [
        link(n, "susp", n - 1, top, foot, spring(top, foot, 0.05, "frame")),
        link(n, "arm", n - 1, pivot, foot, tube([pivot, foot], 0.032, "frame", 8)),
    ]


def rear_links(n: int, centre: np.ndarray, side: int) -> list[Node]:
    """Half of the leaf-sprung live axle, simplified to an A-arm and a coil."""
    foot = centre + [-side * 0.09, 0.0, -0.02]
    top = centre + [-side * 0.20, 0.0, 0.28]
    pivot = np.array([side * 0.18, centre[1], centre[2]])
    return [
        link(n, "susp", n - 1, top, foot, spring(top, foot, 0.045, "frame")),
        link(n, "arm", n - 1, pivot, foot, control_arm(pivot, foot, 0.12)),
    ]


def stations() -> list[Station]:
    """The front wheel and the rear axle."""
    turning, size = wheel(WHEEL), (WHEEL.radius, WHEEL.half_width)
    return [
        Station(FRONT, 0.0, WHEEL.radius, turning, brake(WHEEL, forward=-1), size, front_links),
        Station(REAR, HALF_TRACK, WHEEL.radius, turning, brake(WHEEL, forward=1), size, rear_links),
    ]


def body_loft() -> Loft:
    """Shape of the body, from the floor to the belt line."""
    return Loft(
        lines=[  # z, half width, y of nose and tail, superellipse exponents there, share of `profile` added to z
            Line(0.190, 0.52, 1.40, -1.48, 3.6, 5.2),
            Line(0.200, 0.60, 1.52, -1.56, 3.6, 5.2),
            Line(0.255, 0.645, 1.605, -1.610, 3.8, 5.4),
            Line(0.360, 0.672, 1.665, -1.640, 4.0, 5.6),
            Line(0.470, 0.688, 1.690, -1.650, 4.0, 5.6),
            Line(0.570, 0.694, 1.680, -1.650, 4.0, 5.6, 0.3),
            Line(0.660, 0.690, 1.650, -1.640, 3.9, 5.6, 0.6),
            Line(0.720, 0.680, 1.615, -1.630, 3.8, 5.4, 0.8),
            Line(0.765, 0.660, 1.565, -1.610, 3.7, 5.2, 0.95),
            Line(0.790, 0.625, 1.500, -1.580, 3.6, 5.0, 1.0),
        ],
        profile=pchip([(-1.65, 0.025), (-0.5, 0.005), (0.5, 0.0), (0.9, -0.025), (1.3, -0.085), (1.7, -0.175)]),
        dome=pchip([(-1.57, 0.0), (-1.4, 0.015), (0.3, 0.030), (0.9, 0.045), (1.3, 0.022), (1.50, 0.0)]),
        dome_power=3.0,
        bulges=(Bulge(1.55, 0.55, -0.10), Bulge(REAR, 0.34, 0.026)),
        columns=46,
        steps=2,
        floor=(0.0, 0.5, 0.93),
    )


def cabin_loft(columns: int = 44, steps: int = 2) -> Loft:
    """Shape of the cabin, from the belt line to the roof; `columns` and `steps` set its mesh's resolution."""
    roof = pchip([(-1.5, -0.03), (-1.0, -0.008), (-0.4, 0.0), (0.1, -0.010)])
    return Loft(
        lines=[  # z, half width, y of nose and tail, superellipse exponents there, share of `profile` added to z
            Line(0.765, 0.632, 0.86, -1.565, 5.0, 7.0),
            Line(0.830, 0.622, 0.76, -1.560, 5.0, 7.0),
            Line(0.940, 0.598, 0.595, -1.530, 5.0, 6.8),
            Line(1.080, 0.562, 0.395, -1.470, 5.0, 6.6, 0.4),
            Line(1.200, 0.526, 0.230, -1.405, 4.8, 6.4, 0.9),
            Line(1.262, 0.494, 0.135, -1.350, 4.6, 6.2, 1.0),
            Line(1.292, 0.445, 0.030, -1.280, 4.4, 6.0, 1.0),
        ],
        profile=roof,
        dome=pchip([(-1.36, 0.0), (-1.1, 0.024), (-0.5, 0.036), (-0.1, 0.028), (0.08, 0.0)]),
        caps=(0.9, 0.65, 0.32, 0.0),
        columns=columns,
        steps=steps,
        middle=-0.4,
    )


def body() -> Skin:
    """The painted body with its openings: lamps, the inside below the windows, rear wheel arches."""
    skin = Skin(body_loft().skin())
    skin.region(below(0.250), "plastic_black")
    gaps(skin)
    face = intersection(
        end_view(mirrored([(0.0, 0.475), (0.52, 0.475), (0.545, 0.515), (0.53, 0.605), (0.0, 0.605)]), 0.02), ahead(1.2)
    )
    skin.region(face, "gloss_black")
    head = intersection(end_view([(0.27, 0.492), (0.49, 0.492), (0.49, 0.590), (0.27, 0.590)], 0.015), ahead(1.2))
    lamp(skin, head, "lamp_front", strip=0.011, lenses=[(0.38, 0.541, 0.040)])
    tail = intersection(end_view([(0.44, 0.50), (0.64, 0.50), (0.64, 0.66), (0.44, 0.66)], 0.015), behind(-1.4))
    skin.refine(tail)
    skin.region(tail, "gloss_black")
    skin.region(
        intersection(grown(tail, -0.008), lambda v, a: 0.005 - abs(v[:, 2] - 0.585)), "lamp_rear", of="gloss_black"
    )
    under_cabin = plan_view(
        mirrored(
            [
                (0.0, 0.76),
                (0.32, 0.73),
                (0.50, 0.62),
                (0.58, 0.45),
                (0.595, 0.2),
                (0.595, -1.3),
                (0.52, -1.50),
                (0.0, -1.54),
            ]
        )
    )
    skin.region(intersection(under_cabin, above(0.70)), "plastic_black")
    skin.tub(
        plan_view(
            mirrored(
                [(0.0, 0.66), (0.34, 0.62), (0.50, 0.50), (0.575, 0.2), (0.575, -1.2), (0.50, -1.45), (0.0, -1.50)]
            ),
            0.05,
        ),
        floor=0.28,
    )
    skin.arch(REAR, z=WHEEL.radius + 0.014, radius=0.310, inner=0.34, grow=0.04)
    return skin


def gaps(skin: Skin) -> None:
    """Shut lines of doors, bonnet and hatch."""
    door = side_view(
        [
            (0.60, 1.0),
            (0.62, 0.60),
            (0.58, 0.32),
            (0.48, 0.27),
            (-0.50, 0.27),
            (-0.62, 0.40),
            (-0.64, 0.62),
            (-0.62, 1.0),
        ],
        0.03,
    )
    skin.gap(door, within=intersection(outside(0.52), above(0.26)))
    bonnet = plan_view(
        mirrored([(0.0, 1.48), (0.30, 1.43), (0.44, 1.25), (0.53, 0.85), (0.50, 0.68), (0.0, 0.68)]), 0.04
    )
    skin.gap(bonnet, within=above(0.60))
    gate = end_view(mirrored([(0.0, 0.70), (0.52, 0.70), (0.56, 0.76), (0.56, 1.1), (0.0, 1.1)]), 0.03)
    skin.gap(gate, within=behind(-1.45))


def windows() -> list[Window]:
    """(border, panes) of each window: outline of the dark border, outlines of the glass within."""
    side = u_between(0.80, 2.72)  # u: 0 at the nose, pi at the tail
    border = intersection(
        side_view(
            [(0.52, 0.850), (0.075, 1.240), (-0.50, 1.256), (-1.22, 1.225), (-1.34, 0.900), (-1.30, 0.855)], 0.02
        ),
        side,
    )
    panes = (
        [(0.40, 0.870), (0.06, 1.222), (-0.54, 1.238), (-0.56, 0.870)],
        [(-0.64, 0.870), (-0.62, 1.238), (-1.20, 1.208), (-1.30, 0.905), (-1.28, 0.875)],
    )
    # The windscreen's upper edge follows a row of the loft. Neighbouring rows differ in height by 0.06 m there, but are
    # 0.11 m apart along the glass: the dark border at this edge is almost 0.04 m wide, not 0.02 m.
    front = intersection(u_between(-1.0, 0.600), above(0.835), lambda v, a: 0.06 * (a["row"] - 5.10))
    back = intersection(
        end_view(mirrored([(0.0, 0.880), (0.47, 0.880), (0.485, 0.92), (0.43, 1.205), (0.0, 1.220)]), 0.03),
        behind(-1.2),
    )
    return [
        (border, [intersection(side_view(p, 0.018), side) for p in panes]),
        (front, [grown(front, -0.020)]),
        (back, [grown(back, -0.020)]),
    ]


def cabin() -> Skin:
    """The roof with its windows and lining."""
    skin = Skin(cabin_loft().skin())
    return glaze(skin, Skin(cabin_loft(columns=28, steps=2).skin()), windows())


def details() -> list[Mesh]:
    """Everything on and in the body and cabin, from the mirrors and the bumpers to the interior."""
    parts = [
        *mirrors((0.690, 0.40, 0.86), arm=0.08, eye=EYES["three_wheeler"]),
        tailpipe((-0.36, -1.62, 0.235), radius=0.020),
    ]
    parts += [plate((0, -1.662, 0.47), (0.46, 0.10), PLATE), plate((0, 1.712, 0.34), (0.46, 0.09), PLATE)]
    for y, z, w in ((1.655, 0.405, 0.88), (-1.640, 0.385, 1.18)):  # rubber bumpers
        s = np.sign(y)
        path = [
            (-w / 2 - 0.06, y - s * 0.32, z),
            (-w / 2, y - s * 0.06, z),
            (-0.25, y + s * 0.03, z),
            (0.25, y + s * 0.03, z),
            (w / 2, y - s * 0.06, z),
            (w / 2 + 0.06, y - s * 0.32, z),
        ]
        parts.append(tube(path, 0.040, "plastic_black", 8))
    # on both sides: rub strip, door handle, front indicator
    parts.append(with_mirror_image(box((0.690, -0.02, 0.50), (0.020, 1.36, 0.035), 0.006, "plastic_black")))
    parts.append(with_mirror_image(box((0.690, -0.48, 0.685), (0.022, 0.13, 0.022), 0.007, "chrome")))
    parts.append(with_mirror_image(box((0.45, 1.545, 0.430), (0.10, 0.10, 0.05), 0.01, "lamp_turn")))
    for x0, x1 in ((-0.42, -0.04), (0.04, 0.42)):  # wipers
        parts.append(tube([(x0, 0.70, 0.832), (x1, 0.69, 0.868)], 0.007, "plastic_black", 6))
    return parts + inside()


def inside() -> list[Mesh]:
    """Seats, dashboard, steering column, gear lever, door trim."""
    parts = [seat((x, *SEAT[1:]), "canvas") for x in (SEAT[0], -SEAT[0])]
    parts += [
        pad((0, -0.98, 0.44), (1.00, 0.40, 0.13), 0.05, "canvas"),
        pad((0, -1.22, 0.66), (1.00, 0.12, 0.42), 0.05, "seat", turn_x=0.25),
    ]
    edges = (0.52, 0.76, 0.045), (0.36, 0.75, 0.045), (0.36, 0.64, 0.045)  # back, front and low, see `dashboard`
    parts += dashboard(0.50, *edges, CLUSTERS["three_wheeler"], stack=False)
    parts += [
        tube([(-0.29, 0.34, 0.68), (-0.29, 0.20, 0.74)], 0.015, "plastic_black", 8),
        *gear_lever((0, 0.0, 0.34), height=0.22),
    ]
    return parts + door_cards(0.540, front=0.40, back=-0.58, top=0.835, low=0.40, insert="canvas")


def build() -> Node:
    """The model."""
    lower, upper = body(), cabin()
    glass = upper.take_glass()
    proxy_points = [
        (0.30, 1.52, 0.19),
        (0.42, 1.62, 0.40),
        (0.30, 1.66, 0.50),
        (0.64, 0.90, 0.20),
        (0.64, -1.40, 0.20),
        (0.60, -1.62, 0.28),
        (0.69, 0.70, 0.66),
        (0.46, 1.40, 0.66),
        (0.68, -1.40, 0.78),
        (0.60, -1.62, 0.72),
        (0.48, 0.10, 1.30),
        (0.46, -1.30, 1.30),
    ]
    return tree(
        "three_wheeler",
        stations(),
        [*lower.meshes(), *upper.meshes(), merged(details()), glass],
        proxy_points,
        COLUMN,
        radius=0.17,
        driver=driver(SEAT, COLUMN[0]),
    )
