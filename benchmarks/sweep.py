"""Cost of the cylinder sweep: ticks with sweeps compared with rays, by size of the terrain, and near moving bodies.

Equal cars, with rays and with sweeps, follow the same circle on the same wavy terrain with cells of 1 m, a small and a
large one. Twenty seconds of their drivers' commands are then repeated, each drive in one call, alternating. Times are
process times, to which other programs add little. A large world is loaded twice; the second time counts.
"""

import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from driving_sandbox.benchmarks.scenes import forward_gear, hill_world, hills, ring_line
from driving_sandbox.lab.drivers import LineFollower
from driving_sandbox.lab.drivers.motion import motion_of
from driving_sandbox.physics.ground.ground import Ground, cast_ray
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.road.sweep import sweep_wheel
from driving_sandbox.physics.tick.context import EXTERNAL, MOVING_CAPACITY
from driving_sandbox.physics.vehicle.vehicle import Vehicle
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle, load_vehicle_text, vehicle_text
from driving_sandbox.physics.world.world_file import load_world

RATE = 60.0  # 1/s, ticks per second
SUBSTEPS = 3  # per tick
WARM_UP = 600  # ticks until the cars have reached their speed
TURNS = 25  # pairs of timed drives, whose median counts
TURN = 1200  # ticks of a timed drive
SPEED = 12.0  # m/s, of the cars on the circle
SIZES = (512, 4096)  # cells along each side of the terrain
QUERIES = 20000  # ground queries of one measurement
AIM = 1.4  # largest ratio of the times of a step, sweep to ray
LOAD_AIM = 3.0  # s, loading a large world
WORLD = """
name: Large
terrain: {heights: heights.npy, cell_surface: cells.npy, surfaces: [grass], origin: [0, 0], cell: 1.0}
spawn_points: {start: {position: [0, 0]}}
"""


def with_query(vehicle: Vehicle, name: str) -> Vehicle:
    """An equal vehicle with another road query."""
    text = vehicle_text(vehicle)
    components = dict(vehicle.info.get("components") or {}, road=name)
    return load_vehicle_text(yaml.safe_dump({**yaml.safe_load(text), "components": components}, sort_keys=False))


def with_tires_of(name: str, other: str) -> Vehicle:
    """The vehicle `name` with the tires of the vehicle `other`."""
    doc, other_doc = (yaml.safe_load(vehicle_text(load_vehicle(which))) for which in (name, other))
    components = {**(doc.get("components") or {}), "tire": other_doc["components"]["tire"]}
    text = yaml.safe_dump({**doc, "components": components, "tire": other_doc["tire"]}, sort_keys=False)
    return load_vehicle_text(text)


class _Car:
    """One car on the circle: TURN ticks of a driver's commands, and the time of the same ticks in one call."""

    def __init__(self, query: str, cells: int) -> None:
        world = self.world = hill_world(with_query(load_vehicle("roadster_simple"), query), RATE, SUBSTEPS, cells)
        vehicle = self.vehicle = world.vehicles[0]
        driver = LineFollower(ring_line(), top_speed=SPEED, forward_gear=forward_gear(vehicle))
        commands = []
        for tick in range(WARM_UP + TURN):
            if tick == WARM_UP:
                self.start = world.snapshot()
            motion = motion_of(vehicle, 0.0)
            commands.append(driver.command(motion.position, motion.heading, motion.speed, 1.0 / RATE).copy())
            world.step(commands[-1])
        self.commands = np.concatenate(commands[WARM_UP:])
        self.external = np.zeros(TURN, EXTERNAL)
        self.crowd = self.external.copy()  # bodies high above the centre of the circle: queried, but never hit
        self.crowd["moving_count"], self.crowd["moving_half"] = MOVING_CAPACITY, 0.5
        self.crowd["moving_orientation"][:, 3::4], self.crowd["moving_position"] = 1.0, 30.0

    def tick_time(self, crowd: bool = False) -> float:
        """Process time of a tick, s, as the mean of one drive; `crowd`: among moving bodies."""
        vehicle, world = self.vehicle, self.world
        world.restore(self.start)
        external = self.crowd if crowd else self.external
        arguments = (
            vehicle.params, vehicle.state, vehicle.scratch, world.context, external, self.commands,
            world.tick_seconds, *world.ground.arrays,
        )  # fmt: skip
        start = time.process_time_ns()
        vehicle.sequence.run(*arguments)
        return (time.process_time_ns() - start) * 1e-9 / TURN


@kernel
def many_sweeps(ground: Any, positions: Any, total: Any) -> None:
    """Sweep a wheel down at each position; the sum of the jounces is added to total[0]."""
    for k in range(len(positions)):
        centre = (positions[k, 0], positions[k, 1], positions[k, 2])
        # m: radius 0.3, half width 0.1, travel 0.2
        hit, jounce, _, _, _ = sweep_wheel(ground, None, centre, (0.0, 0.0, -1.0), (1.0, 0.0, 0.0), 0.3, 0.1, 0.2, 0)
        total[0] += jounce


