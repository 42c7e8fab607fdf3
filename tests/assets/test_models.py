"""Vehicle models: named nodes in place, convex closed hull proxies, equal in two readers, reproducible bytes."""

import hashlib
import re
from pathlib import Path

import numpy as np
import pytest
import trimesh

from driving_sandbox.assets.build import vehicles
from driving_sandbox.assets.build.glb import Material, Node, Primitive, glb_bytes, write_glb
from driving_sandbox.assets.build.mesh import SEAM_REACH
from driving_sandbox.assets.build.trim import plate
from driving_sandbox.game.view.gl.geometry import read_column, read_triangles
from driving_sandbox.game.view.gl.shading import SHADERS
from driving_sandbox.game.view.vehicle.model import MATERIALS, load_model
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

# wheelbase, front and rear track, front and rear (radius, half width), length, width, height in metres
DIMENSIONS = {
    "roadster": (2.265, 1.41, 1.43, (0.289, 0.0925), (0.289, 0.0925), 3.95, 1.675, 1.23),
    "hatchback": (2.631, 1.538, 1.516, (0.318, 0.1125), (0.318, 0.1125), 4.27, 1.79, 1.45),
    "mx5_na": (2.265, 1.41, 1.43, (0.280, 0.0925), (0.280, 0.0925), 3.95, 1.675, 1.23),
    "m3_e46": (2.731, 1.508, 1.525, (0.3205, 0.12), (0.3205, 0.12), 4.49, 1.78, 1.37),
    "golf_gti_mk7": (2.631, 1.538, 1.516, (0.309, 0.1125), (0.309, 0.1125), 4.27, 1.79, 1.45),
    "offroader": (2.95, 1.64, 1.64, (0.40, 0.13), (0.40, 0.13), 4.7, 1.95, 1.9),
    "buggy": (2.30, 1.50, 1.55, (0.36, 0.12), (0.36, 0.15), None, None, None),
}
NAMES = tuple(DIMENSIONS)
KNOWN_MATERIALS = {m.name for m in vehicles.MATERIALS}
MAX_TRIANGLES, MAX_BYTES = 66_000, 1_800_000


def tire_size(name, wheel):
    """(radius, half width), m, of a wheel by its index, of which 0 and 1 are in front."""
    return DIMENSIONS[name][3 if wheel < 2 else 4]


def to_z_up(points):
    """glTF (x, y, z) -> (x, -z, y)."""
    p = np.atleast_2d(points)
    return np.stack([p[:, 0], -p[:, 2], p[:, 1]], axis=1)


class Model:
    """A model as trimesh reads it, in z-up coordinates."""

    def __init__(self, path):
        self.path = path
        self.scene = trimesh.load(path, force="scene", process=False)

    def place(self, name):
        """Position of a node, m."""
        return to_z_up(self.scene.graph.get(name)[0][:3, 3])[0]

    def meshes(self, name):
        """(vertices in the model's frame, faces, material) of the node's primitives."""
        parts = []
        for node in self.scene.graph.nodes_geometry:
            if name not in (node, self.scene.graph.transforms.parents.get(node)):
                continue
            matrix, geometry = self.scene.graph.get(node)
            mesh = self.scene.geometry[geometry]
            parts.append(
                (
                    to_z_up(trimesh.transform_points(mesh.vertices, matrix)),
                    mesh.faces,
                    getattr(mesh.visual, "material", None),
                )
            )
        return parts

    def points(self, name, material=None):
        """[n, 3] vertices of a node, m, of one material or of all."""
        return np.concatenate([v for v, _, m in self.meshes(name) if material is None or m.name == material])


@pytest.fixture(scope="module", params=NAMES)
def model(request):
    """(name, Model) of each vehicle of DIMENSIONS."""
    return request.param, Model(vehicles.MODELS / f"{request.param}.glb")


def test_the_vehicle_shader_knows_every_material():
    """The models have the materials of the window's list, and the shader's tables have a row for each."""
    shader = (SHADERS / "vehicle.frag").read_text()
    assert {m.name for m in vehicles.MATERIALS} == set(MATERIALS)
    assert re.findall(r"const \w+ (\w+)\[(\d+)\]", shader) == [
        (table, str(len(MATERIALS))) for table in ("TABLE", "METAL")
    ]


