"""Simple solids for the model scripts: boxes with chamfers, tubes, lathed bodies, extruded plates, hulls of spheres.

All are closed (tubes unless `cap` is False), with faces outward, and placed by their arguments; lengths in metres,
angles in radians.
"""

from collections.abc import Iterable, Sequence

import manifold3d
import numpy as np
from numpy.typing import ArrayLike

from driving_sandbox.assets.build.mesh import Mesh, cross, unit, weld


def box(centre: ArrayLike, size: ArrayLike, chamfer: float = 0.006, material: str = "plastic_black") -> Mesh:
    """An axis-aligned box; its edges are cut by `chamfer` so that they catch light."""
    half = np.asarray(size, dtype=np.float64) / 2
    c = min(chamfer, 0.45 * half.min())
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=np.float64)
    points = np.concatenate([corners * (half - c * (1 - np.eye(3)[k])) for k in range(3)])
    return hull(points + np.asarray(centre, dtype=np.float64), material)


def hull(points: ArrayLike, material: str = "plastic_black") -> Mesh:
    """The convex hull of points."""
    points = np.round(np.asarray(points, dtype=np.float64), 6)
    mesh = manifold3d.Manifold.hull_points(points).to_mesh64()
    v = np.asarray(mesh.vert_properties)[:, :3]
    return weld(Mesh(v, np.asarray(mesh.tri_verts), material))


def prism(outline: ArrayLike, half_width: float, cut: float, material: str = "paint") -> Mesh:
    """A convex outline of (y, z) points extruded along x to +-half_width; its edges are chamfered by about `cut`."""
    outline = np.asarray(outline, float)
    middle = outline.mean(axis=0)
    away = outline - middle
    smaller = middle + away * (1 - cut / np.maximum(np.abs(away).max(axis=0), 0.2))
    points = [(s * (half_width - cut), y, z) for y, z in outline for s in (-1, 1)]
    return hull([*points, *((s * half_width, y, z) for y, z in smaller for s in (-1, 1))], material)


def _sphere_points(radius, n=8):
    """Points on a sphere about the origin: both poles and three rings of n."""
    ring = np.arange(n) * 2 * np.pi / n
    out = [[0, 0, radius], [0, 0, -radius]]
    for el in (-np.pi / 4, 0.0, np.pi / 4):
        out += [[radius * np.cos(el) * np.cos(a), radius * np.cos(el) * np.sin(a), radius * np.sin(el)] for a in ring]
    return np.array(out)


def cushion(spheres: Iterable[Sequence[float]], material: str = "seat", n: int = 8) -> Mesh:
    """The convex hull of spheres (x, y, z, radius), with `n` points per ring: rounded pads, blocks, helmets."""
    return hull(np.concatenate([_sphere_points(s[3], n) + np.array(s[:3]) for s in spheres]), material)


