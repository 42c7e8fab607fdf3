"""Recordings: one append-only `.drive` file per drive, from which it can be watched, verified, continued, exported.

    with Recorder(path, world, created) as recorder:                            writing, see recording_writer
        world.step(commands); recorder.record(commands)
    recording = Recording.open(path)                                            reading, see recording_reader
    report = verify(path)                                                       re-simulating, see recording_verify

The bytes are described in docs/recording_format.md.
"""

from physics.recording_export import export
from physics.recording_format import ChunkError, RecordingError
from physics.recording_reader import PoseSample, Recording, Snapshot
from physics.recording_verify import VerifyReport, state_at, verify
from physics.recording_world import build_world
from physics.recording_writer import Recorder, header_of, source_hash

__all__ = [
    "ChunkError",
    "PoseSample",
    "Recorder",
    "Recording",
    "RecordingError",
    "Snapshot",
    "VerifyReport",
    "build_world",
    "export",
    "header_of",
    "source_hash",
    "state_at",
    "verify",
]
