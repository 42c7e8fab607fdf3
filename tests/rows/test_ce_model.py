"""Rules of CryEngine's documentation: wheel cylinders, pivots and collision triangles from the patrol car's model."""

import math

import numpy as np
import pytest
import trimesh

from driving_sandbox.assets.build import vehicles
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.schema.yaml_file import ConfigError
from driving_sandbox.physics.shape.geometry import GeometryError, load_geometry
from driving_sandbox.physics.shape.report import collision_report
from driving_sandbox.physics.suspension.authored_pose import HelperError, helper_pivot
from driving_sandbox.physics.vehicle.vehicle_file import VEHICLE_FOLDER, load_vehicle, load_vehicle_text
from driving_sandbox.physics.wheel.mesh_cylinder import cylinder_of, wheel_meshes

TO_GLTF = np.array([[1.0, 0, 0, 0], [0, 0, 1.0, 0], [0, -1.0, 0, 0], [0, 0, 0, 1.0]])  # z up, y forward to y up
WHEEL_POSITIONS = {1: (-0.8, 1.4), 2: (0.8, 1.4), 3: (-0.8, -1.4), 4: (0.8, -1.4)}  # wheel number: its x and y, m


def tire_mesh(radius=0.33, width=0.22, at=(0.0, 0.0, 0.0)):
    """A cylinder with its axle along x and its centre at `at`; lengths: m."""
    mesh = trimesh.creation.cylinder(radius, width, sections=48)
    mesh.apply_transform(trimesh.transformations.rotation_matrix(math.pi / 2.0, (0, 1, 0)))
    return mesh.apply_translation(at)


def write_car(folder, changed=None, wheel="wheel{}", helper="wheel{}_{}"):
    """A .glb of a box with four wheels of radius 0.33 m and width 0.22 m, and two helpers per wheel, 0.3 m apart.

    changed: {node name: mesh, position of a helper, or None to leave the node out}.
    wheel, helper: patterns of the node names.
    """
    parts = {"hull1": trimesh.creation.box((1.5, 3.8, 0.6)).apply_translation((0, 0, 0.9))}
    for n, (x, y) in WHEEL_POSITIONS.items():
        parts[wheel.format(n)] = tire_mesh(at=(x, y, 0.33))
        parts[helper.format(n, "lower")] = (x, y, 0.33)
        parts[helper.format(n, "upper")] = (x, y, 0.63)
    parts.update(changed or {})
    scene = trimesh.Scene()
    for name, part in parts.items():
        if isinstance(part, tuple):
            matrix = np.eye(4)
            matrix[:3, 3] = TO_GLTF[:3, :3] @ part
            scene.graph.update(frame_to=name, matrix=matrix)
        elif part is not None:
            scene.add_geometry(part.copy().apply_transform(TO_GLTF), node_name=name, geom_name=name)
    path = folder / "car.glb"
    path.write_bytes(scene.export(file_type="glb"))
    return path


def load(path):
    """The patrol car with another model."""
    text = (VEHICLE_FOLDER / "patrol.yaml").read_text(encoding="utf8").replace("models/patrol.glb", str(path))
    return load_vehicle_text(text, str(path.parent / "car.yaml"))


@pytest.mark.covers("CE-LOAD-04")
@pytest.mark.parametrize(("radius", "width"), [(0.33, 0.22), (0.30, 0.60), (0.45, 0.12)])
def test_a_wheels_mesh_is_taken_for_a_cylinder(radius, width):
    rotation = trimesh.transformations.rotation_matrix(0.4, (0.3, 0.2, 1.0))
    mesh = tire_mesh(radius, width).apply_transform(rotation).apply_translation((0.8, 1.4, 0.33))
    cylinder = cylinder_of(mesh.vertices)
    assert cylinder.radius == pytest.approx(radius, rel=0.02)
    assert 2.0 * cylinder.half_width == pytest.approx(width, rel=0.02)
    assert abs(cylinder.axle @ rotation[:3, 0]) == pytest.approx(1.0, abs=1e-3)
    assert cylinder.centre == pytest.approx((0.8, 1.4, 0.33), abs=0.01)


@pytest.mark.covers("CE-LOAD-04")
def test_the_vehicles_wheels_are_as_large_as_their_meshes(tmp_path):
    vehicle = load(write_car(tmp_path))
    for name in vehicle.wheel_names:
        assert vehicle.get(f"wheel.{name}.radius") == pytest.approx(0.33, rel=0.02)
        assert vehicle.get(f"wheel.{name}.half_width") == pytest.approx(0.11, rel=0.02)
    inertia = vehicle.params["wheel"]["inertia"][0, :4]
    assert inertia == pytest.approx(0.5 * 34.0 * 0.33**2, rel=0.04)  # of a cylinder of 34 kg
    drawn = load_vehicle("patrol")
    assert drawn.get("wheel.fl.radius") == pytest.approx(0.40, rel=0.02)
    hull = drawn.params["contact"]["hull"][0]  # holds the wheels, as large as their meshes and at the pivots
    low = hull["part_low"][: int(hull["part_count"])].min(axis=0) + drawn.get("body.centre_of_mass")
    assert low[0] == pytest.approx(-0.82 - 0.115, abs=1e-3)  # m: x of a pivot, half width of its wheel


