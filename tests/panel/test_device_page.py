"""The device pages: click Bind, then move an axis or press a button.

By default, a wheel's axis 0 steers, 2 is the throttle and 3 the brake; both pedals decrease when pressed.
"""

import pytest
from virtual_stick import GAMEPAD

PAD = {"name": "Fake Pad", "kind": GAMEPAD, "axes": 6, "buttons": 15, "vendor": 0x045E, "product": 0x028E}


def test_pages_appear_and_disappear_with_their_devices(bench):
    assert not [name for name in bench.ui.items.names() if name.startswith("tab:device")]
    wheel, pad = bench.plug(), bench.plug(**PAD)
    tabs = {f"tab:device:{stick.instance_id}" for stick in (wheel, pad)}
    assert tabs <= set(bench.ui.items.names())
    bench.show(wheel)
    wheel.unplug()
    bench.user.step()
    names = bench.ui.items.names()
    assert f"tab:device:{wheel.instance_id}" not in names and f"tab:device:{pad.instance_id}" in names


def test_every_axis_and_button_is_shown(bench):
    device = bench.show(bench.plug())
    names = set(bench.ui.items.names())
    assert {f"device:live:{axis}" for axis in range(device.axis_count)} <= names
    assert {f"device:chip:{button}" for button in range(device.button_count)} <= names
    assert {"device:chip:up", "device:chip:left"} <= names


def test_steering_is_bound_by_turning_without_effect_on_the_car(bench):
    wheel = bench.plug()
    bench.show(wheel)
    bench.user.click("axis:steer:bind")
    bench.user.step(1)
    bench.car_inputs.clear()
    bench.move(wheel, 3, -0.3, -0.8, 0.0, 0.7, 0.9, 0.0)  # right first: this axis decreases to the right
    assert bench.window.binder.job is None
    binding = bench.bindings.user_profiles[0].axes["steer"]
    assert binding.axis == 3 and binding.inverted
    assert binding.minimum == pytest.approx(-0.77, abs=0.01) and binding.maximum == pytest.approx(0.77, abs=0.01)
    assert all(inputs.steer == inputs.brake == 0.0 for inputs in bench.car_inputs)  # axis 3 was the brake
    bench.move(wheel, 3, -0.8)
    assert bench.car_inputs[-1].steer == 1.0
    bench.assert_saved()
    assert "brake" not in bench.bindings.user_profiles[0].axes and "no longer: brake" in bench.controls.status[0]


@pytest.mark.parametrize(("action", "axis"), [("thrust_left", 1), ("thrust_right", 3)])
def test_a_track_lever_is_bound_by_pushing_it_forward(bench, action, axis):
    pad = bench.plug(**PAD)
    bench.show(pad)
    bench.user.click(f"axis:{action}:bind")
    bench.user.step(1)
    bench.car_inputs.clear()
    bench.move(pad, axis, -0.4, -0.9, 0.0, 0.6, 0.9, 0.0)  # forward first: a stick decreases upwards
    assert bench.window.binder.job is None
    binding = bench.bindings.user_profiles[0].axes[action]
    assert binding.axis == axis and binding.inverted and binding.dead_zone > 0.0
    assert all(getattr(inputs, action) == 0.0 for inputs in bench.car_inputs)
    bench.assert_saved()
    bench.move(pad, axis, -0.9)
    assert getattr(bench.car_inputs[-1], action) == 1.0


def test_a_pedal_is_bound_with_its_direction_and_range(bench):
    wheel = bench.plug()
    wheel.axis(2, 0.9)  # at rest
    bench.user.step()
    bench.show(wheel)
    bench.user.click("axis:throttle:bind")
    bench.move(wheel, 2, 0.3, -0.7, 0.9)
    binding = bench.bindings.user_profiles[0].axes["throttle"]  # its limits are 2 % of the range inside the ends
    assert binding.axis == 2 and binding.inverted
    assert binding.minimum == pytest.approx(-0.67, abs=0.01) and binding.maximum == pytest.approx(0.87, abs=0.01)
    bench.assert_saved()


def test_direction_dead_zone_curve_and_range_are_changed_and_saved(bench):
    wheel = bench.plug()
    bench.show(wheel)
    bench.move(wheel, 0, 0.5)
    assert bench.car_inputs[-1].steer == pytest.approx(0.5, abs=1e-3)
    bench.user.click("axis:steer:inverted")
    assert bench.car_inputs[-1].steer == pytest.approx(-0.5, abs=1e-3)
    bench.assert_saved()
    bench.user.drag("axis:steer:dead_zone", 0.05, 0.7)
    dead_zone = bench.bindings.user_profiles[0].axes["steer"].dead_zone
    assert 0.55 < dead_zone < 0.7 and bench.car_inputs[-1].steer == 0.0
    bench.assert_saved()
    bench.user.drag("axis:steer:curve", 0.17, 0.5)
    assert bench.bindings.user_profiles[0].axes["steer"].curve > 1.5
    bench.user.drag("axis:steer:maximum", 0.9, 0.1)
    assert bench.bindings.user_profiles[0].axes["steer"].maximum < 0.95
    bench.assert_saved()


