"""Recordings with props are verified and have stored poses; older files are readable."""

import struct
from dataclasses import replace

import numpy as np
import pytest
from prop_rig import coasting_command, launch, placed_prop

from driving_sandbox.game.props.motion import PropMotion
from driving_sandbox.game.session.session import Session
from driving_sandbox.physics.props import props as props_module
from driving_sandbox.physics.props.kinds import load_kind
from driving_sandbox.physics.recording import Recorder, Recording, build_world, state_at, verify, writer
from driving_sandbox.physics.recording import format as fmt
from driving_sandbox.physics.recording.props import BLEND_FRAMES, PropTrack, decode, encode, read_props
from driving_sandbox.physics.recording.verification import as_external
from driving_sandbox.physics.tick.context import EXTERNAL
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

YARD = """\
name: Yard
terrain: {plane: 0, surface: asphalt}
spawn_points: {start: {position: [0, 0]}}
props:
  - {kind: plank, position: [0, 4], heading_deg: 90}
  - {kind: cone, position: [-1, 7], repeat: [3, 1, 1], spacing: [1, 1, 1]}
  - {kind: barrel, position: [0.4, 9]}
"""


def drive(path, seconds=1.5, at_end=None, with_props=True):
    """Record a drive over a plank into cones as the program does; returns (session, PropMotion).

    at_end: function of (session, motion) that is called before the recording ends.
    with_props: whether the world has its props.
    """
    world_path = path.with_name("yard.yaml")
    world_path.write_text(YARD)
    world = World(load_world(world_path), [load_vehicle("roadster_simple")], props=None if with_props else ())
    world.place(0, (0.0, 0.0), 0.0)
    launch(world.vehicles[0], 9.0)
    session = Session(world, record=path)
    motion = PropMotion(world, lambda: session.recorder)
    motion.record_all()
    session.external_impulses = lambda world: motion.tick()
    session.changes.on_jump.append(motion.jumped)
    for _ in range(round(seconds * 60)):
        session.step(1 / 60, lambda situation: coasting_command())
    if at_end:
        at_end(session, motion)
    session.close()
    return session, motion


def displacement(motion, k=2):
    """Distance of a prop, by default of the middle cone, from its start, m."""
    return float(np.linalg.norm(motion.poses[k, :3] - motion.start[k, :3]))


def test_a_drive_over_a_plank_into_cones_is_repeated_bit_for_bit(tmp_path):
    path = tmp_path / "a.drive"
    session, motion = drive(path)
    recording = Recording.open(path)
    assert displacement(motion) > 1.0 and recording.header["props"] is True
    assert all(recording.external(t) is None for t in range(recording.ticks))
    report = verify(path)
    assert report.ok and report.ticks == 360, report.text
    assert state_at(recording, build_world(recording), 360).state_hash() == session.world.state_hash()


def test_a_recording_is_not_verified_with_heavier_cones(tmp_path, monkeypatch):
    path = tmp_path / "a.drive"
    drive(path)
    original = props_module.load_kind("cone")
    heavier = replace(original, mass=original.mass * 1.01)
    monkeypatch.setattr(props_module, "load_kind", lambda name: heavier if name == "cone" else load_kind(name))
    assert not verify(path).ok


@pytest.mark.parametrize("key", ["absent", False])
def test_a_recording_without_props_in_its_header_is_verified_without_props(key, tmp_path, monkeypatch):
    original = writer.header_of

    def header_of(*arguments):
        header = original(*arguments)
        header["props"] = key
        return {k: v for k, v in header.items() if v != "absent"}

    monkeypatch.setattr(writer, "header_of", header_of)
    path = tmp_path / "old.drive"
    drive(path, with_props=False)
    assert build_world(Recording.open(path)).props is None
    assert verify(path).ok


@pytest.mark.parametrize("value", [1, "yes"])
def test_another_value_in_the_header_is_refused(value, tmp_path, monkeypatch):
    original = writer.header_of
    monkeypatch.setattr(writer, "header_of", lambda *arguments: {**original(*arguments), "props": value})
    path = tmp_path / "odd.drive"
    drive(path, 0.1)
    with pytest.raises(fmt.RecordingError, match="props is neither true nor false"):
        Recording.open(path)


def test_props_that_are_in_no_file_are_not_recorded(tmp_path):
    world = World(load_world("plane"), [load_vehicle("roadster_simple")], props=[placed_prop("cone", 0.0, 5.0)])
    with pytest.raises(fmt.RecordingError, match="not in a world file"):
        Recorder(tmp_path / "a.drive", world, "2026-01-01T00:00:00")


