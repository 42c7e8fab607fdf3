"""Guard rails: placement and collision solids.

Rails are placed where the ground beside a road falls away, and along the outside of bends tighter than RUN_OFF. They
stand in the gravel shoulder, clear of junctions, paved areas, gates, spawn points and other solids, and end in
terminals that flare away from the road and ramp down into the ground.

Rail positions are the rows of rails.npz. `points`, float32[n, 4]: x, y and height of the ground at the beam's face, and
how far the beam is lowered there, m. `starts`: the first row of each rail, and at the end the number of rows. In the
direction of the rows, the road is on the left. Beam and posts are drawn from them (game/view/ground/rails.py); the
collision mesh is a smooth wall in the plane of the beam's front, so that nothing snags on a post. It is as tall as a
van: a rigid body would climb over the top edge of a rigid beam, whereas a real beam yields and retains the vehicle.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from glb import Node
from world_land import SURFACES
from world_roads import MARK, PAINTED, Road, rights
from world_solids import solid

FACE = 2.0  # m from the edge of the asphalt: half a metre before the end of the shoulder
BEAM = 0.75  # m above the ground, top of the beam
TOP = 2.0  # m above the ground, top of the collision mesh
DEEP = 0.5  # m below the ground, foot of the collision mesh
THICK = 0.3  # m, thickness of the collision mesh, from the beam's front to the posts' back
STEP = 4.0  # m from post to post
TIGHT_STEP = 2.0  # m from post to post in tight curves
TIGHT = 60.0  # m, radius below which a curve is tight
DROP = 2.2  # m; ground that falls by more beside the road needs a rail
DROP_WITHIN = (6.0, 10.0, 14.0, 18.0)  # m from the road's edge, where the fall is measured
RUN_OFF = 95.0  # m, radius below which the outside of a bend gets a rail
RISING = 0.9  # m; a bank that rises by more at RISING_AT needs no rail
RISING_AT = 7.0  # m from the road's edge
LEVEL_WITHIN = 0.6  # m, largest offset of the ground at the face from the road's plane; excludes steps between cells
OUTWARDS = (0.4, 2.0, 5.0, 10.0, 16.0, 24.0)  # m behind the face, where samples of the ground must not be paved
FROM_ROADS = 5.0  # m, minimum distance of a rail from other roads' edges
FROM_SOLIDS = 3.0  # m, from solid objects
FROM_GATES = 4.0  # m, from gates
FROM_SPAWNS = 5.5  # m, from spawn points
LONGER = 12  # points of a road (about a metre each) that a rail extends beyond the stretch that needs it
GAP = 26  # points; shorter gaps between rails are closed
SHORTEST = 36  # points; shorter rails are left out
DOWN = np.array([0.95, 0.45, 0.0])  # m, lowering of a terminal's beam at its rows; the first is below the ground
FLARE = np.array([0.9, 0.3, 0.0])  # m, lateral offset from the road there
PAVED = [SURFACES.index(name) for name in ("asphalt", "asphalt_wet", "concrete", "ice")]


@dataclass
class Surroundings:
    """Terrain, solids, gates and spawn points around the roads.

    Attributes:
        heights: float32[n + 1, n + 1], m.
        cells: uint8[n, n], indices of SURFACES.
        half: half the world's width, m.
        solids, gates, spawns: (m, 2) points that rails are kept clear of, m.
    """

    heights: np.ndarray
    cells: np.ndarray
    half: float
    solids: np.ndarray
    gates: np.ndarray
    spawns: np.ndarray

    def height(self, xy: np.ndarray) -> np.ndarray:
        """Height of the ground at points (n, 2); each cell is two triangles."""
        u, v = (np.clip(c + self.half, 0.0, 2.0 * self.half - 1e-3) for c in xy.T)
        i, j = u.astype(int), v.astype(int)
        u, v, h = u - i, v - j, self.heights
        a, b, c, d = (h[j + m, i + n].astype(float) for m, n in ((0, 0), (0, 1), (1, 0), (1, 1)))
        return np.where(u >= v, a + u * (b - a) + v * (d - b), a + v * (c - a) + u * (d - c))

    def paved(self, xy: np.ndarray) -> np.ndarray:
        """bool[n]: whether the cells at points (n, 2) are asphalt, concrete or ice."""
        i, j = (np.clip((c + self.half).astype(int), 0, len(self.cells) - 1) for c in xy.T)
        return np.isin(self.cells[j, i], PAVED)


def _far(xy, points, reach):
    """bool per row of `xy`: whether it is farther than `reach`, m, from all of the points."""
    far = np.ones(len(xy), dtype=bool)
    for x, y in points:
        far &= (xy[:, 0] - x) ** 2 + (xy[:, 1] - y) ** 2 > reach * reach
    return far


def _curvature(points, closed, span=6):
    """Curvature of a line, 1/m, positive to the left; 0 at the ends of an open line."""
    line = points[:, :2]
    back, ahead = line - np.roll(line, span, axis=0), np.roll(line, -span, axis=0) - line
    turn = np.arctan2(back[:, 0] * ahead[:, 1] - back[:, 1] * ahead[:, 0], (back * ahead).sum(axis=1))
    turn = turn / np.maximum(np.linalg.norm(back, axis=1), 1e-9)
    if not closed:
        turn[:span] = turn[-span:] = 0.0
    return turn


def _spread(flags, count, closed):
    """Dilate the mask by `count` points."""
    padded = np.concatenate([flags[-count:], flags, flags[:count]]) if closed else np.pad(flags, count)
    return np.convolve(padded, np.ones(2 * count + 1), "valid") > 0.5


def _runs(flags, closed):
    """[(first, count)] of the stretches where `flags` is set; on a closed line one may continue past the last point."""
    n = len(flags)
    if flags.all():
        return [(0, n)]
    shift = int(np.argmin(flags)) if closed else 0
    padded = np.concatenate([[False], np.roll(flags, -shift), [False]])
    edges = np.flatnonzero(np.diff(padded.astype(int)))
    return [((first + shift) % n, last - first) for first, last in zip(edges[::2], edges[1::2], strict=True)]


def _rail_mask(road, side, site, others):
    """bool[n]: whether a rail is needed and has room at each point of a road; `side`: 1 right, -1 left."""
    points, right = road.points, rights(road.points, road.closed)

    def beside(out):
        return points[:, :2] + side * (road.half_width + out) * right

    edge = points[:, 2] + road.bank * side * road.half_width
    plane = points[:, 2] + road.bank * side * (road.half_width + FACE)
    falls = np.min([site.height(beside(out)) - edge for out in DROP_WITHIN], axis=0) < -DROP
    outside = -side * _curvature(points, road.closed) < -1.0 / RUN_OFF
    rises = site.height(beside(RISING_AT)) - edge > RISING
    face = beside(FACE)
    room = np.abs(site.height(face) - plane) < LEVEL_WITHIN
    room &= _far(face, site.solids, FROM_SOLIDS) & _far(face, site.gates, FROM_GATES)
    room &= _far(face, site.spawns, FROM_SPAWNS)
    for out in OUTWARDS:
        room &= ~site.paved(beside(FACE + out))
    for other in others:
        room &= _far(face, other.points[::2, :2], other.half_width + FROM_ROADS)
    need = _spread(falls | outside, LONGER, road.closed) & ~(rises & ~falls)
    need = ~_spread(~_spread(need, GAP // 2, road.closed), GAP // 2, road.closed)  # closes gaps of up to GAP points
    return need & ~_spread(~room, 4, road.closed)  # 4 points clear of places without room


def _row(road, side, first, count, site):
    """Rows of one rail along the road's points first, first + 1 ..."""
    numbers = (first + np.arange(count)) % len(road.points)
    right, bend = rights(road.points, road.closed), np.abs(_curvature(road.points, road.closed))
    line = (road.points[:, :2] + side * (road.half_width + FACE) * right)[numbers]
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(line, axis=0), axis=1))])
    at = [0.0]
    while at[-1] < along[-1] - TIGHT_STEP:
        curvature = bend[numbers[np.searchsorted(along, at[-1])]]
        at.append(at[-1] + (TIGHT_STEP if curvature > 1.0 / TIGHT else STEP))
    at = np.array(at[:-1] + [along[-1]])
    xy = np.stack([np.interp(at, along, line[:, k]) for k in range(2)], axis=1)
    away = side * np.stack([np.interp(at, along, right[numbers, k]) for k in range(2)], axis=1)
    sunk = np.zeros(len(at))
    for end in (np.arange(len(DOWN)), len(at) - 1 - np.arange(len(DOWN))):
        sunk[end], xy[end] = DOWN, xy[end] + FLARE[:, None] * away[end]
    rows = np.column_stack([xy, site.height(xy), sunk])
    return rows if side > 0 else rows[::-1]  # the road is on the left


