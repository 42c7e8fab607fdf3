"""A four-wheel trailer: box body on two axles close together, stiff drawbar; 8.4 m long including the drawbar.

Lengths are in metres, in the axes of `chassis.py`, the origin midway between the axles.
"""

from driving_sandbox.assets.build.axles import WIDE, Axle, tree
from driving_sandbox.assets.build.glb import Node
from driving_sandbox.assets.build.lorry import cargo_box, joined, ladder, mudguard, side_guards, tail
from driving_sandbox.assets.build.parts import cushion, tube

AXLES = (Axle(0.68, track=2.04, shape=WIDE, rail=0.55), Axle(-0.68, track=2.04, shape=WIDE, rail=0.55))
HITCH = (0.0, 5.20, 0.72)  # x, y, z of the drawbar's eye


def build() -> Node:
    """The model."""
    parts = [*ladder(3.2, -3.0, top=1.06, half=0.55), *cargo_box(3.35, -3.15, bottom=1.14, top=3.60)]
    parts += tail(-3.05, top=1.06, half=0.55)
    parts += [*side_guards(3.1, 1.5, low=0.46, high=1.0), *side_guards(-1.5, -2.9, low=0.46, high=1.0)]
    for side in (-1, 1):
        parts.append(tube([(side * 0.55, 2.6, 0.86), (side * 0.40, 3.4, 0.74), (0.0, 5.02, 0.72)], 0.075, "frame", 8))
    parts += [
        tube([(0.0, 4.2, 0.72), (0.0, 5.12, 0.72)], 0.06, "frame", 8),
        tube([(0.0, 3.9, 0.74), (0.0, 3.9, 0.30)], 0.05, "frame", 8),
        cushion([(*HITCH, 0.08)], "disc", 12),
    ]
    for axle in AXLES:
        parts.append(mudguard(axle.y, half_track=1.02, radius=0.57, half_width=0.21, half_angle=0.78))
    proxy = [
        (1.25, 3.35, 3.60),
        (1.25, -3.15, 3.60),
        (1.25, 3.35, 1.14),
        (1.25, -3.15, 1.14),
        (1.2, -3.1, 0.5),
        (1.2, 3.1, 0.5),
        (0.06, 5.10, 0.66),
        (0.06, 5.10, 0.78),
    ]
    return tree("central_axle_trailer", AXLES, joined(parts), proxy)
