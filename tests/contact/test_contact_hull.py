"""A rigid box on the ground: landing, resting, sliding, crashing, within the bounds that the solver promises."""

import numpy as np
import pytest
from contact_rig import (
    CONTACTS,
    ENERGY,
    GRAVITY,
    HEIGHT,
    MASS,
    REST_HEIGHT,
    SIZE,
    TICK,
    VELOCITY,
    VX,
    VY,
    VZ,
    YAW_RATE,
    Box,
    block,
    flat,
    mesh_ground,
    random_orientation,
    sheet,
    with_hull_surface,
)

from driving_sandbox.physics.contact.steps import PUSH_OUT_SPEED
from driving_sandbox.physics.ground.ground import Ground, Heightfield
from driving_sandbox.physics.maths import quat


def energy_rise(log):
    """Largest rise of the energy above an earlier value, relative to the initial energy."""
    energy = log[:, ENERGY]
    return (energy - np.minimum.accumulate(energy)).max() / energy[0]


@pytest.mark.parametrize("speed", [60.0, 100.0])
@pytest.mark.parametrize("cells", [1, 20])
def test_no_box_passes_a_one_sided_sheet(speed, cells):
    wall = mesh_ground(sheet((-20, 0, -20), (40, 0, 0), (0, 0, 40), cells, cells, seed=7))
    rng = np.random.default_rng(2)
    for _ in range(20):
        box = Box(
            wall,
            position=(0, -6 - rng.uniform(0, 1), 0),
            orientation=random_orientation(rng),
            velocity=(0, speed, 0),
            spin=3 * rng.normal(size=3),
            gravity=0.0,
        )
        deepest = -np.inf
        for _ in range(40):
            box.run(TICK)
            deepest = max(deepest, box.corners()[:, 1].max())
        assert box.body["position"][0, 1] < 0.0
        assert -0.01 < deepest < 0.06  # m behind the sheet: the box touched it, and only a corner went through


@pytest.mark.parametrize("cells", [1, 20])
def test_belly_slide_is_independent_of_triangles(cells):
    ground = mesh_ground(sheet((-5, -5, 0), (20, 0, 0), (0, 110, 0), cells, cells * 5, seed=3), friction=0.1)
    log = Box(ground, (3, 0, REST_HEIGHT), velocity=(0, 30, 0)).run(3)
    assert np.abs(log[:, VZ]).max() < 0.001
    assert np.abs(log[:, VX]).max() < 1e-4
    assert log[-1, VY] == pytest.approx(30 - 0.1 * GRAVITY * 3, abs=1e-4)


def test_a_belly_slides_over_a_heightfield_without_bumps():
    terrain = Heightfield(np.zeros((129, 129), np.float32), np.zeros((128, 128), np.uint8), origin=(-5.0, -5.0))
    log = Box(with_hull_surface(Ground(terrain), friction=0.1), (3, 0, REST_HEIGHT), velocity=(0, 30, 0)).run(3)
    assert np.abs(log[:, VZ]).max() < 0.001
    assert log[-1, VY] == pytest.approx(30 - 0.1 * GRAVITY * 3, abs=1e-4)


def test_a_frictionless_wall_takes_no_speed():
    wall = mesh_ground(sheet((0, -5, -5), (0, 150, 0), (0, 0, 10), 150, 10, seed=3), friction=0.0)
    log = Box(wall, (1.0, 0, 0), velocity=(-1, 30, 0), gravity=0.0).run(3)
    assert log[-1, CONTACTS] == 4
    assert log[-1, VY] == pytest.approx(30.0, abs=1e-3)
    assert abs(log[-1, VX]) < 1e-3


@pytest.mark.parametrize("restitution", [0.0, 0.3, 0.6])
def test_the_bounce_height_grows_with_the_square_of_restitution(restitution):
    log = Box(flat(friction=0.5, restitution=restitution), (0, 0, REST_HEIGHT + 2.0)).run(3)
    landed = np.argmin(log[:, VZ]) + 2  # the fastest tick is the last before contact
    top = log[landed:, HEIGHT].max() - REST_HEIGHT
    assert top == pytest.approx(restitution**2 * 2.0, rel=0.05, abs=0.002)


