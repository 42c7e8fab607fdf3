"""Records of contact between vehicles: moving bodies, their convex parts in the world, contacts, memory, scratch.

A world keeps the memory from tick to tick, and its snapshots hold it; all else is written before it is read. Vectors
are in world axes, normals point from body `a` to body `b`; an impulse acts on `b`, its opposite on `a`.
"""

import numpy as np

from driving_sandbox.physics.ground.arrays import MAX_HULL_MATERIALS
from driving_sandbox.physics.shape.hull import PART_CAPACITY, PLANE_CAPACITY, VERTEX_CAPACITY

Vector = tuple[float, float, float]

CONTACT_CAPACITY = 256  # of a world; two cars side by side have about ten, further ones are left out
MEMORY_CAPACITY = 64  # contacts whose forces are remembered; further ones are found anew in every tick
POLYGON_CAPACITY = 80  # corners of a face of 32 that is cut by one of 32

BODY = np.dtype(
    [
        ("position", np.float64, 3),  # m, centre of mass
        ("orientation", np.float64, 4),
        ("velocity", np.float64, 3),  # m/s, solved
        ("angular_velocity", np.float64, 3),  # rad/s, solved
        ("mass", np.float64),  # kg
        ("inertia", np.float64, 3),  # kg m^2, principal moments in body axes
        ("radius", np.float64),  # m, of the sphere about the centre of mass that holds the hull
        ("low", np.float64, 3),  # m, box of the hull, in body axes from the centre of mass
        ("high", np.float64, 3),
        ("train", np.int64),  # units of one train do not touch each other
        ("near", np.int64),  # 1: some other body may be touched in this tick
        ("touches", np.int64),  # 1: it is a body of a contact
        ("impulse", np.float64, 3),  # N s, what contact gives at the start of the tick
        ("angular_impulse", np.float64, 3),  # N m s, about the centre of mass
        ("push", np.float64, 3),  # N s, what it gives throughout the tick
        ("turn", np.float64, 3),  # N m s
        ("start_position", np.float64, 3),  # m, at the start of the tick
        ("start_orientation", np.float64, 4),
        ("drift", np.float64, 3),  # m, mean displacement at which the forces of a tick act
        ("settled_velocity", np.float64, 3),  # m/s, before restitution
        ("settled_rate", np.float64, 3),  # rad/s
    ],
    align=True,
)

# Convex parts of a hull in the world; which vertices and planes belong to a part the hull's record says
SHAPE = np.dtype(
    [
        ("vertices", np.float64, (VERTEX_CAPACITY, 3)),  # m
        ("planes", np.float64, (PLANE_CAPACITY, 4)),  # outward unit normal n, d: inside is n.x < d
        ("low", np.float64, (PART_CAPACITY, 3)),  # m, box of each part
        ("high", np.float64, (PART_CAPACITY, 3)),
    ],
    align=True,
)

CONTACT = np.dtype(
    [
        ("a", np.int64),
        ("b", np.int64),
        ("point", np.float64, 3),  # m, midway between both hulls at the start of the tick
        ("gap", np.float64),  # m along the normal, negative: inside each other
        ("directions", np.float64, (3, 3)),  # unit: normal and two tangents
        ("arm_a", np.float64, 3),  # m, from the centre of mass of a
        ("arm_b", np.float64, 3),
        ("mass", np.float64, 3),  # kg, effective, of each direction
        ("friction", np.float64),
        ("restitution", np.float64),
        ("approach", np.float64),  # m/s, speed along the normal before the tick
        ("impulse", np.float64, 3),  # N s, along each direction
        ("begun", np.float64, 3),  # N s, of them those that act at the start of the tick
        ("assumed", np.float64, 3),  # N s, those that the tick was made with
        ("settled", np.float64),  # N s, along the normal, before restitution
        ("target", np.float64),  # m/s, least speed along the normal
    ],
    align=True,
)

# What a contact gave throughout the last tick; free rows have zeros
MEMORY = np.dtype(
    [
        ("a", np.int64),
        ("b", np.int64),
        ("anchor", np.float64, 3),  # m, in body axes of a
        ("impulse", np.float64, 3),  # N s, along normal and tangents
    ],
    align=True,
)

# Simplex of the search for the closest points: differences of a vertex of a and one of b
SIMPLEX = np.dtype(
    [
        ("count", np.int64),
        ("points", np.float64, (4, 3)),  # m
        ("a", np.int64, 4),  # numbers of the vertices
        ("b", np.int64, 4),
        ("weights", np.float64, 4),  # of the point nearest to the origin
    ],
    align=True,
)

PAIR_SCRATCH = np.dtype(
    [
        ("materials", np.float64, (MAX_HULL_MATERIALS, 2)),  # factor on friction, least restitution; a world's, kept
        ("simplex", SIMPLEX),
        ("reference", np.float64, (POLYGON_CAPACITY, 3)),  # m, corners of the face that cuts
        ("cut", np.float64, (POLYGON_CAPACITY, 3)),  # of the face that is cut
        ("spare", np.float64, (POLYGON_CAPACITY, 3)),
        ("angles", np.float64, POLYGON_CAPACITY),
        ("points", np.float64, (POLYGON_CAPACITY, 3)),  # m, candidates
        ("gaps", np.float64, POLYGON_CAPACITY),  # m
        ("spread", np.float64, POLYGON_CAPACITY),  # m^2, squared distance to the nearest of those chosen
    ],
    align=True,
)
