"""Reader of plain binary glTF files, such as assets/build/glb.py writes; it saves the 0.2 s of importing trimesh.

A file is plain if it has no extensions, textures or animations and refers to no other file, if its nodes have distinct
names, translation and rotation but no scale, and if its meshes are indexed triangles with float32 positions. The
result equals trimesh's up to the rounding of products of transforms, which BLAS rounds as the processor allows and this
reader rounds in one way. `read` returns None for all other files, which trimesh then reads.
"""

from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np

from driving_sandbox.physics.base.input_file import read_bytes
from driving_sandbox.physics.base.json_text import parse_json
from driving_sandbox.physics.maths.products import dot, product
from driving_sandbox.physics.schema.model_file import MAX_FILE_SIZE

_JSON = 0x4E4F534A  # type of a chunk: "JSON"
_BINARY = 0x004E4942  # type of a chunk: "BIN"
_FILE_HEADER = 12  # bytes: "glTF", version, length of the file
_CHUNK_HEADER = 8  # bytes: length and type of the chunk
_FLOAT = 5126  # component type of positions
_INDICES = {5121: np.uint8, 5123: np.uint16, 5125: np.uint32}  # component types of indices
_TRIANGLES = 4  # mode of a primitive
_NODE = {"name", "translation", "rotation", "children", "mesh", "extras"}  # keys of a plain node
# keys of a plain file's JSON
_ROOT = {"asset", "scene", "scenes", "nodes", "meshes", "materials", "accessors", "bufferViews", "buffers"}
IDENTITY_TOLERANCE = 1e-8  # trimesh skips transforms whose elements all differ from the identity's by no more than this
_WORLD = "world"  # trimesh's name of the root node


@dataclass(frozen=True)
class Piece:
    """Triangles of one primitive of a mesh, in the axes of the node."""

    vertices: np.ndarray  # float32[n, 3]
    faces: np.ndarray  # [m, 3]
    material: str | None


@dataclass(frozen=True)
class Node:
    """A named node.

    Attributes:
        matrix: transform [4, 4] from the node's axes to the axes of the file (y up).
        mesh: index of its mesh in the file, or None.
        pieces: the mesh's Pieces, one per primitive; () without a mesh.
    """

    name: str
    matrix: np.ndarray
    mesh: int | None
    pieces: tuple


class _NotPlain(Exception):
    """The file is not plain, so trimesh must read it."""


def _require(plain: bool) -> None:
    """Raise _NotPlain unless a condition for a plain file is met."""
    if not plain:
        raise _NotPlain


def read(path: Path) -> "list[Node] | None":
    """The nodes of a plain file, each before its children; None for a file that is not plain or cannot be read."""
    try:
        return _nodes(*_chunks(read_bytes(path, MAX_FILE_SIZE)))
    except (_NotPlain, OSError, LookupError, TypeError, ValueError, AttributeError, RecursionError):
        return None


def _chunks(data: bytes) -> tuple[dict[str, Any], bytes]:
    """(parsed JSON, bytes of the buffer) of a file that has one chunk of each."""
    length = int.from_bytes(data[8:12], "little")
    _require(data[:8] == b"glTF\x02\x00\x00\x00" and length == len(data))
    chunks, offset = {}, _FILE_HEADER
    while offset < length:
        size, kind = (int.from_bytes(data[offset + k : offset + k + 4], "little") for k in (0, 4))
        start = offset + _CHUNK_HEADER
        _require(kind not in chunks and start + size <= length)
        chunks[kind] = data[start : start + size]
        offset = start + size
    _require(chunks.keys() == {_JSON, _BINARY})
    return parse_json(chunks[_JSON]), chunks[_BINARY]


