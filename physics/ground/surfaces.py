"""Surface materials of the ground: a row of numbers for kernels; name, colour, sound, mark and dust for presentation.

Friction is a table by surface and tire type: the Coulomb coefficient of a tire of that type at its nominal load.
`material_friction` is that of the material alone, for vehicles that take the mean of tire and ground instead (see
`RoadParams.friction_rule`); by default it is that of a street tire. Roughness and joints of slabs are the unevenness
below the resolution of the triangles, see `physics/ground/roughness.py`. `hull_friction` and `restitution` are those of
steel bodywork; for other materials and single pairs see `physics/ground/hull_materials.py`.

`sound` (rolling sound), `mark` (skid mark) and `dust` (dust or spray) are for presentation: no kernel reads them.

A mesh surface with `barrier: true` collides with bodywork, but is no road for wheels: to a tire that overlaps a rail by
a millimetre its edge would be a step.

`filters` of the file are named sets of surfaces; each wheel can ignore the surfaces of one set. The names are those of
the standard file, the surfaces may differ from world to world.
"""

import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from driving_sandbox.physics.base.visible import brief
from driving_sandbox.physics.ground.arrays import (
    FRICTION,
    HOLE,
    HULL_PAIR_SIZE,
    HULL_PAIRS,
    JOINT_DEPTH,
    JOINT_SPACING,
    JOINT_WIDTH,
    MATERIAL_FRICTION,
    RAYCAST_HIDDEN,
    ROLLING_DRAG,
    ROUGHNESS_AMPLITUDE,
    ROUGHNESS_WAVELENGTH,
    SURFACE_SIZE,
    TIRE_MATERIAL_FRICTION,
    TIRE_TYPES,
)
from driving_sandbox.physics.ground.hull_materials import (
    FRICTION_RANGE,
    RESTITUTION_RANGE,
    HullMaterial,
    read_hull_materials,
)
from driving_sandbox.physics.schema.yaml_file import ConfigError, YamlList, YamlMap, check_keys, key_hint, load_yaml

DEFAULT_PATH = Path(__file__).resolve().parents[2] / "configs" / "surfaces" / "default.yaml"
RANGES = {  # (smallest, largest) value allowed, SI
    "rolling_drag": (0.0, 1.0),
    "roughness_amplitude": (0.0, 1.0),
    "roughness_wavelength": (0.01, 1000.0),
    "restitution": RESTITUTION_RANGE,
    "hull_friction": FRICTION_RANGE,
}
JOINT_RANGES = {  # the same for the keys of joints, which a surface has all or none of
    "joint_spacing": (0.1, 1000.0),
    "joint_width": (0.001, 1.0),
    "joint_depth": (0.0, 0.5),
}
COLUMNS = {  # columns of GroundArrays.surfaces
    "rolling_drag": ROLLING_DRAG, "roughness_amplitude": ROUGHNESS_AMPLITUDE,
    "roughness_wavelength": ROUGHNESS_WAVELENGTH, "material_friction": MATERIAL_FRICTION,
    "joint_spacing": JOINT_SPACING, "joint_width": JOINT_WIDTH, "joint_depth": JOINT_DEPTH,
}  # fmt: skip
SOUNDS = ("asphalt", "slabs", "rumble", "gravel", "grass", "mud", "sand", "snow", "ice", "metal", "wood", "none")
SEE_ALL = "all"  # the first filter; it hides nothing
MAX_FILTERS = 32  # bits of RAYCAST_HIDDEN


@dataclass(frozen=True)
class Trace:
    """Skid mark or dust of a surface."""

    color: tuple[float, float, float]  # rgb in 0..1 (sRGB)
    amount: float  # strength, 0..1


@dataclass(frozen=True)
class Surface:
    """One surface; SI units. color: rgb in 0..1 (sRGB), for the view."""

    name: str
    friction: dict[str, float]  # tire type -> Coulomb coefficient
    rolling_drag: float  # added to the tire's rolling resistance coefficient
    roughness_amplitude: float
    roughness_wavelength: float  # of the longest wave
    restitution: float  # of steel bodywork
    hull_friction: float  # Coulomb coefficient of steel bodywork
    color: tuple[float, float, float]
    material_friction: float  # of the material alone, independent of the tire
    sound: str  # one of SOUNDS
    mark: Trace  # left by a tire that slides
    dust: Trace  # dust or spray that a tire throws up
    joint_spacing: float = 0.0  # between the joints of slabs, from the middle of one to that of the next
    joint_width: float = 0.0
    joint_depth: float = 0.0  # 0: no joints
    barrier: bool = False  # collides with bodywork, and with wheels as parts of it; not drivable


