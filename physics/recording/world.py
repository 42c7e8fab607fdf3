"""The world of a recording: its description in the header, and rebuilding the world from that.

The header contains the texts of the world file and of the vehicles, but only a CRC of the heights, meshes and surfaces
that the world file names.
"""

import zlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from driving_sandbox.physics.base.input_file import read_text
from driving_sandbox.physics.base.user_error import UserError
from driving_sandbox.physics.ground.arrays import JOINT_DEPTH, JOINT_SPACING, JOINT_WIDTH
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.recording.format import FORMAT_VERSION, RecordingError
from driving_sandbox.physics.schema.yaml_file import LARGEST, ConfigError, parse_yaml
from driving_sandbox.physics.vehicle.old_names import with_former_defaults

if TYPE_CHECKING:
    from driving_sandbox.physics.ground.ground import Ground
    from driving_sandbox.physics.recording.reader import Recording
    from driving_sandbox.physics.vehicle.vehicle import Vehicle
    from driving_sandbox.physics.world.world import World
    from driving_sandbox.physics.world.world_file import WorldFile

FIRST_WITH_JOINTS = 5  # format written by the first program whose surfaces may have joints


def ground_check(ground: "Ground", version: int = FORMAT_VERSION) -> int:
    """CRC of a ground as built from its files; changes of surfaces are left out, as they are recorded separately.

    version: of the recording's format; programs that wrote older ones than 5 knew no joints.
    """
    value, surfaces = 0, ground.surfaces.array()
    if version < FIRST_WITH_JOINTS:
        surfaces = np.delete(surfaces, (JOINT_SPACING, JOINT_WIDTH, JOINT_DEPTH), axis=1)
    for array in (*ground.arrays[:-1], surfaces):  # the last of `arrays` has the present surfaces
        value = zlib.crc32(np.ascontiguousarray(array).data, value)
    return value


def world_source(world: "World") -> dict[str, Any]:
    """Description of a world for the header: a dict with those of these keys that apply.

    path: path of the world file, relative to the program's folder if it is in there.
    name, text: the world's name and the text of its file.
    ground: `ground_check`.
    values: {path: value} of the parameters that differ from the files.
    """
    ground = getattr(world, "ground", None)
    source: dict[str, Any] = {} if ground is None else {"ground": ground_check(ground)}
    file: WorldFile | None = getattr(world, "file", None)
    if file is not None:
        path = file.path.resolve()
        source["path"] = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else str(path)
        source["name"], source["text"] = file.name, path.read_text(encoding="utf8")
    values = world.parameters.changed_values() if hasattr(world, "parameters") else {}
    return {**source, "values": values} if values else source


def build_world(recording: "Recording", trust: Callable[[Path], bool] | None = None) -> "World":
    """The world of a recording as it was at its start, built from the texts in the header.

    Raises RecordingError, also when a vehicle needs a Python file that `trust` does not allow.
    """
    from driving_sandbox.physics.world.world import World

    header = recording.header
    try:
        world_file = recorded_world_file(recording)
        towing = [v for v in header["vehicles"] if not v.get("towed")]
        vehicles = [recorded_vehicle(v, trust) for v in towing]
        # recordings older than these entries have the impulses and decks as external actions instead
        vehicle_contact = header.get("vehicle_contact", False)
        props = world_file.props if header.get("props", False) else ()
        world = World(
            world_file,
            vehicles,
            tick_seconds=recording.tick_seconds,
            substeps=header["substeps"],
            vehicle_contact=vehicle_contact,
            wheels_on_vehicles=header.get("wheels_on_vehicles", False),
            props=props,
        )
    except UserError as error:
        raise RecordingError(f"{recording.path}: its world cannot be rebuilt: {error}") from None
    if len(world.vehicles) != recording.vehicle_count:
        text = f"its header has {recording.vehicle_count} vehicles; built from it, with trailers, there are"
        raise RecordingError(f"{recording.path}: {text} {len(world.vehicles)}")
    if ground_check(world.ground, recording.version) != header["world"].get("ground"):
        problem = f"the ground of {world_file.path} was changed since; it cannot be repeated"
        raise RecordingError(f"{recording.path}: {problem}")
    _set_parameters(recording, world)
    return world


def _set_parameters(recording: "Recording", world: "World") -> None:
    """Set the parameters of the world that were changed before the recording began."""
    try:
        world.parameters.set_many(recording.header["world"].get("values", {}))
    except UserError as error:
        raise RecordingError(f"{recording.path}: the world's parameters cannot be set: {error}") from None


def recorded_vehicle(stored: dict[str, Any], trust: Callable[[Path], bool] | None = None) -> "Vehicle":
    """A vehicle of a recording, built from its entry `stored` in the header. Raises as `load_vehicle`."""
    from driving_sandbox.physics.vehicle.vehicle_file import build_vehicle

    return build_vehicle(with_former_defaults(parse_yaml(stored["config"], recorded_path(stored))), trust)


def recorded_path(stored: dict[str, Any]) -> Path:
    """Path that relative paths and error messages of a recorded vehicle refer to: in the folder of its file."""
    return Path(stored.get("path") or "vehicle.yaml").with_name(f"recorded {stored['name']}")


def _same_values(text: str, recorded: str, path: Path) -> bool:
    """Whether two YAML texts have the same values."""
    try:
        return parse_yaml(text, path) == parse_yaml(recorded, path)
    except ConfigError:
        return False


def recorded_world_file(recording: "Recording", remedy: str = "it can only be watched") -> "WorldFile":
    """The WorldFile of a recording; it must exist here unchanged, as the files it names are not in the recording.

    Comments and layout of the file may differ. Raises RecordingError with a text that ends with `remedy`, and
    ConfigError for what is wrong in a file that it names.
    """
    from driving_sandbox.physics.world.world_file import load_world

    world = recording.header["world"]
    if not isinstance(world.get("path"), str) or not isinstance(world.get("text"), str):
        raise RecordingError(f"{recording.path}: was recorded in a world without a file; {remedy}")
    path = ROOT / world["path"]  # an absolute path replaces ROOT
    try:
        text = read_text(path, LARGEST)
    except (OSError, ValueError):
        raise RecordingError(f"{recording.path}: its world file {path} is not here; {remedy}") from None
    if text != world["text"] and not _same_values(text, world["text"], path):
        raise RecordingError(f"{recording.path}: its world file {path} was changed since; {remedy}")
    return load_world(path)