@kernel
def many_rays(ground: Any, positions: Any, total: Any) -> None:
    """Cast a ray down from above each position; the sum of the distances is added to total[0]."""
    for k in range(len(positions)):
        origin = (positions[k, 0], positions[k, 1], positions[k, 2] + 0.3)
        hit, distance, _, _ = cast_ray(ground, origin, (0.0, 0.0, -1.0), 0.8)
        total[0] += distance


def query_times(cells: int) -> list[float]:
    """(ray, sweep) process time of one query on a field of waves, s."""
    ground = Ground(hills(cells))
    rng = np.random.default_rng(1)
    # 20 wheel tracks of 1,000 positions each, 0.1 m apart: local as in driving, not random over the map
    starts = rng.uniform(-0.4 * cells, 0.4 * cells, (20, 1, 2))
    heading = rng.uniform(0.0, 2.0 * np.pi, (20, 1))
    distances = np.arange(QUERIES // 20) * 0.1
    xy = (starts + np.stack([np.cos(heading) * distances, np.sin(heading) * distances], axis=-1)).reshape(-1, 2)
    xy = np.clip(xy, -0.49 * cells, 0.49 * cells)
    positions = np.column_stack([xy, [ground.height(x, y) + 0.4 for x, y in xy]])
    results, total = [], np.zeros(1)
    for function in (many_rays, many_sweeps):
        function(ground.arrays, positions, total)
        times = []
        for _ in range(15):
            start = time.process_time_ns()
            function(ground.arrays, positions, total)
            times.append(time.process_time_ns() - start)
        results.append(float(np.median(times)) * 1e-9 / QUERIES)
    return results


def load_time(cells: int) -> float:
    """Time to load a world of `cells` x `cells` cells for the second time, s."""
    field = hills(cells)
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder) / "heights.npy", field.heights)
        np.save(Path(folder) / "cells.npy", field.cell_surface)
        path = Path(folder) / "world.yaml"
        path.write_text(WORLD)
        for _ in range(2):
            start = time.perf_counter()
            load_world(path).ground()
            seconds = time.perf_counter() - start
    return seconds


def tick_rows() -> list[dict[str, Any]]:
    """Rows: whole ticks on each size of terrain, and among moving bodies."""
    cars = [(_Car("ray", cells), _Car("sweep", cells)) for cells in SIZES]
    times = np.array([[(ray.tick_time(), sweep.tick_time()) for ray, sweep in cars] for _ in range(TURNS)])
    rows = []
    for k, cells in enumerate(SIZES):
        rays, sweeps = (float(t) * 1e6 for t in np.median(times[:, k], axis=0))
        ratio = float(np.median(times[:, k, 1] / times[:, k, 0]))
        size, state = f"{cells} x {cells} cells", f"state {cars[k][1].world.state_hash():016x}"
        rows.append({"what": f"tick with rays, {size}", "value": rays, "unit": "us", "note": f"{SUBSTEPS} substeps"})
        rows.append({"what": f"tick with sweeps, {size}", "value": sweeps, "unit": "us", "note": state})
        rows.append({"what": f"sweep / ray, {size}", "value": ratio, "unit": "1", "note": f"aim: at most {AIM}"})
    for k, name in enumerate(("rays", "sweeps")):
        growth = float(np.median(times[:, -1, k] / times[:, 0, k]))
        note = f"from {SIZES[0]} to {SIZES[-1]} cells a side"
        rows.append({"what": f"growth of the tick with {name}", "value": growth, "unit": "1", "note": note})
    crowd = float(np.median([cars[0][1].tick_time(crowd=True) for _ in range(TURNS)])) * 1e6
    note = "of 12 triangles each, none under a wheel"
    rows.append({"what": f"tick with sweeps, {MOVING_CAPACITY} bodies", "value": crowd, "unit": "us", "note": note})
    return rows


def measure() -> list[dict[str, Any]]:
    """Rows of figures."""
    rows = tick_rows()
    seconds, note = load_time(SIZES[-1]), f"aim: at most {LOAD_AIM:g} s"
    rows.append({"what": f"load {SIZES[-1]} x {SIZES[-1]} cells", "value": seconds, "unit": "s", "note": note})
    for cells in SIZES:
        one_ray, one_sweep = query_times(cells)
        size, note = f"{cells} x {cells} cells", f"{one_sweep / one_ray:.1f} rays"
        rows.append({"what": f"ray, {size}", "value": one_ray * 1e9, "unit": "ns", "note": "one wheel"})
        rows.append({"what": f"sweep, {size}", "value": one_sweep * 1e9, "unit": "ns", "note": note})
    return rows
