"""Track levers moved by keys, axes and buttons: from a device's raw values to the command of a tick."""

import pytest
from virtual_stick import GAMEPAD, VirtualStick

from driving_sandbox.game.controls.bindings import ACTIONS, ANALOG, ANALOG_NAMES, TWO_SIDED, AxisBinding
from driving_sandbox.game.controls.calibration import Capture
from driving_sandbox.game.controls.devices import Devices
from driving_sandbox.game.controls.driver import Gearing, HumanDriver, SpeedAndGear
from driving_sandbox.game.controls.inputs import AnalogInput, merge
from driving_sandbox.game.controls.keyboard import Keyboard
from driving_sandbox.game.windows.bindings_file import load_bindings, save_bindings
from driving_sandbox.physics.tick.commands import FIRST

STANDING = SpeedAndGear(0.0, gear=FIRST, target_gear=FIRST)
PAD = {"name": "Fake Pad", "kind": GAMEPAD, "axes": 6, "buttons": 15, "vendor": 0x045E, "product": 0x028E}


@pytest.fixture
def devices():
    opened = Devices(load_bindings())
    yield opened
    opened.close()


@pytest.fixture
def pad(devices):
    """A virtual gamepad that has been plugged in and found."""
    stick = VirtualStick(**PAD)
    devices.poll()
    yield stick
    stick.unplug()


def command(driver):
    """The driver's command for the next tick."""
    return driver.command(STANDING, 1.0 / 240.0)[0]


def test_every_two_sided_action_has_two_actions_for_keys_and_every_analog_one_a_name():
    assert set(TWO_SIDED) <= set(ANALOG) == set(ANALOG_NAMES)
    for sides in TWO_SIDED.values():
        assert len(set(sides)) == 2 and set(sides) <= set(ACTIONS)
    assert set(ANALOG) - set(TWO_SIDED) <= set(ACTIONS)  # a button or key presses a pedal fully


def test_keys_move_the_levers():
    keyboard, driver = Keyboard(load_bindings().keys), HumanDriver(Gearing(gear_count=8))
    for key in ("insert", "page_down", "home"):
        keyboard.key_down(key)
    assert driver.take(keyboard) == []
    command_row = command(driver)
    assert (command_row["thrust_left"], command_row["thrust_right"]) == (1.0, -1.0)
    assert (command_row["brake_left"], command_row["brake_right"], command_row["digital"]) == (1.0, 0.0, 1)
    keyboard.key_down("delete")  # both ways at once is the middle
    driver.take(keyboard)
    assert command(driver)["thrust_left"] == 0.0


@pytest.mark.parametrize(("action", "axis"), [("thrust_left", 1), ("thrust_right", 4)])
def test_press_to_bind_measures_a_thrust_lever_to_both_sides(devices, pad, action, axis, tmp_path):
    """A stick's value falls when it is pushed ahead; the first movement tells the direction."""
    capture = Capture(devices, action)
    assert "ahead" in capture.prompt
    result = None
    for value in (0.01, 0.0, -0.4, -0.9, -0.2, 0.5, 0.8, 0.3, 0.02):
        assert result is None
        pad.axis(axis, value)
        devices.poll()
        result = capture.update()
    assert result.axis.axis == axis and result.axis.inverted
    device = result.device
    devices.bind_axis(device, action, result.axis)
    pad.axis(axis, -0.9)
    devices.poll()
    assert getattr(devices.analog, action) == 1.0
    pad.axis(axis, 0.03)
    devices.poll()
    assert getattr(devices.analog, action) == 0.0  # in its dead zone: the tracks are left to the steering
    save_bindings(devices.bindings, tmp_path / "controls.yaml")
    loaded = load_bindings(tmp_path / "controls.yaml")
    assert loaded.profile_for(device.guid, device.id, device.name, True).axes[action] == result.axis


def test_two_sticks_and_two_triggers_are_the_four_levers(devices, pad):
    (device,) = devices.devices.values()
    for action, axis in (("thrust_left", 1), ("thrust_right", 4)):
        devices.bind_axis(device, action, AxisBinding(axis, inverted=True))
    for action, axis in (("brake_left", 2), ("brake_right", 5)):
        devices.bind_axis(device, action, AxisBinding(axis))
    pad.axis(2, -0.5)
    devices.poll()
    for axis, value in ((1, -1.0), (4, 0.5), (2, 1.0)):
        pad.axis(axis, value)
    devices.poll()
    driver = HumanDriver(Gearing(gear_count=8))
    driver.analog = devices.analog
    command_row = command(driver)
    assert command_row["thrust_left"] == pytest.approx(1.0, abs=1e-3) and command_row["thrust_right"] == pytest.approx(
        -0.5, abs=1e-3
    )
    assert (
        command_row["brake_left"] == pytest.approx(1.0, abs=1e-3) and command_row["brake_right"] == 0.0
    )  # a pedal that has not moved yet counts as released
    assert command_row["digital"] == 0


def test_buttons_of_a_device_move_the_levers(devices, pad):
    (device,) = devices.devices.values()
    devices.bind_button(device, "left_track_back", 3)
    devices.bind_button(device, "brake_right", 2)
    pad.button(3)
    pad.button(2)
    devices.poll()
    assert devices.analog.thrust_left == -1.0 and devices.analog.brake_right == 1.0


def test_merging_takes_the_lever_that_is_moved_farther():
    merged = merge(AnalogInput(thrust_left=0.3, brake_left=0.2), AnalogInput(thrust_left=-0.8, thrust_right=0.1))
    assert (merged.thrust_left, merged.thrust_right, merged.brake_left) == (-0.8, 0.1, 0.2)
