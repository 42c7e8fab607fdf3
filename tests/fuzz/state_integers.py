"""Random integers in saved states: refused, or stepped without a crash.

    PYTHONPATH=.:tests/core:tests/props python tests/fuzz/state_integers.py NAME FIRST COUNT

Tries COUNT seeds, starting with FIRST. NAME is a vehicle, whose state's integers are changed, or SCENE, in which those
of props, of wheels on them and of contact between vehicles are. Each seed changes one to four of them, half to a value
near their limits, half to any int64, and steps the world twice if it accepts the state. Prints the seed before it is
tried, and at the end the counts: an index outside its record can crash the process, and then the last line is the seed.
"""

import json
import sys

import numpy as np
from prop_rig import launch, placed_prop, run, throw
from test_state_limits import OF_EACH_TYPE, values_of, world_of

from driving_sandbox.physics.contact.pair_records import MEMORY
from driving_sandbox.physics.props.saved import MOVED_PROP, SAVED_SUPPORT
from driving_sandbox.physics.props.wheel_support import SUPPORT
from driving_sandbox.physics.tick.commands import neutral_command
from driving_sandbox.physics.vehicle.state_limits import limits_of
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

SCENE = "props and contacts"
NAMES = (*OF_EACH_TYPE, SCENE)
MAX_CHANGES = 4  # of a seed
NEAR = 3  # largest distance of a value near a limit from it


def scene():
    """(world, command): a car with its front wheels on a plank is hit by another one, among moving props."""
    props = [placed_prop("plank", 0.0, 1.14, heading=np.pi / 2), placed_prop("cone", 0.0, 6.0),
             placed_prop("crate", 1.0, 8.0)]  # fmt: skip
    world = World(load_world("plane"), [load_vehicle("roadster_simple") for _ in range(2)], props=props)
    world.place(0, (0.0, 0.0), 0.0)
    world.place(1, (0.0, -4.0), 0.0)
    launch(world.vehicles[1], 10.0)
    throw(world, 1, velocity=(0.0, 2.0, 1.0))
    run(world, 0.02)
    world.between.memory["b"][:4], world.between.memory["impulse"][:4, 0] = 1, 100.0  # contacts of both vehicles, N s
    return world, np.concatenate([neutral_command()] * 2)


def integers(records):
    """Flat views of the integer fields of an array of records, those of its sub-records included."""
    views = []
    for name in records.dtype.names:
        values = records[name]
        if values.dtype.names:
            views += integers(values)
        elif values.dtype.kind in "iu":
            views.append(values)
    return views


def parts_of(world, data):
    """[(array of integers, lowest, highest allowed)] of a writable snapshot; the limits of a scene's are -1 and 64."""
    start, views = 8, []  # after the tick
    for vehicle in world.vehicles:
        kind = vehicle.state.dtype
        state = np.frombuffer(data, kind, 1, start)
        if world.props is None:
            views += [(values_of(state, limit.path), *limit[1:]) for limit in limits_of(vehicle.sequence)]
        start += kind.itemsize
    if world.props is not None:
        memory = world.between.memory.size
        others = integers(np.frombuffer(data, MEMORY, memory, start))
        start += memory * MEMORY.itemsize
        others += integers(np.frombuffer(data, SUPPORT, len(world.vehicles), start))  # bodywork under wheels
        start += len(world.vehicles) * SUPPORT.itemsize
        others.append(np.frombuffer(data, np.int64, 1, start))  # number of moved props
        count = int(others[-1][0])
        others += integers(np.frombuffer(data, MOVED_PROP, count, start + 8))
        others += integers(np.frombuffer(data, SAVED_SUPPORT, -1, start + 8 + count * MOVED_PROP.itemsize))
        views += [(values, -1, 64) for values in others]
    return views


def random_value(rng, kind, lowest, highest):
    """An integer of this type: near the limits or between them, or any."""
    info = np.iinfo(kind)
    if rng.random() < 0.5:
        edge = (lowest, highest, int(rng.integers(lowest, highest, endpoint=True, dtype=np.int64)))[rng.integers(3)]
        value = edge + int(rng.integers(-NEAR, NEAR + 1))
    else:
        value = int(rng.integers(-(2**63), 2**63 - 1, dtype=np.int64)) >> int(rng.integers(64))
    return min(max(value, int(info.min)), int(info.max))


def attempt(seed, world, command, good):
    """Change a good snapshot by a seed; returns whether the world accepted it."""
    rng, data = np.random.default_rng(seed), bytearray(good)
    parts = parts_of(world, data)
    for _ in range(rng.integers(1, MAX_CHANGES + 1)):
        values, lowest, highest = parts[rng.integers(len(parts))]
        place = tuple(rng.integers(0, values.shape)) if rng.random() < 0.5 else ...  # one, or all of an array
        values[place] = random_value(rng, values.dtype, lowest, highest)
    try:
        world.restore(bytes(data))
    except ValueError:
        return False
    world.step(command)
    world.step(command)
    return True


def main(name, first, count):
    """Try seeds and print them; at the end a line of JSON with the numbers of refused and of stepped states."""
    world, command = scene() if name == SCENE else world_of(name)
    good, stepped = world.snapshot(), 0
    for seed in range(first, first + count):
        print(seed, flush=True)
        world.restore(good)
        stepped += attempt(seed, world, command, good)
    print(json.dumps({"refused": count - stepped, "stepped": stepped}))


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
