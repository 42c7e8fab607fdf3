"""The pause menu and another drive, by keys through the X server, and what then stands on its screen."""

import time

import pytest
from screen import changed_share
from test_screen import changed_by, seen, seen_until

from driving_sandbox.physics.recording import Recording

pytestmark = pytest.mark.serial
CHOOSER = "app.pause.chooser.wanted"


@pytest.fixture
def hand(open_window):
    hand = open_window("--size", "640x360")
    hand.ask("setattr(app, 'welcome', None)")
    hand.until("app.world.time > 0.3")
    return hand


def test_another_vehicle_and_world_with_keys_alone(hand, home):
    before = seen(hand)
    hand.key("g")
    hand.until("app.pause.page == 'choose'")
    assert changed_share(before, seen_until(hand, lambda picture: changed_share(before, picture) > 0.3)) > 0.3
    for _ in range(6):
        hand.key("Up")
        time.sleep(0.3)
    hand.key("Return")
    hand.until(f"{CHOOSER}.vehicle.stem == 'hatchback'")
    for key in ("Right", "Down", "Down"):
        hand.key(key)
        time.sleep(0.3)
    hand.key("Return")
    hand.until(f"{CHOOSER}.world.stem == 'yard'")
    hand.key("Return")
    hand.until("app.session.vehicle.name == 'Hatchback' and app.world.file.name == 'Yard'")
    hand.until("app.world.time > 0.3")
    after = seen(hand)
    assert changed_share(before, after) > 0.2
    hand.hold("w")
    hand.until("app.session.situation.forward_speed > 3.0")
    assert changed_share(after, seen(hand)) > 0.1
    hand.release("w")
    hand.close_window()
    code, said = hand.wait()
    assert code == 0 and "Traceback" not in said, said
    drives = [Recording.open(path) for path in sorted((home / "recordings").glob("auto-*.drive"))]
    assert len(drives) == 2 and all(drive.complete for drive in drives)


def test_the_menu_is_seen_and_quits(hand):
    hand.key("Escape")
    hand.until("app.session.paused and app.pause.page == 'menu'")
    changed_by(hand, "Escape", 0.3)
    hand.key("Escape")
    hand.until("app.pause.page == 'menu'")
    time.sleep(0.5)
    for _ in range(7):  # from the first entry to the last one
        hand.key("Down")
        time.sleep(0.3)
    hand.key("Return")
    code, said = hand.wait()
    assert code == 0 and "Traceback" not in said, said


def test_closing_the_window_during_a_change_ends_properly(hand, home):
    there = "app.program.choice.world.with_name('proving_ground.yaml')"
    hand.ask(f"app.program.request(__import__('dataclasses').replace(app.program.choice, world={there}))")
    hand.close_window()
    code, said = hand.wait()
    assert code == 0 and "Traceback" not in said, said
    for path in (home / "recordings").glob("auto-*.drive"):
        assert Recording.open(path).complete
