"""Skins lofted over closed waterlines: car bodies and cabins.

A waterline is half of a superellipse in plan, from the middle of the nose (u = 0) round the side to the middle of the
tail (u = pi), with its own nose, tail, half width, and an exponent n for each end:

    x = w(y) sin(u)^(2/n),   y = y_mid + (y_end - y_mid) |cos(u)|^(2/n)

Its height may follow a profile along the car. The control points of a uniform cubic B-spline across the rows are:
`floor` rows from the centre line out to the first waterline, the waterlines, and `cap` rows from the last one in to the
centre line; so the skin passes near the waterlines. The result is mirrored in x = 0. Each vertex keeps "u" (0..pi) and
"row" (its position among the control rows), so that cuts can tell the sides from the ends.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from driving_sandbox.assets.build.mesh import Mesh, join, smooth_normals, weld

BEND_WEIGHT = 0.55  # of the turning angle, against the arc length, in the spacing of columns


def pchip(points: Sequence[tuple[float, float]]) -> Callable[[ArrayLike], np.ndarray]:
    """Function y(x): monotone cubic through (x, y) points, constant outside (Fritsch and Butland, 1984)."""
    x, y = (np.array(c, dtype=np.float64) for c in zip(*sorted(points), strict=True))
    h, d = np.diff(x), np.diff(y) / np.diff(x)
    m = np.zeros(len(x))
    for k in range(1, len(x) - 1):
        if d[k - 1] * d[k] > 0:
            a, b = 2 * h[k] + h[k - 1], h[k] + 2 * h[k - 1]
            m[k] = (a + b) / (a / d[k - 1] + b / d[k])
    m[0], m[-1] = d[0], d[-1]

    def f(q):
        q = np.clip(np.asarray(q, dtype=np.float64), x[0], x[-1])
        i = np.clip(np.searchsorted(x, q, side="right") - 1, 0, len(h) - 1)
        s = (q - x[i]) / h[i]
        return (
            y[i] * (1 + 2 * s) * (1 - s) ** 2
            + m[i] * h[i] * s * (1 - s) ** 2
            + y[i + 1] * s * s * (3 - 2 * s)
            + m[i + 1] * h[i] * s * s * (s - 1)
        )

    return f


@dataclass(frozen=True)
class Line:
    """One waterline, lengths in m."""

    z: float  # height where the profile is 0
    width: float  # half width
    nose: float  # y of its front end
    tail: float  # y of its rear end
    n_nose: float = 3.4  # exponent of the superellipse ahead of the middle
    n_tail: float = 4.4  # exponent behind the middle
    follow: float = 0.0  # how much of the profile is added to z
    flare: float = 1.0  # factor on the bulges' amounts


class Bulge(NamedTuple):
    """A widening of the body (a narrowing if `amount` is negative) with a Gaussian profile along y: flared arches."""

    y: float  # m, its middle
    reach: float  # m, distance from the middle at which 1/e of it is left
    amount: float  # m added to the half width


class Crest(NamedTuple):
    """A rise of the surface above the last waterline, Gaussian along x and y, on both sides: wings, bonnet bulges."""

    x: float  # m, its middle
    reach_x: float  # m, distance across at which 1/e of it is left
    y: float  # m, its middle
    reach_y: float  # m, distance along at which 1/e of it is left
    amount: float  # m, height


@dataclass
class Loft:
    """Shape of a skin; lengths in m."""

    lines: list  # of Line, from the lowest up
    profile: object = None  # function y -> height added to each line times its `follow`
    dome: object = None  # function y -> rise from the last line to the centre line
    dome_power: float = 2.2  # exponent of the dome across the car: the higher, the flatter in the middle
    bulges: tuple = ()  # of Bulge
    crests: tuple = ()  # of Crest
    caps: tuple = (0.94, 0.80, 0.55, 0.27, 0.0)  # rows above the last line, as fractions of its x
    columns: int = 60  # mesh columns from nose to tail
    steps: int = 3  # mesh rows for each control row
    middle: float = 0.0  # y where the nose's half of a superellipse meets the tail's
    floor: tuple = ()  # rows that close the skin below, as fractions of the first line's x, outward

    def plan(self, line: Line, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """x and y of a line at parameters u."""
        c, s = np.cos(u), np.maximum(np.sin(u), 0.0)
        n = np.where(c >= 0, line.n_nose, line.n_tail)
        end = np.where(c >= 0, line.nose, line.tail)
        y = self.middle + (end - self.middle) * np.abs(c) ** (2 / n)
        w = np.full_like(y, line.width)
        for bulge in self.bulges:
            w = w + line.flare * bulge.amount * np.exp(-(((y - bulge.y) / bulge.reach) ** 2))
        x = w * s ** (2 / n)
        return np.where(s < 1e-9, 0.0, x), y

    def height(self, line: Line, y: np.ndarray) -> np.ndarray | float:
        """z of a line at positions y."""
        return line.z + (line.follow * self.profile(y) if self.profile is not None else 0.0)

    def parameters(self) -> np.ndarray:
        """u of the mesh's columns, spaced by arc length and turning angle of the largest waterline: denser in bends."""
        line = max(self.lines, key=lambda k: k.width * (k.nose - k.tail))
        u = np.linspace(0, np.pi, 4001)
        x, y = self.plan(line, u)
        dx, dy = np.diff(x), np.diff(y)
        angle = np.unwrap(np.arctan2(dy, dx))
        bend = np.abs(np.diff(angle, prepend=angle[0]))
        step = np.sqrt(dx * dx + dy * dy)
        weight = np.concatenate([[0.0], np.cumsum(step / step.sum() + BEND_WEIGHT * bend / bend.sum())])
        at = np.interp(np.linspace(0, weight[-1], self.columns + 1), weight, u)
        at[0], at[-1] = 0.0, np.pi
        return np.round(at, 6)

    def control(self, u: np.ndarray) -> np.ndarray:
        """Control points (rows, len(u), 3): floor rows, waterlines, cap rows."""
        rows = []
        x, y = self.plan(self.lines[0], u)
        for f in self.floor:
            rows.append(np.stack([x * f, y, self.height(self.lines[0], y)], 1))
        for line in self.lines:
            x, y = self.plan(line, u)
            rows.append(np.stack([x, y, self.height(line, y)], 1))
        x, y, z = rows[-1].T
        rise = self.dome(y) if self.dome is not None else np.zeros_like(y)
        for f in self.caps:
            xc = x * f
            zc = z + rise * (1 - f**self.dome_power)
            for x0, reach_x, y0, reach_y, amount in self.crests:
                zc = zc + amount * np.exp(-(((xc - x0) / reach_x) ** 2) - (((y - y0) / reach_y) ** 2))
            rows.append(np.stack([xc, y, zc], 1))
        return np.array(rows)

    def skin(self, material: str = "paint") -> Mesh:
        """The mirrored, smooth skin with attributes n, u, row."""
        u = self.parameters()
        grid, row = bspline(self.control(u), self.steps)
        half = grid_mesh(grid, u, row, material)
        other = half.mirrored()
        return smooth_normals(weld(join([half, other])))


