"""A vehicle as one mesh: where its parts would be, with their looks, and back again without a jump."""

import numpy as np
import pytest
from panda3d.core import LMatrix4f
from view_rig import NoScene, grab, grass_world, standing_frame

from assets.build.vehicles import MODELS
from game.view import vehicle as vehicle_module
from game.view.camera import apply_view
from game.view.geometry import read_column
from game.view.scene import Scene
from game.view.shading import recipe
from game.view.vehicle import FAR, OTHERS_DISCS, VehicleView
from game.view.view import View
from game.window import NoDisplay, WindowSettings, open_window

AWAY = (0.0, -OTHERS_DISCS - 5.0, 1.0)
USUAL_FIELD = 0.977  # rad: through a longer lens it would look nearer
VERY_FAR = (0.0, -1.2 * FAR, 1.0)


def turned(view, position=(2.0, -1.0, 0.4)):
    return standing_frame(view, position, yaw=0.7, lift=0.05, steer=0.3, spin=1.1, pitch=0.1)


def placed(geom, matrix):
    """(points, materials) of a Geom under a matrix."""
    data = geom.getVertexData()
    rows = np.array([tuple(matrix.getRow(i)) for i in range(4)])
    return read_column(data, "vertex") @ rows[:3, :3] + rows[3, :3], read_column(data, "look")[:, 0]


def by_parts(view):
    """The same of all that is drawn by itself."""
    paths = [*view.hulls.values(), *([] if view.driver.isEmpty() else [view.driver]), *view.wheels]
    found = [placed(path.node().getGeom(0), path.getMat(view.root)) for path in paths]
    return tuple(np.concatenate(each) for each in zip(*found, strict=True))


def in_one(view):
    """The same of the gathered mesh, as its shader places it."""
    geom = view._gathered.path.node().getGeom(0)
    part = np.round(read_column(geom.getVertexData(), "look")[:, 2]).astype(int)
    points = np.zeros((len(part), 3))
    for index in range(1 + len(view.wheels)):
        all_points, materials = placed(geom, LMatrix4f(view._gathered._poses.getElement(index)))
        points[part == index] = all_points[part == index]
    return points, materials


@pytest.mark.parametrize("name", ["roadster", "truck", "tank", "three_wheeler"])
@pytest.mark.parametrize("eye", [AWAY, VERY_FAR])
def test_each_vertex_is_where_its_part_would_have_it(name, eye):
    view = VehicleView(NoScene(), MODELS / f"{name}.glb")
    view.update(turned(view))
    view.seen_from(eye)
    view.hands.see((0.0, 50.0, 0.0), True)  # the arms that are seen from afar
    if eye is VERY_FAR:
        view.seen_from((0.0, -1.2 * FAR, 1.0), True)  # coarse
    points, materials = by_parts(view)
    view.seen_from(eye, watched=False)
    assert view._gathered.shown
    found, looks = in_one(view)
    assert np.array_equal(looks, materials)
    assert found == pytest.approx(points, abs=2e-5)
    bounds = view._gathered.path.node().getBounds().makeCopy()
    bounds.xform(view.body.getMat(view.root))
    assert np.linalg.norm(points - np.array(bounds.getCenter()), axis=1).max() <= bounds.getRadius()


def test_near_by_each_part_is_at_once_where_it_is_then():
    view = VehicleView(NoScene(), MODELS / "roadster.glb")
    view.update(turned(view))
    view.seen_from(AWAY, watched=False)
    view.update(turned(view, (3.0, 4.0, 0.4)))
    assert all(path.isStashed() for path in view.wheels)
    view.seen_from((3.0, 0.0, 1.0), watched=False)
    assert not view._gathered.shown and view._gathered.path.isStashed()
    for path, place in zip(view.wheels, view.frame.wheel_position, strict=True):
        assert not path.isStashed() and np.array(path.getPos()) == pytest.approx(place, abs=1e-5)
    assert all(path.node().getNumGeoms() == 1 for path in view.hulls.values())


def test_neither_the_watched_one_nor_trailers_nor_those_of_the_small_picture_are_gathered():
    for name, quality, watched in (("roadster", "high", True), ("central_axle_trailer", "high", False),
                                   ("roadster", "low", False)):  # fmt: skip
        view = VehicleView(NoScene(quality), MODELS / f"{name}.glb")
        view.update(turned(view))
        view.seen_from((0.0, -60.0, 1.0), watched)
        assert view.bare or watched
        assert not view._gathered.shown, name


def test_a_part_that_is_hidden_is_not_gathered_and_comes_back():
    view = VehicleView(NoScene(), MODELS / "roadster.glb")
    view.update(turned(view))
    view.seen_from(AWAY, watched=False)
    whole = len(in_one(view)[0])
    for names, count in (((), whole - len(_hull_points(view))), (("hull1",), whole)):
        view.draw_parts(names)
        view.seen_from(AWAY, watched=False)
        assert len(in_one(view)[0]) == count


def _hull_points(view):
    return read_column(view.detail.forms(view.detail.shown)[view.hulls["hull1"]].getVertexData(), "vertex")


@pytest.mark.drawn
def test_the_picture_is_the_same_and_takes_a_change_of_quality(monkeypatch):
    try:
        base = open_window(WindowSettings(offscreen=True, size=(320, 180)))
    except NoDisplay as error:
        pytest.skip(str(error))
    scene = Scene(base, grass_world(), "medium")
    try:
        watched, other = (scene.add_vehicle(MODELS / f"{name}.glb", (0.4, 0.1, 0.02)) for name in ("roadster", "truck"))
        eye, pictures = np.array([4.0, -12.0, 3.0]), {}
        for quality in ("medium", "high"):
            scene.set_quality(quality)
            for limit in (OTHERS_DISCS, 1e6):
                monkeypatch.setattr(vehicle_module, "OTHERS_DISCS", limit)
                watched.update(standing_frame(watched, (-30.0, -10.0, 0.0)))
                other.update(turned(other, (0.0, 8.0, 0.4)))
                apply_view(base, View(eye, np.array([0.0, 8.0, 1.0]), USUAL_FIELD))
                for path in other.brakes:
                    path.hide()  # they are left out with the same step
                for _ in range(3):
                    scene.update(eye)
                    base.taskMgr.step()
                assert other._gathered.shown == (limit == OTHERS_DISCS)
                pictures[quality, other._gathered.shown] = grab(base)
            away = np.abs(pictures[quality, True] - pictures[quality, False])
            assert away.mean() < 0.002 and (away.max(axis=2) > 0.1).mean() < 0.005, quality
        assert "HIGH" in recipe(other._gathered.path.getShader())[2]
    finally:
        scene.close()
        base.destroy()
