"""Track-day version of the roadster: a rear wing and a front splitter, with the sizes of its vehicle file.

Lengths are in metres, in the axes of `chassis.py`.
"""

from driving_sandbox.assets.build import roadster
from driving_sandbox.assets.build.glb import Node
from driving_sandbox.assets.build.mesh import Mesh, with_mirror_image
from driving_sandbox.assets.build.parts import hull

HALF_SPAN = 0.65  # half the width of the wing
CHORD = ((-1.625, 1.065), (-1.70, 1.062), (-1.874, 1.108), (-1.876, 1.116), (-1.70, 1.092), (-1.64, 1.080))  # y, z
SPLITTER = ((0.70, 1.50), (0.62, 1.78), (0.36, 1.94), (0.0, 1.985))  # x, y of the splitter's right half


def wings() -> list[Mesh]:
    """The rear wing, a blade between end plates on two posts, and the splitter, a flat plate."""
    blade = [(s * HALF_SPAN, y, z) for s in (-1, 1) for y, z in CHORD]
    plate = [(x, y, z) for x in (HALF_SPAN - 0.004, HALF_SPAN + 0.006)
             for y, z in ((-1.58, 1.13), (-1.89, 1.15), (-1.89, 1.02), (-1.64, 1.01))]  # fmt: skip
    post = [(x, y, z) for x in (0.37, 0.385)
            for y, z in ((-1.55, 0.66), (-1.74, 0.66), (-1.82, 1.085), (-1.68, 1.070))]  # fmt: skip
    splitter = [(s * x, y, z) for s in (-1, 1) for x, y in SPLITTER for z in (0.118, 0.130)]
    return [
        hull(blade, "gloss_black"),
        *(with_mirror_image(hull(each, "gloss_black")) for each in (plate, post)),
        hull(splitter),
    ]


def build() -> Node:
    """The model."""
    return roadster.build("track_roadster", wings())