@pytest.mark.covers("CE-WHEEL-01")
def test_two_nodes_for_one_wheel_are_refused(tmp_path):
    path = write_car(tmp_path, {"wheel_2": tire_mesh(at=(0.8, 1.4, 0.33))})
    with pytest.raises(GeometryError, match="wheel 2 has two nodes, wheel2 and wheel_2"):
        wheel_meshes(path)
    with pytest.raises(ConfigError, match="wheel 2 has two nodes"):
        load(path)
    assert len(wheel_meshes(write_car(tmp_path.joinpath("..").resolve()))) == 4
    (tmp_path / "b").mkdir()
    with pytest.raises(ConfigError, match="car.glb has no mesh wheel3"):
        load(write_car(tmp_path / "b", {"wheel3": None}))


@pytest.mark.covers("CE-LOAD-05")
def test_the_pivot_lies_above_the_lower_helper(tmp_path):
    vehicle = load(write_car(tmp_path, {"wheel2_upper": (0.75, 1.45, 0.66), "wheel1_upper": (-0.75, 1.4, 0.66)}))
    attachments = vehicle.params["suspension"]["attachment"][0]
    assert attachments[1].tolist() == pytest.approx([0.8, 1.4, 0.66], abs=1e-6)  # x and y are the lower helper's
    pivot, length = helper_pivot(vehicle.geometry, 1)
    assert length == pytest.approx(0.33) and pivot[2] - length == pytest.approx(0.33)
    stiffness = vehicle.params["suspension"]["stiffness"][0]
    wheel_load = vehicle.params["suspension"]["supported_mass"][0, 1] * 9.81
    assert stiffness[1] == pytest.approx(wheel_load / (0.54 - 0.33), rel=1e-5)  # 0.54 m: len_max of the car


@pytest.mark.covers("CE-LOAD-05")
def test_a_missing_helper_is_named(tmp_path):
    for name in ("wheel2_upper", "wheel4_lower"):
        (tmp_path / name).mkdir()
        with pytest.raises(ConfigError, match=f"suspension.place_from: car.glb has no node {name}"):
            load(write_car(tmp_path / name, {name: None}))
    (tmp_path / "low").mkdir()
    upside_down = load_geometry(write_car(tmp_path / "low", {"wheel1_upper": (-0.8, 1.4, 0.2)}))
    with pytest.raises(HelperError, match="wheel1_upper is not above wheel1_lower"):
        helper_pivot(upside_down, 0)


def test_both_spellings_of_wheels_and_helpers_are_read(tmp_path):
    (tmp_path / "b").mkdir()
    vehicles = [load(write_car(tmp_path)), load(write_car(tmp_path / "b", wheel="wheel_{}", helper="wheel_{}_{}"))]
    for slot in ("suspension", "wheel"):
        assert vehicles[0].params[slot].tobytes() == vehicles[1].params[slot].tobytes()


@pytest.mark.covers("CE-CONT-03")
def test_the_check_command_counts_colliding_triangles(tmp_path, capsys):
    from driving_sandbox.cli.arguments import build_parser
    from driving_sandbox.cli.check import check

    path = write_car(tmp_path)
    for budget, warned in ((11, True), (12, False)):
        options = build_parser().parse_args(["check", str(path), "--triangles", str(budget)])
        assert check(options) == 0
        output = capsys.readouterr().out
        assert "collision parts: 12 triangles (hull1 12)" in output
        assert ("warning: 12 triangles collide, the budget is 11" in output) == warned
    report = collision_report(load_geometry(ROOT / "assets" / "models" / "patrol.glb"))
    assert report[0].startswith("collision parts: ") and not any("warning" in line for line in report)


def test_the_committed_model_of_the_patrol_car_is_the_one_that_the_script_builds():
    committed = (vehicles.MODELS / "patrol.glb").read_bytes()
    assert vehicles.model_bytes("patrol") == committed
    model = load_geometry(vehicles.MODELS / "patrol.glb")
    for n in range(1, 5):
        assert {f"wheel{n}", f"wheel{n}_upper", f"wheel{n}_lower", f"susp{n}"} <= set(model.nodes)
