"""Terrain chunks: the drawn triangles near the camera are the driven ones; levels of detail; culling bounds."""

import numpy as np
import pytest
from view_rig import rough_heights

from driving_sandbox.game.view.gl.geometry import read_column, read_triangles
from driving_sandbox.game.view.gl.quality import LEVELS
from driving_sandbox.game.view.ground.terrain import CHUNK, REACH, RESELECT, TerrainChunks, far_hills
from driving_sandbox.physics.ground.ground import Ground, Heightfield

ORIGIN, CELL = (-40.0, 25.0), 1.5  # m: position of the first sample, spacing of the samples


@pytest.fixture(scope="module", params=(2 * CHUNK, CHUNK, CHUNK // 2))
def chunks(request):
    return TerrainChunks(rough_heights(), ORIGIN, CELL, chunk=request.param)


def drawn_triangles(chunks):
    """[triangle, corner, xyz], m, of all chunks of level 0."""
    corners = []
    rows, columns = (-(-(size - 1) // chunks._chunk) for size in rough_heights().shape)
    for row, column in np.ndindex(rows, columns):
        geom = chunks.build_node((0, row, column)).getGeom(0)
        corners.append(read_column(geom.getVertexData(), "vertex")[read_triangles(geom)])
    return np.concatenate(corners)


def test_drawn_vertices_are_samples_of_the_heightfield(chunks):
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
    drawn_cells = {tuple(map(tuple, t)) for t in corner.astype(int)}
    rows, columns = heights.shape
    expected = set()
    for j in range(rows - 1):
        for i in range(columns - 1):
            a, b, c, d = (i, j), (i + 1, j), (i, j + 1), (i + 1, j + 1)
            expected |= {(a, b, d), (a, d, c)}
    assert drawn_cells == expected
    assert len(drawn) == len(expected)


def test_drawn_surface_is_where_wheel_rays_hit(chunks):
    surfaces = np.zeros((149, 149), np.uint8)
    field = Ground(Heightfield(rough_heights(), surfaces, ORIGIN, CELL))
    random = np.random.default_rng(1)
    drawn = drawn_triangles(chunks).astype(float)
    for corners in drawn[random.integers(0, len(drawn), 200)]:
        u, v = sorted(random.uniform(0.02, 0.98, 2))  # a random point of the triangle
        point = corners[0] * u + corners[1] * (v - u) + corners[2] * (1 - v)
        assert field.height(point[0], point[1]) == pytest.approx(point[2], abs=1e-5)


def test_triangles_face_up(chunks):
    drawn = drawn_triangles(chunks)
    normals = np.cross(drawn[:, 1] - drawn[:, 0], drawn[:, 2] - drawn[:, 0])
    assert (normals[:, 2] > 0).all()


def large_field():
    """[1025, 961] heights, m, of waves with an amplitude of 6 m."""
    j, i = np.mgrid[0:1025, 0:961]
    return (6.0 * np.sin(i / 31.0) * np.cos(j / 47.0)).astype(np.float32)


def extents_of(chunks):
    """{(level, row, column): (x low, x high, y low, y high), m} of the drawn chunks, skirts included."""
    extents = {}
    for path in chunks.root.findAllMatches("**/+GeomNode"):
        rows = read_column(path.node().getGeom(0).getVertexData(), "vertex")
        key = tuple(int(word) for word in path.getName().split()[1:])
        extents[key] = (rows[:, 0].min(), rows[:, 0].max(), rows[:, 1].min(), rows[:, 1].max())
    return extents


RANGES = (  # (reach in m, chunk in cells); see TerrainChunks
    (REACH, CHUNK),
    *((LEVELS[name].ground_reach, LEVELS[name].ground_chunk) for name in ("low", "high")),
)


@pytest.mark.parametrize(("reach", "chunk"), RANGES)
def test_the_terrain_is_covered_once_and_fine_near_the_camera(reach, chunk):
    chunks = TerrainChunks(large_field(), (-100.0, 50.0), 1.0, reach=reach, chunk=chunk)
    for camera in ((200.0, 400.0, 5.0), (210.0, 400.0, 5.0), (860.0, 1074.0, 5.0), (-2000.0, 0.0, 5.0)):
        chunks.update(camera)
        shown = extents_of(chunks)
        covered = np.zeros((1024, 960), int)
        for (level, _, _), (x0, x1, y0, y1) in shown.items():
            # cell indices: the field begins at (-100, 50), and its cells are 1 m wide
            covered[int(y0) - 50 : int(y1) - 50, int(x0) + 100 : int(x1) + 100] += 1
            distance = np.hypot(max(x0 - camera[0], camera[0] - x1, 0.0), max(y0 - camera[1], camera[1] - y1, 0.0))
            assert level == 0 or distance >= reach
        assert (covered == 1).all()
        assert len(shown) < 160  # each is a draw call unless it is culled


@pytest.mark.parametrize(("reach", "chunk"), RANGES)
def test_a_moving_camera_builds_few_chunks_a_frame_and_is_never_above_coarse_ground(reach, chunk):
    """At 70 m/s and 60 frames a second, a frame builds one chunk of CHUNK cells, or as many cells in smaller ones.

    Frames at rest build what is then missing around the camera.
    """
    chunks = TerrainChunks(large_field(), (0.0, 0.0), 1.0, reach=reach, chunk=chunk)
    chunks.update((300.0, 500.0))
    chunk_count, max_built = len(chunks._paths), 0
    for x in np.arange(300.0, 700.0, 70.0 / 60.0):
        chunks.update((x, 500.0))
        max_built, chunk_count = max(max_built, len(chunks._paths) - chunk_count), len(chunks._paths)
        below = [name for name, (x0, x1, y0, y1) in extents_of(chunks).items() if x0 <= x <= x1 and y0 <= 500.0 <= y1]
        assert below and all(level == 0 for level, _, _ in below)
    assert max_built == max(1, (CHUNK // chunk) ** 2)
    for _ in range(40):
        chunks.update((x, 500.0))
    # of the chunks up to 250 m along and 150 m across the path, no coarse one is within reach of the camera
    for (level, _, _), (x0, x1, y0, y1) in extents_of(chunks).items():
        along, across = max(x0 - x, x - x1, 0.0), max(y0 - 500.0, 500.0 - y1, 0.0)  # m, distances from the camera
        assert level == 0 or along >= 250.0 or across >= 150.0 or np.hypot(along, across) >= reach


@pytest.mark.parametrize(("reach", "chunk"), RANGES)
def test_a_camera_that_moves_far_in_each_frame_is_never_above_coarse_ground(reach, chunk):
    """At 10 m a frame the camera moves farther than RESELECT, but not so far that all chunks are built at once."""
    chunks = TerrainChunks(large_field(), (0.0, 0.0), 1.0, reach=reach, chunk=chunk)
    for x in np.arange(200.0, 800.0, 10.0):
        chunks.update((x, 500.0))
        below = [name for name, (x0, x1, y0, y1) in extents_of(chunks).items() if x0 <= x <= x1 and y0 <= 500.0 <= y1]
        assert below and all(level == 0 for level, _, _ in below)


def coarse_ahead(chunks, x, y, ahead):
    """Distance, m, to the nearest coarse ground within 30 degrees of +y (ahead 1) or -y (ahead -1)."""
    nearest = np.inf
    for level, row, column in chunks._shown:
        if level:
            size = chunks._chunk << level
            dx, dy = np.meshgrid(
                np.linspace(0, size, 33) + column * size - x, np.linspace(0, size, 33) + row * size - y
            )
            in_cone = np.abs(dx) <= np.tan(np.radians(30.0)) * ahead * dy
            nearest = min(nearest, np.hypot(dx, dy)[in_cone].min(initial=np.inf))
    return nearest


@pytest.mark.parametrize(("reach", "chunk"), (*RANGES, (LEVELS["medium"].ground_reach, LEVELS["medium"].ground_chunk)))
def test_a_fast_camera_never_outruns_the_fine_ground(reach, chunk):
    """The camera moves 1 m a frame (60 m/s at 60 frames a second), straight on and back after a U-turn."""
    chunks = TerrainChunks(np.tile(large_field(), (2, 1)), (0.0, 0.0), 1.0, reach=reach, chunk=chunk)
    path = np.arange(300.0, 1100.0, 60.0 / 60.0)
    chunks.update((480.0, path[0]))
    for ahead, points in ((1, path), (-1, path[::-1])):
        for y in points:
            chunks.update((480.0, y))
            if y % 4.0 == 0.0:
                assert coarse_ahead(chunks, 480.0, y, ahead) >= reach - RESELECT


def test_chunks_behind_a_moving_camera_are_built_last():
    """At 20 m a frame many chunks wait to be built; after a U-turn the other side is behind.

    The last of the missing chunks is built first.
    """
    chunks = TerrainChunks(large_field(), (0.0, 0.0), 1.0, reach=100.0, chunk=32)
    chunks.update((480.0, 300.0))
    path = np.arange(300.0, 700.0, 20.0)
    for ahead, points in ((1, path), (-1, path[-2:-5:-1])):
        for y in points:
            chunks.update((480.0, y))
        # m from the camera to each chunk's far edge, negative behind it
        ends = [((row + (ahead > 0)) * (32 << level) - y) * ahead for level, row, _ in chunks._missing]
        behind = [end < 0.0 for end in ends]
        assert behind == sorted(behind, reverse=True) and len(set(behind)) == 2, "not built last"


def test_the_bounds_of_a_chunk_are_those_of_its_vertices():
    """Bounds decide culling."""
    chunks = TerrainChunks(large_field(), (-100.0, 50.0), 1.0)
    for key in ((0, 2, 3), (2, 1, 0)):
        node = chunks.build_node(key)
        copy = node.getGeom(0).makeCopy()
        copy.clearBounds()
        bounds, expected = node.getBounds(), copy.getBounds()
        assert tuple(bounds.getCenter()) == pytest.approx(tuple(expected.getCenter()), abs=1e-3)
        assert bounds.getRadius() == pytest.approx(expected.getRadius(), rel=1e-5)


def test_holes_are_not_drawn():
    holes = np.zeros((149, 149), bool)
    holes[70, 80] = True
    drawn = drawn_triangles(TerrainChunks(rough_heights(), (0.0, 0.0), 1.0, holes))
    middle = drawn.mean(axis=1)
    inside = (np.floor(middle[:, 0]) == 80) & (np.floor(middle[:, 1]) == 70)
    assert not inside.any()
    assert len(drawn) == 2 * 149 * 149 - 2


def test_far_hills_begin_at_the_heights_of_the_border():
    heights = rough_heights()
    geom = far_hills(heights, ORIGIN, CELL).node().getGeom(0)
    first = read_column(geom.getVertexData(), "vertex")[:8]
    i = np.round((first[:, 0] - ORIGIN[0]) / CELL).astype(int)
    j = np.round((first[:, 1] - ORIGIN[1]) / CELL).astype(int)
    assert np.allclose(first[:, 2], heights[j, i], atol=1e-4)
