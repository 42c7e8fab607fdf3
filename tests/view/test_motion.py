"""Shadows, trees and posts do not pop when the camera's motion changes which of them are drawn.

The shadow of a thin object has no gaps, and gravel does not flicker.
"""

import math
from dataclasses import replace

import numpy as np
import pytest
from panda3d.core import BitMask32, GeomNode, Point2, Point3
from view_rig import grab, grass_world

from driving_sandbox.game.session.frame import WorldView
from driving_sandbox.game.view.cameras.camera import apply_view
from driving_sandbox.game.view.cameras.view import View
from driving_sandbox.game.view.gl.geometry import mesh
from driving_sandbox.game.view.ground.posts import RISEN as POSTS_RISEN
from driving_sandbox.game.view.ground.posts import VISIBLE, Posts
from driving_sandbox.game.view.ground.trees import BLOCK, RISEN
from driving_sandbox.game.view.light.shadow import STATIC_MASK
from driving_sandbox.game.view.scene import Scene

pytestmark = pytest.mark.drawn
WINDOW_SIZE = (192, 108)
STEP = 0.02  # m, so small that only a new selection changes the image
VISIBLE_CHANGE = 0.08  # of a pixel's colour, 0 to 1; a shadow on sunlit grass is twice that


def walls(positions) -> GeomNode:
    """Blocks 3 m high, 1 m long and wide, at these positions [n, 3], m."""
    corners = np.array([(x, y, z) for z in (0.0, 3.0) for x, y in ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))])
    faces = np.array([(0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7), (4, 5, 6, 7)])
    vertices = np.zeros((len(positions), 8, 10), np.float32)
    vertices[..., :3] = np.asarray(positions)[:, None] + corners
    vertices[..., 3:6], vertices[..., 6:9], vertices[..., 9] = (0.0, 0.0, 1.0), 0.5, -1.0
    triangles = np.concatenate([faces[:, [0, 1, 2]], faces[:, [0, 2, 3]]])
    node = GeomNode("walls")
    indices = np.arange(len(positions))[:, None, None] * 8 + triangles
    node.addGeom(mesh(vertices.reshape(-1, 10), indices.reshape(-1, 3), "vertex", "normal", "look"))
    return node


def drawn(base, scene, eye):
    """The image by the camera set before, after all shadow maps were updated for it; eye: its position, m."""
    for _ in range(6):  # maps are updated in turns
        scene.update(eye)
        base.taskMgr.step()
    return grab(base)


def map_moves(scene, eye, distance: float):
    """Pairs of eye positions, STEP apart, between which the static shadow map moves, over `distance` m ahead."""
    last = None
    for k in range(round(distance / STEP)):
        at = eye + (0.0, STEP * k, 0.0)
        scene.update(at)
        centre = scene._shadows.static._centre
        if last is not None and centre != last:
            yield at - (0.0, STEP, 0.0), at
        last = centre


@pytest.mark.parametrize("quality", ["low", "medium"])
def test_no_shadow_pops_when_its_map_moves(base, quality):
    scene = Scene(base, grass_world(), quality)
    try:
        scene._far_casters.attachNewNode(walls([(x, y, 0.0) for x in range(-62, 63, 4) for y in range(-62, 63, 4)]))
        eye = np.array([2.0, 0.0, 25.0])
        apply_view(base, View(eye, np.array([2.0, 40.0, 0.0]), 1.4))
        moves = list(map_moves(scene, eye, 2.0 * scene._shadows.static.step))
        assert moves
        for before, after in moves:
            change = np.abs(drawn(base, scene, before) - drawn(base, scene, after)).max(axis=2)
            assert (change > VISIBLE_CHANGE).mean() < 0.004  # hard borders of the maps: 0.025 to 0.036
        shadows = drawn(base, scene, eye)
        scene._far_casters.hide(STATIC_MASK)
        scene._shadows.forget()
        # the shadows are visible
        assert (np.abs(drawn(base, scene, eye) - shadows).max(axis=2) > VISIBLE_CHANGE).mean() > 0.03
    finally:
        scene.close()


