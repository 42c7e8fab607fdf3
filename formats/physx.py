"""Import of PhysX 5 Vehicle2 vehicles.

    yaml_text, warnings = import_vehicle("truck.json")          # text of a vehicle file, to be saved as truck.yaml
    imported = load_physx("truck.json"); imported.vehicle       # or drive it at once

The whole vehicle is imported: masses, suspensions, compliance, tires, wheels, brakes, steering, Ackermann axles,
anti-roll bars, engine, clutch, gearbox, autobox, differentials and tracks, in SI units and our axes
(formats/physx_frame.py). The model's origin is the centre of mass, as positions in the files are relative to it.
Parameters of the world (gravity, minimum slip speeds, the speed below which wheels follow the ground) are not imported;
a warning says where they differ from ours.

Wheels are sorted axle by axle, left first; a comment at the top of the YAML lists their numbers in the file. An invalid
value is reported under its key in the file.
"""

from dataclasses import dataclass, field
from pathlib import Path

from driving_sandbox.formats.physx_convert import Conversion, Wheels, order_wheels
from driving_sandbox.formats.physx_frame import SAMPLE_FRAME, PhysxFrame
from driving_sandbox.formats.physx_read import Source, read_vehicle
from driving_sandbox.formats.vehicle_yaml import nearest_origin, vehicle_yaml
from driving_sandbox.physics.schema.yaml_file import ConfigError, parse_yaml
from driving_sandbox.physics.vehicle.vehicle_file import build_vehicle


@dataclass
class ImportedVehicle:
    """A vehicle read from a file.

    Attributes:
        config: content of the YAML.
        text: text of the YAML.
        warnings: one-line remarks on what could not be imported.
        vehicle: the built Vehicle.
        source: the flat layout it came from.
        frame: the file's axes and length unit.
        wheels: order and names of the wheels.
        origins: {our dotted key: Source of its value}.
    """

    config: dict
    warnings: list
    source: Source
    frame: PhysxFrame
    wheels: Wheels
    origins: dict = field(default_factory=dict)
    vehicle: object = None
    text: str = ""


def import_vehicle(path: Path | str, differential: str = "four_wheel") -> tuple[str, list[str]]:
    """(YAML text, warnings) of a vehicle file; arguments and errors as in `load_physx`."""
    imported = load_physx(path, differential)
    return imported.text, imported.warnings


def load_physx(path: Path | str, differential: str = "four_wheel") -> ImportedVehicle:
    """The ImportedVehicle of a file; arguments and errors as in `read_vehicle`."""
    source = read_vehicle(path, differential)
    frame = _frame(source)
    wheels = order_wheels(source, frame)
    result = ImportedVehicle({}, [], source, frame, wheels)
    Conversion(result).convert()
    result.text = vehicle_yaml(_head(result), result.config)
    try:
        result.vehicle = build_vehicle(parse_yaml(result.text, path))
    except ConfigError as error:
        key = str(error.key)
        origin = nearest_origin(result.origins, key, Source(None, source.path, key))
        raise origin.error(error.message) from None
    return result


def _frame(source: Source) -> PhysxFrame:
    """The PhysxFrame of a file: its axes and scale. Raises ConfigError."""
    node = source["context"]["frame"] if "context" in source and "frame" in source["context"] else None
    codes = [code.integer(low=0, high=5) for code in node.items(length=3)] if node else SAMPLE_FRAME
    scale = source["scale"].number() if "scale" in source else 1.0
    if scale <= 0.0:
        raise source["scale"].error(f"{scale:g} must be > 0")
    try:
        return PhysxFrame(codes, scale)
    except ValueError as error:
        raise source["context"]["frame"].error(str(error)) from None  # the sample's frame is right


def _head(result: ImportedVehicle) -> str:
    """Comment at the top of the YAML: the file, and its number of each of our wheels."""
    wheels = ", ".join(f"{name} {number}" for name, number in zip(result.wheels.names, result.wheels.ids, strict=True))
    return f"# From {Path(result.source.path).name}, whose wheel numbers are: {wheels}. Origin: the centre of mass.\n"
