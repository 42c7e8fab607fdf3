"""`check FILE...`: type and validity of each file. Code that a file names is not run."""

from argparse import Namespace
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from driving_sandbox.cli.program import BAD_INPUT, FINE
from driving_sandbox.lab.advisor import check_vehicle
from driving_sandbox.lab.advisor.report import report
from driving_sandbox.lab.advisor.source_location import documents, unusual_lines
from driving_sandbox.physics.base.user_error import UserError
from driving_sandbox.physics.estimate import estimate_lines
from driving_sandbox.physics.schema.gltf_file import DRAWN_SUFFIXES, checked_gltf
from driving_sandbox.physics.schema.yaml_file import ConfigError, YamlMap, key_hint, load_yaml
from driving_sandbox.physics.shape.geometry import GeometryError
from driving_sandbox.physics.vehicle.vehicle_file import (
    VEHICLE_FOLDER,
    UntrustedCode,
    apply_setup,
    build_vehicle,
    find_vehicle,
    load_vehicle,
)
from driving_sandbox.physics.world.world_file import WORLD_FOLDER, WorldFile, load_world
from driving_sandbox.sound.vehicle_sound import sound_of

FILE_TYPES = (
    "vehicles, setups, worlds, surfaces, controls (.yaml), Stingray vehicles (.physics), "
    "command tables and lines (.csv), models (.glb, .obj), tires (.tir), recordings"
)


def check(options: Namespace) -> int:
    """Print a report on each file; returns BAD_INPUT if any of them has an error, FINE otherwise."""
    bad = 0
    for name in options.files:
        path = file_of(name)
        try:
            print(f"{name}: {describe(path, options.triangles)}")
            if options.figures and (lines := figures(path)):
                print("\n".join(lines))
        except UserError as error:
            bad += 1
            text = str(error)
            print(text if text.startswith(name) else f"{name}: {text}")
    if bad:
        print(f"{bad} of {len(options.files)} files have errors")
    return BAD_INPUT if bad else FINE


def file_of(name: str) -> Path:
    """Path of the file `name`, or of the vehicle or world of that name."""
    candidates = [Path(name), *(folder / f"{name}.yaml" for folder in (VEHICLE_FOLDER, WORLD_FOLDER))]
    return next((path for path in candidates if path.exists()), candidates[0])


def figures(path: Path) -> list[str]:
    """Lines with the tuning guide's figures of a vehicle; none for other files, or if it needs code that is not run."""
    doc: Any = load_yaml(path) if path.suffix in (".yaml", ".yml") else {}
    if not any(key in doc for key in ("type", "axles", "base")):
        return []
    try:
        return [f"  {line}" for line in report(build_vehicle(doc))]
    except UntrustedCode:
        return []


def describe(path: Path, triangle_budget: int | None = None) -> str:
    """The report on a valid file: a line, and one for each warning. Raises a UserError for an invalid file.

    Args:
        path: the file.
        triangle_budget: number of collision triangles above which a model is warned of; None: TRIANGLE_BUDGET.
    """
    if path.is_dir():
        raise ConfigError(path, None, "", "is a folder; name the files in it")
    if not path.is_file():
        known = [file.stem for folder in (VEHICLE_FOLDER, WORLD_FOLDER) for file in folder.glob("*.yaml")]
        raise ConfigError(path, None, "", f"no such file, vehicle or world{key_hint(str(path), known)}")
    checks: dict[str, Callable[..., str]] = {
        ".yaml": _yaml, ".yml": _yaml, ".glb": _model, ".obj": _model, ".csv": _commands, ".drive": _recording,
        ".physics": _stingray, ".tir": _tire, ".TIR": _tire,
    }  # fmt: skip
    if path.suffix not in checks:
        raise ConfigError(path, None, "", f"unknown file type {path.suffix!r}; known: {FILE_TYPES}")
    if checks[path.suffix] is _model:
        return _model(path, triangle_budget)
    return checks[path.suffix](path)


def _yaml(path: Path) -> str:
    """Report on a YAML file; its keys show whether it is a vehicle, setup, world, surface table or key bindings."""
    doc = load_yaml(path)
    if not isinstance(doc, YamlMap):
        raise ConfigError(path, 1, "", "must be a mapping of keys to values")
    for key, kind in (("terrain", _world), ("type", _vehicle), ("axles", _vehicle), ("base", _vehicle),
                      ("surfaces", _surfaces), ("keys", _controls), ("devices", _controls),
                      ("vehicle", _setup)):  # fmt: skip
        if key in doc:
            return kind(path, doc)
    known = ("terrain", "type", "axles", "surfaces", "keys", "devices", "vehicle")
    hints = [hint for key in doc if (hint := key_hint(key, known))]
    kinds = "a world has terrain, a vehicle type and axles, a setup vehicle, a surface table surfaces, bindings keys"
    raise ConfigError(path, doc.own_line, "", f"unknown file type: {kinds}{hints[0] if hints else ''}")


