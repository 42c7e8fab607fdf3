"""Contact generation between hull and ground triangles, once per tick: vertices of the hull against faces.

Triangles are transformed into body axes, in which everything is computed. A hull vertex whose projection lies inside a
triangle gives a contact with the *face* normal, so that internal edges of flat ground cause no ghost collisions. Edges
of the ground against faces of the hull are in `edges.py`, which also handles edges against edges.

Contacts may be speculative (separation > 0): the solver then only limits the approach to closing the gap, which stops a
hull at 100 m/s from tunnelling through a one-sided sheet.

Arguments of the kernels: hull: HULL (physics/shape/hull.py); local: LOCAL, state: CONTACT_STATE, scratch: SCRATCH
(records.py); ground: GroundArrays; m: matrix of the body's orientation.
"""

from typing import Any

import numpy as np

from driving_sandbox.physics.contact.edges import edge_contacts
from driving_sandbox.physics.contact.frame import to_body, to_world
from driving_sandbox.physics.contact.records import TRIANGLE_CAPACITY
from driving_sandbox.physics.contact.reduction import offer, reduce_candidates
from driving_sandbox.physics.ground.arrays import (
    CELL,
    EDGE_CONCAVE,
    EDGE_FLAGS,
    EDGE_NORMALS,
    HEIGHTFIELD,
    INVERSE_CELL,
    NORMAL,
    ORIGIN_X,
    ORIGIN_Y,
    OUT_FEATURE,
    OUT_SURFACE,
    TERRAIN_KIND,
    TERRAIN_TRIANGLES,
    VERTICES,
)
from driving_sandbox.physics.ground.ground import nearby_triangles
from driving_sandbox.physics.ground.mesh import nearby_meshes
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import quat
from driving_sandbox.physics.maths.vec3 import cross, dot, length, load, store, sub

UPRIGHT = 0.5  # cosine of the largest tilt of the body (60 degrees) at which `stands_clear` is tried
MARGIN = 0.02  # m; added to the travel of a tick, for acceleration within it
INSIDE_TOLERANCE = 1e-6  # share of the hull's radius; vertices on the edge between two triangles belong to both
CONCAVE_TOLERANCE = 0.02  # m; faces extend beyond a concave edge by this: else a vertex could pass between them


@kernel
def swept_box(
    hull: Any, m: Any, position: Any, velocity: Any, slack: float, dt: float
) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """World box (low, high) that contains the hull throughout the tick, m. slack: distance added on every side, m."""
    centre = to_world(
        m,
        (
            0.5 * (hull.low[0] + hull.high[0]),
            0.5 * (hull.low[1] + hull.high[1]),
            0.5 * (hull.low[2] + hull.high[2]),
        ),
    )
    ex, ey, ez = (
        0.5 * (hull.high[0] - hull.low[0]),
        0.5 * (hull.high[1] - hull.low[1]),
        0.5 * (hull.high[2] - hull.low[2]),
    )
    hx = abs(m[0][0]) * ex + abs(m[0][1]) * ey + abs(m[0][2]) * ez + slack
    hy = abs(m[1][0]) * ex + abs(m[1][1]) * ey + abs(m[1][2]) * ez + slack
    hz = abs(m[2][0]) * ex + abs(m[2][1]) * ey + abs(m[2][2]) * ez + slack
    x, y, z = position[0] + centre[0], position[1] + centre[1], position[2] + centre[2]
    dx, dy, dz = velocity[0] * dt, velocity[1] * dt, velocity[2] * dt
    low = (x - hx + min(dx, 0.0), y - hy + min(dy, 0.0), z - hz + min(dz, 0.0))
    high = (x + hx + max(dx, 0.0), y + hy + max(dy, 0.0), z + hz + max(dz, 0.0))
    return low, high


