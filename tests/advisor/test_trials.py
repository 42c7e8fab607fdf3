"""The measurements of lab/advisor/trials.py: lift test, coast-down, step steer, hill test and slow stop.

The last test checks the air drag that the advisor computes, which is no measurement.
"""

import pytest
from watched import everywhere, fresh

from driving_sandbox.lab.advisor.figures import resistances
from driving_sandbox.lab.advisor.trials import coast_down, hill_test, lift_test, slow_stop, step_steer
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle


@pytest.mark.covers("PX-HELP-04", "PX-HELP-17")
def test_a_lift_test_distinguishes_tires_from_engine():
    """An engine slow on the ground but fast in the air is held by the tires; the advice names them, not the engine."""
    healthy = lift_test(fresh())
    assert healthy.advice == [] and healthy.numbers["engine_air"] > 600.0 and healthy.numbers["wheel_ground"] > 20.0
    for part in ("in the air engine", "on the ground engine", "rad/s"):
        assert part in healthy.text
    vehicle = fresh()
    # a strong clutch, closed at 100 rad/s: a slipping one would let the engine spin although the wheels are held
    vehicle.set_many({**everywhere(vehicle, "tire", rolling_resistance=1.0), "clutch.bite_omega": 90.0,
                      "clutch.full_omega": 100.0, "clutch.strength": 60.0})  # fmt: skip
    trial = lift_test(vehicle)
    assert trial.numbers["engine_air"] > 600.0 and trial.numbers["wheel_ground"] < 1.0
    assert {a.id for a in trial.advice} == {"tires_hold_engine", "tires_hold_wheels"}
    assert all(a.path == "tire.rl.rolling_resistance" for a in trial.advice)


@pytest.mark.covers("PX-HELP-33")
def test_coast_down_reports_and_warns():
    healthy = coast_down(fresh())
    assert healthy.advice == [] and 0.6 < healthy.numbers["deceleration"] < 1.0
    vehicle = fresh()
    vehicle.set_many({**everywhere(vehicle, "wheel", damping=0.0),
                      **everywhere(vehicle, "tire", rolling_resistance=0.0),
                      "aero.drag_area": 0.1, "engine.damping_zero_throttle_clutch_engaged": 0.005})  # fmt: skip
    free = coast_down(vehicle)
    assert free.numbers["deceleration"] < 0.1
    assert [a.id for a in free.advice] == ["coasts_on"] and "at 20 m/s" in free.advice[0].evidence
    assert free.advice[0].path == "engine.damping_zero_throttle_clutch_engaged"


@pytest.mark.covers("PX-HELP-35")
def test_step_steer_prints_the_yaw_acceleration_that_the_yaw_inertia_sets():
    """The third principal moment of inertia is the yaw inertia: more of it lowers the yaw acceleration."""
    before = step_steer(fresh())
    assert f"yaw acceleration {before.numbers['yaw_acceleration']:.2f} rad/s^2" in before.text
    vehicle = fresh()
    pitch, roll, yaw = vehicle.get("body.principal_inertia")
    vehicle.set("body.principal_inertia", [pitch, roll, 1.2 * yaw])
    assert list(vehicle.params["body"][0]["inertia"][:2]) == [pitch, roll]
    slower = step_steer(vehicle)
    assert slower.numbers["yaw_acceleration"] < 0.93 * before.numbers["yaw_acceleration"]
    vehicle.set("body.principal_inertia", [pitch, roll, 0.8 * yaw])
    assert step_steer(vehicle).numbers["yaw_acceleration"] > 1.07 * before.numbers["yaw_acceleration"]


@pytest.mark.covers("PX-HELP-42")
def test_hill_test_before_and_after_lowering_the_plateau():
    vehicle = fresh("offroader")
    vehicle.set("engine.peak_torque", 900.0)
    degrees = []
    for plateau in (1.0, 0.6):
        vehicle.set_many(everywhere(vehicle, "tire", friction_versus_slip=[[0.0, 1.0], [0.1, 1.0], [0.5, plateau]]))
        degrees.append(hill_test(vehicle).numbers["degrees"])
    assert degrees[0] > 30.0 and degrees[1] < degrees[0] - 5.0


def test_both_remedies_of_slip_oscillation_reduce_it():
    """A larger min_passive_slip_speed or a shorter step lowers the share of steps in which slip changes its sign."""
    tick = 1.0 / 960.0  # s
    assert slow_stop(fresh(), tick, substeps=1, passive=0.02).numbers["share"] > 0.5
    assert slow_stop(fresh(), tick, substeps=1, passive=4.0).numbers["share"] < 0.2
    assert slow_stop(fresh(), 1.0 / 9600.0, substeps=1, passive=0.02).numbers["share"] < 0.2


@pytest.mark.parametrize(("name", "area"), [("roadster_simple", 0.64), ("roadster", 1.68 * 0.38), ("lowrider", 1.05)])
def test_air_drag_is_that_of_the_drag_area_or_of_frontal_area_and_coefficient(name, area):
    vehicle = load_vehicle(name)
    expected = 0.5 * float(vehicle.context["air_density"][0]) * area * 20.0**2
    assert resistances(vehicle, 20.0)["air drag"] == pytest.approx(expected)
