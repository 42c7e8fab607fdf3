"""Notes on differences between the program that made a recording and this one.

They may explain why re-simulated states differ from the recorded ones.
"""

import zlib

import numba

from driving_sandbox.physics.kernel.elementary import ARITHMETIC
from driving_sandbox.physics.recording.header import source_hash
from driving_sandbox.physics.recording.reader import Recording
from driving_sandbox.physics.world.world import World


def version_note(recording: Recording) -> str:
    """Differences in arithmetic, sources and numba since the recording, or ""."""
    header, notes = recording.header, []
    if header.get("arithmetic") != ARITHMETIC:
        made_with = f"version {header['arithmetic']}" if "arithmetic" in header else "of the C library it ran with"
        notes.append(
            f"made with other arithmetic ({made_with}, now version {ARITHMETIC}): "
            "it can be watched, but a re-simulation gives other states"
        )
    if header.get("source") != source_hash():
        notes.append(f"recorded with other sources (program {header.get('program')}, source {header.get('source')})")
    if header.get("numba") != numba.__version__:
        notes.append(f"recorded with numba {header.get('numba')}")
    return "; ".join(notes)


def vehicle_note(recording: Recording, world: World) -> str:
    """Differences between the recorded vehicles and those rebuilt from their recorded texts, or ""."""
    notes = []
    for stored, vehicle in zip(recording.header["vehicles"], world.vehicles, strict=True):
        if stored.get("state_bytes") != vehicle.state.nbytes:
            notes.append(f"the state of {vehicle.name} has another layout")
        elif stored.get("params_check") != zlib.crc32(vehicle.params.data):
            notes.append(f"the parameters of {vehicle.name}, rebuilt from the recorded text, differ")
    return "; ".join(notes)
