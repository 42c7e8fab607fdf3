"""Cost of props, per tick: at rest far from a car and beside it, in motion, and under a car that stands on them; and
frames per second of the program with props in motion.

The same drive is timed without props and with them; the difference is their cost. In motion: crates and barrels dropped
in a heap that keeps tumbling while a car pushes through it. The program: see `props_window.py`.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from driving_sandbox.benchmarks.scenes import command
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.props.placing import PlacedProp
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

RESTING = 100  # number of props at rest
MOVING = 100  # largest number of props in motion
FAR, NEAR = 300.0, 4.0  # m, lateral distances of the resting props from the car's path
TICKS = 480  # of a drive
CRATE = 0.8  # m, height of a crate


def measure() -> list[dict[str, Any]]:
    """Rows of figures."""
    alone = _drive(())
    note = f"the car alone: {alone * 1e6:.1f}"
    rows = [
        _row(f"{RESTING} props at rest, {what}", (_drive(_resting(away)) - alone) * 1e6, "us per tick", note)
        for what, away in (("far from the car", FAR), ("beside the car", NEAR))
    ]
    for count in (20, MOVING):
        moving, awake = _tumble(count)
        note = f"{awake} awake on average; a tick has 4167"
        rows.append(_row(f"a heap of {count} props in motion", moving * 1e6, "us per tick", note))
    rows.append(_row("a car parked on four crates", (_on_crates() - alone) * 1e6, "us per tick", note="beyond the car"))
    return rows + _program()


def _row(what: str, value: float, unit: str, note: str) -> dict[str, Any]:
    """A row of figures."""
    return {"what": what, "value": value, "unit": unit, "note": note}


def _program() -> list[dict[str, Any]]:
    """Rows of the program with props in motion, from a new process, as the driver is selected when OpenGL starts."""
    with tempfile.TemporaryDirectory() as home:
        environment = dict(os.environ, GALLIUM_NOOP="1", SANDBOX_HOME=home)
        run = [sys.executable, "-m", "driving_sandbox.benchmarks.props_window", "--offscreen"]
        result = subprocess.run(run, cwd=ROOT, env=environment, check=True, capture_output=True, text=True)
    figures = json.loads(result.stdout.splitlines()[-1])
    what = f"the program with {figures['moving']} in motion"
    note = f"by {figures['work']:.1f} ms of processor time; {figures['rate']:.0f} by the clock beside all else; aim: 60"
    return [{"what": what, "value": 1e3 / figures["work"], "unit": "frames/s", "note": note}]


def _resting(away: float) -> list[PlacedProp]:
    """Cones in rows that begin `away` m beside the car's path."""
    return [_prop("cone", away + 3.0 * (k % 20), 3.0 * (k // 20)) for k in range(RESTING)]


def _prop(kind: str, x: float, y: float, rise: float = 0.0, heading: float = 0.0) -> PlacedProp:
    """A PlacedProp at (x, y), `rise` m above the ground."""
    return PlacedProp(kind, (x, y), height=None, rise=rise, heading=heading, group=0)


def _world(props: Sequence[PlacedProp]) -> World:
    """A World of a plane with a car and props, compiled."""
    world = World(load_world("plane"), [load_vehicle("roadster_simple")], props=props)
    world.place(0, (0.0, 0.0), 0.0)
    if world.props is not None:
        world.props.prepare()
    for index in world.in_parts():
        world.merge(index)
    return world


def _drive(props: Sequence[PlacedProp]) -> float:
    """Median time of a tick of a drive, s."""
    world = _world(props)
    drive_command = command(world.vehicles[0], throttle=0.4)
    return float(np.median(_times(world, drive_command)))


def _times(world: World, drive_command: np.ndarray, after_tick: Callable[[], object] = lambda: None) -> list[float]:
    """Processor time of each tick of a drive, s; `after_tick()` is called after every tick and not timed."""
    times = []
    for _ in range(TICKS):
        begin = time.thread_time()
        world.step(drive_command)
        times.append(time.thread_time() - begin)
        after_tick()
    return times


def _tumble(count: int) -> tuple[float, int]:
    """(mean time of a tick, s, mean number of props awake) while a heap tumbles and a car pushes into it."""
    props = [  # layers of 5 x 4, 1.1 m apart in each layer; every prop is turned 0.3 rad further than the one before
        _prop("crate" if k % 2 else "barrel", 1.1 * (k % 5) - 2.0, 8.0 + 1.1 * (k // 5 % 4), rise=1.2 * (k // 20),
              heading=0.3 * k)
        for k in range(count)
    ]  # fmt: skip
    world = _world(props)
    rigid_bodies = world.props
    assert rigid_bodies is not None
    rigid_bodies.state["awake"] = 1
    rigid_bodies.check_again()
    awake: list[int] = []
    times = _times(world, command(world.vehicles[0], throttle=1.0), lambda: awake.append(rigid_bodies.moving))
    return float(np.mean(times)), round(float(np.mean(awake)))


def _on_crates() -> float:
    """Median time of a tick of a car with a crate under each wheel, s."""
    world = _world([_prop("crate", x, y) for x in (-0.75, 0.75) for y in (-1.2, 1.2)])
    car = world.vehicles[0]
    x, y, z = car.model_position()
    car.put((x, y, z + CRATE), car.model_orientation())
    return float(np.median(_times(world, command(car, brake=1.0, handbrake=1.0))))
