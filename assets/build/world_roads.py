"""Centre lines of roads: smooth closed curves through a few points, and what the ground needs of them.

A road is a polyline of about one point a metre with heights. `near` finds, for every vertex of a grid, the distance to
the nearest road segment and the road's height there; the height is interpolated along the segment, so that the road is
as smooth across cells as its polyline is.
"""

from dataclasses import dataclass

import numpy as np


@dataclass
class Road:
    """points float64[n, 3] in m; a closed road goes from the last point to the first."""

    name: str
    points: np.ndarray
    half_width: float
    closed: bool

    @property
    def segments(self):
        """(starts, ends), float64[m, 3] each."""
        ends = np.roll(self.points, -1, axis=0)
        return (self.points, ends) if self.closed else (self.points[:-1], ends[:-1])

    @property
    def length(self):
        starts, ends = self.segments
        return float(np.linalg.norm((ends - starts)[:, :2], axis=1).sum())


def smooth_closed(values, sigma):
    """Periodic smoothing by a Gaussian; sigma in samples."""
    reach = int(4 * sigma)
    offsets = np.arange(-reach, reach + 1)
    kernel = np.exp(-0.5 * (offsets / sigma) ** 2)
    kernel /= kernel.sum()
    padded = np.concatenate([values[-reach:], values, values[:reach]])
    return np.convolve(padded, kernel, mode="valid")


def even_closed(points, spacing):
    """A closed polyline resampled evenly, its points `spacing` apart as nearly as a whole number of them allows."""
    steps = np.linalg.norm(np.roll(points, -1, axis=0) - points, axis=1)
    along = np.concatenate([[0.0], np.cumsum(steps)])
    at = np.linspace(0.0, along[-1], int(round(along[-1] / spacing)), endpoint=False)
    looped = np.vstack([points, points[:1]])
    return np.stack([np.interp(at, along, looped[:, k]) for k in range(points.shape[1])], axis=1)


def loop_line(corners, sigma, spacing=1.0):
    """Closed smooth line near the given corners: the polygon through them, rounded by a Gaussian of sigma metres."""
    line = even_closed(np.asarray(corners, dtype=np.float64), spacing)
    line = np.stack([smooth_closed(line[:, k], sigma / spacing) for k in range(2)], axis=1)
    return even_closed(line, spacing)


def curve_radius(points):
    """Smallest radius of a closed line, by the circle through points three samples apart."""
    a, b, c = np.roll(points, 3, axis=0)[:, :2], points[:, :2], np.roll(points, -3, axis=0)[:, :2]
    ab, bc, ca = (np.linalg.norm(v, axis=1) for v in (b - a, c - b, a - c))
    doubled = np.abs((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0])
    return float((ab * bc * ca / np.maximum(2.0 * doubled, 1e-12)).min())


def near(road, xs, ys, reach):
    """(distance, height, along) arrays [len(ys), len(xs)] to the nearest segment; distance is inf beyond `reach`.

    `along` is the distance from the road's first point, in m.
    """
    distance = np.full((len(ys), len(xs)), np.inf)
    height, along = np.zeros_like(distance), np.zeros_like(distance)
    start_along = 0.0
    for start, end in zip(*road.segments, strict=True):
        low, high = np.minimum(start, end)[:2] - reach, np.maximum(start, end)[:2] + reach
        i0, i1 = np.searchsorted(xs, (low[0], high[0]))
        j0, j1 = np.searchsorted(ys, (low[1], high[1]))
        span = end - start
        size = float(np.hypot(span[0], span[1]))
        x, y = xs[None, i0:i1] - start[0], ys[j0:j1, None] - start[1]
        t = np.clip((x * span[0] + y * span[1]) / size**2, 0.0, 1.0)
        here = np.hypot(x - t * span[0], y - t * span[1])
        window = (slice(j0, j1), slice(i0, i1))
        closer = (here < distance[window]) & (here <= reach)
        distance[window][closer] = here[closer]
        height[window][closer] = (start[2] + t * span[2])[closer]
        along[window][closer] = (start_along + t * size)[closer]
        start_along += size
    return distance, height, along
