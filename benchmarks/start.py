"""From the command to the first tick: a fresh process with compiled code at hand, and one that must compile."""

import os
import subprocess
import sys
import tempfile
import time

from physics.jit import ROOT

_TICK = """
from physics.command.commands import neutral_command
from physics.vehicle_file import load_vehicle
from physics.world import World
from physics.world_file import load_world
world = World(load_world({world!r}), [load_vehicle("roadster")])
world.spawn()
world.step(neutral_command())
"""


def _seconds(code, cache=None):
    environment = dict(os.environ)
    if cache is not None:
        environment["SANDBOX_CACHE"] = cache
    begin = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, check=True, capture_output=True)
    return time.perf_counter() - begin


def measure():
    """Rows of figures."""
    code = _TICK.format(world=str(ROOT / "configs" / "worlds" / "proving_ground.yaml"))
    _seconds(code)  # fills the cache where it was empty
    warm = min(_seconds(code) for _ in range(3))
    with tempfile.TemporaryDirectory() as empty:
        cold = _seconds(code, empty)
    return [
        {"what": "headless start, warm", "value": warm, "unit": "s", "note": "roadster on the proving ground"},
        {"what": "headless start, cold", "value": cold, "unit": "s", "note": "every kernel compiled"},
    ]
