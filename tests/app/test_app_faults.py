"""A vehicle with invalid numbers is named and reset, and the program continues."""

import numpy as np
import pytest

from driving_sandbox.physics.recording import verify
from driving_sandbox.physics.tick.context import EXTERNAL

pytestmark = pytest.mark.drawn


def impulses(impulse, times):
    """A function for `session.external_impulses`: the first vehicle gets an impulse, N s, in each of `times` ticks."""
    remaining = [times]

    def act(world):
        if not remaining[0]:
            return None
        remaining[0] -= 1
        external = np.zeros(len(world.vehicles), EXTERNAL)
        external["impulse"][0] = impulse
        return external

    return act


def test_nan_is_caught_in_its_tick_and_named(open_rig):
    rig = open_rig()
    rig.hold("w")
    rig.run(1.5)
    speed = rig.speed
    rig.session.external_impulses = impulses((float("nan"), 0.0, 0.0), 1)
    rig.step(1, frame=1 / 60)
    messages = [text for text in rig.shown if "not a number" in text]
    assert (
        len(messages) == 1
        and "Roadster" in messages[0]
        and "body" in messages[0]
        and "reset to the tick before" in messages[0]
    )
    assert rig.speed == pytest.approx(speed, abs=0.5)
    rig.run(1.0)
    assert np.isfinite(rig.session.vehicle.state["body"]["position"]).all() and rig.speed > speed
    assert not rig.session.paused


def test_an_excessive_impulse_is_caught(open_rig):
    rig = open_rig()
    rig.run(0.5)
    rig.session.external_impulses = impulses((0.0, 1e9, 0.0), 1)
    rig.step(1, frame=1 / 60)
    assert any("speed or position is above the limit" in text for text in rig.shown), rig.shown
    rig.run(0.5)
    assert abs(rig.speed) < 1.0


def test_a_car_that_faults_in_every_tick_is_paused_and_can_resume(open_rig):
    rig = open_rig()
    rig.run(0.3)
    rig.session.external_impulses = impulses((float("inf"), 0.0, 0.0), 10**9)
    rig.run(3.0)
    assert rig.session.paused
    assert any("cannot be simulated" in text for text in rig.shown), rig.shown
    rig.session.external_impulses = None
    rig.session.paused = False
    rig.hold("w")
    rig.run(1.5)
    assert rig.speed > 2.0
    path = rig.session.recorder.path
    rig.close()
    report = verify(path)
    assert report.ok, report.text
