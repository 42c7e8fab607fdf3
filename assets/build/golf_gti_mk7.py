"""A compact hatchback of 2015: 4.27 m long, a red line below the grille, three fins beside the intake, two tailpipes.

Lengths are in metres, in the axes of `chassis.py`. The body is the hatchback's, which has the same dimensions.
"""

from driving_sandbox.assets.build import hatchback
from driving_sandbox.assets.build.chassis import Chassis
from driving_sandbox.assets.build.glb import Node
from driving_sandbox.assets.build.mesh import Mesh, with_mirror_image
from driving_sandbox.assets.build.parts import tube
from driving_sandbox.assets.build.wheel import WheelShape

WHEEL = WheelShape(
    radius=0.309,
    half_width=0.1125,
    rim_radius=0.229,
    spokes="five",
    sides=40,
    disc_radius=0.156,
)
CHASSIS = Chassis(wheelbase=2.631, track_front=1.538, track_rear=1.516, front=WHEEL, rear=WHEEL, suspension_length=0.34)
RED_LINE = (  # x, y, z along the lower edge of the grille
    (0.0, 2.150, 0.648),
    (0.20, 2.144, 0.648),
    (0.385, 2.112, 0.650),
)
FIN = ((0.60, 2.040), (0.66, 1.985), (0.72, 1.915), (0.76, 1.850))  # x, y of a fin, along the bumper beside the intake
FIN_HEIGHTS = (0.305, 0.340, 0.375)  # z of the fins


def lines() -> list[Mesh]:
    """The red line and the fins beside the intake."""
    parts = [with_mirror_image(tube(list(RED_LINE), 0.0055, "caliper", 6))]
    return parts + [with_mirror_image(tube([(x, y, z) for x, y in FIN], 0.007, "gloss_black", 6)) for z in FIN_HEIGHTS]


def build() -> Node:
    """The model."""
    return hatchback.build("golf_gti_mk7", lines(), CHASSIS)
