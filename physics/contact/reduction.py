"""Contact reduction: from the candidates of a tick to the contacts that are solved, at most twelve.

**Candidates.** A candidate is accepted only if its gap could close within about a tick. Mesh triangles have a back: a
vertex far behind a face of a post has entered through another face. So a *new* contact with a mesh that is deeper than
the motion of a tick explains is *gated*: it is used only if there are no other contacts. A hull that starts deep in a
mesh is thus still pushed out. Terrain has no back, so its faces are not gated; its edges are, as the hull may have come
over a crest from the side.

**Choice.** The deepest candidate is chosen, then repeatedly the one farthest from those chosen, by position and normal.
Contacts of the last tick have a bonus: otherwise equally good ones would alternate and lose their impulses. A contact
persists if its feature is the same and its normal similar; its impulses then warm-start the solver.

**Allowed depth.** A crest that a hull slides onto from the side is detected only once it has penetrated the hull. No
force has done work over that depth, so pushing the hull out would add energy: a new contact keeps its initial depth
(for a vertex up to ALLOWED_DEPTH plus the tick's motion) until it separates by itself. A hull that starts deeper is
pushed out by its vertex contacts. An edge that slides along another is detected at a new position in every tick: only
the penetration since the last tick at the old position is pushed out, not the difference between the positions.

Arguments of the kernels: candidates: array of CANDIDATE, c: one of these; local: LOCAL, state: CONTACT_STATE
(records.py); position, m: centre of mass and matrix of the body's orientation.
"""

from typing import Any

from driving_sandbox.physics.contact.frame import tangents, to_world
from driving_sandbox.physics.contact.records import CANDIDATE_CAPACITY, CONTACT_CAPACITY, EDGE_FEATURE, NO_FEATURE
from driving_sandbox.physics.ground.arrays import HULL_PAIR_SIZE, HULL_PAIRS, PAIR_FRICTION, PAIR_OWN, PAIR_RESTITUTION
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths.vec3 import add, add_scaled, cross, dot, length, load, scale, store, sub

KEEP_DISTANCE = 0.01  # m; candidates whose gap cannot close to this within KEEP_TICKS are rejected
KEEP_TICKS = 1.5  # ticks, at the present speeds of hull and feature; margin for acceleration
GATE_DEPTH = 0.05  # m; a new contact with a mesh or an edge deeper than this (plus the tick's motion) is gated
SAME_NORMAL = 0.98  # cosine above which two triangles under one vertex count as parallel
WARM_NORMAL = 0.9  # cosine above which a contact of the last tick persists
VERTEX_CONTACTS = 3  # most contacts of one vertex: in a corner three walls meet
NORMAL_WEIGHT = 1.0  # m^2; a difference of 60 degrees between normals counts as much as a metre
REDUNDANT = 1e-6  # m^2, squared distance by position and normal below which a contact is redundant
NEAR_ANCHOR = 0.02  # m, within which a contact with a new feature continues one of the last tick
ALLOWED_DEPTH = 0.05  # m; a greater initial depth (beyond the tick's motion) is pushed out
WARM_BONUS = 2.0  # factor on the spread of persistent contacts

# Values of CANDIDATE.spread
CHOSEN = -1.0  # becomes a contact
DROPPED = -2.0  # gated, and there are candidates that are not
FAR = 1e30  # m^2, before any is chosen


@kernel
def touched(state: Any, local: Any, feature: int, normal: Any) -> int:
    """1 if the feature was in contact in the last tick with a similar normal, else 0.

    The normal matters: a vertex that slides from the top of a block to its side has a new contact there.
    """
    for i in range(state.contact_count):
        if state.contacts[i].feature == feature and dot(load(local.old_normals[i]), normal) > WARM_NORMAL:
            return 1
    return 0


