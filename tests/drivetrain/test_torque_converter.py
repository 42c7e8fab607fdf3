"""The torque converter on a bench: stall, coupling point, efficiency, overrun, lock-up, creep."""

import numpy as np
import pytest
from drivetrain_rig import engine_rig, in_gear

from driving_sandbox.physics.differential.multi_wheel import OPEN
from driving_sandbox.physics.drivetrain.torque_converter import TORQUE_CONVERTER, TorqueConverterParams, check
from driving_sandbox.physics.tick.commands import FIRST

RATIO = 16.0  # of first gear of the bench, final drive included
THIRD = 4  # index
CURVES = {"capacity_curve": [[0.0, 1.0], [0.8, 1.0], [1.0, 0.0]], "torque_ratio_curve": [[0.0, 2.0], [0.85, 1.0]]}


def converter(pump, turbine, gear=FIRST, throttle=1.0, **values):
    """The bench with a converter at these speeds of pump and turbine, rad/s, after a tick in which no speed changes."""
    rig = engine_rig(components=[TORQUE_CONVERTER], clutch={**CURVES, **values}, inertia=5.0)
    ratio = rig["gearbox_params"]["ratios"]["values"][gear] * 4.0
    in_gear(rig, gear, omega=turbine / ratio, engine=pump)
    rig["command"]["throttle"] = throttle
    rig.run([OPEN], 1e-9)  # the differential follows the clutch, which uses the torque shares of the previous tick
    rig.tick(dt=1e-9, substeps=1)
    return rig


def torques(rig):
    """(pump torque, turbine torque), N m, of the bench's last tick."""
    pump = rig["drivetrain"]["clutch_torque"]
    return pump, pump * (rig["clutch"]["torque_ratio"] if pump > 0.0 else 1.0)


@pytest.mark.parametrize("capacity", [0.002, 0.005])
@pytest.mark.parametrize("stall", [1.8, 2.3])
def test_torques_at_stall_follow_capacity_and_stall_ratio(capacity, stall):
    """Pump torque is capacity times speed squared; the turbine has the stall torque ratio times as much."""
    curve = [[0.0, stall], [0.85, 1.0]]
    for omega in (100.0, 220.0):
        rig = converter(pump=omega, turbine=0.0, capacity=capacity, torque_ratio_curve=curve)
        before = rig["wheel"]["omega"][0]
        rig.run(rig.each_substep, 1e-6)
        at_wheels = 4 * 5.0 * (rig["wheel"]["omega"][0] - before) / 1e-6
        pump = rig["drivetrain"]["clutch_torque"]
        assert pump == pytest.approx(capacity * omega**2, rel=1e-4)
        assert at_wheels / (pump * RATIO) == pytest.approx(stall, rel=1e-9)


def test_torque_ratio_falls_to_the_coupling_point():
    ratios = [converter(pump=200.0, turbine=200.0 * nu)["clutch"]["torque_ratio"] for nu in (0.0, 0.425, 0.85, 0.95)]
    assert ratios == pytest.approx([2.0, 1.5, 1.0, 1.0])
    assert converter(pump=200.0, turbine=100.0)["clutch"]["speed_ratio"] == pytest.approx(0.5, rel=1e-6)


@pytest.mark.parametrize("nu", [0.1, 0.5, 0.8, 0.9, 0.98])
def test_power_out_is_efficiency_times_power_in(nu):
    pump, turbine = torques(converter(pump=200.0, turbine=200.0 * nu))
    expected = nu * (2.0 - nu / 0.85 if nu < 0.85 else 1.0)
    assert turbine * 200.0 * nu == pytest.approx(pump * 200.0 * expected, rel=1e-6)
    assert expected <= 1.0
    assert pump == pytest.approx(0.003 * 200.0**2 * min(1.0, (1.0 - nu) / 0.2), rel=1e-5)  # default capacity


@pytest.mark.parametrize("overrun_capacity", [0.3, 1.0])
def test_overrun_brakes_by_its_share_of_the_capacity(overrun_capacity):
    pump, turbine = torques(converter(pump=100.0, turbine=200.0, throttle=0.0, overrun_capacity=overrun_capacity))
    assert pump == pytest.approx(-overrun_capacity * 0.003 * 200.0**2, rel=1e-5) and turbine == pump


def locked(ticks=200, dt=0.01, pump=300.0, nu=0.9, gear=THIRD, speed=20.0, lock=0.0, **values):
    """How far the lock-up is closed, 0 to 1, after some ticks at constant speeds.

    pump: rad/s.
    nu: speed ratio of turbine to pump.
    speed: m/s.
    lock: how far it is closed at first.
    """
    rig = converter(pump, pump * nu, gear, lock_time=1.0, **values)
    rig["clutch"]["lock"] = lock
    rig["response"]["speed"] = speed
    for _ in range(ticks):
        rig.run([TORQUE_CONVERTER], dt)
    return rig["clutch"]["lock"]


