"""Air forces of a road car by coefficients: an independent evaluation, signs, axle lift, energy, estimates."""

import math
from functools import partial

import numpy as np
import pytest
from drive_rig import Drive
from row_rig import call, each_wheel, rolling

from driving_sandbox.physics.aero.road_car import MAX_RAKE
from driving_sandbox.physics.estimate.bodywork import FRONTAL_AREA_SHARE, SIDE_FORCE_SHARE
from driving_sandbox.physics.maths.quat import rotate
from driving_sandbox.physics.vehicle.swap import plan_swap, swapped_vehicle
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle, load_vehicle_text, vehicle_text

CAR = "hatchback"
DENSITY = 1.204  # kg/m^3
# values of all cars here, unless others are given; m^2, m
GIVEN = {"frontal_area": 2.2, "side_force_height": 0.6, "drag_coefficient": 0.3, "front_lift_coefficient": 0.05,
         "rear_lift_coefficient": 0.1}  # fmt: skip
LIFTLESS = {"front_lift_coefficient": 0.0, "rear_lift_coefficient": 0.0, "front_lift_over_rake": 0.0,
            "rear_lift_over_rake": 0.0}  # fmt: skip


def road_car(name=CAR, **values):
    """A shipped car with the component road_car and aero values."""
    vehicle = load_vehicle(name)
    vehicle = swapped_vehicle(vehicle, plan_swap(vehicle, "aero", "road_car"))
    vehicle.set_many({f"aero.{key}": value for key, value in {**GIVEN, **values}.items()})
    return vehicle


def air_forces(vehicle, velocity, wind=(0.0, 0.0, 0.0), pitch=0.0):
    """(force, N; torque, N m) of the air on a car above a level road, in world axes.

    velocity, wind: m/s.
    pitch: rad, positive with the nose up.
    """
    vehicle.put((0.0, 0.0, 0.0), (math.sin(0.5 * pitch), 0.0, 0.0, math.cos(0.5 * pitch)), velocity)
    road = vehicle.state["road"][0]
    road["hit"][: vehicle.wheel_count] = 1
    road["normal"][: vehicle.wheel_count] = (0.0, 0.0, 1.0)
    vehicle.context["wind"][0] = wind
    call(vehicle, "aero")
    state = vehicle.state["aero"][0]
    return np.array(state["force"]), np.array(state["torque"])


def forces_by_equations(vehicle, velocity):
    """(force, N; torque, N m) on a level body in still air, by the equations in yaw angle and coefficients."""
    p = {key.removeprefix("aero."): value for key, value in vehicle.values().items() if key.startswith("aero.")}
    axles = vehicle.params["suspension"]["attachment"][0, : vehicle.wheel_count, 1]
    wheelbase, centre = axles.max() - axles.min(), np.array(vehicle.get("body.centre_of_mass"))
    beta, speed = math.atan2(-velocity[0], velocity[1]), math.hypot(*velocity[:2])
    qa = 0.5 * DENSITY * speed**2 * p["frontal_area"]
    drag = qa * (p["drag_coefficient"] + p["drag_over_yaw"] * math.sin(beta) ** 2) * math.cos(beta)
    side = qa * p["side_force_slope"] * math.sin(beta)
    yaw = -qa * wheelbase * 0.5 * p["yaw_moment_slope"] * math.sin(2.0 * beta)
    lifts = [qa * p[f"{axle}_lift_coefficient"] * math.cos(beta) ** 2 for axle in ("front", "rear")]
    force, torque = np.zeros(3), np.array([0.0, 0.0, yaw])
    for push, at in (
        ((0.0, -drag, 0.0), (0.0, 0.5 * (axles.max() + axles.min()), 0.0)),
        ((side, 0.0, 0.0), (0.0, 0.5 * (axles.max() + axles.min()), p["side_force_height"])),
        ((0.0, 0.0, lifts[0]), (0.0, axles.max(), 0.0)), ((0.0, 0.0, lifts[1]), (0.0, axles.min(), 0.0)),
    ):  # fmt: skip
        force, torque = force + push, torque + np.cross(np.array(at) - centre, push)
    return force, torque


