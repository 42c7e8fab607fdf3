"""Seats and figures (a seated driver, a standing commander), dressed for the vehicle, from convex hulls of spheres."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from driving_sandbox.assets.build.mesh import Mesh, cut, join, with_mirror_image
from driving_sandbox.assets.build.parts import cushion, hull, lathe, pad, tube

ELBOW = (0.27, 0.14, -0.08)  # m, of an elbow: to the side and ahead of the eyes, above the steering wheel's centre
EYES_AHEAD = 0.02  # m by which the eyes are ahead of the seat's position `at`


def seat(at: tuple[float, float, float], insert: str = "cloth", material: str = "seat") -> Mesh:
    """A sports seat whose cushions have an `insert` between darker bolsters.

    Args:
        at: point in the seat's middle plane, 0.15 m ahead of the lower cushion's rear edge, on the floor under it, m.
        insert: material of the middle of the cushions.
        material: of the bolsters.
    """
    x, y, z = at
    parts = [
        pad((x, y + 0.10, z + 0.12), (0.46, 0.50, 0.13), 0.05, material, 0.12),
        pad((x, y + 0.10, z + 0.135), (0.34, 0.49, 0.13), 0.04, insert, 0.12),
        pad((x, y - 0.21, z + 0.42), (0.44, 0.12, 0.58), 0.055, material, 0.26),
        pad((x, y - 0.195, z + 0.42), (0.33, 0.13, 0.52), 0.04, insert, 0.26),
        pad((x, y - 0.315, z + 0.765), (0.25, 0.09, 0.16), 0.04, material, 0.20),
    ]
    for s in (-1, 1):
        parts.append(pad((x + s * 0.21, y + 0.10, z + 0.16), (0.08, 0.44, 0.12), 0.035, material, 0.12))
        parts.append(pad((x + s * 0.20, y - 0.145, z + 0.42), (0.08, 0.14, 0.44), 0.035, material, 0.26))
        edge = [(0.0, -0.215, 0.0), (0.0, 0.215, 0.0)]  # a seam along the ridge of each bolster
        for centre, lean in (
            ((x + s * 0.196, y + 0.10, z + 0.2195), 0.12),
            ((x + s * 0.190, y - 0.076, z + 0.425), 0.26 - np.pi / 2),
        ):
            seam = tube(edge, 0.0016, "stitch", 4)
            parts.append(seam.turned(0, lean).moved(*centre))
    return join(parts)


def elbow_of(eye: Sequence[float] | np.ndarray, wheel: Sequence[float] | np.ndarray, side: int) -> np.ndarray:
    """Position of a driver's left (side -1) or right (1) elbow, with eyes at `eye` and a steering wheel at `wheel`."""
    return np.array([eye[0] + side * ELBOW[0], eye[1] + ELBOW[1], wheel[2] + ELBOW[2]])


def driver(
    at: tuple[float, float, float], wheel: tuple[float, float, float], worn: "Clothes | None" = None
) -> list[Mesh]:
    """Torso, upper arms, legs and head of a driver; forearms and hands are those of assets/build/hands.py.

    Args:
        at: position of the seat, as for `seat`.
        wheel: middle of the steering wheel, m.
        worn: a value of CLOTHES; None for the default.
    """
    x, y, z = at
    worn = worn or CLOTHES[None]
    hip, chest, neck = (x, y - 0.02, z + 0.26), (x, y - 0.12, z + 0.55), (x, y - 0.15, z + 0.68)
    torso = cushion(
        [(hip[0] + s * 0.10, hip[1], hip[2], 0.10) for s in (-1, 1)]
        + [(chest[0] + s * 0.13, chest[1], chest[2], 0.095) for s in (-1, 1)],
        worn.coat,
    )
    parts = [
        torso,
        tube([(neck[0], neck[1], neck[2] - 0.05), (neck[0], neck[1] + 0.02, neck[2] + 0.06)], 0.06, worn.hands, 10),
    ]
    for s in (-1, 1):
        shoulder = np.array([x + s * 0.20, chest[1] + 0.01, chest[2] + 0.035])
        elbow = elbow_of((x, y + EYES_AHEAD, 0.0), wheel, s)
        parts += [
            tube([shoulder, elbow], [0.062, 0.055], worn.coat, 8),
            cushion([(*shoulder, 0.07), (*(shoulder + [-s * 0.05, 0, 0]), 0.075)], worn.coat),
            cushion([(*elbow, 0.058)], worn.coat),
        ]
        knee = np.array([x + s * 0.13, y + 0.44, z + 0.36])
        foot = np.array([x + s * 0.10, y + 0.84, z + 0.10])
        parts += [
            tube([(hip[0] + s * 0.10, hip[1], hip[2] - 0.02), knee], [0.085, 0.065], "seat", 8),
            tube([knee, foot], [0.062, 0.045], "seat", 8),
            cushion([(*knee, 0.067)], "seat"),
        ]
    return [*parts, *worn.head((x, y - 0.10, z + 0.80))]


