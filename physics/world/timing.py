"""`timing` of a world file: timing gates across the ground.

    timing:
      course:                                        # name on the screen
        closed: true                                 # laps from the first gate to itself; false: from first to last
        gates:                                       # in driving order
          - {from: [23.3, 12.0], to: [25.9, -3.8]}   # m; `from` is the end on the driver's left
          - {from: [240, 299], to: [256, 300], label: sector 1}

A gate is a line segment in plan view. A vehicle passes it when the origin of its model crosses it in the direction of
driving.
"""

from dataclasses import dataclass

from driving_sandbox.physics.base.visible import brief
from driving_sandbox.physics.schema.yaml_file import YamlList, YamlMap, check_keys
from driving_sandbox.physics.world.props import MAX_COORDINATE, numbers

MIN_GATE_LENGTH = 0.1  # m; a vehicle would hardly ever cross a shorter one
MAX_TRACKS = 100  # of a world
MAX_GATES = 500  # gates of a track; each is tested in every tick


@dataclass(frozen=True)
class Gate:
    """A timing gate."""

    left: tuple  # x, y of the end on the driver's left, m
    right: tuple  # x, y of the other end, m
    label: str  # name of the time taken here


@dataclass(frozen=True)
class Track:
    """A timed track."""

    name: str
    gates: tuple  # of Gate, in driving order
    closed: bool  # True: laps end at the first gate; False: the run ends at the last gate


def read_timing(doc: YamlMap) -> "list[Track]":
    """List of Track of a world file. Raises ConfigError."""
    timing = doc.get("timing", YamlMap())
    if not isinstance(timing, YamlMap):
        raise doc.error("timing", "must map names to {gates: [...], closed: true or false}")
    if len(timing) > MAX_TRACKS:
        raise doc.error("timing", f"{len(timing)} tracks; at most {MAX_TRACKS} are possible")
    tracks = []
    for name, entry in timing.items():
        if not isinstance(entry, YamlMap):
            raise timing.error(name, "must be {gates: [...], closed: true or false}")
        check_keys(entry, ("gates", "closed"), ("gates",))
        closed = entry.get("closed", False)
        if not isinstance(closed, bool):
            raise entry.error("closed", f"{brief(closed)} must be true or false")
        gates = entry["gates"]
        if not isinstance(gates, YamlList) or len(gates) < (1 if closed else 2):
            raise entry.error("gates", "must list at least one gate of a closed track, two of an open one")
        if len(gates) > MAX_GATES:
            raise entry.error("gates", f"{len(gates)} gates; at most {MAX_GATES} are possible")
        tracks.append(Track(str(name), tuple(_gate(gates, index) for index in range(len(gates))), closed))
    return tracks


def _gate(gates: YamlList, index: int) -> "Gate":
    """Gate of an entry of the list. Raises ConfigError."""
    entry = gates[index]
    if not isinstance(entry, YamlMap):
        raise gates.error(index, "must be {from: [x, y], to: [x, y]}")
    check_keys(entry, ("from", "to", "label"), ("from", "to"))
    left = numbers(entry, "from", lengths=(2,), limit=MAX_COORDINATE)
    right = numbers(entry, "to", lengths=(2,), limit=MAX_COORDINATE)
    if (left[0] - right[0]) ** 2 + (left[1] - right[1]) ** 2 < MIN_GATE_LENGTH**2:
        raise entry.error("to", f"must lie at least {MIN_GATE_LENGTH:g} m from `from`")
    label = entry.get("label", "start" if index == 0 else f"sector {index}")
    if not isinstance(label, str) or not label:
        raise entry.error("label", f"{brief(label)} must be text")
    return Gate(left, right, label)
