"""The program in a real window on a display of its own, used through X as a person would."""

import subprocess
import sys
import time

import pytest
from app_rig import program, without_display
from window_hand import WAIT_LIMIT, find_window, xdotool

from driving_sandbox.game.session.session import Session
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.recording import Recording
from driving_sandbox.physics.tick.commands import neutral_command
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

pytestmark = pytest.mark.serial


@pytest.fixture
def hand(open_window):
    return open_window("--size", "320x180")


def test_keys_reach_the_car_and_losing_the_focus_lets_go_and_pauses(hand):
    hand.until("app.world.time > 0.1")
    hand.hold("w")
    hand.until("app.session.situation.forward_speed > 3.0")
    hand.key("F1")
    hand.until("app.windows['keys'].open")
    hand.key("F1")
    hand.until("not app.windows['keys'].open")
    hand.lose_focus()
    hand.until("app.session.paused")
    assert hand.ask("sorted(app.keyboard.held_actions)") == []
    tick = hand.ask("app.world.tick")
    assert hand.ask("app.world.tick") == tick
    hand.release("w")
    hand.tool("windowfocus", hand.window)
    hand.until("app.base.win.getProperties().getForeground()")
    hand.key("p")
    hand.until("not app.session.paused")
    hand.until(f"app.world.tick > {tick}")
    assert hand.ask("app.session._commands['throttle'][0].item()") == 0.0


def test_a_click_on_the_car_names_the_part_and_one_beside_it_nothing(hand):
    hand.ask("setattr(app, 'welcome', None)")  # it lies over the car
    hand.until("app.world.time > 0.5")
    said = "[m.text for m in app.session.messages if 'body of' in m.text]"
    hand.click(20, 100)
    hand.click(160, 105)
    hand.until(f"len({said}) > 0")
    (text,) = hand.ask(said)
    assert text.startswith("hull") and "kg" in text


def test_resizing_and_full_screen_change_the_picture(open_window):
    hand = open_window()
    hand.tool("windowsize", hand.window, "400", "240")
    hand.until("[app.base.win.getXSize(), app.base.win.getYSize()] == [400, 240]")
    hand.until("app.base.camLens.getAspectRatio() > 1.6")
    assert hand.ask("list(app.ui.size)") == [400, 240]
    hand.key("F11")
    hand.until("app.settings.fullscreen")
    hand.until("app.base.win.getXSize() >= 400")
    hand.key("F11")
    hand.until("not app.settings.fullscreen")
    before = hand.ask("app.world.tick")
    hand.until(f"app.world.tick > {before}")


def test_closing_the_window_leaves_a_complete_recording(hand, home):
    hand.hold("w")
    hand.until("app.world.time > 1.2")
    hand.close_window()
    code, said = hand.wait()
    assert code == 0 and "Traceback" not in said, said
    (path,) = (home / "recordings").glob("auto-*.drive")
    recording = Recording.open(path)
    assert recording.complete and recording.seconds > 1.0
    done = program("replay", path, "--verify")
    assert done.returncode == 0, done.stdout + done.stderr


def test_vertical_sync_is_asked_of_the_driver_while_the_window_is_open(hand):
    """The software renderer of the display has no such switch, and the program hears so instead of believing."""
    page = "app.windows['settings'].program"
    hand.ask(f"{page}._set_vsync(False, lambda obeyed: setattr({page}, 'vsync_obeyed', obeyed))")
    hand.until(f"not {page}.vsync_obeyed")
    tick = hand.ask("app.world.tick")
    hand.until(f"app.world.tick > {tick}")  # and the window is drawn on


def test_a_replay_in_a_window_ends_with_escape(display, home, tmp_path):
    path = tmp_path / "lap.drive"
    world = World(load_world("plane"), [load_vehicle("roadster")])
    world.spawn()
    with Session(world, record=path) as session:
        for _ in range(20):
            session.step(0.1, lambda situation: neutral_command())
    done = subprocess.Popen(
        [sys.executable, str(ROOT / "main.py"), "replay", str(path), "--size", "320x180"],
        env={**without_display(), "DISPLAY": display}, stderr=subprocess.PIPE, text=True, cwd="/",
    )  # fmt: skip
    window = find_window(display, "lap.drive", done)
    for word in ("windowfocus", window), ("key", "space"), ("key", "F11"):
        xdotool(display, *word)
    limit = time.monotonic() + WAIT_LIMIT
    while done.poll() is None and time.monotonic() < limit:
        xdotool(display, "key", "Escape")  # keys pressed while it loads act on nothing
        time.sleep(0.5)
    _, said = done.communicate(timeout=WAIT_LIMIT)
    assert done.returncode == 0 and "Traceback" not in said, said
