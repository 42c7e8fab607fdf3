"""Strict reader of Stingray vehicle files: invalid values and unknown keys are reported with their lines.

A `.physics` file holds actors, shapes and the like besides an array `vehicles`; each of those has the sections chassis,
engine, differential, gears, clutch, ackermann_correction, steer_vs_forward_speed, input_smoothing and wheels.
"""

import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from driving_sandbox.formats.sjson import load_sjson
from driving_sandbox.physics.schema.yaml_file import ConfigError, YamlList, YamlMap, join_key, key_hint

_REQUIRED = object()  # in place of a default or a usual value: there is none
OTHER_SECTIONS = ("actors", "shapes", "joints", "movers", "cloths", "ragdolls")  # of a unit, besides its vehicles


class Part:
    """A section of a file: checked values by key; `finish` reports keys that were never read.

    Attributes:
        doc: YamlMap of the section.
        warnings: list that remarks are added to.
        asked: keys that were read.
    """

    def __init__(self, doc: YamlMap, warnings: list[str]) -> None:
        self.doc, self.warnings = doc, warnings
        self.asked: set[str] = set()

    def __contains__(self, key: str) -> bool:
        return key in self.doc

    def error(self, key: str, message: str) -> ConfigError:
        """The ConfigError for a key."""
        return self.doc.error(key, message)

    def warn(self, key: str, message: str) -> None:
        """Add a remark with file, line and key."""
        where = f"{self.doc.path}:{self.doc.line(key)}: {join_key(self.doc.key_path, key)}"
        self.warnings.append(f"{where}: {message}")

    def origin(self, key: str) -> tuple[Any, str]:
        """(line, dotted key) of a value, for errors in values derived from it."""
        return self.doc.line(key), join_key(self.doc.key_path, key)

    def one_of(self, *names: str) -> str:
        """The spelling of a key that the file uses; raises ConfigError for two spellings with different values."""
        spellings = [name for name in names if name in self.doc]
        self.asked.update(spellings)
        if len(spellings) > 1 and self.doc[spellings[0]] != self.doc[spellings[1]]:
            first = f"{spellings[0]} in line {self.doc.line(spellings[0])}"
            raise self.error(spellings[1], f"contradicts {first}; they mean the same")
        return spellings[0] if spellings else names[0]

    def get(self, key: str, default: Any, usual: Any) -> tuple[bool, Any]:
        """(whether the file has a key, its value); a missing one is `usual` with a warning, or `default` without one.

        Raises ConfigError for a missing key with neither.
        """
        self.asked.add(key)
        if key in self.doc:
            return True, self.doc[key]
        if usual is not _REQUIRED:
            self.warn(key, f"is missing, taken as {usual}")
            return False, usual
        if default is _REQUIRED:
            known = key_hint(key, [k for k in self.doc if k not in self.asked])
            raise ConfigError(self.doc.path, self.doc.own_line, join_key(self.doc.key_path, key), f"is missing{known}")
        return False, default

    def number(
        self,
        key: str,
        default: Any = _REQUIRED,
        usual: Any = _REQUIRED,
        above: float | None = None,
        low: float | None = None,
        high: float | None = None,
    ) -> Any:
        """A number > `above`, >= `low` and <= `high`, where these are given."""
        given, value = self.get(key, default, usual)
        if not given:
            return value
        if not _is_number(value):
            raise self.error(key, f"{value!r} must be a number")
        for broken, rule in ((above is not None and value <= above, f"> {above}"),
                             (low is not None and value < low, f">= {low}"),
                             (high is not None and value > high, f"<= {high}")):  # fmt: skip
            if broken:
                raise self.error(key, f"{value:g} must be {rule}")
        return float(value)

    def numbers(self, key: str, default: Any = _REQUIRED, usual: Any = _REQUIRED, count: int | None = None) -> Any:
        """A list of numbers, nested lists flattened."""
        given, value = self.get(key, default, usual)
        if not given:
            return None if value is None else list(value)
        if not isinstance(value, YamlList):
            raise self.error(key, "must be a list of numbers")
        flat = [v for item in value for v in (item if isinstance(item, YamlList) else [item])]
        for v in flat:
            if not _is_number(v):
                raise self.error(key, f"{v!r} must be a number")
        if count is not None and len(flat) != count:
            raise self.error(key, f"has {len(flat)} numbers, not {count}")
        return [float(v) for v in flat]

    def points(
        self, key: str, max_count: int, default: Any = _REQUIRED, min_count: int = 1
    ) -> list[list[float]] | None:
        """`min_count` to `max_count` pairs [x, y] from a flat list of numbers, x rising."""
        flat = self.numbers(key, default)
        if flat is None:
            return None
        if len(flat) % 2 or not 2 * min_count <= len(flat) <= 2 * max_count:
            count = f"{max_count}" if min_count == max_count else f"{min_count} to {max_count}"
            raise self.error(key, f"has {len(flat)} numbers, not {count} pairs")
        pairs = [[x, y] for x, y in zip(flat[::2], flat[1::2], strict=True)]
        if any(b[0] <= a[0] for a, b in zip(pairs, pairs[1:], strict=False)):
            raise self.error(key, "the first numbers of the pairs must rise")
        return pairs

    def flag(self, key: str, default: Any = _REQUIRED) -> Any:
        """True or false."""
        given, value = self.get(key, default, _REQUIRED)
        if given and not isinstance(value, bool):
            raise self.error(key, f"{value!r} must be true or false")
        return value

    def text(self, key: str, default: Any = _REQUIRED, options: Iterable[str] | None = None) -> Any:
        """A text, one of `options` if these are given."""
        given, value = self.get(key, default, _REQUIRED)
        if given and not isinstance(value, str):
            raise self.error(key, f"{value!r} must be text in quotes")
        if given and options is not None and value not in options:
            raise self.error(key, f"{value!r} is none of {', '.join(options)}{key_hint(value, options)}")
        return value

    def part(self, key: str, required: bool = True) -> "Part":
        """A section; empty if it is optional and missing."""
        self.asked.add(key)
        if key not in self.doc and required:
            self.get(key, _REQUIRED, _REQUIRED)
        value = self.doc.get(key)
        if value is None or (isinstance(value, YamlList) and not value):
            value = YamlMap()
            value.path, value.key_path, value.own_line = (
                self.doc.path,
                join_key(self.doc.key_path, key),
                self.doc.line(key),
            )
        if not isinstance(value, YamlMap):
            raise self.error(key, "must be a section { ... }")
        return Part(value, self.warnings)

    def parts(self, key: str, default: Any = _REQUIRED) -> list["Part"]:
        """The sections of an array."""
        given, value = self.get(key, default, _REQUIRED)
        if not given:
            return list(value)
        if not isinstance(value, YamlList) or not all(isinstance(item, YamlMap) for item in value):
            raise self.error(key, "must be an array of sections [ { ... } ]")
        return [Part(item, self.warnings) for item in value]

    def finish(self, known: Iterable[str] = ()) -> None:
        """Warn of every key that was neither read nor is `known`."""
        for key in self.doc:
            if key not in self.asked and key not in known:
                self.warn(key, f"unknown key, left out{key_hint(key, (*self.asked, *known))}")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def read_unit(path: Path | str) -> tuple[dict[str, Part], list[str], list[str] | None]:
    """(parts by vehicle name, warnings, names of the actors or None) of a file. Raises ConfigError."""
    warnings: list[str] = []
    unit = Part(load_sjson(path), warnings)
    blocks = unit.parts("vehicles")
    actors = _names(unit, "actors") if "actors" in unit else None
    unit.finish(OTHER_SECTIONS)
    named: dict[str, Part] = {}
    for block in blocks:
        name = block.text("name")
        if name in named:
            first = named[name].doc.line("name")
            raise block.error("name", f"a vehicle {name!r} is defined in line {first} already")
        named[name] = block
    if not named:
        raise unit.error("vehicles", "has no vehicle")
    return named, warnings, actors


def _names(unit: Part, key: str) -> list[str]:
    """Names of the actors: keys of a section, or the `name` of each section of an array."""
    value = unit.doc[key]
    if isinstance(value, YamlMap):
        return list(value)
    return [item.text("name") for item in unit.parts(key) if "name" in item]