VELOCITIES = [(0.0, 30.0, 0.0), (-8.0, 25.0, 0.0), (12.0, 0.5, 0.0), (3.0, -9.0, 0.0), (20.0, 20.0, 0.0)]
# a value for each parameter that differs from that of the car
OTHER = {"frontal_area": 3.1, "drag_coefficient": 0.42, "drag_over_yaw": 1.5, "front_lift_coefficient": -0.4,
         "rear_lift_coefficient": 0.25, "side_force_slope": 3.3, "yaw_moment_slope": -0.2,
         "side_force_height": 0.9}  # fmt: skip


@pytest.mark.parametrize("key", [None, *OTHER])
def test_forces_are_those_of_the_equations(key):
    vehicle = road_car(**({key: OTHER[key]} if key else {}))
    for velocity in VELOCITIES:
        for actual, expected in zip(air_forces(vehicle, velocity), forces_by_equations(vehicle, velocity), strict=True):
            assert actual == pytest.approx(expected, rel=1e-9, abs=1e-6)


@pytest.mark.parametrize("key", OTHER)
def test_every_parameter_changes_force_or_torque(key):
    velocity = (-8.0, 25.0, 0.0)
    first, other = (np.concatenate(air_forces(road_car(**v), velocity)) for v in ({}, {key: OTHER[key]}))
    assert np.abs(first - other).max() > 1.0


@pytest.mark.parametrize(("area", "coefficient"), [(2.2, 0.3), (1.8, 0.55)])
@pytest.mark.parametrize("wind", [-12.0, 0.0, 9.0])
def test_drag_follows_the_speed_relative_to_the_air(area, coefficient, wind):
    vehicle = road_car(frontal_area=area, drag_coefficient=coefficient, **LIFTLESS)
    force, torque = air_forces(vehicle, (0.0, 25.0, 0.0), (0.0, wind, 0.0))
    drag = 0.5 * DENSITY * area * coefficient * (25.0 - wind) ** 2
    assert force == pytest.approx([0.0, -drag, 0.0])
    assert vehicle.read("aero.airspeed") == pytest.approx(25.0 - wind) and vehicle.read("aero.yaw_angle") == 0.0
    assert torque[0] == pytest.approx(-drag * vehicle.get("body.centre_of_mass")[2])  # drag at the ground


@pytest.mark.parametrize("growth", [0.0, 1.2])
def test_drag_grows_with_the_yaw_angle(growth):
    vehicle = road_car(drag_over_yaw=growth)
    ahead = air_forces(vehicle, (0.0, 30.0, 0.0))[0][1]
    beta = math.radians(20.0)
    yawed = air_forces(vehicle, (-30.0 * math.sin(beta), 30.0 * math.cos(beta), 0.0))[0][1]
    assert vehicle.read("aero.yaw_angle") == pytest.approx(beta) and vehicle.read("aero.airspeed") == pytest.approx(30)
    # 0.3: drag coefficient of the car
    assert yawed / ahead == pytest.approx((1.0 + growth / 0.3 * math.sin(beta) ** 2) * math.cos(beta))


@pytest.mark.parametrize(("side", "yaw"), [(2.2, 0.45), (3.5, 0.9)])
@pytest.mark.parametrize("wind", [10.0, -10.0])
def test_air_from_the_left_pushes_right_and_turns_the_nose_right(side, yaw, wind):
    """ISO 8855: lateral force positive to the left, yaw moment about the axis that points up, positive to the left."""
    vehicle = road_car(side_force_slope=side, yaw_moment_slope=yaw, **LIFTLESS)
    centre, axles = vehicle.get("body.centre_of_mass"), vehicle.params["suspension"]["attachment"][0, :4, 1]
    force, torque = air_forces(vehicle, (0.0, 30.0, 0.0), (wind, 0.0, 0.0))
    speed = math.hypot(30.0, wind)
    expected = 0.5 * DENSITY * 2.2 * side * speed * wind
    assert force[0] == pytest.approx(expected) and force[0] * wind > 0.0
    assert vehicle.read("aero.yaw_angle") == pytest.approx(math.atan2(wind, 30.0))  # positive from the left
    middle = 0.5 * (axles.max() + axles.min())
    moment = -0.5 * DENSITY * 2.2 * np.ptp(axles) * yaw * wind * 30.0
    about_middle = torque[2] + force[0] * (middle - centre[1])
    assert about_middle == pytest.approx(moment) and about_middle * wind < 0.0
    assert torque[1] == pytest.approx((0.6 - centre[2]) * force[0])  # roll: positive with the right side down


