"""Solid things of the proving ground: ramps, walls, kerbs and an overpass, as closed meshes named by what they are.

Each solid reaches SUNK below the ground, so that no face lies in the ground's own plane, and a ramp's slope goes on
below it: there is no step at its foot. The materials are surfaces of `configs/surfaces/default.yaml`.
"""

import numpy as np
from glb import Material, Node, Primitive

SUNK = 0.3  # m
MATERIALS = (
    Material("concrete", (0.42, 0.41, 0.38), roughness=0.9),
    Material("metal", (0.30, 0.33, 0.36), metallic=0.6, roughness=0.5),
    Material("wood", (0.36, 0.22, 0.12), roughness=0.8),
    Material("kerb", (0.60, 0.10, 0.07), roughness=0.7),
    Material("asphalt", (0.07, 0.07, 0.075), roughness=0.95),
)
WALLS = (  # name, middle x, y, heading in degrees, length, thickness, height
    ("wall_low", 120.0, 80.0, 0.0, 14.0, 0.4, 1.0),
    ("wall_high", -140.0, 40.0, 90.0, 16.0, 0.6, 2.5),
    ("wall_thick", 30.0, -90.0, 90.0, 12.0, 1.0, 1.5),
    ("wall_angled", 138.0, -20.0, 60.0, 10.0, 0.5, 1.2),
    ("wall_corner", -140.0, -85.0, 45.0, 12.0, 0.8, 2.0),
)
RAMPS = (  # name, surface, x and y of the middle of the foot, heading in degrees (0 = +y), angle, length, width
    ("ramp_10", "wood", -70.0, 45.0, -90.0, 10.0, 12.0, 5.0),
    ("ramp_20", "metal", -20.0, -45.0, -90.0, 20.0, 7.0, 5.0),
)
KERBS = (  # name, x and y of the start, heading, length, width, height
    ("kerb_low", 60.0, -38.0, 0.0, 24.0, 0.6, 0.05),
    ("kerb_mid", 75.0, -38.0, 0.0, 24.0, 0.6, 0.08),
    ("kerb_high", 90.0, -38.0, 0.0, 24.0, 0.6, 0.12),
)
KERB_SLOPE = 0.15  # m, width of the bevel of a kerb on the pad
BRIDGE = {"x": -85.0, "y": 72.0, "height": 3.9, "approach": 26.0, "deck": 14.0, "width": 6.0, "thickness": 0.4}
PARAPET = (0.25, 0.5)  # m, thickness and height
LOOP_KERB_CURVE = 30.0  # m, curves tighter than this get a kerb on the inside
LOOP_KERB = ((0.0, -SUNK), (0.0, 0.02), (0.25, 0.06), (0.75, 0.06), (0.8, -SUNK))  # from the road's edge outwards

LOOP_KERB_TAPER = 4.0  # points of the loop, about a metre each
LOOP_KERB_DEPTH = 0.08  # m


