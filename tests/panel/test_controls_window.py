"""The controls window is used as a person would: clicking Bind, then moving a stick or pressing a key."""

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parents[1] / "controls"))
from virtual_stick import GAMEPAD, VirtualStick

from game.controls.bindings import ACTIONS
from game.controls.bindings_file import load_bindings
from game.controls.devices import Devices
from game.controls.keyboard import Keyboard
from game.panel.controls import Controls
from game.panel.settings_window import ProgramPage, SettingsWindow
from game.settings import Settings

PAD = {"name": "Fake Pad", "kind": GAMEPAD, "axes": 6, "buttons": 15, "vendor": 0x045E, "product": 0x028E}


class Bench:
    """The window over a running picture, with what a session polls once a frame."""

    def __init__(self, base, ui, hand, path):
        self.hand, self.path, self.now = hand, path, 0.0
        self.base, self.ui = base, ui
        self.sticks = []
        self.changes = 0
        self.bindings = load_bindings(path)
        self.keyboard = Keyboard(self.bindings.keys)
        self.devices = Devices(self.bindings)
        self.controls = Controls(self.bindings, self.keyboard, self.devices, path, self._changed)
        self.window = SettingsWindow(ui, self.controls, ProgramPage(ui, Settings()), clock=lambda: self.now)
        self.window.open = True
        self.pressed, self.felt = [], []  # what reached the car
        self._task = base.taskMgr.add(self._poll, "poll", sort=10)
        ui.add(self.window.draw)
        hand.step()

    def _changed(self):
        self.changes += 1

    def _poll(self, task):
        self.devices.poll()
        self.pressed += self.devices.take_presses()
        self.felt.append(self.devices.analog)
        return task.cont

    def plug(self, **arguments):
        self.sticks.append(VirtualStick(**arguments))
        self.hand.step()
        return self.sticks[-1]

    def show(self, stick):
        self.hand.click(f"tab:device:{stick.instance_id}")
        return self.devices.devices[stick.instance_id]

    def move(self, stick, axis, *values):
        for value in values:
            stick.axis(axis, value)
            self.hand.step(2)

    def saved(self):
        return load_bindings(self.path)

    def assert_saved(self):
        """The file, loaded again, equals what is in force."""
        loaded = self.saved()
        assert loaded.keys == self.bindings.keys
        assert loaded.user_profiles == self.bindings.user_profiles

    def close(self):
        self.base.taskMgr.remove(self._task)
        self.ui.remove(self.window.draw)
        for stick in self.sticks:
            stick.unplug()
        self.devices.close()


@pytest.fixture
def bench(base, ui, hand, tmp_path):
    bench = Bench(base, ui, hand, tmp_path / "controls.yaml")
    yield bench
    bench.close()


# ---- keys


def test_every_action_is_on_the_page_of_keys(bench):
    shown = set(bench.ui.items.names())
    bench.hand.move("key:throttle")
    for _ in range(20):
        bench.ui.feed.button(True, "wheel_down")
        bench.hand.step()
        shown |= set(bench.ui.items.names())
    assert {f"key:{action}:bind" for action in ACTIONS} <= shown


def test_a_key_is_bound_by_pressing_it_and_saved(bench):
    bench.hand.click("key:camera:bind")
    assert "keys:prompt" in bench.ui.items
    bench.keyboard.key_down("v")
    bench.hand.step()
    assert bench.bindings.keys["camera"] == ("v",)
    assert bench.keyboard.take_presses() == []  # the key that was asked for did nothing else
    bench.keyboard.key_down("v")
    assert bench.keyboard.take_presses() == ["camera"]
    bench.assert_saved()
    assert bench.changes == 1


def test_escape_leaves_the_key(bench):
    bench.hand.click("key:camera:bind")
    bench.keyboard.key_down("escape")
    bench.hand.step()
    assert bench.bindings.keys["camera"] == ("c",) and not bench.path.exists()
    bench.keyboard.key_down("c")
    assert bench.keyboard.take_presses() == ["camera"]


def test_a_taken_key_is_shown_and_only_taken_when_told(bench):
    bench.hand.click("key:gear_up:bind")
    bench.keyboard.key_down("c")
    bench.hand.step()
    assert "keys:conflict" in bench.ui.items and bench.bindings.keys["gear_up"] == ("e",)
    bench.hand.click("keys:leave")
    assert "keys:conflict" not in bench.ui.items and bench.bindings.keys["camera"] == ("c",)
    bench.hand.click("key:gear_up:bind")
    bench.keyboard.key_down("c")
    bench.hand.step()
    bench.hand.click("keys:take")
    assert bench.bindings.keys["gear_up"] == ("c",) and bench.bindings.keys["camera"] == ()
    bench.assert_saved()


