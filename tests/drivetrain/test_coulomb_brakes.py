"""Coulomb brakes of directly driven wheels: a locked wheel is held up to the brake's torque."""

import pytest
from drivetrain_rig import DIRECT_TICK, Rig, WheelParams, record

from driving_sandbox.physics.brakes.response import BRAKES
from driving_sandbox.physics.drivetrain.coulomb_brakes import COULOMB_BRAKED_WHEELS, braked_speed
from driving_sandbox.physics.drivetrain.wheel_speed import free_wheel_speed
from driving_sandbox.physics.vehicle.swap import plan_swap, swapped_vehicle
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

DT = 5e-4  # s
INERTIA = 1.6  # kg m^2
BRAKE = 800.0  # N m
TICK = (*DIRECT_TICK[:-1], COULOMB_BRAKED_WHEELS)
# Arguments of braked_speed: wheel, speed, torque of tire and drive, torque of the brake, step


def wheel(damping=0.0):
    """Parameters of a wheel; damping: N m s/rad."""
    p = record(WheelParams.dtype)
    p["inertia"], p["damping"] = INERTIA, damping
    return p


@pytest.mark.parametrize("omega", [50.0, -50.0])
def test_a_lifted_wheel_stops_in_inertia_times_speed_over_torque_and_stays(omega):
    steps, p, initial = 0, wheel(), omega
    while omega != 0.0:
        after = braked_speed(p, omega, 0.0, BRAKE, DT)
        assert after * initial >= 0.0 and abs(after) < abs(omega)
        omega, steps = after, steps + 1
    assert steps * DT == pytest.approx(INERTIA * abs(initial) / BRAKE, abs=DT)
    assert braked_speed(p, 0.0, 0.0, BRAKE, DT) == 0.0


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_locked_wheel_is_accelerated_by_the_torque_beyond_that_of_the_brake(sign):
    p = wheel()
    assert braked_speed(p, 0.0, sign * 0.99 * BRAKE, BRAKE, DT) == 0.0
    assert braked_speed(p, 0.0, sign * 1.25 * BRAKE, BRAKE, DT) == pytest.approx(sign * DT * 0.25 * BRAKE / INERTIA)


@pytest.mark.parametrize("damping", [0.0, 0.3])
@pytest.mark.parametrize("brake", [0.0, BRAKE])
def test_a_turning_wheel_is_braked_as_by_the_standard_brakes(damping, brake):
    p = wheel(damping)
    for omega in (30.0, -30.0):
        expected = free_wheel_speed(p, omega, 300.0, -120.0, brake, 1 if brake else 0, DT)
        assert braked_speed(p, omega, 180.0, brake, DT) == pytest.approx(expected, rel=1e-12)


def test_every_wheel_has_its_own_brake_tire_and_drive():
    """All are locked; the road turns the first and the drive the last, the others are held or have no torque."""
    wheels = [{"max_torque": 400.0}, {"max_torque": 1000.0}, {"max_torque": 400.0}, {"max_torque": 100.0}]
    rig = Rig(TICK, {BRAKES.slot: wheels, "direct_drive": [{}] * 3 + [{"max_torque": 300.0}]})
    rig["command"]["brake"] = rig["command"]["throttle"] = 1.0
    rig["command"]["gear"] = 2
    rig["tire"]["wheel_torque"][:2] = 600.0
    rig.run(TICK, 0.01)  # 200 N m more than the brake's torque accelerate the first and the last by 200 rad/s^2
    assert rig["wheel"]["omega"][:4].tolist() == pytest.approx([2.0, 0.0, 0.0, 2.0])


def test_a_vehicle_takes_coulomb_brakes_by_name():
    buggy = load_vehicle("buggy")
    other = swapped_vehicle(buggy, plan_swap(buggy, "drivetrain", "direct_coulomb_brakes"))
    assert other.sequence.by_slot["drivetrain"] is COULOMB_BRAKED_WHEELS
