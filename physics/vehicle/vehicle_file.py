"""Vehicle files in YAML: components, model, and parameter values.

    name: Roadster
    type: engine_drive                    # a list of physics/vehicle/types.py; or `sequence`, the file's own list
    components: {differential: multi_wheel}      # optional: another component for a slot
    model: models/roadster.glb
    axles: {front: [fl, fr], rear: [rl, rr]}     # wheels axle by axle, left first
    body: {mass: 1125, centre_of_mass: [0, 0.05, 0.46]}
    suspension:
      all: {travel: 0.2}                  # every wheel
      front: {attachment: [0.705, 1.13, 0.35]}   # an axle; given for the right wheel, mirrored to the left
      rl: {stiffness: 30000}              # one wheel; the narrowest group wins

    base: truck                           # optional: sections missing here are taken from the file of that vehicle
    trailers: [semi_trailer]              # vehicle files of its trailers, first to last, or their contents
    trailer_order: serial                 # optional, see physics/contact/chain.py
    targets: {zero_to_60_mph: 8.8}        # optional, published performance, see lab/road_test/targets.py
    ai: {max_velocity: 50}                # optional; for this, keyboard and force_feedback see *_settings.py beside
    sound: {engine: {preset: inline_4}}   # optional, kept for the programs that make sound; they check it

A setup has the same form, with the changed values only. component_file.py describes `components` and `sequence`.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

from driving_sandbox.physics.base.user_error import UserError
from driving_sandbox.physics.base.visible import brief
from driving_sandbox.physics.contact.missing_solver import warn_of_missing_solver
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.schema.aliases import with_own_names
from driving_sandbox.physics.schema.presets import expanded
from driving_sandbox.physics.schema.schema import WHEEL_CAPACITY, Field, SchemaError, WheelRef
from driving_sandbox.physics.schema.yaml_file import ConfigError, YamlMap, check_keys, key_hint, load_yaml, parse_yaml
from driving_sandbox.physics.schema.yaml_text import nested, yaml_text
from driving_sandbox.physics.shape.geometry import GeometryError, load_geometry
from driving_sandbox.physics.steering.force_feedback_settings import ForceFeedbackSettings
from driving_sandbox.physics.tick.component import Component
from driving_sandbox.physics.vehicle.ai_settings import AiSettings
from driving_sandbox.physics.vehicle.component_file import UntrustedCode as UntrustedCode
from driving_sandbox.physics.vehicle.component_file import (
    check_section_keys,
    component_path,
    named_components,
    read_sequence,
)
from driving_sandbox.physics.vehicle.keyboard_settings import KeyboardSettings
from driving_sandbox.physics.vehicle.settings_section import read_settings
from driving_sandbox.physics.vehicle.trailers import build_trailers
from driving_sandbox.physics.vehicle.understeer import CHARACTERISTIC_SPEED, estimated_characteristic_speed
from driving_sandbox.physics.vehicle.vehicle import Vehicle

VEHICLE_FOLDER = ROOT / "configs" / "vehicles"
ASSET_FOLDER = ROOT / "assets"
_SETTINGS = {"ai": AiSettings, "keyboard": KeyboardSettings, "force_feedback": ForceFeedbackSettings}
_HEAD_KEYS = (  # keys besides the slots
    "name", "description", "type", "sequence", "components", "model", "paint", "axles", "trailers", "trailer_order",
    *_SETTINGS, "targets", "sound",
)  # fmt: skip
OTHERS_SECTIONS = ("sound",)  # sections that the physics does not read; recordings contain their changes


def find_vehicle(name: str | Path) -> Path:
    """Path of a vehicle: a file, or the name of one in configs/vehicles. Raises ConfigError with the nearest name."""
    path = Path(name)
    if path.suffix in (".yaml", ".yml") or path.exists():
        return path
    known = sorted(p.stem for p in VEHICLE_FOLDER.glob("*.yaml"))
    if str(name) not in known:
        hint = key_hint(name, known)
        raise ConfigError(name, None, "", f"no such vehicle{hint}; known: {', '.join(known)}, or give a .yaml file")
    return VEHICLE_FOLDER / f"{name}.yaml"


def load_vehicle(
    name: str | Path, setup: str | Path | None = None, trust: Callable[[Path], bool] | None = None
) -> Vehicle:
    """A Vehicle from a name or path, with an optional setup file laid over it.

    Args:
        trust: function(path) -> whether a Python file that the vehicle names may run; None: none may.
    Raises:
        ConfigError: a file is missing or wrong.
        UntrustedCode: the vehicle's file names code that `trust` does not allow.
    """
    vehicle = build_vehicle(_mapping(find_vehicle(name), "a vehicle file"), trust)
    if setup is not None:
        apply_setup(vehicle, load_setup(setup))
    return vehicle


def load_setup(path: str | Path) -> YamlMap:
    """A setup file, parsed. Raises ConfigError."""
    return _mapping(path, "a setup")


def _mapping(path: str | Path, what: str) -> YamlMap:
    doc = load_yaml(Path(path))
    if not isinstance(doc, YamlMap):
        raise ConfigError(path, None, "", f"{what} must be a mapping of keys")
    return doc


def load_vehicle_text(
    text: str, path: str | Path = "recorded vehicle", trust: Callable[[Path], bool] | None = None
) -> Vehicle:
    """A Vehicle from the text of a vehicle file, as in a recording. Raises as `load_vehicle`."""
    return build_vehicle(parse_yaml(text, path), trust)


def build_vehicle(doc: YamlMap, trust: Callable[[Path], bool] | None = None) -> Vehicle:
    """A Vehicle from a parsed file. Raises as `load_vehicle`."""
    if not isinstance(doc, YamlMap):
        raise ConfigError(getattr(doc, "path", "?"), None, "", "a vehicle file must be a mapping of keys")
    doc = _on_base(doc)
    for key in ("name", "axles"):
        if key not in doc:
            raise ConfigError(doc.path, doc.own_line, key, "is missing")
    wheel_names, axles = _axles(doc)
    sequence, component_choices = read_sequence(doc, trust)
    slots = [c.slot for c in sequence.components if c.params is not None]
    check_keys(doc, (*_HEAD_KEYS, *slots))
    keys = ("name", "description", "type", "sequence", "model", "paint", "trailer_order")
    info = {key: doc[key] for key in keys if key in doc}
    info["components"] = component_choices
    info["path"] = str(doc.path)
    info |= {section: read_settings(doc, section, schema) for section, schema in _SETTINGS.items()}
    for key, rule in (("targets", "must map names of figures to numbers"), ("sound", "must be a mapping of keys")):
        if key in doc:
            if not isinstance(doc[key], YamlMap):
                raise doc.error(key, rule)
            info[key] = doc[key]
    _check_paint(doc)
    vehicle = Vehicle(sequence, wheel_names, axles, _geometry(doc), info)
    given = {c.slot: _fill(vehicle, c, doc) for c in sequence.components if c.params is not None}
    vehicle.info["estimated"] = vehicle.estimate(given)
    _check_and_derive(vehicle, doc)
    _estimate_characteristic_speed(vehicle, given)
    warn_of_missing_solver(vehicle.name, sequence.entries)
    if "trailers" in doc:
        vehicle.trailers = build_trailers(vehicle, doc, lambda trailer_doc: build_vehicle(trailer_doc, trust))
    return vehicle


def _on_base(doc: YamlMap) -> YamlMap:
    """The document completed by its `base`; a section of the document replaces that of the base as a whole."""
    if "base" not in doc:
        return doc
    name, rule = doc["base"], "must be the name of a vehicle that has no base itself"
    if not isinstance(name, str) or not name:
        raise doc.error("base", rule)
    path = Path(doc.path).resolve().parent / f"{name}.yaml"
    if not path.is_file():
        try:
            path = find_vehicle(name)
        except ConfigError as error:
            raise doc.error("base", str(error)) from None
    base = load_yaml(path)
    if not isinstance(base, YamlMap) or "base" in base:
        raise doc.error("base", rule)
    merged = YamlMap({**base, **{key: value for key, value in doc.items() if key != "base"}})
    merged.path, merged.own_line, merged.lines = doc.path, doc.own_line, doc.lines
    return merged


def apply_setup(vehicle: Vehicle, doc: YamlMap) -> None:
    """Lay a setup's values over a vehicle; the vehicle's base for reset stays. Raises ConfigError."""
    allowed = {c.slot: c for c in vehicle.sequence.components if c.params is not None}
    check_keys(doc, ("name", "vehicle", *allowed))
    values = {}
    for slot, component in allowed.items():
        if slot in doc:
            for path, value, source, key in _given(vehicle, component, doc):
                values[path] = (value, source, key)
    try:
        vehicle.set_many({path: value for path, (value, _, _) in values.items()})
    except UserError as error:
        _raise_at_line(doc, values, str(error))


def _raise_at_line(doc: YamlMap, values: dict[str, Any], text: str) -> NoReturn:
    """Raise ConfigError with `text`, "path: problem; ...", at the line of a value that it names, or of its section."""
    problems = [problem.partition(": ") for problem in text.split("; ")]
    for path, _, problem in problems:
        if path in values:
            _, source, key = values[path]
            raise source.error(key, problem if len(problems) == 1 else text) from None
    sections = (doc.get(path.partition(".")[0]) for path, _, _ in problems)
    lines = [section.own_line for section in sections if isinstance(section, YamlMap)]
    raise ConfigError(doc.path, lines[0] if lines else doc.own_line, "", text) from None


def setup_text(vehicle: Vehicle) -> str:
    """YAML of a setup: only the values that differ from the vehicle's base."""
    return yaml_text({"vehicle": vehicle.name, **nested(vehicle.changed_values())})


