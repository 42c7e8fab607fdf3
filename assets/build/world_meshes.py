"""Solid objects of the proving ground: ramps, walls, kerbs, an overpass, timing gates, lanes and tunnel."""

from collections.abc import Sequence

import numpy as np
import world_lanes
import world_tunnel
from glb import Node
from world_layout import DRAG, TUNNEL
from world_roads import Road, directions, rights, signed_curvature
from world_solids import SUNK, box, joined, kerb, placed, prism, ramp, solid

WALLS = (  # name; x and y of the middle, m; heading in degrees; length, thickness, height, m
    ("wall_low", 120.0, 80.0, 0.0, 14.0, 0.4, 1.0),
    ("wall_high", -140.0, 40.0, 90.0, 16.0, 0.6, 2.5),
    ("wall_thick", 30.0, -90.0, 90.0, 12.0, 1.0, 1.5),
    ("wall_angled", 138.0, -20.0, 60.0, 10.0, 0.5, 1.2),
    ("wall_corner", -140.0, -85.0, 45.0, 12.0, 0.8, 2.0),
)
RAMPS = (  # name; surface; x, y of the middle of the foot, m; heading (0 = +y), angle, degrees; length, width, m
    ("ramp_10", "wood", -70.0, 45.0, -90.0, 10.0, 12.0, 5.0),
    ("ramp_20", "metal", -20.0, -45.0, -90.0, 20.0, 7.0, 5.0),
)
KERBS = (  # name; x and y of the start, m; heading in degrees; length, width, height, m
    ("kerb_low", 60.0, -38.0, 0.0, 24.0, 0.6, 0.05),
    ("kerb_mid", 75.0, -38.0, 0.0, 24.0, 0.6, 0.08),
    ("kerb_high", 90.0, -38.0, 0.0, 24.0, 0.6, 0.12),
)
# m: middle of the bridge, height of the deck, lengths of each approach and of the deck, width of the road, thickness
# of the deck
BRIDGE = {"x": -85.0, "y": 72.0, "height": 3.9, "approach": 26.0, "deck": 14.0, "width": 6.0, "thickness": 0.4}
PARAPET = (0.25, 0.5)  # m, thickness and height
LOOP_KERB_CURVE = 45.0  # m, curves tighter than this get a kerb on the inside
LOOP_KERB = ((0.0, -SUNK), (0.0, 0.02), (0.25, 0.06), (0.75, 0.06), (0.8, -SUNK))  # m: out from the road's edge, up
LOOP_KERB_TAPER = 4.0  # points of the loop (about a metre each) over which a kerb sinks at its ends
LOOP_KERB_DEPTH = 0.08  # m, how deep the ends of a kerb are sunk


def bridge() -> list[Node]:
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


def bridge_rails() -> list[np.ndarray]:
    """Rows of the rails along both edges of the approaches, between foot and parapet; see world_rails.py."""
    b = BRIDGE
    far, near = b["deck"] / 2.0 + b["approach"] - 1.0, b["deck"] / 2.0 + 0.1
    out = np.array([far, far - 4.0, *np.linspace(far - 8.0, near, 5)])
    height = b["height"] * (1.0 - (out - b["deck"] / 2.0) / b["approach"])
    # The last column, how far the beam is lowered, has the terminal at the foot: DOWN of world_rails.py.
    rows = np.column_stack([out, 0.0 * out, height, [0.95, 0.45, 0.0, 0.0, 0.0, 0.0, 0.0]])
    rails_of_bridge = []
    for side in (-1.0, 1.0):
        for across in (-1.0, 1.0):
            x, y = b["x"] + side * out, np.full(len(out), b["y"] + across * b["width"] / 2.0)
            rail = np.column_stack([x, y, rows[:, 2:]])
            rails_of_bridge.append(rail if side * across > 0.0 else rail[::-1])
    return rails_of_bridge


