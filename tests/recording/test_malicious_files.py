"""Malicious recordings with correct checksums: their content is bounded, checked, and refused with a message."""

import os

import numpy as np
import pytest
import zstandard
from broken_files import chunks_of, read_until_it_ends, repaired, saved, with_header
from fake_world import fake_world

from driving_sandbox.physics.base.user_error import UserError
from driving_sandbox.physics.ground.arrays import NO_SURFACE
from driving_sandbox.physics.recording import Recorder, Recording, RecordingError, verify
from driving_sandbox.physics.recording import format as fmt
from driving_sandbox.physics.recording import index as recording_index
from driving_sandbox.physics.recording.folder import RecordingFolder
from driving_sandbox.physics.recording.props import MAX_ROWS, PropTrack
from driving_sandbox.physics.recording.verification import state_at
from driving_sandbox.physics.recording.world import build_world
from driving_sandbox.physics.tick.commands import neutral_command
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

LAST = 2**64 - 1  # largest number of an unsigned 64-bit field


@pytest.fixture(scope="module")
def roadster_drive(tmp_path_factory):
    """The bytes of a recording of a roadster on a plane, one second long."""
    path = tmp_path_factory.mktemp("driven") / "a.drive"
    world = World(load_world("plane"), [load_vehicle("roadster")])
    world.spawn(None)
    command = neutral_command()
    with Recorder(path, world, "2026-01-02T03:04:05") as recorder:
        for _ in range(245):
            world.step(command)
            recorder.record(command)
    return path.read_bytes()


def changed_chunk(data, wanted_kind, change, chunk_number=0):
    """The file with a changed payload of one chunk of a kind, correct checksums and no index."""
    parts, number = [data[: fmt.PREFIX.size]], 0
    for start, kind, length in chunks_of(data):
        if kind == fmt.INDEX:
            continue
        payload = bytes(data[start + fmt.CHUNK.size : start + fmt.CHUNK.size + length])
        if kind == wanted_kind:
            payload = change(payload) if number == chunk_number else payload
            number += 1
        parts.append(fmt.chunk(kind, len(parts) - 1, payload))
    assert number > chunk_number
    return b"".join(parts)


def with_state(data, slot, name, value):
    """The file with another number in a field of its stored states."""
    kind = load_vehicle("roadster").state.dtype

    def change(payload):
        tick, state_hash, jump, size = fmt.SNAPSHOT_HEAD.unpack_from(payload)
        state = bytearray(fmt.decompress(payload[fmt.SNAPSHOT_HEAD.size :], size))
        record = np.frombuffer(state, np.uint8)[8:].view(kind)
        record[slot][name] = value
        return fmt.SNAPSHOT_HEAD.pack(tick, state_hash, jump, size) + fmt.compress(bytes(state))

    return changed_chunk(data, fmt.SNAPSHOT, change)


@pytest.mark.parametrize(
    "slot, name, value, minimum",
    [
        ("gearbox", "current_gear", 2**40, 0),
        ("gearbox", "target_gear", -1, 0),
        ("contact", "hull_contact_count", 10_000, 0),
        ("road", "surface", 250, NO_SURFACE),
    ],
)
def test_states_with_invalid_indices_are_refused(roadster_drive, tmp_path, slot, name, value, minimum):
    path = saved(tmp_path, with_state(roadster_drive, slot, name, value))
    report = verify(path)
    assert not report.ok and f"{slot}.{name} is {value}, allowed are {minimum} to" in report.text
    recording = Recording.open(path)
    with pytest.raises(UserError, match=f"{slot}.{name} is {value}"):
        state_at(recording, build_world(recording), 20)


@pytest.mark.parametrize(
    "change, text",
    [
        (lambda h: h.update(substeps=10**9), "1000000000 substeps: a tick has 1 to 64"),
        (lambda h: h.update(substeps=10**30), "substeps: a tick has 1 to 64"),
        (lambda h: h.update(substeps=-1), "-1 substeps: a tick has 1 to 64"),
        (lambda h: h["world"].update(path="/dev/zero"), "is not here; it can only be watched"),
        (lambda h: h["vehicles"][0].update(towed=True), "its header has 1 vehicles"),
        (lambda h: h["vehicles"][0].update(config=5_000_000 * "x"), "at most 4 MB are read"),
        (lambda h: h["vehicles"][0].update(config="base: /dev/zero"), "cannot be rebuilt"),
    ],
)
def test_invalid_worlds_and_vehicles_are_refused(roadster_drive, tmp_path, change, text):
    path = saved(tmp_path, with_header(roadster_drive, change))
    with pytest.raises(RecordingError) as error:
        build_world(Recording.open(path))
    assert text in str(error.value) and len(str(error.value)) < 2500


@pytest.mark.parametrize(
    "change, text",
    [
        (lambda h: h["vehicles"][0].update(towed="x"), "neither true nor false"),
        (lambda h: h.update(tick_seconds=10**400), "header"),
    ],
)
def test_headers_with_invalid_values_are_refused(roadster_drive, tmp_path, change, text):
    with pytest.raises(RecordingError, match=text):
        Recording.open(saved(tmp_path, with_header(roadster_drive, change)))


