"""The projected ground shadow: position, darkness per pixel, shape."""

import math

import numpy as np
import pytest
from view_rig import ROADSTER, grab, grass_world, standing_frame

from driving_sandbox.game.program.settings import Settings
from driving_sandbox.game.view.cameras.camera import apply_view
from driving_sandbox.game.view.cameras.view import View
from driving_sandbox.game.view.gl.geometry import read_column
from driving_sandbox.game.view.light.ground_shadow import EDGES, GroundShadow, GroundShadowSettings, outline
from driving_sandbox.game.view.scene import Scene

pytestmark = pytest.mark.drawn
WINDOW_SIZE = (320, 320)
WIDTH, LENGTH, YAW = 7.0, 8.0, 0.6  # m, rad; the polygon is larger than the car and its contact shadow
HEIGHT = 40.0  # m, height of the camera
FOV = 30.0  # degrees, field of view of the camera
TOLERANCE = 0.02  # error of a pixel's darkness by 8-bit colours and upscaling


@pytest.fixture(scope="module")
def scene(base):
    """A meadow with the shadow of a car that is hidden itself."""
    new_scene = Scene(base, grass_world(), "low", ground_shadow=GroundShadowSettings())
    view = new_scene.add_vehicle(ROADSTER)
    view.update(standing_frame(view, (3.0, -2.0, 0.0), YAW))
    view.body.hide()  # only the ground is measured
    for wheel in view.wheels + view.brakes:
        wheel.hide()
    yield new_scene
    new_scene.close()


@pytest.fixture
def shadow(scene, request):
    """The only ground shadow of the scene, with the settings of the parameter."""
    ground_shadow = GroundShadow(scene, scene.vehicles[0], GroundShadowSettings(**getattr(request, "param", {})))
    for old in scene.ground_shadows:
        old.path.removeNode()
    scene.ground_shadows[:] = [ground_shadow]
    return ground_shadow


def darkness(base, scene, shadow, fov_deg=FOV):
    """[rows, columns] 1 - brightness with the shadow / brightness without, from straight above the car; +y is up."""
    images = []
    x, y, _ = scene.vehicles[0].frame.body_position
    for shown in (True, False):
        shadow.path.show() if shown else shadow.path.hide()
        apply_view(base, View(np.array([x, y, HEIGHT]), np.array([x, y + 0.001, 0.0]), math.radians(fov_deg)))
        scene.update(np.array([x, y, HEIGHT]))
        base.taskMgr.step()
        base.taskMgr.step()
        images.append(grab(base).mean(axis=2))
    return 1.0 - images[0] / np.maximum(images[1], 1e-3)


def pixels_at(offset, reach=1):
    """Slices (rows, columns) of the image around a point of the ground.

    offset: of the point from the car, m, world axes. reach: pixels to each side.
    """
    scale = WINDOW_SIZE[0] / (2.0 * HEIGHT * math.tan(math.radians(FOV) / 2.0))
    row, column = round(WINDOW_SIZE[1] / 2 - offset[1] * scale), round(WINDOW_SIZE[0] / 2 + offset[0] * scale)
    return slice(row - reach, row + reach + 1), slice(column - reach, column + reach + 1)


def to_world(across, along):
    """Components in world axes of a vector in the car's axes (to its right, forward), m."""
    c, s = math.cos(YAW), math.sin(YAW)
    return np.array([c * across - s * along, s * across + c * along])


def away_from_sun(sun, metres):
    """Horizontal vector of a length, m, away from the sun."""
    return -np.asarray(sun[:2]) / np.hypot(*sun[:2]) * metres


OPAQUE = {"width": WIDTH, "length": LENGTH, "texture": np.ones((4, 4))}


