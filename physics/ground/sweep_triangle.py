"""Sweep of a wheel as a cylinder onto one triangle: first contact of a wheel lowered along its suspension.

The cylinder's cross-section is a circle. In the wheel's frame at full compression (x along the rolling direction, y up,
s along the axle) a circle that rests on the point (x, y) has its centre at Y = y + h with h = sqrt(R^2 - x^2): the
wheel stops at the largest Y of all points it can meet. With an axle that is not square to the travel (kappa, see
physics/road/sweep.py) the wheel moves along its axle while it comes down; the point is met at s + kappa (y + h).
Corners are given sheared, with s + kappa y in place of s, so that what the wheel can meet is the band
|s + kappa h| <= w, x_low <= x <= x_high, with w half the wheel's width. `size` is (R, w, x_low, x_high, kappa).

On a plane y = alpha + beta x + gamma s the largest Y lies on the end of the band that gamma points to, at

    x = R beta / sqrt(beta^2 + (1 - gamma kappa)^2)

and if that point is outside of the triangle, the largest Y lies on one of its edges. Along an edge Y is concave, so the
contact is at Y's maximum or where the edge enters the band, a root of (+-w - s)^2 = kappa^2 (R^2 - x^2).

A contact is (Y, x, s, h, rise, on_face). rise is that of Y per movement of the wheel along its axle, 0 for a contact
with an edge within the tread; on_face is 1 for a contact with the face, 0 with an edge. Y = -inf: no contact.
"""

import math
from typing import Any

from driving_sandbox.physics.ground.terrain import clip
from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.physics.kernel.jit import kernel

NOTHING = -math.inf
# A triangle whose height is below this share of its longest side, or below this in m, has a gradient that is mostly
# rounding (error 1e-5 at 1 km from the origin), so only its edges count. A larger limit would lose contacts inside
# slivers: with 1e-4 contacts would be up to 1e-7 m too low.
SLIVER = 1e-8
OPPOSING = 1e-3  # smallest 1 - gamma kappa of a face; below it the wheel slides along the face or comes from behind
PARALLEL = 1e-12  # m; an edge shorter than this along x is parallel to the axle
BAND_SLACK = 1e-9  # m, error of the roots of the quadratic


@inline_kernel
def face_optimum(face: Any, size: Any) -> tuple[float, float, float, float, float]:
    """(y, x, s, h, rise along the axle) of the largest Y = y + h within the band, on an endless plane.

    face: (gap, ahead, along, up, facing) of gap + ahead x + along s + facing y = 0, s sheared, and
    up = facing + kappa along. Not divided by facing, so that the square root need not wait for a quotient. h < 0 where
    up < 0: the wheel comes from behind.
    """
    gap, ahead, along, up, facing = face
    radius, half_width, x_low, x_high, kappa = size
    k = radius / math.sqrt(ahead * ahead + up * up)
    x, h = -ahead * k, up * k
    if x < x_low or x > x_high:
        x = min(max(x, x_low), x_high)
        h = math.sqrt(radius * radius - x * x)
    side = -half_width if along > 0.0 else (half_width if along < 0.0 else 0.0)
    s = side - kappa * h
    return -(gap + ahead * x + along * s) * (1.0 / facing), x, s, h, -along / up


@inline_kernel
def edge_peak(px: float, py: float, dx: float, dy: float, radius: float, t0: float, t1: float) -> float:
    """The t in [t0, t1] at which y + sqrt(R^2 - x^2) is largest on the line (x, y) = (px + dx t, py + dy t)."""
    if abs(dx) < PARALLEL:
        return t1 if dy > 0.0 else t0
    x = radius * dy * math.copysign(1.0, dx) / math.sqrt(dx * dx + dy * dy)
    return min(max((x - px) / dx, t0), t1)


@kernel
def edge_reach(p: Any, q: Any, size: Any) -> tuple[Any, float, float, float, float, int]:
    """Contact with one edge, for an axle square to the travel. p, q: ends (x, s, y)."""
    radius, half_width, x_low, x_high, _ = size
    dx, ds, dy = q[0] - p[0], q[1] - p[1], q[2] - p[2]
    enter, leave = clip(p[1], ds, -half_width, half_width, 0.0, 1.0)
    t0, t1 = clip(p[0], dx, x_low, x_high, enter, leave)
    if not t0 <= t1:
        return NOTHING, 0.0, 0.0, 0.0, 0.0, 0
    t = edge_peak(p[0], p[2], dx, dy, radius, t0, t1)
    x = min(max(p[0] + dx * t, x_low), x_high)
    h = math.sqrt(radius * radius - x * x)
    rise = 0.0
    if (t == enter and enter > 0.0) or (t == leave and leave < 1.0):  # the contact is at a side of the tread
        rise = (dy - dx * x / h) / ds
    return p[2] + dy * t + h, x, p[1] + ds * t, h, rise, 0


@inline_kernel
def band_position(p: Any, d: Any, t: float, size: Any) -> tuple[float, float]:
    """(position across the band, h) at t of an edge p + d t."""
    radius = size[0]
    x = p[0] + d[0] * t
    h = math.sqrt(max(0.0, radius * radius - x * x))
    return p[1] + d[1] * t + size[4] * h, h


