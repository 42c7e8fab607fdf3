"""Where two vehicles touch, or may touch within a tick.

Hulls are convex parts (physics/shape/hull.py), bodywork and wheels at full compression. Bounding spheres and boxes,
grown by what the bodies may travel within the tick, leave the parts that may meet. For these the closest points give
the normal; if both parts have a face across it, the face of one is cut by the sides of the other, and up to four
corners of what is left carry the load.

Contact begins at a gap of SKIN, so that parts stay apart and their normal well defined. A gap that could close within
the tick is a contact, too: nothing passes through in one tick, however fast it is.

Limits: a pair deeper in each other than INSIDE was put there, and passes through until it has parted. A hull does not
deform.
"""

import math
from typing import Any

import numpy as np

from driving_sandbox.physics.contact.frame import tangents
from driving_sandbox.physics.contact.pair_distance import closest_points, least_depth
from driving_sandbox.physics.contact.pair_records import CONTACT_CAPACITY, POLYGON_CAPACITY, Vector
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import quat
from driving_sandbox.physics.maths.vec3 import (
    add,
    add_scaled,
    cross,
    dot,
    length,
    load,
    scale,
    store,
    sub,
    transform,
    transform_back,
)

SKIN = 0.002  # m; gap at which hulls touch
SLACK = 0.005  # m; travel in a tick by acceleration, 0.5 a dt^2 of 60 g
INSIDE = 0.3  # m; deeper than any collision drives two hulls
FRICTION = 0.4  # of steel on steel, times the factors of both vehicles and materials; 0.3 to 0.6 in accident research
ACROSS = 0.9  # least cosine between the normal of contact and that of a face that carries it
ON_PLANE = 3e-4  # of the part's size; vertices nearer to a face's plane belong to it (hull.FACE_OFFSET is 1e-4)
POINTS = 4  # most contacts of two parts
SAME_POINT = 1e-4  # m^2; contacts closer together are one


@kernel
def near_pairs(bodies: np.ndarray, dt: float, pairs: np.ndarray) -> int:
    """Write the pairs of bodies whose spheres and boxes may meet within a tick; returns how many. Marks them `near`."""
    count, most = 0, pairs.shape[0]
    for i in range(len(bodies)):
        bodies[i].near = 0
    for i in range(len(bodies)):
        a = bodies[i]
        for j in range(i + 1, len(bodies)):
            b = bodies[j]
            if a.train == b.train or count == most:
                continue
            apart, reach = sub(load(b.position), load(a.position)), reach_of(a, b, dt)
            spheres = a.radius + b.radius + reach
            if dot(apart, apart) < spheres * spheres and not hulls_apart(a, b, reach):
                pairs[count, 0], pairs[count, 1] = i, j
                a.near, b.near = 1, 1
                count += 1
    return count


@kernel
def hulls_apart(a: Any, b: Any, reach: float) -> bool:
    """True if an axis of either body separates the boxes of both hulls by more than `reach`."""
    ma, mb = quat.to_matrix(quat.load(a.orientation)), quat.to_matrix(quat.load(b.orientation))
    half_a, half_b = scale(sub(load(a.high), load(a.low)), 0.5), scale(sub(load(b.high), load(b.low)), 0.5)
    middle_a = transform(ma, scale(add(load(a.high), load(a.low)), 0.5))
    middle_b = transform(mb, scale(add(load(b.high), load(b.low)), 0.5))
    apart = sub(add(load(b.position), middle_b), add(load(a.position), middle_a))
    for k in range(6):
        axis = (ma[0][k], ma[1][k], ma[2][k]) if k < 3 else (mb[0][k - 3], mb[1][k - 3], mb[2][k - 3])
        if abs(dot(apart, axis)) > thickness(ma, half_a, axis) + thickness(mb, half_b, axis) + reach:
            return True
    return False


@kernel
def thickness(m: Any, half: Vector, axis: Vector) -> float:
    """Half extent of a turned box along an axis."""
    along = transform_back(m, axis)
    return abs(along[0]) * half[0] + abs(along[1]) * half[1] + abs(along[2]) * half[2]


@kernel
def reach_of(a: Any, b: Any, dt: float) -> float:
    """Largest gap of two bodies that may close within a tick, m."""
    turning = length(load(a.angular_velocity)) * a.radius + length(load(b.angular_velocity)) * b.radius
    return SKIN + SLACK + dt * (turning + length(sub(load(a.velocity), load(b.velocity))))


@kernel
def pose_shape(hulls: np.ndarray, bodies: np.ndarray, shapes: np.ndarray, i: int) -> None:
    """Write the parts of the hull of a body, an array of one, in the world."""
    hull, body, shape = hulls[0], bodies[i], shapes[i]
    m, position = quat.to_matrix(quat.load(body.orientation)), load(body.position)
    for part in range(hull.part_count):
        low, high = shape.low[part], shape.high[part]
        for k in range(3):
            low[k], high[k] = math.inf, -math.inf
        for i in range(hull.vertex_start[part], hull.vertex_start[part + 1]):
            x = add(position, transform(m, load(hull.vertices[i])))
            store(shape.vertices[i], x)
            for k in range(3):
                low[k], high[k] = min(low[k], x[k]), max(high[k], x[k])
        for i in range(hull.plane_start[part], hull.plane_start[part + 1]):
            n = transform(m, load(hull.planes[i]))
            store(shape.planes[i], n)
            shape.planes[i, 3] = hull.planes[i, 3] + dot(n, position)


