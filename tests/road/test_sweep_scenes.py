"""The wheel sweep on seams, gaps, kerbs, bridges, holes, borders and walls."""

import math
from typing import NamedTuple

import numpy as np
import pytest
from naive_ground import box_mesh

from driving_sandbox.physics.ground.arrays import HOLE, NO_SURFACE
from driving_sandbox.physics.ground.ground import Ground, Heightfield, Plane, plane_ground
from driving_sandbox.physics.ground.rays import cast_through
from driving_sandbox.physics.ground.surfaces import default_surfaces, raycast_filters
from driving_sandbox.physics.ground.world_mesh import Mesh
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.road.bodies import MOVING_BODIES
from driving_sandbox.physics.road.sweep import ARC, sweep_wheel

RADIUS, HALF_WIDTH, TRAVEL = 0.3, 0.1, 0.2  # m
DOWN, RIGHT = (0.0, 0.0, -1.0), (1.0, 0.0, 0.0)


@kernel
def compiled(ground, centre, direction, axle, radius, half_width, travel, wheel_filter):
    return sweep_wheel(ground, None, centre, direction, axle, radius, half_width, travel, wheel_filter)


class Swept(NamedTuple):
    """Result of a sweep; jounce: m."""

    hit: bool
    jounce: float
    normal: tuple
    point: tuple
    surface: int


def sweep(ground, x, y, z, direction=DOWN, axle=RIGHT, wheel_filter=0):
    """Swept of a wheel whose centre is at (x, y, z) at full jounce.

    At z = 0.4 m above level ground its jounce is 0.1 m.
    """
    centre = (float(x), float(y), float(z))
    return Swept(*compiled(ground.arrays, centre, direction, axle, RADIUS, HALF_WIDTH, TRAVEL, wheel_filter))


def mesh(name, vertices, triangles, surface=0):
    """A Mesh of one surface."""
    triangles = np.asarray(triangles)
    return Mesh(name, np.asarray(vertices, float), triangles, np.full(len(triangles), surface, np.int32))


def random_sheet(count, side, slope=(0.0, 0.0), at=(0.0, 0.0, 0.0), seed=3):
    """A plane square of at least `count` triangles, made by splitting triangles at random points.

    side: its length along x and along y, m.
    slope: rise per metre along x and y.
    at: position of its first corner.
    """
    rng = np.random.default_rng(seed)
    points = [(0.0, 0.0), (side, 0.0), (side, side), (0.0, side)]
    triangles = [(0, 1, 2), (0, 2, 3)]
    while len(triangles) < count:
        a, b, c = triangles.pop(rng.integers(len(triangles)))
        weights = rng.dirichlet((0.6, 0.6, 0.6))
        points.append(tuple(weights @ np.array([points[k] for k in (a, b, c)])))
        new = len(points) - 1
        triangles += [(a, b, new), (b, c, new), (c, a, new)]
    xy = np.array(points)
    vertices = np.column_stack([xy, xy @ slope]) + at
    return Ground(None, [mesh("sheet", vertices, triangles)])


@pytest.mark.parametrize(
    ("slope", "distance_from_origin"), [((0.0, 0.0), 0.0), ((0.2, -0.1), 0.0), ((0.05, 0.3), 1000.0)]
)
def test_ten_thousand_random_triangles_equal_a_plane(slope, distance_from_origin):
    """In spite of slivers, jounces are equal within 1e-9 m and a factor of 1e-6. Normals are the plane's within 1e-3,
    and 99 % of them within 1e-9."""
    ground = random_sheet(10000, 10.0, slope, (distance_from_origin, -distance_from_origin, 0.0))
    areas = np.linalg.norm(
        np.cross(*(ground.arrays.triangles[:, 3 * k : 3 * k + 3] - ground.arrays.triangles[:, :3] for k in (1, 2))),
        axis=1,
    )
    assert areas.min() < 1e-9  # has slivers
    normal = np.array([-slope[0], -slope[1], 1.0]) / math.sqrt(1.0 + slope[0] ** 2 + slope[1] ** 2)
    rng = np.random.default_rng(1)
    jounces, tilt = [], []
    for x, y in rng.uniform(1.0, 9.0, (3000, 2)):
        height = slope[0] * x + slope[1] * y
        hit, jounce, n, _, _ = sweep(ground, distance_from_origin + x, y - distance_from_origin, height + 0.4)
        assert hit
        jounces.append(jounce)
        tilt.append(np.linalg.norm(np.array(n) - normal))
    spread = max(jounces) - min(jounces)
    print(f"\njounce spread {spread:.1e} m, largest tilt of a normal {max(tilt):.1e}")
    assert spread < 1e-9
    assert np.quantile(tilt, 0.99) < 1e-9 and max(tilt) < 1e-3
    assert max(jounces) / min(jounces) - 1.0 < 1e-6  # force of a linear spring


