"""A session by mouse and keys through the X server: another drive, pause, a new value, a setup, quit, replay."""

import time

import pytest
from screen import changed_share
from test_screen import replay_moves, screenshot_of, screenshot_when

from driving_sandbox.physics.recording import Recording, verify

pytestmark = pytest.mark.serial
MASS = "body.mass"
MIDDLE = 0.5  # of a widget's width


def pixel_of(user, widget):
    """Pixel (x, y) of a widget, as strings, once it no longer moves."""
    point = f"app.ui.items.point({widget!r}, {MIDDLE}) if {widget!r} in app.ui.items else None"
    user.until(f"({point}) is not None")
    before, after = None, user.ask(point)
    while before != after:
        time.sleep(0.2)
        before, after = after, user.ask(point)
    return [str(round(pixel)) for pixel in after]


def click(user, widget):
    """Click on a widget by its name."""
    user.click(*pixel_of(user, widget))


def click_into(user, field):
    """Click on a field and wait for its focus; before that, letters would be keys of the drive."""
    click(user, field)
    user.until("app.ui.wants_keyboard")


def click_at_once(user, widget):
    """Press the button before a frame has read the new mouse position."""
    user.tool("mousemove", "--window", user.window, *pixel_of(user, widget), "mousedown", "1")
    time.sleep(0.3)
    user.tool("mouseup", "1")


def type_text(user, text):
    user.tool("type", "--delay", "150", text)


def choose_another_drive(user):
    """Choose the hatchback in the yard in the chooser, and drive off."""
    user.key("g")
    user.until("app.pause.page == 'choose'")
    click_into(user, "choose:search")
    type_text(user, "hatch")
    user.until("'choose:vehicle:roadster' not in app.ui.items")
    click(user, "choose:vehicle:hatchback")
    click(user, "choose:world:yard")
    user.until("app.pause.chooser.wanted.world.stem == 'yard'")
    click(user, "choose:drive")
    user.until("app.session.vehicle.name == 'Hatchback' and app.world.file.name == 'Yard'")
    user.until("app.world.time > 0.3")


def drive_and_pause(user):
    """Drive by keys until the image has changed, then pause and resume by mouse."""
    standing = screenshot_of(user)
    user.hold("w")
    user.until("app.session.situation.forward_speed > 3.0")
    screenshot_when(user, lambda image: changed_share(standing, image) > 0.1)
    user.release("w")
    user.key("Escape")
    user.until("app.session.paused and app.pause.page == 'menu'")
    click_at_once(user, "pause:resume")
    tick = user.ask("app.world.tick")
    user.until(f"not app.session.paused and app.world.tick > {tick}")


def change_the_mass(user):
    """Search for the mass in the panel and enter 2000 kg."""
    before = screenshot_of(user)
    user.key("Tab")
    user.until("app.panel.open")
    screenshot_when(user, lambda image: changed_share(before, image) > 0.3)
    click_into(user, "search")
    type_text(user, "body.mass")
    user.until(f"{MASS!r} in app.ui.items")
    user.hold("ctrl")
    click(user, MASS)
    user.release("ctrl")
    type_text(user, "2000")
    user.key("Return")
    user.until(f"app.session.vehicle.get({MASS!r}) == 2000.0")


def save_the_setup(user, name):
    """Save the setup under a name, which is then in the list of setups."""
    click(user, "setups")
    click_into(user, "setup-name")
    type_text(user, name)
    click(user, "setup-save")
    user.until(f"{'setup:' + name!r} in app.ui.items")
    user.key("Escape")


def quit_by_the_menu(user):
    """Quit by the pause menu; the program ends without an error."""
    user.until("not app.ui.wants_keyboard")
    user.key("Escape")
    user.until("app.pause.page == 'menu'")
    click(user, "pause:quit")
    code, errors = user.wait()
    assert code == 0 and "Traceback" not in errors, errors


def test_a_player_gets_from_the_welcome_to_the_replay_of_the_session(open_window, home):
    user = open_window("--size", "800x600")
    user.until("app.welcome is not None and app.world.time > 0.3")
    choose_another_drive(user)
    drive_and_pause(user)
    change_the_mass(user)
    save_the_setup(user, "heavy")
    quit_by_the_menu(user)

    assert "2000" in (home / "setups" / "heavy.yaml").read_text(encoding="utf8")
    first, second = sorted((home / "recordings").glob("auto-*.drive"))
    assert Recording.open(first).complete
    drive = Recording.open(second)
    assert drive.complete
    assert {MASS: 2000.0} in [event["values"] for event in drive.events if event["kind"] == "setup"]
    assert verify(second).ok
    replay_moves(user.display, second)
