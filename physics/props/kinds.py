"""Kinds of props: the YAML files of configs/props, checked."""

import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from driving_sandbox.physics.base.visible import brief
from driving_sandbox.physics.ground.surfaces import default_surfaces
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.schema.yaml_file import ConfigError, YamlList, YamlMap, check_keys, key_hint, load_yaml

PROP_FOLDER = ROOT / "configs" / "props"
KEYS = ("name", "model", "mass", "centre_of_mass", "friction", "restitution", "drivable", "surface", "sound", "hinge",
        "shapes")  # fmt: skip
SOUNDS = ("wood", "plastic", "rubber", "drum", "tubes", "sheet", "stone")  # what a kind sounds like when it is struck
ROUND = ("cylinder", "cone")  # shapes that roll
SHAPES = {  # keys of each shape
    "box": ("size", "at"), "cylinder": ("radius", "height", "axis", "at"), "cone": ("radius", "height", "at"),
    "hull": ("points",),
}  # fmt: skip
AXES = ("x", "y", "z")
SAME_AREA = math.sqrt(math.pi) / 2.0  # half side of the square that has the area of a circle of radius one


class Deck(NamedTuple):
    """A box or wedge that supports wheels (see physics/road/bodies.py), in a body's frame, m."""

    middle: tuple  # centre of its bounding box
    half: tuple  # half the lengths of the box's edges
    top: tuple  # smallest and largest y of the top face, relative to the middle


@dataclass(frozen=True)
class Shape:
    """One convex shape in the model's frame."""

    kind: str  # a key of SHAPES
    values: dict  # numbers of the shape by key, see configs/props/cone.yaml

    def corners(self) -> np.ndarray:
        """Points whose convex hull contains the shape, m."""
        v = self.values
        if self.kind == "hull":
            return np.array(v["points"])
        half = np.array(v["size"]) / 2.0 if self.kind == "box" else np.full(3, v["radius"])
        if self.kind == "cylinder":
            half[AXES.index(v["axis"])] = v["height"] / 2.0
        elif self.kind == "cone":
            half[2] = v["height"] / 2.0
        signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        return np.array(v["at"]) + signs * half

    def deck(self, centre: tuple[float, ...]) -> Deck | None:
        """Deck of the shape relative to the point `centre`; None for a shape that is neither a box nor a wedge.

        An upright cylinder counts as a box with a square top of the same area.
        """
        corners = self.corners()
        low, high = corners.min(axis=0), corners.max(axis=0)
        half = (high - low) / 2.0
        top = (-half[1], half[1])
        if self.kind == "cylinder" and self.values["axis"] == "z":
            half[:2] *= SAME_AREA
            top = (-half[1], half[1])
        elif self.kind == "hull":  # its points must be the corners of two level rectangles that share their x limits
            upper = corners[corners[:, 2] == high[2], 1] - (low[1] + high[1]) / 2.0
            top = (upper.min(), upper.max())
            box_corners = {(x, y, low[2]) for x in (low[0], high[0]) for y in (low[1], high[1])}
            box_corners |= {(x, y, high[2]) for x in (low[0], high[0]) for y in top + (low[1] + high[1]) / 2.0}
            points = {tuple(p) for p in corners}
            if len(points) != len(box_corners) or not np.allclose(sorted(points), sorted(box_corners), atol=1e-6):
                return None
        elif self.kind != "box":
            return None
        middle = (low + high) / 2.0 - centre
        return Deck(tuple(middle.tolist()), tuple(half.tolist()), tuple(float(y) for y in top))


@dataclass(frozen=True)
class Hinge:
    """Hinge of a kind; axis and point in the model's frame."""

    axis: tuple  # unit vector
    at: tuple  # m, a point of the axis
    limits: tuple  # rad, smallest and largest angle
    start: float  # rad, initial angle
    damping: float  # 1/s, fraction of the angular velocity lost per second


