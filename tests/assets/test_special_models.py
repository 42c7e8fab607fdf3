"""Models of the tracked vehicles, coupe, lowrider and three-wheeler: wheels, tracks, collision proxy and lamps; and the
flat shading of plates."""

import numpy as np
import pytest
import trimesh

from driving_sandbox.assets.build import vehicles
from driving_sandbox.assets.build.mesh import join
from driving_sandbox.assets.build.parts import box
from driving_sandbox.assets.build.running import faceted
from driving_sandbox.physics.shape.geometry import load_geometry
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.placing import ride_height

NAMES = ("tank", "half_track", "coupe", "lowrider", "three_wheeler")
LENGTHS = {  # m, with gun, roller and bumpers
    "tank": 5.0,
    "half_track": 6.1,
    "coupe": 4.6,
    "lowrider": 5.4,
    "three_wheeler": 3.4,
}


@pytest.fixture(scope="module", params=NAMES)
def vehicle(request):
    """(name, Vehicle, its geometry)."""
    vehicle = load_vehicle(request.param)
    return request.param, vehicle, load_geometry(vehicle.geometry.path)


def to_z_up(points):
    """glTF (x, y, z) -> (x, -z, y)."""
    return np.stack([points[:, 0], -points[:, 2], points[:, 1]], axis=1)


def points(name, node):
    """All vertices of a node and its children, in the model's frame."""
    scene = trimesh.load(vehicles.MODELS / f"{name}.glb", force="scene", process=False)
    clouds = []
    for node_name in scene.graph.nodes_geometry:
        if node in (node_name, scene.graph.transforms.parents.get(node_name)):
            matrix, geometry = scene.graph.get(node_name)
            clouds.append(to_z_up(trimesh.transform_points(scene.geometry[geometry].vertices, matrix)))
    return np.concatenate(clouds)


def test_wheels_are_where_the_vehicle_has_them_at_rest(vehicle):
    name, v, geometry = vehicle
    suspension, wheel = v.params["suspension"][0], v.params["wheel"][0]
    assert ride_height(v, 9.81) == pytest.approx(0.0, abs=0.01)
    for i in range(v.wheel_count):
        centre = geometry.nodes[f"wheel{i + 1}"]
        assert centre[:2] == pytest.approx(suspension[i]["attachment"][:2], abs=2e-3)
        assert centre[2] == pytest.approx(wheel[i]["radius"], abs=2e-3)
        assert {f"brake{i + 1}", f"susp{i + 1}_hull", f"susp{i + 1}_wheel", f"arm{i + 1}_hull"} <= set(geometry.nodes)
    assert f"wheel{v.wheel_count + 1}" not in geometry.nodes


def test_wheels_stand_on_the_ground_or_on_their_track(vehicle):
    """Within 3 cm; a track is 4.5 cm thick."""
    name, v, geometry = vehicle
    track = (
        v.params["differential"][0]["track"] if "track" in v.params["differential"].dtype.names else np.zeros(20, int)
    )
    for i in range(v.wheel_count):
        low = points(name, f"wheel{i + 1}")[:, 2].min()
        assert low == pytest.approx(0.045 if track[i] else 0.0, abs=0.03), f"wheel {i + 1}"


def test_proxy_is_small_closed_and_covers_the_body(vehicle):
    name, v, geometry = vehicle
    (part,) = geometry.hulls
    proxy = trimesh.Trimesh(part.proxy.vertices, part.proxy.faces, process=False)
    assert len(part.proxy.vertices) <= 32 and proxy.is_watertight and proxy.volume > 2.0
    assert 0.10 < part.proxy.vertices[:, 2].min() < 0.65
    hull = points(name, "hull1")
    assert np.ptp(hull[:, 1]) == pytest.approx(LENGTHS[name], rel=0.04)
    normals = proxy.face_normals
    offsets = (normals * part.proxy.vertices[part.proxy.faces[:, 0]]).sum(axis=1)
    outside = (hull @ normals.T - offsets).max(axis=1)
    # below 0.9 m there are the tracks too, which run beside the hull and outside the proxy
    body = hull[:, 2] > 0.9 if name in ("tank", "half_track") else np.ones(len(hull), bool)
    # 85 % of the vertices lie inside the proxy or less than 12 cm outside it
    assert np.quantile(outside[body], 0.85) < 0.12


def test_turn_signals_tail_lamps_and_reversing_lamps_are_in_place(vehicle):
    """Turn signals are on both sides, at the rear outside or above the tail lamps; reversing lamps are at the rear."""
    name, _, _ = vehicle
    scene = trimesh.load(vehicles.MODELS / f"{name}.glb", force="scene", process=False)
    vertices_of = {}
    for node in scene.graph.nodes_geometry:
        matrix, geometry = scene.graph.get(node)
        mesh = scene.geometry[geometry]
        if scene.graph.transforms.parents.get(node) == "hull1" or node == "hull1":
            vertices = to_z_up(trimesh.transform_points(mesh.vertices, matrix))
            vertices_of.setdefault(mesh.visual.material.name, []).append(vertices)
    vertices_of = {material: np.concatenate(arrays) for material, arrays in vertices_of.items()}
    turn, tail, reverse = vertices_of["lamp_turn"], vertices_of["lamp_rear"], vertices_of["lamp_reverse"]
    assert turn[:, 0].min() < -0.3 and turn[:, 0].max() > 0.3
    assert tail[:, 1].max() < 0.0 and reverse[:, 1].max() < 0.0
    rear = turn[turn[:, 1] < 0.0]
    assert np.abs(rear[:, 0]).max() > np.abs(tail[:, 0]).max() + 0.01 or rear[:, 2].max() > tail[:, 2].max() + 0.01


def test_faceted_plates_have_one_normal_per_face():
    mesh = faceted(box((0, 0, 0), (1, 1, 1), chamfer=0.1, material="paint"))
    assert "n" in join([mesh, mesh.mirrored()]).attr
    n = mesh.attr["n"][mesh.t]
    assert np.abs(n - n[:, :1]).max() == 0.0
    assert len(mesh.v) == 3 * len(mesh.t)
