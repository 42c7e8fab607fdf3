"""CPU time of a frame without rasterisation: physics, session, poses, camera, panel, plots, HUD, cull; and the wall
time of a frame with software OpenGL at quality `low`.

The program runs offscreen with Mesa's no-op driver, which accepts every OpenGL call and does nothing: what remains is
the CPU work with a graphics card. It runs in a new process, as the driver is selected when OpenGL starts.

One car is driven by the AI from the first spawn point of the proving ground. With eight cars, either all are driven one
behind the other along the road, each by its own driver, or one drives past seven parked on both sides of its path.
Everything runs as in a drive: four ticks a frame, recording, rewind, props, shadows, mirrors, marks, smoke, HUD.
Figures are medians of FRAMES frames (DRAWN_FRAMES with rasterisation) after WARM_UP frames; the notes give the RARE
quantile and the longest frame. Without rasterisation the quality is *high*.

The speed of a shared machine varies by a factor of two within minutes. So the frames of eight driven cars alternate
with the bare steps of eight of panda3d.bullet's vehicles in the same process; their ratio is more reliable.
"""

import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from time import perf_counter, thread_time
from typing import Any

from driving_sandbox.physics.kernel.jit import ROOT

WARM_UP = 60  # frames before the timed ones
FRAMES = 300  # frames timed
START_RUNS = 3  # the first may compile
SIZE = (1280, 720)  # px, of frames that are not rasterised
DRAWN_SIZE = (960, 540)  # px, of frames that are
DRAWN_FRAMES = 60  # rasterised frames timed
ROW = 12.0  # m between parked cars along the path
ASIDE = 4.0  # m from the path to the rows of parked cars on both sides
STANDING = ("roadster", "coupe", "hatchback", "offroader", "patrol", "buggy", "lowrider", "roadster")
# From the last to the first on the road, the quickest in front, as drivers avoid obstacles but not each other.
DRIVING = ("roadster", "roadster", "lowrider", "patrol", "buggy", "offroader", "hatchback", "coupe")
APART = 12.0  # m between driven cars along the road
TURN = 30  # frames of our cars, then as many of Bullet's cars, in turn
BULLET_SPEED = 12.0  # m/s, above which the throttle is closed
BULLET_THROTTLE, BULLET_STEER = 0.5, 0.25  # commands; they give tight circles
BULLET_STEPS = 4  # steps per frame, as our ticks
BULLET_RATE = 240.0  # 1/s, steps per second, as our ticks
RARE = 0.99  # quantile of the frame times that is given besides the median


def measure() -> list[dict[str, Any]]:
    """Rows of figures."""
    with tempfile.TemporaryDirectory() as home:
        figures: dict[str, Any] = {}
        for scene, noop in (("one", "1"), ("standing", "1"), ("driving", "1"), ("drawn", "0")):
            environment = dict(os.environ, GALLIUM_NOOP=noop, SANDBOX_HOME=home)
            run = [sys.executable, "-m", "driving_sandbox.benchmarks.frame", scene]
            result = subprocess.run(run, cwd=ROOT, env=environment, check=True, capture_output=True, text=True)
            figures |= json.loads(result.stdout.splitlines()[-1])
        start = min(_start(dict(os.environ, SANDBOX_HOME=home)) for _ in range(START_RUNS))
    return [
        _row("frame, panel closed", figures["closed"], 4),
        _row("frame, panel open", figures["panel"], 4),
        _row("frame, panel and plots open", figures["open"], 4),
        _row("frame, eight cars, all driving", figures["driving"], 6),
        _row("frame, eight cars, seven standing", figures["standing"], 6),
        {
            "what": "steps of eight Bullet vehicles",
            "value": figures["bullet_cars"],
            "unit": "ms",
            "note": "in turns with the frames of eight driving cars: four steps each, nothing drawn or recorded",
        },
        {
            "what": "frame, all driving / Bullet",
            "value": figures["driving"][0] / figures["bullet_cars"],
            "unit": "1",
            "note": "no aim; comparable between minutes and machines",
        },
        {
            "what": "frame on low, drawn by software",
            "value": figures["drawn"][0],
            "unit": "ms",
            "note": f"{figures['renderer']}; aim: at most 83 ms (12 a second) at {DRAWN_SIZE[0]}x{DRAWN_SIZE[1]}",
        },
        {"what": "start, warm", "value": start, "unit": "s", "note": "process start to first drivable frame; aim: 3"},
    ]


