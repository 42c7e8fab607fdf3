"""Ways back to a driving line over the roads and the ground of a world.

The shortest way by Dijkstra's algorithm over a graph: points of the roads' centre lines, joined along each road, and
straight legs over open ground from the vehicle to a road or to the line, from one road to another, and from a road to
the line. The cost of a leg is its length, times `OFF_ROAD`, plus metres for the angles it turns through at its ends,
so that a way begins ahead of the vehicle where it can and meets the line at a shallow angle. Whether a leg is free is
looked at when the search comes to it: every `STRIDE` metres the ground must go on without a step or a steep slope, and
no wall may stand across the vehicle's width. Ground above or below that no slope leads to is not reached. Where
straight legs do not do, the search is made again with a grid of places in the open country around the vehicle.
"""

import heapq
import math
from functools import cached_property
from typing import NamedTuple

import numpy as np

from lab.drivers.way import Way

SPACING = 10.0  # m between points of a road in the graph
OFF_ROAD = 1.5  # cost of a metre of a leg against one of a road
TURN_COST = 25.0  # m/rad at the vehicle: turning round costs as much as 80 m of road
MERGE_COST = 60.0  # m/rad at the line: shallow angles, about 35 degrees from far aside
LEG_MOST = 400.0  # m of a leg from the vehicle, or to the line
LINK_MOST = 250.0  # m of a leg between two roads
LEVEL = 2.5  # m of height within which two places are on the same level
STRIDE = 2.0  # m between samples of a leg
STEEP = (0.18, 0.35)  # rise per metre of what is driven gladly, and of what most vehicles still climb
HEADROOM = 2.0  # m above the last sample that the next is looked for from: below a roof, above a kerb
WALL_HEIGHT = 0.5  # m above the ground: below a guard rail's top, above kerbs
WALL_NORMAL = 0.6  # vertical part of a normal below which ground is a wall
HALF_WIDTH = 1.3  # m of the widest vehicle
KEEP_OFF = 4.0  # m a leg keeps from places where the vehicle got stuck
FIRST_METRES = 6.0  # m of a leg that may lie near them: it begins there
ROAD_PACE, OPEN_PACE = 14.0, 8.0  # m/s on roads and over open ground
CHECKS = 3000  # legs looked at in one search: some tenths of a second
GRID, GRID_REACH = 40.0, 400.0  # m between places of the grid, and to its border
START, GOAL = -1, -2  # nodes besides the roads' points


class _Edge(NamedTuple):
    """An edge that the search may take; `place` is the line's point of one to the line."""

    node: int
    cost: float
    leg: bool
    place: int = 0


