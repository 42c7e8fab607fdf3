"""Reads a vehicle's .glb as drawable nodes: an opaque, a glass and a mirror mesh per named node.

Each vertex has the number of its material, which is found by its name. Vertex colours hold the share of ambient light
and, in seams, the distance from the seam's line. panda3d-gltf reads the file (y up becomes z up). `rest` matrices are
the poses of nodes relative to the model origin. A node may take its meshes from another file next to the model's: the
node's property `model` names the file, and `scale` (one number, or one each for x, y and z) scales the drawn mesh only.
If that file is missing, a box is drawn.
"""

from __future__ import annotations

import logging
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path

import numpy as np
from panda3d.core import Geom, GeomNode, LMatrix4f, MaterialAttrib, NodePath, RenderState

from driving_sandbox.game.view.gl.geometry import (
    Mesh,
    joined,
    matrix_array,
    quad_triangles,
    read_column,
    read_shape,
    still_mesh,
)
from driving_sandbox.physics.base.json_text import parse_json
from driving_sandbox.physics.base.user_error import WrongValue
from driving_sandbox.physics.schema.gltf_file import MAX_COORDINATE, checked_gltf
from driving_sandbox.physics.schema.model_file import FilesBeside
from driving_sandbox.physics.shape.drawn_wheels import WHEEL_NODE

MATERIALS = (  # in the order of shaders/vehicle.frag
    "paint",
    "glass",
    "rubber",
    "rim",
    "disc",
    "caliper",
    "plastic_black",
    "gloss_black",
    "lamp_front",
    "lamp_rear",
    "seat",
    "chrome",
    "frame",
    "plate",
    "lamp_turn",
    "lamp_reverse",
    "dial",
    "mirror",
    "lining",
    "sign",
    "seam",
    "skin",
    "cloth",
    "canvas",
    "matt",
    "leather",
    "stitch",
    "needle",
    "groove",
)
GLASS, LAMP_FRONT, LAMP_REAR, MIRROR, SEAM, PLATE, SIGN = (
    MATERIALS.index(name) for name in ("glass", "lamp_front", "lamp_rear", "mirror", "seam", "plate", "sign")
)
SIMILAR = {  # {word in an unknown material's name: material that it is drawn as}
    "tire": "rubber",
    "tyre": "rubber",
    "plastic": "plastic_black",
    "lamp": "lamp_front",
    "metal": "frame",
    "steel": "frame",
    "interior": "seat",
    "body": "paint",
}
# materials of the lenses of lamps, and of what surrounds them
LAMP = tuple(MATERIALS.index(name) for name in ("lamp_front", "lamp_rear", "lamp_turn", "lamp_reverse"))
HOUSING = tuple(MATERIALS.index(name) for name in ("gloss_black", "chrome"))
NEAR = 0.05  # m; vertices of HOUSING about this near to a lens belong to its lamp; also the margin around letters
FLAT = 0.98  # minimum cosine between the normal of a number plate and the vehicle's longitudinal axis
PLACEHOLDER = 0.3  # m, side of the box drawn for a missing file
LAMP_HEIGHT = 1.5  # m, maximum height of headlamps and stop lamps (UNECE R48); higher ones are clearance lamps
_log = logging.getLogger(__name__)


def material_number(name: str) -> int:
    """Index in MATERIALS of a material's name; for an unknown name, of a similar material or else of black plastic."""
    name = name.lower()
    if name in MATERIALS:
        return MATERIALS.index(name)
    with_prefix = [m for m in MATERIALS if name.startswith(m)]
    if with_prefix:
        return MATERIALS.index(with_prefix[0])
    return MATERIALS.index(next((m for word, m in SIMILAR.items() if word in name), "plastic_black"))


