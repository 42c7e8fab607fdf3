"""Every mesh in the `meshes` of a world file is drawn with the triangles that physics uses.

For .glb files, the nodes of the game's reader are compared by name and triangles; for .obj files, the triangles of the
game's loader, which joins meshes by area and drops their names.
"""

import sys
from pathlib import Path

import numpy as np
import pytest

from driving_sandbox.physics.ground.meshes import load_meshes
from driving_sandbox.physics.ground.surfaces import default_surfaces

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "assets" / "build"))
from glb import Material, Node, Primitive, write_glb  # noqa: E402

core = pytest.importorskip("panda3d.core")
pytest.importorskip("gltf")

from driving_sandbox.game.view.gl.geometry import read_shape  # noqa: E402
from driving_sandbox.game.view.ground.meshes import load_mesh  # noqa: E402
from driving_sandbox.game.view.vehicle.model import read_scene  # noqa: E402


def drawn_triangles(path):
    """{node name: set of triangles, see `key`} of a .glb as read by the game."""
    root = read_scene(path)
    triangles_of = {}
    for node_path in root.find_all_matches("**/+GeomNode"):
        matrix = node_path.get_mat(root)
        # the node named in the file is the geometry node or its parent
        names = [node_path.name, node_path.get_parent().name]
        for geom in node_path.node().get_geoms():
            reader = core.GeomVertexReader(geom.get_vertex_data(), "vertex")
            points = []
            while not reader.is_at_end():
                points.append(tuple(matrix.xform_point(core.Point3(reader.get_data3()))))
            for k in range(geom.get_num_primitives()):
                primitive = geom.get_primitive(k).decompose()
                for t in range(primitive.get_num_primitives()):
                    start = primitive.get_primitive_start(t)
                    corners = [points[primitive.get_vertex(start + m)] for m in range(3)]
                    for name in names:
                        triangles_of.setdefault(name, set()).add(key(corners))
    return triangles_of


def key(corners):
    """Key of a triangle, independent of its first corner: rounded to 1 mm; float32 resolves 0.06 mm at 1 km."""
    rows = [tuple(round(float(v), 3) + 0.0 for v in corner) for corner in corners]
    first = rows.index(min(rows))
    return tuple(rows[first:] + rows[:first])


def assert_close(drawn, driven):
    """Equal triangles, up to rounding at the third decimal."""
    assert len(drawn) == len(driven)
    a, b = (np.array(sorted(s)).reshape(len(s), -1) for s in (drawn, driven))
    for row in b:
        assert np.abs(a - row).max(axis=1).min() < 1.5e-3, f"not drawn: {row}"


def check_file(path):
    """Every mesh of a .glb is drawn with its triangles."""
    drawn = drawn_triangles(path)
    meshes = load_meshes(path, default_surfaces())
    assert meshes
    for mesh in meshes:
        assert mesh.name in drawn, f"{mesh.name} is not drawn; drawn are {sorted(drawn)}"
        assert_close(drawn[mesh.name], {key(mesh.vertices[t]) for t in mesh.triangles})


def test_meshes_of_the_proving_ground_are_drawn(tmp_path):
    check_file(ROOT / "assets" / "worlds" / "proving_ground" / "meshes.glb")


def test_nested_rotated_nodes_of_two_materials_are_drawn(tmp_path):
    v = np.array([[0, 0, 0], [1, 0, 0], [1, 2, 0], [0, 2, 0.5]])
    t = np.array([[0, 1, 2], [0, 2, 3]])
    # quaternions of rotations by 0.6 rad about z and by 0.4 rad about x
    turn = (0.0, 0.0, np.sin(0.3), np.cos(0.3))
    tilt = (np.sin(0.2), 0.0, 0.0, np.cos(0.2))
    parts = [Primitive(v, t, "asphalt"), Primitive(v + [0, 0, 1], t, "grass")]
    tree = Node(
        "group",
        (10.0, -3.0, 5.0),
        turn,
        children=[
            Node("two_kinds", (1.0, 2.0, 3.0), tilt, parts),
            Node("below", (0.0, 0.0, -1.0), tilt, [Primitive(v * 2, t, "ice")]),
        ],
    )
    path = tmp_path / "tree.glb"
    write_glb(path, [tree], [Material("asphalt"), Material("grass"), Material("ice")])
    check_file(path)
    meshes = {mesh.name: mesh for mesh in load_meshes(path, default_surfaces())}
    names = default_surfaces().names
    assert [names[s] for s in meshes["two_kinds"].triangle_surfaces] == ["asphalt"] * 2 + ["grass"] * 2


def test_vertices_of_obj_files_are_not_rotated(tmp_path):
    (tmp_path / "m.mtl").write_text("newmtl ice\nKd 1 1 1\n")
    path = tmp_path / "plate.obj"
    path.write_text("mtllib m.mtl\nusemtl ice\nv 0 0 1\nv 2 0 1\nv 0 3 2\nf 1 2 3\n")
    (mesh,) = load_meshes(path, default_surfaces())
    assert mesh.name.startswith("plate:")
    np.testing.assert_array_equal(mesh.vertices[mesh.triangles[0]], [[0, 0, 1], [2, 0, 1], [0, 3, 2]])
    assert mesh.triangle_surfaces.tolist() == [default_surfaces().index("ice")]


def test_obj_meshes_of_a_world_are_drawn(tmp_path):
    path = tmp_path / "plates.obj"
    path.write_text("v 0 0 1\nv 2 0 1\nv 2 3 2\nv 0 3 2\nv 500 0 1\n"
                    "o near\nusemtl ice\nf 1 2 3 4\no far\nusemtl wood\nf 2 5 3\n")  # fmt: skip
    drawn = load_mesh(path)
    triangles = set()
    for node_path in drawn.find_all_matches("**/+GeomNode"):
        for geom in node_path.node().get_geoms():
            positions, normals, indices, _ = read_shape(geom)
            triangles |= {key(positions[corners].tolist()) for corners in np.asarray(indices).reshape(-1, 3)}
            assert np.linalg.norm(normals, axis=1) == pytest.approx(np.ones(len(normals)), abs=1e-5)
    meshes = load_meshes(path, default_surfaces())
    assert triangles == {key(mesh.vertices[t].tolist()) for mesh in meshes for t in mesh.triangles}
    assert len(drawn.find_all_matches("**/+GeomNode")) == 2  # one for each square of 128 m with a mesh's centre
