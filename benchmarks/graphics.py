"""Frame times of a drive on this computer's graphics card, beside a plain Panda3D scene with as many nodes.

    python -m driving_sandbox.benchmarks.graphics --scene eight --size 3840x2160 --quality ultra --window

An AI drives a roadster on the proving ground, with everything that runs in a drive. All frames are 1/60 s of driving,
drawn without vertical sync; each waits until the card has finished it (glFinish), so that its time contains the card's.
`before drawing` is the time of physics, poses, camera and interface; the rest culls, issues draw calls and waits.
The frames of the plain scene, quads without a shader, are drawn in turns with ours: their ratio is more reliable than
times on a shared computer. Frames that do not wait are measured last.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from time import perf_counter
from typing import Any

from driving_sandbox.benchmarks.frame import DRIVING, RARE, along_the_road, open_program, summary, times_of
from driving_sandbox.physics.kernel.jit import ROOT

SCENES = {
    "one": "one car, panel closed",
    "panel": "one car, panel and plots open",
    "eight": "eight cars driving",
}
FULL_HD = (1920, 1080)  # px
RUNS = (("one", (1280, 720)), ("one", FULL_HD), ("one", (3840, 2160)), ("panel", FULL_HD), ("eight", FULL_HD))
SECONDS, SOFTWARE_SECONDS = 60.0, 2.0  # s of driving on a graphics card and with software OpenGL
RATE = 60.0  # 1/s, frames per second of driving
WARM_UP = 60  # frames before the timed ones
FREE = 600  # frames at most that do not wait for the card
TURN = 60  # frames of ours, then PLAIN_TURN of the plain scene, in turn
PLAIN_TURN = 20
NEAREST, FARTHEST = 8.0, 200.0  # m from the camera to the quads of the plain scene
RINGS = 40  # circles of quads
DRAW_SORT = 50  # position of Panda3D's drawing task in the task order
WAIT = "gl-finish"  # Panda3D's setting, read every frame


def measure() -> list[dict[str, Any]]:
    """Rows of figures: of RUNS on a graphics card, of a small picture with software OpenGL."""
    rows: list[dict[str, Any]] = []
    for scene, size in RUNS:
        figures = _run(scene, size)
        rows += _rows(figures)
        if figures["software"]:
            break
    return rows


def _run(scene: str, size: tuple[int, int]) -> dict[str, Any]:
    """Figures of a scene, measured offscreen in a new process."""
    with tempfile.TemporaryDirectory() as home:
        command = [sys.executable, "-m", "driving_sandbox.benchmarks.graphics", "--json", "--scene", scene]
        command += ["--size", f"{size[0]}x{size[1]}"]
        environment = dict(os.environ, SANDBOX_HOME=home)
        result = subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True)
    return json.loads(result.stdout.splitlines()[-1])


def _rows(figures: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows {what, value, unit, note} of one scene."""
    median, rare, longest = figures["frame"]
    name = f"{SCENES[figures['scene']]}, {figures['quality']}, {figures['size'][0]}x{figures['size'][1]}"
    _, first_app = figures["longest"]
    times = f"{RARE:.0%} at most {rare:.2f}, the longest {longest:.2f} (of it {first_app:.2f} before drawing)"
    times += f"; {figures['late']} of {figures['count']} over {1e3 / RATE:.1f}"
    plain = f"ours / {figures['nodes']} quads without a shader, which take {figures['plain'][0]:.2f} ms"
    return [
        {"what": name, "value": median, "unit": "ms", "note": f"{figures['renderer']}; {times}"},
        {"what": "  before drawing", "value": figures["app"][0], "unit": "ms",
         "note": f"{RARE:.0%} at most {figures['app'][1]:.2f}, the longest {figures['app'][2]:.2f}"},
        {"what": "  without waiting for the card", "value": figures["free"][0], "unit": "ms", "note": ""},
        {"what": "  ratio to a plain scene", "value": median / figures["plain"][0], "unit": "1", "note": plain},
    ]  # fmt: skip


class _PlainScene:
    """A buffer with `count` quads without a shader around its camera; inactive but in `times`."""

    def __init__(self, base: Any, size: tuple[int, int], samples: int, count: int) -> None:
        from panda3d.core import FrameBufferProperties, GraphicsPipe, NodePath, WindowProperties

        properties = FrameBufferProperties()
        properties.setRgbaBits(8, 8, 8, 8)
        properties.setDepthBits(24)
        properties.setMultisamples(samples)
        self._engine, self._root = base.graphicsEngine, NodePath("plain scene")
        self._buffer = self._engine.makeOutput(
            base.pipe, "plain scene", 0, properties, WindowProperties.size(*size), GraphicsPipe.BFRefuseWindow,
            base.win.getGsg(), base.win,
        )  # fmt: skip
        base.makeCamera(self._buffer, scene=self._root)
        self._fill(count)
        self._buffer.setActive(False)

    def _fill(self, count: int) -> None:
        """Put the quads on RINGS circles around the camera, which sees some of them, as in a drive."""
        from panda3d.core import CardMaker

        maker = CardMaker("quad")
        maker.setFrame(-0.5, 0.5, -0.5, 0.5)
        for index in range(count):
            pivot = self._root.attachNewNode("pivot")
            pivot.setH(360.0 * index / count)
            distance = NEAREST + (FARTHEST - NEAREST) * (index % RINGS) / RINGS
            pivot.attachNewNode(maker.generate()).setPos(0.0, distance, 0.0)

    def times(self, frames: int) -> list[float]:
        """Draw the plain scene alone; returns the time of each frame, s."""
        engine = self._engine
        others = [window for window in engine.getWindows() if window.isActive()]
        for window in others:
            window.setActive(False)
        self._buffer.setActive(True)
        engine.renderFrame()
        times = times_of(engine.renderFrame, frames, perf_counter)
        self._buffer.setActive(False)
        for window in others:
            window.setActive(True)
        return times


