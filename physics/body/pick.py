"""Casts rays at the wheels and meshes of a vehicle, for picking with the mouse.

Where a part has a drawn mesh, that is tested, not the convex collision mesh.

Every triangle is tested from both sides (Moeller and Trumbore, "Fast, minimum storage ray/triangle intersection",
1997); parts whose bounding box the ray misses are skipped. The compiled loop takes 0.3 ms for 35,000 triangles, so no
tree is needed.
"""

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import quat
from driving_sandbox.physics.maths.vec3 import cross, dot, load, sub

if TYPE_CHECKING:
    from driving_sandbox.physics.shape.geometry import Geometry

# Largest ratio of determinant to the sum of squared edges at which the ray counts as parallel to the triangle: no hit
PARALLEL = 1e-14


class Target(NamedTuple):
    """Triangles of one part, each as a vertex and the edges from it to the other two, and their bounding box.

    vertex, edge_1, edge_2: [n, 3], m, model axes.
    low, high: [3], corners of the bounding box, m.
    """

    name: str
    vertex: np.ndarray
    edge_1: np.ndarray
    edge_2: np.ndarray
    low: np.ndarray
    high: np.ndarray


@lru_cache(maxsize=16)  # vehicles on the screen
def targets(geometry: "Geometry") -> tuple[Target, ...]:
    """Targets of a Geometry, one for each part: its drawn mesh, or its collision mesh where it has no drawn one."""
    meshes = []
    for part in geometry.hulls:
        name, mesh = (part.name, part.drawn) if part.drawn is not None else part.solid
        a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
        meshes.append(Target(name, a, b - a, c - a, mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)))
    return tuple(meshes)


def _misses(target: Target, origin: np.ndarray, direction: np.ndarray) -> bool:
    """Whether the ray misses the target's box (slab test; a direction parallel to a face divides by 0)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.stack([target.low - origin, target.high - origin]) / direction
    inside = (direction == 0.0) & (target.low <= origin) & (origin <= target.high)
    near = np.where(inside, -np.inf, t.min(axis=0)).max()
    far = np.where(inside, np.inf, t.max(axis=0)).min()
    return not (far >= max(near, 0.0))


@kernel
def nearest_hit(
    vertex: np.ndarray, edge_1: np.ndarray, edge_2: np.ndarray, origin: np.ndarray, direction: np.ndarray
) -> tuple[float, int]:
    """(distance in lengths of the direction, index of the triangle) of the nearest hit, or (inf, -1)."""
    nearest, distance = -1, np.inf
    for k in range(vertex.shape[0]):
        e1, e2 = load(edge_1[k]), load(edge_2[k])
        p = cross(direction, e2)
        determinant = dot(e1, p)
        if abs(determinant) <= PARALLEL * (dot(e1, e1) + dot(e2, e2)):
            continue
        s = sub(origin, load(vertex[k]))
        u = dot(s, p) / determinant
        if u < 0.0 or u > 1.0:
            continue
        q = cross(s, e1)
        v = dot(direction, q) / determinant
        if v < 0.0 or u + v > 1.0:
            continue
        t = dot(e2, q) / determinant
        if 0.0 <= t < distance:
            nearest, distance = k, t
    return distance, nearest


def _unit(direction: Any) -> np.ndarray:
    """The direction as a unit vector. Raises ValueError for zero length, NaN and infinity."""
    length = float(np.linalg.norm(direction))
    if not length > 0.0 or not np.isfinite(length):
        raise ValueError("a ray needs a direction")
    return np.asarray(direction, float) / length


def _local_ray(position: Any, orientation: Any, origin: Any, direction: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A ray given in world axes as (origin [3], direction [3]) in the axes of a pose."""
    q = tuple(float(c) for c in orientation)
    start = quat.rotate_inverse(q, tuple(np.subtract(origin, position).tolist()))
    return np.array(start), np.array(quat.rotate_inverse(q, tuple(direction.tolist())))


