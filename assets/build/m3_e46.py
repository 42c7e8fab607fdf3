"""A two-door coupe of 2001: 4.49 m long, two kidneys in the nose, a dome in the bonnet, flared arches, a lip on the
boot, four tailpipes.

Lengths are in metres, in the axes of `chassis.py`. The body ends at the belt line; the cabin is a second skin that
grows out of it.
"""

from driving_sandbox.assets.build.chassis import Chassis, tree
from driving_sandbox.assets.build.cockpit import dashboard, door_cards, gear_lever
from driving_sandbox.assets.build.dials import CLUSTERS
from driving_sandbox.assets.build.figure import driver, seat
from driving_sandbox.assets.build.fittings import EYES
from driving_sandbox.assets.build.glb import Node
from driving_sandbox.assets.build.loft import Bulge, Crest, Line, Loft, pchip
from driving_sandbox.assets.build.mesh import Mesh, with_mirror_image
from driving_sandbox.assets.build.parts import box, hull, pad, tube
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

PLATE = "MC 3246"
WHEEL = WheelShape(radius=0.3205, half_width=0.12, rim_radius=0.229, spokes="split", sides=40, disc_radius=0.152)
CHASSIS = Chassis(wheelbase=2.731, track_front=1.508, track_rear=1.525, front=WHEEL, rear=WHEEL, suspension_length=0.34)
FRONT, REAR = CHASSIS.wheelbase / 2, -CHASSIS.wheelbase / 2  # y of the axles
SEAT = (-0.36, -0.40, 0.31)  # x, y, z of the driver's seat, as in figure.seat
COLUMN = ((-0.36, 0.10, 0.82), 0.42)  # position and tilt, rad, of the steering wheel


def body_loft() -> Loft:
    """Shape of the body, from the floor to the belt line."""
    return Loft(
        lines=[  # z, half width, y of nose and tail, superellipse exponents there, share of `profile` added to z
            Line(0.150, 0.72, 1.90, -2.10, 4.4, 5.4),
            Line(0.158, 0.79, 2.03, -2.20, 4.4, 5.4),
            Line(0.205, 0.828, 2.100, -2.270, 4.5, 5.6),
            Line(0.310, 0.845, 2.138, -2.320, 4.6, 5.8),
            Line(0.430, 0.852, 2.150, -2.340, 4.6, 5.8),
            Line(0.550, 0.858, 2.138, -2.342, 4.6, 5.8, 0.2),
            Line(0.670, 0.864, 2.105, -2.330, 4.5, 5.6, 0.5),
            Line(0.770, 0.862, 2.060, -2.312, 4.4, 5.4, 0.8),
            Line(0.800, 0.854, 2.035, -2.302, 4.3, 5.4, 0.85),
            Line(0.862, 0.828, 1.960, -2.270, 4.2, 5.2, 0.95),
            Line(0.902, 0.786, 1.860, -2.225, 4.1, 5.0, 1.0),
        ],
        profile=pchip(
            [(-2.34, 0.048), (-1.6, 0.046), (-0.7, 0.012), (0.5, 0.0), (1.1, -0.028), (1.6, -0.078), (2.15, -0.170)]
        ),
        dome=pchip(
            [
                (-2.22, 0.0),
                (-2.1, 0.018),
                (-1.2, 0.030),
                (0.5, 0.060),
                (1.0, 0.070),
                (1.5, 0.056),
                (1.8, 0.02),
                (1.86, 0),
            ]
        ),
        dome_power=2.6,
        bulges=(Bulge(FRONT + 0.04, 0.40, 0.062), Bulge(REAR, 0.42, 0.068)),
        crests=(
            Crest(0.0, 0.20, 1.25, 0.42, 0.030),  # the dome over the engine
            Crest(0.60, 0.12, 1.25, 0.50, 0.014),
            Crest(0.0, 0.60, -2.16, 0.05, 0.016),  # the lip of the boot
        ),
        columns=46,
        steps=2,
        floor=(0.0, 0.5, 0.93),
    )


