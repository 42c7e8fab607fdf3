"""The user's commands read two hundred damaged files up to the damage or refuse them, each with a message."""

import random
import struct

from broken_files import chunks_of, flipped, read_until_it_ends, saved
from fake_world import rebuild

from driving_sandbox.cli import replay
from driving_sandbox.cli.program import main
from driving_sandbox.game.recordings.library import RecordingLibrary
from driving_sandbox.game.recordings.summary import summary_of
from driving_sandbox.physics.recording import Recording, RecordingError, exports, verification
from driving_sandbox.physics.recording import format as fmt

TICKS = 480
PAGE = 512  # bytes that a disk loses at once


def pieces(data):
    """The file as its prefix and its chunks."""
    return [data[: fmt.PREFIX.size], *(data[p : p + fmt.CHUNK.size + n] for p, _, n in chunks_of(data))]


def cut_files(data, rng):
    """[(description, bytes)] of files that end anywhere, before a block or in the head of a block."""
    files = [(f"cut at {end}", data[:end]) for end in sorted(rng.sample(range(1, len(data)), 44))]
    starts = [start for start, _, _ in chunks_of(data)]
    files += [(f"cut before the block at {start}", data[:start]) for start in rng.sample(starts[1:], 8)]
    return files + [(f"cut in the head at {start}", data[: start + 9]) for start in rng.sample(starts, 6)]


def flipped_bits(data, rng):
    """[(description, bytes)] of files with one flipped bit, in blocks of every kind."""
    files = []
    for name, kinds, count in (
        ("header", (fmt.HEADER,), 8), ("ticks", (fmt.COMMANDS,), 16), ("poses", (fmt.POSES,), 12),
        ("snapshot", (fmt.SNAPSHOT,), 10), ("event", (fmt.EVENT,), 8), ("index", (fmt.INDEX,), 10),
        ("end", (fmt.END,), 6),
    ):  # fmt: skip
        candidates = [(start, length) for start, kind, length in chunks_of(data) if kind in kinds]
        for k in range(count):
            start, length = rng.choice(candidates)
            offset = rng.randrange(fmt.CHUNK.size) if k % 3 == 0 else fmt.CHUNK.size + rng.randrange(length)
            files.append((f"bit of {name} at {start + offset}", flipped(data, start + offset, rng.randrange(8))))
    return files


