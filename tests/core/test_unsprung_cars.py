"""Shipped cars with unsprung mass: tire springs that fit their tires, and how they stand."""

import numpy as np
import pytest
from drive_rig import Drive

from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.tire import mf62
from driving_sandbox.physics.tire.mf62_evaluate import record_of
from driving_sandbox.physics.tire.mf62_set import set_of
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle


def suspended(name):
    """Name of a shipped vehicle's component in the slot suspension, or None."""
    component = load_vehicle(name).sequence.by_slot.get("suspension")
    return component.name if component else None


CARS = [n for n in sorted(p.stem for p in (ROOT / "configs" / "vehicles").glob("*.yaml")) if suspended(n) == "unsprung"]
WITH_SETS = [name for name in CARS if load_vehicle(name).sequence.by_slot["tire"].name == "mf_62"]
LOAD_STEP = 10.0  # N
MAX_OFFSET = 1e-3  # m, of the model's origin from the road's surface, on which it should be
UNSPRUNG_SHARE = 0.11  # share of the mass that is unsprung, as measured on a compact car and a compact sedan


@pytest.mark.parametrize("name", WITH_SETS)
def test_tire_springs_have_the_slope_of_the_tires_set_at_rest(name):
    vehicle = load_vehicle(name)
    p, tires, wheels = (vehicle.params[slot][0] for slot in ("suspension", "tire", "wheel"))
    for i in range(vehicle.wheel_count):
        c = record_of(set_of(tires[i], wheels[i]))
        load = float(tires[i]["nominal_load"])
        low, high = (mf62.deflection(c, load + side * LOAD_STEP, 0.0, 0.0, 0.0, 0.0) for side in (-1.0, 1.0))
        assert p[i]["tire_stiffness"] == pytest.approx(2.0 * LOAD_STEP / (high - low), rel=0.02)


@pytest.mark.parametrize("name", CARS)
def test_unsprung_masses_are_usual(name):
    """Each is 1.2 to 2.5 times the wheel's mass; together they are within 20 % of the usual share of the car's mass."""
    vehicle = load_vehicle(name)
    hubs = vehicle.params["suspension"]["unsprung_mass"][0, : vehicle.wheel_count]
    wheels = vehicle.params["wheel"]["mass"][0, : vehicle.wheel_count]
    assert np.all((hubs > 1.2 * wheels) & (hubs < 2.5 * wheels))
    assert hubs.sum() == pytest.approx(UNSPRUNG_SHARE * vehicle.get("body.mass"), rel=0.2)


@pytest.mark.parametrize("name", CARS)
def test_the_model_stands_on_the_road_and_stays_there(name):
    drive = Drive(name).run(4.0)
    start = drive.position
    assert abs(start[2]) < MAX_OFFSET
    drive.run(5.0)
    assert np.abs(drive.position - start).max() < 1e-5
    assert np.abs(drive.wheels("suspension", "jounce_speed")).max() < 1e-6
