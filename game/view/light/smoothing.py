"""Draws the scene into a render target of the window's size or smaller, and shows it anti-aliased behind the HUD.

On software OpenGL, whose time is proportional to the pixels, the scene is drawn smaller; HUD and panel keep the
window's full size. The render target has the multisampling of the quality level, the window none. Without
multisampling, a pass over the image smooths the edges; a smaller image is smoothed before it is enlarged, because
smoothing afterwards would leave dots. The levels *high* and *ultra* add effects of a lens: bright areas glow slightly
(game/view/light/glow.py), and the corners are darker.
"""

from __future__ import annotations

from typing import Any

from panda3d.core import (
    Camera,
    DisplayRegion,
    FrameBufferProperties,
    GraphicsOutput,
    GraphicsPipe,
    LVecBase4f,
    PTA_LVecBase4f,
    Texture,
    WindowProperties,
)

from driving_sandbox.game.view.gl.graphics_error import GraphicsError
from driving_sandbox.game.view.gl.quality import Quality
from driving_sandbox.game.view.gl.shading import program
from driving_sandbox.game.view.light.glow import Glow
from driving_sandbox.game.view.light.screen_pass import ScreenPass, clamped, screen_card


class SmoothedScene:
    """Replaces base.cam's display regions in the window until `close`.

    Args:
        base: ShowBase.
        level: Quality, which gives scale, multisampling and lens effects.
    Attributes:
        share: share of the level's resolution that is drawn, along a side.
    """

    def __init__(self, base: Any, level: Quality) -> None:
        self._base, self._scale, self._samples = base, level.scale, level.samples
        # (width and height of the window, share) that the target was made for
        self._window: tuple[int, int, float] | None = None
        self.share = 1.0
        self._regions = [r for r in base.win.getDisplayRegions() if r.getCamera() == base.cam and r.isActive()]
        self.texture = clamped(Texture("scene picture"))
        self._size = PTA_LVecBase4f([LVecBase4f(0)])  # 1 / width and 1 / height of the target, 1/pixels
        self.buffer = self._make_buffer()
        self.buffer.addRenderTexture(self.texture, GraphicsOutput.RTMBindOrCopy, GraphicsOutput.RTPColor)
        self.buffer.makeDisplayRegion().setCamera(base.cam)
        self.glow = Glow(base, self.texture) if level.lens else None
        self._edges = None  # the pass that smooths edges before the image is enlarged, or None
        if level.scale < 1.0 and not level.samples:
            smooth = program("card", "smooth", "EDGES", "LINES", include=())
            self._edges = ScreenPass(
                base, "edges", sort=-3, shader=smooth, scene_picture=self.texture, picture_size=self._size
            )
        self._region = self._make_card()
        for region in self._regions:
            region.setActive(False)
        self.follow()

    def _make_buffer(self) -> GraphicsOutput:
        """Open the offscreen buffer that the scene is drawn into. Raises GraphicsError if the driver refuses it."""
        base, properties = self._base, FrameBufferProperties()
        properties.setRgbaBits(8, 8, 8, 8)
        properties.setDepthBits(24)
        if self._samples:
            properties.setMultisamples(self._samples)
        buffer = base.graphicsEngine.makeOutput(
            base.pipe,
            "scene picture",
            -5,  # draw order: before the passes over the image, which have -4 and -3
            properties,
            WindowProperties.size(*self._target_size()),
            GraphicsPipe.BFRefuseWindow | GraphicsPipe.BFResizeable,
            base.win.getGsg(),
            base.win,
        )
        if buffer is None:
            raise GraphicsError("the OpenGL driver refused the buffer that the scene is drawn into")
        buffer.setClearColor(base.win.getClearColor())
        return buffer

    def _make_card(self) -> DisplayRegion:
        """Cover the window with the scene's image, filtered by the smoothing shader; returns its display region."""
        edges = [] if self._samples or self._edges else ["EDGES"]
        switches = edges + (["LENS"] if self.glow else [])
        source = self._edges.texture if self._edges else self.texture
        self._card = screen_card("scene picture", program("card", "smooth", *switches, include=()),
                                  scene_picture=source, picture_size=self._size)  # fmt: skip
        if self.glow:
            self._card.setShaderInput("glow_picture", self.glow.texture)
        region = self._base.win.makeDisplayRegion()
        region.setSort(min((r.getSort() for r in self._regions), default=0))
        region.setCamera(self._card.attachNewNode(Camera("scene picture")))
        return region

    def _target_size(self) -> tuple[int, int]:
        """(width, height) of the render target, pixels."""
        window = self._base.win
        return tuple(max(1, round(size * self._scale * self.share)) for size in (window.getXSize(), window.getYSize()))

    def follow(self) -> None:
        """Adapt the render target to the window's size and `share`; to be called once a frame."""
        window = (self._base.win.getXSize(), self._base.win.getYSize(), self.share)
        if window == self._window:
            return
        self._window = window
        width, height = self._target_size()
        self.buffer.setSize(width, height)
        for screen_pass in (self.glow, self._edges):
            if screen_pass:
                screen_pass.fit(width, height)
        self._size.setElement(0, LVecBase4f(1.0 / width, 1.0 / height, 0.0, 0.0))

    def close(self) -> None:
        """Draw base.cam into the window again."""
        for screen_pass in (self.glow, self._edges):
            if screen_pass:
                screen_pass.close()
        self._base.graphicsEngine.removeWindow(self.buffer)
        self._base.win.removeDisplayRegion(self._region)
        for region in self._regions:
            region.setActive(True)
        self.texture.releaseAll()