def lost_pages(data, rng):
    """[(description, bytes)] of files with a page, or all after its start, replaced by zeros, ones or noise."""
    files = []
    for k in range(24):
        start = PAGE * rng.randrange(len(data) // PAGE)
        end = len(data) if k % 6 == 5 else start + PAGE
        filling = (b"\0", b"\xff", None)[k % 3]
        lost = rng.randbytes(end - start) if filling is None else filling * (end - start)
        files.append((f"lost from {start} to {end} ({k})", data[:start] + lost[: len(data) - start] + data[end:]))
    return files


def moved_chunks(data, rng):
    """[(description, bytes)] of files with blocks exchanged, repeated or left out."""
    prefix, *chunks = pieces(data)
    files = []
    for change in ["exchanged"] * 12 + ["twice"] * 8 + ["left out"] * 12:
        a, b = sorted(rng.sample(range(len(chunks) - 1), 2))
        other = chunks[:]
        if change == "exchanged":
            other[a], other[b] = other[b], other[a]
        elif change == "twice":
            other.insert(b, other[b])
        else:
            del other[b]
        files.append((f"blocks {change}: {a}, {b}", prefix + b"".join(other)))
    return files


def foreign_files(data, rng):
    """[(description, bytes)] of files of other versions and formats, and of noise."""

    def version(number):
        return data[:8] + struct.pack("<I", number) + data[12:]

    files = [(f"version {n}", version(n)) for n in (0, 3, 9, 255, 65536, 2**32 - 1)]
    files += [(f"first bytes {k}", bytes([data[k] ^ 1]).join([data[:k], data[k + 1 :]])) for k in range(8)]
    files += [("line ends", data.replace(b"\n", b"\r\n")), ("7 bit", bytes(b & 127 for b in data)), ("empty", b""),
              ("twice", data + data), ("rubbish behind", data + rng.randbytes(100)), ("text", b"name: x\n" * 50),
              ("backwards", data[::-1]), ("prefix alone", data[:16])]  # fmt: skip
    files += [(f"noise {n}", rng.randbytes(n)) for n in (1, 15, 16, 36, 5000, 100000)]
    return files + [(f"noise behind the prefix {n}", data[:16] + rng.randbytes(n)) for n in (20, 2000)]


def damaged(data):
    """[(description, bytes)] of all damaged files, each once and none equal to the original."""
    rng = random.Random(200)
    files = {
        other: description
        for group in (cut_files, flipped_bits, lost_pages, moved_chunks, foreign_files)
        for description, other in group(data, rng)
    }
    return [(description, other) for other, description in files.items() if other != data]


def test_there_are_two_hundred_different_files(original):
    assert len(damaged(original)) >= 200


def test_each_file_is_read_up_to_the_damage_or_refused(original, tmp_path, monkeypatch, capsys, home):
    whole = Recording.open(saved(tmp_path, original))
    rows, snapshots = whole.rows().tobytes(), {s.sequence: s.state_hash for s in whole.snapshots}
    monkeypatch.setattr(verification, "build_world", rebuild)
    monkeypatch.setattr(exports, "build_world", rebuild)
    readable = 0
    for description, data in damaged(original):
        path = saved(tmp_path, data)
        code = replay.main([str(path)])  # what `replay --verify` runs in a fresh process
        captured = capsys.readouterr()
        exported = main(["replay", str(path), "--export", str(tmp_path / "out.csv")])
        export_output = capsys.readouterr()
        assert "Traceback" not in captured.err + export_output.err, description
        try:
            recording = Recording.open(path)
        except RecordingError as error:
            assert code == exported == 2 and "damaged.drive" in str(error) and str(error) in captured.err, description
            assert len(str(error).splitlines()) == 1
            continue
        assert recording.damage, description
        assert recording.rows().tobytes() == rows[: recording.ticks * len(rows) // whole.ticks], description
        assert all(snapshots[s.sequence] == s.state_hash for s in recording.snapshots), description
        assert code in (0, 1) and ("byte" in captured.out or "tick" in captured.out), (description, captured.out)
        assert code == 1 or recording.truncated, description
        assert exported in (0, 2), description
        readable += recording.ticks > 0
        quick = Recording.open(path, check=False)
        read_until_it_ends(quick)
        quick.truncate_like(recording)
        assert (quick.ticks, quick.first_damaged_chunk) == (recording.ticks, recording.first_damaged_chunk), description
    assert readable > 60


def test_a_recording_that_has_lost_its_poses_has_a_summary_without_a_route(original, tmp_path):
    kept = [(kind, original[start + fmt.CHUNK.size :][:length]) for start, kind, length in chunks_of(original)
            if kind in (fmt.HEADER, fmt.COMMANDS)]  # fmt: skip
    chunks = [fmt.chunk(kind, order, payload) for order, (kind, payload) in enumerate(kept)]
    (tmp_path / "a.drive").write_bytes(original[: fmt.PREFIX.size] + b"".join(chunks))
    summary = summary_of(tmp_path / "a.drive")
    assert summary.seconds > 0.0 and summary.route == [[], []] and not summary.problem


def test_the_list_of_recordings_has_entries_of_all_files(original, tmp_path):
    files = damaged(original)[::4]
    for number, (_, data) in enumerate(files):
        (tmp_path / f"{number:03d}.drive").write_bytes(data)
    library = RecordingLibrary(tmp_path)
    library.refresh()
    library.wait()
    assert len(library.entries) == len(files)
    problems = [entry for entry in library.entries if entry.summary.problem]
    assert problems and all(entry.name in entry.summary.problem for entry in problems)
    assert sum(not entry.summary.problem for entry in library.entries) > 10
