"""Compliance steer: angles from forces, their sum with those of the graphs, and their effects on a driving car."""

import math

import numpy as np
import pytest
from drive_rig import Drive
from row_rig import WHEELS, call, each_wheel, rolling, yaw_rate

from driving_sandbox.lab.acceleration import G
from driving_sandbox.lab.drivers.proportions import wheelbase
from driving_sandbox.physics.suspension.compliance_steer import MAX_ANGLE, RESPONSE_TIME
from driving_sandbox.physics.tick.commands import FIRST, NEUTRAL
from driving_sandbox.physics.vehicle.swap import plan_swap, swapped_vehicle
from driving_sandbox.physics.vehicle.usual import unusual
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

PER_KN = math.radians(1.0) / 1e3  # rad/N, of one degree per kN
PER_100_NM = math.radians(1.0) / 100.0  # rad/(N m), of one degree per 100 N m
FRONT, REAR = WHEELS[:2], WHEELS[2:]
TICKS = (1.0 / 240.0, 1.0 / 60.0)  # s, each of 4 substeps
COEFFICIENTS = ("lateral_force_steer", "longitudinal_force_steer", "aligning_moment_steer", "lateral_force_camber")


def with_bushes(name="roadster", **values):
    """A shipped car with bushes, which are rigid unless `values` say otherwise. Its toe does not change with jounce.

    The engine's angular momentum is left out, so that left and right bends are alike.
    """
    car = load_vehicle(name)
    if car.sequence.by_slot["body"].name == "gyrostat":
        car.set("body.crankshaft", (0.0, 0.0, 0.0))
    if car.sequence.by_slot["compliance"].name == "graphs":
        car = swapped_vehicle(car, plan_swap(car, "compliance", "graphs_and_bushes"))
    car.set_many({**each_wheel("compliance", toe=[], **dict.fromkeys(COEFFICIENTS, 0.0)), **values})
    return car


def settle(car, load=0.0):
    """Compliance state of the wheels after the bushes have settled under the tire forces in the state.

    load: vertical force on each tire, N.
    """
    car.state["tire"][0]["load"][:4] = load
    for _ in range(200):
        call(car, "compliance", dt=RESPONSE_TIME)
    return car.state["compliance"][0][:4]


@pytest.mark.parametrize("load", [0.0, 5e3])
@pytest.mark.parametrize("force", [1e3, -3500.0])
@pytest.mark.parametrize("coefficient", [-0.2 * PER_KN, 0.1 * PER_KN])
def test_a_side_force_steers_and_leans_by_its_coefficients_on_both_sides_alike(coefficient, force, load):
    car = with_bushes(
        **each_wheel("compliance", lateral_force_steer=coefficient, lateral_force_camber=abs(coefficient))
    )
    car.state["tire"][0]["lateral_force"][:4] = -force  # the force is positive to the left, the state to the right
    compliance = settle(car, load)
    assert compliance["compliance_steer"] == pytest.approx(coefficient * force, rel=1e-9)
    assert compliance["compliance_camber"] == pytest.approx(abs(coefficient) * force, rel=1e-9)


@pytest.mark.parametrize("force", [2e3, -4e3])
def test_a_longitudinal_force_turns_the_wheels_of_an_axle_in_or_out(force):
    c = 0.15 * PER_KN
    values = {**each_wheel("compliance", ("fr", "rr"), longitudinal_force_steer=c)}
    values |= each_wheel("compliance", ("fl", "rl"), longitudinal_force_steer=-c)
    car = with_bushes(**values)
    car.state["tire"][0]["longitudinal_force"][:4] = force
    assert settle(car)["compliance_steer"] == pytest.approx(c * force * np.array([-1, 1, -1, 1]), rel=1e-9)


def test_only_one_coefficient_changes_its_sign_on_the_other_side():
    fields = load_vehicle("roadster").sequence.by_slot["compliance"].params.fields | (
        with_bushes().sequence.by_slot["compliance"].params.fields
    )
    assert [fields[name].mirrored(1.0) for name in COEFFICIENTS] == [1.0, -1.0, 1.0, 1.0]


@pytest.mark.parametrize("moment", [40.0, -90.0])
@pytest.mark.parametrize("c", [0.4 * PER_100_NM, 1.2 * PER_100_NM])
def test_an_aligning_moment_steers_the_wheel_in_its_own_direction(c, moment):
    car = with_bushes(**each_wheel("compliance", aligning_moment_steer=c))
    normal = np.array([0.0, 0.6, 0.8])  # a hill: only the part about the road's normal counts
    car.state["road"][0]["normal"][:4] = normal
    car.state["tire"][0]["moment"][:4] = moment * normal + 70.0 * np.array([1.0, 0.0, 0.0])
    assert settle(car)["compliance_steer"] == pytest.approx(c * moment, rel=1e-9)