def _row(what: str, figures: list[float], aim: float) -> dict[str, Any]:
    """Row of `figures`: median, RARE quantile and longest frame, ms."""
    median, rare, longest = figures
    note = f"aim: at most {aim}; {RARE:.0%} of the frames at most {rare:.1f}, the longest {longest:.1f}"
    return {"what": what, "value": median, "unit": "ms", "note": note}


def _start(environment: dict[str, str]) -> float:
    """Time from starting the program offscreen to its message that the first frame is drivable, s."""
    command = [sys.executable, "-m", "driving_sandbox", "drive", "--offscreen", "--driver", "none", "--size", "640x360"]
    began = perf_counter()
    with subprocess.Popen([*command, "--seconds", "0.01"], cwd=ROOT, env=environment, stderr=subprocess.PIPE,
                          text=True) as program:  # fmt: skip
        for line in program.stderr or ():
            if "first drivable frame" in line:
                elapsed = perf_counter() - began
                program.communicate()
                return elapsed
    raise RuntimeError("the program did not start")


def _frames(base: Any, count: int, clock: Callable[[], float] = thread_time) -> list[float]:
    """Times of the next frames, ms: the median, the RARE quantile, the longest."""
    return summary(times_of(base.taskMgr.step, count, clock))


def times_of(frame: Callable[[], object], count: int, clock: Callable[[], float] = thread_time) -> list[float]:
    """Time of each of `count` frames, s."""
    times = []
    for _ in range(count):
        before = clock()
        frame()
        times.append(clock() - before)
    return times


