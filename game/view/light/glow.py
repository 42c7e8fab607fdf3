"""The brightest parts of the frame, reduced and blurred, which smooth.frag adds to it as the glow of a lens.

One pass extracts light above a threshold, at a quarter of the frame's size. The mip levels of the result, made by
the graphics card, are the blur; smooth.frag adds three of them.
"""

from __future__ import annotations

from typing import Any

from panda3d.core import LVecBase4f, PTA_LVecBase4f, SamplerState, Texture

from driving_sandbox.game.view.gl.shading import program
from driving_sandbox.game.view.light.screen_pass import ScreenPass

REDUCTION = 4  # pixels of the frame per pixel of the glow, along a side


class Glow(ScreenPass):
    """The pass that computes the glow of the frame `picture`; drawn after the frame and before the window."""

    def __init__(self, base: Any, picture: Texture) -> None:
        self._step = PTA_LVecBase4f([LVecBase4f(0)])  # size of a pixel of the frame in texture coordinates
        super().__init__(base, "glow", sort=-4, shader=program("card", "glow", include=()), scene_picture=picture,
                         picture_step=self._step)  # fmt: skip
        self.texture.setMinfilter(SamplerState.FTLinearMipmapLinear)

    def fit(self, width: int, height: int) -> None:
        """Set the size of the frame, pixels."""
        super().fit(width // REDUCTION, height // REDUCTION)
        self._step.setElement(0, LVecBase4f(1.0 / width, 1.0 / height, 0.0, 0.0))
