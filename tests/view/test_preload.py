"""Preloading: geometry is built and uploaded before it is drawn, all during loading or one piece a frame."""

import numpy as np
import pytest
from view_rig import ROADSTER, grass_world, rough_heights, standing_frame

from driving_sandbox.game.view.cameras.camera import apply_view
from driving_sandbox.game.view.cameras.view import View
from driving_sandbox.game.view.ground.terrain import RESELECT, TerrainChunks
from driving_sandbox.game.view.scene import Scene

WINDOW_SIZE = (128, 72)
TARGET = np.array([0.0, 0.0, 0.6])  # m, the point that the camera looks at


def resource_counts(base):
    """Counts of vertex buffers, index buffers and shaders of the graphics driver."""
    objects = base.win.getGsg().getPreparedObjects()
    return (objects.getNumPreparedVertexBuffers(), objects.getNumPreparedIndexBuffers(),
            objects.getNumPreparedShaders())  # fmt: skip


@pytest.mark.drawn
def test_approaching_a_prepared_car_uploads_nothing(base):
    scene = Scene(base, grass_world(), "high")
    try:
        for position in ((0.0, 0.0, 0.0), (3.0, 0.0, 0.0)):  # the second is not the watched one
            view = scene.add_vehicle(ROADSTER)
            view.update(standing_frame(view, position))
        scene.update(TARGET)  # builds the terrain
        scene.prepare()
        base.taskMgr.step()
        assert len(scene.preload) == 0
        uploaded_before, forms = resource_counts(base), set()
        for distance in (120.0, 60.0, 15.0, 7.0, 2.0, 15.0, 60.0):
            eye = TARGET + (0.0, -distance, 1.0)
            apply_view(base, View(eye, TARGET, fov=0.9))
            scene.update(eye)
            base.taskMgr.step()
            forms.add((view.detail.shown, view.far, view.bare))
            assert resource_counts(base) == uploaded_before, f"from {distance:g} m"
        assert len(forms) == 4  # coarse mesh, batched mesh, large parts, all parts
    finally:
        scene.close()


@pytest.mark.drawn
def test_later_geometry_is_uploaded_one_piece_a_frame(base):
    scene = Scene(base, grass_world(), "high")
    try:
        scene.prepare()
        eye = TARGET + (0.0, -30.0, 1.0)
        scene.update(eye)
        base.taskMgr.step()
        view = scene.add_vehicle(ROADSTER)
        view.root.stash()  # so that drawing does not upload it
        while len(scene.preload) > 0:
            before = resource_counts(base)
            waiting = len(scene.preload)
            scene.update(eye)
            base.taskMgr.step()
            assert waiting - len(scene.preload) in (0, 1)  # 0: a mesh was built but not yet uploaded
            vertex_buffers, index_buffers, _ = np.subtract(resource_counts(base), before)
            assert vertex_buffers <= 1 and index_buffers <= 1
        uploaded_before = resource_counts(base)
        view.root.unstash()
        base.taskMgr.step()
        vertex_buffers, index_buffers, _ = np.subtract(resource_counts(base), uploaded_before)
        assert vertex_buffers == index_buffers == 0
    finally:
        scene.close()


def test_terrain_is_built_and_uploaded_a_chunk_at_a_time_in_motion():
    built, uploaded = [], []

    class Counted(TerrainChunks):
        def build_node(self, key):
            built.append(key)
            return super().build_node(key)

    heights = np.tile(rough_heights(129), (8, 8))
    terrain = Counted(heights, (0.0, 0.0), 1.0, reach=60.0, chunk=64, prepare_path=uploaded.append)
    terrain.update((40.0, 40.0))  # a jump: all at once
    assert len(built) > 10
    path = [(40.0 + d, 40.0 + 0.5 * d) for d in np.arange(0.0, 900.0, 0.25 * RESELECT)]
    counts = []
    for point in path + path[::-1]:
        built.clear()
        uploaded.clear()
        terrain.update(point)
        counts.append(len(built) + len(uploaded))
    assert max(counts) == 1
    assert sum(counts) > 100
    drawn = {path.getName() for path in terrain.root.findAllMatches("**/+GeomNode")}
    assert drawn == {"terrain {} {} {}".format(*key) for key in terrain._shown}


def test_terrain_has_no_overlap_or_hole_while_chunks_wait_to_be_built():
    heights = np.tile(rough_heights(129), (8, 8))
    terrain = TerrainChunks(heights, (0.0, 0.0), 1.0, reach=60.0, chunk=64)
    path = [(40.0 + d, 500.0) for d in np.arange(0.0, 900.0, 20.0)]
    for point in path + path[::-1]:
        terrain.update(point)
        covered = np.zeros((16, 16), int)  # in chunks of level 0
        for level, row, column in terrain._shown:
            covered[row << level : (row + 1) << level, column << level : (column + 1) << level] += 1
        assert covered.min() == covered.max() == 1
