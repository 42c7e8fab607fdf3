"""At most 300 draw calls a frame with eight vehicles at every quality level, shadow maps included."""

import math

import numpy as np
import pytest
from draw_calls import draw_calls

from driving_sandbox.assets.build.vehicles import MODELS
from driving_sandbox.game.program.world_view import world_view
from driving_sandbox.game.session.frame import VehicleFrame
from driving_sandbox.game.view.cameras.camera import apply_view
from driving_sandbox.game.view.cameras.view import View
from driving_sandbox.game.view.gl.quality import QUALITIES
from driving_sandbox.game.view.scene import Scene
from driving_sandbox.game.view.vehicle.detail import COARSE, FINE
from driving_sandbox.game.view.vehicle.vehicle import FAR, OTHERS_DISCS, OTHERS_FAR
from driving_sandbox.physics.world.world_file import load_world

pytestmark = pytest.mark.drawn
WINDOW_SIZE = (64, 36)
INTERFACE = 20  # draw calls of panel, plots and HUD: ImGui makes one per window and font
MAX_CALLS = 300 - INTERFACE
CARS = ("roadster", "coupe", "hatchback", "offroader", "patrol", "buggy", "lowrider", "truck")
SPAWNS = ("start", "pad", "hills", "country_road")


@pytest.fixture(scope="module")
def scene(base):
    """The proving ground with all CARS."""
    new_scene = Scene(base, world_view(load_world("proving_ground")), "low")
    for name in CARS:
        new_scene.add_vehicle(MODELS / f"{name}.glb")
    yield new_scene
    new_scene.close()


def standing(view, x, y, z, heading):
    """A frame of the vehicle at rest; heading: rad."""
    half = heading / 2.0
    orientation = np.array([0.0, 0.0, math.sin(half), math.cos(half)])
    rest = np.array([view.model.node_position(f"wheel{n + 1}") for n in range(len(view.wheels))]).reshape(-1, 3)
    c, s = math.cos(heading), math.sin(heading)
    wheels = rest @ np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]]) + (x, y, z)
    orientations = np.tile(orientation, (len(rest), 1))  # of wheels and hubs
    return VehicleFrame(np.array([x, y, z]), orientation, len(rest), wheels, orientations, orientations)


def grid_draw_calls(base, scene, spawn):
    """Draw calls of the main camera and of the vehicle, static and far shadow maps (far: at some levels).

    The main camera looks from behind at eight cars in two columns, as on a starting grid.
    """
    point = load_world("proving_ground").spawn(spawn)
    x, y, heading = *(float(v) for v in point.position), point.heading
    ahead, right = np.array([-math.sin(heading), math.cos(heading)]), np.array([math.cos(heading), math.sin(heading)])
    for k, view in enumerate(scene.vehicles):
        at = np.array([x, y]) + ahead * 7.0 * (k // 2) + right * 3.5 * (k % 2)
        view.update(standing(view, *at, float(scene.ground_heights(*at)), heading))
    eye = np.array([x, y]) - ahead * 7.0
    target = np.array([x, y]) + ahead * 10.0
    z = float(scene.ground_heights(x, y))
    view = View(np.array([*eye, z + 2.3]), np.array([*target, z + 1.0]), 1.0)
    apply_view(base, view)
    scene.update(view.position)
    cameras = [(base.cam, base.render)]
    cameras += [(each.camera, each.camera.node().getScene()) for each in scene._shadows._maps()]
    return [draw_calls(camera, scene.root if root.isEmpty() else root) for camera, root in cameras]


@pytest.mark.parametrize("quality", QUALITIES)
def test_eight_cars_cost_at_most_300_draw_calls(base, scene, quality):
    scene.set_quality(quality)
    for spawn in SPAWNS:
        counts = grid_draw_calls(base, scene, spawn)
        assert counts[0] > 30  # the cars are visible
        # the far map and the static map are never drawn in the same frame
        assert sum(counts[:3]) <= MAX_CALLS and counts[0] + counts[1] + sum(counts[3:]) <= MAX_CALLS, (spawn, counts)


def test_small_parts_of_other_vehicles_are_dropped_sooner(scene):
    first, second = scene.vehicles[:2]
    for view, watched in ((first, True), (second, False)):
        view.update(standing(view, 0.0, 0.0, 0.0, heading=0.0))
        view.seen_from((0.0, -OTHERS_FAR - 1.0, 0.0), watched)
    assert not first.far and second.far and not second.bare
    assert all(path.isStashed() for path in second.gear.springs) and not any(b.isStashed() for b in second.brakes)
    second.seen_from((0.0, -OTHERS_DISCS - 1.0, 0.0), False)
    assert all(path.isStashed() for path in second.brakes)
    second.seen_from((0.0, -0.5 * OTHERS_FAR, 0.0), False)
    assert not second.far and not second.bare and second.gear.batched.shown


def test_a_long_lens_shows_a_far_car_in_full_detail(base, scene):
    scene.set_quality("medium")
    first = scene.vehicles[0]
    first.update(standing(first, 0.0, 0.0, 0.0, heading=0.0))
    eye = np.array([0.0, -1.5 * FAR, 2.0])
    for fov, form in ((1.0, COARSE), (0.1, FINE)):
        apply_view(base, View(eye, np.zeros(3), fov))
        scene.update(eye)
        assert first.detail.shown == form


def test_the_static_shadow_map_is_redrawn_only_when_another_vehicle_moves_near_it(base, scene):
    grid_draw_calls(base, scene, "pad")
    buffer = next(each.buffer for each in scene._shadows._maps() if each.buffer.getName() == "shadow static")
    base.graphicsEngine.renderFrame()  # one-shot maps are drawn
    eye = np.array(base.camera.getPos())

    def redrawn(view, *offset):
        """Whether the map is redrawn after a vehicle has moved by an offset."""
        view.frame.body_position = view.frame.body_position + np.array(offset)
        scene.update(eye)
        active = buffer.isActive()
        base.graphicsEngine.renderFrame()
        return active

    other = scene.vehicles[1]
    scene.update(eye)
    base.graphicsEngine.renderFrame()
    assert not redrawn(other, 0.0, 0.0, 0.0)
    assert redrawn(other, 0.5, 0.0, 0.0)
    assert redrawn(other, 900.0, 0.0, 0.0)  # its shadow is removed
    assert not redrawn(other, 1.0, 0.0, 0.0)
