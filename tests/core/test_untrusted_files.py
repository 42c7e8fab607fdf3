"""Untrusted files: those not regular, too large, too deep or with too many items are refused before reading."""

import io
import json
import os
import re
import subprocess
import sys
import zipfile

import numpy as np
import pytest

from driving_sandbox.formats.physx_read import load_json
from driving_sandbox.formats.sjson import load_sjson
from driving_sandbox.game.program.settings import Settings, load_settings
from driving_sandbox.game.windows.bindings_file import load_bindings
from driving_sandbox.lab.drivers import CommandFile
from driving_sandbox.lab.drivers.line_file import read_line
from driving_sandbox.physics.base.input_file import read_bytes
from driving_sandbox.physics.base.json_text import parse_json
from driving_sandbox.physics.base.user_error import UserError
from driving_sandbox.physics.base.visible import brief
from driving_sandbox.physics.ground.meshes import load_meshes
from driving_sandbox.physics.ground.road_file import read_roads
from driving_sandbox.physics.ground.surfaces import default_surfaces
from driving_sandbox.physics.kernel.import_closure import ImportClosure
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.recording import Recording
from driving_sandbox.physics.schema import array_file
from driving_sandbox.physics.schema.array_file import open_arrays
from driving_sandbox.physics.schema.yaml_file import ConfigError, load_yaml
from driving_sandbox.physics.shape.geometry import load_geometry
from driving_sandbox.physics.vehicle.vehicle_file import load_setup, load_vehicle, load_vehicle_text
from driving_sandbox.physics.world.world_file import load_world

ROADSTER = (ROOT / "configs" / "vehicles" / "roadster.yaml").read_text(encoding="utf8")
WORLD = """name: Test
terrain: {plane: 0, surface: asphalt}
spawn_points:
  start: {position: [0, 0]}
"""


def error_of(function, *arguments):
    """Message of the UserError that a call raises."""
    with pytest.raises(UserError) as caught:
        function(*arguments)
    return str(caught.value)


def saved(folder, name, content):
    """Path of a new file with this text or these bytes."""
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


READERS = {
    "vehicle.yaml": load_vehicle, "setup.yaml": load_setup, "world.yaml": load_world, "commands.csv": CommandFile,
    "line.csv": read_line, "vehicle.json": load_json, "unit.physics": load_sjson, "drive.drive": Recording.open,
}  # fmt: skip


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
@pytest.mark.parametrize("name", READERS)
def test_pipes_and_devices_are_refused_without_waiting(tmp_path, name):
    pipe, device = tmp_path / name, tmp_path / f"device-{name}"
    os.mkfifo(pipe)
    device.symlink_to("/dev/zero")
    for path in (pipe, device):
        assert error_of(READERS[name], path) == f"{path}: cannot be read: not a regular file"


PYTHON_FILES = """
import sys
from pathlib import Path
from driving_sandbox.lab.drivers.driver_file import DriverFile
from driving_sandbox.physics.base.user_error import UserError
from driving_sandbox.physics.vehicle.component_file import load_component_file
for read in (lambda path: DriverFile(path, None, None), load_component_file):
    for name in sys.argv[1:]:
        try:
            read(Path(name))
        except UserError as error:
            print(error)
"""


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_python_files_that_are_pipes_or_devices_or_too_large_are_refused(tmp_path):
    pipe, zero, importing, large = (tmp_path / f"{name}.py" for name in ("pipe", "zero", "importing", "large"))
    os.mkfifo(pipe)
    zero.symlink_to("/dev/zero")
    importing.write_text("import large\n", encoding="utf8")
    large.write_text("#" * 2_000_000, encoding="utf8")
    command = [sys.executable, "-c", PYTHON_FILES, pipe, zero, large]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    result = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert result.stdout.count("cannot be read: not a regular file") == 4, result.stderr + result.stdout
    assert result.stdout.count("2.0 MB, at most 1 MB are read") == 2
    for name, problem in (("pipe", "not a regular file"), ("zero", "not a regular file"), ("importing", "2.0 MB")):
        with pytest.raises(OSError, match=problem):
            ImportClosure(lambda: tmp_path).hash_from(name, tmp_path / f"{name}.py")