class _Drive:
    """Times of the frames of a drive; `frames` and `app` hold those of each frame and of its part before drawing, s."""

    def __init__(self, app: Any) -> None:
        from panda3d.core import ClockObject

        self._base, self._drawing_begins = app.base, 0.0
        self.frames: list[float] = []
        self.app: list[float] = []
        app.base.clock.mode = ClockObject.MNonRealTime  # as offscreen: a window would drive in real time
        app.base.clock.dt = 1.0 / RATE
        app.base.taskMgr.add(self._mark, "mark", sort=DRAW_SORT - 1)

    def _mark(self, task: Any) -> Any:
        self._drawing_begins = perf_counter()
        return task.cont

    def draw(self, count: int) -> None:
        """Draw and time frames, after one that is not timed: it also makes up for the pause since the last."""
        self._base.taskMgr.step()
        for _ in range(count):
            began = perf_counter()
            self._base.taskMgr.step()
            self.frames.append(perf_counter() - began)
            self.app.append(self._drawing_begins - began)


def _open(scene: str, size: tuple[int, int], quality: str | None, offscreen: bool) -> Any:
    """The program with a scene, its quality chosen by the renderer if it is None; all frames wait for the card."""
    from panda3d.core import load_prc_file_data

    from driving_sandbox.game.platform.window import is_software, renderer_name
    from driving_sandbox.game.session.drivers import make_driver

    load_prc_file_data("benchmark", f"{WAIT} 1")
    cars, line_up = (DRIVING, along_the_road) if scene == "eight" else (DRIVING[:1], None)
    app = open_program(cars, size, quality or "high", line_up, offscreen)
    if quality is None and is_software(renderer_name(app.base)):
        app.scene.set_quality("low")
    others = enumerate(app.world.vehicles[1:], start=1)
    app.session.drivers = {index: make_driver("ai", vehicle, app.world.file) for index, vehicle in others}
    app.panel.open = app.plots.open = scene == "panel"
    return app


def _figures(app: Any, options: argparse.Namespace) -> dict[str, Any]:
    """Figures of a drive, times in ms."""
    from panda3d.core import ConfigVariableBool

    from driving_sandbox.game.platform.window import is_software, renderer_name, screenshot
    from driving_sandbox.game.view.gl.quality import level

    renderer = renderer_name(app.base)
    software = is_software(renderer)
    count = round(RATE * (options.seconds or (SOFTWARE_SECONDS if software else SECONDS)))
    app.first_frame()
    nodes = app.base.render.findAllMatches("**/+GeomNode").getNumPaths()
    plain_scene, plain = _PlainScene(app.base, options.size, level(app.scene.quality).samples, nodes), []
    drive = _Drive(app)
    drive.draw(WARM_UP)
    drive.frames.clear()
    drive.app.clear()
    while len(drive.frames) < count:
        drive.draw(min(TURN, count - len(drive.frames)))
        plain += plain_scene.times(PLAIN_TURN)
    if options.picture:
        screenshot(app.base, options.picture)
    frames, before = list(drive.frames), list(drive.app)
    longest = max(range(count), key=frames.__getitem__)
    ConfigVariableBool(WAIT).setValue(False)
    free = times_of(app.base.taskMgr.step, min(FREE, count), perf_counter)
    return {
        "scene": options.scene, "size": options.size, "quality": app.scene.quality, "renderer": renderer,
        "software": software, "nodes": nodes, "count": count, "frame": summary(frames), "app": summary(before),
        "draw": summary([whole - part for whole, part in zip(frames, before, strict=True)]),
        "longest": [longest, before[longest] * 1e3], "late": sum(time > 1.0 / RATE for time in frames),
        "free": summary(free), "plain": summary(plain),
    }  # fmt: skip


def _arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m driving_sandbox.benchmarks.graphics", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--scene", choices=SCENES, default="one", help="default: %(default)s")
    parser.add_argument("--size", type=lambda text: tuple(map(int, text.split("x"))), default=(1920, 1080),
                        metavar="WxH", help="pixels, default: 1920x1080")  # fmt: skip
    parser.add_argument("--quality", help="default: high; low with software OpenGL")
    parser.add_argument("--seconds", type=float, help=f"seconds of driving, default: {SECONDS:g}; "
                        f"{SOFTWARE_SECONDS:g} with software OpenGL")  # fmt: skip
    parser.add_argument("--window", action="store_true", help="in a window instead of offscreen")
    parser.add_argument("--picture", metavar="FILE", help="save the last frame here")
    parser.add_argument("--json", action="store_true", help="print one line of JSON")
    return parser.parse_args()


def main() -> None:
    """Entry point of the new process: measures one scene and prints its figures."""
    options = _arguments()
    app = _open(options.scene, options.size, options.quality, not options.window)
    figures = _figures(app, options)
    app.shut_down()
    if options.json:
        print(json.dumps(figures))
        return
    for row in _rows(figures):
        print(f"{row['what']:<40} {row['value']:8.2f} {row['unit']:<3} {row['note']}")


if __name__ == "__main__":
    main()
