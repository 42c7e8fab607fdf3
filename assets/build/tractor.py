"""A six-wheel tractor for semi-trailers: long cab, short frame, fifth wheel over the tandem; 6.8 m long.

Lengths are in metres, in the axes of `chassis.py`, the origin midway between front axle and tandem.
"""

from driving_sandbox.assets.build.axles import SINGLE, TWIN, Axle, tree
from driving_sandbox.assets.build.glb import Node
from driving_sandbox.assets.build.lorry import (
    cab,
    cab_driver,
    fifth_wheel,
    joined,
    ladder,
    mudguard,
    side_guards,
    tail,
    tank,
)
from driving_sandbox.assets.build.mesh import with_mirror_image
from driving_sandbox.assets.build.parts import box, tube

FRONT = 3.24  # y of the bumper
AXLES = (Axle(1.885, track=2.04, shape=SINGLE), Axle(-1.21, track=1.84, shape=TWIN),
         Axle(-2.56, track=1.84, shape=TWIN))  # fmt: skip
COLUMN = ((-0.62, FRONT - 0.62, 1.78), 0.75)  # position and tilt, rad, of the steering wheel


def build() -> Node:
    """The model."""
    parts = [*cab(FRONT), *ladder(FRONT - 0.4, -3.35), *fifth_wheel(-1.55, height=1.18), *tail(-3.40, top=1.0)]
    parts += [mudguard(1.885, half_track=1.04, radius=0.575, material="paint", half_width=0.19, half_angle=1.5)]
    parts += side_guards(0.62, -0.50)
    for axle in AXLES[1:]:
        parts.append(mudguard(axle.y, half_track=0.92, radius=0.565, half_width=0.29, half_angle=0.8))
    for side in (-1, 1):
        parts += tank(0.05, length=1.10, side=side)
    parts.append(box((0, 0.72, 1.06), (0.9, 0.30, 0.10), 0.02, "disc"))  # plate on the frame, below the cab's rear wall
    stack = tube([(0.98, FRONT - 2.42, 0.9), (0.98, FRONT - 2.42, 3.35)], 0.065, "chrome", 16)  # exhaust
    parts.append(with_mirror_image(stack))
    proxy = [  # x, y, z, m, of the right half of the collision hull; mirrored
        (1.20, FRONT + 0.06, 0.42),
        (1.20, FRONT, 1.30),
        (1.12, FRONT - 0.34, 2.75),
        (1.08, FRONT - 1.30, 3.40),
        (1.08, FRONT - 2.16, 3.66),
        (1.20, FRONT - 2.60, 3.20),
        (1.20, FRONT - 2.66, 0.45),
        (1.15, -3.40, 1.05),
        (1.15, -3.42, 0.52),
    ]
    return tree("tractor", AXLES, joined(parts), proxy, COLUMN, cab_driver(FRONT, COLUMN[0]))
