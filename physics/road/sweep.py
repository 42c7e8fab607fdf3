"""The wheel as a true cylinder, swept along its suspension until it rests on the ground.

    hit, jounce, normal, point, surface = sweep_wheel(
        ground, moving, centre, direction, axle, radius, half_width, travel, wheel_filter)

`centre` is the wheel's centre at full compression, `direction` (droop) and `axle` (to the right, steered) are unit
vectors, `moving` the bodies of `bodies.py` or None. jounce = travel - t for the wheel's way t to its first contact,
beyond `travel` where even the compressed wheel stands in the ground (up to one radius), below 0 where the ground is out
of reach but nearer than SEARCH.

Wheel frame: k = d.a, cos = sqrt(1 - k^2), u = (k a - d) / cos (up), f = u x a (forward); kappa = k / cos is how far the
wheel goes along its axle for each metre it goes down. What a contact is and how it is found: `sweep_triangle.py`.

Contacts further forward or back than ARC are walls, not road, and so are those higher than one radius over the
compressed wheel's lowest point: no ceiling and no bridge above is ever taken for ground, and a wheel that starts
inside the ground is no special case.

Normal = gradient of t over places of the wheel: from the contact to the axle in the wheel's plane, plus along the axle
what the contact rises when the wheel moves that way. It turns continuously over kerbs and crests, is the face's own on
smooth ground, and a force along it does exactly the work that the spring takes up. Where a wheel rests on both edges of
a gap the two normals are blended over BLEND of difference in height; without that a parked wheel would be thrown from
one to the other by rounding.

Limits: the wheel is rigid. What a wheel meets sideways (a wall beside it) is not road.
"""

import math

import numpy as np

from physics import vec3
from physics.road.inline import inline_kernel
from physics.road.layout import NO_SURFACE
from physics.road.rim import rim_support
from physics.road.sweep_ground import highest_contact, swept_box

ARC = math.sin(math.radians(60.0))  # of the radius: kerbs up to half a radius are climbed, higher ones are walls
LOWEST_ARC = 0.5  # height of the wheel's rim under the axle at ARC, of the radius
# m below full droop in which ground is seen as well: a wheel that lands at 20 m/s is expected a tick before
SEARCH = 0.1
STEEPEST = math.tan(math.radians(60.0))  # of the lateral part of a normal: beyond it no spring could push
SQUARE = 1e-9  # an axle and a direction this close to a right angle are at one
BLEND = 1e-4  # m
OPPOSITE = 2.0  # times BLEND is the smallest rise x^2 / R of the rim at a contact that may have an opposite one


@inline_kernel
def wheel_frame(centre, direction, axle):
    """((centre, f, u, a), k, cos) of a wheel; see the module."""
    k = vec3.dot(direction, axle)
    k = 0.0 if abs(k) < SQUARE else k
    cosine = math.sqrt(1.0 - k * k)
    up = vec3.scale(vec3.add_scaled(vec3.scale(axle, k), direction, -1.0), 1.0 / cosine)
    return (centre, vec3.cross(up, axle), up, axle), k, cosine


@inline_kernel
def contact_slope(best, radius):
    """(along x, along s) rise of the contact when the wheel moves; a normal is (-x, 1, -s) of it."""
    x = best[1]
    return x / math.sqrt(radius * radius - x * x), min(max(best[3], -STEEPEST), STEEPEST)


@inline_kernel
def find_contact(ground, moving, frame, k, cosine, radius, half_width, travel, wheel_filter):
    """(best, slope along x, slope along s); `best` as in `sweep_ground.py`, its surface NO_SURFACE without contact."""
    arc, kappa = ARC * radius, k / cosine
    reach = (travel + SEARCH) * cosine
    lift = radius * cosine
    box = swept_box(
        frame, radius, half_width, arc, lift - LOWEST_ARC * radius, -reach - radius, abs(kappa) * max(reach, lift)
    )
    limits = (lift, box[0], box[1])
    best = (-reach, 0.0, 0.0, 0.0, 0, np.int64(NO_SURFACE))
    floor, x_low, x_high = -reach, -arc, arc
    slope_x, slope_s = 0.0, 0.0
    for search in range(2):
        start = (floor, 0.0, 0.0, 0.0, 0, np.int64(NO_SURFACE))
        size = (radius, half_width, x_low, x_high, kappa)
        found = highest_contact(ground, moving, frame, size, limits, start, wheel_filter)
        if found[5] < 0:
            break
        sx, ss = contact_slope(found, radius)
        if search == 1:
            if found[0] <= best[0]:  # else the other part of a wall that was left out
                share = 0.5 * (1.0 - min(1.0, (best[0] - found[0]) / BLEND))
                slope_x += (sx - slope_x) * share
                slope_s += (ss - slope_s) * share
            break
        best, slope_x, slope_s = found, sx, ss
        if found[4] == 1 or found[1] * found[1] < OPPOSITE * BLEND * radius:
            break
        # resting on an edge: look on the other side of the axle for a second one
        near = math.sqrt(OPPOSITE * BLEND * radius)
        x_low, x_high = (-arc, -near) if found[1] > 0.0 else (near, arc)
        floor = found[0] - BLEND
    return best, slope_x, slope_s


@inline_kernel
def sweep_wheel(ground, moving, centre, direction, axle, radius, half_width, travel, wheel_filter):
    """(hit, jounce, normal, point, surface): see the module.

    point: on the ground under the middle of the tread, which does not jump when the tread lies flat. surface: with
    BODY_STEP for each moving body up to the one that was met.
    """
    frame, k, cosine = wheel_frame(centre, direction, axle)
    best, slope_x, slope_s = find_contact(ground, moving, frame, k, cosine, radius, half_width, travel, wheel_filter)
    if best[5] < 0:
        return False, -SEARCH, vec3.negate(direction), centre, np.int64(NO_SURFACE)
    way = -best[0] / cosine
    normal = vec3.add_scaled(vec3.add_scaled(frame[2], frame[1], -slope_x), axle, -slope_s)
    normal = vec3.scale(normal, 1.0 / math.sqrt(1.0 + slope_x * slope_x + slope_s * slope_s))
    middle = rim_support(vec3.add_scaled(centre, direction, way), axle, normal, radius, 0.0)
    point = vec3.add_scaled(middle, normal, -half_width * abs(vec3.dot(normal, axle)))
    return True, travel - way, normal, point, best[5]
