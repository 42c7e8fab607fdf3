"""Wheels and brakes: tire, rim, disc and caliper about the x axis, centred on the wheel centre.

Built for the right side (outer face towards +x); the left side is the mirror image. The tire's outermost radius and
half width are exactly the two numbers given, which are also those of the physics; a whitewall stands out 0.4 % farther.
"""

from dataclasses import dataclass

import numpy as np

from driving_sandbox.assets.build.lettering import TALL, lettering
from driving_sandbox.assets.build.mesh import Mesh, join, weld
from driving_sandbox.assets.build.parts import box, lathe, outward, sector, skin_over, tube
from driving_sandbox.assets.build.parts import hull as convex

BRAND = "AVOVA"  # legible in the mirror image on the left side too
PROUD = 0.0005  # m by which sipes are drawn above the rubber, as they would flicker in its surface
RAISED = 0.0016  # m by which letters are raised: their straight strokes must not sink into the curved sidewall
SIPE_HALF_WIDTH = 0.0021  # m
SIPE_SLANT = 0.10  # rad about the axle, slant of a sipe from the middle of the tread to its edge
LIP = 0.80  # x of the rim's outer lip, as a fraction of the half width
HUB_DEPTH = 0.075  # m, from the lip to the back of the hub, where the disc's hat sits


@dataclass(frozen=True)
class WheelShape:
    """Dimensions in metres.

    Attributes:
        radius, half_width: of the tire.
        rim_radius: of the edge of the rim, where the sidewall begins.
        spokes: "ten", "five", "split" or "dish".
        tread: "road" or "knobs".
        sides: number of flat faces round the wheel.
        knobs: number of tread blocks per row around the tire.
        disc_radius: of the brake disc.
        caliper_material: material of the brake caliper.
        whitewall: whether the outer sidewall has a white band, and then no maker's name.
        sipes: number of slits across the tread per row; 0 leaves out the maker's name on the sidewall as well.
    """

    radius: float
    half_width: float
    rim_radius: float
    spokes: str = "ten"
    tread: str = "road"
    sides: int = 48
    knobs: int = 18
    disc_radius: float = 0.125
    caliper_material: str = "caliper"
    whitewall: bool = False
    sipes: int = 26


def tire(shape: WheelShape) -> Mesh:
    """Tire from bead to bead, with its tread."""
    r, w, rim = shape.radius, shape.half_width, shape.rim_radius
    wall = r - rim
    depth = 0.007 if shape.tread == "road" else 0.0
    crown = r if shape.tread == "road" else r - 0.014
    side = [
        (0.80 * w, rim - 0.006),
        (0.86 * w, rim + 0.004),
        (0.93 * w, rim + 0.20 * wall),
        (w, rim + 0.48 * wall),
        (0.985 * w, rim + 0.70 * wall),
        (0.93 * w, crown - 0.105 * wall),
        (0.86 * w, crown - 0.030 * wall),
    ]
    tread = []
    grooves = (0.52, 0.0, -0.52) if shape.tread == "road" else ()
    for g in grooves:
        tread += [
            (x * w, y)
            for x, y in ((g + 0.055, crown - abs(g) * 0.004), (g, crown - depth), (g - 0.055, crown - abs(g) * 0.004))
        ]
    tread = [(0.76 * w, crown - 0.005), *(tread or [(0.0, crown)]), (-0.76 * w, crown - 0.005)]
    marks = _marks(shape, side, crown) if shape.sipes else []
    if shape.tread == "road":  # the middle ribs, or the sipes in them, define the outermost radius
        rib = r - PROUD if marks else r
        tread = [(x, rib if abs(x) < 0.5 * w and y > crown - 0.004 else y) for x, y in tread]
    inner = [side[k] for k in (6, 5, 3, 1, 0)]  # fewer points for the side that faces the vehicle
    profile = side + tread + [(-x, y) for x, y in inner]
    body = lathe(profile, shape.sides)
    return join([body, *marks, *(_knobs(shape, crown) if shape.tread == "knobs" else [])])