def test_a_dragged_slider_is_saved_when_released(bench):
    bench.show(bench.plug())
    bench.user.move("axis:steer:dead_zone", 0.1)
    bench.user.press()
    bench.ui.feed.move(*bench.ui.items.point("axis:steer:dead_zone", 0.5))
    bench.user.step()
    assert bench.bindings.user_profiles[0].axes["steer"].dead_zone > 0.3 and not bench.path.exists()
    bench.user.release()
    bench.assert_saved()


def test_a_range_is_measured_by_moving_to_both_ends(bench):
    wheel = bench.plug()
    bench.show(wheel)
    bench.user.click("axis:brake:measure")
    bench.car_inputs.clear()
    bench.move(wheel, 3, 0.8, 0.1, -0.6, 0.8)
    assert all(inputs.brake == 0.0 for inputs in bench.car_inputs)
    bench.user.click("device:done")
    binding = bench.bindings.user_profiles[0].axes["brake"]
    assert binding.inverted and binding.curve == 1.3  # unchanged
    assert binding.minimum == pytest.approx(-0.572, abs=2e-3) and binding.maximum == pytest.approx(0.772, abs=2e-3)
    bench.assert_saved()
    bench.move(wheel, 3, -0.6)
    assert bench.car_inputs[-1].brake == 1.0


def test_measuring_an_unmoved_axis_changes_nothing(bench):
    bench.show(bench.plug())
    bench.user.click("axis:brake:measure")
    bench.user.click("device:done")
    assert not bench.bindings.user_profiles and "too little" in bench.controls.status[0]


def test_measuring_half_an_axis_keeps_its_centre(bench):
    stick = bench.plug(name="Old Stick", kind=0, axes=2, buttons=4, vendor=0x1111, product=0x2222)
    bench.show(stick)
    bench.user.click("axis:throttle:measure")  # throttle and brake are halves of axis 1
    bench.move(stick, 1, -0.9, 0.9, 0.0)
    bench.user.click("device:done")
    binding = bench.bindings.user_profiles[0].axes["throttle"]
    assert binding.minimum == pytest.approx(-0.88, abs=0.01) and -0.03 < binding.maximum <= 0.0
    bench.user.click("axis:throttle:bind")
    bench.move(stick, 1, -0.9, 0.0)
    assert "brake" in bench.bindings.user_profiles[0].axes  # the other half of the axis is unchanged


def test_a_button_is_bound_and_its_press_has_no_other_effect(bench):
    wheel = bench.plug()
    bench.show(wheel)
    bench.user.click("button:gear_up:bind")
    wheel.button(2)  # bound to recover
    bench.user.step(6)
    assert bench.bindings.user_profiles[0].buttons["gear_up"] == (2,)
    assert bench.bindings.user_profiles[0].buttons["recover"] == ()
    assert bench.pressed == []
    wheel.button(2, down=False)
    bench.user.step()
    wheel.button(2)
    bench.user.step()
    assert bench.pressed == ["gear_up", "menu_back"]  # menu and driving actions are bound separately
    bench.assert_saved()


def test_a_pad_button_bound_by_name_is_taken_from_its_action(bench):
    pad = bench.plug(**PAD)
    device = bench.show(pad)
    assert device.profile.buttons["handbrake"] == ("a",)
    bench.user.click("button:steer_left:bind")
    pad.button(0)
    bench.user.step()
    pad.button(0, down=False)
    bench.user.step()
    assert device.profile.buttons["handbrake"] == () and device.profile.buttons["steer_left"] == (0,)
    pad.button(0)
    bench.user.step()
    assert bench.car_inputs[-1].handbrake == 0.0 and bench.car_inputs[-1].steer == -1.0


def test_binding_times_out_without_a_change(bench):
    wheel = bench.plug()
    bench.show(wheel)
    bench.user.click("axis:steer:bind")
    bench.now += 16.0  # s, longer than the time limit
    bench.user.step()
    assert bench.window.binder.job is None and not bench.bindings.user_profiles
    assert "in time" in bench.controls.status[0]
    bench.move(wheel, 0, 0.5)
    assert bench.car_inputs[-1].steer == pytest.approx(0.5, abs=1e-3)