def test_compliance_steer_has_a_largest_angle():
    car = with_bushes(**each_wheel("compliance", lateral_force_steer=2.0 * PER_KN))
    car.state["tire"][0]["lateral_force"][:4] = [-30e3, 30e3, 0.0, 0.0]
    assert settle(car)["compliance_steer"] == pytest.approx([MAX_ANGLE, -MAX_ANGLE, 0.0, 0.0])


@pytest.mark.parametrize("share", [0.0, 0.25, 0.5, 0.9])
def test_toe_and_camber_are_those_of_the_graphs_plus_those_of_the_bushes(share):
    toe, camber = [[0.0, 0.01], [0.5, 0.002], [1.0, -0.012]], [[0.0, 0.02], [1.0, -0.05]]
    car = with_bushes(
        **each_wheel("compliance", FRONT, toe=toe, camber=camber, lateral_force_steer=-0.3 * PER_KN),
        **each_wheel("compliance", FRONT, lateral_force_camber=0.2 * PER_KN),
    )
    car.state["suspension"][0]["jounce"][:4] = share * car.params["suspension"][0]["travel"][:4]
    car.state["tire"][0]["lateral_force"][:4] = 2e3
    compliance = settle(car)
    expected = np.interp(share, [0.0, 0.5, 1.0], [0.01, 0.002, -0.012]) + 0.3 * PER_KN * 2e3
    assert compliance["toe"][:2] == pytest.approx(expected)
    assert compliance["camber"][:2] == pytest.approx(0.02 - 0.07 * share - 0.2 * PER_KN * 2e3)


def test_rigid_bushes_leave_body_tires_wheels_and_suspension_of_a_drive_bit_identical():
    ends = []
    for car in (load_vehicle("roadster_simple"), with_bushes("roadster_simple")):
        drive = (
            Drive(car)
            .run(1.0)
            .run(2.0, throttle=0.6, steer=0.4, gear=FIRST)
            .run(0.5, brake=0.7, steer=-0.2, gear=FIRST)
        )
        ends.append([drive.vehicle.state[slot].tobytes() for slot in ("body", "tire", "wheel", "suspension")])
    assert ends[0] == ends[1]


def in_a_bend(**values):
    """(understeer gradient, roll gradient of the body on its front springs) of the roadster, deg/g.

    The bend has about 0.25 g at 90 km/h. The roll of the springs is smaller than the body's, whose tires yield, too.
    """
    drive = rolling(Drive(with_bushes(**values)).run(2.0), 25.0).run(3.0, steer=-0.06)
    v, r = drive.speed, yaw_rate(drive)  # m/s, rad/s
    angle = drive.wheels("steering", "angle")[:2].mean() - wheelbase(drive.vehicle) * r / v
    jounce = drive.wheels("suspension", "jounce")[:2]
    roll = (jounce[0] - jounce[1]) / (2.0 * float(drive.vehicle.get("suspension.fr.attachment")[0]))
    return math.degrees(angle) / (v * r / G), math.degrees(roll) / (v * r / G)


def gradient(**values):
    """Understeer gradient, deg/g."""
    return in_a_bend(**values)[0]


@pytest.fixture(scope="module")
def rigid():
    """Understeer gradient with rigid bushes, deg/g."""
    return gradient()


def axle_load(car, wheels):
    """Static load on some wheels, N."""
    return float(car.params["suspension"][0]["supported_mass"][wheels].sum()) * G


@pytest.mark.parametrize(("axle", "wheels", "sign"), [(FRONT, [0, 1], -1.0), (REAR, [2, 3], 1.0)])
@pytest.mark.parametrize("c", [0.1, 0.3])
def test_the_understeer_gradient_rises_by_half_the_axle_load_times_the_coefficient(rigid, axle, wheels, sign, c):
    """The coefficient is negative in front and positive at the rear, and c is its magnitude in degrees per kN."""
    expected = c * 0.5 * axle_load(load_vehicle("roadster"), wheels) / 1e3
    change = gradient(**each_wheel("compliance", axle, lateral_force_steer=sign * c * PER_KN)) - rigid
    # the change is larger than expected: the outer wheel carries more of the force and has more of the stiffness
    assert change == pytest.approx(expected, rel=0.12)