@dataclass(frozen=True)
class Kind:
    """Properties shared by all props of a kind, SI."""

    key: str  # name of its file in configs/props
    name: str  # title, as in "Traffic cone"
    model: Path
    mass: float  # kg
    centre: tuple  # m, centre of mass in the model's frame
    friction: float  # coefficient on dry asphalt
    restitution: float  # coefficient on dry asphalt
    drivable: bool  # wheels roll on it, and do not bump into it
    surface: str  # name of the surface that wheels find on it
    sound: str  # one of SOUNDS
    hinge: Hinge | None
    shapes: tuple

    @property
    def rolls(self) -> bool:
        """Whether it may roll."""
        return self.hinge is None and any(shape.kind in ROUND for shape in self.shapes)

    @property
    def radius(self) -> float:
        """Radius of the sphere about the centre of mass that contains every shape, m."""
        points = np.concatenate([shape.corners() for shape in self.shapes])
        return float(np.linalg.norm(points - self.centre, axis=1).max())

    @property
    def deck_count(self) -> int:
        """Number of decks, 0 for a kind that is not drivable."""
        return len(self.shapes) if self.drivable else 0

    def decks(self, origin: tuple[float, ...]) -> list[Deck | None]:
        """Decks relative to the point `origin` of the model's frame; [] for a kind that is not drivable.

        The list has None for a shape that is neither a box nor a wedge.
        """
        return [shape.deck(origin) for shape in self.shapes] if self.drivable else []


@cache
def load_kind(key: str, folder: Path = PROP_FOLDER) -> Kind:
    """The Kind of a name. Raises ConfigError naming file, line and key."""
    path = folder / f"{key}.yaml"
    doc = load_yaml(path)
    if not isinstance(doc, YamlMap):
        raise ConfigError(path, 1, "", "a kind of prop must be a mapping of keys to values")
    check_keys(doc, KEYS, ("name", "model", "mass", "centre_of_mass", "shapes"))
    model = (path.parent / str(doc["model"])).resolve()
    if not model.is_file():
        raise doc.error("model", f"no such file: {model}")
    drivable = doc.get("drivable", False)
    if not isinstance(drivable, bool):
        raise doc.error("drivable", f"{drivable!r} must be true or false")
    shapes = doc["shapes"]
    if not isinstance(shapes, YamlList) or not shapes:
        raise doc.error("shapes", f"must be a list of shapes; known: {', '.join(SHAPES)}")
    kind = Kind(
        key=key,
        name=str(doc["name"]),
        model=model,
        mass=_number(doc, "mass", low=0.01, high=1e5),
        centre=_vector(doc, "centre_of_mass"),
        friction=_number(doc, "friction", low=0.0, high=5.0, default=0.5),
        restitution=_number(doc, "restitution", low=0.0, high=1.0, default=0.0),
        drivable=drivable,
        surface=_surface(doc),
        sound=_sound(doc),
        hinge=_hinge(doc),
        shapes=tuple(_shape(shapes, index) for index in range(len(shapes))),
    )
    decks = kind.decks(kind.centre)
    if None in decks:
        raise shapes.error(
            decks.index(None),
            "wheels drive on boxes, upright cylinders, and hulls of a level rectangle below "
            "and one of the same length in x above: use such a shape, or set drivable: false",
        )
    return kind


def _surface(doc: YamlMap) -> str:
    """Name of the surface that wheels find on a kind. Raises ConfigError for an unknown one."""
    known = default_surfaces().names
    surface = doc.get("surface", "wood")
    if surface not in known:
        hint = f"{key_hint(str(surface), known)}; known: {', '.join(known)}"
        raise doc.error("surface", f"there is no surface {surface!r}{hint}")
    return surface


