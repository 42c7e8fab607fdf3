"""The launch clutch: engine speed during a start, and when the clutch closes."""

from typing import NamedTuple

import pytest
from drivetrain_rig import engine_rig, in_gear

from driving_sandbox.physics.differential.multi_wheel import OPEN
from driving_sandbox.physics.drivetrain.auto_clutch import AUTO_CLUTCH
from driving_sandbox.physics.drivetrain.launch_clutch import LAUNCH_CLUTCH, check
from driving_sandbox.physics.tick.commands import FIRST

RATIO = 16.0  # of the rig's first gear, final drive included
STRENGTH = 16.0  # N m s, of the closed clutch
CLUTCH = {"strength": STRENGTH, "bite_omega": 120.0, "full_omega": 250.0}
ENGINE = {"idle_omega": 90.0, "inertia": 0.15, "peak_torque": 150.0, "damping_full_throttle": 0.01,
          "torque_curve": [[0.0, 0.4], [0.6, 1.0], [1.0, 0.9]], "damping_zero_throttle_clutch_engaged": 0.05,
          "damping_zero_throttle_clutch_disengaged": 0.05}  # fmt: skip


class Speeds(NamedTuple):
    """Speeds after a tick, rad/s."""

    engine: float
    gearbox_input: float


def start(component=LAUNCH_CLUTCH, throttle=1.0, seconds=1.0, inertia=25.0, dt=1 / 240, **values):
    """(rig after a start from rest in first gear, [Speeds of every tick]). values: parameters of the clutch."""
    rig = engine_rig(components=[component], clutch={**CLUTCH, **values}, engine=ENGINE, inertia=inertia)
    in_gear(rig, FIRST, engine=90.0)
    rig["command"]["throttle"] = throttle
    trace = []
    for _ in range(round(seconds / dt)):
        rig.tick(dt=dt)
        trace.append(Speeds(float(rig["engine"]["omega"]), float(RATIO * rig["wheel"]["omega"][0])))
    return rig, trace


def end_of_start(**arguments):
    """Speeds at the end of a start; arguments: of `start`."""
    _, trace = start(**arguments)
    return trace[-1]


@pytest.mark.parametrize("launch", [300.0, 420.0])
def test_the_engine_is_held_at_the_launch_speed(launch):
    rig, trace = start(launch_omega=launch, hold=3.0, inertia=200.0)
    speeds = [engine for engine, _ in trace[-60:]]
    assert min(speeds) > launch - 15.0 and max(speeds) < launch + 15.0
    assert rig["clutch"]["launching"] == 1 and trace[-1].gearbox_input < 0.8 * launch
    _, trace = start(AUTO_CLUTCH, inertia=200.0)
    assert max(engine for engine, _ in trace) < 0.7 * launch


def test_half_a_pedal_gives_a_lower_engine_speed():
    speeds = [end_of_start(throttle=pedal, launch_omega=420.0, hold=3.0, inertia=200.0).engine for pedal in (0.5, 1.0)]
    assert speeds[0] == pytest.approx(270.0, abs=20.0) and speeds[1] == pytest.approx(420.0, abs=20.0)


@pytest.mark.parametrize("hold", [0.5, 3.0])
def test_a_larger_hold_lets_the_engine_overshoot_less(hold):
    _, trace = start(launch_omega=300.0, hold=hold, inertia=200.0)
    assert max(engine for engine, _ in trace) < 300.0 + 80.0 / hold


def test_the_clutch_closes_and_then_transmits_all_torque():
    rig, trace = start(launch_omega=350.0, seconds=3.0)
    assert rig["clutch"]["launching"] == 0 and rig["clutch"]["response"] == STRENGTH
    engine, gearbox_input = trace[-1]
    assert engine - gearbox_input < 150.0 / STRENGTH + 1.0  # slip at peak torque, rad/s
    _, automatic = start(AUTO_CLUTCH, seconds=3.0)
    assert trace[240].gearbox_input > 1.1 * automatic[240].gearbox_input  # faster after a second


def test_a_rolling_car_in_gear_gets_the_automatic_clutch():
    """At full throttle below the launch speed it does not slip as it does at a start from rest."""
    speeds = []
    for component in (LAUNCH_CLUTCH, AUTO_CLUTCH):
        rig = engine_rig(components=[component], clutch={**CLUTCH, "launch_omega": 420.0}, engine=ENGINE)
        in_gear(rig, FIRST + 1, omega=25.0, engine=200.0)
        rig.run([OPEN], 1e-9)  # the differential follows the clutch, which uses the torque shares of the previous tick
        rig["command"]["throttle"] = 1.0
        for _ in range(20):
            rig.tick(dt=1 / 240)
        speeds.append(float(rig["engine"]["omega"]))
    assert speeds[0] == speeds[1]


