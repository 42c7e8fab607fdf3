"""The comparison of images detects visible defects: each test breaks one thing in a view that otherwise passes."""

import copy
import math

import numpy as np
import pytest
from panda3d.core import BitMask32

from driving_sandbox.docs.build.fixed_views import SCREEN, SIDES, VehicleStudio, pixels
from driving_sandbox.docs.build.photographer import Photographer
from driving_sandbox.docs.build.picture_difference import difference
from driving_sandbox.game.platform.window import NoDisplay

pytestmark = pytest.mark.drawn


@pytest.fixture(scope="module")
def studios():
    """A function that returns what one of MAKERS makes, and closes another one before, as only one may be open."""
    opened = {}

    def close():
        for studio in opened.values():
            studio.close()
        opened.clear()

    def get(name):
        if name not in opened:
            close()
            try:
                opened[name] = MAKERS[name]()
            except NoDisplay as error:
                pytest.skip(str(error))
        return opened[name]

    yield get
    close()


def studio_at(daytime):
    """A studio with the roadster at a time of day, seen from its left."""
    studio = VehicleStudio(daytime=daytime)
    studio.stand("roadster")
    studio.look(*SIDES["left"])  # the first frame has no distant shadows
    return studio


def standing_on_the_plane():
    """The program's screen, paused, with a roadster that stands on the plane."""
    photographer = Photographer("roadster", "plane", SCREEN, "low")
    photographer.close = photographer.app.shut_down
    photographer.settle(1.0)
    photographer.app.session.paused = True
    return photographer


MAKERS = {"afternoon": lambda: studio_at("afternoon"), "dusk": lambda: studio_at("dusk"),
          "screen": standing_on_the_plane}  # fmt: skip


def image_of(studio, side):
    """Pixels of the vehicle from a side, one of SIDES."""
    studio.look(*SIDES[side])
    return pixels(studio.base)


def redrawn(studio):
    """Pixels of the same view, drawn again."""
    studio.draw(studio.view)
    return pixels(studio.base)


# ---- defects: each function introduces one and returns a function that removes it


def hide(path):
    path.hide(BitMask32.allOn())
    return lambda: path.show(BitMask32.allOn())


def move(studio, metres):
    """Move the drawn vehicle forward."""
    view, frame = studio.views[0], studio.views[0].frame
    x, y, z, w = frame.body_orientation
    heading = math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
    shift = metres * np.array([-math.sin(heading), math.cos(heading), 0.0])
    shifted = copy.copy(frame)
    shifted.body_position, shifted.wheel_position = frame.body_position + shift, frame.wheel_position + shift
    view.update(shifted)
    return lambda: view.update(frame)


def paint(studio, colour):
    studio.views[0].set_paint(colour)
    return lambda: studio.views[0].set_paint(studio.session.vehicle.paint)


def remove_wheel(studio, number):
    """Remove a wheel from the batched mesh of the running gear."""
    gear = studio.views[0].gear

    def draw(show):
        show()
        gear.batched.renew()

    draw(gear.wheels[number].hide)
    return lambda: draw(gear.wheels[number].show)


BY_DAY = {
    "wheel": ("left", lambda s: remove_wheel(s, 0)),
    "far wheel": ("front", lambda s: remove_wheel(s, 1)),
    "driver": ("left", lambda s: hide(s.views[0].driver)),
    "car": ("rear", lambda s: hide(s.views[0].root)),
    "sky": ("left", lambda s: hide(s.scene.sky.root)),
    "trees and ramps": ("front", lambda s: hide(s.scene.meshes)),
    "moved": ("left", lambda s: move(s, 0.3)),
    "moved, from the front": ("front", lambda s: move(s, 0.3)),
    "texture": ("right", lambda s: remove_detail(s)),
    "paint": ("right", lambda s: paint(s, (0.50, 0.12, 0.02))),
}
AT_DUSK = {
    "headlamps": ("front", lambda s: turn_off(s, "head")),
    "brake lamps": ("rear", lambda s: turn_off(s, "brake")),
}


def turn_off(studio, kind):
    """Turn off the head or brake lamps."""
    view = studio.views[0]
    before = view.frame
    if kind == "head":
        view.lamps.head = False
        view.update(before)
    else:
        dark = copy.copy(before)
        dark.brake = 0.0
        view.update(dark)

    def restore():
        view.lamps.head = True
        view.update(before)

    return restore


def assert_detected(studio, stored, side, introduce_defect):
    """Assert that a view differs from its reference with a defect, and not after the defect is removed."""
    reference = stored(image_of(studio, side))
    restore = introduce_defect(studio)
    broken = difference(redrawn(studio), reference)
    restore()
    assert broken.excess
    assert difference(redrawn(studio), reference).excess == []


@pytest.mark.parametrize("name", BY_DAY)
def test_a_defect_by_day_is_detected(studios, stored, name):
    assert_detected(studios("afternoon"), stored, *BY_DAY[name])


@pytest.mark.parametrize("name", AT_DUSK)
def test_lamps_turned_off_are_detected(studios, stored, name):
    assert_detected(studios("dusk"), stored, *AT_DUSK[name])


def remove_detail(studio):
    """Replace the detail texture of the ground by its mean."""
    root = studio.scene.root
    texture = root.getShaderInput("detail").getTexture()
    plain = texture.makeCopy()
    image = np.frombuffer(bytes(texture.getRamImage()), np.uint8).reshape(texture.getZSize(), -1, 4)
    mean = np.broadcast_to(image.mean(axis=1, keepdims=True).astype(np.uint8), image.shape)
    plain.setRamImage(np.ascontiguousarray(mean).tobytes())
    root.setShaderInput("detail", plain)
    return lambda: root.setShaderInput("detail", texture)


def drawn(screen):
    for _ in range(2):
        screen.base.taskMgr.step()
    return pixels(screen.base)


def test_hidden_instruments_and_an_opened_panel_are_detected(studios, stored):
    screen = studios("screen")
    app = screen.app
    reference = stored(drawn(screen))
    assert difference(drawn(screen), reference).excess == []
    app.hud.visible = False
    assert difference(drawn(screen), reference).excess
    app.hud.visible = True
    assert difference(drawn(screen), reference).excess == []
    app.panel.open = True
    assert difference(drawn(screen), reference).excess
