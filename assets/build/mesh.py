"""Triangle meshes for the model scripts: parts, joining, cutting along iso-lines, normals with creases.

A `Mesh` is vertices `v` (n, 3), triangles `t` (k, 3) counter-clockwise seen from outside, one material name per
triangle `m`, and per-vertex attributes `attr` that cuts interpolate. The attribute "n" is a finished normal: a body
shell (skin.py) whose normals were made before cutting keeps them, so that openings leave no dent in the reflections.
Parts without "n" get normals on writing, smooth across edges flatter than the crease angle.

Geometry is computed elementwise, without matrix products, whose order of summation differs between machines.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from driving_sandbox.assets.build.glb import POSITION_STEP, Primitive

CREASE = np.radians(48.0)  # rad; edges sharper than this stay hard: eight-sided bars and 45 degree chamfers look round
SEAM_REACH = 0.012  # m; half width of the band of a panel gap, whose vertices store their distance from the line
SLIVER = 1e-9  # m2; triangles below this area are invisible and spoil normals
# (positions (n, 3), attributes) -> signed distance of each, m, negative inside
DistanceFunction = Callable[[np.ndarray, dict[str, np.ndarray]], np.ndarray]


class Mesh:
    """Vertices, triangles, a material name per triangle, and interpolated vertex attributes."""

    def __init__(
        self,
        v: ArrayLike,
        t: ArrayLike,
        material: str | np.ndarray = "paint",
        attr: Mapping[str, np.ndarray] | None = None,
    ) -> None:
        self.v = np.asarray(v, dtype=np.float64).reshape(-1, 3)
        self.t = np.asarray(t, dtype=np.int64).reshape(-1, 3)
        self.m = np.full(len(self.t), material, dtype="<U16") if isinstance(material, str) else np.asarray(material)
        self.attr = dict(attr or {})

    def copy(self) -> "Mesh":
        """An independent copy."""
        return Mesh(self.v.copy(), self.t.copy(), self.m.copy(), {k: a.copy() for k, a in self.attr.items()})

    def paint(self, material: str) -> "Mesh":
        """Give all triangles this material, in place; returns the mesh."""
        self.m = np.full(len(self.t), material, dtype="<U16")
        return self

    def moved(self, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> "Mesh":
        """A copy translated by (x, y, z), m."""
        out = self.copy()
        out.v = out.v + np.array([x, y, z])
        return out

    def scaled(self, x: float, y: float | None = None, z: float | None = None) -> "Mesh":
        """A copy scaled about the origin by x, y and z (by default all x). The attribute "n" is not changed."""
        out = self.copy()
        out.v = out.v * np.array([x, x if y is None else y, x if z is None else z])
        return out

    def turned(self, axis: int, angle: float) -> "Mesh":
        """A copy rotated by `angle`, rad, about the x, y or z axis (0, 1, 2), right-handed."""
        out = self.copy()
        out.v = turn(out.v, axis, angle)
        if "n" in out.attr:
            out.attr["n"] = turn(out.attr["n"], axis, angle)
        return out

    def mirrored(self) -> "Mesh":
        """The mirror image in x = 0, faces still outward."""
        out = self.copy()
        out.v = out.v * np.array([-1.0, 1.0, 1.0])
        out.t = out.t[:, ::-1].copy()
        if "n" in out.attr:
            out.attr["n"] = out.attr["n"] * np.array([-1.0, 1.0, 1.0])
        return out

    def flipped(self) -> "Mesh":
        """A copy whose faces point the other way."""
        out = self.copy()
        out.t = out.t[:, ::-1].copy()
        if "n" in out.attr:
            out.attr["n"] = -out.attr["n"]
        return out

    def keep(self, mask: np.ndarray) -> "Mesh":
        """A copy with only the triangles in `mask` (bool, one per triangle); unused vertices stay."""
        out = self.copy()
        out.t, out.m = out.t[mask], out.m[mask]
        return out


def turn(points: np.ndarray, axis: int, angle: float) -> np.ndarray:
    """Points rotated by `angle`, rad, about the x, y or z axis (0, 1, 2), right-handed."""
    c, s = np.cos(angle), np.sin(angle)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    out = np.array(points, dtype=np.float64)
    out[:, i], out[:, j] = c * points[:, i] - s * points[:, j], s * points[:, i] + c * points[:, j]
    return out


def with_mirror_image(mesh: Mesh) -> Mesh:
    """The part and its mirror image in x = 0 as one mesh."""
    return join([mesh, mesh.mirrored()])


def join(meshes: Iterable[Mesh]) -> Mesh:
    """All meshes as one; an attribute is kept only if every mesh has it."""
    meshes = [mesh for mesh in meshes if len(mesh.t)]
    start = np.cumsum([0] + [len(mesh.v) for mesh in meshes])
    names = set.intersection(*[set(mesh.attr) for mesh in meshes])
    return Mesh(
        np.concatenate([mesh.v for mesh in meshes]),
        np.concatenate([mesh.t + s for mesh, s in zip(meshes, start, strict=False)]),
        np.concatenate([mesh.m for mesh in meshes]),
        {k: np.concatenate([mesh.attr[k] for mesh in meshes]) for k in sorted(names)},
    )


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Cross products of the rows of a and b, (n, 3)."""
    return np.stack(
        [
            a[:, 1] * b[:, 2] - a[:, 2] * b[:, 1],
            a[:, 2] * b[:, 0] - a[:, 0] * b[:, 2],
            a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0],
        ],
        axis=1,
    )


