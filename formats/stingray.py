"""Import of Autodesk Stingray vehicles (`.physics` files).

    yaml_text, warnings = import_vehicle("truck.physics", folder="configs/vehicles")      # writes truck.yaml, truck.glb
    unit = load_stingray("truck.physics"); unit["m1a1"].vehicle                           # or drive it at once

A unit holds any number of vehicles, looked up by name. The whole vehicle is imported (formats/stingray_convert.py).
Positions and sizes come from the model beside the file or a given one (formats/stingray_scene.py); without a model
those of a common car are assumed, with a warning. Axes are ours: x right, y forward, z up, as the format's examples
imply. Unknown keys are reported with file and line, invalid values are errors with both. A vehicle that is not
`enabled` is read, checked and can be drawn; callers leave it out of a world.
"""

import re
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from driving_sandbox.formats.stingray_convert import Conversion
from driving_sandbox.formats.stingray_read import read_unit
from driving_sandbox.formats.stingray_scene import assumed_scene, find_model, load_scene, write_model
from driving_sandbox.physics.base.user_error import UnknownName
from driving_sandbox.physics.schema.yaml_file import ConfigError, nearest_key, parse_yaml
from driving_sandbox.physics.vehicle.vehicle_file import build_vehicle


@dataclass
class Imported:
    """A vehicle of a unit.

    Attributes:
        name, enabled, actor: as in the file. config: content of the YAML. text: the YAML. warnings: one-line remarks.
        bindings: (node, "full" | "translation" | "rotation", wheel name or None for the chassis) of every drawn node.
        vehicle: the built Vehicle. model: path of the model written for it.
    """

    name: str
    enabled: bool
    actor: str
    warnings: list
    config: dict = field(default_factory=dict)
    bindings: list = field(default_factory=list)
    origins: dict = field(default_factory=dict)
    vehicle: object = None
    model: Path | None = None
    text: str = ""
    start: tuple = (None, "")  # line and key of the vehicle itself

    def origin(self, key):
        """(line, key) in the file of one of our keys: its own, or the nearest one that was read."""
        if key in self.origins:
            return self.origins[key]
        near = [p for p in self.origins if key and (p.startswith(f"{key}.") or key.startswith(f"{p}."))]
        head, _, tail = key.rpartition(".")
        near = near or [p for p in self.origins if p.startswith(f"{head}.") and p.endswith(f".{tail}")]
        near = near or [p for p in self.origins if head and p.startswith(f"{head.split('.')[0]}.")]
        return self.origins[near[0]] if near else self.start


class Unit(dict):
    """{name: Imported} of a file; an unknown name raises a KeyError that lists the known ones."""

    warnings: list

    def __missing__(self, name):
        raise UnknownName(f"no vehicle {name!r}{nearest_key(name, self)}; the file has: {', '.join(self)}")


def import_vehicle(path, folder, name=None, model=None):
    """(YAML text, warnings) of a vehicle, the first or by name; writes its YAML and model into a folder."""
    unit = load_stingray(path, model, folder)
    imported = unit[name] if name is not None else next(iter(unit.values()))
    (Path(folder) / f"{imported.model.stem}.yaml").write_text(imported.text, encoding="utf8")
    return imported.text, unit.warnings


def load_stingray(path, model=None, folder=None):
    """The Unit of a file. Raises ConfigError naming file, line, key and rule.

    Args:
        model: `.glb` or `.obj` with the unit's nodes; None looks for one beside the file. folder: where the models of
        the vehicles are written; None takes a new temporary one.
    """
    path = Path(path)
    blocks, warnings, actors = read_unit(path)
    model = Path(model) if model is not None else find_model(path)
    scene = load_scene(model) if model is not None else None
    folder = Path(tempfile.mkdtemp(prefix="stingray-")) if folder is None else Path(folder)
    unit = Unit()
    unit.warnings = warnings
    for name, block in blocks.items():
        unit[name] = _import(block, warnings, actors, (scene, model), folder, path, unit.values())
    return unit


