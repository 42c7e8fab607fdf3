"""Conversion between numpy arrays and Panda3D Geoms, by copies of whole buffers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from panda3d.core import (
    BoundingSphere,
    Geom,
    GeomEnums,
    GeomTriangles,
    GeomVertexArrayFormat,
    GeomVertexData,
    GeomVertexFormat,
    LMatrix4f,
    LPoint3f,
)

Mesh = tuple[np.ndarray, np.ndarray]  # rows of vertices; [n, 3] indices of the rows of each triangle
COLUMNS = {  # {name: (number of components, contents)}; what `look` and those below it mean is up to the shaders
    "vertex": (3, GeomEnums.CPoint),
    "normal": (3, GeomEnums.CNormal),
    "texcoord": (2, GeomEnums.CTexcoord),
    "look": (4, GeomEnums.COther),
    "age": (4, GeomEnums.COther),
    "motion": (4, GeomEnums.COther),
    "velocity": (4, GeomEnums.COther),
}


@lru_cache
def vertex_format(*names: str) -> GeomVertexFormat:
    """A registered vertex format of one float32 array with these columns, in order."""
    array = GeomVertexArrayFormat()
    for name in names:
        count, contents = COLUMNS[name]
        array.addColumn(name, count, GeomEnums.NTFloat32, contents)
    layout = GeomVertexFormat()
    layout.addArray(array)
    return GeomVertexFormat.registerFormat(layout)


def triangles(indices: np.ndarray, vertex_count: int) -> GeomTriangles:
    """GeomTriangles from an array of indices, with 16-bit indices if they are enough."""
    needs_32_bits = vertex_count > 65535
    primitive = GeomTriangles(Geom.UHStatic)
    primitive.setIndexType(Geom.NTUint32 if needs_32_bits else Geom.NTUint16)
    flat = np.ascontiguousarray(indices.reshape(-1), np.uint32 if needs_32_bits else np.uint16)
    array = primitive.modifyVertices()
    array.uncleanSetNumRows(flat.size)
    memoryview(array).cast("B")[:] = flat.data.cast("B")
    return primitive


def quad_triangles(count: int) -> np.ndarray:
    """[2 count, 3] triangles of quads whose corners are four consecutive vertices each, in order around the quad."""
    first = np.arange(count)[:, None] * 4
    return np.concatenate([first + [0, 1, 2], first + [0, 2, 3]])


def vertex_data(rows: np.ndarray, *names: str) -> GeomVertexData:
    """GeomVertexData of `rows` [n, floats], whose columns are in the order of `names`."""
    data = GeomVertexData("mesh", vertex_format(*names), Geom.UHStatic)
    data.uncleanSetNumRows(len(rows))
    flat = np.ascontiguousarray(rows, np.float32).reshape(-1)
    memoryview(data.modifyArray(0)).cast("B")[:] = flat.data.cast("B")
    return data


def mesh(rows: np.ndarray, indices: np.ndarray, *names: str) -> Geom:
    """Geom of triangles from vertex rows (see `vertex_data`) and indices."""
    geom = Geom(vertex_data(rows, *names))
    geom.addPrimitive(triangles(indices, len(rows)))
    return geom


def still_mesh(rows: np.ndarray, indices: np.ndarray, *names: str) -> Geom:
    """A `mesh` whose vertices never change, with its bounds computed here."""
    geom = mesh(rows, indices, *names)
    geom.setBounds(sphere_around(rows[:, :3]))
    return geom


def sphere_around(points: np.ndarray) -> BoundingSphere:
    """Bounding sphere of points [n, 3] about the middle of their bounding box.

    Panda3D would compute the same sphere in the frame that first draws the points, but vertex by vertex, which takes
    about a hundred times as long.
    """
    columns = np.ascontiguousarray(points.T)
    middle = (columns.min(axis=1) + columns.max(axis=1)) / 2.0
    offsets = columns - middle[:, None]
    return BoundingSphere(LPoint3f(*middle.tolist()), math.sqrt(float((offsets * offsets).sum(axis=0).max())))


def joined(parts: Sequence[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """One (rows, triangles) from several: `parts` is a list of (rows, triangles)."""
    starts = np.cumsum([0] + [len(rows) for rows, _ in parts])  # the last is the total
    return (
        np.concatenate([rows for rows, _ in parts]),
        np.concatenate([indices + start for (_, indices), start in zip(parts, starts, strict=False)]),
    )


def read_column(data: GeomVertexData, name: str) -> np.ndarray | None:
    """Column `name` as float32 [n, components], or None without it; 8- and 16-bit columns are scaled to 0..1."""
    layout = data.getFormat()
    array_index = layout.getArrayWith(name)
    if array_index < 0:
        return None
    column = layout.getColumn(name)
    array = data.getArray(array_index)
    stride = array.getArrayFormat().getStride()
    raw = np.frombuffer(bytes(memoryview(array).cast("B")), np.uint8).reshape(-1, stride)
    types = {GeomEnums.NTFloat32: np.float32, GeomEnums.NTUint8: np.uint8, GeomEnums.NTUint16: np.uint16}
    dtype: np.dtype[Any] = np.dtype(types[column.getNumericType()])
    width = dtype.itemsize * column.getNumComponents()
    block = np.ascontiguousarray(raw[:, column.getStart() : column.getStart() + width])
    values = block.view(dtype).reshape(len(raw), column.getNumComponents())
    if dtype.kind == "u":
        return values.astype(np.float32) / np.iinfo(dtype).max
    return values


def column_of(geom: Geom, name: str) -> np.ndarray:
    """Column `name` of a Geom that has it, as from `read_column`. Raises KeyError if it is missing."""
    column = read_column(geom.getVertexData(), name)
    if column is None:
        raise KeyError(f"vertices without a column {name!r}")
    return column


def read_triangles(geom: Geom) -> np.ndarray:
    """[n, 3] vertex indices of all triangles of a Geom."""
    parts = []
    for index in range(geom.getNumPrimitives()):
        primitive = geom.getPrimitive(index).decompose()
        if not primitive.isIndexed():
            first = primitive.getFirstVertex()
            parts.append(np.arange(first, first + primitive.getNumVertices()).reshape(-1, 3))
            continue
        array = primitive.getVertices()
        types = {GeomEnums.NTUint8: np.uint8, GeomEnums.NTUint16: np.uint16, GeomEnums.NTUint32: np.uint32}
        flat = np.frombuffer(bytes(memoryview(array).cast("B")), types[primitive.getIndexType()])
        parts.append(flat.reshape(-1, 3).astype(np.int64))
    return np.concatenate(parts) if parts else np.zeros((0, 3), np.int64)


def read_rows(geom: Geom, *names: str, transform: LMatrix4f | None = None) -> tuple[np.ndarray, np.ndarray]:
    """(rows, triangles) of a Geom, with the columns `names`.

    With a transform the first two must be vertex and normal.

    Args:
        transform: applied to vertices and normals, or None. Normals get its scale, which must be uniform, and are not
            normalised again.
    """
    rows = np.column_stack([column_of(geom, name) for name in names]).astype(np.float32)
    if transform is not None:
        rows[:, :3], rows[:, 3:6] = transformed(rows[:, :3], transform), rows[:, 3:6] @ _linear_part(transform)
    return rows, read_triangles(geom)


def matrix_array(matrix: LMatrix4f) -> np.ndarray:
    """[4, 4] float64 array of a Panda3D matrix M, which acts on row vectors: p' = p M."""
    return np.array([tuple(matrix.getRow(i)) for i in range(4)])


def transformed(points: np.ndarray, transform: LMatrix4f) -> np.ndarray:
    """Points [n, 3] transformed by a Panda3D matrix."""
    return points @ _linear_part(transform) + np.array(tuple(transform.getRow3(3)), np.float32)


def _linear_part(transform: LMatrix4f) -> np.ndarray:
    """[3, 3] rotation and scale of a Panda3D matrix, for row vectors."""
    return np.array([tuple(transform.getRow3(i)) for i in range(3)], np.float32)


def read_shape(geom: Geom) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(positions, normals, triangles, index in the Geom of each returned vertex).

    If the Geom has no normals, every triangle gets its own three vertices with the triangle's normal, as glTF
    prescribes.
    """
    indices = read_triangles(geom)
    positions, normals = column_of(geom, "vertex")[:, :3], read_column(geom.getVertexData(), "normal")
    if normals is not None:
        return positions, normals, indices, np.arange(len(positions))
    origin = indices.reshape(-1)
    corners = positions[indices]
    face_normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    face_normals /= np.maximum(np.linalg.norm(face_normals, axis=1, keepdims=True), 1e-12)
    return positions[origin], np.repeat(face_normals, 3, axis=0), np.arange(len(origin)).reshape(-1, 3), origin
