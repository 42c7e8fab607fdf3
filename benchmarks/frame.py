"""Processor time of a frame without the drawing itself: physics, session, poses, camera, panel, plots, HUD, cull.

The program runs offscreen with Mesa's no-op driver, which takes every OpenGL call and does nothing, so what remains is
the work a graphics card would not take over. A fresh process, because the driver is chosen when OpenGL starts.
"""

import json
import os
import subprocess
import sys
import tempfile
from time import perf_counter, thread_time

from physics.jit import ROOT

WARM_UP, FRAMES = 60, 300
START_RUNS = 3  # the first may compile
SIZE = (1280, 720)


def measure():
    """Rows of figures."""
    with tempfile.TemporaryDirectory() as home:
        environment = dict(os.environ, GALLIUM_NOOP="1", SANDBOX_HOME=home)
        run = [sys.executable, "-m", "benchmarks.frame"]
        result = subprocess.run(run, cwd=ROOT, env=environment, check=True, capture_output=True, text=True)
        start = min(_start(dict(os.environ, SANDBOX_HOME=home)) for _ in range(START_RUNS))
    figures = json.loads(result.stdout.splitlines()[-1])
    return [
        {"what": "frame, panel closed", "value": figures["closed"], "unit": "ms", "note": "aim: at most 4"},
        {"what": "frame, panel and plots open", "value": figures["open"], "unit": "ms", "note": "aim: at most 4"},
        {"what": "start, warm", "value": start, "unit": "s", "note": "process start to first drivable frame; aim: 3"},
    ]


def _start(environment):
    """Seconds from starting the program's process, offscreen, to its word that the first frame can be driven."""
    command = [sys.executable, "main.py", "drive", "--offscreen", "--driver", "none", "--size", "640x360"]
    began = perf_counter()
    with subprocess.Popen([*command, "--seconds", "0.01"], cwd=ROOT, env=environment, stderr=subprocess.PIPE,
                          text=True) as program:  # fmt: skip
        for line in program.stderr:
            if "first drivable frame" in line:
                took = perf_counter() - began
                program.communicate()
                return took
    raise RuntimeError("the program did not start")


def _median_frame(base, count):
    times = []
    for _ in range(count):
        before = thread_time()
        base.taskMgr.step()
        times.append(thread_time() - before)
    return sorted(times)[count // 2] * 1e3


def main():
    """The fresh process: one line of JSON."""
    from types import SimpleNamespace

    from game.app import App
    from game.drivers import make_driver
    from game.panel.backend import ImGuiBackend
    from game.settings import Settings
    from game.window import WindowSettings, open_window
    from physics.vehicle_file import load_vehicle
    from physics.world import World
    from physics.world_file import load_world

    place, vehicle = load_world("proving_ground"), load_vehicle("roadster")
    base = open_window(WindowSettings(offscreen=True, size=SIZE))
    ui = ImGuiBackend(base)
    world = World(place, [vehicle])
    world.spawn()
    options = SimpleNamespace(offscreen=True, size=SIZE, seconds=None, record=None, screenshot=None)
    app = App(base, ui, world, make_driver("ai", vehicle, place), options, Settings(first_start=False))
    base.taskMgr.step()
    figures = {}
    _median_frame(base, WARM_UP)
    figures["closed"] = _median_frame(base, FRAMES)
    app.panel.open = app.plots.open = True
    _median_frame(base, WARM_UP)
    figures["open"] = _median_frame(base, FRAMES)
    app.close()
    base.destroy()
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