def _nodes(header: dict[str, Any], binary: bytes) -> "list[Node]":
    """The nodes of the file's scene, each before its children."""
    _require(header.keys() <= _ROOT and len(header["buffers"]) == 1 and "uri" not in header["buffers"][0])
    names = [node["name"] for node in header["nodes"]]
    _require(len(set(names)) == len(names) and _WORLD not in names and all(isinstance(name, str) for name in names))
    pieces = [tuple(_piece(header, binary, primitive) for primitive in mesh["primitives"]) for mesh in header["meshes"]]
    _require(all(pieces))
    nodes, visited = [], set()

    def walk(index: int, parents: list[np.ndarray]) -> None:
        """Append the node at an index and its descendants to `nodes`; `parents`: transforms of its ancestors."""
        _require(index >= 0 and index not in visited)
        visited.add(index)
        node = header["nodes"][index]
        mesh = node.get("mesh")
        _require(node.keys() <= _NODE and (mesh is None or mesh >= 0))
        transforms = [*parents, _transform(node)]
        of_mesh = () if mesh is None else pieces[mesh]
        nodes.append(Node(node["name"], matrix=_product(transforms), mesh=mesh, pieces=of_mesh))
        for child in node.get("children", ()):
            walk(child, transforms)

    for root in header["scenes"][header.get("scene", 0)]["nodes"]:
        walk(root, [])
    return nodes


def _product(transforms: list[np.ndarray]) -> np.ndarray:
    """Product of the transforms from the root to a node, in trimesh's order: the last two first."""
    if len(transforms) == 1:
        return transforms[0]
    moving = [matrix for matrix in transforms if np.abs(matrix - np.eye(4)).max() > IDENTITY_TOLERANCE]
    return reduce(lambda right, left: product(left, right), reversed(moving)) if moving else np.eye(4)


def _transform(node: dict[str, Any]) -> np.ndarray:
    """The node's transform [4, 4] to the axes of its parent."""
    matrix = np.eye(4)
    matrix[:3, 3] = _numbers(node.get("translation", (0.0, 0.0, 0.0)), 3)
    if "rotation" in node:
        x, y, z, w = _numbers(node["rotation"], 4)
        rotation = np.eye(4)
        # trimesh's steps from quaternion to matrix: q holds twice the products of its parts
        q = np.array([[w, x, y, z]])
        q = q * np.sqrt(2.0 / dot(q, q))
        q = q * q.T
        rotation[:3, :3] = (
            (1.0 - q[2, 2] - q[3, 3], q[1, 2] - q[3, 0], q[1, 3] + q[2, 0]),
            (q[1, 2] + q[3, 0], 1.0 - q[1, 1] - q[3, 3], q[2, 3] - q[1, 0]),
            (q[1, 3] - q[2, 0], q[2, 3] + q[1, 0], 1.0 - q[1, 1] - q[2, 2]),
        )
        matrix = product(matrix, rotation)
    return matrix


def _numbers(values: list[float] | tuple[float, float, float], count: int) -> np.ndarray:
    """Array of `count` finite numbers; a quaternion (4) must not be 0."""
    array = np.array(values, np.float64)
    _require(array.shape == (count,) and bool(np.isfinite(array).all()))
    _require(count == 3 or np.abs(array).max() > IDENTITY_TOLERANCE)
    return array


def _piece(header: dict[str, Any], binary: bytes, primitive: dict[str, Any]) -> "Piece":
    """The Piece of a primitive of a mesh."""
    _require(primitive.get("mode", _TRIANGLES) == _TRIANGLES and primitive.keys().isdisjoint({"extensions", "targets"}))
    positions = header["accessors"][primitive["attributes"]["POSITION"]]
    indices = header["accessors"][primitive["indices"]]
    _require(positions["componentType"] == _FLOAT and positions["type"] == "VEC3" and indices["type"] == "SCALAR")
    material = header["materials"][primitive["material"]]["name"] if "material" in primitive else None
    return Piece(
        vertices=_array(header, binary, positions, np.float32, columns=3),
        faces=_array(header, binary, indices, _INDICES[indices["componentType"]], columns=1).reshape(-1, 3),
        material=material,
    )


def _array(header: dict[str, Any], binary: bytes, accessor: dict[str, Any], dtype: type, columns: int) -> np.ndarray:
    """The numbers [n, columns] that an accessor describes, a part of its buffer view."""
    view = header["bufferViews"][accessor["bufferView"]]
    _require("sparse" not in accessor and "byteStride" not in view and not accessor.get("normalized"))
    offset, size = accessor.get("byteOffset", 0), accessor["count"] * columns * np.dtype(dtype).itemsize
    start = view.get("byteOffset", 0) + offset
    _require(start >= 0 and 0 < size <= view["byteLength"] - offset and start + size <= len(binary))
    return np.frombuffer(binary, dtype, accessor["count"] * columns, start).reshape(-1, columns)
