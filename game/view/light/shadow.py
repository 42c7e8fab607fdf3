"""Sun shadows by three orthographic depth maps that look along the sun.

    vehicle   the focus vehicle
    static    the near static map: all other objects near it
    far       the far static map: large distant objects

Centres are snapped to whole texels in light space, so that edges do not crawl; the two static maps are redrawn only
when their centres move by a step, and the near one also when other vehicles or objects have moved. Near its border the
near static map fades out by the distance from the position that it follows. That moves continuously; the map's centre
moves in steps, and shadows would appear suddenly. Casters other than leaf cards are thickened by half a texel to all
sides; otherwise thin bars would cast dashes. Matrices go to the shaders through arrays that are changed in place, so
that no render state changes from frame to frame.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from panda3d.core import (
    BitMask32,
    Camera,
    CullFaceAttrib,
    FrameBufferProperties,
    GraphicsOutput,
    GraphicsPipe,
    LMatrix4f,
    LPoint3f,
    LVecBase4f,
    NodePath,
    OrthographicLens,
    RenderState,
    SamplerState,
    ShaderAttrib,
    ShaderInput,
    Texture,
    Vec3,
    WindowProperties,
)

from driving_sandbox.game.view.gl.frame_inputs import FrameInputs
from driving_sandbox.game.view.gl.graphics_error import GraphicsError
from driving_sandbox.game.view.gl.quality import FAR_WIDTH, Quality
from driving_sandbox.game.view.gl.shading import program

VEHICLE_MASK, STATIC_MASK = BitMask32.bit(5), BitMask32.bit(6)
MAX_WAIT = 3  # frames that the far map waits for a frame in which the near static map is not drawn
FAR_MOVE = 30.0  # m, step by which the far map moves and is redrawn
OVERRIDE = 1000  # priority over any material's own state
CUT_OUT = "shadow", "leaves"  # tag of casters with alpha-tested leaf cards (game/view/ground/woods.py)
# numbers of parts of casters whose shader transforms each part (game/view/vehicle/batched_mesh.py): the body, and one,
# two or four parts for each of eight wheels; graphics cards take at least 64 matrices, but each costs time per draw
PART_COUNTS = (9, 17, 33)
TO_TEXTURE = LMatrix4f(0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0.5, 0, 0.5, 0.5, 0.5, 1)  # from -1..1 to 0..1


def in_parts(count: int) -> tuple[str, str]:
    """Tag (key, value) of casters with `count` parts, one of PART_COUNTS."""
    return CUT_OUT[0], f"parts {count}"


class ShadowMap:
    """A square depth map seen from the sun.

    Args:
        sun: direction to the sun.
        size: texels along a side.
        width, depth: size of the space that is covered, m.
        mask: camera mask of the casters.
        step: step by which the map moves, m, a multiple of the texel width.
    Raises GraphicsError if the driver refuses the buffer.
    """

    def __init__(self, base: Any, scene: NodePath, sun: np.ndarray, name: str, size: int, width: float, depth: float,
                 mask: BitMask32, step: float) -> None:  # fmt: skip
        self.width, self.depth, self.step = width, depth, step
        self.texture = Texture(name)
        self.texture.setup2dTexture(size, size, Texture.TFloat, Texture.FDepthComponent)
        self.texture.setMinfilter(SamplerState.FTShadow)
        self.texture.setMagfilter(SamplerState.FTShadow)
        self.texture.setWrapU(SamplerState.WMClamp)
        self.texture.setWrapV(SamplerState.WMClamp)
        properties = FrameBufferProperties()
        properties.setDepthBits(24)
        self.buffer = base.graphicsEngine.makeOutput(
            base.pipe,
            name,
            -10,  # draw order: before the images of the mirrors and the scene
            properties,
            WindowProperties.size(size, size),
            GraphicsPipe.BFRefuseWindow,
            base.win.getGsg(),
            base.win,
        )
        if self.buffer is None:
            raise GraphicsError(f"the GL driver refused the shadow buffer {name!r} of {size}x{size}")
        self.buffer.addRenderTexture(self.texture, GraphicsOutput.RTMBindOrCopy, GraphicsOutput.RTPDepth)
        self.buffer.setClearColorActive(False)
        self.camera = scene.attachNewNode(self._camera(name, size, width, depth, mask))
        self.camera.lookAt(*(-sun))
        axes = (Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1))
        self._axes = [tuple(scene.getRelativeVector(self.camera, a)) for a in axes]  # right, along the light, up
        self.buffer.makeDisplayRegion().setCamera(self.camera)
        self._scene = scene
        self._centre: list[int] | None = None  # in steps along the three axes, None to be set anew

    @staticmethod
    def _camera(name: str, size: int, width: float, depth: float, mask: BitMask32) -> Camera:
        """Camera of a shadow map, arguments as in the class; leaf cards and batched meshes get their shaders by tag."""
        lens = OrthographicLens()
        lens.setFilmSize(width, width)
        lens.setNearFar(0.0, depth)
        node = Camera(name, lens)
        node.setCameraMask(mask)
        plain = ShaderAttrib.make(program("shadow", "shadow", include=()), OVERRIDE)
        plain = plain.setShaderInput(ShaderInput("half_texel", LVecBase4f(0.5 * width / size, 0, 0, 0), OVERRIDE))
        state = RenderState.make(plain, OVERRIDE)
        node.setInitialState(state.addAttrib(CullFaceAttrib.make(CullFaceAttrib.MCullNone), OVERRIDE))
        node.setTagStateKey(CUT_OUT[0])
        by_tag = {CUT_OUT[1]: program("leaf_shadow", "leaf_shadow", include=(), vertex_include=("leaf",))}
        for count in PART_COUNTS:
            by_tag[in_parts(count)[1]] = program("shadow", "shadow", f"PARTS {count}", include=())
        for tag, shader in by_tag.items():
            node.setTagState(tag, RenderState.make(ShaderAttrib.make(shader, OVERRIDE + 1), OVERRIDE + 1))
        return node

    def follow(self, centre: Sequence[float]) -> LMatrix4f | None:
        """Centre the map on a position, m; returns the new world-to-texture matrix, or None if it has not changed."""
        snapped = self._snapped(centre)
        if snapped == self._centre:
            return None
        self._centre = snapped
        across, along, height = (steps * self.step for steps in snapped)
        along -= self.depth / 2
        self.camera.setPos(*(r * across + f * along + u * height for r, f, u in zip(*self._axes, strict=True)))
        lens = self.camera.node().getLens()
        return LMatrix4f(self._scene.getMat(self.camera)) * LMatrix4f(lens.getProjectionMat()) * TO_TEXTURE

    def _snapped(self, centre: Sequence[float]) -> list[int]:
        """A position, m, in whole steps along the map's three axes."""
        cx, cy, cz = centre
        return [round((cx * x + cy * y + cz * z) / self.step) for x, y, z in self._axes]

    def is_far_from(self, centre: Sequence[float]) -> bool:
        """Whether a position, m, is more than a step from the map's centre, as after a jump or `forget`."""
        now = self._centre
        return now is None or max(abs(a - b) for a, b in zip(self._snapped(centre), now, strict=True)) > 1

    def forget(self) -> None:
        """Let the next `follow` return a matrix even if the position is the same."""
        self._centre = None

    def redraw_once(self) -> None:
        """Draw the map in the next frame, and not after it."""
        self.buffer.setOneShot(True)
        self.buffer.setActive(True)

    def close(self, base: Any) -> None:
        """Remove the map's camera and buffer from ShowBase `base`, and free its texture."""
        base.graphicsEngine.removeWindow(self.buffer)
        self.camera.removeNode()
        self.texture.releaseAll()  # cached render states keep the texture until Panda3D collects them


