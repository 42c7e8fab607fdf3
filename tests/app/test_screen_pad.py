"""A pad that is plugged in drives, pauses and chooses another drive, all in a real window without any key."""

import shutil

import pytest
from evdev_pad import BUTTONS, HAT_X, HAT_Y, RIGHT_TRIGGER, START, STICK_X, A, EvdevPad
from screen import changed_share
from test_screen import seen, seen_until

pytestmark = [
    pytest.mark.serial,
    pytest.mark.skipif(not shutil.which("umockdev-run"), reason="no umockdev here: no device can be emulated"),
]
NO_REPEAT = "setattr(__import__('imgui_bundle').imgui.get_io(), 'key_repeat_delay', 60.0)"  # frames may be slow


@pytest.fixture
def pad(tmp_path):
    pad = EvdevPad(tmp_path)
    yield pad
    pad.close()


def press(hand, pad, button):
    """A button goes down and up again, each once the program has seen the one before."""
    pad.button(button, True)
    hand.until(f"any(d.joystick.get_button({BUTTONS.index(button)}) for d in app.devices.devices.values())")
    pad.button(button, False)
    hand.until(f"not any(d.joystick.get_button({BUTTONS.index(button)}) for d in app.devices.devices.values())")


def push(hand, pad, hat, side):
    """The hat goes to a side and back."""
    held = "any(d.joystick.get_hat(0) != (0, 0) for d in app.devices.devices.values())"
    pad.axis(hat, side)
    hand.until(held)
    pad.axis(hat, 0)
    hand.until(f"not {held}")


def drives_to_the_left(hand, pad):
    standing = seen(hand)
    pad.axis(RIGHT_TRIGGER, 1.0)
    hand.until("app.session.situation.forward_speed > 5.0")
    pad.axis(STICK_X, -0.8)
    hand.until("app.session.vehicle.read('body.angular_velocity.z') > 0.1")
    seen_until(hand, lambda picture: changed_share(standing, picture) > 0.1)
    pad.axis(STICK_X, 0)
    pad.axis(RIGHT_TRIGGER, 0)
    hand.until("app.session._commands['throttle'][0] == 0.0")


def chooses_the_hatchback_in_the_yard(hand, pad):
    before = seen(hand)
    press(hand, pad, START)
    hand.until("app.pause.page == 'menu'")
    for _ in range(3):  # from the first entry to the chooser
        push(hand, pad, HAT_Y, 1)
    press(hand, pad, A)
    hand.until("app.pause.page == 'choose'")
    seen_until(hand, lambda picture: changed_share(before, picture) > 0.3)
    for _ in range(6):
        push(hand, pad, HAT_Y, -1)
    press(hand, pad, A)
    hand.until("app.pause.chooser.wanted.vehicle.stem == 'hatchback'")
    for hat in (HAT_X, HAT_Y, HAT_Y):
        push(hand, pad, hat, 1)
    press(hand, pad, A)
    hand.until("app.pause.chooser.wanted.world.stem == 'yard'")
    press(hand, pad, A)
    hand.until("app.session.vehicle.name == 'Hatchback' and app.world.file.name == 'Yard'")
    hand.until("app.world.time > 0.3")


def test_a_pad_drives_and_chooses_another_drive(open_window, pad, home):
    hand = open_window("--size", "640x360", pad=pad)
    hand.until("[d.profile.kind for d in app.devices.devices.values()] == ['pad'] and app.world.time > 0.3")
    hand.ask(NO_REPEAT)
    drives_to_the_left(hand, pad)
    chooses_the_hatchback_in_the_yard(hand, pad)
    drives_to_the_left(hand, pad)
    hand.close_window()
    pad.close()  # what emulates it ends with its script
    code, said = hand.wait()
    assert code == 0 and "Traceback" not in said, said
