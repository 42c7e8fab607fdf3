"""Batched meshes: pose and material of every part, and switching without a visible change.

There are two: of the running gear near the eye (`view.gear.batched`), and of bodywork and wheels of distant vehicles
that are not watched (`view._batched`).
"""

import numpy as np
import pytest
from panda3d.core import LMatrix4f
from view_rig import SceneWithoutWindow, grab, grass_world, link_ends, standing_frame

from driving_sandbox.assets.build.vehicles import MODELS
from driving_sandbox.game.platform.window import NoDisplay, WindowSettings, open_window
from driving_sandbox.game.view.cameras.camera import apply_view
from driving_sandbox.game.view.cameras.view import View
from driving_sandbox.game.view.gl.geometry import read_column
from driving_sandbox.game.view.gl.shading import recipe
from driving_sandbox.game.view.scene import Scene
from driving_sandbox.game.view.vehicle import vehicle as vehicle_module
from driving_sandbox.game.view.vehicle.detail import CAMERA_MASK
from driving_sandbox.game.view.vehicle.vehicle import FAR, OTHERS_DISCS, OTHERS_FAR, VehicleView

AWAY = (0.0, -OTHERS_DISCS - 5.0, 1.0)  # m, eye position where brake discs of other vehicles are no longer drawn
FIELD_OF_VIEW = 0.977  # rad; with a narrower one, levels of detail would change at larger distances
VERY_FAR = (0.0, -1.2 * FAR, 1.0)  # m, eye position where meshes are coarse


def posed_frame(view, position=(2.0, -1.0, 0.4)):
    """A frame of the vehicle at a position (m): yawed and pitched, with steered, raised and rotated wheels."""
    return standing_frame(view, position, yaw=0.7, lift=0.05, steer=0.3, spin=1.1, pitch=0.1)


def transformed_vertices(geom, matrix):
    """(points [n, 3], material indices [n]) of a Geom's vertices, the points transformed by a matrix."""
    data = geom.getVertexData()
    rows = np.array([tuple(matrix.getRow(i)) for i in range(4)])
    return read_column(data, "vertex") @ rows[:3, :3] + rows[3, :3], read_column(data, "look")[:, 0]


def vertices_of_parts(view, paths):
    """(world points, m; material indices) of the parts at `paths`, drawn as nodes."""
    arrays = [
        transformed_vertices(path.node().getGeom(0), path.getMat(view.root))
        for path in paths
        if path.node().getNumGeoms()
    ]
    return tuple(np.concatenate(each) for each in zip(*arrays, strict=True))


def vertices_of_batch(view, batch):
    """(world points, m; material indices) of a batched mesh, transformed as its shader does it."""
    geom = batch.path.node().getGeom(0)
    part = np.round(read_column(geom.getVertexData(), "look")[:, 2]).astype(int)  # index of each vertex's part
    points = np.zeros((len(part), 3))
    for index in range(len(batch._poses)):
        all_points, materials = transformed_vertices(geom, LMatrix4f(batch._poses.getElement(index)))
        points[part == index] = all_points[part == index]
    return points, materials


def encloses(view, batch, points):
    """Whether all points are within the bounding sphere that is used for culling a batched mesh."""
    bounds = batch.path.node().getBounds().makeCopy()
    bounds.xform(view.body.getMat(view.root))
    return np.linalg.norm(points - np.array(bounds.getCenter()), axis=1).max() <= bounds.getRadius()


