"""Cockpit: dials behind the steering wheel, a screen, vents and knobs on the dashboard, a gear lever.

Faces look along -y, towards the driver, tilted back by `lean` (rad).
"""

import numpy as np

from driving_sandbox.assets.build.dials import SMALL, Cluster, face
from driving_sandbox.assets.build.mesh import Mesh, join, with_mirror_image
from driving_sandbox.assets.build.parts import box, cushion, hull, lathe, outward, skin_over, tube

HOOD = 0.008  # m, thickness of the hood over the dials


def instruments(cluster: Cluster) -> list[Mesh]:
    """Speedometer and engine dial of a `dials.Cluster`, with a small gauge on either side, under a hood."""
    x, y, z = cluster.at
    radius, spacing = cluster.radius, cluster.apart
    beside, below = cluster.gauge
    parts = [face(radius).moved(x=s * spacing) for s in (-1, 1)]
    parts += [face(SMALL * radius, 18).moved(s * beside, 0.0, below) for s in (-1, 1)]
    wide, high = beside + 1.35 * SMALL * radius, 1.25 * radius
    parts.append(box((0, 0.022, 0), (2 * wide, 0.030, 2 * high), 0.010))
    parts.append(hood(wide, high))
    return [part.turned(0, -cluster.lean).moved(x, y, z) for part in parts]


def hood(wide: float, high: float) -> Mesh:
    """A shade over dials within half width `wide` and half height `high`, m; it is deepest in the middle."""
    rings = []
    for a in np.linspace(0.0, np.pi, 19):
        c, s = np.cos(a), np.sin(a)
        x, z = wide * np.sign(c) * np.sqrt(np.abs(c)), high * (np.sqrt(s) * 1.16 - 0.16) if s > 1e-9 else -0.16 * high
        deep = 0.030 + 0.038 * s
        out = np.array([x, z]) / max(wide, high) * HOOD
        rings.append(np.array([[x, 0.03, z], [x + out[0], 0.03, z + HOOD], [x + out[0], 0.006 - deep, z + HOOD],
                               [x + 0.4 * out[0], -deep, z + 0.5 * HOOD], [x, 0.006 - deep, z]]))  # fmt: skip
    return outward(skin_over(rings, "plastic_black"))


def console(at: tuple[float, float, float], lean: float = 0.15, width: float = 0.22) -> list[Mesh]:
    """A screen centred at `at`, with two vents above and three knobs below; width: m, the screen takes 0.88 of it."""
    x, y, z = at
    parts = [
        box((0, 0.012, 0), (width + 0.03, 0.03, 0.25), 0.010),
        box((0, -0.004, 0.005), (0.88 * width, 0.010, 0.095), 0.004, "gloss_black"),
    ]
    for s in (-1, 1):
        parts.append(box((s * 0.25 * width, -0.004, 0.090), (0.44 * width, 0.012, 0.050), 0.004, "gloss_black"))
        parts += [box((s * 0.25 * width, -0.010, 0.090 + dz), (0.42 * width, 0.010, 0.005), 0.002)
                  for dz in (-0.014, 0.0, 0.014)]  # fmt: skip
    knob = lathe([(0.022, 0.0), (0.020, 0.017), (0.0, 0.019), (0.0, 0.0)], 14, "chrome").turned(2, -np.pi / 2)
    parts += [knob.moved(k * 0.30 * width, -0.004, -0.080) for k in (-1, 0, 1)]
    return [part.turned(0, -lean).moved(x, y, z) for part in parts]


def vents(half_width: float, y: float, z: float, lean: float = 0.15) -> list[Mesh]:
    """Round air vents at both ends of a dashboard."""
    ring = join(
        [
            lathe([(-0.012, 0.028), (-0.014, 0.036), (0.010, 0.037)], 18, "chrome"),
            lathe([(0.0, 0.0), (0.0, 0.030), (-0.006, 0.0)], 18, "gloss_black"),
        ]
    )
    return [ring.turned(2, np.pi / 2).turned(0, -lean).moved(s * half_width, y, z) for s in (-1, 1)]


