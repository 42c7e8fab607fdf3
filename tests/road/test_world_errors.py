"""Errors in world, surface and mesh files are one line: file, line where there is one, key and nearest known key."""

import dataclasses
import json
import sys
from pathlib import Path

import numpy as np
import pytest

from driving_sandbox.physics.ground.meshes import load_meshes, weld
from driving_sandbox.physics.ground.surfaces import default_surfaces, load_surfaces
from driving_sandbox.physics.ground.world_mesh import Mesh, check_vertices
from driving_sandbox.physics.schema.yaml_file import ConfigError
from driving_sandbox.physics.world.world_file import load_world

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "assets" / "build"))
from glb import Material, Node, Primitive, write_glb  # noqa: E402

PLANE_WORLD = """\
name: Test
terrain: {plane: 0.0, surface: asphalt}
spawn_points:
  start: {position: [0, 0]}
"""
HEIGHTFIELD_WORLD = """\
name: Test
terrain:
  heights: heights.npy
  cell_surface: cells.npy
  surfaces: [grass, asphalt]
  origin: [0, 0]
  cell: 1.0
spawn_points: {start: {position: [0, 0, 2.5], heading_deg: 90}}
"""


def world(tmp_path, text):
    """A world file of this text, loaded."""
    path = tmp_path / "world.yaml"
    path.write_text(text)
    return load_world(path)


def message(action, *args):
    """Message of the ConfigError that `action` raises; it is one line."""
    with pytest.raises(ConfigError) as caught:
        action(*args)
    text = str(caught.value)
    assert "\n" not in text
    return text


def field_files(tmp_path, heights=None, cells=None):
    """Write the arrays of HEIGHTFIELD_WORLD; by default level and of the first surface."""
    np.save(tmp_path / "heights.npy", np.zeros((5, 4), np.float32) if heights is None else heights)
    np.save(tmp_path / "cells.npy", np.zeros((4, 3), np.uint8) if cells is None else cells)


def one_height(value):
    """Heights of 0 with one other value."""
    heights = np.zeros((5, 4))
    heights[3, 2] = value
    return heights


@pytest.mark.parametrize("line", [3, None])
def test_an_unknown_spawn_point_is_reported_with_the_line_of_the_parsed_file(tmp_path, line):
    plane = world(tmp_path, PLANE_WORLD)
    with pytest.raises(ConfigError, match="no spawn point") as caught:
        (plane if line else dataclasses.replace(plane, source=None)).spawn("strat")
    assert caught.value.line == line


def test_good_files_load(tmp_path):
    plane = world(tmp_path, PLANE_WORLD)
    assert plane.gravity == 9.81 and plane.substeps == 4 and plane.spawn().heading == 0.0 and plane.meshes == []
    field_files(tmp_path)
    field = world(tmp_path, HEIGHTFIELD_WORLD)
    assert field.spawn("start").height == 2.5 and field.spawn().heading == pytest.approx(np.pi / 2)
    assert field.terrain.cell_surface.max() == default_surfaces().index("grass")


