"""Centre lines of roads: smooth curves through a few points, and their data for the terrain.

A road is a polyline of about one point a metre with heights and cross slopes. For every vertex of a grid,
`distance_and_height` finds the distance to the nearest road segment and the road's height there: interpolated along the
segment and tilted across it, so that the road is as smooth across cells as its polyline is.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

SHOULDER = 2.5  # m beside a road, of gravel and in the road's own plane
PAINTED, PLAIN, LOOSE, MARK = "painted", "plain", "loose", "mark"


@dataclass
class Road:
    """A road or a painted line.

    Attributes:
        points: float64[n, 3], m, of the centre line; a closed road goes on from the last point to the first.
        half_width: m, without the shoulder.
        bank: float64[n], cross slope: rise per metre to the right of travel; None for 0.
        kind: PAINTED, asphalt with lanes and a gravel shoulder; PLAIN, of `surface`, without lanes; LOOSE, a gravel
            track; MARK, a painted line only.
        surface: a name of world_land.SURFACES.
    """

    name: str
    points: np.ndarray
    half_width: float
    closed: bool
    bank: np.ndarray | None = None
    kind: str = PAINTED
    surface: str = "asphalt"

    def __post_init__(self):
        """Level where no banking is given."""
        if self.bank is None:
            self.bank = np.zeros(len(self.points))

    @property
    def segments(self) -> tuple[np.ndarray, np.ndarray]:
        """(starts, ends), float64[m, 3] each."""
        ends = np.roll(self.points, -1, axis=0)
        return (self.points, ends) if self.closed else (self.points[:-1], ends[:-1])

    @property
    def length(self) -> float:
        """Length in the plane, m."""
        starts, ends = self.segments
        return float(np.linalg.norm((ends - starts)[:, :2], axis=1).sum())


def smooth_open(values: np.ndarray, sigma: float) -> np.ndarray:
    """Gaussian smoothing that keeps both ends and their slopes, by point reflection at the ends; sigma in samples."""
    reach = min(int(4 * sigma), len(values) - 1)
    offsets = np.arange(-reach, reach + 1)
    kernel = np.exp(-0.5 * (offsets / sigma) ** 2)
    kernel /= kernel.sum()
    before, after = 2 * values[0] - values[reach:0:-1], 2 * values[-1] - values[-2 : -reach - 2 : -1]
    return np.convolve(np.concatenate([before, values, after]), kernel, mode="valid")


def smooth_closed(values: np.ndarray, sigma: float) -> np.ndarray:
    """Periodic smoothing by a Gaussian; sigma in samples."""
    reach = int(4 * sigma)
    offsets = np.arange(-reach, reach + 1)
    kernel = np.exp(-0.5 * (offsets / sigma) ** 2)
    kernel /= kernel.sum()
    padded = np.concatenate([values[-reach:], values, values[:reach]])
    return np.convolve(padded, kernel, mode="valid")


def even_closed(points: np.ndarray, spacing: float) -> np.ndarray:
    """The closed polyline resampled at equal distances of about `spacing`, m."""
    steps = np.linalg.norm(np.roll(points, -1, axis=0) - points, axis=1)
    along = np.concatenate([[0.0], np.cumsum(steps)])
    at = np.linspace(0.0, along[-1], int(round(along[-1] / spacing)), endpoint=False)
    looped = np.vstack([points, points[:1]])
    return np.stack([np.interp(at, along, looped[:, k]) for k in range(points.shape[1])], axis=1)


def loop_line(corners: ArrayLike, sigma: float, spacing: float = 1.0) -> np.ndarray:
    """Closed smooth line near the given corners: the polygon through them, rounded by a Gaussian of sigma metres."""
    line = even_closed(np.asarray(corners, dtype=np.float64), spacing)
    line = np.stack([smooth_closed(line[:, k], sigma / spacing) for k in range(2)], axis=1)
    return even_closed(line, spacing)


def open_line(corners: ArrayLike, sigma: float, spacing: float = 1.0) -> np.ndarray:
    """As `loop_line`, from the first corner to the last."""

    def even(points):
        along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
        at = np.linspace(0.0, along[-1], int(round(along[-1] / spacing)) + 1)
        return np.stack([np.interp(at, along, points[:, k]) for k in range(2)], axis=1)

    line = even(np.asarray(corners, dtype=np.float64))
    return even(np.stack([smooth_open(line[:, k], sigma / spacing) for k in range(2)], axis=1))


def directions(points: np.ndarray, closed: bool) -> np.ndarray:
    """Horizontal unit vectors along a line, (n, 2)."""
    line = points[:, :2]
    ahead = np.roll(line, -1, axis=0) - np.roll(line, 1, axis=0) if closed else np.gradient(line, axis=0)
    return ahead / np.linalg.norm(ahead, axis=1, keepdims=True)


def rights(points: np.ndarray, closed: bool) -> np.ndarray:
    """Horizontal unit vectors to the right of a line, (n, 2)."""
    ahead = directions(points, closed)
    return np.stack([ahead[:, 1], -ahead[:, 0]], axis=1)


def signed_curvature(points: np.ndarray, span: int = 6) -> np.ndarray:
    """Curvature of a closed line, 1/m, positive to the left, from points `span` samples behind and ahead."""
    back, ahead = points - np.roll(points, span, axis=0), np.roll(points, -span, axis=0) - points
    turn = np.arctan2(back[:, 0] * ahead[:, 1] - back[:, 1] * ahead[:, 0], (back * ahead).sum(axis=1))
    return turn / np.linalg.norm(back, axis=1)


def banking(points: np.ndarray, steepest: float, radius: float, sigma: float = 14.0) -> np.ndarray:
    """Cross slopes of a closed line that raise the outside of its curves, for `Road.bank`.

    Args:
        points: centre line, about a metre from one to the next.
        steepest: rise per metre across the road in curves of `radius` and tighter; wider curves have
            proportionally less.
        radius: m.
        sigma: of the smoothing, in points.
    """
    bank = np.clip(signed_curvature(points[:, :2]) * radius, -1.0, 1.0) * steepest
    return smooth_closed(bank, sigma)


def curve_radius(points: np.ndarray) -> float:
    """Smallest radius of a closed line, m, of circles through points three samples apart."""
    a, b, c = np.roll(points, 3, axis=0)[:, :2], points[:, :2], np.roll(points, -3, axis=0)[:, :2]
    ab, bc, ca = (np.linalg.norm(v, axis=1) for v in (b - a, c - b, a - c))
    doubled = np.abs((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0])
    return float((ab * bc * ca / np.maximum(2.0 * doubled, 1e-12)).min())


def distance_and_height(road: Road, xs: np.ndarray, ys: np.ndarray, reach: float) -> tuple[np.ndarray, np.ndarray]:
    """(distance to the nearest segment, height of the road there), arrays [len(ys), len(xs)], m.

    Beyond `reach`, the distance is inf and the height 0. Up to there, the height follows the cross slope
    to the end of the shoulder and is level beyond it.
    """
    distance = np.full((len(ys), len(xs)), np.inf)
    height = np.zeros_like(distance)
    banks = np.roll(road.bank, -1) if road.closed else road.bank[1:]
    for start, end, bank, bank_end in zip(*road.segments, road.bank, banks, strict=False):
        low, high = np.minimum(start, end)[:2] - reach, np.maximum(start, end)[:2] + reach
        i0, i1 = np.searchsorted(xs, (low[0], high[0]))
        j0, j1 = np.searchsorted(ys, (low[1], high[1]))
        span = end - start
        size = float(np.hypot(span[0], span[1]))
        x, y = xs[None, i0:i1] - start[0], ys[j0:j1, None] - start[1]
        t = np.clip((x * span[0] + y * span[1]) / size**2, 0.0, 1.0)
        segment_distance = np.hypot(x - t * span[0], y - t * span[1])
        window = (slice(j0, j1), slice(i0, i1))
        closer = (segment_distance < distance[window]) & (segment_distance <= reach)
        right = np.clip((x * span[1] - y * span[0]) / size, -road.half_width - SHOULDER, road.half_width + SHOULDER)
        tilted = start[2] + t * span[2] + (bank + t * (bank_end - bank)) * right
        distance[window][closer] = segment_distance[closer]
        height[window][closer] = tilted[closer]
    return distance, height
