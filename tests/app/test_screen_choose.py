"""The pause menu and the chooser, operated by keys sent through the X server and checked on the screen."""

import time

import pytest
from screen import changed_share
from test_screen import changed_by, screenshot_of, screenshot_when

from driving_sandbox.physics.recording import Recording
from driving_sandbox.physics.vehicle.vehicle_file import VEHICLE_FOLDER

_NAMES = sorted(path.stem for path in VEHICLE_FOLDER.glob("*.yaml"))
ROWS_UP = _NAMES.index("roadster") - _NAMES.index("hatchback")  # from the vehicle at the start, in the list of vehicles

pytestmark = pytest.mark.serial
WANTED = "app.pause.chooser.wanted"


@pytest.fixture
def user(open_window):
    """The program in a window, driving, with the welcome closed."""
    user = open_window("--size", "640x360")
    user.ask("setattr(app, 'welcome', None)")
    user.until("app.world.time > 0.3")
    return user


def test_another_vehicle_and_world_are_chosen_by_keys_on_the_screen(user, home):
    before = screenshot_of(user)
    user.key("g")
    user.until("app.pause.page == 'choose'")
    assert changed_share(before, screenshot_when(user, lambda image: changed_share(before, image) > 0.3)) > 0.3
    for _ in range(ROWS_UP):
        user.key("Up")
        time.sleep(0.3)
    user.key("Return")
    user.until(f"{WANTED}.vehicle.stem == 'hatchback'")
    for key in ("Right", "Down", "Down"):  # to the list of worlds, then down to the yard
        user.key(key)
        time.sleep(0.3)
    user.key("Return")
    user.until(f"{WANTED}.world.stem == 'yard'")
    user.key("Return")
    user.until("app.session.vehicle.name == 'Hatchback' and app.world.file.name == 'Yard'")
    user.until("app.world.time > 0.3")
    after = screenshot_of(user)
    assert changed_share(before, after) > 0.2
    user.hold("w")
    user.until("app.session.situation.forward_speed > 3.0")
    assert changed_share(after, screenshot_of(user)) > 0.1
    user.release("w")
    user.close_window()
    code, errors = user.wait()
    assert code == 0 and "Traceback" not in errors, errors
    drives = [Recording.open(path) for path in sorted((home / "recordings").glob("auto-*.drive"))]
    assert len(drives) == 2 and all(drive.complete for drive in drives)


def test_the_menu_is_visible_and_quits(user):
    user.key("Escape")
    user.until("app.session.paused and app.pause.page == 'menu'")
    changed_by(user, "Escape", 0.3)  # closes the menu
    user.key("Escape")
    user.until("app.pause.page == 'menu'")
    time.sleep(0.5)
    for _ in range(7):  # from the first entry to the last one
        user.key("Down")
        time.sleep(0.3)
    user.key("Return")
    code, errors = user.wait()
    assert code == 0 and "Traceback" not in errors, errors


def test_closing_the_window_during_a_change_ends_properly(user, home):
    world = "app.program.choice.world.with_name('proving_ground.yaml')"
    user.ask(f"app.program.request(__import__('dataclasses').replace(app.program.choice, world={world}))")
    user.close_window()
    code, errors = user.wait()
    assert code == 0 and "Traceback" not in errors, errors
    for path in (home / "recordings").glob("auto-*.drive"):
        assert Recording.open(path).complete
