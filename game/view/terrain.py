"""The heightfield as chunks of triangles: near the camera exactly the ones that physics drives on.

Cell a=(i, j) b=(i+1, j) c=(i, j+1) d=(i+1, j+1) is split into (a, b, d) and (a, d, c), as in the core. Chunks of
64 cells; beyond `LOD_DISTANCE` of the camera every 2nd, then every 4th sample, with skirts that hide the
cracks. Nothing is morphed, so no drawn vertex ever leaves its sample. Around the field lies scenery, a ring of
hills that starts on the border heights and is not driven on.
"""

from __future__ import annotations

import numpy as np
from panda3d.core import Geom, GeomNode, LODNode, NodePath, Point3

from game.view.geometry import mesh, triangles, vertex_data

CHUNK = 64  # cells; 4225 vertices, so 16-bit indices
LOD_DISTANCE = 250.0  # m from the camera to the nearest point of a chunk; full detail nearer than that
FAR_LOD_DISTANCE = 550.0  # m; every 4th sample beyond
SKIRT = 0.06  # skirt depth per metre of coarse cell width: covers the chord error of the slopes drawn here
RING_RADIUS = 6000.0  # m beyond the border; the haze hides its end


def vertex_normals(heights: np.ndarray, cell: float) -> np.ndarray:
    """Unit normals (n, m, 3) by central differences, one-sided at the border."""
    slope_y, slope_x = np.gradient(heights, np.float32(cell))
    normals = np.empty((*heights.shape, 3), np.float32)
    scale = 1.0 / np.sqrt(slope_x * slope_x + slope_y * slope_y + 1.0)
    normals[..., 0] = -slope_x * scale
    normals[..., 1] = -slope_y * scale
    normals[..., 2] = scale
    return normals


def vertex_grid(heights: np.ndarray, origin: tuple[float, float], cell: float) -> np.ndarray:
    """(rows, columns, 6) float32: position and normal of every sample."""
    row_count, column_count = heights.shape
    grid = np.empty((row_count, column_count, 6), np.float32)
    grid[..., 0] = (origin[0] + np.arange(column_count) * cell)[None, :]
    grid[..., 1] = (origin[1] + np.arange(row_count) * cell)[:, None]
    grid[..., 2] = heights
    grid[..., 3:] = vertex_normals(heights, cell)
    return grid


def cell_triangles(row_count: int, column_count: int) -> np.ndarray:
    """Triangles (a, b, d) and (a, d, c) of a grid of samples, as (cells * 2, 3) indices."""
    numbers = np.arange(row_count * column_count).reshape(row_count, column_count)
    a, b, c, d = numbers[:-1, :-1], numbers[:-1, 1:], numbers[1:, :-1], numbers[1:, 1:]
    return np.stack([a, b, d, a, d, c], axis=-1).reshape(-1, 3)


def _border(row_count: int, column_count: int) -> np.ndarray:
    """Sample numbers around the border, counter-clockwise, closed."""
    numbers = np.arange(row_count * column_count).reshape(row_count, column_count)
    ring = [numbers[0, :], numbers[1:, -1], numbers[-1, -2::-1], numbers[-2::-1, 0]]
    return np.concatenate(ring)


def _with_skirt(block: np.ndarray, depth: float) -> tuple[np.ndarray, np.ndarray]:
    """Coarse chunk with its border pulled down `depth` metres."""
    row_count, column_count = block.shape[:2]
    rows = block.reshape(-1, 6)
    ring = _border(row_count, column_count)
    lowered = rows[ring].copy()
    lowered[:, 2] -= depth
    upper, lower = ring, len(rows) + np.arange(len(ring))
    quads = np.stack([upper[:-1], lower[:-1], lower[1:], upper[:-1], lower[1:], upper[1:]], axis=-1)
    indices = np.concatenate([cell_triangles(row_count, column_count), quads.reshape(-1, 3)])
    return np.concatenate([rows, lowered]), indices


