"""No leaks during a drive: scene nodes, geometry, textures, buffers of the graphics driver, Python objects.

Every round uses the features that allocate: tire marks and smoke, rewinding, every camera, panel, plots, debug drawing,
ghosts, a swap, changes of parameters. After WARM_UP rounds no count may grow by more than its margin.
"""

import gc

import pytest
from app_rig import LONG_FRAME, Rig
from panda3d.core import TexturePool, load_prc_file_data

from driving_sandbox.cli.arguments import build_parser
from driving_sandbox.game.experiments.ghosts import ghost_drive
from driving_sandbox.game.replay.start import open_viewer
from driving_sandbox.physics.recording import Recording
from driving_sandbox.physics.vehicle.swap import choice_of, plan_swap

pytestmark = pytest.mark.drawn
# Panda3D keeps up to a megabyte of released buffers, and counts them with the others.
load_prc_file_data("counting", "released-vbuffer-cache-size 0\nreleased-ibuffer-cache-size 0")
FRAME = 0.05  # s; effects are drawn for frames shorter than 0.1 s
WARM_UP = 3  # rounds in which caches and pools fill
MARGIN = {"objects": 200, "vertex buffers": 8}  # growth allowed in two rounds: undo, messages, tire marks, all bounded

# The hour is driven in as few frames as its rounds need: drawing takes most of the time.
HOUR, HOUR_WARM_UP = 3600.0, 20  # s of simulated driving; rounds before it
HOUR_FRAME = 0.09  # s, FRAME of its rounds, just short enough for effects
FAST, FAST_FRAMES = 16.0, 9  # simulated seconds per second, at most 16, and long frames driven so before each round
# growth allowed in an hour, some 185 rounds: laps, messages, tire marks in new places, meshes first in view
HOUR_MARGIN = {"objects": 5000, "vertex buffers": 24, "index buffers": 8}


def scene_counts(base):
    """{kind: count} of scene nodes, geometry, windows, tasks and prepared graphics objects."""
    shapes = [path.node() for path in base.render.findAllMatches("**/+GeomNode")]
    geoms = [node.getGeom(k) for node in shapes for k in range(node.getNumGeoms())]
    prepared = base.win.getGsg().getPreparedObjects()
    return {
        "nodes": sum(root.findAllMatches("**").getNumPaths() for root in (base.render, base.render2d)),
        "geoms": len(geoms),
        "vertices": sum(geom.getVertexData().getNumRows() for geom in geoms),
        "windows": base.graphicsEngine.getNumWindows(),
        "tasks": len(base.taskMgr.getAllTasks()),
        "textures": prepared.getNumPreparedTextures() + prepared.getNumQueuedTextures(),
        "prepared geoms": prepared.getNumPreparedGeoms() + prepared.getNumQueuedGeoms(),
        "vertex buffers": prepared.getNumPreparedVertexBuffers() + prepared.getNumQueuedVertexBuffers(),
        "index buffers": prepared.getNumPreparedIndexBuffers() + prepared.getNumQueuedIndexBuffers(),
        "shaders": prepared.getNumPreparedShaders() + prepared.getNumQueuedShaders(),
    }


def program_counts():
    """{kind: count} in the whole process."""
    gc.collect()
    return {
        "objects": len(gc.get_objects()),
        "kept textures": TexturePool.findAllTextures().getNumTextures(),
    }


def grown(before, after, margin):
    """{kind: (before, after)} of counts that grew more than `margin` {kind: count} allows."""
    return {name: (before[name], after[name]) for name in before if after[name] > before[name] + margin.get(name, 0)}


def drive_for(rig, seconds, frame):
    """Drive for some seconds in frames of a length, s."""
    rig.step(round(seconds / frame), frame)