@pytest.mark.parametrize("how", ["cancel", "close", "page"])
def test_cancelled_binding_releases_the_device(bench, how):
    wheel = bench.plug()
    bench.show(wheel)
    bench.user.click("axis:steer:bind")
    if how == "cancel":
        bench.user.click("device:cancel")
    elif how == "close":
        bench.window.toggle()
    else:
        bench.user.click("tab:keys")
    bench.move(wheel, 0, 0.5)
    assert bench.car_inputs[-1].steer == pytest.approx(0.5, abs=1e-3) and not bench.bindings.user_profiles


def test_unplugging_a_device_cancels_its_binding(bench):
    wheel = bench.plug()
    bench.show(wheel)
    bench.user.click("axis:steer:bind")
    wheel.unplug()
    bench.user.step()
    assert bench.window.binder.job is None and "unplugged" in bench.controls.status[0]
    new_wheel = bench.plug()
    bench.move(new_wheel, 0, 0.5)
    assert bench.car_inputs[-1].steer == pytest.approx(0.5, abs=1e-3)


def test_unplugging_a_device_while_the_bound_button_is_held_does_not_deny_the_binding(bench):
    wheel = bench.plug()
    bench.show(wheel)
    bench.user.click("button:gear_up:bind")
    wheel.button(2)
    bench.user.step()
    wheel.unplug()
    bench.user.step()
    assert "button 2" in bench.controls.status[0] and "unplugged" not in bench.controls.status[0]
    assert bench.saved().user_profiles[0].buttons["gear_up"] == (2,)
    bench.move(bench.plug(), 0, 0.5)
    assert bench.car_inputs[-1].steer == pytest.approx(0.5, abs=1e-3)


def test_an_axis_is_cleared_and_a_device_reset(bench):
    wheel = bench.plug()
    device = bench.show(wheel)
    before = device.profile
    bench.user.click("axis:steer:clear")
    bench.move(wheel, 0, 0.5)
    assert bench.car_inputs[-1].steer == 0.0
    bench.user.click("device:brake_reverses")
    assert device.profile.brake_reverses is not before.brake_reverses
    bench.assert_saved()
    bench.user.click("device:reset")
    assert device.profile == before and bench.car_inputs[-1].steer == pytest.approx(0.5, abs=1e-3)
    assert bench.saved().user_profiles == []


def test_a_click_tests_rumble(bench):
    wheel = bench.plug()
    bench.show(wheel)
    assert all(low == high == 0 for low, high in wheel.rumbles)
    bench.user.click("device:rumble")
    assert wheel.rumbles[-1][0] > 30000


def test_the_rotation_of_a_wheel_is_set_and_saved(bench):
    wheel, pad = bench.plug(), bench.plug(**PAD)
    device = bench.show(wheel)
    assert device.profile.rotation == 900.0
    bench.user.drag("device:rotation", 0.83, 0.5)
    assert device.profile.rotation == pytest.approx(540.0, abs=40.0)
    assert device.profile.rotation % 10.0 == 0.0
    bench.assert_saved()
    bench.show(pad)
    assert "device:rotation" not in bench.ui.items.names()


def test_a_calibration_binds_steering_and_pedals_one_after_another(bench):
    wheel = bench.plug(axes=6)
    device = bench.show(wheel)
    bench.user.click("device:calibrate")
    assert bench.window.binder.step == "Step 1 of 5"
    bench.move(wheel, 1, 0.5, 0.9, 0.0, -0.6, -0.9, 0.0)
    assert bench.window.binder.step == "Step 2 of 5"
    bench.move(wheel, 3, -0.9, -0.5, 0.6, 0.9, 0.0, -0.9)  # the throttle rises, as its first report tells
    assert bench.window.binder.step == "Step 3 of 5"
    bench.move(wheel, 4, 0.9, 0.5, -0.6, -0.9, 0.0, 0.9)  # the brake falls
    assert bench.window.binder.step == "Step 4 of 5"
    bench.user.click("device:skip")
    bench.user.click("device:skip")
    assert bench.window.binder.job is None and bench.window.binder.step == ""
    axes = device.profile.axes
    assert (axes["steer"].axis, axes["throttle"].axis, axes["brake"].axis) == (1, 3, 4)
    assert not axes["throttle"].inverted and axes["brake"].inverted
    bench.assert_saved()
    assert bench.controls.status[0].startswith("Calibrated")


def test_a_cancelled_calibration_keeps_what_was_bound(bench):
    wheel = bench.plug(axes=6)
    device = bench.show(wheel)
    bench.user.click("device:calibrate")
    bench.move(wheel, 1, 0.5, 0.9, 0.0, -0.6, -0.9, 0.0)
    bench.user.click("device:cancel")
    assert bench.window.binder.job is None and bench.window.binder.step == ""
    assert device.profile.axes["steer"].axis == 1
    assert device.profile.axes["brake"].axis == 3  # as before
