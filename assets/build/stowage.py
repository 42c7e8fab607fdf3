"""Equipment on the sides of military vehicles: rivets, tools, cables, cans, rolls of canvas, vision flaps.

All are made for the right side, x outward; `x` is that of the plate that they are fixed to. Lengths in metres.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from driving_sandbox.assets.build.mesh import Mesh
from driving_sandbox.assets.build.parts import box, cushion, hull, lathe, tube

HEAD_RADIUS = 0.014  # m, radius of a rivet's head


def rivets(x: float, start: tuple[float, float], end: tuple[float, float], apart: float = 0.15) -> list[Mesh]:
    """A row of rivet heads from `start` to `end`, both (y, z), spaced by about `apart`, m."""
    (y0, z0), (y1, z1) = start, end
    count = max(2, round(float(np.hypot(y1 - y0, z1 - z0)) / apart) + 1)
    head = lathe([(0.0, 0.0), (0.0, HEAD_RADIUS), (0.006, 0.6 * HEAD_RADIUS), (0.007, 0.0)], 6, "paint")
    return [head.moved(x, y, z) for y, z in zip(np.linspace(y0, y1, count), np.linspace(z0, z1, count), strict=True)]


def spade(x: float, y: float, z: float, length: float = 1.0) -> list[Mesh]:
    """A spade on two clamps, its blade to the rear; `y` is the end of its handle."""
    blade = [(x + dx, y - length + 0.30 * t, z + side * wide) for t, wide in ((0, 0.02), (0.25, 0.085), (1.0, 0.10))
             for side in (-1, 1) for dx in (0.012, 0.022)]  # fmt: skip
    bar = tube([(x + 0.02, y - 0.05, z), (x + 0.02, y - length + 0.25, z)], 0.016, "canvas", 8)
    grip = tube([(x + 0.02, y - 0.02, z - 0.06), (x + 0.02, y - 0.02, z + 0.06)], 0.015, "frame", 8)
    fork = [tube([(x + 0.02, y - 0.10, z), (x + 0.02, y - 0.02, z + s * 0.055)], 0.010, "frame", 6) for s in (-1, 1)]
    return [hull(blade, "frame"), bar, grip, *fork, *clamps(x, (y - 0.22, y - length + 0.36), z)]


def axe(x: float, y: float, z: float, length: float = 0.85) -> list[Mesh]:
    """An axe on two clamps, its head to the front at `y`."""
    head = [(x + dx, y + dy, z + dz) for dx in (0.010, 0.030) for dy, dz in (
        (0.0, 0.045), (-0.05, 0.045), (-0.06, -0.12), (0.03, -0.12))]  # fmt: skip
    bar = tube([(x + 0.02, y - 0.02, z), (x + 0.02, y - length, z)], (0.018, 0.015), "canvas", 8)
    return [hull(head, "frame"), bar, *clamps(x, (y - 0.16, y - length + 0.12), z)]


def clamps(x: float, positions: Iterable[float], z: float) -> list[Mesh]:
    """Tool clamps at the y `positions`, at height z."""
    return [box((x + 0.02, y, z), (0.05, 0.035, 0.055), 0.008, "frame") for y in positions]


def cable(x: float, path: Sequence[tuple[float, float]], radius: float = 0.016) -> list[Mesh]:
    """A steel rope with an eye at each end, along `path`, points (y, z)."""
    points = [(x + radius, y, z) for y, z in path]
    eyes = [lathe([(0.016, 0.032), (0.016, 0.058), (-0.016, 0.058), (-0.016, 0.032)], 14, "disc")
            .moved(x + 0.018, y, z) for y, z in (path[0], path[-1])]  # fmt: skip
    return [tube(points, radius, "frame", 8), *eyes]


def can(x: float, y: float, z: float) -> list[Mesh]:
    """A fuel can in its rack, with pressed cross, handle and cap; `z` is the height of its foot."""
    wide, high, deep = 0.165, 0.45, 0.34
    body = box((x + wide / 2, y, z + high / 2), (wide, deep, high), 0.035, "canvas")
    parts = [
        body,
        box((x + wide / 2, y, z + 0.02), (wide + 0.03, deep + 0.03, 0.05), 0.006, "frame"),
        box((x + wide / 2, y, z + 0.30), (wide + 0.02, deep + 0.02, 0.03), 0.006, "frame"),
    ]
    for s in (-1, 1):
        across = [(x + wide - 0.004, y - s * 0.11, z + 0.09), (x + wide - 0.004, y + s * 0.11, z + 0.36)]
        handle = [(x + wide / 2 + s * 0.045, y + dy, z + high + dz) for dy, dz in (
            (-0.10, -0.01), (-0.08, 0.035), (0.05, 0.035))]  # fmt: skip
        parts += [tube(across, 0.012, "canvas", 6), tube(handle, 0.010, "canvas", 6)]
    return [*parts, tube([(x + wide / 2, y + 0.11, z + high - 0.02), (x + wide / 2, y + 0.13, z + high + 0.04)], 0.026,
                       "frame", 10)]  # fmt: skip


def roll(x: float, y: float, z: float, length: float, radius: float = 0.11) -> list[Mesh]:
    """A roll of canvas with two straps, lying along y against the plate."""
    ends = [(x + 0.9 * radius, y + s * (length / 2 - radius / 2), z, radius) for s in (-1, 1)]
    parts = [cushion(ends, "canvas", 12)]
    for s in (-1, 1):
        section = [(d, r * radius) for d, r in ((-0.018, 1.035), (0.018, 1.035), (0.018, 0.9), (-0.018, 0.9))]
        strap = lathe(section, 16, "seat").turned(2, np.pi / 2)
        parts.append(strap.moved(x + 0.9 * radius, y + s * 0.28 * length, z))
    return parts


def flap(x: float, y: float, z: float) -> list[Mesh]:
    """An armoured vision flap with its slit and hinges."""
    return [
        box((x + 0.012, y, z), (0.03, 0.30, 0.17), 0.010, "paint"),
        box((x + 0.028, y, z - 0.02), (0.012, 0.17, 0.022), 0.003, "gloss_black"),
        *(box((x + 0.014, y + s * 0.10, z + 0.09), (0.036, 0.05, 0.035), 0.008, "frame") for s in (-1, 1)),
    ]
