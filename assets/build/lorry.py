"""Parts that lorries and trailers share: cab, ladder frame, mudguards, fifth wheel, box body, lamps, side guards.

Lengths are in metres, in the axes of `chassis.py`; every part is placed by its arguments. Panels are flat with cut
edges, as on the real vehicle.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from driving_sandbox.assets.build.cockpit import console, instruments
from driving_sandbox.assets.build.dials import CLUSTERS
from driving_sandbox.assets.build.figure import CLOTHES, driver, seat
from driving_sandbox.assets.build.lettering import lettering
from driving_sandbox.assets.build.lorry_front import cab_front
from driving_sandbox.assets.build.mesh import Mesh, cut, face_vectors, join, unit, with_mirror_image
from driving_sandbox.assets.build.parts import box, cushion, hull, prism, sector, tube
from driving_sandbox.assets.build.trim import PROUD, aim, mirror_glass, plate

PLATE = "HGV 8200"
CAB_WIDTH = 2.46  # m
BODY_WIDTH = 2.50  # m
FRAME_TOP = 1.00  # m, upper edge of the ladder frame
TALL_MIRROR_RADIUS = 3.0  # m, radius of curvature; larger than a car's because the mirror is half a metre high
MIRROR_OUTWARD = np.radians(1.0)  # rad, how far the mirrors look outward; the long body shows at their inner edges
MIRROR_DOWN = {2.18: 0.06, 1.74: 0.25}  # height of a mirror, m: how far it looks down, rad
BODY = "plate"  # the light grey of boxes and curtains
WALL = 0.03  # m, thickness of a cab's walls
SEAT = (-0.62, -1.14, 1.30)  # m, of the driver's seat: x, y from the bumper, z


def pane(corners: ArrayLike, thickness: float, material: str = "gloss_black") -> Mesh:
    """A flat plate with the given corners (x, y, z), extended along its normal by `thickness` to both sides, m."""
    p = np.asarray(corners, float)
    n = np.cross(p[1] - p[0], p[2] - p[0])
    n = n / np.sqrt(np.sum(n * n)) * thickness
    return hull(np.concatenate([p - n, p + n]), material)


def opened(shell: Mesh, corners: ArrayLike) -> Mesh:
    """A shell of flat faces with a window cut out; its corners lie on one face, counter-clockwise seen from outside."""
    corners = np.asarray(corners, float)
    normal = unit(np.cross(corners[1] - corners[0], corners[2] - corners[0])[None])[0]
    facing = np.sum(unit(face_vectors(shell.v, shell.t)) * normal, axis=1) > 0.98
    stays, window = [shell.keep(~facing)], shell.keep(facing)
    for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        away = np.cross(b - a, normal)
        window, mask = cut(window, lambda v, attr, a=a, away=away: np.sum((v - a) * away, axis=1))
        stays.append(window.keep(~mask))
        window = window.keep(mask)
    return join(stays)


def walls(outline: ArrayLike, half_width: float, bevel: float, windows: Sequence[ArrayLike]) -> list[Mesh]:
    """A hollow prism with windows: paint outside, lining inside, black seals and glass.

    Args:
        outline: (y, z) points of its convex side view, m.
        half_width: of the prism, m.
        bevel: chamfer of its edges, m.
        windows: four corners (x, y, z) of each window, counter-clockwise seen from outside.
    """
    outline = np.asarray(outline, float)
    middle = (outline.max(axis=0) + outline.min(axis=0)) / 2
    within = middle + (outline - middle) * (1 - WALL / (np.ptp(outline, axis=0) / 2))
    outer, inner = prism(outline, half_width, bevel), prism(within, half_width - WALL, bevel).flipped().paint("lining")
    parts = []
    for corners in windows:
        outer, inner = opened(outer, corners), opened(inner.flipped(), corners).flipped()
        parts += [tube(corners, 0.022, "gloss_black", 6, closed=True), Mesh(corners, [(0, 1, 2), (0, 2, 3)], "glass")]
    return [outer, inner, *parts]


def cab(front: float) -> list[Mesh]:
    """A sleeper cab with its bumper at y = `front`: 2.2 m long, roof at z = 3.0 m, air deflector up to 3.7 m."""
    f, w = front, CAB_WIDTH / 2
    shell = [(f - 0.02, 0.95), (f, 1.30), (f - 0.04, 1.72), (f - 0.34, 2.72), (f - 0.50, 2.88), (f - 2.12, 2.98),
             (f - 2.20, 2.90), (f - 2.22, 1.06), (f - 2.10, 0.95)]  # fmt: skip
    deflector = [(f - 0.78, 2.90), (f - 1.30, 3.45), (f - 2.10, 3.70), (f - 2.16, 3.66), (f - 2.16, 2.94)]
    screen = [(sx * x, f - y, z) for sx, x, y, z in (
        (1, 1.06, 0.070, 1.80), (-1, 1.06, 0.070, 1.80), (-1, 0.98, 0.316, 2.62), (1, 0.98, 0.316, 2.62))]  # fmt: skip
    right = [(w, f - y, z) for y, z in ((1.16, 1.74), (0.24, 1.80), (0.40, 2.56), (1.16, 2.60))]
    bunk = [(w, f - y, z) for y, z in ((2.02, 1.94), (1.42, 1.94), (1.42, 2.36), (2.02, 2.36))]
    left, left_bunk = ([(-x, y, z) for x, y, z in window[::-1]] for window in (right, bunk))
    parts = [*walls(shell, w, 0.07, (screen, right, left, bunk, left_bunk)), prism(deflector, w - 0.14, 0.08)]
    return parts + cab_front(f, PLATE) + cab_sides(f, w) + cab_inside(f, w)


def cab_inside(f: float, w: float) -> list[Mesh]:
    """Interior of the cab: dashboard, pillars, doors below their windows, roof, bunk with its curtain, seats.

    `f`: y of the bumper, `w`: half the width of the cab, m; so also in the functions below.
    """
    parts = [box((0, f - 0.30, 1.56), (2 * w - 0.16, 0.36, 0.36), 0.05)]
    parts.append(box((0, f - 0.46, 2.72), (2 * w - 0.2, 0.16, 0.12)))
    parts += instruments(replace(CLUSTERS["truck"], at=(-0.62, f - 0.47, 1.80))) + console((-0.02, f - 0.50, 1.60))
    parts += [
        box((0, f - 1.28, 2.76), (2 * w - 0.16, 1.56, 0.04), 0.015, "lining"),
        box((0, f - 2.06, 1.90), (2 * w - 0.16, 0.04, 1.70), 0.015, "lining"),
        box((0, f - 1.76, 1.66), (2 * w - 0.20, 0.58, 0.20), 0.06, "seat"),
        box((0, f - 1.20, 1.06), (2 * w - 0.16, 1.70, 0.04), 0.01),
        seat((0.62, f - 1.34, 1.16)),
        seat((SEAT[0], f + SEAT[1], SEAT[2])),
        box((SEAT[0], f + SEAT[1] + 0.08, 1.22), (0.40, 0.44, 0.28), 0.03),
    ]
    for s in (-1, 1):
        parts += [
            tube([(s * 1.10, f - 0.12, 1.74), (s * 1.02, f - 0.44, 2.70)], 0.05, "lining", 8),
            box((s * (w - 0.06), f - 0.72, 1.42), (0.05, 1.0, 0.62), 0.015, "lining"),
            cushion([(s * (w - 0.10), f - y, 1.50, 0.04) for y in (0.60, 1.10)]),
            box((s * (w - 0.09), f - 1.66, 2.02), (0.05, 0.84, 1.50), 0.015, "lining"),
            *(
                tube(
                    [(s * (w - 0.056 - 0.012 * (k % 2)), f - 1.40 - 0.032 * k, z) for z in (1.90, 2.40)],
                    0.019,
                    "lining",
                    8,
                )
                for k in range(21)
            ),  # the bunk's curtain
            tube([(s * (w - 0.08), f - 1.22, 1.30), (s * (w - 0.08), f - 1.22, 2.74)], 0.05, "lining", 8),
        ]
    return parts


def cab_driver(front: float, wheel: tuple[float, float, float]) -> list[Mesh]:
    """The driver's figure; `wheel` is the middle of the steering wheel, `front` the y of the bumper."""
    return driver((SEAT[0], front + SEAT[1], SEAT[2]), wheel, CLOTHES["truck"])


