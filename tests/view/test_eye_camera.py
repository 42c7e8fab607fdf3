"""The driver's-eye camera, a mass on a spring that the vehicle's acceleration deflects: effects of its parameters."""

import math

import numpy as np
import pytest
from view_rig import axis_turn

from driving_sandbox.game.session.frame import VehicleFrame
from driving_sandbox.game.view.cameras.eye import EyeCamera, EyeSettings

STILL = (0.0, 0.0, 0.0)  # m/s^2, acceleration
WIDE = {"limits_positive": (9.0, 9.0, 9.0), "limits_negative": (9.0, 9.0, 9.0)}  # m, never reached


def camera(**settings):
    return EyeCamera(EyeSettings(**settings))


def swung(eye, acceleration, seconds, rate=60):
    """Offsets of the eye, m, per frame under an acceleration of the pivot, m/s^2, in vehicle axes."""
    path = []
    for _ in range(round(seconds * rate)):
        eye.swing(acceleration, 1.0 / rate)
        path.append(tuple(eye.offset))
    return np.array(path)


def drive(eye, speed_at, seconds, rate=60, yaw=0.0):
    """Forward offsets of the eye, m, per frame of a vehicle that drives straight on at speed_at(t), m/s."""
    distance, offsets = 0.0, []
    ahead = np.array([-math.sin(yaw), math.cos(yaw), 0.0])
    for k in range(round(seconds * rate)):
        view = eye.update(VehicleFrame(ahead * distance, axis_turn(2, yaw)), 1.0 / rate if k else 0.0)
        offsets.append((view.position - ahead * distance) @ ahead - eye.settings.position[1])
        distance += speed_at((k + 0.5) / rate) / rate
    return np.array(offsets)


@pytest.mark.covers("CE-CAM-01")
@pytest.mark.parametrize("yaw", [0.0, 2.1])
def test_braking_moves_the_eye_forward_and_releases_it(yaw):
    eye = camera(position=(0.0, 0.3, 1.1))
    offsets = drive(eye, lambda t: 20.0 - 8.0 * min(max(t - 1.0, 0.0), 1.0), 5.0, yaw=yaw)
    assert np.abs(offsets[:55]).max() < 1e-6  # steady speed
    # m, just before the end of braking at 2 s: the deceleration of 8 m/s^2 over the default stiffness of 400 1/s^2
    assert offsets[110:119].mean() == pytest.approx(8.0 / 400.0, rel=0.05)
    assert abs(offsets[-1]) < 1e-6


@pytest.mark.covers("CE-CAM-02")
def test_stiffness_is_per_direction_and_zero_is_rigid():
    settings = dict(WIDE, stiffness_positive=(400.0, 400.0, 0.0), stiffness_negative=(400.0, 100.0, 0.0))
    forward = swung(camera(**settings), (0.0, -5.0, 7.0), 3.0)
    backward = swung(camera(**settings), (0.0, 5.0, -7.0), 3.0)
    assert forward[-1, 1] == pytest.approx(5.0 / 400.0, rel=1e-3)
    assert backward[-1, 1] == pytest.approx(-5.0 / 100.0, rel=1e-3)
    assert -forward[-1, 1] / backward[-1, 1] == pytest.approx(0.25, rel=1e-2)
    assert not forward[:, 2].any() and not backward[:, 2].any()
    soft = camera(**WIDE, stiffness_positive=(50.0, 0, 0), stiffness_negative=(200.0, 0, 0))
    sideways = swung(soft, (-2.0, 1, 1), 3.0)
    assert sideways[-1] == pytest.approx((2.0 / 50.0, 0.0, 0.0), rel=1e-3)


@pytest.mark.covers("CE-CAM-03")
def test_a_crash_keeps_the_eye_within_its_limits():
    limits = {"limits_positive": (0.1, 0.5, 0.05), "limits_negative": (0.2, 0.3, 0.06)}
    for direction in (1.0, -1.0):
        eye = camera(**limits, damping=5.0)
        offsets = drive(eye, lambda t, d=direction: 20.0 * d if t < 1.0 else 0.0, 3.0)
        low, high = -limits["limits_negative"][1], limits["limits_positive"][1]
        assert offsets.min() >= low - 1e-9 and offsets.max() <= high + 1e-9
        reached, limit = (offsets.max(), high) if direction > 0 else (offsets.min(), low)
        assert reached == pytest.approx(limit, abs=0.02)
    corner = swung(camera(**limits), (300.0, -300.0, -300.0), 0.5)
    assert corner[-1] == pytest.approx((-0.2, 0.5, 0.05))