def commander(at: tuple[float, float, float]) -> list[Mesh]:
    """A commander standing in a hatch, from the chest up, hands on its rim; `at` is the centre of the hatch."""
    x, y, z = at
    worn = CLOTHES["tank"]
    chest = [(x + s * 0.12, y, z + dz, r) for s in (-1, 1) for dz, r in ((-0.06, 0.11), (0.16, 0.10))]
    parts = [cushion(chest, worn.coat), tube([(x, y, z + 0.20), (x, y, z + 0.34)], 0.06, worn.hands, 10)]
    for s in (-1, 1):
        shoulder, elbow, hand = (
            np.array([x + s * dx, y + dy, z + dz])
            for dx, dy, dz in ((0.20, 0.0, 0.17), (0.30, 0.06, 0.06), (0.16, 0.24, 0.05))
        )
        parts += [
            tube([shoulder, elbow, hand], [0.06, 0.05, 0.035], worn.coat, 8),
            cushion([(*hand, 0.042)], worn.hands),
            cushion([(*shoulder, 0.07)], worn.coat),
        ]
    return [*parts, *worn.head((x, y, z + 0.40))]


def helmet(at: tuple[float, float, float]) -> list[Mesh]:
    """A full-face helmet centred at `at`, facing +y, with a dark visor."""
    shell = lathe(
        [
            (0.135, 0.0),
            (0.128, 0.045),
            (0.105, 0.088),
            (0.066, 0.116),
            (0.018, 0.128),
            (-0.035, 0.126),
            (-0.082, 0.113),
            (-0.125, 0.098),
            (-0.135, 0.085),
            (-0.135, 0.0),
        ],
        28,
        "paint",
    ).turned(1, -np.pi / 2)
    front = np.maximum(shell.v[:, 1], 0) / 0.128
    shell.v[:, 1] *= np.where(
        shell.v[:, 1] > 0, 1.08 + 0.16 * np.clip((0.02 - shell.v[:, 2]) / 0.10, 0, 1) * front, 1.12
    )

    def visor(v, attr):
        return np.maximum(0.030 - v[:, 1], np.abs(v[:, 2] - 0.018 - 0.06 * (v[:, 1] - 0.13)) - 0.040)

    shell, mask = cut(shell, visor)
    shell.m[mask] = "gloss_black"
    return [shell.moved(*at)]


def face(hair: str = "seat") -> list[Mesh]:
    """Head and neck facing +y, with sunglasses; its origin is that of `helmet`."""
    skull = cushion(
        [
            (0, -0.020, 0.040, 0.080),
            (0, 0.022, 0.034, 0.072),
            *((s * 0.040, 0.036, -0.012, 0.036) for s in (-1, 1)),
            *((s * 0.022, 0.050, -0.068, 0.030) for s in (-1, 1)),
        ],
        "skin",
        16,
    )
    nose = hull(
        [
            (0, 0.122, -0.020),
            (0.017, 0.088, -0.028),
            (-0.017, 0.088, -0.028),
            (0.009, 0.094, 0.020),
            (-0.009, 0.094, 0.020),
            (0, 0.104, 0.016),
        ],
        "skin",
    )
    back = cushion([(0, -0.034, 0.034, 0.081), (0, -0.030, -0.012, 0.070)], hair, 16)
    parts = [skull, nose, back, tube([(0, -0.03, -0.14), (0, -0.015, -0.02)], 0.052, "skin", 12)]
    for s in (-1, 1):
        parts.append(
            cushion([(s * 0.080, -0.002 + y, z, 0.011) for y, z in ((0, 0.018), (-0.012, 0.012), (0, -0.018))], "skin")
        )
        lens = [
            (s * x, y + d, z)
            for d in (0, 0.008)
            for x, y, z in (
                (0.010, 0.100, 0.030),
                (0.062, 0.078, 0.032),
                (0.014, 0.098, -0.004),
                (0.056, 0.080, -0.006),
            )
        ]
        parts += [
            hull(lens, "gloss_black"),
            tube([(s * 0.062, 0.080, 0.026), (s * 0.084, 0.0, 0.026)], 0.004, "gloss_black", 6),
        ]
    return parts