def cab_sides(f: float, w: float) -> list[Mesh]:
    """Shut lines, door handles, steps, grab rails, rubbing strips and rear fairings of both sides, and the mirrors."""
    x = w + 0.002
    parts = []
    for y in (-0.10, -1.22):  # shut lines of the door
        parts.append(box((x - 0.004, f + y, 1.62), (0.016, 0.012, 1.10), 0.003, "gloss_black"))
    parts.append(box((x, f - 1.08, 1.58), (0.03, 0.16, 0.035), 0.01, "plastic_black"))
    for z in (0.50, 0.80, 1.06):
        parts.append(box((w - 0.10, f - 0.36, z), (0.24, 0.42, 0.05), 0.012, "plastic_black"))
    parts.append(
        tube(
            [
                (w - 0.06, f - 0.24, 2.60),
                (w + 0.24, f - 0.30, 2.50),
                (w + 0.24, f - 0.30, 1.66),
                (w - 0.06, f - 0.24, 1.60),
            ],
            0.018,
            "plastic_black",
            6,
        )
    )
    parts.append(tube([(w - 0.01, f - 1.28, 1.16), (w + 0.035, f - 1.28, 1.20), (w + 0.035, f - 1.28, 2.02),
                     (w - 0.01, f - 1.28, 2.06)], 0.014, "chrome", 8))  # fmt: skip
    parts.append(box((w + 0.004, f - 0.66, 1.30), (0.018, 1.00, 0.10), 0.006, "plastic_black"))  # rubbing strip
    fairing = [(f - 2.20, 0.80), (f - 2.20, 3.30), (f - 2.62, 3.22), (f - 2.66, 0.86)]
    parts.append(hull([(x0, y, z) for y, z in fairing for x0 in (w - 0.05, w - 0.01)], "paint"))
    return [*(with_mirror_image(part) for part in parts), *cab_mirrors(f, w)]