@pytest.mark.parametrize("name", ["roadster", "truck", "tank", "three_wheeler", "central_axle_trailer"])
def test_the_near_batched_mesh_has_the_poses_of_the_parts(name):
    view = VehicleView(SceneWithoutWindow(), MODELS / f"{name}.glb")
    view.update(posed_frame(view))
    points, materials = vertices_of_parts(view, [*view.wheels, *view.brakes, *view.gear.springs])
    ends = [link_ends(view.gear, k) for k in range(len(view.gear.links))]  # while links are drawn as nodes
    for watched in (True, False):
        view.seen_from((2.0, -5.0, 1.0), watched)
        batch = view.gear.batched
        assert batch.shown and not batch.path.isStashed() and not view._batched.shown
        assert all(path.isStashed() for path in (*view.wheels, *view.brakes, *view.gear.springs))
        batch_points, batch_materials = vertices_of_batch(view, batch)
        assert np.array_equal(batch_materials, materials)
        assert batch_points == pytest.approx(points, abs=2e-5)
        assert encloses(view, batch, points)
    view.update(posed_frame(view, (30.0, 4.0, 0.4)))
    view.seen_from((30.0, -1.2 * FAR, 1.0), True)  # from afar brakes and springs are left out, wheels are nodes
    assert not batch.shown and not any(path.isStashed() for path in view.wheels)
    assert all(path.isStashed() for path in (*view.brakes, *view.gear.springs))
    view.set_low_resolution(True)  # never batched
    view.seen_from((30.0, -1.0, 1.0), True)
    assert not batch.shown and not any(path.isStashed() for path in (*view.brakes, *view.gear.springs))
    # links, drawn as nodes again, have followed the vehicle
    for before, now in zip(ends, (link_ends(view.gear, k) for k in range(len(ends))), strict=True):
        shift = (28.0, 5.0, 0.0)  # m, from the first position of the vehicle to the second
        assert np.array(now) == pytest.approx(np.array(before) + shift, abs=2e-5)


def test_a_model_with_more_wheels_than_its_frame_is_not_batched():
    view = VehicleView(SceneWithoutWindow(), MODELS / "roadster.glb")
    frame = posed_frame(view)
    frame.wheel_count = 3
    view.update(frame)
    view.seen_from((2.0, -5.0, 1.0))
    assert not view.gear.batched.shown and not view.wheels[3].isStashed()


@pytest.mark.parametrize("name", ["roadster", "truck", "tank", "three_wheeler"])
@pytest.mark.parametrize("eye", [AWAY, VERY_FAR])
def test_the_distant_batched_mesh_has_the_poses_of_the_parts(name, eye):
    view = VehicleView(SceneWithoutWindow(), MODELS / f"{name}.glb")
    view.update(posed_frame(view))
    view.seen_from(eye)
    view.hands.see((0.0, 50.0, 0.0), still=True)  # fixed forearms, as for a vehicle that is not watched
    if eye is VERY_FAR:
        view.seen_from((0.0, -1.2 * FAR, 1.0), True)  # coarse
    parts = [*view.hulls.values(), *([] if view.driver.isEmpty() else [view.driver]), *view.wheels]
    points, materials = vertices_of_parts(view, parts)
    view.seen_from(eye, watched=False)
    assert view._batched.shown
    batch_points, batch_materials = vertices_of_batch(view, view._batched)
    assert np.array_equal(batch_materials, materials)
    assert batch_points == pytest.approx(points, abs=2e-5)
    assert encloses(view, view._batched, points)


def test_parts_have_their_current_poses_as_soon_as_they_are_nodes_again():
    view = VehicleView(SceneWithoutWindow(), MODELS / "roadster.glb")
    view.update(posed_frame(view))
    view.seen_from(AWAY, watched=False)
    view.update(posed_frame(view, (3.0, 4.0, 0.4)))
    assert all(path.isStashed() for path in view.wheels)
    view.seen_from((3.0, 4.0 - 0.5 * (OTHERS_FAR + OTHERS_DISCS), 1.0), watched=False)
    assert not view._batched.shown and view._batched.path.isStashed()
    for path, position in zip(view.wheels, view.frame.wheel_position, strict=True):
        assert not path.isStashed() and np.array(path.getPos()) == pytest.approx(position, abs=1e-5)
    assert all(path.node().getNumGeoms() == 1 for path in view.hulls.values())


def test_the_watched_vehicle_trailers_and_vehicles_at_low_quality_are_not_batched():
    for name, quality, watched in (("roadster", "high", True), ("central_axle_trailer", "high", False),
                                   ("roadster", "low", False)):  # fmt: skip
        view = VehicleView(SceneWithoutWindow(quality), MODELS / f"{name}.glb")
        view.update(posed_frame(view))
        view.seen_from((0.0, -60.0, 1.0), watched)
        assert view.bare or watched  # far enough to be batched
        assert not view._batched.shown, name


