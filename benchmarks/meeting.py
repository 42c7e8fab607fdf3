"""Vehicles that meet: a tick of two cars at several distances, compared with two worlds of one car."""

from time import perf_counter
from typing import Any

import numpy as np

from driving_sandbox.physics.tick.commands import COMMAND, NEUTRAL, neutral_command
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

VEHICLE = "roadster_simple"
TICKS = 960  # per measurement
REPEATS = 5  # measurements; the shortest counts
SETTLE = 5.0  # s, braked, until nothing moves
# Position (m) and heading (rad) of the second car
ARRANGEMENTS = {
    "far apart": ((500.0, 0.0), 0.0),
    "a metre beside each other": ((2.75, 0.0), 0.0),
    "bumper to bumper": ((0.0, 3.931), 0.0),
    "one upon the other": ((0.1, 0.2, 1.6), 0.0),
}


def measure() -> list[dict[str, Any]]:
    """Rows of figures."""
    singles = [_world(1), _world(1)]
    rows, alone = [], min(sum(_tick_time(world) for world in singles) for _ in range(REPEATS))
    rows.append({"what": "two worlds of one car", "value": alone, "unit": "us per tick", "note": ""})
    for name, start in ARRANGEMENTS.items():
        world = _world(2)
        world.place(1, *start)
        _drive(world, round(SETTLE / world.tick_seconds))
        tick_time = min(_tick_time(world) for _ in range(REPEATS))
        touching = "touching" if world.acted is not None else "not touching"
        note = f"ratio {tick_time / alone:.2f}, {touching}"
        rows.append({"what": f"one world of two, {name}", "value": tick_time, "unit": "us per tick", "note": note})
    return rows


def _world(count: int) -> World:
    """A World with `count` vehicles after TICKS with the brakes applied."""
    world = World(load_world("plane"), [load_vehicle(VEHICLE) for _ in range(count)])
    for k in range(count):
        world.merge(k)
        world.spawn(index=k)
    _drive(world, TICKS)
    return world


def _drive(world: World, ticks: int) -> None:
    """Step with brakes and neutral gear."""
    commands = np.full(len(world.vehicles), neutral_command()[0], COMMAND)
    commands["gear"], commands["brake"] = NEUTRAL, 1.0
    for _ in range(ticks):
        world.step(commands)


def _tick_time(world: World) -> float:
    """Mean time of a tick in TICKS ticks, us."""
    start = perf_counter()
    _drive(world, TICKS)
    return (perf_counter() - start) / TICKS * 1e6