@kernel
def edge_reach_sheared(p: Any, q: Any, size: Any) -> tuple[Any, float, float, float, float, int]:
    """Contact with one edge for any kappa: its peak if that lies in the band, else its highest point in the band."""
    radius, half_width, x_low, x_high, kappa = size
    d = (q[0] - p[0], q[1] - p[1], q[2] - p[2])
    t0, t1 = clip(p[0], d[0], x_low, x_high, 0.0, 1.0)
    if not t0 <= t1:
        return NOTHING, 0.0, 0.0, 0.0, 0.0, 0
    t = edge_peak(p[0], p[2], d[0], d[2], radius, t0, t1)
    across, h = band_position(p, d, t, size)
    if abs(across) < half_width:
        return p[2] + d[2] * t + h, p[0] + d[0] * t, p[1] + d[1] * t, h, 0.0, 0
    highest, highest_t = NOTHING, 0.0
    a = d[1] * d[1] + kappa * kappa * d[0] * d[0]
    for k in range(6):  # both ends of the edge, then two roots for each end of the band
        if k < 2:
            t = t0 if k == 0 else t1
        else:
            start = p[1] - (half_width if k < 4 else -half_width)
            b = start * d[1] + kappa * kappa * p[0] * d[0]
            c = start * start - kappa * kappa * (radius * radius - p[0] * p[0])
            discriminant = b * b - a * c
            if discriminant < 0.0 or a == 0.0:
                continue
            numerator = -(b + math.copysign(math.sqrt(discriminant), b))
            if k % 2 == 0:
                t = numerator / a
            elif numerator != 0.0:
                t = c / numerator
            else:
                continue
            if not t0 <= t <= t1:
                continue
        across, h = band_position(p, d, t, size)
        height = p[2] + d[2] * t + h
        if abs(across) <= half_width + BAND_SLACK and height > highest:
            highest, highest_t = height, t
    if highest == NOTHING:
        return NOTHING, 0.0, 0.0, 0.0, 0.0, 0
    x = p[0] + d[0] * highest_t
    across, h = band_position(p, d, highest_t, size)
    rise, along = 0.0, d[1] - kappa * d[2]
    if abs(across) >= half_width - BAND_SLACK and along != 0.0:
        rise = (d[2] - d[0] * x / h) / along
    return highest, x, p[1] + d[1] * highest_t, h, rise, 0


@inline_kernel
def doubled_area(p: Any, q: Any, x: float, s: float) -> float:
    """Twice the signed area of the triangle p, q, (x, s)."""
    return (q[0] - p[0]) * (s - p[1]) - (q[1] - p[1]) * (x - p[0])


@inline_kernel
def side_squared(p: Any, q: Any) -> float:
    """Squared distance of two corners in x and s."""
    return (q[0] - p[0]) * (q[0] - p[0]) + (q[1] - p[1]) * (q[1] - p[1])


@kernel
def triangle_reach(p: Any, q: Any, r: Any, size: Any, floor: float) -> Any:
    """Contact with a triangle of corners (x, s, y), s sheared; none unless it is above `floor`."""
    radius, half_width, x_low, x_high, kappa = size
    nothing = (NOTHING, 0.0, 0.0, 0.0, 0.0, 0)
    if max(p[2], max(q[2], r[2])) + radius <= floor:
        return nothing
    if max(p[0], max(q[0], r[0])) < x_low or min(p[0], min(q[0], r[0])) > x_high:
        return nothing
    reach = half_width + abs(kappa) * radius
    if max(p[1], max(q[1], r[1])) < -reach or min(p[1], min(q[1], r[1])) > reach:
        return nothing
    doubled = doubled_area(p, q, r[0], r[1])
    longest_squared = max(side_squared(p, q), max(side_squared(q, r), side_squared(r, p)))
    on_pq, on_qr, on_rp = True, True, True  # whether the contact may lie on that edge
    if abs(doubled) > SLIVER * longest_squared and doubled * doubled > SLIVER * SLIVER * longest_squared:
        beta = ((q[2] - p[2]) * (r[1] - p[1]) - (r[2] - p[2]) * (q[1] - p[1])) / doubled
        gamma = ((r[2] - p[2]) * (q[0] - p[0]) - (q[2] - p[2]) * (r[0] - p[0])) / doubled
        facing = 1.0 - gamma * kappa
        if facing > OPPOSING:
            face = (beta * p[0] + gamma * p[1] - p[2], -beta, -gamma, facing, 1.0)
            y, x, s, h, rise = face_optimum(face, size)
            if y + h <= floor:
                return nothing
            sign = 1.0 if doubled > 0.0 else -1.0
            on_pq, on_qr = sign * doubled_area(p, q, x, s) < 0.0, sign * doubled_area(q, r, x, s) < 0.0
            on_rp = sign * doubled_area(r, p, x, s) < 0.0
            if not (on_pq or on_qr or on_rp):
                return y + h, x, s, h, rise, 1
    if kappa != 0.0:
        highest = edge_reach_sheared(p, q, size)
        other = edge_reach_sheared(q, r, size)
        highest = other if other[0] > highest[0] else highest
        other = edge_reach_sheared(r, p, size)
        return other if other[0] > highest[0] else highest
    highest = edge_reach(p, q, size) if on_pq else nothing
    if on_qr:
        other = edge_reach(q, r, size)
        highest = other if other[0] > highest[0] else highest
    if on_rp:
        other = edge_reach(r, p, size)
        highest = other if other[0] > highest[0] else highest
    return highest
