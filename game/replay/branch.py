"""Driving on from any moment of a recording, in its world as it was then and with the recorded drive as a ghost.

In a recording from before props and the contact of vehicles were part of the core, props are at their recorded
positions but at rest.
"""

from typing import TYPE_CHECKING

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
from driving_sandbox.physics.recording.verification import Difference, Repeat
from driving_sandbox.physics.world.world import World

if TYPE_CHECKING:
    from driving_sandbox.physics.recording.reader import Recording

AS_RECORDED = "as recorded"


def world_at(recording, tick):
    """The World of a recording at the start of a tick, to be driven on.

    Raises RecordingError when this version cannot rebuild it or simulates it differently.
    """
    world = build_world(recording)
    try:
        Repeat(recording, world).go_to(tick)
    except Difference as error:
        raise RecordingError(f"{recording.path}: cannot be driven on from tick {tick}: {error}") from None
    return world


def completed(world, recording, tick):
    """The world with the props and the contact between vehicles that an older recording lacks, or the same world."""
    placed = world.file.props if world.props is None else ()
    if world.vehicle_contact and not placed:
        return world
    pulling = [world.vehicles[train.start] for train in world.trains]
    whole = World(world.file, pulling, world.tick_seconds, int(world.context["substep_count"][0]))
    whole.parameters.set_many(world.parameters.changed_values())
    whole.tick = world.tick
    track = recording.props()
    if whole.props is not None and list(track.kinds) == [kind.key for kind in whole.props.kinds]:
        whole.props.put(track.at(tick))
    return whole


def rest_of(recording: "Recording", tick: int) -> GhostDrive | None:
    """The recorded drive from a tick on as a GhostDrive; None at its end."""
    try:
        look = look_of(recording.header["vehicles"][0])[:2]
        return ghost_drive(recording, look, tick * recording.tick_seconds, name=AS_RECORDED)
    except RecordingError:
        return None


def open_branch(recording, tick, options):
    """The App, in a Program of its own, ready to drive on; `options` as for `drive`. It begins paused in a window."""
    world = completed(world_at(recording, tick), recording, tick)
    settings, _ = load_settings()
    base = open_window(WindowSettings(
        offscreen=options.offscreen, size=options.size, fullscreen=settings.fullscreen and not options.size,
        vsync=settings.vsync,
    ))  # fmt: skip
    try:
        program = Program(base, settings, options)
        scene = Scene.of(base, world_view(world.file), settings)
        twin = twin_among(world.vehicles)
        for vehicle in world.vehicles[:twin]:
            if vehicle.geometry:
                scene.add_vehicle(vehicle.geometry.path, vehicle.paint)
        driver = make_driver(options.driver, world.vehicles[0], world.file)
        app = program.open(world, driver, scene, twin)
    except BaseException:
        base.destroy()
        raise
    _take_over(app, recording, tick)
    return app


def _take_over(app, recording, tick):
    """Give the driver the state of that moment, and add the recorded drive as a ghost."""
    session = app.session
    app.driver.jumped(session.situation)
    rest = rest_of(recording, tick)
    if rest is not None:
        app.experiments.ghosts.add(rest)
        app.experiments.ghost_window.open = True
    time = tick * recording.tick_seconds
    session.mark(f"driven on from {recording.path.name} at {time:.3f} s")
    session.say(f"driving on from {time:.1f} s of {recording.path.name}")
    session.paused = not app.options.offscreen
