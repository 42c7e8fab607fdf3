"""Bakes the sky of each time of day: a lat-long image of gradient and clouds, a GGX-prefiltered cube map and 9
spherical-harmonics (SH) coefficients.

Radiance is linear, about 0.75 at the horizon in the afternoon; `exposure` models the adaptation of the eye. The sun's
disk is left out (the shaders add it). Row 0 of the image is the zenith. Downward from there,
v = 1 - (elevation / 90 deg)^(1 / 1.35); u = azimuth from +y towards +x, 0..1. The cube map also holds a hazy band of
hills and the ground, so that paint reflects a horizon.
Run: python -m driving_sandbox.assets.build.sky
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from driving_sandbox.assets.build.noise import value_fbm

FOLDER = Path(__file__).resolve().parents[1] / "textures"
WIDTH, HEIGHT = 2048, 512  # pixels of the lat-long image
PICTURE_RANGE = 4.0  # largest radiance in the image, which stores the square root of radiance / PICTURE_RANGE
CUBE_SIZE = 128  # texels along an edge at the sharpest level
CUBE_LEVELS = 8  # each rougher and half as large as the one before
DAYLIGHT = 0.742  # mean radiance of the afternoon's horizon, to which the hills' own light is scaled


def srgb(text: str) -> np.ndarray:
    """Linear colour of "#rrggbb"."""
    value = np.array([int(text[i : i + 2], 16) for i in (1, 3, 5)]) / 255.0
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


@dataclass(frozen=True)
class Hour:
    """One time of day. Angles in degrees, azimuth from +y towards +x; colours of light are linear radiance.

    Attributes:
        elevation, azimuth: of the sun.
        sun: colour of its light.
        zenith, middle, horizon: colours of the gradient.
        glow: strengths of the wide and the narrow glow around the sun.
        glow_colour: colour of both glows.
        cloud: (lit, shaded) colours of cumulus.
        cirrus: colour of cirrus.
        ground: radiance that paint reflects from below.
        exposure: factor that models the adaptation of the eye.
    """

    elevation: float
    azimuth: float
    sun: tuple
    zenith: np.ndarray
    middle: np.ndarray
    horizon: np.ndarray
    glow: tuple
    glow_colour: tuple
    cloud: tuple
    cirrus: tuple
    ground: tuple
    exposure: float


BEHIND_LEFT = 235.0  # degrees, azimuth behind and to the left of a car that starts facing north
HOURS = {
    "afternoon": Hour(
        elevation=21.0, azimuth=BEHIND_LEFT, sun=(9.6, 9.6 * 0.77, 9.6 * 0.52),
        zenith=srgb("#4571AF"), middle=srgb("#83ABDE"), horizon=srgb("#D4E0EA"),
        glow=(0.16, 0.35), glow_colour=(1.0, 0.72, 0.44),
        cloud=((1.18, 1.06, 0.92), (0.46, 0.51, 0.60)), cirrus=(1.02, 0.99, 0.96),
        ground=(0.185, 0.155, 0.085), exposure=1.2),
    "noon": Hour(
        elevation=46.0, azimuth=205.0, sun=(11.0, 10.2, 9.0),
        zenith=srgb("#3C6CB4"), middle=srgb("#78A6E0"), horizon=srgb("#CFDDEA"),
        glow=(0.10, 0.25), glow_colour=(1.0, 0.95, 0.86),
        cloud=((1.25, 1.22, 1.18), (0.52, 0.57, 0.65)), cirrus=(1.05, 1.04, 1.03),
        ground=(0.22, 0.20, 0.12), exposure=1.0),
    "dusk": Hour(
        elevation=2.2, azimuth=262.0, sun=(1.25, 0.52, 0.20),
        zenith=srgb("#20385F") * 0.8, middle=srgb("#4C6388") * 0.8, horizon=srgb("#C9A48C") * 0.8,
        glow=(0.42, 0.65), glow_colour=(1.0, 0.46, 0.17),
        cloud=((0.78, 0.42, 0.28), (0.13, 0.15, 0.21)), cirrus=(0.62, 0.40, 0.32),
        ground=(0.040, 0.036, 0.034), exposure=2.10),
}  # fmt: skip


def sun_direction(hour: Hour) -> np.ndarray:
    """Unit vector to the sun; x east, y north, z up."""
    elevation, azimuth = np.radians([hour.elevation, hour.azimuth])
    flat = np.cos(elevation)
    return np.array([flat * np.sin(azimuth), flat * np.cos(azimuth), np.sin(elevation)])


def clear_sky(direction: np.ndarray, hour: Hour) -> np.ndarray:
    """Radiance of the cloudless sky: a vertical gradient and the warm glow around the sun."""
    z = np.clip(direction[..., 2:3], 0.0, 1.0)
    colour = hour.zenith + (hour.middle - hour.zenith) * np.exp(-3.2 * z)
    colour = colour + (hour.horizon - hour.middle) * np.exp(-10.5 * z)
    mu = np.clip(direction @ sun_direction(hour), 0.0, 1.0)[..., None]
    glow = hour.glow[0] * mu**10 + hour.glow[1] * mu**90
    return colour + glow * np.array(hour.glow_colour)


def _density(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Density of the cumulus layer, 0..1: noise whose coordinates are displaced by noise."""
    warp_x = value_fbm(x * 0.7 + 3.1, y * 0.7, 3, 11) - 0.5
    warp_y = value_fbm(x * 0.7, y * 0.7 + 7.7, 3, 12) - 0.5
    return value_fbm(x + 1.1 * warp_x, y + 1.1 * warp_y, 7, 13)


