"""Cut, damaged, forged and foreign files are read up to the damage, which is reported, or refused."""

import random
import struct
import zlib

import numpy as np
import pytest
import zstandard
from broken_files import (
    ROW,
    bits_of_tick,
    chunks_of,
    flipped,
    read_until_it_ends,
    repaired,
    saved,
    with_header,
    with_rows,
)
from fake_world import rebuild

from driving_sandbox.physics.recording import ChunkError, Recording, RecordingError, verify
from driving_sandbox.physics.recording import format as fmt

TICKS = 600

# ---- cut files


def test_a_file_cut_at_a_block_is_read_up_to_it(original, tmp_path):
    readable = 0
    for start, kind, length in chunks_of(original):
        if kind == fmt.HEADER:
            continue
        recording = Recording.open(saved(tmp_path, original[:start]))
        assert recording.truncated and "program was stopped" in recording.damage
        assert recording.ticks >= readable
        readable = recording.ticks
        report = verify(recording, rebuild=rebuild)
        assert report.ok and report.ticks == readable and report.damage, report.text
        inside = Recording.open(saved(tmp_path, original[: start + fmt.CHUNK.size + length // 2]))
        assert inside.ticks == readable and f"byte {start}" in inside.damage
    assert readable == TICKS


def test_a_file_cut_anywhere_is_read_or_refused(original, tmp_path):
    rng = random.Random(1)
    header_end = chunks_of(original)[1][0]
    for _ in range(60):
        end = rng.randrange(len(original))
        path = saved(tmp_path, original[:end])
        if end < header_end:
            with pytest.raises(RecordingError, match="damaged.drive"):
                Recording.open(path)
            continue
        recording = Recording.open(path)
        assert recording.truncated and recording.damage
        if rng.random() < 0.3:
            assert verify(recording, rebuild=rebuild).ok


# ---- flipped bits


@pytest.mark.parametrize("tick", [0, 1, 119, 120, 123, 300, 500, 599])
@pytest.mark.parametrize("part", ["changes", "command", "state_check", "row_check"])
def test_one_flipped_bit_names_its_tick(original, tmp_path, tick, part):
    """Each bit of the part is flipped in a file of its own; bits_of_tick describes the parts."""
    for offset, bit in bits_of_tick(original, tick)[part]:
        path = saved(tmp_path, flipped(original, offset, bit))
        recording = Recording.open(path)
        assert recording.damage and not recording.truncated and recording.ticks <= tick
        report = verify(path, rebuild=rebuild)
        assert not report.ok and report.tick == tick and report.kind == "command", (offset, bit, report.text)
        assert f"tick {tick} ({tick / 240:.4f} s" in report.text


@pytest.mark.parametrize("tick", [123, 124])
def test_one_flipped_bit_of_the_flags_is_found(original, tmp_path, tick):
    """The flags mark external forces; if they do not match, the whole block of ticks is dropped."""
    bits = bits_of_tick(original, tick)["flags"]
    assert len(bits) == 64
    for offset, bit in bits:
        path = saved(tmp_path, flipped(original, offset, bit))
        recording = Recording.open(path)
        assert recording.damage and not recording.truncated and 120 <= recording.ticks <= tick
        assert not verify(path, rebuild=rebuild).ok, (offset, bit)


@pytest.mark.parametrize("tick", [0, 321, 599])
def test_a_flipped_bit_of_a_command_with_correct_block_checksums_is_found_by_the_row_check(original, tmp_path, tick):
    for offset, bit in bits_of_tick(original, tick)["command"][::7]:
        report = verify(saved(tmp_path, repaired(flipped(original, offset, bit))), rebuild=rebuild)
        assert not report.ok and report.tick == tick and report.kind == "command", (offset, bit, report.text)


def test_a_changed_command_with_correct_checksums_is_found_by_the_state(original, tmp_path):
    def change(rows, k):
        rows["command"]["steer"][k] = np.nextafter(rows["command"]["steer"][k], 2.0)
        rows["row_check"][k] = fmt.row_check(rows[k].tobytes(), 321, 0) & fmt.check_mask()

    report = verify(saved(tmp_path, with_rows(original, 321, change)), rebuild=rebuild)
    assert not report.ok and report.tick == 321 and report.kind == "state", report.text


def test_two_swapped_rows_are_found(original, tmp_path):
    def change(rows, k):
        rows[k : k + 2] = rows[k : k + 2][::-1].copy()

    report = verify(saved(tmp_path, with_rows(original, 200, change)), rebuild=rebuild)
    assert report.tick == 200 and report.kind == "command"


def test_a_rebuilt_world_with_another_parameter_is_found(original, tmp_path):
    def rebuild_other(recording, trust):
        world = rebuild(recording)
        world.vehicles[0].params["mass"] += 1e-9
        return world

    report = verify(saved(tmp_path, original), rebuild=rebuild_other)
    assert not report.ok and report.kind == "state" and report.tick == 0
    assert "parameters of Fake, rebuilt from the recorded text, differ" in report.note


def test_an_altered_setup_change_is_found(original, tmp_path):
    data = original.replace(b'"mass": 1234.5', b'"mass": 1234.6')
    report = verify(saved(tmp_path, repaired(data)), rebuild=rebuild)
    assert report.tick == 300 and report.kind == "state"
    data = original.replace(b'"mass": 1234.5', b'"mass":-1234.5')
    report = verify(saved(tmp_path, repaired(data)), rebuild=rebuild)
    assert report.tick == 300 and report.kind == "setup" and "must be > 0" in report.text


def test_a_flipped_bit_in_head_or_content_of_any_block_is_found(original, tmp_path):
    rng = random.Random(2)
    for start, kind, length in chunks_of(original):
        for offset in (rng.randrange(fmt.CHUNK.size), fmt.CHUNK.size + rng.randrange(length)):
            path = saved(tmp_path, flipped(original, start + offset, rng.randrange(8)))
            if kind == fmt.HEADER:
                with pytest.raises(RecordingError, match="header"):
                    Recording.open(path)
            else:
                recording = Recording.open(path)
                assert recording.damage and not recording.complete, (kind, offset)
                assert not verify(recording, rebuild=rebuild).ok or recording.truncated


@pytest.mark.nightly
def test_flipped_bits_and_cuts_anywhere_are_found(original, tmp_path, seeds, report_row):
    """Files with one to eight flipped bits, every third also cut, are refused or read up to the damage."""
    checked, refused = 0, 0
    for seed in seeds(100):
        rng, data = random.Random(seed), original
        for _ in range(rng.randint(1, 8)):
            data = flipped(data, rng.randrange(len(data)), rng.randrange(8))
        data = data[: rng.randrange(len(data))] if seed % 3 == 0 else data
        if data == original:  # the same bit twice
            continue
        checked += 1
        try:
            recording = Recording.open(saved(tmp_path, data))
        except RecordingError:
            refused += 1
            continue
        assert recording.damage and not recording.complete, seed
        read_until_it_ends(recording)
        report = verify(recording, rebuild=rebuild)
        assert report.damage and (recording.truncated or not report.ok), seed
    report_row(
        "recordings with flipped bits, some cut",
        f"{checked:,} files",
        f"{refused:,} refused, others end at the damage",
    )


def test_a_block_length_beyond_the_end_of_the_file_is_damage_not_a_cut(original, tmp_path):
    start = next(p for p, kind, _ in chunks_of(original) if kind == fmt.COMMANDS)
    data = bytearray(original)
    struct.pack_into("<I", data, start + 8, 50 << 20)  # the length in the chunk's head
    recording = Recording.open(saved(tmp_path, bytes(data)))
    assert "head of a block is damaged" in recording.damage and not recording.truncated and recording.ticks == 0


# ---- foreign and forged files


@pytest.mark.parametrize("data", [b"", b"\0", b"name: x\n", b"\x89DRIVE\r\n", fmt.PREFIX.pack(fmt.MAGIC, 1, 0)])
def test_files_that_are_no_recordings_are_refused(tmp_path, data):
    with pytest.raises(RecordingError, match="damaged.drive"):
        Recording.open(saved(tmp_path, data))


def test_a_missing_file_a_folder_and_a_future_format_are_refused(tmp_path):
    with pytest.raises(RecordingError, match="no such file"):
        Recording.open(tmp_path / "none.drive")
    with pytest.raises(RecordingError):
        Recording.open(tmp_path)
    with pytest.raises(RecordingError, match="format 9; this program reads format 1"):
        Recording.open(saved(tmp_path, fmt.PREFIX.pack(fmt.MAGIC, 9, 0) + bytes(100)))


def test_noise_is_refused_or_ends_a_recording(original, tmp_path):
    rng = random.Random(3)
    for size in (10, 100, 5000):
        with pytest.raises(RecordingError):
            Recording.open(saved(tmp_path, rng.randbytes(size)))
        with pytest.raises(RecordingError):
            Recording.open(saved(tmp_path, original[: fmt.PREFIX.size] + rng.randbytes(size)))
    header_end = chunks_of(original)[1][0]
    recording = Recording.open(saved(tmp_path, original[:header_end] + rng.randbytes(5000)))
    assert recording.ticks == 0 and recording.damage


def _entry(key, value):
    """A change of a header that sets one entry."""

    def change(header):
        header[key] = value

    return change


@pytest.mark.parametrize("change", [
    _entry("tick_seconds", 0.0), _entry("tick_seconds", "fast"), _entry("vehicles", []), _entry("vehicles", 3),
    _entry("vehicles", [{"poses": [["x", 10**9, 1, 1.0]], "config": "", "name": ""}]),
    _entry("command_layout", [["throttle", "|O", 1]]), _entry("command_layout", [["a", "<f8", 10**12]]),
    _entry("command_layout", [["a", "<f8", 1], ["a", "<f8", 1]]), _entry("external_layout", None),
    _entry("world", None), _entry("substeps", "4"), lambda header: header.pop("vehicles"),
])  # fmt: skip
def test_invalid_headers_are_refused(original, tmp_path, change):
    with pytest.raises(RecordingError, match="header"):
        Recording.open(saved(tmp_path, with_header(original, change)))


def _appended(original, kind, payload):
    """The file with a forged chunk instead of its end mark."""
    chunks = chunks_of(original)
    return original[: chunks[-1][0]] + fmt.chunk(kind, len(chunks) - 1, payload)


@pytest.mark.parametrize(("kind", "payload"), [
    (fmt.COMMANDS, b""), (fmt.COMMANDS, fmt.COMMAND_HEAD.pack(TICKS, 2**32 - 1, 2**32 - 1, 0)),
    (fmt.COMMANDS, fmt.COMMAND_HEAD.pack(0, 1, 1, 0) + bytes(ROW)), (fmt.SNAPSHOT, b"123"),
    (fmt.SNAPSHOT, fmt.SNAPSHOT_HEAD.pack(0, 0, 7, 0)), (fmt.SNAPSHOT, fmt.SNAPSHOT_HEAD.pack(0, 0, 1, 2**32 - 1)),
    (fmt.EVENT, b"{"), (fmt.EVENT, b"[]"), (fmt.EVENT, b'{"kind": 1, "tick": 1}'),
    (fmt.EVENT, b'{"kind": "x", "tick": NaN}'), (fmt.EVENT, b"[" * 100000), (fmt.EVENT, b"\xff\xfe"),
    (fmt.HEADER, b"{}"), (fmt.END, b"null"), (fmt.END, b'{"ticks": 5}'), (fmt.POSES, b""),
])  # fmt: skip
def test_a_recording_ends_at_a_forged_block(original, tmp_path, kind, payload):
    recording = Recording.open(saved(tmp_path, _appended(original, kind, payload)))
    assert recording.ticks == TICKS and recording.damage and not recording.complete


def test_packed_blocks_of_a_wrong_or_unknown_size_are_refused(original, tmp_path):
    bomb = zstandard.compress(bytes(50_000_000))
    with pytest.raises(ChunkError, match="where 10 belong"):
        fmt.decompress(bomb, 10)
    with pytest.raises(ChunkError, match="larger than any"):
        fmt.decompress(bomb, 1 << 40)
    unsized = zstandard.ZstdCompressor(write_content_size=False).compress(bytes(100))
    with pytest.raises(ChunkError):
        fmt.decompress(unsized, 100)
    # poses are unpacked when they are read, so a forged block is reported only then
    forged = _appended(original, fmt.POSES, fmt.POSE_HEAD.pack(TICKS, 1, 3, 12) + bomb)
    recording = Recording.open(saved(tmp_path, forged))
    with pytest.raises(RecordingError, match="poses cannot be read"):
        recording.poses()


def test_code_in_a_vehicle_text_is_not_run_when_a_recording_is_opened(original, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code = "!!python/object/apply:os.system ['touch owned']"
    path = saved(tmp_path, with_header(original, lambda h: h["vehicles"][0].update(config=code)))
    recording = Recording.open(path)
    assert recording.header["vehicles"][0]["config"] == code and recording.ticks == TICKS
    assert not (tmp_path / "owned").exists()


def test_row_checks_depend_on_tick_and_vehicle():
    raw = np.arange(ROW, dtype=np.uint8).tobytes()
    values = {fmt.row_check(raw, t, v) for t in range(50) for v in range(4)}
    assert len(values) == 200
    assert fmt.state_check(b"a", None, b"b") == zlib.crc32(b"ab")
    assert fmt.state_check(b"a", b"x", b"b") == zlib.crc32(b"axb")