def one_round(rig, recorded, frame=FRAME):
    """Drive and use the features that allocate, in frames of a length, s; a ghost drives `recorded`."""
    app, session = rig.app, rig.session
    app.world.spawn("gravel")
    session.changes.record_jump("placed")
    rig.hold("arrow_up", "arrow_left")
    for _ in app.camera.modes:
        drive_for(rig, 0.4, frame)
        app.do("camera")
    rig.hold("space")
    drive_for(rig, 0.4, frame)
    rig.hold()
    for action in ("panel", "debug_lines", "debug_window", "help", "controls", "recordings", "page_driveline"):
        app.do(action)
        rig.step(2)
        app.do(action)
        rig.step(1)
    app.experiments.ghosts.add(recorded)
    drive_for(rig, 0.5, frame)
    app.experiments.ghosts.remove(app.experiments.ghosts.running[-1])
    session.tuning.set_parameter("body.mass", 1150.0)
    session.tuning.undo()
    session.changes.swap(plan_swap(session.vehicle, "tire", choice_of(session.vehicle, "tire")))
    for action in ("rewind", "recover", "reset_props"):
        app.do(action)
        drive_for(rig, 0.2, frame)


def counts_of(rig):
    """{kind: count} of the scene and the process."""
    return {**scene_counts(rig.app.base), **program_counts()}


def drive_rounds(rig, recorded, count):
    """[counts] after each of `count` rounds."""
    counts = []
    for _ in range(count):
        one_round(rig, recorded)
        counts.append(counts_of(rig))
    return counts


@pytest.fixture
def rig(open_rig, drive):
    rig = open_rig("--size", "160x90", "--world", "proving_ground")
    rig.app.welcome = None
    return rig


@pytest.fixture
def recorded(drive, rig):
    """The GhostDrive of the recorded drive."""
    geometry = rig.session.vehicle.geometry
    look = geometry.path, None  # model, and no paint
    return ghost_drive(Recording.open(drive.recording), look, start=0.0, name="earlier")


def test_counts_stay_flat_during_a_drive(rig, recorded):
    counts = drive_rounds(rig, recorded, WARM_UP + 2)
    assert grown(counts[WARM_UP - 1], counts[-1], MARGIN) == {}
    assert counts[0]["nodes"] > 100 and counts[0]["index buffers"] > 20  # the counts work


def round_of_the_hour(rig, recorded):
    """Drive fast forward in a circle, then one round; returns the simulated seconds."""
    rig.hold("arrow_up", "arrow_left")
    rig.session.speed = FAST
    rig.step(FAST_FRAMES, LONG_FRAME)
    rig.session.speed = 1.0
    start = rig.session.real_time
    one_round(rig, recorded, HOUR_FRAME)
    return FAST * FAST_FRAMES * LONG_FRAME + rig.session.real_time - start


@pytest.mark.nightly
def test_counts_stay_flat_for_an_hour(rig, recorded, report_row):
    for _ in range(HOUR_WARM_UP):
        round_of_the_hour(rig, recorded)
    before, seconds, rounds = counts_of(rig), 0.0, 0
    while seconds < HOUR:
        seconds += round_of_the_hour(rig, recorded)
        rounds += 1
    growth = grown(before, counts_of(rig), HOUR_MARGIN)
    report_row("leaks in an hour of driving", f"{rounds} rounds, {seconds:.0f} s", growth or "none")
    assert growth == {}


def replay_counts(recording):
    """Counts of the scene of a recording's replay, which is opened, drawn and closed."""
    viewer = open_viewer(Recording.open(recording), build_parser().parse_args(
        ["replay", str(recording), "--offscreen", "--size", "160x90"]))  # fmt: skip
    for _ in range(4):
        viewer.base.taskMgr.step()
    counts = scene_counts(viewer.base)
    viewer.shut_down()
    return counts


def drive_counts(vehicle):
    """Counts of the scene after driving off with a vehicle; the program is opened and closed."""
    rig = Rig("--vehicle", vehicle)
    rig.hold("arrow_up")
    rig.run(1.0)
    counts = scene_counts(rig.app.base)
    rig.close()
    return counts


@pytest.mark.nightly
def test_counts_stay_flat_over_vehicles_and_replays(home, drive):
    counts = []
    for _ in range(WARM_UP + 2):
        scenes = [drive_counts("roadster"), drive_counts("tank"), replay_counts(drive.recording)]
        counts.append((scenes, program_counts()))
    assert counts[WARM_UP - 1][0] == counts[-1][0]
    assert grown(counts[WARM_UP - 1][1], counts[-1][1], MARGIN) == {}