@pytest.mark.parametrize("key", ["base", "trailers", "model"])
def test_files_named_by_a_vehicle_must_be_regular(tmp_path, key):
    (tmp_path / "zero.yaml").symlink_to("/dev/zero")
    (tmp_path / "zero.glb").symlink_to("/dev/zero")
    value = {"base": "zero.yaml", "trailers": "[zero]", "model": "zero.glb"}[key]
    text = ROADSTER.replace("model: models/roadster.glb", "") + f"\n{key}: {value}\n"
    assert "zero" in error_of(load_vehicle, saved(tmp_path, "car.yaml", text))


def test_yaml_is_limited_to_four_megabytes(tmp_path):
    path = saved(tmp_path, "large.yaml", "a: " + 4_000_000 * "x")
    assert error_of(load_yaml, path) == f"{path}: cannot be read: 4.0 MB, at most 4 MB are read"
    assert load_yaml(saved(tmp_path, "less.yaml", "a: " + 3_999_000 * "x"))["a"][0] == "x"
    assert "at most 4 MB" in error_of(load_vehicle_text, "a: " + 5_000_000 * "x")


def test_a_file_growing_while_it_is_read_is_limited_too(tmp_path, monkeypatch):
    path = saved(tmp_path, "grown", 11 * b"x")
    monkeypatch.setattr("driving_sandbox.physics.base.input_file._check", lambda status, most: None)
    with pytest.raises(OSError, match="more than"):
        read_bytes(path, 10)


@pytest.mark.parametrize(
    "axles, text",
    [
        (f"{{front: [{', '.join(f'w{k}' for k in range(100_000))}]}}", "100000 wheels on 1 axles"),
        (f"{{{', '.join(f'a{k}: [w{k}]' for k in range(20_000))}}}", "20000 wheels on 20000 axles"),
    ],
    ids=["wheels", "axles"],
)
def test_wheels_are_counted_before_they_are_read(axles, text):
    start = ROADSTER.index("axles:")
    changed = ROADSTER[:start] + f"axles: {axles}" + ROADSTER[ROADSTER.index("\n", start) :]
    assert f"axles: {text}; at most 20 wheels are possible" in error_of(load_vehicle_text, changed)


@pytest.mark.parametrize(
    "key, row, count, text",
    [
        ("spawn_points", "  p{}: {{position: [0, 0]}}", 50_000, "spawn_points: 50001 spawn points; at most 1000"),
        ("parked", "  - {{vehicle: roadster, position: [{}, 0]}}", 5_000, "parked: 5000 vehicles; at most 200"),
        ("props", "  - [{}]", 30_000, "props: 30000 entries; a world has at most 20000 props"),
        ("timing", "  t{}: {{gates: [{{from: [0, 0], to: [9, 0]}}], closed: true}}", 5_000, "5000 tracks; at most 100"),
        ("meshes", "  - ../m{}.glb", 20_000, "meshes: 20000 files; at most 200"),
    ],
)
def test_items_of_a_world_are_counted_before_they_are_read(tmp_path, key, row, count, text):
    rows = "\n".join(row.format(k) for k in range(count))
    world = WORLD + (rows if key == "spawn_points" else f"{key}:\n{rows}")
    assert text in error_of(load_world, saved(tmp_path, "world.yaml", world))


@pytest.mark.parametrize("substeps", ["1e9", "1e30", "1000000000", "-1", "2.5"])
def test_substeps_of_a_world_are_limited(tmp_path, substeps):
    path = saved(tmp_path, "world.yaml", WORLD + f"substeps: {substeps}\n")
    assert error_of(load_world, path).startswith(f"{path}:5: substeps: ")


def test_nested_substeps_are_limited_in_total():
    entries = (
        "[body.begin, input, substeps: {count: 999, components: [substeps: {count: 999, components: [tire.force]}]}]"
    )
    text = ROADSTER.replace("type: engine_drive", f"sequence: {entries}")
    assert "run 998001 times a tick; at most 1000" in error_of(load_vehicle_text, text)
    for count in ("", "count: driving_state.step_count, "):  # each as many as a world usually has: 4
        nested = "tire.force"
        for _ in range(5):
            nested = f"substeps: {{{count}components: [{nested}]}}"
        text = ROADSTER.replace("type: engine_drive", f"sequence: [body.begin, input, {nested}]")
        assert "run 1024 times a tick; at most 1000" in error_of(load_vehicle_text, text)
    many = ROADSTER.replace("type: engine_drive", f"sequence: [{', '.join(2000 * ['tire.force'])}]")
    assert "2000 components in all; at most 500" in error_of(load_vehicle_text, many)