def test_a_car_turns_downwind_and_leaves_its_lane():
    def drift(wind, **values):
        """(x in m, heading in rad to the left) after 2 s at 30 m/s in a side wind from the left, m/s."""
        drive = Drive(road_car(**values)).run(2.0)
        drive.world.parameters.set_many({"world.wind": [wind, 0.0, 0.0]})
        rolling(drive, 30.0).run(2.0)
        ahead = rotate(tuple(drive.body("orientation").tolist()), (0.0, 1.0, 0.0))
        return drive.body("position")[0], math.atan2(-ahead[0], ahead[1])

    (left, left_yaw), (right, right_yaw) = drift(-10.0), drift(10.0)
    assert right > 0.3 and left < -0.3 and right_yaw < 0.0 < left_yaw
    assert drift(10.0, yaw_moment_slope=0.9)[1] < right_yaw


@pytest.mark.parametrize(("front", "rear"), [(0.2, 0.1), (-0.3, 0.25), (0.05, -0.6)])
def test_a_storm_changes_the_axle_loads_of_a_parked_car_by_the_axle_lifts(front, rear):
    """Drag and tire forces both act at the ground, so that they do not transfer load."""
    still = road_car(front_lift_coefficient=front, rear_lift_coefficient=rear, front_lift_over_rake=0.0,
                     rear_lift_over_rake=0.0)  # fmt: skip
    drive = Drive(still).run(3.0, brake=1.0, handbrake=1.0)
    before = drive.wheels("tire", "load").copy()
    drive.world.context["wind"][0] = (0.0, -40.0, 0.0)
    change = drive.run(3.0, brake=1.0, handbrake=1.0).wheels("tire", "load") - before
    qa = 0.5 * DENSITY * 40.0**2 * 2.2
    assert drive.vehicle.read("aero.front_lift") == pytest.approx(qa * front, rel=1e-3)
    assert change[:2].sum() == pytest.approx(-qa * front, abs=0.02 * qa)
    assert change[2:].sum() == pytest.approx(-qa * rear, abs=0.02 * qa)


@pytest.mark.parametrize(("front", "rear"), [(-1.7, -0.6), (-4.0, 1.0)])
@pytest.mark.parametrize("degrees", [-2.0, 1.0])
def test_lift_follows_the_rake(front, rear, degrees):
    vehicle = road_car(front_lift_over_rake=front, rear_lift_over_rake=rear)
    act = partial(air_forces, vehicle, (0.0, 30.0, 0.0))
    act()
    before = np.array([vehicle.read(f"aero.{axle}_lift") for axle in ("front", "rear")])
    act(pitch=math.radians(degrees))
    after = np.array([vehicle.read(f"aero.{axle}_lift") for axle in ("front", "rear")])
    rake = -math.sin(math.radians(degrees))  # positive with the nose down
    assert vehicle.read("aero.rake") == pytest.approx(rake)
    pressure_area = 0.5 * DENSITY * 2.2 * (30.0 * math.cos(math.radians(degrees))) ** 2
    coefficients = np.array([0.05, 0.1])  # lift of the car's axles without rake
    assert after == pytest.approx(pressure_area * (coefficients + np.array([front, rear]) * rake))
    assert (after[0] > before[0]) == (degrees > 0.0)  # nose up: more lift at the front


def test_rake_is_relative_to_the_road_and_limited():
    vehicle = road_car()
    air_forces(vehicle, (0.0, 30.0, 0.0), pitch=math.radians(30.0))
    assert vehicle.read("aero.rake") == -MAX_RAKE
    climb = math.radians(4.0)
    vehicle.put((0.0, 0.0, 0.0), (math.sin(0.5 * climb), 0.0, 0.0, math.cos(0.5 * climb)))
    road = vehicle.state["road"][0]
    road["hit"][:2], road["normal"][:2] = 1, (0.0, -math.sin(climb), math.cos(climb))  # a hill as steep as the car
    call(vehicle, "aero")
    assert vehicle.read("aero.rake") == pytest.approx(0.0, abs=1e-12)
    road["hit"][:2] = 0
    call(vehicle, "aero")
    assert vehicle.read("aero.rake") == 0.0


