"""Recordings: one append-only `.drive` file per drive, for replay, verification, continuation and export.

    with Recorder(path, world, created) as recorder:                            writing, see writer.py
        world.step(commands); recorder.record(commands)
    recording = Recording.open(path)                                            reading, see reader.py
    report = verify(path)                                                       re-simulating, see verification.py

docs/recording_format.md describes the file format byte by byte.
"""

from driving_sandbox.physics.recording.chunks import Snapshot
from driving_sandbox.physics.recording.exports import RecordingTable, export
from driving_sandbox.physics.recording.exports import table as recording_table
from driving_sandbox.physics.recording.format import ChunkError, RecordingError
from driving_sandbox.physics.recording.header import header_of, source_hash
from driving_sandbox.physics.recording.props import PropTrack
from driving_sandbox.physics.recording.reader import PoseSample, Recording
from driving_sandbox.physics.recording.verification import VerifyReport, state_at, verify
from driving_sandbox.physics.recording.world import build_world
from driving_sandbox.physics.recording.writer import Recorder

__all__ = [
    "ChunkError",
    "PoseSample",
    "PropTrack",
    "Recorder",
    "Recording",
    "RecordingError",
    "RecordingTable",
    "Snapshot",
    "VerifyReport",
    "build_world",
    "export",
    "header_of",
    "recording_table",
    "source_hash",
    "state_at",
    "verify",
]
