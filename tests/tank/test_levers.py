"""Levers of a tracked vehicle: thrust and brake of each side are commands, recorded like all others."""

import numpy as np
import pytest

from driving_sandbox.lab.drivers.command_file import CommandFile
from driving_sandbox.physics.ground.ground import plane_ground
from driving_sandbox.physics.recording.reader import Recording
from driving_sandbox.physics.recording.verification import as_commands, verify
from driving_sandbox.physics.recording.writer import Recorder
from driving_sandbox.physics.tick.commands import AUTOMATIC, COMMAND, FIRST, LEVER_BRAKES, THRUSTS, neutral_command
from driving_sandbox.physics.vehicle.lever_command import lever_command
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.placing import heading_of
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

TICK = 1.0 / 240.0  # s


def tank(**values):
    """World with the shipped tank; values: parameters, with "__" for the dots of their paths."""
    vehicle = load_vehicle("tank")
    vehicle.set_many({k.replace("__", "."): v for k, v in values.items()})
    world = World(plane_ground(), [vehicle], TICK)
    world.place(0, (0.0, 0.0), 0.0)
    return world


def hold(world, seconds, command=None, **values):
    """Drive with a command, by default in first gear; returns the final yaw rate, rad/s, and velocity along +y, m/s."""
    record = neutral_command() if command is None else command
    if command is None:
        record["gear"] = FIRST
    for name, value in values.items():
        record[name] = value
    for _ in range(round(seconds / TICK)):
        assert world.step(record) is None
    v = world.vehicles[0]
    return v.read("body.angular_velocity.z"), v.read("body.velocity.y")


@pytest.mark.covers("ST-TANK-02")
@pytest.mark.parametrize("gear", [FIRST, AUTOMATIC])
@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_levers_against_each_other_turn_on_the_spot(side, gear):
    """With thrusts of +1 and -1 and no other command it turns about its middle, to the right if the left is forward."""
    world = tank()
    yaw, _ = hold(world, 4.0, gear=gear, thrust_left=side, thrust_right=-side)
    assert -side * yaw > 0.5
    assert np.linalg.norm(world.vehicles[0].state["body"]["velocity"][0]) < 0.2
    assert np.linalg.norm(world.vehicles[0].model_position()[:2]) < 0.5


def test_the_larger_thrust_is_the_throttle_and_equal_thrusts_drive_straight():
    world = tank()
    hold(world, 0.1, thrust_left=0.2, thrust_right=-0.8)
    vehicle = world.vehicles[0]
    throttle = vehicle.read("response.throttle")
    assert throttle == pytest.approx(0.8)
    assert throttle * vehicle.read("levers.thrust_left") == pytest.approx(0.2)
    assert throttle * vehicle.read("levers.thrust_right") == pytest.approx(-0.8)
    _, speed = hold(tank(), 4.0, thrust_left=-0.7, thrust_right=-0.7)
    assert speed < -1.0
    yaw, speed = hold(tank(), 4.0, thrust_left=0.9, thrust_right=0.9)
    assert speed > 2.0 and abs(yaw) < 0.01


@pytest.mark.covers("ST-TANK-01")
def test_levers_of_a_standard_tank_stop_at_zero_thrust():
    world = tank(levers__drive_model="standard")
    hold(world, 2.0, thrust_left=1.0, thrust_right=-1.0)
    v = world.vehicles[0]
    assert v.read("levers.hand_right") == 0.0 and v.read("levers.thrust_right") == 0.0
    assert v.read("levers.thrust_left") == 1.0
    assert v.state["wheel"]["omega"][0, 1 : v.wheel_count : 2].min() > -0.05
    with pytest.raises(ValueError, match="thrusts of Tank must be 0 to 1"):
        lever_command(v, left=1.0, right=-1.0)


@pytest.mark.covers("PX-TANK-04")
@pytest.mark.parametrize("model", ["standard", "special"])
def test_left_brake_and_right_thrust_turn_left(model):
    world = tank(levers__drive_model=model)
    hold(world, 2.0, throttle=0.6)
    yaw, _ = hold(world, 1.5, thrust_right=1.0, brake_left=1.0)
    v = world.vehicles[0]
    torque = v.state["brakes"]["torque"][0, : v.wheel_count]
    lever_torque = v.params["brakes"]["lever_torque"][0, : v.wheel_count]
    # left wheels have even indices
    assert torque[0::2].sum() == pytest.approx(lever_torque[0::2].sum(), rel=1e-12) and np.all(torque[1::2] == 0.0)
    assert yaw > 0.1


