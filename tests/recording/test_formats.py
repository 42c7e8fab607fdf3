"""Coding of blocks of ticks, and files of earlier formats."""

import math
from pathlib import Path

import numpy as np
import pytest
from drives import drive
from fake_world import rebuild
from hypothesis import given
from hypothesis import strategies as st

from driving_sandbox.physics.recording import ChunkError, Recorder, Recording, RecordingError, verify
from driving_sandbox.physics.recording import format as fmt
from driving_sandbox.physics.recording.poses import (
    ANGLE,
    check_layout,
    from_second_differences,
    pose_layout,
    second_differences,
)
from driving_sandbox.physics.recording.ticks import decode, differing, encode, filled
from driving_sandbox.physics.recording.verification import as_commands
from driving_sandbox.physics.recording.world import build_world
from driving_sandbox.physics.tick.commands import COMMAND, FIRST, neutral_command
from driving_sandbox.physics.tick.context import EXTERNAL
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

OLD = Path(__file__).parent / "data" / "format_3.drive"  # `drive(ticks=260, setup_at=60, jump_at=100, push_at=83)`
ROADSTER = OLD.with_name("roadster_format_3.drive")  # on the plane
ROWS, EXTERNAL_ROW = fmt.row_dtype(COMMAND), fmt.external_dtype(EXTERNAL)


@pytest.mark.parametrize("version", [1, 2, 3])
def test_a_file_of_an_earlier_format_plays_and_verifies(tmp_path, version):
    """It has the commands, external impulses and poses of the same drive recorded now.

    The file has format 3; for formats 1 and 2 only its number is changed.
    """
    data, path = bytearray(OLD.read_bytes()), tmp_path / "old.drive"
    assert data[8] == 3  # the format's number, after the eight bytes of MAGIC
    data[8] = version
    path.write_bytes(data)
    drive(tmp_path / "new.drive", ticks=260, setup_at=60, jump_at=100, push_at=83)
    old, new = Recording.open(path), Recording.open(tmp_path / "new.drive")
    assert old.complete and old.ticks == new.ticks == 260
    before, now = old.rows(), new.rows()
    for name in ("command", "flags"):
        assert before[name].tobytes() == now[name].tobytes()
    assert np.array_equal(before["state_check"] & 0xFFFF, now["state_check"])  # which now has 16 bits
    assert old.external(83).tobytes() == new.external(83).tobytes()
    (_, _, (old_poses,)), (_, _, (new_poses,)) = old.poses(), new.poses()
    for name, values in old_poses.items():  # wheels are stored relative to the model now
        tolerance = 3e-4 if name.startswith(("wheel_", "hub_")) else 0.0
        assert np.allclose(values, new_poses[name], rtol=0.0, atol=tolerance), name
    assert verify(path, rebuild=rebuild).ok
    assert len(data) > 1.5 * new.path.stat().st_size


def test_a_roadster_of_an_earlier_format_plays_and_drives_a_similar_distance():
    """The drive lasts one second. States had another layout, so that it cannot be verified, which is reported."""
    recording = Recording.open(ROADSTER)
    assert recording.complete and recording.ticks == 240
    _, _, (poses,) = recording.poses()
    distance = np.linalg.norm(poses["model_position"][-1] - poses["model_position"][0])
    report = verify(ROADSTER)
    assert not report.ok and report.kind == "snapshot" and "Roadster has another layout" in report.note
    world = build_world(recording, None)
    world.spawn()
    start = world.vehicles[0].model_position()
    commands = as_commands(recording.commands()[:, 0])
    for k in range(recording.ticks):
        assert world.step(commands[k : k + 1]) is None
    assert math.dist(world.vehicles[0].model_position(), start) == pytest.approx(distance, rel=0.05) and distance > 1.0


# Recordings of two seconds by earlier versions (data/README.md): name, format, distance of the start from the end, m
EARLIER = [("hatchback_format_1", 1, 4.85), ("roadster_format_2", 2, 19.86), ("roadster_c_library", 3, 2.70)]


@pytest.mark.parametrize(("name", "version", "distance"), EARLIER)
def test_a_recording_made_by_an_earlier_version_plays(name, version, distance):
    recording = Recording.open(OLD.with_name(f"{name}.drive"))
    assert recording.path.read_bytes()[8] == version and recording.header.get("arithmetic") is None
    assert recording.complete and (recording.ticks, recording.seconds) == (240, 2.0)
    throttle = recording.commands()["throttle"][:, 0]
    assert throttle[59] == 0.0 and throttle[60] == pytest.approx(0.8) and throttle[-1] == 0.0
    times, _, (poses,) = recording.poses()
    driven = math.dist(poses["model_position"][0], poses["model_position"][-1])
    assert times[-1] == 2.0 and driven == pytest.approx(distance, abs=0.01)
    assert np.linalg.norm(poses["wheel_orientation"], axis=-1) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("name", [name for name, *_ in EARLIER])
