"""The fixed set of views: every vehicle from four sides, every spawn point, and a choice of drives and screens.

`GROUPS` are functions that yield (name, picture); a picture is a (rows, columns, 3) array of bytes. Nothing in them
depends on the clock of the computer: simulated time passes in frames of 1/60 s, random numbers are the program's own,
with fixed seeds. A group opens the program once and each of its views depends on those before, so that only whole
groups can be left out.

Frames are drawn at twice the size of the picture and then reduced. Multisampling is off: in software OpenGL it takes
most of a frame's time.
"""

import math
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from driving_sandbox.docs.build.photographer import Photographer, open_timeline
from driving_sandbox.game.platform.window import WindowSettings, open_window
from driving_sandbox.game.program.settings import Settings
from driving_sandbox.game.program.world_view import world_view
from driving_sandbox.game.session.drivers import IdleDriver
from driving_sandbox.game.session.session import Session
from driving_sandbox.game.view.cameras.camera import CameraRig, apply_view
from driving_sandbox.game.view.cameras.view import View
from driving_sandbox.game.view.gl.geometry import column_of
from driving_sandbox.game.view.gl.quality import LEVELS
from driving_sandbox.game.view.scene import Scene
from driving_sandbox.game.view.vehicle.vehicle import VehicleView
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

CONFIGS = Path(__file__).resolve().parents[2] / "configs"
SIZE = (640, 360)  # px of a drawn world
SCREEN = (960, 540)  # px of a drawn screen with instruments
REDUCTION = 2  # drawn pixels for each pixel of the picture, along a side
LENS = math.radians(30.0)  # horizontal field of view for vehicles: narrow enough for true proportions
MARGIN = 1.12  # size of the frame relative to that of the vehicle in it
# {name: (azimuth of the eye from the vehicle's nose, positive to its left, elevation)}, degrees.
SIDES = {"front": (-38.0, 7.0), "left": (90.0, 4.0), "rear": (142.0, 12.0), "right": (-90.0, 24.0)}
STUDIO = "start"  # spawn point of the vehicles


def leave_out_multisampling() -> None:
    """Turn multisampling off in this process, from the next scene on."""
    for name, level in LEVELS.items():
        LEVELS[name] = replace(level, samples=0)


