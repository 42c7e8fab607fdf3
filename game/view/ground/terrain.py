"""Draws the heightfield as chunks of triangles; near the camera they are exactly the triangles of the physics.

A cell with the corners a=(i, j), b=(i+1, j), c=(i, j+1), d=(i+1, j+1) is split into (a, b, d) and (a, d, c), as by the
physics. The chunks form a quadtree: chunks of level 0 have every sample; chunks of level n are 2^n times as wide, have
every 2^n-th sample, and skirts that hide the cracks between levels. The camera's motion is extrapolated, so that a
chunk is built shortly before it is needed. A limited number of chunks is cached; neither start time nor memory grows
with the field. Every vertex of the drawn surface is a sample: levels are not blended. Around the field is a ring of
hills, which is scenery; it begins at the heights of the border.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from panda3d.core import Geom, GeomNode, GeomTriangles, NodePath

from driving_sandbox.game.view.gl.geometry import sphere_around, still_mesh, triangles, vertex_data

Key = tuple[int, int, int]  # level, row and column of a chunk
Position = tuple[float, float]  # x, y of the camera, m
CHUNK = 64  # cells along a side of a chunk; the work per frame is counted in such chunks (16-bit indices up to 128)
MIN_TOP_SIDE = 512  # cells, minimum side of a chunk of the coarsest level, the top level of the quadtree
MIN_TOP_LEVEL = 3  # minimum number of that level
SQUARE = 256  # cells along a side of a square; smaller chunks in it share a node and are culled together
REACH = 250.0  # m, horizontal distance from the camera up to which chunks have level 0; doubled for each level
SKIRT = 0.48  # skirt depth per metre of coarse cell width: covers the chord error of the slopes drawn here
RESELECT = 8.0  # m that the camera moves before chunks are selected again
BACKLOG = 24  # for every so many waiting chunks, one more is built per frame
LEAD = 2 * BACKLOG  # frames of camera extrapolation: the time to build and upload a queue of BACKLOG
JUMP = 60.0  # m from the position of the last selection; a camera farther away gets all missing chunks at once
CACHED = 640  # chunks with sides of CHUNK that are cached, 100 KB of vertices each
RING_WIDTH = 6000.0  # m, width of the ring of hills around the field; the haze hides its end


def cell_triangles(row_count: int, column_count: int) -> np.ndarray:
    """Triangles (a, b, d) and (a, d, c) of a grid of samples, as [cells * 2, 3] indices."""
    numbers = np.arange(row_count * column_count).reshape(row_count, column_count)
    a, b, c, d = numbers[:-1, :-1], numbers[:-1, 1:], numbers[1:, :-1], numbers[1:, 1:]
    return np.stack([a, b, d, a, d, c], axis=-1).reshape(-1, 3)


def _border(row_count: int, column_count: int) -> np.ndarray:
    """Indices of the samples around the border, counter-clockwise, the first one repeated."""
    numbers = np.arange(row_count * column_count).reshape(row_count, column_count)
    return np.concatenate([numbers[0, :], numbers[1:, -1], numbers[-1, -2::-1], numbers[-2::-1, 0]])


@lru_cache(16)
def _skirt_triangles(row_count: int, column_count: int) -> np.ndarray:
    """Triangles of a grid and of the skirt around it; the skirt's lower ring comes after the grid's vertices."""
    ring = _border(row_count, column_count)
    upper, lower = ring, row_count * column_count + np.arange(len(ring))
    quads = np.stack([upper[:-1], lower[:-1], lower[1:], upper[:-1], lower[1:], upper[1:]], axis=-1)
    return np.concatenate([cell_triangles(row_count, column_count), quads.reshape(-1, 3)])


def _coarse_range(first: int, last: int, step: int) -> np.ndarray:
    """Indices of every `step`-th sample from first to last, both ends included."""
    indices = np.arange(first, last + 1, step)
    return indices if indices[-1] == last else np.append(indices, last)


class TerrainChunks:
    """All chunks, attached below `root`; call `update` once a frame. The key of a chunk is (level, row, column).

    Args:
        heights: [rows, columns] heights of the samples, m.
        origin: (x, y) of the first sample, m.
        cell: spacing of the samples, m.
        holes: [rows, columns] whether a cell has no ground; such cells are not drawn at level 0. None: no holes.
        reach: as REACH, m.
        chunk: cells along a side of a chunk of level 0, a power of two up to 128; small chunks keep the fine triangles
            closer around the camera, large ones mean fewer draw calls.
        prepare_path: function(NodePath) that uploads a mesh that will be drawn soon.
    """

    def __init__(
        self,
        heights: np.ndarray,
        origin: tuple[float, float],
        cell: float,
        holes: np.ndarray | None = None,
        reach: float = REACH,
        chunk: int = CHUNK,
        prepare_path: Callable[[NodePath], object] = lambda path: None,
    ) -> None:
        self._heights, self._origin, self._cell = heights, origin, cell
        self._reach, self._chunk, self._prepare_path = reach, chunk, prepare_path
        self._per_frame = max(1, (CHUNK // chunk) ** 2)  # chunks that are as much work as one with sides of CHUNK
        self._cache_size = CACHED * CHUNK**2 // chunk**2
        self._top_side = max(MIN_TOP_SIDE, chunk << MIN_TOP_LEVEL)  # cells along a side of a chunk of the top level
        # levels: the top one, and the first one at which a chunk fills a square
        self._top_level, self._square_level = ((width // chunk).bit_length() - 1 for width in (self._top_side, SQUARE))
        self._holes = holes if holes is not None and holes.any() else None
        self._cells = (heights.shape[0] - 1, heights.shape[1] - 1)  # rows and columns of cells
        self.root = NodePath("terrain")
        self._squares: dict[tuple[int, int], NodePath] = {}  # parent nodes, see SQUARE
        self._paths: dict[Key, NodePath] = {}  # {key: node}, least recently used first
        self._shown: set[Key] = set()  # keys of the chunks that are drawn
        self._buffers: dict[tuple, GeomTriangles] = {}  # index buffers shared by chunks of equal size
        self._camera = (math.inf, math.inf)  # (x, y) at the last selection, m; infinite before the first
        self._missing: list[Key] = []  # chunks still to be built, the most urgent last
        self._fresh: list[NodePath] = []  # chunks built but not uploaded yet
        self._frames, self._motion = 0, (0.0, 0.0)  # frames since `_camera` was set; its motion, m per frame

    # ---- selection

    def update(self, camera: Sequence[float]) -> bool:
        """Show the chunks for a camera at a position (x, y, ...), m; returns whether waiting chunks were worked on."""
        position = (float(camera[0]), float(camera[1]))
        shift = max(abs(position[0] - self._camera[0]), abs(position[1] - self._camera[1]))
        self._frames += 1
        busy = bool(self._fresh or self._missing)
        if shift < RESELECT and not busy:
            return False
        if self._fresh and shift < RESELECT:  # a faster camera needs new ground before uploads
            self._upload()
        else:
            self._make(self._per_frame * (1 + len(self._missing) // (self._per_frame * BACKLOG)))
        if shift >= RESELECT or not (self._missing or self._fresh):
            self._follow(position, shift > JUMP)
            self._select(position)
        while shift > JUMP and self._missing:
            self._make(len(self._missing))
            self._fresh.clear()  # drawing them in this frame uploads them
            self._select(position)
        return busy

    def _make(self, count: int) -> None:
        """Build up to `count` of the missing chunks, the most urgent first."""
        for _ in range(min(count, len(self._missing))):
            self._fresh.append(self._path(self._missing.pop()))

    def _upload(self) -> None:
        """Upload the oldest of the new chunks, as many as are usually built in a frame."""
        for path in self._fresh[: self._per_frame]:
            self._prepare_path(path)
        del self._fresh[: self._per_frame]

    def _select(self, position: Position) -> None:
        """Show chunks for a position, built ones if possible, and list the chunks missing there and ahead."""
        selected, missing = self._chunks_for(position)
        for key in self._shown - selected:
            self._paths[key].detachNode()
        for key in selected - self._shown:
            self._path(key).reparentTo(self._square(key))
        self._shown = selected
        self._missing = self._by_urgency(missing)
        self._evict()

    def _follow(self, position: Position, jumped: bool) -> None:
        """Set the camera's motion since its last position; after a jump it is zero."""
        dx, dy = (0.0, 0.0) if jumped else (new - old for new, old in zip(position, self._camera, strict=True))
        self._motion = (dx / self._frames, dy / self._frames)
        self._camera, self._frames = position, 0

    def _by_urgency(self, missing: list[Key]) -> list[Key]:
        """Keys of the chunks missing at the camera and at its extrapolated position, the most urgent last.

        Chunks behind the moving camera are less urgent than all chunks ahead; of either, those needed only at the
        extrapolated position are less urgent than those missing now.
        """
        speed = math.hypot(*self._motion)
        if not speed:
            return sorted(missing, key=lambda key: self._distance(key, self._camera), reverse=True)
        lead = min(LEAD, self._reach / speed)  # frames, up to a distance of `reach`
        position = self._camera[0] + lead * self._motion[0], self._camera[1] + lead * self._motion[1]
        missing_now = set(missing)
        order = {key: (self._behind(key), key not in missing_now, self._distance(key, position), key)
                 for key in (*missing, *self._chunks_for(position)[1])}  # fmt: skip
        return sorted(order, key=order.__getitem__, reverse=True)

    def _behind(self, key: Key) -> bool:
        """Whether all of a chunk is behind the moving camera."""
        level, row, column = key
        size = (self._chunk << level) * self._cell
        corner = (self._origin[0] + column * size, self._origin[1] + row * size)
        return sum(max(motion * (low - at), motion * (low + size - at))
                   for at, motion, low in zip(self._camera, self._motion, corner, strict=True)) < 0.0  # fmt: skip

    def _square(self, key: Key) -> NodePath:
        """The parent node of a chunk."""
        level, row, column = key
        if level >= self._square_level:
            return self.root
        square = row >> self._square_level - level, column >> self._square_level - level
        if square not in self._squares:
            self._squares[square] = self.root.attachNewNode("square {} {}".format(*square))
        return self._squares[square]

    def _chunks_for(self, position: Position) -> tuple[set[Key], list[Key]]:
        """(keys of the chunks to show at a position, keys of better fitting chunks that are not built yet)."""
        selected: set[Key] = set()
        missing: list[Key] = []
        for row in range(-(-self._cells[0] // self._top_side)):
            for column in range(-(-self._cells[1] // self._top_side)):
                self._choose((self._top_level, row, column), position, selected, missing)
        return selected, missing

    def _choose(self, key: Key, position: Position, selected: set[Key], missing: list[Key]) -> None:
        """Walk the quadtree down from `key`; add the chunks to show to `selected`, those still to build to `missing`.

        A chunk that is not built yet is replaced by its children if all are built, else by its parent; if that is not
        built either, `_select` builds it at once.
        """
        if self._fine_enough(key, position):
            if not self._covered(key):
                selected.add(key)
                return
            missing.append(key)
        children = self._children(key)
        unbuilt = [
            child
            for child in children
            if child not in self._paths and self._fine_enough(child, position) and not self._covered(child)
        ]
        if unbuilt:  # until they are built, the coarse chunk is shown
            missing += unbuilt
            selected.add(key)
            return
        for child in children:
            self._choose(child, position, selected, missing)

    def _covered(self, key: Key) -> bool:
        """Whether a chunk is not built but all its finer children are, which then stay visible in its place."""
        if key in self._paths:
            return False
        children = self._children(key)
        return bool(children) and all(child in self._paths for child in children)

    def _fine_enough(self, key: Key, position: Position) -> bool:
        """Whether a chunk's level is fine enough for its distance from the camera's position."""
        return key[0] == 0 or self._distance(key, position) >= self._reach * 2 ** (key[0] - 1)

    def _children(self, key: Key) -> list[Key]:
        """Keys of the chunks of the next finer level in a chunk, without those outside the field."""
        level, row, column = key
        if not level:
            return []
        size = self._chunk << (level - 1)
        return [(level - 1, r, c) for r in (2 * row, 2 * row + 1) for c in (2 * column, 2 * column + 1)
                if r * size < self._cells[0] and c * size < self._cells[1]]  # fmt: skip

    def _distance(self, key: Key, position: Position) -> float:
        """Horizontal distance from a position to the nearest point of a chunk, m; 0 within the chunk."""
        level, row, column = key
        size = (self._chunk << level) * self._cell
        x, y = position[0] - self._origin[0] - column * size, position[1] - self._origin[1] - row * size
        return math.hypot(max(-x, x - size, 0.0), max(-y, y - size, 0.0))

    def _evict(self) -> None:
        """Evict the least recently used chunks if there are too many; shown chunks stay."""
        for key in list(self._paths)[: max(0, len(self._paths) - self._cache_size)]:
            if key not in self._shown:
                self._paths.pop(key).removeNode()

    # ---- building

    def _path(self, key: Key) -> NodePath:
        """The node of a chunk, built if necessary; it becomes the most recently used one."""
        path = self._paths.pop(key, None)
        if path is None:
            path = NodePath(self.build_node(key))
        self._paths[key] = path
        return path

    def build_node(self, key: Key) -> GeomNode:
        """Build the node of a chunk, with its geometry."""
        level, row, column = key
        step, size = 1 << level, self._chunk << level
        rows = _coarse_range(row * size, min((row + 1) * size, self._cells[0]), step)
        columns = _coarse_range(column * size, min((column + 1) * size, self._cells[1]), step)
        block = self._block(rows, columns, step)
        shape = (len(rows), len(columns))
        vertices = block.reshape(-1, 6)
        if level > 0:
            lowered = vertices[_border(*shape)]
            lowered[:, 2] -= SKIRT * step * self._cell
            vertices = np.concatenate([vertices, lowered])
        geom = Geom(vertex_data(vertices, "vertex", "normal"))
        geom.addPrimitive(self._indices(shape, level, rows, columns, len(vertices)))
        geom.setBounds(sphere_around(vertices[:, :3]))  # Panda3D would take 1 ms to compute them
        node = GeomNode(f"terrain {level} {row} {column}")
        node.addGeom(geom)
        return node

    def _block(self, rows: np.ndarray, columns: np.ndarray, step: int) -> np.ndarray:
        """[rows, columns, 6] float32: position, normal by central differences over `step` (one-sided at the border)."""
        down, up = max(rows[0] - step, 0), min(rows[-1] + step, self._cells[0])
        left, right = max(columns[0] - step, 0), min(columns[-1] + step, self._cells[1])
        around = self._heights[np.ix_(np.r_[down, rows, up], np.r_[left, columns, right])]
        run_x = np.diff(np.r_[left, columns, right])
        run_y = np.diff(np.r_[down, rows, up])
        slope_x = (around[1:-1, 2:] - around[1:-1, :-2]) / ((run_x[1:] + run_x[:-1]) * np.float32(self._cell))
        slope_y = (around[2:, 1:-1] - around[:-2, 1:-1]) / ((run_y[1:] + run_y[:-1]) * np.float32(self._cell))[:, None]
        block = np.empty((len(rows), len(columns), 6), np.float32)
        block[..., 0] = (self._origin[0] + columns * self._cell)[None, :]
        block[..., 1] = (self._origin[1] + rows * self._cell)[:, None]
        block[..., 2] = around[1:-1, 1:-1]
        scale = 1.0 / np.sqrt(slope_x * slope_x + slope_y * slope_y + 1.0)
        block[..., 3], block[..., 4], block[..., 5] = -slope_x * scale, -slope_y * scale, scale
        return block

    def _indices(
        self, shape: tuple[int, int], level: int, rows: np.ndarray, columns: np.ndarray, vertex_count: int
    ) -> GeomTriangles:
        """The index buffer of a chunk; chunks of equal size share one, those with holes have their own."""
        holes = None
        if level == 0 and self._holes is not None:
            holes = self._holes[rows[0] : rows[-1], columns[0] : columns[-1]]
        if holes is not None and holes.any():
            return triangles(cell_triangles(*shape)[np.repeat(~holes.reshape(-1), 2)], vertex_count)
        name = (shape, level > 0)
        if name not in self._buffers:
            indices = _skirt_triangles(*shape) if level > 0 else cell_triangles(*shape)
            self._buffers[name] = triangles(indices, vertex_count)
        return self._buffers[name]


def _hill_noise(x: np.ndarray, y: np.ndarray, seed: int = 5) -> np.ndarray:
    """Rolling ridges, 0..1 with a mean of 0.5, as a sum of octaves of crossing, bent sine waves."""
    random = np.random.default_rng(seed)
    total, weight, length = np.zeros_like(x), 0.0, 4200.0  # length: wavelength of the octave, m
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
    """Node with a ring of hills around the field, RING_WIDTH wide."""
    row_count, column_count = heights.shape
    step = max(1, int(10 / cell))  # cells; about 10 m between points along the border
    columns, rows = _coarse_range(0, column_count - 1, step), _coarse_range(0, row_count - 1, step)
    loop = [(0, i) for i in columns] + [(j, column_count - 1) for j in rows[1:]]
    loop += [(row_count - 1, i) for i in columns[-2::-1]] + [(j, 0) for j in rows[-2::-1]]
    j, i = np.array(loop).T
    border = np.stack([origin[0] + i * cell, origin[1] + j * cell], axis=-1)
    middle = np.array([origin[0] + (column_count - 1) * cell / 2, origin[1] + (row_count - 1) * cell / 2])
    outward = border - middle
    distance = np.linalg.norm(outward, axis=-1, keepdims=True)
    outward /= distance
    rings = RING_WIDTH * np.linspace(0.0, 1.0, 56) ** 2.0  # m from the border
    plan = border[None] + outward[None] * rings[:, None, None]
    rise = np.clip((rings - 300.0) / 3600.0, 0, 1)[:, None]
    rise = rise * rise * (3 - 2 * rise)  # smoothstep; hills reach their full height, up to 395 m, at 3900 m
    hills = _hill_noise(plan[..., 0], plan[..., 1])
    lift = (110.0 + 260.0 * hills) * rise + (hills - 0.5) * 50.0 * np.clip(rings / 700.0, 0, 1)[:, None]
    mean = float(heights[j, i].mean())
    border_share = np.exp(-rings / 500.0)[:, None]  # the border's heights fade into their mean over some 500 m
    height = heights[j, i][None] * border_share + mean * (1 - border_share) + lift
    return _ring_path(plan, height)


def _ring_path(plan: np.ndarray, height: np.ndarray) -> NodePath:
    """Node with the mesh of the far hills.

    Args:
        plan: [rings, points, 2] x and y, m; each ring is closed, its last point equals the first.
        height: [rings, points], m.
    """
    points = np.concatenate([plan, height[..., None]], axis=-1)
    along = np.gradient(points, axis=1)
    along[:, 0] = along[:, -1] = points[:, 1] - points[:, -2]
    normals = np.cross(np.gradient(points, axis=0), along)
    normals *= np.where(normals[..., 2:] < 0, -1.0, 1.0)
    normals /= np.maximum(np.linalg.norm(normals, axis=-1, keepdims=True), 1e-9)
    rows = np.concatenate([points, normals], axis=-1).reshape(-1, 6)
    ring_count, loop_count = height.shape
    indices = cell_triangles(ring_count, loop_count)[:, ::-1]  # reversed, as (along, outward) is left-handed from above
    node = GeomNode("far hills")
    node.addGeom(still_mesh(rows, indices, "vertex", "normal"))
    return NodePath(node)


def endless_plane(height: float, half: float = 6000.0, cell_count: int = 24) -> NodePath:
    """Node with a flat grid of cells; the scene moves it along with the camera by whole cells.

    Args:
        height: height of the plane, m.
        half: half width of the grid, m.
        cell_count: cells along a side of the grid.
    """
    line = np.linspace(-half, half, cell_count + 1)
    rows = np.zeros((cell_count + 1, cell_count + 1, 6), np.float32)
    rows[..., 0], rows[..., 1], rows[..., 2], rows[..., 5] = line[None, :], line[:, None], height, 1.0
    node = GeomNode("plane")
    node.addGeom(still_mesh(rows.reshape(-1, 6), cell_triangles(cell_count + 1, cell_count + 1), "vertex", "normal"))
    return NodePath(node)