@pytest.mark.parametrize(("axle", "sign"), [(FRONT, 1.0), (REAR, -1.0)])
def test_an_aligning_moment_understeers_in_front_and_oversteers_at_the_rear(rigid, axle, sign):
    small, large = (sign * (gradient(**each_wheel("compliance", axle, aligning_moment_steer=c * PER_100_NM)) - rigid)
                    for c in (0.3, 0.9))  # fmt: skip
    assert 0.05 < small < 0.3
    assert large == pytest.approx(3.0 * small, rel=0.1)


@pytest.mark.parametrize("slope", [0.1, 0.25])
def test_a_toe_change_with_jounce_steers_with_roll(rigid, slope):
    """Front wheels that toe out in jounce by `slope` rad/m add slope times roll times half the track to understeer."""
    car = load_vehicle("roadster")
    travel = car.get("suspension.fr.travel")
    toe_out = [[0.0, 0.5 * slope * travel], [1.0, -0.5 * slope * travel]]
    toe_in = [[x, -y] for x, y in toe_out]
    values = {"compliance.fr.toe": toe_out, "compliance.fl.toe": toe_in}
    understeer, roll = in_a_bend(**values)
    expected = abs(roll) * float(car.get("suspension.fr.attachment")[0]) * slope
    assert understeer - rigid == pytest.approx(expected, rel=0.12)


def test_left_and_right_bends_are_mirror_images():
    values = each_wheel("compliance", lateral_force_steer=-0.2 * PER_KN, lateral_force_camber=0.2 * PER_KN,
                   aligning_moment_steer=0.8 * PER_100_NM)  # fmt: skip
    values |= each_wheel("compliance", ("fr", "rr"), longitudinal_force_steer=0.1 * PER_KN)
    values |= each_wheel("compliance", ("fl", "rl"), longitudinal_force_steer=-0.1 * PER_KN)
    ends = []
    for side in (1.0, -1.0):
        drive = rolling(Drive(with_bushes(**values)).run(2.0), 20.0)
        drive.run(1.5, steer=0.25 * side).run(0.5, steer=0.25 * side, brake=0.3)
        order = [0, 1, 2, 3] if side > 0.0 else [1, 0, 3, 2]
        ends.append((side * drive.wheels("compliance", "toe")[order], side * yaw_rate(drive), drive.speed))
    assert abs(ends[0][0]).max() > 0.002
    for left, right in zip(*ends, strict=True):
        assert left == pytest.approx(right, rel=1e-6, abs=1e-9)


LARGEST_ALLOWED = {"lateral_force_steer": -4e-5, "aligning_moment_steer": 1e-3}  # coefficients: rad/N, rad/(N m)


@pytest.mark.parametrize("name", ["roadster", "hatchback"])
@pytest.mark.parametrize("tick", TICKS)
@pytest.mark.parametrize("share", [0.25, 1.0])
def test_the_softest_bushes_do_not_swing_from_substep_to_substep(name, tick, share):
    """At 200 km/h after a steering step, with a quarter or all of the LARGEST_ALLOWED coefficients, the compliance
    steer angle settles: its second differences in the last second stay small relative to the angle."""
    values = each_wheel("compliance", FRONT, **{key: share * value for key, value in LARGEST_ALLOWED.items()})
    drive = rolling(Drive(with_bushes(name, **values), tick=tick).run(2.0, gear=NEUTRAL), 200.0 / 3.6)
    drive.run(1.0, gear=NEUTRAL)
    angles = drive.log(
        2.0, lambda d: d.wheels("compliance", "compliance_steer")[0], every=tick, steer=-0.5, gear=NEUTRAL
    )
    late = angles[len(angles) // 2 :]
    assert abs(angles).max() > 0.003
    assert abs(np.diff(late, 2)).max() < 2e-4 * abs(angles).max() * (240.0 * tick) ** 2


def test_a_car_on_bushes_runs_straight():
    values = each_wheel("compliance", lateral_force_steer=-0.2 * PER_KN, aligning_moment_steer=1.0 * PER_100_NM)
    drive = rolling(Drive(with_bushes(**values)).run(2.0), 55.0).run(10.0)
    assert drive.position[1] > 400.0 and abs(drive.position[0]) < 1e-3


@pytest.mark.parametrize(("value", "is_unusual"), [(-0.3 * PER_KN, False), (-1.0 * PER_KN, True)])
def test_an_unusual_coefficient_is_reported(value, is_unusual):
    car = with_bushes(**each_wheel("compliance", FRONT, lateral_force_steer=value))
    reported = [str(finding) for finding in unusual(car) if "lateral_force_steer" in finding.path]
    assert bool(reported) == is_unusual
    assert not is_unusual or "usually" in reported[0]
