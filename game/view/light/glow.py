"""The brightest parts of a picture, small and blurred, which are added to it as the glow of a lens.

One pass extracts luminance above a knee at a quarter of the size; mip levels of that, made by the graphics card, are
the blur, of which smooth.frag adds three.
"""

from __future__ import annotations

from panda3d.core import LVecBase4f, PTA_LVecBase4f, SamplerState, Texture

from driving_sandbox.game.view.gl.shading import program
from driving_sandbox.game.view.light.picture_pass import PicturePass

SHARE = 4  # pixels of the frame for one of the glow, along a side


class Glow(PicturePass):
    """The glow of a picture, drawn after it and before the window."""

    def __init__(self, base, picture: Texture):
        self._step = PTA_LVecBase4f([LVecBase4f(0)])
        super().__init__(base, "glow", -4, program("card", "glow", include=()), scene_picture=picture,
                         picture_step=self._step)  # fmt: skip
        self.texture.setMinfilter(SamplerState.FTLinearMipmapLinear)

    def fit(self, width: int, height: int) -> None:
        """Set the size of the frame, pixels."""
        super().fit(width // SHARE, height // SHARE)
        self._step.setElement(0, LVecBase4f(1.0 / width, 1.0 / height, 0.0, 0.0))
