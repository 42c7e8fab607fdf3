"""What a driver looks at: dials behind the steering wheel, a screen, vents and knobs on the dashboard.

Faces look along -y, towards the driver, leant back by `lean` (rad). The material "dial" glows with the head lamps.
"""

import numpy as np

from assets.build.mesh import Mesh, both, join
from assets.build.parts import box, cushion, lathe

SWEEP = np.radians(250.0)  # rad; from the first mark of a dial to its last
MARKS = 11


def _flat(points, material):
    """A quadrilateral (x, z) facing -y."""
    return Mesh([(x, 0.0, z) for x, z in points], [(0, 1, 2), (0, 2, 3)], material)


def _bar(angle, inner, outer, half, material):
    """A bar along a radius, from the dial's middle; angle 0 is up, positive to the right."""
    c, s = np.cos(angle), np.sin(angle)
    corners = [(-half, inner), (half, inner), (half, outer), (-half, outer)]
    return _flat([(x * c + z * s, z * c - x * s) for x, z in corners], material)


def dial(radius, needle=-0.9, red=0):
    """Face, marks, a needle at `needle` (rad from upright) and a rim; the last `red` marks are red."""
    rim = lathe([(-0.012, 0.94 * radius), (-0.012, radius), (0.012, 1.06 * radius), (0.012, 0.94 * radius)], 28,
                "chrome").turned(2, -np.pi / 2)
    face = lathe([(0.0, 0.0), (0.0, radius), (-0.004, radius), (-0.004, 0.0)], 28, "gloss_black").turned(2, -np.pi / 2)
    parts = [rim, face]
    for k in range(MARKS):
        angle = SWEEP * (k / (MARKS - 1) - 0.5)
        material = "caliper" if k >= MARKS - red else "dial"
        parts.append(_bar(angle, (0.74 if k % 2 else 0.66) * radius, 0.88 * radius, 0.026 * radius, material)
                     .moved(y=-0.0025))
    parts.append(_bar(needle, -0.16 * radius, 0.80 * radius, 0.032 * radius, "caliper").moved(y=-0.004))
    return join(parts)


def instruments(at, lean=0.30, radius=0.050):
    """Speedometer and tachometer side by side about `at`, two small gauges beside them, under a hood."""
    x, y, z = at
    apart = 1.25 * radius
    parts = [dial(radius, -1.3).moved(x=-apart), dial(radius, -1.6, red=2).moved(x=apart)]
    small = 0.42 * radius
    parts += [dial(small, turn).moved(x=s * (apart + radius + 1.25 * small), z=-0.5 * radius)
              for s, turn in ((-1, -0.4), (1, 0.3))]  # fmt: skip
    wide, high = 2 * (apart + radius + 2.6 * small), 2.5 * radius
    parts.append(box((0, 0.022, 0), (wide, 0.030, high), 0.010))
    parts.append(box((0, -0.015, high / 2), (wide, 0.085, 0.012), 0.005))
    return [part.turned(0, -lean).moved(x, y, z) for part in parts]


def console(at, lean=0.15, width=0.22):
    """A screen with two vents above and three knobs below, about `at`."""
    x, y, z = at
    parts = [box((0, 0.012, 0), (width + 0.03, 0.03, 0.25), 0.010),
             box((0, -0.004, 0.005), (0.88 * width, 0.010, 0.095), 0.004, "gloss_black")]
    for s in (-1, 1):
        parts.append(box((s * 0.25 * width, -0.004, 0.090), (0.44 * width, 0.012, 0.050), 0.004, "gloss_black"))
        parts += [box((s * 0.25 * width, -0.010, 0.090 + dz), (0.42 * width, 0.010, 0.005), 0.002)
                  for dz in (-0.014, 0.0, 0.014)]  # fmt: skip
    knob = lathe([(0.022, 0.0), (0.020, 0.017), (0.0, 0.019), (0.0, 0.0)], 14, "chrome").turned(2, -np.pi / 2)
    parts += [knob.moved(k * 0.30 * width, -0.004, -0.080) for k in (-1, 0, 1)]
    return [part.turned(0, -lean).moved(x, y, z) for part in parts]


def vents(half_width, y, z, lean=0.15):
    """Round air vents at both ends of a dashboard."""
    ring = join([lathe([(-0.012, 0.026), (-0.014, 0.036), (0.010, 0.038), (0.010, 0.026)], 18, "chrome"),
                 lathe([(0.0, 0.0), (0.0, 0.030), (-0.006, 0.030), (-0.006, 0.0)], 18, "gloss_black")])
    return [ring.turned(2, np.pi / 2).turned(0, -lean).moved(s * half_width, y, z) for s in (-1, 1)]


def dashboard(half_width, back, front, low, driver, material="plastic_black", stack=True):
    """A padded dashboard from door to door with instruments, vents and, with `stack`, a console in its middle.

    Args:
        back, front, low: (y, z, radius) of its edges: under the screen, above and below towards the seats. driver: x.
    """
    pads = [(s * half_width, y, z, r) for s in (-1, 1) for y, z, r in (back, front, low)]
    face = front[0] - front[2]
    out = [cushion(pads, material), *instruments((driver, face - 0.04, front[1] + 0.08))]
    out += vents(half_width - 0.07, face - 0.002, front[1] - 0.015)
    return out + (console((0, face - 0.012, (front[1] + low[1]) / 2 + 0.01)) if stack else [])


def door_cards(x, front, back, top, low, material="lining"):
    """What the doors wear inside, from `front` to `back` at |x|: panel, padded top, armrest with a pull, speaker."""
    middle, size, height = (front + back) / 2, front - back, top - low
    rest = low + 0.52 * height
    parts = [box((x, middle, (top + low) / 2), (0.03, size, height), 0.012, material),
             cushion([(x - 0.005, y, top - 0.02, 0.034) for y in (front, back)], "plastic_black", 6),
             cushion([(x - 0.035, y, rest, 0.034) for y in (middle + 0.12 * size, back + 0.12)], "seat", 6),
             box((x - 0.02, front - 0.22 * size, rest + 0.10), (0.02, 0.11, 0.022), 0.006, "chrome"),
             lathe([(0.0, 0.0), (-0.02, 0.06), (-0.026, 0.075), (0.0, 0.085), (0.0, 0.0)], 12)
             .moved(x - 0.014, front - 0.18 * size, low + 0.17 * height)]  # fmt: skip
    return [both(part) for part in parts]
