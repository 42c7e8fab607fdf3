"""A full-screen pass: a shader that makes an image from other images, between the drawn scene and the window."""

from __future__ import annotations

from typing import Any

from panda3d.core import (
    Camera,
    CardMaker,
    FrameBufferProperties,
    GraphicsOutput,
    GraphicsPipe,
    NodePath,
    SamplerState,
    Shader,
    Texture,
    WindowProperties,
)

from driving_sandbox.game.view.gl.graphics_error import GraphicsError


def screen_card(name: str, shader: Shader, **inputs: Any) -> NodePath:
    """A card that covers the whole render target, with a shader and its inputs."""
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
    """Set a texture to linear filtering, clamped at its border; returns the texture."""
    texture.setMagfilter(SamplerState.FTLinear)
    texture.setMinfilter(SamplerState.FTLinear)
    texture.setWrapU(SamplerState.WMClamp)
    texture.setWrapV(SamplerState.WMClamp)
    return texture


class ScreenPass:
    """Draws a shader's result into `texture` in every frame.

    Args:
        sort: draw order; passes with lower numbers are drawn first; the window has 0.
        inputs: inputs of the shader.
    Raises GraphicsError if the driver refuses the buffer.
    """

    def __init__(self, base: Any, name: str, sort: int, shader: Shader, **inputs: Any) -> None:
        self._base, self.texture = base, clamped(Texture(name))
        properties = FrameBufferProperties()
        properties.setRgbaBits(8, 8, 8, 8)
        self.buffer = base.graphicsEngine.makeOutput(
            base.pipe, name, sort, properties, WindowProperties.size(16, 16),
            GraphicsPipe.BFRefuseWindow | GraphicsPipe.BFResizeable, base.win.getGsg(), base.win,
        )  # fmt: skip
        if self.buffer is None:
            raise GraphicsError(f"the OpenGL driver refused the buffer of the pass {name!r}")
        self.buffer.setClearColorActive(False)
        self.buffer.addRenderTexture(self.texture, GraphicsOutput.RTMBindOrCopy, GraphicsOutput.RTPColor)
        self._card = screen_card(name, shader, **inputs)
        self.buffer.makeDisplayRegion().setCamera(self._card.attachNewNode(Camera(name)))

    def fit(self, width: int, height: int) -> None:
        """Set the size of the image, pixels."""
        self.buffer.setSize(max(1, width), max(1, height))

    def close(self) -> None:
        """Remove the pass and free its texture."""
        self._base.graphicsEngine.removeWindow(self.buffer)
        self.texture.releaseAll()
