"""Contacts of convex edges of the ground with faces of the hull.

For each edge and each part of the hull:

1. The edge is clipped by the part's faces, moved out by the margin; what remains is near the part.
2. The separating face is, among those opposed to the edge, the one from which the nearer end of the segment is
   farthest.
3. The edge is clipped once more by the other faces.
4. The default contact normal is minus the face normal, without its component along the edge, clamped to the range
   between the normals of the two triangles that meet at the edge: a hull on a crest is supported by the crest, not by a
   slope that it does not touch.

The end of the segment that lies deepest behind the face determines the normal. Where the ground's edge itself ends, the
normal is minus the face's. Where the ground's edge leaves the face across an edge of the hull, the two edges may cross:
then the normal is perpendicular to both, clamped as in 4. With the default normal, edges that slide past each other
would penetrate by centimetres, and the push-out would add energy. The other end gets the same normal.

An edge without a second triangle (the border of a sheet) counts as convex, with the outward direction as its second
normal.

Arguments of the kernels: hull: HULL (physics/shape/hull.py); part: index of one of its parts; local: LOCAL, state:
CONTACT_STATE, candidates: array of CANDIDATE (records.py).
"""

from typing import Any

from driving_sandbox.physics.contact.records import EDGE_FEATURE, NO_FEATURE
from driving_sandbox.physics.contact.reduction import offer
from driving_sandbox.physics.ground.arrays import EDGE_CONVEX, EDGE_OPEN
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths.vec3 import add, add_scaled, cross, dot, length, load, negate, normalize, scale, sub
from driving_sandbox.physics.shape.hull import PART_CAPACITY

# A face with normal n is opposed to an edge between triangles with normals n1 and n2 if -n . (n1 + n2) is larger;
# |n1 + n2| is 1.41 at a right angle. Also the limit of -n . (contact normal) for a contact at the other end.
FACING = 0.3
SIDE_REACH = 0.005  # m; an edge this far beside a face still touches it
PARALLEL = 0.02  # sine of the angle below which two edges or two faces count as parallel, and edges do not cross
SHORT = 0.1  # m; shorter segments of an edge touch at one point


@kernel
def clip_edge(hull: Any, part: int, start: Any, step: Any, reach: float, spared: Any) -> tuple[float, float, int, int]:
    """Segment of the line start + t step, 0 <= t <= 1, within a part whose faces are moved out by `reach`.

    reach: m.
    spared: index of a face that does not clip, or NO_FEATURE.
    Returns (t0, t1, face that clipped at t0, face that clipped at t1); the face is NO_FEATURE at t = 0 and t = 1, and
    t0 > t1 if nothing is left.
    """
    t0, t1 = 0.0, 1.0
    f0, f1 = NO_FEATURE, NO_FEATURE
    for f in range(hull.plane_start[part], hull.plane_start[part + 1]):
        if f == spared:
            continue
        n = (hull.planes[f, 0], hull.planes[f, 1], hull.planes[f, 2])
        distance = dot(n, start) - hull.planes[f, 3] - reach
        slope = dot(n, step)
        if slope == 0.0:
            if distance > 0.0:
                return 1.0, 0.0, f0, f1
            continue
        t = -distance / slope
        if slope > 0.0 and t < t1:
            t1, f1 = t, f
        elif slope < 0.0 and t > t0:
            t0, f0 = t, f
        if t0 > t1:
            return 1.0, 0.0, f0, f1
    return t0, t1, f0, f1


@kernel
def facing_plane(hull: Any, part: int, a: Any, b: Any, outward: Any) -> int:
    """Index of the separating face of a part for the segment a-b, or NO_FEATURE. outward: n1 + n2 of the edge."""
    face, largest_distance = NO_FEATURE, -1e30
    for f in range(hull.plane_start[part], hull.plane_start[part + 1]):
        n = (hull.planes[f, 0], hull.planes[f, 1], hull.planes[f, 2])
        if -dot(n, outward) <= FACING:
            continue
        distance = min(dot(n, a), dot(n, b)) - hull.planes[f, 3]
        if distance > largest_distance:
            face, largest_distance = f, distance
    return face


@kernel
def clamped_to_cone(n: Any, n1: Any, n2: Any) -> Any:
    """n, perpendicular to an edge, clamped to the range between the normals n1, n2 of the edge's two triangles."""
    rotation = cross(n1, n2)
    if dot(cross(n1, n), rotation) >= 0.0 and dot(cross(n, n2), rotation) >= 0.0:
        return n
    return n1 if dot(n1, n) >= dot(n2, n) else n2


@kernel
def face_normal(nf: Any, direction: Any, n1: Any, n2: Any) -> Any:
    """Default contact normal of an edge (`direction`) and a face (normal `nf`), in body axes."""
    perpendicular = add_scaled(negate(nf), direction, dot(nf, direction))
    norm = length(perpendicular)
    if norm < 1e-9:  # the face is perpendicular to the edge: any direction between n1 and n2 is valid
        return normalize(add(n1, n2))
    return clamped_to_cone(scale(perpendicular, 1.0 / norm), n1, n2)


