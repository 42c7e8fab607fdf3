"""Mirrors show the view behind and the vehicle's flanks, for the cockpit camera only."""

import math

import numpy as np
import pytest
from view_rig import ROADSTER, grab, standing_frame

from driving_sandbox.game.session.frame import WorldView
from driving_sandbox.game.view.cameras.camera import apply_view
from driving_sandbox.game.view.cameras.view import View
from driving_sandbox.game.view.scene import Scene

pytestmark = pytest.mark.drawn
WINDOW_SIZE = (320, 180)
SEAT, OUTSIDE = np.array([-0.36, -0.45, 1.05]), np.array([-3.5, -4.0, 1.5])  # m, positions of the camera


def rendered(base, scene, eye, target):
    """Pixels of the scene from `eye` towards `target`, m."""
    apply_view(base, View(eye, target, math.radians(72.0)))
    for _ in range(3):
        scene.update(eye)
        base.taskMgr.step()
    return grab(base)


@pytest.mark.parametrize("yaw", [0.0, 2.0])
def test_a_car_behind_is_visible_in_the_door_mirror(base, yaw):
    scene = Scene(base, WorldView(plane_height=0.0), "medium")
    try:
        own, other = scene.add_vehicle(ROADSTER, (0.5, 0.02, 0.02)), scene.add_vehicle(ROADSTER, (0.9, 0.9, 0.9))
        rotation = np.array(
            [[math.cos(yaw), -math.sin(yaw), 0.0], [math.sin(yaw), math.cos(yaw), 0.0], [0.0, 0.0, 1.0]]
        )
        own.update(standing_frame(own, yaw=yaw))
        images = []
        for back in (60.0, 9.0):  # m behind the driven car
            other.update(standing_frame(other, rotation @ (-2.6, -back, 0.0), yaw=yaw))
            images.append(rendered(base, scene, rotation @ SEAT, rotation @ (SEAT + (-2.0, 10.0, -1.5))))
        changed = np.abs(images[1] - images[0]).max(axis=2) > 0.06
        assert changed.sum() > 30
        rows, columns = np.nonzero(changed)
        assert columns.max() < 110 and rows.min() > 60  # only in the left mirror
    finally:
        scene.close()


def test_outside_cameras_draw_no_mirrors(base):
    scene = Scene(base, WorldView(plane_height=0.0), "medium")
    try:
        own = scene.add_vehicle(ROADSTER, (0.5, 0.02, 0.02))
        own.update(standing_frame(own))
        for eye, active in ((SEAT, True), (OUTSIDE, False), (SEAT, True)):
            rendered(base, scene, eye, np.array([0.0, 10.0, 1.0]))
            assert scene._mirrors.rear.buffer.isActive() == active
        scene.set_quality("low")
        assert scene._mirrors.rear is None
        rendered(base, scene, SEAT, np.array([0.0, 10.0, 1.0]))
    finally:
        scene.close()


@pytest.mark.parametrize("quality", ["low", "medium"])
def test_each_door_mirror_shows_its_flank_on_the_inner_side(base, quality):
    scene = Scene(base, WorldView(plane_height=0.0), quality)
    try:
        own = scene.add_vehicle(ROADSTER, (0.5, 0.02, 0.02))
        own.update(standing_frame(own))
        apply_view(base, View(SEAT, np.array([0.0, 10.0, 1.0]), math.radians(72.0)))
        flanks = scene._mirrors.flanks
        for _ in range(2 * flanks._period + 1):  # at low quality the sides are drawn in turns
            scene.update(SEAT)
            base.graphicsEngine.renderFrame()
            base.graphicsEngine.extractTextureData(flanks.texture, base.win.getGsg())
            size = flanks.texture.getYSize(), flanks.texture.getXSize()
            is_flank = np.frombuffer(bytes(flanks.texture.getRamImageAs("A")), np.uint8).reshape(size) > 128
            # halves of the left mirror, then of the right one; not yet mirrored, as seen by cameras that look back
            quarters = np.split(is_flank, 4, axis=1)
            shares = [float(each.mean()) for each in quarters]
            assert shares[0] > 0.3 and shares[3] > 0.3
            assert shares[1] < 0.05 and shares[2] < 0.05
    finally:
        scene.close()


def test_a_mirror_at_low_quality_is_brighter_at_its_top(base):
    """It shows sky above the ground."""
    scene = Scene(base, WorldView(plane_height=0.0), "low")
    try:
        own = scene.add_vehicle(ROADSTER, (0.5, 0.02, 0.02))
        own.update(standing_frame(own))
        target = np.array(own.mirror_positions[0])
        image = rendered(base, scene, SEAT, target)
        for each in own.mirrors:
            each.hide()
        glass = np.abs(rendered(base, scene, SEAT, target) - image).max(axis=2) > 0.03
        rows = np.nonzero(glass.any(axis=1))[0]
        assert len(rows) > 10
        upper, lower = (image[part][glass[part]].mean() for part in (rows[1:4], rows[-6:-3]))
        assert upper > lower + 0.07
    finally:
        scene.close()
