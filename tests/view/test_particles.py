"""Particles in a picture: they do not enter bodywork, lie in the shade of what is before the sun, and fade at the
eye."""

import math

import numpy as np
import pytest
from view_rig import ROADSTER, grab, grass_world, standing_frame

from driving_sandbox.game.view.cameras.camera import apply_view
from driving_sandbox.game.view.cameras.view import View
from driving_sandbox.game.view.particles.particles import NOBODY, SOFT, STILL_AIR, ParticleKind, Particles
from driving_sandbox.game.view.scene import Scene

pytestmark = pytest.mark.drawn
PICTURE_SIZE = (320, 180)
WHITE = (0.8, 0.8, 0.8)
NOW = 1.0  # s


@pytest.fixture(scope="module")
def meadow(base):
    scene = Scene(base, grass_world(), "low")
    view = scene.add_vehicle(ROADSTER, (0.03, 0.10, 0.03))
    view.update(standing_frame(view))
    yield scene
    scene.close()


def draw(base, scene, eye, target, particles=(), owner=NOBODY, size=0.4, wind=STILL_AIR):
    """The picture with white particles born at rest."""
    pool = Particles("low", 256, scene.switches)
    pool.root.reparentTo(scene.root)
    still = ParticleKind(SOFT, life=1e3, size=size, growth=0.0, alpha=0.9, drag=1.0, rise=0.0, spread=0.0)
    for place in particles:
        pool.add(0.0, still, place, (0.0, 0.0, 0.0), -1.0, WHITE, owner=owner)
    pool.pool.flush(NOW)
    pool.show(NOW, wind)
    pool.set_colliders(scene.vehicles)
    view = View(np.array(eye, float), np.array(target, float), math.radians(40.0))
    apply_view(base, view)
    scene.update(view.position)
    for _ in range(2):
        base.graphicsEngine.renderFrame()
    picture = grab(base)
    pool.root.removeNode()
    return picture


def test_smoke_keeps_out_of_bodywork_but_not_of_the_air_behind_it(base, meadow):
    eye, target = (-6.0, -2.0, 1.2), (0.0, -1.0, 0.6)
    empty = draw(base, meadow, eye, target)
    inside, behind = (-0.55, -1.2, 0.6), (0.0, -3.2, 0.6)
    assert np.abs(draw(base, meadow, eye, target, [inside]) - empty).max() > 0.15  # through the flank, cut off by it
    assert np.abs(draw(base, meadow, eye, target, [inside], owner=0, size=0.2) - empty).max() < 0.01
    free = draw(base, meadow, eye, target, [behind])
    assert np.abs(free - empty).max() > 0.3
    assert np.abs(draw(base, meadow, eye, target, [behind], owner=0) - free).max() < 0.01


def test_smoke_in_the_shade_of_the_car_is_darker(base, meadow):
    sun = meadow.sky.sun_direction
    away = np.array([-sun[0], -sun[1], 0.0]) / np.hypot(sun[0], sun[1])
    bright = []
    for place in (1.6 * away + (0.0, 0.0, 0.25), -6.0 * away + (0.0, 0.0, 0.25)):
        eye = place + (0.0, 0.0, 6.0)
        picture = draw(base, meadow, eye, place + (0.0, 0.01, 0.0), [place] * 10, size=0.3)
        bright.append(picture[85:95, 155:165].mean())
    assert bright[0] < 0.85 * bright[1]


def test_smoke_fades_before_it_reaches_the_eye(base, meadow):
    eye, ahead = np.array([0.0, -20.0, 1.5]), np.array([0.0, -1.0, 0.0])
    empty = draw(base, meadow, eye, eye + ahead)
    seen = [draw(base, meadow, eye, eye + ahead, [eye + far * ahead]) for far in (0.29, 0.7, 2.0)]
    changes = [np.abs(picture - empty).max() for picture in seen]
    assert changes[0] < 0.01 < changes[1] < changes[2]


@pytest.mark.parametrize("wind", [2.0, -4.0])
def test_smoke_drifts_with_the_wind(base, meadow, wind):
    """From rest, with a drag of 1/s, it is 1 - (1 - 1/e) seconds of wind away after a second."""
    place, target = np.array([0.0, -8.0, 1.0]), np.array([0.0, -8.0, 1.0])
    eye = target + (0.0, -8.0, 0.3)
    empty = draw(base, meadow, eye, target)
    drifted = draw(base, meadow, eye, target, [place], wind=(wind, 0.0, 0.0))
    moved = draw(base, meadow, eye, target, [place + (wind * math.exp(-NOW), 0.0, 0.0)])
    assert np.abs(drifted - empty).max() > 0.2 and np.abs(drifted - moved).max() < 0.02
    assert np.abs(drifted - draw(base, meadow, eye, target, [place])).max() > 0.2