@dataclass
class Part:
    """A named node of the model.

    Attributes:
        rest: pose in the model.
        opaque, glass, mirrors: meshes in the node's frame.
        shape: [n, 3] points of a collision proxy, which is not drawn, m.
        extras: {glTF property: value as text}.
    """

    name: str
    rest: LMatrix4f
    opaque: GeomNode | None = None
    glass: GeomNode | None = None
    mirrors: GeomNode | None = None
    shape: np.ndarray | None = None
    extras: dict[str, str] = field(default_factory=dict)

    def numbers(self, key: str, default: str | None = None) -> np.ndarray:
        """float64[n], the finite numbers of a property. Raises WrongValue for anything else.

        default: text used if the part does not have the property; None: it must have it."""
        text = self.extras.get(key, default)
        try:
            if text is None:
                raise ValueError("is missing")
            values = np.array(parse_json(text), dtype=float).reshape(-1)
            if not (np.abs(values) <= MAX_COORDINATE).all():
                raise ValueError(f"beyond {MAX_COORDINATE:g}")
            return values
        except (OverflowError, TypeError, ValueError) as error:
            raise WrongValue(f"model part {self.name}: property {key} must be numbers: {error}") from None

    def number(self, key: str, default: str | None = None) -> float:
        """The number of a property. Arguments and errors: see `numbers`."""
        values = self.numbers(key, default)
        if len(values) != 1:
            raise WrongValue(f"model part {self.name}: property {key} must be one number")
        return float(values[0])


@dataclass
class VehicleModel:
    """The parts of a model.

    Attributes:
        parts: {name: Part}.
        head_lamp, rear_lamp: middle of the outer half of the right lamp, model frame, m; None without lamps.
    """

    parts: dict[str, Part] = field(default_factory=dict)
    head_lamp: np.ndarray | None = None
    rear_lamp: np.ndarray | None = None

    def node_position(self, name: str) -> np.ndarray | None:
        """Rest position of a node in the model frame, m; None if the model does not have the node."""
        if name not in self.parts:
            return None
        return np.array(self.parts[name].rest.getRow3(3), dtype=float)


def _rows(geom: Geom, number: int) -> Mesh:
    """(rows, triangles) of a Geom.

    Columns of the rows: position (3), normal (3), number of the material, share of ambient light, 0, and in seams the
    distance from the seam's line (otherwise 0; `_cover_plates` and `_join_lamps` write it for plates and lamps).
    """
    positions, normals, indices, origin = read_shape(geom)
    colours = read_column(geom.getVertexData(), "color")
    rows = np.zeros((len(positions), 10), np.float32)
    rows[:, :3], rows[:, 3:6] = positions, normals
    rows[:, 6] = number
    rows[:, 7] = 1.0 if colours is None else colours[origin, 0]
    if number == SEAM:
        rows[:, 9] = 0.5 if colours is None else colours[origin, 1]  # without distances a seam is dark all over
    return rows, indices


def _merged(name: str, chunks: list[tuple[np.ndarray, np.ndarray]]) -> GeomNode | None:
    """Node with the mesh of several (rows, triangles); None without any."""
    if not chunks:
        return None
    node = GeomNode(name)
    node.addGeom(still_mesh(*joined(chunks), "vertex", "normal", "look"))
    return node


def read_scene(path: Path) -> NodePath:
    """The Panda3D nodes of a .glb or .gltf file, z up; meshes without normals get none.

    Only checked content reaches panda3d-gltf, which trusts the sizes and opens the files that a model states. Raises
    WrongValue for a file that cannot be used.
    """
    from gltf import GltfSettings, _converter

    class Reader(_converter.Converter):  # type: ignore[misc]  # untyped package
        """panda3d-gltf's converter without its slow loops: tangents are not used, `read_shape` computes normals."""

        def calculate_tangents(self, geom: Geom) -> None:
            pass

        def calculate_normals(self, geom: Geom) -> None:
            pass

    content = checked_gltf(path)
    reader = Reader(str(path), settings=GltfSettings(skip_axis_conversion=False, no_srgb=True))
    reader.buffers[0] = content.buffer
    try:
        with redirect_stdout(StringIO()):  # the reader prints a notice for every mesh without a material
            reader.update(content.header)
    except Exception as error:  # whatever the reader meets in a foreign file is one error for the user
        raise WrongValue(f"{path}: cannot be drawn: {type(error).__name__}: {error}") from None
    return NodePath(reader.active_scene.node())


def material_name(state: RenderState) -> str:
    """Name of a RenderState's material, or ""."""
    attribute = state.getAttrib(MaterialAttrib)
    material = attribute.getMaterial() if attribute else None
    return material.getName() if material else ""