def extrude(outline, stations):
    """Closed solid through copies of a convex outline.

    Args:
        outline: k corners.
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


def outward(vertices, triangles):
    """The triangles turned so that the closed mesh has positive volume."""
    a, b, c = (vertices[triangles[:, m]] for m in range(3))
    volume = np.einsum("ij,ij->i", a, np.cross(b, c)).sum()
    return triangles if volume > 0.0 else triangles[:, ::-1]


def solid(name, material, outline, stations):
    vertices, triangles = extrude(outline, stations)
    return Node(name, primitives=[Primitive(vertices, outward(vertices, triangles), material)])


def placed(points, x, y, heading_deg, z=0.0):
    """Points (right, ahead, up) set down at x, y, looking along the heading (0 = +y, positive left)."""
    points = np.asarray(points, dtype=np.float64)
    angle = np.radians(heading_deg)
    c, s = np.cos(angle), np.sin(angle)
    return np.stack(
        [x + c * points[:, 0] - s * points[:, 1], y + s * points[:, 0] + c * points[:, 1], z + points[:, 2]], axis=1
    )


def prism(name, material, profile, width, x, y, heading_deg):
    """Solid with a profile of (ahead, up) points, `width` wide to both halves, set down at x, y."""
    sides = [np.array([(side * width / 2.0, ahead, up) for ahead, up in profile]) for side in (-1.0, 1.0)]
    return solid(name, material, profile, [placed(side, x, y, heading_deg) for side in sides])


def box(name, material, x, y, heading_deg, length, thickness, low, high):
    """Upright box, `length` along its heading."""
    half = length / 2.0
    return prism(name, material, [(-half, low), (half, low), (half, high), (-half, high)], thickness, x, y, heading_deg)


def ramp(name, material, x, y, heading_deg, angle_deg, length, width):
    """Wedge to jump from: rises from its foot over `length`, ends in a drop."""
    rise = np.tan(np.radians(angle_deg))
    profile = [(-SUNK / rise, -SUNK), (length, -SUNK), (length, rise * length)]
    return prism(name, material, profile, width, x, y, heading_deg)


def kerb(name, x, y, heading_deg, length, width, height):
    """Bevelled strip; its bevels end below the ground, so that a wheel meets a slope and then the top."""
    rise = height / KERB_SLOPE
    low, foot = width / 2.0, width / 2.0 + SUNK / rise
    profile = [(-foot, -SUNK), (foot, -SUNK), (low - KERB_SLOPE, height), (KERB_SLOPE - low, height)]
    turned = placed([(0.0, length / 2.0, 0.0)], x, y, heading_deg)[0]
    return prism(name, "kerb", profile, length, turned[0], turned[1], heading_deg - 90.0)


def bridge():
    """An overpass along x: two approach wedges, a deck to drive under, parapets on the deck."""
    b = BRIDGE
    rise, half = b["height"] / b["approach"], b["deck"] / 2.0
    start = half + b["approach"]
    nodes = []
    for name, side in (("bridge_west", -1.0), ("bridge_east", 1.0)):
        profile = [(-SUNK / rise, -SUNK), (b["approach"], -SUNK), (b["approach"], b["height"])]
        nodes.append(prism(name, "concrete", profile, b["width"], b["x"] + side * start, b["y"], side * 90.0))
    low = b["height"] - b["thickness"]
    nodes.append(box("bridge_deck", "concrete", b["x"], b["y"], 90.0, b["deck"], b["width"], low, b["height"]))
    thick, tall = PARAPET
    for name, side in (("bridge_parapet_south", -1.0), ("bridge_parapet_north", 1.0)):
        y = b["y"] + side * (b["width"] / 2.0 + thick / 2.0)
        nodes.append(box(name, "concrete", b["x"], y, 90.0, b["deck"], thick, low, b["height"] + tall))
    return nodes


def signed_curvature(points, span=6):
    """Curvature of a closed line in 1/m, positive to the left."""
    back, ahead = points - np.roll(points, span, axis=0), np.roll(points, -span, axis=0) - points
    turn = np.arctan2(back[:, 0] * ahead[:, 1] - back[:, 1] * ahead[:, 0], (back * ahead).sum(axis=1))
    return turn / np.linalg.norm(back, axis=1)


def kerb_section(loop, middle, inwards, height, from_end):
    """Outline of a loop kerb at one place; over its last LOOP_KERB_TAPER points it sinks into the road."""
    sink = LOOP_KERB_DEPTH * (1.0 - min(1.0, from_end / LOOP_KERB_TAPER))
    return np.array([[*(middle + (loop.half_width + out) * inwards), height + up - sink] for out, up in LOOP_KERB])


def loop_kerbs(loop):
    """Kerbs along the inside of the loop's tight curves; they follow the road's own height."""
    line = loop.points[:, :2]
    curvature = signed_curvature(line)
    ahead = np.roll(line, -1, axis=0) - np.roll(line, 1, axis=0)
    ahead /= np.linalg.norm(ahead, axis=1, keepdims=True)
    right = np.stack([ahead[:, 1], -ahead[:, 0]], axis=1)
    tight = np.abs(curvature) > 1.0 / LOOP_KERB_CURVE
    nodes, start = [], None
    for index in range(len(line) + 1):
        inside = index < len(line) and tight[index]
        if inside and start is None:
            start = index
        elif not inside and start is not None:
            side = -np.sign(curvature[start:index].sum())
            stations = [kerb_section(loop, line[k], side * right[k], loop.points[k, 2], min(k - start, index - 1 - k))
                        for k in range(start, index, 2)]
            if len(stations) >= 4:
                nodes.append(solid(f"loop_kerb_{len(nodes) + 1}", "kerb", LOOP_KERB, stations))
            start = None
    return nodes


def nodes(loop):
    """All solids of the proving ground."""
    found = [box(name, "concrete", x, y, heading, length, thickness, -SUNK, height)
             for name, x, y, heading, length, thickness, height in WALLS]
    found += [ramp(*entry) for entry in RAMPS]
    found += [kerb(*entry) for entry in KERBS]
    return found + bridge() + loop_kerbs(loop)
