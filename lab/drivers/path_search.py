"""Cheapest path back to a driving line over the roads and the ground of a RoadMap, by Dijkstra's algorithm.

The nodes are the roads' points; straight legs over open ground connect the vehicle to a road or to the line, roads to
each other, and roads to the line. The cost of a leg is its length, times `OFF_ROAD`, plus metres for climb and for the
turns at its ends, so that a path starts ahead of the vehicle if possible and meets the line at a shallow angle.
Obstacles are checked only when the search reaches a leg. Where straight legs do not suffice, the search is repeated
through the open terrain around the vehicle (lab/drivers/open_terrain.py). Searches are generators that yield the number
of ground queries done, or the equivalent of other work, so that the caller can spread them over time.
"""

import heapq
import math
from collections.abc import Generator, Iterator, Sequence
from typing import Any

import numpy as np

from driving_sandbox.lab.drivers.driving_line import DrivingLine
from driving_sandbox.lab.drivers.open_terrain import GRID, MAX_LINE_DISTANCE, OpenTerrain
from driving_sandbox.lab.drivers.recovery_path import RecoveryPath
from driving_sandbox.lab.drivers.road_map import CLIMB_COST, LEVEL, OFF_ROAD, SPACING, STEEPEST, Edge, RoadMap

TURN_COST = 25.0  # m/rad at the vehicle: turning round costs as much as 80 m of road
MERGE_COST = 60.0  # m/rad at the line, so that paths from far away meet it at about 35 degrees
MAX_LEG = 400.0  # m, of a leg from the vehicle or to the line
MAX_TERRAIN_LEG = 30.0  # m, of a leg from the open terrain to the line
ROAD_SPEED = 14.0  # m/s, speed limit on roads
OPEN_SPEED = 8.0  # m/s, speed limit over open ground
KERB = 0.3  # m, height of objects in the open terrain that may be driven over
NODE_QUERIES = 2  # work of expanding a node, in ground queries
LINE_QUERIES = 60  # work of expanding a node from which the line's points are compared, in ground queries
START, GOAL = -1, -2  # nodes besides the roads' points


def search(
    road_map: RoadMap,
    position: Sequence[float],
    heading: float,
    line: DrivingLine,
    heights: np.ndarray,
    avoid: Sequence[Sequence[float]] = (),
) -> Generator[int, None, RecoveryPath | None]:
    """The RecoveryPath to the line, or None where there is none; a generator of query counts.

    Args:
        road_map: RoadMap, surveyed.
        position: x, y and, with a ground, z, m.
        heading: yaw angle, rad, 0 facing +y, positive to the left.
        line: DrivingLine.
        heights: heights of the line's points, m, as `RoadMap.survey` gives them.
        avoid: positions (x, y) at which the vehicle got stuck.
    """
    start = (*position[:2], position[2] if len(position) > 2 else 0.0)
    targets = np.vstack([road_map.nodes[:, :2], line.points])
    within_reach = np.linalg.norm(targets - start[:2], axis=1).min() < MAX_LINE_DISTANCE
    terrain = None
    for avoided in (avoid, ()) if avoid else (avoid,):  # a path through a failed position is better than none
        for through_terrain in (False, True) if road_map.ground is not None and within_reach else (False,):
            if through_terrain and terrain is None:
                terrain = yield from OpenTerrain.around(start, road_map, line)
            attempt = _Search(road_map, start, heading, line, heights, avoided, terrain if through_terrain else None)
            path = yield from attempt.run()
            if path is not None:
                return path
    return None


