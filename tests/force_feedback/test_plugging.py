"""Wheels come and go under force: a hundred random plug events, and the order of closing."""

import ctypes
import random

import pytest
from virtual_stick import VirtualStick

from driving_sandbox.game.controls.devices import Devices
from driving_sandbox.game.force_feedback.haptic import Effect, HapticDevice, NoForce
from driving_sandbox.game.force_feedback.output import ForceFeedback
from driving_sandbox.game.windows.bindings_file import load_bindings
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle


class PluggedHaptic:
    """In place of HapticDevice; notes whether it was closed, and whether its joystick was still open then."""

    constant_number, handle = 0, 0

    def __init__(self, joystick):
        self.effect, self.joystick, self.closed_first = Effect(), joystick, None

    @property
    def effect_address(self):
        address = ctypes.addressof(self.effect)
        return address, address

    def has(self, condition):
        return False

    def set_condition(self, condition, coefficient):
        return True

    def close(self):
        self.closed_first = bool(self.joystick.get_init())


@pytest.fixture
def plugged(home, monkeypatch):
    """(Devices, ForceFeedback, list of all PluggedHaptic); every other device refuses forces."""
    devices, opened = Devices(load_bindings()), []
    feedback = ForceFeedback(devices)
    devices.before_close = feedback.drop

    def open_haptic(number):
        if number % 3 == 0:
            raise NoForce("it has no force feedback")
        opened.append(PluggedHaptic(devices.devices[number].joystick))
        return opened[-1]

    monkeypatch.setattr(HapticDevice, "of_joystick", staticmethod(open_haptic))
    yield devices, feedback, opened
    feedback.close()
    devices.close()


@pytest.mark.parametrize("seed", [1, 2])
def test_a_hundred_random_plug_events(plugged, seed):
    devices, feedback, opened = plugged
    feedback.follow(load_vehicle("mx5_na"), 1.0 / 240.0)
    chance, sticks, most = random.Random(seed), [], 0
    try:
        for _ in range(100):
            if sticks and (len(sticks) == 4 or chance.random() < 0.5):
                sticks.pop(chance.randrange(len(sticks))).unplug()
            else:
                sticks.append(VirtualStick())
                sticks[-1].axis(0, chance.uniform(-1.0, 1.0))
            devices.poll()
            feedback.tick()
            feedback.frame(active=chance.random() < 0.8)
            present = set(devices.devices)
            assert present == {stick.instance_id for stick in sticks}
            assert set(feedback.wheels) == {number for number in present if number % 3}
            assert set(feedback.problems) == present - set(feedback.wheels)
            most = max(most, len(feedback.wheels))
    finally:
        for stick in sticks:
            stick.unplug()
        devices.poll()
    assert most > 1
    assert len(opened) > 10
    assert all(haptic.closed_first for haptic in opened)
    assert not feedback.wheels
