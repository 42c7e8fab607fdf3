"""What is drawn for the first time was made and handed over before: one piece a frame, all of it behind the loading
picture."""

import numpy as np
import pytest
from view_rig import ROADSTER, grass_world, rough_heights, standing_frame

from driving_sandbox.game.view.cameras.camera import apply_view
from driving_sandbox.game.view.cameras.view import View
from driving_sandbox.game.view.ground.terrain import RESELECT, TerrainChunks
from driving_sandbox.game.view.scene import Scene

PICTURE_SIZE = (128, 72)
AT = np.array([0.0, 0.0, 0.6])


def held(base):
    """Buffers and shaders that the driver has."""
    objects = base.win.getGsg().getPreparedObjects()
    return (objects.getNumPreparedVertexBuffers(), objects.getNumPreparedIndexBuffers(),
            objects.getNumPreparedShaders())  # fmt: skip


@pytest.mark.drawn
def test_once_prepared_nothing_new_reaches_the_driver_when_a_standing_car_comes_near(base):
    scene = Scene(base, grass_world(), "high")
    try:
        for place in ((0.0, 0.0, 0.0), (3.0, 0.0, 0.0)):  # the second is not the one watched
            view = scene.add_vehicle(ROADSTER)
            view.update(standing_frame(view, place))
        scene.update(AT)  # lays the ground
        scene.prepare()
        base.taskMgr.step()
        assert len(scene.preload) == 0
        known, forms = held(base), set()
        for away in (120.0, 60.0, 15.0, 7.0, 2.0, 15.0, 60.0):
            eye = AT + (0.0, -away, 1.0)
            apply_view(base, View(eye, AT, 0.9))
            scene.update(eye)
            base.taskMgr.step()
            forms.add((view.detail.shown, view.far, view.bare))
            assert held(base) == known, f"from {away:g} m"
        assert len(forms) == 4  # as one coarse mesh, as one, in parts, with all of its small parts
    finally:
        scene.close()


@pytest.mark.drawn
def test_what_comes_later_is_handed_over_one_piece_a_frame(base):
    scene = Scene(base, grass_world(), "high")
    try:
        scene.prepare()
        eye = AT + (0.0, -30.0, 1.0)
        scene.update(eye)
        base.taskMgr.step()
        view = scene.add_vehicle(ROADSTER)
        view.root.stash()  # nothing of it is drawn by itself
        while len(scene.preload) > 0:
            vertices, indices, _ = held(base)
            waiting = len(scene.preload)
            scene.update(eye)
            base.taskMgr.step()
            assert waiting - len(scene.preload) in (0, 1)  # 0: a mesh was made and still is to be handed over
            assert held(base)[0] - vertices <= 1
            assert held(base)[1] - indices <= 1
        known = held(base)
        view.root.unstash()
        base.taskMgr.step()
        assert held(base)[:2] == known[:2]
    finally:
        scene.close()


def test_ground_is_made_and_handed_over_a_chunk_at_a_time_while_the_camera_drives():
    made, handed = [], []

    class Counted(TerrainChunks):
        def node(self, key):
            made.append(key)
            return super().node(key)

    heights = np.tile(rough_heights(129), (8, 8))
    terrain = Counted(heights, (0.0, 0.0), 1.0, reach=60.0, chunk=64, prepare_path=handed.append)
    terrain.update((40.0, 40.0))  # put there: all at once
    assert len(made) > 10
    way = [(40.0 + d, 40.0 + 0.5 * d) for d in np.arange(0.0, 900.0, 0.25 * RESELECT)]
    counts = []
    for place in way + way[::-1]:
        made.clear()
        handed.clear()
        terrain.update(place)
        counts.append(len(made) + len(handed))
    assert max(counts) == 1
    assert sum(counts) > 100
    drawn = {path.getName() for path in terrain.root.findAllMatches("**/+GeomNode")}
    assert drawn == {"terrain {} {} {}".format(*key) for key in terrain._shown}


def test_ground_is_never_drawn_twice_or_left_out_while_chunks_wait():
    heights = np.tile(rough_heights(129), (8, 8))
    terrain = TerrainChunks(heights, (0.0, 0.0), 1.0, reach=60.0, chunk=64)
    way = [(40.0 + d, 500.0) for d in np.arange(0.0, 900.0, 20.0)]
    for place in way + way[::-1]:
        terrain.update(place)
        covered = np.zeros((16, 16), int)  # in chunks of level 0
        for level, row, column in terrain._shown:
            covered[row << level : (row + 1) << level, column << level : (column + 1) << level] += 1
        assert covered.min() == covered.max() == 1