@kernel
def stands_clear(
    hull: Any, ground: Any, m: Any, position: Any, velocity: Any, slack: float, low: Any, high: Any, dt: float
) -> bool:
    """True if a plane along the hull's underside separates it from the heightfield throughout the tick.

    If all vertices of the heightfield within low..high lie below the underside, in body axes, so do its triangles. This
    is the usual case of a car on its wheels; the test takes about two nanoseconds per vertex.
    """
    if ground.terrain[TERRAIN_KIND] != HEIGHTFIELD or m[2][2] < UPRIGHT:
        return False
    up = (m[0][2], m[1][2], m[2][2])
    limit = hull.low[2] - slack - max(0.0, -dot(up, velocity)) * dt + dot(up, position)
    inverse, ox, oy = ground.terrain[INVERSE_CELL], ground.terrain[ORIGIN_X], ground.terrain[ORIGIN_Y]
    cell = ground.terrain[CELL]
    rows, columns = ground.heights.shape
    i0, i1 = max(0, int((low[0] - ox) * inverse)), min(columns - 1, int((high[0] - ox) * inverse) + 1)
    j0, j1 = max(0, int((low[1] - oy) * inverse)), min(rows - 1, int((high[1] - oy) * inverse) + 1)
    for j in range(j0, j1 + 1):
        row_limit = limit - up[1] * (oy + j * cell) - up[0] * ox
        for i in range(i0, i1 + 1):
            if up[2] * ground.heights[j, i] > row_limit - up[0] * cell * i:
                return False
    return True


@kernel
def load_triangle(
    hull: Any, row: Any, ids: Any, terrain_triangles: int, m: Any, position: Any, slack: float, local: Any
) -> bool:
    """Write a triangle into `local` in body axes; False if the hull's box cannot reach its plane within the tick."""
    normal = to_body(m, (row[NORMAL], row[NORMAL + 1], row[NORMAL + 2]))
    vertex = to_body(m, (row[VERTICES] - position[0], row[VERTICES + 1] - position[1], row[VERTICES + 2] - position[2]))
    smallest_distance = 0.0
    for k in range(3):
        smallest_distance += normal[k] * ((hull.low[k] if normal[k] > 0.0 else hull.high[k]) - vertex[k])
    local.reach = slack + max(0.0, -dot(normal, load(local.velocity))) * local.dt
    if smallest_distance > local.reach:
        return False
    store(local.normal, normal)
    store(local.vertices[0], vertex)
    for k in range(3):
        if k > 0:
            column = VERTICES + 3 * k
            vertex = (row[column] - position[0], row[column + 1] - position[1], row[column + 2] - position[2])
            store(local.vertices[k], to_body(m, vertex))
        column = EDGE_NORMALS + 3 * k
        local.edge_flags[k] = row[EDGE_FLAGS + k]
        store(local.edge_normals[k], to_body(m, (row[column], row[column + 1], row[column + 2])))
    local.feature = ids[OUT_FEATURE]
    local.surface = ids[OUT_SURFACE]
    local.gated = 0 if ids[OUT_FEATURE] < terrain_triangles else 1  # 1: a mesh triangle (see reduction.py)
    return True


@kernel
def outside_part_box(hull: Any, part: int, local: Any) -> bool:
    """True if the triangle and a part of the hull are farther apart than the margin along a body axis."""
    v, margin = local.vertices, local.margin
    for axis in range(3):
        a, b, c = v[0, axis], v[1, axis], v[2, axis]
        if min(a, min(b, c)) > hull.part_high[part, axis] + margin:
            return True
        if max(a, max(b, c)) < hull.part_low[part, axis] - margin:
            return True
    return False


@kernel
def projects_inside(local: Any, p: Any, normal: Any, tolerance: Any) -> bool:
    """True if the projection of p on the triangle's plane lies inside, or within `tolerance` (m) of its edges."""
    for k in range(3):
        a, b = load(local.vertices[k]), load(local.vertices[(k + 1) % 3])
        inward = cross(normal, sub(b, a))
        reach = CONCAVE_TOLERANCE if local.edge_flags[k] == EDGE_CONCAVE else tolerance
        if dot(inward, sub(p, a)) < -reach * length(inward):
            return False
    return True