def cab_mirrors(f: float, w: float) -> list[Mesh]:
    """A tall mirror and a small one below it on each side, aimed at the driver, who sits on the left."""
    parts = []
    eye = (SEAT[0], f + SEAT[1] + 0.02, SEAT[2] + 0.82)  # behind the figure's visor
    for side in (-1, 1):
        for z, h in ((2.18, 0.52), (1.74, 0.22)):
            position = (side * (w + 0.24), f - 0.30, z)
            pitch, yaw = aim(position, eye, MIRROR_OUTWARD, MIRROR_DOWN[z])
            head = [
                cushion([(0, 0, s * (h / 2 - 0.06), 0.075) for s in (-1, 1)], "plastic_black"),
                box((0, -0.075, 0), (0.13, 0.012, h - 0.03), 0.004),
                mirror_glass((0, -0.093, 0), (0.12, h - 0.04), TALL_MIRROR_RADIUS),
            ]  # the convex glass: its rim lies 10 mm behind its centre
            parts += [part.turned(0, pitch).turned(2, yaw).moved(*position) for part in head]
    return parts


def mudguard(
    y: float,
    half_track: float,
    radius: float,
    material: str = "plastic_black",
    half_width: float = 0.22,
    half_angle: float = 1.25,
) -> Mesh:
    """Mudguards over the wheels of an axle at `y`: bands that reach `half_angle`, rad, either side of the top.

    `half_track`: |x| of their middle, `radius`: inner radius about the wheel's axis, `half_width`: half their width, m.
    """
    section = [(-half_width, radius), (half_width, radius), (half_width, radius + 0.02), (-half_width, radius + 0.02)]
    ring = sector(section, -half_angle, half_angle, 18, material).turned(0, np.pi / 2)
    return with_mirror_image(ring.moved(half_track, y, 0.505))  # z of the wheel's axis, as in axles.py


def ladder(front: float, rear: float, top: float = FRAME_TOP, half: float = 0.42) -> list[Mesh]:
    """Two rails and their cross members from y = `rear` to `front`; `half`: |x| of the rails, `top`: their upper z."""
    middle, size = (front + rear) / 2, front - rear
    parts = [with_mirror_image(box((half, middle, top - 0.14), (0.08, size, 0.28), 0.008, "frame"))]
    for y in np.linspace(rear + 0.1, front - 0.2, max(3, round(size / 1.3))):
        parts.append(box((0, y, top - 0.14), (2 * half, 0.10, 0.16), 0.01, "frame"))
    return parts


