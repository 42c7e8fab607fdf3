"""The cheap ground shadow of a vehicle, without a shadow map: a rectangle below it, and its shadow along the sun.

The rectangle lies on the ground below the car, with the car's heading, and darkens the ground by
    texture * (intensity_dark inside the projected shadow, intensity_light outside it).
The projected shadow is that of a low-detail model: a point p of the model goes to p - s (p_z - z) / s_z, with the
direction s to the sun and the height z of the ground below the car. The projected shadow darkens by at least
`intensity`, inside and outside the rectangle. Its outline is the polygon of EDGES tangents d_k = max n_k . p around
the projected points, whose first normal n_0 is to the right of the car: exact for sides along the car's axes,
otherwise too large by up to 1 - cos(pi / EDGES), 0.9 %, of the radius. With `soft` the edge fades over SOFT_EDGE,
otherwise it is sharp. Names and meanings are those of Racer's documentation (car.shadow.*, graphics.shadow.*). Limits:
the model is treated as convex and the ground as level within the shadow; the shadow falls on the ground only, not on
cars and walls.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from panda3d.core import (
    BoundingSphere,
    ColorBlendAttrib,
    GeomNode,
    LPoint3f,
    LVecBase4f,
    NodePath,
    PTA_LVecBase4f,
    SamplerState,
    Texture,
)

from driving_sandbox.game.view.gl.geometry import column_of, matrix_array, mesh
from driving_sandbox.game.view.gl.shading import program, texture_2d
from driving_sandbox.game.view.light.shadow import STATIC_MASK, VEHICLE_MASK

EDGES = 24  # tangents around the projected shadow
SOFT_EDGE = 0.35  # m, width of a soft edge
GRID = 9  # vertices along a side of the mesh, which follows uneven ground
LIFT = 0.02  # m above the ground
REACH = 14.0  # m from the vehicle, where long shadows of a low sun are cut off
TEXTURE_SIZE = 64  # texels along a side of the default texture
SHADOW_MODELS = ("shadow", "hullproxy1", "hull1")  # model nodes that may serve as the low-detail model, best first


@dataclass(frozen=True)
class GroundShadowSettings:
    """Settings of the ground shadow.

    Attributes:
        width, length: size of the rectangle, m; None for 1.15 times the vehicle's width and 1.1 times its length.
        texture: darkness 0..1 over the rectangle [rows to the front, columns to the right]; None for one with a soft
            border.
        intensity_light, intensity_dark, intensity: shares of light taken away, see the module's docstring.
        soft: whether the projected shadow has a soft edge (graphics.shadow.use_shaders).
    """

    width: float | None = None
    length: float | None = None
    texture: np.ndarray | None = None
    intensity_light: float = 0.3
    intensity_dark: float = 0.7
    intensity: float = 0.3
    soft: bool = False


def soft_texture(size: int = TEXTURE_SIZE) -> np.ndarray:
    """[size, size] darkness: 1 in the middle, falling to 0 over the outer 35 % to the border."""
    line = np.abs((np.arange(size) + 0.5) / size * 2.0 - 1.0)
    fade = np.clip((1.0 - line) / 0.35, 0.0, 1.0)
    fade = fade * fade * (3.0 - 2.0 * fade)
    return np.outer(fade, fade)


def outline(points: np.ndarray, sun: np.ndarray, ground: float, heading: float) -> np.ndarray:
    """[EDGES, 3] tangents (n_x, n_y, d) around the shadow of world points [n, 3]; q is inside if all n . q <= d.

    Args:
        sun: direction to the sun.
        ground: height of the ground, m.
        heading: of the vehicle, rad.
    """
    projected = points[:, :2] - np.outer((points[:, 2] - ground) / max(sun[2], 1e-3), sun[:2])
    azimuths = heading + 2.0 * math.pi * np.arange(EDGES) / EDGES
    normals = np.column_stack([np.cos(azimuths), np.sin(azimuths)])
    return np.column_stack([normals, (projected @ normals.T).max(axis=0)])


def model_points(model: Any, names: tuple[str, ...] = SHADOW_MODELS) -> np.ndarray:
    """Points [n, 3] of the first of these nodes that a vehicle's model has, in the model frame, m."""
    for name in names:
        part = model.parts.get(name)
        if part is not None and part.shape is not None:
            return part.shape
        if part is not None and part.opaque is not None:
            return column_of(part.opaque.getGeom(0), "vertex").astype(float)[:, :3]
    return np.zeros((1, 3))


