"""HumanDriver: reversing, gears, and merging of keys and devices, on a point mass that obeys the commands."""

import pytest

from driving_sandbox.game.controls.driver import Gearing, HumanDriver, SpeedAndGear
from driving_sandbox.game.controls.inputs import AnalogInput
from driving_sandbox.physics.tick.commands import AUTOMATIC, FIRST, NEUTRAL, REVERSE

SECOND, THIRD = FIRST + 1, FIRST + 2
DT = 1 / 60  # s
ROAD_CAR = Gearing(gear_count=8)
BUGGY = Gearing(gear_count=3, automatic_available=False)


def motion(speed, gear):
    """A forward speed, m/s, with a gear engaged."""
    return SpeedAndGear(speed, gear, target_gear=gear)


def drive(driver, actions, seconds, speed=0.0, gear=FIRST, analog=None):
    """Hold the keys of actions on a car of 5 m/s² drive and 8 m/s² brakes; returns (speed, last command)."""
    driver.held_actions = frozenset(actions)
    driver.analog = analog or AnalogInput()
    for _ in range(round(seconds / DT)):
        command = driver.command(motion(speed, gear), DT)[0].copy()
        gear = FIRST if command["gear"] == AUTOMATIC else int(command["gear"])
        speed += 5.0 * command["throttle"] * (gear >= FIRST) * DT - 5.0 * command["throttle"] * (gear == REVERSE) * DT
        slowing = 8.0 * command["brake"] * DT
        speed = max(0.0, speed - slowing) if speed > 0 else min(0.0, speed + slowing)
    return speed, command


@pytest.mark.parametrize(("gearing", "forward"), [(ROAD_CAR, AUTOMATIC), (BUGGY, FIRST)])
def test_s_brakes_then_reverses_and_w_brakes_then_drives_forward(gearing, forward):
    driver = HumanDriver(gearing)
    speed, command = drive(driver, ["throttle"], 2.0)
    assert speed == pytest.approx(10.0, rel=0.02) and command["gear"] == forward
    speed, command = drive(driver, ["brake"], 0.5, speed)
    assert 0 < speed < 10 and command["brake"] == 1.0 and command["throttle"] == 0.0 and command["gear"] == forward
    speed, command = drive(driver, ["brake"], 3.0, speed)
    assert speed < -3.0 and command["gear"] == REVERSE and command["throttle"] == 1.0 and command["brake"] == 0.0
    speed, command = drive(driver, ["throttle"], 0.2, speed, gear=REVERSE)
    assert speed < 0 and command["brake"] == 1.0 and command["throttle"] == 0.0
    speed, command = drive(driver, ["throttle"], 2.5, speed, gear=REVERSE)
    assert speed > 3.0 and command["gear"] == forward and command["throttle"] == 1.0


def test_a_gearbox_without_automatic_that_is_swapped_in_stays_in_the_engaged_gear():
    driver = HumanDriver(ROAD_CAR)
    driver.follow_swap(Gearing(gear_count=8, automatic_available=False), SpeedAndGear(20.0, 4, 5))
    assert (driver.automatic, driver.gear) == (False, 5)
    driver.follow_swap(ROAD_CAR, SpeedAndGear(20.0, 5, 5))
    assert (driver.automatic, driver.gear) == (False, 5)
    driver.follow_swap(BUGGY, SpeedAndGear(20.0, 5, 5))
    assert (driver.automatic, driver.gear) == (True, 2)


def test_a_short_stop_does_not_engage_reverse():
    driver = HumanDriver(ROAD_CAR)
    speed, _ = drive(driver, ["throttle"], 0.8)
    speed, command = drive(driver, ["brake"], 0.6, speed)
    assert speed == 0.0 and command["gear"] == AUTOMATIC
    _, command = drive(driver, [], 1.0, speed)
    assert command["gear"] == AUTOMATIC and command["brake"] == 0.0


def test_rolling_back_on_a_slope_in_first_is_braked_then_driven():
    driver = HumanDriver(ROAD_CAR)
    driver.held_actions = frozenset(["throttle"])

    def pedals_at(speed):
        command = driver.command(motion(speed, FIRST), DT)[0]
        return command["throttle"], command["brake"]

    assert pedals_at(-0.8) == (1.0, 0.0)  # a car may roll back a little at a hill start
    assert pedals_at(-2.0) == (0.0, 1.0)
    assert pedals_at(-0.8) == (0.0, 1.0)  # once braked, it is braked nearly to rest
    assert pedals_at(-0.2) == (1.0, 0.0)
    assert pedals_at(-0.8) == (1.0, 0.0)


def test_both_pedals_keep_the_direction():
    driver = HumanDriver(ROAD_CAR)
    _, command = drive(driver, ["throttle", "brake"], 2.0)
    assert command["throttle"] == 1.0 and command["brake"] == 1.0 and command["gear"] == AUTOMATIC


def test_brake_pedal_of_a_wheel_never_reverses_but_the_gear_key_does():
    driver = HumanDriver(ROAD_CAR)
    pedal = AnalogInput(brake=1.0, brake_reverses=False)
    _, command = drive(driver, [], 3.0, analog=pedal)
    assert command["gear"] == AUTOMATIC and command["brake"] == 1.0
    driver.press("gear_down")
    _, command = drive(driver, [], 1.0, analog=AnalogInput(throttle=0.5, brake_reverses=False))
    assert command["gear"] == REVERSE and command["throttle"] == 0.5 and command["brake"] == 0.0
    driver.press("gear_up")
    _, command = drive(driver, [], 0.1)
    assert command["gear"] == AUTOMATIC


