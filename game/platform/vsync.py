"""Vertical sync of an open window.

Panda3D requests it only when a window opens, so a change of the setting goes to the driver directly: through the swap
interval of GLX_EXT_swap_control, GLX_MESA_swap_control or GLX_SGI_swap_control on X11, WGL_EXT_swap_control on Windows,
and kCGLCPSwapInterval on macOS. The driver's function acts on the current OpenGL context, so it is called while the
window is drawn. Software renderers have none of these functions and never wait.
"""

import ctypes
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from panda3d.core import GraphicsWindow, PythonCallbackObject

_CGL_SWAP_INTERVAL = 222  # kCGLCPSwapInterval of CGLTypes.h
_ADDRESS, _INT = ctypes.c_void_p, ctypes.c_int
_GLX_OPENGL = "libGL.so.1"


def set_vsync(base: Any, on: bool, report: Callable[[bool], object]) -> None:
    """Switch vertical sync of the window on or off from its next frame on.

    Then calls `report(bool)` with whether the driver could do so.
    """
    window = base.win
    if not isinstance(window, GraphicsWindow):
        report(False)
        return
    region = window.makeDisplayRegion(0.0, 0.0, 0.0, 0.0)

    def drawn(callback: Any) -> None:
        """Called while the window is drawn, with its OpenGL context current."""
        callback.upcall()
        region.clearDrawCallback()
        base.taskMgr.doMethodLater(0.0, lambda task: window.removeDisplayRegion(region), "vsync region")
        report(interval_setter(sys.platform)(int(on)))

    region.setDrawCallback(PythonCallbackObject(drawn))


def interval_setter(platform: str, library: Callable[[str], Any] = ctypes.CDLL) -> Callable[[int], bool]:
    """A function that sets the driver's swap interval for the current OpenGL context.

    It takes the interval in screen refreshes and returns whether it had an effect.
    """
    if platform == "win32":
        return _windows(library("opengl32.dll"))
    if platform == "darwin":
        return _mac(library("/System/Library/Frameworks/OpenGL.framework/OpenGL"))
    return _x11(library(_GLX_OPENGL))


def _no_driver_function(interval: int) -> bool:
    return False


def _windows(gl: Any) -> Callable[[int], bool]:
    """`interval_setter` for Windows; `gl` is the loaded OpenGL library."""
    gl.wglGetProcAddress.restype, gl.wglGetProcAddress.argtypes = _ADDRESS, [ctypes.c_char_p]
    address = gl.wglGetProcAddress(b"wglSwapIntervalEXT")
    if not address:
        return _no_driver_function
    swap_interval = ctypes.CFUNCTYPE(_INT, _INT)(address)
    return lambda interval: bool(swap_interval(interval))


def _mac(gl: Any) -> Callable[[int], bool]:
    """`interval_setter` for macOS; `gl` is the loaded OpenGL library."""
    gl.CGLGetCurrentContext.restype = _ADDRESS
    gl.CGLSetParameter.argtypes = [_ADDRESS, _INT, ctypes.POINTER(_INT)]
    return lambda interval: not gl.CGLSetParameter(gl.CGLGetCurrentContext(), _CGL_SWAP_INTERVAL, _INT(interval))


def _x11(gl: Any) -> Callable[[int], bool]:
    """`interval_setter` for GLX; `gl` is the loaded OpenGL library."""
    gl.glXGetCurrentDisplay.restype = _ADDRESS
    gl.glXGetCurrentDrawable.restype = ctypes.c_ulong
    gl.glXQueryExtensionsString.restype = ctypes.c_char_p
    gl.glXQueryExtensionsString.argtypes = [_ADDRESS, _INT]
    gl.glXGetProcAddressARB.restype, gl.glXGetProcAddressARB.argtypes = _ADDRESS, [ctypes.c_char_p]
    display = gl.glXGetCurrentDisplay()
    extensions = (gl.glXQueryExtensionsString(display, 0) or b"").split() if display else ()
    if b"GLX_EXT_swap_control" in extensions:
        function = ctypes.CFUNCTYPE(None, _ADDRESS, ctypes.c_ulong, _INT)
        swap_interval = function(gl.glXGetProcAddressARB(b"glXSwapIntervalEXT"))
        return partial(_set_for_drawable, swap_interval, display, gl.glXGetCurrentDrawable())
    for extension, name in ((b"GLX_MESA_swap_control", b"glXSwapIntervalMESA"),
                            (b"GLX_SGI_swap_control", b"glXSwapIntervalSGI")):  # fmt: skip
        if extension in extensions:  # the SGI function accepts 1 or more only, so it cannot switch vsync off
            swap_interval = ctypes.CFUNCTYPE(_INT, ctypes.c_uint)(gl.glXGetProcAddressARB(name))
            return lambda interval: swap_interval(interval) == 0
    return _no_driver_function


def _set_for_drawable(swap_interval: Any, display: Any, drawable: Any, interval: int) -> bool:
    swap_interval(display, drawable, interval)
    return True
