"""What is brightest in a picture, small and blurred, to be laid over it as the glow of a lens.

One pass takes what lies above a knee into a quarter of the size; the graphics card's own mip levels of that are the
blur, of which smooth.frag adds three.
"""

from __future__ import annotations

from panda3d.core import (
    Camera,
    CardMaker,
    FrameBufferProperties,
    GraphicsOutput,
    GraphicsPipe,
    LVecBase4f,
    NodePath,
    PTA_LVecBase4f,
    SamplerState,
    Texture,
    WindowProperties,
)

from game.view.shading import program

SHARE = 4  # pixels of the picture for one of the glow, along a side


class Glow:
    """Draws `texture` from a picture in every frame, before the window and after the picture."""

    def __init__(self, base, picture: Texture):
        self._base = base
        self.texture = Texture("glow")
        self.texture.setMagfilter(SamplerState.FTLinear)
        self.texture.setMinfilter(SamplerState.FTLinearMipmapLinear)
        self.texture.setWrapU(SamplerState.WMClamp)
        self.texture.setWrapV(SamplerState.WMClamp)
        properties = FrameBufferProperties()
        properties.setRgbaBits(8, 8, 8, 8)
        self.buffer = base.graphicsEngine.makeOutput(
            base.pipe, "glow", -4, properties, WindowProperties.size(16, 16),
            GraphicsPipe.BFRefuseWindow | GraphicsPipe.BFResizeable, base.win.getGsg(), base.win,
        )
        if self.buffer is None:
            raise RuntimeError("the GL driver refused the buffer of the picture's glow")
        self.buffer.setClearColorActive(False)
        self.buffer.addRenderTexture(self.texture, GraphicsOutput.RTMBindOrCopy, GraphicsOutput.RTPColor)
        card = CardMaker("glow")
        card.setFrameFullscreenQuad()
        self._card = NodePath(card.generate())
        self._card.setShader(program("card", "glow", include=()))
        self._card.setShaderInput("scene_picture", picture)
        self._step = PTA_LVecBase4f([LVecBase4f(0)])
        self._card.setShaderInput("picture_step", self._step)
        self._card.setDepthTest(False)
        self._card.setDepthWrite(False)
        self._card.node().setFinal(True)
        self.buffer.makeDisplayRegion().setCamera(self._card.attachNewNode(Camera("glow")))

    def fit(self, width: int, height: int) -> None:
        """To a picture of this size."""
        self.buffer.setSize(max(1, width // SHARE), max(1, height // SHARE))
        self._step.setElement(0, LVecBase4f(1.0 / width, 1.0 / height, 0.0, 0.0))

    def close(self) -> None:
        self._base.graphicsEngine.removeWindow(self.buffer)
        self.texture.releaseAll()
