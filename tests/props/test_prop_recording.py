"""Recordings with props: shown from stored poses, verified without Bullet, older files still readable."""

import struct
import subprocess
import sys

import numpy as np
import pytest
from prop_rig import flat, launch, rolling, thing

from driving_sandbox.game.session.session import Session
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.recording import Recording, verify
from driving_sandbox.physics.recording import format as fmt
from driving_sandbox.physics.recording.props import BLEND_FRAMES, PropTrack, decode, encode, read_things
from driving_sandbox.physics.recording.verification import as_external
from driving_sandbox.physics.tick.context import EXTERNAL

VERIFY = """
import sys
sys.path.insert(0, sys.argv[2])
from driving_sandbox.physics.recording import verify
report = verify(sys.argv[1])
print(report.ok, report.ticks, "panda3d" in " ".join(sys.modules), report.text)
"""


def drive(path, things, seconds=1.5, between=None):
    """A recorded drive into things, as the program makes it; returns (session, simulation)."""
    world, simulation = flat(things)
    world.place(0, (0.0, 0.0), 0.0)
    launch(world.vehicles[0], 9.0)
    session = Session(world, record=path)
    simulation._recorder = lambda: session.recorder
    simulation.record_all()
    session.outside = simulation.outside
    session.changes.on_jump.append(simulation.jumped)
    for _ in range(round(seconds * 60)):
        session.step(1 / 60, lambda situation: rolling())
    if between:
        between(session, simulation)
    session.close()
    return session, simulation


CONES_AND_PLANK = [thing("plank", 0.0, 4.0, np.pi / 2), *(thing("cone", -1.0 + k, 7.0) for k in range(3))]


def test_a_drive_through_cones_over_a_plank_is_verified_by_a_program_without_bullet(tmp_path):
    path = tmp_path / "a.drive"
    drive(path, CONES_AND_PLANK)
    recording = Recording.open(path)
    acted = [t for t in range(recording.ticks) if recording.external(t) is not None]
    pushed = sum(np.abs(recording.external(t)["impulse"]).max() > 1.0 for t in acted)
    stood = sum(recording.external(t)["moving_count"][0] > 0 for t in acted)
    assert pushed >= 2 and stood >= 5 and len(acted) < 300
    done = subprocess.run([sys.executable, "-c", VERIFY, str(path), str(ROOT)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[:3] == ["True", "360", "False"], done.stdout


def test_stored_poses_are_where_the_things_were(tmp_path):
    seen = []

    def look(session, simulation):
        simulation.read()
        seen.append((session.world.tick, simulation.poses.copy()))
        for _ in range(12):
            session.step(1 / 60, lambda situation: rolling())

    _, simulation = drive(tmp_path / "a.drive", CONES_AND_PLANK, 0.9, look)
    track = Recording.open(tmp_path / "a.drive").props()
    assert track.kinds == ["plank", "cone", "cone", "cone"]
    assert np.allclose(track.at(0.0), simulation.start, atol=1e-4)
    tick, poses = seen[0]
    moved = np.linalg.norm(poses[:, :3] - simulation.start[:, :3], axis=1)
    assert moved.max() > 0.5 and 0 < len(track.moving) <= 4
    found = track.at(tick)
    assert np.allclose(found[:, :3], poses[:, :3], atol=0.05)  # within a frame at 10 m/s
    between = track.at(tick - 6.0)[:, :3]
    assert np.linalg.norm(between - found[:, :3], axis=1).max() < 0.6


def test_putting_back_and_going_back_in_time_move_things_and_are_recorded(tmp_path):
    distances = []

    def act(session, simulation):
        simulation.read()
        flown = np.linalg.norm(simulation.poses[2, :3] - simulation.start[2, :3])
        session.changes.rewind(1.2)
        back = np.linalg.norm(simulation.poses[2, :3] - simulation.start[2, :3])
        for _ in range(90):
            session.step(1 / 60, lambda situation: rolling())
        simulation.read()
        again = np.linalg.norm(simulation.poses[2, :3] - simulation.start[2, :3])
        simulation.reset()
        distances.extend((flown, back, again, np.abs(simulation.poses - simulation.start).max()))

    drive(tmp_path / "a.drive", CONES_AND_PLANK, 1.5, act)
    flown, back, again, left = distances
    assert flown > 1.0 and back < 0.01 and again > 1.0 and left == 0.0
    recording = Recording.open(tmp_path / "a.drive")
    assert verify(recording).ok
    track = recording.props()
    assert np.allclose(track.at(recording.ticks), track.start, atol=2e-4)


def test_coding_loses_nothing_beyond_the_quantum():
    random = np.random.default_rng(1)
    ticks, things = np.repeat(np.arange(10) * 4 + 1000, 7), np.tile([3, 1, 250, 7, 19999, 4, 0], 10)
    poses = random.uniform(-900.0, 900.0, (70, 7))
    poses[:, 3:] = random.normal(size=(70, 4))
    poses[:, 3:] /= np.linalg.norm(poses[:, 3:], axis=1, keepdims=True)
    t, n, p = decode(encode(ticks, things, poses))
    order = np.lexsort((ticks, things))
    assert np.array_equal(t, ticks[order]) and np.array_equal(n, things[order])
    assert np.abs(p[:, :3] - poses[order, :3]).max() <= 0.51e-4
    assert np.abs(p[:, 3:] - poses[order, 3:]).max() < 1e-4


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        bytes(20),
        struct.pack("<QIII", 0, 5, 9, 180) + b"junk",
        struct.pack("<QIII", 0, 2**31, 9, 36 * 2**31 % 2**32),
    ],
)
def test_impossible_blocks_are_refused(payload):
    with pytest.raises(fmt.ChunkError):
        decode(payload)


