"""Images rendered offscreen: sky, ground, shadow, and the car's moving parts and lamps."""

import math

import numpy as np
import pytest
from view_rig import ROADSTER, grab, grass_world, link_ends, standing_frame

from driving_sandbox.game.platform.window import pick_quality, screenshot
from driving_sandbox.game.session.frame import WorldView
from driving_sandbox.game.view.cameras.camera import apply_view
from driving_sandbox.game.view.cameras.view import View
from driving_sandbox.game.view.scene import Scene
from driving_sandbox.physics.base.user_error import WrongValue

pytestmark = pytest.mark.drawn
WINDOW_SIZE = (320, 180)


@pytest.fixture(scope="module")
def meadow(base):
    """A meadow with a red car."""
    scene = Scene(base, grass_world(), "low")
    scene.add_vehicle(ROADSTER, (0.5, 0.02, 0.02))
    yield scene
    scene.close()


def draw(base, scene, frame, position, target=(0.0, 0.0, 0.6), fov_deg=40.0) -> np.ndarray:
    """The image with all vehicles in the state of a frame, from a position towards a target (m)."""
    for vehicle in scene.vehicles:
        vehicle.update(frame)
    view = View(np.array(position, float), np.array(target, float), math.radians(fov_deg))
    apply_view(base, view)
    scene.update(view.position)
    base.taskMgr.step()
    base.taskMgr.step()
    return grab(base)


def test_the_frame_shows_sky_ground_and_car(base, meadow):
    frame = standing_frame(meadow.vehicles[0])
    image = draw(base, meadow, frame, (-4.2, 5.0, 1.2))
    sky, ground = image[:10].mean(axis=(0, 1)), image[-10:].mean(axis=(0, 1))
    assert sky[2] > sky[0] and sky.mean() > 0.35  # blue and bright
    assert ground[1] > ground[2] * 1.2 and ground.mean() < 0.45  # grass: more green than blue, matte
    middle = image[70:115, 110:210].reshape(-1, 3)  # the pixels of the middle, where the car is
    red = (middle[:, 0] > 1.7 * middle[:, 1]) & (middle[:, 0] > 1.7 * middle[:, 2])
    assert red.mean() > 0.2
    meadow.vehicles[0].root.hide()
    empty = draw(base, meadow, frame, (-4.2, 5.0, 1.2))[70:115, 110:210].reshape(-1, 3)
    meadow.vehicles[0].root.show()
    assert ((empty[:, 0] > 1.7 * empty[:, 1]) & (empty[:, 0] > 1.7 * empty[:, 2])).mean() < 0.01


def test_the_car_casts_a_shadow_away_from_the_sun(base, meadow):
    frame = standing_frame(meadow.vehicles[0])
    sun = meadow.sky.sun_direction
    shaded = np.array([-sun[0], -sun[1]]) / np.hypot(sun[0], sun[1]) * 2.1  # m, from the car's origin
    lit = -shaded
    brightness = {}
    for name, spot in (("shaded", shaded), ("lit", lit)):
        image = draw(base, meadow, frame, (*spot, 30.0), (spot[0], spot[1] + 0.01, 0.0), fov_deg=2.0)
        brightness[name] = image[80:100, 150:170].mean()  # around the spot, which is in the middle
    assert brightness["shaded"] < 0.72 * brightness["lit"]


def test_brake_light_glows(base, meadow):
    frame = standing_frame(meadow.vehicles[0])
    images = []
    for brake in (0.0, 1.0):
        frame.brake = brake
        images.append(draw(base, meadow, frame, (0.0, -6.0, 1.0), (0, 0, 0.6)))
    change = (images[1] - images[0])[..., 0]
    assert change.max() > 0.2
    assert (images[1] - images[0])[:20].max() < 0.02  # the sky is unchanged


def test_links_stay_attached_while_wheels_move(base, meadow):
    view = meadow.vehicles[0]
    assert len(view.gear.links) >= 4
    for lift, steer, pitch in ((0.0, 0.0, 0.0), (0.08, 0.5, 0.1), (-0.11, -0.4, 0.4), (0.03, 0.2, 3.0)):
        frame = standing_frame(view, (10.0, -7.0, 2.0), yaw=1.1, lift=lift, steer=steer, spin=0.7, pitch=pitch)
        view.update(frame)
        body = view.body.getMat(meadow.root)
        for index, (wheel, link, _, _, on_hub) in enumerate(view.gear.links):
            hull_end, wheel_end = link_ends(view.gear, index)
            assert np.allclose(hull_end, np.array(body.xformPoint(link.hull_rest)), atol=1e-3)
            hub = view.brakes[wheel].getMat(meadow.root)
            assert np.allclose(wheel_end, np.array(hub.xformPoint(on_hub)), atol=1e-3)