@pytest.mark.covers("RC-LIGHT-03")
@pytest.mark.parametrize("shadow", [OPAQUE], indirect=True)
def test_the_polygon_has_its_size_and_is_below_the_car(base, scene, shadow):
    dark = darkness(base, scene, shadow)
    # the sun is on the car's left, so that only the middle of the right side may be in the projected shadow
    for across, along in ((1, 1), (1, -1), (-1, 1), (-1, -1), (-1, 0), (0, -1), (0, 1)):
        edge = np.array([across * WIDTH, along * LENGTH]) / 2.0
        assert dark[pixels_at(to_world(*(0.9 * edge)))].mean() > 0.25
        assert dark[pixels_at(to_world(*(edge + 0.5 * np.sign(edge))))].mean() < 0.02
    expected = [to_world(u * WIDTH / 2, v * LENGTH / 2) for u, v in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    assert shadow.corners[:, :2] == pytest.approx(np.array(expected) + (3.0, -2.0), abs=1e-5)
    height = scene.ground_heights(np.array([3.0]), np.array([-2.0]))[0]
    assert shadow.corners[:, 2] == pytest.approx(height, abs=1e-6)


@pytest.mark.covers("RC-LIGHT-04")
@pytest.mark.parametrize("shadow", [{**OPAQUE, "intensity_light": 0.3, "intensity_dark": 0.7}], indirect=True)
def test_the_polygon_is_darker_inside_the_projected_shadow(base, scene, shadow):
    dark = darkness(base, scene, shadow)
    sun = scene.sky.sun_direction
    assert dark[pixels_at((0.0, 0.0))].mean() == pytest.approx(0.7, abs=TOLERANCE)
    assert dark[pixels_at(-away_from_sun(sun, 2.6))].mean() == pytest.approx(0.3, abs=TOLERANCE)


@pytest.mark.covers("RC-LIGHT-05")
@pytest.mark.parametrize("shadow", [{"texture": np.zeros((4, 4))}], indirect=True)
def test_the_shadow_has_the_shape_of_its_model(base, scene, shadow):
    """The shadow is cast by the car's proxy, then by a mast 2.4 m high in its place."""
    sun = scene.sky.sun_direction
    dark = darkness(base, scene, shadow)
    reach = 1.2 / sun[2] * np.hypot(*sun[:2])  # m, length of the shadow of a point 1.2 m high
    assert dark[pixels_at(away_from_sun(sun, 1.5))].mean() > 0.25
    assert dark[pixels_at(away_from_sun(sun, reach + 3.0))].mean() < 0.02
    shadow._points = np.array([[x, y, z] for x in (-0.3, 0.3) for y in (-0.3, 0.3) for z in (0.0, 2.4)])
    shadow.set_sun(sun)  # sizes the mesh for the mast
    mast = darkness(base, scene, shadow)
    beyond_the_car = pixels_at(away_from_sun(sun, 4.4))
    assert mast[beyond_the_car].mean() > 0.25 and dark[beyond_the_car].mean() < 0.02
    aside = np.array([-away_from_sun(sun, 1.0)[1], away_from_sun(sun, 1.0)[0]])
    assert mast[pixels_at(1.0 * aside)].mean() < 0.02 < 0.2 < dark[pixels_at(to_world(0.0, 1.5))].mean()


@pytest.mark.covers("RC-LIGHT-06")
def test_shaders_give_the_edge_a_gradient(base, scene):
    counts = {}  # {soft: (number of pixels at the edge, number inside)}
    for soft in (False, True):
        ground_shadow = GroundShadow(scene, scene.vehicles[0], GroundShadowSettings(width=0.01, length=0.01, soft=soft))
        scene.ground_shadows[0].path.removeNode()
        scene.ground_shadows[:] = [ground_shadow]
        dark = darkness(base, scene, ground_shadow, fov_deg=10.0)
        counts[soft] = int(((dark > 0.06) & (dark < 0.24)).sum()), int((dark > 0.27).sum())
    assert counts[True][0] > 2.5 * counts[False][0] and counts[False][1] > 300


@pytest.mark.covers("RC-LIGHT-07")
@pytest.mark.parametrize("shadow", [{"width": 0.01, "length": 0.01, "intensity": 0.3},
                                    {"width": 0.01, "length": 0.01, "intensity": 0.6}], indirect=True)  # fmt: skip
def test_the_projected_shadow_has_its_intensity(base, scene, shadow):
    dark = darkness(base, scene, shadow)
    # the mean within half a metre: anti-aliasing changes single blades of grass under the shadow
    middle = dark[pixels_at(away_from_sun(scene.sky.sun_direction, 1.2), reach=7)]
    assert middle.mean() == pytest.approx(shadow.settings.intensity, abs=TOLERANCE)


def test_the_mesh_is_within_its_bounds_in_each_sun(shadow):
    reaches, radii = [], []  # m, from the vehicle to the mesh's farthest vertex; of the bounds
    for elevation in np.radians((80.0, 5.0)):
        shadow.set_sun((math.cos(elevation), 0.0, math.sin(elevation)))
        shadow.update()
        node = shadow.path.node()
        vertices = read_column(node.getGeom(0).getVertexData(), "vertex")
        reaches.append(np.linalg.norm(vertices[:, :3], axis=1).max())
        radii.append(node.getBounds().getRadius())
    assert reaches[1] > radii[0]  # in a low sun the mesh is larger than the bounds for a high one
    assert np.all(np.array(radii) > reaches)


def test_the_programs_setting_gives_a_soft_edge(base):
    new_scene = Scene.of(base, grass_world(), Settings(quality="low", shadows="ground"))
    assert new_scene.ground_shadow.soft
    new_scene.close()


def test_outline_of_a_box_is_exact_and_of_a_point_its_shadow():
    sun = np.array([0.6, 0.0, 0.8])
    box = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-2.0, 2.0) for z in (0.0, 1.0)])
    edges = outline(box, sun, 0.0, 0.0)
    # rows: normal of an edge (x, y), and its distance from the origin, m
    assert edges[0] == pytest.approx((1.0, 0.0, 1.0)) and edges[EDGES // 4] == pytest.approx((0.0, 1.0, 2.0))
    assert edges[EDGES // 2, 2] == pytest.approx(1.0 + 0.75)  # away from the sun by 1 m / tan of the sun's height
    point = outline(np.array([[0.0, 0.0, 2.0]]), sun, 0.5, 0.3)
    assert point[:, :2] @ (-1.125, 0.0) == pytest.approx(point[:, 2])
