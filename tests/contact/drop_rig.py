"""Drops a car-sized box from many starts in one compiled loop, each time until it rests or until a time limit."""

import numpy as np
from contact_rig import (
    GRAVITY,
    SUBSTEPS,
    TICK,
    Box,
    bumpy,
    energy,
    flat,
    gyroscopic_step,
    mesh_ground,
    sheet,
)

from driving_sandbox.physics.body.rigid_body import pose
from driving_sandbox.physics.contact.energy import note_velocity
from driving_sandbox.physics.contact.generation import generate_hull_contacts
from driving_sandbox.physics.contact.solver import relax, solve_velocities
from driving_sandbox.physics.ground.ground import cast_ray
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import quat
from driving_sandbox.physics.maths.vec3 import add, cross, dot, length, load

TIME_LIMIT = 40.0  # s
REST_TIME = 1.0  # s; a box is at rest when none of its points was faster than REST_SPEED for this long
REST_SPEED = 1e-4  # m/s; ten times lower than the limit in test_contact_drops.py
# Columns of results:
#   SPEED         largest speed of a vertex during the final rest (or at the time limit), m/s
#   RISE          largest rise of the energy above an earlier value, J
#   DEPTH         depth of the lowest vertex below the ground at the end, m
#   TIME          duration, s
#   FIRST_ENERGY  kinetic energy at the start plus potential energy above the ground there, J
#   CONTACTS      number of contacts at the end
#   CREST         largest penetration by a crest of the ground that the solver deliberately leaves (contact.allowed), m
SPEED, RISE, DEPTH, TIME, FIRST_ENERGY, CONTACTS, CREST = range(7)
RESULTS = 7  # number of columns


@kernel
def height_above(ground, x):
    """Height of a point above the ground, m, negative below it; 1e9 without ground."""
    above = 30.0  # m; the ray starts this far above the point, which may be below the ground
    hit, distance, _, _ = cast_ray(ground, (x[0], x[1], x[2] + above), (0.0, 0.0, -1.0), 90.0)
    return distance - above if hit else 1e9


@kernel
def lowest_vertex_height(hull, body, ground):
    """Height of the hull's lowest vertex above the ground, m."""
    q, lowest = quat.load(body.orientation), 1e9
    for i in range(hull.vertex_start[hull.part_count]):
        x = add(load(body.position), quat.rotate(q, load(hull.vertices[i])))
        lowest = min(lowest, height_above(ground, x))
    return lowest


@kernel
def largest_vertex_speed(hull, body):
    """Speed of the fastest vertex of the hull, m/s."""
    q, fastest = quat.load(body.orientation), 0.0
    v, w = load(body.velocity), load(body.angular_velocity)
    for i in range(hull.vertex_start[hull.part_count]):
        r = quat.rotate(q, load(hull.vertices[i]))
        fastest = max(fastest, length(add(v, cross(w, r))))
    return fastest


@kernel
def overlap(hull, body, ground, state, scratch, tick):
    """Whether ground is inside the hull, as a crest may be while all vertices are above the ground.

    The body has no contacts afterwards.
    """
    generate_hull_contacts(hull, body, ground, state, scratch, tick)
    inside = False
    for i in range(state.contact_count):
        c = state.contacts[i]
        x = add(load(body.position), quat.rotate(quat.load(body.orientation), load(c.anchor)))
        inside = inside or dot(load(c.normal), x) + c.offset < 0.0
    state.contact_count = 0
    return inside


