"""Records of contact between vehicles: moving bodies, their convex parts in world axes, contacts, memory, scratch.

A world keeps the memory from tick to tick and in its snapshots; all else is written before it is read. Unless stated
otherwise vectors are in world axes. Normals point from body `a` to body `b`; an impulse acts on `b`, its opposite on
`a`.
"""

import numpy as np

from driving_sandbox.physics.ground.arrays import MAX_HULL_MATERIALS
from driving_sandbox.physics.shape.hull import PART_CAPACITY, PLANE_CAPACITY, VERTEX_CAPACITY

Vector = tuple[float, float, float]

CONTACT_CAPACITY = 256  # contacts of a world; two cars side by side have about ten. Further ones are ignored
MEMORY_CAPACITY = 64  # contacts whose forces are remembered; those of further ones start from 0 in every tick
POLYGON_CAPACITY = 80  # vertices; a face of 32 clipped to a face of 32 has fewer

BODY = np.dtype(
    [
        ("position", np.float64, 3),  # m, centre of mass
        ("orientation", np.float64, 4),  # quaternion (x, y, z, w)
        ("velocity", np.float64, 3),  # m/s, of the centre of mass; the solver changes it
        ("angular_velocity", np.float64, 3),  # rad/s; the solver changes it
        ("mass", np.float64),  # kg
        ("inertia", np.float64, 3),  # kg m^2, principal moments in body axes
        ("radius", np.float64),  # m, of the hull's bounding sphere about the centre of mass
        ("low", np.float64, 3),  # m, lower corner of the hull's box in body axes, from the centre of mass
        ("high", np.float64, 3),  # m, its upper corner
        ("train", np.int64),  # index; units of one train do not touch each other
        ("near", np.int64),  # 1: another body may be touched in this tick
        ("in_contact", np.int64),  # 1: has a contact
        ("impulse", np.float64, 3),  # N s, of contact at the start of the tick
        ("angular_impulse", np.float64, 3),  # N m s, about the centre of mass, of contact at the start of the tick
        ("force_impulse", np.float64, 3),  # N s, impulse of contact forces throughout the tick
        ("force_angular_impulse", np.float64, 3),  # N m s, angular impulse of contact forces throughout the tick
        ("start_position", np.float64, 3),  # m, at the start of the tick
        ("start_orientation", np.float64, 4),  # quaternion, at the start of the tick
        # m, from the position at the start of the tick to the mean of its substeps, where contact forces act
        ("drift", np.float64, 3),
        ("inelastic_velocity", np.float64, 3),  # m/s, after the impact, before restitution
        ("inelastic_rate", np.float64, 3),  # rad/s, after the impact, before restitution
    ],
    align=True,
)

# Convex parts of a hull in world axes; the hull's record has the ranges of vertices and planes of each part
SHAPE = np.dtype(
    [
        ("vertices", np.float64, (VERTEX_CAPACITY, 3)),  # m
        ("planes", np.float64, (PLANE_CAPACITY, 4)),  # of faces: outward unit normal n, then d; inside n.x < d
        ("low", np.float64, (PART_CAPACITY, 3)),  # m, box of each part
        ("high", np.float64, (PART_CAPACITY, 3)),
    ],
    align=True,
)

CONTACT = np.dtype(
    [
        ("a", np.int64),  # index of body a
        ("b", np.int64),  # index of body b
        ("point", np.float64, 3),  # m, midway between both hulls at the start of the tick
        ("gap", np.float64),  # m along the normal; negative: overlap
        ("directions", np.float64, (3, 3)),  # unit: normal and two tangents
        ("arm_a", np.float64, 3),  # m, from the centre of mass of a
        ("arm_b", np.float64, 3),
        ("mass", np.float64, 3),  # kg, effective mass in each direction
        ("friction", np.float64),
        ("restitution", np.float64),
        ("approach", np.float64),  # m/s, speed along the normal before the tick
        ("impulse", np.float64, 3),  # N s, of the whole tick, along each direction
        ("start_impulse", np.float64, 3),  # N s, the part of it that acts at the start of the tick
        ("assumed_impulse", np.float64, 3),  # N s, `impulse` with which the tick was stepped
        ("inelastic_impulse", np.float64),  # N s, along the normal, before restitution
        ("target", np.float64),  # m/s, smallest speed along the normal
        ("surface", np.int64),  # of the ground in contacts with it; of others unknown
    ],
    align=True,
)

# Impulse of a contact's force throughout the last tick; unused rows are 0
MEMORY = np.dtype(
    [
        ("a", np.int64),  # index of body a
        ("b", np.int64),  # index of body b
        ("anchor", np.float64, 3),  # m, in body axes of a
        ("impulse", np.float64, 3),  # N s, along normal and tangents
    ],
    align=True,
)

# Simplex of the search for the closest points; its vertices are differences of a vertex of a and one of b
SIMPLEX = np.dtype(
    [
        ("count", np.int64),  # of vertices
        ("points", np.float64, (4, 3)),  # m, vertices
        ("a", np.int64, 4),  # indices of the vertices of a
        ("b", np.int64, 4),  # indices of the vertices of b
        ("weights", np.float64, 4),  # of the point nearest to the origin
    ],
    align=True,
)

PAIR_SCRATCH = np.dtype(
    [
        ("materials", np.float64, (MAX_HULL_MATERIALS, 2)),  # factor on friction, lowest restitution; written once
        ("simplex", SIMPLEX),
        ("reference", np.float64, (POLYGON_CAPACITY, 3)),  # m, vertices of the face that clips
        ("cut", np.float64, (POLYGON_CAPACITY, 3)),  # m, vertices of the face that is clipped
        ("spare", np.float64, (POLYGON_CAPACITY, 3)),  # m, the same clipped by one more side
        ("angles", np.float64, POLYGON_CAPACITY),  # sort keys of vertices
        ("points", np.float64, (POLYGON_CAPACITY, 3)),  # m, candidates for contacts
        ("gaps", np.float64, POLYGON_CAPACITY),  # m, of candidates
        ("spread", np.float64, POLYGON_CAPACITY),  # m^2, squared distance of candidates to the nearest one chosen
    ],
    align=True,
)
