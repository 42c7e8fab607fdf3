"""Hulls that hit thin walls, are wedged between two walls, rest on a sill, slide and fall; friction of pairs."""

import numpy as np
import pytest
from contact_rig import (
    CONTACTS,
    ENERGY,
    GRAVITY,
    HEIGHT,
    MASS,
    REST_HEIGHT,
    TICK,
    VELOCITY,
    VY,
    VZ,
    YAW_RATE,
    Box,
    block,
    box_points,
    flat,
    mesh_ground,
    random_orientation,
    sheet,
    soup,
    with_hull_surface,
)

from driving_sandbox.physics.ground.ground import Ground, Plane
from driving_sandbox.physics.maths import quat


def farthest(box, ticks):
    """Largest y of any corner during some ticks, m."""
    largest_y = -np.inf
    for _ in range(ticks):
        box.run(TICK)
        largest_y = max(largest_y, box.corners()[:, 1].max())
    return largest_y


@pytest.mark.parametrize("thickness", [0.002, 0.02, 0.2])
@pytest.mark.parametrize("speed", [50.0, 100.0])
def test_no_thin_wall_is_passed_through(thickness, speed):
    """Four closed walls a metre apart, hit at 12 attitudes: the first one stops the hull."""
    walls = mesh_ground(*(block((-20, k, -20), (20, k + thickness, 20)) for k in range(4)))
    rng = np.random.default_rng(11)
    deepest = []
    for _ in range(12):
        box = Box(
            walls,
            position=(0, -4 - rng.uniform(0, 1), 0),
            orientation=random_orientation(rng),
            velocity=(rng.uniform(-9, 9), speed, 0),
            spin=5 * rng.normal(size=3),
            gravity=0.0,
        )
        deepest.append(farthest(box, 60))
        assert box.body["position"][0, 1] < 0.0
    print(f"deepest corner {max(deepest) * 1000:.1f} mm behind the wall's face")
    assert -0.01 < max(deepest) < 0.1  # a tick is up to 0.42 m


def test_a_wall_thinner_than_the_travel_of_a_tick_stops_a_corner():
    """At 100 m/s a tick is 0.42 m; only the corner is in contact."""
    wall = mesh_ground(block((-20, 0, -20), (20, 0.005, 20)))
    corner_ahead = quat.multiply(quat.from_axis_angle((0.0, 0.0, 1.0), 0.7), quat.from_axis_angle((1.0, 0.0, 0.0), 0.6))
    box = Box(wall, (0, -4, 0), corner_ahead, velocity=(0, 100, 0), gravity=0.0)
    assert -0.01 < farthest(box, 60) < 0.06


@pytest.mark.parametrize("angle", [0.02, 0.1, 0.25])
def test_a_hull_wedged_between_two_walls_rests(angle):
    """Both walls are inclined outwards by `angle`, rad, and steep enough for a friction of 0.5 to hold a box."""
    height, gap = 10.0, 1.7
    overhang = height * np.tan(angle)
    left = sheet((-gap / 2, -10, -3), (0, 20, 0), (-overhang, 0, height), 20, 10, seed=3)
    right = sheet((gap / 2, -10, -3), (overhang, 0, height), (0, 20, 0), 10, 20, seed=4)
    start_height = 1.5 if angle < 0.05 else 0.0  # m, where the box still fits between the walls
    box = Box(mesh_ground(left, right), (0.01, 0.1, start_height))
    log = box.run(6)
    before = box.body["position"][0].copy()
    after = box.run(10)
    energy = np.concatenate([log[:, ENERGY], after[:, ENERGY]])
    assert (energy - np.minimum.accumulate(energy)).max() < 1e-3 * np.ptp(energy) + 0.5
    assert np.linalg.norm(after[-1, VELOCITY]) < 1e-3
    assert np.linalg.norm(box.body["position"][0] - before) < 1e-3
    assert after[-1, CONTACTS] >= 4
    assert box.corners()[:, 2].min() > -3.0 + 0.1  # held between the walls


def test_a_hull_balances_on_no_edge_but_rests_on_a_sill():
    """Tilted by 45 degrees, a hull with a bevelled sill comes to rest on the bevel's face, against a bank."""
    bevel = np.array(
        [
            [x, y, z]
            for y in (-2.25, 2.25)
            for x, z in ((-0.9, 0.6), (0.9, 0.6), (0.9, -0.1), (0.4, -0.6), (-0.4, -0.6), (-0.9, -0.1))
        ]
    )
    a = np.radians(45.0)
    ground = mesh_ground(
        sheet((-20, -20, 0), (40, 0, 0), (0, 40, 0), 40, 40, seed=3),
        soup("bank", [[0.9, -9, 0], [0.9, 9, 0], [6, 9, 6], [6, -9, 6]], [(0, 3, 2), (0, 2, 1)]),
    )
    box = Box(ground, (0, 0, 1.0), quat.from_axis_angle((0.0, 1.0, 0.0), a), parts={"body": bevel})
    box.run(4)
    tilt_cosine = quat.rotate(tuple(box.body["orientation"][0]), (0.0, 0.0, 1.0))[2]
    before = box.body["position"][0].copy()
    log = box.run(10)
    assert np.linalg.norm(box.body["position"][0] - before) < 1e-5
    assert np.linalg.norm(log[-1, VELOCITY]) < 1e-6
    assert tilt_cosine < 0.9  # on the sill against the bank, not on its belly


