"""Controls the program without a window, to take pictures for the documentation and for fixed views."""

import math
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from driving_sandbox.game.platform.window import WindowSettings, open_window, screenshot
from driving_sandbox.game.program.app import App
from driving_sandbox.game.program.settings import Settings
from driving_sandbox.game.replay.start import open_viewer
from driving_sandbox.game.session.drivers import IdleDriver, make_driver
from driving_sandbox.game.toolkit.backend import ImGuiBackend
from driving_sandbox.game.view.cameras.view import View
from driving_sandbox.physics.recording import Recording
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world


class FixedCamera:
    """A camera that turns with the car's yaw, not with its pitch and roll.

    Args:
        offset, target: positions of eye and target, m, from the model's origin to the right, ahead and up.
        fov_deg: horizontal field of view.
    """

    def __init__(
        self, offset: Sequence[float], target: Sequence[float] = (0.0, 0.0, 0.6), fov_deg: float = 42.0
    ) -> None:
        self.offset, self.target, self.fov = np.array(offset), np.array(target), math.radians(fov_deg)

    def snap(self) -> None:
        """Nothing to reset: it does not depend on earlier frames."""

    def update(self, frame: Any, dt: float) -> View:
        """The view of a frame."""
        x, y, z, w = frame.body_orientation
        yaw = math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
        turn = np.array([[math.cos(yaw), -math.sin(yaw), 0], [math.sin(yaw), math.cos(yaw), 0], [0, 0, 1.0]])
        eye = frame.body_position + turn @ self.offset
        return View(eye, frame.body_position + turn @ self.target, self.fov, None)


class Photographer:
    """A running program whose car is placed and driven, and whose camera is set, by methods.

    Args:
        drawn: number of frames at the end of a span of simulated time that are drawn, so that panel and camera settle.
        record: path of the recording; None: one with the date in its name.
    """

    def __init__(
        self,
        vehicle: str,
        world: str,
        size: tuple[int, int],
        quality: str = "high",
        daytime: str = "afternoon",
        drawn: int = 8,
        record: Path | None = None,
    ) -> None:
        self.drawn = drawn
        options = SimpleNamespace(offscreen=True, size=size, seconds=None, record=record, screenshot=None, ghost=[],
                                  stream=None)  # fmt: skip
        self.world_file = load_world(world)
        loaded = load_vehicle(vehicle)
        self.base = open_window(WindowSettings(offscreen=True, size=size))
        ui = ImGuiBackend(self.base, scale=size[1] / 800.0)
        simulated = World(self.world_file, [loaded])
        simulated.spawn()
        self._vehicle = loaded
        self._follower: Any = None  # AI driver, from the first `follow`
        self._constant = IdleDriver()
        settings = Settings(first_start=False, quality=quality, daytime=daytime)
        self.app: Any = App(self.base, ui, simulated, self._constant, options, settings)
        self.gear = 255 if "autobox" in loaded.sequence.by_slot else 2  # AUTOMATIC, or a direct drive's forward gear

    def put(self, position: Sequence[float], heading: float) -> None:
        """Place the car at a position, m, with a heading, rad."""
        self.app.world.place(0, position, heading)
        self.app.session.changes.record_jump("placed")

    def start(self, name: str) -> None:
        """Go to a spawn point of the world."""
        self.app.world.spawn(name)
        self.app.session.changes.record_jump("placed")

    def _pass(self, seconds: float) -> None:
        """Let simulated time pass; only its last `drawn` frames are drawn, so that camera and panel have settled."""
        app = self.app
        for _ in range(int(seconds * 60) - self.drawn):
            app.session.step(1.0 / 60.0, app.driver)
            app.plots.sample(app.world.vehicles[0], app.world.time)
            app.camera.update(app.session.interpolated(), 1.0 / 60.0)
            app.effects.step(app.world.time, app.traced.read(), app.views)
        for _ in range(self.drawn):
            self.base.taskMgr.step()

    def settle(self, seconds: float) -> None:
        """Let some seconds pass with the brakes applied."""
        self.drive(seconds, brake=1.0, handbrake=1.0)

    def drive(self, seconds: float, **command: float) -> None:
        """Drive some seconds with constant commands."""
        record = self._constant.command
        for name in ("throttle", "brake", "handbrake", "steer"):
            record[name] = command.get(name, 0.0)
        record["gear"], record["digital"] = self.gear, 1
        self.app.driver = self._constant
        self._pass(seconds)

    def follow(self, seconds: float) -> None:
        """Let the AI driver drive for some seconds."""
        self._follower = self._follower or make_driver("ai", self._vehicle, self.world_file)
        self.app.driver = self._follower
        self._pass(seconds)

    def look(self, offset: Sequence[float], target: Sequence[float] = (0.0, 0.0, 0.6), fov_deg: float = 42.0) -> None:
        """View the car by a FixedCamera, without instruments."""
        self.app.camera.chase = FixedCamera(offset, target, fov_deg)
        self.app.hud.visible = False
        self.base.taskMgr.step()

    def save(self, path: Path) -> None:
        """Write a screenshot and close the program."""
        self.base.taskMgr.step()
        screenshot(self.base, path)
        self.app.shut_down()


def open_timeline(scene: Photographer) -> None:
    """Drive with a tuning change and a bookmark, then show the replay with its timeline instead."""
    session = scene.app.session
    scene.start("course")
    scene.follow(8.0)
    session.tuning.set_parameter("body.mass", 1100.0)
    scene.follow(5.0)
    session.mark("into the bend")
    scene.follow(8.0)
    viewer = replay_of(scene)
    viewer.bar_visible = True
    viewer.timeline.wait()
    viewer.player.seek(11.0)
    viewer.player.loop = (9.0, 14.0)
    for _ in range(6):
        scene.base.taskMgr.step()


def replay_of(scene: Photographer) -> Any:
    """End a Photographer's drive and show its replay instead; returns the replay viewer."""
    recorder = scene.app.session.recorder
    recorder.sync()
    path = recorder.path
    size = scene.base.win.getXSize(), scene.base.win.getYSize()
    scene.app.shut_down()
    options = Namespace(offscreen=True, size=size, seconds=None, screenshot=None, ghost=[], file=path)
    viewer = scene.app = open_viewer(Recording.open(path), options)
    scene.base = viewer.base
    return viewer
