"""Contact generation between two vehicles: where they touch, or may touch within a tick.

Hulls are sets of convex parts (physics/shape/hull.py): bodywork, and wheels at full compression.

1. Bounding spheres and boxes, grown by the travel possible within the tick, exclude most pairs of bodies and parts.
2. For the rest, the closest points of two parts give the normal.
3. If a part has a face whose normal is nearly parallel to this one, the facing face of the other part is clipped to the
   sides of that face. Up to four points, among the clipped face's vertices and the midpoint of the closest points,
   become contacts; without such a face only the midpoint does.

Contact begins at a gap of SKIN, so that parts stay apart and their normal is well defined. A gap that could close
within the tick is a contact, too: nothing passes through in one tick, however fast it is.

Limits: bodies that overlap by more than MAX_OVERLAP must have been placed like that; they do not touch until they
overlap by less. Hulls do not deform.

Arguments of the kernels: hull: HULL (physics/shape/hull.py); bodies: array of BODY, shapes: array of SHAPE, contacts:
array of CONTACT, c: one of these, scratch: PAIR_SCRATCH (pair_records.py); p, q: indices of parts of hulls a and b.
"""

import math
from typing import Any

import numpy as np

from driving_sandbox.physics.contact.frame import tangents
from driving_sandbox.physics.contact.pair_distance import closest_points, smallest_overlap
from driving_sandbox.physics.contact.pair_records import POLYGON_CAPACITY, Vector
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

SKIN = 0.002  # m; gap at which contact between hulls begins
SLACK = 0.005  # m; travel by acceleration within a tick: a dt^2 / 2 at 60 g and 240 ticks per second
MAX_OVERLAP = 0.3  # m; more than any collision makes two hulls overlap
FRICTION = 0.4  # steel on steel, 0.3 to 0.6 in accident research; factors of both vehicles and materials multiply it
MIN_FACE_COSINE = 0.9  # of the angle between the contact normal and a face's, for the face's vertices to be contacts
ON_PLANE = 3e-4  # of the part's diagonal; vertices closer to a face's plane belong to it (hull.FACE_OFFSET is 1e-4)
MAX_POINTS = 4  # largest number of contacts of two parts
SAME_POINT = 1e-4  # m^2, squared distance below which two contacts count as one


@kernel
def near_pairs(bodies: np.ndarray, dt: float, margin: float, droop: float, pairs: np.ndarray) -> int:
    """Write the pairs of bodies whose spheres and boxes may meet within a tick, and mark these bodies `near`.

    Args:
        dt: length of the tick, s.
        margin: added to the gap that may close, m.
        droop: distance by which the boxes reach farther down, m; 0: those of the hulls.
        pairs: int64[capacity, 2], written; further pairs are ignored.
    Returns:
        The number of pairs.
    """
    count, capacity = 0, pairs.shape[0]
    for i in range(len(bodies)):
        bodies[i].near = 0
    for i in range(len(bodies)):
        a = bodies[i]
        for j in range(i + 1, len(bodies)):
            b = bodies[j]
            if a.train == b.train or count == capacity:
                continue
            offset, reach = sub(load(b.position), load(a.position)), reach_of(a, b, dt) + margin
            distance = a.radius + b.radius + reach + droop
            if dot(offset, offset) < distance * distance and not hulls_apart(a, b, reach, droop):
                pairs[count, 0], pairs[count, 1] = i, j
                a.near, b.near = 1, 1
                count += 1
    return count


@kernel
def hulls_apart(a: Any, b: Any, reach: float, droop: float) -> bool:
    """True if an axis of either body separates the boxes of both hulls by more than `reach`, m.

    droop: distance by which the boxes reach farther down, m.
    """
    ma, mb = quat.to_matrix(quat.load(a.orientation)), quat.to_matrix(quat.load(b.orientation))
    low_a, low_b = sub(load(a.low), (0.0, 0.0, droop)), sub(load(b.low), (0.0, 0.0, droop))
    half_a, half_b = scale(sub(load(a.high), low_a), 0.5), scale(sub(load(b.high), low_b), 0.5)
    centre_a = transform(ma, scale(add(load(a.high), low_a), 0.5))
    centre_b = transform(mb, scale(add(load(b.high), low_b), 0.5))
    offset = sub(add(load(b.position), centre_b), add(load(a.position), centre_a))
    for k in range(6):
        axis = (ma[0][k], ma[1][k], ma[2][k]) if k < 3 else (mb[0][k - 3], mb[1][k - 3], mb[2][k - 3])
        if abs(dot(offset, axis)) > half_extent(ma, half_a, axis) + half_extent(mb, half_b, axis) + reach:
            return True
    return False


