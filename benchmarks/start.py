"""Start-up time to the first tick: with a warm cache, with another component, and with an empty cache.

Each figure is measured in new processes. Compilation runs as in the program, in a worker and its partner process:
driving begins with the parts (physics/tick/parts.py), the rest follows.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from typing import Any

from driving_sandbox.physics.kernel.jit import ROOT

COLD_AIM = 25.0  # s, compiling until it drives
LIST_AIM = 1.5  # s, first tick of another list of components, whose parts are compiled
LOAD_AIM = 0.5  # s, loading the step
_TICK = """
from time import perf_counter
from driving_sandbox.physics.tick.commands import neutral_command
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world
world_file, vehicle = load_world("proving_ground"), load_vehicle("roadster")
world_file.ground()
begin = perf_counter()
world = World(world_file, [vehicle])
world.spawn()
world.step(neutral_command())
print(perf_counter() - begin)
"""
_COMPILE = """
import json
from time import perf_counter, sleep
from driving_sandbox.physics.compile import CompileWorker, is_warm
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
vehicle, begin, drive = load_vehicle("roadster"), perf_counter(), None
worker = CompileWorker("roadster", "proving_ground")
while worker.poll():
    if drive is None and is_warm(vehicle):
        drive = perf_counter() - begin
    sleep(0.05)
print(json.dumps([drive, perf_counter() - begin]))
"""
_LIST = """
from time import perf_counter
import numpy as np
from driving_sandbox.physics.tick.commands import neutral_command
from driving_sandbox.physics.tick.context import EXTERNAL
from driving_sandbox.physics.tick.parts import bind_parts
from driving_sandbox.physics.vehicle.swap import plan_swap, swapped_vehicle
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world
world = World(load_world("proving_ground"), [load_vehicle("roadster_simple")])
world.spawn()
begin = perf_counter()
other = swapped_vehicle(world.vehicles[0], plan_swap(world.vehicles[0], "tire", "legacy"))
records = (other.params, other.state, other.scratch, world.context, world.ground.arrays)
bind_parts(other.sequence, *records)(np.zeros(1, EXTERNAL), neutral_command(), world.tick_seconds)
print(perf_counter() - begin)
"""


def _run(code: str, cache: str) -> tuple[Any, float]:
    """(output of a new process, time it took, s)."""
    environment = dict(os.environ, SANDBOX_CACHE=cache)
    start = time.perf_counter()
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, check=True, capture_output=True)
    return json.loads(run.stdout), time.perf_counter() - start


def measure() -> list[dict[str, Any]]:
    """Rows of figures."""
    with tempfile.TemporaryDirectory() as cache:
        (drive, whole), _ = _run(_COMPILE, cache)
        load, warm = min((_run(_TICK, cache) for _ in range(3)), key=lambda run: run[1])
        _run(_LIST, cache)  # the parts of the other component
        other, _ = min(_run(_LIST, cache) for _ in range(3))
    return [
        {"what": "headless start, warm", "value": warm, "unit": "s", "note": "roadster on the proving ground"},
        {"what": "loading the step", "value": load, "unit": "s", "note": f"aim: at most {LOAD_AIM}"},
        {"what": "another list, compiled parts", "value": other, "unit": "s", "note": f"aim: at most {LIST_AIM}"},
        {"what": "compiling until it drives", "value": drive, "unit": "s", "note": f"aim: at most {COLD_AIM:g}"},
        {"what": "compiling everything", "value": whole, "unit": "s", "note": "repeats and faults, too"},
    ]