def vehicle_text(vehicle: Vehicle) -> str:
    """Complete YAML of a vehicle and its trailers with their present values, for `load_vehicle_text`."""
    return yaml_text(_document(vehicle))


def own_text(vehicle: Vehicle, name: str) -> str:
    """Complete YAML of a vehicle under another name, with absolute paths, so that the file may be in any folder."""
    tree = _document(vehicle)
    tree["name"] = name
    if vehicle.geometry is not None:
        tree["model"] = str(vehicle.geometry.path.resolve())
    own_file = vehicle.info.get("path") or "."
    for slot, choice in tree.get("components", {}).items():
        if not isinstance(choice, str):
            file = str(component_path(choice["file"], own_file).resolve())
            tree["components"] = {**tree["components"], slot: {**choice, "file": file}}
    return yaml_text(tree)


def _document(vehicle: Vehicle) -> dict[str, Any]:
    """Content of a vehicle file with the present values of a vehicle and its trailers.

    It names all components, so that it remains the same vehicle if a later version has other default components.
    """
    info = {**vehicle.info, "components": named_components(vehicle.sequence, vehicle.info.get("components", {}))}
    head = {k: v for k, v in info.items() if k in _HEAD_KEYS and v not in (None, {}, "")}
    names = vehicle.wheel_names
    head["axles"] = {axle: [names[i] for i in wheels] for axle, wheels in vehicle.axles.items()}
    trailers: dict[str, Any] = (
        {"trailers": [_document(trailer) for trailer in vehicle.trailers]} if vehicle.trailers else {}
    )
    return {**head, **trailers, **nested(vehicle.values())}