@pytest.mark.parametrize(
    ("change", "line", "parts"),
    [
        (("name: Test", "nam: Test"), 1, ("nam", 'did you mean "name"')),
        (("asphalt}", "asfalt}"), 2, ("terrain.surface", "asfalt", 'did you mean "asphalt"')),
        (("plane: 0.0", "plane: high"), 2, ("terrain.plane", "must be a number")),
        (("surface: asphalt", "surface: steel"), 2, ("terrain.surface", "no wheel stands on steel", "for meshes only")),
        (("plane: 0.0", "plane: .nan"), 2, ("terrain.plane", "not a usable number")),
        (("plane: 0.0, surface: asphalt", "surface: asphalt"), 2, ("terrain", "is missing")),
        (("[0, 0]", "[0]"), 4, ("position", "2 or 3 numbers")),
        (("[0, 0]", "[0, left]"), 4, ("position.1", "must be a number")),
        (("position", "positon"), 4, ("positon", 'did you mean "position"')),
        (("name: Test", "name: Test\ngravity: -9.81"), 2, ("gravity", "between 0 and 100")),
        (("name: Test", "name: Test\nwind: 5"), 2, ("wind", "valid list")),
        (("name: Test", "name: Test\nwind: [5, 0]"), 2, ("wind", "at least 3 items")),
        (("name: Test", "name: Test\nwind: [0, 500, 0]"), 2, ("wind", "[1]", "less than or equal to 100")),
        (("name: Test", "name: Test\nwind: [0, .nan, 0]"), 2, ("wind", "not a usable number")),
        (("name: Test", "name: Test\nwinds: [0, 1, 0]"), 2, ("winds", 'did you mean "wind"')),
        (("name: Test", "name: Test\nsubsteps: 2.5"), 2, ("substeps", "whole number")),
        (("name: Test", "name: Test\ntick_rate: true"), 2, ("tick_rate", "must be a number")),
        (("name: Test", "name: Test\nname: Other"), 2, ("name", "given twice")),
        (("name: Test", "name: Test\nmeshes: [none.glb]"), 2, ("meshes.0", "no such file", "none.glb")),
        (("name: Test", "name: Test\nsurfaces: none.yaml"), 2, ("surfaces", "no such file")),
        (("name: Test", 'name: Test\nmeshes: ["a\\0.glb"]'), 2, ("meshes.0", "not allowed")),
        (("name: Test", 'name: Test\nsurfaces: "a\\nb.yaml"'), 2, ("surfaces", "path of a file")),
        (("name: Test", "name: Test\ndriving_line: [[0, 0], [1, 0]]"), 2, ("driving_line", "at least 3 points")),
    ],
)
def test_an_error_in_a_world_file_names_line_key_and_fault(tmp_path, change, line, parts):
    assert change[0] in PLANE_WORLD
    text = message(world, tmp_path, PLANE_WORLD.replace(*change, 1))
    assert text.startswith(f"{tmp_path / 'world.yaml'}:{line}: ")
    for part in parts:
        assert part in text


def test_missing_keys_and_files_are_named(tmp_path):
    assert "terrain: is missing" in message(world, tmp_path, "name: Test\nspawn_points: {a: {position: [0, 0]}}\n")
    assert "no such file" in message(load_world, tmp_path / "nowhere.yaml")
    assert "empty" in message(world, tmp_path, "")
    assert 'did you mean "start"' in message(world(tmp_path, PLANE_WORLD).spawn, "star")


@pytest.mark.parametrize(
    ("heights", "cells", "parts"),
    [
        (np.zeros((5, 4), np.int16), None, ("terrain.heights", "heights.npy", "float32 or float64", "int16")),
        (np.zeros(20, np.float32), None, ("terrain.heights", "heights.npy", "rows and columns", "(20,)")),
        (None, np.zeros((4, 4), np.uint8), ("terrain.cell_surface", "cells.npy has 4 x 4", "need 3 x 4")),
        (None, np.zeros((4, 3)), ("terrain.cell_surface", "cells.npy must hold uint8 values, not float64")),
        (None, np.full((4, 3), 2, np.uint8), ("terrain.surfaces", "cells.npy has the value 2 in row 0, column 0")),
        (one_height(np.nan), None, ("terrain.heights", "heights.npy", "row 3, column 2", "not a number")),
        (one_height(2e6), None, ("terrain.heights", "heights.npy", "row 3, column 2", "beyond 100000 m")),
        (np.zeros((9001, 2), np.float32), None, ("terrain.heights", "2 x 9001", "more than 8192 cells")),
        (np.zeros((1, 4), np.float32), np.zeros((0, 3), np.uint8), ("terrain.heights", "2 x 2")),
    ],
)
def test_wrong_heightfields_are_refused(tmp_path, heights, cells, parts):
    field_files(tmp_path, heights, cells)
    text = message(world, tmp_path, HEIGHTFIELD_WORLD)
    for part in parts:
        assert part in text


def test_files_that_are_no_arrays_are_refused(tmp_path):
    field_files(tmp_path)
    (tmp_path / "heights.npy").write_bytes(b"not an array")
    assert "heights.npy cannot be read as an array" in message(world, tmp_path, HEIGHTFIELD_WORLD)
    np.save(tmp_path / "heights.npy", np.array([{}], dtype=object), allow_pickle=True)
    assert "heights.npy cannot be read as an array" in message(world, tmp_path, HEIGHTFIELD_WORLD)


