"""Reads the props and parked vehicles listed in a world file.

    props:
      - {kind: cone, position: [10, 0], heading_deg: 90, repeat: [1, 8, 1], spacing: [0, 12, 0]}
    parked:
      - {vehicle: hatchback, position: [20, 0], heading_deg: 0}

`kind` names a file of configs/props. `position` is the centre of the prop's underside, m: x, y on the ground, or x, y,
z. `repeat` makes a block of props: the numbers of props to the right, forward and up relative to the heading, with
the distances from one to the next in `spacing`, m. The first one is at the position. Every World has the props of its
file, except in batches; parked vehicles are only added by the program with a window.
"""

import math
from dataclasses import dataclass

from driving_sandbox.physics.base.visible import brief
from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.props.kinds import PROP_FOLDER
from driving_sandbox.physics.props.placing import PlacedProp
from driving_sandbox.physics.schema.yaml_file import YamlList, YamlMap, check_keys, key_hint

MAX_PROPS = 20000  # props in one world; every recording lists them all
MAX_PARKED = 200  # parked vehicles in one world; the file of each is loaded
MAX_COORDINATE = 1e6  # m, in magnitude
MAX_SPACING = 1e4  # m, in magnitude


@dataclass(frozen=True)
class ParkedVehicle:
    """A vehicle without a driver."""

    vehicle: str  # name or path
    position: tuple  # x, y of its model's origin, m
    heading: float  # rad, 0 along +y, positive to the left


def prop_kinds() -> list[str]:
    """Names of all kinds of props, sorted."""
    return sorted(path.stem for path in PROP_FOLDER.glob("*.yaml"))


def read_props(doc: YamlMap) -> "list[PlacedProp]":
    """List of PlacedProp of a world file's `props`. Raises ConfigError."""
    known = prop_kinds()
    props: list[PlacedProp] = []
    if isinstance(doc.get("props"), YamlList) and len(doc["props"]) > MAX_PROPS:
        raise doc.error("props", f"{len(doc['props'])} entries; a world has at most {MAX_PROPS} props")
    for group, entry in enumerate(_entries(doc, "props", "{kind: cone, position: [x, y]}")):
        check_keys(entry, ("kind", "position", "heading_deg", "repeat", "spacing"), ("kind", "position"))
        kind = entry["kind"]
        if kind not in known:
            raise entry.error("kind", f"no prop {brief(kind)}{key_hint(kind, known)}; known: {', '.join(known)}")
        position = numbers(entry, "position", lengths=(2, 3), limit=MAX_COORDINATE)
        heading = _heading(entry)
        repeat = numbers(entry, "repeat", lengths=(3,), limit=MAX_PROPS) if "repeat" in entry else (1, 1, 1)
        if any(n != int(n) or n < 1 for n in repeat):
            raise entry.error("repeat", "must be three whole numbers of at least 1: to the right, forward, up")
        spacing = numbers(entry, "spacing", lengths=(3,), limit=MAX_SPACING) if "spacing" in entry else (0.0, 0.0, 0.0)
        if len(props) + math.prod(int(n) for n in repeat) > MAX_PROPS:
            raise entry.error("repeat", f"a world has at most {MAX_PROPS} props")
        if any(n > 1 and s == 0.0 for n, s in zip(repeat, spacing, strict=True)):
            raise entry.error("spacing", "must not be 0 in a direction with `repeat` above 1: props would overlap")
        props += _block(kind, position, heading, [int(n) for n in repeat], spacing, group)
    return props


def _block(
    kind: str,
    position: tuple[float, ...],
    heading: float,
    repeat: list[int],
    spacing: tuple[float, ...],
    group: int,
) -> "list[PlacedProp]":
    """The props of one entry, layer by layer from the ground up. group: index of the entry."""
    s, c = elementary.sincos(heading)
    height = position[2] if len(position) == 3 else None
    props = []
    for up in range(repeat[2]):
        for ahead in range(repeat[1]):
            for right in range(repeat[0]):
                x, y = right * spacing[0], ahead * spacing[1]
                underside_centre = (position[0] + c * x - s * y, position[1] + s * x + c * y)
                props.append(
                    PlacedProp(kind, underside_centre, height, rise=up * spacing[2], heading=heading, group=group)
                )
    return props


def read_parked(doc: YamlMap) -> "list[ParkedVehicle]":
    """List of ParkedVehicle of a world file's `parked`. Raises ConfigError; the vehicles' files are not read here."""
    parked = []
    if isinstance(doc.get("parked"), YamlList) and len(doc["parked"]) > MAX_PARKED:
        raise doc.error("parked", f"{len(doc['parked'])} vehicles; at most {MAX_PARKED} are possible")
    for entry in _entries(doc, "parked", "{vehicle: roadster, position: [x, y]}"):
        check_keys(entry, ("vehicle", "position", "heading_deg"), ("vehicle", "position"))
        if not isinstance(entry["vehicle"], str):
            raise entry.error("vehicle", f"{brief(entry['vehicle'])} must be the name of a vehicle")
        position = numbers(entry, "position", lengths=(2,), limit=MAX_COORDINATE)
        parked.append(ParkedVehicle(entry["vehicle"], position, _heading(entry)))
    return parked


def _entries(doc: YamlMap, key: str, form: str) -> YamlList:
    """The list of mappings under a key of a world file, empty without the key; `form` is an example for the error."""
    entries = doc.get(key, YamlList())
    if not isinstance(entries, YamlList):
        raise doc.error(key, f"must be a list of {form}")
    for index, entry in enumerate(entries):
        if not isinstance(entry, YamlMap):
            raise entries.error(index, f"must be {form}")
    return entries


def _heading(entry: YamlMap) -> float:
    """`heading_deg` of an entry in rad, 0 by default."""
    value = entry.get("heading_deg", 0.0)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not -360.0 <= value <= 360.0:
        raise entry.error("heading_deg", f"{brief(value)} must be a number from -360 to 360")
    return math.radians(value)


def numbers(entry: YamlMap, key: str, lengths: tuple[int, ...], limit: float) -> tuple[float, ...]:
    """A list of numbers of an entry as a tuple.

    Args:
        lengths: allowed lengths of the list.
        limit: largest magnitude of a number.
    Raises:
        ConfigError: another length, or something that is not a number within the limit.
    """
    value = entry[key]
    if not isinstance(value, YamlList) or len(value) not in lengths:
        raise entry.error(key, f"must be a list of {' or '.join(map(str, lengths))} numbers")
    for number in value:
        if isinstance(number, bool) or not isinstance(number, (int, float)) or abs(number) > limit:
            raise entry.error(key, f"{brief(number)} must be a number from {-limit:g} to {limit:g}")
    return tuple(float(number) for number in value)