def test_full_restitution_without_friction_keeps_height_and_sideways_speed():
    """The loss of height, g h / 2 per second with the substep h, is the integrator's in free flight."""
    log = Box(flat(friction=0.0, restitution=1.0), (0, 0, REST_HEIGHT + 2.0), velocity=(3.0, 0, 0)).run(1.3)
    assert log[-1, VX] == pytest.approx(3.0, abs=1e-3)
    top = log[len(log) // 2 :, HEIGHT].max() - REST_HEIGHT
    assert top == pytest.approx(2.0, rel=0.01)


@pytest.mark.parametrize(
    "ground", [flat, lambda: mesh_ground(sheet((-20, -20, 0), (40, 0, 0), (0, 40, 0), 40, 40, seed=3))]
)
def test_deep_penetration_is_pushed_out_without_a_jump(ground):
    log = Box(ground(), (0, 0, 0.5 * REST_HEIGHT)).run(3)
    assert np.diff(log[:, HEIGHT]).min() > -1e-9 and np.diff(log[:, HEIGHT]).max() < 1.01 * PUSH_OUT_SPEED * TICK
    assert log[:, VZ].max() < 0.01  # push-out adds no speed
    assert log[-1, HEIGHT] == pytest.approx(REST_HEIGHT, abs=1e-3)
    assert np.linalg.norm(log[-1, VELOCITY]) < 1e-6


def depth_of_post(box, x):
    """Depth of the front edges of a post at x inside the hull, m; negative outside."""
    q, centre = tuple(box.body["orientation"][0]), box.body["position"][0]
    points = [(x + side, 5.0, z) for side in (-0.1, 0.1) for z in np.linspace(-1.0, 1.0, 21)]
    points_in_hull = np.array([quat.rotate_inverse(q, tuple(np.subtract(p, centre))) for p in points])
    return (np.array(SIZE) / 2 - np.abs(points_in_hull)).min(axis=1).max()


@pytest.mark.parametrize("offset", [0.0, 0.5, -0.35])
def test_a_post_stops_the_car(offset):
    """The post is thinner than the hull's face, so that only its edges touch that; they enter by less than 2 cm."""
    post = mesh_ground(block((offset - 0.1, 5, -3), (offset + 0.1, 5.2, 3)))
    box = Box(post, velocity=(0, 20, 0), gravity=0.0)
    log = box.run(0.1)
    deepest = -np.inf
    for _ in range(96):
        log = np.concatenate([log, box.run(TICK)])
        deepest = max(deepest, depth_of_post(box, offset))
    assert -0.001 < deepest < 0.02
    stopped = np.argmax(log[:, VY] < 10)
    assert abs(log[stopped + 4, VZ]) < 1.0  # the impact does not throw the car up
    assert energy_rise(log) < 1e-3


def test_a_grazed_post_yaws_the_car_and_lets_it_pass():
    post = mesh_ground(block((0.75, 5, -3), (0.95, 5.2, 3)))
    log = Box(post, velocity=(0, 20, 0), gravity=0.0).run(1.0)
    assert log[-1, VX] < -1.0 and log[-1, VY] > 0.0
    assert log[-1, YAW_RATE] < -0.3  # yaws right, about the post


def test_a_box_comes_to_rest_in_a_v_shaped_ditch():
    ditch = mesh_ground(
        sheet((0, -10, 0), (10, 0, 10), (0, 20, 0), 10, 20, seed=3),
        sheet((-10, -10, 10), (10, 0, -10), (0, 20, 0), 10, 20, seed=4),
    )
    log = Box(ditch, (0.1, 0, 3), orientation=(0.1, 0.3, 0.2, 1)).run(8)
    assert energy_rise(log) < 1e-3
    assert np.linalg.norm(log[-1, VELOCITY]) < 1e-6


@pytest.mark.parametrize(
    "name,axis,turn,half",
    [("belly", (1, 0, 0), 0, 0.6), ("roof", (0, 1, 0), np.pi, 0.6), ("side", (0, 1, 0), np.pi / 2, 0.9)],
)
def test_a_box_rests_on_belly_roof_and_side_on_a_slope(name, axis, turn, half):
    """half: distance of the centre from that side, m."""
    a = np.radians(20)
    ground = mesh_ground(
        sheet((-20, -20 * np.cos(a), -20 * np.sin(a)), (40, 0, 0), (0, 40 * np.cos(a), 40 * np.sin(a)), 40, 40, seed=3)
    )
    tilt = quat.from_axis_angle((1.0, 0.0, 0.0), a)
    up = np.array(quat.rotate(tilt, (0.0, 0.0, 1.0)))
    box = Box(ground, up * (half + 0.01), quat.multiply(tilt, quat.from_axis_angle(tuple(map(float, axis)), turn)))
    box.run(3)
    before = box.body["position"][0].copy()
    box.run(10)
    assert np.linalg.norm(box.body["position"][0] - before) < 1e-6


def test_a_box_slides_down_a_slope_by_coulombs_law():
    a, mu = np.radians(20), 0.2
    ground = mesh_ground(
        sheet((-20, -60 * np.cos(a), -60 * np.sin(a)), (40, 0, 0), (0, 80 * np.cos(a), 80 * np.sin(a)), 40, 80, seed=3),
        friction=mu,
    )
    tilt = quat.from_axis_angle((1.0, 0.0, 0.0), a)
    box = Box(ground, np.array(quat.rotate(tilt, (0.0, 0.0, REST_HEIGHT))), tilt)
    speed = np.linalg.norm(box.run(2)[-1, VELOCITY])
    assert speed == pytest.approx(GRAVITY * (np.sin(a) - mu * np.cos(a)) * 2, rel=1e-3)


def test_contact_impulses_carry_the_weight():
    box = Box(flat(), (0, 0, REST_HEIGHT))
    box.run(1)
    count = box.state["contact_count"][0]
    total = box.state["contacts"][0]["tick_impulse"][:count].sum()
    assert total == pytest.approx(MASS * GRAVITY * TICK, rel=1e-6)


def test_a_box_above_the_ground_falls_freely_without_contacts():
    log = Box(flat(), (0, 0, 3.0)).run(0.3)
    assert (log[:, CONTACTS] == 0).all()
    assert log[-1, VZ] == pytest.approx(-GRAVITY * 0.3, rel=1e-9)


@pytest.mark.parametrize("kind,cell", [("field", 0.2), ("field", 0.1), ("mesh", 0.2)])
def test_fine_ground_supports_a_hull(kind, cell):
    """Ground as fine as a scan, with 1000 to 4000 triangles below the bounding box of a hull."""
    n, half = round(16.0 / cell), 8.0
    if kind == "field":
        flat_field = Heightfield(np.zeros((n + 1, n + 1), np.float32), np.zeros((n, n), np.uint8), (-half, -half), cell)
        ground = with_hull_surface(Ground(flat_field), friction=0.5)
    else:
        ground = mesh_ground(sheet((-half, -half, 0), (2 * half, 0, 0), (0, 2 * half, 0), n, n, seed=1))
    box = Box(ground, (0, -2, 0.8), quat.from_axis_angle((0.0, 0.0, 1.0), 0.8), velocity=(0, 4, 0))
    log = box.run(2)
    assert np.linalg.norm(log[-1, VELOCITY]) < 1e-3
    assert np.sort(box.corners()[:, 2])[:4] == pytest.approx(0.0, abs=0.005)  # on its four lowest corners
    assert np.abs(log[round(0.6 / TICK) :, VZ]).max() < 0.02  # slides to rest without bumps
