"""The wheel as a true cylinder, swept along its suspension until it rests on the ground.

    hit, jounce, normal, point, hit_code = sweep_wheel(
        ground, moving, centre, direction, axle, radius, half_width, travel, wheel_filter)

`centre` is the wheel's centre at full compression, `direction` (droop) and `axle` (to the right, steered) are unit
vectors, `moving` the bodies of `bodies.py` or None. jounce = travel - t, t being the wheel's displacement along
`direction` at first contact: more than `travel` where even the fully compressed wheel penetrates the ground (up to one
radius more), below 0 where the ground is out of reach, but less than SEARCH below the wheel at full droop.

Wheel frame: k = d.a, cos = sqrt(1 - k^2), u = (k a - d) / cos (up), f = u x a (forward); kappa = k / cos is the axial
displacement of the wheel per metre of droop. Contact search: `sweep_triangle.py`.

Contacts further forward or back than ARC are walls, not road, and so are those more than one radius above the
compressed wheel's lowest point: ceilings and bridges above are never taken for ground, and a wheel that starts inside
the ground is no special case.

The normal is the gradient of t over wheel positions: from the contact to the axle in the wheel's plane, plus the slope
of the contact along the axle. It varies continuously over kerbs and crests, equals the face normal on smooth ground,
and a force along it does exactly the work stored in the spring. Where a wheel rests on both edges of a gap the two
normals are blended over a height difference of BLEND; otherwise rounding would make a parked wheel jump between them.

Limits: the wheel is rigid. Lateral contacts (a wall next to the wheel) are not road.
"""

import math
from typing import Any

import numpy as np

from driving_sandbox.physics.ground.arrays import NO_SURFACE
from driving_sandbox.physics.ground.sweep_ground import highest_contact, swept_box
from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.physics.maths import vec3

# Fraction of the radius, sine of 60 degrees: kerbs up to half a radius are climbed, higher ones are walls
ARC = math.sqrt(0.75)
LOWEST_ARC = 0.5  # fraction of the radius, distance of the wheel's circumference below the axle at ARC
SEARCH = 0.1  # m below full droop that are searched too: predicts a landing at 20 m/s one tick ahead
STEEPEST = math.sqrt(3.0)  # tangent of 60 degrees, limit of the lateral part of a normal that a spring can act along
SQUARE = 1e-9  # |cosine| of the angle between axle and direction below which it counts as a right angle
BLEND = 1e-4  # m, height difference of two edges up to which their normals are blended
OPPOSITE = 2.0  # a second edge is only searched for if x^2 / R of the first contact exceeds this times BLEND


@inline_kernel
def wheel_frame(centre: Any, direction: Any, axle: Any) -> Any:
    """((centre, f, u, a), k, cos) of a wheel: its frame, d.a and the cosine, as defined in the module's docstring."""
    k = vec3.dot(direction, axle)
    if abs(k) < SQUARE:
        up = vec3.negate(direction)
        return (centre, vec3.cross(up, axle), up, axle), 0.0, 1.0
    cosine = math.sqrt(1.0 - k * k)
    up = vec3.scale(vec3.add_scaled(vec3.scale(axle, k), direction, -1.0), 1.0 / cosine)
    return (centre, vec3.cross(up, axle), up, axle), k, cosine


@inline_kernel
def side_slope(contact: Any) -> float:
    """Rise of the wheel per metre that it moves along its axle (`rise` in `sweep_triangle.py`), limited to STEEPEST."""
    return min(max(contact[4], -STEEPEST), STEEPEST)


