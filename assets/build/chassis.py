"""Parts common to all vehicle models: wheels, brakes, suspension links, collision hull, and the tree of named nodes.

Axes x right, y forward, z up; the origin is on the road (z = 0 at static ride height) on the centre line, midway
between the axles. Wheel centres are at z = tire radius. The tree (N = 1 front left, 2 front right, 3 rear left, 4 rear
right):

    <name>                 root; extras: documentation (wheelbase, tracks)
      hull1                the drawn body, one primitive per material
      hullproxy1           convex, closed, shared vertices, not drawn
      wheelN               tire and rim about the node's origin, spins about its x axis
      brakeN               disc, caliper, upright at the same position; steers with the wheel, does not spin
        wheelN_lower       helper: suspension line at the wheel, at the wheel centre's height
        wheelN_upper       helper: the same line at full height; upper z - lower z = length of the suspension
      suspN                spring and damper; the node sits at the hull end, extras name the wheel
        suspN_hull         helper: end on the hull
        suspN_wheel        helper: end on the upright
      armN                 lower control arm, with armN_hull and armN_wheel in the same way
      driver               figure of the driver, if there is one; hidden in the cockpit view
      forearm_left, _right hands on the steering wheel, drawn for eyes in or near the vehicle only (hands.py)
      steering_wheel       in front of the driver, turns about its y axis (tilted by the node's rotation)
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from driving_sandbox.assets.build.glb import Node, Primitive
from driving_sandbox.assets.build.mesh import Mesh, join, primitives
from driving_sandbox.assets.build.occlusion import Occlusion
from driving_sandbox.assets.build.parts import along, between, coil, hull, lathe, tube
from driving_sandbox.assets.build.signals import signals
from driving_sandbox.assets.build.wheel import WheelShape, brake, wheel

INDOORS = 0.16  # minimum share of ambient light: windows let light in that the occlusion maps miss
RIM = 0.014  # m, half the thickness of a steering wheel's rim
RIM_SIDES = 40  # segments round the rim, which is seen from 0.5 m
NAMES = ("front left", "front right", "rear left", "rear right")


@dataclass(frozen=True)
class Chassis:
    """Positions of wheels and suspension, in metres; `front` and `rear` are the shapes of the wheels."""

    wheelbase: float
    track_front: float
    track_rear: float
    front: WheelShape
    rear: WheelShape
    suspension_length: float = 0.32
    spring_top: tuple = (-0.17, 0.27)  # m: outward from the wheel's inner face, above the wheel centre
    spring_radius: float = 0.045
    spring_material: str = "frame"

    def shape(self, i: int) -> WheelShape:
        """WheelShape of wheel i."""
        return self.front if i < 2 else self.rear

    def centre(self, i: int) -> np.ndarray:
        """Centre of wheel i (0 FL, 1 FR, 2 RL, 3 RR)."""
        half = (self.track_front if i < 2 else self.track_rear) / 2
        return np.array([half if i % 2 else -half, self.wheelbase / 2 * (1 if i < 2 else -1), self.shape(i).radius])


def spring(a: ArrayLike, b: ArrayLike, radius: float, material: str) -> Mesh:
    """A spring strut from a (hull) to b (upright): damper, rod, coil and spring seats."""
    size = float(np.sqrt(np.sum((np.asarray(b) - np.asarray(a)) ** 2)))
    body = tube([(0, 0, 0.45 * size), (0, 0, size)], 0.48 * radius, "plastic_black", 8)
    rod = tube([(0, 0, 0), (0, 0, 0.5 * size)], 0.20 * radius, "chrome", 6)
    top = tube([(0, 0, 0.03 * size), (0, 0, 0.07 * size)], 1.12 * radius, "plastic_black", 12)
    seat = tube([(0, 0, 0.70 * size), (0, 0, 0.73 * size)], 1.12 * radius, "plastic_black", 12)
    wire = coil(0.63 * size, radius, 0.16 * radius, 6.0, material, 4, 8).moved(z=0.07 * size)
    return along(join([body, rod, top, seat, wire]), a, b)


def control_arm(inner: ArrayLike, outer: ArrayLike, spread: float) -> Mesh:
    """An A-arm: two bars from the hull, `spread` apart along y, to one ball joint."""
    inner, outer = np.asarray(inner, float), np.asarray(outer, float)
    dy = np.array([0.0, spread / 2, 0.0])
    foot = hull(
        np.array([outer + [x, y, z] for x in (-0.03, 0.03) for y in (-0.03, 0.03) for z in (-0.012, 0.012)]),
        "plastic_black",
    )
    return join(
        [
            between(inner + dy, outer, 0.017, "plastic_black", 6),
            between(inner - dy, outer, 0.017, "plastic_black", 6),
            between(
                inner + dy * 0.55 + (outer - inner) * 0.4,
                inner - dy * 0.55 + (outer - inner) * 0.4,
                0.012,
                "plastic_black",
                6,
            ),
            foot,
        ]
    )


def link(number: int, kind: str, i: int, start: np.ndarray, end: np.ndarray, mesh: Mesh) -> Node:
    """Node of a part that the game stretches between its two helper nodes.

    Args:
        number: of the wheel, from 1; appended to `kind`.
        kind: "susp" or "arm".
        i: index of the wheel, `number` - 1.
        start, end: positions of its ends on the hull and on the upright, m; `start` becomes the node's origin.
        mesh: the part in the vehicle's axes.
    """
    return Node(
        f"{kind}{number}",
        tuple(start),
        primitives=primitives(mesh.moved(*-start)),
        extras={"wheel": i + 1},
        children=[Node(f"{kind}{number}_hull"), Node(f"{kind}{number}_wheel", tuple(end - start))],
    )


def running_gear(chassis: Chassis) -> list[Node]:
    """Nodes of wheels, brakes, springs and arms."""
    spinning, still = [], []
    # calipers are behind the front axle and ahead of the rear axle
    right = {
        id(s): (wheel(s), brake(s, forward=-1 if s is chassis.front else 1)) for s in (chassis.front, chassis.rear)
    }
    built = {}  # {id of a WheelShape: {1 right, 0 left: primitives of (wheel, brake)}}
    for key, (w, b) in right.items():
        built[key] = {1: (primitives(w), primitives(b)), 0: (primitives(w.mirrored()), primitives(b.mirrored()))}
    for i in range(4):
        n, side = i + 1, 1 if i % 2 else -1
        centre, shape = chassis.centre(i), chassis.shape(i)
        turning, steering = built[id(shape)][i % 2]
        spinning.append(Node(f"wheel{n}", tuple(centre), primitives=turning, extras={"position": NAMES[i]}))
        helpers = [Node(f"wheel{n}_lower"), Node(f"wheel{n}_upper", (0.0, 0.0, chassis.suspension_length))]
        still.append(Node(f"brake{n}", tuple(centre), primitives=steering, children=helpers))
        still += _springs(chassis, i, side, centre, shape)
    return spinning + still


def _springs(chassis, i, side, centre, shape):
    """Nodes of spring strut and lower control arm of wheel i."""
    outward, above = chassis.spring_top
    foot = centre + [-side * 0.72 * shape.half_width, 0.0, -0.02]
    top = centre + [side * (-shape.half_width + outward), 0.0, above]
    ball = centre + [-side * 0.75 * shape.half_width, 0.0, -0.30 * shape.disc_radius]
    pivot = np.array([side * max(0.22, abs(ball[0]) - 0.36), ball[1], ball[2] + 0.03])
    return [
        link(i + 1, "susp", i, top, foot, spring(top, foot, chassis.spring_radius, chassis.spring_material)),
        link(i + 1, "arm", i, pivot, ball, control_arm(pivot, ball, 0.30)),
    ]


def proxy(points: ArrayLike) -> Node:
    """Node with the closed convex hull of the points and their mirror images in x = 0.

    Raises ValueError if it has more than 32 vertices.
    """
    p = np.asarray(points, dtype=np.float64)
    mesh = hull(np.round(np.concatenate([p, p * [-1, 1, 1]]), 4))
    if len(mesh.v) > 32:
        raise ValueError(f"hullproxy1: {len(mesh.v)} vertices, at most 32")
    return Node("hullproxy1", primitives=[Primitive(mesh.v, mesh.t)], extras={"collide": "hull"})


def steering_wheel(at: tuple[float, float, float], tilt: float, radius: float = 0.18) -> Node:
    """Rim, spokes and boss in the node's x-z plane; `tilt` (rad) leans its top away from the driver."""
    a = np.arange(RIM_SIDES) * 2 * np.pi / RIM_SIDES
    ring = tube(np.stack([radius * np.cos(a), 0 * a, radius * np.sin(a)], 1), RIM, "plastic_black", 8, closed=True)
    boss = lathe([(-0.030, 0.0), (-0.030, 0.016), (-0.036, 0.021), (-0.031, 0.054), (-0.024, 0.062), (0.0, 0.064),
                  (0.0, 0.0)], 20, "plastic_black")  # fmt: skip
    emblem = lathe([(-0.0315, 0.0), (-0.0315, 0.013), (-0.0300, 0.015), (-0.0300, 0.0)], 10, "chrome")
    bars = []
    for b in (0.12, np.pi - 0.12, -np.pi / 2):  # flat spokes, each with a bright inlay
        for wide, low, high, y, material in (
            (0.020, 0.0, 0.97, 0.0, "plastic_black"),
            (0.011, 0.34, 0.78, -0.007, "rim"),
        ):
            corners = [
                (r * radius, dy, s * wide * (1.0 - 0.3 * r))
                for r in (low, high)
                for s in (-1, 1)
                for dy in (y - 0.005, y + 0.008)
            ]
            bars.append(hull(corners, material).turned(1, -b))
    boss, emblem = boss.turned(2, np.pi / 2), emblem.turned(2, np.pi / 2)
    half = -tilt / 2
    return Node(
        "steering_wheel",
        tuple(at),
        rotation=(float(np.sin(half)), 0.0, 0.0, float(np.cos(half))),
        primitives=primitives(join([ring, boss, emblem, *bars])),
    )


