"""Advice about tires of Magic Formula 6.2 names parameters of these tires."""

import math

import numpy as np
import pytest
from watched import WatchedDrive, bumpy_ground, everywhere, fresh, reported

from driving_sandbox.lab.advisor import check_vehicle
from driving_sandbox.lab.advisor.trials import lift_test
from driving_sandbox.physics.tick.commands import FIRST
from driving_sandbox.physics.vehicle.swap import plan_swap, swapped_vehicle


def on_mf62_tires():
    """The simple roadster on mf_62 tires of its wheels' size."""
    vehicle = fresh()
    return swapped_vehicle(vehicle, plan_swap(vehicle, "tire", "mf_62"))


def test_tires_of_the_right_size_give_no_advice():
    assert [str(advice) for advice in check_vehicle(on_mf62_tires(), 1.0 / 960.0) if "tire." in str(advice.path)] == []


@pytest.mark.parametrize("grip", [0.08, 0.12])
def test_wheels_that_spin_on_little_grip_are_reported(grip):
    drive = WatchedDrive(on_mf62_tires(), lambda v: everywhere(v, "tire", longitudinal_grip=grip), slope=6.0)
    advice = reported(drive.settle(0.5).run(4.0, gear=FIRST, throttle=1.0), "low_friction")
    assert advice.path in ("tire.rl.longitudinal_grip", "tire.rr.longitudinal_grip")
    assert drive.vehicle.get(advice.path) == grip


def test_rear_tires_of_low_cornering_stiffness_are_reported():
    def values(v):
        return {f"tire.{w}.cornering_stiffness_factor": 0.15 for w in ("rl", "rr")}

    drive = WatchedDrive(on_mf62_tires(), values).settle().roll(22.0).run(3.0, steer=0.5, throttle=0.3)
    assert reported(drive, "spins_out").path == "tire.rr.cornering_stiffness_factor"


def test_tires_whose_rolling_resistance_holds_the_wheels_are_reported():
    vehicle = on_mf62_tires()
    vehicle.set_many({**everywhere(vehicle, "tire", rolling_factor=10.0), "clutch.bite_omega": 90.0,
                      "clutch.full_omega": 100.0, "clutch.strength": 60.0, "engine.peak_torque": 20.0})  # fmt: skip
    trial = lift_test(vehicle)
    assert trial.advice and {advice.path for advice in trial.advice} == {"tire.rl.rolling_factor"}


def test_no_load_filter_is_recommended_to_tires_without_one():
    def waves(x, y):
        return 0.05 * np.sin(2.0 * math.pi * y / 5.0 + 0.7 * np.where(x > 0.0, 1.0, -1.0))

    drive = WatchedDrive(on_mf62_tires(), ground=bumpy_ground(waves))
    assert "bumpy_load" not in drive.settle().roll(18.0).run(5.0, steer=0.05, throttle=0.35).advice
