"""An open patrol car on the off-roader's lower body: folding windscreen, roll-over bar, spare wheel upright
at the rear, jerrycans, five-spoked wheels.

Lengths are in metres, in the axes of `chassis.py`.
"""

import numpy as np

from driving_sandbox.assets.build import offroader
from driving_sandbox.assets.build.chassis import Chassis, tree
from driving_sandbox.assets.build.cockpit import door_cards
from driving_sandbox.assets.build.figure import CLOTHES, driver
from driving_sandbox.assets.build.fittings import EYES
from driving_sandbox.assets.build.glb import Node
from driving_sandbox.assets.build.mesh import Mesh, seen_from, with_mirror_image
from driving_sandbox.assets.build.parts import box, hull, pad, smooth_path, tube
from driving_sandbox.assets.build.skin import merged
from driving_sandbox.assets.build.trim import mirrors, plate
from driving_sandbox.assets.build.wheel import WheelShape, wheel

PLATE = "W 1943"
WHEEL = WheelShape(
    radius=0.40,
    half_width=0.115,
    rim_radius=0.215,
    spokes="five",
    tread="knobs",
    sides=36,
    disc_radius=0.143,
    caliper_material="disc",
)
CHASSIS = Chassis(
    wheelbase=2.95,
    track_front=1.64,
    track_rear=1.64,
    front=WHEEL,
    rear=WHEEL,
    suspension_length=0.40,
    spring_top=(-0.10, 0.36),
    spring_radius=0.05,
)
BELT = 1.09  # z of the body's upper edge
RAKE = 0.20  # m, distance of the windscreen's top behind its foot


def windscreen() -> list[Mesh]:
    """Frame and pane, from the scuttle up."""
    low, high, edge = 1.12, 1.625, 0.04  # z of the pane's foot and of the frame's top, chamfer of its upper corners

    def at(z):
        """y of the windscreen at height z."""
        return 0.92 - RAKE * (z - BELT) / (1.62 - BELT)

    side = [(0.70, BELT), (0.665, high - edge), (0.665 - edge, high)]
    frame = [(x, at(z), z) for x, z in side] + [(-x, at(z), z) for x, z in side[::-1]]
    pane = hull(
        [(s * x, at(z) + d, z) for s in (-1, 1) for x, z in ((0.70, low), *side[1:]) for d in (0.0, 0.008)], "glass"
    )
    pane = seen_from(pane, 1)
    rail = tube([(-0.69, at(low), low), (0.69, at(low), low)], 0.016, "frame", 8)
    return [tube(frame, 0.022, "frame", 8), rail, pane]


def roll_bar() -> list[Mesh]:
    """A hoop behind the front seats with stays to the rear."""
    hoop = smooth_path(
        [
            (0.70, -0.42, 0.60),
            (0.70, -0.42, 1.40),
            (0.60, -0.42, 1.68),
            (0.0, -0.42, 1.72),
            (-0.60, -0.42, 1.68),
            (-0.70, -0.42, 1.40),
            (-0.70, -0.42, 0.60),
        ],
        4,
    )
    parts = [tube(hoop, 0.032, "frame", 10)]
    parts.append(with_mirror_image(tube([(0.62, -0.43, 1.62), (0.66, -1.75, 0.95)], 0.024, "frame", 8)))
    parts.append(tube([(-0.68, -0.42, 1.20), (0.68, -0.42, 1.20)], 0.022, "frame", 8))
    return parts


def load() -> list[Mesh]:
    """A spare wheel, two cans, a rolled canvas behind the feet of the roll bar's stays."""
    spare = wheel(
        WheelShape(radius=0.38, half_width=0.11, rim_radius=0.215, spokes="five", tread="knobs", sides=24, knobs=14)
    )
    parts = [spare.turned(2, -np.pi / 2).moved(0.0, -2.40, 1.02)]
    for x in (-0.62, 0.62):
        parts += [
            box((x, -2.34, 0.98), (0.34, 0.16, 0.46), 0.03, "paint"),
            box((x, -2.34, 1.225), (0.16, 0.05, 0.04), 0.012, "plastic_black"),
            box((x, -2.33, 0.98), (0.36, 0.17, 0.04), 0.01, "frame"),
        ]
    parts.append(pad((0.0, -1.92, 1.02), (1.40, 0.30, 0.28), 0.13, "seat"))
    return parts


def details() -> list[Mesh]:
    """Everything on and in the body: parts of the off-roader, windscreen, roll bar, load, frame, axles."""
    parts = [
        *offroader.flares(),
        *offroader.front_end(),
        *offroader.inside(),
        *windscreen(),
        *roll_bar(),
        *load(),
        *mirrors((0.80, 0.84, 1.17), arm=0.06, eye=EYES["patrol"]),
        *door_cards(0.765, front=0.64, back=-1.06, top=1.075, low=0.60, material="paint", insert="canvas"),
    ]
    parts += [box((0, -2.29, 0.58), (1.80, 0.14, 0.15), 0.03), plate((0.0, -2.268, 0.66), (0.30, 0.12), PLATE)]
    for x in (-0.30, 0.30):  # frame below the body
        parts.append(box((x, 0, 0.41), (0.10, 4.2, 0.12), 0.02))
    for y in (offroader.FRONT, offroader.REAR):
        parts.append(with_mirror_image(tube([(0.0, y, 0.38), (0.75, y, 0.38)], 0.05, "plastic_black", 8)))
    return parts


def build() -> Node:
    """The model."""
    proxy_points = [
        (0.88, 2.20, 0.52),
        (0.88, -2.30, 0.52),
        (0.60, 2.16, 0.40),
        (0.70, -2.16, 0.40),
        (0.86, -1.0, 0.40),
        (0.86, 1.0, 0.40),
        (0.88, 2.05, 1.02),
        (0.88, -2.24, 1.05),
        (0.70, 0.72, 1.64),
        (0.62, -0.42, 1.75),
        (0.42, 2.33, 0.85),
        (0.36, -2.50, 0.75),
        (0.36, -2.50, 1.25),
    ]
    return tree(
        "patrol",
        CHASSIS,
        [*offroader.body().meshes(), merged(details())],
        proxy_points,
        offroader.COLUMN,
        driver=driver(offroader.SEAT, offroader.COLUMN[0], worn=CLOTHES["patrol"]),
    )