def test_all_named_nodes_are_there(model):
    _, m = model
    expected = ["hull1", "hullproxy1", "steering_wheel"]
    for n in range(1, 5):
        expected += [f"wheel{n}", f"brake{n}", f"wheel{n}_lower", f"wheel{n}_upper"]
        expected += [f"{kind}{n}{end}" for kind in ("susp", "arm") for end in ("", "_hull", "_wheel")]
    assert set(expected) <= set(m.scene.graph.nodes)


def test_wheels_stand_on_the_road_at_the_stated_positions(model):
    name, m = model
    base, front, rear, front_size, rear_size, *_ = DIMENSIONS[name]
    for i in range(4):
        track, (radius, half_width) = (front, front_size) if i < 2 else (rear, rear_size)
        centre = m.place(f"wheel{i + 1}")
        expected = [track / 2 * (1 if i % 2 else -1), base / 2 * (1 if i < 2 else -1), radius]
        np.testing.assert_allclose(centre, expected, atol=2e-5)
        np.testing.assert_allclose(m.place(f"brake{i + 1}"), expected, atol=2e-5)
        p = m.points(f"wheel{i + 1}") - centre
        assert np.abs(p[:, 0]).max() == pytest.approx(half_width, abs=1e-4)
        assert np.hypot(p[:, 1], p[:, 2]).max() == pytest.approx(radius, abs=1e-4)
        lower, upper = m.place(f"wheel{i + 1}_lower"), m.place(f"wheel{i + 1}_upper")
        np.testing.assert_allclose(lower, expected, atol=2e-5)
        assert 0.2 < upper[2] - lower[2] < 0.6


def test_left_is_the_mirror_of_right(model):
    _, m = model
    for left, right in ((1, 2), (3, 4)):
        for kind in ("wheel", "brake"):
            a = m.points(f"{kind}{left}") * [-1, 1, 1]
            b = m.points(f"{kind}{right}")
            key_a, key_b = ({tuple(r) for r in np.round(p, 4)} for p in (a, b))
            assert len(key_a ^ key_b) <= 0.05 * len(key_b)  # rounding may separate a few
            np.testing.assert_allclose([a.min(0), a.max(0)], [b.min(0), b.max(0)], atol=2e-5)


def test_proxy_is_convex_closed_and_small(model):
    _, m = model
    ((points, faces, _),) = m.meshes("hullproxy1")
    assert len(points) <= 32
    proxy = trimesh.Trimesh(points, faces, process=False)
    assert proxy.is_watertight and proxy.is_winding_consistent and proxy.volume > 0
    normals, offsets = proxy.face_normals, (proxy.face_normals * points[faces[:, 0]]).sum(axis=1)
    assert (points @ normals.T - offsets).max() < 1e-4


def test_proxy_covers_body_but_clears_the_road(model):
    name, m = model
    ((points, faces, _),) = m.meshes("hullproxy1")
    hull = np.concatenate(
        [v for v, _, material in m.meshes("hull1") if material.name != "sign"]
    )  # signs have many points for their size
    assert 0.12 <= points[:, 2].min() <= (0.42 if name == "offroader" else 0.28)
    normals = trimesh.Trimesh(points, faces, process=False).face_normals
    outside = (hull @ normals.T - (normals * points[faces[:, 0]]).sum(axis=1)).max(axis=1)
    assert np.quantile(outside, 0.90) < 0.06  # the rest: mirrors, mudguards, aerials
    assert points[:, 2].max() >= hull[:, 2].max() - 0.10
    proxy = trimesh.Trimesh(points, faces, process=False)
    for i in range(4):  # the tires' outer faces stay outside
        centre = m.place(f"wheel{i + 1}")
        _, half_width = tire_size(name, i)
        edge = centre + [np.sign(centre[0]) * half_width, 0, -0.8 * centre[2]]
        signed = (proxy.face_normals * (edge - points[faces[:, 0]])).sum(axis=1)
        assert signed.max() > 0


