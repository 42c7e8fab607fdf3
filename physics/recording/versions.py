"""Notes on what made a recording: what differs from this program may explain why repeated states differ."""

import zlib

import numba

from driving_sandbox.physics.kernel.elementary import ARITHMETIC
from driving_sandbox.physics.recording.header import source_hash
from driving_sandbox.physics.recording.reader import Recording
from driving_sandbox.physics.world.world import World


def version_note(recording: Recording) -> str:
    """Differences of versions since the recording that may explain a difference of states, or ""."""
    header, notes = recording.header, []
    if header.get("arithmetic") != ARITHMETIC:
        arithmetic = header.get("arithmetic", "of the C library it ran with")
        notes.append(
            f"made with other arithmetic ({arithmetic}, now {ARITHMETIC}): it can be watched, but its states differ"
        )
    if header.get("source") != source_hash():
        notes.append(f"recorded with other sources (program {header.get('program')}, source {header.get('source')})")
    if header.get("numba") != numba.__version__:
        notes.append(f"recorded with numba {header.get('numba')}")
    return "; ".join(notes)


def vehicle_note(recording: Recording, world: World) -> str:
    """Differences between the recorded vehicles and those built from their texts, or ""."""
    notes = []
    for stored, vehicle in zip(recording.header["vehicles"], world.vehicles, strict=True):
        if stored.get("state_bytes") != vehicle.state.nbytes:
            notes.append(f"the state of {vehicle.name} has another layout")
        elif stored.get("params_check") != zlib.crc32(vehicle.params.data):
            notes.append(f"the parameters of {vehicle.name} came out differently")
    return "; ".join(notes)