@kernel
def vertex_contacts(hull: Any, part: int, local: Any, state: Any, scratch: Any) -> bool:
    """Offer contacts of the part's vertices with the local triangle.

    Returns whether the triangle's edges need testing: the part may reach its plane, and is not wholly behind it.
    """
    normal = load(local.normal)
    plane_distance = dot(normal, load(local.vertices[0]))
    first = hull.vertex_start[part]
    count = hull.vertex_start[part + 1] - first
    lowest, highest = np.inf, -np.inf
    for i in range(count):
        distance = dot(normal, load(hull.vertices[first + i])) - plane_distance
        local.distances[i] = distance
        lowest, highest = min(lowest, distance), max(highest, distance)
    if lowest > local.reach or (highest < 0.0 and local.gated == 1):  # out of reach, or wholly behind a mesh triangle
        return False
    tolerance = INSIDE_TOLERANCE * hull.radius
    for i in range(count):
        distance = local.distances[i]
        if distance > local.reach:
            continue
        p = load(hull.vertices[first + i])
        if projects_inside(local, p, normal, tolerance):
            offer(scratch.candidates, local, state, first + i, p, normal, distance)
    return highest >= 0.0


@kernel
def near_triangles(ground: Any, low: Any, high: Any, meshes_only: Any, scratch: Any, first: int) -> int:
    """Fill scratch.triangles with triangles near the box low..high; returns how many.

    first: smallest OUT_FEATURE wanted. If the result is TRIANGLE_CAPACITY there may be more: call again with a higher
    `first`.
    """
    if meshes_only:
        return nearby_meshes(ground, low, high, scratch.triangles, scratch.triangle_ids, 0, TRIANGLE_CAPACITY, first)
    return nearby_triangles(ground, low, high, scratch.triangles, scratch.triangle_ids, TRIANGLE_CAPACITY, first)


@kernel
def generate_hull_contacts(hull: Any, body: Any, ground: Any, state: Any, scratch: Any, dt: float) -> None:
    """Find the contacts of this tick of length dt; persistent contacts keep their impulses.

    Reads body.position, orientation, velocity, angular_velocity; writes state.contact_count, state.contacts.
    """
    if hull.part_count == 0:
        state.contact_count = 0
        return
    position, velocity = load(body.position), load(body.velocity)
    spin = load(body.angular_velocity)
    m = quat.to_matrix(quat.load(body.orientation))
    slack = MARGIN + length(spin) * hull.radius * dt
    low, high = swept_box(hull, m, position, velocity, slack, dt)
    meshes_only = stands_clear(hull, ground, m, position, velocity, slack, low, high, dt)
    count = near_triangles(ground, low, high, meshes_only, scratch, 0)
    if count == 0:
        state.contact_count = 0
        return
    local = scratch.local
    local.dt = dt
    local.margin = slack + length(velocity) * dt
    store(local.velocity, to_body(m, velocity))
    store(local.angular_velocity, to_body(m, spin))
    local.candidate_count = 0
    for i in range(state.contact_count):
        store(local.old_normals[i], to_body(m, load(state.contacts[i].normal)))
    terrain_triangles = np.int64(ground.terrain[TERRAIN_TRIANGLES])
    while count > 0:
        for k in range(count):
            row, ids = scratch.triangles[k], scratch.triangle_ids[k]
            if not load_triangle(hull, row, ids, terrain_triangles, m, position, slack, local):
                continue
            for part in range(hull.part_count):
                local.up, local.material = hull.part_up[part], hull.part_material[part]
                if not outside_part_box(hull, part, local) and vertex_contacts(hull, part, local, state, scratch):
                    edge_contacts(hull, part, local, state, scratch.candidates)
        if count < TRIANGLE_CAPACITY:
            break
        last = scratch.triangle_ids[count - 1, OUT_FEATURE]
        count = near_triangles(ground, low, high, meshes_only, scratch, last + 1)
    reduce_candidates(hull, ground, m, position, local.candidate_count, state, scratch.candidates)