def cast_at_hull(
    geometry: "Geometry", position: ArrayLike, orientation: ArrayLike, origin: ArrayLike, direction: ArrayLike
) -> tuple[str, float, tuple[float, ...]] | None:
    """Nearest hit of a ray on the meshes of a vehicle's bodywork.

    Args:
        geometry: Geometry of the vehicle.
        position, orientation: pose of the model's origin (`Vehicle.model_position`, `model_orientation`).
        origin: of the ray, m, world axes.
        direction: of the ray, world axes, of any length but zero.
    Returns:
        (part name, distance in m, unit normal towards the ray in world axes), or None.
    Raises:
        ValueError: the direction has length 0, or is not finite.
    """
    start, local_direction = _local_ray(position, orientation, origin, _unit(direction))
    nearest = None
    for target in targets(geometry):
        if _misses(target, start, local_direction):
            continue
        distance, k = nearest_hit(
            target.vertex, target.edge_1, target.edge_2, tuple(start.tolist()), tuple(local_direction.tolist())
        )
        if k >= 0 and (nearest is None or distance < nearest[1]):
            normal = np.cross(target.edge_1[k], target.edge_2[k])
            normal *= -np.sign(normal @ local_direction) / np.linalg.norm(normal)
            nearest = target.name, distance, normal
    if nearest is None:
        return None
    name, distance, normal = nearest
    return name, distance, tuple(quat.rotate(tuple(np.asarray(orientation, float).tolist()), tuple(normal.tolist())))


def cast_at_wheels(vehicle: Any, origin: ArrayLike, direction: ArrayLike) -> tuple[int, float] | None:
    """(wheel index, distance in m) of the nearest wheel that a ray meets, or None; wheels are cylinders.

    origin, direction: of the ray, world axes. Raises ValueError for a direction of length 0 or that is not finite.
    """
    direction = _unit(direction)
    nearest = None
    for i in range(vehicle.wheel_count):
        wheel, shape = vehicle.state["wheel"][0][i], vehicle.params["wheel"][0][i]
        start, local_direction = _local_ray(wheel["position"], wheel["hub_orientation"], origin, direction)
        distance = _cylinder_distance(start, local_direction, float(shape["radius"]), float(shape["half_width"]))
        if distance is not None and (nearest is None or distance < nearest[1]):
            nearest = i, distance
    return nearest


def _cylinder_distance(start: np.ndarray, direction: np.ndarray, radius: float, half_width: float) -> float | None:
    """Distance along a ray to a cylinder about the x axis, centred at the origin, 0 from inside; None for a miss."""
    enter, leave = 0.0, np.inf
    if direction[0] == 0.0:
        if abs(start[0]) > half_width:
            return None
    else:
        ends = sorted((side * half_width - start[0]) / direction[0] for side in (-1.0, 1.0))
        enter, leave = max(enter, ends[0]), min(leave, ends[1])
    # |start + t direction|^2 = radius^2 across the axis: a t^2 + 2 b t + c = 0
    a, b = direction[1] ** 2 + direction[2] ** 2, start[1] * direction[1] + start[2] * direction[2]
    c = start[1] ** 2 + start[2] ** 2 - radius**2
    if a == 0.0:
        return enter if c <= 0.0 and enter <= leave else None
    discriminant = b * b - a * c
    if discriminant < 0.0:
        return None
    root = discriminant**0.5
    enter, leave = max(enter, (-b - root) / a), min(leave, (-b + root) / a)
    return enter if enter <= leave else None


def pick(vehicle: Any, origin: ArrayLike, direction: ArrayLike) -> tuple[str, str] | None:
    """(description of what a ray meets first, path of a parameter to show), or None for a miss.

    origin, direction: of the ray under the mouse, world axes. Raises ValueError like `cast_at_wheels`.
    """
    hull = None
    if vehicle.geometry is not None:
        hull = cast_at_hull(vehicle.geometry, vehicle.model_position(), vehicle.model_orientation(), origin, direction)
    wheel = cast_at_wheels(vehicle, origin, direction)
    if wheel is not None and (hull is None or wheel[1] <= hull[1]):
        return _picked_wheel(vehicle, vehicle.wheel_names[wheel[0]])
    if hull is None:
        return None
    return f"{hull[0]}: body of {vehicle.get('body.mass'):.0f} kg", "body.mass"


def _picked_wheel(vehicle: Any, name: str) -> tuple[str, str]:
    """(description of a wheel, path of a parameter to show)."""
    mass, parameter = "", f"wheel.{name}.radius"
    if "suspension" in vehicle.sequence.by_slot:  # a planar vehicle has none, and wheels without mass
        mass, parameter = f", mass {vehicle.get(f'wheel.{name}.mass'):.3g} kg", f"suspension.{name}.stiffness"
    radius, load = vehicle.get(f"wheel.{name}.radius"), vehicle.read(f"tire.{name}.load")
    return f"wheel {name}: radius {radius:.3g} m{mass}, load {load:.0f} N", parameter