def _axles(doc: YamlMap) -> Any:
    """(wheel names, axle by axle; {axle: indices of its wheels}). Raises ConfigError."""
    names, axles = [], {}
    table = doc["axles"]
    if not isinstance(table, YamlMap) or not table:
        raise doc.error("axles", "must map axle names to lists of wheel names, e.g. {front: [fl, fr]}")
    count = sum(len(wheels) if isinstance(wheels, list) else 1 for wheels in table.values())
    if max(count, len(table)) > WHEEL_CAPACITY:
        raise doc.error("axles", f"{count} wheels on {len(table)} axles; at most {WHEEL_CAPACITY} wheels are possible")
    for axle, wheels in table.items():
        if not isinstance(wheels, list) or not wheels or not all(isinstance(w, str) for w in wheels):
            raise table.error(axle, "must be a list of wheel names, left first")
        for wheel in wheels:
            if wheel in names or wheel in table or wheel == "all":
                raise table.error(axle, f"the name {brief(wheel)} is used twice")
            names.append(wheel)
        axles[str(axle)] = [names.index(w) for w in wheels]
    return names, axles


def _geometry(doc: YamlMap) -> Any:
    """Geometry of the file's `model`, or None. Raises ConfigError."""
    if doc.get("model") is None:
        return None
    if not isinstance(doc["model"], str):
        raise doc.error("model", "must be the path of a .glb or .obj file")
    beside = Path(doc.path).resolve().parent / doc["model"]
    path = beside if beside.is_file() else ASSET_FOLDER / doc["model"]
    try:
        return load_geometry(path)
    except GeometryError as error:
        raise doc.error("model", str(error)) from None


def _check_paint(doc: YamlMap) -> None:
    paint = doc.get("paint", [0, 0, 0])
    if not (
        isinstance(paint, list) and len(paint) == 3 and all(type(c) in (int, float) and 0 <= c <= 1 for c in paint)
    ):
        raise doc.error("paint", "must be three numbers 0..1: red, green, blue")