def tank(y: float, length: float, side: int) -> list[Mesh]:
    """A fuel tank of polished metal on its straps, on one side (-1 left, +1 right)."""
    body = cushion(
        [(side * 0.86, y + s * (length / 2 - 0.06), 0.68 + z, 0.20) for s in (-1, 1) for z in (-0.10, 0.10)],
        "chrome",
        16,
    )
    straps = [
        cushion(
            [(side * 0.86, y + s * length / 4 + d, 0.68 + z, 0.212) for d in (-0.015, 0.015) for z in (-0.10, 0.10)],
            "frame",
            16,
        )
        for s in (-1, 1)
    ]
    return [body, *straps]


def side_guards(front: float, rear: float, low: float = 0.40, high: float = 0.92) -> list[Mesh]:
    """Side guards between the axles: two planks on brackets."""
    parts = []
    for z in (low + 0.08, high - 0.12):
        parts.append(with_mirror_image(box((1.19, (front + rear) / 2, z), (0.03, front - rear, 0.13), 0.01, BODY)))
    for y in np.linspace(rear + 0.25, front - 0.25, max(2, round((front - rear) / 1.2))):
        parts.append(with_mirror_image(box((1.16, y, (low + high) / 2), (0.03, 0.05, high - low), 0.006, "frame")))
    return parts


def tail(rear: float, top: float, half: float = 0.42) -> list[Mesh]:
    """Lamps, plate, guard and mud flaps at the end of a frame at y = `rear`.

    `half`: |x| of the frame's rails, `top`: their upper z, m.
    """
    parts = [
        box((0, rear + 0.02, 0.55), (2.36, 0.10, 0.12), 0.012, "frame"),
        with_mirror_image(box((half, rear + 0.06, (0.55 + top) / 2), (0.07, 0.08, top - 0.55), 0.01, "frame")),
        plate((0, rear - 0.035, 0.72), (0.52, 0.11), PLATE),
        with_mirror_image(
            box((0.98, rear + 0.22, 0.47), (0.52, 0.016, 0.42), 0.005, "rubber")
        ),  # mud flaps on their brackets
        with_mirror_image(box((0.98, rear + 0.22, 0.69), (0.54, 0.03, 0.03), 0.006, "frame")),
        with_mirror_image(box((0.98, rear + 0.211, 0.34), (0.42, 0.008, 0.05), 0.002, BODY)),
    ]
    for x, w, material in ((0.98, 0.40, "lamp_rear"), (0.70, 0.14, "lamp_front")):
        parts.append(with_mirror_image(box((x, rear - 0.02, 0.74), (w, 0.05, 0.14), 0.012, material)))
    return parts


