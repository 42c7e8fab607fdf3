"""A two-door all-wheel-drive coupe: 4.6 m long, square shoulders, round rear lamps, wide grille, a wing on the boot.

Lengths are in metres, in the axes of `chassis.py`. The body ends at the belt line; the cabin is a second skin that
grows out of it.
"""

from driving_sandbox.assets.build.chassis import Chassis, tree
from driving_sandbox.assets.build.cockpit import dashboard, door_cards, gear_lever
from driving_sandbox.assets.build.dials import CLUSTERS
from driving_sandbox.assets.build.figure import CLOTHES, driver, seat
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
    inboard,
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

PLATE = "GT 0814"
WHEEL = WheelShape(radius=0.327, half_width=0.1225, rim_radius=0.232, spokes="split", sides=40, disc_radius=0.157)
CHASSIS = Chassis(wheelbase=2.665, track_front=1.48, track_rear=1.49, front=WHEEL, rear=WHEEL, suspension_length=0.34)
FRONT, REAR = CHASSIS.wheelbase / 2, -CHASSIS.wheelbase / 2  # y of the axles
SEAT = (-0.36, -0.36, 0.29)  # x, y, z of the driver's seat, as in figure.seat
COLUMN = ((-0.36, 0.14, 0.80), 0.42)  # position and tilt, rad, of the steering wheel


def body_loft() -> Loft:
    """Shape of the body, from the floor to the belt line."""
    return Loft(
        lines=[  # z, half width, y of nose and tail, superellipse exponents there, share of `profile` added to z
            Line(0.150, 0.74, 2.00, -2.05, 5.0, 5.6),
            Line(0.158, 0.81, 2.13, -2.16, 5.0, 5.6),
            Line(0.205, 0.850, 2.205, -2.235, 5.2, 5.8),
            Line(0.310, 0.866, 2.240, -2.285, 5.4, 6.0),
            Line(0.430, 0.872, 2.252, -2.305, 5.4, 6.0),
            Line(0.550, 0.878, 2.246, -2.310, 5.4, 6.0, 0.2),
            Line(0.670, 0.884, 2.222, -2.305, 5.2, 6.0, 0.5),
            Line(0.760, 0.884, 2.190, -2.295, 5.0, 6.0, 0.8),
            Line(0.788, 0.876, 2.170, -2.290, 5.0, 6.0, 0.85),
            Line(0.845, 0.852, 2.110, -2.270, 4.8, 5.6, 0.95),
            Line(0.880, 0.810, 2.020, -2.235, 4.6, 5.2, 1.0),
        ],
        profile=pchip(
            [(-2.31, 0.030), (-1.5, 0.040), (-0.6, 0.010), (0.6, 0.0), (1.2, -0.030), (1.8, -0.085), (2.25, -0.150)]
        ),
        dome=pchip(
            [
                (-2.23, 0.0),
                (-2.1, 0.020),
                (-1.2, 0.030),
                (0.6, 0.060),
                (1.1, 0.066),
                (1.6, 0.052),
                (1.9, 0.024),
                (2.02, 0.0),
            ]
        ),
        dome_power=2.8,
        bulges=(Bulge(FRONT + 0.04, 0.42, 0.048), Bulge(REAR, 0.44, 0.052)),
        crests=(Crest(0.66, 0.12, 1.30, 0.55, 0.014), Crest(0.30, 0.10, 1.3, 0.60, 0.010)),
        columns=54,
        steps=2,
        floor=(0.0, 0.5, 0.93),
    )


def cabin_loft(columns: int = 48, steps: int = 2) -> Loft:
    """Shape of the cabin, from the belt line to the roof; `columns` and `steps` set its mesh's resolution."""
    roof = pchip([(-1.7, -0.10), (-1.1, -0.030), (-0.5, 0.0), (-0.1, 0.003), (0.3, -0.010)])
    return Loft(
        lines=[  # z, half width, y of nose and tail, superellipse exponents there, share of `profile` added to z
            Line(0.850, 0.800, 1.02, -1.80, 5.4, 5.6),
            Line(0.915, 0.785, 0.90, -1.72, 5.4, 5.6),
            Line(1.020, 0.745, 0.68, -1.52, 5.2, 5.4),
            Line(1.140, 0.695, 0.43, -1.30, 5.0, 5.2, 0.4),
            Line(1.240, 0.645, 0.22, -1.11, 4.8, 5.0, 0.9),
            Line(1.292, 0.600, 0.09, -0.99, 4.6, 4.8, 1.0),
            Line(1.318, 0.540, -0.03, -0.88, 4.4, 4.6, 1.0),
        ],
        profile=roof,
        dome=pchip([(-1.0, 0.0), (-0.8, 0.020), (-0.45, 0.032), (-0.15, 0.026), (0.0, 0.0)]),
        caps=(0.9, 0.65, 0.32, 0.0),
        columns=columns,
        steps=steps,
        middle=-0.4,
    )


