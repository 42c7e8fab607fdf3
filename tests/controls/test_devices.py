"""Wheels and pads as virtual joysticks of SDL, whose values take the same path as those of real devices."""

import pytest
from virtual_stick import GAMEPAD, VirtualStick

from driving_sandbox.cli import doctor
from driving_sandbox.game.controls.bindings import AxisBinding
from driving_sandbox.game.controls.calibration import Capture
from driving_sandbox.game.controls.device_report import DeviceError, device_report, probe_devices, report_text
from driving_sandbox.game.controls.devices import Devices
from driving_sandbox.game.windows.bindings_file import load_bindings, save_bindings

STEERING, THROTTLE = 0, 2  # axes of the wheel
STICK, RIGHT_TRIGGER = 0, 5  # axes of the pad
PAD = {"name": "Fake Pad", "kind": GAMEPAD, "axes": 6, "buttons": 15, "vendor": 0x045E, "product": 0x028E}


@pytest.fixture
def devices():
    """Open devices, none plugged in."""
    opened = Devices(load_bindings())
    assert not opened.problem
    opened.poll()
    yield opened
    opened.close()


@pytest.fixture
def plug(devices):
    """A function that plugs in a VirtualStick."""
    plugged = []

    def plug_in(**arguments):
        plugged.append(VirtualStick(**arguments))
        devices.poll()
        return plugged[-1]

    yield plug_in
    for stick in plugged:
        stick.unplug()


def only(devices):
    """The only device that is plugged in."""
    (device,) = devices.devices.values()
    return device


def test_wheel_plugged_in_while_running_steers(devices, plug):
    assert devices.analog.steer == 0.0
    wheel = plug()
    assert only(devices).profile.name.startswith("Logitech G29")
    (notice,) = devices.take_notices()
    assert notice.startswith("Fake Wheel connected as wheel (Logitech G29, G27, G25 or Driving Force GT)")
    assert notice.endswith("F3, Calibrate takes a minute")
    wheel.axis(STEERING, 0.5)
    devices.poll()
    assert devices.analog.steer == pytest.approx(0.5, abs=1e-3)
    wheel.axis(STEERING, -1.0)
    devices.poll()
    assert devices.analog.steer == pytest.approx(-1.0, abs=1e-3)


def test_pedal_counts_only_after_its_first_movement(devices, plug):
    wheel = plug()
    assert devices.analog.throttle == 0.0  # SDL says 0: half travel of an inverted pedal
    assert devices.analog.brake == 0.0
    wheel.axis(THROTTLE, 1.0)  # first report: released
    devices.poll()
    assert devices.analog.throttle == 0.0
    wheel.axis(THROTTLE, 0.0)  # half pressed; after the first report the value counts
    devices.poll()
    assert devices.analog.throttle == pytest.approx((0.5 - 0.03) / 0.97, abs=1e-3)  # the pedal has a dead zone of 0.03
    wheel.axis(THROTTLE, -1.0)
    devices.poll()
    assert devices.analog.throttle == pytest.approx(1.0)
    assert devices.analog.brake == 0.0


def test_unplugging_zeroes_that_device_and_no_other(devices, plug):
    wheel = plug()
    pad = plug(**PAD)
    wheel.axis(STEERING, 0.9)
    wheel.axis(THROTTLE, -1.0)
    pad.axis(STICK, 0.6)
    devices.poll()
    assert devices.analog.steer == pytest.approx(0.9, abs=1e-3) and devices.analog.throttle == 1.0
    wheel.unplug()
    devices.poll()
    assert devices.analog.throttle == 0.0
    assert 0.0 < devices.analog.steer < 0.6  # the pad's, with dead zone and curve
    assert "Fake Wheel unplugged" in devices.take_notices()
    assert devices.take_lost() and not devices.take_lost()


def test_replugged_device_starts_afresh(devices, plug):
    wheel = plug()
    wheel.axis(THROTTLE, -1.0)
    devices.poll()
    wheel.unplug()
    devices.poll()
    plug()
    assert len(devices.devices) == 1
    assert devices.analog.throttle == 0.0


def test_pad_sticks_triggers_and_buttons_are_found_by_name(devices, plug):
    pad = plug(**PAD)
    assert only(devices).profile.kind == "pad"
    assert devices.analog.throttle == 0.0
    pad.axis(STICK, 0.1)  # inside the dead zone
    pad.axis(RIGHT_TRIGGER, 1.0)
    pad.button(0)
    pad.button(10)
    devices.poll()
    assert devices.analog.steer == 0.0
    assert devices.analog.throttle == 1.0
    assert devices.analog.handbrake == 1.0
    assert devices.analog.brake_reverses
    presses = devices.take_presses()
    assert presses.count("gear_up") == 1
    devices.poll()
    assert "gear_up" not in devices.take_presses()  # still held: no second press
    assert "gear_up" in devices.held_actions  # as some gearboxes read
    pad.button(10, down=False)
    devices.poll()
    assert "gear_up" not in devices.held_actions


def test_an_unknown_stick_drives_the_pedals_and_its_hat_can_be_bound(devices, plug):
    stick = plug(name="Old Stick", kind=0, axes=2, buttons=4, hats=1, vendor=0x1111, product=0x2222)
    device = only(devices)
    assert device.profile.name == "Joystick"
    stick.axis(1, -1.0)  # pushed forward
    devices.poll()
    assert devices.analog.throttle == 1.0 and devices.analog.brake == 0.0
    stick.axis(1, 1.0)
    devices.poll()
    assert devices.analog.throttle == 0.0 and devices.analog.brake == 1.0
    devices.bind_button(device, "camera", "hat0.left")
    stick.hat(0, 8)  # SDL_HAT_LEFT
    devices.poll()
    assert "camera" in devices.take_presses()


