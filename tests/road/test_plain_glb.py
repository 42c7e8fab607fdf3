"""Binary glTF of plain triangles is read without trimesh, with equal vertices; trimesh reads other files."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from driving_sandbox.physics.ground.meshes import load_meshes
from driving_sandbox.physics.ground.surfaces import default_surfaces
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.schema import glb as plain_glb
from driving_sandbox.physics.shape.geometry import load_geometry

SHIPPED = sorted((ROOT / "assets").rglob("*.glb"))
VEHICLES = [path for path in SHIPPED if path.parent.name == "models"]
ROUNDING = 1e-12  # m; trimesh's products of transforms round as the processor's BLAS does
WORLDS = [path for path in SHIPPED if path.name == "meshes.glb"]


def _glb(header, binary):
    """A binary glTF with this JSON and buffer."""
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 4)
    chunks = [(len(text), b"JSON", text), (len(binary), b"BIN\0", binary)]
    body = b"".join(size.to_bytes(4, "little") + kind + data for size, kind, data in chunks)
    return b"glTF" + (2).to_bytes(4, "little") + (12 + len(body)).to_bytes(4, "little") + body


def _tetrahedron():
    """(JSON, buffer) of a plain file: a tetrahedron of two materials below two transformed nodes."""
    corners = np.array([[0, 0, 0], [1.1, 0, 0], [0, 1.3, 0], [0, 0, 0.7]], np.float32)
    faces = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], np.uint16)
    binary = corners.tobytes() + faces.tobytes()
    views = [{"buffer": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 24}]
    indices = [
        {"bufferView": 1, "byteOffset": 12 * k, "componentType": 5123, "count": 6, "type": "SCALAR"} for k in (0, 1)
    ]
    return {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [
            {"name": "top", "translation": [0.1, 0.2, 0.3], "rotation": [0.1, 0.5, -0.2, 0.7], "children": [1]},
            {"name": "arm", "translation": [0.7, -0.1, 1.3], "children": [2]},
            {"name": "hull1", "rotation": [0.3, 0.1, 0.2, 0.9], "mesh": 0},
        ],
        "meshes": [{"name": "hull1", "primitives": [
            {"attributes": {"POSITION": 0}, "indices": 1 + k, "material": k} for k in (0, 1)]}],
        "materials": [{"name": "asphalt"}, {"name": "grass"}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"},
            *indices,
        ],
        "bufferViews": views,
        "buffers": [{"byteLength": len(binary)}],
    }, binary  # fmt: skip


def _without_plain(monkeypatch):
    """Read all files by trimesh from now on."""
    monkeypatch.setattr(plain_glb, "read", lambda path: None)
    load_geometry.cache_clear()


@pytest.fixture(autouse=True)
def fresh():
    """No model read by an earlier test is used again."""
    load_geometry.cache_clear()
    yield
    load_geometry.cache_clear()


def _triangles(mesh):
    """Sorted corners of a mesh's triangles, because trimesh orders parts of several materials differently."""
    corners = mesh.vertices[mesh.faces].reshape(-1, 9)
    return corners[np.lexsort(corners.T)]


def _same_geometry(path, monkeypatch):
    """A vehicle's model has the same geometry read by the plain reader and by trimesh."""
    read_plainly = load_geometry(path)
    _without_plain(monkeypatch)
    read_by_trimesh = load_geometry(path)
    for our_hull, other in zip(read_plainly.hulls, read_by_trimesh.hulls, strict=True):
        for a, b in ((our_hull.drawn, other.drawn), (our_hull.proxy, other.proxy)):
            assert (a is None) == (b is None)
            if a is not None:
                assert a.material == b.material
                assert np.allclose(_triangles(a), _triangles(b), rtol=0.0, atol=ROUNDING)
        name, solid = our_hull.solid
        assert np.allclose(solid.vertices, other.solid[1].vertices, rtol=0.0, atol=ROUNDING), name
        assert solid.faces.tobytes() == other.solid[1].faces.tobytes(), name
    for name, transform in read_plainly.nodes.items():
        assert np.allclose(transform, read_by_trimesh.nodes[name], rtol=0.0, atol=ROUNDING), name
    assert read_plainly.unreached == read_by_trimesh.unreached


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_shipped_files_are_plain(path):
    assert plain_glb.read(path)


@pytest.mark.parametrize("path", VEHICLES, ids=lambda path: path.stem)
def test_a_vehicle_equals_that_read_by_trimesh(path, monkeypatch):
    _same_geometry(path, monkeypatch)


