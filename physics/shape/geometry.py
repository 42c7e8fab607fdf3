"""Geometry of a vehicle's model file for the core: hull parts and node positions, without graphics.

Parts are named `hull1`, `hull2` ... (or `hull_1`), numbered from 1 without gaps; parts after a gap are ignored.
`hullproxyN` replaces part N in collisions. Once a part has a proxy, every later part without one is excluded from
collisions and only takes part in ray tests, which always use the drawn meshes (CE-CONT-01, CE-CONT-02). Per-part
settings of the vehicle (`PartSettings`) change collision, mass, vertical offset and material; the default material is
that of the colliding mesh, if its name is a hull material.

glTF is y up: (x, y, z) there is (x, -z, y) here. The model's origin is the origin of every position in the vehicle's
YAML.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from driving_sandbox.physics.base.user_error import WrongValue
from driving_sandbox.physics.ground.obj_file import check_obj, check_vertices, source_of
from driving_sandbox.physics.maths.products import determinant, product, transformed
from driving_sandbox.physics.schema import glb
from driving_sandbox.physics.schema.model_file import load_model
from driving_sandbox.physics.schema.yaml_file import ConfigError

_PART = re.compile(r"^hull(proxy)?_?([1-9]\d*)$")

# Values of PartSettings.flags (CE-HULL-03)
UNDRAWN = 0  # physical but not drawn
ORDINARY = 1  # physical and drawn
DRAWN_ONLY = 2
# transform of the axes of glTF, y up, to those of the model, z up
GLTF_TO_MODEL = np.array([[1.0, 0, 0, 0], [0, 0, -1.0, 0], [0, 1.0, 0, 0], [0, 0, 0, 1.0]])


class GeometryError(WrongValue):
    """A model file is missing, unreadable or lacks its parts; `str()` names file and part."""


class Mesh(NamedTuple):
    """Triangles in the model's frame."""

    vertices: np.ndarray  # float64[n, 3], m
    faces: np.ndarray  # int64[m, 3], counter-clockwise seen from the front
    material: str = ""  # name of the material, "" for none or several


@dataclass(frozen=True)
class HullPart:
    """Part `number` of a vehicle's body: drawn mesh and collision mesh (proxy), either of which may be None."""

    number: int
    drawn: Mesh | None
    proxy: Mesh | None

    @property
    def name(self) -> str:
        """hullN, the usual name of the part's drawn mesh."""
        return f"hull{self.number}"

    @property
    def solid(self) -> tuple[str, Any]:
        """(name, mesh) of the mesh that collides and carries the mass: the proxy if there is one."""
        return (f"hullproxy{self.number}", self.proxy) if self.proxy is not None else (self.name, self.drawn)


@dataclass(frozen=True)
class PartSettings:
    """Settings of the hull parts, an entry per part from number 1 on; missing entries have defaults.

    Attributes:
        flags: UNDRAWN, ORDINARY or DRAWN_ONLY.
        excluded: 1 if the part does not collide, else 0.
        masses: kg.
        z_offsets: shift upwards from the position in the model, m.
        materials: names of hull materials.
    """

    flags: tuple = ()
    excluded: tuple = ()
    masses: tuple = ()
    z_offsets: tuple = ()
    materials: tuple = ()

    def of(self, part: HullPart) -> tuple[int, bool, float, float]:
        """(flags, excluded, mass, z_offset) of a HullPart."""
        k = part.number - 1

        def at(values: tuple, default: Any) -> Any:
            return values[k] if k < len(values) else default

        return (
            int(at(self.flags, ORDINARY)),
            bool(at(self.excluded, 0)),
            float(at(self.masses, 0.0)),
            float(at(self.z_offsets, 0.0)),
        )

    def material(self, part: HullPart) -> str:
        """Material name of a HullPart, from these settings or else its mesh; "" if neither has one."""
        return self.materials[part.number - 1] if part.number <= len(self.materials) else part.solid[1].material


@dataclass(frozen=True, eq=False)
class Geometry:
    """Parts of a model.

    Attributes:
        path: the file.
        hulls: HullParts, number 1 first.
        nodes: {name: position [3] in m} of every named node.
        unreached: names of parts after a gap in the numbering.
    """

    path: Path
    hulls: tuple
    nodes: dict
    unreached: tuple = ()

    @property
    def parts(self) -> dict[str, np.ndarray]:
        """{name: points float64[n, 3] in m} of the parts that collide by default."""
        return self.colliding(PartSettings())

    def colliding(self, settings: PartSettings) -> dict[str, np.ndarray]:
        """{name: points [n, 3] in m} of the parts that collide under the settings."""
        points_of = {}
        for part in self._solid_parts(settings):
            name, mesh = part.solid
            _, _, _, z_offset = settings.of(part)
            points_of[name] = mesh.vertices + (0.0, 0.0, z_offset)
        return points_of

    def materials(self, settings: PartSettings) -> dict[str, str]:
        """{name: material, or ""} of the parts that collide under the settings."""
        return {part.solid[0]: settings.material(part) for part in self._solid_parts(settings)}

    def _solid_parts(self, settings: PartSettings) -> list[HullPart]:
        """HullParts that collide under the settings."""
        solid, proxied = [], False  # proxied: whether a part so far has a proxy
        for part in self.hulls:
            flags, excluded, _, _ = settings.of(part)
            left_out = proxied and part.proxy is None
            proxied = proxied or part.proxy is not None
            if not left_out and not excluded and flags != DRAWN_ONLY:
                solid.append(part)
        return solid

    def massive(self, settings: PartSettings) -> dict[str, tuple[float, Mesh]]:
        """{name: (mass in kg, Mesh)} of the physical parts with mass."""
        meshes = {}
        for part in self.hulls:
            flags, _, mass, z_offset = settings.of(part)
            if mass > 0.0 and flags != DRAWN_ONLY:
                name, mesh = part.solid
                meshes[name] = mass, Mesh(mesh.vertices + (0.0, 0.0, z_offset), mesh.faces)
        return meshes

    def drawn_names(self, settings: PartSettings) -> list[str]:
        """Names of the parts that are drawn under the settings."""
        return [part.name for part in self.hulls if part.drawn is not None and settings.of(part)[0] != UNDRAWN]