def _coarse_range(first: int, last: int, step: int) -> np.ndarray:
    """Every `step`-th sample from first to last, both ends kept."""
    picked = np.arange(first, last + 1, step)
    return picked if picked[-1] == last else np.append(picked, last)


class TerrainChunks:
    """All chunks under `root`; `full_nodes[(row, column)]` are the exact ones.

    `holes` (rows, columns) marks cells without ground, which are not drawn at full detail.
    """

    def __init__(self, heights: np.ndarray, origin: tuple[float, float], cell: float, holes: np.ndarray | None = None):
        self._holes = holes if holes is not None and holes.any() else None
        self.root = NodePath("terrain")
        self.full_nodes: dict[tuple[int, int], GeomNode] = {}
        self._index_buffers: dict = {}
        self._cell = cell
        grid = vertex_grid(heights, origin, cell)
        row_cells, column_cells = heights.shape[0] - 1, heights.shape[1] - 1
        for row in range(0, row_cells, CHUNK):
            for column in range(0, column_cells, CHUNK):
                self._add_chunk(grid, row, min(row + CHUNK, row_cells), column, min(column + CHUNK, column_cells))

    def _add_chunk(self, grid: np.ndarray, row: int, row_end: int, column: int, column_end: int) -> None:
        block = grid[row:row_end + 1, column:column_end + 1]
        low, high = block[0, 0, :3], block[-1, -1, :3]
        centre = Point3(*(float(v) for v in (low + high) / 2))
        spread = np.append(high[:2] - low[:2], 2 * np.abs(block[..., 2] - (low[2] + high[2]) / 2).max())
        half_diagonal = float(np.linalg.norm(spread)) / 2
        lod = LODNode(f"chunk {row // CHUNK} {column // CHUNK}")
        lod.setCenter(centre)
        path = self.root.attachNewNode(lod)
        near, far = LOD_DISTANCE + half_diagonal, FAR_LOD_DISTANCE + half_diagonal
        holes = None if self._holes is None else self._holes[row:row_end, column:column_end]
        full = self._full_node(block, holes)
        self.full_nodes[(row // CHUNK, column // CHUNK)] = full
        levels = [(full, near, 0.0)]
        levels.append((self._coarse_node(grid, row, row_end, column, column_end, 2), far, near))
        levels.append((self._coarse_node(grid, row, row_end, column, column_end, 4), 1e6, far))
        for node, out, inside in levels:
            path.attachNewNode(node)
            lod.addSwitch(out, inside)

    def _full_node(self, block: np.ndarray, holes: np.ndarray | None) -> GeomNode:
        shape = block.shape[:2]
        if shape not in self._index_buffers:  # chunks of one size share it
            self._index_buffers[shape] = triangles(cell_triangles(*shape), shape[0] * shape[1])
        indices = self._index_buffers[shape]
        if holes is not None and holes.any():
            indices = triangles(cell_triangles(*shape)[np.repeat(~holes.reshape(-1), 2)], shape[0] * shape[1])
        geom = Geom(vertex_data(block.reshape(-1, 6), "vertex", "normal"))
        geom.addPrimitive(indices)
        node = GeomNode("full")
        node.addGeom(geom)
        return node

    def _coarse_node(self, grid, row, row_end, column, column_end, step) -> GeomNode:
        picked = np.ix_(_coarse_range(row, row_end, step), _coarse_range(column, column_end, step))
        rows, indices = _with_skirt(grid[picked], SKIRT * step * self._cell * 8)
        node = GeomNode(f"every {step}")
        node.addGeom(mesh(rows, indices, "vertex", "normal"))
        return node


def _hill_noise(x: np.ndarray, y: np.ndarray, seed: int = 5) -> np.ndarray:
    """Octaves of crossing, bent sines: rolling ridges without a table, 0..1 with mean 0.5."""
    random = np.random.default_rng(seed)
    total, weight, length = np.zeros_like(x), 0.0, 4200.0
    for octave in range(7):
        amplitude = 0.5**octave
        wave = np.zeros_like(x)
        for _ in range(3):
            angle, phase = random.uniform(0, 2 * np.pi, 2)
            across = (x * np.cos(angle) + y * np.sin(angle)) * 2 * np.pi / length
            bend = 0.8 * np.sin((y * np.cos(angle) - x * np.sin(angle)) * 2 * np.pi / (1.6 * length))
            wave += np.sin(across + phase + bend)
        total += amplitude * wave / 3
        weight += amplitude * 0.5
        length *= 0.47
    return np.clip(0.5 + 0.5 * total / weight, 0.0, 1.0)


def far_hills(heights: np.ndarray, origin: tuple[float, float], cell: float) -> NodePath:
    """A ring of hills from the border of the field outwards."""
    row_count, column_count = heights.shape
    step = max(1, int(10 / cell))
    columns, rows = _coarse_range(0, column_count - 1, step), _coarse_range(0, row_count - 1, step)
    loop = [(0, i) for i in columns] + [(j, column_count - 1) for j in rows[1:]]
    loop += [(row_count - 1, i) for i in columns[-2::-1]] + [(j, 0) for j in rows[-2::-1]]
    j, i = np.array(loop).T
    border = np.stack([origin[0] + i * cell, origin[1] + j * cell], axis=-1)
    middle = np.array([origin[0] + (column_count - 1) * cell / 2, origin[1] + (row_count - 1) * cell / 2])
    outward = border - middle
    distance = np.linalg.norm(outward, axis=-1, keepdims=True)
    outward /= distance
    rings = RING_RADIUS * np.linspace(0.0, 1.0, 56) ** 2.0
    plan = border[None] + outward[None] * rings[:, None, None]
    rise = np.clip((rings - 300.0) / 3600.0, 0, 1)[:, None]
    rise = rise * rise * (3 - 2 * rise)
    hills = _hill_noise(plan[..., 0], plan[..., 1])
    lift = (110.0 + 260.0 * hills) * rise + (hills - 0.5) * 50.0 * np.clip(rings / 700.0, 0, 1)[:, None]
    level = float(heights[j, i].mean())
    keep = np.exp(-rings / 500.0)[:, None]
    height = heights[j, i][None] * keep + level * (1 - keep) + lift
    return _ring_path(plan, height)


def _ring_path(plan: np.ndarray, height: np.ndarray) -> NodePath:
    points = np.concatenate([plan, height[..., None]], axis=-1)
    along = np.gradient(points, axis=1)
    along[:, 0] = along[:, -1] = points[:, 1] - points[:, -2]
    normals = np.cross(np.gradient(points, axis=0), along)
    normals *= np.where(normals[..., 2:] < 0, -1.0, 1.0)
    normals /= np.maximum(np.linalg.norm(normals, axis=-1, keepdims=True), 1e-9)
    rows = np.concatenate([points, normals], axis=-1).reshape(-1, 6)
    ring_count, loop_count = height.shape
    indices = cell_triangles(ring_count, loop_count)[:, ::-1]
    node = GeomNode("far hills")
    node.addGeom(mesh(rows, indices, "vertex", "normal"))
    return NodePath(node)


def endless_plane(height: float, half: float = 6000.0, cell_count: int = 24) -> NodePath:
    """A flat grid; the view moves it along under the camera in whole cells."""
    line = np.linspace(-half, half, cell_count + 1)
    rows = np.zeros((cell_count + 1, cell_count + 1, 6), np.float32)
    rows[..., 0], rows[..., 1], rows[..., 2], rows[..., 5] = line[None, :], line[:, None], height, 1.0
    node = GeomNode("plane")
    node.addGeom(mesh(rows.reshape(-1, 6), cell_triangles(cell_count + 1, cell_count + 1), "vertex", "normal"))
    return NodePath(node)
