"""The wheel sweep, compared with naive references: highest circle of all slices, and rays from points of the tread."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_ground import field_soup, join, mesh_soup, random_field, random_mesh
from naive_sweep import Wheel, ray_distance, slice_jounce, tread, triangle_distance

from driving_sandbox.physics.ground.ground import Ground
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import quat
from driving_sandbox.physics.road.sweep import find_contact, sweep_wheel, wheel_frame

# largest errors found, m; printed at the end
worst = {"square axle": 0.0, "tilted axle: off the ground": 0.0, "tilted axle: through the ground": 0.0}


@kernel
def sweep(ground, centre, direction, axle, radius, half_width, travel, wheel_filter):
    return sweep_wheel(ground, None, centre, direction, axle, radius, half_width, travel, wheel_filter)


@kernel
def contact(ground, centre, direction, axle, radius, half_width, travel, wheel_filter):
    """(contact in the wheel's frame; k and cosine of `wheel_frame`) of a sweep."""
    frame, k, cosine = wheel_frame(centre, direction, axle)
    found_contact, _ = find_contact(ground, None, frame, k, cosine, radius, half_width, travel, wheel_filter)
    return found_contact, k, cosine


@pytest.fixture(scope="module", autouse=True)
def print_worst():
    yield
    print("\nworst errors, m:", ", ".join(f"{name} {error:.1e}" for name, error in worst.items()))


def scene(seed, tilt):
    """Random (ground, triangles, wheel): a rough field, loose triangles or both; a wheel nearby at any inclination.

    tilt: of the axle from the normal to the travel, rad.
    """
    rng = np.random.default_rng(seed)
    field, mesh = random_field(rng), random_mesh(rng)
    terrain, meshes = ((field, []), (None, [mesh]), (field, [mesh]))[seed % 3]
    soup = join(*([field_soup(field)] if terrain else []), *([mesh_soup(meshes)] if meshes else []))
    lean = rng.normal(0.0, 0.25, 3) + (0.0, 0.0, rng.uniform(-3.0, 3.0))
    m = np.array(quat.to_matrix(quat.from_rotation_vector(tuple(lean.tolist()))))
    target = soup.corners[rng.integers(len(soup.corners))].mean(axis=0)
    centre = target + rng.normal(0.0, 0.2, 3) + m[:, 2] * rng.uniform(0.0, 0.6)
    axle = m[:, 0] * math.cos(tilt) + m[:, 2] * math.sin(tilt)
    wheel = Wheel(centre, -m[:, 2], axle, rng.uniform(0.2, 0.5), rng.uniform(0.05, 0.2), 0.2)
    return Ground(terrain, meshes), soup, wheel


def check_axle_normal_to_travel(seed):
    """Compare jounce and normal with the search, for an axle normal to the travel."""
    ground, soup, wheel = scene(seed, 0.0)
    expected = slice_jounce(soup, wheel)
    hit, jounce, normal, _, _ = sweep(ground.arrays, *wheel.arguments())
    assert hit == (expected is not None)
    if hit:
        worst["square axle"] = max(worst["square axle"], abs(jounce - expected))
        assert jounce == pytest.approx(expected, abs=1e-9)
        assert np.linalg.norm(normal) == pytest.approx(1.0, abs=1e-12)
        assert np.dot(normal, wheel.direction) < -0.35


@settings(max_examples=30)
@given(seed=st.integers(0, 10**6))
def test_the_sweep_equals_the_highest_circle_of_all_slices(seed):
    check_axle_normal_to_travel(seed)


@pytest.mark.nightly
def test_the_sweep_equals_the_highest_circle_in_thousands_of_cases(seeds, report_row):
    wheel_count = 0
    for seed in seeds(2000):
        check_axle_normal_to_travel(seed)
        wheel_count += 1
    report_row("wheel against slices of the ground", f"{wheel_count:,} wheels", f"off by {worst['square axle']:.0e} m")


def check_tilted_axle(seed, tilt):
    """The contact is on a triangle and on the tread, and no ray from the tread has a nearer hit."""
    ground, soup, wheel = scene(seed, tilt)
    (height, x, s, h, _, _, surface), k, cosine = contact(ground.arrays, *wheel.arguments())
    points = tread(wheel, 41, 17)
    distances = ray_distance(soup.corners, points, wheel.direction)
    if soup.terrain.any():
        normals = np.cross(soup.corners[:, 1] - soup.corners[:, 0], soup.corners[:, 2] - soup.corners[:, 0])
        distances[:, soup.terrain & (normals @ wheel.direction >= 0.0)] = np.inf  # back side
    # the sweep leaves out triangles with any point so high that the wheel would be lifted by more than its radius
    distances[:, wheel.corners(soup)[:, :, 1].max(axis=1) + wheel.radius > wheel.radius * cosine] = np.inf
    nearest = distances.min()
    if surface < 0:
        assert nearest > wheel.travel + 0.1 - 1e-9
        return
    travelled = -height / cosine
    assert h == pytest.approx(math.sqrt(wheel.radius**2 - x * x), abs=1e-12)
    y = height - h
    along = s - k / cosine * y
    point = wheel.centre + x * wheel.forward + y * wheel.up + along * wheel.axle
    off_ground = triangle_distance(soup.corners, point)
    through = travelled - nearest
    worst["tilted axle: off the ground"] = max(worst["tilted axle: off the ground"], off_ground)
    worst["tilted axle: through the ground"] = max(worst["tilted axle: through the ground"], through)
    assert off_ground < 1e-8
    assert abs(along - k * travelled) < wheel.half_width + 1e-8  # the wheel has moved by k * travelled along its axle
    assert abs(x) <= wheel.arc + 1e-12
    assert through < 1e-9


@settings(max_examples=150)
@given(seed=st.integers(0, 10**6), tilt=st.sampled_from([0.0, 0.02, -0.05, 0.1, -0.3]))
def test_no_point_of_the_tread_enters_the_ground(seed, tilt):
    check_tilted_axle(seed, tilt)


def test_the_height_over_a_plane_follows_the_camber_formula():
    """The centre of a cylinder (radius R, half width w) with camber g on level ground is at w |sin g| + R cos g."""
    from driving_sandbox.physics.ground.ground import plane_ground

    ground, radius, half_width = plane_ground(), 0.3, 0.1
    for lean in (-0.3, -0.05, 0.0, 0.02, 0.2):
        axle = (math.cos(lean), 0.0, math.sin(lean))
        hit, jounce, normal, point, _ = sweep(
            ground.arrays, (0.0, 0.0, 0.35), (0.0, 0.0, -1.0), axle, radius, half_width, 0.2, 0
        )
        lowest = half_width * abs(math.sin(lean)) + radius * math.cos(lean)
        assert hit
        assert jounce == pytest.approx(0.2 - (0.35 - lowest), abs=1e-14)
        np.testing.assert_allclose(normal, (0.0, 0.0, 1.0), atol=1e-14)
        assert point[2] == pytest.approx(0.0, abs=1e-14)
