"""The scene's offscreen buffer: resolution, anti-aliasing, lens effects, lighting by time of day."""

from types import SimpleNamespace

import numpy as np
import pytest
from panda3d.core import CardMaker, LVecBase4f, PTA_LVecBase4f, Shader, Texture
from view_rig import grab, grass_world

from driving_sandbox.game.view.cameras.camera import apply_view
from driving_sandbox.game.view.cameras.view import View
from driving_sandbox.game.view.gl.quality import DAYTIMES, LEVELS
from driving_sandbox.game.view.gl.shading import program
from driving_sandbox.game.view.light.screen_pass import ScreenPass, clamped
from driving_sandbox.game.view.scene import Scene

pytestmark = pytest.mark.drawn
WINDOW_SIZE = (320, 180)
BRIGHT, DARK = 230, 20  # grey bytes of a test image


def draw(base, scene):
    """Pixels of the scene."""
    apply_view(base, View(np.array([0.0, -8.0, 2.0]), np.array([0.0, 0.0, 1.0]), 0.9))
    scene.update((0.0, -8.0, 2.0))
    base.taskMgr.step()
    base.taskMgr.step()
    return grab(base)


def draw_into_window(scene):
    """Render into the window from now on, without the buffer."""
    scene._smoothed.close()
    scene._smoothed = SimpleNamespace(follow=lambda: None, close=lambda: None)