def test_a_second_key_is_added_and_one_action_reset(bench):
    bench.hand.click("key:camera:add")
    bench.keyboard.key_down("v")
    bench.hand.step()
    assert bench.bindings.keys["camera"] == ("c", "v")
    bench.assert_saved()
    bench.hand.click("key:camera:reset")
    assert bench.bindings.keys["camera"] == ("c",)
    assert "key:camera:reset" not in bench.ui.items
    bench.assert_saved()


def test_all_keys_are_reset(bench):
    for action, key in (("camera", "v"), ("clutch", "j")):
        bench.hand.click(f"key:{action}:bind")
        bench.keyboard.key_down(key)
        bench.hand.step()
    bench.hand.click("keys:reset")
    assert bench.bindings.keys == bench.bindings.default_keys
    bench.keyboard.key_down("c")
    assert bench.keyboard.take_presses() == ["camera"]
    bench.assert_saved()


def test_closing_the_window_gives_the_keys_back(bench):
    bench.hand.click("key:camera:bind")
    bench.window.toggle()
    bench.keyboard.key_down("v")
    bench.hand.step()
    assert bench.bindings.keys["camera"] == ("c",)


def test_an_unreadable_file_of_the_user_is_kept(bench):
    bench.path.write_text("keys: {camra: [v]}\n")
    bench.controls.set_key("hud", "j")
    assert "camra" in bench.path.with_suffix(".unreadable.yaml").read_text()
    bench.assert_saved()


def test_a_file_that_cannot_be_written_is_told_and_the_key_acts(bench):
    bench.controls.path = bench.path.parent / "file" / "controls.yaml"
    (bench.path.parent / "file").write_text("not a folder")
    bench.controls.set_key("hud", "j")
    assert bench.controls.status[0].startswith("Not saved")
    bench.keyboard.key_down("j")
    assert bench.keyboard.take_presses() == ["hud"]


# ---- devices


def test_pages_come_and_go_with_their_devices(bench):
    assert not [name for name in bench.ui.items.names() if name.startswith("tab:device")]
    wheel, pad = bench.plug(), bench.plug(**PAD)
    tabs = {f"tab:device:{stick.instance_id}" for stick in (wheel, pad)}
    assert tabs <= set(bench.ui.items.names())
    bench.show(wheel)
    wheel.unplug()
    bench.hand.step()
    names = bench.ui.items.names()
    assert f"tab:device:{wheel.instance_id}" not in names and f"tab:device:{pad.instance_id}" in names


def test_every_axis_and_button_is_shown(bench):
    device = bench.show(bench.plug())
    names = set(bench.ui.items.names())
    assert {f"device:live:{axis}" for axis in range(device.axis_count)} <= names
    assert {f"device:chip:{button}" for button in range(device.button_count)} <= names
    assert {"device:chip:up", "device:chip:left"} <= names


def test_steering_is_bound_by_turning_and_the_car_does_not_feel_it(bench):
    wheel = bench.plug()
    bench.show(wheel)
    bench.hand.click("axis:steer:bind")
    bench.hand.step(1)
    bench.felt.clear()
    bench.move(wheel, 3, -0.3, -0.8, 0.0, 0.7, 0.9, 0.0)  # right first: this axis falls to the right
    assert bench.window.binder.job is None
    binding = bench.bindings.user_profiles[0].axes["steer"]
    assert binding.axis == 3 and binding.inverted
    assert binding.minimum == pytest.approx(-0.77, abs=0.01) and binding.maximum == pytest.approx(0.77, abs=0.01)
    assert all(felt.steer == felt.brake == 0.0 for felt in bench.felt)  # axis 3 was the brake
    bench.move(wheel, 3, -0.8)
    assert bench.felt[-1].steer == 1.0
    bench.assert_saved()
    assert "brake" not in bench.bindings.user_profiles[0].axes and "no longer: brake" in bench.controls.status[0]