def test_brakes_steer_but_do_not_spin(base, meadow):
    view = meadow.vehicles[0]
    view.update(standing_frame(view, steer=0.3, spin=0.0))
    wheel_before, brake_before = view.wheels[0].getQuat(), view.brakes[0].getQuat()
    view.update(standing_frame(view, steer=0.3, spin=1.0))
    assert view.brakes[0].getQuat().almostSameDirection(brake_before, 1e-5)
    assert not view.wheels[0].getQuat().almostSameDirection(wheel_before, 1e-2)
    axle = view.brakes[0].getQuat().xform((1, 0, 0))  # +0.3 rad is to the left: the axle's right end moves forward
    assert axle[1] == pytest.approx(math.sin(0.3), abs=1e-5)


def test_steering_wheel_turns_clockwise_for_a_right_turn(base, meadow):
    view = meadow.vehicles[0]
    wheel = view.body.find("**/steering_wheel")
    assert not wheel.isEmpty()
    tops = []
    for command in (0.0, 0.2):  # 0.2: to the right
        frame = standing_frame(view)
        frame.steer_command = command
        view.update(frame)
        tops.append(wheel.getQuat(view.body).xform((0, 0, 1)))
    straight, turned = tops
    assert turned.x > straight.x + 0.2  # its top moves right, seen from the seat


def test_proxy_hull_is_never_drawn(meadow):
    assert meadow.vehicles[0].root.find("**/hullproxy1").isEmpty()


def test_the_endless_plane_is_drawn_far_from_the_origin(base, meadow):
    meadow.root.hide()
    scene = Scene(base, WorldView(plane_height=2.0), "low")
    try:
        image = draw(base, scene, None, (7310.0, -9120.0, 3.5), (7310.0, -9100.0, 2.5))
        below, above = image[-40:].mean(axis=(0, 1)), image[:40].mean(axis=(0, 1))
        assert below.mean() < 0.45 < above[2]
    finally:
        scene.close()
        meadow.root.show()


def test_high_quality_shows_the_same_scene(base, meadow):
    frame = standing_frame(meadow.vehicles[0])
    low = draw(base, meadow, frame, (-4.2, 5.0, 1.2))
    meadow.root.hide()
    scene = Scene(base, grass_world(), "high")
    try:
        scene.add_vehicle(ROADSTER, (0.5, 0.02, 0.02))
        high = draw(base, scene, frame, (-4.2, 5.0, 1.2))
        assert np.abs(high.mean(axis=2) - low.mean(axis=2)).mean() < 0.08
        # no black pixels of invalid shading in the grass at the lower right
        assert (high[100:, 265:].max(axis=2) > 0.02).all()
    finally:
        scene.close()
        meadow.root.show()


def test_screenshot_has_no_alpha(base, meadow, tmp_path):
    from panda3d.core import PNMImage

    draw(base, meadow, standing_frame(meadow.vehicles[0]), (-4.2, 5.0, 1.2))
    screenshot(base, tmp_path / "picture.png")
    image = PNMImage(str(tmp_path / "picture.png"))
    assert (image.getXSize(), image.getYSize(), image.hasAlpha()) == (*WINDOW_SIZE, False)
    with pytest.raises(OSError, match="could not be written"):
        screenshot(base, tmp_path / "missing" / "picture.png")


def test_an_unknown_quality_and_a_missing_model_are_errors(base, meadow, tmp_path):
    with pytest.raises(ValueError, match="quality 'best'"):
        Scene(base, grass_world(), "best")
    with pytest.raises(WrongValue, match="no such model file"):
        meadow.add_vehicle(tmp_path / "none.glb")
    assert pick_quality(base) in ("low", "high")


def test_updates_leave_the_state_of_the_root_node_unchanged(base, meadow):
    """With a changed state Panda3D would compose the states of all nodes again in every frame."""
    view = meadow.vehicles[0]
    state = meadow.root.getState()
    for step in range(3):
        frame = standing_frame(view, (0.5 * step, 0.0, 0.0))
        view.update(frame)
        meadow.update(np.array([0.5 * step, -6.0, 2.0]))
        assert meadow.root.getState() == state
