"""Runs the program: as a process, or opened in this process without a window and stepped by hand."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
from panda3d.core import PNMImage

from driving_sandbox.cli.arguments import build_parser
from driving_sandbox.game.program.start import open_program
from driving_sandbox.physics.kernel.jit import ROOT

SCREENSHOT_SIZE = "480x270"
LONG_FRAME = 0.1  # s, the longest frame time the session simulates, so that few frames are drawn
SETTLE = 3  # frames until Dear ImGui has processed a press, its layout and the release
NO_TIME = 1e-6  # s; Panda3D allows no frame of 0 s, and this is far below a tick


def without_display(**environment):
    """This process's environment without a display or a choice of SDL's video driver, plus `environment`."""
    variables = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")}
    return {**variables, **environment}


def program(*arguments, timeout=280, **environment):
    """`main.py ARGUMENTS` in a new process without a display, outside the program's folder."""
    return subprocess.run(
        [sys.executable, str(ROOT / "main.py"), *map(str, arguments)], cwd="/", env=without_display(**environment),
        capture_output=True, text=True, timeout=timeout, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip


def pixels(path):
    """An image file as (rows, columns, rgb) 0..1, first row on top."""
    file = PNMImage(str(Path(path)))
    assert file.isValid(), f"{path} is no image"
    values = np.array([[file.getXel(x, y) for x in range(file.getXSize())] for y in range(file.getYSize())])
    return values.reshape(file.getYSize(), file.getXSize(), 3)


def assert_shows_a_drive(image):
    """Assert sky on top, ground below and the red car in the middle; the message names what is missing."""
    height, width, _ = image.shape
    top = image[: height // 6].reshape(-1, 3)
    sky = (top[:, 2] > 1.08 * top[:, 0]) & (top.mean(axis=1) > 0.35)  # bluish and bright
    assert sky.mean() > 0.05, f"{sky.mean():.1%} of the top look like sky"
    ground = image[-height // 8 :, width // 3 : -width // 3].mean(axis=(0, 1))
    assert 0.05 < ground.mean() < top[sky].mean() - 0.1, f"no ground below: {ground}"
    middle = image[height // 3 :, width // 4 : -width // 4]
    red, green, blue = np.moveaxis(middle, -1, 0)
    # the share of the car depends on the camera; it is neither missing nor fills the image
    painted = (red > 0.35) & (red > 1.7 * green) & (red > 2.0 * blue)
    share = painted.mean()
    assert 0.01 < share < 0.5, f"{share:.1%} of the middle have the colour of the car"


class Rig:
    """The program without a window, by default with 240 x 136 px and on the flat world, and its user's actions."""

    def __init__(self, *arguments):
        command_line = ["drive", "--offscreen", "--size", "240x136", *map(str, arguments)]
        if "--world" not in command_line:
            command_line += ["--world", "plane"]
        self.program = open_program(build_parser().parse_args(command_line))
        self.ui = self.program.ui
        self.app.ui.items.enabled = True
        self.closed = False

    app = property(lambda self: self.program.app, doc="The present drive.")
    session = property(lambda self: self.app.session)

    def close(self):
        """Shut the program down, once."""
        if not self.closed:
            self.closed = True
            self.program.shut_down()

    def step(self, frames=1, frame=NO_TIME):
        """Step through frames of `frame` simulated seconds each, by default too short for a tick."""
        self.app.base.clock.dt = frame
        for _ in range(frames):
            self.program.step()

    def run(self, seconds):
        """Simulate for some seconds in long frames."""
        self.step(round(seconds / LONG_FRAME), LONG_FRAME)

    def until(self, condition, seconds):
        """Simulate until a condition holds; fails after some simulated seconds."""
        for _ in range(round(seconds / LONG_FRAME)):
            if condition():
                return
            self.run(LONG_FRAME)
        assert condition(), f"not within {seconds} s of driving"

    def press(self, key):
        """Press a key, draw a frame, release it and draw another."""
        self.app.keyboard.key_down(key)
        self.step()
        self.app.keyboard.key_up(key)
        self.step()

    def tap(self, *keys):
        """Press keys in Dear ImGui only, one after the other."""
        for key in keys:
            for down in (True, False):
                self.ui.feed.button(down, key)
                self.step(2)

    def strike(self, key):
        """Send a key to both the program and Dear ImGui in the same frame, as a window does."""
        self.ui.feed.button(True, key)
        self.press(key)
        self.ui.feed.button(False, key)
        self.step(2)

    def click(self, item, fraction=0.5, button="mouse1"):
        """Click on a named widget at a fraction of its width."""
        self.ui.feed.move(*self.ui.items.point(item, fraction))
        self.step(SETTLE)
        for down in (True, False):
            self.ui.feed.button(down, button)
            self.step(SETTLE)

    def hold(self, *keys):
        """Hold these keys, and release all others."""
        self.app.keyboard.release_all()
        for key in keys:
            self.app.keyboard.key_down(key)

    @property
    def speed(self):
        """Forward speed, m/s."""
        return self.session.situation.forward_speed

    @property
    def shown(self):
        """Texts of the messages on the screen."""
        return [message.text for message in self.app.instruments.feed.messages]

    def read(self, channel):
        """Present value of a channel of the vehicle."""
        return self.session.vehicle.read(channel)
