"""Ray casts, compared with the naive reference, and properties of the ground."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_ground import EDGE_BAND, box_mesh, field_soup, hits, join, mesh_soup, random_field, random_mesh

from driving_sandbox.physics.ground.arrays import HOLE, NO_SURFACE
from driving_sandbox.physics.ground.ground import Ground, Heightfield, cast_ray, plane_ground, terrain_height
from driving_sandbox.physics.ground.world_mesh import Mesh

# integers and halves give rays exactly through vertices, edges and diagonals
coordinate = st.one_of(st.integers(-4, 20).map(lambda k: k / 2.0), st.floats(-2.0, 10.0))
slope = st.one_of(st.sampled_from([0.0, 0.0, 1.0, -1.0]), st.floats(-1.0, 1.0))

worst = {"distance": 0.0}


@pytest.fixture(scope="module", autouse=True)
def print_worst():
    yield
    print(f"\nworst error of a ray's distance: {worst['distance']:.1e} m")


class Cast(NamedTuple):
    """Result of a ray; distance: m."""

    hit: bool
    distance: float
    normal: tuple
    surface: int


def cast(ground, origin, direction, length):
    """Cast of a ray."""
    return Cast(*cast_ray(ground.arrays, tuple(map(float, origin)), tuple(map(float, direction)), float(length)))


def check_ray(ground, soup, origin, direction, length):
    """Compare a cast with the naive reference.

    A hit is on one of its triangles, and not behind the nearest that the ray clearly hits; a miss means that the ray
    clearly hits none. Where a ray passes an edge within rounding, hit and miss are both right.
    """
    hit, distance, normal, surface = cast(ground, origin, direction, length)
    t, margin = hits(soup, origin, direction, length)
    tolerance = 1e-6  # grazing incidence on a triangle of a metre: t is exact to about 1e-15 / facing
    # m to each triangle: `loose` if the ray hits it within rounding, `clear` if it hits it clearly; else infinite
    loose = np.where((margin >= -EDGE_BAND) & (t >= -tolerance) & (t <= length + tolerance), t, np.inf)
    clear = np.where((margin >= EDGE_BAND) & (t >= tolerance) & (t <= length - tolerance), t, np.inf)
    if not hit:
        assert clear.min() == np.inf, f"missed a triangle at {clear.min()}"
        assert (distance, surface) == (length, NO_SURFACE)
        return
    assert distance <= clear.min() + tolerance, f"{distance} is behind a triangle at {clear.min()}"
    at_hit = np.abs(loose - distance) <= tolerance
    worst["distance"] = max(worst["distance"], float(np.abs(loose - distance).min()))
    assert at_hit.any(), f"no triangle at {distance}; nearest {loose.min()}"
    assert surface in soup.surfaces[at_hit]
    assert np.isclose(np.linalg.norm(normal), 1.0, atol=1e-12)
    assert np.dot(normal, direction) <= 1e-12
    a, b, c = (soup.corners[at_hit][:, k] for k in range(3))
    planes = np.cross(b - a, c - a)
    planes /= np.linalg.norm(planes, axis=1, keepdims=True)
    assert np.abs(np.abs(planes @ normal) - 1.0).min() < 1e-9


@settings(max_examples=400)
@given(
    seed=st.integers(0, 10**6),
    x=coordinate,
    y=coordinate,
    z=st.floats(-2.0, 4.0),
    d=st.tuples(slope, slope, slope),
    length=st.sampled_from([0.6, 3.0, 50.0]),
)
def test_heightfield_equals_brute_force(seed, x, y, z, d, length):
    field = random_field(np.random.default_rng(seed))
    if np.linalg.norm(d) < 1e-3:
        d = (0.0, 0.0, -1.0)
    direction = np.array(d) / np.linalg.norm(d)
    check_ray(Ground(field), field_soup(field), np.array([x, y, z]), direction, length)


@settings(max_examples=300)
@given(seed=st.integers(0, 10**6), x=coordinate, y=coordinate, z=coordinate, d=st.tuples(slope, slope, slope))
def test_meshes_and_heightfield_equal_brute_force(seed, x, y, z, d):
    rng = np.random.default_rng(seed)
    field = random_field(rng, cell=1.5, origin=(-2.0, -1.0))
    meshes = [random_mesh(rng), box_mesh("box", (2, 2, -1), (5, 4, 1.5), 2)]
    if np.linalg.norm(d) < 1e-3:
        d = (0.0, 0.0, -1.0)
    direction = np.array(d) / np.linalg.norm(d)
    check_ray(Ground(field, meshes), join(field_soup(field), mesh_soup(meshes)), np.array([x, y, z]), direction, 30.0)


def test_no_ray_passes_through_a_closed_field():
    rng = np.random.default_rng(5)
    field = random_field(rng, size=30, holes=False)
    # flat enough that no ray below is parallel to a face, or starts below one
    ground = Ground(Heightfield(field.heights * np.float32(0.2), field.cell_surface))
    for x, y in rng.integers(1, 29, (500, 2)):
        for d in rng.uniform(-0.3, 0.3, (4, 2)):
            direction = np.array([*d, -1.0]) / np.linalg.norm([*d, -1.0])
            # through a vertex from 0.8 m above it, the worst case for rounding
            origin = np.array([x, y, ground.arrays.heights[y, x]]) - 0.8 * direction
            hit, distance, _, _ = cast(ground, origin, direction, 5.0)
            assert hit and distance <= 0.8 + 1e-9


def test_a_ray_through_a_vertex_of_a_mesh_hits():
    rng = np.random.default_rng(8)
    size = 12
    heights = rng.normal(0.0, 0.2, (size + 1, size + 1))
    v = np.array([(i, j, heights[j, i]) for j in range(size + 1) for i in range(size + 1)], float)
    index = np.arange((size + 1) ** 2).reshape(size + 1, size + 1)
    a, b, c, d = (s.ravel() for s in (index[:-1, :-1], index[:-1, 1:], index[1:, :-1], index[1:, 1:]))
    triangles = np.concatenate([np.stack([a, b, d], 1), np.stack([a, d, c], 1)])
    ground = Ground(None, [Mesh("sheet", v, triangles, np.zeros(len(triangles), np.int32))])
    for start in v[(v[:, 0] % size != 0) & (v[:, 1] % size != 0)]:
        for step in rng.uniform(-0.3, 0.3, (20, 2)):
            direction = np.array([*step, -1.0]) / np.linalg.norm([*step, -1.0])
            assert cast(ground, start - 3.0 * direction, direction, 6.0).hit


def test_the_diagonal_runs_from_the_first_to_the_last_corner():
    """Only the last corner d is raised, to 1 m: folded along a-d, the cell is above 0 between b and c."""
    heights = np.array([[0.0, 0.0], [0.0, 1.0]], np.float32)
    ground = Ground(Heightfield(heights, np.zeros((1, 1), np.uint8)))
    assert ground.height(0.5, 0.5) == 0.5  # on the diagonal a-d; the other diagonal would give 0
    assert ground.height(0.75, 0.25) == 0.25
    (_, b_side, _), (_, c_side, _) = (terrain_height(ground.arrays, *p) for p in ((0.75, 0.25), (0.25, 0.75)))
    np.testing.assert_allclose(b_side, np.array([0.0, -1.0, 1.0]) / np.sqrt(2.0), atol=1e-15)
    np.testing.assert_allclose(c_side, np.array([-1.0, 0.0, 1.0]) / np.sqrt(2.0), atol=1e-15)


@given(seed=st.integers(0, 1000), x=st.floats(0.001, 7.999), y=st.floats(0.001, 7.999))
@settings(max_examples=150)
def test_height_and_ray_agree(seed, x, y):
    ground = Ground(random_field(np.random.default_rng(seed)))
    height, normal, surface = terrain_height(ground.arrays, x, y)
    hit, distance, ray_normal, ray_surface = cast(ground, (x, y, 10.0), (0.0, 0.0, -1.0), 20.0)
    assert hit == (surface != NO_SURFACE)
    if hit:
        assert abs(10.0 - distance - height) < 1e-12
        assert (ray_surface, ray_normal) == (surface, normal)


def test_holes_and_the_outside_have_no_ground():
    cells = np.zeros((4, 4), np.uint8)
    cells[1, 2] = HOLE
    ground = Ground(Heightfield(np.zeros((5, 5), np.float32), cells))
    down = (0.0, 0.0, -1.0)
    assert not cast(ground, (2.5, 1.5, 1.0), down, 5.0).hit
    assert cast(ground, (1.5, 1.5, 1.0), down, 5.0).hit
    for x, y in ((-0.01, 2.0), (4.01, 2.0), (2.0, -0.01), (2.0, 4.01)):
        assert not cast(ground, (x, y, 1.0), down, 5.0).hit
        assert ground.height(x, y) == -np.inf


def test_a_ray_from_below_the_field_hits_nothing_until_it_is_above():
    heights = np.zeros((5, 9), np.float32)
    heights[:, 5:] = 3.0
    ground = Ground(Heightfield(heights, np.zeros((4, 8), np.uint8)))
    assert not cast(ground, (1.5, 2.0, -0.2), (0.0, 0.0, -1.0), 5.0).hit
    assert not cast(ground, (1.5, 2.0, -0.2), (0.0, 0.0, 1.0), 5.0).hit
    up = np.array([1.0, 0.0, 0.2]) / np.linalg.norm([1.0, 0.0, 0.2])
    hit, distance, normal, _ = cast(ground, (1.5, 2.0, -0.2), up, 20.0)
    assert hit and normal[0] < -0.9  # above the field from x = 2.5, hits the step of 3 m at x = 4
    assert 4.0 < 1.5 + distance * up[0] < 5.0


def test_a_bridge_over_the_field_is_hit_from_above_and_from_below():
    field = Heightfield(np.zeros((9, 9), np.float32), np.full((8, 8), 4, np.uint8))
    ground = Ground(field, [box_mesh("deck", (2, 2, 3), (6, 6, 3.4), 7)])
    hit, distance, normal, surface = cast(ground, (4.1, 4.2, 5.0), (0.0, 0.0, -1.0), 10.0)
    assert hit and surface == 7 and distance == pytest.approx(1.6) and normal[2] == 1.0
    hit, distance, normal, surface = cast(ground, (4.1, 4.2, 2.0), (0.0, 0.0, -1.0), 10.0)
    assert hit and surface == 4 and distance == pytest.approx(2.0)
    hit, distance, normal, surface = cast(ground, (4.1, 4.2, 2.0), (0.0, 0.0, 1.0), 10.0)
    assert hit and surface == 7 and distance == pytest.approx(1.0) and normal[2] == -1.0


def test_the_plane_is_infinite_and_one_sided():
    ground = plane_ground(0.5, "ice")
    ice = ground.surfaces.index("ice")
    assert cast(ground, (1e6, -2e6, 1.5), (0.0, 0.0, -1.0), 2.0) == (True, 1.0, (0.0, 0.0, 1.0), ice)
    assert not cast(ground, (0.0, 0.0, 1.5), (0.0, 0.0, -1.0), 0.9).hit
    assert not cast(ground, (0.0, 0.0, 0.4), (0.0, 0.0, 1.0), 2.0).hit
    assert not cast(ground, (0.0, 0.0, 0.4), (0.0, 0.0, -1.0), 2.0).hit
    assert terrain_height(ground.arrays, 7.0, 7.0) == (0.5, (0.0, 0.0, 1.0), ice)


def test_an_empty_ground_has_no_hits():
    ground = Ground(None)
    assert not cast(ground, (0.0, 0.0, 1.0), (0.0, 0.0, -1.0), 100.0).hit
    _, _, surface = terrain_height(ground.arrays, 0.0, 0.0)
    assert surface == NO_SURFACE


def test_rays_of_nan_terminate():
    """A faulty vehicle may query with NaN; any result is accepted, but the query must return one."""
    nan = float("nan")
    ground = Ground(random_field(np.random.default_rng(1)), [box_mesh("box", (2, 2, -1), (5, 4, 1.5))])
    for origin, direction in (
        ((nan, 0.0, 0.0), (0.0, 0.0, -1.0)),
        ((1.0, 1.0, nan), (0.0, 0.0, -1.0)),
        ((1.0, 1.0, 1.0), (nan, nan, nan)),
    ):
        cast(ground, origin, direction, 1.0)
