"""The comparison of pictures detects what a person would see: each test breaks one thing in a view that passes."""

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
def only():
    """A function that opens one of MAKERS; only one picture may be open at a time."""
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
    studio = VehicleStudio(daytime=daytime)
    studio.stand("roadster")
    studio.look(*SIDES["left"])  # the first picture is without the shadows that stand far away
    return studio


def standing_on_the_plane():
    photographer = Photographer("roadster", "plane", SCREEN, "low")
    photographer.close = photographer.app.shut_down
    photographer.settle(1.0)
    photographer.app.session.paused = True
    return photographer


MAKERS = {"afternoon": lambda: studio_at("afternoon"), "dusk": lambda: studio_at("dusk"),
          "screen": standing_on_the_plane}  # fmt: skip


def look(studio, side):
    studio.look(*SIDES[side])
    return pixels(studio.base)


def again(studio):
    """The same view once more."""
    studio.draw(studio.view)
    return pixels(studio.base)


def hide(path):
    path.hide(BitMask32.allOn())
    return lambda: path.show(BitMask32.allOn())


def moved(studio, metres):
    """Stand a vehicle that far ahead."""
    view, frame = studio.views[0], studio.views[0].frame
    x, y, z, w = frame.body_orientation
    heading = math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
    shift = metres * np.array([-math.sin(heading), math.cos(heading), 0.0])
    there = copy.copy(frame)
    there.body_position, there.wheel_position = frame.body_position + shift, frame.wheel_position + shift
    view.update(there)
    return lambda: view.update(frame)


def painted(studio, colour):
    studio.views[0].set_paint(colour)
    return lambda: studio.views[0].set_paint(studio.session.vehicle.paint)


def without_wheel(studio, number):
    """Leave a wheel out of the mesh of what carries a vehicle."""
    gear = studio.views[0].gear

    def draw(show):
        show()
        gear.batched.renew()

    draw(gear.wheels[number].hide)
    return lambda: draw(gear.wheels[number].show)


BY_DAY = {
    "wheel": ("left", lambda s: without_wheel(s, 0)),
    "far wheel": ("front", lambda s: without_wheel(s, 1)),
    "driver": ("left", lambda s: hide(s.views[0].driver)),
    "car": ("rear", lambda s: hide(s.views[0].root)),
    "sky": ("left", lambda s: hide(s.scene.sky.root)),
    "trees and ramps": ("front", lambda s: hide(s.scene.meshes)),
    "elsewhere": ("left", lambda s: moved(s, 0.3)),
    "elsewhere, from before": ("front", lambda s: moved(s, 0.3)),
    "texture": ("right", lambda s: no_detail(s)),
    "paint": ("right", lambda s: painted(s, (0.50, 0.12, 0.02))),
}
AT_DUSK = {
    "head lamps": ("front", lambda s: lamp(s, "head")),
    "brake lamps": ("rear", lambda s: lamp(s, "brake")),
}


def lamp(studio, which):
    """Put lamps out."""
    view = studio.views[0]
    before = view.frame
    if which == "head":
        view.lamps.head = False
        view.update(before)
    else:
        dark = copy.copy(before)
        dark.brake = 0.0
        view.update(dark)

    def back():
        view.lamps.head = True
        view.update(before)

    return back


def check(studio, stored, side, sabotage):
    reference = stored(look(studio, side))
    back = sabotage(studio)
    broken = difference(again(studio), reference)
    back()
    assert broken.excess
    assert difference(again(studio), reference).excess == []  # nothing else was broken


@pytest.mark.parametrize("name", BY_DAY)
def test_what_is_missing_by_day_is_seen(only, stored, name):
    check(only("afternoon"), stored, *BY_DAY[name])


@pytest.mark.parametrize("name", AT_DUSK)
def test_a_lamp_that_is_out_is_seen(only, stored, name):
    check(only("dusk"), stored, *AT_DUSK[name])


def no_detail(studio):
    """Ground without any structure of its own."""
    root = studio.scene.root
    texture = root.getShaderInput("detail").getTexture()
    plain = texture.makeCopy()
    image = np.frombuffer(bytes(texture.getRamImage()), np.uint8).reshape(texture.getZSize(), -1, 4)
    mean = np.broadcast_to(image.mean(axis=1, keepdims=True).astype(np.uint8), image.shape)
    plain.setRamImage(np.ascontiguousarray(mean).tobytes())
    root.setShaderInput("detail", plain)
    return lambda: root.setShaderInput("detail", texture)


def shown(screen):
    for _ in range(2):
        screen.base.taskMgr.step()
    return pixels(screen.base)


def test_empty_instruments_and_a_closed_panel_are_seen(only, stored):
    screen = only("screen")
    app = screen.app
    reference = stored(shown(screen))
    assert difference(shown(screen), reference).excess == []
    app.hud.visible = False
    assert difference(shown(screen), reference).excess
    app.hud.visible = True
    assert difference(shown(screen), reference).excess == []
    app.panel.open = True
    assert difference(shown(screen), reference).excess