def rails(roads: Sequence[Road], site: Surroundings) -> list[np.ndarray]:
    """Rows of all rails along roads with lanes, a list of float64[n, 4]."""
    rows = []
    for road in roads:
        if road.kind != PAINTED:
            continue
        others = [other for other in roads if other is not road and other.kind != MARK]
        for side in (-1.0, 1.0):
            for first, count in _runs(_rail_mask(road, side, site, others), road.closed):
                if count >= SHORTEST:
                    rows.append(_row(road, side, first, count, site))
    return rows


def sideways(rows: np.ndarray) -> np.ndarray:
    """(n, 2) mitre vectors away from the road: longer than 1 where the rail bends, for an even thickness."""
    ahead = np.diff(rows[:, :2], axis=0)
    ahead /= np.linalg.norm(ahead, axis=1, keepdims=True)
    before, after = np.vstack([ahead[:1], ahead]), np.vstack([ahead, ahead[-1:]])
    mean = before + after
    mean /= np.linalg.norm(mean, axis=1, keepdims=True)
    return np.stack([mean[:, 1], -mean[:, 0]], axis=1) / (before * mean).sum(axis=1)[:, None]


def solids(rail_rows: Sequence[np.ndarray]) -> list[Node]:
    """Collision meshes, one closed solid for each rail."""
    nodes = []
    for number, rows in enumerate(rail_rows):
        whole = rows[:, 3] == 0.0  # terminals are no higher than their beam
        away, low, high = sideways(rows), rows[:, 2] - DEEP - rows[:, 3], rows[:, 2] + np.where(whole, TOP, BEAM)
        high -= rows[:, 3]
        stations = [
            np.array([[*xy, bottom], [*xy, top], [*(xy + THICK * out), top], [*(xy + THICK * out), bottom]])
            for xy, out, bottom, top in zip(rows[:, :2], away, low, high, strict=True)
        ]
        nodes.append(solid(f"rail_{number + 1}", "steel", stations[0], stations))
    return nodes


def arrays(rail_rows: Sequence[np.ndarray]) -> dict[str, np.ndarray]:
    """Arrays of rails.npz."""
    starts = np.concatenate([[0], np.cumsum([len(rows) for rows in rail_rows])])
    return {"points": np.concatenate(rail_rows).astype(np.float32), "starts": starts.astype(np.int32)}