@pytest.mark.covers("CE-CAM-04")
def test_damping_acts_along_and_across_the_spring():
    def sign_changes(damping):
        """Changes of sign of the offset after an impulse."""
        eye = camera(**WIDE, damping=damping, snap_distance=0.0)
        swung(eye, (0.0, -40.0, 0.0), 0.05)
        path = swung(eye, STILL, 3.0)[:, 1]
        path = path[np.abs(path) > 1e-4]
        return int((np.diff(np.sign(path)) != 0).sum())

    assert sign_changes(1.0) > 10 and sign_changes(40.0) == 0

    def circling(damping):
        """Remaining radius, m, of a circular motion after 1 s; its velocity is all across the spring."""
        stiff = {"stiffness_positive": (100.0,) * 3, "stiffness_negative": (100.0,) * 3}
        eye = camera(**WIDE, **stiff, damping=damping)
        eye.offset, eye.speed = [0.1, 0.0, 0.0], [0.0, 1.0, 0.0]
        return float(np.linalg.norm(swung(eye, STILL, 1.0, rate=600)[-1]))

    assert circling(0.0) == pytest.approx(0.1, rel=0.05)
    assert circling(4.0) == pytest.approx(0.1 * math.exp(-2.0), rel=0.3)


@pytest.mark.covers("CE-CAM-05")
def test_dividing_the_step_keeps_ten_frames_a_second_stable():
    def largest(stiffness, step):
        """(largest offset after an impulse at 10 frames a second, offset after 10 s), m."""
        eye = camera(**dict.fromkeys(WIDE, (1e9,) * 3), damping=2.0, max_timestep=step,
                     stiffness_positive=(stiffness,) * 3, stiffness_negative=(stiffness,) * 3)  # fmt: skip
        swung(eye, (0.0, -10.0, 0.0), 0.1, rate=10)
        return np.abs(swung(eye, STILL, 10.0, rate=10)).max(), np.abs(eye.offset[1])

    for stiffness in (400.0, 4000.0):
        bounded, rest = largest(stiffness, step=0.01)
        assert bounded < 0.06 and rest < 1e-3
    unbounded, _ = largest(4000.0, step=0.5)
    assert unbounded > 100.0  # undivided, the spring is unstable
    fine, coarse = (swung(camera(**WIDE), (0.0, -6.0, 0.0), 0.3, rate=rate)[-1] for rate in (200, 10))
    assert fine == pytest.approx(coarse, rel=0.1)


@pytest.mark.covers("CE-CAM-06")
def test_at_rest_the_offset_becomes_exactly_zero():
    eye = camera()
    swung(eye, (1.0, -6.0, 2.0), 0.5)
    swung(eye, STILL, 3.0)
    assert eye.offset == [0.0, 0.0, 0.0] and eye.speed == [0.0, 0.0, 0.0]
    free = camera(snap_distance=0.0, snap_speed=0.0)
    swung(free, (1.0, -6.0, 2.0), 0.5)
    swung(free, STILL, 3.0)
    assert any(free.offset)
    fast = camera()  # close to zero but not slow
    fast.offset, fast.speed = [0.0, 0.0005, 0.0], [0.0, 0.5, 0.0]
    fast.swing(STILL, 0.001)
    assert any(fast.offset)


def test_the_motion_is_independent_of_the_frame_rate_and_resets_at_a_teleport():
    def path(rate):
        return drive(camera(), lambda t: 20.0 - 6.0 * min(max(t - 0.5, 0.0), 1.0), 2.0, rate)[:: rate // 30]

    assert np.abs(path(60)[:58] - path(240)[:58]).max() < 0.002
    eye = camera()
    drive(eye, lambda t: 30.0, 0.5)
    eye.update(VehicleFrame(np.array([500.0, 0.0, 0.0]), axis_turn(2, 1.0)), 1 / 60)
    assert eye.offset == [0.0, 0.0, 0.0]
