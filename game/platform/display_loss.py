"""Handles the loss of the X server while the program runs, as at a logout, a crash or a closed connection.

Xlib then ends the process from within the call that noticed the loss, without Python's exit functions.
"""

import contextlib
import ctypes
import os
import sys
from collections.abc import Callable

_HANDLER = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)  # int handler(Display *)
EXIT_CODE = 1  # exit code of the process after the loss

_handlers: list[object] = []  # those that Xlib may call; the list saves them from garbage collection


def when_display_is_lost(action: Callable[[], None]) -> None:
    """Call `action()` when the connection to the X server breaks, and then end the process.

    Call it after the window was opened, as Panda3D then sets a handler of its own. Without X it does nothing.
    """

    def lost(_display: int | None) -> None:
        try:
            print("the display is gone: the drive ends", file=sys.stderr, flush=True)
            action()
        finally:
            os._exit(EXIT_CODE)  # Xlib's own exit would run the destructors of objects that still draw

    with contextlib.suppress(OSError, AttributeError):
        handler = _HANDLER(lost)
        ctypes.CDLL("libX11.so.6").XSetIOErrorHandler(handler)
        _handlers.append(handler)