NUMBERS_OF_FILES = {  # {file: (reader, text with NUMBER in its last line, key)}
    "vehicle.yaml": (load_vehicle, "base: roadster\nbody:\n  mass: NUMBER", "body.mass"),
    "setup.yaml": (load_setup, "body.mass: NUMBER", "body.mass"),
    "world.yaml": (load_world, f"{WORLD}gravity: NUMBER", "gravity"),
    "controls.yaml": (load_bindings, "devices:\n- {name: a, match: {ids: 1}, axes: {steer: {axis: 0, curve: NUMBER}}}",
                      "devices.0.axes.steer.curve"),
}  # fmt: skip


@pytest.mark.parametrize("digits", [309, 5000])
@pytest.mark.parametrize("name", NUMBERS_OF_FILES)
def test_a_whole_number_beyond_all_floats_is_refused_with_its_line(tmp_path, name, digits):
    reader, text, key = NUMBERS_OF_FILES[name]
    path = saved(tmp_path, name, text.replace("NUMBER", "-" + digits * "9"))
    start = re.escape(f"{path}:{text.count(chr(10)) + 1}: {key}: ")
    assert re.fullmatch(rf"{start}-9+ \.\.\. .* is not a usable number", error_of(reader, path))


def test_a_whole_number_beyond_all_floats_leaves_the_settings_at_their_defaults(home):
    folder = home / "settings"
    folder.mkdir(parents=True)
    saved(folder, "program.yaml", f"map: false\nvolume: {400 * '9'}\n")
    settings, problem = load_settings()
    assert settings == Settings(first_start=False)
    assert "program.yaml:2: volume: 999" in problem and "not a usable number" in problem


# ---- JSON, models, arrays


@pytest.mark.parametrize(
    "text, problem",
    [
        (b'{"a": NaN}', "NaN: numbers must be finite"),
        (b'{"a": -Infinity}', "-Infinity: numbers must be finite"),
        (b'{"a": 1e999}', "1e999: numbers must be finite"),
        (b'{"a": 1' + 400 * b"0" + b"}", "10{19}: numbers must be finite"),
        (200_000 * b"[", "more than 64 lists and objects"),
        (65 * b"[" + 65 * b"]", "more than 64 lists and objects"),
        (b'"' + 20_000_000 * b"x" + b'"', "at most 16 MB"),
    ],
)
def test_json_with_nan_or_too_deep_or_long_is_refused(tmp_path, text, problem):
    with pytest.raises(ValueError, match=problem):
        parse_json(text)
    if text[:1] == b"[":
        assert problem in error_of(load_json, saved(tmp_path, "vehicle.json", text))


def test_json_of_moderate_depth_is_read():
    assert parse_json(60 * b"[" + b"1.5e3" + 60 * b"]") is not None
    assert parse_json(json.dumps({"a": [1, "\\u001b", "b\n"]}).encode()) == {"a": [1, "\\u001b", "b\n"]}


@pytest.mark.parametrize("code", [*range(0x20), *range(0x7F, 0xA0)])
def test_control_characters_of_json_become_visible(code):
    """As an escape, and from 0x7f on as themselves; tab, line feed and carriage return stay, as texts have lines."""
    character, shown = chr(code), f"\\u{code:04x}"
    expected = character if character in "\t\n\r" else shown
    texts = [f'"{shown}"', f'"{shown.upper().replace("U", "u")}"', json.dumps(character), f'"{character}"']
    for text in texts if code >= 0x7F else texts[:3]:
        assert parse_json(text).lower() == expected


def test_an_escaped_backslash_before_a_letter_is_no_escape_of_a_control_character():
    assert parse_json(json.dumps(["\\b", "\\f", "\\u0008", "b\\"])) == ["\\b", "\\f", "\\u0008", "b\\"]


def gltf(folder, name="model.gltf", **parts):
    """Path of a new glTF file with these top-level properties."""
    return saved(folder, name, json.dumps({"asset": {"version": "2.0"}, **parts}))


def test_a_model_with_more_elements_than_data_is_refused(tmp_path):
    accessor = {"componentType": 5126, "count": 10**9, "type": "VEC3"}
    path = gltf(tmp_path, accessors=[accessor], meshes=[{"primitives": [{"attributes": {"POSITION": 0}}]}])
    assert "1000000000 elements in its accessors" in error_of(load_meshes, path, default_surfaces())
    assert "1000000000 elements in its accessors" in error_of(load_geometry, path)