@pytest.mark.parametrize(("action", "axis"), [("thrust_left", 1), ("thrust_right", 3)])
def test_a_track_lever_is_bound_by_pushing_it_ahead(bench, action, axis):
    pad = bench.plug(**PAD)
    bench.show(pad)
    bench.hand.click(f"axis:{action}:bind")
    bench.hand.step(1)
    bench.felt.clear()
    bench.move(pad, axis, -0.4, -0.9, 0.0, 0.6, 0.9, 0.0)  # ahead first: a stick reports less upwards
    assert bench.window.binder.job is None
    binding = bench.bindings.user_profiles[0].axes[action]
    assert binding.axis == axis and binding.inverted and binding.dead_zone > 0.0
    assert all(getattr(felt, action) == 0.0 for felt in bench.felt)
    bench.assert_saved()
    bench.move(pad, axis, -0.9)
    assert getattr(bench.felt[-1], action) == 1.0


def test_a_key_is_bound_to_a_track_lever(bench):
    bench.hand.click("key:left_track_ahead:bind")
    bench.keyboard.key_down("v")
    bench.hand.step()
    bench.keyboard.key_down("v")
    assert bench.keyboard.held("left_track_ahead")
    bench.assert_saved()


def test_a_pedal_is_bound_with_its_direction_and_range(bench):
    wheel = bench.plug()
    wheel.axis(2, 0.9)  # at rest
    bench.hand.step()
    bench.show(wheel)
    bench.hand.click("axis:throttle:bind")
    bench.move(wheel, 2, 0.3, -0.7, 0.9)
    binding = bench.bindings.user_profiles[0].axes["throttle"]
    assert binding.axis == 2 and binding.inverted
    assert binding.minimum == pytest.approx(-0.67, abs=0.01) and binding.maximum == pytest.approx(0.87, abs=0.01)
    bench.assert_saved()


def test_invert_dead_zone_curve_and_range_act_and_are_saved(bench):
    wheel = bench.plug()
    bench.show(wheel)
    bench.move(wheel, 0, 0.5)
    assert bench.felt[-1].steer == pytest.approx(0.5, abs=1e-3)
    bench.hand.click("axis:steer:inverted")
    assert bench.felt[-1].steer == pytest.approx(-0.5, abs=1e-3)
    bench.assert_saved()
    bench.hand.drag("axis:steer:dead_zone", 0.05, 0.7)
    dead_zone = bench.bindings.user_profiles[0].axes["steer"].dead_zone
    assert 0.55 < dead_zone < 0.7 and bench.felt[-1].steer == 0.0
    bench.assert_saved()
    bench.hand.drag("axis:steer:curve", 0.17, 0.5)
    assert bench.bindings.user_profiles[0].axes["steer"].curve > 1.5
    bench.hand.drag("axis:steer:maximum", 0.9, 0.1)
    assert bench.bindings.user_profiles[0].axes["steer"].maximum < 0.95
    bench.assert_saved()


def test_a_dragged_slider_is_written_when_it_is_let_go(bench):
    bench.show(bench.plug())
    bench.hand.move("axis:steer:dead_zone", 0.1)
    bench.hand.press()
    bench.ui.feed.move(*bench.ui.items.point("axis:steer:dead_zone", 0.5))
    bench.hand.step()
    assert bench.bindings.user_profiles[0].axes["steer"].dead_zone > 0.3 and not bench.path.exists()
    bench.hand.release()
    bench.assert_saved()


def test_range_measured_by_moving_to_both_ends(bench):
    wheel = bench.plug()
    bench.show(wheel)
    bench.hand.click("axis:brake:measure")
    bench.felt.clear()
    bench.move(wheel, 3, 0.8, 0.1, -0.6, 0.8)
    assert all(felt.brake == 0.0 for felt in bench.felt)
    bench.hand.click("device:done")
    binding = bench.bindings.user_profiles[0].axes["brake"]
    assert binding.inverted and binding.curve == 1.3  # as they were
    assert binding.minimum == pytest.approx(-0.572, abs=2e-3) and binding.maximum == pytest.approx(0.772, abs=2e-3)
    bench.assert_saved()
    bench.move(wheel, 3, -0.6)
    assert bench.felt[-1].brake == 1.0


def test_measuring_an_axis_that_was_not_moved_changes_nothing(bench):
    bench.show(bench.plug())
    bench.hand.click("axis:brake:measure")
    bench.hand.click("device:done")
    assert not bench.bindings.user_profiles and "too little" in bench.controls.status[0]


