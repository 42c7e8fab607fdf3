"""Import of Autodesk Stingray vehicles (`.physics` files).

    yaml_text, warnings = import_vehicle("truck.physics", folder="configs/vehicles")      # writes truck.yaml, truck.glb
    unit = load_stingray("truck.physics"); unit["m1a1"].vehicle                           # or drive it at once

A file, called a unit, holds any number of vehicles, looked up by name. The whole vehicle is imported
(formats/stingray_convert.py). Positions and sizes come from the model beside the file or a given one
(formats/stingray_scene.py); without a model those of a typical car are assumed, with a warning. The axes are assumed to
be ours, x right, y forward, z up, as the format's examples imply. Unknown keys are warnings and invalid values are
errors, both with file and line. A vehicle that is not `enabled` is read, checked and can be drawn; callers leave it out
of a world.
"""

import re
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from driving_sandbox.formats.stingray_convert import Conversion
from driving_sandbox.formats.stingray_read import Part, read_unit
from driving_sandbox.formats.stingray_scene import Shape, assumed_scene, find_model, load_scene, write_model
from driving_sandbox.formats.vehicle_yaml import nearest_origin, vehicle_yaml
from driving_sandbox.physics.base.user_error import UnknownName
from driving_sandbox.physics.schema.yaml_file import ConfigError, key_hint, parse_yaml
from driving_sandbox.physics.vehicle.vehicle_file import build_vehicle


