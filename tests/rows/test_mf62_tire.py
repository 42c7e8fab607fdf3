"""Tires of Magic Formula 6.2 on a car: relaxation, standstill, moments, sizes and factors.

The parameter `plain` is 1 for symmetric sets of coefficients, which mf62_plain.py evaluates for all wheels at once, and
0 for other sets, which mf62.py evaluates tire by tire.
"""

import math

import numpy as np
import pytest
from drive_rig import Drive, slope_ground
from row_rig import call, each_wheel
from test_mf62 import LOAD, TOURING

from driving_sandbox.physics.schema.schema import SchemaError
from driving_sandbox.physics.tick.commands import AUTOMATIC
from driving_sandbox.physics.tire.mf62_evaluate import evaluate
from driving_sandbox.physics.vehicle.swap import inverse_swap, plan_swap, swapped_vehicle
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle


def car(**values):
    """The roadster on touring tires of 205/55 R 16, with other values."""
    vehicle = load_vehicle("roadster")
    size = {"section_width": 0.205, "aspect_ratio": 0.55, "rim_radius": 0.2032, "load_index": 91.0}
    vehicle.set_many(each_wheel("tire", **{**size, "tire_class": "touring", **values}))
    return vehicle


def step(vehicle, dt, **state):
    """State of the first tire after one step of all tires.

    dt: time step, s.
    state: fields that are set before the step.
    """
    t = vehicle.state["tire"][0]
    for key, value in {"load": LOAD, "road_friction": 1.0, **state}.items():
        t[key][:4] = value
    call(vehicle, "tire", "force", dt=dt)
    return t[0]


def test_side_force_builds_up_over_the_relaxation_length():
    vehicle, speed, dt = car(), 10.0, 1e-4
    sigma = float(evaluate(TOURING, LOAD)["sigma_y"])
    angle = math.radians(0.5)
    state = {"longitudinal_speed": speed, "lateral_speed": -speed * math.tan(angle)}
    vehicle.state["wheel"]["omega"][0, :4] = speed / vehicle.get("wheel.fl.radius")
    forces = [float(step(vehicle, dt, **state)["lateral_force"]) for _ in range(4000)]
    assert forces[-1] == pytest.approx(float(evaluate(TOURING, LOAD, angle=-angle)["fy"]), rel=1e-3)
    distance = speed * dt * (1 + int(np.argmax(np.array(forces) > (1.0 - math.exp(-1.0)) * forces[-1])))
    assert distance == pytest.approx(sigma, rel=0.01)


@pytest.mark.parametrize("speed", [5.0, 20.0])
@pytest.mark.parametrize("plain", [1, 0])
def test_the_camber_force_builds_up_over_the_relaxation_length(plain, speed):
    """At rest the force is zero, whatever the camber; after some relaxation lengths it is the formula's."""
    vehicle, dt, camber = car(), 1e-4, 0.1
    vehicle.params["tire"]["plain"][0, :4] = plain
    vehicle.state["wheel"]["omega"][0, :4] = 0.0
    vehicle.scratch["tire"]["g"][0, :4] = math.sin(camber)  # g: sine of the camber, as in the formula
    for _ in range(100):
        at_rest = step(vehicle, dt, longitudinal_speed=0.0, lateral_speed=0.0, camber=camber)
    assert at_rest["lateral_force"] == 0.0
    vehicle.state["wheel"]["omega"][0, :4] = speed / vehicle.get("wheel.fl.radius")
    forces = [float(step(vehicle, dt, longitudinal_speed=speed, lateral_speed=0.0)["lateral_force"])
              for _ in range(round(4.0 / (speed * dt)))]  # fmt: skip
    expected = evaluate(TOURING, LOAD, camber=camber)
    assert forces[-1] == pytest.approx(float(expected["fy"]), rel=0.01) and abs(forces[-1]) > 200.0
    distance = speed * dt * (1 + int(np.argmax(np.abs(forces) > (1.0 - math.exp(-1.0)) * abs(forces[-1]))))
    assert distance == pytest.approx(float(expected["sigma_y"]), rel=0.03)


