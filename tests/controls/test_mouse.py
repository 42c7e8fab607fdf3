"""Steering by the mouse: off at first, fine near the middle, full before the edge, none over the interface."""

import pytest

from driving_sandbox.game.controls.driver import HumanDriver, SpeedAndGear
from driving_sandbox.game.controls.inputs import AnalogInput
from driving_sandbox.game.controls.keyboard import Keyboard
from driving_sandbox.game.controls.mouse import FULL, MouseSteering, pointer
from driving_sandbox.game.session.drivers import gearing_of
from driving_sandbox.game.windows.bindings_file import load_bindings
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle


@pytest.fixture
def mouse():
    mouse = MouseSteering()
    mouse.toggle()
    return mouse


def test_it_is_off_until_it_is_switched_on():
    mouse = MouseSteering()
    assert mouse.read(0.5, True, False) == AnalogInput()
    assert "left button throttle" in mouse.toggle()
    assert mouse.read(0.5, True, False).throttle == 1.0
    assert mouse.toggle().endswith("off")
    assert mouse.read(0.5, True, False) == AnalogInput()


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_steering_is_fine_near_the_middle_and_full_before_the_edge(mouse, side):
    steer = [mouse.read(side * x, False, False).steer * side for x in (0.0, 0.01, 0.15, 0.3, 0.5, FULL, 0.9)]
    assert steer[0] == steer[1] == 0.0
    assert steer == sorted(steer)
    assert steer[2] < 0.15 / FULL  # finer than linear
    assert steer[-1] == steer[-2] == 1.0


class Watcher:
    """Panda3D's MouseWatcher with a pointer at 0.25 and the right button down."""

    def has_mouse(self):
        return True

    def get_mouse_x(self):
        return 0.25

    def is_button_down(self, button):
        return button == "mouse3"


def test_a_pointer_over_the_interface_steers_nothing(mouse):
    assert pointer(Watcher(), wanted=False) == (0.25, False, True)
    assert mouse.read(*pointer(Watcher(), wanted=True)) == AnalogInput()
    assert mouse.read(*pointer(None, wanted=False)) == AnalogInput()
    assert mouse.read(*pointer(Watcher(), wanted=False)).brake == 1.0


def test_it_reaches_the_car_beside_the_keys(mouse):
    keyboard = Keyboard(load_bindings().keys)
    driver = HumanDriver(gearing_of(load_vehicle("mx5_na")))
    keyboard.key_down("w")
    driver.take(keyboard, None, mouse.read(FULL, False, False))
    command = driver.command(SpeedAndGear(10.0, 2, 2), 1.0 / 240.0)
    assert command["steer"][0] == 1.0
    assert command["throttle"][0] == 1.0
