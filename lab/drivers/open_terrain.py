"""The open terrain around a vehicle as a square grid, for path searches around steep slopes.

Each node has edges to its eight neighbours. The cost of an edge is its length, times `OFF_ROAD`, plus the cost of its
climb (lab/drivers/road_map.py); walls are checked only when the search reaches the edge.
"""

import math
from collections.abc import Generator, Sequence

import numpy as np

from driving_sandbox.lab.drivers.driving_line import DrivingLine
from driving_sandbox.lab.drivers.road_map import BLOCK, BLOCK_QUERIES, OFF_ROAD, RoadMap, climbing

GRID = 6.0  # m between nodes; the ground's undulations are some tens of metres long
REACH = 400.0  # m from the vehicle to each side of the grid
MAX_LINE_DISTANCE = 1.5 * REACH  # m to the nearest road or line; farther off than the grid's corners, at 1.4 REACH
LINE_CELLS = 2  # nodes to each side of the line from which a search may leave the grid for it
NEIGHBOURS = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j]


class OpenTerrain:
    """A grid of nodes, numbered row by row; `around` builds it.

    Args:
        origin: x, y of the first node, m.
        heights: [row, column] heights of the nodes, m; rows follow y, columns x.
    """

    def __init__(self, origin: tuple[float, float], heights: np.ndarray) -> None:
        self._origin, self._heights, self._side = origin, heights, len(heights)
        # {node: indices of the roads' points to which it is the nearest node}; nodes near the line
        self._roads: dict[int, list[int]] = {}
        self._line: set[int] = set()

    @classmethod
    def around(
        cls, start: Sequence[float], road_map: RoadMap, line: DrivingLine
    ) -> Generator[int, None, "OpenTerrain"]:
        """The OpenTerrain around a position, with the roads and the line in it; a generator of query counts."""
        side = 2 * round(REACH / GRID) + 1
        ground, half = road_map.ground, 0.5 * (side - 1) * GRID
        assert ground is not None
        low = (start[0] - half, start[1] - half)
        heights = np.empty((side, side))
        for j in range(side):
            for first in range(0, side, BLOCK):
                for i in range(first, min(first + BLOCK, side)):
                    heights[j, i] = ground.height(low[0] + i * GRID, low[1] + j * GRID)
                yield BLOCK_QUERIES
        terrain = cls(low, heights)
        for k, node in terrain._nearest_nodes(road_map.nodes):
            terrain._roads.setdefault(node, []).append(k)
        offsets = range(-LINE_CELLS, LINE_CELLS + 1)
        for first in range(0, len(line.points), BLOCK):
            for _, node in terrain._nearest_nodes(line.points[first : first + BLOCK]):
                terrain._line.update(node + dj * side + di for dj in offsets for di in offsets)
            yield BLOCK_QUERIES
        return terrain

    def _nearest_nodes(self, points: np.ndarray) -> list[tuple[int, int]]:
        """(index, number of the nearest node) of those points (n, 2 or more) that are in the grid."""
        columns, rows = np.round((points[:, :2] - self._origin) / GRID).astype(int).T
        inside = (columns >= 0) & (columns < self._side) & (rows >= 0) & (rows < self._side)
        return [(k, int(rows[k] * self._side + columns[k])) for k in np.flatnonzero(inside).tolist()]

    def position(self, number: int) -> tuple[float, float, float]:
        """(x, y, z) of a node, m."""
        j, i = divmod(number, self._side)
        return self._origin[0] + i * GRID, self._origin[1] + j * GRID, float(self._heights[j, i])

    def around_start(self) -> list[int]:
        """Numbers of the eight nodes around the vehicle's."""
        middle = self._side // 2
        return [(middle + dj) * self._side + middle + di for dj, di in NEIGHBOURS]

    def neighbours(self, number: int) -> list[tuple[int, float]]:
        """[(number, cost)] of a node's neighbours that are not too steep to reach."""
        j, i = divmod(number, self._side)
        edges, height = [], self._heights.item(j, i)
        for dj, di in NEIGHBOURS:
            if 0 <= j + dj < self._side and 0 <= i + di < self._side:
                length, rise = GRID * math.hypot(di, dj), self._heights.item(j + dj, i + di) - height
                cost = OFF_ROAD * length + climbing(length, rise)
                if math.isfinite(cost):
                    edges.append((number + dj * self._side + di, cost))
        return edges

    def road_nodes(self, number: int) -> Sequence[int]:
        """Indices of the roads' points to which a node is the nearest one."""
        return self._roads.get(number, ())

    def near_line(self, number: int) -> bool:
        """Whether a search may leave the grid for the line from a node."""
        return number in self._line
