"""Losses of gears and final drive, for power that flows to the wheels or from them."""

import numpy as np
import pytest
from drivetrain_rig import engine_rig, in_gear

from driving_sandbox.physics.drivetrain.coupling import ESTIMATE
from driving_sandbox.physics.gearbox.gearbox import GearboxParams, check_with_efficiency, passed_on
from driving_sandbox.physics.gearbox.timed_gearbox import TimedGearboxParams
from driving_sandbox.physics.tick.commands import AUTOMATIC, FIRST

DT = 1 / 960  # s
RATIO = 16.0  # of the rig's first gear, final drive included
WHEEL_INERTIA = 2.0  # kg m^2
NO_DAMPING = {"damping_full_throttle": 0.0, "damping_zero_throttle_clutch_engaged": 0.0,
              "damping_zero_throttle_clutch_disengaged": 0.0}  # fmt: skip


def substep_with_losses(efficiency, final, omega, engine, throttle, accuracy=0):
    """(rig after a substep in first gear, torque that arrives at the wheels, N m).

    efficiency, final: of the gears and of the final drive.
    omega, engine: speeds of wheels and engine, rad/s.
    """
    rig = engine_rig(gearbox={"efficiency": efficiency, "final_efficiency": final}, inertia=WHEEL_INERTIA)
    in_gear(rig, FIRST, omega=omega, engine=engine)
    rig["drivetrain_params"]["accuracy"] = accuracy
    rig["drivetrain_params"]["estimate_iterations"] = 100
    rig["command"]["throttle"] = throttle
    rig.run(rig.each_tick, DT)
    before = rig["wheel"]["omega"][:4].copy()
    rig.run(rig.each_substep, DT)
    torque = (WHEEL_INERTIA * (rig["wheel"]["omega"][:4] - before) / DT).sum()
    return rig, torque


@pytest.mark.parametrize("accuracy", [0, ESTIMATE])
@pytest.mark.parametrize("efficiency, final, eta", [([0.97], 0.95, 0.97 * 0.95), ([0.8], 1.0, 0.8), ([1.0], 0.9, 0.9)])
@pytest.mark.parametrize("omega, engine, throttle", [(20.0, 400.0, 1.0), (20.0, 200.0, 0.0), (-3.0, 60.0, 1.0)])
def test_power_in_is_power_out_over_efficiency(accuracy, efficiency, final, eta, omega, engine, throttle):
    """Cases: driving, braking by the engine, and rolling backwards in a forward gear."""
    rig, torque = substep_with_losses(efficiency, final, omega, engine, throttle, accuracy)
    speed = rig["wheel"]["omega"][0]
    at_clutch, at_wheels = rig["drivetrain"]["clutch_torque"] * RATIO * speed, torque * speed
    power_in, power_out = (at_clutch, at_wheels) if at_clutch > 0.0 else (-at_wheels, -at_clutch)
    assert power_in > 0.0
    tolerance = 1e-9 if accuracy == 0 else 1e-3  # the iterations of the estimate leave a residual
    assert power_out == pytest.approx(power_in * eta, rel=tolerance)


def test_a_gear_has_the_efficiency_of_its_position_in_the_list():
    per_gear = [0.9, 0.9, 0.96, 0.94, 0.92, 0.98, 0.97]
    for gear in (2, 3):
        rig = in_gear(engine_rig(gearbox={"efficiency": per_gear}), gear, omega=10.0, engine=400.0)
        plain = in_gear(engine_rig(), gear, omega=10.0, engine=400.0)
        for bench in (rig, plain):
            bench["clutch"]["response"], bench["engine"]["throttle"] = 10.0, 1.0
            bench.run(bench.each_tick, 1e-9)
            bench.run(bench.each_substep, 1e-9)  # so short that speeds hardly change and torques can be compared
        speed_gains = [bench["wheel"]["omega"][0] - 10.0 for bench in (rig, plain)]
        assert speed_gains[0] / speed_gains[1] == pytest.approx(per_gear[gear], rel=1e-5)


