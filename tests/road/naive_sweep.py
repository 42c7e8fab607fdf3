"""Naive references of the wheel sweep: highest circle of all slices by search, and rays from points of the tread."""

import numpy as np

GOLDEN = (np.sqrt(5.0) - 1.0) / 2.0
WALL = 1e3  # slope of the height of a circle outside the arc, steeper than any road


class Wheel:
    """A wheel at full jounce.

    Its frame has its origin at the centre, x along `forward`, y along `up` (both normal to the axle), s along `axle`.
    direction: unit vector of the travel towards droop.
    k, cosine: its components along and normal to the axle. arc: half the length of the lower tread along x, m.
    """

    def __init__(self, centre, direction, axle, radius, half_width, travel):
        self.centre, self.direction, self.axle = (np.asarray(v, float) for v in (centre, direction, axle))
        self.radius, self.half_width, self.travel = radius, half_width, travel
        self.k = float(self.direction @ self.axle)
        self.cosine = np.sqrt(1.0 - self.k**2)
        self.up = (self.k * self.axle - self.direction) / self.cosine
        self.forward = np.cross(self.up, self.axle)
        self.arc = radius * np.sin(np.radians(60.0))

    def corners(self, soup):
        """Corners of triangles as (x, y, s) in the wheel's frame, m."""
        return (soup.corners - self.centre) @ np.array([self.forward, self.up, self.axle]).T

    def arguments(self, wheel_filter=0):
        """Arguments of `sweep_wheel` after the ground."""
        c, d, a = (tuple(v.tolist()) for v in (self.centre, self.direction, self.axle))
        return c, d, a, self.radius, self.half_width, self.travel, wheel_filter


def golden(function, low, high, steps=36):
    """(maximum, argument) of concave functions, elementwise, by golden-section search."""
    a, b = low.copy(), high.copy()
    p, q = b - GOLDEN * (b - a), a + GOLDEN * (b - a)
    fp, fq = function(p), function(q)
    for _ in range(steps):
        left = fp > fq  # whether the maximum lies in the left part
        b, a = np.where(left, q, b), np.where(left, a, p)
        p, q = b - GOLDEN * (b - a), a + GOLDEN * (b - a)
        fp, fq = function(p), function(q)
    maximum, argument = fp, p
    for end in (low, high, q):  # exact for a maximum at an end
        value = function(end)
        argument = np.where(value > maximum, end, argument)
        maximum = np.maximum(value, maximum)
    return maximum, argument


def circle_height(x, y, wheel, wall):
    """Centre height of a circle in contact with a point, m; outside the arc it falls with the slope `wall`."""
    inside = np.clip(x, -wheel.arc, wheel.arc)
    return y + np.sqrt(wheel.radius**2 - inside**2) - wall * np.abs(x - inside)


def slice_height(corners, s, wheel, wall=WALL):
    """Height of the highest circle on the segment in which the slice at `s` cuts each triangle (one s per triangle)."""
    points, misses = [], []  # on each edge the point nearest to the slice, and its distance from the slice, m
    for k in range(3):
        p, q = corners[:, k], corners[:, (k + 1) % 3]
        ds = q[:, 2] - p[:, 2]
        t = np.clip(np.where(ds != 0.0, (s - p[:, 2]) / np.where(ds != 0.0, ds, 1.0), 0.0), 0.0, 1.0)
        at = p + t[:, None] * (q - p)
        points.append(at)
        misses.append(np.abs(at[:, 2] - s))
    # two of the three edges cross the slice; of the three points take the pair in it that is farthest apart
    pairs = [(0, 1), (1, 2), (2, 0)]
    miss = np.stack([np.maximum(misses[i], misses[j]) for i, j in pairs])
    span = np.stack([np.linalg.norm(points[i] - points[j], axis=1) for i, j in pairs])
    pair = np.argmax(np.where(miss <= miss.min(axis=0) + 1e-12, span, -1.0), axis=0)
    rows = np.arange(len(corners))
    p = np.stack([points[i] for i, _ in pairs])[pair, rows]
    q = np.stack([points[j] for _, j in pairs])[pair, rows]

    def height(t):
        at = p + t[:, None] * (q - p)
        return circle_height(at[:, 0], at[:, 1], wheel, wall)

    dx = np.where(q[:, 0] == p[:, 0], 1e-300, q[:, 0] - p[:, 0])
    ends = np.sort(np.stack([(-wheel.arc - p[:, 0]) / dx, (wheel.arc - p[:, 0]) / dx]), axis=0)
    low, high = np.clip(ends[0], 0.0, 1.0), np.clip(ends[1], 0.0, 1.0)  # clipped to the segment
    return golden(height, low, high)[0]