def _marks(shape, side, crown):
    """Sipes of a road tire's ribs and shoulders; the maker's name on an outer sidewall without white band."""
    w, out = shape.half_width, []
    if shape.tread == "road":
        edge = [(0.60 * w, crown - 0.0026), (0.76 * w, crown - 0.005), side[6]]
        ribs = [(x * w, crown - PROUD) for x in (0.12, 0.40)]
        for rows, turn in ((edge, 0.0), (ribs, 0.5), ([(-x, r) for x, r in edge], 0.25),
                           ([(-x, r) for x, r in ribs], 0.75)):  # fmt: skip
            out.append(_sipes(rows, shape.sipes, turn, w))
    if not shape.whitewall:
        wall = shape.radius - shape.rim_radius
        middle, high = shape.rim_radius + 0.72 * wall, 0.18 * wall
        for turn in (0.0, np.pi):
            # a field so wide that the height of the letters, `high`, decides their size
            name = lettering(BRAND, (9.0, high / TALL), "plastic_black", 1)
            radius, angle = middle + name.v[:, 2], turn + name.v[:, 0] / middle * 1.25
            x = np.interp(radius, *zip(*((y, x) for x, y in side[1:]), strict=True)) + RAISED
            name.v = np.stack([np.minimum(x, w), radius * np.sin(angle), radius * np.cos(angle)], 1)
            out.append(weld(name))
    return out


def _sipes(rows, count, turn, half_width):
    """`count` dark slits evenly round the tire, each along `rows` (x, radius); the first is at `turn` of a spacing."""
    x, r = np.array(rows).T
    slant = (SIPE_SLANT * np.abs(x) / half_width)[:, None]
    angle = 2 * np.pi * (np.arange(count) + turn)[:, None, None] / count + slant
    a = angle + np.array([-1.0, 1.0]) * (SIPE_HALF_WIDTH / r)[:, None]
    high = (r + PROUD)[:, None]
    points = np.stack([np.broadcast_to(x[:, None], a.shape), high * np.sin(a), high * np.cos(a)], -1)
    n = len(x)
    first = 2 * (np.arange(count)[:, None] * n + np.arange(n - 1)).reshape(-1, 1)
    triangles = np.concatenate([first + [0, 1, 3], first + [0, 3, 2]])
    slits = Mesh(points.reshape(-1, 3), triangles, "groove")
    return slits.flipped() if x[-1] > x[0] else slits


def _knobs(shape, crown):
    """Tread blocks: two staggered rows in the middle and a row of lugs on either shoulder."""
    r, w = shape.radius, shape.half_width
    count = shape.knobs
    parts = []
    for k in range(count):
        a = 2 * np.pi * k / count
        for sgn in (-1, 1):
            slant = 0.25 * sgn
            for x0, x1, shift, top in ((0.06, 0.40, 0.25, r), (0.50, 0.90, 0.0, r - 0.003)):
                angle = a + 2 * np.pi / count * (shift + (0.5 if sgn > 0 else 0.0))
                half = 0.062 * r / 0.36 * 18 / count * (0.9 if x0 < 0.3 else 0.75)
                pts = []
                for z, grow in ((crown - 0.03, 1.15), (top, 0.92)):
                    for x in (x0, x1):
                        for y in (-half * grow, half * grow):
                            shrink = 0.985 if z == top and x == x1 and x0 > 0.3 else 1.0
                            pts.append([sgn * x * w, y + slant * x * w, z * shrink])
                block = convex(_to_radius(np.array(pts), top), "rubber")
                parts.append(block.turned(0, angle))
    return parts


def _to_radius(points, top):
    """The corners of a block, lowered so that none is outside the radius `top`, m."""
    out = points.copy()
    far = np.sqrt(points[:, 1] ** 2 + points[:, 2] ** 2)
    outside = far > top
    out[outside, 2] = np.sqrt(np.maximum(top * top - points[outside, 1] ** 2, 0.0))
    return out