def _given(vehicle: Vehicle, component: Component, doc: YamlMap) -> Iterator[tuple[str, Any, YamlMap, str]]:
    """Yield (path, value, mapping that has it, key) of all values for a component: `all`, then axles, then wheels."""
    section = doc[component.slot]
    schema: Any = component.params  # not None: only components with parameters have a section
    if not isinstance(section, YamlMap):
        raise doc.error(component.slot, "must be a mapping of keys")
    fields = [f.name for f in schema.fields.values() if not f.derived]
    fields += getattr(schema, "presets", {})
    if not schema.per_wheel:
        section = expanded(with_own_names(section, schema), schema)
        check_section_keys(section, component, tuple(fields))
        for key, value in section.items():
            declared = schema.fields[key]
            yield f"{component.slot}.{key}", _wheel_index(vehicle, declared, value, section, key), section, key
        return
    groups = {"all": range(vehicle.wheel_count), **vehicle.axles}
    groups.update({name: [i] for i, name in enumerate(vehicle.wheel_names)})
    check_keys(section, tuple(groups))
    for group in (name for name in groups if name in section):
        block = section[group]
        if not isinstance(block, YamlMap):
            raise section.error(group, "must be a mapping of keys")
        block = expanded(with_own_names(block, schema), schema)
        check_section_keys(block, component, tuple(fields))
        mirrorable = group not in vehicle.wheel_names
        for key, value in block.items():
            declared = schema.fields[key]
            try:
                value = declared.parse(value)
            except SchemaError as error:
                raise block.error(key, str(error)) from None
            for wheel in groups[group]:
                mirrored = mirrorable and _is_left(vehicle, wheel)
                path = f"{component.slot}.{vehicle.wheel_names[wheel]}.{key}"
                yield path, declared.mirrored(value) if mirrored else value, block, key


def _wheel_index(vehicle: Vehicle, declared: Field, value: Any, section: YamlMap, key: Any) -> Any:
    """The value, with the name of a wheel replaced by its index."""
    if not isinstance(declared.kind, WheelRef) or not isinstance(value, str):
        return value
    if value not in vehicle.wheel_names:
        names = ", ".join(vehicle.wheel_names)
        raise section.error(key, f"no wheel {brief(value)}{key_hint(value, vehicle.wheel_names)}; wheels: {names}")
    return vehicle.wheel_names.index(value)


def _is_left(vehicle: Vehicle, wheel: Any) -> bool:
    """Whether a wheel (index) is the first one of an axle with two."""
    return any(len(wheels) == 2 and wheels[0] == wheel for wheels in vehicle.axles.values())


def _fill(vehicle: Vehicle, component: Component, doc: YamlMap) -> set[Any]:
    """Write defaults, then the document's values. Raises ConfigError for missing required ones.

    Returns the names of the parameters in the document; for a component per wheel {(wheel index, name)}.
    """
    schema: Any = component.params  # not None: only components with parameters are filled
    wheels = range(vehicle.wheel_count) if schema.per_wheel else [None]
    block = vehicle.params[component.slot][0]
    for wheel in wheels:
        schema.defaults(block if wheel is None else block[wheel])
    given = set()
    if component.slot in doc:
        for path, value, source, key in _given(vehicle, component, doc):
            try:
                vehicle._write(path, value)
            except SchemaError as error:
                raise source.error(key, str(error).removeprefix(f"{path}: ")) from None
            given.add(path)
    for wheel in wheels:
        for f in schema.fields.values():
            prefix = component.slot if wheel is None else f"{component.slot}.{vehicle.wheel_names[wheel]}"
            if f.required and f"{prefix}.{f.name}" not in given:
                line = doc.line(component.slot) if component.slot in doc else doc.own_line
                raise ConfigError(doc.path, line, f"{prefix}.{f.name}", f"is missing ({f.doc} Unit: {f.unit})")
    if not schema.per_wheel:
        return {path.removeprefix(f"{component.slot}.") for path in given}
    parts = (path.split(".", 2) for path in given)
    return {(vehicle.wheel_names.index(wheel), name) for _, wheel, name in parts}


def _estimate_characteristic_speed(vehicle: Vehicle, given: dict[str, set[Any]]) -> None:
    """Estimate the characteristic speed for stability control if the file lacks it, from parameters already derived."""
    slot, name = CHARACTERISTIC_SPEED.split(".")
    params = vehicle.params[slot] if slot in (vehicle.params.dtype.names or ()) else None
    if params is None or name not in (params.dtype.names or ()) or name in given.get(slot, set()):
        return
    estimate = estimated_characteristic_speed(vehicle)
    if estimate is not None:
        vehicle.set(CHARACTERISTIC_SPEED, estimate.value)
        vehicle.mark_base()
        vehicle.info["estimated"][CHARACTERISTIC_SPEED] = estimate


def _check_and_derive(vehicle: Vehicle, doc: YamlMap) -> None:
    """Check the values, then derive from them. Raises ConfigError for the first problem."""
    problems = vehicle.problems()
    if problems:
        path, text = problems[0]
        section = doc.get(path.split(".")[0])
        line = section.own_line if isinstance(section, YamlMap) else doc.own_line
        raise ConfigError(doc.path, line, path, text)
    vehicle.derive()
    vehicle.mark_base()
