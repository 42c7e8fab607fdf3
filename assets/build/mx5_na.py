"""A small open two-seater of 1994: 3.95 m long, oval mouth, retracted headlamps, oval rear lamps, folded top.

Lengths are in metres, in the axes of `chassis.py`. Shape, doors, windscreen and proxy are the roadster's, which has
the same dimensions.
"""

from driving_sandbox.assets.build import roadster
from driving_sandbox.assets.build.chassis import Chassis
from driving_sandbox.assets.build.cockpit import dashboard, door_cards, gear_lever
from driving_sandbox.assets.build.dials import CLUSTERS
from driving_sandbox.assets.build.figure import seat
from driving_sandbox.assets.build.fittings import EYES
from driving_sandbox.assets.build.glb import Node
from driving_sandbox.assets.build.mesh import Mesh, with_mirror_image
from driving_sandbox.assets.build.parts import box, cushion, pad
from driving_sandbox.assets.build.skin import (
    Skin,
    above,
    ahead,
    behind,
    below,
    end_view,
    grown,
    intersection,
    mirrored,
    plan_view,
)
from driving_sandbox.assets.build.trim import lamp, mirrors, plate, tailpipe
from driving_sandbox.assets.build.wheel import WheelShape

PLATE = "NA 1839"
WHEEL = WheelShape(radius=0.280, half_width=0.0925, rim_radius=0.190, spokes="five", sides=40, disc_radius=0.125)
CHASSIS = Chassis(wheelbase=2.265, track_front=1.41, track_rear=1.43, front=WHEEL, rear=WHEEL, suspension_length=0.30)


def body() -> Skin:
    """The painted body with its openings: mouth, lids of the headlamps, cockpit, wheel arches."""
    skin = Skin(roadster.body_loft().skin())
    skin.region(below(0.190), "plastic_black")
    roadster.gaps(skin)
    mouth = end_view(
        mirrored(
            [(0.0, 0.292), (0.20, 0.294), (0.335, 0.318), (0.375, 0.362), (0.320, 0.402), (0.18, 0.420), (0, 0.424)]
        ),
        0.03,
    )
    skin.recess(intersection(mouth, ahead(1.4)), shift=(0, -0.09, 0), wall="paint", back="plastic_black")
    lids = intersection(
        plan_view([(0.355, 1.56), (0.375, 1.74), (0.60, 1.68), (0.645, 1.60), (0.645, 1.50), (0.42, 1.50)], 0.03),
        above(0.45),
    )
    skin.gap(lids, within=above(0.45))
    lights = intersection(
        end_view([(0.43, 0.425), (0.46, 0.408), (0.66, 0.425), (0.735, 0.455), (0.72, 0.488), (0.50, 0.470)], 0.02),
        ahead(1.2),
    )
    lamp(skin, lights, "lamp_front", strip=0.006, lenses=[(0.500, 0.440, 0.020)])
    skin.region(intersection(grown(lights, -0.008), lambda v, a: 0.60 - abs(v[:, 0])), "lamp_turn", of="lamp_front")
    tail = intersection(
        end_view([(0.435, 0.560), (0.50, 0.530), (0.70, 0.535), (0.785, 0.585), (0.76, 0.655), (0.65, 0.690),
                  (0.50, 0.675), (0.44, 0.625)], 0.05),
        behind(-1.5),
    )  # fmt: skip
    lamp(skin, tail, "lamp_rear", strip=0.010, lenses=[(0.560, 0.606, 0.046)])
    skin.region(intersection(grown(tail, -0.012), above(0.640)), "lamp_turn", of="lamp_rear")
    skin.tub(
        plan_view(
            mirrored([(0.0, 0.52), (0.40, 0.47), (0.60, 0.30), (0.615, -0.60), (0.50, -0.83), (0.0, -0.88)]), 0.05
        ),
        floor=0.27,
    )
    for y in (roadster.FRONT, roadster.REAR):
        skin.arch(y, z=roadster.WHEEL.radius + 0.014, radius=0.350, inner=0.42, grow=0.035)
    return skin


def details() -> list[Mesh]:
    """Everything on and in the body but the windscreen: mirrors, exhaust, plates, folded top, interior."""
    parts = mirrors((0.80, 0.40, 0.83), arm=0.10, eye=EYES["mx5_na"])
    parts += [tailpipe((0.42, -1.945, 0.235), radius=0.026)]
    parts += [plate((0, -2.022, 0.50), (0.44, 0.11), PLATE), plate((0, 1.945, 0.235), (0.40, 0.085), PLATE)]
    top = [(s * 0.54, y, z, r) for s in (-1, 1) for y, z, r in ((-0.90, 0.84, 0.060), (-1.10, 0.86, 0.055))]
    parts += [cushion(top, "plastic_black"), pad((0, -0.90, 0.70), (1.00, 0.10, 0.22), 0.04, "seat")]
    parts += [seat((x, roadster.SEAT[1], roadster.SEAT[2]), "cloth") for x in (-0.34, 0.34)]
    parts += dashboard(
        0.53, back=(0.42, 0.76, 0.05), front=(0.30, 0.74, 0.06), low=(0.30, 0.62, 0.05), cluster=CLUSTERS["mx5_na"]
    )
    parts += [
        box((0, -0.15, 0.38), (0.20, 0.95, 0.20), 0.03),
        *gear_lever((0, -0.02, 0.48)),
        *door_cards(0.59, front=0.26, back=-0.52, top=0.70, low=0.34, material="seat", insert="seat"),
    ]
    parts.append(with_mirror_image(box((0.815, -0.44, 0.655), (0.022, 0.10, 0.022), 0.008, "chrome")))
    return parts


def build() -> Node:
    """The model."""
    return roadster.build("mx5_na", body=body(), own=details(), chassis=CHASSIS, clothes=None)