def _import(block, warnings, actors, meshes, folder, path, others):
    result = Imported(block.text("name"), block.flag("enabled", True), _actor(block, actors), warnings)
    result.start = block.doc.own_line, block.doc.key_path
    scene, known = _scene(block, *meshes)
    conversion = Conversion(result, block, scene, known)
    conversion.convert()
    result.model = _unused(folder, result.name, others)
    nodes = [scene[wheel.doc["scene_graph_shape_node"]] for wheel in conversion.wheels]
    scales = [float(wheel.doc.get("radius_scale", 1.0)) for wheel in conversion.wheels]
    bound = _drawn(result, block, scene if known else None, conversion.names)
    write_model(result.model, conversion.hull, list(zip(nodes, conversion.positions, scales, strict=True)), bound)
    result.config["model"] = result.model.name
    result.text = _yaml(result, path)
    try:
        result.vehicle = build_vehicle(parse_yaml(result.text, result.model.with_suffix(".yaml")))
    except ConfigError as error:
        line, key = result.origin(str(error.key))
        raise ConfigError(path, line, key, error.message) from None
    return result


def _drawn(result, block, scene, wheels):
    """(name, Shape, wheel number or 0, kind) of the drawn nodes that the model has."""
    found = []
    for name, kind, wheel in result.bindings:
        if scene is not None and name in scene:
            found.append((name, scene[name], wheels.index(wheel) + 1 if wheel else 0, kind))
        elif scene is not None:
            part = "the chassis" if wheel is None else f"wheel {wheel}"
            key = "chassis" if wheel is None else "wheels"
            block.warn(key, f"the model has no node {name!r}, which {part} would move{nearest_key(name, scene)}")
    return found


def _unused(folder, name, others):
    """Path of a vehicle's model: its name, made a valid file name that is unique in the unit."""
    stem = re.sub(r"[^\w-]+", "_", name) or "vehicle"
    while any(other.model.stem == stem for other in others):
        stem += "_"
    return folder / f"{stem}.glb"


def _actor(block, actors):
    """The vehicle's actor, which must exist if the file lists any."""
    name = block.text("actor_name")
    if actors is None:
        block.warn("actor_name", f"the file lists no actors, so {name!r} cannot be looked up")
    elif name not in actors:
        raise block.error("actor_name", f"no actor {name!r}{nearest_key(name, actors)}; known: {', '.join(actors)}")
    return name


def _scene(block, scene, model):
    """({node: Shape}, True if they come from a model) for a vehicle."""
    chassis = block.part("chassis")
    wheels = block.parts("wheels")
    names = [wheel.text("scene_graph_shape_node") for wheel in wheels]
    body = chassis.text("scene_graph_shape_node")
    if scene is None:
        block.warn("wheels", "no model beside the file: positions and sizes of a typical car are used")
        if len({body, *names}) <= len(names):
            raise block.error("wheels", "two wheels, or a wheel and the chassis, have the same shape node")
        return assumed_scene(body, names), False
    for part, name in ((chassis, body), *zip(wheels, names, strict=True)):
        if name not in scene:
            hint = f"{nearest_key(name, scene)}; it has: {', '.join(scene)}"
            raise part.error("scene_graph_shape_node", f"{model.name} has no shape {name!r}{hint}")
    return scene, True


def _yaml(result, path):
    head = (
        f"# From {path.name}, vehicle {result.name!r}, actor {result.actor!r}. Engine inertia, torque curve and shift\n"
        "# speeds, which the format does not have, are the defaults of the library underneath it.\n"
    )
    body = yaml.dump(
        result.config, Dumper=_Dumper, sort_keys=False, default_flow_style=None, width=110, allow_unicode=True
    )
    return head + body


class _Dumper(yaml.SafeDumper):
    """YAML dumper without anchors: equal lists are written out."""

    def ignore_aliases(self, data):
        return True
