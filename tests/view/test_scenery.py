"""Scenery: drawn meshes are the driven ones; positions of trees and posts; road and ground maps."""

from pathlib import Path

import numpy as np
import pytest

from driving_sandbox.game.view.gl.geometry import mesh, read_column, read_shape, read_triangles
from driving_sandbox.game.view.ground import maps as ground_maps
from driving_sandbox.game.view.ground.meshes import load_mesh
from driving_sandbox.game.view.ground.posts import HEIGHT, ROADSIDE, SPACING, post_positions, posts
from driving_sandbox.game.view.ground.road_lines import RoadLine, read_road_lines
from driving_sandbox.game.view.ground.trees import CLEARANCE, tree_positions
from driving_sandbox.physics.base.user_error import WrongValue
from driving_sandbox.physics.ground.meshes import load_meshes
from driving_sandbox.physics.ground.surfaces import default_surfaces

WORLD = Path(__file__).resolve().parents[2] / "assets" / "worlds" / "proving_ground"


def corner_rows(triangles: np.ndarray) -> np.ndarray:
    """[triangle, 9] coordinates of the corners in whole millimetres; corners and triangles are sorted."""
    corners = np.round(triangles * 1000.0).astype(np.int64)
    order = np.lexsort((corners[..., 2], corners[..., 1], corners[..., 0]), axis=1)
    flat = np.take_along_axis(corners, order[..., None], axis=1).reshape(len(corners), 9)
    return flat[np.lexsort(flat.T[::-1])]


@pytest.mark.parametrize("wide", (False, True))
def test_drawn_meshes_are_the_driven_meshes(wide):
    path = WORLD / "meshes.glb"
    driven = np.concatenate([m.vertices[m.triangles] for m in load_meshes(path, default_surfaces())])
    drawn = []
    for child in load_mesh(path, wide).findAllMatches("**/+GeomNode"):
        for index in range(child.node().getNumGeoms()):
            geom = child.node().getGeom(index)
            drawn.append(read_column(geom.getVertexData(), "vertex")[read_triangles(geom)])
    drawn = np.concatenate(drawn).astype(float)
    assert len(drawn) == len(driven)
    assert np.abs(corner_rows(drawn) - corner_rows(driven)).max() <= 1


def test_bounds_of_static_nodes_equal_those_of_panda3d():
    """Bounds decide culling and drawing order."""
    for child in load_mesh(WORLD / "meshes.glb").findAllMatches("**/+GeomNode"):
        bounds, copy = child.node().getGeom(0).getBounds(), child.node().getGeom(0).makeCopy()
        copy.clearBounds()
        expected = copy.getBounds()
        assert tuple(bounds.getCenter()) == pytest.approx(tuple(expected.getCenter()), abs=1e-3)
        assert bounds.getRadius() == pytest.approx(expected.getRadius(), rel=1e-5)


def test_a_mesh_of_few_triangles_is_one_draw_call_on_graphics_cards(monkeypatch):
    """Draw calls cost most on graphics cards, so all quality levels but `low` load meshes with `wide`."""
    path = WORLD / "meshes.glb"

    def draws(wide):
        return len(load_mesh(path, wide).findAllMatches("**/+GeomNode"))

    assert draws(True) == 1 < 10 < draws(False)
    monkeypatch.setattr("driving_sandbox.game.view.ground.meshes.MAX_WIDE_TRIANGLES", 1000)
    assert draws(True) == draws(False)  # more triangles than the limit: squares that are culled separately


def test_trees_keep_their_distance_from_roads_and_are_on_the_ground():
    heights = np.fromfunction(lambda j, i: 0.02 * i, (201, 201)).astype(np.float32)
    grass = np.ones((200, 200), bool)
    grass[:, 95:105] = False  # a road along y at x = 95..105
    feet = tree_positions(heights, (0.0, 0.0), 1.0, grass, 300)
    assert len(feet) > 50
    # the clearance is measured in whole cells, here of 1 m, so up to one cell less is allowed
    assert np.minimum(np.abs(feet[:, 0] - 95), np.abs(feet[:, 0] - 105)).min() >= CLEARANCE - 1.0
    assert np.abs(feet[:, 2] - 0.02 * feet[:, 0]).max() < 0.2
    assert np.array_equal(feet, tree_positions(heights, (0.0, 0.0), 1.0, grass, 300))


