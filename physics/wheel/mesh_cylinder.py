"""Wheels with the size of their meshes: a cylinder is fitted to each mesh (CE-LOAD-04, CE-WHEEL-01).

With the vertices p of a wheel's mesh and the centre c of their bounding box:

    axle         the principal axis of sum (p - c)(p - c)^T for which the moments of the other two are most alike
    half width   half the extent along the axle
    radius       largest distance from the axle

The axle is only used to measure the mesh: wheels always turn about the body's x axis. Meshes are those of the model's
nodes wheelN or wheel_N, with N counted from 1, and of their direct child nodes. Two nodes with the same N are an error.

Source: the CryEngine vehicle document, LoadVehicle.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from driving_sandbox.physics.maths.products import dot, norm, principal_axes, product, transformed
from driving_sandbox.physics.schema.schema import Float, field
from driving_sandbox.physics.shape.drawn_wheels import WHEEL_NODE
from driving_sandbox.physics.shape.geometry import GLTF_TO_MODEL, GeometryError, _scene
from driving_sandbox.physics.shape.vehicle_hull import hull_of
from driving_sandbox.physics.tick.component import Component
from driving_sandbox.physics.wheel.wheel import WHEEL, WheelParams, WheelState
from driving_sandbox.physics.wheel.wheel import derive as derive_wheel

if TYPE_CHECKING:
    from driving_sandbox.physics.shape.geometry import Geometry


@dataclass(frozen=True)
class Cylinder:
    """A wheel's size and position, in the frame of its vertices."""

    centre: np.ndarray  # m
    axle: np.ndarray  # unit vector
    radius: float  # m
    half_width: float  # m


class MeshWheelParams(WheelParams):
    """A wheel whose size is derived from its mesh."""

    radius: Float = field(unit="m", derived=True, default=0.3, doc="Radius of the wheel's mesh.")
    half_width: Float = field(unit="m", derived=True, default=0.1, doc="Half width of the wheel's mesh.")


def cylinder_of(points: np.ndarray) -> "Cylinder":
    """The Cylinder fitted to a wheel's vertices (n, 3), m. Raises ValueError if they do not span a volume."""
    points = np.unique(np.round(np.asarray(points, float), decimals=6), axis=0)  # equal to 1 um: one vertex
    if len(points) < 4:  # three lie in a plane
        raise ValueError(f"{len(points)} different points are too few for a cylinder")
    centre = 0.5 * (points.min(axis=0) + points.max(axis=0))
    moments, axes = principal_axes(product((points - centre).T, points - centre))
    differences = [abs(moments[(k + 1) % 3] - moments[(k + 2) % 3]) for k in range(3)]
    axle = axes[:, int(np.argmin(differences))]
    axle = axle if axle[int(np.abs(axle).argmax())] > 0.0 else -axle  # the sign of an eigenvector is arbitrary
    axial = dot(points - centre, axle)
    centre = centre + axle * 0.5 * (axial.min() + axial.max())
    arms = points - centre
    radius = float(norm(arms - np.outer(dot(arms, axle), axle)).max())
    half_width = 0.5 * float(axial.max() - axial.min())
    if radius <= 0.0 or half_width <= 0.0:
        raise ValueError("its points lie in a plane or on a line")
    return Cylinder(centre, axle, radius, half_width)


@cache
def wheel_meshes(path: Path) -> dict[int, tuple[str, np.ndarray]]:
    """{wheel number from 1: (node name, vertices (n, 3) in the model's frame, m)}. Raises GeometryError."""
    scene = _scene(Path(path))
    meshes: dict[int, tuple[str, np.ndarray]] = {}
    to_model = np.eye(4) if Path(path).suffix.lower() == ".obj" else GLTF_TO_MODEL
    for node in sorted(scene.graph.nodes_geometry):
        matrix, geometry = scene.graph.get(node)
        mesh = scene.geometry[geometry]
        owner = node  # the node named wheelN: this one or its parent
        if not WHEEL_NODE.match(owner):
            owner = scene.graph.transforms.parents.get(node) or ""
        match = WHEEL_NODE.match(owner)
        if match is None or not hasattr(mesh, "faces"):
            continue
        number = int(match.group(1))
        name, points = meshes.get(number, (owner, np.zeros((0, 3))))
        if name != owner:
            raise GeometryError(f"{Path(path).name}: wheel {number} has two nodes, {name} and {owner}; one is allowed")
        vertices = transformed(np.asarray(mesh.vertices, float), product(to_model, matrix))
        meshes[number] = name, np.concatenate([points, vertices])
    return meshes


def cylinders(geometry: "Geometry | None", wheel_count: int) -> "list[Cylinder]":
    """Cylinders of all wheels, in their order. Raises ValueError for a missing model, or naming the faulty wheel."""
    if geometry is None:
        raise ValueError("the vehicle has no model to take the wheels' size from")
    meshes = wheel_meshes(geometry.path)
    result = []
    for number in range(1, wheel_count + 1):
        if number not in meshes:
            raise ValueError(f"{geometry.path.name} has no mesh wheel{number}")
        try:
            result.append(cylinder_of(meshes[number][1]))
        except ValueError as error:
            raise ValueError(f"{geometry.path.name}: {meshes[number][0]}: {error}") from None
    return result


def derive(
    params: np.ndarray,
    contact_params: np.void,
    body_params: np.void,
    suspension_params: np.ndarray,
    wheel_count: int,
    geometry: "Geometry",
) -> None:
    """Derive the sizes of the wheels, and rebuild the vehicle's hull, which was built with other sizes."""
    for i, cylinder in enumerate(cylinders(geometry, wheel_count)):
        params[i]["radius"], params[i]["half_width"] = cylinder.radius, cylinder.half_width
    derive_wheel(params, wheel_count)
    contact_params["hull"] = hull_of(contact_params, body_params, params, suspension_params, wheel_count, geometry)[0]


def check(wheel_count: int, geometry: "Geometry | None") -> list[Any]:
    """The problem of a wheel without a suitable mesh, or of a vehicle without a model."""
    try:
        cylinders(geometry, wheel_count)
    except ValueError as error:  # or GeometryError, a subclass
        # reported at `mass`, which a file can give; the sizes are derived and have no line there
        return [("mass", str(error))]
    return []


MESH_WHEEL = Component(
    slot="wheel",
    name="cylinder_of_mesh",
    params=MeshWheelParams,
    state=WheelState,
    phases=WHEEL.phases,
    derive=derive,
    check=check,
    doc="Wheels as large as their meshes.",
)
