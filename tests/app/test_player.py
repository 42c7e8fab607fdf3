"""A visit by mouse and keys through the X server: another drive, pause, a new value, a setup, the end, a replay."""

import time

import pytest
from screen import changed_share
from test_screen import replay_moves, seen, seen_until

from driving_sandbox.physics.recording import Recording, verify

pytestmark = pytest.mark.serial
MASS = "body.mass"
MIDDLE = 0.5  # of a widget's width


def place_of(hand, widget):
    """The pixel (x, y) of a widget, in words, as soon as it stands still."""
    place = f"app.ui.items.point({widget!r}, {MIDDLE}) if {widget!r} in app.ui.items else None"
    hand.until(f"({place}) is not None")
    before, now = None, hand.ask(place)
    while before != now:
        time.sleep(0.2)
        before, now = now, hand.ask(place)
    return [str(round(pixel)) for pixel in now]


def click(hand, widget):
    hand.click(*place_of(hand, widget))


def click_into(hand, field):
    """Until the field has the keyboard, letters would be keys of the drive."""
    click(hand, field)
    hand.until("app.ui.wants_keyboard")


def click_at_once(hand, widget):
    """The button goes down before a frame has seen where the mouse is now."""
    hand.tool("mousemove", "--window", hand.window, *place_of(hand, widget), "mousedown", "1")
    time.sleep(0.3)
    hand.tool("mouseup", "1")


def write(hand, text):
    hand.tool("type", "--delay", "150", text)


def choose_another_drive(hand):
    hand.key("g")
    hand.until("app.pause.page == 'choose'")
    click_into(hand, "choose:search")
    write(hand, "hatch")
    hand.until("'choose:vehicle:roadster' not in app.ui.items")
    click(hand, "choose:vehicle:hatchback")
    click(hand, "choose:world:yard")
    hand.until("app.pause.chooser.wanted.world.stem == 'yard'")
    click(hand, "choose:drive")
    hand.until("app.session.vehicle.name == 'Hatchback' and app.world.file.name == 'Yard'")
    hand.until("app.world.time > 0.3")


def drive_and_pause(hand):
    standing = seen(hand)
    hand.hold("w")
    hand.until("app.session.situation.forward_speed > 3.0")
    seen_until(hand, lambda picture: changed_share(standing, picture) > 0.1)
    hand.release("w")
    hand.key("Escape")
    hand.until("app.session.paused and app.pause.page == 'menu'")
    click_at_once(hand, "pause:resume")
    tick = hand.ask("app.world.tick")
    hand.until(f"not app.session.paused and app.world.tick > {tick}")


def change_the_mass(hand):
    without = seen(hand)
    hand.key("Tab")
    hand.until("app.panel.open")
    seen_until(hand, lambda picture: changed_share(without, picture) > 0.3)
    click_into(hand, "search")
    write(hand, "body.mass")
    hand.until(f"{MASS!r} in app.ui.items")
    hand.hold("ctrl")
    click(hand, MASS)
    hand.release("ctrl")
    write(hand, "2000")
    hand.key("Return")
    hand.until(f"app.session.vehicle.get({MASS!r}) == 2000.0")


def save_the_setup(hand, name):
    click(hand, "setups")
    click_into(hand, "setup-name")
    write(hand, name)
    click(hand, "setup-save")
    hand.until(f"{'setup:' + name!r} in app.ui.items")
    hand.key("Escape")


def quit_by_the_menu(hand):
    hand.until("not app.ui.wants_keyboard")
    hand.key("Escape")
    hand.until("app.pause.page == 'menu'")
    click(hand, "pause:quit")
    code, said = hand.wait()
    assert code == 0 and "Traceback" not in said, said


def test_a_visit_from_the_welcome_to_the_replay(open_window, home):
    hand = open_window("--size", "800x600")
    hand.until("app.welcome is not None and app.world.time > 0.3")
    choose_another_drive(hand)
    drive_and_pause(hand)
    change_the_mass(hand)
    save_the_setup(hand, "heavy")
    quit_by_the_menu(hand)

    assert "2000" in (home / "setups" / "heavy.yaml").read_text(encoding="utf8")
    first, second = sorted((home / "recordings").glob("auto-*.drive"))
    assert Recording.open(first).complete
    drive = Recording.open(second)
    assert drive.complete
    assert {MASS: 2000.0} in [event["values"] for event in drive.events if event["kind"] == "setup"]
    assert verify(second).ok
    replay_moves(hand.display, second)
