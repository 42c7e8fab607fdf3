"""Reads the cameras of a vehicle from configs/cameras/NAME.yaml, else default.yaml, whose header documents the keys."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from driving_sandbox.game.view.cameras.eye import EyeSettings
from driving_sandbox.game.view.cameras.follow import FollowSettings
from driving_sandbox.physics.schema.aliases import with_own_names
from driving_sandbox.physics.schema.yaml_file import YamlList, YamlMap, check_keys, load_yaml

FOLDER = Path(__file__).resolve().parents[3] / "configs" / "cameras"
DEFAULT = "default"  # name of the file for vehicles without their own; not every model has the nodes that it names
COUNT = 10  # number of cameras, camera0 ... camera9
KINDS = ("follow", "chase", "eye", "orbit", "trackside", "free")
_KEYS = ("name", "kind", "fov")
_FOLLOW_KEYS = (*_KEYS, "follow", "angle", "offset", "scaled", "at")
_AXES = ("pitch", "yaw", "roll")
_POSITIVE = ("max_timestep",)  # numbers of EyeSettings that must be above 0; others may be 0


@dataclass
class CameraEntry:
    """One of the ten cameras.

    Attributes:
        name: shown when the camera is chosen.
        kind: one of KINDS.
        fov: horizontal field of view, rad, or None for the default.
        follow: settings of a camera of the kind "follow".
        scaled, at: see the header of default.yaml.
        source: the camera's mapping in the file, which locates errors.
    """

    name: str
    kind: str
    fov: float | None = None
    follow: FollowSettings = field(default_factory=FollowSettings)
    scaled: bool = False
    at: str | None = None
    source: YamlMap = field(default_factory=YamlMap)

    @property
    def key(self) -> str:
        """Key of the camera in CameraRig: its kind, or for a follow camera its name in lower case."""
        return self.name.lower() if self.kind == "follow" else self.kind

    def node_position(self, position_of: Callable[[str], Any]) -> Any:
        """Position of the node `at`, m; None without `at`, or if only default.yaml names a node the model lacks.

        Args:
            position_of: function(node name) -> position of the node in the vehicle's model, m, or None.
        Raises ConfigError for such a node in a vehicle's own file.
        """
        position = None if self.at is None else position_of(self.at)
        if self.at is not None and position is None and Path(self.source.path).stem != DEFAULT:
            raise self.source.error("at", f"the model has no node {self.at!r}")
        return position


def load_cameras(vehicle: str = DEFAULT) -> tuple[tuple | None, dict, list[CameraEntry]]:
    """(position of the eye or None, other settings of the eye, ten CameraEntries).

    Args:
        vehicle: name of the vehicle's file without suffix.
    Raises ConfigError.
    """
    path = FOLDER / f"{vehicle}.yaml"
    doc = load_yaml(path if path.is_file() else FOLDER / f"{DEFAULT}.yaml")
    return read_cameras(doc)


def read_cameras(doc: YamlMap) -> tuple[Any, dict[str, Any], list[CameraEntry]]:
    """The result of `load_cameras`, from a YAML mapping. Raises ConfigError."""
    names = [f"camera{k}" for k in range(COUNT)]
    check_keys(doc, ("eye", *names), tuple(names))
    eye = _eye(doc)
    entries = [_entry(doc, name) for name in names]
    _check_keys_differ(entries)
    return eye.pop("position", None), eye, entries


def _check_keys_differ(entries: list[CameraEntry]) -> None:
    """Raise ConfigError for a camera with the key of another camera or kind, which would replace it."""
    earlier: dict[str, CameraEntry] = {}
    for entry in entries:
        if entry.kind == "follow" and entry.key in KINDS:
            raise entry.source.error("name", f"{entry.name!r} is a kind of camera; choose another name")
        if entry.key in earlier:
            key, other = ("name" if entry.kind == "follow" else "kind"), earlier[entry.key].source
            raise entry.source.error(key, f"the camera in line {other.line()} has the same {key}, {other[key]!r}")
        earlier[entry.key] = entry


def _number(doc: YamlMap | YamlList, key: Any, low: float = -1e6, high: float = 1e6) -> float:
    """The number at a key of a mapping or list, from `low` to `high`. Raises ConfigError."""
    value = doc[key]
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise doc.error(key, f"{value!r} must be a number")
    if not low <= value <= high:
        raise doc.error(key, f"{value:g} must be {low:g} to {high:g}")
    return float(value)


def _three(doc: YamlMap, key: str, low: float = -1e6) -> tuple[float, ...]:
    """Three numbers of at least `low` at a key. Raises ConfigError."""
    values = doc[key]
    if not isinstance(values, YamlList) or len(values) != 3:
        raise doc.error(key, "must be a list of three numbers")
    return tuple(_number(values, k, low=low) for k in range(3))


def _eye(doc: YamlMap) -> dict[str, float | tuple[float, ...]]:
    """{name: value} of EyeSettings from the file's section `eye`; empty without one."""
    if "eye" not in doc:
        return {}
    eye, settings = doc["eye"], {f.name: f for f in fields(EyeSettings)}
    if not isinstance(eye, YamlMap):
        raise doc.error("eye", "must be a mapping")
    eye = with_own_names(eye, EyeSettings)
    check_keys(eye, settings)
    values: dict[str, float | tuple[float, ...]] = {}
    for key in eye:
        if isinstance(settings[key].default, tuple):
            values[key] = _three(eye, key, low=-1e6 if key == "position" else 0.0)
        else:
            values[key] = _number(eye, key, low=1e-4 if key in _POSITIVE else 0.0)
    return values