def test_after_a_jump_the_far_shadow_map_is_drawn_at_once(base):
    """After a small move it is drawn in the frame after the near static map."""
    scene = Scene(base, grass_world(), "medium")
    try:
        shadows, eye = scene._shadows, np.array([2.0, 0.0, 25.0])

        def is_drawn():
            shadows.far.buffer.setActive(False)
            scene.update(eye)
            return shadows.far.buffer.isActive()

        assert is_drawn() and not is_drawn()
        scene.redraw_shadows()
        assert is_drawn() and not is_drawn()
        eye[1] += 1.2 * shadows.far.step
        assert not is_drawn() and is_drawn()
        eye[1] += 4.0 * shadows.far.step
        assert is_drawn()
    finally:
        scene.close()


def test_no_block_of_trees_pops(base):
    """Images just beyond and just within the draw distance of a block are equal; nearer, its trees are visible."""
    wide = WorldView(np.zeros((65, 65), np.float32), (-1024.0, -1024.0), 32.0, np.zeros((64, 64), np.uint8), ["grass"])
    scene = Scene(base, wide, "medium")
    try:
        blocks = [path.node() for path in scene.root.findAllMatches("**/+LODNode")]
        block = min((each for each in blocks if each.getCenter()[1] > 200.0), key=lambda each: abs(each.getCenter()[0]))
        for each in blocks:
            if each is not block:
                each.clearSwitches()
        scene.grass.hide()  # near grass changes more than trees
        middle, start = np.array(block.getCenter()), block.getIn(0)
        images = []
        for distance in (start + STEP / 2, start - STEP / 2, RISEN - BLOCK):
            eye = middle + (0.0, -distance, 1.5)
            apply_view(base, View(eye, middle + (0.0, 0.0, 4.0), 0.25))
            images.append(drawn(base, scene, eye))
        beyond, within, risen = images
        assert (np.abs(within - beyond).max(axis=2) > VISIBLE_CHANGE).mean() < 1e-3  # 0.009 with popping trees
        block.clearSwitches()
        assert (np.abs(drawn(base, scene, eye) - risen).max(axis=2) > VISIBLE_CHANGE).mean() > 5e-3
    finally:
        scene.close()


def test_no_block_of_posts_pops(base):
    """Images just beyond and just within the draw distance are equal; nearer, all posts have full height."""
    flat = WorldView(np.zeros((65, 65), np.float32), (-1024.0, -1024.0), 32.0, np.zeros((64, 64), np.uint8), ["grass"])
    scene = Scene(base, flat, "medium")
    try:
        scene.grass.hide()
        scene._woods.root.hide()
        post_row = Posts(np.array([(128.0 + 4.0 * k, 390.0 + 50.0 * k, 0.0, 0.0) for k in (-2.0, -1.0, 0.0, 1.0, 2.0)]))
        post_row.show(scene.level, scene.switches, scene.meshes)
        block = post_row.root.find("**/+LODNode").node()
        middle, start = np.array(block.getCenter()), block.getIn(0)
        assert start > VISIBLE + 99.0  # m to the block's centre; the nearest post is about 100 m closer
        images = []
        for distance in (start + STEP / 2, start - STEP / 2, POSTS_RISEN - 130.0):
            eye = middle + (0.0, -distance, 1.5)
            apply_view(base, View(eye, middle + (0.0, 0.0, 0.5), 0.06))
            images.append(drawn(base, scene, eye))
        beyond, within, risen = images
        assert (np.abs(within - beyond).max(axis=2) > VISIBLE_CHANGE).mean() < 1e-4
        post_row.root.hide()
        assert (np.abs(drawn(base, scene, eye) - risen).max(axis=2) > VISIBLE_CHANGE).mean() > 5e-3  # they are visible
    finally:
        scene.close()