@kernel
def crossing(
    hull: Any, part: int, f: int, g: int, x: Any, direction: Any, n1: Any, n2: Any
) -> tuple[bool, tuple[float, float, float], Any]:
    """(whether they cross, anchor, normal) of a ground edge through x and the hull's edge between faces f and g.

    They do not cross if they are nearly parallel, if the direction perpendicular to both is not between the normals of
    f and g, or if the line where the planes of f and g meet is outside the part there.

    direction: that of the ground edge, unit.
    n1, n2: normals of its two triangles.
    """
    zero = (0.0, 0.0, 0.0)
    nf = (hull.planes[f, 0], hull.planes[f, 1], hull.planes[f, 2])
    ng = (hull.planes[g, 0], hull.planes[g, 1], hull.planes[g, 2])
    edge = cross(nf, ng)
    normal = cross(edge, direction)
    norm, sine = length(normal), length(edge)
    if sine < PARALLEL or norm < PARALLEL * sine:
        return False, zero, zero
    normal = scale(normal, (1.0 if dot(normal, nf) + dot(normal, ng) > 0.0 else -1.0) / norm)
    if dot(cross(nf, normal), edge) < 0.0 or dot(cross(normal, ng), edge) < 0.0:
        return False, zero, zero
    cosine = dot(nf, ng)
    df, dg = hull.planes[f, 3] - dot(nf, x), hull.planes[g, 3] - dot(ng, x)
    along_f, along_g = (df - cosine * dg) / (sine * sine), (dg - cosine * df) / (sine * sine)
    foot = add_scaled(add_scaled(x, nf, along_f), ng, along_g)  # projection of x on the line where the faces meet
    # The hull's edge meets the plane through the ground edge along `normal` at the anchor
    plane_normal = cross(direction, normal)
    anchor = add_scaled(foot, edge, -dot(plane_normal, sub(foot, x)) / dot(plane_normal, edge))
    for k in range(hull.plane_start[part], hull.plane_start[part + 1]):
        n = (hull.planes[k, 0], hull.planes[k, 1], hull.planes[k, 2])
        if dot(n, anchor) > hull.planes[k, 3] + SIDE_REACH:
            return False, zero, zero
    return True, anchor, clamped_to_cone(negate(normal), n1, n2)


@kernel
def offer_segment(
    hull: Any, part: int, f: int, g: int, deep: Any, other: Any, direction: Any, n1: Any, n2: Any, local: Any,
    state: Any, candidates: Any, feature: int, far_feature: int,
) -> None:  # fmt: skip
    """Offer the contacts of a segment of a ground edge with face f of the hull.

    deep: end that lies deepest behind the face, where face g clipped it (NO_FEATURE: an end of the ground's edge).
    other: the other end; it gets the same normal, and is offered if it is far enough away to give support.
    direction, n1, n2: unit vector of the edge, and the normals of its two triangles.
    feature, far_feature: features of the contacts at the two ends.
    """
    nf = (hull.planes[f, 0], hull.planes[f, 1], hull.planes[f, 2])
    plane_distance = hull.planes[f, 3]
    is_crossing, anchor, normal = False, deep, negate(nf)  # an end of the ground's edge against the face
    if g != NO_FEATURE:
        is_crossing, anchor, normal = crossing(hull, part, f, g, deep, direction, n1, n2)
    if not is_crossing:
        if g != NO_FEATURE:
            normal = face_normal(nf, direction, n1, n2)
        anchor = add_scaled(deep, nf, plane_distance - dot(nf, deep))
    if is_crossing or local.near == 1:
        offer(candidates, local, state, feature, anchor, normal, dot(normal, sub(anchor, deep)))
    offset = sub(other, deep)
    cosine = dot(nf, normal)
    if local.near == 1 and dot(offset, offset) >= SHORT * SHORT and cosine < -FACING:
        separation = (plane_distance - dot(nf, other)) / cosine
        offer(candidates, local, state, far_feature, add_scaled(other, normal, separation), normal, separation)


@kernel
def edge_contacts(hull: Any, part: int, local: Any, state: Any, candidates: Any) -> None:
    """Offer contacts of the local triangle's convex edges with the faces of one part."""
    n1 = load(local.normal)
    for k in range(3):
        flag = local.edge_flags[k]
        if flag != EDGE_CONVEX and flag != EDGE_OPEN:
            continue
        start = load(local.vertices[k])
        step = sub(load(local.vertices[(k + 1) % 3]), start)
        t0, t1, _, _ = clip_edge(hull, part, start, step, local.margin, NO_FEATURE)
        if t0 > t1:
            continue
        n2 = load(local.edge_normals[k])
        a, b = add_scaled(start, step, t0), add_scaled(start, step, t1)
        f = facing_plane(hull, part, a, b, add(n1, n2))
        if f == NO_FEATURE:
            continue
        local.near = 1
        t0, t1, g0, g1 = clip_edge(hull, part, start, step, SIDE_REACH, f)
        if t0 > t1:  # it passes beside the face: it can only cross an edge of the hull, coming nearer within the tick
            local.near = 0
            t0, t1, g0, g1 = clip_edge(hull, part, start, step, local.margin, f)
            if t0 > t1:
                continue
        direction = normalize(step)
        a, b = add_scaled(start, step, t0), add_scaled(start, step, t1)
        # triangle, edge (3 each), end (2 each) and part as one number
        start_feature = EDGE_FEATURE + ((local.feature * 3 + k) * 2) * PART_CAPACITY + part
        end_feature = start_feature + PART_CAPACITY
        nf = (hull.planes[f, 0], hull.planes[f, 1], hull.planes[f, 2])
        if dot(nf, step) > 0.0:
            offer_segment(
                hull, part, f, g0, a, b, direction, n1, n2, local, state, candidates, start_feature, end_feature
            )
        else:
            offer_segment(
                hull, part, f, g1, b, a, direction, n1, n2, local, state, candidates, end_feature, start_feature
            )