def clouds(direction: np.ndarray, hour: Hour) -> tuple[np.ndarray, np.ndarray]:
    """Colour (..., 3) and opacity (..., 1) of cumulus and cirrus."""
    z = np.clip(direction[..., 2], 0.0, 1.0)
    x, y = direction[..., 0] / (z + 0.10) * 0.62, direction[..., 1] / (z + 0.10) * 0.62
    sun = sun_direction(hour)
    density = _density(x, y)
    sunward = _density(x + sun[0] * 0.22, y + sun[1] * 0.22)
    opacity = np.clip((density - 0.535) / 0.16, 0, 1)
    opacity = opacity * opacity * (3 - 2 * opacity)
    light = np.clip(0.62 + (density - sunward) * 4.0, 0.12, 1.0)[..., None]
    thick = np.clip((density - 0.58) / 0.2, 0, 1)[..., None]
    colour = np.array(hour.cloud[1]) * (1 - light) + np.array(hour.cloud[0]) * light
    colour = colour * (1 - 0.28 * thick)
    stretch = value_fbm(x * 0.35 + y * 0.25, y * 1.5 - x * 0.9, 6, 21)
    cirrus = np.clip((stretch - 0.48) / 0.35, 0, 1) ** 1.4 * 0.55
    total_opacity = 1 - (1 - opacity * 0.95) * (1 - cirrus)
    mix = (opacity * 0.95 / np.maximum(total_opacity, 1e-6))[..., None]
    colour = colour * mix + np.array(hour.cirrus) * (1 - mix)
    return colour, (total_opacity * np.clip(z / 0.09, 0, 1))[..., None]


def sky(direction: np.ndarray, hour: Hour) -> tuple[np.ndarray, np.ndarray]:
    """(radiance, opacity of the clouds); the shaders dim the sun's disk by the opacity."""
    base = clear_sky(direction, hour)
    colour, opacity = clouds(direction, hour)
    return base + (colour - base) * opacity, opacity[..., 0]


