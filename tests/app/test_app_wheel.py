"""A steering wheel plugged in while driving, through SDL and pygame like a real device.

By default its axis 0 steers and its axis 2 is the throttle.
"""

import pytest

pytestmark = pytest.mark.drawn


@pytest.fixture
def wheel():
    """A function that plugs in a virtual wheel; it is unplugged after the test."""
    from controls.virtual_stick import VirtualStick

    sticks = []

    def plug(**description):
        sticks.append(VirtualStick(**description))
        return sticks[-1]

    yield plug
    for stick in sticks:
        stick.unplug()


def rolling(open_rig):
    """The program with a car that rolls at over 5 m/s, all keys released."""
    rig = open_rig()
    rig.hold("w")
    rig.run(2.0)
    rig.hold()
    assert rig.speed > 5.0
    return rig


@pytest.mark.parametrize(("side", "sign"), [("right", 1.0), ("left", -1.0)])
def test_turning_the_wheel_turns_the_car_to_that_side(open_rig, wheel, side, sign):
    rig = rolling(open_rig)
    stick = wheel(name="Fake Wheel")
    rig.step(2)
    assert any("Fake Wheel" in text and "connected" in text for text in rig.shown), rig.shown
    heading = rig.session.situation.heading
    stick.axis(0, 0.5 * sign)
    rig.run(1.0)
    assert rig.session._commands["steer"][0] * sign > 0.2
    assert rig.read("steering.fl.angle") * sign < 0.0  # wheel angles are positive to the left
    assert (rig.session.situation.heading - heading) * sign < -0.05


def test_pedals_count_as_released_until_they_move_and_then_drive(open_rig, wheel):
    rig = open_rig()
    stick = wheel(name="Fake Wheel")
    rig.run(0.5)
    assert rig.session._commands["throttle"][0] == 0.0  # before a movement SDL reports 0, which is half throttle
    stick.axis(2, 1.0)  # the throttle, released
    rig.run(0.2)
    stick.axis(2, -1.0)  # pressed
    rig.run(2.0)
    assert rig.session._commands["throttle"][0] == pytest.approx(1.0)
    assert rig.speed > 5.0


def test_unplugging_releases_the_controls_and_pauses(open_rig, wheel):
    rig = rolling(open_rig)
    stick = wheel(name="Fake Wheel")
    rig.step(2)
    stick.axis(0, 0.8)
    rig.run(0.3)
    assert rig.session._commands["steer"][0] > 0.3
    stick.unplug()
    rig.step(2)
    assert rig.session.paused
    assert any("unplugged" in text for text in rig.shown), rig.shown
    rig.session.paused = False
    rig.run(0.3)
    assert rig.session._commands["steer"][0] == 0.0