def test_manual_gears_reach_reverse_only_near_standstill():
    driver = HumanDriver(ROAD_CAR)
    driver.press("toggle_automatic")
    fast = motion(20.0, SECOND)

    def gear_after(action, present):
        driver.press(action)
        return driver.command(present, DT)[0]["gear"]

    assert driver.command(fast, DT)[0]["gear"] == SECOND  # takes the gear the autobox was in
    assert [gear_after("gear_down", fast) for _ in range(4)] == [FIRST, NEUTRAL, NEUTRAL, NEUTRAL]
    assert gear_after("gear_down", motion(0.2, NEUTRAL)) == REVERSE
    assert [gear_after("gear_up", motion(0.0, REVERSE)) for _ in range(9)] == [1, 2, 3, 4, 5, 6, 7, 7, 7]
    assert gear_after("neutral", fast) == NEUTRAL
    assert gear_after("toggle_automatic", fast) == AUTOMATIC


def test_manual_brake_only_brakes():
    driver = HumanDriver(ROAD_CAR)
    driver.press("toggle_automatic")
    _, command = drive(driver, ["brake"], 2.0)
    assert command["gear"] == FIRST and command["brake"] == 1.0 and command["throttle"] == 0.0


def test_direct_drive_has_no_manual_mode():
    driver = HumanDriver(BUGGY)
    driver.press("toggle_automatic")
    assert driver.command(motion(0, FIRST), DT)[0]["gear"] == FIRST and driver.automatic


def test_without_autobox_the_gearbox_starts_manual_in_first():
    driver = HumanDriver(Gearing(gear_count=7, automatic_available=False))
    assert driver.command(motion(0, NEUTRAL), DT)[0]["gear"] == FIRST
    driver.press("toggle_automatic")
    assert driver.command(motion(0, NEUTRAL), DT)[0]["gear"] == FIRST


def test_h_pattern_gates_select_gears_and_reverse_only_near_standstill():
    driver = HumanDriver(ROAD_CAR)
    driver.held_actions = frozenset(["shifter_3"])
    assert driver.command(motion(9, THIRD), DT)[0]["gear"] == THIRD
    driver.held_actions = frozenset()
    assert driver.command(motion(9, THIRD), DT)[0]["gear"] == NEUTRAL
    driver.held_actions = frozenset(["shifter_reverse"])
    assert driver.command(motion(9, NEUTRAL), DT)[0]["gear"] == NEUTRAL
    assert driver.command(motion(0.1, NEUTRAL), DT)[0]["gear"] == REVERSE


def test_keys_and_devices_merge_by_magnitude_and_keys_mark_the_command_as_digital():
    driver = HumanDriver(ROAD_CAR)
    standing = motion(0.0, FIRST)
    driver.held_actions, driver.analog = frozenset(["steer_left"]), AnalogInput(steer=0.4, throttle=0.3)
    command = driver.command(standing, DT)[0]
    assert command["steer"] == -1.0 and command["throttle"] == 0.3 and command["digital"] == 1
    driver.held_actions = frozenset()
    command = driver.command(standing, DT)[0]
    assert command["steer"] == 0.4 and command["digital"] == 0


def test_released_keys_stay_digital_until_a_device_is_moved():
    driver = HumanDriver(ROAD_CAR)
    driver.held_actions = frozenset(["steer_right", "throttle"])
    driver.command(motion(0, FIRST), DT)
    driver.held_actions = frozenset()
    command = driver.command(motion(0, FIRST), DT)[0]
    assert command["steer"] == 0.0 and command["digital"] == 1
    driver.analog = AnalogInput(steer=0.02)  # a stick that does not quite centre
    assert driver.command(motion(0, FIRST), DT)[0]["digital"] == 1


def test_focus_loss_releases_everything():
    driver = HumanDriver(ROAD_CAR)
    driver.held_actions, driver.analog = frozenset(["throttle", "handbrake"]), AnalogInput(steer=1.0)
    driver.press("toggle_automatic")
    driver.release_all()
    command = driver.command(motion(0, FIRST), DT)[0]
    assert [command[n] for n in ("throttle", "brake", "handbrake", "clutch", "steer")] == [0, 0, 0, 0, 0]
    assert driver.automatic


def test_resume_after_a_rewind_takes_the_gear_of_the_state():
    driver = HumanDriver(ROAD_CAR)
    driver.resume_from(motion(-3.0, REVERSE))
    driver.held_actions = frozenset(["brake"])
    command = driver.command(motion(-3.0, REVERSE), DT)[0]
    assert command["gear"] == REVERSE and command["throttle"] == 1.0


def test_both_steering_keys_cancel_and_the_clutch_key_disengages():
    driver = HumanDriver(ROAD_CAR)
    driver.held_actions = frozenset(["steer_left", "steer_right", "clutch"])
    command = driver.command(motion(0, FIRST), DT)[0]
    assert command["steer"] == 0.0 and command["clutch"] == 1.0