def load_model(path: Path) -> VehicleModel:
    """Read a vehicle's model; of `hullproxy*` nodes, the collision geometry, only the points. Raises WrongValue."""
    scene = read_scene(path)
    model = VehicleModel()
    for node_path in scene.findAllMatches("**"):
        name = _part_name(node_path)
        if (not name or name in model.parts) and not isinstance(node_path.node(), GeomNode):
            continue
        owner = name if not isinstance(node_path.node(), GeomNode) else _owner(node_path, name)
        part = model.parts.setdefault(owner, Part(owner, LMatrix4f(node_path.getMat(scene)), extras=_extras(node_path)))
        if isinstance(node_path.node(), GeomNode):
            if owner.startswith("hullproxy"):
                part.shape = _points(node_path)
            else:
                _add_meshes(model, part, node_path)
    for part in model.parts.values():
        if "model" in part.extras:
            _take_file(part, Path(path).parent)
    return model


def _take_file(part: Part, folder: Path) -> None:
    """Replace a part's meshes by those of the file named by its property `model`, or by a box. Raises WrongValue."""
    named, scale = part.extras["model"], _scale(part, folder)
    try:
        file = FilesBeside(folder / "model").path_of(named)
        missing = not file.exists()
    except OSError as error:
        raise WrongValue(f"{folder}: part {part.name}: model {named}: {error.strerror or error}") from None
    if missing:
        _log.warning("%s: no such model file; part %s is drawn as a box", file, part.name)
        part.opaque, part.glass = _merged(part.name, [_box(scale)]), None
        return
    scene, opaque, glass = read_scene(file), list[Mesh](), list[Mesh]()
    for node_path in scene.findAllMatches("**/+GeomNode"):
        matrix = matrix_array(node_path.getMat(scene))
        for index in range(node_path.node().getNumGeoms()):
            number = material_number(material_name(node_path.node().getGeomState(index)))
            rows, triangles = _rows(node_path.node().getGeom(index), number)
            rows[:, :3] = (rows[:, :3] @ matrix[:3, :3] + matrix[3, :3]) * scale
            normals = rows[:, 3:6] @ matrix[:3, :3] / scale
            rows[:, 3:6] = normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
            (glass if number == GLASS else opaque).append((rows, triangles))
    part.opaque, part.glass = _merged(part.name, opaque), _merged(part.name + " glass", glass)


def _scale(part: Part, folder: Path) -> np.ndarray:
    """[3] scale of a part's mesh from its property `scale`. Raises WrongValue."""
    text = part.extras.get("scale", "1")
    try:
        scale = np.broadcast_to(part.numbers("scale", "1"), 3)
    except ValueError:
        scale = np.zeros(3)
    if not (scale > 0.0).all():
        raise WrongValue(f"{folder}: part {part.name}: scale {text}: must be a number above 0, or three")
    return scale


