"""Light beams of lamps on the ground at dusk, none by day; which vehicles have them."""

import math
from dataclasses import replace

import numpy as np
import pytest
from panda3d.core import NodePath
from view_rig import ROADSTER, grab, grass_world, standing_frame

from driving_sandbox.game.view.cameras.camera import apply_view
from driving_sandbox.game.view.cameras.view import View
from driving_sandbox.game.view.scene import Scene
from driving_sandbox.game.view.vehicle.beams import DIP, FRONT_OFFSET, STRENGTH, Beams
from driving_sandbox.game.view.vehicle.lamps import FLASHES, LEFT
from driving_sandbox.game.view.vehicle.model import load_model

pytestmark = pytest.mark.drawn
WINDOW_SIZE = (240, 135)


def brightness(base, scene, view, target, eye):
    """[with headlamps off, on] mean brightness of the middle of the image, the ground around a target, m."""
    means = []
    for on in (False, True):
        view.lamps.head = on
        view.update(view.frame)
        apply_view(base, View(np.array(eye, float), np.array(target, float), math.radians(20.0)))
        scene.update(np.array(eye, float))
        base.taskMgr.step()
        base.taskMgr.step()
        means.append(grab(base)[40:95, 80:160].mean())
    return means


@pytest.mark.parametrize("daytime,lit", [("dusk", True), ("afternoon", False)])
def test_the_ground_ahead_is_lit_at_dusk_only(base, daytime, lit):
    scene = Scene(base, grass_world(), "low", daytime)
    try:
        view = scene.add_vehicle(ROADSTER)
        assert view.lamps.head == lit  # automatic in the dark
        view.update(standing_frame(view))
        off, on = brightness(base, scene, view, (0.0, 9.0, 0.0), (0.0, 8.9, 14.0))
        assert on > 1.3 * off if lit else on == pytest.approx(off, abs=1e-3)
        off, on = brightness(base, scene, view, (0.0, -9.0, 0.0), (0.0, -9.1, 14.0))
        assert on == pytest.approx(off, abs=2e-3)  # nothing behind
    finally:
        scene.close()


def colours_behind(base, scene, view, time=0.0, **lamps):
    """Mean RGB, 0 to 1, of the ground behind the left and the right half of the vehicle.

    lamps: brake (0 to 1), reverse (bool), turn (direction of the indicators).
    """
    frame = standing_frame(view)
    frame.brake, frame.reverse = lamps.get("brake", 0.0), lamps.get("reverse", False)
    view.lamps.turn = lamps.get("turn", 0)
    view.update(frame)
    eye = np.array([0.0, -3.1, 14.0])
    apply_view(base, View(eye, np.array([0.0, -3.0, 0.0]), math.radians(12.0)))
    for _ in range(2):
        scene.update(eye, time)
        base.taskMgr.step()
    image = grab(base)  # the vehicle's middle plane is at column 120
    return image[40:95, 80:118].mean(axis=(0, 1)), image[40:95, 122:160].mean(axis=(0, 1))


def test_rear_lamps_light_the_ground_in_their_colours(base):
    scene = Scene(base, replace(grass_world(), surface_names=["concrete"]), "medium", "dusk")
    try:
        view = scene.add_vehicle(ROADSTER)
        dark = colours_behind(base, scene, view)
        for before, now in zip(dark, colours_behind(base, scene, view, brake=1.0), strict=True):
            assert now[0] > before[0] + 0.05 and now[2] < before[2] + 0.02
        for before, now in zip(dark, colours_behind(base, scene, view, reverse=True), strict=True):
            assert (now > before + 0.05).all()
        left, right = np.subtract(colours_behind(base, scene, view, turn=LEFT), dark)
        assert left[0] > right[0] + 0.03  # red
        between = colours_behind(base, scene, view, time=0.75 / FLASHES, turn=LEFT)
        assert np.allclose(between, dark, atol=0.01)
    finally:
        scene.close()


class VehicleWithLamps:
    """The part of VehicleView that beams use: a vehicle at y with headlamps on or off."""

    def __init__(self, y, head=True):
        self.lamps = type("Lamps", (), {"on": {"head": head}})
        self.model = type("Model", (), {"head_lamp": np.array([0.6, 1.8, 0.6]), "rear_lamp": None})
        self.frame = type("Frame", (), {"body_position": np.array([0.0, y, 0.0]),
                                        "body_orientation": np.array([0.0, 0.0, 0.0, 1.0])})  # fmt: skip


def test_marker_lamps_have_no_beam():
    """A trailer's white lamps at its upper corners are no headlamps."""
    models = ROADSTER.parent
    assert load_model(models / "semi_trailer.glb").head_lamp is None
    assert load_model(models / "tractor.glb").head_lamp[2] < 1.5


def test_the_nearest_vehicles_with_lamps_on_have_beams():
    beams = Beams(NodePath("root"), 2)
    beams.follow(
        [VehicleWithLamps(50.0), VehicleWithLamps(10.0), VehicleWithLamps(5.0, head=False), VehicleWithLamps(20.0)],
        (0.0, 0.0, 0.0),
    )
    data = np.array([tuple(beams._data.getElement(k)) for k in range(4)])  # per beam: origin, strength; direction
    assert data[::2, 1] == pytest.approx([10.0 + 1.8 + FRONT_OFFSET, 20.0 + 1.8 + FRONT_OFFSET], abs=1e-4)
    assert data[::2, 3] == pytest.approx([STRENGTH, STRENGTH])
    assert data[1, :3] == pytest.approx((0.0, 1.0, -DIP), abs=1e-6)
    beams.follow([VehicleWithLamps(50.0)], (0.0, 0.0, 0.0))
    assert beams._data.getElement(2)[3] == 0.0


def test_beams_fade_out_except_those_of_the_watched_vehicle():
    # strengths: of the second beam, relative; negative while it belongs to the vehicle that moves away
    beams, eye, watched, strengths = Beams(NodePath("root"), 2), (0.0, 0.0, 0.0), VehicleWithLamps(30.0), []
    for y in np.arange(10.0, 40.0, 0.25):  # m; passes the vehicle at 20 m, which is then the nearer one
        beams.follow([VehicleWithLamps(20.0), VehicleWithLamps(y), watched], eye, watched)
        data = np.array([tuple(beams._data.getElement(k)) for k in range(4)])
        assert data[0, 1] == pytest.approx(30.0 + 1.8 + FRONT_OFFSET) and data[0, 3] == pytest.approx(STRENGTH)
        strengths.append(
            (data[2, 3] if data[2, 1] == pytest.approx(20.0 + 1.8 + FRONT_OFFSET) else -data[2, 3]) / STRENGTH
        )
    assert strengths[0] == pytest.approx(-1.0) and strengths[-1] == pytest.approx(1.0)
    assert np.abs(np.diff(strengths)).max() < 0.12
