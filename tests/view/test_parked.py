"""Nodes of a vehicle at rest are not updated every frame, but small motions are drawn."""

import numpy as np
import pytest
from view_rig import NoScene, link_ends, standing_frame

from driving_sandbox.assets.build.vehicles import MODELS
from driving_sandbox.game.view.vehicle.vehicle import OTHERS_FAR, UNSEEN, VehicleView


@pytest.fixture
def view():
    """A roadster at rest at the origin."""
    view = VehicleView(NoScene("low"), MODELS / "roadster.glb")  # low: its parts are nodes at all distances
    view.update(standing_frame(view))
    return view


def transforms(view):
    """Matrices of body, first wheel, a spring and the steering wheel."""
    spring = view.gear.links[0][2]
    return [np.array(path.getMat()) for path in (view.body, view.wheels[0], spring, view._steering)]


def test_nodes_at_rest_are_not_updated(view):
    before = transforms(view)
    view.wheels[0].setX(9.0)  # an update would overwrite it
    view.update(standing_frame(view, (0.5 * UNSEEN, 0.0, 0.0)))
    assert view.wheels[0].getX() == 9.0
    view.update(standing_frame(view, (2.0 * UNSEEN, 0.0, 0.0)))
    assert transforms(view)[1] == pytest.approx(before[1], abs=4.0 * UNSEEN)  # the wheel is back in its place


@pytest.mark.parametrize(("change", "moved"), [  # moved: indices in `transforms`
    ({"yaw": 0.001}, [0, 1]), ({"spin": 0.001}, [1]), ({"lift": 0.001}, [1, 2]), ({"steer": 0.001}, [1]),
])  # fmt: skip
def test_small_motions_are_drawn(view, change, moved):
    before = transforms(view)
    view.update(standing_frame(view, **change))
    after = transforms(view)
    for k in moved:
        assert np.abs(after[k] - before[k]).max() > 1e-4, k


def test_the_steering_wheel_turns_at_standstill(view):
    before, frame = transforms(view)[3], standing_frame(view)
    frame.steer_command = 0.1
    view.update(frame)
    assert np.abs(transforms(view)[3] - before).max() > 0.01


def test_springs_dropped_at_distance_have_their_pose_when_drawn_again(view):
    view.seen_from((0.0, -2.0 * OTHERS_FAR, 0.0), watched=False)
    assert view.far
    frame = standing_frame(view, (5.0, 0.0, 0.0), lift=0.05)
    view.update(frame)
    view.update(frame)
    view.seen_from((5.0, -1.0, 1.0), watched=False)
    assert not view.far
    view.update(frame)
    hull, wheel = link_ends(view.gear, 0)
    other = VehicleView(NoScene(), MODELS / "roadster.glb")
    other.update(frame)
    assert wheel == pytest.approx(link_ends(other.gear, 0)[1], abs=1e-4)


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