def _box(scale: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(rows, triangles) of the box for a missing file, in the colour of brake calipers."""
    rows = np.zeros((24, 10), np.float32)
    for face in range(6):
        axis, side = face // 2, face % 2 * 2.0 - 1.0
        for k, (a, b) in enumerate(((-1, -1), (1, -1), (1, 1), (-1, 1))):
            rows[4 * face + k, [axis, (axis + 1) % 3, (axis + 2) % 3]] = side, a * side, b
            rows[4 * face + k, 3 + axis] = side
    rows[:, :3] *= scale * PLACEHOLDER / 2.0
    rows[:, 6], rows[:, 7] = MATERIALS.index("caliper"), 1.0
    return rows, quad_triangles(6)


def _points(node_path: NodePath) -> np.ndarray:
    """[n, 3] points of all meshes of a node, m."""
    geoms = [node_path.node().getGeom(k) for k in range(node_path.node().getNumGeoms())]
    return np.concatenate([read_shape(geom)[0] for geom in geoms]).astype(float)


def _extras(node_path: NodePath) -> dict[str, str]:
    return {key: node_path.getTag(key) for key in node_path.node().getTagKeys()}


def _part_name(node_path: NodePath) -> str:
    """Name of a node; names of wheels get the form wheelN."""
    return WHEEL_NODE.sub(r"wheel\1", node_path.getName())


def _owner(node_path: NodePath, name: str) -> str:
    """Name of the part that a mesh node belongs to: panda3d-gltf puts meshes into a GeomNode below the named node."""
    parent = node_path.getParent()
    is_mesh_holder = not parent.isEmpty() and parent.getName() and node_path.getMat() == LMatrix4f.identMat()
    return _part_name(parent) if is_mesh_holder and parent.getName() not in ("root", "scene") else name


def _add_meshes(model: VehicleModel, part: Part, node_path: NodePath) -> None:
    """Add a node's meshes to a part, and find the lamps."""
    opaque, glass, mirrors = list[Mesh](), list[Mesh](), list[Mesh]()
    node = node_path.node()
    for index in range(node.getNumGeoms()):
        number = material_number(material_name(node.getGeomState(index)))
        rows = _rows(node.getGeom(index), number)
        {GLASS: glass, MIRROR: mirrors}.get(number, opaque).append(rows)
        if number == LAMP_FRONT and model.head_lamp is None:
            model.head_lamp = _lamp_position(rows[0][:, :3].astype(float), 1.0)
        if number == LAMP_REAR and model.rear_lamp is None:
            model.rear_lamp = _lamp_position(rows[0][:, :3].astype(float), -1.0)
    _cover_plates(opaque)
    _join_lamps(opaque)
    part.opaque = _merged(part.name, opaque) or part.opaque
    part.glass = _merged(part.name + " glass", glass) or part.glass
    part.mirrors = _merged(part.name + " mirrors", mirrors) or part.mirrors


def _cover_plates(chunks: list[tuple[np.ndarray, np.ndarray]]) -> None:
    """Write into number plates and their letters, front and rear, the share of the plate that the letters cover."""
    for end in (-1.0, 1.0):
        letters, positions = _facing(chunks, SIGN, end)
        if not letters:
            continue
        low, high = positions.min(axis=0) - NEAR, positions.max(axis=0) + NEAR
        plate, _ = _facing(chunks, PLATE, end, low, high)
        plate_area = sum(_area(*part) for part in plate)
        covered = min(1.0, sum(_area(*part) for part in letters) / plate_area) if plate_area else 0.0
        for rows, triangles in (*plate, *letters):
            rows[np.unique(triangles), 9] = covered


def _facing(chunks: list[Mesh], number: int, end: float, low: float | np.ndarray = -np.inf,
            high: float | np.ndarray = np.inf) -> tuple[list[Mesh], np.ndarray]:  # fmt: skip
    """([(rows, triangles)], centres of the triangles) of a material's triangles that face the front (end 1) or the rear
    (-1), in the box from `low` to `high`, m.

    Args:
        chunks, number: [(rows, triangles)] of several materials; number of the material.
    """
    parts, middles = [], [np.zeros((0, 3))]
    for rows, triangles in chunks:
        if rows[0, 6] == number:
            middle = rows[triangles, :3].mean(axis=1)
            mask = (end * rows[triangles, 4] > FLAT).all(axis=1) & ((middle > low) & (middle < high)).all(axis=1)
            if mask.any():
                parts.append((rows, triangles[mask]))
                middles.append(middle[mask])
    return parts, np.concatenate(middles)


def _join_lamps(chunks: list[tuple[np.ndarray, np.ndarray]]) -> None:
    """Mark the vertices of lamps' lenses, and those of HOUSING near them, as parts of lamps.

    Space is divided into cubes with sides of NEAR; vertices of HOUSING in a lens's cube or a neighbouring one count.
    """
    lenses = [rows for rows, _ in chunks if rows[0, 6] in LAMP]
    for rows in lenses:
        rows[:, 9] = 1.0
    if not lenses:
        return
    cells = {tuple(cell) for cell in np.floor(np.concatenate(lenses)[:, :3] / NEAR).astype(int)}
    around = {(x + i, y + j, z + k) for x, y, z in cells for i in (-1, 0, 1) for j in (-1, 0, 1) for k in (-1, 0, 1)}
    for rows, _ in chunks:
        if rows[0, 6] in HOUSING:
            rows[:, 9] = [tuple(cell) in around for cell in np.floor(rows[:, :3] / NEAR).astype(int)]


def _area(rows: np.ndarray, triangles: np.ndarray) -> float:
    """Total area of triangles, m2."""
    a, b, c = rows[triangles, :3].astype(float).swapaxes(0, 1)
    return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum()) / 2.0


def _lamp_position(points: np.ndarray, end: float) -> np.ndarray | None:
    """Position of the right lamp's light, m: the mean of its points beyond half the largest x; None without points.

    Only points below LAMP_HEIGHT near the front (`end` 1) or the rear (-1) count.
    """
    points = points[points[:, 2] < LAMP_HEIGHT]
    distance = end * points[:, 1]
    points = points[(points[:, 0] > 0.0) & (distance > 0.6 * distance.max(initial=0.0))]
    return points[points[:, 0] > 0.5 * points[:, 0].max()].mean(axis=0) if len(points) else None
