"""Ghosts are drawn beside a vehicle and fade where they overlap one."""

import numpy as np
import pytest
from view_rig import ROADSTER, grab, grass_world, standing_frame

from driving_sandbox.game.view.cameras.camera import apply_view
from driving_sandbox.game.view.cameras.view import View
from driving_sandbox.game.view.scene import Scene
from driving_sandbox.game.view.vehicle.ghost import GhostView, separation

pytestmark = pytest.mark.drawn
WINDOW_SIZE = (320, 180)
EYE = np.array([-4.2, -6.0, 2.2])


@pytest.fixture(scope="module")
def scene(base):
    """A meadow with a standing car, seen by a fixed camera."""
    new_scene = Scene(base, grass_world(), "medium")
    car = new_scene.add_vehicle(ROADSTER, (0.5, 0.02, 0.02))
    car.update(standing_frame(car))
    apply_view(base, View(EYE, np.array([0.0, 0.0, 0.5]), 0.9))
    yield new_scene
    new_scene.close()


@pytest.fixture
def ghost(scene):
    ghost_view = GhostView(scene, ROADSTER, (0.25, 0.72, 1.0))
    yield ghost_view
    ghost_view.close()


def changed_by(base, scene, ghost, *position, **turned):
    """(largest, mean) change of a pixel's colour by a ghost at a position, m.

    turned: `yaw` and other arguments of `standing_frame`.
    """
    images = []
    for shown in (True, False):
        ghost.show(shown)
        ghost.update(standing_frame(ghost, position, **turned))
        for _ in range(3):  # not all shadow maps are redrawn in one frame
            scene.update(EYE)
            base.taskMgr.step()
        images.append(grab(base))
    change = np.abs(images[0] - images[1])
    return change.max(), change.mean()


def test_a_ghost_at_the_cars_position_is_not_drawn(base, scene, ghost):
    for position in ((0.0, 0.0, 0.0), (0.002, -0.003, 0.001), (0.1, 0.6, 0.0)):
        assert changed_by(base, scene, ghost, *position) == (0.0, 0.0)
    assert changed_by(base, scene, ghost, 0.0, 0.2, 0.0, yaw=0.03) == (0.0, 0.0)


def test_a_ghost_fades_in_with_distance_from_the_car(base, scene, ghost):
    means = [changed_by(base, scene, ghost, 0.0, ahead, 0.0)[1] for ahead in (1.0, 1.6, 2.4, 4.2, 5.0)]
    assert means[0] == 0.0
    assert all(a < b for a, b in zip(means[:3], means[1:4], strict=True))
    assert means[-1] > 0.005  # less than before, because it is farther from the camera
    largest, _ = changed_by(base, scene, ghost, 2.0, 0.0, 0.0)
    assert largest > 0.1  # beside it, as in a race


def test_a_ghost_at_the_position_of_a_parked_car_is_not_drawn(base, scene, ghost):
    parked = scene.add_vehicle(ROADSTER)
    parked.update(standing_frame(parked, (3.0, 4.0, 0.0), yaw=1.0))
    try:
        assert changed_by(base, scene, ghost, 3.0, 4.0, 0.0, yaw=1.0) == (0.0, 0.0)
    finally:
        scene.vehicles.remove(parked)
        parked.root.removeNode()
    largest, _ = changed_by(base, scene, ghost, 3.0, 4.0, 0.0, yaw=1.0)
    assert largest > 0.1


def test_separation_is_the_larger_of_the_offsets_in_widths_and_lengths(scene, ghost):
    car = scene.vehicles[0]
    width, length, _ = car.high - car.low
    for position, expected in (
        ((width, 0.0, 0.0), 1.0),
        ((0.0, -length / 2, 0.0), 0.5),
        ((width, 3 * length, 0.0), 3.0),
    ):
        ghost.update(standing_frame(ghost, position))
        assert separation(car, ghost) == pytest.approx(expected, abs=1e-6)