def tree(
    name: str,
    chassis: Chassis,
    body: Sequence[Mesh],
    proxy_points: ArrayLike,
    column: tuple[tuple[float, float, float], float],
    extras: dict | None = None,
    driver: Sequence[Mesh] = (),
) -> Node:
    """The root node of a vehicle.

    The body's vertex colours hold its occlusion by itself, the wheels and the ground (white: open sky).

    Args:
        body: list of meshes.
        proxy_points: corners of the right half of the collision hull.
        column: (position, tilt) of the steering wheel.
        extras: glTF extras of the root in addition to wheelbase and tracks.
        driver: meshes of a figure; may be empty.
    """
    gear = running_gear(chassis)
    wheels = []
    for i in range(4):
        shape = chassis.shape(i)
        w, r = shape.half_width, shape.radius
        wheels.append(
            lathe([(w, 0.0), (w, 0.9 * r), (0.8 * w, r), (-0.8 * w, r), (-w, 0.9 * r), (-w, 0.0)], 24).moved(
                *chassis.centre(i)
            )
        )
    info = {"wheelbase": chassis.wheelbase, "track_front": chassis.track_front, "track_rear": chassis.track_rear}
    return Node(
        name,
        extras={**info, **(extras or {})},
        children=[*body_nodes(body, wheels, driver), proxy(proxy_points), *gear, steering_wheel(*column)],
    )