@kernel
def index_for(candidates: Any, local: Any, feature: int, normal: Any, separation: float) -> int:
    """Index at which to write a candidate, or -1 to drop it.

    Of candidates with the same feature and parallel normals only the one nearest to the surface is kept; of those with
    the same feature and other normals at most VERTEX_CONTACTS. If the list is full, a new candidate replaces the one
    with the largest gap if its own is smaller.
    """
    same_feature_count, widest_index = 0, 0
    farthest_index, largest_distance = 0, -1.0
    for i in range(local.candidate_count):
        c = candidates[i]
        if c.separation > candidates[widest_index].separation:
            widest_index = i
        if c.feature == feature:
            same_feature_count += 1
            if abs(c.separation) > largest_distance:
                farthest_index, largest_distance = i, abs(c.separation)
            if dot(load(c.normal), normal) > SAME_NORMAL:
                return i if abs(separation) < abs(c.separation) else -1
    if same_feature_count >= VERTEX_CONTACTS:
        return farthest_index if abs(separation) < largest_distance else -1
    if local.candidate_count < CANDIDATE_CAPACITY:
        local.candidate_count += 1
        return local.candidate_count - 1
    return widest_index if separation < candidates[widest_index].separation else -1


@kernel
def offer(candidates: Any, local: Any, state: Any, feature: int, anchor: Any, normal: Any, separation: float) -> None:
    """Add a candidate contact with the local triangle, if it could touch within the tick.

    feature, anchor, normal, separation: as in CANDIDATE.
    """
    if normal[2] > local.up:  # too level for this part: wheels collide with steep surfaces only
        return
    approach_speed, spin = -dot(normal, load(local.velocity)), cross(load(local.angular_velocity), anchor)
    closing = KEEP_TICKS * local.dt * max(0.0, approach_speed - dot(spin, normal))
    # an impact elsewhere on the hull may turn its approach and its whole rotation towards this feature
    if separation >= KEEP_DISTANCE + KEEP_TICKS * local.dt * (max(0.0, approach_speed) + length(spin)):
        return
    deep = (local.gated == 1 or feature >= EDGE_FEATURE) and separation < -(GATE_DEPTH + closing)
    index = index_for(candidates, local, feature, normal, separation)
    if index < 0:
        return
    c = candidates[index]
    c.feature = feature
    store(c.anchor, anchor)
    store(c.normal, normal)
    c.separation = separation
    c.surface = local.surface
    c.material = local.material
    c.lasting = touched(state, local, feature, normal)
    c.gated = 1 if deep and c.lasting == 0 else 0
    c.spread = 0.0
    keeps_depth = feature >= EDGE_FEATURE or separation > -(ALLOWED_DEPTH + closing)
    c.allowed = max(0.0, -separation) if keeps_depth else 0.0


@kernel
def choose_candidates(candidates: Any, count: int) -> None:
    """Mark up to CONTACT_CAPACITY candidates as CHOSEN: the deepest, then in turn the one farthest from these."""
    index = -1
    for i in range(count):
        c = candidates[i]
        if c.spread != DROPPED and (index < 0 or c.separation < candidates[index].separation):
            index = i
    for _ in range(CONTACT_CAPACITY):
        if index < 0:
            return
        p = candidates[index]
        p.spread = CHOSEN
        anchor, normal = load(p.anchor), load(p.normal)
        largest_score, index = -1.0, -1
        for i in range(count):
            c = candidates[i]
            if c.spread < 0.0:
                continue
            d, n = sub(load(c.anchor), anchor), sub(load(c.normal), normal)
            c.spread = min(c.spread, dot(d, d) + NORMAL_WEIGHT * dot(n, n))
            score = c.spread * WARM_BONUS if c.lasting == 1 else c.spread
            if c.spread > REDUNDANT and score > largest_score:
                largest_score, index = score, i


@kernel
def predecessor(c: Any, normal: Any, near: Any, state: Any) -> int:
    """Index of the contact of the last tick that a candidate continues, or -1.

    normal: of the candidate, world axes.
    near: whether a contact with another feature at the same position counts, too.
    """
    nearest_index, nearest = -1, NEAR_ANCHOR * NEAR_ANCHOR
    for i in range(state.contact_count):
        old = state.contacts[i]
        if old.feature == NO_FEATURE or dot(load(old.normal), normal) <= WARM_NORMAL:
            continue
        if old.feature == c.feature:
            return i
        offset = sub(load(old.anchor), load(c.anchor))
        if near and dot(offset, offset) < nearest:
            nearest_index, nearest = i, dot(offset, offset)
    return nearest_index


