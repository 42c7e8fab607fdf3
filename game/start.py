"""From the command line's options to a program ready to drive."""

import sys
from pathlib import Path
from time import perf_counter

from game.app import App
from game.drivers import make_driver
from game.loading import LoadingScreen, Preparation
from game.panel.backend import ImGuiBackend
from game.panel.theme import suggested_scale
from game.settings import load_settings
from game.view.scene import Scene
from game.window import WindowSettings, open_window
from game.world_view import world_view
from physics.vehicle_file import find_vehicle, load_vehicle
from physics.world import World
from physics.world_file import find_world, load_world


def drive(options):
    """`main.py drive`: run until the window is closed or `--seconds` are over; returns the exit code."""
    started = perf_counter()
    return open_app(options).run(started)


def open_app(options):
    """The program ready to drive: window opened, physics compiled, vehicle in its place."""
    settings, complaint = load_settings()
    place = load_world(options.world)
    trusted = []
    vehicle = load_vehicle(options.vehicle, options.setup, trust=lambda path: ask_to_run(path, trusted))
    driver = make_driver(options.driver, vehicle, place)
    base = open_window(_window_settings(options, settings))
    try:
        ui = ImGuiBackend(base, scale=settings.scale or suggested_scale(base.win.getYSize()))
        screen = LoadingScreen(base, ui)
        screen.show("Loading", 0.0)
        where = find_world(options.world)
        physics = Preparation(vehicle, find_vehicle(options.vehicle), where, trusted, options.offscreen)
        scene = Scene(base, world_view(place), settings.quality)
        physics.wait(screen)
        parked = [load_vehicle(entry.vehicle) for entry in place.parked]
        for entry, one in zip(place.parked, parked, strict=True):
            Preparation(one, find_vehicle(entry.vehicle), where, (), options.offscreen).wait(screen)
        world = World(place, [vehicle, *parked])
        world.spawn(options.spawn)
        for train, entry in zip(world.trains[1:], place.parked, strict=True):
            world.place(train.start, entry.position, entry.heading)
        app = App(base, ui, world, driver, options, settings, scene)
        screen.close()
    except BaseException:
        base.destroy()
        raise
    if complaint:
        app.session.say(complaint, "warning")
    return app


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