def pad(
    centre: tuple[float, float, float], size: ArrayLike, radius: float, material: str = "seat", turn_x: float = 0.0
) -> Mesh:
    """A box with edges rounded by `radius`, rotated by `turn_x` about the x axis through its middle."""
    half = np.asarray(size, dtype=np.float64) / 2 - radius
    spheres = [(x * half[0], y * half[1], z * half[2], radius) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    return cushion(spheres, material).turned(0, turn_x).moved(*centre)


def tube(
    path: ArrayLike, radius: ArrayLike, material: str = "frame", sides: int = 8, closed: bool = False, cap: bool = True
) -> Mesh:
    """A round bar along a polyline with mitred joints; `radius` is one number or one per point."""
    p = np.asarray(path, dtype=np.float64)
    n = len(p)
    r = np.broadcast_to(np.asarray(radius, dtype=np.float64), (n,))
    d = unit(np.roll(p, -1, axis=0) - p)
    if not closed:
        d[-1] = d[-2]
    before = np.roll(d, 1, axis=0)
    if not closed:
        before[0] = d[0]
    tangent = unit(before + d)
    stretch = 1.0 / np.maximum(0.5, np.sum(tangent * d, axis=1))
    up = np.array([0.0, 0.0, 1.0]) if abs(d[0, 2]) < 0.9 else np.array([0.0, 1.0, 0.0])
    rings = []
    a = np.arange(sides) * 2 * np.pi / sides + np.pi / sides
    for k in range(n):
        up = up - tangent[k] * np.sum(up * tangent[k])
        up = up / np.sqrt(np.sum(up * up))
        side = cross(tangent[k : k + 1], up[None])[0]
        bend = d[k] - before[k]
        size = np.sqrt(np.sum(bend * bend))
        offset = np.cos(a)[:, None] * side + np.sin(a)[:, None] * up
        if size > 1e-6:  # widen the mitre in the plane of the bend, for constant thickness
            bend = bend / size
            offset = offset + np.sum(offset * bend, axis=1)[:, None] * bend * (stretch[k] - 1.0)
        rings.append(p[k] + offset * r[k])
    return (
        outward(skin_over(rings, material, closed, cap)) if cap or closed else skin_over(rings, material, closed, cap)
    )


def skin_over(rings: Sequence[np.ndarray], material: str, closed: bool = False, cap: bool = True) -> Mesh:
    """A surface through rings of equally many points; `closed` joins the last to the first, `cap` closes the ends."""
    n, sides = len(rings), len(rings[0])
    v = np.concatenate(rings)
    i = np.arange(sides)
    j = (i + 1) % sides
    t = []
    for k in range(n if closed else n - 1):
        a, b = k * sides, ((k + 1) % n) * sides
        t += [np.stack([a + i, a + j, b + j], 1), np.stack([a + i, b + j, b + i], 1)]
    if cap and not closed:
        v = np.concatenate([v, rings[0].mean(axis=0)[None], rings[-1].mean(axis=0)[None]])
        end = n * sides
        t += [
            np.stack([j, i, np.full(sides, end)], 1),
            np.stack([(n - 1) * sides + i, (n - 1) * sides + j, np.full(sides, end + 1)], 1),
        ]
    return Mesh(v, np.concatenate(t), material)


def outward(mesh: Mesh) -> Mesh:
    """A closed body with its faces turned outward (by the sign of its volume)."""
    a, b, c = (mesh.v[mesh.t[:, k]] for k in range(3))
    return mesh if np.sum(a * cross(b, c)) > 0 else mesh.flipped()


def lathe(profile: Sequence[tuple[float, float]], sides: int, material: str = "rubber", phase: float = 0.0) -> Mesh:
    """A body of revolution about the x axis, from (x, radius) points once round its section.

    A section that starts and ends on the axis is closed by it, any other by joining its ends. `phase`: angle round the
    axis at which the first section lies.
    """
    a = phase + np.arange(sides) * 2 * np.pi / sides
    rings = [np.stack([np.full(sides, x), r * np.cos(a), r * np.sin(a)], 1) for x, r in profile]
    on_axis = profile[0][1] == 0 and profile[-1][1] == 0
    return outward(weld(skin_over(rings, material, closed=not on_axis, cap=False)))


def sector(section: ArrayLike, start: float, end: float, steps: int, material: str = "caliper") -> Mesh:
    """A section of (x, radius) points swept about the x axis from angle `start` to `end`, with flat ends."""
    section = np.asarray(section, dtype=np.float64)
    rings = []
    for a in start + (end - start) * np.arange(steps + 1) / steps:
        rings.append(np.stack([section[:, 0], section[:, 1] * np.cos(a), section[:, 1] * np.sin(a)], 1))
    return outward(skin_over(rings, material))


def smooth_path(points: ArrayLike, count: int = 8, closed: bool = False) -> np.ndarray:
    """Points of a Catmull-Rom curve through `points`, `count` per span."""
    p = np.asarray(points, dtype=np.float64)
    n = len(p)
    out = []
    for k in range(n if closed else n - 1):
        if closed:
            q = [p[(k + i) % n] for i in (-1, 0, 1, 2)]
        else:
            q = [p[max(k - 1, 0)], p[k], p[k + 1], p[min(k + 2, n - 1)]]
        for s in np.arange(count) / count:
            out.append(
                0.5
                * (
                    2 * q[1]
                    + (q[2] - q[0]) * s
                    + (2 * q[0] - 5 * q[1] + 4 * q[2] - q[3]) * s**2
                    + (3 * q[1] - q[0] - 3 * q[2] + q[3]) * s**3
                )
            )
    if not closed:
        out.append(p[-1])
    return np.array(out)


def between(a: ArrayLike, b: ArrayLike, radius: float, material: str = "frame", sides: int = 8) -> Mesh:
    """A straight bar from a to b."""
    return tube([a, b], radius, material, sides)


def coil(
    length: float, radius: float, wire: float, turns: float, material: str = "caliper", sides: int = 5, steps: int = 10
) -> Mesh:
    """A coil spring along z from 0 to `length`; `wire` is the wire's radius, `steps` the segments per turn."""
    n = int(turns * steps)
    s = np.arange(n + 1) / n
    a = 2 * np.pi * turns * s
    return tube(np.stack([radius * np.cos(a), radius * np.sin(a), s * length], 1), wire, material, sides)


def along(mesh: Mesh, a: ArrayLike, b: ArrayLike) -> Mesh:
    """A part modelled from the origin up the z axis, placed so that its z axis runs from a towards b; not stretched."""
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    z = unit((b - a)[None])[0]
    ref = np.array([0.0, 1.0, 0.0]) if abs(z[1]) < 0.9 else np.array([1.0, 0.0, 0.0])
    x = unit(cross(ref[None], z[None]))[0]
    y = cross(z[None], x[None])[0]
    out = mesh.copy()
    out.v = a + mesh.v[:, 0:1] * x + mesh.v[:, 1:2] * y + mesh.v[:, 2:3] * z
    return out