def test_a_thing_rests_before_a_pause_and_moves_evenly_between_frames():
    start = np.array([[0.0, 0, 0, 0, 0, 0, 1], [5.0, 0, 0, 0, 0, 0, 1]])
    poses = np.array([[1.0, 0, 0, 0, 0, 0, 1], [2.0, 0, 0, 0, 0, 0, 1], [9.0, 0, 0, 0, 0, 0, 1]])
    block = encode([100, 104, 400], [0, 0, 0], poses)
    track = PropTrack(["cone", "cone"], start, [block], 4)
    assert track.at(50)[0, 0] == 0.0
    assert track.at(102)[0, 0] == pytest.approx(1.5, abs=1e-3)
    assert track.at(300)[0, 0] == pytest.approx(2.0, abs=1e-3)
    assert track.at(500)[0, 0] == pytest.approx(9.0, abs=1e-3)
    assert track.at(500)[1, 0] == 5.0 and track.moving == [0] and BLEND_FRAMES * 4 >= 4
    with pytest.raises(fmt.ChunkError, match="prop 1"):
        PropTrack(["cone"], start[:1], [encode([0], [1], poses[:1])], 4)


@pytest.mark.parametrize(
    "things",
    [
        None,
        3,
        [["cone", 1, 2]],
        [["cone", *"abcdefg"]],
        [[7, 0, 0, 0, 0, 0, 0, 1]],
        [["cone", 0, 0, float("inf"), 0, 0, 0, 1]],
    ],
)
def test_a_damaged_list_of_things_shows_none(things):
    assert read_things([{"kind": "props", "tick": 0, "things": things}])[0] == []


def test_outside_actions_of_older_files_mean_the_same():
    old = np.zeros(2, [("force", "<f8", 3), ("torque", "<f8", 3), ("impulse", "<f8", 3), ("angular_impulse", "<f8", 3)])
    old["impulse"][1] = (1.0, 2.0, 3.0)
    new = as_external(old)
    assert new.dtype == EXTERNAL and new["impulse"][1].tolist() == [1.0, 2.0, 3.0] and not new["moving_count"].any()
