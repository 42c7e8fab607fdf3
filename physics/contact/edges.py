"""Convex edges of the ground against faces of the hull.

The edge is clipped by the hull's faces (moved out by the margin); what remains is near the hull. The face it would
leave through is the one with the largest *smaller* distance over both ends, among the faces that look against the
edge. Clipped once more by the other faces, the ends of what remains (or the middle, if short) touch that face. The
contact normal is minus the face normal, without its part along the edge, turned into the range between the normals of
the two triangles that meet at the edge: a hull on a crest is lifted by the crest, not by a slope it does not touch.

Where the ground's edge leaves that face over an edge of the hull, the two edges cross. If the normal that is square to
both looks out of the ground and into the hull, it is the contact: with the face's normal instead, edges that slide past
each other sink in by centimetres, and what lifts the hull out again is energy from nowhere.

An edge without a second triangle (the border of a sheet) counts as convex, with the outward direction as its second
normal.
"""

from physics.contact.records import NO_FEATURE
from physics.contact.reduction import offer
from physics.jit import kernel
from physics.road.layout import EDGE_CONVEX, EDGE_OPEN
from physics.vec3 import add, add_scaled, cross, dot, length, load, negate, normalize, scale, sub

FACING = 0.3  # faces turned away from the edge by more are not candidates; |n1 + n2| is 1.41 at a right angle
SIDE_REACH = 0.005  # m; an edge this far beside a face still touches it
PARALLEL = 0.02  # sine; edges nearer to parallel than this touch along a face
SHORT = 0.1  # m; shorter pieces of an edge touch at one point
EDGE_FEATURE = 1 << 62  # tells edge features from vertex features


@kernel
def clip_edge(hull, part, start, step, reach, spared):
    """Part of start + t step within all faces of the part moved out by reach, but for the spared one.

    Returns (t0, t1, face that cut at t0, face that cut at t1); no face is NO_FEATURE, nothing left is t0 > t1.
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
def facing_plane(hull, part, a, b, outward):
    """Face of the part that the segment a-b would leave through, or NO_FEATURE."""
    best, best_distance = NO_FEATURE, -1e30
    for f in range(hull.plane_start[part], hull.plane_start[part + 1]):
        n = (hull.planes[f, 0], hull.planes[f, 1], hull.planes[f, 2])
        if -dot(n, outward) <= FACING:
            continue
        distance = min(dot(n, a), dot(n, b)) - hull.planes[f, 3]
        if distance > best_distance:
            best, best_distance = f, distance
    return best


@kernel
def within_cone(n, n1, n2):
    """True if n, square to an edge, lies between the normals of the edge's two triangles."""
    turn = cross(n1, n2)
    return dot(cross(n1, n), turn) >= 0.0 and dot(cross(n, n2), turn) >= 0.0


@kernel
def edge_normal(face_normal, along, n1, n2):
    """Contact normal of an edge: against the face, square to the edge, between the normals of its two triangles."""
    back = negate(face_normal)
    square = add_scaled(back, along, -dot(back, along))
    size = length(square)
    if size < 1e-9:  # the face stands square to the edge: any direction of the cone will do
        return normalize(add(n1, n2))
    square = scale(square, 1.0 / size)
    if within_cone(square, n1, n2):
        return square
    return n1 if dot(n1, square) >= dot(n2, square) else n2


@kernel
def crossing(hull, part, f, g, x, along, n1, n2):
    """Crossing of a ground edge through x and the hull's edge between faces f and g: (found, anchor, normal).

    Not found if the normal square to both is no way out of the contact, or if f and g do not meet there.
    """
    none = (0.0, 0.0, 0.0)
    if g == NO_FEATURE:
        return False, none, none
    nf = (hull.planes[f, 0], hull.planes[f, 1], hull.planes[f, 2])
    ng = (hull.planes[g, 0], hull.planes[g, 1], hull.planes[g, 2])
    edge = cross(nf, ng)
    normal = cross(edge, along)
    size, sine = length(normal), length(edge)
    if size < PARALLEL * sine or sine < PARALLEL:
        return False, none, none
    normal = scale(normal, 1.0 / size)
    if dot(normal, nf) + dot(normal, ng) > 0.0:
        normal = negate(normal)
    inward = negate(normal)  # between the two faces' normals, if it leaves the hull over this edge
    if dot(cross(nf, inward), edge) < 0.0 or dot(cross(inward, ng), edge) < 0.0 or not within_cone(normal, n1, n2):
        return False, none, none
    cosine = dot(nf, ng)
    df, dg = hull.planes[f, 3] - dot(nf, x), hull.planes[g, 3] - dot(ng, x)
    scale_f, scale_g = (df - cosine * dg) / (sine * sine), (dg - cosine * df) / (sine * sine)
    foot = add_scaled(add_scaled(x, nf, scale_f), ng, scale_g)  # of x on the line where the faces meet
    away = sub(foot, x)
    flat = cross(along, normal)  # square to the ground's edge and the normal: the hull's edge must not miss it
    anchor = add_scaled(foot, edge, -dot(flat, away) / dot(flat, edge))
    for k in range(hull.plane_start[part], hull.plane_start[part + 1]):
        n = (hull.planes[k, 0], hull.planes[k, 1], hull.planes[k, 2])
        if dot(n, anchor) > hull.planes[k, 3] + SIDE_REACH:
            return False, none, none
    return True, anchor, normal


@kernel
def touch_edge(hull, part, f, g, local, state, candidates, x, n1, n2, along, feature):
    """Offer the contact of the ground point x on an edge with face f of the hull, or with its edge between f and g."""
    crossed, anchor, normal = crossing(hull, part, f, g, x, along, n1, n2)
    if not crossed:
        n = (hull.planes[f, 0], hull.planes[f, 1], hull.planes[f, 2])
        anchor = add_scaled(x, n, hull.planes[f, 3] - dot(n, x))
        normal = edge_normal(n, along, n1, n2)
    offer(candidates, local, state, feature, anchor, normal, dot(normal, sub(anchor, x)))


@kernel
def edge_contacts(hull, part, local, state, candidates):
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
        t0, t1, g0, g1 = clip_edge(hull, part, start, step, SIDE_REACH, f)
        if t0 > t1:
            continue
        span = length(step)
        along = scale(step, 1.0 / span)
        feature = EDGE_FEATURE + ((local.feature * 3 + k) * 2) * 4 + part
        if (t1 - t0) * span < SHORT and g0 == NO_FEATURE and g1 == NO_FEATURE:
            x = add_scaled(start, step, 0.5 * (t0 + t1))
            touch_edge(hull, part, f, NO_FEATURE, local, state, candidates, x, n1, n2, along, feature)
            continue
        x = add_scaled(start, step, t0)
        touch_edge(hull, part, f, g0, local, state, candidates, x, n1, n2, along, feature)
        x = add_scaled(start, step, t1)
        touch_edge(hull, part, f, g1, local, state, candidates, x, n1, n2, along, feature + 4)
