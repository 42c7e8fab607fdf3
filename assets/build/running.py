"""Running gear other than beam axles: tracks on swing arms, a single front wheel.

The tree of nodes is that of `chassis.py`; wheels are numbered station by station, left first. A track is a node
`beltN` (1 left, 2 right) with the mesh of one link about its origin; the renderer draws links along the path that the
node's extras describe, lengths in metres:

    wheels   numbers of the road wheels it passes below, from the front to the rear
    under    distance from their centres down to the path
    reach    distance ahead of and behind each centre over which the path is flat
    path     [y, z, y, z, ...] of the rest: from ahead of the first wheel, above the wheels, to behind the last one
    pitch    length of a link at rest

The path is the line of the links' pins. Seen from +x, the outside of the track, which touches the ground, is on the
right of the path. `beltN_turnM` are sprocket and idler, which turn with the track; extras: radius.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from driving_sandbox.assets.build.chassis import body_nodes, link, proxy, steering_wheel
from driving_sandbox.assets.build.glb import Node
from driving_sandbox.assets.build.mesh import Mesh, join, primitives
from driving_sandbox.assets.build.parts import between, box, hull, lathe, tube

SHADED_REACH = 4.3  # m from the origin; ambient occlusion of larger vehicles is baked at a smaller scale
LINK_THICKNESS = 0.03  # m
GROUSER = 0.015  # m, height of a link's rib (grouser)
FLAT_REACH = 0.07  # m ahead of and behind a road wheel's centre, over which the track is flat


@dataclass(frozen=True)
class Station:
    """Wheels at one `y`: a pair at +-x, or a single one in the middle if x is 0. Lengths in metres."""

    y: float
    x: float
    z: float
    turning: Mesh  # spinning parts of a right wheel, about its centre
    still: Mesh  # parts at the wheel that do not spin
    size: tuple  # (radius, half width) of the simplified wheel in the ambient occlusion
    links: Callable  # function (number, centre, side) -> nodes of its suspension

    def sides(self) -> tuple[int, ...]:
        """-1 (left) and 1 (right), or 1 alone for a single wheel."""
        return (-1, 1) if self.x else (1,)


def running_gear(stations: Sequence[Station]) -> list[Node]:
    """Nodes of the wheels, of the parts beside them that do not spin, and of their suspension links."""
    spinning, still, n = [], [], 0
    groups = {}
    for k, station in enumerate(stations):
        for side in station.sides():
            n += 1
            centre = np.array([side * station.x, station.y, station.z])
            key = (id(station.turning), id(station.still), side)
            if key not in groups:
                groups[key] = [primitives(m if side > 0 else m.mirrored()) for m in (station.turning, station.still)]
            turning, still_parts = groups[key]
            label = f"station {k + 1} {('left', 'middle', 'right')[(side + 1) if station.x else 1]}"
            spinning.append(Node(f"wheel{n}", tuple(centre), primitives=turning, extras={"position": label}))
            helpers = [Node(f"wheel{n}_lower"), Node(f"wheel{n}_upper", (0.0, 0.0, 0.34))]  # m, suspension's length
            still.append(Node(f"brake{n}", tuple(centre), primitives=still_parts, children=helpers))
            still += station.links(n, centre, side)
    return spinning + still


def tree(
    name: str,
    stations: Sequence[Station],
    body: Sequence[Mesh],
    proxy_points: ArrayLike,
    column: tuple[tuple[float, float, float], float],
    radius: float = 0.2,
    driver: Sequence[Mesh] = (),
    belts: Sequence[Node] = (),
) -> Node:
    """The root node of a vehicle on `stations`.

    Args:
        body: list of meshes.
        proxy_points: corners of the right half of the collision hull.
        column: (position, tilt) of the steering wheel.
        radius: of the steering wheel, m.
        driver: meshes of a figure; may be empty.
        belts: nodes of the tracks, from `belts`.
    """
    wheels = []
    for station in stations:
        r, w = station.size
        plain = lathe([(w, 0.0), (w, 0.9 * r), (0.8 * w, r), (-0.8 * w, r), (-w, 0.9 * r), (-w, 0.0)], 24)
        wheels += [plain.moved(side * station.x, station.y, station.z) for side in station.sides()]
    reach = max(float(np.sqrt((mesh.v**2).sum(axis=1)).max()) for mesh in body)
    visible = body_nodes(body, wheels, driver, scale=round(min(1.0, SHADED_REACH / reach), 3))
    extras = {"stations": [[station.x, station.y] for station in stations]}
    return Node(
        name,
        extras=extras,
        children=[
            *visible,
            proxy(proxy_points),
            *running_gear(stations),
            steering_wheel(*column, radius=radius),
            *belts,
        ],
    )


def road_wheel(radius: float, half_width: float, material: str = "paint", holes: int = 6) -> Mesh:
    """Two rubber-tired discs on one hub, a gap for the guide teeth between them."""
    parts = []
    gap, rim = 0.22 * half_width, 0.80 * radius
    for s in (-1, 1):
        a, b = sorted((s * gap, s * half_width))
        parts.append(
            lathe(
                [(b, rim), (b, 0.97 * radius), (b - 0.01, radius), (a + 0.01, radius), (a, 0.97 * radius), (a, rim)],
                32,
                "rubber",
            )
        )
    face = 0.86 * half_width
    dish = [
        (face, rim + 0.004),
        (face, 0.90 * rim),
        (0.35 * half_width, 0.66 * rim),
        (0.42 * half_width, 0.42 * rim),
        (0.95 * half_width, 0.36 * rim),
        (0.98 * half_width, 0.10 * rim),
        (0.98 * half_width, 0.0),
    ]
    back = [(-0.6 * half_width, 0.0), (-0.6 * half_width, rim + 0.004)]
    parts.append(lathe([*back, *dish], 32, material))
    for k in range(holes):  # a lightening hole and a hub bolt each
        a = 2 * np.pi * k / holes
        parts.append(
            lathe(
                [(0.006, 0.0), (0.006, 0.085 * radius), (-0.01, 0.085 * radius), (-0.01, 0.0)], 10, "gloss_black"
            ).moved(0.38 * half_width, 0.54 * rim * np.cos(a), 0.54 * rim * np.sin(a))
        )
        parts.append(
            lathe([(0.012, 0.0), (0.012, 0.035 * radius), (0.0, 0.04 * radius), (0.0, 0.0)], 6, "frame").moved(
                0.96 * half_width, 0.24 * rim * np.cos(a + 0.5), 0.24 * rim * np.sin(a + 0.5)
            )
        )
    return join(parts)


def end_wheel(radius: float, half_width: float, teeth: int = 0, material: str = "paint") -> Mesh:
    """Idler, or with teeth a sprocket: two rings of `radius` (the root circle of the teeth) on a drum."""
    parts = [
        lathe(
            [
                (0.55 * half_width, 0.0),
                (0.62 * half_width, 0.4 * radius),
                (0.40 * half_width, 0.5 * radius),
                (0.40 * half_width, 0.82 * radius),
                (-0.4 * half_width, 0.82 * radius),
                (-0.4 * half_width, 0.0),
            ],
            24,
            material,
        )
    ]
    for s in (-1, 1):
        x = s * 0.62 * half_width
        parts.append(
            lathe(
                [(x + 0.02, 0.74 * radius), (x + 0.02, radius), (x - 0.02, radius), (x - 0.02, 0.74 * radius)],
                28,
                "disc" if teeth else material,
            )
        )
        for k in range(teeth):
            tooth = box((x, 0, radius), (0.035, 0.05, 0.07), 0.012, "disc")
            parts.append(tooth.turned(0, 2 * np.pi * k / teeth))
    for k in range(8):  # hub bolts
        a = 2 * np.pi * k / 8
        parts.append(
            lathe([(0.012, 0.0), (0.012, 0.014), (0.0, 0.016), (0.0, 0.0)], 6, "frame").moved(
                0.60 * half_width, 0.30 * radius * np.cos(a), 0.30 * radius * np.sin(a)
            )
        )
    return join(parts)


def track_link(width: float, pitch: float, pad: str = "rubber") -> Mesh:
    """One link about the origin: the ground below (-z), its guide tooth above; y is along the track."""
    t = LINK_THICKNESS
    shoe = _plate(width / 2, 0.40 * pitch, -t, 0.0, 0.9, "frame")
    grouser = _plate(0.47 * width, 0.13 * pitch, -t - GROUSER, -t, 1.5, pad)
    pins = tube([(-0.51 * width, pitch / 2, -t / 2), (0.51 * width, pitch / 2, -t / 2)], 0.36 * t, "disc", 4)
    tooth = hull(
        [
            (-0.018, -0.03, 0),
            (0.018, -0.03, 0),
            (-0.018, 0.03, 0),
            (0.018, 0.03, 0),
            (0, -0.014, 0.06),
            (0, 0.014, 0.06),
        ],
        "frame",
    )
    return join([shoe, grouser, pins, tooth])


def _plate(half_x, half_y, low, high, widen, material):
    """A plate between z = `low` and `high`.

    `half_x`, `half_y`: half the edges of its lower face; the upper face is `widen` times as long along y.
    """
    return hull(
        [
            (sx * half_x, sy * half_y * (widen if z == high else 1.0), z)
            for z in (low, high)
            for sx in (-1, 1)
            for sy in (-1, 1)
        ],
        material,
    )


def belts(
    x: float,
    width: float,
    pitch: float,
    path: Sequence[tuple[float, float]],
    wheels: Sequence[int],
    radius: float,
    ends: Sequence[tuple[Mesh, tuple[float, float, float]]],
) -> list[Node]:
    """Nodes of the tracks at -x and x.

    Args:
        path: (y, z) of the right track's points, as `path` in the module's docstring.
        wheels: numbers of the right road wheels.
        radius: from a road wheel's axis to the ground, track included.
        ends: [(mesh about its centre, (y, z, radius))] of the sprocket and idler that turn with the track.
    """
    out = []
    for n, side in ((1, -1), (2, 1)):
        one_link = track_link(width, pitch)
        path_yz = [round(float(v), 4) for point in path for v in point]
        extras = {
            "wheels": [w - (side < 0) for w in wheels],
            "under": round(radius - LINK_THICKNESS - GROUSER, 4),
            "reach": FLAT_REACH,
            "pitch": pitch,
            "path": path_yz,
        }
        turning = [
            Node(
                f"belt{n}_turn{k + 1}",
                (side * x, y, z),
                extras={"radius": r},
                primitives=primitives(mesh if side > 0 else mesh.mirrored()),
            )
            for k, (mesh, (y, z, r)) in enumerate(ends)
        ]
        out += [Node(f"belt{n}", (side * x, 0.0, 0.0), primitives=primitives(one_link), extras=extras), *turning]
    return out


def round_end(
    y: float, z: float, radius: float, start: float, end: float, steps: int = 10
) -> list[tuple[float, float]]:
    """`steps` points (y, z) of an arc about the given centre, from `start` to `end`, rad from the y axis towards z."""
    return [(y + radius * np.cos(a), z + radius * np.sin(a)) for a in np.linspace(start, end, steps)]


def sag(a: tuple[float, float], b: tuple[float, float], depth: float, steps: int = 6) -> list[tuple[float, float]]:
    """Points between a and b, hanging down by `depth` in the middle."""
    s = np.linspace(0, 1, steps + 2)[1:-1]
    return [(a[0] + (b[0] - a[0]) * q, a[1] + (b[1] - a[1]) * q - 4 * depth * q * (1 - q)) for q in s]


def swing_arms(
    inner: float, pivot: tuple[float, float], top: tuple[float, float], bar: float = 0.05
) -> Callable[[int, np.ndarray, int], list[Node]]:
    """A function that makes the links of a wheel on a trailing arm, for `Station.links`.

    Args:
        inner: how far inboard of the wheel's centre plane the arm and the damper are attached, m.
        pivot: (y, z) of the arm's pivot relative to the wheel centre, m.
        top: (y, z) of the damper's upper end relative to the wheel centre, m.
        bar: radius of the arm, m.
    """

    def links(n, centre, side):
        """Nodes of arm and damper of wheel `n`; `centre`: its position, `side`: -1 left, 1 right."""
        hub = centre + [-side * inner, 0.0, 0.0]
        arm_pivot = np.array([hub[0] - side * 0.05, centre[1] + pivot[0], centre[2] + pivot[1]])
        damper_top = np.array([arm_pivot[0], centre[1] + top[0], centre[2] + top[1]])
        arm = join(
            [
                tube([arm_pivot, hub], [bar * 1.15, bar], "frame", 10),
                tube([arm_pivot - [side * 0.10, 0, 0], arm_pivot + [side * 0.07, 0, 0]], 1.5 * bar, "frame", 12),
            ]
        )
        to_top = damper_top - hub
        damper = join(
            [
                between(hub, hub + 0.6 * to_top, 0.035, "plastic_black", 10),
                between(hub + 0.3 * to_top, damper_top, 0.05, "frame", 10),
            ]
        )
        return [link(n, "susp", n - 1, damper_top, hub, damper), link(n, "arm", n - 1, arm_pivot, hub, arm)]

    return links


def faceted(mesh: Mesh) -> Mesh:
    """A copy in which every face is flat-shaded, like armour plate, however small the angles between faces."""
    v = mesh.v[mesh.t]
    n = np.cross(v[:, 1] - v[:, 0], v[:, 2] - v[:, 0])
    n = n / np.maximum(np.sqrt((n * n).sum(axis=1)), 1e-12)[:, None]
    out = mesh.copy()
    out.v, out.t = v.reshape(-1, 3), np.arange(3 * len(mesh.t)).reshape(-1, 3)
    out.attr = {"n": np.repeat(n, 3, axis=0)}
    return out