def changed_gear(component, omega, seconds=1.0):
    """(engine speeds, rad/s, launching flags) of a change from second to third gear; omega: of the wheels, rad/s."""
    rig = engine_rig(components=[component], clutch={**CLUTCH, "launch_omega": 420.0}, engine=ENGINE, inertia=200.0)
    in_gear(rig, FIRST + 1, omega=omega, engine=8.0 * omega)
    rig.run([OPEN], 1e-9)  # as above
    rig["command"]["gear"], rig["command"]["throttle"] = FIRST + 2, 1.0
    speeds, flags = [], []
    for _ in range(round(240 * seconds)):
        rig.tick(dt=1 / 240)
        speeds.append(float(rig["engine"]["omega"]))
        flags.append(int(rig["clutch"]["launching"]) if component is LAUNCH_CLUTCH else 0)
    assert rig["gearbox"]["current_gear"] == FIRST + 2
    return speeds, flags


@pytest.mark.parametrize("omega", [25.0, 60.0])
def test_a_change_of_gears_while_driving_is_no_launch(omega):
    """In neutral the gearbox input counts as at rest; in third it turns at 150 and 360 rad/s, below launch_omega."""
    speeds, flags = changed_gear(LAUNCH_CLUTCH, omega)
    assert not any(flags)
    assert speeds == changed_gear(AUTO_CLUTCH, omega)[0]
    assert max(speeds) > 6.0 * omega + 100.0  # the engine has revved up in neutral, so that a launch would have slipped


def test_a_launch_begins_below_the_bite_speed_of_first_gear_whatever_gear_is_engaged():
    """Also in neutral: bite_omega, 120 rad/s at the gearbox input, is 7.5 rad/s of the wheels in first gear."""
    for gear in (FIRST - 1, FIRST, FIRST + 1, FIRST + 3):
        for omega, launching in ((7.0, 1), (8.0, 0), (-7.0, 1), (-8.0, 0)):
            rig = engine_rig(components=[LAUNCH_CLUTCH], clutch={**CLUTCH, "launch_omega": 420.0}, engine=ENGINE)
            in_gear(rig, gear, omega=omega, engine=300.0)
            rig.run([OPEN], 1e-9)  # as above
            rig.run([LAUNCH_CLUTCH], 1 / 240)
            assert rig["clutch"]["launching"] == launching, (gear, omega)


def test_a_start_in_second_gear_is_a_launch():
    rig = engine_rig(components=[LAUNCH_CLUTCH], clutch={**CLUTCH, "launch_omega": 420.0, "hold": 3.0}, engine=ENGINE,
                     inertia=50.0)  # fmt: skip
    in_gear(rig, FIRST + 1, engine=90.0)
    rig["command"]["throttle"] = 1.0
    for _ in range(840):
        rig.tick(dt=1 / 240)
    assert rig["wheel"]["omega"][0] > 8.0  # above the 7.5 rad/s below which a launch begins
    assert rig["clutch"]["launching"] == 1
    assert rig["engine"]["omega"] == pytest.approx(420.0, abs=20.0)


def test_the_pedal_opens_the_clutch():
    """The response is at most the strength times the share by which the pedal is released."""
    rig, _ = start(launch_omega=350.0, seconds=3.0)
    for pedal in (0.5, 1.0):
        rig["command"]["clutch"] = pedal
        for _ in range(240):
            rig.tick(dt=1 / 240)
        assert rig["clutch"]["response"] <= STRENGTH * (1.0 - pedal) + 1e-9


def test_a_start_converges_with_the_step():
    fine, *coarse = (
        end_of_start(launch_omega=350.0, seconds=0.5, dt=dt).gearbox_input
        for dt in (1 / 8000, 1 / 120, 1 / 240, 1 / 480)
    )
    errors = [abs(speed - fine) for speed in coarse]
    assert errors[0] > errors[1] > errors[2] and errors[1] < 0.02 * fine


def test_launch_speeds_outside_the_engines_range_are_refused():
    rig, _ = start(launch_omega=350.0, seconds=0.01)
    for launch, wrong in ((350.0, False), (100.0, True), (700.0, True)):
        rig["clutch_params"]["launch_omega"] = launch
        expected = ["launch_omega"] if wrong else []
        assert [name for name, _ in check(rig["clutch_params"], rig["engine_params"])] == expected