def test_road_map_holds_distance_edge_and_dash_phase():
    line = RoadLine(np.array([[0.0, -40.0], [0.0, 40.0]]), half_width=4.0, closed=False)
    pixels, texel = ground_maps.road_map([line], np.array([-20.0, -40.0]), (40.0, 80.0))
    x = -20.0 + (np.arange(pixels.shape[1]) + 0.5) * texel
    row = pixels[pixels.shape[0] // 2].astype(float)
    on_road = np.abs(x) < 4.0
    assert np.allclose(row[on_road, 0], x[on_road], atol=0.01)  # positive to the right of travel (+y)
    assert np.allclose(row[on_road, 1], 4.0 - np.abs(x[on_road]), atol=0.01)
    assert (row[np.abs(x) > 8.0, 1] == -20.0).all()  # OUTSIDE of maps.py
    phase = np.arctan2(pixels[:, 40, 3].astype(float), pixels[:, 40, 2].astype(float))
    phase_difference = np.unwrap(phase)[-1] - np.unwrap(phase)[0]
    # DASH_PERIOD of maps.py is 9 m
    assert phase_difference == pytest.approx((len(phase) - 1) * texel / 9.0 * 2 * np.pi, rel=1e-3)


def test_roads_of_the_proving_ground_are_read():
    roads = read_road_lines(WORLD / "roads.npz")
    assert roads and all(road.half_width <= 8.0 for road in roads)
    assert any(road.closed and np.array_equal(road.points[0], road.points[-1]) for road in roads)
    with pytest.raises(WrongValue, match="no such road file"):
        read_road_lines(WORLD / "none.npz")


def test_a_hill_shades_the_ground_behind_it():
    heights = np.zeros((101, 101), np.float32)
    heights[:, 48:53] = 20.0  # a wall along y
    sun = np.array([-0.93, 0.0, 0.36])  # low in the west
    clear, _ = ground_maps.sunlight(heights, 2.0, sun)
    assert clear[50, 60] < 0.1 < 0.9 < clear[50, 40]
    assert clear[50, 95] > 0.9  # 86 m behind a 20 m wall: beyond its 52 m of shadow


def test_a_shape_without_normals_is_flat():
    """Two triangles sharing an edge, horizontal and vertical: each corner has its triangle's normal."""
    points = np.array([[0, 0, 0], [2, 0, 0], [0, 2, 0], [0, 0, 2]], np.float32)
    flat = mesh(points, np.array([[0, 1, 2], [0, 1, 3]]), "vertex")
    positions, normals, indices, origin = read_shape(flat)
    assert np.array_equal(positions[indices], points[[[0, 1, 2], [0, 1, 3]]])
    assert np.array_equal(origin, [0, 1, 2, 0, 1, 3])
    assert np.allclose(normals[indices[0]], (0, 0, 1)) and np.allclose(normals[indices[1]], (0, -1, 0))


def test_surface_weights_are_in_bgra_order():
    surface = np.zeros((6, 6), np.uint8)
    surface[:, 3:] = 1
    weights = ground_maps.look_weights(surface, ["gravel", "ice"], (6, 6))
    red, green, blue, alpha = (weights[:, 0, 0, k] for k in (2, 1, 0, 3))  # grass, soil, gravel, asphalt
    assert (blue == 255).all() and not (red.any() or green.any() or alpha.any())
    assert (weights[:, 5, 1, 3] == 255).all()  # ice is the fourth of the second texture
    # the border between the surfaces is blended: beyond it some gravel is left
    assert (weights[:, 2, 0, 0] > weights[:, 3, 0, 0]).all() and (weights[:, 3, 0, 0] > 0).all()


def test_posts_are_along_the_road_on_level_bare_ground():
    line = RoadLine(np.array([[0.0, -200.0], [0.0, 200.0]]), half_width=4.0, closed=False)
    mark = RoadLine(np.array([[50.0, -200.0], [50.0, 200.0]]), half_width=0.06, closed=False, mark=True)

    def ground(x, y):
        return np.where((x > 4.5) & (y > 100.0), 6.0, 0.01 * x)  # a bank on the right

    rows = post_positions([line, mark], ground, inside=lambda x, y: 4.0 - np.abs(x), excluded=lambda x, y: y < -100.0)
    assert np.abs(np.abs(rows[:, 0]) - 4.0 - ROADSIDE).max() < 1e-6
    assert rows[:, 1].min() >= -100.0 and rows[rows[:, 0] > 0, 1].max() <= 100.0 < rows[:, 1].max()
    left = np.sort(rows[rows[:, 0] < 0, 1])
    assert len(left) == 12 and np.diff(left) == pytest.approx(SPACING)  # y = -87.5 to 187.5

    def inside_crossing(x, y):
        return 4.0 - np.minimum(np.abs(x), np.abs(y))  # a second road along y = 0

    crossed = post_positions([line], ground, inside_crossing, excluded=lambda x, y: np.zeros_like(x, bool))
    assert np.abs(crossed[:, 1]).min() > 4.0
    far = rows[:2] + [[1000.0, 0.0, 0.0, 0.0]]
    near_and_far = np.concatenate([rows[:2], far])
    # 1 km apart: two blocks of BLOCK, one of WIDE_BLOCK
    assert [len(posts(near_and_far, rising).getChildren()) for rising in (False, True)] == [2, 1]
    points = read_column(posts(rows[:1]).find("**/+GeomNode").node().getGeom(0).getVertexData(), "vertex")
    assert points[:, 2].max() == pytest.approx(rows[0, 2] + HEIGHT, abs=1e-4)
    assert np.abs(points[:, :2] - rows[0, :2]).max() < 0.1