@dataclass
class ImportedVehicle:
    """A vehicle of a unit.

    Attributes:
        name, enabled, actor: as in the file.
        config: content of the YAML.
        text: text of the YAML.
        warnings: one-line remarks; all vehicles of a unit share one list.
        bindings: (node, "full" | "translation" | "rotation", wheel name or None for the chassis) of every drawn node.
        origins: {our dotted key: (line, key) in the file}.
        vehicle: the built Vehicle.
        model: path of the model written for it.
        start: line and key of the vehicle in the file.
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
    start: tuple = (None, "")

    def origin(self, key: str) -> tuple[Any, str]:
        """(line, key) in the `.physics` file that one of our keys came from, or the best guess (`nearest_origin`)."""
        return nearest_origin(self.origins, key, self.start)


class Unit(dict):
    """{name: ImportedVehicle} of a file; an unknown name raises a KeyError that lists the known ones."""

    warnings: list

    def __missing__(self, name: str) -> NoReturn:
        raise _unknown(name, self)


def _unknown(name: str, known: Iterable[str]) -> UnknownName:
    return UnknownName(f"no vehicle {name!r}{key_hint(name, known)}; the file has: {', '.join(known)}")


def import_vehicle(
    path: Path | str, folder: Path | str, name: str | None = None, model: Path | str | None = None
) -> tuple[str, list[str]]:
    """(YAML text, warnings) of one vehicle of a file, the first or by name; writes its YAML and model into a folder.

    Raises ConfigError as `load_stingray` does, and KeyError for an unknown name. Other vehicles are not converted.
    """
    unit = _converted(Path(path), model, Path(folder), lambda names: names[:1] if name is None else [name])
    (imported,) = unit.values()
    imported.model.with_suffix(".yaml").write_text(imported.text, encoding="utf8")
    return imported.text, unit.warnings


def load_stingray(path: Path | str, model: Path | str | None = None, folder: Path | str | None = None) -> Unit:
    """The Unit of a file. Raises ConfigError naming file, line, key and rule.

    Args:
        model: `.glb` or `.obj` with the unit's nodes; None looks for one beside the file.
        folder: where a model is written for each vehicle; None takes a new temporary one.
    """
    folder = Path(tempfile.mkdtemp(prefix="stingray-")) if folder is None else Path(folder)
    return _converted(Path(path), model, folder, lambda names: names)


def _converted(path: Path, model: Path | str | None, folder: Path, select: Callable[[list[str]], list[str]]) -> Unit:
    """The Unit of a file with the vehicles that `select` (a function from all names) returns."""
    blocks, warnings, actors = read_unit(path)
    model = Path(model) if model is not None else find_model(path)
    scene = load_scene(model) if model is not None else None
    unit = Unit()
    unit.warnings = warnings
    for name in select(list(blocks)):
        if name not in blocks:
            raise _unknown(name, blocks)
        model_path = _model_path(folder, name, [other.model.stem for other in unit.values()])
        unit[name] = _import(blocks[name], warnings, actors, scene, model, model_path, path)
    return unit


def _import(
    block: Part, warnings: list[str], actors: list[str] | None, scene: dict[str, Shape] | None, model: Path | None,
    model_path: Path, path: Path,
) -> ImportedVehicle:  # fmt: skip
    """Convert a vehicle to an ImportedVehicle and write its model.

    Args:
        block: Part of the vehicle.
        warnings: list that remarks are added to.
        actors: names of the file's actors, or None.
        scene: {node: Shape} of the unit's model, or None without one.
        model: path of the unit's model, or None.
        model_path: path of the model to write.
        path: the vehicle file.
    """
    result = ImportedVehicle(block.text("name"), block.flag("enabled", default=True), _actor(block, actors), warnings)
    result.start = block.doc.own_line, block.doc.key_path
    scene, from_model = _scene(block, scene, model)
    conversion = Conversion(result, block, scene, from_model)
    conversion.convert()
    result.model = model_path
    nodes = [scene[wheel.doc["scene_graph_shape_node"]] for wheel in conversion.wheels]
    scales = [float(wheel.doc.get("radius_scale", 1.0)) for wheel in conversion.wheels]
    bound = _drawn(result, block, scene if from_model else None, conversion.names)
    write_model(result.model, conversion.hull, list(zip(nodes, conversion.positions, scales, strict=True)), bound)
    result.config["model"] = result.model.name
    result.text = vehicle_yaml(_head(result, path), result.config)
    try:
        result.vehicle = build_vehicle(parse_yaml(result.text, result.model.with_suffix(".yaml")))
    except ConfigError as error:
        line, key = result.origin(str(error.key))
        raise ConfigError(path, line, key, error.message) from None
    return result


def _drawn(
    result: ImportedVehicle, block: Part, scene: dict[str, Shape] | None, wheels: list[str]
) -> list[tuple[str, Shape, int, str]]:
    """[(name, Shape, wheel number from 1 or 0 for the chassis, kind of transform)] of the drawn nodes in the model.

    Args:
        scene: {node: Shape} of the model, or None without one.
        wheels: our names of the wheels.
    """
    nodes = []
    for name, kind, wheel in result.bindings:
        if scene is not None and name in scene:
            nodes.append((name, scene[name], wheels.index(wheel) + 1 if wheel else 0, kind))
        elif scene is not None:
            part = "the chassis" if wheel is None else f"wheel {wheel}"
            key = "chassis" if wheel is None else "wheels"
            block.warn(key, f"the model has no node {name!r}, which {part} would move{key_hint(name, scene)}")
    return nodes


def _model_path(folder: Path, name: str, taken: Iterable[str]) -> Path:
    """Path of the model to write: the vehicle's name as a valid file name, different from the stems `taken`.

    An existing file of that name is overwritten.
    """
    stem = re.sub(r"[^\w-]+", "_", name) or "vehicle"
    while stem in taken:
        stem += "_"
    return folder / f"{stem}.glb"


def _actor(block: Part, actors: list[str] | None) -> str:
    """Name of the vehicle's actor. Raises ConfigError if the file lists actors, but not this one."""
    name = block.text("actor_name")
    if actors is None:
        block.warn("actor_name", f"the file lists no actors, so {name!r} cannot be looked up")
    elif name not in actors:
        raise block.error("actor_name", f"no actor {name!r}{key_hint(name, actors)}; known: {', '.join(actors)}")
    return name


def _scene(block: Part, scene: dict[str, Shape] | None, model: Path | None) -> tuple[dict[str, Shape], bool]:
    """({node: Shape}, whether the shapes come from the model instead of being assumed) for a vehicle."""
    chassis = block.part("chassis")
    wheels = block.parts("wheels")
    names = [wheel.text("scene_graph_shape_node") for wheel in wheels]
    body = chassis.text("scene_graph_shape_node")
    if scene is None:
        block.warn("wheels", "no model beside the file: positions and sizes of a typical car are used")
        if len({body, *names}) < 1 + len(names):
            raise block.error("wheels", "two wheels, or a wheel and the chassis, have the same shape node")
        return assumed_scene(body, names), False
    assert model is not None  # as there is a scene
    for part, name in ((chassis, body), *zip(wheels, names, strict=True)):
        if name not in scene:
            hint = f"{key_hint(name, scene)}; it has: {', '.join(scene)}"
            raise part.error("scene_graph_shape_node", f"{model.name} has no shape {name!r}{hint}")
    return scene, True


def _head(result: ImportedVehicle, path: Path) -> str:
    """Comment at the top of the YAML."""
    return (
        f"# From {path.name}, vehicle {result.name!r}, actor {result.actor!r}. Engine inertia, torque curve and shift\n"
        "# speeds, which the format does not have, are the defaults of PhysX 3, which Stingray used.\n"
    )
