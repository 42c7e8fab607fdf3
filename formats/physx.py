"""Import of PhysX 5 Vehicle2 vehicles.

    yaml_text, warnings = import_vehicle("truck.json")          # write yaml_text to configs/vehicles/truck.yaml
    imported = load_physx("truck.json"); imported.vehicle       # or drive it at once

The whole vehicle is imported: masses, suspensions, compliance, tires, wheels, brakes, steering,
Ackermann axles, anti-roll bars, engine, clutch, gearbox, autobox, differentials and tracks, in SI units and our axes
(formats/physx_frame.py). The model's origin is the centre of mass, the origin of positions in the files. Parameters of
the world (gravity, slip denominators, sticky thresholds) are only compared with ours.

Wheels are sorted axle by axle, left first; a comment at the top of the YAML lists their numbers in the file. An invalid
value is reported under its key in the file.
"""

from dataclasses import dataclass, field

import yaml

from driving_sandbox.formats.physx_convert import Conversion, Wheels, order_wheels
from driving_sandbox.formats.physx_frame import SAMPLE_FRAME, PhysxFrame
from driving_sandbox.formats.physx_read import Source, read_vehicle
from driving_sandbox.physics.schema.yaml_file import ConfigError, parse_yaml
from driving_sandbox.physics.vehicle.vehicle_file import build_vehicle


@dataclass
class Imported:
    """A vehicle read from a file.

    Attributes:
        config: content of the YAML. text: the YAML. warnings: one-line remarks on what could not be imported.
        vehicle: the built Vehicle. source: the flat layout it came from. frame: its axes. wheels: order and names.
    """

    config: dict
    warnings: list
    source: Source
    frame: PhysxFrame
    wheels: Wheels
    origins: dict = field(default_factory=dict)
    vehicle: object = None
    text: str = ""


def import_vehicle(path, differential="four_wheel"):
    """(YAML text, warnings) of a vehicle file. Raises ConfigError naming file and key."""
    imported = load_physx(path, differential)
    return imported.text, imported.warnings


def load_physx(path, differential="four_wheel"):
    """The vehicle of a file as Imported. Raises ConfigError naming file and key; see `read_vehicle` for arguments."""
    source = read_vehicle(path, differential)
    frame = _frame(source)
    wheels = order_wheels(source, frame)
    result = Imported({}, [], source, frame, wheels)
    Conversion(result).convert()
    result.text = _yaml(result)
    try:
        result.vehicle = build_vehicle(parse_yaml(result.text, path))
    except ConfigError as error:
        raise _origin(result, error.key).error(error.message) from None
    return result


def _frame(source):
    node = source["context"]["frame"] if "context" in source and "frame" in source["context"] else None
    codes = [n.integer(0, 5) for n in node.items(3)] if node else SAMPLE_FRAME
    scale = source["scale"].number() if "scale" in source else 1.0
    if scale <= 0.0:
        raise source["scale"].error(f"{scale:g} must be > 0")
    try:
        return PhysxFrame(codes, scale)
    except ValueError as error:
        raise node.error(str(error)) from None


def _origin(result, key):
    """Source of one of our keys: its own node of the files, or the nearest one that was read."""
    key = str(key)
    if key in result.origins:
        return result.origins[key]
    near = [path for path in result.origins if key and (path.startswith(f"{key}.") or key.startswith(f"{path}."))]
    tail = key.rpartition(".")
    near = near or [p for p in result.origins if p.startswith(f"{tail[0]}.") and p.endswith(f".{tail[2]}")]
    return result.origins[near[0]] if near else Source(None, result.source.path, key)


def _yaml(result):
    wheels = ", ".join(f"{n} {i}" for n, i in zip(result.wheels.names, result.wheels.ids, strict=True))
    head = f"# From {result.source.path.name}, whose wheel numbers are: {wheels}. Origin: the centre of mass.\n"
    body = yaml.dump(
        result.config, Dumper=_Dumper, sort_keys=False, default_flow_style=None, width=110, allow_unicode=True
    )
    return head + body


class _Dumper(yaml.SafeDumper):
    """YAML dumper without anchors: equal lists are written out."""

    def ignore_aliases(self, data):
        return True