def _world(path: Path, doc: YamlMap) -> str:
    """Report on a world."""
    from driving_sandbox.physics.world.world import World

    world_file = load_world(path)
    World(world_file, [])  # builds the ground, which checks every triangle
    return (
        f'world "{world_file.name}", {_ground(world_file)}, {len(world_file.spawn_points)} spawn points, '
        f"{len(world_file.driving_line)} points of line"
    )


def _ground(world_file: "WorldFile") -> str:
    """Description of a world's terrain and meshes."""
    import numpy as np

    from driving_sandbox.physics.ground.arrays import HOLE
    from driving_sandbox.physics.ground.ground import Heightfield

    words = ["endless plane"]
    if isinstance(world_file.terrain, Heightfield):
        cells, heights = world_file.terrain.cell_surface, world_file.terrain.heights
        used = np.flatnonzero(np.bincount(cells.ravel(), minlength=HOLE)[:HOLE])
        names = [world_file.surfaces[k].name for k in used.tolist()]
        span = f"from {heights.min():.1f} to {heights.max():.1f} m"
        words = [f"{cells.shape[1]} x {cells.shape[0]} cells of {world_file.terrain.cell:g} m {span}"]
        words.append(f"of {', '.join(names)}")
    if world_file.meshes:
        words.append(
            f"{sum(len(mesh.triangles) for mesh in world_file.meshes)} triangles in {len(world_file.meshes)} meshes"
        )
    return ", ".join(words)


def _vehicle(path: Path, doc: YamlMap) -> str:
    """Report on a vehicle, with its estimates, advice and unusual values."""
    try:
        vehicle = build_vehicle(doc)
    except UntrustedCode as error:
        return f"vehicle with a component file, which was not run, so its parameters were not checked ({error.key})"
    undrawn = [line for unit in (vehicle, *vehicle.trailers) if (line := _check_drawing(unit))]
    line = (
        f'vehicle "{vehicle.name}", {vehicle.wheel_count} wheels, {len(vehicle.sequence.components)} components, '
        f"{len(vehicle.parameters())} parameters, model {vehicle.model or 'none'}"
    )
    sounds = [sound_of(unit).estimates for unit in (vehicle, *vehicle.trailers)]  # also checks each section `sound`
    estimated = [f"{path}: {line}" for line in (*estimate_lines(vehicle), *sounds[0])]
    advice_lines = [str(advice) for advice in check_vehicle(vehicle, doc=doc)]
    return "\n".join(
        [line, *undrawn, *estimated, *advice_lines, *unusual_lines(vehicle, None, *documents(vehicle, doc))]
    )


def _check_drawing(unit: Any) -> str:
    """A warning if the window cannot draw the type of a vehicle's model, or "". Raises WrongValue for a bad model."""
    path = unit.geometry.path if unit.geometry is not None else None
    if path is not None and path.suffix.lower() not in DRAWN_SUFFIXES:
        return f"{path}: warning: the window draws only {' and '.join(DRAWN_SUFFIXES)} models"
    if path is not None:
        _check_model(path)
    return ""


def _check_model(path: Path) -> None:
    """Raise WrongValue for a model that the window cannot draw; without Panda3D, only the file is checked."""
    if find_spec("panda3d") is None or find_spec("gltf") is None:
        checked_gltf(path)
        return
    from driving_sandbox.game.view.vehicle.model_check import check_model

    check_model(path)


def _stingray(path: Path) -> str:
    """Report on a Stingray file: its vehicles, advice, and what could not be imported, with line numbers."""
    import tempfile

    from driving_sandbox.formats.stingray import load_stingray

    with tempfile.TemporaryDirectory() as folder:
        unit = load_stingray(path, folder=folder)
    lines = [f"Stingray unit with {len(unit)} vehicle{'s' if len(unit) > 1 else ''}"]
    for imported in unit.values():
        vehicle, off = imported.vehicle, "" if imported.enabled else ", not enabled"
        kind = "tank" if imported.config["type"] == "tank" else "car"
        lines.append(
            f'  {kind} "{vehicle.name}", {vehicle.wheel_count} wheels, '
            f"inertia by the {vehicle.get('body.method')} method{off}"
        )
        for advice in check_vehicle(vehicle):
            lines.append(str(advice.at(path, imported.origin(advice.path)[0]) if advice.path else advice))
    return "\n".join([*lines, *(warning.replace(": ", ": warning: ", 1) for warning in unit.warnings)])


