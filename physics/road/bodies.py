"""Moving bodies under wheels: listed in the tick's external actions, turned into triangles, queried like a mesh.

A body is a box in its own frame whose top face may be shorter than its bottom, which gives wedges and ramps:

    |x| <= hx, |z| <= hz, and y from -hy..hy at the bottom to top_low..top_high at the top

with `moving_half` (hx, hy, hz) and `moving_top` (top_low, top_high). Its pose (centre and orientation) is that at the
start of the tick, extrapolated through the tick by velocity and spin. The program that moves the bodies passes those
near the vehicle, at most MOVING_CAPACITY, and reads from `road.body` which one carries which wheel.

The triangles of all bodies are in arrays like those of a mesh, each body being one leaf of the tree, so the same
kernels sweep and cast them and find the highest contact of ground and bodies. Without bodies nothing is computed.

Limit: the vehicle's hull does not touch these bodies here; that is up to the program that moves them.
"""

import math
from typing import Any

import numpy as np

from driving_sandbox.physics.ground.arrays import (
    BODY_STEP,
    NODE_COUNT,
    NODE_FIRST,
    NODE_SKIP,
    NORMAL,
    TRIANGLE_ID_SIZE,
    TRIANGLE_MESH,
    TRIANGLE_SURFACE,
)
from driving_sandbox.physics.ground.bvh import BOX_MARGIN
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import quat, vec3
from driving_sandbox.physics.schema.schema import WHEEL_CAPACITY
from driving_sandbox.physics.tick.context import MOVING_CAPACITY

# Triangles of a body, counter-clockwise seen from outside. Bits 0, 1, 2 of a corner's number are set if it is on the
# high side in x, y, z.
FACES = ((0, 2, 1), (1, 2, 3), (4, 5, 6), (5, 7, 6), (0, 1, 4), (1, 5, 4),
         (2, 6, 3), (3, 6, 7), (0, 4, 2), (2, 4, 6), (1, 3, 5), (3, 7, 5))  # fmt: skip
FACE_COUNT = len(FACES)
ROW_SIZE = NORMAL + 3  # vertices and normal of a triangle row; edges are not used

MOVING_BODIES = np.dtype(
    [
        ("count", np.int64),  # number of bodies
        ("fresh", np.int64),  # 1 until the first substep has begun
        ("elapsed", np.float64),  # s since the start of the tick, for the bodies' poses
        ("on_edge", np.int64, (WHEEL_CAPACITY,)),  # 1: the last sweep found the wheel on an edge of the ground
        ("boxes", np.float64, (MOVING_CAPACITY, 6)),  # m, lowest and highest corner of each body, world axes
        ("links", np.int32, (MOVING_CAPACITY, 3)),  # tree nodes, as in physics/ground/arrays.py
        ("triangles", np.float64, (FACE_COUNT * MOVING_CAPACITY, ROW_SIZE)),  # m, world axes
        ("ids", np.int32, (FACE_COUNT * MOVING_CAPACITY, TRIANGLE_ID_SIZE)),  # surface and body, mesh
    ],
    align=True,
)


@kernel
def vector_at(array: Any, k: int) -> Any:
    """The k-th vector of a flat list."""
    return (array[3 * k], array[3 * k + 1], array[3 * k + 2])


@kernel
def body_pose(external: Any, k: int, elapsed: float) -> Any:
    """(centre, orientation) of body k, `elapsed` s after the start of the tick, world axes."""
    q = external.moving_orientation
    rotation = quat.from_rotation_vector(vec3.scale(vector_at(external.moving_spin, k), elapsed))
    start = (q[4 * k], q[4 * k + 1], q[4 * k + 2], q[4 * k + 3])
    centre = vec3.add_scaled(vector_at(external.moving_position, k), vector_at(external.moving_velocity, k), elapsed)
    return centre, quat.multiply(rotation, start)


@kernel
def body_motion(external: Any, k: int, elapsed: float, point: Any) -> Any:
    """(velocity of body k at a point, world axes; that point in the body's frame)."""
    centre, q = body_pose(external, k, elapsed)
    arm = vec3.sub(point, centre)
    velocity = vec3.add(vector_at(external.moving_velocity, k), vec3.cross(vector_at(external.moving_spin, k), arm))
    return velocity, quat.rotate_inverse(q, arm)


@kernel
def body_corner(half: Any, low: float, high: float, corner: int) -> Any:
    """One of the eight corners in the body's frame, m. half: half extents. low, high: ends of the top face in y."""
    x = half[0] if corner & 1 != 0 else -half[0]
    high_y = corner & 2 != 0
    if corner & 4 == 0:
        return (x, half[1] if high_y else -half[1], -half[2])
    return (x, high if high_y else low, half[2])


@kernel
def place_body(external: Any, k: int, elapsed: float, surface: int, moving: Any) -> None:
    """Write triangles, ids and box of body k at its pose `elapsed` s after the start of the tick."""
    centre, q = body_pose(external, k, elapsed)
    m = quat.to_matrix(q)
    half = vector_at(external.moving_half, k)
    low, high = external.moving_top[2 * k], external.moving_top[2 * k + 1]
    box = moving.boxes[k]
    for axis in range(3):
        box[axis], box[3 + axis] = math.inf, -math.inf
    for face in range(FACE_COUNT):
        row = moving.triangles[FACE_COUNT * k + face]
        for vertex in range(3):
            corner = body_corner(half, low, high, FACES[face][vertex])
            position = vec3.add(centre, vec3.transform(m, corner))
            for axis in range(3):
                row[3 * vertex + axis] = position[axis]
                box[axis] = min(box[axis], position[axis] - BOX_MARGIN)
                box[3 + axis] = max(box[3 + axis], position[axis] + BOX_MARGIN)
        a = (row[0], row[1], row[2])
        normal = vec3.cross(vec3.sub((row[3], row[4], row[5]), a), vec3.sub((row[6], row[7], row[8]), a))
        size = vec3.length(normal)
        scale = 1.0 / size if size > 0.0 else 0.0  # the top of a wedge may have no area; rays miss it
        for axis in range(3):
            row[NORMAL + axis] = scale * normal[axis]
        moving.ids[FACE_COUNT * k + face, TRIANGLE_SURFACE] = surface + BODY_STEP * (k + 1)
        moving.ids[FACE_COUNT * k + face, TRIANGLE_MESH] = -1  # of no mesh


@kernel
def place_bodies(external: Any, elapsed: float, surface_count: int, moving: Any) -> None:
    """Write triangles, ids and boxes of all bodies at their poses `elapsed` s after the start of the tick."""
    count = min(max(external.moving_count, 0), MOVING_CAPACITY)
    moving.count = count
    moving.elapsed = elapsed
    if count == 0:
        return
    for k in range(MOVING_CAPACITY):
        moving.links[k, NODE_SKIP] = k + 1
        moving.links[k, NODE_FIRST] = FACE_COUNT * k
        moving.links[k, NODE_COUNT] = FACE_COUNT
        if k < count:
            surface = min(max(external.moving_surface[k], 0), surface_count - 1)
            place_body(external, k, elapsed, surface, moving)
        else:  # a box that nothing touches
            for axis in range(3):
                moving.boxes[k, axis], moving.boxes[k, 3 + axis] = math.inf, -math.inf