@inline_kernel
def find_contact(ground: Any, moving: Any, frame: Any, k: float, cosine: float, radius: float, half_width: float,
                 travel: float, wheel_filter: int) -> Any:  # fmt: skip
    """(highest, (x, h, slope)); `highest` (Y, x, s, h, rise, on_face, surface) is that of `sweep_ground.py`.

    Without contact its surface is NO_SURFACE. The axle is -x along f and h along u from the contact, m; slope: rise of
    the contact per metre along a. Both are blended on two edges. The normal has the direction (-x, h, -slope h).
    """
    arc, kappa = ARC * radius, k / cosine
    reach = (travel + SEARCH) * cosine
    lift = radius * cosine
    top, bottom, slide = lift - LOWEST_ARC * radius, -reach - radius, abs(kappa) * max(reach, lift)
    low, high, skew = swept_box(frame, radius, half_width, arc, top, bottom, slide)
    limits = (lift, low, high, skew)
    highest = (-reach, 0.0, 0.0, 0.0, 0.0, 0, np.int64(NO_SURFACE))
    floor, x_low, x_high = -reach, -arc, arc
    x, h, slope = 0.0, radius, 0.0
    for search in range(2):
        start = (floor, 0.0, 0.0, 0.0, 0.0, 0, np.int64(NO_SURFACE))
        size = (radius, half_width, x_low, x_high, kappa)
        candidate = highest_contact(ground, moving, frame, size, limits, start, wheel_filter)
        if candidate[6] < 0:
            break
        if search == 1:
            if candidate[0] <= highest[0]:  # a higher one is part of a wall that the first search ignored
                weight = 0.5 * (1.0 - min(1.0, (highest[0] - candidate[0]) / BLEND))
                slope_x, slope_other = x / h, candidate[1] / candidate[3]
                slope_x += (slope_other - slope_x) * weight
                slope += (side_slope(candidate) - slope) * weight
                h = radius / math.sqrt(1.0 + slope_x * slope_x)
                x = slope_x * h
            break
        highest, slope = candidate, side_slope(candidate)
        x, h = candidate[1], candidate[3]
        if candidate[5] == 1 or candidate[1] * candidate[1] < OPPOSITE * BLEND * radius:
            break
        # the wheel rests on an edge: search for a second one on the other side of the axle
        nearest_x = math.sqrt(OPPOSITE * BLEND * radius)
        x_low, x_high = (-arc, -nearest_x) if candidate[1] > 0.0 else (nearest_x, arc)
        floor = candidate[0] - BLEND
    return highest, (x, h, slope)


@inline_kernel
def sweep_contact(
    ground: Any, moving: Any, centre: Any, direction: Any, axle: Any, radius: float, half_width: float, travel: float,
    wheel_filter: int,
) -> Any:  # fmt: skip
    """Results of `sweep_wheel`, then the wheel's extent from its centre along the normal in m, and 1 on a face, else 0.

    "On a face": the contact is inside a triangle, not on one of its edges.
    """
    frame, k, cosine = wheel_frame(centre, direction, axle)
    contact, (x, h, slope) = find_contact(
        ground, moving, frame, k, cosine, radius, half_width, travel, wheel_filter
    )  # fmt: skip
    if contact[6] < 0:
        return False, -SEARCH, vec3.negate(direction), centre, np.int64(NO_SURFACE), 0.0, 0
    clearance = -contact[0] / cosine
    _, f, u, _ = frame
    tilt = slope * h
    size = 1.0 / math.sqrt(radius * radius + tilt * tilt)
    rim = vec3.add_scaled(vec3.scale(u, h), f, -x)  # from the contact's position in the wheel's plane to the axle
    normal = vec3.scale(vec3.add_scaled(rim, axle, -tilt), size)
    edge = half_width * abs(tilt) * size
    point = vec3.sub(vec3.add_scaled(vec3.add_scaled(centre, direction, clearance), normal, -edge), rim)
    return True, travel - clearance, normal, point, contact[6], radius * radius * size + edge, contact[5]


@inline_kernel
def sweep_wheel(
    ground: Any, moving: Any, centre: Any, direction: Any, axle: Any, radius: float, half_width: float, travel: float,
    wheel_filter: int,
) -> Any:  # fmt: skip
    """(hit, jounce, normal, point, hit code), see the module's docstring.

    point: on the ground under the middle of the tread, continuous when the tread lies flat.
    hit code: the surface plus BODY_STEP for each moving body up to the one that was hit.
    """
    hit, jounce, normal, point, hit_code, _, _ = sweep_contact(
        ground, moving, centre, direction, axle, radius, half_width, travel, wheel_filter
    )
    return hit, jounce, normal, point, hit_code