@kernel
def half_extent(m: Any, half: Vector, axis: Vector) -> float:
    """Half the extent of a rotated box along an axis, m.

    m: matrix of its orientation.
    half: its half sizes, m.
    """
    local_axis = transform_back(m, axis)
    return abs(local_axis[0]) * half[0] + abs(local_axis[1]) * half[1] + abs(local_axis[2]) * half[2]


@kernel
def reach_of(a: Any, b: Any, dt: float) -> float:
    """Largest gap between two bodies that may close to SKIN within a tick, m."""
    turning = length(load(a.angular_velocity)) * a.radius + length(load(b.angular_velocity)) * b.radius
    return SKIN + SLACK + dt * (turning + length(sub(load(a.velocity), load(b.velocity))))


@kernel
def pose_shape(hulls: np.ndarray, bodies: np.ndarray, shapes: np.ndarray, i: int) -> None:
    """Write the SHAPE of body i, the convex parts of its hull in world axes. hulls: that hull, a length-1 array."""
    hull, body, shape = hulls[0], bodies[i], shapes[i]
    m, position = quat.to_matrix(quat.load(body.orientation)), load(body.position)
    for part in range(hull.part_count):
        low, high = shape.low[part], shape.high[part]
        for k in range(3):
            low[k], high[k] = math.inf, -math.inf
        for v in range(hull.vertex_start[part], hull.vertex_start[part + 1]):
            x = add(position, transform(m, load(hull.vertices[v])))
            store(shape.vertices[v], x)
            for k in range(3):
                low[k], high[k] = min(low[k], x[k]), max(high[k], x[k])
        for f in range(hull.plane_start[part], hull.plane_start[part + 1]):
            n = transform(m, load(hull.planes[f]))
            store(shape.planes[f], n)
            shape.planes[f, 3] = hull.planes[f, 3] + dot(n, position)


@kernel
def boxes_apart(shape_a: Any, p: int, shape_b: Any, q: int, reach: float) -> bool:
    """True if the world boxes of part p of a and part q of b are farther apart than `reach`, m."""
    for k in range(3):
        if shape_a.low[p, k] > shape_b.high[q, k] + reach or shape_b.low[q, k] > shape_a.high[p, k] + reach:
            return True
    return False


@kernel
def pair_contacts(
    bodies: np.ndarray, shapes: np.ndarray, i: int, j: int, hulls_a: np.ndarray, hulls_b: np.ndarray, dt: float,
    contacts: np.ndarray, count: int, scratches: np.ndarray,
) -> int:  # fmt: skip
    """Add the contacts of bodies i and j to the `count` contacts so far; returns the new count.

    None are added if any two parts overlap by more than MAX_OVERLAP.
    hulls_a, hulls_b, scratches: length-1 arrays.
    """
    hull_a, hull_b, shape_a, shape_b, scratch = hulls_a[0], hulls_b[0], shapes[i], shapes[j], scratches[0]
    reach, first, smallest_gap = reach_of(bodies[i], bodies[j], dt), count, 0.0
    for p in range(hull_a.part_count):
        for q in range(hull_b.part_count):
            if boxes_apart(shape_a, p, shape_b, q, reach):
                continue
            end, part_gap = part_contacts(hull_a, shape_a, p, hull_b, shape_b, q, reach, contacts, count, scratch)
            smallest_gap = min(smallest_gap, part_gap)
            for k in range(count, end):
                contacts[k].a, contacts[k].b = i, j
                set_materials(contacts[k], hull_a, hull_a.part_material[p], hull_b, hull_b.part_material[q], scratch)
            count = end
    return first if smallest_gap < -MAX_OVERLAP else count