def cargo_box(
    front: float, rear: float, bottom: float, top: float, ribs: float = 0.0, text: str = "NORTH ROAD"
) -> list[Mesh]:
    """A closed body with corner posts, doors at the back and the carrier's name.

    Args:
        front, rear: y of its ends, m.
        bottom, top: z of floor and roof, m.
        ribs: distance between the curtain straps on its sides, m; 0 for none.
        text: name on the sides.
    """
    middle, size = (front + rear) / 2, front - rear
    w = BODY_WIDTH / 2
    parts = [
        box((0, middle, (bottom + 0.13 + top) / 2), (2 * w - 0.03, size - 0.03, top - bottom - 0.17), 0.02, BODY),
        box((0, middle, bottom + 0.08), (2 * w, size, 0.16), 0.015, "frame"),
        box((0, middle, top - 0.05), (2 * w, size, 0.10), 0.015, "paint"),
    ]
    for y in (front - 0.03, rear + 0.03):
        parts.append(
            with_mirror_image(box((w - 0.04, y, (bottom + top) / 2), (0.08, 0.06, top - bottom), 0.012, "paint"))
        )
    if ribs:
        for y in np.linspace(rear + 0.25, front - 0.25, round((size - 0.5) / ribs) + 1):
            parts.append(
                with_mirror_image(
                    box(
                        (w - 0.012, y, (bottom + top) / 2 + 0.02),
                        (0.012, 0.045, top - bottom - 0.30),
                        0.004,
                        "plastic_black",
                    )
                )
            )
    else:
        stripe = box((w - 0.014, middle, bottom + 0.75), (0.012, size - 0.20, 0.42), 0.004, "paint")
        parts.append(with_mirror_image(stripe))
    for side in (-1, 1):
        name = lettering(text, (0.80 * size, 1.0), "paint").turned(2, side * np.pi / 2)
        parts.append(name.moved(side * (w - 0.015 + PROUD), middle, bottom + 0.62 * (top - bottom)))
    for x in (0.28, 0.85):  # locking bars of the doors
        parts.append(
            with_mirror_image(tube([(x, rear - 0.01, bottom + 0.2), (x, rear - 0.01, top - 0.12)], 0.018, "chrome", 8))
        )
        for z in (bottom + 0.3, top - 0.25):  # their guides
            parts.append(with_mirror_image(box((x, rear - 0.014, z), (0.07, 0.03, 0.05), 0.006, "frame")))
        low = bottom + 0.62 + 0.08 * (x > 0.5)
        parts.append(
            with_mirror_image(box((x - 0.11, rear - 0.03, low), (0.26, 0.014, 0.03), 0.005, "frame"))
        )  # levers
    for z in np.linspace(bottom + 0.35, top - 0.35, 4):
        parts.append(with_mirror_image(box((w - 0.05, rear - 0.012, z), (0.10, 0.03, 0.06), 0.008, "frame")))  # hinges
    parts.append(box((0, rear + 0.004, (bottom + top) / 2), (0.02, 0.03, top - bottom - 0.2), 0.004, "gloss_black"))
    for y in np.linspace(rear + 0.5, front - 0.5, max(3, round(size / 2.0))):  # side reflectors
        parts.append(with_mirror_image(box((w + 0.002, y, bottom + 0.08), (0.01, 0.10, 0.035), 0.003, "caliper")))
    for x in np.linspace(-1.0, 1.0, 5):
        parts.append(
            box((x, front - 0.02, top + 0.01), (0.10, 0.05, 0.05), 0.01, "lamp_front" if abs(x) > 0.8 else BODY)
        )
    return parts


def fifth_wheel(y: float, height: float) -> list[Mesh]:
    """A fifth wheel with its jaw open to the rear, on brackets; its plate is at z = `height`."""
    plate_points = [
        (x, y + dy, height + dz)
        for x, dy in ((-0.44, 0.28), (0.44, 0.28), (0.46, -0.10), (-0.46, -0.10))
        for dz in (-0.05, -0.005)
    ]
    parts = [hull(plate_points, "disc")]
    for s in (-1, 1):
        parts.append(
            hull(
                [
                    (s * x, y + dy, height + dz)
                    for x, dy, dz in (
                        (0.10, -0.08, -0.01),
                        (0.44, -0.08, -0.01),
                        (0.40, -0.44, -0.06),
                        (0.22, -0.44, -0.06),
                        (0.10, -0.08, -0.06),
                        (0.44, -0.08, -0.06),
                        (0.40, -0.44, -0.10),
                        (0.22, -0.44, -0.10),
                    )
                ],
                "disc",
            )
        )
    return [*parts, with_mirror_image(box((0.36, y, height - 0.11), (0.10, 0.34, 0.14), 0.02, "frame"))]


def landing_legs(y: float, top: float) -> list[Mesh]:
    """The two landing legs of a trailer, at `y`, from z = `top` down."""
    return [
        with_mirror_image(box((0.52, y, (top + 0.62) / 2), (0.12, 0.12, top - 0.62), 0.012, "frame")),
        with_mirror_image(box((0.52, y, 0.56), (0.22, 0.24, 0.03), 0.008, "frame")),
        tube([(-0.52, y, 0.86), (0.52, y, 0.86)], 0.025, "frame", 8),
    ]


def joined(parts: Iterable[Mesh]) -> list[Mesh]:
    """The parts as a list of a single mesh."""
    return [join(list(parts))]