def test_a_rough_wall_takes_speed_by_friction_once():
    """A box that hits a wall of many triangles at 1 m/s sideways loses mu times that speed along the wall, once."""
    mu = 0.3
    wall = mesh_ground(sheet((0, -5, -5), (0, 150, 0), (0, 0, 10), 150, 10, seed=3), friction=mu)
    log = Box(wall, (0.95, 0, 0), velocity=(-1, 30, 0), gravity=0.0).run(3)
    assert log[-1, VY] == pytest.approx(30.0 - mu * 1.0, abs=0.01)
    touched = np.argmax(log[:, CONTACTS] > 0)
    assert np.abs(np.diff(log[touched + 60 :, VY])).max() < 1e-3
    assert abs(log[-1, YAW_RATE]) < 0.05


class TestSurfaces:
    """A contact's friction is the surface's times the hull's factor, its restitution the larger one of the two."""

    def ground(self, friction, restitution):
        """A plane of surface 0 and a mesh of surface 1, half a metre higher."""
        deck = soup("deck", [[5, -40, 0.5], [25, -40, 0.5], [25, 40, 0.5], [5, 40, 0.5]], [(0, 1, 2), (0, 2, 3)])
        deck.triangle_surfaces[:] = 1
        ground = Ground(Plane(0.0, 0), [deck])
        for k, (mu, e) in enumerate(zip(np.broadcast_to(friction, 2), np.broadcast_to(restitution, 2), strict=True)):
            with_hull_surface(ground, mu, e, k)
        return ground

    @pytest.mark.parametrize("factor", [0.5, 1.0])
    def test_sliding_loses_speed_by_the_pairs_friction(self, factor):
        ground = self.ground((0.2, 0.6), 0.0)
        for x, height, mu in ((0.0, REST_HEIGHT, 0.2), (15.0, REST_HEIGHT + 0.5, 0.6)):
            box = Box(ground, (x, -10, height), velocity=(0, 8, 0))
            box.hull["friction"] = factor
            speed_loss = 8.0 - box.run(1.0)[-1, VY]
            assert speed_loss == pytest.approx(mu * factor * GRAVITY, rel=2e-3)

    @pytest.mark.parametrize("hull_restitution,expected", [(0.0, (0.2, 0.5)), (0.4, (0.4, 0.5))])
    def test_the_larger_restitution_of_the_pair_acts(self, hull_restitution, expected):
        ground = self.ground(0.5, (0.2, 0.5))
        for x, height, e in ((0.0, REST_HEIGHT, expected[0]), (15.0, REST_HEIGHT + 0.5, expected[1])):
            box = Box(ground, (x, 0, height + 2.0))
            box.hull["restitution"] = hull_restitution
            log = box.run(1.6)
            landed = np.argmin(log[:, VZ]) + 2
            assert log[landed:, HEIGHT].max() - height == pytest.approx(e * e * 2.0, rel=0.06, abs=0.003)


@pytest.mark.parametrize("tick", [1 / 60, 1 / 240])
def test_free_fall_and_plastic_impact_follow_theory_at_two_steps(tick):
    """After a drop of H = 1 m, t = sqrt(2 H / g) = 0.4515 s, v = sqrt(2 g H) = 4.43 m/s, and all of m g H is lost."""
    box = Box(flat(), (0, 0, REST_HEIGHT + 1.0))
    log = box.run(2.0, tick=tick)
    assert -log[:, VZ].min() == pytest.approx(np.sqrt(2 * GRAVITY), abs=2 * GRAVITY * tick)
    touched = (np.argmin(log[:, VZ]) + 1) * tick
    assert touched == pytest.approx(0.4515, abs=2 * tick)
    assert log[0, ENERGY] - log[-1, ENERGY] == pytest.approx(MASS * GRAVITY, rel=0.005)
    assert np.linalg.norm(log[-1, VELOCITY]) < 1e-3


def test_two_parts_collide_at_their_positions():
    """Two separate feet: the box rests on both, and a kerb fits in the gap between them."""
    parts = {"left": box_points((-0.9, -2, -0.6), (-0.5, 2, 0)), "right": box_points((0.5, -2, -0.6), (0.9, 2, 0))}
    kerb = block((-0.3, -3, -1), (0.3, 3, 0.3))
    box = Box(Ground(Plane(0.0, 0), [kerb]), (0, 0, 0.62), parts=parts)
    log = box.run(2)
    assert log[-1, HEIGHT] == pytest.approx(REST_HEIGHT, abs=1e-3)
    assert np.linalg.norm(log[-1, VELOCITY]) < 1e-3