def test_a_plane_and_a_flat_field_and_a_mesh_agree():
    field = Ground(Heightfield(np.full((21, 21), 0.25, np.float32), np.zeros((20, 20), np.uint8), (-10.0, -10.0)))
    grounds = (plane_ground(0.25), field, Ground(None, [box_mesh("slab", (-9, -9, -1), (9, 9, 0.25))]))
    lean = math.radians(25.0)
    direction, axle = (math.sin(lean), 0.0, -math.cos(lean)), (math.cos(lean), 0.0, math.sin(lean))
    for d, a in ((DOWN, RIGHT), (direction, axle), (DOWN, axle)):
        first, *others = [sweep(ground, 0.31, 0.47, 0.6, d, a) for ground in grounds]
        assert first.hit and all(other.hit for other in others)
        for other in others:
            assert other.jounce == pytest.approx(first.jounce, abs=1e-12)
            np.testing.assert_allclose(other.normal, first.normal, atol=1e-9)
            np.testing.assert_allclose(other.point, first.point, atol=1e-9)


def test_a_seam_of_two_micrometres_between_meshes_has_no_effect():
    parts = [box_mesh("near", (-5, -5, -1), (5, 0, 0)), box_mesh("far", (-5, 2e-6, -1), (5, 5, 0))]
    ground = Ground(None, parts)
    jounces = [sweep(ground, 0.0, y, 0.4).jounce for y in np.linspace(-0.4, 0.4, 801)]
    assert max(jounces) - min(jounces) < 1e-11  # sagging into the seam: width^2 / 8 R


def test_both_edges_of_a_gap_support_the_wheel():
    gap = 0.3
    blocks = [box_mesh("near", (-5, -5, -1), (5, -gap / 2, 0)), box_mesh("far", (-5, gap / 2, -1), (5, 5, 0))]
    ground = Ground(None, blocks)
    hit, jounce, normal, _, _ = sweep(ground, 0.0, 0.0, 0.4)
    sag = RADIUS - math.sqrt(RADIUS**2 - gap**2 / 4.0)
    assert hit and jounce == pytest.approx(0.1 - sag, abs=1e-12)
    np.testing.assert_allclose(normal, (0.0, 0.0, 1.0), atol=1e-9)
    # off the middle it is supported by one edge, and in between the normal rotates continuously
    normals = np.array([sweep(ground, 0.0, y, 0.4).normal for y in np.linspace(-3e-4, 3e-4, 301)])
    assert np.abs(np.diff(normals[:, 1])).max() < 0.03
    edge_on = sweep(ground, 0.0, 0.02, 0.4).normal
    assert edge_on[1] == pytest.approx(-(gap / 2 - 0.02) / RADIUS, abs=1e-12)


@pytest.mark.parametrize("height", [0.02, 0.1, 0.15])
def test_the_axle_follows_a_circle_about_the_edge_of_a_kerb(height):
    """Rolling up, the axle follows a circle about the edge and the normal points from the edge to the axle."""
    ground = Ground(Plane(0.0), [box_mesh("kerb", (-5, 0, -1), (5, 5, height))])
    for y in np.linspace(-0.5, 0.2, 500):
        hit, jounce, normal, _, _ = sweep(ground, 0.0, y, 0.4)
        x = -y
        rise = height + math.sqrt(RADIUS**2 - x * x) - RADIUS if 0.0 <= x <= ARC * RADIUS else 0.0
        rise = height if x < 0.0 else max(rise, 0.0)
        assert hit and jounce == pytest.approx(0.1 + rise, abs=1e-12)
        lean = x / RADIUS if x > 0.0 and rise > 0.0 else 0.0
        assert normal[1] == pytest.approx(-lean, abs=1e-9)


def test_a_kerb_beside_the_wheel_counts_when_it_is_under_the_tread():
    ground = Ground(Plane(0.0), [box_mesh("kerb", (HALF_WIDTH + 1e-6, -5, -1), (5, 5, 0.1))])
    assert sweep(ground, 0.0, 0.0, 0.4).jounce == pytest.approx(0.1)
    assert sweep(ground, 2e-6, 0.0, 0.4).jounce == pytest.approx(0.2)
    assert sweep(ground, 0.0, 0.0, 0.4, axle=(math.cos(0.5), math.sin(0.5), 0.0)).jounce > 0.1  # steered onto it