def test_a_recording_made_by_an_earlier_version_is_verified_as_such(name):
    """Its states cannot be reached; the report, or the error if its ground has changed, says what made it."""
    path = OLD.with_name(f"{name}.drive")
    try:
        report = verify(path)
        text = report.text
        assert not report.ok and report.tick is not None
    except RecordingError as error:
        text = str(error)
        assert "was changed since; it cannot be repeated" in text
    assert "made with other arithmetic (of the C library it ran with" in text
    assert "recorded with other sources (program 0.1.0" in text


def test_a_recording_of_format_4_plays():
    """Its poses have the orientations of the wheels; the car drives off as in that of format 3."""
    recording = Recording.open(OLD.with_name("roadster_format_4.drive"))
    assert recording.path.read_bytes()[8] == 4 and recording.complete and recording.ticks == 240
    assert "wheel_orientation" in [name for name, *_ in recording.header["vehicles"][0]["poses"]]
    _, _, (poses,) = recording.poses()
    assert poses["model_position"][-1] == pytest.approx((0.2376, 1.9366, -0.0001), abs=1e-4)
    assert np.linalg.norm(poses["wheel_orientation"], axis=-1) == pytest.approx(1.0, abs=1e-6)


def test_the_moving_prop_of_a_file_of_format_2_is_where_it_was():
    props = Recording.open(OLD.with_name("roadster_format_2.drive")).props()
    assert props.kinds == ["cone"] and props.moving == [0]
    assert props.at(0)[0, :3] == pytest.approx((0.3, 6.0, 0.11))
    assert props.at(239)[0, :3] == pytest.approx((3.3027, 15.0752, 0.2378))


@pytest.mark.parametrize("vehicle", ["roadster_simple", "planar_roadster"])
def test_orientations_of_wheels_come_from_those_of_hubs_and_angles(tmp_path, vehicle):
    """Errors are below 2^-13: half the rounding of an angle, and those of body and hub; a wheel turns several times."""
    world = World(load_world("plane"), [load_vehicle(vehicle)])
    world.spawn()
    command, states = neutral_command(), []
    command["throttle"], command["steer"], command["gear"] = 1.0, 0.2, FIRST
    with Recorder(tmp_path / "a.drive", world, "2026-01-02T03:04:05") as recorder:
        for tick in range(480):
            world.step(command)
            recorder.record(command)
            if tick % 4 == 3:
                states.append(world.vehicles[0].state["wheel"]["orientation"][0, :4].copy())
    _, _, (poses,) = Recording.open(tmp_path / "a.drive").poses()
    assert "wheel_orientation" not in [name for name, *_ in pose_layout(world.vehicles[0])]
    played, expected = poses["wheel_orientation"][1:], np.array(states)  # the first frame is the jump to the start
    played = played * np.sign(np.sum(played * expected, axis=-1, keepdims=True))
    assert np.abs(played - expected).max() < 2.0**-13
    assert np.abs(expected[-1] - expected[0]).max() > 0.1


@pytest.mark.parametrize("hub", [[], [["hub_orientation", 2, 4, 1.0]], [["hub_orientation", 4, 3, 1.0]]])
def test_angles_of_wheels_without_their_hubs_are_refused(hub):
    body = [["model_position", 0, 3, 1e-4], ["model_orientation", 0, 4, 1e-4]]
    with pytest.raises(ChunkError, match="angles of wheels without"):
        check_layout([*body, *hub, [ANGLE, 4, 1, 1e-4]])


@pytest.mark.parametrize("wheels", [
    [["hub_turn", 4, 4, 1.0]], [["wheel_offset", 4, 4, 1.0]], [["wheel_offset", 0, 3, 1.0]],
    [["wheel_offset", 4, 3, 1.0], ["hub_turn", 2, 4, 1.0]], [["wheel_offset", 4, 4, 1.0], ["hub_turn", 4, 3, 1.0]],
    [["wheel_offset", 4, 3, 1.0], ["wheel_position", 4, 3, 1.0]],
    [["wheel_offset", 4, 3, 1.0], ["model_orientation", 0, 3, 1.0]],
])  # fmt: skip
def test_wheels_that_cannot_be_placed_are_refused(wheels):
    body = [["model_position", 0, 3, 1e-4], ["model_orientation", 0, 4, 1e-4]]
    with pytest.raises(ChunkError, match="wheels that cannot be placed"):
        check_layout([*body, *wheels])
    check_layout([*body, ["wheel_offset", 4, 3, 1.0], ["hub_turn", 4, 4, 1.0]])