def test_a_hidden_part_is_not_batched_and_can_be_shown_again():
    view = VehicleView(SceneWithoutWindow(), MODELS / "roadster.glb")
    view.update(posed_frame(view))
    view.seen_from(AWAY, watched=False)
    vertex_count = len(vertices_of_batch(view, view._batched)[0])
    for names, count in (((), vertex_count - len(_hull_vertices(view))), (("hull1",), vertex_count)):
        view.draw_parts(names)
        view.seen_from(AWAY, watched=False)
        assert len(vertices_of_batch(view, view._batched)[0]) == count


def _hull_vertices(view):
    """[n, 3] vertices of the hull in the form that is drawn, model frame, m."""
    return read_column(view.detail.forms(view.detail.shown)[view.hulls["hull1"]].getVertexData(), "vertex")


@pytest.fixture
def drawn():
    """An offscreen window and a scene with a meadow."""
    try:
        base = open_window(WindowSettings(offscreen=True, size=(320, 180)))
    except NoDisplay as error:
        pytest.skip(str(error))
    scene = Scene(base, grass_world(), "medium")
    yield base, scene
    scene.close()
    base.destroy()


def rendered(base, scene, eye):
    """The image from the eye, after some frames."""
    for _ in range(3):
        scene.update(eye)
        base.taskMgr.step()
    return grab(base)


def alike(image, other):
    """Whether two images differ little: on average, and at few pixels."""
    difference = np.abs(image - other)
    return difference.mean() < 0.002 and (difference.max(axis=2) > 0.1).mean() < 0.005


@pytest.mark.drawn
def test_a_batched_vehicle_looks_like_its_parts_at_medium_and_high_quality(drawn, monkeypatch):
    base, scene = drawn
    watched, other = (scene.add_vehicle(MODELS / f"{name}.glb", (0.4, 0.1, 0.02)) for name in ("roadster", "truck"))
    eye, images = np.array([4.0, -12.0, 3.0]), {}
    for quality in ("medium", "high"):
        scene.set_quality(quality)
        for limit in (OTHERS_DISCS, 1e6):  # m; with the second, discs are always drawn, and the vehicle as parts
            monkeypatch.setattr(vehicle_module, "OTHERS_DISCS", limit)
            watched.update(standing_frame(watched, (-30.0, -10.0, 0.0)))
            other.update(posed_frame(other, (0.0, 8.0, 0.4)))
            apply_view(base, View(eye, np.array([0.0, 8.0, 1.0]), FIELD_OF_VIEW))
            for path in other.brakes:
                path.hide()  # a batched vehicle is drawn without brake discs
            images[limit] = rendered(base, scene, eye)
            assert other._batched.shown == (limit == OTHERS_DISCS)
        assert alike(*images.values()), quality
    assert "HIGH" in recipe(other._batched.path.getShader())[2]  # defines of the present quality


@pytest.mark.drawn
def test_the_watched_vehicle_looks_and_casts_shadows_batched_as_in_parts(drawn):
    base, scene = drawn
    buggy = scene.add_vehicle(MODELS / "buggy.glb")
    batch, eye, images = buggy.gear.batched, np.array([4.0, -5.0, 2.5]), {}
    buggy.update(posed_frame(buggy, (0.0, 0.0, 0.7)))
    apply_view(base, View(eye, np.zeros(3), FIELD_OF_VIEW))
    for quality in ("medium", "high"):
        scene.set_quality(quality)
        for seen in (True, False):  # False: hidden from the camera, so that only the shadow is in the image
            for path in (*buggy.hulls.values(), *buggy.wheels, *buggy.brakes, *buggy.gear.springs, batch.path):
                path.show(CAMERA_MASK) if seen else path.hide(CAMERA_MASK)
            for batched in (True, False):
                batch.possible = batched
                images[seen, batched] = rendered(base, scene, eye)
                assert batch.shown == batched
            assert alike(images[seen, True], images[seen, False]), (quality, seen)
        buggy.root.stash()
        empty = rendered(base, scene, eye)
        buggy.root.unstash()
        assert not alike(images[False, True], empty), quality