def surroundings(direction: np.ndarray, hour: Hour) -> np.ndarray:
    """Sky above, hills in the haze at the horizon, sunlit ground below."""
    z = direction[..., 2:3]
    above, _ = sky(np.concatenate([direction[..., :2], np.maximum(z, 0.0)], axis=-1), hour)
    hill_top = 0.035 + 0.02 * np.sin(5 * np.arctan2(direction[..., 1:2], direction[..., 0:1]))
    hills = hour.horizon * 0.42 + np.array([0.05, 0.065, 0.06]) * (hour.horizon.mean() / DAYLIGHT)
    ground = np.array(hour.ground)
    below = hills + (ground - hills) * np.clip(-z / 0.14, 0, 1) ** 0.6
    is_hill = np.clip((hill_top - z) / 0.012, 0, 1)
    return above * (1 - is_hill) + below * is_hill


def picture(hour: Hour) -> np.ndarray:
    """Lat-long image, 8-bit RGBA: rgb = square root of radiance / PICTURE_RANGE, dithered; alpha = cloud opacity."""
    up = 1 - (np.arange(HEIGHT) + 0.5) / HEIGHT  # 1 - v
    elevation = np.radians(90.0) * up**1.35
    azimuth = (np.arange(WIDTH) + 0.5) / WIDTH * 2 * np.pi
    flat = np.cos(elevation)[:, None]
    direction = np.stack(
        [flat * np.sin(azimuth), flat * np.cos(azimuth), np.broadcast_to(np.sin(elevation)[:, None], (HEIGHT, WIDTH))],
        axis=-1,
    )
    colour, opacity = sky(direction, hour)
    value = np.concatenate([np.sqrt(np.clip(colour / PICTURE_RANGE, 0, 1)), opacity[..., None]], axis=-1)
    dither = np.random.default_rng(1).uniform(0, 1, value.shape)
    return np.clip(np.floor(value * 255 + dither * 0.999), 0, 255).astype(np.uint8)


def cube_directions(size: int) -> np.ndarray:
    """(6, size, size, 3) unit directions of the texels, OpenGL face order and orientation."""
    line = (np.arange(size) + 0.5) / size * 2 - 1
    u, v = np.meshgrid(line, line)
    ones = np.ones_like(u)
    faces = [(ones, -v, -u), (-ones, -v, u), (u, ones, v), (u, -ones, -v), (u, -v, ones), (-u, -v, -ones)]
    direction = np.stack([np.stack(face, axis=-1) for face in faces])
    return direction / np.linalg.norm(direction, axis=-1, keepdims=True)


def _panorama(hour: Hour) -> np.ndarray:
    """Whole sphere, 512 x 1024, rows from straight down to straight up."""
    elevation = (np.arange(512) + 0.5) / 512 * np.pi - np.pi / 2
    azimuth = (np.arange(1024) + 0.5) / 1024 * 2 * np.pi
    flat = np.cos(elevation)[:, None]
    up = np.broadcast_to(np.sin(elevation)[:, None], (512, 1024))
    return surroundings(np.stack([flat * np.sin(azimuth), flat * np.cos(azimuth), up], axis=-1), hour)


def _halve(image: np.ndarray) -> np.ndarray:
    """The image at half the size, by means of 2 x 2 texels."""
    return (image[::2, ::2] + image[1::2, ::2] + image[::2, 1::2] + image[1::2, 1::2]) / 4


