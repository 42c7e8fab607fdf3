"""File and line at which a vehicle's parameter is set, for warnings."""

from collections.abc import Container, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from driving_sandbox.physics.schema.yaml_file import ConfigError, YamlMap, load_yaml
from driving_sandbox.physics.vehicle.usual import unusual
from driving_sandbox.physics.vehicle.vehicle_file import find_vehicle

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle


def documents(vehicle: "Vehicle", doc: YamlMap | None = None) -> list[YamlMap]:
    """[the vehicle's parsed file (`doc` if given), that of its base if it has one]; [] when it has no readable file."""
    path = Path(vehicle.info.get("path", ""))
    try:
        if doc is None:
            if not path.is_file():
                return []
            doc = load_yaml(path)
        if "base" not in doc:
            return [doc]
        sibling = Path(doc.path).resolve().parent / f"{doc['base']}.yaml"
        return [doc, load_yaml(sibling if sibling.is_file() else find_vehicle(doc["base"]))]
    except ConfigError:  # changed on disk since loading
        return []


def location_of(vehicle: "Vehicle", path: str, *docs: Any) -> tuple[Any, int | None]:
    """(file, line) of the most specific setting of a parameter in the first document that has it.

    A value that no document sets (a default) is located at its section, or at the top of the first document.
    """
    maps = [doc for doc in docs if isinstance(doc, YamlMap)]
    slot, *wheel, name = path.split(".")
    for doc in maps:
        for section in _sections(vehicle, doc.get(slot), wheel):
            if name in section:
                return section.path, section.line(name)
    for doc in maps:
        if slot in doc:
            return doc.path, doc.line(slot)
    return (maps[0].path, maps[0].own_line) if maps else (None, None)


def unusual_lines(vehicle: "Vehicle", paths: Container[str] | None, *docs: Any) -> Iterator[str]:
    """Yield warnings with file and line about unusual values at some paths (None: all that can be set)."""
    for note in unusual(vehicle, paths):
        file, line = location_of(vehicle, note.path, *docs)
        yield f"{file}:{line}: warning: {note}"


def _sections(vehicle: "Vehicle", section: Any, wheel: Sequence[str]) -> list[YamlMap]:
    """Mappings that may set the value, most specific first."""
    if not isinstance(section, YamlMap):
        return []
    if not wheel:
        return [section]
    index = vehicle.wheel_names.index(wheel[0])
    names = [wheel[0], *(axle for axle, members in vehicle.axles.items() if index in members), "all"]
    return [section[name] for name in names if isinstance(section.get(name), YamlMap)]
