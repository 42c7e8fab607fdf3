"""What the mirrors of the watched vehicle show while the eye is in it: one wide picture to the rear for all of them.

A mirror's surface is drawn by vehicle.frag, which follows the ray that it turns back into the distance and reads
the picture there, so that each shows what lies behind it and moves as the head does. Exact for what is far away; the
vehicle itself and the grass are left out. Seen from outside, mirrors show the sky.
"""

from __future__ import annotations

import math

import numpy as np
from panda3d.core import (
    BitMask32,
    Camera,
    FrameBufferProperties,
    GraphicsOutput,
    GraphicsPipe,
    LMatrix4f,
    LPoint3f,
    LVecBase3f,
    NodePath,
    PerspectiveLens,
    PTA_LMatrix4f,
    RenderState,
    SamplerState,
    ShaderAttrib,
    ShaderInput,
    Texture,
    WindowProperties,
)

from game.view.shadow import OVERRIDE, TO_TEXTURE
from game.view.view import axes_of

MIRROR_MASK = BitMask32.bit(7)
SIZE = (768, 256)  # px
WIDTH = math.radians(116.0)  # both door mirrors' views to the rear, and between them the inner one's
NEAR, FAR = 0.5, 9000.0  # m


class Mirrors:
    """Of a scene whose level has full materials. `follow` each frame."""

    def __init__(self, base, scene: NodePath, sort: int = -7):
        self.texture = Texture("mirrors")
        self.texture.setMinfilter(SamplerState.FTLinear)
        self.texture.setMagfilter(SamplerState.FTLinear)
        self.texture.setWrapU(SamplerState.WMClamp)
        self.texture.setWrapV(SamplerState.WMClamp)
        properties = FrameBufferProperties()
        properties.setRgbaBits(8, 8, 8, 8)
        properties.setDepthBits(24)
        self.buffer = base.graphicsEngine.makeOutput(
            base.pipe, "mirrors", sort, properties, WindowProperties.size(*SIZE),
            GraphicsPipe.BFRefuseWindow, base.win.getGsg(), base.win,
        )  # fmt: skip
        if self.buffer is None:
            raise RuntimeError("the GL driver refused the buffer of the mirrors' picture")
        self.buffer.addRenderTexture(self.texture, GraphicsOutput.RTMBindOrCopy, GraphicsOutput.RTPColor)
        self.buffer.setActive(False)
        lens = PerspectiveLens()
        lens.setAspectRatio(SIZE[0] / SIZE[1])
        lens.setFov(math.degrees(WIDTH))
        lens.setNearFar(NEAR, FAR)
        node = Camera("mirrors", lens)
        node.setCameraMask(MIRROR_MASK)
        node.setInitialState(RenderState.make(_without_itself()))
        self.camera = scene.attachNewNode(node)
        self.buffer.makeDisplayRegion().setCamera(self.camera)
        self._scene, self._matrix = scene, PTA_LMatrix4f([LMatrix4f.identMat()])
        scene.setShaderInput("mirror_picture", self.texture)
        scene.setShaderInput("mirror_matrix", self._matrix)

    def follow(self, eye, orientation, used: bool) -> None:
        """Look back from the eye in a vehicle that is turned so, if any mirror is `used`."""
        if used != self.buffer.isActive():
            self.buffer.setActive(used)
        if not used:
            return
        _, ahead, up = axes_of(orientation)
        self.camera.setPos(*(float(v) for v in eye))
        behind = np.asarray(eye) - ahead
        self.camera.lookAt(LPoint3f(*(float(v) for v in behind)), LVecBase3f(*(float(v) for v in up)))
        projection = LMatrix4f(self.camera.node().getLens().getProjectionMat())
        self._matrix.setElement(0, LMatrix4f(self._scene.getMat(self.camera)) * projection * TO_TEXTURE)

    def close(self, base) -> None:
        base.graphicsEngine.removeWindow(self.buffer)
        self.camera.removeNode()
        self.texture.releaseAll()


def _without_itself() -> ShaderAttrib:
    """The picture must not be read while it is drawn."""
    blank = Texture("no mirrors")
    blank.setup2dTexture(1, 1, Texture.TUnsignedByte, Texture.FRgba8)
    blank.setRamImage(bytes(4))
    return ShaderAttrib.make().setShaderInput(ShaderInput("mirror_picture", blank, OVERRIDE))