@kernel
def drop_one(hull, body, body_params, ground, state, scratch, wheels, gravity, tick, substeps, longest, result):
    """Step a body until it has rested for REST_TIME, at most `longest` seconds, and fill a row of results."""
    h = tick / substeps
    lowest_energy, rise, rest_ticks, speed, ticks = energy(body, body_params, gravity), 0.0, 0, 0.0, 0
    start = load(body.position)
    first_energy = lowest_energy - body_params.mass * gravity * (start[2] - height_above(ground, start))
    while ticks * tick < longest and rest_ticks * tick < REST_TIME:
        generate_hull_contacts(hull, body, ground, state, scratch, tick)
        for _ in range(substeps):
            note_velocity(body, scratch.free)
            body.velocity[2] -= gravity * h
            gyroscopic_step(body, body_params.inertia, h)
            solve_velocities(body, body_params, wheels, 0, state, scratch, h)
            pose(body, h)
            relax(body, body_params, wheels, 0, state, scratch, h)
        current_energy = energy(body, body_params, gravity)
        lowest_energy = min(lowest_energy, current_energy)
        rise = max(rise, current_energy - lowest_energy)
        vertex_speed = largest_vertex_speed(hull, body)
        rest_ticks = rest_ticks + 1 if vertex_speed < REST_SPEED else 0
        speed = vertex_speed if rest_ticks <= 1 else max(speed, vertex_speed)
        ticks += 1
    result[SPEED], result[RISE], result[TIME] = speed, rise, ticks * tick
    result[DEPTH] = -lowest_vertex_height(hull, body, ground)
    result[FIRST_ENERGY], result[CONTACTS] = first_energy, state.contact_count
    for i in range(state.contact_count):
        result[CREST] = max(result[CREST], state.contacts[i].allowed)


@kernel
def drop_all(
    hull, bodies, body_params, ground, state, scratch, wheels, gravity, tick, substeps, longest, clearance, results
):
    """Lift every body until its lowest vertex is `clearance` (m) above the ground, and higher if ground is inside it;
    then drop it."""
    for i in range(bodies.shape[0]):
        body = bodies[i]
        for _ in range(8):  # once is exact but for rounding, unless ground lies above other ground
            body.position[2] += clearance[i] - lowest_vertex_height(hull[0], body, ground)
        state[0].contact_count = 0
        while overlap(hull[0], body, ground, state[0], scratch[0], tick):
            body.position[2] += 0.05
        drop_one(
            hull[0],
            body,
            body_params[0],
            ground,
            state[0],
            scratch[0],
            wheels,
            gravity,
            tick,
            substeps,
            longest,
            results[i],
        )


def starts(count, seed, spread=20.0):
    """(positions, orientations, velocities, spins, clearances) of `count` random drops from 0.1 to 20 m.

    A clearance is the height of the lowest vertex above the ground, m; small ones are as frequent as large ones
    (logarithmic).
    """
    rng = np.random.default_rng(seed)
    q = rng.normal(size=(count, 4))
    positions = np.column_stack([rng.uniform(-spread, spread, (count, 2)), np.full(count, 10.0)])
    velocities = np.column_stack([rng.uniform(-5, 5, (count, 2)), np.zeros(count)])
    clearances = 0.1 * 200.0 ** rng.uniform(0.0, 1.0, count)
    return positions, q / np.linalg.norm(q, axis=1)[:, None], velocities, rng.normal(size=(count, 3)), clearances


def drop(ground, count, seed, parts=None, tick=TICK, substeps=SUBSTEPS, longest=TIME_LIMIT, spread=20.0):
    """[count, RESULTS] results, one row per drop of a box of `parts` (as for Box) with the starts of `seed`.

    longest: time limit of a drop, s.
    spread: largest |x| and |y| of a start, m.
    """
    box = Box(ground, parts=parts)
    bodies = np.zeros(count, box.body.dtype)
    bodies["position"], bodies["orientation"], bodies["velocity"], bodies["angular_velocity"], clearances = starts(
        count, seed, spread
    )
    results = np.zeros((count, RESULTS))
    drop_all(
        box.hull,
        bodies,
        box.params,
        ground.arrays,
        box.state,
        box.scratch,
        box.wheels,
        GRAVITY,
        tick,
        substeps,
        longest,
        clearances,
        results,
    )
    return results


def hillside(degrees, friction=0.7, cells=1):
    """A plane rising along +y, 800 m wide and long, of cells x cells cells, each of two triangles.

    With several cells, their vertices are in random order.
    """
    a = np.radians(degrees)
    u, v = np.array([800.0, 0, 0]), np.array([0, 800 * np.cos(a), 800 * np.sin(a)])
    return mesh_ground(sheet(-(u + v) / 2, u, v, cells, cells, None if cells == 1 else 3), friction=friction)


GROUNDS = {"flat": flat, "slope": lambda: hillside(15), "triangles": lambda: hillside(8, cells=200), "rough": bumpy}
