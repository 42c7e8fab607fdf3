"""Camera boom: shortened in front of walls, hills and roofs, and extended smoothly."""

import math
import sys

import numpy as np
import pytest
from view_rig import FakeBase

from driving_sandbox.game.session.frame import VehicleFrame
from driving_sandbox.game.view.cameras.camera import CameraRig
from driving_sandbox.game.view.cameras.chase import Boom
from driving_sandbox.game.view.cameras.view import View
from driving_sandbox.physics.ground.ground import Ground, Plane
from driving_sandbox.physics.kernel.jit import ROOT

sys.path.insert(0, str(ROOT / "tests" / "contact"))
from contact_rig import block  # noqa: E402

PIVOT_HEIGHT = 0.9  # m, of the point of the car around which the boom turns


def caster(ground):
    """Ray cast of a ground as cameras call it: distance of the hit, or None."""

    def cast(origin, direction, length):
        hit, distance, _, _ = ground.cast(origin, direction, length)
        return distance if hit else None

    return cast


def camera_rig(*meshes):
    """(CameraRig, Ground) of a level plane with these meshes."""
    ground = Ground(Plane(0.0, 0), list(meshes))
    return CameraRig(FakeBase(), lambda x, y: 0.0, caster(ground)), ground


def frame(y=0.0):
    """Frame of a car at (0, y, 0), m, facing +y."""
    return VehicleFrame(np.array([0.0, y, 0.0]), np.array([0.0, 0.0, 0.0, 1.0]))


@pytest.mark.parametrize("mode", ["chase", "orbit"])
def test_a_wall_behind_the_car_shortens_the_boom(mode):
    walls = [  # of a room of 8 m by 8 m
        block((-20, -5, -1), (20, -4, 9)),
        block((-20, 4, -1), (20, 5, 9)),
        block((-5, -20, -1), (-4, 20, 9)),
        block((4, -20, -1), (5, 20, 9)),
    ]
    camera, _ = camera_rig(*walls)
    camera.select(mode)
    for k in range(30):
        eye = camera.update(frame(), 1 / 60 if k else 0.0).position
        assert np.abs(eye[:2]).max() < 4.0 - 0.2
        if mode == "orbit":  # the camera looks from all sides, so all four walls shorten the boom
            camera.orbit.turn(0.3, 0.0)
    free, _ = camera_rig()
    free.select(mode)
    assert np.abs(free.update(frame(), 0.0).position[:2]).max() > 4.0


def test_the_camera_never_looks_through_a_passed_wall_and_extends_smoothly():
    camera, ground = camera_rig(
        block((-20, -0.2, -1), (-1.5, 0.0, 9)),
        block((1.5, -0.2, -1), (20, 0.0, 9)),
        block((-1.5, -0.2, 1.6), (1.5, 0.0, 9)),
    )  # a gate 1.6 m high: the car passes below it, the camera at the end of its boom would not
    cast, lengths = caster(ground), []
    for k in range(600):
        car = frame(-20.0 + 10.0 * k / 60)
        eye = camera.update(car, 1 / 60 if k else 0.0).position
        pivot = np.array([0.0, car.body_position[1], PIVOT_HEIGHT])
        boom = eye - pivot
        hit = cast(pivot, boom / np.linalg.norm(boom), float(np.linalg.norm(boom)))
        assert hit is None
        lengths.append(np.linalg.norm(boom))
    lengths = np.array(lengths)
    # m: shortened at the gate, and as long after it as before
    assert lengths.min() < 4.5 < 6.0 < lengths[50] and lengths[-1] == pytest.approx(lengths[50], abs=0.3)
    assert np.diff(lengths).max() < 0.35  # m a frame: it lengthens smoothly


def test_with_a_wall_close_behind_the_camera_rises_and_stays_outside_the_car():
    wall = block((-20, -3, -1), (20, -2.1, 2.5))  # touches the tail of a car at the origin
    camera, ground = camera_rig(wall)
    heights = []
    for k in range(240):
        y = 3.0 * max(0.0, 1.0 - k / 120)  # m: the car backs up to the wall in two seconds
        eye = camera.update(frame(y), 1 / 60 if k else 0.0).position
        boom = eye - (0.0, y, PIVOT_HEIGHT)
        assert caster(ground)(eye - boom, boom / np.linalg.norm(boom), float(np.linalg.norm(boom))) is None
        assert eye[1] > -2.1 or eye[2] > 2.5, "inside the wall"
        heights.append(eye[2])
    assert np.linalg.norm(boom) > 2.7 and eye[2] > 2.0, "not above the car"
    assert np.abs(np.diff(heights)).max() < 0.25, "rises with a jump"
    for _ in range(300):
        eye = camera.update(frame(12.0), 1 / 60).position
    free, _ = camera_rig()
    assert eye == pytest.approx(free.update(frame(12.0), 0.0).position, abs=0.05), "not free again away from the wall"


def test_in_a_low_garage_the_camera_stays_between_wall_and_roof():
    walls = [block((-20, -3, -1), (20, -2.1, 9)), block((-20, -20, 2.6), (20, 20, 9))]  # rear wall and roof
    camera, _ = camera_rig(*walls)
    for k in range(60):
        eye = camera.update(frame(), 1 / 60 if k else 0.0).position
        assert eye[1] > -2.1 and eye[2] < 2.6


def test_a_wheel_camera_stays_outside_walls_and_above_the_ground():
    """Left front wheel camera of a car next to a wall, and of a car that lies on its left side."""
    walled, _ = camera_rig(block((-20, -20, -1), (-1.2, 20, 9)))
    free, _ = camera_rig()
    for camera in (walled, free):
        camera.fit({"wheel1": np.array([-0.75, 1.3, 0.3])}.get, 4.0)
        camera.select("wheel")
    assert free.update(frame(), 0.0).position[0] < -1.2
    assert walled.update(frame(), 0.0).position[0] > -1.2 + 0.2
    left = np.array([0.0, -math.sqrt(0.5), 0.0, math.sqrt(0.5)])  # rolled by 90 degrees to the left
    assert free.update(VehicleFrame(np.array([0.0, 0.0, 0.8]), left), 0.0).position[2] > 0.1


def test_the_free_share_is_the_distance_to_the_obstacle_less_a_margin():
    boom = Boom(lambda origin, direction, length: 4.0)
    pivot, eye = np.zeros(3), np.array([0.0, -8.0, 0.0])
    assert boom.free_share(pivot, eye) == pytest.approx((4.0 - boom.margin) / 8.0)
    assert Boom(lambda *a: None).free_share(pivot, eye) == 1.0
    assert Boom(lambda *a: 0.05).free_share(pivot, eye) == pytest.approx(boom.min_length / 8.0)
    view = View(eye, pivot, math.radians(50))
    assert boom.shorten(view, pivot, 0.0).position == pytest.approx((0, -3.7, 0))
