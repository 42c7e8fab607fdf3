"""Surfaces: what the ground is made of. A row of numbers for kernels, a name and a colour for people.

Friction is a table over surface and tire type: the Coulomb coefficient of a tire of that type at its nominal load.
Roughness is the unevenness that wheels feel and no triangle shows, see `physics/road/roughness.py`.

`filters` of the file names sets of surfaces that a wheel does not see; a wheel picks one by name. The names are those
of the standard file, what they hide may differ from world to world.
"""

import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np

from physics.road.layout import (
    FRICTION,
    HOLE,
    HULL_FRICTION,
    RAYCAST_HIDDEN,
    RESTITUTION,
    ROLLING_DRAG,
    ROUGHNESS_AMPLITUDE,
    ROUGHNESS_WAVELENGTH,
    SURFACE_SIZE,
    TIRE_TYPES,
)
from physics.yaml_file import ConfigError, YamlList, YamlMap, check_keys, load_yaml, nearest_key

DEFAULT_PATH = Path(__file__).resolve().parents[2] / "configs" / "surfaces" / "default.yaml"
RANGES = {  # key: (column, lowest, highest); bounds are what still makes physical sense
    "rolling_drag": (ROLLING_DRAG, 0.0, 1.0),
    "roughness_amplitude": (ROUGHNESS_AMPLITUDE, 0.0, 1.0),
    "roughness_wavelength": (ROUGHNESS_WAVELENGTH, 0.01, 1000.0),
    "restitution": (RESTITUTION, 0.0, 1.0),
    "hull_friction": (HULL_FRICTION, 0.0, 5.0),
}
FRICTION_RANGE = (0.0, 5.0)
SEE_ALL = "all"  # the first filter; it hides nothing
MOST_FILTERS = 32


@dataclass(frozen=True)
class Surface:
    """One surface; SI units as in `RANGES`, colour as rgb in 0..1 (sRGB, a hint for pictures)."""

    name: str
    friction: dict  # tire type -> coefficient
    rolling_drag: float
    roughness_amplitude: float
    roughness_wavelength: float
    restitution: float
    hull_friction: float
    color: tuple


@dataclass(frozen=True)
class SurfaceTable:
    """All surfaces of a world; a surface id is a place in this list."""

    surfaces: tuple
    filters: dict = field(default_factory=dict)  # name -> surface names that wheels with this filter do not see

    def __len__(self):
        return len(self.surfaces)

    def __getitem__(self, index):
        return self.surfaces[index]

    @property
    def names(self):
        return [surface.name for surface in self.surfaces]

    def index(self, name):
        """Surface id of a name; ValueError names the known ones."""
        if name not in self.names:
            raise ValueError(f"unknown surface {name!r}; known: {', '.join(self.names)}")
        return self.names.index(name)

    def array(self):
        """float64[surfaces, SURFACE_SIZE] for kernels."""
        table = np.zeros((len(self), SURFACE_SIZE))
        for row, surface in zip(table, self.surfaces, strict=True):
            for key, (column, _, _) in RANGES.items():
                row[column] = getattr(surface, key)
            row[FRICTION:] = [surface.friction[tire] for tire in TIRE_TYPES]
            hiding = [n for n, name in enumerate(raycast_filters()) if surface.name in self.filters.get(name, ())]
            row[RAYCAST_HIDDEN] = sum(1 << n for n in hiding)
        return table


def number(doc, key, low, high):
    """A number of a YAML mapping within bounds, else a ConfigError."""
    value = doc[key]
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise doc.error(key, f"{value!r} must be a number")
    if not low <= value <= high:
        raise doc.error(key, f"{value!r} must be between {low:g} and {high:g}")
    return float(value)


def _surface(doc, name):
    entry = doc[name]
    if not isinstance(entry, YamlMap):
        raise doc.error(name, "must be a mapping of the surface's properties")
    if not isinstance(name, str):
        raise doc.error(name, "a surface's name must be a word")
    check_keys(entry, (*RANGES, "friction", "color"), (*RANGES, "friction", "color"))
    friction = entry["friction"]
    if not isinstance(friction, YamlMap):
        raise entry.error("friction", f"must name a coefficient for each of {', '.join(TIRE_TYPES)}")
    check_keys(friction, TIRE_TYPES, TIRE_TYPES)
    color = entry["color"]
    if not isinstance(color, str) or not re.fullmatch(r"#[0-9a-fA-F]{6}", color):
        raise entry.error("color", f'{color!r} must be a colour like "#5a6b3c"')
    return Surface(
        name=name,
        friction={tire: number(friction, tire, *FRICTION_RANGE) for tire in TIRE_TYPES},
        color=tuple(int(color[k : k + 2], 16) / 255.0 for k in (1, 3, 5)),
        **{key: number(entry, key, low, high) for key, (_, low, high) in RANGES.items()},
    )


def load_surfaces(path):
    """The SurfaceTable of a YAML file, in the file's order. Raises ConfigError."""
    doc = load_yaml(path)
    if not isinstance(doc, YamlMap) or "surfaces" not in doc:
        doc = doc if isinstance(doc, YamlMap) else YamlMap()
        doc.path = path
    check_keys(doc, ("surfaces", "filters"), ("surfaces",))
    entries = doc["surfaces"]
    if not isinstance(entries, YamlMap) or not entries:
        raise doc.error("surfaces", "must map names to surfaces")
    if len(entries) >= HOLE:
        raise doc.error("surfaces", f"{len(entries)} surfaces, at most {HOLE - 1} are possible")
    surfaces = tuple(_surface(entries, name) for name in entries)
    filters = _filters(doc, entries) if "filters" in doc else {}
    if Path(path).resolve() != DEFAULT_PATH:
        for name in filters:
            if name not in raycast_filters():
                hint = f"{nearest_key(name, raycast_filters())}; known: {', '.join(raycast_filters())}"
                raise doc["filters"].error(name, f"{name!r} is no filter of {DEFAULT_PATH.name}{hint}")
    return SurfaceTable(surfaces, filters)


def _filters(doc, entries):
    """{filter name: names of the surfaces it hides} of a file. Raises ConfigError."""
    filters = doc["filters"]
    if not isinstance(filters, YamlMap) or len(filters) > MOST_FILTERS:
        raise doc.error("filters", f"must map up to {MOST_FILTERS} names to lists of surfaces")
    for name, hidden in filters.items():
        if not isinstance(hidden, YamlList):
            raise filters.error(name, "must be a list of surfaces that a wheel does not see, [] for none")
        if name == SEE_ALL and hidden:
            raise filters.error(name, "hides nothing: write []")
        for surface in hidden:
            if surface not in entries:
                hint = nearest_key(surface, entries)
                raise filters.error(name, f"{surface!r} is no surface of this file{hint}")
    return {str(name): tuple(hidden) for name, hidden in filters.items()}


@cache
def default_surfaces():
    """The surfaces of `configs/surfaces/default.yaml`."""
    return load_surfaces(DEFAULT_PATH)


@cache
def raycast_filters():
    """Names of the filters of the standard file, `all` first."""
    try:
        names = default_surfaces().filters
    except ConfigError:  # whoever loads the file says what is wrong with it
        names = {}
    return (SEE_ALL, *(name for name in names if name != SEE_ALL))