@kernel
def boxes_apart(shape_a: Any, p: int, shape_b: Any, q: int, reach: float) -> bool:
    for k in range(3):
        if shape_a.low[p, k] > shape_b.high[q, k] + reach or shape_b.low[q, k] > shape_a.high[p, k] + reach:
            return True
    return False


@kernel
def pair_contacts(
    bodies: np.ndarray,
    shapes: np.ndarray,
    i: int,
    j: int,
    hulls_a: np.ndarray,
    hulls_b: np.ndarray,
    dt: float,
    contacts: np.ndarray,
    count: int,
    scratches: np.ndarray,
) -> int:
    """Add the contacts of two bodies, their hulls arrays of one; returns the new count."""
    hull_a, hull_b, shape_a, shape_b, scratch = hulls_a[0], hulls_b[0], shapes[i], shapes[j], scratches[0]
    reach, first, deepest = reach_of(bodies[i], bodies[j], dt), count, 0.0
    for p in range(hull_a.part_count):
        for q in range(hull_b.part_count):
            if boxes_apart(shape_a, p, shape_b, q, reach):
                continue
            found, depth = part_contacts(hull_a, shape_a, p, hull_b, shape_b, q, reach, contacts, count, scratch)
            deepest = min(deepest, depth)
            for k in range(count, found):
                contacts[k].a, contacts[k].b = i, j
                set_materials(contacts[k], hull_a, hull_a.part_material[p], hull_b, hull_b.part_material[q], scratch)
            count = found
    return first if deepest < -INSIDE else count


@kernel
def set_materials(c: Any, hull_a: Any, p: int, hull_b: Any, q: int, scratch: Any) -> None:
    """Friction and restitution of a contact between parts of two materials."""
    one, two = scratch.materials[p], scratch.materials[q]
    c.friction = FRICTION * hull_a.friction * one[0] * hull_b.friction * two[0]
    c.restitution = max(max(hull_a.restitution, one[1]), max(hull_b.restitution, two[1]))


@kernel
def part_contacts(
    hull_a: Any,
    shape_a: Any,
    p: int,
    hull_b: Any,
    shape_b: Any,
    q: int,
    reach: float,
    contacts: np.ndarray,
    count: int,
    scratch: Any,
) -> tuple[int, float]:
    """Add the contacts of two parts; (new count, gap)."""
    va, vb = shape_a.vertices, shape_b.vertices
    a0, a1, b0, b1 = (
        hull_a.vertex_start[p],
        hull_a.vertex_start[p + 1],
        hull_b.vertex_start[q],
        hull_b.vertex_start[q + 1],
    )
    gap, normal, pa, pb = closest_points(va, a0, a1, vb, b0, b1, reach, scratch.simplex)
    if gap > reach:
        return count, 0.0
    closest = 1
    if gap == 0.0:
        gap, normal = least_depth(shape_a.planes, hull_a.plane_start[p], hull_a.plane_start[p + 1], vb, b0, b1)
        other, n = least_depth(shape_b.planes, hull_b.plane_start[q], hull_b.plane_start[q + 1], va, a0, a1)
        if other > gap:
            gap, normal = other, scale(n, -1.0)
        closest = 0
    scratch.gaps[0] = gap
    store(scratch.points[0], scale(add(pa, pb), 0.5))
    found = face_points(hull_a, shape_a, p, hull_b, shape_b, q, normal, reach, closest, scratch)
    if found == 0:  # edges within each other
        found = 1
    return choose(found, normal, contacts, count, scratch), gap


@kernel
def face_across(planes: np.ndarray, first: int, last: int, normal: Vector) -> tuple[int, float]:
    """(number, cosine) of the face of a part that looks along a normal most."""
    found, best = first, -math.inf
    for k in range(first, last):
        cosine = dot(load(planes[k]), normal)
        if cosine > best:
            found, best = k, cosine
    return found, best