@kernel
def set_materials(c: Any, hull_a: Any, index_a: int, hull_b: Any, index_b: int, scratch: Any) -> None:
    """Write friction and restitution of a contact; index_a, index_b: of the hull materials of the parts of a and b."""
    material_a, material_b = scratch.materials[index_a], scratch.materials[index_b]
    c.friction = FRICTION * hull_a.friction * material_a[0] * hull_b.friction * material_b[0]
    c.restitution = max(max(hull_a.restitution, material_a[1]), max(hull_b.restitution, material_b[1]))


@kernel
def part_contacts(
    hull_a: Any, shape_a: Any, p: int, hull_b: Any, shape_b: Any, q: int, reach: float, contacts: np.ndarray,
    count: int, scratch: Any,
) -> tuple[int, float]:  # fmt: skip
    """Add the contacts of part p of a and part q of b; returns (new count, gap in m, 0 if out of reach)."""
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
    closest_count = 1  # candidates so far: the midpoint of the closest points
    if gap == 0.0:  # overlapping parts have no closest points
        gap, normal = smallest_overlap(shape_a.planes, hull_a.plane_start[p], hull_a.plane_start[p + 1], vb, b0, b1)
        gap_b, normal_b = smallest_overlap(shape_b.planes, hull_b.plane_start[q], hull_b.plane_start[q + 1], va, a0, a1)
        if gap_b > gap:
            gap, normal = gap_b, scale(normal_b, -1.0)
        closest_count = 0
    scratch.gaps[0] = gap
    store(scratch.points[0], scale(add(pa, pb), 0.5))
    candidate_count = face_points(hull_a, shape_a, p, hull_b, shape_b, q, normal, reach, closest_count, scratch)
    if candidate_count == 0:  # overlapping edges: the midpoint of the two points that the search found last
        candidate_count = 1
    return choose_contacts(candidate_count, normal, contacts, count, scratch), gap


@kernel
def facing_face(planes: np.ndarray, first: int, last: int, normal: Vector) -> tuple[int, float]:
    """(index, cosine of the angle) of the face of a part whose normal is closest to a direction."""
    face, largest_cosine = first, -math.inf
    for k in range(first, last):
        cosine = dot(load(planes[k]), normal)
        if cosine > largest_cosine:
            face, largest_cosine = k, cosine
    return face, largest_cosine


@kernel
def face_points(
    hull_a: Any, shape_a: Any, p: int, hull_b: Any, shape_b: Any, q: int, normal: Vector, reach: float, count: int,
    scratch: Any,
) -> int:  # fmt: skip
    """Add the vertices of the common area of two facing faces to the `count` candidates; returns the new count."""
    ka, cosine_a = facing_face(shape_a.planes, hull_a.plane_start[p], hull_a.plane_start[p + 1], normal)
    kb, cosine_b = facing_face(shape_b.planes, hull_b.plane_start[q], hull_b.plane_start[q + 1], scale(normal, -1.0))
    if max(cosine_a, cosine_b) < MIN_FACE_COSINE:
        return count
    if cosine_a >= cosine_b:
        plane, side, cosine = shape_a.planes[ka], 1.0, cosine_a
        reference_count = face_vertices(hull_a, shape_a, p, ka, scratch.reference, scratch.angles)
        cut_count = face_vertices(hull_b, shape_b, q, kb, scratch.cut, scratch.angles)
    else:
        plane, side, cosine = shape_b.planes[kb], -1.0, cosine_b
        reference_count = face_vertices(hull_b, shape_b, q, kb, scratch.reference, scratch.angles)
        cut_count = face_vertices(hull_a, shape_a, p, ka, scratch.cut, scratch.angles)
    if reference_count < 3:
        return count
    n = load(plane)
    cut_count = cut_polygon(scratch, reference_count, cut_count, n)
    for k in range(cut_count):
        x = load(scratch.cut[k])
        gap = (dot(n, x) - plane[3]) / cosine
        if gap <= reach and count < POLYGON_CAPACITY:
            store(scratch.points[count], add_scaled(x, normal, -0.5 * side * gap))
            scratch.gaps[count] = gap
            count += 1
    return count


