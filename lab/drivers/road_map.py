"""Navigation graph of a world's roads and ground: nodes, legs between them, and whether a leg is drivable.

Nodes are points of the roads' centre lines, connected along each road and by straight legs over open ground from one
road to another. A leg is sampled every STRIDE metres: the ground must continue without a step, no steeper than a limit
uphill and MAX_FALL downhill, with no wall across the vehicle's width. Other levels (bridges, tunnels) that no slope
leads to are out of reach. Long searches are generators that yield the number of ground queries done, or the equivalent
of other work, so that the caller can spread them over time.
"""

import math
from collections.abc import Generator, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from driving_sandbox.physics.ground.ground import Ground
    from driving_sandbox.physics.ground.road_file import Road

SPACING = 10.0  # m between points of a road in the graph
OFF_ROAD = 1.5  # cost factor of open ground relative to road
EASY = 0.10  # rise per metre on loose ground that all vehicles climb
STEEPEST = 0.3  # rise per metre on loose ground that only some vehicles climb
CLIMB_COST = 10.0  # m per metre of climb: a short detour round a hill is preferred to going over it
STEEP_COST = 1000.0  # m per metre of climb in excess of EASY, in addition
MAX_LINK = 250.0  # m, of a leg between two roads
LEVEL = 2.5  # m of height within which two positions are on the same level
STRIDE = 2.0  # m between samples of a leg
MAX_FALL = 0.35  # fall per metre on which every vehicle can brake
HEADROOM = 2.0  # m above the last sample at which the next ray starts, below a roof and above a kerb
WALL_HEIGHT = 0.5  # m above the ground at which walls are looked for: below a guard rail's top, above kerbs
WALL_NORMAL = 0.6  # vertical component of a unit normal below which a surface is a wall
HALF_WIDTH = 1.3  # m, of the widest vehicle
KEEP_OFF = 4.0  # m, clearance of a leg from positions where the vehicle got stuck
EXEMPT = 6.0  # m at the start of a leg to which KEEP_OFF does not apply
BLOCK = 32  # points of a line, or of a row of a grid, whose heights are found together: a third of a millisecond
BLOCK_QUERIES = 100  # work of a block, or of the distances between two roads, in ground queries


class Edge(NamedTuple):
    """An edge of the graph.

    Attributes:
        node: node at its end.
        cost: cost, m of road.
        leg: whether it leads over open ground.
        line_index: index of the line's point, for an edge to the line.
    """

    node: int
    cost: float
    leg: bool
    line_index: int = 0


def climbing(length: float, rise: float) -> float:
    """Cost, in m of road, of the climb on an edge over loose ground; inf where it is too steep. length, rise: m."""
    if rise > STEEPEST * length:
        return math.inf
    return CLIMB_COST * max(rise, 0.0) + STEEP_COST * max(rise - EASY * length, 0.0)


