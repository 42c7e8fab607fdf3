"""The program in a real window, controlled by X events."""

import subprocess
import sys
import time

import pytest
from app_rig import program, without_display
from window_user import WAIT_LIMIT, find_window, xdotool

from driving_sandbox.game.session.session import Session
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.recording import Recording
from driving_sandbox.physics.tick.commands import neutral_command
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

pytestmark = pytest.mark.serial


@pytest.fixture
def user(open_window):
    return open_window("--size", "320x180")


def test_keys_reach_the_car_and_losing_focus_releases_them_and_pauses(user):
    user.until("app.world.time > 0.1")
    user.hold("w")
    user.until("app.session.situation.forward_speed > 3.0")
    user.key("F1")
    user.until("app.windows['keys'].open")
    user.key("F1")
    user.until("not app.windows['keys'].open")
    user.lose_focus()
    user.until("app.session.paused")
    assert user.ask("sorted(app.keyboard.held_actions)") == []
    tick = user.ask("app.world.tick")
    assert user.ask("app.world.tick") == tick
    user.release("w")
    user.tool("windowfocus", user.window)
    user.until("app.base.win.getProperties().getForeground()")
    user.key("p")
    user.until("not app.session.paused")
    user.until(f"app.world.tick > {tick}")
    assert user.ask("app.session._commands['throttle'][0].item()") == 0.0


def test_a_click_on_the_car_names_the_part_and_a_click_beside_it_nothing(user):
    user.ask("setattr(app, 'welcome', None)")  # it covers the car
    user.until("app.world.time > 0.5")
    messages = "[m.text for m in app.session.messages if 'body of' in m.text]"
    user.click(20, 100)  # px, beside the car
    user.click(160, 105)  # on it
    user.until(f"len({messages}) > 0")
    (text,) = user.ask(messages)
    assert text.startswith("hull") and "kg" in text


def test_resizing_changes_the_frame_and_full_screen_is_switched_on_and_off(open_window):
    user = open_window()
    user.tool("windowsize", user.window, "400", "240")
    user.until("[app.base.win.getXSize(), app.base.win.getYSize()] == [400, 240]")
    user.until("app.base.camLens.getAspectRatio() > 1.6")
    assert user.ask("list(app.ui.size)") == [400, 240]
    user.key("F11")
    user.until("app.settings.fullscreen")
    user.until("app.base.win.getXSize() >= 400")
    user.key("F11")
    user.until("not app.settings.fullscreen")
    before = user.ask("app.world.tick")
    user.until(f"app.world.tick > {before}")


def test_closing_the_window_leaves_a_complete_recording(user, home):
    user.hold("w")
    user.until("app.world.time > 1.2")
    user.close_window()
    code, errors = user.wait()
    assert code == 0 and "Traceback" not in errors, errors
    (path,) = (home / "recordings").glob("auto-*.drive")
    recording = Recording.open(path)
    assert recording.complete and recording.seconds > 1.0
    result = program("replay", path, "--verify")
    assert result.returncode == 0, result.stdout + result.stderr


def test_vertical_sync_is_requested_of_the_driver_in_an_open_window(user):
    """The software renderer of the display does not support it, and the program reports that."""
    page = "app.windows['settings'].program"
    user.ask(f"{page}._set_vsync(False, lambda obeyed: setattr({page}, 'vsync_obeyed', obeyed))")
    user.until(f"not {page}.vsync_obeyed")
    tick = user.ask("app.world.tick")
    user.until(f"app.world.tick > {tick}")  # and drawing continues


def test_a_replay_in_a_window_ends_with_escape(display, home, tmp_path):
    path = tmp_path / "lap.drive"
    world = World(load_world("plane"), [load_vehicle("roadster")])
    world.spawn()
    with Session(world, record=path) as session:
        for _ in range(20):
            session.step(0.1, lambda situation: neutral_command())
    process = subprocess.Popen(
        [sys.executable, str(ROOT / "main.py"), "replay", str(path), "--size", "320x180", "--no-sound"],
        env={**without_display(), "DISPLAY": display}, stderr=subprocess.PIPE, text=True, cwd="/",
    )  # fmt: skip
    window = find_window(display, "lap.drive", process)
    for words in ("windowfocus", window), ("key", "space"), ("key", "F11"):
        xdotool(display, *words)
    limit = time.monotonic() + WAIT_LIMIT
    while process.poll() is None and time.monotonic() < limit:
        xdotool(display, "key", "Escape")  # keys pressed while it loads have no effect
        time.sleep(0.5)
    _, errors = process.communicate(timeout=WAIT_LIMIT)
    assert process.returncode == 0 and "Traceback" not in errors, errors