@kernel
def face_points(
    hull_a: Any,
    shape_a: Any,
    p: int,
    hull_b: Any,
    shape_b: Any,
    q: int,
    normal: Vector,
    reach: float,
    count: int,
    scratch: Any,
) -> int:
    """Add the corners of the common face of two parts, from candidate `count` on; returns the new count."""
    ka, along_a = face_across(shape_a.planes, hull_a.plane_start[p], hull_a.plane_start[p + 1], normal)
    kb, along_b = face_across(shape_b.planes, hull_b.plane_start[q], hull_b.plane_start[q + 1], scale(normal, -1.0))
    if max(along_a, along_b) < ACROSS:
        return count
    if along_a >= along_b:
        plane, side, cosine = shape_a.planes[ka], 1.0, along_a
        corners = face_corners(hull_a, shape_a, p, ka, scratch.reference, scratch.angles)
        cut = face_corners(hull_b, shape_b, q, kb, scratch.cut, scratch.angles)
    else:
        plane, side, cosine = shape_b.planes[kb], -1.0, along_b
        corners = face_corners(hull_b, shape_b, q, kb, scratch.reference, scratch.angles)
        cut = face_corners(hull_a, shape_a, p, ka, scratch.cut, scratch.angles)
    if corners < 3:
        return count
    n = load(plane)
    cut = cut_polygon(scratch, corners, cut, n)
    for k in range(cut):
        x = load(scratch.cut[k])
        gap = (dot(n, x) - plane[3]) / cosine
        if gap <= reach and count < POLYGON_CAPACITY:
            store(scratch.points[count], add_scaled(x, normal, -0.5 * side * gap))
            scratch.gaps[count] = gap
            count += 1
    return count


@kernel
def face_corners(hull: Any, shape: Any, part: int, plane: int, out: np.ndarray, angles: np.ndarray) -> int:
    """Write the vertices on a plane of a part, counter-clockwise from outside; returns how many."""
    n, level = load(shape.planes[plane]), shape.planes[plane, 3]
    near = level - ON_PLANE * length(sub(load(shape.high[part]), load(shape.low[part])))
    count, middle = 0, (0.0, 0.0, 0.0)
    for i in range(hull.vertex_start[part], hull.vertex_start[part + 1]):
        x = load(shape.vertices[i])
        if dot(n, x) > near:
            store(out[count], x)
            middle = add(middle, x)
            count += 1
    if count < 3:
        return count
    middle = scale(middle, 1.0 / count)
    t1, t2 = tangents(n)
    for k in range(count):
        away = sub(load(out[k]), middle)
        u, v = dot(t1, away), dot(t2, away)
        turn = v / max(abs(u) + abs(v), 1e-12)  # grows with the angle from t1 as far as a quarter
        angles[k] = turn if u >= 0.0 else 2.0 - turn
        if u >= 0.0 and v < 0.0:
            angles[k] = 4.0 + turn
    sort_by_angle(out, angles, count)
    return count


@kernel
def sort_by_angle(points: np.ndarray, angles: np.ndarray, count: int) -> None:
    for k in range(1, count):
        x, angle, i = load(points[k]), angles[k], k
        while i > 0 and angles[i - 1] > angle:
            store(points[i], load(points[i - 1]))
            angles[i] = angles[i - 1]
            i -= 1
        store(points[i], x)
        angles[i] = angle


@kernel
def cut_polygon(scratch: Any, corners: int, count: int, n: Vector) -> int:
    """Cut the polygon `cut` by the sides of the polygon `reference` with normal n; returns how many corners are
    left (Sutherland and Hodgman, 1974)."""
    for k in range(corners):
        a = load(scratch.reference[k])
        b = load(scratch.reference[k + 1 if k + 1 < corners else 0])
        inward, kept = cross(n, sub(b, a)), 0
        for i in range(count):
            x = load(scratch.cut[i])
            y = load(scratch.cut[i + 1 if i + 1 < count else 0])
            dx, dy = dot(inward, sub(x, a)), dot(inward, sub(y, a))
            if dx >= 0.0 and kept < POLYGON_CAPACITY:
                store(scratch.spare[kept], x)
                kept += 1
            if (dx < 0.0) != (dy < 0.0) and kept < POLYGON_CAPACITY:
                store(scratch.spare[kept], add_scaled(x, sub(y, x), dx / (dx - dy)))
                kept += 1
        for i in range(kept):
            store(scratch.cut[i], load(scratch.spare[i]))
        count = kept
    return count


@kernel
def choose(found: int, normal: Vector, contacts: np.ndarray, count: int, scratch: Any) -> int:
    """Add up to POINTS of the candidates: the closest, then each the farthest from those chosen; returns the new
    count."""
    nearest = 0
    for k in range(found):
        scratch.spread[k] = math.inf
        if scratch.gaps[k] < scratch.gaps[nearest]:
            nearest = k
    t1, t2 = tangents(normal)
    for _ in range(POINTS):
        if count == CONTACT_CAPACITY or scratch.spread[nearest] < SAME_POINT:
            break
        c, x = contacts[count], load(scratch.points[nearest])
        store(c.point, x)
        c.gap = scratch.gaps[nearest]
        store(c.directions[0], normal)
        store(c.directions[1], t1)
        store(c.directions[2], t2)
        count += 1
        nearest = 0
        for k in range(found):
            apart = sub(load(scratch.points[k]), x)
            scratch.spread[k] = min(scratch.spread[k], dot(apart, apart))
            if scratch.spread[k] > scratch.spread[nearest]:
                nearest = k
    return count
