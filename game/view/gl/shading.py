"""GLSL programs, joined from the sources in view/shaders, and textures, read from assets/textures."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from panda3d.core import CPTAUchar, PTAUchar, SamplerState, Shader, Texture
from PIL.PngImagePlugin import PngImageFile

from driving_sandbox.game.view.gl.frame_inputs import declarations
from driving_sandbox.game.view.gl.quality import defines as switches_of
from driving_sandbox.game.view.gl.surfaces import LOOKS

SHADERS = Path(__file__).resolve().parents[1] / "shaders"
TEXTURES = Path(__file__).resolve().parents[3] / "assets" / "textures"
BGRA = [2, 1, 0, 3]  # indices of RGBA channels in the order of Panda3D's textures
GROUND = [*(f"ground_{look}.png" for look in LOOKS), "asphalt_wear.png"]  # layers of `detail` in ground.glsl
_programs: dict[tuple, Shader] = {}  # {recipe: program}: nodes with the same program share their render state
_recipes: dict[int, tuple] = {}  # {address of a program: recipe}
_ahead: dict[str, Future] = {}  # {file name: image being decoded ahead of use}


def program(
    vertex: str,
    fragment: str,
    *defines: str,
    include: tuple[str, ...] = ("common",),
    vertex_include: tuple[str, ...] = (),
) -> Shader:
    """The program from `vertex`.vert and `fragment`.frag; equal arguments return the same object.

    Args:
        defines: switches of the shaders, or names of quality levels, which stand for all switches of the level.
        include, vertex_include: names of .glsl files put before the fragment and the vertex shader, respectively.
    """
    key = (vertex, fragment, defines, include, vertex_include)
    if key not in _programs:
        _programs[key] = _program(*key)
        _recipes[_programs[key].this] = key
    return _programs[key]


def prepare_programs(gsg: Any) -> None:
    """Let the graphics driver compile every program made so far when the next frame begins."""
    for shader in _programs.values():
        shader.prepare(gsg.getPreparedObjects())


def recipe(shader: Shader) -> tuple | None:
    """(vertex, fragment, defines, include, vertex_include) of a program made by `program`, or None."""
    return _recipes.get(shader.this)


def _program(
    vertex: str, fragment: str, defines: tuple[str, ...], include: tuple[str, ...], vertex_include: tuple[str, ...]
) -> Shader:
    """Make a shader from its files, preceded by the version, the defines and the shared uniforms."""
    names = dict.fromkeys(name for define in defines for name in switches_of(define))
    head = "#version 330\n" + "".join(f"#define {name}\n" for name in names) + declarations()
    fragment_includes = "".join((SHADERS / f"{name}.glsl").read_text() for name in include)
    return Shader.make(
        Shader.SL_GLSL,
        head
        + "".join((SHADERS / f"{name}.glsl").read_text() for name in vertex_include)
        + (SHADERS / f"{vertex}.vert").read_text(),
        head + fragment_includes + (SHADERS / f"{fragment}.frag").read_text(),
    )


def swapped(pixels: np.ndarray) -> np.ndarray:
    """RGB(A) pixels as BGR(A), Panda3D's order, or vice versa."""
    return np.ascontiguousarray(pixels[..., BGRA[: pixels.shape[-1]]])


def texture_2d(name: str, pixels: np.ndarray, repeat: bool = False, mipmaps: bool = True) -> Texture:
    """Texture from [rows, columns, 4] uint8 or float16 pixels in the order BGRA (see `swapped`); row 0 is v = 0."""
    texture = _texture_of(name, pixels.shape, pixels.dtype, repeat, mipmaps)
    texture.setRamImage(np.ascontiguousarray(pixels))
    return texture


def writable_texture(
    name: str, shape: tuple[int, int], repeat: bool = False, mipmaps: bool = True
) -> tuple[Texture, np.ndarray]:
    """(texture, its memory as float16[rows, columns, 4] in the order BGRA), to fill large maps without a copy."""
    texture = _texture_of(name, shape, np.float16, repeat, mipmaps)
    return texture, np.frombuffer(texture.modifyRamImage(), np.float16).reshape(*shape, 4)


