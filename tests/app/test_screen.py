"""The program's window on the X screen, captured by another program."""

import subprocess
import sys
import time

import numpy as np
import pytest
from app_rig import assert_shows_a_drive, pixels, program, without_display
from screen import changed_share, grab, window_area
from window_user import WAIT_LIMIT, find_window, xdotool

from driving_sandbox.physics.kernel.jit import ROOT

pytestmark = pytest.mark.serial


def screenshot_of(user):
    """(rows, columns, rgb) bytes of the program's window on the screen."""
    return grab(user.display, window_area(user.display, user.window))


def screenshot_when(user, condition, limit=30.0):
    """The first screenshot for which `condition(image)` holds; fails after a time limit."""
    end = time.monotonic() + limit
    while time.monotonic() < end:
        image = screenshot_of(user)
        if condition(image):
            return image
        time.sleep(0.2)
    raise AssertionError("the screen never showed it")


def test_the_screen_shows_the_drive_and_is_updated(open_window):
    user = open_window("--size", "480x270")
    user.ask("setattr(app, 'welcome', None)")
    user.until("app.world.time > 0.5")
    before = screenshot_of(user)
    assert_shows_a_drive(before / 255.0)
    user.hold("w")
    user.until("app.session.situation.forward_speed > 5.0")
    assert changed_share(before, screenshot_of(user)) > 0.1


def test_the_screen_shows_the_same_as_a_screenshot_of_the_program(open_window, tmp_path):
    user = open_window("--size", "480x270")
    user.ask("setattr(app, 'welcome', None)")
    user.until("app.world.time > 0.5")
    user.ask("setattr(app.settings, 'quality', 'low')")  # a chosen level keeps its resolution
    user.ask("[setattr(app.hud, 'visible', False), setattr(app.session, 'paused', True)] and None")
    time.sleep(1.0)  # the camera settles
    inner_path = str(tmp_path / "in.png")
    module = "__import__('driving_sandbox.game.platform.window', fromlist=['screenshot'])"
    user.ask(f"{module}.screenshot(app.base, {inner_path!r})")
    inner = np.round(255.0 * pixels(tmp_path / "in.png")).astype(np.uint8)
    assert changed_share(inner, screenshot_of(user)) < 2e-3  # the camera still moves slightly, so that lamps flicker


@pytest.fixture
def user(open_window):
    """The program in a window of 480 x 270 px, driving."""
    user = open_window()
    user.tool("windowsize", user.window, "480", "270")
    user.tool("windowmove", user.window, "0", "0")
    user.ask("setattr(app, 'welcome', None)")
    user.until("app.base.win.getXSize() == 480 and app.world.time > 0.5")
    return user


def moves(user):
    """Put the car back and drive; returns whether the screen changes meanwhile."""
    user.ask("app.session.changes.recover()")
    user.hold("w")
    user.until("app.session.situation.forward_speed > 3.0")
    before = screenshot_of(user)
    tick = user.ask("app.world.tick")
    user.until(f"app.world.tick > {tick} + 120")
    user.release("w")
    return changed_share(before, screenshot_of(user)) > 0.05


def changed_by(user, key, share):
    """Press a key and wait until more than `share` of the pixels differ; returns the screenshot before."""
    time.sleep(1.0)  # the camera settles
    before = screenshot_of(user)
    user.key(key)
    screenshot_when(user, lambda image: changed_share(before, image) > share)
    return before


def test_the_panel_is_shown_and_hidden_on_the_screen(user):
    user.ask("setattr(app.session, 'paused', True)")
    before = changed_by(user, "Tab", 0.3)
    user.key("Tab")
    screenshot_when(user, lambda image: changed_share(before, image) < 0.02)


def test_the_screen_follows_resizing_full_screen_and_minimising(user):
    for width, height in ((640, 360), (400, 300)):
        user.tool("windowsize", user.window, str(width), str(height))
        user.until(f"app.base.win.getXSize() == {width}")
        assert moves(user)
        assert screenshot_of(user).shape == (height, width, 3)
        corner = screenshot_of(user)[-20:, -20:]  # 20 x 20 px at the lower right
        assert corner.std(axis=(0, 1)).max() > 0.0, "the new part of the window is not drawn"
    user.key("F11")
    user.until("app.settings.fullscreen and app.base.win.getXSize() > 400")
    assert moves(user)
    user.key("F11")
    user.until("not app.settings.fullscreen and app.base.win.getXSize() == 400")
    assert moves(user)
    user.tool("windowminimize", user.window)
    user.tool("windowunmap", user.window)  # without a window manager, minimising has no effect
    time.sleep(0.5)
    tick = user.ask("app.world.tick")
    user.tool("windowmap", user.window)
    user.tool("windowfocus", user.window)
    user.until("app.base.win.getProperties().getForeground()")
    user.ask("setattr(app.session, 'paused', False)")
    user.until(f"app.world.tick > {tick}")
    assert moves(user)


def test_the_window_fits_on_a_small_screen(open_window):
    user = open_window()
    x, y, width, height = window_area(user.display, user.window)
    assert 0 <= x <= x + width <= 800 and 0 <= y <= y + height <= 600


def test_a_replay_plays_on_the_screen(display, home, tmp_path, compiled):
    path = tmp_path / "lap.drive"
    result = program("drive", "--offscreen", "--driver", "ai", "--world", "plane", "--seconds", 6, "--record", path)
    assert result.returncode == 0, result.stderr
    replay_moves(display, path)


def replay_moves(display, path):
    """Play a recording until its frames on the screen differ, and leave by Escape."""
    replay = subprocess.Popen(
        [sys.executable, str(ROOT / "main.py"), "replay", str(path), "--size", "480x270", "--no-sound"],
        env={**without_display(), "DISPLAY": display}, stderr=subprocess.PIPE, text=True, cwd="/",
    )  # fmt: skip
    try:
        window = find_window(display, path.name, replay)
        area = window_area(display, window)
        images = []
        for _ in range(60):
            images.append(grab(display, area))
            if len(images) > 1 and shows_a_drive(images[-1]) and changed_share(images[-2], images[-1]) > 0.02:
                break
            time.sleep(0.3)
        else:
            raise AssertionError("the replay never moved on the screen")
        xdotool(display, "windowfocus", window)
        xdotool(display, "key", "Escape")
        assert replay.wait(WAIT_LIMIT) == 0
    finally:
        replay.kill()
        replay.communicate()


def shows_a_drive(image):
    """Whether an image looks like a drive."""
    try:
        assert_shows_a_drive(image / 255.0)
    except AssertionError:
        return False
    return True
