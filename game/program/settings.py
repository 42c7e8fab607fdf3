"""The user's settings (interface scale, units, graphics, sound), kept in one YAML file in the user folder."""

import logging
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import yaml

from driving_sandbox.game.audio.levels import VOLUMES
from driving_sandbox.game.controls.presets import NORMAL, DrivingAids
from driving_sandbox.game.platform.user_folder import UserFolderError, subfolder, write_atomic
from driving_sandbox.game.view.gl.quality import DAYTIMES, QUALITIES
from driving_sandbox.physics.schema.yaml_file import ConfigError, YamlMap, check_keys, load_yaml

FILE = "program.yaml"
_log = logging.getLogger(__name__)


@dataclass
class Settings:
    """Settings of the program; each has a default.

    Attributes:
        scale: scale of the interface; 0: chosen from the window's height.
        units: "km/h" or "mph".
        map: whether to show the small map.
        vsync: whether frames wait for the display.
        fullscreen: whether the window fills the display.
        quality: "auto" or a quality level of the graphics.
        daytime: time of day, which sets the position of the sun.
        shadows: "maps" for shadow maps, "ground" for a cheap ground shadow of vehicles only.
        key_steering_aid, key_braking_aid, key_line_aid, key_throttle_aid: the aids for keys, as in DrivingAids.
        first_start: whether to show the welcome text.
        sound: whether anything is heard; the mute key switches it.
        volume: volume of everything, 0..1.
        volume_engine, volume_tires, volume_surroundings: volumes of these parts, 0..1.
        volume_ghosts: volume of ghosts and of the twin, 0..1.
        volume_interface: volume of the sounds of menus, messages and laps, 0..1.
        sound_device: name of the audio device, "" for the system's default.
        sound_without_focus: whether the program is heard while another window has the keyboard.
        sound_in_slow_motion: whether slow motion is heard, slower and deeper.
        auto_quality: the level that "auto" has found, "" until then.
        auto_renderer: name of the renderer (graphics driver) with which `auto_quality` was found, "" until then.
    """

    scale: float = 0.0
    units: str = "km/h"
    map: bool = True
    vsync: bool = True
    fullscreen: bool = False
    quality: str = "auto"
    daytime: str = "afternoon"
    shadows: str = "maps"
    key_steering_aid: bool = NORMAL.steering
    key_braking_aid: bool = NORMAL.braking
    key_line_aid: float = NORMAL.line
    key_throttle_aid: bool = NORMAL.throttle
    first_start: bool = True
    sound: bool = True
    volume: float = 0.8
    volume_engine: float = 1.0
    volume_tires: float = 1.0
    volume_surroundings: float = 1.0
    volume_ghosts: float = 1.0
    volume_interface: float = 0.5
    sound_device: str = ""
    sound_without_focus: bool = False
    sound_in_slow_motion: bool = True
    auto_quality: str = ""
    auto_renderer: str = ""

    @property
    def aids(self) -> DrivingAids:
        """The aids for keys."""
        return DrivingAids(*(getattr(self, f"key_{name}_aid") for name in DrivingAids._fields))

    @aids.setter
    def aids(self, aids: DrivingAids) -> None:
        for name, value in aids._asdict().items():
            setattr(self, f"key_{name}_aid", value)

    def level(self, renderer: str) -> str:
        """The quality level that the user chose, or else the one found with this renderer; "auto" without either."""
        is_measured = self.auto_quality and self.auto_renderer == renderer
        return self.auto_quality if self.quality == "auto" and is_measured else self.quality

    def save(self) -> None:
        """Write the settings to the user folder; a failure is only logged."""
        try:
            write_atomic(subfolder("settings") / FILE, yaml.safe_dump(asdict(self), sort_keys=False))
        except UserFolderError as error:
            _log.warning("settings not saved: %s", error)


_ALLOWED = {"units": ("km/h", "mph"), "quality": ("auto", *QUALITIES), "daytime": DAYTIMES,
            "shadows": ("maps", "ground"), "auto_quality": ("", *QUALITIES)}  # fmt: skip
# scale 0: chosen from the window's height
_LIMITS = {"scale": (0.0, 3.0), "key_line_aid": (0.0, 1.0), **dict.fromkeys(VOLUMES, (0.0, 1.0))}


def load_settings() -> tuple[Settings, str | None]:
    """(Settings, None); if the file has an error, the defaults without the welcome text, and the error's message."""
    path = subfolder("settings") / FILE
    if not path.is_file():
        return Settings(), None
    try:
        return Settings(**_checked(load_yaml(path), path)), None
    except ConfigError as error:
        _log.warning("%s", error)
        return Settings(first_start=False), str(error)


def _checked(doc: Any, path: Path) -> dict[str, Any]:
    """{key: value} of the settings file at `path` with content `doc`. Raises ConfigError."""
    if not isinstance(doc, YamlMap):
        raise ConfigError(path, None, "", "settings are a mapping of keys")
    declared = {f.name: f for f in fields(Settings)}
    check_keys(doc, declared)
    for key, value in doc.items():
        default: Any = declared[key].default
        value_type = type(default)
        if value_type is float and isinstance(value, int) and not isinstance(value, bool):
            value = doc[key] = float(value)
        if not isinstance(value, value_type):
            raise doc.error(key, f"{value!r} must be a {value_type.__name__}")
        if key in _ALLOWED and value not in _ALLOWED[key]:
            raise doc.error(key, f"{value!r} must be one of {', '.join(_ALLOWED[key])}")
        low, high = _LIMITS.get(key, (value, value))
        if not low <= value <= high:
            raise doc.error(key, f"{value:g} must be from {low:g} to {high:g}")
    return dict(doc)