def rim(shape: WheelShape) -> Mesh:
    """Barrel, spokes, hub and nuts."""
    rr, w, n = shape.rim_radius, shape.half_width, shape.sides
    face = LIP * w
    barrel = lathe([(face + 0.004, rr + 0.002), (face + 0.008, rr - 0.004), (face + 0.002, rr - 0.014),
                    (face - 0.022, rr - 0.022), (0.1 * w, rr - 0.040), (-face, rr - 0.020),
                    (-face - 0.004, rr + 0.004)], n, "rim")  # fmt: skip
    parts = [barrel]
    if shape.spokes == "dish":
        parts += _dish(shape, face)
    else:
        parts += _spokes(shape, face)
    hub_radius = 0.30 * rr
    x = face - 0.030
    parts.append(
        lathe(
            [
                (x + 0.014, 0.0),
                (x + 0.014, 0.60 * hub_radius),
                (x + 0.008, 0.68 * hub_radius),
                (x + 0.008, hub_radius * 0.95),
                (x, hub_radius * 1.06),
                (x - 0.035, hub_radius * 1.1),
                (face - HUB_DEPTH, 0.0),
            ],
            20,
            "rim",
        )
    )
    cap = [(x + 0.021, 0.0), (x + 0.019, 0.42 * hub_radius), (x + 0.010, 0.48 * hub_radius), (x, 0.0)]
    parts.append(lathe(cap, 16, "gloss_black"))
    for k in range(5):
        a = 2 * np.pi * (k + 0.5) / 5
        nut = lathe([(0.016, 0.0), (0.014, 0.0075), (0.0, 0.0085), (0.0, 0.0)], 6, "chrome")
        parts.append(nut.moved(x + 0.004, 0.80 * hub_radius * np.cos(a), 0.80 * hub_radius * np.sin(a)))
    return join(parts)


def _spokes(shape, face):
    """Spokes from hub to rim, by `shape.spokes`; `face` is the x of the rim's outer lip, m."""
    rr = shape.rim_radius
    if shape.spokes == "ten":
        angles, root, tip = [2 * np.pi * k / 10 for k in range(10)], 0.20, 0.115
    elif shape.spokes == "split":
        angles = [2 * np.pi * k / 5 + s for k in range(5) for s in (-0.165, 0.165)]
        root, tip = 0.17, 0.12
    else:
        angles, root, tip = [2 * np.pi * k / 5 for k in range(5)], 0.40, 0.30
    parts = []
    for a in angles:
        stations = []
        for s in (0.20, 0.45, 0.70, 0.90, 1.0):
            radius = rr * s - (0.014 if s == 1.0 else 0.0)
            half = rr * (root + (tip - root) * min(1.0, s / 0.9)) * 0.42 * (1.25 if s == 1.0 else 1.0)
            x = face - 0.030 + 0.020 * s * s - (0.010 if s == 1.0 else 0.0)
            thick = 0.034 - 0.008 * s
            across = np.array([-1.0, -0.72, 0.72, 1.0, 1.0, -1.0]) * half
            outward_x = np.array([x - 0.006, x, x, x - 0.006, x - thick, x - thick])
            stations.append(np.stack([outward_x, across, np.full(6, radius)], 1))
        bar = _loft(stations)
        parts.append(bar.turned(0, a))
    return parts


def _loft(stations):
    """Closed skin over stations, faces outward."""
    return outward(skin_over(stations, "rim"))