def _scene(path: Path) -> Any:
    """The trimesh scene of a file. Raises GeometryError."""
    if not path.is_file():
        raise GeometryError(f"no such model file: {path}")
    try:
        if path.suffix.lower() == ".obj":
            _check_obj(path, check_vertices)
        return load_model(path, force="scene", process=False)
    except GeometryError:
        raise
    except OSError as error:
        raise GeometryError(f"{path} cannot be read: {error}") from None
    except Exception as error:  # trimesh's readers raise whatever their formats raise
        if path.suffix.lower() == ".obj":
            _check_obj(path, check_obj)
        raise GeometryError(f"{path} cannot be read: {type(error).__name__}: {error}") from None


def _check_obj(path: Path, check: Callable[..., Any]) -> None:
    """Raise the ConfigError that `check` finds in an .obj file as a GeometryError."""
    try:
        check(path, source_of(path))
    except ConfigError as error:
        raise GeometryError(str(error)) from None


def _nodes(path: Path) -> Iterator[tuple[str, str, np.ndarray, tuple]]:
    """(node, node that its triangles belong to, transform to the file's axes, Pieces) of every node."""
    plain = glb.read(path)
    if plain is not None:
        yield from ((node.name, node.name, node.matrix, node.pieces) for node in sorted(plain, key=lambda n: n.name))
        return
    scene = _scene(path)
    for node in sorted(scene.graph.nodes):
        matrix, name = scene.graph.get(node)
        geometry: Any = None if name is None else scene.geometry[name]
        if not hasattr(geometry, "faces"):
            yield node, node, matrix, ()
            continue
        owner = scene.graph.transforms.parents[node] if geometry.metadata.get("from_gltf_primitive") else node
        material = getattr(getattr(geometry.visual, "material", None), "name", None)
        yield node, owner, matrix, (glb.Piece(geometry.vertices, geometry.faces, material),)


def _mesh(piece: glb.Piece, matrix: np.ndarray) -> Mesh:
    """The Mesh of a Piece under a transform; after a mirroring one the faces are reversed, else they face inwards."""
    vertices = transformed(np.asarray(piece.vertices, float), matrix)
    faces = np.asarray(piece.faces, np.int64).reshape(-1, 3)
    return Mesh(vertices, faces[:, ::-1] if determinant(matrix[:3, :3]) < 0.0 else faces, piece.material or "")


def _joined(meshes: list[Mesh]) -> Mesh:
    """One mesh made of several: a node has a mesh for each of its materials."""
    starts = np.cumsum([0] + [len(m.vertices) for m in meshes[:-1]])
    faces = [m.faces + start for m, start in zip(meshes, starts, strict=True)]
    materials = {m.material for m in meshes}
    material = materials.pop() if len(materials) == 1 else ""
    return Mesh(np.concatenate([m.vertices for m in meshes]), np.concatenate(faces), material)


def _collect(path: Path) -> tuple[dict[str, np.ndarray], dict[tuple[int, bool], tuple[str, Mesh]]]:
    """({node: position}, {(number, is proxy): (name, Mesh)}) of a file."""
    to_model = np.eye(4) if path.suffix.lower() == ".obj" else GLTF_TO_MODEL
    nodes: dict[str, np.ndarray] = {}
    meshes_of: dict[tuple[int, bool], list[Mesh]] = {}
    names: dict[tuple[int, bool], str] = {}
    for node, owner, transform, pieces in _nodes(path):
        matrix = product(to_model, transform)
        nodes[node] = matrix[:3, 3].copy()
        match = _PART.match(owner)
        if not pieces or match is None:
            continue
        key = int(match.group(2)), match.group(1) is not None
        if names.setdefault(key, owner) != owner:
            raise GeometryError(f"{path}: {names[key]} and {owner} are two spellings of one part")
        for piece in pieces:
            mesh = _mesh(piece, matrix)
            if not len(mesh.vertices) or not np.isfinite(mesh.vertices).all():
                raise GeometryError(
                    f"{path}: part {owner} is empty or has a coordinate that is infinite or not a number"
                )
            meshes_of.setdefault(key, []).append(mesh)
    return nodes, {key: (names[key], _joined(meshes)) for key, meshes in meshes_of.items()}


@cache
def load_geometry(path: Path | str) -> Geometry:
    """Geometry of a model file. Raises GeometryError."""
    path = Path(path)
    nodes, meshes = _collect(path)
    numbers = {number for number, _ in meshes}
    nothing: tuple[str, Mesh | None] = ("", None)
    hulls: list[HullPart] = []
    while len(hulls) + 1 in numbers:
        drawn, proxy = (meshes.get((len(hulls) + 1, is_proxy), nothing)[1] for is_proxy in (False, True))
        hulls.append(HullPart(len(hulls) + 1, drawn, proxy))
    unreached = tuple(sorted(name for (number, _), (name, _) in meshes.items() if number > len(hulls)))
    if not hulls:
        found_names = ", ".join(unreached or sorted(nodes)[:12])
        raise GeometryError(f"{path}: no hull found: no part named hull1 or hullproxy1; it has: {found_names}")
    return Geometry(path, tuple(hulls), nodes, unreached)
