"""Closest points of two convex parts.

Separate parts: Gilbert, Johnson and Keerthi's search for the point of the Minkowski difference A - B nearest to the
origin (IEEE J. Robotics and Automation 4, 1988), with the regions of a triangle after Ericson, "Real-Time Collision
Detection" (2005), 5.1.5. Overlapping parts: the face of either part with the smallest overlap (separating axes, faces
only). As contact keeps hulls `pair_contacts.SKIN` apart, overlap is the exception.
"""

import math
from typing import Any

import numpy as np

from driving_sandbox.physics.contact.pair_records import Vector
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths.vec3 import add_scaled, cross, dot, load, scale, store, sub

MAX_STEPS = 40  # of the search; parts of 32 vertices take 4 to 12
PRECISION = 1e-10  # fraction of the squared distance; the search ends when it cannot get nearer by more than this
TOUCHING = 1e-12  # m^2, squared distance below which parts count as overlapping: their normal would be rounding error
FACES = ((0, 1, 2, 3), (0, 2, 3, 1), (0, 3, 1, 2), (1, 3, 2, 0))  # vertices of a tetrahedron's face, opposite vertex
ZERO = (0.0, 0.0, 0.0)


@kernel
def support(vertices: np.ndarray, first: int, last: int, direction: Vector) -> int:
    """Index of the vertex farthest in a direction; of several equally far ones the first."""
    furthest, largest_projection = first, -math.inf
    for i in range(first, last):
        projection = direction[0] * vertices[i, 0] + direction[1] * vertices[i, 1] + direction[2] * vertices[i, 2]
        if projection > largest_projection:
            furthest, largest_projection = i, projection
    return furthest


@kernel
def segment_weights(a: Vector, b: Vector) -> tuple[float, float]:
    """Weights of the vertices a, b in the point of a segment nearest to the origin."""
    ab = sub(b, a)
    t = min(max(-dot(a, ab) / dot(ab, ab), 0.0), 1.0)
    return (1.0 - t, t)


@kernel
def triangle_weights(a: Vector, b: Vector, c: Vector) -> Vector:
    """Weights of the vertices a, b, c in the point of a triangle nearest to the origin."""
    ab, ac = sub(b, a), sub(c, a)
    a1, a2 = -dot(ab, a), -dot(ac, a)
    if a1 <= 0.0 and a2 <= 0.0:
        return (1.0, 0.0, 0.0)
    b1, b2 = -dot(ab, b), -dot(ac, b)
    if b1 >= 0.0 and b2 <= b1:
        return (0.0, 1.0, 0.0)
    c1, c2 = -dot(ab, c), -dot(ac, c)
    if c2 >= 0.0 and c1 <= c2:
        return (0.0, 0.0, 1.0)
    wc = a1 * b2 - b1 * a2
    if wc <= 0.0 and a1 >= 0.0 and b1 <= 0.0:
        return (-b1 / (a1 - b1), a1 / (a1 - b1), 0.0)
    wb = c1 * a2 - a1 * c2
    if wb <= 0.0 and a2 >= 0.0 and c2 <= 0.0:
        return (-c2 / (a2 - c2), 0.0, a2 / (a2 - c2))
    wa = b1 * c2 - c1 * b2
    if wa <= 0.0 and b2 >= b1 and c1 >= c2:
        sum_bc = (b2 - b1) + (c1 - c2)
        return (0.0, (c1 - c2) / sum_bc, (b2 - b1) / sum_bc)
    inverse_sum = 1.0 / (wa + wb + wc)
    return (wa * inverse_sum, wb * inverse_sum, wc * inverse_sum)


@kernel
def separates_origin(a: Vector, b: Vector, c: Vector, d: Vector) -> bool:
    """True if the plane of triangle abc separates the origin from d, or contains one of them."""
    normal = cross(sub(b, a), sub(c, a))
    return -dot(a, normal) * dot(sub(d, a), normal) <= 0.0


@kernel
def tetrahedron_weights(s: Any) -> bool:
    """Write the weights of the point of a tetrahedral SIMPLEX nearest to the origin; False if the origin is inside."""
    p, smallest_square = s.points, math.inf
    for k in range(4):
        i, j, m, opposite = FACES[k]
        a, b, c = load(p[i]), load(p[j]), load(p[m])
        if not separates_origin(a, b, c, load(p[opposite])):
            continue
        weights = triangle_weights(a, b, c)
        x = add_scaled(add_scaled(scale(a, weights[0]), b, weights[1]), c, weights[2])
        if dot(x, x) < smallest_square:
            smallest_square = dot(x, x)
            s.weights[i], s.weights[j], s.weights[m], s.weights[opposite] = weights[0], weights[1], weights[2], 0.0
    return smallest_square < math.inf


