"""Interpolation between ticks, and links stretched between hull and wheel."""

import math

import numpy as np
import pytest
from view_rig import axis_turn, multiply

from driving_sandbox.game.session.frame import Frames, VehicleFrame, interpolate, interpolate_all
from driving_sandbox.game.view.vehicle.link import Link, smallest_rotation
from driving_sandbox.physics.world.drawn_poses import blend_orientations


def frame_at(t: float) -> VehicleFrame:
    """A frame of one wheel whose numbers are proportional to t."""
    body, hub = axis_turn(2, 0.4 * t), np.array([axis_turn(2, 0.5 * t)])
    wheel = np.array([multiply(hub[0], axis_turn(0, -2.0 * t))])
    position, wheel_position = np.array([t, 2 * t, 0.0]), np.array([[t, 0.0, 0.3]])
    return VehicleFrame(position, body, 1, wheel_position, wheel, hub, steer_command=t, brake=t)


def test_interpolation_at_one_half_is_halfway():
    middle, expected = interpolate(frame_at(0.0), frame_at(1.0), 0.5), frame_at(0.5)
    assert np.allclose(middle.body_position, expected.body_position)
    assert abs(middle.body_orientation @ expected.body_orientation) == pytest.approx(1.0, abs=1e-9)
    assert np.allclose(middle.wheel_position, expected.wheel_position)
    assert middle.brake == pytest.approx(0.5)


@pytest.mark.parametrize("fraction", [0.0, 0.25, 1.0])
def test_slerp_has_a_constant_rate_and_ignores_the_sign(fraction):
    a, b, blended = np.array([axis_turn(0, 0.0)]), np.array([axis_turn(0, 2.0)]), np.zeros((1, 4))
    for end in (b, -b):
        blend_orientations(a, end, fraction, blended)
        assert abs(blended[0] @ axis_turn(0, 2.0 * fraction)) == pytest.approx(1.0, abs=1e-12)


def test_wheel_orientations_keep_unit_length_between_ticks():
    for fraction in np.linspace(0, 1, 7):
        middle = interpolate(frame_at(0.0), frame_at(1.0), fraction)
        assert np.linalg.norm(middle.wheel_orientation, axis=1) == pytest.approx(1.0)


def test_many_vehicles_are_interpolated_as_each_alone():
    bare = VehicleFrame(np.array([1.0, 2.0, 3.0]))
    before, after = [frame_at(0.0), bare, frame_at(0.3)], [frame_at(1.0), bare, frame_at(0.9)]
    together = interpolate_all(Frames.of(before), Frames.of(after), 0.25)
    for frame, a, b in zip(together, before, after, strict=True):
        alone = interpolate(a, b, 0.25)
        assert frame.wheel_count == alone.wheel_count and frame.steer_command == alone.steer_command
        for name in ("body_position", "body_orientation", "wheel_position", "wheel_orientation", "hub_orientation"):
            assert np.array_equal(getattr(frame, name), getattr(alone, name)), name


def test_a_vehicle_with_another_wheel_count_than_before_is_not_interpolated():
    frame = interpolate(VehicleFrame(np.array([1.0, 2.0, 3.0])), frame_at(0.5), 0.25)
    assert np.allclose(frame.body_position, frame_at(0.5).body_position) and frame.wheel_count == 1


def test_the_smallest_rotation_maps_one_direction_to_the_other():
    random = np.random.default_rng(0)
    for _ in range(50):
        a, b = (v / np.linalg.norm(v) for v in random.normal(size=(2, 3)))
        m = np.array(smallest_rotation(a, b))
        assert np.allclose(m @ a, b) and np.allclose(m @ m.T, np.eye(3)) and np.linalg.det(m) == pytest.approx(1.0)
    assert np.allclose(np.array(smallest_rotation((0, 0, 1.0), (0, 0, -1.0))) @ [0, 0, 1.0], [0, 0, -1.0])


def test_a_link_joins_its_two_ends_and_keeps_its_thickness():
    hull, wheel = np.array([0.5, 1.2, 0.7]), np.array([0.7, 1.25, 0.3])
    link = Link(hull, wheel)
    now = np.array([0.72, 1.3, 0.42])  # m, moved end at the wheel
    m = np.array(link.rows(now))  # [3, 4] transform of the link's mesh
    assert np.allclose(m[:3, :3] @ hull + m[:3, 3], hull, atol=1e-12)
    assert np.allclose(m[:3, :3] @ wheel + m[:3, 3], now, atol=1e-12)
    across = np.cross(link.direction, [1.0, 0.0, 0.0])
    across /= np.linalg.norm(across)
    assert np.linalg.norm(m[:3, :3] @ across) == pytest.approx(1.0)
    assert np.linalg.norm(m[:3, :3] @ link.direction) == pytest.approx(np.linalg.norm(now - hull) / link.length)
    assert math.isfinite(np.sum(link.rows(hull)))  # zero length: no division by zero
