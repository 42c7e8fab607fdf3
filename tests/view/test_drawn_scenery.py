"""Drawn scenery: finish, colour and height of faces, fences as separate nodes, and errors in files."""

import numpy as np
import pytest

from driving_sandbox.game.view.gl.geometry import read_column
from driving_sandbox.game.view.ground.scenery import FINISHES, load_scenery, read_scenery
from driving_sandbox.game.view.light.shadow import STATIC_MASK

WALL = np.array([[10.0, 0.0, 7.0], [10.0, 4.0, 7.0], [10.0, 4.0, 10.0], [10.0, 0.0, 10.0]], np.float32)  # faces +x
FACES = np.array([[0, 1, 2], [0, 2, 3]], np.uint16)


def write_walls(path, *finishes, floor=7.0, names=FINISHES):
    """Write a scenery file with one wall for each finish; returns its path.

    floor: height of the floor at the wall, m. names: the finishes that the file declares.
    """
    count = len(finishes)
    # per vertex: red, green, blue, index of the finish
    looks = np.array([[51, 102, 153, FINISHES.index(finish)] for finish in finishes for _ in WALL], np.uint8)
    np.savez(path, finishes=np.array(names), places=np.tile(WALL, (count, 1)), looks=looks,
             floors=np.full(4 * count, floor, np.float32),
             triangles=np.concatenate([FACES + 4 * k for k in range(count)]).astype(np.uint16))  # fmt: skip
    return path


@pytest.mark.parametrize("floor", [7.0, 6.5])
def test_a_wall_has_its_finish_colour_and_height_above_the_floor(tmp_path, floor):
    # columns: position, normal, albedo, finish, distances along and up the face
    rows = read_scenery(write_walls(tmp_path / "w.npz", "sheet", floor=floor)).reshape(-1, 12)
    assert rows[:, 3:6] == pytest.approx(np.tile([1.0, 0.0, 0.0], (6, 1)), abs=1e-6)
    assert rows[:, 6:9] == pytest.approx(np.tile([0.2, 0.4, 0.6], (6, 1)), abs=1e-6)
    assert (rows[:, 9] == FINISHES.index("sheet")).all()
    assert np.ptp(rows[:, 10]) == pytest.approx(4.0)
    assert rows[:, 11] == pytest.approx(rows[:, 2] - floor, abs=1e-5)


def test_a_fence_is_a_separate_node_without_shadow(tmp_path):
    scenery = load_scenery(write_walls(tmp_path / "w.npz", "sheet", "mesh", "steel"))
    solid, fence = (scenery.find(f"**/{name}*").node() for name in ("scenery", "fence"))
    counts = [len(read_column(node.getGeom(0).getVertexData(), "vertex")) for node in (solid, fence)]
    assert counts == [12, 6] and scenery.getNumChildren() == 2
    # the fence is hidden from the camera of the static shadow map, the wall is not
    assert (fence.getDrawShowMask() & STATIC_MASK).isZero()
    assert (solid.getDrawControlMask() & STATIC_MASK).isZero()


def test_an_unknown_finish_is_named(tmp_path):
    with pytest.raises(ValueError, match="velvet.*known: sheet"):
        load_scenery(write_walls(tmp_path / "w.npz", "sheet", names=(*FINISHES, "velvet")))
