"""Ambient occlusion per vertex, from depth maps along many directions.

The surface is sampled as points, which are written into an orthographic depth map for every direction of a fixed spiral
on the sphere. A vertex is lit from a direction if nothing is more than `BIAS` in front of a point `BIAS` above the
surface. Directions below the horizon meet the ground, which gives less light, least near the ground. The value is the
cosine-weighted mean, lifted by `GAIN` and `POWER`, which were chosen by eye: open surfaces come out white. Only
elementwise arithmetic and comparisons are used, on coordinates rounded to 1e-5 m.
"""

from collections.abc import Iterable

import numpy as np

from driving_sandbox.assets.build.mesh import Mesh, cross, join, unit

DIRECTIONS = 56  # number of depth maps
PIXEL = 0.034  # m; depth map cell
SPACING = 0.026  # m; distance between surface samples, below PIXEL so that maps have few holes
BIAS = 0.034  # m; prevents self-occlusion at grazing angles
GROUND = 0.30  # light from directions below the horizon relative to open sky
GAIN = 1.40  # chosen by eye: open surfaces come out white
POWER = 1.1  # chosen by eye, on the light times GAIN
SIZE = 256  # cells across a map; 8.7 m: larger vehicles are scaled down (`SHADED_REACH`)
STEPS = 32  # grey levels; coarse, so that two machines write equal files


def _directions():
    """Unit vectors spread evenly over the sphere (a Fibonacci lattice), (DIRECTIONS, 3)."""
    k = np.arange(DIRECTIONS) + 0.5
    z = 1 - 2 * k / DIRECTIONS
    a = k * np.pi * (3 - np.sqrt(5))
    r = np.sqrt(1 - z * z)
    return np.round(np.stack([r * np.cos(a), r * np.sin(a), z], 1), 6)


def _samples(mesh):
    """Points spread over each triangle on a barycentric grid of about SPACING."""
    a, b, c = (mesh.v[mesh.t[:, k]] for k in range(3))
    longest = np.sqrt(np.maximum(np.maximum(((a - b) ** 2).sum(1), ((b - c) ** 2).sum(1)), ((c - a) ** 2).sum(1)))
    steps = np.ceil(longest / SPACING).astype(np.int64).clip(1, 160)
    out = []
    for n in np.unique(steps):
        pick = steps == n
        i, j = np.meshgrid(np.arange(n), np.arange(n), indexing="ij")
        ok = i + j < n
        u, w = ((i[ok] + 1 / 3) / n)[None, :, None], ((j[ok] + 1 / 3) / n)[None, :, None]
        p = a[pick][:, None] * (1 - u - w) + b[pick][:, None] * u + c[pick][:, None] * w
        out.append(p.reshape(-1, 3))
    return np.round(np.concatenate(out), 5)


def _along(columns, d):
    """Distance along the unit vector d of points given as x, y and z columns."""
    return columns[0] * d[0] + columns[1] * d[1] + columns[2] * d[2]


class Occlusion:
    """Callable (vertices, normals) -> share of ambient light, 0..1, left by the `solids` and `extra` meshes."""

    def __init__(self, solids: Iterable[Mesh], extra: Iterable[Mesh] = ()) -> None:
        self.points = np.ascontiguousarray(_samples(join([*solids, *extra])).T)
        self.directions = _directions()
        self.maps = [self._map(d) for d in self.directions]

    @staticmethod
    def _axes(d):
        """Two unit vectors that span the plane perpendicular to d."""
        ref = np.array([[0.0, 0.0, 1.0]]) if abs(d[2]) < 0.9 else np.array([[1.0, 0.0, 0.0]])
        s = np.round(unit(cross(ref, d[None])), 6)
        return s[0], np.round(cross(d[None], s), 6)[0]

    def _cells(self, columns, d):
        """Index of each point's cell in the map of direction d."""
        s, t = self._axes(d)
        i = np.floor(_along(columns, s / PIXEL)).astype(np.int64) + SIZE // 2
        return i * SIZE + np.floor(_along(columns, t / PIXEL)).astype(np.int64) + SIZE // 2

    def _map(self, d):
        """Depth map of direction d: for each cell, how far the surface extends along d, m."""
        flat = np.full(SIZE * SIZE, -np.inf)
        np.maximum.at(flat, self._cells(self.points, d), _along(self.points, d))
        return flat

    def __call__(self, v, n):
        """Share of light that reaches points v with normals n, 0 to 1, in steps of 1 / STEPS."""
        p, n = np.ascontiguousarray((v + n * BIAS).T), np.ascontiguousarray(n.T)
        light, total = np.zeros(len(v)), np.zeros(len(v))
        for d, depth in zip(self.directions, self.maps, strict=True):
            weight = np.maximum(_along(n, d), 0.0)
            visible = depth[self._cells(p, d)] < _along(p, d) + BIAS
            # The ground gives all of GROUND to points from 0.5 m up, a quarter of it to the lowest.
            light += weight * visible * (1.0 if d[2] > 0 else GROUND * np.clip(p[2] / 0.5, 0.25, 1.0))
            total += weight
        value = np.minimum(1.0, (GAIN * light / np.maximum(total, 1e-6)) ** POWER)
        return np.round(value * STEPS) / STEPS
