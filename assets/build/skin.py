"""Operations on a skin, the outer surface of a body or cabin: regions of another material, panel gaps, openings with
walls, recesses, inner linings.

Most operations take a signed distance function `f(v, attr)` in metres (negative inside) and cut the skin along its zero
line; `gap` cuts on both sides of that line.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from driving_sandbox.assets.build.loft import polygon_distance
from driving_sandbox.assets.build.mesh import SEAM_REACH, DistanceFunction, Mesh, border_edges, cut, join, refine, skirt

Window = tuple[DistanceFunction, list[DistanceFunction]]  # outline of the dark border, outlines of the panes within


def side_view(polygon: ArrayLike, radius: float = 0.0) -> DistanceFunction:
    """Distance function of a polygon of (y, z) points, on both sides of the car; corners are rounded by `radius`, m."""
    return lambda v, attr: polygon_distance(v[:, 1:3], polygon, radius)


def end_view(polygon: ArrayLike, radius: float = 0.0) -> DistanceFunction:
    """Distance function of a polygon of (|x|, z) points; corners are rounded by `radius`, m."""
    return lambda v, attr: polygon_distance(np.stack([np.abs(v[:, 0]), v[:, 2]], 1), polygon, radius)


def plan_view(polygon: ArrayLike, radius: float = 0.0) -> DistanceFunction:
    """Distance function of a polygon of (|x|, y) points; corners are rounded by `radius`, m."""
    return lambda v, attr: polygon_distance(np.stack([np.abs(v[:, 0]), v[:, 1]], 1), polygon, radius)


def mirrored(polygon: ArrayLike) -> np.ndarray:
    """A closed polygon from its right half, given from one point on x = 0 to the other."""
    p = np.asarray(polygon, dtype=np.float64)
    return np.concatenate([p, (p * [-1, 1])[::-1][1:-1]])


def intersection(*fs: DistanceFunction) -> DistanceFunction:
    """Distance function of the intersection: negative where all of `fs` are."""
    return lambda v, attr: np.max([f(v, attr) for f in fs], axis=0)


def grown(f: DistanceFunction, amount: float) -> DistanceFunction:
    """Distance function of the outline of `f` moved outward by `amount`, m."""
    return lambda v, attr: f(v, attr) - amount


def above(z: float) -> DistanceFunction:
    """Distance function, negative above height z."""
    return lambda v, attr: z - v[:, 2]


def below(z: float) -> DistanceFunction:
    """Distance function, negative below height z."""
    return lambda v, attr: v[:, 2] - z


def ahead(y: float) -> DistanceFunction:
    """Distance function, negative ahead of y."""
    return lambda v, attr: y - v[:, 1]


def behind(y: float) -> DistanceFunction:
    """Distance function, negative behind y."""
    return lambda v, attr: v[:, 1] - y


def outside(x: float) -> DistanceFunction:
    """Distance function, negative farther than x from the centre plane."""
    return lambda v, attr: x - np.abs(v[:, 0])


def inboard(x: float) -> DistanceFunction:
    """Distance function, negative nearer than x to the centre plane."""
    return lambda v, attr: np.abs(v[:, 0]) - x


def u_between(low: float, high: float, scale: float = 0.5) -> DistanceFunction:
    """Distance function, negative where u (0 at the nose, pi at the tail) is within low..high.

    `scale`: metres per unit of u, roughly.
    """
    return lambda v, attr: scale * np.maximum(low - attr["u"], attr["u"] - high)


NO_SEAM = 1.0  # m, distance stored where no panel gap is near; larger than SEAM_REACH


class Skin:
    """A body skin that operations change in place; `parts` collects the walls, backs and linings that they add."""

    def __init__(self, mesh: Mesh) -> None:
        self.mesh = mesh
        self.mesh.attr["seam"] = np.full(len(mesh.v), NO_SEAM)
        self.parts = []

    def region(self, f: DistanceFunction, material: str, of: str | Iterable[str] | None = None) -> "Skin":
        """Give the inside of `f` the material; with `of`, only where the material was `of` (a name or several)."""
        self.mesh, mask = cut(self.mesh, f)
        if of is not None:
            mask &= np.isin(self.mesh.m, [of] if isinstance(of, str) else list(of))
        self.mesh.m[mask] = material
        return self

    def refine(self, f: DistanceFunction, size: float = 0.045, margin: float = 0.01, rounds: int = 3) -> "Skin":
        """Halve edges longer than `size` in the inside of `f` widened by `margin`, m; `rounds` times at most."""
        for _ in range(rounds):
            self.mesh, changed = refine(self.mesh, f(self.mesh.v, self.mesh.attr) < margin, size)
            if not changed:
                break
        return self

    def gap(self, f: DistanceFunction, within: DistanceFunction | None = None) -> "Skin":
        """Add a panel gap in the paint along f = 0, where `within` is negative.

        The gap is a band of triangles whose vertices store their distance from the line. From it the shader draws the
        line and fades it where it is narrower than a pixel.
        """

        def near():
            return None if within is None else within(self.mesh.v, self.mesh.attr) < 0

        self.mesh, mask = cut(self.mesh, grown(f, -SEAM_REACH), near=near())
        marked = np.char.add(self.mesh.m, "*")  # the second cut copies the mark to the pieces of a triangle
        self.mesh.m = np.where(mask, marked, self.mesh.m)
        self.mesh, mask = cut(self.mesh, grown(f, SEAM_REACH), near=near())
        inner = np.char.endswith(self.mesh.m, "*")
        self.mesh.m = np.char.rstrip(self.mesh.m, "*").astype("<U16")
        mask &= ~inner & (self.mesh.m == "paint")
        if within is not None:
            centre = {k: a[self.mesh.t].mean(axis=1) for k, a in self.mesh.attr.items()}
            mask &= within(self.mesh.v[self.mesh.t].mean(axis=1), centre) < 0
        self.mesh.m[mask] = "seam"
        corners = np.unique(self.mesh.t[mask])
        distance = f(self.mesh.v, self.mesh.attr)[corners]
        known = self.mesh.attr["seam"][corners]  # the nearer line counts where two meet
        self.mesh.attr["seam"][corners] = np.where(np.abs(distance) < np.abs(known), distance, known)
        return self

    def opening(self, f: DistanceFunction) -> tuple[Mesh, np.ndarray]:
        """Cut out the inside of `f`; returns (removed patch, border edges of the rest as indices into mesh.v)."""
        self.mesh, mask = cut(self.mesh, f)
        edges = border_edges(self.mesh, ~mask)
        patch = self.mesh.keep(mask)
        self.mesh = self.mesh.keep(~mask)
        return patch, edges

    def arch(
        self,
        y: float,
        z: float,
        radius: float,
        inner: float,
        lip: float = 0.012,
        grow: float = 0.06,
        lip_material: str = "paint",
    ) -> "Skin":
        """Cut the two wheel arches at (y, z): openings of `radius`, each with a lip and a dark liner.

        Lengths in m. The lip is `lip` deep; the liner reaches inward to |x| = inner. Its radius exceeds `radius` by
        `grow` at the top, and equals it at and below the height z.
        """

        def circle(v, attr):
            d = np.sqrt((v[:, 1] - y) ** 2 + (v[:, 2] - z) ** 2) - radius
            return np.maximum(d, inner - np.abs(v[:, 0]))

        _, edges = self.opening(circle)

        def side(p):
            return np.where(p[:, 0:1] > 0, 1.0, -1.0)

        def lip_in(p):
            x = np.maximum(np.abs(p[:, 0]) - lip, inner)
            return np.stack([side(p)[:, 0] * x, p[:, 1], p[:, 2]], 1)

        def widen(p):
            dy, dz = p[:, 1] - y, p[:, 2] - z
            r = np.sqrt(dy * dy + dz * dz)
            s = 1 + grow * np.maximum(dz, 0) / np.maximum(r, 1e-6) / np.maximum(r, 1e-6)  # r + grow * sine of elevation
            x = np.maximum(np.abs(p[:, 0]) - 0.05, inner)  # reaches the full radius 0.05 m behind the lip
            return np.stack([side(p)[:, 0] * x, y + dy * s, z + dz * s], 1)

        def to_wall(p):
            return np.stack([side(p)[:, 0] * inner, p[:, 1], p[:, 2]], 1)

        right = self.mesh.v[edges[:, 0], 0] > 0
        for pick, sgn in ((right, 1.0), (~right, -1.0)):
            self.parts.append(
                skirt(
                    self.mesh.v,
                    edges[pick],
                    [lip_in, widen, to_wall],
                    [lip_material, "plastic_black", "plastic_black"],
                    centre=(sgn * inner, y, z),
                    end_material="plastic_black",
                )
            )
        return self

    def recess(
        self, f: DistanceFunction, shift: ArrayLike, wall: str = "plastic_black", back: str = "plastic_black"
    ) -> "Skin":
        """Move the inside of `f` by the vector `shift`, m, and add walls round it."""
        patch, edges = self.opening(f)
        shift = np.asarray(shift, dtype=np.float64)
        self.parts.append(skirt(self.mesh.v, edges, [lambda p: p + shift], [wall]))
        patch.paint(back)
        patch.v = patch.v + shift
        self.parts.append(Mesh(patch.v, patch.t, patch.m))
        return self

    def tub(
        self,
        f: DistanceFunction,
        floor: float,
        rim: str = "plastic_black",
        inside: str = "plastic_black",
        roll: float = 0.02,
        taper: float = 0.97,
    ) -> "Skin":
        """Cut an opening with a rolled edge and walls down to a floor: a cockpit, or the inside below the windows.

        The floor is at z = `floor`. The edge is rolled down by `roll`, m; the floor is `taper` times as large as it.
        """
        _, edges = self.opening(f)
        top = self.mesh.v[np.unique(edges)]
        middle = np.array([0.0, (top[:, 1].max() + top[:, 1].min()) / 2, floor])

        def rolled(p):  # also inward, by `roll` at 0.6 m from the middle
            q = p - (p - middle) * [roll / 0.6, roll / 0.6, 0]
            return q - [0, 0, roll]

        def down(p):
            q = middle + (p - middle) * [taper, taper, 0]
            return np.stack([q[:, 0], q[:, 1], np.full(len(p), floor)], 1)

        self.parts.append(skirt(self.mesh.v, edges, [rolled, down], [rim, inside], centre=middle, end_material=inside))
        return self

    def take_glass(self) -> Mesh:
        """Remove the glass and return it as one mesh, its triangles ordered for blending: right, left, front, rear."""
        glass = self.mesh.keep(self.mesh.m == "glass")
        self.mesh = self.mesh.keep(self.mesh.m != "glass")
        n = glass.attr["n"][glass.t].sum(axis=1)
        side = np.where(np.abs(n[:, 0]) > np.abs(n[:, 1]), np.where(n[:, 0] > 0, 0, 1), np.where(n[:, 1] > 0, 2, 3))
        order = np.argsort(side, kind="stable")
        glass.t, glass.m = glass.t[order], glass.m[order]
        return glass

    def meshes(self) -> list[Mesh]:
        """List of meshes: the skin, then `parts`."""
        return [self.mesh, *[Mesh(p.v, p.t, p.m) for p in self.parts]]


def glaze(skin: Skin, coarse: Skin, windows: Iterable[Window], offset: float = 0.025) -> Skin:
    """Add windows and an inner lining to `skin`; returns it.

    Back faces are not drawn: without the lining, roof and pillars would be invisible from the inside.

    Args:
        skin: Skin of a cabin.
        coarse: Skin of the same shape with a coarser mesh, which is changed into the lining.
        windows: (border, panes) outlines as distance functions.
        offset: distance of the lining inward from the skin, m.
    """
    for border, panes in windows:
        skin.region(border, "gloss_black")
        for pane in panes:
            skin.region(pane, "glass", of="gloss_black")
            coarse.opening(grown(pane, 0.004))
    inner = coarse.mesh
    inner.v = inner.v - inner.attr["n"] * offset
    skin.parts.append(inner.flipped().paint("lining"))
    return skin


def merged(parts: Iterable[Mesh]) -> Mesh:
    """The parts as one mesh without vertex attributes; normals are computed from its triangles later."""
    return join([Mesh(p.v, p.t, p.m) for p in parts])
