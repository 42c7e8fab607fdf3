"""Guard rails: a W-beam of galvanised steel on posts, swept along the points of a world's rails.npz.

Near the eye, rails are drawn in detail, one mesh for each square of land. Farther away they are a plain strip, one mesh
for the whole world, which is never narrower than about a pixel and fades instead of breaking into dashes (rail.vert).
Copies of the detailed form cast the shadows and are drawn in the static shadow map only, because its camera would
choose the form by its own distance.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from panda3d.core import BitMask32, Geom, GeomNode, LODNode, NodePath, TransparencyAttrib

from driving_sandbox.game.view.gl.geometry import Mesh, joined, quad_triangles, still_mesh
from driving_sandbox.game.view.gl.shading import program
from driving_sandbox.game.view.light.mirrors import MIRROR_MASK
from driving_sandbox.game.view.light.shadow import STATIC_MASK, VEHICLE_MASK
from driving_sandbox.physics.schema.array_file import open_arrays

MAX_SECTION = 60.0  # m, maximum length of a section of a rail, apart from rounding to the rail's points
SQUARE = 200.0  # m, side of an area whose sections are drawn together
NEAR = 140.0  # m from the eye within which the detailed form is drawn
STRIP = (NEAR - 25.0, NEAR, 500.0, 920.0)  # m from the eye where strips appear, are opaque, begin to fade, end
PROFILE = np.array([  # m behind the front, m above the ground: two waves, 0.31 m high, open at the back
    (0.083, 0.440), (0.030, 0.452), (0.0, 0.478), (0.0, 0.512), (0.030, 0.540), (0.078, 0.566), (0.083, 0.595),
    (0.078, 0.624), (0.030, 0.650), (0.0, 0.678), (0.0, 0.712), (0.030, 0.738), (0.083, 0.750),
])  # fmt: skip
POST_FRONT = 0.09  # m from the front of the beam to a post
POST_DEPTH = 0.11  # m, normal to the beam
POST_HALF = 0.035  # m, half width of a post along the beam
POST_TOP = 0.70  # m above the ground
ROOT = 0.5  # m of a post below the ground, so that there is no gap on slopes
REFLECTOR_STEP = 6  # posts from one reflector to the next
REFLECTOR = (0.04, 0.045)  # m, half width and half height of a reflector
GALVANISED, WHITE = (0.52, 0.525, 0.53), (0.75, 0.75, 0.72)  # albedo
PLAIN = -1.0  # layer of plain paint


def read_rails(path: Path) -> list[np.ndarray]:
    """[float64[n, 4]]: for each point of each rail x, y, height of the ground, and depth by which the beam is lowered
    (towards its ends), m."""
    with open_arrays(path) as data:
        points, starts = data["points"].astype(np.float64), data["starts"].tolist()
    return [points[first:last] for first, last in zip(starts[:-1], starts[1:], strict=True)]


def _axes(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(unit vectors along the rail, vectors away from the road) at each point, horizontal.

    The road is on the left of the rail's direction. `away` is longer than 1 at corners, so that the beam keeps its
    depth.
    """
    steps = np.diff(rows[:, :2], axis=0)
    steps /= np.linalg.norm(steps, axis=1, keepdims=True)
    before = np.vstack([steps[:1], steps])  # direction of the segment before each point
    mean = before + np.vstack([steps, steps[-1:]])
    mean /= np.linalg.norm(mean, axis=1, keepdims=True)
    away = np.stack([mean[:, 1], -mean[:, 0]], axis=1) / np.sum(before * mean, axis=1)[:, None]
    return mean, away


def _columns(
    positions: np.ndarray, normals: np.ndarray, colour: Sequence[float], half: float | np.ndarray = 0.0
) -> np.ndarray:
    """Rows of the vertex format: position, normal, colour, layer, and half the height of a strip, m.

    Args:
        half: half the height of a strip, m, one number or one for each row.
    """
    count = len(positions)
    material_columns = (
        np.broadcast_to([*colour, PLAIN, half, 0.0], (count, 6))
        if np.ndim(half) == 0
        else np.column_stack([np.broadcast_to([*colour, PLAIN], (count, 4)), half, np.zeros(count)])
    )
    return np.concatenate([positions, normals, material_columns], axis=1)