def _entry(doc: YamlMap, name: str) -> CameraEntry:
    """The CameraEntry with a key `name`, such as camera0, of the file."""
    entry = doc[name]
    if not isinstance(entry, YamlMap):
        raise doc.error(name, "must be like {name: Chase, kind: chase}")
    kind = entry.get("kind", "follow")
    if kind not in KINDS:
        raise entry.error("kind", f"{kind!r} must be one of {', '.join(KINDS)}")
    check_keys(entry, _FOLLOW_KEYS if kind == "follow" else _KEYS, ("name",))
    if not isinstance(entry["name"], str) or not entry["name"].strip():
        raise entry.error("name", "must be a word or two")
    fov = math.radians(_number(entry, "fov", low=1.0, high=150.0)) if "fov" in entry else None
    camera = CameraEntry(entry["name"], kind, fov, source=entry)
    if kind == "follow":
        camera.follow = _follow(entry, fov)
        camera.scaled, camera.at = _flag(entry, "scaled"), _node_name(entry)
    return camera


def _node_name(entry: YamlMap) -> str | None:
    """The node's name at the key `at`, None without the key. Raises ConfigError."""
    name = entry.get("at")
    if "at" in entry and (not isinstance(name, str) or not name.strip()):
        raise entry.error("at", f"{name!r} must be the name of a node of the model")
    return name


def _flag(doc: YamlMap, key: str) -> bool:
    """The value 0 or 1 at a key, False if it is missing. Raises ConfigError."""
    value = doc.get(key, False)
    if value not in (0, 1, False, True):
        raise doc.error(key, f"{value!r} must be 0 or 1")
    return bool(value)


def _follow(entry: YamlMap, fov: float | None) -> FollowSettings:
    """The FollowSettings of an entry; `fov` is the field of view in rad, or None for the default."""
    axes = entry.get("follow", YamlMap())
    if not isinstance(axes, YamlMap):
        raise entry.error("follow", "must be like {pitch: 0, yaw: 1, roll: 0}")
    if axes:
        check_keys(axes, _AXES)
    settings = FollowSettings(pitch=_flag(axes, "pitch"), yaw=_flag(axes, "yaw"), roll=_flag(axes, "roll"))
    if "angle" in entry:
        settings.angle = tuple(math.radians(v) for v in _three(entry, "angle"))
    if "offset" in entry:
        settings.offset = _three(entry, "offset")
    if fov is not None:
        settings.fov = fov
    return settings
