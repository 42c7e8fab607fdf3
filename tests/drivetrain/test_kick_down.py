"""Kick-down of the automatic gearbox: a lower gear by the pedal, if the engine can turn fast enough in it."""

import pytest
from drivetrain_rig import engine_rig

from driving_sandbox.physics.tick.commands import AUTOMATIC, FIRST

FOURTH = FIRST + 3  # ratios 1.5, 1.1 of third and fourth gear, changes up at 65 % of 600 rad/s


def gear_after(omega, throttle, kick_down, waited=10.0, gear=FOURTH):
    """(gear, throttle) that the automatic asks for.

    omega: engine speed, rad/s.
    throttle: command.
    kick_down: throttle from which kick-down acts.
    waited: time since the last change, s.
    gear: engaged gear.
    """
    rig = engine_rig(autobox={"kick_down": kick_down, "down_ratios": [0.2] * 7})
    rig["gearbox"]["current_gear"] = rig["gearbox"]["target_gear"] = gear
    rig["command"]["gear"], rig["command"]["throttle"] = AUTOMATIC, throttle
    rig["engine"]["omega"], rig["autobox"]["time_since_shift"] = omega, waited
    rig.tick(dt=1e-3)
    return int(rig["autobox"]["gear"]), float(rig["autobox"]["throttle"])


@pytest.mark.parametrize("threshold", [0.8, 0.95])
def test_the_pedal_takes_a_lower_gear_from_its_threshold_on(threshold):
    assert gear_after(200.0, throttle=threshold + 0.01, kick_down=threshold) == (FOURTH - 1, 0.0)
    assert gear_after(200.0, throttle=threshold - 0.01, kick_down=threshold) == (
        FOURTH,
        pytest.approx(threshold - 0.01),
    )


def test_a_threshold_of_zero_switches_kick_down_off():
    assert gear_after(200.0, throttle=1.0, kick_down=0.0) == (FOURTH, 1.0)


def test_kick_down_only_if_the_engine_would_not_turn_too_fast():
    """In third gear the engine turns 1.5 / 1.1 times as fast; the limit is 0.9 times 390 rad/s, where it changes up."""
    limit = 0.9 * 390.0 * 1.1 / 1.5
    (below, _), (above, _) = (gear_after(limit + more, throttle=1.0, kick_down=0.9) for more in (-1.0, 1.0))
    assert (below, above) == (FOURTH - 1, FOURTH)


def test_kick_down_after_the_latency_and_not_below_first_gear():
    soon, _ = gear_after(200.0, throttle=1.0, kick_down=0.9, waited=1.0)
    lowest, _ = gear_after(200.0, throttle=1.0, kick_down=0.9, gear=FIRST)
    assert (soon, lowest) == (FOURTH, FIRST)
