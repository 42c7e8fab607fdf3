"""Drawn tracks: their path around the wheels, and their motion with the wheels' rotation."""

import math

import numpy as np
import pytest
from view_rig import SceneWithoutWindow, axis_turn, multiply, standing_frame

from driving_sandbox.assets.build.vehicles import MODELS
from driving_sandbox.game.view.vehicle.belt import rolling_angle
from driving_sandbox.game.view.vehicle.vehicle import VehicleView

RESTING_HEIGHT = 0.045  # m, height of a link whose grousers reach the road


@pytest.fixture(params=["tank", "half_track"])
def view(request):
    """A vehicle with two tracks, at rest."""
    vehicle_view = VehicleView(SceneWithoutWindow(), MODELS / f"{request.param}.glb")
    vehicle_view.update(standing_frame(vehicle_view))
    return vehicle_view


def links(view, n=0):
    """Poses of the links of a track, [count, 3]: y, z (m, model frame) and the sine of the link's slope."""
    return view.belts[n].links.copy()


def test_links_are_evenly_spaced_around_the_wheels_and_on_the_ground(view):
    assert len(view.belts) == 2
    for n, belt in enumerate(view.belts):
        positions = links(view, n)
        spacings = np.hypot(*np.diff(np.vstack([positions, positions[:1]]), axis=0)[:, :2].T)
        assert spacings == pytest.approx(np.full(len(spacings), belt.pitch), rel=0.14)  # chords at corners
        for i in belt.wheels:
            _, y, z = view.model.node_position(f"wheel{i + 1}")
            below = positions[np.argmin(np.hypot(positions[:, 0] - y, positions[:, 1]))]
            at_end = i in (belt.wheels[0], belt.wheels[-1])  # where the track leaves the ground
            assert below[1] == pytest.approx(RESTING_HEIGHT, abs=0.02 if at_end else 1e-4)
            assert at_end or abs(below[2]) < 1e-3
            assert (
                np.hypot(positions[:, 0] - y, positions[:, 1] - z).min() > 0.8 * belt._under
            )  # no link inside a wheel


def test_links_follow_a_rising_wheel(view):
    belt = view.belts[0]
    before = links(view)
    frame = standing_frame(view)
    wheel = belt.wheels[1]
    frame.wheel_position[wheel, 2] += 0.08
    view.update(frame)
    after, y = links(view), float(view.model.node_position(f"wheel{wheel + 1}")[1])

    def nearest_below(poses):
        """The link of the lower run, below 0.25 m, that is nearest to the wheel's y."""
        return poses[poses[:, 1] < 0.25][np.argmin(np.abs(poses[poses[:, 1] < 0.25][:, 0] - y))]

    assert nearest_below(after)[1] - nearest_below(before)[1] == pytest.approx(0.08, abs=0.01)
    other = float(view.model.node_position(f"wheel{belt.wheels[-1] + 1}")[1])
    low = after[np.argmin(np.hypot(after[:, 0] - other, after[:, 1]))]
    assert low[1] == pytest.approx(RESTING_HEIGHT, abs=0.02)


def test_the_lower_run_does_not_slide_on_the_ground(view):
    belt = view.belts[1]
    step, radius = 0.02, belt.radius
    start = links(view, 1)
    for k in range(1, 3):
        view.update(standing_frame(view, spin=k * step / radius))
    low = start[:, 1] < 0.06
    shift = links(view, 1)[:, 0] - start[:, 0]
    inner = low & (np.abs(start[:, 0] - np.median(start[low, 0])) < 0.3)  # within 0.3 m of the run's middle
    assert inner.sum() >= 3 and shift[inner] == pytest.approx(np.full(inner.sum(), -2 * step), abs=0.004)
    turns = [path.getQuat() for path, _ in belt.turning]
    for turn, (_, r) in zip(turns, belt.turning, strict=True):
        assert 2.0 * math.asin(turn.getI()) == pytest.approx(-2 * step / r, rel=1e-3)


def test_the_track_looks_the_same_after_one_pitch(view):
    belt = view.belts[0]
    start = links(view)
    parts = 8
    for k in range(1, parts + 1):
        view.update(standing_frame(view, spin=-k * belt.pitch / parts / belt.radius))
    distances = np.linalg.norm(links(view)[:, None, :2] - start[None, :, :2], axis=2).min(axis=1)
    assert distances.max() < 1e-6


def test_each_track_follows_its_own_wheels(view):
    left, right = view.belts
    frame = standing_frame(view)
    for i in left.wheels:
        frame.wheel_orientation[i] = multiply(frame.hub_orientation[i], axis_turn(0, -0.05))
    view.update(frame)
    assert left.travel == pytest.approx(0.05 * left.radius, rel=1e-6) and right.travel == 0.0


@pytest.mark.parametrize("angle", [-2.0, -0.3, 0.0, 1.2, 3.0])
def test_the_rolling_angle_is_the_rotation_of_a_wheel_relative_to_its_hub(angle):
    hub = multiply(axis_turn(2, 0.7), axis_turn(1, 0.2))
    assert rolling_angle(multiply(hub, axis_turn(0, -angle)).tolist(), hub.tolist()) == pytest.approx(angle)