def test_body_has_the_stated_size(model):
    name, m = model
    length, width, height = DIMENSIONS[name][5:]
    if length is None:  # an open frame has no stated size; it must be longer than its wheelbase, but not by much
        assert 2.3 < np.ptp(m.points("hull1")[:, 1]) < 4.2
        return
    p = m.points("hull1")
    paint = m.points("hull1", "paint")
    body = p if name == "offroader" else paint
    assert np.ptp(body[:, 1]) == pytest.approx(length, rel=0.05)
    assert np.ptp(paint[:, 0][np.abs(paint[:, 2] - 0.5) < 0.15]) == pytest.approx(width, rel=0.09)
    assert p[:, 2].max() == pytest.approx(height, rel=0.06)


def test_suspension_parts_reach_their_end_nodes(model):
    _, m = model
    for n in range(1, 5):
        for kind in ("susp", "arm"):
            a, b = m.place(f"{kind}{n}_hull"), m.place(f"{kind}{n}_wheel")
            axis = (b - a) / np.linalg.norm(b - a)
            p = m.points(f"{kind}{n}") - a
            distances = p @ axis
            assert distances.min() < 0.06 and distances.max() > np.linalg.norm(b - a) - 0.03
            assert np.linalg.norm(b - m.place(f"wheel{n}")) < 0.30
            assert abs(b[0]) > abs(a[0])  # the hull end lies inboard
            assert np.sign(a[0]) == np.sign(m.place(f"wheel{n}")[0])


def test_wheels_turn_and_travel_clear_of_the_body(model):
    """Steered by 0.5 rad, lifted or lowered by 0.1 m, no vertex of painted bodywork lies inside a tire."""
    name, m = model
    paint = m.points("hull1", "paint")
    for i in range(4):
        radius, half_width = tire_size(name, i)
        for steer, lift in ((0.0, 0.0), (0.5, 0.0), (-0.5, 0.0), (0.0, 0.1), (0.0, -0.1)):
            if i >= 2 and steer:
                continue
            if name == "buggy" and i >= 2 and lift > 0:
                continue  # its rear mudguards ride close above the tires
            p = paint - m.place(f"wheel{i + 1}") - [0, 0, lift]
            axial = p[:, 0] * np.cos(steer) + p[:, 1] * np.sin(steer)
            longitudinal = p[:, 1] * np.cos(steer) - p[:, 0] * np.sin(steer)
            inside = (np.abs(axial) < half_width * 0.9) & (np.hypot(longitudinal, p[:, 2]) < radius * 0.985)
            assert not inside.any(), f"wheel {i + 1}, steer {steer}, lift {lift}: {paint[inside][:3]}"


def test_normals_point_outward_and_materials_are_known(model):
    """Materials are known ones, normals have unit length and point to the front side of 97 % of the surface."""
    name, m = model
    for node in m.scene.graph.nodes_geometry:
        mesh = m.scene.geometry[m.scene.graph.get(node)[1]]
        if "hullproxy1" in node:
            continue
        assert mesh.visual.material.name in KNOWN_MATERIALS
        lengths = np.linalg.norm(mesh.vertex_normals, axis=1)
        np.testing.assert_allclose(lengths, 1.0, atol=2e-3)
        corners = mesh.vertices[mesh.faces]
        area = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        agree = (area * mesh.vertex_normals[mesh.faces[:, 0]]).sum(axis=1) > 0
        assert np.average(agree, weights=np.linalg.norm(area, axis=1) + 1e-12) > 0.97  # both point to the same side


@pytest.mark.parametrize("name", vehicles.NAMES)
def test_rebuilding_gives_the_committed_bytes_within_the_budget(name):
    built, committed = vehicles.model_bytes(name), (vehicles.MODELS / f"{name}.glb").read_bytes()
    assert hashlib.sha256(built).hexdigest() == hashlib.sha256(committed).hexdigest()
    scene = trimesh.load(vehicles.MODELS / f"{name}.glb", force="scene", process=False)
    count = sum(len(scene.geometry[scene.graph.get(node)[1]].faces) for node in scene.graph.nodes_geometry)
    assert count <= MAX_TRIANGLES and len(committed) <= MAX_BYTES


