"""The world of a recording: its description in the header, and rebuilding from it.

Texts of the world file and of the vehicles are in the header; heights, meshes and surfaces that they name are not, and
are compared by a check.
"""

import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from driving_sandbox.physics.base.input_file import read_text
from driving_sandbox.physics.base.user_error import UserError
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.recording.format import RecordingError
from driving_sandbox.physics.schema.yaml_file import LARGEST

if TYPE_CHECKING:
    from driving_sandbox.physics.ground.ground import Ground
    from driving_sandbox.physics.world.world import World


def ground_check(ground: "Ground") -> int:
    """CRC of the ground built from its files, as the data that a world file names are not in the recording.

    Surfaces are those of the file: later changes are recorded as values and events.
    """
    value = 0
    for array in (*ground.arrays[:-1], ground.surfaces.array()):
        value = zlib.crc32(np.ascontiguousarray(array), value)
    return value


def world_source(world: "World") -> dict[str, int | str]:
    """Path (below the program where possible) and text of a world's file, a check of its ground, and the values of
    its parameters that are not as the files have them."""
    ground = getattr(world, "ground", None)
    source = {} if ground is None else {"ground": ground_check(ground)}
    if getattr(world, "file", None) is not None:
        path = world.file.path.resolve()
        source["path"] = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else str(path)
        source["name"], source["text"] = world.file.name, path.read_text(encoding="utf8")
    values = world.parameters.changed_values() if hasattr(world, "parameters") else {}
    return {**source, "values": values} if values else source


def build_world(recording, trust=None):
    """The world of a recording, from the texts in its header, at their state before anything was driven.

    Raises RecordingError, also when a vehicle needs a Python file that `trust` does not allow.
    """
    from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle_text
    from driving_sandbox.physics.world.world import World

    header = recording.header
    try:
        world_file = _world_file(recording)
        pulling = [v for v in header["vehicles"] if not v.get("towed")]
        vehicles = [load_vehicle_text(v["config"], _place_of(v), trust) for v in pulling]
        world = World(world_file, vehicles, tick_seconds=recording.tick_seconds, substeps=header["substeps"])
    except UserError as error:
        raise RecordingError(f"{recording.path}: its world cannot be rebuilt: {error}") from None
    if len(world.vehicles) != recording.vehicle_count:
        text = f"its header has {recording.vehicle_count} vehicles, those that pull with their trailers are"
        raise RecordingError(f"{recording.path}: {text} {len(world.vehicles)}")
    if ground_check(world.ground) != header["world"].get("ground"):
        problem = f"the ground of {world_file.path} was changed since; it cannot be repeated"
        raise RecordingError(f"{recording.path}: {problem}")
    _set_parameters(recording, world)
    return world


def _set_parameters(recording, world):
    """Parameters of the world that were changed before the recording began."""
    try:
        world.parameters.set_many(recording.header["world"].get("values", {}))
    except UserError as error:
        raise RecordingError(f"{recording.path}: the world's parameters cannot be set: {error}") from None


def _place_of(vehicle):
    """What a recorded vehicle text is called in messages; beside the file it came from, as its model may lie there."""
    return Path(vehicle.get("path") or "vehicle.yaml").with_name(f"recorded {vehicle['name']}")


def _world_file(recording):
    """The recorded world file. The data it names (heights, meshes) are not in the recording, so it must be here too."""
    from driving_sandbox.physics.world.world_file import load_world

    world = recording.header["world"]
    if not isinstance(world.get("path"), str) or not isinstance(world.get("text"), str):
        raise RecordingError(f"{recording.path}: was recorded in a world without a file; it can only be watched")
    path = ROOT / world["path"]  # an absolute path stays what it is
    try:
        same = read_text(path, LARGEST) == world["text"]
    except (OSError, ValueError):
        raise RecordingError(f"{recording.path}: its world file {path} is not here; it can only be watched") from None
    if not same:
        raise RecordingError(f"{recording.path}: its world file {path} was changed since; it cannot be repeated")
    return load_world(path)
