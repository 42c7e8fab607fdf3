"""A gamepad drives, pauses and chooses another drive in a real window, without the keyboard."""

import shutil

import pytest
from evdev_pad import BUTTONS, HAT_X, HAT_Y, RIGHT_TRIGGER, START, STICK_X, A, EvdevPad
from screen import changed_share
from test_screen import screenshot_of, screenshot_when

from driving_sandbox.physics.vehicle.vehicle_file import VEHICLE_FOLDER

_NAMES = sorted(path.stem for path in VEHICLE_FOLDER.glob("*.yaml"))
ROWS_UP = _NAMES.index("roadster") - _NAMES.index("hatchback")  # in the list of vehicles

pytestmark = [
    pytest.mark.serial,
    pytest.mark.skipif(not shutil.which("umockdev-run"), reason="no umockdev here: no device can be emulated"),
]
# a delay of 60 s: in slow frames a short press would otherwise be repeated
NO_REPEAT = "setattr(__import__('imgui_bundle').imgui.get_io(), 'key_repeat_delay', 60.0)"


@pytest.fixture
def pad(tmp_path):
    pad = EvdevPad(tmp_path)
    yield pad
    pad.close()


def press(user, pad, button):
    """Press and release a button, each after the program has read the previous event."""
    pad.button(button, True)
    user.until(f"any(d.joystick.get_button({BUTTONS.index(button)}) for d in app.devices.devices.values())")
    pad.button(button, False)
    user.until(f"not any(d.joystick.get_button({BUTTONS.index(button)}) for d in app.devices.devices.values())")


def push(user, pad, hat, side):
    """Push an axis of the hat to a side, -1 or 1, and release it."""
    is_pushed = "any(d.joystick.get_hat(0) != (0, 0) for d in app.devices.devices.values())"
    pad.axis(hat, side)
    user.until(is_pushed)
    pad.axis(hat, 0)
    user.until(f"not {is_pushed}")


def drives_to_the_left(user, pad):
    """Drive by trigger and stick until the car turns left and the image has changed, then let go."""
    standing = screenshot_of(user)
    pad.axis(RIGHT_TRIGGER, 1.0)
    user.until("app.session.situation.forward_speed > 5.0")
    pad.axis(STICK_X, -0.8)
    user.until("app.session.vehicle.read('body.angular_velocity.z') > 0.1")
    screenshot_when(user, lambda image: changed_share(standing, image) > 0.1)
    pad.axis(STICK_X, 0)
    pad.axis(RIGHT_TRIGGER, 0)
    user.until("app.session._commands['throttle'][0] == 0.0")


def chooses_the_hatchback_in_the_yard(user, pad):
    """Choose vehicle and world in the chooser by the pad's hat and buttons alone."""
    before = screenshot_of(user)
    press(user, pad, START)
    user.until("app.pause.page == 'menu'")
    for _ in range(3):  # from the first entry to the chooser
        push(user, pad, HAT_Y, 1)
    press(user, pad, A)
    user.until("app.pause.page == 'choose'")
    screenshot_when(user, lambda image: changed_share(before, image) > 0.3)
    for _ in range(ROWS_UP):
        push(user, pad, HAT_Y, -1)
    press(user, pad, A)
    user.until("app.pause.chooser.wanted.vehicle.stem == 'hatchback'")
    for hat in (HAT_X, HAT_Y, HAT_Y):  # to the list of worlds, then down to the yard
        push(user, pad, hat, 1)
    press(user, pad, A)
    user.until("app.pause.chooser.wanted.world.stem == 'yard'")
    press(user, pad, A)
    user.until("app.session.vehicle.name == 'Hatchback' and app.world.file.name == 'Yard'")
    user.until("app.world.time > 0.3")


def test_a_pad_drives_and_chooses_another_drive(open_window, pad, home):
    user = open_window("--size", "640x360", pad=pad)
    user.until("[d.profile.kind for d in app.devices.devices.values()] == ['pad'] and app.world.time > 0.3")
    user.ask(NO_REPEAT)
    drives_to_the_left(user, pad)
    chooses_the_hatchback_in_the_yard(user, pad)
    drives_to_the_left(user, pad)
    user.close_window()
    pad.close()  # the emulation ends with its script
    code, errors = user.wait()
    assert code == 0 and "Traceback" not in errors, errors