class RoadMap:
    """Navigation graph of a world, for a driver who is off the line.

    Args:
        ground: physics.ground.ground.Ground, None for open level ground without obstacles.
        roads: list of physics.ground.road_file.Road; road markings are left out.
    Attributes:
        nodes: (n, 3) points of the roads, m.
        edges: list of Edge for each node, None until `survey` is done.
    """

    def __init__(self, ground: "Ground | None" = None, roads: Iterable["Road"] = ()) -> None:
        self.ground = ground
        roads = [road for road in roads if road.kind != "mark"]
        self._roads = [_resampled(road) for road in roads]
        self.nodes = np.concatenate(self._roads) if self._roads else np.zeros((0, 3))
        self._closed = [road.closed for road in roads]
        self._loose = [road.kind == "loose" for road in roads]
        self.edges: list[list[Edge]] | None = None

    def survey(self, points: np.ndarray) -> Generator[int, None, np.ndarray]:
        """Connect the roads and return the `heights` of a line's points (n, 2); a generator of query counts."""
        if self.edges is None:
            self.edges = yield from self._joined()
        return (yield from self.heights(points))

    def _joined(self) -> Generator[int, None, list[list[Edge]]]:
        """The edges; a generator of query counts."""
        edges: list[list[Edge]] = [[] for _ in self.nodes]
        first = 0
        for road, closed, loose in zip(self._roads, self._closed, self._loose, strict=True):
            last = first + len(road) - 1
            pairs = [(k, k + 1) for k in range(first, last)] + [(last, first)] * closed
            for a, b in pairs:
                self._join(edges, a, b, loose)
            first = last + 1
            yield BLOCK_QUERIES
        starts = np.cumsum([0, *map(len, self._roads)])
        for i, road in enumerate(self._roads):
            for j, other in enumerate(self._roads):
                if i != j:
                    for row, column in _links(road, other, self._closed[i]):
                        self._join(edges, starts[i] + row, starts[j] + column, leg=True)
                    yield BLOCK_QUERIES
        return edges

    def _join(self, edges: list[list[Edge]], a: int, b: int, loose: bool = False, leg: bool = False) -> None:
        """Add the edges between two nodes, in both directions.

        `loose`: along a loose road; `leg`: over open ground.
        """
        length, gained = math.dist(self.nodes[a], self.nodes[b]), float(self.nodes[b, 2] - self.nodes[a, 2])
        for start, end, rise in ((a, b, gained), (b, a, -gained)):
            cost = length * (OFF_ROAD if leg else 1.0)
            cost += climbing(length, rise) if loose else CLIMB_COST * max(rise, 0.0)
            if cost < math.inf:
                edges[start].append(Edge(end, cost, leg))

    def heights(self, points: np.ndarray) -> Generator[int, None, np.ndarray]:
        """(n,) heights of points (n, 2), m: of a node nearer than SPACING, else of the terrain; nan without ground.

        A generator of query counts.
        """
        heights = np.full(len(points), np.nan)
        if self.ground is None:
            return heights
        for first in range(0, len(points), BLOCK):
            part = points[first : first + BLOCK]
            heights[first : first + BLOCK] = [self.ground.height(x, y) for x, y in part.tolist()]
            if len(self.nodes):
                away = np.hypot(*(self.nodes[None, :, :2] - part[:, None]).transpose(2, 0, 1))
                nearest = away.argmin(axis=1)
                on_road = np.flatnonzero(away[np.arange(len(part)), nearest] < SPACING)
                heights[first + on_road] = self.nodes[nearest[on_road], 2]
            yield BLOCK_QUERIES
        return heights

    def free(
        self,
        start: Sequence[float],
        end: Sequence[float],
        avoid: Sequence[Sequence[float]] = (),
        climb: float = EASY,
        stride: float = STRIDE,
        within: float = LEVEL,
    ) -> Generator[int, None, bool]:
        """Whether a vehicle can drive straight from one position (x, y, z) to another (x, y and, where known, z).

        A generator of query counts.

        Args:
            avoid: positions (x, y) to keep away from.
            climb: largest rise per metre.
            stride: distance between samples, m.
            within: largest difference of the ground's height from the known z, m.
        """
        length = math.dist(start[:2], end[:2])
        count = max(1, math.ceil(length / stride))
        dx, dy = (end[0] - start[0]) / count, (end[1] - start[1]) / count
        positions = [(start[0] + k * dx, start[1] + k * dy) for k in range(count + 1)]
        beyond = positions[math.ceil(EXEMPT / stride) :]
        if any(math.dist(position, p) < KEEP_OFF for p in avoid for position in beyond):
            return False
        if self.ground is None:
            return True
        spacing = max(length / count, 1.0)
        last: tuple[float, float, float] | None = None
        for position in positions:
            z = start[2] if last is None else last[2]
            level = self._level(*position, z)  # the first may be above or below `start` by MAX_FALL times the spacing
            yield 1 if last is None else 4  # queries: the height, and from the second sample on three for walls
            if level is None or not -MAX_FALL * spacing <= level - z <= (climb if last else MAX_FALL) * spacing:
                return False
            if last is not None and self.wall(last, (*position, level)):
                return False
            last = (*position, level)
        return len(end) < 3 or last is None or abs(last[2] - end[2]) <= within

    def _level(self, x: float, y: float, z: float) -> float | None:
        """Height of the ground at a position, close to a given height; None where there is none."""
        assert self.ground is not None
        depth = self.ground.distance((x, y, z + HEADROOM), (0.0, 0.0, -1.0), 2.0 * HEADROOM)
        return None if depth is None else z + HEADROOM - depth

    def wall(self, start: Sequence[float], end: Sequence[float], half_width: float = HALF_WIDTH) -> bool:
        """Whether there is an obstacle between two positions (x, y, z) on the ground, across a vehicle's width."""
        if self.ground is None:
            return False
        direction = tuple(b - a for a, b in zip(start, end, strict=True))
        length = math.hypot(*direction)
        flat = math.hypot(*direction[:2])
        if flat < 1e-6:
            return False
        aside = (-direction[1] / flat, direction[0] / flat)
        for offset in (-half_width, 0.0, half_width):
            origin = (start[0] + offset * aside[0], start[1] + offset * aside[1], start[2] + WALL_HEIGHT)
            hit, _, normal, _ = self.ground.cast(origin, direction, length)
            if hit and abs(normal[2]) < WALL_NORMAL:
                return True
        return False


def _links(a: np.ndarray, b: np.ndarray, closed: bool) -> list[tuple[int, int]]:
    """Pairs of indices of points, at most MAX_LINK m apart, that connect road a to road b.

    Connected are the closest points of both and, for an open road a, each of its ends with the closest point of b.
    """
    away = np.linalg.norm(a[:, None] - b[None], axis=2)
    rows = [int(away.min(axis=1).argmin())] + ([] if closed else [0, len(a) - 1])
    return [(row, int(away[row].argmin())) for row in rows if away[row].min() <= MAX_LINK]


def _resampled(road: "Road") -> np.ndarray:
    """(n, 3) points of a road about SPACING apart, m."""
    points = road.points if road.points.shape[1] == 3 else np.pad(road.points, ((0, 0), (0, 1)))
    if road.closed:
        points = np.vstack([points, points[:1]])
    stations = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    count = max(2, round(stations[-1] / SPACING) + 1)
    targets = np.linspace(0.0, stations[-1], count)[: -1 if road.closed else None]
    return np.column_stack([np.interp(targets, stations, points[:, k]) for k in range(3)])
