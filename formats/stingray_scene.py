"""Positions and sizes of a Stingray vehicle's chassis and wheels, from its unit's meshes.

A vehicle file only names shape nodes. Their positions and sizes come from the unit's mesh, here a `.glb` or `.obj` with
nodes (objects) of these names, usually next to the vehicle file under its name. The axes are those of
physics/shape/geometry.py. Nodes of an `.obj` have no origin; the centre of their bounding box is used.

`assumed_scene` replaces a missing mesh, with a warning by the importer. `write_model` makes the model file that our
vehicles need: the chassis shape as part `hull1`, each wheel's as `wheel1`, `wheel2` ...
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from driving_sandbox.physics.ground.obj_file import check_vertices, source_of
from driving_sandbox.physics.schema.model_file import load_model
from driving_sandbox.physics.schema.yaml_file import ConfigError

MODEL_SUFFIXES = (".glb", ".gltf", ".obj")
Y_UP = np.array([[1.0, 0, 0, 0], [0, 0, -1.0, 0], [0, 1.0, 0, 0], [0, 0, 0, 1.0]])  # glTF's axes to ours
DIGITS = 6  # decimals of metres; model files have single precision
# Dimensions of a typical car, for files without meshes.
ASSUMED_RADIUS = 0.35  # m, radius of a wheel
ASSUMED_HALF_WIDTH = 0.12  # m, half the width of a wheel
ASSUMED_TRACK = 1.6  # m
ASSUMED_WHEELBASE = 2.7  # m
ASSUMED_BOX = (1.8, 4.4, 1.4)  # m, width, length and height of the chassis
ASSUMED_CLEARANCE = 0.2  # m from the road to the chassis
MIN_AXLE_SPACING = 2.2 * ASSUMED_RADIUS  # m, so that the wheels of a vehicle with many axles do not touch


@dataclass(frozen=True)
class Shape:
    """A node in the model's frame.

    Attributes:
        origin: position of the node, m.
        low, high: corners of its bounding box, m.
        mesh: trimesh in the model's frame, or None.
    """

    origin: np.ndarray
    low: np.ndarray
    high: np.ndarray
    mesh: Any = None

    @property
    def size(self) -> np.ndarray:
        """Lengths of the bounding box's edges, m."""
        return self.high - self.low

    @property
    def centre(self) -> np.ndarray:
        """Centre of the bounding box, m."""
        return 0.5 * (self.low + self.high)


def find_model(path: Path | str) -> Path | None:
    """Path of the model next to a vehicle file that has its name, or None."""
    return next((m for m in (Path(path).with_suffix(s) for s in MODEL_SUFFIXES) if m.is_file()), None)


def load_scene(path: Path | str) -> dict[str, Shape]:
    """{node: Shape} of the nodes of a model file that have triangles. Raises ConfigError."""
    path = Path(path)
    if not path.is_file():
        raise ConfigError(path, None, "", "no such model file")
    obj = path.suffix.lower() == ".obj"
    options = {"split_objects": True, "group_material": False} if obj else {}  # objects of an .obj are its nodes
    try:
        if obj:
            check_vertices(path, source_of(path))
        scene = load_model(path, force="scene", process=False, **options)
    except ConfigError:
        raise
    except OSError as error:
        raise ConfigError(path, None, "", f"cannot be read: {error}") from None
    except Exception as error:  # trimesh's readers raise arbitrary exceptions
        raise ConfigError(path, None, "", f"cannot be read: {type(error).__name__}: {error}") from None
    to_ours = np.eye(4) if obj else Y_UP
    meshes_of: dict[str, list[Any]] = {}
    positions = {}
    for node in sorted(scene.graph.nodes):
        matrix, geometry = scene.graph.get(node)
        matrix = to_ours @ matrix
        positions[node] = matrix[:3, 3].copy()
        if geometry is None or not hasattr(scene.geometry[geometry], "faces"):
            continue
        mesh = scene.geometry[geometry].copy()
        # a primitive is one of several meshes of the node above it
        owner = scene.graph.transforms.parents[node] if mesh.metadata.get("from_gltf_primitive") else node
        mesh.apply_transform(matrix)
        meshes_of.setdefault(owner, []).append(mesh)
    import trimesh

    result = {}
    for node, meshes in meshes_of.items():
        mesh = meshes[0] if len(meshes) == 1 else trimesh.util.concatenate(meshes)
        low, high = (np.round(corner, DIGITS) for corner in mesh.bounds)
        origin = 0.5 * (low + high) if obj else np.round(positions[node], DIGITS)
        result[node] = Shape(origin, low, high, mesh)
    return result