def _setup(path: Path, doc: YamlMap) -> str:
    """Report on a setup, whose key `vehicle` is a vehicle's name, file name or path."""
    vehicle_name = doc["vehicle"]
    names: dict[Any, Path] = {}
    for file in sorted(VEHICLE_FOLDER.glob("*.yaml")):
        names[load_yaml(file).get("name")] = names[file.stem] = file
    if vehicle_name not in names and not Path(str(vehicle_name)).is_file():
        raise doc.error("vehicle", f"no vehicle {vehicle_name!r}{key_hint(vehicle_name, names)}")
    vehicle = load_vehicle(find_vehicle(names.get(vehicle_name, vehicle_name)))
    apply_setup(vehicle, doc)
    count = len(vehicle.changed_values())
    line = f'setup for "{vehicle.name}", {"1 value differs" if count == 1 else f"{count} values differ"}'
    warnings = unusual_lines(vehicle, vehicle.changed_values(), doc)
    return "\n".join([line, *(str(advice) for advice in check_vehicle(vehicle, setup=doc)), *warnings])


def _surfaces(path: Path, doc: YamlMap) -> str:
    """Report on a surface table."""
    from driving_sandbox.physics.ground.surfaces import load_surfaces

    return f"surfaces: {', '.join(load_surfaces(path).names)}"


def _controls(path: Path, doc: YamlMap) -> str:
    """Report on key bindings."""
    from driving_sandbox.game.windows.bindings_file import load_bindings

    bindings = load_bindings(path)
    return f"controls, {len(doc.get('keys') or {})} actions with keys, {len(bindings.user_profiles)} device profiles"


def _commands(path: Path) -> str:
    """Report on a command table or a driving line."""
    from driving_sandbox.lab.drivers import CommandFile
    from driving_sandbox.lab.drivers.line_file import is_line, read_line

    if is_line(path):
        line = read_line(path)
        owner = line.vehicle or "an unknown car"
        return f"line of {owner}, {len(line.points)} points, at most {line.speeds.max():g} m/s"
    table = CommandFile(path)
    return f"command table, {len(table.times)} rows up to {table.duration:g} s"


def _tire(path: Path) -> str:
    """Report on a tire property file."""
    from driving_sandbox.lab.tire_curves import of_file
    from driving_sandbox.physics.tire.tir_file import read_tir

    of_file(path)  # refuses a set that no tire can have
    tir = read_tir(path)
    c, side = tir.coefficients, "both sides" if tir.side == "both" else f"the {tir.side} side"
    return (
        f"tire of Magic Formula {c['FITTYP'] / 10.0:.1f}, {len(c)} coefficients for {side}: radius "
        f"{c['UNLOADED_RADIUS']:.3f} m, peak friction {c['PDX1']:.2f} along and {abs(c['PDY1']):.2f} across it "
        f"at {c['FNOMIN']:.0f} N"
    )


def _model(path: Path, triangle_budget: int | None) -> str:
    """Report on a model: with hull parts as a vehicle, otherwise as ground."""
    from driving_sandbox.physics.ground.meshes import load_meshes
    from driving_sandbox.physics.ground.surfaces import default_surfaces
    from driving_sandbox.physics.shape.geometry import load_geometry
    from driving_sandbox.physics.shape.report import TRIANGLE_BUDGET, collision_report

    try:
        geometry = load_geometry(path)
    except GeometryError as as_vehicle:
        try:
            meshes = load_meshes(path, default_surfaces())
        except UserError as as_ground:
            raise GeometryError(f"as a vehicle: {as_vehicle}; as ground: {as_ground}") from None
        return f"ground mesh, {sum(len(m.triangles) for m in meshes)} triangles in {len(meshes)} parts"
    if path.suffix.lower() in DRAWN_SUFFIXES:
        _check_model(path)
    wheels = sum(1 for name in geometry.nodes if name.startswith("wheel") and name[5:].isdigit())
    summary = f"vehicle model, {len(geometry.parts)} collision parts, {wheels} wheels, {len(geometry.nodes)} nodes"
    return "\n  ".join([summary, *collision_report(geometry, budget=triangle_budget or TRIANGLE_BUDGET)])


def _recording(path: Path) -> str:
    """Report on a recording. Raises ConfigError for a damaged one."""
    from driving_sandbox.physics.recording import Recording, RecordingError

    try:
        recording = Recording.open(path)
    except RecordingError as error:
        raise ConfigError(path, None, "", str(error).removeprefix(f"{path}: ")) from None
    vehicles = ", ".join(v["name"] for v in recording.header["vehicles"])
    text = f"recording of {vehicles}, {recording.seconds:.2f} s in {recording.ticks} ticks"
    if recording.damage:
        raise ConfigError(path, None, "", f"{text}; {recording.damage}")
    return text
