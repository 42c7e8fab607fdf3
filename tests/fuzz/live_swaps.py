"""Random components swapped one after another at speed: the vehicle drives on.

    PYTHONPATH=. SANDBOX_JIT=0 python tests/fuzz/live_swaps.py FIRST COUNT        # tries COUNT seeds from FIRST on

A seed drives one vehicle from 10 to 40 m/s and makes SWAPS swaps; refused ones are counted. Run without compilation:
every swap makes another step, which takes longer to compile than to drive. Prints a line of JSON for each seed.
"""

import json
import sys

import numpy as np

from driving_sandbox.physics.base.user_error import UserError
from driving_sandbox.physics.maths.quat import rotate
from driving_sandbox.physics.tick.binding import SequenceError
from driving_sandbox.physics.tick.commands import AUTOMATIC, FIRST, neutral_command
from driving_sandbox.physics.vehicle.swap import choice_of, choices, plan_swap, swapped_vehicle
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

VEHICLES = ("roadster", "hatchback", "coupe", "buggy", "clubsport", "patrol", "tank", "planar_roadster")
SWAPS = 10  # of a seed
MAX_TRIES = 60  # attempted swaps of a seed; most components fit most vehicles
TICKS_BETWEEN = 24  # 0.1 s, before each swap and after the last
SPEED = (10.0, 40.0)  # m/s at the start


def command_of(vehicle, rng):
    """A random command with throttle and steering."""
    command = neutral_command()
    command["gear"] = AUTOMATIC if "autobox" in vehicle.sequence.by_slot else FIRST
    command["throttle"], command["steer"] = rng.uniform(0.3, 1.0), rng.uniform(-0.6, 0.6)
    command["thrust_left"] = command["thrust_right"] = 1.0
    return command


def start(vehicle, speed):
    """Give the vehicle a forward speed, m/s, with rolling wheels."""
    n, body = vehicle.wheel_count, vehicle.state["body"][0]
    body["velocity"] = rotate(tuple(body["orientation"].tolist()), (0.0, speed, 0.0))
    vehicle.state["wheel"]["omega"][0, :n] = speed / vehicle.params["wheel"]["radius"][0, :n]


def pick(vehicle, rng):
    """A random slot and a component for it that it does not have."""
    offered = [
        (slot, choice) for slot, names in choices(vehicle).items() for choice in names
        if choice != choice_of(vehicle, slot)
    ]  # fmt: skip
    return offered[rng.integers(len(offered))]


def swap(world, rng):
    """(slot, choice) of a random swap that was made, None where the vehicle refuses it."""
    vehicle = world.vehicles[0]
    slot, choice = pick(vehicle, rng)
    try:
        other = swapped_vehicle(vehicle, plan_swap(vehicle, slot, choice, None))
    except (UserError, SequenceError):
        return None
    world.swap(0, other)
    return slot, choice


def drive(seed):
    """{seed, made: [(slot, choice)], refused, fastest: m/s at a swap, fault} of a seed."""
    rng = np.random.default_rng(seed)
    world = World(load_world("plane"), [load_vehicle(VEHICLES[seed % len(VEHICLES)])])
    world.spawn(None)
    start(world.vehicles[0], rng.uniform(*SPEED))
    result = {"seed": seed, "made": [], "refused": 0, "fastest": 0.0, "fault": ""}
    while not result["fault"]:
        result["fault"] = drive_interval(world, command_of(world.vehicles[0], rng))
        if len(result["made"]) == SWAPS or len(result["made"]) + result["refused"] == MAX_TRIES:
            break
        speed = float(np.linalg.norm(world.vehicles[0].state["body"]["velocity"][0]))
        while len(result["made"]) + result["refused"] < MAX_TRIES:
            swapped = swap(world, rng)
            if swapped:
                result["made"].append(swapped)
                result["fastest"] = max(result["fastest"], speed)
                break
            result["refused"] += 1
    return result


def drive_interval(world, command):
    """Drive TICKS_BETWEEN ticks with a command; returns the fault, or ""."""
    for _ in range(TICKS_BETWEEN):
        fault = world.step(command)
        if fault is not None:
            return fault.text
    body = world.vehicles[0].state["body"][0]
    return "" if np.isfinite(body["velocity"]).all() and np.isfinite(body["position"]).all() else "not finite"


def main(first, count):
    """Try seeds; an unexpected error ends the process."""
    for seed in range(first, first + count):
        print(json.dumps(drive(seed)), flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