def length(a: np.ndarray) -> np.ndarray:
    """Lengths of the rows, (n,)."""
    return np.sqrt(a[:, 0] * a[:, 0] + a[:, 1] * a[:, 1] + a[:, 2] * a[:, 2])


def unit(a: np.ndarray) -> np.ndarray:
    """The rows scaled to length 1, (n, 3)."""
    return a / np.maximum(length(a), 1e-12)[:, None]


def face_vectors(v: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Normals of the triangles; the length of each is twice the area of its triangle."""
    return cross(v[t[:, 1]] - v[t[:, 0]], v[t[:, 2]] - v[t[:, 0]])


def weld(mesh: Mesh, step: float = POSITION_STEP) -> Mesh:
    """A copy with vertices at equal positions (to `step`, m) merged, and triangles without area removed."""
    keys = np.round(mesh.v / step).astype(np.int64)
    _, first, index = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    t = index.reshape(-1)[mesh.t]
    out = Mesh(mesh.v[first], t, mesh.m, {k: a[first] for k, a in mesh.attr.items()})
    return out.keep(length(face_vectors(out.v, out.t)) > 2 * SLIVER)


def smooth_normals(mesh: Mesh) -> Mesh:
    """Area-weighted normals per vertex, stored as the attribute "n"."""
    f = face_vectors(mesh.v, mesh.t)
    n = np.stack([np.bincount(mesh.t.ravel(), np.repeat(f[:, k], 3), len(mesh.v)) for k in range(3)], axis=1)
    mesh.attr["n"] = unit(n)
    return mesh


def corner_normals(v: np.ndarray, t: np.ndarray, crease: float = CREASE) -> np.ndarray:
    """Normals of the triangles' corners, (k, 3, 3).

    Each is the area-weighted mean over the faces at the vertex whose normals are within `crease`, rad, of the normal of
    the corner's face.
    """
    f = face_vectors(v, t)
    u = unit(f)
    vid = t.ravel()
    order = np.argsort(vid, kind="stable")
    count = np.bincount(vid, minlength=len(v))
    start = np.cumsum(count) - count
    rows = np.repeat(np.arange(len(vid)), count[vid])  # each corner is paired with every corner at the same vertex
    place = np.arange(len(rows)) - np.repeat(np.cumsum(count[vid]) - count[vid], count[vid])
    other = order[np.repeat(start[vid], count[vid]) + place] // 3
    corner_face = rows // 3
    dot = u[corner_face, 0] * u[other, 0] + u[corner_face, 1] * u[other, 1] + u[corner_face, 2] * u[other, 2]
    smooth = dot > np.cos(crease)
    n = np.stack([np.bincount(rows[smooth], f[other[smooth], k], len(vid)) for k in range(3)], axis=1)
    return unit(n).reshape(-1, 3, 3)


def cut(
    mesh: Mesh, distance: DistanceFunction, refinements: int = 2, near: np.ndarray | None = None
) -> tuple[Mesh, np.ndarray]:
    """Split triangles along distance(v, attr) = 0; returns the new mesh and a mask of the triangles with distance < 0.

    Points on cut edges start from linear interpolation and are refined by steps of false position, which keeps circles
    round on coarse meshes. With `near`, a mask of vertices, edges without such a vertex stay whole (the decision is per
    edge: no T-junctions); a triangle that crosses the line but keeps all its edges counts as on the side where most of
    its vertices are.
    """

    def value(v, attr):
        d = np.round(distance(v, attr), 8)  # equal on all machines
        return np.where(np.abs(d) < 1e-6, 1e-6, d)  # no vertex lies on the line

    d = value(mesh.v, mesh.attr)
    inside = d[mesh.t] < 0
    count = inside.sum(axis=1)
    mixed = (count > 0) & (count < 3)
    if not mixed.any():
        return mesh.copy(), count == 3
    t, side, m = mesh.t[mixed], inside[mixed], mesh.m[mixed]
    # a: the vertex alone on its side, `lone`: whether that is inside; p, q: the new vertices on the edges ab and ac
    alone = np.where(side.sum(axis=1) == 1, np.argmax(side, axis=1), np.argmin(side, axis=1))
    row = np.arange(len(t))
    a, b, c = t[row, alone], t[row, (alone + 1) % 3], t[row, (alone + 2) % 3]
    edges = np.sort(np.concatenate([np.stack([a, b], 1), np.stack([a, c], 1)]), axis=1)
    edges, index = np.unique(edges, axis=0, return_inverse=True)
    index = index.reshape(-1) + len(mesh.v)
    v, attr = _edge_points(mesh, edges, d, value, refinements)
    p, q, lone = index[: len(t)], index[len(t) :], side[row, alone]
    is_near = np.ones(len(mesh.v), dtype=bool) if near is None else near
    ab, ac = is_near[a] | is_near[b], is_near[a] | is_near[c]  # whether the edge is cut
    pieces = [  # (which triangles give this piece, its vertices, whether it is inside)
        (ab & ac, (a, p, q), lone),
        (ab & ac, (p, b, c), ~lone),
        (ab & ac, (p, c, q), ~lone),
        (ab & ~ac, (a, p, c), lone),
        (ab & ~ac, (p, b, c), ~lone),
        (ac & ~ab, (a, b, q), lone),
        (ac & ~ab, (q, b, c), ~lone),
        (~ab & ~ac, (a, b, c), ~lone),
    ]
    out = Mesh(
        np.concatenate([mesh.v, v]),
        np.concatenate([mesh.t[~mixed], *[np.stack(corners, 1)[pick] for pick, corners, _ in pieces]]),
        np.concatenate([mesh.m[~mixed], *[m[pick] for pick, _, _ in pieces]]),
        {k: np.concatenate([mesh.attr[k], attr[k]]) for k in mesh.attr},
    )
    mask = np.concatenate([count[~mixed] == 3, *[s[pick] for pick, _, s in pieces]])
    good = length(face_vectors(out.v, out.t)) > 2 * SLIVER
    return out.keep(good), mask[good]


def seen_from(mesh: Mesh, axis: int) -> Mesh:
    """A copy with only the faces whose normals point towards +axis, for one-sided panes and mirrors."""
    return mesh.keep(face_vectors(mesh.v, mesh.t)[:, axis] > 0)


def refine(mesh: Mesh, inside: np.ndarray, size: float) -> tuple[Mesh, bool]:
    """Split every edge longer than `size`, m, once, if it belongs to a triangle with a vertex in the mask `inside`.

    The decision is per edge, so that both of its triangles are split there: no T-junctions.
    Returns (mesh, whether any edge was split).
    """
    edges = np.sort(np.concatenate([mesh.t[:, [0, 1]], mesh.t[:, [1, 2]], mesh.t[:, [2, 0]]]), axis=1)
    edges, index = np.unique(edges, axis=0, return_inverse=True)
    touched = np.zeros(len(edges), dtype=bool)
    index = index.reshape(3, -1).T  # of the edges ab, bc, ca of each triangle
    touched[index[inside[mesh.t].any(axis=1)].ravel()] = True
    split = touched & (length(mesh.v[edges[:, 0]] - mesh.v[edges[:, 1]]) > size)
    if not split.any():
        return mesh.copy(), False
    number = np.full(len(edges), -1)
    number[split] = len(mesh.v) + np.arange(split.sum())
    i, j = edges[split].T
    middle = {k: unit(a[i] + a[j]) if k == "n" else (a[i] + a[j]) / 2 for k, a in mesh.attr.items()}
    t, e = mesh.t, number[index]
    count = (e >= 0).sum(axis=1)
    # Rotate each triangle's vertices: if one edge is split, it is ab; if two are, ca is the one that is not.
    first = np.where(count == 1, np.argmax(e >= 0, axis=1), np.where(count == 2, (np.argmin(e, axis=1) + 1) % 3, 0))
    row = np.arange(len(t))
    a, b, c = (t[row, (first + k) % 3] for k in range(3))
    p, q, r = (e[row, (first + k) % 3] for k in range(3))  # the new vertices on ab, bc, ca, or -1
    pieces = [  # (which triangles give this piece, its vertices)
        (count == 0, (a, b, c)),
        (count == 1, (a, p, c)),
        (count == 1, (p, b, c)),
        (count == 2, (a, p, c)),
        (count == 2, (p, q, c)),
        (count == 2, (p, b, q)),
        (count == 3, (a, p, r)),
        (count == 3, (p, b, q)),
        (count == 3, (q, c, r)),
        (count == 3, (p, q, r)),
    ]
    return Mesh(
        np.concatenate([mesh.v, (mesh.v[i] + mesh.v[j]) / 2]),
        np.concatenate([np.stack(corners, 1)[pick] for pick, corners in pieces]),
        np.concatenate([mesh.m[pick] for pick, _ in pieces]),
        {k: np.concatenate([x, middle[k]]) for k, x in mesh.attr.items()},
    ), True


def _edge_points(mesh, edges, d, value, refinements):
    """(positions, attributes) of the point on each edge where `value` is 0; `d` is `value` at the vertices.

    s: share of the way from the edge's first vertex to its second; the point lies between `low` and `high`.
    """
    i, j = edges[:, 0], edges[:, 1]
    low, high, dl, dh = np.zeros(len(i)), np.ones(len(i)), d[i], d[j]

    def at(s):
        w = s[:, None]
        attr = {}
        for k, a in mesh.attr.items():
            x = a[i] * (1 - w) + a[j] * w if a.ndim == 2 else a[i] * (1 - s) + a[j] * s  # w is s as a column
            attr[k] = unit(x) if k == "n" else x
        return mesh.v[i] * (1 - w) + mesh.v[j] * w, attr

    s = np.clip(dl / (dl - dh), 0.0, 1.0)
    for _ in range(refinements):
        ds = value(*at(s))
        same = np.sign(ds) == np.sign(dl)
        low, dl = np.where(same, s, low), np.where(same, ds, dl)
        high, dh = np.where(same, high, s), np.where(same, dh, ds)
        s = low + (high - low) * np.clip(dl / (dl - dh), 0.0, 1.0)
    return at(s)


def border_edges(mesh: Mesh, mask: np.ndarray) -> np.ndarray:
    """Directed edges (k, 2) of the triangles in `mask` whose other side is a triangle outside `mask`."""

    def directed(t):
        return np.concatenate([t[:, [0, 1]], t[:, [1, 2]], t[:, [2, 0]]])

    keep, gone = directed(mesh.t[mask]), directed(mesh.t[~mask])
    size = np.int64(len(mesh.v))
    return keep[np.isin(keep[:, 0] * size + keep[:, 1], gone[:, 1] * size + gone[:, 0])]


def skirt(
    points: np.ndarray,
    edges: np.ndarray,
    steps: Sequence[Callable[[np.ndarray], np.ndarray]],
    materials: Sequence[str],
    centre: ArrayLike | None = None,
    end_material: str | None = None,
) -> Mesh:
    """Walls swept from border edges, ring by ring.

    Args:
        points: positions that `edges` index, (n, 3).
        edges: border edges of the shell that remains; the visible sides of the walls face the opening.
        steps: functions points -> points, each applied to the ring before it, such as a shift inwards by 2 cm.
        materials: name of the material of each wall.
        centre: point to which the last ring is closed by a fan; None leaves it open.
        end_material: material of that fan.
    """
    border, index = np.unique(edges, return_inverse=True)
    e = index.reshape(-1, 2)
    rings = [points[border]]
    for step in steps:
        rings.append(step(rings[-1]))
    n, parts = len(border), []
    for k, material in enumerate(materials):
        a, b = e[:, 1], e[:, 0]
        quads = np.concatenate([np.stack([a, b, b + n], 1), np.stack([a, b + n, a + n], 1)])
        parts.append(Mesh(np.concatenate(rings[k : k + 2]), quads, material))
    if centre is not None:
        v = np.concatenate([rings[-1], np.asarray(centre, dtype=np.float64).reshape(1, 3)])
        parts.append(Mesh(v, np.stack([e[:, 1], e[:, 0], np.full(len(e), n)], 1), end_material))
    return join([weld(part) for part in parts])


def primitives(
    mesh: Mesh, shade: Callable[[np.ndarray, np.ndarray], np.ndarray] | None = None, crease: float = CREASE
) -> list[Primitive]:
    """One glTF primitive per material, in the order of their names.

    `shade(v, n)` gives the share of ambient light, 0..1, stored as vertex colour. On seams the second channel is the
    distance from the line instead: 0 at -SEAM_REACH, 0.5 on the line, 1 at SEAM_REACH.
    """
    mesh = mesh.copy()
    mesh.v = np.round(mesh.v / POSITION_STEP) * POSITION_STEP
    mesh = mesh.keep(length(face_vectors(mesh.v, mesh.t)) > 2 * SLIVER)
    if "n" in mesh.attr:
        corners = mesh.attr["n"][mesh.t]
    else:
        mesh = weld(mesh)
        corners = corner_normals(mesh.v, mesh.t, crease)
    out = []
    for name in sorted(set(mesh.m.tolist())):
        pick = mesh.m == name
        v, n = mesh.v[mesh.t[pick]].reshape(-1, 3), corners[pick].reshape(-1, 3)
        keys = np.concatenate([np.round(v / POSITION_STEP), np.round(n * 500)], axis=1).astype(np.int64)
        _, first, index = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        v, n = v[first], n[first]
        color = None if shade is None else np.repeat(shade(v, n)[:, None], 3, axis=1)
        if name == "seam" and color is not None:
            across = mesh.attr["seam"][mesh.t[pick]].reshape(-1)[first]
            color[:, 1] = 0.5 + np.clip(across, -SEAM_REACH, SEAM_REACH) / (2 * SEAM_REACH)
        out.append(Primitive(v, index.reshape(-1, 3), name, normals=n, colors=color))
    return out