def _dish(shape, face):
    """A pressed steel face with a ring of dark discs for its openings, and a bolted outer ring."""
    rr = shape.rim_radius
    x = face - 0.030
    parts = [
        lathe(
            [
                (x + 0.004, 0.20 * rr),
                (x + 0.012, 0.40 * rr),
                (x - 0.010, 0.62 * rr),
                (x - 0.030, 0.92 * rr),
                (x - 0.040, 0.92 * rr),
                (x - 0.022, 0.60 * rr),
                (x, 0.2 * rr),
            ],
            shape.sides,
            "rim",
        )
    ]
    for k in range(8):
        a = 2 * np.pi * k / 8
        hole = lathe([(0.004, 0.0), (0.004, 0.100 * rr), (-0.004, 0.102 * rr), (-0.004, 0.0)], 12, "gloss_black")
        hole = hole.turned(2, np.arctan2(0.020, 0.30 * rr)).moved(x - 0.021, 0.76 * rr)  # as the face slopes there
        parts.append(hole.turned(0, a))
    for k in range(12):
        a = 2 * np.pi * k / 12
        bolt = lathe([(0.006, 0.0), (0.006, 0.005), (-0.004, 0.006), (-0.004, 0.0)], 6, "chrome")
        parts.append(bolt.moved(face + 0.004, (rr - 0.010) * np.cos(a), (rr - 0.010) * np.sin(a)))
    return parts


def whitewall(shape: WheelShape) -> Mesh:
    """A white band on the outer side of the tire, slightly raised."""
    w, wall = shape.half_width, shape.radius - shape.rim_radius
    low, high = shape.rim_radius + 0.14 * wall, shape.rim_radius + 0.60 * wall
    section = [(0.945 * w, low), (1.004 * w, (low + high) / 2), (0.996 * w, high), (0.93 * w, high), (0.90 * w, low)]
    return lathe(section, shape.sides, "plate")


def wheel(shape: WheelShape) -> Mesh:
    """Tire and rim, the spinning part."""
    return join([tire(shape), rim(shape), *([whitewall(shape)] if shape.whitewall else [])])


def brake(shape: WheelShape, forward: int, lip: float | None = None) -> Mesh:
    """Disc with hat, caliper and upright in one mesh, which steers but is not drawn spinning.

    The caliper stays behind the spokes and within the barrel, the upright behind the disc, at least 4 mm from whatever
    spins on the real car (wheel, disc, hat).

    Args:
        forward: +1 for a caliper ahead of the hub, -1 behind it.
        lip: x of the rim's outer lip where it is not that of `rim`, m.
    """
    r, w = shape.disc_radius, shape.half_width
    x = (LIP * w if lip is None else lip) - HUB_DEPTH - 0.038  # of the disc: its hat reaches 2 mm into the hub
    disc = lathe([(x + 0.012, 0.60 * r), (x + 0.011, r - 0.002), (x + 0.009, r), (x - 0.009, r), (x - 0.011, r - 0.002),
                  (x - 0.012, 0.60 * r)], 28, "disc")  # fmt: skip
    hat = lathe(
        [
            (x + 0.040, 0.0),
            (x + 0.040, 0.48 * r),
            (x + 0.034, 0.52 * r),
            (x + 0.008, 0.60 * r),
            (x - 0.012, 0.60 * r),
            (x - 0.012, 0.0),
        ],
        16,
        "disc",
    )
    middle = 0.5 * np.pi - 0.5 * np.pi * forward + 0.35 * forward
    section = [
        (x + 0.046, 0.66 * r),
        (x + 0.048, 0.96 * r),
        (x + 0.036, 1.17 * r),
        (x - 0.036, 1.17 * r),
        (x - 0.044, 0.98 * r),
        (x - 0.044, 0.64 * r),
        (x - 0.016, 0.64 * r),
        (x - 0.016, 1.05 * r),
        (x + 0.016, 1.05 * r),
        (x + 0.016, 0.66 * r),
    ]
    caliper = sector(section, middle - 0.52, middle + 0.52, 6, shape.caliper_material)
    knuckle = x - 0.041
    joint = min(-0.75 * w, knuckle + 0.003)
    upright = join(
        [
            tube([(joint, 0, -0.30 * r), (knuckle, 0, -0.06)], 0.022, "plastic_black", 6),
            tube([(joint, 0, 0.62 * r), (knuckle, 0, 0.05)], 0.020, "plastic_black", 6),
            box((knuckle, 0, 0), (0.05, 0.11, 0.13), 0.02),
        ]
    )
    return join([disc, hat, caliper, upright])
