"""Components swapped at speed, one random one after another: the vehicle drives on."""

import numpy as np
import pytest

from driving_sandbox.physics.base.user_error import UserError
from driving_sandbox.physics.tick.binding import SequenceError
from driving_sandbox.physics.tick.commands import AUTOMATIC, FIRST, neutral_command
from driving_sandbox.physics.vehicle.swap import choice_of, choices, plan_swap, swapped_vehicle
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

KEPT = "swaps"
VEHICLES = ("roadster", "hatchback", "coupe", "buggy", "clubsport", "patrol", "tank", "planar_roadster")
SWAPS = 5  # of a seed
START, BETWEEN = 480, 48  # ticks before the first swap, and after each


def command_of(vehicle, rng):
    command = neutral_command()
    command["gear"] = AUTOMATIC if "autobox" in vehicle.sequence.by_slot else FIRST
    command["throttle"], command["steer"] = rng.uniform(0.3, 1.0), rng.uniform(-0.6, 0.6)
    command["thrust_left"] = command["thrust_right"] = 1.0
    return command


def drive(seed):
    """(swaps made, refused, speed of the fastest, m/s) of a seed; a fault is an AssertionError."""
    rng = np.random.default_rng(seed)
    world = World(load_world("plane"), [load_vehicle(VEHICLES[seed % len(VEHICLES)])])
    world.spawn(None)
    command, made, refused, fastest = command_of(world.vehicles[0], rng), [], 0, 0.0
    for tick in range(START + SWAPS * BETWEEN):
        if tick >= START and (tick - START) % BETWEEN == 0:
            vehicle = world.vehicles[0]
            fastest = max(fastest, float(np.linalg.norm(vehicle.state["body"]["velocity"][0])))
            slot, choice = pick(vehicle, rng)
            try:
                other = swapped_vehicle(vehicle, plan_swap(vehicle, slot, choice, None))
            except (UserError, SequenceError):
                refused += 1
            else:
                world.swap(0, other)
                made.append((slot, choice))
            command = command_of(world.vehicles[0], rng)
        fault = world.step(command)
        assert fault is None, f"seed {seed}, after {made}: {fault.text}"
        assert np.isfinite(world.vehicles[0].state["body"]["velocity"]).all(), (seed, made)
    return len(made), refused, fastest


def pick(vehicle, rng):
    """A random slot and a component for it that it does not have."""
    offered = [
        (slot, choice) for slot, found in choices(vehicle).items() for choice in found
        if choice != choice_of(vehicle, slot)
    ]  # fmt: skip
    return offered[rng.integers(len(offered))]


def test_kept_swaps(kept_seed):
    made, refused, fastest = drive(kept_seed)
    assert made >= 2 and made + refused == SWAPS and fastest > 2.0


@pytest.mark.nightly
def test_random_swaps(seeds, report_row):
    made = refused = 0
    fastest, faults = 0.0, []
    for seed in seeds(least=4):
        try:
            swaps, no, speed = drive(seed)
        except AssertionError as error:
            faults.append(str(error))
            continue
        made, refused, fastest = made + swaps, refused + no, max(fastest, speed)
    report_row("swaps of components at speed", f"{made} swaps up to {fastest:.0f} m/s", f"{len(faults)} faults")
    assert not faults, faults[:5]