def test_a_driving_line_file_with_words_in_it_is_refused(tmp_path):
    (tmp_path / "line.csv").write_text("0,0\n1,a\n")
    assert "line.csv must hold lines of x,y" in message(world, tmp_path, PLANE_WORLD + "driving_line: line.csv\n")


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        (("street: 0.95", "street: -0.95"), ("surfaces.asphalt.friction.street", "between 0 and 5")),
        (("street: 0.95", "slick: 0.95"), ("surfaces.asphalt.friction.slick", "unknown key")),
        (("street: 0.95, ", ""), ("surfaces.asphalt.friction.street", "is missing")),
        (("restitution: 0.10", "restitution: 1.5"), ("surfaces.asphalt.restitution", "between 0 and 1")),
        (("restitution: 0.10", "bounce: 0.1"), ("surfaces.asphalt.bounce", "unknown key")),
        (("wavelength: 2.0", "wavelength: 0"), ("surfaces.asphalt.roughness_wavelength",)),
        (('"#4a4b4d"', "grey"), ("surfaces.asphalt.color", "grey")),
        (("sound: asphalt", "sound: asfalt"), ("surfaces.asphalt.sound", 'did you mean "asphalt"')),
        (("amount: 0.80", "amount: 80"), ("surfaces.asphalt.mark.amount", "between 0 and 1")),
        (('{color: "#161616"', '{colour: "#161616"'), ("surfaces.asphalt.mark.colour", 'did you mean "color"')),
        (("material_friction: 0.90", "material_friction: -1"), ("asphalt.material_friction", "between 0 and 5")),
    ],
)
def test_wrong_surface_files_are_refused(tmp_path, change, parts):
    good = (ROOT / "configs" / "surfaces" / "default.yaml").read_text()
    assert change[0] in good
    path = tmp_path / "surfaces.yaml"
    path.write_text(good.replace(*change, 1))
    text = message(load_surfaces, path)
    assert text.startswith(f"{path}:")
    for part in parts:
        assert part in text


SQUARE = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0.0]])
HALVES = np.array([[0, 1, 2], [0, 2, 3]])


def glb(tmp_path, vertices, triangles, material="asphalt"):
    """Path of a .glb with one mesh of one material."""
    path = tmp_path / "thing.glb"
    materials = [Material(material)] if material else []
    write_glb(path, [Node("plate", primitives=[Primitive(vertices, triangles, material)])], materials)
    return path


@pytest.mark.parametrize(
    ("vertices", "triangles", "material", "parts"),
    [
        (SQUARE, HALVES, "asphlt", ('"asphlt" is not a surface', 'did you mean "asphalt"')),
        (SQUARE, HALVES, None, ("has no material",)),
        (SQUARE, [[0, 1, 1]], "asphalt", ("triangle 0", "no area")),
        ([[0, 0, 0], [1, 0, 0], [2, 0, 0]], [[0, 1, 2]], "asphalt", ("no area",)),
        (SQUARE, [[0, 1, 2], [0, 1, 2]], "asphalt", ("folded onto each other",)),
        ([*SQUARE, [0.9, 0.3, 0.001]], [[0, 1, 2], [0, 2, 4]], "asphalt", ("triangles 0 and 1", "folded")),
        (
            [*SQUARE, [0.5, 0.5, 1]],
            [[0, 1, 2], [0, 2, 3], [0, 2, 4]],
            "asphalt",
            ("triangle 0 shares an edge at (0.500, 0.500, 0.000) with triangles 1, 2", "at most two"),
        ),
        (SQUARE, [[0, 1, 2], [0, 3, 2]], "asphalt", ("triangles 0 and 1", "face opposite ways", "flip one")),
        (1e6 * SQUARE, HALVES, "asphalt", ("vertex 1", "more than 100 km away", "metres?")),
    ],
)
def test_wrong_meshes_are_refused(tmp_path, vertices, triangles, material, parts):
    path = glb(tmp_path, np.array(vertices, float), np.array(triangles), material)
    text = message(load_meshes, path, default_surfaces())
    assert text.startswith(f'{path}: mesh "plate": ')
    for part in parts:
        assert part in text


