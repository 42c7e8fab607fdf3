"""Checked content of an untrusted glTF file, for a reader that believes what a file states.

The content is rewritten into one buffer of packed arrays: the triangles that the file's scene draws, with the names and
base colours of their materials. Everything else is left out (textures, animations, skins, morph targets, cameras,
lights, extensions), so no image is opened, whatever a file names as its image. Buffers are read from the model's own
folder only. Node names, transforms and `extras` are kept.
"""

import base64
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

from driving_sandbox.physics.base.user_error import WrongValue
from driving_sandbox.physics.schema.model_file import LARGEST, MAX_ELEMENTS, FilesBeside, gltf_chunks

DRAWN_SUFFIXES = (".glb", ".gltf")  # of files that can be drawn
MAX_NODES = 20_000  # of a scene; the program's own models have up to 300
MAX_NODE_DEPTH = 64  # levels of nodes below each other; skeletons have about 30
MAX_COORDINATE = 1e6  # m and scale factors; their products and squares stay finite in float32
FLOAT, UNSIGNED_INT = 5126, 5125  # component types
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}  # {type of an accessor: numbers in an element}
_INDICES = "indices"
_ATTRIBUTES = ("POSITION", "NORMAL", "COLOR_0")
# {use of an accessor: ({component type: type}, numbers in an element)}
_TYPES: dict[str, tuple[dict[int, Any], tuple[int, ...]]] = {
    "POSITION": ({FLOAT: np.float32}, (3,)),
    "NORMAL": ({FLOAT: np.float32}, (3,)),
    "COLOR_0": ({5121: np.uint8, 5123: np.uint16, FLOAT: np.float32}, (3, 4)),
    _INDICES: ({5121: np.uint8, 5123: np.uint16, UNSIGNED_INT: np.uint32}, (1,)),
}
_TRIANGLES, _STRIP, _FAN = 4, 5, 6  # modes of primitives; others are points and lines, which have no surface
_TRANSFORMS = {"translation": 3, "rotation": 4, "scale": 3, "matrix": 16}  # {key of a node: how many numbers}
VISUAL_EXTENSIONS = ("KHR_materials_", "KHR_texture_", "KHR_lights_", "EXT_texture_")  # prefixes; change no vertex
Z_UP = "BP_zup"  # extension: the file's axes are z up


@dataclass(frozen=True)
class CheckedGltf:
    """A valid file, without anything that is not drawn.

    Attributes:
        header: its JSON; all buffer views are of buffer 0, which has no `uri`.
        buffer: packed arrays: positions, normals and colours as float32, indices as uint32.
    """

    header: dict[str, Any]
    buffer: bytes


def checked_gltf(path: str | Path) -> CheckedGltf:
    """The drawn content of a .glb or .gltf file. Raises WrongValue, which names the file and what is wrong in it."""
    path = Path(path)
    if not path.exists():
        raise WrongValue(f"{path}: no such model file")
    if path.suffix.lower() not in DRAWN_SUFFIXES:
        raise WrongValue(f"{path}: only {' and '.join(DRAWN_SUFFIXES)} models can be drawn")
    try:
        header, binary = gltf_chunks(path)
        return _Checked(path, header, binary).result()
    except WrongValue as error:
        raise WrongValue(f"{path}: {error}") from None
    except OSError as error:
        raise WrongValue(f"{path}: cannot be read: {error.strerror or error}") from None
    except (ArithmeticError, AttributeError, LookupError, MemoryError, RecursionError, TypeError, ValueError) as error:
        raise WrongValue(f"{path}: cannot be read as glTF: {type(error).__name__}: {error}") from None


