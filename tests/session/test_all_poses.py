"""Poses of several vehicles that are read together equal those that are read one by one."""

import numpy as np
import pytest

from driving_sandbox.benchmarks.scenes import forward_gear
from driving_sandbox.game.session.frame import Frames
from driving_sandbox.game.session.situation import AllPoses, Poses
from driving_sandbox.physics.kernel.jit import JIT
from driving_sandbox.physics.tick.commands import neutral_command
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

TICKS = 480  # of the drive, 2 s


@pytest.fixture(scope="module")
def vehicles():
    """A car, a truck with a trailer, a tank and a planar car, all turning."""
    names = ("roadster", "truck_trailer", "tank", "planar_roadster")
    world = World(load_world("plane"), [load_vehicle(name) for name in names])
    for place, train in enumerate(world.trains):
        world.place(train.start, (30.0 * place, 0.0), 0.4 * place)
    commands = np.concatenate([neutral_command() for _ in world.vehicles])
    commands["throttle"], commands["steer"], commands["gear"] = 0.8, 0.4, [forward_gear(v) for v in world.vehicles]
    for tick in range(TICKS):
        commands["brake"] = 0.1 if tick == TICKS - 1 else 0.0  # poses include the brake
        world.step(commands)
    return world.vehicles


@pytest.mark.skipif(not JIT, reason="without JIT each is read by itself")
def test_poses_read_together_equal_those_read_one_by_one(vehicles):
    together, alone = (Frames([v.wheel_count for v in vehicles]) for _ in range(2))
    poses = [Poses(v) for v in vehicles]
    AllPoses(poses).fill(together)
    for frame, vehicle_poses in zip(alone, poses, strict=True):
        vehicle_poses.fill(frame)
    assert np.array_equal(together.positions, alone.positions)
    assert np.array_equal(together.orientations, alone.orientations)
    for pose, expected in zip(together, alone, strict=True):
        for name in ("speed", "steer_command", "brake", "reverse", "engine_speed"):
            assert getattr(pose, name) == getattr(expected, name), name
    assert together[0].speed > 1.0 and together[0].engine_speed > 50.0 and together[0].brake > 0.0
    assert len({frame.speed for frame in together}) == len(vehicles)


def test_a_moved_vehicle_in_reverse_gear_is_read_as_such(vehicles):
    poses, frames = AllPoses([Poses(vehicles[0])]), Frames([vehicles[0].wheel_count])
    poses.fill(frames)
    before = frames.positions.copy()
    assert not frames[0].reverse
    vehicles[0].state["body"]["position"] += (1.0, 2.0, 3.0)
    vehicles[0].state["gearbox"]["current_gear"] = 0  # reverse
    poses.fill(frames)
    assert frames[0].reverse
    assert frames.positions[0] == pytest.approx(before[0] + (1.0, 2.0, 3.0))
    assert np.array_equal(frames.positions[1:], before[1:])  # wheels are where the last tick had them


def test_every_gear_below_neutral_is_a_reverse_gear():
    car = load_vehicle("roadster")
    poses, frames = AllPoses([Poses(car)]), Frames([car.wheel_count])
    car.params["gearbox"]["neutral_gear"] = 2
    for gear, reverse in enumerate((True, True, False, False)):
        car.state["gearbox"]["current_gear"] = gear
        poses.fill(frames)
        assert frames[0].reverse == reverse