def assumed_scene(chassis: str, wheels: Sequence[str]) -> dict[str, Shape]:
    """{node: Shape} of a typical car whose origin is on the road.

    Args:
        chassis: node of the chassis.
        wheels: nodes of the wheels, axle by axle, left first.
    """
    width, length, height = ASSUMED_BOX
    axles = (len(wheels) + 1) // 2
    spread = max(ASSUMED_WHEELBASE, MIN_AXLE_SPACING * (axles - 1))
    half = np.array([0.5 * width, 0.5 * (length - ASSUMED_WHEELBASE + spread), 0.5 * height])
    middle = np.array([0.0, 0.0, ASSUMED_CLEARANCE + 0.5 * height])
    result = {chassis: Shape(middle, middle - half, middle + half)}
    half_size = np.array([ASSUMED_HALF_WIDTH, ASSUMED_RADIUS, ASSUMED_RADIUS])
    for i, name in enumerate(wheels):
        x = ASSUMED_TRACK * (-0.5 if i % 2 == 0 else 0.5)
        y = 0.5 * spread - spread * (i // 2) / max(1, axles - 1)
        centre = np.array([x, y, ASSUMED_RADIUS])
        result[name] = Shape(centre, centre - half_size, centre + half_size)
    return result


def write_model(path: Path | str, chassis: Shape, wheels: Sequence[tuple], bound: Sequence[tuple]) -> None:
    """Write the `.glb` of a vehicle; shapes without a mesh are written as boxes.

    Args:
        chassis: Shape of the chassis.
        wheels: (Shape, position, m, scale) of each wheel.
        bound: (name, Shape, number of the wheel or 0 for the chassis, "full" | "translation" | "rotation") of the drawn
            nodes; a chassis or wheel that has any is drawn by these alone.
    """
    import trimesh

    scene = trimesh.Scene()
    to_gltf = np.linalg.inv(Y_UP)
    drawn = {number for _, _, number, _ in bound}

    def add(name: str, shape: Shape, origin: np.ndarray, position: np.ndarray, scale: float = 1.0) -> None:
        """Add a node at `position`, m: the shape's mesh, or a box of its size, about the point `origin`."""
        mesh = shape.mesh.copy() if shape.mesh is not None else trimesh.creation.box(bounds=[shape.low, shape.high])
        mesh.apply_translation(-origin)
        mesh.apply_scale(scale)
        mesh.apply_transform(to_gltf)
        matrix = np.eye(4)
        matrix[:3, 3] = to_gltf[:3, :3] @ position
        scene.add_geometry(mesh, node_name=name, geom_name=name, transform=matrix)

    add("hullproxy1" if 0 in drawn else "hull1", chassis, chassis.origin, chassis.origin)
    for number, (shape, position, scale) in enumerate(wheels, start=1):
        if number in drawn:
            matrix = np.eye(4)
            matrix[:3, 3] = to_gltf[:3, :3] @ position
            scene.graph.update(frame_to=f"wheel{number}", matrix=matrix)
        else:
            add(f"wheel{number}", shape, shape.centre, position, scale)
    for name, shape, number, kind in bound:
        add(f"{name}@{f'wheel{number}' if number else 'body'}.{kind}", shape, shape.origin, shape.origin)
    Path(path).write_bytes(scene.export(file_type="glb"))
