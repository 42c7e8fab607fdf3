"""From the command line's options to a program ready to drive.

Three things go on beside the interpreter's own work, so that two cores share the start: pictures are decoded while
modules are imported, kernels compile in a helper process, and the driver takes up textures and shaders while the
physics is put together.
"""

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from game.app import App
from game.drivers import make_driver
from game.hand_over import line_for
from game.loading import LoadingScreen, Preparation
from game.panel.backend import ImGuiBackend
from game.panel.theme import suggested_scale
from game.settings import load_settings
from game.twin import load_twin
from game.view.scene import Scene
from game.window import WindowSettings, open_window
from game.world_view import world_view
from physics.command.commands import COMMAND
from physics.vehicle_file import find_vehicle, load_vehicle
from physics.world import World
from physics.world_file import find_world, load_world


def drive(options, started):
    """`main.py drive`: run until the window is closed or `--seconds` are over; returns the exit code.

    `started` is the reading of `time.perf_counter` that the time of the first drivable frame counts from.
    """
    return open_app(options).run(started)


def open_app(options):
    """The program ready to drive: window opened, physics compiled, vehicle in its place."""
    settings, complaint = load_settings()
    place = load_world(options.world)
    trusted = []
    vehicle = load_vehicle(options.vehicle, options.setup, trust=lambda path: ask_to_run(path, trusted))
    line = line_for(vehicle, place, options.line) if options.line or options.driver == "ai" else None
    driver = make_driver(options.driver, vehicle, place, line)
    twin = None if options.twin is None else load_twin(options.twin)
    base = open_window(_window_settings(options, settings))
    try:
        ui = ImGuiBackend(base, scale=settings.scale or suggested_scale(base.win.getYSize()))
        screen = LoadingScreen(base, ui)
        screen.show("Loading", 0.0)
        where = find_world(options.world)
        physics = Preparation(vehicle, find_vehicle(options.vehicle), where, trusted, options.offscreen)
        scene = Scene.of(base, world_view(place), settings)
        physics.wait(screen)
        parked = [load_vehicle(entry.vehicle) for entry in place.parked]
        for entry, one in zip(place.parked, parked, strict=True):
            Preparation(one, find_vehicle(entry.vehicle), where, (), options.offscreen).wait(screen)
        if twin is not None:
            Preparation(twin, find_vehicle(options.twin), where, (), options.offscreen).wait(screen)
        with ThreadPoolExecutor(1) as beside:
            making = beside.submit(_stand, place, [vehicle, *parked], options.spawn, twin)
            if vehicle.geometry:
                scene.add_vehicle(vehicle.geometry.path, vehicle.paint)
            scene.draw_ahead(place.spawn(options.spawn))
            world = making.result()
        app = App(base, ui, world, driver, options, settings, scene, None if twin is None else len(world.vehicles) - 1)
        screen.close()
    except BaseException:
        base.destroy()
        raise
    if complaint:
        app.session.say(complaint, "warning")
    return app


def _stand(place, vehicles, spawn, twin=None):
    """The world with its vehicles in their places, its kernels loaded by a tick that is taken back.

    vehicles: the player's, then the parked ones. twin: a vehicle that comes last and stands where the player's does.
    """
    world = World(place, vehicles if twin is None else [*vehicles, twin])
    world.spawn(spawn)
    for train, entry in zip(world.trains[1:], place.parked, strict=False):
        world.place(train.start, entry.position, entry.heading)
    if twin is not None:
        world.spawn(spawn, index=len(world.vehicles) - 1)
    before = world.snapshot()
    world.step(np.zeros(len(world.vehicles), COMMAND))
    world.restore(before)
    return world


def ask_to_run(path, trusted):
    """Ask on the terminal whether a vehicle's own Python file may run; without a terminal the answer is no."""
    if not sys.stdin or not sys.stdin.isatty():
        return False
    answer = input(f"This vehicle wants to run the Python file {path}. Run it? [y/N] ")
    if answer.strip().lower() not in ("y", "yes"):
        return False
    trusted.append(Path(path))
    return True


def _window_settings(options, settings):
    return WindowSettings(
        offscreen=options.offscreen, size=options.size, fullscreen=settings.fullscreen and not options.size,
        vsync=settings.vsync,
    )