def test_gravel_does_not_flicker(base):
    """With the camera turned down by a pixel, the image of the ground some 15 m ahead is moved by a pixel."""
    scene = Scene(base, replace(grass_world(), surface_names=["gravel"]), "medium")
    try:
        scene.grass.hide()
        # rad: field of view with pixels as wide as those of 1920 in the usual lens; pitch, down from the horizontal
        fov, pitch = 0.1, 0.12
        pixel, eye, images = 2.0 * math.tan(fov / 2.0) / WINDOW_SIZE[0], np.array([0.0, 0.0, 1.8]), []
        for down in (pitch, pitch + pixel):
            apply_view(base, View(eye, eye + (0.0, math.cos(down), -math.sin(down)), fov))
            images.append(drawn(base, scene, eye)[:, 60:-60])  # towards the sides the image moves by less
        upper, lower = images
        assert upper[30:-30].mean(axis=2).std() > 0.03  # it is not flat
        assert np.abs(lower[29:-31] - upper[30:-30]).mean() < 0.002  # 0.0013; with unfiltered slopes 0.0031
    finally:
        scene.close()


def beam(foot, along, half: float) -> GeomNode:
    """A level bar from `foot` to `foot + along`, without end faces; half: half its thickness, m."""
    ahead = np.asarray(along) / np.linalg.norm(along)
    aside, up = np.cross((0.0, 0.0, 1.0), ahead), np.array([0.0, 0.0, 1.0])
    rows = np.zeros((4, 4, 10), np.float32)
    for side, (normal, other) in enumerate(((aside, up), (up, -aside), (-aside, -up), (-up, aside))):
        for k, (share, sign) in enumerate(((0.0, -1.0), (1.0, -1.0), (1.0, 1.0), (0.0, 1.0))):
            rows[side, k, :3] = np.asarray(foot) + share * np.asarray(along) + half * (normal + sign * other)
        rows[side, :, 3:6], rows[side, :, 6:9], rows[side, :, 9] = normal, 0.3, -1.0
    node = GeomNode("bar")
    indices = np.arange(4)[:, None, None] * 4 + np.array([(0, 1, 2), (0, 2, 3)])
    node.addGeom(mesh(rows.reshape(-1, 10), indices.reshape(-1, 3), "vertex", "normal", "look"))
    return node


def test_the_shadow_of_a_bar_thinner_than_a_texel_has_no_gaps(base):
    scene = Scene(base, grass_world(), "low")
    try:
        sun, foot, along = np.asarray(scene.sky.sun_direction), np.array([-2.0, 0.0, 1.5]), np.array([4.0, 1.1, 0.0])
        bar = scene._far_casters.attachNewNode(beam(foot, along, 0.02))
        base.graphicsEngine.renderFrame()
        shadow = np.linspace(foot, foot + along, 120)[10:-10]
        shadow = shadow - sun * (shadow[:, 2:] / sun[2])  # points of the bar's axis projected onto the ground
        middle = shadow.mean(axis=0)
        eye = middle + (0.0, -0.01, 3.5)
        apply_view(base, View(eye, middle, 1.1))
        bar.hide(BitMask32.bit(0))
        shaded = drawn(base, scene, eye)
        bar.removeNode()
        scene._shadows.forget()
        lit = drawn(base, scene, eye)
        rows, columns = lit.shape[:2]
        pixels = []
        for point in shadow:
            at, in_view = base.cam.getRelativePoint(scene.root, Point3(*point)), Point2()
            assert base.camLens.project(at, in_view)
            pixels.append(
                (round((0.5 - 0.5 * in_view[1]) * rows - 0.5), round((0.5 + 0.5 * in_view[0]) * columns - 0.5))
            )
        darker = (lit - shaded).mean(axis=2)
        along_shadow = np.array([darker[j - 1 : j + 2, i - 1 : i + 2].max() for j, i in pixels])
        assert np.quantile(along_shadow, 0.1) > 0.05  # 0.073; with gaps 0.030
    finally:
        scene.close()
