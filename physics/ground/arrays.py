"""Memory layout of the ground for kernels: one tuple of eight arrays, and the names of their columns.

The ground is one terrain (nothing, an endless plane or a heightfield) and one soup of mesh triangles under a bounding
volume hierarchy. Heights belong to vertices, surfaces to cells: vertex (i, j) lies at x = origin_x + i cell,
y = origin_y + j cell, z = heights[j, i]. A cell with corners a = (i, j), b = (i+1, j), c = (i, j+1), d = (i+1, j+1)
is always split along a-d into triangle 0 = (a, b, d) and triangle 1 = (a, d, c). The view draws the same triangles.

A *triangle row* (TRIANGLE_SIZE floats) describes one triangle for hull contact, from a mesh or from the terrain:
vertices in counter-clockwise order seen from the front, unit normal, for each edge (0: v0-v1, 1: v1-v2, 2: v2-v0) a
flag and the normal of the face beyond it.
"""

from typing import NamedTuple

import numpy as np

# Elements of GroundArrays.terrain: position and type of the terrain
ORIGIN_X = 0  # m, of vertex (0, 0)
ORIGIN_Y = 1  # m
CELL = 2  # m, side of a cell
INVERSE_CELL = 3  # 1/m
TERRAIN_KIND = 4  # one of NO_TERRAIN, PLANE, HEIGHTFIELD
PLANE_HEIGHT = 5  # m
PLANE_SURFACE = 6  # surface id
LOWEST = 7  # m, below every height by TERRAIN_MARGIN: rays are clipped to LOWEST..HIGHEST first
HIGHEST = 8  # m, above every height by TERRAIN_MARGIN
TERRAIN_TRIANGLES = 9  # number of terrain triangles; the feature id of mesh triangle k is this number + k
TERRAIN_SIZE = 10

# Values of TERRAIN_KIND
NO_TERRAIN = 0.0
PLANE = 1.0  # endless
HEIGHTFIELD = 2.0  # ends at its border: no ground outside

TERRAIN_MARGIN = 1.0  # m; keeps the clipped ends of a ray off the surface despite rounding
HOLE = 255  # in cell_surface: no ground in this cell
NO_SURFACE = -1  # surface id of "nothing hit"

# Columns of a triangle row
VERTICES = 0  # 9 floats
NORMAL = 9  # 3 floats, unit
EDGE_FLAGS = 12  # 3 floats, one of the EDGE_ values
EDGE_NORMALS = 15  # 3 x 3 floats, unit; see EDGE_OPEN for edges without a neighbour
TRIANGLE_SIZE = 24

# Values of an edge flag
EDGE_FLAT = 0.0  # the neighbour continues the surface, within FLAT_EDGE_ANGLE
EDGE_CONVEX = 1.0  # and this triangle owns the edge: hull contacts at it are found with the owner only
EDGE_CONVEX_OTHER = 2.0  # convex, but owned by the neighbour
EDGE_CONCAVE = 3.0
EDGE_OPEN = 4.0  # no neighbour: counts as convex and owned; its normal points outwards in the triangle's plane

# rad. A hull of 4 m across a crest of such edges, one a metre, sinks in by L^2/8R = 2 mm: less than contacts allow.
FLAT_EDGE_ANGLE = 1e-3

# Columns of GroundArrays.triangle_ids
TRIANGLE_SURFACE = 0
TRIANGLE_MESH = 1  # index into Ground.meshes
TRIANGLE_ID_SIZE = 2

# Columns of `out_ids` of `nearby_triangles`
OUT_FEATURE = 0  # stable as long as the ground is: terrain triangle 2 (j columns + i) + k, then mesh triangles
OUT_SURFACE = 1
OUT_ID_SIZE = 2

# Columns of GroundArrays.node_link
NODE_SKIP = 0  # next node when this box is missed: no stack is needed
NODE_FIRST = 1  # first triangle of a leaf
NODE_COUNT = 2  # triangles of a leaf, 0 in an inner node (its first child is the next row)

# Columns of GroundArrays.surfaces
ROLLING_DRAG = 0  # added to the tire's rolling resistance coefficient
ROUGHNESS_AMPLITUDE = 1  # m
ROUGHNESS_WAVELENGTH = 2  # m
RAYCAST_HIDDEN = 3  # bit n set: wheels with raycast filter n do not see this surface; all bits: a barrier's
MATERIAL_FRICTION = 4  # Coulomb coefficient of the material itself, for the mean of tire and ground
TIRE_MATERIAL_FRICTION = 5  # in row n: friction of the n-th surface of the standard file as material of a tire
JOINT_SPACING = 6  # m, between the joints of slabs; not read where they have no depth
JOINT_WIDTH = 7  # m
JOINT_DEPTH = 8  # m; 0: no joints
HULL_PAIRS = 9  # + HULL_PAIR_SIZE * hull material + one of the PAIR_ columns
HULL_PAIR_SIZE = 3
PAIR_FRICTION = 0  # Coulomb coefficient of bodywork of that material on this surface
PAIR_RESTITUTION = 1
PAIR_OWN = 2  # 1: the vehicle's own restitution is a lower limit; 0: only the restitution listed for the pair applies
MAX_HULL_MATERIALS = 12  # more than a car is made of; a row then has 48 numbers
FRICTION = HULL_PAIRS + HULL_PAIR_SIZE * MAX_HULL_MATERIALS  # + index of a tire type: its Coulomb coefficient
TIRE_TYPES = ("street", "sport", "offroad")
SURFACE_SIZE = FRICTION + len(TIRE_TYPES)


# Hit code of a query: surface id + BODY_STEP * number of the moving body that was hit, from 1 (0: the ground).
BODY_STEP = 256  # above all surface ids
SURFACE_MASK = BODY_STEP - 1


class GroundArrays(NamedTuple):
    """The ground as one argument of kernels. Every array is C-contiguous and of a fixed type, even when empty."""

    heights: np.ndarray  # float32[rows + 1, columns + 1]
    cell_surface: np.ndarray  # uint8[rows, columns], HOLE = no ground
    terrain: np.ndarray  # float64[TERRAIN_SIZE]
    triangles: np.ndarray  # float64[n, TRIANGLE_SIZE], in leaf order
    triangle_ids: np.ndarray  # int32[n, TRIANGLE_ID_SIZE]
    node_box: np.ndarray  # float64[nodes, 6]: low x y z, high x y z; depth first
    node_link: np.ndarray  # int32[nodes, 3]
    surfaces: np.ndarray  # float64[surfaces, SURFACE_SIZE]


ARRAY_TYPES = (  # (numpy type, number of dimensions) of each array of GroundArrays
    ("float32", 2),
    ("uint8", 2),
    ("float64", 1),
    ("float64", 2),
    ("int32", 2),
    ("float64", 2),
    ("int32", 2),
    ("float64", 2),
)
