"""Prints world state hashes after scripted drives: `python tests/core/print_hashes.py TICKS GROUND VEHICLE...`.

All vehicles are in one world and give one hash; with `each` before TICKS, each VEHICLE (or several, joined by +) has
its own world and line. On the ground "meeting", two vehicles drive into each other, on "props" one drives into props.
Ground and commands use no function with machine-dependent results, as hashes are compared between machines.
"""

import sys

import numpy as np
from drive_rig import field_ground

from driving_sandbox.physics.ground.ground import plane_ground
from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.maths.quat import rotate
from driving_sandbox.physics.props.placing import PlacedProp
from driving_sandbox.physics.tick.commands import AUTOMATIC, COMMAND
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

PROPS = ("cone", "crate", "barrel", "plank", "seesaw", "tire")
SPEED = 12.0  # m/s


def wave(turns):
    """A wave of parabolas, one per half period, from -1 to 1."""
    u = 2.0 * (turns - np.floor(turns)) - 1.0
    return 4.0 * u * (1.0 - np.abs(u))


def hills(x, y):
    """Height of a wavy ground that rises along +y, m."""
    return 0.3 * wave(0.05 * x + 0.03) * wave(0.06 * y + 0.25) + 0.02 * y


def ground_of(name):
    """The ground of this name: "field", "plane" or a world file."""
    if name == "field":
        return field_ground(hills, half_size=64.0)
    return plane_ground() if name == "plane" else load_world(name)


def launch(vehicle, speed):
    """Let a vehicle roll straight ahead. speed: m/s."""
    body, n = vehicle.state["body"][0], vehicle.wheel_count
    body["velocity"] = rotate(tuple(body["orientation"].tolist()), (0.0, speed, 0.0))
    vehicle.state["wheel"]["omega"][0, :n] = speed / vehicle.params["wheel"]["radius"][0, :n]


def meeting(names, **options):
    """World with two vehicles 12 m apart that roll towards each other, not quite along one line."""
    world = World(load_world("plane"), [load_vehicle(name) for name in names], **options)
    for i, (place, heading) in enumerate((((0.0, 0.0), 0.1), ((0.4, 12.0), 3.0))):
        world.place(i, place, heading)
        launch(world.vehicles[i], SPEED)
    return world


def among_props(names, props=PROPS):
    """World with vehicles that roll towards one prop of each of several kinds."""
    places = [(0.5 * (k % 3 - 1), 5.0 + 2.0 * k) for k in range(len(props))]
    placed = [PlacedProp(kind, place, None, 0.0, 0.0, 0) for kind, place in zip(props, places, strict=True)]
    world = World(load_world("plane"), [load_vehicle(name) for name in names], props=placed)
    for i, vehicle in enumerate(world.vehicles):
        world.place(i, (4.0 * i, 0.0), 0.0)
        launch(vehicle, SPEED)
    return world


SCENES = {"meeting": meeting, "props": among_props}


def started(ground, names, **options):
    """World with all vehicles before the first tick."""
    if ground in SCENES:
        return SCENES[ground](names, **options)
    world = World(ground_of(ground), [load_vehicle(name) for name in names])
    for i, train in enumerate(world.trains):
        if world.file:
            world.spawn(None, train.start)
        else:
            world.place(train.start, (4.0 * i, 1.0), 0.3 * i)
    return world


def commands_of(tick, count):
    """COMMAND records of a tick."""
    commands = np.zeros(count, COMMAND)
    commands["throttle"] = 0.5 + 0.5 * elementary.sin(0.05 * tick)
    commands["brake"] = 1.0 if tick % 97 > 80 else 0.0
    commands["steer"] = elementary.sin(0.03 * tick)
    commands["digital"] = tick // 50 % 2
    commands["gear"] = AUTOMATIC if tick % 200 < 150 else 2
    return commands


def drive(ticks, ground, names, **options):
    """World after a drive."""
    world = started(ground, names, **options)
    for tick in range(ticks):
        assert world.step(commands_of(tick, len(names))) is None
    return world


def as_text(state_hash):
    """16 hexadecimal digits."""
    return f"{state_hash & (2**64 - 1):016x}"


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if arguments[0] == "each":
        for vehicle in arguments[3:]:
            print(vehicle, as_text(drive(int(arguments[1]), arguments[2], vehicle.split("+")).state_hash()))
    else:
        print(drive(int(arguments[0]), arguments[1], arguments[2:]).state_hash())
