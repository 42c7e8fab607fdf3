"""The SDL library that pygame has loaded, for functions that pygame does not offer.

A second copy of SDL would have separate lists of devices, so the file that pygame brings along is opened: the same file
is the same library, with the same state.
"""

import ctypes
import sys
from functools import cache
from pathlib import Path
from typing import Any

from driving_sandbox.game.controls.devices import import_pygame

_PATTERNS = {  # platform: where pygame's packages have the library, relative to the package's folder
    "win32": ("SDL2.dll",),
    "darwin": (".dylibs/libSDL2-2*.dylib", ".dylibs/libSDL2*.dylib", "../pygame.libs/libSDL2-2*.dylib"),
}
_LINUX = ("../pygame.libs/libSDL2-2*", "../pygame_ce.libs/libSDL2-2*", "libSDL2-2*")
_SYSTEM = {"win32": "SDL2.dll", "darwin": "libSDL2-2.0.0.dylib"}  # of a pygame that a system's package has installed
_SYSTEM_LINUX = "libSDL2-2.0.so.0"


class NoSdl(Exception):
    """pygame or its SDL cannot be loaded."""


def library_path(package: Path, platform: str) -> str:
    """Path of the SDL library of a pygame package's folder, or the name of the system's."""
    for pattern in _PATTERNS.get(platform, _LINUX):
        for path in sorted(package.glob(pattern)):
            return str(path)
    return _SYSTEM.get(platform, _SYSTEM_LINUX)


@cache
def sdl_library() -> Any:
    """The library, whose functions return int unless the caller says otherwise. Raises NoSdl."""
    try:
        package = Path(import_pygame().__file__).parent
        sdl = ctypes.CDLL(library_path(package, sys.platform))
        sdl.SDL_GetError.restype = ctypes.c_char_p
    except (ImportError, OSError, AttributeError) as error:
        raise NoSdl(str(error)) from None
    return sdl


def sdl_error() -> str:
    """SDL's last error in words, "" without one."""
    return (sdl_library().SDL_GetError() or b"").decode(errors="replace").strip()