def dashboard(
    half_width: float,
    back: tuple[float, float, float],
    front: tuple[float, float, float],
    low: tuple[float, float, float],
    cluster: Cluster,
    material: str = "plastic_black",
    stack: bool = True,
    trim: str = "frame",
) -> list[Mesh]:
    """A padded dashboard from door to door with instruments, vents and a strip of the material `trim`.

    Args:
        half_width: |x| of its ends, m.
        back: (y, z, radius) of the edge under the windscreen, m.
        front: (y, z, radius) of the upper edge towards the seats.
        low: (y, z, radius) of the lower edge towards the seats.
        cluster: `dials.Cluster` of its instruments.
        material: of the padding.
        stack: whether there is a console in its middle.
        trim: material of the strip.
    """
    pads = [(s * half_width, y, z, r) for s in (-1, 1) for y, z, r in (back, front, low)]
    edge = front[0] - front[2]
    out = [cushion(pads, material), *instruments(cluster)]
    out += vents(half_width - 0.07, edge - 0.002, front[1] - 0.015)
    middle = 0.62 * front[1] + 0.38 * low[1]
    strip = [(s * (half_width - 0.12), edge + dy, middle + dz) for s in (-1, 1) for dy, dz in (
        (-0.004, 0.022), (-0.004, -0.022), (0.02, 0.026), (0.02, -0.026))]  # fmt: skip
    out.append(hull(strip, trim))
    seam_height = front[1] + 0.94 * front[2]
    out.append(
        tube([(s * (half_width - 0.02), front[0] - 0.3 * front[2], seam_height) for s in (-1, 1)], 0.0016, "stitch", 4)
    )
    return out + (console((0, edge - 0.012, (front[1] + low[1]) / 2 + 0.01)) if stack else [])


def gear_lever(at: tuple[float, float, float], height: float = 0.13, lean: float = 0.25) -> list[Mesh]:
    """A gear lever in its gaiter on the console at `at`; its knob is `lean` times its height behind its foot."""
    x, y, z = at
    top = (x, y - height * lean, z + height)
    gaiter = cushion(
        [(x + dx, y + dy, z + 0.004, 0.010) for dx in (-0.035, 0.035) for dy in (-0.045, 0.045)]
        + [(x, y - 0.4 * height * lean, z + 0.42 * height, 0.014)],
        "seat",
        8,
    )
    return [
        box((x, y, z + 0.004), (0.105, 0.125, 0.010), 0.004, "frame"),
        gaiter,
        tube([(x, y, z), top], 0.006, "chrome", 8),
        cushion([(*top, 0.021), (x, top[1] + 0.004, top[2] - 0.02, 0.014)], "seat", 12),
    ]


def door_cards(
    x: float, front: float, back: float, top: float, low: float, material: str = "lining", insert: str = "cloth"
) -> list[Mesh]:
    """Trim of both doors: panel, padded top, armrest with a pull, speaker.

    `x` is the |x| of the panels, `front` and `back` are the y of their ends, `top` and `low` their z; m.
    """
    middle, size, height = (front + back) / 2, front - back, top - low
    rest_z = low + 0.52 * height
    parts = [box((x, middle, (top + low) / 2), (0.03, size, height), 0.012, material),
             box((x - 0.011, middle - 0.02, rest_z + 0.16 * height), (0.02, 0.74 * size, 0.26 * height), 0.008, insert),
             cushion([(x - 0.005, y, top - 0.02, 0.034) for y in (front, back)], "plastic_black", 6),
             cushion([(x - 0.035, y, rest_z, 0.034) for y in (middle + 0.12 * size, back + 0.12)], "seat", 6),
             box((x - 0.02, front - 0.22 * size, rest_z + 0.10), (0.02, 0.11, 0.022), 0.006, "chrome"),
             lathe([(-0.014, 0.0), (-0.026, 0.070), (0.0, 0.085), (0.0, 0.0)], 12)
             .moved(x - 0.014, front - 0.18 * size, low + 0.17 * height)]  # fmt: skip
    return [with_mirror_image(part) for part in parts]