@pytest.mark.parametrize("name", NAMES)
def test_panda_and_trimesh_see_the_same_positions(name):
    gltf = pytest.importorskip("gltf")
    core = pytest.importorskip("panda3d.core")
    path = vehicles.MODELS / f"{name}.glb"
    model, root = Model(path), core.NodePath(gltf.load_model(str(path)))
    moving = [f"{kind}{n}" for kind in ("wheel", "brake", "susp") for n in range(1, 5)]
    for node in ["hullproxy1", "hull1", "steering_wheel", *moving]:
        node_path = root.find(f"**/{node}")
        np.testing.assert_allclose(list(node_path.getPos(root)), model.place(node), atol=2e-5)
        low, high = node_path.getTightBounds(root)
        p = model.points(node)
        np.testing.assert_allclose([list(low), list(high)], [p.min(0), p.max(0)], atol=1e-4)


def test_the_writer_keeps_positions_and_gives_equal_bytes(tmp_path):
    v = np.array([[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3.0]])
    t = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    node = Node("a", (1, 2, 3), children=[Node("b", (0, 0, 1), primitives=[Primitive(v, t, "red")])])
    first = glb_bytes([node], [Material("red", (1, 0, 0))])
    noisy = Node("a", (1, 2, 3), children=[Node("b", (0, 0, 1), primitives=[Primitive(v + 1e-9, t, "red")])])
    assert glb_bytes([noisy], [Material("red", (1, 0, 0))]) == first  # last digits do not reach the file
    path = Path(tmp_path) / "a.glb"
    assert write_glb(path, [node], [Material("red", (1, 0, 0))]) == len(first)
    m = Model(path)
    np.testing.assert_allclose(m.place("b"), [1, 2, 4])
    np.testing.assert_allclose(sorted(map(tuple, m.points("b"))), sorted(map(tuple, v + [1, 2, 4])))
    [(points, faces, _)] = m.meshes("b")
    assert trimesh.Trimesh(points, faces).volume > 0  # faces still point outward after the change of axes


@pytest.mark.parametrize(
    ("primitive", "message"),
    [
        (Primitive(np.zeros((3, 3)), np.array([[0, 1, 3]])), "outside 0..2"),
        (Primitive(np.full((3, 3), np.nan), np.array([[0, 1, 2]])), "finite"),
        (Primitive(np.eye(3), np.array([[0, 1, 2]]), "gold"), "unknown material 'gold'"),
    ],
)
def test_writer_names_the_node_of_a_bad_mesh(primitive, message):
    with pytest.raises(ValueError, match=message) as error:
        glb_bytes([Node("door", primitives=[primitive])], [Material("red")])
    assert "door" in str(error.value)


@pytest.mark.parametrize("name", [n for n in vehicles.NAMES if "trailer" not in n])
def test_eyes_are_behind_the_steering_wheel_and_exhausts_end_at_the_body(name):
    """The driver's eyes are 0.3 to 0.7 m behind the steering wheel, and up to 0.2 m below the top of the figure."""
    m = Model(vehicles.MODELS / f"{name}.glb")
    nodes = set(m.scene.graph.nodes)
    eye, wheel = m.place("eye_pos"), m.place("steering_wheel")
    assert eye[0] == pytest.approx(wheel[0], abs=0.08)
    assert 0.3 < wheel[1] - eye[1] < 0.7 and 0.2 < eye[2] - wheel[2] < 0.4
    assert "driver" in nodes
    if name != "tank":  # whose figure stands in the turret
        figure = m.points("driver")
        assert 0.0 < figure[:, 2].max() - eye[2] < 0.2
    body = m.points("hull1")
    for pipe in (m.place(n) for n in ("exhaust1", "exhaust2") if n in nodes):
        assert body[:, 0].min() <= pipe[0] <= body[:, 0].max() and pipe[1] > body[:, 1].min() - 0.12
        assert np.linalg.norm(body - pipe, axis=1).min() < 0.25  # at a part of the body


