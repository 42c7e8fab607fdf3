"""Prints the world's state hash after a scripted drive: `python tests/core/print_hashes.py TICKS GROUND VEHICLE...`."""

import math
import sys

import numpy as np
from drive_rig import field_ground

from driving_sandbox.physics.ground.ground import plane_ground
from driving_sandbox.physics.tick.commands import AUTOMATIC, COMMAND
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World


def rolling(x, y):
    return 0.3 * np.sin(0.3 * x + 0.2) * np.cos(0.4 * y) + 0.02 * y


def drive(ticks, ground, names):
    """World after a drive with everything in it."""
    place = field_ground(rolling, half_size=64.0) if ground == "field" else plane_ground()
    world = World(place, [load_vehicle(name) for name in names])
    for i in range(len(names)):
        world.place(i, (4.0 * i, 1.0), 0.3 * i)
    commands = np.zeros(len(names), COMMAND)
    for tick in range(ticks):
        commands["throttle"] = 0.5 + 0.5 * math.sin(0.05 * tick)
        commands["brake"] = 1.0 if tick % 97 > 80 else 0.0
        commands["steer"] = math.sin(0.03 * tick)
        commands["digital"] = tick // 50 % 2
        commands["gear"] = AUTOMATIC if tick % 200 < 150 else 2
        assert world.step(commands) is None
    return world


if __name__ == "__main__":
    print(drive(int(sys.argv[1]), sys.argv[2], sys.argv[3:]).state_hash())