def test_one_efficiency_for_all_gears_equals_a_list_of_equal_ones():
    """With an efficiency of 1 they are bit-identical through changes of gear and of the direction of power."""
    rigs = [engine_rig(gearbox={"efficiency": values}) for values in ([1.0], [1.0] * 7)]
    for rig in rigs:
        rig["command"]["gear"] = AUTOMATIC
        for tick in range(240):
            rig["command"]["throttle"] = 1.0 if tick < 160 else 0.0
            rig.tick()
    assert rigs[0]["wheel"].tobytes() == rigs[1]["wheel"].tobytes()
    assert passed_on(1.0, 5.0) == passed_on(1.0, -5.0) == 1.0


def coast(efficiency, dt, seconds=0.1):
    """((energy of wheels, of engine) at first, the same at the end, heat of the clutch) of a coast in gear, J."""
    rig = engine_rig(gearbox={"efficiency": [efficiency]}, engine=NO_DAMPING, clutch={"strength": 0.5})
    in_gear(rig, FIRST, omega=30.0, engine=0.0)
    first, heat = energies(rig), 0.0
    for _ in range(round(seconds / dt)):
        before, slip = energies(rig), slip_speed(rig)
        rig.tick(dt=dt, substeps=1)
        heat += rig["drivetrain"]["clutch_torque"] * 0.5 * (slip + slip_speed(rig)) * dt  # exact for a constant torque
        assert sum(energies(rig)) <= sum(before) + 1e-9
    return first, energies(rig), heat


def slip_speed(rig):
    """Speed of the engine less the gearbox input's, rad/s."""
    return rig["engine"]["omega"] - RATIO * rig["wheel"]["omega"][0]


def energies(rig):
    """(energy of wheels, of engine), J."""
    wheels = 0.5 * (rig["wheel_params"]["inertia"] * rig["wheel"]["omega"] ** 2).sum()
    return wheels, 0.5 * rig["engine"]["omega"] ** 2 * float(rig["engine_params"]["inertia"])


@pytest.mark.parametrize("efficiency", [0.9, 0.8])
def test_a_coast_loses_in_gears_what_the_efficiency_says(efficiency):
    """The rolling wheels bring the engine up to speed: eta times their loss goes to engine and clutch."""
    (wheels, engine), (wheels_after, engine_after), heat = coast(efficiency, dt=1 / 500)
    output = engine_after - engine + heat
    assert (wheels - wheels_after) * efficiency == pytest.approx(output, rel=1e-9)


def test_a_coast_converges_with_the_step():
    """The method is of first order: half the step gives half the error."""
    energies_at_end = [coast(efficiency=0.85, dt=dt)[1] for dt in (1 / 16000, 1 / 250, 1 / 500, 1 / 1000)]
    fine, *coarse = (wheels for wheels, _ in energies_at_end)
    errors = [abs(wheels - fine) for wheels in coarse]
    assert errors[0] > 0.5  # J, of 1800
    assert errors[0] / errors[1] == pytest.approx(2.0, abs=0.4)
    assert errors[1] / errors[2] == pytest.approx(2.0, abs=0.4)


@pytest.mark.parametrize("schema", [GearboxParams, TimedGearboxParams])
def test_entries_for_some_gears_only_are_refused(schema):
    record = np.zeros(1, schema.dtype)[0]
    schema.defaults(record)
    schema.fields["ratios"].kind.write(record, "ratios", [-3.0, 0.0, 3.0, 2.0])
    record["neutral_gear"] = 1
    assert check_with_efficiency(record) == []
    for values, wrong in (([0.9] * 4, False), ([0.9] * 3, True)):
        schema.fields["efficiency"].kind.write(record, "efficiency", values)
        assert [name for name, _ in check_with_efficiency(record)] == (["efficiency"] if wrong else [])
