"""The driver's hands: on the rim up to a limit of the wheel's angle, drawn for the cockpit camera and near ones."""

import math

import numpy as np
import pytest
from panda3d.core import LQuaternionf, LVecBase3f, NodePath

from driving_sandbox.assets.build.vehicles import MODELS, NAMES
from driving_sandbox.game.view.light.shadow import STATIC_MASK, VEHICLE_MASK
from driving_sandbox.game.view.vehicle.hands import MAX_TURN, NEAR, Hands, wheel_turn
from driving_sandbox.game.view.vehicle.model import load_model

DRIVEN = [name for name in NAMES if "trailer" not in name]


class ModelHands:
    """Hands of a model, and the steering wheel's pose at rest."""

    def __init__(self, name):
        self.model, self.body = load_model(MODELS / f"{name}.glb"), NodePath("body")
        for part in self.model.parts.values():
            if part.name.startswith(("forearm", "driver")) and part.opaque:
                self.body.attachNewNode(part.opaque).setMat(part.rest)
        self.hands = Hands(self.body, self.model)
        self.rest = LQuaternionf()
        self.rest.setFromMatrix(self.model.parts["steering_wheel"].rest.getUpper3())
        self.centre = LVecBase3f(*self.model.node_position("steering_wheel"))
        self.wheel = self.body.attachNewNode("steering_wheel")
        self.wheel.setPos(self.centre)

    def positions(self, angle):
        """[left, right] positions of the hands in the frame of the wheel at rest, for a wheel angle in rad."""
        self.hands.hold(self.centre, self.rest, angle)
        back = self.rest.conjugate()
        return [np.array(back.xform(path.getPos() - self.centre)) for path, *_ in self.hands.arms]


@pytest.mark.parametrize("name", DRIVEN)
def test_the_models_hands_are_on_their_wheels(name):
    """The poses in the file equal those of `hold` at rest; left and right are mirrored, elbows behind the hands."""
    model_hands = ModelHands(name)
    matrices = [np.array(path.getMat()) for path, *_ in model_hands.hands.arms]
    left, right = model_hands.positions(0.0)
    assert len(matrices) == 2 and left == pytest.approx(right * [-1, 1, 1], abs=1e-4)
    assert left[0] < 0.0 < left[2]
    for (path, elbow, *_), mat in zip(model_hands.hands.arms, matrices, strict=True):
        assert np.array(path.getMat()) == pytest.approx(mat, abs=2e-4)
        x, y, z = path.getRelativePoint(model_hands.body, elbow)
        assert (x, z) == pytest.approx((0.0, 0.0), abs=1e-4) and -0.6 < y < -0.25


def test_hands_turn_with_the_rim_up_to_a_limit():
    model_hands = ModelHands("hatchback")
    rest = model_hands.positions(0.0)
    radius = float(np.hypot(*rest[0][[0, 2]]))
    assert 0.14 < radius < 0.19
    for angle in (-3.0, -1.0, 0.4, MAX_TURN, 2.5):
        hand_angle = min(max(angle, -MAX_TURN), MAX_TURN)
        c, s = math.cos(hand_angle), math.sin(hand_angle)
        for now, before in zip(model_hands.positions(angle), rest, strict=True):
            x, y, z = before
            assert now == pytest.approx([c * x + s * z, y, c * z - s * x], abs=1e-5)  # clockwise for its driver
        for path, *_ in model_hands.hands.arms:
            rows = np.array(path.getMat())[:3, :3]
            assert rows @ rows.T == pytest.approx(np.eye(3), abs=1e-5) and np.linalg.det(rows) > 0.0


def test_hands_follow_a_moved_steering_wheel():
    model_hands = ModelHands("truck")
    before = model_hands.positions(0.3)
    model_hands.centre = model_hands.centre + LVecBase3f(0.0, 0.05, 0.02)
    assert np.array(model_hands.positions(0.3)) == pytest.approx(np.array(before), abs=1e-5)


def test_the_tanks_hands_are_drawn_for_the_cockpit_camera_only():
    model_hands = ModelHands("tank")
    eye = model_hands.model.node_position("eye_pos")
    arms = [path for path, *_ in model_hands.hands.arms]
    assert all(path.isStashed() for path in arms)
    model_hands.hands.see(eye + [0.1, -0.1, 0.1])
    assert model_hands.hands.own and not any(path.isStashed() for path in arms)
    assert all(path.isHidden(STATIC_MASK) and path.isHidden(VEHICLE_MASK) for path in arms)  # and cast no shadow
    model_hands.hands.see(eye + [0.0, -1.0, 0.5])
    assert not model_hands.hands.own and all(path.isStashed() for path in arms)


def test_from_outside_near_forearms_turn_with_the_wheel_and_far_ones_are_static():
    model_hands = ModelHands("roadster")
    eye, (left, right) = model_hands.model.node_position("eye_pos"), [path for path, *_ in model_hands.hands.arms]
    figure = model_hands.body.find("driver").node()

    def face_count():
        return figure.getGeom(0).getPrimitive(0).getNumFaces()

    with_arms = face_count()
    model_hands.hands.follow(model_hands.wheel, model_hands.rest, 0.0)
    model_hands.hands.see(eye + [0.0, -6.0, 1.0])
    assert (
        not model_hands.hands.own and not left.isStashed() and not right.isStashed() and face_count() < with_arms - 100
    )
    before = left.getPos()
    model_hands.hands.follow(model_hands.wheel, model_hands.rest, 0.8)
    assert (left.getPos() - before).length() > 0.08
    model_hands.hands.see(eye + [0.0, -6.0, 1.0], still=True)
    assert left.isStashed() and face_count() == with_arms
    model_hands.hands.see(eye + [0.0, -1.2 * NEAR, 1.0])
    assert left.isStashed() and face_count() == with_arms
    model_hands.hands.follow(model_hands.wheel, model_hands.rest, -0.8)
    model_hands.hands.see(eye)
    position = np.array(left.getPos())
    left_hand, _ = model_hands.positions(-0.8)
    assert position == pytest.approx(left_hand @ _rows(model_hands.rest) + np.array(model_hands.centre), abs=1e-4)


def _rows(turn):
    """The three axes, each turned by the given rotation."""
    return np.array([turn.xform(LVecBase3f(*axis)) for axis in np.eye(3)])


def test_the_top_of_a_wheel_turned_right_moves_right():
    assert wheel_turn(0.5).xform(LVecBase3f(0.0, 0.0, 1.0)).x == pytest.approx(math.sin(0.5))