def _sound(doc: YamlMap) -> str:
    """What a kind sounds like when it is struck, wood by default. Raises ConfigError for an unknown word."""
    sound = doc.get("sound", "wood")
    if sound not in SOUNDS:
        hint = f"{key_hint(str(sound), SOUNDS)}; known: {', '.join(SOUNDS)}"
        raise doc.error("sound", f"there is no sound {brief(sound)}{hint}")
    return str(sound)


def _number(doc: YamlMap, key: str, low: float, high: float, default: float | None = None) -> float:
    """Number under a key, from `low` to `high`; required if the default is None. Raises ConfigError."""
    value = doc.get(key, default)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
        raise doc.error(key, f"{value!r} must be a number from {low:g} to {high:g}")
    return float(value)


def _vector(doc: Any, key: str | int, length: int = 3) -> tuple[float, ...]:
    """Tuple of the numbers in a list of `length` numbers under a key. Raises ConfigError."""
    value: Any = doc.get(key)
    valid = isinstance(value, YamlList) and len(value) == length
    if not valid or any(isinstance(v, bool) or not isinstance(v, (int, float)) for v in value):
        raise doc.error(key, f"{value!r} must be a list of {length} numbers")
    return tuple(float(v) for v in value)


def _hinge(doc: YamlMap) -> Hinge | None:
    """The Hinge of a kind, or None without one. Raises ConfigError."""
    if "hinge" not in doc:
        return None
    hinge = doc["hinge"]
    if not isinstance(hinge, YamlMap):
        raise doc.error("hinge", "must be {axis, at, limits_deg}")
    check_keys(hinge, ("axis", "at", "limits_deg", "start_deg", "damping"), ("axis", "at", "limits_deg"))
    axis, limits = np.array(_vector(hinge, "axis")), _vector(hinge, "limits_deg", length=2)
    if np.count_nonzero(axis) != 1:
        raise hinge.error("axis", "must be along x, y or z of the model: one number that is not 0")
    if not -180.0 <= limits[0] < limits[1] <= 180.0:
        raise hinge.error("limits_deg", "must be two angles from -180 to 180, the smaller first")
    nearest_to_zero = min(max(0.0, limits[0]), limits[1])
    start = _number(hinge, "start_deg", low=limits[0], high=limits[1], default=nearest_to_zero)
    return Hinge(
        axis=tuple((axis / np.linalg.norm(axis)).tolist()),
        at=_vector(hinge, "at"),
        limits=tuple(math.radians(v) for v in limits),
        start=math.radians(start),
        damping=_number(hinge, "damping", low=0.0, high=100.0, default=0.0),
    )


def _shape(shapes: YamlList, index: int) -> Shape:
    """The collision Shape at an index of the list. Raises ConfigError."""
    entry = shapes[index]
    if not isinstance(entry, YamlMap) or len(entry) != 1 or not isinstance(next(iter(entry.values())), YamlMap):
        raise shapes.error(index, f"must be one shape with its numbers; known: {', '.join(SHAPES)}")
    check_keys(entry, SHAPES)
    ((kind, doc),) = entry.items()
    check_keys(doc, SHAPES[kind], SHAPES[kind])
    values: dict[str, Any] = {}
    for key in SHAPES[kind]:
        if key in ("radius", "height"):
            values[key] = _number(doc, key, low=0.005, high=100.0)
        elif key == "axis":
            if doc[key] not in AXES:
                raise doc.error(key, f"{doc[key]!r} must be x, y or z")
            values[key] = doc[key]
        elif key == "points":
            points = doc[key]
            if not isinstance(points, YamlList) or len(points) < 4:
                raise doc.error(key, "must be a list of at least 4 points")
            values[key] = tuple(_vector(_Elements(points), k) for k in range(len(points)))
        else:
            values[key] = _vector(doc, key)
    return Shape(kind, values)


class _Elements(dict):
    """A YAML list as a mapping from index to element, so that `_vector` can check its elements."""

    def __init__(self, values: YamlList) -> None:
        super().__init__(enumerate(values))
        self.error = values.error