def test_half_of_a_stick_keeps_its_resting_end(bench):
    stick = bench.plug(name="Old Stick", kind=0, axes=2, buttons=4, vendor=0x1111, product=0x2222)
    bench.show(stick)
    bench.hand.click("axis:throttle:measure")  # throttle and brake are the halves of axis 1
    bench.move(stick, 1, -0.9, 0.9, 0.0)
    bench.hand.click("device:done")
    binding = bench.bindings.user_profiles[0].axes["throttle"]
    assert binding.minimum == pytest.approx(-0.88, abs=0.01) and -0.03 < binding.maximum <= 0.0
    bench.hand.click("axis:throttle:bind")
    bench.move(stick, 1, -0.9, 0.0)
    assert "brake" in bench.bindings.user_profiles[0].axes  # the other half of the axis stays what it is


def test_a_button_is_bound_and_its_press_reaches_nobody(bench):
    wheel = bench.plug()
    bench.show(wheel)
    bench.hand.click("button:gear_up:bind")
    wheel.button(2)  # means recover
    bench.hand.step(6)
    assert bench.bindings.user_profiles[0].buttons["gear_up"] == (2,)
    assert bench.bindings.user_profiles[0].buttons["recover"] == ()
    assert bench.pressed == []
    wheel.button(2, down=False)
    bench.hand.step()
    wheel.button(2)
    bench.hand.step()
    assert bench.pressed == ["gear_up"]
    bench.assert_saved()


def test_a_pads_button_is_taken_from_the_action_that_has_it_by_name(bench):
    pad = bench.plug(**PAD)
    device = bench.show(pad)
    assert device.profile.buttons["handbrake"] == ("a",)
    bench.hand.click("button:steer_left:bind")
    pad.button(0)
    bench.hand.step()
    pad.button(0, down=False)
    bench.hand.step()
    assert device.profile.buttons["handbrake"] == () and device.profile.buttons["steer_left"] == (0,)
    pad.button(0)
    bench.hand.step()
    assert bench.felt[-1].handbrake == 0.0 and bench.felt[-1].steer == -1.0


def test_nothing_moved_in_time_leaves_everything(bench):
    wheel = bench.plug()
    bench.show(wheel)
    bench.hand.click("axis:steer:bind")
    bench.now += 16.0
    bench.hand.step()
    assert bench.window.binder.job is None and not bench.bindings.user_profiles
    assert "in time" in bench.controls.status[0]
    bench.move(wheel, 0, 0.5)
    assert bench.felt[-1].steer == pytest.approx(0.5, abs=1e-3)


@pytest.mark.parametrize("how", ["cancel", "close", "page"])
def test_leaving_a_search_gives_the_device_back(bench, how):
    wheel = bench.plug()
    bench.show(wheel)
    bench.hand.click("axis:steer:bind")
    if how == "cancel":
        bench.hand.click("device:cancel")
    elif how == "close":
        bench.window.toggle()
    else:
        bench.hand.click("tab:keys")
    bench.move(wheel, 0, 0.5)
    assert bench.felt[-1].steer == pytest.approx(0.5, abs=1e-3) and not bench.bindings.user_profiles


def test_a_device_pulled_out_while_it_is_bound(bench):
    wheel = bench.plug()
    bench.show(wheel)
    bench.hand.click("axis:steer:bind")
    wheel.unplug()
    bench.hand.step()
    assert bench.window.binder.job is None and "unplugged" in bench.controls.status[0]
    again = bench.plug()
    bench.move(again, 0, 0.5)
    assert bench.felt[-1].steer == pytest.approx(0.5, abs=1e-3)


def test_a_device_is_cleared_and_reset(bench):
    wheel = bench.plug()
    device = bench.show(wheel)
    before = device.profile
    bench.hand.click("axis:steer:clear")
    bench.move(wheel, 0, 0.5)
    assert bench.felt[-1].steer == 0.0
    bench.hand.click("device:brake_reverses")
    assert device.profile.brake_reverses is not before.brake_reverses
    bench.assert_saved()
    bench.hand.click("device:reset")
    assert device.profile == before and bench.felt[-2].steer == pytest.approx(0.5, abs=1e-3)
    assert bench.saved().user_profiles == []


def test_rumble_is_tried_on_click(bench):
    wheel = bench.plug()
    bench.show(wheel)
    assert all(low == high == 0 for low, high in wheel.rumbles)
    bench.hand.click("device:rumble")
    assert wheel.rumbles[-1][0] > 30000
