"""Pixels of the last frame."""

import numpy as np
from panda3d.core import PNMImage, Texture


def pixels(base):
    """RGB values of the last frame, (height, width, 3), top row first."""
    texture, image = Texture(), PNMImage()
    base.win.getScreenshot(image)
    image.removeAlpha()
    texture.load(image)
    rgb = np.frombuffer(texture.getRamImageAs("RGB"), np.uint8)
    return rgb.reshape(image.getYSize(), image.getXSize(), 3)[::-1].astype(int)