HEADS = {  # kind of chunk: (struct of its head, index of the tick in it)
    fmt.COMMANDS: (fmt.COMMAND_HEAD, 0), fmt.SNAPSHOT: (fmt.SNAPSHOT_HEAD, 0), fmt.POSES: (fmt.POSE_HEAD, 0),
}  # fmt: skip


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize("tick", [LAST, 2**63, 2**62 + 1])
@pytest.mark.parametrize("kind", [*HEADS, fmt.EVENT, fmt.END])
def test_a_recording_with_a_huge_tick_is_read_or_refused(roadster_drive, tmp_path, kind, tick, check):
    """Reading and simulating it raise a UserError or nothing, and its verification has a text."""

    def change(payload):
        if kind in HEADS:
            head, position = HEADS[kind]
            values = list(head.unpack_from(payload))
            values[position] = tick
            return head.pack(*values) + payload[head.size :]
        key = "ticks" if kind == fmt.END else "tick"
        return fmt.to_json({**fmt.from_json(payload), key: tick})

    path = saved(tmp_path, changed_chunk(roadster_drive, kind, change))
    try:
        recording = Recording.open(path, check=check)
        read_until_it_ends(recording)
        recording.pose_at(0.5)
        state_at(recording, build_world(recording), 10)
    except UserError as error:
        assert str(path) in str(error) or "state" in str(error)
    assert verify(path).text


def test_the_tick_of_a_state_is_bounded(roadster_drive, tmp_path):
    def change(payload):
        tick, state_hash, jump, size = fmt.SNAPSHOT_HEAD.unpack_from(payload)
        state = LAST.to_bytes(8, "little") + fmt.decompress(payload[fmt.SNAPSHOT_HEAD.size :], size)[8:]
        return fmt.SNAPSHOT_HEAD.pack(tick, state_hash, jump, size) + fmt.compress(state)

    report = verify(saved(tmp_path, changed_chunk(roadster_drive, fmt.SNAPSHOT, change)))
    assert not report.ok and f"tick {LAST} is beyond" in report.text


def with_events(data, packed_events, size):
    """The file with an index whose events are this compressed text, `size` bytes long before compression."""
    chunks = chunks_of(data)
    start, kind, length = chunks[-2]
    assert kind == fmt.INDEX
    payload = data[start + fmt.CHUNK.size : start + fmt.CHUNK.size + length]
    stated, count, packed, _ = recording_index.HEAD.unpack_from(payload)
    head = recording_index.HEAD.pack(stated, count, packed, size)
    rows = payload[recording_index.HEAD.size : recording_index.HEAD.size + packed]
    index = fmt.chunk(fmt.INDEX, len(chunks) - 2, head + rows + packed_events)
    end = data[chunks[-1][0] + fmt.CHUNK.size :]
    return data[:start] + index + fmt.chunk(fmt.END, len(chunks) - 1, end)


def test_an_index_with_long_deep_or_wrong_events_is_ignored(roadster_drive, tmp_path):
    intact = Recording.open(saved(tmp_path, roadster_drive), check=False)
    for text in (255_000_000 * b" ", 200_000 * b"[", b"[[0, NaN]]"):
        data = with_events(roadster_drive, zstandard.compress(text), len(text))
        assert len(data) < len(roadster_drive) + 30_000
        recording = Recording.open(saved(tmp_path, data), check=False)  # is read by its chunks
        assert recording.ticks == intact.ticks and recording.events == intact.events
    assert recording_index.find(memoryview(roadster_drive)) is not None
    assert recording_index.find(memoryview(data)) is None


def test_the_unpacked_size_of_blocks_is_limited(roadster_drive, tmp_path):
    with pytest.raises(fmt.ChunkError, match="larger than any recording has"):
        fmt.decompress(zstandard.compress(bytes(70_000_000)), 70_000_000)
    frames = 100_000

    def many_frames(payload):
        first, _, columns, _ = fmt.POSE_HEAD.unpack_from(payload)
        size = 4 * frames * columns
        return fmt.POSE_HEAD.pack(first, frames, columns, size) + zstandard.compress(bytes(size))

    recording = Recording.open(saved(tmp_path, changed_chunk(roadster_drive, fmt.POSES, many_frames)))
    with pytest.raises(RecordingError, match="poses cannot be read"):
        recording.poses()
    head = fmt.POSE_HEAD.pack(0, MAX_ROWS // 2 + 1, 9, 0)
    with pytest.raises(fmt.ChunkError, match="poses of props; at most"):
        PropTrack([], np.zeros((0, 7)), [head, head], 1)


def test_too_many_vehicles_are_not_recorded(tmp_path):
    world = fake_world(fmt.MAX_VEHICLES + 1)
    with pytest.raises(RecordingError, match="1001 vehicles; at most 1000"):
        Recorder(tmp_path / "many.drive", world, "2026-01-02T03:04:05")
    assert not (tmp_path / "many.drive").exists()
    assert fmt.MAX_VEHICLES * load_vehicle("roadster").state.nbytes < fmt.MAX_UNPACKED


def test_control_characters_of_names_are_escaped(roadster_drive, tmp_path):
    path = saved(tmp_path, with_header(roadster_drive, lambda h: h["vehicles"][0].update(name="\x1b[2Jcar\x9b")))
    assert Recording.open(path).header["vehicles"][0]["name"] == "\\u001b[2Jcar\\u009b"
    assert Recording.open(saved(tmp_path, repaired(roadster_drive))).header["vehicles"][0]["name"] == "Roadster"


@pytest.mark.parametrize("data", [b"", fmt.PREFIX.pack(fmt.MAGIC, fmt.FORMAT_VERSION, 0)], ids=["empty", "prefix"])
def test_an_empty_automatic_recording_is_reported_and_later_removed(tmp_path, data):
    folder = RecordingFolder(tmp_path)
    path = folder.automatic("20260102-030405")
    path.write_bytes(data)
    with pytest.raises(RecordingError, match="holds nothing: the program was stopped before"):
        Recording.open(path)
    assert folder.clean() == [] and path.exists()  # another program may be about to write it
    os.utime(path, (1.0, 1.0))
    other = saved(tmp_path, data)
    os.utime(other, (1.0, 1.0))
    assert folder.clean(current=path) == []
    assert folder.clean() == [path] and not path.exists() and other.exists()
