"""Torque at the rim of the steering wheel, assist, twist of the steering gear, and the return of a released rim."""

import math

import numpy as np
import pytest

from driving_sandbox.benchmarks.scenes import flat_world
from driving_sandbox.physics.tick.commands import NEUTRAL, neutral_command
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

RATIO = 15.0  # angle of the rim per angle of the wheels


@pytest.fixture
def car(tmp_path):
    """A function that loads a roadster with the steering column and these values of it."""

    def make(**values):
        path = tmp_path / "car.yaml"
        components = {**load_vehicle("roadster").info["components"], "steering_column": "kingpin_torque"}
        section = ", ".join(f"{slot}: {name}" for slot, name in components.items())
        path.write_text(f"base: roadster\ncomponents: {{{section}}}\n")
        car = load_vehicle(path)
        car.set_many({f"steering_column.{name}": value for name, value in values.items()})
        return car

    return make


def command_of(steer, brake=0.0):
    """A command with this steering and brake, in neutral."""
    command = neutral_command()
    command["steer"], command["brake"], command["gear"] = steer, brake, NEUTRAL
    return command


def rolling(car, speed):
    """The world with the car rolling at a speed, m/s."""
    world = flat_world(car)
    car.state["body"]["velocity"][0, 1] = speed
    n = car.wheel_count
    car.state["wheel"]["omega"][0, :n] = speed / car.params["wheel"]["radius"][0, :n]
    return world


def in_a_bend(car, speed, rim, seconds=1.2):
    """The world with the car coasting from a speed, m/s, with the rim at an angle, rad to the left."""
    world = rolling(car, speed)
    lock = car.get("steering_column.ratio") * float(car.params["steering"]["max_angle"].max())
    steer = 0.0
    while world.time < seconds:
        error = float(car.state["steering_column"]["angle"][0]) - rim  # the response to a command falls with speed
        steer = float(np.clip(steer + 0.1 * error / lock, -1.0, 1.0))
        assert world.step(command_of(steer)) is None
    return world


def check_that_the_rim_returns(vehicle):
    """Released at 90 degrees and 50 km/h, the rim is within 9 degrees of the middle after 0.4 to 1.2 s, and at 2 s."""
    world = in_a_bend(vehicle, speed=50.0 / 3.6, rim=math.pi / 2.0)
    angle = vehicle.state["steering_column"]["angle"]
    assert angle[0] == pytest.approx(math.pi / 2.0, rel=0.03)
    vehicle.set("steering_column.held", False)
    release, return_time = world.time, None
    while world.time < release + 2.0:
        world.step(command_of(-1.0))
        if return_time is None and abs(angle[0]) < math.radians(9.0):
            return_time = world.time - release
    assert 0.4 < return_time < 1.2
    assert abs(angle[0]) < math.radians(9.0), "it stays there"


@pytest.mark.parametrize(("friction", "damping"), [(0.8, 2.0), (0.4, 3.0)])
def test_a_rim_released_at_90_degrees_returns(car, friction, damping):
    check_that_the_rim_returns(car(ratio=RATIO, friction=friction, damping=damping))


@pytest.mark.parametrize("name", [
    "roadster", "coupe", "hatchback", "offroader", "clubsport", "mx5_na", "m3_e46", "golf_gti_mk7", "track_roadster",
    "lowrider", "three_wheeler",
])  # fmt: skip
def test_the_rim_of_a_shipped_road_car_returns(name):
    check_that_the_rim_returns(load_vehicle(name))


@pytest.mark.parametrize("trail", [0.0, 0.02, 0.05])
def test_the_torque_is_that_of_the_trails(car, trail):
    """With upright axes and no scrub it is (side force times mechanical trail plus the tires' own moments) / ratio."""
    vehicle = car(ratio=RATIO, trail=trail, caster=0.0, kingpin=0.0, scrub_radius=0.0)
    in_a_bend(vehicle, speed=20.0, rim=0.5)
    tire, column = vehicle.state["tire"][0], vehicle.state["steering_column"][0]
    expected = sum(trail * tire["lateral_force"][i] + tire["moment"][i, 2] for i in (0, 1)) / RATIO
    assert column["road_torque"] == pytest.approx(expected, rel=0.07)  # the axes lean with the body
    assert column["road_torque"] < -1.0, "in a left bend it turns the rim to the right"


@pytest.mark.parametrize("assist", [0.0, 1.0, 4.0])
def test_assist_takes_its_share_of_the_torque(car, assist):
    vehicle = car(ratio=RATIO, assist=assist, assist_speed=40.0, damping=0.0, friction=0.0)
    in_a_bend(vehicle, speed=20.0, rim=0.5)
    column = vehicle.state["steering_column"][0]
    speed = float(vehicle.state["response"]["speed"][0])
    assert column["torque"] == pytest.approx(column["road_torque"] / (1.0 + assist * (1.0 - speed / 40.0)), rel=1e-3)


@pytest.mark.parametrize("stiffness", [40.0, 80.0])
def test_a_soft_gear_turns_the_wheels_less_than_the_rim(car, stiffness):
    vehicle = car(ratio=RATIO, stiffness=stiffness)
    in_a_bend(vehicle, speed=20.0, rim=0.5)
    column = vehicle.state["steering_column"][0]
    lock = RATIO * float(vehicle.params["steering"]["max_angle"].max())
    wheels = -lock * float(vehicle.state["response"]["steer"][0])
    assert column["angle"] - wheels == pytest.approx(-column["road_torque"] / stiffness, rel=0.02)
    assert column["angle"] - wheels > 0.02


@pytest.mark.parametrize("scrub_radius", [-0.03, 0.05])
def test_brakes_on_one_side_pull_at_the_rim(car, scrub_radius):
    """With a positive scrub radius the rim is pulled to the braked side."""
    vehicle = car(ratio=RATIO, scrub_radius=scrub_radius, trail=0.0)
    world = rolling(vehicle, 25.0)
    # the right wheels have no brakes
    vehicle.params["brakes"]["max_torque"][0, 1] = 0.0
    vehicle.params["brakes"]["max_torque"][0, 3] = 0.0
    for _ in range(24):
        assert world.step(command_of(0.0, brake=0.5)) is None
    torque = float(vehicle.state["steering_column"]["road_torque"][0])
    assert torque * scrub_radius > 0.0 and abs(torque) > 1.0


def test_the_rim_stops_at_the_lock_and_a_straight_drive_has_no_torque(car):
    vehicle = car(ratio=RATIO, held=False)
    world = rolling(vehicle, 20.0)
    for _ in range(240):
        world.step(command_of(0.0))
    column = vehicle.state["steering_column"][0]
    assert abs(column["road_torque"]) < 0.05 and abs(column["angle"]) < 1e-3
    column["rate"] = 200.0
    lock = RATIO * float(vehicle.params["steering"]["max_angle"].max())
    for _ in range(60):
        world.step(command_of(0.0))
        assert abs(column["angle"]) <= lock * (1.0 + 1e-12)
