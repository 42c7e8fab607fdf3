"""Drawn particles: faded within their vehicle's body, darker in shadow, faded near the camera, moved by the wind."""

import math

import numpy as np
import pytest
from view_rig import ROADSTER, grab, grass_world, standing_frame

from driving_sandbox.game.view.cameras.camera import apply_view
from driving_sandbox.game.view.cameras.view import View
from driving_sandbox.game.view.particles.particles import NO_OWNER, SOFT, STILL_AIR, ParticleKind, Particles
from driving_sandbox.game.view.scene import Scene

pytestmark = pytest.mark.drawn
WINDOW_SIZE = (320, 180)
WHITE = (0.8, 0.8, 0.8)
NOW = 1.0  # s


@pytest.fixture(scope="module")
def meadow(base):
    """A scene of grass with a roadster."""
    scene = Scene(base, grass_world(), "low")
    view = scene.add_vehicle(ROADSTER, (0.03, 0.10, 0.03))
    view.update(standing_frame(view))
    yield scene
    scene.close()


def draw(base, scene, eye, target, particles=(), owner=NO_OWNER, size=0.4, wind=STILL_AIR):
    """The image at time NOW with white particles that were emitted at rest at time 0.

    particles: [n, 3] positions, m. owner: index of the vehicle in whose body they fade. size: half width, m.
    """
    drawn = Particles("low", 256, scene.switches)
    drawn.root.reparentTo(scene.root)
    still = ParticleKind(SOFT, life=1e3, size=size, growth=0.0, alpha=0.9, drag=1.0, rise=0.0, spread=0.0)
    for point in particles:
        drawn.add(0.0, still, point, velocity=(0.0, 0.0, 0.0), ground=-1.0, colour=WHITE, owner=owner)
    drawn.pool.flush(NOW)
    drawn.set_time(NOW, wind)
    drawn.set_fade_boxes(scene.vehicles)
    view = View(np.array(eye, float), np.array(target, float), math.radians(40.0))
    apply_view(base, view)
    scene.update(view.position)
    for _ in range(2):
        base.graphicsEngine.renderFrame()
    image = grab(base)
    drawn.root.removeNode()
    return image


def test_a_vehicles_own_smoke_fades_within_its_body_but_not_behind_it(base, meadow):
    eye, target = (-6.0, -2.0, 1.2), (0.0, -1.0, 0.6)
    empty = draw(base, meadow, eye, target)
    inside, behind = (-0.55, -1.2, 0.6), (0.0, -3.2, 0.6)
    # without an owner, the part of the particle outside the flank is visible
    assert np.abs(draw(base, meadow, eye, target, [inside]) - empty).max() > 0.15
    assert np.abs(draw(base, meadow, eye, target, [inside], owner=0, size=0.2) - empty).max() < 0.01
    free = draw(base, meadow, eye, target, [behind])
    assert np.abs(free - empty).max() > 0.3
    assert np.abs(draw(base, meadow, eye, target, [behind], owner=0) - free).max() < 0.01


def test_smoke_in_the_shadow_of_the_car_is_darker(base, meadow):
    sun = meadow.sky.sun_direction
    from_sun = np.array([-sun[0], -sun[1], 0.0]) / np.hypot(sun[0], sun[1])
    brightness = []  # in the shadow, in the sun
    for point in (1.6 * from_sun + (0.0, 0.0, 0.25), -6.0 * from_sun + (0.0, 0.0, 0.25)):
        eye = point + (0.0, 0.0, 6.0)
        image = draw(base, meadow, eye, point + (0.0, 0.01, 0.0), [point] * 10, size=0.3)
        brightness.append(image[85:95, 155:165].mean())  # the particles are in the middle
    assert brightness[0] < 0.85 * brightness[1]


def test_smoke_fades_close_to_the_camera(base, meadow):
    eye, ahead = np.array([0.0, -20.0, 1.5]), np.array([0.0, -1.0, 0.0])
    empty = draw(base, meadow, eye, eye + ahead)
    images = [draw(base, meadow, eye, eye + ahead, [eye + distance * ahead]) for distance in (0.29, 0.7, 2.0)]
    changes = [np.abs(image - empty).max() for image in images]
    assert changes[0] < 0.01 and changes[2] > 0.6  # not at all and whole
    assert 0.25 < changes[1] / changes[2] < 0.6  # opacity of a quarter; the film brightens dark tones more


@pytest.mark.parametrize("wind", [2.0, -4.0])
def test_smoke_drifts_with_the_wind(base, meadow, wind):
    """With a drag of 1/s, a particle born at rest has moved by 1 s * wind / e after 1 s."""
    point, target = np.array([0.0, -8.0, 1.0]), np.array([0.0, -8.0, 1.0])
    eye = target + (0.0, -8.0, 0.3)
    empty = draw(base, meadow, eye, target)
    drifted = draw(base, meadow, eye, target, [point], wind=(wind, 0.0, 0.0))
    moved = draw(base, meadow, eye, target, [point + (wind * math.exp(-NOW), 0.0, 0.0)])
    assert np.abs(drifted - empty).max() > 0.2 and np.abs(drifted - moved).max() < 0.02
    assert np.abs(drifted - draw(base, meadow, eye, target, [point])).max() > 0.2
