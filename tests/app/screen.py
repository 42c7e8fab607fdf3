"""Screenshots of an X screen, taken by another program: ffmpeg's x11grab reads the X server, not the program."""

import os
import re
import subprocess

import numpy as np

GRAB_LIMIT = 30.0  # s for one screenshot


def window_area(display, window):
    """(x, y, width, height) of a window on its screen, in pixels."""
    output = subprocess.run(
        ["xdotool", "getwindowgeometry", "--shell", str(window)], env={**os.environ, "DISPLAY": display},
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    values = {name: int(value) for name, value in re.findall(r"(\w+)=(-?\d+)", output)}
    return values["X"], values["Y"], values["WIDTH"], values["HEIGHT"]


def grab(display, area):
    """The pixels of (x, y, width, height) of a screen, as (rows, columns, rgb) bytes, top row first."""
    x, y, width, height = area
    result = subprocess.run(
        ["ffmpeg", "-loglevel", "error", "-f", "x11grab", "-draw_mouse", "0", "-video_size", f"{width}x{height}",
         "-i", f"{display}+{x},{y}", "-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
        capture_output=True, timeout=GRAB_LIMIT, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr.decode(errors="replace")
    return np.frombuffer(result.stdout, np.uint8).reshape(height, width, 3)


def changed_share(before, after, threshold=8):
    """Share of pixels that differ between two images by more than a threshold (of 255) in any channel."""
    difference = np.abs(before.astype(np.int16) - after.astype(np.int16)).max(axis=2)
    return float((difference > threshold).mean())
