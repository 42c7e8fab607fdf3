"""Fast reader of simple binary glTF files (written by assets/build/glb.py), as trimesh takes 0.2 s to import.

Simple means: a single file, no required extension, named nodes with translation and rotation but without scale, indexed
triangles with float32 positions. For any other file `read` returns None, and trimesh reads it; for simple ones
trimesh's result is equal to the last bit.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from driving_sandbox.physics.base.input_file import read_bytes
from driving_sandbox.physics.base.json_text import parse_json
from driving_sandbox.physics.schema.model_file import LARGEST

_JSON, _BINARY = 0x4E4F534A, 0x004E4942  # kinds of chunk
_HEADER = 12  # bytes: "glTF", version, length; a chunk has length and kind before it, 8 bytes
_FLOAT, _INDICES = 5126, {5121: np.uint8, 5123: np.uint16, 5125: np.uint32}  # component types
_TRIANGLES = 4
_NODE = {"name", "translation", "rotation", "children", "mesh", "extras"}
_ROOT = {"asset", "scene", "scenes", "nodes", "meshes", "materials", "accessors", "bufferViews", "buffers"}
NO_MOTION = 1e-8  # of each number of a frame, below which trimesh leaves it out
_WORLD = "world"  # trimesh's name of the root frame


@dataclass(frozen=True)
class Piece:
    """Triangles of one material, in the frame of their node: vertices float32[n, 3], faces [m, 3]."""

    vertices: np.ndarray
    faces: np.ndarray
    material: str | None


@dataclass(frozen=True)
class Node:
    """A node with its frame in the file's (y up) and the number of its mesh in the file, None without one."""

    name: str
    matrix: np.ndarray  # float64[4, 4]
    mesh: int | None
    pieces: tuple


class _NotPlain(Exception):
    pass


def _require(plain: bool) -> None:
    if not plain:
        raise _NotPlain


def read(path: Path) -> "list[Node] | None":
    """The nodes of a plain file, each before its children, or None: what cannot be read is left to trimesh's errors."""
    try:
        return _nodes(*_chunks(read_bytes(path, LARGEST)))
    except (_NotPlain, OSError, LookupError, TypeError, ValueError, AttributeError, RecursionError):
        return None


def _chunks(data: bytes) -> tuple[dict[str, Any], bytes]:
    """(the JSON, the bytes of the buffer)."""
    whole = int.from_bytes(data[8:12], "little")
    _require(data[:8] == b"glTF\x02\x00\x00\x00" and whole == len(data))
    found, at = {}, _HEADER
    while at < whole:
        size, kind = (int.from_bytes(data[at + k : at + k + 4], "little") for k in (0, 4))
        _require(kind not in found and at + 8 + size <= whole)
        found[kind] = data[at + 8 : at + 8 + size]
        at += 8 + size
    _require(found.keys() == {_JSON, _BINARY})
    return parse_json(found[_JSON]), found[_BINARY]


def _nodes(header: dict[str, Any], binary: bytes) -> "list[Node]":
    _require(header.keys() <= _ROOT and len(header["buffers"]) == 1 and "uri" not in header["buffers"][0])
    names = [node["name"] for node in header["nodes"]]
    _require(len(set(names)) == len(names) and _WORLD not in names and all(isinstance(name, str) for name in names))
    pieces = [tuple(_piece(header, binary, one) for one in mesh["primitives"]) for mesh in header["meshes"]]
    _require(all(pieces))
    found = []

    seen = set()

    def walk(index, above):
        _require(index >= 0 and index not in seen)
        seen.add(index)
        node = header["nodes"][index]
        mesh = node.get("mesh")
        _require(node.keys() <= _NODE and (mesh is None or mesh >= 0))
        chain = [*above, _frame(node)]
        found.append(Node(node["name"], _product(chain), mesh, () if mesh is None else pieces[mesh]))
        for child in node.get("children", ()):
            walk(child, chain)

    for root in header["scenes"][header.get("scene", 0)]["nodes"]:
        walk(root, [])
    return found


def _product(chain: list[np.ndarray]) -> np.ndarray:
    """Of frames from the root on, multiplied in the order that trimesh does it in."""
    if len(chain) == 1:
        return chain[0]
    moving = [frame for frame in chain if np.abs(frame - np.eye(4)).max() > NO_MOTION]
    return np.linalg.multi_dot(moving) if len(moving) > 1 else (moving or [np.eye(4)])[0]


def _frame(node: dict[str, Any]) -> np.ndarray:
    """The node's frame in the one above it."""
    frame = np.eye(4)
    frame[:3, 3] = _numbers(node.get("translation", (0.0, 0.0, 0.0)), 3)
    if "rotation" in node:
        x, y, z, w = _numbers(node["rotation"], 4)
        turn = np.eye(4)
        q = np.array([[w, x, y, z]])
        q = q * np.sqrt(2.0 / np.dot(q * q, np.ones(4)))
        q = q * q.T
        turn[:3, :3] = (
            (1.0 - q[2, 2] - q[3, 3], q[1, 2] - q[3, 0], q[1, 3] + q[2, 0]),
            (q[1, 2] + q[3, 0], 1.0 - q[1, 1] - q[3, 3], q[2, 3] - q[1, 0]),
            (q[1, 3] - q[2, 0], q[2, 3] + q[1, 0], 1.0 - q[1, 1] - q[2, 2]),
        )
        frame = frame @ turn
    return frame


def _numbers(values: list[float] | tuple[float, float, float], count: int) -> np.ndarray:
    array = np.array(values, np.float64)
    _require(array.shape == (count,) and np.isfinite(array).all() and (count == 3 or np.abs(array).max() > NO_MOTION))
    return array


def _piece(header: dict[str, Any], binary: bytes, primitive: dict[str, dict[str, int] | int]) -> "Piece":
    _require(primitive.get("mode", _TRIANGLES) == _TRIANGLES and primitive.keys().isdisjoint({"extensions", "targets"}))
    place = header["accessors"][primitive["attributes"]["POSITION"]]
    corner = header["accessors"][primitive["indices"]]
    _require(place["componentType"] == _FLOAT and place["type"] == "VEC3" and corner["type"] == "SCALAR")
    material = header["materials"][primitive["material"]]["name"] if "material" in primitive else None
    return Piece(
        _array(header, binary, place, np.float32, 3),
        _array(header, binary, corner, _INDICES[corner["componentType"]], 1).reshape(-1, 3),
        material,
    )


def _array(header: dict[str, Any], binary: bytes, accessor: dict[str, Any], kind: type, columns: int) -> np.ndarray:
    view = header["bufferViews"][accessor["bufferView"]]
    _require("sparse" not in accessor and "byteStride" not in view and not accessor.get("normalized"))
    offset, size = accessor.get("byteOffset", 0), accessor["count"] * columns * np.dtype(kind).itemsize
    start = view.get("byteOffset", 0) + offset
    _require(start >= 0 and 0 < size <= view["byteLength"] - offset and start + size <= len(binary))
    return np.frombuffer(binary, kind, accessor["count"] * columns, start).reshape(-1, columns)
