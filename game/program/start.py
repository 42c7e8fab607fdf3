"""Starts the program from the command line's options.

Three things run beside the main thread, so that the start uses two cores: textures are decoded while modules are
imported, kernels compile in a worker process, and the world is built while textures and shaders are uploaded.
"""

import sys
from argparse import Namespace
from pathlib import Path

from driving_sandbox.game.platform.trusted_files import TrustedFiles
from driving_sandbox.game.platform.user_folder import UserFolderError
from driving_sandbox.game.platform.window import WindowSettings, open_window
from driving_sandbox.game.program.prepared_drive import PreparedDrive
from driving_sandbox.game.program.program import Program, WindowClosed
from driving_sandbox.game.program.settings import Settings, load_settings
from driving_sandbox.game.session.choice import Choice
from driving_sandbox.game.session.driver_switch import line_for
from driving_sandbox.game.session.drivers import make_driver
from driving_sandbox.physics.base.visible import visible
from driving_sandbox.physics.vehicle.trust import Allowed
from driving_sandbox.physics.vehicle.usual import unusual
from driving_sandbox.physics.vehicle.vehicle import Vehicle
from driving_sandbox.physics.vehicle.vehicle_file import find_vehicle, load_vehicle
from driving_sandbox.physics.world.world_file import load_world


def drive(options: Namespace, started: float) -> int:
    """`./drive`: run until the user quits or `--seconds` are over; returns the exit code.

    Args:
        started: reading of `time.perf_counter` at the start of the program, s; the time of the first drivable frame is
            measured from it.
    """
    try:
        program = open_program(options)
    except WindowClosed:  # while loading
        return 0
    return program.run(started)


def open_program(options: Namespace) -> Program:
    """The Program, ready to drive: its window is open, the physics compiled, the vehicle in its world."""
    settings, complaint = load_settings()
    choice = Choice.of(options.vehicle, options.world, options.spawn, settings.daytime)
    world_file = load_world(options.world)
    world_file.spawn(options.spawn)  # a wrong name is reported before a window opens
    allowed, trusted_files = Allowed(options.trust), TrustedFiles()
    vehicle = load_vehicle(options.vehicle, options.setup, trust=lambda path: may_run(path, allowed, trusted_files))
    warnings = _setup_warnings(vehicle, options.setup)  # before the AI or the user can change a value
    line = line_for(vehicle, world_file, options.line) if options.line or options.driver == "ai" else None
    driver = make_driver(options.driver, vehicle, world_file, line)
    prepared = PreparedDrive(
        world_file,
        vehicle,
        find_vehicle(options.vehicle),
        twin=options.twin,
        trusted=tuple(allowed),
        on_terminal=options.offscreen,
    )
    base = open_window(_window_settings(options, settings))
    try:
        program = Program(base, settings, options, choice, allowed)
        app = program.begin(prepared, driver)
    except BaseException:
        base.destroy()
        raise
    for warning in [complaint, *warnings] if complaint else warnings:
        app.session.say(warning, "warning")
    return program


def _setup_warnings(vehicle: Vehicle, setup: str | None) -> list[str]:
    """Warnings about unusual values in a setup file (path, or None)."""
    if setup is None:
        return []
    return [f"{Path(setup).name}: {warning}" for warning in unusual(vehicle, vehicle.changed_values())]


def may_run(path: Path, allowed: Allowed, trusted_files: TrustedFiles) -> bool:
    """Whether a vehicle's Python file may run; it is added to `allowed` if so.

    Files in `allowed` (--trust) and `trusted_files` (TrustedFiles) may run as long as their content is unchanged. For
    other files the user is asked on the terminal; without a terminal they may not run.
    """
    if not allowed(path) and not trusted_files(path):
        if not _confirmed(path, trusted_files.change(path)):
            return False
        try:
            trusted_files.allow(path)
        except UserFolderError as error:
            print(f"{error}; you will be asked again next time", file=sys.stderr)
    allowed.add(path)
    return True


def _confirmed(path: Path, change: str) -> bool:
    """Ask on the terminal whether a Python file may run. change: its changes since it was allowed, as a text, or ""."""
    if not sys.stdin or not sys.stdin.isatty():
        return False
    if change:
        print(f"{visible(str(path))} was changed since you allowed it:\n{change}")
    answer = input(f"This vehicle wants to run the Python file {visible(str(path))}. Run it? [y/N] ")
    return answer.strip().lower() in ("y", "yes")


def _window_settings(options: Namespace, settings: Settings) -> WindowSettings:
    """WindowSettings; a size on the command line overrules full screen."""
    return WindowSettings(
        offscreen=options.offscreen,
        size=options.size,
        fullscreen=settings.fullscreen and not options.size,
        vsync=settings.vsync,
    )
