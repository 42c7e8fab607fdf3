"""The images that the mirrors of the watched vehicle show while the eye is in it.

A mirror's surface is drawn by mirror.frag, which samples an image in the direction of the reflected ray, so that the
content of each mirror shifts with the head. There are two layers: a wide rear image, drawn from the eye and shared by
all mirrors, exact for distant objects; and in front of it an image from each outside mirror along the vehicle's own
flank, with all trailers. The level *low* has no rear image: the shader paints the sky, and road and ground on the plane
below the vehicle. There, only one flank is redrawn every FLANK_PERIOD frames, left and right in turn.

Seen from outside the vehicle, mirrors show the sky, and on *low* that plane as well.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

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
    LVecBase4f,
    NodePath,
    PerspectiveLens,
    PTA_LMatrix4f,
    RenderState,
    ShaderAttrib,
    ShaderInput,
    Texture,
    WindowProperties,
)

from driving_sandbox.game.view.cameras.view import axes_of
from driving_sandbox.game.view.gl.graphics_error import GraphicsError
from driving_sandbox.game.view.gl.quality import Quality
from driving_sandbox.game.view.light.screen_pass import clamped
from driving_sandbox.game.view.light.shadow import OVERRIDE, TO_TEXTURE

MIRROR_MASK, FLANK_MASK = BitMask32.bit(7), BitMask32.bit(8)
SIZE = (768, 256)  # pixels of the rear image
WIDTH = math.radians(116.0)  # field of view of the rear image: contains the views of inside and outside mirrors
NEAR, FAR = 0.5, 9000.0  # m, clipping planes of the rear image
FLANK_WIDTH = math.radians(44.0)  # field of view of a convex mirror, with a margin for a head that moves
FLANK_HEIGHT = math.radians(34.0)  # the same, vertically
FLANK_NEAR = 0.1  # m, near clipping plane, beyond the mirror's own housing
FLANK_FAR = 80.0  # m, far clipping plane, beyond the end of any trailer
FLANK_SIZE, SMALL_FLANK_SIZE = (512, 384), (128, 96)  # pixels of each side; the small size on *low*
FLANK_PERIOD = 8  # frames between drawing one side and the other on *low*: only light and trailers change in them


class Mirrors:
    """The rear image and the flanks. Call `watch` when the watched vehicle or the set of vehicles changes, `follow` in
    each frame.

    Args:
        sort: draw order of the images, before the scene's (game/view/light/smoothing.py).
    """

    def __init__(self, base: Any, scene: NodePath, level: Quality, sort: int = -7) -> None:
        self.rear = Rear(base, scene, sort) if level.full else None
        self.flanks = Flanks(base, scene, FLANK_SIZE if level.full else SMALL_FLANK_SIZE,
                             0 if level.full else FLANK_PERIOD, sort)  # fmt: skip
        self._view: Any = None  # VehicleView that is watched, or None

    def watch(self, view: Any, vehicles: Iterable[Any]) -> None:
        """Show the images in the mirrors of this VehicleView, or of none.

        Args:
            vehicles: all VehicleViews.
        """
        self._view = view
        for vehicle in vehicles:
            vehicle.show_in_flanks(vehicle is view or vehicle.is_trailer)
        if view is not None:
            self.flanks.mount(view)

    def follow(self, eye: Sequence[float], inside: bool) -> None:
        """Draw the images for an eye at a position, if the eye is `inside` the watched vehicle and this has mirrors."""
        is_needed = inside and self._view is not None and bool(self._view.mirrors)
        self.flanks.follow(is_needed)
        if self.rear:
            self.rear.follow(eye, self._view.frame.body_orientation if is_needed else None)

    def close(self, base: Any) -> None:
        """Remove the cameras and buffers of both images from ShowBase `base`."""
        for layer in (self.rear, self.flanks):
            if layer:
                layer.close(base)


def _buffer(base: Any, name: str, size: tuple[int, int], sort: int) -> tuple[GraphicsOutput, Texture]:
    """(buffer, texture) of a new render target. Raises GraphicsError."""
    texture = clamped(Texture(name))
    properties = FrameBufferProperties()
    properties.setRgbaBits(8, 8, 8, 8)
    properties.setDepthBits(24)
    buffer = base.graphicsEngine.makeOutput(
        base.pipe, name, sort, properties, WindowProperties.size(*size),
        GraphicsPipe.BFRefuseWindow, base.win.getGsg(), base.win,
    )  # fmt: skip
    if buffer is None:
        raise GraphicsError(f"the OpenGL driver refused the buffer of the {name}")
    buffer.addRenderTexture(texture, GraphicsOutput.RTMBindOrCopy, GraphicsOutput.RTPColor)
    buffer.setActive(False)
    return buffer, texture


class Rear:
    """The rear image, which leaves out the watched vehicle, all trailers, and grass."""

    def __init__(self, base: Any, scene: NodePath, sort: int) -> None:
        self.buffer, self.texture = _buffer(base, "mirrors", SIZE, sort)
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

    def follow(self, eye: Sequence[float], orientation: np.ndarray | None) -> None:
        """Look back from the eye in a vehicle of this orientation; None if the image is not needed."""
        if (orientation is not None) != self.buffer.isActive():
            self.buffer.setActive(orientation is not None)
        if orientation is None:
            return
        _, forward, up = axes_of(orientation)
        self.camera.setPos(*(float(v) for v in eye))
        behind = np.asarray(eye) - forward
        self.camera.lookAt(LPoint3f(*(float(v) for v in behind)), LVecBase3f(*(float(v) for v in up)))
        projection = LMatrix4f(self.camera.node().getLens().getProjectionMat())
        self._matrix.setElement(0, LMatrix4f(self._scene.getMat(self.camera)) * projection * TO_TEXTURE)

    def close(self, base: Any) -> None:
        """Remove the camera and the buffer, and free the image."""
        base.graphicsEngine.removeWindow(self.buffer)
        self.camera.removeNode()
        self.texture.releaseAll()


class Flanks:
    """The vehicle's sides as seen from both outside mirrors, left and right in one image, transparent elsewhere.

    Args:
        size: (width, height) of each side, pixels.
        period: frames from drawing one side to drawing the other, after both in the first frame; 0 to draw both in
            every frame.
    """

    def __init__(self, base: Any, scene: NodePath, size: tuple[int, int], period: int, sort: int) -> None:
        self.buffer, self.texture = _buffer(base, "flanks", (2 * size[0], size[1]), sort)
        self.buffer.setClearColorActive(False)
        self.buffer.setClearDepthActive(False)  # each side's region clears itself
        self._period, self._age = period, 0  # _age: frames for which the image has been needed
        lens = PerspectiveLens()
        lens.setFov(math.degrees(FLANK_WIDTH), math.degrees(FLANK_HEIGHT))
        lens.setNearFar(FLANK_NEAR, FLANK_FAR)
        self.cameras, self._regions = [], []
        for left in (0.0, 0.5):
            node = Camera("flank", lens)
            node.setCameraMask(FLANK_MASK)
            self.cameras.append(NodePath(node))
            region = self.buffer.makeDisplayRegion(left, left + 0.5, 0.0, 1.0)
            region.setCamera(self.cameras[-1])
            region.setClearColor(LVecBase4f(0.0))
            region.setClearColorActive(True)
            region.setClearDepthActive(True)
            self._regions.append(region)
        scene.hide(FLANK_MASK)
        self._scene, self._matrices = scene, PTA_LMatrix4f([LMatrix4f.identMat()] * 2)
        scene.setShaderInput("flank_picture", self.texture)
        scene.setShaderInput("flank_matrix", self._matrices)

    def mount(self, view: Any) -> None:
        """Put the cameras at the outside mirrors of this VehicleView, looking back."""
        for camera, position in zip(self.cameras, view.mirror_positions, strict=True):
            camera.node().setActive(position is not None)
            if position is not None:
                camera.reparentTo(view.body)
                camera.setPosHpr(*position, 180.0, 0.0, 0.0)
            else:
                camera.detachNode()
        self._age = 0

    def follow(self, is_needed: bool) -> None:
        """Draw the sides that are due in this frame, and update the shader's matrices, while the image is needed."""
        is_needed = is_needed and any(camera.hasParent() for camera in self.cameras)
        turn, frames_since = divmod(self._age, self._period) if self._period else (0, 0)
        is_due = is_needed and not frames_since
        if is_due != self.buffer.isActive():
            self.buffer.setActive(is_due)
        self._age = self._age + 1 if is_needed else 0
        if not is_needed:
            return
        for index, (camera, region) in enumerate(zip(self.cameras, self._regions, strict=True)):
            region.setActive(turn == 0 or turn % 2 == index)  # both at first, then the sides in turn
            if camera.hasParent():
                projection = LMatrix4f(camera.node().getLens().getProjectionMat())
                self._matrices.setElement(index, LMatrix4f(self._scene.getMat(camera)) * projection * TO_TEXTURE)

    def close(self, base: Any) -> None:
        """Remove the cameras and the buffer, and free the image."""
        base.graphicsEngine.removeWindow(self.buffer)
        for camera in self.cameras:
            camera.removeNode()
        self.texture.releaseAll()


def _without_itself() -> ShaderAttrib:
    """Shader input that replaces the rear image by a blank one while the rear image is drawn."""
    blank = Texture("no mirrors")
    blank.setup2dTexture(1, 1, Texture.TUnsignedByte, Texture.FRgba8)
    blank.setRamImage(bytes(4))
    return ShaderAttrib.make().setShaderInput(ShaderInput("mirror_picture", blank, OVERRIDE))
