"""The user's settings: interface scale, units, picture. One YAML file in the user folder."""

import logging
from dataclasses import asdict, dataclass, fields

import yaml

from driving_sandbox.game.platform.user_folder import UserFolderError, subfolder, write_atomic
from driving_sandbox.game.view.gl.quality import DAYTIMES, QUALITIES
from driving_sandbox.physics.schema.yaml_file import ConfigError, YamlMap, check_keys, load_yaml

FILE = "program.yaml"
_log = logging.getLogger(__name__)


@dataclass
class Settings:
    """Settings of the program; every one has a default.

    Attributes:
        scale: size of the interface, 0: as the window's height suggests. units: "km/h" or "mph". map: whether to show
        the small map. vsync, fullscreen: of the window. quality: "auto" or a level of the picture. daytime: position of
        the sun. shadows: "maps", or "ground" for the cheap shadow of vehicles. key_steering_aid: whether key steering
        is limited by grip and speed. first_start: whether to welcome the user. auto_quality, auto_renderer: the level
        that "auto" has found, and the graphics driver it was measured with; "" before.
    """

    scale: float = 0.0
    units: str = "km/h"
    map: bool = True
    vsync: bool = True
    fullscreen: bool = False
    quality: str = "auto"
    daytime: str = "afternoon"
    shadows: str = "maps"
    key_steering_aid: bool = True
    first_start: bool = True
    auto_quality: str = ""
    auto_renderer: str = ""

    def level(self, renderer):
        """The level that the user chose or that was measured with this graphics driver; "auto" without either."""
        known = self.auto_quality and self.auto_renderer == renderer
        return self.auto_quality if self.quality == "auto" and known else self.quality

    def save(self) -> None:
        """Write the settings to the user folder; a failure is only logged."""
        try:
            write_atomic(subfolder("settings") / FILE, yaml.safe_dump(asdict(self), sort_keys=False))
        except UserFolderError as error:
            _log.warning("settings not saved: %s", error)


_ALLOWED = {"units": ("km/h", "mph"), "quality": ("auto", *QUALITIES), "daytime": DAYTIMES,
            "shadows": ("maps", "ground"), "auto_quality": ("", *QUALITIES)}  # fmt: skip
_MIN_SCALE, _MAX_SCALE = 0.0, 3.0  # of the interface; 0: as the picture's height suggests


def load_settings():
    """(Settings, message or None): a file with an error is reported and all settings are the defaults."""
    path = subfolder("settings") / FILE
    if not path.is_file():
        return Settings(), None
    try:
        return Settings(**_checked(load_yaml(path))), None
    except ConfigError as error:
        _log.warning("%s", error)
        return Settings(first_start=False), str(error)


def _checked(doc):
    if not isinstance(doc, YamlMap):
        raise ConfigError(doc, None, "", "settings are a mapping of keys")
    known = {f.name: f for f in fields(Settings)}
    check_keys(doc, known)
    for key, value in doc.items():
        kind = type(known[key].default)
        if kind is float and isinstance(value, int) and not isinstance(value, bool):
            value = doc[key] = float(value)
        if not isinstance(value, kind):
            raise doc.error(key, f"{value!r} must be a {kind.__name__}")
        if key in _ALLOWED and value not in _ALLOWED[key]:
            raise doc.error(key, f"{value!r} must be one of {', '.join(_ALLOWED[key])}")
        if key == "scale" and not _MIN_SCALE <= value <= _MAX_SCALE:
            raise doc.error(key, f"{value:g} must be from {_MIN_SCALE:g} to {_MAX_SCALE:g}")
    return dict(doc)
