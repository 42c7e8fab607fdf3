"""A small deterministic writer of binary glTF 2.0 (.glb).

All model scripts use x right, y forward, z up, in metres. glTF is Y-up, so positions, normals, translations and
rotations are converted exactly once, here:

    glTF = (x, z, -y)            and back:  (x, y, z) = (X, -Z, Y)

panda3d-gltf applies the map back on reading, and so does `physics/` to .glb meshes read by trimesh.

    write_glb("cone.glb", [Node("cone", primitives=[Primitive(vertices, triangles, "orange")])],
              [Material("orange", (0.9, 0.2, 0.05), roughness=0.5)])

Equal inputs give equal files: positions are rounded to 1e-5 m and normals and texture coordinates to 1e-4 (so that
last-bit differences between maths libraries vanish), JSON keys keep their order, nothing depends on time or addresses.
Equal arrays are stored once, so that equal wheels share vertex data. Triangles are counter-clockwise seen from
outside.
"""

import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

POSITION_STEP = 1e-5  # m; invisible, far above the differences between maths libraries
NORMAL_STEP = 1e-4  # of normals and texture coordinates
FLOAT, UNSIGNED_BYTE, UNSIGNED_SHORT, UNSIGNED_INT = 5126, 5121, 5123, 5125  # glTF componentType
VERTEX_BUFFER, INDEX_BUFFER = 34962, 34963  # glTF bufferView.target


@dataclass(frozen=True)
class Material:
    """Metallic-roughness material; `base_color` is linear rgb or rgba, an alpha below 1 is drawn blended."""

    name: str
    base_color: tuple = (1.0, 1.0, 1.0)
    metallic: float = 0.0
    roughness: float = 0.5
    emissive: tuple = (0.0, 0.0, 0.0)
    double_sided: bool = False


@dataclass
class Primitive:
    """Triangles of one material. `normals` (n,3), `colors` (n,3|4) in 0..1 and `uv` (n,2) are optional.

    Collision meshes are written without normals: their vertices stay shared and the mesh therefore closed.
    """

    vertices: np.ndarray
    triangles: np.ndarray
    material: str | None = None
    normals: np.ndarray | None = None
    colors: np.ndarray | None = None
    uv: np.ndarray | None = None


@dataclass
class Node:
    """A named node: geometry and children relative to it. `rotation` is x, y, z, w; `extras` become glTF extras."""

    name: str
    translation: tuple = (0.0, 0.0, 0.0)
    rotation: tuple | None = None
    primitives: list = field(default_factory=list)
    children: list = field(default_factory=list)
    extras: dict = field(default_factory=dict)


def to_gltf(points: ArrayLike) -> np.ndarray:
    """(x, y, z) z-up -> (x, z, -y) Y-up, for an (n, 3) array."""
    p = np.asarray(points, dtype=np.float64).reshape(-1, 3)
    return np.stack([p[:, 0], p[:, 2], -p[:, 1]], axis=1)


def rounded(values: ArrayLike, step: float) -> np.ndarray:
    """Values rounded to `step`, as float32, without negative zeros (whose bytes differ)."""
    return (np.round(np.asarray(values, dtype=np.float64) / step) * step + 0.0).astype(np.float32) + np.float32(0.0)


class _Buffer:
    """Collects binary chunks, accessors and buffer views; the same bytes are stored once."""

    def __init__(self):
        self.data = bytearray()
        self.views, self.accessors, self._known = [], [], {}

    def accessor(self, array, component, kind, target, bounds=False, normalized=False):
        """Index of the accessor of an array; it is stored unless the same bytes are already, with the same types.

        Args:
            component, kind, target: codes of the number type, the element's shape and the use, as in glTF.
            bounds: whether to write minimum and maximum.
            normalized: whether integers stand for 0..1.
        """
        raw = np.ascontiguousarray(array).tobytes()
        key = (raw, component, kind, target)
        if key in self._known:
            return self._known[key]
        self.data.extend(b"\0" * (-len(self.data) % 4))
        self.views.append({"buffer": 0, "byteOffset": len(self.data), "byteLength": len(raw), "target": target})
        self.data.extend(raw)
        count = array.size if kind == "SCALAR" else len(array)
        entry = {"bufferView": len(self.views) - 1, "componentType": component, "count": int(count), "type": kind}
        if normalized:
            entry["normalized"] = True
        if bounds:
            entry["min"] = [float(v) for v in array.min(axis=0)]
            entry["max"] = [float(v) for v in array.max(axis=0)]
        self.accessors.append(entry)
        self._known[key] = len(self.accessors) - 1
        return self._known[key]


def _unit(normals):
    """Normals of length 1."""
    n = np.asarray(normals, dtype=np.float64)
    return n / np.maximum(np.linalg.norm(n, axis=1, keepdims=True), 1e-12)


