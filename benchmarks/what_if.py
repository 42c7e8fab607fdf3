"""Time to simulate the last ten seconds of a drive again with changed parameters, in the world's ticks."""

import time
from typing import Any

import numpy as np

from driving_sandbox.game.session.session import Session
from driving_sandbox.lab.drivers import LineFollower
from driving_sandbox.physics.batch.trajectory import Rerun
from driving_sandbox.physics.tick.commands import AUTOMATIC
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

SPAN = 10.0  # s, simulated again
REPEATS = 15  # runs timed


def _session_after_drive(world_name: str) -> Session:
    """A Session after a drive along a world's line, a little longer than SPAN."""
    world_file = load_world(world_name)
    world = World(world_file, [load_vehicle("roadster_simple")])
    world.spawn()
    line = LineFollower(world_file.driving_line, top_speed=20.0, forward_gear=AUTOMATIC)
    session = Session(world)
    for _ in range(round(60 * (SPAN + 2.0))):
        session.step(1.0 / 60.0, lambda s: line.command(s.position[:2], s.heading, s.forward_speed, s.dt))
    return session


def measure() -> list[dict[str, Any]]:
    """Rows of figures."""
    session = _session_after_drive("proving_ground")
    rerun = Rerun(session.vehicle, session.world)
    times, cpu, preparing = [], [], []
    for k in range(REPEATS + 1):  # the first run is not counted
        session.vehicle.set("body.mass", 1000.0 + 10.0 * k)
        start = time.perf_counter()
        segment = session.changes.segment(SPAN)
        assert segment is not None  # the drive is longer than SPAN
        rerun.begin(segment, rerun.parameters())
        ready, cpu_start = time.perf_counter(), time.process_time()
        ticks = segment.ticks
        rerun.advance(ticks)
        times.append(time.perf_counter() - ready)
        cpu.append(time.process_time() - cpu_start)
        preparing.append(ready - start)
    session.close()
    substeps = int(session.world.context[0]["substep_count"])
    note = f"{ticks} ticks of {session.world.tick_seconds * 1e3:.2f} ms, {substeps} substeps each"
    return [
        {"what": f"rerun of {SPAN:g} s, median", "value": 1e3 * float(np.median(times[1:])), "unit": "ms",
         "note": note},
        {"what": f"rerun of {SPAN:g} s, best", "value": 1e3 * min(times[1:]), "unit": "ms",
         "note": "one compiled call"},
        {"what": f"rerun of {SPAN:g} s, processor", "value": 1e3 * float(np.median(cpu[1:])), "unit": "ms",
         "note": "median"},
        {"what": "preparing a rerun", "value": 1e3 * float(np.median(preparing[1:])), "unit": "ms",
         "note": "snapshot, commands, parameters"},
    ]  # fmt: skip
