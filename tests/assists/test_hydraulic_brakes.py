"""Hydraulic brakes: law, build-up of pressure, proportioning valve, estimates, stops, swaps while driving."""

import math

import numpy as np
import pytest
import yaml
from assist_rig import KMH, coasting, slips
from row_rig import call, each_wheel

from driving_sandbox.physics.brakes.hydraulic import PUSH_OUT
from driving_sandbox.physics.estimate import estimate_lines
from driving_sandbox.physics.estimate.brakes import REAR_USE, RESERVE, braked_loads, full_pedal_torques
from driving_sandbox.physics.tick.commands import NEUTRAL
from driving_sandbox.physics.vehicle.swap import plan_swap, swapped_vehicle
from driving_sandbox.physics.vehicle.vehicle_file import VEHICLE_FOLDER, load_vehicle, load_vehicle_text

FRONT, REAR = ("fl", "fr"), ("rl", "rr")
CAR = "roadster_simple"
VALUES = {  # SI
    "pedal_force": 220.0, "pedal_ratio": 3.5, "booster_gain": 4.5, "run_out": 600.0, "master_area": 3.9e-4,
    "knee": 3e6, "slope": 0.4, "piston_area": 1.9e-3, "pad_friction": 0.36, "effective_radius": 0.104,
    "handbrake_torque": 700.0,
}  # fmt: skip
AT_ONCE = {"build_time": 0.0, "release_time": 0.0}  # s
SETTLED = 2.0  # s, over thirty times the time of the pressure's build-up


def hydraulic(name=CAR, **body):
    """A shipped car with hydraulic brakes without values of their own, and other values of the body."""
    path = VEHICLE_FOLDER / f"{name}.yaml"
    document = yaml.safe_load(path.read_text(encoding="utf8"))
    document["components"] = {**document.get("components", {}), "brakes": "hydraulic"}
    document["body"] = {**document["body"], **body}
    del document["brakes"]
    return load_vehicle_text(yaml.safe_dump(document), path)


@pytest.fixture(scope="module")
def plain():
    """The car of the law's tests, which set all values of its brakes."""
    return hydraulic()


def fitted(car, **values):
    """The car with all wheels braked alike, by VALUES at once but for these, and without pressure."""
    car.set_many(each_wheel("brakes", **{**VALUES, **AT_ONCE, **values}))
    car.state["brakes"] = 0.0
    return car


def braked(car, brake=1.0, handbrake=0.0, dt=1.0 / 240.0):
    """The car after a step of dt (s) with the pedals at these responses."""
    car.state["response"]["brake"], car.state["response"]["handbrake"] = brake, handbrake
    call(car, "brakes", dt=dt)
    return car


def of(car, name, wheel=0):
    """A number of the brakes' state."""
    return float(car.state["brakes"][name][0, wheel])


def expected(brake, handbrake, v):
    """(pressure, Pa; torque, N m) by the equations, written out case by case. v: {parameter: value}."""
    rod = v["pedal_force"] * brake * v["pedal_ratio"]
    boosted = rod * v["booster_gain"] if rod < v["run_out"] else rod + (v["booster_gain"] - 1.0) * v["run_out"]
    pressure = boosted / v["master_area"]
    if pressure > v["knee"]:
        pressure = v["slope"] * pressure + (1.0 - v["slope"]) * v["knee"]
    clamp = (pressure - PUSH_OUT) * v["piston_area"] if pressure > PUSH_OUT else 0.0
    friction = clamp * v["pad_friction"]
    return pressure, (friction + friction) * v["effective_radius"] + v["handbrake_torque"] * handbrake


@pytest.mark.parametrize("name", sorted(VALUES))
@pytest.mark.parametrize("factor", [0.7, 1.6])
def test_pressure_and_torque_follow_the_law_for_two_values_of_each_parameter(plain, name, factor):
    value = min(factor * VALUES[name], 1.0) if name == "slope" else factor * VALUES[name]
    changed, torques = {**VALUES, name: value}, []
    for values in (VALUES, changed):
        for brake, handbrake in ((0.0, 0.0), (0.004, 0.0), (0.3, 0.0), (0.7, 0.5), (1.0, 1.0)):
            car = braked(fitted(plain, **values), brake, handbrake)
            pressure, torque = expected(brake, handbrake, values)
            assert of(car, "pressure") == pytest.approx(pressure, rel=1e-12)
            assert of(car, "torque", 3) == pytest.approx(torque, rel=1e-12)
        torques.append(of(car, "torque"))
    assert torques[0] != pytest.approx(torques[1], rel=0.01)


def test_the_pressure_needed_to_move_the_pads_gives_no_torque(plain):
    touch = PUSH_OUT * VALUES["master_area"] / (VALUES["pedal_force"] * VALUES["pedal_ratio"] * VALUES["booster_gain"])
    car = braked(fitted(plain), 0.99 * touch)
    assert of(car, "torque") == 0.0 < of(car, "pressure")
    assert of(braked(car, 1.01 * touch), "torque") > 0.0