def dome(low: float, half_width: float, height: float, longer: float, material: str) -> Mesh:
    """The upper half of an ellipsoid, its base at z = `low`, `longer` times as long (along y) as it is wide; in m."""
    angles = np.arange(6) * np.pi / 12
    rows = [(0.0, 0.0), *((height * np.sin(a), half_width * np.cos(a)) for a in angles), (height, 0.0)]
    shape = lathe(rows, 24, material).turned(1, -np.pi / 2)
    return shape.scaled(1.0, longer, 1.0).moved(0, -0.004, low)


def bare_head(at: tuple[float, float, float]) -> list[Mesh]:
    """A bare head with short dark hair."""
    return [
        part.moved(*at)
        for part in (*face(), dome(low=0.044, half_width=0.086, height=0.082, longer=1.14, material="seat"))
    ]


def capped(at: tuple[float, float, float]) -> list[Mesh]:
    """A head in a cap with a peak, which has the vehicle's colour."""
    rim = [(np.sin(a), np.cos(a)) for a in np.linspace(-1.15, 1.15, 9)]
    peak = hull(
        [(0.084 * x, 0.094 * y, 0.066 + dz) for x, y in rim for dz in (0, 0.005)]
        + [(0.080 * x, 0.060 + 0.115 * y, 0.046 + dz) for x, y in rim[2:7] for dz in (0, 0.005)],
        "matt",
    )
    return [
        part.moved(*at)
        for part in (*face(), dome(low=0.060, half_width=0.090, height=0.074, longer=1.14, material="matt"), peak)
    ]


def steel_helmet(at: tuple[float, float, float]) -> list[Mesh]:
    """A head in a soldier's helmet with a strap, which has the vehicle's colour."""
    shell = dome(low=0.030, half_width=0.112, height=0.112, longer=1.18, material="matt")
    brim = lathe([(0.0, 0.0), (-0.012, 0.130), (-0.006, 0.131), (0.020, 0.110), (0.0, 0.0)], 24, "matt")
    straps = [
        tube([(s * 0.088, 0.006, 0.03), (s * 0.070, 0.034, -0.060), (0, 0.062, -0.102)], 0.006, "canvas", 6)
        for s in (-1, 1)
    ]
    brim = brim.turned(1, -np.pi / 2).scaled(1.0, 1.16, 1.0).moved(0, -0.004, 0.036)
    return [part.moved(*at) for part in (*face(), shell, brim, *straps)]


def crew_helmet(at: tuple[float, float, float]) -> list[Mesh]:
    """A head in a padded helmet with earpieces and goggles pushed up."""
    pads = [
        cushion([(x, 0.060, 0.088, 0.016), (x, -0.070, 0.100, 0.016), (0.8 * x, 0.0, 0.122, 0.016)], "canvas")
        for x in (-0.05, 0.0, 0.05)
    ]
    ear = lathe([(0.0, 0.0), (0.0, 0.045), (0.022, 0.040), (0.026, 0.0), (0.0, 0.0)], 16, "plastic_black")
    goggles = cushion([(s * 0.038, 0.098, 0.074, 0.022) for s in (-1, 1)], "gloss_black", 12)
    return [
        part.moved(*at)
        for part in (
            *face(),
            dome(low=0.034, half_width=0.096, height=0.092, longer=1.14, material="canvas"),
            *pads,
            with_mirror_image(ear.moved(0.080, -0.010, 0.008)),
            goggles,
        )
    ]


@dataclass(frozen=True)
class Clothes:
    """A figure's clothing.

    Attributes:
        head: function of the position of the head, m, that returns its meshes.
        hands, coat: materials.
    """

    head: Callable = bare_head
    hands: str = "skin"
    coat: str = "cloth"


RACING = Clothes(helmet, "leather")
# {vehicle: clothes of its driver}; None: of all others
CLOTHES = {None: Clothes(), "roadster": RACING, "track_roadster": RACING, "coupe": RACING, "buggy": RACING,
           "truck": Clothes(capped), "tractor": Clothes(capped), "patrol": Clothes(capped, coat="canvas"),
           "half_track": Clothes(steel_helmet, coat="canvas"), "tank": Clothes(crew_helmet, coat="canvas")}  # fmt: skip