class RoadMap:
    """What a driver who is off the line knows of a world.

    Args:
        ground: physics.ground.ground.Ground, None for open level ground without any obstacle. roads: of
        physics.ground.road_file.Road.
    """

    def __init__(self, ground=None, roads=()):
        self._ground = ground
        self._roads = [_resampled(road) for road in roads if road.kind != "mark"]
        self.nodes = np.concatenate(self._roads) if self._roads else np.zeros((0, 3))
        self._closed = [road.closed for road in roads if road.kind != "mark"]

    def way(self, position, heading, line, heights, avoid=()):
        """The Way to the line, or None where there is none.

        Args:
            position: x, y and, with a ground, z, m. heading: rad. line: DrivingLine. heights: of its points, as
            `heights` gives them. avoid: places (x, y) at which the vehicle got stuck.
        """
        start = (*position[:2], position[2] if len(position) > 2 else 0.0)
        for kept_off in (avoid, ()) if avoid else (avoid,):  # better again where it failed than not at all
            for steep, country in ((STEEP[0], False), (STEEP[0], True), (STEEP[1], True)):
                if country and self._ground is None:
                    break
                found = _Search(self, start, heading, line, heights, kept_off, steep, country).run()
                if found is not None:
                    return found
        return None

    @cached_property
    def edges(self):
        """[[_Edge of the node]] along roads and from road to road."""
        edges, first = [[] for _ in self.nodes], 0
        for road, closed in zip(self._roads, self._closed, strict=True):
            last = first + len(road) - 1
            pairs = [(k, k + 1) for k in range(first, last)] + [(last, first)] * closed
            for a, b in pairs:
                self._join(edges, a, b, leg=False)
            first = last + 1
        for a, b in self._links():
            self._join(edges, a, b, leg=True)
        return edges

    def _join(self, edges, a, b, leg):
        cost = math.dist(self.nodes[a], self.nodes[b]) * (OFF_ROAD if leg else 1.0)
        edges[a].append(_Edge(b, cost, leg))
        edges[b].append(_Edge(a, cost, leg))

    def _links(self):
        """Pairs of nodes where one may leave one road for another: where they are nearest, and from their ends."""
        starts = np.cumsum([0, *map(len, self._roads)])
        for i, a in enumerate(self._roads):
            for j, b in enumerate(self._roads):
                if i == j:
                    continue
                away = np.linalg.norm(a[:, None] - b[None], axis=2)
                rows = [int(away.min(axis=1).argmin())] + ([] if self._closed[i] else [0, len(a) - 1])
                for row in rows:
                    if away[row].min() <= LINK_MOST:
                        yield starts[i] + row, starts[j] + int(away[row].argmin())

    def grid(self, around):
        """(n, 3) places on the ground in a square grid around a place."""
        steps = np.arange(-GRID_REACH, GRID_REACH + 1.0, GRID)
        places = [(around[0] + dx, around[1] + dy) for dx in steps for dy in steps]
        heights = ((x, y, self._ground.height(x, y)) for x, y in places)
        return np.array([place for place in heights if math.isfinite(place[2])]).reshape(-1, 3)

    def heights(self, points):
        """Height of points (n, 2) of a line, m: of the road they lie on, else of the terrain; nan without ground."""
        found = np.full(len(points), np.nan)
        if self._ground is None:
            return found
        for k, (x, y) in enumerate(points):
            found[k] = self._ground.height(x, y)
            if len(self.nodes):
                away = np.hypot(*(self.nodes[:, :2] - (x, y)).T)
                near = int(away.argmin())
                found[k] = self.nodes[near, 2] if away[near] < SPACING else found[k]
        return found

    def free(self, start, end, avoid=(), steep=STEEP[1]):
        """True if a vehicle can drive straight from one place (x, y, z) to another (x, y, with a known height z).

        steep: rise per metre that is too much. avoid: see `way`.
        """
        length = math.dist(start[:2], end[:2])
        count = max(1, math.ceil(length / STRIDE))
        dx, dy = (end[0] - start[0]) / count, (end[1] - start[1]) / count
        places = [(start[0] + k * dx, start[1] + k * dy) for k in range(count + 1)]
        beyond = places[math.ceil(FIRST_METRES / STRIDE) :]
        if any(math.dist(place, p) < KEEP_OFF for p in avoid for place in beyond):
            return False
        if self._ground is None:
            return True
        track = self._track(places, start[2], steep * max(length / count, 1.0))
        if track is None or (len(end) > 2 and abs(track[-1][2] - end[2]) > LEVEL):
            return False
        return not any(map(self.wall, track, track[1:]))

    def _track(self, places, z, step):
        """Places (x, y, z) on the ground, None where it ends or rises or falls by more than a step (m) to the next."""
        track = []
        for place in places:
            level = self._level(*place, z)
            if level is None or abs(level - z) > step:
                return None
            track.append((*place, level))
            z = level
        return track

    def _level(self, x, y, z):
        """Height of the ground at a place, near a height; None where there is none."""
        depth = self._ground.distance((x, y, z + HEADROOM), (0.0, 0.0, -1.0), 2.0 * HEADROOM)
        return None if depth is None else z + HEADROOM - depth

    def wall(self, start, end, half_width=HALF_WIDTH):
        """True if something upright stands between two places (x, y, z) on the ground, over a vehicle's width."""
        if self._ground is None:
            return False
        direction = tuple(b - a for a, b in zip(start, end, strict=True))
        length = math.hypot(*direction)
        flat = math.hypot(*direction[:2])
        if flat < 1e-6:
            return False
        aside = (-direction[1] / flat, direction[0] / flat)
        for share in (-half_width, 0.0, half_width):
            origin = (start[0] + share * aside[0], start[1] + share * aside[1], start[2] + WALL_HEIGHT)
            hit, _, normal, _ = self._ground.cast(origin, direction, length)
            if hit and abs(normal[2]) < WALL_NORMAL:
                return True
        return False


