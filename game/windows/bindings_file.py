"""Bindings as YAML: the program's own, and the user's, which override them.

`configs/controls/default.yaml` holds the keys and the known devices; each window declares its own keys (window.py).
This module is in the folder of the windows because importing it then registers all windows, and with them their keys.
The user's file (`settings/controls.yaml`) has the same form, with only the differences. A file with an error is
refused, with the line of the error; nothing is guessed.
"""

from pathlib import Path
from typing import Any

import yaml

from driving_sandbox.game.controls.bindings import (
    ACTIONS,
    ANALOG,
    DECLARED_KEYS,
    KINDS,
    MENU,
    AxisBinding,
    Bindings,
    DeviceProfile,
)
from driving_sandbox.game.platform.user_folder import subfolder, write_atomic
from driving_sandbox.physics.schema.yaml_file import ConfigError, YamlList, YamlMap, check_keys, load_yaml

DEFAULT_PATH = Path(__file__).resolve().parents[2] / "configs" / "controls" / "default.yaml"
MAX_ROTATION = 2520.0  # degrees: seven turns, the most that a direct drive can be set to
USER_FILE = "controls.yaml"  # in the user folder's settings/


def load_bindings(user_path: Path | None = None, default_path: Path = DEFAULT_PATH) -> Bindings:
    """The program's bindings, overridden by the user's file if it exists. Raises ConfigError."""
    keys, profiles = _read(default_path, already_bound=DECLARED_KEYS)
    keys = DECLARED_KEYS | keys
    bindings = Bindings(keys, profiles)
    if user_path is not None and Path(user_path).exists():
        user_keys, bindings.user_profiles = _read(user_path, already_bound=keys)
        bindings.keys.update(user_keys)
    return bindings


def user_bindings_path() -> Path:
    """Path of the user's file of bindings, which need not exist."""
    return subfolder("settings") / USER_FILE


def save_bindings(bindings: Bindings, path: str | Path) -> Path:
    """Write the differences from the program's own bindings to a file; returns its path. Raises UserError."""
    changed = {
        action: list(keys) for action, keys in bindings.keys.items() if keys != bindings.default_keys.get(action, ())
    }
    document = {"keys": changed, "devices": [_profile_document(p) for p in bindings.user_profiles]}
    return write_atomic(Path(path), yaml.safe_dump(document, sort_keys=False))


def _read(
    path: Path, already_bound: dict[str, tuple[str, ...]] | None = None
) -> tuple[dict[str, tuple[Any, ...]], list[DeviceProfile]]:
    """({action: keys}, device profiles) of a file. Raises ConfigError.

    Args:
        already_bound: {action: keys} that the file's keys must not take from actions that it leaves out.
    """
    document = load_yaml(path)
    if not isinstance(document, YamlMap):
        raise ConfigError(path, 1, "", "must hold `keys:` and `devices:`")
    check_keys(document, ("keys", "devices"))
    return _read_keys(document, already_bound or {}), [_read_profile(d) for d in _items(document, "devices")]


