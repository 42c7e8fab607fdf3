"""Grass blades: where they grow, their height, width and motion; tiles; quality levels."""

import math

import numpy as np
import pytest
from view_rig import grab, grass_world

from driving_sandbox.game.view.cameras.camera import apply_view
from driving_sandbox.game.view.cameras.view import View
from driving_sandbox.game.view.gl.quality import LEVELS, defines, level
from driving_sandbox.game.view.ground.grass import RINGS, STONES, stones, tufts
from driving_sandbox.game.view.scene import Scene

pytestmark = pytest.mark.drawn
WINDOW_SIZE = (320, 180)


def change_by_grass(base, world, height=0.5, fov_deg=50.0, drop=0.15):
    """Change of each pixel's colour by hiding the grass, [rows, columns].

    Args:
        height: height of the camera, m.
        fov_deg: horizontal field of view, degrees.
        drop: descent of the viewing direction over 5 m ahead, m.
    """
    scene = Scene(base, world, "medium")
    try:
        eye = np.array([0.3, -5.0, height])
        apply_view(base, View(eye, eye + (0.0, 5.0, -drop), math.radians(fov_deg)))
        scene.update((0.3, -5.0, height))
        images = []
        for shown in (True, False):
            scene.grass.show() if shown else scene.grass.hide()
            base.taskMgr.step()
            base.taskMgr.step()
            images.append(grab(base))
        return np.abs(images[0] - images[1]).max(axis=2)
    finally:
        scene.close()


def test_grass_grows_on_grass_only(base):
    meadow, pad = grass_world(), grass_world()
    pad.surface_names = ["asphalt"]
    on_meadow = change_by_grass(base, meadow)
    assert (on_meadow[100:] > 0.04).mean() > 0.15
    assert on_meadow[:40].max() < 0.02  # the sky is unchanged
    assert change_by_grass(base, pad).max() < 0.02


def test_grass_is_at_the_height_of_the_ground(base):
    """If meadow and camera are raised by 40 m, grass is in the same rows of the image."""
    high = grass_world()
    high.heights = high.heights + np.float32(40.0)
    low, lifted = change_by_grass(base, grass_world()), change_by_grass(base, high, 40.5)
    assert np.corrcoef(low.mean(axis=1), lifted.mean(axis=1))[0, 1] > 0.97
    assert lifted.mean() == pytest.approx(low.mean(), rel=0.15)


def test_a_long_lens_does_not_widen_blades(base):
    """Blades are widened with distance to cover pixels; the pixels of a long lens are small."""
    fov, distance, eye = 6.0, 17.0, 1.5
    is_grass = change_by_grass(base, grass_world(), eye, fov, 5.0 * eye / distance) > 0.04
    pixel = 2.0 * distance * math.tan(math.radians(fov / 2.0)) / WINDOW_SIZE[0]  # m on the ground in the middle
    edges = np.flatnonzero(np.diff(np.pad(is_grass, ((0, 0), (1, 1))).astype(int).ravel()))
    widths = (edges[1::2] - edges[::2]) * pixel
    assert len(widths) > 100
    assert widths.mean() < 0.018  # m; 0.026 where they were widened as for the usual lens


def test_grass_moves_with_simulated_time_only(base):
    """So replays show the same motion, and a pause stops it."""
    scene = Scene(base, grass_world(), "medium")
    try:
        eye = np.array([0.3, -5.0, 0.5])
        apply_view(base, View(eye, np.array([0.3, 0.0, 0.2]), math.radians(50.0)))
        images = []
        for time in (4.0, 5.0, 4.0):
            for _ in range(6):  # shadow maps are updated in turns
                scene.update(eye, time)
                base.taskMgr.step()
            images.append(grab(base))
        assert np.array_equal(images[0], images[2])
        assert (np.abs(images[0] - images[1]).max(axis=2) > 0.04).mean() > 0.02
    finally:
        scene.close()


def test_tiles_are_reproducible_and_blades_point_up():
    for ring in RINGS:
        rows, triangles = tufts(ring, np.random.default_rng(1))
        again, _ = tufts(ring, np.random.default_rng(1))
        assert np.array_equal(rows, again)
        assert triangles.max() == len(rows) - 1 and rows[:, 2].min() == 0.0
        assert 0.2 < rows[:, 2].max() < 0.3  # m, of the tip of the highest blade
        assert rows[:, 3:6].min() >= 0.0 and rows[:, 3:6].max() <= 1.0  # place of the root in the tile, random number
    rows, triangles = stones(STONES, 0.5, np.random.default_rng(1))
    assert np.allclose(np.linalg.norm(rows[:, 6:9], axis=1), 1.0, atol=1e-5)  # normals
    stone_count = int(STONES.density * STONES.period**2 * 0.5)
    assert len(triangles) * 3 == len(rows) == stone_count * 13 * 3  # a stone has 13 triangles


def test_higher_quality_levels_never_draw_less():
    order = list(LEVELS.values())
    for lower, higher in zip(order, order[1:], strict=False):
        for name in (
            "vehicle_map",
            "static_map",
            "scale",
            "samples",
            "trees",
            "leaves",
            "grass",
            "stones",
            "particles",
        ):
            assert getattr(higher, name) >= getattr(lower, name), name
    assert defines("LOW") == level("low").defines and defines("STONES") == ("STONES",)
    *ultra, far = defines("ULTRA")  # it has a far map
    assert tuple(ultra) == level("ultra").defines and far.startswith("FAR_SCALE 0.")
    with pytest.raises(ValueError, match="must be auto, low, medium, high or ultra"):
        level("best")