@pytest.mark.parametrize("uri", ["/dev/zero", "zero.bin", "../secret.bin"])
def test_a_model_reads_only_files_in_its_folder(tmp_path, uri):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "zero.bin").symlink_to("/dev/zero")
    saved(tmp_path, "secret.bin", 36 * b"\0")
    primitive = {"attributes": {"POSITION": 0}}
    path = gltf(
        tmp_path / "in",
        buffers=[{"uri": uri, "byteLength": 36}],
        bufferViews=[{"buffer": 0, "byteLength": 36}],
        accessors=[{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
        meshes=[{"primitives": [primitive]}],
        nodes=[{"mesh": 0, "name": "hull1"}],
        scenes=[{"nodes": [0]}],
    )
    assert "cannot be read" in error_of(load_geometry, path)


def test_a_vertex_of_two_numbers_is_named_by_its_line(tmp_path):
    path = saved(tmp_path, "hull.obj", "o hull1\nv 0 0 0\nv 1 0\nv 0 1 0\nf 1 2 3\n")
    expected = f"{path}:3: a vertex must be at least three numbers; the decimal separator is a point"
    assert error_of(load_geometry, path) == expected
    path.write_text("o asphalt\nusemtl asphalt\nv 0 0 0\nv 1 0\nv 0 1 0 1\nf 1 2 3\n", encoding="utf8")
    assert error_of(load_meshes, path, default_surfaces()) == expected.replace(":3:", ":4:")


def test_a_large_model_is_refused_unread(tmp_path):
    path = tmp_path / "large.obj"
    with path.open("wb") as file:
        file.truncate(10**9)  # sparse, without blocks on the disk
    assert "1000.0 MB, at most 64 MB are read" in error_of(load_geometry, path)
    assert "1000.0 MB, at most 64 MB are read" in error_of(load_meshes, path, default_surfaces())


def archive(folder, head, size):
    """An .npz of one array with a header `head` and `size` bytes of data, compressed."""
    path = folder / "roads.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        start = io.BytesIO()
        np.lib.format.write_array_header_1_0(start, head)
        file.writestr("names.npy", start.getvalue() + bytes(size))
    return path


def test_the_unpacked_size_of_archives_is_limited(tmp_path):
    head = {"descr": "<f8", "fortran_order": False, "shape": (10**12,)}
    assert "an array of shape (1000000000000,)" in error_of(read_roads, archive(tmp_path, head, 8))
    assert "larger than 256 MB" in error_of(read_roads, archive(tmp_path, head, 300_000_000))
    np.savez(tmp_path / "good.npz", a=np.arange(3.0))
    with open_arrays(tmp_path / "good.npz") as arrays:
        assert arrays["a"].tolist() == [0.0, 1.0, 2.0]


def test_an_archive_that_is_exchanged_after_the_check_is_not_read(tmp_path, monkeypatch):
    path, check = tmp_path / "roads.npz", array_file._check_size
    np.savez(path, a=np.arange(3.0))

    def check_and_exchange(*arguments):
        check(*arguments)
        path.write_bytes(b"another file")

    monkeypatch.setattr(array_file, "_check_size", check_and_exchange)
    with open_arrays(path) as arrays:
        assert arrays["a"].tolist() == [0.0, 1.0, 2.0]


# ---- messages


def test_control_characters_are_escaped_and_long_values_shortened(tmp_path):
    escape = saved(tmp_path, "escape.yaml", 'name: "\\e[2J\\e]0;mine\\a"\n')
    assert error_of(load_yaml, escape) == f"{escape}:1: name: character '\\x1b' is not allowed"
    assert str(UserError("a\x1b[31mb\u202ec\nd")) == "a\\x1b[31mb\\u202ec\nd"
    assert len(str(UserError(10_000 * "x"))) < 2_100
    assert brief(1_000_000 * "y").startswith("'yyy") and len(brief(1_000_000 * "y")) < 150
    text = error_of(load_vehicle_text, ROADSTER.replace("mass: 1125", f"mass: {'z' * 100_000}"))
    assert len(text) < 400 and "characters left out" in text


def test_an_inconsistent_setup_is_reported_with_its_line(tmp_path):
    vehicle = saved(tmp_path, "car.yaml", ROADSTER.replace("model: ", f"model: {ROOT}/assets/"))
    setup = saved(tmp_path, "setup.yaml", "vehicle: Roadster\n\ngearbox:\n  neutral_gear: 6\n  ratios: [1, 2]\n")
    text = error_of(load_vehicle, vehicle, setup)
    assert text.startswith(f"{setup}:4: gearbox.neutral_gear: "), text
    with pytest.raises(ConfigError):
        load_vehicle(vehicle, setup)