def kerb_section(road: Road, k: int, side: float, right: np.ndarray, sink: float) -> np.ndarray:
    """Outline of a kerb beside a road's point `k`, on its right (side 1) or left (-1), `sink` m below the road's plane.

    `right`: unit vectors to the right at the road's points.
    """
    z, bank, edge = road.points[k, 2], road.bank[k], road.half_width
    return np.array(
        [
            [*(road.points[k, :2] + side * (edge + out) * right[k]), z + bank * side * (edge + out) + up - sink]
            for out, up in LOOP_KERB
        ]
    )


def kerbs_inside(road: Road, sharpest: float = LOOP_KERB_CURVE) -> list[Node]:
    """Kerbs along the inside of a closed road's tight curves, in the road's own plane; their ends sink into it."""
    curvature = signed_curvature(road.points[:, :2])
    right = rights(road.points, True)
    tight = np.abs(curvature) > 1.0 / sharpest
    kerbs, start = [], None
    for index in range(len(tight) + 1):
        inside = index < len(tight) and tight[index]
        if inside and start is None:
            start = index
        elif not inside and start is not None:
            side = -np.sign(curvature[start:index].sum())
            stations = []
            for k in range(start, index, 2):
                share = min(1.0, min(k - start, index - 1 - k) / LOOP_KERB_TAPER)
                stations.append(kerb_section(road, k, side, right, LOOP_KERB_DEPTH * (1.0 - share)))
            if len(stations) >= 4:
                kerbs.append(solid(f"{road.name}_kerb_{len(kerbs) + 1}", "kerb", LOOP_KERB, stations))
            start = None
    return kerbs


def timing_gate(
    name: str, x: float, y: float, heading_deg: float, half: float, z: float = 0.0, height: float = 5.4
) -> list[Node]:
    """Two posts and a beam across a road, where laps or sections are timed.

    Args:
        name: of the node.
        x, y: middle of the road, m.
        heading_deg: of the road, 0 = +y, positive left.
        half: distance from the middle to a post, m.
        z: of the ground, m.
        height: of the beam's lower edge above the ground, m.
    """
    meshes = []
    for side, tag in ((-1.0, "left"), (1.0, "right")):
        px, py, _ = placed([(side * half, 0.0, 0.0)], x, y, heading_deg)[0]
        meshes.append(
            box(f"{name}_{tag}", "painted_line", px, py, heading_deg, 0.35, 0.35, z - SUNK, z + height - 0.02)
        )
    beam = box(f"{name}_beam", "kerb", x, y, heading_deg - 90.0, 2.0 * half + 0.6, 0.5, z + height, z + height + 0.7)
    return [joined(name, [*meshes, beam])]


def timing_gate_on(name: str, road: Road, k: int, half: float) -> list[Node]:
    """A timing gate across a road at its point `k`; `half` as in `timing_gate`, m."""
    ahead = directions(road.points, road.closed)[k]
    heading = np.degrees(np.arctan2(-ahead[0], ahead[1]))
    return timing_gate(name, *road.points[k, :2], heading, half, road.points[k, 2])


def nodes(network: Sequence[Road]) -> list[Node]:
    """All solids of the proving ground."""
    roads = {road.name: road for road in network}
    meshes = [
        box(name, "concrete", x, y, heading, length, thickness, -SUNK, height)
        for name, x, y, heading, length, thickness, height in WALLS
    ]
    meshes += [ramp(*entry) for entry in RAMPS]
    meshes += [kerb(*entry) for entry in KERBS]
    meshes += bridge() + kerbs_inside(roads["loop"]) + world_lanes.nodes()
    meshes += world_tunnel.nodes("tunnel", roads["country"], TUNNEL)
    meshes += timing_gate_on("portal_loop", roads["loop"], k=25, half=8.0)
    meshes += timing_gate_on("portal_oval", roads["oval"], k=3, half=11.0)
    middle = (DRAG[2] + DRAG[3]) / 2.0
    for name, x in (("portal_drag_start", -750.0), ("portal_drag_end", 250.0)):
        meshes += timing_gate(name, x, middle, heading_deg=-90.0, half=13.5)
    return meshes
