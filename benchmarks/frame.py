"""Processor time of a frame without the drawing itself: physics, session, poses, camera, panel, plots, HUD, cull; and
the rate of frames drawn by software OpenGL on the level `low`.

The program runs offscreen with Mesa's no-op driver, which takes every OpenGL call and does nothing, so what remains is
the work a graphics card would not take over. A fresh process, because the driver is chosen when OpenGL starts.
"""

import json
import math
import os
import subprocess
import sys
import tempfile
from time import perf_counter, thread_time

from physics.jit import ROOT

WARM_UP, FRAMES = 60, 300
START_RUNS = 3  # the first may compile
SIZE, DRAWN_SIZE = (1280, 720), (960, 540)
DRAWN_FRAMES = 60
ROW, ASIDE = 12.0, 4.0  # m: the other cars stand in two rows ahead, one to each side of the way, as parked cars do
CARS = ("roadster", "coupe", "hatchback", "offroader", "patrol", "buggy", "lowrider", "roadster")


def measure():
    """Rows of figures."""
    with tempfile.TemporaryDirectory() as home:
        figures = {}
        for scene, noop in (("one", "1"), ("eight", "1"), ("drawn", "0")):
            environment = dict(os.environ, GALLIUM_NOOP=noop, SANDBOX_HOME=home)
            run = [sys.executable, "-m", "benchmarks.frame", scene]
            result = subprocess.run(run, cwd=ROOT, env=environment, check=True, capture_output=True, text=True)
            figures |= json.loads(result.stdout.splitlines()[-1])
        start = min(_start(dict(os.environ, SANDBOX_HOME=home)) for _ in range(START_RUNS))
    return [
        {"what": "frame, panel closed", "value": figures["closed"], "unit": "ms", "note": "aim: at most 4"},
        {"what": "frame, panel open", "value": figures["panel"], "unit": "ms", "note": "aim: at most 4"},
        {"what": "frame, panel and plots open", "value": figures["open"], "unit": "ms", "note": "aim: at most 4"},
        {"what": "frame, eight cars", "value": figures["eight"], "unit": "ms", "note": "aim: at most 6"},
        {"what": "frame on low, drawn by software", "value": figures["drawn"], "unit": "ms",
         "note": f"{figures['renderer']}; aim: at most 83 ms (12 a second) at {DRAWN_SIZE[0]}x{DRAWN_SIZE[1]}"},
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


def _open(cars, size, quality):
    """The program offscreen with these vehicles, the first of them driven."""
    from cli.arguments import build_parser
    from game.app import App
    from game.drivers import make_driver
    from game.panel.backend import ImGuiBackend
    from game.settings import Settings
    from game.window import WindowSettings, open_window
    from physics.vehicle_file import load_vehicle
    from physics.world import World
    from physics.world_file import load_world

    place, vehicles = load_world("proving_ground"), [load_vehicle(name) for name in cars]
    base = open_window(WindowSettings(offscreen=True, size=size))
    ui = ImGuiBackend(base)
    world = World(place, vehicles)
    world.spawn()
    _line_up(world, place.spawn())
    options = build_parser().parse_args(["drive", "--offscreen", "--size", "{}x{}".format(*size)])
    settings = Settings(first_start=False, quality=quality)
    app = App(base, ui, world, make_driver("ai", vehicles[0], place), options, settings)
    app.first_frame()
    _median_frame(base, WARM_UP)
    return app


def _line_up(world, start):
    """Stand all but the first car in two rows ahead of it, in its picture and out of its way."""
    sine, cosine = math.sin(start.heading), math.cos(start.heading)
    along, across = (-sine, cosine), (cosine, sine)
    for index in range(1, len(world.vehicles)):
        ahead, aside = ROW * ((index + 1) // 2), ASIDE * (-1) ** index
        place = (s + ahead * a + aside * b for s, a, b in zip(start.position, along, across, strict=True))
        world.place(index, tuple(place), start.heading)


def _one():
    app, figures = _open(CARS[:1], SIZE, "auto"), {}
    figures["closed"] = _median_frame(app.base, FRAMES)
    app.panel.open = True
    _median_frame(app.base, WARM_UP)
    figures["panel"] = _median_frame(app.base, FRAMES)
    app.plots.open = True
    _median_frame(app.base, WARM_UP)
    figures["open"] = _median_frame(app.base, FRAMES)
    return app, figures


def _eight():
    app = _open(CARS, SIZE, "high")
    return app, {"eight": _median_frame(app.base, FRAMES)}


def _drawn():
    """Wall time: software OpenGL draws on other threads; each frame waits for the last pixel."""
    from panda3d.core import load_prc_file_data

    from game.window import renderer_name

    load_prc_file_data("benchmark", "gl-finish 1")
    app, times = _open(CARS[:1], DRAWN_SIZE, "low"), []
    for _ in range(DRAWN_FRAMES):
        before = perf_counter()
        app.base.taskMgr.step()
        times.append(perf_counter() - before)
    return app, {"drawn": sorted(times)[len(times) // 2] * 1e3, "renderer": renderer_name(app.base)}


def main():
    """The fresh process: one line of JSON."""
    app, figures = {"one": _one, "eight": _eight, "drawn": _drawn}[sys.argv[1]]()
    app.close()
    app.base.destroy()
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
