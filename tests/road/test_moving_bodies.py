"""Wheels on moving bodies, compared with naive references and with meshes of the same shape; bodies under a car."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from moving_rig import Body, body_soup, external_of
from naive_ground import box_mesh, field_soup, hits, join, mesh_soup, random_field, random_mesh
from naive_sweep import Wheel, ray_distance, slice_jounce, tread, triangle_distance
from test_query_sweep import wheels, world

from driving_sandbox.benchmarks.sweep import with_query
from driving_sandbox.physics.ground.arrays import BODY_STEP, ROUGHNESS_AMPLITUDE, SURFACE_MASK
from driving_sandbox.physics.ground.ground import Ground, Plane, plane_ground
from driving_sandbox.physics.ground.rays import cast_through
from driving_sandbox.physics.ground.surfaces import default_surfaces, raycast_filters
from driving_sandbox.physics.ground.world_mesh import Mesh
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import quat
from driving_sandbox.physics.recording import Recorder, Recording, verify
from driving_sandbox.physics.road.bodies import MOVING_BODIES, body_motion, place_bodies
from driving_sandbox.physics.road.sweep import SEARCH, find_contact, sweep_wheel, wheel_frame
from driving_sandbox.physics.tick.commands import NEUTRAL, neutral_command
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

# largest errors found, m and m/s; printed at the end
worst = {"sweep": 0.0, "tilted, off the body": 0.0, "tilted, through the ground": 0.0, "ray": 0.0,
         "velocity": 0.0}  # fmt: skip


@kernel
def sweep(ground, external, elapsed, moving, centre, direction, axle, radius, half_width, travel, wheel_filter):
    """Sweep of a wheel over ground and bodies, `elapsed` seconds after the start of the tick."""
    place_bodies(external[0], elapsed, len(ground.surfaces), moving[0])
    return sweep_wheel(ground, moving[0], centre, direction, axle, radius, half_width, travel, wheel_filter)


@kernel
def contact(ground, external, elapsed, moving, centre, direction, axle, radius, half_width, travel, wheel_filter):
    """(contact in the wheel's frame; k and cosine of `wheel_frame`) of the same sweep."""
    place_bodies(external[0], elapsed, len(ground.surfaces), moving[0])
    frame, k, cosine = wheel_frame(centre, direction, axle)
    found_contact, _ = find_contact(ground, moving[0], frame, k, cosine, radius, half_width, travel, wheel_filter)
    return found_contact, k, cosine


@kernel
def cast(ground, external, elapsed, moving, start, direction, length, wheel_filter):
    """Ray at ground and bodies, `elapsed` seconds after the start of the tick."""
    place_bodies(external[0], elapsed, len(ground.surfaces), moving[0])
    return cast_through(ground, moving[0], start, direction, length, wheel_filter)


@kernel
def motion(external, k, elapsed, point):
    """(velocity, m/s; position on the body, m) of a point of body k."""
    return body_motion(external[0], k, elapsed, point)


@pytest.fixture(scope="module", autouse=True)
def print_worst():
    yield
    print("\nworst errors on moving bodies, m and m/s:", ", ".join(f"{name} {e:.1e}" for name, e in worst.items()))


def random_body(rng):
    """A random moving box, or wedge."""
    half = rng.uniform(0.05, 1.2, 3)
    top = None if rng.random() < 0.5 else tuple(np.sort(rng.uniform(-half[1], half[1], 2)).tolist())
    turn = quat.from_rotation_vector(tuple(rng.normal(0.0, 0.7, 3).tolist()))
    return Body(tuple((rng.uniform(0.0, 8.0, 3) * (1, 1, 0.3)).tolist()), tuple(half.tolist()), orientation=turn,
                velocity=tuple(rng.normal(0.0, 3.0, 3).tolist()), spin=tuple(rng.normal(0.0, 3.0, 3).tolist()), top=top,
                surface=int(rng.integers(0, 9)))  # fmt: skip


def scene(seed):
    """(random generator, ground, triangles of ground and bodies, bodies, time in the tick in s).

    Multiples of 3 as seed give bodies alone, others bodies on rough ground.
    """
    rng = np.random.default_rng(seed)
    bodies = [random_body(rng) for _ in range(rng.integers(1, 9))]
    elapsed = float(rng.choice([0.0, 0.002, 0.05]))
    soup = body_soup(bodies, elapsed)
    if seed % 3 == 0:
        return rng, Ground(None), soup, bodies, elapsed
    field, mesh = random_field(rng), random_mesh(rng)
    meshes = [mesh] if seed % 3 == 1 else []
    parts = [field_soup(field), *([mesh_soup(meshes)] if meshes else []), soup]
    return rng, Ground(field, meshes), join(*parts), bodies, elapsed


def random_wheel(rng, target, tilt=0.0):
    """A wheel of any heading close to a point; tilt: angle of its axle from the normal of its travel, rad."""
    turn = rng.normal(0.0, 0.25, 3) + (0.0, 0.0, rng.uniform(-3.0, 3.0))
    m = np.array(quat.to_matrix(quat.from_rotation_vector(tuple(turn.tolist()))))
    centre = target + rng.normal(0.0, 0.2, 3) + m[:, 2] * rng.uniform(0.0, 0.6)
    axle = m[:, 0] * math.cos(tilt) + m[:, 2] * math.sin(tilt)
    return Wheel(centre, -m[:, 2], axle, rng.uniform(0.2, 0.5), rng.uniform(0.05, 0.2), 0.2)


def check_sweep(seed):
    """Compare one sweep with the search; returns 1 if the wheel is on a body, else 0."""
    rng, ground, soup, bodies, elapsed = scene(seed)
    triangle = soup.corners[rng.integers(len(soup.corners) - 8, len(soup.corners))]  # of the last body
    wheel = random_wheel(rng, rng.dirichlet((1.0, 1.0, 1.0)) @ triangle)
    expected = slice_jounce(soup, wheel)
    moving = np.zeros(1, MOVING_BODIES)
    hit, jounce, _, point, hit_code = sweep(ground.arrays, external_of(bodies), elapsed, moving, *wheel.arguments())
    assert hit == (expected is not None)
    if not hit:
        return 0
    worst["sweep"] = max(worst["sweep"], abs(jounce - expected))
    assert jounce == pytest.approx(expected, abs=1e-9)
    if hit_code < BODY_STEP:
        return 0
    body = bodies[hit_code // BODY_STEP - 1]
    assert hit_code & SURFACE_MASK == body.surface
    assert slice_jounce(body_soup([body], elapsed), wheel) == pytest.approx(expected, abs=1e-9)
    return 1


@settings(max_examples=20)  # in addition to the sixty below
@given(seed=st.integers(0, 10**6))
def test_the_sweep_finds_the_highest_circle_on_ground_and_bodies(seed):
    check_sweep(seed)


def test_many_of_these_wheels_are_on_bodies():
    assert sum(check_sweep(seed) for seed in range(60)) > 15


@settings(max_examples=80)
@given(seed=st.integers(0, 10**6), tilt=st.sampled_from([0.03, -0.1, 0.3]))
def test_no_point_of_a_tilted_tread_enters_a_body(seed, tilt):
    rng = np.random.default_rng(seed)
    bodies, elapsed = [random_body(rng) for _ in range(3)], 0.01
    soup = body_soup(bodies, elapsed)
    wheel = random_wheel(rng, soup.corners[rng.integers(len(soup.corners))].mean(axis=0), tilt)
    moving = np.zeros(1, MOVING_BODIES)
    external = external_of(bodies)
    hit, jounce, _, _, _ = sweep(Ground(None).arrays, external, elapsed, moving, *wheel.arguments())
    distances = ray_distance(soup.corners, tread(wheel, 41, 17), wheel.direction)
    lift = wheel.corners(soup)[:, :, 1].max(axis=1) + wheel.radius
    distances[:, lift > wheel.radius * wheel.cosine] = np.inf  # triangles too high to be road
    nearest = distances.min()
    if not hit:
        assert nearest > wheel.travel + SEARCH - 1e-9
        return
    through = wheel.travel - jounce - nearest
    worst["tilted, through the ground"] = max(worst["tilted, through the ground"], through)
    assert through < 1e-9
    (height, x, s, _, _, _, _), k, cosine = contact(Ground(None).arrays, external, elapsed, moving, *wheel.arguments())
    y = height - math.sqrt(wheel.radius**2 - x * x)
    point = wheel.centre + x * wheel.forward + y * wheel.up + (s - k / cosine * y) * wheel.axle
    off = triangle_distance(soup.corners, point)
    worst["tilted, off the body"] = max(worst["tilted, off the body"], off)
    assert jounce == pytest.approx(wheel.travel + height / cosine, abs=1e-12) and off < 1e-8


@settings(max_examples=150)
@given(seed=st.integers(0, 10**6))
def test_a_ray_hits_the_nearest_of_all_triangles(seed):
    rng, ground, soup, bodies, elapsed = scene(seed)
    aim = soup.corners[rng.integers(len(soup.corners))].mean(axis=0) + rng.normal(0.0, 0.2, 3)
    direction = rng.normal(0.0, 1.0, 3)
    direction /= np.linalg.norm(direction)
    start, length = aim - rng.uniform(0.0, 2.0) * direction, 5.0
    moving = np.zeros(1, MOVING_BODIES)
    hit, distance, normal, hit_code = cast(ground.arrays, external_of(bodies), elapsed, moving, tuple(start.tolist()),
                                        tuple(direction.tolist()), length, 0)  # fmt: skip
    t, margin = hits(soup, start, direction, length)
    clear = np.where((margin > 1e-7) & (t > 1e-6) & (t < length - 1e-6), t, np.inf)
    loose = np.where((margin > -1e-7) & (t > -1e-6) & (t < length + 1e-6), t, np.inf)
    if not hit:
        assert clear.min() == np.inf
        return
    assert distance < clear.min() + 1e-6
    error = np.abs(loose - distance)
    worst["ray"] = max(worst["ray"], error.min())
    assert error.min() < 1e-6
    assert (hit_code & SURFACE_MASK) in soup.surfaces[error < 1e-6]
    assert np.dot(normal, direction) <= 1e-12


@settings(max_examples=60)
@given(seed=st.integers(0, 10**6))
def test_the_velocity_is_that_of_the_material_point(seed):
    rng = np.random.default_rng(seed)
    body, elapsed, step = random_body(rng), rng.uniform(0.0, 0.05), 1e-6
    local = rng.normal(0.0, 1.0, 3)
    point = body.at(local, elapsed)
    velocity, point_on_body = motion(external_of([random_body(rng), body]), 1, elapsed, tuple(point.tolist()))
    expected = (body.at(local, elapsed + step) - body.at(local, elapsed - step)) / (2.0 * step)
    worst["velocity"] = max(worst["velocity"], np.abs(expected - velocity).max())
    np.testing.assert_allclose(velocity, expected, atol=1e-7)
    np.testing.assert_allclose(point_on_body, local, atol=1e-12)


def test_a_body_at_rest_equals_a_mesh_of_its_shape():
    """Sweeps of 300 wheels over a wedge give equal results for the wedge as world mesh and as moving body."""
    wedge = Body((0.0, 0.0, 0.15), (1.0, 0.8, 0.15), top=(0.3, 0.3), surface=3)
    triangles = wedge.triangles()
    mesh = Mesh("wedge", triangles.reshape(-1, 3), np.arange(3 * len(triangles)).reshape(-1, 3),
                np.full(len(triangles), 3, np.int32))  # fmt: skip
    moving, rng, on_body_count = np.zeros(1, MOVING_BODIES), np.random.default_rng(4), 0
    for _ in range(300):
        wheel = random_wheel(rng, np.array([*rng.uniform(-1.2, 1.2, 2), 0.2]), rng.choice([0.0, 0.05]))
        on_mesh = sweep(Ground(Plane(0.0), [mesh]).arrays, external_of([]), 0.0, moving, *wheel.arguments())
        on_body = sweep(plane_ground().arrays, external_of([wedge]), 0.0, moving, *wheel.arguments())
        np.testing.assert_allclose(np.hstack(on_mesh[:4]), np.hstack(on_body[:4]), atol=1e-12)
        *_, mesh_code = on_mesh
        *_, body_code = on_body
        assert mesh_code == (body_code if body_code < 0 else body_code & SURFACE_MASK)
        on_body_count += body_code >= BODY_STEP
    assert on_body_count > 100


def test_invalid_numbers_are_tolerated():
    """An unknown surface is replaced by a known one, a body is found in spite of an excessive body count, and one at
    a NaN position is not hit."""
    moving = np.zeros(1, MOVING_BODIES)
    wheel = Wheel((0.0, 0.0, 0.5), (0.0, 0.0, -1.0), (1.0, 0.0, 0.0), 0.3, 0.1, 0.2).arguments()
    slab = Body((0.0, 0.0, 0.0), (1.0, 1.0, 0.2))
    for surface in (-5, 10**6):
        external = external_of([slab._replace(surface=surface)])
        hit, _, _, _, hit_code = sweep(plane_ground().arrays, external, 0.0, moving, *wheel)
        assert hit and 0 <= hit_code & SURFACE_MASK < len(default_surfaces())
    external = external_of([slab])
    external["moving_count"] = 10**9
    _, jounce, _, _, _ = sweep(plane_ground().arrays, external, 0.0, moving, *wheel)
    assert jounce == pytest.approx(0.2)
    external = external_of([slab._replace(position=(math.nan, 0.0, 0.0))])
    _, _, _, _, hit_code = sweep(plane_ground().arrays, external, 0.0, moving, *wheel)
    assert hit_code < BODY_STEP


@pytest.mark.parametrize("surface, hiding", [("kerb", ["no_kerbs"]), ("steel", raycast_filters())])
def test_a_filter_lets_a_wheel_through_bodies_of_a_surface(surface, hiding):
    """Steel is a barrier: every filter hides it, `all` too."""
    moving = np.zeros(1, MOVING_BODIES)
    body = Body((0.0, 0.0, 0.0), (1.0, 1.0, 0.1), surface=default_surfaces().index(surface))
    wheel = Wheel((0.0, 0.0, 0.4), (0.0, 0.0, -1.0), (1.0, 0.0, 0.0), 0.3, 0.1, 0.2)
    for wheel_filter, name in enumerate(raycast_filters()):
        expected = 0.1 if name in hiding else 0.2
        ground, external = plane_ground().arrays, external_of([body])
        _, jounce, _, _, _ = sweep(ground, external, 0.0, moving, *wheel.arguments(wheel_filter))
        assert jounce == pytest.approx(expected)
        _, distance, _, _ = cast(ground, external, 0.0, moving, (0.0, 0.0, 1.0), (0.0, 0.0, -1.0), 2.0, wheel_filter)
        assert distance == pytest.approx(1.1 - expected)


class Ride:
    """A car on a body with a prescribed motion."""

    def __init__(self, query="sweep", half=(3.0, 5.0, 0.5), surface="concrete"):
        self.world = World(
            plane_ground(), [with_query(load_vehicle("roadster_simple"), query)], tick_seconds=1.0 / 240.0
        )
        self.world.ground.arrays.surfaces[:, ROUGHNESS_AMPLITUDE] = 0.0
        self.vehicle = self.world.vehicles[0]
        self.body = Body((0.0, 0.0, 0.0), half, surface=default_surfaces().index(surface))
        self.vehicle.params["contact"]["hull"]["part_count"] = 0  # wheels only
        self.world.place(0, (0.0, 0.0), 0.0)
        x, y, z = self.vehicle.model_position()
        self.vehicle.put((x, y, z + half[2]), self.vehicle.model_orientation())

    def run(self, seconds, law=lambda t: {}, **values):
        """Rows of (x, y, z of the centre of mass, m; four suspension forces, N) per tick.

        law: law(t) gives the changed fields of the body (pose, velocity) at the time t.
        values: fields of the command.
        """
        command = neutral_command()
        command["gear"] = NEUTRAL
        for key, value in values.items():
            command[key] = value
        rows = []
        for tick in range(round(seconds * 240)):
            self.body = self.body._replace(**law(tick / 240.0))
            assert self.world.step(command, external_of([self.body])) is None
            rows.append([*self.vehicle.state["body"]["position"][0], *wheels(self.world, "suspension", "force")])
        return np.array(rows)


@pytest.mark.parametrize("query", ["sweep", "ray"])
def test_a_lift_carries_a_car(query):
    """While the lift rises at constant speed, suspension forces equal those at rest within 0.2 %."""
    ride = Ride(query)
    rest = ride.run(2.0, brake=1.0)
    assert wheels(ride.world, "road", "body").tolist() == [1, 1, 1, 1]
    assert np.ptp(rest[-60:, 3:], axis=0).max() < 1.0
    speed, ramp = 1.0, 0.5

    def law(t):
        height = 0.5 * speed / ramp * min(t, ramp) ** 2 + speed * max(0.0, t - ramp)
        return {"position": (0.0, 0.0, height), "velocity": (0.0, 0.0, speed * min(t, ramp) / ramp)}

    ascent = ride.run(4.0, law, brake=1.0)
    steady = ascent[-240:, 3:]
    ripple = np.abs(steady - rest[-1, 3:]).max() / rest[-1, 3:].min()
    print(f"\n{query}: wheel loads on a lift at {speed} m/s differ from those at rest by {100 * ripple:.3f} %")
    assert ripple < 0.002
    assert ascent[-1, 2] - rest[-1, 2] == pytest.approx(law(4.0 - 1 / 240)["position"][2] + speed / 240, abs=2e-3)
    assert wheels(ride.world, "road", "velocity")[:, 2] == pytest.approx([speed] * 4)
    assert ride.vehicle.state["tire"]["longitudinal_speed"][0, :4] == pytest.approx([0.0] * 4, abs=1e-3)


def test_a_car_bounces_on_a_body_at_rest_as_on_the_ground():
    """On a body wheels are swept in every substep, which must not hold them back while springs extend."""
    heights = []
    for position in ((0.0, 0.0, 0.0), (50.0, 0.0, 0.0)):
        ride = Ride()
        ride.body = ride.body._replace(position=position)
        x, y, z = ride.vehicle.model_position()
        ride.vehicle.put((x, y, z - (position[0] > 0.0) * ride.body.half[2]), ride.vehicle.model_orientation())
        rest = ride.run(2.0, brake=1.0)[-1, 2]
        ride.vehicle.state["body"]["velocity"][0, 2] = -0.15
        heights.append(ride.run(1.0, brake=1.0)[:, 2] - rest)
    on_body, on_ground = heights
    assert np.ptp(on_ground) > 0.01
    assert np.abs(on_body - on_ground).max() < 1e-6


def test_a_belt_carries_a_braked_car_and_rolls_under_a_free_one():
    """Slip is relative to the belt: a braked car moves with it, a free one stays and its wheels roll."""

    def belt(t):
        return {"velocity": (0.0, 2.0, 0.0)}  # a moving surface on a fixed body

    ride = Ride()
    ride.run(2.0, brake=1.0)
    start = ride.vehicle.state["body"]["position"][0, 1]
    ride.run(1.5, belt, brake=1.0)
    assert ride.vehicle.state["body"]["velocity"][0, 1] == pytest.approx(2.0, abs=0.02)
    assert ride.vehicle.state["body"]["position"][0, 1] - start > 2.0
    free = Ride()
    free.run(2.0, brake=1.0)
    free.run(1.0, belt)
    radius = free.vehicle.params["wheel"]["radius"][0, :4]
    assert abs(free.vehicle.state["body"]["velocity"][0, 1]) < 0.3
    assert free.vehicle.state["wheel"]["omega"][0, :4] * radius == pytest.approx([-2.0] * 4, abs=0.25)


def test_wheels_on_a_tilting_table_have_its_normal_and_friction():
    """After 1 s at 0.2 rad/s about the long axis all wheels stand on the table, with the friction of wood."""
    ride = Ride(half=(3.0, 5.0, 0.5), surface="wood")
    ride.run(2.0, brake=1.0)

    def law(t):
        angle = 0.2 * t
        return {"orientation": quat.from_axis_angle((0.0, 1.0, 0.0), angle), "spin": (0.0, 0.2, 0.0)}

    ride.run(1.0, law, brake=1.0)
    angle = 0.2 * (1.0 - 1 / 240)
    normal = wheels(ride.world, "road", "normal")
    np.testing.assert_allclose(normal, [(math.sin(angle), 0.0, math.cos(angle))] * 4, atol=2e-3)
    wood = default_surfaces()[default_surfaces().index("wood")]
    assert wheels(ride.world, "road", "friction") == pytest.approx([wood.friction["street"]] * 4)
    assert wheels(ride.world, "road", "surface").tolist() == [default_surfaces().index("wood")] * 4


def test_without_bodies_no_wheel_has_a_body_index():
    w = world(Ground(Plane(0.0), [box_mesh("kerb", (-50, 3, -1), (50, 60, 0.1))]))
    w.place(0, (0.0, 0.0), 0.0)
    assert w.step(neutral_command()) is None
    assert wheels(w, "road", "body").tolist() == [0, 0, 0, 0]


def test_a_drive_on_a_moving_body_is_recorded_and_repeated(tmp_path):
    """Bodies are inputs of the tick: simulating from the recording gives the same states."""
    w = World(load_world("plane"), [load_vehicle("roadster_simple")])
    w.place(0, (0.0, 0.0), 0.0)
    path = tmp_path / "lift.drive"
    recorder = Recorder(path, w, "2026-01-02T03:04:05")
    body = Body((0.0, 0.0, -0.5), (3.0, 5.0, 0.5), velocity=(0.0, 0.3, 0.5))
    for tick in range(300):
        t = tick * w.tick_seconds
        external = external_of([body._replace(position=(0.0, 0.3 * t, 0.5 * t - 0.5))])
        fault = w.step(neutral_command(), external)
        recorder.record(neutral_command(), external, fault is not None)
    recorder.close()
    assert wheels(w, "road", "body").tolist() == [1, 1, 1, 1]
    assert w.vehicles[0].state["body"]["position"][0, 2] > 0.7
    recording = Recording.open(path)
    assert recording.external(200)["moving_count"].tolist() == [1]
    report = verify(path)
    assert report.ok and report.ticks == 300, report.text
