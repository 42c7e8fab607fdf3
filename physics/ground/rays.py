"""Ray casts of wheels on ground and moving bodies, with filtering of surfaces."""

from typing import Any

import numpy as np

from driving_sandbox.physics.ground.arrays import NORMAL, SURFACE_MASK, TRIANGLE_SURFACE
from driving_sandbox.physics.ground.ground import cast_ray
from driving_sandbox.physics.ground.mesh import cast_triangles
from driving_sandbox.physics.ground.sweep_ground import hidden
from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.physics.maths import vec3

MAX_LAYERS = 8  # largest number of filtered surfaces that a ray passes through; the next one stops it
STEP = 1e-6  # m, distance beyond a filtered hit at which the ray continues


@inline_kernel
def cast_all(ground: Any, moving: Any, start: Any, direction: Any, length: float) -> tuple[Any, Any, Any, Any]:
    """(hit, distance, normal, hit code) of a ray on ground and moving bodies; hit code: see `arrays.BODY_STEP`."""
    hit, distance, normal, hit_code = cast_ray(ground, start, direction, length)
    if moving.count > 0:
        body_distance, k = cast_triangles(moving.boxes, moving.links, moving.triangles, start, direction, distance)
        if k >= 0:
            row = moving.triangles[k]
            normal = (row[NORMAL], row[NORMAL + 1], row[NORMAL + 2])
            if vec3.dot(normal, direction) > 0.0:
                normal = vec3.negate(normal)
            hit, distance, hit_code = True, body_distance, np.int64(moving.ids[k, TRIANGLE_SURFACE])
    return hit, distance, normal, hit_code


@inline_kernel
def cast_through(
    ground: Any, moving: Any, start: Any, direction: Any, length: float, wheel_filter: int
) -> tuple[Any, float, Any, Any]:
    """`cast_all`, with the ray continued beyond surfaces that the wheel ignores."""
    travelled = 0.0
    for layer in range(MAX_LAYERS + 1):
        hit, distance, normal, hit_code = cast_all(
            ground, moving, vec3.add_scaled(start, direction, travelled), direction, length - travelled
        )
        if not hit or layer == MAX_LAYERS or not hidden(ground.surfaces, hit_code & SURFACE_MASK, wheel_filter):
            break
        travelled += distance + STEP
    return hit, travelled + distance, normal, hit_code
