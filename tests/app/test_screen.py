"""The X screen as a person sees it, grabbed by another program."""

import subprocess
import sys
import time

import numpy as np
import pytest
from app_rig import looks_like_a_drive, pixels, program, without_display
from screen import changed_share, grab, window_area
from window_hand import WAIT_LIMIT, find_window, xdotool

from driving_sandbox.physics.kernel.jit import ROOT

pytestmark = pytest.mark.serial


def seen(hand):
    return grab(hand.display, window_area(hand.display, hand.window))


def seen_until(hand, condition, limit=30.0):
    """The first picture of the screen for which `condition(picture)` holds; fails when there is none in time."""
    end = time.monotonic() + limit
    while time.monotonic() < end:
        picture = seen(hand)
        if condition(picture):
            return picture
        time.sleep(0.2)
    raise AssertionError("the screen never showed it")


def test_the_screen_shows_the_drive_and_follows_it(open_window):
    hand = open_window("--size", "480x270")
    hand.ask("setattr(app, 'welcome', None)")
    hand.until("app.world.time > 0.5")
    before = seen(hand)
    looks_like_a_drive(before / 255.0)
    hand.hold("w")
    hand.until("app.session.situation.forward_speed > 5.0")
    assert changed_share(before, seen(hand)) > 0.1


def test_the_screen_shows_what_the_program_takes_for_its_picture(open_window, tmp_path):
    hand = open_window("--size", "480x270")
    hand.ask("setattr(app, 'welcome', None)")
    hand.until("app.world.time > 0.5")
    hand.ask("setattr(app.settings, 'quality', 'low')")  # chosen: its resolution stays what it is
    hand.ask("[setattr(app.hud, 'visible', False), setattr(app.session, 'paused', True)] and None")
    time.sleep(1.0)  # the camera comes to rest
    inner_path = str(tmp_path / "in.png")
    module = "__import__('driving_sandbox.game.platform.window', fromlist=['screenshot'])"
    hand.ask(f"{module}.screenshot(app.base, {inner_path!r})")
    inner = np.round(255.0 * pixels(tmp_path / "in.png")).astype(np.uint8)
    assert changed_share(inner, seen(hand)) < 2e-3  # the camera still comes to rest: lamps glitter


@pytest.fixture
def drive(open_window):
    hand = open_window()
    hand.tool("windowsize", hand.window, "480", "270")
    hand.tool("windowmove", hand.window, "0", "0")
    hand.ask("setattr(app, 'welcome', None)")
    hand.until("app.base.win.getXSize() == 480 and app.world.time > 0.5")
    return hand


def moves(hand):
    """Whether what the screen shows changes while the car drives."""
    hand.ask("app.session.changes.recover()")
    hand.hold("w")
    hand.until("app.session.situation.forward_speed > 3.0")
    before = seen(hand)
    tick = hand.ask("app.world.tick")
    hand.until(f"app.world.tick > {tick} + 120")
    hand.release("w")
    return changed_share(before, seen(hand)) > 0.05


def changed_by(hand, key, share):
    """Press a key and wait until a share of the picture is another; the picture before."""
    time.sleep(1.0)  # the camera comes to rest
    before = seen(hand)
    hand.key(key)
    seen_until(hand, lambda picture: changed_share(before, picture) > share)
    return before


def test_the_panel_comes_and_goes_on_the_screen(drive):
    drive.ask("setattr(app.session, 'paused', True)")
    before = changed_by(drive, "Tab", 0.3)
    drive.key("Tab")
    seen_until(drive, lambda picture: changed_share(before, picture) < 0.02)


def test_the_screen_follows_the_window_through_sizes_full_screen_and_minimising(drive):
    for width, height in ((640, 360), (400, 300)):
        drive.tool("windowsize", drive.window, str(width), str(height))
        drive.until(f"app.base.win.getXSize() == {width}")
        assert moves(drive)
        assert seen(drive).shape == (height, width, 3)
        corner = seen(drive)[-20:, -20:]
        assert corner.std(axis=(0, 1)).max() > 0.0, "the new part of the window is not drawn"
    drive.key("F11")
    drive.until("app.settings.fullscreen and app.base.win.getXSize() > 400")
    assert moves(drive)
    drive.key("F11")
    drive.until("not app.settings.fullscreen and app.base.win.getXSize() == 400")
    assert moves(drive)
    drive.tool("windowminimize", drive.window)
    drive.tool("windowunmap", drive.window)  # no window manager of this display answers the former
    time.sleep(0.5)
    tick = drive.ask("app.world.tick")
    drive.tool("windowmap", drive.window)
    drive.tool("windowfocus", drive.window)
    drive.until("app.base.win.getProperties().getForeground()")
    drive.ask("setattr(app.session, 'paused', False)")
    drive.until(f"app.world.tick > {tick}")
    assert moves(drive)


def test_a_window_fits_on_a_small_screen(open_window):
    hand = open_window()
    x, y, width, height = window_area(hand.display, hand.window)
    assert 0 <= x <= x + width <= 800 and 0 <= y <= y + height <= 600


def test_a_replay_plays_on_the_screen(display, home, tmp_path, compiled):
    path = tmp_path / "lap.drive"
    done = program("drive", "--offscreen", "--driver", "ai", "--world", "plane", "--seconds", 6, "--record", path)
    assert done.returncode == 0, done.stderr
    replay_moves(display, path)


def replay_moves(display, path):
    """Watch a recording until the picture on the screen moves, and leave by Escape."""
    replay = subprocess.Popen(
        [sys.executable, str(ROOT / "main.py"), "replay", str(path), "--size", "480x270"],
        env={**without_display(), "DISPLAY": display}, stderr=subprocess.PIPE, text=True, cwd="/",
    )  # fmt: skip
    try:
        window = find_window(display, path.name, replay)
        area = window_area(display, window)
        looked = []
        for _ in range(60):
            looked.append(grab(display, area))
            if len(looked) > 1 and looks_like(looked[-1]) and changed_share(looked[-2], looked[-1]) > 0.02:
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


def looks_like(picture):
    try:
        looks_like_a_drive(picture / 255.0)
    except AssertionError:
        return False
    return True
