"""The part that a click on a vehicle picks, and the report on a model's collision parts."""

import numpy as np
import pytest
import trimesh

from driving_sandbox.physics.body.pick import _cylinder_distance, cast_at_wheels, pick
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.shape.geometry import PartSettings, load_geometry
from driving_sandbox.physics.shape.report import collision_report
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

TO_GLTF = np.array([[1.0, 0, 0, 0], [0, 0, 1.0, 0], [0, -1.0, 0, 0], [0, 0, 0, 1.0]])  # from z up to y up


def write(path, parts):
    """Write a .glb with these nodes, {name: mesh}; returns its path."""
    scene = trimesh.Scene()
    for name, mesh in parts.items():
        scene.add_geometry(mesh.copy().apply_transform(TO_GLTF), node_name=name, geom_name=name)
    path.write_bytes(scene.export(file_type="glb"))
    return path


def standing(name="roadster_simple"):
    """(a vehicle at (3, 4, 0.5), positions of its wheels, m, at their attachments)."""
    vehicle = load_vehicle(name)
    vehicle.put((3.0, 4.0, 0.5), (0.0, 0.0, 0.0, 1.0))
    positions = vehicle.params["suspension"][0]["attachment"][: vehicle.wheel_count] + (3.0, 4.0, 0.5)
    vehicle.state["wheel"][0]["position"][: vehicle.wheel_count] = positions
    vehicle.state["wheel"][0]["hub_orientation"][: vehicle.wheel_count] = (0.0, 0.0, 0.0, 1.0)
    return vehicle, positions


def test_a_ray_meets_the_wheel_it_points_at():
    vehicle, positions = standing()
    for i, position in enumerate(positions):
        side = -1.0 if position[0] < 3.0 else 1.0
        target = cast_at_wheels(vehicle, position + (side * 5.0, 0, 0), (-side, 0, 0))
        half_width = vehicle.get(f"wheel.{vehicle.wheel_names[i]}.half_width")
        assert target[0] == i and target[1] == pytest.approx(5.0 - half_width)
    assert cast_at_wheels(vehicle, (3.0, 4.0, 50.0), (0, 0, 1)) is None


def test_cylinder_distance_agrees_with_ray_marching():
    rng = np.random.default_rng(3)
    hits = 0
    for _ in range(1000):
        start = rng.uniform(-1.5, 1.5, 3)
        direction = rng.normal(size=3)
        direction /= np.linalg.norm(direction)
        t = np.linspace(0.0, 4.0, 8001)
        points = start + t[:, None] * direction
        inside = (np.abs(points[:, 0]) <= 0.2) & (np.hypot(points[:, 1], points[:, 2]) <= 0.5)
        distance = _cylinder_distance(start, direction, radius=0.5, half_width=0.2)
        if inside.any():
            hits += 1
            assert distance == pytest.approx(t[inside.argmax()], abs=1e-3)
        elif distance is not None and distance < 4.0:  # a graze between two steps of the march
            x, y, z = start + distance * direction
            assert abs(x) <= 0.2 + 1e-9 and np.hypot(y, z) <= 0.5 + 1e-9
            assert np.hypot(y, z) > 0.499 or abs(x) > 0.199
    assert hits > 40


def test_a_click_names_the_part_and_where_its_values_are():
    vehicle, positions = standing()
    text, path = pick(vehicle, positions[0] + (-5.0, 0, 0), (1.0, 0, 0))
    assert text.startswith(f"wheel {vehicle.wheel_names[0]}: radius 0.") and "N" in text
    assert path == f"suspension.{vehicle.wheel_names[0]}.stiffness"
    text, path = pick(vehicle, (3.0, 4.0, 9.0), (0.0, 0.0, -1.0))
    assert text.startswith("hull1: body of") and path == "body.mass"
    assert pick(vehicle, (30.0, 4.0, 9.0), (0.0, 0.0, -1.0)) is None
    for parameter in (path, f"suspension.{vehicle.wheel_names[0]}.stiffness"):
        assert vehicle.get(parameter) > 0.0


@pytest.mark.covers("CE-LOAD-03", "CE-LOAD-01")
def test_the_report_counts_what_collides_and_names_faults(tmp_path):
    ball, opened = trimesh.creation.icosphere(3), trimesh.creation.box((1, 1, 1))
    opened.update_faces([True] * 11 + [False])
    geometry = load_geometry(
        write(
            tmp_path / "m.glb",
            {"hull1": ball, "hullproxy1": trimesh.creation.box((1, 1, 1)), "hull2": ball, "hull4": ball},
        )
    )
    lines = collision_report(geometry)  # hull2 does not collide: beside a hullproxy, parts without one do not
    assert lines[0] == "collision parts: 12 triangles (hullproxy1 12); triangles for ray tests: 2560"
    assert lines[1] == "warning: parts ignored, as a lower number is missing: hull4" and len(lines) == 2
    assert "warning: 12 triangles collide, the budget is 10" in collision_report(geometry, budget=10)[1]
    bare = load_geometry(write(tmp_path / "b.glb", {"hull1": ball, "hull2": opened}))
    assert any(line.startswith("without mass: hull2: 3 open edges") for line in collision_report(bare))
    assert "1280 triangles (hull1 1280)" in collision_report(bare, PartSettings(excluded=(0, 1)))[0]


def test_the_report_calls_a_closed_mesh_with_a_degenerate_triangle_without_mass(tmp_path):
    box = trimesh.creation.box((1, 1, 1))
    closed = trimesh.Trimesh(box.vertices, [*box.faces.tolist(), [0, 0, 1]], process=False)
    lines = collision_report(load_geometry(write(tmp_path / "m.glb", {"hull1": closed})))
    assert lines[1].startswith("without mass: hull1: 1 degenerate triangle") and "closed" not in lines[1]


@pytest.mark.parametrize("name", ["roadster", "hatchback", "offroader", "buggy"])
def test_car_models_stay_within_the_triangle_budget(name):
    """The report of each model is one line, without a warning."""
    lines = collision_report(load_geometry(ROOT / "assets" / "models" / f"{name}.glb"))
    assert len(lines) == 1, lines