def test_lock_up_closes_by_gear_speed_and_ratio():
    assert locked() == 1.0
    assert locked(gear=3) == 0.0 and locked(gear=3, lock_gear=2) == 1.0
    assert locked(speed=12.0) == 0.0 and locked(speed=12.0, lock_speed=10.0) == 1.0
    assert locked(nu=0.8) == 0.0 and locked(nu=0.8, lock_ratio=0.75) == 1.0


def test_lock_up_takes_its_time_and_does_not_hunt():
    assert locked(ticks=50) == pytest.approx(0.5)
    # while it closes, the speed limit of 14 m/s is 10 % lower
    assert locked(ticks=50, speed=13.0, lock=0.4) == pytest.approx(0.9)
    assert locked(ticks=50, speed=12.0, lock=0.9) == pytest.approx(0.4)
    rig = converter(pump=300.0, turbine=290.0, gear=THIRD, lock_time=0.2)
    rig["response"]["speed"] = 20.0
    for _ in range(10):
        rig.run([TORQUE_CONVERTER], 0.01)
    assert rig["clutch"]["lock"] == pytest.approx(0.5)


@pytest.mark.parametrize("lock_torque", [100.0, 400.0])
def test_a_closed_lock_up_holds_its_torque_without_multiplying(lock_torque):
    rig = converter(pump=300.0, turbine=270.0, gear=THIRD, lock_torque=lock_torque)
    rig["clutch"]["lock"] = 1.0
    rig["response"]["speed"] = 20.0
    rig.run([TORQUE_CONVERTER], 1e-9)
    fluid = 0.003 * 300.0**2 * 0.5  # default capacity; the curve is at a half
    assert rig["clutch"]["response"] * 30.0 == pytest.approx(fluid + lock_torque, rel=1e-6)
    assert rig["clutch"]["torque_ratio"] == 1.0


@pytest.mark.parametrize("capacity", [0.002, 0.004])
def test_an_idling_engine_creeps(capacity):
    """At rest in gear without throttle the wheels get the stall torque of idle speed, at which the engine stays."""
    rig = engine_rig(
        components=[TORQUE_CONVERTER],
        clutch={**CURVES, "capacity": capacity},
        engine={"idle_omega": 90.0},
        inertia=30.0,
    )
    in_gear(rig, FIRST, engine=90.0)
    rig.tick(dt=1e-4, substeps=1)
    expected = 2.0 * RATIO * capacity * 90.0**2
    assert rig["wheel"]["omega"][0] * 120.0 / 1e-4 == pytest.approx(expected, rel=1e-2)  # kg m^2 of four wheels
    for _ in range(2000):
        rig.tick(dt=0.01)
    assert rig["engine"]["omega"] == 90.0
    assert 0.8 < rig["wheel"]["omega"][0] * RATIO / 90.0 <= 1.0


def launch(dt):
    """Wheel speed after half a second of full throttle from rest, rad/s."""
    rig = engine_rig(components=[TORQUE_CONVERTER], clutch=CURVES, engine={"idle_omega": 90.0}, inertia=40.0)
    in_gear(rig, FIRST, engine=90.0)
    rig["command"]["throttle"] = 1.0
    for _ in range(round(0.5 / dt)):
        rig.tick(dt=dt, substeps=1)
    return rig["wheel"]["omega"][0]


def test_a_launch_converges_with_the_step():
    fine = launch(1 / 16000)
    errors = [abs(launch(dt) - fine) for dt in (1 / 240, 1 / 480, 1 / 960)]
    assert errors[0] > errors[1] > errors[2]
    assert errors[0] / errors[1] == pytest.approx(2.0, abs=0.5)


def test_curves_that_make_power_are_refused():
    record = np.zeros(1, TorqueConverterParams.dtype)[0]
    TorqueConverterParams.defaults(record)
    assert check(record) == []
    kind = TorqueConverterParams.fields["torque_ratio_curve"].kind
    kind.write(record, "torque_ratio_curve", [[0.0, 2.0], [1.0, 1.5]])
    assert [name for name, _ in check(record)] == ["torque_ratio_curve"]
    kind.write(record, "torque_ratio_curve", [[0.0, 2.0], [0.85, 1.0]])
    kind.write(record, "capacity_curve", [[0.0, 1.0], [1.0, 0.1]])
    assert [name for name, _ in check(record)] == ["capacity_curve"]