def _read_keys(document: YamlMap, already_bound: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """{action: keys} of a file's section `keys`; arguments as in `_read`. Raises ConfigError."""
    doc = document.get("keys")
    if doc is None:
        return {}
    if not isinstance(doc, YamlMap):
        raise document.error("keys", "must be a mapping of actions to keys")
    check_keys(doc, ACTIONS)
    keys = {action: tuple(_key(doc, action, k) for k in _as_list(value)) for action, value in doc.items()}
    owner = {key: action for action, bound in already_bound.items() if action not in keys for key in bound}
    for action, bound in keys.items():
        for key in bound:
            if owner.setdefault(key, action) != action:
                raise doc.error(action, f'key "{key}" already means {owner[key]}')
    return keys


def _key(doc: YamlMap, action: str, key: Any) -> str:
    """A key's name in lower case. Raises ConfigError."""
    if isinstance(key, int) and not isinstance(key, bool) and 0 <= key <= 9:
        return str(key)  # a digit key written without quotes
    if not isinstance(key, str) or not key:
        raise doc.error(action, f"{key!r} is not the name of a key")
    return key.lower()


def _read_profile(doc: YamlMap) -> DeviceProfile:
    """The DeviceProfile of one entry of `devices`. Raises ConfigError."""
    keys = ("name", "match", "kind", "brake_reverses", "rotation", "axes", "buttons")
    check_keys(doc, keys, required=("name", "match"))
    match = doc["match"]
    if not isinstance(match, YamlMap) or not match:
        raise doc.error("match", "must name at least one of guid, ids, names, gamepad, any")
    check_keys(match, ("guid", "ids", "names", "gamepad", "any"))
    kind = doc.get("kind", "stick")
    if kind not in KINDS:
        raise doc.error("kind", f"{kind!r} must be one of {', '.join(KINDS)}")
    return DeviceProfile(
        name=str(doc["name"]),
        kind=kind,
        guid=str(match.get("guid", "")),
        ids=tuple(str(i).lower() for i in _as_list(match.get("ids", ()))),
        names=tuple(str(n) for n in _as_list(match.get("names", ()))),
        gamepad=_flag(match, "gamepad", default=False),
        any_device=_flag(match, "any", default=False),
        brake_reverses=_flag(doc, "brake_reverses", default=kind != "wheel"),
        rotation=_number(doc, "rotation", default=0.0, low=0.0, high=MAX_ROTATION),
        axes={action: _read_axis(axes, action) for axes in [_mapping(doc, "axes", ANALOG)] for action in axes},
        buttons=_read_buttons(_mapping(doc, "buttons", {**ACTIONS, **MENU})),
    )


def _read_axis(axes: YamlMap, action: str) -> AxisBinding:
    """The AxisBinding of an action. Raises ConfigError."""
    doc = axes[action]
    if not isinstance(doc, YamlMap):
        raise axes.error(action, "must be a mapping such as {axis: 0, inverted: true}")
    check_keys(doc, ("axis", "range", "inverted", "dead_zone", "curve"), required=("axis",))
    axis = doc["axis"]
    if isinstance(axis, bool) or not isinstance(axis, int | str) or (isinstance(axis, int) and axis < 0):
        raise doc.error("axis", f"{axis!r} must be the number of an axis or a gamepad name such as leftx")
    ends = doc.get("range", (-1, 1))
    if not isinstance(ends, list | tuple) or len(ends) != 2 or not all(_is_number(e) for e in ends):
        raise doc.error("range", "must be [minimum, maximum]")
    if not -1.0 <= ends[0] < ends[1] <= 1.0:
        raise doc.error("range", f"[{ends[0]}, {ends[1]}] must rise and lie within -1..1")
    return AxisBinding(
        axis,
        minimum=float(ends[0]),
        maximum=float(ends[1]),
        inverted=_flag(doc, "inverted", default=False),
        dead_zone=_number(doc, "dead_zone", default=0.0, low=0.0, high=0.9),
        curve=_number(doc, "curve", default=1.0, low=0.2, high=5.0),
    )


def _read_buttons(doc: YamlMap) -> dict[str, tuple[int | str, ...]]:
    """{action: its buttons} of a device. Raises ConfigError."""
    buttons = {}
    for action, value in doc.items():
        for source in _as_list(value):
            number = isinstance(source, int) and not isinstance(source, bool) and source >= 0
            if not number and not isinstance(source, str):
                raise doc.error(action, f"{source!r} must be the number or the gamepad name of a button, or hat0.left")
        buttons[action] = tuple(_as_list(value))
    return buttons


def _mapping(doc: YamlMap, key: str, allowed: dict[str, str] | tuple[str, ...]) -> YamlMap:
    """The mapping at a key with keys among `allowed`, {} if it is missing. Raises ConfigError."""
    inner = doc.get(key, YamlMap())
    if not isinstance(inner, YamlMap):
        raise doc.error(key, "must be a mapping of actions")
    if inner:
        check_keys(inner, allowed)
    return inner


def _items(document: YamlMap, key: str) -> YamlList:
    """The list of mappings at a key, [] if it is missing. Raises ConfigError."""
    items = document.get(key) or YamlList()
    if not isinstance(items, YamlList):
        raise document.error(key, "must be a list")
    for i, item in enumerate(items):
        if not isinstance(item, YamlMap):
            raise items.error(i, "every device must be a mapping")
    return items


def _flag(doc: YamlMap, key: str, default: bool) -> bool:
    """The truth value at a key, `default` if it is missing. Raises ConfigError."""
    value = doc.get(key, default)
    if not isinstance(value, bool):
        raise doc.error(key, f"{value!r} must be true or false")
    return value


def _number(doc: YamlMap, key: str, default: float, low: float, high: float) -> float:
    """The number from `low` to `high` at a key, `default` if it is missing. Raises ConfigError."""
    value = doc.get(key, default)
    if not _is_number(value) or not low <= value <= high:
        raise doc.error(key, f"{value!r} must be a number from {low:g} to {high:g}")
    return float(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _profile_document(profile: DeviceProfile) -> dict[str, Any]:
    """A DeviceProfile as plain values for a YAML file."""
    axes = {
        action: {
            "axis": b.axis,
            "range": [b.minimum, b.maximum],
            "inverted": b.inverted,
            "dead_zone": b.dead_zone,
            "curve": b.curve,
        }
        for action, b in profile.axes.items()
    }
    buttons = {action: list(sources) for action, sources in profile.buttons.items()}
    return {
        "name": profile.name,
        "match": {"guid": profile.guid},
        "kind": profile.kind,
        "brake_reverses": profile.brake_reverses,
        "rotation": profile.rotation,
        "axes": axes,
        "buttons": buttons,
    }
