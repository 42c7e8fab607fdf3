"""Makes the pictures of the documentation: python docs/build/pictures.py [NAME ...]

NAME is a key of PICTURES; without one, only `drive` is made. The program itself draws each picture offscreen: a car is
placed, some seconds are simulated, a camera is set.
"""

import argparse
import math
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[0] = str(ROOT)  # not this folder: its coverage.py would hide the package numba looks for

from driving_sandbox.docs.build.photographer import Photographer, open_timeline, replay_of  # noqa: E402
from driving_sandbox.game.experiments.ghosts import ghost_drive  # noqa: E402
from driving_sandbox.game.plots.layouts import lap_layout  # noqa: E402
from driving_sandbox.game.view.gl.quality import QUALITIES  # noqa: E402
from driving_sandbox.physics.recording import Recording  # noqa: E402

FOLDER = ROOT / "docs" / "pictures"
SIZE = (960, 540)  # px


def front(scene: Photographer) -> None:
    """The car at rest from the front right."""
    scene.settle(1.0)
    scene.look((4.2, 5.0, 1.15))


def rear(scene: Photographer) -> None:
    """The car at rest from the rear right."""
    scene.settle(1.0)
    scene.look((3.9, -5.2, 1.5))


def left(scene: Photographer) -> None:
    """The car at rest from the left."""
    scene.settle(1.0)
    scene.look((-6.6, 0.0, 1.0))


def right(scene: Photographer) -> None:
    """The car at rest from the right."""
    scene.settle(1.0)
    scene.look((6.6, 0.3, 1.6))


def on_ramp(scene: Photographer) -> None:
    """The car at rest on a ramp."""
    scene.put((-17.6, -45.0), -math.pi / 2)
    scene.settle(2.0)
    scene.look((7.0, 2.5, 0.9), fov_deg=44.0)


def on_hill(scene: Photographer) -> None:
    """The car at rest on a hill."""
    scene.put((90.0, -184.0), math.pi)
    scene.settle(3.0)
    scene.look((-6.5, -4.0, 1.0), fov_deg=50.0)


def on_roof(scene: Photographer) -> None:
    """The car lying on its roof."""
    vehicle = scene.app.world.vehicles[0]
    x, y, z = vehicle.model_position()
    vehicle.put((x, y, z + 2.2), (0.0, math.sin(1.5), 0.0, math.cos(1.5)))  # rolled by 3 rad
    scene.app.session.changes.record_jump("placed")
    scene.settle(4.0)
    scene.look((-5.0, 3.5, 1.6), (0.0, 0.0, -0.4))


def panel(scene: Photographer) -> None:
    """A drive with panel and plots open."""
    scene.start("course")
    scene.follow(6.0)
    scene.app.panel.open = scene.app.plots.open = True
    scene.app.panel.show("tire.fl.lateral_grip")
    scene.follow(6.0)


def drive(scene: Photographer) -> None:
    """A drive on the course."""
    scene.start("course")
    scene.follow(9.0)


def country_road(scene: Photographer) -> None:
    """The car on the country road."""
    scene.start("country_road")
    scene.drive(5.0, throttle=0.35)
    scene.look((-4.6, -6.4, 1.7), (0.0, 3.0, 0.8), fov_deg=52.0)


def smoke(scene: Photographer) -> None:
    """Full throttle with full steering on the pad."""
    scene.start("pad")
    scene.drive(5.0, throttle=1.0, steer=-1.0)
    scene.look((-6.0, -7.4, 3.2), (0.0, 0.0, 0.5), fov_deg=50.0)


def gravel(scene: Photographer) -> None:
    """Full throttle while steering on gravel."""
    scene.start("gravel")
    scene.drive(3.5, throttle=1.0, steer=-0.5)
    scene.look((-4.0, 7.4, 1.8), (0.0, 0.0, 0.5), fov_deg=50.0)


def dusk(scene: Photographer) -> None:
    """The car at rest on the course at dusk (see DAYTIMES), its headlamps on, from the front right."""
    scene.start("course")
    scene.settle(1.0)
    scene.look((4.2, 5.0, 1.02), (-0.1, 0.1, 0.6), fov_deg=44.0)


def cockpit(scene: Photographer) -> None:
    """A drive on the course from the driver's eyes."""
    scene.start("course")
    scene.app.camera.select("eye")
    scene.app.hud.visible = False
    scene.follow(4.0)


def forces(scene: Photographer) -> None:
    """The car in a bend with the lines and the window of the debug drawing, and the instruments."""
    scene.drive(3.0, throttle=1.0)
    scene.drive(1.0, throttle=0.5, steer=-0.6)
    scene.app.windows["debug_drawing"].toggle()
    for name in ("hull", "queries"):
        scene.app.drawing.layers[name] = False
    scene.look((3.6, 5.4, 2.2), (0.0, 0.2, 0.5), fov_deg=46.0)
    scene.app.hud.visible = True
    scene.base.taskMgr.step()