@pytest.mark.parametrize("slope", [0.3, 0.6])
@pytest.mark.parametrize("knee", [2e6, 4e6])
def test_beyond_the_knee_the_pressure_rises_by_the_slope(plain, knee, slope):
    """A car with the valve in the rear lines only, over the pressure of the front lines."""
    car = fitted(plain)
    car.set_many(each_wheel("brakes", FRONT, slope=1.0) | each_wheel("brakes", REAR, knee=knee, slope=slope))
    rows = []
    for pedal in np.linspace(0.05, 1.0, 20):
        braked(car, pedal)
        rows.append((of(car, "pressure", 0), of(car, "pressure", 2)))
    front, rear = np.array(rows).T
    below = front <= knee
    assert 3 < below.sum() < 16 and np.array_equal(front[below], rear[below])
    assert rear[~below] - knee == pytest.approx(slope * (front[~below] - knee), rel=1e-9)


@pytest.mark.parametrize("build_time", [0.05, 0.12])
@pytest.mark.parametrize("release_time", [0.03, 0.07])
def test_the_pressure_covers_63_per_cent_of_its_way_in_its_time(plain, build_time, release_time):
    car = fitted(plain, build_time=build_time, release_time=release_time)
    full = expected(1.0, 0.0, VALUES)[0]
    braked(car, dt=build_time)
    assert of(car, "pressure") == pytest.approx(0.632 * full, rel=1e-3)
    braked(car, dt=SETTLED)
    assert of(car, "pressure") == pytest.approx(full, rel=1e-6)
    braked(car, 0.0, dt=release_time)
    assert of(car, "pressure") == pytest.approx(0.368 * full, rel=1e-3)


def test_the_build_up_does_not_depend_on_the_time_step(plain):
    pressures = []
    for steps in (6, 12, 600):
        car = fitted(plain, build_time=0.06, release_time=0.04)
        for brake in (0.8, 0.3):
            for _ in range(steps):
                braked(car, brake, dt=0.1 / steps)
        pressures.append(of(car, "pressure"))
    assert pressures == pytest.approx([pressures[0]] * 3, rel=1e-12)


def test_a_released_brake_is_without_pressure_and_torque(plain):
    car = braked(fitted(plain, build_time=0.06, release_time=0.04))
    for _ in range(240):  # ticks: 1 s
        braked(car, 0.0)
    assert of(car, "pressure") == 0.0 and of(car, "torque") == 0.0


@pytest.mark.parametrize("radius", [0.1, 0.13])
def test_full_torque_and_front_share_are_derived(plain, radius):
    car = fitted(plain)
    car.set_many(each_wheel("brakes", FRONT, effective_radius=radius, slope=1.0))
    braked(car)
    torque, n = car.state["brakes"]["torque"][0, :4], 4
    assert car.params["brakes"]["max_torque"][0, :n] == pytest.approx(torque, rel=1e-12)
    force = torque / car.params["wheel"]["radius"][0, :n]
    assert car.get("brakes.rl.front_share") == pytest.approx(force[:2].sum() / force.sum(), rel=1e-12)


# ---- estimates


def test_full_pedal_uses_the_grip_of_the_front_wheels_with_a_reserve():
    """By moments about the contact patches: at the braking rate mu the loads are those of the brake force's moment."""
    load, ahead = np.array([3000.0, 3000.0, 2500.0, 2500.0]), np.array([1.1, 1.1, -1.3, -1.3])
    for height, grip in ((0.5, 1.0), (0.7, 0.8)):
        transfer = grip * load.sum() * height / 2.4
        torque = full_pedal_torques(load, ahead, np.full(4, 0.3), height, np.full(4, grip))
        assert torque[0] == pytest.approx(RESERVE * grip * 0.3 * (6000.0 + transfer) / 2.0)
        assert torque[2] == pytest.approx(RESERVE * REAR_USE * grip * 0.3 * (5000.0 - transfer) / 2.0)
        for rate in np.linspace(0.05, grip, 20):  # the front wheels always use more of their grip
            axle_loads = np.array([6000.0, 5000.0]) + rate * load.sum() * height / 2.4 * np.array([1.0, -1.0])
            use = torque[[0, 2]] / axle_loads
            assert use[0] > use[1]


def test_wheels_on_one_side_of_the_centre_of_mass_keep_their_loads():
    load = np.array([4000.0, 4000.0])
    braked_load, front = braked_loads(load, np.array([-0.2, -0.2]), 0.8, 0.9)
    assert np.array_equal(braked_load, load) and front.all()


