"""Direct drive with a power limit: torque over wheel speed on the bench, and the power that wheels in the air take."""

import pytest
from drivetrain_rig import direct_rig

from driving_sandbox.physics.tick.commands import FIRST

REVERSE = 0  # gear


def torques(omega, throttle=1.0, gear=FIRST, max_torque=200.0, **values):
    """Torque of the first wheel, N m, at a wheel speed, rad/s."""
    rig = direct_rig(direct_drive=[{"max_torque": max_torque, **values}] * 4)
    rig["command"]["throttle"], rig["command"]["gear"] = throttle, gear
    for i in range(4):
        rig["wheel"][i]["omega"] = omega
    rig.tick(dt=1e-9, substeps=1)
    return float(rig["direct_drive"][0]["torque"])


@pytest.mark.parametrize("power", [5e3, 10e3])
@pytest.mark.parametrize("max_torque", [200.0, -100.0])
def test_torque_is_constant_to_the_base_speed_and_power_above(power, max_torque):
    base = power / abs(max_torque)
    for gear, direction in ((FIRST, 1.0), (REVERSE, -1.0)):
        for omega in (0.0, 0.5 * base, 0.999 * base, -0.999 * base):
            assert torques(omega, gear=gear, max_torque=max_torque, power=power) == direction * max_torque
        for omega in (1.001 * base, 3.0 * base, -2.0 * base):
            torque = torques(omega, gear=gear, max_torque=max_torque, power=power)
            assert abs(torque * omega) == pytest.approx(power, rel=1e-12)
            assert torque * direction * max_torque > 0.0
            half = torques(omega, 0.5, gear, max_torque, power=power)
            assert half == pytest.approx(0.5 * torque, rel=1e-12)


@pytest.mark.parametrize("max_torque", [200.0, -100.0])
def test_without_power_the_torque_is_constant_at_any_speed(max_torque):
    for omega in (0.0, 50.0, 5000.0):
        assert torques(omega, max_torque=max_torque) == max_torque


@pytest.mark.parametrize("power", [5e3, 10e3])
def test_wheels_in_the_air_gain_the_power_times_the_time(power):
    """From the base speed on, within the error of one torque per tick."""
    rig, inertia, dt, seconds = direct_rig(direct_drive=[{"max_torque": 200.0, "power": power}] * 4), 1.0, 1e-4, 0.5
    rig["command"]["throttle"], rig["command"]["gear"] = 1.0, FIRST
    start = power / 200.0
    for i in range(4):
        rig["wheel"][i]["omega"] = start
    for _ in range(round(seconds / dt)):
        rig.tick(dt=dt, substeps=1)
    gained = 0.5 * inertia * (float(rig["wheel"][0]["omega"]) ** 2 - start**2)
    assert gained == pytest.approx(power * seconds, rel=2e-3)