def _primitive(buffer, primitive, materials, where):
    """glTF entry of a primitive; ValueError, with the node `where`, for a wrong shape, index or material."""
    vertices = np.asarray(primitive.vertices, dtype=np.float64)
    triangles = np.asarray(primitive.triangles)
    if vertices.ndim != 2 or vertices.shape[1] != 3 or triangles.ndim != 2 or triangles.shape[1] != 3:
        shapes = f"{vertices.shape} and {triangles.shape}"
        raise ValueError(f"{where}: vertices must be (n, 3) and triangles (m, 3), got {shapes}")
    if not len(triangles) or not np.isfinite(vertices).all():
        raise ValueError(f"{where}: needs at least one triangle and finite vertices")
    if triangles.min() < 0 or triangles.max() >= len(vertices):
        raise ValueError(f"{where}: triangle index outside 0..{len(vertices) - 1}")
    positions = rounded(to_gltf(vertices), POSITION_STEP)
    attributes = {"POSITION": buffer.accessor(positions, FLOAT, "VEC3", VERTEX_BUFFER, bounds=True)}
    if primitive.normals is not None:
        normals = rounded(to_gltf(_unit(primitive.normals)), NORMAL_STEP)
        attributes["NORMAL"] = buffer.accessor(normals, FLOAT, "VEC3", VERTEX_BUFFER)
    if primitive.uv is not None:
        attributes["TEXCOORD_0"] = buffer.accessor(rounded(primitive.uv, NORMAL_STEP), FLOAT, "VEC2", VERTEX_BUFFER)
    if primitive.colors is not None:
        colors = np.asarray(primitive.colors, dtype=np.float64)
        if colors.shape[1] == 3:
            colors = np.hstack([colors, np.ones((len(colors), 1))])
        bytes_ = np.round(np.clip(colors, 0, 1) * 255).astype(np.uint8)
        attributes["COLOR_0"] = buffer.accessor(bytes_, UNSIGNED_BYTE, "VEC4", VERTEX_BUFFER, normalized=True)
    wide = len(vertices) > 65535
    indices = np.ascontiguousarray(triangles, np.uint32 if wide else np.uint16).ravel()
    out = {
        "attributes": attributes,
        "indices": buffer.accessor(indices, UNSIGNED_INT if wide else UNSIGNED_SHORT, "SCALAR", INDEX_BUFFER),
    }
    if primitive.material is not None:
        if primitive.material not in materials:
            raise ValueError(f"{where}: unknown material {primitive.material!r}; known: {', '.join(materials)}")
        out["material"] = materials[primitive.material]
    return out


def _material(material):
    """glTF entry of a material."""
    color = tuple(material.base_color)
    color = [float(c) for c in (color if len(color) == 4 else (*color, 1.0))]
    out = {
        "name": material.name,
        "pbrMetallicRoughness": {
            "baseColorFactor": color,
            "metallicFactor": float(material.metallic),
            "roughnessFactor": float(material.roughness),
        },
    }
    if any(material.emissive):
        out["emissiveFactor"] = [float(c) for c in material.emissive]
    if color[3] < 1.0:
        out["alphaMode"] = "BLEND"
    if material.double_sided:
        out["doubleSided"] = True
    return out


def _node(node, gltf, buffer, materials):
    """Append `node` and its children; returns its index (parents come first, in the order given)."""
    index = len(gltf["nodes"])
    entry = {"name": node.name}
    gltf["nodes"].append(entry)
    if any(node.translation):
        entry["translation"] = [float(v) for v in rounded(to_gltf([node.translation]), POSITION_STEP)[0]]
    if node.rotation is not None:
        x, y, z, w = (float(c) for c in node.rotation)
        entry["rotation"] = [round(c, 7) + 0.0 for c in (x, z, -y, w)]
    if node.extras:
        entry["extras"] = node.extras
    if node.primitives:
        where = f"node {node.name!r}"
        parts = [_primitive(buffer, p, materials, where) for p in node.primitives]
        gltf["meshes"].append({"name": node.name, "primitives": parts})
        entry["mesh"] = len(gltf["meshes"]) - 1
    children = [_node(child, gltf, buffer, materials) for child in node.children]
    if children:
        entry["children"] = children
    return index


def glb_bytes(nodes: Sequence[Node], materials: Sequence[Material] = ()) -> bytes:
    """The .glb file of a forest of nodes as bytes. Raises ValueError for a primitive that is wrong or empty."""
    names = {material.name: i for i, material in enumerate(materials)}
    buffer = _Buffer()
    gltf = {
        "asset": {"version": "2.0", "generator": "assets/build/glb.py"},
        "scene": 0,
        "scenes": [{"nodes": []}],
        "nodes": [],
        "meshes": [],
        "materials": [_material(m) for m in materials],
    }
    gltf["scenes"][0]["nodes"] = [_node(node, gltf, buffer, names) for node in nodes]
    gltf["accessors"], gltf["bufferViews"] = buffer.accessors, buffer.views
    buffer.data.extend(b"\0" * (-len(buffer.data) % 4))
    gltf["buffers"] = [{"byteLength": len(buffer.data)}]
    gltf = {key: value for key, value in gltf.items() if value or key == "scene"}
    text = json.dumps(gltf, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    total = 12 + 8 + len(text) + 8 + len(buffer.data)  # file header, and two chunks with a header each
    return b"".join(
        [
            struct.pack("<4sII", b"glTF", 2, total),
            struct.pack("<I4s", len(text), b"JSON"),
            text,
            struct.pack("<I4s", len(buffer.data), b"BIN\0"),
            bytes(buffer.data),
        ]
    )


def write_glb(path: Path | str, nodes: Sequence[Node], materials: Sequence[Material] = ()) -> int:
    """Write a forest of nodes to `path`; returns the number of bytes. Raises as `glb_bytes`, and OSError."""
    data = glb_bytes(nodes, materials)
    Path(path).write_bytes(data)
    return len(data)