class GroundShadow:
    """The ground shadow of one VehicleView; call `update` after the view's."""

    def __init__(self, scene: Any, view: Any, settings: GroundShadowSettings) -> None:
        self.view, self.settings = view, settings
        self.width = settings.width or 2.3 * float(view.half_size[0])
        self.length = settings.length or 2.2 * float(view.half_size[1])
        self.edges = np.zeros((EDGES, 3))  # as from `outline`, with x and y from the vehicle's position
        self.corners = np.zeros((4, 3))  # corners of the rectangle: rear left, rear right, front right, front left
        self._points = model_points(view.model)
        self._ground = scene.ground_heights
        self._node = GeomNode("ground shadow")
        self.set_sun(scene.sky.sun_direction)
        self._data = PTA_LVecBase4f([LVecBase4f(0) for _ in range(EDGES)])  # `edges` for the shader
        self._rows = np.zeros((GRID, GRID, 7), np.float32)  # vertices of the mesh, see `_update_grid`
        self.path = self._attach(scene)

    def set_sun(self, direction: Sequence[float] | np.ndarray) -> None:
        """Set the direction to the sun."""
        self._sun = np.asarray(direction, float)
        shadow_length = float(self._points[:, 2].max()) / max(float(self._sun[2]), 1e-3)
        # half width of the mesh, m: half the rectangle's diagonal with a margin of 20 %, and the shadow's length
        self._half = min(REACH, 0.6 * math.hypot(self.width, self.length) + shadow_length)
        self._node.setBounds(BoundingSphere(LPoint3f(0, 0, 0), 2.0 * self._half))

    def _attach(self, scene: Any) -> NodePath:
        """Add the shadow's mesh, a grid of GRID x GRID points on the ground, to a scene; returns its NodePath."""
        first = (np.arange(GRID - 1)[:, None] * GRID + np.arange(GRID - 1)).reshape(-1, 1)
        quads = np.concatenate([first + (0, 1, GRID + 1), first + (0, GRID + 1, GRID)])
        self._node.addGeom(mesh(self._rows.reshape(-1, 7), quads, "vertex", "look"))
        self._node.setFinal(True)
        path = scene.root.attachNewNode(self._node)
        path.setShader(program("ground_shadow", "ground_shadow", f"EDGES {EDGES}", include=()))
        s = self.settings
        path.setShaderInput("strength", LVecBase4f(s.intensity_light, s.intensity_dark, s.intensity,
                                                   SOFT_EDGE if s.soft else 0.0))  # fmt: skip
        path.setShaderInput("edges", self._data)
        path.setShaderInput("fall_off", self._texture())
        path.setAttrib(
            ColorBlendAttrib.make(
                ColorBlendAttrib.MAdd, ColorBlendAttrib.OIncomingAlpha, ColorBlendAttrib.OOneMinusIncomingAlpha
            )
        )
        path.setBin("fixed", -10)  # before lines on the ground (0) and particles (5)
        path.setDepthWrite(False)
        path.setDepthOffset(1)
        path.hide(VEHICLE_MASK | STATIC_MASK)
        return path

    def _texture(self) -> Texture:
        """Texture of the rectangle's darkness."""
        values = soft_texture() if self.settings.texture is None else self.settings.texture
        pixels = np.repeat((np.clip(values, 0.0, 1.0) * 255.0).astype(np.uint8)[..., None], 4, axis=2)
        texture = texture_2d("ground shadow", pixels, mipmaps=False)
        texture.setWrapU(SamplerState.WMClamp)
        texture.setWrapV(SamplerState.WMClamp)
        return texture

    def update(self) -> None:
        """Move the shadow to the vehicle's pose."""
        frame = self.view.frame
        if frame is None:
            return
        x, y, _ = (float(v) for v in frame.body_position)
        rotation = matrix_array(self.view.body.getMat())[:3, :3]
        heading = math.atan2(-rotation[1, 0], rotation[1, 1])
        ground = float(self._ground(np.array([x]), np.array([y]))[0])
        points = self._points @ rotation + np.asarray(frame.body_position)
        self.edges = outline(points - (x, y, 0.0), self._sun, ground, heading)
        np.asarray(memoryview(self._data))[:, :3] = self.edges
        self._update_grid(x, y, ground, heading)

    def _update_grid(self, x: float, y: float, ground: float, heading: float) -> None:
        """Lay the grid on the ground around the vehicle, and write its texture coordinates.

        Args:
            x, y: position of the vehicle, m.
            ground: height of the ground there, m.
            heading: of the vehicle, rad.
        """
        c, s = math.cos(heading), math.sin(heading)
        step = np.linspace(-self._half, self._half, GRID)
        dx, dy = np.meshgrid(step, step)
        rows = self._rows
        rows[..., 0], rows[..., 1] = dx, dy
        rows[..., 2] = self._ground(x + dx, y + dy) - ground + LIFT
        rows[..., 3] = (c * dx + s * dy) / self.width + 0.5  # 0..1 across the rectangle, in the next line along it
        rows[..., 4] = (c * dy - s * dx) / self.length + 0.5
        rows[..., 5], rows[..., 6] = dx, dy  # m from the vehicle, as the tangents are
        right, front = self.width / 2.0, self.length / 2.0
        for k, (u, v) in enumerate(((-right, -front), (right, -front), (right, front), (-right, front))):
            self.corners[k] = x + c * u - s * v, y + s * u + c * v, ground
        self.path.setPos(x, y, ground)
        array = self._node.modifyGeom(0).modifyVertexData().modifyArray(0)
        memoryview(array).cast("B")[:] = rows.reshape(-1).data.cast("B")