def test_a_shifter_gate_is_held_until_its_button_is_released(devices, plug):
    wheel = plug()
    wheel.button(13)
    devices.poll()
    assert devices.held_actions == {"shifter_2"}
    wheel.button(13, False)
    devices.poll()
    assert not devices.held_actions


def test_rumble_reaches_the_device(devices, plug):
    pad = plug(**PAD)
    devices.rumble(low=1.0, high=0.5, seconds=0.2)
    low, high = pad.rumbles[0]
    assert low == 65535 and abs(high - 32767) <= 1


class Clock:
    """A clock that shows `now`, in seconds, until that is changed."""

    now = 0.0

    def __call__(self):
        return self.now


def test_press_to_bind_finds_an_inverted_pedal_and_its_range(devices, plug, tmp_path):
    wheel = plug(name="Nameless Rim", vendor=0x9999, product=0x0001, axes=5)
    capture = Capture(devices, "throttle", clock=Clock())
    result = None
    # the first report (0.8: released) must not be taken for a movement of the pedal
    for value in (0.8, 0.8, 0.3, -0.4, -0.6, -0.2, 0.79):
        assert result is None
        wheel.axis(3, value)
        wheel.axis(STEERING, 0.1 * value)  # the steering wheel moves a little, too
        devices.poll()
        result = capture.update()
    assert result is not None and result.axis.axis == 3 and result.axis.inverted
    assert -0.6 < result.axis.minimum < -0.55 and 0.75 < result.axis.maximum < 0.8
    device = only(devices)
    devices.bind_axis(device, "throttle", result.axis)
    wheel.axis(3, -0.6)
    devices.poll()
    assert devices.analog.throttle == 1.0
    save_bindings(devices.bindings, tmp_path / "controls.yaml")
    loaded = load_bindings(tmp_path / "controls.yaml")
    assert loaded.profile_for(device.guid, device.id, device.name, False).axes["throttle"] == result.axis


def test_press_to_bind_steering_measures_both_sides(devices, plug):
    wheel = plug()
    capture = Capture(devices, "steer", clock=Clock())
    result = None
    for value in (0.01, 0.0, -0.3, -0.7, -0.2, 0.5, 0.8, 0.3, 0.02):  # a wheel wired the wrong way round
        assert result is None
        wheel.axis(1, value)
        devices.poll()
        result = capture.update()
    assert result.axis.axis == 1 and result.axis.inverted
    assert result.axis.two_sided(-0.7) == 1.0 and result.axis.two_sided(0.7) == -1.0
    assert result.axis.two_sided(0.01) == pytest.approx(0.0, abs=1e-9)


def test_press_to_bind_finds_a_button_and_expires_without_one(devices, plug):
    wheel = plug()
    clock = Clock()
    capture = Capture(devices, "gear_up", timeout=5.0, clock=clock)
    assert capture.update() is None
    wheel.button(7)
    devices.poll()
    result = capture.update()
    assert result.button == 7
    wheel.button(7, False)
    devices.poll()
    devices.bind_button(result.device, "gear_up", result.button)
    devices.take_presses()
    wheel.button(7)
    devices.poll()
    assert devices.take_presses() == ["gear_up"]
    unanswered = Capture(devices, "gear_up", timeout=5.0, clock=clock)
    clock.now += 6.0
    assert unanswered.update() is None and unanswered.expired


@pytest.mark.parametrize(
    ("binding", "raw", "pedal"),
    [
        (AxisBinding(0), -1.0, 0.0),
        (AxisBinding(0), 1.0, 1.0),
        (AxisBinding(0, inverted=True), -1.0, 1.0),
        (AxisBinding(0, minimum=-0.5, maximum=0.5), 0.25, 0.75),
        (AxisBinding(0, minimum=-0.5, maximum=0.5), 0.9, 1.0),
        (AxisBinding(0, dead_zone=0.2), -0.6, 0.0),  # travel 0.2: the edge of the dead zone
        (AxisBinding(0, dead_zone=0.2), 0.2, 0.5),  # travel 0.6: half of what is left
        (AxisBinding(0, curve=2.0), 0.0, 0.25),
    ],
)
def test_a_pedal_depends_on_inversion_range_dead_zone_and_curve(binding, raw, pedal):
    assert binding.pedal(raw) == pytest.approx(pedal)


def test_the_steering_curve_is_odd_with_a_dead_zone():
    binding = AxisBinding(0, dead_zone=0.1, curve=1.5)
    for raw in (0.05, 0.2, 0.7, 1.0):
        assert binding.two_sided(-raw) == -binding.two_sided(raw)
    assert binding.two_sided(0.05) == 0.0 and binding.two_sided(1.0) == 1.0


def test_report_names_the_profile(devices, plug):
    wheel = plug()
    wheel.axis(STEERING, 0.25)
    devices.poll()
    report = device_report(devices)
    assert [(e["name"], e["id"]) for e in report] == [("Fake Wheel", "046d:c24f")]
    assert "used as: Logitech G29" in report_text(report) and "0: +0.25" in report_text(report)
    assert "No gamepad" in report_text([])


def test_a_machine_where_no_device_can_be_read_says_so(monkeypatch):
    def import_pygame():
        raise OSError("SDL cannot start")

    monkeypatch.setattr("driving_sandbox.game.controls.devices.import_pygame", import_pygame)
    problem = "gamepads and wheels cannot be read: SDL cannot start"
    with pytest.raises(DeviceError, match=problem):
        probe_devices(load_bindings())
    assert doctor._devices() == ([problem], [])
