"""Nodes of a vehicle at rest are not updated every frame, but small motions are drawn."""

import numpy as np
import pytest
from view_rig import SceneWithoutWindow, link_ends, standing_frame

from driving_sandbox.assets.build.vehicles import MODELS
from driving_sandbox.game.view.vehicle.vehicle import OTHERS_FAR, UNSEEN, VehicleView


@pytest.fixture
def view():
    """A roadster at rest at the origin."""
    view = VehicleView(SceneWithoutWindow("low"), MODELS / "roadster.glb")  # low: its parts are nodes at all distances
    view.update(standing_frame(view))
    return view


def transforms(view):
    """{name: matrix} of the body, the first wheel, a spring and the steering wheel."""
    _, _, spring, *_ = view.gear.links[0]
    paths = {"body": view.body, "wheel": view.wheels[0], "spring": spring, "steering wheel": view._steering}
    return {name: np.array(path.getMat()) for name, path in paths.items()}


def test_nodes_at_rest_are_not_updated(view):
    before = transforms(view)
    view.wheels[0].setX(9.0)  # an update would overwrite it
    view.update(standing_frame(view, (0.5 * UNSEEN, 0.0, 0.0)))
    assert view.wheels[0].getX() == 9.0
    view.update(standing_frame(view, (2.0 * UNSEEN, 0.0, 0.0)))
    assert transforms(view)["wheel"] == pytest.approx(before["wheel"], abs=4.0 * UNSEEN)  # back in its place


@pytest.mark.parametrize(("change", "moved"), [
    ({"yaw": 0.001}, ["body", "wheel"]), ({"spin": 0.001}, ["wheel"]), ({"lift": 0.001}, ["wheel", "spring"]),
    ({"steer": 0.001}, ["wheel"]),
])  # fmt: skip
def test_small_motions_are_drawn(view, change, moved):
    before = transforms(view)
    view.update(standing_frame(view, **change))
    after = transforms(view)
    for name in moved:
        assert np.abs(after[name] - before[name]).max() > 1e-4, name


def test_the_steering_wheel_turns_at_standstill(view):
    before, frame = transforms(view), standing_frame(view)
    frame.steer_command = 0.1
    view.update(frame)
    assert np.abs(transforms(view)["steering wheel"] - before["steering wheel"]).max() > 0.01


def test_springs_dropped_at_distance_have_their_pose_when_drawn_again(view):
    view.seen_from((0.0, -2.0 * OTHERS_FAR, 0.0), watched=False)
    assert view.far
    frame = standing_frame(view, (5.0, 0.0, 0.0), lift=0.05)
    view.update(frame)
    view.update(frame)
    view.seen_from((5.0, -1.0, 1.0), watched=False)
    assert not view.far
    view.update(frame)
    _, wheel = link_ends(view.gear, 0)
    other = VehicleView(SceneWithoutWindow(), MODELS / "roadster.glb")
    other.update(frame)
    _, expected = link_ends(other.gear, 0)
    assert wheel == pytest.approx(expected, abs=1e-4)


def test_hands_are_posed_when_the_camera_enters(view):
    frame = standing_frame(view)
    view.update(frame)
    eye = view.model.node_position("eye_pos")
    view.seen_from(tuple(eye))
    assert view.hands.shown
    calls = []
    view.hands.follow = lambda *a: calls.append(a)
    view.update(frame)
    assert len(calls) == 1
