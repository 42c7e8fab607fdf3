"""Pixels of the last frame."""

import numpy as np
from panda3d.core import PNMImage, Texture


def pixels(base):
    """The last frame as (height, width, 3), top row first, red first."""
    texture, image = Texture(), PNMImage()
    base.win.getScreenshot(image)
    image.removeAlpha()
    texture.load(image)
    data = np.frombuffer(texture.getRamImageAs("RGB"), np.uint8)
    return data.reshape(image.getYSize(), image.getXSize(), 3)[::-1].astype(int)
