"""Driving on from any moment of a recording, in its world at that moment, with the recorded drive as a ghost.

A recording made before the physics had props and vehicle contact is driven on with its props at their recorded
positions, but at rest.
"""

from argparse import Namespace
from typing import TYPE_CHECKING, Any

from driving_sandbox.game.experiments.ghosts import GhostDrive, ghost_drive
from driving_sandbox.game.experiments.twin import twin_among
from driving_sandbox.game.platform.window import WindowSettings, open_window
from driving_sandbox.game.program.program import Program
from driving_sandbox.game.program.settings import load_settings
from driving_sandbox.game.program.world_view import world_view
from driving_sandbox.game.recordings.source import look_of
from driving_sandbox.game.session.drivers import make_driver
from driving_sandbox.game.view.scene import Scene
from driving_sandbox.physics.recording import RecordingError, build_world
from driving_sandbox.physics.recording.signals import RecordedSignals
from driving_sandbox.physics.recording.verification import Difference, Resimulation
from driving_sandbox.physics.world.world import World

if TYPE_CHECKING:
    from driving_sandbox.game.program.app import App
    from driving_sandbox.physics.recording.reader import Recording

AS_RECORDED = "as recorded"


def world_at(recording: "Recording", tick: int) -> World:
    """The World of a recording at the start of a tick.

    Raises RecordingError if this version cannot rebuild the world or simulates it differently.
    """
    world = build_world(recording)
    try:
        Resimulation(recording, world).go_to(tick)
    except Difference as error:
        raise RecordingError(f"{recording.path}: cannot be driven on from tick {tick}: {error}") from None
    return world


def completed(world: World, recording: "Recording", tick: int) -> World:
    """`world`, or if it lacks props or contact of vehicles (older recordings), a new World with all of it."""
    file = world.file
    assert file is not None  # the worlds of recordings have one
    missing_props = file.props if world.props is None else ()
    meet = world.wheels_on_vehicles or len(world.trains) == 1
    if meet and not missing_props:
        return world
    first_vehicles = [world.vehicles[train.start] for train in world.trains]
    complete = World(file, first_vehicles, world.tick_seconds, int(world.context["substep_count"][0]))
    complete.parameters.set_many(world.parameters.changed_values())
    complete.tick = world.tick
    track = recording.props()
    if complete.props is not None and list(track.kinds) == [kind.key for kind in complete.props.kinds]:
        complete.props.put(track.at(tick))
    return complete


def ghost_from(recording: "Recording", tick: int, world_file: Any) -> GhostDrive | None:
    """The recorded drive from a tick on as a GhostDrive; None if nothing is left to show."""
    try:
        look = look_of(recording.header["vehicles"][0])[:2]  # (model path, paint)
        return ghost_drive(recording, look, tick * recording.tick_seconds, name=AS_RECORDED, world_file=world_file)
    except RecordingError:
        return None


def open_branch(recording: "Recording", tick: int, options: Namespace) -> "App":
    """An App in a new Program, ready to drive on from a tick; with a window, the drive begins paused.

    Args:
        options: as for game.program.start.drive.
    """
    world = completed(world_at(recording, tick), recording, tick)
    settings, _ = load_settings()
    base = open_window(WindowSettings(
        offscreen=options.offscreen, size=options.size, fullscreen=settings.fullscreen and not options.size,
        vsync=settings.vsync,
    ))  # fmt: skip
    try:
        app = _open_drive(Program(base, settings, options), world)
    except BaseException:
        base.destroy()
        raise
    _take_over(app, recording, tick)
    return app


def _open_drive(program: Program, world: World) -> "App":
    """The App of a world; it begins at once, while sound that is not compiled yet is compiled at low priority."""
    program.sound_compiler.step_back()
    try:
        assert world.file is not None  # as in `completed`
        scene = Scene.of(program.base, world_view(world.file), program.settings)
        twin = twin_among(world.vehicles)
        for vehicle in world.vehicles[:twin]:
            if vehicle.geometry:
                scene.add_vehicle(vehicle.geometry.path, vehicle.paint)
        driver = make_driver(program.options.driver, world.vehicles[0], world.file)
        return program.open(world, driver, scene, twin)
    except BaseException:
        program.sound_compiler.close()
        raise


def _take_over(app: "App", recording: "Recording", tick: int) -> None:
    """Give driver and turn signals the state at the tick, and show the rest of the recorded drive as a ghost.

    A mark and a message say where the drive began; with a window it is paused.
    """
    session = app.session
    for view in app.train_views:
        view.lamps.turn = RecordedSignals(recording.events).at(tick)[1]  # of (horn, turn)
    app.driver.jumped(session.situation)
    ghost = ghost_from(recording, tick, session.world.file)
    if ghost is not None:
        app.experiments.ghosts.add(ghost)
        app.experiments.ghost_window.open = True
    time = tick * recording.tick_seconds
    session.mark(f"driven on from {recording.path.name} at {time:.3f} s")
    session.say(f"driving on from {time:.1f} s of {recording.path.name}")
    session.paused = not app.options.offscreen
