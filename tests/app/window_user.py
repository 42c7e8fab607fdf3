"""Drives the program's window by real X events, and queries the program for the results."""

import ctypes
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

START_LIMIT = 150.0  # s until the first frame; a busy machine with software OpenGL needs most of a minute
WAIT_LIMIT = 60.0  # s until a condition must hold


def xdotool(display, *words):
    """Output of xdotool; a missing window gives an exit code, which is no error here."""
    environment = {**os.environ, "DISPLAY": display}
    return subprocess.run(["xdotool", *words], env=environment, capture_output=True, text=True, check=False).stdout


def find_window(display, title, process):
    """Wait for a window of this title and return its id. Fails when the process ends before."""
    limit = time.monotonic() + START_LIMIT
    while time.monotonic() < limit and process.poll() is None:
        windows = xdotool(display, "search", "--name", title).split()
        if windows:
            return windows[0]
        time.sleep(0.2)
    process.kill()
    raise AssertionError(f"no window: {process.communicate(timeout=20)[1]}")


class WindowUser:
    """The program with arguments of `drive` in a window on a display.

    Args:
        pad: an EvdevPad that is plugged in.
        audio: SDL's audio driver, None for a program without sound.
    """

    def __init__(self, display, *arguments, pad=None, audio=None):
        self.environment = {**os.environ, "DISPLAY": display, **(pad.environment if pad else {})}
        if audio is None:
            arguments = ("--no-sound", *arguments)
        else:
            self.environment["SDL_AUDIODRIVER"] = audio
        self.environment.pop("SDL_VIDEODRIVER", None)
        host = Path(__file__).with_name("window_host.py")
        self.process = subprocess.Popen(
            [*(pad.command if pad else ()), sys.executable, str(host), "drive", "--world", "plane",
             *map(str, arguments)],
            env=self.environment, cwd="/", stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, start_new_session=True,
        )  # fmt: skip
        self.display = display
        self.window = find_window(display, "Driving sandbox", self.process)
        self.tool("windowfocus", self.window)
        assert self.ask("app.running") is True

    def tool(self, *words):
        """Output of xdotool with these arguments."""
        return xdotool(self.display, *words)

    def ask(self, expression):
        """Value of an expression in `app`."""
        self.process.stdin.write(expression + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, f"the program ended: {self.process.communicate(timeout=20)[1]}"
        return json.loads(line)

    def until(self, expression):
        """Wait until an expression is true; fails after WAIT_LIMIT."""
        limit = time.monotonic() + WAIT_LIMIT
        while time.monotonic() < limit:
            if self.ask(expression):
                return
            time.sleep(0.05)
        raise AssertionError(f"never happened: {expression}")

    def key(self, name):
        self.tool("key", name)

    def hold(self, name):
        self.tool("keydown", name)

    def release(self, name):
        self.tool("keyup", name)

    def click(self, x, y):
        """Press and release the left button at a pixel of the window, with 0.3 s for a frame after each event."""
        self.tool("mousemove", "--window", self.window, str(x), str(y))
        time.sleep(0.3)
        self.tool("mousedown", "1")
        time.sleep(0.3)
        self.tool("mouseup", "1")

    def lose_focus(self):
        """Give the keyboard focus to another client."""
        root = self.tool("search", "--maxdepth", "0", "--name", ".*").split() or [str(self._root())]
        self.tool("windowfocus", root[0])

    def _root(self):
        """Identifier of the root window."""
        x11 = _x11()
        connection = x11.XOpenDisplay(self.environment["DISPLAY"].encode())
        root = x11.XDefaultRootWindow(connection)
        x11.XCloseDisplay(connection)
        return root

    def close_window(self):
        """Send WM_DELETE_WINDOW, as the close button does."""
        x11 = _x11()
        connection = x11.XOpenDisplay(self.environment["DISPLAY"].encode())
        protocols = x11.XInternAtom(connection, b"WM_PROTOCOLS", 0)
        delete = x11.XInternAtom(connection, b"WM_DELETE_WINDOW", 0)
        event = _ClientMessage(33, 0, 1, connection, int(self.window), protocols, 32, (ctypes.c_long * 5)(delete, 0))
        # 192 bytes: size of XEvent, which is 24 longs
        padded = (ctypes.c_char * 192).from_buffer_copy(bytes(event).ljust(192, b"\0"))
        x11.XSendEvent(connection, int(self.window), 0, 0, padded)
        x11.XSync(connection, 0)
        x11.XCloseDisplay(connection)

    def wait(self):
        """(exit code, stderr) after the end of the program."""
        _, errors = self.process.communicate(timeout=WAIT_LIMIT)
        return self.process.returncode, errors

    def end(self):
        """Release the keys, and kill the program if it is still running."""
        for name in ("w", "a", "s", "d", "space"):
            self.release(name)
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)  # the program, and umockdev if that has started it
            self.process.communicate()


class _ClientMessage(ctypes.Structure):
    """XClientMessageEvent with five longs of data; type 33 is ClientMessage."""

    _fields_ = [
        ("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int), ("display", ctypes.c_void_p),
        ("window", ctypes.c_ulong), ("message_type", ctypes.c_ulong), ("format", ctypes.c_int),
        ("data", ctypes.c_long * 5),
    ]  # fmt: skip


def _x11():
    """The X11 library, its functions declared."""
    x11 = ctypes.CDLL("libX11.so.6")
    x11.XOpenDisplay.restype = ctypes.c_void_p
    x11.XInternAtom.restype = x11.XDefaultRootWindow.restype = ctypes.c_ulong
    x11.XInternAtom.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int]
    x11.XDefaultRootWindow.argtypes = x11.XCloseDisplay.argtypes = [ctypes.c_void_p]
    x11.XSendEvent.argtypes = [ctypes.c_void_p, ctypes.c_ulong, ctypes.c_int, ctypes.c_long, ctypes.c_void_p]
    x11.XSync.argtypes = [ctypes.c_void_p, ctypes.c_int]
    return x11