def bspline(rows: np.ndarray, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of a uniform cubic B-spline, `steps` per control row, and the position of each among the control rows.

    It begins at the first control row, ends at the last, and passes near the others.
    """
    n = len(rows)
    ext = np.concatenate([[2 * rows[0] - rows[1]], rows, [2 * rows[-1] - rows[-2]]])
    out, number = [], []
    for k in range(n - 1):
        a, b, c, d = ext[k : k + 4]
        for s in np.arange(steps) / steps:
            w = ((1 - s) ** 3 / 6, (3 * s**3 - 6 * s**2 + 4) / 6, (-3 * s**3 + 3 * s**2 + 3 * s + 1) / 6, s**3 / 6)
            out.append(a * w[0] + b * w[1] + c * w[2] + d * w[3])
            number.append(k + s)
    out.append(rows[-1])
    number.append(n - 1.0)
    return np.array(out), np.array(number)


def grid_mesh(grid: np.ndarray, u: np.ndarray, row: np.ndarray, material: str) -> Mesh:
    """Triangles of a (rows, columns, 3) grid whose rows go up and whose columns run from nose to tail on the right."""
    rows, cols = grid.shape[:2]
    i, j = np.meshgrid(np.arange(rows - 1), np.arange(cols - 1), indexing="ij")
    a = (i * cols + j).ravel()
    b, c, d = a + 1, a + cols, a + cols + 1
    flip = ((i + j) % 2 == 0).ravel()[:, None]
    first = np.where(flip, np.stack([a, c, d], 1), np.stack([a, c, b], 1))
    second = np.where(flip, np.stack([a, d, b], 1), np.stack([b, c, d], 1))
    v = np.round(grid.reshape(-1, 3), 6)
    return Mesh(v, np.concatenate([first, second]), material, {"u": np.tile(u, rows), "row": np.repeat(row, cols)})


def polygon_distance(p: np.ndarray, polygon: ArrayLike, radius: float = 0.0) -> np.ndarray:
    """Signed distance (negative inside) of points (n, 2) from a polygon whose corners are rounded by `radius`."""
    poly = np.asarray(polygon, dtype=np.float64)
    if radius > 0:
        return polygon_distance(p, inset(poly, radius)) - radius
    nearest = np.full(len(p), np.inf)
    inside = np.zeros(len(p), dtype=bool)
    for a, b in zip(poly, np.roll(poly, -1, axis=0), strict=True):
        e, w = b - a, p - a
        s = np.clip((w[:, 0] * e[0] + w[:, 1] * e[1]) / (e[0] * e[0] + e[1] * e[1]), 0, 1)
        d0, d1 = w[:, 0] - s * e[0], w[:, 1] - s * e[1]
        nearest = np.minimum(nearest, d0 * d0 + d1 * d1)
        crosses = (a[1] > p[:, 1]) != (b[1] > p[:, 1])
        slope = e[0] / e[1] if e[1] != 0 else 0.0
        inside ^= crosses & (p[:, 0] < a[0] + (p[:, 1] - a[1]) * slope)
    return np.where(inside, -1.0, 1.0) * np.sqrt(nearest)


def inset(polygon: ArrayLike, amount: float) -> np.ndarray:
    """The polygon with each side moved inward by `amount` (negative: outward); convex corners are assumed."""
    p = np.asarray(polygon, dtype=np.float64)
    area = np.sum(p[:, 0] * np.roll(p[:, 1], -1) - np.roll(p[:, 0], -1) * p[:, 1])
    sign = 1.0 if area > 0 else -1.0
    d = np.roll(p, -1, axis=0) - p
    d = d / np.sqrt((d * d).sum(axis=1))[:, None]
    n = np.stack([-d[:, 1], d[:, 0]], 1) * sign
    before = np.roll(n, 1, axis=0)
    bend = n + before
    scale = np.maximum((bend * n).sum(axis=1), 0.15)  # limits how far a very sharp corner moves
    return p + amount * bend / scale[:, None]