def body_nodes(
    body: Sequence[Mesh], wheels: Sequence[Mesh], driver: Sequence[Mesh] = (), scale: float = 1.0
) -> list[Node]:
    """Nodes of the drawn body and of the driver, with ambient occlusion by the body and by simplified wheels.

    The occlusion is computed at `scale`: below 1 for bodies longer than the depth maps.
    """
    body = signals(body)
    solid = [m.keep((m.m != "glass") & (m.m != "frame")) for m in body]  # thin bars would only cause artefacts
    sky = Occlusion([Mesh(m.v * scale, m.t) for m in solid if len(m.t)], [m.scaled(scale) for m in wheels])

    def shade(v, n):
        return np.maximum(sky(v if scale == 1.0 else v * scale, n), INDOORS)

    nodes = [Node("hull1", primitives=_shaded(body, shade))]
    return [*nodes, Node("driver", primitives=_shaded(driver, shade))] if driver else nodes


def _shaded(meshes, shade):
    """Primitives of meshes, with `shade` as vertex colour, one per material."""
    return _by_material([p for group in _merge(meshes) for p in primitives(group, shade)])


def _merge(body):
    """Up to three meshes: the body skins, other parts with finished normals, parts without normals."""
    skins = [m for m in body if "seam" in m.attr]
    shaped = [m for m in body if "n" in m.attr and "seam" not in m.attr]
    solids = [m for m in body if "n" not in m.attr]
    return [join(group) for group in (skins, shaped, solids) if group]


def _by_material(parts):
    """One primitive per material, for few draw calls."""
    out = []
    for name in sorted({p.material for p in parts}):
        same = [p for p in parts if p.material == name]
        start = np.cumsum([0] + [len(p.vertices) for p in same])
        out.append(
            Primitive(
                np.concatenate([p.vertices for p in same]),
                np.concatenate([p.triangles + s for p, s in zip(same, start, strict=False)]),
                name,
                normals=np.concatenate([p.normals for p in same]),
                colors=np.concatenate([p.colors for p in same]),
            )
        )
    return out