class SunShadows:
    """The shadow maps of a scene; writes their matrices to the FrameInputs."""

    def __init__(self, base: Any, scene: NodePath, sun: np.ndarray, level: Quality, inputs: FrameInputs) -> None:
        size, static_size, static_width = level.vehicle_map, level.static_map, level.static_width
        texel = 8.0 / size  # m; the vehicle's map is 8 m wide
        self.vehicle = ShadowMap(
            base, scene, sun, "shadow vehicle", size, width=8.0, depth=40.0, mask=VEHICLE_MASK, step=texel
        )
        static_step = static_width / static_size * round(8.0 * static_size / static_width)  # whole texels, about 8 m
        self.static = ShadowMap(
            base,
            scene,
            sun,
            "shadow static",
            static_size,
            static_width,
            depth=400.0,
            mask=STATIC_MASK,
            step=static_step,
        )
        self.far = None
        if level.far_map:
            far_step = FAR_WIDTH / level.far_map * round(FAR_MOVE * level.far_map / FAR_WIDTH)
            self.far = ShadowMap(
                base, scene, sun, "shadow far", level.far_map, FAR_WIDTH, depth=900.0, mask=STATIC_MASK, step=far_step
            )
            scene.setShaderInput("shadow_far", self.far.texture)
        self._inputs = inputs
        self._near_drawn = 0  # frames in a row in which the near static map was drawn
        scene.setShaderInput("shadow_vehicle", self.vehicle.texture)
        scene.setShaderInput("shadow_static", self.static.texture)

    def follow(self, vehicle: Sequence[float], ahead: Sequence[float], moving_others: bool) -> LPoint3f:
        """Centre the vehicle's map on the position `vehicle`, and the static maps on `ahead`; redraw outdated ones.

        Returns the position of `ahead` in the near static map, texture coordinates (0..1).

        Args:
            ahead: a position ahead of the camera.
            moving_others: whether other objects have moved, so that the near static map must be redrawn.
        """
        matrix = self.vehicle.follow(vehicle)
        if matrix is not None:
            self._inputs.set_matrix("to_vehicle_shadow", matrix)
        matrix = self.static.follow(ahead)
        if matrix is not None:
            self._inputs.set_matrix("to_static_shadow", matrix)
        if matrix is not None or moving_others:
            self.static.redraw_once()
        self._near_drawn = 0 if matrix is None and not moving_others else self._near_drawn + 1
        # the far map waits for a frame in which the near one is not drawn, but not after a jump
        if self.far and (self._near_drawn == 0 or self._near_drawn > MAX_WAIT or self.far.is_far_from(ahead)):
            matrix = self.far.follow(ahead)
            if matrix is not None:
                self._inputs.set_matrix("to_far_shadow", matrix)
                self.far.redraw_once()
        return self._inputs.matrix("to_static_shadow").xformPoint(LPoint3f(*ahead))

    def cast_far(self, far_casters: NodePath) -> None:
        """Let only the nodes below `far_casters` cast into the far map; smaller objects would not be visible there."""
        if self.far:
            self.far.camera.node().setScene(far_casters)

    def _maps(self) -> list[ShadowMap]:
        return [shadow_map for shadow_map in (self.vehicle, self.static, self.far) if shadow_map is not None]

    def forget(self) -> None:
        """Redraw all maps at the next `follow`."""
        for shadow_map in self._maps():
            shadow_map.forget()

    def close(self, base: Any) -> None:
        """Remove all maps."""
        for shadow_map in self._maps():
            shadow_map.close(base)


def others_moved(views: Iterable[Any], centre: Sequence[float], reach: float) -> bool:
    """Whether one of these vehicles, without a map of their own, has moved within, into or out of the near static map.

    Updates their `cast_at`.

    Args:
        centre, reach: centre and half width of the near static map, m, with a margin.
    """
    x, y, has_moved = float(centre[0]), float(centre[1]), False
    for view in views:
        position = [round(v, 2) for v in view.frame.body_position.tolist()]
        near = abs(position[0] - x) < reach and abs(position[1] - y) < reach
        has_moved |= position != view.cast_at if near else view.cast_at is not None
        view.cast_at = position if near else None
    return has_moved
