"""What a person set once and expects again: interface scale, units, picture. One YAML file in the user folder."""

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
        scale: size of the interface, 0 picks one by the window's height. units: "km/h" or "mph". map: show the small
        map. vsync, fullscreen: how the window opens. quality: "auto" or a level of the picture. daytime: position of
        the sun. shadows: "maps", or "ground" for the cheap shadow of vehicles. key_steering_aid: whether what keys
        steer is limited by grip and speed. first_start: show the keys and an explanation.
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
        """The quality that the person chose or that was measured with this graphics driver; "auto" without either."""
        known = self.auto_quality and self.auto_renderer == renderer
        return self.auto_quality if self.quality == "auto" and known else self.quality

    def save(self) -> None:
        """Write them to the user folder; a folder that cannot be written is only noted in the log."""
        try:
            write_atomic(subfolder("settings") / FILE, yaml.safe_dump(asdict(self), sort_keys=False))
        except UserFolderError as error:
            _log.warning("settings not saved: %s", error)


_ALLOWED = {"units": ("km/h", "mph"), "quality": ("auto", *QUALITIES), "daytime": DAYTIMES,
            "shadows": ("maps", "ground"), "auto_quality": ("", *QUALITIES)}  # fmt: skip
_SCALES = (0.0, 3.0)  # of the interface; 0: as the picture's height suggests


def load_settings():
    """(Settings, message or None): a wrong file is reported and its wrong keys fall back to the defaults."""
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
        wanted = type(known[key].default)
        if wanted is float and isinstance(value, int) and not isinstance(value, bool):
            value = doc[key] = float(value)
        if not isinstance(value, wanted):
            raise doc.error(key, f"{value!r} must be a {wanted.__name__}")
        if key in _ALLOWED and value not in _ALLOWED[key]:
            raise doc.error(key, f"{value!r} must be one of {', '.join(_ALLOWED[key])}")
        if key == "scale" and not _SCALES[0] <= value <= _SCALES[1]:
            raise doc.error(key, f"{value:g} must be {_SCALES[0]:g} to {_SCALES[1]:g}")
    return dict(doc)