def body() -> Skin:
    """The painted body with its openings: lamps, grille, air intake, the inside below the windows, wheel arches."""
    skin = Skin(body_loft().skin())
    skin.region(below(0.205), "plastic_black")
    skin.region(
        intersection(end_view(mirrored([(0.0, 0.1), (0.66, 0.1), (0.58, 0.30), (0.0, 0.30)]), 0.03), behind(-1.8)),
        "plastic_black",
    )
    gaps(skin)
    head = intersection(
        end_view(
            [(0.46, 0.610), (0.60, 0.575), (0.80, 0.590), (0.872, 0.650), (0.85, 0.705), (0.68, 0.700), (0.48, 0.672)],
            0.02,
        ),
        ahead(1.5),
    )
    lamp(skin, head, "lamp_front", strip=0.010, lenses=[(0.565, 0.634, 0.036), (0.690, 0.642, 0.040)])
    panel = intersection(
        end_view(mirrored([(0.0, 0.625), (0.80, 0.625), (0.845, 0.68), (0.83, 0.785), (0.0, 0.785)]), 0.03),
        behind(-1.9),
    )
    skin.region(panel, "gloss_black")
    for x, radius in ((0.70, 0.066), (0.535, 0.062)):  # round rear lamps: chrome rim, red ring, black ring, red centre
        spot = intersection(_disc(x, 0.705, radius), behind(-1.9))
        skin.refine(spot)
        skin.region(spot, "chrome")
        skin.region(grown(spot, -0.006), "lamp_rear", of="chrome")
        skin.region(grown(spot, -0.40 * radius), "gloss_black", of="lamp_rear")
        skin.region(grown(spot, -0.55 * radius), "lamp_rear", of="gloss_black")
    bumper_lamps = intersection(
        end_view([(0.50, 0.382), (0.95, 0.382), (0.95, 0.430), (0.50, 0.430)], 0.012), behind(-1.98)
    )
    skin.refine(bumper_lamps)
    skin.region(bumper_lamps, "gloss_black")
    skin.region(intersection(grown(bumper_lamps, -0.006), outside(0.665)), "lamp_turn", of="gloss_black")
    skin.region(intersection(grown(bumper_lamps, -0.006), inboard(0.655)), "lamp_reverse", of="gloss_black")
    bumper_line = intersection(
        end_view(mirrored([(0.0, 0.60), (0.95, 0.60), (0.95, 0.2), (0.0, 0.2)]), 0.02), behind(-1.9)
    )
    skin.gap(bumper_line, within=intersection(behind(-1.94), above(0.45)))
    grille = intersection(
        end_view(mirrored([(0.0, 0.572), (0.36, 0.566), (0.39, 0.622), (0.0, 0.630)]), 0.012), ahead(1.8)
    )
    skin.recess(grille, shift=(0, -0.04, 0))
    mouth = end_view(mirrored([(0.0, 0.235), (0.56, 0.235), (0.64, 0.30), (0.58, 0.445), (0.0, 0.455)]), 0.03)
    skin.recess(intersection(mouth, ahead(1.8)), shift=(0, -0.06, 0), wall="plastic_black")
    under_cabin = plan_view(
        mirrored(
            [
                (0.0, 0.92),
                (0.40, 0.88),
                (0.62, 0.78),
                (0.73, 0.60),
                (0.755, 0.2),
                (0.755, -1.3),
                (0.66, -1.62),
                (0.0, -1.70),
            ]
        )
    )
    skin.region(intersection(under_cabin, above(0.77)), "plastic_black")
    skin.tub(
        plan_view(
            mirrored(
                [(0.0, 0.80), (0.50, 0.76), (0.68, 0.58), (0.735, 0.2), (0.735, -1.2), (0.62, -1.52), (0.0, -1.58)]
            ),
            radius=0.06,
        ),
        floor=0.28,
    )
    for y in (FRONT, REAR):
        skin.arch(y, z=WHEEL.radius + 0.018, radius=0.382, inner=0.42, grow=0.05)
    return skin


