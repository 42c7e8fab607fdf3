"""Makes the pictures of the documentation: python docs/build/pictures.py [NAME ...]

Each is taken by the program itself, offscreen: a car is put somewhere, a few seconds pass, a camera looks.
"""

import argparse
import math
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[0] = str(ROOT)  # not this folder: its coverage.py would hide the package numba looks for

from game.app import App  # noqa: E402
from game.drivers import make_driver  # noqa: E402
from game.panel.backend import ImGuiBackend  # noqa: E402
from game.settings import Settings  # noqa: E402
from game.view.camera import View  # noqa: E402
from game.window import WindowSettings, open_window, screenshot  # noqa: E402
from physics.vehicle_file import load_vehicle  # noqa: E402
from physics.world import World  # noqa: E402
from physics.world_file import load_world  # noqa: E402

FOLDER = ROOT / "docs" / "pictures"
SIZE = (960, 540)


class FixedCamera:
    """Looks at the car from a place in the car's own axes."""

    def __init__(self, offset, target=(0.0, 0.0, 0.6), fov_deg=42.0):
        self.offset, self.target, self.fov = np.array(offset), np.array(target), math.radians(fov_deg)

    def update(self, frame, dt):
        x, y, z, w = frame.body_orientation
        yaw = math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
        turn = np.array([[math.cos(yaw), -math.sin(yaw), 0], [math.sin(yaw), math.cos(yaw), 0], [0, 0, 1.0]])
        place = frame.body_position + turn @ self.offset
        return View(place, frame.body_position + turn @ self.target, self.fov, None)


def front(scene):
    scene.settle(1.0)
    scene.look((4.2, 5.0, 1.15))


def rear(scene):
    scene.settle(1.0)
    scene.look((3.9, -5.2, 1.5))


def left(scene):
    scene.settle(1.0)
    scene.look((-6.6, 0.0, 1.0))


def right(scene):
    scene.settle(1.0)
    scene.look((6.6, 0.3, 1.6))


def on_ramp(scene):
    scene.put((-17.6, -45.0), -math.pi / 2)
    scene.settle(2.0)
    scene.look((7.0, 2.5, 0.9), fov_deg=44.0)


def on_hill(scene):
    scene.put((90.0, -184.0), math.pi)
    scene.settle(3.0)
    scene.look((-6.5, -4.0, 1.0), fov_deg=50.0)


def on_roof(scene):
    vehicle = scene.app.world.vehicles[0]
    x, y, z = vehicle.model_position()
    vehicle.put((x, y, z + 2.2), (0.0, math.sin(1.5), 0.0, math.cos(1.5)))
    scene.app.session.put("placed")
    scene.settle(4.0)
    scene.look((-5.0, 3.5, 1.6), (0.0, 0.0, -0.4))


def panel(scene):
    scene.start("course")
    scene.follow(6.0)
    scene.app.panel.open = scene.app.plots.open = True
    scene.app.panel.show("tire.fl.lateral_stiffness")
    scene.follow(6.0)


def drive(scene):
    scene.start("course")
    scene.follow(9.0)


def country_road(scene):
    scene.start("country_road")
    scene.drive(5.0, throttle=0.35)
    scene.look((-4.6, -6.4, 1.7), (0.0, 3.0, 0.8), fov_deg=52.0)


def tunnel(scene):
    scene.start("tunnel")
    scene.settle(1.0)
    scene.look((-2.2, -9.0, 2.4), (0.0, 12.0, 2.0), fov_deg=56.0)


PICTURES = {"front": front, "rear": rear, "left": left, "right": right, "on_ramp": on_ramp, "on_hill": on_hill,
            "on_roof": on_roof, "panel": panel, "drive": drive, "country_road": country_road,
            "tunnel": tunnel}  # fmt: skip


class Photographer:
    """One running program, moved about and looked at."""

    def __init__(self, vehicle, world, size):
        options = SimpleNamespace(offscreen=True, size=size, seconds=None, record=None, screenshot=None)
        self.place = load_world(world)
        loaded = load_vehicle(vehicle)
        self.base = open_window(WindowSettings(offscreen=True, size=size))
        ui = ImGuiBackend(self.base, scale=size[1] / 800.0)
        car = World(self.place, [loaded])
        car.spawn()
        self.follower = make_driver("ai", loaded, self.place)
        self.command = make_driver("none", loaded, self.place)
        self.app = App(self.base, ui, car, self.command, options, Settings(first_start=False))
        self.gear = 255 if "autobox" in loaded.sequence.by_slot else 2

    def put(self, position, heading):
        self.app.world.place(0, position, heading)
        self.app.session.put("placed")

    def start(self, name):
        """Go to a spawn point of the world."""
        self.app.world.spawn(name)
        self.app.session.put("placed")

    def _pass(self, seconds):
        """Let simulated time pass without drawing, then draw a few frames so that camera and panel have settled."""
        app = self.app
        for _ in range(int(seconds * 60) - 8):
            app.session.step(1.0 / 60.0, app.driver)
            app.plots.sample(app.world.vehicles[0], app.world.time)
            app.camera.update(app.session.interpolated(), 1.0 / 60.0)
        for _ in range(8):
            self.base.taskMgr.step()

    def settle(self, seconds):
        self.drive(seconds, brake=1.0, handbrake=1.0)

    def drive(self, seconds, **command):
        record = self.command(None)
        for name in ("throttle", "brake", "handbrake", "steer"):
            record[name] = command.get(name, 0.0)
        record["gear"], record["digital"] = self.gear, 1
        self.app.driver = self.command
        self._pass(seconds)

    def follow(self, seconds):
        self.app.driver = self.follower
        self._pass(seconds)

    def look(self, offset, target=(0.0, 0.0, 0.6), fov_deg=42.0):
        self.app.camera.chase = FixedCamera(offset, target, fov_deg)
        self.app.hud.visible = False
        self.base.taskMgr.step()

    def save(self, path):
        self.base.taskMgr.step()
        screenshot(self.base, path)
        self.app.shut_down()


def main(arguments):
    parser = argparse.ArgumentParser(description="Make the pictures of the documentation.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which: {', '.join(PICTURES)} (drive)")
    parser.add_argument("--vehicle", default="roadster")
    parser.add_argument("--world", default="proving_ground")
    parser.add_argument("--out", type=Path, default=FOLDER)
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    for name in options.names or ["drive"]:
        scene = Photographer(options.vehicle, options.world, SIZE)
        PICTURES[name](scene)
        scene.save(options.out / f"{name}.png")
        print(options.out / f"{name}.png")


if __name__ == "__main__":
    main(sys.argv[1:])