@pytest.mark.parametrize("height", [0.4, 0.7])
def test_missing_parameters_are_estimated_and_reported(height):
    """As the pedal is pressed within a second, the front wheels lock before the rear ones."""
    car = hydraulic(centre_of_mass=[0.0, 0.05, height])
    lines = "\n".join(estimate_lines(car))
    assert "brakes.piston_area of fl, fr, rl, rr is not given: estimated as [" in lines
    assert "brakes.effective_radius of fl, fr, rl, rr is not given" in lines
    drive = coasting(car, 60.0 * KMH)
    for pedal in np.linspace(0.0, 1.0, 120):
        drive.run(1.0 / 120.0, brake=pedal)
        if slips(drive).max() > 0.9:
            break
    assert pedal < 0.95 and slips(drive)[:2].min() > 0.3 > slips(drive)[2:].max()


@pytest.mark.parametrize("name", ["coupe", "hatchback", "roadster", "mx5_na", "m3_e46", "golf_gti_mk7"])
def test_the_estimate_is_near_the_brakes_of_a_road_car(name):
    """Front torques at full pedal differ by at most 20 %, the front share by at most 0.15."""
    estimated, car = hydraulic(name), load_vehicle(name)
    torque, n = [v.params["brakes"]["max_torque"][0, :4] for v in (estimated, car)], 4
    assert torque[0][0] == pytest.approx(torque[1][0], rel=0.2)
    force = torque[1] / car.params["wheel"]["radius"][0, :n]
    assert estimated.get("brakes.fl.front_share") == pytest.approx(force[:2].sum() / force.sum(), abs=0.15)


def test_a_higher_centre_of_mass_gets_a_larger_front_share():
    shares = []
    for height in (0.4, 0.7):
        shares.append(hydraulic(centre_of_mass=[0.0, 0.05, height]).get("brakes.fl.front_share"))
    assert 0.6 < shares[0] < shares[1] - 0.03


def test_given_values_are_kept_and_used_by_the_estimate():
    car, torques = hydraulic(), []
    for friction in (0.3, 0.45):
        car.set_many(each_wheel("brakes", pad_friction=friction, piston_area=1.1e-3))
        given = {"brakes": {(i, name) for i in (0, 1) for name in ("piston_area", "effective_radius")}}
        found = car.estimate(given)
        car.derive()
        assert car.get("brakes.fl.piston_area") == 1.1e-3 and "brakes.fl.piston_area" not in found
        torques.append(car.get("brakes.rl.max_torque"))
    assert torques[0] == pytest.approx(torques[1], rel=1e-12) and torques[0] > 100.0


# ---- driven


@pytest.mark.parametrize("speed", [20.0, -8.0])
def test_brakes_act_against_the_rotation_and_stop_the_car_straight(speed):
    """No wheel is turned backwards, kinetic energy never rises, and the car keeps its line and stays where it stops."""
    drive = coasting(hydraulic(), speed)
    start, energy, sign = drive.position, math.inf, math.copysign(1.0, speed)
    for _ in range(round(4.0 * 120)):
        drive.run(1.0 / 120.0, brake=0.6)
        now = float((drive.body("velocity") ** 2).sum())
        assert now < energy + 1e-3  # m^2/s^2, of the rocking at rest
        assert (sign * drive.wheels("wheel", "omega") >= -0.3).all()  # rad/s
        energy = now
    stopped = drive.position
    assert abs(stopped[0] - start[0]) < 0.02 and sign * (stopped[1] - start[1]) > 3.0
    drive.run(2.0, brake=0.6)
    assert np.abs(drive.position - stopped).max() < 1e-3


def test_anti_lock_brakes_and_distribution_work_on_the_hydraulic_torque():
    """A stop from 100 km/h is as long as with torque set by the pedal, within 3 %, and no wheel locks."""
    distances = []
    for car in (load_vehicle("coupe"), hydraulic("coupe")):
        drive = coasting(car, 100.0 * KMH)
        start, locked = drive.position, 0.0
        while np.linalg.norm(drive.body("velocity")) > 0.3:
            drive.run(1.0 / 120.0, brake=1.0)
            if np.linalg.norm(drive.body("velocity")) > 5.0:
                locked = max(locked, slips(drive).max())
        assert locked < 0.6
        distances.append(float(np.linalg.norm(drive.position - start)))
    assert distances[1] == pytest.approx(distances[0], rel=0.03)


def test_a_swap_while_braking_keeps_the_torque_of_full_pedal():
    drive = coasting(hydraulic("coupe"), 80.0 * KMH)
    drive.run(0.5, brake=1.0, gear=NEUTRAL)
    car = drive.vehicle
    before = car.params["brakes"]["max_torque"][0, :4].copy()
    other = swapped_vehicle(car, plan_swap(car, "brakes", "pedal_and_handbrake"))
    assert np.array_equal(other.params["brakes"]["max_torque"][0, :4], before)
    assert other.state["brakes"]["torque"][0, 0] == car.state["brakes"]["torque"][0, 0] > 100.0