def test_the_text_of_a_plate_is_readable_from_outside():
    """The first sign is on the reader's left, whether the plate is at the nose or the tail."""
    for side in (-1.0, 1.0):
        signs = plate((0.0, side * 2.0, 0.5), (0.5, 0.11), "L 1")
        marks = signs.v[np.unique(signs.t[signs.m == "sign"])]
        right = -side  # of the reader: +x from behind, -x from the front
        tall = marks[marks[:, 0] * right > 0.03]  # the 1
        foot = marks[marks[:, 0] * right < -0.03]  # the L, whose foot points to the right
        assert len(tall) and len(foot) and np.allclose(marks[:, 1], side * 2.009)
        low = foot[foot[:, 2] < 0.49][:, 0] * right
        high = foot[foot[:, 2] > 0.52][:, 0] * right
        assert low.max() > high.max() + 0.01


@pytest.mark.parametrize("name", [n for n in vehicles.NAMES if "trailer" not in n and n != "tank"])
def test_outside_mirrors_show_the_driver_the_road_behind(name):
    """The middle of the glass reflects a ray from the eyes straight back, a little outward and down."""
    m = Model(vehicles.MODELS / f"{name}.glb")
    ((points, faces, _),) = [part for part in m.meshes("hull1") if part[2].name == "mirror"]
    eye = m.place("eye_pos")
    for side in (-1.0, 1.0):
        corners = points[faces][(side * points[faces][:, :, 0] > 0.3).all(axis=1)]
        middle = corners.reshape(-1, 3).mean(axis=0)
        normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]).sum(axis=0)
        normal /= np.linalg.norm(normal)
        ray = (middle - eye) / np.linalg.norm(middle - eye)
        ray -= 2.0 * (ray @ normal) * normal
        outward, upward = np.degrees(np.arctan2(side * ray[0], -ray[1])), np.degrees(np.arcsin(ray[2]))
        assert 0.0 < outward < 9.0 and -15.0 < upward < 0.0, (side, outward, upward)


@pytest.mark.parametrize("name", ["roadster", "hatchback", "coupe", "offroader", "lowrider", "three_wheeler"])
def test_panel_gaps_store_the_distance_from_their_line_on_both_sides(name):
    """Vertices store their distance from the line of the gap.

    Between the corners of over 95 % of the triangles it changes by at most 1.3 times their distance; over 35 % of the
    triangles span half a band's width.
    """
    geom = load_model(vehicles.MODELS / f"{name}.glb").parts["hull1"].opaque.getGeom(0)
    points, look = (read_column(geom.getVertexData(), column) for column in ("vertex", "look"))
    corners = read_triangles(geom)
    corners = corners[look[corners[:, 0], 0] == MATERIALS.index("seam")]
    across = (look[corners, 3] - 0.5) * 2.0 * SEAM_REACH
    assert len(corners) > 200 and across.min() < -0.9 * SEAM_REACH and across.max() > 0.9 * SEAM_REACH
    rise = np.abs(across - np.roll(across, 1, axis=1))
    distances = np.linalg.norm(points[corners] - points[np.roll(corners, 1, axis=1)], axis=2)
    assert (rise <= 1.3 * distances + 2e-4).all(axis=1).mean() > 0.95
    assert (np.ptp(across, axis=1) > SEAM_REACH).mean() > 0.35


def test_the_track_roadsters_wings_are_where_their_forces_act():
    m, vehicle = Model(vehicles.MODELS / "track_roadster.glb"), load_vehicle("track_roadster")
    span, forward = vehicle.get("aero.span"), vehicle.get("aero.forward")
    dark, plastic = m.points("hull1", "gloss_black"), m.points("hull1", "plastic_black")
    rear = dark[(dark[:, 2] > 1.0) & (dark[:, 1] < -1.5)]
    front = plastic[(plastic[:, 2] < 0.135) & (plastic[:, 1] > 1.4)]
    for points, width, y in ((front, span[0], forward[0]), (rear, span[1], forward[1])):
        assert np.ptp(points[:, 0]) == pytest.approx(width, abs=0.03)
        assert points[:, 1].min() < y < points[:, 1].max()