def _texture_of(name: str, shape: tuple[int, ...], dtype: np.typing.DTypeLike, repeat: bool, mipmaps: bool) -> Texture:
    """A texture without pixels yet, with four channels of float16, or else of 8 bits.

    Args:
        shape: (rows, columns, ...).
        repeat: whether the image is repeated outside 0..1; otherwise its border texels are.
    """
    texture = Texture(name)
    half = dtype == np.float16
    component, layout = (Texture.THalfFloat, Texture.FRgba16) if half else (Texture.TUnsignedByte, Texture.FRgba8)
    texture.setup2dTexture(shape[1], shape[0], component, layout)
    wrap = SamplerState.WMRepeat if repeat else SamplerState.WMClamp
    texture.setWrapU(wrap)
    texture.setWrapV(wrap)
    texture.setMagfilter(SamplerState.FTLinear)
    texture.setMinfilter(SamplerState.FTLinearMipmapLinear if mipmaps else SamplerState.FTLinear)
    return texture


def number_map(numbers: np.ndarray) -> Texture:
    """Texture of [rows, columns] integers 0..255, read without interpolation between texels."""
    texture = Texture("numbers")
    texture.setup2dTexture(numbers.shape[1], numbers.shape[0], Texture.TUnsignedByte, Texture.FRed)
    texture.setRamImage(np.ascontiguousarray(numbers, np.uint8))
    texture.setMagfilter(SamplerState.FTNearest)
    texture.setMinfilter(SamplerState.FTNearest)
    return texture


def read_ahead() -> None:
    """Start to decode, in a thread, the textures that most drives need.

    Panda3D's own reader is not used here, because it has crashed while a window was being opened.
    """
    executor = ThreadPoolExecutor(1, "textures")
    for name in (*GROUND, "noise.png", "sky_afternoon.png"):
        _ahead[name] = executor.submit(_decode, name)
    executor.shutdown(wait=False)


def _image(name: str) -> np.ndarray:
    """The decoded image of a file, as from `_decode`."""
    future = _ahead.pop(name, None)
    return future.result() if future else _decode(name)


def _decode(name: str) -> np.ndarray:
    """[rows, columns, 4] uint8 pixels of a file of assets/textures, as `texture_2d` takes them.

    Raises FileNotFoundError for a missing or unreadable file, with the command that makes it.
    """
    path = TEXTURES / name
    try:
        with PngImageFile(path) as image:
            blue_first = image.convert("RGBA").tobytes("raw", "BGRA")
            return np.frombuffer(blue_first, np.uint8).reshape(image.height, image.width, 4)[::-1]
    except (OSError, SyntaxError) as error:  # SyntaxError: the file is not a PNG
        raise FileNotFoundError(
            f"{path}: texture missing or unreadable; make it with python -m driving_sandbox.assets.build.textures"
        ) from error


def texture_file(name: str, repeat: bool = True) -> Texture:
    """Texture from an image file of assets/textures, as stored: not marked as sRGB."""
    return texture_2d(name, _image(name), repeat)


def ground_detail() -> Texture:
    """Array texture of the eight ground tiles and the wear of asphalt."""
    texture = Texture("ground detail")
    layers = np.stack([_image(name) for name in GROUND])
    count, rows, columns, _ = layers.shape
    texture.setup2dTextureArray(columns, rows, count, Texture.TUnsignedByte, Texture.FRgba8)
    texture.setRamImage(layers)
    texture.setWrapU(SamplerState.WMRepeat)
    texture.setWrapV(SamplerState.WMRepeat)
    texture.setMagfilter(SamplerState.FTLinear)
    return texture


def cube_with_levels(levels: list[np.ndarray]) -> Texture:
    """Cube map texture from its prefiltered mipmap levels, each [6, size, size, 3] RGB."""
    texture = Texture("sky cube")
    texture.setupCubeMap(levels[0].shape[1], Texture.TFloat, Texture.FRgb16)
    for level, pixels in enumerate(levels):
        data = PTAUchar(swapped(pixels.astype(np.float32)).tobytes())
        if level == 0:
            texture.setRamImage(CPTAUchar(data))
        else:
            texture.setRamMipmapImage(level, CPTAUchar(data))
    texture.setMagfilter(SamplerState.FTLinear)
    texture.setMinfilter(SamplerState.FTLinearMipmapLinear)
    return texture