def cabin_loft(columns: int = 42, steps: int = 2) -> Loft:
    """Shape of the cabin, from the belt line to the roof; `columns` and `steps` set its mesh's resolution."""
    roof = pchip([(-1.8, -0.10), (-1.15, -0.034), (-0.5, 0.0), (-0.1, 0.003), (0.3, -0.010)])
    return Loft(
        lines=[  # z, half width, y of nose and tail, superellipse exponents there, share of `profile` added to z
            Line(0.872, 0.782, 0.94, -1.84, 5.2, 5.4),
            Line(0.940, 0.768, 0.83, -1.76, 5.2, 5.4),
            Line(1.050, 0.732, 0.61, -1.57, 5.0, 5.2),
            Line(1.175, 0.682, 0.36, -1.36, 4.8, 5.0, 0.4),
            Line(1.280, 0.630, 0.15, -1.17, 4.6, 4.8, 0.9),
            Line(1.335, 0.586, 0.02, -1.05, 4.5, 4.6, 1.0),
            Line(1.362, 0.528, -0.10, -0.94, 4.3, 4.5, 1.0),
        ],
        profile=roof,
        dome=pchip([(-1.05, 0.0), (-0.85, 0.020), (-0.5, 0.030), (-0.2, 0.024), (-0.06, 0.0)]),
        caps=(0.9, 0.65, 0.32, 0.0),
        columns=columns,
        steps=steps,
        middle=-0.45,
    )


def body() -> Skin:
    """The painted body with its openings: lamps, kidneys, air intakes, the inside below the windows, wheel arches."""
    skin = Skin(body_loft().skin())
    skin.region(below(0.205), "plastic_black")
    skin.region(
        intersection(end_view(mirrored([(0.0, 0.1), (0.62, 0.1), (0.55, 0.33), (0.0, 0.33)]), 0.03), behind(-1.85)),
        "plastic_black",
    )
    gaps(skin)
    head = intersection(
        end_view(
            [(0.36, 0.655), (0.46, 0.600), (0.70, 0.595), (0.86, 0.640), (0.85, 0.700), (0.66, 0.705), (0.40, 0.690)],
            0.02,
        ),
        ahead(1.45),
    )
    lamp(skin, head, "lamp_front", strip=0.009, lenses=[(0.500, 0.648, 0.042), (0.655, 0.652, 0.042)])
    kidney = end_view([(0.022, 0.612), (0.225, 0.606), (0.275, 0.640), (0.258, 0.692), (0.032, 0.698)], 0.012)
    skin.recess(intersection(kidney, ahead(1.5)), shift=(0, -0.03, 0), wall="chrome")
    duct = end_view([(0.62, 0.250), (0.76, 0.270), (0.77, 0.395), (0.63, 0.415)], 0.02)
    skin.recess(intersection(duct, ahead(1.5)), shift=(0, -0.03, 0), wall="plastic_black")
    mouth = end_view(mirrored([(0.0, 0.245), (0.46, 0.245), (0.54, 0.31), (0.50, 0.425), (0.0, 0.435)]), 0.03)
    skin.recess(intersection(mouth, ahead(1.7)), shift=(0, -0.06, 0), wall="plastic_black")
    tail = intersection(
        end_view([(0.46, 0.720), (0.80, 0.690), (0.90, 0.715), (0.90, 0.845), (0.74, 0.868), (0.47, 0.850)], 0.03),
        behind(-1.95),
    )
    skin.refine(tail)
    skin.region(tail, "gloss_black")
    skin.region(grown(tail, -0.008), "lamp_rear", of="gloss_black")
    for low, high, material in ((0.758, 0.778, "lamp_reverse"), (0.800, 0.850, "lamp_turn")):
        skin.region(intersection(grown(tail, -0.016), above(low), below(high)), material, of="lamp_rear")
    skirt = intersection(end_view(mirrored([(0.0, 0.60), (0.95, 0.60), (0.95, 0.2), (0.0, 0.2)]), 0.02), behind(-1.95))
    skin.gap(skirt, within=intersection(behind(-2.0), above(0.45)))
    gill = intersection(side_view([(0.93, 0.640), (0.72, 0.630), (0.72, 0.590), (0.92, 0.595)], 0.01), outside(0.6))
    skin.refine(gill)
    skin.region(gill, "gloss_black")
    under_cabin = plan_view(
        mirrored(
            [
                (0.0, 0.84),
                (0.40, 0.80),
                (0.62, 0.70),
                (0.715, 0.52),
                (0.735, 0.12),
                (0.735, -1.35),
                (0.64, -1.66),
                (0.0, -1.74),
            ]
        )  # fmt: skip
    )
    skin.region(intersection(under_cabin, above(0.79)), "plastic_black")
    skin.tub(
        plan_view(
            mirrored(
                [(0.0, 0.72), (0.50, 0.68), (0.66, 0.50), (0.715, 0.12), (0.715, -1.25), (0.60, -1.56), (0, -1.62)]
            ),
            0.06,
        ),
        floor=0.28,
    )
    for y in (FRONT, REAR):
        skin.arch(y, z=WHEEL.radius + 0.022, radius=0.398, inner=0.42, grow=0.05)
    return skin