class _Checked:
    """Checks a file and collects its content. `result` raises WrongValue, or whatever a value of a wrong type causes.

    Args:
        path: the file.
        header: its JSON.
        binary: content of its binary chunk, or None.
    """

    def __init__(self, path: Path, header: dict[str, Any], binary: bytes | None) -> None:
        self._header, self._binary, self._beside = header, binary, FilesBeside(path)
        self._buffers: dict[Any, bytes] = {}  # {uri, or None for the binary chunk: content}
        self._arrays: dict[tuple[int, str], int] = {}  # {(accessor, use): index of its array}
        self._accessors: list[dict[str, Any]] = []
        self._views: list[dict[str, int]] = []
        self._pieces: list[bytes] = []  # of the packed buffer
        self._size = 0  # bytes of the packed buffer

    def result(self) -> CheckedGltf:
        """The content. Raises as the class says."""
        for name in self._header.get("extensionsRequired", ()):
            if name != Z_UP and not str(name).startswith(VISUAL_EXTENSIONS):
                raise WrongValue(f"needs the glTF extension {name}, which is not supported: export it without")
        self._check_stated()
        scene = self._header["scenes"][_count(self._header.get("scene", 0))]
        roots = [_count(root) for root in scene["nodes"]]
        order = list(self._walk(roots))
        meshes = self._drawn_meshes(order)
        new_index = {old: new for new, old in enumerate(order)}
        mesh_index = {old: new for new, old in enumerate(meshes)}
        extensions = [Z_UP] if Z_UP in self._header.get("extensionsUsed", ()) else []
        header = {
            "extensionsUsed": extensions,
            "scenes": [{"name": str(scene.get("name", "scene0")), "nodes": [new_index[root] for root in roots]}],
            "nodes": [self._node(old, new_index, mesh_index) for old in order],
            "meshes": list(meshes.values()),
            "materials": [_material(k, material) for k, material in enumerate(self._header.get("materials", ()))],
            "accessors": self._accessors,
            "bufferViews": self._views,
        }
        return CheckedGltf(header, b"".join(self._pieces))

    def _check_stated(self) -> None:
        """Raise WrongValue for a buffer shorter than the file states, or for too many elements in all accessors."""
        for number, buffer in enumerate(self._header.get("buffers", ())):
            stated, uri = buffer["byteLength"], buffer.get("uri")
            length = len(self._content(number))
            if not 0 <= stated <= length:
                where = "the file's binary chunk" if uri is None else str(uri)[:80]
                raise WrongValue(f"buffer {number}: byteLength {stated} is more than the {length} bytes of {where}")
        elements = sum(_count(accessor["count"]) for accessor in self._header.get("accessors", ()))
        if elements > MAX_ELEMENTS:
            raise WrongValue(f"{elements} elements in its accessors; at most {MAX_ELEMENTS} are allowed")

    def _content(self, number: int) -> bytes:
        """Content of a buffer. Raises WrongValue for one that cannot be read."""
        uri = self._header["buffers"][number].get("uri")
        if uri is None and (number > 0 or self._binary is None):
            raise WrongValue(f"buffer {number} has neither a uri nor a binary chunk")
        if uri not in self._buffers:
            self._buffers[uri] = (self._binary or b"") if uri is None else self._read(uri)
            if sum(map(len, self._buffers.values())) > LARGEST:
                raise WrongValue(f"its buffers have more than {LARGEST / 1e6:g} MB")
        return self._buffers[uri]

    def _read(self, uri: str) -> bytes:
        """The bytes that a uri names: a file in the model's folder, or the uri's own data."""
        if uri.startswith("data:"):
            return base64.b64decode(uri.partition(",")[2], validate=True)
        try:
            return self._beside.get(unquote(uri))
        except OSError as error:
            raise WrongValue(f"buffer {uri} cannot be read: {error.strerror or error}") from None

    def _walk(self, roots: list[int]) -> Iterator[int]:
        """Indices of the nodes below `roots`, each once."""
        seen: set[int] = set()
        level, depth = roots, 0
        while level:
            depth += 1
            if depth > MAX_NODE_DEPTH:
                raise WrongValue(f"more than {MAX_NODE_DEPTH} nodes below each other")
            children: list[int] = []
            for index in level:
                if index in seen:
                    raise WrongValue(f"node {index} has two parents")
                seen.add(index)
                yield index
                children += [_count(child) for child in self._header["nodes"][index].get("children", ())]
            if len(seen) > MAX_NODES:
                raise WrongValue(f"more than {MAX_NODES} nodes")
            level = children

    def _drawn_meshes(self, order: list[int]) -> dict[int, dict[str, Any]]:
        """{index: mesh} of the nodes' meshes that have triangles. Raises WrongValue for too many elements in all."""
        used = [_count(n["mesh"]) for n in (self._header["nodes"][k] for k in order) if "mesh" in n]
        meshes, elements, total = {}, {}, 0
        for index in used:
            if index not in meshes:
                first = self._header["meshes"][index]
                primitives = [p for p in first["primitives"] if p.get("mode", _TRIANGLES) in (_TRIANGLES, _STRIP, _FAN)]
                drawn = [primitive for p in primitives if (primitive := self._primitive(p)) is not None]
                meshes[index] = {"name": str(first.get("name", f"mesh{index}")), "primitives": drawn}
                elements[index] = sum(self._elements(primitive) for primitive in drawn)
            total += elements[index]
            if total > MAX_ELEMENTS:
                raise WrongValue(f"more than {MAX_ELEMENTS} elements in the meshes of its nodes")
        return {index: mesh for index, mesh in meshes.items() if mesh["primitives"]}

    def _elements(self, primitive: dict[str, Any]) -> int:
        used = (primitive["attributes"]["POSITION"], *([primitive["indices"]] if "indices" in primitive else []))
        return sum(self._accessors[k]["count"] for k in used)

    def _node(self, old: int, new_index: dict[int, int], mesh_index: dict[int, int]) -> dict[str, Any]:
        """A node with its indices changed to those of the result."""
        given = self._header["nodes"][old]
        node: dict[str, Any] = {"name": str(given.get("name", f"node{old}"))}
        for key, count in _TRANSFORMS.items():
            if key in given:
                node[key] = _numbers(f"node {old}: {key}", given[key], count)
        if "rotation" in node and not any(node["rotation"]):
            raise WrongValue(f"node {old}: rotation is 0")
        if given.get("mesh") in mesh_index:
            node["mesh"] = mesh_index[given["mesh"]]
        extras = given.get("extras")
        return node | {
            "children": [new_index[child] for child in given.get("children", ())],
            "extras": extras if isinstance(extras, dict) else {},
        }

    def _primitive(self, given: dict[str, Any]) -> dict[str, Any] | None:
        """A primitive with packed arrays; None for one without triangles."""
        names = [name for name in _ATTRIBUTES if name in given["attributes"]]
        if "POSITION" not in names:
            return None
        attributes = {name: self._array(given["attributes"][name], name) for name in names}
        counts = {self._accessors[k]["count"] for k in attributes.values()}
        if len(counts) > 1:
            raise WrongValue(f"the accessors of a primitive have different counts: {sorted(counts)}")
        corners = vertices = counts.pop()
        primitive = {"attributes": attributes, "mode": given.get("mode", _TRIANGLES)}
        if "indices" in given:
            primitive["indices"] = self._array(given["indices"], _INDICES)
            corners = self._accessors[primitive["indices"]]["count"]
            if self._accessors[primitive["indices"]]["max"][0] >= vertices:
                raise WrongValue(f"accessor {given['indices']}: an index is not below the number of vertices")
        if primitive["mode"] == _TRIANGLES and corners % 3:
            raise WrongValue(f"{corners} corners of triangles are no multiple of 3")
        if "material" in given:
            primitive["material"] = _count(given["material"])
        return primitive if corners >= 3 else None

    def _array(self, accessor_index: int, use: str) -> int:
        """Index of the packed array of an accessor. use: name of an attribute, or _INDICES."""
        key = (_count(accessor_index), use)
        if key not in self._arrays:
            accessor = self._header["accessors"][accessor_index]
            try:
                values = _packed(self._values(accessor, use), use)
            except WrongValue as error:
                raise WrongValue(f"accessor {accessor_index}: {error}") from None
            self._arrays[key] = len(self._accessors)
            self._accessors.append(
                {
                    "bufferView": len(self._views),
                    "componentType": UNSIGNED_INT if use == _INDICES else FLOAT,
                    "type": "SCALAR" if use == _INDICES else f"VEC{values.shape[1]}",
                    "count": len(values),
                    "max": values.max(axis=0, initial=0).tolist(),
                }
            )
            self._views.append({"buffer": 0, "byteOffset": self._size, "byteLength": values.nbytes})
            self._pieces.append(values.tobytes())
            self._size += values.nbytes
        return self._arrays[key]

    def _values(self, accessor: dict[str, Any], use: str) -> np.ndarray:
        """[count, width] numbers of an accessor, as in the file."""
        types, widths = _TYPES[use]
        width = _WIDTHS.get(accessor["type"])
        if accessor["componentType"] not in types or width not in widths or "sparse" in accessor:
            raise WrongValue(f"its type cannot be used as {use}")
        dtype, count = np.dtype(types[accessor["componentType"]]), _count(accessor["count"])
        if "bufferView" not in accessor:
            return np.zeros((count, width), dtype)
        view = self._header["bufferViews"][_count(accessor["bufferView"])]
        size, skipped = width * dtype.itemsize, _count(accessor.get("byteOffset", 0))
        start, length, stride = (_count(view.get(k, 0)) for k in ("byteOffset", "byteLength", "byteStride"))
        stride = stride or size
        content = self._content(_count(view["buffer"]))
        if count and not (skipped + (count - 1) * stride + size <= length and start + length <= len(content)):
            raise WrongValue(f"its {count} elements do not fit into its buffer")
        if not count:
            return np.zeros((0, width), dtype)
        shape, strides = (count, width), (stride, dtype.itemsize)
        return np.ndarray(shape, dtype.newbyteorder("<"), content, start + skipped, strides)