@pytest.mark.parametrize("path", WORLDS, ids=lambda path: path.parent.name)
def test_a_world_equals_that_read_by_trimesh(path, monkeypatch):
    read_plainly = load_meshes(path, default_surfaces())
    _without_plain(monkeypatch)
    read_by_trimesh = load_meshes(path, default_surfaces())
    assert [m.name for m in read_plainly] == [m.name for m in read_by_trimesh]
    for a, b in zip(read_plainly, read_by_trimesh, strict=True):
        assert a.vertices.tobytes() == b.vertices.tobytes()
        assert np.array_equal(a.triangles, b.triangles) and np.array_equal(a.triangle_surfaces, b.triangle_surfaces)


def test_rotated_nodes_and_several_materials_equal_those_read_by_trimesh(tmp_path, monkeypatch):
    path = tmp_path / "box.glb"
    path.write_bytes(_glb(*_tetrahedron()))
    read_plainly = load_meshes(path, default_surfaces())
    _without_plain(monkeypatch)
    (read_by_trimesh,) = load_meshes(path, default_surfaces())
    assert [m.name for m in read_plainly] == ["hull1"] and len(read_plainly[0].triangles) == 4
    assert np.allclose(read_plainly[0].vertices, read_by_trimesh.vertices, rtol=0.0, atol=ROUNDING)
    assert np.array_equal(read_plainly[0].triangles, read_by_trimesh.triangles)
    assert np.array_equal(read_plainly[0].triangle_surfaces, read_by_trimesh.triangle_surfaces)


def _scaled(header):
    header["nodes"][1]["scale"] = [2, 2, 2]


def _compressed(header):
    header["meshes"][0]["primitives"][0]["extensions"] = {"KHR_draco_mesh_compression": {}}


def _strip(header):
    header["meshes"][0]["primitives"][0]["mode"] = 5  # triangle strip


def _external_buffer(header):
    header["buffers"][0]["uri"] = "box.bin"


def _cyclic(header):
    header["nodes"][2]["children"] = [0]


def _same_names(header):
    header["nodes"][1]["name"] = "top"


def _sparse(header):
    header["accessors"][0]["sparse"] = {"count": 1}


def _too_long(header):
    header["accessors"][0]["count"] = 40


def _quantized(header):
    header["accessors"][0]["componentType"] = 5122  # int16


def _negative_mesh_index(header):
    header["nodes"][2]["mesh"] = -1


def _zero_quaternion(header):
    header["nodes"][2]["rotation"] = [0, 0, 0, 0]


@pytest.mark.parametrize(
    "change", [_scaled, _compressed, _strip, _external_buffer, _cyclic, _same_names, _sparse, _too_long, _quantized,
               _negative_mesh_index, _zero_quaternion], ids=lambda change: change.__name__[1:])  # fmt: skip
def test_other_files_are_left_to_trimesh(tmp_path, change):
    header, binary = _tetrahedron()
    path = tmp_path / "box.glb"
    path.write_bytes(_glb(header, binary))
    assert plain_glb.read(path)
    change(header)
    path.write_bytes(_glb(header, binary))
    assert plain_glb.read(path) is None


@pytest.mark.parametrize("size", [0, 3, 11, 12, 19, 30, 200, -1])
def test_a_truncated_file_is_left_to_trimesh(tmp_path, size):
    path = tmp_path / "box.glb"
    path.write_bytes(_glb(*_tetrahedron())[:size])
    assert plain_glb.read(path) is None
    assert plain_glb.read(tmp_path / "none.glb") is None


NODES = """
import hashlib, sys
from pathlib import Path
from driving_sandbox.physics.shape.geometry import load_geometry
for path in sys.argv[1:]:
    geometry, digest = load_geometry(Path(path)), hashlib.sha256()
    for name in sorted(geometry.nodes):
        digest.update(name.encode() + geometry.nodes[name].tobytes())
    for name, points in sorted(geometry.parts.items()):
        digest.update(name.encode() + points.tobytes())
    print(digest.hexdigest())
"""


def test_rotated_nodes_have_the_same_bits_with_the_linear_algebra_of_another_processor(tmp_path):
    """BLAS for a processor of 2004 rounds the products of transforms of the program's roadster and tank otherwise."""
    own = tmp_path / "nested.glb"
    own.write_bytes(_glb(*_tetrahedron()))
    models = [own, *(ROOT / "assets" / "models" / f"{name}.glb" for name in ("roadster", "tank"))]
    command = [sys.executable, "-c", NODES, *map(str, models)]
    outputs = {
        subprocess.run(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
                       capture_output=True, text=True, check=True).stdout
        for environment in ({}, {"OPENBLAS_CORETYPE": "Prescott", "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4"})
    }  # fmt: skip
    assert len(outputs) == 1 and len(outputs.pop().split()) == len(models)
