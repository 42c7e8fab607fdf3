"""Hulls and mass properties from points and meshes."""

import numpy as np
import pytest
import trimesh
from contact_rig import box_points

from driving_sandbox.physics.shape.hull import (
    ANY_NORMAL,
    PART_VERTICES,
    STEEP,
    box_inertia,
    build_hull,
    convex_part,
    mesh_faults,
    wheel_points,
)
from driving_sandbox.physics.shape.mass import combined, solid


def test_box_has_eight_vertices_and_six_faces():
    part = convex_part(np.concatenate([box_points((-1, -2, -0.5), (1, 2, 0.5)), [[0, 0, 0], [0.5, 2, 0.5]]]))
    assert len(part.vertices) == 8 and part.error == 0.0
    normals = sorted(map(tuple, np.round(part.planes[:, :3], 9) + 0.0))
    assert normals == sorted(map(tuple, np.concatenate([np.eye(3), -np.eye(3)]) + 0.0))
    assert sorted(part.planes[:, 3]) == pytest.approx([0.5, 0.5, 1, 1, 2, 2])


def test_the_hull_is_the_tight_convex_hull_of_its_points():
    """All points are inside its planes; every vertex is one of the points and lies on at least three planes."""
    points = np.random.default_rng(0).normal(size=(2000, 3))
    part = convex_part(points, limit=1000)
    distance = points @ part.planes[:, :3].T - part.planes[:, 3]
    assert distance.max() < 1e-9
    assert {tuple(v) for v in part.vertices} <= {tuple(p) for p in points}
    assert (np.abs(part.vertices @ part.planes[:, :3].T - part.planes[:, 3]) < 1e-6).sum(axis=1).min() >= 3


def test_many_vertices_are_decimated_and_the_error_is_reported():
    ball = trimesh.creation.icosphere(4).vertices
    part = convex_part(ball)
    assert len(part.vertices) == PART_VERTICES
    outside = (ball @ part.planes[:, :3].T - part.planes[:, 3]).max()
    assert part.error == pytest.approx(outside, abs=1e-6)
    assert 0.02 < part.error < 0.2


def test_build_hull_stores_parts_one_after_the_other_relative_to_the_centre_of_mass():
    parts = {"floor": box_points((-1, -2, 0), (1, 2, 0.4)), "cabin": box_points((-0.8, -1, 0.4), (0.8, 1, 1))}
    hull = build_hull(parts, centre_of_mass=(0, 0, 0.5), friction=0.7, restitution=0.1)[0]
    assert hull["part_count"] == 2
    assert list(hull["vertex_start"][:4]) == [0, 8, 16, 16]
    assert list(hull["plane_start"][:4]) == [0, 6, 12, 12]
    assert hull["low"] == pytest.approx((-1, -2, -0.5)) and hull["high"] == pytest.approx((1, 2, 0.5))
    assert hull["radius"] == pytest.approx(np.sqrt(1 + 4 + 0.25))
    assert hull["friction"] == 0.7 and hull["restitution"] == 0.1
    assert build_hull({})[0]["part_count"] == 0


@pytest.mark.parametrize(
    "points,rule",
    [
        (np.zeros((5, 3)), "at least 4"),
        ([[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0]], "on a line"),
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], "in a plane"),
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, np.nan]], "not a number"),
    ],
)
def test_wrong_parts_are_named(points, rule):
    with pytest.raises(ValueError, match=f"hull part 'door': .*{rule}"):
        build_hull({"door": points})


@pytest.mark.parametrize("radius", [0.289, 0.3])
@pytest.mark.parametrize("centre", [(0.0, 1e12, 0.4), (1e12, 1e12, 1e12), (1e12, 1.3, 0.4)])
def test_a_part_degenerate_by_its_distance_is_refused_or_complete(centre, radius):
    """Far away, rounding puts its points on lines, differently between machines: it is refused or has finite planes."""
    try:
        part = convex_part(wheel_points(centre, radius, 0.1))
    except ValueError:
        return
    assert len(part.planes) >= 4 and np.isfinite(part.planes).all()


def test_too_many_parts_are_named():
    with pytest.raises(ValueError, match="at most 8 convex parts, not 9: a, b, c, d, e, f, g, h, i"):
        build_hull({name: box_points((0, 0, 0), (1, 1, 1)) for name in "abcdefghi"})


def test_wheels_are_added_up_to_the_limit():
    """Eight of 20 wheels fit behind eight parts: 16 in all."""
    parts = {f"part {k}": box_points((0, 0, k), (1, 1, k + 1)) for k in range(8)}
    wheels = {f"wheel {k}": wheel_points((0, k, 0), 0.3, 0.1) for k in range(20)}
    hull = build_hull(parts, wheels=wheels)[0]
    assert hull["part_count"] == 16
    assert list(hull["part_up"]) == [ANY_NORMAL] * 8 + [STEEP] * 8


def test_mass_properties_of_boxes_follow_the_formula_and_add_up():
    whole = combined({"box": (1500.0, trimesh.creation.box((1.8, 4.5, 1.2)))})
    assert np.diag(whole.inertia) == pytest.approx(box_inertia(1500.0, (1.8, 4.5, 1.2)))
    halves = {
        "left": (750.0, trimesh.creation.box((0.9, 4.5, 1.2)).apply_translation((-0.45, 1, 2))),
        "right": (750.0, trimesh.creation.box((0.9, 4.5, 1.2)).apply_translation((0.45, 1, 2))),
    }
    joined = combined(halves)
    assert joined.centre_of_mass == pytest.approx((0, 1, 2))
    assert joined.inertia == pytest.approx(whole.inertia, abs=1e-6)


def test_integrals_agree_with_trimesh():
    rng = np.random.default_rng(1)
    for _ in range(20):
        mesh = trimesh.creation.icosphere(2)
        mesh.vertices = mesh.vertices * rng.uniform(0.8, 1.2, (len(mesh.vertices), 1)) @ rng.normal(size=(3, 3))
        if mesh.volume < 0:
            mesh.invert()
        mesh.apply_translation(rng.uniform(-50, 50, 3))
        volume, centre, inertia = solid(mesh)
        assert volume == pytest.approx(mesh.volume, rel=1e-9)
        assert centre == pytest.approx(mesh.center_mass, abs=1e-9)
        assert inertia == pytest.approx(mesh.moment_inertia, rel=1e-6, abs=1e-6)


def test_open_edges_and_degenerate_triangles_are_named_by_part():
    good = trimesh.creation.box((1, 1, 1))
    opened = trimesh.creation.box((1, 1, 1))
    opened.update_faces([True] * 11 + [False])
    sliver = trimesh.Trimesh(
        [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.5, 0, 0]],
        [[0, 2, 1], [0, 4, 3], [4, 1, 3], [0, 3, 2], [1, 2, 3], [0, 1, 4]],
        process=False,
    )
    faults = mesh_faults({"body": good, "door": opened, "lamp": sliver})
    assert [line.split(":")[0] for line in faults] == ["door", "lamp"]
    assert "3 open edges" in faults[0] and "1 degenerate" in faults[1]
    with pytest.raises(ValueError, match="door: 3 open edges"):
        combined({"door": (10.0, opened)})


def test_inverted_mesh_is_refused():
    inverted = trimesh.creation.box((1, 1, 1))
    inverted.invert()
    with pytest.raises(ValueError, match="body: its triangles face inwards"):
        combined({"body": (10.0, inverted)})
