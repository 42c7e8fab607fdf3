"""Cost of props: 300 at rest and 100 in motion, per tick, per frame of four ticks and in the program; cost of a vehicle
that stands on props or close to another one.

The same drive with and without props, alternating; the difference is their cost. In motion: crates and barrels dropped
in a heap that keeps tumbling while a car pushes through it. Bullet needs no graphics. The program: see
`props_window.py`.
"""

import json
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

from driving_sandbox.benchmarks.scenes import command, flat_world
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.props import PlacedProp
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

RESTING, MOVING = 300, 100
TICKS = 480
FRAME = 4  # ticks of 1/240 s
ASIDE, SPEED = 1.9, 20.0  # m between the centres of cars side by side, m/s
CRATE = 0.8  # m, height of one


def measure():
    """Rows of figures."""
    alone = _drive(lambda world: None)
    resting = _drive(lambda world: _resting(world).outside)
    rows = [
        {
            "what": f"{RESTING} things at rest, far from the car",
            "value": (resting - alone) * 1e6,
            "unit": "us per tick",
            "note": f"the car alone: {alone * 1e6:.1f}",
        },
    ]
    moving, awake = _tumble()
    note = f"processor time; {awake} awake on average; Bullet, reading, impulses; a frame of 60 a second has 16.7 ms"
    value = moving * FRAME * 1e3
    rows.append({"what": f"{MOVING} things in motion", "value": value, "unit": "ms per frame", "note": note})
    note = "processor time; Bullet, what wheels may meet, impulses"
    for what, seconds in (("two cars driving side by side", _beside()), ("a car parked on four crates", _on_crates())):
        rows.append({"what": what, "value": seconds * 1e6, "unit": "us per tick", "note": note})
    return rows + _program()


def _program():
    """Rows of the program with props in motion, from a new process, as the driver is selected when OpenGL starts."""
    with tempfile.TemporaryDirectory() as home:
        environment = dict(os.environ, GALLIUM_NOOP="1", SANDBOX_HOME=home)
        run = [sys.executable, "-m", "driving_sandbox.benchmarks.props_window", "--offscreen"]
        result = subprocess.run(run, cwd=ROOT, env=environment, check=True, capture_output=True, text=True)
    found = json.loads(result.stdout.splitlines()[-1])
    what = f"the program with {found['moving']} in motion"
    note = f"by {found['work']:.1f} ms of processor time; {found['rate']:.0f} by the clock beside all else; aim: 60"
    return [{"what": what, "value": 1e3 / found["work"], "unit": "frames/s", "note": note}]


def _prop_simulation(world, props):
    from driving_sandbox.game.props.simulation import PropSimulation

    return PropSimulation(world, props)


def _resting(world):
    x, y, _ = world.vehicles[0].model_position()
    return _prop_simulation(world, [
        PlacedProp("cone", (x + 300.0 + 3.0 * (k % 20), y + 3.0 * (k // 20)), None, 0.0, 0.0, 0) for k in range(RESTING)
    ])  # fmt: skip


def _drive(make):
    """Seconds per tick of a drive."""
    world = flat_world("roadster_simple")
    outside = make(world)
    driven = command(world.vehicles[0], throttle=0.4)
    times = []
    for _ in range(TICKS):
        begin = time.perf_counter()
        world.step(driven, outside(world) if outside else None)
        times.append(time.perf_counter() - begin)
    return float(np.median(times))


def _tumble():
    """(CPU seconds per tick of the props, how many were awake): a heap tumbles and a car pushes into it."""
    world = flat_world("roadster_simple")
    x, y, _ = world.vehicles[0].model_position()
    props = [
        PlacedProp("crate" if k % 2 else "barrel", (x + 1.1 * (k % 5) - 2.0, y + 8.0 + 1.1 * (k // 5 % 4)), None,
                  1.2 * (k // 20), 0.3 * k, 0)
        for k in range(MOVING)
    ]  # fmt: skip
    prop_simulation = _prop_simulation(world, props)
    for node in prop_simulation._nodes:
        node.setActive(True)
    prop_simulation.read()
    awake = []
    seconds = _processor_time(world, prop_simulation, command(world.vehicles[0], throttle=1.0),
                              lambda: awake.append(len(prop_simulation.awake)))  # fmt: skip
    return seconds, round(float(np.mean(awake)))


def _beside():
    """CPU seconds per tick of two cars about 0.2 m apart."""
    world = World(load_world("plane"), [load_vehicle("roadster_simple"), load_vehicle("roadster_simple")])
    for index, vehicle in enumerate(world.vehicles):
        world.place(index, (ASIDE * index, 0.0), 0.0)
        vehicle.state["body"]["velocity"][0, 1] = SPEED
        count = vehicle.wheel_count
        vehicle.state["wheel"]["omega"][0, :count] = SPEED / vehicle.params["wheel"]["radius"][0, :count]
    driven = np.concatenate([command(vehicle, throttle=0.2) for vehicle in world.vehicles])
    return _processor_time(world, _prop_simulation(world, ()), driven)


def _on_crates():
    """Processor seconds per tick of a car with a crate under each wheel."""
    world = flat_world("roadster_simple")
    car = world.vehicles[0]
    world.step(command(car))  # updates its wheel poses
    x, y, z = car.model_position()
    wheels = car.state["wheel"]["position"][0, : car.wheel_count, :2].tolist()
    prop_simulation = _prop_simulation(world, [PlacedProp("crate", (wx, wy), None, 0.0, 0.0, 0) for wx, wy in wheels])
    car.put((x, y, z + CRATE), car.model_orientation())
    return _processor_time(world, prop_simulation, command(car, brake=1.0, handbrake=1.0))


def _processor_time(world, prop_simulation, driven, each=lambda: None):
    """Seconds a tick that the props take in a drive."""
    times = []
    for _ in range(TICKS):
        begin = time.thread_time()
        external = prop_simulation.outside(world)
        times.append(time.thread_time() - begin)
        each()
        world.step(driven, external)
    return float(np.mean(times))