def _disc(x, z, radius):
    """Distance function of a disc at (|x|, z), seen along y; for the operations of skin.py."""

    def f(v, attr):
        return ((abs(v[:, 0]) - x) ** 2 + (v[:, 2] - z) ** 2) ** 0.5 - radius

    return f


def gaps(skin: Skin) -> None:
    """Shut lines of doors, bonnet, boot and bumpers."""
    door = side_view(
        [
            (0.74, 1.1),
            (0.77, 0.66),
            (0.74, 0.32),
            (0.64, 0.255),
            (-0.52, 0.255),
            (-0.68, 0.40),
            (-0.74, 0.70),
            (-0.72, 1.1),
        ],
        0.03,
    )
    skin.gap(door, within=intersection(outside(0.66), above(0.23)))
    bonnet = plan_view(
        mirrored([(0.0, 2.02), (0.40, 1.99), (0.62, 1.88), (0.72, 1.55), (0.75, 0.85), (0.68, 0.66), (0.0, 0.66)]), 0.05
    )
    skin.gap(bonnet, within=above(0.62))
    boot = plan_view(mirrored([(0.0, -1.62), (0.60, -1.60), (0.70, -1.80), (0.70, -2.22), (0.0, -2.26)]), 0.05)
    skin.gap(boot, within=above(0.74))
    # bumper shut lines, at y at height 0.42 m, inclined by 0.35 m per m
    for y, view in ((1.84, ahead), (-1.86, behind)):
        line = view(y)
        skin.gap(
            lambda v, a, line=line: line(v, a) + 0.35 * (0.42 - v[:, 2]),
            within=intersection(outside(0.66), below(0.58)),
        )


def windows() -> list[Window]:
    """(border, panes) of each window: outline of the dark border, outlines of the glass within."""
    side = u_between(0.80, 2.60)  # u: 0 at the nose, pi at the tail
    border = intersection(
        side_view([(0.68, 0.935), (0.06, 1.280), (-0.42, 1.298), (-0.86, 1.255), (-1.26, 0.985), (-1.20, 0.945)], 0.02),
        side,
    )
    panes = (
        [(0.52, 0.955), (0.07, 1.262), (-0.42, 1.280), (-0.44, 0.958)],
        [(-0.52, 0.958), (-0.50, 1.278), (-0.83, 1.240), (-1.17, 0.995), (-1.14, 0.962)],
    )
    # The upper edges of windscreen and rear window follow the loft's control rows, which are about 0.06 m apart: that
    # turns the row number into metres.
    front = intersection(u_between(-1.0, 0.600), above(0.915), lambda v, a: 0.06 * (a["row"] - 5.10))
    back = intersection(u_between(2.62, 4.0), above(0.935), lambda v, a: 0.06 * (a["row"] - 5.0))
    return [
        (border, [intersection(side_view(p, 0.02), side) for p in panes]),
        (front, [grown(front, -0.022)]),
        (back, [grown(back, -0.022)]),
    ]


def cabin() -> Skin:
    """The roof with its windows and lining."""
    skin = Skin(cabin_loft().skin())
    return glaze(skin, Skin(cabin_loft(columns=30, steps=2).skin()), windows())


def wing() -> list[Mesh]:
    """A blade on two posts over the boot."""
    blade = [
        (s * x, y, z)
        for s in (-1, 1)
        for x, y, z in ((0.72, -2.02, 1.110), (0.74, -2.24, 1.120), (0.74, -2.25, 1.138), (0.72, -2.10, 1.136))
    ]
    ends = [
        (x, y, z) for x in (0.735, 0.752) for y, z in ((-1.99, 1.150), (-2.27, 1.165), (-2.25, 1.06), (-2.04, 1.07))
    ]
    post = [(x, y, z) for x in (0.56, 0.59) for y, z in ((-1.98, 0.88), (-2.16, 0.88), (-2.18, 1.125), (-2.08, 1.12))]
    return [hull(blade, "paint"), with_mirror_image(hull(ends, "paint")), with_mirror_image(hull(post, "paint"))]