def tunnel(scene: Photographer) -> None:
    """The car at rest in the tunnel."""
    scene.start("tunnel")
    scene.settle(1.0)
    scene.look((-2.2, -9.0, 2.4), (0.0, 12.0, 2.0), fov_deg=56.0)


def what_if(scene: Photographer) -> None:
    """The course's first bend with two paths: the car's, and the one with the changed anti-roll bar."""
    scene.start("course")
    scene.follow(14.0)
    app = scene.app
    app.panel.open, app.experiments.what_if.on = True, True
    app.panel.show("antiroll.stiffness")
    app.session.tuning.set_parameter("antiroll.stiffness", [60000.0, 0.0])
    app.experiments.what_if.wait()
    scene.look((7.0, 9.0, 6.0), (-6.0, -16.0, 0.0), fov_deg=62.0)
    scene.base.taskMgr.step()


def effect(scene: Photographer) -> None:
    """The panel with the effect of a parameter on the car's balance."""
    scene.settle(1.0)
    app = scene.app
    app.panel.open, app.experiments.effect.maneuver, app.experiments.effect_section.measure = (
        True,
        "constant_radius",
        "balance",
    )
    app.panel.show("antiroll.stiffness")
    scene.base.taskMgr.step()
    row = next(row for group in app.panel._groups for row in group.rows if row.key == "antiroll.stiffness")
    app.experiments.effect_section.pick(row)
    app.experiments.effect.worker.wait()
    app.hud.visible = False
    for _ in range(4):
        scene.base.taskMgr.step()


def ghost(scene: Photographer) -> None:
    """A heavier car behind the ghost of a drive over the same road."""
    app = scene.app
    scene.start("course")
    start = app.session.recorder.tick
    scene.follow(14.0)
    app.session.recorder.sync()
    recording = Recording.open(app.session.recorder.path)
    model = app.session.vehicle.geometry.path
    scene.start("course")
    app.experiments.ghosts.add(
        ghost_drive(recording, (model, None), start * recording.tick_seconds, name="earlier drive")
    )
    app.experiments.ghost_window.open = True
    app.session.tuning.set_parameter("body.mass", 1250.0)
    scene.follow(12.0)
    scene.look((-3.2, -7.5, 2.4), (1.0, 8.0, 0.5), fov_deg=58.0)
    scene.base.taskMgr.step()


def timeline(scene: Photographer) -> None:
    """A replay with its timeline."""
    open_timeline(scene)


def laps(scene: Photographer) -> None:
    """Plots of two laps over each other; the second one is driven with more mass."""
    scene.start("course")
    scene.follow(236.0)  # to the first gate, and once round
    scene.app.session.tuning.set_parameter("body.mass", 1400.0)
    scene.follow(130.0)
    viewer = replay_of(scene)
    viewer.bar_visible = viewer.plots.open = True
    viewer.hud.visible = False
    viewer.timeline.wait()
    first, second = viewer.timeline.laps[:2]
    viewer.plots.plots[:] = lap_layout()
    viewer.plots.changed()
    viewer.player.pause()
    viewer.player.seek(second.begin + 0.45 * second.time)
    viewer.laps.choose(viewer.laps.sources()[0].key)
    while not viewer.laps.overlays or viewer.laps.current is None:
        viewer.laps.wait()
        scene.base.taskMgr.step()


PICTURES = {"laps": laps, "what_if": what_if, "effect": effect, "ghost": ghost, "timeline": timeline,
            "front": front, "rear": rear, "left": left, "right": right, "on_ramp": on_ramp, "on_hill": on_hill,
            "on_roof": on_roof, "panel": panel, "drive": drive, "country_road": country_road, "forces": forces,
            "tunnel": tunnel, "smoke": smoke, "gravel": gravel, "dusk": dusk, "cockpit": cockpit}  # fmt: skip
DAYTIMES = {"dusk": "dusk"}  # {picture: time of day}; the others are in the afternoon


def main(arguments: list[str]) -> None:
    """Take the pictures named in the arguments."""
    parser = argparse.ArgumentParser(description="Make the pictures of the documentation.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which: {', '.join(PICTURES)} (drive)")
    parser.add_argument("--vehicle", default="roadster")
    parser.add_argument("--world", default="proving_ground")
    parser.add_argument("--quality", default="high", choices=QUALITIES)
    parser.add_argument("--out", type=Path, default=FOLDER)
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    for name in options.names or ["drive"]:
        scene = Photographer(options.vehicle, options.world, SIZE, options.quality, DAYTIMES.get(name, "afternoon"))
        PICTURES[name](scene)
        scene.save(options.out / f"{name}.png")
        print(options.out / f"{name}.png")


if __name__ == "__main__":
    main(sys.argv[1:])
