"""The props and parked vehicles a world file lists; read and checked here, moved by the program with the window.

    props:
      - {kind: cone, position: [10, 0], heading_deg: 90, repeat: [1, 8, 1], spacing: [0, 12, 0]}
    parked:
      - {vehicle: hatchback, position: [20, 0], heading_deg: 0}

`kind` names a file of configs/props. `position` is the middle of the first one's foot; a third number is an absolute
height, without it the thing stands on the ground. `repeat` and `spacing` (m) make rows: so many to the right, forward
and up of the heading, the first at the position. The core has no props: headless runs leave them out.
"""

import math
from dataclasses import dataclass

from driving_sandbox.physics.base.visible import brief
from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.schema.yaml_file import YamlList, YamlMap, check_keys, key_hint

PROP_FOLDER = ROOT / "configs" / "props"
MOST = 20000  # things of one world; a recording names them all
MOST_PARKED = 200  # vehicles; each is loaded
SPACING_LIMIT = 1e4  # m


@dataclass(frozen=True)
class PlacedProp:
    """One prop: kind, x and y of its foot, height or None for the ground, rise above that, heading in rad."""

    kind: str
    position: tuple
    height: float | None
    rise: float
    heading: float
    group: int  # number of its entry in the world file


@dataclass(frozen=True)
class ParkedVehicle:
    """A vehicle without a driver: name or path, x and y, heading in rad."""

    vehicle: str
    position: tuple
    heading: float


def prop_kinds() -> list[str]:
    """Names of the props there are."""
    return sorted(path.stem for path in PROP_FOLDER.glob("*.yaml"))


def read_props(doc: YamlMap) -> "list[PlacedProp]":
    """List of PlacedProp of a world file's `props`. Raises ConfigError."""
    places, known = [], prop_kinds()
    for group, entry in enumerate(_entries(doc, "props", "{kind: cone, position: [x, y]}")):
        check_keys(entry, ("kind", "position", "heading_deg", "repeat", "spacing"), ("kind", "position"))
        kind = entry["kind"]
        if kind not in known:
            raise entry.error("kind", f"no prop {brief(kind)}{key_hint(kind, known)}; known: {', '.join(known)}")
        position = numbers(entry, "position", (2, 3), 1e6)
        heading = _heading(entry)
        repeat = numbers(entry, "repeat", (3,), MOST) if "repeat" in entry else (1, 1, 1)
        if any(n != int(n) or n < 1 for n in repeat):
            raise entry.error("repeat", "must be three whole numbers of at least 1: to the right, forward, up")
        spacing = numbers(entry, "spacing", (3,), SPACING_LIMIT) if "spacing" in entry else (0.0, 0.0, 0.0)
        if len(places) + math.prod(int(n) for n in repeat) > MOST:
            raise entry.error("repeat", f"a world has at most {MOST} props")
        if any(n > 1 and s == 0.0 for n, s in zip(repeat, spacing, strict=True)):
            raise entry.error("spacing", "is needed in every direction that repeats, or things would lie in each other")
        places += _row(kind, position, heading, [int(n) for n in repeat], spacing, group)
    return places


def _row(
    kind: str,
    position: tuple[float, float],
    heading: float,
    repeat: list[int],
    spacing: tuple[float, float, float],
    group: int,
) -> "list[PlacedProp]":
    """The things of one entry, layer by layer from the ground up."""
    s, c = elementary.sincos(heading)
    height = position[2] if len(position) == 3 else None
    found = []
    for up in range(repeat[2]):
        for ahead in range(repeat[1]):
            for right in range(repeat[0]):
                x, y = right * spacing[0], ahead * spacing[1]
                spot = (position[0] + c * x - s * y, position[1] + s * x + c * y)
                found.append(PlacedProp(kind, spot, height, up * spacing[2], heading, group))
    return found


def read_parked(doc: YamlMap) -> "list[ParkedVehicle]":
    """List of ParkedVehicle of a world file's `parked`. Raises ConfigError; the vehicles' files are not read here."""
    parked = []
    if isinstance(doc.get("parked"), YamlList) and len(doc["parked"]) > MOST_PARKED:
        raise doc.error("parked", f"{len(doc['parked'])} vehicles; at most {MOST_PARKED} are possible")
    for entry in _entries(doc, "parked", "{vehicle: roadster, position: [x, y]}"):
        check_keys(entry, ("vehicle", "position", "heading_deg"), ("vehicle", "position"))
        if not isinstance(entry["vehicle"], str):
            raise entry.error("vehicle", f"{brief(entry['vehicle'])} must be the name of a vehicle")
        parked.append(ParkedVehicle(entry["vehicle"], numbers(entry, "position", (2,), 1e6), _heading(entry)))
    return parked


def _entries(doc: YamlMap, key: str, form: str) -> YamlList:
    """The mappings of a list in a world file."""
    entries = doc.get(key, YamlList())
    if not isinstance(entries, YamlList):
        raise doc.error(key, f"must be a list of {form}")
    for index, entry in enumerate(entries):
        if not isinstance(entry, YamlMap):
            raise entries.error(index, f"must be {form}")
    return entries


def _heading(entry: YamlMap) -> float:
    value = entry.get("heading_deg", 0.0)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not -360.0 <= value <= 360.0:
        raise entry.error("heading_deg", f"{brief(value)} must be a number from -360 to 360")
    return math.radians(value)


def numbers(entry: YamlMap, key: str, lengths: tuple[float, ...], limit: float) -> tuple[float, ...]:
    """A tuple of numbers."""
    value = entry[key]
    if not isinstance(value, YamlList) or len(value) not in lengths:
        raise entry.error(key, f"must be a list of {' or '.join(map(str, lengths))} numbers")
    for number in value:
        if isinstance(number, bool) or not isinstance(number, (int, float)) or abs(number) > limit:
            raise entry.error(key, f"{brief(number)} must be a number from {-limit:g} to {limit:g}")
    return tuple(float(number) for number in value)
