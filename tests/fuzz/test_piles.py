"""Vehicles thrown onto vehicles, into piles of cones and crates, and onto their roofs."""

import math

import numpy as np
import pytest
from prop_rig import coasting_command, placed_prop

from driving_sandbox.physics.tick.guard import MAX_SPEED
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

KEPT = "piles"  # key of the kept seeds in kept_seeds.yaml
VEHICLES = ("roadster", "hatchback", "buggy", "truck", "tank", "three_wheeler")
SECONDS = 3.0  # of each throw
HEIGHT = (0.5, 4.0)  # m; the second vehicle falls from 2 m more than this
GROUND = -0.5  # m; below it a vehicle's centre has gone through the ground


def attitude(rng, upside_down):
    """A random quaternion (x, y, z, w); with `upside_down`, on the roof but for a tilt of about ten degrees."""
    if upside_down:
        tilt = rng.normal(size=2) * 0.1
        q = np.array([math.cos(tilt[0]), math.sin(tilt[0]), tilt[1], 0.0])
    else:
        q = rng.normal(size=4)
    return tuple((q / np.linalg.norm(q)).tolist())


def pile(rng):
    """Cones, crates and barrels close together, up to 2 m above the ground."""
    kinds = ("cone", "crate", "barrel")
    return [
        placed_prop(
            kinds[rng.integers(3)], *rng.uniform(-2.0, 2.0, 2), rng.uniform(0, 6.0), rise=float(rng.uniform(0, 2.0))
        )
        for _ in range(rng.integers(5, 40))
    ]


def throw(seed):
    """(largest velocity component, m/s; lowest height of a centre of mass, m) of a seed's vehicles in SECONDS.

    A fault is an AssertionError.
    """
    rng = np.random.default_rng(seed)
    names = [VEHICLES[k] for k in rng.integers(len(VEHICLES), size=2)]
    props = pile(rng) if seed % 2 else ()
    world = World(load_world("plane"), [load_vehicle(name) for name in names], props=props)
    first, second = (train.start for train in world.trains)
    world.place(first, (0.0, 0.0), float(rng.uniform(-3.0, 3.0)))
    velocity = (*rng.uniform(-15.0, 15.0, 2), float(rng.uniform(-8.0, 0.0)))
    height = 2.0 + float(rng.uniform(*HEIGHT))
    world.vehicles[second].put((*rng.uniform(-1.5, 1.5, 2), height), attitude(rng, seed % 3 == 0), velocity)
    command = np.concatenate(
        [coasting_command(steer=rng.uniform(-1, 1), brake=rng.uniform(0, 1))] * len(world.vehicles)
    )
    fastest, lowest = 0.0, math.inf
    for tick in range(round(SECONDS / world.tick_seconds)):
        fault = world.step(command)
        assert fault is None, f"seed {seed}, {names}, tick {tick}: {fault.text}"
        for vehicle in world.vehicles:
            body = vehicle.state["body"][0]
            fastest = max(fastest, float(np.abs(body["velocity"]).max()))
            lowest = min(lowest, float(body["position"][2]))
    assert world.props is None or np.isfinite(world.props.poses()).all(), (
        f"seed {seed}, {names}: a prop without a finite pose"
    )
    return fastest, lowest


def test_kept_piles_cause_no_fault_and_keep_vehicles_slow_and_above_the_ground(kept_seed):
    fastest, lowest = throw(kept_seed)
    assert fastest < 60.0 and lowest > GROUND  # m/s, after a fall from up to 6 m and impacts


@pytest.mark.nightly
def test_random_piles_neither_fault_nor_push_vehicles_into_the_ground(seeds, report_row):
    tried, faults, fastest = 0, [], 0.0
    for seed in seeds(minimum=10):
        tried += 1
        try:
            speed, lowest = throw(seed)
            fastest = max(fastest, speed)
            assert lowest > GROUND and speed < MAX_SPEED, f"seed {seed}: {speed:.0f} m/s, {lowest:.2f} m"
        except AssertionError as error:
            faults.append(str(error))
    report_row(
        "vehicles on vehicles, piles and roofs", f"{tried} throws, up to {fastest:.0f} m/s", f"{len(faults)} faults"
    )
    assert not faults, faults[:5]