def gaps(skin: Skin) -> None:
    """Shut lines of doors, bonnet, boot and bumpers."""
    door = side_view(
        [(0.66, 1.1), (0.69, 0.66), (0.66, 0.32), (0.56, 0.255), (-0.62, 0.255), (-0.78, 0.40), (-0.84, 0.70),
         (-0.82, 1.1)], 0.03,
    )  # fmt: skip
    skin.gap(door, within=intersection(outside(0.64), above(0.23)))
    bonnet = plan_view(
        mirrored([(0.0, 1.93), (0.36, 1.90), (0.60, 1.78), (0.69, 1.45), (0.72, 0.78), (0.65, 0.60), (0.0, 0.60)]), 0.05
    )
    skin.gap(bonnet, within=above(0.62))
    boot = plan_view(mirrored([(0.0, -1.70), (0.58, -1.68), (0.68, -1.85), (0.68, -2.20), (0.0, -2.24)]), 0.05)
    skin.gap(boot, within=above(0.76))
    # bumper shut lines, at y at height 0.42 m, inclined by 0.35 m per m
    for y, view in ((1.80, ahead), (-1.90, behind)):
        line = view(y)
        skin.gap(
            lambda v, a, line=line: line(v, a) + 0.35 * (0.42 - v[:, 2]),
            within=intersection(outside(0.64), below(0.58)),
        )


def windows() -> list[Window]:
    """(border, panes) of each window: outline of the dark border, outlines of the glass within."""
    side = u_between(0.80, 2.60)  # u: 0 at the nose, pi at the tail
    border = intersection(
        side_view([(0.60, 0.957), (-0.01, 1.322), (-0.50, 1.342), (-0.92, 1.300), (-1.34, 1.02), (-1.30, 0.968)], 0.02),
        side,
    )
    panes = (  # door, behind it
        [(0.45, 0.977), (0.0, 1.304), (-0.50, 1.324), (-0.53, 0.980)],
        [(-0.60, 0.980), (-0.57, 1.322), (-0.90, 1.284), (-1.25, 1.03), (-1.22, 0.985)],
    )
    # The upper edges of windscreen and rear window follow the loft's control rows, which are about 0.06 m apart: that
    # turns the row number into metres.
    front = intersection(u_between(-1.0, 0.600), above(0.937), lambda v, a: 0.06 * (a["row"] - 5.10))
    back = intersection(u_between(2.62, 4.0), above(0.957), lambda v, a: 0.06 * (a["row"] - 5.0))
    return [
        (border, [intersection(side_view(p, 0.02), side) for p in panes]),
        (front, [grown(front, -0.022)]),
        (back, [grown(back, -0.022)]),
    ]


def cabin() -> Skin:
    """The roof with its windows and lining."""
    skin = Skin(cabin_loft().skin())
    return glaze(skin, Skin(cabin_loft(columns=30, steps=2).skin()), windows())


