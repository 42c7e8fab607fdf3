"""The motors of a pad: what makes them shake, and what a plugged-in pad receives."""

import math

import pytest
from virtual_stick import GAMEPAD, VirtualStick

from driving_sandbox.game.controls.devices import Devices
from driving_sandbox.game.force_feedback.output import SHAKE_SECONDS, ForceFeedback
from driving_sandbox.game.force_feedback.rumble import (
    AT_WORK,
    BUMP_FROM,
    BUMP_FULL,
    IMPACT_FROM,
    IMPACT_FULL,
    LIMITER,
    SHIFT,
    SHIFT_SECONDS,
    SLIDE_FROM,
    SLIDE_FULL,
    Rumble,
)
from driving_sandbox.game.force_feedback.setup import ForceSetup
from driving_sandbox.game.windows.bindings_file import load_bindings
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

TICK = 1.0 / 240.0  # s


@pytest.fixture
def car():
    car = load_vehicle("m3_e46")
    car.state["body"]["velocity"][0] = (0.0, 20.0, 0.0)
    return car


def after_a_tick(car):
    rumble = Rumble(car, TICK)
    rumble.tick()
    return rumble.take()


def test_a_car_that_rolls_quietly_shakes_nothing(car):
    assert after_a_tick(car) == (0.0, 0.0)


@pytest.mark.parametrize("share", [0.25, 1.0])
def test_a_slide_shakes_the_quick_motor(car, share):
    slip = SLIDE_FROM + share * (SLIDE_FULL - SLIDE_FROM)
    car.state["tire"]["longitudinal_slip"][0, 2] = -slip
    assert after_a_tick(car) == (0.0, pytest.approx(share))
    car.state["tire"]["longitudinal_slip"][0, 2] = 0.0
    car.state["tire"]["lateral_slip"][0, 1] = math.atan(slip)
    assert after_a_tick(car) == (0.0, pytest.approx(share))
    car.state["body"]["velocity"][0] = 0.0
    assert after_a_tick(car) == (0.0, 0.0)


@pytest.mark.parametrize("share", [0.3, 0.9])
def test_bumps_and_impacts_shake_the_slow_motor(car, share):
    car.state["suspension"]["jounce_speed"][0, 1] = -(BUMP_FROM + share * (BUMP_FULL - BUMP_FROM))
    assert after_a_tick(car) == (pytest.approx(share), 0.0)
    car.state["suspension"]["jounce_speed"][0, 1] = 0.0
    car.state["body"]["acceleration"][0, 0] = IMPACT_FROM + share * (IMPACT_FULL - IMPACT_FROM)
    assert after_a_tick(car) == (pytest.approx(share), 0.0)


def test_a_gear_change_is_a_short_pulse(car):
    rumble = Rumble(car, TICK)
    car.state["gearbox"]["current_gear"][0] += 1
    rumble.tick()
    assert rumble.take() == (SHIFT, 0.0)
    for _ in range(math.ceil(SHIFT_SECONDS / TICK) + 1):
        rumble.tick()
    assert rumble.take().low == SHIFT
    rumble.tick()
    assert rumble.take() == (0.0, 0.0)


def test_limiter_and_anti_lock_brakes_shake_the_quick_motor(car):
    car.state["engine"]["omega"][0] = 0.99 * car.params["engine"]["max_omega"][0]
    assert after_a_tick(car) == (0.0, LIMITER)
    car.state["engine"]["omega"][0] = 0.9 * car.params["engine"]["max_omega"][0]
    assert after_a_tick(car) == (0.0, 0.0)
    car.state["abs"]["active"][0] = 1
    assert after_a_tick(car) == (0.0, AT_WORK)


def test_the_strongest_tick_between_two_frames_counts(car):
    rumble = Rumble(car, TICK)
    for speed in (0.4, 1.2, 0.2):
        car.state["suspension"]["jounce_speed"][0, 0] = speed
        rumble.tick()
    assert rumble.take().low == pytest.approx((1.2 - BUMP_FROM) / (BUMP_FULL - BUMP_FROM))


@pytest.mark.parametrize("strength", [1.0, 0.5])
def test_a_plugged_in_pad_receives_it_and_stops_when_the_drive_does(car, home, strength):
    devices = Devices(load_bindings())
    stick = VirtualStick(name="Fake pad", kind=GAMEPAD, axes=6, buttons=15, vendor=0x045E, product=0x028E)
    feedback = ForceFeedback(devices)
    try:
        devices.poll()
        device = devices.devices[stick.instance_id]
        assert device.profile.kind == "pad"
        feedback.set_up(device, ForceSetup(rumble=strength))
        feedback.follow(car, TICK)
        car.state["engine"]["omega"][0] = 0.99 * car.params["engine"]["max_omega"][0]
        feedback.tick()
        feedback.shake(active=True, now=10.0)
        assert stick.rumbles[-1] == pytest.approx((0, strength * LIMITER * 65535), abs=2)
        count = len(stick.rumbles)
        feedback.shake(active=True, now=10.0 + 0.5 * SHAKE_SECONDS)
        assert len(stick.rumbles) == count  # not more often than the motors can follow
        feedback.tick()
        feedback.shake(active=False, now=11.0)
        assert stick.rumbles[-1] == (0, 0)
    finally:
        feedback.close()
        stick.unplug()
        devices.close()
