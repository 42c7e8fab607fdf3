"""A recording opened without checking checksums has the same content, and ends at damage when that is read."""

import random

import numpy as np
import pytest
from broken_files import chunks_of, flipped, read_until_it_ends, repaired, saved
from fake_world import rebuild

from driving_sandbox.physics.recording import Recording, verify
from driving_sandbox.physics.recording import format as fmt
from driving_sandbox.physics.recording import index as recording_index
from driving_sandbox.physics.recording.reader import Recording as Reader
from driving_sandbox.physics.recording.settings import note_setting

TICKS = 600


def content_of(recording):
    """All content of a recording, to be compared; its rows and external impulses come first."""
    rows = recording.rows().tobytes()
    external_records = [recording.external(tick) for tick in range(recording.ticks)]
    times, jumps, vehicles = recording.poses()
    states = [(s.tick, s.jump, s.order, s.state_hash, s.state()) for s in recording.snapshots]
    poses = [v.tobytes() for vehicle in vehicles for v in vehicle.values()]
    external = [None if record is None else record.tobytes() for record in external_records]
    return rows, external, times.tobytes(), jumps.tobytes(), poses, states, recording.events, recording.ticks


@pytest.mark.parametrize("indexed", [True, False])
def test_quick_opening_reads_the_same_content(original, tmp_path, monkeypatch, indexed):
    path = saved(tmp_path, original)
    whole = Recording.open(path)
    if indexed:
        monkeypatch.setattr(Reader, "_scan", lambda self: pytest.fail("the index was not used"))
    else:
        monkeypatch.setattr(recording_index, "find", lambda data: None)
    quick = Recording.open(path, check=False)
    assert quick.damage is None and quick.complete and quick.header == whole.header
    assert content_of(quick) == content_of(whole)
    assert np.array_equal(quick.pose_at(1.2345).vehicles[0]["model_position"],
                          whole.pose_at(1.2345).vehicles[0]["model_position"])  # fmt: skip
    monkeypatch.undo()
    assert verify(Recording.open(path, check=False), rebuild=rebuild).ok


def test_damage_in_any_block_ends_both_ways_of_reading_at_the_same_tick(original, tmp_path):
    rng = random.Random(4)
    chunks = chunks_of(original)
    for start, kind, length in chunks:
        if kind in (fmt.HEADER, fmt.INDEX, fmt.END):
            continue
        for offset in (rng.randrange(fmt.CHUNK.size), fmt.CHUNK.size + rng.randrange(length)):
            path = saved(tmp_path, flipped(original, start + offset, rng.randrange(8)))
            whole, quick = Recording.open(path), Recording.open(path, check=False)
            read_until_it_ends(quick)
            if kind != fmt.EVENT:  # events are in the index, too
                assert quick.damage and quick.ticks == whole.ticks and quick.broken == whole.broken, (kind, offset)
                assert f"byte {start}" in quick.damage and f"read up to {whole.seconds:.3f} s" in quick.damage
            quick.end_with(whole)
            assert (quick.broken, quick.ticks, quick.cut) == (whole.broken, whole.ticks, whole.cut) and quick.damage
            assert quick.events == whole.events and len(quick.snapshots) == len(whole.snapshots)
            assert content_of(quick)[:2] == content_of(whole)[:2]


def test_an_index_that_does_not_match_the_file_is_ignored(original, tmp_path):
    chunks = chunks_of(original)
    start, _, length = next(c for c in chunks if c[1] == fmt.INDEX)
    poses = next(c for c in chunks if c[1] == fmt.POSES)
    changed = {
        "another offset": repaired(original[: poses[0]] + original[poses[0] + fmt.CHUNK.size + poses[2] :]),
        "a flipped bit": flipped(original, start + fmt.CHUNK.size + length // 2),
        "no end": original[: chunks[-1][0]],
    }
    for name, data in changed.items():
        path = saved(tmp_path, data)
        assert recording_index.find(memoryview(data)) is None, name
        whole, quick = Recording.open(path), Recording.open(path, check=False)
        assert (quick.ticks, quick.cut, quick.damage is None) == (whole.ticks, whole.cut, whole.damage is None), name
        assert quick.rows().tobytes() == whole.rows().tobytes(), name
    assert recording_index.find(memoryview(original)) is not None
    assert recording_index.find(memoryview(original[: fmt.PREFIX.size])) is None


def test_only_the_last_change_of_a_parameter_is_applied_in_seeking():
    def setup(vehicle, **values):
        return {"kind": "setup", "vehicle": vehicle, "values": values}

    swap, events = {"kind": "swap", "vehicle": 0}, []
    recorded = [setup(0, a=1, b=1), setup(1, a=5), setup(0, a=2), setup(0, c=3), swap, setup(0, a=4), setup(1, a=6)]
    for event in recorded:
        note_setting(events, event)
    assert events == [setup(0, b=1, a=2, c=3), setup(1, a=5), swap, setup(0, a=4), setup(1, a=6)]
    assert list(events[0]["values"]) == ["b", "a", "c"]  # in the order of their last changes
    assert recorded[0] == setup(0, a=1, b=1)