@dataclass(frozen=True)
class SurfaceTable:
    """All surfaces of a world; a surface id is an index into `surfaces`."""

    surfaces: tuple[Surface, ...]
    # name -> surface names that wheels with this filter do not see
    filters: dict[str, tuple[str, ...]] = field(default_factory=dict)
    hull_materials: dict[str, HullMaterial] = field(default_factory=dict)  # missing: those of the standard file

    def __len__(self) -> int:
        return len(self.surfaces)

    def __getitem__(self, index: int) -> "Surface":
        return self.surfaces[index]

    @property
    def names(self) -> list[str]:
        """Names of the surfaces, by their numbers."""
        return [surface.name for surface in self.surfaces]

    def index(self, name: str) -> int:
        """Surface id of a name; ValueError names the known ones."""
        if name not in self.names:
            raise ValueError(f"unknown surface {brief(name)}; known: {', '.join(self.names)}")
        return self.names.index(name)

    def array(self) -> np.ndarray:
        """float64[n, SURFACE_SIZE] for kernels; n: number of surfaces here or in the standard file, the larger one."""
        materials = tire_materials()
        table = np.zeros((max(len(self), len(materials)), SURFACE_SIZE))
        for row, name in zip(table, materials, strict=False):
            known = self if name in self.names else default_surfaces()
            row[TIRE_MATERIAL_FRICTION] = known[known.index(name)].material_friction
        for row, surface in zip(table, self.surfaces, strict=False):
            for key, column in COLUMNS.items():
                row[column] = getattr(surface, key)
            row[FRICTION:] = [surface.friction[tire] for tire in TIRE_TYPES]
            pairs = row[HULL_PAIRS:FRICTION].reshape(-1, HULL_PAIR_SIZE)
            for material, columns in zip(self.materials_in_order(), pairs, strict=False):
                material.write(columns, surface)
            hiding = [n for n, name in enumerate(raycast_filters()) if surface.name in self.filters.get(name, ())]
            row[RAYCAST_HIDDEN] = (1 << MAX_FILTERS) - 1 if surface.barrier else sum(1 << n for n in hiding)
        return table

    def materials_in_order(self) -> list[HullMaterial]:
        """HullMaterials in the order of `hull_materials()`.

        Those that this table lacks are the standard file's, without its values for pairs.
        """
        standard = default_surfaces().hull_materials
        return [self.hull_materials.get(name) or standard.get(name, HullMaterial(name)).unlisted()
                for name in hull_materials()]  # fmt: skip


def number(doc: Any, key: int | str, low: float, high: float) -> float:
    """A number of a YAML mapping within bounds, else a ConfigError."""
    value = doc[key]
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise doc.error(key, f"{brief(value)} must be a number")
    if not low <= value <= high:
        raise doc.error(key, f"{brief(value)} must be between {low:g} and {high:g}")
    return float(value)


def color(doc: YamlMap, key: str) -> tuple[float, float, float]:
    """A colour of a YAML mapping as rgb in 0..1, else a ConfigError."""
    value = doc[key]
    if not isinstance(value, str) or not re.fullmatch(r"#[0-9a-fA-F]{6}", value):
        raise doc.error(key, f'{brief(value)} must be a colour like "#5a6b3c"')
    red, green, blue = (int(value[k : k + 2], 16) / 255.0 for k in (1, 3, 5))
    return red, green, blue


def _trace(doc: YamlMap, key: str) -> "Trace":
    """The Trace of a key; one of amount 0 where the key is missing."""
    if key not in doc:
        return Trace(color=(0.0, 0.0, 0.0), amount=0.0)
    entry = doc[key]
    if not isinstance(entry, YamlMap):
        raise doc.error(key, 'must be like {color: "#5a6b3c", amount: 0.5}')
    check_keys(entry, ("color", "amount"), ("color", "amount"))
    return Trace(color(entry, "color"), number(entry, "amount", 0.0, 1.0))


def _joints(entry: YamlMap) -> dict[str, float]:
    """The keys of joints of a surface's entry, none where it has none. Raises ConfigError."""
    if not any(key in entry for key in JOINT_RANGES):
        return {}
    missing = [key for key in JOINT_RANGES if key not in entry]
    if missing:
        given = next(key for key in JOINT_RANGES if key in entry)
        raise entry.error(given, f"joints also need {' and '.join(missing)}")
    joints = {key: number(entry, key, *limits) for key, limits in JOINT_RANGES.items()}
    if joints["joint_width"] >= joints["joint_spacing"]:
        raise entry.error("joint_width", "must be less than joint_spacing")
    return joints


