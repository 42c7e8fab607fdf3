"""Closed solids for world meshes: prisms, boxes, wedges and kerbs, placed at a position and a heading.

Solids that stand on the ground extend SUNK below it, so that no face is coplanar with it. So does a ramp's slope: there
is no step at its foot. The materials are surfaces of `configs/surfaces/default.yaml`.
"""

from collections.abc import Iterable, Sequence, Sized

import numpy as np
from glb import Material, Node, Primitive
from numpy.typing import ArrayLike

SUNK = 0.3  # m, depth of a solid below the ground
KERB_SLOPE = 0.15  # m, width of the bevel of a kerb
MATERIALS = (
    Material("concrete", (0.42, 0.41, 0.38), roughness=0.9),
    Material("metal", (0.30, 0.33, 0.36), metallic=0.6, roughness=0.5),
    Material("wood", (0.36, 0.22, 0.12), roughness=0.8),
    Material("kerb", (0.60, 0.10, 0.07), roughness=0.7),
    Material("asphalt", (0.07, 0.07, 0.075), roughness=0.95),
    Material("painted_line", (0.62, 0.62, 0.58), roughness=0.6),
    Material("grass", (0.07, 0.09, 0.03), roughness=0.95),
)
COLLIDING = (Material("steel"), Material("metal"), Material("concrete"), Material("rubber"))  # never drawn


def extrude(outline: Sized, stations: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Closed solid through copies of a convex outline.

    Args:
        outline: its k corners, of which only the number is used.
        stations: list of (k, 3) positions of the outline, in order.

    Returns:
        vertices, triangles; ends are capped by fans. All triangles face outwards or all face inwards.
    """
    k, n = len(outline), len(stations)
    vertices = np.concatenate(stations)
    triangles = []
    for s in range(n - 1):
        for a in range(k):
            b = (a + 1) % k
            p, q, r, t = s * k + a, s * k + b, (s + 1) * k + b, (s + 1) * k + a
            triangles += [(p, t, r), (p, r, q)]
    for a in range(1, k - 1):
        triangles.append((0, a, a + 1))
        end = (n - 1) * k
        triangles.append((end, end + a + 1, end + a))
    return vertices, np.array(triangles)


def outward(vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """The triangles turned so that the closed mesh has positive volume."""
    a, b, c = (vertices[triangles[:, m]] for m in range(3))
    volume = np.einsum("ij,ij->i", a, np.cross(b, c)).sum()
    return triangles if volume > 0.0 else triangles[:, ::-1]


def solid(name: str, material: str, outline: Sized, stations: Sequence[np.ndarray]) -> Node:
    """Node of a closed solid through copies of a convex outline, see `extrude`."""
    vertices, triangles = extrude(outline, stations)
    return Node(name, primitives=[Primitive(vertices, outward(vertices, triangles), material)])


def joined(name: str, nodes: Iterable[Node]) -> Node:
    """One node of several solids: fewer to load and to draw."""
    parts = {}
    for node in nodes:
        for primitive in node.primitives:
            parts.setdefault(primitive.material, []).append(primitive)
    primitives = []
    for material, pieces in parts.items():
        offsets = np.concatenate([[0], np.cumsum([len(piece.vertices) for piece in pieces])])
        triangles = [piece.triangles + offset for piece, offset in zip(pieces, offsets[:-1], strict=True)]
        vertices = np.concatenate([piece.vertices for piece in pieces])
        primitives.append(Primitive(vertices, np.concatenate(triangles), material))
    return Node(name, primitives=primitives)


def placed(points: ArrayLike, x: float, y: float, heading_deg: float, z: float = 0.0) -> np.ndarray:
    """Points (right, ahead, up) transformed to x, y and the heading (0 = +y, positive left)."""
    points = np.asarray(points, dtype=np.float64)
    angle = np.radians(heading_deg)
    c, s = np.cos(angle), np.sin(angle)
    return np.stack(
        [x + c * points[:, 0] - s * points[:, 1], y + s * points[:, 0] + c * points[:, 1], z + points[:, 2]], axis=1
    )


def prism(
    name: str,
    material: str,
    profile: Sequence[tuple[float, float]],
    width: float,
    x: float,
    y: float,
    heading_deg: float,
) -> Node:
    """Solid at x, y with a convex profile of (ahead, up) points and this width across its heading, m."""
    sides = [np.array([(side * width / 2.0, ahead, up) for ahead, up in profile]) for side in (-1.0, 1.0)]
    return solid(name, material, profile, [placed(side, x, y, heading_deg) for side in sides])


def box(
    name: str,
    material: str,
    x: float,
    y: float,
    heading_deg: float,
    length: float,
    thickness: float,
    low: float,
    high: float,
) -> Node:
    """Upright box, `length` along its heading and `thickness` across, from z = `low` to `high`; m."""
    half = length / 2.0
    return prism(name, material, [(-half, low), (half, low), (half, high), (-half, high)], thickness, x, y, heading_deg)


def ramp(
    name: str, material: str, x: float, y: float, heading_deg: float, angle_deg: float, length: float, width: float
) -> Node:
    """Jump ramp that rises from its foot at x, y over `length` and ends in a drop."""
    rise = np.tan(np.radians(angle_deg))
    profile = [(-SUNK / rise, -SUNK), (length, -SUNK), (length, rise * length)]
    return prism(name, material, profile, width, x, y, heading_deg)


def kerb(name: str, x: float, y: float, heading_deg: float, length: float, width: float, height: float) -> Node:
    """Bevelled strip from x, y along its heading.

    Its bevels end below the ground, so that a wheel meets a slope and then the top.
    """
    rise = height / KERB_SLOPE
    low, foot = width / 2.0, width / 2.0 + SUNK / rise
    profile = [(-foot, -SUNK), (foot, -SUNK), (low - KERB_SLOPE, height), (KERB_SLOPE - low, height)]
    middle = placed([(0.0, length / 2.0, 0.0)], x, y, heading_deg)[0]
    return prism(name, "kerb", profile, length, middle[0], middle[1], heading_deg - 90.0)
