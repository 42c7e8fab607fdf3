"""The texture of the roads and marks of a world, read by ground.glsl."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from panda3d.core import SamplerState, Texture

from driving_sandbox.game.session.frame import WorldView
from driving_sandbox.game.view.gl.shading import BGRA, swapped, texture_2d, writable_texture
from driving_sandbox.game.view.ground.maps import road_map
from driving_sandbox.game.view.ground.road_lines import RoadLine, read_paint


def road_texture(world: WorldView, path: Path, lines: list[RoadLine]) -> tuple[Texture, np.ndarray, float]:
    """(texture, its map float16[rows, columns, 4], width of a texel in m) of a world with a heightfield and roads.

    The map is that of `maps.road_map`, read from the world's file at `path` if it is stored there, otherwise computed
    from `lines`. Channels 0 and 2 of the returned map are swapped if it was read from the file.
    """
    stored = read_paint(path)
    if stored:
        (texture, pixels), texel = writable_texture("road", stored.shape, mipmaps=False), stored.texel
        stored.write(pixels, BGRA)
    else:
        size = [(count - 1) * world.cell for count in world.heightfield.shape[::-1]]
        pixels, texel = road_map(lines, np.asarray(world.origin), size)
        texture = texture_2d("road", swapped(pixels), mipmaps=False)
    texture.setMinfilter(SamplerState.FTLinear)
    return texture, pixels, texel
