"""Seats and a seated driver with helmet, from padded hulls."""
import numpy as np

from assets.build.mesh import cut, join
from assets.build.parts import cushion, lathe, pad, tube


def seat(at, material="seat"):
    """A sports seat; `at` is the middle of its cushion's lower rear edge region (x, y, z of the floor under it)."""
    x, y, z = at
    base = pad((x, y + 0.10, z + 0.12), (0.46, 0.50, 0.15), 0.05, material, 0.12)
    back = pad((x, y - 0.20, z + 0.42), (0.44, 0.13, 0.58), 0.055, material, 0.26)
    head = pad((x, y - 0.315, z + 0.765), (0.25, 0.09, 0.16), 0.04, material, 0.20)
    wings = []
    for s in (-1, 1):
        wings.append(pad((x + s * 0.21, y + 0.10, z + 0.16), (0.08, 0.44, 0.12), 0.035, material, 0.12))
        wings.append(pad((x + s * 0.20, y - 0.145, z + 0.42), (0.08, 0.14, 0.44), 0.035, material, 0.26))
    return join([base, back, head, *wings])


def driver(at, wheel, radius=0.17):
    """Torso, arms on the steering wheel (centre `wheel`), legs, head with helmet; `at` as for the seat."""
    x, y, z = at
    hip, chest, neck = (x, y - 0.02, z + 0.26), (x, y - 0.12, z + 0.55), (x, y - 0.15, z + 0.68)
    torso = cushion([(hip[0] + s * 0.10, hip[1], hip[2], 0.10) for s in (-1, 1)]
                    + [(chest[0] + s * 0.13, chest[1], chest[2], 0.095) for s in (-1, 1)], "seat")
    parts = [torso, tube([(neck[0], neck[1], neck[2] - 0.05), (neck[0], neck[1] + 0.02, neck[2] + 0.06)], 0.06, "seat",
                         10)]
    for s in (-1, 1):
        hand = np.array([wheel[0] + s * radius * 0.92, wheel[1] - 0.015, wheel[2] + 0.05])
        shoulder = np.array([x + s * 0.20, chest[1] + 0.01, chest[2] + 0.035])
        elbow = np.array([x + s * 0.27, (shoulder[1] + hand[1]) / 2 - 0.04, min(shoulder[2], hand[2]) - 0.12])
        parts += [tube([shoulder, elbow], [0.062, 0.05], "seat", 8), tube([elbow, hand], [0.05, 0.036], "seat", 8),
                  cushion([(*shoulder, 0.07), (*(shoulder + [-s * 0.05, 0, 0]), 0.075)], "seat"),
                  cushion([(*elbow, 0.053)],
                          "seat"), cushion([(*hand, 0.042), (hand[0], hand[1], hand[2] - 0.04, 0.036)], "seat")]
        knee = np.array([x + s * 0.13, y + 0.44, z + 0.36])
        foot = np.array([x + s * 0.10, y + 0.84, z + 0.10])
        parts += [tube([(hip[0] + s * 0.10, hip[1], hip[2] - 0.02), knee], [0.085, 0.065], "seat", 8),
                  tube([knee, foot], [0.062, 0.045], "seat", 8), cushion([(*knee, 0.067)], "seat")]
    return [*parts, helmet((x, y - 0.10, z + 0.80))]


def commander(at):
    """Who stands in a hatch, seen from the chest up, hands on its rim; `at` is the middle of the hatch."""
    x, y, z = at
    chest = [(x + s * 0.12, y, z + dz, r) for s in (-1, 1) for dz, r in ((-0.06, 0.11), (0.16, 0.10))]
    parts = [cushion(chest, "seat"), tube([(x, y, z + 0.20), (x, y, z + 0.34)], 0.06, "seat", 10)]
    for s in (-1, 1):
        shoulder, elbow, hand = (np.array([x + s * dx, y + dy, z + dz]) for dx, dy, dz in (
            (0.20, 0.0, 0.17), (0.30, 0.06, 0.06), (0.16, 0.24, 0.05)))
        parts += [tube([shoulder, elbow, hand], [0.06, 0.05, 0.035], "seat", 8), cushion([(*hand, 0.042)], "seat"),
                  cushion([(*shoulder, 0.07)], "seat")]
    return [*parts, helmet((x, y, z + 0.40))]


def helmet(at):
    """A full-face helmet looking along +y, with a dark visor."""
    shell = lathe([(0.135, 0.0), (0.128, 0.045), (0.105, 0.088), (0.066, 0.116), (0.018, 0.128), (-0.035, 0.126),
                   (-0.082, 0.113),
                   (-0.125, 0.098), (-0.135, 0.085), (-0.135, 0.0)], 28, "paint").turned(1, -np.pi / 2)
    front = np.maximum(shell.v[:, 1], 0) / 0.128
    shell.v[:, 1] *= np.where(shell.v[:, 1] > 0, 1.08 + 0.16 * np.clip((0.02 - shell.v[:, 2]) / 0.10, 0, 1) * front,
                              1.12)

    def visor(v, attr):
        return np.maximum(0.030 - v[:, 1], np.abs(v[:, 2] - 0.018 - 0.06 * (v[:, 1] - 0.13)) - 0.040)

    shell, mask = cut(shell, visor)
    shell.m[mask] = "gloss_black"
    return shell.moved(*at)