def test_walls_ceilings_and_bridges_overhead_are_not_road():
    wall = Ground(Plane(0.0), [box_mesh("wall", (-5, 0.1, -1), (5, 1, 3))])
    assert sweep(wall, 0.0, 0.0, 0.4).jounce == pytest.approx(0.1)
    ceiling = Ground(Plane(0.0), [box_mesh("ceiling", (-5, -5, 0.75), (5, 5, 1.0))])
    assert sweep(ceiling, 0.0, 0.0, 0.4).jounce == pytest.approx(0.1)  # 5 cm above the wheel
    bridge = Ground(Plane(0.0), [box_mesh("bridge", (-5, -5, 4.0), (5, 5, 4.3), 2)])
    assert sweep(bridge, 0.0, 0.0, 0.4).jounce == pytest.approx(0.1)
    hit, jounce, _, point, surface = sweep(bridge, 0.0, 0.0, 4.7)
    assert (hit, surface) == (True, 2) and jounce == pytest.approx(0.1) and point[2] == pytest.approx(4.3)


def test_a_wheel_in_a_tunnel_stands_on_its_floor():
    """The hill has a hole above the tunnel's floor. A wheel in the tunnel, beside the hole, isn't on the hill."""
    cells = np.zeros((10, 10), np.uint8)
    cells[:, 4:6] = HOLE
    heights = np.full((11, 11), 6.0, np.float32)
    ground = Ground(Heightfield(heights, cells), [box_mesh("floor", (4, 0, -1), (6, 10, 0.5), 2)])
    hit, jounce, _, _, surface = sweep(ground, 5.0, 5.0, 0.9)
    assert (hit, surface) == (True, 2) and jounce == pytest.approx(0.1)
    assert sweep(ground, 4.05, 5.0, 0.9).jounce == pytest.approx(0.1)
    assert sweep(ground, 4.05, 5.0, 6.4).jounce == pytest.approx(0.1)  # on the hill, half above the hole


def test_holes_and_the_outside_of_a_field_give_no_support():
    cells = np.zeros((6, 6), np.uint8)
    cells[2:4, 2:4] = HOLE
    ground = Ground(Heightfield(np.zeros((7, 7), np.float32), cells))
    assert sweep(ground, 3.0, 3.0, 0.4).surface == NO_SURFACE
    assert sweep(ground, 3.0, 1.9, 0.4).jounce == pytest.approx(0.1)
    over_edge = sweep(ground, 3.0, 2.1, 0.4)
    assert over_edge.hit and over_edge.jounce == pytest.approx(0.1 - RADIUS + math.sqrt(RADIUS**2 - 0.01), abs=1e-12)
    for x, y in ((-1.0, 3.0), (3.0, 7.0), (1e7, 0.0), (math.nan, 0.0), (math.inf, 0.0)):
        assert not sweep(ground, x, y, 0.4).hit
    assert sweep(ground, -0.05, 3.0, 0.4).hit and sweep(ground, 3.0, 6.05, 0.4).hit  # half across the border


def test_starting_inside_the_ground_is_a_deep_jounce():
    field = Heightfield(np.zeros((9, 9), np.float32), np.zeros((8, 8), np.uint8), (-4.0, -4.0))
    for ground in (plane_ground(), Ground(field)):
        for depth in (0.05, 0.2, 0.29):
            hit, jounce, normal, _, _ = sweep(ground, 0.0, 0.0, RADIUS - depth)
            assert hit and jounce == pytest.approx(TRAVEL + depth) and normal == pytest.approx((0.0, 0.0, 1.0))
        assert not sweep(ground, 0.0, 0.0, -0.2).hit  # completely below
    assert sweep(plane_ground(), 0.0, 0.0, 0.55).jounce == pytest.approx(-0.05)  # 5 cm above: hit without contact
    assert not sweep(plane_ground(), 0.0, 0.0, 0.61).hit


@kernel
def cast(ground, moving, start, direction, length, wheel_filter):
    return cast_through(ground, moving[0], start, direction, length, wheel_filter)


@pytest.mark.parametrize("surface", ["kerb", "steel"])
def test_a_filter_hides_named_surfaces_and_every_filter_barriers(surface):
    surfaces, no_bodies = default_surfaces(), np.zeros(1, MOVING_BODIES).view(np.recarray)
    block = box_mesh("block", (-5, -5, -1), (5, 5, 0.1), surfaces.index(surface))
    ground = Ground(Plane(0.0), [block])
    assert raycast_filters()[0] == "all" and "no_kerbs" in raycast_filters()
    for wheel_filter, name in enumerate(raycast_filters()):
        hides = surfaces[surfaces.index(surface)].barrier or surface in surfaces.filters[name]
        expected = 0.1 if hides else 0.2
        assert sweep(ground, 0.0, 0.0, 0.4, wheel_filter=wheel_filter).jounce == pytest.approx(expected)
        ray = cast(ground.arrays, no_bodies, (0.1, 0.2, 1.0), DOWN, 2.0, wheel_filter)
        assert ray[1] == pytest.approx(1.1 - expected)