@pytest.mark.parametrize(("order", "number"), [(["bad", "good"], 1), (["good", "bad"], 1), (["good", "same"], None)])
def test_an_error_names_the_mesh_and_its_own_triangle(tmp_path, order, number):
    """Triangles are counted within their mesh; triangles of two meshes at the same place do not fold."""
    path = tmp_path / "two.glb"
    faces = {"good": HALVES, "same": HALVES, "bad": np.array([[0, 1, 2], [0, 1, 1], [2, 3, 3]])}
    nodes = [Node(name, primitives=[Primitive(SQUARE, faces[name], "asphalt")]) for name in order]
    write_glb(path, nodes, [Material("asphalt")])
    if number is None:
        assert [mesh.name for mesh in load_meshes(path, default_surfaces())] == order
    else:
        text = message(load_meshes, path, default_surfaces())
        assert f'mesh "bad": triangle {number} at' in text and "(2 in all)" in text


def test_degenerate_meshes_are_refused(tmp_path):
    surfaces = np.zeros(2, np.int32)
    empty = Mesh("gap", SQUARE, np.zeros((0, 3), int), surfaces[:0])
    assert 'x.glb: mesh "gap": has no triangles' in message(check_vertices, empty, "x.glb")
    bad = SQUARE.copy()
    bad[2, 1] = np.nan
    assert "vertex 2 is not finite" in message(check_vertices, Mesh("gap", bad, HALVES, surfaces), "x.glb")
    assert "outside 0..3" in message(check_vertices, Mesh("gap", SQUARE, HALVES + 1, surfaces), "x.glb")


def test_obj_files_load_with_their_surfaces_or_are_refused(tmp_path, monkeypatch):
    """Surfaces are given by usemtl, with or without the material library; errors are reported as for other files."""
    good = "o road\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nusemtl ice\nf 1 2 3\nusemtl asphalt\nf 1 3 4\n"
    path = tmp_path / "own.obj"
    names = default_surfaces().names
    for text in (good, "mtllib nowhere.mtl\n" + good):
        path.write_text(text)
        meshes = load_meshes(path, default_surfaces())
        surface_names = {names[s] for mesh in meshes for s in mesh.triangle_surfaces}
        assert surface_names == {"ice", "asphalt"} and sum(len(mesh.triangles) for mesh in meshes) == 2
    path.write_text(good.replace("v 1 1 0", "v nan 1 0"))
    assert 'own.obj: mesh "' in (text := message(load_meshes, path, default_surfaces())) and "is not finite" in text
    path.write_text(good.replace("ice", "icy"))
    assert 'did you mean "ice"' in message(load_meshes, path, default_surfaces())
    path.write_text("# nothing\n")
    text = message(load_meshes, path, default_surfaces())
    assert text.startswith(f"{path}: ") and ("no mesh" in text or "cannot be read as a mesh" in text)
    monkeypatch.setattr("driving_sandbox.physics.ground.meshes.MAX_TRIANGLES", 1)
    path.write_text(good)
    assert "2 triangles in this file; 1 are allowed" in message(load_meshes, path, default_surfaces())


@pytest.mark.parametrize(("text", "part"), [
    ("spawn_points: {start: {position: [0.5, 0.5]}, lost: {position: [70, 0.5]}}\n",
     "world.yaml:8: spawn_points.lost.position: there is no ground at (70, 0.5)"),
    ("spawn_points: {start: {position: [0.5, 0.5]}}\nparked: [{vehicle: roadster, position: [-9, 0.5]}]\n",
     "world.yaml:9: parked.0.position: there is no ground at (-9, 0.5)"),
])  # fmt: skip
def test_spawns_and_parked_vehicles_outside_the_ground_are_named(tmp_path, text, part):
    field_files(tmp_path)
    path = tmp_path / "world.yaml"
    path.write_text(HEIGHTFIELD_WORLD[: HEIGHTFIELD_WORLD.index("spawn_points")] + text)
    assert part in message(load_world(path).ground)
    # a spawn point with a height needs no ground
    path.write_text(
        HEIGHTFIELD_WORLD[: HEIGHTFIELD_WORLD.index("spawn_points")]
        + "spawn_points: {high: {position: [70, 0.5, 3]}}\n"
    )
    assert load_world(path).ground()


TRIANGLE = "usemtl ice\nv 0 0 0\nv 1 0 0\nv 0 1 0\n"