class _Search:
    """One search for a way. steep: see `RoadMap.free`. country: whether through a grid of places in the open too."""

    def __init__(self, roads, start, heading, line, heights, avoid, steep, country):
        self._map, self._line, self._heights, self._avoid = roads, line, heights, avoid
        self._start, self._heading, self._steep = start, heading, steep
        self._nodes = np.vstack([roads.nodes, roads.grid(start)]) if country else roads.nodes
        after = np.roll(line.points, -1, axis=0) - np.roll(line.points, 1, axis=0)
        self._directions = np.arctan2(after[:, 1], after[:, 0])
        self._checks = 0

    def run(self):
        """The Way, or None."""
        queue, done, order = [], {}, 0
        heapq.heappush(queue, (0.0, order, None, _Edge(START, 0.0, False)))
        while queue and self._checks < CHECKS:
            cost, _, origin, edge = heapq.heappop(queue)
            if edge.node in done or (edge.leg and not self._is_free(origin, edge)):
                continue
            done[edge.node] = (origin, edge)
            if edge.node == GOAL:
                return self._way(done)
            for following in self._edges(edge.node):
                if following.node not in done:
                    order += 1  # breaks ties, so that the order does not depend on what cannot be compared
                    heapq.heappush(queue, (cost + following.cost, order, edge.node, following))
        return None

    def _place(self, node):
        return self._start if node == START else tuple(self._nodes[node].tolist())

    def _is_free(self, origin, edge):
        self._checks += 1
        end = self._target(edge.place) if edge.node == GOAL else self._place(edge.node)
        return self._map.free(self._place(origin), end, self._avoid, self._steep)

    def _target(self, place):
        x, y = self._line.points[place].tolist()
        height = float(self._heights[place])
        return (x, y) if math.isnan(height) else (x, y, height)

    def _edges(self, node):
        yield from self._to_line(node)
        if 0 <= node < len(self._map.nodes):
            yield from self._map.edges[node]
            return
        away = np.linalg.norm(self._nodes - self._place(node), axis=1)
        reach = np.full(len(away), 1.5 * GRID)  # to the eight neighbours
        if node == START:
            reach[: len(self._map.nodes)] = LEG_MOST
        for k in np.flatnonzero(away <= reach).tolist():
            turning = self._turning(self._nodes[k]) if node == START else 0.0
            yield _Edge(k, OFF_ROAD * away[k] + turning, True)

    def _to_line(self, node):
        """Legs to the line: from the vehicle to all of it, from a road only the best ones."""
        place = self._place(node)
        dx, dy = (self._line.points - place[:2]).T
        away = np.hypot(dx, dy)
        angle = np.abs(_wrapped(np.arctan2(dy, dx) - self._directions))
        cost = OFF_ROAD * away + MERGE_COST * angle * np.minimum(away / SPACING, 1.0)
        if node == START:
            cost += TURN_COST * np.abs(_wrapped(np.arctan2(-dx, dy) - self._heading))
        apart, wanted = (3, 64) if node == START else (8, 4)  # every so many of the cheapest places
        for k in np.argsort(cost, kind="stable")[::apart][:wanted].tolist():
            if away[k] <= (LEG_MOST if node < len(self._map.nodes) else 3.0 * GRID):
                yield _Edge(GOAL, float(cost[k]), True, k)

    def _turning(self, place):
        towards = math.atan2(self._start[0] - place[0], place[1] - self._start[1])
        return TURN_COST * abs(math.remainder(towards - self._heading, 2.0 * math.pi))

    def _way(self, done):
        node, places, paces = GOAL, [], []
        while node != START:
            origin, edge = done[node]
            places.append(tuple(self._line.points[edge.place]) if node == GOAL else self._place(node)[:2])
            paces.append(OPEN_PACE if edge.leg else ROAD_PACE)
            node = origin
        places.append(self._start[:2])
        return self._joined(places[::-1], paces[::-1], done[GOAL][1].place)

    def _joined(self, places, paces, place):
        """The way with the first metres of the line, so that it ends in the line's direction."""
        count = len(self._line.points)
        run_in = range(1, min(16, count // 4))
        places += [tuple(self._line.points[(place + k) % count]) for k in run_in]
        end = (place + len(run_in)) % count
        return Way(places, paces + [ROAD_PACE] * len(run_in), end, float(self._line.speed[end]))


def _wrapped(angle):
    return (angle + math.pi) % (2.0 * math.pi) - math.pi


def _resampled(road):
    """(n, 3) points about `SPACING` apart."""
    points = road.points if road.points.shape[1] == 3 else np.pad(road.points, ((0, 0), (0, 1)))
    if road.closed:
        points = np.vstack([points, points[:1]])
    stations = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    count = max(2, round(stations[-1] / SPACING) + 1)
    at = np.linspace(0.0, stations[-1], count)[: -1 if road.closed else None]
    return np.column_stack([np.interp(at, stations, points[:, k]) for k in range(3)])