def test_braking_increases_the_rake():
    drive = rolling(Drive(road_car()).run(2.0), 40.0).run(0.5)
    level = drive.vehicle.read("aero.rake")
    assert drive.run(0.7, brake=0.8).vehicle.read("aero.rake") > level + math.radians(0.3)


def test_air_takes_energy_from_every_direction():
    rng = np.random.default_rng(3)
    vehicle = road_car(**LIFTLESS)
    for _ in range(200):
        velocity, wind = rng.uniform(-30.0, 30.0, 3) * (1, 1, 0), rng.uniform(-20.0, 20.0, 3) * (1, 1, 0)
        force, _ = air_forces(vehicle, velocity, wind)
        assert force @ (velocity - wind) <= 0.0
    force, _ = air_forces(vehicle, (0.0, 35.0, 0.0))
    assert -force[1] * 35.0 == pytest.approx(0.5 * DENSITY * 2.2 * 0.3 * 35.0**3)  # W, power to keep the speed


@pytest.mark.parametrize("wind", [0.0, -10.0])
def test_a_coasting_car_loses_the_work_of_drag(wind):
    vehicle = road_car("roadster_simple", **LIFTLESS)
    vehicle.set_many({**each_wheel("tire", rolling_resistance=0.0), **each_wheel("wheel", damping=0.0)})
    drive = Drive(vehicle).run(2.0)
    drive.world.context["wind"][0] = (0.0, wind, 0.0)
    rolling(drive, 35.0).run(0.5)

    def energy():
        spin = drive.wheels("wheel", "omega") ** 2 @ vehicle.params["wheel"]["inertia"][0, :4]
        return 0.5 * vehicle.get("body.mass") * np.sum(drive.body("velocity") ** 2) + 0.5 * spin

    before, drag_work = energy(), 0.0
    for _ in range(480):
        speed = drive.body("velocity")[1]
        drive.run(1.0 / 240.0)
        drag_work -= vehicle.read("aero.force.y") * 0.5 * (speed + drive.body("velocity")[1]) / 240.0
    assert drag_work > 20e3 and before - energy() == pytest.approx(drag_work, rel=0.02)


def test_frontal_area_and_side_force_height_are_estimated_from_the_bodywork():
    for name in (CAR, "truck"):
        vehicle = road_car(name, frontal_area=0.0, side_force_height=0.0)
        points = np.concatenate(list(vehicle.geometry.parts.values()))
        width, height = np.ptp(points[:, 0]), points[:, 2].max()
        assert vehicle.get("aero.area") == pytest.approx(FRONTAL_AREA_SHARE * width * height)
        assert vehicle.get("aero.height") == pytest.approx(SIDE_FORCE_SHARE * height)
        vehicle.set_many({"aero.frontal_area": 5.0, "aero.side_force_height": 1.1})
        assert vehicle.get("aero.area") == 5.0 and vehicle.get("aero.height") == 1.1
    assert 1.8 < road_car(frontal_area=0.0).get("aero.area") < 2.3 < vehicle.get("aero.wheelbase")


def test_a_vehicle_file_keeps_the_component_and_its_values(tmp_path):
    text = vehicle_text(road_car(side_force_slope=3.0))
    vehicle = load_vehicle_text(text, load_vehicle(CAR).info["path"])
    assert vehicle.sequence.by_slot["aero"].name == "road_car" and vehicle.get("aero.side_force_slope") == 3.0


def test_the_yaw_angle_is_zero_at_low_airspeed():
    vehicle = road_car()
    air_forces(vehicle, (0.0, -0.2, 0.0))
    assert vehicle.read("aero.yaw_angle") == 0.0
    air_forces(vehicle, (0.0, -0.6, 0.0))
    assert abs(vehicle.read("aero.yaw_angle")) == pytest.approx(math.pi)
