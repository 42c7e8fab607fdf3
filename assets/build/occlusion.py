"""How much of the sky each vertex sees: ambient occlusion from depth maps along many directions.

For every direction of a fixed spiral over the sphere the surface, sampled as points, is written into an orthographic depth map;
a vertex sees that direction where nothing lies more than `BIAS` in front of it. Directions below the horizon meet the ground
(grey, not black). The value is the cosine-weighted mean, lifted by `GAIN` and `POWER`, which were chosen by eye: open surfaces
come out white. Only elementwise arithmetic and comparisons, on coordinates rounded to 1e-5 m.
"""
import numpy as np

from assets.build.mesh import cross, join, length, unit

DIRECTIONS = 72
PIXEL = 0.022  # m; depth map cell
SPACING = 0.013  # m; distance of surface samples, below PIXEL so that maps have no holes
BIAS = 0.030  # m; keeps a surface from hiding itself at grazing angles
GROUND = 0.30  # light from directions that meet the ground
GAIN, POWER = 1.40, 1.1
STEPS = 32  # grey levels; coarse, so that equal cars on two machines give equal bytes


def _directions():
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


class Occlusion:
    """Callable (vertices, normals) -> occlusion in 0..1, cast by `solids` and `extra` meshes."""

    def __init__(self, solids, extra=()):
        self.points = _samples(join([*solids, *extra]))
        self.directions = _directions()
        self.maps = [self._map(d) for d in self.directions]

    @staticmethod
    def _axes(d):
        ref = np.array([[0.0, 0.0, 1.0]]) if abs(d[2]) < 0.9 else np.array([[1.0, 0.0, 0.0]])
        s = np.round(unit(cross(ref, d[None])), 6)
        return s[0], np.round(cross(d[None], s), 6)[0]

    @staticmethod
    def _dot(p, d):
        return p[:, 0] * d[0] + p[:, 1] * d[1] + p[:, 2] * d[2]

    def _cells(self, p, d):
        s, t = self._axes(d)
        return (np.floor(self._dot(p, s) / PIXEL).astype(np.int64) + 256,
                np.floor(self._dot(p, t) / PIXEL).astype(np.int64) + 256)

    def _map(self, d):
        i, j = self._cells(self.points, d)
        flat = np.full(512 * 512, -np.inf)
        np.maximum.at(flat, i * 512 + j, self._dot(self.points, d))
        return flat

    def __call__(self, v, n):
        p = v + n * BIAS
        light, total = np.zeros(len(v)), np.zeros(len(v))
        for d, depth in zip(self.directions, self.maps, strict=True):
            weight = np.maximum(self._dot(n, d), 0.0)
            i, j = self._cells(p, d)
            seen = depth[i * 512 + j] < self._dot(p, d) + BIAS
            light += weight * seen * (1.0 if d[2] > 0 else GROUND * np.clip(p[:, 2] / 0.5, 0.25, 1.0))
            total += weight
        value = np.minimum(1.0, (GAIN * light / np.maximum(total, 1e-6)) ** POWER)
        return np.round(value * STEPS) / STEPS


__all__ = ["Occlusion", "length"]
