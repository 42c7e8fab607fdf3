"""Chase camera: independence of the frame rate, height above the ground, field of view; orbit and free camera."""

import math

import numpy as np
import pytest
from view_rig import axis_turn

from driving_sandbox.game.session.frame import VehicleFrame
from driving_sandbox.game.view.cameras.chase import ChaseCamera, FreeCamera, OrbitCamera, Spring


def flat_ground(x, y):
    return 0.0


def drive(t: float) -> VehicleFrame:
    """The frame at time t, s, of an S-bend driven from rest at increasing speed."""
    yaw = 0.8 * math.sin(0.9 * t)
    return VehicleFrame(np.array([3.0 * math.sin(0.9 * t), 2.0 * t * t, 0.3 * math.sin(t)]), axis_turn(2, yaw))


def sampled_views(rate: int, seconds: float = 4.0) -> np.ndarray:
    """[n, 7]: position, target (m) and field of view (rad) of the chase camera, twice a second; rate: frames/s."""
    camera, views = ChaseCamera(flat_ground), []
    for frame in range(int(seconds * rate) + 1):
        view = camera.update(drive(frame / rate), 1.0 / rate if frame else 0.0)
        if frame % (rate // 2) == 0:
            views.append(np.concatenate([view.position, view.target, [view.fov]]))
    return np.array(views)


@pytest.mark.parametrize("rate", [30, 60, 144])
def test_the_camera_has_the_same_path_at_any_frame_rate(rate):
    fine = sampled_views(1200)
    coarse = sampled_views(rate)
    assert np.abs(fine - coarse).max() < 0.03  # m and rad; the car covers 32 m
    distance = np.linalg.norm(fine[-1, :3] - fine[0, :3])
    assert distance > 20.0


def test_naive_lerp_would_fail_the_same_check():
    """Camera paths that cover a constant share of the way in each frame differ by more than the tolerance above."""

    def lerp_path(rate):
        position = np.zeros(3)
        for frame in range(4 * rate):
            position = position + (drive(frame / rate).body_position - position) * 0.1
        return position

    assert np.linalg.norm(lerp_path(30) - lerp_path(144)) > 1.0


def test_the_spring_solution_satisfies_its_equation():
    omega, follow = 5.0, 0.8  # rad/s; share of the target's speed that the damping refers to
    spring = Spring(omega, follow)
    spring.snap(np.array([0.0]))
    spring.speed = np.array([2.0])
    value, speed, target, h = 0.0, 2.0, 0.0, 1e-5
    for _ in range(20000):  # semi-implicit Euler over 0.2 s, target speed 3 m/s
        speed += h * (-omega * omega * (value - target) - 2 * omega * (speed - follow * 3.0))
        value += h * speed
        target += h * 3.0
    assert float(spring.step(np.array([0.6]), 0.2)[0]) == pytest.approx(value, abs=2e-4)
    assert float(spring.speed[0]) == pytest.approx(speed, abs=1e-3)


def test_the_camera_is_never_below_the_ground():
    def hill(x, y):
        return 4.0 - 0.5 * y  # uphill behind the car

    camera = ChaseCamera(hill)
    for frame in range(120):
        at = np.array([0.0, 0.1 * frame, hill(0.0, 0.1 * frame)])
        view = camera.update(VehicleFrame(at, axis_turn(2, 0.0)), 1 / 60)
        assert view.position[2] >= hill(*view.position[:2]) + 0.5


def test_a_teleport_snaps_without_a_swing():
    camera = ChaseCamera(flat_ground)
    for frame in range(60):
        camera.update(drive(frame / 60), 1 / 60)
    teleported = VehicleFrame(np.array([300.0, -50.0, 0.0]), axis_turn(2, 2.0))
    first = camera.update(teleported, 1 / 60)
    for _ in range(60):
        last = camera.update(teleported, 1 / 60)
    assert np.allclose(first.position, last.position, atol=1e-6)
    # m, the distance of the chase camera
    assert np.linalg.norm(first.position[:2] - teleported.body_position[:2]) == pytest.approx(6.4, abs=1e-6)


def test_heading_follows_through_a_full_turn():
    camera = ChaseCamera(flat_ground)
    for frame in range(400):
        yaw = 0.02 * frame
        view = camera.update(VehicleFrame(np.zeros(3), axis_turn(2, yaw)), 1 / 60)
    behind = -np.array([-math.sin(yaw), math.cos(yaw)])
    assert view.position[:2] @ behind / np.linalg.norm(view.position[:2]) > 0.8


def test_the_field_of_view_widens_with_speed():
    camera = ChaseCamera(flat_ground)
    still = camera.update(VehicleFrame(np.zeros(3), axis_turn(2, 0.0)), 1 / 60).fov
    for frame in range(300):
        fast = camera.update(VehicleFrame(np.array([0.0, 50.0 * frame / 60, 0.0]), axis_turn(2, 0.0)), 1 / 60).fov
    assert math.radians(5) < fast - still < math.radians(15)


def test_the_orbit_camera_keeps_its_distance_and_the_free_camera_moves_along_its_axis():
    frame = VehicleFrame(np.array([5.0, 6.0, 1.0]), axis_turn(2, math.pi / 2))  # facing -x
    orbit = OrbitCamera(flat_ground)
    view = orbit.update(frame, 0.01)
    assert np.linalg.norm(view.position - view.target) == pytest.approx(orbit.distance)
    free = FreeCamera()
    free.look_from(view)
    free.move(right=0.0, ahead=1.0, up=0.0)
    free_view = free.update(frame, 0.01)
    assert np.linalg.norm(free_view.position - view.target) == pytest.approx(orbit.distance - 1.0, abs=1e-6)


def test_uphill_the_chase_camera_pitches_up():
    def pitch(climb):
        """Pitch, rad, of the camera behind a car on a slope of `climb`."""
        frame = VehicleFrame(np.zeros(3), axis_turn(0, math.atan(climb)))
        view = ChaseCamera(lambda x, y: climb * y).update(frame, 0.0)
        ray = view.target - view.position
        return math.atan2(ray[2], math.hypot(ray[0], ray[1]))

    # the camera tilts by 0.75 of the car's slope
    assert pitch(0.25) - pitch(0.0) == pytest.approx(0.75 * math.atan(0.25), abs=0.02)
    assert pitch(-0.25) < pitch(0.0) - 0.1
    assert pitch(50.0) == pytest.approx(pitch(0.5), abs=1e-6)  # limited: a car on its tail is not on a hill