def test_stored_poses_are_those_of_the_drive(tmp_path):
    copies = []

    def copy_poses(session, motion):
        motion.read()
        copies.append((session.world.tick, motion.poses.copy()))
        for _ in range(12):
            session.step(1 / 60, lambda situation: coasting_command())

    _, motion = drive(tmp_path / "a.drive", 0.9, copy_poses)
    track = Recording.open(tmp_path / "a.drive").props()
    assert track.kinds == ["plank", "cone", "cone", "cone", "barrel"]
    assert np.allclose(track.at(0.0), motion.start, atol=1e-4)
    tick, poses = copies[0]
    moved = np.linalg.norm(poses[:, :3] - motion.start[:, :3], axis=1)
    assert moved.max() > 0.5 and 0 < len(track.moving) <= 5
    stored = track.at(tick)
    assert np.allclose(stored[:, :3], poses[:, :3], atol=0.05)  # within a frame at 10 m/s
    earlier = track.at(tick - 6.0)[:, :3]
    assert np.linalg.norm(earlier - stored[:, :3], axis=1).max() < 0.6


@pytest.mark.parametrize("seconds", [0.5, 1.2])
def test_reset_and_rewind_of_props_are_recorded(tmp_path, seconds):
    distances, hashes = [], []

    def act(session, motion):
        motion.read()
        hashes.append(session.world.state_hash())
        distances.append(displacement(motion))
        session.changes.rewind(seconds)
        distances.append(displacement(motion))
        for _ in range(round(60 * seconds)):
            session.step(1 / 60, lambda situation: coasting_command())
        motion.read()
        hashes.append(session.world.state_hash())
        distances.append(displacement(motion))
        session.world.props.reset()
        session.changes.record_jump("props put back", moved=())
        distances.append(np.abs(motion.poses - motion.start).max())

    drive(tmp_path / "a.drive", 1.5, act)
    before, rewound, repeated, after_reset = distances
    assert before > 1.0 and rewound < before - 0.5 and repeated == before and after_reset == 0.0
    assert hashes[0] == hashes[1], "a rewind to before the collision does not lead to the same state"
    recording = Recording.open(tmp_path / "a.drive")
    assert verify(recording).ok
    track = recording.props()
    assert np.allclose(track.at(recording.ticks), track.start, atol=2e-4)


def test_decoded_poses_are_within_their_quantum():
    random = np.random.default_rng(1)
    ticks, prop_indices = np.repeat(np.arange(10) * 4 + 1000, 7), np.tile([3, 1, 250, 7, 19999, 4, 0], 10)
    poses = random.uniform(-900.0, 900.0, (70, 7))
    poses[:, 3:] = random.normal(size=(70, 4))
    poses[:, 3:] /= np.linalg.norm(poses[:, 3:], axis=1, keepdims=True)
    decoded_ticks, decoded_indices, decoded_poses = decode(encode(ticks, prop_indices, poses))
    order = np.lexsort((ticks, prop_indices))
    assert np.array_equal(decoded_ticks, ticks[order]) and np.array_equal(decoded_indices, prop_indices[order])
    assert np.abs(decoded_poses[:, :3] - poses[order, :3]).max() <= 0.51e-4
    assert np.abs(decoded_poses[:, 3:] - poses[order, 3:]).max() < 1e-4


@pytest.mark.parametrize(
    "payload",  # nothing, zeros, data that cannot be decompressed, a count whose size exceeds 32 bits
    [
        b"",
        bytes(20),
        struct.pack("<QIII", 0, 5, 9, 180) + b"junk",
        struct.pack("<QIII", 0, 2**31, 9, 36 * 2**31 % 2**32),
    ],
)
def test_invalid_blocks_are_refused(payload):
    with pytest.raises(fmt.ChunkError):
        decode(payload)


def test_a_prop_rests_in_a_pause_and_moves_linearly_between_frames():
    start = np.array([[0.0, 0, 0, 0, 0, 0, 1], [5.0, 0, 0, 0, 0, 0, 1]])
    poses = np.array([[x, 0, 0, 0, 0, 0, 1] for x in (1.0, 2.0, 4.0, 9.0)])
    frame = 4  # ticks
    near = 104 + BLEND_FRAMES * frame  # the last tick to which the pose at 104 is blended
    far = near + (BLEND_FRAMES + 1) * frame
    block = encode([100, 104, near, far], [0, 0, 0, 0], poses)
    track = PropTrack(["cone", "cone"], start, [block], frame)
    assert track.at(50)[0, 0] == 0.0
    assert track.at(102)[0, 0] == pytest.approx(1.5, abs=1e-3)
    assert track.at((104 + near) / 2)[0, 0] == pytest.approx(3.0, abs=1e-3)
    assert track.at(far - 1)[0, 0] == pytest.approx(4.0, abs=1e-3)
    assert track.at(far)[0, 0] == pytest.approx(9.0, abs=1e-3) == track.at(far + 100)[0, 0]
    assert track.at(far)[1, 0] == 5.0 and track.moving == [0]
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
def test_a_damaged_list_of_props_is_read_as_empty(things):
    assert read_props([{"kind": "props", "tick": 0, "things": things}])[0] == []


def test_external_records_of_older_files_are_converted():
    old = np.zeros(2, [("force", "<f8", 3), ("torque", "<f8", 3), ("impulse", "<f8", 3), ("angular_impulse", "<f8", 3)])
    old["impulse"][1] = (1.0, 2.0, 3.0)
    new = as_external(old)
    assert new.dtype == EXTERNAL and new["impulse"][1].tolist() == [1.0, 2.0, 3.0] and not new["moving_count"].any()