def random_rows(rng, ticks, vehicles):
    """(rows, external rows) with some numbers that change rarely."""
    rows = np.zeros((ticks, vehicles), ROWS)
    for name in COMMAND.names:
        changes = rng.random((ticks, vehicles)) < rng.choice([0.0, 0.05, 1.0])
        rows["command"][name] = np.cumsum(changes * rng.integers(-5, 6, (ticks, vehicles)), axis=0)
    for name, bits in (("flags", 32), ("state_check", 16), ("row_check", 16)):
        rows[name] = rng.integers(0, 2**bits, (ticks, vehicles))
    external_rows = np.zeros(rng.integers(0, 2 * ticks + 1), EXTERNAL_ROW)
    raw = external_rows.view(np.uint8).reshape(len(external_rows), EXTERNAL_ROW.itemsize)
    raw[...] = rng.integers(0, 2, raw.shape)
    external_rows["vehicle"] = np.sort(rng.integers(0, vehicles, len(external_rows)))
    external_rows["tick"] = np.arange(len(external_rows))
    return rows, external_rows


@pytest.mark.parametrize("vehicles", [1, 2, 9])
@pytest.mark.parametrize("seed", range(5))
def test_a_decoded_block_is_bit_identical(seed, vehicles):
    rows, external_rows = random_rows(np.random.default_rng(seed), 1 + 17 * seed, vehicles)
    first, decoded, decoded_external = decode(encode(77, rows, external_rows), ROWS, EXTERNAL_ROW, fmt.FORMAT_VERSION)
    assert first == 77 and decoded.tobytes() == rows.tobytes() and decoded_external.tobytes() == external_rows.tobytes()


def test_unchanged_rows_take_five_bytes_per_tick():
    """The mark of changed words takes 1, checks 4; a changed word takes 8 more, the number and names of words 6."""
    rows = np.zeros((120, 1), ROWS)
    rows["command"]["steer"] = 0.25
    none = np.zeros(0, EXTERNAL_ROW)
    assert len(encode(0, rows, none)) == fmt.COMMAND_HEAD.size + 6 + 120 * 5 + 8
    rows["command"]["steer"][60:] = 0.5
    assert len(encode(0, rows, none)) == fmt.COMMAND_HEAD.size + 6 + 120 * 5 + 16


def test_blocks_of_a_wrong_length_are_refused():
    payload = encode(0, *random_rows(np.random.default_rng(1), 40, 2))
    for damaged in (payload[:-8], payload + bytes(8), payload[:-3], payload[:30], payload[:5]):
        with pytest.raises(ChunkError, match="block of"):
            decode(damaged, ROWS, EXTERNAL_ROW, fmt.FORMAT_VERSION)
    with pytest.raises(ChunkError, match="larger than any"):
        decode(fmt.COMMAND_HEAD.pack(0, 2**31, 2**31, 0) + bytes(100), ROWS, EXTERNAL_ROW, fmt.FORMAT_VERSION)
    with pytest.raises(ChunkError, match="wrong length"):
        decode(fmt.COMMAND_HEAD.pack(0, 100_000, 1, 0) + bytes(100), ROWS, EXTERNAL_ROW, fmt.FORMAT_VERSION)


@given(st.binary(max_size=400))
def test_any_bytes_are_decoded_or_refused(data):
    head = fmt.COMMAND_HEAD.pack(0, 3, 2, 1)
    for payload in (data, head + data):
        for strict in (True, False):
            try:
                _, rows, external_rows = decode(payload, ROWS, EXTERNAL_ROW, fmt.FORMAT_VERSION, strict)
            except ChunkError:
                continue
            assert rows.ndim == 2 and external_rows.ndim == 1


@given(st.lists(st.integers(0, 2**64 - 1), max_size=30), st.integers(1, 5))
def test_rows_are_restored_from_differing_words(numbers, width):
    words = np.array(numbers[: len(numbers) // width * width], np.uint64).reshape(-1, width)
    assert np.array_equal(filled(*differing(words), width), words)


@given(st.lists(st.integers(0, 2**32 - 1), max_size=40))
def test_numbers_are_restored_from_second_differences(numbers):
    frames = np.array(numbers, np.uint32).reshape(-1, 1)
    assert np.array_equal(from_second_differences(second_differences(frames)), frames)