def _packed(values: np.ndarray, use: str) -> np.ndarray:
    """Values as packed uint32 for indices, or else float32; integer colours become shares of the largest value."""
    if use == _INDICES:
        return np.ascontiguousarray(values, np.uint32)
    if use == "POSITION":
        if not (np.abs(values) <= MAX_COORDINATE).all():  # also false for NaN
            raise WrongValue(f"a position is not a number, or beyond {MAX_COORDINATE:g} m")
        return np.ascontiguousarray(values, np.float32)
    if values.dtype.kind == "u":
        return values.astype(np.float32) / np.float32(np.iinfo(values.dtype).max)
    return np.nan_to_num(values.astype(np.float32), nan=0.0, posinf=0.0, neginf=0.0)


def _material(number: int, given: dict[str, Any]) -> dict[str, Any]:
    """Name and base colour of a material."""
    material: dict[str, Any] = {"name": str(given.get("name", f"mat{number}"))}
    if "pbrMetallicRoughness" in given:
        colour = given["pbrMetallicRoughness"].get("baseColorFactor", [1.0, 1.0, 1.0, 1.0])
        material["pbrMetallicRoughness"] = {
            "baseColorFactor": _numbers(f"material {number}: baseColorFactor", colour, 4)
        }
    return material


def _numbers(what: str, values: Any, count: int) -> list[float]:
    """`count` numbers of at most MAX_COORDINATE. Raises WrongValue, which says what they are."""
    if not isinstance(values, list) or len(values) != count or not all(_is_usable(value) for value in values):
        raise WrongValue(f"{what} must be {count} numbers of at most {MAX_COORDINATE:g}")
    return [float(value) for value in values]


def _is_usable(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value) and abs(value) <= MAX_COORDINATE


def _count(value: Any) -> int:
    """A count, offset or index. Raises WrongValue unless it is a whole number from 0 on."""
    if not isinstance(value, int) or value < 0:
        raise WrongValue(f"{str(value)[:40]} is not a count")
    return value
