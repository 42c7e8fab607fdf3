"""A vehicle's .glb as drawable nodes: one opaque and one glass mesh per named node, material numbers per vertex.

Read by panda3d-gltf (y up -> z up). Materials are told by name; vertex colours are ambient occlusion. The nodes'
own positions in the model are kept as `rest` matrices relative to the model origin.
"""

from __future__ import annotations

from contextlib import redirect_stdout
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path

import numpy as np
from panda3d.core import GeomNode, LMatrix4f, MaterialAttrib, NodePath

from game.view.geometry import mesh, read_column, read_shape

# Order as in shaders/vehicle.frag.
MATERIALS = (
    "paint", "glass", "rubber", "rim", "disc", "caliper", "plastic_black", "gloss_black", "lamp_front", "lamp_rear",
    "seat", "chrome", "frame", "plate",
)
GLASS = MATERIALS.index("glass")
SIMILAR = {"tire": "rubber", "tyre": "rubber", "plastic": "plastic_black", "lamp": "lamp_front", "metal": "frame",
           "steel": "frame", "interior": "seat", "skin": "seat", "body": "paint"}


def material_number(name: str) -> int:
    """Index into MATERIALS; unknown names fall back on a similar word, then on black plastic."""
    lowered = name.lower()
    if lowered in MATERIALS:
        return MATERIALS.index(lowered)
    known = [m for m in MATERIALS if lowered.startswith(m)]
    similar = known[0] if known else next((m for word, m in SIMILAR.items() if word in lowered), "plastic_black")
    return MATERIALS.index(similar)


@dataclass
class Part:
    """One named node of the model: its meshes in its own frame and its place in the model."""

    name: str
    rest: LMatrix4f
    opaque: GeomNode | None = None
    glass: GeomNode | None = None


@dataclass
class VehicleModel:
    parts: dict[str, Part] = field(default_factory=dict)

    def place(self, name: str) -> np.ndarray | None:
        """Rest position of a node in the model frame."""
        if name not in self.parts:
            return None
        return np.array(self.parts[name].rest.getRow3(3), dtype=float)


def _rows(geom, number: int) -> tuple[np.ndarray, np.ndarray]:
    positions, normals, indices, origin = read_shape(geom)
    colours = read_column(geom.getVertexData(), "color")
    rows = np.zeros((len(positions), 10), np.float32)
    rows[:, :3], rows[:, 3:6] = positions, normals
    rows[:, 6] = number
    rows[:, 7] = 1.0 if colours is None else colours[origin, 0]
    return rows, indices


def _merged(name: str, chunks: list[tuple[np.ndarray, np.ndarray]]) -> GeomNode | None:
    if not chunks:
        return None
    starts = np.cumsum([0] + [len(rows) for rows, _ in chunks])
    rows = np.concatenate([rows for rows, _ in chunks])
    indices = np.concatenate([triangles + start for (_, triangles), start in zip(chunks, starts, strict=False)])
    node = GeomNode(name)
    node.addGeom(mesh(rows, indices, "vertex", "normal", "look"))
    return node


def read_scene(path: Path) -> NodePath:
    """The .glb as Panda3D nodes, z up; meshes without normals come without."""
    from gltf import GltfSettings, _converter, parseutils

    class Reader(_converter.Converter):
        """Without what it would work out vertex by vertex: nothing here uses tangents, flat normals are made below."""

        def calculate_tangents(self, geom):
            pass

        def calculate_normals(self, geom):
            pass

    if not Path(path).is_file():
        raise FileNotFoundError(f"{path}: no such model file")
    reader = Reader(str(path), settings=GltfSettings(skip_axis_conversion=False, no_srgb=True))
    with redirect_stdout(StringIO()):  # it prints a notice for every mesh without a material
        reader.update(parseutils.parse_gltf_file(str(path)))
    return NodePath(reader.active_scene.node())


def material_name(state) -> str:
    attribute = state.getAttrib(MaterialAttrib)
    material = attribute.getMaterial() if attribute else None
    return material.getName() if material else ""


def load_model(path: Path) -> VehicleModel:
    """Read a vehicle. `hullproxy*` nodes are collision geometry and keep no meshes."""
    scene = read_scene(path)
    model = VehicleModel()
    for found in scene.findAllMatches("**"):
        name = found.getName()
        if (not name or name in model.parts) and not isinstance(found.node(), GeomNode):
            continue
        owner = name if not isinstance(found.node(), GeomNode) else _owner(found, name)
        part = model.parts.setdefault(owner, Part(owner, LMatrix4f(found.getMat(scene))))
        if isinstance(found.node(), GeomNode) and not owner.startswith("hullproxy"):
            _add_meshes(part, found)
    return model


def _owner(found: NodePath, name: str) -> str:
    """panda3d-gltf hangs the mesh as a GeomNode below the named node; the part is the named node."""
    parent = found.getParent()
    is_mesh_holder = not parent.isEmpty() and parent.getName() and found.getMat() == LMatrix4f.identMat()
    return parent.getName() if is_mesh_holder and parent.getName() not in ("root", "scene") else name


def _add_meshes(part: Part, found: NodePath) -> None:
    opaque, glass = [], []
    node = found.node()
    for index in range(node.getNumGeoms()):
        number = material_number(material_name(node.getGeomState(index)))
        (glass if number == GLASS else opaque).append(_rows(node.getGeom(index), number))
    part.opaque = _merged(part.name, opaque) or part.opaque
    part.glass = _merged(part.name + " glass", glass) or part.glass
