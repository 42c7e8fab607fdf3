"""The sky: a dome with a baked image, and the light that all materials take from it.

Sun, radiance image, prefiltered cube map and spherical harmonics come from one bake (assets/build/sky.py), so that
paint reflects the sky that is drawn, and haze fades into it.
"""

from __future__ import annotations

import numpy as np
from panda3d.core import GeomNode, LVecBase3f, NodePath, OmniBoundingVolume, PTA_LVecBase3f, SamplerState

from driving_sandbox.game.view.gl.geometry import mesh
from driving_sandbox.game.view.gl.quality import DAYTIMES
from driving_sandbox.game.view.gl.shading import TEXTURES, cube_with_levels, program, texture_file
from driving_sandbox.game.view.light.order import SKY

RADIUS = 500.0  # m, without effect, because the depth is set to the far plane


class Sky:
    """The sky at a time of day.

    Args:
        quality: name of the quality level.
        daytime: one of game.view.gl.quality.DAYTIMES.
    Raises ValueError for another daytime, FileNotFoundError if its sky was not baked.

    Attributes:
        root: node of the dome, to be attached to the scene.
        sun_direction: unit vector to the sun.
        sun_colour, exposure, cube: inputs of common.glsl.
    """

    def __init__(self, quality: str, daytime: str = "afternoon") -> None:
        if daytime not in DAYTIMES:
            raise ValueError(f"time of day {daytime!r}: must be one of {', '.join(DAYTIMES)}")
        path = TEXTURES / f"sky_{daytime}.npz"
        self.daytime = daytime
        if not path.exists():
            raise FileNotFoundError(f"{path}: missing; make it with python -m driving_sandbox.assets.build.sky")
        baked = np.load(path)
        self.sun_direction = baked["sun_direction"]
        self.sun_colour, self.exposure = baked["sun_colour"], float(baked["exposure"])
        self._harmonics = PTA_LVecBase3f([LVecBase3f(*(float(v) for v in row)) for row in baked["sh"]])
        count = sum(1 for name in baked.files if name.startswith("level"))
        self.cube = cube_with_levels([baked[f"level{level}"] for level in range(count)])
        self._haze = _haze_colours(baked["level4"].astype(float), self.sun_direction)  # from a blurred mip level
        self.root = self._dome(quality, float(baked["picture_range"]))

    def _dome(self, quality: str, picture_range: float) -> NodePath:
        """Node of the sphere with the sky's image, drawn behind everything."""
        node = GeomNode("sky")
        node.addGeom(mesh(*_sphere(around=24, up=12), "vertex"))
        node.setBounds(OmniBoundingVolume())
        node.setFinal(True)
        path = NodePath(node)
        image = texture_file(f"sky_{self.daytime}.png")
        image.setWrapV(SamplerState.WMClamp)
        path.setShader(program("sky", "sky", quality.upper()))
        path.setShaderInput("sky_picture", image)
        path.setShaderInput("picture_range", picture_range)
        path.setTwoSided(True)
        path.setDepthWrite(False)
        path.setBin(SKY, 0)
        return path

    def apply_light(self, path: NodePath) -> None:
        """Set the sun and sky inputs of common.glsl for the nodes below `path`."""
        path.setShaderInput("sun_direction", LVecBase3f(*(float(v) for v in self.sun_direction)))
        path.setShaderInput("sun_colour", LVecBase3f(*(float(v) for v in self.sun_colour)))
        path.setShaderInput("ambient_sh", self._harmonics)
        path.setShaderInput("exposure", self.exposure)
        path.setShaderInput("sky_cube", self.cube)
        path.setShaderInput("haze_colour", self._haze)


def _haze_colours(level: np.ndarray, sun: np.ndarray) -> PTA_LVecBase3f:
    """Colours [A, B] that fit the light at the horizon as A + B ((1 + cos a) / 2)^4, where a is the angle to the sun.

    Least-squares fit to the ring of texels just above the horizon, in a blurred level [6, size, size, 3] of the cube
    map.
    """
    size = level.shape[1]
    line = (np.arange(size) + 0.5) / size * 2 - 1
    ones, half = np.ones_like(line), size // 2
    # texels just above the horizon; on the x faces they form a column, on the y faces a row (OpenGL orientation)
    rings = [
        (ones, -line, level[0][:, half - 1]),
        (-ones, -line, level[1][:, half]),
        (line, ones, level[2][half]),
        (line, -ones, level[3][half - 1]),
    ]
    samples, basis = [], []
    for x, y, colours in rings:
        direction = np.stack([x, y], axis=-1) / np.hypot(x, y)[:, None]
        mu = 0.5 + 0.5 * direction @ sun[:2]
        samples.append(colours)
        basis.append(np.stack([np.ones_like(mu), mu**4], axis=-1))
    fit, *_ = np.linalg.lstsq(np.concatenate(basis), np.concatenate(samples), rcond=None)
    return PTA_LVecBase3f([LVecBase3f(*(float(v) for v in row)) for row in np.maximum(fit, 0.0)])


def _sphere(around: int, up: int) -> tuple[np.ndarray, np.ndarray]:
    """(points [n, 3] on the sphere of RADIUS, triangles [m, 3]) with `around` x `up` cells."""
    azimuth = np.linspace(0, 2 * np.pi, around + 1)
    elevation = np.linspace(-np.pi / 2, np.pi / 2, up + 1)
    flat = np.cos(elevation)[:, None]
    points = np.stack(
        [flat * np.sin(azimuth), flat * np.cos(azimuth), np.sin(elevation)[:, None] * np.ones_like(azimuth)], axis=-1
    )
    numbers = np.arange(points.shape[0] * points.shape[1]).reshape(points.shape[:2])
    a, b, c, d = numbers[:-1, :-1], numbers[:-1, 1:], numbers[1:, :-1], numbers[1:, 1:]
    return points.reshape(-1, 3) * RADIUS, np.stack([a, b, d, a, d, c], axis=-1).reshape(-1, 3)
