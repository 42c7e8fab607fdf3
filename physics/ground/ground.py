"""The ground of a world: built once from terrain, meshes and surfaces, then read by kernels as one `GroundArrays`.

    hit, distance, normal, surface = cast_ray(ground.arrays, origin, direction, length)

`direction` is a unit vector and `distance` counts along it from `origin`; `normal` is the unit normal of the triangle
that was hit, on the side of the ray; `surface` is the row of `ground.arrays.surfaces`. Rays see the terrain from above
only and the meshes from both sides. See `physics/ground/arrays.py` for the arrays and for triangle rows.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from driving_sandbox.physics.ground.arrays import (
    CELL,
    EDGE_FLAGS,
    EDGE_NORMALS,
    HEIGHTFIELD,
    HIGHEST,
    HOLE,
    INVERSE_CELL,
    LOWEST,
    NO_SURFACE,
    NORMAL,
    ORIGIN_X,
    ORIGIN_Y,
    OUT_ID_SIZE,
    PLANE,
    PLANE_HEIGHT,
    PLANE_SURFACE,
    TERRAIN_KIND,
    TERRAIN_MARGIN,
    TERRAIN_SIZE,
    TERRAIN_TRIANGLES,
    TRIANGLE_ID_SIZE,
    TRIANGLE_MESH,
    TRIANGLE_SIZE,
    TRIANGLE_SURFACE,
    VERTICES,
    GroundArrays,
)
from driving_sandbox.physics.ground.bvh import build_bvh
from driving_sandbox.physics.ground.edges import classify_edges
from driving_sandbox.physics.ground.mesh import cast_triangles, nearby_meshes
from driving_sandbox.physics.ground.patch import nearby_heightfield
from driving_sandbox.physics.ground.surfaces import SurfaceTable, default_surfaces
from driving_sandbox.physics.ground.terrain import cast_heightfield, cast_plane, nearby_plane, terrain_height
from driving_sandbox.physics.ground.world_mesh import Mesh
from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.physics.kernel.jit import kernel

__all__ = [
    "Ground",
    "Heightfield",
    "Plane",
    "cast_ray",
    "nearby_triangles",
    "plane_ground",
    "terrain_height",
    "triangle_buffers",
]


@inline_kernel
def cast_ray(ground: GroundArrays, origin: Any, direction: Any, length: float) -> Any:
    """(hit, distance, normal, surface) of the nearest ground along a ray; no hit: (False, length, up, NO_SURFACE)."""
    kind = ground.terrain[TERRAIN_KIND]
    normal, surface, distance = (0.0, 0.0, 1.0), np.int64(NO_SURFACE), float(length)
    if kind == HEIGHTFIELD:
        distance, normal, surface = cast_heightfield(ground, origin, direction, length)
    elif kind == PLANE:
        distance, normal, surface = cast_plane(ground, origin, direction, length)
    if len(ground.node_link) > 0:
        distance, triangle = cast_triangles(
            ground.node_box, ground.node_link, ground.triangles, origin, direction, distance
        )
        if triangle >= 0:
            row = ground.triangles[triangle]
            normal = (row[NORMAL], row[NORMAL + 1], row[NORMAL + 2])
            if normal[0] * direction[0] + normal[1] * direction[1] + normal[2] * direction[2] > 0.0:
                normal = (-normal[0], -normal[1], -normal[2])
            surface = np.int64(ground.triangle_ids[triangle, TRIANGLE_SURFACE])
    return surface >= 0, distance, normal, surface


@kernel
def nearby_triangles(
    ground: GroundArrays, low: Any, high: Any, out: np.ndarray, out_ids: np.ndarray, capacity: int, first: int
) -> int:
    """Collect the triangles whose bounding boxes touch the box from low to high (tuples, m); returns how many.

    Fills `out[k]` (a triangle row) and `out_ids[k]` (OUT_FEATURE, OUT_SURFACE) by rising OUT_FEATURE, from feature
    `first` on: terrain, then meshes. It stops when `capacity` rows are full; if the result equals `capacity` there may
    be more, from the last OUT_FEATURE + 1 on. The endless plane counts as two triangles of a large square.
    """
    kind = ground.terrain[TERRAIN_KIND]
    count = 0
    if kind == HEIGHTFIELD:
        count = nearby_heightfield(ground, low, high, out, out_ids, count, capacity, first)
    elif kind == PLANE:
        count = nearby_plane(ground, low, high, out, out_ids, count, capacity, first)
    total: int = nearby_meshes(ground, low, high, out, out_ids, count, capacity, first)
    return total


def triangle_buffers(capacity: int) -> tuple[np.ndarray, np.ndarray]:
    """(out, out_ids) for `nearby_triangles`."""
    return np.zeros((capacity, TRIANGLE_SIZE)), np.zeros((capacity, OUT_ID_SIZE), dtype=np.int64)


@dataclass(frozen=True)
class Plane:
    """Endless flat ground."""

    height: float = 0.0  # m
    surface: int = 0  # surface id


@dataclass(frozen=True)
class Heightfield:
    """Heights of vertices and surfaces of cells; see `physics/ground/arrays.py` for the rule of its triangles."""

    heights: np.ndarray  # float32[rows + 1, columns + 1], m
    cell_surface: np.ndarray  # uint8[rows, columns], surface ids or HOLE
    origin: tuple[float, float] = (0.0, 0.0)  # m, of vertex (0, 0)
    cell: float = 1.0  # m

    def __post_init__(self) -> None:
        heights, cells = self.heights, self.cell_surface
        if heights.ndim != 2 or min(heights.shape) < 2:
            raise ValueError(f"a heightfield needs at least 2 x 2 heights, not {heights.shape}")
        if cells.shape != (heights.shape[0] - 1, heights.shape[1] - 1):
            raise ValueError(
                f"{heights.shape} heights need {(heights.shape[0] - 1, heights.shape[1] - 1)} cells, not {cells.shape}"
            )
        if not np.isfinite(heights).all():
            raise ValueError("a height is infinite or not a number")
        if not self.cell > 0.0:
            raise ValueError(f"the cell size must be > 0, not {self.cell}")


@dataclass
class Ground:
    """Terrain, meshes and surfaces of a world; `arrays` is what kernels read."""

    terrain: Plane | Heightfield | None = None
    meshes: list[Mesh] = field(default_factory=list)
    surfaces: SurfaceTable = field(default_factory=default_surfaces)
    arrays: GroundArrays = field(init=False)

    def __post_init__(self) -> None:
        rows, ids = self._triangle_rows()
        order, node_box, node_link = build_bvh(rows[:, VERTICES:NORMAL].reshape(-1, 3, 3))
        heights, cells = np.zeros((2, 2), np.float32), np.full((1, 1), HOLE, np.uint8)
        if isinstance(self.terrain, Heightfield):
            heights = np.array(self.terrain.heights, dtype=np.float32, order="C")
            cells = np.array(self.terrain.cell_surface, dtype=np.uint8, order="C")
            surface_ids = cells[cells != HOLE]
            if surface_ids.size and surface_ids.max() >= len(self.surfaces):
                raise ValueError(f"a cell has surface {surface_ids.max()}, but there are only {len(self.surfaces)}")
        self.arrays = GroundArrays(
            heights,
            cells,
            self._terrain_values(heights, cells),
            rows[order],
            ids[order],
            node_box,
            node_link,
            self.surfaces.array(),
        )

    @cached_property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """(low, high) corners of terrain and meshes, m; of an endless plane only its point at x = y = 0 counts."""
        corners: list[Any] = [self.arrays.triangles[:, VERTICES:NORMAL].reshape(-1, 3)]
        if isinstance(self.terrain, Heightfield):
            (x, y), heights, cell = self.terrain.origin, self.terrain.heights, self.terrain.cell
            rows, columns = heights.shape
            corners.append([[x, y, heights.min()], [x + (columns - 1) * cell, y + (rows - 1) * cell, heights.max()]])
        elif isinstance(self.terrain, Plane):
            corners.append([[0.0, 0.0, self.terrain.height]])
        points = np.concatenate([np.asarray(corner, dtype=np.float64) for corner in corners])
        if not len(points):
            return np.zeros(3), np.zeros(3)
        return points.min(axis=0), points.max(axis=0)

    def cast(
        self, origin: Iterable[float], direction: Iterable[float], length: float
    ) -> tuple[bool, float, tuple[float, float, float], int]:
        """`cast_ray` for Python callers: origin and direction are sequences of three numbers.

        The direction need not be a unit vector, but must not be zero.
        """
        x, y, z = map(float, direction)
        size = math.sqrt(x * x + y * y + z * z)
        unit = (x / size, y / size, z / size)
        hit, distance, normal, surface = cast_ray(self.arrays, tuple(map(float, origin)), unit, float(length))
        return bool(hit), float(distance), normal, int(surface)

    def distance(self, origin: Iterable[float], direction: Iterable[float], length: float) -> float | None:
        """Distance to the nearest ground along a ray, m; None if there is none within `length` (m)."""
        hit, distance, _, _ = self.cast(origin, direction, length)
        return distance if hit else None

    def height(self, x: float, y: float) -> float:
        """Height of the terrain at a point, m; -inf where there is none."""
        return float(terrain_height(self.arrays, float(x), float(y))[0])

    def _triangle_rows(self) -> tuple[np.ndarray, np.ndarray]:
        """(triangle rows, triangle ids) of all meshes, in the order of the meshes."""
        count = sum(len(mesh.triangles) for mesh in self.meshes)
        rows, ids = np.zeros((count, TRIANGLE_SIZE)), np.zeros((count, TRIANGLE_ID_SIZE), dtype=np.int32)
        start = 0
        for index, mesh in enumerate(self.meshes):
            part = slice(start, start + len(mesh.triangles))
            corners = mesh.vertices[mesh.triangles]
            rows[part, VERTICES:NORMAL] = corners.reshape(-1, 9)
            normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
            rows[part, NORMAL:EDGE_FLAGS] = normals / np.linalg.norm(normals, axis=1, keepdims=True)
            ids[part, TRIANGLE_SURFACE], ids[part, TRIANGLE_MESH] = mesh.triangle_surfaces, index
            start += len(mesh.triangles)
        if count:
            rows[:, EDGE_FLAGS:EDGE_NORMALS], rows[:, EDGE_NORMALS:] = classify_edges(rows[:, VERTICES:NORMAL])
        return rows, ids

    def _terrain_values(self, heights: np.ndarray, cells: np.ndarray) -> np.ndarray:
        """GroundArrays.terrain of the terrain."""
        values = np.zeros(TERRAIN_SIZE)
        values[TERRAIN_KIND], values[CELL], values[INVERSE_CELL] = 0.0, 1.0, 1.0
        if isinstance(self.terrain, Plane):
            values[TERRAIN_KIND], values[PLANE_HEIGHT] = PLANE, self.terrain.height
            values[PLANE_SURFACE], values[TERRAIN_TRIANGLES] = self.terrain.surface, 2
        elif isinstance(self.terrain, Heightfield):
            values[TERRAIN_KIND] = HEIGHTFIELD
            values[ORIGIN_X], values[ORIGIN_Y] = self.terrain.origin
            values[CELL], values[INVERSE_CELL] = self.terrain.cell, 1.0 / self.terrain.cell
            values[LOWEST], values[HIGHEST] = heights.min() - TERRAIN_MARGIN, heights.max() + TERRAIN_MARGIN
            values[TERRAIN_TRIANGLES] = 2 * cells.size
        return values


def plane_ground(height: float = 0.0, surface: str = "asphalt", surfaces: SurfaceTable | None = None) -> Ground:
    """A Ground that is an endless plane of one surface."""
    surfaces = surfaces or default_surfaces()
    return Ground(Plane(height, surfaces.index(surface)), meshes=[], surfaces=surfaces)