def pixels(base: Any) -> np.ndarray:
    """The last drawn frame as bytes, its top row first, reduced by REDUCTION."""
    image = base.win.getScreenshot()
    rows, columns = image.getYSize(), image.getXSize()
    drawn = np.frombuffer(bytes(image.getRamImageAs("RGB")), np.uint8).reshape(rows, columns, 3)[::-1]
    blocks = drawn.reshape(rows // REDUCTION, REDUCTION, columns // REDUCTION, REDUCTION, 3)
    return np.round(blocks.mean(axis=(1, 3))).astype(np.uint8)


def names_of(folder: str) -> list[str]:
    """Names of the shipped files in a folder of configs/."""
    return sorted(path.stem for path in (CONFIGS / folder).glob("*.yaml"))


class VehicleStudio:
    """A scene that shows one vehicle after another, without the rest of the program."""

    def __init__(self, quality: str = "high", daytime: str = "afternoon", world: str = "proving_ground") -> None:
        self.world_file = load_world(world)
        self.base = open_window(WindowSettings(offscreen=True, size=SIZE))
        self.scene = Scene.of(self.base, world_view(self.world_file), Settings(quality=quality, daytime=daytime))
        self.views: list[VehicleView] = []
        self.session: Session | None = None
        self.view: View | None = None
        self.vertices = np.zeros((0, 3))

    def stand(self, name: str, seconds: float = 1.0, spawn: str = STUDIO, **command: float) -> None:
        """Show only this vehicle with its trailers, after some seconds of `command`, by default both brakes applied."""
        self.clear()
        world = World(self.world_file, [load_vehicle(name)])
        world.spawn(spawn)
        driver = IdleDriver()
        for key, value in {"brake": 1.0, "handbrake": 1.0, **command}.items():
            driver.command[key] = value
        session = self.session = Session(world)
        for _ in range(round(seconds * 60)):
            session.step(1.0 / 60.0, driver)
        self.scene.focus = None
        for k, vehicle in enumerate(world.vehicles):
            if vehicle.geometry is None:
                continue
            self.views.append(self.scene.add_vehicle(vehicle.geometry.path, vehicle.paint))
            self.views[-1].update(session.interpolated(k))
        self.vertices = self.points()

    def clear(self) -> None:
        """Remove the vehicles."""
        for view in self.views:
            view.root.removeNode()
            self.scene.vehicles.remove(view)
        self.views.clear()
        if self.session:
            self.session.close()

    def points(self) -> np.ndarray:
        """(n, 3) vertices of the vehicles in world coordinates; call it before the scene joins their parts."""
        clouds = []
        for view in self.views:
            for path in view.root.findAllMatches("**/+GeomNode"):
                matrix = np.array(path.getMat(self.scene.root))
                for geom in path.node().getGeoms():
                    points = column_of(geom, "vertex")
                    clouds.append(points @ matrix[:3, :3] + matrix[3, :3])
        return np.concatenate(clouds)

    def look(self, azimuth_deg: float, up_deg: float) -> None:
        """Draw the vehicles from a direction (see SIDES), from the distance at which they fill the frame."""
        frame = self.views[0].frame
        assert frame is not None  # `stand` has set it
        x, y, z, w = frame.body_orientation
        heading = math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)) + math.radians(90.0 + azimuth_deg)
        up = math.radians(up_deg)
        to_eye = np.array([math.cos(heading) * math.cos(up), math.sin(heading) * math.cos(up), math.sin(up)])
        right = np.array([-math.sin(heading), math.cos(heading), 0.0])
        vertical = np.cross(to_eye, right)
        points = self.vertices
        middle = (points.min(axis=0) + points.max(axis=0)) / 2.0
        u, v, depth = ((points - middle) @ axis for axis in (right, vertical, to_eye))
        half = math.tan(LENS / 2.0) / MARGIN
        distance = max((depth + np.abs(u) / half).max(), (depth + np.abs(v) / half * SIZE[0] / SIZE[1]).max())
        self.draw(View(middle + to_eye * distance, middle, LENS, None))

    def sit(self, name: str) -> None:
        """Draw the view from the driver's seat."""
        rig = CameraRig(self.base, lambda x, y: -math.inf, vehicle=name)
        view = self.views[0]
        rig.fit(view.model.node_position, 2.0 * view.half_size[1])
        rig.select("eye")
        assert view.frame is not None  # `stand` has set it
        self.draw(rig.update(view.frame, 0.0))

    def draw(self, view: Any) -> None:
        """Draw a frame of a View."""
        self.view = view
        apply_view(self.base, view)
        self.scene.update(view.position)
        self.base.graphicsEngine.renderFrame()

    def close(self) -> None:
        """Close the scene and the window."""
        self.clear()
        self.scene.close()
        self.base.destroy()


def vehicles() -> Iterator[tuple[str, np.ndarray]]:
    """Each vehicle from four sides."""
    studio = VehicleStudio()
    for name in names_of("vehicles"):
        studio.stand(name)
        for side, (azimuth, up) in SIDES.items():
            studio.look(azimuth, up)
            yield f"vehicle_{name}_{side}", pixels(studio.base)
    studio.close()


def lamps() -> Iterator[tuple[str, np.ndarray]]:
    """Some vehicles at dusk, standing with the brakes applied, so that their lamps are lit."""
    studio = VehicleStudio(daytime="dusk")
    for name in ("roadster", "offroader", "truck_trailer"):
        studio.stand(name)
        for side in ("front", "rear"):
            studio.look(*SIDES[side])
            yield f"lamps_{name}_{side}", pixels(studio.base)
    studio.close()


def _program(world: str = "proving_ground", quality: str = "high", daytime: str = "afternoon",
             size: tuple[int, int] = SIZE, vehicle: str = "roadster", **others: Any) -> Photographer:  # fmt: skip
    """A running program with these settings."""
    return Photographer(vehicle, world, size, quality, daytime, **{"drawn": 1, **others})


def _chase(scene: Photographer, spawn: str) -> np.ndarray:
    """The chase camera's view at a spawn point."""
    scene.start(spawn)
    scene.app.hud.visible = False
    scene.settle(0.5)
    return pixels(scene.base)


def places() -> Iterator[tuple[str, np.ndarray]]:
    """Every spawn point of every world."""
    for world in names_of("worlds"):
        scene = _program(world)
        for spawn in scene.world_file.spawn_points:
            yield f"place_{world}_{spawn}", _chase(scene, spawn)
        scene.app.shut_down()


