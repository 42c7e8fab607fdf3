"""A three-axle lorry: cab over the front axle, box body, twin tires on a tandem; 8.3 m long.

Lengths are in metres, in the axes of `chassis.py`, the origin midway between front axle and tandem.
"""

from driving_sandbox.assets.build.axles import SINGLE, TWIN, Axle, tree
from driving_sandbox.assets.build.glb import Node
from driving_sandbox.assets.build.lorry import (
    cab,
    cab_driver,
    cargo_box,
    joined,
    ladder,
    mudguard,
    side_guards,
    tail,
    tank,
)
from driving_sandbox.assets.build.parts import box, hull

FRONT = 3.65  # y of the bumper
AXLES = (Axle(2.30, track=2.04, shape=SINGLE), Axle(-1.625, track=1.84, shape=TWIN),
         Axle(-2.975, track=1.84, shape=TWIN))  # fmt: skip
COLUMN = ((-0.62, FRONT - 0.62, 1.78), 0.75)  # position and tilt, rad, of the steering wheel


def build() -> Node:
    """The model."""
    parts = [*cab(FRONT), *ladder(FRONT - 0.4, -4.25), *cargo_box(1.10, -4.40, bottom=1.06, top=3.55)]
    parts += [mudguard(2.30, half_track=1.04, radius=0.575, material="paint", half_width=0.19, half_angle=1.5)]
    parts += [*tail(-4.30, top=1.0), *side_guards(0.95, -0.80)]
    for axle in AXLES[1:]:
        parts.append(mudguard(axle.y, half_track=0.92, radius=0.565, half_width=0.29, half_angle=1.0))
    battery_box = box((0.84, 0.45, 0.68), (0.50, 0.80, 0.44), 0.03)
    side_view = ((-4.20, 0.64), (-4.34, 0.66), (-4.34, 0.78), (-4.20, 0.84))  # y, z
    drawbar_coupling = hull([(x, y, z) for x in (-0.14, 0.14) for y, z in side_view], "frame")
    parts += [*tank(0.35, length=1.05, side=-1), battery_box, drawbar_coupling]
    proxy = [  # x, y, z, m, of the right half of the collision hull; mirrored
        (1.20, FRONT + 0.06, 0.42),
        (1.20, FRONT, 1.30),
        (1.12, FRONT - 0.34, 2.75),
        (1.24, 0.9, 3.55),
        (1.25, -4.40, 3.55),
        (1.25, -4.40, 1.10),
        (1.15, -4.36, 0.50),
        (1.22, 0.9, 0.42),
        (0.5, -2.3, 0.62),
    ]
    return tree("truck", AXLES, joined(parts), proxy, COLUMN, cab_driver(FRONT, COLUMN[0]))
