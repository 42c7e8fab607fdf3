"""The trees of a scene at its quality level: their number, the alpha test of the leaf cards, and shadow casters."""

from __future__ import annotations

import numpy as np
from panda3d.core import NodePath, SamplerState, TransparencyAttrib

from driving_sandbox.game.session.frame import WorldView
from driving_sandbox.game.view.gl.quality import Quality
from driving_sandbox.game.view.gl.shading import program, texture_file
from driving_sandbox.game.view.ground import maps as ground_maps
from driving_sandbox.game.view.ground.trees import HEIGHTS, RISEN, VISIBLE, plant, tree_positions
from driving_sandbox.game.view.light.shadow import CUT_OUT

AREA_PER_TREE = 900.0  # m2 of meadow
# coarsest mip level that is read without multisampling; in coarser ones the mean alpha is below the threshold, so the
# leaves would vanish
LEAF_LOD = 4.0


class Woods:
    """Trees of a world with a height map; `root` is their node, which each `show` builds anew."""

    def __init__(self, world: WorldView) -> None:
        self._world = world
        shape = np.subtract(world.heightfield.shape, 1)
        # [rows, columns]: whether a cell looks like grass
        self._meadow = ground_maps.grass(world.cell_surface, world.surface_names, shape)
        self._leaves = texture_file("leaves.png", repeat=False)
        self._fine = SamplerState(self._leaves.getDefaultSampler())  # reads all mip levels
        self.root = NodePath("no trees yet")

    def show(self, level: Quality, switches: tuple[str, ...], parent: NodePath) -> None:
        """Build the trees for a quality level below `parent`, in place of the former ones.

        switches: further defines for their shaders.
        """
        self.root.removeNode()
        world = self._world
        count = int(min(level.trees, self._meadow.sum() * world.cell**2 / AREA_PER_TREE))
        foot = tree_positions(world.heightfield, world.origin, world.cell, self._meadow, count)
        self.root = plant(foot, level.leaves, rising=level.full)
        self._cut(level, switches)
        self.root.setTag(*CUT_OUT)
        self.root.reparentTo(parent)

    def _cut(self, level: Quality, switches: tuple[str, ...]) -> None:
        """Set the alpha test that cuts leaves out of their cards, and the trees' shader."""
        # alpha threshold (`cover` in mesh.frag); low with multisampling, where partly covered pixels are blended
        sampler, cut = SamplerState(self._fine), "CUT 0.5"
        if level.samples:
            self.root.setTransparency(TransparencyAttrib.MMultisample)
            cut = "CUT 0.04"
        else:
            sampler.setMaxLod(LEAF_LOD)
        self._leaves.setDefaultSampler(sampler)
        # m from the eye where a tree is sunk entirely, and where it has risen; m that it rises
        rising = (f"RISING vec3({VISIBLE:.1f}, {RISEN:.1f}, {np.max(HEIGHTS):.1f})",) if level.full else ()
        self.root.setShader(
            program("mesh", "mesh", level.name.upper(), *switches, "LEAVES", cut, *rising, vertex_include=("leaf",))
        )
        self.root.setShaderInput("leaf_map", self._leaves)