@pytest.mark.parametrize("friction", [1.0, 0.3])
def test_a_sliding_tread_stores_no_energy(friction):
    """A tire that has slid 0.5 m sideways and is then pushed back keeps its force direction only until its carcass has
    sprung back by the deflection of the largest force."""
    vehicle, dt, speed = car(), 1e-3, 0.1
    vehicle.state["wheel"]["omega"][0, :4] = 0.0
    state = {"longitudinal_speed": 0.0, "road_friction": friction}
    for _ in range(5000):
        tire_state = step(vehicle, dt, lateral_speed=speed, **state)
    peak, sigma = float(vehicle.params["tire"]["peak_tangent"][0, 0]), float(evaluate(TOURING, LOAD)["sigma_y"])
    limit, sliding = friction * peak * sigma, -float(tire_state["lateral_force"])
    assert tire_state["lateral_deflection"] == pytest.approx(-limit, rel=0.01)
    forces = [float(step(vehicle, dt, lateral_speed=-speed, **state)["lateral_force"]) for _ in range(5000)]
    assert forces[-1] == pytest.approx(sliding, rel=1e-3) and 0.6 * friction * LOAD < sliding < friction * LOAD
    assert speed * dt * int(np.argmax(np.array(forces) > 0.0)) == pytest.approx(limit, rel=0.15)


def test_a_locked_wheel_on_a_slope_deflects_and_stands():
    """On a slope of 20 % the carcass deflects by 1.5 to 3 mm. Then the wheel creeps by less than 1 nm a minute, with
    either time step."""
    for dt in (1.0 / 960.0, 1.0 / 240.0):
        vehicle = car()
        vehicle.state["wheel"]["omega"][0, :4] = 0.0
        mass = float(vehicle.params["suspension"]["supported_mass"][0, 0])
        load, pull = mass * 9.81 * math.cos(math.atan(0.2)), mass * 9.81 * math.sin(math.atan(0.2))
        slips, speed, travelled = np.linspace(0.0, 0.05, 5001), 0.0, 0.0
        curve = evaluate(TOURING, load, slip=slips)
        deflection = float(np.interp(pull, curve["fx"], slips) * curve["sigma_x"][0])  # m
        for _ in range(int(12.0 / dt)):
            force = float(step(vehicle, dt, load=load, longitudinal_speed=speed)["longitudinal_force"])
            speed += dt * (force + pull) / mass
            travelled += dt * speed
        before = travelled
        for _ in range(int(2.0 / dt)):
            force = float(step(vehicle, dt, load=load, longitudinal_speed=speed)["longitudinal_force"])
            speed += dt * (force + pull) / mass
            travelled += dt * speed
        assert 0.0015 < deflection < 0.003 and deflection < travelled < 1.2 * deflection
        assert abs(travelled - before) * 30.0 < 1e-9  # m in a minute, by the creep in 2 s


def test_the_moment_on_the_body_consists_of_overturning_and_aligning_moment():
    vehicle = car()
    t = vehicle.state["tire"][0]
    t["longitudinal"][:4], vehicle.state["road"]["normal"][0, :4] = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    vehicle.state["wheel"]["omega"][0, :4] = 10.0 / vehicle.get("wheel.fl.radius")
    for _ in range(2000):
        tire_state = step(
            vehicle, 1e-3, longitudinal_speed=10.0, lateral_speed=-10.0 * math.tan(math.radians(2.0)), camber=0.05
        )
    assert tire_state["aligning_moment"] < -30.0 and abs(tire_state["overturning_moment"]) > 5.0
    assert tire_state["moment"] == pytest.approx(
        (0.0, tire_state["overturning_moment"], -tire_state["aligning_moment"])
    )
    back = step(vehicle, 1e-3, longitudinal_speed=-10.0)
    assert back["aligning_moment"] > 0.0 and back["trail"] < 0.0  # when rolling back, the trail is on the other side


def test_the_set_of_one_side_is_mirrored_on_the_other():
    # shifts PHY1 and PVY1 make the set asymmetric
    c = {"PHY1": 0.004, "PVY1": 0.02, "FNOMIN": 4000.0, "UNLOADED_RADIUS": 0.3, "PKY1": 18.0}
    vehicle = car(coefficients=c, measured_on="left")
    vehicle.state["wheel"]["omega"][0, :4] = 20.0 / vehicle.get("wheel.fl.radius")
    step(vehicle, 1e-3, longitudinal_speed=20.0, lateral_speed=0.0)
    left, right = vehicle.state["tire"]["lateral_force"][0, :2]
    assert left == -right and abs(left) > 50.0


def test_factors_and_classes_act_at_once():
    vehicle = car()
    base = {key: float(vehicle.params["tire"]["c"][key][0, 0]) for key in ("pdy1", "pkx1", "qdz1", "lateral_stiffness")}
    vehicle.set_many(
        each_wheel("tire", lateral_grip=0.9, slip_stiffness_factor=1.2, trail_factor=2.0, relaxation_factor=1.5)
    )
    c = vehicle.params["tire"]["c"][0, 0]
    assert [c["pdy1"] / base["pdy1"], c["pkx1"] / base["pkx1"], c["qdz1"] / base["qdz1"]] == pytest.approx(
        [0.9, 1.2, 2.0]
    )
    assert c["lateral_stiffness"] / base["lateral_stiffness"] == pytest.approx(1.0 / 1.5)
    vehicle.set_many(each_wheel("tire", lateral_grip=1.0, tire_class="slick"))
    assert vehicle.params["tire"]["c"]["pdy1"][0, 0] == pytest.approx(1.55)