def _look_up(image: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """Nearest texels of a panorama in the given directions."""
    rows, columns = image.shape[:2]
    elevation = np.arcsin(np.clip(direction[..., 2], -1, 1))
    azimuth = np.arctan2(direction[..., 0], direction[..., 1]) % (2 * np.pi)
    row = np.clip(((elevation + np.pi / 2) / np.pi * rows).astype(int), 0, rows - 1)
    return image[row, (azimuth / (2 * np.pi) * columns).astype(int) % columns]


def prefiltered(pyramid: list[np.ndarray], size: int, roughness: float, sample_count: int) -> np.ndarray:
    """One cube level: radiance weighted by the GGX lobe around each direction (N = V = R).

    Args:
        pyramid: panoramas, each half as large as the one before.
        size: texels along an edge of the level.
        roughness: 0 for a mirror.
        sample_count: directions of the lobe.
    """
    axis = cube_directions(size)
    if roughness <= 0.0:
        return _look_up(pyramid[1], axis)
    helper = np.where(np.abs(axis[..., 2:3]) < 0.9, [0.0, 0.0, 1.0], [1.0, 0.0, 0.0])
    tangent = np.cross(helper, axis)
    tangent /= np.linalg.norm(tangent, axis=-1, keepdims=True)
    bitangent = np.cross(axis, tangent)
    source = pyramid[min(len(pyramid) - 1, 1 + int(roughness * 4))]
    total, weight = np.zeros_like(axis), np.zeros((*axis.shape[:-1], 1))
    for index in range(sample_count):
        u, v = (index + 0.5) / sample_count, (index * 0.6180339887) % 1.0
        cosine = np.sqrt((1 - u) / (1 + (roughness**4 - 1) * u))
        sine = np.sqrt(1 - cosine * cosine)
        half = axis * cosine + sine * (tangent * np.cos(2 * np.pi * v) + bitangent * np.sin(2 * np.pi * v))
        light = 2 * cosine * half - axis
        facing = np.maximum(np.sum(light * axis, axis=-1, keepdims=True), 0.0)
        total += _look_up(source, light) * facing
        weight += facing
    return total / weight


def sh_irradiance(panorama: np.ndarray) -> np.ndarray:
    """SH coefficients (9, 3) that, with the shaders' plain polynomials as basis, give irradiance / pi."""
    rows, columns = panorama.shape[:2]
    elevation = (np.arange(rows) + 0.5) / rows * np.pi - np.pi / 2
    azimuth = (np.arange(columns) + 0.5) / columns * 2 * np.pi
    flat = np.cos(elevation)[:, None]
    x, y = flat * np.sin(azimuth), flat * np.cos(azimuth)
    z = np.broadcast_to(np.sin(elevation)[:, None], x.shape)
    basis = [
        0.282095 + 0 * x,
        0.488603 * y,
        0.488603 * z,
        0.488603 * x,
        1.092548 * x * y,
        1.092548 * y * z,
        0.315392 * (3 * z * z - 1),
        1.092548 * x * z,
        0.546274 * (x * x - y * y),
    ]
    area = np.broadcast_to(flat, x.shape) * (np.pi / rows) * (2 * np.pi / columns)
    band = [1.0] + [2.0 / 3.0] * 3 + [0.25] * 5  # cosine lobe / pi
    moments = [np.sum(panorama * (b * area)[..., None], axis=(0, 1)) for b in basis]
    # constants of the basis are folded in, so the shader multiplies plain polynomials
    fold = [0.282095, 0.488603, 0.488603, 0.488603, 1.092548, 1.092548, 0.315392, 1.092548, 0.546274]
    return np.array([m * w * f for m, w, f in zip(moments, band, fold, strict=True)])


def build(name: str, folder: Path = FOLDER) -> None:
    """Write sky_NAME.png and sky_NAME.npz."""
    from PIL import Image

    hour = HOURS[name]
    Image.fromarray(picture(hour), "RGBA").save(folder / f"sky_{name}.png", optimize=True)
    pyramid = [_panorama(hour)]
    while len(pyramid) < 6:
        pyramid.append(_halve(pyramid[-1]))
    levels = {}
    for level in range(CUBE_LEVELS):
        size = CUBE_SIZE >> level
        cube = prefiltered(pyramid, size, level / 6.0, 64 if level < 2 else 256)
        levels[f"level{level}"] = cube.astype(np.float16)
    np.savez_compressed(
        folder / f"sky_{name}.npz",
        sun_direction=sun_direction(hour),
        sun_colour=np.array(hour.sun),
        sh=sh_irradiance(pyramid[0]),
        picture_range=np.array(PICTURE_RANGE),
        exposure=np.array(hour.exposure),
        **levels,
    )


if __name__ == "__main__":
    for each in HOURS:
        build(each)