class _Search:
    """One search for a path, through an OpenTerrain unless it is None."""

    def __init__(
        self, road_map: RoadMap, start: Sequence[float], heading: float, line: DrivingLine, heights: np.ndarray,
        avoid: Sequence[Sequence[float]], terrain: OpenTerrain | None,
    ) -> None:  # fmt: skip
        self._map, self._line, self._heights, self._avoid = road_map, line, heights, avoid
        self._start, self._heading = start, heading
        self._terrain: Any = terrain  # nodes beyond those of the roads occur only where it is not None
        self._road_node_count = len(road_map.nodes)  # smaller numbers are the roads' points
        tangents = np.roll(line.points, -1, axis=0) - np.roll(line.points, 1, axis=0)
        self._directions = np.arctan2(tangents[:, 1], tangents[:, 0])  # [n] of the line, rad from +x, unlike headings

    def run(self) -> Generator[int, None, RecoveryPath | None]:
        """The RecoveryPath, or None; a generator of query counts."""
        queue: list[tuple[float, int, int, Edge]] = []
        reached: dict[int, tuple[int, Edge]] = {}
        order = 0
        heapq.heappush(queue, (0.0, order, START, Edge(START, cost=0.0, leg=False)))
        while queue:
            cost, _, origin, edge = heapq.heappop(queue)
            if edge.node in reached:
                continue
            if edge.leg and not (yield from self._is_free(origin, edge)):
                continue
            reached[edge.node] = (origin, edge)
            if edge.node == GOAL:
                return self._path(reached)
            yield LINE_QUERIES if self._connects_to_line(edge.node) else NODE_QUERIES
            for following in self._edges(edge.node):
                if following.node not in reached:
                    order += 1  # tie breaker: entries are not comparable
                    heapq.heappush(queue, (cost + following.cost, order, edge.node, following))
        return None

    def _position(self, node: int) -> Sequence[float]:
        """Position (x, y and, where known, z) of a node, m."""
        if node == START:
            return self._start
        if node >= self._road_node_count:
            return self._terrain.position(node - self._road_node_count)
        return tuple(self._map.nodes[node].tolist())

    def _is_free(self, origin: int, edge: Edge) -> Generator[int, None, bool]:
        """Whether a leg is drivable (in the open terrain it may be steeper); a generator of query counts."""
        end = self._target(edge.line_index) if edge.node == GOAL else self._position(edge.node)
        in_terrain = edge.node >= self._road_node_count or origin >= self._road_node_count
        if not in_terrain:
            return self._map.free(self._position(origin), end, self._avoid)
        within = LEVEL if edge.node < self._road_node_count else KERB
        stride = 2.0 * GRID  # m, more than an edge's length: of an edge, only the ends are sampled
        return self._map.free(self._position(origin), end, self._avoid, climb=STEEPEST, stride=stride, within=within)

    def _target(self, index: int) -> Sequence[float]:
        """Position (x, y and, where known, z) of a point of the line, m."""
        x, y = self._line.points[index].tolist()
        height = float(self._heights[index])
        return (x, y) if math.isnan(height) else (x, y, height)

    def _edges(self, node: int) -> Iterator[Edge]:
        """Yield the Edges that leave a node: to the line, to neighbours in the terrain, to roads, along a road."""
        if self._connects_to_line(node):
            yield from self._to_line(node)
        if node >= self._road_node_count:
            for neighbour, cost in self._terrain.neighbours(node - self._road_node_count):
                yield Edge(self._road_node_count + neighbour, cost, True)
            for road in self._terrain.road_nodes(node - self._road_node_count):
                yield Edge(road, OFF_ROAD * math.dist(self._position(node)[:2], self._position(road)[:2]), True)
        elif node == START:
            away = np.linalg.norm(self._map.nodes[:, :2] - self._start[:2], axis=1)
            for k in np.flatnonzero(away <= MAX_LEG).tolist():
                yield Edge(k, self._first_cost(self._map.nodes[k]), True)
            for k in self._terrain.around_start() if self._terrain else ():
                yield Edge(self._road_node_count + k, self._first_cost(self._terrain.position(k)), True)
        else:
            assert self._map.edges is not None  # a search begins after the survey
            yield from self._map.edges[node]

    def _first_cost(self, position: Any) -> float:
        """Cost of a leg from the vehicle to a position."""
        towards = math.atan2(self._start[0] - position[0], position[1] - self._start[1])
        turning = TURN_COST * abs(math.remainder(towards - self._heading, 2.0 * math.pi))
        length, rise = math.dist(position[:2], self._start[:2]), position[2] - self._start[2]
        return OFF_ROAD * length + CLIMB_COST * max(rise, 0.0) + turning

    def _connects_to_line(self, node: int) -> bool:
        """Whether legs from a node to the line are considered: in the terrain only near the line."""
        return node < self._road_node_count or self._terrain.near_line(node - self._road_node_count)

    def _to_line(self, node: int) -> Iterator[Edge]:
        """Legs from a node to some of the cheapest points of the line; more of them from the vehicle."""
        position = self._position(node)
        dx, dy = (self._line.points - position[:2]).T
        away = np.hypot(dx, dy)
        angle = np.abs(_wrapped(np.arctan2(dy, dx) - self._directions))
        # The angle of a leg shorter than SPACING counts in proportion to its length.
        cost = OFF_ROAD * away + MERGE_COST * angle * np.minimum(away / SPACING, 1.0)
        cost += CLIMB_COST * np.nan_to_num(np.maximum(self._heights - position[2], 0.0))
        if node == START:
            cost += TURN_COST * np.abs(_wrapped(np.arctan2(-dx, dy) - self._heading))
        step, count = (3, 64) if node == START else (8, 4)  # every step-th of the points by cost, at most count of them
        for k in np.argsort(cost, kind="stable")[::step][:count].tolist():
            if away[k] <= (MAX_LEG if node < self._road_node_count else MAX_TERRAIN_LEG):
                yield Edge(GOAL, float(cost[k]), True, k)

    def _path(self, reached: dict[int, tuple[int, Edge]]) -> RecoveryPath:
        """The RecoveryPath from the start to GOAL, by the (origin, edge) of each node reached."""
        node, points, speeds = GOAL, [], []
        while node != START:
            origin, edge = reached[node]
            points.append(tuple(self._line.points[edge.line_index]) if node == GOAL else self._position(node)[:2])
            speeds.append(OPEN_SPEED if edge.leg else ROAD_SPEED)
            node = origin
        points.append(self._start[:2])
        return self._joined(points[::-1], speeds[::-1], reached[GOAL][1].line_index)

    def _joined(self, points: list[Sequence[float]], speeds: list[float], index: int) -> RecoveryPath:
        """The path extended by the first metres of the line, so that it ends in the line's direction."""
        count = len(self._line.points)
        run_in = range(1, min(16, count // 4))
        points += [tuple(self._line.points[(index + k) % count]) for k in run_in]
        end = (index + len(run_in)) % count
        return RecoveryPath(points, speeds + [ROAD_SPEED] * len(run_in), end, float(self._line.speed[end]))


def _wrapped(angle: np.ndarray) -> np.ndarray:
    """The angle in -pi..pi."""
    return (angle + math.pi) % (2.0 * math.pi) - math.pi