def test_a_tire_without_size_has_the_wheels_radius_and_a_nominal_load_of_the_weight_on_it():
    vehicle = car(section_width=0.0, aspect_ratio=0.0, rim_radius=0.0, load_index=0.0)
    p = vehicle.params["tire"][0, 0]
    assert p["c"]["unloaded_radius"] == pytest.approx(vehicle.get("wheel.fl.radius"))
    assert p["c"]["fnomin"] == pytest.approx(p["nominal_load"], rel=1e-6)


def test_a_car_parked_on_a_slope_stands():
    """With the handbrake on a slope of 20 % it moves in the second 30 s no more than by the rounding of 28,800
    substeps."""
    drive = Drive(car(), slope_ground(math.degrees(math.atan(0.2))))
    drive.run(30.0, handbrake=1.0)
    before = drive.vehicle.state["body"]["position"][0].copy()
    drive.run(30.0, handbrake=1.0)
    assert np.linalg.norm(drive.vehicle.state["body"]["position"][0] - before) < 28_800 * np.finfo(float).eps


@pytest.mark.parametrize("side", ["both", "left", "right"])
def test_plain_sets_give_equal_forces_by_both_modules(side):
    """mf62_plain.py equals mf62.py within 1e-9 for random states of four tires, the last one sometimes without load,
    at a pressure of 2.5 bar and with a grip factor of 0.9."""
    vehicle = car(pressure=250e3, lateral_grip=0.9, measured_on=side)
    rng, p, t = np.random.default_rng(1), vehicle.params["tire"][0], vehicle.state["tire"][0]
    assert p["plain"][:4].all()
    for _ in range(100):
        for key, low, high in (
            ("load", 300.0, 9000.0), ("road_friction", 0.2, 1.1), ("camber", -0.1, 0.1), ("lateral_speed", -3.0, 3.0),
            ("longitudinal_speed", -0.5, 30.0), ("longitudinal_deflection", -0.03, 0.03),
            ("lateral_deflection", -0.05, 0.05), ("transient_camber", -0.1, 0.1),
        ):  # fmt: skip
            t[key][:4] = rng.uniform(low, high, 4)
        t["load"][3] *= float(rng.uniform() < 0.8)
        t["sticky_lateral"][:4] = rng.uniform(size=4) < 0.1
        vehicle.state["wheel"]["omega"][0, :4] = rng.uniform(0.0, 100.0, 4)
        vehicle.scratch["tire"]["g"][0, :4] = np.sin(t["camber"][:4])
        before, results = vehicle.snapshot(), []
        for plain in (1, 0):
            vehicle.restore(before)
            p["plain"][:4] = plain
            call(vehicle, "tire", "force")
            results.append(t[:4].copy())
        p["plain"][:4] = 1
        for key in ("longitudinal_force", "lateral_force", "aligning_moment", "overturning_moment", "wheel_torque"):
            assert results[0][key] == pytest.approx(results[1][key], rel=1e-9, abs=1e-6), key
        for key in ("trail", "longitudinal_deflection", "lateral_deflection", "transient_camber"):
            assert results[0][key] == pytest.approx(results[1][key], rel=1e-9, abs=1e-10), key


@pytest.mark.parametrize("plain", [1, 0])
@pytest.mark.parametrize("zero_field", ["load", "road_friction"])
def test_a_tire_that_lands_has_an_undeflected_carcass(plain, zero_field):
    """While a wheel has no load or no friction its spin deflects nothing; then deflection starts from zero."""
    vehicle = car()
    vehicle.params["tire"]["plain"][0, :4] = plain
    vehicle.state["wheel"]["omega"][0, :4] = 60.0
    moving = {"longitudinal_speed": 10.0, "lateral_speed": 2.0}
    tire_state = step(vehicle, 1e-3, **moving, **{zero_field: 0.0})
    assert [tire_state["longitudinal_deflection"], tire_state["lateral_deflection"]] == [0.0, 0.0]
    first = step(vehicle, 1e-3, **moving)
    rim = 60.0 * vehicle.get("wheel.fl.radius")
    assert first["longitudinal_deflection"] == pytest.approx(1e-3 * (rim - 10.0), rel=0.05)