@kernel
def take_over(c: Any, normal: Any, old: Any) -> None:
    """Give a candidate the impulses of a contact of the last tick; friction is projected on its own tangents.

    normal: of the candidate, world axes.
    Marks the old contact as taken over: its feature becomes NO_FEATURE.
    """
    old_1, old_2 = tangents(load(old.normal))
    friction_impulse = add_scaled(scale(old_1, old.tangent_impulse[0]), old_2, old.tangent_impulse[1])
    t1, t2 = tangents(normal)
    c.normal_impulse = old.normal_impulse
    c.tangent_impulse[0] = dot(friction_impulse, t1)
    c.tangent_impulse[1] = dot(friction_impulse, t2)
    old.feature = NO_FEATURE


@kernel
def kept_depth(c: Any, old: Any, position: Any, m: Any) -> float:
    """Allowed depth of a candidate that continues a contact of the last tick, m."""
    depth = max(0.0, -c.separation)
    if c.feature < EDGE_FEATURE:
        return min(old.allowed, depth)
    gap = dot(load(old.normal), add(position, to_world(m, load(old.anchor)))) + old.offset
    return min(depth, max(0.0, min(0.0, gap) - c.separation))


@kernel
def carry_over(candidates: Any, count: int, position: Any, m: Any, state: Any) -> None:
    """Give the chosen candidates the impulses and allowed depths of the contacts of the last tick that they continue.

    First those with the same feature, then those with a new feature at the same position: the edges that meet in a peak
    may alternate as features, and would let the hull sink a little each time.
    """
    for attempt in range(2):  # 0: contacts with the same feature, 1: contacts at the same position
        for i in range(count):
            c = candidates[i]
            if c.spread != CHOSEN or (attempt == 1 and c.lasting == 1):
                continue
            normal = to_world(m, load(c.normal))
            old_index = predecessor(c, normal, attempt == 1, state)
            if old_index >= 0:
                old = state.contacts[old_index]
                if attempt == 0 or dot(load(old.normal), normal) > SAME_NORMAL:
                    c.allowed = kept_depth(c, old, position, m)
                take_over(c, normal, old)
                c.lasting = 1
            elif attempt == 0:
                c.lasting = 0
                c.normal_impulse = 0.0
                c.tangent_impulse[0] = 0.0
                c.tangent_impulse[1] = 0.0


@kernel
def friction_and_restitution(hull: Any, surfaces: Any, surface: int, material: float) -> tuple[float, float]:
    """(friction, restitution) of bodywork of a material on a surface."""
    column = HULL_PAIRS + HULL_PAIR_SIZE * material
    min_restitution = surfaces[surface, column + PAIR_OWN] * hull.restitution
    return hull.friction * surfaces[surface, column + PAIR_FRICTION], max(
        min_restitution, surfaces[surface, column + PAIR_RESTITUTION]
    )


@kernel
def write_contact(contact: Any, c: Any, normal: Any, position: Any, m: Any, hull: Any, ground: Any) -> None:
    """Store a chosen candidate as a contact; its normal is already in world axes."""
    contact.feature = c.feature
    store(contact.anchor, load(c.anchor))
    store(contact.normal, normal)
    contact.allowed = c.allowed
    contact.offset = c.separation + c.allowed - dot(normal, add(position, to_world(m, load(c.anchor))))
    contact.friction, contact.restitution = friction_and_restitution(hull, ground.surfaces, c.surface, c.material)
    contact.normal_impulse = c.normal_impulse
    contact.tick_impulse = 0.0
    contact.tangent_impulse[0] = c.tangent_impulse[0]
    contact.tangent_impulse[1] = c.tangent_impulse[1]


@kernel
def reduce_candidates(hull: Any, ground: Any, m: Any, position: Any, count: int, state: Any, candidates: Any) -> None:
    """Reduce the candidates, and write those left into the state as the contacts of this tick."""
    any_plausible = False
    for i in range(count):
        any_plausible = any_plausible or candidates[i].gated == 0
    for i in range(count):
        c = candidates[i]
        c.spread = DROPPED if any_plausible and c.gated == 1 else FAR
    choose_candidates(candidates, count)
    carry_over(candidates, count, position, m, state)
    contact_count = 0
    for i in range(count):
        c = candidates[i]
        if c.spread == CHOSEN:
            write_contact(state.contacts[contact_count], c, to_world(m, load(c.normal)), position, m, hull, ground)
            contact_count += 1
    state.contact_count = contact_count
