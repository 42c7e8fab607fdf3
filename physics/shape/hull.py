"""Hull of a vehicle from points or meshes: convex parts as arrays for contact, and the check that a mesh is closed.

A convex part is grown by always adding the point farthest outside, so that the result limited to 32 vertices is a good
approximation; it never extends beyond the convex hull of the given points. Triangles of one plane are merged into one
face. Masses need closed surfaces (`mass.py`): open edges and degenerate triangles are reported by part. Also here: the
convex part of a wheel, and the moments of inertia of a box.

Units SI, body axes (x right, y forward, z up).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.maths.products import dot, norm, product

if TYPE_CHECKING:
    from driving_sandbox.physics.shape.geometry import Mesh

PART_CAPACITY = 16  # convex parts of a hull: eight of bodywork, and wheels
PART_VERTICES = 32  # vertices of a convex part; each is tested against every near triangle
VERTEX_CAPACITY = 384  # of all parts together: eight of 32, and some wheels of 22
PLANE_CAPACITY = 512  # face planes of all parts together
BODY_PARTS = 8  # convex parts of bodywork; the rest of PART_CAPACITY is for wheels
# corners of each rim over the 240 degrees that touch walls: ten chords, up to 2.2 % of the radius inside the circle
WHEEL_CORNERS = 11
ANY_NORMAL = 2.0  # part_up of bodywork: every normal's z is below it
STEEP = 0.5  # part_up of wheels: cosine of 60 degrees, slope from which ground is a wall, not road

# Shares of the part's size, the diagonal of its box
TOLERANCE = 1e-7  # points closer to a face lie in it
FACE_OFFSET = 1e-4  # distance from a plane up to which faces are merged
THINNEST = 1e-3  # flatter parts have no interior for penetration

FACE_ANGLE = 1e-5  # 1 - cosine of 0.26 degrees, angle up to which faces in a plane are merged

HULL = np.dtype(
    [
        ("part_count", np.int64),
        ("vertex_start", np.int64, PART_CAPACITY + 1),  # vertices of part p: vertex_start[p] .. vertex_start[p + 1]
        ("plane_start", np.int64, PART_CAPACITY + 1),
        ("vertices", np.float64, (VERTEX_CAPACITY, 3)),  # m, from the centre of mass
        ("planes", np.float64, (PLANE_CAPACITY, 4)),  # outward unit normal n and distance d; n.x < d inside
        ("part_low", np.float64, (PART_CAPACITY, 3)),  # m, box of each part
        ("part_high", np.float64, (PART_CAPACITY, 3)),
        ("part_up", np.float64, PART_CAPACITY),  # contacts whose normal has a larger z in body axes are ignored
        ("part_material", np.int64, PART_CAPACITY),  # index of the hull material in the standard surfaces file
        ("low", np.float64, 3),  # m, box of the whole hull
        ("high", np.float64, 3),
        ("radius", np.float64),  # m, of the sphere about the centre of mass that contains all vertices
        ("friction", np.float64),  # factor on the friction of material and surface
        ("restitution", np.float64),  # 0..1, lower limit; those that the surfaces file lists for pairs override it
    ],
    align=True,
)


@dataclass(frozen=True)
class ConvexPart:
    """A convex part of a hull."""

    vertices: np.ndarray  # float64[n, 3], m
    planes: np.ndarray  # float64[m, 4]: outward unit normal n and distance d; n.x < d inside
    error: float  # m, distance of the farthest given point outside the part


def _start_simplex(points: np.ndarray, size: float) -> tuple[int, int, int, int]:
    """Indices of four points that span a volume; the normal of the triangle (first, second, third) points outwards.

    Raises ValueError if all points lie on a line or in a plane.
    """
    a = int(points[:, 0].argmin())
    b = int(norm(points - points[a]).argmax())
    axis = (points[b] - points[a]) / norm(points[b] - points[a])
    arms = points - points[a]
    c = int(norm(arms - np.outer(dot(arms, axis), axis)).argmax())
    normal = np.cross(points[b] - points[a], points[c] - points[a])
    length = norm(normal)
    if length < THINNEST * size * size:
        raise ValueError("its points lie on a line")
    height = dot(arms, normal / length)
    d = int(np.abs(height).argmax())
    if abs(height[d]) < THINNEST * size:
        raise ValueError("its points lie in a plane")
    return (a, b, c, d) if height[d] < 0.0 else (a, c, b, d)


def _plane(points: np.ndarray, triangle: tuple[int, int, int]) -> tuple[float, float, float, float]:
    """(normal x, y, z, distance d) of the plane of a triangle of vertex indices. Raises ValueError."""
    a, b, c = points[list(triangle)]
    normal = np.cross(b - a, c - a)
    doubled_area = norm(normal)
    if doubled_area == 0.0:  # so far from the origin that rounding has put points on a line
        raise ValueError("it has a face without area")
    normal = normal / doubled_area
    return (*normal, dot(normal, a))


def _grow(points: np.ndarray, limit: int, size: float) -> tuple[list[tuple[Any, Any, Any]], float]:
    """(triangles of the convex hull of at most `limit` of the points, distance of the farthest point outside it)."""
    a, b, c, d = _start_simplex(points, size)
    faces = [(a, b, c), (a, d, b), (b, d, c), (c, d, a)]
    planes = [_plane(points, face) for face in faces]
    for _ in range(len(points)):  # replace the faces that the farthest point sees by triangles from their border to it
        table = np.array(planes)
        distance = product(points, table[:, :3].T) - table[:, 3]
        outside = distance.max(axis=1)
        farthest = int(outside.argmax())
        if outside[farthest] <= TOLERANCE * size:
            return faces, 0.0
        if len({v for face in faces for v in face}) >= limit:
            return faces, float(outside[farthest])
        visible = {k for k in range(len(faces)) if distance[farthest, k] > TOLERANCE * size}
        edges = {(f[i], f[(i + 1) % 3]) for k in visible for f in (faces[k],) for i in range(3)}
        horizon = sorted(edge for edge in edges if (edge[1], edge[0]) not in edges)
        faces = [f for k, f in enumerate(faces) if k not in visible]
        planes = [p for k, p in enumerate(planes) if k not in visible]
        for i, j in horizon:
            faces.append((i, j, farthest))
            planes.append(_plane(points, faces[-1]))
    return faces, 0.0


def _merged_planes(points: np.ndarray, faces: list[tuple[int, int, int]], size: float) -> np.ndarray:
    """One plane per group of coplanar triangles: normal weighted by area, moved out to contain all vertices."""
    triangles = points[np.array(faces)]
    area_vectors = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    doubled_areas = norm(area_vectors)
    normals = area_vectors / doubled_areas[:, None]
    corners = np.unique(np.array(faces))
    remaining, planes = list(np.argsort(-doubled_areas, kind="stable")), []
    while remaining:
        first = remaining[0]
        distance = dot(normals[first], triangles[first, 0])
        group = [first, *(
            k for k in remaining[1:]
            if dot(normals[k], normals[first]) > 1.0 - FACE_ANGLE
            and np.abs(dot(triangles[k], normals[first]) - distance).max() < FACE_OFFSET * size
        )]  # fmt: skip
        normal = area_vectors[group].sum(axis=0)
        normal = normal / norm(normal)
        planes.append((*normal, dot(points[corners], normal).max()))
        remaining = [k for k in remaining if k not in group]
    return np.array(planes)


def convex_part(points: np.ndarray, limit: int = PART_VERTICES) -> "ConvexPart":
    """Convex hull of points [n, 3] with at most `limit` vertices. Raises ValueError if they span no volume."""
    points = np.unique(np.asarray(points, dtype=np.float64).reshape(-1, 3), axis=0)
    if not np.isfinite(points).all():
        raise ValueError("a coordinate is infinite or not a number")
    if len(points) < 4:
        raise ValueError(f"it has {len(points)} different points, a convex part needs at least 4")
    size = float(norm(points.max(axis=0) - points.min(axis=0)))
    faces, error = _grow(points, limit, size)
    corners = np.unique(np.array(faces))
    return ConvexPart(points[corners], _merged_planes(points, faces, size), error)


def build_hull(
    parts: dict[str, np.ndarray],
    centre_of_mass: tuple[float, float, float] = (0.0, 0.0, 0.0),
    friction: float = 1.0,
    restitution: float = 0.0,
    wheels: dict[str, np.ndarray] | None = None,
    material: int = 0,
    materials: dict[Any, Any] | None = None,
) -> np.ndarray:
    """HULL array, length 1, of convex parts. Raises ValueError naming the invalid part.

    Args:
        parts: {name: points or mesh}; a mesh is anything with `.vertices`.
        centre_of_mass: in the axes of the points, m.
        friction: factor on the friction of material and surface.
        restitution: 0..1, lower limit; the surfaces file's values for a hull material override it.
        wheels: {name: points} of parts that only touch ground too steep to be driven on; as many as there is room for.
        materials: {name: index of its hull material}; `material` is the index for all other parts.
    """
    if len(parts) > BODY_PARTS:
        raise ValueError(f"a hull has at most {BODY_PARTS} convex parts, not {len(parts)}: {', '.join(parts)}")
    hull = np.zeros(1, HULL)
    record, count = hull[0], 0
    record["friction"], record["restitution"] = friction, restitution
    for group, up in ((parts, ANY_NORMAL), (wheels or {}, STEEP)):
        for name, shape in group.items():
            points = np.asarray(getattr(shape, "vertices", shape), dtype=np.float64) - np.asarray(centre_of_mass)
            try:
                part = _cached_part(points.tobytes())
            except ValueError as error:
                raise ValueError(f"hull part {name!r}: {error}") from None
            if count < PART_CAPACITY and _append(record, count, part, up):
                record["part_material"][count] = (materials or {}).get(name, material)
                count += 1
    record["part_count"] = count
    if count:
        record["low"] = record["part_low"][:count].min(axis=0)
        record["high"] = record["part_high"][:count].max(axis=0)
        record["radius"] = np.linalg.norm(record["vertices"][: record["vertex_start"][count]], axis=1).max()
    return hull


@lru_cache(maxsize=64)
def _cached_part(points: bytes) -> "ConvexPart":
    """Convex part of points, given as bytes of a float64 array: dragging a slider rebuilds the hull in every frame."""
    return convex_part(np.frombuffer(points).reshape(-1, 3))


def _append(record: np.void, k: int, part: "ConvexPart", up: float) -> bool:
    """Write part k of a hull, with its `part_up`; returns False if it does not fit."""
    vertex, plane = int(record["vertex_start"][k]), int(record["plane_start"][k])
    vertex_end, plane_end = vertex + len(part.vertices), plane + len(part.planes)
    if vertex_end > VERTEX_CAPACITY or plane_end > PLANE_CAPACITY:
        return False
    record["vertices"][vertex:vertex_end] = part.vertices
    record["planes"][plane:plane_end] = part.planes
    record["part_low"][k], record["part_high"][k] = part.vertices.min(axis=0), part.vertices.max(axis=0)
    record["part_up"][k] = up
    record["vertex_start"][k + 1 :] = vertex_end
    record["plane_start"][k + 1 :] = plane_end
    return True


def wheel_points(centre: np.ndarray, radius: float, half_width: float) -> np.ndarray:
    """Corners [n, 3] of a wheel as a convex part: a cylinder without the 60 degrees to either side of its lowest line.

    That cap is the rolling surface, which the road query covers up to the same angle. The remainder collides with
    walls, and with the ground when the car lies on its side.
    """
    angles = np.linspace(np.radians(60.0), np.radians(300.0), WHEEL_CORNERS)
    rim = [elementary.sincos(angle) for angle in angles]
    x, y, z = centre
    return np.array([[x + side * half_width, y + radius * s, z - radius * c] for side in (-1.0, 1.0) for s, c in rim])


def box_inertia(mass: float, size: Iterable[float]) -> np.ndarray:
    """Principal moments of a box of uniform density, kg m^2. mass: kg. size: edge lengths, m."""
    x2, y2, z2 = (float(s) ** 2 for s in size)
    return np.array([y2 + z2, x2 + z2, x2 + y2]) * mass / 12.0


def mesh_faults(parts: "dict[str, Mesh]") -> list[str]:
    """Lines naming open edges and degenerate triangles of {name: Mesh}; empty if there are none."""
    faults = []
    for name, mesh in parts.items():
        faces = np.asarray(mesh.faces)
        points = np.asarray(mesh.vertices, dtype=np.float64)
        # vertices that differ only in normal or colour count as one
        vertices, index = np.unique(points, axis=0, return_inverse=True)
        faces = index.reshape(-1)[faces]
        a, b, c = (vertices[faces[:, k]] for k in range(3))
        longest = np.sqrt(np.max([((b - a) ** 2).sum(1), ((c - b) ** 2).sum(1), ((a - c) ** 2).sum(1)], axis=0))
        doubled_area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
        degenerate = np.flatnonzero(doubled_area <= 1e-10 * longest**2)  # not 0 only by rounding
        if len(degenerate):
            where = ", ".join(f"{v:.3f}" for v in a[degenerate[0]])
            faults.append(f"{name}: {len(degenerate)} degenerate triangles, the first at ({where})")
        counts: dict[tuple[int, int], int] = {}
        for i, j in np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]).tolist():
            if i != j:
                counts[i, j] = counts.get((i, j), 0) + 1
        wrong = [edge for edge, count in counts.items() if counts.get((edge[1], edge[0]), 0) != count]
        if wrong:
            ends = " to ".join("(" + ", ".join(f"{v:.3f}" for v in vertices[i]) + ")" for i in wrong[0])
            faults.append(f"{name}: {len(wrong)} open edges, the first from {ends}")
    return faults