def _swept(section_count: int, size: int) -> np.ndarray:
    """Triangles of a surface through `section_count` cross-sections of `size` vertices each."""
    first = (np.arange(section_count - 1)[:, None] * size + np.arange(size - 1)).reshape(-1, 1)
    return np.concatenate([first + [0, size, size + 1], first + [0, size + 1, 1]])


# In the following functions, `rows` are points of a rail as from `read_rails`, and `along` and `away` are the vectors
# at these points as from `_axes`.


def beam(rows: np.ndarray, away: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(vertices, triangles) of the W-beam."""
    height = PROFILE[:, 1] + (rows[:, 2] - rows[:, 3])[:, None]
    plan = rows[:, None, :2] + away[:, None] * PROFILE[None, :, :1]
    slope = np.gradient(PROFILE, axis=0)
    slope /= np.linalg.norm(slope, axis=1, keepdims=True)
    normals = np.empty((len(rows), len(PROFILE), 3))
    normals[..., :2] = -away[:, None] * slope[None, :, 1:]  # towards the road
    normals[..., 2] = slope[:, 0]
    normals /= np.linalg.norm(normals, axis=2, keepdims=True)
    positions = np.concatenate([plan, height[..., None]], axis=2)
    return _columns(positions.reshape(-1, 3), normals.reshape(-1, 3), GALVANISED), _swept(len(rows), len(PROFILE))


def strip(rows: np.ndarray, away: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(vertices, triangles) of the far form: a band of zero height, which the shader widens."""
    middle, half = PROFILE[:, 1].mean(), 0.5 * np.ptp(PROFILE[:, 1])
    positions = np.repeat(np.column_stack([rows[:, :2], rows[:, 2] - rows[:, 3] + middle]), 2, axis=0)
    normals = np.repeat(np.column_stack([-away, np.zeros(len(rows))]), 2, axis=0)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    # 0 where the beam goes down into the ground
    halves = np.tile([-half, half], len(rows)) * np.repeat(rows[:, 3] < half, 2)
    return _columns(positions, normals, GALVANISED, halves), _swept(len(rows), 2)


def _quads(corners: np.ndarray, normals: np.ndarray, colour: Sequence[float]) -> Mesh:
    """(vertices, triangles) of quads, from corners [n, 4, 3] and normals [n, 3]."""
    vertices = _columns(corners.reshape(-1, 3), np.repeat(normals, 4, axis=0), colour)
    return vertices, quad_triangles(len(corners))


def posts(rows: np.ndarray, along: np.ndarray, away: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(vertices, triangles) of the posts (four sides and a top); there are none where the beam goes into the ground."""
    standing = rows[:, 3] < POST_TOP - PROFILE[0, 1]
    rows, along, away = rows[standing], along[standing], away[standing]
    low, high = rows[:, 2] - ROOT, rows[:, 2] - rows[:, 3] + POST_TOP
    plan = [rows[:, :2] + depth * away + side * along
            for depth, side in ((POST_FRONT, -POST_HALF), (POST_FRONT + POST_DEPTH, -POST_HALF),
                                (POST_FRONT + POST_DEPTH, POST_HALF), (POST_FRONT, POST_HALF))]  # fmt: skip
    corners, normals = [], []
    for k, facing in enumerate((-along, away, along, -away)):
        a, b = plan[k], plan[(k + 1) % 4]
        corners.append(np.stack([np.column_stack(p) for p in ((a, low), (b, low), (b, high), (a, high))], axis=1))
        normals.append(np.column_stack([facing / np.linalg.norm(facing, axis=1, keepdims=True), 0.0 * low]))
    corners.append(np.stack([np.column_stack([p, high]) for p in plan], axis=1))
    normals.append(np.tile([0.0, 0.0, 1.0], (len(rows), 1)))
    return _quads(np.concatenate(corners), np.concatenate(normals), GALVANISED)


def reflectors(rows: np.ndarray, along: np.ndarray, away: np.ndarray, first: int) -> tuple[np.ndarray, np.ndarray]:
    """(vertices, triangles) of the reflectors, small plates in the beam's trough at every REFLECTOR_STEP-th post.

    Args:
        first: index in the rail of the first of these points.
    """
    has_reflector = ((np.arange(len(rows)) + first) % REFLECTOR_STEP == 0) & (rows[:, 3] == 0.0)
    rows, along, away = rows[has_reflector], along[has_reflector], away[has_reflector]
    middle = np.column_stack([rows[:, :2] + 0.5 * PROFILE[0, 0] * away, rows[:, 2] + PROFILE[:, 1].mean()])
    side = np.column_stack([away, 0.0 * rows[:, 2]]) * REFLECTOR[0]
    up = np.array([0.0, 0.0, REFLECTOR[1]])
    corners = np.stack([middle - side - up, middle + side - up, middle + side + up, middle - side + up], axis=1)
    return _quads(corners, np.column_stack([-along, 0.0 * rows[:, 2]]), WHITE)


def _geom(parts: Sequence[Mesh]) -> Geom:
    """One Geom from several (vertices, triangles)."""
    return still_mesh(*joined(parts), "vertex", "normal", "look", "texcoord")


def sections(rows: np.ndarray) -> list[tuple[int, int]]:
    """[(first, last)] points of sections of about MAX_SECTION or less; neighbours share a point."""
    distance = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(rows[:, :2], axis=0), axis=1))])
    count = int(np.ceil(distance[-1] / MAX_SECTION))
    cuts = np.unique(np.searchsorted(distance, np.linspace(0.0, distance[-1], count + 1)[1:-1]))
    return list(zip([0, *cuts.tolist()], [*cuts.tolist(), len(rows) - 1], strict=True))


def rails(polylines: list[np.ndarray]) -> tuple[NodePath, NodePath, NodePath]:
    """(detailed rails, strips, shadow casters) of all rails; the strips need their own shader."""
    detailed, distant, casters = NodePath("rails"), GeomNode("distant rails"), NodePath("rails that cast")
    strips, squares = [], defaultdict[tuple[int, int], tuple[list[Mesh], list[np.ndarray]]](lambda: ([], []))
    for rail in polylines:
        axes = _axes(rail)
        strips.append(strip(rail, axes[1]))
        for first, last in sections(rail):
            part = slice(first, last + 1)
            rows, (along, away) = rail[part], (vectors[part] for vectors in axes)
            east, north = (rows[:, :2].mean(axis=0) // SQUARE).astype(int).tolist()
            parts, points = squares[east, north]
            parts += [beam(rows, away), posts(rows, along, away), reflectors(rows, along, away, first)]
            points.append(rows[:, :3])
    for (east, north), (parts, points) in sorted(squares.items()):
        lod, node, shadow = LODNode(f"rails {east} {north}"), GeomNode("rails"), GeomNode("rails that cast")
        shape, positions = _geom(parts), np.concatenate(points)
        node.addGeom(shape)
        shadow.addGeom(shape)
        centre = 0.5 * (positions.min(axis=0) + positions.max(axis=0))
        lod.setCenter(tuple(centre.tolist()))
        lod.addSwitch(NEAR + float(np.linalg.norm(positions - centre, axis=1).max()), 0.0)
        detailed.attachNewNode(lod).attachNewNode(node)
        casters.attachNewNode(shadow)
    distant.addGeom(_geom(strips))
    distant = NodePath(distant)
    distant.setTransparency(TransparencyAttrib.MAlpha)
    distant.setDepthWrite(False)
    distant.hide(STATIC_MASK | MIRROR_MASK)
    detailed.hide(STATIC_MASK)
    casters.hide(BitMask32.bit(0) | MIRROR_MASK | VEHICLE_MASK)
    return detailed, distant, casters


def add_rails(parent: NodePath, path: Path | None, *defines: str) -> None:
    """Attach the rails of a file to `parent`.

    Args:
        path: the file, or None for no rails.
        defines: switches of the shaders.
    """
    if path is None:
        return
    detailed, distant, casters = rails(read_rails(path))
    detailed.setShader(program("mesh", "mesh", *defines, "STEEL"))
    limits = ", ".join(f"{metres:.1f}" for metres in STRIP)
    distant.setShader(program("rail", "mesh", *defines, "STEEL", f"FADE vec4({limits})"))
    for node_path in (detailed, distant, casters):
        node_path.reparentTo(parent)