def blocks(image, side=4):
    """Means of squares of pixels, so that single leaves and blades of grass do not matter."""
    rows, columns = (size // side for size in image.shape[:2])
    return image.mean(axis=2).reshape(rows, side, columns, side).mean(axis=(1, 3))


def test_low_renders_the_same_image_with_fewer_pixels(base):
    scene = Scene(base, grass_world(), "low")
    try:
        scale = LEVELS["low"].scale
        assert scene._smoothed.buffer.getXSize() == round(WINDOW_SIZE[0] * scale)
        smoothed = draw(base, scene)
        draw_into_window(scene)
        plain = draw(base, scene)
        assert np.abs(blocks(smoothed) - blocks(plain)).mean() < 0.02
        assert np.abs(np.diff(smoothed, axis=1)).mean() < np.abs(np.diff(plain, axis=1)).mean() * 1.05  # not rougher
    finally:
        scene.close()


PLAIN = Shader.make(
    Shader.SL_GLSL,
    "#version 330\nuniform mat4 p3d_ModelViewProjectionMatrix; in vec4 p3d_Vertex;"
    "void main() { gl_Position = p3d_ModelViewProjectionMatrix * p3d_Vertex; }",
    "#version 330\nuniform vec4 grey; out vec4 colour; void main() { colour = grey; }",
)


def add_card(scene, left, right, y, grey):
    """Add a grey vertical card, of brightness 0..1, from x = left to x = right at y, m; the camera is at y = -8."""
    maker = CardMaker("card")
    maker.setFrame(left, right, -9.0, 9.0)
    card = scene.root.attachNewNode(maker.generate())
    card.setPosHpr(0.0, y, 2.0, 0.0, 0.0, 5.0)  # rolled: edges are staircases of one step in about eleven pixels
    card.setShader(PLAIN)
    card.setShaderInput("grey", LVecBase4f(grey, grey, grey, 1.0))


@pytest.mark.parametrize("name", LEVELS)
def test_every_level_has_its_number_of_samples_and_smooth_edges(base, name):
    scene = Scene(base, grass_world(), name)
    try:
        add_card(scene, -9.0, 9.0, y=-3.0, grey=0.6)
        add_card(scene, -9.0, 0.0, y=-4.0, grey=0.2)
        edge = draw(base, scene)[60:120, 100:220].mean(axis=2)  # the middle, with the edge of the darker card
        across = np.abs(np.diff(edge, axis=1)).max(axis=1)  # by row: the largest step between two pixels
        assert np.ptp(edge) > 0.35
        assert np.median(across) < 0.9 * np.ptp(edge), "no pixel between dark and bright"
        assert base.win.getFbProperties().getMultisamples() == 0
        assert scene._smoothed.buffer.getFbProperties().getMultisamples() == LEVELS[name].samples
    finally:
        scene.close()


def antialiased(base, image, *switches):
    """Output of the anti-aliasing pass for a square image of grey bytes.

    switches: preprocessor defines of the shader; LINES keeps lines that are one pixel wide.
    """
    side = len(image)
    texture = clamped(Texture("picture"))
    texture.setup2dTexture(side, side, Texture.TUnsignedByte, Texture.FRgba8)
    texture.setRamImage(np.ascontiguousarray(np.repeat(image[..., None], 4, axis=2)))
    size = PTA_LVecBase4f([LVecBase4f(1.0 / side, 1.0 / side, 0.0, 0.0)])
    drawn = ScreenPass(base, "edges", -3, program("card", "smooth", "EDGES", *switches, include=()),
                        scene_picture=texture, picture_size=size)  # fmt: skip
    try:
        drawn.fit(side, side)
        base.graphicsEngine.renderFrame()
        base.graphicsEngine.renderFrame()
        base.graphicsEngine.extractTextureData(drawn.texture, base.win.getGsg())
        return np.frombuffer(bytes(drawn.texture.getRamImageAs("R")), np.uint8).reshape(side, side).astype(int)
    finally:
        drawn.close()


def test_edges_are_smoothed_and_strokes_of_one_pixel_stay_dark(base):
    rows, columns = np.mgrid[:32, :32]
    edge = np.where(rows > 16 + columns // 6 - 3, BRIGHT, DARK).astype(np.uint8)  # a staircase
    smooth = antialiased(base, edge, "LINES")
    steps = np.abs(np.diff(smooth[:, 6:26], axis=1))
    assert 0 < steps.max() < 0.85 * (BRIGHT - DARK)
    letter = np.full((32, 32), BRIGHT, np.uint8)  # an 8 beside a 1, in strokes one pixel wide
    letter[10:19, 10] = letter[10:19, 13] = letter[10:19, 17] = DARK
    letter[[10, 14, 18], 10:14] = DARK
    sharp = antialiased(base, letter, "LINES")
    assert (sharp[letter == DARK] < 90).mean() > 0.9
    without_lines = antialiased(base, letter)
    assert (without_lines[letter == DARK] < 90).mean() < (sharp[letter == DARK] < 90).mean()


def test_the_lens_has_vignetting_and_bloom(base):
    scene = Scene(base, grass_world(), "high")
    try:
        sun = scene.sky.sun_direction
        eye = np.array([0.0, -8.0, 2.0])

        def towards_sun():
            apply_view(base, View(eye, eye + sun, 0.9))
            scene.update(eye)
            base.taskMgr.step()
            base.taskMgr.step()
            return grab(base)

        lens, lens_sun = draw(base, scene), towards_sun()
        draw_into_window(scene)
        plain, plain_sun = draw(base, scene), towards_sun()
        corners = np.ix_([0, 1, -2, -1], [0, 1, -2, -1])
        assert lens[corners].mean() < 0.93 * plain[corners].mean()
        middle = np.s_[80:100, 150:170]
        assert lens[middle].mean() == pytest.approx(plain[middle].mean(), rel=0.05)
        rows, columns = np.mgrid[0:180, 0:320]
        # up to 40 pixels from the sun, not saturated
        near = (np.hypot(rows - 90, columns - 160) < 40) & (plain_sun.max(axis=2) < 0.9)
        assert near.sum() > 50
        assert lens_sun[near].mean() > plain_sun[near].mean() + 0.005
    finally:
        scene.close()


def test_every_time_of_day_has_its_lighting(base):
    ground, sky, sun_height = {}, {}, {}
    for daytime in DAYTIMES:
        scene = Scene(base, grass_world(), "low", daytime)
        try:
            image = draw(base, scene)
            sky[daytime], ground[daytime] = image[:40].mean(), image[-40:].mean()
            sun_height[daytime] = float(scene.sky.sun_direction[2])
        finally:
            scene.close()
    assert sun_height["noon"] > sun_height["afternoon"] > sun_height["dusk"] > 0.0
    assert ground["dusk"] < 0.6 * ground["afternoon"]
    assert sky["dusk"] < sky["afternoon"]
    with pytest.raises(ValueError, match="time of day 'night'"):
        Scene(base, grass_world(), "low", "night")
