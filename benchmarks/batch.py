"""A thousand varied cars in one call.

They differ in mass and in the left rear tire and spring, and are spread over a 512 x 512 heightfield, at 60 ticks a
second with 3 substeps, each with its own commands. Measured are calls of one tick, as in reinforcement learning, and of
TICKS ticks. The ground queries are those of `roadster_simple`, cylinder sweeps with road roughness; four more rows are
for rays on a smooth road. The sweeps are compared with panda3d.bullet's vehicle on the same triangles, alone in its
world.
"""

import os
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from driving_sandbox.benchmarks.bullet_vehicle import BulletCar
from driving_sandbox.benchmarks.scenes import RING_RADIUS, forward_gear, hill_world, hills
from driving_sandbox.benchmarks.sweep import with_query
from driving_sandbox.physics.batch.batch import Batch
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.fault import Fault

REPEATS = 5  # runs from the same start; the best counts
CARS = 1000  # of a batch
RATE = 60.0  # 1/s, ticks per second
SUBSTEPS = 3  # per tick
WARM_UP = 120  # ticks until the cars are rolling
TICKS = 10  # ticks of the longer call
RUN_TICKS = 6 * TICKS  # ticks of a timed run
BULLET_TICKS = 600  # ticks timed of the car in Bullet
AIM = 550e3  # car steps per second on two threads


def varied_batch(threads: int, rays: bool = False) -> tuple[Batch, np.ndarray]:
    """(Batch of varied cars, varied commands [TICKS, CARS]); `rays`: with rays on a smooth road instead of sweeps."""
    rng = np.random.default_rng(11)
    base = load_vehicle("roadster_simple")
    if rays:
        base = with_query(base, "ray")
        base.set_many({f"road.{wheel}.roughness": 0.0 for wheel in base.wheel_names})
    stiffness = base.get("suspension.rl.stiffness")
    parameters = [
        {
            "body.mass": rng.uniform(1000.0, 1300.0),
            "tire.rl.lateral_stiffness": rng.uniform(40e3, 70e3),
            "suspension.rl.stiffness": stiffness * rng.uniform(0.9, 1.2),
        }
        for _ in range(CARS)
    ]
    world = hill_world(base, RATE, SUBSTEPS)
    batch = Batch(base, world, CARS, parameters, threads=threads)
    batch.place(rng.uniform(-150.0, 150.0, (CARS, 2)), rng.uniform(-np.pi, np.pi, CARS))
    commands = batch.neutral_commands(TICKS)
    commands["gear"] = forward_gear(base)
    commands["throttle"] = rng.uniform(0.2, 0.8, CARS)
    commands["steer"] = rng.uniform(-0.5, 0.5, CARS)
    return batch, commands


def _check(faults: Sequence[Fault]) -> None:
    """Raise RuntimeError with the text of the first fault, if there is any: a failed car costs less time."""
    if faults:
        raise RuntimeError(faults[0].text)


def _steps_per_second(batch: Batch, commands: np.ndarray, ticks: int) -> float:
    """Car steps per second in calls of `ticks` ticks, the best of REPEATS runs of RUN_TICKS ticks from one start."""
    max_rate = 0.0
    start = batch.snapshot()
    for _ in range(REPEATS):
        batch.restore(start)
        begin = time.perf_counter()
        faults = [fault for _ in range(RUN_TICKS // ticks) for fault in batch.step(commands[:ticks])]
        max_rate = max(max_rate, RUN_TICKS * batch.count / (time.perf_counter() - begin))
        _check(faults)
    return max_rate


def _bullet() -> float:
    """Steps per second of one car of panda3d.bullet."""
    car = BulletCar(hills(), load_vehicle("roadster_simple"), (RING_RADIUS, 0.0, 2.0), 0.0)
    for tick in range(WARM_UP + BULLET_TICKS):
        if tick == WARM_UP:
            start = time.perf_counter()
        car.control(throttle=0.3, brake=0.0, steer=0.1)
        car.step(1.0 / RATE)
    return BULLET_TICKS / (time.perf_counter() - start)


def measure() -> list[dict[str, Any]]:
    """Rows of figures."""
    threads = min(2, os.cpu_count() or 1)
    # {(threads, rays): [rate in calls of one tick, of TICKS]}; {rays: hashes of the end states}
    rates: dict[tuple[int, bool], list[float]] = {}
    hashes: dict[bool, set] = {False: set(), True: set()}
    for rays in (False, True):
        for n in {1, threads}:
            batch, commands = varied_batch(n, rays=rays)
            with batch:
                for _ in range(WARM_UP // TICKS):
                    _check(batch.step(commands))
                rates[n, rays] = [_steps_per_second(batch, commands, ticks) for ticks in (1, TICKS)]
                hashes[rays].add(batch.state_hash())
    # the number of threads must not change the result
    same = "same state" if all(len(states) == 1 for states in hashes.values()) else "ANOTHER STATE"
    single, many = rates[1, False], rates[threads, False]
    single_ray, many_ray = rates[1, True], rates[threads, True]
    bullet = _bullet()
    note = f"{CARS} varied cars, a tick a call; aim: at least {AIM:.0f} on two threads"
    name = f"{threads} threads"
    return [
        {"what": "sweeps, 1 thread", "value": single[0], "unit": "1/s", "note": f"car steps, {SUBSTEPS} substeps each"},
        {"what": f"sweeps, {name}", "value": many[0], "unit": "1/s", "note": note},
        {"what": f"sweeps, {name}, {TICKS} ticks a call", "value": many[1], "unit": "1/s", "note": same},
        {"what": f"sweeps, {name} / 1", "value": many[0] / single[0], "unit": "1", "note": "aim: at least 1.7"},
        {"what": "rays, 1 thread", "value": single_ray[0], "unit": "1/s", "note": "on a smooth road"},
        {"what": f"rays, {name}", "value": many_ray[0], "unit": "1/s", "note": note},
        {"what": f"rays, {name}, {TICKS} ticks a call", "value": many_ray[1], "unit": "1/s", "note": same},
        {"what": f"rays, {name} / 1", "value": many_ray[0] / single_ray[0], "unit": "1", "note": "aim: at least 1.7"},
        {"what": "panda3d.bullet, one car", "value": bullet, "unit": "1/s", "note": "called from Python, one thread"},
        {"what": "sweeps / bullet", "value": many[0] / bullet, "unit": "1", "note": f"{name} against Bullet's one"},
    ]
