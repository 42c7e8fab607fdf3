"""What is drawn near the camera is what is driven on."""

import numpy as np
import pytest
from view_rig import rough_heights

from game.view.geometry import read_column, read_triangles
from game.view.terrain import CHUNK, LOD_DISTANCE, TerrainChunks, far_hills

ORIGIN, CELL = (-40.0, 25.0), 1.5


@pytest.fixture(scope="module")
def chunks():
    return TerrainChunks(rough_heights(), ORIGIN, CELL)


def drawn_triangles(chunks):
    """All full-detail triangles as (n, 3 corners, xyz)."""
    found = []
    for node in chunks.full_nodes.values():
        geom = node.getGeom(0)
        found.append(read_column(geom.getVertexData(), "vertex")[read_triangles(geom)])
    return np.concatenate(found)


def test_drawn_vertices_are_the_samples(chunks):
    heights = rough_heights()
    corners = drawn_triangles(chunks).reshape(-1, 3)
    i = np.round((corners[:, 0] - ORIGIN[0]) / CELL).astype(int)
    j = np.round((corners[:, 1] - ORIGIN[1]) / CELL).astype(int)
    assert np.array_equal(corners[:, 2], heights[j, i])
    assert np.array_equal(corners[:, 0], np.float32(ORIGIN[0] + i * CELL))
    assert np.array_equal(corners[:, 1], np.float32(ORIGIN[1] + j * CELL))


def test_every_cell_has_the_two_driven_triangles(chunks):
    heights = rough_heights()
    drawn = drawn_triangles(chunks)
    corner = np.stack([np.round((drawn[..., 0] - ORIGIN[0]) / CELL), np.round((drawn[..., 1] - ORIGIN[1]) / CELL)], -1)
    got = {tuple(map(tuple, t)) for t in corner.astype(int)}
    rows, columns = heights.shape
    want = set()
    for j in range(rows - 1):
        for i in range(columns - 1):
            a, b, c, d = (i, j), (i + 1, j), (i, j + 1), (i + 1, j + 1)
            want |= {(a, b, d), (a, d, c)}
    assert got == want
    assert len(drawn) == len(want)


def test_drawn_surface_is_where_wheel_rays_hit(chunks):
    ground = pytest.importorskip("physics.road.ground")
    cells = np.zeros((149, 149), np.uint8)
    field = ground.Ground(ground.Heightfield(rough_heights(), cells, ORIGIN, CELL))
    random = np.random.default_rng(1)
    drawn = drawn_triangles(chunks).astype(float)
    for corners in drawn[random.integers(0, len(drawn), 200)]:
        u, v = sorted(random.uniform(0.02, 0.98, 2))
        point = corners[0] * u + corners[1] * (v - u) + corners[2] * (1 - v)
        assert field.height(point[0], point[1]) == pytest.approx(point[2], abs=1e-5)


def test_triangles_face_up_and_coarse_levels_start_far(chunks):
    drawn = drawn_triangles(chunks)
    normals = np.cross(drawn[:, 1] - drawn[:, 0], drawn[:, 2] - drawn[:, 0])
    assert (normals[:, 2] > 0).all()
    for path in chunks.root.getChildren():
        lod = path.node()
        half = CHUNK * CELL * np.sqrt(0.5)
        assert lod.getOut(0) == 0.0 and lod.getIn(0) >= LOD_DISTANCE
        if path.getName() == "chunk 0 0":
            assert lod.getIn(0) >= LOD_DISTANCE + half - 0.01


def test_holes_are_not_drawn():
    holes = np.zeros((149, 149), bool)
    holes[70, 80] = True
    drawn = drawn_triangles(TerrainChunks(rough_heights(), (0.0, 0.0), 1.0, holes))
    middle = drawn.mean(axis=1)
    inside = (np.floor(middle[:, 0]) == 80) & (np.floor(middle[:, 1]) == 70)
    assert not inside.any()
    assert len(drawn) == 2 * 149 * 149 - 2


def test_far_hills_begin_on_the_border():
    heights = rough_heights()
    geom = far_hills(heights, ORIGIN, CELL).node().getGeom(0)
    first = read_column(geom.getVertexData(), "vertex")[:8]
    i = np.round((first[:, 0] - ORIGIN[0]) / CELL).astype(int)
    j = np.round((first[:, 1] - ORIGIN[1]) / CELL).astype(int)
    assert np.allclose(first[:, 2], heights[j, i], atol=1e-4)