def corners_of(folder, text, encoding="utf-8"):
    """Corner positions of each triangle of an .obj."""
    path = folder / "own.obj"
    path.write_text(text, encoding=encoding)
    meshes = load_meshes(path, default_surfaces())
    return sorted(corner.tolist() for mesh in meshes for corner in mesh.vertices[mesh.triangles])


def test_dialects_of_obj_give_the_same_vertices(tmp_path):
    plain = corners_of(tmp_path, TRIANGLE + "f 1 2 3\n")
    assert plain == [[[0, 0, 0], [1, 0, 0], [0, 1, 0]]]
    assert corners_of(tmp_path, TRIANGLE[11:] + "usemtl ice\nf 1 2 3\n", "utf-8-sig") == plain  # with BOM
    assert corners_of(tmp_path, TRIANGLE + "f 1 2 \\\n3\n") == plain
    relative_indices = TRIANGLE + "vt 0 0\nf -3/-1 -2/-1 -1/1\nv 5 0 0\nv 6 0 0\nv 5 1 0\nf -3 -2 -1\n"
    assert corners_of(tmp_path, relative_indices) == [*plain, [[5, 0, 0], [6, 0, 0], [5, 1, 0]]]


def test_objects_of_an_obj_may_share_edges(tmp_path):
    """Walls go up and down from an edge of a deck: three triangles may meet at an edge if they are in three meshes."""
    walls = "v 0 0 1\nv 0 0 -1\no deck\nf 1 2 3\no upper\nf 1 2 4\no lower\nf 1 2 5\n"
    assert len(corners_of(tmp_path, TRIANGLE + walls)) == 3
    with pytest.raises(ConfigError, match="at most two may meet in one mesh"):
        corners_of(tmp_path, TRIANGLE + walls.replace("o ", "# "))


@pytest.mark.parametrize(("line", "part"), [
    ("f 1 2 9", "own.obj:5: '9' is none of the 3 vertices"), ("f 1 0/1 2", "own.obj:5: '0/1' is none"),
    ("f 1 2 -4", "own.obj:5: '-4' is none"),
    ("v 1,5 0,0 0,0\nf 1 2 4", "own.obj:5: a vertex must be at least three numbers"),
])  # fmt: skip
def test_an_error_in_an_obj_is_reported_with_its_line(tmp_path, line, part):
    assert part in message(corners_of, tmp_path, TRIANGLE + line + "\n")


def test_a_compressed_gltf_is_refused_with_the_required_extension(tmp_path):
    """A reader that ignores the extension would get vertices at wrong positions."""
    path = glb(tmp_path, SQUARE, HALVES)
    data = path.read_bytes()
    end = 20 + int.from_bytes(data[12:16], "little")
    for name, known in (("KHR_mesh_quantization", False), ("KHR_materials_unlit", True)):
        doc = json.dumps({**json.loads(data[20:end]), "extensionsUsed": [name], "extensionsRequired": [name]}).encode()
        doc += b" " * (-len(doc) % 4)
        size = (len(data) - end + 20 + len(doc)).to_bytes(4, "little")
        path.write_bytes(data[:8] + size + len(doc).to_bytes(4, "little") + data[16:20] + doc + data[end:])
        if known:
            assert load_meshes(path, default_surfaces())
        else:
            assert f"needs the glTF extension {name}" in message(load_meshes, path, default_surfaces())


def test_files_that_are_no_meshes_are_refused(tmp_path):
    path = tmp_path / "noise.glb"
    path.write_bytes(b"glTF nonsense")
    assert "cannot be read as a mesh" in message(load_meshes, path, default_surfaces())
    assert "known are .glb" in message(load_meshes, tmp_path / "car.fbx", default_surfaces())
    assert "no such file" in message(load_meshes, tmp_path / "none.glb", default_surfaces())
    whole = glb(tmp_path, SQUARE, HALVES).read_bytes()
    path.write_bytes(whole[: len(whole) * 2 // 3])
    assert "cannot be read as a mesh" in message(load_meshes, path, default_surfaces())


def test_welding_joins_vertices_within_rounding_only():
    points = weld([[0.0, 0, 0], [3e-8, 0, -4e-8], [1e-3, 0, 0], [1e-3 + 2e-7, 0, 0]])
    assert (points[0] == points[1]).all()
    assert points[2, 0] != points[3, 0]