@kernel
def weigh(s: Any) -> bool:
    """Write the weights of the point of a SIMPLEX nearest to the origin; False if the origin is inside."""
    p = s.points
    if s.count == 4:
        return tetrahedron_weights(s)
    if s.count == 3:
        s.weights[0], s.weights[1], s.weights[2] = triangle_weights(load(p[0]), load(p[1]), load(p[2]))
    elif s.count == 2:
        s.weights[0], s.weights[1] = segment_weights(load(p[0]), load(p[1]))
    else:
        s.weights[0] = 1.0
    return True


@kernel
def reduce_simplex(s: Any) -> Vector:
    """Remove vertices of weight 0; returns the point nearest to the origin."""
    count, x = 0, ZERO
    for k in range(s.count):
        if s.weights[k] > 0.0:
            x = add_scaled(x, load(s.points[k]), s.weights[k])
            store(s.points[count], load(s.points[k]))
            s.a[count], s.b[count], s.weights[count] = s.a[k], s.b[k], s.weights[k]
            count += 1
    s.count = count
    return x


@kernel
def witness(s: Any, vertices: np.ndarray, numbers: np.ndarray) -> Vector:
    """Closest point of one part: weighted sum of its vertices in the simplex. numbers: their indices, s.a or s.b."""
    x = ZERO
    for k in range(s.count):
        x = add_scaled(x, load(vertices[numbers[k]]), s.weights[k])
    return x


@kernel
def in_simplex(s: Any, point: Vector) -> bool:
    """True if a point is a vertex of the simplex already."""
    for k in range(s.count):
        offset = sub(point, load(s.points[k]))
        if dot(offset, offset) < TOUCHING * TOUCHING:  # 1e-12 m apart: rounding
            return True
    return False


@kernel
def closest_points(
    va: np.ndarray, first_a: int, last_a: int, vb: np.ndarray, first_b: int, last_b: int, reach: float, s: Any
) -> tuple[float, Vector, Vector, Vector]:
    """(distance, normal from a to b, point of a, point of b) of two parts.

    va, first_a, last_a: array of vertices, and the range of its rows that is part a.
    vb, first_b, last_b: the same for part b.
    reach: largest distance of interest, m.
    s: SIMPLEX, scratch.
    The distance is 0 for overlapping parts and infinity for parts farther apart than `reach`. In both cases the normal
    is zero and the points are those that the search reached last.
    """
    s.count = 1
    s.a[0], s.b[0], s.weights[0] = first_a, first_b, 1.0
    x = sub(load(va[first_a]), load(vb[first_b]))
    store(s.points[0], x)
    pa, pb = load(va[first_a]), load(vb[first_b])
    for _ in range(MAX_STEPS):
        square = dot(x, x)
        if square < TOUCHING:
            return 0.0, ZERO, pa, pb
        i, j = support(va, first_a, last_a, scale(x, -1.0)), support(vb, first_b, last_b, x)
        point = sub(load(va[i]), load(vb[j]))
        projection = dot(x, point)
        if projection > 0.0 and projection * projection > reach * reach * square:
            return math.inf, ZERO, pa, pb
        if square - projection <= PRECISION * square or in_simplex(s, point):
            break
        store(s.points[s.count], point)
        s.a[s.count], s.b[s.count] = i, j
        s.count += 1
        if not weigh(s):
            return 0.0, ZERO, pa, pb
        nearer = reduce_simplex(s)
        if not dot(nearer, nearer) < square:
            break
        x, pa, pb = nearer, witness(s, va, s.a), witness(s, vb, s.b)
    distance = math.sqrt(dot(x, x))
    return distance, scale(x, -1.0 / distance), pa, pb


@kernel
def smallest_overlap(
    planes: np.ndarray, first_plane: int, last_plane: int, vertices: np.ndarray, first: int, last: int
) -> tuple[float, Vector]:
    """(separation, normal) of the face of a part from which another part is farthest, or behind which it is least deep.

    The separation is in m, negative for overlap.
    vertices, first, last: array of vertices, and the range of its rows that is the other part.
    """
    largest_gap, normal = -math.inf, ZERO
    for k in range(first_plane, last_plane):
        n = (planes[k, 0], planes[k, 1], planes[k, 2])
        i = support(vertices, first, last, scale(n, -1.0))
        gap = dot(n, load(vertices[i])) - planes[k, 3]
        if gap > largest_gap:
            largest_gap, normal = gap, n
    return largest_gap, normal
