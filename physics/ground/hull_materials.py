"""Hull materials: friction and restitution for every pair of a hull material and a surface.

Values that the surfaces file lists for a pair apply. Missing ones follow a rule:

    friction    = the material's factor x the surface's `hull_friction`
    restitution = the largest of the material's, the surface's and the vehicle's own (`contact.restitution`)

`contact.friction` of the vehicle multiplies the friction in both cases. A vehicle names its material
(`contact.material`), and that of single hull parts (`contact.part_material`, or the material of the part's mesh in the
model). The names are those of the standard file; other surfaces files may define their values.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from driving_sandbox.physics.base.visible import brief
from driving_sandbox.physics.ground.arrays import MAX_HULL_MATERIALS, PAIR_FRICTION, PAIR_OWN, PAIR_RESTITUTION
from driving_sandbox.physics.schema.yaml_file import YamlMap, check_keys, key_hint

FRICTION_RANGE = (0.0, 5.0)
RESTITUTION_RANGE = (0.0, 1.0)
RANGES = {"friction": FRICTION_RANGE, "restitution": RESTITUTION_RANGE}


@dataclass(frozen=True)
class HullMaterial:
    """A hull material.

    Attributes:
        friction: factor on the surface's `hull_friction`.
        restitution: lower limit, 0..1, on surfaces for which none is listed.
        pairs: {surface name: {"friction": ..., "restitution": ...}} of the listed pairs; either key may be missing.
    """

    name: str
    friction: float = 1.0
    restitution: float = 0.0
    pairs: dict = field(default_factory=dict)

    def write(self, columns: np.ndarray, surface: Any) -> None:
        """Fill the columns of this material in the row of a Surface."""
        listed = self.pairs.get(surface.name, {})
        columns[PAIR_FRICTION] = listed.get("friction", self.friction * surface.hull_friction)
        columns[PAIR_RESTITUTION] = listed.get("restitution", max(self.restitution, surface.restitution))
        columns[PAIR_OWN] = 0.0 if "restitution" in listed else 1.0

    def unlisted(self) -> "HullMaterial":
        """This material without its listed pairs, for the surfaces of another file."""
        return HullMaterial(self.name, self.friction, self.restitution)


def read_hull_materials(doc: YamlMap, surfaces: YamlMap, number: Callable[..., Any]) -> "dict[str, HullMaterial]":
    """{name: HullMaterial} of the section `hull_materials` of a surfaces file; {} without one. Raises ConfigError.

    surfaces: section of the file with its surfaces.
    number: function (doc, key, low, high) that reads a number within limits.
    """
    if "hull_materials" not in doc:
        return {}
    entries = doc["hull_materials"]
    if not isinstance(entries, YamlMap) or not 0 < len(entries) <= MAX_HULL_MATERIALS:
        raise doc.error("hull_materials", f"must map up to {MAX_HULL_MATERIALS} names to materials")
    return {name: _material(entries, name, surfaces, number) for name in entries}


def _material(entries: YamlMap, name: str, surfaces: YamlMap, number: Callable[..., Any]) -> "HullMaterial":
    """The HullMaterial of an entry. Raises ConfigError."""
    entry = entries[name]
    if not isinstance(name, str) or not isinstance(entry, YamlMap):
        raise entries.error(name, "must be a name and a mapping like {friction: 1.0, restitution: 0.1, on: {}}")
    check_keys(entry, (*RANGES, "on"), tuple(RANGES))
    pairs = entry.get("on", YamlMap())
    if not isinstance(pairs, YamlMap):
        raise entry.error("on", "must map surfaces to mappings like {friction: 0.1, restitution: 0.3}")
    return HullMaterial(
        name,
        **{key: number(entry, key, *limits) for key, limits in RANGES.items()},
        pairs={surface: _pair(pairs, surface, surfaces, number) for surface in pairs},
    )


def _pair(pairs: YamlMap, surface: str, surfaces: YamlMap, number: Callable[..., Any]) -> dict[str, float]:
    """{"friction": ..., "restitution": ...} of a listed pair, either of which may be missing. Raises ConfigError."""
    if surface not in surfaces:
        raise pairs.error(
            surface, f"{brief(surface)} is not among the surfaces of this file{key_hint(surface, surfaces)}"
        )
    pair = pairs[surface]
    if not isinstance(pair, YamlMap) or not pair:
        raise pairs.error(surface, "must be a mapping like {friction: 0.1, restitution: 0.3}")
    check_keys(pair, tuple(RANGES))
    return {key: number(pair, key, *RANGES[key]) for key in pair}