@pytest.mark.parametrize("shifts", [{}, {"PVY1": 0.02, "PHY1": 0.004}])
@pytest.mark.parametrize("side", ["left", "right"])
def test_the_set_of_one_side_steers_as_its_mirror_image_on_the_other(shifts, side):
    """This holds for symmetric sets, which mf62_plain.py evaluates, and for sets with ply steer and conicity (mf62.py).

    The tires of the measured side have the forces of the set, those of the other side the mirrored ones.
    """
    vehicle, angle = car(coefficients=shifts, measured_on=side), math.radians(2.0)
    assert bool(vehicle.params["tire"]["plain"][0, 0]) == (not shifts)
    c = {**TOURING, **{name.lower(): value for name, value in shifts.items()}}
    vehicle.state["wheel"]["omega"][0, :4] = 20.0 / vehicle.get("wheel.fl.radius")
    for _ in range(1000):
        step(vehicle, 1e-3, longitudinal_speed=20.0, lateral_speed=20.0 * math.tan(angle))
    forces = dict(zip(("left", "right"), vehicle.state["tire"]["lateral_force"][0, :2].tolist(), strict=True))
    other = "right" if side == "left" else "left"
    assert forces[side] == pytest.approx(float(evaluate(c, LOAD, angle=angle)["fy"]), rel=1e-6)
    assert forces[other] == pytest.approx(-float(evaluate(c, LOAD, angle=-angle)["fy"]), rel=1e-6)


@pytest.mark.parametrize("choice", ["combined_slip", "legacy", "coulomb"])
def test_a_swap_to_a_tire_without_moments_leaves_none_on_the_body(choice):
    """The tires are swapped in a bend; 4 s later the car does not yaw any more."""
    plain = load_vehicle("roadster_simple")
    drive = Drive(swapped_vehicle(plain, plan_swap(plain, "tire", "mf_62")))
    drive.run(4.0, throttle=0.5, gear=AUTOMATIC)
    drive.run(1.0, steer=0.4, gear=AUTOMATIC)
    assert abs(drive.vehicle.state["tire"]["moment"][0, :4, 2]).min() > 1.0
    if choice != "combined_slip":
        plain = swapped_vehicle(plain, plan_swap(plain, "tire", choice))
    drive = Drive(swapped_vehicle(drive.vehicle, inverse_swap(plain, "tire")))
    drive.run(4.0)
    assert not drive.vehicle.state["tire"]["moment"].any()
    assert abs(drive.body("angular_velocity")[2]) < 1e-4


def test_a_size_that_does_not_fit_the_wheel_is_refused():
    for size in ({"rim_radius": 0.254, "section_width": 0.265}, {"rim_radius": 0.1}):
        with pytest.raises(SchemaError, match="a tire of this size fits wheels with a radius of"):
            car(**size)
    assert car(coefficients={"FNOMIN": 4000.0, "UNLOADED_RADIUS": 0.5})  # a measured set makes forces on any wheel


@pytest.mark.parametrize("pressure, fits", [(150e3, True), (500e3, True), (1500e3, False), (2000e3, False)])
def test_a_pressure_at_which_a_stiffness_would_vanish_is_refused(pressure, fits):
    """At nine times the nominal pressure the slip stiffness would be negative, and forces infinite."""
    if fits:
        assert car(pressure=pressure).get("tire.fl.pressure") == pressure
        return
    with pytest.raises(SchemaError, match="pressure: .* is too far from the nominal"):
        car(pressure=pressure)


def test_road_friction_is_relative_to_that_of_the_tire_type_on_dry_asphalt():
    for kind, friction in (("street", 0.95), ("sport", 1.1), ("offroad", 0.8)):
        assert car(tire_type=kind).params["tire"]["per_dry_friction"][0, 0] == pytest.approx(1.0 / friction)


def test_a_sliding_tire_uses_all_of_its_friction():
    """Beyond the peak slip the friction coefficient in the state falls with the force; below it is the peak's."""
    vehicle = car()
    for degrees, share in ((3.0, None), (30.0, 1.0)):
        for _ in range(1000):
            vehicle.state["tire"]["friction"][0, :4] = 1.0
            vehicle.state["tire"]["lateral_slip"][0, :4] = math.radians(degrees)
            vehicle.state["wheel"]["omega"][0, :4] = 10.0 / vehicle.get("wheel.fl.radius")
            tire_state = step(
                vehicle, 1e-3, longitudinal_speed=10.0, lateral_speed=10.0 * math.tan(math.radians(degrees))
            )
        used = abs(tire_state["lateral_force"]) / (tire_state["friction"] * tire_state["load"])
        if share is None:
            assert tire_state["friction"] == 1.0
        else:
            assert used == pytest.approx(share)
