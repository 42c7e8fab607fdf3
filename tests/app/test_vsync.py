"""Choice of the function that sets the swap interval, with fakes of the drivers' libraries."""

import ctypes

import pytest

from driving_sandbox.game.platform.vsync import interval_setter


class Function:
    """A library function with settable `restype` and `argtypes`, like ctypes'."""

    def __init__(self, body):
        self.body = body

    def __call__(self, *arguments):
        return self.body(*arguments)


class X11:
    """libGL with these extensions; `interval_calls` logs the calls of the swap functions."""

    def __init__(self, extensions, result=0):
        self.interval_calls = []
        signatures = {
            b"glXSwapIntervalEXT": ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_ulong, ctypes.c_int),
            b"glXSwapIntervalMESA": ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint),
            b"glXSwapIntervalSGI": ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint),
        }
        self.functions = {
            name: signature(self._logging(name, None if name.endswith(b"EXT") else result))
            for name, signature in signatures.items()
        }
        self.glXGetCurrentDisplay = Function(lambda: 0x10)
        self.glXGetCurrentDrawable = Function(lambda: 7)
        self.glXQueryExtensionsString = Function(lambda display, screen: extensions)
        self.glXGetProcAddressARB = Function(lambda name: ctypes.cast(self.functions[name], ctypes.c_void_p).value)

    def _logging(self, name, result):
        """A function that logs its calls in `interval_calls` and returns the given result."""

        def body(*arguments):
            self.interval_calls.append((name, arguments))
            return result

        return body


def on_x11(library, interval):
    """Set the swap interval on Linux with this libGL; returns whether the driver obeyed."""
    return interval_setter("linux", lambda name: library)(interval)


def test_the_extension_for_drawables_is_preferred():
    library = X11(b"GLX_MESA_swap_control GLX_EXT_swap_control")
    assert on_x11(library, 0) is True
    assert library.interval_calls == [(b"glXSwapIntervalEXT", (0x10, 7, 0))]


@pytest.mark.parametrize("vendor", ["MESA", "SGI"])
def test_the_result_of_the_older_extensions_says_whether_they_obeyed(vendor):
    for result, obeyed in ((0, True), (5, False)):
        library = X11(f"GLX_{vendor}_swap_control".encode(), result)
        assert on_x11(library, 1) is obeyed
        assert library.interval_calls == [(f"glXSwapInterval{vendor}".encode(), (1,))]


def test_a_driver_without_extensions_is_not_called():
    library = X11(b"GLX_EXT_swap_control_tear")
    assert on_x11(library, 1) is False and not library.interval_calls


def test_on_windows_and_macos_the_swap_interval_is_set():
    calls = []

    class Windows:
        swap = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(lambda interval: calls.append(interval) or 1)
        wglGetProcAddress = Function(lambda name: ctypes.cast(Windows.swap, ctypes.c_void_p).value)

    class Mac:
        CGLGetCurrentContext = Function(lambda: 3)
        CGLSetParameter = Function(lambda context, name, value: calls.append((context, name, value.value)) or 0)

    assert interval_setter("win32", lambda name: Windows)(0) is True
    assert interval_setter("darwin", lambda name: Mac)(1) is True
    assert calls == [0, (3, 222, 1)]  # 222: kCGLCPSwapInterval
