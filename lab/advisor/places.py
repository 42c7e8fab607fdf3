"""Where a parameter stands in a vehicle's file, so that a warning can name the line."""

from pathlib import Path

from physics.yaml_file import ConfigError, YamlMap, load_yaml


def document(vehicle):
    """The parsed file a vehicle was loaded from, or None when it came from elsewhere."""
    path = Path(vehicle.info.get("path", ""))
    if not path.is_file():
        return None
    try:
        return load_yaml(path)
    except ConfigError:  # changed on disk meanwhile
        return None


def place_of(vehicle, path, *docs):
    """(file, line) of the narrowest statement of a parameter in the first document that gives it.

    A value no document gives (a default) is shown at its section, or at the top of the last document.
    """
    docs = [doc for doc in docs if doc is not None]
    slot, *wheel, name = path.split(".")
    for doc in docs:
        for section in _sections(vehicle, doc.get(slot), wheel):
            if name in section:
                return section.path, section.line(name)
    for doc in docs:
        if slot in doc:
            return doc.path, doc.line(slot)
    return (docs[-1].path, docs[-1].own_line) if docs else (None, None)


def _sections(vehicle, section, wheel):
    """Mappings that may give the value, narrowest first."""
    if not isinstance(section, YamlMap):
        return []
    if not wheel:
        return [section]
    index = vehicle.wheel_names.index(wheel[0])
    names = [wheel[0], *(axle for axle, members in vehicle.axles.items() if index in members), "all"]
    return [section[name] for name in names if isinstance(section.get(name), YamlMap)]
