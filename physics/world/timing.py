"""`timing` of a world file: timing gates across the ground.

    timing:
      course:                                        # the name shown
        closed: true                                 # laps, from the first gate to itself; false: from first to last
        gates:                                       # in driving order
          - {from: [23.3, 12.0], to: [25.9, -3.8]}   # `from` is at the left of who drives over it the right way
          - {from: [240, 299], to: [256, 300], label: sector 1}

A gate is a segment in plan. A vehicle passes it when its model's origin does, forwards.
"""

from dataclasses import dataclass

from driving_sandbox.physics.base.visible import brief
from driving_sandbox.physics.schema.yaml_file import YamlList, YamlMap, check_keys
from driving_sandbox.physics.world.props import numbers

FARTHEST = 1e6  # m from the origin
SHORTEST = 0.1  # m
MOST_TRACKS, MOST_GATES = 100, 500  # of a world, of a track; each gate is looked at in every tick


@dataclass(frozen=True)
class Gate:
    """A segment from the driver's left to the driver's right, m; label: what its time is called."""

    left: tuple
    right: tuple
    label: str


@dataclass(frozen=True)
class Track:
    """Gates in driving order. A closed track is a lap from its first gate to its first gate again."""

    name: str
    gates: tuple
    closed: bool


def read_timing(doc: YamlMap) -> "list[Track]":
    """List of Track of a world file. Raises ConfigError."""
    timing = doc.get("timing", YamlMap())
    if not isinstance(timing, YamlMap):
        raise doc.error("timing", "must map names to {gates: [...], closed: true or false}")
    if len(timing) > MOST_TRACKS:
        raise doc.error("timing", f"{len(timing)} tracks; at most {MOST_TRACKS} are possible")
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
        if len(gates) > MOST_GATES:
            raise entry.error("gates", f"{len(gates)} gates; at most {MOST_GATES} are possible")
        tracks.append(Track(str(name), tuple(_gate(gates, index) for index in range(len(gates))), closed))
    return tracks


def _gate(gates: YamlList, index: int) -> "Gate":
    entry = gates[index]
    if not isinstance(entry, YamlMap):
        raise gates.error(index, "must be {from: [x, y], to: [x, y]}")
    check_keys(entry, ("from", "to", "label"), ("from", "to"))
    left, right = numbers(entry, "from", (2,), FARTHEST), numbers(entry, "to", (2,), FARTHEST)
    if (left[0] - right[0]) ** 2 + (left[1] - right[1]) ** 2 < SHORTEST**2:
        raise entry.error("to", f"must lie at least {SHORTEST:g} m from `from`")
    label = entry.get("label", "start" if index == 0 else f"sector {index}")
    if not isinstance(label, str) or not label:
        raise entry.error("label", f"{brief(label)} must be a text")
    return Gate(left, right, label)
