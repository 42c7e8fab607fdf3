"""Magic Formula 5.2: shifts that change sides with the camber, negative loads, and the longitudinal shift."""

import math

import pytest
from row_rig import call, each_wheel, kernel_view

from driving_sandbox.physics.tire.mf52 import SHIFT_CAMBER, lateral_shifts, pure_lateral, pure_longitudinal
from driving_sandbox.physics.vehicle.swap import plan_swap, swapped_vehicle
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

LOAD = 3000.0  # N


def car(**values):
    """A vehicle with MF 5.2 tires without relaxation, with some shifts and other values."""
    vehicle = load_vehicle("track_roadster")
    if vehicle.sequence.by_slot["tire"].name != "mf_52":
        vehicle = swapped_vehicle(vehicle, plan_swap(vehicle, "tire", "mf_52"))
    shifts = {"phy1": 0.003, "phy2": 0.001, "pvy1": 0.04, "pvy2": 0.01, "phy3": 0.03, "pvy3": -0.3}
    vehicle.set_many(
        each_wheel("tire", **{**shifts, "relaxation_longitudinal": 0.0, "relaxation_lateral": 0.0, **values})
    )
    return vehicle


def tire(**values):
    """Parameters of the first wheel's tire of such a vehicle, in the form that kernels expect."""
    return kernel_view(car(**values).params["tire"][0])[0]


def test_shifts_of_the_wheel_stay_and_those_of_the_lean_change_sides():
    wheel, lean = (tire(shift_side=side) for side in ("wheel", "lean"))
    for camber in (SHIFT_CAMBER, 0.05):
        expected = lateral_shifts(wheel, camber, LOAD, 1.0)  # (S_hy in rad, S_vy in N) at a friction of 1
        assert lateral_shifts(lean, camber, LOAD, 1.0) == expected
        assert lateral_shifts(lean, -camber, LOAD, 1.0) == pytest.approx([-value for value in expected])
        assert lateral_shifts(wheel, -camber, LOAD, 1.0) != pytest.approx([-value for value in expected])
    assert lateral_shifts(lean, 0.0, LOAD, 1.0) == (0.0, 0.0)
    half = lateral_shifts(lean, 0.5 * SHIFT_CAMBER, LOAD, 1.0)
    assert half == pytest.approx([0.5 * value for value in lateral_shifts(lean, SHIFT_CAMBER, LOAD, 1.0)])


def test_a_set_whose_shifts_follow_the_lean_is_a_symmetric_tire():
    p = tire(shift_side="lean", pey3=0.0, pvy4=0.0)
    for angle, camber in ((0.02, 0.03), (0.1, -0.02), (-0.05, 0.05)):
        force = pure_lateral(p, angle, camber, LOAD, 1.0)
        assert pure_lateral(p, -angle, -camber, LOAD, 1.0) == pytest.approx(-force)


def test_slip_forces_change_sign_with_a_negative_load():
    """The coefficients make the forces proportional to load, so that load -F gives the opposite forces of load F."""
    linear = {"fz0": LOAD, "pky1": -10e3, "pky2": 1000.0, "pdx2": 0.0, "pdy2": 0.0, "pkx2": 0.0, "pkx3": 0.0,
              "pex2": 0.0, "pex3": 0.0, "pey2": 0.0, "phx2": 0.0, "phy2": 0.0, "pvx2": 0.0, "pvy2": 0.0, "pvy4": 0.0,
              "pex4": 0.0, "pey3": 0.0, "pey4": 0.0}  # fmt: skip
    vehicle, forces = car(**linear), []
    for load in (500.0, -500.0):
        state = vehicle.state["tire"][0]
        state["load"][:4], state["road_friction"][:4], state["camber"][:4] = load, 1.0, 0.02
        state["longitudinal_slip"][:4], state["lateral_slip"][:4] = 0.03, 0.05
        call(vehicle, "tire", "force")
        forces.append((float(state["longitudinal_force"][0]), float(state["lateral_force"][0])))
    positive, negative = forces  # by the sign of the load
    assert abs(positive[0]) > 100.0 and abs(positive[1]) > 100.0
    assert negative == pytest.approx([-force for force in positive], rel=1e-3)


@pytest.mark.parametrize("load", [3000.0, -800.0])
def test_a_longitudinal_shift_is_added_to_the_sine_or_to_its_argument(load):
    """The shift is 0.03 N per N of load, or 0.03 rad in the argument; the curve has no other shifts."""
    coefficients = {"pcx1": 1.6, "pdx1": 1.2, "pdx2": 0.0, "pdx3": 0.0, "pex1": 0.4, "pex2": 0.0, "pex3": 0.0,
           "pex4": 0.0, "pkx1": 22.0, "pkx2": 0.0, "pkx3": 0.0, "phx1": 0.0, "phx2": 0.0, "pvx2": 0.0}  # fmt: skip
    for slip in (-1.0, -0.03, 0.05):
        bx = 22.0 / (1.6 * 1.2) * slip  # B = K / (C D)
        argument = 1.6 * math.atan(bx - 0.4 * (bx - math.atan(bx)))  # of the sine
        outside = tire(**coefficients, pvx1=0.03)
        inside = tire(**coefficients, pvx1=0.03 / load, longitudinal_shift="sine")
        assert pure_longitudinal(outside, slip, 0.0, load, 1.0) == pytest.approx(
            load * (1.2 * math.sin(argument) + 0.03)
        )
        assert pure_longitudinal(inside, slip, 0.0, load, 1.0) == pytest.approx(load * 1.2 * math.sin(argument + 0.03))
