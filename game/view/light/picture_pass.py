"""A full-screen pass: a picture that a shader makes from others, between the scene's picture and the window."""

from __future__ import annotations

from panda3d.core import (
    Camera,
    CardMaker,
    FrameBufferProperties,
    GraphicsOutput,
    GraphicsPipe,
    NodePath,
    SamplerState,
    Texture,
    WindowProperties,
)

from driving_sandbox.game.view.gl.graphics_error import GraphicsError


def picture_card(name: str, shader, **inputs) -> NodePath:
    """A card that covers a whole picture, with a shader and its inputs."""
    maker = CardMaker(name)
    maker.setFrameFullscreenQuad()
    card = NodePath(maker.generate())
    card.setShader(shader)
    for key, value in inputs.items():
        card.setShaderInput(key, value)
    card.setDepthTest(False)
    card.setDepthWrite(False)
    card.node().setFinal(True)
    return card


def clamped(texture: Texture) -> Texture:
    """The texture with linear filtering, clamped at its border."""
    texture.setMagfilter(SamplerState.FTLinear)
    texture.setMinfilter(SamplerState.FTLinear)
    texture.setWrapU(SamplerState.WMClamp)
    texture.setWrapV(SamplerState.WMClamp)
    return texture


class PicturePass:
    """Draws into `texture` in every frame. sort: passes of a lower one are drawn first; the window's is 0."""

    def __init__(self, base, name: str, sort: int, shader, **inputs):
        self._base, self.texture = base, clamped(Texture(name))
        properties = FrameBufferProperties()
        properties.setRgbaBits(8, 8, 8, 8)
        self.buffer = base.graphicsEngine.makeOutput(
            base.pipe, name, sort, properties, WindowProperties.size(16, 16),
            GraphicsPipe.BFRefuseWindow | GraphicsPipe.BFResizeable, base.win.getGsg(), base.win,
        )  # fmt: skip
        if self.buffer is None:
            raise GraphicsError(f"the GL driver refused the buffer of the picture's {name}")
        self.buffer.setClearColorActive(False)
        self.buffer.addRenderTexture(self.texture, GraphicsOutput.RTMBindOrCopy, GraphicsOutput.RTPColor)
        self._card = picture_card(name, shader, **inputs)
        self.buffer.makeDisplayRegion().setCamera(self._card.attachNewNode(Camera(name)))

    def fit(self, width: int, height: int) -> None:
        self.buffer.setSize(max(1, width), max(1, height))

    def close(self) -> None:
        self._base.graphicsEngine.removeWindow(self.buffer)
        self.texture.releaseAll()
