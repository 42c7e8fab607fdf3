"""Textures and skies are what their scripts make: committed pixels and numbers equal those of a new build.

Pixels are compared rather than files, as the compression of PNG depends on the library.
"""

import numpy as np
import pytest
from PIL import Image

from driving_sandbox.assets.build import foliage, sky, textures
from driving_sandbox.game.view.gl.quality import DAYTIMES


def built_pixels(texture):
    """[height, width, 4] bytes that a texture's script gives: colour, and relief in the alpha channel."""
    colour, height = texture()
    rgba = np.concatenate([np.sqrt(np.clip(colour, 0, 1)), np.clip(height, 0, 1)[..., None]], axis=-1)
    return (rgba * 255 + 0.5).astype(np.uint8)


def is_current(texture):
    """Whether the committed image of a texture is what its script makes."""
    stored = np.asarray(Image.open(textures.FOLDER / f"ground_{texture.__name__}.png"))
    return np.array_equal(stored, built_pixels(texture))


@pytest.mark.parametrize("texture", [textures.concrete, textures.sand], ids=lambda texture: texture.__name__)
def test_a_ground_texture_is_what_its_script_makes(texture):
    assert is_current(texture)


@pytest.mark.nightly
def test_every_ground_texture_is_what_its_script_makes():
    assert all(is_current(texture) for texture in textures.TILES)


def test_the_wear_of_asphalt_is_what_its_script_makes_and_leaves_its_mean_lightness():
    stored = np.asarray(Image.open(textures.FOLDER / "asphalt_wear.png")).astype(int)
    assert np.abs(stored - textures.wear()).max() <= 1
    for channel in (stored[..., 0], stored[..., 1]):  # paved areas, roads
        assert channel.mean() == pytest.approx(127.5, rel=0.05) and channel.std() > 4.0  # 127.5: the factor 1


def test_cards_of_leaves_are_what_their_script_makes_and_let_the_sky_through():
    stored = np.asarray(Image.open(foliage.FOLDER / "leaves.png"))
    assert np.array_equal(stored, foliage.pixels())
    for half in np.split(stored[..., 1], 2, axis=1):  # alpha of the card of leaves and of that of needles
        assert 0.3 < (half > 127).mean() < 0.7
    # no leaf is cut off by the upper or lower edge of its card, the left half
    assert (stored[[0, -1], : foliage.SIZE, 1] < 90).all()


@pytest.mark.parametrize("name", DAYTIMES)
def test_a_sky_is_what_its_script_makes(name):
    """Only the lowest rows of its image are compared, and the light that follows from the hour."""
    hour, rows = sky.HOURS[name], slice(sky.HEIGHT - 6, sky.HEIGHT)
    stored = np.asarray(Image.open(sky.FOLDER / f"sky_{name}.png"))
    v = 1 - (np.arange(sky.HEIGHT)[rows] + 0.5) / sky.HEIGHT
    elevation = np.radians(90.0) * v**1.35  # rows are closer near the horizon
    azimuth = (np.arange(sky.WIDTH) + 0.5) / sky.WIDTH * 2 * np.pi
    flat = np.cos(elevation)[:, None]
    up = np.broadcast_to(np.sin(elevation)[:, None], (len(v), sky.WIDTH))
    colour, _ = sky.sky(np.stack([flat * np.sin(azimuth), flat * np.cos(azimuth), up], axis=-1), hour)
    value = np.sqrt(np.clip(colour / sky.PICTURE_RANGE, 0, 1)) * 255
    assert np.abs(stored[rows, :, :3] - value).max() <= 1.0  # dithered
    baked = np.load(sky.FOLDER / f"sky_{name}.npz")
    assert np.array_equal(baked["sun_direction"], sky.sun_direction(hour))
    assert np.array_equal(baked["sun_colour"], hour.sun) and float(baked["exposure"]) == hour.exposure


@pytest.mark.nightly
@pytest.mark.parametrize("name", DAYTIMES)
def test_every_number_of_a_sky_is_what_its_script_makes(name, tmp_path):
    sky.build(name, tmp_path)
    stored, again = (np.load(folder / f"sky_{name}.npz") for folder in (sky.FOLDER, tmp_path))
    assert all(np.array_equal(stored[key], again[key]) for key in (*stored.files, *again.files))
    first, second = (np.asarray(Image.open(folder / f"sky_{name}.png")) for folder in (sky.FOLDER, tmp_path))
    assert np.array_equal(first, second)