@kernel
def face_vertices(hull: Any, shape: Any, part: int, plane: int, out: np.ndarray, angles: np.ndarray) -> int:
    """Write the vertices of a face of a part, counter-clockwise seen from outside; returns their number.

    plane: index of the face.
    out: receives the vertices.
    angles: scratch.
    """
    n, level = load(shape.planes[plane]), shape.planes[plane, 3]
    min_level = level - ON_PLANE * length(sub(load(shape.high[part]), load(shape.low[part])))
    count, centre = 0, (0.0, 0.0, 0.0)
    for i in range(hull.vertex_start[part], hull.vertex_start[part + 1]):
        x = load(shape.vertices[i])
        if dot(n, x) > min_level:
            store(out[count], x)
            centre = add(centre, x)
            count += 1
    if count < 3:
        return count
    centre = scale(centre, 1.0 / count)
    t1, t2 = tangents(n)
    for k in range(count):
        away = sub(load(out[k]), centre)
        u, v = dot(t1, away), dot(t2, away)
        # 0 to 4, increasing with the angle from t1: for sorting, in place of an arctangent
        quarter = v / max(abs(u) + abs(v), 1e-12)
        angles[k] = quarter if u >= 0.0 else 2.0 - quarter
        if u >= 0.0 and v < 0.0:
            angles[k] = 4.0 + quarter
    sort_by_angle(out, angles, count)
    return count


@kernel
def sort_by_angle(points: np.ndarray, angles: np.ndarray, count: int) -> None:
    """Sort points and angles by increasing angle, in place (insertion sort)."""
    for k in range(1, count):
        x, angle, i = load(points[k]), angles[k], k
        while i > 0 and angles[i - 1] > angle:
            store(points[i], load(points[i - 1]))
            angles[i] = angles[i - 1]
            i -= 1
        store(points[i], x)
        angles[i] = angle


@kernel
def cut_polygon(scratch: Any, vertices: int, count: int, n: Vector) -> int:
    """Clip the polygon `scratch.cut` (of `count` vertices) to the sides of the polygon `scratch.reference`.

    vertices: number of vertices of the reference.
    n: normal of the reference.
    Returns the number of vertices left (Sutherland and Hodgman, 1974).
    """
    for k in range(vertices):
        a = load(scratch.reference[k])
        b = load(scratch.reference[k + 1 if k + 1 < vertices else 0])
        inward, count_inside = cross(n, sub(b, a)), 0
        for i in range(count):
            x = load(scratch.cut[i])
            y = load(scratch.cut[i + 1 if i + 1 < count else 0])
            dx, dy = dot(inward, sub(x, a)), dot(inward, sub(y, a))
            if dx >= 0.0 and count_inside < POLYGON_CAPACITY:
                store(scratch.spare[count_inside], x)
                count_inside += 1
            if (dx < 0.0) != (dy < 0.0) and count_inside < POLYGON_CAPACITY:
                store(scratch.spare[count_inside], add_scaled(x, sub(y, x), dx / (dx - dy)))
                count_inside += 1
        for i in range(count_inside):
            store(scratch.cut[i], load(scratch.spare[i]))
        count = count_inside
    return count


@kernel
def choose_contacts(candidate_count: int, normal: Vector, contacts: np.ndarray, count: int, scratch: Any) -> int:
    """Add up to MAX_POINTS of the first `candidate_count` candidates as contacts; returns the new count.

    First the one with the smallest gap, then in turn the one farthest from those chosen.
    """
    candidate = 0
    for k in range(candidate_count):
        scratch.spread[k] = math.inf
        if scratch.gaps[k] < scratch.gaps[candidate]:
            candidate = k
    t1, t2 = tangents(normal)
    for _ in range(MAX_POINTS):
        if count == len(contacts) or scratch.spread[candidate] < SAME_POINT:
            break
        c, x = contacts[count], load(scratch.points[candidate])
        store(c.point, x)
        c.gap = scratch.gaps[candidate]
        store(c.directions[0], normal)
        store(c.directions[1], t1)
        store(c.directions[2], t2)
        count += 1
        candidate = 0
        for k in range(candidate_count):
            offset = sub(load(scratch.points[k]), x)
            scratch.spread[k] = min(scratch.spread[k], dot(offset, offset))
            if scratch.spread[k] > scratch.spread[candidate]:
                candidate = k
    return count
