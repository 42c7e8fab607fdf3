"""Triangles near a box, compared with the naive reference; edge flags, compared with the geometry."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_ground import box_mesh, edge_fields, field_soup, join, mesh_soup, random_field, random_mesh, touching_box

from driving_sandbox.physics.ground.arrays import (
    EDGE_CONCAVE,
    EDGE_CONVEX,
    EDGE_CONVEX_OTHER,
    EDGE_FLAGS,
    EDGE_FLAT,
    EDGE_NORMALS,
    EDGE_OPEN,
    HOLE,
    NORMAL,
    OUT_FEATURE,
    OUT_SURFACE,
)
from driving_sandbox.physics.ground.ground import (
    Ground,
    Heightfield,
    Plane,
    nearby_triangles,
    plane_ground,
    triangle_buffers,
)
from driving_sandbox.physics.ground.world_mesh import Mesh

CAPACITY = 600  # triangles that a query may return


def nearby(ground, low, high, capacity=CAPACITY, first=0):
    """(rows, ids) of the triangles near a box, a row for each; first: the smallest feature id."""
    out, ids = triangle_buffers(capacity)
    low, high = tuple(map(float, low)), tuple(map(float, high))
    count = nearby_triangles(ground.arrays, low, high, out, ids, capacity, first)
    return out[:count], ids[:count]


corner = st.one_of(st.integers(-4, 20).map(lambda k: k / 2.0), st.floats(-3.0, 11.0))
extent = st.one_of(st.sampled_from([0.0, 0.5, 1.0, 4.0]), st.floats(0.0, 9.0))


@settings(max_examples=250)
@given(
    seed=st.integers(0, 10**6),
    low=st.tuples(corner, corner, st.floats(-2.0, 2.0)),
    size=st.tuples(extent, extent, st.floats(0.0, 2.0)),
)
def test_nearby_triangles_equal_brute_force(seed, low, size):
    rng = np.random.default_rng(seed)
    field, mesh = random_field(rng), random_mesh(rng, surface=3)
    ground = Ground(field, [mesh])
    low, high = np.array(low), np.array(low) + size
    rows, ids = nearby(ground, low, high)
    soup = join(field_soup(field), mesh_soup([mesh]))
    expected = soup.corners[touching_box(soup, low, high)]
    assert len(rows) == len(expected)
    as_set = {tuple(np.round(c, 9).ravel()) for c in expected}
    assert {tuple(np.round(row[:NORMAL], 9)) for row in rows} == as_set
    terrain = ids[:, OUT_FEATURE] < 2 * field.cell_surface.size
    expected_features = soup.feature[touching_box(soup, low, high) & soup.terrain]
    assert sorted(ids[terrain, OUT_FEATURE]) == sorted(expected_features)
    surface_of = dict(zip(soup.feature[soup.terrain], soup.surfaces[soup.terrain], strict=True))
    assert all(surface_of[f] == s for f, s in ids[terrain][:, [OUT_FEATURE, OUT_SURFACE]])
    assert (ids[~terrain, OUT_SURFACE] == 3).all()


def test_feature_ids_are_unique_and_do_not_depend_on_the_box():
    rng = np.random.default_rng(3)
    ground = Ground(random_field(rng), [random_mesh(rng)])
    rows, ids = nearby(ground, (-9, -9, -9), (20, 20, 20))
    assert len(set(ids[:, OUT_FEATURE].tolist())) == len(ids)
    known = {int(f): row.tobytes() for f, row in zip(ids[:, OUT_FEATURE], rows, strict=True)}
    for low in rng.uniform(0.0, 6.0, (20, 3)) * [1, 1, 0]:
        near_rows, near_ids = nearby(ground, low - 1, low + 1)
        for row, feature in zip(near_rows, near_ids[:, OUT_FEATURE], strict=True):
            assert known[int(feature)] == row.tobytes()


def test_the_query_stops_at_capacity():
    ground = Ground(random_field(np.random.default_rng(3), holes=False), [random_mesh(np.random.default_rng(3))])
    rows, _ = nearby(ground, (-9, -9, -9), (20, 20, 20), capacity=10)
    assert len(rows) == 10


@pytest.mark.parametrize("terrain", [random_field(np.random.default_rng(4)), Plane(0.25), None])
def test_the_query_continues_after_the_last_triangle(terrain):
    """Queries of at most 7 triangles at a time give the triangles of a single query, in the same order."""
    ground = Ground(terrain, [random_mesh(np.random.default_rng(4)), random_mesh(np.random.default_rng(5))])
    low, high = (0.5, 0.5, -9), (7.5, 6.0, 9)
    rows, ids = nearby(ground, low, high)
    assert len(rows) > 40
    triangles, first = [], 0
    while True:
        piece, piece_ids = nearby(ground, low, high, 7, first)
        triangles += [*zip(piece_ids[:, OUT_FEATURE].tolist(), map(np.ndarray.tobytes, piece), strict=True)]
        if len(piece) < 7:
            break
        first = int(piece_ids[-1, OUT_FEATURE]) + 1
    assert triangles == [*zip(ids[:, OUT_FEATURE].tolist(), map(np.ndarray.tobytes, rows), strict=True)]


def test_the_plane_gives_one_flat_square_around_the_box():
    ground = plane_ground(0.25)
    low, high = np.array([1000.0, -300.0, 0.0]), np.array([1006.0, -290.0, 1.0])
    rows, ids = nearby(ground, low, high)
    assert ids[:, OUT_FEATURE].tolist() == [0, 1]
    points = rows[:, :NORMAL].reshape(-1, 3)
    assert (points[:, :2].min(axis=0) < low[:2] - 50).all() and (points[:, :2].max(axis=0) > high[:2] + 50).all()
    assert (points[:, 2] == 0.25).all()
    for row in rows:
        flags, beyond, normal = edge_fields(row)
        assert (flags == EDGE_FLAT).all() and (beyond == normal).all()
    assert len(nearby(ground, (0, 0, 0.3), (1, 1, 1))[0]) == 0


def same_terrain_as_mesh(field):
    """A mesh with the triangles of a heightfield; its edges are matched by position."""
    soup = field_soup(field)
    triangles = np.arange(3 * len(soup.corners)).reshape(-1, 3)
    return Mesh("copy", soup.corners.reshape(-1, 3), triangles, np.zeros(len(triangles), np.int32))


@pytest.mark.parametrize("seed", range(6))
def test_field_edges_equal_those_of_the_same_triangles_as_a_mesh(seed):
    """Neighbours found by cell arithmetic and by position are equal, except which triangle owns a convex edge."""
    field = random_field(np.random.default_rng(seed))
    by_cells = nearby(Ground(field), (-9, -9, -9), (20, 20, 20))[0]
    by_position = nearby(Ground(None, [same_terrain_as_mesh(field)]), (-9, -9, -9), (20, 20, 20))[0]
    rows_by_corners = {tuple(np.round(row[:NORMAL], 9)): row for row in by_position}
    owned = 0
    for row in by_cells:
        flags, beyond, normal = edge_fields(row)
        twin_flags, twin_beyond, twin_normal = edge_fields(rows_by_corners[tuple(np.round(row[:NORMAL], 9))])
        np.testing.assert_allclose(normal, twin_normal, atol=1e-12)
        np.testing.assert_allclose(beyond, twin_beyond, atol=1e-12)
        convex, twin_convex = (np.isin(f, (EDGE_CONVEX, EDGE_CONVEX_OTHER)) for f in (flags, twin_flags))
        assert (convex == twin_convex).all()
        assert (flags[~convex] == twin_flags[~convex]).all()
        owned += (flags == EDGE_CONVEX).sum() - (flags == EDGE_CONVEX_OTHER).sum()
    assert owned == 0  # every convex edge is owned by exactly one of its two triangles


def test_edges_of_a_box_and_of_a_floor_with_a_wall_are_classified():
    rows, _ = nearby(Ground(None, [box_mesh("box", (0, 0, 0), (1, 2, 3))]), (-9, -9, -9), (9, 9, 9))
    flags = rows[:, EDGE_FLAGS:EDGE_NORMALS]  # of the three edges of each triangle
    assert (flags == EDGE_CONVEX).sum() == 12 and (flags == EDGE_CONVEX_OTHER).sum() == 12
    assert (flags == EDGE_FLAT).sum() == 12  # six diagonals seen from both sides
    v = np.array([(0, 0, 0), (2, 0, 0), (2, 2, 0), (0, 2, 0), (2, 0, 2), (2, 2, 2)], float)
    t = np.array([(0, 1, 2), (0, 2, 3), (1, 4, 5), (1, 5, 2)])
    rows, _ = nearby(Ground(None, [Mesh("L", v, t, np.zeros(4, np.int32))]), (-9, -9, -9), (9, 9, 9))
    flags = rows[:, EDGE_FLAGS:EDGE_NORMALS]
    assert (flags == EDGE_CONCAVE).sum() == 2  # floor to wall, and wall to floor
    assert (flags == EDGE_OPEN).sum() == 6
    for row in rows:
        kind, beyond, normal = edge_fields(row)
        corners = row[:NORMAL].reshape(3, 3)
        for k in np.flatnonzero(kind == EDGE_OPEN):  # the normal points outward in the triangle's plane
            inward = corners.mean(axis=0) - corners[k]
            assert beyond[k] @ inward < 0.0 and abs(beyond[k] @ normal) < 1e-12


def test_a_wall_on_a_floor_is_the_neighbour_of_both_floors():
    """Three faces at an edge: the neighbour of each floor is the wall, not the floor behind it."""
    v = np.array([(0, 0, 0), (1, 0, 0), (2, 0, 0), (0, 1, 0), (1, 1, 0), (2, 1, 0), (1, 0, 1), (1, 1, 1)], float)
    t = np.array([(0, 1, 4), (0, 4, 3), (1, 2, 5), (1, 5, 4), (1, 4, 7), (1, 7, 6)])
    rows, _ = nearby(Ground(None, [Mesh("T", v, t, np.zeros(6, np.int32))]), (-9, -9, -9), (9, 9, 9))
    for row in rows:
        flags, beyond, normal = edge_fields(row)
        corners = row[:NORMAL].reshape(3, 3)
        for k in range(3):
            ends = corners[[k, (k + 1) % 3]]
            if normal[2] > 0.9 and (ends[:, 0] == 1.0).all():
                side = np.sign(corners.mean(axis=0)[0] - 1.0)
                assert flags[k] == EDGE_CONCAVE
                np.testing.assert_allclose(beyond[k], (side, 0.0, 0.0), atol=1e-12)


def test_border_and_hole_edges_of_the_field_are_open():
    cells = np.zeros((3, 3), np.uint8)
    cells[1, 1] = HOLE
    rows, _ = nearby(Ground(Heightfield(np.zeros((4, 4), np.float32), cells)), (-1, -1, -1), (9, 9, 1))
    flags = rows[:, EDGE_FLAGS:EDGE_NORMALS]
    assert (flags == EDGE_OPEN).sum() == 12 + 4  # 12 at the border, 4 at the hole
    assert (flags == EDGE_FLAT).sum() == 3 * 16 - 16  # three edges of each of 16 triangles, less the open ones