def _surface(doc: YamlMap, name: str) -> "Surface":
    """The Surface of an entry. Raises ConfigError."""
    entry = doc[name]
    if not isinstance(entry, YamlMap):
        raise doc.error(name, "must be a mapping of the surface's properties")
    if not isinstance(name, str):
        raise doc.error(name, "a surface's name must be a word")
    required = (*RANGES, "friction", "color")
    check_keys(entry, (*required, "material_friction", "sound", "mark", "dust", "barrier", *JOINT_RANGES), required)
    friction = entry["friction"]
    if not isinstance(friction, YamlMap):
        raise entry.error("friction", f"must name a coefficient for each of {', '.join(TIRE_TYPES)}")
    check_keys(friction, TIRE_TYPES, TIRE_TYPES)
    by_tire = {tire: number(friction, tire, *FRICTION_RANGE) for tire in TIRE_TYPES}
    material_friction = (
        number(entry, "material_friction", *FRICTION_RANGE) if "material_friction" in entry else by_tire["street"]
    )
    sound = entry.get("sound", "none")
    if sound not in SOUNDS:
        raise entry.error(
            "sound", f"there is no sound {brief(sound)}{key_hint(str(sound), SOUNDS)}; known: {', '.join(SOUNDS)}"
        )
    barrier = entry.get("barrier", False)
    if not isinstance(barrier, bool):
        raise entry.error("barrier", f"{brief(barrier)} must be true or false")
    return Surface(
        name=name,
        friction=by_tire,
        color=color(entry, "color"),
        material_friction=material_friction,
        sound=sound,
        mark=_trace(entry, "mark"),
        dust=_trace(entry, "dust"),
        barrier=barrier,
        **{key: number(entry, key, *limits) for key, limits in RANGES.items()},
        **_joints(entry),
    )


def load_surfaces(path: Path) -> "SurfaceTable":
    """The SurfaceTable of a YAML file, in the file's order. Raises ConfigError."""
    doc = load_yaml(path)
    if not isinstance(doc, YamlMap) or "surfaces" not in doc:
        doc = doc if isinstance(doc, YamlMap) else YamlMap()
        doc.path = path  # which the error names
    check_keys(doc, ("surfaces", "filters", "hull_materials"), ("surfaces",))
    entries = doc["surfaces"]
    if not isinstance(entries, YamlMap) or not entries:
        raise doc.error("surfaces", "must map names to surfaces")
    if len(entries) >= HOLE:
        raise doc.error("surfaces", f"{len(entries)} surfaces, at most {HOLE - 1} are possible")
    surfaces = tuple(_surface(entries, name) for name in entries)
    filters = _filters(doc, entries) if "filters" in doc else {}
    materials = read_hull_materials(doc, entries, number)
    if Path(path).resolve() != DEFAULT_PATH:
        _check_names(doc, "filters", filters, "filter", raycast_filters())
        _check_names(doc, "hull_materials", materials, "hull material", hull_materials())
    return SurfaceTable(surfaces, filters, materials)


def _check_names(doc: YamlMap, section: str, names: Any, what: str, known: tuple[str, ...]) -> None:
    """Raise ConfigError if a section has a name that the standard file lacks: vehicles choose among that file's."""
    for name in names:
        if name not in known:
            hint = f"{key_hint(name, known)}; known: {', '.join(known)}"
            raise doc[section].error(name, f"{brief(name)} is no {what} of {DEFAULT_PATH.name}{hint}")


def _filters(doc: YamlMap, entries: YamlMap) -> dict[str, tuple[str, ...]]:
    """{filter name: names of the surfaces it hides} of a file. Raises ConfigError."""
    filters = doc["filters"]
    if not isinstance(filters, YamlMap) or len(filters) > MAX_FILTERS:
        raise doc.error("filters", f"must map up to {MAX_FILTERS} names to lists of surfaces")
    for name, hidden_surfaces in filters.items():
        if not isinstance(hidden_surfaces, YamlList):
            raise filters.error(name, "must be a list of surfaces that a wheel does not see, [] for none")
        if name == SEE_ALL and hidden_surfaces:
            raise filters.error(name, "this filter hides nothing: write []")
        for surface in hidden_surfaces:
            if surface not in entries:
                hint = key_hint(surface, entries)
                raise filters.error(name, f"{brief(surface)} is not among the surfaces of this file{hint}")
    return {str(name): tuple(hidden_surfaces) for name, hidden_surfaces in filters.items()}


@cache
def default_surfaces() -> "SurfaceTable":
    """The surfaces of `configs/surfaces/default.yaml`."""
    return load_surfaces(DEFAULT_PATH)


@cache
def tire_materials() -> tuple[str, ...]:
    """Possible materials of tires: the surfaces of the standard file."""
    try:
        return tuple(default_surfaces().names)
    except ConfigError:  # reported where the file is loaded for a world
        return ("asphalt",)


@cache
def hull_materials() -> tuple[str, ...]:
    """Possible materials of bodywork: the hull materials of the standard file, the default first."""
    try:
        return tuple(default_surfaces().hull_materials) or ("steel",)
    except ConfigError:  # reported where the file is loaded for a world
        return ("steel",)


@cache
def raycast_filters() -> tuple[str, ...]:
    """Names of the filters of the standard file, `all` first."""
    try:
        names = default_surfaces().filters
    except ConfigError:  # reported where the file is loaded for a world
        names = {}
    return (SEE_ALL, *(name for name in names if name != SEE_ALL))
