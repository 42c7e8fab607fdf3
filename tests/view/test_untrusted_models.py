"""A stranger's model file: refused with its name and its fault, or drawn; nothing else is opened and nothing waits."""

import base64
import json
import os
import subprocess
import sys

import numpy as np
import pytest
from view_rig import SceneWithoutWindow

from driving_sandbox.assets.build.glb import Material, Node, write_glb
from driving_sandbox.assets.build.mesh import primitives
from driving_sandbox.assets.build.parts import box
from driving_sandbox.cli import program
from driving_sandbox.game.view.gl.geometry import read_column
from driving_sandbox.game.view.vehicle.model import load_model, read_scene
from driving_sandbox.game.view.vehicle.model_check import check_model
from driving_sandbox.game.view.vehicle.vehicle import VehicleView
from driving_sandbox.physics.base.user_error import WrongValue
from driving_sandbox.physics.kernel.jit import ROOT

CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], np.float32)
pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
LIMIT = 60.0  # s until a process that waits for a pipe is stopped


def content(uri=None, count=3, length=36, **others):
    """JSON of a glTF file that draws a triangle; its only buffer holds CORNERS."""
    uri = uri or f"data:application/octet-stream;base64,{base64.b64encode(CORNERS.tobytes()).decode()}"
    return {
        "asset": {"version": "2.0"},
        "buffers": [{"uri": uri, "byteLength": length}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": count, "type": "VEC3"}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "nodes": [{"mesh": 0, "name": "hull1"}],
        "scenes": [{"nodes": [0]}],
        **others,
    }


def saved(folder, parts, name="model.gltf"):
    """Path of a new glTF file."""
    path = folder / name
    path.write_text(json.dumps(parts), encoding="utf8")
    return path


def car_with_part(folder, model, **extras):
    """A car whose wheel has its mesh from the file `model`."""
    body = primitives(box((0.0, 0.0, 0.6), (1.6, 4.0, 0.6), 0.05, "paint"))
    wheel = Node("wheel1", (0.7, 1.2, 0.3), extras={"model": model, **extras})
    write_glb(folder / "car.glb", [Node("car", children=[Node("hull1", primitives=body), wheel])], [Material("paint")])
    return folder / "car.glb"


def image(uri):
    """Parts of a glTF file whose material has this image as its texture."""
    colour = {"baseColorTexture": {"index": 0}}
    return {"images": [{"uri": uri}], "textures": [{"source": 0}], "materials": [{"pbrMetallicRoughness": colour}]}


@pytest.fixture
def devices(tmp_path):
    """A folder with a pipe, a link to /dev/zero, and a file outside it."""
    folder = tmp_path / "in"
    folder.mkdir()
    if hasattr(os, "mkfifo"):
        os.mkfifo(folder / "pipe.bin")
    (folder / "zero.bin").symlink_to("/dev/zero")
    (tmp_path / "outside.bin").write_bytes(CORNERS.tobytes())
    return folder


@pipes
def test_images_are_never_opened(devices):
    uris = ["pipe.bin", "zero.bin", "/dev/zero", "missing.png", "../outside.bin"]
    paths = [saved(devices, content(**image(uri)), f"{k}.gltf") for k, uri in enumerate(uris)]
    code = (
        "import sys; from pathlib import Path; from driving_sandbox.game.view.vehicle.model import load_model\n"
        "for path in sys.argv[1:]: print('hull1' in load_model(Path(path)).parts)"
    )
    result = subprocess.run([sys.executable, "-c", code, *paths], cwd=ROOT, capture_output=True, text=True,
                            timeout=LIMIT, check=False, env={**os.environ, "PYTHONPATH": str(ROOT)})  # fmt: skip
    assert result.stdout.split() == len(uris) * ["True"], result.stderr


@pipes
@pytest.mark.parametrize(
    "uri", ["pipe.bin", "zero.bin", "/dev/zero", "missing.bin", "../outside.bin", "%2e%2e/outside.bin"]
)
def test_a_buffer_must_be_a_regular_file_in_the_models_folder(devices, uri):
    path = saved(devices, content(uri))
    with pytest.raises(WrongValue) as caught:
        read_scene(path)
    assert str(caught.value).startswith(f"{path}: buffer {uri} cannot be read: ")


@pipes
@pytest.mark.parametrize("name", ["pipe.glb", "zero.glb", "/dev/zero", "../outside.glb"])
def test_a_parts_file_must_be_a_regular_file_in_the_models_folder(devices, name):
    os.mkfifo(devices / "pipe.glb")
    (devices / "zero.glb").symlink_to("/dev/zero")
    with pytest.raises(WrongValue, match="not a regular file|not in the model's folder"):
        load_model(car_with_part(devices, name))


WRONG = {
    "a buffer that states more than it has": (
        content(length=10**12), "byteLength 1000000000000 is more than the 36 bytes of data:"),
    "a length that is no number": (content(length="long"), "TypeError"),
    "more elements than data": (content(count=4), "accessor 0: its 4 elements do not fit into its buffer"),
    "far more elements": (content(count=10**9), "1000000000 elements in its accessors; at most 10000000"),
    "a negative count": (content(count=-1), "-1 is not a count"),
    "a view beyond its buffer": (
        content(bufferViews=[{"buffer": 0, "byteOffset": 12, "byteLength": 36}]), "do not fit into its buffer"),
    "a buffer that is not there": (content(bufferViews=[{"buffer": 7, "byteLength": 36}]), "IndexError"),
    "no scene": (content(scenes=[]), "IndexError"),
    "nodes in a circle": (content(nodes=[{"mesh": 0, "children": [0]}]), "node 0 has two parents"),
    "nodes that double with every level": (
        content(nodes=[{"children": [k + 1, k + 1]} for k in range(40)] + [{}]), "node 1 has two parents"),
    "a long chain of nodes": (
        content(nodes=[{"children": [k + 1]} for k in range(2000)] + [{}]), "more than 64 nodes below each other"),
    "a transform of text": (content(nodes=[{"mesh": 0, "scale": "big"}]), "node 0: scale must be 3 numbers"),
    "a huge transform": (content(nodes=[{"mesh": 0, "matrix": [1e30] * 16}]), "node 0: matrix must be 16 numbers"),
    "a rotation of 0": (content(nodes=[{"mesh": 0, "rotation": [0, 0, 0, 0]}]), "node 0: rotation is 0"),
    "a mesh drawn too often": (
        content(count=3, nodes=[{"mesh": 0}, {"mesh": 0}], scenes=[{"nodes": [0, 1]}],
                meshes=[{"primitives": 2000 * [{"attributes": {"POSITION": 0}}]}]), "elements in the meshes"),
    "compressed triangles": (
        content(extensionsRequired=["KHR_draco_mesh_compression"]), "needs the glTF extension KHR_draco"),
    "JSON that is not an object": ([], "its JSON is not an object"),
    "JSON nested too deeply": (content(extras=json.loads(100 * "[" + 100 * "]")), "more than 64 lists and objects"),
}  # fmt: skip


@pytest.mark.parametrize("fault", WRONG)
def test_a_fault_is_named_with_its_file(tmp_path, monkeypatch, fault):
    if fault == "a mesh drawn too often":
        monkeypatch.setattr("driving_sandbox.physics.schema.gltf_file.MAX_ELEMENTS", 10_000)
    parts, message = WRONG[fault]
    path = saved(tmp_path, parts)
    with pytest.raises(WrongValue) as caught:
        read_scene(path)
    assert str(caught.value).startswith(f"{path}: ") and message in str(caught.value)
    part = saved(tmp_path, parts, "wheel.gltf")
    with pytest.raises(WrongValue) as caught:
        load_model(car_with_part(tmp_path, "wheel.gltf"))
    assert str(caught.value).startswith(f"{part}: ") and message in str(caught.value)


def test_an_index_beyond_the_vertices_is_named(tmp_path):
    parts = content()
    data = CORNERS.tobytes() + np.array([0, 1, 3], np.uint16).tobytes()
    parts["buffers"] = [{"uri": "data:;base64," + base64.b64encode(data).decode(), "byteLength": 42}]
    parts["bufferViews"].append({"buffer": 0, "byteOffset": 36, "byteLength": 6})
    parts["accessors"].append({"bufferView": 1, "componentType": 5123, "count": 3, "type": "SCALAR"})
    parts["meshes"][0]["primitives"][0]["indices"] = 1
    with pytest.raises(WrongValue, match="accessor 1: an index is not below the number of vertices"):
        read_scene(saved(tmp_path, parts))


@pytest.mark.parametrize("materials", [["glass"], ["mirror"], ["paint"], ["glass", "paint"]])
def test_a_figure_of_any_material_is_drawn(tmp_path, materials):
    """Its head is the middle of its top 25 cm, of paint where it has both; a figure of mirrors only is left out."""
    tops = {"glass": 1.2, "mirror": 1.2, "paint": 0.9}  # m
    meshes = [p for name in materials for p in primitives(box((0.0, 0.0, 0.5 * tops[name]), (0.4, 0.4, tops[name]), 0.0,
                                                              name))]  # fmt: skip
    body = primitives(box((0.0, 0.0, 0.6), (1.6, 4.0, 0.6), 0.05, "paint"))
    nodes = [Node("hull1", primitives=body), Node("driver", (0.3, 0.1, 0.2), primitives=meshes)]
    names = sorted({"paint", *materials})
    write_glb(tmp_path / "car.glb", [Node("car", children=nodes)], [Material(name) for name in names])
    view = VehicleView(SceneWithoutWindow(), tmp_path / "car.glb")
    assert view.driver.isEmpty() == (materials == ["mirror"])
    expected = None if materials == ["mirror"] else (0.3, 0.1, 0.2 + tops[materials[-1]])
    assert view._head == (expected and pytest.approx(expected, abs=1e-3))


@pytest.mark.parametrize("count", [0, 3])
def test_a_figure_without_triangles_has_no_head(tmp_path, count):
    parts = content(count=count, nodes=[{"mesh": 0, "name": "driver"}])
    view = VehicleView(SceneWithoutWindow(), saved(tmp_path, parts))
    assert (view._head is None) == (count == 0)


def test_a_cut_file_is_named(tmp_path):
    whole = car_with_part(tmp_path, "none.glb").read_bytes()
    for length in (0, 3, 12, 19, 30, len(whole) // 2, len(whole) - 5):
        path = tmp_path / "cut.glb"
        path.write_bytes(whole[:length])
        with pytest.raises(WrongValue, match="cut.glb: "):
            load_model(path)


def test_a_gap_between_vertices_and_integer_colours_are_read(tmp_path):
    rows = np.zeros(3, [("position", "<f4", 3), ("other", "<f4", 2), ("colour", "u1", 4)])
    rows["position"], rows["colour"] = CORNERS, 51
    parts = content()
    parts["buffers"] = [{"uri": "data:;base64," + base64.b64encode(rows.tobytes()).decode(), "byteLength": 72}]
    parts["bufferViews"] = [{"buffer": 0, "byteLength": 72, "byteStride": 24}]
    colour = {"bufferView": 0, "byteOffset": 20, "componentType": 5121, "normalized": True, "count": 3, "type": "VEC4"}
    parts["accessors"].append(colour)
    parts["meshes"][0]["primitives"][0]["attributes"]["COLOR_0"] = 1
    data = load_model(saved(tmp_path, parts)).parts["hull1"].opaque.getGeom(0).getVertexData()
    drawn = {tuple(row) for row in read_column(data, "vertex").tolist()}
    assert drawn == {(x, -z, y) for x, y, z in CORNERS.tolist()}
    assert read_column(data, "look")[:, 1] == pytest.approx(0.2)


@pytest.mark.parametrize("text", [100_000 * "[", "[1, NaN]", "1e999", "wide", f"1{400 * '0'}", "[[1], [1, 2]]", "{}"])
def test_properties_are_limited_and_named(tmp_path, text):
    with pytest.raises(WrongValue, match="part wheel1: scale .*: must be a number above 0, or three"):
        load_model(car_with_part(tmp_path, "none.glb", scale=text))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"wheels": 100_000 * "["}, "property wheels must be numbers"),
        ({"wheels": [1, 99]}, "property wheels must be numbers of wheels that the model has"),
        ({"pitch": 0.0}, "path must be pairs y, z that span more than the pitch"),
        ({"pitch": "wide"}, "property pitch must be numbers"),
        ({"path": [0.0, 1.0, 2.0]}, "path must be pairs"),
        ({"under": [1.0, 2.0]}, "property under must be one number"),
    ],
)
def test_wrong_properties_of_a_track_are_named(tmp_path, changed, message):
    shape = primitives(box((0.0, 0.0, 0.6), (0.3, 0.1, 0.05), 0.0, "paint"))
    track = {"wheels": [1], "pitch": 0.2, "under": 0.4, "reach": 0.2, "path": [1.0, 0.0, 1.0, 1.0, -1.0, 1.0]}
    for name, extras in (("good.glb", {**track, "note": "text"}), ("bad.glb", {**track, **changed})):
        nodes = [Node("wheel1", (0.7, 1.2, 0.3)), Node("belt1", primitives=shape, extras=extras)]
        write_glb(tmp_path / name, [Node("car", children=nodes)], [Material("paint")])
    check_model(tmp_path / "good.glb")
    with pytest.raises(WrongValue, match=f"bad.glb: model part belt1.*{message}"):
        check_model(tmp_path / "bad.glb")


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["susp1"], "model part susp1 needs helper nodes susp1_hull and susp1_wheel"),
        (["arm1", "arm1_hull"], "model part arm1 needs helper nodes arm1_hull and arm1_wheel"),
        (["susp1", "susp1_hull"], "model part susp1 needs two helper nodes"),
        (["susp1", "susp1_hull", "susp1_susp2", "susp2", "susp2_wheel1", "susp2_susp1"], "attached in a cycle"),
        (["flap@wheel9.rotation"], "model part flap@wheel9.rotation follows a wheel that the model does not have"),
    ],
)
def test_check_refuses_parts_that_the_window_refuses(tmp_path, names, message):
    good = ["susp1", "susp1_hull", "susp1_wheel", "flap@wheel1.full"]
    for name, nodes in (("good.glb", good), ("bad.glb", names)):
        children = [Node("wheel1", (0.7, 1.2, 0.3)), *(Node(node, (0.5, 1.2, 0.1 * k)) for k, node in enumerate(nodes))]
        write_glb(tmp_path / name, [Node("car", children=children)], [Material("paint")])
    check_model(tmp_path / "good.glb")
    with pytest.raises(WrongValue, match=f"bad.glb: .*{message}"):
        check_model(tmp_path / "bad.glb")
    with pytest.raises(WrongValue, match=f"bad.glb: .*{message}"):
        VehicleView(SceneWithoutWindow(), tmp_path / "bad.glb")


def test_check_reports_a_model_that_cannot_be_drawn(tmp_path, capsys):
    text = (ROOT / "configs" / "vehicles" / "roadster.yaml").read_text(encoding="utf8")
    model = (ROOT / "assets" / "models" / "roadster.glb").read_bytes()
    vehicle, drawn = tmp_path / "car.yaml", tmp_path / "car.glb"
    vehicle.write_text(text.replace("models/roadster.glb", "car.glb"), encoding="utf8")
    drawn.write_bytes(model)
    assert program.main(["check", str(drawn)]) == 0
    drawn.write_bytes(_longer(model))
    capsys.readouterr()
    assert program.main(["check", str(vehicle), str(drawn)]) == 2
    assert capsys.readouterr().out.count("is more than the") == 2


def _longer(model):
    """A .glb file whose buffer states a hundred times as many bytes."""
    start = 20
    length = int.from_bytes(model[12:16], "little")
    header = json.loads(model[start : start + length])
    header["buffers"][0]["byteLength"] *= 100
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    body = len(text).to_bytes(4, "little") + b"JSON" + text + model[start + length :]
    return b"glTF" + (2).to_bytes(4, "little") + (12 + len(body)).to_bytes(4, "little") + body