def slice_jounce(soup, wheel):
    """Jounce by search, m, for an axle normal to the travel.

    None: no triangle puts the wheel's centre between 0.1 m below full droop and one radius above full jounce.
    """
    corners = wheel.corners(soup)
    low, high = corners[:, :, 2].min(axis=1), corners[:, :, 2].max(axis=1)
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    upright = np.cross(soup.corners[:, 1] - soup.corners[:, 0], soup.corners[:, 2] - soup.corners[:, 0])[:, 2]
    with np.errstate(divide="ignore", invalid="ignore"):
        facing = normal[:, 1] / upright  # component along the wheel's up of the terrain's normal (-dz/dx, -dz/dy, 1)
    candidates = (low <= wheel.half_width) & (high >= -wheel.half_width) & (~soup.terrain | (facing >= 0.02))
    candidates &= corners[:, :, 1].max(axis=1) + wheel.radius > -wheel.travel - 0.2
    candidates &= (corners[:, :, 0].min(axis=1) <= wheel.arc) & (corners[:, :, 0].max(axis=1) >= -wheel.arc)
    if not candidates.any():
        return None
    corners = corners[candidates]
    low, high = np.maximum(low[candidates], -wheel.half_width), np.minimum(high[candidates], wheel.half_width)
    top, argument = golden(lambda s: slice_height(corners, s, wheel), low, high, steps=50)
    fall = top - slice_height(corners, argument, wheel, 2.0 * WALL)
    top = top[
        fall < WALL * 1e-6
    ]  # drop maxima more than 1e-6 m outside of the arc: there the doubled slope lowers them
    top = top[(top <= wheel.radius) & (top > -wheel.travel - 0.1)]
    return wheel.travel + top.max() if len(top) else None


def tread(wheel, rows, columns):
    """A grid of points on the lower tread of the wheel at full jounce, in world coordinates."""
    x, s = np.meshgrid(np.linspace(-wheel.arc, wheel.arc, rows), np.linspace(-1, 1, columns) * wheel.half_width)
    x, s = x.ravel()[:, None], s.ravel()[:, None]
    h = np.sqrt(wheel.radius**2 - x * x)
    return wheel.centre + x * wheel.forward - h * wheel.up + s * wheel.axle


def ray_distance(corners, points, direction):
    """Signed distance, m, along the unit vector `direction` from each point to each triangle, inf for none.

    The result has a row per point and a column per triangle.
    """
    a, b, c = (corners[:, k] for k in range(3))
    normal = np.cross(b - a, c - a)
    with np.errstate(all="ignore"):
        t = np.einsum("tk,ptk->pt", normal, a[None] - points[:, None]) / (normal @ direction)
        at = points[:, None] + t[..., None] * direction
        inside = np.ones(t.shape, bool)
        for u, v in ((a, b), (b, c), (c, a)):
            inside &= np.einsum("ptk,tk->pt", np.cross((v - u)[None], at - u[None]), normal) >= 0.0
    return np.where(inside & np.isfinite(t), t, np.inf)


def triangle_distance(corners, point):
    """Distance of a point to the nearest triangle, m."""
    nearest = np.inf
    for a, b, c in corners:
        n = np.cross(b - a, c - a)
        n = n / np.linalg.norm(n)
        flat = point - ((point - a) @ n) * n
        if all(np.cross(v - u, flat - u) @ n >= 0.0 for u, v in ((a, b), (b, c), (c, a))):
            nearest = min(nearest, abs((point - a) @ n))
        for u, v in ((a, b), (b, c), (c, a)):
            t = np.clip((point - u) @ (v - u) / ((v - u) @ (v - u)), 0.0, 1.0)
            nearest = min(nearest, float(np.linalg.norm(point - u - t * (v - u))))
    return nearest
