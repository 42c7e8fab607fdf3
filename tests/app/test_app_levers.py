"""A tank driven by two gamepad sticks in the whole program: it pivots, and its recording verifies."""

import numpy as np
import pytest
from controls.virtual_stick import GAMEPAD, VirtualStick

from driving_sandbox.game.controls.bindings import AxisBinding
from driving_sandbox.physics.recording.reader import Recording
from driving_sandbox.physics.recording.verification import verify

pytestmark = pytest.mark.drawn


@pytest.fixture
def plug():
    """A function that plugs in a virtual gamepad; SDL notices devices only while the program is open."""
    sticks = []

    def plug_in():
        sticks.append(VirtualStick(name="Fake Pad", kind=GAMEPAD, axes=6, buttons=15, vendor=0x045E, product=0x028E))
        return sticks[-1]

    yield plug_in
    for stick in sticks:
        stick.unplug()


def test_two_lever_axes_pivot_the_tank_and_are_replayed(open_rig, plug, tmp_path):
    path = tmp_path / "pivot.drive"
    rig = open_rig("--vehicle", "tank", "--record", path)
    pad = plug()
    rig.step(2)
    (device,) = rig.app.devices.devices.values()
    for action, axis in (("thrust_left", "lefty"), ("thrust_right", "righty")):
        rig.app.devices.bind_axis(device, action, AxisBinding(axis, inverted=True))
    rig.run(0.5)
    start = np.array(rig.session.vehicle.model_position())
    pad.axis(1, -1.0)  # the left stick, pushed forward
    pad.axis(3, 1.0)  # the right stick, pulled back
    rig.run(2.0)
    assert rig.read("levers.hand_left") == pytest.approx(1.0, abs=1e-3)
    assert rig.read("levers.hand_right") == pytest.approx(-1.0, abs=1e-3)
    assert rig.read("body.angular_velocity.z") < -0.5  # to the right
    assert np.linalg.norm(np.array(rig.session.vehicle.model_position()) - start) < 0.3
    pad.axis(1, 0.0)
    pad.axis(3, 0.0)
    rig.run(0.5)
    assert rig.read("levers.hand_left") == 0.0
    rig.close()
    assert Recording.open(path).commands()["thrust_right"].min() == pytest.approx(-1.0, abs=1e-3)
    report = verify(path)
    assert report.ok, report.text
