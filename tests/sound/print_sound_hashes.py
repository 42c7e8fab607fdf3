"""Prints hashes of the samples of scripted drives: `python tests/sound/print_sound_hashes.py VEHICLE...`.

The commands use no function with machine-dependent results, as hashes are compared between machines.
"""

import hashlib
import sys

from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.tick.commands import AUTOMATIC, neutral_command
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world
from driving_sandbox.sound.soundtrack import Soundtrack

TICKS = 480  # 2 s


def drive(name):
    """Yield the blocks of a vehicle that weaves on the plane: full throttle, handbrake and horn, then braking."""
    world = World(load_world("plane"), [load_vehicle(name)])
    world.spawn()
    track, command = Soundtrack(world), neutral_command()
    command["gear"] = AUTOMATIC
    for tick in range(TICKS):
        command["throttle"], command["brake"] = float(tick < 360), float(tick >= 400)
        command["steer"] = 0.8 * elementary.sin(0.03 * tick)
        command["handbrake"] = float(200 <= tick < 300)
        track.horn = 100 <= tick < 160
        world.step(command)
        track.add()
        yield from track.blocks()


def hash_of(name):
    """The first 16 hexadecimal digits of the SHA-256 of the samples of a vehicle's drive."""
    digest = hashlib.sha256()
    for block in drive(name):
        digest.update(block.tobytes())
    return digest.hexdigest()[:16]


if __name__ == "__main__":
    for vehicle in sys.argv[1:]:
        print(vehicle, hash_of(vehicle))