def summary(times: list[float]) -> list[float]:
    """[median, RARE quantile, longest] of times, converted from s to ms."""
    times, count = sorted(times), len(times)
    return [times[k] * 1e3 for k in (count // 2, math.ceil(RARE * count) - 1, -1)]


def open_program(
    cars: Sequence[str],
    size: tuple[int, int],
    quality: str,
    line_up: Callable[[Any], object] | None = None,
    offscreen: bool = True,
) -> Any:
    """The program with these vehicles, the first of them driven by the AI on the proving ground.

    Args:
        cars: names of vehicles.
        size: (width, height), pixels.
        quality: "auto" or a quality level of the graphics.
        line_up: places the other vehicles of the world that it is called with.
        offscreen: whether to draw into a buffer; otherwise in a window without vertical sync.
    """
    from driving_sandbox.benchmarks.scenes import drive_options
    from driving_sandbox.game.platform.window import WindowSettings, open_window
    from driving_sandbox.game.program.app import App
    from driving_sandbox.game.program.settings import Settings
    from driving_sandbox.game.session.drivers import make_driver
    from driving_sandbox.game.toolkit.backend import ImGuiBackend
    from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
    from driving_sandbox.physics.world.world import World
    from driving_sandbox.physics.world.world_file import load_world

    world_file, vehicles = load_world("proving_ground"), [load_vehicle(name) for name in cars]
    base = open_window(WindowSettings(offscreen=offscreen, size=size, vsync=False))
    ui = ImGuiBackend(base)
    world = World(world_file, vehicles)
    world.spawn()
    if line_up:
        line_up(world)
    settings = Settings(first_start=False, quality=quality)
    return App(base, ui, world, make_driver("ai", vehicles[0], world_file), drive_options(offscreen), settings)


def _warm(app: Any) -> None:
    """Draw the first frame and the WARM_UP frames."""
    app.first_frame()
    _frames(app.base, WARM_UP)


def _along_the_path(world: Any) -> None:
    """Park all but the first car in two rows ahead of it, in view and off its path."""
    start = world.file.spawn()
    sine, cosine = math.sin(start.heading), math.cos(start.heading)
    along, across = (-sine, cosine), (cosine, sine)
    for index in range(1, len(world.vehicles)):
        ahead, aside = ROW * ((index + 1) // 2), ASIDE * (-1) ** index
        position = (s + ahead * a + aside * b for s, a, b in zip(start.position, along, across, strict=True))
        world.place(index, tuple(position), start.heading)


def along_the_road(world: Any) -> None:
    """Place all but the first car on the road ahead of it."""
    from driving_sandbox.lab.drivers.driving_line import DrivingLine

    line = DrivingLine(world.file.driving_line)
    first = line.nearest(world.file.spawn().position)
    for index in range(1, len(world.vehicles)):
        (x, y), (next_x, next_y) = (line.ahead(first, index * APART + step) for step in (0.0, line.step))
        world.place(index, (x, y), math.atan2(x - next_x, next_y - y))


def _one() -> tuple[Any, dict[str, Any]]:
    """(App, figures) of one car, with panel and plots closed and open."""
    app, figures = open_program(STANDING[:1], SIZE, "high"), {}
    _warm(app)
    figures["closed"] = _frames(app.base, FRAMES)
    app.panel.open = True
    _frames(app.base, WARM_UP)
    figures["panel"] = _frames(app.base, FRAMES)
    app.plots.open = True
    _frames(app.base, WARM_UP)
    figures["open"] = _frames(app.base, FRAMES)
    return app, figures


def _standing() -> tuple[Any, dict[str, Any]]:
    """(App, figures) of one car driving past seven parked ones."""
    app = open_program(STANDING, SIZE, "high", _along_the_path)
    _warm(app)
    return app, {"standing": _frames(app.base, FRAMES)}


def _driving() -> tuple[Any, dict[str, Any]]:
    """(App, figures) of eight driven cars, and of Bullet's."""
    from driving_sandbox.game.session.drivers import make_driver

    app = open_program(DRIVING, SIZE, "high", along_the_road)
    others = enumerate(app.world.vehicles[1:], start=1)
    app.session.drivers = {index: make_driver("ai", vehicle, app.world.file) for index, vehicle in others}
    _warm(app)
    bullet_cars, ours, theirs = _BulletCars(app.world.vehicles), [], []
    for _ in range(FRAMES // TURN):
        ours += times_of(app.base.taskMgr.step, TURN)
        theirs += times_of(bullet_cars.frame, TURN)
    return app, {"driving": summary(ours), "bullet_cars": summary(theirs)[0]}


class _BulletCars:
    """panda3d.bullet's vehicles with the dimensions of ours, each in a world of its own."""

    def __init__(self, vehicles: Sequence[Any]) -> None:
        from driving_sandbox.benchmarks.bullet_vehicle import BulletCar
        from driving_sandbox.benchmarks.scenes import RING_RADIUS, hills

        self._cars = [BulletCar(hills(), vehicle, (RING_RADIUS, 0.0, 2.0), 0.0) for vehicle in vehicles]

    def frame(self) -> None:
        """Drive the steps of one frame."""
        for car in self._cars:
            _, _, speed, _ = car.motion()
            car.control(BULLET_THROTTLE if speed < BULLET_SPEED else 0.0, 0.0, BULLET_STEER)
            for _ in range(BULLET_STEPS):
                car.step(1.0 / BULLET_RATE)


def _drawn() -> tuple[Any, dict[str, Any]]:
    """(App, figures) of rasterised frames: wall time, as software OpenGL draws on other threads.

    Each frame waits until it is drawn.
    """
    from panda3d.core import load_prc_file_data

    from driving_sandbox.game.platform.window import renderer_name

    load_prc_file_data("benchmark", "gl-finish 1")
    app = open_program(STANDING[:1], DRAWN_SIZE, "low")
    _warm(app)
    return app, {"drawn": _frames(app.base, DRAWN_FRAMES, perf_counter), "renderer": renderer_name(app.base)}


SCENES = {"one": _one, "standing": _standing, "driving": _driving, "drawn": _drawn}


def main() -> None:
    """Entry point of the new process: measures a scene and prints one line of JSON."""
    app, figures = SCENES[sys.argv[1]]()
    app.close()
    app.base.destroy()
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