def test_a_moved_lever_overrides_the_steering_until_it_is_released():
    world = tank()
    hold(world, 0.1, throttle=0.5, steer=1.0)
    v = world.vehicles[0]
    steered = v.read("levers.thrust_right")
    assert steered < 0.5
    hold(world, TICK, throttle=0.5, steer=1.0, thrust_left=0.5, thrust_right=0.5)
    assert v.read("levers.thrust_right") == v.read("levers.thrust_left") == 1.0
    hold(world, TICK, throttle=0.5, steer=1.0)
    assert v.read("levers.thrust_right") == pytest.approx(steered, abs=0.05)


def test_keys_move_a_lever_at_its_rate_and_a_device_at_once():
    world = tank(levers__key_rate=2.0)
    v = world.vehicles[0]
    hold(world, 0.25, thrust_left=1.0, brake_right=1.0, digital=1)
    assert v.read("levers.hand_left") == pytest.approx(0.5) and v.read("levers.pull_right") == pytest.approx(0.5)
    hold(world, 0.5, thrust_left=-1.0, digital=1)
    assert v.read("levers.hand_left") == pytest.approx(-0.5)
    assert v.read("levers.pull_right") == 0.0
    hold(world, TICK, thrust_left=0.3)
    assert v.read("levers.hand_left") == 0.3


def test_a_car_ignores_levers():
    hashes = []
    for levers in ({}, {"thrust_left": 1.0, "thrust_right": -1.0, "brake_left": 1.0}):
        world = World(plane_ground(), [load_vehicle("roadster_simple")], TICK)
        world.place(0, (0.0, 0.0), 0.0)
        hold(world, 0.5, throttle=0.5, **levers)
        hashes.append(world.state_hash())
    assert hashes[0] == hashes[1]


def test_levers_come_from_a_command_table(tmp_path):
    path = tmp_path / "pivot.csv"
    # gear 2 is FIRST
    path.write_text("time,gear,thrust_left,thrust_right,brake_left\n0,2,0,0,0\n0.5,2,1,-1,0\n3,2,0,0.5,1\n")
    command_file = CommandFile(path)
    world = tank()
    for tick in range(round(2.5 / TICK)):
        assert world.step(command_file.command(tick * TICK)) is None
    assert heading_of(world.vehicles[0]) < -0.5
    assert command_file.command(3.5)["brake_left"][0] == 1.0


def test_a_drive_by_levers_verifies_from_its_recording(tmp_path):
    world = World(load_world("plane"), [load_vehicle("tank")])
    world.spawn()
    path = tmp_path / "levers.drive"
    recorder = Recorder(path, world, "2026-01-02T03:04:05")
    moves = [{"thrust_left": 1.0, "thrust_right": -1.0}, {"thrust_left": 0.4, "thrust_right": 0.9},
             {"thrust_right": 1.0, "brake_left": 0.7, "digital": 1}]  # fmt: skip
    for move in moves:
        record = neutral_command()
        record["gear"] = FIRST
        for name, value in move.items():
            record[name] = value
        for _ in range(180):
            fault = world.step(record)
            recorder.record(record, None, fault is not None)
    recorder.close()
    assert np.any(Recording.open(path).commands()["thrust_left"] == 0.4)
    report = verify(path)
    assert report.ok and report.ticks == 540, report.text


def test_in_commands_recorded_without_levers_all_levers_are_released():
    old_commands = np.zeros(
        2, [(name, COMMAND[name]) for name in COMMAND.names if name not in (*THRUSTS, *LEVER_BRAKES)]
    )
    old_commands["throttle"], old_commands["gear"] = (0.25, 0.5), AUTOMATIC
    commands = as_commands(old_commands)
    assert commands.dtype == COMMAND
    assert commands["throttle"].tolist() == [0.25, 0.5] and np.all(commands["gear"] == AUTOMATIC)
    assert not any(commands[name].any() for name in (*THRUSTS, *LEVER_BRAKES))