def details() -> list[Mesh]:
    """Everything on and in the body and cabin: mirrors, exhausts, sills, plates, wipers, interior."""
    parts = [*mirrors((0.830, 0.42, 0.97), arm=0.10, eye=EYES["m3_e46"])]
    parts += [with_mirror_image(tailpipe((x, -2.30, 0.250), radius=0.034)) for x in (0.40, 0.49)]
    parts += [plate((0, -2.352, 0.66), (0.50, 0.11), PLATE), plate((0, 2.160, 0.47), (0.48, 0.10), PLATE)]
    for z, y in ((0.29, 2.07), (0.34, 2.085), (0.39, 2.09)):  # bars of the air intake
        parts.append(box((0, y, z), (0.92, 0.012, 0.014), 0.004, "gloss_black"))
    for x in (0.07, 0.11, 0.15, 0.19, 0.23):  # bars of the kidneys
        parts.append(with_mirror_image(box((x, 2.085 - 0.10 * x, 0.652), (0.008, 0.014, 0.086), 0.002, "gloss_black")))
    sill = [(x, y, z) for y, z in ((0.92, 0.150), (-0.92, 0.150), (-0.92, 0.215), (0.92, 0.215)) for x in (0.78, 0.868)]
    parts.append(with_mirror_image(hull(sill, "paint")))
    parts.append(with_mirror_image(box((0.866, -0.60, 0.80), (0.024, 0.17, 0.024), 0.008, "paint")))  # door handles
    for x0, x1 in ((-0.60, -0.05), (0.02, 0.58)):  # wipers
        parts.append(tube([(x0, 0.78, 0.937), (x1, 0.76, 0.977)], 0.008, "plastic_black", 6))
    parts.append(box((0, 0.76, 0.927), (1.14, 0.12, 0.012), 0.004, "plastic_black"))  # cowl
    return parts + inside()


def inside() -> list[Mesh]:
    """Seats, dashboard, console, door trim."""
    parts = [seat((x, *SEAT[1:])) for x in (SEAT[0], -SEAT[0])]
    parts += [  # rear bench
        pad((0, -1.06, 0.48), (1.08, 0.44, 0.14), 0.06, "seat"),
        pad((0, -1.32, 0.74), (1.08, 0.14, 0.48), 0.06, "seat", turn_x=0.35),
    ]
    parts += dashboard(
        0.63, back=(0.53, 0.85, 0.05), front=(0.30, 0.84, 0.07), low=(0.30, 0.68, 0.06), cluster=CLUSTERS["m3_e46"]
    )
    parts += [  # console, gear lever, parcel shelf, mirror
        box((0, -0.06, 0.42), (0.22, 0.95, 0.25), 0.03),
        *gear_lever((0, 0.02, 0.545)),
        box((0, -1.56, 0.88), (1.12, 0.30, 0.03), 0.01),
        *inner_mirror(y=0.14, z=1.265, eye=EYES["m3_e46"]),
    ]
    return parts + door_cards(0.68, front=0.36, back=-0.70, top=0.925, low=0.42)


def build() -> Node:
    """The model."""
    lower, upper = body(), cabin()
    glass = upper.take_glass()
    proxy_points = [
        (0.76, 1.80, 0.14), (0.45, 2.14, 0.18), (0.87, 1.25, 0.14), (0.88, -1.90, 0.15), (0.72, -2.32, 0.22),
        (0.88, 0.9, 0.78), (0.85, 1.78, 0.66), (0.45, 2.11, 0.60), (0.86, -2.10, 0.90), (0.57, 0.00, 1.36),
        (0.53, -0.98, 1.35), (0.68, -2.27, 0.95),
    ]  # fmt: skip
    return tree(
        "m3_e46",
        CHASSIS,
        [*lower.meshes(), *upper.meshes(), merged(details()), glass],
        proxy_points,
        COLUMN,
        driver=driver(SEAT, COLUMN[0]),
    )