def details() -> list[Mesh]:
    """Everything on and in the body and cabin: mirrors, exhausts, wing, plates, wipers, interior."""
    parts = [
        *mirrors((0.850, 0.46, 0.95), arm=0.10, eye=EYES["coupe"]),
        with_mirror_image(tailpipe((0.48, -2.27, 0.245), radius=0.045)),
        *wing(),
    ]
    parts += [
        plate((0, y, z), size, PLATE) for y, z, size in ((-2.320, 0.52, (0.50, 0.11)), (2.262, 0.50, (0.48, 0.10)))
    ]
    for z, y in ((0.29, 2.17), (0.345, 2.185), (0.40, 2.19)):  # bars of the air intake
        parts.append(box((0, y, z), (1.10, 0.012, 0.016), 0.004, "gloss_black"))
    lip = [  # under the front bumper
        (s * x, y, z)
        for s in (-1, 1)
        for x, y, z in (
            (0.70, 2.02, 0.128),
            (0.40, 2.235, 0.128),
            (0.70, 2.02, 0.15),
            (0.40, 2.245, 0.15),
            (0.30, 1.9, 0.135),
        )
    ]
    parts.append(hull(lip, "plastic_black"))
    sill = [(x, y, z) for y, z in ((0.92, 0.150), (-0.90, 0.150), (-0.90, 0.215), (0.92, 0.215)) for x in (0.80, 0.885)]
    parts.append(with_mirror_image(hull(sill, "paint")))
    door_handle = box((0.882, -0.50, 0.795), (0.024, 0.17, 0.024), 0.008, "paint")
    parts.append(with_mirror_image(door_handle))
    for x0, x1 in ((-0.60, -0.05), (0.02, 0.58)):  # wipers, and the panel below the windscreen
        parts.append(tube([(x0, 0.86, 0.915), (x1, 0.84, 0.955)], 0.008, "plastic_black", sides=6))
    parts.append(box((0, 0.84, 0.905), (1.16, 0.12, 0.012), 0.004, "plastic_black"))
    return parts + inside()


def inside() -> list[Mesh]:
    """Seats, dashboard, console, door trim."""
    parts = [seat((x, *SEAT[1:])) for x in (SEAT[0], -SEAT[0])]
    parts += [  # cushion and backrest of the rear bench
        pad((0, -1.02, 0.46), (1.10, 0.44, 0.14), 0.06, "cloth"),
        pad((0, -1.28, 0.72), (1.10, 0.14, 0.48), 0.06, "seat", turn_x=0.35),
    ]
    parts += dashboard(
        0.64, back=(0.60, 0.83, 0.05), front=(0.36, 0.82, 0.07), low=(0.36, 0.66, 0.06), cluster=CLUSTERS["coupe"]
    )
    parts += [
        box((0, -0.02, 0.40), (0.22, 0.95, 0.25), 0.03),  # centre console
        *gear_lever((0, 0.06, 0.525)),
        box((0, -1.52, 0.86), (1.16, 0.30, 0.03), 0.01),  # shelf under the rear window
        *inner_mirror(y=0.20, z=1.22, eye=EYES["coupe"]),
    ]
    return parts + door_cards(0.695, front=0.42, back=-0.62, top=0.905, low=0.42)


def build() -> Node:
    """The model."""
    lower, upper = body(), cabin()
    glass = upper.take_glass()
    collision_points = [
        (0.78, 1.90, 0.14),
        (0.45, 2.24, 0.18),
        (0.88, 1.25, 0.14),
        (0.88, -1.90, 0.15),
        (0.74, -2.30, 0.22),
        (0.89, 0.9, 0.78),
        (0.86, 1.88, 0.66),
        (0.45, 2.22, 0.60),
        (0.87, -2.10, 0.88),
        (0.58, 0.06, 1.33),
        (0.54, -0.92, 1.31),
        (0.74, -2.26, 1.14),
    ]
    return tree(
        "coupe",
        CHASSIS,
        [*lower.meshes(), *upper.meshes(), merged(details()), glass],
        collision_points,
        COLUMN,
        driver=driver(SEAT, COLUMN[0], worn=CLOTHES["coupe"]),
    )
