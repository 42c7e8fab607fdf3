"""The textures that tell the shader of a quality level how each cell of the ground looks: as grass, asphalt and so on.

`weights_a` and `weights_b` hold the weights of four of the eight looks each. On software OpenGL `rare_look`, the index
of a cell's look, replaces `weights_b`. A texture is created when a level first needs it, and cached.
"""

from __future__ import annotations

import numpy as np
from panda3d.core import Texture

from driving_sandbox.game.session.frame import WorldView
from driving_sandbox.game.view.gl.quality import Quality
from driving_sandbox.game.view.gl.shading import number_map, texture_2d
from driving_sandbox.game.view.ground import maps as ground_maps


class TerrainMaps:
    """The textures of the looks of a world with heights."""

    def __init__(self, world: WorldView) -> None:
        self._world = world
        # the arguments of `ground_maps.look_weights`
        self._cells = world.cell_surface, world.surface_names, tuple(np.subtract(world.heightfield.shape, 1))
        self._textures: dict[str, Texture] = {}  # {name of a shader input: texture}

    def prepare(self, level: Quality, sun: np.ndarray) -> np.ndarray:
        """Create the textures of a level; returns the light on the ground (ground_maps.light_map).

        numpy does nearly all of the work, so that it can run in a thread.
        """
        self.of(level)
        world, heights = self._world, np.ascontiguousarray(self._world.heights, np.float32)
        return ground_maps.light_map(heights, world.cell, world.cell_surface, world.surface_names, sun)

    def of(self, level: Quality) -> dict[str, Texture]:
        """{name of a shader input: texture} of a level."""
        names = ("weights_a", "weights_b" if level.full else "rare_look")
        if "rare_look" in names and "rare_look" not in self._textures:
            self._textures["rare_look"] = number_map(ground_maps.looks(*self._cells))
        missing = [name for name in names if name not in self._textures]
        if missing:
            weights = ground_maps.look_weights(*self._cells)
            parts = weights.view(np.uint32)[..., 0].transpose(2, 0, 1)  # a texel of four weights is one 32-bit number
            for name, part in zip(("weights_a", "weights_b"), parts, strict=True):
                if name in missing:
                    pixels = np.ascontiguousarray(part).view(np.uint8).reshape(*part.shape, 4)
                    self._textures[name] = texture_2d(name, pixels)
        return {name: self._textures[name] for name in names}
