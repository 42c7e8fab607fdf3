"""The maps of the ground's looks that the shader of a quality level needs.

`weights_a` and `weights_b` hold four of the eight weights each; on software OpenGL `rare_look`, the number of a look,
replaces `weights_b`. A map is created when a level first needs it, and cached.
"""

from __future__ import annotations

import numpy as np
from panda3d.core import Texture

from driving_sandbox.game.session.frame import WorldView
from driving_sandbox.game.view.gl.quality import Quality
from driving_sandbox.game.view.gl.shading import number_map, texture_2d
from driving_sandbox.game.view.ground import maps as ground_maps


class TerrainMaps:
    """The maps of a world with heights."""

    def __init__(self, world: WorldView) -> None:
        self._world = world
        self._cells = world.cell_surface, world.surface_names, tuple(np.subtract(world.heights.shape, 1))
        self._made: dict[str, Texture] = {}

    def prepare(self, level: Quality, sun: np.ndarray) -> np.ndarray:
        """Create the maps of a level; returns the light on the ground (ground_maps.light_map). Nearly all of it is
        numpy's work, so that it can run in a thread."""
        self.of(level)
        world, heights = self._world, np.ascontiguousarray(self._world.heights, np.float32)
        return ground_maps.light_map(heights, world.cell, world.cell_surface, world.surface_names, sun)

    def of(self, level: Quality) -> dict[str, Texture]:
        """{name of the shaders' input: texture} of a level."""
        names = ("weights_a", "weights_b" if level.full else "rare_look")
        if "rare_look" in names and "rare_look" not in self._made:
            self._made["rare_look"] = number_map(ground_maps.looks(*self._cells))
        missing = [name for name in names if name not in self._made]
        if missing:
            weights = ground_maps.look_weights(*self._cells)
            parts = weights.view(np.uint32)[..., 0].transpose(2, 0, 1)  # copied as whole texels
            for name, part in zip(("weights_a", "weights_b"), parts, strict=True):
                if name in missing:
                    pixels = np.ascontiguousarray(part).view(np.uint8).reshape(*part.shape, 4)
                    self._made[name] = texture_2d(name, pixels)
        return {name: self._made[name] for name in names}
