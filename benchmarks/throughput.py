"""Successive ticks: re-simulating ten seconds at 240 ticks per second, tick by tick and in one compiled call."""

import time
from typing import Any

import numpy as np

from driving_sandbox.benchmarks.scenes import VEHICLES, command, drive, flat_world
from driving_sandbox.physics.tick.context import EXTERNAL
from driving_sandbox.physics.world.world import World

SECONDS = 10.0  # s simulated in each run
REPEATS = 5  # runs; the shortest counts


def measure() -> list[dict[str, Any]]:
    """Rows of figures, for every vehicle without a trailer."""
    rows = []
    for name in VEHICLES:
        world = flat_world(name)
        if len(world.vehicles) > 1:
            continue  # trains go tick by tick only
        vehicle = world.vehicles[0]
        ticks = round(SECONDS / world.tick_seconds)
        start = world.snapshot()
        stepped = min(_time_stepping(world, start, ticks) for _ in range(REPEATS))
        after_steps = world.state_hash()
        run = min(_time_running(world, start, ticks) for _ in range(REPEATS))
        world.tick = ticks  # part of the hash; only World.step counts it
        same = "same state" if world.state_hash() == after_steps else "ANOTHER STATE"
        note = f"{same}, {SECONDS / run:.0f} times real time, state {vehicle.state_hash():016x}"
        rows.append({"what": f"{name}: 10 s tick by tick", "value": stepped * 1e3, "unit": "ms", "note": ""})
        rows.append({"what": f"{name}: 10 s in one call", "value": run * 1e3, "unit": "ms", "note": note})
    return rows


def _time_stepping(world: World, start: Any, ticks: int) -> float:
    """Time of a drive from a snapshot, tick by tick, s."""
    world.restore(start)
    begin = time.perf_counter()
    drive(world, ticks, throttle=0.5, steer=0.1)
    return time.perf_counter() - begin


def _time_running(world: World, start: Any, ticks: int) -> float:
    """Time of the same drive in one call, s."""
    world.restore(start)
    vehicle = world.vehicles[0]
    commands = np.repeat(command(vehicle, throttle=0.5, steer=0.1), ticks)
    external = np.zeros(ticks, EXTERNAL)
    begin = time.perf_counter()
    ticks_run, fault = vehicle.sequence.run(
        vehicle.params, vehicle.state, vehicle.scratch, world.context, external, commands, world.tick_seconds,
        *world.ground.arrays,
    )  # fmt: skip
    elapsed = time.perf_counter() - begin
    if fault or ticks_run != ticks:
        raise RuntimeError(f"the drive ended at tick {ticks_run} by a fault")
    return elapsed
