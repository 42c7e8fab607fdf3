"""A tunnel: a section of a road with walls and a roof as meshes, and the terrain beside it raised above the roof.

A heightfield has one height per position: inside the tunnel it is the road, and the mountain above is a mesh. Beside
the road the terrain rises within one cell, and the walls are thick enough to hide that cell.
"""

import numpy as np
from glb import Node
from world_land import smoothstep
from world_roads import Road, directions, distance_and_height, rights
from world_solids import SUNK, joined, solid

INNER = 4.7  # m from the middle of the road to the walls' inner faces
OUTER = 7.7  # m to their outer faces, more than two cells from the inner ones
BURIED = 6.2  # m from the middle of the road; the terrain is raised beyond this distance
CLEAR = 4.8  # m, clear height
ROOF = 0.6  # m, thickness of the roof
TURF = 0.5  # m, thickness of the turf on the roof
HEAP = 22.0  # m, width of the embankment's side slopes
WING = 17.0  # m, half width of a portal
WING_THICK = 1.6  # m, thickness of a portal
OUTCROP = 0.6  # m, height of the portals above the embankment


def bury(land: np.ndarray, axis: np.ndarray, road: Road, span: tuple[int, int]) -> None:
    """Raise the terrain beside a tunnel above its roof.

    `land`: heights of the terrain, changed in place; `axis`: x (and y) of its columns (and rows), m; `span`: indices
    (first, stop) of the road's points in the tunnel, stop excluded.
    """
    first, stop = span
    part = Road("tunnel", road.points[first:stop], road.half_width, closed=False)
    distance, height = distance_and_height(part, axis, axis, OUTER + HEAP)
    ahead = directions(part.points, False)
    x, y = axis[None, :], axis[:, None]
    start, end = part.points[0, :2], part.points[-1, :2]
    between = ((x - start[0]) * ahead[0, 0] + (y - start[1]) * ahead[0, 1] > 0.3) & (
        (x - end[0]) * ahead[-1, 0] + (y - end[1]) * ahead[-1, 1] < -0.3
    )
    raised = between & (distance > BURIED) & np.isfinite(distance)
    top = height + CLEAR + ROOF + 0.2
    heap = land + (top - land) * (1.0 - smoothstep(distance, OUTER, OUTER + HEAP))
    land[raised] = np.maximum(land, heap)[raised]


def _tube(name, material, road, indices, right, inner, outer, low, high):
    """Solid along the road: from `inner` to `outer` to the right of its middle, from `low` to `high` above it, m.

    `indices`: of the road's points at which it has an outline; `right`: unit vectors to the right at all points.
    """
    outline = ((inner, low), (outer, low), (outer, high), (inner, high))
    stations = [
        np.array([[*(road.points[k, :2] + across * right[k]), road.points[k, 2] + up] for across, up in outline])
        for k in indices
    ]
    return solid(name, material, outline, stations)


def _portal(name, road, k, right, ahead, outwards):
    """A wall across the embankment with an opening for the road: two piers and a lintel, as three solids.

    `k`: index of the road's point there; `right`, `ahead`: unit vectors at the road's points; `outwards`: -1 at the
    tunnel's first point, 1 at its last.
    """
    base, z = road.points[k, :2], road.points[k, 2]
    top = CLEAR + ROOF + TURF + OUTCROP
    meshes = []
    for part, a, b, low, high in (
        ("left", -WING, -INNER - 0.05, -SUNK * 8.0, top), ("right", INNER + 0.05, WING, -SUNK * 8.0, top),
        ("lintel", -INNER - 0.3, INNER + 0.3, CLEAR - 0.05, top - 0.03),
    ):  # fmt: skip
        outline = ((a, low), (b, low), (b, high), (a, high))
        thin = 0.04 if part == "lintel" else 0.0  # set back: no two faces lie in one plane
        stations = [
            np.array([[*(base + u * right[k] + out * outwards * ahead[k]), z + up] for u, up in outline])
            for out in (thin - 0.8, WING_THICK - 0.8 - thin)
        ]
        meshes.append(solid(f"{name}_{part}", "concrete", outline, stations))
    return meshes


def nodes(name: str, road: Road, span: tuple[int, int]) -> list[Node]:
    """Nodes of walls, roof, turf and both portals of a tunnel; `span` as in `bury`."""
    first, stop = span
    indices = [*range(first, stop - 1, 4), stop - 1]
    right, ahead = rights(road.points, road.closed), directions(road.points, road.closed)
    roof = CLEAR + ROOF
    meshes = [
        _tube(f"{name}_left", "concrete", road, indices, right, -OUTER, -INNER, -SUNK, CLEAR),
        _tube(f"{name}_right", "concrete", road, indices, right, INNER, OUTER, -SUNK, CLEAR),
        _tube(f"{name}_roof", "concrete", road, indices, right, -OUTER, OUTER, CLEAR, roof),
        _tube(f"{name}_turf", "grass", road, indices, right, -OUTER - 0.6, OUTER + 0.6, roof, roof + TURF),
    ]
    meshes.append(joined(f"{name}_entry", _portal("entry", road, first, right, ahead, -1.0)))
    meshes.append(joined(f"{name}_exit", _portal("exit", road, stop - 1, right, ahead, 1.0)))
    return meshes