def daytimes() -> Iterator[tuple[str, np.ndarray]]:
    """Some places at other times of day."""
    for daytime, spawns in {"dusk": ("start", "course", "country_road", "tunnel"), "noon": ("start", "course")}.items():
        scene = _program(daytime=daytime)
        for spawn in spawns:
            yield f"{daytime}_{spawn}", _chase(scene, spawn)
        scene.app.shut_down()


def cameras() -> Iterator[tuple[str, np.ndarray]]:
    """Every camera in a drive, and three of them on a tank, where they are at other positions."""
    for vehicle, spawn, modes in (("roadster", "course", None), ("tank", "tank_ground", ("chase", "bonnet", "wheel"))):
        scene = _program(vehicle=vehicle)
        scene.start(spawn)
        scene.app.hud.visible = False
        scene.drive(3.0, throttle=0.6)
        for mode in modes or list(scene.app.camera.modes):
            scene.app.camera.select(mode)
            scene.app.camera.snap()
            scene.drive(0.4, throttle=0.4)
            yield f"camera_{vehicle}_{mode.replace(' ', '_')}", pixels(scene.base)
        scene.app.shut_down()


def cockpits() -> Iterator[tuple[str, np.ndarray]]:
    """The view from each vehicle's seat."""
    studio = VehicleStudio()
    for name in names_of("vehicles"):
        studio.stand(name, spawn="course")
        studio.sit(name)
        yield f"cockpit_{name}", pixels(studio.base)
    studio.close()


def effects() -> Iterator[tuple[str, np.ndarray]]:
    """Smoke, dust and marks of tires."""
    scene = _program()
    # {name: (spawn point, seconds, commands, position of the eye relative to the car, m)}
    drives = {"smoke": ("pad", 3.0, {"throttle": 1.0, "steer": -1.0}, (-6.0, -7.4, 3.2)),
              "gravel": ("gravel", 3.0, {"throttle": 1.0, "steer": -0.5}, (-4.0, 7.4, 3.4)),
              "braking": ("straight", 4.0, {"throttle": 1.0}, (-4.6, 6.4, 1.7))}  # fmt: skip
    for name, (spawn, seconds, command, eye) in drives.items():
        scene.start(spawn)
        scene.drive(seconds, **command)
        if name == "braking":
            scene.drive(0.6, brake=1.0, handbrake=1.0)
        chase = scene.app.camera.chase  # replaced by `look`
        scene.look(eye, fov_deg=50.0)
        yield f"effect_{name}", pixels(scene.base)
        scene.app.camera.chase = chase
    scene.app.shut_down()


def levels() -> Iterator[tuple[str, np.ndarray]]:
    """The same view at the other quality levels."""
    for quality in ("low", "medium", "ultra"):
        scene = _program(quality=quality)
        yield f"level_{quality}", _chase(scene, "course")
        scene.app.shut_down()


def screens() -> Iterator[tuple[str, np.ndarray]]:
    """Screens with instruments, panel, plots, debug drawing and help."""
    scene = _program(quality="low", size=SCREEN, drawn=8)
    app = scene.app
    scene.start("course")
    scene.follow(6.0)
    yield "screen_hud", pixels(scene.base)
    app.panel.open = app.plots.open = True
    app.panel.show("tire.fl.lateral_grip")
    scene.follow(3.0)
    yield "screen_panel", pixels(scene.base)
    app.panel.open = app.plots.open = False
    app.windows["debug_drawing"].toggle()
    scene.follow(0.5)
    yield "screen_debug", pixels(scene.base)
    app.windows["debug_drawing"].toggle()
    app.drawing.on = False
    app.windows["keys"].open = True
    scene.follow(0.2)
    yield "screen_help", pixels(scene.base)
    app.shut_down()


def replay() -> Iterator[tuple[str, np.ndarray]]:
    """A replay with its timeline."""
    with tempfile.TemporaryDirectory() as folder:
        scene = _program(quality="low", size=SCREEN, drawn=8, record=Path(folder) / "course.drive")
        open_timeline(scene)
        yield "screen_timeline", pixels(scene.base)
        scene.app.shut_down()


GROUPS = {function.__name__: function for function in
          (vehicles, lamps, places, daytimes, cameras, cockpits, effects, levels, screens, replay)}  # fmt: skip
